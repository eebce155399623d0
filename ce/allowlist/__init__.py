"""The dead-symbol allowlist: every exported name has a caller, or a documented exception that still earns its place."""

from __future__ import annotations

from ce.allowlist.corpus import Corpus, Detectors, default_roots, read_corpus, scan
from ce.allowlist.gate import Settings, Verdicts, evaluate
from ce.allowlist.loader import load_allowlist, parse_allowlist
from ce.allowlist.model import (
    AllowlistCategory,
    AllowlistEntry,
    AllowlistSchemaError,
    DeadSymbolAllowlist,
    DeadSymbolKey,
    StaleVerdict,
    WidenedEntry,
)

__all__ = [
    "AllowlistCategory",
    "AllowlistEntry",
    "AllowlistSchemaError",
    "Corpus",
    "DeadSymbolAllowlist",
    "DeadSymbolKey",
    "Detectors",
    "Settings",
    "StaleVerdict",
    "Verdicts",
    "WidenedEntry",
    "default_roots",
    "evaluate",
    "load_allowlist",
    "parse_allowlist",
    "read_corpus",
    "scan",
]
