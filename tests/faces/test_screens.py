"""Whole screens of the demonstration tree, compared as they are printed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

Ce = Callable[..., tuple[int, str, str]]

DEMO = Path(__file__).parents[2] / "fixtures" / "demo"

SCREENS: dict[str, tuple[tuple[str, ...], int]] = {
    "query": (("query", "dead(F)"), 0),
    "query-two-columns": (("query", "depends(A, B), not same_dir(A, B)"), 0),
    "query-why": (("query", "dead(F)", "--why"), 0),
    "query-why-not": (("query", 'dead("src/shop/orders.py")', "--why-not"), 0),
    "query-count": (("query", 'N = count(F : in(F, "src/**"))'), 0),
    "query-count-why": (("query", 'N = count(F : in(F, "src/shop/reports/*"))', "--why"), 0),
    "query-fault": (("query", "dead(F), ref(F, G, improt, _), H > 1"), 2),
    "rules": (("rules",), 1),
    "rules-ok": (("rules", "--file", "no-cycles.rules"), 0),
    "deadcode": (("deadcode",), 0),
    "deadcode-why": (("deadcode", "--check", "--why"), 1),
    "index": (("index",), 0),
    "facts": (("facts",), 0),
    "facts-ref": (("facts", "ref"), 0),
}


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_is_the_golden_one(ce: Ce, name: str, tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    words, expected = SCREENS[name]
    root = shutil.copytree(DEMO, tmp_path / "shop")
    code, out, err = ce(*words, cwd=root)
    golden(f"{name}.txt", _screen(words, code, out, err))
    assert code == expected


def test_the_demonstration_is_the_golden_one_and_ends_well(ce: Ce, tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    code, out, err = ce("demo", cwd=tmp_path)
    assert (code, err) == (0, "")
    golden("demo.txt", out)
    assert list(tmp_path.iterdir()) == []


def test_the_list_of_commands_is_the_golden_one(ce: Ce, golden: Callable[[str, str], None]) -> None:
    code, out, _ = ce("--help")
    assert code == 0
    golden("help.txt", out)
    assert ce()[1] == out


def test_quiet_prints_the_same_result_and_no_remark(ce: Ce, tmp_path: Path) -> None:
    root = shutil.copytree(DEMO, tmp_path / "shop")
    (root / "ce.toml").write_text("")
    _, loud, remarks = ce("query", "dead(F)", cwd=root / "src")
    _, out, err = ce("query", "dead(F)", "--quiet", cwd=root / "src")
    assert f"root: {root}" in remarks
    assert (out, err) == (loud, "")


def test_colours_are_for_terminals_that_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    from ce.faces.cli.terminal import Terminal

    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert Terminal(Screen(), Screen()).style.bad("x") == "\x1b[31mx\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert Terminal(Screen(), Screen()).style.bad("x") == "x"
    monkeypatch.delenv("NO_COLOR")
    assert Terminal(io.StringIO(), io.StringIO()).style.bad("x") == "x"


def _screen(words: tuple[str, ...], code: int, out: str, err: str) -> str:
    errors = f"--- standard error\n{err}" if err else ""
    return f"$ ce {' '.join(words)}\n{out}{errors}--- exit {code}\n"
