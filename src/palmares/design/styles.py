"""Styles: differences between systems that no order of qualities can express, and how large they are.

A system has a style α, and a segment (or judge) asks for one, τ; both are directions, uniform on a circle. What the
system is then better than its mean quality is s·√12·(½ − x), where x in [0, 1) is how far τ has turned on from α. Its
standard deviation is s, its mean 0 for every system. Of two equal systems the one whose style is d < ½ of a turn ahead
is the better one unless τ lies between the two styles: with probability 1 − d where nothing else varies. So of three
systems a third of a turn apart each is preferred to the one behind it by two thirds (Condorcet's paradox).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import ndtr, ndtri

from ..judgments import FloatArray

_SCALE = 12**0.5


def advantage(system: FloatArray, wanted: FloatArray, effect: float) -> FloatArray:
    """What systems of these styles gain where these are asked for; styles are in turns, from 0 to 1."""
    return np.asarray(effect * _SCALE * (0.5 - (wanted - system) % 1.0))


def preferences(quality: FloatArray, styles: FloatArray, effect: float, spread: float) -> FloatArray:
    """P(i is seen above j), (systems, systems), over all styles that may be asked for; ties and judges apart.

    With d = (αⱼ − αᵢ) mod 1, Δ the difference in quality and c = effect · √12, it is
    (1 − d) Φ((Δ − c d)/(√2 σ)) + d Φ((Δ + c (1 − d))/(√2 σ)).
    """
    gap = quality[:, None] - quality
    behind = (styles[None, :] - styles[:, None]) % 1.0
    c, scale = effect * _SCALE, 2**0.5 * max(spread, 1e-12)
    outside, inside = ndtr((gap - c * behind) / scale), ndtr((gap + c * (1 - behind)) / scale)
    return np.asarray((1 - behind) * outside + behind * inside)


@dataclass(frozen=True)
class Intransitivity:
    """How far preferences are from any order.

    ``cycles`` of ``triples`` have a majority for A over B, B over C and C over A. ``unexplained`` is the share of the
    squares of Φ⁻¹(P) that differences of scores, the best there are, leave over (Jiang et al. 2011).
    """

    cycles: int
    triples: int
    unexplained: float


def intransitivity(preference: FloatArray) -> Intransitivity:
    """Measure P(i is preferred to j), (systems, systems)."""
    n = len(preference)
    beats = preference > 0.5
    triples = list(combinations(range(n), 3))
    cycles = sum(
        bool(beats[i, j] and beats[j, k] and beats[k, i]) or bool(beats[j, i] and beats[k, j] and beats[i, k])
        for i, j, k in triples
    )
    lean = ndtri(np.clip(preference, 1e-12, 1 - 1e-12))
    np.fill_diagonal(lean, 0.0)
    # With every pair weighing the same, the best scores are the means of the rows.
    score = lean.mean(axis=1)
    rest, whole = lean - (score[:, None] - score), float((lean**2).sum())
    return Intransitivity(cycles, len(triples), float((rest**2).sum()) / whole if whole else 0.0)
