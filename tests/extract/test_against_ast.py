"""The standard library's own parser as an oracle: on real modules both must see the same functions, imports, exports and bindings."""

from __future__ import annotations

import ast
import sysconfig
from collections import Counter
from pathlib import Path

import pytest

from ce.facts.records import Extraction, Unit
from ce.source.text import decode
from tests.fakes.whole_extraction import whole_extraction

LIBRARY = Path(sysconfig.get_path("stdlib"))
PACKAGES = (
    "asyncio",
    "collections",
    "concurrent",
    "ctypes",
    "email",
    "encodings",
    "html",
    "http",
    "importlib",
    "json",
    "logging",
    "unittest",
    "xml",
)
MODULES = sorted([*LIBRARY.glob("[a-z]*.py"), *(file for package in PACKAGES for file in (LIBRARY / package).rglob("*.py"))])[::3]


@pytest.mark.parametrize("part", range(8))
def test_real_modules_have_the_functions_imports_and_exports_that_python_sees(part: int) -> None:
    assert len(MODULES) > 80
    wrong = []
    for path in MODULES[part::8]:
        extraction = whole_extraction(path.name, path.read_bytes())
        if extraction.problems:  # newer syntax than the grammar's
            continue
        tree = ast.parse(path.read_bytes())
        wrong += [f"{path.name}: {difference}" for difference in differences(extraction, tree, decode(path.read_bytes()).text_bytes)]
    assert wrong == []


def differences(extraction: Extraction, tree: ast.Module, source: bytes) -> list[str]:
    """Return what the two see differently."""
    found = []
    lines = source.split(b"\n")
    for what, ours, theirs in (
        ("units", units_of(extraction, lines), units_seen(tree)),
        ("imports", imports_of(extraction), imports_seen(tree)),
        ("calls", calls_of(extraction), calls_seen(tree)),
    ):
        found += [f"{what}: only we see {item}" for item in ours - theirs]
        found += [f"{what}: only python sees {item}" for item in theirs - ours]
    return found


def last_line(unit: Unit, lines: list[bytes]) -> int:
    """Return the last line of a unit without the comments at its end, which to Python's parser are nowhere."""
    line = unit.end
    while line > unit.start and (not lines[line - 1].strip() or lines[line - 1].lstrip().startswith(b"#")):
        line -= 1
    return line


def units_of(extraction: Extraction, lines: list[bytes]) -> Counter[tuple[object, ...]]:
    found: Counter[tuple[object, ...]] = Counter()
    for unit in extraction.units:
        parent = extraction.units[unit.parent].name if unit.parent >= 0 else ""
        found[unit.key, unit.start, last_line(unit, lines), len(unit.decorators), parent] += 1
    return found


def units_seen(tree: ast.Module) -> Counter[tuple[object, ...]]:
    found: Counter[tuple[object, ...]] = Counter()
    stack: list[tuple[ast.AST, str]] = [(tree, "")]
    while stack:
        node, parent = stack.pop()
        inner = parent
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found[f"{node.name}/{arity(node.args)}", node.lineno, node.end_lineno, len(node.decorator_list), parent] += 1
            inner = node.name
        elif isinstance(node, ast.ClassDef):
            found[node.name, node.lineno, node.end_lineno, len(node.decorator_list), parent] += 1
            inner = node.name
        stack += [(child, parent if child in getattr(node, "decorator_list", ()) else inner) for child in ast.iter_child_nodes(node)]
    return found


def arity(arguments: ast.arguments) -> int:
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return len(named) + (arguments.vararg is not None) + (arguments.kwarg is not None)


def imports_of(extraction: Extraction) -> Counter[tuple[object, ...]]:
    return Counter(
        (site.line, site.spec, name, local) for site in extraction.sites if site.kind != "dynamic_import" for name, local in site.names
    )


def imports_seen(tree: ast.Module) -> Counter[tuple[object, ...]]:
    found: Counter[tuple[object, ...]] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update((node.lineno, alias.name, alias.name, alias.asname or alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            spec = "." * node.level + (node.module or "")
            found.update((node.lineno, spec, alias.name, alias.asname or alias.name) for alias in node.names)
    return found


def calls_of(extraction: Extraction) -> Counter[tuple[object, ...]]:
    """Return the last names of what is called in functions and classes, each once: of `(a).b()` we keep no more."""
    called = [callee for unit in extraction.units for callee, _ in unit.calls]
    return Counter({(callee.rpartition(".")[2],): 1 for callee in called})


def calls_seen(tree: ast.Module) -> Counter[tuple[object, ...]]:
    units = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]
    parts = [child for unit in units for child in ast.iter_child_nodes(unit) if child not in unit.decorator_list]
    inside = [node for part in parts for node in ast.walk(part)]
    callees = [node.func for node in inside if isinstance(node, ast.Call)]
    names = [node.attr if isinstance(node, ast.Attribute) else node.id for node in callees if isinstance(node, (ast.Attribute, ast.Name))]
    return Counter({(name,): 1 for name in names})
