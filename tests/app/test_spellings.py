"""Which files spell which, line by line."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ce.app.mentions import mentions_of
from ce.app.spellings import spellings

_TARGETS = [
    "src/app/views.py",
    "src/app/__init__.py",
    "run.py",
    "docs/how to.md",
    "static/logo.png",
    os.fsdecode(b"str\xe4y.py"),
    "app/views/a.py",
]
_LIMIT = 1 << 20


def _lines(root: Path, text: str) -> dict[str, list[int]]:
    (root / "config.cfg").write_text(text, encoding="utf-8", errors="surrogateescape")
    found: dict[str, list[int]] = {}
    for _, target, line in spellings(root, _TARGETS, ["config.cfg"], _LIMIT):
        found.setdefault(target, []).append(line)
    return found


def test_path_name_and_module_are_found_with_their_lines(tmp_path: Path) -> None:
    text = "x\nsrc/app/views.py\nviews.py and logo.png\n\napp.views.Main\n"
    assert _lines(tmp_path, text) == {"src/app/views.py": [2, 3, 5], "static/logo.png": [3]}


def test_a_longer_name_is_another_name(tmp_path: Path) -> None:
    assert _lines(tmp_path, "myapp.views\napp.viewsets\nold/views.py\nviews.py-old\nxlogo.png\napp-views\n") == {}


def test_a_bare_module_counts_where_it_is_quoted_or_run(tmp_path: Path) -> None:
    assert _lines(tmp_path, "run\npython -m run\n'run:main'\n\"run\"\nrunning\n") == {"run.py": [2, 3, 4]}


def test_names_with_spaces_and_stray_bytes_are_found(tmp_path: Path) -> None:
    (tmp_path / "config.cfg").write_bytes(b"see docs/how to.md\n")
    assert list(spellings(tmp_path, _TARGETS, ["config.cfg"], _LIMIT)) == [("config.cfg", "docs/how to.md", 1)]


def test_a_file_does_not_spell_itself_and_a_binary_spells_nothing(tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text("'run'\nlogo.png\n")
    (tmp_path / "b.bin").write_bytes(b"\0logo.png")
    found = list(spellings(tmp_path, _TARGETS, ["b.bin", "gone.txt", "run.py"], _LIMIT))
    assert found == [("run.py", "static/logo.png", 2)]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(
        st.sampled_from(
            ["app", "views", "src", "run", "logo", "png", "py", ".", "/", "-", " ", "\n", "'", '"', "-m ", "a", "docs/how to.md", ":"]
        ),
        max_size=25,
    )
)
def test_whatever_the_eraser_finds_is_found_here(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "t.txt").write_text("".join(words))
    here = {(target, line) for _, target, line in spellings(tmp_path, _TARGETS, ["t.txt"], _LIMIT)}
    for target, places in mentions_of(tmp_path, _TARGETS, ["t.txt"], _LIMIT).items():
        assert {(target, line) for _, line in places} <= here
    assert {target for target, _ in here} == set(mentions_of(tmp_path, _TARGETS, ["t.txt"], _LIMIT))
