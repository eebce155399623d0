"""What TypeScript, JavaScript and component projects refer to under settings of every kind: small trees and what is dead in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

import ce

_NOTHING = "export const x = 1\n"


def dead(root: Path, files: Mapping[str, object]) -> list[str]:
    """Write the files, values that are no text as JSON, and return those that are dead."""
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content if isinstance(content, str) else json.dumps(content))
    return sorted(str(row.F) for row in ce.open(str(root)).query("dead(F)"))


def imports(*specs: str) -> str:
    return "".join(f'import "{spec}"\n' for spec in specs)


APP = {"name": "app", "private": True, "main": "./src/main.ts"}

CASES: dict[str, tuple[dict[str, object], list[str]]] = {
    "exports with patterns, conditions and null": (
        {
            "package.json": {"private": True, "workspaces": ["packages/*"], "main": "main.js"},
            "main.js": imports("lib", "lib/features/one", "lib/features/internal/two", "lib/deep/a/b.js"),
            "packages/lib/package.json": {
                "name": "lib",
                "private": True,
                "exports": {
                    ".": {"types": "./src/types.d.ts", "import": "./src/index.mjs", "require": "./src/index.cjs"},
                    "./features/*": "./src/features/*.js",
                    "./features/internal/*": None,
                    "./deep/*.js": {"default": "./src/deep/*.js"},
                },
            },
            "packages/lib/src/types.d.ts": "export {}\n",
            "packages/lib/src/index.mjs": _NOTHING,
            "packages/lib/src/index.cjs": "module.exports = 1\n",
            "packages/lib/src/features/one.js": _NOTHING,
            "packages/lib/src/features/internal/two.js": _NOTHING,
            "packages/lib/src/deep/a/b.js": _NOTHING,
            "packages/lib/src/hidden.js": _NOTHING,
        },
        ["packages/lib/src/features/internal/two.js", "packages/lib/src/hidden.js"],
    ),
    "subpath imports with conditions": (
        {
            "package.json": {
                **APP,
                "imports": {"#db": {"node": "./src/db.ts", "default": "./src/db-web.ts"}, "#util/*": "./src/util/*.ts"},
            },
            "src/main.ts": imports("#db", "#util/a", "#gone"),
            "src/db.ts": _NOTHING,
            "src/db-web.ts": _NOTHING,
            "src/util/a.ts": _NOTHING,
            "src/util/b.ts": _NOTHING,
        },
        ["src/util/b.ts"],
    ),
    "paths with several targets, the first that is there": (
        {
            "package.json": APP,
            "tsconfig.json": {"extends": ["./base.json", "./more.json"], "compilerOptions": {}},
            "base.json": {"compilerOptions": {"baseUrl": ".", "paths": {"gone/*": ["x/*"]}}},
            "more.json": {"compilerOptions": {"paths": {"@/*": ["./generated/*", "./src/*"], "~": ["./src/tilde.ts"]}}},
            "src/main.ts": imports("@/a", "~", "src/based"),
            "src/a.ts": _NOTHING,
            "src/tilde.ts": _NOTHING,
            "src/based.ts": _NOTHING,
            "src/b.ts": _NOTHING,
        },
        ["src/b.ts"],
    ),
    "rootDirs, moduleSuffixes and references": (
        {
            "package.json": APP,
            "tsconfig.json": {"files": [], "references": [{"path": "./src"}]},
            "src/tsconfig.json": {"compilerOptions": {"composite": True, "rootDirs": [".", "../made"], "moduleSuffixes": [".ios", ""]}},
            "src/main.ts": imports("./view", "./template"),
            "src/view.ios.ts": _NOTHING,
            "src/view.ts": _NOTHING,
            "made/template.ts": _NOTHING,
            "src/no.ts": _NOTHING,
        },
        ["src/no.ts"],
    ),
    "suffixes that a compiler exchanges": (
        {
            "package.json": APP,
            "src/main.ts": imports("./a.js", "./b.mjs", "./c.cjs", "./d.jsx", "./data.json", "./style.css", "./pic.svg?url", "./e.js?raw"),
            "src/a.ts": _NOTHING,
            "src/b.mts": _NOTHING,
            "src/c.cts": _NOTHING,
            "src/d.tsx": _NOTHING,
            "src/e.js": _NOTHING,
            "src/data.json": "{}",
            "src/style.css": "",
            "src/pic.svg": "<svg/>",
            "src/f.ts": _NOTHING,
        },
        ["src/f.ts"],
    ),
    "workspaces of pnpm": (
        {
            "package.json": {"private": True},
            "pnpm-workspace.yaml": "packages:\n  - 'libs/**'\n  - apps/*\n  - '!**/skipped'\n",
            "apps/web/package.json": {"name": "web", "private": True, "main": "index.ts", "dependencies": {"@x/ui": "workspace:*"}},
            "apps/web/index.ts": imports("@x/ui/button", "@x/core"),
            "libs/deep/ui/package.json": {"name": "@x/ui", "private": True},
            "libs/deep/ui/button.ts": _NOTHING,
            "libs/deep/ui/other.ts": _NOTHING,
            "libs/core/package.json": {"name": "@x/core", "private": True, "main": "dist/index.js", "types": "dist/index.d.ts"},
            "libs/core/src/index.ts": imports("./inner"),
            "libs/core/src/inner.ts": _NOTHING,
        },
        ["libs/deep/ui/other.ts"],
    ),
    "globs, contexts, workers, addresses and mocks": (
        {
            "package.json": {**APP, "devDependencies": {"vite": "5", "vitest": "1"}},
            "src/main.ts": 'const all = import.meta.glob(["./pages/*.ts", "!./pages/skip.ts"])\n'
            'const c = require.context("./ctx", true, /\\.js$/)\n'
            'new Worker(new URL("./worker.ts", import.meta.url), { type: "module" })\nconst u = new URL("./asset.ts", import.meta.url)\n'
            'new SharedWorker("./shared.js")\nimport(`./lazy/${all}.ts`)\n',
            "src/pages/a.ts": _NOTHING,
            "src/pages/skip.ts": _NOTHING,
            "src/ctx/deep/b.js": _NOTHING,
            "src/ctx/c.ts": _NOTHING,
            "src/worker.ts": _NOTHING,
            "src/asset.ts": _NOTHING,
            "src/shared.js": _NOTHING,
            "src/lazy/one.ts": _NOTHING,
            "src/lazy/deep/two.ts": _NOTHING,
            "src/main.test.ts": 'import { vi } from "vitest"\nvi.mock("./mocked")\nawait vi.importActual("./actual")\n',
            "src/mocked.ts": _NOTHING,
            "src/actual.ts": _NOTHING,
        },
        ["src/ctx/c.ts", "src/lazy/deep/two.ts", "src/pages/skip.ts"],
    ),
    "components of Vue, Svelte and Astro": (
        {
            "package.json": APP,
            "src/main.ts": imports("./App.vue", "./Page.svelte", "./Card.astro"),
            "src/App.vue": '<script setup lang="ts">\nimport Child from "./Child.vue"\nimport { x } from "./use"\n</script>\n'
            "<template><Child/></template>\n"
            '<script src="./extra.ts"></script>\n<style src="./a.css"></style>\n',
            "src/Child.vue": "<template><p/></template>\n",
            "src/use.ts": _NOTHING,
            "src/extra.ts": _NOTHING,
            "src/a.css": "",
            "src/Page.svelte": '<script context="module">\nexport { y } from "./mod"\n</script>\n<script>\n'
            'import "./inst.js"\n</script>\n<p/>\n',
            "src/mod.ts": "export const y = 1\n",
            "src/inst.js": _NOTHING,
            "src/Card.astro": '---\nimport L from "../layout/L.astro"\n---\n<L/>\n<script>\nimport "./client.ts"\n</script>\n',
            "layout/L.astro": "<p/>\n",
            "src/client.ts": _NOTHING,
            "src/Unused.vue": "<template/>\n",
        },
        ["src/Unused.vue"],
    ),
    "a package that refers to itself, and index files of directories": (
        {
            "package.json": {"name": "self", "private": True, "type": "module", "bin": "./bin.js", "exports": {"./a": "./lib/a.js"}},
            "bin.js": imports("self/a", "./dir"),
            "lib/a.js": _NOTHING,
            "lib/b.js": _NOTHING,
            "dir/package.json": {"main": "start.js"},
            "dir/start.js": _NOTHING,
            "dir/index.js": _NOTHING,
        },
        ["dir/index.js", "lib/b.js"],
    ),
    "import maps and module scripts of pages": (
        {
            "index.html": '<script type="importmap">{"imports": {"app/": "./js/"}}</script>\n'
            '<script type="module">import "app/one.js"; import("./js/two.js")</script>\n'
            '<script src="js/three.js"></script><script type="module" src="/js/four.js"></script>',
            **{f"js/{name}.js": _NOTHING for name in ("one", "two", "three", "four", "five")},
        },
        ["js/five.js"],
    ),
    "typed references": (
        {
            "package.json": APP,
            "src/main.ts": '/// <reference path="./globals.d.ts" />\ntype T = import("./type").X\n'
            'import a = require("./required")\nexport type { B } from "./only-type"\n',
            "src/globals.d.ts": "declare const g: number\n",
            "src/type.ts": _NOTHING,
            "src/required.ts": _NOTHING,
            "src/only-type.ts": "export type B = 1\n",
            "src/js.js": '/** @type {import("./doc").X} */\nmodule.exports = 1\n',
            "src/doc.ts": _NOTHING,
        },
        ["src/doc.ts", "src/js.js"],
    ),
    "a directory with types of its own": (
        {
            "package.json": {"private": True, "main": "lib/index.js", "types": "types.d.ts"},
            "lib/index.js": "module.exports = 1\n",
            "types.d.ts": 'export * from "./more"\n',
            "more.d.ts": "export type A = 1\n",
            "sub/package.json": {"main": "run.js", "types": "own.d.ts"},
            "sub/run.js": _NOTHING,
            "sub/own.d.ts": "export {}\n",
            "test/a.test.js": '/** @type {import("..").A} */\nconst x = require("../sub")\n',
        },
        [],
    ),
    "settings of bundlers and runners": (
        {
            "package.json": {
                "private": True,
                "scripts": {"start": "tsx src/server.ts", "w": "node --import ./register.mjs run.cjs"},
                "jest": {"setupFiles": ["./setup.js"]},
            },
            "vite.config.ts": 'import { resolve } from "path"\n'
            'export default { resolve: { alias: { "@lib": resolve(__dirname, "lib") } },\n'
            'build: { rollupOptions: { input: { a: "entry/a.ts" } } } }\n',
            "src/server.ts": imports("@lib/one"),
            "lib/one.ts": _NOTHING,
            "lib/two.ts": _NOTHING,
            "entry/a.ts": _NOTHING,
            "register.mjs": _NOTHING,
            "run.cjs": "",
            "setup.js": "",
        },
        ["lib/two.ts"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_project_refers_to(name: str, tmp_path: Path) -> None:
    files, expected = CASES[name]
    assert dead(tmp_path, files) == expected
