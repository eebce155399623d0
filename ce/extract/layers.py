"""The layers of a file: what is measured of it, each kept under its own revision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ce.extract.parsing import Parsed
from ce.extract.registry import Arm, RegistryRow

__all__ = ["LAYERS", "Layer"]


@dataclass(frozen=True, slots=True)
class Layer:
    """One thing to measure. `wants` says for which files (None: no language claims the file); `measure` gets the shared parse of the file.

    `needs_tree` is False for a layer that reads the text alone; only such a layer is measured when a file is too large to parse.
    """

    name: str
    revision: str
    wants: Callable[[RegistryRow | None], bool]
    measure: Callable[[Parsed], bytes]
    needs_tree: bool = True


def _core(parsed: Parsed) -> bytes:
    from ce.extract.core import measure_core

    return measure_core(parsed)


def _mentions(parsed: Parsed) -> bytes:
    from ce.extract.measures.mentions import measure_mentions

    return measure_mentions(parsed.path, parsed.text)


def _is_measured(row: RegistryRow | None) -> bool:
    return row is not None and (row.is_specified or row.arm is not Arm.PROSE)


def _tokens(parsed: Parsed) -> bytes:
    from ce.extract.measures.clone_facts import measure_tokens

    return measure_tokens(parsed)


def _prose(parsed: Parsed) -> bytes:
    from ce.extract.measures.prose import encode_prose, prose_of

    return encode_prose(prose_of(parsed))


def _trees(parsed: Parsed) -> bytes:
    from ce.extract.measures.unit_trees import encode_trees, trees_of

    return encode_trees(trees_of(parsed))


def _names(parsed: Parsed) -> bytes:
    from ce.extract.names.codec import encode_names
    from ce.extract.names.registry import names_of

    return encode_names(names_of(parsed))


def _has_names(row: RegistryRow | None) -> bool:
    from ce.extract.names.registry import has_names

    return row is not None and row.is_specified and has_names(row.language)


def _is_fingerprinted(row: RegistryRow | None) -> bool:
    return row is not None and row.arm is Arm.CODE and row.is_specified and row.language not in _SCRIPTS_IN_PAGES


def _has_prose(row: RegistryRow | None) -> bool:
    return row is not None and row.arm is not Arm.SIZE and row.is_specified and row.language not in _SCRIPTS_IN_PAGES


# Pages that hold scripts are read for their references only.
_SCRIPTS_IN_PAGES = frozenset({"vue", "svelte", "astro", "mdx"})

LAYERS: Mapping[str, Layer] = {
    layer.name: layer
    for layer in (
        Layer("core", "1", _is_measured, _core),
        Layer("mentions", "1", lambda _row: True, _mentions, needs_tree=False),
        Layer("tokens", "1", _is_fingerprinted, _tokens),
        Layer("prose", "1", _has_prose, _prose),
        Layer("trees", "1", _is_fingerprinted, _trees),
        Layer("names", "1", _has_names, _names),
    )
}
