"""``judge-differences``: do judges prefer different systems? And what ``judge-influence`` shares with it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .. import compute
from ..counts import FloatArray
from ..uncertainty.resampling import generator
from .case import JUDGES, Case, IntArray
from .findings import Finding, Interval, Subject, skipped
from .points import Points, tail, whitening
from .wording import decimals, number, span

#: Label permutations of every permutation test.
PERMUTATIONS = 999
#: Judges with fewer units say too little of themselves to be tested.
LEAST_UNITS = 5
_PIECE = 50


@dataclass(frozen=True)
class JudgeSums:
    """Residual points by judge, and what exchanging the judges of rankings makes of them.

    ``sums[j]`` are the residual points D_j that judge j gave each system in ``units[j]`` rankings. Were the judges of
    rankings exchanged at random, D_j would have mean 0 and covariance m_j (1 − m_j / R) S, with S the covariance of
    the residual points of a ranking; ``lengths[j]`` is D_jᵀ S⁺ D_j.
    """

    judges: IntArray
    points: Points = field(repr=False)
    label: IntArray = field(repr=False)
    units: FloatArray = field(repr=False)
    sums: FloatArray = field(repr=False)
    amounts: FloatArray = field(repr=False)
    covariance: FloatArray = field(repr=False)
    white: FloatArray = field(repr=False)

    @property
    def scale(self) -> FloatArray:
        """m (1 − m / R): how the covariance of a judge's sums grows with their rankings."""
        return np.asarray(self.units * (1 - self.units / self.points.units))

    @property
    def lengths(self) -> FloatArray:
        return lengths(self.sums, self.white)


def judge_sums(case: Case) -> JudgeSums | str:
    """Residual points of the judges with enough units; or why there is nothing to compare."""
    if not case.judgments.has("judge"):
        return "the judgments do not say who judged"
    judge = case.per_unit("judge")
    busy = np.bincount(judge[judge >= 0], minlength=len(case.judgments.judges)) >= LEAST_UNITS
    if busy.sum() < 2:
        return f"fewer than two judges have {LEAST_UNITS} {case.unit_name}s or more"
    used = np.append(busy, False)[judge]
    points, label = case.points.keep(used), (np.cumsum(busy) - 1)[judge[used]]
    judges = np.flatnonzero(busy)
    units = np.bincount(label).astype(np.float64)
    mean = points.totals(np.zeros_like(label), 1)[0] / points.units
    covariance = (points.products(np.ones(points.units)) / points.units - np.outer(mean, mean)) * (
        points.units / (points.units - 1)
    )
    sums = points.totals(label, len(judges)) - units[:, None] * mean
    amounts = points.amounts(label, len(judges))
    return JudgeSums(judges, points, label, units, sums, amounts, covariance, whitening(covariance))


def lengths(sums: FloatArray, white: FloatArray) -> FloatArray:
    """DᵀS⁺D of every row."""
    return np.asarray(((sums @ white) ** 2).sum(axis=1))


def exchanged(case: Case, found: JudgeSums) -> FloatArray:
    """For every permutation of the judges of rankings: Σ DᵀS⁺D, and the largest DᵀS⁺D / (m (1 − m / R))."""
    bounds = [(lo, min(lo + _PIECE, PERMUTATIONS)) for lo in range(0, PERMUTATIONS, _PIECE)]
    return np.concatenate(compute.run(_permute, bounds, shared=(found, case.seed), **case.compute))


def _permute(found: JudgeSums, seed: int, lo: int, hi: int) -> FloatArray:
    mean = found.points.totals(np.zeros_like(found.label), 1)[0] / found.points.units
    rows = []
    for r in range(lo, hi):
        label = generator(seed, JUDGES, r).permutation(found.label)
        sums = found.points.totals(label, len(found.judges)) - found.units[:, None] * mean
        squares = lengths(sums, found.white)
        rows.append((squares.sum(), (squares / found.scale).max()))
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
        + (f"; errors that ignore judges should be {decimals(np.sqrt(ratio))} times as wide" if ratio > 1 else ""),
        f"permutation of judges over {case.unit_name}s ({PERMUTATIONS})",
        p,
        effect=ratio,
        effect_name="variance by judge / variance by " + case.unit_name,
        interval=interval,
        subjects=_subjects(case, found),
    )


def design_effect(found: JudgeSums, p: float) -> tuple[float, Interval | None]:
    """Σ DᵀS⁺D over what it is on average if judges are alike, and its interval by a jackknife over judges."""
    from scipy.special import stdtrit

    def ratio(squares: FloatArray, units: FloatArray) -> float:
        return float(squares.sum() / (units * (1 - units / units.sum())).sum() / found.white.shape[1])

    squares, count = found.lengths, len(found.judges)
    whole = ratio(squares, found.units)
    if count < 3:  # without one of two judges there is nothing to compare
        return whole, None
    others = [~np.eye(count, dtype=bool)[j] for j in range(count)]
    logs = np.log([max(ratio(squares[keep], found.units[keep]), 1e-12) for keep in others])
    error = np.sqrt((count - 1) / count * ((logs - logs.mean()) ** 2).sum())
    reach = float(stdtrit(count - 1, 1 - p / 2)) * error
    return whole, (float(whole * np.exp(-reach)), float(whole * np.exp(reach)))


def _subjects(case: Case, found: JudgeSums) -> tuple[Subject, ...]:
    """Every judge's own ratio, the largest first."""
    own = found.lengths / found.scale / found.white.shape[1]
    order = np.argsort(-own, kind="stable")
    names = case.judgments.judges
    return tuple(
        Subject(names[found.judges[j]], float(own[j]), detail=number(found.units[j], case.unit_name)) for j in order
    )
