"""From scores of single folds to models in order, each with its distance from the best, and their calibration.

Judgments come in dependent groups (rankings, judges), so a standard error is that of a mean over groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...judgments import FloatArray, IntArray
from .comparison import HIGHER_IS_BETTER, CalibrationBin, Measure, ModelScore
from .heldout import MEASURES
from .testing import Folds

BINS = 10
OUTCOMES = ("decided", "tie")


@dataclass(frozen=True)
class FoldScore:
    """One model on one fold: `MEASURES` of everything tested, and what else is wanted of it."""

    values: FloatArray = field(repr=False)
    radius: float | None = None
    calibration: FloatArray | None = field(default=None, repr=False)
    converged: bool = True
    refused: str | None = None
    #: What settings that were asked to ``fit`` came to.
    fitted: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Mean:
    """A mean over judgments, and by how much each group of them moves it."""

    value: float
    influence: FloatArray = field(repr=False)


def standings(
    folds: Mapping[str, Sequence[FoldScore]], grouped: Mapping[str, Grouped], sort: str
) -> tuple[ModelScore, ...]:
    """Every model's measures, by ``sort`` best first; those without it by the next measure that they have."""
    means = {name: _means(scores, grouped[name]) for name, scores in folds.items()}
    best = {measure: _best(means, measure) for measure in HIGHER_IS_BETTER}
    lines = [_line(name, scores, means[name], best) for name, scores in folds.items()]
    return tuple(sorted(lines, key=lambda line: _place(line, sort)))


def bound(folds: Folds, grouped: Grouped, *, by_fold: bool) -> Measure:
    """Accuracy of the oracle: the most frequent outcome of every pair, counted on what is tested.

    Counted by fold it is a bound for every model that knows only the two systems; over all folds only for models that
    answer alike in all of them.
    """
    tested = folds.judged[1:]
    counted = (tested if by_fold else np.broadcast_to(tested.sum(axis=0), tested.shape)).reshape(len(tested), -1, 3)
    # The first of equally frequent outcomes: which one makes no difference to the accuracy.
    right = (np.arange(3) == counted.argmax(axis=2)[..., None]).reshape(len(tested), -1)
    values = np.concatenate([right[fold][folds.cells(fold)] for fold in range(folds.count)]).astype(np.float64)
    return Measure(grouped.mean(values), standard_error(grouped.influence(values)))


def _means(scores: Sequence[FoldScore], grouped: Grouped) -> dict[str, Mean]:
    """The measures that apply; none if the model refused any fold, for all must be tested on the same judgments."""
    values = np.concatenate([score.values for score in scores], axis=1)
    means = {
        measure: Mean(grouped.mean(row), grouped.influence(row))
        for measure, row in zip(MEASURES, values, strict=True)
        if not np.isnan(row).any()
    }
    if loss := means.get("log_loss"):
        # The perplexity is e^loss, so it moves e^loss times as much.
        means["perplexity"] = Mean(float(np.exp(loss.value)), loss.influence * np.exp(loss.value))
    return means


def _best(means: Mapping[str, Mapping[str, Mean]], measure: str) -> Mean | None:
    having = [each[measure] for each in means.values() if measure in each]
    if not having:
        return None
    return (max if HIGHER_IS_BETTER[measure] else min)(having, key=lambda mean: mean.value)


def _line(
    name: str, scores: Sequence[FoldScore], means: Mapping[str, Mean], best: Mapping[str, Mean | None]
) -> ModelScore:
    refusals = [score.refused for score in scores if score.refused is not None]
    radii = [score.radius for score in scores if score.radius is not None]
    tallies = [score.calibration for score in scores if score.calibration is not None]
    wandering = sum(not score.converged for score in scores)
    complete = not refusals
    return ModelScore(
        model=name,
        **{measure: _measure(mean, best[measure]) for measure, mean in means.items()},
        radius=_over_folds(radii) if radii and complete else None,
        fitted={name: _over_folds([score.fitted[name] for score in scores]) for name in scores[0].fitted if complete},
        refused=_refusal(refusals, len(scores)) if refusals else None,
        notes=(f"{wandering} of {len(scores)} fits did not converge",) if wandering else (),
        calibration=bins(tallies) if tallies and complete else (),
    )


def _over_folds(values: Sequence[float]) -> tuple[float, float, float]:
    """Median, least and greatest."""
    return float(np.median(values)), min(values), max(values)


def _measure(mean: Mean, best: Mean | None) -> Measure:
    assert best is not None  # this model has the measure, so some model is best
    behind, distance = standard_error(mean.influence - best.influence), mean.value - best.value
    p = None if behind is None or mean is best else t_test(distance, behind, len(mean.influence))
    return Measure(mean.value, standard_error(mean.influence), distance, behind, p)


def _refusal(refusals: Sequence[str], folds: int) -> str:
    return refusals[0] if folds == 1 else f"{len(refusals)} of {folds} folds: {refusals[0]}"


def _place(line: ModelScore, sort: str) -> tuple[object, ...]:
    for number, name in enumerate((sort, *HIGHER_IS_BETTER)):
        if measure := line.measure(name):
            level = round(measure.value, 12)
            return (number, -level if HIGHER_IS_BETTER[name] else level, line.model)
    return (len(HIGHER_IS_BETTER) + 1, 0.0, line.model)


# -- groups of judgments ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Grouped:
    """The tested judgments, counted by group and by what was `Tested`: a sparse matrix ``amounts`` (groups, keys).

    Keys are those of every fold, fold by fold: cells in the order of `Folds.cells`, or rows in that of `Folds.rows`.
    """

    amounts: Any = field(repr=False)

    @classmethod
    def of(cls, folds: Folds, groups: IntArray, *, by_row: bool = False) -> Grouped:
        from scipy.sparse import csr_array

        rows = np.flatnonzero(folds.tested_rows)
        if by_row:
            rows = np.concatenate([folds.rows(fold) for fold in range(folds.count)])
        weights = folds.judgments.weights
        weight = np.ones(len(rows)) if weights is None else weights[rows]
        cell = folds.fold[rows] * folds.tables.shape[1] + folds.judgments.cells[rows]
        key = np.arange(len(rows)) if by_row else cell
        group = np.unique(groups[rows], return_inverse=True)[1].reshape(-1)
        order = np.lexsort((weight, key, group))
        _, column = np.unique(key[order], return_inverse=True)
        column = column.reshape(-1)
        shape = (int(group.max()) + 1, int(column.max()) + 1)
        return cls(csr_array((weight[order], (group[order], column)), shape=shape))

    @property
    def groups(self) -> int:
        return int(self.amounts.shape[0])

    def mean(self, values: FloatArray) -> float:
        """The mean over judgments of a value that every key has."""
        weight = self.amounts.sum(axis=0)
        return float(values @ weight / weight.sum())

    def influence(self, values: FloatArray) -> FloatArray:
        """By how much each group moves the mean: (its sum − its weight × mean) / total weight."""
        weight = self.amounts.sum(axis=1)
        return np.asarray((self.amounts @ values - weight * self.mean(values)) / weight.sum())


def standard_error(influence: FloatArray) -> float | None:
    """√(G / (G − 1) Σ influence²) over G groups; None for a single group, which shows no spread."""
    groups = len(influence)
    return None if groups < 2 else float(np.sqrt(groups / (groups - 1) * (influence**2).sum()))


def t_test(distance: float, error: float, groups: int) -> float:
    """The two-sided p-value of a distance with this standard error, by Student's t with G − 1 degrees of freedom."""
    from scipy.special import stdtr

    if error == 0:
        return float(distance == 0)
    return float(2 * stdtr(groups - 1, -abs(distance) / error))


# -- calibration: of what is predicted with probability q, does a share q come true? ---------------


def tally(predicted: FloatArray, outcome: IntArray, amounts: FloatArray) -> FloatArray:
    """Sums of one fold: an array (`OUTCOMES`, bins, 3) of judgments, predicted and observed.

    A judgment is counted twice under ``decided``, as "a is better" and as "b is better", so that it does not matter
    which of the two stands first; and once under ``tie``.

    Parameters
    ----------
    predicted
        P(a better), P(tie), P(b better) of every key.
    outcome
        Which of the three each key has.
    amounts
        How many judgments.
    """
    sums = np.zeros((len(OUTCOMES), BINS, 3))
    for column, kind in ((0, 0), (1, 1), (2, 0)):
        q = predicted[:, column]
        place = np.minimum((q * BINS).astype(np.int64), BINS - 1)
        for part, value in enumerate((amounts, amounts * q, amounts * (outcome == column))):
            sums[kind, :, part] += np.bincount(place, value, minlength=BINS)
    return sums


def bins(tallies: Sequence[FloatArray]) -> tuple[CalibrationBin, ...]:
    """The bins that any prediction falls into, from the sums of every fold.

    Folds are random groups of units, so the spread between them gives the standard error: with share o of n judgments
    in F folds, √(F / (F − 1) Σ (observed_f − o n_f)²) / n; None where all are in one fold.
    """
    by_fold = np.stack(tallies)
    filled = []
    for kind, name in enumerate(OUTCOMES):
        for number in range(BINS):
            amount, predicted, observed = by_fold[:, kind, number].sum(axis=0).tolist()
            if amount > 0:
                there = by_fold[by_fold[:, kind, number, 0] > 0, kind, number]
                spread = standard_error((there[:, 2] - there[:, 0] * observed / amount) / amount)
                edges = (number / BINS, (number + 1) / BINS)
                filled.append(CalibrationBin(name, *edges, amount, predicted / amount, observed / amount, spread))
    return tuple(filled)
