"""The layers of a file: what is measured of it, each kept under its own revision."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ce.extract.names.data_texts import DATA_SUFFIXES
from ce.extract.registry import Arm, RegistryRow

if TYPE_CHECKING:
    from ce.extract.parsing import Parsed
    from ce.extract.spec import LanguageSpec

__all__ = ["LAYERS", "UNREAD", "Layer", "problems_of", "why_unread"]

# What the blob of a layer begins with that could not be measured of a file of its kind; the reason follows.
UNREAD = b"\0unread\0"


@dataclass(frozen=True, slots=True)
class Layer:
    """One thing to measure. `wants` says for which files (None: no language claims the file); `measure` gets the shared parse of the file.

    `needs_tree` is False for a layer that reads the text alone; only such a layer is measured when a file is too large to parse.
    `read` gives the same blob as `measure` without a parse, or None where that is not certain. With `suffixes` the layer is about the files
    whose names end so, whatever their language.
    """

    name: str
    revision: str
    wants: Callable[[RegistryRow | None], bool]
    measure: Callable[[Parsed], bytes]
    needs_tree: bool = True
    read: Callable[[LanguageSpec, Sequence[bytes]], list[bytes | None]] | None = None
    suffixes: tuple[str, ...] = ()

    def wants_file(self, path: str, row: RegistryRow | None) -> bool:
        """Tell whether the layer is measured of a file; `row` is that of its language."""
        return path.endswith(self.suffixes) if self.suffixes else self.wants(row)


def why_unread(blob: bytes) -> str | None:
    """Return why the layer could not be measured of a file, None when it was."""
    return blob[len(UNREAD) :].decode("utf-8", "replace") if blob.startswith(UNREAD) else None


def problems_of(blob: bytes) -> tuple[str, ...]:
    """Return the remarks of the layer `text`, none when the blob is not one of it."""
    try:
        found = json.loads(blob)
    except (ValueError, RecursionError):
        return ()
    return tuple(map(str, found)) if isinstance(found, list) else ()


def _text(parsed: Parsed) -> bytes:
    return json.dumps(parsed.problems).encode()


def _core(parsed: Parsed) -> bytes:
    from ce.extract.core import measure_core

    return measure_core(parsed)


def _bodies(parsed: Parsed) -> bytes:
    from ce.extract.core import measure_bodies

    return measure_bodies(parsed)


def _mentions(parsed: Parsed) -> bytes:
    from ce.extract.measures.mentions import measure_mentions

    return measure_mentions(parsed.path, parsed.text)


def _is_measured(row: RegistryRow | None) -> bool:
    return row is not None and (row.is_specified or row.arm is not Arm.PROSE)


def _has_bodies(row: RegistryRow | None) -> bool:
    return row is not None and row.arm is Arm.CODE and row.is_specified


def _tokens(parsed: Parsed) -> bytes:
    from ce.extract.measures.clone_facts import measure_tokens

    return measure_tokens(parsed)


def _lexed_tokens(spec: LanguageSpec, texts: Sequence[bytes]) -> list[bytes | None]:
    from ce.extract.measures.clone_facts import measure_lexed_tokens

    return measure_lexed_tokens(spec, texts)


def _prose(parsed: Parsed) -> bytes:
    from ce.extract.measures.prose import encode_prose, prose_of

    return encode_prose(prose_of(parsed))


def _trees(parsed: Parsed) -> bytes:
    from ce.extract.measures.unit_trees import encode_trees, trees_of

    return encode_trees(trees_of(parsed))


def _names(parsed: Parsed) -> bytes:
    from ce.extract.names.codec import encode_names_table
    from ce.extract.names.registry import table_of

    return encode_names_table(table_of(parsed))


def _data_texts(parsed: Parsed) -> bytes:
    from ce.extract.names.data_texts import data_texts, encode_texts

    return encode_texts(data_texts(parsed.text))


def _has_names(row: RegistryRow | None) -> bool:
    from ce.extract.names.registry import has_names

    return row is not None and row.is_specified and has_names(row.language)


def _flow(parsed: Parsed) -> bytes:
    from ce.extract.flow.measure import encode_flow, flow_of
    from ce.extract.flow.registry import flow_table

    table = flow_table(parsed.spec.name)
    assert table is not None
    return encode_flow(flow_of(parsed, table))


def _is_followed(row: RegistryRow | None) -> bool:
    from ce.extract.flow.registry import FLOW_LANGUAGES

    return row is not None and row.is_specified and row.language in FLOW_LANGUAGES


def _is_fingerprinted(row: RegistryRow | None) -> bool:
    return row is not None and row.arm is Arm.CODE and row.is_specified and row.language not in _SCRIPTS_IN_PAGES


def _has_prose(row: RegistryRow | None) -> bool:
    return row is not None and row.arm not in (Arm.SIZE, Arm.READ) and row.is_specified and row.language not in _SCRIPTS_IN_PAGES


# Pages that hold scripts are read for their references only.
_SCRIPTS_IN_PAGES = frozenset({"vue", "svelte", "astro", "mdx"})

LAYERS: Mapping[str, Layer] = {
    layer.name: layer
    for layer in (
        Layer("core", "1", _is_measured, _core),
        Layer("bodies", "1", _has_bodies, _bodies),
        Layer("text", "1", _is_measured, _text, needs_tree=False),
        Layer("mentions", "1", lambda _row: True, _mentions, needs_tree=False),
        Layer("tokens", "2", _is_fingerprinted, _tokens, read=_lexed_tokens),
        Layer("prose", "1", _has_prose, _prose),
        Layer("trees", "1", _is_fingerprinted, _trees),
        Layer("flow", "1", _is_followed, _flow),
        Layer("names", "1", _has_names, _names),
        Layer("data_texts", "1", lambda _row: False, _data_texts, needs_tree=False, suffixes=DATA_SUFFIXES),
    )
}
