"""Lines out of step: one missing or extra line moves everything after it; or the file belongs to another text.

For every shift of a few lines, each line of a text is compared with what stands there in the others
(`evidence.Evidence`). The likeliest course of shifts through the file, in which every change of step has its price
(Viterbi), names the lines that are out of step.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...results import counted
from ..testset import TestSet
from .base import Finding, Severity
from .evidence import Evidence

if TYPE_CHECKING:
    from ...judgments import FloatArray, IntArray

#: Shifts that are looked for, in lines.
FURTHEST = 5
#: What a change of step costs, and what a run of shifted lines must gain in all, on the scale of a cosine.
STEP_PRICE, LEAST_GAIN = 0.75, 1.0
#: From this gain and so many lines on, a run is an error.
SURE_GAIN, SURE_LINES = 2.5, 5
#: Fewest lines for any claim, and for the claim that a file belongs to another text.
FEWEST_LINES, FEWEST_FOR_STRANGER = 6, 20
#: A text that fits by less than so many standard errors more than by chance is a stranger, unless it fits some lines
#: further by the second, and if others fit by the third.
STRANGE, OUT_OF_STEP, AT_HOME = 2.5, 4.0, 6.0
#: A single text has no others to be measured by: it needs more lines, and gets a warning.
ALONE_LINES = 50

_SHIFTS = tuple(sorted(range(-FURTHEST, FURTHEST + 1), key=abs))  # 0 first


@dataclass(frozen=True)
class Run:
    """Lines ``first`` to ``last`` (from 1) fit the others best ``shift`` lines further on."""

    first: int
    last: int
    shift: int
    gain: float


@dataclass
class _Course:
    """What is known so far."""

    evidence: Evidence
    accused: dict[int, list[Run]] = field(default_factory=dict)

    def candidates(self) -> list[int]:
        """Texts that may be out of step; the source only where at least two others could say so."""
        rest = [n for n in range(len(self.evidence.columns)) if n not in self.accused]
        return rest if len(rest) > 2 else [n for n in rest if n != 0]


def misaligned(testset: TestSet) -> Iterator[Finding]:
    """Runs of lines out of step, and texts that fit nowhere; a partial test set has no lines that could be."""
    if len(testset) < FEWEST_LINES or testset.partial:
        return
    evidence = Evidence.of(testset)
    course = _Course(evidence)
    strangers = _strangers(evidence)
    # The worst offender goes first and is then left out, so that it does not make the others look wrong.
    while worst := _worst(course, set(strangers)):
        text, runs = worst
        course.accused[text] = runs
    for text in sorted(strangers):
        yield _stranger_finding(evidence, text, strangers[text])
    for text, runs in sorted(course.accused.items()):
        for run in runs:
            yield _run_finding(evidence, text, run)


def _worst(course: _Course, strangers: set[int]) -> tuple[int, list[Run]] | None:
    offenders = []
    for text in course.candidates():
        if text not in strangers:
            runs = runs_out_of_step(fits(course.evidence, text, strangers | set(course.accused)))
            if runs:
                offenders.append((sum(run.gain for run in runs), text, runs))
    if not offenders:
        return None
    _, text, runs = max(offenders, key=lambda item: (item[0], item[1]))
    return text, runs


def fits(evidence: Evidence, text: int, without: set[int]) -> FloatArray:
    """One row per shift, one column per line; beyond the ends of the file, lines fit by chance at most."""
    rows = evidence.fit(text, _SHIFTS, without)
    beyond = np.minimum(rows[0], float(np.median(rows[1:])))
    for row, shift in enumerate(_SHIFTS):
        outside = slice(max(rows.shape[1] - shift, 0), None) if shift > 0 else slice(0, -shift)
        rows[row, outside] = beyond[outside]
    return rows


def runs_out_of_step(rows: FloatArray) -> list[Run]:
    """The runs of the best course that gain enough over staying in step."""
    if _most_gain(rows) < LEAST_GAIN:
        return []
    course = best_course(rows)
    runs = []
    edges = np.flatnonzero(np.diff(course)) + 1
    for first, last in zip([0, *edges], [*edges, len(course)], strict=True):
        state = int(course[first])
        gain = float((rows[state, first:last] - rows[0, first:last]).sum())
        if state != 0 and gain >= LEAST_GAIN:
            runs.append(Run(int(first) + 1, int(last), _SHIFTS[state], gain))
    return runs


def _most_gain(rows: FloatArray) -> float:
    """The most that any run of lines gains by any one shift; good texts need no more of a look than this."""
    sums = np.cumsum(rows[1:] - rows[0], axis=1)
    before = np.minimum(np.minimum.accumulate(sums, axis=1), 0.0)
    return float((sums[:, 1:] - before[:, :-1]).max(initial=float(sums[:, 0].max())))


def best_course(rows: FloatArray) -> IntArray:
    """The row to follow at each line so that the sum, less the price of each change, is greatest."""
    states, lines = rows.shape
    came_from = np.zeros((lines, states), dtype=np.int64)
    total = rows[:, 0] - STEP_PRICE * (np.arange(states) > 0)
    for line in range(1, lines):
        best = int(np.argmax(total))
        stay = total >= total[best] - STEP_PRICE
        came_from[line] = np.where(stay, np.arange(states), best)
        total = np.where(stay, total, total[best] - STEP_PRICE) + rows[:, line]
    course = np.zeros(lines, dtype=np.int64)
    course[-1] = int(np.argmax(total))
    for line in range(lines - 1, 0, -1):
        course[line - 1] = came_from[line, course[line]]
    return course


# -- files of another text ---------------------------------------------------------------------------


def _strangers(evidence: Evidence) -> dict[int, Severity]:
    """Texts that fit the others no better than by chance, at any small shift."""
    texts = range(1, len(evidence.columns))
    lines = len(evidence.columns[0].texts)
    if lines < FEWEST_FOR_STRANGER:
        return {}
    suspects = {text for text in texts if _is_strange(evidence, text)}
    if len(texts) == 1:
        return {1: "warning"} if lines >= ALONE_LINES and suspects else {}
    at_home = [text for text in texts if text not in suspects]
    strange_source = len(at_home) > 1 and lines >= ALONE_LINES and _is_strange(evidence, 0, suspects)
    # A text can be called strange only by others that are sure of each other.
    sure = suspects and any(_over_chance(evidence, text, suspects) >= AT_HOME for text in at_home)
    strangers: dict[int, Severity] = {0: "warning"} if strange_source else {}
    return strangers | (dict.fromkeys(suspects, "error") if sure else {})


def _is_strange(evidence: Evidence, text: int, without: Collection[int] = ()) -> bool:
    """More shifts give chance more chances, so that a fit at one of them must be better to count."""
    near, further = _SHIFTS[:3], _SHIFTS[3:]
    if _over_chance(evidence, text, without, near) >= STRANGE:
        return False
    return _over_chance(evidence, text, without, further) < OUT_OF_STEP


def _over_chance(
    evidence: Evidence, text: int, without: Collection[int] = (), shifts: tuple[int, ...] = _SHIFTS[:3]
) -> float:
    """By how many standard errors a text fits better at its best small shift than far away."""
    lines = len(evidence.columns[0].texts)
    step = max((lines - 2 * FURTHEST) // 12, 1)
    far = range(FURTHEST + 1, lines - FURTHEST, step)
    chance = evidence.fit(text, far, without).mean(axis=0)
    return max(_standard_errors(row - chance) for row in evidence.fit(text, shifts, without))


def _standard_errors(differences: FloatArray) -> float:
    spread = float(differences.std(ddof=1))
    return float(differences.mean()) / (spread / np.sqrt(len(differences))) if spread > 0 else 0.0


# -- words -------------------------------------------------------------------------------------------


def _subject(evidence: Evidence, text: int) -> str:
    column = evidence.columns[text]
    return "" if column.system is not None else f"{column.what}: "


def _run_finding(evidence: Evidence, text: int, run: Run) -> Finding:
    lines = tuple(range(run.first, run.last + 1))
    sure = run.gain >= SURE_GAIN and len(lines) >= SURE_LINES
    direction = "down" if run.shift > 0 else "up"
    cause = "missing" if run.shift > 0 else "too many"
    count = counted(abs(run.shift), "line")
    verb = "is" if abs(run.shift) == 1 else "are"
    message = (
        f"{_subject(evidence, text)}{counted(len(lines), 'line')} out of step with the other texts: "
        f"they fit better {count} further {direction}; {verb} {count} {cause} before them?"
    )
    return Finding("misaligned", "error" if sure else "warning", evidence.columns[text].system, lines, message)


def _stranger_finding(evidence: Evidence, text: int, severity: Severity) -> Finding:
    verb = "fits" if evidence.columns[text].system is not None else "fit"
    message = (
        f"{_subject(evidence, text)}{verb} the other texts no better than chance; "
        "does the file belong to another test set?"
    )
    return Finding("misaligned", severity, evidence.columns[text].system, (), message)
