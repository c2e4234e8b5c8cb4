"""Where a normal difference is cut into win, tie and loss: probabilities, and constants fitted to judgments.

A judge sees a difference N(x, 1) of two systems and calls it a tie within ± g. Two models share this: ``hopkins-may``
and, for its predictions, ``trueskill``. x and g are matrices over pairs of systems, or numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from ..judgments import FloatArray, PairCounts

#: A setting with this value is estimated from the judgments that a model is fitted to.
FIT: Literal["fit"] = "fit"
#: A constant, or `FIT`.
Constant = float | Literal["fit"]
#: Relative size of the last step, and after how many steps the search gives up.
_PRECISION, _STEPS = 1e-12, 200
_ROUNDING = 1e-12


class CutLogs(NamedTuple):
    """Log-probabilities of win, tie and loss, and their slopes in x and in g: arrays (3, …)."""

    logs: FloatArray
    by_apart: FloatArray
    by_cut: FloatArray


class Direction(NamedTuple):
    """How x and g change with one unknown constant."""

    apart: FloatArray | float
    cut: FloatArray | float


def cut_logs(x: FloatArray, g: FloatArray | float) -> CutLogs:
    """The three outcomes of a difference N(x, 1) that is cut at ± g, however far out x lies.

    A tie has the probability Φ(g − x) − Φ(−g − x), symmetric in x.
    """
    from scipy.special import log_ndtr

    near, far = log_ndtr(g - np.abs(x)), log_ndtr(-g - np.abs(x))
    # The width of the interval times the least density in it is a bound that is sharp where digits cancel.
    least = np.log(2 * np.asarray(g)) - (np.abs(x) + g) ** 2 / 2 - math.log(2 * math.pi) / 2
    with np.errstate(divide="ignore"):
        tie = np.maximum(near + np.log(-np.expm1(far - near)), least)
    logs = np.stack([log_ndtr(x - g), tie, log_ndtr(-x - g)])
    high, low = -((x - g) ** 2) / 2, -((x + g) ** 2) / 2
    upper = np.exp(high - logs[:2]) / math.sqrt(2 * math.pi)
    lower = np.exp(low - logs[1:]) / math.sqrt(2 * math.pi)
    return CutLogs(
        logs,
        np.stack([upper[0], lower[0] - upper[1], -lower[1]]),
        np.stack([-upper[0], lower[0] + upper[1], -lower[1]]),
    )


def smoothed(counts: PairCounts) -> FloatArray:
    """Wins, ties and losses of every ordered pair, an array (3, n, n) that holds every judgment once.

    One judgment of each outcome is added, spread evenly over all pairs, as ``adjusted-uniform`` adds them: a tie
    rate of 0, or scores that decide everything, would else lead to a constant at its end.
    """
    # Every judgment is there from both sides, and so counts half.
    table = np.stack([counts.wins, counts.ties, counts.wins.T]) / 2
    return np.asarray(table + 1 / table[0].size)


def fitted_constants(
    counts: PairCounts, base: Direction, directions: Sequence[Direction], start: Sequence[float]
) -> list[float]:
    """The positive constants c of largest likelihood, where x and g are ``base`` + Σ c_k ``directions[k]``.

    Fisher scoring; the log-likelihood is concave in them. A step is halved until it gains and all constants stay
    above 0. What the judgments say nothing about (slopes where all scores are equal) stays at its start.

    Parameters
    ----------
    counts
        Of the judgments; see `smoothed` for what is added.
    base, directions
        What is known of x and g, and how they change with each constant.
    start
        Where the search begins.
    """
    table, unknown = smoothed(counts), np.array(start, dtype=np.float64)
    value, slope, information = _at(table, base, directions, unknown)
    for _ in range(_STEPS):
        ridge = 1e-12 * np.trace(information) * np.eye(len(unknown))
        step = np.linalg.solve(information + ridge, slope)
        while np.abs(step / unknown).max() > _PRECISION:
            # Near the top the gain is below rounding, and the slope still knows the way.
            least = value - _ROUNDING * abs(value)
            if (unknown + step > 0).all() and (tried := _at(table, base, directions, unknown + step))[0] >= least:
                break
            step = step / 2
        else:
            break
        unknown, (value, slope, information) = unknown + step, tried
    return [float(c) for c in unknown]


def _at(
    table: FloatArray, base: Direction, directions: Sequence[Direction], unknown: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Log-likelihood, its slope and the expected information at these constants."""
    shape = table.shape[1:]
    x, g = (
        np.broadcast_to(base[k] + sum(c * way[k] for c, way in zip(unknown, directions, strict=True)), shape)
        for k in (0, 1)
    )
    logs, by_apart, by_cut = cut_logs(x, g)
    slopes = np.stack([by_apart * way.apart + by_cut * way.cut for way in directions])
    weight = table.sum(0) * np.exp(logs)
    information = np.einsum("akij,bkij,kij->ab", slopes, slopes, weight)
    return float((table * logs).sum()), (table * slopes).sum((1, 2, 3)), information
