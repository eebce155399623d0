"""Scopes, and what is noted while a file is walked: drafts of definitions, and references that are resolved when all is declared.

A reference is noted as a *path*: `(scope, head, steps, space)`. `head` is a name that is looked up from `scope` outwards, or the number
of a definition, or UNKNOWN. A name can stand for a value and for a type at once, so scopes have two spaces.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ce.extract.names.model import CALL, UNKNOWN, ImportedName

__all__ = ["NOTHING", "TYPE", "VALUE", "Binding", "Draft", "Frame", "Path", "Scope", "definite", "extended"]

VALUE, TYPE = 0, 1

Path = tuple["Scope | None", "str | int", tuple[str, ...], int]
NOTHING: Path = (None, UNKNOWN, (), VALUE)


class Binding:
    """What a name of a scope stands for: a definition, or (`definition` is -1) a local of which only the values matter.

    `more` are further declarations of the same thing: overloads, merged interfaces. `is_open`: it may hold other values too.
    """

    __slots__ = ("definition", "is_open", "more", "resolved", "values")

    def __init__(self, definition: int = -1, values: list[Path] | None = None, *, is_open: bool = False) -> None:
        self.definition = definition
        self.values = values if values is not None else []
        self.is_open = is_open
        self.more: list[int] = []
        self.resolved: tuple[tuple[int, tuple[str, ...]], ...] | None = None


class Scope:
    """A block, a function, the file. `names` are its bindings in the two spaces."""

    __slots__ = ("function", "names", "parent")

    def __init__(self, parent: Scope | None, *, is_function: bool = False) -> None:
        self.parent = parent
        self.function: Scope = self if is_function or parent is None else parent.function
        self.names: tuple[dict[str, Binding], dict[str, Binding]] = ({}, {})

    def find(self, name: str, space: int) -> Binding | None:
        """Return what the name stands for here, or None when no scope binds it."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.names[space].get(name)
            if found is not None:
                return found
            scope = scope.parent
        return None


@dataclass(slots=True)
class Draft:
    """A definition while the file is walked. `start` and `end` are bytes."""

    name: str
    kind: str
    parent: int
    start: int
    line: int
    end_line: int
    name_line: int
    flags: set[str] = field(default_factory=set)
    parameters: list[str] = field(default_factory=list)
    bases: list[Path] = field(default_factory=list)
    decorators: list[Path] = field(default_factory=list)
    values: list[Path] = field(default_factory=list)
    imported: ImportedName | None = None
    is_annotated: bool = False
    is_literal: bool = False  # its members are those of an object literal
    target: Path | None = None  # of an export: what it exports


class Frame:
    """Where a node stands.

    `owner` is the definition whose body it is in, `runs` the one that what is called here belongs to: what the initializer of a variable
    of the module calls runs with the module, whoever uses the variable. `container` is the definition that variables declared here are
    members of, -1 in the body of a function. `this` and `above` are the paths of `this` and `super`. `returns` collects what the function
    gives. `flags` are those of every definition made here.
    """

    __slots__ = ("above", "container", "flags", "is_exporting", "owner", "returns", "runs", "scope", "this")

    def __init__(
        self,
        scope: Scope,
        owner: int,
        runs: int,
        container: int,
        this: Path | None = None,
        above: Path | None = None,
        returns: list[Path] | None = None,
        flags: frozenset[str] = frozenset(),
    ) -> None:
        self.scope = scope
        self.owner = owner
        self.runs = runs
        self.container = container
        self.this = this
        self.above = above
        self.returns = returns
        self.flags = flags
        self.is_exporting = False

    def within(self, scope: Scope) -> Frame:
        """Return the frame of an inner scope."""
        return Frame(scope, self.owner, self.runs, self.container, self.this, self.above, self.returns, self.flags)

    def initializing(self, owner: int) -> Frame:
        """Return the frame of the initializer of a variable."""
        return Frame(self.scope, owner, self.runs, self.container, self.this, self.above, self.returns, self.flags)

    def exporting(self) -> Frame:
        """Return the frame of a declaration that is exported."""
        frame = self.within(self.scope)
        frame.is_exporting = True
        return frame

    def owned(self, owner: int) -> Frame:
        """Return the frame of what stands in a definition that runs nothing by itself."""
        return Frame(self.scope, owner, owner, self.container, self.this, self.above, self.returns, self.flags)

    @property
    def plain(self) -> Frame:
        """The frame of what stands in an exported declaration."""
        return self.within(self.scope) if self.is_exporting else self

    @property
    def called(self) -> Frame:
        """The frame of what runs with a call here."""
        return self if self.runs == self.owner else self.owned(self.runs)


def definite(definition: int, steps: tuple[str, ...] = ()) -> Path:
    """Return the path of a definition."""
    return (None, definition, steps, VALUE)


def extended(path: Path, *steps: str) -> Path:
    """Return the path with further steps; what is nothing stays so, but for the names."""
    return (path[0], path[1], path[2] + steps, path[3])


def instance(path: Path) -> Path:
    """Return the path of an instance of what the path is."""
    return extended(path, CALL)
