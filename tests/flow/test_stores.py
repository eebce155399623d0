"""Values that no path reads."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from ce.extract.flow.measure import flow_of
from ce.extract.flow.registry import flow_table
from ce.extract.languages import language_spec
from ce.extract.parsing import Parsed, parse


def stores(body: str, language: str = "python") -> list[tuple[int, str, str]]:
    if language == "python":
        source = "def f(x, items):\n" + indent(dedent(body).strip("\n"), "    ") + "\n"
    else:
        source = f"function f(x, items) {{\n{body}\n}}\n"
    table = flow_table(language)
    parsed = parse("a", language_spec(language), source.encode())
    assert table is not None
    assert isinstance(parsed, Parsed)
    return [(one.line, one.name, one.why) for one in flow_of(parsed, table).stores]


def test_a_value_that_is_given_again_before_anybody_looks_is_overwritten() -> None:
    assert stores("abc = 1\nabc = 2\nreturn abc") == [(2, "abc", "overwritten")]


def test_a_value_that_nobody_looks_at_is_unread() -> None:
    assert stores("abc = 1\nreturn x") == [(2, "abc", "unread")]


def test_one_path_that_reads_is_enough() -> None:
    assert stores("abc = 1\nif x:\n    abc = 2\nreturn abc") == []


def test_both_arms_overwrite() -> None:
    assert stores("abc = 1\nif x:\n    abc = 2\nelse:\n    abc = 3\nreturn abc") == [(2, "abc", "overwritten")]


def test_the_next_round_of_a_loop_reads() -> None:
    assert stores("last = 0\nfor i in items:\n    print(last)\n    last = i") == []


def test_a_handler_reads_what_the_body_gave_before_it_failed() -> None:
    assert stores("step = 1\ntry:\n    step = 2\n    x()\n    step = 3\nexcept ValueError:\n    print(step)") == []


def test_an_inner_function_may_read_at_any_time() -> None:
    assert stores("abc = 1\ndef g():\n    return abc\nabc = 2\nreturn g") == []


def test_locals_reads_everything() -> None:
    assert stores("abc = 1\nreturn locals()") == []


def test_an_augmented_assignment_reads_and_unpacking_is_left_alone() -> None:
    assert stores("n = 1\nn += 1\na, b = x\nreturn n") == []


def test_names_with_an_underscore_and_letting_go_are_deliberate() -> None:
    assert stores("_unused = x()\nitems = None") == []


@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_the_same_in_ecmascript(language: str) -> None:
    assert stores("let abc = 1; abc = 2\nreturn abc", language) == [(2, "abc", "overwritten")]
    assert stores("let abc = 1\nreturn () => abc", language) == []
    assert stores("outer = 1", language) == []
    assert stores("const { a, ...rest } = x\nreturn rest", language) == []
    assert stores("{ let t = 1; g(t) }\n{ let t = 2; g(t) }", language) == []


def test_a_value_that_only_a_type_asks_about_is_read() -> None:
    assert stores("const a = x\ntype A = typeof a\nreturn {} as A", "typescript") == []
