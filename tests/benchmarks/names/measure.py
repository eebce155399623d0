"""What names cost: `python -m tests.benchmarks.names.measure TREE [--growth]`.

Processor time of this process, which other work on the machine disturbs less than the clock does. For the tree: indexing it with the
references alone and with the names too, from nothing each; linking again after one file changed; reading the rows when nothing did.
With `--growth`: linking copies of the tree beside each other, 1, 2, 4 and 8 of them.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ce.app.index import ProjectIndex

_REFERENCES = ("ref", "outcome", "unit")
_NAMES = ("name_ref", "member_ref", "external_ref", "symbol_kind", "symbol_in", "overrides")
_COPIES = (1, 2, 4, 8)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--growth", action="store_true")
    options = parser.parse_args()
    if options.growth:
        _growth(options.tree)
    else:
        _costs(options.tree)


def _costs(source: Path) -> None:
    with _copied(source, 1) as root:
        plain = _cold(root, _REFERENCES)
        both = _cold(root, (*_REFERENCES, *_NAMES))
        print(f"cold, references alone: {plain:.2f} s; with names: {both:.2f} s; names add {100 * (both / plain - 1):.0f} %")
        _load(root, (*_REFERENCES, *_NAMES))
        print(f"nothing changed: {_seconds(lambda: _load(root, _NAMES)):.2f} s")
        edited = max(root.rglob("*.py"), key=lambda path: path.stat().st_size, default=None)
        if edited is not None:
            edited.write_text(edited.read_text(encoding="utf-8") + "\n\ndef added_by_the_benchmark():\n    return 1\n", encoding="utf-8")
            references = _seconds(lambda: _load(root, _REFERENCES))
            print(f"one file changed: references {references:.2f} s, then names {_seconds(lambda: _load(root, _NAMES)):.2f} s")


def _growth(source: Path) -> None:
    first = 0.0
    for copies in _COPIES:
        with _copied(source, copies) as root:
            _load(root, _REFERENCES)
            with ProjectIndex(root, workers=0) as index:
                index.refresh(_NAMES)
                took = _seconds(lambda index=index: index.database(_NAMES))  # type: ignore[misc]  # a default argument binds it now
            first = first or took
            print(f"{copies} x: linking {took:.2f} s, {took / first / copies:.2f} of linear")


def _cold(root: Path, relations: tuple[str, ...]) -> float:
    def run() -> None:
        with ProjectIndex(root, on_disk=False, workers=0) as index:
            index.refresh(relations)
            index.database(relations)

    return _seconds(run)


def _load(root: Path, relations: tuple[str, ...]) -> None:
    with ProjectIndex(root, workers=0) as index:
        index.refresh(relations)
        index.database(relations)


def _seconds(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


@contextmanager
def _copied(source: Path, copies: int) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for number in range(copies):
            shutil.copytree(source, root / f"copy{number}", ignore=shutil.ignore_patterns(".ce", ".git"), symlinks=True)
        yield root


if __name__ == "__main__":
    main()
