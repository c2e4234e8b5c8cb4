"""How many outputs a screen has had so far, which is how many the next ones have unless somebody says otherwise."""

from __future__ import annotations

import numpy as np

from ...judgments import IntArray, Judgments, PairCounts, linked_unit


def usual_outputs(data: Judgments | PairCounts) -> tuple[int, str]:
    """The most frequent number of different outputs in a ranking, the smaller of equals, and what to say of it."""
    if isinstance(data, PairCounts):
        return (
            2,
            "screens have 2 outputs, because counts do not say how many were judged together",
        )
    if linked_unit(data) == "pair":
        return (
            2,
            "screens have 2 outputs, because the judgments do not say which were made in one ranking",
        )
    sizes = _sizes(data)
    times = np.bincount(sizes)
    usual = int(times.argmax())
    share = times[usual] / len(sizes)
    of = "all rankings" if share == 1 else f"{100 * share:.0f} % of the rankings"
    return usual, _said(usual, f"as {of} so far have")


def _said(outputs: int, reason: str) -> str:
    return f"screens have {outputs} outputs, {reason} (--outputs says otherwise)"


def _sizes(judgments: Judgments) -> IntArray:
    """How many outputs occur in each ranking: systems, less those that share the output of another one."""
    group, n = judgments.group_codes("ranking"), len(judgments.systems)
    sides = [judgments.codes("system_a").astype(np.int64), judgments.codes("system_b").astype(np.int64)]
    shown = np.unique(np.concatenate([group * n + side for side in sides]))
    # Every two systems of one output are a forced tie: all but the first of them are the second of a pair.
    forced = judgments.forced
    again = np.unique((group * n + np.maximum(*sides))[forced])
    systems, shared = (np.bincount(codes // n, minlength=int(group.max()) + 1) for codes in (shown, again))
    return np.asarray((systems - shared)[np.unique(group)])
