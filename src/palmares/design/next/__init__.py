"""What to ask next: which systems, on which segment.

A *strategy* says which systems a screen should compare. ``uniform`` and ``balanced`` (``even``) need only how often
everything was chosen so far, and draw from a `Pool` themselves. The others learn: from what is known of the systems
they plan `Choices`, a distribution over sets of systems, from which screens are then drawn without any arithmetic.
`choose` (``drawing``) draws either way, a share of screens uniformly, and knows the probability of what it drew.
"""

from __future__ import annotations

from .choices import Choices
from .drawing import choose
from .pool import Candidate, Choice, Exposure, Pool
from .strategies import STRATEGIES

__all__ = ["STRATEGIES", "Candidate", "Choice", "Choices", "Exposure", "Pool", "choose"]
