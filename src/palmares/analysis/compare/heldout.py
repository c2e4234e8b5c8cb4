"""`evaluate`: fit a model to some judgments and see how well it foretells others.

Everything is counted on (a, b, outcome) cells, not on rows: what a model says of a judgment depends on nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from ...compute import generator
from ...errors import InputError
from ...judgments import Judgments
from ...judgments.arrays import FloatArray, IntArray
from ...judgments.counts import PairCounts
from ...models.base import Fit, Model, OutcomeFit, check_one_lang_pair
from ...ranking.bootstrap import comparable
from .radius import Radii, check_radii, partition, tuned_radius

#: What is measured of every judgment, in the order of `CellScores.values`.
MEASURES = ("accuracy_clusters", "accuracy_outcome", "log_loss", "brier")


@dataclass(frozen=True)
class HeldOut:
    """How well a model foretold held-out judgments: means over them, weighted where they have weights.

    A measure that does not apply is None: a model that only ranks has no probabilities, one that only predicts no
    clusters.

    Attributes
    ----------
    model
        The id of the model.
    judgments
        How many were held out.
    accuracy_clusters, radius
        The share that the partial order of the scores foretells, and the decision radius that makes the order. The
        radius is tuned on the training judgments alone (Bojar et al. 2014, §3.4).
    accuracy_outcome
        The share whose outcome was the most probable of the three (Sakaguchi et al. 2014, §3.3); outcomes that are
        equally probable share the credit.
    log_loss
        Mean −ln Q(outcome), in nats.
    perplexity
        2^(−mean log2 Q(outcome)) = e^log_loss (Hopkins & May 2013, §4); 3 for ``uniform``.
    brier
        Mean sum over the three outcomes of (Q − what happened)²: 0 at best, 2 at worst, ⅔ for ``uniform``.
    """

    model: str
    judgments: int
    accuracy_clusters: float | None
    radius: float | None
    accuracy_outcome: float | None
    log_loss: float | None
    perplexity: float | None
    brier: float | None


@dataclass(frozen=True)
class CellScores:
    """Measures of single (a, b, outcome) cells: ``values[m, c]`` for measure m; NaN where it does not apply."""

    radius: float | None
    values: FloatArray = field(repr=False)
    #: P(a better), P(tie), P(b better) of every cell's pair, (cells, 3); None where the model does not predict.
    predicted: FloatArray | None = field(repr=False, default=None)


def evaluate(model: Model, train: Judgments, test: Judgments, *, seed: int, radii: Radii = "every") -> HeldOut:
    """Fit ``model`` to ``train`` and score it on ``test``.

    Parameters
    ----------
    seed
        Of the generator that the fit may draw from.
    radii
        Which decision radii are tried on the training judgments; see `tuned_radius`.

    Raises
    ------
    UnplaceableError
        Where the training judgments do not place every system, also those that only the test judgments mention.
    """
    check_radii(radii)
    train, test = aligned(train, test)
    return held_out(model.fit(train, rng=generator(seed, 0)), train.counts, test, radii=radii)


def held_out(fit: Fit, train: PairCounts, test: Judgments, *, radii: Radii = "every") -> HeldOut:
    """Score on ``test`` a fit to training judgments with these counts; all three are of the same systems."""
    if not len(test):
        raise InputError("got 0 held-out judgments; at least one is needed to score a model")
    check_one_lang_pair(test)
    cells, inverse = np.unique(test.cells, return_inverse=True)
    amounts = _amounts(inverse, test.weights)
    scored = score_cells(fit, train, cells, radii=radii)
    clusters, outcome, log_loss, brier = (_mean(row, amounts) for row in scored.values)
    perplexity = None if log_loss is None else float(np.exp(log_loss))
    return HeldOut(fit.model.id, len(test), clusters, scored.radius, outcome, log_loss, perplexity, brier)


def _amounts(cell: IntArray, weights: FloatArray | None) -> FloatArray:
    """The total weight of every cell, added up in an order that does not depend on the rows'."""
    if weights is None:
        return np.bincount(cell).astype(np.float64)
    order = np.lexsort((weights, cell))
    return np.bincount(cell[order], weights[order]).astype(np.float64)


def score_cells(fit: Fit, train: PairCounts, cells: IntArray, *, radii: Radii = "every") -> CellScores:
    """The measures of every cell, by a fit to training judgments with these counts.

    Parameters
    ----------
    cells
        Indices among all (a, b, outcome), as `Judgments.cells` has them.
    """
    n = len(fit.systems)
    a, b, outcome = cells // 3 // n, cells // 3 % n, cells % 3
    values = np.full((len(MEASURES), len(cells)), np.nan)
    radius = None
    if fit.scores is not None:
        radius = tuned_radius(fit.scores, train, radii)
        cluster = partition(fit.scores, radius)
        values[0] = 1 + np.sign(cluster[a] - cluster[b]) == outcome
    table = outcome_table(fit)
    if table is None:
        return CellScores(radius, values)
    q = table[a, b]
    values[1:] = _of_probabilities(q, outcome)
    return CellScores(radius, values, q)


def outcome_table(fit: Fit) -> FloatArray | None:
    """P(win), P(tie), P(loss) of every two systems, an array (n, n, 3), or None where the model does not predict."""
    if not fit.predicts:
        return None
    if isinstance(fit, OutcomeFit):
        return fit.outcomes
    n = len(fit.systems)
    table = np.full((n, n, 3), 1 / 3)
    for i, j in zip(*np.nonzero(~np.eye(n, dtype=bool)), strict=True):
        table[i, j] = fit.predict(int(i), int(j))
    return table


def aligned(train: Judgments, test: Judgments) -> tuple[Judgments, Judgments]:
    """Both tables over the systems of either, so that a code means the same system in both."""
    if train.systems == test.systems:
        return train, test
    systems = tuple(sorted({*train.systems, *test.systems}))
    return _recoded(train, systems), _recoded(test, systems)


def _recoded(judgments: Judgments, systems: tuple[str, ...]) -> Judgments:
    # Sorted lists: the new codes keep the order of the old, so rows stay oriented.
    code = np.searchsorted(np.array(systems), np.array(judgments.systems))
    columns = ("system_a", "system_b")
    frame = judgments.frame.with_columns(
        pl.Series(name, code[judgments.codes(name)]).cast(judgments.frame.schema[name]) for name in columns
    )
    return Judgments(frame, {**judgments.names, "system": pl.Series("system", systems)})


def _of_probabilities(q: FloatArray, outcome: IntArray) -> FloatArray:
    """Accuracy, log loss and Brier score of every cell, from the probabilities of its three outcomes."""
    level = comparable(q)
    best = level == level.max(axis=1, keepdims=True)
    happened = np.arange(3) == outcome[:, None]
    accuracy = (best & happened).sum(axis=1) / best.sum(axis=1)
    return np.stack([accuracy, -np.log(q[happened]), ((q - happened) ** 2).sum(axis=1)])


def _mean(values: FloatArray, amounts: FloatArray) -> float | None:
    return None if np.isnan(values).any() else float(values @ amounts / amounts.sum())
