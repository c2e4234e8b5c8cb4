"""Tallies of units, from those of shares: by segment, by judge, and by judge and segment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from ...judgments import FloatArray, IntArray
from .coefficients import Sums
from .intervals import Clustered
from .tallies import Shares


def pooled_by_segment(shares: Shares, *, wmt16: bool) -> Sums:
    """Tallies by segment, with a column for inter and one for intra."""
    # A pair of two judges is in the shares of both, and these are of one segment.
    return _pooled(shares, shares.segment, 0.5, wmt16=wmt16)


def pooled_clustered(shares: Shares, *, wmt16: bool) -> Clustered:
    """The same by segment, by judge, and by judge and segment."""
    return Clustered(
        by_segment=pooled_by_segment(shares, wmt16=wmt16),
        by_judge=_pooled(shares, shares.judge, 1.0, wmt16=wmt16),
        by_cell=_pooled(shares, _cells(shares.segment, shares.judge), 1.0, wmt16=wmt16),
        judges_in_a_pair=np.array([2, 1]),
    )


def _pooled(shares: Shares, unit: IntArray, weight: float, *, wmt16: bool) -> Sums:
    known, place = np.unique(unit, return_inverse=True)
    units = len(known)
    inter, inter_agreed = (weight * _added(place, x, units) for x in (shares.others, shares.others_agreed))
    intra, intra_agreed = (_added(place, x, units) for x in (shares.repeats, shares.repeats_agreed))
    counts = shares.counts
    ties, total = (_added(place, x, units) for x in (counts[:, 1], counts.sum(axis=1)))
    tied, counted = ties, total
    if wmt16:
        inter, inter_agreed = inter + intra, inter_agreed + intra_agreed
        again = _repeated_on(shares)
        tied, counted = (_added(place, x * again, units) for x in (counts[:, 1], counts.sum(axis=1)))
    return Sums(
        pairs=np.stack([inter, intra], axis=1),
        agreed=np.stack([inter_agreed, intra_agreed], axis=1),
        ties=np.stack([ties, tied], axis=1),
        total=np.stack([total, counted], axis=1),
    )


def _cells(segment: IntArray, judge: IntArray) -> IntArray:
    """Judge and segment as one number."""
    return np.asarray(segment * (int(judge.max(initial=0)) + 1) + judge)


def _added(group: IntArray, amounts: IntArray, groups: int) -> FloatArray:
    return np.bincount(group, amounts, groups).astype(np.float64)


def _repeated_on(shares: Shares) -> IntArray:
    """1 for every share of a judge on a segment with an item that the judge repeated."""
    of_both = np.unique(_cells(shares.segment, shares.judge), return_inverse=True)[1]
    return (np.bincount(of_both, shares.repeats) > 0)[of_both].astype(np.int64)


# -- one judge against the others: a column for every judge -------------------------------------------


def judges_by_segment(shares: Shares) -> Sums:
    """Tallies by segment, with a column for every judge against others and then one for every judge's repeats."""
    codes, judge = np.unique(shares.judge, return_inverse=True)
    judges = len(codes)
    others, repeats = shares.others > 0, shares.repeats > 0
    place = np.unique(shares.segment, return_inverse=True)[1]
    return _of_columns(
        unit=np.concatenate([place[others], place[repeats]]),
        column=np.concatenate([judge[others], judges + judge[repeats]]),
        pairs=np.concatenate([shares.others[others], shares.repeats[repeats]]),
        agreed=np.concatenate([shares.others_agreed[others], shares.repeats_agreed[repeats]]),
        chance=_ties_of(shares, place),
        columns=2 * judges,
    )


def judges_clustered(shares: Shares) -> Clustered:
    """Every judge against others, by segment, by the other judge, and by both."""
    codes, judge = np.unique(shares.judge, return_inverse=True)
    segment = np.unique(shares.segment, return_inverse=True)[1]
    counts = {f"outcome_{c}": column for c, column in enumerate(shares.counts.T)}
    table = pl.DataFrame({"item": shares.item, "segment": segment, "judge": judge, **counts})
    met = table.join(table, on="item", suffix="_2").filter(pl.col("judge") != pl.col("judge_2"))
    one, two = ([pl.col(name + end) for name in counts] for end in ("", "_2"))
    pairs = met.group_by("judge", "judge_2", "segment").agg(
        (pl.sum_horizontal(one) * pl.sum_horizontal(two)).sum().alias("pairs"),
        pl.sum_horizontal([a * b for a, b in zip(one, two, strict=True)]).sum().alias("agreed"),
    )
    column, other, where, amount, agreed = (
        pairs[name].to_numpy().astype(np.int64) for name in ("judge", "judge_2", "segment", "pairs", "agreed")
    )
    cells, cell = np.unique(_cells(segment, judge), return_inverse=True)
    tallies: dict[str, Any] = {"column": column, "pairs": amount, "agreed": agreed, "columns": len(codes)}
    cell_of_pair = np.searchsorted(cells, where * len(codes) + other)
    by_judge = _of_columns(unit=other, chance=_ties_of(shares, judge), **tallies)
    by_cell = _of_columns(unit=cell_of_pair, chance=_ties_of(shares, cell), **tallies)
    return Clustered(
        by_segment=judges_by_segment(shares).columns(0, len(codes)),
        by_judge=replace(by_judge, own=np.arange(len(codes))),
        by_cell=replace(by_cell, own=cells % len(codes)),
        judges_in_a_pair=np.ones(len(codes), dtype=np.int64),
    )


def _ties_of(shares: Shares, unit: IntArray) -> tuple[FloatArray, FloatArray]:
    """Ties and judgments of every unit: columns that all κs have in common."""
    units = int(unit.max()) + 1
    ties, total = (_added(unit, x, units)[:, None] for x in (shares.counts[:, 1], shares.counts.sum(axis=1)))
    return ties, total


def _of_columns(
    *,
    unit: IntArray,
    column: IntArray,
    pairs: IntArray,
    agreed: IntArray,
    chance: tuple[FloatArray, FloatArray],
    columns: int,
) -> Sums:
    """Sparse tallies; both tables have an entry wherever there are pairs."""
    from scipy.sparse import csr_array

    def table(amounts: IntArray) -> Any:
        return csr_array((amounts.astype(np.float64), (unit, column)), shape=(len(chance[0]), columns))

    return Sums(table(pairs), table(agreed), *chance)
