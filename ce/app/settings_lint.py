"""Entries of our own lists that change nothing: the proofs that judge programs, turned on `.ceignore` files and `ce.toml`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from ce.diagnostics import Diagnostic, Related, Severity, Span
from ce.source.anchor import SETTINGS_FILE
from ce.source.coverage import covers, needless_globs, needless_patterns
from ce.source.exclude import parse_ignore_file
from ce.source.globs import glob_tokens, matcher
from ce.source.settings import Allowlist, Settings
from ce.source.text import read_file
from ce.source.toml_positions import KeyPositions

__all__ = ["IGNORE_FILE", "lint_ignore_file", "lint_settings"]

IGNORE_FILE = ".ceignore"

_LARGEST = 1 << 20


def lint_ignore_file(root: Path, path: str) -> tuple[list[Diagnostic], dict[str, str]]:
    """Return a warning for every line of an ignore file that another line makes needless, and the text of the file."""
    data = read_file(root, path, limit=_LARGEST)
    if not isinstance(data, bytes):
        return [], {}
    patterns = parse_ignore_file(data, path)
    text = data.decode("utf-8", "replace")
    lines = text.split("\n")

    def span(line: int) -> Span:
        return Span(path, line, 1, line, max(2, len(lines[line - 1].rstrip("\r")) + 1))

    found = [
        _needless(
            f"`{patterns[each.index].text}` changes nothing here",
            span(patterns[each.index].line),
            Related(span(patterns[each.because].line), f"`{patterns[each.because].text}` decides about all that it matches"),
        )
        for each in needless_patterns(patterns)
    ]
    return found, {path: text}


def lint_settings(root: Path, settings: Settings, paths: Collection[str]) -> tuple[list[Diagnostic], dict[str, str]]:
    """Return a warning for every entry of the lists of `ce.toml` that another entry covers or that matches no file, and its text."""
    data = read_file(root, SETTINGS_FILE, limit=_LARGEST)
    if not isinstance(data, bytes):
        return [], {}
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    positions = KeyPositions(text)
    found = [
        *_covered(settings.exclude, "exclude", positions.span(("exclude",))),
        *_covered(settings.graph.entry_globs, "graph.entry_globs", positions.span(("graph", "entry_globs"))),
        *_unmatched(settings.graph.entry_globs, "graph.entry_globs", positions.span(("graph", "entry_globs")), paths),
        *_classes(settings, positions, paths),
        *_registered(settings.allowlist, positions),
    ]
    return sorted(found, key=lambda diagnostic: diagnostic.sort_key), {SETTINGS_FILE: text}


def _covered(globs: Sequence[str], key: str, span: Span) -> Iterator[Diagnostic]:
    for each in needless_globs(globs):
        yield _needless(f"`{globs[each.index]}` in `{key}` changes nothing: `{globs[each.because]}` covers it", span)


def _unmatched(globs: Iterable[str], key: str, span: Span, paths: Collection[str]) -> Iterator[Diagnostic]:
    for glob in globs:
        matches = matcher((glob,))
        if paths and not any(matches(path) for path in paths):
            yield Diagnostic(
                "CE972",
                f"`{glob}` in `{key}` matches no file of this tree",
                span,
                ("correct the glob, or remove it",),
                severity=Severity.WARNING,
            )


def _classes(settings: Settings, positions: KeyPositions, paths: Collection[str]) -> Iterator[Diagnostic]:
    """Yield warnings about globs of path classes; the first class that matches a path owns it."""
    before: list[tuple[str, str]] = []
    for number, one in enumerate(settings.rules.classes):
        span = positions.span(("rules", "class", number, "globs"))
        key = f"rules.class {one.name}"
        yield from _covered(one.globs, key, span)
        yield from _unmatched(one.globs, key, span, paths)
        for glob in one.globs:
            owner = next(((name, wide) for name, wide in before if covers(glob_tokens(wide), glob_tokens(glob))), None)
            if owner is not None:
                yield _needless(f"`{glob}` in `{key}` owns no file: `{owner[1]}` of the class `{owner[0]}` before it covers it", span)
        before += [(one.name, glob) for glob in one.globs]


def _registered(allowlist: Allowlist, positions: KeyPositions) -> Iterator[Diagnostic]:
    entries = allowlist.registered_classes
    for number, one in enumerate(entries):
        for other, wide in enumerate(entries):
            same = (one.object, one.attribute) == (wide.object, wide.attribute)
            below = one.prefix == wide.prefix or one.prefix.startswith(f"{wide.prefix}.")
            if other != number and same and below and (one.prefix != wide.prefix or other < number):
                span = positions.span(("allowlist", "registered_class", number))
                yield _needless(f"the registered class `{one.prefix}` changes nothing: `{wide.prefix}` covers it", span)
                break


def _needless(message: str, span: Span, *related: Related) -> Diagnostic:
    return Diagnostic("CE971", message, span, ("remove it",), related, Severity.WARNING)
