"""What judges' labels and times are exchanged between: all that one judge said of one segment.

Judgments of one segment are alike, whoever makes them, because they look at the same outputs. Where a judge saw a
segment several times, exchanging single rankings would take that likeness for a property of the judge.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ...judgments import Judgments

IntArray = npt.NDArray[np.int64]

#: Sizes of blocks in one class differ by less than this factor.
_CLASS = 1.25


@dataclass(frozen=True)
class Blocks:
    """Units of one judge on one segment; a unit whose segment is unknown is a block of its own.

    Attributes
    ----------
    of_unit
        The block of every unit.
    judge
        The code of every block's judge; −1 where it has none.
    segment
        The code of every block's segment; one of its own where it is unknown.
    made
        How many units every block holds.
    by_segment
        Whether segments are known, so that a block may hold more than a unit.
    """

    of_unit: IntArray = field(repr=False)
    judge: IntArray = field(repr=False)
    segment: IntArray = field(repr=False)
    made: IntArray = field(repr=False)
    by_segment: bool

    @property
    def classes(self) -> IntArray:
        """Blocks of similar size: large ones vary more, so only blocks of a class can be exchanged."""
        return np.unique(np.floor(np.log(self.made) / np.log(_CLASS)), return_inverse=True)[1].astype(np.int64)


def blocks(judge: IntArray, segment: IntArray, judgments: Judgments) -> Blocks:
    """The blocks of units, given the judge and the segment of each."""
    # One segment for all of the judgments says no more than none.
    known = (segment >= 0) & (len(judgments.segments) > 1)
    alone = len(judgments.segments) + np.arange(len(segment))
    place = np.where(known, segment, alone)
    key = (judge + 1) * (len(judgments.segments) + len(segment)) + place
    _, first, code = np.unique(key, return_index=True, return_inverse=True)
    # Numbered by their first unit, so that a block that is one unit keeps its place.
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first, kind="stable")] = np.arange(len(first))
    of_unit = order[code]
    first = np.sort(first)
    return Blocks(of_unit, judge[first], place[first], np.bincount(of_unit), bool(known.any()))
