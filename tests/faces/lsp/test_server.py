"""The language server as an editor uses it: frames over standard input and output of a process of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]

RULES = """\
# A file is big when it has more than twenty lines.
big(F) :- lines(F, N), N > 20.

@message("{F} is big")
assert nothing_big(F) :-
    big(F),
    in(F, "src/**").
"""


class Editor:
    """A client that speaks the protocol by hand: headers, JSON, numbered requests; notifications are kept as they come."""

    def __init__(self, root: Path) -> None:
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        self.root = root
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ce", "lsp"],
            cwd=root,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.published: dict[str, list[dict[str, Any]]] = {}
        self._number = 0
        self.capabilities = self.request(
            "initialize",
            {"processId": os.getpid(), "rootUri": root.as_uri(), "capabilities": {"general": {"positionEncodings": ["utf-16"]}}},
        )["capabilities"]
        self.notify("initialized", {})

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def open(self, name: str, text: str) -> list[dict[str, Any]]:
        """Open a document and return what is wrong with it."""
        (self.root / name).write_text(text, encoding="utf-8")
        self.notify("textDocument/didOpen", {"textDocument": {"uri": self.uri(name), "languageId": "ce", "version": 1, "text": text}})
        return self.diagnostics(name)

    def change(self, name: str, text: str, version: int = 2) -> list[dict[str, Any]]:
        """Change a document and return what is wrong with it now."""
        self.published.pop(self.uri(name), None)
        document = {"uri": self.uri(name), "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
        return self.diagnostics(name)

    def diagnostics(self, name: str) -> list[dict[str, Any]]:
        """Return what the server says about a document, waiting for it."""
        while self.uri(name) not in self.published:
            self._keep(self._read())
        return self.published[self.uri(name)]

    def at(self, method: str, name: str, line: int, character: int, **more: Any) -> Any:
        """Return the reply to a request about a place."""
        place = {"textDocument": {"uri": self.uri(name)}, "position": {"line": line, "character": character}}
        return self.request(f"textDocument/{method}", place | more)

    def request(self, method: str, params: Any) -> Any:
        """Return the result of a request; raises AssertionError with the message of an error."""
        self._number += 1
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            message = self._read()
            if message.get("id") == self._number and "method" not in message:
                assert "error" not in message, message["error"]["message"]
                return message["result"]
            self._keep(message)

    def notify(self, method: str, params: Any) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def close(self) -> tuple[int, str]:
        """Shut the server down and return its exit code and what it wrote to standard error."""
        self.request("shutdown", None)
        self.notify("exit", None)
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors.decode()

    def _keep(self, message: dict[str, Any]) -> None:
        if message.get("method") == "textDocument/publishDiagnostics":
            self.published[message["params"]["uri"]] = message["params"]["diagnostics"]

    def _write(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        stream = self.process.stdout
        assert stream is not None
        length = 0
        while (header := stream.readline().strip()) != b"":
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        assert length, "the server ended"
        message: dict[str, Any] = json.loads(stream.read(length))
        return message


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """Give one editor for all tests; that it can be closed cleanly is tested on the way out."""
    root = Path(shutil.copytree(ROOT / "fixtures" / "demo", tmp_path_factory.mktemp("lsp") / "shop"))
    editor = Editor(root)
    yield editor
    code, errors = editor.close()
    assert code == 0, errors
    assert "Traceback" not in errors


def test_the_server_offers_every_feature(editor: Editor) -> None:
    offered = editor.capabilities
    for name in ("hover", "completion", "definition", "references", "rename", "documentFormatting", "inlayHint"):
        assert offered[f"{name}Provider"], name


def test_faults_are_shown_with_code_place_and_advice_and_go_away(editor: Editor) -> None:
    (fault,) = editor.open("a.rules", "assert x(F) :- lnes(F, _).\n")
    assert (fault["code"], fault["source"], fault["severity"]) == ("CE202", "ce", 1)
    assert fault["range"] == {"start": {"line": 0, "character": 15}, "end": {"line": 0, "character": 25}}
    assert "did you mean `lines`?" in fault["message"]
    assert editor.change("a.rules", "assert x(F) :- lines(F, _).\n") == []


def test_lints_are_warnings_and_name_the_other_place(editor: Editor) -> None:
    (warning,) = editor.open("b.rules", "t(F) :- ref(F, _, _, _).\nt(F) :- ref(F, G, import, _), file(G).\n?- t(F).\n")
    assert (warning["code"], warning["severity"], warning["range"]["start"]["line"]) == ("CE308", 2, 1)
    (related,) = warning["relatedInformation"]
    assert related["location"] == {
        "uri": editor.uri("b.rules"),
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 4}},
    }


def test_a_name_is_explained_under_the_pointer(editor: Editor) -> None:
    editor.open("c.rules", RULES)
    fact = editor.at("hover", "c.rules", 1, 12)["contents"]["value"]
    assert "lines(F: node, N: int)" in fact
    assert "the number of lines of a file" in fact
    own = editor.at("hover", "c.rules", 5, 5)["contents"]["value"]
    assert "big(F: node)" in own
    assert "A file is big when it has more than twenty lines." in own
    assert "defined at c.rules:2" in own
    variable = editor.at("hover", "c.rules", 1, 19)["contents"]["value"]
    assert "`N: int` of `lines`" in variable
    assert editor.at("hover", "c.rules", 0, 5) is None


def test_completion_knows_columns_relations_and_paths(editor: Editor) -> None:
    text = 'a(F) :- ref(F, G, i\nb(F) :- in(F, "src/shop/rep\nc(F) :- dea\n@sev\n'
    editor.open("d.rules", text)

    def labels(line: int, character: int) -> list[str]:
        return [item["label"] for item in editor.at("completion", "d.rules", line, character)["items"]]

    assert labels(0, 19)[0] == "import"
    assert labels(1, 28)[:2] == ["src/shop/reports/**", "src/shop/reports/__init__.py"]
    assert "dead" in labels(2, 11)
    assert labels(3, 4) == ["severity"]
    item = editor.at("completion", "d.rules", 2, 11)["items"][0]
    assert item["textEdit"]["range"] == {"start": {"line": 2, "character": 8}, "end": {"line": 2, "character": 11}}


def test_a_definition_is_in_this_file_in_an_included_one_or_in_the_installation(editor: Editor) -> None:
    (editor.root / "lib.dl").write_text("# Long files.\nlong(F) :- lines(F, N), N > 9.\n")
    editor.open("e.rules", f'include "lib.dl".\n{RULES}assert y(F) :- long(F), dead(F).\n')
    assert [each["range"]["start"] for each in editor.at("definition", "e.rules", 6, 5)] == [{"line": 2, "character": 0}]
    (included,) = editor.at("definition", "e.rules", 8, 16)
    assert (included["uri"], included["range"]["start"]["line"]) == (editor.uri("lib.dl"), 1)
    (shipped,) = editor.at("definition", "e.rules", 8, 25)
    assert shipped["uri"].endswith("/prelude.dl")
    assert (editor.at("definition", "e.rules", 0, 11)[0]["uri"]) == editor.uri("lib.dl")
    assert editor.at("definition", "e.rules", 2, 12) == []


def test_references_are_found_across_included_files(editor: Editor) -> None:
    editor.open("lib2.dl", "long(F) :- lines(F, N), N > 9.\n")
    editor.open("f.rules", 'include "lib2.dl".\nassert y(F) :- long(F), not long(F).\n')
    found = editor.at("references", "f.rules", 1, 16, context={"includeDeclaration": True})
    assert sorted((Path(each["uri"]).name, each["range"]["start"]["character"]) for each in found) == [
        ("f.rules", 15),
        ("f.rules", 28),
        ("lib2.dl", 0),
    ]
    without = editor.at("references", "lib2.dl", 0, 2, context={"includeDeclaration": False})
    assert sorted((Path(each["uri"]).name, each["range"]["start"]["character"]) for each in without) == [("f.rules", 15), ("f.rules", 28)]


def test_a_rename_changes_every_place_and_refuses_what_is_not_ones_own(editor: Editor) -> None:
    editor.open("g.rules", RULES)
    changes = editor.at("rename", "g.rules", 5, 5, newName="large")["changes"]
    text = _edited(RULES, changes[editor.uri("g.rules")])
    assert text == re.sub(r"\bbig\(", "large(", RULES)
    assert editor.change("g.rules", text) == []
    variables = editor.at("rename", "g.rules", 1, 7, newName="File")["changes"][editor.uri("g.rules")]
    assert _edited(text, variables).splitlines()[1] == "large(File) :- lines(File, N), N > 20."
    for place, name in [((1, 12), "rows"), ((5, 5), "dead"), ((5, 5), "Large"), ((5, 5), "not"), ((1, 6), "N")]:
        with pytest.raises(AssertionError, match=r"rename|taken|cannot name"):
            editor.at("rename", "g.rules", *place, newName=name)
    assert editor.at("prepareRename", "g.rules", 1, 12) is None
    assert editor.at("prepareRename", "g.rules", 1, 1)["end"]["character"] == 5


def test_a_document_is_laid_out_and_one_with_a_fault_is_left_alone(editor: Editor) -> None:
    editor.open("h.rules", "a(F):-file(F),dead(F).\n?-a(F).\n")
    options = {"tabSize": 4, "insertSpaces": True}
    (edit,) = editor.request("textDocument/formatting", {"textDocument": {"uri": editor.uri("h.rules")}, "options": options})
    assert edit["newText"] == "a(F) :-\n    file(F),\n    dead(F).\n?- a(F).\n"
    editor.change("h.rules", "a(F :-\n")
    assert editor.request("textDocument/formatting", {"textDocument": {"uri": editor.uri("h.rules")}, "options": options}) == []


def test_the_rows_on_the_tree_stand_behind_the_heads(editor: Editor) -> None:
    editor.open("i.rules", RULES)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    request = {"textDocument": {"uri": editor.uri("i.rules")}, "range": whole}
    hints = editor.request("textDocument/inlayHint", request)
    assert [(hint["position"], hint["label"]) for hint in hints] == [
        ({"line": 1, "character": 3}, "1 row"),
        ({"line": 4, "character": 18}, "1 violation"),
    ]
    assert "14 rows in this tree" in editor.at("hover", "i.rules", 1, 12)["contents"]["value"]
    (editor.root / "src" / "more.py").write_text("x = 1\n" * 30)
    editor.notify("textDocument/didSave", {"textDocument": {"uri": editor.uri("i.rules")}})
    assert [hint["label"] for hint in editor.request("textDocument/inlayHint", request)] == ["2 rows", "2 violations"]


def test_columns_count_utf_16_units(editor: Editor) -> None:
    (fault,) = editor.open("j.rules", 'assert x(F) :- in(F, "😀é"), lnes(F, _).\n')
    assert fault["range"]["start"]["character"] == 29
    assert editor.at("hover", "j.rules", 0, 16)["range"]["start"]["character"] == 15


def test_a_program_of_the_bare_engine_knows_no_tree(editor: Editor) -> None:
    assert editor.open("k.dl", "decl edge(From: int, To: int).\nreach(X, Y) :- edge(X, Y).\noutput reach.\n") == []
    assert "edge(From: int, To: int)" in editor.at("hover", "k.dl", 1, 17)["contents"]["value"]


def test_any_text_at_all_is_survived(editor: Editor) -> None:
    for number, text in enumerate(
        ["", "(" * 5000, '"', "a(F) :- b(", 'include "include.dl".', "\ufeff# only\r\n\r\n", "@", "assert", "x(😀).\n"]
    ):
        editor.open("l.rules", text) if number == 0 else editor.change("l.rules", text, number + 2)
        editor.at("hover", "l.rules", 0, 1)
        editor.at("completion", "l.rules", 0, len(text))
        editor.at("references", "l.rules", 0, 0, context={"includeDeclaration": True})


def _edited(text: str, edits: list[dict[str, Any]]) -> str:
    """Return a text with edits applied, as an editor does it."""
    rows = text.split("\n")
    for edit in sorted(edits, key=lambda edit: (edit["range"]["start"]["line"], edit["range"]["start"]["character"]), reverse=True):
        start, end = edit["range"]["start"], edit["range"]["end"]
        row = rows[start["line"]]
        rows[start["line"]] = row[: start["character"]] + edit["newText"] + row[end["character"] :]
    return "\n".join(rows)
