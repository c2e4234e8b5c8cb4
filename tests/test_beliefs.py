"""P(best) and P(better): against a sum over a fine grid, and by how often what is believed is true."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import palmares as pm
from palmares.ranking.beliefs import posterior

DRAWS = 40_000


def believed(scores: np.ndarray, covariance: np.ndarray, df: float | None = None, draws: int = DRAWS) -> np.ndarray:
    return posterior(scores, covariance, df, draws, np.random.default_rng(1))


def best_of(drawn: np.ndarray) -> np.ndarray:
    return np.bincount(drawn.argmax(axis=1), minlength=drawn.shape[1]) / len(drawn)


def weighed(scores: np.ndarray, covariance: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draws of true scores from their prior, and how well each explains the observed ones: importance sampling.

    τ is drawn evenly up to far beyond what scores spread, and weighed by its half-Cauchy prior, whose scale is three
    times the errors of scores around their mean; true scores are normal around 0 with it; what is observed is
    how scores lie to each other, so the likelihood is that of all but one of the differences.
    """
    n = len(scores)
    tau = rng.uniform(0, 6 * np.sqrt(((scores - scores.mean()) ** 2).mean() + np.diag(covariance).mean()), 400_000)
    truth = rng.normal(size=(len(tau), n)) * tau[:, None]
    differences = np.eye(n)[:-1] - np.eye(n)[-1]
    error = (scores - truth) @ differences.T
    inverse = np.linalg.inv(differences @ covariance @ differences.T)
    likelihood = np.exp(-0.5 * np.einsum("ri,ij,rj->r", error, inverse, error))
    around_mean = np.trace(covariance) - covariance.sum() / n
    return truth - truth.mean(axis=1, keepdims=True), likelihood / (1 + tau**2 / (9 * around_mean / (n - 1)))


@pytest.mark.parametrize(
    ("scores", "covariance"),
    [
        ([0.6, 0.1, -0.7], np.diag([0.3, 0.3, 0.3])),
        ([1.2, 0.2, 0.0], np.diag([1.5, 0.05, 0.05])),
        ([0.4, 0.3, -0.9], np.array([[0.3, 0.1, 0.0], [0.1, 0.4, -0.1], [0.0, -0.1, 0.2]])),
        ([0.2, 0.1, 0.0, -0.2], np.diag([0.2, 0.1, 0.4, 0.3])),
    ],
)
def test_draws_are_those_of_the_posterior(scores: list[float], covariance: np.ndarray) -> None:
    observed = np.array(scores)
    truth, weight = weighed(observed, covariance, np.random.default_rng(0))
    weight /= weight.sum()
    drawn = believed(observed, covariance)
    mean = weight @ truth
    deviation = np.sqrt(weight @ (truth - mean) ** 2)
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=0.03)
    np.testing.assert_allclose(drawn.std(axis=0), deviation, rtol=0.06)
    expected = np.bincount(truth.argmax(axis=1), weight, minlength=len(scores))
    np.testing.assert_allclose(best_of(drawn), expected, atol=0.02)
    better = weight @ (truth[:, 0] > truth[:, 1])
    assert (drawn[:, 0] > drawn[:, 1]).mean() == pytest.approx(better, abs=0.02)


def test_what_is_believed_is_true_as_often_as_stated() -> None:
    """Systems that lie close in some campaigns and apart in others; of all that is believed, by tenths."""
    rng = np.random.default_rng(3)
    said, was, shares = [], [], []
    for campaign in range(600):
        tau = (0.1, 0.3, 1.0)[campaign % 3]
        truth = rng.normal(0, tau, 6)
        error = np.diag(rng.uniform(0.1, 0.5, 6) ** 2)
        observed = rng.multivariate_normal(truth, error)
        drawn = posterior(observed, error, None, 400, rng)
        best = best_of(drawn)
        said += best.tolist()
        was += (np.arange(6) == truth.argmax()).tolist()
        shares.append((best[observed.argmax()], rng.multivariate_normal(observed, error, 400).argmax(axis=1)
                       == observed.argmax(), truth.argmax() == observed.argmax()))  # fmt: skip
    bins = np.minimum((np.array(said) * 5).astype(int), 4)
    for k in range(5):
        inside = bins == k
        assert inside.sum() > 50
        gap = abs(np.array(said)[inside].mean() - np.array(was)[inside].mean())
        assert gap <= 0.05 + 2 * np.sqrt(0.25 / inside.sum())
    # Of whoever leads: what is believed is true about as often; shares of samples around the scores are too sure.
    believed_of_leaders = np.mean([share for share, _, _ in shares])
    sampled = np.mean([samples.mean() for _, samples, _ in shares])
    true = np.mean([right for _, _, right in shares])
    assert believed_of_leaders == pytest.approx(true, abs=0.05)
    assert sampled > true + 0.05


def test_where_the_mean_lies_does_not_matter() -> None:
    scores, covariance = np.array([0.5, 0.2, -0.4]), np.diag([0.2, 0.1, 0.3])
    plain = believed(scores, covariance, draws=500)
    np.testing.assert_allclose(believed(scores + 7, covariance, draws=500), plain, atol=1e-9)
    # An error that all scores share says nothing of how they lie to each other.
    np.testing.assert_allclose(believed(scores, covariance + 4.0, draws=500), plain, atol=1e-6)
    # Seen from an anchor: the covariance of the differences to the second system, whose own is 0.
    to_anchor = np.eye(3) - np.eye(3)[:, [1]].T
    anchored = believed(to_anchor @ scores, to_anchor @ covariance @ to_anchor.T, draws=500)
    np.testing.assert_allclose(anchored, plain, atol=1e-9)


def test_a_larger_scale_is_only_a_larger_scale() -> None:
    scores, covariance = np.array([0.5, 0.2, -0.4]), np.diag([0.2, 0.1, 0.3])
    elo = 400 / np.log(10)
    larger = believed(elo * scores, elo**2 * covariance, draws=500)
    np.testing.assert_allclose(larger, elo * believed(scores, covariance, draws=500), atol=1e-6)


def test_few_degrees_of_freedom_are_believed_less() -> None:
    scores, covariance = np.array([1.0, 0.0, -1.0]), np.diag([0.2] * 3)
    many, few = (best_of(believed(scores, covariance, df))[0] for df in (None, 3.0))
    assert few < many - 0.01


def test_scores_without_any_error_are_believed_as_they_are() -> None:
    drawn = believed(np.array([2.0, 1.0]), np.zeros((2, 2)), draws=10)
    assert np.array_equal(drawn, np.tile([0.5, -0.5], (10, 1)))


def test_systems_that_do_not_differ_are_each_best_alike() -> None:
    drawn = believed(np.zeros(4), np.eye(4) * 0.3)
    apart = drawn[np.ptp(drawn, axis=1) > 0]  # where τ is 0, all are level, and places are drawn
    assert len(apart) > DRAWS / 2
    np.testing.assert_allclose(best_of(apart), 0.25, atol=5 * np.sqrt(0.25 * 0.75 / len(apart)))


# -- through rank ----------------------------------------------------------------------------------


def with_newcomer(seed: int, wins: int) -> pm.Judgments:
    """A campaign, and a system that was judged a few times and won all, against one of the middle."""
    rows = pm.simulate(systems=6, rankings=120, judges=10, segments=40, rng=seed).judgments.to_rows()
    middle = pm.rank(pm.Judgments.from_rows(rows), resample=None, rng=0).systems[3]
    lucky = rows[: 31 * wins : 31].with_columns(
        system_a=pl.lit("newcomer"), system_b=pl.lit(middle), ranking=pl.lit("more ") + pl.col("ranking"),
        outcome=pl.lit(1).cast(rows["outcome"].dtype),
    )  # fmt: skip
    return pm.Judgments.from_rows(pl.concat([rows, lucky]))


@pytest.mark.parametrize("wins", [1, 3, 5])
@pytest.mark.parametrize("unit", ["auto", "ranking", "segment", "judge", "pair"])
def test_a_few_lucky_wins_do_not_lead(unit: str, wins: int) -> None:
    ranking = pm.rank(with_newcomer(3, wins), resample=unit, resamples=400, rng=0)
    assert ranking.systems[0] == "newcomer"  # by its score it does
    best = {line.system: line.best for line in ranking.lines}
    # Of seven systems; by the share of samples in which it is first, it was nearly sure.
    sampled = (ranking.replicates.places[:, ranking.fit.systems.index("newcomer")] == 1).mean()
    assert best["newcomer"] < 0.5
    assert best["newcomer"] < sampled - 0.2
    # One of two equal systems wins all of five with a chance of 1/16, which is more than .05.
    assert not ranking.boundaries[0].joint
    assert ranking.lines[0].joint_range[1] > 1


def test_better_and_best_come_from_the_same_draws() -> None:
    ranking = pm.rank(pm.simulate(systems=5, rankings=80, judges=8, segments=30, rng=4).judgments, resamples=300, rng=0)
    scores = ranking.beliefs.scores[:, [ranking.fit.systems.index(name) for name in ranking.systems]]
    assert [line.best for line in ranking.lines] == pytest.approx(best_of(scores).tolist())
    for i in range(5):
        for j in range(i):
            assert ranking.better[i, j] == pytest.approx((scores[:, i] > scores[:, j]).mean())
            assert ranking.better[j, i] == pytest.approx(1 - ranking.better[i, j])


def test_a_models_own_posterior_is_what_is_believed() -> None:
    data = pm.simulate(systems=5, rankings=30, judges=6, segments=20, rng=5).judgments
    ranking = pm.rank(data, model="hopkins-may:iterations=120,burn_in=20", rng=0)
    assert ranking.record.facts["unit"] == "posterior"
    assert ranking.beliefs is ranking.replicates
