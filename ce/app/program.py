"""From program texts to a checked program, once per text: a warm run parses nothing.

A cached program is used only when every text it was made of, includes too, reads the same today.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ce.diagnostics import CeError

if TYPE_CHECKING:
    from ce.datalog.checked import CheckedProgram

__all__ = ["QUERY_SOURCE", "Asked", "Loader", "Recorder", "compile_program", "is_answered_alike", "needed_facts"]

QUERY_SOURCE = "query"

Source = tuple[str, str]
Loader = Callable[[str, str], Source | None]
# A path, who includes it, and what it was: the name and a digest of the text, None and nothing when there was none.
Asked = Sequence[tuple[str, str, str | None, str]]

# Changes whenever a stored program could mean something else to the code that reads it.
_FORMAT = "ce.program/1"


def compile_program(sources: Sequence[Source], loader: Loader, question: str | None = None) -> CheckedProgram:
    """Return the checked program of several sources in order, the prelude first, and of the question that is asked of them.

    Raises CeError with every fault of every source.
    """
    key = _key(sources, question)
    checked = _from_cache(key, loader)
    if checked is None:
        recorder = Recorder(loader)
        checked = _compile(sources, recorder, question)
        _to_cache(key, recorder, checked)
    return checked


def needed_facts(checked: CheckedProgram, goals: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the fact relations that the goals reach, and the globs that they expand; both sorted."""
    from ce.datalog.syntax import Aggregate, Atom, Constant

    bodies: dict[str, list[tuple[object, ...]]] = {}
    for rule in checked.rules:
        bodies.setdefault(rule.head.predicate, []).append(rule.body)
    seen: set[str] = set()
    globs: set[str] = set()
    pending = list(goals)
    while pending:
        predicate = pending.pop()
        if predicate in seen:
            continue
        seen.add(predicate)
        literals = [literal for body in bodies.get(predicate, ()) for literal in body]
        while literals:
            literal = literals.pop()
            if isinstance(literal, Aggregate):
                literals += literal.body
            elif isinstance(literal, Atom):
                pending.append(literal.predicate)
                if literal.predicate == "set" and literal.args and isinstance(literal.args[0], Constant):
                    globs.add(str(literal.args[0].value))
    relations = (name for name in seen if name in checked.relations and checked.relations[name].edb)
    return tuple(sorted(relations)), tuple(sorted(globs))


class Recorder:
    """A loader that remembers what it was asked and what it answered."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        self.asked: list[tuple[str, str, str | None, str]] = []

    def __call__(self, path: str, including: str) -> Source | None:
        found = self._loader(path, including)
        self.asked.append((path, including, *_identity(found)))
        return found


def is_answered_alike(asked: Asked, loader: Loader) -> bool:
    """Tell whether the loader answers everything that was asked as it was answered then."""
    return all(list(_identity(loader(path, including))) == [name, digest] for path, including, name, digest in asked)


def _identity(found: Source | None) -> tuple[str | None, str]:
    return (None, "") if found is None else (found[0], _digest(found[1]))


def _compile(sources: Sequence[Source], loader: Loader, question: str | None) -> CheckedProgram:
    from ce.datalog.checks import check
    from ce.datalog.parse import parse_program
    from ce.facts.schema import schema
    from ce.verdicts.family import RESERVED_SOURCES

    query = None if question is None else (QUERY_SOURCE, question)
    return check(parse_program(sources, loader, query=query, recover=True), schema(), reserved=RESERVED_SOURCES)


def _key(sources: Sequence[Source], question: str | None) -> str:
    from ce import __version__
    from ce.store.program_cache import code_stamp

    return _digest(json.dumps([_FORMAT, __version__, code_stamp(), *sources, question]))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


def _from_cache(key: str, loader: Loader) -> CheckedProgram | None:
    from ce.datalog.codec import decode_program
    from ce.store import program_cache

    data = program_cache.get(key)
    if data is None:
        return None
    header, _, body = data.partition(b"\n")
    try:
        return decode_program(body) if is_answered_alike(json.loads(header), loader) else None
    except (CeError, ValueError, TypeError, KeyError):
        return None


def _to_cache(key: str, recorder: Recorder, checked: CheckedProgram) -> None:
    from ce.datalog.codec import encode_program
    from ce.store import program_cache

    program_cache.put(key, json.dumps(recorder.asked).encode("ascii") + b"\n" + encode_program(checked))
