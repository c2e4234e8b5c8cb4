"""How far Bradley–Terry's strengths move, by one Newton step, when a unit of judgments is left out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..judgments import BoolArray, FloatArray, IntArray
from .bradley_terry import BOUND, first_derivatives, second_derivatives

#: Work is cut so that no array holds many more numbers than this.
_NUMBERS = 2_000_000
#: Terms of the series, and what the last one may be relative to the first.
_TERMS, _NEGLIGIBLE = 60, 1e-13


class Entries(NamedTuple):
    """What units consist of: entry e belongs to unit ``unit[e]`` and says how often a beat, tied with and lost to b."""

    unit: IntArray
    a: IntArray
    b: IntArray
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray


class _Parts(NamedTuple):
    """The share that every entry has in the gradient and in the information, by θ_a − θ_b and κ."""

    unit: IntArray
    a: IntArray
    b: IntArray
    by_difference: FloatArray
    by_tie: FloatArray
    both: FloatArray
    mixed: FloatArray
    tie: FloatArray

    def of(self, lo: int, hi: int) -> _Parts:
        """The parts of units lo to hi, numbered from 0; entries are sorted by unit."""
        cut = slice(*np.searchsorted(self.unit, [lo, hi]))
        return self.where(cut, self.unit[cut] - lo)

    def where(self, kept: slice | BoolArray, unit: IntArray) -> _Parts:
        """Some entries, with new numbers of their units."""
        columns: tuple[Any, ...] = self[1:]
        return _Parts(unit, *(column[kept] for column in columns))

    def vectors(self, units: int, size: int, by_difference: FloatArray, by_tie: FloatArray) -> FloatArray:
        """One vector of parameters for each unit, from what its entries add."""
        given = np.bincount(self.unit * size + self.a, by_difference, units * size)
        taken = np.bincount(self.unit * size + self.b, by_difference, units * size)
        out = np.asarray(given - taken, dtype=np.float64).reshape(units, size)
        out[:, -1] = np.bincount(self.unit, by_tie, units)
        return out


def moves(kind: int, entries: Entries, x: FloatArray, information: FloatArray) -> FloatArray:
    """Minus (H − H_g)⁻¹ s_g for every unit g: an array (units, parameters).

    s_g and H_g are the unit's shares in the gradient and in the information H at the maximum x. As H⁻¹ Σ (H_g H⁻¹)ᵏ s_g
    it takes no factorisation, and converges quickly, since all H_g add up to no more than H. Where it does not, because
    a unit holds most of what is known of a system, the equations are solved.

    Parameters
    ----------
    kind
        How ties are modelled.
    entries
        What the units consist of, sorted by unit; units are numbered from 0 without gaps.
    x
        The maximum.
    information
        H.
    """
    inverse = np.asarray(np.linalg.inv(information), dtype=np.float64)
    ratio = np.exp((x[entries.a] - x[entries.b]) / 2)
    outcome = (entries.wins, entries.ties, entries.losses)
    first = first_derivatives(kind, ratio, x[-1], *outcome)
    second = second_derivatives(kind, ratio, x[-1], *outcome)
    parts = _Parts(entries.unit, entries.a, entries.b, *first, *second)
    units = int(entries.unit[-1]) + 1
    at_once = max(1, _NUMBERS // len(x))
    pieces = [(lo, min(lo + at_once, units)) for lo in range(0, units, at_once)]
    return np.concatenate([_moves(parts.of(lo, hi), hi - lo, information, inverse) for lo, hi in pieces])


def _moves(parts: _Parts, units: int, information: FloatArray, inverse: FloatArray) -> FloatArray:
    size = len(inverse)
    term = parts.vectors(units, size, parts.by_difference, parts.by_tie)
    total, least = term.copy(), _NEGLIGIBLE * np.abs(term).max(axis=1)
    active, part = np.arange(units), parts
    for _ in range(_TERMS):
        along = term @ inverse
        d, k = along[part.unit, part.a] - along[part.unit, part.b], along[part.unit, -1]
        term = part.vectors(len(active), size, part.both * d + part.mixed * k, part.mixed * d + part.tie * k)
        total[active] += term
        going = np.abs(term).max(axis=1) > least[active]
        if not going.all():
            active, term = active[going], term[going]
            if not len(active):
                break
            number = np.cumsum(going) - 1
            kept = going[part.unit]
            part = part.where(kept, number[part.unit[kept]])
    found = -total @ inverse
    for unit in active.tolist():
        found[unit] = _solved(parts.of(unit, unit + 1), information)
    return np.asarray(found)


def _solved(part: _Parts, information: FloatArray) -> FloatArray:
    """The move when one unit is left out, by the equations themselves; what the rest leaves open stops at a bound."""
    size = len(information)
    a, b, kappa = part.a, part.b, np.full(len(part.a), size - 1)
    own = np.zeros((size, size))
    np.add.at(own, (np.stack([a, b]), np.stack([a, b])), part.both)
    np.add.at(own, (np.stack([a, b]), np.stack([b, a])), -part.both)
    for system, mixed in ((a, part.mixed), (b, -part.mixed)):
        np.add.at(own, (np.stack([system, kappa]), np.stack([kappa, system])), mixed)
    own[-1, -1] += part.tie.sum()
    right = part.vectors(1, size, part.by_difference, part.by_tie)[0]
    try:
        found = np.linalg.solve(information - own, right)
    except np.linalg.LinAlgError:
        found = np.linalg.solve(information - (1 - 1e-9) * own, right)
    return -np.clip(found, -2 * BOUND, 2 * BOUND)
