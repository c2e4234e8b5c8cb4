"""However outcomes are written and whatever systems are called, the counts are as meant, or the file is refused.

Tables are made from results that are known, in every way in which files write them, and read back.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import examples

from palmares.errors import InputError
from palmares.ingest.base import ReadOptions
from palmares.ingest.files import read_with_report
from palmares.ingest.scan import scan_with_report
from palmares.judgments import Judgments

#: Who stood first, who second, and which of them won: 0, 1, or None for a tie.
Result = tuple[str, str, int | None]
#: (winner, loser) or, for a tie, both in the order of their names, in a set.
Counts = Counter[Any]

#: Words for the first and the second side, and for a tie.
_VOCABULARIES = [
    ("a", "b", "tie"), ("A", "B", "Draw"), ("model_a", "model_b", "tie (bothbad)"), ("left", "right", "equal"),
    ("x", "y", "same"), ("first", "second", "no preference"), ("system1", "system2", "tied"), (">", "<", "="),
    ("A>B", "B>A", "A=B"), ("[[A]]", "[[B]]", "[[C]]"), ("1", "-1", "0"), ("1", "0", "0.5"),
]  # fmt: skip
_NEUTRAL = ("GPT-4", "moses", "système 9", "online-X1")
#: Names that could be taken for outcomes: words for sides, for ties and for nothing, and numbers.
_TRAPS = sorted({
    *[case(word) for words in _VOCABULARIES for word in words for case in (str, str.upper, str.title)],
    "model b", "Model-A", "response_a", "the left model", "system 2", "2", "0.0", "1.0", "both", "unsure", "skip",
    "winner", "system_a", "system_b", "A wins", "prefer b", "win", "worse", "NA", "null",
})  # fmt: skip


@st.composite
def _results(draw: st.DrawFn, names: st.SearchStrategy[str], *, ties: bool = True) -> list[Result]:
    systems = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    winners = [0, 1, None] if ties else [0, 1]
    rows = []
    for _ in range(draw(st.integers(1, 8))):
        first, second = draw(st.permutations(systems))[:2]
        rows += [(first, second, draw(st.sampled_from(winners)))] * draw(st.integers(1, 3))
    return rows


def _meant(results: Sequence[Result]) -> Counts:
    return Counter(
        frozenset((first, second)) if won is None else ((first, second)[won], (second, first)[won])
        for first, second, won in results
    )


def _counted(judgments: Judgments) -> Counts:
    found: Counts = Counter()
    for a, b, outcome in judgments.to_rows().select("system_a", "system_b", "outcome").iter_rows():
        found[frozenset((a, b)) if outcome == 0 else (a, b) if outcome == 1 else (b, a)] += 1
    return found


def _by_name(results: Sequence[Result], tie: str = "tie") -> list[list[str]]:
    return [[first, second, tie if won is None else (first, second)[won]] for first, second, won in results]


def _by_side(results: Sequence[Result], words: Sequence[str]) -> list[list[str]]:
    return [[first, second, words[2 if won is None else won]] for first, second, won in results]


def _written(path: Path, rows: Sequence[Sequence[str]], header: Sequence[str] = ("left", "right", "winner")) -> Path:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    path.write_text(text.getvalue())
    return path


def _read(path: Path, **options: Any) -> Counts | None:
    """What is counted, by reading and by streaming alike; None if the file is refused."""
    settings = ReadOptions(**options)
    refusal = None
    try:
        judgments, _ = read_with_report(path, options=settings)
    except InputError as error:
        refusal = str(error)
    if refusal is not None:
        with pytest.raises(InputError) as streaming:
            scan_with_report(path, settings)
        assert str(streaming.value) == refusal
        return None
    [scanned] = scan_with_report(path, settings)[0].values()
    assert scanned.systems == judgments.systems
    assert scanned.wins.tolist() == judgments.counts.wins.tolist()
    assert scanned.ties.tolist() == judgments.counts.ties.tolist()
    return _counted(judgments)


# -- what systems are called -------------------------------------------------------------------------


def test_winners_by_name(tmp_path: Path) -> None:
    @examples(100)
    @given(_results(st.sampled_from(_TRAPS)), st.sampled_from(["tie", "draw", "both_bad", "Neither"]))
    def check(results: list[Result], tie: str) -> None:
        path = _written(tmp_path / "x.csv", _by_name(results, tie))
        assert _read(path) in (None, _meant(results))

    check()


@pytest.mark.parametrize("words", _VOCABULARIES, ids="-".join)
@pytest.mark.parametrize("header", [("left", "right", "winner"), ("model_a", "model_b", "winner")], ids="-".join)
def test_winners_by_side(words: tuple[str, str, str], header: tuple[str, str, str], tmp_path: Path) -> None:
    own = [case(word) for word in words for case in (str, str.upper, str.title)]

    @examples(8)
    @given(_results(st.sampled_from(own) | st.sampled_from(_TRAPS)))
    def check(results: list[Result]) -> None:
        path = _written(tmp_path / "x.csv", _by_side(results, words), header)
        assert _read(path) in (None, _meant(results))

    check()


@examples(30)
@given(_results(st.sampled_from(_TRAPS), ties=False))
def test_names_that_are_asked_for_are_names(tmp_path: Path, results: list[Result]) -> None:
    assert _read(_written(tmp_path / "x.csv", _by_name(results)), outcomes="names") == _meant(results)


@examples(30)
@given(_results(st.sampled_from(_TRAPS)), st.sampled_from(_VOCABULARIES[:10]))
def test_sides_that_are_asked_for_are_sides(tmp_path: Path, results: list[Result], words: tuple[str, str, str]) -> None:
    assert _read(_written(tmp_path / "x.csv", _by_side(results, words)), outcomes="sides") == _meant(results)


@pytest.mark.parametrize("words", [None, *_VOCABULARIES[:10]], ids=lambda words: "-".join(words or ["names"]))
def test_other_names_are_never_refused(words: tuple[str, str, str] | None, tmp_path: Path) -> None:
    @examples(8)
    @given(_results(st.sampled_from(_NEUTRAL)))
    def check(results: list[Result]) -> None:
        rows = _by_name(results) if words is None else _by_side(results, words)
        assert _read(_written(tmp_path / "x.csv", rows), faults=0) == _meant(results)

    check()


# -- what must not matter ----------------------------------------------------------------------------

_CONSTANTS = ("topic", "judge", "segment", "hit", "label", "tie", "comment", "time", "rank1", "rater1")


@pytest.mark.parametrize("words", [None, *_VOCABULARIES], ids=lambda words: "-".join(words or ["names"]))
def test_sides_order_and_constant_columns_change_nothing(words: tuple[str, str, str] | None, tmp_path: Path) -> None:
    @examples(7)
    @given(
        _results(st.sampled_from(_NEUTRAL) | st.sampled_from(_TRAPS)),
        st.sampled_from(_CONSTANTS),
        st.randoms(use_true_random=False),
    )
    def check(results: list[Result], constant: str, random: Any) -> None:
        path = tmp_path / "x.csv"
        rows = _by_name(results) if words is None else _by_side(results, words)
        expected = _read(_written(path, rows))
        assert expected in (None, _meant(results))
        # The systems change sides, and so do the words.
        exchanged = [(second, first, None if won is None else 1 - won) for first, second, won in results]
        rows_exchanged = _by_name(exchanged) if words is None else _by_side(exchanged, words)
        assert _read(_written(path, rows_exchanged)) in (None, _meant(results))
        # The columns change places, and keep their names.
        assert _read(_written(path, [row[::-1] for row in rows], ("winner", "right", "left"))) == expected
        assert _read(_written(path, random.sample(rows, len(rows)))) == expected
        more = [[*row, "2014-01-01"] for row in rows]
        assert _read(_written(path, more, ("left", "right", "winner", constant))) == expected

    check()


# -- what is damaged ---------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [None, *_VOCABULARIES], ids=lambda words: "-".join(words or ["names"]))
@pytest.mark.parametrize("share", [0.005, 0.1])
def test_planted_faults_are_refused_or_said(words: tuple[str, str, str] | None, share: float, tmp_path: Path) -> None:
    """Rows are damaged only where the first system won, or anywhere, with one word, many, or nothing."""

    @examples(5)
    @given(
        st.sampled_from([("P", "Q", "R"), ("A", "B", "C"), ("left", "model_b", "x")]),
        st.booleans(),
        st.sampled_from([["perhaps"], ["?", "GPT", "99"], [""], ["a", "left", "Q"], ["tie?"]]),
        st.randoms(use_true_random=False),
    )
    def check(systems: tuple[str, str, str], one_sided: bool, damage: list[str], random: Any) -> None:
        p, q, r = systems
        results: list[Result] = [(p, q, 0)] * 60 + [(q, p, 0)] * 30 + [(q, r, 1)] * 85 + [(r, p, None)] * 25
        rows = _by_name(results) if words is None else _by_side(results, words)
        used = {word.lower() for word in words or (*systems, "tie")}
        faults = [word for word in damage if word.lower() not in used]  # a word of the file would be no fault
        assume(faults)
        targets = [i for i, (_, _, won) in enumerate(results) if won == 0 or not one_sided]
        hit = set(random.sample(targets, round(share * len(results))))
        damaged = [[*row[:2], random.choice(faults)] if i in hit else row for i, row in enumerate(rows)]
        kept = _meant([result for i, result in enumerate(results) if i not in hit])
        path = _written(tmp_path / "x.csv", damaged)
        allowed = (None, kept) if faults == [""] and share <= 0.01 else (None,)
        assert _read(path) in allowed
        found = _read(path, faults="lenient")
        assert found in (None, kept)
        assert found is not None or systems[0] != "P" or "99" in faults  # names and numbers may still be ambiguous
        if found is not None:
            _, report = read_with_report(path, options=ReadOptions(faults="lenient"))
            assert (report.records, len(report.rejected)) == (len(results), len(hit))

    check()
