"""What every model that predicts must predict."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from builders import counted, pair_counts
from contract import (
    AGAINST_BASELINE,
    PREDICTS_ONLY,
    RANKS_ONLY,
    every_predictor,
    needs,
    order,
    renamed,
    sample,
    shuffled_names,
    takes_weights,
)

from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.judgments.counts import PairCounts
from palmares.models.base import Fit, Model, mean_preference
from palmares.models.by_name import create


def predictions(fit: Fit) -> np.ndarray:
    """P(win), P(tie), P(loss) of every pair; ⅓ each on the diagonal, where there is nothing to predict."""
    n = len(fit.systems)
    table = np.full((n, n, 3), 1 / 3)
    for i in range(n):
        for j in set(range(n)) - {i}:
            table[i, j] = fit.predict(i, j)
    return table


def assert_probabilities(model: Model, table: np.ndarray) -> None:
    assert np.isfinite(table).all()
    assert (table > 0).all()
    assert table.sum(-1) == pytest.approx(1, abs=1e-9)
    if "symmetric" not in model.lacks:
        assert table == pytest.approx(np.swapaxes(table, 0, 1)[..., ::-1], rel=1e-9, abs=1e-12)


def chain(model: Model, length: int) -> Judgments | PairCounts:
    """Systems of which each beat the next one every time: a million times, unless that would take a million steps."""
    if model.id in AGAINST_BASELINE:  # which must have met all others
        middle, names = length // 2, [f"s{i:02}" for i in range(length)]
        return counted(
            {(names[min(i, middle)], names[max(i, middle)]): (100, 0, 0) for i in {*range(length)} - {middle}}
        )
    if model.needs == "counts" and not hasattr(model, "runs"):
        return pair_counts(1e6 * np.eye(length, k=1))
    return counted({(f"s{i:02}", f"s{i + 1:02}"): (100, 0, 0) for i in range(length - 1)})


@every_predictor
@pytest.mark.parametrize("weights", [False, True], ids=["plain", "weighted"])
def test_predictions_are_positive_symmetric_probabilities(model: Model, weights: bool) -> None:
    if weights:
        takes_weights(model)
    assert_probabilities(model, predictions(model.fit(sample(0, weights=weights), rng=3)))


@every_predictor
@pytest.mark.parametrize("length", [2, 3, 12])
def test_predictions_hold_however_far_apart_systems_are(model: Model, length: int) -> None:
    fit = model.fit(chain(model, length), rng=3)
    assert fit.scores is None or np.isfinite(fit.scores).all()
    assert_probabilities(model, predictions(fit))


@every_predictor
@pytest.mark.parametrize("won", [(1, 0, 0), (1, 0, 1), (0, 1, 0), (0, 500, 1), (500, 0, 0)], ids=str)
def test_predictions_hold_for_two_systems(model: Model, won: tuple[int, int, int]) -> None:
    if model.linked_by == "decisive" and won == (0, 1, 0):
        pytest.skip("a tie alone places no system")
    assert_probabilities(model, predictions(model.fit(counted({("a", "b"): won}), rng=3)))


@every_predictor
def test_systems_are_given_by_name_or_code(model: Model) -> None:
    fit = model.fit(sample(0), rng=3)
    assert fit.predict("s0", "s3") == fit.predict(0, 3) == fit.predict(np.int64(0), "s3")
    assert fit.predict("s0", "s3")._fields == ("win", "tie", "loss")


@every_predictor
def test_rows_are_predicted_as_their_pairs_are(model: Model) -> None:
    fit = model.fit(sample(0), rng=3)
    # Of other judgments, whose systems have other codes.
    rows = counted({("s1", "s4"): (1, 1, 0), ("s2", "s3"): (0, 0, 1)})
    expected = [fit.predict(a, b) for a, b in rows.to_rows().select("system_a", "system_b").iter_rows()]
    assert model.knows or np.array_equal(fit.predict_rows(rows), expected)
    assert (fit.predict_rows(rows) > 0).all()
    assert fit.predict_rows(rows).sum(axis=1) == pytest.approx(1, abs=1e-9)
    # What is predicted is not looked at.
    mirrored = Judgments.from_rows(rows.to_rows().with_columns(-pl.col("outcome")))
    assert np.array_equal(fit.predict_rows(mirrored), fit.predict_rows(rows))
    with pytest.raises(InputError, match="unknown system 'nobody'; there are: s0, s1, s2, s3, s4"):
        fit.predict_rows(counted({("s1", "nobody"): (1, 0, 0)}))


@every_predictor
def test_what_is_no_pair_of_systems_is_refused(model: Model) -> None:
    fit = model.fit(sample(0), rng=3)
    with pytest.raises(InputError, match="system 's1' is not compared with itself"):
        fit.predict("s1", 1)
    with pytest.raises(InputError, match="unknown system 'nobody'; there are: s0, s1, s2, s3, s4"):
        fit.predict("nobody", "s1")
    for code in (-1, 5):
        with pytest.raises(InputError, match=f"system code {code} is out of range 0 to 4"):
            fit.predict(0, code)


@every_predictor
def test_renaming_systems_renames_predictions(model: Model) -> None:
    needs(model, "relabelling")
    judgments = sample(1)
    names = shuffled_names(judgments, 1)
    before, after = (model.fit(data, rng=3) for data in (judgments, renamed(judgments, names)))
    for a, b in (("s0", "s1"), ("s4", "s2")):
        assert after.predict(names[a], names[b]) == pytest.approx(before.predict(a, b), abs=1e-9)


@every_predictor
def test_a_model_that_ranks_predicts_in_the_order_of_its_scores(model: Model) -> None:
    fit = model.fit(counted({("a", "b"): (30, 5, 9), ("b", "c"): (30, 5, 9), ("a", "c"): (35, 3, 5)}), rng=3)
    table = predictions(fit)
    if model.id in PREDICTS_ONLY:
        assert table[0, 1] == pytest.approx(table[1, 0])
    else:
        assert table[0, 1, 0] > table[0, 1, 2]
        assert order(mean_preference(table)) == order(fit.scores) == [0, 1, 2]


@pytest.mark.parametrize("name", sorted(RANKS_ONLY))
def test_a_fit_that_only_ranks_refuses_to_predict(name: str) -> None:
    fit = create(name).fit(counted({("a", "b"): (3, 2, 1)}), rng=0)
    with pytest.raises(InputError, match=f"model '{name}' ranks but does not predict"):
        fit.predict("a", "b")
    with pytest.raises(InputError, match=f"model '{name}' ranks but does not predict"):
        fit.predict_rows(counted({("a", "b"): (1, 0, 0)}))
