"""The table that describes one language to the one walker.

A `LanguageSpec` is data: node kinds and field names of a tree-sitter grammar, and tree-sitter queries
where the shape of a node matters. The walker (`walker.py`) turns any file of any language into
`records.Extraction` with it. `docs/how-to/add-a-language.md` builds one step by step.

Three kinds of notation occur:

- a *kind* is the name of a named node, as `function_definition`;
- a *path* is a tuple of field names, followed from a node; a step `field*` follows the field as long as it is there, or until
  the next step is (C: `("declarator*", "parameters")`); a step `<kind>` goes to the first named child of that kind;
- a *query* is text in tree-sitter's query language. Its captures have the names that the field asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from ce.extract.drafts import Facts
    from ce.extract.leaves import Leaves
    from ce.extract.parsing import Parsed

__all__ = [
    "CallKinds",
    "CallRule",
    "ComplexityKinds",
    "Decorators",
    "LanguageSpec",
    "Naming",
    "SiteRule",
    "StringKinds",
    "UnitKind",
    "Visibility",
    "VisibilityRule",
]

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitKind:
    """One node kind that opens a unit.

    `name` leads to the node whose text is the name; when it leads nowhere, `name_around` is tried: pairs of the kind of the
    parent and the field of that parent that holds the name (`("variable_declarator", "name")`); then `anonymous`.
    `key` and `title` are templates over `{name}`, `{arity}` and the names in `parts` (more paths): Go methods have
    `parts={"receiver": …}` and `key="({receiver}) {name}/{arity}"`. An empty `key` means `{name}/{arity}` for `fn`, `{name}` otherwise.
    A unit counts only if every path in `requires` leads somewhere and, with `top_level`, if no `fn` unit encloses it.
    `kind` is a word of the vocabulary `unit_kind`; only `fn` units have parameters and complexity, and what stands in one
    is left out of the numbers of the unit around it. Parameters are the named children of `params` that are neither comments nor of
    the kinds `params_ignored`; every text of one of these has a character of `params_ignored_marks`, which saves looking (empty: look).
    `param` leads to a single parameter that is written without a list (`x => …`). Of a base of a kind in `bases_generic` only the first
    named child is the base (`Base<T>`).
    `member` replaces `declares` directly inside a unit with `is_type`.
    """

    node: str
    kind: str = "fn"
    declares: str = "function"
    member: str = ""
    name: Path = ("name",)
    name_around: tuple[tuple[str, str], ...] = ()
    anonymous: str = "(anonymous)"
    parts: Mapping[str, Path] = field(default_factory=dict)
    key: str = ""
    params: Path = ("parameters",)
    param: Path = ()
    params_ignored: tuple[str, ...] = ()
    params_ignored_marks: str = ""
    bases: tuple[Path, ...] = ()
    bases_ignored: tuple[str, ...] = ()
    bases_generic: tuple[str, ...] = ()
    requires: tuple[Path, ...] = ()
    top_level: bool = False
    is_type: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Decorators:
    """Nodes that decorate a unit: before it (Python) or, with `inside`, within its node (Java annotations).

    `strip` is cut from the start of their text. With `before`, a node that is a child of a unit's node decorates that unit, one below a
    kind of `before` the next unit, and any other nothing (TypeScript: parameters and fields have decorators too).
    """

    kinds: tuple[str, ...]
    inside: bool = False
    before: tuple[str, ...] = ()
    strip: str = "@"


class Naming(StrEnum):
    """The naming convention of functions, as `spec` of the measures has it."""

    ANY = "any"
    SNAKE = "snake"
    MIXED_CAPS = "mixed_caps"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComplexityKinds:
    """The node kinds that count, for cyclomatic and cognitive complexity and for nesting.

    `cyclomatic`: +1 per node. `nesting`: kind to its body positions, each a field name or `<kind>` of a child; an empty tuple raises
    the level for the whole node. `ifs`: the nesting kinds that an else can continue, in the field `alternative`. `flat`: +1
    without raising the level (else clauses); where it is empty, whatever stands in the field `alternative` of an `if` is the else.
    `nest_only`: raises the level for nothing. `operators`: a query whose `@op` captures the short-circuit operator nodes; the
    operator token is their field `operator`, or their second child. `cognitive_operators`: the tokens that also make runs (empty:
    all). `jumps`: a query whose `@jump` captures labelled jumps. `chains`: kinds that count their named children less one (Rust
    `let_chain`). `opaque`: a query whose `@opaque` captures what holds no operators of the language (conditions of directives).
    """

    cyclomatic: tuple[str, ...] = ()
    nesting: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ifs: tuple[str, ...] = ("if_statement",)
    alternative: str = "alternative"
    flat: tuple[str, ...] = ()
    nest_only: tuple[str, ...] = ()
    operators: str = ""
    cognitive_operators: tuple[str, ...] = ()
    jumps: str = ""
    chains: tuple[str, ...] = ()
    opaque: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRule:
    """A reference that the language writes as syntax.

    The query captures `@site`, the whole statement, and inside it `@spec`, the specifier, `@name`, each imported name, and `@star`.
    `@default` is the local name of what the module exports as `default`, `@namespace` that of the module as a whole.
    Several patterns in one query may capture the same `@site`. A `@name` node with the fields `name` and `alias` is
    split at them. Without `@spec`, `spec` is the specifier. With `per_name` every `@name` is a site of its own and
    its specifier. `@type` anywhere inside marks a type-only reference. `prefix` is put before the specifier. `mode` is that of the
    site where its place says nothing else. Rules are tried in order: a node that one rule has opened sites for opens none for a later one.
    """

    kind: str
    query: str
    spec: str = ""
    prefix: str = ""
    mode: str = "runtime"
    per_name: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallKinds:
    """How calls look. `query` captures `@callee`: the node below the call whose text is what is called.

    With `from_call_start` the text starts where the call does (Java: the node is the method's name, the receiver stands before it).
    A query that captures `@call`, the call itself, takes less time; then `callee` is the field of the node that is called.
    `arguments` leads from the call to its arguments. `telling` are the functions, beside those of call rules, whose calls `finish` looks
    for in `Facts.calls_seen`; with `has_more(parsed, facts)` a file may call some of them under names of its own, so it gets all calls.
    """

    query: str = "(call function: (_) @callee)"
    callee: str = ""
    from_call_start: bool = False
    arguments: Path = ("arguments",)
    telling: tuple[str, ...] = ()
    has_more: Callable[[Parsed, Facts], bool] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRule:
    """A function that names modules, files or symbols in an argument.

    `callees` are the dotted names of the function after import aliases are undone; a callee that the file itself defines never counts.
    The target is positional argument `argument` or the keyword argument `keyword`; with `subscript`, the index of the call's result
    (`globals()[name]`). A literal target opens a site of kind `site`; where that is empty, and for any other target, a dynamic fact
    arises with the reason `why` and the glob that can be read off the constant parts. `template` puts that glob into a larger one
    (`"*.{}"`). `package` and `package_keyword` lead to the argument that a relative target starts from. `constant` is the glob when no
    argument matters; an argument that is the attribute `within` of a module by name (`pkg.__path__`) narrows it to what is in that
    module. `literal_is_harmless`: a literal argument means nothing (`eval("1")`). `needs_argument`: a call without the argument means
    nothing.
    """

    callees: tuple[str, ...]
    why: str
    argument: int = 0
    keyword: str = ""
    site: str = ""
    template: str = "{}"
    package: int = -1
    package_keyword: str = ""
    constant: str = ""
    within: str = ""
    literal_is_harmless: bool = False
    needs_argument: bool = False
    subscript: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StringKinds:
    """How string literals look, so that their constant parts can be read.

    `nodes`: the literals; `content`: their constant pieces; `interpolation`: holes; `escape`: escape sequences; `raw_prefixes`: prefixes
    that make escapes mean themselves. `concatenations`: kinds whose named children are joined without an operator; `plus`: kinds with
    the fields left, operator, right that an operator of `joins` joins; `percent`: `%` formats, too; `format_method`: the name of a method
    that formats.
    `plain`: a query whose `@string` captures the content of literals without holes, for literals that look like names or paths;
    `quotes`: the bytes that stand directly before such a content and behind it (`[` goes with `]`, and the end of a hole, `}`, with a
    backtick);
    `bare_parents`: the kinds below which a literal is a statement of its own, so a docstring. `keyword_arguments`: kinds of
    arguments with the fields `name` and `value`. `bindings`: kinds that bind local names, with the field of the target;
    `assignments`: those of them that bind it to the field `right`. `leaves_out` is an expression for the keys of settings whose texts name
    what is to be left out (`exclude`): a text that is the value of such a key in a node of a kind in `pairs`, alone or in a list, refers
    to nothing.
    """

    nodes: tuple[str, ...] = ("string",)
    content: tuple[str, ...] = ("string_content",)
    interpolation: tuple[str, ...] = ("interpolation",)
    escape: tuple[str, ...] = ("escape_sequence",)
    concatenations: tuple[str, ...] = ()
    plus: tuple[str, ...] = ()
    joins: tuple[str, ...] = ("+",)
    percent: bool = False
    format_method: str = ""
    raw_prefixes: tuple[str, ...] = ()
    plain: str = ""
    quotes: tuple[bytes, ...] = (b'"', b"'")
    bare_parents: tuple[str, ...] = ()
    keyword_arguments: tuple[str, ...] = ()
    bindings: tuple[tuple[str, str], ...] = ()
    assignments: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    leaves_out: str = ""


class Visibility(StrEnum):
    """How a declaration gets its visibility bits; `measures/visibility.py` has one function for each."""

    ALWAYS = "always"  # bits 0 and 1
    EXPORT_LIST = "export_list"  # a literal list if there is one, else the naming convention `private_prefix`
    CAPITALISED = "capitalised"  # first letter
    MODIFIER = "modifier"  # a child of kind `modifier`: `open_texts` is exported, any other text restricted
    READ = "read"  # the hook `finish` has set bits 0 and 2 of `UnitDraft.visibility`
    STATEMENT = "statement"  # an export statement around the declaration, or one elsewhere that names it


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibilityRule:
    """The mechanism and its parameters.

    With `top_level_only` an export list speaks of nothing that stands inside another unit but a type.

    `STATEMENT`: a unit is exported when an ancestor of kind `export` is reached through nodes of the kinds `through`, through a node of a
    kind of `named_through` only if its name is the unit's, or within two steps whatever they are; or when a node of kind `ambient` is
    reached through those kinds and `ambient_through`; or at the top of a file with an ambient suffix. Directly inside a unit with
    `is_type`, a unit is exported when that one is, its name does not start with `private_prefix`, and no child of kind `modifier` says
    one of `closed_texts`; one of `restricted_texts` restricts it.
    """

    mechanism: Visibility
    private_prefix: str = "_"
    top_level_only: bool = False
    modifier: str = "visibility_modifier"
    open_texts: tuple[str, ...] = ("pub",)
    closed_texts: tuple[str, ...] = ()
    restricted_texts: tuple[str, ...] = ()
    export: str = ""
    through: tuple[str, ...] = ()
    named_through: tuple[str, ...] = ()
    ambient: str = ""
    ambient_through: tuple[str, ...] = ()
    ambient_suffixes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageSpec:
    """One language: how the grammar's nodes become facts. Empty fields measure nothing.

    `revision` is part of every cache key: raise it when the table changes what a file yields.
    `receivers` are the names of the unit's own object, for provable calls; one that ends in `:` is joined without a dot (`Self::`). With
    `equations` functions of one name in one scope are the equations of one function. `conditional` are the kinds that make a reference
    below them, outside functions, conditional. With `reads_ahead` a reference inside a function is one like any other, because the
    compiler follows it (an include, a type). `type_guards` are conditions of an `if` whose body is for type checkers only.
    `reexport_files` are base names whose imports are re-exports; with `alias_reexports` an alias equal to the name is one too.
    `lists` are module variables whose literal strings are kept whatever they look like. `looks` is a query whose captures, named
    `@look.…`, are given to `finish` in `Facts.looked`: it saves a second visit of the tree. `unread` is syntax that the grammar does not
    know: a text that occurs in it, an expression over bytes whose first group is blanked for the parser alone, and one for what has to
    stand before (empty: anything).

    Five hooks, each a last resort for what no field can say: `finish` may add facts after the walk; `name_of` names a unit that no
    path leads to; `scan` makes all facts of a language without a grammar (`grammar=""`); `code_in` is for files that hold code of another
    language among other text: it returns that language and the text with everything else blanked, byte for byte, so that places agree;
    `lex` gives the leaves of the trees of texts without a parse, or None where only the parser can tell.
    """

    name: str
    grammar: str
    revision: int = 1
    comments: tuple[str, ...] = ("comment",)
    units: tuple[UnitKind, ...] = ()
    decorators: Decorators | None = None
    complexity: ComplexityKinds = ComplexityKinds()
    naming: Naming = Naming.ANY
    sites: tuple[SiteRule, ...] = ()
    calls: CallKinds | None = None
    call_rules: tuple[CallRule, ...] = ()
    receivers: tuple[str, ...] = ()
    equations: bool = False
    strings: StringKinds | None = None
    visibility: VisibilityRule = VisibilityRule(mechanism=Visibility.ALWAYS)
    conditional: tuple[str, ...] = ()
    type_guards: tuple[str, ...] = ()
    reads_ahead: bool = False
    reexport_files: tuple[str, ...] = ()
    alias_reexports: bool = False
    lists: tuple[str, ...] = ()
    unread: tuple[tuple[bytes, bytes, bytes], ...] = ()
    looks: str = ""
    endless: tuple[bytes, bytes] | None = None
    finish: Callable[[Parsed, Facts], None] | None = None
    name_of: Callable[[Parsed, Node], str] | None = None
    scan: Callable[[Parsed], Facts] | None = None
    code_in: Callable[[bytes], tuple[str, bytes]] | None = None
    lex: Callable[[Sequence[bytes]], list[Leaves | None]] | None = None
