"""What holds for any bytes: no failure, one answer, lines of an editor, bounds that are said."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.extract import parsing
from ce.extract.bodies import with_bodies
from ce.extract.codec import decode_extraction
from ce.extract.extractor import extract
from ce.extract.languages import LANGUAGES, language_spec
from ce.extract.layers import LAYERS
from ce.extract.measures.mentions import MAX_TOKENS, decode_mentions, mentioned_names
from ce.facts.records import Extraction
from tests.fakes.whole_extraction import whole_extraction

PATHS = ("a.py", "pkg/__init__.py", "README.md", "notes.txt", "a.ts", "a.css", "noext", "odd.PY")
PIECES = st.sampled_from(
    (
        "import a.b as c\n", "from . import x, y as z\n", "__all__ = ['a']\n", "def f(a, *, b): return g(a and b or c)\n", "if x:\n    ",
        "else:\n  y\n", "class A(B): pass\n", "f'{a}.b'", "'a.b.c'", "(", ")", "[", "](", "```\n", "# Title\n", "[a]: b\n", "<!--", "-->",
        "`", "\\", "\r\n", "\t", "é", "\ud7ff", "ce:allow(x) -- y\n", "import_module(f'a.{b}')\n", "match x:\n  case 1: pass\n", "lambda: ",
        "\x00", "=", "while 1: ", ":\n",
    )
)  # fmt: skip


def told(path: str, source: str | bytes) -> Extraction:
    data = source if isinstance(source, bytes) else source.encode()
    return whole_extraction(path, data)


@settings(max_examples=150, deadline=None)
@given(
    path=st.sampled_from(PATHS),
    data=st.one_of(st.binary(max_size=400), st.lists(PIECES, max_size=40).map(lambda parts: "".join(parts).encode())),
)
def test_any_bytes_are_measured_and_read_back(path: str, data: bytes) -> None:
    blobs = extract(path, data, ("core", "mentions"))
    assert blobs == extract(path, data, ("core", "mentions"))
    if "core" in blobs:
        extraction = decode_extraction(blobs["core"])
        for unit in extraction.units:
            assert 1 <= unit.start <= unit.end <= max(extraction.lines, 1)
        for site in extraction.sites:
            assert 1 <= site.line <= max(extraction.lines, 1)
    decode_mentions(blobs["mentions"])


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300))
def test_bytes_that_are_no_extraction_are_refused_with_a_value_error(data: bytes) -> None:
    for decode in (decode_extraction, decode_mentions):
        try:
            decode(data)
        except ValueError:
            continue


@given(st.data())
def test_an_extraction_with_one_value_of_another_type_is_refused(data: st.DataObject) -> None:
    document = json.loads(extract("a.py", b"import a.b\n__all__ = ['f']\ndef f(x): g(x)\neval(x)\ny = 'a.b'\n")["core"])
    places = list(leaves(document))
    holder, key = data.draw(st.sampled_from(places))
    is_free = holder is document[-1]  # `extra` may hold any JSON
    holder[key] = {"odd": []} if not isinstance(holder[key], dict) else 7  # type: ignore[index]  # the key fits the holder
    if not is_free:
        with pytest.raises(ValueError):
            decode_extraction(json.dumps(document).encode())


def leaves(value: object) -> list[tuple[list[object] | dict[str, object], int | str]]:
    """Return every place in a JSON document that holds something: the container and the key."""
    found: list[tuple[list[object] | dict[str, object], int | str]] = []
    stack = [value]
    while stack:
        at = stack.pop()
        if isinstance(at, list):
            found += [(at, index) for index in range(len(at))]
            stack += at
        elif isinstance(at, dict):
            found += [(at, key) for key in at]
            stack += at.values()
    return found


def test_bodies_are_those_of_the_units_of_their_file() -> None:
    data = b"def f(x):\n  return g(x) if x else f(1)\nclass A: b = c()\n"
    blobs = extract("a.py", data, ("core", "bodies"))
    apart = {**extract("a.py", data, ("core",)), **extract("a.py", data, ("bodies",))}
    assert apart == blobs
    extraction = decode_extraction(blobs["core"])
    function, holder = with_bodies(extraction, blobs["bodies"]).units
    assert (function.cyclomatic, function.cognitive, function.calls) == (2, 2, (("g", 2), ("f", 2)))
    assert (holder.cyclomatic, holder.calls) == (-1, (("c", 3),))
    assert extraction.units[0].cyclomatic == -1 and extraction.units[0].calls == ()
    with pytest.raises(ValueError, match="other units"):
        with_bodies(extraction, extract("a.py", b"def f(): pass\n", ("bodies",))["bodies"])


@given(st.data())
def test_bodies_with_one_value_of_another_type_are_refused(data: st.DataObject) -> None:
    blobs = extract("a.py", b"def f(x): g(x)\nclass A: b = c(1)\n", ("core", "bodies"))
    document = json.loads(blobs["bodies"])
    holder, key = data.draw(st.sampled_from(list(leaves(document))))
    holder[key] = "odd"  # type: ignore[index]  # the key fits the holder
    with pytest.raises(ValueError):
        with_bodies(decode_extraction(blobs["core"]), json.dumps(document).encode())


def test_a_unit_whose_parent_does_not_exist_is_refused() -> None:
    document = json.loads(extract("a.py", b"class A:\n  def f(self): pass\n")["core"])
    document[3][1][6] = 5
    with pytest.raises(ValueError, match="does not exist"):
        decode_extraction(json.dumps(document).encode())


def test_numbers_that_no_database_can_hold_are_refused() -> None:
    document = json.loads(extract("a.py", b"def f(): pass\n")["core"])
    document[3][0][3] = 10**30
    with pytest.raises(ValueError, match="number"):
        decode_extraction(json.dumps(document).encode())


def test_the_hash_seed_does_not_matter() -> None:
    program = (
        "from ce.extract.extractor import extract; import sys; sys.stdout.buffer.write(extract('a.py', sys.stdin.buffer.read())['core'])"
    )
    source = Path(__file__).read_bytes()
    answers = {
        subprocess.run([sys.executable, "-c", program], input=source, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("0", "1", "2")
    }
    assert len(answers) == 1


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b"\xef\xbb\xbfimport a\n", ""),
        ("import a\nb = 'é'\n".encode("utf-16"), ""),
        (b"# coding: latin-1\nimport a\nx = '\xe9'\n", ""),
        (b"import a\r\nimport b\r\n", ""),
        (b"import a\rimport b\r", ""),
        (b"import a\nx = '\xff'\n", "latin-1"),
    ],
)
def test_odd_encodings_are_read_and_named(source: bytes, problem: str) -> None:
    extraction = told("a.py", source)
    assert extraction.sites[0].spec == "a"
    assert extraction.sites[0].line == 1 + (b"coding" in source)
    assert any(problem in remark.lower() for remark in extraction.problems) if problem else True


def test_both_line_ends_give_the_same_facts() -> None:
    source = "import a\n\ndef f(x):\n    if x:\n        return g(x)\n\n\n# ce:allow(x) -- why\n"
    assert told("a.py", source) == told("a.py", source.replace("\n", "\r\n"))


def test_a_binary_file_has_sizes_and_a_problem() -> None:
    extraction = told("a.py", bytes(range(256)))
    assert (extraction.units, extraction.lines) == ((), 0)
    assert "binary" in extraction.problems[0]


def test_a_file_over_the_limit_has_sizes_and_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "MAX_PARSE_BYTES", 100)
    extraction = told("a.py", "import a  # ce:allow(deadcode) -- kept\n" * 5)
    assert (extraction.lines, len(extraction.allows), extraction.sites) == (5, 5, ())
    assert "measured by size only" in extraction.problems[0]


def test_a_parse_that_needs_too_many_steps_is_stopped_and_the_next_file_is_not_harmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "_FREE_CALLBACKS", -10_000)
    extraction = told("a.py", "import a\n" * 50)
    assert extraction.problems == ("parsing needs too many steps: measured by size only",)
    monkeypatch.undo()
    assert told("b.py", "import b\n").sites[0].spec == "b"


@pytest.mark.parametrize("path", ["a.c", "a.cpp", "a.js", "a.tsx", "a.java", "a.go", "a.lua"])
def test_comments_that_never_close_are_not_read_to_the_end_again_and_again(path: str) -> None:
    assert told(path, "x /* y\n" * 20_000).problems == ("parsing needs too many steps: measured by size only",)
    assert told(path, "x /* y\n" * 20).problems != ("parsing needs too many steps: measured by size only",)


def test_elements_are_told_from_components_behind_a_parse_that_was_read_to_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "_FREE_CHUNKS", 0)
    extraction = told("a.jsx", "function r() {\n" + "f(<A/>, <b/>, <C/>);\n" * 400 + "}")
    assert extraction.units[0].calls == (("f", 2), ("A", 2), ("C", 2))


@pytest.mark.parametrize(
    "source",
    [
        b"x = " + b"(" * 100_000 + b"1" + b")" * 100_000,
        b"x = " + b"[" * 100_000,
        b"x = " + b"-" * 100_000 + b"1",
        b"x = a" + b" and a" * 100_000,
        b"x = a" + b".b" * 100_000,
        b"x = a" + b"(1)" * 100_000,
        b"x = " + b"lambda: " * 100_000 + b"1",
        b"import importlib\nimportlib.import_module('a'" + b"+'b'" * 100_000 + b")",
        b"__all__ = ['a']" + b" + ['b']" * 100_000,
    ],
    ids=["parentheses", "open", "signs", "chain", "attributes", "calls", "lambdas", "sum", "exports"],
)
def test_a_hundred_thousand_levels_end_in_a_problem_not_in_a_crash(source: bytes) -> None:
    extraction = told("a.py", source + b"\nimport after\n")
    assert extraction.problems
    assert all("deeper" in problem or "fit no structure" in problem for problem in extraction.problems)


@pytest.mark.parametrize("path", ["a.md", "a.py"])
@pytest.mark.parametrize(
    "source",
    [
        b"[" * 300_000,
        b"[" * 150_000 + b"]" * 150_000,
        b"# " + b" " * 500_000 + b"x",
        b"<a " * 100_000,
        b"# ce:allow(x) -- y\n" * 30_000,
        b"[a](((" * 60_000,
    ],
    ids=["brackets", "nested", "blanks", "tags", "markers", "targets"],
)
def test_time_grows_with_the_text_not_with_its_square(path: str, source: bytes) -> None:
    told(path, source)


def test_problems_name_the_lines_of_syntax_errors() -> None:
    extraction = told("a.py", "import a\ndef oops(:\n    pass\nimport b\n")
    assert extraction.problems == ("syntax error at line 2",)
    assert [site.spec for site in extraction.sites] == ["a", "b"]


def test_an_unknown_language_has_mentions_only() -> None:
    blobs = extract("Makefile", b"run:\n\tpython -m app.main\n", tuple(LAYERS))
    assert set(blobs) == {"mentions"}
    assert "main" in decode_mentions(blobs["mentions"])[0]


def test_mentions_follow_the_rules_of_the_dollar() -> None:
    assert mentioned_names("a.py", b"$name a$b _c") == {"$name", "name", "a$b", "a", "b", "_c"}
    assert mentioned_names("a.ts", b"$name a$b") == {"$name", "a$b"}
    assert mentioned_names("a.py", "größe ö9a $9a".encode()) == {"größe", "gr", "e", "ö9a", "$9a"}  # `9a` opens no run


def test_a_table_of_mentions_is_cut_and_says_so() -> None:
    text = " ".join(f"n{number}" for number in range(MAX_TOKENS + 1)).encode()
    names, is_cut = decode_mentions(extract("a.txt", text, ("mentions",))["mentions"])
    assert (len(names), is_cut) == (MAX_TOKENS, True)


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_table_fits_its_grammar(name: str) -> None:
    from ce.extract.compiled import compile_spec

    spec = language_spec(name)
    if spec.grammar:
        assert compile_spec(spec).roles or not spec.units
