"""`ce query` as a conversation: from standard input, and on a terminal with either reader."""

from __future__ import annotations

import io
import os
import pty
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ce.app.evaluation import Options
from ce.app.project import open_project
from ce.app.session import COMMANDS, Session, is_complete

Ce = Callable[..., tuple[int, str, str]]

DEMO = Path(__file__).parents[2] / "fixtures" / "demo"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DEMO, tmp_path / "shop"))


@pytest.fixture
def talk(ce: Ce, shop: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    """Return the conversation: lines to exit code, standard output, standard error."""

    def run(*lines: str, words: tuple[str, ...] = ()) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return ce("query", "--interactive", shop, *words)

    return run


def test_questions_are_answered_in_turn(talk: Ce) -> None:
    code, out, err = talk("dead(F), lang(F, python)", "", "# a remark", '?- entry_point(F, "main", _).')
    assert (code, err) == (0, "")
    assert "?- dead(F), lang(F, python).  3 answers" in out
    assert '?- entry_point(F, "main", _).  1 answer\n  F\n  src/shop/cli.py' in out


def test_a_question_may_go_on_over_lines(talk: Ce) -> None:
    code, out, _ = talk("dead(F),", "lang(F,", "markdown)")
    assert code == 0
    assert "1 answer\n  F\n  docs/roadmap.md" in out


def test_the_last_question_can_be_explained(talk: Ce) -> None:
    _, out, _ = talk('dead("docs/roadmap.md")', ".why", '.why-not dead("README.md")', ".plan ref(F, F, _, _)", ".plan")
    assert 'no row of reach matches ("docs/roadmap.md")' in out
    assert 'dead("README.md") is missing' in out or 'reach("README.md")' in out
    assert out.count("stratum 1: ") >= 2


def test_rules_that_are_entered_stay_until_they_are_forgotten(talk: Ce) -> None:
    code, out, err = talk("big(F) :- lines(F, N), N > 25.", "big(F)", ".schema big", ".rules", ".forget", "big(F)")
    assert code == 2
    assert "1 answer\n  F\n  src/shop/orders.py" in out
    assert "big(F: node)" in out
    assert "big(F) :- lines(F, N), N > 25." in out
    assert "error CE202: unknown predicate `big`" in err


def test_a_rule_with_a_fault_is_not_kept_and_the_earlier_ones_are(talk: Ce) -> None:
    code, out, err = talk(
        "big(F) :- lines(F, N), N > 25", "worse(F) :- lnes(F, N).", "big(F)", "reach(F) :- file(F).", "assert x(F) :- file(F)."
    )
    assert code == 2
    assert "1 answer" in out
    assert "did you mean `lines`?" in err
    assert "CE207" in err or "reach" in err
    assert "assertions stand in a rules file" in err


def test_a_rules_file_is_there_from_the_start_and_its_own_assertions_are_not_judged(talk: Ce) -> None:
    code, out, _ = talk("layer(F, N)", words=("--file", "layers.rules"))
    assert code == 0
    assert "assert" not in out


def test_the_commands_are_shown_and_a_misspelt_one_is_an_error(talk: Ce) -> None:
    code, out, err = talk(".help", ".schema ref", ".schema rfe", ".schma", ".why", ".quit", "dead(F)")
    assert code == 2
    assert all(name in out for name in COMMANDS)
    assert "K is one of import, doc_link" in out
    assert "did you mean `ref`?" in err
    assert "there is no command `.schma`" in err
    assert "nothing was asked yet" in err
    assert "dead(F).  " not in out


def test_the_list_of_relations_holds_facts_and_the_prelude(talk: Ce) -> None:
    _, out, _ = talk(".schema")
    assert "ref(N: node, M: node, K: sym, R: int)\n" in out
    assert "depends(X: node, Y: node)\n" in out


def test_a_question_beside_interactive_and_none_at_all_are_refused(ce: Ce, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert ce("query", "dead(F)", shop, "--interactive")[0] == 2
    code, _, err = ce("query", cwd=shop)
    assert code == 2
    assert "--interactive reads questions" in err


@pytest.mark.parametrize(
    ("before", "first", "among"),
    [
        ("dea", "dead", "dead"),
        ("ref(F, G, i", "import", "import"),
        ("ref(F, G, ", "import", "doc_link"),
        ("role(F, te", "test", "test"),
        ('in(F, "src/shop/rep', "src/shop/reports/**", "src/shop/reports/daily.py"),
        ("dead(File), lang(Fi", "File", "File"),
        (".sch", ".schema", ".schema"),
        (".why dea", "dead", "dead"),
        ("N = cou", "count", "count"),
    ],
)
def test_completion_offers_what_fits_at_the_place(shop: Path, before: str, first: str, among: str) -> None:
    session = Session(open_project(str(shop)), (), Options())
    start, found = session.complete(before)
    texts = [each.text for each in found]
    assert texts[0] == first
    assert among in texts
    assert all(text.startswith(before[start:]) for text in texts)


def test_a_text_is_complete_when_nothing_is_left_open() -> None:
    assert all(map(is_complete, ["dead(F)", ".help", "p(X) :- q(X).", "N > 1"]))
    assert not any(map(is_complete, ["dead(F),", "ref(F,", "p(X) :-", "a(F) ;  # or"]))


@pytest.mark.parametrize("rich", [True, False], ids=["prompt_toolkit", "readline"])
def test_it_talks_on_a_terminal(shop: Path, tmp_path: Path, rich: bool) -> None:
    if not rich:
        (tmp_path / "prompt_toolkit.py").write_text("raise ImportError('not here')\n")
    answer = _typed(shop, tmp_path, ["dead(F), lang(F, markdown)\r", ".quit\r"])
    assert "docs/roadmap.md" in answer
    assert "Traceback" not in answer


def _typed(shop: Path, beside: Path, lines: list[str]) -> str:
    """Return what a terminal shows when the lines are typed, each after a prompt."""
    environment = os.environ | {
        "PYTHONPATH": f"{beside}{os.pathsep}{Path(__file__).parents[2]}",
        "TERM": "xterm",
        "PROMPT_TOOLKIT_NO_CPR": "1",
    }
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(shop)
        os.execve(sys.executable, [sys.executable, "-m", "ce", "query"], environment)
    shown, typed, deadline = b"", 0, time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            chunk = os.read(terminal, 4096)
        except OSError:
            break
        shown += chunk
        # A prompt is there once more than lines were typed; prompt_toolkit also tells that it takes pasted text.
        waits = shown.count(b"ce> ") > typed and shown.rstrip().endswith(b"ce>")
        if typed < len(lines) and (waits or b"\x1b[?2004h" in chunk):
            os.write(terminal, lines[typed].encode())
            typed += 1
    os.waitpid(child, 0)
    return shown.decode("utf-8", "replace")
