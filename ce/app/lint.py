"""What is suspicious in programs and in our own lists, on this tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ce.app.program import needed_facts
from ce.app.project import Project, rules_files
from ce.diagnostics import CeError, Diagnostic
from ce.verdicts.family import PRELUDE_SOURCE, RESERVED_SOURCES, RulesFile, include_loader, program_text

if TYPE_CHECKING:
    from ce.app.index import ProjectIndex
    from ce.datalog.checked import CheckedProgram
    from ce.datalog.syntax import Program

__all__ = ["LintReport", "lint_project"]


@dataclass(frozen=True, slots=True)
class LintReport:
    """The warnings about some files, sorted by place; `files` are the names of what was looked at."""

    root: str
    files: tuple[str, ...]
    warnings: tuple[Diagnostic, ...]
    sources: Mapping[str, str]
    index: Mapping[str, int]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Checked:
    file: RulesFile
    program: Program
    checked: CheckedProgram


def lint_project(project: Project, names: Sequence[str] = (), *, tree: bool = True, bare: bool = False) -> LintReport:
    """Return the warnings about the named programs; without names about the rules file of the project, `.ceignore` files and `ce.toml`.

    With `tree` the facts of the tree are counted, so that what cannot happen there is told too; `bare` programs are for
    `ce datalog` and know no tree. Raises CeError with the faults of all programs.
    """
    programs = _check_all(project, rules_files(project, names or None), bare=bare)
    found: list[Diagnostic] = []
    sources: dict[str, str] = {}
    looked_at = [each.file.source for each in programs]
    index: Mapping[str, int] = {}
    notes: tuple[str, ...] = ()
    if tree and not bare:
        from ce.app.index import ProjectIndex

        with ProjectIndex(project.root) as opened:
            opened.refresh()
            for each in programs:
                found += _lint_on_tree(each, opened)
            if not names:
                own, texts = _own_lists(project, opened)
                found += own
                sources |= texts
                looked_at += sorted(texts)
            index, notes = opened.counts, opened.problems
    else:
        found += [warning for each in programs for warning in _lint_alone(each, bare=bare)]
    for each in programs:
        sources |= each.program.sources
    if not looked_at:
        notes = ("no rules file, no .ceignore and no ce.toml: nothing to lint; name a program: ce lint FILE", *notes)
    warnings = tuple(sorted(dict.fromkeys(found), key=lambda diagnostic: diagnostic.sort_key))
    return LintReport(project.shown, tuple(looked_at), warnings, sources, index, notes)


def _check_all(project: Project, files: Sequence[RulesFile], *, bare: bool) -> list[_Checked]:
    from ce.datalog.checks import check
    from ce.datalog.parse import parse_program
    from ce.facts.schema import schema

    prelude = [] if bare else [program_text(PRELUDE_SOURCE.removeprefix("programs/"))]
    known, reserved = ((), ()) if bare else (schema(), RESERVED_SOURCES)
    loader = include_loader(project.root, tuple(file.directory for file in files if file.directory is not None))
    found: list[_Checked] = []
    faults: list[Diagnostic] = []
    sources: dict[str, str] = {}
    for file in files:
        try:
            program = parse_program([*prelude, (file.source, file.text)], loader, recover=True)
            found.append(_Checked(file, program, check(program, known, reserved=reserved)))
        except CeError as error:
            faults += error.diagnostics
            sources |= error.sources
    if faults:
        raise CeError(tuple(dict.fromkeys(faults)), sources)
    return found


def _lint_alone(each: _Checked, *, bare: bool = False) -> list[Diagnostic]:
    from ce.datalog.lint import lint
    from ce.facts.schema import schema

    return lint(each.program, each.checked, () if bare else schema(), sources=[each.file.source])


def _lint_on_tree(each: _Checked, index: ProjectIndex) -> list[Diagnostic]:
    """Return the warnings about a program on the facts of the tree; costly relations are not measured for it and may hold anything."""
    from ce.app.vacuity import missing_facts, row_counts, unmatched
    from ce.datalog.lint import lint
    from ce.facts.schema import Cost, relation, schema

    predicates = [name for name, known in each.checked.relations.items() if known.idb]
    relations, globs = needed_facts(each.checked, predicates)
    cheap = [name for name in relations if (known := relation(name)) is not None and known.cost != Cost.COSTLY]
    database = index.database(cheap, globs)
    if not index.counts["files"]:
        return _lint_alone(each)
    own = [each.file.source]
    counts, missing = row_counts(database), missing_facts(database)
    warnings = lint(each.program, each.checked, schema(), counts, sources=own, missing=missing)
    # A shipped file names directories that other trees have.
    patterns = unmatched(each.checked, database, own) if each.file.directory is not None else ()
    return [*warnings, *patterns]


def _own_lists(project: Project, index: ProjectIndex) -> tuple[list[Diagnostic], dict[str, str]]:
    from ce.app.settings_lint import IGNORE_FILE, lint_ignore_file, lint_settings

    directories = {""} | {f"{path.rpartition('/')[0]}/" for path in index.tree.paths if "/" in path}
    found, sources = lint_settings(project.root, index.settings, index.tree.paths)
    for directory in sorted(directories):
        if (project.root / directory / IGNORE_FILE).is_file():
            warnings, text = lint_ignore_file(project.root, directory + IGNORE_FILE)
            found += warnings
            sources |= text
    return found, sources
