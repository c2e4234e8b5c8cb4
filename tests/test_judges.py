"""What is known of every judge. Campaigns are drawn by generators of their own; expected values are brute force."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize
from scipy.special import expit, ndtr

import palmares as pm
from benchmarks.judge_flags import Campaign, campaign, log_likelihood, tallied
from benchmarks.judge_flags import ranked as ranks_apart
from palmares.analysis.judges.answers import Answers, answers_of
from palmares.analysis.judges.consensus import consensus_of, slope_and_information
from palmares.analysis.judges.evidence import GRID, Evidence, decided_drift, evidence_of, ordinary_of
from palmares.analysis.judges.habits import habits_of
from palmares.analysis.judges.simulation import ranked
from palmares.analysis.judges.times import times_of
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.models.ordinal import Ordinal


def flags(found: pm.analysis.judges.Judges, judge: str) -> list[str]:
    return [flag.name for flag in found.line(judge).flags]


def everybody(judgments: Judgments) -> np.ndarray:
    return np.ones(len(judgments.judges), dtype=bool)


@pytest.fixture(scope="module")
def drawn() -> Campaign:
    return campaign(11, 100, judges=20, share=0.2)


@pytest.fixture(scope="module")
def found(drawn: Campaign) -> pm.analysis.judges.Judges:
    return pm.judges(drawn.judgments, rng=0)


# -- the parts, by brute force ------------------------------------------------------------------------


def test_slopes_are_derivatives_and_their_variance() -> None:
    z, delta, h = np.array([-1.3, 0.2, 2.0]), np.array([0.4, 0.1, 0.9]), 1e-6

    def log_p(y: int, at: np.ndarray) -> np.ndarray:
        win, loss = expit(at - delta), expit(-at - delta)
        return np.log({1: win, -1: loss, 0: 1 - win - loss}[y])

    variance = np.zeros(3)
    for y in (1, 0, -1):
        slope, information = slope_and_information(np.full(3, y), z, delta)
        assert slope == pytest.approx((log_p(y, z + h) - log_p(y, z - h)) / (2 * h), abs=1e-7)
        variance += np.exp(log_p(y, z)) * slope**2
    assert information == pytest.approx(variance)


def one_ranking(theta: list[float], ranks: list[int]) -> tuple[Answers, np.ndarray]:
    first, second = np.triu_indices(len(theta), 1)
    y = np.sign(np.array(ranks)[second] - np.array(ranks)[first])
    rows, zeros = len(first), np.zeros(len(first), dtype=np.int64)
    answers = Answers(zeros, first, second, y, zeros, zeros, first, second, np.ones(rows), 1, len(theta))
    return answers, np.array(theta)[first] - np.array(theta)[second]


@pytest.mark.parametrize("ranks", [[1, 2, 3, 4, 5], [1, 1, 2, 2, 3], [2, 1, 1, 1, 1]])
def test_the_variance_of_random_answers_is_that_over_all_permutations(ranks: list[int]) -> None:
    theta = [0.9, -0.4, 0.1, 0.3, -1.0]
    sums = []
    for shuffled in permutations(ranks):
        answers, gap = one_ranking(theta, list(shuffled))
        sums.append(float((gap * answers.y).sum()))
    answers, gap = one_ranking(theta, ranks)
    evidence = evidence_of(answers, gap, np.array([0.3]), np.zeros(1))
    assert np.mean(sums) == pytest.approx(0.0, abs=1e-12)
    assert evidence.null_variance[0] == pytest.approx(np.var(sums))
    assert evidence.total[0] == pytest.approx(float((gap * answers.y).sum()))


def test_what_a_judge_of_some_sensitivity_is_expected_to_say() -> None:
    answers, gap = one_ranking([0.9, -0.4, 0.1], [1, 2, 2])  # two decided comparisons and a tie
    width, place = 0.5, 35
    evidence = evidence_of(answers, gap, np.array([width]), np.zeros(1))
    mean = 0.0
    for d in (0.9 + 0.4, 0.9 - 0.1):
        z = np.exp(GRID[place]) * d
        win, loss = 1 / (1 + np.exp(width - z)), 1 / (1 + np.exp(width + z))
        mean += d * (win - loss) / (win + loss)
    assert evidence.mean[0, place] == pytest.approx(mean)


def test_a_preference_for_a_place_leaves_less_to_be_expected() -> None:
    z, delta = np.array([0.7]), np.array([0.2])
    plain, shifted = (decided_drift(z, delta, np.array([c])) for c in (0.0, 3.0))
    assert plain[0] == pytest.approx(np.diff([expit(-0.9), expit(0.5)])[0] / (expit(-0.9) + expit(0.5)))
    assert 0 < shifted[0] < 0.3 * plain[0]


def test_the_mixture_finds_how_many_answer_at_random_and_how_others_vary() -> None:
    rng = np.random.default_rng(3)
    judges, random = 600, 120
    a = np.where(np.arange(judges) < random, 0.0, np.exp(rng.normal(0.1, 0.3, judges)))
    # S of variance 1, and of mean 5 a.
    total = rng.normal(5 * a, 1)
    mean = np.tile(5 * np.exp(GRID), (judges, 1))
    mixture = ordinary_of(Evidence(total, np.ones(judges), mean, np.ones_like(mean)), np.ones(judges, dtype=bool))
    assert mixture.random == pytest.approx(0.2, abs=0.04)
    assert (mixture.mean, mixture.sd) == pytest.approx((0.1, 0.3), abs=0.05)


def test_a_density_of_what_is_all_but_certain_is_bounded() -> None:
    """With one comparison S is ±d, and P(S = d) goes to 1 with a; a density per step 2 d must not exceed 1 / 2 d."""
    row = np.zeros(1, dtype=np.int64)
    answers = Answers(row, row, row + 1, row + 1, row, row, row, row + 1, np.ones(1), 1, 2)
    d = 1.5
    evidence = evidence_of(answers, np.array([d]), np.array([0.0]), np.zeros(1))
    per_step = np.exp(evidence.log_ordinary[0]) * 2 * d
    assert per_step.max() <= 1 + 1e-9
    assert per_step[-1] == pytest.approx(1, abs=0.01)
    # Where an upset can be expected, the variance is that of the model: 4 d² p (1 − p).
    half = int(np.argmin(np.abs(GRID - np.log(0.5))))
    z = np.exp(GRID[half]) * d
    assert evidence.variance[0, half] == pytest.approx(4 * d**2 * expit(z) * expit(-z))


def test_judges_who_never_go_against_an_obvious_order_are_usual_ones() -> None:
    rng, systems = np.random.default_rng(0), 6
    a = rng.integers(0, systems, 600)
    b = (a + rng.integers(1, systems, 600)) % systems
    rows = {
        "system_a": [f"s{i}" for i in a], "system_b": [f"s{i}" for i in b], "outcome": np.where(a > b, 1, -1).tolist(),
        "judge": [f"j{i % 10}" for i in range(600)],
    }  # fmt: skip
    found = pm.judges(Judgments.from_rows(pl.DataFrame(rows)))
    for line in found.lines:
        assert line.sensitivity == pytest.approx(1, abs=0.5)
        assert line.sensitivity_interval[0] < 1 < line.sensitivity_interval[1]
        assert not line.flags


def test_one_step_without_a_judge_is_nearly_a_new_fit(drawn: Campaign) -> None:
    judgments = drawn.judgments
    consensus = consensus_of(judgments, answers_of(judgments), everybody(judgments))
    spreads = dict(zip(("sensitivity_sd", "width_sd"), consensus.fit.spreads, strict=True))
    for judge in (0, 7, 15):
        exact = Ordinal(**spreads).fit(judgments.filter(judgments.codes("judge") != judge)).place.theta
        step, whole = consensus.theta[judge], consensus.fit.place.theta
        moved = np.abs((exact - exact.mean()) - (whole - whole.mean())).max()
        missed = np.abs((exact - exact.mean()) - (step - step.mean())).max()
        assert moved > 0.005
        assert missed < 0.1 * moved
    assert len(consensus.refitted) == 0


def test_a_judge_with_much_of_the_work_is_left_out_by_a_new_fit() -> None:
    one, many = campaign(3, 120, judges=1, share=0.0), campaign(4, 30, judges=9, share=0.0)
    joint = pl.concat([
        one.judgments.to_rows().with_columns(judge=pl.lit("busy"), ranking="busy" + pl.col("ranking")),
        many.judgments.to_rows(),
    ])  # fmt: skip
    judgments = Judgments.from_rows(joint)
    consensus = consensus_of(judgments, answers_of(judgments), everybody(judgments))
    busy = judgments.judges.index("busy")
    assert busy in consensus.refitted
    others = judgments.filter(judgments.codes("judge") != busy)
    spreads = dict(zip(("sensitivity_sd", "width_sd"), consensus.fit.spreads, strict=True))
    assert consensus.theta[busy] == pytest.approx(Ordinal(**spreads).fit(others).place.theta, abs=1e-6)
    assert "busy" in next(note for note in pm.judges(judgments).notes if "new fit" in note)


def test_habits_maximise_the_posterior() -> None:
    rng = np.random.default_rng(8)
    n, a, width, shift = 400, 0.7, 0.6, 0.5
    gap, first = rng.normal(0, 0.6, n), rng.choice([-1, 1], n)
    seen = a * gap + shift * first + rng.logistic(size=n)
    y = np.where(seen > width, 1, np.where(seen < -width, -1, 0))
    zeros, codes = np.zeros(n, dtype=np.int64), np.arange(n)
    answers = Answers(zeros, zeros, zeros + 1, y, codes, first, zeros, zeros + 1, np.ones(n), 1, 2)
    centre, sd = -0.4, 0.8

    def cost(at: np.ndarray) -> float:
        z, delta = at[0] * gap + at[2] * first, np.exp(at[1])
        win, loss = expit(z - delta), expit(-z - delta)
        logs = np.log(np.where(y > 0, win, np.where(y < 0, loss, 1 - win - loss)))
        prior = ((at[0] - 1) / 2) ** 2 + ((at[1] - centre) / sd) ** 2 + at[2] ** 2
        return float(-logs.sum() + prior / 2)

    best = minimize(cost, [1.0, 0.0, 0.0], method="BFGS", options={"gtol": 1e-8})
    habits = habits_of(answers, gap, (centre, sd), np.zeros((2, 2)))
    assert habits.values[0] == pytest.approx(best.x, abs=1e-4)
    # Answers are independent here, so the errors are those of the inverse curvature, roughly.
    step = 1e-4 * np.eye(3)
    curvature = [
        [(cost(best.x + i + j) - cost(best.x + i - j) - cost(best.x - i + j) + cost(best.x - i - j)) / 4e-8
         for j in step] for i in step
    ]  # fmt: skip
    assert habits.errors[0] == pytest.approx(np.sqrt(np.diag(np.linalg.inv(curvature))), rel=0.2)


def test_intervals_of_tie_width_and_place_hold_the_truth() -> None:
    """Single comparisons with logistic noise, so that the model's own parameters are true."""
    rng, held, placed = np.random.default_rng(31), [], []
    for _ in range(3):
        theta, judges, n = rng.normal(0, 0.6, 8), 25, 25 * 120
        judge, a = np.repeat(np.arange(judges), 120), rng.integers(0, 8, n)
        b, first = (a + rng.integers(1, 8, n)) % 8, rng.choice([1, -1], n)
        sensitivity, width = np.exp(rng.normal(0, 0.3, judges)), 0.5 * np.exp(rng.normal(0, 0.6, judges))
        shift = rng.normal(0, 0.3, judges)
        seen = sensitivity[judge] * (theta[a] - theta[b]) + shift[judge] * first + rng.logistic(size=n)
        frame = pl.DataFrame({
            "system_a": [f"s{x}" for x in a], "system_b": [f"s{x}" for x in b], "judge": [f"j{x:02}" for x in judge],
            "outcome": np.where(seen > width[judge], 1, np.where(seen < -width[judge], -1, 0)),
            "position_a": np.where(first > 0, 1, 2), "position_b": np.where(first > 0, 2, 1),
        })  # fmt: skip
        found = pm.judges(Judgments.from_rows(frame))
        for code in range(judges):
            line = found.line(f"j{code:02}")
            held.append(line.tie_width_interval[0] <= width[code] <= line.tie_width_interval[1])
            win, loss = expit(shift[code] - width[code]), expit(-shift[code] - width[code])
            placed.append(line.first_interval[0] <= win / (win + loss) <= line.first_interval[1])
    # 75 intervals each: three standard errors below 95 % are 87 %.
    assert np.mean(held) > 0.87
    assert np.mean(placed) > 0.87


def test_errors_are_those_of_leaving_out_rankings(drawn: Campaign) -> None:
    rows = drawn.judgments.filter(drawn.judgments.codes("judge") == 9)
    answers = answers_of(rows)
    gap = drawn.theta[[int(s[1:]) for s in rows.systems]]
    gap = gap[answers.a] - gap[answers.b]
    nothing = np.zeros((len(rows.systems), len(rows.systems)))
    habits = habits_of(answers, gap, (-1.0, 1.0), nothing)
    units = np.unique(answers.unit)
    left = np.stack([
        habits_of(answers.chosen(answers.unit != unit), gap[answers.unit != unit], (-1.0, 1.0), nothing).values[0]
        for unit in units
    ])  # fmt: skip
    jackknife = np.sqrt(((left - left.mean(axis=0)) ** 2).sum(axis=0))
    assert habits.errors[0] == pytest.approx(jackknife, rel=0.15)


# -- who answers at random ----------------------------------------------------------------------------


def test_random_judges_are_found_and_others_left_alone(drawn: Campaign, found: pm.analysis.judges.Judges) -> None:
    asked = {line.judge for line in found.lines if "random" in [flag.name for flag in line.flags]}
    random = {f"j{code:05}" for code in np.flatnonzero(drawn.random)}
    assert len(random) == 4
    assert len(asked & random) >= 3
    assert len(asked - random) <= 1
    assert 0.1 < found.random < 0.35


def test_a_few_campaigns_keep_both_rates() -> None:
    tally = tallied(60, campaigns=5, first=300, with_bound=False, judges=40)
    (hits, random), (false, others) = tally.recall, tally.false
    assert hits >= 0.88 * random
    assert false <= 0.08 * others
    held = tally.covered[~np.isnan(tally.covered)]
    assert held.mean() > 0.91


@pytest.mark.slow
@pytest.mark.parametrize(("answers", "outputs"), [(50, 5), (200, 2), (100, 5)])
def test_the_bars_hold_in_many_campaigns(answers: int, outputs: int) -> None:
    tally = tallied(answers, campaigns=30, first=400, outputs=outputs)
    (hits, random), (false, others) = tally.recall, tally.false
    assert hits / random >= 0.95 - 2 * np.sqrt(0.95 * 0.05 / random)
    assert false / others <= 0.05 + 2 * np.sqrt(0.95 * 0.05 / others)
    # Nobody does better than the test that knows the truth, beyond the error of the two shares.
    assert hits / random <= tally.bound(false / others) + 2 * np.sqrt(0.25 * 0.2 / random)


@pytest.mark.slow
def test_nobody_is_asked_about_for_nothing_in_clean_campaigns() -> None:
    tally = tallied(60, campaigns=20, first=500, share=0.0, with_bound=False)
    assert tally.asked.mean() < 0.04


def test_the_likelihood_of_rankings_with_ties_sums_to_one() -> None:
    orders = np.array([
        (1, 1, 1), (1, 1, 2), (1, 2, 1), (2, 1, 1), (1, 2, 2), (2, 1, 2), (2, 2, 1),
        *permutations((1, 2, 3)),
    ])  # fmt: skip
    means = np.tile([0.4, -0.3, 0.1], (len(orders), 1))
    chances = np.exp(log_likelihood.py_func(means, orders, np.full(len(orders), 0.45)))
    assert chances.sum() == pytest.approx(1.0, abs=2e-3)
    # Of two outputs the chances are those of a normal difference.
    pairs = np.array([(1, 2), (2, 1), (1, 1)])
    two = np.exp(log_likelihood.py_func(np.tile([0.6, 0.1], (3, 1)), pairs, np.full(3, 0.45)))
    assert two[:2] == pytest.approx(ndtr(np.array([0.5 - 0.45, -0.5 - 0.45]) / 1.702), abs=2e-3)


def test_few_answers_are_no_evidence() -> None:
    few = campaign(5, 4, judges=30, share=0.3)
    found = pm.judges(few.judgments)
    assert not any("random" in [flag.name for flag in line.flags] for line in found.lines)
    assert not any(line.enough for line in found.lines)
    assert any("too few answers" in note for note in found.notes)


def test_who_compared_close_systems_only_is_not_called_random() -> None:
    drawn = campaign(6, 60, judges=20, share=0.0)
    rng = np.random.default_rng(1)
    # Two systems that are equal, decided by nothing but taste.
    close = pl.DataFrame({
        "system_a": ["s00010"] * 300, "system_b": ["s00012"] * 300, "outcome": rng.choice([1, -1], 300),
        "judge": ["close"] * 300,
    })  # fmt: skip
    rows = pl.concat([drawn.judgments.to_rows(), close], how="diagonal_relaxed")
    line = pm.judges(Judgments.from_rows(rows)).line("close")
    assert line.shared
    assert line.answers == 300
    assert not line.enough
    assert line.flags == ()


def test_questions_do_not_depend_on_the_level_of_intervals(drawn: Campaign, found: pm.analysis.judges.Judges) -> None:
    other = pm.judges(drawn.judgments, p=0.4)
    assert [(line.judge, line.random, line.flags) for line in other.lines] == [
        (line.judge, line.random, line.flags) for line in found.lines
    ]
    narrow, wide = (result.lines[5].sensitivity_interval for result in (other, found))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_no_order_of_rows_and_no_names_change_anything(drawn: Campaign, found: pm.analysis.judges.Judges) -> None:
    shuffled = drawn.judgments.to_rows().sample(fraction=1.0, shuffle=True, seed=1)
    again = pm.judges(Judgments.from_rows(shuffled), rng=0)
    for line, other in zip(found.lines, again.lines, strict=True):
        assert line.judge == other.judge
        assert line.sensitivity == pytest.approx(other.sensitivity, abs=1e-9)
        assert line.random == pytest.approx(other.random, abs=1e-9)
        assert line.flags == other.flags


def test_simulated_campaigns_measure_false_flags(drawn: Campaign) -> None:
    one, two = (pm.judges(drawn.judgments, false_flags=3, rng=4) for _ in range(2))
    assert one.false_flags == two.false_flags
    assert one.false_flags is not None
    assert (one.false_flags.campaigns, one.false_flags.judges) == (3, 60)
    # A quarter of these judges answers at random; in campaigns in which nobody does, few are asked about.
    assert one.false_flags.flagged <= 6
    assert one.false_flags.flagged <= sum(one.false_flags.by_flag.values())
    assert any("3 campaigns simulated like this one" in note for note in one.notes)
    with pytest.raises(InputError, match="false_flags: got -1"):
        pm.judges(drawn.judgments, false_flags=-1)


def test_ranks_of_simulated_screens() -> None:
    rng = np.random.default_rng(5)
    quality, width = rng.normal(size=(200, 5)), rng.uniform(0, 1, 200)
    screen = np.repeat(np.arange(200), 5)
    shuffled = rng.permutation(1000)
    mine = np.empty(1000, dtype=np.int64)
    mine[shuffled] = ranked(screen[shuffled], quality.ravel()[shuffled], np.repeat(width, 5)[shuffled])
    assert (mine.reshape(200, 5) == ranks_apart(quality, width)).all()
    # Of three outputs in a row, the last is close to the second and not to the best of the group.
    assert ranked(np.zeros(3, dtype=np.int64), np.array([0.0, 0.6, 1.0]), np.full(3, 0.5)).tolist() == [2, 1, 1]


# -- other flags --------------------------------------------------------------------------------------


def with_judge(drawn: Campaign, name: str, number: int, ranks: np.ndarray, **columns: object) -> Judgments:
    """The campaign with one more judge, who ranks what judge ``number`` was shown."""
    mine = drawn.judge == number
    one = replace(drawn, judge=drawn.judge[mine], shown=drawn.shown[mine], ranks=ranks, segment=drawn.segment[mine])
    extra = one.judgments.to_rows().with_columns(
        judge=pl.lit(name), ranking="x" + pl.col("ranking"), **{k: pl.lit(v) for k, v in columns.items()}
    )
    return Judgments.from_rows(pl.concat([drawn.judgments.to_rows(), extra], how="diagonal_relaxed"))


def test_always_first_and_always_last() -> None:
    drawn = campaign(7, 40, judges=12, share=0.0)
    places = np.tile(np.arange(1, 6), (40, 1))
    first = pm.judges(with_judge(drawn, "first", 3, places))
    assert flags(first, "first") == ["always-first"]
    assert first.line("first").first > 0.9
    last = pm.judges(with_judge(drawn, "last", 3, 6 - places))
    assert flags(last, "last") == ["always-last"]
    others = [flag.name for line in first.lines if line.judge != "first" for flag in line.flags]
    assert not {"always-first", "always-last", "straight-ties", "too-fast", "reversed"} & set(others)


def test_a_place_is_told_only_of_judges_whose_screens_are_known() -> None:
    rows = campaign(7, 30, judges=8, share=0.0).judgments.to_rows()
    hidden = pl.col("judge") == "j00002"
    rows = rows.with_columns(pl.when(~hidden).then(side).alias(side) for side in ("position_a", "position_b"))
    found = pm.judges(Judgments.from_rows(rows))
    assert (found.line("j00002").first, found.line("j00002").first_interval) == (None, None)
    assert found.line("j00003").first == pytest.approx(0.5, abs=0.2)


def test_straight_ties() -> None:
    drawn = campaign(7, 40, judges=12, share=0.0)
    ranks = np.ones((40, 5), dtype=np.int64)
    ranks[:2, 4] = 2
    tied = pm.judges(with_judge(drawn, "tied", 3, ranks))
    assert flags(tied, "tied") == ["straight-ties"]
    assert tied.line("tied").ties == pytest.approx(1 - 8 / 400)


def test_ties_about_what_nobody_else_compared_are_no_question(drawn: Campaign) -> None:
    alone = pl.DataFrame({
        "system_a": ["s00001"] * 60, "system_b": ["lone"] * 60, "outcome": [0] * 60, "judge": ["hermit"] * 60,
    })  # fmt: skip
    rows = pl.concat([drawn.judgments.to_rows(), alone], how="diagonal_relaxed")
    line = pm.judges(Judgments.from_rows(rows)).line("hermit")
    assert (line.shared, line.ties, line.flags) == (False, 1.0, ())


def test_an_upside_down_scale() -> None:
    drawn = campaign(7, 120, judges=12, share=0.0)
    upside_down = pm.judges(with_judge(drawn, "turned", 3, 6 - drawn.ranks[drawn.judge == 3]))
    assert flags(upside_down, "turned") == ["reversed"]
    assert upside_down.line("turned").sensitivity < 0


def timed(seconds: dict[str, float], answers: int = 30) -> Judgments:
    """Judges with these median times, each answer 20 % more or less."""
    rng = np.random.default_rng(2)
    rows = [
        {"system_a": "a", "system_b": "b", "outcome": int(rng.choice([1, 1, -1])), "judge": judge,
         "duration": float(middle * np.exp(rng.normal(0, 0.2)))}
        for judge, middle in seconds.items() for _ in range(answers)
    ]  # fmt: skip
    return Judgments.from_rows(pl.DataFrame(rows))


def test_too_fast_is_far_below_the_others() -> None:
    usual = {f"j{i}": 30.0 + 3 * i for i in range(8)}
    found = pm.judges(timed({**usual, "quick": 4.0, "brisk": 18.0}))
    assert flags(found, "quick") == ["too-fast"]
    assert flags(found, "brisk") == []
    assert found.line("quick").seconds == pytest.approx(4.0, rel=0.2)
    # Three judges do not tell what is usual.
    few = pm.judges(timed({"j1": 30.0, "j2": 40.0, "quick": 4.0}))
    assert flags(few, "quick") == []
    assert any("too fast" in note for note in few.notes)


def test_times_that_are_not_above_0_are_left_out() -> None:
    rows = timed({f"j{i}": 30.0 for i in range(6)}).to_rows()
    rows = rows.with_columns(duration=pl.when(pl.int_range(pl.len()) < 3).then(0.0).otherwise("duration"))
    judgments = Judgments.from_rows(rows)
    times = times_of(judgments, answers_of(judgments), everybody(judgments))
    assert times is not None
    assert (times.unusable, times.answers.sum()) == (3, 177)
    assert any("not above 0" in note for note in pm.judges(judgments).notes)


def test_every_flag_is_a_question(found: pm.analysis.judges.Judges) -> None:
    asked = [flag for line in found.flagged for flag in line.flags]
    assert asked
    assert all(flag.question.endswith("?") for flag in asked)
    assert all(flag.name in pm.analysis.judges.FLAGS for flag in asked)
    assert not any(word in str(flag).lower() for flag in asked for word in ("cheat", "spam", "bad judge", "guilty"))


# -- agreement, and who shares nothing ----------------------------------------------------------------


def test_agreement_counts_decided_judgments_that_go_with_the_others() -> None:
    rows = [("a", "b", 1, "x")] * 3 + [("a", "b", -1, "x")] + [("a", "b", 0, "x")] * 2
    rows += [("a", "b", 1, f"other{i}") for i in range(6) for _ in range(4)] + [("a", "b", -1, "other0")]
    frame = pl.DataFrame(rows, schema=["system_a", "system_b", "outcome", "judge"], orient="row")
    line = pm.judges(Judgments.from_rows(frame)).line("x")
    assert (line.decided, line.agreement, line.ties) == (4, 0.75, pytest.approx(1 / 3))
    assert 0.5 < line.expected < 1


def test_who_shares_no_comparison_is_named(drawn: Campaign) -> None:
    alone = pl.DataFrame({
        "system_a": ["lone-1"] * 6, "system_b": ["lone-2"] * 6, "outcome": [1, 1, -1, 1, 0, 1], "judge": ["hermit"] * 6,
    })  # fmt: skip
    # Links two systems to the rest by themselves: others say nothing of what they compared, either.
    bridge = pl.DataFrame({
        "system_a": ["s00001"] * 6, "system_b": ["lone-3"] * 6, "outcome": [1, 1, -1, 1, 0, 1], "judge": ["bridge"] * 6,
    })  # fmt: skip
    rows = pl.concat([drawn.judgments.to_rows(), alone, bridge], how="diagonal_relaxed")
    found = pm.judges(Judgments.from_rows(rows))
    for name in ("hermit", "bridge"):
        line = found.line(name)
        assert not line.shared
        assert (line.sensitivity, line.agreement, line.random, line.kappa) == (None, None, None, line.kappa)
        assert line.judgments == 6
    note = next(note for note in found.notes if "share no comparison" in note)
    assert "bridge" in note
    assert "hermit" in note
    assert any("lone-1, lone-2" in note for note in found.notes)
    # The others are what they are without them.
    assert found.line("j00008").sensitivity == pytest.approx(
        pm.judges(drawn.judgments).line("j00008").sensitivity, abs=0.05
    )


def test_one_judge_alone_has_nobody_to_be_compared_with() -> None:
    drawn = campaign(1, 20, judges=1, share=0.0)
    (line,) = pm.judges(drawn.judgments).lines
    assert not line.shared
    assert line.flags == ()


def test_judgments_without_a_judge_are_one_more_person(drawn: Campaign) -> None:
    rows = drawn.judgments.to_rows().with_columns(judge=pl.when(pl.col("judge") != "j00019").then("judge"))
    found = pm.judges(Judgments.from_rows(rows))
    assert len(found.lines) == 19
    assert any("1,000 of 20,000 judgments name no judge" in note for note in found.notes)


def test_weights_play_no_part_and_that_is_said(drawn: Campaign, found: pm.analysis.judges.Judges) -> None:
    rows = drawn.judgments.to_rows()
    weighted = pm.judges(Judgments.from_rows(rows.with_columns(weight=np.linspace(0.1, 5, len(rows)))))
    assert [line.sensitivity for line in weighted.lines] == [line.sensitivity for line in found.lines]
    assert any("weights, which play no part" in note for note in weighted.notes)
    assert weighted.record.facts["data"] != found.record.facts["data"]


def test_what_is_not_there_is_refused(drawn: Campaign) -> None:
    nameless = Judgments.from_rows(drawn.judgments.to_rows().drop("judge", "ranking"))
    with pytest.raises(InputError, match=r"do not say who judged; name the column with --column judge=NAME"):
        pm.judges(nameless)
    with pytest.raises(InputError, match=r"p: got 1.5; allowed"):
        pm.judges(drawn.judgments, p=1.5)
    with pytest.raises(InputError, match="pair counts"):
        pm.judges(drawn.judgments.counts)


# -- programs -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def with_program() -> Judgments:
    """Nineteen people, and a program that judged twice as much and goes its own way."""
    drawn = campaign(12, 30, judges=20, share=0.0)
    rows = drawn.judgments.to_rows()
    return Judgments.from_rows(
        rows.with_columns(
            pl.when(pl.col("judge") == "j00004").then(pl.lit("llm-1")).otherwise("judge").alias("judge"),
            pl.when(pl.col("judge") == "j00004").then(-pl.col("outcome")).otherwise("outcome").alias("outcome"),
            pl.when(pl.col("judge") == "j00004").then(pl.lit("LLM")).otherwise(pl.lit("human")).alias("extra.kind"),
        )
    )


def test_programs_are_compared_with_people_and_change_nothing_about_them(with_program: Judgments) -> None:
    beside = pm.judges(with_program, program="llm-*")
    people = pm.judges(with_program.filter(~with_program.where("judge", "llm-1")))
    for line in people.lines:
        other = beside.line(line.judge)
        assert not other.program
        assert (line.sensitivity, line.random) == pytest.approx((other.sensitivity, other.random), abs=1e-4)
        assert line.kappa == other.kappa
    program = beside.line("llm-1")
    assert program.program
    assert program.sensitivity < 0
    assert beside.lines[-1] is program
    # κ of the program is with people, as `agreement` counts it.
    both = {line.judge: line for line in pm.agreement(with_program, judges=True, rng=0).by_judge}
    assert program.kappa.kappa == pytest.approx(both["llm-1"].inter.kappa)
    assert any("llm-1" in note and "not part of what people say" in note for note in beside.notes)


def test_a_column_may_mark_programs(with_program: Judgments) -> None:
    by_name, by_column = pm.judges(with_program, program=["llm-1"]), pm.judges(with_program, programs="kind")
    assert by_name.lines == by_column.lines


def test_what_does_not_say_who_is_a_program_is_refused(with_program: Judgments) -> None:
    with pytest.raises(InputError, match=r"no judge matches 'gpt\*'; there are 20: j00000"):
        pm.judges(with_program, program="gpt*")
    with pytest.raises(InputError, match=r"no extra column 'sort'; there are: kind"):
        pm.judges(with_program, programs="sort")
    odd = with_program.frame.with_columns(pl.lit("perhaps").alias("extra.kind"))
    with pytest.raises(InputError, match=r"column 'kind' holds 'perhaps', which does not say"):
        pm.judges(replace(with_program, frame=odd), programs="kind")
    half = with_program.frame.with_columns((pl.int_range(pl.len()) % 2).cast(pl.Float64).alias("extra.kind"))
    with pytest.raises(InputError, match=r"says both of judge 'j00000', program and person"):
        pm.judges(replace(with_program, frame=half), programs="kind")
    with pytest.raises(InputError, match="all judges are programs"):
        pm.judges(with_program, program="*")


def test_who_cannot_be_compared_is_not_said_to_be() -> None:
    rows = {
        "system_a": ["a"] * 6 + ["c"] * 6, "system_b": ["b"] * 6 + ["d"] * 6, "outcome": [1, -1, 1, 0, 1, 1] * 2,
        "judge": ["ann"] * 6 + ["bob"] * 6,
    }  # fmt: skip
    found = pm.judges(Judgments.from_rows(pl.DataFrame(rows)))
    assert any("share no comparison" in note and "ann, bob" in note for note in found.notes)
    assert not any("new fit" in note for note in found.notes)


# -- without flagged judges ---------------------------------------------------------------------------


def test_leaving_out_flagged_judges_says_what_changes(drawn: Campaign, found: pm.analysis.judges.Judges) -> None:
    flagged = [line.judge for line in found.flagged]
    assert flagged
    without = pm.judges(drawn.judgments, exclude_flagged=True, rng=5)
    judgments = drawn.judgments
    before = pm.rank(judgments, rng=5)
    after = pm.rank(judgments.filter(~judgments.where("judge", flagged)), rng=5)
    expected = pm.diff(before, after, shared="all")
    assert without.changes is not None
    assert without.changes.systems == expected.systems
    assert any(all(name in note for name in flagged) for note in without.notes)
    assert without.lines == found.lines


def test_nobody_to_leave_out_is_said() -> None:
    found = pm.judges(campaign(7, 20, judges=8, share=0.0).judgments, exclude_flagged=True, rng=0)
    assert not found.flagged
    assert found.changes is None
    assert any("nobody to leave out" in note for note in found.notes)


def test_without_flagged_judges_of_a_few_the_change_is_for_these_people() -> None:
    few = campaign(11, 100, judges=4, share=0.25).judgments
    found = pm.judges(few, exclude_flagged=True, rng=0)
    assert len(found.flagged) == 1
    assert found.changes is not None
    assert all(line.change is not None for line in found.changes.systems)
    assert any("same people" in note for note in found.changes.notes)
    # `judges` has no such option.
    assert not any("--judges" in note for note in found.changes.notes)
