"""What the experiments share: random training sets, predictions cut at a radius, accuracy and perplexity."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..analysis.compare.heldout import aligned
from ..compute import ExperimentStream, generator
from ..errors import InputError
from ..judgments import FloatArray, Judgments, PairCounts
from ..ranking.bootstrap import comparable
from .campaigns import Pool

#: The decision radii that Sakaguchi et al. 2014, §3.4, tried.
RADII = (0.001, 0.01, 0.1, 0.3, 0.5)
#: No outcome is given less than this.
_LEAST = 1e-12
_TRIES = 50


@dataclass(frozen=True)
class Split:
    """Judgments to train on, and the counts to tune and to test on, all over the same systems."""

    train: Judgments = field(repr=False)
    dev: PairCounts = field(repr=False)
    test: PairCounts = field(repr=False)


def split(pool: Pool, who: str, dev_rankings: int, seed: int) -> Split:
    """Training judgments of ``all`` or of researchers alone (``res``); some expert rankings are kept for tuning.

    The rankings for tuning are the same whoever is trained on.
    """
    experts = pool.experts
    names = np.array(sorted(experts.names["ranking"]))
    chosen = generator(seed, ExperimentStream.DEVELOPMENT).permutation(len(names))[:dev_rankings]
    dev = experts.filter(experts.where("ranking", [*names[chosen].tolist()]))
    rest = pool.train if who == "all" else experts
    kept = np.isin(np.array(rest.names["ranking"]), names[chosen], invert=True)
    train = rest.filter(kept[rest.codes("ranking")])
    return Split(train, over(train, dev), over(train, pool.test))


def over(train: Judgments, other: Judgments) -> PairCounts:
    """The counts of other judgments, over the systems that training knows."""
    inside = np.isin(np.array(other.systems), train.systems)
    known = other.filter(inside[other.codes("system_a")] & inside[other.codes("system_b")])
    return aligned(train, known)[1].counts


def drawn(judgments: Judgments, size: int, rng: np.random.Generator) -> Judgments:
    """A random training set without repeats that links all systems; the first such of a few draws."""
    for _ in range(_TRIES):
        part = judgments.take(rng.permutation(len(judgments))[:size])
        if len(part.counts.components()) == 1:
            return part
    raise InputError(f"{size} of {len(judgments)} judgments do not link {len(judgments.systems)} systems; use more")


def cut(mean: FloatArray, variance: FloatArray, radius: float, *, symmetric: bool) -> FloatArray:
    """P(win), P(tie), P(loss) of every pair from a normal difference of systems: an array (n, n, 3).

    With S1 the system of higher mean, S1 − S2 ~ N(μ1 − μ2, σ1² + σ2²) is cut as Sakaguchi et al. 2014, §3.2, print it:
    S1 loses below 0, ties from 0 to ``radius``, wins above. ``symmetric`` cuts at ± ``radius`` instead.
    """
    from scipy.special import ndtr

    width = np.sqrt(variance[:, None] + variance)
    apart = np.abs(mean[:, None] - mean)
    low = -radius if symmetric else 0.0
    loss, win = ndtr((low - apart) / width), ndtr((apart - radius) / width)
    ordered = np.maximum(np.stack([win, 1 - win - loss, loss], axis=-1), _LEAST)
    ahead = (mean[:, None] > mean) | ((mean[:, None] == mean) & np.tri(len(mean), k=-1, dtype=bool).T)
    table = np.where(ahead[..., None], ordered, ordered[..., ::-1])
    return np.asarray(table / table.sum(-1, keepdims=True))


def measured(table: FloatArray, counts: PairCounts) -> tuple[float, float]:
    """Accuracy of the most probable outcome of every pair, and perplexity, on these judgments.

    Outcomes that are equally probable share the credit.
    """
    pairs = np.triu_indices(len(counts.systems), 1)
    happened = np.stack([counts.wins[pairs], counts.ties[pairs], counts.wins.T[pairs]], axis=1)
    q = table[pairs]
    level = comparable(q)
    best = level == level.max(axis=1, keepdims=True)
    right = (happened * best / best.sum(axis=1, keepdims=True)).sum()
    surprise = -(happened * np.log2(q)).sum()
    return float(right / counts.total), float(2 ** (surprise / counts.total))


def tuned(mean: FloatArray, variance: FloatArray, part: Split, *, symmetric: bool = False) -> tuple[float, float]:
    """Accuracy and perplexity on the test judgments, each with the radius that is best for it on the others."""
    tables = [cut(mean, variance, radius, symmetric=symmetric) for radius in RADII]
    dev = np.array([measured(table, part.dev) for table in tables])
    accuracy = measured(tables[int(dev[:, 0].argmax())], part.test)[0]
    return accuracy, measured(tables[int(dev[:, 1].argmin())], part.test)[1]
