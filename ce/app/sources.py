"""Which providers and which layers of files the relations need that somebody asks for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from ce.app.code_revision import extraction_revision
from ce.store.values import LayerSpec

if TYPE_CHECKING:
    from ce.facts.assemble.providers import Provider

__all__ = ["BODIES", "CORE", "TEXT", "Sources", "layer_spec", "sources_of", "speak_of_bodies", "speak_of_files_alone"]

# The extraction, what stands in the bodies of its units, and what reading a file remarks on, for those who need no extraction.
# The first and the last want the same files.
CORE, BODIES, TEXT = "core", "bodies", "text"
_ASSEMBLED = ("index", "globs", "names", BODIES)  # the providers of relations that are not measured apart

Sources = Mapping[str, "tuple[Provider | None, list[str]]"]


def sources_of(relations: Collection[str]) -> Sources:
    """Return, by source, the provider and the relations of those that are measured apart."""
    if not relations:
        return {}
    from ce.app.providers import known_provider
    from ce.facts.schema import relation

    names: dict[str, list[str]] = {}
    for name in sorted(set(relations)):
        known = relation(name)
        if known is not None and known.provider not in _ASSEMBLED:
            names.setdefault(known.provider, []).append(name)
    return {source: (known_provider(source), found) for source, found in names.items()}


def speak_of_bodies(relations: Collection[str]) -> bool:
    """Tell whether some of the relations are about what stands in the bodies of units."""
    if not relations:
        return False
    from ce.facts.schema import relation

    return any((known := relation(name)) is not None and known.provider == BODIES for name in relations)


def speak_of_files_alone(relations: Collection[str], sources: Sources) -> bool:
    """Tell whether rows of the relations name files that are there, and nothing that an extraction or a resolution finds."""
    from ce.facts.schema import relation

    apart = {name for provider, names in sources.values() if provider is not None and provider.is_plain for name in names}
    return all(name in apart or relation(name) is None for name in relations)


def layer_spec(name: str) -> LayerSpec:
    from ce.app.tree_facts import is_extracted
    from ce.extract.layers import LAYERS
    from ce.extract.registry import language_of

    layer = LAYERS[name]
    wants = is_extracted if name in (CORE, TEXT) else lambda path: layer.wants_file(path, language_of(path))
    return LayerSpec(f"{layer.revision} {extraction_revision()}", wants)
