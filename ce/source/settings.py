"""`ce.toml` as one frozen value: every key with its type, default, meaning and limits stands once, in the classes below.

The file is declarative, except for the one command that a user may name to verify an erasure. An unknown table or key
is an error, never dropped in silence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TypeVar, cast

from ce.diagnostics import CeError, Diagnostic, Span
from ce.source import setting_keys as key
from ce.source.anchor import SETTINGS_FILE
from ce.source.plain import open_plain
from ce.source.setting_keys import InvalidValue, key_of, suggestion
from ce.source.toml_positions import KeyPositions

T = TypeVar("T")

__all__ = [
    "Allowlist",
    "Deadcode",
    "Dedup",
    "Erase",
    "Graph",
    "History",
    "Limits",
    "Project",
    "RuleClass",
    "Rules",
    "Settings",
    "Thresholds",
    "Ui",
    "check_against_tree",
    "load_settings",
    "parse_settings",
]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`[thresholds]`: where a number becomes a warning or a failure."""

    file_lines_warn: int = key.integer(300, "lines of a file from which it is warned about")
    file_lines_fail: int = key.integer(750, "lines of a file from which it fails; 0 for no such wall")
    fn_lines_warn: int = key.integer(50, "lines of a function from which it is warned about")
    fn_lines_fail: int = key.integer(75, "lines of a function from which it fails; 0 for no such wall")
    params_warn: int = key.integer(5, "parameters of a function from which it is warned about")
    cyclomatic_warn: int = key.integer(15, "cyclomatic complexity from which a function is warned about")
    cognitive_warn: int = key.integer(15, "cognitive complexity from which a function is warned about")
    cognitive_fail: int = key.integer(0, "cognitive complexity from which a function fails; 0 for no such wall")
    nesting_warn: int = key.integer(4, "nesting depth from which a function is warned about")


@dataclass(frozen=True, slots=True)
class Project:
    """`[project]`: what kind of project this is."""

    kind: str = key.choice(
        "", ("application", "library"), "whether unreferenced public names are a surface; unset: decided from the packaging metadata"
    )


@dataclass(frozen=True, slots=True)
class Graph:
    """`[graph]`: what the tree alone does not say about liveness and resolution."""

    entry_globs: tuple[str, ...] = key.globs("files that are entries beyond the roles", inclusion=True)
    crate_roots: tuple[str, ...] = key.paths("Rust crate roots whose manifest is elsewhere; each must be a measured Rust file")
    scc_floor: int = key.integer(
        2, "smallest strongly connected component that counts as a cycle; 1 counts a file that imports itself", minimum=1
    )
    search_roots: tuple[tuple[str, tuple[str, ...]], ...] = key.directories_by_language(
        ("c", "html", "java", "lua", "r"), "directories in which references of a language are looked up; each must hold a measured file"
    )


@dataclass(frozen=True, slots=True)
class Deadcode:
    """`[deadcode]`: what keeps names alive that nothing in the tree refers to."""

    programs: tuple[str, ...] = key.paths("programs with further roots, root-relative; see `programs/deadcode/roots/`")
    without: tuple[str, ...] = key.texts("files of `programs/deadcode/roots/` that do not count, such as `celery`")
    allow: tuple[str, ...] = key.texts("qualified names that stay, whoever uses them")


@dataclass(frozen=True, slots=True)
class Dedup:
    """`[dedup]`: the budget for copied code."""

    budget: int | None = key.optional_integer("number of copied blocks that may only shrink; `ce dedup --check` needs it")


@dataclass(frozen=True, slots=True)
class RuleClass:
    """`[[rules.class]]`: a class of paths with thresholds of its own; the first class that matches a path owns it."""

    name: str = key.text("", "label of the class")
    globs: tuple[str, ...] = key.globs("the files of the class", inclusion=True)
    knobs: tuple[tuple[str, int], ...] = key.integers_by_name(
        (
            "file_lines_warn", "file_lines_fail", "cognitive_warn", "cognitive_fail", "fn_lines_warn", "fn_lines_fail",
            "ratchet_tolerance", "cognitive_ratchet_tolerance",
        ),
        "thresholds that replace the global ones for the files of the class",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rules:
    """`[rules]`: the rules file and the path classes."""

    file: str = key.path("rules file of `ce rules` and `ce query`; unset: `ce.rules` when there is one")
    classes: tuple[RuleClass, ...] = key.records("class", RuleClass, "path classes, at most 64", maximum=64)


@dataclass(frozen=True, slots=True)
class Erase:
    """`[erase]`: what has to hold after an erasure."""

    verify: str = key.text("", "command that runs after `ce erase --apply`; when it fails everything is restored")


@dataclass(frozen=True, slots=True)
class RegisteredClass:
    """One entry of `[[allowlist.registered_class]]`: classes of a module that a decorator registers."""

    prefix: str = key.text("", "dotted module at or below which it counts")
    object: str = key.text("", "dotted name of the object whose attribute decorates")
    attribute: str = key.text("", "the attribute that decorates")


@dataclass(frozen=True, slots=True)
class Allowlist:
    """`[allowlist]`: the gate on exported names without a caller."""

    file: str = key.path("the allowlist file")
    packages: tuple[str, ...] = key.paths("source roots or packages that are judged; unset: `src`, else the packages of the root")
    min_modules: int = key.integer(0, "fewest modules with `__all__` that the walk has to find; 0 means 1")
    min_symbols: int = key.integer(0, "fewest names in `__all__` that the walk has to find; 0 means 1")
    cap: int | None = key.optional_integer("most entries that the allowlist may have; unset: no cap")
    widened: bool = key.flag(True, "also judge public names outside `__all__`")
    widened_key: str = key.text("widened_grandfathered_470", "name of the section for public names outside `__all__`")
    widened_cap: int | None = key.optional_integer("most entries that the widened section may have; unset: no cap")
    registered_classes: tuple[RegisteredClass, ...] = key.records(
        "registered_class", RegisteredClass, "classes that a decorator registers and nobody has to call", maximum=64
    )
    app_factories: tuple[str, ...] = key.texts("constructors of app objects, dotted; unset: `typer.Typer`")
    command_attrs: tuple[str, ...] = key.texts("decorator attributes that register a command; unset: `command`, `callback`")


@dataclass(frozen=True, slots=True)
class History:
    """`[history]`: how much of the git history is read."""

    commits: int = key.integer(2000, "number of newest commits that the history relations are computed from", minimum=1)
    cochange_files: int = key.integer(20, "commits that touch more files than this say nothing about co-change", minimum=2)


@dataclass(frozen=True, slots=True)
class Limits:
    """`[limits]`: where work stops with a clear message."""

    max_rows: int = key.integer(50_000_000, "rows that a program may derive", minimum=1)
    timeout: int = key.integer(300, "seconds that an evaluation may take", minimum=1)
    max_file_bytes: int = key.integer(32 << 20, "size above which a file is not opened at all", minimum=1)


@dataclass(frozen=True, slots=True)
class Ui:
    """`[ui]`: how results are shown."""

    lang: str = key.choice("", ("en",), "language of the console; only `en` is available")


@dataclass(frozen=True, slots=True)
class Settings:
    """The effective settings of a project."""

    exclude: tuple[str, ...] = key.globs("files and directories that are left out beyond the ignore files")
    thresholds: Thresholds = field(default_factory=Thresholds)
    project: Project = field(default_factory=Project)
    graph: Graph = field(default_factory=Graph)
    deadcode: Deadcode = field(default_factory=Deadcode)
    dedup: Dedup = field(default_factory=Dedup)
    rules: Rules = field(default_factory=Rules)
    erase: Erase = field(default_factory=Erase)
    allowlist: Allowlist = field(default_factory=Allowlist)
    history: History = field(default_factory=History)
    limits: Limits = field(default_factory=Limits)
    ui: Ui = field(default_factory=Ui)

    def digest(self) -> str:
        """Return 64 hex digits that depend on the effective values alone, not on how the file spells them."""
        import json
        from hashlib import blake2b

        canonical = json.dumps(asdict(self), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return blake2b(canonical.encode(), digest_size=32).hexdigest()


def load_settings(root: Path) -> Settings:
    """Return the settings of the project at `root`; without a `ce.toml` they are the defaults."""
    try:
        with open_plain(root / SETTINGS_FILE) as stream:
            data = stream.read(_LARGEST_FILE + 1)
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise CeError.of("CE503", f"`{SETTINGS_FILE}` cannot be read: {error.strerror}") from None
    if len(data) > _LARGEST_FILE:
        raise CeError.of("CE503", f"`{SETTINGS_FILE}` is larger than {_LARGEST_FILE} bytes")
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CeError.of("CE503", f"`{SETTINGS_FILE}` is not UTF-8", span=Span(SETTINGS_FILE, line, 1, line, 1)) from None
    return parse_settings(text)


_LARGEST_FILE = 1 << 20


def parse_settings(text: str) -> Settings:
    """Return the settings that the text of a `ce.toml` states; raise one `CeError` with everything that is wrong with it."""
    import tomllib

    text = text.replace("\r\n", "\n")
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise CeError((_syntax_fault(str(error)),), {SETTINGS_FILE: text}) from None
    reader = _Reader(KeyPositions(text))
    settings = reader.table(Settings, data, ())
    if not reader.faults:
        reader.check(settings)
    if reader.faults:
        raise CeError(tuple(reader.faults), {SETTINGS_FILE: text})
    return settings


def check_against_tree(settings: Settings, paths: Collection[str]) -> None:
    """Raise `CeError` unless the crate roots and search roots of the settings occur among the measured files."""
    measured = frozenset(paths)
    faults = [
        Diagnostic("CE510", f"`crate_roots` names `{crate_root}`, which is no measured Rust file")
        for crate_root in settings.graph.crate_roots
        if crate_root not in measured or not crate_root.endswith(".rs")
    ]
    for language, directories in settings.graph.search_roots:
        for directory in directories:
            prefix = "" if directory == "." else directory + "/"
            if not any(path.startswith(prefix) for path in measured):
                faults.append(Diagnostic("CE510", f"`search_roots.{language}` names `{directory}`, in which no file is measured"))
    if faults:
        raise CeError(tuple(faults))


class _Reader:
    """Reads tables into the dataclasses that declare them and collects what is wrong."""

    def __init__(self, positions: KeyPositions) -> None:
        self.positions = positions
        self.faults: list[Diagnostic] = []

    def table(self, declared: type[T], data: Mapping[str, object], where: tuple[str | int, ...]) -> T:
        """Return the table as a value of the class that declares it; a faulty key keeps its default."""
        values: dict[str, object] = {}
        known = []
        for item in fields(declared):  # type: ignore[arg-type]  # every class given is a dataclass
            declaration = key_of(item)
            name = (declaration.name if declaration else "") or item.name
            known.append(name)
            if name not in data:
                continue
            value, place = data[name], (*where, name)
            if declaration is None:
                values[item.name] = self._subtable(cast("type[object]", item.default_factory), value, place)
                continue
            try:
                read = declaration.read(value)
            except InvalidValue as invalid:
                self.fault(invalid.code, f"`{_dotted(place)}`: {invalid.message}", (*place, *invalid.inside), invalid.notes)
                continue
            if declaration.record is not None:
                rows = cast("list[Mapping[str, object]]", read)
                read = tuple(self.table(declaration.record, row, (*place, index)) for index, row in enumerate(rows))
            values[item.name] = read
        for name in data:
            if name not in known:
                kind = "table" if isinstance(data[name], (dict, list)) and not where else "key"
                inside = f" in `[{_dotted(where)}]`" if where else ""
                self.fault("CE504", f"unknown {kind} `{name}`{inside}", (*where, name), suggestion(name, known))
        return declared(**values)

    def _subtable(self, declared: type[object], value: object, place: tuple[str | int, ...]) -> object:
        if not isinstance(value, dict):
            self.fault("CE505", f"`{_dotted(place)}` is a table", place, (f"write `[{_dotted(place)}]` above its keys",))
            return declared()
        return self.table(declared, value, place)

    def check(self, settings: Settings) -> None:
        """Check what concerns several keys at once: threshold ladders and rule classes."""
        globals_ = {item.name: getattr(settings.thresholds, item.name) for item in fields(settings.thresholds)}
        self._check_ladder(globals_, ("thresholds",), "")
        seen: set[str] = set()
        for index, row in enumerate(settings.rules.classes):
            place = ("rules", "class", index)
            if not row.name:
                self.fault("CE508", "a rule class has no name", place, ('write `name = "…"` below `[[rules.class]]`',))
            elif row.name in seen:
                self.fault("CE508", f"two rule classes are named `{row.name}`", (*place, "name"))
            seen.add(row.name)
            if not row.globs:
                self.fault("CE508", f"the rule class `{row.name}` has no globs", place)
            self._check_ladder(globals_ | dict(row.knobs), (*place, "knobs"), f" of the rule class `{row.name}`")

    def _check_ladder(self, values: Mapping[str, int], place: tuple[str | int, ...], whose: str) -> None:
        for subject in ("file_lines", "fn_lines", "cognitive"):
            warn, fail = values[f"{subject}_warn"], values[f"{subject}_fail"]
            if fail and fail < warn:
                message = f"`{subject}_fail` = {fail} is below `{subject}_warn` = {warn}{whose}"
                written = [(*place, f"{subject}_{end}") for end in ("fail", "warn") if self.positions.knows((*place, f"{subject}_{end}"))]
                self.fault(
                    "CE507", message, written[0] if written else place, ("a failure comes at or after the warning; 0 for no such wall",)
                )

    def fault(self, code: str, message: str, place: tuple[str | int, ...], notes: tuple[str, ...] = ()) -> None:
        """Add a diagnostic at the key that `place` leads to."""
        self.faults.append(Diagnostic(code, message, self.positions.span(place), notes))


def _syntax_fault(message: str) -> Diagnostic:
    found = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    sentence = message[: found.start()] if found else message
    sentence = sentence[:1].lower() + sentence[1:]
    if found is None or found[1] is None:
        return Diagnostic("CE509", f"`{SETTINGS_FILE}` is not TOML: {sentence}{' at its end' if found else ''}")
    line, column = int(found[1]), int(found[2])
    return Diagnostic("CE509", f"`{SETTINGS_FILE}` is not TOML: {sentence}", Span(SETTINGS_FILE, line, column, line, column + 1))


def _dotted(place: tuple[str | int, ...]) -> str:
    return ".".join(str(step) for step in place if not isinstance(step, int))
