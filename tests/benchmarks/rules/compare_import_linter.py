"""Judge the contracts of `contracts.toml` with import-linter and with our rules, and compare what both say.

    python -m tests.benchmarks.rules.compare_import_linter [--ce CE] [PACKAGE…]

Run it with an interpreter that has import-linter and the packages installed; `--ce` is the command of another environment. The
packages are copied, without what `ce` never measures (`vendor`), so that both tools see the same files. Exit code 1 when an answer differs.

What must be equal: every import that breaks a contract by itself, with its line. Where modules in between lead to what is forbidden
import-linter tells some shortest chains, we tell every first import on such a way; so each of its chains must be one of our ways,
and without the links of its chains none of our ways may be left. In circles of siblings it nominates imports to cut: each must be on one
of our circles, and without them none may be left; those that are on no circle at all are counted as needless.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.benchmarks.rules.contracts import Judgement, command_of, judged_by_import_linter, judged_by_rules


def main() -> int:
    """Compare every contract and print one line for each; return 1 when some answer differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="only the contracts of these packages")
    parser.add_argument("--ce", default="ce", help="the command of CodeEraser")
    arguments = parser.parse_args()
    contracts = tomllib.loads((Path(__file__).parent / "contracts.toml").read_text(encoding="utf-8"))["contract"]
    differing = 0
    with tempfile.TemporaryDirectory() as scratch:
        for contract in contracts:
            package = contract["package"]
            if arguments.packages and package not in arguments.packages:
                continue
            tree = _copied(package, Path(scratch))
            ours = judged_by_rules(contract, tree, command_of(arguments.ce))
            with contextlib.redirect_stdout(io.StringIO()):
                theirs = judged_by_import_linter(contract)
            differences = list(compared(ours, theirs, str(contract["type"])))
            differing += bool(differences)
            print(f"{package} {contract['type']}: {'different' if differences else 'same'}; {_figures(ours, theirs)}", flush=True)
            for line in differences[:10]:
                print(f"  {line}")
    return 1 if differing else 0


def _figures(ours: Judgement, theirs: Judgement) -> str:
    if theirs.cycles:
        nominated = f"nominated {len(theirs.cut)}, {len(needless(ours, theirs))} needless"
        return f"circles in {len(theirs.cycles)} packages; {nominated}; on circles {len(ours.direct)}"
    return f"imports {len(theirs.direct)} and {len(ours.direct)}, ways through others {len(theirs.ways)} and {len(ours.ways)}"


def _copied(package: str, scratch: Path) -> Path:
    tree = scratch / package
    if not tree.exists():
        spec = importlib.util.find_spec(package)
        assert spec is not None and spec.origin is not None, f"{package} is not installed"
        shutil.copytree(Path(spec.origin).parent, tree / package, ignore=shutil.ignore_patterns("__pycache__", "vendor"))
        sys.path.insert(0, str(tree))
    return tree


def compared(ours: Judgement, theirs: Judgement, kind: str) -> Iterator[str]:
    """Yield each difference in words."""
    if kind == "acyclic_siblings":
        yield from (f"a circle in {package} that one tool tells" for package in sorted(ours.cycles ^ theirs.cycles))
        on_circles = {(importer, imported) for importer, imported, _ in ours.direct}
        yield from (f"{link} is on none of our circles" for link in sorted(theirs.cut - on_circles - needless(ours, theirs)))
        for package in sorted(ours.cycles):
            if left := _circles(_children(package, ours.imports - theirs.cut)):
                yield f"a circle is left in {package}: {sorted(left)[:4]}"
        return
    yield from (f"only import-linter: {row}" for row in sorted(theirs.direct - ours.direct))
    yield from (f"only the rules: {row}" for row in sorted(ours.direct - theirs.direct))
    yield from (f"only import-linter: {way}" for way in sorted(theirs.ways - ours.ways))
    followers: dict[str, list[str]] = {}
    for importer, imported in sorted(ours.imports - theirs.cut):
        followers.setdefault(importer, []).append(imported)
    for importer, line, first, end in sorted(ours.ways):
        if (importer, first) not in theirs.cut and _leads(first, end, followers, ours.stops):
            yield f"only the rules: {(importer, line, first, end)}"


def _leads(start: str, end: str, followers: Mapping[str, list[str]], stops: set[str]) -> bool:
    """Tell whether a way is left that passes no module at which a way begins or ends."""
    seen, pending = {start}, [start]
    while pending:
        for module in followers.get(pending.pop(), ()):
            if module == end:
                return True
            if module not in seen and module not in stops:
                seen.add(module)
                pending.append(module)
    return False


def needless(ours: Judgement, theirs: Judgement) -> set[tuple[str, str]]:
    """Return the imports that import-linter nominates although no circle of siblings holds them."""
    found = set()
    for package in theirs.cycles:
        circles = _circles(_children(package, ours.imports))
        reach = {child: _reached(child, circles) for child, _ in circles}
        for link in theirs.cut & ours.imports:
            for one, other in _children(package, {link}):
                if one not in reach.get(other, ()):
                    found.add(link)
    return found


def _children(package: str, imports: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return which child of the package imports which other."""
    depth = package.count(".") + 2
    pairs = {
        (".".join(importer.split(".")[:depth]), ".".join(imported.split(".")[:depth]))
        for importer, imported in imports
        if importer.startswith(f"{package}.") and imported.startswith(f"{package}.")
    }
    return {(one, other) for one, other in pairs if one != other}


def _circles(left: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the pairs that remain when those that lead nowhere are taken away; none when there is no circle."""
    while True:
        importers = {one for one, _ in left}
        kept = {(one, other) for one, other in left if other in importers}
        if len(kept) == len(left):
            return kept
        left = kept


def _reached(start: str, pairs: set[tuple[str, str]]) -> set[str]:
    seen = {start}
    while more := {other for one, other in pairs if one in seen} - seen:
        seen |= more
    return seen


if __name__ == "__main__":
    sys.exit(main())
