"""Judges who differ, drawn by a generator apart from the models' code: does ``ordinal`` keep its promises?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from benchmarks.judge_coverage import Cell, ranked
from benchmarks.judge_coverage_tables import Crowds
from benchmarks.judge_recovery import missed
from benchmarks.judge_store import Store
from benchmarks.judge_world import CrowdWorld
from benchmarks.noise import SHARES, Simulated, at_random, fitted
from benchmarks.noise_tables import saved, table_of
from palmares.judgments import Judgments
from palmares.models.ordinal import Ordinal

PAIRS = CrowdWorld(outputs=2, screens=3000)
RANKINGS = CrowdWorld()
BOTH = ("ordinal", "bradley-terry")


def by_model(world: CrowdWorld, crowds: int) -> dict[str, Crowds]:
    lines = [line for number in range(crowds) for line in ranked(Cell("test", world), number, BOTH)]
    return {model: Crowds.of([line for line in lines if line["model"] == model]) for model in BOTH}


def error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


# -- the generator ---------------------------------------------------------------------------------


def test_pairs_are_answered_as_logistic_noise_and_a_tie_width_say() -> None:
    world = replace(PAIRS, judges=1, systems=2, screens=40_000, sensitivity_sd=0.0, width_sd=0.0, qualities="normal")
    crowd = world.draw(np.random.default_rng(0))
    first_is_a = crowd.judgments.codes("system_a") == 0
    outcome = crowd.judgments.codes("outcome") * np.where(first_is_a, 1, -1)
    gap = crowd.theta[0] - crowd.theta[1]
    wins, losses = np.mean(outcome == 1), np.mean(outcome == -1)
    # Four standard errors of a share of 40,000.
    assert wins == pytest.approx(expit(gap - 0.5), abs=0.01)
    assert losses == pytest.approx(expit(-gap - 0.5), abs=0.01)


def test_rankings_are_consistent_and_tie_about_as_often_as_pairs() -> None:
    alike = replace(RANKINGS, sensitivity_sd=0.0, width_sd=0.0, spread=0.0, screens=3000)
    rankings, pairs = (
        replace(alike, outputs=m).draw(np.random.default_rng(1)).judgments.codes("outcome") for m in (5, 2)
    )
    ties = rankings.reshape(-1, 10) == 0
    # Pairs (0,1), (0,2), (1,2) of a ranking are its columns 0, 1 and 4: two ties make the third.
    assert not (ties[:, 0] & ties[:, 1] & ~ties[:, 4]).any()
    assert ties.mean() == pytest.approx((pairs == 0).mean(), abs=0.04)


def test_careless_judges_are_added_one_after_the_other() -> None:
    crowds = [replace(PAIRS, careless=share).draw(np.random.default_rng(2)) for share in (0.0, 0.2, 0.5)]
    assert [int(crowd.careless.sum()) for crowd in crowds] == [0, 4, 10]
    assert (crowds[1].careless <= crowds[2].careless).all()
    judge = crowds[0].judgments.codes("judge")
    kept = ~crowds[2].careless[judge]
    outcomes = [crowd.judgments.codes("outcome") for crowd in crowds]
    assert (outcomes[0][kept] == outcomes[2][kept]).all()
    shares = np.bincount(outcomes[2][~kept] + 1, minlength=3) / (~kept).sum()
    assert shares == pytest.approx([1 / 3] * 3, abs=0.05)


# -- coverage --------------------------------------------------------------------------------------


def test_with_few_judges_intervals_are_about_as_wide_as_bradley_terrys() -> None:
    found = by_model(replace(RANKINGS, judges=10, unequal=1.0), 8)
    half = {model: (of.scores[:, 3] - of.scores[:, 2]).mean() / 2 for model, of in found.items()}
    assert half["ordinal"] < 1.1 * half["bradley-terry"]


@pytest.mark.parametrize("world", [PAIRS, RANKINGS], ids=["pairs", "rankings"])
def test_ranges_are_narrower_where_some_answer_at_random_and_still_hold(world: CrowdWorld) -> None:
    found = by_model(replace(world, judges=50, careless=0.3, unequal=1.0), 16)
    narrower = found["bradley-terry"].plain["range_size"] - found["ordinal"].plain["range_size"]
    assert narrower.mean() > 4 * error(narrower) > 0
    # 160 systems: a promise of 5 %, and three standard errors.
    assert found["ordinal"].plain["rank_misses"].mean() < 0.10
    assert found["ordinal"].missed.mean() < 0.12


@pytest.mark.slow
@pytest.mark.parametrize("careless", [0.0, 0.3])
@pytest.mark.parametrize("judges", [10, 20, 50])
@pytest.mark.parametrize("world", [PAIRS, RANKINGS], ids=["pairs", "rankings"])
def test_promises_are_kept(world: CrowdWorld, judges: int, careless: float) -> None:
    found = by_model(replace(world, judges=judges, careless=careless, unequal=1.0, segment_effect=0.7), 120)
    ordinal = found["ordinal"]
    assert ordinal.plain["rank_misses"].mean() < 0.05
    assert ordinal.missed.mean() < 0.05 + 3 * error(ordinal.missed)
    narrower = found["bradley-terry"].plain["range_size"] - ordinal.plain["range_size"]
    assert narrower.mean() > 3 * error(narrower)
    assert ordinal.width_at_promise() < found["bradley-terry"].width_at_promise()


@pytest.mark.slow
def test_joint_boundaries_between_equals_are_rare() -> None:
    found = by_model(replace(RANKINGS, judges=20, careless=0.2, qualities="pairs", spread=0.4), 150)
    wrong = found["ordinal"].plain["joint_boundary_wrong"]
    assert wrong.mean() < 0.05 + 3 * error(wrong)


# -- judges, from rankings whose pairs are not independent -----------------------------------------


def test_alike_judges_of_rankings_are_not_said_to_differ_much() -> None:
    alike = replace(RANKINGS, judges=50, spread=0.3, sensitivity_sd=0.0, width_sd=0.0)
    found = [Ordinal().fit(alike.draw(np.random.default_rng([3, k])).judgments).spreads[0] for k in range(8)]
    # As independent pairs, the same rankings give .45.
    assert np.mean(found) < 0.38


def test_intervals_of_judges_hold_better_if_pairs_of_a_ranking_are_not_taken_for_independent() -> None:
    inside = []
    for k in range(16):
        crowd = RANKINGS.draw(np.random.default_rng([4, k]))
        single = Judgments.from_rows(crowd.judgments.to_rows().drop("ranking"))
        inside.append([1 - np.mean(missed(Ordinal().fit(data), crowd)) for data in (crowd.judgments, single)])
    weighed, gained = np.array(inside)[:, 0], -np.diff(inside, axis=1)[:, 0]
    # Of 95 %; strengths are taken as known, so that about 90 % hold (60 crowds: .902 ± .006).
    assert weighed.mean() > 0.90 - 3 * error(weighed)
    assert gained.mean() > max(0.03, 3 * error(gained))


# -- noise -----------------------------------------------------------------------------------------


def test_ordinal_loses_less_to_judges_at_random_than_expected_wins() -> None:
    condition = Simulated("test", "test", 16, replace(RANKINGS, judges=20, spread=0.3))
    models = ("ordinal", "expected-wins")
    lines = [line for t in range(16) for share in SHARES[::5] for line in fitted(condition, share, t, models)]
    table, plain = (table_of(lines, model, "pearson") for model in models)
    mean, standard_error = saved(table, plain, 0.5)
    assert mean > 2 * standard_error > 0


def test_what_is_saved_is_a_paired_difference_of_losses() -> None:
    table = np.array([[1.0, 0, 0, 0, 0, 0.9], [1.0, 0, 0, 0, 0, 0.8]])
    plain = np.array([[1.0, 0, 0, 0, 0, 0.8], [0.9, 0, 0, 0, 0, 0.5]])
    # Losses .1 and .2 against .2 and .4: saves .1 and .2.
    assert saved(table, plain, 0.5) == pytest.approx((150.0, 50.0))
    # Over five shares: mean losses .82 and .84 against .84 and .8.
    assert saved(table, plain, None) == pytest.approx((-10.0, 30.0))


def test_random_rankings_are_consistent_and_only_of_the_chosen_judges() -> None:
    judgments = replace(RANKINGS, judges=10).draw(np.random.default_rng(5)).judgments
    noisy = at_random(judgments, 0.3, np.random.default_rng(6))
    changed = noisy.codes("outcome") != judgments.codes("outcome")
    assert len(np.unique(judgments.codes("judge")[changed])) == 3
    ties = noisy.codes("outcome").reshape(-1, 10) == 0
    assert not (ties[:, 0] & ties[:, 1] & ~ties[:, 4]).any()


# -- what is kept ----------------------------------------------------------------------------------


def test_a_line_that_was_not_finished_is_left_out_and_does_not_spoil_the_next(tmp_path: Path) -> None:
    store = Store(tmp_path / "kept")
    store.add("a", [{"trial": 0}, {"trial": 1}])
    with (tmp_path / "kept" / "a.jsonl").open("a") as file:
        file.write('{"trial":')
    assert store.lines("a") == [{"trial": 0}, {"trial": 1}]
    store.add("a", [{"trial": 2}])
    assert [line["trial"] for line in store.lines("a")] == [0, 1, 2]
