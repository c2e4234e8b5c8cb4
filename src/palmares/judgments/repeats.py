"""Judgments that are there twice: the same judge said the same of the same segment, to the last column.

A judge may be shown a screen again on purpose, to see how far judges agree with themselves; a file may have been put
together from parts that overlap. Both count, and both are counted here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import IntArray
from .digest import Words, mix_words, row_words
from .table import Judgments

#: So many rankings are given twice in the same words by chance, where screens are shown again on purpose; more are a
#: mistake in the file.
_BY_CHANCE = 0.02


@dataclass(frozen=True)
class Repeats:
    """How many judgments, and how many whole rankings, repeat another one in every column.

    ``rows`` counts judgments outside rankings that repeat any other, and those that repeat one of the same ranking.
    ``timed``: rankings repeat to the time or the duration, which no judge can do.
    """

    rows: int
    rankings: int
    timed: bool

    @classmethod
    def of(cls, judgments: Judgments) -> Repeats:
        """Count among judgments whose judge and segment are known; of others it cannot be said."""
        known = (judgments.codes("judge") >= 0) & (judgments.codes("segment") >= 0)
        words, ranking = row_words(judgments.frame), judgments.codes("ranking").astype(np.int64)
        linked, loose = known & (ranking >= 0), words[known & (ranking < 0)]
        in_ranking = mix_words([words[linked], ranking[linked].view(np.uint64)])
        rows = len(in_ranking) - len(np.unique(in_ranking))
        rows += len(loose) - len(np.setdiff1d(loose, words[linked]))
        times = [name for name in ("time", "duration") if judgments.has(name)]
        timed = bool(times) and not any(judgments.frame[name].null_count() for name in times)
        return cls(rows, _repeated_sums(ranking[linked], words[linked]), timed)


def _repeated_sums(groups: IntArray, words: Words) -> int:
    """How many groups have the same rows as another one."""
    if not len(groups):
        return 0
    sums = np.zeros(int(groups.max()) + 1, dtype=np.uint64)
    np.add.at(sums, groups, words)
    present = sums[np.unique(groups)]
    return len(present) - len(np.unique(present))


def repeats_note(judgments: Judgments) -> str | None:
    """What a result should say of judgments that are there twice; None if that is as it should be."""
    found = Repeats.of(judgments)
    said = []
    if found.rows:
        said.append(f"{found.rows} of {len(judgments)} judgments")
    total = len(judgments.names["ranking"]) if "ranking" in judgments.names else 0
    if found.rankings and (found.timed or found.rankings > _BY_CHANCE * total):
        said.append(f"{found.rankings} of {total} rankings")
    if not said:
        return None
    return (
        f"{' and '.join(said)} repeat another one exactly (same judge, segment, systems and outcome); each is counted"
    )
