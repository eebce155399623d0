"""Imports and exports of modules, of CommonJS, of comments, and the markup of components."""

from __future__ import annotations

import pytest

from ce.extract.names.model import ImportedName
from tests.names.ecmascript_names import Names, read


def imported(names: Names) -> dict[str, tuple[str, str]]:
    """Return the module and the imported name of every import and re-export."""
    return {
        label: (one.imported.spec, one.imported.name)
        for label, one in zip(names.labels, names.all.definitions, strict=True)
        if one.imported is not None
    }


def test_every_form_of_import_binds_names() -> None:
    names = read(
        "import d, { a as b, c, default as e } from './m';\nimport { z } from './m';\nimport * as ns from './n';\n"
        "import type { T } from './t';\n"
        "import { type U } from './u';\nimport './side';\nimport fs = require('fs');\nimport x = ns.part;\n"
    )
    assert imported(names) == {
        "d": ("./m", "default"), "b": ("./m", "a"), "c": ("./m", "c"), "e": ("./m", "default"), "z": ("./m", "z"), "ns": ("./n", ""),
        "T": ("./t", "T"), "U": ("./u", "U"), 'import("./side")': ("./side", ""), "fs": ("fs", ""),
    }  # fmt: skip
    assert names.definition("z").imported == ImportedName("./m", 2, "z")
    assert "type_import" in names.flags("T") and "type_import" in names.flags("U") and "side_effect" in names.flags('import("./side")')
    assert names.values("x") == ["ns.part"]


@pytest.mark.parametrize("path", ["a.ts", "a.js"])
def test_every_form_of_export_exports(path: str) -> None:
    names = read(
        "const a = 1;\nfunction b() {}\nexport { a, b as c };\nexport const d = 2, { e } = b();\nexport class F {}\nexport default b;\n"
        "export { g, h as i, default } from './m';\nexport { default as j } from './k';\n"
        "export * from './s';\nexport * as ns from './n';\n",
        path,
    )
    exported = {label for label, one in zip(names.labels, names.all.definitions, strict=True) if "exported" in one.flags}
    assert exported == {"a", "c", "d", "e", "F", "default", "g", "i", "j", "ns"}
    assert {key: value for key, value in imported(names).items() if key != "default"} == {
        "g": ("./m", "g"), "i": ("./m", "h"), "j": ("./k", "default"), "ns": ("./n", ""),
    }  # fmt: skip
    assert names.all.star_imports == (ImportedName("./s", 9, "*"),)
    assert ("reexport", "b") in names.uses("c") and ("reexport", "b") in names.uses("default")


def test_a_default_export_of_a_declaration_is_two_names() -> None:
    names = read("export default function run() {}\n")
    assert names.kinds() == {"run": "function", "default": "export"}
    assert read("export default class {}\n").kinds() == {"default": "class"}
    assert read("export default () => go();\nfunction go() {}\n").uses("default") == {("call", "go")}
    assert read("interface A {}\nexport = A;\n").uses("default") == {("reexport", "A")}


def test_modules_of_commonjs_import_and_export() -> None:
    names = read(
        "const fs = require('fs'), { a, b: c } = require('./m'), d = require('./n').part;\n"
        "exports.one = 1;\nexports.two = function () { own(); };\n"
        "module.exports.three = own;\nfunction own() { return exports.one; }\nObject.defineProperty(exports, 'four', { get: own });\n",
        "a.js",
    )
    assert imported(names) == {"fs": ("fs", ""), "a": ("./m", "a"), "c": ("./m", "b"), "d": ("./n", "part")}
    kinds = names.kinds()
    assert kinds["four"] == "export" and kinds["one"] == "export" and kinds["two"] == "function" and kinds["three"] == "export"
    assert ("call", "own") in names.uses("two") and ("reexport", "own") in names.uses("three")
    assert ("read", "one") in names.uses("own")


def test_a_literal_of_exports_exports_its_members() -> None:
    names = read("const a = 1;\nmodule.exports = { a, b: a, c() {}, d: require('./d'), ...require('./all'), 'e': () => a };\n", "a.js")
    assert "exported" in names.flags("a")
    assert {"b": "export", "c": "function", "d": "export", "e": "function"}.items() <= names.kinds().items()
    assert names.definition("d").imported == ImportedName("./d", 2, "")
    assert names.all.star_imports == (ImportedName("./all", 2, "*"),)


def test_a_chain_of_assignments_exports_the_variable() -> None:
    names = read(
        "const app = exports = module.exports = {};\nconst parsers = (exports.parsers = { json() {} });\nparsers.json();\n", "a.js"
    )
    assert ("reexport", "app") in names.uses("default")
    assert "exported" in names.flags("parsers")
    assert ("call", "parsers.json") in names.uses()


def test_a_module_that_is_made_at_run_time_has_exports_that_nobody_reads() -> None:
    assert read("module.exports = make();\n", "a.js").all.has_unreadable_exports
    assert not read("module.exports = { a: 1 };\n", "a.js").all.has_unreadable_exports


def test_modules_that_are_loaded_where_they_are_needed() -> None:
    names = read(
        "async function f() { const { x } = await import('./m'); x(); (await import('./n')).go(); import('./o').then(m => m.run()); }\n"
        "function g() { require('./p').open(); }\n",
        "a.js",
    )
    assert ("call", "f.x") in names.uses("f")
    assert {("call", 'f.import("./n").go'), ("call", 'f.import("./o").run')} <= names.uses("f")
    assert ("call", 'g.import("./p").open') in names.uses("g")
    assert names.definition("f.x").imported == ImportedName("./m", 1, "x")


def test_types_of_modules() -> None:
    names = read("let a: import('./m').Foo;\nlet b: typeof import('./n');\n")
    assert ("type_only", 'import("./m").Foo') in names.uses() and ("type_only", 'import("./n")') in names.uses()
    assert "type_import" in names.flags('import("./m")')


def test_comments_of_javascript_name_types() -> None:
    text = "/** @typedef {import('./m').Foo} Foo */\nclass Own {}\n"
    text += "/**\n * @param {Own[]} a\n * @returns {Promise<Set<Own>>}\n */\nfunction f(a) {}\n"
    names = read(text, "a.js")
    assert {("type_only", 'import("./m").Foo'), ("type_only", "Own")} <= names.uses()
    assert ("type_only", "Own") not in read(text, "a.ts").uses()
    assert names.definition('import("./m")').imported == ImportedName("./m", 1, "")


def test_a_cast_in_a_comment_names_a_type_wherever_it_stands() -> None:
    text = "/** @import { A, B, C, D, E } from './m' */\nconst a = /** @type {A} */ (f(/** @type {B} */ (1)));\n\n"
    text += "class Q { x = /** @type {C} */ (1); }\n"
    text += "const g = () => /** @type {D} */ (a);\nconst o = { k: /** @type {E} */ (a) };\nfunction f(x) {}\n"
    assert {("type_only", name) for name in "ABCDE"} <= read(text, "a.js").uses()


def test_a_link_in_a_comment_needs_its_import() -> None:
    assert ("type_only", "Foo.bar") in read("import type { Foo } from './m';\n/** {@link Foo.bar} */\nexport const a = 1;\n").uses()


def test_what_is_put_on_the_window_is_exported() -> None:
    names = read(
        "window.run = function () {};\nglobalThis.stop = halt;\nfunction halt() {}\nglobal.Observer = class { see() {} };\n", "a.js"
    )
    assert ("read", "Observer~*") in names.uses()
    assert "exported" in names.flags("run") and "exported" in names.flags("halt")


def test_words_that_do_not_parse_are_uses() -> None:
    names = read("import { a, b } from './m';\nfunction f() {}\nconst x = @@ a ## f;\nclass Q { }\n")
    used = {path for kind, path in names.uses("") if kind == "read"}
    assert {"a", "f"} <= used and "b" not in used


def test_markup_of_vue_uses_what_the_script_binds() -> None:
    names = read(
        "<script setup lang='ts'>\nimport MyItem from './MyItem.vue'\nimport { fmt, unused } from './fmt'\n"
        "function add() {}\nconst vFocus = {}\n"
        "</script>\n<template>\n<!-- unused -->\n"
        "<my-item v-for='x in list' @click='add()' v-focus>{{ fmt(x.name) }}</my-item>\n</template>\n",
        "a.vue",
    )
    uses = names.uses("")
    assert {("read", "MyItem"), ("read", "fmt"), ("read", "add"), ("read", "vFocus"), ("read", "?.name")} <= uses
    assert ("read", "unused") not in uses
    assert [use.line for use in names.all.uses if names.spelled(use.target) == "fmt"] == [9]


def test_markup_of_svelte_reads_stores_and_properties_are_exported() -> None:
    names = read(
        "<script>\nimport { user, other } from './stores';\nimport Card from './Card.svelte';\nexport let name;\nfunction inc() {}\n"
        "$: twice = $other * 2;\n</script>\n<Card on:click={inc}>{#each items as it}{it.label}{/each}{$user.name}</Card>\n",
        "a.svelte",
    )
    assert {("read", "Card"), ("read", "inc"), ("read", "user.name"), ("read", "?.label"), ("read", "other")} <= names.uses("")
    assert "exported" in names.flags("name")


def test_markup_of_astro_and_mdx_uses_names() -> None:
    astro = read(
        "---\nimport Card from './Card.astro';\nconst { title } = Astro.props;\nconst lost = 1;\n---\n<Card>{title.trim()}</Card>\n",
        "a.astro",
    )
    assert {("read", "Card"), ("read", "title.trim")} <= astro.uses("")
    assert ("read", "lost") not in astro.uses("")
    mdx = read("import { Box } from './box'\nexport const year = 2020\n\n# Title\n\n<Box>{year}</Box>\n\n```\n<Other/>\n```\n", "a.mdx")
    assert {("read", "Box"), ("read", "year")} <= mdx.uses("")


def test_uses_of_one_kind_keep_their_first_line() -> None:
    names = read("import { a } from './m';\n\na();\na();\n")
    assert [(use.line, use.kind) for use in names.all.uses] == [(3, "call")]
