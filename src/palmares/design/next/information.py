"""``information``: what is expected to tell most about all scores (ASAP, Mikhailiuk et al. 2020)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...judgments import FloatArray, IntArray
from .choices import Choices
from .gains import clique, laplacian, spanning_tree, spreads, told
from .knowledge import Knowledge

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(11)
_LEAST = 1e-300


@dataclass(frozen=True)
class Information:
    """The largest expected information of an outcome about all strengths, whose posterior is normal with θ̂ and Σ.

    An outcome depends on the difference of two strengths alone, so the gain is the mutual information of both: the
    entropy of the expected outcome less the expected entropy, by Gauss–Hermite quadrature. Pairs are planned in batches
    of n − 1 that link all systems, those of the largest sum of gains; the paper's tree is the smallest one of inverse
    gains, which is nearly, and for the order of gains exactly, the same. Of more than two systems, those whose pairs
    have the largest sum of gains.
    """

    def choices(self, knowledge: Knowledge, size: int, number: int, rng: np.random.Generator) -> Choices:
        covariance: FloatArray = knowledge.covariance
        screens: list[IntArray] = []
        while len(screens) < number:
            gains = expected_information(knowledge, covariance)
            batch = spanning_tree(gains)[: number - len(screens)] if size == 2 else [clique(gains, size)]
            for members in map(np.asarray, batch):
                covariance = told(covariance, members, laplacian(knowledge.screen(members)))
                screens.append(members)
        return Choices.planned("information", knowledge.systems, screens)


def expected_information(knowledge: Knowledge, covariance: FloatArray) -> FloatArray:
    """The expected information, in nats, of one comparison of every two systems about all strengths.

    Where errors are wider than those of independent comparisons, so is the noise of one more: J v is what counts.
    """
    first, second = np.triu_indices(len(covariance), 1)
    widened = knowledge.stretch[first] * knowledge.stretch[second]
    variance = np.maximum(spreads(covariance)[first, second], 0.0) / widened
    weight = _WEIGHTS / _WEIGHTS.sum()
    points = knowledge.gaps[first, second] + np.sqrt(variance) * _NODES[:, None]
    outcomes = _davidson(points, knowledge.tie)
    gain = _entropy(np.tensordot(weight, outcomes, axes=(0, 1))) - weight @ _entropy(outcomes)
    out = np.zeros_like(covariance)
    out[first, second] = out[second, first] = gain
    return out


def _davidson(gap: FloatArray, tie: float) -> FloatArray:
    """P(win), P(tie), P(loss) along the first axis."""
    win, loss = np.exp(np.clip(gap / 2, -300, 300)), np.exp(np.clip(-gap / 2, -300, 300))
    nu = np.exp(tie)
    return np.asarray(np.stack([win, np.full_like(win, nu), loss]) / (win + nu + loss))


def _entropy(outcomes: FloatArray) -> FloatArray:
    return np.asarray(-(outcomes * np.log(np.maximum(outcomes, _LEAST))).sum(axis=0))
