"""Duplicate prose goes only where it is prose and nothing else: code beside it, orders to tools, references and read texts keep it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ce.extract.measures.ties import ties_of

Ce = Callable[..., tuple[int, str, str]]
Make = Callable[[Mapping[str, str | bytes]], Path]

PROSE = " ".join(f"word{number}" for number in range(60))


def reason_of(ce: Ce, root: Path, path: str) -> str | None:
    code, out, err = ce("erase", root, "--format", "json")
    assert code == 0, out + err
    return next((row["reason"] for row in json.loads(out)["rows"] if row["path"] == path), None)


@pytest.mark.parametrize(
    ("path", "kind", "text", "why"),
    [
        ("a.py", "docstring", 'def f(): """{}"""; return 1\n', "more_than_prose"),
        ("a.py", "docstring", 'class A: """{}"""\n', "more_than_prose"),
        ("a.py", "comment_block", "x = 5  # {}\n", "more_than_prose"),
        ("a.js", "comment_block", "let x = 5; /* {} */\n", "more_than_prose"),
        ("a.js", "comment_block", "/* {} */ let x = 5;\n", "more_than_prose"),
        ("a.c", "comment_block", "int f(void); // {}\n", "more_than_prose"),
        ("a.py", "comment_block", "# -*- coding: latin-1 -*- {}\n", "more_than_prose"),
        ("a.py", "comment_block", "#!/usr/bin/env python {}\n", "more_than_prose"),
        ("a.py", "comment_block", "\ufeff# {}\n", "more_than_prose"),
        ("a.py", "comment_block", "# pylint: disable=all {}\n", "more_than_prose"),
        ("a.py", "comment_block", "# type: ignore {}\n", "more_than_prose"),
        ("a.go", "comment_block", "//go:build linux {}\n", "more_than_prose"),
        ("a.go", "comment_block", "// {}\n", "more_than_prose"),
        ("a.ts", "comment_block", '/// <reference path="x.d.ts" /> {}\n', "more_than_prose"),
        ("a.ts", "comment_block", "// @ts-nocheck {}\n", "more_than_prose"),
        ("a.js", "comment_block", "/* eslint-disable {} */\n", "more_than_prose"),
        ("a.js", "comment_block", "/*! {} */\n", "more_than_prose"),
        ("a.R", "comment_block", "#' @export {}\n", "more_than_prose"),
        ("a.java", "comment_block", "/** @deprecated {} */\n", "more_than_prose"),
        ("a.rs", "comment_block", "/// ``` {}\n", "more_than_prose"),
        ("a.hs", "comment_block", "-- >>> f 1 {}\n", "more_than_prose"),
        ("a.md", "md_para", '<a id="here"></a> {}\n', "more_than_prose"),
        ("a.md", "md_para", "[name]: http://x {}\n", "more_than_prose"),
        ("a.md", "md_para", "{{% include x %}} {}\n", "more_than_prose"),
        ("a.html", "html_text", "<p>{}</p></div>\n", "more_than_prose"),
        ("a.html", "html_text", '<p id="x">{}</p>\n', "more_than_prose"),
        ("a.rst", "rst_para", "{} as follows::\n", "more_than_prose"),
    ],
)
def test_lines_that_hold_more_than_prose_are_tied(path: str, kind: str, text: str, why: str) -> None:
    after = 'import "C"\n' if path == "a.go" else ""
    data = (text.format(PROSE) + after).encode()
    assert (why, 1) in ties_of(path, data, kind, 1, 1)


@pytest.mark.parametrize(
    ("path", "kind", "text"),
    [
        ("a.py", "docstring", '"""{}"""\n'),
        ("a.py", "comment_block", "# {}\n"),
        ("a.py", "comment_block", "# Note: {}, see http://example.org\n"),
        ("a.js", "comment_block", "/* {} */\n"),
        ("a.java", "comment_block", "/** {} */\n"),
        ("a.rs", "comment_block", "/// {}\n"),
        ("a.go", "comment_block", "// {}\n"),
        ("a.hs", "comment_block", "-- {}\n"),
        ("a.md", "md_para", "{} `code` and *more* (1 < 2)\n"),
        ("a.html", "html_text", "<p>{} <em>more</em></p>\n"),
        ("a.rst", "rst_para", "{} ``code``\n"),
        ("a.txt", "text_para", "{}\n"),
    ],
)
def test_lines_of_prose_alone_are_not_tied(path: str, kind: str, text: str) -> None:
    assert ties_of(path, text.format(PROSE).encode(), kind, 1, 1) == ()


def test_a_comment_that_reaches_beyond_the_lines_is_tied() -> None:
    data = f"/* {PROSE}\n{PROSE} */\nint x;\n".encode()
    assert ties_of("a.c", data, "comment_block", 1, 2) == ()
    assert ties_of("a.c", data, "comment_block", 2, 2) == (("more_than_prose", 2),)


@pytest.mark.parametrize(
    "text",
    [
        'import click\n\n\ndef f():\n    """{}"""\n    return 1\n',
        'def g(x):\n    print(__doc__)\n\n\ndef f():\n    """{}"""\n    return 1\n',
        'import q\n\n\n@q.command\ndef f():\n    """{}"""\n    return 1\n',
    ],
)
def test_a_docstring_that_its_own_file_hands_on_is_tied(text: str) -> None:
    data = text.format(PROSE).encode()
    line = data[: data.index(b"word0")].count(b"\n") + 1
    assert {why for why, _ in ties_of("a.py", data, "docstring", line, line)} == {"docstring_is_read"}


def test_a_docstring_is_kept_when_any_file_reads_docstrings(ce: Ce, tree: Make) -> None:
    body = f'def f():\n    """{PROSE}"""\n    return 1\n'
    files: dict[str, str | bytes] = {
        "__main__.py": "import a\nimport b\nprint(a.f(), b.f())\n",
        "a.py": body,
        "b.py": body.replace("1", "1"),
    }
    files["b.py"] = str(files["b.py"]) + "\n\nx = 2\n"
    root = tree(files)
    assert reason_of(ce, root, "b.py") == "eraseable"
    (root / "a.py").write_text(body + "\n\nprint(f.__doc__)\n")
    assert reason_of(ce, root, "b.py") == "docstring_is_read"


def test_a_one_line_function_with_a_duplicate_docstring_survives_an_apply(ce: Ce, tree: Make) -> None:
    line = f'def f(): """{PROSE}"""; return 1\n'
    root = tree({"__main__.py": f"import b\n{line}print(f(), b.f())\n", "b.py": f"x = 1\n{line}y = 2\n"})
    subprocess.run("git init -q && git add -A && git -c user.name=t -c user.email=t@t commit -qm s", shell=True, cwd=root, check=True)
    assert ce("erase", root, "--apply")[:2] == (0, "nothing to erase\n")
    assert line in (root / "b.py").read_text()


def test_prose_that_refers_to_a_file_of_the_tree_is_kept(ce: Ce, tree: Make) -> None:
    paragraph = f"{PROSE} and [more](foo.md).\n"
    root = tree(
        {
            "README.md": f"# T\n\n{paragraph}\nSee [m](docs/m.md).\n",
            "docs/m.md": f"# M\n\n{paragraph}\nend\n",
            "foo.md": "# one\n",
            "docs/foo.md": "# two\n",
        }
    )
    assert reason_of(ce, root, "docs/m.md") == "holds_reference"


@pytest.mark.parametrize(("program", "expected"), [("open('data/b.txt')\n", "text_is_read"), ("print('data')\n", "eraseable")])
def test_a_text_that_a_program_names_is_kept(ce: Ce, tree: Make, program: str, expected: str) -> None:
    root = tree({"__main__.py": program, "data/a.txt": f"{PROSE}\n", "data/b.txt": f"{PROSE}\n\nend\n"})
    assert reason_of(ce, root, "data/b.txt") == expected
