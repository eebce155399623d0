"""Every diagnostic of the engine's front end: one table per stage of code, sentence and advice.

`CE1xx` come from reading the text, `CE2xx` from the checks, `CE3xx` (warnings) from `lint`. The reference
page `docs/reference/diagnostics.md` is made from these tables and from the fixtures that raise each code.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ce.diagnostics import Diagnostic, Related, Severity, Span

__all__ = ["CHECKS", "LINT", "SYNTAX", "Code", "all_codes"]


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of fault: `message` and `note` are templates, `title` and `meaning` are for the reference page."""

    number: str
    title: str
    message: str
    meaning: str
    note: str = ""
    severity: Severity = Severity.ERROR

    def at(self, span: Span | None, *, notes: Iterable[str] = (), related: Iterable[Related] = (), **names: object) -> Diagnostic:
        """Return the diagnostic at this place, with its own note after those given."""
        advice = [*notes, *([self.note.format(**names)] if self.note else [])]
        return Diagnostic(self.number, self.message.format(**names), span, tuple(advice), tuple(related), self.severity)


class SYNTAX:
    """What can be wrong with the text of a program."""

    UNEXPECTED = Code(
        "CE100",
        "syntax error",
        "{found}, expected {expected}",
        "The text is not a clause of the language at this place.",
    )
    UNTERMINATED_STRING = Code(
        "CE101",
        "unterminated string",
        "the string is not closed on its line",
        'A string starts and ends with `"` on one line; there are no escapes.',
        'close it with `"` on the same line',
    )
    INTEGER_RANGE = Code(
        "CE102",
        "integer out of range",
        "the integer `{text}` does not fit in 64 bits",
        "Integers lie between -9223372036854775808 and 9223372036854775807.",
        "integers lie between -9223372036854775808 and 9223372036854775807",
    )
    UNEXPECTED_CHARACTER = Code(
        "CE103",
        "unexpected character",
        "unexpected character {text}",
        "The character has no meaning outside a string.",
    )
    FOREIGN_COMMENT = Code(
        "CE104",
        "foreign comment",
        "`{text}` does not start a comment",
        "Comments start with `#` and go to the end of the line; `%` is the remainder of a division.",
        "write `# …`",
    )
    MISSING_DOT = Code(
        "CE105",
        "missing final dot",
        "the clause does not end with `.`",
        "Every clause ends with a dot.",
        "write `.` here",
    )
    UNBALANCED = Code(
        "CE106",
        "unbalanced parenthesis",
        "{found}",
        "Every `(` needs its `)` in the same clause.",
    )
    TOO_DEEP = Code(
        "CE107",
        "nested too deeply",
        "the clause is nested more than {limit} levels deep",
        "Parentheses, `not (…)`, aggregates and chains of operators may nest to a fixed depth.",
        "name an inner part as a relation of its own",
    )
    FOREIGN_OPERATOR = Code(
        "CE108",
        "foreign operator",
        "`{text}` is not {what} here",
        "The spelling belongs to another language.",
        "write {instead}",
    )
    FRACTION = Code(
        "CE109",
        "fractional number",
        "`{text}` is not an integer",
        "Numbers are whole; a dot ends the clause.",
        "scale the numbers, or compare products: `10 * X > 15` for `X > 1.5`",
    )
    EMPTY_QUERY = Code(
        "CE110",
        "empty query",
        "the query asks nothing",
        "A query has at least one literal.",
        "write a body such as `file(F)`",
    )
    CAPITAL_PREDICATE = Code(
        "CE111",
        "capital predicate",
        "`{text}` cannot name a relation: a capital starts a variable",
        "Relations and names start with a small letter, variables with a capital.",
        "write `{instead}`",
    )
    UNQUOTED_NAME = Code(
        "CE112",
        "unquoted name",
        "`{text}` needs quotes",
        "A name without quotes is made of letters, digits and `_`; paths and the like are quoted.",
        'write `"{text}"`',
    )
    KEYWORD = Code(
        "CE113",
        "keyword as a name",
        "`{text}` is a keyword",
        "`not`, `assert`, `count`, `min`, `max` and `sum` are keywords.",
        'a constant of that text is written `"{text}"`; a relation needs another name',
    )
    DIRECTIVE = Code(
        "CE114",
        "foreign directive",
        "`{text}` is not a clause",
        "Directives are written without a leading dot and end with one.",
        "write {instead}",
    )


class CHECKS:
    """What can be wrong with a program whose text is sound."""

    ARITY = Code(
        "CE201",
        "arity mismatch",
        "`{predicate}` takes {expected}, not {found}",
        "A relation has one number of columns everywhere.",
    )
    UNKNOWN_PREDICATE = Code(
        "CE202",
        "unknown predicate",
        "unknown predicate `{predicate}`",
        "A body reads a relation that no rule, declaration or fact defines.",
    )
    SORT = Code(
        "CE203",
        "sort mismatch",
        "{what}",
        "A variable, a column or a comparison would hold values of two sorts.",
    )
    UNSTRATIFIABLE = Code(
        "CE204",
        "unstratifiable negation",
        "`{predicate}` depends on {what} itself: {cycle}",
        "A relation is defined, through recursion, by its own absence or by an aggregate over itself.",
        "move it into a relation that `{predicate}` does not feed",
    )
    UNSAFE = Code(
        "CE205",
        "unsafe variable",
        "`{variable}` is not bound{where}",
        "No order of the body gives the variable a value before it is needed.",
    )
    AGGREGATE = Code(
        "CE206",
        "aggregate shape",
        "{what}",
        "An aggregate is `Result = function(Variables : body)` with a new result, over variables that its own body binds.",
    )
    ANONYMOUS_HEAD = Code(
        "CE207",
        "anonymous head",
        "`{text}` cannot stand in a head",
        "A head needs a value for every column.",
        "name the variable and bind it in the body",
    )
    RESERVED = Code(
        "CE208",
        "reserved predicate redefined",
        "`{predicate}` is {owner} and cannot be redefined",
        "Relations of the prelude, of the fact schema and the built-in tests have one meaning everywhere.",
        "choose another name",
    )
    VOCABULARY = Code(
        "CE209",
        "unknown name of a closed vocabulary",
        "`{name}` is not {what}",
        "The column holds names of a closed list, and the constant is none of them.",
    )
    INCLUDE = Code(
        "CE210",
        "include not found",
        "cannot include `{path}`: {why}",
        "The path is looked up beside the including file, then among the shipped programs.",
        "a path is looked up beside the including file, then among the shipped programs",
    )
    DECLARATION = Code(
        "CE211",
        "contradictory declaration",
        "{what}",
        "A relation is declared once, or twice in the same way.",
    )
    ANNOTATION = Code(
        "CE212",
        "unknown annotation",
        "{what}",
        "Annotations are `@severity(…)` with `error`, `warning` or `note`, `@message(…)` and `@doc(…)`, each at most once.",
    )
    PATTERN = Code(
        "CE213",
        "bad pattern",
        "bad {kind} `{pattern}`: {why}",
        "A glob or a regular expression that cannot be read; regular expressions must run in linear time.",
    )
    TOO_MANY_ALTERNATIVES = Code(
        "CE214",
        "too many alternatives",
        "the alternatives of this clause multiply to more than {limit} rules",
        "Each combination of alternatives becomes one rule.",
        "name the alternatives as relations of their own",
    )
    UNKNOWN_SORT = Code(
        "CE215",
        "unknown sort",
        "unknown sort `{sort}`",
        "A declaration names `int`, `sym` or a sort of the fact schema.",
    )
    IN_SHAPE = Code(
        "CE216",
        "wrong shape of `in`",
        "`in` takes a variable and a quoted glob",
        '`in(F, "glob")` stands for the files that match a glob.',
        'write `in(F, "src/**")`',
    )
    PLACEHOLDER = Code(
        "CE217",
        "unknown placeholder",
        "`{{{name}}}` names no column of this assertion",
        "A message may name the columns of the assertion's head.",
    )


class LINT:
    """What is suspicious in a program that runs."""

    UNUSED_RELATION = Code(
        "CE301",
        "unused relation",
        "nothing reads `{predicate}`",
        "No question, assertion or output depends on the relation.",
        "ask for it, mark it `output {predicate}.`, or remove its rules",
        Severity.WARNING,
    )
    SINGLETON = Code(
        "CE302",
        "singleton variable",
        "`{variable}` occurs once",
        "A variable that occurs once holds any value; a misspelt name looks like this.",
        "write `_` if any value will do",
        Severity.WARNING,
    )
    UNUSED_VALUE = Code(
        "CE303",
        "unused value",
        "`{variable}` gets a value that nothing uses",
        "The result of an equation or an aggregate is not read.",
        "remove `{literal}`, or use `{variable}`",
        Severity.WARNING,
    )
    FALSE_FRIEND = Code(
        "CE304",
        "repeated wildcard",
        "`{text}` stands for another value at each place",
        "A word that starts with `_` is a wildcard, even when it is repeated.",
        "give the variable a name that starts with a capital",
        Severity.WARNING,
    )
    ALWAYS_EMPTY = Code(
        "CE305",
        "always empty",
        "`{predicate}` never holds",
        "No rule of the relation can ever give a row.",
        "give it a rule that can",
        Severity.WARNING,
    )
    NEVER_FIRES = Code(
        "CE306",
        "rule that never fires",
        "this rule never gives a row",
        "Its body contradicts itself or reads a relation that is always empty.",
        "",
        Severity.WARNING,
    )
    CARTESIAN_PRODUCT = Code(
        "CE307",
        "cartesian product",
        "`{right}` shares no variable with `{left}`",
        "Every row of one part is combined with every row of the other.",
        "join them by a variable, or compare one of each",
        Severity.WARNING,
    )
    SUBSUMED = Code(
        "CE308",
        "subsumed rule",
        "this rule adds nothing to another one",
        "Whatever the rule derives, another rule of the relation derives too.",
        "remove it",
        Severity.WARNING,
    )
    VACUOUS = Code(
        "CE309",
        "assertion that cannot fire",
        "`{name}` cannot fire here",
        "The assertion reads facts of which this tree has none, so its silence says nothing.",
        "",
        Severity.WARNING,
    )
    UNUSED_INCLUDE = Code(
        "CE310",
        "unused include",
        "nothing of `{path}` is used",
        "No clause outside the included program reads what it defines.",
        "remove the include",
        Severity.WARNING,
    )
    DISTINCT_SUM = Code(
        "CE312",
        "sum of different values",
        "`sum({variable} : …)` adds equal values of `{variable}` once",
        "An aggregate ranges over the different rows of the variables it lists.",
        "list what tells the rows apart after it: `sum({variable}, {key} : …)`",
        Severity.WARNING,
    )
    REPEATED_INCLUDE = Code(
        "CE311",
        "shadowed include",
        "`{path}` is included already",
        "The second include of a program has no effect.",
        "remove one of the two",
        Severity.WARNING,
    )


def all_codes() -> tuple[Code, ...]:
    """Return every code of every stage in the order of their numbers."""
    codes = [value for table in (SYNTAX, CHECKS, LINT) for value in vars(table).values() if isinstance(value, Code)]
    return tuple(sorted(codes, key=lambda code: code.number))
