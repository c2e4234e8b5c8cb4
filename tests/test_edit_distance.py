"""CDER's kernel against the definition: the cheapest path through a grid, found by Dijkstra's algorithm."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.scoring.translation.errors import coded, covering_disjoint, position_independent, vocabulary

SENTENCES = st.lists(st.sampled_from("abcd"), max_size=7).map(" ".join)


def cheapest(hypothesis: Sequence[str], reference: Sequence[str]) -> int:
    """The least cost from before both texts to behind both.

    Covering a word of the reference by the next of the hypothesis costs 0 or 1, covering it by none 1, leaving a word
    of the hypothesis out 1, and so does a jump to any place in it.
    """
    end = (len(reference), len(hypothesis))
    done: set[tuple[int, int]] = set()
    waiting = [(0, (0, 0))]
    while waiting:
        cost, place = heapq.heappop(waiting)
        if place == end:
            return cost
        if place in done:
            continue
        done.add(place)
        r, h = place
        if r < len(reference):
            heapq.heappush(waiting, (cost + 1, (r + 1, h)))
            if h < len(hypothesis):
                heapq.heappush(waiting, (cost + (reference[r] != hypothesis[h]), (r + 1, h + 1)))
        if h < len(hypothesis):
            heapq.heappush(waiting, (cost + 1, (r, h + 1)))
        for other in range(len(hypothesis) + 1):
            heapq.heappush(waiting, (cost + 1, (r, other)))
    raise AssertionError("there is always a path")


def levenshtein(hypothesis: Sequence[str], reference: Sequence[str]) -> int:
    row = list(range(len(hypothesis) + 1))
    for r, word in enumerate(reference, 1):
        before, row = row, [r]
        for h, other in enumerate(hypothesis, 1):
            row.append(min(before[h - 1] + (word != other), before[h] + 1, row[h - 1] + 1))
    return row[-1]


def cder(hypotheses: Sequence[str], references: Sequence[str]) -> list[int]:
    words = vocabulary(references)
    return covering_disjoint(coded(hypotheses, words), coded(references, words)).tolist()


def per(hypotheses: Sequence[str], references: Sequence[str]) -> list[int]:
    words = vocabulary(references)
    return position_independent(coded(hypotheses, words), coded(references, words)).tolist()


@given(st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=6))
def test_cder_is_the_cheapest_path(pairs: list[tuple[str, str]]) -> None:
    hypotheses, references = zip(*pairs, strict=True)
    assert cder(hypotheses, references) == [cheapest(h.split(), r.split()) for h, r in pairs]


def test_longer_texts_too() -> None:
    rng = np.random.default_rng(5)
    pairs = [[" ".join(rng.choice(list("abcdefgh"), rng.integers(0, 30))) for _ in range(2)] for _ in range(60)]
    hypotheses, references = zip(*pairs, strict=True)
    assert cder(hypotheses, references) == [cheapest(h.split(), r.split()) for h, r in pairs]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "edits"),
    [
        ("a b c d", "a b c d", 0),
        ("c d a b", "a b c d", 3),  # a jump to a, one from b to c, and one to the end
        ("x y z a b", "a b", 1),  # one jump leaves out three words
        ("a b x y z", "a b", 1),
        ("", "a b c", 3),
        ("a b c", "", 1),  # one jump to the end
        ("", "", 0),
        ("a", "a a a", 2),  # a word may be covered again only after a jump, which costs as much as covering by none
    ],
)
def test_by_hand(hypothesis: str, reference: str, edits: int) -> None:
    assert cder([hypothesis], [reference]) == [edits]


def test_a_block_that_moved_costs_less_than_word_by_word() -> None:
    reference = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    moved = reference[5:] + reference[:5]
    assert cder([" ".join(moved)], [" ".join(reference)]) == [3]
    assert levenshtein(moved, reference) == 10


@given(SENTENCES, SENTENCES)
def test_cder_is_no_more_than_levenshtein(hypothesis: str, reference: str) -> None:
    assert cder([hypothesis], [reference])[0] <= levenshtein(hypothesis.split(), reference.split())


@given(SENTENCES, SENTENCES)
def test_errors_that_know_no_order_are_no_more_than_levenshtein(hypothesis: str, reference: str) -> None:
    assert per([hypothesis], [reference])[0] <= levenshtein(hypothesis.split(), reference.split())


@given(SENTENCES)
def test_a_text_has_no_errors_against_itself(text: str) -> None:
    assert cder([text], [text]) == per([text], [text]) == [0]


@given(st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=6))
def test_per_counts_words_as_often_as_both_have_them(pairs: list[tuple[str, str]]) -> None:
    expected = []
    for hypothesis, reference in pairs:
        left, right = hypothesis.split(), reference.split()
        matches = sum(min(left.count(word), right.count(word)) for word in set(right))
        expected.append(max(len(left), len(right)) - matches)
    hypotheses, references = zip(*pairs, strict=True)
    assert per(hypotheses, references) == expected


def test_words_are_told_apart_by_any_white_space() -> None:
    assert cder(["a\u00a0b  c\td ", " "], ["a b c d", ""]) == [0, 0]
    assert per(["a\u00a0b  c\td ", " "], ["a b c d", ""]) == [0, 0]


def test_the_number_of_segments_changes_none_of_them() -> None:
    hypotheses, references = ["a b", "c d a b x", "d"], ["b a", "a b c d", "d d"]
    alone = [cder([h], [r])[0] for h, r in zip(hypotheses, references, strict=True)]
    assert cder(hypotheses, references) == alone
