"""Which text of a file is prose, and what is left out of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.extract.languages import language_spec
from ce.extract.measures.prose import MIN_WORDS, ProseLayer, decode_prose, encode_prose, prose_of
from ce.extract.parsing import Parsed, parse

WORDS = " ".join(f"word{number}" for number in range(MIN_WORDS))
SHORT = " ".join(f"word{number}" for number in range(MIN_WORDS - 1))
WRAPPED = "\n".join(" ".join(f"word{row * 10 + column}" for column in range(10)) for row in range(5))


def prose(text: str, language: str, path: str = "x") -> ProseLayer:
    parsed = parse(path, language_spec(language), text.encode())
    assert isinstance(parsed, Parsed)
    return prose_of(parsed)


def places(layer: ProseLayer) -> list[tuple[str, int, int, str, int]]:
    return [(s.kind, s.start, s.end, s.status, len(s.words)) for s in layer.segments]


def test_a_markdown_paragraph_ends_at_whatever_is_not_prose() -> None:
    text = f"# title\n{WRAPPED}\n\n| a | b |\n{WORDS}\n- \n<p>\n{WORDS}\n```\n{WORDS}\n```\n{SHORT}\n"
    layer = prose(text, "markdown")
    assert places(layer) == [("md_para", 2, 6, "live", 50), ("md_para", 9, 9, "live", 50), ("md_para", 12, 12, "live", 50)]
    assert layer.shed == {"below_floor": 1}


def test_inline_code_is_no_prose() -> None:
    assert places(prose(f"{SHORT} `one two three`\n", "markdown")) == []
    assert places(prose(f"{SHORT} one\n", "markdown")) == [("md_para", 1, 1, "live", 50)]


def test_a_rewrapped_paragraph_has_the_same_words() -> None:
    one, two = prose(WORDS, "markdown"), prose("## x\n\n" + WRAPPED, "markdown")
    assert one.segments[0].words.tolist() == two.segments[0].words.tolist()


def test_comments_that_follow_each_other_in_one_column_are_one_segment() -> None:
    rows = "\n".join(f"# {row}" for row in WRAPPED.split("\n"))
    assert places(prose(f"x = 1\n{rows}\ny = 2\n", "python")) == [("comment_block", 2, 6, "live", 50)]
    apart = rows.replace("\n", "\n\n", 1)
    assert places(prose(apart, "python")) == []
    assert places(prose(rows.replace("\n#", "\n  #", 1), "python")) == []


def test_docstrings_of_modules_classes_and_functions_are_segments() -> None:
    method = f'    def f(self):\n        r"""{WORDS}"""\n        x = """{WORDS}"""\n'
    text = f'"""{WORDS}"""\n\n\nclass A:\n    """\n    {WORDS}\n    """\n\n{method}'
    assert places(prose(text, "python")) == [
        ("docstring", 1, 1, "live", 50),
        ("docstring", 5, 7, "live", 50),
        ("docstring", 10, 10, "live", 50),
    ]


@pytest.mark.parametrize(
    ("extra", "reason"),
    [
        ("```\ncode here\n```", "fenced_code_line"),
        (":param x: the thing", "skeleton_line"),
        ("-------", "skeleton_line"),
        ("@return nothing at all", "skeleton_line"),
        ("Args:", "skeleton_line"),
        ("0f" * 150, "overlong_line"),
    ],
)
def test_boilerplate_of_a_docstring_is_left_out(extra: str, reason: str) -> None:
    layer = prose(f'"""\n{WRAPPED}\n{extra}\n"""\n', "python")
    assert places(layer)[0][4] == 50
    assert reason in layer.shed


def test_a_licence_header_is_told_apart_and_only_at_the_top() -> None:
    rows = "\n".join(f"# {row}" for row in ("Copyright (c) 2020 somebody", *WRAPPED.split("\n")))
    assert places(prose(rows, "python"))[0][3] == "license_header"
    assert places(prose("x = 1\n" * 6 + rows, "python"))[0][3] == "live"
    assert places(prose("# first\n\n\n" + rows, "python"))[0][3] == "live"


@pytest.mark.parametrize("name", ["LICENSE.txt", "docs/LICENCE.md", "COPYING.txt", "NOTICE.md"])
def test_every_copy_of_a_licence_is_told_apart(name: str) -> None:
    assert places(prose(WORDS, "text", name))[0][3] == "license_header"


@pytest.mark.parametrize(
    ("marker", "status"),
    [
        ("<!-- ce:allow(docdup) -- shown twice on purpose -->", "inline_allow"),
        ("<!-- ce:allow(docdup) -->", "live"),
        ("ce:allow(docdup) so -- why", "live"),
        ("ce:allow(docdup) -- ", "live"),
    ],
)
def test_a_segment_may_allow_itself_with_a_reason(marker: str, status: str) -> None:
    assert places(prose(f"{WORDS} {marker}\n", "markdown"))[0][3] == status


def test_paragraphs_of_plain_text_end_at_blank_lines() -> None:
    assert places(prose(f"# {WORDS}\n\n   \n{WRAPPED}\n", "text")) == [("text_para", 1, 1, "live", 50), ("text_para", 4, 8, "live", 50)]


def test_directives_and_literal_blocks_of_restructured_text_are_no_prose() -> None:
    text = f"Title\n=====\n\n.. code-block:: python\n\n    {WORDS}\n\n{WRAPPED} example::\n\n    {WORDS}\n\n{WORDS}\n"
    assert [place[1:3] for place in places(prose(text, "text", "x.rst"))] == [(8, 12), (16, 16)]


def test_characters_of_a_script_without_spaces_are_words() -> None:
    (segment,) = prose("日本語の文章です。" * 8, "text").segments
    assert len(segment.words) == 64


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300), st.sampled_from(["python", "markdown", "text"]))
def test_prose_survives_encoding_and_any_text(text: str, language: str) -> None:
    layer = prose(text.encode("utf-8", "replace").decode() + f"\n\n{WORDS}\n", language)
    again = decode_prose(encode_prose(layer))
    assert places(again) == places(layer)
    assert [s.words.tolist() for s in again.segments] == [s.words.tolist() for s in layer.segments]


@given(st.binary(max_size=80))
def test_a_blob_that_is_no_prose_is_refused(blob: bytes) -> None:
    for attempt in (blob, b'{"segments":[[0,1,1,0,5]],"shed":{}}\n' + blob[:39], b'{"segments":[[9,1,1,0,0]],"shed":{}}\n'):
        with pytest.raises(ValueError, match=r"."):
            decode_prose(attempt)
