"""The protocol: requests of an editor to the functions of `features`, and back. The only module that knows pygls."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from ce import __version__
from ce.app.project import Project
from ce.app.row_counts import RowCounts, count_rows
from ce.diagnostics import CeError, Diagnostic, Severity, Span
from ce.faces.lsp import features
from ce.faces.lsp.analysis import Analysis, analyse
from ce.faces.lsp.positions import column_of, units_before
from ce.source.anchor import find_root
from ce.verdicts.family import shipped_path

__all__ = ["make_server"]

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}
_KINDS = {
    "relation": types.CompletionItemKind.Function,
    "word": types.CompletionItemKind.EnumMember,
    "variable": types.CompletionItemKind.Variable,
    "path": types.CompletionItemKind.File,
    "keyword": types.CompletionItemKind.Keyword,
    "annotation": types.CompletionItemKind.Property,
}


class _Documents:
    """The analyses of the open documents, each made once for a text, and the counts of the last text that was counted."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._analyses: dict[str, tuple[str, Analysis]] = {}
        self._counts: dict[str, tuple[str, RowCounts]] = {}
        self._paths: dict[Path, tuple[str, ...]] = {}
        self._counting = threading.Lock()

    def analysis(self, uri: str) -> Analysis:
        """Return the analysis of a document as it is in the editor."""
        text = self._server.workspace.get_text_document(uri).source
        known = self._analyses.get(uri)
        if known is None or known[0] != text:
            path = _path_of(uri)
            root = find_root(path.parent if path.parent.is_dir() else Path.cwd())
            source = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
            known = self._analyses[uri] = (text, analyse(root, source, text))
        return known[1]

    def others(self, uri: str) -> list[Analysis]:
        """Return the analyses of the other open documents."""
        return [self.analysis(other) for other in sorted(self._analyses) if other != uri]

    def close(self, uri: str) -> None:
        """Forget a document."""
        self._analyses.pop(uri, None)
        self._counts.pop(uri, None)

    def forget_counts(self) -> None:
        """Forget what was counted: the tree has changed."""
        self._counts.clear()
        self._paths.clear()

    def known_counts(self, uri: str) -> RowCounts:
        """Return the counts of the document if they were made, without making them."""
        known = self._counts.get(uri)
        return RowCounts() if known is None else known[1]

    def counts(self, uri: str) -> RowCounts:
        """Return the counts of the document on its tree; those of its last sound text while it has a fault."""
        analysis = self.analysis(uri)
        with self._counting:
            known = self._counts.get(uri)
            if analysis.checked is None:
                return RowCounts() if known is None else known[1]
            if known is None or known[0] != analysis.text:
                try:
                    found = count_rows(Project(analysis.root, str(analysis.root)), analysis.checked)
                except (CeError, OSError):
                    found = RowCounts()
                known = self._counts[uri] = (analysis.text, found)
            return known[1]

    def paths(self, root: Path) -> tuple[str, ...]:
        """Return the paths of the tree, walked once between two saves."""
        if root not in self._paths:
            from ce.source.settings import load_settings
            from ce.source.walk import walk

            try:
                self._paths[root] = tuple(walk(root, load_settings(root)).paths)
            except (CeError, OSError):
                return ()
        return self._paths[root]


def make_server() -> LanguageServer:
    """Return the server with every feature; `start_io()` runs it over standard input and output."""
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_no_refusal)
    server = LanguageServer("codeeraser", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
    documents = _Documents(server)
    _add_synchronisation(server, documents)
    _add_reading(server, documents)
    _add_writing(server, documents)
    return server


def _add_synchronisation(server: LanguageServer, documents: _Documents) -> None:
    def publish(uri: str) -> None:
        analysis = documents.analysis(uri)
        found = [_diagnostic(analysis, each) for each in analysis.diagnostics]
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        documents.forget_counts()
        publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        documents.close(params.text_document.uri)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))


def _add_reading(server: LanguageServer, documents: _Documents) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        analysis = documents.analysis(uri)
        found = features.hover(analysis, *_place(analysis, params.position), documents.known_counts(uri).relations)
        if found is None:
            return None
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, found.text), _range(analysis.text, found.span))

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=['"', "(", "@", "/"]))
    def completion(params: types.CompletionParams) -> types.CompletionList:
        analysis = documents.analysis(params.text_document.uri)
        found = features.complete(analysis, *_place(analysis, params.position), lambda: documents.paths(analysis.root))
        items = [
            types.CompletionItem(
                each.text,
                kind=_KINDS[each.kind],
                detail=each.detail or None,
                sort_text=f"{number:05}",
                filter_text=each.text,
                text_edit=types.TextEdit(_range(analysis.text, span), each.text),
            )
            for number, (each, span) in enumerate(found)
        ]
        return types.CompletionList(is_incomplete=False, items=items)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> list[types.Location]:
        analysis = documents.analysis(params.text_document.uri)
        return _locations(analysis, features.definitions(analysis, *_place(analysis, params.position)))

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(params: types.ReferenceParams) -> list[types.Location]:
        uri = params.text_document.uri
        analysis = documents.analysis(uri)
        heads = params.context.include_declaration
        others = documents.others(uri)
        spans = features.references(analysis, *_place(analysis, params.position), heads=heads, others=others)
        return _locations(analysis, spans, others)

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    @server.thread()
    def inlay_hint(params: types.InlayHintParams) -> list[types.InlayHint]:
        uri = params.text_document.uri
        analysis, counts = documents.analysis(uri), documents.counts(uri)
        rows = analysis.text.split("\n")
        return [
            types.InlayHint(
                types.Position(hint.line - 1, units_before(rows, hint.line, hint.column)),
                hint.text.strip(),
                padding_left=True,
                padding_right=True,
                tooltip="on the tree as it was saved last",
            )
            for hint in features.inlay_hints(analysis, counts.relations, counts.violations)
            if params.range.start.line <= hint.line - 1 <= params.range.end.line
        ]


def _add_writing(server: LanguageServer, documents: _Documents) -> None:
    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(params: types.PrepareRenameParams) -> types.Range | None:
        analysis = documents.analysis(params.text_document.uri)
        span = features.renameable(analysis, *_place(analysis, params.position))
        return None if span is None else _range(analysis.text, span)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def rename(params: types.RenameParams) -> types.WorkspaceEdit:
        uri = params.text_document.uri
        analysis, others = documents.analysis(uri), documents.others(uri)
        try:
            spans = features.rename(analysis, *_place(analysis, params.position), params.new_name, others)
        except CeError as error:
            raise JsonRpcInvalidParams(error.diagnostics[0].message) from None
        edits: dict[str, list[types.TextEdit]] = {}
        for location in _locations(analysis, spans, others):
            edits.setdefault(location.uri, []).append(types.TextEdit(location.range, params.new_name))
        return types.WorkspaceEdit(changes=edits)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        from ce.datalog.format import format_source

        analysis = documents.analysis(params.text_document.uri)
        try:
            text = format_source(analysis.text, analysis.source)
        except CeError:
            # The fault is shown already; a text with one has no layout.
            return []
        rows = analysis.text.split("\n")
        whole = types.Range(types.Position(0, 0), types.Position(len(rows), 0))
        return [] if text == analysis.text else [types.TextEdit(whole, text)]


def _is_no_refusal(record: logging.LogRecord) -> bool:
    """Keep out of the log what was refused to the user, who is told: that is no fault of the server."""
    return record.exc_info is None or not isinstance(record.exc_info[1], JsonRpcInvalidParams)


def _place(analysis: Analysis, position: types.Position) -> tuple[int, int]:
    return position.line + 1, column_of(analysis.text.split("\n"), position.line, position.character)


def _range(text: str, span: Span) -> types.Range:
    rows = text.split("\n")
    start = types.Position(span.line - 1, units_before(rows, span.line, span.column))
    return types.Range(start, types.Position(span.end_line - 1, units_before(rows, span.end_line, span.end_column)))


def _diagnostic(analysis: Analysis, found: Diagnostic) -> types.Diagnostic:
    span = found.span or Span(analysis.source, 1, 1, 1, 1)
    related = [
        types.DiagnosticRelatedInformation(location, each.message)
        for each in found.related
        for location in _locations(analysis, [each.span])
    ]
    return types.Diagnostic(
        _range(analysis.text, span),
        "\n".join([found.message, *found.notes]),
        severity=_SEVERITIES[found.severity],
        code=found.code,
        source="ce",
        related_information=related or None,
    )


def _locations(analysis: Analysis, spans: Iterable[Span], others: Iterable[Analysis] = ()) -> list[types.Location]:
    """Return the spans as places in files; a shipped program is a file of the installation."""
    texts: dict[str, Any] = {other.source: other.text for other in others} | dict(analysis.program.sources)
    found = []
    for span in spans:
        path = analysis.root / span.source
        if not path.is_file() and span.source != analysis.source:
            shipped = shipped_path(span.source)
            if shipped is None:
                continue
            path = shipped
        found.append(types.Location(path.as_uri(), _range(texts.get(span.source, ""), span)))
    return found


def _path_of(uri: str) -> Path:
    parsed = urlparse(uri)
    return Path(unquote(parsed.path)) if parsed.scheme == "file" else Path.cwd() / Path(unquote(parsed.path)).name
