"""The editor files beside the manual agree with the language."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ce.datalog.checked import BUILTIN_TESTS
from ce.datalog.lexer import DIRECTIVES, KEYWORDS, tokenize

FOLDER = Path(__file__).parents[3] / "docs" / "editors" / "vscode"
PACKAGE = json.loads((FOLDER / "package.json").read_text())
GRAMMAR = json.loads((FOLDER / "syntaxes" / "ce-datalog.tmLanguage.json").read_text())


def test_the_extension_names_files_that_are_there() -> None:
    contributed = PACKAGE["contributes"]
    named = [PACKAGE["main"], contributed["languages"][0]["configuration"], contributed["grammars"][0]["path"]]
    assert all((FOLDER / name).is_file() for name in named)
    assert contributed["grammars"][0]["scopeName"] == GRAMMAR["scopeName"]
    assert contributed["languages"][0]["id"] == contributed["grammars"][0]["language"]


def test_the_grammar_uses_each_of_its_parts() -> None:
    used = {each["include"].removeprefix("#") for each in GRAMMAR["patterns"]}
    assert used == GRAMMAR["repository"].keys()


@pytest.mark.parametrize(
    ("part", "words"),
    [("keyword", KEYWORDS), ("builtin", BUILTIN_TESTS), ("declaration", DIRECTIVES)],
    ids=["keywords", "tests", "directives"],
)
def test_the_grammar_knows_every_word_of_the_language(part: str, words: object) -> None:
    pattern = GRAMMAR["repository"][part]["match"]
    assert all(word in pattern for word in words)  # type: ignore[attr-defined]  # a dict or a tuple of words


def test_every_token_of_the_shipped_rules_is_coloured_as_what_it_is() -> None:
    scopes = {
        "PREDICATE": ("relation", "builtin", "assertion", "annotation", "operator.word"),
        "VARIABLE": ("variable.parameter",),
        "STRING": ("string",),
    }
    scopes |= {"INTEGER": ("numeric",), "WILDCARD": ("wildcard",), "NAME": ("constant.other", "directive")}
    for path in sorted((FOLDER.parents[2] / "rules").glob("*.rules")):
        text = path.read_text()
        for token in tokenize(path.name, text).tokens:
            if token.type in scopes:
                line = text.split("\n")[token.line - 1]
                scope = _scope_at(line, token.column - 1)
                assert any(part in scope for part in scopes[token.type]), (path.name, token, scope)


def _scope_at(line: str, column: int) -> str:
    """Return the scope that the grammar gives to a place of a line, as an editor does: the first pattern at the leftmost place wins."""
    at = 0
    while at <= column:
        best: tuple[int, int, str] | None = None
        for each in GRAMMAR["patterns"]:
            rule = GRAMMAR["repository"][each["include"].removeprefix("#")]
            pattern = rule.get("match") or rule["begin"] + '[^"]*' + f"(?:{rule['end']})"
            found = re.compile(pattern).search(line, at)
            if found and found.end() > found.start() and (best is None or found.start() < best[0]):
                best = (found.start(), found.end(), _named(rule, found, column))
        if best is None:
            return ""
        if best[0] <= column < best[1]:
            return best[2]
        at = best[1]
    return ""


def _named(rule: dict[str, object], found: re.Match[str], column: int) -> str:
    captures = rule.get("captures")
    if isinstance(captures, dict):
        for number, named in captures.items():
            if found.start(int(number)) <= column < found.end(int(number)):
                return str(named["name"])
    return str(rule.get("name", ""))
