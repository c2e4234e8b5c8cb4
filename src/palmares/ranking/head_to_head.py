"""Head-to-head tables (Bojar et al. 2014, Tables 28–37)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..errors import InputError
from ..ingest.given import judgments_or_counts
from ..judgments import FloatArray, Judgments, PairCounts
from ..models.base import counts_of
from ..models.ratios import ExpectedWins
from ..results import Shown, counted
from .result import Ranking
from .significance import decisions, mark, sign_test


@dataclass(frozen=True)
class HeadToHead(Shown):
    """How often the system in the column was judged better than the one in the row, ties ignored.

    ``share[r, c]`` is NaN where the two never met decisively; ``p`` is the two-sided sign test. Systems are in
    the order of the ranking whose ranges the table shows.
    """

    shown_by: ClassVar[str] = "head-to-head"

    systems: tuple[str, ...]
    share: FloatArray = field(repr=False)
    decided: FloatArray = field(repr=False)
    p: FloatArray = field(repr=False)
    expected_wins: FloatArray = field(repr=False)
    ranking: Ranking = field(repr=False)

    def __repr__(self) -> str:
        met = int(np.triu(self.decided > 0).sum())
        text = f"{counted(len(self.systems), 'system')}, {counted(met, 'pair')} with decided comparisons"
        return self._line(text, self.lang_pair)

    @property
    def lang_pair(self) -> str | None:
        """Of the judgments, if they have one."""
        return self.ranking.lang_pair

    def mark(self, row: int, column: int) -> str:
        """⋆, †, ‡ or nothing."""
        return mark(float(self.p[row, column])) if self.decided[row, column] else ""

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        n = len(self.systems)
        cells = [
            {
                "row": self.systems[r],
                "column": self.systems[c],
                "share": None if np.isnan(self.share[r, c]) else float(self.share[r, c]),
                "decided": float(self.decided[r, c]),
                "p": float(self.p[r, c]),
                "mark": self.mark(r, c),
            }
            for r in range(n)
            for c in range(n)
            if r != c
        ]
        return {
            "signature": self.ranking.signature,
            "record": self.ranking.record.to_dict(),
            "lang_pair": self.ranking.lang_pair,
            "systems": [
                {
                    "system": line.system,
                    "expected_wins": float(wins),
                    "range": list(line.range) if line.range else None,
                    "joint_range": list(line.joint_range) if line.joint_range else None,
                }
                for line, wins in zip(self.ranking.lines, self.expected_wins, strict=True)
            ],
            "cells": cells,
            "notes": list(self.ranking.notes),
        }


def head_to_head(data: Judgments | PairCounts | Any, ranking: Ranking) -> HeadToHead:
    """Compare every two systems of a ranking of the same judgments.

    Parameters
    ----------
    data
        Judgments or pair counts; a data frame or the path of a file is read.
    """
    if not isinstance(ranking, Ranking):
        raise InputError(
            f"head_to_head: got a {type(ranking).__name__} for the ranking; give what palmares.rank returns"
        )
    data = judgments_or_counts(data, "head_to_head")
    counts, judged = counts_of(data), decisions(data)
    if set(ranking.systems) != set(counts.systems):
        counts, judged = counts.keep(ranking.systems), judged.keep(ranking.systems)
    order = np.array([counts.systems.index(name) for name in ranking.systems])
    grid = np.ix_(order, order)
    decided = counts.decided[grid]
    beaten = counts.wins.T[grid]  # how often the column's system beat the row's
    share = np.divide(beaten, decided, out=np.full_like(beaten, np.nan), where=decided > 0)
    scores = ExpectedWins().score(counts.batch, [])[0]
    return HeadToHead(ranking.systems, share, decided, sign_test(judged)[grid], scores[order], ranking)
