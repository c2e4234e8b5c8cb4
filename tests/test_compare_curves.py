"""Learning curves, noisy judges and gold scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from builders import counted, judged, random_rows

import palmares as pm
from palmares.analysis.compare.curves import first_units, noisy_judges, with_noise
from palmares.analysis.compare.gold import Gold, against_gold, agreement, bootstrap_gold, ndcg, read_gold
from palmares.analysis.compare.heldout import evaluate
from palmares.analysis.compare.trials import Curve, summed_up
from palmares.compute import Execution, generator
from palmares.errors import InputError, UnplaceableError
from palmares.judgments import Judgments
from palmares.models.by_name import create

DATA = Judgments.from_rows(random_rows(np.random.default_rng(0), rankings=80))
QUICK = {"models": ["expected-wins", "independent-pairs"], "rng": 0, "execution": Execution("serial")}
GOLD = Gold(DATA.systems, np.arange(5.0), "by hand", "hand")


def curve(**changes: object) -> Curve:
    return pm.learning_curve(DATA, **{"sizes": [30, 60, 90], "trials": 3, **QUICK, **changes})


def noise(data: Judgments = DATA, **changes: object) -> Curve:
    return pm.noise_test(data, **{"shares": [0.5, 1.0], "trials": 3, **QUICK, **changes})


# -- gold scores -------------------------------------------------------------------------------------


def test_ndcg_by_hand() -> None:
    gold, scores = np.array([3.0, 2.0, 1.0]), np.array([1.0, 2.0, 3.0])
    # Gains 2, 1, 0. In the order of the scores the system of gain 2 is third.
    ideal = 2 / math.log2(2) + 1 / math.log2(3)
    assert ndcg(gold, scores) == pytest.approx((1 / math.log2(3) + 2 / math.log2(4)) / ideal)
    assert ndcg(gold, gold * 7 - 100) == pytest.approx(1)
    # All scores equal: everybody gets the mean of the three discounts.
    shared = (1 + 1 / math.log2(3) + 1 / 2) / 3
    assert ndcg(gold, np.zeros(3)) == pytest.approx(3 * shared / ideal)
    assert ndcg(np.ones(3), scores) is None


def test_correlations_by_hand() -> None:
    found = agreement(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 4.0, 3.0]))
    assert found.pearson == pytest.approx(4 / 5)
    assert found.spearman == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert found.kendall == pytest.approx((5 - 1) / 6)


def test_a_constant_has_no_correlation() -> None:
    found = agreement(np.array([1.0, 2.0, 3.0]), np.ones(3))
    assert (found.pearson, found.spearman, found.kendall) == (None, None, None)
    with pytest.raises(InputError, match=r"got 1 system\(s\)"):
        agreement(np.ones(1), np.ones(1))


def test_gold_scores_from_a_file_are_matched_by_name(file: Callable[..., Path]) -> None:
    gold = read_gold(file("system,score,remark\nb, 2.5 ,x\na,-1,\n"))
    assert gold.aligned(("a", "b")).tolist() == [-1.0, 2.5]
    with pytest.raises(InputError, match="no score for c; give every system that was judged a score"):
        gold.aligned(("a", "c"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,score\na,1\n", "no column 'system'"),
        ("system,score\na,1\nb,two\n", "line 3: score is 'two'; allowed: a number"),
        ("system,score\na,inf\n", "line 2"),
        ("system,score\na,1\na,2\n", "system 'a' has more than one score"),
        ("", "cannot be read"),
    ],
)
def test_faulty_gold_scores_are_refused(file: Callable[..., Path], text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_gold(file(text))


def test_the_mean_over_bootstrap_samples_orders_systems_as_they_are() -> None:
    gold = bootstrap_gold(DATA, resamples=40, rng=0)
    assert np.argsort(gold.scores)[0] == 0
    assert agreement(np.arange(5.0), gold.scores).pearson > 0.8
    assert (gold.source, gold.label) == ("the mean TrueSkill score over 40 bootstrap samples", "trueskill-40")
    with pytest.raises(UnplaceableError, match="no judgment links"):
        bootstrap_gold(counted({("A", "B"): (1, 1, 1), ("C", "D"): (1, 1, 1)}), resamples=5, rng=0)


def test_models_are_put_in_order_by_pearson() -> None:
    found = against_gold(DATA, GOLD, models=["expected-wins", "lopez"], rng=0)
    values = [line.agreement.pearson for line in found.lines if line.agreement]
    assert values == sorted(values, reverse=True)
    fit = create("lopez").fit(DATA)
    assert {line.model: line.agreement for line in found.lines}["lopez"] == agreement(np.arange(5.0), fit.scores)
    assert {line.model for line in found.lines if line.agreement is None} == {"uniform", "adjusted-uniform"}


# -- learning curves -----------------------------------------------------------------------------------


def test_the_first_units_hold_enough_judgments() -> None:
    units, place = np.array([0, 0, 0, 1, 2, 2, 1]), np.array([2, 0, 1])
    # Units 1 (two rows), 2 (two rows), 0 (three rows), in this order.
    assert first_units(units, place, 2).tolist() == [3, 6]
    assert first_units(units, place, 3).tolist() == [3, 4, 5, 6]
    assert first_units(units, place, 99).tolist() == list(range(7))


def test_all_sizes_are_tested_on_the_same_other_half() -> None:
    found = curve()
    assert list(found.points) == [30, 60, 90]
    assert found.tested == len(DATA) // 2
    assert found.models == ("expected-wins", "independent-pairs", "uniform", "adjusted-uniform")
    assert all(row[2].means["perplexity"].value == pytest.approx(3) for row in found.points.values())
    assert curve(sizes=[150]).tested == len(DATA) - 150


def test_a_curve_is_made_of_evaluations() -> None:
    judges = {"train_judges": "judge-[0-4]", "test_judges": "judge-[56]"}
    train, test = DATA.select(judge="judge-[0-4]"), DATA.select(judge="judge-[56]")
    found = curve(sizes=[len(train)], trials=2, gold=GOLD, testing=pm.Testing(**judges)).points[len(train)]
    held = evaluate(create("independent-pairs"), train, test, seed=0)
    means = found[1].means
    assert (means["perplexity"].value, means["perplexity"].error) == (pytest.approx(held.perplexity), 0)
    scores = create("independent-pairs").fit(train).scores
    assert means["pearson"].value == pytest.approx(agreement(np.arange(5.0), scores).pearson)
    assert "pearson" not in found[2].means


def test_more_judgments_help() -> None:
    points = curve(sizes=[20, 120], trials=6).points
    assert points[120][1].means["perplexity"].value < points[20][1].means["perplexity"].value


def test_trials_that_a_model_refuses_are_counted() -> None:
    found = curve(sizes=[2], models=["expected-wins"]).points[2][0]
    assert (found.refused, found.trials, found.means) == (3, 3, {})
    assert "no decisive judgment links" in found.reason


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sizes": []}, "sizes: got none; allowed: whole numbers of at least 2"),
        ({"sizes": [1]}, "sizes: got 1"),
        ({"sizes": [10**6]}, "there are 240 judgments to train on of 240 in all, and some must be left to test"),
        ({"trials": 0}, "trials: got 0"),
        ({"testing": pm.Testing(train_judges="judge-0"), "sizes": [5000]}, "sizes: got 5000, but there are 36"),
        ({"testing": pm.Testing(5)}, "a learning curve has no folds"),
    ],
)
def test_sizes_that_cannot_be_had(changes: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        curve(**changes)


@pytest.mark.parametrize("make", [curve, noise])
def test_neither_rows_nor_workers_matter(make: Callable[..., Curve], monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = Judgments.from_rows(DATA.to_rows().sample(fraction=1, shuffle=True, seed=1))
    first = make()
    monkeypatch.setattr(f"{__name__}.DATA", mixed)
    again = make(execution=Execution("threads", 2)) if make is curve else make(mixed, execution=Execution("threads", 2))
    assert again.to_dict() == first.to_dict()
    assert make(rng=1).to_dict()["points"] != first.to_dict()["points"]


# -- noise ------------------------------------------------------------------------------------------------


def test_only_the_answers_of_noisy_judges_change() -> None:
    number = np.arange(len(DATA))
    clean = DATA.codes("outcome")
    changed = {}
    for share in (0.0, 0.3, 0.6, 1.0):
        noisy = with_noise(DATA, share, generator(0), number)
        differs = noisy.codes("outcome") != clean
        changed[share] = {DATA.judges[j] for j in DATA.codes("judge")[differs]}
        # Two of three answers at random are other ones.
        assert len(changed[share]) == round(share * 7)
        assert np.array_equal(noisy.codes("system_a"), DATA.codes("system_a"))
    assert changed[0.3] < changed[0.6] < changed[1.0]
    wholly = with_noise(DATA, 1.0, generator(0), number).codes("outcome")
    assert np.abs(np.bincount(wholly + 1) / len(DATA) - 1 / 3).max() < 0.1


def test_judgments_without_a_judge_are_left_alone() -> None:
    data = judged([("A", "B", 1)] * 40, judge=["ann"] * 20 + [None] * 20)
    noisy = with_noise(data, 1.0, generator(0), np.arange(40))
    told = noisy.codes("outcome")
    assert (told[data.codes("judge") < 0] == 1).all()
    assert (told[data.codes("judge") >= 0] != 1).any()


def test_the_test_fold_stays_clean_and_changes_are_from_no_noise() -> None:
    found = noise(gold=GOLD)
    assert list(found.points) == [0.0, 0.5, 1.0]
    for share, row in found.points.items():
        pairs = row[1]
        assert pairs.changes["perplexity"].value == pytest.approx(
            pairs.means["perplexity"].value - found.points[0.0][1].means["perplexity"].value
        )
        assert (pairs.changes["pearson"].value == 0) == (share == 0)
    # Had the tested judgments been replaced too, a tie would come as often as the uniform model says.
    assert found.points[1.0][1].means["perplexity"].value > 3
    assert found.points[0.0][1].means["perplexity"].value < found.points[1.0][1].means["perplexity"].value


def test_changes_are_taken_trial_by_trial() -> None:
    found = summed_up(
        "m", [{"brier": 0.6}, {"brier": 0.9}, "refused"], [{"brier": 0.5}, {"brier": 0.8}, {"brier": 1.0}]
    )
    assert (found.refused, found.reason) == (1, "refused")
    assert (found.changes["brier"].value, found.changes["brier"].error) == pytest.approx((0.1, 0.0))
    assert found.means["brier"].error == pytest.approx(0.15)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shares": [1.5]}, "noise: got 1.5; allowed: shares of the judges, from 0 to 1"),
        ({"testing": pm.Testing(test_judges="judge-0")}, "the noise test draws judges by itself"),
        ({"trials": 11}, "trials: got 11; allowed: at most the number of folds, 10"),
        ({"data": counted({("A", "B"): (5, 5, 5)})}, "the judgments have no judge"),
    ],
)
def test_noise_that_cannot_be_made(changes: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        noise(**changes)


def test_rows_that_differ_by_their_ranking_alone_are_drawn_alike_in_any_order() -> None:
    # Without segments and positions many rows are the same but for the ranking that they belong to.
    rows = random_rows(np.random.default_rng(2)).drop("segment")
    shuffled = rows.sample(fraction=1, shuffle=True, seed=3)
    for make in (pm.learning_curve, pm.noise_test):
        sizes = {"sizes": [30]} if make is pm.learning_curve else {"shares": [0.5], "testing": pm.Testing(3)}
        one, other = (
            make(Judgments.from_rows(each), models=["bradley-terry"], trials=2, rng=1, **sizes).to_dict()
            for each in (rows, shuffled)
        )
        assert one == other


@pytest.mark.parametrize(("judges", "share", "noisy"), [(4, 0.1, 1), (4, 0.0, 0), (20, 0.3, 6), (3, 1.0, 3)])
def test_a_share_of_the_judges_is_at_least_one_of_them(judges: int, share: float, noisy: int) -> None:
    assert noisy_judges(judges, share) == noisy
