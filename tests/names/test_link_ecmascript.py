"""Uses across TypeScript and JavaScript files: named and default exports, barrels, CommonJS, classes."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.linked_tree import link_tree


def test_named_default_and_namespace_imports(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "util.ts": "export function run() {}\nexport default class Main { start() {} }\nexport const spare = 1;\n",
            "main.ts": """
                import Main, { run as go } from './util';
                import * as util from './util';
                export function all() { go(); new Main().start(); util.spare; }
            """,
        },
    )
    uses = linked.uses("main.ts::all")
    assert {"util.ts::run", "util.ts::spare", "main.ts::go", "main.ts::Main", "main.ts::util"} <= uses
    assert "util.ts::Main.start" in uses


def test_barrels_are_passed(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "lib/index.ts": "export * from './a';\nexport { two as zwei } from './b';\n",
            "lib/a.ts": "export function one() {}\n",
            "lib/b.ts": "export function two() {}\nexport function three() {}\n",
            "main.ts": "import { one, zwei } from './lib';\none(); zwei();\n",
        },
    )
    uses = linked.uses("main.ts::")
    assert {"lib/a.ts::one", "lib/b.ts::two", "lib/index.ts::zwei"} <= uses
    assert "lib/b.ts::three" not in uses


def test_a_cycle_of_barrels_ends(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "a.ts": "export * from './b';\nexport const x = 1;\n",
            "b.ts": "export * from './a';\nexport const y = 2;\n",
            "main.ts": "import { x, y } from './b';\nconsole.log(x, y);\n",
        },
    )
    assert {"a.ts::x", "b.ts::y"} <= linked.uses("main.ts::")


def test_commonjs_modules_hand_out_their_exports(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "util.js": "function run() {}\nfunction idle() {}\nmodule.exports = { run };\n",
            "one.js": "exports.first = function () {};\nexports.second = function () {};\n",
            "main.js": "const { run } = require('./util');\nconst one = require('./one');\nrun(); one.first();\n",
        },
    )
    reached = _reached(linked.rows["name_ref"], "main.js::")
    assert "util.js::run" in reached
    assert "util.js::idle" not in reached
    assert any(name.startswith("one.js::") and name.endswith("first") for name in reached)
    assert not any(name.endswith("second") for name in reached)


def test_methods_are_found_along_the_chain_of_prototypes(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "base.ts": "export class Base { run() { this.hook(); } hook() {} }\n",
            "sub.ts": "import { Base } from './base';\nexport class Sub extends Base { hook() { super.hook(); } }\n",
            "main.ts": "import { Sub } from './sub';\nconst s = new Sub();\ns.run();\n",
        },
    )
    assert "base.ts::Base.run" in linked.uses("main.ts::")
    assert "base.ts::Base.hook" in linked.uses("base.ts::Base.run")
    assert "base.ts::Base.hook" in linked.uses("sub.ts::Sub.hook")
    assert ("sub.ts::Sub.hook", "base.ts::Base.hook") in linked.rows["overrides"]


def test_an_annotated_receiver_is_known(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "api.ts": "export interface Api { load(): void }\nexport class Real implements Api { load() {} }\n",
            "main.ts": "import { Api } from './api';\nexport function go(api: Api, list: Api[]) { api.load(); list[0].load(); }\n",
        },
    )
    assert "api.ts::Api.load" in linked.uses("main.ts::go")
    assert ("api.ts::Real.load", "api.ts::Api.load") in linked.rows["overrides"]
    assert "load" not in linked.of("member_ref", "main.ts::go")


def test_packages_outside_and_globals_have_names(tmp_path: Path) -> None:
    linked = link_tree(
        tmp_path,
        {
            "package.json": '{"name": "x", "dependencies": {"react": "1"}}',
            "main.tsx": "import React, { useState } from 'react';\nexport function go() { useState(1); React.memo(go); parseInt('1'); }\n",
        },
    )
    assert linked.of("external_ref", "main.tsx::go") >= {"react.useState", "react.memo", "builtins.parseInt"}


def _reached(rows: tuple[tuple[int | str, ...], ...], start: str) -> set[str]:
    found = {start}
    while True:
        more = {str(target) for source, target, *_ in rows if source in found} - found
        if not more:
            return found
        found |= more
