"""Many simulated campaigns at once, as counts: who was judged better than whom how often, and no table of judgments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..compute import Execution, RngLike, Stream, generator
from ..errors import InputError
from ..judgments import FloatArray, IntArray, PairCounts
from .screens import drawn
from .simulate import CampaignPlan, SimulatedCampaign, numbered, simulate

#: Wins and ties of this many bytes at most are made by one piece of work.
_PIECE = 32 << 20


@dataclass(frozen=True)
class SimulatedCounts:
    """What many campaigns of one plan came to, and the truth behind each.

    Attributes
    ----------
    looks
        (looks,) Numbers of rankings after which judgments were counted: the first so many of every campaign.
    quality
        (experiments, systems) True mean qualities.
    wins
        (experiments, looks, systems, systems) ``wins[e, l, i, j]``: how often i was judged better than j.
    ties
        The same for ties; symmetric.
    seed
        What all of it was drawn from.
    """

    plan: CampaignPlan
    looks: IntArray
    quality: FloatArray = field(repr=False)
    wins: npt.NDArray[np.int32] = field(repr=False)
    ties: npt.NDArray[np.int32] = field(repr=False)
    seed: int

    def counts(self, look: int = -1) -> PairCounts:
        """The counts of all experiments at one look, as a batch."""
        wins, ties = (np.ascontiguousarray(cube[:, look], dtype=np.float64) for cube in (self.wins, self.ties))
        return PairCounts(tuple(numbered("system", self.plan.systems)), wins, ties, self.plan.lang_pair)

    def campaign(self, experiment: int) -> SimulatedCampaign:
        """The campaign behind one experiment's counts, with its judgments."""
        return simulate(self.plan, rng=generator(self.seed, Stream.SIMULATED_COUNTS, experiment))


def simulate_counts(
    plan: CampaignPlan | None = None,
    experiments: int = 1000,
    *,
    looks: Sequence[int] | None = None,
    rng: RngLike = None,
    execution: Execution | None = None,
) -> SimulatedCounts:
    """Simulate many campaigns of one plan and count who won against whom, without tables of judgments.

    Experiment e depends on the plan, the seed and e alone: it is the same among ten as among ten thousand, whatever the
    looks. Its counts are those of ``simulate``'s judgments (`SimulatedCounts.campaign`).

    Parameters
    ----------
    plan
        The shape of a campaign.
    experiments
        How many campaigns.
    looks
        Increasing numbers of rankings after which to count; all rankings of the plan if None.
    rng
        A seed; None draws one.
    execution
        Where it runs.
    """
    plan = plan or CampaignPlan()
    ends = _checked(plan, experiments, looks)
    execution = Execution.prepared(execution, rng)
    bytes_each = 2 * 4 * len(ends) * plan.systems**2
    size = max(1, min(_PIECE // bytes_each, experiments // (8 * execution.slots)))
    tasks = [(first, min(first + size, experiments)) for first in range(0, experiments, size)]
    quality = np.empty((experiments, plan.systems))
    cubes = np.empty((2, experiments, len(ends), plan.systems, plan.systems), dtype=np.int32)
    pieces = execution.run(_counted, tasks, shared=(plan, ends, execution.seed))
    for (first, last), (qualities, counts) in zip(tasks, pieces, strict=True):
        quality[first:last], cubes[:, first:last] = qualities, counts
    return SimulatedCounts(plan, ends, quality, cubes[0], cubes[1], int(execution.seed or 0))


def _checked(plan: CampaignPlan, experiments: int, looks: Sequence[int] | None) -> IntArray:
    """The looks as an array."""
    if experiments < 1:
        raise InputError(f"experiments: got {experiments}; allowed: at least 1")
    ends = np.array([plan.rankings] if looks is None else looks)
    whole = ends.ndim == 1 and len(ends) > 0 and np.issubdtype(ends.dtype, np.integer)
    if not (whole and ends[0] >= 1 and (np.diff(ends) > 0).all() and ends[-1] <= plan.rankings):
        raise InputError(
            f"looks: got {looks!r}; allowed: increasing numbers of rankings from 1 to the plan's {plan.rankings}"
        )
    return ends.astype(np.int64)


def _counted(
    plan: CampaignPlan, looks: IntArray, seed: int, first: int, last: int
) -> tuple[FloatArray, npt.NDArray[np.int32]]:
    """Qualities and counts (2, experiments, looks, systems, systems) of some experiments."""
    from ..kernels.simulation import count_screens, smallest

    def chosen(numbers: FloatArray, count: int) -> IntArray:
        places = np.empty((len(numbers), count), dtype=np.int64)
        smallest(numbers, count, places)
        return places

    quality = np.empty((last - first, plan.systems))
    counts = np.empty((2, last - first, len(looks), plan.systems, plan.systems), dtype=np.int32)
    for number in range(first, last):
        screens = drawn(plan, generator(seed, Stream.SIMULATED_COUNTS, number), chosen)
        quality[number - first] = screens.quality
        counts[:, number - first] = count_screens(screens.shown, screens.seen, screens.radius, looks, plan.systems)
    return quality, counts
