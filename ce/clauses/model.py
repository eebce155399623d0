"""Policy clauses as values, and the faults a corpus can have.

Where a clause stands decides its origin: the caller says `human` or `learned`, a field inside the clause never does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ce.diagnostics import CeError, Diagnostic

__all__ = ["LEVELS", "SAFETY_LEVELS", "STATUSES", "TIERS", "Clause", "Corpus", "corpus_of", "split_patterns"]

TIERS = ("team", "project", "user")
LEVELS = ("red", "orange", "yellow", "green")
SAFETY_LEVELS = ("red", "orange")
STATUSES = ("proposed", "audit", "accepted", "declined", "superseded", "retired")
ORIGINS = ("human", "learned")
LEARNED_TEXT = 80
_FIELDS = ("id", "tier", "level", "status", "patterns", "fix", "supersedes", "expires", "text")
_BACKTICKED = re.compile(r"`([^`]*)`")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause; `at` says where it was read. An empty `patterns` is prose: it matches nothing."""

    id: str
    tier: str
    level: str | None
    origin: str
    status: str
    patterns: tuple[str, ...] = ()
    fix: tuple[str, str] | None = None
    supersedes: tuple[str, ...] = ()
    expires: str | None = None
    text: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Clauses with distinct ids, in id order."""

    clauses: tuple[Clause, ...]

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return what is odd but harmless: accepted learned clauses that hardly explain themselves."""
        return tuple(
            f"{clause.at}: learned clause `{clause.id}` explains itself in {len(clause.text.strip())} characters, {LEARNED_TEXT} are wanted"
            for clause in self.clauses
            if clause.origin == "learned" and clause.status == "accepted" and len(clause.text.strip()) < LEARNED_TEXT
        )

    @property
    def effective(self) -> tuple[Clause, ...]:
        """Return the accepted clauses that no accepted clause replaces."""
        accepted = [clause for clause in self.clauses if clause.status == "accepted"]
        replaced = {name for clause in accepted for name in clause.supersedes}
        return tuple(clause for clause in accepted if clause.id not in replaced)


def split_patterns(line: str) -> tuple[str, ...]:
    """Return the matchers of a `match:` line: backtick-quoted pieces first, the rest split on commas."""
    quoted = [piece.strip() for piece in _BACKTICKED.findall(line)]
    rest = [piece.strip() for piece in _BACKTICKED.sub(" ", line).split(",")]
    return tuple(piece for piece in (*quoted, *rest) if piece)


def corpus_of(documents: Mapping[str, Iterable[object]] | Corpus | Iterable[Clause]) -> Corpus:
    """Return the corpus of `{"human": [clause…], "learned": [clause…]}`, or of clauses already built.

    Raises CeError (CE601) that lists every fault: an unknown field or word, a missing id, an id used twice.
    """
    if isinstance(documents, Corpus):
        return documents
    faults: list[str] = []
    clauses: list[Clause] = []
    if isinstance(documents, Mapping):
        faults += [f"`{name}`: unknown section; a corpus has `human` and `learned`" for name in documents if name not in ORIGINS]
        for origin in ORIGINS:
            section = documents.get(origin, ())
            if isinstance(section, str | bytes | Mapping) or not isinstance(section, Iterable):
                faults.append(f"`{origin}`: a list of clauses is wanted")
                continue
            for position, entry in enumerate(section):
                clause = _clause(entry, origin, f"{origin}[{position}]", faults)
                if clause is not None:
                    clauses.append(clause)
    else:
        clauses = list(documents)
    seen: dict[str, str] = {}
    for clause in clauses:
        if clause.id in seen:
            faults.append(f"{clause.at}: id `{clause.id}` is already used at {seen[clause.id]}")
        seen.setdefault(clause.id, clause.at)
    if faults:
        raise CeError(tuple(Diagnostic("CE601", fault) for fault in faults))
    return Corpus(tuple(sorted(clauses, key=lambda clause: clause.id)))


def _clause(entry: object, origin: str, at: str, faults: list[str]) -> Clause | None:
    if isinstance(entry, Clause):
        return entry
    if not isinstance(entry, Mapping):
        faults.append(f"{at}: a clause is a mapping")
        return None
    at = str(entry.get("at") or at)
    before = len(faults)
    if "match" in entry:
        entry = {**entry, "patterns": _match_lines(entry, at, faults)}
    # A field `origin` or `at` inside a clause is read over: the place decides.
    faults += [f"{at}: unknown field `{name}`" for name in entry if name not in (*_FIELDS, "match", "origin", "at")]
    identifier = entry.get("id")
    if not isinstance(identifier, str) or not identifier.strip():
        faults.append(f"{at}: `id` is a non-empty text")
    tier = _word(entry, "tier", TIERS, "project", at, faults)
    status = _word(entry, "status", STATUSES, "accepted", at, faults)
    level = entry.get("level")
    if level in (None, "none"):
        level = None
    elif level not in LEVELS:
        faults.append(f"{at}: `level` is one of {', '.join(LEVELS)} or none, not `{level}`")
    fix = _pair(entry.get("fix"), at, faults)
    texts = {name: _texts(entry, name, at, faults) for name in ("patterns", "supersedes")}
    expires, text = entry.get("expires"), entry.get("text", "")
    if not isinstance(text, str):
        faults.append(f"{at}: `text` is a text")
    if len(faults) > before:
        return None
    assert isinstance(identifier, str) and isinstance(text, str)
    when = None if expires is None else str(expires)
    return Clause(identifier, tier, level, origin, status, texts["patterns"], fix, texts["supersedes"], when, text, at)


def _match_lines(entry: Mapping[object, object], at: str, faults: list[str]) -> tuple[str, ...]:
    """Return the listed patterns and those of the `match:` lines of a Markdown clause."""
    lines = _texts(entry, "match", at, faults)
    return (*_texts(entry, "patterns", at, faults), *(pattern for line in lines for pattern in split_patterns(line)))


def _pair(value: object, at: str, faults: list[str]) -> tuple[str, str] | None:
    if value is None:
        return None
    if isinstance(value, Mapping) and set(value) == {"from", "to"}:
        value = [value["from"], value["to"]]
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
        before, after = value
        if isinstance(before, str) and isinstance(after, str):
            return before, after
    faults.append(f"{at}: `fix` is a pair of texts (from, to)")
    return None


def _word(entry: Mapping[object, object], name: str, words: Sequence[str], default: str, at: str, faults: list[str]) -> str:
    value = entry.get(name, default)
    if isinstance(value, str) and value in words:
        return value
    faults.append(f"{at}: `{name}` is one of {', '.join(words)}, not `{value}`")
    return default


def _texts(entry: Mapping[object, object], name: str, at: str, faults: list[str]) -> tuple[str, ...]:
    value = entry.get(name) or ()
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(item, str) for item in value):
        faults.append(f"{at}: `{name}` is a list of texts")
        return ()
    return tuple(value)
