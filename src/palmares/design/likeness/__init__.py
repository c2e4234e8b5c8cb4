"""A plan whose simulated campaigns are like a real one: `plan_like`.

`features` measures a campaign, real or simulated, alike; `fitting` looks for the plan whose campaigns measure the same;
`result` is what comes of it.
"""

from __future__ import annotations

from .fitting import plan_like
from .result import LikePlan

__all__ = ["LikePlan", "plan_like"]
