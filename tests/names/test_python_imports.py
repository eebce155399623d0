"""Imports and export lists of Python files."""

from __future__ import annotations

import pytest

from ce.extract.names.model import ImportedName
from tests.names.python_names import definition, flags, read, uses


def test_an_import_is_bound_to_what_it_means() -> None:
    names = read("import a\nimport b.c\nimport d.e as f\nfrom . import g\nfrom ..h import (\n    i as j,\n    k,\n)\nfrom l import *\n")
    assert {one.name: one.imported for one in names.definitions if one.imported} == {
        "a": ImportedName("a", 1), "b": ImportedName("b.c", 2, "", 1), "f": ImportedName("d.e", 3), "g": ImportedName(".", 4, "g"),
        "j": ImportedName("..h", 5, "i"), "k": ImportedName("..h", 5, "k"),
    }  # fmt: skip
    assert names.star_imports == (ImportedName("l", 9, "*"),)


def test_an_import_as_itself_is_a_re_export() -> None:
    names = read("import x as x\nfrom .impl import y as y\nfrom .impl import z as w\n")
    assert "redundant_alias" in flags(names, "x")
    assert "redundant_alias" in flags(names, "y")
    assert flags(names, "w") == set()


def test_an_import_in_a_function_is_local() -> None:
    names = read("def f():\n    from a import b\n    b.c()\n")
    assert "local" in flags(names, "f.b")
    assert "f -> f.b c" in uses(names, "call")


def test_an_import_that_is_marked_as_wanted_is_for_its_side_effect() -> None:
    names = read("import a  # noqa: F401\nimport b  # noqa\nimport c  # noqa: E402\nfrom d import (  # noqa: F401\n    e,\n)\n")
    assert [("side_effect" in flags(names, name)) for name in "abce"] == [True, True, False, True]


def test_an_import_with_a_handler_for_its_failure_is_conditional() -> None:
    names = read("try:\n    import opt\n    HAVE = True\nexcept ImportError:\n    HAVE = False\n")
    assert "conditional" in flags(names, "opt")
    assert "conditional" in flags(names, "HAVE")


@pytest.mark.parametrize(
    ("source", "exported"),
    [
        ("__all__ = ['a', 'b']\n", {"a", "b"}),
        ("__all__: list[str] = ['a']\n", {"a"}),
        ("__all__ = ('a',) + ('b',)\n", {"a", "b"}),
        ("__all__ = ['a']\n__all__ += ['b']\n", {"a", "b"}),
        ("__all__ = ['a']\n__all__.extend(['b'])\n", {"a", "b"}),
        ("__all__ = ['a']\n__all__.append('b')\n", {"a", "b"}),
        ("__all__ = ['a', 'b']\n__all__.remove('b')\n", {"a"}),
        ("__all__ = [a.__name__, 'b']\n", {"a", "b"}),
        ("__all__ = list(('a',))\n", {"a"}),
        ("if True:\n    __all__ = ['a']\n", {"a"}),
        ("", set()),
    ],
)
def test_a_listed_name_is_exported(source: str, exported: set[str]) -> None:
    names = read(f"{source}def a(): pass\ndef b(): pass\n")
    assert {one.name for one in names.definitions if "exported" in one.flags} == exported
    assert not names.has_unreadable_exports
    assert not {text for _, _, text in names.strings} & {"a", "b"}


@pytest.mark.parametrize("source", ["from . import m\n__all__ = m.__all__ + ['a']\n", "from . import m\n__all__ = ['a', *m.__all__]\n"])
def test_the_list_of_another_module_is_handed_on(source: str) -> None:
    names = read(f"{source}def a(): pass\n")
    assert uses(names, "reexport") == {"<module> -> m __all__"}
    assert "exported" in flags(names, "a")
    assert not names.has_unreadable_exports


@pytest.mark.parametrize("source", ["__all__ = names()\n", "__all__ = [n for n in dir()]\n", "__all__ = []\n__all__.extend(x)\n"])
def test_a_list_that_cannot_be_read_is_said_to_be_so(source: str) -> None:
    assert read(source).has_unreadable_exports


def test_a_submodule_that_is_imported_beside_an_alias_of_its_package_is_for_the_alias() -> None:
    names = read("import plot as p\nimport plot.lines\nimport other.lines\n")
    assert [sorted(one.flags) for one in names.definitions[1:]] == [[], ["side_effect"], []]


def test_the_future_is_no_import_to_be_removed() -> None:
    assert "side_effect" in flags(read("from __future__ import annotations\n"), "annotations")
    assert definition(read("from __future__ import annotations\n"), "annotations").kind == "import"
