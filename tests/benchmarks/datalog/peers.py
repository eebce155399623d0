"""One measured run of one engine on one workload: `python -m tests.benchmarks.datalog.peers ENGINE PROGRAM FACTS` prints a line of JSON.

Loading ends when the facts are in the engine, evaluation when all outputs are derived; counting is outside both clocks. Compiling a Soufflé
program is outside too, and its loading is measured by a program that only reads.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ce.datalog.checked import CheckedProgram
from ce.datalog.checks import check
from ce.datalog.parse import parse
from tests.benchmarks.datalog.translations import CannotExpress, clingo_text, egglog_text, semi_naive_sql, souffle_text

__all__ = ["PEERS"]

Counts = dict[str, int]


class _Clock:
    """Seconds of loading and of evaluation, the latter also in processor time."""

    def __init__(self) -> None:
        self.load_s = self.eval_s = self.cpu_s = 0.0
        self._last = time.perf_counter()
        self._cpu = time.process_time()

    def start(self) -> None:
        """Begin loading: what was imported or translated so far does not count."""
        self._last = time.perf_counter()

    def loaded(self) -> None:
        """End loading, begin evaluation."""
        now = time.perf_counter()
        self.load_s, self._last, self._cpu = now - self._last, now, time.process_time()

    def done(self) -> None:
        """End evaluation."""
        self.eval_s = time.perf_counter() - self._last
        self.cpu_s = time.process_time() - self._cpu


def _ours(checked: CheckedProgram, facts: Path, clock: _Clock) -> Counts:
    from ce.datalog.evaluate import evaluate
    from ce.datalog.limits import Limits
    from ce.datalog.loading import load_facts
    from ce.datalog.plan import plan

    clock.start()
    database = load_facts(facts, _inputs(checked))
    clock.loaded()
    model = evaluate(plan(checked, checked.outputs), database, Limits(max_rows=None))
    clock.done()
    return {name: model.count(name) for name in checked.outputs}


def _pydatalog(checked: CheckedProgram, facts: Path, clock: _Clock) -> Counts:
    from ce.datalog.engines import engine
    from ce.datalog.limits import Limits
    from ce.datalog.loading import load_facts

    clock.start()
    database = load_facts(facts, _inputs(checked))
    clock.loaded()
    model = engine("pydatalog")(checked, database, Limits(max_rows=None), checked.outputs)
    counts = {name: model.count(name) for name in checked.outputs}
    clock.done()
    return counts


def _duckdb_loop(checked: CheckedProgram, facts: Path, clock: _Clock) -> Counts:
    connection = _duckdb(checked, facts, clock)
    semi_naive_sql(checked, lambda statement: _inserted(connection, statement))
    clock.done()
    return {name: _count(connection, name) for name in checked.outputs}


# Where one linear recursion is enough, the recursive common table expression that a careful author would write.
_EXPRESSIONS = {
    "path": "WITH RECURSIVE p AS (SELECT * FROM edge UNION SELECT p.c0, e.c1 FROM p JOIN edge e ON p.c1 = e.c0) SELECT * FROM p",
    "reach": "WITH RECURSIVE r AS (SELECT * FROM root UNION SELECT e.c1 FROM r JOIN ref e ON r.c0 = e.c0) SELECT * FROM r",
    "dead": "SELECT * FROM file WHERE c0 NOT IN (SELECT c0 FROM reach)",
    "sg": "WITH RECURSIVE s AS (SELECT a.c0, b.c0 AS c1 FROM par a JOIN par b ON a.c1 = b.c1 WHERE a.c0 <> b.c0 UNION "
    "SELECT a.c0, b.c0 FROM s JOIN par a ON a.c1 = s.c0 JOIN par b ON b.c1 = s.c1) SELECT * FROM s",
}


def _duckdb_expression(checked: CheckedProgram, facts: Path, clock: _Clock) -> Counts:
    if not set(checked.outputs) <= set(_EXPRESSIONS):
        raise CannotExpress("more than one linear recursion")
    connection = _duckdb(checked, facts, clock)
    for name in checked.outputs:
        connection.execute(f"CREATE TABLE {name} AS {_EXPRESSIONS[name]}")
    clock.done()
    return {name: _count(connection, name) for name in checked.outputs}


def _duckdb(checked: CheckedProgram, facts: Path, clock: _Clock):  # type: ignore[no-untyped-def]  # duckdb is not a dependency
    import duckdb

    clock.start()
    connection = duckdb.connect(":memory:", config={"threads": 1})
    for name, sorts in _inputs(checked).items():
        columns = ", ".join(f"'c{place}': '{'BIGINT' if sort == 'int' else 'VARCHAR'}'" for place, sort in enumerate(sorts))
        options = f"delim='\t', header=false, quote='', escape='', columns={{{columns}}}"
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM read_csv('{facts / name}.facts', {options})")
    clock.loaded()
    return connection


def _inserted(connection, statement: str) -> int:  # type: ignore[no-untyped-def]  # duckdb is not a dependency
    row = connection.execute(statement).fetchone()
    return int(row[0]) if row else 0


def _count(connection, name: str) -> int:  # type: ignore[no-untyped-def]  # duckdb is not a dependency
    return int(connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0])


def _clingo(checked: CheckedProgram, facts: Path, clock: _Clock) -> Counts:
    import clingo

    clock.start()
    control = clingo.Control(["--warn=none"])
    lines = [_fact_text(name, sorts, facts) for name, sorts in _inputs(checked).items()]
    control.add("base", [], "".join(lines))
    clock.loaded()
    control.add("base", [], clingo_text(checked))
    control.ground([("base", [])])
    clock.done()
    signatures = {name: len(checked.relations[name].sorts) for name in checked.outputs}
    return {name: sum(1 for _ in control.symbolic_atoms.by_signature(name, arity)) for name, arity in signatures.items()}


def _fact_text(name: str, sorts: tuple[str, ...], facts: Path) -> str:
    parts = []
    for line in (facts / f"{name}.facts").read_text(encoding="utf-8").splitlines():
        values = (value if sort == "int" else f'"{value}"' for value, sort in zip(line.split("\t"), sorts, strict=True))
        parts.append(f"{name}({','.join(values)}).\n")
    return "".join(parts)


def _egglog(checked: CheckedProgram, facts: Path, clock: _Clock) -> Counts:
    from egglog.bindings import EGraph  # type: ignore[import-not-found, unused-ignore]  # not a dependency

    relations, rules = egglog_text(checked)
    clock.start()
    graph = EGraph(fact_directory=str(facts))
    graph.run_program(*graph.parse_program(relations))
    for name in _inputs(checked):
        graph.run_program(*graph.parse_program(f'(input {name} "{name}.facts")'))
    clock.loaded()
    graph.run_program(*graph.parse_program(rules))  # after the facts: it plans its joins by their sizes
    graph.run_program(*graph.parse_program("(run-schedule (saturate (run)))"))
    clock.done()
    counts = {}
    for name in checked.outputs:
        (size,) = graph.run_program(*graph.parse_program(f"(print-size {name})"))
        counts[name] = int("".join(filter(str.isdigit, str(size).rsplit(":")[-1])))
    return counts


def _souffle(checked: CheckedProgram, facts: Path, clock: _Clock) -> Counts:
    text = souffle_text(checked)
    with tempfile.TemporaryDirectory() as folder:
        reading = "\n".join(line for line in text.splitlines() if line.startswith((".decl", ".input")))
        seconds, outputs = [], []
        for name, program in (("read", reading), ("whole", text)):
            (Path(folder) / f"{name}.dl").write_text(program, encoding="utf-8")
            subprocess.run(["souffle", "-o", f"{folder}/{name}", f"{folder}/{name}.dl"], check=True, capture_output=True)
            started = time.perf_counter()
            done = subprocess.run([f"{folder}/{name}", "-F", str(facts)], check=True, capture_output=True, text=True)
            seconds.append(time.perf_counter() - started)
            outputs.append(done.stdout)
    clock.load_s = seconds[0]
    clock.eval_s = clock.cpu_s = max(0.0, seconds[1] - seconds[0])
    return {line.split("\t")[0]: int(line.split("\t")[1]) for line in outputs[1].splitlines() if "\t" in line}


PEERS: dict[str, Callable[[CheckedProgram, Path, _Clock], Counts]] = {
    "ours": _ours,
    "souffle": _souffle,
    "duckdb_cte": _duckdb_expression,
    "duckdb_loop": _duckdb_loop,
    "clingo": _clingo,
    "egglog": _egglog,
    "pydatalog": _pydatalog,
}


def _inputs(checked: CheckedProgram) -> dict[str, tuple[str, ...]]:
    return {name: relation.sorts for name, relation in checked.relations.items() if not relation.idb}


def _peak_mb(of_children: bool) -> float:
    """Return the most memory held at once. The kernel's status file starts anew with each program, the resource usage does not."""
    status = Path("/proc/self/status")
    if not of_children and status.exists():
        return next(int(line.split()[1]) / 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_CHILDREN if of_children else resource.RUSAGE_SELF).ru_maxrss / 1024


def _main(peer: str, program: Path, facts: Path) -> None:
    checked = check(parse(program.read_text(encoding="utf-8"), program.name))
    clock = _Clock()
    try:
        counts = PEERS[peer](checked, facts, clock)
    except CannotExpress as reason:
        print(json.dumps({"cannot": str(reason)}))
        return
    except ImportError as missing:
        print(json.dumps({"cannot": f"not installed: {missing.name}"}))
        return
    except FileNotFoundError:
        print(json.dumps({"cannot": f"not installed: {peer}"}))
        return
    found = {"load_s": clock.load_s, "eval_s": clock.eval_s, "cpu_s": clock.cpu_s, "peak_mb": _peak_mb(peer == "souffle"), "counts": counts}
    print(json.dumps(found), flush=True)
    os._exit(0)  # tearing an engine down is no part of what is measured


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
