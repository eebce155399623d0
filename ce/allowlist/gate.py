"""The gate: a pure function of corpus and allowlist, judged by `programs/allowlist/allowlist.dl`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ce.allowlist.corpus import Corpus, Fact
from ce.allowlist.model import DeadSymbolAllowlist, DeadSymbolKey, StaleVerdict

if TYPE_CHECKING:
    from ce.datalog import Result

__all__ = ["LIVE", "Cap", "Entry", "Floor", "Offender", "Settings", "Verdicts", "evaluate"]

LIVE = "LIVE"


@dataclass(frozen=True, slots=True)
class Settings:
    """The numbers a project declares: floors on the scanned corpus, caps on the two sections (None: no cap)."""

    min_modules: int = 1
    min_symbols: int = 1
    cap: int | None = None
    widened_cap: int | None = None
    check_widened: bool = True


@dataclass(frozen=True, slots=True)
class Offender:
    """A name without a caller that nothing excepts; `proof` is its derivation as JSON values."""

    key: DeadSymbolKey
    path: str
    line: int
    proof: dict[str, Any]

    def to_dict(self) -> dict[str, object]:
        """Return the offender as a row of `ce.allowlist/1`."""
        return {"module": self.key.module, "name": self.key.name, "path": self.path, "line": self.line, "proof": self.proof}


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the list and its one verdict: `LIVE` or a word of `StaleVerdict`, with a hint where there is one."""

    key: DeadSymbolKey
    verdict: str
    hint: str
    at: str
    proof: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.key} [{self.verdict}] {self.hint}".rstrip()

    def to_dict(self) -> dict[str, object]:
        """Return the entry as a row of `ce.allowlist/1`."""
        names = {"module": self.key.module, "name": self.key.name}
        return {**names, "verdict": self.verdict, "hint": self.hint, "at": self.at, "proof": self.proof}


@dataclass(frozen=True, slots=True)
class Floor:
    """A floor on the corpus: what was found and what is needed for any verdict to count."""

    what: str
    found: int
    needed: int

    @property
    def ok(self) -> bool:
        """Tell whether the corpus is large enough."""
        return self.found >= self.needed


@dataclass(frozen=True, slots=True)
class Cap:
    """A size that only shrinks: `limit` None means that no cap is declared."""

    what: str
    limit: int | None
    count: int

    @property
    def ok(self) -> bool:
        """Tell whether the section is within its cap."""
        return self.limit is None or self.count <= self.limit


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Everything the gate says, sorted. `widened_stale` are (key, reason)."""

    offenders: tuple[Offender, ...]
    entries: tuple[Entry, ...]
    widened_offenders: tuple[Offender, ...]
    widened_stale: tuple[tuple[DeadSymbolKey | None, str], ...]
    floors: tuple[Floor, ...]
    caps: tuple[Cap, ...]

    @property
    def stale(self) -> tuple[Entry, ...]:
        """Return the entries that no longer earn their place."""
        return tuple(entry for entry in self.entries if entry.verdict != LIVE)

    @property
    def ok(self) -> bool:
        """Tell whether the gate is green."""
        findings = self.offenders or self.stale or self.widened_offenders or self.widened_stale
        return not findings and all(floor.ok for floor in self.floors) and all(cap.ok for cap in self.caps)


def evaluate(corpus: Corpus, allowlist: DeadSymbolAllowlist, settings: Settings | None = None, *, at: str = "") -> Verdicts:
    """Judge an allowlist against a corpus; `at` names the file of the list in the entries' places."""
    from ce.datalog import run
    from ce.verdicts.family import program_text

    settings = settings or Settings()
    source, text = program_text("allowlist/allowlist.dl")
    facts: dict[str, list[Fact]] = {
        **corpus.facts,
        "listed": [(key.module, key.name) for key in sorted(allowlist.keys)],
        "widened": [(entry.key.module, entry.key.name) for entry in allowlist.widened_entries],
    }
    result = run(text, facts, source=source)
    widened_stale: list[tuple[DeadSymbolKey | None, str]] = [(_key(row), str(row[2])) for row in result["widened_stale"]]
    if settings.check_widened and allowlist.widened_entries and not result["widened_live"]:
        widened_stale.append((None, "no widened entry is a widened offender: the pass looks unwired"))
    widened = _offenders(result, "widened_offender", corpus) if settings.check_widened else ()
    return Verdicts(
        offenders=_offenders(result, "offender", corpus),
        entries=_entries(result, allowlist, at),
        widened_offenders=widened,
        widened_stale=tuple(widened_stale) if settings.check_widened else (),
        floors=(
            Floor("modules with `__all__`", len(corpus.declared), settings.min_modules),
            Floor("names in `__all__`", corpus.symbols, settings.min_symbols),
        ),
        caps=(
            Cap("entries", settings.cap, len(allowlist.keys)),
            Cap("widened entries", settings.widened_cap, len(allowlist.widened_entries)),
        ),
    )


def _key(row: tuple[int | str, ...]) -> DeadSymbolKey:
    return DeadSymbolKey(str(row[0]), str(row[1]))


def _offenders(result: Result, relation: str, corpus: Corpus) -> tuple[Offender, ...]:
    rows = sorted(result[relation], key=lambda row: str(_key(row)))
    return tuple(_offender(_key(row), corpus, result.explain(relation, row).to_dict()) for row in rows)


def _offender(key: DeadSymbolKey, corpus: Corpus, proof: dict[str, Any]) -> Offender:
    module = corpus.modules[key.module]
    return Offender(key, module.path, module.lines.get(key.name, module.all_line), proof)


def _entries(result: Result, allowlist: DeadSymbolAllowlist, at: str) -> tuple[Entry, ...]:
    moved: dict[DeadSymbolKey, list[str]] = {}
    for row in result["moved_to"]:
        moved.setdefault(_key(row), []).append(str(row[2]))
    lines = {entry.key: entry.at for entry in allowlist.entries}
    found: dict[DeadSymbolKey, Entry] = {}
    for row in result["stale"]:
        key, verdict = _key(row), StaleVerdict(str(row[2]))
        proof = result.explain("stale", row).to_dict()
        found[key] = Entry(key, verdict.value, _hint(verdict, moved.get(key, [])), f"{at}:{lines[key]}", proof)
    for row in result["live"]:
        key = _key(row)
        found[key] = Entry(key, LIVE, "", f"{at}:{lines[key]}", result.explain("live", row).to_dict())
    assert found.keys() == lines.keys(), "every entry has exactly one verdict"
    return tuple(found[key] for key in sorted(found))


_HINTS: Mapping[StaleVerdict, str] = {
    StaleVerdict.INVALID: "`__all__` lists it but the module body does not bind it; the entry cannot except it",
    StaleVerdict.GONE: "no `__all__` of that module lists it; delete the entry",
    StaleVerdict.REVIVED: "it has a caller again; delete the entry",
    StaleVerdict.SUPERSEDED: "the structure of the code exempts it; delete the entry",
    StaleVerdict.MOOT: "its module is imported with a star, so the gate does not look at it; delete the entry",
}


def _hint(verdict: StaleVerdict, moved: list[str]) -> str:
    if verdict is StaleVerdict.GONE and moved:
        return f"probably moved to {' or '.join(f'`{module}`' for module in sorted(moved))}; update `module:`"
    return _HINTS[verdict]
