"""The body of a Python module: names it binds, its export list in every spelling, string constants, the main guard.

Only statements that run with the module are looked at, through `if`, `try`, `with`, loops and `match`, never into functions or classes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ce.extract.drafts import Facts, text_of
from ce.extract.languages.python_paths import read_paths
from ce.extract.parsing import Parsed
from ce.extract.patterns import pattern_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_module"]

_THROUGH = frozenset({
    "if_statement", "elif_clause", "else_clause", "try_statement", "except_clause", "except_group_clause", "finally_clause",
    "with_statement", "for_statement", "while_statement", "match_statement", "case_clause", "block", "expression_statement",
})  # fmt: skip
_TARGETS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "list_splat_pattern", "as_pattern_target"})
_LITERAL_LISTS = frozenset({"list", "tuple", "expression_list", "set"})
_MAIN_GUARD = re.compile(r"""^\(*\s*(?:__name__\s*==\s*["']__main__["']|["']__main__["']\s*==\s*__name__)""")
_SHEBANG = re.compile(rb"#!.*\bpython")
_STATEMENTS = frozenset({"assignment", "block", "module"})
_OWN_PATH = re.compile(rb"\b__path__\b")
_SCRIPT_METADATA = re.compile(rb"^# /// script\s*$", re.MULTILINE)  # PEP 723
_STATEMENT_HOLDERS = frozenset({"expression_statement", "block", "module"})
# Calls that prepare a module for its use; any other call as a statement of the body is work that running the file does.
_PREPARING = ("__all__.", "sys.path.", "warnings.", "logging.", "os.environ.")
_EXPORTS = "__all__"
_MENTION = re.compile(rb"__all__")


def read_module(parsed: Parsed, facts: Facts) -> None:
    """Add bindings, exports, constants, listed strings and the main guard to the facts."""
    assert parsed.tree is not None
    module = _Module(parsed, facts)
    if _SHEBANG.match(parsed.text):
        facts.extra["shebang"] = 1
    script = _SCRIPT_METADATA.search(parsed.text) if b"# /// script" in parsed.text else None
    if script is not None:
        facts.extra["script_metadata"] = parsed.text.count(b"\n", 0, script.start()) + 1
    stack = list(reversed(parsed.tree.root_node.named_children))
    while stack:
        node = stack.pop()
        kind = node.type
        if kind == "assignment":
            module.assignment(node)
        elif kind == "augmented_assignment":
            module.augmented(node)
        elif kind == "call":
            module.call(node)
        elif kind == "type_alias_statement":
            module.bind_target(node.child_by_field_name("left"), "type")
        elif kind in _THROUGH:
            module.opened(node)
            stack.extend(reversed(node.named_children))
    module.finish()


class _Module:
    def __init__(self, parsed: Parsed, facts: Facts) -> None:
        self.parsed = parsed
        self.facts = facts
        self.bound: set[str] = set()
        self.assigned: dict[str, Node] = {}  # module variables that are bound once
        self.export_mentions = 0

    def assignment(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None:
            return
        name = self._text(left) if left.type == "identifier" else ""
        while right is not None and right.type == "assignment":  # a = b = value
            self.bind_target(right.child_by_field_name("left"), "assign")
            right = right.child_by_field_name("right")
        if name == _EXPORTS:
            self.export_mentions += 1
            if right is not None:
                self._export(right)
        elif name and right is not None:
            self._constant(name, right)
            if name in self.bound:
                self.assigned.pop(name, None)
            else:
                self.assigned[name] = right
        if name in self.parsed.spec.lists and right is not None:
            self._list(right)
        self.bind_target(left, "assign" if right is not None else "annotation")

    def augmented(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None or left.type != "identifier":
            return
        name = self._text(left)
        self.facts.constants.pop(name, None)
        if name == _EXPORTS:
            self.export_mentions += 1
            operator = node.child_by_field_name("operator")
            if operator is not None and operator.type == "+=":
                self._export(right)
            else:
                self.facts.unreadable_exports = True
        elif name in self.parsed.spec.lists:
            self._list(right)

    def call(self, node: Node) -> None:
        """Read `__all__.extend([…])` and `__all__.append("…")`."""
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or arguments is None:
            return
        callee = self._text(function)
        if node.parent is not None and node.parent.type in _STATEMENT_HOLDERS and not callee.startswith(_PREPARING):
            self.facts.extra.setdefault("runs", node.start_point[0] + 1)
        given = [child for child in arguments.named_children if child.type != "comment"]
        if callee == f"{_EXPORTS}.extend" and len(given) == 1:
            self.export_mentions += 1
            self._export(given[0])
        elif callee == f"{_EXPORTS}.append" and len(given) == 1:
            self.export_mentions += 1
            self._export_one(given[0])

    def opened(self, node: Node) -> None:
        """Note what a compound statement itself binds, and the main guard."""
        kind = node.type
        if kind == "if_statement":
            condition = node.child_by_field_name("condition")
            if condition is not None and _MAIN_GUARD.match(self._text(condition)):
                self.facts.main_guard = True
        elif kind == "for_statement":
            self.bind_target(node.child_by_field_name("left"), "for")
        elif kind == "with_statement":
            for item in _below(node, "as_pattern_target", 64):
                self.bind_target(item, "with")

    def bind_target(self, target: Node | None, kind: str) -> None:
        """Bind every name of an assignment target."""
        stack = [target] if target is not None else []
        while stack:
            node = stack.pop()
            if node.type in _TARGETS or node.type == "type":
                stack.extend(reversed(node.named_children))
            elif node.type == "identifier":
                name = self._text(node)
                if kind != "assign" or name in self.bound:
                    self.facts.constants.pop(name, None)
                self.bound.add(name)
                self.facts.bindings.append((name, node.start_point[0] + 1, kind))

    def finish(self) -> None:
        """Note a module `__getattr__`, forget constants that something else binds too, and compare the export list with its mentions."""
        facts = self.facts
        for unit in facts.units:
            if unit.parent < 0:
                facts.constants.pop(unit.name, None)
                if unit.name == "__getattr__":
                    facts.extra["module_getattr"] = unit.start
        if facts.constants:
            for site in facts.sites:
                for _, local in site.names:
                    facts.constants.pop(local, None)
        if self.parsed.path.endswith("__init__.py"):
            self._own_directory()
        read_paths(self.parsed, facts, self.assigned)
        if self._mentions() > self.export_mentions:
            facts.unreadable_exports = True
        if facts.exports is not None:
            facts.exports = sorted(set(facts.exports))

    def _own_directory(self) -> None:
        """Note where a package hands on or looks through its own directory: it means any module in it."""
        assert self.parsed.tree is not None
        if b"__path__" not in self.parsed.text:
            return
        for match in _OWN_PATH.finditer(self.parsed.text):
            node = self.parsed.tree.root_node.descendant_for_byte_range(match.start(), match.end())
            statement = node
            while statement is not None and statement.type not in _STATEMENTS:
                statement = statement.parent
            left = statement.child_by_field_name("left") if statement is not None and statement.type == "assignment" else None
            # `__path__ = extend_path(__path__, __name__)` only makes room for other distributions.
            is_extended = left is not None and self._text(left) == "__path__"
            if node is not None and node.type == "identifier" and not is_extended:
                self.facts.dynamic.append((node.start_point[0] + 1, "own_directory", ".*"))

    def _constant(self, name: str, value: Node) -> None:
        kinds = self.parsed.spec.strings
        if name in self.bound or kinds is None or (value.type not in kinds.nodes and value.type not in kinds.concatenations):
            self.facts.constants.pop(name, None)
        else:
            self.facts.constants[name] = value

    def _export(self, value: Node) -> None:
        """Add the names of a literal list, or of several and the list so far joined by `+`; anything else makes the list unreadable."""
        if self.facts.exports is None:
            self.facts.exports = []
        stack = [value]
        while stack:
            node = stack.pop()
            operator = node.child_by_field_name("operator") if node.type == "binary_operator" else None
            if node.type in _LITERAL_LISTS:
                for child in node.named_children:
                    if child.type != "comment":
                        self._export_one(child)
            elif (operator is not None and operator.type == "+") or node.type == "parenthesized_expression":
                stack.extend(child for child in node.named_children if child.type != "comment")
            elif node.type == "identifier" and self._text(node) == _EXPORTS:
                self.export_mentions += 1
            else:
                self.facts.unreadable_exports = True

    def _export_one(self, value: Node) -> None:
        if self.facts.exports is None:
            self.facts.exports = []
        assert self.parsed.spec.strings is not None
        pattern = pattern_of(value, self.parsed.text, self.parsed.spec.strings, {})
        if pattern.is_literal:
            self.facts.exports.append(pattern.text)
        else:
            self.facts.unreadable_exports = True

    def _list(self, value: Node) -> None:
        """Keep the literal strings of a list of modules, however short they are."""
        kinds = self.parsed.spec.strings
        assert kinds is not None
        stack = [value]
        while stack:
            node = stack.pop()
            if node.type in kinds.nodes or node.type in kinds.concatenations:
                pattern = pattern_of(node, self.parsed.text, kinds, {})
                if pattern.is_literal and 0 < len(pattern.text) <= 200:
                    self.facts.strings.append((node.start_point[0] + 1, pattern.text))
            elif node.type in _LITERAL_LISTS or node.type in ("binary_operator", "parenthesized_expression"):
                stack.extend(node.named_children)

    def _mentions(self) -> int:
        """Return how often code spells the module's own `__all__`; comments, strings and other modules' lists do not count."""
        text = self.parsed.text
        assert self.parsed.tree is not None
        if _EXPORTS.encode() not in text:
            return 0
        count = 0
        for match in _MENTION.finditer(text):
            node = self.parsed.tree.root_node.descendant_for_byte_range(match.start(), match.end())
            if node is not None and node.type == "identifier" and not self._is_elsewhere(node):
                count += 1
        return count

    def _is_elsewhere(self, node: Node) -> bool:
        parent = node.parent
        if parent is None:
            return False
        if parent.type == "attribute":
            attribute = parent.child_by_field_name("attribute")
            return attribute is not None and attribute.id == node.id
        above = parent.parent
        return parent.type == "dotted_name" and above is not None and above.type == "aliased_import"

    def _text(self, node: Node) -> str:
        return text_of(self.parsed, node)


def _below(node: Node, kind: str, limit: int) -> list[Node]:
    """Return the nodes of a kind in the header of a statement, looking at no more than `limit` nodes."""
    found = []
    stack = [child for child in reversed(node.named_children) if child.type != "block"]
    while stack and limit:
        limit -= 1
        at = stack.pop()
        if at.type == kind:
            found.append(at)
        else:
            stack.extend(reversed(at.named_children))
    return found
