"""The register of strategies, and what all of them can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ...registry import Entry, Registry

if TYPE_CHECKING:
    import numpy as np

    from .choices import Choices
    from .knowledge import Knowledge


class Strategy(Protocol):
    """Plans screens by what is known. Those that need no answers can also draw from a `Pool` by themselves."""

    def choices(self, knowledge: Knowledge, size: int, number: int, rng: np.random.Generator) -> Choices:
        """``number`` screens of ``size`` systems, planned one after the other: each counts as answered for the next.

        All systems if there are fewer. No screens if the strategy has nothing to prefer.
        """
        ...


STRATEGIES = Registry(
    "strategy",
    {
        "balanced": Entry("palmares.design.next.even:Balanced", "what was chosen least so far, at random among equals"),
        "uniform": Entry("palmares.design.next.even:Uniform", "every segment and every set of outputs alike"),
        "open-boundaries": Entry(
            "palmares.design.next.boundaries:OpenBoundaries",
            "what closes the open boundary between ranks that is cheapest to close",
        ),
        "information": Entry(
            "palmares.design.next.information:Information",
            "what is expected to tell most about all scores (ASAP, Mikhailiuk et al. 2020)",
        ),
        "s14": Entry(
            "palmares.design.next.s14:S14", "the least known system, and others near it (Sakaguchi et al. 2014)"
        ),
        "match-quality": Entry(
            "palmares.design.next.s14:MatchQuality", "the least known system, and others by TrueSkill's match quality"
        ),
        "baseline": Entry("palmares.design.next.baseline:Baseline", "every system against one (Otani et al. 2016)"),
    },
)
