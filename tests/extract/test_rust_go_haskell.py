"""Rust, Go and Haskell: complexity counted by hand, renamed copies, and what holds for any bytes and for many of anything."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.extract.codec import decode_extraction
from ce.extract.extractor import extract
from ce.extract.languages import language_spec
from ce.extract.measures.tokens import token_stream
from ce.extract.parsing import Parsed, parse
from ce.extract.resolve import resolve
from ce.facts.records import Extraction, TreeInputs
from tests.fakes.whole_extraction import whole_extraction

# Language, what it shows, source of a function `f`, cyclomatic, cognitive, nesting.
CASES = (
    ("rs", "an else-if chain is flat", "fn f() { if a {} else if b {} else {} }", 3, 3, 1),  # 1 + 1 + 1
    ("rs", "a match pays once, its arms are paths", "fn f(x: u8) { match x { 1 => {}, 2 => if a {}, _ => {} } }", 5, 3, 2),  # 1 + 2
    ("rs", "loops nest", "fn f() { for a in b { while c { loop { break; } } } }", 4, 6, 3),  # 1 + 2 + 3
    ("rs", "a question mark is a path", "fn f() { a?; b()?.c()?; }", 4, 0, 0),
    ("rs", "a let chain is a path", "fn f() { if let Some(x) = y && z {} }", 3, 2, 1),
    ("rs", "runs of operators", "fn f() -> bool { a && b || c }", 3, 2, 0),
    ("rs", "a labelled jump pays", "fn f() { 'l: loop { break 'l; } }", 2, 2, 1),
    ("rs", "a closure counts for itself", "fn f() { let g = |x| if x { 1 } else { 2 }; if a {} }", 2, 1, 1),
    ("rs", "recursion", "fn f() { f() }", 1, 1, 0),
    ("rs", "recursion through the type", "struct A; impl A { fn f() { Self::f() } }", 1, 1, 0),
    ("rs", "recursion through the object", "struct A; impl A { fn f(&self) { self.f() } }", 1, 1, 0),
    ("rs", "a function in the braces of a macro", "cfg_x! { fn f() { if a {} } }", 2, 1, 1),
    ("go", "an else-if chain is flat", "func f() { if a { } else if b { } else { } }", 3, 3, 1),
    ("go", "an if below an else is nested", "func f() { if a { } else { if b { } } }", 3, 4, 2),  # 1 + 1 + 2
    ("go", "a switch pays once, its cases are paths", "func f() { switch x { case 1: a(); case 2: if b {}; default: } }", 4, 3, 2),
    ("go", "a switch over types", "func f() { switch x.(type) { case int: default: } }", 2, 1, 1),
    ("go", "a select", "func f() { select { case <-c: default: } }", 2, 1, 1),
    ("go", "loops nest", "func f() { for i := range x { for { } } }", 3, 3, 2),
    ("go", "runs of operators", "func f() bool { return a && b || c }", 3, 2, 0),
    ("go", "a labelled jump pays", "func f() { L: for { break L } }", 2, 2, 1),
    ("go", "goto pays", "func f() { goto L }", 1, 1, 0),
    ("go", "a function literal nests for nothing", "func f() { g(func() { if a {} }) }", 2, 2, 2),
    ("go", "recursion", "func f() { f() }", 1, 1, 0),
    ("go", "recursion through the receiver", "func (t *T) f() { t.f() }", 1, 1, 0),
    ("go", "methods that call each other", "func (t *T) f() { t.g() }\nfunc (u T) g() { u.f() }", 1, 1, 0),
    ("go", "a method of a field", "func (t *T) f() { t.x.f() }", 1, 0, 0),
    ("hs", "a conditional", "f x = if a then b else c", 2, 1, 1),
    ("hs", "a case pays once, its alternatives are paths", "f x = case x of { 1 -> 2; _ -> 3 }", 3, 1, 1),
    ("hs", "a conditional in a case is nested", "f x = case x of { 1 -> if a then b else c; _ -> 3 }", 4, 3, 2),
    ("hs", "guards are flat", "f x | x > 1 = 1\n    | otherwise = 2\n", 3, 2, 0),
    ("hs", "a case of a lambda", "f = \\case { 1 -> 2; _ -> if a then b else c }", 4, 2, 2),
    ("hs", "generators and guards of a comprehension", "f x = [a | a <- x, b]", 3, 0, 0),
    ("hs", "recursion", "f x = f (x - 1)", 1, 1, 0),
    ("hs", "recursion over equations pays where the call is", "f x = f (x - 1)\nf 0 = 1", 1, 1, 0),
    ("hs", "what stands in a local function is its own", "f x = g x where g y = if a then b else c", 1, 0, 0),
)


@pytest.mark.parametrize(
    ("suffix", "source", "cyclomatic", "cognitive", "nesting"),
    [(case[0], *case[2:]) for case in CASES],
    ids=[f"{case[0]}: {case[1]}" for case in CASES],
)
def test_functions_have_the_numbers_counted_by_hand(suffix: str, source: str, cyclomatic: int, cognitive: int, nesting: int) -> None:
    extraction = told(suffix, ("package p\n" if suffix == "go" else "") + source)
    unit = next(unit for unit in extraction.units if unit.name == "f")
    assert (unit.cyclomatic, unit.cognitive, unit.nesting) == (cyclomatic, cognitive, nesting)
    assert extraction.problems == ()


COPIES = {
    "rust": (
        "fn f(a: u8) -> S { let x = \"abc\\n\"; let y = r#\"q\"#; let z = b'c'; g(x, 1, 2.0, true, 'l'); vec![1, 2] }",
        "fn h(b: u8) -> T { let p = \"\"; let q = r\"other\"; let r = b'd'; k(p, 0x1, 7.5, true, '\\n'); vec![9, 0xff] }",
    ),
    "go": (
        "package p\nfunc f(a int) S { x := \"abc\\n\"; y := `raw\nx`; z := 'c'; g(x, 1, 2.0, 3i); return x }",
        "package q\nfunc h(b int) T { p := \"\"; q := ``; r := '\\n'; k(p, 0x2, .5, 1i); return p }",
    ),
    "haskell": (
        "f :: Int -> String\nf x = let y = \"abc\\n\" in g y 1 2.0 'c' (k x) [1, 2]\n",
        "h :: Bool -> Text\nh p = let q = \"\" in l q 7 3.5 '\\n' (m p) [3, 4]\n",
    ),
}


@pytest.mark.parametrize("language", COPIES)
def test_a_copy_with_other_names_and_literals_has_the_same_tokens(language: str) -> None:
    first, second = (parsed(language, source) for source in COPIES[language])
    assert list(token_stream(first).codes) == list(token_stream(second).codes)


PIECES = st.sampled_from(
    (
        "mod a;\n", "mod b {", "}", "use a::{b, c as d};\n", '#[path = "x.rs"]\n', "cfg! { mod x; fn f() {} }\n", 'include!("a");',
        "fn f(&self) { self.f()?; }\n", "impl A for B {", "macro_rules! m { () => { mod $x; } }\n", 'r#"', "'l: loop {",
        "extern crate a;\n", "package p\n", 'import (\n"a"\n)\n', "//go:embed a*\n", "//go:build ignore\n", "func (t *T) F(a, b int) {",
        "const (\nA, b = 1, 2\n)\n", "var _ = `", "select {", "type T struct {", "module A.B (x, (+), module C) where\n",
        'import "p" qualified A.B as C hiding (d)\n', "#if X\n", "#else\nimport D\n", "#endif\n", 'f x | x > 1 = $(embedFile "a")\n',
        "[q|", "|]", "{-", "-}", "  where\n", "instance C T where\n", "data T = A | B\n", "\r\n", "\t", "é", "\ud7ff", "(", ")", '"',
        "\\", "=", "::", ",", "ce:allow(x) -- y\n", "\x0c",
    )
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    suffix=st.sampled_from(["rs", "go", "hs"]),
    data=st.one_of(st.binary(max_size=300), st.lists(PIECES, max_size=40).map(lambda parts: "".join(parts).encode("utf-8", "replace"))),
)
def test_any_bytes_are_measured_read_back_and_resolved(suffix: str, data: bytes) -> None:
    path = f"src/a.{suffix}"
    blobs = extract(path, data, ("core", "tokens", "prose"))
    assert blobs == extract(path, data, ("core", "tokens", "prose"))
    extraction = decode_extraction(blobs["core"])
    for unit in extraction.units:
        assert 1 <= unit.start <= unit.end <= max(extraction.lines, 1)
    for site in extraction.sites:
        assert 1 <= site.line <= max(extraction.lines, 1)
    manifests = {"Cargo.toml": data, "go.mod": data, "go.work": data, "a.cabal": data, "package.yaml": data}
    found = resolve(TreeInputs({path: extraction.lang}, manifests=manifests), {path: extraction})
    assert {outcome.site for outcome in found.outcomes} == set(range(len(extraction.sites)))


@pytest.mark.parametrize("suffix", ["rs", "go", "hs"])
@pytest.mark.parametrize("levels", ["({[", "((", "{{", "[["])
def test_a_hundred_thousand_levels_end_in_a_problem_not_in_a_crash(suffix: str, levels: str) -> None:
    head = {"rs": "fn f() { x", "go": "package p\nvar x = ", "hs": "x = "}[suffix]
    assert told(suffix, head + levels * (100_000 // len(levels))).problems


@pytest.mark.parametrize(
    ("suffix", "source"),
    [
        ("rs", "use a::b;\n" * 20_000),
        ("rs", "use a::{" + "b," * 50_000 + "};"),
        ("rs", "cfg! { mod a; !!! }\n" * 10_000),
        ("rs", "cfg! {" * 2_000 + "mod a;" + "}" * 2_000),
        ("rs", 'const A: &str = include_str!("a");\n' * 10_000),
        ("rs", "#[a]\n" * 50_000 + "fn f() {}"),
        ("go", 'package p\nimport (\n' + '"a/b"\n' * 20_000 + ")"),
        ("go", "package p\n" + "//go:embed a b c\n" * 10_000 + "var x int"),
        ("go", "package p\nconst (\n" + "A, B, C = 1, 2, 3\n" * 10_000 + ")"),
        ("hs", "module A where\n" + "import A.B (c, d)\n" * 10_000),
        ("hs", "module A where\n" + "#if 1\nimport A\n#else\nimport B\n#endif\n" * 3_000),
        ("hs", "f 0 = f 1\n" * 10_000),
        ("hs", "import A (\n" * 10_000),
        ("hs", "x = $(a)\n" * 10_000),
    ],
)  # fmt: skip
def test_time_grows_with_the_text_not_with_its_square(suffix: str, source: str) -> None:
    start = time.process_time()
    told(suffix, source)
    assert time.process_time() - start < 20


def test_both_line_ends_and_a_mark_give_the_same_facts() -> None:
    for suffix, source in (("rs", "mod a;\nfn f() {}\n"), ("go", 'package p\n\nimport "a"\n'), ("hs", "module A where\nimport B\n")):
        told_plain = told(suffix, source)
        assert whole_extraction(f"a.{suffix}", source.replace("\n", "\r\n").encode()) == told_plain
        marked = whole_extraction(f"a.{suffix}", b"\xef\xbb\xbf" + source.encode())
        assert (marked.sites, marked.units) == (told_plain.sites, told_plain.units)


def told(suffix: str, source: str) -> Extraction:
    """Return the extraction of a file with that suffix."""
    return whole_extraction(f"a.{suffix}", source.encode())


def parsed(language: str, source: str) -> Parsed:
    """Return the parse of a source."""
    result = parse("a", language_spec(language), source.encode())
    assert isinstance(result, Parsed)
    return result


SEGMENTS = st.sampled_from(["crate", "self", "super", "m0", "m1", "m2", "x", "y", "std", "app", ""])
USES = st.tuples(st.booleans(), st.lists(SEGMENTS, min_size=1, max_size=4), st.sampled_from(["", "::*", " as x", " as m0", "::{self, y}"]))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(USES, max_size=5), min_size=3, max_size=3), st.booleans())
def test_uses_in_any_circle_end_in_one_status(files: list[list[tuple[bool, list[str], str]]], is_old: bool) -> None:
    sources = {"src/lib.rs": "mod m0; mod m1; mod m2; pub struct x;"}
    for number, uses in enumerate(files):
        lines = [f"{'pub ' if public else ''}use {'::'.join(path)}{end};" for public, path, end in uses]
        sources[f"src/m{number}.rs"] = "\n".join([*lines, "mod inner { use super::*; pub use super::x; }"])
    extractions = {path: decode_extraction(extract(path, text.encode())["core"]) for path, text in sources.items()}
    manifest = f'[package]\nname = "app"\nedition = "{2015 if is_old else 2021}"\n'
    inputs = TreeInputs(dict.fromkeys(sources, "rust"), manifests={"Cargo.toml": manifest.encode()})
    found = resolve(inputs, extractions)
    assert found == resolve(inputs, dict(reversed(extractions.items())))
    statuses: dict[tuple[str, int], set[str]] = {}
    for outcome in found.outcomes:
        statuses.setdefault((outcome.path, outcome.site), set()).add(outcome.status)
        assert not outcome.target or outcome.target in sources
    assert set(map(len, statuses.values())) == {1}
    assert set(statuses) == {(path, index) for path, extraction in extractions.items() for index in range(len(extraction.sites))}


def test_a_long_chain_of_reexports_leads_to_the_definition() -> None:
    sources = {"src/lib.rs": "".join(f"mod m{number};" for number in range(9)) + "use m0::Thing;"}
    sources |= {f"src/m{number}.rs": f"pub use crate::m{number + 1}::Thing;" for number in range(8)}
    sources["src/m8.rs"] = "pub struct Thing;"
    extractions = {path: decode_extraction(extract(path, text.encode())["core"]) for path, text in sources.items()}
    inputs = TreeInputs(dict.fromkeys(sources, "rust"), manifests={"Cargo.toml": b'[package]\nname = "app"\nedition = "2021"\n'})
    targets = {edge.target for edge in resolve(inputs, extractions).edges if edge.source == "src/lib.rs"}
    assert {"src/m0.rs", "src/m8.rs"} <= targets
