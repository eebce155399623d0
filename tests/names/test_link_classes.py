"""Members of classes: resolution orders, `super()`, instances, values, and members of what nothing is known of."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.linked_tree import link_tree


def test_a_call_on_an_instance_reaches_the_inherited_method(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "base.py": "class Base:\n    def run(self): ...\n",
            "main.py": "import base\nclass Sub(base.Base): ...\ndef go():\n    Sub().run()\n",
        },
    )
    assert "base.py::Base.run" in linked.uses("main.py::go")
    assert linked.how("main.py::go", "base.py::Base.run") == {"hierarchy"}
    assert linked.rows["base"] == (("main.py::Sub", "base.py::Base"),)
    assert linked.rows["member_ref"] == ()


def test_the_order_of_several_bases_is_that_of_the_language(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "main.py": """
                class Top:
                    def f(self): ...
                    def g(self): ...
                class Left(Top):
                    def g(self): ...
                class Right(Top):
                    def f(self): ...
                class Bottom(Left, Right): ...
                def go():
                    Bottom().f()
                    Bottom().g()
            """,
        },
    )
    uses = linked.uses("main.py::go")
    assert {"main.py::Right.f", "main.py::Left.g"} <= uses
    assert not {"main.py::Top.f", "main.py::Top.g"} & uses
    assert ("main.py::Right.f", "main.py::Top.f") in linked.rows["overrides"]


def test_super_means_the_next_class_of_every_subclass(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "main.py": """
                class Mixin:
                    def save(self):
                        super().save()
                class Model:
                    def save(self): ...
                class Both(Mixin, Model): ...
            """,
        },
    )
    assert "main.py::Model.save" in linked.uses("main.py::Mixin.save")
    assert ("main.py::Mixin.save", "main.py::Model.save") in linked.rows["overrides"]


def test_a_mixin_uses_what_the_classes_it_is_mixed_into_have(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "main.py": """
                class Mixin:
                    def show(self):
                        return self.title()
                class Page(Mixin):
                    def title(self): ...
                class Other:
                    def title(self): ...
            """,
        },
    )
    assert "main.py::Page.title" in linked.uses("main.py::Mixin.show")
    assert "main.py::Other.title" not in linked.uses("main.py::Mixin.show")


def test_what_a_method_gives_may_come_from_a_subclass(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "main.py": """
                class A:
                    def go(self): ...
                class B:
                    def go(self): ...
                class Maker:
                    def make(self):
                        return A()
                class Special(Maker):
                    def make(self):
                        return B()
                def use(maker: Maker):
                    maker.make().go()
            """,
        },
    )
    uses = linked.uses("main.py::use")
    assert {"main.py::Maker.make", "main.py::A.go", "main.py::B.go"} <= uses
    assert "main.py::Special.make" not in uses
    assert ("main.py::Special.make", "main.py::Maker.make") in linked.rows["overrides"]


def test_fields_and_annotations_tell_the_receiver(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "till.py": """
                class Till:
                    def open(self): ...
                    @property
                    def drawer(self) -> 'Drawer': ...
                class Drawer:
                    def slide(self): ...
            """,
            "main.py": """
                from till import Till
                class Shop:
                    def __init__(self, spare: Till | None = None):
                        self.till = Till()
                        self.spare = spare
                    def run(self):
                        self.till.open()
                        self.till.drawer.slide()
                def other(shops: list[Shop]):
                    for shop in shops:
                        shop.till.open()
            """,
        },
    )
    assert {"main.py::Shop.till", "till.py::Till.open", "till.py::Till.drawer", "till.py::Drawer.slide"} <= linked.uses("main.py::Shop.run")
    assert "till.py::Till.open" in linked.uses("main.py::other")
    assert not {row[1] for row in linked.rows["member_ref"]} & {"open", "slide"}


def test_values_follow_functions_and_variables_across_files(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "make.py": "from things import Thing\ndef make():\n    return Thing()\nshared = make()\n",
            "things.py": "class Thing:\n    def use(self): ...\n    def chain(self):\n        return self\n",
            "main.py": "from make import make, shared\ndef go():\n    make().use()\n    shared.chain().chain().use()\n",
        },
    )
    assert {"make.py::make", "make.py::shared", "things.py::Thing.use", "things.py::Thing.chain"} <= linked.uses("main.py::go")


def test_values_that_feed_each_other_end(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "main.py": """
                class Node:
                    def visit(self): ...
                def left(n):
                    return right(n) if n else Node()
                def right(n):
                    return left(n)
                def go():
                    right(1).visit()
            """,
        },
    )
    assert "main.py::Node.visit" in linked.uses("main.py::go")


def test_a_member_of_something_unknown_is_told_by_name(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "main.py": """
                class A:
                    def run(self): ...
                def go(thing):
                    thing.run()
                    getattr(thing, 'do_' + 'x')
                    getattr(A, 'r' + thing)
            """,
        },
    )
    assert "run" in linked.of("member_ref", "main.py::go")
    assert "main.py::A.run" in linked.uses("main.py::go")
    assert linked.how("main.py::go", "main.py::A.run") == {"glob"}
    assert ("main.py::go", "main.py::A", "r*") in linked.rows["name_glob"]


def test_an_unknown_base_lets_any_member_be_meant(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "main.py": """
                import outside
                class Odd(outside.make()):
                    def go(self):
                        self.other()
                class Known(outside.Base):
                    def go(self):
                        self.help()
                class Plain(dict):
                    def go(self):
                        self.items()
            """,
        },
    )
    assert "other" in linked.of("member_ref", "main.py::Odd.go")
    assert linked.of("external_base", "main.py::Known") == {"outside.Base"}
    assert linked.of("external_ref", "main.py::Known.go") == {"outside.Base.help"}
    assert linked.of("external_ref", "main.py::Plain.go") == {"builtins.dict.items"}
    assert "items" not in linked.of("member_ref", "main.py::Plain.go")
    assert ("builtins.dict", "items") in linked.rows["external_member"]


def test_a_name_written_from_afar_may_hold_anything(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "state.py": "class Quiet:\n    def say(self): ...\nvoice = Quiet()\n",
            "main.py": "import state\nstate.voice = object()\ndef go():\n    state.voice.say()\n",
        },
    )
    assert "state.py::Quiet.say" in linked.uses("main.py::go")
    assert "say" in linked.of("member_ref", "main.py::go")


def test_enum_members_are_instances_of_their_enum(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "main.py": """
                from enum import Enum
                class Color(Enum):
                    RED = 1
                    def paint(self): ...
                def go():
                    Color.RED.paint()
            """,
        },
    )
    assert {"main.py::Color", "main.py::Color.RED", "main.py::Color.paint"} <= linked.uses("main.py::go")


def test_symbols_are_the_units_of_the_same_declaration(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "main.py": """
                def helper(): ...
                class A:
                    def run(self):
                        helper()
            """,
        },
    )
    units = {row[0]: row[1] for row in linked.rows["symbol_unit"]}
    assert units == {
        "main.py::helper": "main.py:1-1 helper/0", "main.py::A": "main.py:2-4 A", "main.py::A.run": "main.py:3-4 run/1",
    }  # fmt: skip
    assert ("main.py:3-4 run/1", "main.py:1-1 helper/0", "call") in linked.rows["unit_ref"]


def test_values_too_many_to_follow_come_to_rest(tmp_path: Path) -> None:
    count = 30
    classes = "".join(f"class C{n}:\n    def next(self):\n        return C{(n + 1) % count}()\n" for n in range(count))
    some = "".join(f"    if x == {n}: return C{n}()\n" for n in range(20))
    text = f"{classes}def first(x):\n{some}    return second(x).next()\ndef second(x):\n    return first(x) or first(x).next().next()\n"
    linked = link_tree(tmp_path, {"main.py": text + "def go():\n    first(1).next()\n"})
    uses = linked.uses("main.py::go")
    assert "main.py::C0.next" in uses or "next" in linked.of("member_ref", "main.py::go")


def test_an_instance_of_a_class_outside_may_be_one_of_a_subclass_in_the_tree_or_a_proxy(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "main.py": """
                import logging
                from outside import Proxy
                class Own(logging.Handler):
                    def extra(self): ...
                class Plain:
                    def hidden(self): ...
                def go(handler: logging.Handler):
                    handler.extra()
                    handler.close()
                    Proxy(Plain).hidden()
            """,
        },
    )
    assert linked.of("member_ref", "main.py::go") == {"extra", "hidden"}
    assert "logging.Handler.close" in linked.of("external_ref", "main.py::go")
