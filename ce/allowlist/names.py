"""What one module declares, binds, exports and calls, read from its syntax tree alone."""

from __future__ import annotations

import ast
import io
import symtable
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ce.allowlist.corpus import Detectors

__all__ = ["ModuleFacts", "module_facts"]

_DROPPED = frozenset({"COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENCODING", "ENDMARKER", "STRING"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """One module. `edges` are (target module, name, detector, line); `star_targets` (module, line).

    `lines` gives the line of a declared or defined name, `all_line` that of `__all__`.
    """

    path: str
    declared: tuple[str, ...]
    public: tuple[str, ...]
    definitions: frozenset[str]
    body_imports: frozenset[str]
    reexports: dict[str, tuple[str, str]]
    facade: dict[str, tuple[str, str]]
    content: dict[str, str]
    own_uses: frozenset[str]
    registered: frozenset[str]
    apps: frozenset[str]
    commands: frozenset[str]
    star_targets: frozenset[tuple[str, int]]
    edges: frozenset[tuple[str, str, str, int]]
    lines: dict[str, int]
    all_line: int


def module_facts(name: str, path: str, data: bytes, tree: ast.Module, detectors: Detectors) -> ModuleFacts:
    """Return the facts of a parsed module. Raises SyntaxError or ValueError as the parser's helpers do."""
    package = name if path.endswith("/__init__.py") or path == "__init__.py" else name.rpartition(".")[0]
    nodes = sorted((node for node in ast.walk(tree) if hasattr(node, "lineno")), key=_position)
    constants = _string_constants(tree)
    aliases = _aliases(nodes, package)
    definitions = _definitions(tree)
    declared, all_line = _declared(tree)
    facade, facade_edges = _facade(tree, package, constants)
    reexports, imports = _body_imports(tree, package)
    accessors = _accessors(tree, aliases, constants)
    edges = {*_from_edges(nodes, package), *_attribute_edges(nodes, aliases, "module_attr"), *_getattr_edges(nodes, aliases)}
    edges |= {*facade_edges, *_accessor_edges(nodes, accessors)}
    return ModuleFacts(
        path=path,
        declared=declared,
        public=tuple(sorted(n for n in definitions if not n.startswith("_") and n not in declared)),
        definitions=frozenset(definitions),
        body_imports=frozenset(imports),
        reexports=reexports,
        facade=facade,
        content=_content(data, definitions, imports, facade),
        own_uses=_own_uses(data, path, tree),
        registered=frozenset(_registered(tree, name, detectors)),
        apps=frozenset(_apps(tree, detectors)),
        commands=frozenset(_commands(tree, detectors)),
        star_targets=frozenset(_stars(nodes, package)),
        edges=frozenset(edges),
        lines={symbol: statement.lineno for symbol, statement in definitions.items()} | {s: n.lineno for s, n in imports.items()},
        all_line=all_line,
    )


def _position(node: ast.AST) -> tuple[int, int]:
    return (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))


def _targets(statement: ast.stmt) -> list[str]:
    """Return the plain names that an assignment binds."""
    if isinstance(statement, ast.Assign):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return [statement.target.id]
    return []


def _text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _declared(tree: ast.Module) -> tuple[tuple[str, ...], int]:
    """Return the names of the first module-body assignment to `__all__` and its line, nothing when it is not a literal list."""
    for statement in tree.body:
        if "__all__" in _targets(statement):
            assert isinstance(statement, ast.Assign | ast.AnnAssign)
            value = statement.value
            if isinstance(value, ast.List | ast.Tuple):
                names = [_text(element) for element in value.elts]
                if None not in names:
                    return tuple(sorted({name for name in names if name is not None})), statement.lineno
            return (), statement.lineno
    return (), 0


def _definitions(tree: ast.Module) -> dict[str, ast.stmt]:
    """Return module-body definitions by name: classes, functions, plain-name assignments; the last one of a name stands."""
    found: dict[str, ast.stmt] = {}
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found[statement.name] = statement
        for target in _targets(statement):
            found[target] = statement
    return found


def _string_constants(tree: ast.Module) -> dict[str, str]:
    constants = {}
    for statement in tree.body:
        for target in _targets(statement):
            assert isinstance(statement, ast.Assign | ast.AnnAssign)
            text = _text(statement.value)
            if text is not None:
                constants[target] = text
    return constants


def _resolve(module: str | None, level: int, package: str) -> str:
    """Return the absolute module of an import: relative ones drop `level - 1` parts of the containing package."""
    if not level:
        return module or ""
    parts = package.split(".") if package else []
    kept = parts[: max(len(parts) - (level - 1), 0)]
    return ".".join([*kept, *([module] if module else [])])


def _absolute(text: str, package: str) -> str:
    """Return a module path given as text, where leading dots are relative to the package."""
    bare = text.lstrip(".")
    return _resolve(bare or None, len(text) - len(bare), package)


def _aliases(nodes: Iterable[ast.AST], package: str) -> dict[str, str]:
    """Return what names are bound to by imports anywhere in the file; later bindings win, scopes do not matter."""
    aliases: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    aliases[alias.asname] = alias.name
                elif "." not in alias.name:
                    aliases[alias.name] = alias.name
        elif isinstance(node, ast.ImportFrom):
            origin = _resolve(node.module, node.level, package)
            aliases.update((alias.asname or alias.name, f"{origin}.{alias.name}".lstrip(".")) for alias in node.names if alias.name != "*")
    return aliases


def _from_edges(nodes: Iterable[ast.AST], package: str) -> Iterator[tuple[str, str, str, int]]:
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            origin = _resolve(node.module, node.level, package)
            yield from ((origin, alias.name, "from_import", node.lineno) for alias in node.names if alias.name != "*")


def _stars(nodes: Iterable[ast.AST], package: str) -> Iterator[tuple[str, int]]:
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            yield _resolve(node.module, node.level, package), node.lineno


def _attribute_edges(nodes: Iterable[ast.AST], names: dict[str, str], detector: str) -> Iterator[tuple[str, str, str, int]]:
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names:
            yield names[node.value.id], node.attr, detector, node.lineno


def _getattr_edges(nodes: Iterable[ast.AST], aliases: dict[str, str]) -> Iterator[tuple[str, str, str, int]]:
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) >= 2:
            receiver, name = node.args[0], _text(node.args[1])
            if isinstance(receiver, ast.Name) and name is not None and receiver.id in aliases:
                yield aliases[receiver.id], name, "getattr_str", node.lineno


def _facade(
    tree: ast.Module, package: str, constants: dict[str, str]
) -> tuple[dict[str, tuple[str, str]], list[tuple[str, str, str, int]]]:
    """Return the rows of a lazy `__getattr__` table, and the caller edges of its two-element values."""
    table = next((name for statement in tree.body for name in _facade_table(statement)), None)
    rows: dict[str, tuple[str, str]] = {}
    edges = []
    for statement in tree.body:
        if table is None or table not in _targets(statement):
            continue
        assert isinstance(statement, ast.Assign | ast.AnnAssign)
        if not isinstance(statement.value, ast.Dict):
            continue
        for key, value in zip(statement.value.keys, statement.value.values, strict=True):
            name = _text(key)
            pair = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
            module = _literal(pair[0], constants) if pair else None
            attribute = _text(pair[1]) if len(pair) == 2 else name
            if module is None or attribute is None or len(pair) > 2:
                continue
            target = _absolute(module, package)
            if len(pair) == 2:
                edges.append((target, attribute, "facade", value.lineno))
            if name is not None:
                rows[name] = (target, attribute)
    return rows, edges


def _facade_table(statement: ast.stmt) -> Iterator[str]:
    """Yield the table that a module-level `__getattr__` looks its argument up in."""
    if not (isinstance(statement, _Function) and statement.name == "__getattr__"):
        return
    arguments = [*statement.args.posonlyargs, *statement.args.args]
    if not arguments:
        return
    subscripts = [
        node
        for node in ast.walk(statement)
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and isinstance(node.slice, ast.Name)
        and node.slice.id == arguments[0].arg
    ]
    first = min(subscripts, key=_position, default=None)
    if first is not None and isinstance(first.value, ast.Name):
        yield first.value.id


def _literal(node: ast.expr, constants: dict[str, str]) -> str | None:
    return constants.get(node.id) if isinstance(node, ast.Name) else _text(node)


def _body_imports(tree: ast.Module, package: str) -> tuple[dict[str, tuple[str, str]], dict[str, ast.stmt]]:
    """Return module-body re-exports (name to origin module and name) and every name a module-body import binds."""
    reexports: dict[str, tuple[str, str]] = {}
    bound: dict[str, ast.stmt] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            bound.update((alias.asname or alias.name.partition(".")[0], statement) for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            origin = _resolve(statement.module, statement.level, package)
            for alias in statement.names:
                if alias.name != "*":
                    bound[alias.asname or alias.name] = statement
                    reexports[alias.asname or alias.name] = (origin, alias.name)
    return reexports, bound


def _accessors(tree: ast.Module, aliases: dict[str, str], constants: dict[str, str]) -> dict[str, str]:
    """Return module-body functions that import one known module by name, with that module."""
    found = {}
    for statement in tree.body:
        if isinstance(statement, _Function):
            calls = sorted((node for node in ast.walk(statement) if isinstance(node, ast.Call)), key=_position)
            module = next((m for call in calls if (m := _imported(call, aliases, constants)) is not None), None)
            if module is not None:
                found[statement.name] = module
    return found


def _imported(call: ast.Call, aliases: dict[str, str], constants: dict[str, str]) -> str | None:
    function = call.func
    if not (isinstance(function, ast.Attribute) and function.attr == "import_module" and isinstance(function.value, ast.Name)):
        return None
    if aliases.get(function.value.id) != "importlib" or not call.args:
        return None
    return _literal(call.args[0], constants)


def _accessor_edges(nodes: list[ast.AST], accessors: dict[str, str]) -> Iterator[tuple[str, str, str, int]]:
    if not accessors:
        return
    holders: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign) and len(_targets(node)) == 1 and (module := _accessed(node.value, accessors)):
            holders[_targets(node)[0]] = module
        if isinstance(node, ast.Attribute) and (module := _accessed(node.value, accessors)):
            yield module, node.attr, "dynamic", node.lineno
    yield from _attribute_edges(nodes, holders, "dynamic")


def _accessed(value: ast.expr | None, accessors: dict[str, str]) -> str | None:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return accessors.get(value.func.id)
    return None


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _registered(tree: ast.Module, name: str, detectors: Detectors) -> Iterator[str]:
    for prefix, decorator, attribute in detectors.registered_classes:
        if name != prefix and not name.startswith(prefix.rstrip(".") + "."):
            continue
        for statement in tree.body:
            if isinstance(statement, ast.ClassDef) and f"{decorator}.{attribute}" in map(_dotted, statement.decorator_list):
                yield statement.name


def _apps(tree: ast.Module, detectors: Detectors) -> Iterator[str]:
    seen: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            for target in _targets(statement):
                if target not in seen and isinstance(statement.value, ast.Call) and _dotted(statement.value) in detectors.app_factories:
                    yield target
                seen.add(target)


def _commands(tree: ast.Module, detectors: Detectors) -> Iterator[str]:
    for statement in tree.body:
        if isinstance(statement, _Function):
            names = (decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in statement.decorator_list)
            if any(isinstance(name, ast.Attribute) and name.attr in detectors.command_attrs for name in names):
                yield statement.name


def _content(
    data: bytes, definitions: dict[str, ast.stmt], imports: dict[str, ast.stmt], facade: dict[str, tuple[str, str]]
) -> dict[str, str]:
    """Return a digest of what each name is bound to: code tokens line by line, an import's text, or a lazy table's target."""
    lines: dict[int, list[str]] = {}
    for token in tokenize.tokenize(io.BytesIO(data).readline):
        kind = tokenize.tok_name[token.type]
        if kind not in _DROPPED and not kind.startswith(("FSTRING", "TSTRING")):
            lines.setdefault(token.start[0], []).append(token.string)
    texts = {name: "facade " + " ".join(target) for name, target in facade.items()}
    for name, statement in imports.items():
        assert isinstance(statement, ast.Import | ast.ImportFrom)
        texts[name] = "import " + next(ast.unparse(a) for a in statement.names if (a.asname or a.name.partition(".")[0]) == name)
    for name, statement in definitions.items():
        rows = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        texts[name] = "\n".join(" ".join(lines[row]) for row in rows if row in lines)
    return {name: blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest() for name, text in texts.items()}


def _own_uses(data: bytes, path: str, tree: ast.Module) -> frozenset[str]:
    """Return the module-level names that the module itself reads where the read can mean the module-level binding."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    top = symtable.symtable(data.decode(encoding), path, "exec")
    bound = {symbol.get_name() for symbol in top.get_symbols()}
    used = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()}
    classes = {(node.lineno, node.name): node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    pending = list(top.get_children())
    while pending:
        table = pending.pop()
        pending.extend(table.get_children())
        for symbol in table.get_symbols():
            name = symbol.get_name()
            if not symbol.is_referenced() or name not in bound:
                continue
            if symbol.is_global() or (symbol.is_local() and _read_before_bound(name, table, classes)):
                used.add(name)
    return frozenset(used)


def _read_before_bound(name: str, table: symtable.SymbolTable, classes: dict[tuple[int, str], ast.ClassDef]) -> bool:
    """Tell whether a class body reads a name before it binds it; until then the read means the outer name."""
    if table.get_type() != "class":
        return False
    node = classes.get((table.get_lineno(), table.get_name()))
    if node is None:
        return True
    places = sorted(
        (child.lineno, isinstance(child.ctx, ast.Store), child.col_offset)
        for statement in node.body
        for child in ast.walk(statement)
        if isinstance(child, ast.Name) and child.id == name
    )
    return bool(places) and not places[0][1]
