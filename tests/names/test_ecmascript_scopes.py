"""Scopes of TypeScript and JavaScript: what a name means where it stands."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.names.ecmascript_names import read


def test_a_function_is_known_above_its_declaration() -> None:
    names = read("run();\nfunction run() { return later(); }\nfunction later() {}\n")
    assert names.uses() == {("call", "run"), ("call", "later")}
    assert names.uses("run") == {("call", "later")}


def test_a_parameter_hides_the_name_of_the_module() -> None:
    names = read("const item = 1;\nfunction show(item) { return item; }\nfunction tell() { return item; }\n")
    assert ("read", "item") not in names.uses("show")
    assert ("read", "item") in names.uses("tell")


def test_var_belongs_to_the_function_and_let_to_the_block() -> None:
    names = read("const a = 1, b = 2;\nfunction f(x) { if (x) { var a = 3; let b = 4; } return [a, b]; }\n", "a.js")
    assert ("read", "a") not in names.uses("f")
    assert ("read", "b") in names.uses("f")


def test_a_loop_and_a_handler_have_scopes_of_their_own() -> None:
    names = read(
        "const i = 1, e = 2, k = 3;\nfunction f(xs) { for (const i of xs) g(i); for (let k = 0; k < 3; k++) g(k);"
        " try { g() } catch (e) { g(e) } }\nfunction g(x) {}\n"
    )
    assert names.uses("f") == {("call", "g")}


def test_a_pattern_takes_members_and_binds_their_values() -> None:
    names = read("import { box } from './m';\nconst { lid, rim: { edge: e = 1 }, ...rest } = box;\ne.cut();\n")
    assert {("read", "box.lid"), ("read", "box.rim"), ("read", "box.rim.edge")} <= names.uses()
    assert names.values("lid") == ["box.lid"]
    assert ("call", "e.cut") in names.uses()


def test_a_label_is_no_name() -> None:
    names = read("const outer = 1;\nouter: for (;;) { break outer; }\n")
    assert names.uses() == set()


def test_a_named_function_expression_is_known_inside_it_alone() -> None:
    names = read("const f = function g() { return g(); };\ng();\n")
    assert ("call", "f") in names.uses("f")
    assert ("call", "!g") in names.uses("")


def test_a_nested_function_is_a_local_definition() -> None:
    names = read("function outer() { const inner = () => deep(); function deep() {} class Part {} return inner; }\n")
    assert names.kinds() == {"outer": "function", "outer.inner": "function", "outer.deep": "function", "outer.Part": "class"}
    assert "local" in names.flags("outer.inner")
    assert ("call", "outer.deep") in names.uses("outer.inner")


def test_a_type_and_a_value_of_one_name_are_two_definitions() -> None:
    names = read("const Tint = { a: 1 };\ntype Tint = 'a';\nfunction f(x: Tint) { return Tint.a; }\n")
    kinds = [definition.kind for definition in names.all.definitions if definition.name == "Tint"]
    assert kinds == ["variable", "type_alias"]
    targets = {(use.kind, names.all.definitions[use.target.base].kind) for use in names.all.uses if use.target.base > 0 and use.owner}
    assert ("type_only", "type_alias") in targets
    assert ("read", "variable") in targets


def test_a_type_parameter_hides_a_type() -> None:
    names = read("type T = 1;\ntype U = 2;\nfunction f<T extends U>(x: T): T { return x; }\ninterface I<T> { a: T }\n")
    assert names.uses() == {("type_only", "U")}


def test_a_parameter_does_not_hide_a_namespace_of_types() -> None:
    names = read("import type * as Model from './model';\nfunction f<S extends Model.Any>(Model: S, x: typeof Model) { return Model; }\n")
    assert names.uses() == {("type_only", "Model.Any")}
    assert read("import type * as H from './h';\nexport interface U<H = H.Headers> { a: H }\n").uses() == {("type_only", "H.Headers")}


def test_infer_and_mapped_types_bind_names() -> None:
    names = read("type K = 1;\ntype E = 2;\ntype F<X> = X extends (infer E)[] ? E : { [K in keyof X]: K };\n")
    assert names.uses() == set()


def test_overloads_and_merged_declarations_stay_together() -> None:
    names = read("function f(a: string): void;\nfunction f(a: any) {}\ninterface Box { a: 1 }\nclass Box { b = 2 }\nnew Box().a;\n")
    flags = [definition.flags for definition in names.all.definitions if definition.name == "f"]
    assert [("abstract" in one) for one in flags] == [True, False]
    assert {"Box.a", "Box.b"} <= set(names.labels)
    assert ("read", "Box().a") in names.uses()


def test_a_namespace_has_members_and_opens_again() -> None:
    names = read("namespace A.B { export const k = 1; function own() { return k; } }\nnamespace A { export const m = 2 }\nA.B.k;\n")
    assert names.kinds() == {
        "A": "namespace", "A.B": "namespace", "A.B.k": "constant", "A.B.own": "function", "A.m": "constant",
    }  # fmt: skip
    assert ("read", "A.B.k") in names.uses("A.B.own")
    assert ("read", "A.B.k") in names.uses("")


def test_what_is_declared_for_elsewhere_says_so() -> None:
    names = read(
        "declare const VERSION: string;\ndeclare module 'x' { export interface Plug {} }\ndeclare global { interface Window { a: 1 } }\n"
    )
    assert "declared_only" in names.flags("VERSION")
    assert "declared_only" in names.flags("'x'.Plug")
    assert ("read", "'x'.Plug") in names.uses("")


def test_what_runs_with_the_module_belongs_to_the_module() -> None:
    names = read("const stop = listen(handler);\nconst table = { a: handler };\nfunction handler() {}\nfunction listen(f) {}\n")
    assert names.uses("") == {("call", "listen"), ("read", "handler")}
    assert ("read", "handler") in names.uses("table.a")


def test_a_statement_that_only_counts_up_does_not_read() -> None:
    names = read("let n = 0;\nlet m = 0;\nfunction f() { n++; n += 2; return m++; }\n")
    assert {kind for kind, path in names.uses("f") if path == "n"} == {"write"}
    assert {kind for kind, path in names.uses("f") if path == "m"} == {"write", "read"}


@pytest.mark.parametrize(("path", "deep"), [("a.ts", 100_000), ("a.js", 10_000), ("a.tsx", 10_000)])
def test_deep_nesting_ends(path: str, deep: int) -> None:
    for text in ("(" * deep + "x" + ")" * deep, "a" + ".b" * deep, "a" + "()" * deep, "x=>" * deep + "x", "{" * deep + "}" * deep,
                 "[" * deep + "]" * deep, "if(a){" * (deep // 4) + "}" * (deep // 4), "a?b:" * deep + "c", "a+" * deep + "a"):  # fmt: skip
        data = text.encode()
        from ce.extract.languages import language_spec
        from ce.extract.names.registry import names_of
        from ce.extract.parsing import Parsed, parse

        language = {"a.js": "javascript", "a.ts": "typescript", "a.tsx": "tsx"}[path]
        parsed = parse(path, language_spec(language), data)
        if isinstance(parsed, Parsed):
            names_of(parsed)


def test_every_member_of_a_long_chain_counts() -> None:
    chain = ".".join(f"m{number}" for number in range(100))
    told = ".".join(path for _, path in read(f"import a from 'a';\na.{chain};\n").uses())
    assert all(f"m{number}" in told.split(".") for number in range(100))


_PIECES = st.sampled_from([
    "function f(", ") {", "}", "class A extends B {", "const x = ", "{ a, b: c }", "=>", "export ", "import { q } from './m';", "await ",
    "<T>", "(", ")", "[", "]", "type Q = ", "`${", "}`", "this.", "super", "a.b", ";", "\n", ": Foo", "enum E { A }", "new ", "@dec", "#p",
    "require('x')", "module.exports = ", "for (const k of ", "interface I {", "<div>", "</div>", "/** @type {Foo} */", "get ", "static ",
])  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(_PIECES, max_size=25), st.sampled_from(["a.ts", "a.tsx", "a.js", "a.vue", "a.svelte"]))
def test_broken_text_gives_names_and_no_error(pieces: list[str], path: str) -> None:
    text = " ".join(pieces)
    names = read(f"<script>{text}</script><p>{{x.y}}</p>" if path.endswith(("vue", "svelte")) else text, path).all
    count = len(names.definitions)
    assert all(0 <= use.owner < count and use.target.base < count for use in names.uses)
    assert all(definition.parent < count and 1 <= definition.line <= definition.end_line for definition in names.definitions)
    assert read(f"<script>{text}</script><p>{{x.y}}</p>" if path.endswith(("vue", "svelte")) else text, path).all == names


def test_a_word_in_two_errors_is_told_where_it_stands_first() -> None:
    text = ") { { a, b: c } function f( \n ) { { a, b: c }"
    seen = {tuple((use.kind, use.line, use.target) for use in read(text).all.uses) for _ in range(40)}
    assert len(seen) == 1
    assert {use.line for use in read(text).all.uses} == {1}
