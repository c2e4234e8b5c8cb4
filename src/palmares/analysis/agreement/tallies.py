"""How often judgments of the same thing agree, counted without looking at pairs of rows.

An *item* is two systems on one segment. A *share* is what one judge said of one item. All counts of pairs follow from
how often each outcome occurs in each share, so the work grows with the rows, not with their pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from ...errors import InputError
from ...judgments import OUTCOMES, BoolArray, IntArray, Judgments, encode_pairs, outcome_index

#: A covariate that names the first system of every row, where a file has no positions.
FIRST_SYSTEM = "extra.system1Id"


@dataclass(frozen=True)
class Rows:
    """The judgments that have a segment and a judge; ``outcome`` is 0 (a better), 1 (tie) or 2 (b better)."""

    segment: IntArray = field(repr=False)
    item: IntArray = field(repr=False)
    judge: IntArray = field(repr=False)
    outcome: IntArray = field(repr=False)
    look: IntArray = field(repr=False)  # rows of one ranking are one look at the screen; a row without is its own

    def __len__(self) -> int:
        return len(self.item)


@dataclass(frozen=True)
class Shares:
    """One entry for every (item, judge), with the pairs of judgments it is part of.

    ``others`` are pairs with a judgment of another judge, ``repeats`` pairs of the judge's own; ``counts`` has the
    outcomes.
    """

    segment: IntArray = field(repr=False)
    item: IntArray = field(repr=False)
    judge: IntArray = field(repr=False)
    counts: IntArray = field(repr=False)  # (shares, 3)
    others: IntArray = field(repr=False)
    others_agreed: IntArray = field(repr=False)
    repeats: IntArray = field(repr=False)
    repeats_agreed: IntArray = field(repr=False)


def rows_of(judgments: Judgments, *, ordered: bool = False) -> Rows:
    """The rows that can be compared; with ``ordered``, the two systems of an item stand as they were shown."""
    for column in ("segment", "judge"):
        if not judgments.has(column):
            raise InputError(
                f"agreement needs to know the {column} of each judgment, and none has one; name the column that "
                f"holds it, e.g. --column {column}=NAME (columns={{'{column}': 'NAME'}} from Python)"
            )
    segment, judge = (judgments.codes(c).astype(np.int64) for c in ("segment", "judge"))
    known = (segment >= 0) & (judge >= 0)
    if not known.any():
        raise InputError("agreement needs judgments with both a segment and a judge; no judgment has both")
    a, b = (judgments.codes(c).astype(np.int64) for c in ("system_a", "system_b"))
    outcome = outcome_index(judgments.codes("outcome"))
    if ordered:
        # Outcomes need no turning: all judgments of an ordered item are turned alike.
        swap = _shown_second(judgments)
        a, b = np.where(swap, b, a), np.where(swap, a, b)
    n = len(judgments.systems)
    item = _dense(_dense(segment[known]) * n * n + encode_pairs(a, b, n)[known])
    look = judgments.group_codes("ranking")
    return Rows(segment[known], item, judge[known], outcome[known], look[known])


def shares_of(rows: Rows, *, same_look: bool = False) -> Shares:
    """Tally the rows; two judgments of one ranking are no repeat, unless ``same_look`` says so."""
    judges = int(rows.judge.max()) + 1
    keys, share = np.unique(rows.item * judges + rows.judge, return_inverse=True)
    item, judge = np.divmod(keys, judges)
    counts = _table(share, rows.outcome, len(keys))
    of_item = _table(rows.item, rows.outcome, int(item[-1]) + 1)[item]
    rest = of_item - counts
    repeats, agreed = _pairs(counts)
    if not same_look:
        within, within_agreed = _pairs_in_a_look(rows, share, len(keys))
        repeats, agreed = repeats - within, agreed - within_agreed
    segment = np.empty(len(keys), dtype=np.int64)
    segment[share] = rows.segment
    return Shares(
        segment=segment,
        item=item,
        judge=judge,
        counts=counts,
        others=counts.sum(axis=1) * rest.sum(axis=1),
        others_agreed=(counts * rest).sum(axis=1),
        repeats=repeats,
        repeats_agreed=agreed,
    )


def _pairs(counts: IntArray) -> tuple[IntArray, IntArray]:
    """For counts of outcomes, how many pairs there are and how many agree."""
    total = counts.sum(axis=1)
    return total * (total - 1) // 2, (counts * (counts - 1) // 2).sum(axis=1)


def _pairs_in_a_look(rows: Rows, share: IntArray, shares: int) -> tuple[IntArray, IntArray]:
    """For every share, the pairs (and those that agree) that come from one ranking."""
    looks = int(rows.look.max()) + 1
    keys, group, size = np.unique(share * looks + rows.look, return_inverse=True, return_counts=True)
    twice = size > 1
    if not twice.any():
        return np.zeros(shares, dtype=np.int64), np.zeros(shares, dtype=np.int64)
    amounts = _pairs(_table(group, rows.outcome, len(keys))[twice])
    of_share = keys[twice] // looks
    pairs, agreed = (np.bincount(of_share, amount, shares).astype(np.int64) for amount in amounts)
    return pairs, agreed


def _table(group: IntArray, outcome: IntArray, groups: int) -> IntArray:
    """How often each of the three outcomes occurs in each group."""
    return np.bincount(group * OUTCOMES + outcome, minlength=groups * OUTCOMES).reshape(groups, OUTCOMES)


def _dense(keys: IntArray) -> IntArray:
    """The same keys numbered from 0."""
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)


def _shown_second(judgments: Judgments) -> BoolArray:
    """Whether the first system by name stood second; by position, or by the column that names the first."""
    if judgments.has("position_a"):
        a, b = (judgments.frame[f"position_{side}"].fill_null(0).to_numpy() for side in "ab")
        return np.asarray(a > b)
    rows = judgments.to_rows()
    if FIRST_SYSTEM in rows.columns:
        first = rows[FIRST_SYSTEM].cast(pl.String)
        known = (first == rows["system_a"]) | (first == rows["system_b"])
        if bool(known.fill_null(False).all()):
            return np.asarray((first == rows["system_b"]).to_numpy())
    raise InputError(
        "this counting distinguishes pairs by the order of their systems, which these judgments do not have: it needs "
        "positions, or the first system of every row in a column system1Id, as in the pairwise files of WMT (read "
        "with --collapse --extra system1Id; extra=['system1Id'], options=ReadOptions(merged='collapse') from Python)"
    )
