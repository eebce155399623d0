"""Copied code and copied prose, as `programs/clones/` and `programs/docdup/` judge them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from ce.app.copy_thresholds import copy_thresholds, least_nodes
from ce.app.evaluation import Evaluation, Options, evaluate
from ce.app.project import Project
from ce.app.report import Degraded
from ce.diagnostics import CeError
from ce.verdicts.family import RulesFile, program_text

if TYPE_CHECKING:
    from ce.datalog.proof import ProofNode

__all__ = [
    "CloneReport",
    "CodeBlock",
    "CodeGroup",
    "DedupReport",
    "DocdupReport",
    "NearPair",
    "Place",
    "ProsePair",
    "excerpt",
    "find_copied_code",
    "find_copied_prose",
    "find_near_misses",
    "unit_of",
]

_SHORTEST = 25


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Lines of a file, 1-based and inclusive; `kind` is the kind of prose, empty for code."""

    path: str
    start: int
    end: int
    kind: str = ""


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Two places with the same tokens. `kind` is `T1` (equal to the letter) or `T2` (names or constants differ)."""

    a: Place
    b: Place
    tokens: int
    distinct: int
    kind: str
    proof: ProofNode | None = None


@dataclass(frozen=True, slots=True)
class CodeGroup:
    """All places of one text."""

    members: tuple[Place, ...]
    blocks: int
    tokens: int


@dataclass(frozen=True, slots=True)
class DedupReport:
    """The reply to `ce dedup`. `over_budget` is (blocks, budget) when the budget does not hold, `budget` None when none is declared."""

    root: str
    blocks: tuple[CodeBlock, ...]
    groups: tuple[CodeGroup, ...]
    summary: Mapping[str, int]
    index: Mapping[str, int]
    budget: int | None
    over_budget: tuple[int, int] | None
    degraded: Degraded | None
    notes: tuple[str, ...]
    empty: bool


@dataclass(frozen=True, slots=True)
class ProsePair:
    """Two segments that say the same: shared and all shingles, words of the longest common run, per cent of the smaller in the larger."""

    a: Place
    b: Place
    inter: int
    union: int
    verbatim: int
    words: tuple[int, int]
    contained: int
    proof: ProofNode | None = None


@dataclass(frozen=True, slots=True)
class NearPair:
    """Two functions that are nearly the same: places, keys, distance of their trees, numbers of nodes."""

    a: Place
    a_key: str
    b: Place
    b_key: str
    ted: int
    n1: int
    n2: int
    proof: ProofNode | None = None


@dataclass(frozen=True, slots=True)
class CloneReport:
    """The reply to `ce clone`."""

    root: str
    pairs: tuple[NearPair, ...]
    counts: Mapping[str, int]
    index: Mapping[str, int]
    degraded: Degraded | None
    notes: tuple[str, ...]
    empty: bool


@dataclass(frozen=True, slots=True)
class DocdupReport:
    """The reply to `ce docdup`."""

    root: str
    pairs: tuple[ProsePair, ...]
    families: tuple[tuple[Place, ...], ...]
    counts: Mapping[str, int]
    index: Mapping[str, int]
    degraded: Degraded | None
    notes: tuple[str, ...]
    empty: bool


def find_copied_code(
    project: Project,
    *,
    min_tokens: int | None = None,
    min_distinct: int | None = None,
    tighten_only: bool = False,
    why: bool = False,
    options: Options,
) -> DedupReport:
    """Return every reported block and the groups of copies.

    Raises CeError (CE631) when a knob is below what is measured, or looser than the default although it may only tighten.
    """
    from ce.source.settings import load_settings

    _check_knobs(min_tokens, min_distinct, tighten_only)
    budget = load_settings(project.root).dedup.budget
    asked = {"asked_tokens": min_tokens, "asked_distinct": min_distinct, "budget": budget}
    facts = "".join(f"{name}({number}).\n" for name, number in asked.items() if number is not None)
    questions = "?- reported(B), block(B, F, S, E, G, T, U, N, D, _, K).\n?- boilerplate(B, Why).\n?- over_budget(N, M).\n" + facts
    evaluation = evaluate(
        project, (RulesFile(*program_text("clones/clones.dl"), None), RulesFile("dedup", questions, None)), options=options
    )
    empty = evaluation.index.get("files", 0) == 0
    if evaluation.degraded is not None:
        return DedupReport(project.shown, (), (), {}, evaluation.index, budget, None, evaluation.degraded, evaluation.problems, empty)
    found, boilerplate, over = (goal.predicate for goal in evaluation.goals)
    rows = evaluation.solution.values(found)
    blocks = tuple(_code_block(evaluation, found, row, why) for row in sorted(rows, key=itemgetter(1, 2, 3, 4, 5, 6)))
    left_out = [str(reason) for _, reason in evaluation.solution.values(boilerplate)]
    groups = _groups(blocks)
    least = copy_thresholds()
    summary = {
        "files": evaluation.index.get("files", 0),
        "blocks": len(blocks),
        "groups": len(groups),
        "t1": sum(block.kind == "T1" for block in blocks),
        "t2": sum(block.kind == "T2" for block in blocks),
        "low_diversity_suppressed": left_out.count("table"),
        "imports_suppressed": left_out.count("imports"),
        "min_tokens": min_tokens or least.tokens,
        "min_distinct": least.distinct if min_distinct is None else min_distinct,
    }
    passed = [(int(n), int(m)) for n, m in evaluation.solution.values(over)]
    return DedupReport(
        project.shown, blocks, groups, summary, evaluation.index, budget, passed[0] if passed else None, None, evaluation.problems, empty
    )


def find_copied_prose(project: Project, *, why: bool = False, options: Options) -> DocdupReport:
    """Return every pair of duplicate segments and the families they form."""
    questions = (
        "?- duplicate(A, B, _), doc_pair(A, B, I, U, V, C), doc_segment(A, F, S, E, K, _, M), doc_segment(B, G, T, X, L, _, N).\n"
        "?- exempt(S, Why).\n?- N = count(S : doc_segment(S, _, _, _, _, _, _)).\n"
    )
    evaluation = evaluate(
        project, (RulesFile(*program_text("docdup/docdup.dl"), None), RulesFile("docdup", questions, None)), options=options
    )
    empty = evaluation.index.get("files", 0) == 0
    if evaluation.degraded is not None:
        return DocdupReport(project.shown, (), (), {}, evaluation.index, evaluation.degraded, evaluation.problems, empty)
    found, exempt, segments = (goal.predicate for goal in evaluation.goals)
    pairs = tuple(
        sorted((_prose_pair(evaluation, found, row, why) for row in evaluation.solution.values(found)), key=lambda pair: (pair.a, pair.b))
    )
    spared = [str(status) for _, status in evaluation.solution.values(exempt)]
    counts = {
        "segments": int(evaluation.solution.values(segments)[0][0]),
        "dups": len(pairs),
        "jaccard_dups": sum(pair.inter * 100 >= 80 * pair.union for pair in pairs),
        "exempt_license": spared.count("license_header"),
        "exempt_allow": spared.count("inline_allow"),
    }
    families = _families(pairs)
    return DocdupReport(
        project.shown, pairs, families, counts | {"families": len(families)}, evaluation.index, None, evaluation.problems, empty
    )


def find_near_misses(
    project: Project, *, min_nodes: int | None = None, tighten_only: bool = False, why: bool = False, options: Options
) -> CloneReport:
    """Return every pair of functions that are nearly the same and have, the larger one, at least `min_nodes` nodes.

    Raises CeError (CE631) when the knob is below what is measured, or looser than the default although it may only tighten.
    """
    least = least_nodes()
    if min_nodes is not None and min_nodes < least:
        raise CeError.of("CE631", f"`--min-nodes {min_nodes}`: functions below {least} nodes are not measured")
    if tighten_only and min_nodes is not None and min_nodes > least:
        raise CeError.of("CE631", f"`--min-nodes {min_nodes}`: under `--check` the knob may only tighten, {least} is the loosest")
    questions = "?- near(U, V), tree_pair(U, V, D, N, M).\n?- N = count(U : unit_kind(U, fn)).\n"
    questions += "" if min_nodes is None else f"asked_nodes({min_nodes}).\n"
    program = RulesFile(*program_text("clones/near.dl"), None)
    evaluation = evaluate(project, (program, RulesFile("clone", questions, None)), options=options)
    empty = evaluation.index.get("files", 0) == 0
    if evaluation.degraded is not None:
        return CloneReport(project.shown, (), {}, evaluation.index, evaluation.degraded, evaluation.problems, empty)
    found, functions = (goal.predicate for goal in evaluation.goals)
    pairs = tuple(_near_pair(evaluation, found, row, why) for row in evaluation.solution.values(found))
    counts = {
        "functions": int(evaluation.solution.values(functions)[0][0]),
        "clones": len(pairs),
        "identical": sum(pair.ted == 0 for pair in pairs),
    }
    return CloneReport(project.shown, pairs, counts, evaluation.index, None, evaluation.problems, empty)


def excerpt(project: Project, place: Place, most: int = 12) -> list[str]:
    """Return the first lines of a place as they are on disk now, nothing when they cannot be read."""
    from ce.source.text import decode, read_file

    data = read_file(project.root, place.path)
    if not isinstance(data, bytes):
        return []
    return decode(data).text_bytes.decode("utf-8", "replace").split("\n")[place.start - 1 : min(place.end, place.start + most - 1)]


def unit_of(label: str) -> tuple[Place, str]:
    """Return place and key of a unit's label, `path:start-end key`; a path may hold anything, so it is read from the end."""
    found = _UNIT.fullmatch(label)
    assert found is not None, label
    return Place(found[1], int(found[2]), int(found[3])), found[4]


def _check_knobs(min_tokens: int | None, min_distinct: int | None, tighten_only: bool) -> None:
    faults = []
    if min_tokens is not None and min_tokens < _SHORTEST:
        faults.append(f"`--min-tokens {min_tokens}`: runs below {_SHORTEST} tokens are not measured")
    if tighten_only:
        # A gate that anybody may widen at the command line is none; 0 would switch the floor off.
        least = copy_thresholds()
        if min_tokens is not None and min_tokens > least.tokens:
            faults.append(f"`--min-tokens {min_tokens}`: under `--check` the knob may only tighten, {least.tokens} is the loosest")
        if min_distinct is not None and (min_distinct > least.distinct or min_distinct == 0):
            faults.append(f"`--min-distinct {min_distinct}`: under `--check` the knob may only tighten, {least.distinct} is the loosest")
    if faults:
        raise CeError.of("CE631", "; ".join(faults))


def _code_block(evaluation: Evaluation, goal: str, row: tuple[int | str, ...], why: bool) -> CodeBlock:
    _, f, start, end, g, first, last, tokens, distinct, kind = row
    proof = evaluation.solution.explain(goal, row) if why else None
    a, b = Place(str(f), int(start), int(end)), Place(str(g), int(first), int(last))
    return CodeBlock(a, b, int(tokens), int(distinct), str(kind).upper(), proof)


def _near_pair(evaluation: Evaluation, goal: str, row: tuple[int | str, ...], why: bool) -> NearPair:
    u, v, ted, n1, n2 = row
    proof = evaluation.solution.explain(goal, row) if why else None
    return NearPair(*unit_of(str(u)), *unit_of(str(v)), int(ted), int(n1), int(n2), proof)


_UNIT = re.compile(r"(.*):(\d+)-(\d+) (.*)", re.DOTALL)


def _prose_pair(evaluation: Evaluation, goal: str, row: tuple[int | str, ...], why: bool) -> ProsePair:
    _, _, inter, union, verbatim, contained, f, start, end, kind, words_a, g, first, last, other, words_b = row
    a = Place(str(f), int(start), int(end), str(kind))
    b = Place(str(g), int(first), int(last), str(other))
    proof = evaluation.solution.explain(goal, row) if why else None
    return ProsePair(a, b, int(inter), int(union), int(verbatim), (int(words_a), int(words_b)), int(contained), proof)


def _groups(blocks: Sequence[CodeBlock]) -> tuple[CodeGroup, ...]:
    import numpy as np

    from ce.extract.measures.blocks import Places, groups_of

    paths = sorted({place.path for block in blocks for place in (block.a, block.b)})
    number = {path: index for index, path in enumerate(paths)}

    def columns(places: list[Place]) -> Places:
        rows = [(number[place.path], place.start, place.end) for place in places]
        files, starts, ends = np.array(rows, np.int64).reshape(-1, 3).T
        return files, starts, ends

    tokens = np.array([block.tokens for block in blocks], np.int64)
    found = groups_of(columns([block.a for block in blocks]), columns([block.b for block in blocks]), tokens)
    return tuple(
        CodeGroup(tuple(Place(paths[file], start, end) for file, start, end in group.members), group.blocks, group.tokens)
        for group in found
    )


def _families(pairs: Sequence[ProsePair]) -> tuple[tuple[Place, ...], ...]:
    from ce.extract.measures.docpairs import DocPair, families

    places = sorted({place for pair in pairs for place in (pair.a, pair.b)})
    number = {place: index for index, place in enumerate(places)}
    joined = families(DocPair(number[pair.a], number[pair.b], 0, 0, 0, 0, 0, 0) for pair in pairs)
    return tuple(tuple(places[index] for index in members) for members in joined)
