"""Short spellings of the names of a TypeScript or JavaScript file, for tests."""

from __future__ import annotations

from ce.extract.languages import language_spec
from ce.extract.names.model import CALL, COLLECTION, ELEMENT, SUPER, UNKNOWN, UNSCOPED, Definition, Expression, FileNames
from ce.extract.names.registry import names_of
from ce.extract.parsing import Parsed, parse
from ce.extract.registry import language_of

__all__ = ["Names", "read"]


class Names:
    """The names of a file with definitions by their dotted names."""

    def __init__(self, names: FileNames) -> None:
        self.all = names
        self.labels = [self._label(number) for number in range(len(names.definitions))]

    def _label(self, number: int) -> str:
        labels: list[str] = []
        while number > 0:
            definition = self.all.definitions[number]
            labels.append(definition.name)
            number = definition.parent
        return ".".join(reversed(labels))

    def definition(self, label: str) -> Definition:
        """Return the first definition of that dotted name."""
        return self.all.definitions[self.labels.index(label)]

    def kinds(self) -> dict[str, str]:
        """Return the kind of every definition but the file, the first of a name."""
        found: dict[str, str] = {}
        for label, definition in zip(self.labels, self.all.definitions, strict=True):
            found.setdefault(label, definition.kind)
        found.pop("")
        return found

    def spelled(self, expression: Expression) -> str:
        """Return a path as text: `Shop().open`, `?.open` from something unknown, `!fetch` for a name that nothing binds."""
        steps = list(expression.steps)
        if expression.base == UNKNOWN:
            text = "?"
        elif expression.base == UNSCOPED:
            text = "!" + steps.pop(0)
        else:
            text = self.labels[expression.base] or "module"
        for step in steps:
            text += step if step in (CALL, ELEMENT, COLLECTION, SUPER) or step.startswith("~") else f".{step}"
        return text

    def uses(self, owner: str | None = None) -> set[tuple[str, str]]:
        """Return (kind, path) of every use, of one owner's or of all."""
        return {(use.kind, self.spelled(use.target)) for use in self.all.uses if owner is None or self.labels[use.owner] == owner}

    def values(self, label: str) -> list[str]:
        """Return the values of a definition as texts."""
        return [self.spelled(value) for value in self.definition(label).values]

    def flags(self, label: str) -> frozenset[str]:
        """Return the flags of a definition."""
        return self.definition(label).flags


def read(text: str, path: str = "a.ts") -> Names:
    """Return the names of a file with that text."""
    data = text.encode()
    row = language_of(path, data)
    assert row is not None
    spec = language_spec(row.language)
    if spec.code_in is None:
        parsed = parse(path, spec, data)
        assert isinstance(parsed, Parsed)
    else:
        inner, code = spec.code_in(data)
        parsed = parse(path, language_spec(inner), code)
        assert isinstance(parsed, Parsed)
        parsed.language, parsed.whole = row.language, data
    return Names(names_of(parsed))
