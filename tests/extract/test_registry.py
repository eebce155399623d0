"""Which language a path is in."""

from __future__ import annotations

import pytest

from ce.extract.languages import LANGUAGES
from ce.extract.registry import Arm, language_of, language_rows


@pytest.mark.parametrize(
    ("path", "language", "arm"),
    [
        ("a/b.py", "python", Arm.CODE),
        ("a/b.pyi", "python", Arm.CODE),
        ("x.d.ts", "typescript", Arm.CODE),
        ("x.mjs", "javascript", Arm.CODE),
        ("x.h", "cpp", Arm.CODE),
        ("x.c", "c", Arm.CODE),
        ("x.R", "r", Arm.CODE),
        ("x.r", "r", Arm.CODE),
        ("README.md", "markdown", Arm.DOCUMENT),
        ("x.htm", "html", Arm.DOCUMENT),
        ("x.scss", "css", Arm.SIZE),
        ("x.yml", "yaml", Arm.SIZE),
        ("notes.txt", "text", Arm.PROSE),
        ("docs/api.rst", "rst", Arm.READ),
        ("src/config.h.in", "c_template", Arm.READ),
        ("src/parse.y", "c_template", Arm.READ),
        ("src/Main.lhs", "haskell_source", Arm.READ),
    ],
)
def test_the_suffix_decides(path: str, language: str, arm: Arm) -> None:
    row = language_of(path)
    assert row is not None
    assert (row.language, row.arm, row.remark) == (language, arm, "")


@pytest.mark.parametrize(
    "path", ["config.in", "x.py.in", "CMakeLists.txt", "a/robots.txt", "compile_flags.txt", "Makefile", "a.unknown", ".py", "py"]
)
def test_some_names_belong_to_no_language(path: str) -> None:
    assert language_of(path) is None


@pytest.mark.parametrize(("path", "language"), [("A.PY", "python"), ("a.Md", "markdown"), ("a.JS", "javascript")])
def test_another_case_is_read_with_a_remark(path: str, language: str) -> None:
    row = language_of(path)
    assert row is not None
    assert row.language == language
    assert "is read as" in row.remark


@pytest.mark.parametrize(
    ("head", "language"),
    [
        (b"#!/usr/bin/env python3\n", "python"),
        (b"#!/usr/bin/python3.11 -u\n", "python"),
        (b"#!/bin/sh\n", "shell"),
        (b"#!/usr/bin/env -S node --harmony\n", "javascript"),
        (b"#! /usr/bin/env bash\n", "shell"),
        (b"#!/usr/bin/perl\n", None),
        (b"# python\n", None),
        (b"", None),
    ],
)
def test_a_name_without_a_suffix_is_asked_for_its_first_line(head: bytes, language: str | None) -> None:
    row = language_of("bin/run", head)
    assert (row.language if row else None) == language


def test_a_suffix_is_stronger_than_the_first_line() -> None:
    row = language_of("run.sh", b"#!/usr/bin/env python3\n")
    assert row is not None
    assert row.language == "shell"


def test_languages_without_a_table_are_said_to_have_none() -> None:
    for row in language_rows().values():
        assert row.is_specified == (row.arm is Arm.SIZE or row.language in LANGUAGES)


def test_a_grammar_that_begins_with_a_module_is_haskell() -> None:
    row = language_of("src/Parser.y", b"{\nmodule Parser (parse) where\nimport Syntax\n}\n")
    assert row is not None
    assert row.language == "haskell_source"
