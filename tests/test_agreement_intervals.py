"""Intervals of κ that allow for other judges and segments: by brute force, by hand, and on simulated campaigns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl
import pytest
from builders import judged
from scipy.stats import t as student

import palmares as pm
from benchmarks.kappa import Design, Population, intervals, missed
from palmares.analysis.agreement import Agreement, Kappa
from palmares.judgments import Judgments

Pick = Callable[[Agreement], Kappa]


def point(rows: pl.DataFrame) -> Agreement:
    return pm.agreement(Judgments.from_rows(rows), judges=True, resamples=0, rng=0)


def without(rows: pl.DataFrame, **unit: str) -> pl.DataFrame:
    return rows.filter(~pl.all_horizontal([pl.col(name) == value for name, value in unit.items()]))


def every_unit(rows: pl.DataFrame, *columns: str) -> Iterator[dict[str, str]]:
    known = product(*[sorted(set(rows[column])) for column in columns])
    for values in known:
        unit = dict(zip(columns, values, strict=True))
        if without(rows, **unit).height < rows.height:
            yield unit


@dataclass
class LeftOut:
    """What leaving out rows of one unit after another gives: for each, the pairs that go and how κ changes."""

    whole: Kappa
    gone: np.ndarray
    change: np.ndarray

    @property
    def units(self) -> int:
        return int((self.gone > 0).sum())

    @property
    def variance(self) -> float:
        return (self.units - 1) / self.units * float((self.change**2).sum())

    @property
    def effective(self) -> float:
        return float(self.gone.sum() ** 2 / (self.gone**2).sum())


def left_out(rows: pl.DataFrame, pick: Pick, *columns: str, but: str | None = None) -> LeftOut:
    """Leave out every unit once, except for those of a judge who is ``but``."""
    whole = pick(point(rows))
    units = [unit for unit in every_unit(rows, *columns) if but is None or unit.get("judge") != but]
    rest = [pick(point(without(rows, **unit))) for unit in units]
    gone = np.array([whole.pairs - each.pairs for each in rest], dtype=float)
    return LeftOut(whole, gone, np.array([each.kappa - whole.kappa for each in rest]))


def between_judges(judges: LeftOut, cells: LeftOut, two: bool) -> tuple[float, float]:
    """What judges add to the variance by segment, and its degrees of freedom: sums over judges, one by one."""
    seen = zip(cells.change, cells.gone, strict=True)
    noise = sum((change * (1 - pairs / judges.whole.pairs)) ** 2 for change, pairs in seen if pairs)
    shares = judges.gone / judges.whole.pairs
    squares, expected = 0.0, []
    for share, change in zip(shares, judges.change, strict=True):
        if share == 0:
            continue
        off = change * (1 - share) / share
        squares += share * (off**2 - noise / shares.sum() * (1 - share) / share)
        # Effects of judges are independent: of the judge's own, 1 − w is left; of every other, what all pairs have of
        # it less what the judge's own pairs have, w_k / (2 − w) on average where others are chosen by how much they do.
        terms = [1 - share, *(o - (o / (2 - share) if two else 0) for o in _others(shares, share))]
        expected.append(share * sum(term**2 for term in terms))
    tau = max(squares / sum(expected), 0)
    added = (shares**2).sum() - ((cells.gone / judges.whole.pairs) ** 2).sum()
    return tau * float(added), sum(expected) ** 2 / sum(x**2 for x in expected) - 1


def _others(shares: np.ndarray, share: float) -> list[float]:
    rest = shares.tolist()
    rest.remove(share)
    return rest


def both(segments: LeftOut, judges: LeftOut, cells: LeftOut, *, two: bool) -> tuple[float, float]:
    """Variance and degrees of freedom by segment and judge."""
    added, df = between_judges(judges, cells, two)
    # Between judges, what is peculiar to a pair is in the tallies of both of its judges.
    alone = judges.variance - cells.variance / 2 if two else judges.variance
    sum_of_both = segments.variance + judges.variance - cells.variance
    return max(segments.variance, alone, sum_of_both, segments.variance + added), min(segments.effective - 1, df)


def expected_interval(whole: Kappa, variance: float, df: float) -> tuple[float, float]:
    half = student.ppf(0.975, max(df, 1)) * math.sqrt(variance) / (1 - whole.kappa)
    floor = -whole.expected / (1 - whole.expected)
    return max(1 - (1 - whole.kappa) * math.exp(half), floor), 1 - (1 - whole.kappa) * math.exp(-half)


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    """Six judges, two or three to each of twelve segments, some of whom judge twice."""
    design = Design(6, 12, each=3, repeated=0.5, population=Population(systems=3))
    return design.campaign(3).to_rows()


@pytest.mark.parametrize("kind", ["inter", "intra"])
def test_the_interval_is_that_of_tables_from_which_units_were_really_left_out(rows: pl.DataFrame, kind: str) -> None:
    def pick(found: Agreement) -> Kappa:
        return getattr(found, kind).kappa

    segments, judges, cells = (left_out(rows, pick, *unit) for unit in (["segment"], ["judge"], ["judge", "segment"]))
    assert judges.units == 6
    found = pick(pm.agreement(Judgments.from_rows(rows), rng=0))
    assert found.unit == "two-way"
    expected = expected_interval(found, *both(segments, judges, cells, two=kind == "inter"))
    assert found.interval == pytest.approx(expected)


def test_the_interval_of_each_judge_allows_for_other_others(rows: pl.DataFrame) -> None:
    lines = pm.agreement(Judgments.from_rows(rows), judges=True, rng=0).by_judge
    units = set()
    for name in sorted(set(rows["judge"])):

        def pick(found: Agreement, name: str = name) -> Kappa:
            return next(line.inter for line in found.by_judge if line.judge == name)

        segments = left_out(rows, pick, "segment")
        judges = left_out(rows, pick, "judge", but=name)
        found = next(line.inter for line in lines if line.judge == name)
        spread = segments.variance, segments.effective - 1
        if judges.units >= 5:
            spread = both(segments, judges, left_out(rows, pick, "judge", "segment", but=name), two=False)
        assert found.unit == ("two-way" if judges.units >= 5 else "segment")
        assert found.interval == pytest.approx(expected_interval(found, *spread))
        units.add(found.unit)
    assert units == {"two-way", "segment"}


def test_repeats_of_a_judge_vary_with_segments_only(rows: pl.DataFrame) -> None:
    found = pm.agreement(Judgments.from_rows(rows), judges=True, rng=0)
    lines = [line for line in found.by_judge if line.intra.interval]
    assert lines
    for line in lines:

        def pick(found: Agreement, name: str = line.judge) -> Kappa:
            return next(each.intra for each in found.by_judge if each.judge == name)

        segments = left_out(rows, pick, "segment")
        assert line.intra.unit == "segment"
        expected = expected_interval(line.intra, segments.variance, segments.effective - 1)
        assert line.intra.interval == pytest.approx(expected)


# -- whom an interval is for -------------------------------------------------------------------------


def crossed(said: dict[str, list[int]]) -> Judgments:
    """What every judge said of A and B on one segment after another."""
    rows = [("A", "B", outcome) for outcomes in said.values() for outcome in outcomes]
    judge = [name for name, outcomes in said.items() for _ in outcomes]
    segment = [f"{k:03}" for outcomes in said.values() for k in range(len(outcomes))]
    return judged(rows, judge=judge, segment=segment)


def test_judges_who_differ_make_the_interval_wider_than_segments_do() -> None:
    # Five judges agree on all but every tenth segment, three say what they like: another eight might have been others.
    rng = np.random.default_rng(1)
    truth = rng.choice([-1, 1], 200)
    said = {f"good{k}": np.where(rng.random(200) < 0.1, -truth, truth).tolist() for k in range(5)}
    said |= {f"poor{k}": rng.choice([-1, 1], 200).tolist() for k in range(3)}
    judgments = crossed(said)
    both, drawn = (pm.agreement(judgments, resamples=n, rng=0).inter.kappa for n in (None, 1000))
    assert both.kappa == drawn.kappa
    assert (both.unit, drawn.unit) == ("two-way", "segment")
    # κ without the poor judges is 2 · (.9² + .1²) − 1 = .64, with nobody else 0: a sample of eight can be far from .25.
    assert both.interval[1] - both.interval[0] > 4 * (drawn.interval[1] - drawn.interval[0])


def test_below_five_judges_the_interval_is_for_these_judges() -> None:
    rng = np.random.default_rng(2)
    four = crossed({f"j{k}": rng.choice([-1, 0, 1], 40).tolist() for k in range(4)})
    found = pm.agreement(four, rng=0)
    note = (
        "inter: only 4 judges, so the interval is for these judges: it allows for other segments, not for other judges"
    )
    assert note in found.notes
    assert found.inter.kappa.unit == "segment"
    assert "|unit:segment|p:0.05|" in found.signature
    five = crossed({f"j{k}": rng.choice([-1, 0, 1], 40).tolist() for k in range(5)})
    found = pm.agreement(five, rng=0)
    assert not any("these judges" in note for note in found.notes)
    assert "|unit:two-way|p:0.05|" in found.signature


def test_a_judge_in_every_pair_cannot_be_left_out() -> None:
    # Each of six judges a segment group of their own, all with ann: without ann there is no pair.
    rng = np.random.default_rng(3)
    segments = [f"{k:03}" for k in range(60)]
    others = [f"j{k % 6}" for k in range(60)]
    outcome = rng.choice([-1, 0, 1], 120).tolist()
    judgments = judged([("A", "B", o) for o in outcome], judge=["ann"] * 60 + others, segment=segments * 2)
    found = pm.agreement(judgments, rng=0)
    assert found.inter.judges == 7
    assert found.inter.kappa.unit == "segment"
    assert any(
        note.startswith("inter: one judge is in every pair, so the interval is for these") for note in found.notes
    )


def test_drawn_segments_say_whom_they_are_for() -> None:
    rng = np.random.default_rng(2)
    judgments = crossed({f"j{k}": rng.choice([-1, 0, 1], 40).tolist() for k in range(6)})
    drawn = pm.agreement(judgments, resamples=100, rng=0).notes
    assert any(note.startswith("intervals from drawn segments are for these judges") for note in drawn)
    assert not any("drawn segments" in note for note in pm.agreement(judgments, rng=0).notes)


def test_a_kappa_of_no_agreement_at_all_has_no_interval() -> None:
    # Ties make chance vary, but nothing shows how unsure it is that no pair agrees.
    judgments = crossed({"ann": [0, 1, 1, 0, 1, -1], "bob": [1, -1, 0, 1, -1, 1]})
    found = pm.agreement(judgments, rng=0)
    assert (found.inter.kappa.agreed, found.inter.kappa.interval) == (0, None)
    assert "inter: every pair disagrees, so nothing shows how unsure κ is, and it has no interval" in found.notes


def test_segments_that_are_all_alike_show_nothing() -> None:
    # On every segment the two agree on one pair of systems and not on the other: whatever is left out, κ is 0.
    rows = [("A", "B", 1), ("C", "D", 1), ("A", "B", 1), ("C", "D", -1)] * 7
    judgments = judged(rows, judge=["ann", "ann", "bob", "bob"] * 7, segment=[str(k // 4) for k in range(28)])
    found = pm.agreement(judgments, judges=True, rng=0)
    assert (found.inter.kappa.kappa, found.inter.kappa.interval) == (0, None)
    reason = "one segment has all pairs, or all segments are alike, so nothing shows how unsure κ is"
    assert f"inter: {reason}" in found.notes
    of_judges = "κ without an interval, because one segment has all of their pairs, or all segments are alike: ann, bob"
    assert of_judges in found.notes


# -- is the stated level kept? -----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("judges", "segments"), [(8, 120), (25, 150)])
def test_intervals_hold_the_kappa_of_the_population_about_as_often_as_they_say(judges: int, segments: int) -> None:
    design = Design(judges, segments, population=Population(noise=0.5, taste=0.7))
    truths = design.population.kappas(looks=300_000)
    both, drawn = (intervals(design, 200, resamples, first=5000) for resamples in (None, 100))
    for kind, truth in enumerate(truths):
        misses, _ = missed([each[kind] for each in both], truth)
        # 5 %, and three standard errors of 200 campaigns.
        assert misses <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)
    # Segments alone miss far more often: this is what was wrong.
    assert missed([each[0] for each in drawn], truths[0])[0] > 0.15
