"""What the names layer of one file holds: definitions, and uses as paths from a definition.

A use that scoping cannot finish inside the file is kept as a path: a base (a definition of this file, or nothing known) and the steps
taken from it. `Shop().till.open()` is the base `Shop` with the steps `()`, `till`, `open`. Whoever has the whole tree follows the
steps through imports, classes and the values that variables were given.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "CALL",
    "COLLECTION",
    "DEFINITION_KINDS",
    "ELEMENT",
    "FLAGS",
    "GLOB",
    "MODULE",
    "SUPER",
    "UNKNOWN",
    "UNSCOPED",
    "USE_KINDS",
    "Definition",
    "Expression",
    "FileNames",
    "ImportedName",
    "Use",
]

MODULE = 0  # the definition that stands for the body of the file
UNKNOWN = -1  # base of a path whose start is an expression that nothing is known about
UNSCOPED = -2  # base of a path whose first step is a name that no scope of the file binds: a built-in, a global of the platform

CALL = "()"  # the value of calling it: an instance of a class, the result of a function
ELEMENT = "[]"  # an element of it: a subscript, an iteration
COLLECTION = "[…]"  # in a value: a collection of it, whose ELEMENT is it again; any other step leads to something unknown
COLLECTION = "[*]"  # last in a value: a collection whose elements are what stands before; ELEMENT behind it undoes it
SUPER = "^"  # the next class in the resolution order of the base, which is a class
GLOB = "~"  # followed by a pattern: every member whose name the pattern matches; `~*` is any

DEFINITION_KINDS = (
    "module", "function", "method", "property", "class", "interface", "enum", "enum_member", "type_alias", "variable", "constant",
    "field", "import", "export", "namespace", "macro",
)  # fmt: skip

USE_KINDS = ("call", "read", "write", "import", "reexport", "inherit", "decorate", "override", "type_only", "string", "dynamic")

FLAGS = (
    "exported",  # by the mechanism of its language: an export, a listed name
    "private",  # by modifier or by the convention of its language
    "protocol",  # the language itself calls it: `__enter__`, `constructor`, `Symbol.iterator`
    "abstract",  # without a body of its own: overloads, abstract methods, members of interfaces and protocols
    "conditional",  # one of several alternatives under `if` or `try`; an import that a handler for its failure goes with
    "static",  # a member of the class itself, not of its instances
    "registers",  # a function that hands its first argument, or what its result is called with, to something that outlives the call;
    # a class that does so with every class made from it
    "iterated",  # the class hands out its members as a whole by what it is: named tuples, data classes with an order
    "side_effect",  # an import that is wanted for what running the module does
    "declared_only",  # a declaration of something that lives elsewhere: `declare`, stubs, prototypes
    "local",  # it stands in the body of a function
    "redundant_alias",  # `import x as x`: by convention a re-export
    "type_import",  # imported for types alone
    "escapes",  # an object literal that is handed on as a whole: whoever gets it may use any of its members
)


@dataclass(frozen=True, slots=True)
class Expression:
    """A path: `base` indexes `FileNames.definitions` or is UNKNOWN or UNSCOPED; `steps` are attributes, CALL, ELEMENT, SUPER, globs."""

    base: int
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedName:
    """What a definition of kind `import` (or a re-export) is bound to: a name of the module that the specifier means.

    `site_line` and `spec` are those of the core layer's site. `name` is the imported name, `default` for a default import, `*` for all
    names, empty for the module itself. For `import a.b` (which binds `a`) `spec` is `a.b`, `name` is empty and `depth` is 1: the number
    of leading parts of the specifier that the local name means; 0 says all of it.
    """

    spec: str
    site_line: int
    name: str = ""
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Definition:
    """A name that the file declares. Index 0 is the file itself (kind `module`, name empty, parent -1).

    `parent` is the definition whose body holds it: the module, a class, a function. `line` to `end_line` span the whole declaration with
    its decorators. `name_line` is where the name stands. `values` are what the name was given or, of a function, what calling it
    gives (annotations first, then what is assigned or returned), of a class nothing. `bases` are those of a class, in order.
    `decorators` are without their arguments. `parameters` are names in order, without receivers, with `*` and `**` in front of
    collecting ones.
    """

    name: str
    kind: str
    parent: int
    line: int
    end_line: int
    name_line: int
    flags: frozenset[str] = frozenset()
    parameters: tuple[str, ...] = ()
    bases: tuple[Expression, ...] = ()
    decorators: tuple[Expression, ...] = ()
    values: tuple[Expression, ...] = ()
    imported: ImportedName | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """A reference in the body of `owner` (the innermost definition around it that is no import, field or variable of a class body).

    `target` is the whole path; every definition that a prefix of it passes is used too (reading `a.b.c` reads `a`, `a.b`).
    `argument` is the constant string argument that tells what a call does when there is one (`usefixtures("db")`), else empty.
    """

    owner: int
    kind: str
    line: int
    target: Expression
    argument: str = ""


@dataclass(frozen=True, slots=True)
class FileNames:
    """The names of one file.

    `strings` are (line, owner, text) of constant strings that could spell a name or a dotted path of names, outside docstrings.
    `opaque` are (line, why, pattern) of places that name what no scope shows (macros, splices, `eval`): every name that the pattern
    (a glob, `*` for any) matches in this file is in doubt. `star_imports` are the modules whose public names are all bound here.
    """

    definitions: tuple[Definition, ...]
    uses: tuple[Use, ...] = ()
    strings: tuple[tuple[int, int, str], ...] = ()
    opaque: tuple[tuple[int, str, str], ...] = ()
    star_imports: tuple[ImportedName, ...] = ()
    has_unreadable_exports: bool = False
    problems: tuple[str, ...] = ()
