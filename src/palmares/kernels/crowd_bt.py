"""Crowd-BT: the log posterior of strengths, tie parameter and judges' honesty, its derivatives, and a climb to its top.

Judge k tells the truth with probability η_k = σ(λ_k) and the opposite otherwise. With d = s_a − s_b and Davidson's
D = e^(d/2) + e^(−d/2) + ν:

    P(a better) = [η e^(d/2) + (1 − η) e^(−d/2)] / D,   P(tie) = ν / D,
    P(b better) = [η e^(−d/2) + (1 − η) e^(d/2)] / D

The parameters are s, κ = log ν and λ; no η is ever 0 or 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from ..judgments import FloatArray
from .ordinal import Answers

#: Steps longer than this, in any parameter, are shortened: far from the top the curvature says little.
_LONGEST = 2.0
#: A judge's curvature counts for this share, at least, of what it were if it was known which answers were the truth.
_CURVED = 0.002


@dataclass(frozen=True)
class Prior:
    """Every system won and lost against a virtual one of strength 0 ``penalty`` times; η has the density
    η^true (1 − η)^false, both above 0; log ν ~ N(0, 1/tie).
    """

    penalty: float
    true: float
    false: float
    tie: float


@dataclass(frozen=True)
class Place:
    """Values of all parameters: s, log ν (None where nobody tied) and logit η of every judge."""

    strengths: FloatArray = field(repr=False)
    tie: float | None
    logits: FloatArray = field(repr=False)

    def plus(self, common: FloatArray, own: FloatArray, share: float) -> Place:
        tie = None if self.tie is None else self.tie + share * float(common[-1])
        return Place(self.strengths + share * common[: len(self.strengths)], tie, self.logits + share * own)

    @property
    def mirrored(self) -> Place:
        """What fits the answers as well: the other way round, and every honest judge a reversed one."""
        return Place(-self.strengths, self.tie, -self.logits)


@dataclass(frozen=True)
class Curvature:
    """Gradient and information (minus the Hessian) of the log posterior, judges apart from what is common to all.

    ``cross`` is (common, judges); ``complete`` and ``complete_blocks`` are the information that there would be if it
    were known of every answer whether it was the truth: it is always positive, and never less than what there is.
    """

    common: FloatArray = field(repr=False)
    own: FloatArray = field(repr=False)
    joint: FloatArray = field(repr=False)
    cross: FloatArray = field(repr=False)
    blocks: FloatArray = field(repr=False)
    complete: FloatArray = field(repr=False)
    complete_blocks: FloatArray = field(repr=False)

    def reduced(self, blocks: FloatArray | None = None) -> FloatArray:
        """The information of the common parameters once the judges' follow: A − Σ_k b_k b_kᵀ / d_k."""
        return np.asarray(self.joint - (self.cross / (self.blocks if blocks is None else blocks)) @ self.cross.T)

    @property
    def concave(self) -> bool:
        """Whether this is the curvature of a top."""
        return bool((self.blocks > 0).all()) and _positive(self.reduced())

    def step(self) -> tuple[FloatArray, FloatArray]:
        """Newton's step; where the posterior is not concave, curvature counts by its size. Both lead upwards.

        Along a direction that curves upwards the second leads away from a saddle as fast as Newton's leads to a top:
        where some judges answer the opposite of the others, all systems alike and all judges honest is a saddle.
        """
        # No judge alone shortens the step of all.
        least = np.maximum(_CURVED * self.complete_blocks, np.abs(self.own) / _LONGEST)
        blocks = np.maximum(np.abs(self.blocks), least)
        reduced, follow = self.reduced(blocks), self.own / blocks
        target = self.common - self.cross @ follow
        if _positive(reduced):
            common = np.asarray(np.linalg.solve(reduced, target), dtype=np.float64)
        else:
            curved, directions = np.linalg.eigh(reduced)
            size = np.maximum(np.abs(curved), 1e-6 * np.abs(curved).max())
            common = np.asarray(directions @ ((directions.T @ target) / size), dtype=np.float64)
        return common, follow - (common @ self.cross) / blocks


def _positive(matrix: FloatArray) -> bool:
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return False
    return True


def outcomes(gap: FloatArray, tie: float | None, honesty: FloatArray | float) -> FloatArray:
    """P(a better), P(tie), P(b better), stacked in front."""
    win, equal, loss = davidson(gap, tie)
    mixed = honesty * win + (1 - honesty) * loss, equal, honesty * loss + (1 - honesty) * win
    return np.stack(np.broadcast_arrays(*mixed))


def davidson(gap: FloatArray, tie: float | None) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The same of a judge who always tells the truth."""
    if tie is None:
        return expit(gap), np.zeros_like(gap), expit(-gap)
    level = -log_normaliser(gap, tie)
    return np.exp(level + gap / 2), np.exp(level + tie), np.exp(level - gap / 2)


def log_normaliser(gap: FloatArray, tie: float | None) -> FloatArray:
    """log D."""
    decided = np.abs(gap) / 2 + np.log1p(np.exp(-np.abs(gap)))
    return np.asarray(decided if tie is None else np.logaddexp(decided, tie))


def log_posterior(data: Answers, at: Place, prior: Prior) -> float:
    gap, logit = at.strengths[data.a] - at.strengths[data.b], at.logits[data.judge]
    win, tie, loss = data.counts
    true, false = -np.logaddexp(0, -at.logits), -np.logaddexp(0, at.logits)
    # log(η e^(d/2) + (1 − η) e^(−d/2)) = log η + d/2 + log(1 + e^(−λ−d)), so that nothing overflows
    decided = win * (np.logaddexp(0, -logit - gap) + gap / 2) + loss * (np.logaddexp(0, gap - logit) - gap / 2)
    decided += (win + loss) * true[data.judge]
    level = float((decided - data.counts.sum(axis=0) * log_normaliser(gap, at.tie)).sum())
    if at.tie is not None:
        level += float(tie.sum()) * at.tie - 0.5 * prior.tie * at.tie**2
    level -= prior.penalty * float((2 * log_normaliser(at.strengths, None)).sum())
    return level + float((prior.true * true + prior.false * false).sum())


@dataclass(frozen=True)
class Slopes:
    """First derivatives of log P by d, λ and κ for the three outcomes, (3, entries), and the second ones."""

    by_gap: FloatArray = field(repr=False)
    by_logit: FloatArray = field(repr=False)
    by_tie: FloatArray = field(repr=False)
    #: Variance of d/2's sign (and a tie's zero) under D, and the unsureness r (1 − r) about a win and a loss.
    varies: FloatArray = field(repr=False)
    unsure: FloatArray = field(repr=False)
    lean: FloatArray = field(repr=False)
    equal: FloatArray = field(repr=False)


def slopes(data: Answers, at: Place) -> Slopes:
    gap, logit = at.strengths[data.a] - at.strengths[data.b], at.logits[data.judge]
    eta = expit(at.logits)[data.judge]
    win, equal, loss = davidson(gap, at.tie)
    lean = win - loss
    true_win, true_loss = expit(logit + gap), expit(logit - gap)  # how likely such an answer was the truth
    by_gap = np.stack([true_win - 0.5, np.zeros_like(gap), 0.5 - true_loss]) - lean / 2
    by_logit = np.stack([true_win - eta, np.zeros_like(gap), true_loss - eta])
    by_tie = np.stack([-equal, 1 - equal, -equal])
    unsure = np.stack([true_win * (1 - true_win), true_loss * (1 - true_loss)])
    return Slopes(by_gap, by_logit, by_tie, (1 - equal - lean**2) / 4, unsure, lean, equal)


def mean_honesty(data: Answers, at: Place, true: float, false: float) -> FloatArray:
    """E η of every judge under Beta(true, false): (true + expected true answers) / (true + false + decided answers).

    Exact where it is known which answers were the truth; else which were is taken from the place.
    """
    gap, logit, (win, _, loss) = at.strengths[data.a] - at.strengths[data.b], at.logits[data.judge], data.counts
    truths = np.bincount(data.judge, win * expit(logit + gap) + loss * expit(logit - gap), data.judges)
    return np.asarray((true + truths) / (true + false + np.bincount(data.judge, win + loss, data.judges)))


def curvature(data: Answers, at: Place, prior: Prior) -> Curvature:
    """Gradient and observed information at a place."""
    s, n, count = slopes(data, at), data.systems, data.judges
    total, (win, _, loss) = data.counts.sum(axis=0), data.counts
    eta = expit(at.logits)
    wide = int(at.tie is not None)
    common = np.zeros(n + wide)
    common[:n] = _ends(data, (data.counts * s.by_gap).sum(axis=0)) - prior.penalty * np.tanh(at.strengths / 2)
    decided = np.bincount(data.judge, win + loss, count)
    own = np.bincount(data.judge, (data.counts * s.by_logit).sum(axis=0), count)
    own = own + prior.true - (prior.true + prior.false) * eta

    complete = _linked(data, total * s.varies, wide)
    side = expit(at.strengths)
    complete[np.arange(n), np.arange(n)] += 2 * prior.penalty * side * (1 - side)
    if wide:
        common[n] = float((data.counts * s.by_tie).sum()) - prior.tie * float(at.tie or 0.0)
        complete[n, :n] = complete[:n, n] = _ends(data, -total * s.lean * s.equal / 2)
        complete[n, n] = float((total * s.equal * (1 - s.equal)).sum()) + prior.tie
    unsure_win, unsure_loss = win * s.unsure[0], loss * s.unsure[1]
    unsure = unsure_win + unsure_loss
    complete_blocks = (decided + prior.true + prior.false) * eta * (1 - eta)
    cross = np.zeros((n + wide, count))
    sides = [np.bincount(end * count + data.judge, unsure_loss - unsure_win, n * count) for end in (data.a, data.b)]
    cross[:n] = (sides[0] - sides[1]).reshape(n, count)
    return Curvature(
        common,
        own,
        complete - _linked(data, unsure, wide),
        cross,
        complete_blocks - np.bincount(data.judge, unsure, count),
        complete,
        complete_blocks,
    )


def _ends(data: Answers, values: FloatArray) -> FloatArray:
    """What a derivative by d is by strengths: added to a, taken from b."""
    n = data.systems
    return np.asarray(np.bincount(data.a, values, n) - np.bincount(data.b, values, n))


def _linked(data: Answers, values: FloatArray, wide: int) -> FloatArray:
    """What second derivatives by d are by strengths."""
    n = data.systems
    pair = np.bincount(data.a * n + data.b, values, n * n).reshape(n, n)
    pair = pair + pair.T
    matrix = np.zeros((n + wide, n + wide))
    matrix[:n, :n] = np.diag(pair.sum(axis=1)) - pair
    return matrix


def climb(data: Answers, start: Place, prior: Prior, *, tolerance: float, steps: int) -> tuple[Place, int, bool]:
    """Newton's method, until no parameter moves more than ``tolerance``; a step that leads down is halved."""
    at, level = start, log_posterior(data, start, prior)
    for number in range(steps):
        common, own = curvature(data, at, prior).step()
        longest = max(float(np.abs(common).max()), float(np.abs(own).max(initial=0.0)))
        share = min(1.0, _LONGEST / max(longest, 1e-300))
        for _ in range(40):
            nearer = at.plus(common, own, share)
            higher = log_posterior(data, nearer, prior)
            if higher >= level - 1e-12 * abs(level):
                break
            share /= 2
        else:
            return at, number, False
        at, level = nearer, higher
        if share * longest <= tolerance:
            return at, number + 1, True
    return at, steps, False


def top(data: Answers, start: Place, prior: Prior, *, tolerance: float, steps: int) -> tuple[Place, int, bool]:
    """`climb`, and once more from the mirror image if that is more probable: most judges are taken for honest."""
    at, taken, converged = climb(data, start, prior, tolerance=tolerance, steps=steps)
    if (prior.true - prior.false) * float(at.logits.sum()) >= 0:
        return at, taken, converged
    at, more, converged = climb(data, at.mirrored, prior, tolerance=tolerance, steps=steps)
    return at, taken + more, converged
