"""`ce.datalog.run`: what goes in, what comes out, and what is refused."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterable
from typing import Any

import pytest

import ce.datalog
from ce.datalog import CeError, Result, run

CLOSURE = "path(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y), edge(Y, Z)."
COPY = "q(X) :- p(X)."


@pytest.fixture
def paths() -> Result:
    return run(f"{CLOSURE}\n?- path(1, X).\nassert short(X) :- path(X, X).", {"edge": [(1, 2), (2, 3)], "unused": []})


def test_rows_are_sorted_tuples_of_numbers_and_names() -> None:
    result = run("q(Y, X) :- p(X, Y).", {"p": [(2, "b"), (-1, "é"), (10, "B"), (2, "a")]})
    assert result["q"] == [("B", 10), ("a", 2), ("b", 2), ("é", -1)]
    assert result["p"] == [(-1, "é"), (2, "a"), (2, "b"), (10, "B")]


def test_a_result_maps_every_relation_that_occurs(paths: Result) -> None:
    assert dict(paths) == {"edge": [(1, 2), (2, 3)], "path": [(1, 2), (1, 3), (2, 3)], "unused": []}
    assert list(paths) == ["edge", "path", "unused"]
    assert repr(paths) == "Result(edge: 2, path: 3, unused: 0)"


def test_answers_are_found_by_number_and_by_name(paths: Result) -> None:
    assert paths.answers(0) == [(2,), (3,)]
    assert paths.answers("short") == paths.answers(1) == []
    assert paths["short"] == []
    assert "short" not in paths
    with pytest.raises(KeyError, match="no goal `7`"):
        paths.answers(7)


def test_an_unknown_relation_names_the_nearest(paths: Result) -> None:
    with pytest.raises(KeyError, match="did you mean `path`"):
        paths["paht"]
    for ask in (paths.explain, paths.why_not):
        with pytest.raises(KeyError, match="no relation"):
            ask("nothing", (1,))


def test_facts_may_be_any_iterable_of_rows() -> None:
    for rows in ([(1,), (2,)], {(1,), (2,)}, ((n,) for n in (2, 1)), [[1], [2]], ((1,), (2,), (1,))):
        assert run(COPY, {"p": rows})["q"] == [(1,), (2,)]  # type: ignore[dict-item]  # lists as rows are welcome too


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(True,)], "column 1 of row 1 of `p` is True, not an integer"),
        ([(1,), (2.5,)], "column 1 of row 2 of `p` is 2.5, not an integer"),
        ([("a",), (None,)], "column 1 of row 2 of `p` is None, not a name"),
        ([(1,), ("a",)], "column 1 of row 2 of `p` is 'a', not an integer"),
        ([("a",), (1,)], "column 1 of row 2 of `p` is 1, not a name"),
        ([(b"a",)], "column 1 of row 1 of `p` is b'a', not a name"),
        ([(2**63,)], "does not fit in 64 bits"),
        ([(-(2**63) - 1,)], "does not fit in 64 bits"),
        ([(1,), (1, 2)], "row 2 of `p` has 2 values, not 1"),
        ([1, 2], "row 1 of `p` is 1, not a tuple"),
        (["ab"], "row 1 of `p` is 'ab', not a tuple"),
        ("ab", "the facts of `p` are 'ab', not rows"),
        (None, "the facts of `p` are None, not rows"),
    ],
)
def test_a_bad_fact_is_named_with_its_relation_row_and_column(rows: Iterable[Any], message: str) -> None:
    with pytest.raises(CeError) as caught:
        run(COPY, {"p": rows})
    assert message in str(caught.value)


def test_a_built_in_test_takes_no_facts() -> None:
    with pytest.raises(CeError, match="CE208"):
        run("q(1).", {"glob": [("a", "b")]})


def test_an_error_shows_the_line_and_a_caret() -> None:
    with pytest.raises(ce.datalog.DatalogError) as caught:
        run("q(X) :- p(X).\nr(X) :- q(X), not s(X).", {"p": [(1,)]})
    assert str(caught.value).startswith(
        "program:2:15: error CE202: unknown predicate `s`\n    r(X) :- q(X), not s(X).\n                  ^^^^^^^^\n"
    )


@pytest.mark.parametrize("engine", ["native", "naive", "pydatalog"])
@pytest.mark.parametrize(("limit", "bound"), [("max_rows", 100), ("timeout", 0.2)])
def test_a_recursion_without_end_stops_at_a_limit_with_a_complete_reply(engine: str, limit: str, bound: float) -> None:
    result = run("n(0).\nn(Y) :- n(X), Y = X + 1.\nfact(X) :- n(X).", {"given": [(1,)]}, engine=engine, **{limit: bound})  # type: ignore[arg-type]  # by name
    assert result.degraded is not None
    assert result.degraded.limit == limit
    assert result["given"] == [(1,)]
    for name in ("n", "fact"):
        with pytest.raises(CeError, match=f"CE436.*nothing is known of `{name}`: "):
            result[name]
    for ask in (result.explain, result.why_not):
        with pytest.raises(CeError, match="nothing was derived"):
            ask("n", (0,))


def test_past_a_limit_no_empty_answer_is_given() -> None:
    result = run("n(0).\nn(Y) :- n(X), Y = X + 1.\n?- n(X).\nassert none(X) :- n(X).", {"given": [(1,)]}, max_rows=100)
    for read in (lambda: result.answers(0), lambda: result.answers("none"), lambda: result["none"], lambda: result.to_arrow("n")):
        with pytest.raises(CeError, match="more than 100 rows"):
            read()
    with pytest.raises(CeError, match=r"look at `\.degraded` first"):
        dict(result)
    assert list(result) == ["given", "n"]
    assert "degraded" in repr(result)


def test_rounds_are_bounded() -> None:
    result = run("n(0).\nn(Y) :- n(X), Y = X + 1.", max_rounds=20)
    assert result.degraded is not None
    assert result.degraded.limit == "max_rounds"
    assert "program:2" in result.degraded.message


def test_a_row_that_does_not_hold_has_no_proof(paths: Result) -> None:
    with pytest.raises(CeError, match="does not hold"):
        paths.explain("path", (3, 1))
    with pytest.raises(CeError, match="has 2 columns, not 1"):
        paths.explain("path", (3,))
    with pytest.raises(CeError, match="True cannot stand in a row"):
        paths.explain("path", (True, 2))


def test_relations_become_tables_and_frames(paths: Result) -> None:
    assert paths.to_arrow("path").to_pydict() == {"c1": [1, 1, 2], "c2": [2, 3, 3]}
    assert paths.to_pandas("path").values.tolist() == [[1, 2], [1, 3], [2, 3]]
    declared = run("decl e(From: sym, To: int).\nq(X) :- e(X, _).", {"e": [("a", 1)]})
    assert declared.to_arrow()["e"].column_names == ["From", "To"]
    assert list(declared.to_pandas()["q"].columns) == ["c1"]
    empty = run("decl e(From: sym, To: int).\nq(X, Y) :- e(X, Y).\nr(X) :- p(X).", {"p": []})
    assert [str(kind) for kind in empty.to_arrow("e").schema.types] == ["string", "int64"]
    assert empty.to_pandas("q").shape == (0, 2)
    assert empty.to_arrow("r").num_rows == 0


def test_a_missing_package_is_named(paths: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(CeError, match="`pyarrow` is not installed"):
        paths.to_arrow("path")


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(CeError, match="the engines are `native`, `naive`, `pydatalog`"):
        run(COPY, {"p": []}, engine="fast")


def test_runs_in_several_threads_do_not_meet() -> None:
    found: dict[int, list[tuple[int | str, ...]]] = {}

    def work(number: int) -> None:
        for engine in ("native", "pydatalog", "naive"):
            found[number] = run(CLOSURE, {"edge": [(number, number + 1), (number + 1, number + 2)]}, engine=engine)["path"]
            assert len(found[number]) == 3

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: rows[0] for number, rows in found.items()} == {number: (number, number + 1) for number in range(8)}


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, ce.datalog; print([m for m in ('numpy', 'lark', 'networkx', 'pyDatalog', 'ce.datalog.api') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_example_of_the_package_runs() -> None:
    import doctest

    assert doctest.testmod(ce.datalog).failed == 0
