"""The generated parts of the language reference: between `<!-- name -->` and `<!-- end -->` stands what the code says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ce.datalog.checked import BUILTIN_TESTS, SchemaRelation
from ce.datalog.checks.names import ANNOTATIONS, SEVERITIES
from ce.datalog.lexer import DIRECTIVES, KEYWORDS
from ce.datalog.parse import MAX_DEPTH
from ce.datalog.syntax import AGGREGATE_FUNCTIONS, ARITHMETIC_OPERATORS, COMPARISON_OPERATORS, INTEGER_MAX, INTEGER_MIN
from ce.datalog.transform.normalise import MAX_ALTERNATIVES

__all__ = ["refresh"]

_BLOCK = re.compile(r"<!-- (?P<name>[a-z]+) -->\n.*?<!-- end -->", re.DOTALL)


def refresh(page: str, schema: Sequence[SchemaRelation]) -> str:
    """Return the page with its generated parts as they should be; an unknown name of a part is a KeyError."""
    blocks = {"grammar": _grammar(), "words": _words(), "sorts": _sorts(schema), "limits": _limits()}
    return _BLOCK.sub(lambda found: f"<!-- {found['name']} -->\n{blocks[found['name']]}\n<!-- end -->", page)


def _grammar() -> str:
    """Return the grammar as rules without the names that only the parser needs."""
    text = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    lines = [re.sub(r"\s+-> \w+$", "", line).lstrip("?") for line in text.splitlines() if not line.startswith(("%", "//"))]
    return "```text\n" + re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n```"


def _words() -> str:
    rows = [
        ("keywords, never names or relations", KEYWORDS),
        ("words that open a clause, free elsewhere", DIRECTIVES),
        ("annotations", [f"@{name}" for name in ANNOTATIONS]),
        ("severities", SEVERITIES),
        ("comparisons", COMPARISON_OPERATORS),
        ("arithmetic", ARITHMETIC_OPERATORS),
        ("aggregates", AGGREGATE_FUNCTIONS),
        ("built-in tests", [f"{name}/2" for name in BUILTIN_TESTS]),
    ]
    return "\n".join(
        ["| what | words |", "|---|---|", *(f"| {what} | {' '.join(f'`{word}`' for word in words)} |" for what, words in rows)]
    )


def _sorts(schema: Sequence[SchemaRelation]) -> str:
    sorts = dict.fromkeys(["int", "sym", *(sort for relation in schema for sort in relation.sorts)])
    lines = ["| sort | relations with a column of it |", "|---|---|"]
    for sort in sorts:
        names = [relation.name for relation in schema if sort in relation.sorts]
        shown = " ".join(f"`{name}`" for name in names[:8]) + (" …" if len(names) > 8 else "")
        lines.append(f"| `{sort}` | {shown} |")
    return "\n".join(lines)


def _limits() -> str:
    rows = [
        ("integers", f"{INTEGER_MIN} … {INTEGER_MAX}"),
        ("depth of parentheses, groups and operators in a clause", str(MAX_DEPTH)),
        ("rules that the alternatives of one clause may become", str(MAX_ALTERNATIVES)),
    ]
    return "\n".join(["| what | limit |", "|---|---|", *(f"| {what} | {limit} |" for what, limit in rows)])
