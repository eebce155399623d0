"""What measuring one file, and then the whole tree, yields: plain values between extract, store and facts.

An `Extraction` depends on the bytes of one file alone; a `Resolution` on all extractions, the list of
paths and the manifests. Lines are 1-based and inclusive, paths are root-relative with `/`; bytes of a
path that are not UTF-8 are kept as surrogate escapes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = [
    "AllowMarker",
    "Binding",
    "DynamicSite",
    "Edge",
    "EntryPoint",
    "Extraction",
    "Outcome",
    "Resolution",
    "Role",
    "Site",
    "TreeInputs",
    "Unit",
]


@dataclass(frozen=True, slots=True)
class Unit:
    """A declaration with a span: a function, class, section, …

    `kind` is `fn`, `named`, `impl`, `section` or `other`; `key` is `name/arity` for functions, the name for others, the slug for sections.
    `nth` tells namesakes with the same key apart. `visibility`: bit 0 exported by its own mechanism, bit 1 enclosing
    scopes let it out too, bit 2 restricted. `parent` indexes `Extraction.units`, -1 at the top.
    The four numbers are -1 where the unit has none. `name` is the single-token declared name or empty.
    """

    kind: str
    key: str
    name: str
    start: int
    end: int
    nth: int = 0
    parent: int = -1
    visibility: int = 0
    params: int = -1
    cyclomatic: int = -1
    cognitive: int = -1
    nesting: int = -1
    declares: str = ""  # function, method, class, module variable, heading, …
    decorators: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    calls: tuple[tuple[str, int], ...] = ()  # dotted callee text, line


@dataclass(frozen=True, slots=True)
class Site:
    """One reference as written, before any resolution. `kind` is a word of `spec/graph-deadcode.md` §1.

    `names` are the imported names with their local alias (`("x", "y")` for `x as y`), `*` for all. `mode` is
    `runtime`, `type`, `lazy` (inside a function), `conditional` (under `if`/`try`) or `reexport`. `owner` indexes
    `Extraction.units`, -1 for the module body.
    """

    kind: str
    spec: str
    line: int
    nth: int = 0
    owner: int = -1
    names: tuple[tuple[str, str], ...] = ()
    mode: str = "runtime"


@dataclass(frozen=True, slots=True)
class DynamicSite:
    """A place that can name modules or symbols at run time. `pattern` is a glob over what it could name, `*` for anything."""

    line: int
    why: str
    pattern: str = "*"


@dataclass(frozen=True, slots=True)
class AllowMarker:
    """`ce:allow(tag) -- why`."""

    line: int
    tag: str
    why: str


@dataclass(frozen=True, slots=True)
class Binding:
    """A name bound in the module body: `kind` is def, class, assign, import, …"""

    name: str
    line: int
    kind: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything the graph, the queries and the dead-code programs need from one file's bytes.

    `exports` is the literal export list (`__all__`), None when there is none, `unreadable_exports` when it exists but
    cannot be read. `strings` are string literals that look like dotted names or paths, with their line. `anchors` are
    the section slugs and ids a link can name. `problems` are remarks such as "syntax error at line 3" or "decoded as latin-1".
    """

    lang: str
    lines: int = 0
    comment_lines: int = 0
    units: tuple[Unit, ...] = ()
    sites: tuple[Site, ...] = ()
    dynamic: tuple[DynamicSite, ...] = ()
    allows: tuple[AllowMarker, ...] = ()
    bindings: tuple[Binding, ...] = ()
    exports: tuple[str, ...] | None = None
    unreadable_exports: bool = False
    strings: tuple[tuple[int, str], ...] = ()
    anchors: tuple[str, ...] = ()
    generated: bool = False
    main_guard: bool = False
    problems: tuple[str, ...] = ()
    extra: dict[str, object] = field(default_factory=dict)  # JSON values of one language's own needs


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the ladder of one site ended. A site that imports several names has one outcome per target.

    `status` is `resolved`, `external` or `unresolved`; `granularity` is `file`, `package` or `section` when resolved. `target` is the
    path (package directory with a trailing `/`), `unit` the section slug. `reason` is a reason word when unresolved,
    `candidates` the competing paths when ambiguous.
    """

    path: str
    site: int
    status: str
    rung: int = 0
    granularity: str = ""
    target: str = ""
    unit: str = ""
    via_reexport: bool = False
    inert: bool = False
    reason: str = ""
    candidates: tuple[str, ...] = ()
    mode: str = ""  # when the reference takes effect, where it differs from the mode of the site
    is_import: bool = False  # an import that names the target as written: no package around it, nothing behind a re-export


@dataclass(frozen=True, slots=True)
class Edge:
    """A graph arc between nodes. A node is a path, a package `dir/`, or a section `path#slug`.

    `kind` is `import`, `doc_link`, `doc_ref`, `asset`, `contain` or `refdef`; `mode` as in `Site`;
    `line` is where it is written, 0 for containment.
    """

    source: str
    target: str
    kind: str
    rung: int
    line: int = 0
    mode: str = "runtime"


@dataclass(frozen=True, slots=True)
class Role:
    """A reason to be an entry: `role` is a word of the vocabulary; `why` says it in words, `at` is the `path:line` where it was read.

    Which roles make an entry is a program's decision: `surface` (a public module that a distribution installs) does so
    in a library only.
    """

    path: str
    role: str
    why: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A file that something outside the import graph starts. `symbol` may be empty. `source` is `path:line` of the mention."""

    path: str
    symbol: str
    source: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """The reference graph of a tree and everything resolved with it; tuples are sorted."""

    outcomes: tuple[Outcome, ...]
    edges: tuple[Edge, ...]
    roles: tuple[Role, ...]
    entry_points: tuple[EntryPoint, ...]
    imported_names: tuple[tuple[str, str, str, int], ...]  # importer, imported file, name, line
    manifest_deps: tuple[tuple[str, str], ...]  # manifest directory, distribution name
    unit_refs: tuple[tuple[str, int, str, int, str], ...] = ()  # path, unit index, path, unit index, kind
    problems: tuple[str, ...] = ()
    # What an unresolved or a dynamic site could mean: path, line, the file it could name, `dynamic` or `unresolved`.
    could_name: tuple[tuple[str, int, str, str], ...] = ()
    # Dynamic sites that could name every file of a language: path, line, language, why.
    could_name_any: tuple[tuple[str, int, str, str], ...] = ()
    project_kind: tuple[str, str] = ("application", "")  # `application` or `library`, and what decided it


@dataclass(frozen=True, slots=True)
class TreeInputs:
    """What resolution knows about a tree beside the extractions.

    `files` maps every measured path to the name of its language, empty when none claims it. `skipped` are paths that exist
    and were not measured: a link or an import may still mean them. `manifests` are the bytes of configuration and build files, of
    which a hidden one may be in neither. `foreign` are the directories of declared submodules. `project_kind` is empty when the
    settings leave it open.
    """

    files: Mapping[str, str]
    skipped: frozenset[str] = frozenset()
    manifests: Mapping[str, bytes] = field(default_factory=dict)
    entry_globs: tuple[str, ...] = ()
    search_roots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    crate_roots: tuple[str, ...] = ()
    project_kind: str = ""
    foreign: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()  # every symbolic link and the path below the root that it ends at
    absent: tuple[str, ...] = ()  # what belongs to the tree and is not checked out
