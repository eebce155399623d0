"""Which programs judge the names of a project: the shipped ones with the roots that its settings choose, and its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.app.project import Project
from ce.diagnostics import CeError, Diagnostic
from ce.verdicts.family import DEAD_NAMES, RulesFile, find_rules, program_text, roots_names

if TYPE_CHECKING:
    from ce.source.settings import Deadcode

__all__ = ["name_programs"]

_SETTINGS = "ce.toml"


def name_programs(project: Project) -> tuple[RulesFile, ...]:
    """Return the programs that say which names are live, in a fixed order.

    Raises CeError for a file of roots that is not shipped (CE992) or a program that does not exist (CE911).
    """
    from ce.source.settings import load_settings

    chosen = load_settings(project.root).deadcode
    shipped = roots_names()
    unknown = [name for name in chosen.without if name not in shipped]
    if unknown:
        raise CeError(tuple(_unknown(name, shipped) for name in unknown))
    roots = [name for name in shipped if name not in chosen.without]
    return (
        RulesFile(*program_text(DEAD_NAMES.program), None),
        *(RulesFile(*program_text(f"deadcode/roots/{name}.dl"), None) for name in roots),
        *(find_rules(project.root, name) for name in chosen.programs),
        RulesFile(_SETTINGS, _allowed(chosen), None),
    )


def _unknown(name: str, shipped: tuple[str, ...]) -> Diagnostic:
    return Diagnostic(
        "CE992",
        f"`[deadcode] without` in ce.toml names `{name}`, which is no file of `programs/deadcode/roots/`",
        notes=(f"there are {', '.join(f'`{each}`' for each in shipped)}",),
    )


def _allowed(chosen: Deadcode) -> str:
    """Return the allowed names as facts; a name is no name of a program when a text cannot hold it."""
    names = sorted({name for name in chosen.allow if '"' not in name and name.isprintable()})
    return "".join(f'allowed_name("{name}").\n' for name in names)
