"""The numbers of `programs/clones/clones.dl` are read, not repeated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import ce
from ce.app.copy_thresholds import copy_thresholds, least_nodes
from ce.extract.measures.unit_trees import MIN_NODES
from ce.verdicts.family import program_text

Make = Callable[[Mapping[str, str | bytes]], Path]

RUN = "def f(a, b):\n" + "".join(f"    a.step{n}(b, {n})\n" for n in range(6)) + "    return a + b\n"
TABLE = "WORDS = [\n" + "".join(f'    "word{n}",\n' for n in range(80)) + "]\n"
IMPORTS = "".join(f"from package.module{n} import first{n}, second{n}\n" for n in range(30))


def test_the_thresholds_are_what_the_program_derives() -> None:
    result = ce.datalog.run(
        program_text("clones/clones.dl")[1], {name: [] for name in ("block", "asked_tokens", "asked_distinct", "budget")}
    )
    least = copy_thresholds()
    assert [result[f"least_{name}"] for name in ("tokens", "distinct", "code")] == [[(least.tokens,)], [(least.distinct,)], [(least.code,)]]


def test_the_least_size_of_near_copies_is_what_is_measured() -> None:
    result = ce.datalog.run(program_text("clones/near.dl")[1], {"tree_pair": [], "asked_nodes": []})
    assert result["least_nodes"] == [(least_nodes(),)] == [(MIN_NODES,)]


def test_the_relation_of_copies_holds_what_the_program_reports(tree: Make) -> None:
    short = "def g(a):\n" + "".join(f"    a.go{n}(a)\n" for n in range(3)) + "    return a\n"
    files: dict[str, str | bytes] = {f"{letter}.py": RUN for letter in "ab"}
    files |= {f"t{letter}.py": TABLE.replace("word", letter) for letter in "ab"} | {f"i{letter}.py": IMPORTS for letter in "ab"}
    files |= {f"s{letter}.py": short for letter in "ab"}
    files["copies.rules"] = program_text("clones/clones.dl")[1]
    project = ce.open(tree(files))
    question = "reported(B), block(B, F, _, _, G, _, _, _, _, _, _)"
    reported = {(row.F, row.G) for row in project.query(question, files=["copies.rules"])}
    assert reported == {(row.F, row.G) for row in project.query("dup(F, G, _)")} == {("a.py", "b.py")}
