"""What the checks make of sound programs: core rules, safe orders, sorts, strata, goals."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.datalog.api import run
from ce.datalog.checked import CheckedProgram, SchemaRelation
from ce.datalog.checks import check
from ce.datalog.format import unparse_body, unparse_literal
from ce.datalog.invariants import validate
from ce.datalog.parse import parse, parse_program
from ce.datalog.syntax import Program, Rule
from ce.diagnostics import CeError
from ce.facts.schema import schema
from tests.datalog.programs import sound_texts


def _check(text: str, **facts: tuple[str, ...] | None) -> CheckedProgram:
    return check(parse(text, "p.dl"), facts=facts)


def _core(text: str, **facts: tuple[str, ...] | None) -> list[str]:
    return [f"{unparse_literal(rule.head)} :- {unparse_body(rule.body)}" for rule in _check(text, **facts).rules]


def _codes(text: str, **facts: tuple[str, ...] | None) -> list[str]:
    try:
        _check(text, **facts)
    except CeError as error:
        return [diagnostic.code for diagnostic in error.diagnostics]
    return []


def test_a_body_is_stored_in_the_safe_order_nearest_to_its_text() -> None:
    checked = _check("p(X) :- X < Y, not q(X), Y = X + 1, q(X), r(Y).", q=("int",), r=("int",))
    assert unparse_body(checked.rules[0].body) == "q(X), not q(X), Y = X + 1, X < Y, r(Y)"
    assert checked.rules[0].positions == (3, 1, 2, 0, 4)


@pytest.mark.parametrize("equation", ["Y = X + 1", "X + 1 = Y", "Y = X", "X = Y", "Y = 3", "3 = Y"])
def test_an_equation_binds_a_lone_variable_on_either_side(equation: str) -> None:
    assert _codes(f"p(Y) :- {equation}, q(X).", q=("int",)) == []


def test_the_result_of_an_aggregate_may_be_compared_by_a_relation_that_comes_first() -> None:
    assert _core("p(N) :- q(N), N = count(X : r(X)).", q=("int",), r=("int",)) == ["p(N) :- N = count(X : r(X)), q(N)"]


def test_the_groups_of_an_aggregate_are_the_variables_it_shares_with_its_clause() -> None:
    (rule,) = _check("p(X, N) :- N = count(Y : q(X, Y), Z = Y, Z > W), r(X, W).", q=("int", "int"), r=("int", "int")).rules
    assert rule.body[1].groups == ("X", "W")  # type: ignore[union-attr]  # the aggregate stands last


def test_variables_of_different_groups_with_one_name_are_different_variables() -> None:
    text = "p(N, M) :- N = count(X : q(X)), M = count(X : r(X)), not (q(X), r(X))."
    assert _codes(text, q=("int",), r=("sym",)) == ["CE203"]
    assert _codes(text.replace(", not (q(X), r(X))", ""), q=("int",), r=("sym",)) == []


def test_each_alternative_becomes_a_rule_of_the_same_clause() -> None:
    checked = _check("p(X) :- a(X), (b(X) ; c(X), d(X)) ; e(X).", **dict.fromkeys("abcde", ("int",)))
    assert [unparse_body(rule.body) for rule in checked.rules] == ["a(X), b(X)", "a(X), c(X), d(X)", "e(X)"]
    assert [rule.positions for rule in checked.rules] == [(0, 1), (0, 2, 3), (4,)]
    assert {rule.clause for rule in checked.rules} == {0}


def test_a_negated_group_becomes_the_negation_of_an_auxiliary_relation() -> None:
    checked = _check("p(X) :- a(X), not (b(X, Y), c(Y)).", a=("int",), b=("int", "int"), c=("int",))
    assert [unparse_literal(rule.head) + " :- " + unparse_body(rule.body) for rule in checked.rules] == [
        "~1(X) :- b(X, Y), c(Y)",
        "p(X) :- a(X), not ~1(X)",
    ]
    assert [rule.auxiliary for rule in checked.rules] == [True, False]
    assert checked.relations["~1"].auxiliary


@pytest.mark.parametrize(
    ("group", "core"),
    [
        ("not (b(X, Y))", "a(X), not b(X, _)"),
        ("not (X < 3)", "a(X), X >= 3"),
        ("not (b(X, Y) ; X = 3)", "a(X), not b(X, _), X != 3"),
        ("not (b(Y, Y))", "a(X), not ~1()"),
        ("not (c(Z), Z < X)", "a(X), _1 = count(_2 : c(Z), Z < X, _2 = 0), _1 = 0"),
        ("not (not b(X, X))", "a(X), _1 = count(_2 : not b(X, X), _2 = 0), _1 = 0"),
        ("not (X / 2 = 1)", "a(X), _1 = count(_2 : X / 2 = 1, _2 = 0), _1 = 0"),
    ],
)
def test_a_negated_group_takes_the_simplest_core_form(group: str, core: str) -> None:
    checked = _check(f"p(X) :- a(X), {group}.", a=("int",), b=("int", "int"), c=("int",))
    assert unparse_body(checked.rules[-1].body) == core


def test_arithmetic_in_arguments_becomes_equations() -> None:
    text = "p(X + 1, Y) :- q(X, X * 2, Y), not q(X - 1, _, Y)."
    assert _core(text, q=("int", "int", "int")) == ["p(_3, Y) :- q(X, _1, Y), _1 = X * 2, _2 = X - 1, not q(_2, _, Y), _3 = X + 1"]


def test_an_aggregate_over_alternatives_reads_an_auxiliary_relation() -> None:
    assert _core("p(X, N) :- a(X), N = count(Y : b(X, Y) ; b(Y, X)).", a=("int",), b=("int", "int")) == [
        "~1(Y, X) :- b(X, Y)",
        "~1(Y, X) :- b(Y, X)",
        "p(X, N) :- a(X), N = count(Y : ~1(Y, X))",
    ]


def test_in_is_sugar_over_a_schema_with_globs_and_a_free_name_without() -> None:
    program = parse('p(F) :- in(F, "src/**").', "p.dl")
    (rule,) = check(program, schema()).rules
    assert unparse_body(rule.body) == 'set("src/**", F)'
    assert _core('in(1, "x"). p(F) :- in(F, "x").')[1] == "p(F) :- in(F, x)"


def test_texts_take_the_sort_of_their_place() -> None:
    checked = check(parse('p(X) :- ref("a.py", X, import, _), in_dir(X, src). q("b.py") :- p("b.py"). ?- q(X), p(X).', "p.dl"), schema())
    assert checked.relations["p"].sorts == ("node",)
    assert checked.relations["q"].sorts == ("node",)
    assert checked.goals[0].sorts == ("node",)


def test_what_nothing_constrains_is_open_and_what_only_texts_reach_is_sym() -> None:
    checked = _check("p(X) :- q(X). r(a). s(X) :- r(X). t(3).", q=("open",))
    assert {name: relation.sorts for name, relation in checked.relations.items()} == {
        "p": ("open",), "q": ("open",), "r": ("sym",), "s": ("sym",), "t": ("int",),
    }  # fmt: skip


def test_a_relation_may_have_facts_and_rules_and_declared_ones_need_neither() -> None:
    checked = _check("decl edge(A: int, B: int). path(X, Y) :- edge(X, Y). edge(1, 2). output edge.", edge=("int", "int"), empty=None)
    assert checked.relations["edge"].edb and checked.relations["edge"].idb
    assert checked.outputs == ("edge",)
    assert _codes("p(X) :- empty(X).", empty=None) == []


def test_strata_come_in_order_of_evaluation_and_say_what_is_recursive() -> None:
    checked = _check("d(X) :- n(X), not r(X). r(X) :- s(X). r(Y) :- r(X), e(X, Y). s(1). ?- d(X).", n=("int",), e=("int", "int"))
    assert [(stratum.predicates, stratum.recursive) for stratum in checked.strata] == [
        (("s",), False), (("r",), True), (("d",), False), (("?1",), False),
    ]  # fmt: skip


def test_goals_know_their_columns_annotations_and_predicates() -> None:
    text = '@severity(warning) @message("{X} is bad") @doc("why") assert bad(X, Y + 1, "z", a) :- e(X, Y). ?- e(Y, X), not e(Y, 3).'
    checked = _check(text, e=("sym", "int"))
    assertion, query = checked.goals
    assert (assertion.kind, assertion.name, assertion.predicate) == ("assert", "bad", "!1")
    assert assertion.columns == ("X", "Y + 1", "z", "a")
    assert assertion.sorts == ("sym", "int", "sym", "sym")
    assert (assertion.severity, assertion.message, assertion.doc) == ("warning", "{X} is bad", "why")
    assert (query.kind, query.name, query.predicate, query.columns, query.severity) == ("query", None, "?1", ("Y", "X"), "error")


def test_assertions_may_share_a_name_and_the_name_of_a_relation() -> None:
    assert _codes("bad(X) :- q(X). assert bad(X) :- bad(X). assert bad(X, Y) :- q(X), q(Y).", q=("int",)) == []


def test_a_proof_names_the_line_of_the_head_not_of_the_annotation() -> None:
    checked = _check('# c\n@doc("d")\nassert bad(X) :-\n    q(X).', q=("int",))
    assert checked.rules[0].at == "p.dl:3"


def test_a_clause_with_a_fault_is_reported_once_by_the_first_check_that_fails() -> None:
    assert _codes("p(X) :- q(X, X), Y < 3, gone(X).", q=("int",)) == ["CE201"]
    assert _codes("p(X) :- q(X), Y < 3, gone(X).", q=("int",)) == ["CE205"]


def test_reading_and_checking_report_together_sorted_by_place() -> None:
    with pytest.raises(CeError) as caught:
        check(parse_program([("p.dl", "a(X) :- gone(X).\nb(X :- q(X).\nc(X, Y) :- q(X).")], recover=True), facts={"q": ("int",)})
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["CE202", "CE106", "CE205"]
    assert "gone(X)" in str(caught.value)


def test_the_sorts_of_loaded_facts_are_checked() -> None:
    assert _codes("p(X) :- q(X), X > 3.", q=("sym",)) == ["CE203"]
    assert _codes("p(X) :- q(X, Y).", q=("sym",)) == ["CE201"]


def test_reserved_relations_may_be_defined_by_reserved_sources_only() -> None:
    program = parse_program([("prelude", "reach(X) :- q(X)."), ("rules", "reach(X) :- q(X).")])
    with pytest.raises(CeError, match="CE208"):
        check(program, reserved=("prelude",), facts={"q": ("int",)})
    checked = check(parse_program([("prelude", "reach(X) :- q(X).")]), reserved=("prelude",), facts={"q": ("int",)})
    assert checked.relations["reach"].reserved


def test_a_column_without_a_vocabulary_may_hold_any_constant() -> None:
    relation = SchemaRelation("kind", ("F", "K"), ("node", "sym"), vocabularies=(None, ("a", "b")))
    assert check(parse("k(X) :- kind(_, X). k(other) :- kind(_, a). p(X) :- k(X), X = other. q(c). ?- q(d).", "p.dl"), [relation]).rules
    with pytest.raises(CeError, match="CE209"):
        check(parse("k(X) :- kind(_, X). p(X) :- k(X), X != c.", "p.dl"), [relation])


def test_an_aggregate_in_a_negation_whose_result_has_a_value_outside_is_compared_with_it() -> None:
    facts = "p(1). p(2). q(1, 2). q(1, 3). q(2, 7). r(1, 3). r(2, 5). "
    rule = "k(X, N) :- p(X), N = count(W : q(X, W)), not (N = count(W : r(X, W))). ?- k(X, N)."
    validate(check(parse(facts + rule, "p.dl")))
    assert run(facts + rule, {})["k"] == [(1, 2)]


@settings(max_examples=150, deadline=None)
@given(sound_texts())
def test_a_checked_program_keeps_its_invariants(text: str) -> None:
    try:
        checked = check(parse(text, "p.dl"))
    except CeError:
        return
    validate(checked)


@settings(max_examples=150, deadline=None)
@given(sound_texts(), st.integers(0, 2**32))
def test_the_order_of_literals_changes_neither_the_codes_nor_the_meaning_of_groups(text: str, seed: int) -> None:
    program = parse(text, "p.dl")
    assert _outcome(_shuffled(program, random.Random(seed))) == _outcome(program)


def _shuffled(program: Program, chance: random.Random) -> Program:
    bodies = [(clause, list(clause.body) if isinstance(clause, Rule) else []) for clause in program.clauses]
    for _, body in bodies:
        chance.shuffle(body)
    return replace(
        program, clauses=tuple(replace(clause, body=tuple(body)) if isinstance(clause, Rule) else clause for clause, body in bodies)
    )


def _outcome(program: Program) -> object:
    """Return the codes of the faults, or the sorts and the literals of every rule, whatever their order."""
    try:
        checked = check(program)
    except CeError as error:
        return sorted({diagnostic.code for diagnostic in error.diagnostics})
    rules = sorted((unparse_literal(rule.head), sorted(map(repr, rule.body))) for rule in checked.rules if not rule.auxiliary)
    shapes = {name: relation.sorts for name, relation in checked.relations.items() if not relation.auxiliary}
    return shapes, [head for head, _ in rules], [len(body) for _, body in rules]
