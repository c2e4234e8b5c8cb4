"""`evaluate`: fit a model to some judgments and see how well it predicts others.

Scores predict a judgment by a partial order: neighbours closer than a decision radius share a cluster (Bojar et al.
2014, §3.4). Probabilities predict it by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from ...compute import Stream, generator
from ...errors import InputError
from ...ingest.given import judgments_of
from ...judgments import FloatArray, IntArray, Judgments, PairCounts
from ...models.base import Fit, Model, check_one_lang_pair
from ...ranking.bootstrap import comparable
from .grouping import judged
from .testing import Radii, Tested, check_radii

#: What is measured of every judgment, in the order of `Scores.values`.
MEASURES = ("accuracy_clusters", "accuracy_outcome", "log_loss", "brier")


@dataclass(frozen=True)
class HeldOut:
    """How well a model predicted held-out judgments: means over them, weighted where they have weights.

    A measure that does not apply is None: a model that only ranks has no probabilities, one that only predicts no
    clusters.

    Attributes
    ----------
    model
        The id of the model.
    judgments
        How many were held out.
    accuracy_clusters, radius
        The share that the partial order of the scores predicts, and the decision radius that makes the order. The
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
class Scores:
    """Measures of what was `Tested`: ``values[m, k]`` for measure m of key k; NaN where it does not apply."""

    radius: float | None
    values: FloatArray = field(repr=False)
    #: P(a better), P(tie), P(b better) of every key, (keys, 3); None where the model does not predict.
    predicted: FloatArray | None = field(repr=False, default=None)


def evaluate(
    model: Model, train: Judgments | Any, test: Judgments | Any, *, seed: int, radii: Radii = "every"
) -> HeldOut:
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
    train = judgments_of(train, "evaluate", forced_ties=model.forced_ties)
    train, test = aligned(train, judgments_of(test, "evaluate"))
    return held_out(model.fit(train, rng=generator(seed, Stream.FIT)), judged(train).counts, test, radii=radii)


def held_out(fit: Fit, train: PairCounts, test: Judgments, *, radii: Radii = "every") -> HeldOut:
    """Score on ``test`` a fit to training judgments with these counts; all three are of the same systems.

    Ties that no judge gave are not tested on.
    """
    test = judged(test)
    if not len(test):
        raise InputError("got 0 held-out judgments; at least one is needed to score a model")
    check_one_lang_pair(test)
    tested = Tested.of(fit.model, test)
    scores = score(fit, train, tested, radii=radii)
    clusters, outcome, log_loss, brier = (
        None if np.isnan(row).any() else float(row @ tested.amounts / tested.amounts.sum()) for row in scores.values
    )
    perplexity = None if log_loss is None else float(np.exp(log_loss))
    return HeldOut(fit.model.id, len(test), clusters, scores.radius, outcome, log_loss, perplexity, brier)


def score(fit: Fit, train: PairCounts, tested: Tested, *, radii: Radii = "every") -> Scores:
    """The measures of everything tested, by a fit to training judgments with these counts."""
    values = np.full((len(MEASURES), len(tested.outcome)), np.nan)
    radius = None
    if fit.scores is not None:
        radius = tuned_radius(fit.scores, train, radii)
        cluster = partition(fit.scores, radius)
        values[0] = 1 + np.sign(cluster[tested.a] - cluster[tested.b]) == tested.outcome
    if not fit.predicts:
        return Scores(radius, values)
    rows = tested.judgments
    q = fit.predict_pairs()[tested.a, tested.b] if rows is None else fit.predict_rows(rows)
    values[1:] = _of_probabilities(q, tested.outcome)
    return Scores(radius, values, q)


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
    """Accuracy, log loss and Brier score of every key, from the probabilities of its three outcomes."""
    level = comparable(q)
    best = level == level.max(axis=1, keepdims=True)
    happened = np.arange(3) == outcome[:, None]
    accuracy = (best & happened).sum(axis=1) / best.sum(axis=1)
    return np.stack([accuracy, -np.log(q[happened]), ((q - happened) ** 2).sum(axis=1)])


# -- the decision radius ---------------------------------------------------------------------------

#: 0, .01, …, .25: the radii that Bojar et al. 2014 tried.
PUBLISHED = comparable(np.arange(26) / 100)


def partition(scores: FloatArray, radius: float) -> IntArray:
    """The cluster of every system, 1 the best: a new one begins where a score is more than ``radius`` below the last.

    Bojar et al. 2014, Table 6: scores .60, .44, .39, .25, −.09, −.22 with radius .15 give 1 2 2 2 3 3.
    """
    order, gaps = _sorted(scores)
    clusters = np.empty(len(scores), dtype=np.int64)
    clusters[order] = 1 + np.concatenate([[0], np.cumsum(gaps > radius)])
    return clusters


def tuned_radius(scores: FloatArray, counts: PairCounts, radii: Radii = "every") -> float:
    """The radius whose partial order agrees with most of ``counts``; the smallest of those that do equally well.

    Parameters
    ----------
    radii
        ``every``: all partitions that any radius can make are tried: 0 and the gaps between neighbours, whatever the
        scale of the scores. ``published``: 0, .01, …, .25.
    """
    check_radii(radii)
    order, gaps = _sorted(scores)
    better, tied = counts.wins[np.ix_(order, order)], counts.ties[np.ix_(order, order)]
    upper = np.triu_indices(len(order), 1)
    # Two systems share a cluster as soon as the radius reaches the widest gap between them.
    joined_at = _widest(gaps)[upper]
    gain = (tied - better)[upper]
    tried = PUBLISHED if radii == "published" else np.unique(np.concatenate([[0.0], gaps]))
    by_gap = np.argsort(joined_at, kind="stable")
    gained = np.concatenate([[0.0], np.cumsum(gain[by_gap])])
    right = gained[np.searchsorted(joined_at[by_gap], tried, side="right")]
    return float(tried[np.argmax(comparable(right))])


def _sorted(scores: FloatArray) -> tuple[IntArray, FloatArray]:
    """The systems best first, and how far each is below the one before it."""
    level = comparable(scores)
    order = np.argsort(-level, kind="stable")
    return order, comparable(-np.diff(level[order]))


def _widest(gaps: FloatArray) -> FloatArray:
    """``[i, j]``, i < j: the widest of the gaps between places i and j."""
    n = len(gaps) + 1
    widest = np.zeros((n, n))
    for i in range(n - 1):
        widest[i, i + 1 :] = np.maximum.accumulate(gaps[i:])
    return widest
