"""Reading policy clauses from disk: Markdown files with front matter and `match:` lines, JSON corpora, decision windows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from ce.diagnostics import CeError

__all__ = ["read_clause_directory", "read_corpus_file", "read_window"]

_MATCH = re.compile(r"^match\s*:\s*(.+)$", re.IGNORECASE | re.MULTILINE)
_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)


def read_clause_directory(directory: Path) -> list[dict[str, object]]:
    """Return the clauses of every `*.md` below a directory in path order, each with `at` and `match` lines left for the caller.

    Raises CeError (CE604) when the directory or a file cannot be read, or a front matter is no YAML mapping.
    """
    if not directory.is_dir():
        raise CeError.of("CE604", f"`{directory}` is not a directory of clauses")
    return [_clause(path, path.relative_to(directory).as_posix()) for path in sorted(directory.rglob("*.md")) if path.is_file()]


def read_corpus_file(path: Path) -> dict[str, object]:
    """Return the document of a JSON corpus. Raises CeError (CE604) when it is not a JSON mapping."""
    try:
        document = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise CeError.of("CE604", f"{path}: not JSON: {error}") from None
    if not isinstance(document, dict):
        raise CeError.of("CE604", f"{path}: a corpus is a mapping with `human` and `learned`")
    return document


def read_window(path: Path) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield (place, record) of a JSON-lines window. Raises CeError (CE604) naming the line that is not a JSON mapping."""
    for number, line in enumerate(_text(path).splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise CeError.of("CE604", f"{path}:{number}: not JSON: {error}") from None
        if not isinstance(record, dict):
            raise CeError.of("CE604", f"{path}:{number}: a record is a mapping")
        yield f"{path}:{number}", record


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CeError.of("CE604", f"{path}: cannot be read: {error}") from None


def _clause(path: Path, relative: str) -> dict[str, object]:
    import yaml

    text = _text(path)
    fields: dict[str, object] = {}
    body = text
    fences = list(_FENCE.finditer(text))
    if len(fences) >= 2 and not text[: fences[0].start()].strip():
        try:
            front = yaml.safe_load(text[fences[0].end() : fences[1].start()])
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise CeError.of("CE604", f"{path}: the front matter is no YAML: {' '.join(str(error).split())}") from None
        if front is not None and not isinstance(front, dict):
            raise CeError.of("CE604", f"{path}: the front matter is a mapping")
        fields = {str(key): value for key, value in (front or {}).items()}
        body = text[fences[1].end() :]
    fields.setdefault("id", Path(relative).stem)
    fields["at"] = relative
    fields["match"] = [found.group(1) for found in _MATCH.finditer(body)]
    fields["text"] = _MATCH.sub("", body).strip()
    return fields
