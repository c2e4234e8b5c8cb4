"""`plan`: what a number of judgments is expected to show, against `rank` itself and against paper and pencil."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import palmares as pm
from palmares.design.plan import Options
from palmares.design.planning import bounds
from palmares.design.planning.beginnings import from_judgments
from palmares.design.planning.bounds import Measured, Noise, States, measured
from palmares.design.planning.curves import Curve, Question, no_use_beyond
from palmares.design.planning.pilot import Likeness, alike, information_of_ranking, inverse
from palmares.design.planning.prospects import Fresh, Part, Running, Staff
from palmares.design.planning.result import Plan
from palmares.design.planning.times import seconds_of
from palmares.design.targets import Target
from palmares.errors import InputError
from palmares.judgments import FloatArray
from palmares.ranking.anytime import claims
from palmares.ranking.bootstrap import Replicates
from palmares.ranking.joint import boundaries_of, joint
from palmares.ranking.ranges import clusters, rank_ranges

REAL = os.environ.get("PALMARES_REAL_DATA")
SYSTEMS = 7


def some_states(df: float | None, campaigns: int = 60, of: float = 1.0) -> States:
    """Scores far enough apart that there is something to claim, with covariances of no particular shape.

    ``of`` is the scale of scores and standard errors, which matters to what holds at every look.
    """
    rng = np.random.default_rng(3)
    mixed = rng.normal(size=(campaigns, SYSTEMS, 3 * SYSTEMS))
    away = np.eye(SYSTEMS) - 1 / SYSTEMS
    shape = away @ (mixed @ np.swapaxes(mixed, 1, 2) / (3 * SYSTEMS)) @ away
    scores = of * rng.normal(0, 4, (campaigns, SYSTEMS))
    stretch = of * rng.uniform(0.3, 1.2, (campaigns, SYSTEMS))
    return States(scores, shape, stretch, df, scores.argmax(axis=1))


def covariance_of(states: States, e: int) -> FloatArray:
    return np.asarray(states.stretch[e][:, None] * states.shape[e] * states.stretch[e])


def drawn_by(states: States, noise: Noise, e: int) -> FloatArray:
    """The draws that the kernel makes, made plainly."""
    root = bounds.roots(states.shape)[e]
    return np.asarray(states.scores[e] + noise.heavy(states.df)[:, None] * (noise.normal @ root.T) * states.stretch[e])


@pytest.mark.parametrize("df", [None, 12.0])
def test_ranges_and_clusters_of_many_states_are_those_of_rank(df: float | None) -> None:
    states, noise = some_states(df), Noise.drawn(SYSTEMS, 0.05, np.random.default_rng(1))
    ranges = bounds._ranges(states, noise, 0.05)
    claimed = bounds.boundaries(states, "marginal", noise, 0.05)
    for e in range(len(states.scores)):
        places = 1 + (-drawn_by(states, noise, e)).argsort(axis=1).argsort(axis=1)
        expected = rank_ranges(places, p=0.05)
        assert np.array_equal(ranges[e], expected)
        assert 1 + claimed[e].sum() == clusters(expected).max()
    assert 1 < 1 + claimed.sum(axis=1).mean() < SYSTEMS


@pytest.mark.parametrize("df", [None, 12.0])
def test_what_holds_jointly_is_what_rank_says(df: float | None) -> None:
    states, noise = some_states(df), Noise.drawn(SYSTEMS, 0.05, np.random.default_rng(1))
    claimed = bounds.boundaries(states, "joint", noise, 0.05)
    widest = bounds.widest_ranges(states, "joint", noise, 0.05)
    same = []
    for e, scores in enumerate(states.scores):
        order = np.argsort(-scores)
        draws = drawn_by(states, noise, e)
        samples = Replicates(tuple("abcdefg"), draws, np.empty(0), covariance_of(states, e), df)
        found = joint(scores, samples, order)
        expected = boundaries_of(found.boundaries, np.arange(SYSTEMS), 0.05)
        assert claimed[e].tolist() == [boundary.joint for boundary in expected]
        ranges = found.ranges(0.05)
        same.append(widest[e] == (ranges[:, 1] - ranges[:, 0] + 1).max())
    # A quantile of draws is not the largest adjusted p at the last draw.
    assert np.mean(same) > 0.9
    assert 0 < claimed.mean() < 1


@pytest.mark.parametrize("df", [None, 12.0])
def test_what_holds_at_every_look_is_what_claims_says(df: float | None) -> None:
    states, noise = some_states(df, of=0.05), Noise.drawn(SYSTEMS, 0.05, np.random.default_rng(1))
    claimed = bounds.boundaries(states, "any", noise, 0.05)
    longest = bounds.widest_ranges(states, "any", noise, 0.05)
    for e, scores in enumerate(states.scores):
        expected = claims(scores, covariance_of(states, e), df=df)
        assert np.array_equal(claimed[e], expected.claimed)
        assert longest[e] == max(end - start for start, end in expected.blocks)
    assert 0 < claimed.mean() < 1


def test_measures_of_targets_by_hand() -> None:
    """Four systems as 1 | 2 3 | 4: three clusters; of six pairs only the one in the middle is together."""
    level = np.array([[3.0, 0.1, 0.0, -3.0]])
    states = States(level, np.eye(4)[None], np.full((1, 4), 0.3), None, np.array([1]))
    noise = Noise.drawn(4, 0.05, np.random.default_rng(0))

    def of(text: str) -> Measured:
        return measured(states, Target.parse(text), "marginal", noise, 0.05)

    assert of("clusters=3").values.tolist() == [3.0]
    assert of("clusters=3").met.tolist() == [True]
    assert of("clusters=4").met.tolist() == [False]
    assert of("pairs=0.8").values == pytest.approx([5 / 6])
    assert of("widest=2").values.tolist() == [2.0]
    assert of("widest=1").met.tolist() == [False]
    assert of("best").met.tolist() == [True]
    assert of("best=0.9").values.tolist() == [0.0]  # the second is truly best


# -- covariances --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e12])
def test_the_inverse_is_that_of_differences_at_any_scale(size: float) -> None:
    weights = np.random.default_rng(2).uniform(0.5, 2, (5, 5))
    weights = np.triu(weights, 1) + np.triu(weights, 1).T
    information = size * (np.diag(weights.sum(axis=1)) - weights)
    assert inverse(information) * size == pytest.approx(size * np.linalg.pinv(information, hermitian=True), rel=1e-9)


def test_one_comparison_of_two_systems_tells_pq_of_their_difference() -> None:
    theta, no_ties = np.array([[0.5, -0.5]]), -40.0
    p = 1 / (1 + np.exp(-1.0))
    expected = p * (1 - p) * np.array([[1, -1], [-1, 1]])
    assert information_of_ranking(theta, no_ties, 1)[0] == pytest.approx(expected, rel=1e-6)


def test_work_that_is_shared_with_new_judges_by_hand() -> None:
    """Two judges made ¾ and ¼ of 100; 100 more, half of them by two new ones alike: .5625, .1875, .1875, .0625."""
    part = Part(np.eye(2), np.ones(1), np.array([0.75, 0.25]))
    own, both, effective = part.later(4, 100, 100)
    then = np.array([0.5625, 0.1875, 0.1875, 0.0625])
    assert own == pytest.approx((then**2).sum() / 0.625)
    assert both == pytest.approx((then[:2] @ [0.75, 0.25]) / 0.625)
    assert effective == pytest.approx(1 / (then**2).sum())
    assert part.later(2, 100, 900) == pytest.approx((1.0, 1.0, 1.6))


def fresh(likeness: Likeness, campaigns: int = 4) -> Fresh:
    theta = np.tile([1.0, 0.0, -1.0], (campaigns, 1))
    unit = np.tile(np.eye(3) - 1 / 3, (campaigns, 1, 1))
    rng = np.random.default_rng(0)
    normal, chance, own = rng.normal(size=theta.shape), rng.random((2, campaigns)), rng.random((2, campaigns, 3))
    return Fresh(theta, unit, likeness, 1.0, normal, chance, own)


def test_variance_falls_to_what_judges_and_segments_leave() -> None:
    """A ranking shows every system: the variance of one is 2/3, and so is that of n over n, without effects."""
    staff = Staff(10, 50)
    assert fresh(Likeness(1.0)).variance(400, staff) == pytest.approx(2 / 3 / 400)
    shared = fresh(Likeness(1.0, 0.01, 0.1))
    floor = 2 / 3 * (0.01 / 10 + 0.1 / 50)
    assert shared.variance(1e12, staff) == pytest.approx(floor)
    assert shared.variance(400, staff) == pytest.approx(2 / 3 / 400 * (1 + 399 * (0.01 / 10 + 0.1 / 50)))
    # .81 of the variance is the floor where n = (.81 / .19) (1 − f) / f.
    f = 0.01 / 10 + 0.1 / 50
    assert no_use_beyond(shared, staff) == pytest.approx(0.81 / 0.19 * (1 - f) / f, rel=1e-6)
    assert no_use_beyond(fresh(Likeness(1.0)), staff) == float("inf")


def test_judges_who_share_work_unevenly_count_for_fewer() -> None:
    """Work of 1, 1/2 and 1/3: (11/6)² / (49/36) = 121/49."""
    assert Likeness(1.0, work=1.0).effective(3) == pytest.approx(121 / 49)
    assert Likeness(1.0).effective(7) == pytest.approx(7)


def test_ties_between_judges_are_measured_where_they_are() -> None:
    """ρ by the generator: a judge's liking against all that varies between two rankings of one system."""
    from palmares.judgments import sitting_kinds, unit_kinds
    from palmares.models.by_name import create
    from palmares.ranking.two_way import jackknife

    model, found = create("bradley-terry"), {0.0: 0.0, 4.0: 0.0}
    for effect in found:
        campaign = pm.simulate(systems=6, rankings=3000, judges=40, segments=3000, judge_effect=effect, rng=4)
        counts = campaign.judgments.counts
        sitting = jackknife(model, counts, sitting_kinds(campaign.judgments))
        found[effect] = alike(sitting, jackknife(model, counts, unit_kinds(campaign.judgments, "judge")))
    assert abs(found[0.0]) < 0.005
    # 4² / (10² + 4²) = .14 of an output's variance; of what a ranking says of a system, less.
    assert 0.05 < found[4.0] < 0.14


# -- curves -------------------------------------------------------------------------------------------


def curve_of(values: FloatArray, met: FloatArray, target: str, sure: float | None = None) -> Curve:
    noise = Noise(np.zeros((1, 2)), np.zeros(1))
    question = Question(Target.parse(target), "marginal", 0.05, sure, noise)
    return Curve(question, Staff(1, 1), np.array([100.0, 400.0, 1600.0, 1e12]), values, met)


def test_answers_are_read_off_a_curve_between_looks_by_logarithms() -> None:
    values = np.array([[1.0, 2.0, 4.0, 4.0], [1.0, 2.0, 6.0, 6.0]])
    curve = curve_of(values, values >= 3.5, "clusters=3")
    assert curve.needed() == pytest.approx(400 * 4 ** (1 / 3))  # means 1, 2, 5
    assert curve.reached(1.0) == pytest.approx(1600)
    assert curve.limit == 5
    falling = curve_of(7 - values, 7 - values <= 3.5, "widest=4")
    assert falling.needed() == pytest.approx(400 * 4 ** (1 / 3))
    assert curve_of(values, values >= 9, "clusters=9").needed() == float("inf")
    assert curve_of(values, values >= 3.5, "clusters=3", sure=0.5).needed() == pytest.approx(1600**1.0, rel=0.8)


def test_seconds_are_the_medians_of_judges_by_their_work() -> None:
    """ann took 10, 20 and, with a break, 900 seconds; bob 40. (3 · 20 + 40) / 4 = 25."""
    rows = pl.DataFrame({
        "system_a": ["a"] * 5, "system_b": ["b"] * 5, "outcome": [1, -1, 1, 1, 0],
        "judge": ["ann", "ann", "ann", "bob", "bob"], "segment": list("vwxyz"),
        "duration": [10.0, 20.0, 900.0, 40.0, None],
    })  # fmt: skip
    judgments = pm.Judgments.from_rows(rows)
    found = seconds_of(judgments, None)
    assert (found.value, found.source, found.judges) == (25.0, "measured", 2)
    assert seconds_of(judgments, 7).source == "given"
    assert seconds_of(None, None).value == 60


# -- from scratch, against rank -----------------------------------------------------------------------


def judged(systems: int, rankings: int, judges: int, rng: np.random.Generator) -> pm.Judgments:
    """A campaign by a generator of its own: three outputs a ranking, judges with likings, no ties."""
    quality, liking = rng.uniform(0, 10, systems), rng.normal(0, 1.5, (judges, systems))
    judge = rng.integers(judges, size=rankings)
    shown = np.argsort(rng.random((rankings, systems)), axis=1)[:, :3]
    seen = quality[shown] + liking[judge[:, None], shown] + rng.normal(0, 5, (rankings, 3))
    parts = []
    for one, other in ((0, 1), (0, 2), (1, 2)):
        frame = pl.DataFrame({"a": shown[:, one], "b": shown[:, other], "judge": judge, "ranking": range(rankings)})
        parts.append(frame.with_columns(outcome=pl.Series(np.where(seen[:, one] > seen[:, other], 1, -1))))
    names = {"system_a": pl.format("s{}", "a"), "system_b": pl.format("s{}", "b"), "outcome": pl.col("outcome")}
    number = pl.col("ranking").cast(pl.String)
    return pm.Judgments.from_rows(
        pl.concat(parts).select(**names, judge=pl.format("j{}", "judge"), segment=number, ranking=number)
    )


def planned(**changes: object) -> Plan:
    shape = pm.CampaignPlan(
        systems=8, outputs=3, judges=12, segments=100_000, spread=5, tie_radius=0, judge_effect=1.5
    )  # fmt: skip
    settings: dict[str, object] = {"target": "clusters=3", "try_judges": [12], "try_segments": [], "rng": 1}
    return pm.plan(shape, **{**settings, **changes})  # type: ignore[arg-type]


def separated(rankings: int, campaigns: int) -> FloatArray:
    """Marginal and joint clusters that `rank` shows of independent campaigns."""
    shown = []
    for number in range(campaigns):
        ranking = pm.rank(judged(8, rankings, 12, np.random.default_rng([7, number])), resamples=200, rng=number)
        shown.append([max(getattr(line, name) for line in ranking.lines) for name in ("cluster", "joint_cluster")])
    return np.array(shown, dtype=float)


def test_after_as_many_rankings_as_planned_rank_shows_what_was_planned() -> None:
    plan = planned(campaigns=200)
    assert plan.needed.rankings is not None
    shown = separated(plan.needed.rankings, 25)[:, 0]
    assert abs(shown.mean() - 3) < 3 * shown.std(ddof=1) / 5


@pytest.mark.slow
@pytest.mark.parametrize(("joint", "clusters"), [(False, 3), (True, 2)])
def test_plans_are_right_within_a_tenth_of_a_cluster_and_chance(joint: bool, clusters: int) -> None:
    plan = planned(joint=joint, target=f"clusters={clusters}")
    assert plan.needed.rankings is not None
    shown = separated(plan.needed.rankings, 200)[:, int(joint)]
    assert abs(shown.mean() - clusters) < 0.1 + 2.5 * shown.std(ddof=1) / 200**0.5


def test_plans_know_what_more_work_and_more_judges_are_worth() -> None:
    plan = planned(try_judges=[5, 50], try_segments=[200], campaigns=100)
    by_judges = {row.judges: row for row in plan.staffing}
    assert by_judges[5].limit < by_judges[12].limit < by_judges[50].limit
    for row in plan.staffing:
        means = [cell.mean for cell in row.cells]
        assert means == sorted(means)
    (few, many) = plan.segmenting
    assert (few.segments, many.segments) == (200, 100_000)
    needed = {price.bounds: price.rankings or float("inf") for price in plan.prices}
    assert needed["marginal"] < needed["joint"] <= needed["any"]
    limits = [price.limit for price in plan.prices]
    assert limits == sorted(limits, reverse=True)
    assert plan.needed.likely[0] is not None
    assert plan.needed.likely[1] is not None
    assert plan.needed.likely[0] < plan.needed.likely[1]
    surer = planned(sure=0.9, campaigns=100)
    assert surer.needed.rankings is None or surer.needed.rankings > plan.needed.rankings  # type: ignore[operator]


def test_the_same_seed_gives_the_same_plan_wherever_it_runs() -> None:
    one = planned(campaigns=60, execution=pm.Execution("serial"))
    two = planned(campaigns=60, execution=pm.Execution("threads", 3))
    assert one.to_dict() == two.to_dict()


def test_the_first_is_best_as_often_as_truly_drawn_scores_say() -> None:
    """Two systems, one comparison a ranking: the better one leads with Φ(d / se), for known d and se."""
    from scipy.special import ndtr

    campaigns = 4000
    rng = np.random.default_rng(5)
    theta = np.tile([0.1, -0.1], (campaigns, 1))
    unit = np.tile(np.array([[1.0, -1.0], [-1.0, 1.0]]), (campaigns, 1, 1))
    prospect = Fresh(theta, unit, Likeness(1.0), 1.0, rng.normal(size=theta.shape), rng.random((2, campaigns)),
                     rng.random((2, campaigns, 2)))  # fmt: skip
    states = prospect.states(100, Staff(10, 10))
    first = measured(states, Target.parse("best=0.9"), "marginal", Noise.drawn(2, 0.05, rng), 0.05).values
    assert first.mean() == pytest.approx(ndtr(0.2 / np.sqrt(4 / 100)), abs=0.02)


# -- in the middle of a campaign ----------------------------------------------------------------------


def middle() -> pm.Judgments:
    return pm.simulate(
        systems=6, rankings=900, judges=10, segments=150, spread=8, judge_effect=1, segment_effect=5, rng=3
    ).judgments  # fmt: skip


def test_nothing_more_shows_what_there_is() -> None:
    judgments, execution = middle(), pm.Execution("serial", seed=1)
    begun = from_judgments(judgments, 50, execution)
    states = begun.prospect.states(0.0, begun.staff)
    ranking = pm.rank(judgments, rng=1)
    scores = ranking.fit.scores
    assert scores is not None
    assert states.scores == pytest.approx(np.tile(scores - scores.mean(), (50, 1)), abs=1e-6)
    # True effects are drawn around the estimated ones, so that errors are those of rank on average only.
    errors = np.sqrt(np.diagonal(states.shape, axis1=1, axis2=2).mean(axis=0)) * states.stretch[0]
    assert ranking.replicates is not None
    assert errors == pytest.approx(np.sqrt(np.diag(ranking.replicates.spread)), rel=0.08)
    assert states.df == pytest.approx(ranking.df, rel=0.05)


def test_more_by_the_same_judges_comes_to_an_end_and_by_others_goes_further() -> None:
    begun = from_judgments(middle(), 50, pm.Execution("serial", seed=1))
    prospect = begun.prospect
    assert isinstance(prospect, Running)
    same, others = begun.staff, Staff(100, 1500)
    falling = [prospect.variance(rankings, same) for rankings in (0, 100, 1000, 1e5, 1e12)]
    assert falling == sorted(falling, reverse=True)
    assert falling[-1] > 0.1 * falling[0]
    assert prospect.variance(1e12, others) < 0.2 * falling[-1]
    # Judges who share what they have shared so far keep what they add.
    assert prospect.judge is not None
    assert len(prospect.judge.shares) == 10


def test_a_plan_that_is_there_needs_nothing() -> None:
    plan = pm.plan(middle(), target="clusters=2", try_judges=[], try_segments=[], campaigns=50, rng=1)
    assert plan.needed.rankings == 0
    assert plan.needed.hours == 0


def test_the_rest_of_a_campaign_comes_out_as_its_first_third_says() -> None:
    """Over campaigns, about 80 % of final shares of separated pairs are between the 10 % and the 90 % said before."""
    inside, errors = [], []
    for number in range(12):
        campaign = pm.simulate(
            systems=8, rankings=1200, judges=12, segments=400, spread=8, judge_effect=1, segment_effect=4,
            rng=100 + number,
        ).judgments  # fmt: skip
        codes = campaign.group_codes("ranking")
        begun = from_judgments(campaign.filter(codes < 400), 200, pm.Execution("serial", seed=number))
        states = begun.prospect.states(800.0, begun.staff)
        noise = Noise.drawn(8, 0.05, np.random.default_rng(number))
        said = measured(states, Target.parse("pairs=0.5"), "marginal", noise, 0.05).values
        sizes = np.array([len(names) for names in pm.rank(campaign, resamples=400, rng=number).clusters])
        came = 1 - (sizes * (sizes - 1)).sum() / 56
        low, high = np.quantile(said, [0.1, 0.9])
        inside.append(low - 1e-9 <= came <= high + 1e-9)
        errors.append(came - said.mean())
    assert sum(inside) >= 7  # of 12; with .8 each, fewer have a chance of .4 %
    assert abs(np.mean(errors)) < 3 * np.std(errors, ddof=1) / 12**0.5


@pytest.mark.skipif(REAL is None, reason="PALMARES_REAL_DATA names no folder")
def test_the_first_third_of_wmt13_says_what_the_rest_did() -> None:
    judgments = pm.read(Path(REAL or "") / "wmt13" / "fr-en.train.csv")
    codes = judgments.group_codes("ranking")
    part = np.random.default_rng(1).permutation(codes.max() + 1)[codes]
    first = judgments.filter(part < (codes.max() + 1) // 3)
    begun = from_judgments(first, 300, pm.Execution("serial", seed=1))
    rest = float(codes.max() + 1 - begun.done)
    noise = Noise.drawn(13, 0.05, np.random.default_rng(1))
    said = measured(
        begun.prospect.states(rest, begun.staff), Target.parse("clusters=5"), "marginal", noise, 0.05
    ).values
    came = len(pm.rank(judgments, rng=1).clusters)
    low, high = np.quantile(said, [0.05, 0.95])
    assert low <= came <= high


# -- what is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"target": "clusters=9"}, "only 8 systems"),
        ({"target": "most=1"}, "allowed: pairs, clusters"),
        ({"sure": 1.5}, "sure: got 1.5; allowed: a number above 0 and below 1"),
        ({"target": "best=0.9", "sure": 0.9}, "is a chance already"),
        ({"looks": "often"}, "looks: got 'often'; allowed: auto, once, any"),
        ({"campaigns": 3}, "campaigns: got 3; allowed: at least 50"),
        ({"try_judges": [0]}, "try_judges: got"),
        ({"training": -1}, "training: got -1"),
        ({"seconds": 0}, "seconds: got 0"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_words(changes: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words.replace("(", r"\(")):
        planned(**changes)


def test_fewer_judges_than_there_are_cannot_be_planned() -> None:
    with pytest.raises(InputError, match="have 10 and 150 already"):
        pm.plan(middle(), target="clusters=5", judges=5)
    with pytest.raises(InputError, match="got 3 to try, but there are 10 already"):
        pm.plan(middle(), target="clusters=5", try_judges=[3], campaigns=50)


def test_options_have_the_same_names_as_the_function() -> None:
    import inspect

    asked = set(inspect.signature(pm.plan).parameters) - {"data", "looks", "joint", "campaigns", "rng", "execution"}
    assert asked | {"bounds"} == {field.name for field in dataclasses.fields(Options)}
