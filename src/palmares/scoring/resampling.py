"""The bootstrap of everything that is scored segment by segment: what is drawn together, and values of every sample.

All measures of all systems are taken on the same samples, so that differences between systems are paired. Samples are
drawn in blocks of `BLOCK`, each with a generator made from the seed and its number alone: the same seed gives the same
numbers however the blocks are spread over cores and machines.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ..compute import Execution, Stream, generator
from ..errors import InputError
from ..judgments import FEW_UNITS, LEAST_UNITS, FloatArray, IntArray
from ..ranking.bootstrap import ENOUGH_UNITS
from ..results import counted

#: Samples that share a generator. Part of every published result, so it never changes.
BLOCK = 256
_PIECES_PER_WORKER = 8
_SHORT = 2**16


@dataclass(frozen=True)
class Units:
    """What is drawn together in a bootstrap sample: segments, documents, queries.

    ``codes`` has the number of every item's unit, from 0; ``word`` is what one unit is called.
    """

    word: str
    codes: IntArray = field(repr=False)
    count: int

    @classmethod
    def single(cls, items: int, word: str) -> Units:
        """Every item by itself."""
        return cls(word, np.arange(items), items)

    @classmethod
    def named(cls, names: Sequence[Hashable], word: str) -> Units:
        """Items of one name together."""
        numbers: dict[Hashable, int] = {}
        codes = [numbers.setdefault(name, len(numbers)) for name in names]
        return cls(word, np.array(codes, dtype=np.int64), len(numbers))

    def check(self) -> None:
        """Refuse to draw from next to nothing."""
        if self.count < LEAST_UNITS:
            raise InputError(
                f"got {counted(self.count, self.word)}; a bootstrap needs at least {LEAST_UNITS} to draw from; "
                "give more, or ask for no intervals with --resamples 0"
            )

    def notes(self) -> tuple[str, ...]:
        """A word on few units."""
        if self.count >= FEW_UNITS:
            return ()
        return (
            f"only {counted(self.count, self.word)} to draw from; intervals and tests are widened for that "
            f"(t distribution with {self.count - 1} degrees of freedom)",
        )


class Statistic(Protocol):
    """A measure of several systems, in a form that can be taken on bootstrap samples. It must be picklable."""

    def full(self) -> FloatArray:
        """Its values on the items as they are, one per system."""
        ...

    def of_samples(self, samples: Samples) -> FloatArray:
        """Its values in every sample: an array (samples, systems)."""
        ...


@dataclass(frozen=True)
class Samples:
    """Some bootstrap samples of items: which units were drawn, and what the units are."""

    picks: IntArray = field(repr=False)
    units: Units

    @property
    def counts(self) -> IntArray:
        """How often every item is in each sample: an array (samples, items)."""
        from ..kernels.resampled import counted

        return counted(self.picks, self.units.codes, self.units.count)


@dataclass(frozen=True)
class Sums:
    """A measure that is a function of sums over items: a mean, a ratio, BLEU.

    ``rows`` (items, columns) are added up; ``value`` takes sums (samples, columns) to values (samples, systems), and
    must be picklable.
    """

    rows: FloatArray = field(repr=False)
    value: Callable[[FloatArray], FloatArray]

    def full(self) -> FloatArray:
        return np.asarray(self.value(self.rows.sum(axis=0)[None])[0])

    def of_samples(self, samples: Samples) -> FloatArray:
        from ..kernels.resampled import sums

        units = samples.units
        rows = np.ascontiguousarray(self.rows, dtype=np.float64)
        if units.count < len(rows):
            whole = np.zeros((units.count, rows.shape[1]))
            np.add.at(whole, units.codes, rows)
            rows = whole
        return np.asarray(self.value(sums(samples.picks, rows)))


def resampled(
    statistics: Mapping[str, Statistic], units: Units, *, resamples: int, execution: Execution
) -> dict[str, FloatArray]:
    """The values of every statistic in ``resamples`` bootstrap samples: arrays (samples, systems).

    Of few units samples vary too little: their variance is too small by (G − 1) / G, and was estimated with G − 1
    degrees of freedom. They are stretched around their mean by as much.
    """
    units.check()
    blocks = -(-resamples // BLOCK)
    step = max(1, -(-blocks // (_PIECES_PER_WORKER * execution.slots)))
    pieces = [(lo, min(lo + step, blocks)) for lo in range(0, blocks, step)]
    parts = execution.run(_blocks, pieces, shared=(dict(statistics), units, execution.seed, resamples))
    samples = {name: np.concatenate([part[name] for part in parts]) for name in statistics}
    if units.count >= ENOUGH_UNITS:
        return samples
    return {name: _stretched(values, units.count, execution) for name, values in samples.items()}


def _blocks(
    statistics: Mapping[str, Statistic], units: Units, seed: int, resamples: int, lo: int, hi: int
) -> dict[str, FloatArray]:
    parts: dict[str, list[FloatArray]] = {name: [] for name in statistics}
    for block in range(lo, hi):
        size = min(BLOCK, resamples - block * BLOCK)
        kind = np.uint16 if units.count <= _SHORT else np.uint32  # drawn twice as fast
        picks = generator(seed, Stream.SCORED_SEGMENTS, block).integers(0, units.count, (size, units.count), kind)
        samples = Samples(picks, units)
        for name, statistic in statistics.items():
            parts[name].append(statistic.of_samples(samples))
    return {name: np.concatenate(values) for name, values in parts.items()}


def _stretched(samples: FloatArray, units: int, execution: Execution) -> FloatArray:
    """As wide as a t distribution makes them; the same factor for all systems of a sample, which are paired."""
    df = units - 1
    rng = execution.generator(Stream.FEW_UNITS)
    factor = np.sqrt(units / df) * np.sqrt(df / rng.chisquare(df, len(samples)))[:, None]
    defined = np.isfinite(samples).sum(axis=0)  # none for a measure that a system has no value of
    mean = np.nansum(samples, axis=0) / np.maximum(defined, 1)
    return np.asarray(mean + (samples - mean) * factor)
