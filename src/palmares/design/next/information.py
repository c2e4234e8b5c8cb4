"""``information``: what is expected to tell most about all scores (ASAP, Mikhailiuk et al. 2020)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from ...judgments import FloatArray, IntArray
from .choices import Choices
from .gains import clique, laplacian, spanning_tree, told, told_pair
from .knowledge import Knowledge

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(11)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


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
        plan = self._pairs if size == 2 else self._screens
        return Choices.planned("information", knowledge.systems, plan(knowledge, size, number))

    def _pairs(self, knowledge: Knowledge, size: int, number: int) -> list[IntArray]:
        """Spanning trees, one after the other."""
        covariance, screens = knowledge.covariance, list[IntArray]()
        while len(screens) < number and len(covariance) > 1:
            tree = spanning_tree(expected_information(knowledge, covariance))[: number - len(screens)]
            for x, y in tree:
                covariance = told_pair(covariance, x, y, float(knowledge.information[x, y]))
            screens += map(np.array, tree)
        return screens

    def _screens(self, knowledge: Knowledge, size: int, number: int) -> list[IntArray]:
        """Cliques; after each, the gains of pairs with one of its systems are new, and those of others as before."""
        covariance, screens = knowledge.covariance, list[IntArray]()
        gains = expected_information(knowledge, covariance)
        for _ in range(number):
            screens.append(members := clique(gains, size))
            covariance = told(covariance, members, laplacian(knowledge.screen(members)))
            everyone = np.arange(len(covariance))
            first, second = np.repeat(members, len(everyone)), np.tile(everyone, len(members))
            gains[first, second] = gains[second, first] = _gains(knowledge, covariance, first, second)
        return screens


def expected_information(knowledge: Knowledge, covariance: FloatArray) -> FloatArray:
    """The expected information, in nats, of one comparison of every two systems about all strengths."""
    first, second = np.triu_indices(len(covariance), 1)
    out = np.zeros_like(covariance)
    out[first, second] = out[second, first] = _gains(knowledge, covariance, first, second)
    return out


def _gains(knowledge: Knowledge, covariance: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """Of some pairs.

    Where errors are wider than those of independent comparisons, so is the noise of one more: J v is what counts.
    """
    diagonal = covariance.diagonal()
    variance = np.maximum(diagonal[first] + diagonal[second] - 2 * covariance[first, second], 0.0)
    spread = np.sqrt(variance / (knowledge.stretch[first] * knowledge.stretch[second]))
    lead, tie, entropy = _davidson(knowledge.gaps[first, second] + spread * _NODES[:, None], knowledge.tie)
    lead, tie = _WEIGHTS @ lead, _WEIGHTS @ tie
    expected = -sum(xlogy(p, p) for p in ((1 - tie + lead) / 2, tie, (1 - tie - lead) / 2))
    return np.asarray(expected - _WEIGHTS @ entropy)


def _davidson(gap: FloatArray, tie: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """P(win) − P(loss), P(tie), and the entropy of the outcome, log z − (P(win) − P(loss)) gap/2 − P(tie) κ.

    z = r + 1/r + ν, with r = e^(gap/2) and ν = e^κ.
    """
    half = np.clip(gap / 2, -300, 300)
    r = np.exp(half)
    inverse = 1 / r
    z = r + inverse + np.exp(tie)
    lead, tied = (r - inverse) / z, np.exp(tie) / z
    return lead, tied, np.log(z) - lead * half - tied * tie
