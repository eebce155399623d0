"""The page about Python: every block of code runs, in order, and prints what the page shows."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import ce.datalog
from ce.app.api import Project

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "python-api.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", PAGE, re.DOTALL)

Ce = Callable[..., tuple[int, str, str]]


def test_every_block_prints_what_the_page_shows(ce: Ce, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ce("demo", "--copy", "shop", cwd=tmp_path)[0] == 0
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for code, shown in BLOCKS:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "python-api.md", "exec"), names)
        if shown:
            assert printed.getvalue() == shown, code


@pytest.mark.parametrize("of", [Project, ce.datalog.Result], ids=["Project", "Result"])
def test_the_page_names_everything_that_is_public(of: type) -> None:
    missing = [name for name in vars(of) if not name.startswith("_") and name not in ("solution", "goals") and f".{name}" not in PAGE]
    assert missing == []
