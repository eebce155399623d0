"""Classes, literals and enums of TypeScript and JavaScript, and what receivers are."""

from __future__ import annotations

from ce.extract.names.model import COLLECTION
from tests.names.ecmascript_names import read


def test_members_of_a_class_say_what_they_are() -> None:
    names = read(
        "class Shop { till: Till = new Till(); static #count = 0; private open() {} static make() {} get size() { return 1 }"
        " close = () => {}; constructor(private repo: Repo, plain) {} [Symbol.iterator]() {} }\n"
    )
    kinds = names.kinds()
    assert kinds["Shop.till"] == kinds["Shop.#count"] == kinds["Shop.repo"] == "field"
    assert kinds["Shop.open"] == kinds["Shop.close"] == kinds["Shop.make"] == "method"
    assert kinds["Shop.size"] == "property"
    assert "Shop.plain" not in kinds
    assert {"private"} <= names.flags("Shop.open") and "static" in names.flags("Shop.make")
    assert {"static", "private"} <= names.flags("Shop.#count")
    assert "protocol" in names.flags("Shop.constructor") and "protocol" in names.flags("Shop.[Symbol.iterator]")
    assert names.values("Shop.till") == ["!Till()"]


def test_this_is_an_instance_and_in_static_members_the_class() -> None:
    names = read("class A { a() { this.b(); [1].map(() => this.c()); } static s() { this.t(); } }\n")
    assert {("call", "A().b"), ("call", "A().c")} <= names.uses("A.a")
    assert ("call", "A.t") in names.uses("A.s")


def test_super_is_the_next_class() -> None:
    names = read("import B from 'b';\nclass A extends B { constructor() { super(1); super.run(); } static s() { super.make(); } }\n")
    assert {("call", "A^"), ("call", "A^().run")} <= names.uses("A.constructor")
    assert ("call", "A^.make") in names.uses("A.s")
    assert ("inherit", "B") in names.uses("A")


def test_a_mixin_is_an_unknown_base_that_has_what_it_is_made_from() -> None:
    names = read("class A extends Mixin(Base) {}\nclass Base {}\nfunction Mixin(x) { return class extends x {} }\n")
    assert [names.spelled(base) for base in names.definition("A").bases] == ["Base", "?"]


def test_what_is_implemented_is_a_base_and_a_type() -> None:
    names = read("interface I { a(): void }\nclass B {}\nclass A extends B implements I {}\n")
    assert [names.spelled(base) for base in names.definition("A").bases] == ["B", "I"]
    assert ("type_only", "I") in names.uses("A")
    assert "abstract" in names.flags("I.a")


def test_what_a_local_holds_stands_in_for_it() -> None:
    names = read(
        "import { Foo } from './m';\nfunction f() { const a = new Foo(); const b = a.part; b.run(); let c = cond ? a : null; c.end(); }\n"
    )
    assert {("call", "Foo().part.run"), ("call", "Foo().end")} <= names.uses("f")


def test_annotations_tell_receivers() -> None:
    names = read(
        "import { Foo, Bar } from './m';\nasync function f(a: Foo, b: Foo[], c: Promise<Bar>, d?: Array<Bar>) {\n"
        " a.x(); for (const q of b) q.y(); (await c).z(); d.forEach(i => i.w()); (g() as Foo).v(); }\n"
    )
    assert {
        ("call", "Foo().x"), ("call", "Foo().y"), ("call", "Bar().z"), ("call", "Bar().w"), ("call", "Foo().v"),
    } <= names.uses("f")  # fmt: skip
    assert ("call", "?.forEach") not in names.uses("f")


def test_an_unknown_receiver_leaves_the_member() -> None:
    assert read("function f(x) { x.open().close; }\n").uses("f") == {("read", "?.open().close")}


def test_what_functions_give_is_known() -> None:
    names = read("class A {}\nfunction made() { return new A(); }\nfunction told(): A[] { return g(); }\nconst short = () => new A();\n")
    assert names.values("made") == ["A()"]
    assert names.values("told") == [f"A(){COLLECTION}"]
    assert names.values("short") == ["A()"]


def test_a_literal_has_members_while_nobody_is_given_it() -> None:
    names = read(
        "const api = { open() { this.close(); }, close: () => run(), deep: { a: 1 }, ['x' + y]: 2 };\napi.open();\nfunction run() {}\n"
    )
    assert names.kinds()["api.open"] == "method" and names.kinds()["api.deep.a"] == "property"
    assert ("call", "api.close") in names.uses("api.open")
    assert "escapes" not in names.flags("api")


def test_a_literal_that_is_handed_on_escapes_with_its_members() -> None:
    for text in ("use(api);", "const b = { ...api };", "api[key]();", "export { api };", "export default api;"):
        names = read("const api = { open() {} };\n" + text)
        assert "escapes" in names.flags("api") or "exported" in names.flags("default"), text


def test_a_computed_name_is_a_pattern() -> None:
    names = read("import * as ns from './m';\nclass A { f(w) { this['do_' + w](); this[`${w}_end`]; x['open']; ns[w]; this[w]; } }\n")
    assert {("call", "A()~do_*"), ("read", "A()~*_end"), ("read", "!x.open"), ("read", "ns~*"), ("read", "A()~*")} <= names.uses()


def test_the_members_of_an_enum_that_is_listed_are_used() -> None:
    names = read("enum E { A, B = 'b' }\nObject.values(E);\nE.A;\nfor (const k in E) {}\nlet x: E.B;\n")
    assert names.kinds() == {"E": "enum", "E.A": "enum_member", "E.B": "enum_member", "x": "variable"}
    assert {("read", "E~*"), ("read", "E.A"), ("type_only", "E.B")} <= names.uses()


def test_functions_with_prototypes_are_classes() -> None:
    names = read(
        "function Shop() { this.till = 1; }\nShop.prototype.open = function () { this.shut(); };\nShop.make = function () {};\n"
        "Shop.prototype.shut = function () {};\nnew Shop().open();\n",
        "a.js",
    )
    assert names.kinds() == {"Shop": "class", "Shop.till": "field", "Shop.open": "method", "Shop.make": "method", "Shop.shut": "method"}
    assert ("call", "Shop().shut") in names.uses("Shop.open")
    assert "static" in names.flags("Shop.make")


def test_inherits_makes_a_base() -> None:
    names = read("const util = require('util');\nfunction Read() {}\nutil.inherits(Read, Base);\nfunction Base() {}\n", "a.js")
    assert [names.spelled(base) for base in names.definition("Read").bases] == ["Base"]
    assert names.kinds()["Read"] == "class"


def test_decorators_and_their_arguments_belong_to_what_they_decorate() -> None:
    names = read(
        "@Component({ use: [Part] })\nexport class A { @Input() x; @Get('/a') list(@Body() b: Dto) {} }\nclass Part {}\nclass Dto {}\n"
    )
    assert [names.spelled(one) for one in names.definition("A").decorators] == ["!Component"]
    assert {("decorate", "!Component"), ("read", "Part")} <= names.uses("A")
    assert ("decorate", "!Get") in names.uses("A.list")
    assert [use.argument for use in names.all.uses if names.spelled(use.target) == "!Get"] == ["/a"]
    assert ("type_only", "Dto") in names.uses("A.list")


def test_an_element_calls_its_component() -> None:
    names = read(
        "import { A } from './a';\nimport * as ui from './ui';\n"
        "const f = () => <A x={g()}><ui.Box {...q} /><div /></A>;\nfunction g() {}\n",
        "a.tsx",
    )
    assert {("call", "A"), ("call", "ui.Box"), ("call", "g")} <= names.uses("f")
    assert not any(path.startswith("!div") for _, path in names.uses())


def test_a_tagged_template_calls_its_tag() -> None:
    names = read("import { css } from './css';\nconst a = css`x ${b} y`;\nconst b = 1;\n")
    assert {("call", "css"), ("read", "b")} <= names.uses()


def test_a_type_member_is_a_member() -> None:
    names = read("interface Box { lid: Lid }\ninterface Lid { open(): void }\nfunction f(b: Box, k: Box['lid']) { b.lid.open(); }\n")
    assert {("call", "Box().lid.open"), ("type_only", "Box().lid")} <= names.uses("f")


def test_strings_that_spell_names_are_kept() -> None:
    names = read("const a = 'open_lid';\nconst b = 'pkg.mod:run';\nconst c = 'two words';\nconst d = `tick`;\n")
    assert [text for _, _, text in names.all.strings] == ["open_lid", "pkg.mod:run", "tick"]


def test_eval_makes_a_file_opaque() -> None:
    assert read("eval(code);\n", "a.js").all.opaque == ((1, "eval", "*"),)
    assert read("function f(eval) { eval(1); }\n", "a.js").all.opaque == ()
