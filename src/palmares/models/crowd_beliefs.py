"""Crowd-BT answer by answer: Gaussian beliefs about strengths, Beta beliefs about judges (Chen et al. 2013).

After each answer, beliefs are the Gaussian and Beta distributions with the mean and variance of the posterior. Chen et
al. expand these moments to second order; here they are computed, over the nodes of a Gauss–Hermite rule for d = s_a −
s_b, and so hold for ties too. What to ask whom next is what is expected to change beliefs most.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.special import betaln, digamma, polygamma

from ..errors import InputError
from ..judgments import FloatArray, IntArray
from ..kernels.crowd_bt import davidson
from .crowd_bt import CrowdBT, CrowdBTFit

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(31)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
#: Pairs and judges that are looked at at once, which bounds memory.
_AT_ONCE = 20_000


@dataclass(frozen=True)
class Beliefs:
    """s_i ~ N(mean_i, variance_i), η_k ~ Beta(true_k, false_k), independent; ``tie`` is log ν, None if nobody ties."""

    mean: FloatArray = field(repr=False)
    variance: FloatArray = field(repr=False)
    true: FloatArray = field(repr=False)
    false: FloatArray = field(repr=False)
    tie: float | None = None

    @classmethod
    def before(cls, systems: int, judges: int, *, model: CrowdBT | None = None, tie: float | None = None) -> Beliefs:
        """Before any answer; strengths vary as the model's virtual system has it, by 2 ψ'(penalty)."""
        model = model or CrowdBT()
        variance = 2 * float(polygamma(1, model.penalty))
        return cls(
            np.zeros(systems),
            np.full(systems, variance),
            np.full(judges, float(model.prior_true)),
            np.full(judges, float(model.prior_false)),
            tie,
        )

    @classmethod
    def after(cls, fit: CrowdBTFit) -> Beliefs:
        """From a fit, to go on answer by answer; judges are numbered as ``fit.judges``, covariances are left out."""
        mean, variance = fit.honesty, fit.honesty_errors**2
        count = np.maximum(mean * (1 - mean) / variance - 1, 1e-3)
        return cls(fit.centred, np.diag(fit.covariance).copy(), mean * count, (1 - mean) * count, fit.place.tie)

    @property
    def honesty(self) -> FloatArray:
        """E η of every judge."""
        return np.asarray(self.true / (self.true + self.false))


class Posterior(NamedTuple):
    """What one more answer would leave, for each of the outcomes (in front) and questions asked.

    ``chance`` is how likely the outcome is; ``mean`` and ``variance`` have a last axis for a and b.
    """

    chance: FloatArray
    mean: FloatArray
    variance: FloatArray
    true: FloatArray
    false: FloatArray


def posterior(beliefs: Beliefs, a: IntArray, b: IntArray, judge: IntArray) -> Posterior:
    """Beliefs about s_a, s_b and η_k after a better, tie and b better."""
    a, b, judge = np.broadcast_arrays(*(np.asarray(codes, dtype=np.int64) for codes in (a, b, judge)))
    ends = np.stack([a, b], axis=-1)
    mean, variance = beliefs.mean[ends], beliefs.variance[ends]
    centre, spread = mean[..., 0] - mean[..., 1], variance.sum(axis=-1)
    away = np.sqrt(spread)[..., None] * _NODES
    win, equal, loss = davidson(centre[..., None] + away, beliefs.tie)
    true, false = beliefs.true[judge], beliefs.false[judge]
    eta = (true / (true + false))[..., None]
    given = np.stack([eta * win + (1 - eta) * loss, equal, eta * loss + (1 - eta) * win]) * _WEIGHTS
    chance = np.maximum(given.sum(axis=-1), 1e-300)
    shift = (given * away).sum(axis=-1) / chance
    rest = (given * away**2).sum(axis=-1) / chance - shift**2
    share = variance / spread[..., None]  # how much of what is learnt of d is learnt of a, and of b
    new_mean = mean + shift[..., None] * share * np.array([1.0, -1.0])
    new_variance = variance + (rest - spread)[..., None] * share**2
    fair, unfair = (win * _WEIGHTS).sum(axis=-1), (loss * _WEIGHTS).sum(axis=-1)
    truth = np.stack([eta[..., 0] * fair, np.zeros_like(fair), eta[..., 0] * unfair]) / chance
    betas = [_matched(truth[o], true, false) if o != 1 else (true, false) for o in range(3)]
    return Posterior(chance, new_mean, new_variance, *(np.stack(part) for part in zip(*betas, strict=True)))


def _matched(truth: FloatArray, true: FloatArray, false: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Beta with the mean and variance of the mixture: it was the truth with chance ``truth``, and else not."""
    count = true + false
    mean = (true + truth) / (count + 1)
    square = (truth * (true + 2) * (true + 1) + (1 - truth) * (true + 1) * true) / ((count + 2) * (count + 1))
    size = (mean - square) / (square - mean**2)
    return mean * size, (1 - mean) * size


def answered(beliefs: Beliefs, a: int, b: int, judge: int, outcome: int) -> Beliefs:
    """Beliefs after one answer: ``outcome`` is 1 (a better), 0 (tie) or −1 (b better)."""
    if outcome not in (-1, 0, 1) or a == b:
        raise InputError(f"answer: got {outcome!r} on systems {a} and {b}; allowed: 1, 0 or -1 on two systems")
    if outcome == 0 and beliefs.tie is None:
        raise InputError("answer: got a tie, but these beliefs know none; give them a tie parameter (tie=log ν)")
    found = posterior(beliefs, np.array(a), np.array(b), np.array(judge))
    mean, variance, true, false = (
        part.copy() for part in (beliefs.mean, beliefs.variance, beliefs.true, beliefs.false)
    )
    mean[[a, b]], variance[[a, b]] = found.mean[1 - outcome], found.variance[1 - outcome]
    true[judge], false[judge] = found.true[1 - outcome], found.false[1 - outcome]
    return Beliefs(mean, variance, true, false, beliefs.tie)


def expected_change(
    beliefs: Beliefs, a: IntArray, b: IntArray, judge: IntArray, *, judge_weight: float = 1.0
) -> FloatArray:
    """Expected Kullback–Leibler divergence, in nats, of beliefs after an answer from beliefs before it.

    Parameters
    ----------
    judge_weight
        What learning about the judge counts, beside learning about the systems (γ of Chen et al.): 0 asks those who
        are known to be good, more tries out those of whom little is known.
    """
    found = posterior(beliefs, a, b, judge)
    ends = np.stack(np.broadcast_arrays(a, b), axis=-1)
    mean, variance = beliefs.mean[ends], beliefs.variance[ends]
    ratio = found.variance / variance
    systems = 0.5 * (ratio - 1 - np.log(ratio) + (found.mean - mean) ** 2 / variance).sum(axis=-1)
    true, false = beliefs.true[judge], beliefs.false[judge]
    judges = _beta_divergence(found.true, found.false, true, false)
    return np.asarray((found.chance * (systems + judge_weight * judges)).sum(axis=0))


def _beta_divergence(true: FloatArray, false: FloatArray, old_true: FloatArray, old_false: FloatArray) -> FloatArray:
    """KL of Beta(true, false) from Beta(old_true, old_false)."""
    more_true, more_false = true - old_true, false - old_false
    return np.asarray(
        betaln(old_true, old_false) - betaln(true, false)
        + more_true * digamma(true) + more_false * digamma(false)
        - (more_true + more_false) * digamma(true + false)
    )  # fmt: skip


def next_question(
    beliefs: Beliefs, *, judges: IntArray | None = None, judge_weight: float = 1.0
) -> tuple[int, int, int, float]:
    """The two systems and the judge whose answer is expected to change beliefs most, and by how much, in nats.

    Parameters
    ----------
    judges
        Numbers of those who can be asked; all, if not given.
    """
    asked = np.arange(len(beliefs.true)) if judges is None else np.asarray(judges, dtype=np.int64)
    if len(asked) == 0:
        raise InputError("no judge can be asked; give at least one")
    a, b = np.triu_indices(len(beliefs.mean), 1)
    best: tuple[int, int, int, float] | None = None
    step = max(1, _AT_ONCE // len(a))
    for lo in range(0, len(asked), step):
        gain = expected_change(beliefs, a, b, asked[lo : lo + step, None], judge_weight=judge_weight)
        who, pair = np.unravel_index(int(gain.argmax()), gain.shape)
        if best is None or gain[who, pair] > best[3]:
            best = int(a[pair]), int(b[pair]), int(asked[lo + who]), float(gain[who, pair])
    assert best is not None  # there is a judge
    return best
