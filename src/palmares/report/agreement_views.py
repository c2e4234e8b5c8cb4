"""Agreement of judges laid out as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..analysis.agreement import Agreement, JudgeAgreement, Kappa, Measure
from ..ranking.wording import interval_text, level_text, score_text
from .tables import Column, Table

_ITEMS = {
    "all-pairs": (
        "An item is two systems on one segment; κ compares every two judgments of it, by two judges (inter) or by one "
        "judge twice (intra)."
    ),
    "wmt16": (
        "Counted as WMT16 was: the order of the two systems tells items apart, inter includes judges' own repeats, and "
        "intra takes its ties from the segments a judge repeated something on."
    ),
    "two-judges": (
        "The mean of the κs of every two judges (inter) and of each judge (intra), weighted by their pairs; chance is "
        "taken from what the two share, with systems in the order of their names. Without intervals."
    ),
}
_JUDGES = "Each judge against all the others, lowest κ first; own: items that the judge judged more than once."


def agreement_table(found: Sequence[Agreement], *, p: float) -> Table:
    """One row for every language pair and kind of agreement."""
    counting = found[0].counting
    columns = [
        Column("language pair", _or_dash, "left"), Column("agreement", align="left"), *_kappa_columns(p),
        Column("P(A)", _score), Column("P(E)", _score), Column("agreed", _count), Column("of pairs", _count),
        Column("items", _count), Column("judges", _count),
    ]  # fmt: skip
    # The published countings have no α.
    columns += [] if counting != "all-pairs" else [Column("alpha", _score), Column("ordinal alpha", _score)]
    rows = [
        [each.lang_pair, *_measure_cells(measure)][: len(columns)]
        for each in found
        for measure in (each.inter, each.intra)
    ]
    rules = frozenset(range(2, len(rows), 2))
    *front, last = [each.signature for each in found]
    notes = [_ITEMS[counting], *_notes(found), *front]
    return Table(columns, rows, rules=rules, notes=notes, signature=last)


def agreement_csv_table(found: Agreement) -> Table:
    """Two flat rows, between judges and of judges with themselves."""
    rows = [
        [found.lang_pair, measure.kind, *_flat(measure.kappa), measure.items, measure.judges, measure.alpha,
         measure.alpha_ordinal]
        for measure in (found.inter, found.intra)
    ]  # fmt: skip
    names = ("lang_pair", "agreement", *_FLAT, "items", "judges", "alpha", "alpha_ordinal")
    return Table([Column(n) for n in names], rows, notes=_notes([found]), signature=found.signature)


def judges_table(found: Agreement, *, p: float) -> Table:
    """One row a judge, lowest κ first."""
    columns = [
        Column("judge", align="left"), Column("judgments", _count), Column("ties", lambda v: f"{100 * v:.1f} %"),
        *_kappa_columns(p), Column("P(A)", _score), Column("of pairs", _count),
        Column("own kappa", _score), Column(f"{level_text(p)} interval", _interval, "left"),
        Column("of pairs", _count),
    ]  # fmt: skip
    rows = [_judge_cells(line) for line in found.by_judge]
    return Table(columns, rows, found.lang_pair, notes=[_JUDGES], signature=found.signature)


def judges_csv_table(found: Agreement) -> Table:
    """One flat row a judge, with the language pair in front."""
    rows = [
        [found.lang_pair, line.judge, line.judgments, line.ties, *_flat(line.inter), *_flat(line.intra)]
        for line in found.by_judge
    ]
    names = ["lang_pair", "judge", "judgments", "ties", *_FLAT, *[f"intra_{name}" for name in _FLAT]]
    return Table([Column(n) for n in names], rows, notes=_notes([found]), signature=found.signature)


_FLAT = ("kappa", "low", "high", "band", "observed", "expected", "agreed", "pairs")


def _flat(value: Kappa) -> list[Any]:
    low, high = value.interval or (None, None)
    return [value.kappa, low, high, value.band, value.observed, value.expected, value.agreed, value.pairs]


def _kappa_columns(p: float) -> list[Column]:
    return [
        Column("kappa", _score),
        Column(f"{level_text(p)} interval", _interval, "left"),
        Column("Landis & Koch", _or_dash, "left"),
    ]


def _measure_cells(measure: Measure) -> list[Any]:
    value = measure.kappa
    return [
        measure.kind, value.kappa, value.interval, value.band, value.observed, value.expected, value.agreed,
        value.pairs, measure.items, measure.judges, measure.alpha, measure.alpha_ordinal,
    ]  # fmt: skip


def _judge_cells(line: JudgeAgreement) -> list[Any]:
    inter, intra = line.inter, line.intra
    return [
        line.judge, line.judgments, line.ties, inter.kappa, inter.interval, inter.band, inter.observed, inter.pairs,
        intra.kappa, intra.interval, intra.pairs,
    ]  # fmt: skip


def _notes(found: Sequence[Agreement]) -> list[str]:
    named = len(found) > 1
    return [
        f"note: {each.lang_pair}: {note}" if named and each.lang_pair else f"note: {note}"
        for each in found
        for note in each.notes
    ]


def _score(value: float | None) -> str:
    return "–" if value is None else score_text(value)


def _interval(span: tuple[float, float] | None) -> str:
    return interval_text(span) or "–"


def _count(value: int) -> str:
    return f"{value:,}"


def _or_dash(value: str | None) -> str:
    return value or "–"
