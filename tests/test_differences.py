"""Where outputs differ: words that few others have, gaps where most have more; the same whatever the order."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.server import differences as module
from palmares.server.differences import Span, aligned, differences, tokens

words = st.lists(st.sampled_from("abcde"), max_size=12)
anything = st.lists(st.text(st.sampled_from("ab ,é\u0301\u200d字和कि \n"), max_size=20), max_size=5)


def marked(*texts: str) -> list[str]:
    """The texts with what differs in brackets, and a caret where words are missing."""
    return ["".join(_shown(span) for span in spans) for spans in differences(texts)]


def _shown(span: Span) -> str:
    return f"[{span.text}]" if span.differs and span.text else span.text or "‸"


# -- what is marked ----------------------------------------------------------------------------------------


def test_of_two_texts_everything_that_is_not_in_both_is_marked() -> None:
    assert marked("the old cat sat", "the cat sat down") == ["the [old] cat sat‸", "the ‸cat sat [down]"]
    assert marked("a red car", "a blue car") == ["a [red] car", "a [blue] car"]


def test_of_several_texts_words_are_marked_that_fewer_than_half_of_the_others_have() -> None:
    found = marked(
        "the city opened a tram line",
        "the city opened a tram line",
        "the town opened a tram line",
        "the town opened a tram row",
        "the village starts a tram line",
    )
    assert found == [
        "the [city] opened a tram line",  # one of four others says city, three say opened
        "the [city] opened a tram line",
        "the [town] opened a tram line",
        "the [town] opened a tram [row]",
        "the [village starts] a tram line",
    ]


def test_half_of_the_others_is_enough() -> None:
    assert marked("a x", "a x", "a y") == ["a x", "a x", "a [y]"]


def test_free_translations_with_nothing_in_common_do_not_drown_the_rest() -> None:
    """No word is in all four, and yet the first three say nearly the same."""
    found = marked("we left at noon today", "we left at dawn today", "we left at noon then", "gone by midday, sadly")
    assert found == [
        "we left at [noon today]",
        "we left at [dawn today]",
        "we left at [noon then]",
        "[gone by midday, sadly]",
    ]


def test_a_gap_is_shown_where_more_than_half_of_the_others_have_something() -> None:
    assert marked("he did go home", "he did not go home", "he did not go home") == [
        "he did ‸go home",
        "he did not go home",
        "he did not go home",
    ]
    assert marked("he went", "he went", "he went home") == ["he went", "he went", "he went [home]"]
    assert marked("went home", "he went home", "she went home")[0] == "‸went home"


def test_equal_texts_single_texts_and_empty_ones() -> None:
    assert marked("a b", "a b", "a b") == ["a b", "a b", "a b"]
    assert marked("alone") == ["alone"]
    assert differences([]) == ()
    assert marked("", "word") == ["‸", "[word]"]


def test_spaces_are_marked_only_between_words_that_are() -> None:
    assert marked("x p q y", "x y") == ["x [p q] y", "x ‸y"]
    assert marked("p x q", "x") == ["[p] x [q]", "‸x‸"]


def test_a_word_that_moved_is_a_difference() -> None:
    assert marked("now he sleeps well", "he sleeps well now") == ["[now] he sleeps well‸", "‸he sleeps well [now]"]


# -- white space -----------------------------------------------------------------------------------------------


def spaced(*texts: str) -> list[str]:
    """The texts with signs for white space, in angle brackets, where it is unlike that of most of the others."""
    found = differences(texts, spacing=True)
    return ["".join(f"<{span.spacing}>" if span.spacing else span.text for span in spans) for spans in found]


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (("a  b", "a b"), ["a<··>b", "a<·>b"]),
        (("a\tb", "a b"), ["a<⇥>b", "a<·>b"]),
        (("a b\n", "a b"), ["a b<↵>", "a b<‸>"]),
        ((" a b", "a b"), ["<·>a b", "<‸>a b"]),
        (("one,two", "one, two"), ["one,<‸>two", "one,<·>two"]),
        (("a\u00a0b", "a b"), ["a<⍽>b", "a<·>b"]),
        (("a b c", "a  b c", "a b c"), ["a b c", "a<··>b c", "a b c"]),  # of three, the one that is alone
        (("a b c", "a x c"), ["a b c", "a x c"]),  # another word is no other spacing
        (("", "  "), ["<‸>", "<··>"]),
    ],
)
def test_white_space_is_shown_where_it_is_not_that_of_the_others(texts: tuple[str, ...], shown: list[str]) -> None:
    assert spaced(*texts) == shown


@pytest.mark.parametrize("texts", [("a  b", "a b"), ("a b\n", "a b"), ("one,two", "one, two")])
def test_white_space_counts_for_nothing_unless_that_is_asked_for(texts: tuple[str, ...]) -> None:
    assert [[span.spacing for span in spans] for spans in differences(texts)] == [[""], [""]]


@given(anything)
def test_spans_with_signs_put_together_are_the_text_again(texts: list[str]) -> None:
    found = differences(texts, spacing=True)
    assert ["".join(span.text for span in spans) for spans in found] == texts
    plain = differences(texts)
    without = [[(c, span.differs) for span in spans for c in span.text] for spans in found]
    assert without == [[(c, span.differs) for span in spans for c in span.text] for spans in plain]


# -- words of all scripts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It’s 12,000 – now.", ["It", "’", "s", " ", "12", ",", "000", " ", "–", " ", "now", "."]),
        ("قُدّم أول\n\nمحصول،", ["قُدّم", " ", "أول", "\n\n", "محصول", "،"]),
        ("हैं। क्‍या", ["हैं", "।", " ", "क्‍या"]),
        ("钟表博物馆，重", ["钟", "表", "博", "物", "馆", "，", "重"]),
        ("東京タワーへ", ["東", "京", "タ", "ワ", "ー", "へ"]),
        ("ที่ดี", ["ที่", "ดี"]),
        ("e\u0301te\u0301 👩‍🚀", ["e\u0301te\u0301", " ", "👩‍🚀"]),
        ("", []),
    ],
)
def test_tokens(text: str, found: list[str]) -> None:
    assert tokens(text) == found


def test_scripts_without_spaces_are_compared_by_character() -> None:
    assert marked("钟表馆将于周六开放", "钟表馆将于周日开放") == ["钟表馆将于周[六]开放", "钟表馆将于周[日]开放"]


# -- properties --------------------------------------------------------------------------------------------


@given(anything)
def test_spans_put_together_are_the_text_again(texts: list[str]) -> None:
    assert ["".join(span.text for span in spans) for spans in differences(texts)] == texts


@given(anything, st.randoms(use_true_random=False))
def test_the_order_of_the_texts_changes_nothing(texts: list[str], random: object) -> None:
    order = list(range(len(texts)))
    random.shuffle(order)  # type: ignore[attr-defined]
    found = differences(texts)
    assert differences([texts[i] for i in order]) == tuple(found[i] for i in order)


@given(words, words)
def test_two_texts_are_aligned_by_a_longest_common_subsequence(one: list[str], other: list[str]) -> None:
    @cache
    def longest(i: int, j: int) -> int:
        """The length by its definition."""
        if i == 0 or j == 0:
            return 0
        if one[i - 1] == other[j - 1]:
            return longest(i - 1, j - 1) + 1
        return max(longest(i - 1, j), longest(i, j - 1))

    matches = aligned(one, other)
    assert len(matches) == longest(len(one), len(other))
    assert all(one[here] == other[there] for here, there in matches)
    assert matches == sorted(matches)
    assert len({here for here, _ in matches}) == len({there for _, there in matches}) == len(matches)
    assert aligned(other, one) == [(there, here) for here, there in matches]


@given(words, words)
def test_texts_too_long_to_align_are_compared_from_both_ends(one: list[str], other: list[str]) -> None:
    matches = module.ends(one, other)
    assert all(one[here] == other[there] for here, there in matches)
    assert len({here for here, _ in matches}) == len({there for _, there in matches}) == len(matches)
    assert module.ends(other, one) == [(there, here) for here, there in matches]


def test_a_very_long_text_is_not_aligned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TOO_LONG", 24)
    assert marked("a b x c d", "a b y z d") == ["a b [x c] d", "a b [y z] d"]
    assert module.aligned(list("abxcd"), list("abcde")) == [(0, 0), (1, 1)]  # nothing in common at the end
