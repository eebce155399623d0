"""Which scope binds a name: what the standard library's compiler says of its own modules is the oracle."""

from __future__ import annotations

import symtable
import sysconfig
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from ce.extract.languages import language_spec
from ce.extract.names.python import read_scopes
from ce.extract.names.python_resolve import binding_scope
from ce.extract.names.python_state import CLASS_SCOPE, COMPREHENSION_SCOPE, FUNCTION_SCOPE, MODULE_SCOPE, Scope, State
from ce.extract.parsing import Parsed, parse

_EVERY = 8  # of the modules of the standard library that are compared
_MODULE = ("module", "", 0)

Place = tuple[str, str, int]  # what opens the scope, its name, its line


def _modules() -> list[Path]:
    library = Path(sysconfig.get_path("stdlib"))
    return sorted(path for path in library.rglob("*.py") if not {"site-packages", "lib2to3"} & set(path.parts))[::_EVERY]


def _read(path: str, text: bytes) -> State:
    parsed = parse(path, language_spec("python"), text)
    assert isinstance(parsed, Parsed)
    return read_scopes(parsed)


def _our_scopes(state: State) -> dict[Place, list[Scope]]:
    found: dict[int, Scope] = {id(scope): scope for scope in state.class_scopes.values()}
    for key in state.refs:
        scope = key[0]
        while scope is not None:
            found[id(scope)] = scope
            scope = scope.parent
    places = defaultdict(list)
    for scope in found.values():
        place = _our_place(state, scope)
        if place is not None:
            places[place].append(scope)
    return places


def _our_place(state: State, scope: Scope) -> Place | None:
    line = state.text.count(b"\n", 0, scope.start) + 1
    name = state.drafts[scope.owner].name
    if scope.kind == MODULE_SCOPE:
        return _MODULE
    if scope.kind == CLASS_SCOPE:
        return "class", name, line
    if scope.kind == COMPREHENSION_SCOPE:
        return "function", "comprehension", line
    if scope.kind == FUNCTION_SCOPE:
        return "function", "lambda" if state.text.startswith(b"lambda", scope.start) else name, line
    return None


def _their_scopes(top: symtable.SymbolTable) -> Iterator[tuple[Place, symtable.SymbolTable, list[symtable.SymbolTable]]]:
    stack: list[tuple[symtable.SymbolTable, list[symtable.SymbolTable]]] = [(top, [])]
    while stack:
        table, around = stack.pop()
        kind, name = str(table.get_type()), table.get_name()
        if kind in ("module", "class", "function"):
            name = "comprehension" if name in ("listcomp", "setcomp", "dictcomp", "genexpr") else name
            yield (_MODULE if kind == "module" else (kind, name, table.get_lineno())), table, around
        stack += [(child, [*around, table]) for child in table.get_children()]


def _expected(symbol: symtable.Symbol, place: Place, around: list[symtable.SymbolTable]) -> Place | None:
    """Return the place of the scope that binds a symbol; the module stands for built-in names, too."""
    if place == _MODULE or symbol.is_global():
        return _MODULE
    if symbol.is_local():
        return place
    for table in reversed(around):
        if table.get_type() == "function" and symbol.get_name() in table.get_identifiers():
            outer = table.lookup(symbol.get_name())
            if outer.is_local():
                return "function", "", table.get_lineno()
    return None


def _differences(path: Path) -> tuple[int, list[str]]:
    """Return how many reads were compared, and those that differ. Scopes that share kind, name and line are left out."""
    text = path.read_bytes()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            top = symtable.symtable(text.decode("utf-8"), str(path), "exec")
    except (SyntaxError, ValueError):
        return 0, []
    state = _read(str(path), text)
    never_run = b"if 0:" in text or b"if False:" in text
    ours = _our_scopes(state)
    theirs = defaultdict(list)
    for place, table, around in _their_scopes(top):
        theirs[place].append((table, around))
    compared, differences = 0, []
    read = {(key[0], key[1]) for key in state.refs}
    for place, tables in theirs.items():
        scopes = ours.get(place, [])
        if len(tables) > 1 or len(scopes) != 1 or place[1] == "top":  # the compiler's name for modules
            continue
        (table, around), scope = tables[0], scopes[0]
        for symbol in table.get_symbols():
            name = symbol.get_name()
            if not symbol.is_referenced() or "__" in name or name.startswith("."):
                continue  # names of classes are mangled, `__class__` and `.0` are the compiler's own
            compared += 1
            at = binding_scope(scope, name, state.module)
            found = _MODULE if at is None else _our_place(state, at)
            expected = _expected(symbol, place, around)
            if expected is not None and (found is None or (found[0], found[2]) != (expected[0], expected[2])):
                differences.append(f"{path}:{place}: `{name}` is bound in {expected}, not {found}")
            if (scope, name) not in read and not never_run:
                differences.append(f"{path}:{place}: `{name}` is read")
    return compared, differences


def test_every_name_that_the_compiler_resolves_is_bound_in_the_same_scope() -> None:
    compared, differences = 0, []
    for path in _modules():
        count, found = _differences(path)
        compared += count
        differences += found
    assert compared > 10_000
    assert differences == []


@pytest.mark.parametrize(
    ("source", "name", "expected"),
    [
        ("def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2\n        return x\n", "x", ("function", "f", 1)),
        ("x = 1\nclass A:\n    x = 2\n    def m(self):\n        return x\n", "x", _MODULE),
        ("def f():\n    global y\n    y = 1\n    return y\n", "y", _MODULE),
        ("def f(items):\n    if any((found := i) for i in items):\n        return found\n", "found", ("function", "f", 1)),
        ("def f[T](a: T) -> T:\n    return a\n", "a", ("function", "f", 1)),
    ],
)
def test_a_name_is_bound_where_the_language_says(source: str, name: str, expected: Place) -> None:
    state = _read("m.py", source.encode())
    scopes = [key[0] for key in state.refs if key[1] == name and key[0] is not None]
    innermost = max(scopes, key=lambda scope: scope.start)
    at = binding_scope(innermost, name, state.module)
    assert at is not None
    assert _our_place(state, at) == expected
