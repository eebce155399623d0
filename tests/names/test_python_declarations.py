"""What a Python file declares."""

from __future__ import annotations

import pytest

from tests.names.python_names import bases, definition, flags, kinds, read, uses, uses_of, values


def test_each_binding_of_a_module_is_a_definition_and_no_local_is() -> None:
    names = read(
        "import os\nfrom a import b as c\nLIMIT = 1\nvalue = 2\ndef f(x):\n    y = x\n    def g(): return y\n    return g\nclass A: pass\n"
    )
    assert kinds(names) == {
        "os": "import", "c": "import", "LIMIT": "constant", "value": "variable", "f": "function", "f.g": "function", "A": "class",
    }  # fmt: skip
    assert "local" in flags(names, "f.g")
    assert definition(names, "f").parameters == ("x",)


def test_a_declaration_spans_its_decorators_and_its_name_stands_where_it_is() -> None:
    one = definition(read("@a\n@b(1)\ndef f():\n    pass\n"), "f")
    assert (one.line, one.name_line, one.end_line) == (1, 3, 4)


def test_all_assignments_of_a_name_are_one_definition() -> None:
    names = read("X = 1\nX = []\nX: int = 3\n")
    assert [one.name for one in names.definitions] == ["", "X"]


def test_names_that_loops_bind_in_a_module_are_no_definitions() -> None:
    names = read("for i in range(3): pass\nwith open('x') as f: pass\ntry: pass\nexcept OSError as e: pass\n(n := 3)\n[j for j in ()]\n")
    assert kinds(names) == {}


def test_a_name_declared_global_is_a_definition_of_the_module() -> None:
    names = read("def f():\n    global shared\n    shared = A()\nclass A: pass\n")
    assert kinds(names)["shared"] == "variable"
    assert values(names, "shared") == {"A ()"}
    assert "f -> shared" in uses(names, "write")


def test_methods_properties_fields_and_what_self_is_given_belong_to_the_class() -> None:
    names = read(
        "class Shop:\n    limit: int = 3\n    def __init__(self):\n        self.till = Till()\n"
        "        self._open, self.name = False, 'x'\n"
        "    @property\n    def size(self): return 1\n    @size.setter\n    def size(self, value): self.limit = value\n"
        "    @classmethod\n    def make(cls):\n        cls.made = True\n        return cls()\n    @staticmethod\n"
        "    def add(a, b=1, *c, d, **e): pass\n"
        "class Till: pass\n"
    )
    assert kinds(names) == {
        "Shop": "class", "Till": "class", "Shop.limit": "field", "Shop.__init__": "method", "Shop.size": "property",
        "Shop.make": "method",
        "Shop.add": "method", "Shop.till": "field", "Shop._open": "field", "Shop.name": "field", "Shop.made": "field",
    }  # fmt: skip
    assert values(names, "Shop.till") == {"Till ()"}
    assert flags(names, "Shop._open") == {"private"}
    assert flags(names, "Shop.__init__") == {"protocol"}
    assert flags(names, "Shop.make") == {"static"}
    assert definition(names, "Shop.add").parameters == ("a", "b", "*c", "d", "**e")
    assert definition(names, "Shop.make").parameters == ()
    assert (definition(names, "Shop.size").line, definition(names, "Shop.size").end_line) == (6, 9)


def test_a_setter_that_stands_apart_is_a_declaration_of_its_own() -> None:
    names = read("class A:\n    @property\n    def x(self): pass\n    def y(self): pass\n    @x.setter\n    def x(self, v): pass\n")
    assert [(one.name, one.kind, one.line) for one in names.definitions[2:]] == [
        ("x", "property", 2),
        ("y", "method", 4),
        ("x", "property", 5),
    ]


def test_an_alias_in_a_class_is_a_field_with_the_method_as_value() -> None:
    names = read("class A:\n    def start(self): pass\n    run = start\n")
    assert kinds(names)["A.run"] == "field"
    assert values(names, "A.run") == {"A.start"}


def test_what_methods_set_on_other_objects_is_no_field_of_the_class() -> None:
    names = read("class A:\n    def f(self, other):\n        other.x = 1\n        self.y.z = 2\n")
    assert kinds(names) == {"A": "class", "A.f": "method"}
    assert uses(names, "write") == {"A.f -> ? x", "A.f -> A () y z"}


@pytest.mark.parametrize("base", ["Enum", "enum.IntEnum", "Flag", "models.TextChoices"])
def test_members_of_an_enumeration_are_told_from_its_methods_and_annotations(base: str) -> None:
    names = read(f"class Tint({base}):\n    RED = 1\n    GREEN = 2\n    label: str\n    _ignore_ = ()\n    def show(self): pass\n")
    assert kinds(names) == {
        "Tint": "enum", "Tint.RED": "enum_member", "Tint.GREEN": "enum_member", "Tint.label": "field", "Tint._ignore_": "field",
        "Tint.show": "method",
    }  # fmt: skip


def test_a_subclass_of_an_enumeration_of_the_file_is_one() -> None:
    assert kinds(read("class A(Enum): pass\nclass B(A):\n    X = 1\n"))["B.X"] == "enum_member"


def test_named_tuples_and_ordered_data_classes_hand_out_their_members() -> None:
    names = read("class P(NamedTuple):\n    x: int\n@dataclass(order=True)\nclass Q:\n    x: int\n@dataclass\nclass R:\n    x: int\n")
    assert [("iterated" in flags(names, name)) for name in "PQR"] == [True, True, False]
    assert kinds(names)["R.x"] == "field"


def test_overloads_and_abstract_methods_have_no_body_of_their_own() -> None:
    names = read(
        "@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a): return a\n"
        "class A(ABC):\n    @abstractmethod\n    def m(self): ...\nclass P(Protocol):\n    def m(self): ...\n"
    )
    assert [sorted(one.flags) for one in names.definitions if one.name == "f"] == [["abstract"], ["abstract"], []]
    assert "abstract" in flags(names, "A.m")
    assert "abstract" in flags(names, "P.m")


def test_alternatives_under_if_and_try_are_conditional_and_both_are_used() -> None:
    names = read(
        "try:\n    import fast\nexcept ImportError:\n    fast = None\nif x:\n    def f(): pass\nelse:\n    def f(): pass\nf()\nfast.go()\n"
    )
    assert all("conditional" in one.flags for one in names.definitions if one.name in ("fast", "f"))
    targets = sorted(use.target.base for use in names.uses if use.kind == "call")
    assert len(targets) == 4


def test_what_stands_under_the_main_guard_is_not_conditional() -> None:
    assert flags(read("if __name__ == '__main__':\n    x = 1\n"), "x") == set()


def test_type_parameters_are_no_definitions_and_type_aliases_are() -> None:
    names = read("type Pair[T] = tuple[T, Other]\nclass Other: pass\ndef f[T: Other](a: T) -> T: return a\nclass A[T](Other): pass\n")
    assert kinds(names) == {"Pair": "type_alias", "Other": "class", "f": "function", "A": "class"}
    assert "Pair -> Other" in uses(names)
    assert "f -> Other" in uses(names)
    assert bases(names, "A") == ["Other"]


def test_a_type_alias_by_annotation_is_one() -> None:
    assert kinds(read("A: TypeAlias = 'int'\n"))["A"] == "type_alias"


def test_bases_are_told_in_order_without_their_type_arguments() -> None:
    names = read("import a\nclass B: pass\nclass C(B, a.D[int], metaclass=M): pass\nclass E(namedtuple('E', 'x')): pass\n")
    assert bases(names, "C") == ["B", "a D"]
    assert bases(names, "E") == ["! namedtuple ()"]
    assert "C -> ! M" in uses(names)
    assert uses(names, "inherit") == {"C -> B", "C -> a D", "E -> ! namedtuple"}


def test_slots_are_no_uses_of_names() -> None:
    assert read("class A:\n    __slots__ = ('x', 'y')\n").strings == ()


@pytest.mark.parametrize(
    ("body", "registers"),
    [
        ("    REGISTRY.append(f)\n    return f\n", True),
        ("    REGISTRY[f.__name__] = f\n    return f\n", True),
        ("    HOOKS[f] = 1\n    return f\n", True),
        ("    app.handler = f\n    return f\n", True),
        ("    return app.register(f)\n", True),
        ("    command = Command(f)\n    app.add(command)\n    return command\n", True),
        ("    atexit.register(f)\n    return f\n", True),
        ("    @functools.wraps(f)\n    def wrapper(*a):\n        return f(*a)\n    return wrapper\n", False),
        ("    @functools.wraps(f)\n    def wrapper(*a):\n        return pool.submit(f, *a)\n    return wrapper\n", False),
        ("    @functools.wraps(f)\n    def wrapper(*a):\n        return f(*a)\n    REGISTRY.append(wrapper)\n    return wrapper\n", True),
        ("    return Wrapper(f)\n", False),
        ("    f.marked = True\n    return f\n", False),
        ("    if callable(f):\n        return functools.partial(f, 1)\n    return f\n", False),
        ("    f()\n    return f\n", False),
        ("    app.handler = staticmethod(f)\n", True),
        ("    app.record(lambda state: state.functions.append(f))\n    return f\n", True),
    ],
)
def test_a_function_registers_when_its_argument_outlives_the_call(body: str, registers: bool) -> None:
    assert ("registers" in flags(read(f"import functools\ndef deco(f):\n{body}"), "deco")) is registers


def test_a_function_that_returns_one_that_registers_does_so_itself() -> None:
    names = read(
        "class App:\n    def route(self, rule):\n        def decorator(f):\n            self.rules[rule] = f\n"
        "            return f\n        return decorator\n"
    )
    assert "registers" in flags(names, "App.route")
    assert "registers" in flags(names, "App.route.decorator")


@pytest.mark.parametrize(
    "source",
    [
        "class A:\n    def __init_subclass__(cls, **kw):\n        super().__init_subclass__(**kw)\n        REGISTRY[cls.__name__] = cls\n",
        "class M(type):\n    def __init__(cls, name, bases, d):\n        PAGES[name] = cls\nclass A(metaclass=M): pass\n",
        "class M(type):\n    def __new__(m, n, b, d):\n        new = super().__new__(m, n, b, d)\n        ALL.append(new)\n"
        "        return new\n"
        "class A(metaclass=M): pass\n",
        "class M(type):\n    def __init__(cls, name, bases, d):\n        PAGES[name] = cls\nclass A(with_metaclass(M, object)): pass\n",
    ],
)
def test_a_class_registers_when_it_or_its_metaclass_keeps_the_classes_made_from_it(source: str) -> None:
    assert "registers" in flags(read(source), "A")


def test_a_class_that_only_looks_at_its_subclasses_does_not_register() -> None:
    source = "class A:\n    def __init_subclass__(cls, **kw):\n        super().__init_subclass__(**kw)\n        cls.fields = len(kw)\n"
    assert "registers" not in flags(read(source), "A")


def test_a_registered_variant_is_used_by_the_function_that_it_is_a_variant_of() -> None:
    found = uses_of(
        "@singledispatch\ndef show(x): pass\n@show.register\ndef _(x: int): pass\n@show.register(str)\ndef text(x): pass\n", "dynamic"
    )
    assert found == {"show -> _", "show -> text"}


def test_what_a_handler_binds_is_an_instance_of_its_classes() -> None:
    names = read("class A(Exception): pass\ndef f():\n    try: pass\n    except A as e: e.one\n    except (A, KeyError) as e: e.two\n")
    assert {"f -> A () one", "f -> A () two", "f -> ! KeyError () two"} <= uses(names)
