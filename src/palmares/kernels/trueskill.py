"""TrueSkill's updates: one judgment, a sequence of them, the replay of a campaign.

Systems are integer codes; every array is changed in place only where the name of the function says ``play``.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ..judgments import FloatArray
from .compiling import compiled
from .normal import tie_moments, win_moments

#: Up to this σ, exp(±μ) cannot overflow, and weights of opponents are products instead of exponentials.
_SMALL_SIGMA = 10.0


@compiled(error_model="numpy", inline="always")
def play_pair(
    mean: FloatArray, variance: FloatArray, first: int, second: int, tied: bool, noise: float, margin: float
) -> None:  # pragma: no cover - compiled
    """Update two systems, of which the first won unless they tied; ``noise`` is 2β²."""
    c2 = noise + variance[first] + variance[second]
    inverse = 1 / math.sqrt(c2)
    t = (mean[first] - mean[second]) * inverse
    v, w = tie_moments(t, margin * inverse) if tied else win_moments(t, margin * inverse)
    v *= inverse
    w *= inverse * inverse
    mean[first] += variance[first] * v
    mean[second] -= variance[second] * v
    variance[first] *= 1 - variance[first] * w
    variance[second] *= 1 - variance[second] * w


@compiled(error_model="numpy")
def play_sequence(
    mean: FloatArray,
    variance: FloatArray,
    first: npt.NDArray[np.int32],
    second: npt.NDArray[np.int32],
    outcome: npt.NDArray[np.int8],
    beta: float,
    margin: float,
) -> None:  # pragma: no cover - compiled
    """Update by every judgment in turn; outcome +1 (first better), 0 (tie) or −1."""
    noise = 2 * beta * beta
    for k in range(len(first)):
        a, b = first[k], second[k]
        if outcome[k] < 0:
            a, b = b, a
        play_pair(mean, variance, a, b, outcome[k] == 0, noise, margin)


@compiled(error_model="numpy")
def replay(
    wins: FloatArray,
    ties: FloatArray,
    steps: int,
    sigma: float,
    beta: float,
    margin: float,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:  # pragma: no cover - compiled
    """One run of the official WMT procedure; the means and variances it ends with.

    Every step takes the system of highest variance (ties at random), draws an opponent j among those it was compared
    with, with weight exp(−|μ − μ_j|), draws one of their judgments with replacement, and updates.
    """
    n = wins.shape[0]
    won, not_lost, met = _shares(wins, ties)
    mean, variance = np.zeros(n), np.full(n, sigma * sigma)
    up, down = np.ones(n), np.ones(n)  # exp(μ) and exp(−μ)
    weight = np.empty(n)
    noise = 2 * beta * beta
    small = sigma <= _SMALL_SIGMA
    for i in range(n):
        if met[i].sum() == 0:
            variance[i] = -1.0  # never the highest, so never taken
    for _ in range(steps):
        a = _most_uncertain(variance, rng)
        if small:
            for j in range(n):
                weight[j] = met[a, j] * min(up[j] * down[a], up[a] * down[j])
        else:
            for j in range(n):
                weight[j] = met[a, j] * math.exp(-abs(mean[a] - mean[j]))
        b = _drawn(weight, met[a], rng)
        seen = rng.random()
        if seen < won[a, b]:
            play_pair(mean, variance, a, b, False, noise, margin)
        elif seen < not_lost[a, b]:
            play_pair(mean, variance, a, b, True, noise, margin)
        else:
            play_pair(mean, variance, b, a, False, noise, margin)
        if small:
            up[a], up[b] = math.exp(mean[a]), math.exp(mean[b])
            down[a], down[b] = 1 / up[a], 1 / up[b]
    return mean, np.where(variance < 0, sigma * sigma, variance)


@compiled(error_model="numpy")
def _shares(
    wins: FloatArray, ties: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:  # pragma: no cover - compiled
    """Of the judgments of every pair, the share won and the share not lost; and 1 where there are any, else 0."""
    n = wins.shape[0]
    won, not_lost, met = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            count = wins[i, j] + ties[i, j] + wins[j, i]
            if i != j and count > 0:
                won[i, j] = wins[i, j] / count
                # Exactly 1 without a loss, so that rounding cannot make one up.
                not_lost[i, j] = (wins[i, j] + ties[i, j]) / count if wins[j, i] > 0 else 1.0
                met[i, j] = 1.0
    return won, not_lost, met


@compiled(error_model="numpy", inline="always")
def _most_uncertain(variance: FloatArray, rng: np.random.Generator) -> int:  # pragma: no cover - compiled
    """The system of highest variance, one of them at random where several share it."""
    highest = variance[0]
    for v in variance:
        highest = max(highest, v)
    found, alike = 0, 0
    for i in range(len(variance)):  # a second pass without branches is quicker than one that keeps the index
        same = variance[i] == highest
        alike += same
        found = i if same else found
    if alike > 1:
        left = int(rng.random() * alike)
        for i in range(len(variance)):
            if variance[i] == highest:
                found = i
                left -= 1
                if left < 0:
                    break
    return found


@compiled(error_model="numpy", inline="always")
def _drawn(weight: FloatArray, met: FloatArray, rng: np.random.Generator) -> int:  # pragma: no cover - compiled
    """An index drawn in proportion to its weight; the last one allowed where rounding runs past the end."""
    total = 0.0
    for w in weight:
        total += w
    left = rng.random() * total
    found = 0
    for j in range(len(weight)):
        if met[j] > 0:
            found = j
            left -= weight[j]
            if left < 0:
                break
    return found
