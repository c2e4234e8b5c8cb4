"""Models that know more of a judgment than its two systems are tested row by row."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest
from builders import judged, random_rows

import palmares as pm
from palmares.analysis.compare.heldout import evaluate
from palmares.analysis.compare.testing import random_folds
from palmares.compute import Execution, Stream, generator
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.models.base import Fit, ModelBase, Prediction, check_one_lang_pair
from palmares.models.baselines import IndependentPairs
from palmares.models.bradley_terry import BradleyTerry

SERIAL = Execution("serial")
MEASURES = ("accuracy_clusters", "accuracy_outcome", "log_loss", "perplexity", "brier")


@dataclass(frozen=True)
class JudgeTies(ModelBase):
    """Q(tie | judge) = (ties + 1) / (judgments + 3), over all judges for a new one; wins and losses share the rest."""

    id = "judge-ties"
    needs = "rows"
    ranks = False
    knows = frozenset({"judge"})

    def fit(self, data: Judgments, *, rng: object = None) -> Fit:
        check_one_lang_pair(data)
        judge, tied = data.codes("judge"), data.codes("outcome") == 0
        weight = np.ones(len(data)) if data.weights is None else data.weights
        rates = {name: rate(weight[judge == code], tied[judge == code]) for code, name in enumerate(data.judges)}
        seen = {data.judges[code] for code in np.unique(judge) if code >= 0}
        return JudgeTiesFit(
            self, data.systems, None, pooled=rate(weight, tied), rates={name: rates[name] for name in seen}
        )


def rate(weight: np.ndarray, tied: np.ndarray) -> float:
    # Sorted: floating sums depend on their order.
    return float((np.sort(weight[tied]).sum() + 1) / (np.sort(weight).sum() + 3))


@dataclass(frozen=True)
class JudgeTiesFit(Fit):
    pooled: float = field(kw_only=True)
    rates: Mapping[str, float] = field(kw_only=True)

    def predict(self, a: str | int, b: str | int) -> Prediction:
        self.code(a), self.code(b)
        return Prediction((1 - self.pooled) / 2, self.pooled, (1 - self.pooled) / 2)

    def predict_rows(self, judgments: Judgments) -> np.ndarray:
        self.row_codes(judgments)
        # Code −1, a row without a judge, picks the pooled rate at the end.
        known = np.array([*(self.rates.get(name, self.pooled) for name in judgments.judges), self.pooled])
        tie = known[judgments.codes("judge")]
        return np.stack([(1 - tie) / 2, tie, (1 - tie) / 2], axis=1)


@dataclass(frozen=True)
class PairsByRow(IndependentPairs):
    """A model of pairs that is tested row by row all the same."""

    id = "pairs-by-row"
    knows = frozenset({"judge"})


@dataclass(frozen=True)
class StrengthsByRow(BradleyTerry):
    id = "strengths-by-row"
    knows = frozenset({"judge"})


def campaign(seed: int = 0, **options: object) -> Judgments:
    return Judgments.from_rows(random_rows(np.random.default_rng(seed), **options))


def two_judges() -> Judgments:
    """Ann ties eight times of ten, Bob twice of ten."""
    outcomes = [0] * 8 + [1, -1] + [0] * 2 + [1] * 4 + [-1] * 4
    return judged([("A", "B", outcome) for outcome in outcomes], judge=["ann"] * 10 + ["bob"] * 10)


def test_a_judge_is_predicted_by_the_judge() -> None:
    fit = JudgeTies().fit(two_judges())
    rows = judged([("A", "B", 0), ("A", "B", 1), ("A", "B", 1)], judge=["bob", "ann", "cid"])
    assert fit.predict_rows(rows)[:, 1] == pytest.approx([3 / 13, 9 / 13, 11 / 23])
    assert fit.predict("A", "B").tie == pytest.approx(11 / 23)
    with pytest.raises(InputError, match="unknown system 'Z'; there are: A, B"):
        fit.predict_rows(judged([("A", "Z", 0)], judge=["ann"]))


def test_held_out_judgments_are_scored_one_by_one() -> None:
    test = judged([("A", "B", 0), ("A", "B", 1), ("A", "B", 0)], judge=["ann", "bob", "cid"])
    found = evaluate(JudgeTies(), two_judges(), test, seed=0)
    # Cid was never seen, so a tie of his has the pooled probability.
    chances = [9 / 13, (1 - 3 / 13) / 2, 11 / 23]
    assert found.perplexity == pytest.approx(math.prod(chances) ** (-1 / 3))
    # Ann's tie is the most probable outcome; Bob's win shares the first place with a loss; Cid's tie is first.
    assert found.accuracy_outcome == pytest.approx((1 + 1 / 2 + 1) / 3)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_a_comparison_by_rows_is_what_numpy_makes_of_it(weighted: bool) -> None:
    data = campaign(3, weights=weighted)
    found = pm.compare(data, models=[JudgeTies()], testing=pm.Testing(4, by="judgment"), rng=5, execution=SERIAL)
    fold = random_folds(data, folds=4, by="judgment", rng=generator(5, Stream.FOLDS)).fold
    judge, outcome = data.codes("judge"), data.codes("outcome")
    weight = np.ones(len(data)) if data.weights is None else data.weights
    surprise = np.zeros(len(data))
    for row in range(len(data)):
        seen = (fold != fold[row]) & (judge == judge[row])
        seen = seen if seen.any() else fold != fold[row]
        tie = (weight[seen & (outcome == 0)].sum() + 1) / (weight[seen].sum() + 3)
        surprise[row] = -math.log(tie if outcome[row] == 0 else (1 - tie) / 2)
    loss = np.average(surprise, weights=weight)
    assert found["judge-ties"].perplexity.value == pytest.approx(math.exp(loss), abs=1e-12)
    # The spread of rankings, by hand: by how much each moves the mean.
    ranking = data.codes("ranking")
    moved = np.bincount(ranking, weight * (surprise - loss)) / weight.sum()
    assert found["judge-ties"].log_loss.error == pytest.approx(math.sqrt(40 / 39 * (moved**2).sum()), abs=1e-12)
    counted = sum(each.judgments for each in found["judge-ties"].calibration if each.outcome == "tie")
    assert counted == pytest.approx(weight.sum())


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    ("by_cell", "by_row"), [(IndependentPairs(), PairsByRow()), (BradleyTerry(), StrengthsByRow())], ids=["pairs", "bt"]
)
def test_cells_and_rows_give_the_same_measures(by_cell: ModelBase, by_row: ModelBase, weighted: bool) -> None:
    data = campaign(1, weights=weighted)
    found = pm.compare(data, models=[by_cell, by_row], testing=pm.Testing(5), rng=2, execution=SERIAL)
    one, other = found[by_cell.id], found[by_row.id]
    for name in MEASURES:
        cells, rows = one.measure(name), other.measure(name)
        assert (rows.value, rows.error) == pytest.approx((cells.value, cells.error), abs=1e-12)
        assert (rows.difference, rows.difference_error) == pytest.approx(
            (cells.difference, cells.difference_error), abs=1e-12
        )
    assert one.radius == other.radius
    assert len(one.calibration) == len(other.calibration)
    for cell, row in zip(one.calibration, other.calibration, strict=True):
        assert (row.predicted, row.observed, row.error) == pytest.approx((cell.predicted, cell.observed, cell.error))


@pytest.mark.parametrize("kind", ["sizes", "noise"])
def test_curves_go_by_rows_too(kind: str) -> None:
    data = campaign(2, rankings=80)
    models = [IndependentPairs(), PairsByRow(), JudgeTies()]
    if kind == "sizes":
        found = pm.learning_curve(data, sizes=[60, 120], trials=2, models=models, rng=0, execution=SERIAL)
    else:
        found = pm.noise_test(data, shares=[0.5], trials=2, models=models, rng=0, execution=SERIAL)
    for row in found.points.values():
        cells, rows, judges = ({name: mean.value for name, mean in trials.means.items()} for trials in row[:3])
        assert rows == pytest.approx(cells, abs=1e-12)
        assert judges["perplexity"] > 1
        assert "accuracy_clusters" not in judges


def test_the_order_of_rows_changes_no_bit() -> None:
    rows = random_rows(np.random.default_rng(4), weights=True)
    mixed = rows.sample(fraction=1, shuffle=True, seed=1)
    one, other = (
        pm.compare(
            Judgments.from_rows(each),
            models=[JudgeTies(), PairsByRow()],
            testing=pm.Testing(4),
            rng=0,
            execution=SERIAL,
        )
        for each in (rows, mixed)
    )
    assert one.to_dict() == other.to_dict()


def test_a_judge_who_is_held_out_is_new() -> None:
    found = pm.compare(two_judges(), models=[JudgeTies()], testing=pm.Testing(2, by="judge"), rng=0, execution=SERIAL)
    # Ann by Bob's rate (2 + 1) / (10 + 3), Bob by Ann's 9 / 13.
    ann = 8 * math.log(3 / 13) + 2 * math.log(5 / 13)
    bob = 2 * math.log(9 / 13) + 8 * math.log(2 / 13)
    assert found["judge-ties"].perplexity.value == pytest.approx(math.exp(-(ann + bob) / 20))


def test_the_table_of_pairs_follows_from_single_predictions() -> None:
    """A fit that says only what it predicts for two systems has the table of all pairs, and rows from it."""

    @dataclass(frozen=True)
    class ByName(Fit):
        def predict(self, a: str | int, b: str | int) -> Prediction:
            return Prediction(0.6, 0.1, 0.3) if self.code(a) < self.code(b) else Prediction(0.3, 0.1, 0.6)

    data = judged([("a", "b", 1), ("b", "c", 0), ("c", "a", -1)])
    fit = ByName(BradleyTerry(), data.systems, None)
    table = fit.predict_pairs()
    assert table[0, 2].tolist() == [0.6, 0.1, 0.3]
    assert table[2, 0].tolist() == [0.3, 0.1, 0.6]
    assert table[1, 1] == pytest.approx(1 / 3)
    assert fit.predict_rows(data) == pytest.approx(np.array([[0.6, 0.1, 0.3]] * 3))
