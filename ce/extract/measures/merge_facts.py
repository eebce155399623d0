"""What is measured of a template: where its holes stand, what they use, and what ties the copies to their places.

`programs/clones/merge.dl` judges it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ce.extract.measures.anti_unification import Branch, Part, Place, Template, Whole
from ce.extract.measures.merge_units import MergeUnit
from ce.extract.measures.position_tables import PositionTable
from ce.extract.measures.positions import Position, Role, Zone, below, is_name, named_leaves, start, table_of
from ce.extract.measures.terms import Term

__all__ = ["HolePlace", "TemplateFacts", "measure_template"]

_NO_VALUE = re.compile(
    r".*(_statement|_clause|_item|_arm|modifiers?|annotation|pattern|parameters?|declarator|declaration|directive|specifier|qualifier"
    r"|block|_body|_list|pair|splat|_argument|_content|_fragment)"
    r"|arguments?|field|(keyed|literal|spread)_element|label|match|patterns|guards|binds|alternatives?|jsx_text|jsx_attribute|decorator"
    r"|with_item|interpolation|format_specifier|ERROR|token_tree"
)
_ACTS = re.compile(
    r".*(call|invocation|await|yield|assignment|update|new_expression|macro|delete|throw|raise|return|creation|inc_statement"
    r"|dec_statement|named_expression|send|receive|try_expression).*|query"
)
_BINDING = (Role.BINDING, Role.DECORATED)
_LATER = re.compile(r"lambda.*|arrow_function|function_expression|closure_expression|func_literal|function_definition")


@dataclass(frozen=True, slots=True)
class HolePlace:
    """A place of a hole: what may stand there."""

    hole: int
    kind: str


@dataclass(slots=True)
class TemplateFacts:
    """The facts of a template; copies are numbers of its distinct terms.

    `places`: every place of a hole. `captured`: (hole, copy, name, `local` or `parameter`): the hole uses a name that the function binds.
    `clashes`: (hole, copy, name): the name that fills the hole means something elsewhere, too. `acts`: holes that do something.
    `plain`: holes that are one name in every copy. `closes`: (copy, name): a name of a function around the copy. `elsewhere`: names of
    the template that mean different things in the modules of the copies. `receives`: the
    template uses the object around it without a parameter for it.
    """

    places: list[HolePlace] = field(default_factory=list)
    captured: list[tuple[int, int, str, str]] = field(default_factory=list)
    clashes: list[tuple[int, int, str]] = field(default_factory=list)
    acts: list[int] = field(default_factory=list)
    plain: list[int] = field(default_factory=list)
    closes: list[tuple[int, str]] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    receives: bool = False


_Uses = dict[str, set[int]]  # name to the holes it stands in; 0 is the template


def measure_template(template: Template, units: Sequence[MergeUnit], modules: Sequence[Mapping[str, str]] = ()) -> TemplateFacts:
    """Return the facts of the template of some functions of one language; `units` are those of its distinct terms.

    `modules` are the names of the modules of all copies, with their meanings.
    """
    table = table_of(units[0].language)
    facts = TemplateFacts()
    uses: list[_Uses] = [{} for _ in units]
    used: dict[int, list[set[str]]] = {}
    for part, at in _positioned(table, template.root):
        if isinstance(part, Whole):
            _note_whole(table, part.term, at, uses, facts)
            continue
        facts.places.append(HolePlace(part.hole, _place_kind(table, part, at)))
        names = used.setdefault(part.hole, [set() for _ in units])
        for copy, side in enumerate(part.contents):
            for term in side:
                _note_content(table, term, at, part.hole, uses[copy], names[copy], facts)
    bound = [_bound(table, term) for term in template.terms]
    _tell_names(template, table, facts, uses, used, bound)
    for copy, unit in enumerate(units):
        facts.closes += [(copy, name) for name in sorted(uses[copy]) if name in unit.enclosing and name not in bound[copy]]
    shared = [name for name, holes in uses[0].items() if 0 in holes and not any(name in own for own in bound)]
    facts.elsewhere = sorted(name for name in shared if len({module.get(name, "") for module in modules}) > 1)
    return facts


def _positioned(table: PositionTable, root: Part) -> Iterator[tuple[Whole | Place, Position]]:
    """Yield the equal parts and the places of a template with their positions, in order."""
    pending: list[tuple[Part, Position]] = [(root, start())]
    while pending:
        part, at = pending.pop()
        if isinstance(part, Branch):
            parent = part.terms[0]
            pending.extend((child, below(table, at, parent, _sample(child))) for child in reversed(part.parts))
        else:
            yield part, at


def _sample(part: Part) -> Term:
    """Return a node that stands where a part does."""
    if isinstance(part, Whole):
        return part.term
    if isinstance(part, Branch):
        return part.terms[0]
    return next(term for side in part.contents for term in side)


def _note_whole(table: PositionTable, term: Term, at: Position, uses: Sequence[_Uses], facts: TemplateFacts) -> None:
    for leaf, here in named_leaves(table, term, at):
        is_own_name = here.role is Role.BINDING and here.zone is Zone.HEAD
        if not is_own_name and here.role not in (Role.MEMBER, Role.TYPE, Role.LABEL):
            for own in uses:
                own.setdefault(leaf.text, set()).add(0)
    facts.receives = facts.receives or _receives(table, term)


def _note_content(table: PositionTable, term: Term, at: Position, hole: int, uses: _Uses, names: set[str], facts: TemplateFacts) -> None:
    """Note the names that the content of a hole uses and does not bind itself."""
    leaves = list(named_leaves(table, term, at))
    own = {leaf.text for leaf, here in leaves if here.role in _BINDING} if term.children else set()
    for leaf, here in leaves:
        if here.role not in (Role.MEMBER, Role.TYPE, Role.LABEL):
            uses.setdefault(leaf.text, set()).add(hole)
            if leaf.text not in own:
                names.add(leaf.text)
    facts.receives = facts.receives or _receives(table, term)
    if hole not in facts.acts and _acts(term):
        facts.acts.append(hole)


def _tell_names(
    template: Template,
    table: PositionTable,
    facts: TemplateFacts,
    uses: Sequence[_Uses],
    used: dict[int, list[set[str]]],
    bound: Sequence[dict[str, str]],
) -> None:
    for hole in template.holes:
        contents = [side[0] for side in hole.contents if len(side) == 1]
        if len(contents) == len(hole.contents) and all(is_name(table, term) for term in contents):
            facts.plain.append(hole.number)
            facts.clashes += [
                (hole.number, copy, term.text) for copy, term in enumerate(contents) if len(uses[copy].get(term.text, ())) > 1
            ]
        for copy, names in enumerate(used[hole.number]):
            facts.captured += [(hole.number, copy, name, bound[copy][name]) for name in sorted(names) if name in bound[copy]]


def _bound(table: PositionTable, term: Term) -> dict[str, str]:
    """Return the names that a function binds: `parameter` where only its signature does, else `local`."""
    found: dict[str, str] = {}
    outer: set[str] = set()
    for leaf, at in named_leaves(table, term, start()):
        if at.role is Role.GLOBAL:
            outer.add(leaf.text)
        elif at.role in (*_BINDING, Role.IMPORT) and at.zone is not Zone.HEAD and not _is_constant(leaf.text, table):
            how = "parameter" if at.zone is Zone.SIGNATURE else "local"
            found[leaf.text] = how if found.get(leaf.text, how) == how else "local"
    return {name: how for name, how in found.items() if name not in outer}


def _is_constant(name: str, table: PositionTable) -> bool:
    """Tell whether a name in a pattern is one of a constant or a constructor, which binds nothing (Rust)."""
    return "match_pattern" in table.patterns and name[:1].isupper()


def _receives(table: PositionTable, term: Term) -> bool:
    return any(leaf.text in table.receivers for leaf in term.leaves())


def _acts(term: Term) -> bool:
    pending = [term]
    while pending:
        node = pending.pop()
        if node.named and _ACTS.fullmatch(node.kind):
            return True
        if not _LATER.fullmatch(node.kind):
            pending.extend(node.children)
    return False


def _place_kind(table: PositionTable, place: Place, at: Position) -> str:
    sides = place.contents
    if at.role is Role.STATEMENT and at.zone is not Zone.HEAD:
        return "documentation" if all(_is_documentation(side) for side in sides) else "statements"
    if at.role not in (Role.CODE, Role.CALLEE, Role.BINDING):
        return "forms" if at.zone is Zone.HEAD and at.role is Role.STATEMENT else at.role.value
    if not all(len(side) == 1 for side in sides):
        return "signature" if at.zone is not Zone.BODY else "sequence"
    contents = [side[0] for side in sides]
    if not all(term.named for term in contents):
        return "operator"
    if at.role is Role.BINDING:
        if not all(is_name(table, term) for term in contents):
            return "signature" if at.zone is Zone.SIGNATURE else "pattern"
        return "name" if at.zone is Zone.HEAD else "binding"
    if at.zone is not Zone.BODY:
        return "signature"
    if at.role is Role.CALLEE and not table.binds_methods and any(term.children for term in contents):
        return "method"
    return at.role.value if all(_is_value(table, term) for term in contents) else _other(contents)


def _is_value(table: PositionTable, term: Term) -> bool:
    return term.kind in table.expressions or not _NO_VALUE.fullmatch(term.kind)


def _other(contents: Sequence[Term]) -> str:
    if any(term.kind.endswith("_statement") or term.kind in ("block", "declaration") for term in contents):
        return "statements"
    return "text" if all("content" in term.kind or "fragment" in term.kind or "text" in term.kind for term in contents) else "other"


def _is_documentation(side: Sequence[Term]) -> bool:
    """Tell whether statements are one string or none: a docstring is no part of what a function does."""
    return not side or (len(side) == 1 and side[0].kind in ("string", "concatenated_string"))
