"""A `LanguageSpec` against its grammar: node kinds and fields as numbers, all queries as one.

One query finds every node the walker wants, because running a query costs a visit of every node, whatever it captures. Each node that it
captures costs about as much as ten that it visits, so there is a second query for those who do not ask what stands in bodies.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ce.extract.parsing import grammar
from ce.extract.spec import LanguageSpec, Path, UnitKind

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query

__all__ = [
    "CALL",
    "DECORATOR",
    "JUMP",
    "OPERATOR",
    "SITE",
    "SITE_PARTS",
    "Compiled",
    "CompiledUnit",
    "NodeRole",
    "Role",
    "compile_spec",
    "compiled",
    "follow",
]

# What the walker does with a capture. Capture `part` of site rule `i` is the event `SITE + 8 * i + part`.
NODE, CALL, OPERATOR, JUMP, DECORATOR = range(5)
SITE = 8
SITE_PARTS = ("site", "spec", "name", "star", "type", "default", "namespace")

_SITE_CAPTURE = re.compile(rf"@({'|'.join(SITE_PARTS)})\b")


class Role:
    """What a structural node does to the level of what stands in it."""

    NONE = 0
    NESTING = 1
    FLAT = 2
    NEST_ONLY = 3
    CHAIN = 4
    CONDITIONAL = 5


@dataclass(frozen=True, slots=True)
class CompiledUnit:
    """A unit kind with the numbers of its fields; a number is 0 where the path is longer than one field."""

    kind: UnitKind
    is_function: bool
    is_conditional: bool  # it may turn out not to be a unit here
    name_field: int
    params_field: int
    ignored: frozenset[int]  # kinds that are no parameters
    marks: re.Pattern[bytes] | None  # without such a character nothing among the parameters is ignored


@dataclass(frozen=True, slots=True)
class NodeRole:
    """Everything the walker needs to know about a structural kind.

    `bodies` are field numbers, or kind numbers negated. `body_to_end`: the first body and all that follows it are bodies.
    """

    cyclomatic: int
    role: int
    bodies: tuple[int, ...]
    body_to_end: bool
    is_if: bool
    unit: CompiledUnit | None


@dataclass(frozen=True, slots=True)
class Compiled:
    """The numbers and the queries of one language. `events` maps the captures that are folded to what the walker does with them.

    `query` captures everything, `outline` what the layer `core` needs: no structures, operators and comments, and calls only where some
    of them mean more than a call, which those whose last name is in `telling` may. `silent` is for files that spell none of these names.
    `conditions` are the kinds of what can make a reference conditional or one for types only.
    """

    spec: LanguageSpec
    language: Language
    query: Query
    outline: Query
    silent: Query
    telling: frozenset[bytes]
    conditions: frozenset[int]
    roles: dict[int, NodeRole]
    if_kinds: frozenset[int]
    alternative: int  # 0 when the alternative of an `if` is always a flat clause
    events: dict[str, int]


def follow(node: Node, path: Path) -> Node | None:
    """Return the node that the path leads to, or None. The steps are those of `spec.py`."""
    at: Node | None = node
    for index, step in enumerate(path):
        assert at is not None
        if step.endswith("*"):
            at = _follow_along(at, step[:-1], path[index + 1] if index + 1 < len(path) else "")
        elif step.startswith("<"):
            at = next((child for child in at.named_children if child.type == step[1:-1]), None)
        else:
            at = at.child_by_field_name(step)
        if at is None:
            return None
    return at


def _follow_along(node: Node, name: str, until: str) -> Node:
    while not (until and node.child_by_field_name(until)):
        below = node.child_by_field_name(name)
        if below is None:
            break
        node = below
    return node


@cache
def compiled(spec_name: str) -> Compiled:
    """Return the compiled table of that language."""
    from ce.extract.languages import language_spec

    return compile_spec(language_spec(spec_name))


def compile_spec(spec: LanguageSpec) -> Compiled:
    """Return the table against its grammar; a kind or field that the grammar lacks is a `ValueError`."""
    from tree_sitter import Query

    language = grammar(spec.grammar)
    kinds = spec.complexity
    events = {"n": NODE, "callee": CALL, "call": CALL, "op": OPERATOR, "jump": JUMP, "decorator": DECORATOR}
    roles = _node_roles(spec, language)
    telling = _telling(spec)
    calls = spec.calls.query if spec.calls else ""
    units = _any_of([language.node_kind_for_id(kind) or "" for kind, role in sorted(roles.items()) if role.unit is not None], "n")
    structures = _any_of([language.node_kind_for_id(kind) or "" for kind, role in sorted(roles.items()) if role.unit is None], "n")
    shared = [spec.looks, units, _any_of(spec.decorators.kinds if spec.decorators else (), "decorator")]
    for index, rule in enumerate(spec.sites):
        shared.append(_SITE_CAPTURE.sub(rf"@s{index}.\1", rule.query))
        for part, name in enumerate(SITE_PARTS):
            events[f"s{index}.{name}"] = SITE + 8 * index + part
    bodies = [kinds.operators, kinds.jumps, kinds.opaque, structures, _any_of(spec.comments, "comment"), calls]
    return Compiled(
        spec=spec,
        language=language,
        query=Query(language, "\n".join([*shared, *bodies])),
        outline=Query(language, "\n".join([*shared, calls] if telling else shared)),
        silent=Query(language, "\n".join(shared)),
        telling=telling,
        conditions=frozenset(_kind(language, name) for name in (*spec.conditional, *(kinds.ifs if spec.type_guards else ()))),
        roles=roles,
        if_kinds=frozenset(_kind(language, name) for name in kinds.ifs if name in kinds.nesting),
        alternative=0 if kinds.flat else language.field_id_for_name(kinds.alternative) or 0,
        events=events,
    )


def _any_of(kinds: Sequence[str], capture: str) -> str:
    """Return the query that captures the nodes of these kinds, nothing when there are none."""
    return f"[{' '.join(f'({kind})' for kind in kinds)}] @{capture}" if kinds else ""


def _telling(spec: LanguageSpec) -> frozenset[bytes]:
    """Return the last names of the functions whose calls the table or its hook reads."""
    callees = [callee for rule in spec.call_rules for callee in rule.callees]
    if spec.calls is not None:
        callees += spec.calls.telling
    return frozenset(callee.rpartition(".")[2].encode() for callee in callees)


def _node_roles(spec: LanguageSpec, language: Language) -> dict[int, NodeRole]:
    kinds = spec.complexity
    units = {unit.node: _compiled_unit(spec, unit, language) for unit in spec.units}
    names = {*units, *kinds.cyclomatic, *kinds.nesting, *kinds.flat, *kinds.nest_only, *kinds.chains, *spec.conditional}
    roles = {}
    for name in sorted(names):
        role = Role.NONE
        bodies: tuple[str, ...] = ()
        if name in kinds.nesting:
            role, bodies = Role.NESTING, kinds.nesting[name]
        elif name in kinds.flat:
            role = Role.FLAT
        elif name in kinds.nest_only:
            role = Role.NEST_ONLY
        elif name in kinds.chains:
            role = Role.CHAIN
        elif name in spec.conditional:
            role = Role.CONDITIONAL
        roles[_kind(language, name)] = NodeRole(
            cyclomatic=int(name in kinds.cyclomatic),
            role=role,
            bodies=tuple(_body(language, body) for body in bodies),
            body_to_end=len(bodies) > 1 and bodies[-1] == kinds.alternative,
            is_if=name in kinds.ifs,
            unit=units.get(name),
        )
    return roles


def _compiled_unit(spec: LanguageSpec, unit: UnitKind, language: Language) -> CompiledUnit:
    def only_field(path: Path) -> int:
        if len(path) != 1 or path[0].endswith("*") or path[0].startswith("<"):
            return 0
        return language.field_id_for_name(path[0]) or 0

    return CompiledUnit(
        kind=unit,
        is_function=unit.kind == "fn",
        is_conditional=unit.top_level or bool(unit.requires),
        name_field=0 if spec.name_of else only_field(unit.name),
        params_field=only_field(unit.params),
        ignored=frozenset(_kind(language, name) for name in (*spec.comments, *unit.params_ignored)),
        marks=re.compile(f"[{re.escape(unit.params_ignored_marks)}]".encode()) if unit.params_ignored_marks else None,
    )


def _kind(language: Language, name: str) -> int:
    number = language.id_for_node_kind(name, True)
    if number is None:
        raise ValueError(f"the grammar {language.name} has no kind `{name}`")
    return number


def _body(language: Language, body: str) -> int:
    if body.startswith("<"):
        return -_kind(language, body[1:-1])
    number = language.field_id_for_name(body)
    if number is None:
        raise ValueError(f"the grammar {language.name} has no field `{body}`")
    return number
