"""The names of a Python file: definitions, uses resolved by the language's scoping, strings, exports.

One loop reads the tree without recursion: statements of a scope in order, bodies of functions and classes when the scope around them is
done. What is read is kept as paths from names; when all scopes are known, the names are resolved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ce.extract.names import python_kinds as k
from ce.extract.names.python_assignments import assignment, augmented, type_alias
from ce.extract.names.python_chains import read_chain
from ce.extract.names.python_control import if_statement, match_statement, try_statement, while_statement, with_statement
from ce.extract.names.python_declarations import class_definition, decorated, function_definition, lambda_expression, returned, yielded
from ce.extract.names.python_exports import called_exports
from ce.extract.names.python_finish import finished
from ce.extract.names.python_imports import future_import, import_from, import_names
from ce.extract.names.python_patterns import case_pattern
from ce.extract.names.python_state import Frame, State
from ce.extract.names.python_strings import read_own_names, read_string, read_type_comments
from ce.extract.names.python_targets import clause, comprehension, delete, except_clause, for_statement, hold, named, with_item
from ce.extract.names.python_texts import mention_doctests
from ce.extract.names.table import NamesTable
from ce.extract.parsing import Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_scopes", "table_of"]

_Handler = Callable[[State, "Node"], None]
_NO_STATEMENTS = frozenset({k.STRING, k.COMMENT})
_MOST_KINDS = 65_536  # the last number is that of a syntax error


def read_scopes(parsed: Parsed) -> State:
    """Return the scopes and the unresolved references of a Python file."""
    state = State(parsed.path, parsed.text)
    if parsed.tree is not None:
        _read(state, parsed.tree.root_node)
    return state


def table_of(parsed: Parsed) -> NamesTable:
    """Return the names of a Python file."""
    return finished(read_scopes(parsed))


def _block(state: State, node: Node) -> None:
    state.stack += [child for child in node.named_children[::-1] if child.kind_id not in _NO_STATEMENTS]


def _call(state: State, node: Node) -> None:
    if state.scope is not state.module or not called_exports(state, node):
        read_chain(state, node)


def _keyword_argument(state: State, node: Node) -> None:
    state.stack.append(node.named_children[-1])


def _global(state: State, node: Node) -> None:
    names = {state.slice(child) for child in node.named_children}
    state.scope.globals = {*state.scope.globals, *names}


def _nonlocal(state: State, node: Node) -> None:
    names = {state.slice(child) for child in node.named_children}
    state.scope.nonlocals = {*state.scope.nonlocals, *names}


def _as_pattern(state: State, node: Node) -> None:
    """`except E as e` and `with` items."""
    with_item(state, node)


def _skip(state: State, node: Node) -> None:
    pass


def _function(state: State, node: Node) -> None:
    function_definition(state, node)


def _class(state: State, node: Node) -> None:
    class_definition(state, node)


def _handlers() -> list[_Handler | None]:
    table: list[tuple[tuple[str, ...], _Handler]] = [
        (("identifier", "attribute", "subscript"), read_chain),
        (("call",), _call),
        (("string",), read_string),
        (("block", "module"), _block),
        (("keyword_argument",), _keyword_argument),
        (("assignment",), assignment),
        (("augmented_assignment",), augmented),
        (("named_expression",), named),
        (("function_definition",), _function),
        (("class_definition",), _class),
        (("decorated_definition",), decorated),
        (("lambda",), lambda_expression),
        (("list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"), comprehension),
        (("for_in_clause",), clause),
        (("for_statement",), for_statement),
        (("as_pattern",), _as_pattern),
        (("except_clause",), except_clause),
        (("delete_statement",), delete),
        (("return_statement",), returned),
        (("yield",), yielded),
        (("global_statement",), _global),
        (("nonlocal_statement",), _nonlocal),
        (("import_statement",), import_names),
        (("import_from_statement",), import_from),
        (("future_import_statement",), future_import),
        (("if_statement",), if_statement),
        (("elif_clause",), if_statement),
        (("while_statement",), while_statement),
        (("try_statement",), try_statement),
        (("with_statement",), with_statement),
        (("match_statement",), match_statement),
        (("case_pattern",), case_pattern),
        (("type_alias_statement",), type_alias),
        (("comment", "integer", "float", "true", "false", "none", "ellipsis", "pass_statement", "break_statement", "continue_statement"),
         _skip),
    ]  # fmt: skip
    found: list[_Handler | None] = [None] * _MOST_KINDS
    for names, handler in table:
        for number in k.kinds_of(*names):
            found[number] = handler
    return found


_HANDLERS = _handlers()


def _read(state: State, root: Node) -> None:
    state.has_noqa = any(word in state.text for word in (b"noqa", b"NOQA", b"reportUnusedImport", b"unused-import", b"W0611"))
    waiting, handlers = [Frame([root], state.module, 0, 0, 0)], _HANDLERS
    while waiting:
        frame = waiting.pop()
        state.frames = []
        state.scope, state.owner = frame.scope, frame.owner
        state.type_end, state.dead_end = frame.type_end, frame.dead_end
        state.special_end = max(frame.type_end, frame.dead_end)
        state.conditional_end = state.expected_end = 0
        stack = state.stack = frame.nodes
        while stack:
            node = stack.pop()
            handler = handlers[node.kind_id]
            if handler is None:
                stack += node.named_children[::-1]
            elif handler is not _skip:
                handler(state, node)
        for container, values in state.held:
            hold(state, container, values)
        state.held.clear()
        waiting += reversed(state.frames)
    if b"__name__" in state.text:
        read_own_names(state)
    if b">>> " in state.text:
        mention_doctests(state)
    if b"# type:" in state.text:
        read_type_comments(state)
