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

__all__ = ["NOWHERE", "clauses", "literals", "program_like_text"]

NOWHERE = Span("", 0, 0, 0, 0)

_predicates = st.sampled_from(["p", "q", "edge", "decl", "output", "in", "file2"])
_variables = st.sampled_from(["X", "Y", "Z1", "Long_name"]).map(lambda name: Variable(name, span=NOWHERE))
_texts = st.one_of(
    st.sampled_from(["a", "b_c", "count", "not", "a b", "x.py", "", "# no comment", "%", "ü", "X", "include"]),
    st.text(st.characters(exclude_characters='"\n', exclude_categories=["Cs"]), max_size=5),
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
