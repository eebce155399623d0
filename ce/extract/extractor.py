"""From the bytes of one file to the blobs of its layers. Pure: the same path and bytes give the same blobs everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from ce.extract.codec import decode_extraction, encode_size_only
from ce.extract.languages import LANGUAGES, language_spec
from ce.extract.layers import LAYERS, UNREAD, Layer
from ce.extract.parsing import MAX_PARSE_BYTES, Parsed, SkippedParse, parse
from ce.extract.registry import RegistryRow, language_of
from ce.extract.spec import LanguageSpec
from ce.source.text import SourceText, decode

__all__ = ["UNKNOWN", "decode_extraction", "extract"]

UNKNOWN = "unknown"
_HEAD = 256


def extract(path: str, data: bytes, layers: Sequence[str] = ("core",)) -> dict[str, bytes]:
    """Return the blob of every asked layer that wants the file; the file is decoded and parsed at most once.

    Never fails because of the bytes: what cannot be parsed keeps its sizes, and `problems` says what was left out.
    """
    row = language_of(path, data[:_HEAD])
    wanted = [LAYERS[name] for name in layers if LAYERS[name].wants_file(path, row)]
    if not wanted:
        return {}
    source = decode(data)
    blobs = _read(row, source, wanted)
    wanted = [layer for layer in wanted if layer.name not in blobs]
    parsed = _parse(path, row, source, any(layer.needs_tree for layer in wanted))
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


def _read(row: RegistryRow | None, source: SourceText, wanted: Sequence[Layer]) -> dict[str, bytes]:
    """Return the blobs of the layers that can be measured without a parse."""
    if row is None or row.language not in LANGUAGES or source.is_binary or len(source.text_bytes) > MAX_PARSE_BYTES:
        return {}
    spec = language_spec(row.language)
    read = {layer.name: layer.read(spec, source.text_bytes) for layer in wanted if layer.read is not None}
    return {name: blob for name, blob in read.items() if blob is not None}


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
