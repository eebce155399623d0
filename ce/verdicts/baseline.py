"""Witnesses that are known: by rule, values and content, never by a line number.

A baseline only shrinks. A witness of today is known when an entry has its rule and its values, its numbers are no worse, and at least
half of the lines that the entry remembers are still there: what moved or was edited stays known, a new thing under an old name does not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from ce.diagnostics import CeError

__all__ = ["SCHEMA", "Matched", "Witness", "compare", "content_sketch", "read_baseline", "write_baseline"]

SCHEMA = "ce.baseline/1"

_LINES_REMEMBERED = 16
_DIGITS = 8

Value = int | str


@dataclass(frozen=True, slots=True)
class Witness:
    """A witness without its lines: `values` hold a unit by path, key and number among its namesakes; `content` is a sketch of its text."""

    assertion: str
    values: tuple[Value, ...]
    content: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, tuple[str, ...]]:
        """Return what never changes: the rule and the names; numbers may move."""
        return self.assertion, tuple("" if isinstance(value, int) else value for value in self.values)

    @property
    def sort_key(self) -> tuple[str, tuple[tuple[bool, int, str], ...], tuple[str, ...]]:
        """Order by rule, values and content."""
        values = tuple((isinstance(value, int), value if isinstance(value, int) else 0, str(value)) for value in self.values)
        return self.assertion, values, self.content


@dataclass(frozen=True, slots=True)
class Matched:
    """Which witnesses of today are known, by their place in the given order, and which entries are fixed."""

    known: frozenset[int]
    kept: tuple[Witness, ...]
    fixed: tuple[Witness, ...]


def content_sketch(lines: Iterable[str]) -> tuple[str, ...]:
    """Return short hashes of some lines, chosen by their content alone; indentation and empty lines do not count."""
    texts = {" ".join(line.split()) for line in lines} - {""}
    hashes = sorted(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGITS // 2).hexdigest() for text in texts)
    return tuple(dict.fromkeys(hashes))[:_LINES_REMEMBERED]


def compare(baseline: Sequence[Witness], today: Sequence[tuple[Witness, tuple[int, ...]]]) -> Matched:
    """Return what the baseline knows of the witnesses of today, each given with the direction in which its numbers get worse.

    An entry knows one witness; an exact one before one that has moved. `kept` is the baseline as it is after what was fixed.
    """
    waiting: dict[tuple[str, tuple[str, ...]], list[Witness]] = {}
    for entry in sorted(baseline, key=lambda entry: entry.sort_key):
        waiting.setdefault(entry.key, []).append(entry)
    known: set[int] = set()
    kept: list[Witness] = []
    for exact in (True, False):
        for number, (witness, worse) in enumerate(today):
            entries = waiting.get(witness.key, [])
            found = next((e for e in entries if number not in known and (e == witness if exact else _known(e, witness, worse))), None)
            if found is not None:
                entries.remove(found)
                known.add(number)
                # What got better or was edited is remembered as it is now.
                kept.append(witness)
    fixed = [entry for entries in waiting.values() for entry in entries]
    return Matched(frozenset(known), tuple(kept), tuple(sorted(fixed, key=lambda entry: entry.sort_key)))


def read_baseline(text: str, name: str) -> tuple[Witness, ...]:
    """Return the entries of a baseline file. Raises CeError (CE952) when it is none."""
    try:
        document = json.loads(text)
        if document["schema"] != SCHEMA:
            raise ValueError(f"its schema is {document['schema']!r}, not {SCHEMA!r}")
        return tuple(_entry(entry) for entry in document["witnesses"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise CeError.of(
            "CE952",
            f"`{name}` is no baseline: {error if not isinstance(error, KeyError) else f'{error} is missing'}",
            notes=("`ce rules --baseline FILE --write-baseline` writes one",),
        ) from None


def write_baseline(witnesses: Iterable[Witness]) -> str:
    """Return the text of a baseline file: one witness a line, sorted, so that a change reads well."""
    rows = [
        json.dumps({"assertion": each.assertion, "values": list(each.values), "content": list(each.content)})
        for each in sorted(witnesses, key=lambda each: each.sort_key)
    ]
    body = ",\n".join(f"  {row}" for row in rows)
    return f'{{"schema": "{SCHEMA}", "witnesses": [{f"{chr(10)}{body}{chr(10)}" if rows else ""}]}}\n'


def _entry(value: dict[str, object]) -> Witness:
    assertion, values, content = value["assertion"], value["values"], value["content"]
    if not isinstance(assertion, str) or not isinstance(values, list) or not isinstance(content, list):
        raise ValueError(f"{json.dumps(value)[:80]} is no witness")
    if not all(isinstance(each, str) or type(each) is int for each in values) or not all(isinstance(each, str) for each in content):
        raise ValueError(f"{json.dumps(value)[:80]} is no witness")
    return Witness(assertion, tuple(values), tuple(content))


def _known(entry: Witness, witness: Witness, worse: Sequence[int]) -> bool:
    for before, now, sign in zip(entry.values, witness.values, worse, strict=True):
        if isinstance(before, int) and isinstance(now, int) and before != now and (sign == 0 or (now - before) * sign > 0):
            return False
    shared = len(set(entry.content) & set(witness.content))
    return 2 * shared >= max(len(entry.content), len(witness.content))
