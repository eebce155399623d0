"""Copied code and copied prose, as `programs/clones/` and `programs/docdup/` judge them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ce.app.copy_reports import CloneReport, CodeBlock, CodeGroup, DedupReport, DocdupReport, NearPair, Place, ProsePair
from ce.app.copy_thresholds import copy_thresholds, least_nodes
from ce.app.evaluation import Evaluation, Options, evaluate
from ce.app.kept import Kept, kept_answer
from ce.app.project import Project
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
_BLOCK = (int,) * 8 + (str,)
_PAIR = (int,) * 6 + (str, int, int, str, int) * 2
_UNIT = re.compile(r"(.*):(\d+)-(\d+) (.*)", re.DOTALL)


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
    rules = (RulesFile(*program_text("clones/clones.dl"), None), RulesFile("dedup", questions, None))
    answer, proofs = _answer(project, rules, _code_document, _checked_code, why, options)
    empty = answer.index.get("files", 0) == 0
    if answer.degraded is not None:
        return DedupReport(project.shown, (), (), {}, answer.index, budget, None, answer.degraded, answer.problems, empty)
    paths, rows, families, left_out, passed = answer.document
    blocks = tuple(
        CodeBlock(Place(paths[f], start, end), Place(paths[g], first, last), tokens, distinct, kind.upper(), proof)
        for (f, start, end, g, first, last, tokens, distinct, kind), proof in zip(rows, proofs, strict=False)
    )
    groups = tuple(
        CodeGroup(tuple(Place(paths[f], start, end) for f, start, end in members), count, tokens) for members, count, tokens in families
    )
    least = copy_thresholds()
    exact = sum(block.kind == "T1" for block in blocks)
    summary = {
        "files": answer.index.get("files", 0),
        "blocks": len(blocks),
        "groups": len(groups),
        "t1": exact,
        "t2": len(blocks) - exact,
        "low_diversity_suppressed": left_out["table"],
        "imports_suppressed": left_out["imports"],
        "min_tokens": min_tokens or least.tokens,
        "min_distinct": least.distinct if min_distinct is None else min_distinct,
    }
    over = (passed[0][0], passed[0][1]) if passed else None
    return DedupReport(project.shown, blocks, groups, summary, answer.index, budget, over, None, answer.problems, empty)


def find_copied_prose(project: Project, *, why: bool = False, options: Options) -> DocdupReport:
    """Return every pair of duplicate segments and the families they form."""
    questions = (
        "?- duplicate(A, B, _), doc_pair(A, B, I, U, V, C), doc_segment(A, F, S, E, K, _, M), doc_segment(B, G, T, X, L, _, N).\n"
        "?- exempt(S, Why).\n?- N = count(S : doc_segment(S, _, _, _, _, _, _)).\n"
    )
    rules = (RulesFile(*program_text("docdup/docdup.dl"), None), RulesFile("docdup", questions, None))
    answer, proofs = _answer(project, rules, _prose_document, _checked_prose, why, options)
    empty = answer.index.get("files", 0) == 0
    if answer.degraded is not None:
        return DocdupReport(project.shown, (), (), {}, answer.index, answer.degraded, answer.problems, empty)
    rows, spared, segments = answer.document
    found = [_prose_pair(row, proof) for row, proof in zip(rows, proofs, strict=False)]
    pairs = tuple(sorted(found, key=lambda pair: (pair.a, pair.b)))
    counts = {
        "segments": segments,
        "dups": len(pairs),
        "jaccard_dups": sum(pair.inter * 100 >= 80 * pair.union for pair in pairs),
        "exempt_license": spared["license_header"],
        "exempt_allow": spared["inline_allow"],
    }
    families = _families(pairs)
    return DocdupReport(project.shown, pairs, families, counts | {"families": len(families)}, answer.index, None, answer.problems, empty)


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
    rules = (RulesFile(*program_text("clones/near.dl"), None), RulesFile("clone", questions, None))
    answer, proofs = _answer(project, rules, _near_document, _checked_near, why, options)
    empty = answer.index.get("files", 0) == 0
    if answer.degraded is not None:
        return CloneReport(project.shown, (), {}, answer.index, answer.degraded, answer.problems, empty)
    rows, functions = answer.document
    pairs = tuple(NearPair(*unit_of(u), *unit_of(v), ted, n1, n2, proof) for (u, v, ted, n1, n2), proof in zip(rows, proofs, strict=False))
    counts = {"functions": functions, "clones": len(pairs), "identical": sum(pair.ted == 0 for pair in pairs)}
    return CloneReport(project.shown, pairs, counts, answer.index, None, answer.problems, empty)


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


def _answer(
    project: Project,
    rules: Sequence[RulesFile],
    make: Callable[[Evaluation], object],
    check: Callable[[Any], object],
    why: bool,
    options: Options,
) -> tuple[Kept, Iterable[ProofNode | None]]:
    """Return what `make` makes of the rules, and when asked the proofs of the rows of the first goal, in their order."""
    if not why:
        return kept_answer(project, rules, make, read=check, options=options), repeat(None)
    evaluation = evaluate(project, rules, options=options)
    if evaluation.degraded is not None:
        return Kept(None, evaluation.index, evaluation.problems, evaluation.degraded), ()
    goal = evaluation.goals[0].predicate
    proofs = [evaluation.solution.explain(goal, row) for row in _in_order(evaluation)]
    return Kept(make(evaluation), evaluation.index, evaluation.problems, None), proofs


def _in_order(evaluation: Evaluation) -> list[tuple[Any, ...]]:
    """Return the rows of the first goal; blocks, which have a number in front, by their places."""
    rows = evaluation.solution.values(evaluation.goals[0].predicate)
    return sorted(rows, key=itemgetter(slice(1, 7))) if rows and isinstance(rows[0][0], int) else rows


def _checked_code(document: Any) -> object:
    """Return a document of code that `_code_document` made. Raises ValueError, TypeError or LookupError for anything else."""
    paths, rows, families, left_out, passed = document
    members = [member for own, *numbers in families if _are((int, int), numbers) for member in own]
    fits = _are((str,) * len(paths), paths) and _all_are(_BLOCK, rows) and _all_are((int,) * 3, members)
    counts = (left_out["table"], left_out["imports"], *(number for row in passed for number in row))
    files = {row[side] for row in rows for side in (0, 3)}.union(member[0] for member in members) if fits else ()
    if not fits or not _are((int,) * len(counts), counts) or not all(0 <= number < len(paths) for number in files):
        raise ValueError("no document of copied code")
    return document


def _checked_prose(document: Any) -> object:
    """Return a document of prose that `_prose_document` made. Raises ValueError, TypeError or LookupError for anything else."""
    rows, spared, segments = document
    if not _all_are(_PAIR, rows) or not _are((int,) * 3, (spared["license_header"], spared["inline_allow"], segments)):
        raise ValueError("no document of copied prose")
    return document


def _checked_near(document: Any) -> object:
    """Return a document of near copies that `_near_document` made. Raises ValueError, TypeError or LookupError for anything else."""
    rows, functions = document
    fits = _all_are((str, str, int, int, int), rows) and all(all(map(_UNIT.fullmatch, row[:2])) for row in rows)
    if not fits or type(functions) is not int:
        raise ValueError("no document of near copies")
    return document


def _all_are(types: Sequence[type], rows: Sequence[Sequence[object]]) -> bool:
    """Tell whether every row has values of these types; looks at columns, of which there are few."""
    return all(len(row) == len(types) for row in rows) and all(
        set(map(type, column)) == {kind} for kind, column in zip(types, zip(*rows, strict=True), strict=False)
    )


def _are(types: Sequence[type], values: Sequence[object]) -> bool:
    return len(values) == len(types) and all(type(value) is kind for value, kind in zip(values, types, strict=True))


def _code_document(evaluation: Evaluation) -> object:
    """Return paths, blocks and groups by number of path, how many blocks were left out by reason, and the budget that was passed."""
    import numpy as np

    from ce.extract.measures.blocks import groups_of

    _, boilerplate, over = (goal.predicate for goal in evaluation.goals)
    rows = _in_order(evaluation)
    paths = sorted({row[side] for row in rows for side in (1, 4)}, key=str)
    number = {path: index for index, path in enumerate(paths)}
    blocks = [(number[f], start, end, number[g], *rest) for _, f, start, end, g, *rest in rows]
    columns = np.array([block[:7] for block in blocks], np.int64).reshape(-1, 7).T
    groups = groups_of((columns[0], columns[1], columns[2]), (columns[3], columns[4], columns[5]), columns[6])
    left_out = [reason for _, reason in evaluation.solution.values(boilerplate)]
    return (
        paths,
        blocks,
        [(group.members, group.blocks, group.tokens) for group in groups],
        {reason: left_out.count(reason) for reason in ("table", "imports")},
        evaluation.solution.values(over),
    )


def _prose_document(evaluation: Evaluation) -> object:
    """Return the pairs, how many segments are spared by reason, and the number of segments."""
    _, exempt, segments = (goal.predicate for goal in evaluation.goals)
    spared = [status for _, status in evaluation.solution.values(exempt)]
    counts = {reason: spared.count(reason) for reason in ("license_header", "inline_allow")}
    return _in_order(evaluation), counts, evaluation.solution.values(segments)[0][0]


def _near_document(evaluation: Evaluation) -> object:
    """Return the pairs and the number of functions."""
    _, functions = (goal.predicate for goal in evaluation.goals)
    return _in_order(evaluation), evaluation.solution.values(functions)[0][0]


def _prose_pair(row: Sequence[Any], proof: ProofNode | None) -> ProsePair:
    _, _, inter, union, verbatim, contained, f, start, end, kind, words_a, g, first, last, other, words_b = row
    return ProsePair(Place(f, start, end, kind), Place(g, first, last, other), inter, union, verbatim, (words_a, words_b), contained, proof)


def _families(pairs: Sequence[ProsePair]) -> tuple[tuple[Place, ...], ...]:
    from ce.extract.measures.docpairs import DocPair, families

    places = sorted({place for pair in pairs for place in (pair.a, pair.b)})
    number = {place: index for index, place in enumerate(places)}
    joined = families(DocPair(number[pair.a], number[pair.b], 0, 0, 0, 0, 0, 0) for pair in pairs)
    return tuple(tuple(places[index] for index in members) for members in joined)
