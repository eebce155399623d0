"""The facts of one tree: walk, compare, measure what changed, resolve, assemble; each step only as far as it is needed.

Invariant: the database is a function of the tree, the settings and the code. Whether the index was there, whole, shared or
writable decides how long it takes, never what comes out.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ce.app.code_revision import extraction_revision, facts_revision
from ce.app.sources import BODIES, CORE, TEXT, layer_spec, sources_of, speak_of_bodies, speak_of_files_alone
from ce.source.text import read_file
from ce.source.tree import SkippedFile, Tree
from ce.store.index import Index
from ce.store.values import Counts, Measured, Refreshed, Request, TreeMoved

if TYPE_CHECKING:
    from ce.app.tree_facts import Summary
    from ce.app.workers import Progress
    from ce.datalog.database import Database
    from ce.facts.assemble.database import Assembly
    from ce.facts.assemble.providers import Provider, ProviderContext
    from ce.facts.assemble.tree import TreeFacts
    from ce.facts.records import Extraction, Resolution
    from ce.source.settings import Settings

__all__ = ["ProjectIndex"]

_T = TypeVar("_T")

_ATTEMPTS = 4


@dataclass(slots=True)
class _Snapshot:
    """One state of the tree, and what has been worked out about it.

    `is_plain` says that no extraction was wanted: then only relations are at hand that speak of files alone.
    """

    settings: Settings
    tree: Tree
    refreshed: Refreshed
    manifests: Mapping[str, bytes]
    digest: str
    is_plain: bool
    assembly: Assembly | None = None
    summary: Summary | None = None
    resolution: Resolution | None = None
    noticed: tuple[str, ...] | None = None
    remarks: tuple[str, ...] = ()


class ProjectIndex:
    """The index of the tree at a root, refreshed on demand."""

    def __init__(
        self,
        root: Path,
        *,
        settings: Settings | None = None,
        on_disk: bool = True,
        workers: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Open the index. With `on_disk` False nothing under `.ce/` is read or written, so nothing there is trusted.

        `workers` 0 measures in this process; None decides by the amount. `progress(done, total)` is told while files are measured.
        """
        self.root = root
        self._given_settings = settings
        self._index = Index.open(root) if on_disk else Index.in_memory()
        self._workers = workers
        self._progress = progress
        self._counts = Counts()
        self._layers: set[str] = set()
        self._sizes: dict[str, int] = {}
        self._snapshot: _Snapshot | None = None
        self._extractions: dict[str, Extraction] | None = None  # only while a database is made: they are large
        self._earlier_problems: tuple[str, ...] = ()

    def refresh(self, relations: Collection[str] = ()) -> None:
        """Walk the tree and bring the index up to date with it; `relations` that will be asked for let one pass measure all.

        Nothing is extracted when all of them speak of files alone. Raises CeError for settings that cannot be used.
        """
        self._want_layers(relations)
        self._refresh(thorough=False)

    def database(self, relations: Collection[str], globs: Collection[str] = ()) -> Database:
        """Return the named relations of the tree; `set` expands the globs. Assembles only what no earlier run has.

        Raises CeError for a glob that is none.
        """
        return self._steadily(lambda: self._database(relations, globs))

    @property
    def counts(self) -> dict[str, int]:
        """Return what the refresh did: files, extracted, reused, removed, skipped."""
        return asdict(self._counts)

    @property
    def problems(self) -> tuple[str, ...]:
        """Return what went wrong with the index, the walk, the manifests and single files, each thing once."""
        snapshot = self._current()
        skipped = (f"{path}: {why.replace('_', ' ')}{f', {detail}' if detail else ''}" for path, why, detail in snapshot.refreshed.skipped)
        found = [*self._earlier_problems, *self._index.problems, *snapshot.tree.problems, *skipped]
        noticed = self._steadily(lambda: self._noticed(self._current()))
        return tuple(dict.fromkeys([*found, *noticed, *snapshot.remarks]))

    @property
    def tree(self) -> Tree:
        """Return the walked tree."""
        return self._current().tree

    @property
    def settings(self) -> Settings:
        """Return the settings of the project."""
        return self._current().settings

    @property
    def digest(self) -> str:
        """Return a text that changes whenever a relation of the index can."""
        return self._current().digest

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return what was remarked on while relations were measured."""
        return self._current().remarks

    def stamp_of(self, relations: Collection[str]) -> str | None:
        """Return a text that changes whenever one of the relations can, or None when one of them is not kept between runs."""
        if self._want_layers(relations):
            self._refresh(thorough=False)
        snapshot = self._current()
        parts: list[object] = [snapshot.digest]
        for source, (provider, _) in sources_of(relations).items():
            if provider is not None:
                stamp = _digest_of_source(snapshot, source, provider, self._context(snapshot, []))
                if stamp is None:
                    return None
                parts.append(stamp)
        return _hash(parts)

    def cached(self, key: str) -> bytes | None:
        """Return the result kept under the key, or None; it may have been written by anybody."""
        return self._index.cached(key)

    def put(self, key: str, value: bytes) -> None:
        """Keep a result under the key."""
        self._index.put(key, value)

    def close(self) -> None:
        """Give up the files of the index."""
        self._index.close()

    def __enter__(self) -> ProjectIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _current(self) -> _Snapshot:
        if self._snapshot is None:
            self.refresh()
        assert self._snapshot is not None
        return self._snapshot

    def _refresh(self, *, thorough: bool) -> None:
        from ce.app.tree_facts import is_reader_extracted
        from ce.facts.loaders.manifests import load_manifests
        from ce.source.settings import check_against_tree, load_settings
        from ce.source.walk import walk

        settings = self._given_settings or load_settings(self.root)
        tree = walk(self.root, settings)
        check_against_tree(settings, tree.paths)
        readers = [reader.file for reader in tree.readers if is_reader_extracted(reader.file.path)]
        everything = replace(tree, files=tuple(sorted([*tree.files, *readers], key=lambda file: file.path))) if readers else tree
        self._sizes = {file.path: file.size for file in everything.files}
        # The first layer is the one that the counts are about; both want the same files.
        first = CORE if CORE in self._layers else TEXT
        layers = {name: layer_spec(name) for name in (first, *sorted(self._layers - {first}))}
        refreshed = self._index.refresh(everything, layers, self._measure, self._read, thorough=thorough)
        self._count(refreshed.counts)
        hidden = [reader.file.path for reader in tree.readers if reader.why == "hidden"]
        manifests = load_manifests(self.root, [*tree.paths, *hidden], [skipped.path for skipped in tree.skipped])
        digest = _digest(tree, settings, refreshed, manifests, first)
        if self._snapshot is None or self._snapshot.digest != digest:
            self._snapshot = _Snapshot(settings, tree, refreshed, manifests, digest, first == TEXT)
        else:
            # More layers are there now, though the tree is the same.
            self._snapshot.refreshed = refreshed

    def _count(self, counts: Counts) -> None:
        """Take the counts of a refresh; of several in one run each shows what was done at least once."""
        extracted = max(self._counts.extracted, counts.extracted)
        removed = max(self._counts.removed, counts.removed)
        self._counts = replace(counts, extracted=extracted, reused=max(0, counts.files - extracted), removed=removed)

    def _measure(self, requests: Sequence[Request]) -> Iterator[Measured]:
        from ce.app.workers import measure_all

        return measure_all(self.root, requests, self._sizes, workers=self._workers, progress=self._progress)

    def _read(self, path: str) -> bytes | SkippedFile:
        return read_file(self.root, path)

    def _steadily(self, action: Callable[[], _T]) -> _T:
        """Return what the action returns, repeating it when the index moved under it."""
        for attempt in range(_ATTEMPTS):
            try:
                with _without_collection():
                    return action()
            except TreeMoved:
                self._catch_up(last=attempt == _ATTEMPTS - 2)
            finally:
                self._extractions = None
        raise AssertionError("an index in memory does not move")

    def _catch_up(self, *, last: bool) -> None:
        """After the index moved: put back what it lost, else refresh; at last go on without the disk."""
        if last:
            self._earlier_problems = (*self._index.problems, "the index kept changing; working in memory")
            self._index.close()
            self._index = Index.in_memory()
            self._snapshot = None
        else:
            with suppress(TreeMoved):
                if self._index.restore(self._measure):
                    return
        self._refresh(thorough=True)

    def _want_layers(self, relations: Collection[str]) -> bool:
        """Note the layers that the relations need and tell whether there are new ones among them."""
        sources = sources_of(relations)
        wanted = {layer for provider, _ in sources.values() if provider is not None for layer in provider.layers}
        if not relations or not speak_of_files_alone(relations, sources):
            wanted.add(CORE)
        if speak_of_bodies(relations):
            wanted.add(BODIES)
        is_more = not wanted <= self._layers
        self._layers |= wanted
        return is_more

    def _database(self, relations: Collection[str], globs: Collection[str]) -> Database:
        if self._want_layers(relations):
            self._refresh(thorough=False)
        sources = sources_of(relations)
        snapshot = self._current()
        for source, (provider, names) in sources.items():
            if provider is None:
                remarks: tuple[str, ...] = (f"nothing measures {', '.join(f'`{name}`' for name in names)} yet; taken as empty",)
            else:
                remarks = self._add(snapshot, source, provider, names)
            snapshot.remarks = tuple(dict.fromkeys([*snapshot.remarks, *remarks]))
        database = self._assembly(snapshot).database(relations, globs)
        self._noticed(snapshot)
        return database

    def _add(self, snapshot: _Snapshot, source: str, provider: Provider, names: Sequence[str]) -> tuple[str, ...]:
        from ce.facts.assemble.providers import Provided

        unread: list[str] = []
        context = self._context(snapshot, unread)

        def provide() -> Provided:
            provided = provider.provide(context, names)
            return Provided(provided.rows, [*provided.problems, *unread]) if unread else provided

        return self._assembly(snapshot).add(source, names, _digest_of_source(snapshot, source, provider, context), provide)

    def _context(self, snapshot: _Snapshot, unread: list[str]) -> ProviderContext:
        """Return what a provider may use; `unread` takes why a layer could not be read of some files."""
        from ce.facts.assemble.providers import ProviderContext

        return ProviderContext(
            self.root,
            snapshot.settings,
            snapshot.tree.paths,
            tuple(reader.file.path for reader in snapshot.tree.readers),
            lambda: self._summary(snapshot).languages,
            lambda layer: self._read_layer(layer, unread),
            self._assembly(snapshot).unit_at,
            self._index.cached,
            self._index.put,
            self._stream_extractions,
            lambda: self._resolution(snapshot),
        )

    def _read_layer(self, layer: str, unread: list[str]) -> Iterator[tuple[str, bytes]]:
        """Yield path and value of the files that the layer could be measured of, and note why it could not be of others."""
        from ce.extract.layers import why_unread

        for path, blob in self._index.stream(layer):
            reason = why_unread(blob)
            if reason is None:
                yield path, blob
            else:
                unread.append(f"{path}: {reason}")

    def _assembly(self, snapshot: _Snapshot) -> Assembly:
        from ce.facts.assemble.database import Assembly

        if snapshot.assembly is None:
            snapshot.assembly = Assembly(snapshot.digest, self._index, self._facts)
        return snapshot.assembly

    def _facts(self) -> TreeFacts:
        from ce.app.tree_facts import plain_facts, tree_facts

        snapshot = self._current()
        if snapshot.is_plain:
            return plain_facts(snapshot.tree)
        return tree_facts(
            snapshot.tree,
            snapshot.settings,
            self._summary(snapshot),
            self._resolution(snapshot),
            snapshot.refreshed.skipped,
            self._stream_extractions,
            self._stream_bodies,
        )

    def _resolution(self, snapshot: _Snapshot) -> Resolution:
        from ce.facts.assemble.codec import decode_resolution, encode_resolution
        from ce.facts.assemble.labels import Malformed

        if snapshot.resolution is None:
            key = f"resolution/{snapshot.digest}"
            with suppress(Malformed):
                snapshot.resolution = decode_resolution(self._index.cached(key) or b"")
        if snapshot.resolution is None:
            from ce.app.tree_facts import inputs_of
            from ce.extract.resolve.tree import resolve

            inputs = inputs_of(snapshot.tree, snapshot.settings, self._summary(snapshot), snapshot.manifests)
            snapshot.resolution = resolve(inputs, self._all_extractions())
            self._index.put(key, encode_resolution(snapshot.resolution))
        return snapshot.resolution

    def _summary(self, snapshot: _Snapshot) -> Summary:
        from ce.app.tree_facts import Summary, summarise

        if snapshot.summary is None:
            key = f"summary/{snapshot.digest}"
            snapshot.summary = Summary.decode(self._index.cached(key) or b"")
            if snapshot.summary is None:
                snapshot.summary = summarise(self._all_extractions())
                self._index.put(key, snapshot.summary.encode())
        return snapshot.summary

    def _noticed(self, snapshot: _Snapshot) -> tuple[str, ...]:
        """Return what reading, or else extraction and resolution, remarked on."""
        from ce.app.tree_facts import decode_texts
        from ce.extract.layers import problems_of

        key = f"remarks/{snapshot.digest}"
        if snapshot.noticed is None:
            snapshot.noticed = decode_texts(self._index.cached(key))
        if snapshot.noticed is None:
            if snapshot.is_plain:
                files = [f"{path}: {text}" for path, blob in self._index.stream(TEXT) for text in problems_of(blob)]
            else:
                files = [f"{path}: {text}" for path, text in self._summary(snapshot).remarks]
                files += self._resolution(snapshot).problems
            snapshot.noticed = tuple(dict.fromkeys(files))
            self._index.put(key, json.dumps(snapshot.noticed).encode())
        return snapshot.noticed

    def _all_extractions(self) -> dict[str, Extraction]:
        if self._extractions is None:
            self._extractions = dict(self._decoded())
        return self._extractions

    def _stream_extractions(self) -> Iterator[tuple[str, Extraction]]:
        """Yield path and extraction in the order of the paths, out of memory when they are there."""
        return self._decoded() if self._extractions is None else iter(self._extractions.items())

    def _stream_bodies(self) -> Iterator[tuple[str, Extraction]]:
        from ce.app.extractions import with_bodies

        return with_bodies(self.root, self._index, self._stream_extractions())

    def _decoded(self) -> Iterator[tuple[str, Extraction]]:
        from ce.app.extractions import decoded

        return decoded(self.root, self._index)


def _digest(tree: Tree, settings: Settings, refreshed: Refreshed, manifests: Mapping[str, bytes], first: str) -> str:
    """Return a digest of all that the relations depend on."""
    return _hash(
        [
            first,
            extraction_revision(),
            facts_revision(),
            settings.digest(),
            refreshed.digests[first],
            [[path, why] for path, why, _ in refreshed.skipped],
            tree.paths,
            [[skipped.path, skipped.why] for skipped in tree.skipped],
            [[reader.file.path, reader.why] for reader in tree.readers],
            [tree.links, tree.absent],
            [[path, blake2b(data, digest_size=16).hexdigest()] for path, data in sorted(manifests.items())],
        ]
    )


def _digest_of_source(snapshot: _Snapshot, source: str, provider: Provider, context: ProviderContext) -> str | None:
    """Return a digest of all that the relations of a source depend on; None when they are not kept between runs."""
    stamp = provider.stamp(context)
    if stamp is None:
        return None
    return _hash([snapshot.digest, source, provider.revision, stamp, *(snapshot.refreshed.digests[layer] for layer in provider.layers)])


def _hash(document: object) -> str:
    return blake2b(json.dumps(document).encode(), digest_size=20).hexdigest()


@contextmanager
def _without_collection() -> Iterator[None]:
    """Keep the cyclic collector from walking millions of new records again and again; there are no cycles among them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
