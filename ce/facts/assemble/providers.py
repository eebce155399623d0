"""Relations that are measured apart, on demand: whoever measures them registers a provider here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ce.facts.assemble.table import ColumnRows, Row
    from ce.facts.records import Extraction, Resolution
    from ce.source.settings import Settings

__all__ = ["PROVIDERS", "Provided", "Provider", "ProviderContext", "register"]


@dataclass(frozen=True, slots=True)
class ProviderContext:
    """What a provider may use.

    `files` are measured, `readers` only read. `layer(name)` streams path and value of a layer that the provider names in
    `layers`. `unit(path, index)` is the id of the unit at a position of the file's extraction, None when there is no such.
    `extractions` gives path and extraction in the order of the paths, `resolution` how their references ended.
    `cached` and `put` keep intermediate results under keys of the provider's own.
    """

    root: Path
    settings: Settings
    files: tuple[str, ...]
    readers: tuple[str, ...]
    languages: Callable[[], Mapping[str, str]]
    layer: Callable[[str], Iterator[tuple[str, bytes]]]
    unit: Callable[[str, int], int | None]
    cached: Callable[[str], bytes | None]
    put: Callable[[str, bytes], None]
    extractions: Callable[[], Iterator[tuple[str, Extraction]]]
    resolution: Callable[[], Resolution]


@dataclass(frozen=True, slots=True)
class Provided:
    """Rows by relation (values, then path and line of the place, `""` and 0 for none) and remarks on what could not be measured.

    The remarks are read after the rows, so rows that come one by one may add to them. `domains` are the labels, in code-point order, of
    sorts that come with these relations alone; rows hold ids of them.
    """

    rows: Mapping[str, Iterable[Row] | ColumnRows]
    problems: Sequence[str] = ()
    domains: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Provider:
    """How the relations of one provider are made.

    `provide(context, names)` measures the named relations; rows about files that the tree does not have are dropped
    later. With `is_plain` they name files alone, and `provide` uses neither units nor languages nor extractions. `stamp(context)`
    is a text that changes whenever the rows can although the tree did not (a git head); None says that they are not kept
    between runs. `layers` are the extraction layers it reads. `revision` changes with its code.
    """

    provide: Callable[[ProviderContext, Collection[str]], Provided]
    revision: str
    layers: tuple[str, ...] = ()
    stamp: Callable[[ProviderContext], str | None] = lambda context: ""
    is_plain: bool = False


# By the provider's name in the schema.
PROVIDERS: dict[str, Provider] = {}


def register(name: str, provider: Provider) -> None:
    """Make the provider known; the relations are those of the schema that name it."""
    PROVIDERS[name] = provider
