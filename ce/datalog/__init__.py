"""The engine as a library of its own: Datalog programs over any facts, with a proof for every row.

>>> import ce.datalog
>>> result = ce.datalog.run("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z).", {"edge": [(1, 2), (2, 3)]})
>>> result["path"]
[(1, 2), (1, 3), (2, 3)]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ce.diagnostics import CeError, Diagnostic

if TYPE_CHECKING:
    from ce.datalog.api import Result, Solution, run, solve
    from ce.datalog.check import ProofChecker, check_proof
    from ce.datalog.database import Database
    from ce.datalog.limits import Degraded, Limits
    from ce.datalog.proof import ProofNode
    from ce.datalog.why_not import WhyNot

__all__ = [
    "CeError",
    "Database",
    "DatalogError",
    "Degraded",
    "Diagnostic",
    "Limits",
    "ProofChecker",
    "ProofNode",
    "Result",
    "Solution",
    "WhyNot",
    "check_proof",
    "run",
    "solve",
]

DatalogError = CeError

# Loaded when first used: importing the package costs nothing.
_HOMES = {
    "Database": "database",
    "Degraded": "limits",
    "Limits": "limits",
    "ProofChecker": "check",
    "ProofNode": "proof",
    "Result": "api",
    "Solution": "api",
    "WhyNot": "why_not",
    "check_proof": "check",
    "run": "api",
    "solve": "api",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
