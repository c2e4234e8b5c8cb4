"""A generator written apart from the project's: normal latent qualities, and ties from a scale cut into bins.

The value of an output is q(system) + s(system, segment) + j(system, judge) + e, with variance 1 around q. Every ranking
cuts the scale into bins of one width at a random offset, and outputs of one bin tie. So two outputs at a distance d tie
with probability max(0, 1 − |d| / width), whatever else is in the ranking, and the expected outcomes of every pair are
integrals in one dimension.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from scipy.special import ndtr

from palmares.judgments import FloatArray, IntArray, Judgments

from .uncertainty_truth import Campaign, davidson

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)


@dataclass(frozen=True)
class NormalWorld:
    """What campaigns are drawn from; effects are standard deviations.

    Attributes
    ----------
    qualities
        ``normal`` (spread tau), ``mixed`` (normal, the spread drawn anew for every campaign), ``equal``, ``pairs`` of
        equals (tau apart) or ``clumps`` (two, tau to the left and right of 0).
    own_effect
        What judges disagree by about the first system alone.
    unequal
        The k-th judge does a share of the work in proportion to k ** -unequal.
    appearances
        In how many rankings the first system is, if not in as many as the others. 0: it is a newcomer, with one
        comparison, which it won.
    """

    judges: int
    systems: int = 10
    rankings: int = 600
    outputs: int = 5
    segments: int = 300
    qualities: str = "normal"
    tau: float = 0.3
    segment_effect: float = 0.0
    judge_effect: float = 0.0
    own_effect: float = 0.0
    tie_width: float = 0.8
    unequal: float = 0.0
    appearances: int | None = None

    def draw(self, rng: np.random.Generator) -> Campaign:
        """A campaign and its truth."""
        quality = self._quality(rng)
        rows = self._judged(quality, rng)
        if self.appearances == 0:
            quality[0], beaten = self._lucky(quality, rng)
            # By one of the judges, on one of the segments: those of the last ranking.
            win = {"system_a": _named(np.array([0])), "system_b": _named(np.array([beaten])), "ranking": ["newcomer"]}
            row = rows[-1].with_columns(**{k: pl.Series(v) for k, v in win.items()}, outcome=pl.lit(1, pl.Int8))
            rows = pl.concat([rows, row])
        wins, ties = self.expected(quality)
        scores = davidson(wins, ties)
        # With an effect of its own a system's outcomes depend on more than its quality.
        return Campaign.of(Judgments.from_rows(rows), scores, scores if self.own_effect else quality)

    def expected(self, quality: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Expected wins and ties of every pair: the exact chances of outcomes, times how often the pair is judged."""
        difference = quality[:, None] - quality
        variance = np.full(difference.shape, 2.0)
        variance[0, 1:] += self.own_effect**2
        variance[1:, 0] += self.own_effect**2
        scale = np.sqrt(variance)
        # Half the width times nodes on [0, 1]: distances at which two outputs may tie, on either side.
        distance = self.tie_width * (_NODES + 1) / 2
        density = [
            np.exp(-0.5 * ((side * distance - difference[..., None]) / scale[..., None]) ** 2) for side in (1, -1)
        ]
        weights = self.tie_width * _WEIGHTS / 2 * (1 - distance / self.tie_width) / np.sqrt(2 * np.pi)
        above, below = (d @ weights / scale for d in density)
        judged = self._pairs()
        return judged * (ndtr(difference / scale) - above), judged * (above + below)

    def _pairs(self) -> FloatArray:
        """How often each pair is judged, on average."""
        n, m = self.systems, self.outputs
        if self.appearances is None:
            return np.full((n, n), self.rankings * m * (m - 1) / (n * (n - 1)))
        # A newcomer's one comparison says nothing of the others, however rare: 1 in place of 0 appearances.
        seen = max(self.appearances, 1)
        without = (self.rankings - seen) * m * (m - 1) / 2 + seen * (m - 1) * (m - 2) / 2
        pairs = np.full((n, n), without / ((n - 1) * (n - 2) / 2))
        pairs[0, :] = pairs[:, 0] = seen * (m - 1) / (n - 1)
        return pairs

    def _quality(self, rng: np.random.Generator) -> FloatArray:
        n, tau = self.systems, self.tau
        if self.qualities == "equal":
            return np.zeros(n)
        if self.qualities == "pairs":
            return np.repeat(np.arange(n // 2) * tau, 2)
        if self.qualities == "clumps":
            return np.where(np.arange(n) < n // 2, -tau, tau) + rng.normal(0, tau / 20, n)
        if self.qualities == "mixed":
            # From far below to far above what hundreds of rankings can tell apart.
            tau = float(np.exp(rng.uniform(np.log(0.02), np.log(0.8))))
        return rng.normal(0, tau, n)

    def _judged(self, quality: FloatArray, rng: np.random.Generator) -> pl.DataFrame:
        n, m = self.systems, self.outputs
        if self.appearances is None:
            shown = rng.random((self.rankings, n)).argsort(axis=1)[:, :m]
        else:
            shown = 1 + rng.random((self.rankings, n - 1)).argsort(axis=1)[:, :m]
            shown[: self.appearances, 0] = 0
        shares = np.arange(1, self.judges + 1.0) ** -self.unequal
        judge = rng.choice(self.judges, self.rankings, p=shares / shares.sum())
        segment = rng.integers(0, self.segments, self.rankings)
        liking = np.full(n, self.judge_effect)
        liking[0] = np.hypot(self.judge_effect, self.own_effect)
        by_segment = rng.normal(0, self.segment_effect, (self.segments, n))
        by_judge = rng.normal(0, 1, (self.judges, n)) * liking
        rest = np.sqrt(1 - self.segment_effect**2 - self.judge_effect**2)
        value = quality[shown] + by_segment[segment[:, None], shown] + by_judge[judge[:, None], shown]
        value = value + rng.normal(0, rest, shown.shape)
        bins = np.floor(value / self.tie_width + rng.random((self.rankings, 1)))
        return _rows(shown, bins, judge, segment)

    def _lucky(self, quality: FloatArray, rng: np.random.Generator) -> tuple[float, int]:
        """A newcomer, of the same kind as the others, that beat one of them: its quality, and whom it beat."""
        while True:
            own, other = rng.normal(0, self.tau), int(rng.integers(1, self.systems))
            bins = np.floor(rng.normal([own, quality[other]], 1.0) / self.tie_width + rng.random())
            if bins[0] > bins[1]:
                return own, other


def _rows(shown: IntArray, bins: FloatArray, judge: IntArray, segment: IntArray) -> pl.DataFrame:
    """Every pair of every ranking, in names."""
    first, second = np.array(list(combinations(range(shown.shape[1]), 2))).T
    repeat = len(first)
    columns = {
        "system_a": shown[:, first].ravel(),
        "system_b": shown[:, second].ravel(),
        "judge": np.repeat(judge, repeat),
        "segment": np.repeat(segment, repeat),
        "ranking": np.repeat(np.arange(len(shown)), repeat),
    }
    frame = pl.DataFrame({name: _named(codes) for name, codes in columns.items()})
    return frame.with_columns(outcome=pl.Series(np.sign(bins[:, first] - bins[:, second]).ravel().astype(np.int8)))


def _named(codes: IntArray) -> pl.Series:
    # Letters first, so that nobody takes names for numbers; four digits, so that they sort as numbers do.
    names = np.array([f"n{code:04d}" for code in range(int(codes.max()) + 1)])
    return pl.Series(names[codes])
