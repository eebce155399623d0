"""What `ce deadcode --symbols` says of names is kept between runs, and is never another answer than asking anew gives."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from ce.app import evaluation, kept
from ce.app.dead_names import find_dead_names
from ce.app.evaluation import Evaluation, Options
from ce.app.kept_proofs import decode_proofs, encode_proofs
from ce.app.project import open_project
from ce.app.report import NamesReport
from ce.datalog.proof import ProofNode

Make = Callable[[Mapping[str, str | bytes]], Path]
Run = Callable[..., tuple[int, str, str]]

PYPROJECT = '[project]\nname = "shop"\nversion = "1"\n[project.scripts]\nshop = "shop.main:main"\n'
TOOLS = "def used():\n    return 1\n\n\ndef unused():\n    return helper()\n\n\ndef helper():\n    return 2\n\n\nLIMIT = 3\n"
FILES: dict[str, str | bytes] = {
    "pyproject.toml": PYPROJECT,
    "shop/__init__.py": "",
    "shop/main.py": "from shop.tools import used\n\n\ndef main():\n    return used()\n",
    "shop/tools.py": TOOLS,
    "shop/alone.py": "def nobody():\n    return 1\n",
}


class Asked(Exception):
    """Somebody evaluates."""


def refuse(*_: object, **__: object) -> Evaluation:
    raise Asked


@contextmanager
def nothing_kept() -> Iterator[None]:
    """Have every question asked anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "_decoded", lambda data: None)
        yield


@contextmanager
def nothing_asked() -> Iterator[None]:
    """Refuse to evaluate."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluation, "evaluate_in", refuse)
        yield


def judged(root: Path, **chosen: Any) -> NamesReport:
    return find_dead_names(open_project(str(root)), options=Options(), **chosen)


def told(report: NamesReport) -> list[tuple[str, str]]:
    return [(each.qualified, each.tier) for each in report.symbols]


def without_counts(report: NamesReport) -> str:
    """Return all that is said of files and names; what a run did to the index is its own matter."""
    return repr(report).replace(repr(report.files.index), "")


@pytest.fixture
def root(tree: Make) -> Path:
    return tree(FILES)


@pytest.mark.parametrize(
    "words",
    [
        ("--format", "json"),
        (),
        ("--why",),
        ("--why", "--format", "json"),
        ("--format", "sarif"),
        ("--tier", "certain", "--why", "--format", "json"),
        ("--check", "--tier", "likely"),
        ("--baseline", "old.json", "--format", "json"),
    ],
    ids=" ".join,
)
def test_kept_and_fresh_answers_print_the_same_bytes(root: Path, ce: Run, words: tuple[str, ...]) -> None:
    ce("deadcode", "--symbols", "--baseline", "old.json", "--write-baseline", "--tier", "certain", cwd=root)
    ce("deadcode", "--symbols", *words, cwd=root)
    with nothing_asked():
        from_kept = ce("deadcode", "--symbols", *words, cwd=root)
    with nothing_kept():
        fresh = ce("deadcode", "--symbols", *words, cwd=root)
    assert from_kept == fresh
    assert "unused" in from_kept[1]


def test_dead_files_are_kept_too_with_their_proofs(root: Path, ce: Run) -> None:
    for words in ((), ("--why",), ("--format", "json", "--why")):
        ce("deadcode", *words, cwd=root)
        with nothing_asked():
            from_kept = ce("deadcode", *words, cwd=root)
        with nothing_kept():
            assert from_kept == ce("deadcode", *words, cwd=root)
        assert "shop/alone.py" in from_kept[1]


def test_tiers_and_a_baseline_apply_to_one_kept_answer(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    baseline = str(tmp_path_factory.mktemp("apart") / "old.json")
    everything = judged(root)
    with nothing_asked():
        likely = judged(root, tiers=("likely",))
        judged(root, baseline=baseline, write_baseline=True)
        known = judged(root, baseline=baseline)
    assert likely.symbols == tuple(each for each in everything.symbols if each.tier == "likely") != ()
    assert likely.counts == everything.counts
    assert (known.symbols, known.known) == ((), everything.symbols)


def test_a_file_that_was_only_touched_asks_nothing(root: Path) -> None:
    first = judged(root)
    os.utime(root / "shop" / "tools.py", (1, 1))
    with nothing_asked():
        assert without_counts(judged(root)) == without_counts(first)


def test_proofs_of_some_tiers_are_not_taken_for_those_of_others(root: Path) -> None:
    chosen: list[tuple[str, ...]] = [("certain",), ("likely",), ("certain", "likely")]
    first = [judged(root, why=True, tiers=tiers) for tiers in chosen]
    assert all(each.proof is not None for report in first for each in report.symbols)
    with nothing_asked():
        again = [judged(root, why=True, tiers=tiers) for tiers in chosen]
        assert [[str(each.proof) for each in report.symbols] for report in again] == [
            [str(each.proof) for each in report.symbols] for report in first
        ]
        with pytest.raises(Asked):
            judged(root)


CHANGES: dict[str, tuple[str, str | None]] = {
    "use": ("shop/main.py", "from shop.tools import used, unused\n\n\ndef main():\n    return used() + unused()\n"),
    "no use": ("shop/main.py", str(FILES["shop/main.py"])),
    "other names": ("shop/tools.py", TOOLS.replace("unused", "unasked")),
    "one name less": ("shop/tools.py", TOOLS.replace("\n\nLIMIT = 3\n", "\n")),
    "a marker": ("shop/tools.py", TOOLS.replace("def unused", "# ce:allow(deadcode) -- soon\ndef unused")),
    "the names of before": ("shop/tools.py", TOOLS),
    "a new file": ("shop/more.py", "from shop.tools import LIMIT\n\nprint(LIMIT)\n"),
    "one file less": ("shop/more.py", None),
    "a text that spells": ("README.md", "Ask `helper` for help.\n"),
    "no text": ("README.md", None),
    "other roots": ("pyproject.toml", PYPROJECT.replace("shop.main:main", "shop.tools:unused")),
    "the roots of before": ("pyproject.toml", PYPROJECT),
    "an allowed name": ("ce.toml", '[deadcode]\nallow = ["shop.tools.unused"]\n'),
    "less roots": ("ce.toml", '[deadcode]\nwithout = ["python"]\n'),
    "an own program": ("ce.toml", '[deadcode]\nprograms = ["own.dl"]\n'),
    "a library": ("ce.toml", '[project]\nkind = "library"\n'),
    "no settings": ("ce.toml", None),
    "a program that keeps": ("own.dl", 'include "more.dl".\nhook(S, "ours") :- ours(S).\n'),
    "a program that keeps nothing": ("own.dl", "ours(S) :- symbol(S, F), F != F.\n"),
    "what it includes": ("more.dl", 'ours(S) :- symbol_name(S, "unused").\n'),
    "something else that it includes": ("more.dl", 'ours(S) :- symbol_name(S, "helper").\n'),
}


def _apply(root: Path, change: str) -> None:
    path, text = CHANGES[change]
    if text is None:
        (root / path).unlink(missing_ok=True)
    else:
        (root / path).write_text(text)


def _answer(root: Path) -> str:
    """Return what is said, which may be an error."""
    from ce.diagnostics import CeError

    try:
        return without_counts(judged(root))
    except CeError as error:
        return repr([(each.code, each.message) for each in error.diagnostics])


@given(st.lists(st.sampled_from(sorted(CHANGES)), min_size=2, max_size=5))
@hypothesis_settings(max_examples=5)
def test_after_any_changes_the_answer_is_that_of_asking_anew(changes: list[str]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for path, text in {**FILES, "own.dl": CHANGES["a program that keeps"][1], "more.dl": CHANGES["what it includes"][1]}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(str(text))
        _answer(root)
        for change in changes:
            _apply(root, change)
            answer = _answer(root)
            assert _answer(root) == answer
            with nothing_kept():
                assert _answer(root) == answer


@pytest.mark.parametrize(
    ("before", "change", "name", "tiers"),
    [
        ((), "use", "shop.tools.unused", ("certain", None)),
        ((), "an allowed name", "shop.tools.unused", ("certain", None)),
        ((), "a marker", "shop.tools.unused", ("certain", None)),
        (
            ("what it includes", "a program that keeps nothing", "an own program"),
            "a program that keeps",
            "shop.tools.unused",
            ("certain", None),
        ),
        (
            ("what it includes", "a program that keeps", "an own program"),
            "something else that it includes",
            "shop.tools.unused",
            (None, "certain"),
        ),
        ((), "a library", "shop.tools.unused", ("certain", "public")),
    ],
)
def test_what_changes_the_tier_of_a_name_is_seen(
    root: Path, before: tuple[str, ...], change: str, name: str, tiers: tuple[str | None, str | None]
) -> None:
    for each in before:
        _apply(root, each)
    assert dict(told(judged(root))).get(name) == tiers[0]
    _apply(root, change)
    assert dict(told(judged(root))).get(name) == tiers[1]


@pytest.mark.parametrize("cut", [0, 1, 10, 200, -1])
def test_damaged_bytes_are_asked_anew(root: Path, cut: int) -> None:
    first = judged(root)
    connection = sqlite3.connect(root / ".ce" / "index.db")
    for key, value in connection.execute("SELECT key, value FROM cache WHERE CAST(key AS TEXT) LIKE 'answer/%'").fetchall():
        connection.execute("UPDATE cache SET value = ? WHERE key = ?", (value[:cut], key))
    connection.commit()
    connection.close()
    again = judged(root)
    assert (again.symbols, again.counts) == (first.symbols, first.counts)
    assert any("damaged" in note for note in again.files.notes)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.text(max_size=3), lambda inner: st.lists(inner, max_size=4), max_leaves=8
)


@given(st.data())
@hypothesis_settings(max_examples=60)
def test_a_document_that_nobody_of_ours_wrote_is_refused_or_read_as_it_stands(data: st.DataObject) -> None:
    from ce.app.dead_names import _read

    whole = json.loads(json.dumps(_whole_document()))
    spot: Any = whole
    while True:
        at = data.draw(st.integers(0, len(spot) - 1))
        if not isinstance(spot[at], list) or not spot[at] or data.draw(st.booleans()):
            break
        spot = spot[at]
    spot[at] = data.draw(_JSON)
    try:
        _read(whole)
    except kept._MALFORMED:
        return


def _whole_document() -> object:
    leaf = ProofNode("fact", "file", ("a.py",), at="a.py:1")
    proof = ProofNode("goal", None, ("a.py", 3), None, None, (leaf, ProofNode("rule", "dead", ("a.py",), "p.dl:1", None, (leaf,))))
    row = ["a.py::f", "certain", "nothing uses it", "f", "a.f", "function", "a.py", 1, 2, None, None]
    files = [[["a.py", "unref_private", "nothing refers to it", 2]], 0, 3, 1, 10, 20, 0]
    return [files, [row], 1, [["generated", 1]], ["nothing"], encode_proofs([proof, None])]


def test_proofs_keep_what_they_share() -> None:
    leaf = ProofNode("absence", "used", ("_", 1), searched=4)
    shared = ProofNode("rule", "dead", ("a",), "p.dl:1", None, (leaf, leaf))
    proofs = [
        ProofNode("goal", None, ("a",), "q:1", None, (shared, shared, leaf)),
        None,
        ProofNode("goal", None, (), None, None, (shared,)),
    ]
    back = decode_proofs(json.loads(json.dumps(encode_proofs(proofs))))
    assert [None if proof is None else proof.to_dict() for proof in back] == [
        None if proof is None else proof.to_dict() for proof in proofs
    ]
    assert back[0] is not None and back[2] is not None
    assert back[0].premises[0] is back[0].premises[1] is back[2].premises[0]


_COMMAND = "import sys; from ce.faces.cli import main; sys.exit(main(['deadcode', '--symbols', '--format', 'json', sys.argv[1]]))"
_KILLED = "import os, signal\nfrom ce.store import index\nindex.evict = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"


def test_two_runs_at_once_and_one_killed_while_it_writes_leave_the_right_answer(root: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", _KILLED + _COMMAND, str(root)], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    both = [subprocess.Popen([sys.executable, "-c", _COMMAND, str(root)], stdout=subprocess.PIPE) for _ in range(2)]
    answers = [json.loads(process.communicate()[0]) for process in both]
    report = judged(root)
    with nothing_kept():
        assert without_counts(judged(root)) == without_counts(report)
    for answer in answers:
        assert [symbol["qualified"] for symbol in answer["symbols"]] == [each.qualified for each in report.symbols]


def test_an_answer_killed_in_the_middle_of_its_own_writing_is_asked_anew(root: Path) -> None:
    first = judged(root)
    (root / "shop" / "more.py").write_text("def later():\n    return 1\n")
    wait = (
        "from ce.app import kept\nkept._encoded, real = (lambda *parts: (setattr(index, 'evict', kill), real(*parts))[1]), kept._encoded\n"
    )
    killer = "import os, signal\nfrom ce.store import index\nkill = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
    killed = subprocess.run([sys.executable, "-c", killer + wait + _COMMAND, str(root)], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert {name for name, _ in told(judged(root))} == {name for name, _ in told(first)} | {"shop.more.later"}


def test_a_root_that_cannot_be_written_is_judged_every_time(tree: Make) -> None:
    root = tree({**FILES, ".ce": b"not a directory\n"})
    first = judged(root)
    assert without_counts(judged(root)) == without_counts(first)
    with nothing_asked(), pytest.raises(Asked):
        judged(root)


@pytest.mark.parametrize("asked", ["used", "unused", "helper", "shop/alone.py", "shop/tools.py", "shop.main.main", "nothing", "LIMIT"])
@pytest.mark.parametrize("words", [("--proof", "--format", "json"), ()], ids=" ".join)
def test_why_is_kept_for_each_question_and_prints_the_same_bytes(root: Path, ce: Run, asked: str, words: tuple[str, ...]) -> None:
    ce("why", "main", cwd=root)
    first = ce("why", asked, *words, cwd=root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "compile_program", refuse)
        assert ce("why", asked, *words, cwd=root) == first
    with nothing_kept():
        assert ce("why", asked, *words, cwd=root) == first


def test_why_sees_what_a_text_says_today_although_its_answer_is_kept(root: Path, ce: Run) -> None:
    (root / "NOTES.txt").write_text("Nothing.\n")
    assert "NOTES.txt" not in ce("why", "unused", cwd=root)[1]
    (root / "NOTES.txt").write_text("Call unused() some day.\n")
    assert "NOTES.txt:1" in ce("why", "unused", cwd=root)[1]
