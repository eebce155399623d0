"""From the notes of a walk to the names of the file: every head is looked up in its scope, locals give way to what they hold."""

from __future__ import annotations

from ce.extract.names.ecmascript_reader import Reader
from ce.extract.names.ecmascript_scopes import TYPE, VALUE, Binding, Draft, Path, Scope
from ce.extract.names.model import CALL, COLLECTION, ELEMENT, GLOB, MODULE, UNKNOWN, UNSCOPED
from ce.extract.names.table import NamesTable, TableWriter

__all__ = ["resolve"]

_MAX_STEPS = 24
_MAX_DEPTH = 8
_ANY = f"{GLOB}*"
_INSTANCE = "\0"  # an instance of a function, if it is a class
_HAVE_MEMBERS = frozenset({"import", "enum", "class", "namespace", "interface", "module"})
_SILENT_GLOBALS = frozenset({"arguments", "undefined", "NaN", "Infinity", "exports", "module", "require", "define"})

_Resolved = tuple[int, tuple[str, ...]]
_Key = tuple[int, str, int, tuple[str, ...], str]  # owner, kind, base, steps, argument


def resolve(r: Reader) -> NamesTable:
    """Return the names of the file that the reader has walked."""
    return _Resolver(r).table()


class _Resolver:
    def __init__(self, r: Reader) -> None:
        self.r = r
        self.depth = 0
        self.own_exports: dict[str, int] | None = None
        # Where the text does not parse a declaration may have ended up in a scope that is none.
        self.misplaced: dict[str, int] = {}
        tree = r.parsed.tree
        if tree is not None and tree.root_node.has_error:
            for number, draft in enumerate(r.drafts):
                if draft.parent >= 0 and r.drafts[draft.parent].kind in ("module", "function", "namespace"):
                    self.misplaced.setdefault(draft.name, number)

    def table(self) -> NamesTable:
        r = self.r
        self._settle_classes()
        self._settle_elements()
        self._settle_exports()
        self._settle_augmentations()
        for path, values in r.assigned:
            self._assign(path, values)
        uses = self._uses()
        self._settle_literals(uses)
        order = sorted(range(len(r.drafts)), key=lambda number: (r.drafts[number].start, number))
        place = [0] * len(order)
        for new, old in enumerate(order):
            place[old] = new
        writer = TableWriter()
        for old in order:
            self._define(r.drafts[old], place, writer)
        found = sorted(
            [
                (line, place[owner], kind, place[base] if base >= 0 else base, steps, argument)
                for (owner, kind, base, steps, argument), line in uses.items()
            ]
        )
        writer.add_uses(
            [(owner, base, steps, kind, argument) for _, owner, kind, base, steps, argument in found], [row[0] for row in found]
        )
        return writer.finish(
            strings=self._strings(place),
            opaque=sorted(set(r.opaque)),
            stars=r.stars,
            problems=(),
            has_unreadable_exports=r.has_unreadable_exports,
        )

    def _strings(self, place: list[int]) -> list[tuple[int, int, str]]:
        found: dict[tuple[int, str], int] = {}
        for at, owner, raw in self.r.strings:
            found.setdefault((owner, raw.decode()), at)
        return sorted([(self.r.line_at(at), place[owner], text) for (owner, text), at in found.items()])

    # --- before anything is resolved

    def _settle_classes(self) -> None:
        """A function that is given members of instances is a class."""
        for number in self.r.constructors:
            draft = self.r.drafts[number]
            if draft.kind in ("function", "variable", "constant"):
                draft.kind = "class"
                draft.values.clear()

    def _settle_elements(self) -> None:
        """Elements may be made by a function that no element names."""
        if self.r.has_elements:
            scope = self.r.module.scope
            for name in ("React", "h", "jsx", "Fragment", "preact"):
                if name in scope.names[VALUE]:
                    self.r.use(MODULE, "read", 0, (scope, name, (), VALUE))

    def _settle_exports(self) -> None:
        for (scope, head, _, _), _owner in self.r.exports:
            for space in (VALUE, TYPE):
                binding = scope.find(str(head), space) if scope is not None else None
                if binding is not None:
                    for number in (binding.definition, *binding.more):
                        if number >= 0:
                            self.r.drafts[number].flags.add("exported")

    def _settle_augmentations(self) -> None:
        """What a file adds to a module or to the globals is there once the file is."""
        for number, draft in enumerate(self.r.drafts):
            if draft.name == "_" and number and draft.kind == "type_alias":
                self.r.use(draft.parent, "read", draft.start, (None, number, (), VALUE))  # a check of the compiler
            if number in self.r.augmentations or draft.parent in self.r.augmentations:
                self.r.use(MODULE, "read", max(draft.start, 0), (None, number, (), VALUE))

    def _assign(self, path: Path, values: list[Path]) -> None:
        scope, head, steps, space = path
        if steps or scope is None or not isinstance(head, str):
            return
        binding = scope.find(head, space)
        if binding is None:
            return
        if binding.definition >= 0:
            draft = self.r.drafts[binding.definition]
            if not draft.is_annotated and draft.kind not in ("import", "class"):
                self.r.give(binding.definition, values)
        elif len(binding.values) < 6:
            binding.values += values
        else:
            binding.is_open = True

    # --- paths

    def resolved(self, path: Path) -> tuple[_Resolved, ...]:
        """Return what the path can be: bases with steps."""
        scope, head, steps, space = path
        if "prototype" in steps:
            steps = tuple(CALL if step == "prototype" else step for step in steps)  # what instances have
        if isinstance(head, int):
            return (self._instance(head, steps),)
        binding = scope.find(head, space) if scope is not None else None
        while binding is not None and binding.definition < 0 and space == TYPE and steps and steps[0] != CALL:
            scope = _above(scope, binding)  # a type parameter has no members: what it hides is meant
            binding = scope.find(head, space) if scope is not None else None
        if binding is None and scope is not None:
            binding = scope.find(head, VALUE if space == TYPE else TYPE)
        if binding is None and head in ("exports", "module"):
            return self._own_export(head, steps)
        if binding is None:
            return ((self.misplaced[head], steps),) if head in self.misplaced else ((UNSCOPED, (head, *steps)),)
        if binding.definition >= 0:
            return ((binding.definition, steps),)
        held = self._held(binding)
        if not steps:
            return held
        return tuple(_joined(base, before, steps) for base, before in held)

    def _own_export(self, head: str, steps: tuple[str, ...]) -> tuple[_Resolved, ...]:
        """`exports.a` in the file that exports `a` is that; the whole of `module.exports` is its default export."""
        rest = steps[1:] if head == "module" and steps[:1] == ("exports",) else steps if head == "exports" else None
        if rest is None:
            return ((UNSCOPED, (head, *steps)),)
        if self.own_exports is None:
            self.own_exports = {
                draft.name: number
                for number, draft in reversed([*enumerate(self.r.drafts)])
                if draft.parent == MODULE and "exported" in draft.flags
            }
        if rest and rest[0] in self.own_exports:
            return ((self.own_exports[rest[0]], rest[1:]),)
        if "default" in self.own_exports:
            return ((self.own_exports["default"], rest),)
        return ((UNSCOPED, (head, *steps)),)

    def _instance(self, head: int, steps: tuple[str, ...]) -> _Resolved:
        if steps[:1] == (_INSTANCE,):
            if head >= 0 and self.r.drafts[head].kind == "class":
                return (head, (CALL, *steps[1:]))
            return (UNKNOWN, steps[1:])
        return (head, steps)

    def _held(self, binding: Binding) -> tuple[_Resolved, ...]:
        """Return what a local can be."""
        if binding.resolved is None:
            if self.depth > _MAX_DEPTH:
                return ((UNKNOWN, ()),)
            binding.resolved = ((UNKNOWN, ()),)  # for a local that is given what it holds
            self.depth += 1
            found: dict[_Resolved, None] = {}
            for value in binding.values:
                for resolved in self.resolved(value):
                    found[resolved] = None
            self.depth -= 1
            if binding.is_open or not found:
                found[(UNKNOWN, ())] = None
            binding.resolved = tuple(found)[:8]
        return binding.resolved

    # --- uses

    def _uses(self) -> dict[_Key, int]:
        """Return every use with its first line."""
        found: dict[_Key, int] = {}
        get = found.get
        for owner, kind, start, path, argument in self.r.uses:
            scope, head, steps, space = path
            if scope is not None and not steps:
                at: Scope | None = scope
                binding = None
                while at is not None:
                    binding = at.names[space].get(head)  # type: ignore[arg-type]  # with a scope it is a name
                    if binding is not None:
                        break
                    at = at.parent
                if binding is not None:
                    if binding.definition >= 0:
                        key: _Key = (owner, kind, binding.definition, (), argument)
                        line = get(key)
                        if line is None or start < line:
                            found[key] = start
                    continue  # a local by itself is of no interest
            for base, all_steps in self.resolved(path):
                if (base < 0 or all_steps) and not self._counts(base, all_steps):
                    continue
                key = (owner, kind, base, all_steps, argument)
                line = get(key)
                if line is None or start < line:
                    found[key] = start
        return {key: self.r.line_at(start) for key, start in found.items()}

    def _counts(self, base: int, steps: tuple[str, ...]) -> bool:
        if base == UNKNOWN:
            return any(step not in (CALL, ELEMENT, COLLECTION, _ANY) for step in steps)
        if base == UNSCOPED:
            return steps[0] not in _SILENT_GLOBALS and _ANY not in steps
        if steps and steps[-1] == _ANY:
            draft = self.r.drafts[base]
            return draft.kind in _HAVE_MEMBERS or draft.is_literal
        return True

    def _settle_literals(self, uses: dict[_Key, int]) -> None:
        """A literal that is handed on as a whole may have any member used, and one of a declared type must have those of the type."""
        r = self.r
        handed = {
            base
            for (_, kind, base, steps, _) in uses
            if base >= 0 and kind not in ("write", "type_only") and (not steps or steps[0][:1] in "[~")
        }
        for number, draft in enumerate(r.drafts):
            is_asked = "exported" in draft.flags or number in handed or "escapes" in r.drafts[draft.parent].flags
            if draft.is_literal and (is_asked or draft.is_annotated):
                draft.flags.add("escapes")
        for number, draft in enumerate(r.drafts):
            if draft.parent >= 0 and "escapes" in r.drafts[draft.parent].flags and draft.kind in ("method", "property", "field"):
                uses.setdefault((draft.parent, "read", number, (), ""), draft.line)

    # --- definitions

    def _meanings(self, paths: list[Path], place: list[int]) -> list[_Resolved]:
        if not paths:
            return []
        found: dict[_Resolved, None] = {}
        for path in paths:
            for base, steps in self.resolved(path):
                if len(steps) <= _MAX_STEPS:
                    found[place[base] if base >= 0 else base, steps if base != UNKNOWN else ()] = None
        return list(found)[:8]

    def _define(self, draft: Draft, place: list[int], writer: TableWriter) -> None:
        writer.define(
            draft.name,
            draft.kind,
            place[draft.parent] if draft.parent >= 0 else -1,
            (draft.line, draft.end_line, draft.name_line),
            draft.flags,
            draft.parameters,
            self._meanings(draft.bases, place),
            self._meanings(draft.decorators, place),
            self._meanings(draft.values, place),
            draft.imported,
        )


def _joined(base: int, before: tuple[str, ...], steps: tuple[str, ...]) -> _Resolved:
    """Return the path of further steps from what a local holds; an element of a collection is what it was made of."""
    while before[-1:] == (COLLECTION,) and steps:
        if steps[0] != ELEMENT:
            return (UNKNOWN, steps[1:])  # a method of the collection, which is no part of the tree
        before, steps = before[:-1], steps[1:]
    joined = before + steps
    return (base, joined) if len(joined) <= _MAX_STEPS else (UNKNOWN, steps)


def _above(scope: Scope | None, binding: Binding) -> Scope | None:
    """Return the scope around the one that has the binding as a type."""
    while scope is not None and binding not in scope.names[TYPE].values():
        scope = scope.parent
    return scope.parent if scope is not None else None
