"""Every JSON document fits its schema, and the other formats are what their readers expect."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

Ce = Callable[..., tuple[int, str, str]]

DEMO = Path(__file__).parents[2] / "fixtures" / "demo"
SCHEMAS = Path(__file__).parents[2] / "docs" / "reference" / "schemas"


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """Return a copy of the demonstration tree."""
    import shutil

    return Path(shutil.copytree(DEMO, tmp_path / "shop"))


@pytest.mark.parametrize(
    "words",
    [
        ("query", "dead(F)"),
        ("query", "dead(F)", "--why"),
        ("query", "dead(F)", "--plan"),
        ("query", "N = count(F : file(F)), N > 0", "--why"),
        ("query", 'dead("README.md")', "--why-not"),
        ("query", "ded(F)"),
        ("query", "depends(A, B)", "--max-rows", "1"),
        ("rules",),
        ("rules", "--file", "no-dead.rules"),
        ("rules", "--file", "nowhere.rules"),
        ("deadcode",),
        ("deadcode", "--why"),
        ("deadcode", "--max-rows", "1"),
        ("index",),
        ("facts", "ref"),
        ("doctor",),
    ],
    ids=" ".join,
)
def test_a_document_fits_its_schema(ce: Ce, demo: Path, words: tuple[str, ...]) -> None:
    _, out, _ = ce(*words, "--format", "json", cwd=demo)
    validated(json.loads(out))


def test_the_list_of_relations_fits_its_schema(ce: Ce) -> None:
    validated(json.loads(ce("facts", "--format", "json")[1]))


def test_a_failed_command_fits_the_schema_of_its_document(ce: Ce) -> None:
    for command in (("query", "dead(F)"), ("rules",), ("deadcode",), ("index",), ("facts", "ref"), ("doctor",)):
        code, out, _ = ce(*command, "/nonexistent", "--format", "json")
        document = json.loads(out)
        assert code == 2
        assert document["errors"]
        validated(document)


@pytest.mark.parametrize("schema", sorted(SCHEMAS.glob("*.json")), ids=lambda path: path.stem)
def test_a_schema_is_itself_valid(schema: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(schema.read_text()))


def test_every_document_counts_the_index_alike(ce: Ce, demo: Path) -> None:
    index = json.loads(ce("index", "--format", "json", cwd=demo)[1])["counts"]
    assert set(index) >= {"files", "extracted", "reused", "removed", "skipped"}
    for command in (("query", "dead(F)"), ("rules",), ("deadcode",)):
        counts = json.loads(ce(*command, "--format", "json", cwd=demo)[1])["counts"]["index"]
        assert counts["files"] == index["files"]
        assert counts["extracted"] == 0
        assert counts["reused"] == index["files"]


def test_sarif_results_name_rule_place_and_steps(ce: Ce, demo: Path) -> None:
    code, out, _ = ce("rules", "--format", "sarif", cwd=demo)
    log = json.loads(out)
    assert code == 1
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert run["invocations"][0]["executionSuccessful"] is True
    (result,) = [result for result in run["results"] if result["ruleId"] == "ce.rules/cli_is_on_top"]
    assert rules[result["ruleIndex"]] == result["ruleId"]
    assert result["level"] == "error"
    assert result["message"]["text"] == "src/shop/storage.py imports the command line"
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "src/shop/storage.py"
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert any(step["location"]["physicalLocation"].get("region", {}).get("startLine") for step in steps)


def test_sarif_of_dead_files_has_one_result_for_each(ce: Ce, demo: Path) -> None:
    dead = json.loads(ce("deadcode", "--format", "json", cwd=demo)[1])["dead"]
    log = json.loads(ce("deadcode", "--format", "sarif", cwd=demo)[1])
    results = log["runs"][0]["results"]
    uris = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results]
    assert uris == [file["path"] for file in dead]
    assert [result["ruleId"] for result in results] == [f"ce.deadcode/{file['verdict']}" for file in dead]


def test_sarif_of_a_fault_says_that_nothing_was_judged(ce: Ce, demo: Path) -> None:
    code, out, _ = ce("rules", "--file", "nowhere.rules", "--format", "sarif", cwd=demo)
    (run,) = json.loads(out)["runs"]
    assert code == 2
    assert run["invocations"][0]["executionSuccessful"] is False
    assert run["results"] == []


def test_github_annotations_point_at_files(ce: Ce, demo: Path) -> None:
    _, out, _ = ce("rules", "--format", "github", cwd=demo)
    assert "::error file=src/shop/storage.py,title=ce rules%3A cli_is_on_top::src/shop/storage.py imports the command line\n" in out
    assert all(re.fullmatch(r"::(error|warning|notice) [^:]*::.*", line) for line in out.splitlines())


def test_junit_has_one_case_for_each_assertion(ce: Ce, demo: Path) -> None:
    _, out, _ = ce("rules", "--format", "junit", cwd=demo)
    suite = ElementTree.fromstring(out).find("testsuite")
    assert suite is not None
    assert [case.get("name") for case in suite.iter("testcase")] == ["cli_is_on_top", "file_fits_on_a_screen", "tests_stay_apart"]
    assert suite.get("failures") == str(len(list(suite.iter("failure")))) == "1"


def test_csv_holds_the_answers_and_nothing_else(ce: Ce, demo: Path) -> None:
    _, out, _ = ce("query", 'ref("README.md", G, K, R)', "--format", "csv", cwd=demo)
    assert out == "G,K,R\ndocs/guide.md,doc_link,1\ndocs/install.md,doc_link,1\n"


def test_dot_holds_a_graph_for_each_answer(ce: Ce, demo: Path) -> None:
    _, out, _ = ce("query", 'dead(F), in(F, "docs/**")', "--format", "dot", cwd=demo)
    assert out.startswith("digraph proof {")
    assert "docs/roadmap.md" in out


def validated(document: dict[str, object]) -> None:
    """Fail unless the document fits the schema that it names."""
    name = str(document["schema"]).replace("/", "-")
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)
