"""Agreement of judges: by hand, against enumeration, against another library, and against published figures."""

from __future__ import annotations

import io
from collections import defaultdict
from itertools import combinations, combinations_with_replacement
from pathlib import Path

import krippendorff
import numpy as np
import polars as pl
import pytest
from builders import judged
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import palmares as pm
from palmares.analysis.agreement import Agreement
from palmares.analysis.agreement.coefficients import NOMINAL, alpha, band, ordinal
from palmares.analysis.agreement.tallies import rows_of, shares_of
from palmares.compute import Execution, generator
from palmares.errors import InputError
from palmares.judgments import Judgments

#: The example of the page docs/agreement.md: (segment, judge, a, b, outcome).
BY_HAND = [
    ("1", "ann", "A", "B", 1),
    ("1", "bob", "A", "B", 1),
    ("1", "cid", "A", "B", 0),
    ("1", "ann", "A", "C", -1),
    ("1", "bob", "A", "C", -1),
    ("2", "ann", "A", "B", 1),
    ("2", "ann", "A", "B", 0),
]

Row = tuple[str, str, str, str, int]


def table(rows: list[Row], **columns: list[object]) -> Judgments:
    segment, judge = [r[0] for r in rows], [r[1] for r in rows]
    return judged([r[2:] for r in rows], segment=segment, judge=judge, **columns)


def point(judgments: Judgments, **how: object) -> Agreement:
    """Without intervals."""
    return pm.agreement(judgments, resamples=0, rng=0, **how)


# -- by hand -----------------------------------------------------------------------------------------


def test_judges_are_compared_on_the_same_two_systems_of_one_segment() -> None:
    found = point(table(BY_HAND)).inter
    assert (found.kappa.agreed, found.kappa.pairs) == (2, 4)
    assert (found.kappa.observed, found.kappa.expected) == (0.5, pytest.approx(33 / 98))
    assert found.kappa.kappa == pytest.approx(16 / 65)
    assert (found.items, found.judges) == (2, 3)


def test_a_judge_is_compared_with_earlier_judgments_of_the_same() -> None:
    found = point(table(BY_HAND)).intra
    assert (found.kappa.agreed, found.kappa.pairs, found.items, found.judges) == (0, 1, 1, 1)
    assert found.kappa.kappa == pytest.approx(-33 / 65)
    assert found.kappa.band == "poor"


def test_alpha_by_hand() -> None:
    # Entered from both sides, the coincidences between judges are << 3, >> 3 and one each of <=, =<, =>, >=.
    found = point(table(BY_HAND))
    assert found.inter.alpha == pytest.approx(1 - 9 * 4 / (100 - 36))
    assert found.inter.alpha_ordinal == pytest.approx(1 - 9 * (4 * 9) / (2 * (8 * 9 + 8 * 9 + 16 * 36)))
    # Ann's two judgments of one item, from both sides: one each of <=, =<, =>, >=.
    assert found.intra.alpha == pytest.approx(1 - 3 * 4 / 10)
    assert found.intra.alpha_ordinal == pytest.approx(1 - 3 * (4 * 2.25) / 36)


def test_every_judge_against_all_the_others_by_hand() -> None:
    found = point(table(BY_HAND), judges=True).by_judge
    assert [(line.judge, line.inter.agreed, line.inter.pairs, line.intra.pairs) for line in found] == [
        ("cid", 0, 2, 0),
        ("ann", 2, 3, 1),
        ("bob", 2, 3, 0),
    ]
    assert [line.ties for line in found] == [1, 0.25, 0]
    assert found[0].inter.kappa == pytest.approx(-33 / 65)
    assert found[1].inter.kappa == pytest.approx((2 / 3 - 33 / 98) / (65 / 98))
    assert found[1].intra.kappa == pytest.approx(-33 / 65)
    assert found[2].intra.kappa is None


def test_the_page_has_this_example() -> None:
    page = (Path(__file__).parents[1] / "docs" / "agreement.md").read_text(encoding="utf-8")
    shown = pm.read(io.StringIO(page.split("```text\n")[1].split("```")[0]))
    assert point(shown).inter == point(table(BY_HAND)).inter
    assert point(shown).intra == point(table(BY_HAND)).intra


def test_the_tie_rate_counts_judgments_that_nobody_repeated_too() -> None:
    alone = [(str(s), "ann", "A", "B", 0) for s in range(3, 10)]
    assert point(table(BY_HAND + alone)).inter.kappa.expected == pytest.approx((9 / 14) ** 2 + (5 / 14) ** 2 / 2)


def test_two_judgments_of_one_ranking_are_no_repeat() -> None:
    rows = [("1", "ann", "A", "B", o) for o in (1, 1, 0)]
    loose = point(table(rows)).intra.kappa
    assert (loose.agreed, loose.pairs) == (1, 3)
    linked = point(table(rows, ranking=["r", "r", "s"])).intra.kappa
    assert (linked.agreed, linked.pairs) == (0, 2)
    some = point(table(rows, ranking=["r", None, None])).intra.kappa
    assert (some.agreed, some.pairs) == (1, 3)
    repeated = [("1", "bob", "A", "B", 1), ("1", "bob", "A", "B", 0)]
    both = table(rows + repeated, ranking=["r", "r", "r", "s", "t"])
    assert point(both).intra.alpha == point(table(repeated)).intra.alpha


def test_the_published_counting_by_hand() -> None:
    rows = [
        ("1", "ann", "A", "B", 1),
        ("1", "bob", "B", "A", 1),
        ("1", "cid", "A", "B", 1),
        ("1", "ann", "A", "B", 0),
        ("1", "bob", "A", "C", 0),
        ("1", "ann", "C", "A", 1),
        ("2", "ann", "A", "C", 0),
    ]
    judgments = table(rows, position_a=[1] * 7, position_b=[2] * 7)
    found = point(judgments, counting="wmt16")
    # Only three judgments are of the same ordered pair, and two of them are ann's own.
    assert (found.inter.kappa.agreed, found.inter.kappa.pairs, found.inter.items, found.inter.judges) == (1, 3, 1, 2)
    assert found.inter.kappa.expected == pytest.approx((3 / 7) ** 2 + (4 / 7) ** 2 / 2)
    # Ann repeated something on segment 1 only, where one of her three judgments is a tie.
    assert (found.intra.kappa.agreed, found.intra.kappa.pairs) == (0, 1)
    assert found.intra.kappa.expected == pytest.approx(1 / 3)
    assert found.intra.kappa.kappa == pytest.approx(-1 / 2)
    assert found.inter.alpha is found.intra.alpha_ordinal is None
    assert "counting:wmt16|" in found.signature
    unordered = point(judgments).inter.kappa
    assert (unordered.agreed, unordered.pairs) == (1, 6)


def test_the_published_counting_takes_the_order_from_a_covariate_where_there_are_no_positions() -> None:
    rows = [("1", "ann", "A", "B", 1), ("1", "bob", "B", "A", 1), ("1", "cid", "A", "B", 1)]
    kept = table(rows, **{"extra.system1Id": ["A", "B", "A"]})
    assert point(kept, counting="wmt16").inter.kappa.pairs == 1
    wrong = table(rows, **{"extra.system1Id": ["A", "X", "A"]})
    for judgments in (wrong, table(rows)):
        with pytest.raises(InputError, match="--collapse --extra system1Id"):
            point(judgments, counting="wmt16")


@pytest.mark.parametrize(
    ("value", "word"),
    [(-0.01, "poor"), (0, "slight"), (0.2, "slight"), (0.21, "fair"), (0.4, "fair"), (0.6, "moderate"),
     (0.61, "substantial"), (0.8, "substantial"), (0.81, "almost perfect"), (1.0, "almost perfect")],
)  # fmt: skip
def test_bands_are_those_of_landis_and_koch(value: float, word: str) -> None:
    assert band(value) == word


# -- what is not there -------------------------------------------------------------------------------


def test_without_overlap_there_is_no_kappa_and_a_note_says_so() -> None:
    found = pm.agreement(table([("1", "ann", "A", "B", 1), ("2", "bob", "A", "B", 0)]), judges=True, rng=0)
    assert found.inter.kappa.kappa is found.inter.kappa.interval is found.inter.alpha is found.inter.kappa.band is None
    assert found.notes == (
        "no two judges judged the same two systems on one segment, so there is no κ between judges",
        "no judge judged the same two systems on one segment twice, so there is no κ of judges with themselves",
    )
    assert [line.inter.kappa for line in found.by_judge] == [None, None]


def test_one_judge_alone_can_agree_with_no_other() -> None:
    rows = [(str(s), "ann", "A", "B", s % 2) for s in range(40)] * 2
    found = pm.agreement(table(rows), rng=0)
    assert found.inter.kappa.pairs == 0
    assert found.intra.kappa.kappa == 1
    assert found.intra.kappa.interval is None
    assert "intra: every pair agrees, so nothing shows how unsure κ is, and it has no interval" in found.notes


def test_nothing_but_ties_has_no_kappa() -> None:
    rows = [(str(s), j, "A", "B", 0) for s in range(40) for j in ("ann", "bob")]
    found = pm.agreement(table(rows), rng=0, judges=True)
    assert (found.inter.kappa.observed, found.inter.kappa.expected, found.inter.kappa.kappa) == (1, 1, None)
    assert found.inter.alpha is found.inter.kappa.interval is None
    assert found.notes[0] == "inter: every judgment is a tie, so judges must agree by chance alone and κ is not defined"


def test_a_kappa_that_few_samples_have_gets_no_interval() -> None:
    rows = [(str(s), "ann", "A", "B", 1) for s in range(40)]
    rows += [("1", "bob", "A", "B", 1), ("1", "cid", "A", "B", -1)]
    reasons = {
        None: "inter: one segment has all pairs, or all segments are alike, so nothing shows how unsure κ is",
        1000: "inter: κ is not defined in too many of the 1000 resamples to give it an interval",
    }
    for resamples, reason in reasons.items():
        found = pm.agreement(table(rows), resamples=resamples, rng=0)
        assert (found.inter.kappa.agreed, found.inter.kappa.pairs) == (1, 3)
        assert found.inter.kappa.interval is None
        assert reason in found.notes


def test_every_judge_without_a_kappa_or_an_interval_has_a_reason() -> None:
    rows: list[Row] = []
    for k in range(40):
        rows += [(str(k), "ann", "A", "B", 1), (str(k), "bob", "A", "B", 1 if k % 3 else -1)]
    # cid met the others on one segment of 40 only, and disagrees with one of them there; dan is always with ann.
    rows += [("0", "cid", "A", "B", 1), ("0", "cid", "A", "B", 1)]
    rows += [(f"d{k}", who, "A", "B", 0 if k else 1) for k in range(40) for who in ("dan", "eve")]
    rows += [("f", "fay", "A", "B", 1)]
    found = pm.agreement(table(rows), judges=True, resamples=100, rng=0)
    without = {line.judge for line in found.by_judge if line.inter.interval is None}
    assert without == {"cid", "dan", "eve", "fay"}
    assert [note for note in found.notes if "κ" in note and "intra" not in note] == [
        "κ without an interval, because too many of the 100 resamples have none of their pairs: cid",
        "κ without an interval, because all of their pairs agree, or none does: dan, eve",
        "without κ, because nobody else judged what they judged: fay",
        "own κ without an interval, because all of their pairs agree, or none does: cid",
        "without own κ, because they judged nothing twice: bob, ann, dan, eve, fay",
    ]
    # Nothing of it is said of a table that does not show judges.
    assert not any("their pairs" in note for note in pm.agreement(table(rows), resamples=100, rng=0).notes)


def test_judgments_without_judge_or_segment_are_left_out() -> None:
    more = table(BY_HAND).to_rows()
    blank = more.with_columns(judge=pl.lit(None, pl.String))
    no_segment = more.with_columns(segment=pl.lit(None, pl.String))
    found = point(Judgments.from_rows(pl.concat([more, blank, no_segment])))
    assert found.inter == point(table(BY_HAND)).inter
    assert found.judgments == 7
    assert found.notes == ("14 of 21 judgments have no judge or no segment and were left out",)


def test_weights_play_no_part() -> None:
    weighed = point(table(BY_HAND, weight=[1.0, 2, 3, 4, 5, 6, 7]))
    assert weighed.inter == point(table(BY_HAND)).inter
    assert weighed.notes == ("the judgments have weights, which play no part here: every judgment counts once",)


def test_systems_that_shared_an_output_are_pointed_out() -> None:
    shared = table(BY_HAND, position_a=[1] * 7, position_b=[2] * 6 + [1])
    assert point(shared).notes[0].startswith("1 of 7 judgments are between systems that had one output")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"segment": ["1", "1"]}, "needs to know the judge of each judgment"),
        ({"judge": ["x", "y"]}, "needs to know the segment of each judgment"),
        ({"segment": ["1", None], "judge": [None, "x"]}, "no judgment has both"),
        ({"segment": ["1", "1"], "judge": ["x", "y"], "lang_pair": ["a-b", "a-c"]}, "mix 2 language pairs"),
    ],
)
def test_what_cannot_be_compared_is_refused(columns: dict[str, list[object]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        point(judged([("A", "B", 1), ("A", "B", 1)], **columns))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"resamples": -1}, "resamples: got -1"),
        ({"resamples": 10}, "10 resamples are too few for p = 0.05; use at least 40"),
        ({"p": 1.5}, "p: got 1.5"),
        ({"p": 0, "resamples": 50}, "p: got 0"),
        ({"judges": True, "counting": "wmt16"}, "no counting by judge for 'wmt16'"),
        ({"counting": "wmt17"}, "counting: got 'wmt17'; allowed: all-pairs, wmt16, two-judges"),
    ],
)
def test_wrong_arguments_are_refused(how: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        pm.agreement(table(BY_HAND), rng=0, **how)


# -- properties --------------------------------------------------------------------------------------

ROWS = st.lists(
    st.tuples(
        st.sampled_from("12"),
        st.sampled_from(["ann", "bob", "cid"]),
        st.sampled_from([("A", "B"), ("B", "A"), ("A", "C"), ("C", "B")]),
        st.sampled_from([1, 0, -1]),
        st.sampled_from([None, "r", "s"]),
    ),
    min_size=1,
    max_size=25,
)


def made(rows: list[tuple]) -> Judgments:
    plain = [(s, j, a, b, o) for s, j, (a, b), o, _ in rows]
    return table(plain, ranking=[None if r is None else f"{r}{s}{j}" for s, j, _, _, r in rows])


def enumerated(judgments: Judgments) -> dict[str, tuple[int, int]]:
    """(agreed, pairs) by looking at every two rows."""
    rows = judgments.to_rows()
    if "ranking" not in rows.columns:
        rows = rows.with_columns(ranking=pl.lit(None, pl.String))
    found = {"inter": (0, 0), "intra": (0, 0)}
    for x, y in combinations(rows.iter_rows(named=True), 2):
        if any(x[key] != y[key] for key in ("segment", "system_a", "system_b")):
            continue
        if x["judge"] == y["judge"] and x["ranking"] is not None and x["ranking"] == y["ranking"]:
            continue
        kind = "intra" if x["judge"] == y["judge"] else "inter"
        agreed, pairs = found[kind]
        found[kind] = (agreed + (x["outcome"] == y["outcome"]), pairs + 1)
    return found


@examples(100)
@given(ROWS)
def test_tallies_count_what_looking_at_every_two_rows_counts(rows: list[tuple]) -> None:
    judgments = made(rows)
    found = point(judgments, judges=True)
    counted = {m.kind: (m.kappa.agreed, m.kappa.pairs) for m in (found.inter, found.intra)}
    assert counted == enumerated(judgments)
    # Every pair of two judges is in the lines of both.
    assert sum(line.inter.pairs for line in found.by_judge) == 2 * found.inter.kappa.pairs
    assert sum(line.inter.agreed for line in found.by_judge) == 2 * found.inter.kappa.agreed
    assert sum(line.intra.pairs for line in found.by_judge) == found.intra.kappa.pairs


def published(rows: list[tuple]) -> dict[str, tuple[int, int, int, int]]:
    """(agreed, pairs, ties, judgments) as WMT16 counted, from the rows as they stand."""
    plain = [(s, j, two, o) for s, j, two, o, _ in rows]
    twos = [(x, y) for x, y in combinations(plain, 2) if (x[0], x[2]) == (y[0], y[2])]
    own = [(x, y) for x, y in twos if x[1] == y[1]]
    repeated = {(x[0], x[1]) for x, _ in own}
    found = {}
    for kind, pairs, counted in (
        ("inter", twos, plain),
        ("intra", own, [row for row in plain if (row[0], row[1]) in repeated]),
    ):
        ties = sum(row[3] == 0 for row in counted)
        found[kind] = (sum(x[3] == y[3] for x, y in pairs), len(pairs), ties, len(counted))
    return found


@examples(60)
@given(ROWS)
def test_the_published_counting_is_what_looking_at_every_two_rows_counts(rows: list[tuple]) -> None:
    plain = [(s, j, a, b, o) for s, j, (a, b), o, _ in rows]
    found = point(table(plain, position_a=[1] * len(rows), position_b=[2] * len(rows)), counting="wmt16")
    for measure in (found.inter, found.intra):
        agreed, pairs, ties, total = published(rows)[measure.kind]
        assert (measure.kappa.agreed, measure.kappa.pairs) == (agreed, pairs)
        expected = (ties / total) ** 2 + (1 - ties / total) ** 2 / 2 if total else None
        assert measure.kappa.expected == (None if expected is None else pytest.approx(expected))


@examples(40)
@given(ROWS, st.randoms(use_true_random=False))
def test_names_and_order_change_nothing(rows: list[tuple], random: object) -> None:
    names = {"A": "zebra", "B": "yak", "C": "ant", "ann": "z", "bob": "a", "cid": "m"}
    renamed = [(s, names[j], (names[a], names[b]), o, r) for s, j, (a, b), o, r in rows]
    turned = [(s, j, (b, a), -o, r) for s, j, (a, b), o, r in rows]
    shuffled = list(rows)
    random.shuffle(shuffled)
    first = pm.agreement(made(rows), resamples=50, rng=1)
    for other in (renamed, turned, shuffled):
        found = pm.agreement(made(other), resamples=50, rng=1)
        for kind in ("inter", "intra"):
            ours, theirs = getattr(first, kind), getattr(found, kind)
            assert ours.kappa == theirs.kappa
            assert theirs.alpha == pytest.approx(ours.alpha)
            assert theirs.alpha_ordinal == pytest.approx(ours.alpha_ordinal)


@examples(30)
@given(ROWS)
def test_judges_who_agree_perfectly_have_one(rows: list[tuple]) -> None:
    # All see systems in the order A, B, C and never tie.
    perfect = [(s, j, (min(two), max(two)), 1, r) for s, j, two, _, r in rows]
    found = point(made(perfect), judges=True)
    for measure in (found.inter, found.intra):
        assert measure.kappa.kappa in (None, 1)
        assert measure.alpha == (None if measure.kappa.kappa is None else pytest.approx(1))
    assert {line.inter.kappa for line in found.by_judge} <= {None, 1}


@examples(60)
@given(ROWS)
def test_alpha_is_that_of_another_library(rows: list[tuple]) -> None:
    # One judgment per judge and item: what the library can hold.
    once = {(s, j, frozenset(two)): (s, j, two, o, None) for s, j, two, o, _ in rows}
    judgments = made(list(once.values()))
    cells: dict[tuple, dict[str, int]] = defaultdict(dict)
    for row in judgments.to_rows().iter_rows(named=True):
        for side in (1, -1):
            unit = (row["segment"], row["system_a"], row["system_b"], side)
            cells[unit][row["judge"]] = row["outcome"] * side
    data = [[unit.get(judge, np.nan) for unit in cells.values()] for judge in ("ann", "bob", "cid")]
    found = point(judgments).inter
    paired = [value for unit in cells.values() if len(unit) > 1 for value in unit.values()]
    if len(set(paired)) < 2:
        assert found.alpha is None
        return
    for level, ours in (("nominal", found.alpha), ("ordinal", found.alpha_ordinal)):
        theirs = krippendorff.alpha(data, value_domain=[-1, 0, 1], level_of_measurement=level)
        assert ours == pytest.approx(theirs)


def test_repeats_enter_alpha_between_judges_as_their_mean() -> None:
    # Bob said the same twice: as if once. Ann said both: as if each judgment were worth half.
    once = [("1", "ann", "A", "B", 1), ("1", "bob", "A", "B", 1), ("2", "ann", "A", "B", 0), ("2", "bob", "A", "B", 1)]
    assert point(table([*once, once[1]])).inter.alpha == pytest.approx(point(table(once)).inter.alpha)
    split = [("1", "ann", "A", "B", 1), ("1", "ann", "A", "B", 0), ("1", "bob", "A", "B", 1)]
    # Half of (ann, bob) agrees: coincidences >> 1, >= ½, => ½, and the same from the other side.
    assert point(table(split)).inter.alpha == pytest.approx(1 - 3 * 2 / (16 - 2 * 1.5**2 - 1))


def test_alpha_of_the_worked_examples() -> None:
    # Krippendorff 2011, examples A (two observers, two values) and C (four observers, five values, some missing).
    assert alpha(np.array([[10.0, 4], [4, 2]]), 1 - np.eye(2)) == pytest.approx(0.095, abs=5e-4)
    third, more = 1 / 3, 4 / 3
    example_c = np.array(
        [[7, more, third, third, 0], [more, 10, more, third, 0], [third, more, 8, third, 0],
         [third, third, third, 4, 0], [0, 0, 0, 0, 3]]
    )  # fmt: skip
    assert alpha(example_c, 1 - np.eye(5)) == pytest.approx(0.743, abs=5e-4)
    assert alpha(example_c, ordinal(example_c)) == pytest.approx(0.815, abs=5e-4)
    assert alpha(np.zeros((3, 3)), NOMINAL) is None


# -- intervals ---------------------------------------------------------------------------------------


def two_judges(rng: np.random.Generator, segments: int, agree: float) -> Judgments:
    """Two judges on one item a segment, who agree with this probability and never tie."""
    said = rng.choice([-1, 1], segments)
    other = np.where(rng.random(segments) < agree, said, -said)
    rows = [(f"{s:04}", "ann", "A", "B", int(o)) for s, o in enumerate(said)]
    return table([*rows, *[(f"{s:04}", "bob", "A", "B", int(o)) for s, o in enumerate(other)]])


def test_the_interval_is_as_wide_as_theory_says() -> None:
    # Without ties P(E) = ½ and κ = 2 P(A) − 1, where P(A) is a share of independent segments.
    found = pm.agreement(two_judges(np.random.default_rng(1), 400, 0.8), rng=0, resamples=2000).inter.kappa
    error = 2 * np.sqrt(found.observed * (1 - found.observed) / 400)
    low, high = found.interval
    assert low < found.kappa < high
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.08)


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(2)
    spans = [
        pm.agreement(
            two_judges(rng, 80, 0.75), rng=seed, resamples=200, p=0.1, execution=Execution("serial")
        ).inter.kappa.interval
        for seed in range(150)
    ]
    # 90 % promised; 150 trials scatter by 2.4 %.
    assert 0.82 < np.mean([low <= 0.5 <= high for low, high in spans]) < 0.97


def test_intervals_are_those_of_tables_that_were_really_resampled() -> None:
    judgments = pm.simulate(systems=5, rankings=150, judges=3, segments=15, rng=4).judgments
    found = pm.agreement(judgments, judges=True, rng=7, resamples=40)
    drawn = []
    for r in range(40):
        picks = generator(7, 1, r).integers(0, 15, 15)
        parts = [judgments.select(segment=judgments.segments[s]).to_rows() for s in picks]
        named = [part.drop("ranking").with_columns(segment=pl.lit(str(k))) for k, part in enumerate(parts)]
        drawn.append(point(Judgments.from_rows(pl.concat(named)), judges=True))

    def check(interval: tuple[float, float], kappas: list[float]) -> None:
        # With p = .05, one of 40 is dropped at each end.
        assert interval == pytest.approx((sorted(kappas)[1], sorted(kappas)[-2]))

    for kind in ("inter", "intra"):
        check(getattr(found, kind).kappa.interval, [getattr(each, kind).kappa.kappa for each in drawn])
        for line in found.by_judge:
            same = [other for each in drawn for other in each.by_judge if other.judge == line.judge]
            check(getattr(line, kind).interval, [getattr(other, kind).kappa for other in same])


def test_pairs_of_one_segment_are_drawn_together() -> None:
    # Each segment judged alike many times over: no more is known than from one judgment of each.
    once = two_judges(np.random.default_rng(3), 60, 0.8).to_rows()
    copies = [
        once.with_columns(
            system_a=pl.lit(f"A{k}"), system_b=pl.lit(f"B{k}"),
        ) for k in range(10)
    ]  # fmt: skip
    alone = pm.agreement(Judgments.from_rows(once), rng=0).inter.kappa
    many = pm.agreement(Judgments.from_rows(pl.concat(copies)), rng=0).inter.kappa
    assert many.pairs == 10 * alone.pairs
    assert many.interval == pytest.approx(alone.interval)


def test_a_seed_gives_the_same_numbers_wherever_it_runs() -> None:
    judgments = pm.simulate(systems=5, rankings=200, judges=6, segments=40, rng=1).judgments
    first = pm.agreement(judgments, judges=True, resamples=1000, rng=5)
    for execution in (Execution("serial"), Execution(workers=3), Execution("threads", 1)):
        assert pm.agreement(judgments, judges=True, resamples=1000, rng=5, execution=execution) == first
    assert pm.agreement(judgments, resamples=1000, rng=6).inter.kappa.interval != first.inter.kappa.interval
    assert "|unit:segment|resamples:1000|p:0.05|seed:5|systems:5|judgments:2000|" in first.signature


def test_the_kappa_of_the_table_is_the_mean_of_the_judges() -> None:
    found = point(pm.simulate(systems=5, rankings=200, judges=6, segments=40, rng=1).judgments, judges=True)
    pairs = [line.inter.pairs for line in found.by_judge]
    kappas = [line.inter.kappa for line in found.by_judge]
    assert np.average(kappas, weights=pairs) == pytest.approx(found.inter.kappa.kappa)
    assert kappas == sorted(kappas)


def test_many_judges_are_resampled_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    judgments = pm.simulate(systems=5, rankings=120, judges=7, segments=40, rng=2).judgments
    whole = pm.agreement(judgments, judges=True, rng=0, resamples=100)
    monkeypatch.setattr("palmares.analysis.agreement.intervals._COLUMNS", 3)
    assert pm.agreement(judgments, judges=True, rng=0, resamples=100) == whole


def test_judgments_of_few_segments_carry_a_warning() -> None:
    note = "only 2 segments to draw from; with fewer than 30, intervals come out too narrow"
    assert note in pm.agreement(table(BY_HAND * 2), resamples=100, rng=0).notes
    rough = "only 2 segments, too few to see well how much κ varies: take intervals as a rough guide"
    assert rough in pm.agreement(table(BY_HAND * 2), rng=0).notes


def test_the_tallies_of_a_share_are_those_of_its_rows() -> None:
    shares = shares_of(rows_of(table(BY_HAND)))
    assert shares.counts.sum() == 7
    assert shares.others.sum() == 2 * 4
    assert shares.repeats.sum() == 1


# -- published figures -------------------------------------------------------------------------------


@pytest.mark.real
@pytest.mark.parametrize(
    ("pair", "agreed", "pairs", "observed", "expected", "kappa"),
    [
        ("ron-eng", 1793, 3062, 0.586, 0.371, 0.341),
        ("tur-eng", 349, 630, 0.554, 0.345, 0.319),
        ("deu-eng", 749, 1076, 0.696, 0.421, 0.475),
    ],
)
def test_wmt16_comes_out_as_published(
    real_data: Path, pair: str, agreed: int, pairs: int, observed: float, expected: float, kappa: float
) -> None:
    path = real_data / "wmt16" / f"wmt16.collapsed.{pair}.csv"
    found = point(
        pm.read(path, options=pm.ReadOptions(merged="collapse"), extra=["system1Id"]), counting="wmt16"
    ).inter.kappa
    assert (found.agreed, found.pairs) == (agreed, pairs)
    assert [round(x, 3) for x in (found.observed, found.expected, found.kappa)] == [observed, expected, kappa]


@pytest.fixture(scope="module")
def gec15(real_data: Path) -> Judgments:
    return pm.read(real_data / "gec15" / "judgments.xml", options=pm.ReadOptions(merged="collapse"))


def mean_over_judges(judgments: Judgments) -> tuple[float, float]:
    """κ of every two judges and of each alone, averaged: the counting of Grundkiewicz et al. 2015."""
    said: dict[str, dict[tuple, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in judgments.to_rows().iter_rows(named=True):
        said[row["judge"]][row["segment"], row["system_a"], row["system_b"]].append(row["outcome"])
    found: dict[bool, list[tuple[float, int]]] = {False: [], True: []}
    for first, second in combinations_with_replacement(sorted(said), 2):
        own = first == second
        pairs, values = [], []
        for item in said[first].keys() & said[second].keys():
            one, two = said[first][item], said[second][item]
            pairs += combinations(one, 2) if own else [(x, y) for x in one for y in two]
            values += (one if len(one) > 1 else []) if own else one + two
        if pairs:
            chance = sum((values.count(o) / len(values)) ** 2 for o in (-1, 0, 1))
            found[own].append(((sum(x == y for x, y in pairs) / len(pairs) - chance) / (1 - chance), len(pairs)))
    inter, intra = (sum(k * n for k, n in found[own]) / sum(n for _, n in found[own]) for own in (False, True))
    return inter, intra


@pytest.mark.real
def test_gec15_comes_out_as_published(gec15: Judgments) -> None:
    # Grundkiewicz et al. 2015, Table 2a.
    found = pm.agreement(gec15, counting="two-judges", rng=0)
    assert (round(found.inter.kappa.kappa, 2), round(found.intra.kappa.kappa, 2)) == (0.29, 0.46)
    assert (found.inter.kappa.kappa, found.intra.kappa.kappa) == pytest.approx(mean_over_judges(gec15))


@pytest.mark.real
def test_gec15_over_all_pairs_is_near_the_published_mean(gec15: Judgments) -> None:
    found = pm.agreement(gec15, rng=0)
    # Grundkiewicz et al. 2015, Tables 1 and 2a.
    assert found.judgments == 20516
    assert found.ties == 5694 / 20516
    assert found.inter.kappa.kappa == pytest.approx(0.29, abs=0.015)
    assert found.intra.kappa.kappa == pytest.approx(0.46, abs=0.015)
    low, high = found.intra.kappa.interval
    assert low < 0.46 < high
    assert {m.kind: (m.kappa.agreed, m.kappa.pairs) for m in (found.inter, found.intra)} == {
        "inter": (16495, 30633),  # counted by a script that looks at every two rows
        "intra": (1061, 1631),
    }


def test_the_mean_over_judges_by_hand() -> None:
    # ann and bob share items 1/AB (they agree on >) and 2/AB (> against =): P(A) = ½; of their four judgments three are
    # > and one =, so P(E) = 10/16 and κ = (8 − 10) / (16 − 10) = −⅓. cid shares 1/AB with both and agrees: only > was
    # given, so chance alone gives agreement, and these two κs do not exist.
    judgments = judged(
        [("A", "B", 1), ("A", "B", 1), ("A", "B", 1), ("A", "B", 0), ("A", "B", 1)],
        segment=["1", "2", "1", "2", "1"],
        judge=["ann", "ann", "bob", "bob", "cid"],
    )
    found = pm.agreement(judgments, counting="two-judges", rng=0)
    assert found.inter.kappa.kappa == pytest.approx(-1 / 3)
    assert (found.inter.kappa.pairs, found.inter.kappa.agreed) == (4, 3)
    assert found.intra.kappa.kappa is None
    assert (found.inter.kappa.interval, found.inter.alpha) == (None, None)
