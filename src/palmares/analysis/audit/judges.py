"""``judge-differences``: do judges prefer different systems? And what ``judge-influence`` shares with it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ... import compute
from ...compute import generator
from ...judgments.counts import FloatArray
from .case import JUDGES, Case, IntArray
from .findings import Finding, Interval, Subject, skipped
from .points import Points, tail, whitening
from .wording import decimals, number, span

#: Label permutations of every permutation test.
PERMUTATIONS = 999
#: Judges with fewer blocks say too little of themselves to be tested.
LEAST_UNITS = 5
#: Residual points that vary less than this do so by rounding alone.
_NOTHING = 1e-12
_PIECE = 50


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
    size: IntArray = field(repr=False)
    #: Units that each judge made.
    made: FloatArray = field(repr=False)
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


def judge_sums(case: Case) -> JudgeSums | str:
    """Residual points of the judges with enough blocks; or why there is nothing to compare."""
    if not case.judgments.has("judge"):
        return "the judgments do not say who judged"
    judge, total = case.blocks.judge, len(case.judgments.judges)
    busy = np.bincount(judge[judge >= 0], minlength=total) >= LEAST_UNITS
    if busy.sum() < 2:
        return f"fewer than two judges have {LEAST_UNITS} {case.block_name}s or more"
    used = np.append(busy, False)[judge]
    points, label = case.points.keep(used), (np.cumsum(busy) - 1)[judge[used]]
    size, judges = np.unique(case.blocks.classes[used], return_inverse=True)[1], np.flatnonzero(busy)
    made = np.bincount(label, case.blocks.made[used]).astype(np.float64)
    shares = _shares(label, size)
    means = points.totals(size, shares.shape[1]) / shares.sum(axis=0)[:, None]
    expected = shares @ means
    sums = points.totals(label, len(judges)) - expected
    amounts = points.amounts(label, len(judges))
    covariances = _covariances(points, size, means)
    covariance = _pooled(covariances, np.bincount(size))
    if not np.trace(covariance) > _NOTHING:
        return "no judgment differs from what the fit expects, as where all are ties"
    white = whitening(covariance)
    scale = (shares * (1 - shares / shares.sum(axis=0))) @ _relative(covariances, white)
    return JudgeSums(judges, points, label, size, made, expected, sums, amounts, covariance, white, scale)


def lengths(sums: FloatArray, white: FloatArray) -> FloatArray:
    """DᵀS⁺D of every row."""
    return np.asarray(((sums @ white) ** 2).sum(axis=1))


def per_scale(squares: FloatArray, scale: FloatArray) -> FloatArray:
    """0 for a judge who alone made blocks of their size, and so cannot be compared."""
    return np.asarray(np.divide(squares, scale, out=np.zeros_like(squares), where=scale > 1e-9))


def _shares(label: IntArray, size: IntArray) -> FloatArray:
    """m: how many blocks of every class each judge made, an array (judges, classes)."""
    judges, classes = int(label.max()) + 1, int(size.max()) + 1
    counts = np.bincount(label * classes + size, minlength=judges * classes)
    return counts.reshape(judges, classes).astype(np.float64)


def _covariances(points: Points, size: IntArray, means: FloatArray) -> FloatArray:
    """S of every class: an array (classes, systems, systems); 0 for a class of one block."""
    counts = np.bincount(size).astype(np.float64)
    found = []
    for c, count in enumerate(counts):
        squares = points.products((size == c).astype(np.float64))
        found.append((squares - count * np.outer(means[c], means[c])) / max(count - 1, 1))
    return np.stack(found)


def _pooled(covariances: FloatArray, counts: IntArray) -> FloatArray:
    free = np.maximum(counts - 1.0, 0.0)
    return np.asarray(np.tensordot(free, covariances, 1) / max(free.sum(), 1.0))


def _relative(covariances: FloatArray, white: FloatArray) -> FloatArray:
    """How much blocks of every class vary, relative to all: tr(S⁺ S_c) over the rank of S."""
    traces = [float((white * (covariance @ white)).sum()) for covariance in covariances]
    return np.asarray(np.array(traces) / max(white.shape[1], 1))


def exchanged(case: Case, found: JudgeSums) -> FloatArray:
    """For every permutation of the judges of blocks: Σ DᵀS⁺D, and the largest DᵀS⁺D over its scale."""
    bounds = [(lo, min(lo + _PIECE, PERMUTATIONS)) for lo in range(0, PERMUTATIONS, _PIECE)]
    return np.concatenate(compute.run(_permute, bounds, shared=(found, case.seed), **case.compute))


def _permute(found: JudgeSums, seed: int, lo: int, hi: int) -> FloatArray:
    classes = [np.flatnonzero(found.size == c) for c in range(int(found.size.max()) + 1)]
    label, rows = found.label.copy(), []
    for r in range(lo, hi):
        rng = generator(seed, JUDGES, r)
        for inside in classes:
            label[inside] = rng.permutation(found.label[inside])
        sums = found.points.totals(label, len(found.judges)) - found.expected
        squares = lengths(sums, found.white)
        rows.append((squares.sum(), per_scale(squares, found.scale).max()))
    return np.array(rows)


def differences(case: Case) -> Finding:
    """Compare how much judges' sums of residual points vary with how much they would if judges were alike."""
    found = case.judge_sums
    if isinstance(found, str):
        return skipped("judge-differences", found)
    if found.white.shape[1] == 0:
        return skipped("judge-differences", "all judgments are as expected")
    p = float(tail(found.lengths.sum(), case.exchanged_judges[:, 0])[0])
    ratio, interval = design_effect(found, case.p)
    between = f" ({span(interval)})" if interval else ""
    return Finding(
        "judge-differences",
        f"scores vary {decimals(ratio)} times{between} as much as if {number(len(found.judges), 'judge')} were alike"
        + (
            f"; errors that ignore judges should be at least {decimals(np.sqrt(ratio))} times as wide"
            if ratio > 1
            else ""
        ),
        f"permutation of judges over {case.block_name}s ({PERMUTATIONS})",
        p,
        effect=ratio,
        effect_name="variance by judge / variance if judges were alike",
        interval=interval,
        subjects=_subjects(case, found),
    )


def design_effect(found: JudgeSums, p: float) -> tuple[float, Interval | None]:
    """Σ DᵀS⁺D over what it is on average if judges are alike, and its interval by a jackknife over judges."""
    from scipy.special import stdtrit

    def ratio(keep: IntArray) -> float:
        return float(squares[keep].sum() / max(found.scale[keep].sum(), 1e-300) / found.white.shape[1])

    squares, count = found.lengths, len(found.judges)
    everyone = np.arange(count)
    whole = ratio(everyone)
    if count < 3:  # without one of two judges there is nothing to compare
        return whole, None
    logs = np.log([max(ratio(np.delete(everyone, j)), 1e-12) for j in range(count)])
    error = np.sqrt((count - 1) / count * ((logs - logs.mean()) ** 2).sum())
    reach = float(stdtrit(count - 1, 1 - p / 2)) * error
    return whole, (float(whole * np.exp(-reach)), float(whole * np.exp(reach)))


def _subjects(case: Case, found: JudgeSums) -> tuple[Subject, ...]:
    """Every judge's own ratio, the largest first."""
    own = found.statistic / found.white.shape[1]
    order = np.argsort(-own, kind="stable")
    names = case.judgments.judges
    return tuple(
        Subject(names[found.judges[j]], float(own[j]), detail=number(found.made[j], case.unit_name)) for j in order
    )
