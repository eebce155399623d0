"""The acceptance list of the eraser's contract, through the command line on real repositories."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

Ce = Callable[..., tuple[int, str, str]]
Make = Callable[[Mapping[str, str | bytes]], Path]
SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "schemas" / "ce.erase-1.json"

UNIT = """\
def _spare_total(items, rate):
    result = 0
    for item in items:
        if item.price > 10 and item.name != "free":
            result += item.price * rate
        elif item.price < 0:
            raise ValueError("negative", item)
        else:
            result -= 1
    return result, len(items)
"""
PROSE = " ".join(f"word{number}" for number in range(60))
TREE: dict[str, str | bytes] = {
    "__main__.py": f"import sys\n\n\n{UNIT}\n\nprint(_spare_total([], len(sys.argv)))\n",
    "_gone.py": "_x = 1\n",
    "spare.py": UNIT,
    "copy.py": "def exported():\n    return 1\n",
    "README.md": f"# Tree\n\n{PROSE}\n\nSee [more](docs/more.md).\n",
    "docs/more.md": f"# More\n\n{PROSE}\n\nThe end of the page.\n",
}


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


def commit(root: Path) -> Path:
    if not (root / ".git").exists():
        git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "state")
    return root


@pytest.fixture
def repository(tree: Make) -> Path:
    return commit(tree(TREE))


def plan(ce: Ce, root: Path, *words: str | Path, code: int = 0) -> dict[str, Any]:
    got, out, err = ce("erase", root, "--format", "json", *words)
    assert got == code, out + err
    document: dict[str, Any] = json.loads(out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    return document


def reasons(document: dict[str, Any]) -> dict[tuple[str, str], str]:
    return {(row["path"], row["class"]): row["reason"] for row in document["rows"]}


def snapshot(root: Path) -> dict[str, bytes]:
    found = {}
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if name not in (".git", ".ce")]
        found.update({os.path.relpath(os.path.join(folder, name), root): Path(folder, name).read_bytes() for name in files})
    return found


def test_the_fixture_tree_is_planned_applied_and_clean_afterwards(ce: Ce, repository: Path) -> None:
    document = plan(ce, repository)
    assert reasons(document) == {
        ("_gone.py", "dead_file"): "eraseable",
        ("copy.py", "dead_file"): "public_surface",
        ("docs/more.md", "verbatim_doc"): "eraseable",
        ("spare.py", "t1_twin"): "eraseable",
    }
    assert ce("erase", repository, "--check")[0] == 1
    assert plan(ce, repository, "--apply")["applied"] == document["plan"]
    after = snapshot(repository)
    assert set(after) == {"__main__.py", "copy.py", "README.md", "docs/more.md"}
    assert after["docs/more.md"] == b"# More\n\n\nThe end of the page.\n"
    again = plan(ce, commit(repository))
    assert reasons(again) == {("copy.py", "dead_file"): "public_surface"}
    assert ce("erase", repository, "--check")[0] == 0


def test_every_row_carries_its_proof_and_every_hunk_its_provenance_and_hash(ce: Ce, repository: Path) -> None:
    document = plan(ce, repository)
    for row in document["rows"]:
        assert "erase.dl" in json.dumps(row["proof"])
        assert len(row["hash"]) == 64
    _, out, _ = ce("erase", repository)
    for part in (
        "--- a/_gone.py",
        "+++ /dev/null",
        "-_x = 1",
        "# dead_file whole file: deadcode: unref_private",
        "covers unit _spare_total",
    ):
        assert part in out
    assert document["rows"][0]["hash"] in out
    assert "copy.py  public_surface" in out


def test_two_plans_of_one_tree_are_equal_byte_for_byte(ce: Ce, repository: Path) -> None:
    first = ce("erase", repository, "--format", "json")[1]
    assert json.loads(first) | {"counts": 0} == json.loads(ce("erase", repository, "--format", "json")[1]) | {"counts": 0}
    assert ce("erase", repository)[1] == ce("erase", repository)[1]


def test_the_log_tells_what_was_erased(ce: Ce, repository: Path) -> None:
    digest = plan(ce, repository)["plan"]
    assert "nothing was ever erased" in ce("erase", repository, "--log")[1]
    plan(ce, repository, "--apply")
    code, out, _ = ce("erase", repository, "--log", "--format", "json")
    trail = json.loads(out)
    assert (code, trail["schema"], trail["unreadable"]) == (0, "ce.erase-log/1", [])
    assert {(row["class"], row["path"]) for row in trail["rows"]} == {
        ("dead_file", "_gone.py"),
        ("t1_twin", "spare.py"),
        ("verbatim_doc", "docs/more.md"),
    }
    assert all(row["plan"] == digest and set(row) == {"ts", "class", "path", "span", "provenance", "hash", "plan"} for row in trail["rows"])
    with (repository / ".ce" / "erase-log.ndjson").open("a") as log:
        log.write("garbage\n")
    code, out, _ = ce("erase", repository, "--log")
    assert (code, "line 4 is unreadable" in out) == (1, True)


@pytest.mark.parametrize("obstacle", ["dirty", "no repository", "enclosing repository"])
def test_an_apply_that_may_not_run_is_refused_by_name(ce: Ce, tree: Make, obstacle: str) -> None:
    names = {"dirty": "CE703", "no repository": "CE701", "enclosing repository": "CE702"}
    outer = tree({f"inner/{path}": text for path, text in TREE.items()})
    root = outer / "inner"
    if obstacle == "dirty":
        commit(root)
        (root / "new.txt").write_text("x")
    elif obstacle == "enclosing repository":
        commit(outer)
    before = snapshot(root)
    code, _, err = ce("erase", root, "--apply")
    assert (code, names[obstacle] in err) == (2, True)
    assert snapshot(root) == before


def test_a_saved_plan_is_applied_and_refused_when_a_hash_moved(ce: Ce, repository: Path, tmp_path: Path) -> None:
    saved = tmp_path / "plan.json"
    saved.write_text(ce("erase", repository, "--format", "json")[1])
    (repository / "_gone.py").write_text("_x = 2\n")
    commit(repository)
    before = snapshot(repository)
    code, _, err = ce("erase", repository, "--apply", "--plan", saved)
    assert (code, "content changed since planning: `_gone.py`" in err) == (2, True)
    assert snapshot(repository) == before
    (repository / "_gone.py").write_text("_x = 1\n")
    commit(repository)
    assert ce("erase", repository, "--apply", "--plan", saved)[0] == 0
    assert "_gone.py" not in snapshot(repository)


def test_a_forged_plan_licenses_nothing(ce: Ce, repository: Path, tmp_path: Path) -> None:
    document = plan(ce, repository)
    (row,) = [row for row in document["rows"] if row["path"] == "copy.py"]
    row["eraseable"] = True
    saved = tmp_path / "plan.json"
    saved.write_text(json.dumps(document))
    before = snapshot(repository)
    code, _, err = ce("erase", repository, "--apply", "--plan", saved)
    assert (code, "CE706" in err and "copy.py" in err) == (2, True)
    row["class"] = "(retired)"
    saved.write_text(json.dumps(document))
    code, _, err = ce("erase", repository, "--apply", "--plan", saved)
    assert (code, "retired class 0" in err) == (2, True)
    assert snapshot(repository) == before


@pytest.mark.parametrize(
    "text", ["", "[]", '{"schema": "ce.erase/1"}', '{"schema": "ce.erase/1", "rows": [3]}', '{"schema": "x", "rows": []}']
)
def test_a_file_that_is_no_plan_is_refused(ce: Ce, repository: Path, tmp_path: Path, text: str) -> None:
    saved = tmp_path / "plan.json"
    saved.write_text(text)
    code, _, err = ce("erase", repository, "--apply", "--plan", saved)
    assert (code, "CE723" in err) == (2, True)


@pytest.mark.parametrize(("verify", "code"), [("true", 0), ("false", 1), ("no-such-program", 1)])
def test_a_check_of_the_project_decides_whether_the_new_state_stands(ce: Ce, tree: Make, verify: str, code: int) -> None:
    root = commit(tree(TREE | {"ce.toml": f'[erase]\nverify = "{verify}"\n'}))
    before = snapshot(root)
    got, _, err = ce("erase", root, "--apply")
    assert got == code
    assert (snapshot(root) == before) is (code == 1)
    assert ("CE711" in err) is (code == 1)


def test_a_live_renamed_clone_is_never_planned(ce: Ce, tree: Make) -> None:
    files: dict[str, str | bytes] = {
        "__main__.py": f"import other\n\n\n{UNIT}\n\nprint(_spare_total([], other.add))\n",
        "other.py": UNIT.replace("_spare_total", "add").replace("items", "rows"),
    }
    document = plan(ce, commit(tree(files)))
    assert document["counts"]["eraseable"] == 0
    assert set(reasons(document).values()) <= {"bytes_differ", "copy_not_dead"}


def test_an_ignored_path_is_never_planned(ce: Ce, tree: Make) -> None:
    root = commit(tree(TREE | {".ceignore": "_gone.py\nspare.py\ndocs/\n"}))
    assert reasons(plan(ce, root)) == {("copy.py", "dead_file"): "public_surface"}


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("ci.yml", "run: python _gone.py\n", "mentioned"),
        (".github/workflows/ci.yml", "run: cat _gone.py\n", "mentioned"),
        ("notes.txt", "there is a gone.py and a _gone_py\n", "eraseable"),
    ],
)
def test_a_file_that_a_live_one_spells_is_kept(ce: Ce, tree: Make, path: str, text: str, expected: str) -> None:
    document = plan(ce, commit(tree(TREE | {path: text})))
    found = reasons(document).get(("_gone.py", "dead_file"))
    # A command line that names the file makes it an entry, which is more than a mention.
    assert found in ({expected, None} if expected == "mentioned" else {expected})


def test_an_unresolved_reference_of_its_language_keeps_a_file(ce: Ce, tree: Make) -> None:
    root = commit(
        tree(TREE | {"also.py": "from . import nowhere_to_be_found\n", "__main__.py": str(TREE["__main__.py"]) + "import also\n"})
    )
    found = reasons(plan(ce, root))
    assert found["_gone.py", "dead_file"] == "language_unresolved"


def test_why_not_leads_to_the_chain_that_keeps_a_file(ce: Ce, repository: Path) -> None:
    code, out, _ = ce("erase", repository, "--why-not", "docs/more.md")
    assert (code, "it is eraseable" in out) == (0, True)
    _, out, _ = ce("erase", repository, "--why-not", "copy.py")
    assert "public_surface" in out
    _, out, _ = ce("erase", repository, "--why-not", "README.md")
    assert "it is alive" in out
    _, out, _ = ce("erase", repository, "--why-not", "nowhere.py")
    assert "no measured file has this path" in out


def test_a_docstring_that_is_all_of_a_body_is_kept(ce: Ce, tree: Make) -> None:
    doc = f'    """{PROSE}"""\n'
    text = f"class A:\n{doc}\n\nclass B:\n{doc}    x = 1\n\n\nprint(A, B)\n"
    document = plan(ce, commit(tree({"__main__.py": text.replace("class A:", "class A0:\n    y = 1\n\n\nclass A:")})))
    assert "breaks_syntax" not in reasons(document).values()
    swapped = f"class B:\n{doc}    x = 1\n\n\nclass A:\n{doc}\n\nprint(A, B)\n"
    assert reasons(plan(ce, commit(tree({"__main__.py": swapped})))) == {("__main__.py", "verbatim_doc"): "breaks_syntax"}


def test_hostile_names_go_through_plan_and_apply(ce: Ce, tree: Make) -> None:
    odd = ["_new\nline.py", "_sp ace.py", "_\udcff.py", "_quo\"te'.py", "-dash.py"]
    files: dict[str, str | bytes] = {name: f"_v{number} = {number}\n" for number, name in enumerate(odd)}
    root = commit(tree(files | {"__main__.py": "print(1)\n"}))
    document = plan(ce, root)
    assert {row["path"] for row in document["rows"] if row["eraseable"]} == set(odd)
    assert ce("erase", root, "--apply")[0] == 0
    assert set(snapshot(root)) == {"__main__.py"}


def test_an_empty_tree_has_nothing_to_check(ce: Ce, tree: Make) -> None:
    assert ce("erase", tree({}), "--check")[0] == 2
    assert ce("erase", tree({}))[0] == 0


def test_nothing_to_erase_needs_no_repository(ce: Ce, tree: Make) -> None:
    code, out, _ = ce("erase", tree({"__main__.py": "print(1)\n"}), "--apply")
    assert (code, out) == (0, "nothing to erase\n")


def test_a_plan_says_that_an_apply_did_not_end(ce: Ce, repository: Path) -> None:
    assert "did not end" not in ce("erase", repository)[2]
    journal = repository / ".ce" / "erase-journal"
    journal.mkdir()
    code, _, err = ce("erase", repository)
    assert code == 0
    assert "note: an apply of this tree did not end, so it may be half erased: `ce erase --recover` brings it to one state" in err
    assert any("did not end" in note for note in plan(ce, repository)["notes"])
    assert ce("erase", repository, "--check")[0] == 2
    journal.rmdir()
    assert ce("erase", repository, "--check")[0] == 1
