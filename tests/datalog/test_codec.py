"""Checked programs as bytes: equal after a round trip, and nothing but a ValueError from bytes that hold none."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.datalog.checked import CheckedProgram
from ce.datalog.checks import check
from ce.datalog.codec import decode_program, encode_program
from ce.datalog.parse import parse
from ce.diagnostics import CeError
from ce.facts.schema import schema
from tests.datalog.programs import sound_texts

_TEXT = """
include "lib.dl".
decl edge(From: int, To: int).
output path.
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z), not (edge(Z, Y), Z < X) ; edge(Z, X), Z + 1 = X * 2.
degree(X, N) :- edge(X, _), N = count(Y : edge(X, Y)), N > -3.
@severity(note) @message("{X}") @doc("loops")
assert no_loop(X, "a b") :- path(X, X), degree(X, N), N != 3.
?- path(1, X).
edge(1, 2).
"""


def _program() -> CheckedProgram:
    return check(parse(_TEXT, "main.dl", loader=lambda *_: ("lib.dl", "l(X) :- edge(_, X).")))


def _document() -> Any:
    return json.loads(encode_program(_program()))


def _decode(document: Any) -> CheckedProgram:
    return decode_program(json.dumps(document).encode())


def _assert_equal(left: CheckedProgram, right: CheckedProgram) -> None:
    assert left == right
    # Equality of nodes ignores spans; their text forms, rules and goals do not lose them.
    assert [clause.span for clause in left.program.clauses] == [clause.span for clause in right.program.clauses]
    assert [(rule.span, [literal.span for literal in rule.body]) for rule in left.rules] == [
        (rule.span, [literal.span for literal in rule.body]) for rule in right.rules
    ]
    assert left.program.sources == right.program.sources
    assert [goal.span for goal in left.goals] == [goal.span for goal in right.goals]


def test_a_program_of_every_construct_survives_the_round_trip() -> None:
    checked = _program()
    decoded = decode_program(encode_program(checked))
    _assert_equal(decoded, checked)
    assert encode_program(decoded) == encode_program(checked)


@settings(max_examples=100, deadline=None)
@given(sound_texts())
def test_any_checked_program_survives_the_round_trip(text: str) -> None:
    try:
        checked = check(parse(text, "p.dl"))
    except CeError:
        return
    _assert_equal(decode_program(encode_program(checked)), checked)


def test_a_program_with_lone_surrogates_survives_the_round_trip() -> None:
    checked = check(parse('p("\udcff.py").', "p\udcff.dl"))
    _assert_equal(decode_program(encode_program(checked)), checked)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        decode_program(data)


@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"{}", b'{"format":"ce.checked/1"}', b"[" * 100_000, b'{"format":"ce.checked/0"}'])
def test_what_is_no_program_document_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        decode_program(data)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in _places(item, (*path, key)))]


_REPLACEMENTS: list[Any] = [None, True, -1, 10**6, 2**70, 1.5, "", "zzz", "+", [], [0], {}, [["v", "X", 0, 1, 1, 1, 1]]]


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_a_document_with_any_part_replaced_is_refused_or_is_a_sound_program(data: st.DataObject) -> None:
    document = _document()
    path = data.draw(st.sampled_from(_places(document)[1:]))
    target = document
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = data.draw(st.sampled_from(_REPLACEMENTS))
    try:
        decoded = _decode(document)
    except ValueError:
        return
    # What passes can be written and read again: nothing half-built came through.
    assert decode_program(encode_program(decoded)) == decoded


def _rule_of(document: Any, predicate: str) -> Any:
    nodes = document["nodes"]
    return next(rule for rule in document["rules"] if nodes[rule[0]][1] == predicate)


def _unbind_the_head(document: Any) -> None:
    rule = _rule_of(document, "degree")
    rule[1], rule[2] = [], []


def _reorder_the_body(document: Any) -> None:
    _rule_of(document, "!1")[1].reverse()


def _merge_the_strata(document: Any) -> None:
    names = [name for members, _ in document["strata"] for name in members]
    document["strata"] = [[names, True]]


def _turn_the_strata_around(document: Any) -> None:
    document["strata"].reverse()


def _drop_a_relation(document: Any) -> None:
    document["relations"] = [row for row in document["relations"] if row[0] != "path"]


def _change_an_arity(document: Any) -> None:
    next(row for row in document["relations"] if row[0] == "path")[1].append("int")


def _point_forward(document: Any) -> None:
    node = next(node for node in document["nodes"] if node[0] == "a")
    node[2] = [len(document["nodes"]) - 1]


def _nest_deeply(document: Any) -> None:
    nodes = document["nodes"]
    for _ in range(5000):
        nodes.append(["+", "+", len(nodes) - 1 if nodes[-1][0] == "+" else 0, 0, 0, 1, 1, 1, 1])


@pytest.mark.parametrize(
    "damage",
    [
        _unbind_the_head,
        _reorder_the_body,
        _merge_the_strata,
        _turn_the_strata_around,
        _drop_a_relation,
        _change_an_arity,
        _point_forward,
        _nest_deeply,
    ],
)
def test_a_document_that_breaks_a_promise_of_the_checks_is_refused(damage: Callable[[Any], None]) -> None:
    document = _document()
    damage(document)
    with pytest.raises(ValueError):
        _decode(document)


def test_a_program_of_60_clauses_is_decoded_in_milliseconds() -> None:
    lines = [f"p{i}(F, N) :- lines(F, N), ref(F, G, import, _), not role(G, test), N > {i}." for i in range(60)]
    data = encode_program(check(parse("\n".join(lines), "p.dl"), schema()))
    best = min(_time(data) for _ in range(5))
    assert best < 0.05


def _time(data: bytes) -> float:
    start = time.process_time()
    decode_program(data)
    return time.process_time() - start
