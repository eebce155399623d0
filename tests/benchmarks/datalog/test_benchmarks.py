"""The benchmarks run, and engines agree on what they derive, at the smallest size."""

from __future__ import annotations

from pathlib import Path

import pytest

from ce.datalog.checks import check
from ce.datalog.parse import parse
from tests.benchmarks.datalog import compare, ours
from tests.benchmarks.datalog.translate import translate
from tests.benchmarks.datalog.translations import CannotExpress, egglog_text, souffle_text
from tests.benchmarks.datalog.workloads import PROGRAMS, WORKLOADS, write_facts

# The closure with a count, in the neutral form that other benchmark runners use.
NEUTRAL = """
.decl edge(x:number, y:number)
.input edge
.decl path(x:number, y:number)
.output path
.decl degree(x:number, n:number)
.output degree
.decl far(x:number)
.output far
// comments are skipped
path(x, y) :- edge(x, y).
path(x, z) :- path(x, y), edge(y, z).
degree(x, n) :- edge(x, _), n = count : { edge(x, _) }, n >= 1.
far(m) :- edge(_, _), m = max v : { path(_, v) }, !edge(m, _), m != 3.
"""


@pytest.mark.parametrize("workload", ["tc_chain", "negagg", "sg"])
def test_engines_agree_on_small_workloads(workload: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--sizes", "S", "--workloads", workload, "--peers", "ours,clingo,duckdb_loop,duckdb_cte", "--repeat", "1"]
    assert compare.main([*arguments, "--data", str(tmp_path), "--out", str(tmp_path / "table.md")]) == 0
    table = (tmp_path / "table.md").read_text(encoding="utf-8")
    assert f"| {workload} S |" in table
    assert "ours ÷ clingo" in table


@pytest.mark.parametrize("workload", sorted(WORKLOADS))
def test_every_program_passes_the_checks_and_has_its_facts(workload: str, tmp_path: Path) -> None:
    program = PROGRAMS / f"{WORKLOADS[workload].program}.dl"
    checked = check(parse(program.read_text(encoding="utf-8"), program.name))
    write_facts(WORKLOADS[workload], "S", tmp_path / workload)
    files = {path.stem for path in (tmp_path / workload).iterdir()}
    assert files == {name for name, relation in checked.relations.items() if not relation.idb}
    assert ".printsize" in souffle_text(checked)


def test_egglog_is_told_only_what_it_can_do() -> None:
    closure = check(parse((PROGRAMS / "closure.dl").read_text(encoding="utf-8"), "closure.dl"))
    assert "(rule ((path x y) (edge y z)) ((path x z)))" in egglog_text(closure)[1]
    dead = check(parse((PROGRAMS / "dead.dl").read_text(encoding="utf-8"), "dead.dl"))
    with pytest.raises(CannotExpress):
        egglog_text(dead)


def test_the_adapter_runs_neutral_programs(tmp_path: Path) -> None:
    (tmp_path / "edge.facts").write_text("1\t2\n2\t4\n1\t4\n")
    handle = ours.load(NEUTRAL, str(tmp_path))
    ours.run(handle)
    assert {name: ours.count(handle, name) for name in ("path", "degree", "far")} == {"path": 3, "degree": 2, "far": 1}
    assert "N = count(Any" in translate(NEUTRAL).text
