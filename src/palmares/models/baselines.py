"""What a preference model has to beat: ``uniform``, ``adjusted-uniform``, ``independent-pairs``,
``independent-systems``.

All four are closed-form functions of the counts (Hopkins & May 2013, §5 and §6). ``outcomes[..., i, j]`` holds the
probabilities that i is judged better than, equal to and worse than j.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NoReturn, get_args

import numpy as np

from ..compute import RngLike
from ..errors import InputError
from ..judgments import FloatArray, Judgments, PairCounts
from .base import CountModel, Links, OutcomeFit, check_placeable, counts_of, mean_preference

Reconstruction = Literal["arithmetic", "geometric", "asymmetric"]
RECONSTRUCTIONS = get_args(Reconstruction)


@dataclass(frozen=True)
class CountedFit(OutcomeFit):
    """A fit that keeps its counts, so that more judgments can be added."""

    counts: PairCounts = field(kw_only=True, repr=False)

    def update(self, more: Judgments | PairCounts) -> OutcomeFit:
        return self.model.fit(self.counts.plus(counts_of(more)))  # type: ignore[return-value]


class ClosedFormModel(CountModel):
    """A model whose outcome probabilities are a formula of the counts."""

    smooth = True
    predicts = True
    updates = True
    linked_by: ClassVar[Links] = "any"

    def limits(self, systems: int) -> tuple[float, float]:
        return 0.0, 1.0

    def outcomes(self, counts: PairCounts) -> FloatArray:
        """The probabilities of every pair, for counts or a batch of them: an array (…, n, n, 3)."""
        raise NotImplementedError

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> OutcomeFit:
        counts = counts_of(data)
        check_placeable(counts, linked_by=self.linked_by)
        outcomes = self.outcomes(counts)
        return CountedFit(self, counts.systems, mean_preference(outcomes), outcomes=outcomes, counts=counts)

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        return mean_preference(self.outcomes(batch))


class PredictsOnly(ClosedFormModel):
    """A model that treats all systems alike: it places none, and so can be fitted whatever was compared."""

    ranks = False

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> OutcomeFit:
        counts = counts_of(data)
        if len(counts.systems) < 2:
            raise InputError(f"got {len(counts.systems)} system(s); a prediction needs at least two")
        return CountedFit(self, counts.systems, None, outcomes=self.outcomes(counts), counts=counts)

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> NoReturn:
        raise InputError(f"model {self.id!r} predicts outcomes but gives no scores to rank by")


@dataclass(frozen=True)
class Uniform(PredictsOnly):
    """Q(win) = Q(tie) = Q(loss) = ⅓, whoever meets (Hopkins & May 2013, §5.1). Its perplexity is exactly 3."""

    id = "uniform"

    def outcomes(self, counts: PairCounts) -> FloatArray:
        return np.full((*counts.wins.shape, 3), 1 / 3)


@dataclass(frozen=True)
class AdjustedUniform(PredictsOnly):
    """Q(tie) = (ties + 1) / (judgments + 3), and wins and losses share the rest (Hopkins & May 2013, §5.2).

    The smoothing, which keeps Q(tie) above 0 where nothing was tied and below 1 where everything was, is ours.
    """

    id = "adjusted-uniform"

    def outcomes(self, counts: PairCounts) -> FloatArray:
        tied = counts.ties.sum((-1, -2)) / 2
        total = counts.wins.sum((-1, -2)) + tied
        tie = (tied + 1) / (total + 3)
        each = np.stack([(1 - tie) / 2, tie, (1 - tie) / 2], axis=-1)
        return np.broadcast_to(each[..., None, None, :], (*counts.wins.shape, 3)).copy()


@dataclass(frozen=True)
class IndependentPairs(ClosedFormModel):
    """Every pair of systems by itself: Q(π | i, j) = (α + count of π) / (3α + judgments of the pair).

    Hopkins & May 2013, §6.1. Nothing is learnt about a pair from any other; a pair that never met gets ⅓ each.
    The score is the mean over opponents of Q(win) + ½ Q(tie).

    Attributes
    ----------
    alpha
        Pseudo-counts: judgments of each outcome that are added to every pair.
    """

    id = "independent-pairs"
    lacks = {  # noqa: RUF012
        "duplication": "the α judgments that every pair is given weigh less the more judgments there are"
    }

    alpha: float = 1.0

    def __post_init__(self) -> None:
        _check_alpha(self.alpha)

    def outcomes(self, counts: PairCounts) -> FloatArray:
        return smoothed(counts.wins, counts.ties, np.swapaxes(counts.wins, -1, -2), alpha=self.alpha)


@dataclass(frozen=True)
class IndependentSystems(ClosedFormModel):
    """Every system by itself, and a pair put together from its two systems (Hopkins & May 2013, §6.2).

    Q(π | i) = (α + count of π for i) / (3α + judgments of i), over all opponents; and with π̂ the outcome π seen
    from the other side,

    - ``arithmetic``: Q(π | i, j) = ½ Q(π | i) + ½ Q(π̂ | j);
    - ``geometric``: Q(π | i, j) ∝ √(Q(π | i) Q(π̂ | j)), divided by the sum over π, which the paper leaves out;
    - ``asymmetric``: Q(π | i, j) = Q(π | i), which ignores the opponent: Q(win | i, j) ≠ Q(loss | j, i).

    The score is the mean over opponents of Q(win) + ½ Q(tie).

    Attributes
    ----------
    alpha
        Pseudo-counts: judgments of each outcome that are added to every system.
    reconstruction
        How a pair is put together: one of `RECONSTRUCTIONS`.
    """

    id = "independent-systems"

    alpha: float = 1.0
    reconstruction: Reconstruction = "arithmetic"

    def __post_init__(self) -> None:
        _check_alpha(self.alpha)
        if self.reconstruction not in RECONSTRUCTIONS:
            allowed = ", ".join(RECONSTRUCTIONS)
            raise InputError(f"setting reconstruction: got {self.reconstruction!r}; allowed: {allowed}")

    @property
    def lacks(self) -> Mapping[str, str]:  # type: ignore[override]  # one setting decides
        smoothing = {"duplication": "the α judgments that every system is given weigh less the more there are"}
        if self.reconstruction != "asymmetric":
            return smoothing
        return {**smoothing, "symmetric": "what i does against j is taken from i alone, so j's view may differ"}

    def outcomes(self, counts: PairCounts) -> FloatArray:
        lost = counts.wins.sum(-2)
        system = smoothed(counts.wins.sum(-1), counts.ties.sum(-1), lost, alpha=self.alpha)
        mine, theirs = np.broadcast_arrays(system[..., :, None, :], system[..., None, :, ::-1])
        if self.reconstruction == "asymmetric":
            return mine.copy()
        if self.reconstruction == "arithmetic":
            return np.asarray((mine + theirs) / 2)
        product = np.sqrt(mine * theirs)
        return np.asarray(product / product.sum(-1, keepdims=True))


def smoothed(won: FloatArray, tied: FloatArray, lost: FloatArray, *, alpha: float) -> FloatArray:
    """(α + count of the outcome) / (3α + count of all), with the three outcomes on a last axis."""
    counts = np.stack([won, tied, lost], axis=-1) + alpha
    return np.asarray(counts / counts.sum(-1, keepdims=True))


def _check_alpha(alpha: float) -> None:
    if not 0 < alpha < np.inf:
        raise InputError(f"setting alpha: got {alpha:g}; allowed: a number above 0")
