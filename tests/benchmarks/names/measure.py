"""What names cost: `python -m tests.benchmarks.names.measure TREE [--growth]`.

Processor time of this process, which other work on the machine disturbs less than the clock does. For the tree: indexing it with the
references alone and with the names too, from nothing each, in turn and the least of `--repeat` times; what the names add, divided into
reading them, writing them as bytes, storing them (with whatever else the refresh does for them) and linking; linking again after one file
changed; reading the rows when nothing did. With `--growth`: copies of the tree beside each other, 1, 2, 4 and 8 of them; what linking
costs, what `ce deadcode --symbols` and `ce why` cost in a process of their own when nothing changed since an earlier run, and what they
cost when their answer was not kept; each beside the same for one copy, so that 1.00 is linear.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ce.app.index import ProjectIndex
from ce.extract.languages import language_spec
from ce.extract.names.codec import encode_names_table
from ce.extract.names.registry import has_names, table_of
from ce.extract.parsing import Parsed, parse
from ce.extract.registry import language_of

_REFERENCES = ("ref", "outcome", "unit")
_NAMES = ("name_ref", "member_ref", "external_ref", "symbol_kind", "symbol_in", "overrides")
_COPIES = (1, 2, 4, 8)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--repeat", type=int, default=2)
    options = parser.parse_args()
    if options.growth:
        _growth(options.tree)
    else:
        _costs(options.tree, options.repeat)


def _costs(source: Path, repeat: int) -> None:
    with _copied(source, 1) as root:
        runs = [(_cold(root, _REFERENCES), _cold(root, (*_REFERENCES, *_NAMES))) for _ in range(repeat)]
        plain, both = (min((run[side] for run in runs), key=sum) for side in (0, 1))
        reading, writing = map(min, zip(*(_extraction(root) for _ in range(repeat)), strict=True))
        storing, linking = both[0] - plain[0] - reading - writing, both[1] - plain[1]
        added = sum(both) / sum(plain) - 1
        print(f"cold, references alone: {sum(plain):.2f} s; with names: {sum(both):.2f} s; names add {100 * added:.0f} %")
        parts = {"reading": reading, "writing": writing, "storing": storing, "linking": linking}
        print("of that " + ", ".join(f"{name} {took:.2f} s ({100 * took / sum(plain):.0f} %)" for name, took in parts.items()))
        _load(root, (*_REFERENCES, *_NAMES))
        print(f"nothing changed: {_seconds(lambda: _load(root, _NAMES)):.2f} s")
        edited = max(root.rglob("*.py"), key=lambda path: path.stat().st_size, default=None)
        if edited is not None:
            edited.write_text(edited.read_text(encoding="utf-8") + "\n\ndef added_by_the_benchmark():\n    return 1\n", encoding="utf-8")
            references = _seconds(lambda: _load(root, _REFERENCES))
            print(f"one file changed: references {references:.2f} s, then names {_seconds(lambda: _load(root, _NAMES)):.2f} s")


def _growth(source: Path) -> None:
    first: dict[str, float] = {}
    for copies in _COPIES:
        with _copied(source, copies) as root:
            _load(root, _REFERENCES)
            with ProjectIndex(root, workers=0) as index:
                index.refresh(_NAMES)
                took = {"linking": _seconds(lambda index=index: index.database(_NAMES))}  # type: ignore[misc]  # binds it now
                files = index.counts["files"]
            took |= _commands(root)
        start = took.pop("start")
        told = []
        for what, seconds in took.items():
            first.setdefault(what, seconds)
            told.append(f"{what} {seconds:.2f} s ({seconds / first[what] / copies:.2f} of linear)")
        print(f"{copies} x, {files} files: {', '.join(told)}; the start of a process is {start:.2f} s of each command", flush=True)


def _commands(root: Path) -> dict[str, float]:
    """Return what commands cost once everything that they read is at hand; a bound of its own makes a question a new one."""
    path = max(root.rglob("*.py"), key=lambda path: (path.stat().st_size, path), default=root / "none").relative_to(root)
    symbols, why = ("deadcode", "--symbols"), ("why", str(path))
    more = ("--max-rows", "1000000000", "--quiet", "--format", "json")
    for command in (symbols, why):
        _command(root, *command)
    return {
        "start": _command(root, "--version"),
        "names kept": _command(root, *symbols),
        "names asked": _command(root, *symbols, *more),
        "why kept": _command(root, *why),
        "why asked": _command(root, *why, *more),
    }


def _command(root: Path, *words: str) -> float:
    """Return the processor time of `ce` in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "ce", *words]
    subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _cold(root: Path, relations: tuple[str, ...]) -> tuple[float, float]:
    """Return what the refresh from nothing took, and the database after it."""
    with ProjectIndex(root, on_disk=False, workers=0) as index:
        return _seconds(lambda: index.refresh(relations)), _seconds(lambda: index.database(relations))


def _extraction(root: Path) -> tuple[float, float]:
    """Return what reading the names of all files took, and what writing them as bytes did."""
    reading = writing = 0.0
    for path in sorted(one for one in root.rglob("*") if one.is_file()):
        text = path.read_bytes()
        row = language_of(path.name, text[:256])
        if row is None or not row.is_specified or not has_names(row.language):
            continue
        parsed = parse(path.name, language_spec(row.language), text)
        if isinstance(parsed, Parsed) and parsed.tree is not None:
            start = time.process_time()
            table = table_of(parsed)
            middle = time.process_time()
            encode_names_table(table)
            reading, writing = reading + middle - start, writing + time.process_time() - middle
    return reading, writing


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
