"""What holds for TypeScript, JavaScript and components beyond the cases under fixtures: copies, odd bytes, odd shapes, tables."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.extract.codec import decode_extraction
from ce.extract.extractor import extract
from ce.extract.languages import language_spec
from ce.extract.measures.blocks import blocks_of
from ce.extract.measures.fingerprints import GUARANTEE, fingerprints
from ce.extract.measures.runs import anchor_pairs, matching_runs
from ce.extract.measures.tape import tape_of
from ce.extract.measures.token_blobs import encode_tokens
from ce.extract.measures.tokens import token_stream
from ce.extract.parsing import Parsed, parse
from ce.extract.resolve.data import node_builtins
from ce.extract.resolve.ecmascript.globs import glob_matcher
from ce.extract.resolve.ecmascript.tools import CONFIGURED, CONVENTIONS
from ce.facts.records import Extraction
from ce.facts.schema import VOCABULARIES
from tests.fakes.whole_extraction import whole_extraction

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "javascript.md"

FUNCTION = """
export function total(items, rate) {
  let result = 0;
  for (const item of items) {
    if (item.price > 10 && item.name !== "free") {
      result += item.price * rate;
    } else if (item.price < 0) {
      throw new TypeError(`negative ${item.name}`);
    } else {
      result -= 1;
    }
  }
  return { result, count: items.length };
}
"""
RENAMED = FUNCTION.replace("items", "rows").replace("item", "row").replace("10", "99").replace("free", "gone").replace("result", "sum")


def told(path: str, source: str | bytes) -> Extraction:
    """Return what a file of that name with these bytes yields."""
    return whole_extraction(path, source if isinstance(source, bytes) else source.encode())


# --- copies


@pytest.mark.parametrize("language", ["typescript", "tsx", "javascript"])
def test_a_copy_with_other_names_and_other_constants_is_found(language: str) -> None:
    streams = []
    for text in (FUNCTION, "const before = 1;\n" + RENAMED):
        parsed = parse("x", language_spec(language), text.encode())
        assert isinstance(parsed, Parsed)
        streams.append(token_stream(parsed))
    anchors = anchor_pairs([fingerprints(stream.codes) for stream in streams])
    tape = tape_of({number: encode_tokens(stream) for number, stream in enumerate(streams)}, len(streams))
    (block,) = blocks_of(matching_runs(anchors, tape), tape, GUARANTEE).rows()
    assert block.kind == "T2"
    assert (block.a_start, block.a_end) == (2, 14)


@pytest.mark.parametrize("language", ["typescript", "javascript"])
def test_texts_of_any_quotes_are_one_token(language: str) -> None:
    codes = []
    for text in ('x("a");', "x('bcd');", "x(`e`);", 'x("");'):
        parsed = parse("x", language_spec(language), text.encode())
        assert isinstance(parsed, Parsed)
        codes.append(token_stream(parsed).codes.tolist())
    assert codes[0] == codes[1] == codes[2] == codes[3]


# --- odd bytes and odd shapes

PATHS = ("a.ts", "a.d.ts", "a.tsx", "a.mjs", "a.cjs", "a.jsx", "a.vue", "a.svelte", "a.astro", "a.mdx")
PIECES = st.sampled_from(
    (
        "import a, { b as c } from './d';\n", "export * from 'e';\n", "export { default as f } from \"g\";\n", "require('h')",
        "import(`./${x}`)", "<script lang=\"ts\">", "</script>", "<script src='x'>", "<style>", "---\n", "```\n", "<!--", "-->", "{", "}",
        "(", ")", "=>", "`", "${", "class A extends B { @d c() {} }\n", "module.exports = { a, b: c };\n", "exports.x = y;\n",
        "const { a, b: [c] } = d;\n", "/** @type {import('x').Y} */\n", "/// <reference path='z' />\n", "import.meta.glob(['./a', '!b'])",
        "require.context('./a', true, /\\.js$/)", "new URL('./w', import.meta.url)", "jest.mock('./m')", "declare module 'x' { }\n",
        "namespace N {\n", "export import q = require('r')\n", "<T,>(x: T) => x", "<A b={c}>", "</A>", "alias: { '@': './src' },\n",
        "'use strict'\n", "\\", "'", '"', "é", "\U0001f600", "\x00", "\r\n", "\t", "a ?? b || c && d", "<in out T", "ce:allow(x) -- y\n",
    )
)  # fmt: skip


@settings(max_examples=250, deadline=None)
@given(
    path=st.sampled_from(PATHS),
    data=st.one_of(st.binary(max_size=400), st.lists(PIECES, max_size=40).map(lambda parts: "".join(parts).encode())),
)
def test_any_bytes_are_measured_and_read_back(path: str, data: bytes) -> None:
    blobs = extract(path, data, ("core",))
    assert blobs == extract(path, data, ("core",))
    extraction = decode_extraction(blobs["core"])
    for unit in extraction.units:
        assert 1 <= unit.start <= unit.end <= max(extraction.lines, 1)
    for site in extraction.sites:
        assert 1 <= site.line <= max(extraction.lines, 1)
        assert site.kind in VOCABULARIES["site_kind"]
        assert site.mode in VOCABULARIES["edge_mode"]
    assert len({(site.line, site.nth) for site in extraction.sites}) == len(extraction.sites)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.ts", "[" * 100_000),
        ("a.ts", "f(" * 100_000 + ")" * 100_000),
        ("a.js", "(() => {" * 50_000),
        ("a.js", "a = " * 50_000 + "1"),
        ("a.js", "x ? y : " * 50_000 + "z"),
        ("a.tsx", "<A>" * 50_000),
        ("a.js", "`${" * 50_000),
        ("a.js", "a && " * 50_000 + "b"),
        ("a.ts", "type A = " + "B<" * 50_000),
        ("a.vue", "<script>" * 50_000),
        ("a.vue", '<script lang="' * 50_000),
        ("a.svelte", "<!--" * 50_000),
        ("a.mdx", "import a from 'b'\n" * 20_000),
        ("a.js", "exports.a = " * 20_000 + "1"),
        ("a.js", "require('x');" * 20_000),
        ("a.js", "// import('x')\n" * 20_000),
        ("a.js", "/* import('x') */ " * 20_000),
        ("a.js", "x = { alias: { a: 'b' } };\n" * 20_000),
        ("a.js", "const {" + "a:{" * 20_000),
        ("a.js", "/** @type {import('x')} */\n" * 100_000),
        ("a.svelte", "<script></script>{import('a')}\n" * 50_000),
        ("a.ts", "let a: import('x')" + "<" * 100_000),
        ("a.ts", "f(a, /* */" * 50_000 + "out T"),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else None,
)
def test_odd_shapes_end_soon(path: str, source: str) -> None:
    before = time.process_time()
    told(path, source)
    assert time.process_time() - before < 20


def test_a_line_of_ten_megabytes_is_measured() -> None:
    line = "var a=function(b,c){return b&&c?require('./d'):e(b+c)};" * (10_000_000 // 55)
    extraction = told("bundle.js", line)
    assert extraction.lines == 1
    assert extraction.generated


# --- components


def test_places_in_components_are_those_of_the_file() -> None:
    source = "<template>\n  <p>é</p>\n</template>\n\n<script lang='ts'>\nimport x from './x'\nexport function f() {}\n</script>\n"
    extraction = told("a.vue", source)
    assert [(site.line, site.spec) for site in extraction.sites] == [(6, "./x")]
    assert [(unit.name, unit.start) for unit in extraction.units] == [("f", 7)]
    assert extraction.lines == 8


def test_a_quoted_angle_bracket_does_not_end_a_tag() -> None:
    extraction = told("a.vue", '<script setup lang="ts" generic="T extends A<B>">\nimport y from "./y"\n</script>\n')
    assert [site.spec for site in extraction.sites] == ["./y"]
    assert extraction.problems == ()


@pytest.mark.parametrize("attribute", ['type="application/json" lang="json"', 'lang="coffee"'])
def test_scripts_in_other_languages_are_not_read(attribute: str) -> None:
    assert told("a.vue", f"<script {attribute}>\nimport z from './z'\n</script>\n").sites == ()


# --- tables


def test_the_names_of_node_are_those_of_the_installed_one() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    listed = json.loads(
        subprocess.run([node, "-p", "JSON.stringify(require('module').builtinModules)"], capture_output=True, check=True).stdout
    )
    names = {name.removeprefix("node:") for name in listed}
    assert names - node_builtins.BARE - node_builtins.SCHEME_ONLY == set()
    assert not node_builtins.BARE & node_builtins.SCHEME_ONLY
    assert all(source.split()[-1].lstrip("v")[0].isdigit() for source in node_builtins.SOURCES)


def test_every_convention_has_a_role_of_the_vocabulary_and_an_expression() -> None:
    for convention in CONVENTIONS:
        assert convention.role in VOCABULARIES["role"]
        assert convention.regex.fullmatch("") is None


def test_the_page_about_javascript_names_every_tool_and_convention() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in sorted(CONFIGURED) if f"`{name}`" not in page] == []
    assert [convention.why for convention in CONVENTIONS if convention.why not in page] == []
    assert [name for convention in CONVENTIONS for name in convention.needs if f"`{name}`" not in page] == []


@pytest.mark.parametrize(
    ("globs", "path", "fits"),
    [
        (("packages/*",), "packages/a", True),
        (("packages/*",), "packages/a/b", False),
        (("packages/**",), "packages/a/b", True),
        (("./packages/*/",), "packages/a", True),
        (("{apps,libs}/*",), "libs/x", True),
        (("src/*.{ts,tsx}",), "src/a.tsx", True),
        (("src/*.{ts,tsx}",), "src/a.js", False),
        (("src/@(a|b).ts",), "src/b.ts", True),
        (("packages/*", "!packages/b"), "packages/b", False),
        (("src/[id]/*.ts",), "src/i/x.ts", True),
        (("../up/*",), "up/a", False),
        (("{a,{b,c}}",), "c", True),
        (("{1..3}.ts",), "2.ts", True),
        (("",), "a", False),
    ],
)
def test_globs_of_tools(globs: tuple[str, ...], path: str, fits: bool) -> None:
    assert glob_matcher(globs, "")(path) is fits


def test_many_braces_do_not_explode() -> None:
    before = time.process_time()
    glob_matcher(("{a,b}" * 40,), "")("x")
    glob_matcher(("**/*" * 40,), "")("x/" * 200)
    assert time.process_time() - before < 2
