"""How long a ranking takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...judgments import Judgments, linked_unit

#: Without anything known, a ranking is taken to last so many seconds.
ASSUMED = 60.0


@dataclass(frozen=True)
class Seconds:
    """Seconds of one ranking, and where they are from: ``given``, ``assumed``, or ``measured`` of so many judges."""

    value: float
    source: str
    judges: int = 0


def seconds_of(judgments: Judgments | None, given: float | None) -> Seconds:
    """What was given, else the mean over judges of the median of their rankings, by how many they made; else a minute.

    A median is not moved by breaks, in which a page is open and nobody judges.
    """
    if given is not None:
        return Seconds(float(given), "given")
    if judgments is None or not judgments.has("duration"):
        return Seconds(ASSUMED, "assumed")
    seconds = judgments.frame["duration"].to_numpy()
    if linked_unit(judgments) == "ranking":
        _, first = np.unique(judgments.group_codes("ranking"), return_index=True)
    else:
        first = np.arange(len(judgments))
    judge = judgments.group_codes("judge")[first] if judgments.has("judge") else np.zeros(len(first), dtype=np.int64)
    seconds = seconds[first]
    usable = np.isfinite(seconds) & (seconds > 0)
    if not usable.any():
        return Seconds(ASSUMED, "assumed")
    judges = np.unique(judge[usable])
    medians = [float(np.median(seconds[usable & (judge == code)])) for code in judges]
    work = np.bincount(judge[usable])[judges]
    return Seconds(float(np.average(medians, weights=work)), "measured", len(judges))
