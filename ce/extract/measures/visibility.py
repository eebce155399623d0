"""The visibility word of every unit: bit 0 exported by its own mechanism, bit 1 let out by its scopes too, bit 2 restricted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ce.extract.spec import LanguageSpec, Visibility, VisibilityRule

if TYPE_CHECKING:
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
        open_scope.append(let_out and unit.kind.kind != "fn" and _is_open_type(unit, word, rule))


def _is_open_type(unit: UnitDraft, word: int, rule: VisibilityRule) -> bool:
    if rule.mechanism == Visibility.EXPORT_LIST:
        return is_public_by_convention(unit.name, rule.private_prefix)
    return bool(word & EXPORTED)


def is_public_by_convention(name: str, private_prefix: str) -> bool:
    """Return whether the name is public by its spelling: no private prefix, or a double-underscore name."""
    return not name.startswith(private_prefix) or (name.startswith("__") and name.endswith("__") and len(name) > 4)


def _always(_parsed: Parsed, _facts: Facts, _unit: UnitDraft, _rule: VisibilityRule) -> int:
    return EXPORTED | LET_OUT


def _export_list(_parsed: Parsed, facts: Facts, unit: UnitDraft, rule: VisibilityRule) -> int:
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
    for child in unit.node.named_children:
        if child.type == rule.modifier:
            text = parsed.text[child.start_byte : child.end_byte].decode("utf-8", "replace")
            return EXPORTED if text in rule.open_texts else EXPORTED | RESTRICTED
    return 0


_MECHANISMS: dict[Visibility, _Mechanism] = {
    Visibility.ALWAYS: _always,
    Visibility.EXPORT_LIST: _export_list,
    Visibility.CAPITALISED: _capitalised,
    Visibility.MODIFIER: _modifier,
}
