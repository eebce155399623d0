"""Every relation that a program may read about a tree: name, columns, sorts, meaning, cost, provider.

This table is the single source for the checks, `ce facts`, completions and the reference page.
"""

from __future__ import annotations

from dataclasses import dataclass

from ce.datalog.checked import SchemaRelation

__all__ = ["RELATIONS", "VOCABULARIES", "Cost", "FactRelation", "relation", "schema"]

# Closed vocabularies: a constant outside them is an error that names the nearest member.
VOCABULARIES: dict[str, tuple[str, ...]] = {
    "node_kind": ("file", "pkg", "section", "asset", "prose"),
    "edge_kind": ("import", "doc_link", "doc_ref", "asset", "contain", "refdef"),
    "edge_mode": ("runtime", "type", "lazy", "conditional", "reexport"),
    "role": (
        "entry_named", "entry_dir", "test", "glob", "doc", "allow", "declared", "foreign", "unit", "asset", "script",
        "surface", "companion", "internal",
    ),
    "unit_kind": ("fn", "named", "impl", "section", "other"),
    "site_kind": (
        "import", "import_from", "export_from", "use", "mod_decl", "link", "image", "ref_link", "ref_def", "url", "export_star",
        "include", "import_star", "type_ref", "require", "load", "source", "library", "href", "src", "srcset", "action",
        "link_asset", "dynamic_import",
    ),
    "outcome": ("resolved", "external", "unresolved"),
    "reason": (
        "none", "dynamic", "ambiguous_paths", "ambiguous_root", "ambiguous_workspace", "ambiguous_exports", "macro", "config_depth",
        "out_of_scope", "unsupported", "empty", "own_unit",
    ),
    "clone_kind": ("t1", "t2", "t1t2", "t3"),
    "prose_kind": ("md_para", "comment_block", "docstring", "html_text", "text_para", "rst_para"),
    "flow_reason": ("after_jump", "after_branches", "after_loop", "after_exit", "condition"),
    "flow_keeps": ("generator", "await", "scope", "label", "binding"),
    "unread_reason": ("overwritten", "unread"),
    "prose_status": ("live", "license_header", "inline_allow"),
    "skip_reason": (
        "binary", "too_large", "unreadable", "vanished", "not_regular", "symlink", "secret", "excluded", "ignored", "built_in",
        "build_output", "hidden", "nested_repository", "submodule", "unsupported_language", "unknown_language", "encoding",
        "parse_limit", "generated",
    ),
    "definition_kind": (
        "module", "function", "method", "property", "class", "interface", "enum", "enum_member", "type_alias", "variable", "constant",
        "field", "import", "export", "namespace", "macro",
    ),
    "use_kind": ("call", "read", "write", "import", "reexport", "inherit", "decorate", "override", "type_only", "string", "dynamic"),
    "symbol_flag": (
        "exported", "private", "protocol", "abstract", "conditional", "static", "registers", "iterated", "side_effect", "declared_only",
        "local", "redundant_alias", "type_import", "escapes",
    ),
    "how": ("scope", "import", "hierarchy", "receiver", "value", "string", "glob", "bare"),
}  # fmt: skip


class Cost:
    """How much it costs to have a relation: `CHEAP` comes with the index, `TREE` is one pass over it, `COSTLY` is measured apart."""

    CHEAP = "cheap"
    TREE = "tree"
    COSTLY = "costly"


@dataclass(frozen=True, slots=True)
class FactRelation:
    """One relation: `columns` are (name, sort, vocabulary or empty)."""

    name: str
    columns: tuple[tuple[str, str, str], ...]
    meaning: str
    cost: str
    provider: str

    @property
    def sorts(self) -> tuple[str, ...]:
        """Return the sorts of the columns."""
        return tuple(sort for _, sort, _ in self.columns)

    @property
    def signature(self) -> str:
        """Return `name(Column: sort, …)`."""
        return f"{self.name}({', '.join(f'{column}: {sort}' for column, sort, _ in self.columns)})"


def _relation(signature: str, meaning: str, cost: str = Cost.CHEAP, provider: str = "index") -> FactRelation:
    name, _, rest = signature.partition("(")
    columns = []
    for part in rest.rstrip(")").split(","):
        column, _, sort = part.strip().partition(":")
        sort, _, vocabulary = sort.strip().partition("/")
        columns.append((column.strip(), sort, vocabulary))
    return FactRelation(name, tuple(columns), meaning, cost, provider)


# What the names of the files tell, and what stands in the bodies of units: cost and provider.
_SYMBOLS = (Cost.COSTLY, "symbols")
_BODIES = (Cost.CHEAP, "bodies")

RELATIONS: tuple[FactRelation, ...] = (
    _relation("node(N: node, K: sym/node_kind)", "a node of the graph and what it is"),
    _relation("file(F: node)", "a node that is a file"),
    _relation("in_dir(N: node, D: dir)", "the directory a node stands in; a package stands in its own"),
    _relation("dir(D: dir)", "a directory; the root is `.`"),
    _relation("parent(D: dir, P: dir)", "the directory above; the root has none"),
    _relation("dir_name(D: dir, S: sym)", "the last name of a directory's path"),
    _relation("lang(F: node, L: sym)", "the language of a file, asset or text; `unknown` when no language claims it"),
    _relation("role(N: node, R: sym/role)", "a reason for a file to be an entry"),
    _relation("lines(F: node, N: int)", "the number of lines of a file"),
    _relation("ref(N: node, M: node, K: sym/edge_kind, R: int)", "N refers to M; K is the kind of reference, R the rung that resolved it"),
    _relation("unresolved(F: node, N: int)", "N sites of the file are unresolved; no row when none is"),
    _relation("unit(U: unit, F: node)", "a declaration with a span and its file"),
    _relation("unit_kind(U: unit, K: sym/unit_kind)", "what kind of declaration a unit is"),
    _relation("unit_lines(U: unit, N: int)", "the number of lines of a unit"),
    _relation("unit_at(U: unit, L: int)", "the first line of a unit"),
    _relation("named(U: unit, S: sym)", "the single-token name a unit declares"),
    _relation("exported(U: unit)", "the unit is visible outside its file by its own mechanism"),
    _relation("coc(U: unit, N: int)", "cognitive complexity of a unit", *_BODIES),
    _relation("cyclo(U: unit, N: int)", "cyclomatic complexity of a unit", *_BODIES),
    _relation("nesting(U: unit, N: int)", "deepest nesting in a unit", *_BODIES),
    _relation("params(U: unit, N: int)", "number of parameters of a unit"),
    _relation(
        "clone(U: unit, V: unit, K: sym/clone_kind)",
        "two whole units are copies; `t1t2` by tokens, `t3` by tree distance; each pair once", Cost.COSTLY, "unit_clones",
    ),
    _relation("dup(F: node, G: node, N: int)", "two files share a run of N tokens; each pair once", Cost.COSTLY, "clones"),
    _relation("docdup(F: node, G: node)", "two files share duplicated prose; each pair once", Cost.COSTLY, "docdup"),
    _relation(
        "block(B: int, F: node, Start: int, End: int, G: node, GStart: int, GEnd: int, "
        "Tokens: int, Distinct: int, Code: int, K: sym/clone_kind)",
        "a shared run: two places, its tokens, different tokens, tokens outside imports; `t1` to the letter, `t2` renamed",
        Cost.COSTLY,
        "clones",
    ),
    _relation(
        "tree_pair(U: unit, V: unit, Ted: int, N: int, M: int)",
        "two functions of one language whose trees are nearly equal: edit distance and numbers of nodes; every pair that can pass",
        Cost.COSTLY,
        "trees",
    ),
    _relation("clone_group(B: int, N: int)", "the family of copies that a block belongs to; none for boilerplate", Cost.COSTLY, "clones"),
    _relation(
        "doc_segment(S: int, F: node, Start: int, End: int, K: sym/prose_kind, Status: sym/prose_status, Words: int)",
        "a stretch of prose with at least fifty words",
        Cost.COSTLY,
        "docdup",
    ),
    _relation(
        "doc_pair(A: int, B: int, Inter: int, Union: int, Verbatim: int, Contained: int)",
        "two segments that say the same: shared and all shingles, words of the longest common run, per cent of the smaller in the larger",
        Cost.COSTLY,
        "docdup",
    ),
    _relation("mention(S: sym, F: node)", "the file spells the identifier S anywhere", Cost.COSTLY, "mentions"),
    _relation("class(F: node, S: sym)", "the path class of a file, from `[[rules.class]]`"),
    _relation("set(S: sym, F: node)", "the file matches the glob S; written `in(F, \"glob\")`", Cost.TREE, "globs"),
    _relation("site(F: node, L: int, K: sym/site_kind, S: sym)", "a reference as written: line, kind, specifier"),
    _relation(
        "outcome(F: node, L: int, S: sym, O: sym/outcome, Why: sym/reason)",
        "how the resolution of a site ended; `none` unless unresolved",
    ),
    _relation("candidate(F: node, L: int, S: sym, C: node)", "a file that an ambiguous site could mean"),
    _relation(
        "names_module(F: node, L: int, K: sym/site_kind, G: node)",
        "an import on line L of F names G as written: `from p import m` module m of p, no package around it, nothing behind a re-export",
    ),
    _relation("ref_mode(N: node, M: node, W: sym/edge_mode)", "when the reference from N to M takes effect"),
    _relation("unit_ref(U: unit, V: unit, K: sym)", "U refers to V, proved by scope or import", *_SYMBOLS),
    _relation("calls(U: unit, S: sym)", "the unit calls S: the dotted text as it is written, `os.path.join`", *_BODIES),
    _relation("decorated(U: unit, S: sym)", "the unit carries the decorator S, as written"),
    _relation("inherits(U: unit, S: sym)", "the class names S among its bases"),
    _relation("visibility(U: unit, N: int)", "visibility word of a unit: 1 exported, 2 let out by its scopes, 4 restricted"),
    _relation("imports_name(F: node, G: node, S: sym)", "F imports the name S from G"),
    _relation("exports_name(F: node, S: sym)", "the file lists S in its literal export list"),
    _relation("binds_name(F: node, S: sym)", "the body of the module binds S"),
    _relation("public(F: node)", "some declaration of the file is exported"),
    _relation("dynamic(F: node, L: int, Why: sym)", "a place that can name modules or symbols at run time"),
    _relation("dynamic_target(F: node, L: int, G: node)", "the dynamic site could name this file"),
    _relation("dynamic_any(F: node, L: int, S: sym)", "the dynamic site could name every file of the language S"),
    _relation("unresolved_target(F: node, L: int, G: node)", "the unresolved site could name this file"),
    _relation(
        "entry_point(F: node, S: sym, Source: sym)",
        "something outside the imports starts the file: symbol and place of the mention",
    ),
    _relation("allow(F: node, L: int, Tag: sym, Why: sym)", "a `ce:allow(tag) -- why` marker"),
    _relation(
        "unreachable(F: node, Start: int, End: int, Why: sym/flow_reason)",
        "no path of its function reaches these lines; the place is what never ends before them, or the constant condition",
        Cost.COSTLY, "flow",
    ),
    _relation(
        "unreachable_keeps(F: node, Start: int, What: sym/flow_keeps)",
        "what the unreachable lines do by standing there: make a generator, hold a scope, a label, a binding", Cost.COSTLY, "flow",
    ),
    _relation(
        "unread_value(F: node, L: int, S: sym, Why: sym/unread_reason)",
        "the value that the local S is given on line L is read on no path", Cost.COSTLY, "flow",
    ),
    _relation(
        "mentions_path(F: node, G: node, L: int)",
        "F spells the module path, path or file name of G on line L", Cost.COSTLY, "mentions",
    ),
    _relation("churn(F: node, Commits: int, Added: int, Deleted: int)", "changes in the history window", Cost.COSTLY, "history"),
    _relation("cochange(F: node, G: node, N: int)", "two files changed together in N commits; each pair once", Cost.COSTLY, "history"),
    _relation("age_days(F: node, N: int)", "days from the last commit of the file to the newest commit", Cost.COSTLY, "history"),
    _relation("owner(F: node, S: sym)", "an owner of the file by CODEOWNERS", Cost.TREE, "owners"),
    _relation("manifest_dep(P: dir, S: sym)", "the manifest in this directory declares a dependency"),
    _relation("project_kind(K: sym, Why: sym)", "application or library, and what decided it"),
    _relation("skipped(F: node, Why: sym/skip_reason)", "seen on disk and not measured, with the reason"),
    _relation("generated(F: node)", "the file says it is generated"),
    _relation("symbol(S: symbol, F: node)", "a name that the file declares; the file itself is one", *_SYMBOLS),
    _relation("symbol_kind(S: symbol, K: sym/definition_kind)", "what kind of declaration a symbol is", *_SYMBOLS),
    _relation("symbol_name(S: symbol, N: sym)", "the plain name of a symbol; the file itself has none", *_SYMBOLS),
    _relation("symbol_in(S: symbol, P: symbol)", "P is the declaration whose body holds S: a file, a class, a function", *_SYMBOLS),
    _relation("symbol_span(S: symbol, Start: int, End: int)", "the lines of the whole declaration with its decorators", *_SYMBOLS),
    _relation(
        "qualified(S: symbol, Q: sym)",
        "the full name of a symbol: `pkg.mod.Class.run` by the roots of imports where the language has them, else `src/util.ts:Class.run`",
        *_SYMBOLS,
    ),
    _relation("symbol_flag(S: symbol, W: sym/symbol_flag)", "what else is known of a declaration", *_SYMBOLS),
    _relation("parameter(S: symbol, I: int, N: sym)", "the parameters of a function in order, from 0, without receivers", *_SYMBOLS),
    _relation("symbol_unit(S: symbol, U: unit)", "the unit that is the same declaration", *_SYMBOLS),
    _relation(
        "name_ref(S: symbol, T: symbol, K: sym/use_kind, How: sym/how)",
        "the body of S uses T; How tells what proves it. Of `a.b.c` every declaration on the way is used",
        *_SYMBOLS,
    ),
    _relation(
        "member_ref(S: symbol, N: sym, K: sym/use_kind)",
        "S uses a member named N of something that nothing is known of, or one of a computed name that N fits",
        *_SYMBOLS,
    ),
    _relation(
        "member_glob(S: symbol, Pattern: sym)",
        "S uses a member with a computed name, of an object that nothing is known of; the glob says what it could be",
        *_SYMBOLS,
    ),
    _relation(
        "whole_ref(S: symbol, T: symbol)",
        "S uses the class or module T as a whole: hands it on, goes through it, or takes of it by a key",
        *_SYMBOLS,
    ),
    _relation("name_glob(S: symbol, T: symbol, Pattern: sym)", "S uses a member of T by a computed name; the glob tells which", *_SYMBOLS),
    _relation(
        "external_ref(S: symbol, X: sym, K: sym/use_kind)",
        "S uses a dotted name from outside the tree: `os.path.join`, `react.useState`, `builtins.len`",
        *_SYMBOLS,
    ),
    _relation(
        "decorated_by(S: symbol, X: sym)",
        "a decorator of S from outside the tree: `flask.Flask.route`; `?.app.route` as written where nothing tells what `app` is",
        *_SYMBOLS,
    ),
    _relation("decorated_with(S: symbol, T: symbol)", "T of the tree decorates S", *_SYMBOLS),
    _relation("call_argument(S: symbol, X: sym, A: sym)", "S calls X, a full name, with the constant text A", *_SYMBOLS),
    _relation("base(S: symbol, T: symbol)", "the class S names T among its bases", *_SYMBOLS),
    _relation("external_base(S: symbol, X: sym)", "the class S has a base from outside the tree", *_SYMBOLS),
    _relation("unknown_base(S: symbol)", "the class S has a base that nothing resolves", *_SYMBOLS),
    _relation("overrides(M: symbol, N: symbol)", "M redefines the member N of the nearest base that has one", *_SYMBOLS),
    _relation("external_member(X: sym, N: sym)", "the class X from outside, a base in this tree, has a member N", *_SYMBOLS),
    _relation("string_ref(S: symbol, T: symbol)", "a constant text in S, or in a file that is data, is the dotted name of T", *_SYMBOLS),
    _relation("spelled(F: node, N: sym)", "F has a constant text that is the identifier N", *_SYMBOLS),
    _relation(
        "opaque_zone(F: node, Why: sym, Pattern: sym)",
        "something in F uses names of F that no scope shows: those that the glob matches",
        *_SYMBOLS,
    ),
    _relation("path_of(F: node, S: sym)", "the path of a node as a name", Cost.TREE, "names"),
    _relation("base_of(F: node, S: sym)", "the file name of a node as a name", Cost.TREE, "names"),
    _relation("ext_of(F: node, S: sym)", "the suffix of a node without the dot, as a name", Cost.TREE, "names"),
)  # fmt: skip

_BY_NAME = {relation.name: relation for relation in RELATIONS}


def relation(name: str) -> FactRelation | None:
    """Return the relation of that name, or None."""
    return _BY_NAME.get(name)


def schema() -> tuple[SchemaRelation, ...]:
    """Return the relations as the engine's checks take them."""
    return tuple(
        SchemaRelation(
            relation.name,
            tuple(column for column, _, _ in relation.columns),
            relation.sorts,
            relation.meaning,
            tuple(VOCABULARIES[vocabulary] if vocabulary else None for _, _, vocabulary in relation.columns),
        )
        for relation in RELATIONS
    )
