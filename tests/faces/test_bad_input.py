"""What a user can get wrong ends in a sentence and an exit code, never in a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Ce = Callable[..., tuple[int, str, str]]
Tree = Callable[[Mapping[str, str | bytes]], Path]

SMALL: dict[str, str | bytes] = {"__main__.py": "import used\n", "used.py": "A = 1\n", "lone.py": "def _a():\n    return 1\n"}


@pytest.mark.parametrize("command", [("query", "dead(F)"), ("rules",), ("deadcode",), ("index",), ("facts", "file"), ("doctor",)])
def test_a_root_that_does_not_exist_is_named(ce: Ce, command: tuple[str, ...]) -> None:
    code, out, err = ce(*command, "/nonexistent")
    assert (code, out) == (2, "")
    assert "no such directory: `/nonexistent`" in err


def test_a_root_that_is_a_file_is_refused(ce: Ce, tree: Tree) -> None:
    root = tree(SMALL)
    code, _, err = ce("deadcode", root / "lone.py")
    assert code == 2
    assert "is not a directory" in err


def test_a_root_with_a_zero_byte_is_refused(ce: Ce) -> None:
    code, _, err = ce("deadcode", "a\0b")
    assert code == 2
    assert "error CE" in err


def test_an_empty_tree_answers_nothing_and_says_so(ce: Ce, tree: Tree) -> None:
    root = tree({})
    code, out, _ = ce("query", "dead(F)", root)
    assert code == 0
    assert "the tree is empty" in out


def test_a_check_of_an_empty_tree_has_nothing_to_judge(ce: Ce, tree: Tree) -> None:
    root = tree({})
    assert ce("deadcode", root)[0] == 0
    code, out, _ = ce("deadcode", root, "--check")
    assert code == 2
    assert "nothing to judge" in out


def test_a_tree_that_is_no_repository_is_judged_like_any_other(ce: Ce, tree: Tree) -> None:
    code, out, _ = ce("deadcode", tree(SMALL), "--check")
    assert code == 1
    assert "lone.py" in out


def test_a_source_with_syntax_errors_is_measured_as_far_as_it_parses_and_said(ce: Ce, tree: Tree) -> None:
    root = tree({"__main__.py": "import used\ndef oops(:\n", "used.py": "A = 1\n"})
    code, out, err = ce("query", "ref(A, B, import, _)", root)
    assert code == 0
    assert "used.py" in out
    assert "__main__.py" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "content",
    [
        b"A = '\xff\xfe\xfa'\n",
        "A = 'é'\n".encode("latin-1"),
        "A = 1\n".encode("utf-16"),
        b"\xef\xbb\xbfA = 1\n",
        b"A = 1\0\n",
        bytes(range(256)),
    ],
)
def test_odd_bytes_never_stop_a_run(ce: Ce, tree: Tree, content: bytes) -> None:
    root = tree({"__main__.py": "import odd\n", "odd.py": content, "lone.py": "def _a():\n    return 1\n"})
    code, out, err = ce("query", "dead(F)", root)
    assert code == 0
    assert "lone.py" in out
    assert "Traceback" not in err


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is readable for the superuser")
def test_an_unreadable_file_is_a_skipped_fact(ce: Ce, tree: Tree) -> None:
    root = tree({**SMALL, "locked.py": "A = 1\n"})
    (root / "locked.py").chmod(0)
    code, out, _ = ce("query", "skipped(F, unreadable)", root)
    assert code == 0
    assert "locked.py" in out


def test_a_pipe_a_dangling_link_and_a_loop_are_passed_over(ce: Ce, tree: Tree) -> None:
    root = tree(SMALL)
    os.mkfifo(root / "pipe.py")
    (root / "dangling.py").symlink_to("nowhere.py")
    (root / "loop").symlink_to(".")
    (root / "itself.py").symlink_to("itself.py")
    code, out, err = ce("query", "file(F)", root, "--format", "csv")
    assert code == 0
    assert out.split() == ["F", "__main__.py", "lone.py", "used.py"]
    assert "Traceback" not in err


def test_three_different_faults_of_a_rules_file_are_all_reported_with_carets(ce: Ce, tree: Tree) -> None:
    rules = "assert a(F) :- fille(F).\nassert b(F, G) :- file(F).\nassert c(F) :- node(F, fyle).\n"
    code, out, err = ce("rules", tree({**SMALL, "ce.rules": rules}))
    assert (code, out) == (2, "")
    for line, word in ((1, "file"), (2, "G"), (3, "file")):
        (shown,) = [text for text in err.split("\n") if text.startswith(f"ce.rules:{line}:")]
        assert "error CE2" in shown
        assert word in err
    assert err.count("^") >= 3
    assert err.count("did you mean") >= 2


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("ded(F)", "`dead`"),
        ("node(F, fil)", "`file`"),
        ("dead(F, G)", "dead"),
        ("dead(F", "`(` is not closed"),
        ("file(F), not ref(F, G, _, _), X = G", "G"),
        ("", "asks nothing"),
    ],
)
def test_a_wrong_question_is_explained_at_its_place(ce: Ce, tree: Tree, body: str, said: str) -> None:
    code, out, err = ce("query", body, tree(SMALL))
    assert (code, out) == (2, "")
    assert err.startswith("query:1:")
    assert said in err
    assert "Traceback" not in err


def test_the_caret_stands_below_the_word_that_was_typed(ce: Ce, tree: Tree) -> None:
    _, _, err = ce("query", "file(F), ded(F)", tree(SMALL))
    lines = err.split("\n")
    assert lines[0].startswith("query:1:10: error")
    assert lines[1][lines[2].index("^") :].startswith("ded")


def test_the_faults_of_a_question_stand_in_the_document(ce: Ce, tree: Tree) -> None:
    code, out, err = ce("query", "ded(F)", tree(SMALL), "--format", "json")
    assert (code, err) == (2, "")
    document = json.loads(out)
    (error,) = document["errors"]
    assert (error["where"], error["line"], error["column"]) == ("query", 1, 1)
    assert document["goals"] == []


def test_a_negation_through_recursion_names_the_cycle(ce: Ce, tree: Tree) -> None:
    rules = "odd(X) :- file(X), not even(X).\neven(X) :- file(X), not odd(X).\nassert a(X) :- odd(X).\n"
    code, _, err = ce("rules", tree({**SMALL, "ce.rules": rules}))
    assert code == 2
    assert "odd" in err
    assert "even" in err
    assert "Traceback" not in err


def test_an_overflow_is_an_error_that_names_the_rule(ce: Ce, tree: Tree) -> None:
    code, out, err = ce("query", "lines(F, N), M = N + 9223372036854775807", tree(SMALL))
    assert code == 2
    assert "Traceback" not in err
    assert "64" in out + err or "overflow" in out + err


def test_a_division_by_zero_fails_its_literal_and_warns(ce: Ce, tree: Tree) -> None:
    code, out, err = ce("query", "lines(F, N), M = N / 0", tree(SMALL))
    assert code == 0
    assert "0 answers" in out
    assert "zero" in err


def test_redefining_the_prelude_is_refused(ce: Ce, tree: Tree) -> None:
    code, _, err = ce("rules", tree({**SMALL, "ce.rules": "dead(X) :- file(X).\nassert a(X) :- dead(X).\n"}))
    assert code == 2
    assert "dead" in err


def test_a_limit_gives_no_partial_answer(ce: Ce, tree: Tree) -> None:
    root = tree({f"m{i}.py": f"import m{i + 1}\n" for i in range(30)})
    code, out, _ = ce("query", "depends(A, B)", root, "--max-rows", "3", "--format", "json")
    assert code == 2
    document = json.loads(out)
    assert document["goals"] == []
    assert document["degraded"]["limit"]


def test_root_and_question_in_the_wrong_order_are_told_apart(ce: Ce, tree: Tree) -> None:
    root = tree(SMALL)
    code, _, err = ce("query", root, "dead(F)")
    assert code == 2
    assert f"ce query 'dead(F)' {root}" in err


def test_a_missing_rules_file_is_named_with_the_shipped_ones(ce: Ce, tree: Tree) -> None:
    code, _, err = ce("rules", tree(SMALL), "--file", "missing.rules")
    assert code == 2
    assert "missing.rules" in err
    assert "no-cycles.rules" in err


def test_a_rules_file_that_is_not_text_is_refused(ce: Ce, tree: Tree) -> None:
    code, _, err = ce("rules", tree({**SMALL, "ce.rules": b"\xff\xfe\x00"}))
    assert code == 2
    assert "ce.rules" in err


def test_no_rules_file_is_said_aloud_and_passes(ce: Ce, tree: Tree) -> None:
    code, out, err = ce("rules", tree(SMALL))
    assert code == 0
    assert out == "nothing was asserted\n"
    assert "begin with a shipped file, `ce rules --file no-cycles.rules`" in err


def test_rules_that_nobody_named_are_pointed_out(ce: Ce, tree: Tree) -> None:
    root = tree({**SMALL, "rules/b.rules": "", "rules/a.rules": "", "x.rules": ""})
    code, _, err = ce("rules", root)
    assert code == 0
    assert "there is `rules/a.rules`, `rules/b.rules`, `x.rules`: `ce rules --file rules/a.rules`, or `[rules] file = " in err


def test_a_strict_gate_that_asserts_nothing_has_not_judged(ce: Ce, tree: Tree) -> None:
    assert ce("rules", tree({**SMALL, "ce.rules": "a(F) :- file(F).\n"}), "--strict")[0] == 2
    assert ce("rules", tree({**SMALL, "ce.rules": "a(F) :- file(F).\n"}))[0] == 0


@pytest.mark.parametrize(
    ("form", "options", "told"),
    [
        ("csv", ["--why"], "`--why` has no place in `--format csv`"),
        ("csv", ["--plan", "--why-not"], "`--why-not` and `--plan` have no place in `--format csv`"),
        ("dot", ["--plan"], "`--plan` has no place in `--format dot`"),
        ("html", ["--why-not"], "`--why-not` has no place in `--format html`"),
    ],
)
def test_what_a_format_cannot_show_is_refused(ce: Ce, tree: Tree, form: str, options: list[str], told: str) -> None:
    code, out, err = ce("query", "dead(F)", tree(SMALL), "--format", form, *options)
    assert (code, out) == (2, "")
    assert f"error CE924: {told}" in err


@pytest.mark.parametrize(
    "words",
    [
        ["query", 'dead("x")'],
        ["query", "dead(F)", "--format", "csv"],
        ["rules"],
        ["rules", "--file", "own.rules"],
        ["rules", "--file", "own.rules", "--format", "json"],
        ["deadcode"],
        ["lint"],
        ["index", "--format", "json"],
    ],
    ids=" ".join,
)
def test_quiet_takes_away_what_is_beside_the_result_and_nothing_else(ce: Ce, tree: Tree, words: list[str]) -> None:
    root = tree({**SMALL, "own.rules": 'assert a(F) :- in(F, "nowhere/**").\n', "bad.py": "def (:\n"})
    ce("index", cwd=root)
    code, out, err = ce(*words, cwd=root)
    assert ce(*words, "-q", cwd=root) == (code, out, "")
    assert err or words[0] in ("deadcode", "index", "lint")


def test_quiet_hides_no_error(ce: Ce, tree: Tree) -> None:
    code, _, err = ce("query", "daed(F)", tree(SMALL), "--quiet")
    assert code == 2
    assert "did you mean `dead`?" in err


def test_broken_settings_are_shown_at_their_place(ce: Ce, tree: Tree) -> None:
    code, _, err = ce("deadcode", tree({**SMALL, "ce.toml": "[graf]\nentry_globs = []\n"}))
    assert code == 2
    assert "ce.toml:1" in err
    assert "graph" in err


def test_an_unknown_relation_is_answered_with_the_nearest(ce: Ce, tree: Tree) -> None:
    code, _, err = ce("facts", "fil", tree(SMALL))
    assert code == 2
    assert "`file`" in err


@pytest.mark.parametrize(
    "words",
    [
        ("query",),
        ("query", "dead(F)", "--format", "xml"),
        ("rules", "--timeout", "0"),
        ("deadcode", "--max-rows", "x"),
        ("--frobnicate",),
        ("querry",),
    ],
)
def test_bad_usage_ends_with_2(ce: Ce, words: tuple[str, ...]) -> None:
    code, out, err = ce(*words)
    assert (code, out) == (2, "")
    assert err
    assert "Traceback" not in err


def test_odd_names_are_printed_on_one_line_and_survive_in_documents(ce: Ce, tree: Tree) -> None:
    root = tree({"__main__.py": "import sys\n", "two\nlines.py": "def _a():\n    return 1\n"})
    odd = os.fsencode(root) + b"/bad\xff.py"
    Path(os.fsdecode(odd)).write_bytes(b"def _b():\n    return 1\n")
    code, out, _ = ce("query", "dead(F)", root)
    assert code == 0
    assert "two\\nlines.py" in out
    assert "bad\\xff.py" in out
    document = json.loads(ce("query", "dead(F)", root, "--format", "json")[1])
    values = [answer["values"][0] for answer in document["goals"][0]["answers"]]
    assert sorted(values) == sorted(["two\nlines.py", "bad\udcff.py"])


def test_undecodable_names_keep_their_bytes_in_tables(tree: Tree) -> None:
    root = tree({"__main__.py": "import sys\n"})
    Path(os.fsdecode(os.fsencode(root) + b"/bad\xff.py")).write_bytes(b"")
    done = subprocess.run([sys.executable, "-m", "ce", "facts", "file", str(root)], capture_output=True, check=True)
    assert b"bad\xff.py\n" in done.stdout


def test_a_closed_pipe_is_quiet_and_keeps_the_exit_code(tree: Tree) -> None:
    root = tree({"__main__.py": "", **{f"m{i}.py": "def _a():\n    return 1\n" for i in range(1500)}})
    process = subprocess.Popen(
        [sys.executable, "-m", "ce", "deadcode", "--check", "--why", str(root)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.read(1)
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 1
    assert errors == b""


def test_an_interrupt_ends_with_130_and_no_traceback(tree: Tree) -> None:
    root = tree({f"d{i % 50}/m{i}.py": "def a():\n    return 1\n" * 200 for i in range(1500)})
    process = subprocess.Popen(
        [sys.executable, "-m", "ce", "index", str(root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # what runs in the background inherits that it is ignored
    )
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in errors


def test_a_question_may_name_a_relation_of_the_project_s_own_rules_file(ce: Ce, tree: Tree) -> None:
    root = tree({**SMALL, "ce.rules": "lonely(F) :- dead(F).\n"})
    code, out, _ = ce("query", "lonely(F)", root)
    assert code == 0
    assert "lone.py" in out


def test_a_broken_rules_file_does_not_stop_questions_that_need_none(ce: Ce, tree: Tree) -> None:
    root = tree({**SMALL, "ce.rules": "lonely(F :- dead(F).\n"})
    assert ce("query", "dead(F)", root)[0] == 0
    code, _, err = ce("query", "lonely(F)", root)
    assert code == 2
    assert "ce.rules:1" in err


def test_a_thousand_remarks_are_cut_on_a_terminal_and_whole_in_the_document(ce: Ce, tree: Tree) -> None:
    root = tree({f"m{i}.py": "def oops(:\n" for i in range(30)})
    _, out, err = ce("query", "file(F)", root, "--format", "json")
    assert len(json.loads(out)["notes"]) >= 30
    assert err.count("note:") < 12
