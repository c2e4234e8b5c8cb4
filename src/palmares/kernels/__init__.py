"""Inner loops: pure functions on arrays, and nothing else.

The only room that imports numba, in one module, `compiling`. A kernel that is compiled is imported inside the function
of a model that needs it, so that nobody waits for a compiler without need; the default model has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Kernel:
    """Something to compile: the models that call it, with the settings under which they do, and how long it takes.

    What no model calls serves a ``task``. The seconds are those of two cores of 2026 with nothing compiled before, the
    start of the compiler included.
    """

    models: tuple[str, ...]
    seconds: int
    task: str = ""

    @property
    def name(self) -> str:
        return self.task or " and ".join(self.models)

    def serves(self, model_id: str) -> bool:
        """Whether a model calls it, under some settings."""
        return any(model.partition(":")[0] == model_id for model in self.models)


#: All functions that models and designs call and that are compiled, by module and name.
KERNELS: Mapping[str, Kernel] = {
    "hopkins_may.sample": Kernel(("hopkins-may",), 6),
    "hopkins_may.project": Kernel(("hopkins-may:sampler=projection",), 2),
    "irt_categorical.sweep": Kernel(("irt-categorical",), 2),
    "trueskill.replay": Kernel(("trueskill",), 3),
    "trueskill.play_sequence": Kernel(("trueskill:mode=sequence", "trueskill:mode=shuffled"), 1),
    "trueskill_ep.propagate": Kernel(("trueskill:mode=batch",), 3),
    "trueskill_ep.play_rankings": Kernel(("trueskill:mode=rankings",), 6),
    "playoffs.mean_finishing_places": Kernel(("monte-carlo-playoffs",), 1),
    "linear_order.optimal_orders": Kernel(("lopez", "most-probable-ranking"), 2),
    "claiming.claimed_along": Kernel((), 6, "forecasts"),
    "rank_ranges.drawn_ranges": Kernel((), 2, "plans"),
    "simulation.smallest": Kernel((), 2, "simulated counts (screens)"),
    "simulation.count_screens": Kernel((), 3, "simulated counts"),
    "resampled.sums": Kernel((), 1, "resampled sums"),
    "resampled.counted": Kernel((), 1, "resampled counts"),
    "resampled.weighted_by_place": Kernel((), 1, "DeltaAvg"),
    "resampled.spearman": Kernel((), 1, "Spearman's correlation"),
    "edit_distance.cder": Kernel((), 1, "CDER"),
}
