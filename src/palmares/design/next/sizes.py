"""How many outputs a screen has had so far, which is how many the next ones have unless somebody says otherwise."""

from __future__ import annotations

import numpy as np

from ...judgments import IntArray, Judgments, PairCounts, linked_unit
from ...judgments.weighing import ranking_sizes


def usual_outputs(data: Judgments | PairCounts) -> tuple[int, str]:
    """The most frequent number of systems in a ranking, the smaller of equals, and what to say of it."""
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
    """How many systems occur in each ranking."""
    group = judgments.group_codes("ranking")
    sizes = ranking_sizes(group, (judgments.codes("system_a"), judgments.codes("system_b")), len(judgments.systems))
    return np.asarray(sizes[np.unique(group, return_index=True)[1]])
