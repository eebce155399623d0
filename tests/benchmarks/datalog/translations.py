"""Programs of the benchmarks in the languages of other engines. Only what the workloads use is translated."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ce.datalog.checked import CheckedProgram, CoreRule
from ce.datalog.syntax import Aggregate, Atom, Comparison, Constant, Expression, Variable, Wildcard

__all__ = ["CannotExpress", "clingo_text", "egglog_text", "semi_naive_sql", "souffle_text"]


class CannotExpress(Exception):
    """The other engine lacks something that the program uses."""


def souffle_text(checked: CheckedProgram) -> str:
    """Return the program for Soufflé."""
    lines = []
    for name, relation in checked.relations.items():
        columns = ", ".join(f"c{place}:{'number' if sort == 'int' else 'symbol'}" for place, sort in enumerate(relation.sorts))
        lines.append(f".decl {name}({columns})")
        if not relation.idb:
            lines.append(f".input {name}")
    lines += [f".printsize {name}" for name in checked.outputs]

    def literal(part: object) -> str:
        if isinstance(part, Aggregate):
            (inner,) = part.body
            assert isinstance(inner, Atom)
            if part.function == "count":
                counted = {variable.name for variable in part.variables}
                args = [Wildcard(span=arg.span) if isinstance(arg, Variable) and arg.name in counted else arg for arg in inner.args]
                return f"{_lower(part.result.name)} = count : {{ {_atom(Atom(inner.predicate, tuple(args), span=inner.span), _term)} }}"
            return f"{_lower(part.result.name)} = {part.function} {_lower(part.variables[0].name)} : {{ {_atom(inner, _term)} }}"
        return _plain(part, "!", "=", _term)

    lines += [_rule(rule, literal, _term) for rule in checked.rules]
    return "\n".join(lines) + "\n"


def clingo_text(checked: CheckedProgram) -> str:
    """Return the program for clingo; names of text are quoted strings."""

    def term(part: Expression) -> str:
        if isinstance(part, Variable):
            return part.name
        return _constant(part)

    def literal(part: object) -> str:
        if isinstance(part, Aggregate):
            variables = ", ".join(variable.name for variable in part.variables)
            inner = ", ".join(_plain(other, "not ", "=", term) for other in part.body)
            return f"{part.result.name} = #{part.function} {{ {variables} : {inner} }}"
        return _plain(part, "not ", "=", term)

    return "\n".join(_rule(rule, literal, term) for rule in checked.rules) + "\n"


def egglog_text(checked: CheckedProgram) -> tuple[str, str]:
    """Return relations and rules for egglog, which has neither stratified negation nor counts."""
    relations = [
        f"(relation {name} ({' '.join('i64' if sort == 'int' else 'String' for sort in relation.sorts)}))"
        for name, relation in checked.relations.items()
    ]
    rules = []
    for rule in checked.rules:
        fresh = iter(range(1000))

        def call(atom: Atom, fresh: Iterable[int] = fresh) -> str:
            args = (f"w{next(iter(fresh))}" if isinstance(arg, Wildcard) else _term(arg) for arg in atom.args)
            return f"({atom.predicate} {' '.join(args)})"

        body = []
        for part in rule.body:
            if isinstance(part, Atom) and not part.negated:
                body.append(call(part))
            elif isinstance(part, Comparison) and part.operator == "!=":
                body.append(f"(!= {_term(part.left)} {_term(part.right)})")
            else:
                raise CannotExpress("negation, order or aggregates")
        rules.append(f"(rule ({' '.join(body)}) ({call(rule.head)}))")
    return "\n".join(relations), "\n".join(rules)


def semi_naive_sql(checked: CheckedProgram, execute: Callable[[str], int]) -> None:
    """Evaluate the rules with SQL statements; `execute` runs one and returns the number of rows it inserted."""
    for stratum in checked.strata:
        names = [name for name in stratum.predicates if checked.relations[name].idb]
        rules = [rule for rule in checked.rules if rule.head.predicate in names]
        for name in names:
            columns = ", ".join(
                f"c{place} {'BIGINT' if sort == 'int' else 'VARCHAR'}" for place, sort in enumerate(checked.relations[name].sorts)
            )
            for suffix in ("", "_recent", "_new"):
                execute(f"CREATE TABLE {name}{suffix} ({columns})")
        steps: dict[str, list[str]] = {name: [] for name in names}
        first: dict[str, list[str]] = {name: [] for name in names}
        for rule in rules:
            own = [place for place, part in enumerate(rule.body) if isinstance(part, Atom) and not part.negated and part.predicate in names]
            for place in own:
                steps[rule.head.predicate].append(_select(rule, place))
            if not own:
                first[rule.head.predicate].append(_select(rule, None))
        selects = first
        while True:
            inserted = 0
            for name in names:
                if selects[name]:
                    inserted += execute(
                        f"INSERT INTO {name}_new SELECT * FROM ({' UNION '.join(selects[name])}) EXCEPT SELECT * FROM {name}"
                    )
            for name in names:
                execute(f"DELETE FROM {name}_recent")
                execute(f"INSERT INTO {name}_recent SELECT * FROM {name}_new")
                execute(f"INSERT INTO {name} SELECT * FROM {name}_new")
                execute(f"DELETE FROM {name}_new")
            if not inserted or not stratum.recursive:
                break
            selects = steps


def _select(rule: CoreRule, recent: int | None) -> str:
    tables: list[str] = []
    conditions: list[str] = []
    values: dict[str, str] = {}

    def value(term: Expression) -> str:
        return values[term.name] if isinstance(term, Variable) else _sql_constant(term)

    for place, part in enumerate(rule.body):
        if isinstance(part, Atom) and not part.negated:
            alias = f"t{place}"
            tables.append(f"{part.predicate}{'_recent' if place == recent else ''} {alias}")
            for column, term in enumerate(part.args):
                expression = f"{alias}.c{column}"
                if isinstance(term, Variable) and term.name not in values:
                    values[term.name] = expression
                elif not isinstance(term, Wildcard):
                    conditions.append(f"{expression} = {value(term)}")
    for place, part in enumerate(rule.body):
        if isinstance(part, Aggregate):
            tables.append(_grouped(part, f"g{place}", values, conditions))
    for part in rule.body:
        if isinstance(part, Comparison):
            conditions.append(f"{value(part.left)} {'<>' if part.operator == '!=' else part.operator} {value(part.right)}")
        elif isinstance(part, Atom) and part.negated:
            matches = [f"x.c{column} = {value(term)}" for column, term in enumerate(part.args) if not isinstance(term, Wildcard)]
            conditions.append(f"NOT EXISTS (SELECT 1 FROM {part.predicate} x WHERE {' AND '.join(matches) or 'TRUE'})")
    head = ", ".join(f"{value(term)} AS c{column}" for column, term in enumerate(rule.head.args))
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT DISTINCT {head} FROM {', '.join(tables)}{where}"


def _grouped(part: Aggregate, alias: str, values: dict[str, str], conditions: list[str]) -> str:
    (inner,) = part.body
    assert isinstance(inner, Atom)
    names = {term.name: column for column, term in enumerate(inner.args) if isinstance(term, Variable)}
    keys = {name: column for name, column in names.items() if name in part.groups}
    folded = "*" if part.function == "count" else f"c{names[part.variables[0].name]}"
    columns = ", ".join(f"c{column}" for column in keys.values())
    conditions += [f"{alias}.c{column} = {values[name]}" for name, column in keys.items()]
    values[part.result.name] = f"{alias}.folded"
    return f"(SELECT {columns}, {part.function}({folded}) AS folded FROM {inner.predicate} GROUP BY {columns}) {alias}"


def _rule(rule: CoreRule, literal: Callable[[object], str], term: Callable[[Expression], str]) -> str:
    body = ", ".join(literal(part) for part in rule.body)
    return f"{_atom(rule.head, term)} :- {body}." if body else f"{_atom(rule.head, term)}."


def _plain(part: object, negation: str, equality: str, term: Callable[[Expression], str]) -> str:
    if isinstance(part, Atom):
        return f"{negation if part.negated else ''}{_atom(part, term)}"
    assert isinstance(part, Comparison)
    operator = equality if part.operator == "=" else part.operator
    return f"{term(part.left)} {operator} {term(part.right)}"


def _atom(atom: Atom, term: Callable[[Expression], str]) -> str:
    return f"{atom.predicate}({', '.join(term(arg) for arg in atom.args)})"


def _term(term: Expression) -> str:
    return _lower(term.name) if isinstance(term, Variable) else _constant(term)


def _constant(term: Expression) -> str:
    if isinstance(term, Wildcard):
        return "_"
    assert isinstance(term, Constant)
    return str(term.value) if isinstance(term.value, int) else f'"{term.value}"'


def _sql_constant(term: Expression) -> str:
    assert isinstance(term, Constant)
    return str(term.value) if isinstance(term.value, int) else "'" + term.value.replace("'", "''") + "'"


def _lower(name: str) -> str:
    return name[0].lower() + name[1:]
