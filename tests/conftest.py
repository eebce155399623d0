"""What every test shares: goldens that an explicit flag rewrites, and a cache that is not the user's."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import settings

# Every run tries the same examples, so that a change is judged by what it changed. New ones: `CE_RANDOM_EXAMPLES=1 pytest`.
settings.register_profile("ce", derandomize="CE_RANDOM_EXAMPLES" not in os.environ, deadline=None)
settings.load_profile("ce")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-goldens", action="store_true", help="write what the code prints today into the golden files")


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep checked programs of the tests apart from those of the user."""
    patch = pytest.MonkeyPatch()
    patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return the check that a text is what the golden file beside the test says."""
    directory = Path(request.path).parent / "goldens"

    def check(name: str, text: str) -> None:
        path = directory / name
        if request.config.getoption("--rewrite-goldens"):
            directory.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return check


@pytest.fixture
def ce(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    """Return the command line as a function: words to exit code, standard output, standard error. `cwd` is where it runs."""
    from ce.faces.cli import main

    def run(*words: str | Path, cwd: Path | None = None) -> tuple[int, str, str]:
        with monkeypatch.context() as patch:
            patch.setenv("NO_COLOR", "1")
            patch.setenv("COLUMNS", "100")
            if cwd is not None:
                patch.chdir(cwd)
            capsys.readouterr()
            code = main([str(word) for word in words])
            captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture
def tree(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """Return the maker of small trees: path to content; the tree is not inside any project."""

    def make(files: Mapping[str, str | bytes]) -> Path:
        root = tmp_path / "tree"
        root.mkdir(exist_ok=True)
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return root

    return make
