"""Are a judge's answers related to the systems? The evidence of every judge, and what ordinary judges are like.

Let d be the difference θ_a − θ_b as the others see it, and y = ±1 who won a decided comparison. S = Σ d y is what
tells sensitivities apart: in Bradley–Terry's model it is sufficient for a. Of somebody who does not regard the outputs,
every way to hand the outputs of a screen to the places of the answer is as likely, so

    E S = 0,   V₀ = Σ_screens Σ(θ − θ̄)² Σ c² / (m − 1),

where c_i is how many outputs i beat, less how many beat it, and m the outputs of the screen. Ties stay where they are,
and so does a preference for a place: both are the judge's own habit. Of a judge with sensitivity a,

    E S = M(a) = Σ d D,   D = P(win | decided) − P(loss | decided) at z = a d,   V(a) = φ Σ d² (1 − D²),

where φ = V₀ / Σ d² allows for the pairs of one screen depending on each other.

Where hardly an answer against the order is expected, λ = Σ (1 − D²) / 4 of them, S has one likely value, and V would go
to 0 and the normal density beyond all bounds, highest for the largest a. A probability is at most 1: with steps of
√(V / λ), the density is at most that of V = step² / 2π. So V is divided by min(1, 2πλ).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, logsumexp

from ...judgments import BoolArray, FloatArray
from .answers import Answers

#: Logs of sensitivities at which ordinary judges are integrated.
GRID = np.linspace(-3.0, 2.0, 51)
#: Before any judge is seen, so many imagined ones count, of whom this share answers at random and the others' log
#: sensitivities vary by so much: a little more than the .21 of WMT13 fr–en, where judges are many.
_IMAGINED, _SHARE, _DEPARTURE = 10.0, 0.1, 0.25
_ROUNDS, _SETTLED = 500, 1e-6
#: Of an answer: where 1 − D² is this, it is what rounding leaves.
_LEAST_DOUBT = 1e-16


@dataclass(frozen=True)
class Evidence:
    """Per judge: S and V₀, and M and V at every sensitivity of `GRID` (judges, grid)."""

    total: FloatArray = field(repr=False)
    null_variance: FloatArray = field(repr=False)
    mean: FloatArray = field(repr=False)
    variance: FloatArray = field(repr=False)

    @property
    def known(self) -> BoolArray:
        """Judges of whom the answers can tell anything."""
        return self.null_variance > 0

    @property
    def log_random(self) -> FloatArray:
        """log density of S if answers have nothing to do with the systems; 0 where nothing is known."""
        return _log_normal(self.total, 0.0, self.null_variance, self.known)

    @property
    def log_ordinary(self) -> FloatArray:
        """log density of S at every sensitivity of the grid."""
        known = self.known[:, None]
        return _log_normal(self.total[:, None], self.mean, self.variance, known & np.ones_like(self.mean, dtype=bool))


def _log_normal(x: FloatArray, mean: FloatArray | float, variance: FloatArray, known: BoolArray) -> FloatArray:
    variance = np.where(known, variance, 1.0)
    return np.where(known, -0.5 * ((x - mean) ** 2 / variance + np.log(2 * np.pi * variance)), 0.0)


def evidence_of(answers: Answers, gap: FloatArray, width: FloatArray, shift: FloatArray) -> Evidence:
    """Sum up the judgments that name a judge and whose systems the others link.

    Parameters
    ----------
    gap
        θ_a − θ_b as the others see it.
    width, shift
        Every judge's tie width, and shift of z in favour of the output shown first.
    """
    decided = answers.y != 0
    weight = answers.weight * decided
    total = answers.per_judge(weight * gap * answers.y)
    null = _null_variance(answers, gap)
    squares = answers.per_judge(weight * gap**2)
    inflation = np.divide(null, squares, out=np.ones_like(null), where=squares > 0)
    mean, variance = np.empty((2, answers.judges, len(GRID)))
    for column, log_a in enumerate(GRID):
        drift = decided_drift(np.exp(log_a) * gap, width[answers.judge], shift[answers.judge] * (answers.first != 0))
        doubt = weight * np.maximum(1 - drift**2, _LEAST_DOUBT)
        mean[:, column] = answers.per_judge(weight * gap * drift)
        variance[:, column] = inflation * answers.per_judge(gap**2 * doubt)
        variance[:, column] /= np.clip(np.pi / 2 * answers.per_judge(doubt), 1e-300, 1.0)
    return Evidence(total, null, mean, np.maximum(variance, 1e-300))


def decided_drift(z: FloatArray, delta: FloatArray, shift: FloatArray) -> FloatArray:
    """P(win | decided) − P(loss | decided), over both orders in which two outputs may be shown."""
    sides = []
    for sign in (1.0, -1.0):
        win, loss = expit(z + sign * shift - delta), expit(-z - sign * shift - delta)
        sides.append((win - loss) / np.maximum(win + loss, 1e-300))
    return np.asarray((sides[0] + sides[1]) / 2)


def _null_variance(answers: Answers, gap: FloatArray) -> FloatArray:
    """V₀ of every judge; what is left of a screen counts as it is."""
    _, screen = np.unique(answers.unit, return_inverse=True)
    item = np.concatenate([answers.item_a, answers.item_b])
    both, span = np.tile(screen.reshape(-1), 2), int(item.max(initial=0)) + 1
    keys, output = np.unique(both * span + item, return_inverse=True)
    output, of_screen = output.reshape(-1), keys // span
    won = np.concatenate([answers.weight * answers.y, -answers.weight * answers.y])
    copeland = np.bincount(output, won, len(keys))
    # Only differences are known: a place relative to the mean of the screen is the mean of its differences.
    weight = np.tile(answers.weight, 2)
    size = np.bincount(of_screen)
    place = np.bincount(output, weight * np.concatenate([gap, -gap]), len(keys)) / size[of_screen]
    spread = np.bincount(of_screen, place**2) - np.bincount(of_screen, place) ** 2 / size
    variance = spread * np.bincount(of_screen, copeland**2) / np.maximum(size - 1, 1)
    first_row = np.unique(screen.reshape(-1), return_index=True)[1]
    judge = answers.judge[first_row]
    return np.bincount(judge[judge >= 0], variance[judge >= 0], answers.judges).astype(np.float64)


@dataclass(frozen=True)
class Ordinary:
    """What the judges of a campaign are like: the share who answer at random, and the others' log a ~ N(mean, sd²)."""

    random: float
    mean: float
    sd: float

    @property
    def log_weights(self) -> FloatArray:
        """Of the sensitivities of `GRID` among ordinary judges, as logs that sum to 1."""
        log = -0.5 * ((GRID - self.mean) / self.sd) ** 2
        return np.asarray(log - logsumexp(log))

    def log_ratio(self, evidence: Evidence) -> FloatArray:
        """log P(S | at random) − log P(S | ordinary judge)."""
        return np.asarray(evidence.log_random - logsumexp(evidence.log_ordinary + self.log_weights, axis=1))

    def chance(self, evidence: Evidence) -> FloatArray:
        """P(at random | S)."""
        return np.asarray(expit(self.log_ratio(evidence) + np.log(self.random) - np.log1p(-self.random)))


def ordinary_of(evidence: Evidence, person: BoolArray) -> Ordinary:
    """Estimate the mixture by EM over the people of whom anything is known, with a few imagined judges."""
    kept = person & evidence.known
    ordinary = evidence.log_ordinary[kept]
    random = evidence.log_random[kept]
    at = Ordinary(_SHARE, 0.0, _DEPARTURE)
    for _ in range(_ROUNDS):
        joint = ordinary + at.log_weights
        whole = logsumexp(joint, axis=1)
        chance = expit(random - whole + np.log(at.random) - np.log1p(-at.random))
        inside = np.exp(joint - whole[:, None]) * (1 - chance)[:, None]
        share = (chance.sum() + _IMAGINED * _SHARE) / (kept.sum() + _IMAGINED)
        mean = (inside @ GRID).sum() / (inside.sum() + 1)  # the imagined judge is at the middle of the scale
        squares = (inside * (GRID - mean) ** 2).sum() + _IMAGINED * _DEPARTURE**2
        before, at = at, Ordinary(float(share), float(mean), float(np.sqrt(squares / (inside.sum() + _IMAGINED))))
        if max(abs(at.random - before.random), abs(at.mean - before.mean), abs(at.sd - before.sd)) < _SETTLED:
            break
    return at
