"""`ce allowlist` and `ce clauses` as a user runs them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import jsonschema
import pytest

from ce.allowlist import AllowlistSchemaError
from ce.allowlist.model import WIDENED_KEY
from ce.source.settings import Allowlist
from ce.testing import assert_no_dead_symbols

Ce = Callable[..., tuple[int, str, str]]
Make = Callable[[Mapping[str, str | bytes]], Path]
SCHEMAS = Path(__file__).parents[2] / "docs" / "reference" / "schemas"

LIST = """\
schema_version: 1
categories: {category_x: {rationale: plugins find it, requires_issue: false}}
entries: [{module: pkg.dead, name: spare, category: category_x}]
widened_grandfathered_470: {rationale: old, issue: "#1", entries: []}
"""
TREE: dict[str, str | bytes] = {
    "ce.toml": '[allowlist]\nfile = "allowlist.yaml"\n',
    "allowlist.yaml": LIST,
    "src/pkg/__init__.py": "from pkg.live import used\n",
    "src/pkg/live.py": "__all__ = ['used']\ndef used(): ...\n",
    "src/pkg/dead.py": "__all__ = ['spare']\ndef spare(): ...\n",
    "tests/test_dead.py": "from pkg.dead import spare\n",
}


def document(ce: Ce, *words: str | Path, code: int) -> dict[str, object]:
    got, out, err = ce(*words, "--format", "json")
    value: dict[str, object] = json.loads(out)
    assert got == code, out + err
    schema = json.loads((SCHEMAS / f"{str(value['schema']).replace('/', '-')}.json").read_text())
    jsonschema.validate(value, schema)
    return value


def test_the_settings_and_the_loader_agree_about_the_default_section() -> None:
    assert Allowlist().widened_key == WIDENED_KEY


def test_a_list_that_earns_its_place_passes(ce: Ce, tree: Make) -> None:
    root = tree(TREE)
    value = document(ce, "allowlist", root, code=0)
    assert [entry["verdict"] for entry in value["entries"]] == ["LIVE"]  # type: ignore[attr-defined]
    assert_no_dead_symbols(root)


def test_an_offender_fails_with_its_place_and_proof(ce: Ce, tree: Make) -> None:
    root = tree(TREE | {"src/pkg/more.py": "__all__ = ['extra']\n\n\nclass extra: ...\n"})
    value = document(ce, "allowlist", root, code=1)
    (offender,) = value["offenders"]  # type: ignore[misc]
    assert {name: offender[name] for name in ("module", "name", "path", "line")} == {  # type: ignore[has-type]
        "module": "pkg.more",
        "name": "extra",
        "path": "src/pkg/more.py",
        "line": 4,
    }
    code, out, _ = ce("allowlist", root, "--why")
    assert code == 1
    assert "pkg.more::extra  src/pkg/more.py:4  no caller" in out
    assert '("pkg.more", "extra")' in out
    with pytest.raises(AssertionError, match=r"pkg\.more::extra"):
        assert_no_dead_symbols(root)


def test_a_stale_entry_fails_and_is_reported_as_sarif(ce: Ce, tree: Make) -> None:
    root = tree(TREE | {"src/pkg/user.py": "from pkg.dead import spare\n"})
    code, out, _ = ce("allowlist", root, "--format", "sarif")
    assert code == 1
    (result,) = json.loads(out)["runs"][0]["results"]
    assert result["ruleId"] == "ce.allowlist/stale"
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "allowlist.yaml"
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 3


def test_a_schema_fault_is_not_judged(ce: Ce, tree: Make) -> None:
    root = tree(TREE | {"allowlist.yaml": LIST.replace("plugins find it", '""')})
    value = document(ce, "allowlist", root, code=2)
    (error,) = value["errors"]  # type: ignore[misc]
    assert (error["rule"], error["at"]) == ("L6", "categories.category_x.rationale")  # type: ignore[has-type]
    code, out, _ = ce("allowlist", root)
    assert code == 2
    assert out.startswith("allowlist.yaml: categories.category_x.rationale: [L6]")
    with pytest.raises(AllowlistSchemaError):
        assert_no_dead_symbols(root)


def test_floors_and_cap_of_the_settings_hold(ce: Ce, tree: Make) -> None:
    root = tree(TREE | {"ce.toml": '[allowlist]\nfile = "allowlist.yaml"\nmin_modules = 3\nmin_symbols = 1\ncap = 0\n'})
    value = document(ce, "allowlist", root, code=1)
    assert [floor["ok"] for floor in value["floors"]] == [False, True]  # type: ignore[attr-defined]
    assert value["cap"] == {"limit": 0, "count": 1, "ok": False}


def test_no_file_named_is_bad_usage_with_a_way_out(ce: Ce, tree: Make) -> None:
    root = tree(TREE | {"ce.toml": ""})
    code, _, err = ce("allowlist", root)
    assert code == 2
    assert "--init" in err


def test_a_module_that_does_not_parse_is_not_judged(ce: Ce, tree: Make) -> None:
    root = tree(TREE | {"src/pkg/broken.py": "def (:\n"})
    code, _, err = ce("allowlist", root)
    assert code == 2
    assert "src/pkg/broken.py:1: does not parse" in err


def test_a_first_file_does_not_pass_until_it_is_filled_in(ce: Ce, tree: Make) -> None:
    root = tree({name: text for name, text in TREE.items() if name != "allowlist.yaml"})
    path = root / "allowlist.yaml"
    assert ce("allowlist", root, "--init", path)[0] == 0
    assert ce("allowlist", root)[0] == 2
    path.write_text(path.read_text().replace('rationale: ""', "rationale: reviewed").replace('issue: ""', 'issue: "#7"'))
    assert ce("allowlist", root)[0] == 0
    code, _, err = ce("allowlist", root, "--init", path)
    assert (code, "cannot be written" in err) == (2, True)


def test_the_gate_names_packages_of_the_root_without_a_source_directory(ce: Ce, tree: Make) -> None:
    files = {name.removeprefix("src/"): text for name, text in TREE.items()}
    assert document(ce, "allowlist", tree(files), code=0)["counts"]["modules"] == 2  # type: ignore[index]


CLAUSE = "---\ntier: project\nlevel: green\n---\nWhy this is so.\n\nmatch: {}\n"


def test_clauses_of_two_directories_are_reported(ce: Ce, tree: Make) -> None:
    window = json.dumps({"call": {"tool": "Bash", "args": {"command": "npm test"}}, "verdict": "deny", "rung": "fallback"})
    root = tree(
        {
            "human/wide.md": CLAUSE.format("npm"),
            "learned/narrow.md": CLAUSE.format("`npm test`, `npm run, x`"),
            "window.jsonl": window + "\n",
        }
    )
    words = ("clauses", "--human", root / "human", "--learned", root / "learned")
    value = document(ce, *words, "--window", root / "window.jsonl", code=0)
    (merge,) = value["merges"]  # type: ignore[misc]
    assert (merge["keep"], merge["drop"], merge["proof"]) == ("wide", "narrow", "substring")  # type: ignore[has-type]
    assert [row["evidence"] for row in value["ablation"]] == ["shadowed", "in-service"]  # type: ignore[attr-defined]
    code, out, _ = ce(*words)
    assert code == 0
    assert out.startswith("= narrow  kept: wide (substring, green, project)\n")
    assert document(ce, *words, "--no-retire", code=0)["merges"] == []


def test_a_json_corpus_is_reported_and_its_faults_named(ce: Ce, tree: Make) -> None:
    clauses = {"human": [{"id": "a", "level": "red", "patterns": ["rm"]}], "learned": [{"id": "b", "level": "red", "patterns": ["rm -rf"]}]}
    root = tree({"corpus.json": json.dumps(clauses)})
    code, out, _ = ce("clauses", root / "corpus.json")
    assert (code, out.split("  ")[0]) == (0, "? b")
    (root / "corpus.json").write_text('{"human": [{"id": 3}]}')
    code, _, err = ce("clauses", root / "corpus.json")
    assert (code, "human[0]: `id`" in err) == (2, True)


@pytest.mark.parametrize("words", [(), ("x.json", "--human", "d"), ("nowhere.json",), ("--human", "nowhere")])
def test_a_corpus_that_is_not_there_is_bad_usage(ce: Ce, tmp_path: Path, words: tuple[str, ...]) -> None:
    code, _, err = ce("clauses", *words, cwd=tmp_path)
    assert (code, "CE60" in err) == (2, True)
