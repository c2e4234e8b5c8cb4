"""Crowds whose judges differ, with known truth: a generator written apart from the code of the judge-aware models.

A judge of sensitivity a sees a · (θ + system × segment effect) + e for every output shown, with e of a Gumbel
distribution, so that the difference of two outputs has logistic noise of scale 1. Of two outputs, the one seen as
better by more than the judge's tie width δ wins. In a ranking of more, the judge cuts the scale at a random offset
into bins of 2δ, and outputs of one bin tie: rankings are consistent, and two outputs tie about as often as by
themselves. A careless judge answers at random.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from palmares.judgments import BoolArray, FloatArray, IntArray, Judgments


@dataclass(frozen=True)
class Crowd:
    """Judgments and what is true of them."""

    judgments: Judgments
    theta: FloatArray = field(repr=False)
    #: Of the judges, by number: log sensitivity, log tie width, and who answers at random.
    log_sensitivity: FloatArray = field(repr=False)
    log_width: FloatArray = field(repr=False)
    careless: BoolArray = field(repr=False)


@dataclass(frozen=True)
class CrowdWorld:
    """What crowds are drawn from.

    Attributes
    ----------
    screens
        How often anybody was shown outputs.
    qualities
        ``normal`` (standard deviation ``spread``), or ``pairs`` of equals, ``spread`` apart.
    width
        The median tie width.
    unequal
        The k-th judge does a share of the work in proportion to k ** -unequal.
    baseline
        Whether every screen has the first system, whose quality is 0, in the first place.
    careless
        The share of judges who answer at random: of two outputs win, tie and loss are equally likely; in a ranking
        every output gets one of as many ranks as there are outputs.
    """

    judges: int = 20
    systems: int = 10
    outputs: int = 5
    screens: int = 600
    segments: int = 300
    qualities: str = "normal"
    spread: float = 0.5
    sensitivity_sd: float = 0.4
    width: float = 0.5
    width_sd: float = 0.6
    segment_effect: float = 0.0
    unequal: float = 0.0
    baseline: bool = False
    careless: float = 0.0

    def draw(self, rng: np.random.Generator) -> Crowd:
        """A crowd and its truth."""
        theta, judges = self._theta(rng), self.judges
        log_a = rng.normal(0, self.sensitivity_sd, judges)
        log_width = np.log(self.width) + rng.normal(0, self.width_sd, judges)
        careless = rng.permutation(judges) < round(self.careless * judges)
        shares = rng.permutation(np.arange(1, judges + 1.0) ** -self.unequal)
        judge = rng.choice(judges, self.screens, p=shares / shares.sum())
        segment = rng.integers(0, self.segments, self.screens)
        lots = rng.random((self.screens, self.systems))
        lots[:, 0] -= self.baseline  # below all others
        shown = lots.argsort(axis=1)[:, : self.outputs]
        effect = rng.normal(0, self.segment_effect, (self.segments, self.systems))
        value = theta[shown] + effect[segment[:, None], shown]
        seen = np.exp(log_a[judge])[:, None] * value + rng.gumbel(0, 1, shown.shape)
        first, second = np.triu_indices(self.outputs, 1)
        outcome = self._outcomes(seen, np.exp(log_width[judge])[:, None], rng)
        outcome = np.where(careless[judge, None], self._at_random(rng), outcome)
        rows = _rows(shown[:, first], shown[:, second], outcome, judge, segment)
        return Crowd(Judgments.from_rows(rows), theta, log_a, log_width, careless)

    def _theta(self, rng: np.random.Generator) -> FloatArray:
        n = self.systems
        theta = rng.normal(0, self.spread, n) if self.qualities == "normal" else np.repeat(np.arange(n / 2), 2)[:n]
        if self.qualities == "pairs":
            theta = rng.permutation(theta * self.spread)
        return np.asarray(theta - (theta[0] if self.baseline else theta.mean()))

    def _outcomes(self, seen: FloatArray, width: FloatArray, rng: np.random.Generator) -> IntArray:
        """Of every pair of every screen: 1, 0 or −1."""
        if self.outputs > 2:
            bins = np.floor(seen / (2 * width) + rng.random((len(seen), 1)))
            return _signs(bins)
        gap = seen[:, :1] - seen[:, 1:]
        return np.asarray(np.sign(gap) * (np.abs(gap) > width)).astype(np.int64)

    def _at_random(self, rng: np.random.Generator) -> IntArray:
        if self.outputs > 2:
            return _signs(rng.integers(0, self.outputs, (self.screens, self.outputs)).astype(np.float64))
        return rng.integers(-1, 2, (self.screens, 1))


def _signs(values: FloatArray) -> IntArray:
    first, second = np.triu_indices(values.shape[1], 1)
    return np.asarray(np.sign(values[:, first] - values[:, second])).astype(np.int64)


def _rows(a: IntArray, b: IntArray, outcome: IntArray, judge: IntArray, segment: IntArray) -> pl.DataFrame:
    """Every pair of every screen, in names that sort as their numbers do."""
    pairs = a.shape[1]
    screen = np.repeat(np.arange(len(a)), pairs)
    columns = {
        "system_a": ("s", a.ravel()), "system_b": ("s", b.ravel()), "judge": ("j", np.repeat(judge, pairs)),
        "segment": ("g", np.repeat(segment, pairs)), "ranking": ("r", screen),
    }  # fmt: skip
    frame = pl.DataFrame({
        name: pl.Series(codes).cast(pl.String).str.pad_start(5, "0").str.replace("^", letter)
        for name, (letter, codes) in columns.items()
    })  # fmt: skip
    return frame.with_columns(outcome=pl.Series(outcome.ravel().astype(np.int8)))
