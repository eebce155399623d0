"""The pages of the manual that show commands and what they print: every command is run, every answer compared."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ce.faces.cli import COMMANDS

DOCS = Path(__file__).parents[2] / "docs"
COOKBOOK = DOCS / "how-to" / "cookbook.md"
MISTAKES = DOCS / "how-to" / "ten-mistakes.md"
TUTORIAL = DOCS / "tutorial" / "rules-from-zero.md"

Ce = Callable[..., tuple[int, str, str]]

_RECIPE = re.compile(r"```sh\n(ce query [^\n]*)\n```\n\n```text\n(.*?)```", re.DOTALL)
_MISTAKE = re.compile(
    r"```prolog title=wrong.rules\n(.*?)```\n\n```text\n(.*?)```\n\n(.*?)```prolog title=right.rules\n(.*?)```", re.DOTALL
)
_BLOCK = re.compile(r"```(sh|text|prolog)(?: title=(\S+))?\n(.*?)```", re.DOTALL)


def test_every_answer_of_the_cookbook_is_what_is_printed(ce: Ce, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    shop = tmp_path / "shop"
    assert ce("demo", "--copy", shop)[0] == 0
    page = COOKBOOK.read_text(encoding="utf-8")

    def answered(match: re.Match[str]) -> str:
        code, out, err = ce(*shlex.split(match[1])[1:], "--quiet", cwd=shop)
        assert (code, err) == (0, ""), match[1]
        # The last line counts facts and files; that is no part of the answer.
        return f"```sh\n{match[1]}\n```\n\n```text\n{''.join(out.splitlines(keepends=True)[:-1])}```"

    fresh = _RECIPE.sub(answered, page)
    if request.config.getoption("--rewrite-goldens"):
        COOKBOOK.write_text(fresh, encoding="utf-8")
    assert fresh == COOKBOOK.read_text(encoding="utf-8")


def test_the_cookbook_has_at_least_thirty_recipes_and_says_how_many() -> None:
    page = COOKBOOK.read_text(encoding="utf-8")
    recipes = _RECIPE.findall(page)
    assert len(recipes) == page.count("\n### ") == 33
    assert page.split("\n\n")[1].startswith("Thirty-three questions")


def test_the_tutorial_of_rules_can_be_followed_from_nothing(ce: Ce, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Run the blocks in order: `sh` in a shell or as our command, `prolog title=FILE` appended to a file, `text` compared."""
    page = TUTORIAL.read_text(encoding="utf-8")
    shell = _Shell(ce, tmp_path)
    printed = ""
    fresh: list[str] = []
    end = 0
    for block in _BLOCK.finditer(page):
        kind, title, text = block.groups()
        fresh.append(page[end : block.start()])
        end = block.end()
        if kind == "prolog":
            target = shell.here / title
            target.write_text((target.read_text() + "\n" if target.exists() else "") + text)
        elif kind == "text":
            assert title is None
            text = printed
        else:
            printed = shell.run(text)
        fresh.append(f"```{kind}{f' title={title}' if title else ''}\n{text}```")
    shown = "".join([*fresh, page[end:]])
    if request.config.getoption("--rewrite-goldens"):
        TUTORIAL.write_text(shown, encoding="utf-8")
    assert shown == TUTORIAL.read_text(encoding="utf-8")


def test_each_mistake_is_told_as_the_page_says_and_its_mending_compiles(ce: Ce, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    (tmp_path / "a.py").write_text("")
    page = MISTAKES.read_text(encoding="utf-8")

    def told(match: re.Match[str]) -> str:
        (tmp_path / "wrong.rules").write_text(match[1])
        (tmp_path / "right.rules").write_text(match[4])
        code, _, err = ce("rules", "--file", "wrong.rules", tmp_path)
        assert code == 2, match[1]
        assert "note: " in err, match[1]
        assert ce("rules", "--file", "right.rules", tmp_path)[0] in (0, 1), match[4]
        return match[0].replace(f"```text\n{match[2]}```", f"```text\n{err}```")

    fresh = _MISTAKE.sub(told, page)
    if request.config.getoption("--rewrite-goldens"):
        MISTAKES.write_text(fresh, encoding="utf-8")
    assert fresh == MISTAKES.read_text(encoding="utf-8")
    assert len(_MISTAKE.findall(page)) == 10


def test_every_command_that_the_manual_shows_exists() -> None:
    for page in sorted(DOCS.rglob("*.md")):
        blocks = re.findall(r"```(?:sh|yaml)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        named = {name for block in blocks for name in re.findall(r"(?:^|&& |run: |- )ce ([a-z]+)", block, re.MULTILINE)}
        assert named <= COMMANDS.keys(), page


class _Shell:
    """Runs the lines of a block in order: our own command in this process, anything else in a shell."""

    def __init__(self, ce: Ce, here: Path) -> None:
        self._ce = ce
        self._code = 0
        self.here = here

    def run(self, block: str) -> str:
        """Return what the lines print."""
        return "".join(self._command(command) for line in block.splitlines() for command in line.split(" && "))

    def _command(self, command: str) -> str:
        words = shlex.split(command, comments=True)
        if words[:1] == ["cd"]:
            self.here = self.here / words[1]
            return ""
        if words[:2] == ["echo", "$?"]:
            return f"{self._code}\n"
        if words[:1] == ["ce"]:
            self._code, out, err = self._ce(*words[1:], cwd=self.here)
            return err + out
        done = subprocess.run(["sh", "-e", "-c", command], cwd=self.here, check=True, capture_output=True, text=True)
        return done.stdout
