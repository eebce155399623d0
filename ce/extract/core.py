"""The core layer: what the table says, finished with what follows from the whole file.

Visibility, recursion, import modes, dynamic sites and strings need the fold to be over, because an alias or an export list may
stand below its use.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from ce.extract.bodies import encode_bodies
from ce.extract.codec import encode_facts
from ce.extract.compiled import compiled, follow
from ce.extract.drafts import Facts, SiteDraft, structures_around, text_of
from ce.extract.languages import language_spec
from ce.extract.literals import reference_contents
from ce.extract.local_values import LocalValues
from ce.extract.measures.recursion import count_recursion
from ce.extract.measures.visibility import set_visibility
from ce.extract.parsing import Parsed
from ce.extract.patterns import Pattern, pattern_of
from ce.extract.spec import CallRule
from ce.extract.walker import walk

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["core_facts", "measure_bodies", "measure_both", "measure_core"]

_MAX_STRINGS = 2_000
_MAX_ERRORS = 3
_ALIAS_KINDS = frozenset({"import", "import_from"})


def measure_core(parsed: Parsed) -> bytes:
    """Return the encoded extraction of one file, without what stands in the bodies of its units."""
    return encode_facts(parsed, core_facts(parsed, bodies=False))


def measure_bodies(parsed: Parsed) -> bytes:
    """Return the encoded numbers and calls of the units of one file."""
    return encode_bodies(core_facts(parsed))


def measure_both(parsed: Parsed) -> tuple[bytes, bytes]:
    """Return what `measure_core` and `measure_bodies` return, in less time than both take."""
    facts = core_facts(parsed)
    return encode_facts(parsed, facts), encode_bodies(facts)


def core_facts(parsed: Parsed, *, bodies: bool = True) -> Facts:
    """Return the facts of one file, with or without numbers and calls of the units."""
    if parsed.spec.scan is not None:
        facts = parsed.spec.scan(parsed)
    elif parsed.tree is not None:
        facts = _facts_of_tree(parsed, bodies)
    else:
        facts = Facts()
    facts.problems = [*parsed.problems, *facts.problems]
    return facts


def _facts_of_tree(parsed: Parsed, bodies: bool) -> Facts:
    spec = parsed.spec
    facts = walk(parsed, bodies=bodies)
    if not bodies and _calls_by_other_names(parsed, facts):
        facts = walk(parsed)
    _number_namesakes(facts)
    if spec.finish is not None:
        spec.finish(parsed, facts)
    around = language_spec(parsed.language) if parsed.language else None
    if around is not None and around.finish is not None:
        around.finish(parsed, facts)
    _number_sites(facts)
    aliases = _import_aliases(facts)
    for site in facts.sites:
        site.mode = _mode(parsed, facts, site, aliases)
    set_visibility(parsed, facts)
    if bodies:
        count_recursion(facts, spec.receivers, equations=spec.equations)
    _apply_call_rules(parsed, facts, aliases)
    _collect_strings(parsed, facts)
    _note_syntax_errors(parsed, facts)
    return facts


def _calls_by_other_names(parsed: Parsed, facts: Facts) -> bool:
    """Tell whether the file may call functions whose calls tell something by names that are its own."""
    calls, telling = parsed.spec.calls, compiled(parsed.spec.name).telling
    if calls is None or not telling:
        return False
    if calls.has_more is not None and calls.has_more(parsed, facts):
        return True
    rules = _rules_by_spelling(parsed.spec.name)
    aliases = _import_aliases(facts) if rules else {}
    return any("" in rules.get(target, ()) and local.encode() not in telling for local, target in aliases.items())


def _number_namesakes(facts: Facts) -> None:
    seen: dict[tuple[int, str], int] = {}
    for unit in facts.units:
        place = (unit.parent, unit.key)
        unit.nth = seen.get(place, 0)
        seen[place] = unit.nth + 1


def _number_sites(facts: Facts) -> None:
    seen: dict[int, int] = {}
    for site in facts.sites:
        site.nth = seen.get(site.line, 0)
        seen[site.line] = site.nth + 1


# --- import aliases and modes


def _import_aliases(facts: Facts) -> dict[str, str]:
    """Return what local names mean by the file's imports: `il` is `importlib`, `load` is `importlib.import_module`."""
    aliases: dict[str, str] = {}
    for site in facts.sites:
        if site.kind not in _ALIAS_KINDS:
            continue
        for name, local in site.names:
            if site.kind == "import_from" and name != "*":
                aliases.setdefault(local, f"{site.spec}.{name}")
            elif local != name:
                aliases.setdefault(local, name)
    return aliases


def _canonical(name: str, aliases: dict[str, str]) -> str:
    head, dot, rest = name.partition(".")
    return aliases.get(head, head) + dot + rest


def _mode(parsed: Parsed, facts: Facts, site: SiteDraft, aliases: dict[str, str]) -> str:
    spec = parsed.spec
    if spec.reads_ahead and not site.around:
        return site.mode
    if site.is_type or any(_is_type_only(parsed, structure, site, aliases) for structure in site.around):
        return "type"
    owner = -1 if spec.reads_ahead else site.owner
    while owner >= 0:
        if facts.units[owner].kind.kind == "fn":
            return "lazy"
        owner = facts.units[owner].parent
    if any(structure.type in spec.conditional for structure in site.around):
        return "conditional"
    if parsed.path.rpartition("/")[2] in spec.reexport_files or (spec.alias_reexports and site.spells_alias):
        return "reexport"
    return site.mode


def _is_type_only(parsed: Parsed, structure: Node, site: SiteDraft, aliases: dict[str, str]) -> bool:
    if structure.type not in parsed.spec.complexity.ifs or not parsed.spec.type_guards:
        return False
    condition = structure.child_by_field_name("condition")
    if condition is None:
        return False
    text = text_of(parsed, condition).strip()
    is_negated = text.startswith("not ")
    guards = {_canonical(part.strip(" ()"), aliases) for part in text.removeprefix("not ").split(" and ")}
    if not guards & set(parsed.spec.type_guards):
        return False
    body = structure.child_by_field_name("consequence")
    in_body = body is not None and body.start_byte <= site.start < body.end_byte
    return in_body != is_negated


# --- dynamic sites


def _apply_call_rules(parsed: Parsed, facts: Facts, aliases: dict[str, str]) -> None:
    rules = _rules_by_spelling(parsed.spec.name)
    if not rules:
        return
    aliased: dict[str, CallRule] = {}
    for local, target in aliases.items():
        for rest, rule in rules.get(target, {}).items():
            aliased[local + rest] = rule
    plain = rules[""]
    found = [call for call in facts.calls_seen if call[0] in plain or call[0] in aliased]
    if not found:
        return
    hidden = {*aliases, *(unit.name for unit in facts.units if unit.parent < 0)}
    for name, node, owner in found:
        meant = aliased.get(name) or (None if name.partition(".")[0] in hidden else plain.get(name))
        if meant is not None:
            _apply_call_rule(parsed, facts, meant, node, owner, aliases)
    _number_sites(facts)
    facts.dynamic.sort()


@cache
def _rules_by_spelling(language: str) -> dict[str, dict[str, CallRule]]:
    """Return the rules by what an alias may stand for: `importlib` leads to `.import_module`, the whole name to nothing more.

    The empty name leads to all whole names.
    """
    table: dict[str, dict[str, CallRule]] = {}
    for rule in language_spec(language).call_rules:
        for callee in rule.callees:
            table.setdefault("", {})[callee] = rule
            parts = callee.split(".")
            for cut in range(1, len(parts) + 1):
                table.setdefault(".".join(parts[:cut]), {})["".join(f".{part}" for part in parts[cut:])] = rule
    return table


def _apply_call_rule(parsed: Parsed, facts: Facts, rule: CallRule, callee: Node, owner: int, aliases: dict[str, str]) -> None:
    node = callee.parent
    if node is None:
        return
    line = node.start_point[0] + 1
    if rule.constant:
        facts.dynamic.append((line, rule.why, _within(parsed, facts, rule, node, aliases) or rule.constant))
        return
    argument = _subscript(node) if rule.subscript else _argument(parsed, node, rule.argument, rule.keyword)
    if argument is None or parsed.spec.strings is None:
        if not rule.needs_argument:
            facts.dynamic.append((line, rule.why, "*"))
        return
    if not rule.site:
        # Attribute names are everywhere and mean no files: only what names modules is worth a look at the whole function.
        _note_target(parsed, facts, rule, node, owner, pattern_of(argument, parsed.text, parsed.spec.strings, facts.constants))
        return
    values = LocalValues(parsed.spec, parsed.text, node, facts.constants)
    package = _argument(parsed, node, rule.package, rule.package_keyword) if rule.package >= 0 else None
    start = None if package is None else pattern_of(package, parsed.text, parsed.spec.strings, values)
    targets = [pattern_of(choice, parsed.text, parsed.spec.strings, values) for choice in values.choices(argument)]
    for target in dict.fromkeys(targets):
        is_relative = target.text.startswith(".") and rule.package >= 0
        _note_target(parsed, facts, rule, node, owner, _absolute(target, start) if is_relative else target)


def _within(parsed: Parsed, facts: Facts, rule: CallRule, call: Node, aliases: dict[str, str]) -> str:
    """Return the glob of what is in the imported module whose attribute `within` is the argument, empty when it is no such attribute."""
    argument = _argument(parsed, call, rule.argument, rule.keyword) if rule.within else None
    if argument is None:
        return ""
    name, _, attribute = parsed.text[argument.start_byte : argument.end_byte].decode("utf-8", "replace").rpartition(".")
    if attribute != rule.within or not name.replace(".", "").isidentifier():
        return ""
    first, dot, rest = name.partition(".")
    imported = (
        local.partition(".")[0] for site in facts.sites if site.kind in _ALIAS_KINDS for _, local in site.names or [("", site.spec)]
    )
    if first not in imported:  # what a variable holds is not known here
        return ""
    return f"{aliases.get(first, first)}{dot}{rest}.*"


def _note_target(parsed: Parsed, facts: Facts, rule: CallRule, node: Node, owner: int, target: Pattern) -> None:
    """Open a site for a literal target, and note any other as a dynamic fact."""
    line = node.start_point[0] + 1
    if target.is_literal and rule.site and target.text:
        site = SiteDraft(rule.site, target.text, line, owner, start=node.start_byte)
        site.around = structures_around(parsed, node)
        site.mode = _mode(parsed, facts, site, {})
        facts.sites.append(site)
    elif not (target.is_literal and rule.literal_is_harmless):
        facts.dynamic.append((line, rule.why, rule.template.format(target.as_glob())))


def _absolute(target: Pattern, package: Pattern | None) -> Pattern:
    """Return a relative target from a literal package; from any other package it stays relative to the file, as `__package__` is."""
    if package is None or not package.is_literal or not package.text:
        return target
    dots = len(target.text) - len(target.text.lstrip("."))
    segments = package.text.split(".")
    if dots > len(segments):
        return target
    base = ".".join(segments[: len(segments) - dots + 1])
    return Pattern(f"{base}.{target.text[dots:]}".rstrip("."), target.is_literal)


def _argument(parsed: Parsed, call: Node, position: int, keyword: str) -> Node | None:
    spec = parsed.spec
    if spec.calls is None or spec.strings is None:
        return None
    arguments = follow(call, spec.calls.arguments)
    if arguments is None:
        return None
    positional = []
    for child in arguments.named_children:
        if child.type in spec.comments:
            continue
        name = child.child_by_field_name("name") if child.type in spec.strings.keyword_arguments else None
        if name is None:
            positional.append(child)
        elif keyword and text_of(parsed, name) == keyword:
            value = child.child_by_field_name("value")
            if value is not None:
                return value
    return positional[position] if position < len(positional) else None


def _subscript(call: Node) -> Node | None:
    around = call.parent
    return around.child_by_field_name("subscript") if around is not None else None


# --- strings and syntax errors


def _collect_strings(parsed: Parsed, facts: Facts) -> None:
    """Keep the literals that look like dotted names or paths, in source order, at most `_MAX_STRINGS`."""
    kinds = parsed.spec.strings
    if kinds is None:
        return
    text = parsed.text
    found = set()
    for node in reference_contents(parsed):
        literal = node.parent
        around = literal.parent if literal is not None else None
        if around is None or not (around.type in kinds.bare_parents or (kinds.leaves_out and _is_left_out(parsed, around))):
            found.add((node.start_point[0] + 1, text[node.start_byte : node.end_byte].decode("utf-8", "replace")))
    facts.strings = sorted(found.union(facts.strings))[:_MAX_STRINGS]
    if len(found) > _MAX_STRINGS:
        facts.problems.append(f"more than {_MAX_STRINGS} strings look like names or paths: the first ones are kept")


def _is_left_out(parsed: Parsed, around: Node) -> bool:
    """Return whether a literal, or the list that it stands in, is the value of a key that names what to leave out."""
    kinds = parsed.spec.strings
    pair = around if kinds is None or around.type in kinds.pairs else around.parent
    key = pair.child_by_field_name("key") if kinds is not None and pair is not None and pair.type in kinds.pairs else None
    return kinds is not None and key is not None and re.fullmatch(kinds.leaves_out, text_of(parsed, key).strip("\"'")) is not None


def _note_syntax_errors(parsed: Parsed, facts: Facts) -> None:
    assert parsed.tree is not None
    if not parsed.tree.root_node.has_error:
        return
    lines = error_lines(parsed)
    facts.problems += [f"syntax error at line {line}" for line in lines[:_MAX_ERRORS]]
    if len(lines) > _MAX_ERRORS:
        facts.problems.append(f"syntax errors at {len(lines) - _MAX_ERRORS} more lines")


def error_lines(parsed: Parsed) -> list[int]:
    """Return the lines where the parser had to leave something out or put something in."""
    assert parsed.tree is not None
    lines = set()
    stack = [parsed.tree.root_node]
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            lines.add(node.start_point[0] + 1)
        elif node.has_error:
            stack.extend(node.children)
    return sorted(lines)
