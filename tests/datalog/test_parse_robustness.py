"""Any text ends in a program or in diagnostics: never a traceback, never slowly."""

from __future__ import annotations

import re
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.datalog.checks import check
from ce.datalog.parse import parse, parse_program
from ce.diagnostics import CeError
from ce.facts.schema import schema
from tests.datalog.programs import clauses, program_like_text


def _diagnose(text: str, *, query: bool = False) -> CeError | None:
    try:
        program = parse_program([] if query else [("p.dl", text)], query=("p.dl", text) if query else None, recover=True)
        check(program, schema())
    except CeError as error:
        return error
    return None


@settings(max_examples=400, deadline=None)
@given(program_like_text, st.booleans())
def test_any_text_is_a_program_or_has_diagnostics_that_point_into_it(text: str, query: bool) -> None:
    error = _diagnose(text, query=query)
    if error is not None:
        lines = re.split(r"\r\n|\r|\n", text)
        for diagnostic in error.diagnostics:
            span = diagnostic.span
            assert span is not None
            assert 1 <= span.line <= len(lines)
            assert 1 <= span.column <= len(lines[span.line - 1]) + 2
        assert str(error)


@settings(max_examples=200, deadline=None)
@given(st.lists(clauses, max_size=4))
def test_any_syntax_tree_is_checked_or_has_diagnostics(given_clauses: list[object]) -> None:
    from ce.datalog.format import unparse
    from ce.datalog.syntax import Program

    _diagnose(unparse(Program(tuple(given_clauses))))  # type: ignore[arg-type]  # the strategy yields clauses


@pytest.mark.parametrize(
    "text",
    [
        "p(X) :- " + "(" * 10_000 + "q(X)" + ")" * 10_000 + ".",
        "p(X) :- X = " + "(" * 10_000 + "1" + ")" * 10_000 + ".",
        "p(X) :- " + "not (" * 10_000 + "q(X)" + ")" * 10_000 + ".",
        "p(X) :- q(X), X = " + "1 + " * 10_000 + "1.",
        "p(X) :- N = " + "count(X : M = " * 10_000,
        "p" + "(" * 10_000,
    ],
)
def test_deep_nesting_ends_in_one_diagnostic(text: str) -> None:
    error = _diagnose(text)
    assert error is not None
    assert [diagnostic.code for diagnostic in error.diagnostics] == ["CE107"]


def test_nesting_up_to_the_limit_is_checked() -> None:
    nested = "p(X) :- q(X), " + "not (" * 80 + "q(X)" + ")" * 80 + ". q(1)."
    assert _diagnose(nested) is None


def test_many_alternatives_end_in_a_diagnostic() -> None:
    error = _diagnose("q(1). p(X) :- " + ", ".join("(q(X) ; q(X) ; q(X))" for _ in range(30)) + ".")
    assert error is not None
    assert [diagnostic.code for diagnostic in error.diagnostics] == ["CE214"]


def test_a_program_of_65536_tokens_is_read_and_checked_in_seconds() -> None:
    text = "q(1, 2). s(1). " + "\n".join(f"p{i}(X, Y) :- q(X, Z), q(Z, Y), X < Y + {i}, not s(X)." for i in range(2000))
    start = time.process_time()
    program = parse(text, "p.dl")
    read = time.process_time()
    check(program)
    assert read - start < 3.0
    assert time.process_time() - read < 6.0


def test_a_long_body_is_checked_without_trying_its_orders() -> None:
    literals = [f"q(X{i}, X{i + 1})" for i in range(2000)]
    start = time.process_time()
    assert _diagnose("q(1, 2). p(X0) :- Y = X2000 + X7, " + ", ".join(reversed(literals)) + ".") is None
    assert time.process_time() - start < 3.0


def test_importing_the_parser_does_not_import_lark() -> None:
    command = (
        "import sys, ce.datalog.parse, ce.datalog.checks, ce.datalog.codec; print(sorted({'lark', 'networkx', 'numpy'} & set(sys.modules)))"
    )
    output = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "[]"
