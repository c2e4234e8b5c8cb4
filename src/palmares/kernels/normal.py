"""Moments of truncated normals, safe far out in the tails.

The corrections v and w of TrueSkill (Herbrich, Minka & Graepel 2007): for a standard normal moved to t and cut to
what the judge saw, v is how far the mean moves and 1 − w what is left of the variance.
"""

from __future__ import annotations

import math

import numpy as np

from .compiling import compiled

_SQRT_HALF = math.sqrt(0.5)
_DENSITY_AT_0 = 1 / math.sqrt(2 * math.pi)
#: Below this the ratio of density and tail is a continued fraction: quotients of tiny numbers lose digits.
_TAIL = -5.0
#: Terms of that fraction; at the border 12 give every digit, further out fewer are needed.
_TERMS = 24
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)


@compiled(error_model="numpy", inline="always")
def density(x: float) -> float:  # pragma: no cover - compiled
    """The standard normal density."""
    return _DENSITY_AT_0 * math.exp(-0.5 * x * x)


@compiled(error_model="numpy", inline="always")
def probability(x: float) -> float:  # pragma: no cover - compiled
    """The standard normal distribution function, with all digits below 0 too."""
    return 0.5 * math.erfc(-_SQRT_HALF * x)


@compiled(error_model="numpy")
def _excess(y: float) -> float:  # pragma: no cover - compiled
    """N(y) / Φ(−y) − y for large y, by Laplace's fraction 1/(y + 2/(y + 3/(y + …)))."""
    rest = y
    for k in range(_TERMS, 1, -1):
        rest = y + k / rest
    return 1 / rest


@compiled(error_model="numpy", inline="always")
def win_moments(t: float, margin: float) -> tuple[float, float]:  # pragma: no cover - compiled
    """v and w when the first won: v = N(t − ε) / Φ(t − ε), w = v (v + t − ε)."""
    x = t - margin
    if x < _TAIL:
        excess = _excess(-x)
        v = excess - x
        return v, v * excess
    v = density(x) / probability(x)
    return v, v * (v + x)


@compiled(error_model="numpy", inline="always")
def tie_moments(t: float, margin: float) -> tuple[float, float]:  # pragma: no cover - compiled
    """v and w of a tie.

    v = (N(a) − N(b)) / (Φ(b) − Φ(a)) and w = v² + (b N(b) − a N(a)) / (Φ(b) − Φ(a)), with a = −ε − t and b = ε − t.
    """
    size = abs(t)
    narrow = margin <= 0.1 and margin * size <= 1
    if margin - size > _TAIL and not narrow:
        # On the negative side both Φ would be near 1 and their difference lose digits.
        v, w = _wide_tie(size, margin)
        return math.copysign(v, -t), w
    if margin < 1e-3 and size < 1:
        # The strip is so narrow that the density in it is a straight line: errors are below 1e-12.
        third = margin * margin / 3
        return t * (third - 1), 1 - third
    v, w = _narrow_tie(size, margin) if narrow else _far_tie(size, margin)
    return math.copysign(v, -t), w


@compiled(error_model="numpy", inline="always")
def _wide_tie(t: float, margin: float) -> tuple[float, float]:  # pragma: no cover - compiled
    """As the formula says; nothing cancels in a strip that is wide and not far out."""
    low, high = -margin - t, margin - t
    at_low, at_high = density(low), density(high)
    inside = probability(high) - probability(low)
    v = (at_low - at_high) / inside
    return v, v * v + (high * at_high - low * at_low) / inside


@compiled(error_model="numpy")
def _narrow_tie(t: float, margin: float) -> tuple[float, float]:  # pragma: no cover - compiled
    """By quadrature about the middle of the strip: the differences of the formula would cancel."""
    mass = first = second = 0.0
    for k in range(8):
        s = margin * _NODES[k]
        weight = _WEIGHTS[k] * math.exp(s * (t - 0.5 * s))
        mass += weight
        first += weight * s
        second += weight * s * s
    mean = first / mass
    return mean - t, 1 - (second / mass - mean * mean)


@compiled(error_model="numpy")
def _far_tie(t: float, margin: float) -> tuple[float, float]:  # pragma: no cover - compiled
    """Everything divided by the density at the near edge, which would underflow."""
    near, far = t - margin, t + margin
    near_excess, far_excess = _excess(near), _excess(far)
    ratio = math.exp(-2 * margin * t)
    inside = 1 / (near + near_excess) - ratio / (far + far_excess)
    v = (ratio - 1) / inside
    # v² − near · … cancels to about 1 − 1/t²; what is left has twelve digits at 40 standard deviations.
    return v, v * v + (ratio * far - near) / inside
