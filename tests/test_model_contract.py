"""What every model must do. New entries of the registry are tested without a change here.

A model that lacks a property by definition says so in ``lacks``, with the reason. What predictions must be is in
test_prediction_contract.py.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import polars as pl
import pytest
from builders import counted, random_rows
from contract import (
    AGAINST_BASELINE,
    PREDICTS_ONLY,
    PROPERTIES,
    RANKS_ONLY,
    by_name,
    every_model,
    every_ranker,
    every_ranker_with,
    needs,
    order,
    renamed,
    sample,
    scores,
    shuffled_names,
    takes_weights,
)

from palmares import MODELS, Execution, rank
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.judgments.counts import PairCounts
from palmares.judgments.units import UNITS
from palmares.models.base import Convergence, Model
from palmares.models.bradley_terry import BradleyTerry
from palmares.models.by_name import create, settings
from palmares.ranking.bootstrap import resample

CYCLE = {("a", "b"): (4, 0, 1), ("b", "c"): (4, 0, 1), ("a", "c"): (1, 0, 4)}
SYMMETRIC = {
    "twins": counted({("a", "b"): (2, 0, 2), ("a", "c"): (3, 1, 1), ("b", "c"): (3, 1, 1)}),
    "a cycle": counted(CYCLE),
    "a cycle and a fourth": counted({**CYCLE, **{(x, "d"): (3, 0, 2) for x in "abc"}}),
    "crossed twins": counted(
        {
            ("a", "c"): (5, 0, 1),
            ("b", "d"): (5, 0, 1),
            ("a", "d"): (2, 0, 2),
            ("b", "c"): (2, 0, 2),
            ("a", "b"): (1, 0, 1),
        }
    ),
}


# -- the entry itself ------------------------------------------------------------------------------


@every_model
def test_a_model_is_frozen_settings_under_its_id(model: Model) -> None:
    assert isinstance(model, Model)
    assert isinstance(model, MODELS.load(model.id))
    for field in dataclasses.fields(model):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(model, field.name, None)


@every_model
def test_what_a_model_lacks_is_a_known_property_with_a_reason(model: Model) -> None:
    assert set(model.lacks) <= PROPERTIES
    assert all(len(reason) > 20 for reason in model.lacks.values())


@every_model
def test_an_unknown_setting_is_refused(model: Model) -> None:
    with pytest.raises(InputError, match=f"model '{model.id}' has no setting 'nonsense'; it has: "):
        create(model.id, {"nonsense": "1"})


@pytest.mark.parametrize("given", [None, 3, BradleyTerry])
def test_what_is_no_model_is_refused(given: object) -> None:
    with pytest.raises(InputError, match=r"model: got .*; allowed: the id of a model, or a model such as BradleyTerry"):
        create(given)


@every_model
def test_settings_beside_a_finished_model_are_refused(model: Model) -> None:
    with pytest.raises(InputError, match="settings"):
        create(model, {"nonsense": "1"})


@every_model
def test_a_fit_ranks_predicts_or_both_and_says_how_it_ended(model: Model) -> None:
    fit = model.fit(sample(0), rng=0)
    assert (fit.ranks, fit.predicts) == (model.ranks, model.predicts)
    assert (model.ranks, model.predicts) == (model.id not in PREDICTS_ONLY, model.id not in RANKS_ONLY)
    assert fit.systems == sample(0).systems
    assert isinstance(fit.convergence, Convergence)
    assert fit.convergence.converged
    assert fit.convergence.detail
    assert (fit.convergence.iterations == 0) == (fit.convergence.detail == "closed form")


@every_model
def test_what_a_model_needs_is_what_it_reads(model: Model) -> None:
    data, rng = sample(0), np.random.default_rng(3)
    batch = PairCounts(data.systems, data.counts.wins[None], data.counts.ties[None])
    if model.needs == "rows":
        assert model.rescore(data, rng=rng).shape == (5,)
        with pytest.raises(NotImplementedError):
            model.score(batch, [rng])
        return
    # Rows say nothing more than their counts do.
    fits = [model.fit(given, rng=3) for given in (data, data.counts)]
    if model.predicts:
        assert fits[0].predict("s0", "s1") == fits[1].predict("s0", "s1")
    with pytest.raises(NotImplementedError):
        model.rescore(data, rng=rng)
    if not model.ranks:
        with pytest.raises(InputError, match="gives no scores to rank by"):
            model.score(batch, [rng])
        return
    assert np.array_equal(fits[0].scores, fits[1].scores)
    assert model.score(batch, [rng]).shape == (1, 5)
    near = model.prepared(data.counts).score(batch, [np.random.default_rng(3)])
    assert near == pytest.approx(model.score(batch, [np.random.default_rng(3)]), abs=1e-8)


@every_model
def test_a_single_run_is_of_models_that_make_runs(model: Model) -> None:
    if model.ranges_from != "runs":
        assert model.single_run() is model
        return
    assert settings(model.single_run()) == {**settings(model), "runs": 1}
    assert model.single_run().fit(sample(0), rng=0).draws.shape == (1, 5)


@every_model
def test_what_is_known_beyond_the_systems_and_warm_starts_need_rows(model: Model) -> None:
    assert model.knows <= {"judge", "segment", "position"}
    assert not model.knows or model.needs == "rows"
    assert not model.warm_starts or model.needs == "rows"


@every_ranker
def test_every_setting_is_in_the_signature(model: Model) -> None:
    printed = rank(sample(0), model=model, resample=None, rng=0).signature.split("|")
    facts = dict(part.split(":", 1) for part in printed)
    assert printed[0] == f"model:{model.id}"
    # What is printed makes the same model again.
    given = {name: "" if value == "" else facts[name] for name, value in settings(model).items()}
    assert create(model.id, given) == model


@every_ranker
def test_scores_deviations_and_draws_belong_together(model: Model) -> None:
    fit = model.fit(sample(0), rng=0)
    assert fit.scores.shape == (5,)
    assert np.isfinite(fit.scores).all()
    if fit.deviations is not None:
        assert fit.deviations.shape == (5,)
        assert np.isfinite(fit.deviations).all()
        assert (fit.deviations > 0).all()
    if model.ranges_from != "resampling":
        assert fit.draws.shape[1:] == (5,)
        # Scores may be means of conditional means, which are nearer to the truth than the draws' own.
        assert (np.abs(fit.draws.mean(axis=0) - fit.scores) < 0.5 * fit.draws.std(axis=0)).all()


# -- symmetry --------------------------------------------------------------------------------------


@every_ranker_with(
    "judgments",
    {name: (data,) for name, data in {"many": sample(1), "few": sample(2, rankings=8), **SYMMETRIC}.items()},
)
def test_renaming_systems_renames_scores(model: Model, judgments: Judgments) -> None:
    if "relabelling" in model.lacks:
        if model.id in AGAINST_BASELINE and judgments in SYMMETRIC.values():
            pytest.skip(model.lacks["relabelling"])
        assert_renaming_is_noise(model, judgments)
        return
    before = by_name(model.fit(judgments, rng=3))
    for seed in range(3):
        names = shuffled_names(judgments, seed)
        after = by_name(model.fit(renamed(judgments, names), rng=3))
        assert after == pytest.approx({names[s]: score for s, score in before.items()}, abs=1e-9)


def assert_renaming_is_noise(model: Model, judgments: Judgments) -> None:
    """Scores under other names differ by no more than under another seed."""
    names = shuffled_names(judgments, 0)
    runs = 5
    plain = np.array([model.fit(judgments, rng=seed).scores for seed in range(runs)])
    other = [by_name(model.fit(renamed(judgments, names), rng=100 + seed)) for seed in range(runs)]
    back = np.array([[scores[names[s]] for s in judgments.systems] for scores in other])
    error = np.sqrt((plain.var(axis=0, ddof=1) + back.var(axis=0, ddof=1)) / runs)
    assert (np.abs(plain.mean(axis=0) - back.mean(axis=0)) <= 5 * error + 1e-9).all()


@every_ranker
def test_swapping_the_sides_changes_nothing(model: Model) -> None:
    rows = random_rows(np.random.default_rng(4))
    a, b = rows["system_a"], rows["system_b"]
    swapped = rows.with_columns(b.alias("system_a"), a.alias("system_b"), -pl.col("outcome"))
    one, other = Judgments.from_rows(rows), Judgments.from_rows(swapped)
    assert one == other
    assert np.array_equal(model.fit(one, rng=3).scores, model.fit(other, rng=3).scores)


@every_ranker
def test_mirrored_outcomes_turn_a_clear_order_round(model: Model) -> None:
    judgments = counted({("a", "b"): (9, 1, 1), ("b", "c"): (9, 1, 1), ("a", "c"): (10, 0, 1)})
    mirrored = Judgments.from_rows(judgments.to_rows().with_columns(-pl.col("outcome")))
    assert order(scores(model, judgments)) == [0, 1, 2]
    assert order(scores(model, mirrored)) == [2, 1, 0]


# -- more of the same ------------------------------------------------------------------------------


def doubled(judgments: Judgments) -> Judgments:
    rows = judgments.to_rows()
    if "ranking" in rows.columns:
        rows = pl.concat([rows, rows.with_columns(pl.col("ranking") + "-again")])
        return Judgments.from_rows(rows)
    return Judgments.from_rows(pl.concat([rows, rows]))


@every_ranker_with("seed", {str(seed): (seed,) for seed in range(4)})
def test_duplicated_data_changes_no_order(model: Model, seed: int) -> None:
    needs(model, "duplication")
    judgments = sample(seed, rankings=12)
    assert order(scores(model, judgments)) == order(scores(model, doubled(judgments)))


@every_ranker
def test_duplicated_clear_data_changes_no_order_even_with_a_prior(model: Model) -> None:
    judgments = counted({("a", "b"): (9, 2, 3), ("b", "c"): (8, 2, 3), ("a", "c"): (12, 1, 2)})
    assert order(scores(model, judgments)) == order(scores(model, doubled(judgments))) == [0, 1, 2]


@every_ranker_with("seed", {str(seed): (seed,) for seed in range(3)})
def test_one_more_win_never_lowers_a_system(model: Model, seed: int) -> None:
    needs(model, "monotone")
    judgments = sample(seed, systems=4, rankings=8)
    rows = judgments.to_rows().select("system_a", "system_b", "outcome")
    before = model.fit(judgments, rng=3)
    for winner in judgments.systems:
        for loser in set(judgments.systems) - {winner}:
            win = pl.DataFrame({"system_a": [winner], "system_b": [loser], "outcome": [1]}, schema=rows.schema)
            after = model.fit(Judgments.from_rows(pl.concat([rows, win])), rng=3)
            i = before.code(winner)
            assert after.scores[i] >= before.scores[i] - 1e-9
            assert order(after.scores)[i] <= order(before.scores)[i]


@every_model
def test_judgments_added_to_a_fit_count_like_the_others_or_are_refused(model: Model) -> None:
    rows = random_rows(np.random.default_rng(7), rankings=60)
    parts = [Judgments.from_rows(part) for part in (rows.head(120), rows.tail(60))]
    fit = model.fit(parts[0], rng=3)
    if not model.updates:
        with pytest.raises(InputError, match=f"model '{model.id}' cannot add judgments to a fit; fit all of them"):
            fit.update(parts[1])
        return
    updated = fit.update(parts[1])
    assert updated.systems == fit.systems
    if "update" in model.lacks:
        assert np.isfinite(updated.scores).all()
        assert updated.predict("s0", "s1") != fit.predict("s0", "s1")
        return
    whole = model.fit(Judgments.from_rows(rows), rng=3)
    # A mean over runs is known to its standard error, and so are predictions from it, roughly.
    error = 1e-6 if whole.draws is None else 5 * np.sqrt(2 / len(whole.draws)) * whole.draws.std(axis=0).max()
    if whole.ranks:
        assert updated.scores == pytest.approx(whole.scores, abs=error)
    if whole.predicts:
        assert updated.predict("s0", "s1") == pytest.approx(whole.predict("s0", "s1"), abs=error)


# -- the same again --------------------------------------------------------------------------------


@every_ranker
def test_the_same_seed_gives_the_same_numbers(model: Model) -> None:
    one, other = (rank(sample(5), model=model, resamples=40, rng=11) for _ in range(2))
    assert one.lines == other.lines
    assert one.signature == other.signature
    assert np.array_equal(one.replicates.scores, other.replicates.scores)
    assert np.array_equal(one.replicates.places, other.replicates.places)


@every_ranker
def test_a_drawn_seed_is_in_the_signature_and_repeats_the_ranking(model: Model) -> None:
    first = rank(sample(5), model=model, resamples=40)
    seed = int(dict(part.split(":", 1) for part in first.signature.split("|"))["seed"])
    again = rank(sample(5), model=model, resamples=40, rng=seed)
    assert np.array_equal(first.replicates.scores, again.replicates.scores)


@every_ranker_with(
    "unit, weights",
    {f"{unit}-{'weighted' if weights else 'plain'}": (unit, weights) for unit in UNITS for weights in (False, True)},
)
def test_the_order_of_rows_and_the_names_of_rankings_change_no_bit(model: Model, unit: str, weights: bool) -> None:
    needs(model, "row order")
    if weights:
        takes_weights(model)
    rows = random_rows(np.random.default_rng(6), weights=weights)
    shuffled = rows.sample(fraction=1, shuffle=True, seed=1).with_columns(ranking=pl.col("ranking").str.reverse())
    one, other = Judgments.from_rows(rows), Judgments.from_rows(shuffled)
    assert np.array_equal(model.fit(one, rng=3).scores, model.fit(other, rng=3).scores)
    first, second = (
        resample(model, data, unit=unit, resamples=8, execution=Execution(seed=2)) for data in (one, other)
    )
    assert np.array_equal(first.scores, second.scores)
    assert np.array_equal(first.places, second.places)


@every_ranker_with("unit", {unit: (unit,) for unit in UNITS})
def test_every_unit_can_be_resampled(model: Model, unit: str) -> None:
    # So few rankings that some samples lack a system altogether.
    ranking = rank(sample(8, systems=4, rankings=6), model=model, resample=unit, resamples=12, p=0.2, rng=0)
    assert ranking.replicates.scores.shape == (12, 4)
    assert np.isfinite(ranking.replicates.scores).all()
    assert all(1 <= line.range[0] <= line.range[1] <= 4 for line in ranking.lines)
    assert f"unit:{unit}" in ranking.signature.split("|")
