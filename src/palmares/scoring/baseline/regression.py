"""Support vector regression with an RBF kernel: scikit-learn learns it, cross-validation sets it, numpy applies it.

Features and labels are standardised (mean 0, standard deviation 1) by the sentences that are learned from, so that the
same settings suit labels from 0 to 1 and times in seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from ...compute import Execution, Stream
from ...errors import InputError, MissingExtraError
from ...judgments import FloatArray, IntArray
from ...results import counted

FOLDS = 5
#: Predictions are made for so many sentences at once.
_CHUNK = 64
#: Errors that differ by less are equal.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Settings:
    """The settings of one regression; ε is in standard deviations of the labels."""

    c: float
    gamma: float
    epsilon: float

    @property
    def facts(self) -> dict[str, float]:
        return {"C": self.c, "gamma": self.gamma, "epsilon": self.epsilon}


@dataclass(frozen=True)
class Grid:
    """The settings that are tried, all with all; of those with equal errors, the first is taken."""

    c: tuple[float, ...] = (0.125, 0.5, 2.0, 8.0, 32.0)
    gamma: tuple[float, ...] = (2.0**-11, 2.0**-9, 2.0**-7, 2.0**-5, 2.0**-3)
    epsilon: tuple[float, ...] = (0.5, 0.25, 0.1)

    def __post_init__(self) -> None:
        for name, values in self.facts.items():
            if not values or not all(np.isfinite(value) and value > 0 for value in values):
                raise InputError(f"{name}: got {', '.join(map(str, values)) or 'nothing'}; allowed: numbers above 0")
            if len(set(values)) < len(values):
                raise InputError(f"{name}: got {', '.join(map(str, values))}; allowed: each value once")

    @property
    def facts(self) -> dict[str, tuple[float, ...]]:
        return {"C": self.c, "gamma": self.gamma, "epsilon": self.epsilon}

    @property
    def settings(self) -> list[Settings]:
        """All of them; those of one γ follow each other."""
        return [Settings(c, gamma, epsilon) for gamma, c, epsilon in product(self.gamma, self.c, self.epsilon)]

    def edges(self, chosen: Settings) -> list[str]:
        """The settings that were chosen at an end of the values that were tried, in words."""
        return [
            f"{name} = {value:g} is the {'least' if value == min(self.facts[name]) else 'largest'} that was tried"
            for name, value in chosen.facts.items()
            if len(self.facts[name]) > 1 and value in (min(self.facts[name]), max(self.facts[name]))
        ]


@dataclass(frozen=True)
class Scale:
    """Means and standard deviations of columns; a column that does not vary is only centred."""

    means: FloatArray
    deviations: FloatArray

    @classmethod
    def of(cls, values: FloatArray) -> Scale:
        means, deviations = values.mean(axis=0), values.std(axis=0)
        # Sums round: equal values can have a deviation that is not 0.
        constant = np.ptp(values, axis=0) == 0
        return cls(np.where(constant, values[0], means), np.where(constant, 1.0, deviations))

    def apply(self, values: FloatArray) -> FloatArray:
        return np.asarray((values - self.means) / self.deviations)


@dataclass(frozen=True)
class Regression:
    """What was learned: f(x) = m + s (Σ αᵢ exp(−γ |z − zᵢ|²) + b) for standardised features z of x, where m and s are
    mean and standard deviation of the labels.
    """

    settings: Settings
    features: Scale
    labels: Scale
    vectors: FloatArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    intercept: float

    def predict(self, values: FloatArray) -> FloatArray:
        """Predictions; each depends on the features of its own sentence alone, to the last bit."""
        points = self.features.apply(values)
        result = np.empty(len(points))
        for lo in range(0, len(points), _CHUNK):
            chunk = points[lo : lo + _CHUNK]
            squares = ((chunk[:, None, :] - self.vectors[None]) ** 2).sum(axis=2)
            result[lo : lo + _CHUNK] = (np.exp(-self.settings.gamma * squares) * self.weights).sum(axis=1)
        mean, deviation = float(self.labels.means), float(self.labels.deviations)
        return np.asarray(mean + deviation * (result + self.intercept))


def learned(values: FloatArray, labels: FloatArray, settings: Settings) -> Regression:
    """Learn from features and labels."""
    features, scale = Scale.of(values), Scale.of(labels)
    machine = _machine(settings).fit(features.apply(values), scale.apply(labels))
    return Regression(
        settings, features, scale, machine.support_vectors_, machine.dual_coef_[0], float(machine.intercept_[0])
    )


def _machine(settings: Settings, kernel: str = "rbf") -> Any:
    try:
        from sklearn.svm import SVR
    except ImportError:
        raise MissingExtraError("the quality-estimation baseline", "scoring", "scikit-learn") from None
    # More memory for kernels changes no result; a tight tolerance makes them the same on all machines, or nearly.
    return SVR(kernel=kernel, C=settings.c, gamma=settings.gamma, epsilon=settings.epsilon, tol=1e-3, cache_size=500)


# -- cross-validation ------------------------------------------------------------------------------


def folds_of(groups: IntArray, folds: int, execution: Execution) -> IntArray:
    """The fold of every sentence. Groups (numbered from 0) stay whole and are dealt out in random order."""
    number = int(groups.max()) + 1
    if number < folds:
        raise InputError(
            f"got {counted(number, 'different source sentence')}; {folds} folds need at least as many; "
            "give more, or fewer --folds"
        )
    order = execution.generator(Stream.QUALITY_FOLDS).permutation(number)
    fold = np.empty(number, dtype=np.int64)
    fold[order] = np.arange(number) % folds
    return np.asarray(fold[groups])


@dataclass(frozen=True)
class Search:
    """What cross-validation found.

    Attributes
    ----------
    chosen
        The settings with the least mean absolute error.
    predictions
        Of every sentence by the chosen settings, learned without its fold.
    means
        The mean label of the other folds, for every sentence.
    nested
        Predictions for which the settings, too, were chosen without the sentence's fold; None if not asked for.
    """

    chosen: Settings
    predictions: FloatArray = field(repr=False)
    means: FloatArray = field(repr=False)
    nested: FloatArray | None = field(default=None, repr=False)


def searched(
    values: FloatArray, labels: FloatArray, folds: IntArray, grid: Grid, execution: Execution, *, nested: bool = False
) -> Search:
    """Try all settings of a grid by cross-validation.

    With ``nested``, every fold is also predicted by settings that cross-validation among the others chose.
    """
    numbers = range(int(folds.max()) + 1)
    pairs = [(k, k) for k in numbers]
    if nested:
        pairs += [(k, j) for k in numbers for j in numbers if k < j]
    tasks = [(out, number) for out in pairs for number in range(len(grid.gamma))]
    parts = execution.run(_predictions, tasks, shared=(values, labels, folds, grid))
    left_out: dict[tuple[int, int], FloatArray] = {}
    for out, part in zip(pairs, _grouped(parts, len(grid.gamma)), strict=True):
        left_out[out] = np.concatenate(part)
    own = np.empty((len(grid.settings), len(labels)))
    means = np.empty(len(labels))
    for k in numbers:
        own[:, folds == k] = left_out[k, k]
        means[folds == k] = labels[folds != k].mean()
    best = _best(own, labels)
    honest = _nested(left_out, labels, folds, len(numbers)) if nested else None
    return Search(grid.settings[best], own[best], means, honest)


def _best(predictions: FloatArray, labels: FloatArray) -> int:
    errors = np.abs(predictions - labels).mean(axis=1)
    return int(np.flatnonzero(errors <= errors.min() + _ROUNDING)[0])


def _nested(
    left_out: dict[tuple[int, int], FloatArray], labels: FloatArray, folds: IntArray, number: int
) -> FloatArray:
    """For every fold k: of models that saw neither k nor j, those errors on j choose; they predict k."""
    result = np.empty(len(labels))
    for k in range(number):
        parts, truth = [], []
        for j in range(number):
            if j == k:
                continue
            both = left_out[min(j, k), max(j, k)]
            place = folds[(folds == j) | (folds == k)] == j
            parts.append(both[:, place])
            truth.append(labels[folds == j])
        best = _best(np.concatenate(parts, axis=1), np.concatenate(truth))
        result[folds == k] = left_out[k, k][best]
    return result


def _grouped(parts: Sequence[FloatArray], size: int) -> list[list[FloatArray]]:
    return [list(parts[lo : lo + size]) for lo in range(0, len(parts), size)]


def _predictions(
    values: FloatArray, labels: FloatArray, folds: IntArray, grid: Grid, out: tuple[int, int], number: int
) -> FloatArray:
    """Predictions of the sentences of two folds (or one, twice) by models of the others, for all settings of one γ.

    The kernel is made once: an array (settings, sentences).
    """
    held = (folds == out[0]) | (folds == out[1])
    features, scale = Scale.of(values[~held]), Scale.of(labels[~held])
    known, new = features.apply(values[~held]), features.apply(values[held])
    gamma = grid.gamma[number]
    own, across = np.exp(-gamma * _squares(known, known)), np.exp(-gamma * _squares(new, known))
    target = scale.apply(labels[~held])
    rows = []
    for settings in grid.settings:
        if settings.gamma == gamma:
            machine = _machine(settings, "precomputed").fit(own, target)
            rows.append(scale.means + scale.deviations * machine.predict(across))
    return np.array(rows)


def _squares(points: FloatArray, others: FloatArray) -> FloatArray:
    """Squared distances of all pairs."""
    products = points @ others.T
    squares = (points**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)[None] - 2 * products
    return np.asarray(np.maximum(squares, 0.0))
