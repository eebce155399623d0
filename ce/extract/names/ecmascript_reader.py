"""What is noted while a TypeScript or JavaScript file is walked, and the stack of nodes that are still to be looked at."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import TYPE_CHECKING

from ce.extract.names.ecmascript_grammar import numbers_of
from ce.extract.names.ecmascript_scopes import NOTHING, TYPE, VALUE, Binding, Draft, Frame, Path, Scope, definite
from ce.extract.names.model import MODULE, UNKNOWN, ImportedName
from ce.extract.parsing import Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["MAX_STEPS", "Handler", "Reader"]

MAX_STEPS = 24  # of one path; what is further from the base counts as a member of something unknown
MAX_VALUES = 6  # that one name is followed to
_MAX_STRING = 120
_SPELLS = re.compile(rb"[A-Za-z_$][\w$]*(?:[.:/#][A-Za-z_$][\w$]*)*")
_MAX_STRINGS = 5_000
_TEXTS = frozenset({"string", "template_string"})
_HOLD_VALUES = frozenset({"variable", "constant", "export", "property", "field", "import"})

Handler = Callable[["Reader", "Node", Frame], None]


class Reader:
    """The state of one walk.

    `stack` holds what is still to be looked at. `hints` says what the first parameter of a function given to a call is, by the number of
    its node. `assigned` are the values that names are given after their declaration.
    """

    def __init__(self, parsed: Parsed, handlers: tuple[Handler | None, ...]) -> None:
        self.parsed = parsed
        self.data = parsed.text
        numbers = numbers_of(parsed.spec.grammar)
        self.kinds = numbers.names
        self.fields = numbers.field
        self.handlers = handlers
        self.stack: list[tuple[Handler, Node, Frame]] = []
        self.drafts: list[Draft] = []
        self.uses: list[tuple[int, str, int, Path, str]] = []
        self.assigned: list[tuple[Path, list[Path]]] = []
        self.strings: list[tuple[int, int, bytes]] = []
        self.opaque: list[tuple[int, str, str]] = []
        self.stars: list[ImportedName] = []
        self.exports: list[tuple[Path, int]] = []  # names of the file that are exported as they are
        self.hints: dict[int, tuple[int, list[Path]]] = {}
        self.namespaces: dict[int, Scope] = {}
        self.members: dict[tuple[int, str], int] = {}  # of classes and literals, by their names
        self.inline: dict[tuple[int, str, int], int] = {}
        self.augmentations: set[int] = set()  # quoted modules and `global`
        self.constructors: set[int] = set()  # functions that are classes by what is done with them
        self.has_elements = False
        self.has_types_in_comments = parsed.spec.grammar == "javascript"
        self.has_unreadable_exports = False
        self.depth = 0
        self._texts: dict[bytes, str] = {}
        self.starts = [0, *accumulate(len(line) + 1 for line in parsed.text.split(b"\n"))]  # of the lines
        root = Scope(None, is_function=True)
        lines = parsed.text.count(b"\n") + (not parsed.text.endswith(b"\n"))
        self.drafts.append(Draft("", "module", -1, -1, 1, max(1, lines), 1))
        self.module = Frame(root, MODULE, MODULE, MODULE)

    # --- nodes

    def text(self, node: Node) -> str:
        """Return the text of a short node."""
        raw = self.data[node.start_byte : node.end_byte]
        found = self._texts.get(raw)
        if found is None:
            found = self._texts[raw] = raw.decode("utf-8", "replace")
        return found

    def line_at(self, offset: int) -> int:
        """Return the line of a byte."""
        return bisect_right(self.starts, offset)

    def push(self, node: Node, frame: Frame) -> None:
        """Look at the node later."""
        handler = self.handlers[node.kind_id]
        if handler is not None:
            self.stack.append((handler, node, frame))

    def push_all(self, nodes: Iterable[Node], frame: Frame) -> None:
        """Look at the nodes later, the first one first."""
        handlers = self.handlers
        self.stack += [(handler, node, frame) for node in nodes if (handler := handlers[node.kind_id]) is not None][::-1]

    def parts(self, node: Node, frame: Frame) -> list[Node]:
        """Return the children that are code; comments, which may name types, are looked at later."""
        kinds = self.kinds
        children = node.named_children
        if any(kinds[child.kind_id] == "comment" for child in children):
            self.push_all([child for child in children if kinds[child.kind_id] == "comment"], frame)
            return [child for child in children if kinds[child.kind_id] != "comment"]
        return children

    def field(self, node: Node, name: str) -> Node | None:
        """Return the child in a field, also of a grammar that has no such field."""
        number = self.fields.get(name)
        return node.child_by_field_id(number) if number else None

    def constant(self, node: Node | None) -> str | None:
        """Return the text of a plain string, None of anything else."""
        kinds = self.kinds
        if node is None or kinds[node.kind_id] not in _TEXTS:
            return None
        parts = node.named_children
        if not parts:
            return ""
        if len(parts) > 1 or kinds[parts[0].kind_id] != "string_fragment":
            return self._pieces(parts)
        return self.text(parts[0])

    def _pieces(self, parts: list[Node]) -> str | None:
        """Return a string with escapes as it is written."""
        if any(self.kinds[part.kind_id] not in ("string_fragment", "escape_sequence") for part in parts):
            return None
        return self.data[parts[0].start_byte : parts[-1].end_byte].decode("utf-8", "replace")

    def unwrapped(self, node: Node) -> Node:
        """Return the expression inside parentheses and assertions that change nothing."""
        for _ in range(8):
            kind = self.kinds[node.kind_id]
            if kind not in ("parenthesized_expression", "satisfies_expression", "as_expression") or not node.named_children:
                break
            if kind != "parenthesized_expression" and (kind == "as_expression") != (len(node.named_children) == 1):
                break
            node = node.named_children[0]
        return node

    # --- notes

    def use(self, owner: int, kind: str, start: int, path: Path, argument: str = "") -> None:
        """Note a reference; names far from the base count as members of something unknown."""
        steps = path[2]
        if len(steps) > MAX_STEPS:
            for at in range(MAX_STEPS, len(steps), MAX_STEPS):
                self.uses.append((owner, "read", start, (None, UNKNOWN, steps[at : at + MAX_STEPS], VALUE), ""))
            path = (path[0], path[1], steps[:MAX_STEPS], path[3])
        self.uses.append((owner, kind, start, path, argument))

    def string(self, node: Node, owner: int, raw: bytes) -> None:
        """Note a constant text that could spell a name."""
        if len(raw) <= _MAX_STRING and _SPELLS.fullmatch(raw) and len(self.strings) < _MAX_STRINGS:
            self.strings.append((node.start_byte, owner, raw))

    def define(self, frame: Frame, name: str, kind: str, node: Node, name_node: Node | None, parent: int | None = None) -> int:
        """Add a definition that the node declares and return its number."""
        start, line_at = node.start_byte, self.line_at
        first = line_at(start)
        draft = Draft(
            name,
            kind,
            frame.owner if parent is None else parent,
            start,
            first,
            max(first, line_at(node.end_byte - 1)),
            first if name_node is None else line_at(name_node.start_byte),
            set(frame.flags),
        )
        if frame.is_exporting:
            draft.flags.add("exported")
        self.drafts.append(draft)
        return len(self.drafts) - 1

    def bind(self, scope: Scope, name: str, number: int, spaces: tuple[int, ...]) -> None:
        """Let the name stand for a definition; a second declaration of the same thing goes with the first."""
        for space in spaces:
            names = scope.names[space]
            found = names.get(name)
            if found is None or found.definition < 0:
                names[name] = Binding(number)
            elif found.definition != number and number not in found.more:
                found.more.append(number)
                self.use(found.definition, "type_only" if space == TYPE else "read", self.drafts[number].start, definite(number))

    def primary(self, scope: Scope, name: str, number: int, spaces: tuple[int, ...]) -> int:
        """Return the first declaration of what the definition declares, which has the members of all."""
        for space in spaces:
            found = scope.names[space].get(name)
            if found is not None and found.definition >= 0:
                return found.definition
        return number

    def local(self, scope: Scope, name: str, values: list[Path], space: int = VALUE, *, is_open: bool = False) -> None:
        """Let the name stand for a local of which the values are known as far as given."""
        names = scope.names[space]
        found = names.get(name)
        if found is None:
            names[name] = Binding(-1, values[:MAX_VALUES], is_open=is_open or len(values) > MAX_VALUES)
        elif found.definition < 0 and len(found.values) < MAX_VALUES:
            found.values += values[:MAX_VALUES]
            found.is_open = found.is_open or is_open

    def inline_import(self, spec: str, node: Node, frame: Frame, *, is_type: bool = False) -> Path:
        """Return the path of a module that is named where it is used: `require("./m").run()`."""
        line = self.line_at(node.start_byte)
        holder = frame.owner
        while self.drafts[holder].kind in _HOLD_VALUES:
            holder = self.drafts[holder].parent
        key = (holder, spec, line)
        number = self.inline.get(key)
        if number is None:
            number = self.define(frame, f'import("{spec}")', "import", node, None, holder)
            self.inline[key] = number
            self.drafts[number].imported = ImportedName(spec, line)
            if is_type:
                self.drafts[number].flags.add("type_import")
            if frame.container < 0:
                self.drafts[number].flags.add("local")
        return definite(number)

    def give(self, number: int, values: list[Path]) -> None:
        """Add to the values of a definition."""
        held = self.drafts[number].values
        if len(held) < MAX_VALUES:
            held += values[: MAX_VALUES - len(held)]
        elif values and NOTHING not in held:
            held.append(NOTHING)
