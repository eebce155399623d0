"""What is suspicious in a program: warnings that stop nothing, each with what shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from ce.datalog.checked import BUILTIN_TESTS, CheckedProgram, CoreLiteral, CoreRule, SchemaRelation
from ce.datalog.codes import LINT
from ce.datalog.emptiness import Emptiness, find_emptiness
from ce.datalog.format import unparse_literal
from ce.datalog.lexer import tokenize
from ce.datalog.subsumption import subsumes
from ce.datalog.syntax import (
    Aggregate,
    Assertion,
    Atom,
    Clause,
    Comparison,
    Declaration,
    Literal,
    Output,
    Program,
    Query,
    Rule,
    Variable,
    Wildcard,
)
from ce.datalog.traverse import atoms, body_of, literals, names, variables, variables_of
from ce.diagnostics import Diagnostic, Related

__all__ = ["lint", "vacuous"]

# Comparing every pair of rules of a relation is for programs that people write.
_MAX_RULES_COMPARED = 200


def lint(
    program: Program,
    checked: CheckedProgram | None,
    schema: Sequence[SchemaRelation] = (),
    counts: Mapping[str, int] | None = None,
    *,
    sources: Collection[str] | None = None,
    missing: Callable[[Atom], str | None] | None = None,
) -> list[Diagnostic]:
    """Return the warnings about a program, sorted by position.

    Without a checked program only what the text shows is reported. `counts` are the rows of the fact relations of a tree, for the
    assertions that cannot fire there; `missing` says why no fact of it matches an atom. `sources` are the sources to report on: all but
    the included ones unless given.
    """
    included = {source for _, source in program.included}
    wanted = set(program.sources) - included if sources is None else set(sources)
    found = [*_singletons(program), *_repeated_wildcards(program, wanted), *_includes(program), *_distinct_sums(program)]
    if checked is not None:
        emptiness = find_emptiness(checked)
        found += _unused_relations(checked, wanted)
        found += _empty(checked, emptiness, {relation.name for relation in schema})
        found += _products(checked)
        found += _subsumed(checked)
        if counts is not None:
            found += vacuous(checked, counts, missing)
    unique = dict.fromkeys(diagnostic for diagnostic in found if diagnostic.span is not None and diagnostic.span.source in wanted)
    return sorted(unique, key=lambda diagnostic: diagnostic.sort_key)


def _singletons(program: Program) -> Iterator[Diagnostic]:
    """Yield a warning for every variable of a rule or assertion that occurs once; the variables of a question are its answer."""
    for clause in program.clauses:
        if not isinstance(clause, Rule | Assertion):
            continue
        heads = [variable.name for argument in clause.head.args for variable in variables_of(argument)]
        times = Counter([*heads, *(variable.name for variable in variables(clause.body))])
        values = _given_values(clause.body)
        for name, variable in names(clause.body).items():
            if times[name] > 1:
                continue
            if name in values:
                yield LINT.UNUSED_VALUE.at(variable.span, variable=name, literal=unparse_literal(values[name]))
            else:
                yield LINT.SINGLETON.at(variable.span, variable=name)


def _given_values(body: Iterable[Literal]) -> dict[str, Literal]:
    """Return the variables that an equation or an aggregate gives a value, with that literal."""
    found: dict[str, Literal] = {}
    for literal in literals(body):
        if isinstance(literal, Aggregate):
            found.setdefault(literal.result.name, literal)
        elif isinstance(literal, Comparison) and literal.operator == "=":
            for side in (literal.left, literal.right):
                if isinstance(side, Variable):
                    found.setdefault(side.name, literal)
    return found


def _repeated_wildcards(program: Program, sources: Collection[str]) -> Iterator[Diagnostic]:
    """Yield a warning for every word such as `_F` that one clause spells twice."""
    for source in sorted(sources):
        seen: set[str] = set()
        for token in tokenize(source, program.sources.get(source, "")).tokens:
            if token.type == "DOT":
                seen = set()
            elif token.type == "WILDCARD" and token.text.strip("_"):
                if token.text in seen:
                    yield LINT.FALSE_FRIEND.at(token.span, text=token.text)
                seen.add(token.text)


def _distinct_sums(program: Program) -> Iterator[Diagnostic]:
    """Yield a warning for every sum over one variable whose body tells rows apart by something that is not listed."""
    for clause in program.clauses:
        for literal in literals(body_of(clause)):
            if not isinstance(literal, Aggregate) or literal.function != "sum" or len(literal.variables) > 1:
                continue
            (variable,) = literal.variables
            outside = Counter(v.name for v in _clause_variables(clause)) - Counter(v.name for v in variables((literal,)))
            local = [name for name in names(literal.body) if name not in outside and name != variable.name]
            wild = any(isinstance(argument, Wildcard) for atom in atoms(literal.body) if not atom.negated for argument in atom.args)
            if local or wild:
                yield LINT.DISTINCT_SUM.at(literal.span, variable=variable.name, key=local[0] if local else "Key")


def _clause_variables(clause: Clause) -> Iterator[Variable]:
    if isinstance(clause, Rule | Assertion):
        for argument in clause.head.args:
            yield from variables_of(argument)
    yield from variables(body_of(clause))


def _includes(program: Program) -> Iterator[Diagnostic]:
    """Yield a warning for every include of a program that is there already, or of which nothing is used."""
    first: dict[str, int] = {}
    for place, (include, source) in enumerate(program.included):
        if source in first:
            earlier = program.included[first[source]][0]
            yield LINT.REPEATED_INCLUDE.at(include.span, path=include.path, related=[Related(earlier.span, "included here")])
            continue
        first[source] = place
        inside = _sources_below(program, source)
        defined = {_defined(clause) for clause in program.clauses if clause.span.source in inside} - {None}
        outside = (clause for clause in program.clauses if clause.span.source not in inside)
        if not any(_reads(clause) & defined for clause in outside) and not _has_goals(program, inside):
            yield LINT.UNUSED_INCLUDE.at(include.span, path=include.path)


def _sources_below(program: Program, source: str) -> set[str]:
    """Return an included source and all that it includes."""
    below = {source}
    while True:
        more = {inner for include, inner in program.included if include.span.source in below} - below
        if not more:
            return below
        below |= more


def _defined(clause: Clause) -> str | None:
    if isinstance(clause, Rule):
        return clause.head.predicate
    return clause.predicate if isinstance(clause, Declaration) else None


def _reads(clause: Clause) -> set[str | None]:
    read: set[str | None] = {atom.predicate for atom in atoms(body_of(clause))}
    # Another rule for an included relation, or a mark on it, uses the include as well.
    if isinstance(clause, Rule):
        read.add(clause.head.predicate)
    elif isinstance(clause, Output):
        read.add(clause.predicate)
    return read


def _has_goals(program: Program, sources: Collection[str]) -> bool:
    return any(isinstance(clause, Query | Assertion | Output) for clause in program.clauses if clause.span.source in sources)


def _unused_relations(checked: CheckedProgram, sources: Collection[str]) -> Iterator[Diagnostic]:
    """Yield a warning for every relation that no question, assertion or output depends on, at its first rule."""
    roots = [goal.predicate for goal in checked.goals] + list(checked.outputs)
    if not roots:
        return
    reads: dict[str, set[str]] = {}
    for rule in checked.rules:
        reads.setdefault(rule.head.predicate, set()).update(atom.predicate for atom in atoms(rule.body))
    used: set[str] = set()
    pending = list(roots)
    while pending:
        name = pending.pop()
        if name not in used:
            used.add(name)
            pending += reads.get(name, ())
    reported: set[str] = set()
    for rule in checked.rules:
        name = rule.head.predicate
        if name in used or name in reported or rule.auxiliary or checked.relations[name].reserved or rule.span.source not in sources:
            continue
        reported.add(name)
        yield LINT.UNUSED_RELATION.at(rule.head.span, predicate=name)


def _empty(checked: CheckedProgram, emptiness: Emptiness, schema: Collection[str]) -> Iterator[Diagnostic]:
    """Yield a warning for every relation without a possible row, and for every rule that never fires beside rules that do."""
    for place, why in sorted(emptiness.rules.items()):
        rule = checked.rules[place]
        name = rule.head.predicate
        if name in emptiness.relations and not name.startswith(("?", "!", "~")) and name not in schema:
            if rule == next(other for other in checked.rules if other.head.predicate == name):
                yield LINT.ALWAYS_EMPTY.at(rule.head.span, predicate=name, notes=[why])
        elif not rule.auxiliary:
            yield LINT.NEVER_FIRES.at(rule.span, notes=[why])


def _products(checked: CheckedProgram) -> Iterator[Diagnostic]:
    """Yield a warning for every rule whose positive atoms fall apart into parts that share no variable."""
    for rule in checked.rules:
        parts = _parts(rule.body)
        if len(parts) > 1:
            left, right = parts[0], parts[1]
            yield LINT.CARTESIAN_PRODUCT.at(right.span, left=unparse_literal(left), right=unparse_literal(right))


def _parts(body: Sequence[CoreLiteral]) -> list[Atom]:
    """Return the first atom, by text, of every part of a body; parts are linked by any literal that names variables of both."""
    group: dict[str, str] = {}

    def find(name: str) -> str:
        while group.setdefault(name, name) != name:
            name = group[name]
        return name

    for literal in body:
        linked = list(names((literal,)))
        for name in linked[1:]:
            group[find(name)] = find(linked[0])
    found: dict[str, Atom] = {}
    generators = [a for a in body if isinstance(a, Atom) and not a.negated and a.predicate not in BUILTIN_TESTS and names((a,))]
    for atom in sorted(generators, key=lambda atom: atom.span):
        found.setdefault(find(next(iter(names((atom,))))), atom)
    return list(found.values())


def _subsumed(checked: CheckedProgram) -> Iterator[Diagnostic]:
    """Yield a warning for every rule that another rule of its relation makes needless, with the substitution as proof."""
    by_head: dict[str, list[CoreRule]] = {}
    for rule in checked.rules:
        if not rule.auxiliary:
            by_head.setdefault(rule.head.predicate, []).append(rule)
    for rules in by_head.values():
        facts = {rule.head: rule for rule in reversed(rules) if not rule.body}
        yield from (_needless(rule, facts[rule.head], {}) for rule in rules if rule.head in facts and facts[rule.head] is not rule)
        derived = [rule for rule in rules if rule.body and rule.head not in facts]
        if len(derived) <= _MAX_RULES_COMPARED:
            yield from _compared(derived)


def _compared(rules: Sequence[CoreRule]) -> Iterator[Diagnostic]:
    needless: set[int] = set()
    for place, special in enumerate(rules):
        for other, general in enumerate(rules):
            if other == place or other in needless:
                continue
            substitution = subsumes(general, special)
            # Of two equal rules the later one is needless.
            if substitution is not None and (other < place or subsumes(special, general) is None):
                needless.add(place)
                yield _needless(special, general, substitution)
                break


def _needless(special: CoreRule, general: CoreRule, substitution: Mapping[str, str]) -> Diagnostic:
    shown = ", ".join(f"{name} = {value}" for name, value in substitution.items() if name != value)
    proof = f"with {shown}, its body is part of this one" if shown else "its body is part of this one"
    related = [Related(general.head.span, "this rule derives the same")]
    return LINT.SUBSUMED.at(special.span, related=related, notes=[proof] if general.body else [])


def vacuous(
    checked: CheckedProgram, counts: Mapping[str, int], missing: Callable[[Atom], str | None] | None = None
) -> Iterator[Diagnostic]:
    """Yield a warning for every assertion that the facts of this tree keep from firing."""
    always, here = find_emptiness(checked), find_emptiness(checked, counts, missing)
    for goal in checked.goals:
        if goal.kind == "assert" and goal.predicate in here.relations and goal.predicate not in always.relations:
            yield LINT.VACUOUS.at(goal.span, name=goal.name, notes=[_chain(here.relations[goal.predicate], here)])


def _chain(why: str, here: Emptiness) -> str:
    """Return a reason with the reasons behind it, down to the facts that are missing."""
    found = [why]
    while why.endswith("never holds") and len(found) < 10:
        why = here.relations.get(why.split("`")[1], "")
        if why:
            found.append(why)
    return ", because ".join(found)
