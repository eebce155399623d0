"""The laws of templates: every copy is an instance, nothing equal is in a hole, the order of the copies has no say."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.extract.measures.anti_unification import Branch, Place, Template, Whole, anti_unify, instance
from ce.extract.measures.merge_facts import measure_template
from ce.extract.measures.merge_units import MergeUnit, UnitReader
from ce.extract.measures.merged_python import merged_python
from ce.extract.measures.template_text import marked_text, place_edits

NAMES = st.sampled_from(["a", "b", "total", "self.rows", "π"])
ATOMS = st.one_of(NAMES, st.sampled_from(["1", "2.5", '"text"', '"\\n#"', "f'{a}-{b}'", "None"]))
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("{} + {}".format, inner, inner),
        st.builds("({} * {})".format, inner, inner),
        st.builds("call({})".format, st.lists(inner, max_size=3).map(", ".join)),
        st.builds("[{}]".format, st.lists(inner, max_size=4).map(", ".join)),
        st.builds("not {}".format, inner),
    ),
    max_leaves=6,
)
STATEMENTS = st.one_of(
    st.builds("x = {}".format, EXPRESSIONS),
    st.builds("return {}".format, EXPRESSIONS),
    st.builds("call({})  # why".format, EXPRESSIONS),
    st.builds("if {}:\n        y = {}".format, EXPRESSIONS, EXPRESSIONS),
    st.builds("for item in {}:\n        z({})".format, EXPRESSIONS, EXPRESSIONS),
)
FUNCTIONS = st.builds(
    lambda name, body: f"def {name}(a, b):\n" + "".join(f"    {statement}\n" for statement in body),
    st.sampled_from(["first", "second"]),
    st.lists(STATEMENTS, min_size=1, max_size=5),
)


def read(*sources: str, path: str = "m.py") -> list[MergeUnit]:
    """Return the first function of each source, all of one reader."""
    reader = UnitReader()
    found = []
    for source in sources:
        data = source.encode()
        lines = len(source.rstrip("\n").split("\n"))
        (unit,) = reader.read(path, data, [(1, lines, "")])
        assert isinstance(unit, MergeUnit), (unit, source)
        found.append(unit)
    return found


def template_of(*sources: str, path: str = "m.py") -> tuple[Template, list[MergeUnit]]:
    units = read(*sources, path=path)
    template = anti_unify([unit.term for unit in units])
    own = {unit.term.number: unit for unit in reversed(units)}
    return template, [own[term.number] for term in template.terms]


def shown(template: Template, units: Sequence[MergeUnit]) -> str:
    return marked_text(units[0], place_edits(template, 0, units[0].language), lambda hole: f"<{hole}>")


def skeleton(template: Template) -> tuple[object, ...]:
    """Return the template without the terms it was made of."""
    found: list[object] = []
    pending: list[object] = [template.root]
    while pending:
        part = pending.pop()
        if isinstance(part, Branch):
            found.append(part.terms[0].kind)
            pending += [*reversed(part.parts)]
        elif isinstance(part, Whole):
            found.append(part.term.tokens())
        elif isinstance(part, Place):
            found.append(part.hole)
    return tuple(found)


@given(st.lists(FUNCTIONS, min_size=1, max_size=4))
@settings(max_examples=300, deadline=None)
def test_every_copy_is_the_template_with_its_own_contents(sources: list[str]) -> None:
    units = read(*sources)
    template = anti_unify([unit.term for unit in units])
    for unit, number in zip(units, template.of, strict=True):
        assert instance(template, number) == unit.term.tokens()


@given(FUNCTIONS)
@settings(max_examples=100, deadline=None)
def test_identical_copies_have_no_holes(source: str) -> None:
    template, _ = template_of(source, source.replace("  # why", ""), source)
    assert template.holes == ()
    assert isinstance(template.root, Whole)


@given(st.lists(FUNCTIONS, min_size=2, max_size=3))
@settings(max_examples=150, deadline=None)
def test_the_order_of_the_copies_has_no_say(sources: list[str]) -> None:
    units = read(*sources)
    found = {skeleton(anti_unify([unit.term for unit in order])) for order in permutations(units)}
    assert len(found) == 1


@given(st.lists(FUNCTIONS, min_size=2, max_size=4))
@settings(max_examples=300, deadline=None)
def test_a_hole_holds_no_tree_that_is_equal_on_all_sides(sources: list[str]) -> None:
    template, _ = template_of(*sources)
    for hole in template.holes:
        sides = [{term.number for term in side} for side in hole.contents]
        assert not set.intersection(*sides)
        assert len({tuple(term.number for term in side) for side in hole.contents}) > 1
        if all(len(side) == 1 for side in hole.contents):
            terms = [side[0] for side in hole.contents]
            assert len({term.kind for term in terms}) > 1 or not all(term.children for term in terms)


@given(st.lists(FUNCTIONS, min_size=2, max_size=4))
@settings(max_examples=150, deadline=None)
def test_holes_with_equal_contents_are_one(sources: list[str]) -> None:
    template, _ = template_of(*sources)
    contents = [tuple(tuple(term.number for term in side) for side in hole.contents) for hole in template.holes]
    assert len(set(contents)) == len(contents)
    assert [hole.number for hole in template.holes] == list(range(1, len(contents) + 1))


@given(st.lists(FUNCTIONS, min_size=2, max_size=3))
@settings(max_examples=150, deadline=None)
def test_the_marked_text_has_a_mark_for_every_place(sources: list[str]) -> None:
    template, units = template_of(*sources)
    for copy, unit in enumerate(units):
        text = marked_text(unit, place_edits(template, copy, unit.language), lambda hole: f"<{hole}>")
        for hole in template.holes:
            assert text.count(f"<{hole.number}>") == hole.places, (text, sources)
        assert "# why" not in text


def test_an_inserted_statement_is_one_hole_and_the_rest_stays() -> None:
    body = "def f(a):\n    x = a.load(1)\n{}    for item in x:\n        print(item, a)\n    return x\n"
    template, units = template_of(body.format("    a.check(x)\n"), body.format(""), body.format(""))
    assert shown(template, units).count("<1>") == 1
    assert [hole.number for hole in template.holes] == [1]
    assert sorted(len(side) for side in template.holes[0].contents) == [0, 1]


def test_ten_copies_are_one_template_and_not_forty_five() -> None:
    sources = [f"def f{n}(a):\n    x = a.load({n})\n    return x, {n}, 'same'\n" for n in range(10)]
    template, units = template_of(*sources)
    assert len(template.terms) == 10
    assert shown(template, units) == "def <1>(a):\n    x = a.load(<2>)\n    return x, <2>, 'same'"


def test_a_tree_of_a_thousand_levels_is_generalised() -> None:
    deep = " + ".join(["a"] * 1500)
    template, _ = template_of(f"def f(a):\n    return {deep} + 1\n", f"def f(a):\n    return {deep} + 2\n")
    assert len(template.holes) == 1


def test_a_table_of_thousands_is_aligned_within_its_budget() -> None:
    rows = [f"({n}, 'x{n}')" for n in range(1500)]
    other = [*rows[:700], "(1, 'new')", *rows[700:]]
    template, _ = template_of(f"def f():\n    return [{', '.join(rows)}]\n", f"def f():\n    return [{', '.join(other)}]\n")
    assert [len(side) for side in template.holes[0].contents] in ([0, 2], [2, 0])


KINDS = [
    ("x = 1", "x = 2", ["expression"]),
    ("x = load(1)", "x = save(1)", ["callee"]),
    ("x = self.one", "x = self.two", ["member"]),
    ("x = a + 1", "x = a - 1", ["operator"]),
    ("x = f(k=1)", "x = f(j=1)", ["member"]),
    ("x: int = 1", "x: str = 1", ["type"]),
    ("return 1", "pass", ["statements"]),
    ("f(1, 2)", "f(1)", ["sequence"]),
    ("from a import b", "from a import c", ["import"]),
    ("x = f'{a}m'", "x = f'{a}n'", ["text"]),
    ('"""One."""', '"""Two."""', ["documentation"]),
    ("one = 1\n    return one", "two = 1\n    return two", ["binding", "expression"]),
    ("class K:\n        one = 1", "class K:\n        two = 1", ["member"]),
    ("self.one[0] = 1", "self.two[0] = 1", ["member"]),
    ("x = [q for q in a]", "x = [r for r in a]", ["binding", "expression"]),
]


@pytest.mark.parametrize(("one", "two", "kinds"), KINDS)
def test_a_hole_is_told_by_what_may_stand_there(one: str, two: str, kinds: list[str]) -> None:
    body = "def f(self, a):\n    before(a)\n    {}\n    after(a)\n"
    template, units = template_of(body.format(one), body.format(two))
    found = measure_template(template, units)
    assert sorted({place.kind for place in found.places}) == kinds


def test_what_a_hole_uses_of_the_function_is_told() -> None:
    body = "def f(a, b):\n    x = a\n    return call({}, x)\n"
    template, units = template_of(body.format("x.one(3)"), body.format("b"))
    found = measure_template(template, units)
    assert {(name, how) for _, _, name, how in found.captured} == {("x", "local"), ("b", "parameter")}
    assert found.acts == [1]


def test_swapped_names_are_no_renaming() -> None:
    template, units = template_of("def f(a, b):\n    return a.x(b)\n", "def f(b, a):\n    return a.x(b)\n")
    found = measure_template(template, units)
    assert {hole for hole, *_ in found.clashes} == {1, 2}


def test_the_merged_python_parses_and_takes_the_parameters_by_name() -> None:
    for signature in ("a", "a, b=2", "a, *rest", "a, *, b", "a, **more", "a, *rest, **more", "", "a,", "a, /"):
        body = f"def {{}}({signature}):\n    # note\n    return helper({{}}, 'x')\n"
        template, units = template_of(body.format("one", "1"), body.format("two", "2"))
        filled = {hole.number: how for hole, how in zip(template.holes, ["name", "parameter"], strict=True)}
        text = merged_python(template, 0, units[0], filled)
        (function,) = ast.parse(text).body
        assert isinstance(function, ast.FunctionDef)
        assert "value1" in [argument.arg for argument in function.args.kwonlyargs], text


FIXTURES = Path(__file__).parents[2] / "fixtures"
SUFFIXES = ("py", "ts", "tsx", "js", "rs", "go", "hs", "c", "cpp", "h", "java", "lua", "R")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_term_holds_all_the_text_of_a_function_but_its_comments(suffix: str) -> None:
    from ce.extract.extractor import decode_extraction, extract

    seen = 0
    for path in sorted(FIXTURES.rglob(f"*.{suffix}")):
        data = path.read_bytes()
        blob = extract(path.name, data).get("core")
        units = [unit for unit in decode_extraction(blob).units if unit.kind == "fn"] if blob else []
        for unit in UnitReader().read(path.name, data, [(unit.start, unit.end, unit.key) for unit in units]):
            if isinstance(unit, MergeUnit):
                seen += 1
                assert instance(anti_unify([unit.term]), 0) == unit.term.tokens()
                plain = "".join(marked_text(unit, (), str).replace("\\\n", "").split())
                assert "".join("".join(unit.term.tokens()).split()) == plain, path
    assert seen


def test_functions_on_one_line_are_told_apart_by_their_keys() -> None:
    source = b"const a = [() => left(x + 1), (q) => right(q * 2), () => last(x - 1)];\n"
    wanted = [(1, 1, "(anonymous)/0"), (1, 1, "(anonymous)/0 (2)"), (1, 1, "(anonymous)/1")]
    units = UnitReader().read("a.ts", source, wanted)
    called = [set(unit.term.tokens()) & {"left", "right", "last"} for unit in units if isinstance(unit, MergeUnit)]
    assert called == [{"left"}, {"last"}, {"right"}]
