"""Trees of which a part cannot be read: links, sparse checkouts, submodules that are not there, files that are no text."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import ce

START = "if __name__ == '__main__':\n    pass\n"


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content if isinstance(content, bytes) else content.encode())


def dead(root: Path) -> dict[str, int]:
    """Return the dead files with the confidence of their verdicts."""
    return {dead.path: dead.confidence for dead in ce.open(str(root)).deadcode().dead}


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x", *arguments], cwd=root, check=True, capture_output=True)


def test_what_refers_to_a_symbolic_link_refers_to_its_end(tmp_path: Path) -> None:
    write(tmp_path, {"main.py": "import linked\n" + START, "real/target.py": "import used\n", "used.py": "", "dead.py": ""})
    (tmp_path / "unused.py").symlink_to("dead.py")
    (tmp_path / "linked.py").symlink_to("real/target.py")
    (tmp_path / "dangling.py").symlink_to("nowhere.py")
    (tmp_path / "outside.py").symlink_to("/etc/hostname")
    assert dead(tmp_path) == {"dead.py": 2}


def test_a_file_below_a_linked_directory_is_the_one_behind_the_link(tmp_path: Path) -> None:
    write(tmp_path, {"package.json": '{"private": true, "main": "main.js"}', "main.js": 'import "./short/a"\n', "far/away/a.js": "1\n"})
    write(tmp_path, {"far/away/b.js": "2\n"})
    (tmp_path / "short").symlink_to("far/away")
    (tmp_path / "far/away/loop").symlink_to("..")
    assert dead(tmp_path) == {"far/away/b.js": 2}


def test_files_that_a_sparse_checkout_leaves_out_cast_doubt_on_every_verdict(tmp_path: Path) -> None:
    files = {
        "main.py": "import src.a.x\n" + START,
        "src/__init__.py": "",
        "src/a/__init__.py": "",
        "src/b/__init__.py": "",
        "src/b/y.py": "",
    }
    write(tmp_path, {**files, "src/a/x.py": "import src.b.y\n", "src/b/z.py": ""})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "x")
    assert dead(tmp_path) == {"src/b/z.py": 2}
    git(tmp_path, "sparse-checkout", "set", "src/b")
    assert not (tmp_path / "src/a").exists()
    assert dead(tmp_path) == dict.fromkeys(("src/b/__init__.py", "src/b/y.py", "src/b/z.py"), 0)
    assert [str(row.G) for row in ce.open(str(tmp_path)).query('imports_name("main.py", G, _)')] == []
    git(tmp_path, "sparse-checkout", "disable")
    assert dead(tmp_path) == {"src/b/z.py": 2}


def test_a_submodule_that_is_not_checked_out_casts_doubt(tmp_path: Path) -> None:
    write(tmp_path, {"main.py": START, "spare.py": "", ".gitmodules": '[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n'})
    assert dead(tmp_path) == {"spare.py": 0}


@pytest.mark.parametrize("text", ["import './c.js'".encode("utf-16-le"), b"import './c.js'\0"])
def test_a_file_that_is_no_text_is_not_judged_and_casts_doubt_on_its_language(tmp_path: Path, text: bytes) -> None:
    write(tmp_path, {"b.js": text, "c.js": "export {}\n", "package.json": '{"private": true}', "m.lua": "return 1\n"})
    assert dead(tmp_path) == {"c.js": 0, "m.lua": 1}


def test_utf_16_with_a_mark_is_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"main.py": ("import a\n" + START).encode("utf-16"), "a.py": "", "index.html": '<script src="d.js"></script>'.encode("utf-16")},
    )
    write(tmp_path, {"d.js": "1\n", "e.js": "2\n"})
    assert dead(tmp_path) == {"e.js": 1}


def test_without_git_in_the_path_the_verdicts_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"main.py": "import a\n" + START, "a.py": "", "b.py": "", ".gitignore": "c.py\n", "c.py": ""})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    monkeypatch.setenv("PATH", "/nonexistent")
    assert dead(tmp_path) == {"b.py": 2}


def test_names_in_another_case_cast_doubt_where_file_systems_may_not_tell_them_apart(tmp_path: Path) -> None:
    write(tmp_path, {"package.json": '{"private": true, "main": "m.js"}', "m.js": 'import "./Comp"\nimport "./other"\n'})
    write(tmp_path, {"Comp.js": "1\n", "comp.js": "1\n", "Other.js": "1\n", "far.js": "1\n"})
    write(
        tmp_path,
        {
            "src/x.c": '#include "Config.H"\n',
            "src/config.h": "",
            "src/far.h": "",
            "mod.py": "",
            "Mod.py": "",
            "p.py": "import Mod\n" + START,
        },
    )
    assert dead(tmp_path) == {"Other.js": 0, "comp.js": 2, "far.js": 2, "mod.py": 2, "src/config.h": 0, "src/far.h": 1}


def test_names_with_line_ends_blanks_and_bytes_that_are_no_text_are_found(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"new\nline.py": "import other\n" + START, "other.py": "", "README.md": "[x](sp%20ace.md) [y](inv%FF.md) [z](new%0Aline.md)\n"},
    )
    for name in (b"sp ace.md", b"inv\xff.md", b"new\nline.md", b"tab\there.md", b"inv\xff\xfe.py"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("")
    assert sorted(dead(tmp_path)) == [os.fsdecode(b"inv\xff\xfe.py"), "tab\there.md"]
