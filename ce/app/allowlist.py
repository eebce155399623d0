"""The allowlist gate as a use case: settings, file, corpus, verdicts; and the first draft of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ce.allowlist import AllowlistSchemaError, DeadSymbolAllowlist, Detectors, Settings, Verdicts, default_roots, evaluate, load_allowlist
from ce.allowlist.corpus import Corpus, read_corpus
from ce.allowlist.draft import draft
from ce.app.project import Project
from ce.diagnostics import CeError
from ce.source.settings import Allowlist, load_settings

__all__ = ["AllowlistReport", "judge_allowlist", "write_draft"]


@dataclass(frozen=True, slots=True)
class AllowlistReport:
    """What `ce allowlist` says. `error` is the schema fault that stopped everything; then `verdicts` is None."""

    root: str
    file: str
    verdicts: Verdicts | None
    error: AllowlistSchemaError | None
    modules: int
    symbols: int

    @property
    def ok(self) -> bool:
        """Tell whether the gate is green."""
        return self.verdicts is not None and self.verdicts.ok


def judge_allowlist(project: Project, *, file: str | None = None, overrides: Mapping[str, int] | None = None) -> AllowlistReport:
    """Judge the project's exported names against its allowlist.

    Raises CeError when no file is named (CE612) or the corpus cannot be read (CE611); a fault inside the file is part of the report.
    """
    settings = load_settings(project.root).allowlist
    named = file or settings.file
    if not named:
        raise CeError.of(
            "CE612",
            "no allowlist is named",
            notes=["set `file` under `[allowlist]` in ce.toml, or give `--file`", "`ce allowlist --init FILE` writes a first one"],
        )
    path = _path(project.root, named, explicit=file is not None)
    try:
        allowlist = load_allowlist(path, widened_key=settings.widened_key)
    except AllowlistSchemaError as error:
        fault = AllowlistSchemaError(named, error.pointer, error.rule, error.detail)
        return AllowlistReport(project.shown, named, None, fault, 0, 0)
    corpus = _corpus(project.root, settings)
    verdicts = evaluate(corpus, allowlist, _numbers(settings, overrides or {}), at=named)
    return AllowlistReport(project.shown, named, verdicts, None, len(corpus.declared), corpus.symbols)


def write_draft(project: Project, file: str) -> int:
    """Write a first allowlist and return the number of its entries.

    Raises CeError (CE613) when the file exists already or cannot be written; nothing is ever overwritten.
    """
    settings = load_settings(project.root).allowlist
    verdicts = evaluate(_corpus(project.root, settings), DeadSymbolAllowlist(), _numbers(settings, {}))
    path = _path(project.root, file, explicit=True)
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(draft(verdicts, settings.widened_key))
    except OSError as error:
        raise CeError.of("CE613", f"`{file}` cannot be written: {error.strerror or error}") from None
    return len(verdicts.offenders) + len(verdicts.widened_offenders)


def _path(root: Path, name: str, *, explicit: bool) -> Path:
    """Return where a file is: below the root, or where the user's own words lead when the root has no such file."""
    inside = root / name
    return inside if inside.exists() or not explicit or not Path(name).exists() else Path(name)


def _corpus(root: Path, settings: Allowlist) -> Corpus:
    classes = tuple((entry.prefix, entry.object, entry.attribute) for entry in settings.registered_classes)
    factories = settings.app_factories or Detectors().app_factories
    attributes = settings.command_attrs or Detectors().command_attrs
    return read_corpus(root, settings.packages or default_roots(root), Detectors(classes, factories, attributes))


def _numbers(settings: Allowlist, overrides: Mapping[str, int]) -> Settings:
    numbers = {
        "min_modules": settings.min_modules or 1,
        "min_symbols": settings.min_symbols or 1,
        "cap": settings.cap,
        "widened_cap": settings.widened_cap,
        **overrides,
    }
    return Settings(**numbers, check_widened=settings.widened)  # type: ignore[arg-type]  # each number has the type of its field
