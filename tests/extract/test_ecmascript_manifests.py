"""Manifests of any shape end in an answer for every site, never in a failure."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from ce.extract.codec import decode_extraction
from ce.extract.extractor import extract
from ce.extract.resolve import resolve
from ce.facts.records import TreeInputs

SOURCES = {
    "src/main.ts": "import '@/a'; import 'b'; import '#c'; import './d'; import 'self/x'; import '..'; require('../dist/e.js');"
    " import(`./${x}`);\n",
    "src/a.ts": "export * from './main';\n",
    "src/index.js": "exports.a = require('self');\n",
    "lib/b.js": "export {};\n",
    "packages/b/index.js": "import 'self';\n",
}
TEXTS = st.sampled_from(
    (
        "", ".", "..", "./", "../x", "./src/*", "./src/main.ts", "src", "*", "**", "!x", "{a,b}", "[", "/x", "dist/e.js", "#c",
        "workspace:*", "file:..", "b", "self", "\0", "é", "${configDir}/x", "./tsconfig.json", "./packages/*", "@x/y",
    )
)  # fmt: skip
KEYS = st.one_of(TEXTS, st.sampled_from((".", "./x", "./*", "import", "types", "default", "require")))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 3), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)
PACKAGE_KEYS = st.sampled_from(
    (
        "name", "main", "module", "browser", "types", "bin", "exports", "imports", "workspaces", "files", "scripts", "dependencies",
        "private", "version", "directories", "jest", "source",
    )
)  # fmt: skip
OPTION_KEYS = st.sampled_from(("baseUrl", "paths", "rootDirs", "outDir", "rootDir", "declarationDir", "typeRoots", "allowJs"))
CONFIG_KEYS = st.sampled_from(("extends", "files", "include", "exclude", "references", "compilerOptions"))


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(PACKAGE_KEYS, VALUES, max_size=6),
    st.dictionaries(CONFIG_KEYS, VALUES, max_size=4),
    st.dictionaries(OPTION_KEYS, VALUES, max_size=4),
    st.one_of(st.just(b"packages:\n  - packages/*\n"), st.binary(max_size=40)),
)
def test_every_site_is_answered_whatever_the_manifests_say(
    package: dict[str, object], config: dict[str, object], options: dict[str, object], workspace: bytes
) -> None:
    extractions = {path: decode_extraction(extract(path, source.encode())["core"]) for path, source in SOURCES.items()}
    manifests = {
        "package.json": json.dumps(package).encode(),
        "tsconfig.json": json.dumps({"compilerOptions": options, **config}).encode(),
        "packages/b/package.json": json.dumps({"name": "self", **package}).encode(),
        "pnpm-workspace.yaml": workspace,
        "node_modules/": b"b\n",
    }
    files = {**dict.fromkeys(manifests, ""), **{path: extraction.lang for path, extraction in extractions.items()}}
    del files["node_modules/"]
    resolution = resolve(TreeInputs(files=files, manifests=manifests), extractions)
    ended = {(outcome.path, outcome.site) for outcome in resolution.outcomes}
    assert ended == {(path, index) for path, extraction in extractions.items() for index in range(len(extraction.sites))}
    assert {role.path for role in resolution.roles} | {point.path for point in resolution.entry_points} <= set(files)
    assert {edge.target for edge in resolution.edges} <= {*files, *manifests}
