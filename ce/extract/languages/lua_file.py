"""What no table says about Lua: the names of functions, what is local, and the search templates of `package.path`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ce.extract.drafts import Facts, SiteDraft, text_of
from ce.extract.literals import literal_contents
from ce.extract.parsing import Parsed
from ce.extract.patterns import Pattern, pattern_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["name_of", "read_file"]

_LAST = re.compile(r".*[.:]\s*", re.DOTALL)
_TEMPLATE = re.compile(r"(?:^|;)([^;?\n\"']*\?[^;?\n\"']*\.lua)(?=;|$)")
_MAX_SPECIFIER = 400
_LOADERS = {"require": ("require", "require"), "dofile": ("load", "load_file"), "loadfile": ("load", "load_file")}
# A text that a module name can begin with, or be made from: `a.b.`, `a.%s.b`.
_BEGINS = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+)*\.(?:%s(?:\.[\w-]+)*)?")


def name_of(parsed: Parsed, node: Node) -> str:
    """Return the name of a function: its own, or that of what it is bound to."""
    named = node.child_by_field_name("name") if node.type == "function_declaration" else _target(node)
    return " ".join(text_of(parsed, named).split()) if named is not None else ""


def _target(node: Node) -> Node | None:
    """Return the variable or the field that a function expression is the value of."""
    around = node.parent
    if around is None:
        return None
    if around.type == "field":
        return around.child_by_field_name("name")
    assignment = around.parent
    if around.type != "expression_list" or assignment is None or assignment.type != "assignment_statement":
        return None
    targets = assignment.named_children[0]
    values = [child for child in around.named_children if child.type != "comment"]
    position = next((index for index, value in enumerate(values) if value.id == node.id), -1)
    return targets.named_children[position] if 0 <= position < targets.named_child_count else None


def read_file(parsed: Parsed, facts: Facts) -> None:
    """Set what is exported and the last name of each function; keep the templates that the file adds to `package.path`."""
    for unit in facts.units:
        assert unit.node is not None
        is_expression = unit.node.type == "function_definition"
        around = unit.node.parent
        if is_expression and unit.name:
            around = around.parent.parent if around is not None and around.parent is not None else None
            is_local = around is not None and around.type == "variable_declaration"
        else:
            is_local = unit.node.child_count > 0 and unit.node.children[0].type == "local"
        unit.visibility = 0 if is_local or (is_expression and not unit.name) else 1
        unit.name = _LAST.sub("", unit.name).strip("\"'")
    _protected(parsed, facts)
    if b"package.path" in parsed.text:
        found: set[str] = set()
        for node in literal_contents(parsed):
            content = text_of(parsed, node) if node.end_byte - node.start_byte <= _MAX_SPECIFIER else ""
            if "?" in content:
                found.update(match.group(1) for match in _TEMPLATE.finditer(content))
        if found:
            facts.extra["templates"] = sorted(found)
    if parsed.text.startswith(b"#!"):
        facts.extra["shebang"] = True


def _is_required(parsed: Parsed, node: Node) -> bool:
    """Return whether a literal is part of the argument of a plain `require`, which is read by itself."""
    at = node.parent
    for _ in range(8):
        if at is None:
            return False
        if at.type == "function_call":
            named = at.child_by_field_name("name")
            if named is not None and text_of(parsed, named) in _LOADERS:
                return True
        at = at.parent
    return False


def _protected(parsed: Parsed, facts: Facts) -> None:
    """Read `pcall(require, "x")` and `xpcall(require, handler, "x")` as the protected call, and keep calls of an empty name.

    Of a computed name in a file note also what module names its constant texts can begin.
    """
    assert parsed.spec.strings is not None
    computes = b"require" in parsed.text and re.search(rb"\brequire\s*\(?\s*[^\s\"'(\[]", parsed.text) is not None
    for name, callee, owner in facts.calls_seen:
        if (name not in ("pcall", "xpcall") and name not in _LOADERS) or callee.parent is None:
            continue
        arguments = callee.parent.child_by_field_name("arguments")
        given = [] if arguments is None else [child for child in arguments.named_children if child.type != "comment"]
        if name in _LOADERS:
            if given and given[0].type == "string" and given[0].child_by_field_name("content") is None:
                facts.sites.append(SiteDraft(_LOADERS[name][0], "", callee.start_point[0] + 1, owner, callee.start_byte))
            continue
        position = 1 if name == "pcall" else 2
        if len(given) <= position or text_of(parsed, given[0]) not in _LOADERS:
            continue
        kind, why = _LOADERS[text_of(parsed, given[0])]
        target = pattern_of(given[position], parsed.text, parsed.spec.strings, facts.constants)
        line = callee.start_point[0] + 1
        if target.is_literal:
            site = SiteDraft(kind, target.text.split("\n", 1)[0].strip(), line, owner, callee.start_byte)
            site.mode = "conditional"
            facts.sites.append(site)
        else:
            facts.dynamic.append((line, why, target.as_glob()))
    if computes:
        for node in literal_contents(parsed):
            text = text_of(parsed, node) if node.end_byte - node.start_byte <= _MAX_SPECIFIER else ""
            if _BEGINS.fullmatch(text) and not _is_required(parsed, node):
                joined = "*".join(part.replace("*", "[*]") for part in text.split("%s"))
                glob = joined if "%s" in text else Pattern(text, True).as_glob() + "*"
                facts.dynamic.append((node.start_point[0] + 1, "require", glob))
    facts.dynamic = sorted(set(facts.dynamic))
