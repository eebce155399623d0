"""Generated programs for property tests: clauses that parse, and arbitrary text that looks a little like a program."""

from __future__ import annotations

from hypothesis import strategies as st

from ce.datalog.syntax import (
    AGGREGATE_FUNCTIONS,
    ARITHMETIC_OPERATORS,
    COMPARISON_OPERATORS,
    Aggregate,
    Annotation,
    Arithmetic,
    Assertion,
    Atom,
    Clause,
    Comparison,
    Constant,
    Declaration,
    Disjunction,
    Expression,
    Include,
    Literal,
    NegatedConjunction,
    Output,
    Query,
    Rule,
    Variable,
    Wildcard,
)
from ce.diagnostics import Span

__all__ = ["NOWHERE", "clauses", "literals", "program_like_text", "rule_texts", "sound_texts"]

NOWHERE = Span("", 0, 0, 0, 0)

_predicates = st.sampled_from(["p", "q", "edge", "decl", "output", "in", "file2"])
_variables = st.sampled_from(["X", "Y", "Z1", "Long_name"]).map(lambda name: Variable(name, span=NOWHERE))
_texts = st.one_of(
    st.sampled_from(["a", "b_c", "count", "not", "a b", "x.py", "", "# no comment", "%", "ü", "X", "include"]),
    st.text(st.characters(exclude_characters='"\r\n', exclude_categories=["Cs"]), max_size=5),
)
_constants = st.one_of(st.integers(-(2**63), 2**63 - 1), _texts).map(lambda value: Constant(value, span=NOWHERE))
_terms = st.one_of(_variables, _constants, st.just(Wildcard(span=NOWHERE)))
_expressions: st.SearchStrategy[Expression] = st.recursive(
    _terms, lambda inner: st.builds(Arithmetic, st.sampled_from(ARITHMETIC_OPERATORS), inner, inner, span=st.just(NOWHERE)), max_leaves=4
)
_atoms = st.builds(Atom, _predicates, st.lists(_expressions, max_size=3).map(tuple), st.booleans(), span=st.just(NOWHERE))
_heads = st.builds(Atom, _predicates, st.lists(_expressions, max_size=3).map(tuple), span=st.just(NOWHERE))
_comparisons = st.builds(Comparison, st.sampled_from(COMPARISON_OPERATORS), _expressions, _expressions, span=st.just(NOWHERE))


def _groups(inner: st.SearchStrategy[Literal]) -> st.SearchStrategy[Literal]:
    bodies = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.builds(
            Aggregate,
            _variables,
            st.sampled_from(AGGREGATE_FUNCTIONS),
            st.lists(_variables, min_size=1, max_size=2).map(tuple),
            bodies,
            span=st.just(NOWHERE),
        ),
        st.builds(Disjunction, st.lists(bodies, min_size=2, max_size=3).map(tuple), span=st.just(NOWHERE)),
        st.builds(NegatedConjunction, bodies, span=st.just(NOWHERE)),
    )


literals: st.SearchStrategy[Literal] = st.recursive(st.one_of(_atoms, _comparisons), _groups, max_leaves=6)
_bodies = st.lists(literals, min_size=1, max_size=4).map(tuple)
_annotations = st.lists(
    st.builds(Annotation, st.sampled_from(["doc", "message", "severity"]), _texts, span=st.just(NOWHERE)), max_size=2
).map(tuple)
_columns = st.lists(st.tuples(st.sampled_from(["From", "To", "size"]), st.sampled_from(["int", "sym"])), max_size=3).map(tuple)

clauses: st.SearchStrategy[Clause] = st.one_of(
    st.builds(Rule, _heads, st.one_of(st.just(()), _bodies), _annotations, span=st.just(NOWHERE)),
    st.builds(Query, _bodies, _annotations, span=st.just(NOWHERE)),
    st.builds(Assertion, _heads, _bodies, _annotations, span=st.just(NOWHERE)),
    st.builds(Declaration, _predicates, _columns, _annotations, span=st.just(NOWHERE)),
    st.builds(Output, _predicates, span=st.just(NOWHERE)),
    st.builds(Include, st.sampled_from(["lib/scope.dl", "a b.dl"]), span=st.just(NOWHERE)),
)

_fragments = st.sampled_from(
    [
        *(
            "p(X)",
            "q(X, Y)",
            "not ",
            "(",
            ")",
            ",",
            ";",
            ".",
            ":-",
            "?-",
            "@doc(",
            '"s"',
            '"',
            "X",
            "_",
            "a",
            "12",
            "-",
            "+",
            "*",
            "%",
            "/",
        ),
        *(
            "//",
            "/*",
            "*/",
            "<",
            "<=",
            "=",
            "!=",
            "!",
            "\\+",
            "<-",
            "count(",
            "N = count(X : p(X))",
            "decl ",
            "output ",
            "include ",
            "assert ",
        ),
        *(":", "# c\n", "\n", " ", "\t", "1.5", "99999999999999999999", "a.py", "'x'", "\u00e9", "\ufeff", "{", "|", "Dead(X)"),
        *(".decl p(x:number)\n", "p(X) :- q(X).\n", "min", "\r\n", "\x00"),
    ]
)
program_like_text = st.one_of(st.text(max_size=60), st.lists(_fragments, max_size=25).map("".join))


_ARITIES = {"p": 1, "q": 2, "r": 2, "s": 1}
_arguments = st.sampled_from(["X", "Y", "Z", "X", "Y", "_", "1", "2", "X + 1", "Y * Z"])


@st.composite
def sound_texts(draw: st.DrawFn) -> str:
    """Return the text of a small program over a few relations with fixed arities; many of them pass the checks."""
    facts = "p(1). q(1, 2). r(2, 3). s(3). "
    return facts + " ".join(draw(st.lists(rule_texts(("t(X)", "u(X, Y)", "u(X, X + 1)", "s(X)", "v()"), "t"), min_size=1, max_size=3)))


@st.composite
def rule_texts(draw: st.DrawFn, heads: tuple[str, ...] = ("t(X)", "t(Y)", "u(X, Y)", "u(X, X + 1)", "v()"), more: str = "q") -> str:
    """Return the text of a rule over the relations `p/1`, `q/2`, `r/2`, `s/1`, and `t/1` when that is `more`."""
    head = draw(st.sampled_from(heads))
    bound = draw(st.sampled_from([[], ["q(X, Y)"], ["q(X, Y)", "p(Z)"], ["q(X, Y)", "r(Y, Z)"]]))
    literals = draw(st.permutations([*bound, *draw(st.lists(_literal_texts(2, more), min_size=1, max_size=4))]))
    return f"{head} :- {', '.join(literals)}."


@st.composite
def _literal_texts(draw: st.DrawFn, depth: int, more: str) -> str:
    kind = draw(st.integers(0, 9 if depth else 6))
    if kind <= 4:
        name = draw(st.sampled_from(["p", "q", "r", "s", "q", more]))
        size = 1 if name == "t" else _ARITIES[name]
        sign = "not " if kind == 4 else ""
        return f"{sign}{name}({', '.join(draw(st.lists(_arguments, min_size=size, max_size=size)))})"
    if kind <= 6:
        left, right = draw(_arguments), draw(_arguments)
        return f"{left} {draw(st.sampled_from(['=', '=', '<', '!=', '>=']))} {right}"
    body = ", ".join(draw(st.lists(_literal_texts(depth - 1, more), min_size=1, max_size=2)))
    if kind == 7:
        return f"not ({body})"
    if kind == 8:
        return f"({body} ; {draw(_literal_texts(depth - 1, more))})"
    result, function, variable = (draw(st.sampled_from(choices)) for choices in (["N", "Z"], ["count", "sum"], ["W", "X"]))
    return f"{result} = {function}({variable} : q(W, X), {body})"
