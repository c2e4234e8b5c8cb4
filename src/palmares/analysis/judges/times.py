"""How long judges take for an answer, and who is far faster than the others."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtri

from ...judgments import BoolArray, FloatArray, IntArray, Judgments
from .answers import Answers

#: Too fast is below this share of the others' typical time …
SHARE = 1 / 3
#: … of judges with so many timed answers, among so many judges; logs of judges' times vary by at least so much.
LEAST_ANSWERS, LEAST_JUDGES, _LEAST_SPREAD = 10, 5, 0.25
#: From the median of absolute deviations to a standard deviation.
_MAD = 1.4826


@dataclass(frozen=True)
class Times:
    """Per judge: timed answers, their median in seconds (NaN without any), and how far that is from the others."""

    answers: IntArray = field(repr=False)
    median: FloatArray = field(repr=False)
    #: The median over the other people's medians, NaN where too few are known.
    others: FloatArray = field(repr=False)
    #: Robust z of the log of the median.
    z: FloatArray = field(repr=False)
    unusable: int = 0

    def too_fast(self, judge: int, compared: int) -> bool:
        """Below a third of the others' time, and further than chance makes any of the judges."""
        return bool(
            self.answers[judge] >= LEAST_ANSWERS
            and self.median[judge] < SHARE * self.others[judge]
            and self.z[judge] < float(ndtri(0.05 / max(compared, 1)))
        )


def times_of(judgments: Judgments, answers: Answers, person: BoolArray) -> Times | None:
    """The durations of answers by judge; None where none is known."""
    if not judgments.has("duration"):
        return None
    duration = judgments.frame["duration"].to_numpy()
    _, where = np.unique(answers.unit, return_index=True)
    judge, seconds = answers.judge[where], duration[where]
    usable = (judge >= 0) & (seconds > 0)
    medians = np.full(answers.judges, np.nan)
    counts = np.bincount(judge[usable], minlength=answers.judges)
    ends = np.cumsum(counts)
    ordered = seconds[usable][np.argsort(judge[usable], kind="stable")]
    for code in np.flatnonzero(counts).tolist():
        medians[code] = np.median(ordered[ends[code] - counts[code] : ends[code]])
    others, z = _against_others(medians, person & (counts >= LEAST_ANSWERS))
    return Times(counts, medians, others, z, int((~usable & (judge >= 0) & np.isfinite(seconds)).sum()))


def _against_others(medians: FloatArray, compared: BoolArray) -> tuple[FloatArray, FloatArray]:
    """The median of the other judges' medians, and the robust z of each judge's log against them."""
    others, z = np.full((2, len(medians)), np.nan)
    logs = np.log(medians)
    for judge in np.flatnonzero(compared).tolist():
        rest = np.delete(logs, judge)[np.delete(compared, judge)]
        if len(rest) + 1 < LEAST_JUDGES:
            continue
        centre = float(np.median(rest))
        spread = max(_MAD * float(np.median(np.abs(rest - centre))), _LEAST_SPREAD)
        others[judge], z[judge] = np.exp(centre), (logs[judge] - centre) / spread
    return others, z
