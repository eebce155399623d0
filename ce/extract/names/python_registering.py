"""Functions that hand their first argument to something that outlives the call: what they decorate is used by it.

`registry.append(f)`, `REGISTRY[name] = f` and `self.handler = f` do; `functools.wraps(f)`, `f()` and `return Wrapper(f)` do not: what
they give is returned, so only the name that it is bound to keeps it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ce.extract.names import python_kinds as k
from ce.extract.names.python_state import Draft, State

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["hands_on_first", "keeps_classes", "mark_keepers", "returns_registering"]

_STATEMENTS = k.BLOCK | k.kinds_of(
    "if_statement",
    "elif_clause",
    "else_clause",
    "for_statement",
    "while_statement",
    "try_statement",
    "except_clause",
    "finally_clause",
    "with_statement",
    "match_statement",
    "case_clause",
    "await",
)
_MADE = re.compile(rb"\b(\w+)\s*=\s*(?:super\([^)\n]*\)|type)\.__new__\(")
_WORD = re.compile(r"\w+")
_BEHIND = frozenset({b"", b",", b")", b"]", b"}", b"\n", b"\r", b" ", b"#"})  # what follows a value that is handed on
_BEFORE = frozenset({b"(", b",", b"=", b"[", b"{", b":"})
_MAX_BLANKS = 80  # bytes before a name that are looked at
_MAX_MENTIONS = 100
_MAX_CALLS = 3
_MAX_NODES = 2_000  # of one body that are looked at
_MAX_PARAMETERS = 4  # of a decorator
# Calls that look at a function, or make another of it.
_HARMLESS = frozenset({
    "wraps", "update_wrapper", "isinstance", "issubclass", "callable", "hasattr", "getattr", "setattr", "delattr", "iscoroutinefunction",
    "isgeneratorfunction", "isasyncgenfunction", "isfunction", "ismethod", "isclass", "signature", "getfullargspec", "getsource", "getdoc",
    "unwrap", "len", "str", "repr", "id", "type", "print", "property", "staticmethod", "classmethod", "partial", "cast", "vars", "dir",
    "bool", "hash", "format", "list", "tuple", "set", "dict", "iter", "sorted", "ismethoddescriptor", "get_type_hints", "debug", "info",
    "warning", "error", "log", "warn", "super", "copy", "deepcopy", "lru_cache", "cache", "contextmanager", "markcoroutinefunction",
    "iscoroutine", "isawaitable", "ensure_future", "join", "enumerate", "zip", "max", "min", "any", "all",
})  # fmt: skip


def hands_on_first(state: State, draft: Draft, body: Node) -> bool:
    """Tell whether the body of a function stores, passes on or keys its first parameter."""
    if not draft.parameters or draft.parameters[0].startswith("*"):
        return False
    if len(draft.parameters) > _MAX_PARAMETERS:
        return False
    name = draft.parameters[0]
    start, end = body.start_byte, body.end_byte
    text = state.text
    if not _is_handed(text, name.encode(), start, end):
        return False
    return _Search(state, name).run(body)


def _is_handed(text: bytes, name: bytes, start: int, end: int) -> bool:
    """Tell whether the name occurs as an argument, an element or a value, or a lambda could refer to it."""
    size = len(name)
    at = text.find(name, start, end)
    for _ in range(_MAX_MENTIONS):
        if at < 0:
            break
        behind = at + size
        if text[behind : behind + 1] in _BEHIND and text[max(start, at - _MAX_BLANKS) : at].rstrip()[-1:] in _BEFORE:
            return True
        at = text.find(name, behind, end)
    return text.find(b"lambda", start, end) >= 0


def keeps_classes(state: State, method: str, receiver: str, body: Node) -> bool:
    """Tell whether `__init_subclass__`, or the constructor of a metaclass, keeps the class that it is called for."""
    if method == "__new__":
        made = _MADE.search(state.text, body.start_byte, body.end_byte)
        return made is not None and _Search(state, made.group(1).decode("utf-8", "replace")).run(body)
    return _Search(state, receiver).run(body)


def mark_keepers(state: State) -> None:
    """Mark classes made by a metaclass of the file that keeps what it makes."""
    for draft in state.drafts:
        if draft.kind == "class" and draft.metaclasses:
            for scope, name, steps in draft.metaclasses:
                known = scope.defs.get(str(name), ()) if scope is not None and not steps else ()
                if any("registers" in state.drafts[number].flags for number in known):
                    draft.flags.add("registers")


class _Search:
    """Looks through the statements that run when the function is called. `names` are the parameter and what is made of it."""

    def __init__(self, state: State, name: str) -> None:
        self.state = state
        self.names = {name}
        self.depth = 0  # of calls as arguments of calls

    def run(self, body: Node) -> bool:
        """Tell whether a statement hands one of the names on."""
        stack = [body]
        for _ in range(_MAX_NODES):
            if not stack:
                return False
            node = stack.pop()
            kind = node.kind_id
            if kind in k.FUNCTION_LIKE or kind in (k.CLASS, k.DECORATED):
                self._closure(node)
            elif kind == k.ASSIGNMENT:
                if self._assigned(node):
                    return True
            elif kind == k.RETURN:
                call = next(iter(node.named_children), None)
                if call is not None and call.kind_id == k.CALL_NODE and self._is_passed(call) and self._keeps(call, True):
                    return True
            elif kind == k.CALL_NODE:  # a statement of its own: nothing below it is looked at
                if self._is_passed(node) and self._keeps(node, False):
                    return True
            elif kind in _STATEMENTS:
                stack += node.named_children[::-1]
        return False

    def _closure(self, node: Node) -> None:
        """A function inside that refers to one of the names stands for it."""
        text = self.state.slice(node)
        named = re.search(r"\bdef\s+(\w+)", text)
        if named is not None and self._refers(text):
            self.names.add(named.group(1))

    def _refers(self, text: str) -> bool:
        return not self.names.isdisjoint(_WORD.findall(text))

    def _is_one(self, node: Node) -> bool:
        if node.kind_id in k.SEQUENCES:
            return any(child.kind_id == k.IDENTIFIER and self._is_one(child) for child in node.named_children)
        if node.kind_id in k.LAMBDA:
            return self._refers(self.state.slice(node))
        if node.kind_id == k.CALL_NODE:  # what is made of one of them stands for it
            return self._is_passed(node)
        if node.kind_id in k.LAMBDA:  # and what remembers it
            text = self.state.slice(node)
            return not self.names.isdisjoint(_WORD.findall(text))
        return node.kind_id == k.IDENTIFIER and self.state.slice(node) in self.names

    def _is_passed(self, call: Node) -> bool:
        """Tell whether one of the names is an argument."""
        given = call.named_children[-1]
        if given.kind_id != k.ARGUMENTS:
            return False
        values = [child.named_children[-1] if child.kind_id == k.KEYWORD_ARGUMENT else child for child in given.named_children]
        inner = [value for value in values if value.kind_id == k.CALL_NODE]
        if any(value.kind_id != k.CALL_NODE and self._is_one(value) for value in values):
            return True
        return len(inner) == 1 and self.depth < _MAX_CALLS and self._is_passed_below(inner[0])

    def _is_passed_below(self, call: Node) -> bool:
        self.depth += 1
        is_passed = self._is_passed(call)
        self.depth -= 1
        return is_passed

    def _keeps(self, call: Node, is_returned: bool) -> bool:
        """Tell whether a call that gets one of the names can keep it. One whose result is returned keeps it only by the object it is of."""
        function = call.named_children[0]
        text = self.state.slice(function)
        base, _, method = text.rpartition(".")
        if (method or text) in _HARMLESS or text in self.names:
            return False
        if not is_returned:
            return True
        first = base.partition(".")[0].partition("(")[0]
        if not base or first in self.names:
            return False
        known = self.state.module.defs.get(first, ())
        return not any(self.state.drafts[number].kind == "import" for number in known)

    def _assigned(self, node: Node) -> bool:
        children = [child for child in node.named_children if child.kind_id != k.COMMENT]
        if len(children) < 2:
            return False
        target, value = children[0], children[-1]
        holds = self._is_one(value)
        if holds and value.kind_id == k.CALL_NODE and self._keeps(value, True):
            return True
        if target.kind_id == k.SUBSCRIPT and (holds or any(self._is_one(child) for child in target.named_children[1:])):
            return not self._is_one(target.named_children[0])
        if not holds:
            return False
        if target.kind_id == k.ATTRIBUTE:
            return self.state.slice(target).partition(".")[0] not in self.names
        if target.kind_id == k.IDENTIFIER:
            self.names.add(self.state.slice(target))
        return False


def returns_registering(state: State, values: list[list[int]]) -> bool:
    """Mark functions that return one that registers: what their result is called with is handed on, too.

    `values` gives for each definition the definitions that it returns as they are. Tells whether there was any.
    """
    marked = False
    changed = True
    while changed:
        changed = False
        for draft, returned in zip(state.drafts, values, strict=True):
            is_open = draft.kind in ("function", "method") and "registers" not in draft.flags
            if is_open and any("registers" in state.drafts[number].flags for number in returned):
                draft.flags.add("registers")
                marked = changed = True
    return marked
