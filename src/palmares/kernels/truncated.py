"""Exact draws from a standard normal cut to an interval, however far out.

Rejection only (Robert 1995; Geweke 1991): no inverse of a distribution function, which has no digits left in the
tails. Each proposal is accepted with a probability of at least 0.48, wherever the interval lies.
"""

from __future__ import annotations

import math

import numpy as np

from .compiling import compiled

#: Up to here a folded normal is accepted every other time, and is cheaper than an exponential.
_TAIL = 0.7
#: √(2π): on an interval around 0 that is shorter, a uniform proposal is accepted at least every other time.
_SHORT = 2.5066282746310002


@compiled()
def above(low: float, rng: np.random.Generator) -> float:  # pragma: no cover - compiled
    """A standard normal, given that it is at least ``low``."""
    if low <= 0.0:
        while True:
            x = rng.standard_normal()
            if x >= low:
                return float(x)
    if low <= _TAIL:
        while True:
            x = abs(rng.standard_normal())
            if x >= low:
                return float(x)
    # Robert 1995: a shifted exponential of the rate that is accepted most often.
    rate = 0.5 * (low + math.sqrt(low * low + 4.0))
    while True:
        step = rng.standard_exponential() / rate
        if rng.standard_exponential() >= 0.5 * (low + step - rate) ** 2:
            return float(low + step)


@compiled()
def between(low: float, high: float, rng: np.random.Generator) -> float:  # pragma: no cover - compiled
    """A standard normal, given that it lies from ``low`` to ``high``."""
    if high <= 0.0:
        return float(-_right(-high, -low, rng))
    if low >= 0.0:
        return float(_right(low, high, rng))
    if high - low < _SHORT:
        while True:
            x = low + (high - low) * rng.random()
            if rng.standard_exponential() >= 0.5 * x * x:
                return float(x)
    while True:
        x = rng.standard_normal()
        if low <= x <= high:
            return float(x)


@compiled()
def _right(low: float, high: float, rng: np.random.Generator) -> float:  # pragma: no cover - compiled
    """The same for an interval that does not reach below 0."""
    width = high - low
    if low < _TAIL and width > _SHORT:
        while True:
            x = abs(rng.standard_normal())
            if low <= x <= high:
                return float(x)
    # exp(−x²/2) is exp(−low·step) · exp(−step²/2) up to a constant: propose the first, accept by the second.
    while True:
        step = _cut_exponential(low, width, rng)
        if rng.standard_exponential() >= 0.5 * step * step:
            return float(low + step)


@compiled()
def _cut_exponential(rate: float, width: float, rng: np.random.Generator) -> float:  # pragma: no cover - compiled
    """An exponential of this rate, given that it is at most ``width``."""
    if rate * width < 1e-8:  # as good as uniform, and 0/0 at rate 0
        return float(width * rng.random())
    step = -math.log1p(rng.random() * math.expm1(-rate * width)) / rate
    return float(min(step, width))
