"""The names of files that are followed by spelling, joined with what their declarations are.

The names layer of such a file says which identifier stands on which line; the core layer says what is declared where. A spelled
identifier belongs to the innermost declaration around its line. It means a declaration that only this file can see, when there is one;
otherwise any namesake of the tree may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ce.extract.names.model import MODULE, UNKNOWN, Definition, Expression, FileNames, Use

if TYPE_CHECKING:
    from ce.facts.records import Extraction, Unit

__all__ = ["with_declarations"]

_KINDS: Mapping[str, str] = {
    "function": "function", "method": "method", "constructor": "method", "class": "class", "struct": "class", "union": "class",
    "record": "class", "data": "class", "newtype": "class", "enum": "enum", "interface": "interface", "trait": "interface",
    "annotation": "interface", "type": "type_alias", "typedef": "type_alias", "const": "constant", "constant": "constant",
    "variable": "variable", "static": "variable", "field": "field", "macro": "macro", "namespace": "namespace", "module": "namespace",
}  # fmt: skip
# What these hold runs, or counts, with what is around them.
_VALUES = frozenset({"constant", "variable", "field"})
_CONTAINERS = frozenset({"class", "interface", "enum"})
# Languages whose declarations are either exported or known to one file alone.
_ONE_FILE = frozenset({"c", "cpp", "lua", "java", "haskell"})
_WORD = re.compile(r"\w+")
_ARGUMENTS = re.compile(r"[(\s=\[{]")
# The generics of R's base packages that packages define methods of.
_R_GENERICS = frozenset({
    "all.equal", "anova", "as.character", "as.data.frame", "as.Date", "as.factor", "as.integer", "as.list", "as.logical", "as.matrix",
    "as.numeric", "as.vector", "c", "coef", "confint", "cut", "dim", "dimnames", "droplevels", "duplicated", "fitted", "format", "head",
    "image", "length", "levels", "lines", "log", "logLik", "Math", "max", "mean", "median", "merge", "min", "model.frame",
    "model.matrix", "names", "nobs", "Ops", "plot", "points", "predict", "print", "quantile", "range", "rbind", "cbind", "rep",
    "residuals", "rev", "round", "seq", "simulate", "sort", "split", "str", "subset", "sum", "Summary", "summary", "t", "tail", "terms",
    "toString", "transform", "unique", "update", "vcov", "with", "xtfrm",
})  # fmt: skip


def with_declarations(names: FileNames, extraction: Extraction) -> FileNames:
    """Return the names of a file with the declarations of its core layer as definitions and its uses by the declarations around them."""
    builder = _Builder(extraction)
    builder.declare()
    body = names.definitions[MODULE]
    return FileNames((body, *builder.definitions[1:]), tuple(builder.uses(names)), problems=names.problems)


class _Builder:
    def __init__(self, extraction: Extraction) -> None:
        self.language = extraction.lang
        self.units = extraction.units
        self.lines = max(extraction.lines, 1)
        self.definitions: list[Definition] = [Definition("", "module", -1, 1, self.lines, 1)]
        self.owner: dict[int, int] = {}  # number of a unit to the definition that owns what stands in it
        self.types = {one.name: number for number, one in enumerate(self.units) if one.name and _kind(one) in _CONTAINERS | {"type_alias"}}
        self.implemented = {number: _implemented(one) for number, one in enumerate(self.units) if one.kind == "impl"}

    def declare(self) -> None:
        for number in range(len(self.units)):
            self._define(number)
        for number, name in self.implemented.items():
            self.owner[number] = self._type(name)

    def _define(self, number: int) -> None:
        unit = self.units[number]
        if number in self.owner or not unit.name or unit.kind not in ("fn", "named"):
            return
        self.owner[number] = MODULE  # a unit around itself ends here
        parent = self._parent(unit)
        kind = "class" if self.language == "go" and unit.declares == "type" else _kind(unit)
        decorators = sorted({_ARGUMENTS.split(one.strip("#[]@ "), maxsplit=1)[0] for one in unit.decorators} - {""})
        flags = self._flags(unit, kind)
        self.owner[number] = len(self.definitions)
        self.definitions.append(
            Definition(
                unit.name,
                kind,
                parent,
                unit.start,
                unit.end,
                unit.start,
                flags,
                decorators=tuple(Expression(UNKNOWN, (decorator,)) for decorator in decorators),
            )
        )

    def _parent(self, unit: Unit) -> int:
        around = unit.parent
        if around in self.implemented:
            return self._type(self.implemented[around])
        if 0 <= around < len(self.units):
            self._define(around)
            return self.owner.get(around, MODULE)
        receiver = _receiver(unit)
        return self._type(receiver) if receiver else MODULE

    def _type(self, name: str) -> int:
        number = self.types.get(name)
        if number is None:
            return MODULE
        self._define(number)
        return self.owner.get(number, MODULE)

    def _flags(self, unit: Unit, kind: str) -> frozenset[str]:
        # What a package of R offers is in its NAMESPACE file; scripts share one scope and offer nothing.
        flags = {"exported"} if unit.visibility & 1 and self.language != "r" else set() if self.language == "r" else {"private"}
        holder = self.units[unit.parent] if 0 <= unit.parent < len(self.units) else None
        if holder is not None and holder.kind == "fn":
            flags.add("local")
        if kind == "namespace" or (kind in ("function", "method", "field") and self._is_called_by_others(unit, holder)):
            flags.add("protocol")
        return frozenset(flags)

    def _is_called_by_others(self, unit: Unit, holder: Unit | None) -> bool:
        """Tell whether a shape from elsewhere may want the member: an interface, a base class, the language."""
        if holder is not None and holder.kind == "impl":
            return bool(holder.bases) or self.language == "haskell"
        if holder is not None and _kind(holder) == "interface":
            return True
        has_bases = holder is not None and holder.kind == "named" and bool(holder.bases)
        is_constructor = holder is not None and unit.name == holder.name
        match self.language:
            case "go":
                return unit.declares == "method" and bool(unit.visibility & 1)
            case "java":
                return is_constructor or "Override" in unit.decorators or (has_bases and bool(unit.visibility & 1))
            case "cpp":
                return is_constructor or has_bases or unit.name.startswith(("~", "operator")) or "::" in unit.key
            case "haskell":
                return holder is not None and holder.declares == "class"
            case "r":
                return _is_method_of_generic(unit.name)
        return False

    # --- uses

    def uses(self, names: FileNames) -> list[Use]:
        owners = self._owners()
        private: dict[str, list[int]] = {}
        shared: set[str] = set()
        for number, one in enumerate(self.definitions[1:], 1):
            if "private" in one.flags and self.language in _ONE_FILE:
                private.setdefault(one.name, []).append(number)
            else:
                shared.add(one.name)
        declared = {(one.line, one.name) for one in self.definitions if one.kind in _VALUES}
        found: dict[tuple[int, str, Expression], int] = {}
        for use in names.uses:
            (name,) = use.target.steps
            owner = owners[use.line] if use.line < len(owners) else MODULE
            if (use.line, name) in declared or self.definitions[owner].name == name:
                continue  # where it is declared, or what it does with itself: neither keeps it
            meant = [Expression(number) for number in private.get(name, ())]
            if not meant or name in shared:
                meant.append(use.target)
            for target in meant:
                found.setdefault((owner, use.kind, target), use.line)
        return [Use(owner, kind, line, target) for (owner, kind, target), line in found.items()]

    def _owners(self) -> list[int]:
        """Return for each line the innermost definition around it whose body runs only when it is used.

        Two declarations that share a line cannot be told apart: what stands there belongs to what holds both.
        """
        owners = [MODULE] * (self.lines + 2)
        spans = sorted(
            (self.units[number].start, -self.units[number].end, definition)
            for number, definition in self.owner.items()
            if self.definitions[definition].kind not in _VALUES
        )
        taken = [0] * (max([self.lines, *(start for start, _, _ in spans)]) + 2)  # 1: a declaration stands on the line with all it has
        for start, end, definition in spans:
            for line in range(start, min(-end, self.lines) + 1):
                before = owners[line]
                if before == MODULE and not taken[line]:
                    owners[line] = definition
                elif before != definition:
                    owners[line] = (
                        definition if self._is_within(definition, before) and not taken[line] else self._around(definition, before)
                    )
            if start == -end:
                taken[start] = 1
        return owners

    def _is_within(self, inner: int, outer: int) -> bool:
        while inner > MODULE:
            if inner == outer:
                return True
            inner = self.definitions[inner].parent
        return outer == MODULE

    def _around(self, one: int, other: int) -> int:
        holders = set()
        while other > MODULE:
            holders.add(other)
            other = self.definitions[other].parent
        while one > MODULE and one not in holders:
            one = self.definitions[one].parent
        return max(one, MODULE)


def _kind(unit: Unit) -> str:
    return _KINDS.get(unit.declares, "function" if unit.kind == "fn" else "class")


def _implemented(unit: Unit) -> str:
    """Return the type that an `impl` or an instance is about: `impl P<T>` is about `P`."""
    words = _WORD.findall(unit.key.partition("<")[0])
    return words[-1] if words else ""


def _receiver(unit: Unit) -> str:
    """Return the type of a method that stands outside of it: `(T) name/0` in Go, `T::name/0` in C++."""
    if unit.key.startswith("("):
        words = _WORD.findall(unit.key.partition(")")[0].partition("[")[0])
        return words[-1] if words else ""
    return unit.key.rpartition("::")[0].rpartition("::")[2] if "::" in unit.key else ""


def _is_method_of_generic(name: str) -> bool:
    generic = name
    while "." in generic:
        generic = generic.rpartition(".")[0]
        if generic in _R_GENERICS:
            return True
    return False
