"""`agreement`: do judges agree with each other, and with themselves?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from ...compute import Execution, RngLike
from ...errors import InputError
from ...ingest.given import judgments_of
from ...judgments import FEW_UNITS, OUTCOMES, FloatArray, IntArray, Judgments
from ...models.base import check_one_lang_pair
from ...ranking.intervals import named
from ...ranking.record import Record
from ...results import Shown, counted
from .coefficients import (
    NOMINAL,
    Kappa,
    Span,
    Sums,
    alpha,
    between_judges,
    kappa_intervals,
    mean_over_judges,
    measured,
    ordinal,
    within_judges,
)
from .tallies import Rows, Shares, rows_of, shares_of

Kind = Literal["inter", "intra"]
Counting = Literal["all-pairs", "wmt16", "two-judges"]
COUNTINGS: tuple[Counting, ...] = get_args(Counting)


@dataclass(frozen=True)
class Measure:
    """Agreement between judges (``inter``) or of judges with themselves (``intra``).

    ``items`` and ``judges`` are those with anything to compare. ``alpha`` is Krippendorff's on the nominal level,
    ``alpha_ordinal`` counts a tie as half way between the two others.
    """

    kind: Kind
    kappa: Kappa
    items: int
    judges: int
    alpha: float | None
    alpha_ordinal: float | None

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        counts = {"items": self.items, "judges": self.judges}
        return {**self.kappa.to_dict(), **counts, "alpha": self.alpha, "alpha_ordinal": self.alpha_ordinal}


@dataclass(frozen=True)
class JudgeAgreement:
    """One judge against all the others, and repeating an item; ``ties`` is the share of the judge's judgments."""

    judge: str
    judgments: int
    ties: float
    inter: Kappa
    intra: Kappa

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        front = {"judge": self.judge, "judgments": self.judgments, "ties": self.ties}
        return {**front, "inter": self.inter.to_dict(), "intra": self.intra.to_dict()}


@dataclass(frozen=True)
class Agreement(Shown):
    """How far judges agree in one language pair; ``by_judge`` is empty unless asked for, lowest κ first."""

    shown_by: ClassVar[str] = "agreement"

    lang_pair: str | None
    judgments: int
    ties: float
    inter: Measure
    intra: Measure
    by_judge: tuple[JudgeAgreement, ...] = field(repr=False)
    counting: Counting
    #: The level of intervals is 1 − p.
    p: float
    record: Record
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        inter, intra = ("–" if m.kappa.kappa is None else f"{m.kappa.kappa:.3f}" for m in (self.inter, self.intra))
        text = f"κ = {inter} between judges, {intra} of judges with themselves; {counted(self.judgments, 'judgment')}"
        return self._line(text, self.lang_pair)

    @property
    def shown_part(self) -> str | None:
        """Judges, if they were compared."""
        return "judges" if self.by_judge else None

    @property
    def signature(self) -> str:
        """How this was made, in one line."""
        return str(self.record)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "signature": self.signature,
            "record": self.record.to_dict(),
            "lang_pair": self.lang_pair,
            "judgments": self.judgments,
            "ties": self.ties,
            "counting": self.counting,
            "inter": self.inter.to_dict(),
            "intra": self.intra.to_dict(),
            "judges": [line.to_dict() for line in self.by_judge],
            "notes": list(self.notes),
        }


def agreement(
    judgments: Judgments | Any,
    *,
    judges: bool = False,
    counting: Counting = "all-pairs",
    resamples: int = 1000,
    p: float = 0.05,
    rng: RngLike = None,
    execution: Execution | None = None,
) -> Agreement:
    """Measure how far judges agree with each other (inter) and with themselves (intra).

    κ = (P(A) − P(E)) / (1 − P(E)) (Bojar et al. 2014, §3.2). P(A) is the share of pairs of judgments of the same two
    systems on the same segment that agree on <, = or >. P(E) = P(<)² + P(=)² + P(>)² from the share of ties among all
    judgments, with P(<) = P(>). Beside it, Krippendorff's α.

    Parameters
    ----------
    judgments
        Judgments of one language pair, with segments and judges; a data frame or the path of a file is read. Weights
        play no part.
    judges
        Also compare each judge with all the others.
    counting
        ``all-pairs``, as above. Two published countings, to compare with their figures, without α: ``wmt16``, the
        script of that campaign, in which an item is an *ordered* pair of systems, inter includes a judge's own
        repeats, and intra takes its ties from the segments that a judge repeated something on; ``two-judges``, the
        mean of one κ for every two judges (Grundkiewicz et al. 2015), without intervals.
    resamples
        Bootstrap samples, in which segments are drawn; 0 for no intervals.
    p
        1 − p is the level of intervals: .05 for 95 % intervals.
    rng
        A seed; None draws one. It is in the signature either way.
    execution
        Where it runs.
    """
    # Published countings count all rows that there are.
    judgments = judgments_of(judgments, "agreement", forced_ties="drop" if counting == "all-pairs" else "keep")
    check_one_lang_pair(judgments)
    if counting not in COUNTINGS:
        raise InputError(f"counting: got {counting!r}; allowed: {', '.join(COUNTINGS)}")
    if judges and counting != "all-pairs":
        raise InputError(f"there is no counting by judge for {counting!r}; leave out judges (--judges) or the counting")
    if resamples < 0:
        raise InputError(f"resamples: got {resamples}; allowed: at least 1, or 0 for no intervals")
    execution, wmt16 = Execution.prepared(execution, rng), counting == "wmt16"
    resamples = 0 if counting == "two-judges" else resamples
    rows = rows_of(judgments, ordered=wmt16)
    shares = shares_of(rows, same_look=wmt16)
    sums = _sums(shares, wmt16=wmt16)
    # Progress is told of the larger part of the work.
    spans = kappa_intervals(sums, resamples, p, replace(execution, progress=None) if judges else execution)
    inter, intra = _measures(sums, shares, spans, counting)
    by_judge: tuple[JudgeAgreement, ...] = ()
    if judges:
        judge_sums = _judge_sums(shares)
        by_judge = _by_judge(judgments, rows, shares, kappa_intervals(judge_sums, resamples, p, execution))
    facts = {
        "counting": counting,
        "unit": "segment" if resamples else None,
        **({"resamples": resamples, "p": p} if resamples else {}),
        "seed": execution.seed,
        "systems": len(judgments.systems),
        "judgments": len(judgments),
        "data": judgments.hash,
    }
    return Agreement(
        lang_pair=judgments.lang_pairs[0] if judgments.lang_pairs else None,
        judgments=len(rows),
        ties=float((rows.outcome == 1).mean()),
        inter=inter,
        p=p,
        intra=intra,
        by_judge=by_judge,
        counting=counting,
        record=Record.of(facts, origin=judgments.origin),
        notes=(
            *judgments.notes,
            *_notes(judgments, rows, (inter, intra), resamples),
            *_notes_on_judges(by_judge, (inter, intra), resamples),
        ),
    )


# -- all judges together -----------------------------------------------------------------------------


def _measures(sums: Sums, shares: Shares, spans: list[Span], counting: Counting) -> tuple[Measure, Measure]:
    """Between judges and within them, over the whole table."""
    again = shares.repeats > 0
    used = ((shares.others > 0) | again if counting == "wmt16" else shares.others > 0, again)
    values = mean_over_judges(shares) if counting == "two-judges" else _pooled(sums, spans)
    tables = (between_judges, within_judges)
    kinds: tuple[Kind, Kind] = ("inter", "intra")
    measures = []
    for k, kind in enumerate(kinds):
        table = tables[k](shares) if values[k].pairs and counting == "all-pairs" else np.zeros((OUTCOMES, OUTCOMES))
        measures.append(
            Measure(
                kind=kind,
                kappa=values[k],
                items=len(np.unique(shares.item[used[k]])),
                judges=len(np.unique(shares.judge[used[k]])),
                alpha=alpha(table, NOMINAL),
                alpha_ordinal=alpha(table, ordinal(table)),
            )
        )
    return measures[0], measures[1]


def _pooled(sums: Sums, spans: list[Span]) -> list[Kappa]:
    """One κ over all pairs of each kind."""
    columns = (sums.pairs, sums.agreed, sums.ties, sums.total)
    pairs, agreed, ties, total = (column.sum(axis=0).astype(int).tolist() for column in columns)
    return [measured(pairs[k], agreed[k], ties[k], total[k], span) for k, span in enumerate(spans)]


def _sums(shares: Shares, *, wmt16: bool) -> Sums:
    """Tallies by segment, with a column for inter and one for intra."""
    place, segments = _segments(shares)
    # A pair of two judges is in the shares of both.
    inter, inter_agreed = (_added(place, x, segments) / 2 for x in (shares.others, shares.others_agreed))
    intra, intra_agreed = (_added(place, x, segments) for x in (shares.repeats, shares.repeats_agreed))
    counts = shares.counts
    ties, total = (_added(place, x, segments) for x in (counts[:, 1], counts.sum(axis=1)))
    tied, counted = ties, total
    if wmt16:
        inter, inter_agreed = inter + intra, inter_agreed + intra_agreed
        again = _repeated_on(shares)
        tied, counted = (_added(place, x * again, segments) for x in (counts[:, 1], counts.sum(axis=1)))
    both = ((inter, intra), (inter_agreed, intra_agreed), (ties, tied), (total, counted))
    return Sums(*(np.stack(columns, axis=1) for columns in both))


def _segments(shares: Shares) -> tuple[IntArray, int]:
    """The segment of every share among those that occur, and how many do."""
    known, place = np.unique(shares.segment, return_inverse=True)
    return place, len(known)


def _added(group: IntArray, amounts: IntArray, groups: int) -> FloatArray:
    return np.bincount(group, amounts, groups).astype(np.float64)


def _repeated_on(shares: Shares) -> IntArray:
    """1 for every share of a judge on a segment with an item that the judge repeated."""
    of_both = np.unique(np.stack([shares.segment, shares.judge]), axis=1, return_inverse=True)[1].ravel()
    return (np.bincount(of_both, shares.repeats) > 0)[of_both].astype(np.int64)


# -- one judge against the others --------------------------------------------------------------------


def _by_judge(judgments: Judgments, rows: Rows, shares: Shares, spans: list[Span]) -> tuple[JudgeAgreement, ...]:
    """Every judge, lowest κ first, those without one last. Chance is that of the whole table, so judges compare."""
    codes, judge = np.unique(shares.judge, return_inverse=True)

    def by_judge(amounts: IntArray) -> list[int]:
        sums: list[int] = _added(judge, amounts, len(codes)).astype(int).tolist()
        return sums

    ties, total = int((rows.outcome == 1).sum()), len(rows)
    judged, tied = by_judge(shares.counts.sum(axis=1)), by_judge(shares.counts[:, 1])
    others, others_agreed = by_judge(shares.others), by_judge(shares.others_agreed)
    repeats, repeats_agreed = by_judge(shares.repeats), by_judge(shares.repeats_agreed)
    lines = [
        JudgeAgreement(
            judge=judgments.judges[code],
            judgments=judged[i],
            ties=tied[i] / judged[i],
            inter=measured(others[i], others_agreed[i], ties, total, spans[i]),
            intra=measured(repeats[i], repeats_agreed[i], ties, total, spans[len(codes) + i]),
        )
        for i, code in enumerate(codes)
    ]
    return tuple(sorted(lines, key=lambda line: _lowest_first(line.inter, line.judge)))


def _lowest_first(value: Kappa, name: str) -> tuple[bool, float, str]:
    return (value.kappa is None, 0.0 if value.kappa is None else value.kappa, name)


def _judge_sums(shares: Shares) -> Sums:
    """Tallies by segment, with a column for every judge against others and then one for every judge's repeats."""
    from scipy.sparse import csr_array

    place, segments = _segments(shares)
    codes, judge = np.unique(shares.judge, return_inverse=True)
    judges = len(codes)
    at = np.concatenate([place, place]), np.concatenate([judge, judges + judge])

    def table(others: IntArray, repeats: IntArray) -> Any:
        amounts = np.concatenate([others, repeats]).astype(np.float64)
        sums = csr_array((amounts, at), shape=(segments, 2 * judges))
        sums.eliminate_zeros()
        return sums

    ties, total = (_added(place, x, segments)[:, None] for x in (shares.counts[:, 1], shares.counts.sum(axis=1)))
    pairs, agreed = table(shares.others, shares.repeats), table(shares.others_agreed, shares.repeats_agreed)
    return Sums(pairs, agreed, ties, total)


# -- what a reader should know -----------------------------------------------------------------------

_NOTHING = {
    "inter": "no two judges judged the same two systems on one segment, so there is no κ between judges",
    "intra": "no judge judged the same two systems on one segment twice, so there is no κ of judges with themselves",
}
#: The same of one judge, with others and alone.
_NOTHING_OF_JUDGE = ("nobody else judged what they judged", "they judged nothing twice")


def _notes(judgments: Judgments, rows: Rows, measures: tuple[Measure, ...], resamples: int) -> list[str]:
    notes = []
    if left_out := len(judgments) - len(rows):
        notes.append(f"{left_out} of {len(judgments)} judgments have no judge or no segment and were left out")
    if judgments.weights is not None:
        notes.append("the judgments have weights, which play no part here: every judgment counts once")
    # Systems in one position had the same output, also where nothing marks their ties as forced.
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
    segments = len(np.unique(rows.segment))
    if resamples and any(m.kappa.interval for m in measures) and segments < FEW_UNITS:
        notes.append(
            f"only {segments} segments to draw from; with fewer than {FEW_UNITS}, intervals come out too narrow"
        )
    return notes


def _notes_on(measure: Measure, resamples: int) -> list[str]:
    value = measure.kappa
    if not value.pairs:
        return [_NOTHING[measure.kind]]
    if value.kappa is None:
        return [f"{measure.kind}: every judgment is a tie, so judges must agree by chance alone and κ is not defined"]
    if resamples and value.interval is None:
        if value.agreed in (0, value.pairs):
            word = "agrees" if value.agreed else "disagrees"
            return [f"{measure.kind}: every pair {word}, so in every sample too, and κ has no interval"]
        return [f"{measure.kind}: κ is not defined in too many of the {resamples} resamples to give it an interval"]
    return []


def _notes_on_judges(lines: Sequence[JudgeAgreement], measures: tuple[Measure, ...], resamples: int) -> list[str]:
    """Why judges have no κ, or no interval of it, where not all of them have none."""
    found: dict[str, list[str]] = {}
    untied = not any(line.ties for line in lines)
    for measure, word, nothing in zip(measures, ("κ", "own κ"), _NOTHING_OF_JUDGE, strict=True):
        for line in lines if measure.kappa.kappa is not None else ():
            value = line.inter if measure.kind == "inter" else line.intra
            if not value.pairs:
                found.setdefault(f"without {word}, because {nothing}", []).append(line.judge)
            elif resamples and value.interval is None:
                # Where there are ties, chance and so a κ of no agreement vary.
                alike = value.agreed == value.pairs or (not value.agreed and untied)
                same = "all of their pairs agree, or none does, in every sample too"
                why = same if alike else f"too many of the {resamples} resamples have none of their pairs"
                found.setdefault(f"{word} without an interval, because {why}", []).append(line.judge)
    return [f"{text}: {named(judges)}" for text, judges in found.items()]
