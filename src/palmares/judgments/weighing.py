"""What the pairs of a ranking weigh: m outputs give m(m − 1)/2 pairs, which are not as many independent facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, get_args

import numpy as np

from .arrays import CodeArray, FloatArray, IntArray

Weighing = Literal["ranking", "van-elteren"]
WEIGHINGS: tuple[Weighing, ...] = get_args(Weighing)

#: The weight of a pair of a ranking of m systems. ``ranking``: 1/(m − 1), so that rankings count by their number of
#: outputs. ``van-elteren``: 3/(m + 1), which gives the least error where systems are close and nothing but chance makes
#: judges differ (van Elteren 1960, for sums of ranks in strata of different size). Both are 1 for a ranking of two.
PAIR_WEIGHTS: Mapping[Weighing, Callable[[FloatArray], FloatArray]] = {
    "ranking": lambda m: 1 / (m - 1),
    "van-elteren": lambda m: 3 / (m + 1),
}
#: The same in words.
FORMULAS: Mapping[Weighing, str] = {"ranking": "1/(m - 1)", "van-elteren": "3/(m + 1)"}


def ranking_sizes(ranking: IntArray, sides: tuple[CodeArray, CodeArray], systems: int) -> IntArray:
    """For every judgment, how many systems occur in its ranking, whether or not all of their pairs do."""
    seen = np.unique(np.concatenate([ranking * systems + side for side in sides]))
    return np.bincount(seen // systems)[ranking]
