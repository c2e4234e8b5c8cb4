"""Forecasts: against a Brownian motion written apart, against `claims`, and whether they come true."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from palmares import rank
from palmares.cli import cli
from palmares.design import futures
from palmares.design.forecast import Forecast, Need, forecast, forecast_of
from palmares.design.simulate import simulate
from palmares.design.targets import Target
from palmares.errors import InputError
from palmares.ingest.files import write
from palmares.judgments import PairCounts
from palmares.kernels.claiming import claimed_along
from palmares.models.bradley_terry import BradleyTerry
from palmares.ranking.anytime import claims, critical
from palmares.report.forecast import forecast_lines

#: Two systems a little apart, and a third so far that the spread of scores tells nothing of the two.
LEAD, ERROR = 0.15, 0.1
SCORES = np.array([LEAD, 0.0, -40.0])
COVARIANCE = np.eye(3) * ERROR**2 / 2


def _two_apart(lead: float) -> Forecast:
    scores = np.array([lead, 0.0, -40.0])
    return forecast(scores, COVARIANCE, 1000, claims=claims(scores, COVARIANCE), draws=4000, rng=3)


def _brownian(lead: float, draws: int = 6000) -> np.ndarray:
    """Further judgments until z² is critical for one pair: the truth is N(lead, v), scores are a sum of judgments."""
    rng, information = np.random.default_rng(11), ERROR**-2
    truth = rng.normal(lead, ERROR, draws)
    more = np.geomspace(1, 50_000, 700)
    grown = information * (1 + more / 1000)
    steps = np.diff(grown, prepend=information)
    total = lead * information + (truth[:, None] * steps + rng.normal(0, np.sqrt(steps), (draws, len(more)))).cumsum(1)
    shown = total**2 / grown >= critical(grown, 1)
    return np.where(shown.any(axis=1), more[shown.argmax(axis=1)], np.inf)


@pytest.mark.parametrize("lead", [LEAD, 0.02])
def test_two_systems_need_what_a_brownian_motion_needs(lead: float) -> None:
    (need,) = _two_apart(lead).boundaries
    expected = np.sort(_brownian(lead))
    assert (need.above, need.below) == (0, 1)
    assert need.never == pytest.approx(np.isinf(expected).mean(), abs=0.03)
    low, median, high = (expected[int(share * len(expected))] for share in (0.1, 0.5, 0.9))
    assert low / 1.25 < need.low < low * 1.25
    assert median / 1.25 < need.median < median * 1.25
    assert need.high == high == np.inf or high / 1.3 < need.high < high * 1.3


def test_claims_of_many_states_are_those_of_each() -> None:
    rng, n = np.random.default_rng(2), 7
    paths = rng.normal(0, 1.0, (30, 4, n))
    root = rng.normal(0, 0.05, (n, n))
    falling, staying = root @ root.T + 0.01 * np.eye(n), 0.002 * np.eye(n)
    factors = np.array([1.0, 2.0, 5.0, 30.0])
    apart = [np.add.outer(np.diag(c), np.diag(c)) - 2 * c for c in (falling, staying)]
    claimed, blocks = claimed_along(paths, factors, *apart, 13.0, 1.0, np.arange(n), 0.05, n, 0.0)
    total = 0
    for path, scores in enumerate(paths):
        for step, factor in enumerate(factors):
            expected = claims(scores[step], falling / factor + staying)
            assert claimed[path, step].tolist() == expected.claimed.tolist()
            assert blocks[path, step].tolist() == (expected.clusters - 1).tolist()
            total += int(expected.claimed.sum())
    assert total > 50


def test_what_judges_share_is_a_floor() -> None:
    given = forecast(SCORES, COVARIANCE, 1000, claims=claims(SCORES, COVARIANCE), shared=np.full(3, 0.9), rng=1)
    assert given.others is not None
    (own,), (others,) = given.boundaries, given.others.boundaries
    assert own.never > others.never + 0.3
    nothing = forecast(SCORES, COVARIANCE, 1000, claims=claims(SCORES, COVARIANCE), shared=np.ones(3), rng=1)
    assert nothing.boundaries[0].never == 1.0


@pytest.mark.parametrize("turned", range(20))
def test_information_is_the_same_whatever_rounding_makes_of_the_mean(turned: int) -> None:
    """Scores seen from their mean have one direction without variance; of nine others, each has 1 / .005."""
    mixed = np.linalg.qr(np.random.default_rng(turned).standard_normal((10, 10)))[0]
    centred = np.eye(10) - 0.1
    covariance = mixed @ (0.005 * centred) @ mixed.T
    assert futures._information((covariance + covariance.T) / 2) == pytest.approx(9 / 0.005)


def test_comparisons_of_the_two_alone_need_fewer() -> None:
    # Ten systems, all pairs compared alike: of N judgments a difference knows N J / 9, of its own N J.
    scores = np.array([40.0, 30.0, 20.0, 10.0, LEAD, 0.0, -10.0, -20.0, -30.0, -40.0])
    covariance = np.eye(10) * ERROR**2 / 2
    given = forecast(scores, covariance, 1000, claims=claims(scores, covariance), dedicated=True, draws=2000, rng=1)
    assert given.dedicated is not None
    (both,), (alone,) = given.boundaries, given.dedicated
    assert (alone.above, alone.below) == (4, 5)
    # At least 70 % of the comparisons are of the two.
    assert 0.9 / 9 < alone.median / both.median < 1.3 / (9 * 0.7)
    assert alone.never <= both.never


def test_with_few_degrees_of_freedom_more_are_needed() -> None:
    made = claims(SCORES, COVARIANCE, df=8.0)
    few = forecast(SCORES, COVARIANCE, 1000, claims=made, df=8.0, draws=2000, rng=1).boundaries[0]
    assert few.median > _two_apart(LEAD).boundaries[0].median * 1.3


def test_targets_are_forecast_and_one_that_is_met_needs_nothing() -> None:
    made = claims(SCORES, COVARIANCE)
    met = forecast(SCORES, COVARIANCE, 1000, claims=made, target=Target.parse("clusters=2"), rng=1)
    assert met.target == Need(0.0, 0.0, 0.0, 0.0)
    open_ = forecast(SCORES, COVARIANCE, 1000, claims=made, target=Target.parse("best"), rng=1)
    assert open_.target == replace(open_.boundaries[0], above=None, below=None)
    assert open_.aim == "the best system is separated from all others"


def test_a_forecast_is_the_same_again_and_of_many_systems_too() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(0, 1, 60)
    covariance = 0.01 * np.eye(60)
    made = claims(scores, covariance)
    one, other = (forecast(scores, covariance, 5000, claims=made, rng=4) for _ in range(2))
    assert one == other
    assert len(one.boundaries) == len(made.open)


def test_what_is_no_number_of_judgments_is_refused() -> None:
    with pytest.raises(InputError, match="judgments: got 0"):
        forecast(SCORES, COVARIANCE, 0, claims=claims(SCORES, COVARIANCE))
    with pytest.raises(InputError, match="horizon: got 0"):
        forecast(SCORES, COVARIANCE, 10, claims=claims(SCORES, COVARIANCE), horizon=0)


@pytest.mark.parametrize("covariance", [np.zeros((3, 3)), COVARIANCE])
def test_where_nothing_falls_nothing_is_ever_shown(covariance: np.ndarray) -> None:
    scores = np.array([0.1, 0.0, -0.1])
    made = claims(scores, covariance)
    given = forecast(scores, covariance, 100, claims=made, shared=np.ones(3), dedicated=True, rng=1)
    assert given.dedicated is not None
    assert [need.never for need in (*given.boundaries, *given.dedicated)] == [1.0] * 4


# -- in words --------------------------------------------------------------------------------------------


def test_a_forecast_in_words() -> None:
    needs = (
        Need(183.0, 92.0, 408.0, 0.02, 0, 1),
        Need(4170.0, 1230.0, np.inf, 0.2, 1, 2),
        Need(np.inf, 3456.0, np.inf, 0.6, 2, 3),
        Need(np.inf, np.inf, np.inf, 1.0, 3, 4),
    )
    first, *lines = forecast_lines(Forecast(1000, 50_000, needs), ("A", "B", "C", "D", "E"))
    assert first.startswith("forecast, until it holds at every look")
    assert lines == [
        "about 180 more judgments (92–410) to separate A from B",
        "about 4,200 more judgments (1,200 to more than 50,000) to separate B from C",
        "more than 50,000 more judgments (3,500 to more than 50,000) to separate C from D",
        "more than 50,000 more judgments to separate D from E",
    ]


def test_what_these_judges_cannot_show_others_may() -> None:
    own, other = Need(np.inf, np.inf, np.inf, 0.97, 0, 1), Need(230.0, 100.0, 990.0, 0.0, 0, 1)
    forecasts = Forecast(1000, 50_000, (own,), others=Forecast(1000, 50_000, (other,)))
    assert forecast_lines(forecasts, ("A", "B"))[1] == (
        "not by these judges on these segments, about 230 more judgments (100–990) by others, to separate A from B"
    )


def test_rank_forecasts(tmp_path: Path) -> None:
    judgments = simulate(systems=6, rankings=300, outputs=3, judges=9, segments=80, spread=7, rng=2).judgments
    path = tmp_path / "campaign.csv"
    write(judgments, path)
    run = CliRunner()
    said = run.invoke(cli, ["rank", str(path), "--resamples", "100", "--target", "clusters=6"])
    assert "forecast, until it holds at every look" in said.output
    assert "until there are at least 6 clusters" in said.output
    made = run.invoke(cli, ["rank", str(path), "--resamples", "100", "--forecast", "--format", "json"])
    result = tmp_path / "result.json"
    result.write_text(made.stdout, encoding="utf-8")
    found = json.loads(made.stdout)[0]["forecast"]
    assert found["judgments"] == len(judgments)
    assert {"above", "below", "median", "low", "high", "never"} <= set(found["boundaries"][0])
    assert run.invoke(cli, ["verify", str(result)]).exit_code == 0
    refused = run.invoke(cli, ["rank", str(path), "--target", "half"])
    assert "target: got half" in str(refused.exception)
    unfit = run.invoke(cli, ["rank", str(path), "--forecast", "--model", "bojar"])
    assert "bojar depend on which comparisons were chosen" in str(unfit.exception)


@pytest.mark.parametrize(
    ("target", "words"), [("best=0.9", "best takes no number here"), ("clusters=5", "there are only 4 systems")]
)
def test_a_target_that_a_forecast_cannot_answer_is_refused(target: str, words: str) -> None:
    judgments = simulate(systems=4, rankings=60, outputs=3, judges=6, segments=20, rng=2).judgments
    with pytest.raises(InputError, match=words):
        forecast_of(rank(judgments, rng=0), Target.parse(target))


def test_one_judgment_has_no_forecast() -> None:
    judgments = simulate(systems=2, rankings=1, outputs=2, rng=2).judgments
    with pytest.raises(InputError, match="a forecast needs more than one judgment"):
        forecast_of(rank(judgments, looks="any", rng=0))


def test_a_ranking_without_ranges_has_no_forecast() -> None:
    judgments = simulate(systems=4, rankings=60, outputs=3, judges=6, segments=20, rng=2).judgments
    with pytest.raises(InputError, match="a forecast needs rank ranges"):
        forecast_of(rank(judgments, resample=None, rng=0))


# -- do they come true? ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_forecasts_come_true() -> None:
    """Campaigns that go on, systems normal: 80 % intervals, and how often the horizon is not enough."""
    rng, n, begin, horizon = np.random.default_rng(5), 10, 3000, 15
    names, (i, j), model = tuple(f"s{k:02d}" for k in range(n)), np.triu_indices(10, 1), BradleyTerry()
    inside, said, was = [], [], []
    for _ in range(40):
        true = rng.normal(0, 0.35, n)
        wins, ties = np.zeros((n, n)), np.zeros((n, n))
        needed: dict[tuple[int | None, int | None], float] = {}
        total, ahead = 0, None
        while total < begin * (1 + horizon):
            number = begin if total == 0 else max(20, int(0.05 * (total - begin)))
            met = rng.multinomial(number, np.full(len(i), 1 / len(i)))
            lead = true[i] - true[j]
            better, worse = 1 / (1 + np.exp(0.4 - lead)), 1 / (1 + np.exp(0.4 + lead))
            won = rng.binomial(met, better)
            lost = rng.binomial(met - won, worse / (1 - better))
            wins[i, j] += won
            wins[j, i] += lost
            ties[i, j] += met - won - lost
            ties[j, i] = ties[i, j]
            total += number
            fit = model.fit(PairCounts(names, wins, ties))
            made = claims(fit.theta, fit.covariance[:-1, :-1])
            if ahead is None:
                ahead = forecast(fit.theta, fit.covariance[:-1, :-1], begin, claims=made, horizon=horizon)
            for need in ahead.boundaries:
                if made.clusters[need.above] != made.clusters[need.below]:
                    needed.setdefault((need.above, need.below), total - begin)
        assert ahead is not None
        for need in ahead.boundaries:
            took = needed.get((need.above, need.below), np.inf)
            inside.append(need.low <= took <= need.high)
            said.append(need.never)
            was.append(np.isinf(took))
    assert 0.72 < np.mean(inside) < 0.96
    assert np.mean(said) == pytest.approx(np.mean(was), abs=0.08)
