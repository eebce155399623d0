"""Reading programs: the language, its positions, includes, queries and recovery."""

from __future__ import annotations

import pytest

from ce.datalog.parse import parse, parse_program
from ce.datalog.syntax import Arithmetic, Atom, Comparison, Constant, Disjunction, Query, Rule, Variable
from ce.diagnostics import CeError, Span

_NOWHERE = Span("", 0, 0, 0, 0)


def _variable(name: str) -> Variable:
    return Variable(name, span=_NOWHERE)


def _constant(value: int | str) -> Constant:
    return Constant(value, span=_NOWHERE)


def _atom(predicate: str, *args: Variable | Constant | Arithmetic, negated: bool = False) -> Atom:
    return Atom(predicate, args, negated, span=_NOWHERE)


def _rule(text: str) -> Rule:
    (clause,) = parse(text, "p.dl").clauses
    assert isinstance(clause, Rule)
    return clause


def test_a_rule_has_its_head_and_its_literals_in_textual_order() -> None:
    rule = _rule("p(X) :- q(X, a), not r(X), X < 3.")
    assert rule.head == _atom("p", _variable("X"))
    comparison = Comparison("<", _variable("X"), _constant(3), span=_NOWHERE)
    assert rule.body == (_atom("q", _variable("X"), _constant("a")), _atom("r", _variable("X"), negated=True), comparison)


def test_a_quoted_name_and_a_bare_name_are_the_same_constant() -> None:
    assert parse('p("a").', "p.dl") == parse("p(a).", "p.dl")


@pytest.mark.parametrize(
    ("text", "value"),
    [("p(-1).", -1), ("p(9223372036854775807).", 2**63 - 1), ("p(-9223372036854775808).", -(2**63)), ("p(007).", 7)],
)
def test_integers_carry_their_sign_and_reach_both_ends_of_64_bits(text: str, value: int) -> None:
    assert _rule(text).head.args == (_constant(value),)


@pytest.mark.parametrize("text", ["p(X) :- q(X, N), X = N-1.", "p(X) :- q(X, N), X = N -1.", "p(X) :- q(X, N), X = N - 1."])
def test_a_minus_after_an_operand_subtracts(text: str) -> None:
    comparison = _rule(text).body[1]
    assert isinstance(comparison, Comparison)
    assert comparison.right == Arithmetic("-", _variable("N"), _constant(1), span=_NOWHERE)


def test_multiplication_binds_tighter_and_operators_associate_to_the_left() -> None:
    comparison = _rule("p(X) :- q(A, B), X = A - B * 2 - 1.").body[1]
    assert isinstance(comparison, Comparison)
    product = Arithmetic("*", _variable("B"), _constant(2), span=_NOWHERE)
    left = Arithmetic("-", _variable("A"), product, span=_NOWHERE)
    assert comparison.right == Arithmetic("-", left, _constant(1), span=_NOWHERE)


def test_a_comma_binds_tighter_than_a_semicolon() -> None:
    (literal,) = _rule("p(X) :- a(X), b(X) ; c(X).").body
    assert isinstance(literal, Disjunction)
    assert [len(alternative) for alternative in literal.alternatives] == [2, 1]


def test_positions_are_lines_and_columns_of_characters() -> None:
    rule = _rule("# ünï\n\tp(é)".replace("é", '"é"') + " :-\n  q(X).")
    assert rule.span == Span("p.dl", 2, 2, 3, 8)
    assert rule.body[0].span == Span("p.dl", 3, 3, 3, 7)


def test_words_of_the_directives_stay_free_as_relations_and_names() -> None:
    program = parse("decl(output) :- include(decl). output(1).", "p.dl")
    assert [clause.head.predicate for clause in program.clauses if isinstance(clause, Rule)] == ["decl", "output"]


@pytest.mark.parametrize("text", ["dead(F)", "dead(F).", "?- dead(F)", "?- dead(F)."])
def test_an_ad_hoc_query_is_wrapped_unless_it_is_written_so_already(text: str) -> None:
    (clause,) = parse_program([], query=("query", text)).clauses
    assert isinstance(clause, Query)
    assert clause.body == (_atom("dead", _variable("F")),)
    assert clause.body[0].span.column == text.index("dead") + 1


def test_an_empty_query_is_said_so() -> None:
    with pytest.raises(CeError, match="CE110"):
        parse_program([], query=("query", "  # nothing\n"))


def test_an_include_is_replaced_by_its_clauses_once() -> None:
    files = {"lib.dl": 'include "other.dl". l(1).', "other.dl": 'include "lib.dl". o(1).'}
    program = parse('include "lib.dl". include "other.dl". m(1).', "main.dl", loader=lambda path, _: (path, files[path]))
    assert [clause.head.predicate for clause in program.clauses if isinstance(clause, Rule)] == ["o", "l", "m"]
    assert set(program.sources) == {"main.dl", "lib.dl", "other.dl"}


def test_a_missing_include_is_reported_where_it_is_written() -> None:
    with pytest.raises(CeError, match=r"main.dl:1:1: error CE210"):
        parse('include "gone.dl".', "main.dl", loader=lambda *_: None)


def test_a_clause_with_a_fault_is_left_out_and_the_others_are_read() -> None:
    program = parse_program([("p.dl", "a(1).\nb(X :- c(X).\nd(2).\ne(3)\nf(4).\n")], recover=True)
    assert [clause.head.predicate for clause in program.clauses if isinstance(clause, Rule)] == ["a", "d", "f"]
    assert [(fault.code, fault.span.line if fault.span else 0) for fault in program.faults] == [("CE106", 2), ("CE105", 4)]
    assert program.suspects == {"b", "e"}
