"""Statements that no path reaches, in each language whose control flow is followed."""

from __future__ import annotations

import sys
from textwrap import dedent, indent
from types import CodeType, FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ce.extract.flow.measure import FileFlow, decode_flow, encode_flow, flow_of
from ce.extract.flow.registry import FLOW_LANGUAGES, flow_table
from ce.extract.languages import language_spec
from ce.extract.parsing import Parsed, parse

SUFFIX = {"python": "py", "typescript": "ts", "tsx": "tsx", "javascript": "js", "go": "go", "java": "java", "c": "c", "cpp": "cpp"}


def flow(language: str, source: str) -> FileFlow:
    parsed = parse(f"a.{SUFFIX[language]}", language_spec(language), dedent(source).encode())
    assert isinstance(parsed, Parsed)
    table = flow_table(language)
    assert table is not None
    return flow_of(parsed, table)


def stretches(language: str, source: str) -> list[tuple[int, int, str, str]]:
    return [(one.start, one.end, one.why, one.keeps) for one in flow(language, source).stretches]


def python(body: str) -> list[tuple[int, int, str, str]]:
    """Return the stretches of a function with that body; its first line is line 2."""
    return stretches("python", "def f(x, items, lock):\n" + indent(dedent(body).strip("\n"), "    ") + "\n")


def test_code_behind_a_choice_whose_arms_all_leave_is_unreachable() -> None:
    body = "if x:\n    return 1\nelif items:\n    raise x\nelse:\n    return 2\nprint(1)\nprint(2)"
    assert python(body) == [(8, 9, "after_branches", "")]


def test_code_behind_a_choice_without_else_is_reached() -> None:
    assert python("if x:\n    return 1\nelif items:\n    return 2\nprint(1)") == []


def test_code_behind_a_try_that_returns_or_raises_is_unreachable() -> None:
    assert python("try:\n    return x()\nexcept ValueError:\n    raise\nprint(1)") == [(6, 6, "after_branches", "")]


def test_a_handler_that_ends_makes_what_follows_reached() -> None:
    assert python("try:\n    return x()\nexcept ValueError:\n    pass\nprint(1)") == []


def test_an_else_of_a_try_that_returns_leaves_only_the_handlers() -> None:
    assert python("try:\n    x()\nexcept ValueError:\n    return 1\nelse:\n    return 2\nprint(1)") == [(8, 8, "after_branches", "")]


def test_a_finally_that_returns_swallows_everything() -> None:
    assert python("try:\n    x()\nfinally:\n    return 1\nprint(1)") == [(6, 6, "after_branches", "")]


def test_a_finally_behind_a_return_is_reached() -> None:
    assert python("try:\n    return 1\nfinally:\n    print(1)") == []


def test_code_behind_an_endless_loop_is_reached_when_a_nested_if_breaks() -> None:
    assert python("while True:\n    if x:\n        if items:\n            break\nreturn 1") == []


def test_code_behind_an_endless_loop_is_unreachable_when_only_an_inner_loop_breaks() -> None:
    assert python("while True:\n    for i in items:\n        break\nreturn 1") == [(5, 5, "after_loop", "")]


def test_the_else_of_an_endless_loop_is_unreachable() -> None:
    assert python("while 1:\n    if x:\n        break\nelse:\n    print(1)\nreturn 1") == [(6, 6, "condition", "")]


def test_a_break_inside_a_try_leaves_the_loop_through_finally() -> None:
    assert python("while True:\n    try:\n        break\n    finally:\n        print(1)\nreturn 1") == []


def test_a_match_with_a_catch_all_ends_what_its_cases_end() -> None:
    assert python("match x:\n    case 1:\n        return 1\n    case _:\n        return 2\nprint(1)") == [(7, 7, "after_branches", "")]


def test_a_match_whose_catch_all_is_guarded_may_fall_through() -> None:
    assert python("match x:\n    case 1:\n        return 1\n    case _ if items:\n        return 2\nprint(1)") == []


def test_a_name_as_pattern_catches_all_and_a_dotted_one_does_not() -> None:
    assert python("match x:\n    case other:\n        return other\nprint(1)") == [(5, 5, "after_branches", "")]
    assert python("match x:\n    case x.y:\n        return 1\nprint(1)") == []


@pytest.mark.parametrize("call", ["sys.exit(1)", "os._exit(1)", "assert_never(x)", "exit()"])
def test_code_behind_a_call_that_never_returns_is_unreachable(call: str) -> None:
    assert python(f"{call}\nprint(1)") == [(3, 3, "after_exit", "")]


def test_a_function_of_the_file_that_says_it_never_returns_ends_its_callers() -> None:
    source = """
        def fail(message: str) -> NoReturn:
            raise SystemExit(message)

        def f():
            fail("no")
            print(1)
    """
    assert stretches("python", source) == [(7, 7, "after_exit", "")]


def test_a_keeper_may_swallow_what_its_body_raises() -> None:
    assert python("with suppress(ValueError):\n    return x()\nreturn 2") == []


def test_an_opened_file_swallows_nothing() -> None:
    assert python("with open(x) as f:\n    return f.read()\nreturn 2") == [(4, 4, "after_branches", "")]


def test_an_unreachable_yield_stays_because_it_makes_a_generator() -> None:
    assert python("while False:\n    yield None") == [(3, 3, "condition", "generator")]
    assert python("yield 1\nreturn\nyield 2") == [(4, 4, "after_jump", "")]


def test_an_unreachable_global_stays_because_it_holds_for_the_whole_function() -> None:
    assert python("x = 1\nreturn x\nglobal y") == [(4, 4, "after_jump", "scope")]


def test_an_unreachable_assignment_stays_when_it_is_what_makes_a_name_local() -> None:
    assert python("if False:\n    y = 1\nreturn y") == [(3, 3, "condition", "binding")]
    assert python("if False:\n    items = 1\nreturn items") == [(3, 3, "condition", "")]


def test_a_check_for_types_is_no_constant() -> None:
    assert python("if TYPE_CHECKING:\n    import os\nelse:\n    os = None\nreturn os") == []


def test_classes_and_functions_inside_a_function_are_no_dead_code() -> None:
    assert python("class Inner:\n    a = 1\n    def m(self):\n        return 1\ndef g():\n    return 2\nreturn Inner, g") == []


def test_a_function_with_a_syntax_error_is_not_judged() -> None:
    assert python("return 1\nprint((1\nprint(2)") == []


def test_statements_nested_beyond_the_bound_are_said_not_judged() -> None:
    source = "def f(x):\n" + "".join(f"{' ' * (level + 1)}if x:\n" for level in range(200)) + " " * 202 + "return 1\n"
    found = flow("python", source)
    assert found.stretches == ()
    assert found.problems == ("the function in line 1 is nested too deeply: its control flow is not followed",)


# --- other languages

CASES = {
    "typescript": [
        ("function f(x) {\n if (x) { return 1 } else { throw 2 }\n g()\n}", [(3, 3, "after_branches", "")]),
        ("function f() {\n out: for (;;) {\n  for (;;) { break out }\n }\n return 1\n}", []),
        ("function f() {\n for (;;) { g() }\n return 1\n function g() {}\n}", [(3, 3, "after_loop", "")]),
        ("function f(x) {\n switch (x) {\n case 1: return 1\n default: throw x\n }\n g()\n}", [(6, 6, "after_branches", "")]),
        ("function f(x) {\n switch (x) {\n case 1: throw 1\n default: g()\n case 2: throw 2 }\n g()\n}", [(6, 6, "after_branches", "")]),
        ("function f(x) {\n switch (x) {\n case 1: return 1\n case 2: return 2\n }\n g()\n}", []),
        ("function f() {\n return g()\n var q\n}", [(3, 3, "after_jump", "scope")]),
        ("const f = () => {\n throw 1\n g()\n}", [(3, 3, "after_jump", "")]),
        ("function* f() {\n return\n yield 1\n}", [(3, 3, "after_jump", "generator")]),
        ("function f() {\n try { return 1 } finally { g() }\n h()\n}", [(3, 3, "after_branches", "")]),
        ("function f() {\n do { g() } while (true)\n h()\n}", [(3, 3, "after_loop", "")]),
        ("function f() {\n process.exit(1)\n h()\n}", [(3, 3, "after_exit", "")]),
        ("function fail(): never { throw 1 }\nfunction f() {\n fail()\n h()\n}", [(4, 4, "after_exit", "")]),
    ],
    "go": [
        ("package a\nfunc f(x int) int {\n for {\n  if x > 1 { break }\n }\n return 1\n}", []),
        ("package a\nfunc f(x int) int {\n for {\n  g()\n }\n return 1\n}", [(6, 6, "after_loop", "")]),
        ("package a\nfunc f() {\n panic(1)\n g()\n}", [(4, 4, "after_exit", "")]),
        ("package a\nfunc f(x int) int {\n switch x {\n case 1: return 1\n default: panic(2) }\n g()\n}", [(6, 6, "after_branches", "")]),
        ("package a\nfunc f() {\n goto L\n g()\nL:\n h()\n}", [(4, 4, "after_jump", "")]),
        ("package a\nfunc f(c chan int) {\n select {\n case <-c: return\n }\n g()\n}", [(6, 6, "after_branches", "")]),
        ("package a\nfunc f() {\nL:\n for {\n  select {\n  case <-c: break L\n  }\n }\n g()\n}", []),
    ],
    "java": [
        ("class A { int f() {\n System.exit(1);\n return 2;\n} }", [(3, 3, "after_exit", "")]),
        ("class A { int f() {\n if (false) {\n  g();\n }\n return 2;\n} }", [(3, 3, "condition", "")]),
        ("class A { int f(int x){\n switch (x) {\n case 1 -> throw e;\n default -> throw f; }\n g();\n} }", [(5, 5, "after_branches", "")]),
    ],
    "c": [
        ("int f(int x) {\n switch (x) { case 1: return 1; default: return 2; }\n return 3;\n}", [(3, 3, "after_branches", "")]),
        ("int f(void) {\n goto out;\n g();\nout:\n return 1;\n}", [(3, 3, "after_jump", "")]),
        ("int f(int n) {\n switch (n) { case 0: do { g(); case 1: h(); } while (0); }\n return 1;\n}", []),
        ("int f(void) {\n return 1;\n#if X\n g();\n#endif\n}", []),
        ("int f(void) {\n exit(1);\n g();\n}", [(3, 3, "after_exit", "")]),
    ],
    "cpp": [("int f() {\n try { return g(); } catch (...) { throw; }\n return 1;\n}", [(3, 3, "after_branches", "")])],
}  # fmt: skip


@pytest.mark.parametrize(("language", "source", "expected"), [(lang, *case) for lang, cases in CASES.items() for case in cases])
def test_what_no_path_reaches_in_other_languages(language: str, source: str, expected: list[tuple[int, int, str, str]]) -> None:
    assert stretches(language, source) == expected


@pytest.mark.parametrize("language", FLOW_LANGUAGES)
def test_every_followed_language_has_a_table(language: str) -> None:
    assert flow_table(language) is not None


def test_an_unfollowed_language_has_no_table() -> None:
    assert flow_table("haskell") is None


# --- laws

_SIMPLE = st.sampled_from(["step()", "return", "raise Stop", "break", "continue", "pass"])


def _nest(children: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    block = children.map(lambda lines: ["    " + line for line in lines])
    return st.one_of(
        st.tuples(block, block).map(lambda b: ["if choose():", *b[0], "else:", *b[1]]),
        block.map(lambda b: ["if choose():", *b]),
        block.map(lambda b: ["while True:", *b]),
        st.tuples(block, block).map(lambda b: ["while choose():", *b[0], "else:", *b[1]]),
        st.tuples(block, block).map(lambda b: ["for _ in some():", *b[0], "else:", *b[1]]),
        st.tuples(block, block, block, block).map(
            lambda b: ["try:", "    step()", *b[0], "except Stop:", *b[1], "else:", *b[2], "finally:", *b[3]]
        ),
        st.tuples(block, block).map(lambda b: ["try:", "    step()", *b[0], "except Stop:", *b[1]]),
        st.tuples(block, block).map(lambda b: ["try:", *b[0], "finally:", *b[1]]),
        block.map(lambda b: ["with keeper():", *b]),
    )


_BODIES = st.recursive(
    _SIMPLE.map(lambda line: [line]),
    lambda inner: st.lists(st.one_of(_SIMPLE.map(lambda line: [line]), _nest(inner)), min_size=1, max_size=4).map(
        lambda parts: [line for part in parts for line in part]
    ),
    max_leaves=12,
)


@given(_BODIES, st.lists(st.integers(0, 3), min_size=1, max_size=40))
def test_no_run_of_a_function_comes_by_a_line_that_is_called_unreachable(body: list[str], choices: list[int]) -> None:
    source = "def f():\n" + "".join(f"    {line}\n" for line in body)
    try:
        code = compile(source.replace("while True:", "while forever():"), "<flow>", "exec")
    except SyntaxError:  # `break` outside a loop
        return
    lines = _lines_of_a_run(code, choices)
    for start, end, _, _ in stretches("python", source):
        assert not lines & set(range(start, end + 1)), source


def _lines_of_a_run(code: CodeType, choices: list[int]) -> set[int]:
    """Return the lines that one run of `f` comes by; the choices say which way it goes and where an exception stops it.

    When the choices are used up the run says no to everything, so that each loop ends, and its lines count no more: an exception could
    not end it, because a `finally` that jumps swallows every one.
    """

    class Stop(Exception):
        pass

    left = iter(choices * 3)
    is_over = False

    def draw() -> int:
        nonlocal is_over
        drawn = next(left, None)
        is_over = is_over or drawn is None
        return drawn or 0

    def step() -> None:
        if draw() == 3:
            raise Stop

    def forever() -> bool:
        draw()
        return not is_over

    class Keeper:
        def __enter__(self) -> None:
            pass

        def __exit__(self, kind: object, *_: object) -> bool:
            return kind is Stop and draw() > 1

    seen: set[int] = set()

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        if frame.f_code.co_filename != "<flow>":
            return None
        if event == "line" and not is_over:
            seen.add(frame.f_lineno)
        return trace

    scope: dict[str, Any] = {
        "step": step, "Stop": Stop, "choose": lambda: draw() > 1, "some": lambda: range(draw()), "keeper": Keeper, "forever": forever,
    }  # fmt: skip
    exec(code, scope)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        scope["f"]()
    except Stop:
        pass
    finally:
        sys.settrace(before)
    return seen


@given(st.binary(max_size=80))
def test_a_blob_that_no_measurement_wrote_is_refused(blob: bytes) -> None:
    with pytest.raises(ValueError, match="no control flow"):
        decode_flow(blob)


def test_what_is_measured_survives_its_blob() -> None:
    found = flow("python", "def f():\n    a = 1\n    a = 2\n    return a\n    print(1)\n")
    assert found.stretches
    assert found.stores
    assert decode_flow(encode_flow(found)) == found
