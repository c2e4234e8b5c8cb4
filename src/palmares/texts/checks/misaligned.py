"""Lines out of step: one missing or extra line moves everything after it; or the file belongs to another text.

For every shift of a few lines, each line of a text is compared with what stands there in the others
(`evidence.Evidence`). The likeliest course of shifts through the file, in which every change of step has its price
(Viterbi), names the lines that are out of step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..testset import TestSet
from .evidence import Evidence
from .findings import Finding, Severity

#: Shifts that are looked for, in lines.
FURTHEST = 5
#: What a change of step costs, and what a run of shifted lines must gain in all, on the scale of a cosine.
STEP_PRICE, LEAST_GAIN = 0.75, 1.0
#: From this gain and so many lines on, a run is an error.
SURE_GAIN, SURE_LINES = 2.5, 5
#: Fewest lines for any claim, and for the claim that a file belongs to another text.
FEWEST_LINES, FEWEST_FOR_STRANGER = 6, 20
#: A text whose fit is below this many standard errors over chance is a stranger, if others are above the second.
STRANGE, AT_HOME = 2.5, 6.0
#: A single text has no others to be measured by: it needs more lines, and gets a warning.
ALONE_LINES = 50

Floats = NDArray[np.float64]
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
    """What has been found out so far."""

    evidence: Evidence
    accused: dict[int, list[Run]] = field(default_factory=dict)

    def candidates(self) -> list[int]:
        """Texts that may be out of step; the source only where at least two others could say so."""
        rest = [n for n in range(len(self.evidence.columns)) if n not in self.accused]
        return rest if len(rest) > 2 else [n for n in rest if n != 0]


def misaligned(testset: TestSet) -> Iterator[Finding]:
    """Runs of lines out of step, and texts that fit nowhere."""
    if len(testset) < FEWEST_LINES:
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
    found = []
    for text in course.candidates():
        if text not in strangers:
            runs = runs_out_of_step(fits(course.evidence, text, strangers | set(course.accused)))
            if runs:
                found.append((sum(run.gain for run in runs), text, runs))
    if not found:
        return None
    _, text, runs = max(found, key=lambda item: (item[0], item[1]))
    return text, runs


def fits(evidence: Evidence, text: int, without: set[int]) -> Floats:
    """A row a shift, a column a line; beyond the ends of the file a line fits as badly as by chance."""
    rows = evidence.fit(text, _SHIFTS, without)
    lines = rows.shape[1]
    chance = float(np.median(rows[1:]))
    for row, shift in enumerate(_SHIFTS):
        if shift > 0:
            rows[row, max(lines - shift, 0) :] = chance
        elif shift < 0:
            rows[row, : min(-shift, lines)] = chance
    return rows


def runs_out_of_step(rows: Floats) -> list[Run]:
    """The runs of the best course that gain enough over staying in step."""
    course = best_course(rows)
    found = []
    edges = np.flatnonzero(np.diff(course)) + 1
    for first, last in zip([0, *edges], [*edges, len(course)], strict=True):
        state = int(course[first])
        gain = float((rows[state, first:last] - rows[0, first:last]).sum())
        if state != 0 and gain >= LEAST_GAIN:
            found.append(Run(int(first) + 1, int(last), _SHIFTS[state], gain))
    return found


def best_course(rows: Floats) -> NDArray[np.int64]:
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
    scores = {text: _over_chance(evidence, text) for text in texts}
    if len(scores) == 1:
        return {1: "warning"} if lines >= ALONE_LINES and scores[1] < STRANGE else {}
    best = max(scores.values())
    return {text: "error" for text, score in scores.items() if score < STRANGE and best >= AT_HOME}


def _over_chance(evidence: Evidence, text: int) -> float:
    """By how many standard errors a text fits better at its best small shift than far away."""
    lines = len(evidence.columns[0].texts)
    step = max((lines - 2 * FURTHEST) // 12, 1)
    far = range(FURTHEST + 1, lines - FURTHEST, step)
    chance = evidence.fit(text, far).mean(axis=0)
    return max(_standard_errors(row - chance) for row in evidence.fit(text, (0, 1, -1)))


def _standard_errors(differences: Floats) -> float:
    spread = float(differences.std(ddof=1))
    return float(differences.mean()) / (spread / np.sqrt(len(differences))) if spread > 0 else 0.0


# -- words -------------------------------------------------------------------------------------------


def _subject(evidence: Evidence, text: int) -> str:
    column = evidence.columns[text]
    return "" if column.system is not None else f"{column.what}: "


def _run_finding(evidence: Evidence, text: int, run: Run) -> Finding:
    lines = tuple(range(run.first, run.last + 1))
    sure = run.gain >= SURE_GAIN and len(lines) >= SURE_LINES
    where = "below" if run.shift > 0 else "above"
    count = f"{abs(run.shift)} line{'s' if abs(run.shift) > 1 else ''}"
    cause = "missing before" if run.shift > 0 else "too many before"
    message = (
        f"{_subject(evidence, text)}lines {run.first} to {run.last} seem out of step: "
        f"they fit the segments {count} {where}; "
        f"{'are' if abs(run.shift) > 1 else 'is'} {count} {cause} line {run.first}?"
    )
    return Finding("misaligned", "error" if sure else "warning", evidence.columns[text].system, lines, message)


def _stranger_finding(evidence: Evidence, text: int, severity: Severity) -> Finding:
    message = (
        f"{_subject(evidence, text)}fits the other texts no better than chance; "
        "does the file belong to another test set?"
    )
    return Finding("misaligned", severity, evidence.columns[text].system, (), message)
