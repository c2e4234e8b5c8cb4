"""The habits of every judge: sensitivity, tie width and preference for the output shown first, with intervals.

With d = θ_a − θ_b as the others see it and x = ±1 for which output came first, z = a d + c x, and the outcome follows
the model `ordinal`. All judges are fitted at once by Fisher scoring; each has a block of three by three.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, stdtrit

from ...judgments import BoolArray, FloatArray
from .answers import Answers

#: Weak priors, so that a judge of three answers has finite values too: a ~ N(1, 2²), c ~ N(0, 1).
_SENSITIVITY_SD, _SHIFT_SD = 2.0, 1.0
#: Of log δ around the usual one, at least.
_WIDTH_SD = 0.5
_STEPS, _LONGEST, _CLOSE = 100, 1.0, 1e-8
#: With fewer screens, nothing shows how much a judge's answers vary.
FEW_UNITS = 5


@dataclass(frozen=True)
class Habits:
    """Estimates (judges, 3) of a, log δ and c, and their standard errors; NaN where nothing shows them."""

    values: FloatArray = field(repr=False)
    errors: FloatArray = field(repr=False)
    #: Degrees of freedom of the errors of every judge.
    df: FloatArray = field(repr=False)
    #: Whether anybody tied; if nobody did, all widths are 0.
    tied: bool

    @property
    def width(self) -> FloatArray:
        """δ of every judge."""
        return np.exp(self.values[:, 1]) if self.tied else np.zeros(len(self.values))

    @property
    def shift(self) -> FloatArray:
        """c of every judge."""
        return self.values[:, 2]

    def interval(self, judge: int, part: int, p: float) -> tuple[float, float] | None:
        """The interval of one value at level 1 − p."""
        error = float(self.errors[judge, part])
        if not np.isfinite(error) or error <= 0:
            return None
        reach = float(stdtrit(self.df[judge], 1 - p / 2)) * error
        return float(self.values[judge, part]) - reach, float(self.values[judge, part]) + reach


def habits_of(answers: Answers, gap: FloatArray, width: tuple[float | None, float], covariance: FloatArray) -> Habits:
    """Fit all judges.

    Parameters
    ----------
    width
        The log of the usual tie width, None where nobody tied, and how much logs of widths vary.
    covariance
        Of the strengths of the systems, whose doubt adds to that about a.
    """
    answers, gap = answers.chosen(answers.judge >= 0), gap[answers.judge >= 0]
    centre = np.array([1.0, 0.0 if width[0] is None else width[0], 0.0])
    precision = np.array([_SENSITIVITY_SD, max(width[1], _WIDTH_SD), _SHIFT_SD]) ** -2
    free = np.array([True, width[0] is not None, bool(answers.first.any())])
    values = _climb(answers, gap, centre, precision, free)
    return _with_errors(answers, gap, values, precision, free, covariance)


def _derivatives(
    answers: Answers, gap: FloatArray, values: FloatArray, free: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of every judgment: log P, the gradient by (a, log δ, c) (rows, 3), and the expected information (rows, 3, 3)."""
    a, log_delta, c = values[answers.judge].T
    z = a * gap + c * answers.first
    delta = np.exp(log_delta) if free[1] else np.zeros_like(z)
    low, high = expit(z - delta), expit(z + delta)
    up, down = high * (1 - high), low * (1 - low)
    p = np.stack([low, np.maximum(high - low, 1e-300), 1 - high])
    p = np.maximum(p, 1e-300)
    by_z = np.stack([down, up - down, -up]) / p
    by_delta = np.stack([-down, up + down, -up]) / p * free[1]
    kind = 1 - answers.y
    rows = np.arange(len(z))
    basis = np.stack([gap, delta, answers.first * free[2]], axis=1)
    steep = np.stack([by_z, by_delta, by_z], axis=2) * basis  # (3 outcomes, rows, 3 values)
    gradient = steep[kind, rows]
    information = np.einsum("or,ori,orj->rij", p, steep, steep, optimize=True)
    return np.log(p[kind, rows]), gradient, information


def _sums(answers: Answers, rows: FloatArray) -> FloatArray:
    size = int(np.prod(rows.shape[1:]))
    flat = (answers.weight[:, None] * rows.reshape(len(answers), size)).T
    return np.stack([answers.per_judge(column) for column in flat], axis=1).reshape(answers.judges, *rows.shape[1:])


def _climb(answers: Answers, gap: FloatArray, centre: FloatArray, precision: FloatArray, free: BoolArray) -> FloatArray:
    """Fisher scoring with a step halved for every judge whose posterior it would lower."""
    values = np.tile(centre, (answers.judges, 1))

    def level(at: FloatArray) -> FloatArray:
        log = answers.per_judge(answers.weight * _derivatives(answers, gap, at, free)[0])
        return np.asarray(log - 0.5 * ((at - centre) ** 2 @ precision))

    height = level(values)
    for _ in range(_STEPS):
        _, gradient, information = _derivatives(answers, gap, values, free)
        slope = (_sums(answers, gradient) - precision * (values - centre)) * free
        block = _sums(answers, information) + np.diag(precision)
        step = np.linalg.solve(block, slope[..., None])[..., 0] * free
        step *= np.minimum(1.0, _LONGEST / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
        for _ in range(20):
            nearer = level(values + step)
            worse = nearer < height - 1e-9 * np.abs(height)
            if not worse.any():
                break
            step[worse] /= 2
        step[worse] = 0.0
        values, height = values + step, np.where(worse, height, nearer)
        if np.abs(step).max(initial=0.0) < _CLOSE:
            break
    return values


def _with_errors(
    answers: Answers,
    gap: FloatArray,
    values: FloatArray,
    precision: FloatArray,
    free: BoolArray,
    covariance: FloatArray,
) -> Habits:
    """Standard errors by leaving out screens: u_g = (H − H_g)⁻¹ s_g, variance Σ u_g u_gᵀ, and the doubt about θ."""
    _, gradient, information = _derivatives(answers, gap, values, free)
    weight = answers.weight
    _, where, screen = np.unique(answers.unit, return_index=True, return_inverse=True)
    screen, count = screen.reshape(-1), len(where)
    judge = answers.judge[where]
    own = np.stack([np.bincount(screen, weight * column, count) for column in gradient.T], axis=1).astype(np.float64)
    flat = (weight[:, None] * information.reshape(-1, 9)).T
    part = np.stack([np.bincount(screen, column, count) for column in flat], axis=1).reshape(-1, 3, 3)
    block = _sums(answers, information) + np.diag(precision)
    units = np.bincount(judge, minlength=answers.judges)
    # The prior's pull is shared out, so that the parts of a judge sum to nothing.
    whole = np.stack([np.bincount(judge, column, answers.judges) for column in own.T], axis=1)
    own = own - (whole / np.maximum(units, 1)[:, None])[judge]
    moved = np.linalg.solve(block[judge] - part, own[..., None])[..., 0]
    squares = [np.bincount(judge, column**2, answers.judges).astype(np.float64) for column in moved.T]
    # Where a judge never tied, say, nothing varies and the prior alone holds the value: no interval is narrower than
    # the model itself would make it.
    variance = np.maximum(np.stack(squares, axis=1), np.diagonal(np.linalg.inv(block), axis1=1, axis2=2))
    variance[:, 0] = variance[:, 0] + _doubt_of_strengths(answers, gap, values, block, information, covariance)
    enough = (units >= FEW_UNITS)[:, None] & free
    return Habits(values, np.where(enough, np.sqrt(variance), np.nan), np.maximum(units - 1.0, 1.0), bool(free[1]))


def _doubt_of_strengths(
    answers: Answers,
    gap: FloatArray,
    values: FloatArray,
    block: FloatArray,
    information: FloatArray,
    covariance: FloatArray,
) -> FloatArray:
    """What the doubt about θ adds to the variance of a: vᵀ Cov v, where v is how a follows θ."""
    # Information by (a, θ_a): that of z, times d for a and times a for θ.
    by_z = np.divide(information[:, 0, 0], gap**2, out=np.zeros_like(gap), where=gap != 0)
    pull = answers.weight * by_z * gap * values[answers.judge, 0]
    follow = answers.per_system(pull) / np.maximum(block[:, 0, 0], 1e-300)[:, None]
    return np.asarray(np.einsum("ki,ij,kj->k", follow, covariance, follow))
