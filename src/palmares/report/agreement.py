"""Agreement of judges, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..analysis.agreement import Agreement, JudgeAgreement, Kappa, Measure
from ..errors import InputError
from .tables import Column, Grouped, Table, View, front, interval_text, level_text, or_dash, score_text

_ITEMS = {
    "all-pairs": (
        "An item is two systems on one segment; κ compares every two judgments of it, by two judges (inter) or by one "
        "judge twice (intra)."
    ),
    "wmt16": (
        "Counted as in WMT16: the order of the two systems matters, inter includes judges' own repeats, and "
        "intra takes its tie rate from the segments on which a judge repeated something."
    ),
    "two-judges": (
        "The mean of the κs of every two judges (inter) and of each judge (intra), weighted by their pairs; chance is "
        "taken from what the two share, with systems in the order of their names. Without intervals."
    ),
}
_JUDGES = "Each judge against all the others, lowest κ first; own: items that the judge judged more than once."


def tables(results: Sequence[Grouped[Agreement]], part: str | None = None) -> list[Table]:
    """One row for every language pair and kind of agreement; ``judges``: below it, one row per judge of each pair."""
    return [_pairs(results), *([_judges(each) for each in results] if part == "judges" else [])]


def flat(results: Sequence[Grouped[Agreement]], part: str | None = None) -> list[Table]:
    """Two rows per language pair, between judges and of judges with themselves; ``judges``: one row per judge."""
    if part == "judges" and not any(each.result.by_judge for each in results):
        raise InputError("judges were not compared with each other; ask for it with judges=True (--judges)")
    layout = _flat_judges if part == "judges" else _flat_pair
    return [layout(each) for each in results]


VIEW = View(tables, flat, grouped=True, parts=("judges",))


def _pairs(results: Sequence[Grouped[Agreement]]) -> Table:
    counting, p = results[0].result.counting, results[0].result.p
    heading = "group" if any(name != "lang_pair" for each in results for name, _ in each.group) else "language pair"
    columns = [
        Column(heading, or_dash, "left"), Column("agreement", align="left"), *_kappa_columns(p),
        Column("P(A)", _score), Column("P(E)", _score), Column("pairs agreed", _count), Column("pairs", _count),
        Column("items", _count), Column("judges", _count),
    ]  # fmt: skip
    # The published countings have no α.
    columns += [] if counting != "all-pairs" else [Column("alpha", _score), Column("ordinal alpha", _score)]
    rows = [
        [_title(each), *_measure_cells(measure)][: len(columns)]
        for each in results
        for measure in (each.result.inter, each.result.intra)
    ]
    rules = frozenset(range(2, len(rows), 2))
    *before, last = [each.result.signature for each in results]
    notes = [_ITEMS[counting], *_notes(results), *before]
    return Table(columns, rows, rules=rules, notes=notes, signature=last, keys=(0, 1))


def _title(each: Grouped[Agreement]) -> str | None:
    return each.title or each.result.lang_pair


def _flat_pair(each: Grouped[Agreement]) -> Table:
    agreement, group = each.result, front(each)
    rows = [
        [*group.values(), measure.kind, *_kappa_cells(measure.kappa), measure.items, measure.judges, measure.alpha,
         measure.alpha_ordinal]
        for measure in (agreement.inter, agreement.intra)
    ]  # fmt: skip
    names = (*group, "agreement", *_KAPPA, "items", "judges", "alpha", "alpha_ordinal")
    return Table([Column(n) for n in names], rows, notes=_notes([each]), signature=agreement.signature)


def _judges(each: Grouped[Agreement]) -> Table:
    agreement = each.result
    columns = [
        Column("judge", align="left"), Column("judgments", _count), Column("ties", lambda v: f"{100 * v:.1f} %"),
        *_kappa_columns(agreement.p), Column("P(A)", _score), Column("pairs", _count),
        Column("own kappa", _score), Column(f"own {level_text(agreement.p)} interval", _interval, "left"),
        Column("own pairs", _count),
    ]  # fmt: skip
    rows = [_judge_cells(line) for line in agreement.by_judge]
    return Table(columns, rows, _title(each), notes=[_JUDGES], signature=agreement.signature)


def _flat_judges(each: Grouped[Agreement]) -> Table:
    agreement, group = each.result, front(each)
    rows = [
        [*group.values(), line.judge, line.judgments, line.ties, *_kappa_cells(line.inter),
         *_kappa_cells(line.intra)]
        for line in agreement.by_judge
    ]  # fmt: skip
    names = [*group, "judge", "judgments", "ties", *_KAPPA, *[f"intra_{name}" for name in _KAPPA]]
    return Table([Column(n) for n in names], rows, notes=_notes([each]), signature=agreement.signature)


_KAPPA = ("kappa", "low", "high", "band", "observed", "expected", "agreed", "pairs")


def _kappa_cells(value: Kappa) -> list[Any]:
    low, high = value.interval or (None, None)
    return [value.kappa, low, high, value.band, value.observed, value.expected, value.agreed, value.pairs]


def _kappa_columns(p: float) -> list[Column]:
    return [
        Column("kappa", _score),
        Column(f"{level_text(p)} interval", _interval, "left"),
        Column("Landis & Koch", or_dash, "left"),
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


def _notes(results: Sequence[Grouped[Agreement]]) -> list[str]:
    named = len(results) > 1
    return [
        f"note: {title}: {note}" if named and (title := _title(each)) else f"note: {note}"
        for each in results
        for note in each.result.notes
    ]


def _score(value: float | None) -> str:
    return "–" if value is None else score_text(value)


def _interval(span: tuple[float, float] | None) -> str:
    return interval_text(span) or "–"


def _count(value: int) -> str:
    return f"{value:,}"
