"""Shared runs against a brute-force search, and what must not change them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ce.extract.languages import language_spec
from ce.extract.measures.blocks import Block, Group, blocks_of, groups_of
from ce.extract.measures.crowds import with_crowds
from ce.extract.measures.fingerprints import GUARANTEE, KGRAM, WINDOW, decode_fingerprints, encode_fingerprints, fingerprints
from ce.extract.measures.periods import told_once
from ce.extract.measures.runs import HOT, anchor_pairs, matching_runs
from ce.extract.measures.tape import tape_of
from ce.extract.measures.token_blobs import decode_tokens, encode_tokens
from ce.extract.measures.tokens import TokenStream, fnv1a, token_stream
from ce.extract.parsing import Parsed, parse


def stream_of(text: str, language: str = "python") -> TokenStream:
    parsed = parse(f"x.{language}", language_spec(language), text.encode())
    assert isinstance(parsed, Parsed)
    return token_stream(parsed)


def made(codes: list[int]) -> TokenStream:
    """Return a stream with one token a line, so that lines tell tokens."""
    count = len(codes)
    numbers = np.arange(1, count + 1, dtype=np.int32)
    hashes = np.array(codes, np.uint32) + np.uint32(1)
    return TokenStream(np.arange(9, dtype=np.uint64), np.array(codes, np.int64), numbers, numbers, np.zeros(count, np.bool_), hashes)


def find(streams: list[TokenStream], least: int = GUARANTEE) -> tuple[Block, ...]:
    anchors = anchor_pairs([fingerprints(stream.codes) for stream in streams])
    tape = tape_of({number: encode_tokens(stream) for number, stream in enumerate(streams)}, len(streams))
    return tuple(blocks_of(told_once(matching_runs(with_crowds(anchors, tape), tape), tape), tape, least).rows())


def groups(blocks: Sequence[Block]) -> tuple[Group, ...]:
    columns = np.array([(b.a, b.a_start, b.a_end, b.b, b.b_start, b.b_end, b.tokens) for b in blocks], np.int64).reshape(-1, 7).T
    return groups_of((columns[0], columns[1], columns[2]), (columns[3], columns[4], columns[5]), columns[6])


def longest_common_run(x: list[int], y: list[int]) -> int:
    best = 0
    row = [0] * (len(y) + 1)
    for left in x:
        row = [0, *(row[j] + 1 if left == right else 0 for j, right in enumerate(y))]
        best = max(best, *row)
    return best


def test_the_guarantee_is_fifty_tokens() -> None:
    assert (KGRAM, WINDOW, GUARANTEE) == (25, 26, 50)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 9), st.lists(st.integers(0, 8), max_size=90), st.data())
def test_a_common_run_of_fifty_tokens_is_always_found_whole(alphabet: int, shared: list[int], data: st.DataObject) -> None:
    around = st.lists(st.integers(0, alphabet - 1), max_size=60)
    shared = [token % alphabet for token in shared]
    x = data.draw(around) + shared + data.draw(around)
    y = data.draw(around) + shared + data.draw(around)
    longest = longest_common_run(x, y)
    blocks = [block for block in find([made(x), made(y)]) if block.a != block.b]
    assert max((block.tokens for block in blocks), default=0) == (longest if longest >= GUARANTEE else 0)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), min_size=40, max_size=120), min_size=1, max_size=4))
def test_every_block_is_verified_and_maximal(texts: list[list[int]]) -> None:
    for block in find([made(text) for text in texts]):
        x, y = texts[block.a], texts[block.b]
        i, j, n = block.a_token, block.b_token, block.tokens
        assert x[i : i + n] == y[j : j + n]
        if block.a == block.b:
            assert i + n <= j
        else:
            assert i == 0 or j == 0 or x[i - 1] != y[j - 1]
            assert i + n == len(x) or j + n == len(y) or x[i + n] != y[j + n]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), min_size=40, max_size=120), min_size=2, max_size=3))
def test_blocks_do_not_depend_on_the_order_of_files(texts: list[list[int]]) -> None:
    def sides(order: list[int]) -> set[frozenset[tuple[int, int, int]]]:
        blocks = find([made(texts[number]) for number in order])
        return {frozenset({(order[b.a], b.a_start, b.a_end), (order[b.b], b.b_start, b.b_end)}) for b in blocks if b.a != b.b}

    numbers = list(range(len(texts)))
    assert sides(numbers) == sides(numbers[::-1])


FUNCTION = '''
def total(items, rate):
    """Sum up."""
    result = 0
    for item in items:
        if item.price > 10 and item.name != "free":
            result += item.price * rate
        elif item.price < 0:
            raise ValueError("negative", item)
        else:
            result -= 1
    return result, len(items)
'''


def block_between(one: str, two: str) -> Block:
    (block,) = (block for block in find([stream_of(one), stream_of(two)]) if block.a != block.b)
    return block


def test_an_exact_copy_is_t1_and_a_renamed_one_t2() -> None:
    assert block_between(FUNCTION, FUNCTION).kind == "T1"
    renamed = FUNCTION.replace("items", "rows").replace("10", "99").replace("free", "nothing at all")
    renamed_block = block_between(FUNCTION, renamed)
    assert renamed_block.kind == "T2"
    assert renamed_block.tokens == block_between(FUNCTION, FUNCTION).tokens


def test_a_run_without_a_whole_line_is_not_said_to_be_equal_to_the_letter() -> None:
    body = "{0}.a(1, b[2:3], *c), {{{0}: d}}, -{0} ** 2, [e for e in {0} if e], not {0}, lambda: {0} @ f, ({0}, ), {0} is None, {0} < 1 > 2"
    one, two = (f"x = [{head}, {body.format(word)}, {tail}]\n" for head, word, tail in (("1 + 1", "p", "z"), ("~2", "q", "5")))
    assert block_between(one, two).kind == "T2"


def test_comments_blanks_and_indentation_change_nothing() -> None:
    commented = FUNCTION.replace("    result = 0\n", "    # start\n    result = 0  # zero\n\n\n").replace("\n    return", "\n\n    return")
    block = block_between(FUNCTION, commented)
    assert (block.kind, block.tokens) == ("T1", block_between(FUNCTION, FUNCTION).tokens)
    assert (block.b_start, block.b_end) == (2, len(commented.splitlines()))


def test_the_lines_of_a_block_are_those_of_its_tokens() -> None:
    block = block_between("import os\n" + FUNCTION, FUNCTION + "\nx = 1\n")
    assert (block.a_start, block.a_end, block.b_start, block.b_end) == (3, 13, 2, 12)


def test_tokens_of_imports_are_counted_apart() -> None:
    imports = "\n".join(f"from package.module{number} import (first{number},\n    second{number})" for number in range(10)) + "\n"
    block = block_between(imports, imports.replace("package", "other"))
    assert block.code == 0
    assert block_between(imports + FUNCTION, imports + FUNCTION).code == block_between(FUNCTION, FUNCTION).tokens


def test_pieces_of_one_string_are_one_token() -> None:
    assert stream_of("x = 'a\\n{b}'\n").codes.tolist() == stream_of("y = 'other'\n").codes.tolist()
    assert len(stream_of("x = f'a{b}c'\n")) > len(stream_of("x = 'abc'\n"))


def test_booleans_and_none_are_not_collapsed() -> None:
    codes = [stream_of(f"x = {word}\n").codes.tolist() for word in ("True", "False", "None", "1")]
    assert len({tuple(code) for code in codes}) == 4


def test_a_run_that_meets_itself_is_folded() -> None:
    text = "x = [" + "0, " * 400 + "]\n"
    for block in find([stream_of(text)]):
        assert block.a_token + block.tokens <= block.b_token


@pytest.mark.parametrize("copies", [2, 3, 5, HOT, HOT + 1, 40])
def test_copies_of_one_text_are_one_group(copies: int) -> None:
    blocks = find([stream_of(FUNCTION.replace("total", f"total{number}")) for number in range(copies)])
    (group,) = groups(blocks)
    assert len(group.members) == copies
    assert group.blocks == (copies * (copies - 1) // 2 if copies <= HOT else copies - 1)


def test_one_text_in_four_files_and_twice_in_one_is_one_group_of_five_places() -> None:
    twice = FUNCTION + "\n\nclass Between:\n    kind = 1\n\n" + FUNCTION
    blocks = find([stream_of(FUNCTION), stream_of(FUNCTION), stream_of(FUNCTION), stream_of(twice)])
    (group,) = groups(blocks)
    assert [file for file, _, _ in group.members] == [0, 1, 2, 3, 3]


def test_windows_line_ends_give_the_same_stream() -> None:
    from ce.source.text import decode

    crlf = decode(FUNCTION.replace("\n", "\r\n").encode()).text_bytes.decode()
    assert block_between(FUNCTION, crlf).kind == "T1"


@settings(max_examples=50, deadline=None)
@given(st.text("abc \n(){}=:'\"#0é", max_size=200))
def test_streams_and_fingerprints_survive_encoding(text: str) -> None:
    stream = stream_of(text)
    again = decode_tokens(encode_tokens(stream))
    for name in ("codes", "starts", "ends", "imports", "lines"):
        assert getattr(again, name).tolist() == getattr(stream, name).tolist()
    hashes, starts = fingerprints(stream.codes)
    decoded = decode_fingerprints(encode_fingerprints(hashes, starts))
    assert (decoded[0].tolist(), decoded[1].tolist()) == (hashes.tolist(), starts.tolist())


@given(st.binary(max_size=200))
def test_a_blob_that_is_no_stream_is_refused(blob: bytes) -> None:
    for attempt in (blob, encode_tokens(stream_of(FUNCTION))[: len(blob)], b"TOK2" + blob):
        with pytest.raises(ValueError, match=r"."):
            decode_tokens(attempt)


def test_the_hash_is_fnv1a() -> None:
    assert fnv1a(b"") == 0xCBF29CE484222325
    assert fnv1a(b"a") == 0xAF63DC4C8601EC8C


def test_equal_minima_are_taken_at_the_right() -> None:
    """A constant stream has one fingerprint for each new window end, and none twice."""
    _, starts = fingerprints(np.zeros(200, np.uint64))
    assert starts.tolist() == sorted(set(starts.tolist()))


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 200), st.lists(st.integers(0, 200), max_size=300))
def test_one_fingerprint_stands_for_each_window_whatever_is_equal(alphabet: int, tokens: list[int]) -> None:
    hashes, starts = fingerprints(np.array([token % alphabet for token in tokens], np.uint64))
    count = len(tokens) - KGRAM + 1
    told = dict(zip(starts.tolist(), hashes.tolist(), strict=True))
    grams = [int(fingerprints(np.array([token % alphabet for token in tokens[at : at + KGRAM]], np.uint64))[0][0]) for at in range(count)]
    ends = range(min(WINDOW, count), count + 1) if count > 0 else range(0)
    windows = [list(range(max(0, end - WINDOW), end)) for end in ends]
    assert told == {at: grams[at] for at in (min(reversed(window), key=grams.__getitem__) for window in windows)}


PLACE = st.tuples(st.integers(0, 2), st.integers(1, 12), st.integers(0, 4))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(PLACE, PLACE, st.integers(50, 90)), max_size=12))
def test_groups_are_what_joining_places_one_by_one_gives(pairs: list[tuple[tuple[int, int, int], tuple[int, int, int], int]]) -> None:
    sides = [tuple((file, start, start + height) for file, start, height in (a, b)) for a, b, _ in pairs]
    blocks = [Block(*a, *b, tokens, 0, 0, "T2", 0, 0) for (a, b), (_, _, tokens) in zip(sides, pairs, strict=True)]
    families: list[tuple[set[tuple[int, int]], list[Block]]] = []
    for block in blocks:
        lines = {(block.a, line) for line in range(block.a_start, block.a_end + 1)}
        lines |= {(block.b, line) for line in range(block.b_start, block.b_end + 1)}
        met = [family for family in families if family[0] & lines]
        families = [family for family in families if not family[0] & lines]
        families.append((lines.union(*(family[0] for family in met)), [block, *(b for family in met for b in family[1])]))
    told = {
        frozenset((file, line) for file, first, last in group.members for line in range(first, last + 1)): group for group in groups(blocks)
    }
    assert set(told) == {frozenset(lines) for lines, _ in families}
    for lines, own in families:
        assert (told[frozenset(lines)].blocks, told[frozenset(lines)].tokens) == (len(own), max(block.tokens for block in own))
    assert list(told.values()) == sorted(told.values(), key=lambda group: group.members[0])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=HOT + 2, max_size=3 * HOT), st.randoms(use_true_random=False))
def test_places_that_share_fifty_tokens_are_in_one_group_however_many_share_fewer(ends: list[tuple[int, int]], random: Random) -> None:
    core = [random.randrange(9) for _ in range(34)]
    sides = [[random.randrange(9) for _ in range(12)] for _ in range(4)]
    texts = [[*sides[left], *core, *sides[right], number % 9, *([8] * (number // 9))] for number, (left, right) in enumerate(ends)]
    found = groups(find([made(text) for text in texts]))
    group_of = {file: number for number, group in enumerate(found) for file, _, _ in group.members}
    for one, x in enumerate(texts):
        for two, y in enumerate(texts[:one]):
            if longest_common_run(x, y) >= GUARANTEE:
                assert group_of[one] == group_of[two]
