"""Same bytes, same layers: a parse gives nodes at other addresses each time, and queries give them in an order that follows these."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import pytest

from ce.extract.extractor import extract
from ce.extract.languages import LANGUAGES, language_spec
from ce.extract.layers import LAYERS
from ce.extract.parsing import Parsed, SkippedParse, parse
from ce.extract.registry import language_of

ROOT = Path(__file__).parents[2]
TREES = ("fixtures/extract", "fixtures/flow", "fixtures/names")
MAX_BYTES = 20_000
MAX_FILES = 30  # of one language
TIMES = 3
DIGESTS = "import json; from tests.extract.test_same_bytes import digests; print(json.dumps(digests()))"

# Nodes of equal extent beside one another, missing ones, and one in another.
TIES: dict[str, tuple[str, ...]] = {
    "c": ("int f(;\nint (g)(;\n", "#define A(x) x\nstruct { int a, *a; } b, (*b)(void);\n"),
    "cpp": ("class A { public: private: public: int a; };\n", "namespace a::b { template<> int f(; }\n"),
    "go": ("package a\nimport (\n. \nfunc (a A) b( {}\n",),
    "haskell": ("module A where\nf x = (\ng y = ]\nimport \n", "f = \n where\n  g = \n"),
    "html": ("<a href=><a id= id=><script src=><!--\n", "<p id=a name=a><a name=a href=#a>\n"),
    "java": (
        "class A extends { @B( int a, a; void f( }\n",
        "package a; package b; package ; import a.*; import ; class A<A> { A A(A a) { return A.A; } }\n",
    ),
    "javascript": ("import {a as } from 'a'; export {, } ; a.b(\n", "((((a))))(b)(c)(d); x = y = z = `a.b`\n"),
    "lua": ("local a <const>, b = require '', require(\n", "function a.b:c( end return\n"),
    "python": ("from . import (\nimport \nfrom a import (b as , c\n", "@a\n@a\ndef f(: lambda: lambda: 0 or (1 and\n", "((('a.b')))\n"),
    "r": ("library(\nf <- function(x) function( {\n", "a <- b <<- c = d -> e\n"),
    "rust": ("use {a::{self, self as b}, };\nmod ;\nfn f(\n", "impl A for { fn f<>( }\n"),
    "tsx": ("<a><b/><></></a>; <A.B c={d}\n",),
    "typescript": ("import type {, type a} from ; enum { }\n", "class A { @a @b() c( } declare module '' { export = \n"),
}


def files() -> Iterator[tuple[str, str, bytes]]:
    """Yield language, a name and the bytes of each file of the fixtures, and of what is left of it when parts are missing."""
    found: dict[str, dict[bytes, str]] = {}
    for path in sorted(path for tree in TREES for path in (ROOT / tree).rglob("*") if path.is_file()):
        row = language_of(path.name)
        data = path.read_bytes()
        if row is not None and row.language in LANGUAGES and len(data) <= MAX_BYTES:
            found.setdefault(row.language, {}).setdefault(data, path.name)
    for language, named in found.items():
        largest = sorted(named.items(), key=lambda one: (-len(one[0]), one[0]))[:MAX_FILES]
        for data, name in largest:
            for part in mutilated(data):
                yield language, name, part
    suffixes = {"c": "c", "cpp": "cpp", "go": "go", "haskell": "hs", "javascript": "js", "python": "py", "rust": "rs", "typescript": "ts"}
    for language, texts in TIES.items():
        for text in texts:
            yield language, f"tie.{suffixes.get(language, language)}", text.encode()


def mutilated(data: bytes) -> tuple[bytes, ...]:
    """Return the file, its first part, the file without its middle, and with brackets that nothing closes."""
    third = len(data) // 3
    return data, data[: 2 * third + 1], data[:third] + data[third + third // 2 :], data[:third] + b"({[<'" + data[third:]


def digests() -> dict[str, str]:
    """Return a digest per language and layer."""
    states = {(language, layer): blake2b(digest_size=16) for language in LANGUAGES for layer in LAYERS}
    for language, name, data in files():
        for layer, blob in extract(name, data, tuple(LAYERS)).items():
            states[language, layer].update(b"%d:%b" % (len(blob), blob))
    return {f"{language} {layer}": state.hexdigest() for (language, layer), state in states.items()}


@pytest.fixture(scope="module")
def by_language() -> dict[str, list[tuple[str, bytes]]]:
    found: dict[str, list[tuple[str, bytes]]] = {}
    for language, name, data in files():
        found.setdefault(language, []).append((name, data))
    return found


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_each_parse_of_a_file_gives_the_same_layers(language: str, by_language: dict[str, list[tuple[str, bytes]]]) -> None:
    spec = language_spec(language)
    for name, data in by_language[language]:
        kept: list[Parsed | SkippedParse] = []  # what is alive keeps its addresses
        first = extract(name, data, tuple(LAYERS))
        for _ in range(TIMES - 1):
            kept.append(parse(name, spec, data))
            again = extract(name, data, tuple(LAYERS))
            differing = [layer for layer in first if again.get(layer) != first[layer]]
            assert again.keys() == first.keys() and not differing, f"{name}: {differing}\n{data.decode('utf-8', 'replace')}"


def test_every_language_with_a_grammar_is_tried(by_language: dict[str, list[tuple[str, bytes]]]) -> None:
    assert by_language.keys() == set(LANGUAGES)
    assert all(len(found) >= 4 for found in by_language.values())


def test_the_layers_do_not_depend_on_the_hash_seed() -> None:
    answers = [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", DIGESTS], cwd=ROOT, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True, text=True
            ).stdout
        )
        for seed in ("1", "2")
    ]
    assert answers[0] == answers[1]
