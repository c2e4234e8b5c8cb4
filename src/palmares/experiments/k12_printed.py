"""The two campaigns of WMT12 that Koehn 2012 prints (Tables 2 and 3), and what can be rebuilt from their scores."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..design.simulate import ranks_with_ties
from ..judgments import FloatArray, IntArray, Judgments
from .campaigns import pairs_of_rankings
from .k12 import OUTPUTS, PER_RANKING
from .published import load

#: Steps of `strengths`, which are more than enough for four decimals.
_STEPS = 200


@dataclass(frozen=True)
class Printed:
    """A campaign as the paper prints it; ``sigma`` is what it calls σ², ``ranges`` first and last ranks."""

    table: str
    pair: str
    sigma: int
    judgments: int
    clusters: int
    systems: tuple[str, ...]
    scores: FloatArray = field(repr=False)
    ranges: IntArray = field(repr=False)

    @property
    def name(self) -> str:
        return f"WMT12 {self.pair} ({self.table})"

    @property
    def spread_of_scores(self) -> float:
        return float(self.scores.std(ddof=1))


def printed(number: int) -> Printed:
    """Table 2 or 3."""
    item = load("k12")[f"table_{number}"]
    names, scores, texts = zip(*item["systems"], strict=True)
    ends = [text.partition("-")[::2] for text in texts]
    ranges = np.array([[int(first), int(last or first)] for first, last in ends])
    return Printed(
        f"Table {number}", item["pair"], item["sigma"], item["judgments"], item["clusters"], names,
        np.array(scores), ranges,
    )  # fmt: skip


def strengths(scores: FloatArray) -> FloatArray:
    """Qualities at which expected wins are these, in units of the standard deviation of a difference of two outputs.

    Solves mean over j of Φ(x_i − x_j) = score_i, along the last axis; the sum of x is 0.
    """
    from scipy.special import ndtr

    n = scores.shape[-1]
    wanted = scores - scores.mean(axis=-1, keepdims=True)
    x = np.zeros_like(scores)
    for _ in range(_STEPS):
        # Against itself a system wins ½, which is left out.
        won = (ndtr(x[..., :, None] - x[..., None, :]).sum(axis=-1) - 0.5) / (n - 1)
        x = x + 2.0 * (wanted - (won - 0.5))
    return np.asarray(x - x.mean(axis=-1, keepdims=True))


def sigma_of(scores: FloatArray) -> FloatArray:
    """The spread of outputs, if qualities are uniform on [0, 10], from how far apart the scores are (last axis)."""
    wide = strengths(scores).std(axis=-1, ddof=1)
    return np.asarray(10 / np.sqrt(12) / np.sqrt(2) / wide)


def rebuilt(campaign: Printed, ties: float, rng: np.random.Generator) -> Judgments:
    """A campaign of systems as strong as the printed scores say; a share of its judgments are ties, and left out."""
    quality = strengths(campaign.scores) * np.sqrt(2)
    rankings = campaign.judgments // PER_RANKING
    shown = rng.random((rankings, len(quality))).argsort(axis=1)[:, :OUTPUTS]
    ranks = ranks_with_ties(rng.normal(quality[shown]), 0.0)
    judgments = pairs_of_rankings(shown, ranks, np.zeros(rankings, dtype=np.int64), len(quality))
    return judgments.filter(rng.random(len(judgments)) >= ties) if ties else judgments
