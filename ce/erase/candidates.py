"""From the verdicts of the source families and the bytes on disk to candidate rows: measured, not judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ce.erase.apply import spliced
from ce.erase.model import Candidate, content_hash

__all__ = ["VERDICT_CODES", "CodeTwin", "DeadFile", "Function", "ProseTwin", "Sources", "candidates_of"]

VERDICT_CODES = {"unref_private": 1, "unref_public": 2, "unreach_private": 3, "unreach_public": 4}
NO_WHOLE_UNIT = "t1t2_block_no_whole_unit"
# Prose in code is part of the program: the file must parse as well without it.
_SPOKEN_IN_CODE = ("comment_block", "docstring")


@dataclass(frozen=True, slots=True)
class DeadFile:
    """A dead file: verdict in one word, in words, and how far to trust it."""

    path: str
    verdict: str
    why: str
    confidence: int


@dataclass(frozen=True, slots=True, order=True)
class ProseTwin:
    """Two segments that say the same; each place is (path, first line, last line, kind, words)."""

    a: tuple[str, int, int, str, int]
    b: tuple[str, int, int, str, int]
    inter: int
    union: int
    verbatim: int


@dataclass(frozen=True, slots=True, order=True)
class CodeTwin:
    """Two places of copied code; each place is (path, first line, last line)."""

    a: tuple[str, int, int]
    b: tuple[str, int, int]
    tokens: int
    kind: str


@dataclass(frozen=True, slots=True, order=True)
class Function:
    """A function of a file: first and last line, and its name."""

    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class Sources:
    """Everything the families found. `unresolved` counts unresolved sites by language, `languages` gives each file's.

    `run_time_sites` and `mentions` list (path, line) by dead file. `read` returns the bytes of a file, None when there are none; `parses`
    tells whether code has no new syntax error, `is_splittable` whether lines of the bytes are lines of the text, `ties` (why, path,
    line) what ties the lines of a segment of a kind to a program.
    """

    dead: Sequence[DeadFile]
    prose: Sequence[ProseTwin]
    code: Sequence[CodeTwin]
    functions: Mapping[str, Sequence[Function]]
    languages: Mapping[str, str]
    unresolved: Mapping[str, int]
    run_time_sites: Mapping[str, Sequence[tuple[str, int]]]
    mentions: Mapping[str, Sequence[tuple[str, int]]]
    read: Callable[[str], bytes | None]
    parses: Callable[[str, bytes, bytes], bool]
    is_splittable: Callable[[bytes], bool] = field(default=lambda _: True)
    ties: Callable[[str, bytes, str, int, int], Sequence[tuple[str, str, int]]] = field(default=lambda *_: ())


def candidates_of(sources: Sources) -> tuple[tuple[Candidate, ...], dict[str, int]]:
    """Return the candidate rows, and how many blocks were out of class by kind.

    Rows of one target that differ in nothing that is judged are one row, the first: a file with many copies is one question.
    """
    measure = _Measure(sources)
    out_of_class: dict[str, int] = {}
    rows: dict[tuple[object, ...], Candidate] = {}
    for dead in sources.dead:
        _keep(rows, measure.dead_file(dead))
    for prose in sorted(sources.prose):
        _keep(rows, measure.verbatim_doc(prose))
    for code in sorted(sources.code):
        twin = measure.t1_twin(code)
        if twin is None:
            out_of_class[NO_WHOLE_UNIT] = out_of_class.get(NO_WHOLE_UNIT, 0) + 1
        _keep(rows, twin)
    return tuple(rows.values()), out_of_class


def _keep(rows: dict[tuple[object, ...], Candidate], row: Candidate | None) -> None:
    if row is not None:
        identity = (row.kind, row.path, row.span, tuple(sorted(row.facts.items())), row.survivor)
        rows.setdefault(identity, row)


class _Measure:
    """Builds rows; files are read and hashed once."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.verdicts = {dead.path: VERDICT_CODES[dead.verdict] for dead in sources.dead}
        self._bytes: dict[str, bytes | None] = {}
        self._lines: dict[str, list[bytes]] = {}

    def dead_file(self, dead: DeadFile) -> Candidate | None:
        sites = self._unresolved(dead.path)
        facts = {"verdict": VERDICT_CODES[dead.verdict], "confidence": dead.confidence, "unresolved": sites}
        return self._whole("dead_file", dead.path, facts, f"deadcode: {dead.verdict} \N{EM DASH} {dead.why}", sites)

    def verbatim_doc(self, twin: ProseTwin) -> Candidate | None:
        (kept, start, end, _, words), (path, first, last, kind, count) = sorted((twin.a, twin.b))
        data = self._read(path)
        if data is None:
            return None
        equal = self._raw(kept, start, end) == self._raw(path, first, last)
        provenance = f"docdup: twin of {kept}:{start}-{end} (J {twin.inter}/{twin.union}, verbatim {twin.verbatim} words)"
        facts = {
            "verbatim": twin.verbatim,
            "words_survivor": words,
            "words_candidate": count,
            "bytes_equal": int(equal),
            "parses": int(equal and self._stays_sound(path, data, kind, first, last)),
        }
        # Whether it parses is asked only of a row that could go; any other fails an earlier check.
        ties = tuple(self.sources.ties(path, data, kind, first, last)) if facts["parses"] else ()
        facts["parses"] = facts["parses"] if equal else 1
        return Candidate("verbatim_doc", path, (first, last), facts, provenance, 0, content_hash(data), survivor=kept, ties=ties)

    def t1_twin(self, twin: CodeTwin) -> Candidate | None:
        judged, other = self._sides(twin)
        path, start, end = judged
        covered = [unit for unit in self.sources.functions.get(path, ()) if start <= unit.start and unit.end <= end]
        if not covered:
            return None
        shift = other[1] - start
        equal = all(self._raw(path, u.start, u.end) == self._raw(other[0], u.start + shift, u.end + shift) for u in covered)
        sites = self._unresolved(path)
        facts = {"unit_covered": 1, "bytes_equal": int(equal), "copy_dead": self.verdicts.get(path, 0), "unresolved": sites}
        where = f"{other[0]}:{other[1]}-{other[2]}"
        provenance = f"dedup: T1 block twin at {where} ({twin.tokens} tokens), covers unit {covered[0].name}"
        return self._whole("t1_twin", path, facts, provenance, sites)

    def _whole(self, kind: str, path: str, facts: Mapping[str, int], provenance: str, sites: int) -> Candidate | None:
        data = self._read(path)
        if data is None:
            return None
        mentions = tuple(self.sources.mentions.get(path, ()))
        dynamic = tuple(self.sources.run_time_sites.get(path, ()))
        return Candidate(kind, path, None, facts, provenance, sites, content_hash(data), mentions=mentions, dynamic=dynamic)

    def _sides(self, twin: CodeTwin) -> tuple[tuple[str, int, int], tuple[str, int, int]]:
        """Return the judged side first: the one whose file is dead when exactly one is, else the second."""
        a_dead, b_dead = twin.a[0] in self.verdicts, twin.b[0] in self.verdicts
        return (twin.a, twin.b) if a_dead and not b_dead else (twin.b, twin.a)

    def _unresolved(self, path: str) -> int:
        return self.sources.unresolved.get(self.sources.languages.get(path, ""), 0)

    def _read(self, path: str) -> bytes | None:
        if path not in self._bytes:
            self._bytes[path] = self.sources.read(path)
        return self._bytes[path]

    def _raw(self, path: str, start: int, end: int) -> list[bytes] | None:
        if path not in self._lines:
            self._lines[path] = (self._read(path) or b"").splitlines()
        lines = self._lines[path][start - 1 : end]
        return lines if len(lines) == end - start + 1 else None

    def _stays_sound(self, path: str, data: bytes, kind: str, start: int, end: int) -> bool:
        """Tell whether the lines can be cut out and leave a file that parses as well as before."""
        if not self.sources.is_splittable(data):
            return False
        try:
            left = spliced(data, [(start, end)])
        except ValueError:
            return False
        return kind not in _SPOKEN_IN_CODE or self.sources.parses(path, data, left)


def group_functions(rows: Iterable[tuple[str, str, int, int]]) -> dict[str, tuple[Function, ...]]:
    """Return the functions by file from rows of (path, name, first line, number of lines)."""
    found: dict[str, list[Function]] = {}
    for path, name, first, lines in rows:
        found.setdefault(path, []).append(Function(first, first + lines - 1, name))
    return {path: tuple(sorted(own)) for path, own in found.items()}
