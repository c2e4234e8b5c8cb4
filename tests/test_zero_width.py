"""No interval without width: what is printed of systems that won everything, of anchors, and of scores that never vary.

Limits are worked out by hand, by minimising numerically, and by simulated campaigns whose truth is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from builders import counted, judged
from scipy.optimize import minimize
from scipy.stats import binomtest

import palmares as pm
from palmares.judgments import Judgments, unit_kinds
from palmares.models import MODELS
from palmares.models.ratios import Bojar, ExpectedWins, OrigWmt, least_mean
from palmares.report.tables import Grouped, interval_text, rendered

RATIOS = ("expected-wins", "bojar", "orig-wmt")


def champion(wins: int, *, ties: int = 0) -> Judgments:
    """One system that won all against each of two others, which are close."""
    return counted({("x", "a"): (wins, ties, 0), ("x", "b"): (wins, ties, 0), ("a", "b"): (60, 5, 40)})


def line_of(ranking: pm.Ranking, system: str) -> object:
    return next(line for line in ranking.lines if line.system == system)


# -- systems that won, or lost, everything ---------------------------------------------------------


@pytest.mark.parametrize("wins", [5, 30, 300])
@pytest.mark.parametrize("model", [name for name in MODELS if MODELS.load(name).ranks])
def test_no_model_prints_an_interval_without_width(model: str, wins: int) -> None:
    ranking = pm.rank(champion(wins), model=model, resamples=60, rng=0)
    for line in ranking.lines:
        assert line.interval is None or line.interval[1] - line.interval[0] > 1e-9
        assert line.error is None or line.error > 1e-9
    if ranking.record.facts["unit"] == "pair":
        shown = line_of(ranking, "x")
        assert shown.error is None
        assert (shown.interval is not None) == (model in RATIOS)
        assert any("won or lost every comparison" in note and note.endswith(": x") for note in ranking.notes)


@pytest.mark.parametrize("model", RATIOS)
@pytest.mark.parametrize("wins", [5, 30, 300])
def test_the_interval_of_a_share_that_is_one_is_that_of_clopper_and_pearson(model: str, wins: int) -> None:
    # 2 · wins of 2 · wins comparisons, each drawn by itself.
    expected = binomtest(2 * wins, 2 * wins).proportion_ci(0.95, method="exact")
    ranking = pm.rank(champion(wins), model=model, resamples=60, rng=0)
    assert line_of(ranking, "x").interval == pytest.approx((expected.low, 1.0))
    mirrored = pm.rank(
        judged([(a, b, -o) for a, b, o in champion(wins).to_rows().select("system_a", "system_b", "outcome").rows()]),
        model=model, resamples=60, rng=0,
    )  # fmt: skip
    assert line_of(mirrored, "x").interval == pytest.approx((0.0, 1 - expected.low))


def test_a_tie_counts_as_not_lost_only_where_the_score_says_so() -> None:
    tied = champion(5, ties=15)
    found = {model: line_of(pm.rank(tied, model=model, resamples=60, rng=0), "x").interval for model in RATIOS}
    low = {n: binomtest(n, n).proportion_ci(0.95, method="exact").low for n in (10, 40)}
    assert found["bojar"] == pytest.approx((low[10], 1))
    assert found["expected-wins"] == pytest.approx((low[10], 1))
    assert found["orig-wmt"] == pytest.approx((low[40], 1))
    # Never better, but tied: orig-wmt's share of comparisons not lost varies over samples; the others have none.
    never = counted({("x", "a"): (0, 15, 15), ("x", "b"): (0, 15, 15), ("a", "b"): (60, 5, 40)})
    shown = line_of(pm.rank(never, model="orig-wmt", resamples=60, rng=0), "x")
    assert shown.interval[0] < 0.5 < shown.interval[1]
    assert shown.error is not None


def test_rankings_won_count_once_whatever_their_pairs() -> None:
    # Four screens of three systems, all won by x: four units, though eight pairs.
    rows, screens = [], []
    for screen in range(12):
        first = "x" if screen < 4 else "c"
        rows += [(first, "a", 1), (first, "b", 1), ("a", "b", 1 if screen % 2 else -1)]
        screens += [f"r{screen}"] * 3
    ranking = pm.rank(judged(rows, ranking=screens), model="bojar", resamples=60, rng=0)
    assert line_of(ranking, "x").interval == pytest.approx((0.025 ** (1 / 4), 1))
    assert any("how many rankings there are of each" in note for note in ranking.notes)
    alone = pm.rank(judged(rows, ranking=screens), model="bojar", resample="pair", resamples=60, rng=0)
    assert line_of(alone, "x").interval == pytest.approx((0.025 ** (1 / 8), 1))


@pytest.mark.parametrize("seed", range(8))
def test_the_least_mean_is_the_least_that_a_numerical_search_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    opponents = int(rng.integers(1, 6))
    units, weights = rng.integers(1, 40, opponents).astype(float), rng.dirichlet(np.ones(opponents) * 3)
    found = least_mean(weights, units, 0.025)
    # By search over u = −log p ≥ 0, on the edge where all is won with the chance: Σ units · u = −log chance.
    budget = -np.log(0.025)
    best = min(
        minimize(
            lambda u: float(weights @ np.exp(-u)),
            rng.dirichlet(np.ones(opponents)) * budget / units,
            bounds=[(0, budget / n) for n in units],
            constraints={"type": "eq", "fun": lambda u: units @ u - budget},
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 500},
        ).fun
        for _ in range(4)
    )
    assert found == pytest.approx(best, abs=1e-5)


def test_an_opponent_met_once_leaves_expected_wins_unsure() -> None:
    data = counted({("x", "a"): (1, 0, 0), ("x", "b"): (200, 0, 0), ("a", "b"): (30, 0, 30)})
    # All won with chance .025 at the least mean of p_a and p_b with p_a · p_b²⁰⁰ = .025; b is all but sure.
    low = ExpectedWins().exact_interval(unit_kinds(data, "pair"), data.systems.index("x"), 0.05)[0]
    assert 0.5 < low < 0.53
    assert Bojar().exact_interval(unit_kinds(data, "pair"), 2, 0.05)[0] == pytest.approx(0.025 ** (1 / 201))


def test_expected_wins_as_published_is_bounded_by_what_it_can_be() -> None:
    # x never met c, which the published program counts as lost: of a third each, two thirds can be reached.
    data = counted({("x", "a"): (9, 0, 0), ("x", "b"): (9, 0, 0), ("a", "b"): (9, 0, 9), ("a", "c"): (9, 0, 9)})
    shown = line_of(pm.rank(data, model="expected-wins:published=yes", resamples=60, rng=0), "x")
    assert shown.score == pytest.approx(2 / 3)
    assert shown.interval == pytest.approx((2 / 3 * 0.025 ** (1 / 18), 2 / 3))


def share_of_campaigns_won(truth: float, dependence: float) -> float:
    """Ten screens with two opponents each, both beaten with this chance, alike on so many of the screens."""
    rng = np.random.default_rng(0)
    first = rng.random((20_000, 10)) < truth
    alike = rng.random(first.shape) < dependence
    second = np.where(alike, first, rng.random(first.shape) < truth)
    return float((first & second).all(axis=1).mean())


@pytest.mark.parametrize("model", [ExpectedWins(), Bojar(), OrigWmt()], ids=lambda m: m.id)
def test_the_truth_is_below_the_interval_no_more_often_than_stated(model: object) -> None:
    rows = [("x", opponent, 1) for _ in range(10) for opponent in "ab"]
    data = judged(rows, ranking=[f"r{k // 2}" for k in range(20)])
    by_ranking, by_pair = (model.exact_interval(unit_kinds(data, unit), 2, 0.05)[0] for unit in ("ranking", "pair"))
    # The interval lies above a truth just below its end in all campaigns that are won whole, and in no others.
    for dependence in (0.0, 0.5, 1.0):
        assert share_of_campaigns_won(by_ranking - 1e-9, dependence) <= 0.025 + 3 * np.sqrt(0.025 / 20_000)
    # It is no longer than it must be, if all of a screen goes together; and then pairs do not count by themselves.
    assert share_of_campaigns_won(by_ranking - 1e-9, 1.0) > 0.02
    assert share_of_campaigns_won(by_pair - 1e-9, 1.0) > 0.1


# -- strengths that only the prior keeps finite ----------------------------------------------------


def test_bradley_terry_gives_no_interval_to_groups_that_only_the_prior_holds_together() -> None:
    # a and b beat each other, so do c, d and e; every comparison between the groups was won by the first.
    inside = {("a", "b"): (8, 0, 7), ("c", "d"): (8, 0, 7), ("d", "e"): (9, 0, 6), ("c", "e"): (5, 0, 9)}
    data = counted({**inside, **{(up, down): (3, 0, 0) for up in "ab" for down in "cde"}})
    ranking = pm.rank(data, resamples=60, rng=0)
    assert {line.system for line in ranking.lines if line.interval is None} == {"a", "b"}
    said = "without an interval of the score, because they won or lost every comparison with the others"
    assert any(note.startswith(said) for note in ranking.notes)
    # Seen from an anchor above, it is the others whose distance is not known.
    anchored = pm.rank(data, model="bradley-terry:anchor=a=0", resamples=60, rng=0)
    assert {line.system for line in anchored.lines if line.interval is None} == {"a", "c", "d", "e"}


def test_ties_bind_where_the_model_counts_them() -> None:
    tied = champion(20, ties=10)
    assert line_of(pm.rank(tied, resamples=60, rng=0), "x").interval is not None
    assert line_of(pm.rank(tied, model="bradley-terry:ties=ignore", resamples=60, rng=0), "x").interval is None


def test_an_anchor_has_no_interval_and_the_reason_is_said() -> None:
    data = counted(dict.fromkeys(combinations("abc", 2), (12, 3, 9)))
    ranking = pm.rank(data, model="bradley-terry:scale=elo,anchor=b=1000", resamples=60, rng=0)
    shown = line_of(ranking, "b")
    assert (shown.score, shown.interval, shown.error) == (1000, None, None)
    assert "without an interval of the score, because the anchor fixes its score: b" in ranking.notes
    assert all(line.interval for line in ranking.lines if line.system != "b")


def test_the_lead_of_a_system_that_won_everything_has_no_interval_either() -> None:
    pairs = {(pair.above, pair.below): pair for pair in pm.rank(champion(30), resamples=60, rng=0).pairs}
    assert pairs["x", "a"].interval is pairs["x", "b"].interval is None
    assert pairs["a", "b"].interval is not None
    # The score of an anchor is fixed, but the leads over it are not.
    data = counted(dict.fromkeys(combinations("abc", 2), (12, 3, 9)))
    anchored = pm.rank(data, model="bradley-terry:anchor=b=0", resamples=60, rng=0)
    assert all(pair.interval for pair in anchored.pairs)


# -- scores that never vary for other reasons ------------------------------------------------------


def test_scores_of_ties_alone_have_no_interval() -> None:
    data = counted(dict.fromkeys(combinations("abc", 2), (0, 20, 0)))
    for model in ("bradley-terry", "independent-systems"):
        ranking = pm.rank(data, model=model, resamples=60, rng=0)
        assert [line.interval for line in ranking.lines] == [None] * 3
        assert [line.error for line in ranking.lines] == [None] * 3
        assert any(
            note.startswith("without an interval of the score, because the score is the same") for note in ranking.notes
        )


def test_judges_who_all_say_the_same_give_no_interval() -> None:
    rows = [("a", "b", 1), ("a", "b", -1), ("b", "c", 1), ("a", "c", 1), ("a", "c", -1), ("b", "c", -1)]
    data = judged(rows * 3, judge=[f"j{k // 6}" for k in range(18)])
    ranking = pm.rank(data, model="expected-wins", resample="judge", resamples=60, rng=0)
    assert {line.interval for line in ranking.lines} == {None}
    assert (
        "without an interval of the score, because the score is the same in at least 95 % of the samples: a, b, c"
        in ranking.notes
    )


def test_a_place_that_hardly_varies_has_an_error_but_no_interval() -> None:
    data = counted({("x", "a"): (9, 0, 2), ("x", "b"): (30, 0, 1), ("a", "b"): (30, 0, 1)})
    shown = line_of(pm.rank(data, model="lopez", resamples=400, rng=0), "x")
    assert shown.interval is None
    assert 0 < shown.error < 0.3


# -- what reads it ---------------------------------------------------------------------------------


def test_the_table_shows_a_dash_and_json_null(ok: Callable, file: Callable) -> None:
    rows = champion(5).to_rows().select("system_a", "system_b", "outcome")
    path = file(rows.write_csv())
    table = ok("rank", path, "--resamples", 60)
    assert [line.split()[-2] for line in table.out.splitlines() if line.endswith("  x")] == ["–"]
    assert "note: without an interval" in table.out
    shown = next(
        s for s in ok("rank", path, "--resamples", 60, "--format", "json").json[0]["systems"] if s["system"] == "x"
    )
    assert shown["interval"] is shown["error"] is None


def test_an_audit_of_ties_alone_has_no_interval_without_width() -> None:
    audit = pm.audit(counted(dict.fromkeys(combinations(("s0", "s1", "s2"), 2), (0, 20, 0))), resamples=60, rng=0)
    assert [claim.interval for claim in audit.claims] == [None] * 3
    found = {finding.check: finding for finding in audit.findings}
    assert found["intransitivity"].interval is found["ties"].interval is None
    assert "(0 in at least 95 % of simulations)" in found["intransitivity"].sentence
    # Nothing is above by .00, and no convention is compared with itself.
    assert found["ties"].subjects[0].detail == "s0 and s1 are level however ties are counted"
    text = rendered("audit", [Grouped(audit)], "table").text
    assert "[0, 0]" not in text
    assert "note: without an interval, because nothing varies that could give one: intransitivity, ties\n" in text
    assert "–: the two are level in every sample." in text


def test_circles_that_no_simulation_has_give_no_interval() -> None:
    data = counted({("a", "b"): (90, 0, 10), ("b", "c"): (90, 0, 10), ("a", "c"): (95, 0, 5)})
    found = next(f for f in pm.audit(data, resamples=60, rng=0).findings if f.check == "intransitivity")
    assert found.interval is None
    assert (found.effect, found.skipped) == (0, None)


def test_an_audit_says_what_its_intervals_are_of() -> None:
    audit = pm.audit(champion(30), resamples=60, rng=0)
    assert audit.claims[0].interval is not None
    text = rendered("audit", [Grouped(audit)], "table", "claims").text
    # The lead of a system may have an interval where its score has none; and it is not that of `rank --pairs`.
    assert "normal 95 % interval" in text
    assert "without an interval of the score" in text
    lead = next(c for c in audit.claims if (c.kind, c.system) == ("above", "a"))
    scores = audit.ranking.replicates.scores
    error = (scores[:, 0] - scores[:, 1]).std(ddof=1)
    assert lead.interval == pytest.approx((lead.difference - 1.96 * error, lead.difference + 1.96 * error), abs=1e-4)


def test_narrow_intervals_of_an_audit_tell_their_ends_apart() -> None:
    audit = pm.audit(champion(30), resamples=60, rng=0)
    narrow = replace(audit, claims=(replace(audit.claims[0], interval=(0.00001, 0.00002)),))
    assert "[0.00001, 0.00002]" in rendered("audit", [Grouped(narrow)], "table", "claims").text


def test_a_difference_is_judged_only_where_both_rankings_know_the_error() -> None:
    old, new = (pm.rank(champion(wins), resamples=60, rng=0) for wins in (30, 300))
    changes = pm.diff(old, new)
    verdicts = {change.system: change.verdict for change in changes.systems}
    assert verdicts["x"] == "not compared"
    assert "not compared" not in (verdicts["a"], verdicts["b"])
    assert any("everything: x;" in note for note in changes.notes)


@pytest.mark.parametrize(
    ("span", "shown"),
    [
        ((0.51214, 0.51223), "[0.5121, 0.5122]"),
        ((-1.0002, -1.0001), "[−1.0002, −1.0001]"),
        ((1000.01, 1000.02), "[1000.01, 1000.02]"),
        ((0.5, 0.51), "[0.500, 0.510]"),
        ((0.25, 0.25 + 1e-12), "[0.250000000000, 0.250000000001]"),
    ],
)
def test_an_interval_narrower_than_three_decimals_is_printed_with_more(span: tuple[float, float], shown: str) -> None:
    assert interval_text(span) == shown
