"""Residual points: what a system got beyond what its strength explains.

A win is worth one point, a tie half a point to both. The residual points of a system in a ranking are its points
less those that the fitted Bradley–Terry model expects. Where nothing but chance is at work they do not depend on who
judged, or when, and so the labels of rankings can be exchanged: the tests of judges and of drift are permutation tests
on sums of residual points.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ...judgments import Judgments
from ...judgments.counts import FloatArray

IntArray = npt.NDArray[np.int64]

#: Directions in which residual points hardly vary carry no information.
_FLAT = 1e-9


@dataclass(frozen=True)
class Points:
    """Residual points by unit and system, as parallel arrays: only the systems that a unit compares have an entry."""

    units: int
    systems: int
    unit: IntArray = field(repr=False)
    system: IntArray = field(repr=False)
    value: FloatArray = field(repr=False)
    #: Comparisons of the system in the unit.
    amount: FloatArray = field(repr=False)

    def keep(self, wanted: npt.NDArray[np.bool_]) -> Points:
        """Some of the units only, numbered anew in the same order."""
        number = np.cumsum(wanted) - 1
        inside = wanted[self.unit]
        unit = number[self.unit[inside]]
        entries = (unit, self.system[inside], self.value[inside], self.amount[inside])
        return Points(int(wanted.sum()), self.systems, *entries)

    def totals(self, label: IntArray, labels: int) -> FloatArray:
        """Sums by the label of the unit: an array (labels, systems)."""
        return self._sums(label, labels, self.value)

    def amounts(self, label: IntArray, labels: int) -> FloatArray:
        """Comparisons by the label of the unit: an array (labels, systems)."""
        return self._sums(label, labels, self.amount)

    def products(self, weight: FloatArray) -> FloatArray:
        """Σ weight · g gᵀ over the units' vectors g."""
        from scipy.sparse import csr_array

        g = csr_array((self.value, (self.unit, self.system)), shape=(self.units, self.systems))
        weighted = csr_array((self.value * weight[self.unit], (self.unit, self.system)), shape=g.shape)
        return np.asarray((g.T @ weighted).todense())

    def _sums(self, label: IntArray, labels: int, values: FloatArray) -> FloatArray:
        key = label[self.unit] * self.systems + self.system
        sums = np.bincount(key, values, minlength=labels * self.systems).astype(np.float64)
        return sums.reshape(labels, self.systems)


def residual_points(judgments: Judgments, units: IntArray, outcomes: FloatArray) -> Points:
    """The residual points of every unit, given what a fit expects of every two systems."""
    a, b = judgments.codes("system_a").astype(np.int64), judgments.codes("system_b").astype(np.int64)
    weight = np.ones(len(a)) if judgments.weights is None else judgments.weights
    expected = outcomes[a, b, 0] + outcomes[a, b, 1] / 2
    extra = weight * ((1 + judgments.codes("outcome")) / 2 - expected)
    n = len(judgments.systems)
    key, entry = np.unique(np.concatenate([units * n + a, units * n + b]), return_inverse=True)
    value = np.bincount(entry, np.concatenate([extra, -extra])).astype(np.float64)
    amount = np.bincount(entry, np.concatenate([weight, weight])).astype(np.float64)
    return Points(int(units.max()) + 1, n, key // n, key % n, value, amount)


def whitening(covariance: FloatArray) -> FloatArray:
    """W with W Wᵀ the pseudo-inverse: an array (systems, rank)."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > _FLAT * max(values.max(initial=0.0), 1e-300)
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))


def tail(observed: float | FloatArray, simulated: FloatArray) -> FloatArray:
    """(1 + how many simulated values are at least the observed one) / (1 + how many there are)."""
    # A little below, because sums of the same numbers in another order differ in their last bits.
    bound = np.atleast_1d(np.asarray(observed, dtype=np.float64))
    bound = bound - 1e-9 * np.abs(bound)
    below = np.searchsorted(np.sort(simulated), bound, side="left")
    return np.asarray((1 + len(simulated) - below) / (1 + len(simulated)))
