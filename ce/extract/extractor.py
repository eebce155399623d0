"""From the bytes of one file to the blobs of its layers. Pure: the same path and bytes give the same blobs everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ce.extract.codec import decode_extraction, encode_size_only
from ce.extract.languages import LANGUAGES, language_spec
from ce.extract.layers import LAYERS, UNREAD
from ce.extract.parsing import MAX_PARSE_BYTES, Parsed, SkippedParse, parse
from ce.extract.registry import RegistryRow, language_of
from ce.extract.spec import LanguageSpec
from ce.source.text import SourceText, decode

__all__ = ["UNKNOWN", "decode_extraction", "extract", "read_ahead"]

UNKNOWN = "unknown"
_HEAD = 256
_TOGETHER = frozenset({"core", "bodies"})  # one walk gives both


def extract(path: str, data: bytes, layers: Sequence[str] = ("core",), ahead: Mapping[str, bytes] | None = None) -> dict[str, bytes]:
    """Return the blob of every asked layer that wants the file; the file is decoded and parsed at most once.

    `ahead` is what `read_ahead` gave of the file, for those who have many.
    Never fails because of the bytes: what cannot be parsed keeps its sizes, and `problems` says what was left out.
    """
    row = language_of(path, data[:_HEAD])
    wanted = [LAYERS[name] for name in layers if LAYERS[name].wants_file(path, row)]
    if not wanted:
        return {}
    source = decode(data)
    blobs = dict(read_ahead([(path, data, layers)])[0] if ahead is None else ahead)
    wanted = [layer for layer in wanted if layer.name not in blobs]
    parsed = _parse(path, row, source, any(layer.needs_tree for layer in wanted))
    if isinstance(parsed, Parsed) and {layer.name for layer in wanted} >= _TOGETHER:
        from ce.extract.core import measure_both

        blobs["core"], blobs["bodies"] = measure_both(parsed)
        wanted = [layer for layer in wanted if layer.name not in _TOGETHER]
    for layer in wanted:
        if not layer.needs_tree:
            blobs[layer.name] = layer.measure(Parsed(path, _unparsed(row), source.text_bytes, None, _remarks(row, source)))
        elif isinstance(parsed, Parsed):
            blobs[layer.name] = layer.measure(parsed)
        elif layer.name == "core":
            problems = [*_remarks(row, source), *([parsed.reason] if parsed else [])]
            blobs[layer.name] = encode_size_only(path, row.language if row else UNKNOWN, source.text_bytes, problems)
        elif parsed is not None:
            blobs[layer.name] = UNREAD + parsed.reason.encode()
    return blobs


def read_ahead(files: Sequence[tuple[str, bytes, Sequence[str]]]) -> list[dict[str, bytes]]:
    """Return the blobs of those layers of each file, given by path, bytes and layers, that can be measured without a parse."""
    found: list[dict[str, bytes]] = [{} for _ in files]
    texts: dict[tuple[str, str], list[tuple[int, bytes]]] = {}  # by layer and language: number of the file, text
    for number, (path, data, layers) in enumerate(files):
        row = language_of(path, data[:_HEAD])
        readable = [name for name in layers if LAYERS[name].read is not None and LAYERS[name].wants(row)]
        if not readable or row is None or row.language not in LANGUAGES or language_spec(row.language).lex is None:
            continue
        source = decode(data)
        if not source.is_binary and len(source.text_bytes) <= MAX_PARSE_BYTES:
            for name in readable:
                texts.setdefault((name, row.language), []).append((number, source.text_bytes))
    for (name, language), numbered in texts.items():
        read = LAYERS[name].read
        assert read is not None
        for (number, _), blob in zip(numbered, read(language_spec(language), [text for _, text in numbered]), strict=True):
            if blob is not None:
                found[number][name] = blob
    return found


def _parse(path: str, row: RegistryRow | None, source: SourceText, needs_tree: bool) -> Parsed | SkippedParse | None:
    """Return the parse, why there is none, or None for a language without a table."""
    if row is None or row.language not in LANGUAGES or source.is_binary or not needs_tree:
        return None
    spec = language_spec(row.language)
    if spec.code_in is None:
        parsed = parse(path, spec, source.text_bytes)
    else:
        inner, code = spec.code_in(source.text_bytes)
        parsed = parse(path, language_spec(inner), code)
        if isinstance(parsed, Parsed):
            parsed.language, parsed.whole = row.language, source.text_bytes
    if isinstance(parsed, Parsed):
        parsed.problems[:0] = _remarks(row, source)
    return parsed


def _remarks(row: RegistryRow | None, source: SourceText) -> list[str]:
    return [*([row.remark] if row and row.remark else []), *source.problems]


def _unparsed(row: RegistryRow | None) -> LanguageSpec:
    name = row.language if row else UNKNOWN
    return language_spec(name) if name in LANGUAGES else LanguageSpec(name=name, grammar="", comments=())
