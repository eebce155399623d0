"""What a reader should be told where the grammar finds no clause: the sentence, the likely mistake and how to write it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ce.datalog.codes import SYNTAX
from ce.datalog.lexer import Token
from ce.diagnostics import Diagnostic, Related, Span

__all__ = ["explain", "is_new_clause", "missing_dot", "too_deep"]

_CLAUSE_STARTS = {"ASSERT", "ASK", "DECL", "OUTPUT", "INCLUDE", "AT"}
_SPELLING = {"COMMA": "`,`", "SEMICOLON": "`;`", "RPAR": "`)`", "IF": "`:-`", "COLON": "`:`", "LPAR": "`(`", "DOT": "`.`"}
_EXAMPLES = {
    "DECL": "a declaration is written `decl edge(From: int, To: int).`",
    "OUTPUT": "an output is written `output edge.`",
    "INCLUDE": 'an include is written `include "lib/scope.dl".`',
    "AT": 'an annotation is written `@severity(warning)`, `@message("…")` or `@doc("…")`',
}


def is_new_clause(tokens: Sequence[Token], index: int, accepted: Collection[str]) -> bool:
    """Tell whether the unexpected token begins the next clause, so that only a dot is missing before it."""
    if index == 0 or "DOT" not in accepted:
        return False
    token, previous = tokens[index], tokens[index - 1]
    if token.type in _CLAUSE_STARTS:
        return True
    return token.type == "PREDICATE" and token.line > previous.line and token.column <= tokens[0].column


def missing_dot(token: Token) -> Diagnostic:
    """Return the diagnostic for a clause that ends with this token and lacks its dot."""
    span = token.span
    return SYNTAX.MISSING_DOT.at(Span(span.source, span.line, span.end_column, span.line, span.end_column + 1))


def too_deep(token: Token, limit: int) -> Diagnostic:
    """Return the diagnostic for a clause whose nesting passes the limit at this token."""
    return SYNTAX.TOO_DEEP.at(token.span, limit=limit)


def explain(tokens: Sequence[Token], index: int, accepted: Collection[str]) -> Diagnostic:
    """Return the diagnostic for the unexpected token at this index of a clause."""
    token = tokens[index]
    special = _unbalanced(tokens, index, accepted) or _misspelt_word(tokens, index)
    if special is not None:
        return special
    found = "the clause ends here" if token.type == "DOT" else f"unexpected `{_clip(token.text)}`"
    return SYNTAX.UNEXPECTED.at(token.span, found=found, expected=_expected(accepted), notes=_notes(tokens, index, accepted))


def _unbalanced(tokens: Sequence[Token], index: int, accepted: Collection[str]) -> Diagnostic | None:
    token = tokens[index]
    open_parentheses: list[Token] = []
    for earlier in tokens[:index]:
        if earlier.type == "LPAR":
            open_parentheses.append(earlier)
        elif earlier.type == "RPAR" and open_parentheses:
            open_parentheses.pop()
    if token.type == "RPAR" and not open_parentheses:
        return SYNTAX.UNBALANCED.at(token.span, found="`)` closes nothing", notes=["remove it, or open a `(` before it"])
    if token.type in ("DOT", "IF", "ASK", "ASSERT") and open_parentheses and "RPAR" in accepted:
        opening = open_parentheses[-1].span
        what = "the clause ends" if token.type == "DOT" else f"`{token.text}` stands"
        return SYNTAX.UNBALANCED.at(token.span, found=f"{what} before `)`", related=[Related(opening, "this `(` is not closed")])
    return None


def _misspelt_word(tokens: Sequence[Token], index: int) -> Diagnostic | None:
    token = tokens[index]
    previous = tokens[index - 1] if index else None
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    if token.type == "VARIABLE" and following is not None and following.type == "LPAR":
        return SYNTAX.CAPITAL_PREDICATE.at(token.span, text=token.text, instead=_small(token.text))
    if token.type == "LPAR" and previous is not None and previous.type == "VARIABLE":
        return SYNTAX.CAPITAL_PREDICATE.at(previous.span, text=previous.text, instead=_small(previous.text))
    if previous is not None and previous.type == "AGGREGATE" and token.type != "LPAR":
        return SYNTAX.KEYWORD.at(previous.span, text=previous.text)
    if token.type in ("AGGREGATE", "NOT", "ASSERT"):
        is_term = previous is not None and previous.type in ("LPAR", "COMMA", "COMPARE") and (following is None or following.type != "LPAR")
        if is_term or (token.type == "AGGREGATE" and (previous is None or previous.type in ("NOT", "ASSERT"))):
            return SYNTAX.KEYWORD.at(token.span, text=token.text)
    return None


def _expected(accepted: Collection[str]) -> str:
    phrases: list[str] = []
    if "ASSERT" in accepted:
        phrases.append("a clause")
    elif "NOT" in accepted:
        phrases.append("a literal")
    elif "INTEGER" in accepted and "WILDCARD" in accepted:
        phrases.append("a term")
    elif "VARIABLE" in accepted:
        phrases.append("a variable")
    elif "PREDICATE" in accepted:
        phrases.append("a relation with `(…)`")
    elif "NAME" in accepted:
        phrases.append("a name")
    elif "STRING" in accepted:
        phrases.append("a string")
    if "COMPARE" in accepted:
        phrases.append("a comparison such as `=` or `<`")
    terms = bool(phrases) and phrases[0] in ("a clause", "a literal", "a term", "a relation with `(…)`")
    phrases += [text for kind, text in _SPELLING.items() if kind in accepted and not (kind == "LPAR" and terms)]
    if not phrases:
        return "an operator" if "ADDITIVE" in accepted else "nothing more"
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} or {phrases[-1]}"


_WORDS = {
    "and": "a conjunction is written `,`", "or": "an alternative is written `;`", "is": "a value is bound with `=`: `X = Y + 1`",
    "if": "a rule is written `head :- body.`", "where": "a rule is written `head :- body.`", "when": "a rule is written `head :- body.`",
    "from": "a rule is written `head :- body.`",
    "mod": "the remainder is written `%`", "in": 'files of a glob are written `in(F, "src/**")`',
}  # fmt: skip


def _notes(tokens: Sequence[Token], index: int, accepted: Collection[str]) -> list[str]:
    """Return advice for the mistakes that people make; the first that fits."""
    token = tokens[index]
    previous = tokens[index - 1] if index else None
    kind, before = token.type, previous.type if previous else ""
    aggregate = _innermost_aggregate(tokens, index)
    if kind in ("NAME", "PREDICATE") and token.text in _WORDS:
        return [_WORDS[token.text]]
    if aggregate is not None:
        return [f"an aggregate is written `N = {aggregate.text}(X : p(X))`"]
    if index == 0:
        return _notes_at_start(tokens, token)
    if kind == "ADDITIVE" and token.text == "-" and "INTEGER" in accepted:
        return ["a minus sign stands directly before a digit; the opposite of a variable is `0 - X`"]
    if before == "NAME" and "COMPARE" in accepted:
        return [f"a relation without columns is written `{tokens[index - 1].text}()`; a comparison needs an operator"]
    if before == "NOT":
        return ["negate a relation, `not p(X)`; of a comparison write the opposite, or `not (X < Y)`"]
    if kind == "COMMA" and "IF" in accepted:
        return ["a rule has one head: write one rule for each"]
    if kind == "DOT" and "IF" in accepted and tokens[0].type in ("ASSERT", "AT"):
        return ["an assertion is written `assert name(X) :- body.`; a fact is written without `assert`"]
    if kind == "DOT" and before in ("COMMA", "SEMICOLON"):
        return [f"remove the `{tokens[index - 1].text}` before the dot"]
    if kind == "DOT" and before == "IF":
        return ["a fact is written without `:-`"]
    if kind == "COLON" and "IF" in accepted:
        return ["a rule is written `head :- body.`, with `:-` in one piece"]
    if kind == "COMPARE" and before == "RPAR":
        return ["a relation has no value: bind a column to a variable and compare that"]
    if kind == "PREDICATE" and "COMMA" in accepted:
        return ["literals are separated by `,`; a clause ends with `.`"]
    if kind == "PREDICATE" and "INTEGER" in accepted:
        return ["there are no functions: put the other relation into the body and share a variable"]
    if tokens[0].type in _EXAMPLES:
        return [_EXAMPLES[tokens[0].type]]
    if "INTEGER" in accepted and "NOT" not in accepted:
        return ["a term is a variable, a number, a name or a quoted text"]
    if "IF" in accepted:
        return ["a fact is `p(a).`, a rule `p(X) :- q(X).`"]
    return ["a literal is `p(X)`, `not p(X)` or a comparison such as `X < 3`"]


def _notes_at_start(tokens: Sequence[Token], token: Token) -> list[str]:
    if token.type == "IF":
        return ["a question starts with `?-`, a rule with its head"]
    if token.type == "NOT":
        return ["a head cannot be negated: say what holds, and negate in the body"]
    if token.type == "NAME" and len(tokens) > 1 and tokens[1].type in ("IF", "DOT"):
        return [f"a relation without columns is written `{token.text}()`"]
    if token.type == "DOT":
        return ["there is a dot too many"]
    return ["a fact is `p(a).`, a rule `p(X) :- q(X).`, a question `?- p(X).`"]


def _innermost_aggregate(tokens: Sequence[Token], index: int) -> Token | None:
    """Return the aggregate whose `(` is open, or directly before the token, without its `:` so far."""
    if index and tokens[index - 1].type == "AGGREGATE":
        return tokens[index - 1]
    depth = 0
    for position in range(index - 1, 0, -1):
        kind = tokens[position].type
        if kind == "COLON" and depth == 0:
            return None
        if kind == "RPAR":
            depth += 1
        elif kind == "LPAR":
            if depth == 0:
                return tokens[position - 1] if tokens[position - 1].type == "AGGREGATE" else None
            depth -= 1
    return None


def _small(text: str) -> str:
    return text.lower() if text.isupper() else text[0].lower() + text[1:]


def _clip(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
