"""Judges and segments at once: how sure scores are, were both to be others another time.

Judgments of one judge share what that judge likes, judgments of one segment share which systems were lucky there. Units
of one kind, drawn together, show one of the two and not the other. So three covariances of the scores are made: by what
one judge said of one segment (*sittings*, which share neither), by segment, by judge. How much larger the variance of
a system is by judge than by sitting is its *design effect*; Kish (1965) writes it 1 + (b − 1) ρ, b being how many
sittings of a judge the system is in, ρ how alike these are. One ρ for all systems is estimated from all of them, and
much more surely than a design effect for each; a system that judges differ about far more than that keeps its own.
The same for segments. Both excesses are added to the covariance by sitting.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from ..judgments import BoolArray, FloatArray, IntArray, PairCounts, UnitKinds, decode_cells
from ..models.base import Model, RowInfluences

#: A system's own design effect counts where it is larger than the others' with this chance of error …
OWN = 0.05
#: … and so many units at least show it, …
LEAST_OWN = 3.0
#: … and says nothing about the others where it is with this one.
_APART = 0.001
#: How many sittings the variance that a model gives, if judgments were independent, counts for: it is the floor of a
#: system with so few that they cannot show how much they vary.
_WORTH = 20.0
_NUMBERS_IN_A_PIECE = 4_000_000
#: Beyond so many operations, units are not left out one by one but by their first-order effect.
_OPERATIONS = 2e10
_MOST_LEFT_OUT = 0.999


@dataclass(frozen=True)
class Grouping:
    """The covariance of scores (systems, systems) that units of one kind show, and how the work is shared among them.

    ``effective[i]`` is how many units of equal size would share the judgments of system i as these do: 1 / Σ share².
    ``units`` is the same of all judgments.
    """

    covariance: FloatArray = field(repr=False)
    effective: FloatArray = field(repr=False)
    units: float

    @classmethod
    def of(cls, covariance: FloatArray, kinds: UnitKinds) -> Grouping:
        """With the shares of units that are known by their kinds."""
        n = len(kinds.systems)
        totals, squares, size, square = np.zeros(n), np.zeros(n), 0.0, 0.0
        for part in _pieces(kinds, max(1, _NUMBERS_IN_A_PIECE // n)):
            amounts = _by_system(part)
            sizes = amounts.sum(axis=1)
            totals += part.copies @ amounts
            squares += part.copies @ amounts**2
            size += float(part.copies @ sizes)
            square += float(part.copies @ sizes**2)
        effective = np.divide(totals**2, squares, out=np.zeros(n), where=squares > 0)
        return cls(covariance, effective, size**2 / square)


@dataclass(frozen=True)
class Uncertainty:
    """How sure scores are: their covariance, the degrees of freedom of its estimate, and the design effects in it.

    ``apart`` are, by unit, the systems about which units of this kind differ clearly more than about the others.
    """

    covariance: FloatArray = field(repr=False)
    df: float
    effects: FloatArray = field(repr=False)
    apart: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def seen_from(self, weights: FloatArray) -> Uncertainty:
        """Of the scores less their mean with these weights."""
        away = np.eye(len(weights)) - weights
        return replace(self, covariance=away @ self.covariance @ away.T)


def jackknife(model: Model, counts: PairCounts, kinds: UnitKinds, seen_from: FloatArray | None = None) -> Grouping:
    """By leaving out one unit at a time (CR3 of MacKinnon & White 1985), for models that tell what that changes.

    Parameters
    ----------
    seen_from
        Weights of a mean that scores are seen from, where they are as the model gives them up to a shift of all.
    """
    n = len(counts.systems)
    total = np.zeros((n, n))
    for part in _pieces(kinds, max(1, _NUMBERS_IN_A_PIECE // n)):
        changes = model.influences(counts, part)
        if seen_from is not None:
            changes = changes - (changes @ seen_from)[:, None]
        total += (changes * part.copies[:, None]).T @ changes
    units = kinds.units
    return Grouping.of(total * (units - 1) / units, kinds)


def row_jackknife(
    rows: RowInfluences, units: IntArray, kinds: UnitKinds, seen_from: FloatArray | None = None
) -> Grouping:
    """The same for models that read rows, by one step: (H − H_g)⁻¹ s_g, where H_g is the unit's own information.

    Where that would take too long, there are so many units that none has much of it, and H stands for H − H_g.

    Parameters
    ----------
    units
        The unit of every row.
    kinds
        The same units, for how the work is shared among them.
    """
    n, (_, unit) = rows.scores.shape[1], np.unique(units, return_inverse=True)
    count = int(unit.max()) + 1
    columns = [np.bincount(unit, column, count) for column in rows.scores.T]
    sums: FloatArray = np.stack(columns, axis=1).astype(np.float64)
    if count * n**3 > _OPERATIONS:
        changes = np.linalg.solve(rows.whole, sums.T).T
    else:
        changes = np.concatenate([
            _left_out(rows, sums, unit, lo, min(lo + step, count))
            for step in [max(1, _NUMBERS_IN_A_PIECE // n**2)]
            for lo in range(0, count, step)
        ])  # fmt: skip
    if seen_from is not None:
        changes = changes - (changes @ seen_from)[:, None]
    return Grouping.of(changes.T @ changes * (count - 1) / count, kinds)


def _left_out(rows: RowInfluences, sums: FloatArray, unit: IntArray, lo: int, hi: int) -> FloatArray:
    """What changes without each unit from ``lo`` to ``hi``."""
    n, inside = rows.scores.shape[1], np.flatnonzero((unit >= lo) & (unit < hi))
    inside = inside[np.argsort(unit[inside], kind="stable")]
    ends = np.searchsorted(unit[inside], np.arange(lo, hi + 1))
    roots = rows.roots(inside)
    pieces = [roots[first:last].reshape(-1, n) for first, last in pairwise(ends.tolist())]
    own = np.stack([piece.T @ piece for piece in pieces])
    # A unit that holds nearly all that is known of a system leaves too little to divide by.
    rest = rows.whole - _MOST_LEFT_OUT * own
    return np.asarray(np.linalg.solve(rest, sums[lo:hi, :, None])[..., 0])


def combined(sitting: Grouping, others: dict[str, Grouping], *, floor: FloatArray | None, p: float) -> Uncertainty:
    """The covariance that allows for judges and segments.

    Parameters
    ----------
    others
        By segment and by judge.
    floor
        Variances that the model gives if all judgments are independent; None if it gives none.
    p
        The level that the t distribution of a system with its own design effect is matched at.
    """
    variance = np.diag(sitting.covariance).copy()
    varies = variance > 0
    base = sitting.covariance + np.diag(lifted(variance, sitting.effective, floor) - variance)
    excess, reach = np.zeros(len(variance)), np.ones(len(variance))
    apart: dict[str, tuple[int, ...]] = {}
    dfs = []
    for name, group in others.items():
        df = max(int(varies.sum()) - 1, 1) * max(group.units - 1, 1.0)
        dfs.append(df)
        effect, own, beyond = _design_effects(variance, sitting, group, varies)
        excess += effect - 1
        apart[name] = tuple(np.flatnonzero(beyond).tolist())
        reach = np.where(own, np.maximum(reach, _reach(group.effective, df, p)), reach)
    stretch = np.sqrt(1 + excess) * reach
    return Uncertainty(stretch[:, None] * base * stretch, min(dfs), 1 + excess, apart)


def lifted(variance: FloatArray, sittings: FloatArray, floor: FloatArray | None) -> FloatArray:
    """Variances, raised towards the model's where there are few sittings: few that agree by chance seem sure.

    Parameters
    ----------
    sittings
        How many there are of each system, or of other units.
    floor
        The model's variances, if all judgments are independent.
    """
    if floor is None:
        return variance
    usable = (variance > 0) & (floor > 0)
    if not usable.any():
        return variance
    # Judgments of one ranking are no independent ones; how much that matters is seen where there are many. That they
    # vary less than independent ones is not believed: it is what few that agree look like.
    alike = max(1.0, (variance[usable] / floor[usable]) @ sittings[usable] / sittings[usable].sum())
    return np.asarray(variance + np.maximum(0.0, alike * floor - variance) * _WORTH / (_WORTH + sittings))


def _design_effects(
    variance: FloatArray, sitting: Grouping, group: Grouping, varies: BoolArray
) -> tuple[FloatArray, BoolArray, BoolArray]:
    """The design effect of every system, whether it is the system's own, and whether clearly so."""
    from scipy.special import fdtrc

    n = len(variance)
    seen = np.divide(np.diag(group.covariance), variance, out=np.ones(n), where=varies)
    times = np.maximum(np.divide(sitting.effective, group.effective, out=np.ones(n), where=varies), 1.0)
    own_df = np.maximum(group.effective - 1, 1.0)

    def alike(among: BoolArray, without: FloatArray | float = 0.0) -> FloatArray:
        """ρ by the systems in ``among``, without one at a time if ``without`` marks them."""
        room = (times[among] - 1).sum() - without * (times - 1)
        more = (seen[among] - 1).sum() - without * (seen - 1)
        return np.asarray(np.clip(np.divide(more, room, out=np.zeros(n), where=room > 1e-12), 0.0, 1.0))

    def chances(among: BoolArray) -> FloatArray:
        """How likely the design effect of each system were as large as it is, had it the ρ of the others."""
        rest = among.sum() - among
        expected = 1 + alike(among, among.astype(np.float64)) * (times - 1)
        chance = fdtrc(own_df, np.maximum(rest, 1) * max(group.units - 1, 1.0), seen / expected)
        return np.where(varies & (rest > 0), chance, 1.0)

    among = varies.copy()
    if varies.sum() > 2:
        while among.sum() > max(2, varies.sum() / 2):
            worst = np.where(among, chances(among), 1.0)
            if worst.min() > _APART:
                break
            among[worst.argmin()] = False
    pooled = 1 + alike(among) * (times - 1)
    own = (chances(among) < OWN) & (seen > pooled) & (varies.sum() > 2) & (group.effective >= LEAST_OWN)
    return np.where(own, seen, pooled), np.asarray(own), np.asarray(own & ~among)


def _reach(effective: FloatArray, df: float, p: float) -> FloatArray:
    """How much further the t distribution of few units reaches than that of all systems together."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.maximum(effective - 1, 1.0), 1 - p / 2) / stdtrit(df, 1 - p / 2))


def units_of_each(kinds: UnitKinds) -> FloatArray:
    """How many units each system is in."""
    parts = _pieces(kinds, max(1, _NUMBERS_IN_A_PIECE // len(kinds.systems)))
    return np.asarray(sum(part.copies @ (_by_system(part) > 0) for part in parts), dtype=np.float64)


def _by_system(kinds: UnitKinds) -> FloatArray:
    """How much of each system is in a unit of each kind: an array (kinds, systems)."""
    n, count = len(kinds.systems), len(kinds.copies)
    a, b, _ = decode_cells(kinds.cells, n)
    row = np.repeat(np.arange(count) * n, np.diff(kinds.starts))
    both = sum(np.bincount(row + side, kinds.amounts, count * n) for side in (a, b))
    return np.asarray(both, dtype=np.float64).reshape(count, n)


def _pieces(kinds: UnitKinds, size: int) -> Iterator[UnitKinds]:
    """The kinds, so many at a time."""
    for lo in range(0, len(kinds.copies), size):
        hi = min(lo + size, len(kinds.copies))
        first, last = kinds.starts[lo], kinds.starts[hi]
        yield UnitKinds(
            kinds.systems,
            kinds.copies[lo:hi],
            kinds.starts[lo : hi + 1] - first,
            kinds.cells[first:last],
            kinds.amounts[first:last],
        )
