"""What no table says about R: names by assignment, roxygen exports, and calls that load files or packages.

| call | site |
|---|---|
| `source`, `sys.source` with a literal path: `file=` or a part of that name, else the first argument without a name | `source` |
| `library`, `require` with a name; with a string; not with `character.only` unless that is FALSE | `library` |
| `requireNamespace`, `loadNamespace` with a string | `library` |

Any other path is a dynamic fact with the glob that can be read off `paste0`, `file.path`, `here`, `sprintf`; so is a directory that a
file lists to source what is in it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ce.extract.drafts import Facts, SiteDraft, structures_around, text_of
from ce.extract.parsing import Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["READ", "name_of", "read_file"]

_SOURCES = frozenset({"source", "base::source", "sys.source", "base::sys.source"})
_ATTACHES = frozenset({"library", "require", "base::library", "base::require"})
_LOADS = frozenset({"requireNamespace", "loadNamespace", "base::requireNamespace", "base::loadNamespace"})
_LISTS = frozenset({"list.files", "base::list.files", "dir", "fs::dir_ls", "dir_ls"})
READ = _SOURCES | _ATTACHES | _LOADS | _LISTS
_SOURCE = re.compile(rb"(?<![\w.])(?:sys\.)?source(?![\w.])")
_ASSIGNS = frozenset({"<-", "<<-", "=", ":="})
_NAME = re.compile(r"[A-Za-z.][\w.]*")
_EXPORT = re.compile(r"^#'\s*@export\b")
_MAX_STEPS = 64


def name_of(parsed: Parsed, node: Node) -> str:
    """Return the name that a function is assigned to, or nothing."""
    around = node.parent
    if around is None or around.type != "binary_operator":
        return ""
    operator = around.child_by_field_name("operator")
    left, right = around.child_by_field_name("lhs"), around.child_by_field_name("rhs")
    if operator is None or left is None or right is None:
        return ""
    if operator.type in _ASSIGNS and right.id == node.id:
        return _plain(text_of(parsed, left))
    if operator.type in ("->", "->>") and left.id == node.id:
        return _plain(text_of(parsed, right))
    return ""


def _plain(name: str) -> str:
    name = " ".join(name.split())
    return name[1:-1] if len(name) >= 2 and name[0] == name[-1] and name[0] in "\"'`" else name


def read_file(parsed: Parsed, facts: Facts) -> None:
    """Add what calls load, and set what is exported."""
    _exports(parsed, facts)
    _calls(parsed, facts)
    facts.sites.sort(key=lambda site: (site.line, site.start))
    facts.dynamic.sort()
    if parsed.text.startswith(b"#!"):
        facts.extra["shebang"] = True


def _exports(parsed: Parsed, facts: Facts) -> None:
    lines = parsed.text.decode("utf-8", "replace").split("\n")
    has_roxygen = any(line.lstrip().startswith("#'") for line in lines)
    for unit in facts.units:
        if not unit.name:
            continue
        if unit.parent >= 0:
            unit.visibility = 0
        elif has_roxygen:
            unit.visibility = int(_is_exported(lines, unit.start - 2))
        else:
            unit.visibility = int(not unit.name.startswith("."))


def _is_exported(lines: list[str], at: int) -> bool:
    while at >= 0 and lines[at].lstrip().startswith("#'"):
        if _EXPORT.match(lines[at].lstrip()):
            return True
        at -= 1
    return False


def _calls(parsed: Parsed, facts: Facts) -> None:
    """Open the sites of calls."""
    hidden = {unit.name for unit in facts.units if unit.parent < 0 and unit.name}
    named = [seen for seen in facts.calls_seen if seen[0] in READ and seen[0] not in hidden]
    sources = any(seen[0] in _LISTS for seen in named) and _SOURCE.search(parsed.text) is not None
    for name, callee, owner in named:
        call = callee.parent
        if call is None:
            continue
        if name in _SOURCES:
            _path(parsed, facts, call, owner)
        elif name in _ATTACHES:
            _package(parsed, facts, call, owner, bare=True)
        elif name in _LOADS:
            _package(parsed, facts, call, owner, bare=False)
        elif name in _LISTS and sources:
            given = _argument(parsed, call, "path")
            pattern, _ = ("*", False) if given is None else _pattern(parsed, given, [0])
            if pattern.strip("*/."):
                facts.dynamic.append((call.start_point[0] + 1, "list.files", f"{pattern.rstrip('/')}/*"))


def _path(parsed: Parsed, facts: Facts, call: Node, owner: int) -> None:
    given = _argument(parsed, call, "file")
    if given is None:
        return
    pattern, is_literal = _pattern(parsed, given, [0])
    if is_literal:
        _open(parsed, facts, "source", pattern, call, owner)
    else:
        facts.dynamic.append((call.start_point[0] + 1, "source", pattern))


def _package(parsed: Parsed, facts: Facts, call: Node, owner: int, *, bare: bool) -> None:
    given = _argument(parsed, call, "package")
    if given is None:
        return
    text = text_of(parsed, given).strip()
    if given.type == "string":
        _open(parsed, facts, "library", _plain(text), call, owner)
    elif bare and given.type == "identifier" and _NAME.fullmatch(text) and not _takes_characters(parsed, call):
        _open(parsed, facts, "library", text, call, owner)
    else:
        facts.dynamic.append((call.start_point[0] + 1, "library", "*"))


def _takes_characters(parsed: Parsed, call: Node) -> bool:
    for name, value in _arguments(parsed, call):
        if name == "character.only":
            return value is None or text_of(parsed, value) not in ("FALSE", "F")
    return False


def _open(parsed: Parsed, facts: Facts, kind: str, spec: str, call: Node, owner: int) -> None:
    site = SiteDraft(kind, spec.split("\n", 1)[0].strip(), call.start_point[0] + 1, owner, call.start_byte)
    site.around = structures_around(parsed, call)
    facts.sites.append(site)


def _argument(parsed: Parsed, call: Node, name: str) -> Node | None:
    """Return the value of an argument: by its name or a part of it, else the first one without a name."""
    listed = _arguments(parsed, call)
    for given, value in listed:
        if given and name.startswith(given):
            return value
    return next((value for given, value in listed if not given), None)


def _arguments(parsed: Parsed, call: Node) -> list[tuple[str, Node | None]]:
    arguments = call.child_by_field_name("arguments")
    found = []
    for child in arguments.named_children if arguments is not None else ():
        if child.type == "argument":
            name = child.child_by_field_name("name")
            found.append(("" if name is None else _plain(text_of(parsed, name)), child.child_by_field_name("value")))
    return found


# --- paths that are made at run time


def _pattern(parsed: Parsed, node: Node, steps: list[int]) -> tuple[str, bool]:
    """Return the text of an expression if it is literal, else a glob of its constant parts. `steps` counts the nodes looked at."""
    steps[0] += 1
    if steps[0] > _MAX_STEPS:
        return "*", False
    if node.type == "string":
        content = node.child_by_field_name("content")
        return ("" if content is None else text_of(parsed, content)), True
    if node.type == "parenthesized_expression" and node.named_child_count == 1:
        return _pattern(parsed, node.named_children[0], steps)
    if node.type != "call":
        return "*", False
    function = node.child_by_field_name("function")
    name = "" if function is None else text_of(parsed, function).rpartition(":")[2]
    given = [value for key, value in _arguments(parsed, node) if not key and value is not None]
    if name == "sprintf" and given:
        template, _ = _pattern(parsed, given[0], steps)
        return re.sub(r"\*+", "*", re.sub(r"%[-+ 0#]*\d*(?:\.\d+)?[a-zA-Z]", "*", template)), False
    if name in ("paste0", "str_c"):
        return _joined(parsed, given, "", steps)
    if name in ("file.path", "path"):
        return _joined(parsed, given, "/", steps)
    if name == "here":
        # The root of the project, which a literal path of `source` is tried from too.
        return _joined(parsed, given, "/", steps)
    if name in ("normalizePath", "path.expand", "as.character", "file") and given:
        return _pattern(parsed, given[0], steps)
    return "*", False


def _joined(parsed: Parsed, parts: list[Node], by: str, steps: list[int]) -> tuple[str, bool]:
    told = [_pattern(parsed, part, steps) for part in parts]
    if all(is_literal for _, is_literal in told):
        return by.join(text for text, _ in told), True
    glob = by.join(re.sub(r"([*?\[])", r"[\1]", text) if is_literal else text for text, is_literal in told)
    return re.sub(r"\*+", "*", glob), False
