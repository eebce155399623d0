"""A baseline of dead names: what was dead before is known by its qualified name and its text, never by a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ce.app.baseline import open_baseline
from ce.app.report import DeadName, NamesReport
from ce.verdicts import baseline
from ce.verdicts.baseline import Witness

if TYPE_CHECKING:
    from ce.app.baseline import Baseline
    from ce.app.project import Project

__all__ = ["apply_name_baseline", "open_name_baseline"]

_ASSERTION = "dead_symbol"


def open_name_baseline(project: Project, name: str, *, write: bool) -> Baseline:
    """Return the baseline file. Raises CeError when it is missing (unless it is to be written), unreadable or no baseline."""
    return open_baseline(project, name, write=write, command="ce deadcode --symbols")


def apply_name_baseline(project: Project, report: NamesReport, opened: Baseline, names: Sequence[DeadName], *, write: bool) -> NamesReport:
    """Return the report with the names that the baseline knows apart; `names` are the dead names of all tiers.

    With `write` a baseline that does not exist accepts the names that the report shows; one that does loses what is dead no more.
    """
    texts = _Texts(project)
    shown = {each.symbol for each in report.symbols}
    today = [texts.witness(each) for each in names]
    accepted = tuple(witness for each, witness in zip(names, today, strict=True) if each.symbol in shown)
    entries = accepted if opened.entries is None else opened.entries
    others = [entry for entry in entries if entry.assertion != _ASSERTION]
    matched = baseline.compare([entry for entry in entries if entry.assertion == _ASSERTION], [(witness, ()) for witness in today])
    if write:
        opened.save([*others, *matched.kept])
    known = {names[number].symbol for number in matched.known}
    return replace(
        report,
        symbols=tuple(each for each in report.symbols if each.symbol not in known),
        known=tuple(each for each in report.symbols if each.symbol in known),
        fixed=tuple(str(entry.values[0]).partition(" ")[2].replace(" ", ".") for entry in matched.fixed),
    )


class _Texts:
    """The lines of declarations; each file is read once."""

    def __init__(self, project: Project) -> None:
        self._root = project.root
        self._lines: dict[str, list[str]] = {}

    def witness(self, name: DeadName) -> Witness:
        """Return what identifies a dead name: its kind and qualified name, a sketch of its text."""
        text = self._of(name.path)[name.line - 1 : name.end_line]
        # Without its dots a name is no dotted name: a baseline must not keep alive what it lists.
        return Witness(_ASSERTION, (f"{name.kind} {name.qualified.replace('.', ' ')}",), baseline.content_sketch(text))

    def _of(self, path: str) -> list[str]:
        if path not in self._lines:
            from ce.source.text import decode, read_file

            data = read_file(self._root, path)
            self._lines[path] = decode(data).text_bytes.decode("utf-8", "replace").split("\n") if isinstance(data, bytes) else []
        return self._lines[path]
