"""The visibility word of every unit: bit 0 exported by its own mechanism, bit 1 let out by its scopes too, bit 2 restricted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ce.extract.drafts import text_of
from ce.extract.spec import LanguageSpec, Visibility, VisibilityRule

if TYPE_CHECKING:
    from tree_sitter import Node

    from ce.extract.drafts import Facts, UnitDraft
    from ce.extract.parsing import Parsed

__all__ = ["EXPORTED", "LET_OUT", "RESTRICTED", "set_visibility"]

EXPORTED, LET_OUT, RESTRICTED = 1, 2, 4

_Mechanism = Callable[["Parsed", "Facts", "UnitDraft", VisibilityRule], int]


def set_visibility(parsed: Parsed, facts: Facts) -> None:
    """Give every unit its word. A unit is let out when it is exported, no function encloses it, and every enclosing type is open."""
    spec: LanguageSpec = parsed.spec
    rule = spec.visibility
    mechanism = _MECHANISMS[rule.mechanism]
    open_scope: list[bool] = []  # per unit: may something inside it be let out
    for unit in facts.units:
        let_out = unit.parent < 0 or open_scope[unit.parent]
        word = mechanism(parsed, facts, unit, rule)
        if word & EXPORTED and let_out:
            word |= LET_OUT
        unit.visibility = word
        open_scope.append(let_out and unit.kind.kind != "fn" and _is_open_type(facts, unit, word, rule))


def _is_open_type(facts: Facts, unit: UnitDraft, word: int, rule: VisibilityRule) -> bool:
    if rule.mechanism == Visibility.EXPORT_LIST:
        return is_public_by_convention(unit.name, rule.private_prefix)
    if rule.mechanism == Visibility.MODIFIER:
        # Only modules close what they hold: a method of an `impl` stands beside the type.
        return unit.kind.declares != "module" or word & (EXPORTED | RESTRICTED) == EXPORTED
    if rule.mechanism == Visibility.STATEMENT and unit.parent < 0 and not unit.kind.is_type:
        # A namespace that a script opens is global, and one with a quoted name is the module of that name.
        return bool(word & EXPORTED) or facts.is_script or unit.key.startswith(("'", '"'))
    return bool(word & EXPORTED)


def is_public_by_convention(name: str, private_prefix: str) -> bool:
    """Return whether the name is public by its spelling: no private prefix, or a double-underscore name."""
    return not name.startswith(private_prefix) or (name.startswith("__") and name.endswith("__") and len(name) > 4)


def _always(_parsed: Parsed, _facts: Facts, _unit: UnitDraft, _rule: VisibilityRule) -> int:
    return EXPORTED | LET_OUT


def _export_list(_parsed: Parsed, facts: Facts, unit: UnitDraft, rule: VisibilityRule) -> int:
    if rule.top_level_only and unit.parent >= 0:
        around = facts.units[unit.parent]
        return EXPORTED if around.kind.is_type and (not around.name or around.visibility & EXPORTED) else 0
    if unit.parent < 0 and facts.exports is not None:
        if unit.name in facts.exports:
            return EXPORTED
        if not facts.unreadable_exports:
            return 0
    return EXPORTED if is_public_by_convention(unit.name, rule.private_prefix) else 0


def _capitalised(_parsed: Parsed, _facts: Facts, unit: UnitDraft, _rule: VisibilityRule) -> int:
    return EXPORTED if unit.name[:1].isupper() else 0


def _modifier(parsed: Parsed, _facts: Facts, unit: UnitDraft, rule: VisibilityRule) -> int:
    assert unit.node is not None
    if unit.is_exported:
        return EXPORTED
    for child in unit.node.named_children:
        if child.type == rule.modifier:
            text = parsed.text[child.start_byte : child.end_byte].decode("utf-8", "replace")
            return EXPORTED if text in rule.open_texts else EXPORTED | RESTRICTED
    return 0


_MAX_STEPS = 12


def _statement(parsed: Parsed, facts: Facts, unit: UnitDraft, rule: VisibilityRule) -> int:
    assert unit.node is not None
    if unit.parent >= 0:
        around = facts.units[unit.parent]
        if around.kind.is_type:
            return _member(parsed, around, unit, rule)
        if around.kind.kind == "fn":
            return 0
    if unit.is_exported or _is_reached(parsed, unit, unit.node, rule):
        return EXPORTED
    return 0


def _is_reached(parsed: Parsed, unit: UnitDraft, node: Node, rule: VisibilityRule) -> bool:
    """Return whether an export statement or an ambient context reaches the declaration."""
    at = node.parent
    is_climbing = True  # through what the declaration is made of, so that an export statement above exports it
    for step in range(1, _MAX_STEPS):
        if at is None:
            return unit.parent < 0 and parsed.path.endswith(rule.ambient_suffixes)
        kind = at.type
        if kind == rule.ambient or (kind == rule.export and (is_climbing or step <= 2)):
            return True
        if kind in rule.named_through:
            name = at.child_by_field_name("name")
            is_climbing = is_climbing and name is not None and text_of(parsed, name) == unit.name
        elif kind not in rule.through:
            is_climbing = False
            if step > 1 and kind not in rule.ambient_through:
                return False
        at = at.parent
    return False


def _member(parsed: Parsed, around: UnitDraft, unit: UnitDraft, rule: VisibilityRule) -> int:
    assert unit.node is not None
    if not around.visibility & EXPORTED or unit.name.startswith(rule.private_prefix):
        return 0
    for child in unit.node.named_children:
        if child.type == rule.modifier:
            text = text_of(parsed, child)
            if text in rule.closed_texts:
                return 0
            if text in rule.restricted_texts:
                return EXPORTED | RESTRICTED
    return EXPORTED


def _read(_parsed: Parsed, _facts: Facts, unit: UnitDraft, _rule: VisibilityRule) -> int:
    return unit.visibility & (EXPORTED | RESTRICTED)


_MECHANISMS: dict[Visibility, _Mechanism] = {
    Visibility.ALWAYS: _always,
    Visibility.EXPORT_LIST: _export_list,
    Visibility.CAPITALISED: _capitalised,
    Visibility.MODIFIER: _modifier,
    Visibility.READ: _read,
    Visibility.STATEMENT: _statement,
}
