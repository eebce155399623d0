"""The body of a TypeScript or JavaScript module: what it binds and exports, in modules, in CommonJS and in declaration files.

Exports are names as an importer spells them, `default` among them. Where the declaration behind a name has another name,
`extra["exported"]` maps the one to the other, with an empty text for a value that has none. Only statements of the module body
are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ce.extract.drafts import Facts, SiteDraft, UnitDraft, text_of
from ce.extract.languages.ecmascript_aliases import read_aliases
from ce.extract.languages.ecmascript_calls import read_calls
from ce.extract.languages.ecmascript_runs import runs_something
from ce.extract.languages.ecmascript_text import read_comments
from ce.extract.parsing import Parsed
from ce.extract.spec import UnitKind

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_module"]

_VARIABLE = UnitKind(node="variable_declarator", kind="named", declares="variable")
_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function", "class"})
_EXPORTED_ALIAS = (b"export ", b"export\t")
_TYPE_EXPORT = re.compile(rb"export\s+type\b")
_WRAPPERS = frozenset({"as_expression", "satisfies_expression", "parenthesized_expression", "non_null_expression", "type_assertion"})
_EXPORTS = re.compile(r"(?:module\.)?exports(?:\.([\w$]+)|\[['\"]([^'\"]+)['\"]\])?")
_QUOTES = frozenset("\"'[`")
_WHOLE = frozenset({"module.exports", "exports"})
_AMBIENT_MODULES = "ambient"
_MAX_PATTERN = 256  # nodes of one destructuring pattern


def read_module(parsed: Parsed, facts: Facts) -> None:
    """Add bindings, exports, variables, calls that name modules, and references in comments to the facts."""
    assert parsed.tree is not None
    module = _Module(parsed, facts)
    module.read(parsed.tree.root_node)
    read_calls(parsed, facts)
    read_comments(parsed, facts)
    read_aliases(parsed, facts)
    module.finish()


class _Module:
    def __init__(self, parsed: Parsed, facts: Facts) -> None:
        self.parsed = parsed
        self.facts = facts
        self.walked = tuple(facts.units)
        self.sites = {site.start: site for site in facts.sites}
        self.exported: dict[str, str] = {}  # as importers spell it, to the declaration here
        self.ambient: list[tuple[str, SiteDraft]] = []
        self.has_module_syntax = False

    def read(self, program: Node) -> None:
        """Read every statement of the module body."""
        for statement in program.named_children:
            kind = statement.type
            if kind == "expression_statement":
                self._expression(statement)
            elif kind in ("lexical_declaration", "variable_declaration"):
                self._variables(statement)
            elif kind == "import_statement":
                self._import(statement)
            elif kind == "export_statement":
                self._export(statement)
            elif kind == "ambient_declaration":
                self._ambient(statement)
            elif kind == "import_alias":
                self._alias(statement)

    # --- import and export statements

    def _import(self, statement: Node) -> None:
        """A statement that imports nothing but `type` names is for types only."""
        self.has_module_syntax = True
        site = self.sites.get(statement.start_byte)
        if site is not None and self.parsed.text[: statement.start_byte].endswith(_EXPORTED_ALIAS):
            self.exported.update((local, local) for _, local in site.names)
        clause = next((child for child in statement.named_children if child.type == "import_clause"), None)
        if site is None or site.is_type or clause is None or b"type " not in self.parsed.text[clause.start_byte : clause.end_byte]:
            return
        parts = clause.named_children
        if len(parts) == 1 and parts[0].type == "named_imports":
            site.is_type = _are_types(parts[0])

    def _alias(self, statement: Node) -> None:
        """`import a = A.B` binds a name."""
        name = statement.named_child(0)
        if name is not None:
            self.facts.bindings.append((self._text(name), statement.start_point[0] + 1, "assign"))

    def _export(self, statement: Node) -> None:
        self.has_module_syntax = True
        if statement.child_by_field_name("source") is not None:
            self._export_from(statement)
            return
        declaration = statement.child_by_field_name("declaration")
        is_default = any(child.type in ("default", "=") for child in statement.children[:3])
        if declaration is not None:
            names = list(self._declared(declaration))
            if declaration.type in ("lexical_declaration", "variable_declaration"):
                self._variables(declaration)
            elif declaration.type == "ambient_declaration":
                self._ambient(declaration)
            elif declaration.type == "import_alias":
                self._alias(declaration)
            if is_default:
                self.exported["default"] = names[0] if names else ""
            else:
                self.exported.update((name, name) for name in names)
            return
        for child in statement.named_children:
            if child.type == "export_clause":
                for specifier in child.named_children:
                    self._specifier(specifier)
            elif is_default and child.type not in ("comment", "decorator"):
                self.exported["default"] = self._text(child) if child.type == "identifier" else self._own_name(child)

    def _export_from(self, statement: Node) -> None:
        site = self.sites.get(statement.start_byte)
        if site is None or site.is_type:
            return
        clause = next((child for child in statement.named_children if child.type == "export_clause"), None)
        if _TYPE_EXPORT.match(self.parsed.text, statement.start_byte) or (clause is not None and _are_types(clause)):
            site.is_type = True

    def _specifier(self, specifier: Node) -> None:
        name, alias = specifier.child_by_field_name("name"), specifier.child_by_field_name("alias")
        if name is not None:
            self.exported[self._text(alias or name).strip("\"'")] = self._text(name)

    def _own_name(self, value: Node) -> str:
        name = value.child_by_field_name("name")
        return "" if name is None else self._text(name)

    def _declared(self, declaration: Node) -> Iterator[str]:
        """Yield the names that a declaration binds."""
        kind = declaration.type
        if kind in ("lexical_declaration", "variable_declaration"):
            for declarator in declaration.named_children:
                if declarator.type == "variable_declarator":
                    yield from (self._text(name) for name in _bound(declarator.child_by_field_name("name")))
        elif kind == "ambient_declaration":
            for child in declaration.named_children:
                yield from self._declared(child)
        elif kind in ("internal_module", "import_alias"):
            first = declaration.named_child(0)
            if first is not None:
                yield self._text(first).partition(".")[0]
        else:
            name = declaration.child_by_field_name("name")
            if name is not None:
                yield self._text(name)

    # --- declarations

    def _ambient(self, statement: Node) -> None:
        if any(child.type == "global" for child in statement.children):
            self.facts.extra["global"] = True
        for child in statement.named_children:
            if child.type in ("lexical_declaration", "variable_declaration"):
                self._variables(child)
            elif child.type == "module":
                name = child.child_by_field_name("name")
                if name is not None and name.type == "string":
                    site = SiteDraft("import", self._text(name)[1:-1], child.start_point[0] + 1, -1, child.start_byte)
                    site.is_type = True
                    self.ambient.append((site.spec, site))

    def _variables(self, declaration: Node) -> None:
        """Bind the names of a declaration, each a unit of its own unless a function or a class already is it."""
        is_constant = declaration.child_count > 0 and declaration.children[0].type == "const"
        for declarator in declaration.named_children:
            if declarator.type != "variable_declarator":
                continue
            name, value = declarator.child_by_field_name("name"), _plain(declarator.child_by_field_name("value"))
            if name is None:
                continue
            if value is not None:
                if value.type == "assignment_expression":
                    self._assignment(value)
                elif self._is_required(value):
                    continue
            line = declarator.start_point[0] + 1
            is_function = value is not None and value.type in _FUNCTION_VALUES
            for bound in _bound(name):
                text = self._text(bound)
                if is_constant and value is not None and bound.id == name.id and value.type in ("string", "template_string"):
                    self.facts.constants[text] = value
                if not is_function:
                    self._variable(text, declarator)
                else:
                    self.facts.bindings.append((text, line, "def"))

    def _variable(self, name: str, declarator: Node) -> None:
        units = self.facts.units
        first, last = declarator.start_point[0] + 1, declarator.end_point[0] + 1
        unit = UnitDraft(_VARIABLE, name, name, first, last, len(units), -1, -1, declarator)
        units.append(unit)

    def _is_required(self, value: Node) -> bool:
        """Return whether the value is `require("x")`, `await import("x")` or a part of one, which is an import."""
        at: Node | None = value
        for _ in range(6):
            if at is None:
                return False
            if at.type == "member_expression":
                at = at.child_by_field_name("object")
            elif at.type == "await_expression" or at.type in _WRAPPERS:
                at = at.named_child(0)
            elif at.type == "call_expression":
                function = at.child_by_field_name("function")
                callee = b"" if function is None else self.parsed.text[function.start_byte : function.end_byte]
                if callee in (b"require", b"import"):
                    return True
                arguments = at.child_by_field_name("arguments")
                if not callee.endswith((b"__importDefault", b"__importStar", b"_interopRequireDefault", b"_interopRequireWildcard")):
                    return False
                at = arguments.named_child(0) if arguments is not None else None
            else:
                return False
        return False

    # --- CommonJS

    def _expression(self, statement: Node) -> None:
        inner = statement.named_child(0)
        if inner is None:
            return
        if inner.type == "assignment_expression":
            self._assignment(inner)
        elif inner.type == "call_expression":
            self._define_property(inner)

    def _assignment(self, node: Node) -> None:
        """Read `exports.a = …`, `module.exports = …` and chains of such assignments."""
        targets: list[str] = []
        at: Node | None = node
        while at is not None and at.type == "assignment_expression":
            left = at.child_by_field_name("left")
            targets.append("" if left is None or left.end_byte - left.start_byte > 200 else self._text(left))
            at = _plain(at.child_by_field_name("right"))
        matches = [match for target in targets if (match := _EXPORTS.fullmatch(target))]
        if not matches or at is None:
            return
        local = self._text(at) if at.type == "identifier" else self._own_name(at) if at.type in _FUNCTION_VALUES else ""
        names = [name for match in matches if (name := match.group(1) or match.group(2))]
        for name in names:
            if name != "__esModule" and (local or name not in self.exported):
                self.exported[name] = local or name
        if any(match.group() in _WHOLE for match in matches):
            self._module_exports(at, local)
            if targets[0] in _WHOLE:
                self._mark_unit(at)

    def _module_exports(self, value: Node, local: str) -> None:
        if value.type == "object":
            for member in value.named_children:
                self._exported_member(member)
        elif not (value.type == "call_expression" and self._is_required(value)):
            self.exported["default"] = local
            if value.type in ("call_expression", "new_expression", "await_expression"):
                self.facts.unreadable_exports = True

    def _exported_member(self, member: Node) -> None:
        if member.type == "shorthand_property_identifier":
            name = self._text(member)
            self.exported[name] = name
        elif member.type in ("pair", "method_definition"):
            key = member.child_by_field_name("key") or member.child_by_field_name("name")
            value = member.child_by_field_name("value")
            if key is None or key.type == "computed_property_name":
                self.facts.unreadable_exports = True
                return
            name = self._text(key).strip("\"'")
            self.exported[name] = self._text(value) if value is not None and value.type == "identifier" else name
        elif member.type != "comment":
            self.facts.unreadable_exports = True

    def _define_property(self, call: Node) -> None:
        """Read `Object.defineProperty(exports, "a", …)`, which compilers write."""
        function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if function is None or arguments is None or self._text(function) != "Object.defineProperty":
            return
        given = arguments.named_children
        if len(given) >= 2 and self._text(given[0]) in _WHOLE and given[1].type == "string":
            name = self._text(given[1])[1:-1]
            if name != "__esModule":
                self.exported[name] = name

    def _mark_unit(self, value: Node) -> None:
        for unit in self.facts.units:
            if unit.node is not None and unit.node.id == value.id:
                unit.is_exported = True

    # --- the end

    def finish(self) -> None:
        """Give units their names and exports, and settle what the file is."""
        facts = self.facts
        facts.is_script = not (self.has_module_syntax or self.exported or any(site.kind == "require" for site in facts.sites))
        if self.ambient:
            facts.extra["global"] = True
        for name, site in self.ambient:
            # A script that opens a quoted module declares it; a module adds to one that is elsewhere.
            if (not facts.is_script or name.startswith(".")) and "*" not in name:
                facts.sites.append(site)
            if facts.is_script:
                facts.extra.setdefault(_AMBIENT_MODULES, []).append(name)  # type: ignore[attr-defined]  # a list by this line
        exported_here = set(self.exported.values())
        for unit in facts.units:
            if unit.name[:1] in _QUOTES or "." in unit.name:
                self._rename(unit)
            elif unit.parent < 0 and unit.name and unit.name in exported_here:
                unit.is_exported = True
        if self.exported:
            facts.exports = sorted(self.exported)
            renamed = {name: local for name, local in sorted(self.exported.items()) if name != local}
            if renamed:
                facts.extra["exported"] = renamed
        elif not facts.unreadable_exports and runs_something(self.parsed, self.walked):
            facts.extra["runs"] = True
        if facts.is_script:
            facts.extra["script"] = True
        if self.parsed.text.startswith(b"#!"):
            facts.extra["shebang"] = True
        facts.main_guard = _has_main_guard(self.parsed.text)
        facts.sites.sort(key=lambda site: site.start)
        facts.dynamic.sort()

    def _rename(self, unit: UnitDraft) -> None:
        """`exports.a = function …` declares `a`, `A.prototype.b = …` declares `b`; quoted, computed and whole exports have no name."""
        match = _EXPORTS.fullmatch(unit.name)
        if match is not None and unit.parent < 0:
            unit.is_exported = True
        last = "" if unit.name[:1] in _QUOTES else unit.name.rpartition(".")[2].strip()
        unit.name = last if last.isidentifier() and unit.name not in _WHOLE else ""

    def _text(self, node: Node) -> str:
        return text_of(self.parsed, node)


_GUARDED = re.compile(rb"require\.main\s*={2,3}\s*module|import\.meta\.url\s*={2,3}|import\.meta\.main\b")
_GUARDED_BEFORE = ((b"require.main", re.compile(rb"module\s*={2,3}\s*\Z")), (b"import.meta.url", re.compile(rb"={2,3}\s*\Z")))
_WORD_BEFORE = re.compile(rb"\w\Z")
_BEFORE = 200


def _has_main_guard(text: bytes) -> bool:
    """Return whether the file asks if it is the one that was started."""
    for needle, comparison in _GUARDED_BEFORE:
        at = text.find(needle)
        while at >= 0:
            if comparison.search(text, max(0, at - _BEFORE), at):
                return True
            at = text.find(needle, at + 1)
    for needle in (b"require.main", b"import.meta"):
        at = text.find(needle)
        while at >= 0:
            found = _GUARDED.match(text, at)
            if found and (not found.group().endswith(b"main") or not _WORD_BEFORE.search(text, max(0, at - 1), at)):
                return True
            at = text.find(needle, at + 1)
    return False


def _are_types(list_of_names: Node) -> bool:
    """Return whether every name in braces is marked `type`."""
    specifiers = [child for child in list_of_names.named_children if child.type != "comment"]
    return bool(specifiers) and all(child.child_count > 1 and child.children[0].type == "type" for child in specifiers)


def _plain(value: Node | None) -> Node | None:
    """Return the expression inside parentheses and type assertions."""
    for _ in range(8):
        if value is None or value.type not in _WRAPPERS:
            break
        value = value.named_child(0)
    return value


def _bound(pattern: Node | None) -> Iterator[Node]:
    """Yield the names that a pattern binds, in order."""
    stack = [pattern] if pattern is not None else []
    steps = 0
    while stack and steps < _MAX_PATTERN:
        steps += 1
        node = stack.pop()
        kind = node.type
        if kind in ("identifier", "shorthand_property_identifier_pattern"):
            yield node
        elif kind == "pair_pattern":
            value = node.child_by_field_name("value")
            if value is not None:
                stack.append(value)
        elif kind in ("assignment_pattern", "object_assignment_pattern"):
            left = node.child_by_field_name("left")
            if left is not None:
                stack.append(left)
        elif kind in ("object_pattern", "array_pattern", "rest_pattern"):
            stack.extend(reversed(node.named_children))
