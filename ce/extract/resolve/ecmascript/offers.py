"""What a package offers under a subpath: its `exports`, `imports`, `main` and the other fields that name files.

`exports` and `imports` are read as Node reads them: the exact key first, else the pattern with the longest prefix, then the longest key,
whose star stands for at least one character; `null` offers nothing. Of nested conditions those that contradict the kind of the
import are left out (`require` for an import, `import` for a `require`), and so is what stands behind one that always holds; the rest are
alternatives. Targets under `types` are types.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ce.extract.resolve.ecmascript.packages import Package

__all__ = ["Target", "exported", "has_exports", "imported", "is_hidden", "main_targets", "targets_of"]

_IMPORT_ONLY = frozenset({"import", "module", "module-sync"})
_REQUIRE_ONLY = frozenset({"require"})
_ALWAYS_IMPORTED = frozenset({"import", "default"})
_ALWAYS_REQUIRED = frozenset({"require", "default"})
_TYPES = "types"
_MAINS = (
    "main",
    "module",
    "browser",
    "source",
    "jsnext:main",
    "es2015",
    "react-native",
    "svelte",
    "vue",
    "nuxt",
    "esm",
    "esm2020",
    "fesm2020",
)
_TYPE_MAINS = ("types", "typings")
# Conditions that Node, bundlers and other engines know; any other holds only for who asks for it.
_KNOWN = frozenset({
    "import", "require", "default", "node", "node-addons", "browser", "module", "module-sync", "development", "production", "deno", "bun",
    "worker", "workerd", "edge-light", "netlify", "electron", "react-native", "react-server", "svelte", "solid", "style", "sass", "asset",
    "script", "es2015", "esnext", "modern", "webpack", "umd", "unpkg", "types", "edge", "vercel", "browserify",
})  # fmt: skip
_MAX_DEPTH = 16


@dataclass(frozen=True, slots=True)
class Target:
    """A path as a manifest spells it, whether it holds types alone, and whether only a condition of somebody's own leads to it."""

    path: str
    is_types: bool = False
    is_custom: bool = False


def has_exports(package: Package) -> bool:
    """Return whether a map says what the package offers, so that nothing else can be imported."""
    return package.document.get("exports") is not None


def exported(package: Package, subpath: str, *, is_require: bool) -> list[Target]:
    """Return what `exports` offers under a subpath, `.` or `./x`."""
    exports = package.document.get("exports")
    table = exports if isinstance(exports, dict) and any(key.startswith(".") for key in exports if isinstance(key, str)) else {".": exports}
    return _lookup(table, subpath, is_require)


def imported(package: Package, specifier: str, *, is_require: bool) -> list[Target]:
    """Return what `imports` maps a specifier with `#` to."""
    imports = package.document.get("imports")
    return _lookup(imports, specifier, is_require) if isinstance(imports, dict) else []


def _lookup(table: Mapping[str, object], key: str, is_require: bool) -> list[Target]:
    if key in table and "*" not in key:
        return list(_leaves(table[key], "", is_require))
    best: tuple[int, int, str, str] | None = None
    for pattern in table:
        if not isinstance(pattern, str):
            continue
        prefix, star, suffix = pattern.partition("*")
        if not star and pattern.endswith("/"):
            suffix = ""
        elif not star:
            continue
        captured = key[len(prefix) : len(key) - len(suffix)] if key.startswith(prefix) and key.endswith(suffix) else ""
        if captured and len(key) >= len(prefix) + len(suffix):
            candidate = (len(prefix), len(pattern), pattern, captured)
            best = candidate if best is None or candidate[:2] > best[:2] else best
    if best is None:
        return []
    return list(_leaves(table[best[2]], best[3], is_require))


def _leaves(value: object, captured: str, is_require: bool) -> tuple[Target, ...]:
    found: list[Target] = []
    _collect(value, Target(captured), is_require, 0, found)
    return tuple(dict.fromkeys(found))


def _collect(value: object, at: Target, is_require: bool, depth: int, found: list[Target]) -> bool:
    """Add the targets of a value; a target of an old folder mapping ends in `/`. Return whether one of them is taken for certain.

    `at` has what the star stands for in the place of the path, and what the conditions on the way say.
    """
    if isinstance(value, str):
        path = value.replace("*", at.path) if "*" in value else value + at.path if value.endswith("/") else value
        found.append(replace(at, path=path))
        return not at.is_types and not at.is_custom
    if depth > _MAX_DEPTH:
        return False
    if isinstance(value, list):
        # The first that can be read counts, and which one that is depends on the reader.
        taken = [_collect(item, at, is_require, depth + 1, found) for item in value]
        return any(taken)
    if isinstance(value, dict):
        for condition, item in value.items():
            if condition in (_IMPORT_ONLY if is_require else _REQUIRE_ONLY):
                continue
            is_types = condition == _TYPES or condition.startswith("types@")
            below = Target(at.path, at.is_types or is_types, at.is_custom or not (is_types or condition in _KNOWN))
            is_taken = _collect(item, below, is_require, depth + 1, found)
            if is_taken and condition in (_ALWAYS_REQUIRED if is_require else _ALWAYS_IMPORTED):
                return True
    return False


def main_targets(package: Package) -> list[Target]:
    """Return what the fields for the package as a whole name; `index` when none of them names a file."""
    found = [Target(value) for name in _MAINS if isinstance(value := package.document.get(name), str)]
    found += [Target(value, True) for name in _TYPE_MAINS if isinstance(value := package.document.get(name), str)]
    if not any(not target.is_types for target in found):
        found.append(Target("index"))
    return list(dict.fromkeys(found))


def is_hidden(package: Package, text: str, path: str) -> bool:
    """Return whether `exports` offers nothing under every subpath that a target with a star gives a path of the package."""
    exports = package.document.get("exports")
    prefix, _, suffix = text.partition("*")
    if not isinstance(exports, dict) or None not in exports.values() or not (path.startswith(prefix) and path.endswith(suffix)):
        return False
    captured = path[len(prefix) : len(path) - len(suffix)]
    keys = [key for key, value in exports.items() if isinstance(key, str) and text in _texts(value, 0)]
    subpaths = [key.replace("*", captured) for key in keys]
    return bool(subpaths) and not any(exported(package, subpath, is_require=kind) for subpath in subpaths for kind in (False, True))


def targets_of(package: Package) -> Iterator[tuple[str, str]]:
    """Yield every path that a field for consumers or starters names, with the field: they are where the package is entered."""
    document = package.document
    for name in (*_MAINS, *_TYPE_MAINS, "unpkg", "jsdelivr", "umd:main", "amd", "style", "sass", "worker", "electron"):
        if isinstance(value := document.get(name), str):
            yield value, name
    for name in ("bin", "browser", "exports", "imports", "typesVersions"):
        for text in _texts(document.get(name), 0):
            if name != "imports" or "*" not in text:  # what only the package itself can import is no entry because it could
                yield text, name
    replaced = document.get("browser")
    if isinstance(replaced, dict):
        yield from ((name, "browser") for name in replaced if isinstance(name, str) and name.startswith("."))


def _texts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict) and depth <= _MAX_DEPTH:
        for item in value if isinstance(value, list) else value.values():
            yield from _texts(item, depth + 1)
