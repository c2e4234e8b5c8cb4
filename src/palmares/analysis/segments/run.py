"""`segments`: which segments tell systems apart?"""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from scipy.special import ndtr, ndtri

from ...compute import Execution, RngLike
from ...errors import InputError
from ...ingest.given import judgments_of
from ...judgments import FloatArray, Judgments
from ...models.base import check_one_lang_pair
from ...models.ordinal import Ordinal
from ...ranking.record import Record
from ...results import counted
from .choosing import LEAST_JUDGES, LEAST_SYSTEMS, Case, Telling, agreement_of, checks, most_telling
from .difficulty import Difficulties, difficulties
from .result import Check, Choice, SegmentLine, Segments
from .rows import Rows, rows_of, share
from .slopes import noise_of, score
from .spread import Slopes, fit_slopes

#: A log slope at which systems are as good as alike.
_FLAT = -20.0
#: Scores no further apart than this are equal.
_ALIKE = 1e-9
#: Below the first, slopes are hardly known; below the second, roughly.
_HARDLY, _ROUGHLY = 0.2, 0.5


@overload
def segments(
    judgments: Judgments | Any,
    *,
    baseline: None = None,
    choose: int | None = None,
    splits: int = 50,
    top: int = 10,
    p: float = 0.05,
    rng: RngLike = None,
    execution: Execution | None = None,
) -> Segments: ...
@overload
def segments(
    judgments: Judgments | Any,
    *,
    baseline: str,
    choose: None = None,
    splits: int = 50,
    top: int = 10,
    p: float = 0.05,
    rng: RngLike = None,
    execution: Execution | None = None,
) -> Difficulties: ...
def segments(
    judgments: Judgments | Any,
    *,
    baseline: str | None = None,
    choose: int | None = None,
    splits: int = 50,
    top: int = 10,
    p: float = 0.05,
    rng: RngLike = None,
    execution: Execution | None = None,
) -> Segments | Difficulties:
    """Measure how far each segment tells systems apart.

    On segment s, judge k compares systems i and j by z = a_k (c_s (θ_i − θ_j) + u_is − u_js), with θ, the sensitivity
    a_k and the tie width δ_k of `ordinal`; log c_s ~ N(m, s_c²), with s_c estimated. The slope c_s says by how much
    further apart systems are on the segment than usual, u how single outputs depart from it.

    Parameters
    ----------
    judgments
        Judgments of one language pair with segments; a data frame or the path of a file is read.
    baseline
        Instead, difficulties against a baseline (Otani et al. 2016): b_j1 and b_j2 of not losing to it and of beating
        it on segment j, and item information, by `graded-response`. The name of a system, or ``auto`` for the one
        nearest the mean.
    choose
        Choose so many segments that are expected to tell most, and check by splits whether that beats chance.
    splits
        Splits in halves for that check; 0 for none.
    top
        So many of the most and of the least telling segments are shown.
    p
        1 − p is the level of intervals: .05 for 95 % intervals. Difficulties have standard errors instead.
    rng
        A seed for splits; None draws one. It is in the signature either way.
    execution
        Where it runs.
    """
    judgments = judgments_of(judgments, "segments")
    check_one_lang_pair(judgments)
    _check_options(choose, splits, top, p)
    judgments, notes = with_segments(judgments)
    if baseline is not None:
        if choose is not None:
            raise InputError("choose: segments are chosen by all pairs of systems; leave out baseline, or choose")
        return difficulties(judgments, notes, baseline=baseline, top=top)
    return _sloped(judgments, notes, choose, splits, top, p, Execution.prepared(execution, rng))


def _sloped(
    judgments: Judgments,
    notes: tuple[str, ...],
    choose: int | None,
    splits: int,
    top: int,
    p: float,
    execution: Execution,
) -> Segments:
    """Slopes by all pairs of systems."""
    if len(judgments.systems) < 3:
        raise InputError(
            "segments needs at least three systems: of two, a slope and how good one output is are the same"
        )
    if choose is not None and choose >= len(judgments.segments):
        raise InputError(f"choose: got {choose}; allowed: fewer than the {len(judgments.segments)} segments there are")
    model = Ordinal()
    fit = model.fit(judgments)
    rows = rows_of(judgments, fit)
    if np.ptp(rows.theta) < _ALIKE:
        raise InputError("segments: all systems score alike, so there is no order that segments could tell")
    slopes = fit_slopes(rows, noise_of(rows), p)
    telling = Telling.of(rows.theta, 0.0 if fit.place.width is None else float(np.exp(fit.place.width)))
    information = telling.expected(slopes.mean + slopes.log, slopes.variance)
    information = information / information.mean()
    lines = _lines(judgments, rows, slopes, information, p)
    choice = None
    if choose is not None:
        unit = rows.judge if len(judgments.judges) >= LEAST_JUDGES else rows.sitting
        case = Case(rows, slopes, telling, choose, unit)
        tests = checks(case, splits, p, execution) if splits else ()
        choice = _choice(judgments, information, choose, splits, tests)
    facts = {
        **({} if choose is None else {"choose": choose, "splits": splits}),
        "p": p,
        "seed": execution.seed,
        "systems": len(judgments.systems),
        "segments": len(judgments.segments),
        "judgments": len(judgments),
        "data": judgments.hash,
    }
    return Segments(
        lang_pair=judgments.lang_pairs[0] if judgments.lang_pairs else None,
        judgments=len(judgments),
        lines=lines,
        spread=slopes.spread,
        spread_interval=slopes.spread_interval,
        reliability=slopes.reliability,
        outputs=float(np.sqrt(slopes.noise.outputs)),
        dispersion=slopes.noise.dispersion,
        choice=choice,
        top=top,
        p=p,
        record=Record.of(facts, model, judgments.origin),
        notes=(*judgments.notes, *fit.notes, *notes, *_notes(judgments, rows, slopes, lines, choice, p)),
    )


def with_segments(judgments: Judgments) -> tuple[Judgments, tuple[str, ...]]:
    """The judgments that name a segment, and a note on the others; refused without any, or with only one segment."""
    if not judgments.has("segment"):
        raise InputError(
            "segments: the judgments name no segments; name the column that has them (--column segment=NAME, or "
            "columns={'segment': 'NAME'} in palmares.read)"
        )
    missing = judgments.codes("segment") < 0
    notes: tuple[str, ...] = ()
    if missing.any():
        notes = (f"{int(missing.sum()):,} of {len(judgments):,} judgments name no segment and are left out",)
        judgments = judgments.filter(~missing)
    if len(judgments.segments) < 2:
        raise InputError(f"segments: there is only one segment, {judgments.segments[0]!r}; nothing to compare it with")
    return judgments, notes


def _check_options(choose: int | None, splits: int, top: int, p: float) -> None:
    for name, value, least in (("choose", choose, 1), ("splits", splits, 0), ("top", top, 1)):
        if value is not None and value < least:
            raise InputError(f"{name}: got {value}; allowed: at least {least}")
    if not 0 < p < 1:
        raise InputError(f"p: got {p}; allowed: between 0 and 1, e.g. 0.05")


def _lines(
    judgments: Judgments, rows: Rows, slopes: Slopes, information: FloatArray, p: float
) -> tuple[SegmentLine, ...]:
    count, reach = rows.segments, float(ndtri(1 - p / 2))
    total = np.bincount(rows.segment, minlength=count)
    ties = np.bincount(rows.segment, rows.outcome == 1, count)
    named = rows.only(rows.judge < len(judgments.judges))
    met = np.unique(named.segment * max(len(judgments.judges), 1) + named.judge)
    judges = np.bincount(met // max(len(judgments.judges), 1), minlength=count)
    hits, expected, decided = agreement_of(rows)
    sd = np.sqrt(slopes.variance)
    low, high = (np.exp(slopes.log + sign * reach * sd) for sign in (-1, 1))
    pull, known = score(rows, np.full(count, _FLAT), slopes.noise)
    against = np.where(known > 0, ndtr(pull / np.sqrt(np.maximum(known, 1e-300))), 1.0)
    return tuple(
        SegmentLine(
            segment=judgments.segments[s],
            judgments=int(total[s]),
            judges=int(judges[s]),
            ties=float(ties[s] / total[s]),
            agreement=float(hits[s] / decided[s]) if decided[s] else None,
            expected=float(expected[s] / decided[s]) if decided[s] else None,
            slope=float(np.exp(slopes.log[s])),
            interval=(float(low[s]), float(high[s])),
            information=float(information[s]),
            against=float(against[s]),
        )
        for s in np.argsort(-information, kind="stable").tolist()
    )


def _choice(judgments: Judgments, information: FloatArray, count: int, splits: int, tests: tuple[Check, ...]) -> Choice:
    chosen = most_telling(information, count)
    order = [s for s in np.argsort(-information, kind="stable").tolist() if chosen[s]]
    return Choice(
        segments=tuple(judgments.segments[s] for s in order),
        gain=float(information[chosen].mean()),
        kept=float(information[chosen].sum() / information.sum()),
        share=count / len(information),
        splits=splits,
        checks=tests,
    )


# -- what readers should know ------------------------------------------------------------------------------


def _notes(
    judgments: Judgments,
    rows: Rows,
    slopes: Slopes,
    lines: tuple[SegmentLine, ...],
    choice: Choice | None,
    p: float,
) -> list[str]:
    said = [_on_reliability(rows, slopes, checked=choice is not None and choice.splits > 0)]
    if slopes.noise.repeated < 2:
        said.append(
            "no two sittings share a segment, so what a segment adds cannot be told from what one sitting adds; slopes "
            "rest on the assumption that sittings vary alike in all directions"
        )
    if choice is not None and choice.splits:
        said += _on_checks(judgments)
    said += _on_reversals(lines, p)
    return said


def _on_reliability(rows: Rows, slopes: Slopes, *, checked: bool) -> str:
    median = float(np.median(np.bincount(rows.segment, minlength=rows.segments)))
    known = slopes.reliability
    if known < _HARDLY:
        words = "how these segments would tell other systems apart is hardly known"
        words += "" if checked else ", and choosing by it is little better than chance"
    elif known < _ROUGHLY:
        words = "they are a rough guide to how these segments would tell other systems apart"
    else:
        words = "more is known of them than not"
    return (
        f"with a median of {counted(median, 'judgment')} per segment, the reliability of slopes is {share(known)}: "
        f"{words}"
    )


def _on_checks(judgments: Judgments) -> list[str]:
    said = []
    if len(judgments.judges) < LEAST_JUDGES:
        said.append(
            f"with {counted(len(judgments.judges), 'judge')}, the check halves sittings; it does not say what other "
            "judges would make of the choice"
        )
    if len(judgments.systems) < LEAST_SYSTEMS:
        said.append(
            f"with {len(judgments.systems)} systems, the check does not say what the choice would do for other systems"
        )
    return said


def _on_reversals(lines: tuple[SegmentLine, ...], p: float) -> list[str]:
    """Segments that speak against the order, jointly at level p (Holm)."""
    found = []
    for number, line in enumerate(sorted(lines, key=lambda line: line.against)):
        if line.against * (len(lines) - number) > p:
            break
        found.append(line.segment)
    if not found:
        return []
    verb = "speaks" if len(found) == 1 else "speak"
    named = ", ".join(found[:5]) + (f" and {len(found) - 5} more" if len(found) > 5 else "")
    return [f"{counted(len(found), 'segment')} {verb} against the order of the systems beyond chance: {named}"]
