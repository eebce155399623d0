"""The wheel works where nothing of the repository is."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel, built from the repository without network."""
    target = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(target), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = target.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the `ce` of an environment that holds the wheel; its dependencies are those of the tests."""
    home = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    (site,) = home.glob("lib/python*/site-packages")
    install = ["install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", *install, "--target", str(site), str(wheel)], check=True, capture_output=True)
    script = home / "bin" / "ce"
    script.write_text(f"#!{home}/bin/python\nimport sys\nfrom ce.faces.cli import main\nsys.exit(main())\n")
    script.chmod(0o755)
    (site / "dependencies.pth").write_text("\n".join(path for path in sys.path if "site-packages" in path))
    return script


def test_the_wheel_holds_programs_rules_and_the_sample_tree_and_no_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"ce/py.typed", "ce/_shipped/programs/prelude.dl", "ce/_shipped/programs/deadcode/deadcode.dl"} <= names
    assert {"ce/_shipped/rules/no-cycles.rules", "ce/_shipped/demo/README.md"} <= names
    assert {f"ce/_shipped/programs/{path.relative_to(ROOT / 'programs')}" for path in (ROOT / "programs").rglob("*.dl")} <= names
    assert not [name for name in names if name.startswith(("tests/", "fixtures/")) or ".ce/" in name or "__pycache__" in name]


def test_the_demonstration_runs_from_an_empty_directory(installed: Path, tmp_path: Path) -> None:
    done = _run(installed, "demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (ROOT / "tests" / "faces" / "goldens" / "demo.txt").read_text(encoding="utf-8")
    assert done.stderr == ""


def test_the_installed_package_is_the_one_that_runs(installed: Path, tmp_path: Path) -> None:
    code = "import ce; print(ce.__file__)"
    done = subprocess.run([str(installed.with_name("python")), "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.startswith(str(installed.parent.parent))


def test_shipped_rules_are_found_by_name(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import b\n")
    (tmp_path / "b.py").write_text("import a\n")
    done = _run(installed, "rules", "--file", "no-cycles.rules", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "leads back to" in done.stdout


def _run(script: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NO_COLOR": "1", "XDG_CACHE_HOME": str(cwd / ".." / "cache")}
    environment.pop("PYTHONPATH", None)
    return subprocess.run([str(script), *words], capture_output=True, text=True, cwd=cwd, env=environment, check=False)
