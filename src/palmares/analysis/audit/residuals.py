"""Residual points: what a system got beyond what its strength explains; by block, and by judge.

A win is worth one point, a tie half a point to both. The residual points of a system in a ranking are its points
less those that the fitted Bradley–Terry model expects. Where nothing but chance is at work they do not depend on who
judged, or when, and so the labels of rankings can be exchanged: the tests of judges and of drift are permutation tests
on sums of residual points.

What is exchanged is a *block*: all that one judge said of one segment. Judgments of one segment are alike, whoever
makes them, because they look at the same outputs. Where a judge saw a segment several times, exchanging single rankings
would take that likeness for a property of the judge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ...compute import Execution, Stream, generator
from ...judgments import BoolArray, FloatArray, IntArray, Judgments

#: Label permutations of every permutation test.
PERMUTATIONS = 999
#: Further permutations, to which faults are added to see how likely they are found.
POWER_DRAWS = 200
#: Judges with fewer blocks say too little of themselves to be tested.
LEAST_BLOCKS = 5
#: Directions in which residual points hardly vary hold no information.
_FLAT = 1e-9
#: Residual points that vary less than this do so by rounding alone.
_NOTHING = 1e-12
#: Sizes of blocks in one class differ by less than this factor.
_CLASS = 1.25
_PIECE = 50


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

    def keep(self, wanted: BoolArray) -> Points:
        """Some of the units only, numbered anew in the same order."""
        inside = wanted[self.unit]
        return Points(
            units=int(wanted.sum()),
            systems=self.systems,
            unit=(np.cumsum(wanted) - 1)[self.unit[inside]],
            system=self.system[inside],
            value=self.value[inside],
            amount=self.amount[inside],
        )

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
    return Points(
        units=int(units.max()) + 1,
        systems=n,
        unit=key // n,
        system=key % n,
        value=np.bincount(entry, np.concatenate([extra, -extra])).astype(np.float64),
        amount=np.bincount(entry, np.concatenate([weight, weight])).astype(np.float64),
    )


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


def critical(simulated: FloatArray, level: float) -> float:
    """What a statistic must exceed so that its tail among simulated values is at most a level; infinite if none is."""
    rank = int(np.floor(level * (1 + len(simulated)) + 1e-9))
    return float(np.sort(simulated)[-rank]) if rank >= 1 else np.inf


def permutation_pieces() -> list[tuple[int, int]]:
    """The permutations cut into pieces of work."""
    return [(lo, min(lo + _PIECE, PERMUTATIONS)) for lo in range(0, PERMUTATIONS, _PIECE)]


# -- blocks -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Blocks:
    """Units of one judge on one segment; a unit whose segment is unknown is a block of its own.

    Attributes
    ----------
    of_unit
        The block of every unit.
    judge
        The code of every block's judge; −1 where it has none.
    segment
        The code of every block's segment; one of its own where it is unknown.
    sizes
        How many units every block holds.
    name
        What a reader calls a block: a segment, or a unit where segments are not known.
    """

    of_unit: IntArray = field(repr=False)
    judge: IntArray = field(repr=False)
    segment: IntArray = field(repr=False)
    sizes: IntArray = field(repr=False)
    name: str

    @property
    def classes(self) -> IntArray:
        """Blocks of similar size: large ones vary more, so only blocks of a class can be exchanged."""
        return np.unique(np.floor(np.log(self.sizes) / np.log(_CLASS)), return_inverse=True)[1].astype(np.int64)


def blocks(judge: IntArray, segment: IntArray, judgments: Judgments, unit_name: str) -> Blocks:
    """The blocks of units, given the judge and the segment of each, and what a unit is called."""
    # One segment for all of the judgments says no more than none.
    known = (segment >= 0) & (len(judgments.segments) > 1)
    alone = len(judgments.segments) + np.arange(len(segment))
    place = np.where(known, segment, alone)
    key = (judge + 1) * (len(judgments.segments) + len(segment)) + place
    _, first, code = np.unique(key, return_index=True, return_inverse=True)
    # Numbered by their first unit, so that a block that is one unit keeps its place.
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first, kind="stable")] = np.arange(len(first))
    of_unit = order[code]
    first = np.sort(first)
    name = "segment" if known.any() else unit_name
    return Blocks(of_unit, judge[first], place[first], np.bincount(of_unit), name)


# -- judges -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JudgeSums:
    """Residual points by judge, and what exchanging the judges of blocks makes of them.

    ``sums[j]`` are the residual points D_j that judge j gave each system, less those of as many blocks of the same
    sizes on average. Were the judges of blocks of one class c of sizes exchanged at random, D_j would have mean 0 and
    covariance Σ_c m_jc (1 − m_jc / R_c) S_c, with S_c the covariance of the residual points of such a block. S is
    that of all classes together, ``lengths[j]`` is D_jᵀ S⁺ D_j, and ``scale[j]`` its mean over the rank of S: with
    one class, m_j (1 − m_j / R).
    """

    judges: IntArray
    points: Points = field(repr=False)
    label: IntArray = field(repr=False)
    #: The class of every block.
    classes: IntArray = field(repr=False)
    #: How many units each judge judged.
    units: FloatArray = field(repr=False)
    expected: FloatArray = field(repr=False)
    sums: FloatArray = field(repr=False)
    amounts: FloatArray = field(repr=False)
    covariance: FloatArray = field(repr=False)
    white: FloatArray = field(repr=False)
    scale: FloatArray = field(repr=False)

    @property
    def lengths(self) -> FloatArray:
        return lengths(self.sums, self.white)

    @property
    def statistic(self) -> FloatArray:
        """How far every judge departs: D_jᵀ S⁺ D_j in units of what chance makes it."""
        return per_scale(self.lengths, self.scale)

    def exchanged(self, execution: Execution) -> FloatArray:
        """For every permutation of the judges of blocks: Σ DᵀS⁺D, and the largest DᵀS⁺D over its scale."""
        return np.concatenate(execution.run(_exchange, permutation_pieces(), shared=(self, execution.seed)))

    def alike(self, execution: Execution) -> FloatArray:
        """Sums of judges who are alike, whitened: an array (draws, judges, rank) from further permutations."""
        assert execution.seed is not None  # `prepared` gave it one
        labels = exchanged_labels(self, execution.seed, PERMUTATIONS, PERMUTATIONS + POWER_DRAWS)
        return np.stack(
            [(self.points.totals(label, len(self.judges)) - self.expected) @ self.white for label in labels]
        )


def judge_sums(judgments: Judgments, blocks: Blocks, points: Points) -> JudgeSums | str:
    """Residual points of the judges with enough blocks, given those of every block; or why they cannot be compared."""
    if not judgments.has("judge"):
        return "the judgments do not say who judged"
    judge, total = blocks.judge, len(judgments.judges)
    busy = np.bincount(judge[judge >= 0], minlength=total) >= LEAST_BLOCKS
    if busy.sum() < 2:
        return f"fewer than two judges have {LEAST_BLOCKS} {blocks.name}s or more"
    used = np.append(busy, False)[judge]
    points, label = points.keep(used), (np.cumsum(busy) - 1)[judge[used]]
    classes, judges = np.unique(blocks.classes[used], return_inverse=True)[1], np.flatnonzero(busy)
    shares = _shares(label, classes)
    means = points.totals(classes, shares.shape[1]) / shares.sum(axis=0)[:, None]
    expected = shares @ means
    covariances = _covariances(points, classes, means)
    free = np.maximum(np.bincount(classes) - 1.0, 0.0)
    covariance = np.asarray(np.tensordot(free, covariances, 1) / max(free.sum(), 1.0))
    if not np.trace(covariance) > _NOTHING:
        return "no judgment differs from what the fit expects, as when all are ties"
    white = whitening(covariance)
    return JudgeSums(
        judges=judges,
        points=points,
        label=label,
        classes=classes,
        units=np.bincount(label, blocks.sizes[used]).astype(np.float64),
        expected=expected,
        sums=points.totals(label, len(judges)) - expected,
        amounts=points.amounts(label, len(judges)),
        covariance=covariance,
        white=white,
        scale=(shares * (1 - shares / shares.sum(axis=0))) @ _relative(covariances, white),
    )


def lengths(sums: FloatArray, white: FloatArray) -> FloatArray:
    """DᵀS⁺D of every row."""
    return np.asarray(((sums @ white) ** 2).sum(axis=1))


def per_scale(squares: FloatArray, scale: FloatArray) -> FloatArray:
    """0 for a judge who alone judged blocks of their size, and so cannot be compared."""
    return np.asarray(np.divide(squares, scale, out=np.zeros_like(squares), where=scale > 1e-9))


def _shares(label: IntArray, classes: IntArray) -> FloatArray:
    """m: how many blocks of every class each judge judged, an array (judges, classes)."""
    judges, count = int(label.max()) + 1, int(classes.max()) + 1
    counts = np.bincount(label * count + classes, minlength=judges * count)
    return counts.reshape(judges, count).astype(np.float64)


def _covariances(points: Points, classes: IntArray, means: FloatArray) -> FloatArray:
    """S of every class: an array (classes, systems, systems); 0 for a class of one block."""
    covariances = []
    for c, count in enumerate(np.bincount(classes).astype(np.float64)):
        squares = points.products((classes == c).astype(np.float64))
        covariances.append((squares - count * np.outer(means[c], means[c])) / max(count - 1, 1))
    return np.stack(covariances)


def _relative(covariances: FloatArray, white: FloatArray) -> FloatArray:
    """How much blocks of every class vary, relative to all: tr(S⁺ S_c) over the rank of S."""
    traces = [float((white * (covariance @ white)).sum()) for covariance in covariances]
    return np.asarray(np.array(traces) / max(white.shape[1], 1))


def exchanged_labels(judged: JudgeSums, seed: int, lo: int, hi: int) -> Iterator[IntArray]:
    """The judge of every block in some permutations, each within its class of sizes."""
    members = [np.flatnonzero(judged.classes == c) for c in range(int(judged.classes.max()) + 1)]
    for r in range(lo, hi):
        rng, label = generator(seed, Stream.AUDIT_JUDGES, r), judged.label.copy()
        for inside in members:
            label[inside] = rng.permutation(judged.label[inside])
        yield label


def _exchange(judged: JudgeSums, seed: int, lo: int, hi: int) -> FloatArray:
    rows = []
    for label in exchanged_labels(judged, seed, lo, hi):
        sums = judged.points.totals(label, len(judged.judges)) - judged.expected
        squares = lengths(sums, judged.white)
        rows.append((squares.sum(), per_scale(squares, judged.scale).max()))
    return np.array(rows)
