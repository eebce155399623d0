"""Every assertion of a rules file, judged over a tree."""

from __future__ import annotations

from collections.abc import Sequence

from ce.app.evaluation import Options, evaluate
from ce.app.project import DEFAULT_RULES, Project, rules_files
from ce.app.query import report
from ce.app.report import Report

__all__ = ["judge"]


def judge(project: Project, files: Sequence[str] | None = None, *, options: Options) -> Report:
    """Return the report on the rules files, by default the one of the settings; every violation carries its proof.

    Without any rules file there is nothing to break: the report says so. Raises CeError when a file has a fault.
    """
    rules = rules_files(project, files)
    if not rules:
        note = f"no rules file: neither `[rules] file` in ce.toml nor `{DEFAULT_RULES}` at the root; nothing was asserted"
        return Report(project.shown, (), {"asserts": 0, "violations": 0}, {}, notes=(note,))
    return report(project, evaluate(project, rules, options=options))
