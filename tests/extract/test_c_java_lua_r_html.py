"""C, C++, Java, Lua, R and HTML: complexity counted by hand, renamed copies, command lines, and what holds for any bytes."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.extract.codec import decode_extraction
from ce.extract.extractor import extract
from ce.extract.languages import language_spec
from ce.extract.languages.html import text_blocks
from ce.extract.measures.tokens import token_stream
from ce.extract.parsing import Parsed, parse
from ce.extract.resolve import resolve
from ce.extract.resolve.c_family.commands import Chain, chain_of, split_posix, split_windows, words_of
from ce.facts.records import Extraction, TreeInputs
from tests.fakes.whole_extraction import whole_extraction

# Suffix, what it shows, source of a function `f`, cyclomatic, cognitive, nesting.
CASES = (
    ("c", "an else-if chain is flat", "void f() { if (a) {} else if (b) {} else {} }", 3, 3, 1),
    ("c", "an if below an else is nested", "void f() { if (a) {} else { if (b) {} } }", 3, 4, 2),
    ("c", "a switch pays once, default is a case", "void f() { switch (a) { case 1: case 2: break; default: if (b) {} } }", 5, 3, 2),
    ("c", "loops nest", "void f() { for (;;) { while (a) { do {} while (b); } } }", 4, 6, 3),
    ("c", "a conditional in a condition", "void f() { if (a ? b : c) {} }", 3, 2, 1),
    ("c", "runs of operators", "int f() { return a && b || c; }", 3, 2, 0),
    ("c", "goto pays", "void f() { goto end; end: ; }", 1, 1, 0),
    ("c", "what stands behind a directive", "void f() {\n#if A && B\n if (a) {}\n#endif\n}", 2, 1, 1),
    ("c", "recursion", "int f() { return f(); }", 1, 1, 0),
    ("c", "a pointer is returned", "static char **f(int a) { return a ? 0 : 0; }", 2, 1, 1),
    ("cpp", "catch pays, try does not", "void f() { try { if (a) {} } catch (...) { if (b) {} } }", 4, 4, 2),
    ("cpp", "a loop over a range", "void f() { for (auto a : b) if (c) {} }", 3, 3, 2),
    ("cpp", "words are operators", "bool f() { return a and b or c; }", 3, 2, 0),
    ("cpp", "a lambda nests for nothing", "void f() { auto g = [] { if (a) {} }; }", 2, 2, 2),
    ("cpp", "recursion through the object", "struct A { void f() { this->f(); } };", 1, 1, 0),
    ("cpp", "recursion through the object outside of the class", "void A::f() { this->f(); }", 1, 1, 0),
    ("java", "an else-if chain is flat", "class A { void f() { if (a) {} else if (b) {} else {} } }", 3, 3, 1),
    ("java", "an if below an else is nested", "class A { void f() { if (a) {} else { if (b) {} } } }", 3, 4, 2),
    ("java", "a switch pays once", "class A { void f() { switch (a) { case 1: break; default: } } }", 3, 1, 1),
    ("java", "loops nest", "class A { void f() { for (;;) { for (int b : c) { while (d) { do {} while (e); } } } } }", 5, 10, 4),
    ("java", "catch pays", "class A { void f() { try { } catch (E e) { if (a) {} } finally { } } }", 3, 3, 2),
    ("java", "a labelled jump pays", "class A { void f() { x: for (;;) { break x; } } }", 2, 2, 1),
    ("java", "a plain jump does not", "class A { void f() { for (;;) { break; } } }", 2, 1, 1),
    ("java", "a lambda nests for nothing", "class A { void f() { g(() -> { if (a) {} }); } }", 2, 2, 2),
    ("java", "recursion through the object", "class A { void f() { this.f(); } }", 1, 1, 0),
    ("java", "a method of another object", "class A { void f() { x.f(); } }", 1, 0, 0),
    ("lua", "an elseif chain is flat", "function f() if a then elseif b then else end end", 3, 3, 1),
    ("lua", "loops nest", "function f() for i = 1, 2 do while a do repeat until b end end end", 4, 6, 3),
    ("lua", "runs of operators", "function f() return a and b or c end", 3, 2, 0),
    ("lua", "goto pays", "function f() goto x ::x:: end", 1, 1, 0),
    ("lua", "what stands in a nested function is its own", "function f() return function() if a then end end end", 1, 0, 0),
    ("lua", "recursion", "function f() return f() end", 1, 1, 0),
    ("lua", "recursion through the object", "function M:f() return self:f() end", 1, 1, 0),
    ("lua", "a bare name is no method", "function M:f() return f() end", 1, 0, 0),
    ("R", "an else-if chain is flat", "f <- function(a) { if (a) 1 else if (b) 2 else 3 }", 3, 3, 1),
    ("R", "loops nest", "f <- function(a) { for (i in a) { while (b) { repeat { break } } } }", 4, 6, 3),
    ("R", "runs of operators", "f <- function(a) a && b || c", 3, 2, 0),
    ("R", "operators of vectors", "f <- function(a) a & b | c", 1, 0, 0),
    ("R", "recursion", "f <- function(a) f(a - 1)", 1, 1, 0),
)


@pytest.mark.parametrize(
    ("suffix", "source", "cyclomatic", "cognitive", "nesting"),
    [(case[0], *case[2:]) for case in CASES],
    ids=[f"{case[0]}: {case[1]}" for case in CASES],
)
def test_functions_have_the_numbers_counted_by_hand(suffix: str, source: str, cyclomatic: int, cognitive: int, nesting: int) -> None:
    extraction = told(suffix, source)
    unit = next(unit for unit in extraction.units if unit.name == "f")
    assert (unit.cyclomatic, unit.cognitive, unit.nesting) == (cyclomatic, cognitive, nesting)
    assert extraction.problems == ()


COPIES = {
    "c": (
        'static int f(struct s *a) { char *x = "abc\\n%d"; char y = \'c\'; unsigned z = 0x1fUL; return g(x, 1, 2.0f, L"w", a->b[3]); }',
        'static int h(struct t *b) { char *p = ""; char q = \'\\n\'; unsigned r = 7; return k(p, 0x2, .5, L"", b->c[4]); }',
    ),
    "cpp": (
        'auto f(const S &a) -> int { auto x = "abc\\n"; auto y = R"(raw)"; auto z = \'c\'; return g<T>(x, 1, 2.0, true, 12_km, a.b); }',
        'auto h(const U &b) -> int { auto p = ""; auto q = R"x(other)x"; auto r = \'\\t\'; return k<V>(p, 0x3, 1e5, true, 7_m, b.c); }',
    ),
    "java": (
        'class A { int f(String a) { String x = "abc\\n" + 1; '
        'char y = \'c\'; double z = 2.0; String t = """\n  text\n  """; return g(x, y, 0x1L, true); } }',
        'class B { int h(Number b) { String p = "" + 7; '
        'char q = \'\\n\'; double r = 1e3; String u = """\n  other\n  """; return k(p, q, 5L, true); } }',
    ),
    "lua": (
        "local function f(a) local x = \"abc\\n\"; local y = 'c'; local z = [[long\nx]]; return g(x, 1, 2.0, true, a.b) end",
        "local function h(b) local p = \"\"; local q = '\\t'; local r = [[\n]]; return k(p, 0x3, 1e5, true, b.c) end",
    ),
    "r": (
        "f <- function(a) { x <- \"abc\\n\"; y <- 'c'; z <- 1L; g(x, 2.0, TRUE, a$b) }",
        "h <- function(b) { p <- \"\"; q <- '\\t'; r <- 7L; k(p, 1e5, TRUE, b$c) }",
    ),
}


@pytest.mark.parametrize("language", COPIES)
def test_a_copy_with_other_names_and_literals_has_the_same_tokens(language: str) -> None:
    first, second = (list(token_stream(parsed(language, source)).codes) for source in COPIES[language])
    assert first == second
    assert len(first) > 20


@pytest.mark.parametrize(
    ("language", "source"),
    [("c", "#include <a.h>\n"), ("cpp", '#include "a.h"\n'), ("java", "package a.b;\nimport a.b.C;\nimport static a.B.*;\n")],
)
def test_the_tokens_of_imports_are_told(language: str, source: str) -> None:
    stream = token_stream(parsed(language, source))
    assert len(stream)
    assert bool(stream.imports.all())


def test_text_belongs_to_the_innermost_block_around_it() -> None:
    page = """<title>T &amp; U</title><p>one <b>two</b>
three <code>code</code>
<p>four<ul><li>five<ul><li>six</ul><li>seven <p>eight</p> nine</ul><script>no</script><textarea>no</textarea>
<table><tr><td>a<td>b</table><div>no block</div>"""
    found = [
        [(line, " ".join(text.split())) for line, text in block]
        for block in text_blocks(Parsed("a", language_spec("html"), page.encode(), None))
    ]
    assert found == [
        [(1, "T & U")], [(1, "one two"), (2, "three")], [(3, "four")], [(3, "five")], [(3, "six")], [(3, "seven nine")], [(3, "eight")],
        [(4, "a")], [(4, "b")],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("cc -Ia  b.c", ["cc", "-Ia", "b.c"]),
        ("cc \"-Ia b\" '-Ic d' -Ie\\ f", ["cc", "-Ia b", "-Ic d", "-Ie f"]),
        ('cc -DX=\\"a\\" "-DY=\\"b\\"" \'-DZ="c"\'', ["cc", '-DX="a"', '-DY="b"', '-DZ="c"']),
        ('cc "" x', ["cc", "", "x"]),
        ('cc "open', ["cc", "open"]),
        ("", []),
    ],
)
def test_commands_are_split_as_clang_splits_them(command: str, words: list[str]) -> None:
    assert split_posix(command) == words


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("cl.exe /IC:\\a\\b c.cpp", ["cl.exe", "/IC:\\a\\b", "c.cpp"]),
        ('"C:\\Program Files\\cl.exe" "/IC:\\a b\\\\" x', ["C:\\Program Files\\cl.exe", "/IC:\\a b\\", "x"]),
        ('cl /DX=\\"a\\" "a""b"', ["cl", '/DX="a"', 'a"b']),
        ("cl 'a b'", ["cl", "'a", "b'"]),
    ],
)
def test_commands_of_windows_keep_backslashes(command: str, words: list[str]) -> None:
    assert split_windows(command) == words


@pytest.mark.parametrize(
    ("words", "chain"),
    [
        (["-Ia", "-I", "b", "-iquote", "q", "-isystem", "s", "-idirafter", "z", "-isystemt"], Chain(("q",), ("a", "b", "s", "t", "z"))),
        (["-idirafter", "z", "-isystem", "s", "-Ia"], Chain((), ("a", "s", "z"))),
        (["-Ia", "-I-", "-Ib"], Chain(("a",), ("b",), no_own=True)),
        (["-include", "x.h", "-include-pch", "p", "-I", "a"], Chain((), ("a",), forced=("x.h",))),
        (["-F", "f", "-Ia", "-iframework", "g"], Chain((), ("f", "a", "g"), frozenset({"f", "g"}))),
        (["-I"], Chain()),
    ],
)
def test_directories_are_searched_by_class_then_by_place(words: list[str], chain: Chain) -> None:
    assert chain_of(["cc", *words], windows=False) == chain


def test_a_response_file_that_names_itself_is_read_a_bounded_number_of_times() -> None:
    assert words_of(["cc", "@x"], lambda name: "-Ia @x", windows=False).count("-Ia") == 16


PIECES = st.sampled_from(
    (
        '#include "a.h"\n', "#include <b>\n", "#include M\n", '#define M "a.h"\n', "#define F(x) x\\\n y\n", "#if X\n", "#else\n",
        "#endif\n", "int f(void) {", "}", "static int a = 1, *b;\n", "typedef int (*g)(int);\n", "class A : public B {", "private:\n",
        "};\n", "A::f() {", "namespace {", "template <typename T> ", 'R"x(', ')x"', "package a.b;\n", "import a.b.C;\n",
        "import static a.b.*;\n", "@X(y = 1) ", "public class C<T> extends D.E<F> implements G {", "void m(int a, H... b) {",
        'Class.forName("a." + b);', "I.j();", "K::new", "record P(int a) {", "local M = {}\n", 'require("a.b")', "require 'x'",
        "pcall(require, y)", "function M:f(a, ...)", " end\n", "[[", "]]", 'package.path = "./?.lua;" .. package.path\n', "local ",
        "if a then ", "elseif ", "library(a)\n", 'source("x.R")\n', "f <- function(x, ...) ", "#' @export\n", "a::b", "paste0('a', b)",
        "%op%", '<a href="', "x.html#y", '">', "<img srcset='a 1x, b'>", "<base href=/x/>", "<p id=q>", "<script type=module>",
        'import "./a.js";', "</script>", "<!--", "-->", "<link rel=canonical href=https://h/a/>", "{{ x }}", "<li>", "</ul>", "<!", "<?",
        "&#x41;", "\r\n", "\t", "é", "\ud7ff", "\x00", "(", ")", '"', "'", "\\", "=", ",", ";", "{", "\x0c",
    )
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(
    suffix=st.sampled_from(["c", "h", "cc", "java", "lua", "R", "html"]),
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
    names = (
        "compile_commands.json", "src/compile_flags.txt", "CMakeLists.txt", "Makefile", "meson.build", "pom.xml", "build.gradle",
        "a.rockspec", "DESCRIPTION", "NAMESPACE", "META-INF/services/a.B",
    )  # fmt: skip
    found = resolve(TreeInputs({path: extraction.lang}, manifests=dict.fromkeys(names, data)), {path: extraction})
    assert {outcome.site for outcome in found.outcomes} == set(range(len(extraction.sites)))


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=9),
        lambda below: (
            st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(["directory", "file", "command", "arguments"]), below, max_size=4)
        ),
    )
)
def test_any_compile_database_is_read(document: object) -> None:
    import json

    extraction = told("c", '#include "b.h"\n')
    manifests = {"compile_commands.json": json.dumps([{"directory": "/x", "file": "/x/a.c"}, document]).encode()}
    found = resolve(TreeInputs({"a.c": "c"}, manifests=manifests), {"a.c": extraction})
    assert len(found.outcomes) == 1


HEADS = {"c": "int x = ", "cc": "int x = ", "java": "class A { int x = ", "lua": "x = ", "R": "x <- "}


@pytest.mark.parametrize("suffix", HEADS)
@pytest.mark.parametrize("levels", ["({[", "((", "{{", "[["])
def test_a_hundred_thousand_levels_end_in_a_problem_not_in_a_crash(suffix: str, levels: str) -> None:
    assert told(suffix, HEADS[suffix] + levels * (100_000 // len(levels))).problems


@pytest.mark.parametrize("source", ["<div>" * 100_000, "<p>" * 100_000, "<li><ul>" * 50_000, "<div id=a>" * 50_000, "</div>" * 100_000])
def test_a_hundred_thousand_open_elements_are_read(source: str) -> None:
    start = time.process_time()
    told("html", source + '<a href="x.html">')
    list(text_blocks(Parsed("a", language_spec("html"), source.encode(), None)))
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    ("suffix", "source"),
    [
        ("c", '#include "a.h"\n' * 20_000),
        ("c", "#define A 1\n" * 20_000),
        ("c", "int a, b, c;\n" * 10_000),
        ("c", "#if A\n" * 3_000 + "int x;\n" + "#endif\n" * 3_000),
        ("cc", "class A {" + "public: int a() { return 1; }\n" * 10_000 + "};"),
        ("cc", "namespace a {" * 2_000 + "int x;" + "}" * 2_000),
        ("java", "import a.b.C;\n" * 20_000),
        ("java", "class A { " + "B.C<D> e = F.g(h);\n" * 10_000 + "}"),
        ("java", "class A {" * 1_000 + "}" * 1_000),
        ("java", "@A(@B(@C)) " * 5_000 + "class D {}"),
        ("lua", 'require("a.b")\n' * 20_000),
        ("lua", "pcall(require, x)\n" * 10_000 + 'local a = "b." .. "c."\n' * 5_000),
        ("R", "library(a)\n" * 20_000),
        ("R", "source(paste0('a', b))\n" * 10_000),
        ("R", "#' x\n" * 20_000 + "f <- function() 1\n"),
        ("html", '<a href="x.html">y</a>\n' * 20_000),
        ("html", '<img srcset="' + "a 1x, " * 50_000 + '">'),
        ("html", "<script>" * 50_000),
        ("html", "<a x=\"" * 50_000),
        ("html", "<!--" * 100_000),
        ("html", "{{" * 100_000 + '<a href="{{">'),
        ("html", '<a href="' + "{{" * 20_000 + '">'),
        ("html", "<script type=module>" + "import " * 50_000 + "</script>"),
        ("html", "<script type=module>" + "/*" * 50_000 + "</script>"),
    ],
)  # fmt: skip
def test_time_grows_with_the_text_not_with_its_square(suffix: str, source: str) -> None:
    start = time.process_time()
    told(suffix, source)
    assert time.process_time() - start < 20


def test_both_line_ends_and_a_mark_give_the_same_facts() -> None:
    sources = (
        ("c", '#include "a.h"\n#define X 1\nint f(void) { return 1; }\n'),
        ("cc", "class A {\n public:\n  void f() {}\n};\n"),
        ("java", "package a;\nimport b.C;\nclass D { C c; }\n"),
        ("lua", 'require("a")\nlocal function f() end\n'),
        ("R", "#' @export\nf <- function() 1\nlibrary(a)\n"),
        ("html", '<p id="a">x\n<a href="y.html">z</a>\n</p>\n'),
    )
    for suffix, source in sources:
        told_plain = told(suffix, source)
        assert whole_extraction(f"a.{suffix}", source.replace("\n", "\r\n").encode()) == told_plain
        marked = whole_extraction(f"a.{suffix}", b"\xef\xbb\xbf" + source.encode())
        assert (marked.sites, marked.units) == (told_plain.sites, told_plain.units)
        wide = whole_extraction(f"a.{suffix}", source.encode("utf-16"))
        assert (wide.sites, wide.units) == (told_plain.sites, told_plain.units)


def told(suffix: str, source: str) -> Extraction:
    """Return the extraction of a file with that suffix."""
    return whole_extraction(f"a.{suffix}", source.encode())


def parsed(language: str, source: str) -> Parsed:
    """Return the parse of a source."""
    result = parse("a", language_spec(language), source.encode())
    assert isinstance(result, Parsed)
    return result
