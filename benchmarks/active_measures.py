"""Shares of uniform's judgments, and intervals of shares and of counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from .active_world import Floats


@dataclass(frozen=True)
class Share:
    """Judgments of a strategy over judgments of another, where both have the same mean number of clusters."""

    share: float
    low: float
    high: float
    target: float
    judgments: float
    reference: float
    runs: int


def crossing(looks: Floats, mean: Floats, target: float) -> float:
    """Judgments at which a mean curve first reaches the target, linearly between looks; nan if never."""
    above = mean >= target
    if not above.any():
        return float("nan")
    k = int(above.argmax())
    if k == 0:
        return float(looks[0])
    before, after = mean[k - 1], mean[k]
    return float(looks[k - 1] + (looks[k] - looks[k - 1]) * (target - before) / (after - before))


def share(
    strategy: tuple[Floats, Floats], reference: tuple[Floats, Floats], target: Floats | None = None,
    *, part: float = 0.6, resamples: int = 2000, fixed: float | None = None,
) -> Share:  # fmt: skip
    """Of curves (looks, clusters (runs, looks)); runs of one number had the same systems and are drawn together.

    Parameters
    ----------
    target
        Clusters (runs,) that the reference is to reach this part of; of the reference's last look if not given.
    fixed
        A target that is not a part of anything.
    """
    (own_looks, own), (ref_looks, ref) = strategy, reference
    runs = min(len(own), len(ref), len(ref) if target is None else len(target))
    own, ref = own[:runs], ref[:runs]
    last = ref[:, -1] if target is None else target[:runs]

    def at(rows: np.ndarray) -> tuple[float, float, float]:
        wanted = part * last[rows].mean() if fixed is None else fixed
        return (
            wanted,
            crossing(own_looks, own[rows].mean(axis=0), wanted),
            crossing(ref_looks, ref[rows].mean(axis=0), wanted),
        )

    rng = np.random.default_rng(0)
    drawn = [at(rng.integers(0, runs, runs)) for _ in range(resamples)]
    shares = np.array([a / b for _, a, b in drawn])
    wanted, a, b = at(np.arange(runs))
    low, high = np.quantile(np.nan_to_num(shares, nan=np.inf), [0.025, 0.975], method="nearest")
    return Share(a / b, float(low), float(high), wanted, a, b, runs)


def wilson(events: int, runs: int, p: float = 0.05) -> tuple[float, float]:
    """The interval of Wilson (1927) for a chance."""
    z2 = norm.isf(p / 2) ** 2
    middle = (events + z2 / 2) / (runs + z2)
    half = np.sqrt(z2) / (runs + z2) * np.sqrt(events * (runs - events) / runs + z2 / 4)
    return float(max(0.0, middle - half)), float(min(1.0, middle + half))


def stacked(rows: Sequence[Sequence[int]]) -> Floats:
    """Curves of several runs; one that ended early is cut to the shortest."""
    shortest = min(len(row) for row in rows)
    return np.array([row[:shortest] for row in rows], dtype=np.float64)
