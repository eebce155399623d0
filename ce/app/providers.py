"""The relations that are measured apart, as far as the parts of this package that measure them exist."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ce.app.copy_thresholds import copy_thresholds
from ce.facts.assemble.providers import PROVIDERS, Provided, Provider, ProviderContext, register

if TYPE_CHECKING:
    from ce.extract.measures.clone_facts import Clones
    from ce.extract.measures.near_misses import NearMiss
    from ce.extract.measures.unit_trees import UnitTree
    from ce.facts.assemble.table import ColumnRows, Row

__all__ = ["known_provider"]


def known_provider(name: str) -> Provider | None:
    """Return the provider of that name, or None when nothing in this package measures its relations."""
    if not PROVIDERS:
        register("history", Provider(_history, "1", stamp=_history_stamp))
        register("owners", Provider(_owners, "1", stamp=_owners_stamp))
        register("mentions", Provider(_mentions, "2", layers=("mentions",), stamp=_readers_stamp))
        register("clones", Provider(_clones, "1", layers=("tokens",), stamp=_thresholds_stamp, is_plain=True))
        register("unit_clones", Provider(_unit_clones, "2", layers=("tokens", "trees", "core"), stamp=_thresholds_stamp))
        register("trees", Provider(_trees, "2", layers=("trees", "core")))
        register("docdup", Provider(_docdup, "1", layers=("prose",), is_plain=True))
        register("flow", Provider(_flow, "1", layers=("flow",)))
        register("symbols", Provider(_symbols, "1", layers=("names", "data_texts", "core")))
    return PROVIDERS.get(name)


def _history(context: ProviderContext, names: Collection[str]) -> Provided:
    from ce.facts.loaders.history import history

    found = history(context.root, context.files, context.settings.history)
    rows: dict[str, list[Row]] = {
        "churn": [(*row, row[0], 0) for row in found.churn],
        "cochange": [(*row, row[0], 0) for row in found.cochange],
        "age_days": [(*row, row[0], 0) for row in found.age_days],
    }
    return Provided({name: rows.get(name, []) for name in names}, found.problems)


def _history_stamp(context: ProviderContext) -> str:
    from ce.facts.loaders.history import history_stamp

    return history_stamp(context.root, context.settings.history)


def _owners(context: ProviderContext, names: Collection[str]) -> Provided:
    from ce.facts.loaders.owners import owners

    found = owners(context.root, context.files)
    return Provided({"owner": [(path, owner, found.source, line) for path, owner, line in found.rows]}, found.problems)


def _owners_stamp(context: ProviderContext) -> str:
    """Return the identity of every file that can hold the owners; they are hidden and not part of the tree."""
    from ce.facts.loaders.owners import PLACES

    return _identities(context.root, PLACES)


def _readers_stamp(context: ProviderContext) -> str:
    """Return the identity of the files that are only read: their contents are in no layer."""
    return _identities(context.root, context.readers)


def _identities(root: Path, paths: Iterable[str]) -> str:
    stamps = []
    for path in paths:
        try:
            status = os.lstat(root / path)
        except OSError:
            continue
        stamps.append(f"{path} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}")
    return "\n".join(stamps)


def _mentions(context: ProviderContext, names: Collection[str]) -> Provided:
    from ce.extract.measures.mentions import decode_mentions

    problems: list[str] = []

    def rows() -> Iterator[Row]:
        for path, blob in context.layer("mentions"):
            try:
                spelled, is_cut = decode_mentions(blob)
            except ValueError:  # a sealed row that no measurement wrote
                problems.append(f"{path}: the index holds no table of its names")
                continue
            if is_cut:
                problems.append(f"{path}: it spells more names than are kept; `mention` knows the first {len(spelled)}")
            yield from ((name, path, path, 0) for name in spelled)

    found: dict[str, Iterable[Row]] = {}
    if "mention" in names:
        found["mention"] = rows()
    if "mentions_path" in names:
        from ce.app.spellings import spellings

        files = sorted({*context.files, *context.readers})
        limit = context.settings.limits.max_file_bytes
        found["mentions_path"] = [(f, g, line, f, line) for f, g, line in spellings(context.root, context.files, files, limit)]
    return Provided(found, problems)


def _clones(context: ProviderContext, names: Collection[str]) -> Provided:
    import numpy as np

    from ce.facts.assemble.table import Coded, ColumnRows

    clones = _measured_clones(context)
    blocks = clones.blocks
    numbers = np.arange(1, len(blocks) + 1)
    rows: dict[str, ColumnRows] = {}
    if "block" in names:
        a, b, kinds = Coded(blocks.a, clones.paths), Coded(blocks.b, clones.paths), Coded(blocks.exact.astype(np.int64), ("t2", "t1"))
        sides = (numbers, a, blocks.a_start, blocks.a_end, b, blocks.b_start, blocks.b_end)
        rows["block"] = ColumnRows((*sides, blocks.tokens, blocks.distinct, blocks.code, kinds), a, blocks.a_start)
    if "clone_group" in names:
        told = blocks.take(clones.telling)
        groups = np.array(clones.groups(), np.int64)
        rows["clone_group"] = ColumnRows((numbers[clones.telling], groups), Coded(told.a, clones.paths), told.a_start)
    if "dup" in names:
        told = blocks.take(clones.telling & (blocks.tokens >= copy_thresholds().tokens))
        a, b = Coded(told.a, clones.paths), Coded(told.b, clones.paths)
        rows["dup"] = ColumnRows((a, b, told.tokens), a, told.a_start)
    return Provided(rows)


def _measured_clones(context: ProviderContext) -> Clones:
    """Return the blocks; which of them tell something is what `programs/clones/clones.dl` reports by default."""
    from ce.extract.measures.clone_facts import measure_clones

    least = copy_thresholds()
    return measure_clones(context.layer("tokens"), distinct=least.distinct, code=least.code)


def _thresholds_stamp(_context: ProviderContext) -> str:
    return repr(copy_thresholds())


def _unit_clones(context: ProviderContext, names: Collection[str]) -> Provided:
    clones = _measured_clones(context)
    problems: list[str] = []
    near = [(u, v, "t3", path, start) for u, v, _, path, start in _tree_pairs(context, problems)]
    return Provided({"clone": [*_copied_units(context, clones), *near]}, problems)


def _copied_units(context: ProviderContext, clones: Clones) -> Iterator[Row]:
    from ce.extract.codec import decode_extraction
    from ce.extract.measures.clone_facts import unit_pairs

    wanted = {clones.paths[number] for side in (clones.blocks.a, clones.blocks.b) for number in side.tolist()}
    units = {
        path: [(unit.start, unit.end) for unit in decode_extraction(blob).units] for path, blob in context.layer("core") if path in wanted
    }
    for block, a, one, b, two in unit_pairs(clones, units):
        left, right = context.unit(a, one), context.unit(b, two)
        if block.tokens >= copy_thresholds().tokens and left is not None and right is not None and left != right:
            yield (*sorted((left, right)), "t1t2", a, block.a_start)


def _docdup(context: ProviderContext, names: Collection[str]) -> Provided:
    from ce.extract.measures.clone_facts import measure_prose

    prose = measure_prose(context.layer("prose"))
    place = {number: (path, segment.start) for number, (path, segment) in enumerate(prose.segments)}
    rows: dict[str, list[Row]] = {
        "doc_segment": [
            (number, path, s.start, s.end, s.kind, s.status, len(s.words), path, s.start) for number, (path, s) in enumerate(prose.segments)
        ],
        "doc_pair": [(p.a, p.b, p.inter, p.union, p.verbatim, p.contained, *place[p.a]) for p in prose.pairs],
        "docdup": [(*sorted((place[p.a][0], place[p.b][0])), *place[p.a]) for p in prose.pairs],
    }
    return Provided({name: rows[name] for name in names})


def _flow(context: ProviderContext, names: Collection[str]) -> Provided:
    from ce.extract.flow.measure import decode_flow

    problems: list[str] = []
    rows: dict[str, list[Row]] = {"unreachable": [], "unreachable_keeps": [], "unread_value": []}
    for path, blob in context.layer("flow"):
        try:
            flow = decode_flow(blob)
        except ValueError:  # a sealed row that no measurement wrote
            problems.append(f"{path}: the index holds nothing about its control flow")
            continue
        problems += [f"{path}: {problem}" for problem in flow.problems]
        for one in flow.stretches:
            rows["unreachable"].append((path, one.start, one.end, one.why, path, one.at))
            if one.keeps:
                rows["unreachable_keeps"].append((path, one.start, one.keeps, path, one.start))
        rows["unread_value"] += [(path, one.line, one.name, one.why, path, one.line) for one in flow.stores]
    return Provided({name: rows[name] for name in names}, problems)


def _symbols(context: ProviderContext, names: Collection[str]) -> Provided:
    from ce.app.symbols import symbols

    return symbols(context, names)


# The distances of pairs of trees are kept from run to run, whatever else of the tree changes.
_MEMO_KEY = "tree distances 1"


def _trees(context: ProviderContext, names: Collection[str]) -> Provided:
    problems: list[str] = []
    rows = [(u, v, p.ted, p.n1, p.n2, path, start) for u, v, p, path, start in _tree_pairs(context, problems)]
    return Provided({"tree_pair": rows}, problems)


def _tree_pairs(context: ProviderContext, problems: list[str]) -> Iterator[tuple[int, int, NearMiss, str, int]]:
    """Yield pairs of units with the lower id first, and where the first one stands; functions of two languages are no pair,
    nor are a function and one inside of it. `problems` gets how many were not compared.
    """
    from ce.extract.measures.near_misses import Memo, near_misses, shapes_of

    memo = Memo(context.cached(_MEMO_KEY) or b"")
    for language, placed in _shaped_units(context).items():
        shapes = shapes_of((tree.labels, tree.leftmost) for *_, tree in placed)
        sweep = near_misses(shapes, memo.distance, apart=_are_apart(placed))
        if sweep.left_out:
            problems.append(f"{sweep.left_out:,} pairs of functions in {language} were not compared: there are too many that look alike")
        for pair in sweep.pairs:
            (u, path, one), (v, other, two) = placed[pair.a], placed[pair.b]
            yield (u, v, pair, path, one.start) if u < v else (v, u, replace(pair, n1=pair.n2, n2=pair.n1), other, two.start)
    context.put(_MEMO_KEY, memo.to_bytes())


def _are_apart(placed: Sequence[tuple[int, str, UnitTree]]) -> Callable[[int, int], bool]:
    """Return what tells whether two units, by number, are two and none stands inside the other."""

    def apart(a: int, b: int) -> bool:
        (u, path, one), (v, other, two) = placed[a], placed[b]
        return u != v and (path != other or not _is_nested(one, two))

    return apart


def _is_nested(one: UnitTree, two: UnitTree) -> bool:
    """Tell whether one of two functions of a file stands inside the other, by lines: what shares a single line stands side by side."""
    outer, inner = (one, two) if one.end - one.start >= two.end - two.start else (two, one)
    return outer.start <= inner.start and inner.end <= outer.end and outer.start < outer.end


def _shaped_units(context: ProviderContext) -> dict[str, list[tuple[int, str, UnitTree]]]:
    """Return the units that have a tree, as (id, path, tree) by language."""
    from ce.extract.codec import decode_extraction
    from ce.extract.measures.unit_trees import decode_trees

    trees = {path: decode_trees(blob) for path, blob in context.layer("trees")}
    languages = context.languages()
    found: dict[str, list[tuple[int, str, UnitTree]]] = {}
    for path, blob in context.layer("core"):
        if not trees.get(path):
            continue
        places: dict[tuple[int, int], list[int]] = {}
        for position, unit in enumerate(decode_extraction(blob).units):
            if unit.kind == "fn":
                places.setdefault((unit.start, unit.end), []).append(position)
        for tree in trees[path]:
            # Functions that share their lines are told apart by their order.
            positions = places.get((tree.start, tree.end), [])
            number = context.unit(path, positions.pop(0)) if positions and tree.labels else None
            if number is not None:
                found.setdefault(languages.get(path, ""), []).append((number, path, tree))
    return {language: sorted(units, key=lambda unit: unit[0]) for language, units in sorted(found.items())}
