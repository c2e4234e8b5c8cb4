"""What to ask next: which systems, on which segment.

A *strategy* says which systems a screen should compare. ``uniform`` and ``balanced`` (``even``) need only how often
everything was chosen so far, and draw from a `Pool` themselves. The others learn: from what is known of the systems
they plan `Choices`, a distribution over sets of systems, from which screens are then drawn without any arithmetic.
`choose` (``drawing``) draws either way, a share of screens uniformly, and knows the probability of what it drew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .choices import Choices
from .drawing import choose
from .pool import Candidate, Choice, Exposure, Pool
from .strategies import STRATEGIES, Strategy

if TYPE_CHECKING:
    from .knowledge import Knowledge

__all__ = ["STRATEGIES", "Candidate", "Choice", "Choices", "Exposure", "Knowledge", "Pool", "Strategy", "choose"]


def __getattr__(name: str) -> Any:
    """Only who fits a model needs what it takes: a web worker does not."""
    if name != "Knowledge":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .knowledge import Knowledge

    return Knowledge
