"""What a Python file refers to, as paths."""

from __future__ import annotations

import pytest

from tests.names.python_names import definition, flags, read, uses, uses_of, values


def test_a_path_starts_at_the_definition_that_scoping_finds() -> None:
    found = uses_of("import os\nclass Shop:\n    def open(self): pass\ndef f():\n    Shop().till.open(os.sep)\n")
    assert "f -> Shop () till open" in found
    assert "f -> os sep" in found


def test_the_first_line_of_equal_uses_is_kept() -> None:
    names = read("def f(): pass\ndef g():\n    f()\n    f()\n")
    assert [(use.kind, use.line) for use in names.uses] == [("call", 3)]


def test_reading_a_local_name_uses_what_it_was_given() -> None:
    found = uses_of("class Shop: pass\ndef f():\n    shop = Shop()\n    till = shop.till\n    till.open()\n")
    assert found == {"f -> Shop", "f -> Shop () till", "f -> Shop () till open"}


def test_a_receiver_that_cannot_be_known_leaves_the_names_of_members() -> None:
    assert uses_of("def f(x):\n    x.a.b()\n    (x + 1).c\n    x[0].d\n") == {"f -> ? a", "f -> ? b", "f -> ? c", "f -> ? d"}


@pytest.mark.parametrize(
    "annotation",
    ["Foo", "'Foo'", "Optional[Foo]", "Foo | None", "Union[Foo, None]", "Annotated[Foo, 1]", "typing.Optional['Foo']", "Final[Foo]"],
)
def test_an_annotated_parameter_is_an_instance(annotation: str) -> None:
    assert "f -> Foo () bar" in uses_of(f"class Foo: pass\ndef f(x: {annotation}):\n    x.bar\n")


@pytest.mark.parametrize("annotation", ["list[Foo]", "Sequence['Foo']", "Iterator[Foo]", "dict[str, Foo]", "tuple[Foo, ...]"])
def test_an_element_of_an_annotated_collection_is_an_instance(annotation: str) -> None:
    source = f"class Foo: pass\ndef f(xs: {annotation}):\n    xs[0].bar\n    for x in xs: x.baz\n    [y.qux for y in xs]\n"
    assert {"f -> Foo () bar", "f -> Foo () baz", "f -> Foo () qux"} <= uses_of(source)


def test_a_type_as_annotation_is_the_class_itself() -> None:
    assert "f -> Foo bar" in uses_of("class Foo: pass\ndef f(x: type[Foo]):\n    x.bar\n")


def test_an_annotation_is_a_read_and_a_quoted_one_is_for_types_alone() -> None:
    names = read("class A: pass\nclass B: pass\ndef f(x: A, y: 'B') -> 'list[B]': pass\n")
    assert uses(names, "read") == {"f -> A"}
    assert "f -> B" in uses(names, "type_only")
    assert "f -> A" in uses_of("from __future__ import annotations\nclass A: pass\ndef f(x: A): pass\n", "type_only")


def test_what_is_imported_for_type_checking_is_so_and_its_uses_there_are_for_types() -> None:
    names = read("import typing as t\nif t.TYPE_CHECKING:\n    from a import B\n    C = B\nelse:\n    D = 1\ndef f(x: 'B'): pass\n")
    assert "type_import" in flags(names, "B")
    assert {"C -> B", "f -> B"} <= uses(names, "type_only")
    assert "type_import" not in flags(names, "D")


def test_texts_of_literal_types_name_nothing() -> None:
    assert uses_of("def f(x: Literal['a', 'b']): pass\n") == {"f -> ! Literal"}


def test_quoted_types_outside_of_annotations_are_uses() -> None:
    assert "Hook -> Foo" in uses_of("class Foo: pass\nHook: TypeAlias = Callable[['Foo'], Any]\n")
    source = "class Foo: pass\nAlias = Optional['Foo']\nT = TypeVar('T', bound='Foo')\ndef f(x):\n    return cast('Foo', x).bar\n"
    found = uses_of(source)
    assert {"Alias -> Foo", "T -> Foo", "f -> Foo", "f -> Foo () bar"} <= found


def test_defaults_decorators_and_annotations_belong_to_the_scope_around_and_to_the_function() -> None:
    names = read("x = 1\nclass A:\n    x = 2\n    @deco(x)\n    def f(self, a=x) -> x: return x\n")
    assert {"A.f -> A.x", "A.f -> x"} <= uses(names, "read")
    assert uses(names, "decorate") == {"A.f -> ! deco"}


def test_names_of_a_class_are_not_seen_by_its_methods_nor_comprehensions() -> None:
    found = uses_of("n = 1\nclass A:\n    n = 2\n    a = n\n    b = [n for i in (n,)]\n    def m(self): return n\n")
    assert "A.m -> n" in found
    assert "A -> A.n" in found
    assert "A -> n" in found


def test_a_name_that_a_class_binds_later_is_that_of_the_module_before() -> None:
    names = read("import json\nclass A:\n    module = json\n    def json(self): pass\n")
    assert {"A -> json", "A -> A.json"} <= uses(names)


def test_a_value_that_is_only_made_belongs_to_its_variable_and_a_call_to_the_module() -> None:
    names = read("def f(): pass\nHANDLERS = {'a': f}\nRESULT = f()\nPATTERN = re.compile(f)\n")
    assert {"HANDLERS -> f", "<module> -> f", "PATTERN -> f"} <= uses(names)
    assert "RESULT -> f" not in uses(names)


def test_super_is_the_next_class() -> None:
    found = uses_of("class A(B):\n    def f(self):\n        super().f()\n    @classmethod\n    def g(cls): return super(A, cls).g()\n")
    assert {"A.f -> A ^ f", "A.g -> A ^ g"} <= found


def test_self_and_cls_are_the_class_also_in_functions_inside() -> None:
    found = uses_of(
        "class A:\n    def f(self):\n        def g(): self.x()\n        return lambda: self.y\n    @classmethod\n"
        "    def h(cls): cls.z\n    def i(self): type(self).k\n"
    )
    assert {"A.f.g -> A () x", "A.f -> A () y", "A.h -> A z", "A.i -> A k"} <= found


def test_a_static_method_has_no_receiver() -> None:
    assert "A.f -> ? y" in uses_of("class A:\n    @staticmethod\n    def f(x): x.y\n")


def test_self_as_a_type_is_the_class() -> None:
    names = read("class A:\n    def f(self) -> Self: return self\n    def g(self, o: 'Self'): o.x\n")
    assert "A ()" in values(names, "A.f")
    assert "A.g -> A () x" in uses(names)


def test_values_of_functions_are_what_they_are_annotated_with_and_what_they_return() -> None:
    names = read(
        "class A: pass\nclass B: pass\ndef f() -> A:\n    return B()\ndef g():\n    yield A()\n@contextmanager\ndef h():\n    yield A()\n"
    )
    assert values(names, "f") == {"A ()", "B ()"}
    assert values(names, "g") == {"A () [*]"}
    assert values(names, "h") == {"A ()"}


def test_unpacking_by_position_keeps_what_is_known() -> None:
    found = uses_of("class A: pass\nclass B: pass\ndef f():\n    a, b = A(), B()\n    a.x\n    b.y\n    (c, d), *e = A(), B()\n")
    assert {"f -> A () x", "f -> B () y"} <= found


def test_loops_through_enumerate_zip_and_items_know_their_elements() -> None:
    source = (
        "class A: pass\ndef f(xs: list[A], d: dict[str, A]):\n    for i, x in enumerate(xs): x.a\n    for x, y in zip(xs, xs): y.b\n"
        "    for k, v in d.items(): v.c\n    for w in sorted(xs, key=len): w.d\n    next(xs).e\n"
    )
    assert {f"f -> A () {name}" for name in "abcde"} <= uses_of(source)


def test_what_is_put_into_a_collection_is_an_element_of_it() -> None:
    found = uses_of(
        "class A: pass\ndef f():\n    xs = []\n    xs.append(A())\n    for x in xs: x.a\n    ys = {}\n    ys['k'] = A()\n    ys['k'].b\n"
    )
    assert {"f -> A () a", "f -> A () b"} <= found
    assert "? append" not in str(found)


def test_with_gives_the_value_itself_and_walrus_binds_it() -> None:
    found = uses_of(
        "class A: pass\ndef f():\n    with A() as a: a.x\n    if (b := A()): b.y\n    [c.z for _ in () if (c := A())]\n    c.w\n"
    )
    assert {f"f -> A () {name}" for name in "xyzw"} <= found


def test_captures_of_a_match_are_bound_and_its_classes_and_values_are_used() -> None:
    source = (
        "import m\nclass A: pass\ndef f(v):\n    match v:\n        case A(k=n) as whole: whole.x; n.y\n"
        "        case m.VALUE: pass\n        case [a, *rest]: a; rest\n        case {'k': q, **r}: q; r\n        case other: other\n"
    )
    names = read(source)
    assert {"f -> A", "f -> A () k", "f -> A () x", "f -> ? y", "f -> m VALUE"} <= uses(names)
    assert not {one for one in uses(names) if "!" in one}


def test_expressions_in_format_strings_are_read() -> None:
    assert {"f -> a", "f -> b", "f -> ! c"} <= uses_of("a = b = 1\ndef f(): return f'{a!r:>{b}} {{}}' 'x' rf'{c=}'\n")


def test_members_of_literals_are_no_members_of_the_tree() -> None:
    assert uses_of("def f():\n    'x'.join([]).strip()\n    xs = []\n    xs.append(1)\n    return {}.get(1)\n") == set()


def test_a_member_that_no_builtin_type_has_could_be_anybodys() -> None:
    assert uses_of("def f(x: str):\n    x.shout()\n") == {"f -> ? shout", "f -> ! str"}


@pytest.mark.parametrize(
    ("expression", "path"),
    [
        ("getattr(self, 'a')()", "A () a"),
        ("getattr(self, 'do_' + word)()", "A () ~do_*"),
        ("getattr(self, f'do_{word}')", "A () ~do_*"),
        ("getattr(self, 'do_%s' % word)", "A () ~do_*"),
        ("getattr(self, '{}_end'.format(word))", "A () ~*_end"),
        ("getattr(self, PREFIX + word)", "A () ~on_*"),
        ("getattr(self, word, None)", "A () ~*"),
        ("hasattr(self, 'a')", "A () a"),
        ("self.__dict__['a']", "A () a"),
        ("vars(self)['a']", "A () a"),
        ("methodcaller('a')(self)", "? a"),
        ("operator.attrgetter('a.b')(self)", "? b"),
        ("globals()['f']", "f"),
        ("globals()['g_' + word]()", "~g_*"),
        ("sys.modules[__name__].f", "f"),
        ("getattr(sys.modules[__name__], 'f')", "f"),
        ("eval('f(1)')", "f"),
        ("globals().items()", "~*"),
        ("vars(operator)", "operator ~*"),
    ],
)
def test_computed_names_are_steps(expression: str, path: str) -> None:
    source = f"import operator\nPREFIX = 'on_'\ndef f(): pass\nclass A:\n    def run(self, word):\n        {expression}\n"
    found = uses_of(source)
    module_paths = {"~*": {"A.run -> <module> ~* items"}, "f": {"A.run -> f", "A.run -> <module> f"}, "~g_*": {"A.run -> <module> ~g_*"}}
    assert found & module_paths.get(path, {f"A.run -> {path}"})


def test_names_that_a_loop_runs_over_are_constants() -> None:
    found = uses_of("class A:\n    def run(self):\n        for name in ('a', 'b'):\n            getattr(self, name)()\n")
    assert {"A.run -> A () a", "A.run -> A () b"} <= found
    assert not any("~" in one for one in found)


def test_setting_by_a_constant_name_is_a_write_of_a_field() -> None:
    names = read("class A:\n    def f(self): setattr(self, 'x', 1)\n")
    assert uses(names, "write") == {"A.f -> A () x"}
    assert definition(names, "A.x").kind == "field"


def test_an_imported_module_by_constant_name_is_an_import() -> None:
    names = read("import importlib\ndef f():\n    importlib.import_module('a.b').run()\n")
    one = next(one for one in names.definitions if one.kind == "import" and one.imported is not None and one.imported.spec == "a.b")
    assert one.flags >= {"local", "side_effect"}
    assert [use.target.steps for use in names.uses if use.kind == "call" and names.definitions[use.target.base] == one] == [("run",)]


def test_a_constant_key_names_a_member_of_an_enumeration_or_a_typed_dictionary() -> None:
    found = uses_of(
        "class Tint(Enum):\n    RED = 1\nclass Movie(TypedDict):\n    year: int\ndef f(m: Movie):\n    Tint['RED']\n    m['year']\n",
        "string",
    )
    assert found == {"f -> Tint RED", "f -> Movie () year"}


def test_fields_that_are_taken_as_a_whole_are_a_glob() -> None:
    assert "f -> P () ~*" in uses_of("@dataclass\nclass P:\n    x: int\ndef f(p: P): return asdict(p)\n")


def test_running_over_a_class_takes_its_elements() -> None:
    assert {"f -> Tint []"} <= uses_of("class Tint(Enum):\n    RED = 1\ndef f(): return [t for t in Tint]\n")
    assert {"f -> Tint []"} <= uses_of("class Tint(Enum):\n    RED = 1\ndef f(): return list(Tint)\n")


def test_code_that_is_made_at_run_time_is_opaque() -> None:
    assert [(line, why, pattern) for line, why, pattern in read("def f(x):\n    eval(x)\nexec('y = 1')\n").opaque] == [(2, "eval", "*")]


def test_a_module_that_looks_its_members_up_by_name_is_opaque() -> None:
    assert read("def __getattr__(name):\n    return globals()['_' + name]\n").opaque == ((1, "module_getattr", "*"),)
    assert read("def __getattr__(name):\n    if name == 'X': return 1\n    raise AttributeError\n").opaque == ()


def test_members_that_a_format_names_are_members_of_anything() -> None:
    assert {"f -> ? name", "f -> ? b"} <= uses_of("def f(x): return '{0.name} {} {x.a[k].b!r} {{c.d}}'.format(x)\n")


def test_names_in_comments_that_annotate_are_for_types() -> None:
    names = read("from a import B, C\nx = []  # type: list[B]\ny = 1  # type: ignore\n")
    assert uses(names, "type_only") >= {"<module> -> B"}
    assert "<module> -> C" not in uses(names)


def test_a_constant_that_spells_a_method_of_the_class_around_names_it() -> None:
    found = uses_of("class A:\n    def f(self): call('g', 'h')\n    def g(self): pass\n    h = 1\n", "string")
    assert found == {"A.f -> A () g"}


def test_texts_made_of_the_name_of_the_module_name_what_is_in_it() -> None:
    found = uses_of("X = f'{__name__}.A'\nY = '%s.B.c' % __name__\nZ = __name__ + '.D'\n", "string")
    assert found == {"<module> -> <module> A", "<module> -> <module> B c", "<module> -> <module> D"}


def test_what_is_declared_to_see_it_fail_is_used() -> None:
    found = uses_of("def test():\n    with pytest.raises(ValueError):\n        class A(B): pass\n    class C: pass\n", "read")
    assert "test -> test.A" in found
    assert "test -> test.C" not in found


def test_what_never_runs_uses_nothing_but_still_declares() -> None:
    names = read("def f(): pass\nif False:\n    f()\n    def g(): f()\nwhile 0:\n    f()\n")
    assert uses(names) == set()
    assert flags(names, "g") == {"conditional"}


def test_deleting_a_name_reads_it() -> None:
    assert "<module> -> opt" in uses_of("import opt\ndel opt\n", "read")


def test_the_constant_argument_of_a_call_is_told() -> None:
    names = read("@pytest.mark.usefixtures('db')\ndef f():\n    connect('signal', 1)\n    say('no name at all, really')\n")
    assert {(use.kind, use.argument) for use in names.uses if use.argument} == {("decorate", "db"), ("call", "signal")}


def test_strings_that_could_spell_a_name_are_told_and_docstrings_are_not() -> None:
    names = read('"""doc"""\ndef f():\n    "doc"\n    return ["a.b:c", "plain", "not a name", b"raw"]\n')
    assert names.strings == ((4, 1, "a.b:c"), (4, 1, "plain"), (4, 1, "raw"))


def test_a_chain_of_many_values_is_cut_and_told_as_unknown() -> None:
    source = "def f(x):\n" + "".join(f"    x = x.a{number}\n" for number in range(50)) + "    x.end\n"
    assert "f -> ? end" in uses_of(source)
