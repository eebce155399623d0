"""A Haskell module: its name, what it exports and hands on, packages of imports, opaque zones, files that splices embed.

`extra["module"]` is the name in the header, empty without one; `extra["preprocessor"]` the program that `-pgmF` names;
`extra["handed_on"]` the modules whose names the export list hands on. CPP, Template Haskell and quasi-quotes are dynamic facts: what they
expand to is not seen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ce.extract.drafts import Facts, SiteDraft, text_of
from ce.extract.parsing import Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_module"]

_PREPROCESSOR = re.compile(rb"\{-#\s*OPTIONS(?:_GHC)?\b[^#]*?-pgmF\s+([\w./-]+)")
_EMBED = re.compile(
    rb"""\b(?:embedFile|embedFileIfExists|embedStringFile|embedOneFileOf|embedDir|embedDirListing|embedFileRelative|makeRelativeToProject
          |hamletFile|whamletFile|juliusFile|luciusFile|cassiusFile|textFile|widgetFile|persistFileWith\s+\w+|parseRoutesFile|i18nFile)
         \s*\(?\s*"([^"\n]+)\"""",
    re.VERBOSE,
)
_HEADER = re.compile(rb"(?m)^module\s+([A-Z][\w']*(?:\.[A-Z][\w']*)*)")
_QUALIFIER = re.compile(r"^(?:[A-Z][\w']*\.)+(?=.)")
_IMPORT = re.compile(
    rb"""^import\s+(?:\{-\#\s*SOURCE\s*\#-\}\s*)?(?:safe\s+)?(?:qualified\s+)?("[^"\n]*")?\s*([A-Z][\w']*(?:\.[A-Z][\w']*)*)""",
    re.VERBOSE | re.MULTILINE,
)
_OPEN, _CLOSE = re.compile(rb"(?m)^#\s*if"), re.compile(rb"(?m)^#\s*endif")
_TEXTS = frozenset({"comment", "haddock", "string", "quasiquote_body"})
_HEAD_BYTES = 4_096
_MAX_OPAQUE = 200
_OPAQUE = {"top_splice": "template_haskell", "splice": "template_haskell", "quasiquote": "quasiquote", "cpp": "cpp"}


def read_module(parsed: Parsed, facts: Facts) -> None:
    """Add what the table does not say."""
    assert parsed.tree is not None
    root = parsed.tree.root_node
    header = next((child for child in root.named_children if child.type == "header"), None)
    _header(parsed, facts, header)
    match = _PREPROCESSOR.search(parsed.text, 0, _HEAD_BYTES)
    if match is not None:
        facts.extra["preprocessor"] = match.group(1).decode("utf-8", "replace").rpartition("/")[2]
    for unit in facts.units:
        if unit.kind.declares == "instance" and unit.node is not None:
            named = unit.node.child_by_field_name("name")
            unit.bases = [text_of(parsed, named)] if named is not None else []
        if unit.name.startswith("("):  # an operator is declared, exported and imported in parentheses
            unit.name = unit.name.strip("() ")
    sites = {site.start: site for site in facts.sites}
    depth = 0
    for child in root.named_children:
        if child.type == "cpp":
            depth += _opened(parsed, child)
        elif child.type == "imports":
            depth = _imports(parsed, child, sites, depth)
    _missed_imports(parsed, facts, root)
    _embedded(parsed, facts)
    _opaque(parsed, facts, root)
    facts.sites.sort(key=lambda site: site.start)


def _header(parsed: Parsed, facts: Facts, header: Node | None) -> None:
    """Read the name and the export list; without a header only `main` is exported."""
    module = header.child_by_field_name("module") if header is not None else None
    if header is None or module is None:
        lost = _HEADER.search(parsed.text)
        if lost is not None:  # the grammar gave up on the header, so the list is not known
            facts.extra["module"] = lost.group(1).decode("utf-8", "replace")
            facts.unreadable_exports = True
        else:
            facts.extra["module"] = ""
            facts.exports = ["main"]
        return
    own = "".join(text_of(parsed, module).split())
    facts.extra["module"] = own
    listed = header.child_by_field_name("exports")
    if listed is None:
        return
    names, handed_on = [], []
    for export in listed.named_children:
        if export.type == "module_export":
            inner = export.child_by_field_name("module")
            handed_on.append(text_of(parsed, inner) if inner is not None else "")
        elif export.type == "export":
            named = next((node for field in ("variable", "type", "operator") if (node := export.child_by_field_name(field))), None)
            if named is not None:
                names.append(_QUALIFIER.sub("", text_of(parsed, named).strip("() ")))
    if own in handed_on:  # a module that hands on itself exports all that it defines
        handed_on.remove(own)
    else:
        facts.exports = sorted(set(names))
    if handed_on:
        facts.extra["handed_on"] = sorted(set(handed_on))


def _opened(parsed: Parsed, cpp: Node) -> int:
    """Return how many conditions a directive opens, less those that it closes."""
    text = parsed.text[cpp.start_byte : cpp.end_byte]
    return len(_OPEN.findall(text)) - len(_CLOSE.findall(text))


def _imports(parsed: Parsed, imports: Node, sites: dict[int, SiteDraft], depth: int) -> int:
    """Put the package before the module, tell hidden names from taken ones, and mark what stands under a condition.

    `depth` is how many conditions are open before, the result how many are after.
    """
    for child in imports.named_children:
        if child.type == "cpp":
            depth += _opened(parsed, child)
            continue
        site = sites.get(child.start_byte)
        if child.type != "import" or site is None:
            continue
        if depth > 0:
            site.mode = "conditional"
        package, alias = child.child_by_field_name("package"), child.child_by_field_name("alias")
        site.spec = "".join(site.spec.split())
        if package is not None:
            site.spec = f"{text_of(parsed, package)} {site.spec}"
        is_hiding = any(part.type == "hiding" for part in child.children)
        if is_hiding or child.child_by_field_name("names") is None:
            site.names = [("*", text_of(parsed, alias) if alias is not None else "*")]
        else:
            site.names = [(name, name) for taken, _ in site.names if (name := _plain(taken))]
    return depth


def _missed_imports(parsed: Parsed, facts: Facts, root: Node) -> None:
    """Open a site for every import that the grammar does not give: it takes `#else` to `#endif` for one directive, and may give up."""
    if not root.has_error and b"#else" not in parsed.text and b"#elif" not in parsed.text:
        return
    known = {site.line for site in facts.sites}
    line, counted = 1, 0
    for match in _IMPORT.finditer(parsed.text):
        line += parsed.text.count(b"\n", counted, match.start())
        counted = match.start()
        node = root.descendant_for_byte_range(match.start(), match.start() + 1)
        if line in known or node is None or node.type in _TEXTS:
            continue
        package, module = match.group(1), match.group(2).decode("utf-8", "replace")
        spec = f"{package.decode('utf-8', 'replace')} {module}" if package else module
        site = SiteDraft("import", spec, line, -1, match.start())
        site.mode = "conditional" if node.type == "cpp" else "runtime"
        site.names.append(("*", "*"))
        facts.sites.append(site)


def _plain(name: str) -> str:
    """Return the name without its constructors, its parentheses and what kind of name it is: `type (~>)`, `T(..)`."""
    name = name.removeprefix("type ").removeprefix("pattern ").strip()
    if name.startswith("("):
        return name.partition(")")[0].strip("( ")
    return name.partition("(")[0].strip()


def _embedded(parsed: Parsed, facts: Facts) -> None:
    """Open a site for every file that a splice embeds under a literal name."""
    assert parsed.tree is not None
    if b"File" not in parsed.text and b"embed" not in parsed.text:
        return
    for match in _EMBED.finditer(parsed.text):
        node = parsed.tree.root_node.descendant_for_byte_range(match.start(), match.start() + 1)
        if node is not None and node.type not in _TEXTS:
            line = parsed.text.count(b"\n", 0, match.start()) + 1
            facts.sites.append(SiteDraft("load", match.group(1).decode("utf-8", "replace"), line, -1, match.start()))


def _opaque(parsed: Parsed, facts: Facts, root: Node) -> None:
    """Note the zones that something else expands, by line; inside declarations they are found by their marks."""
    found = set()
    for child in root.named_children:
        for node in (child, *(child.named_children if child.type in ("declarations", "imports") else ())):
            why = _OPAQUE.get(node.type)
            if why is not None:
                found.add((node.start_point[0] + 1, why, "*"))
    for mark in re.finditer(rb"\$\$?\(|\[[\w.]+\|", parsed.text):
        node = root.descendant_for_byte_range(mark.start(), mark.start() + 1)
        while node is not None and node.type not in _OPAQUE and node.type not in _TEXTS and node.end_byte <= mark.end() + 1:
            node = node.parent
        if node is not None and node.type in _OPAQUE:
            found.add((node.start_point[0] + 1, _OPAQUE[node.type], "*"))
        if len(found) >= _MAX_OPAQUE:
            break
    facts.dynamic.extend(sorted(found))
