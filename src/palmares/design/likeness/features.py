"""What a campaign is known by: its size, and figures that are measured alike on real and on simulated judgments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, cast

import numpy as np
from scipy.special import bdtr

from ...judgments import FloatArray, IntArray, Judgments
from ...models.by_name import create
from ...models.ordinal_fit import OrdinalFit

#: Shares of a campaign at which significant pairs are counted, and the level of the sign tests.
FRACTIONS = np.geomspace(1 / 32, 1.0, 11)
LEVEL = 0.05


@dataclass(frozen=True)
class Features:
    """Figures of one campaign; NaN where there is nothing to measure them on.

    Attributes
    ----------
    ties
        The share of judgments that are ties.
    first
        How much more often the output shown first is better than worse, per judgment.
    same_segment, same_judge
        The correlation of the outcomes of two judgments of the same two systems that share a segment or a judge and
        nothing else, less that of two that share nothing.
    sensitivity, tie_width
        Standard deviations over judges of log sensitivity and log tie width (`ordinal`, probit).
    curve
        Shares of pairs of systems that a two-sided sign test tells apart at .05, at `FRACTIONS` of the judgments.
    """

    ties: float
    first: float
    same_segment: float
    same_judge: float
    sensitivity: float
    tie_width: float
    curve: FloatArray = field(repr=False)

    #: The figures that are single numbers, in the order of `row`.
    NAMES: ClassVar[tuple[str, ...]] = ("ties", "first", "same_segment", "same_judge", "sensitivity", "tie_width")

    @classmethod
    def of(cls, judgments: Judgments, orders: int, rng: np.random.Generator, *, judges: bool = True) -> Features:
        """Measure a campaign; the curve is a mean over so many orders of its rankings."""
        outcome = judgments.codes("outcome")
        same_segment, same_judge = shared_correlations(judgments)
        sensitivity, width = spreads_of_judges(judgments) if judges else (np.nan, np.nan)
        return cls(
            ties=float((outcome == 0).mean()),
            first=float(for_the_first(judgments).mean()) if judgments.has("position_a") else np.nan,
            same_segment=same_segment,
            same_judge=same_judge,
            sensitivity=sensitivity,
            tie_width=width,
            curve=curve(judgments, orders, rng),
        )

    @property
    def row(self) -> FloatArray:
        """All figures, then the curve."""
        return np.concatenate([[getattr(self, name) for name in self.NAMES], self.curve])


def for_the_first(judgments: Judgments) -> FloatArray:
    """+1 where the output shown first is better, −1 where it is worse, 0 for ties and unknown places."""
    a, b = judgments.codes("position_a").astype(np.int64), judgments.codes("position_b").astype(np.int64)
    known = (a >= 0) & (b >= 0)
    return np.asarray(judgments.codes("outcome") * np.sign(b - a) * known, dtype=np.float64)


def spreads_of_judges(judgments: Judgments) -> tuple[float, float]:
    """s_a and s_δ of the model ``ordinal``; NaN where judges are not known, or are one."""
    if not judgments.has("judge") or len(judgments.judges) < 2:
        return np.nan, np.nan
    fit = cast(OrdinalFit, create("ordinal:link=probit").fit(judgments))
    sensitivity, width = fit.spreads
    return sensitivity, width if fit.place.width is not None else np.nan


# -- judgments that share something ------------------------------------------------------------------


def shared_correlations(judgments: Judgments) -> tuple[float, float]:
    """How two judgments of a pair of systems resemble each other that share a segment, and that share a judge.

    Both are told from what judgments with nothing in common have, which is a little below 0; NaN where no two
    judgments of a pair share a segment and no judge, or a judge and no segment.
    """
    if not (judgments.has("judge") and judgments.has("segment")):
        return np.nan, np.nan
    pair = judgments.codes("system_a").astype(np.int64) * len(judgments.systems) + judgments.codes("system_b")
    pair = np.unique(pair, return_inverse=True)[1].reshape(-1)
    outcome = judgments.codes("outcome").astype(np.float64)
    rest = outcome - (np.bincount(pair, outcome) / np.bincount(pair))[pair]
    judge, segment = judgments.group_codes("judge"), judgments.group_codes("segment")
    every, of_judge, of_segment, of_both = (
        _products(rest, pair, keys) for keys in ((), (judge,), (segment,), (judge, segment))
    )  # fmt: skip
    variance = float((rest**2).mean())
    parts = (of_segment - of_both, of_judge - of_both, every - of_judge - of_segment + of_both)
    if variance == 0 or parts[2][1] == 0:
        return np.nan, np.nan
    means = [float(part[0] / part[1]) / variance if part[1] > 0 else np.nan for part in parts]
    return means[0] - means[2], means[1] - means[2]


def _products(rest: FloatArray, pair: IntArray, keys: tuple[IntArray, ...]) -> FloatArray:
    """Sum and number of the products of the residuals of two judgments of a pair that share ``keys``."""
    group = pair
    for key in keys:
        group = np.unique(group * (int(key.max(initial=0)) + 1) + key, return_inverse=True)[1].reshape(-1)
    total, squares, n = np.bincount(group, rest), np.bincount(group, rest**2), np.bincount(group)
    return np.array([(total**2 - squares).sum() / 2, (n * (n - 1.0)).sum() / 2])


# -- the curve of significant pairs ------------------------------------------------------------------


def significant(wins: FloatArray) -> FloatArray:
    """The share of pairs that a two-sided sign test tells apart, of counts (…, systems, systems)."""
    i, j = np.triu_indices(wins.shape[-1], 1)
    one, other = np.rint(wins[..., i, j]), np.rint(wins[..., j, i])
    decided = one + other
    worse = np.where(decided > 0, bdtr(np.minimum(one, other), decided.astype(np.int64), 0.5), 1.0)
    return np.asarray((2 * worse <= LEVEL).mean(axis=-1))


def curve(judgments: Judgments, orders: int, rng: np.random.Generator) -> FloatArray:
    """Mean shares of significant pairs over random orders of the rankings."""
    unit = judgments.group_codes("ranking") if judgments.has("ranking") else np.arange(len(judgments))
    unit = np.unique(unit, return_inverse=True)[1].reshape(-1)
    n, units = len(judgments.systems), int(unit.max()) + 1
    a, b, outcome = (judgments.codes(name).astype(np.int64) for name in ("system_a", "system_b", "outcome"))
    decided = outcome != 0
    cell = np.where(outcome > 0, a * n + b, b * n + a)[decided]
    ends = np.maximum(np.rint(FRACTIONS * units), 1)
    shares = np.zeros(len(ends))
    for _ in range(orders):
        look = np.searchsorted(ends, rng.permutation(units), side="right")[unit[decided]]
        counts = np.bincount(look * n * n + cell, minlength=len(ends) * n * n)
        shares += significant(np.cumsum(counts.reshape(len(ends), n, n), axis=0))
    return np.asarray(shares / orders)
