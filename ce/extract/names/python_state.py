"""What is known while a Python file is read: scopes with what they bind, definitions that can still change, references not yet resolved.

A reference is resolved when the whole file has been read, because a name may be bound below its use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.names.model import CALL, MODULE, UNKNOWN, UNSCOPED, ImportedName

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "CLASS_SCOPE",
    "COMPREHENSION_SCOPE",
    "FUNCTION_SCOPE",
    "LITERAL",
    "LITERAL_BASE",
    "MODULE_SCOPE",
    "TYPE_SCOPE",
    "UNKNOWN_RAW",
    "Draft",
    "Frame",
    "Raw",
    "Scope",
    "State",
    "instance_of",
]

MODULE_SCOPE, CLASS_SCOPE, FUNCTION_SCOPE, COMPREHENSION_SCOPE, TYPE_SCOPE = range(5)
LITERAL_BASE = -3  # base of a path that starts at a value of a built-in type

# A path before resolution: the scope and the name in it that it starts at, or None and the base that is known already.
Raw = tuple["Scope | None", "str | int", tuple[str, ...]]
UNKNOWN_RAW: Raw = (None, UNKNOWN, ())
LITERAL: Raw = (None, LITERAL_BASE, ())  # `None`, and whatever has no members that matter


def instance_of(builtin: str) -> Raw:
    """Return the path of a value of a built-in type."""
    return (None, UNSCOPED, (builtin, CALL))


_MAX_VALUES = 6  # of one name; with more it could be anything


class Scope:
    """Names of one scope: `defs` those that are definitions of the file, `values` what is known of the others (and of these, too).

    `owner` is the definition in whose body the scope is. `globals` and `nonlocals` are names that statements hand to other scopes.
    """

    __slots__ = ("cls", "defs", "globals", "kind", "known", "nonlocals", "owner", "parent", "start", "values")

    def __init__(self, kind: int, parent: Scope | None, owner: int, cls: int = -1, start: int = 0) -> None:
        self.kind = kind
        self.start = start  # first byte of what opens it
        self.parent = parent
        self.owner = owner
        self.cls = cls  # the class whose methods stand here, for `super()`
        self.defs: dict[str, list[int]] = {}
        self.values: dict[str, list[Raw]] = {}
        self.known: dict[str, tuple[list[tuple[int, tuple[str, ...]]], bool]] = {}  # what names read here turned out to stand for
        self.globals: set[str] | tuple[()] = ()
        self.nonlocals: set[str] | tuple[()] = ()

    def binds(self, name: str) -> bool:
        """Tell whether the name is bound in this scope itself."""
        return name in self.values or name in self.defs


class Draft:
    """A definition that can still change; places are byte offsets."""

    __slots__ = (
        "bases", "decorators", "end", "flags", "imported", "kind", "metaclasses", "name", "name_start", "parameters", "parent", "start",
        "values",
    )  # fmt: skip

    def __init__(self, name: str, kind: str, parent: int, start: int, end: int, name_start: int) -> None:
        self.name = name
        self.kind = kind
        self.parent = parent
        self.start = start
        self.end = end
        self.name_start = name_start
        self.flags: set[str] = set()
        self.parameters: list[str] = []
        self.bases: list[Raw] = []
        self.decorators: list[Raw] = []
        self.metaclasses: list[Raw] | tuple[()] = ()
        self.values: list[Raw] = []
        self.imported: ImportedName | None = None


class Frame:
    """Nodes still to be read, the next one last, with the scope and the definition that they stand in."""

    __slots__ = ("dead_end", "nodes", "owner", "scope", "type_end")

    def __init__(self, nodes: list[Node], scope: Scope, owner: int, type_end: int, dead_end: int) -> None:
        self.nodes = nodes
        self.scope = scope
        self.owner = owner
        self.type_end = type_end
        self.dead_end = dead_end


class State:
    """The reading of one file. Offsets named `…_end` say up to where the text is under such a condition."""

    def __init__(self, path: str, text: bytes) -> None:
        self.path = path
        self.text = text
        self.source = text.decode("latin-1")  # a character for each byte: slices that are ASCII are the text itself
        self.is_stub = path.endswith(".pyi")
        self.drafts = [Draft("", "module", -1, 0, len(text), 0)]
        self.module = Scope(MODULE_SCOPE, None, MODULE)
        self.scope = self.module
        self.owner = MODULE
        self.frames: list[Frame] = []
        self.stack: list[Node] = []
        # scope (or None), name (or base), steps, owner, kind, argument -> first byte
        self.refs: dict[tuple[Scope | None, str | int, tuple[str, ...], int, str, str], int] = {}
        self.attributes: list[tuple[Raw, str, int, list[Raw], int, int]] = []  # receiver, name, owner, values, start, end
        self.strings: dict[tuple[int, str], int] = {}
        self.mentions: dict[tuple[int, str], int] = {}  # what other texts spell, by owner
        self.opaque: list[tuple[int, str, str]] = []
        self.star_imports: list[tuple[int, ImportedName]] = []
        self.exports: set[str] = set()
        self.has_exports = False
        self.has_unreadable_exports = False
        self.future_annotations = False
        self.type_end = 0
        self.dead_end = 0
        self.special_end = 0  # the later of the two
        self.conditional_end = 0
        self.expected_end = 0  # what is declared here is declared for what that does: `with raises(…):`
        self.statement = (0, 0)
        self.is_clause = False  # what is bound now belongs to the comprehension itself
        self.has_noqa = False
        self.class_scopes: dict[int, Scope] = {}
        # names that run over constant strings
        self.loop_texts: dict[tuple[Scope, str], tuple[str, ...]] = {}
        self.keyed: list[tuple[Scope | None, str | int, tuple[str, ...], str, int, int]] = []  # path, key in brackets, owner, place
        self.held: list[tuple[Node, list[Raw]]] = []  # collections of the current scope, and what is put into them
        self.constants: dict[str, Node] = {}  # names of the module that are bound to a constant string
        self.module_imports: dict[int, int] = {}  # byte of `import_module(…)` -> definition
        self.computed_writes: list[tuple[Scope, int, Node, tuple[str, ...]]] = []  # of `setattr`: receiver and name

    def slice(self, node: Node) -> str:
        """Return the text of a node."""
        text = self.source[node.start_byte : node.end_byte]
        return text if text.isascii() else text.encode("latin-1").decode("utf-8", "replace")

    def ref(self, raw: Raw, kind: str, start: int, argument: str = "") -> None:
        """Note a reference of the current owner, unless the text is never run."""
        if start < self.special_end:
            if start < self.dead_end:
                return
            if start < self.type_end:
                kind = "type_only"
        scope, name, steps = raw
        self.refs.setdefault((scope, name, steps, self.owner, kind, argument), start)

    def push(self, nodes: list[Node], scope: Scope, owner: int) -> None:
        """Leave nodes for later, to be read in another scope or for another owner."""
        self.frames.append(Frame(nodes, scope, owner, self.type_end, self.dead_end))

    def define(self, name: str, kind: str, start: int, end: int, name_start: int, scope: Scope | None = None) -> int:
        """Add a definition to the scope and return its number."""
        scope = scope or self.scope
        number = len(self.drafts)
        draft = Draft(name, kind, scope.owner, start, end, name_start)
        flags = draft.flags
        if start < self.conditional_end or start < self.dead_end:
            flags.add("conditional")
        if scope.kind == FUNCTION_SCOPE or "local" in self.drafts[scope.owner].flags:
            flags.add("local")
        if name[:1] == "_":
            if name[:2] == "__" and (name[-2:] == "__" or name == "__unittest"):
                flags.add("protocol")
            else:
                flags.add("private")
        if start < self.expected_end and scope.kind == FUNCTION_SCOPE:
            self.refs.setdefault((None, number, (), scope.owner, "read", ""), start)
        self.drafts.append(draft)
        scope.defs.setdefault(name, []).append(number)
        return number

    def binding_scope(self, name: str) -> Scope:
        """Return the scope that an assignment here binds the name in."""
        scope = self.scope
        if self.is_clause:
            return scope
        while scope.kind >= COMPREHENSION_SCOPE and scope.parent is not None:
            scope = scope.parent  # only `:=` gets here: it binds outside of comprehensions
        if name in scope.globals:
            return self.module
        if name in scope.nonlocals:
            outer = scope.parent
            while outer is not None:
                if outer.kind == FUNCTION_SCOPE and outer.binds(name):
                    return outer
                outer = outer.parent
        return scope

    def bind_local(self, name: str, values: list[Raw], scope: Scope | None = None) -> None:
        """Bind a name that is no definition of its own."""
        scope = scope or self.binding_scope(name)
        known = scope.values.setdefault(name, [])
        for value in values:
            if value not in known:
                known.append(UNKNOWN_RAW if len(known) == _MAX_VALUES else value)
                if len(known) > _MAX_VALUES:
                    break

    def add_values(self, number: int, values: list[Raw]) -> None:
        """Say what else a definition can be, or what calling it can give."""
        known = self.drafts[number].values
        for value in values:
            if value not in known:
                if len(known) >= _MAX_VALUES:
                    if UNKNOWN_RAW not in known:
                        known.append(UNKNOWN_RAW)
                    break
                known.append(value)

    def instance(self, number: int) -> Raw:
        """Return the path of an instance of a class."""
        return (None, number, (CALL,))
