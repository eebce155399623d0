"""Helpers that let a project keep a gate as one of its own tests."""

from __future__ import annotations

from pathlib import Path

__all__ = ["assert_no_dead_symbols"]


def assert_no_dead_symbols(root: str | Path = ".", *, file: str | Path | None = None) -> None:
    """Fail unless every exported name of the project has a caller or an exception that earns its place.

    Raises AssertionError that lists every finding; `ce.diagnostics.CeError` or `ce.allowlist.AllowlistSchemaError` when nothing could
    be judged.
    """
    from ce.app.allowlist import judge_allowlist
    from ce.app.project import open_project
    from ce.faces.cli.gate_text import allowlist_text
    from ce.faces.cli.terminal import Style

    report = judge_allowlist(open_project(str(root)), file=None if file is None else str(file))
    if report.error is not None:
        raise report.error
    assert report.ok, "\n" + allowlist_text(report, Style(colour=False))
