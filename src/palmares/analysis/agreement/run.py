"""`agreement`: do judges agree with each other, and with themselves?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...compute import Execution, RngLike
from ...errors import InputError
from ...ingest.given import judgments_of
from ...judgments import OUTCOMES, FloatArray, IntArray, Judgments
from ...models.base import check_one_lang_pair
from ...ranking.record import Record
from .coefficients import (
    NOMINAL,
    Kappa,
    Span,
    Sums,
    alpha,
    between_judges,
    kappa,
    mean_over_judges,
    measured,
    ordinal,
    within_judges,
)
from .intervals import spans_by_segment, spans_drawn, spans_left_out
from .notes import notes_on_all, notes_on_judges
from .result import COUNTINGS, Agreement, Counting, JudgeAgreement, Kind, Measure
from .sums import judges_by_segment, judges_clustered, pooled_by_segment, pooled_clustered
from .tallies import Rows, Shares, rows_of, shares_of


def agreement(
    judgments: Judgments | Any,
    *,
    judges: bool = False,
    counting: Counting = "all-pairs",
    resamples: int | None = None,
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
        None: intervals from leaving out judges and segments, which hold for other judges and segments too; below five
        judges, from segments alone. A number of bootstrap samples, in which segments are drawn: intervals as earlier
        versions printed them, for these judges only. 0 for no intervals.
    p
        1 − p is the level of intervals: .05 for 95 % intervals.
    rng
        A seed for bootstrap samples; None draws one. It is in the signature either way.
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
    if resamples is not None and resamples < 0:
        raise InputError(
            f"resamples: got {resamples}; allowed: at least 1, 0 for no intervals, or None to leave out judges and "
            "segments instead"
        )
    if not 0 < p < 1:
        raise InputError(f"p: got {p}; allowed: between 0 and 1, e.g. 0.05")
    execution, wmt16 = Execution.prepared(execution, rng), counting == "wmt16"
    resamples = 0 if counting == "two-judges" else resamples
    rows = rows_of(judgments, ordered=wmt16)
    shares = shares_of(rows, same_look=wmt16)
    # Progress is told of the larger part of the work.
    how = Intervals(resamples, p, replace(execution, progress=None) if judges else execution)
    inter, intra = _measures(shares, counting, how)
    by_judge = _by_judge(judgments, rows, shares, replace(how, execution=execution)) if judges else ()
    found = {measure.kappa.unit for measure in (inter, intra)}
    facts = {
        "counting": counting,
        "unit": None if resamples == 0 else "two-way" if "two-way" in found else "segment",
        **({"resamples": resamples} if resamples else {}),
        **({"p": p} if resamples != 0 else {}),
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
            *notes_on_all(judgments, rows, (inter, intra), resamples),
            *notes_on_judges(by_judge, (inter, intra), resamples),
        ),
    )


@dataclass(frozen=True)
class Intervals:
    """How intervals are made: from bootstrap samples of segments, or (None) from leaving out judges and segments."""

    resamples: int | None
    p: float
    execution: Execution

    def drawn(self, by_segment: Sums) -> list[Span | None]:
        return spans_drawn(by_segment, self.resamples or 0, self.p, self.execution)


# -- all judges together -----------------------------------------------------------------------------


def _measures(shares: Shares, counting: Counting, how: Intervals) -> tuple[Measure, Measure]:
    """Between judges and within them, over the whole table."""
    again = shares.repeats > 0
    used = ((shares.others > 0) | again if counting == "wmt16" else shares.others > 0, again)
    values = mean_over_judges(shares) if counting == "two-judges" else _pooled(shares, how, wmt16=counting == "wmt16")
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


def _pooled(shares: Shares, how: Intervals, *, wmt16: bool) -> list[Kappa]:
    """One κ over all pairs of each kind."""
    sums = pooled_by_segment(shares, wmt16=wmt16)
    columns = (sums.pairs, sums.agreed, sums.ties, sums.total)
    totals = [column.sum(axis=0).astype(int) for column in columns]
    if how.resamples is None:
        spans = spans_left_out(*_values(*totals), pooled_clustered(shares, wmt16=wmt16), how.p)
    else:
        spans = how.drawn(sums)
    pairs, agreed, ties, total = (amounts.tolist() for amounts in totals)
    return [measured(pairs[k], agreed[k], ties[k], total[k], span) for k, span in enumerate(spans)]


def _values(pairs: IntArray, agreed: IntArray, ties: IntArray, total: IntArray) -> tuple[FloatArray, FloatArray]:
    """κs, and what they would be if no pair agreed."""
    amounts = [x.astype(np.float64) for x in (pairs, agreed, ties, total)]
    return kappa(*amounts), kappa(amounts[0], 0 * amounts[1], *amounts[2:])


# -- one judge against the others --------------------------------------------------------------------


def _by_judge(judgments: Judgments, rows: Rows, shares: Shares, how: Intervals) -> tuple[JudgeAgreement, ...]:
    """Every judge, lowest κ first, those without one last. Chance is that of the whole table, so judges compare."""
    codes, judge = np.unique(shares.judge, return_inverse=True)

    def by_judge(amounts: IntArray) -> IntArray:
        sums: IntArray = np.bincount(judge, amounts, len(codes)).astype(np.int64)
        return sums

    ties, total = int((rows.outcome == 1).sum()), len(rows)
    judged, tied = by_judge(shares.counts.sum(axis=1)).tolist(), by_judge(shares.counts[:, 1]).tolist()
    others, others_agreed = by_judge(shares.others), by_judge(shares.others_agreed)
    repeats, repeats_agreed = by_judge(shares.repeats), by_judge(shares.repeats_agreed)
    if how.resamples is None:
        whole = np.array([ties]), np.array([total])
        spans = spans_left_out(*_values(others, others_agreed, *whole), judges_clustered(shares), how.p)
        # Repeats are one judge's own: how judges differ plays no part.
        own = judges_by_segment(shares).columns(len(codes), 2 * len(codes))
        own_spans = spans_by_segment(*_values(repeats, repeats_agreed, *whole), own, how.p)
    else:
        drawn = how.drawn(judges_by_segment(shares))
        spans, own_spans = drawn[: len(codes)], drawn[len(codes) :]
    lines = [
        JudgeAgreement(
            judge=judgments.judges[code],
            judgments=judged[i],
            ties=tied[i] / judged[i],
            inter=measured(int(others[i]), int(others_agreed[i]), ties, total, spans[i]),
            intra=measured(int(repeats[i]), int(repeats_agreed[i]), ties, total, own_spans[i]),
        )
        for i, code in enumerate(codes)
    ]
    return tuple(sorted(lines, key=lambda line: _lowest_first(line.inter, line.judge)))


def _lowest_first(value: Kappa, name: str) -> tuple[bool, float, str]:
    return (value.kappa is None, 0.0 if value.kappa is None else value.kappa, name)
