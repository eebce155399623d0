"""The editor files beside the manual agree with the language."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ce.datalog.checked import BUILTIN_TESTS
from ce.datalog.lexer import DIRECTIVES, KEYWORDS, tokenize
from ce.faces.cli import COMMANDS

FOLDER = Path(__file__).parents[3] / "docs" / "editors" / "vscode"
PACKAGE = json.loads((FOLDER / "package.json").read_text())
GRAMMAR = json.loads((FOLDER / "syntaxes" / "ce-datalog.tmLanguage.json").read_text())
DEFAULT: list[str] = PACKAGE["contributes"]["configuration"]["properties"]["codeeraser.command"]["default"]


def test_the_extension_names_files_that_are_there() -> None:
    contributed = PACKAGE["contributes"]
    named = [PACKAGE["main"], contributed["languages"][0]["configuration"], contributed["grammars"][0]["path"]]
    assert all((FOLDER / name).is_file() for name in named)
    assert contributed["grammars"][0]["scopeName"] == GRAMMAR["scopeName"]
    assert contributed["languages"][0]["id"] == contributed["grammars"][0]["language"]


def test_the_extension_can_be_packed() -> None:
    """What `vsce package` asks for; `npm run package` in the folder runs it."""
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]*", PACKAGE["name"]) and re.fullmatch(r"[a-z0-9-]+", PACKAGE["publisher"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", PACKAGE["version"])
    assert re.fullmatch(r"\^\d+\.\d+\.\d+", PACKAGE["engines"]["vscode"])
    assert PACKAGE["activationEvents"] == []  # the language of the extension starts it, since VS Code 1.74
    assert set(PACKAGE["dependencies"]) == {"vscode-languageclient"}
    assert f"codeeraser-{PACKAGE['version']}.vsix" in (FOLDER.parent / "index.md").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node on the path")
@pytest.mark.parametrize("command", [DEFAULT, ["/opt/ce", "lsp", "-v"]], ids=["default", "own"])
def test_the_extension_starts_the_command_of_the_setting_for_its_language(command: list[str], tmp_path: Path) -> None:
    """Runs the extension with stand-ins for the two modules that VS Code and its client bring."""
    for name, text in {
        "vscode/index.js": """
const settings = { codeeraser: { command: COMMAND } };
exports.workspace = { getConfiguration: section => ({ get: key => settings[section][key] }) };""".replace("COMMAND", json.dumps(command)),
        "vscode-languageclient/node.js": """
exports.LanguageClient = class {
  constructor(...given) { this.given = given; }
  start() { console.log(JSON.stringify(this.given)); return Promise.resolve(); }
  stop() { console.log("stopped"); }
};""",
    }.items():
        path = tmp_path / "node_modules" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    shutil.copy(FOLDER / "extension.js", tmp_path)
    run = "const it = require('./extension.js'); it.activate().then(it.deactivate)"
    done = subprocess.run(["node", "-e", run], cwd=tmp_path, capture_output=True, text=True, check=True)
    started, stopped = done.stdout.splitlines()
    program, *args = command
    _, _, server, client = json.loads(started)
    assert server == {"command": program, "args": args}
    assert client == {"documentSelector": [{"language": PACKAGE["contributes"]["languages"][0]["id"]}]}
    assert stopped == "stopped"


def test_the_default_command_is_one_of_ours() -> None:
    program, command = DEFAULT
    assert program == "ce" and command in COMMANDS


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
