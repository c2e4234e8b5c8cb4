"""What the experiments of Koehn 2012 share: simulated campaigns without ties, and sign tests on many at once.

The paper's σ² can be read in two ways. Its figures need it to be the *standard deviation* of the quality of an output,
which is what `spread` is here; the text calls it a variance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compute import Execution, ExperimentStream, generator
from ..design.simulate import CampaignPlan, numbered
from ..design.simulated_counts import SimulatedCounts, simulate_counts
from ..judgments import FloatArray, IntArray, PairCounts
from .base import Context

#: Systems in a ranking, and the pairwise judgments that come from it.
OUTPUTS = 5
PER_RANKING = 10
#: Campaigns are simulated so many at a time, which bounds memory and is one piece of work.
BLOCK = 50
#: The level of the paper's tests.
P = 0.05

#: Wins, as whole numbers of any kind.
Counts = npt.NDArray[Any]


@dataclass(frozen=True)
class Reading:
    """One way to read the paper: σ² as a standard deviation or a variance, the sign test one- or two-sided."""

    label: str
    sided: int
    variance: bool = False

    def spread(self, sigma: float) -> float:
        """The standard deviation of the quality of an output, from the number that the paper calls σ²."""
        return sqrt(sigma) if self.variance else sigma


#: What the published figures fit (σ² a standard deviation, a one-sided test), the same with an honest test, and the
#: paper's words.
PUBLISHED = Reading("as published", 1)
HONEST = Reading("two-sided", 2)
LITERAL = Reading("σ² a variance, two-sided", 2, variance=True)


def plan(systems: int, spread: float, judgments: int) -> CampaignPlan:
    """A campaign of the paper: five systems a ranking, no ties, nothing that judgments have in common."""
    return CampaignPlan(
        systems=systems, rankings=judgments // PER_RANKING, outputs=OUTPUTS, judges=1, segments=1, spread=spread,
        tie_radius=0.0,
    )  # fmt: skip


@dataclass(frozen=True)
class Case:
    """``count`` campaigns of one kind, looked at after so many pairwise judgments; ``key`` is that of their seeds."""

    systems: int
    spread: float
    judgments: tuple[int, ...]
    count: int
    key: tuple[int, ...]

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """Numbers and sizes of blocks."""
        return [(number, min(BLOCK, self.count - start)) for number, start in enumerate(range(0, self.count, BLOCK))]


def simulated(
    context: Context, reduced: Callable[[SimulatedCounts], FloatArray], cases: Sequence[Case]
) -> list[FloatArray]:
    """What the campaigns of every case are reduced to: an array each, its first axis the campaigns.

    ``reduced`` is a function of a module, and is called where blocks of campaigns are simulated.
    """
    tasks = [(case, *block) for case in cases for block in case.blocks]
    parts = iter(context.run(_block, tasks, reduced, context.seed))
    return [np.concatenate([next(parts) for _ in case.blocks]) for case in cases]


def _block(
    reduced: Callable[[SimulatedCounts], FloatArray], seed: int, case: Case, number: int, count: int
) -> FloatArray:
    looks = [size // PER_RANKING for size in case.judgments]
    rng = generator(seed, ExperimentStream.SIMULATED_COUNTS, *case.key, number)
    shape = plan(case.systems, case.spread, case.judgments[-1])
    return reduced(simulate_counts(shape, count, looks=looks, rng=rng, execution=Execution("serial", 1)))


def shares(counts: SimulatedCounts) -> FloatArray:
    """The share of pairs told apart by a one- and by a two-sided test: an array (campaigns, looks, 2)."""
    return np.stack([separated(counts.wins, sided) for sided in (1, 2)], axis=-1)


def critical(decided: IntArray, level: float) -> IntArray:
    """The most losses with which a system is better at a level, of so many decided comparisons; −1 if none is."""
    from scipy.special import bdtr
    from scipy.stats import binom

    sizes, where = np.unique(decided, return_inverse=True)
    most = np.maximum(binom.ppf(level, sizes, 0.5), 0.0)
    # The quantile is the first number of losses that reaches the level, most often by passing it.
    most -= bdtr(most, sizes, 0.5) > level
    return np.where(sizes > 0, most, -1).astype(np.int64)[where].reshape(decided.shape)


def separated(wins: Counts, sided: int, *, p: float = P) -> FloatArray:
    """The share of pairs of systems that sign tests tell apart, of counts (…, systems, systems).

    With ``sided`` 1 a pair is told apart if either system is better by a one-sided test, so at twice the level.
    """
    first, second = np.triu_indices(wins.shape[-1], 1)
    won, lost = wins[..., first, second], wins[..., second, first]
    most = critical((won + lost).astype(np.int64), p / sided)
    return np.asarray((np.minimum(won, lost) <= most).mean(axis=-1))


def batch_of(wins: Counts) -> PairCounts:
    """Counts without ties, as models score them."""
    numbers = np.ascontiguousarray(wins, dtype=np.float64)
    return PairCounts(tuple(numbered("system", wins.shape[-1])), numbers, np.zeros_like(numbers))


def thousands(judgments: int) -> str:
    """A place on an axis of judgments."""
    return f"{judgments // 1000}k"


def error_of(values: FloatArray) -> float | None:
    """The standard error of a mean over campaigns."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None
