"""Lines by offset against counting."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ce.extract.languages.line_numbers import LineNumbers


@given(st.text("ab\n", max_size=60).map(str.encode), st.integers(0, 70))
def test_the_line_of_an_offset_counts_the_line_ends_before_it(text: bytes, offset: int) -> None:
    assert LineNumbers(text).at(offset) == text.count(b"\n", 0, offset) + 1
