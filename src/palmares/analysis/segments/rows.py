"""Judgments as `segments` reads them: by segment and sitting, with what the judge-aware model says of each."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.special import expit

from ...judgments import BoolArray, FloatArray, IntArray, Judgments, outcome_index
from ...judgments.units import unit_codes
from ...judgments.weighing import PAIR_WEIGHTS, ranking_sizes
from ...models.ordinal_fit import OrdinalFit
from .outputs import Outputs


@dataclass(frozen=True)
class Rows:
    """One entry per judgment, in an order that does not depend on the file's.

    ``reach`` is the sensitivity a_k of the judge, ``delta`` the tie width δ_k, ``gap`` θ_a − θ_b. A ``sitting`` is what
    one judge said of one segment: its judgments are not independent. ``weight`` makes up for the size of rankings.
    """

    theta: FloatArray = field(repr=False)
    segments: int
    segment: IntArray = field(repr=False)
    sitting: IntArray = field(repr=False)
    judge: IntArray = field(repr=False)
    a: IntArray = field(repr=False)
    b: IntArray = field(repr=False)
    #: 0: a is better, 1: tie, 2: b is better.
    outcome: IntArray = field(repr=False)
    reach: FloatArray = field(repr=False)
    delta: FloatArray = field(repr=False)
    weight: FloatArray = field(repr=False)

    def __len__(self) -> int:
        return len(self.segment)

    @property
    def gap(self) -> FloatArray:
        return np.asarray(self.theta[self.a] - self.theta[self.b])

    @cached_property
    def outputs(self) -> Outputs:
        """The outputs that were judged."""
        return Outputs.of(self.segment, self.a, self.b, len(self.theta))

    def only(self, rows: BoolArray | IntArray) -> Rows:
        """Some of the rows, by a mask or by number; segments keep their numbers."""
        names = ("segment", "sitting", "judge", "a", "b", "outcome", "reach", "delta", "weight")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})


def rows_of(judgments: Judgments, fit: OrdinalFit) -> Rows:
    """The judgments, all of which name their segment, with what the fit to them says of systems and judges."""
    a, b, segment = (judgments.codes(name).astype(np.int64) for name in ("system_a", "system_b", "segment"))
    named = judgments.codes("judge").astype(np.int64)
    judge = np.where(named < 0, fit.anonymous, named)
    outcome = outcome_index(judgments.codes("outcome")).astype(np.int64)
    own, width = fit.place.own[judge], fit.place.width
    weight = _weights(judgments, a, b)
    order = np.lexsort((weight, outcome, b, a, judge, segment))
    rows = Rows(
        fit.place.theta - fit.place.theta.mean(),
        len(judgments.segments),
        segment,
        sittings_of(judgments, named, segment),
        judge,
        a,
        b,
        outcome,
        np.exp(own[:, 0]),
        np.zeros(len(a)) if width is None else np.exp(width + own[:, 1]),
        weight,
    )
    return rows.only(order)


def _weights(judgments: Judgments, a: IntArray, b: IntArray) -> FloatArray:
    """Those that the judgments have; else what makes rankings of any size as sure as they are (van Elteren)."""
    if judgments.weights is not None:
        return judgments.weights
    if not judgments.has("ranking"):
        return np.ones(len(a))
    sizes = ranking_sizes(judgments.group_codes("ranking"), (a, b), len(judgments.systems))
    return PAIR_WEIGHTS["van-elteren"](sizes.astype(np.float64))


def sittings_of(judgments: Judgments, judge: IntArray, segment: IntArray) -> IntArray:
    """What one judge said of one segment; where no judge is named, a ranking, or one judgment."""
    ranking = unit_codes(judgments, "ranking")  # numbered without regard to names and the order of rows
    of_judge = judge * (segment.max() + 1) + segment
    key = np.where(judge >= 0, of_judge, of_judge.max(initial=0) + 1 + ranking)
    return np.unique(key, return_inverse=True)[1].reshape(-1)


def share(value: float) -> str:
    """A share in words: ``.17``."""
    return f"{value:.2f}".removeprefix("0")


def summed(group: IntArray, values: FloatArray, groups: int) -> FloatArray:
    """The sum of the values of every group."""
    return np.bincount(group, values, groups).astype(np.float64)


def slopes_by_z(z: FloatArray, delta: FloatArray, outcome: IntArray) -> tuple[FloatArray, FloatArray]:
    """∂ log P(outcome) / ∂z of every row, and its expected square.

    With p = F(z − δ) and q = F(−z − δ), F logistic: 1 − p of a win, q − p of a tie, q − 1 of a loss.
    """
    p, q = expit(z - delta), expit(-z - delta)
    by_outcome = np.stack([1 - p, q - p, q - 1])
    expected = p * (1 - p) ** 2 + np.maximum(1 - p - q, 0) * (q - p) ** 2 + q * (1 - q) ** 2
    return by_outcome[outcome, np.arange(len(z))], expected
