"""The counting of Grundkiewicz et al. 2015: a κ for every two judges, and its mean."""

from __future__ import annotations

import numpy as np
import polars as pl

from ...judgments.counts import FloatArray
from .kappa import Kappa
from .tallies import IntArray, Shares

#: How often each outcome was given, in sums over items.
_SEEN = ("a_better", "tie", "b_better")


def mean_over_judges(shares: Shares) -> tuple[Kappa, Kappa]:
    """Between judges, and within: means of the κs of every two judges and of each judge, weighted by their pairs.

    Chance is taken from the judgments that the two share (of the one judge: those of repeated items), with < and >
    as they fall when the systems stand in the order of their names.
    """
    return _mean(_between(shares)), _mean(_within(shares))


def _between(shares: Shares) -> FloatArray:
    """One row for every two judges: pairs, pairs that agree, and how often they gave each outcome."""
    table = _table(shares)
    met = table.join(table, on="item", suffix="_2").filter(pl.col("judge") < pl.col("judge_2"))
    one, two = ([pl.col(name + end) for name in _SEEN] for end in ("", "_2"))
    sums = met.group_by("judge", "judge_2").agg(
        (pl.sum_horizontal(one) * pl.sum_horizontal(two)).sum().alias("pairs"),
        pl.sum_horizontal([a * b for a, b in zip(one, two, strict=True)]).sum().alias("agreed"),
        *[(a + b).sum() for a, b in zip(one, two, strict=True)],
    )
    return sums.sort("judge", "judge_2").select("pairs", "agreed", *_SEEN).to_numpy().astype(np.float64)


def _within(shares: Shares) -> FloatArray:
    """The same for every judge, over the items that the judge judged again."""
    again = shares.repeats > 0
    table = _table(shares).with_columns(pairs=pl.Series(shares.repeats), agreed=pl.Series(shares.repeats_agreed))
    sums = table.filter(pl.Series(again)).group_by("judge").agg(pl.col("pairs", "agreed", *_SEEN).sum())
    return sums.sort("judge").select("pairs", "agreed", *_SEEN).to_numpy().astype(np.float64)


def _table(shares: Shares) -> pl.DataFrame:
    counts: dict[str, IntArray] = dict(zip(_SEEN, shares.counts.T, strict=True))
    return pl.DataFrame({"item": shares.item, "judge": shares.judge, **counts})


def _mean(sums: FloatArray) -> Kappa:
    pairs, agreed, seen = sums[:, 0], sums[:, 1], sums[:, 2:]
    if not len(sums):
        return Kappa(0, 0, None, None, None)
    expected = ((seen / seen.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
    # Two judges who gave one and the same outcome throughout agree by chance alone: no κ, so no part in the mean.
    usable = expected < 1
    share = agreed[usable] / pairs[usable]
    kappas = (share - expected[usable]) / (1 - expected[usable])
    total = int(pairs.sum()), int(agreed.sum())
    if not usable.any():
        return Kappa(*total, total[1] / total[0], 1.0, None)
    weight = pairs[usable] / pairs[usable].sum()
    return Kappa(*total, total[1] / total[0], float(weight @ expected[usable]), float(weight @ kappas))
