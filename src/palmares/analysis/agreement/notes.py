"""What a reader of an agreement should know."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...judgments import FEW_UNITS, Judgments
from ...ranking.intervals import named
from ...results import counted
from .coefficients import Kappa
from .intervals import FEW_JUDGES
from .result import JudgeAgreement, Measure
from .tallies import Rows

#: With fewer segments, even t cannot make up for how little they show.
FEW_SEGMENTS = 5

_NOTHING = {
    "inter": "no two judges judged the same two systems on one segment, so there is no κ between judges",
    "intra": "no judge judged the same two systems on one segment twice, so there is no κ of judges with themselves",
}
#: The same of one judge, with others and alone.
_NOTHING_OF_JUDGE = ("nobody else judged what they judged", "they judged nothing twice")


def notes_on_all(judgments: Judgments, rows: Rows, measures: tuple[Measure, ...], resamples: int | None) -> list[str]:
    """What was left out, why there is no κ or no interval, and whom intervals are for."""
    notes = []
    if left_out := len(judgments) - len(rows):
        notes.append(f"{left_out} of {len(judgments)} judgments have no judge or no segment and were left out")
    if judgments.weights is not None:
        notes.append("the judgments have weights, which play no part here: every judgment counts once")
    # Systems in one position had the same output.
    positions = [judgments.frame[f"position_{side}"] for side in "ab"] if judgments.has("position_a") else []
    whole = "leave such outputs whole with --collapse (ReadOptions(merged='collapse') from Python)"
    if positions and (shared := int((positions[0] == positions[1]).sum())):
        notes.append(
            f"{shared} of {len(judgments)} judgments are between systems that had one output, which all must tie; "
            f"{whole}"
        )
    elif judgments.origin is not None and "forced_ties" in judgments.origin.selection:
        notes.append(f"what was said of an output that several systems shared counts once for each of them; {whole}")
    for measure in measures:
        notes += _notes_on(measure, resamples)
    if resamples != 0 and any(m.kappa.interval for m in measures):
        notes += _notes_on_intervals(len(np.unique(rows.segment)), resamples)
    return notes


def _notes_on_intervals(segments: int, resamples: int | None) -> list[str]:
    if resamples is None:
        rough = f"only {segments} segments, too few to see well how much κ varies: take intervals as a rough guide"
        return [rough] if segments < FEW_SEGMENTS else []
    notes = ["intervals from drawn segments are for these judges; without --resamples, they allow for other judges too"]
    if segments < FEW_UNITS:
        notes.append(
            f"only {segments} segments to draw from; with fewer than {FEW_UNITS}, intervals come out too narrow"
        )
    return notes


def _notes_on(measure: Measure, resamples: int | None) -> list[str]:
    value, kind = measure.kappa, measure.kind
    if not value.pairs:
        return [_NOTHING[kind]]
    if value.kappa is None:
        return [f"{kind}: every judgment is a tie, so judges must agree by chance alone and κ is not defined"]
    if resamples == 0 or (value.interval and (resamples or value.unit == "two-way")):
        return []
    if value.interval:
        why = (
            f"only {counted(measure.judges, 'judge')}" if measure.judges < FEW_JUDGES else "one judge is in every pair"
        )
        return [
            f"{kind}: {why}, so the interval is for these judges: it allows for other segments, not for other judges"
        ]
    if value.agreed in (0, value.pairs):
        word = "agrees" if value.agreed else "disagrees"
        return [f"{kind}: every pair {word}, so nothing shows how unsure κ is, and it has no interval"]
    if resamples:
        return [f"{kind}: κ is not defined in too many of the {resamples} resamples to give it an interval"]
    return [f"{kind}: one segment has all pairs, or all segments are alike, so nothing shows how unsure κ is"]


def notes_on_judges(lines: Sequence[JudgeAgreement], measures: tuple[Measure, ...], resamples: int | None) -> list[str]:
    """Why judges have no κ, or no interval of it, where not all of them have none; and whom intervals are for."""
    found: dict[str, list[str]] = {}
    untied = not any(line.ties for line in lines)
    for measure, word, nothing in zip(measures, ("κ", "own κ"), _NOTHING_OF_JUDGE, strict=True):
        for line in lines if measure.kappa.kappa is not None else ():
            value = line.inter if measure.kind == "inter" else line.intra
            if not value.pairs:
                found.setdefault(f"without {word}, because {nothing}", []).append(line.judge)
            elif resamples != 0 and value.interval is None:
                why = _why_no_interval(value, untied, resamples)
                found.setdefault(f"{word} without an interval, because {why}", []).append(line.judge)
            elif resamples is None and measure.kind == "inter" and value.unit == "segment":
                text = f"interval of κ for the judges they met only, because these are fewer than {FEW_JUDGES}"
                found.setdefault(text, []).append(line.judge)
    return [f"{text}: {named(judges)}" for text, judges in found.items()]


def _why_no_interval(value: Kappa, untied: bool, resamples: int | None) -> str:
    # Where there are ties, chance varies in bootstrap samples, and so does a κ of no agreement.
    if value.agreed == value.pairs or (not value.agreed and (untied or resamples is None)):
        return "all of their pairs agree, or none does"
    if resamples is None:
        return "one segment has all of their pairs, or all segments are alike"
    return f"too many of the {resamples} resamples have none of their pairs"
