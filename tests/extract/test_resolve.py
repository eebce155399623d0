"""Resolution over small trees: every rung, refusal and role has one, compared whole; and what holds for any tree."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from ce.extract.codec import decode_extraction
from ce.extract.extractor import extract
from ce.extract.resolve import resolve
from ce.facts.loaders.manifests import load_manifests
from ce.facts.records import Extraction, Outcome, Resolution, TreeInputs
from ce.source.settings import load_settings
from ce.source.walk import walk

CASES = sorted((Path(__file__).parents[2] / "fixtures" / "extract" / "resolve").iterdir())
T = TypeVar("T")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_tree_resolves_as_written_down(case: Path, request: pytest.FixtureRequest) -> None:
    inputs, extractions = read(case / "tree")
    told = "\n".join(told_of(resolve(inputs, extractions), extractions)) + "\n"
    if request.config.getoption("--rewrite-goldens"):
        (case / "expected.txt").write_text(told, encoding="utf-8")
    assert told == (case / "expected.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_site_has_an_outcome_and_every_target_exists(case: Path) -> None:
    inputs, extractions = read(case / "tree")
    resolution = resolve(inputs, extractions)
    ended = {(outcome.path, outcome.site) for outcome in resolution.outcomes}
    assert ended == {(path, index) for path, extraction in extractions.items() for index in range(len(extraction.sites))}
    assert len({(outcome.path, outcome.site, outcome.status) for outcome in resolution.outcomes}) == len(ended)
    for outcome in resolution.outcomes:
        assert (outcome.status == "resolved") == bool(outcome.target)
        assert (outcome.status == "unresolved") == bool(outcome.reason)
        assert outcome.reason.startswith("ambiguous") == bool(outcome.candidates)
    known = {*inputs.files, *inputs.skipped, *inputs.manifests}
    targets = [edge.target.partition("#")[0] for edge in resolution.edges] + [target for _, _, target, _ in resolution.could_name]
    assert [target for target in targets if target not in known and not is_directory(target, known)] == []
    assert {role.path for role in resolution.roles} | {entry.path for entry in resolution.entry_points} <= set(inputs.files)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_order_of_files_does_not_matter(case: Path) -> None:
    inputs, extractions = read(case / "tree")
    first = resolve(inputs, extractions)
    for seed in range(3):
        moved = replace(inputs, files=dict(mixed(inputs.files.items(), seed)), manifests=dict(mixed(inputs.manifests.items(), seed)))
        assert resolve(moved, dict(mixed(extractions.items(), seed))) == first


def read(root: Path) -> tuple[TreeInputs, dict[str, Extraction]]:
    """Return a tree on disk as resolution takes it."""
    settings = load_settings(root)
    tree = walk(root, settings)
    extractions = {}
    for path in tree.paths:
        blobs = extract(path, (root / path).read_bytes(), ("core",))
        if "core" in blobs:
            extractions[path] = decode_extraction(blobs["core"])
    inputs = TreeInputs(
        files={path: extractions[path].lang if path in extractions else "" for path in tree.paths},
        skipped=frozenset(skipped.path for skipped in tree.skipped),
        manifests=load_manifests(root, tree.paths, [skipped.path for skipped in tree.skipped]),
        entry_globs=settings.graph.entry_globs,
        search_roots=dict(settings.graph.search_roots),
        project_kind=settings.project.kind,
    )
    return inputs, extractions


def told_of(resolution: Resolution, extractions: dict[str, Extraction]) -> Iterator[str]:
    """Yield a resolution as lines: sites with their outcomes, arcs that no site opens, doubts, roles, entries, the kind."""
    ended: dict[tuple[str, int], list[Outcome]] = {}
    for outcome in resolution.outcomes:
        ended.setdefault((outcome.path, outcome.site), []).append(outcome)
    for (path, index), outcomes in ended.items():
        site = extractions[path].sites[index]
        names = f" ({', '.join(name if name == local else f'{name} as {local}' for name, local in site.names)})" if site.names else ""
        yield f"{path}:{site.line} {site.kind} {site.spec}{names}" + (f" [{site.mode}]" if site.mode != "runtime" else "")
        yield from (f"    {told_outcome(outcome)}" for outcome in outcomes)
    written = {
        (
            outcome.path,
            f"{outcome.target}#{outcome.unit}" if outcome.unit else outcome.target,
            extractions[outcome.path].sites[outcome.site].line,
        )
        for outcome in resolution.outcomes
    }
    for edge in resolution.edges:
        if (edge.source, edge.target, edge.line) not in written:
            yield f"{edge.source}:{edge.line} -> {edge.target} ({edge.kind}, rung {edge.rung}, {edge.mode})"
    arcs = {(edge.source, edge.target, edge.line) for edge in resolution.edges}
    yield from (
        f"{path}:{line} gives no arc to {target}" for path, target, line in sorted(written) if target and (path, target, line) not in arcs
    )
    yield from (f"{path}:{line} could name {target} ({how})" for path, line, target, how in resolution.could_name)
    yield from (f"{path}:{line} could name any {language} file ({why})" for path, line, language, why in resolution.could_name_any)
    for role in resolution.roles:
        if role.role != "asset":
            yield f"{role.path} is {role.role}: {role.why}" + (f" ({role.at})" if role.at else "")
    yield from (
        f"{entry.source} starts {entry.path}" + (f" at {entry.symbol}" if entry.symbol else "") for entry in resolution.entry_points
    )
    yield from (f"{directory or '.'} needs {name}" for directory, name in resolution.manifest_deps)
    yield from (f"problem: {problem}" for problem in resolution.problems)
    yield f"{resolution.project_kind[0]}: {resolution.project_kind[1]}"


def told_outcome(outcome: Outcome) -> str:
    """Return an outcome as text."""
    if outcome.status == "unresolved":
        return f"unresolved: {outcome.reason}" + "".join(f" {candidate}" for candidate in outcome.candidates)
    if outcome.status == "external":
        return f"external, rung {outcome.rung}"
    target = f"{outcome.target}#{outcome.unit}" if outcome.unit else outcome.target
    extra = [
        word for word, given in (("re-exported", outcome.via_reexport), ("inert", outcome.inert), (outcome.mode, outcome.mode)) if given
    ]
    return f"{target}, {outcome.granularity}, rung {outcome.rung}" + "".join(f", {word}" for word in extra)


def is_directory(target: str, known: Iterable[str]) -> bool:
    """Return whether the target is a directory that holds something known."""
    return target.endswith("/") and any(path.startswith(target.lstrip("/")) for path in known)


def mixed(items: Iterable[T], seed: int) -> list[T]:
    """Return the items in an order that the seed decides."""
    listed = list(items)
    random.Random(seed).shuffle(listed)
    return listed
