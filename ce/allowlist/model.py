"""The allowlist as values: keys, categories, entries, the widened section, and the schema fault."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = [
    "WIDENED_KEY",
    "AllowlistCategory",
    "AllowlistEntry",
    "AllowlistSchemaError",
    "DeadSymbolAllowlist",
    "DeadSymbolKey",
    "StaleVerdict",
    "WidenedEntry",
]

WIDENED_KEY = "widened_grandfathered_470"


class StaleVerdict(StrEnum):
    """Why an entry no longer earns its place; the first that holds, in this order."""

    INVALID = "INVALID"
    GONE = "GONE"
    REVIVED = "REVIVED"
    SUPERSEDED = "SUPERSEDED"
    MOOT = "MOOT"


class AllowlistSchemaError(ValueError):
    """The file breaks a loader rule: `path`, `pointer` into it, `rule` (`L1` … `L10`, `category-id`) and `detail`."""

    def __init__(self, path: str, pointer: str, rule: str, detail: str) -> None:
        super().__init__(f"{path}: {pointer}: [{rule}] {detail}")
        self.path = path
        self.pointer = pointer
        self.rule = rule
        self.detail = detail


@dataclass(frozen=True, slots=True, order=True)
class DeadSymbolKey:
    """The identity of an exception: the module whose `__all__` declares the name, and the name."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}::{self.name}"


@dataclass(frozen=True, slots=True)
class AllowlistCategory:
    """A kind of exception with the reason that all its entries share."""

    id: str
    rationale: str
    requires_issue: bool
    target: str | None = None


@dataclass(frozen=True, slots=True)
class AllowlistEntry:
    """One excepted name of some `__all__`; `at` is the line of the file."""

    key: DeadSymbolKey
    category: str
    rationale: str | None = None
    issue: str | None = None
    at: int = 0


@dataclass(frozen=True, slots=True)
class WidenedEntry:
    """One excepted public name outside `__all__`."""

    key: DeadSymbolKey
    note: str | None = None
    at: int = 0


@dataclass(frozen=True, slots=True)
class DeadSymbolAllowlist:
    """A file that passed every loader rule."""

    categories: tuple[AllowlistCategory, ...] = ()
    entries: tuple[AllowlistEntry, ...] = ()
    widened_entries: tuple[WidenedEntry, ...] = ()
    widened_rationale: str = ""
    widened_issue: str = ""

    @property
    def keys(self) -> frozenset[DeadSymbolKey]:
        """Return the identities of the entries."""
        return frozenset(entry.key for entry in self.entries)

    @property
    def widened_qualified(self) -> frozenset[str]:
        """Return the widened names as `module::name`."""
        return frozenset(str(entry.key) for entry in self.widened_entries)

    def rationale(self, entry: AllowlistEntry) -> str:
        """Return why an entry stands: its own reason, else its category's."""
        if entry.rationale is not None:
            return entry.rationale
        return next(category.rationale for category in self.categories if category.id == entry.category)
