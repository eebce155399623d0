"""Names of languages that are followed by spelling: what is declared, who spells what, and what only one file can mean."""

from __future__ import annotations

import pytest

from ce.extract.codec import decode_extraction
from ce.extract.core import measure_core
from ce.extract.languages import language_spec
from ce.extract.names.declared import with_declarations
from ce.extract.names.model import UNKNOWN, FileNames
from ce.extract.names.spelled import SPELLED_LANGUAGES, names_of
from ce.extract.parsing import Parsed, parse

SUFFIX = {"rust": "rs", "go": "go", "java": "java", "c": "c", "cpp": "cpp", "haskell": "hs", "lua": "lua", "r": "R"}


def names(language: str, source: str) -> FileNames:
    parsed = parse(f"a.{SUFFIX[language]}", language_spec(language), source.encode())
    assert isinstance(parsed, Parsed)
    return with_declarations(names_of(parsed), decode_extraction(measure_core(parsed)))


def uses(found: FileNames, owner: str) -> set[str]:
    """Return what the bodies of that name use; a proved use stands as `=name`."""
    return {
        f"={found.definitions[use.target.base].name}" if use.target.base != UNKNOWN else use.target.steps[0]
        for use in found.uses
        if found.definitions[use.owner].name == owner
    }


def flags(found: FileNames, name: str) -> set[str]:
    return {flag for one in found.definitions if one.name == name for flag in one.flags}


def parent(found: FileNames, name: str) -> str:
    (one,) = [one for one in found.definitions if one.name == name]
    return found.definitions[one.parent].name


def test_every_language_has_a_suffix_here() -> None:
    assert set(SUFFIX) == set(SPELLED_LANGUAGES)


def test_a_rust_method_of_a_trait_is_called_by_others_and_a_plain_one_is_not() -> None:
    source = "struct P;\nimpl P {\n    fn own(&self) {}\n}\nimpl Display for P {\n    fn fmt(&self) {\n        own()\n    }\n}\n"
    found = names("rust", source)
    assert "protocol" in flags(found, "fmt")
    assert "protocol" not in flags(found, "own")
    assert parent(found, "fmt") == parent(found, "own") == "P"
    assert "own" in uses(found, "fmt")


def test_an_impl_is_no_use_of_its_own_type() -> None:
    assert uses(names("rust", "struct P;\nimpl P {\n    fn f() {}\n}\n"), "") == set()


def test_a_rust_import_is_no_use_unless_it_hands_on_or_renames() -> None:
    assert uses(names("rust", "use a::one;\npub use a::two;\nuse a::three as four;\n"), "") >= {"two", "three", "four"}
    assert "one" not in uses(names("rust", "use a::one;\n"), "")


def test_a_rust_macro_body_spells_what_it_uses() -> None:
    assert uses(names("rust", "macro_rules! m {\n    () => { helper() }\n}\n"), "m") == {"helper"}


def test_a_static_c_function_is_meant_by_its_own_file_only() -> None:
    found = names("c", "static int f(void) {\n    return 1;\n}\nint g(void) {\n    return f() + h();\n}\n")
    assert uses(found, "g") == {"=f", "h"}
    assert flags(found, "f") == {"private"}


def test_a_static_c_function_that_only_a_macro_names_is_used_by_the_macro() -> None:
    assert uses(names("c", "static int f(int x) {\n    return x;\n}\n#define CALL(x) f(x)\n"), "CALL") == {"=f", "x"}


def test_a_prototype_is_no_use() -> None:
    assert uses(names("c", "static int f(void);\nstatic int *g(void);\nint f2(void) {\n    return 1;\n}\n"), "") == set()


def test_what_a_global_is_given_is_used_by_the_file_and_the_global_is_not() -> None:
    assert uses(names("go", "package a\n\nvar table = build()\n"), "") == {"build", "a"} - {"a"}


def test_an_exported_go_method_may_satisfy_an_interface_from_elsewhere() -> None:
    found = names("go", "package a\n\ntype T struct{}\n\nfunc (t *T) String() string {\n\treturn help()\n}\n\nfunc (t *T) hidden() {\n}\n")
    assert "protocol" in flags(found, "String")
    assert "protocol" not in flags(found, "hidden")
    assert parent(found, "hidden") == "T"
    assert "T" not in uses(found, "")


def test_java_overrides_are_called_by_others_and_private_members_by_their_file() -> None:
    source = (
        "class A extends B {\n  @Override public String toString() {\n    return help();\n  }\n"
        '  private String help() {\n    return "x";\n  }\n  private void stale() {\n  }\n}\n'
    )
    found = names("java", source)
    assert "protocol" in flags(found, "toString")
    assert uses(found, "toString") >= {"=help"}
    assert flags(found, "stale") == {"private"}


def test_an_instance_in_haskell_uses_what_it_spells_and_a_signature_uses_nothing() -> None:
    head = "module M (main) where\n"
    source = f"{head}instance Eq Foo where\n  (==) a b = helper a b\nhelper :: Foo -> Foo -> Bool\nhelper _ _ = True\nmain = print 1\n"
    found = names("haskell", source)
    assert "=helper" in uses(found, "==")
    assert "=helper" not in uses(found, "")
    assert flags(found, "main") == {"exported"}


def test_a_quoted_name_in_r_is_a_use_and_a_method_of_a_generic_is_called_by_others() -> None:
    found = names("r", 'f <- function() {\n  do.call("byname", list())\n}\nbyname <- function() 1\nprint.thing <- function(x) x\n')
    assert "byname" in uses(found, "f")
    assert "protocol" in flags(found, "print.thing")
    assert "protocol" not in flags(found, "byname")


def test_a_local_function_in_lua_is_meant_by_its_file_only() -> None:
    found = names("lua", "local M = {}\nlocal function helper()\nend\nfunction M.pub()\n  helper()\nend\nreturn M\n")
    assert uses(found, "pub") >= {"=helper"}


def test_declarations_that_share_a_line_are_not_told_apart() -> None:
    found = names("c", "static int f(void) { return 1; } static int g(void) { return f(); }\n")
    assert "=f" in uses(found, "")


@pytest.mark.parametrize("language", SPELLED_LANGUAGES)
def test_a_broken_file_still_has_names(language: str) -> None:
    assert names(language, "((({{{ \x00 \u00e9 = = = )").definitions[0].kind == "module"
