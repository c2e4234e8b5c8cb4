"""Campaigns to experiment on: published judgments where there are some, else simulated ones of the same shape."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from ..compute import ExperimentStream, generator
from ..design.simulate import CampaignPlan, numbered, ranks_with_ties, simulate
from ..ingest.files import concat, read
from ..judgments import IntArray, Judgments, PairCounts
from .base import Context
from .published import HeadToHeadTable, load

#: The published sample of WMT13 French–English that Sakaguchi et al. 2014 used.
WMT13 = ("wmt13/fr-en.train.csv", "wmt13/fr-en.test.csv")
#: How the names of crowd workers begin there.
CROWD = "turker_*"


@dataclass(frozen=True)
class Pool:
    """Judgments to train on, by experts and the crowd, and expert judgments to test on."""

    name: str
    real: bool
    train: Judgments = field(repr=False)
    test: Judgments = field(repr=False)

    @property
    def experts(self) -> Judgments:
        """The training judgments of experts."""
        return self.train.without(judge=CROWD)

    @property
    def crowd(self) -> Judgments:
        """The training judgments of the crowd."""
        return self.train.select(judge=CROWD)

    @property
    def data(self) -> dict[str, str]:
        """Names and digests, for signatures."""
        return {f"{self.name}, {part}": judgments.hash for part, judgments in self.parts}

    @property
    def parts(self) -> tuple[tuple[str, Judgments], ...]:
        return ("train", self.train), ("test", self.test)


def wmt13_pool(context: Context, rankings: int) -> Pool:
    """WMT13 French–English, or a simulated stand-in with ``rankings`` rankings, a third of them by experts."""
    if context.folder is None:
        return _stand_in(rankings, context.seed)
    train, test = (_renamed(read(context.folder / name)) for name in WMT13)
    return Pool("WMT13 French–English", True, train, test)


def _renamed(judgments: Judgments) -> Judgments:
    """With the names of systems that Sakaguchi et al. 2014, Table 1, prints."""
    short = {file: name for name, (_, _, file) in load("s14")["table_1"].items()}
    names = {"system_a": pl.col("system_a").replace(short), "system_b": pl.col("system_b").replace(short)}
    return Judgments.from_rows(judgments.to_rows().with_columns(**names))


def _stand_in(rankings: int, seed: int) -> Pool:
    """13 systems, experts and a noisier crowd who judge the same systems, and 200 expert rankings to test on."""
    third = max(rankings // 3, 1)
    plan = CampaignPlan(systems=13, judges=67, segments=1000, tie_radius=3.0, segment_effect=6.0, spread=8.0)
    sizes = {"experts": (third, 67, 0.0), "crowd": (rankings - third, 151, 8.0), "test": (200, 47, 0.0)}
    parts = {}
    for number, (name, (size, judges, noise)) in enumerate(sizes.items()):
        # Qualities are the first thing that `simulate` draws: one seed gives all parts the same systems.
        simulated = simulate(
            plan, rng=generator(seed, ExperimentStream.STAND_IN), rankings=size, judges=judges, judge_noise=noise
        )
        parts[name] = _own_names(simulated.judgments, number, "turker_" if name == "crowd" else "expert_")
    train = concat([parts["experts"], parts["crowd"]])
    return Pool("simulated stand-in for WMT13 French–English", False, train, parts["test"])


def _own_names(judgments: Judgments, number: int, judge: str) -> Judgments:
    """With judges, rankings and segments that no other part has: the parts share their systems only."""
    rows = judgments.to_rows()
    own = {name: pl.format(f"{number}-{{}}", pl.col(name)) for name in ("ranking", "segment")}
    return Judgments.from_rows(rows.with_columns(judge=pl.format(f"{judge}{number}-{{}}", pl.col("judge")), **own))


# -- from published percentages --------------------------------------------------------------------


def from_table(table: HeadToHeadTable, judgments: int, ties: float) -> PairCounts:
    """The campaign behind a table, as far as it can be told from it.

    Every pair won as often as printed. How often each was judged and tied is not printed: all alike, and the share
    ``ties`` of all judgments.
    """
    first, second = np.triu_indices(len(table.systems), 1)
    each = judgments / len(first)
    tied = np.full(len(first), np.round(ties * each))
    won = np.round((np.round(each) - tied) * table.wins[first, second])
    wins, equal = np.zeros((2, len(table.systems), len(table.systems)))
    wins[first, second], wins[second, first] = won, np.round(each) - tied - won
    equal[first, second] = equal[second, first] = tied
    return PairCounts(table.systems, wins, equal)


def oracle(counts: PairCounts) -> float:
    """The share of judgments that are the most frequent outcome of their pair."""
    pairs = np.triu_indices(len(counts.systems), 1)
    outcomes = np.stack([counts.wins[pairs], counts.ties[pairs], counts.wins.T[pairs]])
    return float(outcomes.max(axis=0).sum() / outcomes.sum())


def tie_rate(table: HeadToHeadTable, judgments: int, wanted: float) -> float:
    """The share of ties at which the oracle is right as often as ``wanted``; at most .34.

    The more ties, the less often is the winner right, up to where ties are the most frequent outcome themselves.
    """
    low, high = 0.0, 0.34
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if oracle(from_table(table, judgments, middle)) > wanted else (low, middle)
    return (low + high) / 2


# -- of the shape of a track -----------------------------------------------------------------------


def track(judgments: int, *, systems: int, reference: bool, rng: np.random.Generator) -> Judgments:
    """A simulated competition track; with a ``reference`` translation among the systems, far better than all."""
    rankings = judgments // 10
    quality = rng.uniform(0, 10, systems + reference)
    if reference:
        quality[-1] = 25.0
    shown = rng.random((rankings, len(quality))).argsort(axis=1)[:, :5]
    segments = max(rankings // 3, 1)
    # A third of the segments get more than half of the rankings, as where agreement is measured on purpose.
    segment = (segments * rng.random(rankings) ** 1.5).astype(np.int64)
    luck = rng.normal(0, 6, (segments, len(quality)))
    seen = rng.normal(quality[shown] + luck[segment[:, None], shown], 8)
    return pairs_of_rankings(shown, ranks_with_ties(seen, 3.0), segment, len(quality))


def pairs_of_rankings(shown: IntArray, ranks: IntArray, segment: IntArray, systems: int) -> Judgments:
    """Every pair of rankings of equal size, as judgments."""
    first, second = np.triu_indices(shown.shape[1], 1)
    rankings = len(shown)
    codes = {
        "system_a": shown[:, first].ravel(),
        "system_b": shown[:, second].ravel(),
        "segment": np.repeat(segment, len(first)),
        "ranking": np.repeat(np.arange(rankings), len(first)),
    }
    outcome = np.sign(ranks[:, second] - ranks[:, first]).ravel().astype(np.int8)
    frame = pl.DataFrame({**{k: v.astype(np.int32) for k, v in codes.items()}, "outcome": outcome})
    sizes = {"system": systems, "segment": int(segment.max()) + 1, "ranking": rankings}
    names = {kind: pl.Series(kind, numbered(kind, size)) for kind, size in sizes.items()}
    return Judgments.from_codes(frame, names)
