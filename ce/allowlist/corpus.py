"""The corpus: every Python module below the source roots, read once, as facts about names and callers.

Each module is parsed by itself; nothing is imported. What a fact means for a verdict is `programs/allowlist/allowlist.dl`'s business.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ce.allowlist.names import ModuleFacts, module_facts
from ce.diagnostics import CeError, Diagnostic

__all__ = ["Corpus", "Detectors", "Fact", "default_roots", "read_corpus", "scan"]

Fact = tuple[int | str, ...]
_NOT_PRODUCT = frozenset(
    {"tests", "test", "testing", "docs", "doc", "examples", "example", "benchmarks", "scripts", "tools", "build", "dist"}
)


@dataclass(frozen=True, slots=True)
class Detectors:
    """What a project adds to the structural exemptions.

    `registered_classes` are (module prefix, decorator object, attribute); `app_factories` dotted constructors of app objects;
    `command_attrs` decorator attributes that register a command.
    """

    registered_classes: tuple[tuple[str, str, str], ...] = ()
    app_factories: tuple[str, ...] = ("typer.Typer",)
    command_attrs: tuple[str, ...] = ("command", "callback")


@dataclass(frozen=True)
class Corpus:
    """All modules by dotted name. `restricted(names)` is the same walk seen through fewer modules; nothing is read twice."""

    modules: Mapping[str, ModuleFacts] = field(repr=False)

    @cached_property
    def declared(self) -> dict[str, tuple[str, ...]]:
        """Return the literal `__all__` of every module that has a non-empty one."""
        return {name: module.declared for name, module in self.modules.items() if module.declared}

    @property
    def symbols(self) -> int:
        """Return the number of declared names."""
        return sum(map(len, self.declared.values()))

    def restricted(self, names: Iterable[str]) -> Corpus:
        """Return the corpus of the named modules alone."""
        wanted = set(names)
        return Corpus({name: module for name, module in self.modules.items() if name in wanted})

    @cached_property
    def facts(self) -> dict[str, list[Fact]]:
        """Return the facts of `programs/allowlist/allowlist.dl`, each relation sorted."""
        facts: dict[str, set[Fact]] = {name: set() for name in _RELATIONS}
        known = self.modules.keys()
        for name, module in self.modules.items():
            facts["module"].add((name,))
            facts["declares"].update((name, symbol) for symbol in module.declared)
            facts["public_name"].update((name, symbol) for symbol in module.public)
            facts["local_definition"].update((name, symbol) for symbol in module.definitions)
            facts["import_alias"].update((name, symbol) for symbol in module.body_imports)
            facts["reexport"].update((name, symbol, *origin) for symbol, origin in module.reexports.items())
            facts["facade_row"].update((name, symbol, *target) for symbol, target in module.facade.items())
            facts["content"].update((name, symbol, digest) for symbol, digest in module.content.items())
            facts["own_use"].update((name, symbol) for symbol in module.own_uses)
            facts["registered_class"].update((name, symbol) for symbol in module.registered)
            facts["app_object"].update((name, symbol) for symbol in module.apps)
            facts["command_function"].update((name, symbol) for symbol in module.commands)
            facts["star_import"].update((name, target, line) for target, line in module.star_targets)
            for target, symbol, detector, line in module.edges:
                if detector == "from_import" or target in known:
                    facts["edge"].add((name, target, symbol, detector, line))
        targets = {str(target) for _, target, *_ in facts["edge"]}
        facts["parent"] = {(name, name.rpartition(".")[0]) for name in known if "." in name}
        facts["below"] = {(target, above) for target in targets for above in _above(target)}
        return {name: sorted(rows) for name, rows in facts.items()}


_RELATIONS = (
    "module",
    "declares",
    "public_name",
    "local_definition",
    "import_alias",
    "reexport",
    "facade_row",
    "content",
    "own_use",
    "registered_class",
    "app_object",
    "command_function",
    "star_import",
    "edge",
    "parent",
    "below",
)


def default_roots(root: Path) -> tuple[str, ...]:
    """Return where the product lives when nobody says: `src`, else the packages of the root, else the root itself."""
    if (root / "src").is_dir():
        return ("src",)
    packages = sorted(
        entry.name
        for entry in root.iterdir()
        if entry.name not in _NOT_PRODUCT and (entry / "__init__.py").is_file() and not entry.is_symlink()
    )
    return tuple(packages) or (".",)


def read_corpus(root: Path, places: Sequence[str], detectors: Detectors | None = None) -> Corpus:
    """Return the corpus of the product below `root`.

    A place is a source root, or a package (a directory with `__init__.py`, whose parent is the root of its module names).
    Raises CeError (CE611) that lists every place that is missing, every file that does not parse, every module name with two files.
    """
    faults: list[Diagnostic] = []
    sources: dict[str, tuple[str, bytes]] = {}
    for place in places:
        base = root / place
        if not base.is_dir():
            faults.append(
                Diagnostic("CE611", f"`{place}` is not a directory of {root}", notes=("set `packages` under `[allowlist]` in ce.toml",))
            )
            continue
        parent = base.parent if (base / "__init__.py").is_file() else base
        for path in _python_files(base):
            name = _module_name(path.relative_to(parent))
            relative = path.relative_to(root).as_posix()
            if name in sources and sources[name][0] != relative:
                faults.append(Diagnostic("CE611", f"module `{name}` has two files: `{sources[name][0]}` and `{relative}`"))
                continue
            try:
                sources[name] = (relative, path.read_bytes())
            except OSError as error:
                faults.append(Diagnostic("CE611", f"`{relative}` cannot be read: {error.strerror or error}"))
    if faults:
        raise CeError(tuple(faults))
    return scan(sources, detectors)


def scan(sources: Mapping[str, tuple[str, bytes]], detectors: Detectors | None = None) -> Corpus:
    """Return the corpus of module sources, given as module name to (path, bytes). Raises CeError (CE611) as `read_corpus` does."""
    faults: list[Diagnostic] = []
    modules: dict[str, ModuleFacts] = {}
    for name, (path, data) in sorted(sources.items()):
        try:
            tree = ast.parse(data, path)
            modules[name] = module_facts(name, path, data, tree, detectors or Detectors())
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None) or 1
            message = getattr(error, "msg", None) or str(error) or type(error).__name__
            faults.append(Diagnostic("CE611", f"{path}:{line}: does not parse: {message}"))
    if faults:
        raise CeError(tuple(faults))
    return Corpus(modules)


def _python_files(base: Path) -> Iterator[Path]:
    for directory, folders, files in os.walk(base):
        folders[:] = sorted(folder for folder in folders if folder != "__pycache__" and not folder.startswith("."))
        present = set(files)
        for name in sorted(files):
            if name.endswith(".py") and f"{name}.asset.yaml" not in present:
                yield Path(directory, name)


def _module_name(relative: Path) -> str:
    parts = list(relative.with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


def _above(target: str) -> Iterator[str]:
    while "." in target:
        target = target.rpartition(".")[0]
        yield target
