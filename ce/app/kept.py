"""Answers kept between runs: what programs derive from a tree is asked once per state of the tree, the settings, the texts and the code.

A kept answer stands in the index under a digest of all that it depends on, so it is found again exactly when asking anew would give the
same. What is about the run alone (how many files were measured, what went wrong with the index) is never kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from ce.app.code_revision import answer_revision
from ce.app.program import Recorder, compile_program, is_answered_alike, needed_facts

if TYPE_CHECKING:
    from ce.app.evaluation import Evaluation, Options
    from ce.app.program import Asked
    from ce.app.project import Project
    from ce.app.report import Degraded
    from ce.datalog.checked import CheckedProgram
    from ce.verdicts.family import RulesFile

__all__ = ["Kept", "kept_answer"]

# What reading an answer may raise that nobody of ours wrote.
_MALFORMED = (ValueError, TypeError, LookupError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class Kept:
    """A document made of an evaluation, or what was read from it; None when a limit was crossed.

    `index` are the counts of the index, `problems` what went wrong on the way to the facts.
    """

    document: Any
    index: Mapping[str, int]
    problems: tuple[str, ...]
    degraded: Degraded | None


def kept_answer(
    project: Project,
    rules: Sequence[RulesFile],
    make: Callable[[Evaluation], object],
    *,
    read: Callable[[Any], object] = lambda document: document,
    variant: str = "",
    options: Options,
) -> Kept:
    """Return what `read` gives of what `make` makes of the evaluation of the rules files over the tree, or made of it in an earlier run.

    `make` depends on the evaluation and what `variant` tells alone, and gives lists, texts and numbers as JSON has them; `read` takes
    them back and raises ValueError, TypeError or LookupError for anything else. A fresh answer is read like a kept one. Only answers of
    the native engine are kept: whoever asks another one wants to compare. Raises CeError as `evaluate` does.
    """
    from ce.app.evaluation import evaluate_in, texts_of
    from ce.app.index import ProjectIndex
    from ce.source.settings import load_settings

    settings = load_settings(project.root)
    sources, loader = texts_of(project, rules)
    texts = _hash([answer_revision(), sources, options.max_rows, variant])
    is_kept = options.engine == "native"
    with ProjectIndex(project.root, settings=settings, progress=options.progress) as index:
        known = _decoded(index.cached(f"needed/{texts}")) if is_kept else None
        if known is not None and is_answered_alike(known[1], loader):
            key = _key(texts, known[1], index.stamp_of(known[0]))
            found = None if key is None else _decoded(index.cached(key))
            if found is not None:
                with suppress(*_MALFORMED):
                    remarks = tuple(map(str, found[1]))
                    return Kept(read(found[0]), index.counts, tuple(dict.fromkeys([*index.problems, *remarks])), None)
        recorder = Recorder(loader)
        checked = compile_program(sources, recorder)
        relations = _relations(checked)
        key = _key(texts, recorder.asked, index.stamp_of(relations))
        evaluation = evaluate_in(index, checked, rules, options=options)
        if evaluation.degraded is not None:
            return Kept(None, evaluation.index, evaluation.problems, evaluation.degraded)
        document = make(evaluation)
        # The tree may have moved on under the evaluation: then nobody knows which state the answer is about.
        if is_kept and key is not None and key == _key(texts, recorder.asked, index.stamp_of(relations)):
            index.put(f"needed/{texts}", _encoded(relations, recorder.asked))
            index.put(key, _encoded(document, index.remarks))
        return Kept(read(document), evaluation.index, evaluation.problems, None)


def _relations(checked: CheckedProgram) -> tuple[str, ...]:
    """Return the fact relations that an evaluation reads."""
    from ce.app.symbol_places import SPANS

    relations, _ = needed_facts(checked, [goal.predicate for goal in checked.goals])
    return (*relations, SPANS) if any("symbol" in goal.sorts for goal in checked.goals) else relations


def _key(texts: str, asked: Asked, stamp: str | None) -> str | None:
    return None if stamp is None else f"answer/{_hash([texts, asked, stamp])}"


def _encoded(*parts: object) -> bytes:
    return json.dumps(parts, separators=(",", ":")).encode()


def _decoded(data: bytes | None) -> tuple[Any, Any] | None:
    try:
        first, second = json.loads(data or b"")
    except (ValueError, TypeError, RecursionError):
        return None
    return first, second


def _hash(document: object) -> str:
    return blake2b(json.dumps(document).encode(), digest_size=20).hexdigest()
