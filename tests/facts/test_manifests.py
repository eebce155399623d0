"""Manifests read as plain values, broken ones as nothing with a sentence, and which files of a tree are manifests."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ce.facts.loaders.manifests import MAX_BYTES, is_manifest, load_manifests
from ce.facts.manifests import (
    FindPackages,
    json_document,
    line_of,
    normalised,
    requirement_name,
    requirement_names,
    sections,
    setup_arguments,
    toml_document,
)

Reader = Callable[[bytes, str, list[str]], object]


@pytest.mark.parametrize("read", [toml_document, sections, json_document, setup_arguments])
@given(data=st.binary(max_size=200))
def test_no_bytes_make_a_reader_fail(read: Reader, data: bytes) -> None:
    problems: list[str] = []
    read(data, "x", problems)
    assert all(problem.startswith("x: not readable as ") for problem in problems)


@pytest.mark.parametrize("read", [toml_document, json_document, setup_arguments])
def test_deep_nesting_is_a_problem_and_no_crash(read: Reader) -> None:
    problems: list[str] = []
    read(b"a = " * (read is toml_document) + b"[" * 100_000, "deep", problems)
    assert len(problems) == 1


def test_json_may_have_comments_and_trailing_commas_but_texts_keep_theirs() -> None:
    problems: list[str] = []
    document = json_document(b'{\n// one\n"a": "// no", /* two\n */ "b": [1, 2,],\n}', "tsconfig.json", problems)
    assert document == {"a": "// no", "b": [1, 2]}
    assert problems == []


def test_a_setup_script_is_read_and_never_run() -> None:
    text = b"""
import os
raise SystemExit("never")
COMMON = ["six"]
setup(
    name="x" + "y",
    install_requires=COMMON + ["attrs>=1", os.environ["HOME"]],
    packages=find_packages("src", exclude=["tests*"]) + ["extra"],
    entry_points=dict(console_scripts=["x = y:z"]),
    cmdclass={"build": Build},
    version=read_version(),
    **{"zip_safe": False},
)
"""
    assert setup_arguments(text, "setup.py", []) == {
        "name": "xy",
        "install_requires": ["six", "attrs>=1"],
        "packages": [FindPackages("src", ("*",), ("tests*",)), "extra"],
        "entry_points": {"console_scripts": ["x = y:z"]},
        "cmdclass": {},
        "zip_safe": False,
    }


def test_requirements_of_every_spelling_give_normalised_names() -> None:
    text = """
    Zope.Interface>=5 ; python_version < "4"
    attrs[tests]
    -r other.txt
    --hash=sha256:0
    # comment
    ./local
    name @ https://example.org/name.zip
    git+https://example.org/x#egg=Some_Thing
    """
    assert list(requirement_names(text)) == ["zope-interface", "attrs", "name", "some-thing"]
    assert requirement_name("https://example.org/x.zip") == ""
    assert normalised("A.b_-C") == "a-b-c"


def test_a_table_of_requirements_gives_its_keys() -> None:
    assert list(requirement_names({"python": "^3", "Django": {"version": "5"}})) == ["python", "django"]


def test_the_line_of_a_text_is_the_first_that_holds_all_parts() -> None:
    assert line_of(b"a\nb = c\nb = d\n", "b", "d") == 3
    assert line_of(b"a\n", "nowhere") == 1


@pytest.mark.parametrize(
    "path",
    [
        "pyproject.toml", "a/setup.cfg", "requirements-dev.txt", "requirements/base.in", "docker/Dockerfile.prod", "web.dockerfile",
        "docker-compose.override.yml", "compose.yaml", "x.cabal", "tsconfig.build.json", "deploy/start.sh", "Makefile", "ops/site.service",
        "app/jsconfig.json", "node.tsconfig.json", "packages/tsconfig/base.json", "packages/typescript-config/react.json", "angular.json",
    ],
)  # fmt: skip
def test_a_file_that_configures_or_starts_something_is_a_manifest(path: str) -> None:
    assert is_manifest(path)


@pytest.mark.parametrize("path", ["main.py", "notes.txt", "data.json", "README.md", "mypyproject.toml", "docker/README.md"])
def test_another_file_is_no_manifest(path: str) -> None:
    assert not is_manifest(path)


def test_hidden_manifests_are_found_at_their_places_and_large_or_linked_ones_left_out(tree: Callable[..., Path]) -> None:
    root = tree(
        {
            "pyproject.toml": "",
            "main.py": "",
            ".github/workflows/ci.yml": "on: push\n",
            ".github/dependabot.yml": "",
            ".gitlab-ci.yml": "",
            ".circleci/config.yml": "",
            "big/package.json": b" " * (MAX_BYTES + 1),
        }
    )
    os.symlink("/etc/hostname", root / "Makefile")
    os.symlink(root / ".github", root / ".buildkite")
    found = load_manifests(root, ["pyproject.toml", "main.py", "big/package.json", "Makefile", "gone/setup.py"])
    assert list(found) == [".circleci/config.yml", ".github/workflows/ci.yml", ".gitlab-ci.yml", "pyproject.toml"]
    assert found[".github/workflows/ci.yml"] == b"on: push\n"


def test_of_installed_packages_the_names_are_known_and_of_other_directories_nothing(tree: Callable[..., Path]) -> None:
    root = tree(
        {
            "node_modules/zed/package.json": "{}",
            "node_modules/@scope/part/package.json": "{}",
            "node_modules/.bin/run": "",
            "web/node_modules/left-pad/index.js": "",
            "my_node_modules/x/index.js": "",
        }
    )
    os.symlink("../elsewhere", root / "node_modules" / "linked")
    found = load_manifests(root, [], ["node_modules/", "web/node_modules/", "my_node_modules/", "dist/", "gone/node_modules/"])
    assert found == {
        "gone/node_modules/": b"",
        "node_modules/": b"@scope/part\nlinked\nzed",
        "web/node_modules/": b"left-pad",
    }
