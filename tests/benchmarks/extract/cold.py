"""How much longer measuring a tree takes than parsing it alone: the same files, the same grammars, one run.

    python tests/benchmarks/extract/cold.py ROOT [--layers core,mentions] [--processes N] [--rounds N]

Prints CPU seconds of the best round for decoding and parsing, for all layers, and their ratio, for all files and per language.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from ce.extract.extractor import extract
from ce.extract.languages import LANGUAGES, language_spec
from ce.extract.parsing import MAX_PARSE_BYTES, grammar
from ce.extract.registry import language_of
from ce.source.text import decode, read_file
from ce.source.tree import SkippedFile

Sources = list[tuple[str, bytes]]


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("root", type=Path)
    options.add_argument("--layers", default="core")
    options.add_argument("--processes", type=int, default=1)
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    by_language = sources_of(given.root)
    layers = tuple(given.layers.split(","))
    groups = {**by_language, "all": [source for sources in by_language.values() for source in sources]}
    print(f"{'language':12} {'files':>6} {'MB':>7} {'parse s':>8} {'measure s':>9} {'ratio':>6}")
    for language, sources in groups.items():
        parts = [sources[start :: given.processes] for start in range(given.processes)]
        parsing = best(lambda parts=parts: cpu_of(parse_all, parts), given.rounds)  # type: ignore[misc]  # mypy infers no type of a default
        measuring = best(lambda parts=parts: cpu_of(measure_all, parts, layers), given.rounds)  # type: ignore[misc]  # likewise
        size = sum(len(data) for _, data in sources) / 1e6
        print(f"{language:12} {len(sources):6} {size:7.1f} {parsing:8.3f} {measuring:9.3f} {measuring / parsing:6.2f}")


def sources_of(root: Path) -> dict[str, Sources]:
    """Return the files that have a grammar, by language, as path and bytes."""
    found: dict[str, Sources] = {}
    for path in sorted(root.rglob("*")):
        row = language_of(path.name)
        if not path.is_file() or row is None or row.language not in LANGUAGES or not language_spec(row.language).grammar:
            continue
        data = read_file(root, path.relative_to(root).as_posix())
        if not isinstance(data, SkippedFile) and len(data) <= MAX_PARSE_BYTES and not decode(data).is_binary:
            found.setdefault(row.language, []).append((path.relative_to(root).as_posix(), data))
    return found


def parse_all(sources: Sources) -> float:
    """Return the CPU seconds that decoding and parsing take."""
    from tree_sitter import Parser

    parsers = {name: Parser(grammar(language_spec(name).grammar)) for name in {language_name(path) for path, _ in sources}}
    start = time.process_time()
    for path, data in sources:
        parsers[language_name(path)].parse(decode(data).text_bytes)
    return time.process_time() - start


def measure_all(sources: Sources, layers: tuple[str, ...]) -> float:
    """Return the CPU seconds that the layers take."""
    for name in {language_name(path) for path, _ in sources}:
        extract(next(path for path, _ in sources if language_name(path) == name), b"", layers)  # imports and tables are not measured
    start = time.process_time()
    for path, data in sources:
        extract(path, data, layers)
    return time.process_time() - start


def language_name(path: str) -> str:
    """Return the language of a path that has one."""
    row = language_of(path)
    assert row is not None
    return row.language


def cpu_of(work: Callable[..., float], parts: list[Sources], *rest: object) -> float:
    """Return the CPU seconds of all parts, each in a process of its own when there are several."""
    if len(parts) == 1:
        return work(parts[0], *rest)
    with ProcessPoolExecutor(len(parts)) as pool:
        return sum(future.result() for future in [pool.submit(work, part, *rest) for part in parts])


def best(measure: Callable[[], float], rounds: int) -> float:
    """Return the least of several measurements."""
    return min(measure() for _ in range(rounds))


if __name__ == "__main__":
    main()
