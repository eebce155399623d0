"""CODEOWNERS: three places, the last line that matches decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from ce.facts.loaders.owners import Owners, owners
from tests.fakes.git_sandbox import write

FILES = (
    "README.md", "build/logs/a.txt", "build/logs/deep/b.txt", "docs/a.md", "docs/deep/b.md", "lib/docs/c.md", "src/app.js",
    "apps/x/main.py", "web/apps/y.py", "odd name.txt", "logs/z", "a/b/logs/z", "src/été.py",
)  # fmt: skip


def owned(root: Path, text: str, place: str = "CODEOWNERS") -> dict[str, set[str]]:
    write(root, {place: text})
    found: dict[str, set[str]] = {}
    for path, owner, _ in owners(root, FILES).rows:
        found.setdefault(path, set()).add(owner)
    return found


@pytest.mark.parametrize(
    ("pattern", "files"),
    [
        ("*", set(FILES)),
        ("*.js", {"src/app.js"}),
        ("/build/logs/", {"build/logs/a.txt", "build/logs/deep/b.txt"}),
        ("docs/*", {"docs/a.md"}),
        ("docs/", {"docs/a.md", "docs/deep/b.md", "lib/docs/c.md"}),
        ("/docs/", {"docs/a.md", "docs/deep/b.md"}),
        ("/docs", {"docs/a.md", "docs/deep/b.md"}),
        ("docs/deep", {"docs/deep/b.md"}),
        ("apps/", {"apps/x/main.py", "web/apps/y.py"}),
        ("/apps/x", {"apps/x/main.py"}),
        ("**/logs", {"build/logs/a.txt", "build/logs/deep/b.txt", "logs/z", "a/b/logs/z"}),
        ("src/**", {"src/app.js", "src/été.py"}),
        ("odd\\ name.txt", {"odd name.txt"}),
        ("src/?t?.py", {"src/été.py"}),
        ("/README.md", {"README.md"}),
        ("README", set()),
    ],
)
def test_a_pattern_owns_what_it_does_at_the_forges(tmp_path: Path, pattern: str, files: set[str]) -> None:
    assert set(owned(tmp_path, f"{pattern} @team\n")) == files


def test_the_last_line_that_matches_decides_alone(tmp_path: Path) -> None:
    found = owned(tmp_path, "* @all @more\n*.md @docs\n/docs/deep/ # nobody owns this\n/docs/a.md a@example.org @docs\n")
    assert found["README.md"] == {"@docs"}
    assert found["src/app.js"] == {"@all", "@more"}
    assert found["docs/a.md"] == {"a@example.org", "@docs"}
    assert "docs/deep/b.md" not in found


def test_a_row_names_the_line_that_decided(tmp_path: Path) -> None:
    write(tmp_path, {"CODEOWNERS": "\n# head\n* @a @a\r\n*.md @b\n"})
    found = owners(tmp_path, ["x.py", "y.md"])
    assert found == Owners((("x.py", "@a", 3), ("y.md", "@b", 4)), "CODEOWNERS")


def test_the_first_of_the_three_places_counts(tmp_path: Path) -> None:
    write(tmp_path, {"docs/CODEOWNERS": "* @docs\n"})
    assert owners(tmp_path, ["x"]).rows == (("x", "@docs", 1),)
    write(tmp_path, {"CODEOWNERS": "* @root\n"})
    assert owners(tmp_path, ["x"]).rows == (("x", "@root", 1),)
    write(tmp_path, {".github/CODEOWNERS": "* @github\n"})
    assert owners(tmp_path, ["x"]).source == ".github/CODEOWNERS"


def test_without_the_file_nobody_owns_anything(tmp_path: Path) -> None:
    assert owners(tmp_path, FILES) == Owners()


def test_lines_that_mean_nothing_are_said(tmp_path: Path) -> None:
    write(tmp_path, {"CODEOWNERS": "!a @x\n[ab] @y\nx\\ @z\n*.py @p\n"})
    found = owners(tmp_path, ["a", "b.py"])
    assert found.rows == (("b.py", "@p", 4),)
    assert found.problems == ("CODEOWNERS:1: `!a` is no pattern of CODEOWNERS", "CODEOWNERS:2: `[ab]` is no pattern of CODEOWNERS")


def test_a_link_or_a_huge_file_is_not_read(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"owners": "* @evil\n"})
    root = write(tmp_path / "root", {"x": ""})
    (root / "CODEOWNERS").symlink_to(outside / "owners")
    found = owners(root, ["x"])
    assert found.rows == () and found.problems == ("CODEOWNERS: not read, it is a symbolic link",)


def test_bytes_that_are_no_text_match_byte_for_byte(tmp_path: Path) -> None:
    write(tmp_path, {"CODEOWNERS": b"\xff.py @x\n"})
    assert owners(tmp_path, ["\udcff.py"]).rows == (("\udcff.py", "@x", 1),)
