"""κ from sums of tallies, and its interval from a bootstrap over segments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import compute
from ...compute import generator
from ...judgments.counts import FloatArray
from ...ranking.ranges import least_samples, middle

#: A piece of work holds at most about this many numbers, which bounds memory.
_NUMBERS_IN_A_PIECE = 4_000_000
#: So many columns are resampled at a time.
_COLUMNS = 4096

#: The upper ends of Landis & Koch's (1977) bands; below 0 is "poor".
_BANDS = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"), (1.0, "almost perfect"))


@dataclass(frozen=True)
class Kappa:
    """Pairs of judgments compared and agreed on, and κ; None where it is not defined."""

    pairs: int
    agreed: int
    observed: float | None
    expected: float | None
    kappa: float | None
    interval: tuple[float, float] | None = None

    @property
    def band(self) -> str | None:
        """What Landis & Koch (1977) call such a κ."""
        return None if self.kappa is None else band(self.kappa)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "kappa": self.kappa,
            "interval": list(self.interval) if self.interval else None,
            "band": self.band,
            "observed": self.observed,
            "expected": self.expected,
            "agreed": self.agreed,
            "pairs": self.pairs,
        }


@dataclass(frozen=True)
class Sums:
    """Tallies of every segment: arrays (segments, columns), one column a κ, sparse or not.

    ``ties`` of ``total`` judgments give the chance of agreeing; they have one column for each κ, or one for all.
    """

    pairs: Any = field(repr=False)
    agreed: Any = field(repr=False)
    ties: FloatArray = field(repr=False)
    total: FloatArray = field(repr=False)

    def weighted(self, weight: FloatArray) -> FloatArray:
        """κ of samples given as how often each segment is in them: one row a sample."""
        pairs, agreed = weight @ self.pairs, weight @ self.agreed
        return kappa(pairs, agreed, weight @ self.ties, weight @ self.total)

    def columns(self, lo: int, hi: int) -> Sums:
        """Some of the κs; chance is cut too, unless they all have it in common."""
        own = self.ties.shape[1] > 1
        ties, total = (x[:, lo:hi] if own else x for x in (self.ties, self.total))
        return Sums(self.pairs[:, lo:hi], self.agreed[:, lo:hi], ties, total)


def band(value: float) -> str:
    """Landis & Koch's word for a κ."""
    if value < 0:
        return "poor"
    return next((name for end, name in _BANDS if value <= end), _BANDS[-1][1])


def chance(ties: Any, total: Any) -> Any:
    """P(E) = P(<)² + P(=)² + P(>)², where P(<) = P(>) because either system of a pair may be named first."""
    with np.errstate(invalid="ignore", divide="ignore"):
        tied = np.divide(ties, total)
    return tied**2 + (1 - tied) ** 2 / 2


def kappa(pairs: FloatArray, agreed: FloatArray, ties: FloatArray, total: FloatArray) -> FloatArray:
    """(P(A) − P(E)) / (1 − P(E)); NaN where nothing was compared or chance alone gives agreement."""
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = chance(ties, total)
        value = (agreed / pairs - expected) / (1 - expected)
    return np.where(np.isfinite(value), value, np.nan)


def measured(pairs: int, agreed: int, ties: int, total: int, span: tuple[float, float] | None = None) -> Kappa:
    """κ of one set of pairs."""
    observed = agreed / pairs if pairs else None
    expected = float(chance(ties, total)) if total else None
    if observed is None or expected is None or expected >= 1:
        return Kappa(pairs, agreed, observed, expected, None)
    return Kappa(pairs, agreed, observed, expected, (observed - expected) / (1 - expected), span)


def kappa_intervals(
    sums: Sums,
    *,
    resamples: int,
    p: float,
    seed: int,
    executor: compute.ExecutorLike = None,
    workers: int | None = None,
    progress: compute.Progress | None = None,
) -> list[tuple[float, float] | None]:
    """The interval of every κ when segments are drawn with replacement.

    Replicate r draws from its own generator, and all κs see the same draws. Of the B values of a κ the ⌈Bp/2⌉
    smallest and largest are dropped.
    """
    middle(np.zeros((resamples, 1)), p=p)  # refuses what it cannot do before the work begins
    segments, columns = sums.pairs.shape
    step = max(1, min(-(-resamples // (4 * compute.slots(executor, workers))), _NUMBERS_IN_A_PIECE // segments))
    blocks = range(0, columns, _COLUMNS)
    pieces = [(first, min(first + step, resamples)) for first in range(0, resamples, step)]
    tasks = [(lo, first, last) for lo in blocks for first, last in pieces]
    where: dict[str, Any] = {"executor": executor, "workers": workers, "progress": progress}
    parts = compute.run(_resample, tasks, shared=(sums, seed), **where)
    spans: list[tuple[float, float] | None] = []
    for number in range(len(blocks)):
        spans += _spans(np.concatenate(parts[number * len(pieces) : (number + 1) * len(pieces)]), p)
    return spans


def _resample(sums: Sums, seed: int, lo: int, first: int, last: int) -> FloatArray:
    """κs from column ``lo`` on, in samples ``first`` to ``last``."""
    segments = sums.pairs.shape[0]
    weights = [_draw(generator(seed, 1, r), segments) for r in range(first, last)]
    return sums.columns(lo, lo + _COLUMNS).weighted(np.stack(weights))


def _draw(rng: np.random.Generator, segments: int) -> npt.NDArray[np.float64]:
    """How often each segment is in one bootstrap sample."""
    return np.bincount(rng.integers(0, segments, segments), minlength=segments).astype(np.float64)


def _spans(values: FloatArray, p: float) -> list[tuple[float, float] | None]:
    """The middle of each column; none where κ could not be computed in more than the share p of the samples."""
    found: list[tuple[float, float] | None] = []
    for column in values.T:
        defined = column[~np.isnan(column)]
        if len(defined) < max((1 - p) * len(column), least_samples(p)):
            found.append(None)
            continue
        ((low, high),) = middle(defined[:, None], p=p)
        found.append((float(low), float(high)))
    return found
