"""Package descriptions as values: `*.cabal`, and `package.yaml` where it stands alone.

Fields under a condition count as if it held, both branches: the same file is built in one way or another. Common stanzas are put into
those that import them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ce.extract.resolve.context import Context, directory_of, join, normal_path
from ce.facts.manifests import decode

__all__ = ["Package", "Stanza", "read_packages"]

_STANZA = re.compile(
    r"(library|executable|test-suite|benchmark|foreign-library|common|flag|source-repository|custom-setup)\b[ \t]*([^\s{]*)", re.IGNORECASE
)
_FIELD = re.compile(r"([A-Za-z][\w-]*)\s*:(.*)", re.DOTALL)
_CONDITION = re.compile(r"(?:if|elif|else)\b", re.IGNORECASE)
_ITEM = re.compile(r'"([^"]*)"|[^\s,]+')
_DEPENDENCY = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9-]*)(?::(?:\{([^}]*)\}|([A-Za-z0-9-]+)))?")
_BUILT = frozenset({"library", "executable", "test-suite", "benchmark", "foreign-library"})


@dataclass(slots=True)
class Stanza:
    """One component. `roots` are directories of the tree, `alternatives` those of them that stand under a condition; `main` is the path
    that `main-is` spells, below one of them.

    `takes_all`: the description lists no modules, and every module below the roots belongs to the component (hpack).
    """

    kind: str
    name: str
    line: int
    roots: tuple[str, ...] = ()
    alternatives: frozenset[str] = frozenset()
    exposed: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    generated: frozenset[str] = frozenset()
    main: str = ""
    needs: frozenset[str] = frozenset()
    takes_all: bool = False
    lines: dict[str, int] = field(default_factory=dict)  # module or main file to its line


@dataclass(frozen=True, slots=True)
class Package:
    """One description. `libraries` are its library stanzas, the main one first."""

    directory: str
    manifest: str
    name: str
    stanzas: tuple[Stanza, ...]

    @property
    def libraries(self) -> tuple[Stanza, ...]:
        """Return the libraries, the main one first."""
        found = [stanza for stanza in self.stanzas if stanza.kind == "library"]
        return tuple(sorted(found, key=lambda stanza: stanza.name not in ("", self.name)))


def read_packages(context: Context) -> tuple[Package, ...]:
    """Return the packages of the tree, by directory."""
    found = []
    described = set()
    for path in sorted(context.manifests):
        if path.endswith(".cabal"):
            described.add(directory_of(path))
            found.append(_cabal(path, context.manifests[path]))
    for path in context.manifests_named("package.yaml"):
        if directory_of(path) not in described:
            package = _hpack(path, context)
            if package is not None:
                found.append(package)
    return tuple(sorted(found, key=lambda package: (package.directory, package.manifest)))


# --- *.cabal


@dataclass(slots=True)
class _Raw:
    kind: str
    name: str
    line: int
    fields: dict[str, list[tuple[int, str]]] = field(default_factory=dict)  # name to lines with their number
    conditional: set[int] = field(default_factory=set)  # the numbers of lines under a condition


def _cabal(path: str, data: bytes) -> Package:
    stanzas = list(_raw_stanzas(decode(data)))
    common = {stanza.name: stanza for stanza in stanzas if stanza.kind == "common"}
    top = stanzas[0]
    directory = directory_of(path)
    for stanza in stanzas:
        _put_in_common(stanza, common)
    built = [_stanza(stanza, directory) for stanza in stanzas if stanza.kind in _BUILT]
    setup = next((stanza for stanza in stanzas if stanza.kind == "custom-setup"), None)
    if setup is not None:
        needs = frozenset(_dependencies(setup.fields.get("setup-depends", ())))
        built.append(Stanza("setup", "", setup.line, (directory,), needs=needs))
    if not any(stanza.kind in _BUILT for stanza in stanzas):
        built.append(_stanza(top, directory))  # descriptions of old have no stanzas
    name = " ".join(text for _, text in top.fields.get("name", ())).strip(", ") or path.rpartition("/")[2].removesuffix(".cabal")
    return Package(directory, path, name, tuple(built))


def _raw_stanzas(text: str) -> Iterator[_Raw]:
    """Yield the fields before the first stanza, then each stanza with its fields, those under conditions among them."""
    current = _Raw("", "", 1)
    found = [current]
    name, indent = "", -1
    conditions: list[int] = []  # the indents of those around
    for number, line in enumerate(text.replace("\t", "        ").splitlines(), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("--"):
            continue
        depth = len(line) - len(line.lstrip())
        if name and depth > indent:
            current.fields[name].append((number, stripped))
            if conditions:
                current.conditional.add(number)
            continue
        name = ""
        while conditions and conditions[-1] >= depth:
            conditions.pop()
        stanza = _STANZA.match(stripped) if depth == 0 else None
        if stanza is not None and not _FIELD.match(stripped):
            current = _Raw(stanza.group(1).lower(), stanza.group(2), number)
            found.append(current)
            continue
        body = stripped.lstrip("{} ")
        if _CONDITION.match(body):
            conditions.append(depth)
            continue
        matched = _FIELD.match(body)
        if matched is not None:
            name, indent = matched.group(1).lower(), depth
            if conditions:
                current.conditional.add(number)
            # A field may stand several times, and its lists continue each other.
            current.fields.setdefault(name, []).append((number, ", " + matched.group(2).strip().rstrip("}")))
    yield from found


def _put_in_common(stanza: _Raw, common: dict[str, _Raw]) -> None:
    waiting = [name for _, text in stanza.fields.get("import", ()) for name in _items([text])]
    seen = set()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in common or common[name] is stanza:
            continue
        seen.add(name)
        for key, lines in common[name].fields.items():
            if key == "import":
                waiting += [other for _, text in lines for other in _items([text])]
            else:
                known = stanza.fields.setdefault(key, [])
                known += [line for line in lines if line not in known]


def _stanza(raw: _Raw, directory: str) -> Stanza:
    def listed(name: str) -> list[tuple[int, str]]:
        return [(number, item) for number, text in raw.fields.get(name, ()) for item in _items([text])]

    places = [place for name in ("hs-source-dirs", "hs-source-dir") for place in listed(name)] or [(0, ".")]
    roots = [(normal_path(join(directory, item)), number in raw.conditional) for number, item in places]
    exposed, others = listed("exposed-modules"), listed("other-modules")
    mains = [(number, item) for name in ("main-is", "test-module") for number, item in listed(name)]
    lines: dict[str, int] = {}
    for number, item in (*exposed, *others, *mains):
        lines.setdefault(item, number)
    main = mains[0][1] if mains else ""
    if main and raw.kind == "test-suite" and not main.endswith((".hs", ".lhs")):
        main = main.replace(".", "/") + ".hs"
        lines.setdefault(main, mains[0][0])
    return Stanza(
        raw.kind or "library",
        raw.name,
        raw.line,
        tuple(dict.fromkeys(path for path, _ in roots if path is not None)),
        frozenset(path for path, is_conditional in roots if path is not None and is_conditional),
        frozenset(item for _, item in exposed),
        frozenset(item for _, item in others),
        frozenset(item for _, item in listed("autogen-modules")),
        main,
        frozenset(_dependencies(raw.fields.get("build-depends", ()))),
        lines=lines,
    )


def _items(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for match in _ITEM.finditer(text.partition(" --")[0]):
            item = match.group(1) if match.group(1) is not None else match.group()
            if item not in ("{", "}"):
                yield item


def _dependencies(lines: Iterable[tuple[int, str]]) -> Iterator[str]:
    """Yield the names of packages, and `package:library` for a library inside of one."""
    text = " ".join(text for _, text in lines)
    depth, part = 0, ""
    for character in text + ",":
        depth += (character == "{") - (character == "}")
        if character != "," or depth > 0:
            part += character
            continue
        match = _DEPENDENCY.match(part)
        part = ""
        if match is not None:
            yield match.group(1)
            for library in (match.group(2) or match.group(3) or "").split(","):
                if library.strip():
                    yield f"{match.group(1)}:{library.strip()}"


# --- package.yaml


def _hpack(path: str, context: Context) -> Package | None:
    import yaml

    try:
        document = yaml.safe_load(decode(context.manifests[path]))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        context.problems.append(f"{path}: not readable as YAML ({str(error).splitlines()[0]})")
        return None
    if not isinstance(document, dict):
        return None
    directory = directory_of(path)
    shared = _needs(document.get("dependencies"))
    roots = _texts(document.get("source-dirs"))
    found = []
    sections = (
        ("library", "library"), ("internal-libraries", "library"), ("executable", "executable"), ("executables", "executable"),
        ("tests", "test-suite"), ("benchmarks", "benchmark"),
    )  # fmt: skip
    for key, kind in sections:
        section = document.get(key)
        if key in ("library", "executable"):
            section = {"": section if isinstance(section, dict) else {}} if key in document else {}
        for name, body in section.items() if isinstance(section, dict) else ():
            part = body if isinstance(body, dict) else {}
            directories = [*roots, *_texts(part.get("source-dirs")), *_under_conditions(part, document)] or ["."]
            main = part.get("main")
            found.append(
                Stanza(
                    kind,
                    str(name),
                    1,
                    tuple(dict.fromkeys(place for one in directories if (place := normal_path(join(directory, one))) is not None)),
                    frozenset(
                        place for one in _under_conditions(part, document) if (place := normal_path(join(directory, one))) is not None
                    ),
                    frozenset(_texts(part.get("exposed-modules"))),
                    frozenset(_texts(part.get("other-modules"))),
                    frozenset(),
                    _main(main) if isinstance(main, str) else "",
                    frozenset(shared | _needs(part.get("dependencies"))),
                    takes_all="exposed-modules" not in part,
                )
            )
    name = document.get("name")
    return Package(directory, path, name if isinstance(name, str) else directory.rpartition("/")[2], tuple(found))


def _under_conditions(*parts: dict[object, object]) -> list[str]:
    """Return the source directories that stand under a condition, in both branches."""
    found = []
    for part in parts:
        for entry in _tables(part.get("when")):
            for branch in (entry, entry.get("then"), entry.get("else")):
                if isinstance(branch, dict):
                    found += _texts(branch.get("source-dirs"))
    return found


def _tables(value: object) -> list[dict[object, object]]:
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]


def _main(text: str) -> str:
    return text if text.endswith((".hs", ".lhs")) else text.replace(".", "/") + ".hs"


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _needs(value: object) -> set[str]:
    names = list(value) if isinstance(value, dict) else value if isinstance(value, list) else [value]
    texts = [item if isinstance(item, str) else item.get("name") for item in names if isinstance(item, str | dict)]
    return {match.group(1) for text in texts if isinstance(text, str) and (match := _DEPENDENCY.match(text))}
