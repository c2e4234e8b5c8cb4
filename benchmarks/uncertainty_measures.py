"""What one ranking of a campaign says of its uncertainty, held against the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from palmares import Ranking
from palmares.judgments import BoolArray, FloatArray, IntArray

from .uncertainty_truth import Campaign

#: The width of the bins of probabilities.
BINS = 20


def measures(ranking: Ranking, campaign: Campaign) -> dict[str, Any]:
    """Numbers of one campaign, of which the study takes means; what a ranking does not say yet is left out."""
    codes = [campaign.judgments.systems.index(name) for name in ranking.systems]
    truth, places = campaign.scores[codes], campaign.places[codes]
    # Above: truly better. Best first, as the lines of the ranking.
    above = places[:, None, 1] < places[:, 0]
    equal = (places[:, None, 0] == places[:, 0]) & ~np.eye(len(codes), dtype=bool)
    lines: Sequence[Any] = ranking.lines
    missed, width = _scores(lines, truth)
    found: dict[str, Any] = {
        "score_misses": _mean(missed),
        "no_interval": float(np.isnan(missed).mean()),
        "width": _mean(width),
        **_ranks("", [line.range for line in lines], [line.cluster for line in lines], places, above, equal),
    }
    if getattr(lines[0], "joint_range", None) is not None:
        joint = [line.joint_range for line in lines], [line.joint_cluster for line in lines]
        found |= _ranks("joint_", *joint, places, above, equal)
    if getattr(ranking, "boundaries", None):
        found["boundaries_differ"] = _differ(ranking, [line.joint_cluster for line in lines])
    best = np.array([line.best for line in lines], dtype=float)
    first = (places[:, 0] == 1) / (places[:, 0] == 1).sum()
    found |= {"best_said": float(best.max()), "best_true": float(first[best.argmax()])}
    found["best_bins"] = _binned(best, first)
    assert ranking.better is not None
    i, j = np.triu_indices(len(codes), 1)
    apart = ~equal[i, j]
    found["better_bins"] = _binned(ranking.better[i, j][apart], above[i, j][apart].astype(float))
    odd = codes.index(0)
    found |= {"odd_misses": missed[odd], "odd_width": width[odd], "odd_best": best[odd], "odd_truly_best": first[odd]}
    found |= {"odd_first": float(odd == 0), "others_misses": _mean(np.delete(missed, odd))}
    return {name: _number(value) for name, value in found.items()}


def _scores(lines: Sequence[Any], truth: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Whether each interval misses, and how wide it is; NaN without an interval."""
    nothing = (np.nan, np.nan)
    intervals = np.array([line.interval or nothing for line in lines], dtype=float)
    missed = np.where(np.isnan(intervals[:, 0]), np.nan, (truth < intervals[:, 0]) | (truth > intervals[:, 1]))
    return missed, intervals[:, 1] - intervals[:, 0]


def _ranks(
    word: str,
    ranges: Sequence[tuple[int, int]],
    clusters: Sequence[int],
    places: IntArray,
    above: BoolArray,
    equal: BoolArray,
) -> dict[str, float]:
    """Of rank ranges and clusters, marginal or joint."""
    low, high = np.array(ranges).T
    number = np.array(clusters)
    # Any of the ranks that equal systems share is true of each.
    missed = (places[:, 1] < low) | (places[:, 0] > high)
    ordered = high[:, None] < low
    parted = number[:, None] < number
    return {
        f"{word}rank_misses": float(missed.mean()),
        f"{word}any_rank_missed": float(missed.any()),
        f"{word}range_size": float((high - low + 1).mean()),
        f"{word}clusters": float(number.max()),
        f"{word}boundary_wrong": float((parted & ~above).any()),
        f"{word}pair_wrong": float((ordered & ~above).any()),
        f"{word}equals_ordered": float((ordered & equal).any()),
    }


def _differ(ranking: Any, clusters: Sequence[int]) -> float:
    """Whether the joint boundaries and the joint clusters of a ranking say different things."""
    drawn = {b.above for b in ranking.boundaries if b.joint}
    return float(drawn != {k for k in range(1, len(clusters)) if clusters[k] != clusters[k - 1]})


def _binned(said: FloatArray, true: FloatArray) -> list[list[float]]:
    """Per bin that occurs: its number, how many probabilities are in it, their sum, and how many came true."""
    numbers = np.minimum((said * BINS + 1e-9).astype(int), BINS - 1)
    sums = [np.bincount(numbers, weights=w, minlength=BINS) for w in (np.ones_like(said), said, true)]
    return [[k, *(round(float(s[k]), 4) for s in sums)] for k in np.flatnonzero(sums[0]).tolist()]


def _mean(values: FloatArray) -> float:
    return float(np.nanmean(values)) if not np.isnan(values).all() else float("nan")


def _number(value: Any) -> Any:
    if isinstance(value, list):
        return value
    return None if np.isnan(value) else round(float(value), 6)
