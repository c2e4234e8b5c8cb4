"""Sakaguchi et al. 2014, Figures 5–7, of any judgments: the pairs that TrueSkill would choose from them."""

from __future__ import annotations

import numpy as np

from ..analysis.meetings import SHARE, Meetings, part_of
from ..compute import ExperimentStream, generator
from ..errors import InputError
from ..judgments import Judgments
from .s14_selection import by_difference, choose

#: So many matches, at most, as the paper's largest training set has.
MOST = 25_000


def chosen_meetings(judgments: Judgments, *, steps: int | None = None, share: float = SHARE, seed: int = 0) -> Meetings:
    """All judgments, and the first and last matches that a run of TrueSkill chooses, in the order of its final means.

    Parameters
    ----------
    steps
        Matches that the run chooses, with replacement; by default as many as there are judgments, up to 25,000.
    share
        Of the matches, the part that is first, and that is last.
    """
    if not 0 < share <= 0.5:
        raise InputError(f"share: got {share}; allowed: more than 0, up to 0.5")
    counts = judgments.counts
    if len(counts.components()) > 1:
        raise InputError("TrueSkill chooses among systems that judgments link, and these are not linked")
    wanted = min(len(judgments), MOST) if steps is None else steps
    chosen, mean = choose(counts, wanted, by_difference, generator(seed, ExperimentStream.CHOOSING_RUNS))
    order = np.argsort(-mean, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    n, some = len(order), max(1, round(share * wanted))
    pairs = np.stack([place[judgments.codes(side)] for side in ("system_a", "system_b")], axis=1)
    parts = (
        part_of("all judgments", pairs, n),
        part_of(f"first {100 * share:g} % chosen", place[chosen[:some]], n),
        part_of(f"last {100 * share:g} % chosen", place[chosen[-some:]], n),
    )
    pair = judgments.lang_pairs[0] if len(judgments.lang_pairs) == 1 else None
    told = f"chosen: {wanted:,} matches of one run of TrueSkill (seed {seed}), opponents by exp(−|Δμ|)"
    return Meetings(tuple(counts.systems[i] for i in order), parts, told, pair, judgments.notes)
