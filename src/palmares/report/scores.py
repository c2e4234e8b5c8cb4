"""What the tables of all scores share: a value with its interval and its mark, tests of pairs, and flat rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..scoring.comparison import JOINT_WINNER, WINNER, Comparison
from ..scoring.result import Scored
from .tables import Column, Grouped, Table, chance_text, front, level_text


def number_text(value: float | None, digits: int) -> str:
    """A number with so many decimals and a real minus sign; a dash where there is none."""
    if value is None or value != value:
        return "–"
    # + 0.0 so that what rounds to zero has no sign.
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def value_text(comparison: Comparison, system: int) -> str:
    """``• 13.16 ±3.52``: the mark of a winner, the value, and half of its interval."""
    digits = comparison.measure.digits
    text = number_text(float(comparison.values[system]), digits)
    low, high = comparison.intervals[system]
    width = "" if low != low else f" ±{number_text((high - low) / 2, digits)}"
    mark = comparison.mark(system)
    return f"{mark} {text}{width}" if mark else f"{text}{width}"


def value_column(comparison: Comparison) -> Column:
    """The column of a measure; its cells are `value_text`."""
    return Column(comparison.measure.name)


def mark_notes(comparisons: Sequence[Comparison]) -> list[str]:
    """What the signs in tables mean, and which way is better."""
    shown = [c for c in comparisons if c.usable is not None]
    lower = dict.fromkeys(c.measure.name for c in comparisons if not c.measure.higher_is_better)
    notes = [f"lower is better: {', '.join(lower)}"] if lower else []
    if not shown:
        return notes
    level = level_text(shown[0].p)
    notes.append(f"±: half of the {level} interval (bootstrap)")
    marks = {c.mark(i) for c in shown for i in range(len(c.systems))}
    if WINNER in marks:
        notes.append(f"{WINNER} not significantly worse than the best, compared by itself (p ≤ {shown[0].p:g})")
    if JOINT_WINNER in marks:
        notes.append(
            f"{JOINT_WINNER} significantly worse than the best by itself, but not if all pairs of systems are to hold "
            "at once"
        )
    return notes


PAIR_COLUMNS = (
    Column("measure", align="left"),
    Column("better", align="left"),
    Column("worse", align="left"),
    Column("difference"),
    Column("p", chance_text),
    Column("joint p", chance_text),
)


def pair_tables(results: Sequence[Grouped[Any]]) -> list[Table]:
    """Every two systems by every measure, the better one first."""
    tables = []
    for each in results:
        rows: list[list[Any]] = []
        rules: list[int] = []
        for comparison in each.result.comparisons:
            rules.append(len(rows))
            rows += [
                [comparison.measure.label, pair["better"], pair["worse"],
                 number_text(pair["difference"], comparison.measure.digits + 1), pair["p"], pair["joint_p"]]
                for pair in comparison.pairs
            ]  # fmt: skip
        notes = [
            "p: two-sided, of this pair by itself; joint p: of all pairs of systems by this measure at once "
            "(Romano & Wolf 2005).",
            *[f"note: {note}" for note in each.result.notes],
        ]
        between = frozenset(rule for rule in rules if 0 < rule < len(rows))
        tables.append(Table(PAIR_COLUMNS, rows, each.title, between, each.result.signature, notes, keys=(0, 1, 2)))
    return tables


def flat_pairs(results: Sequence[Grouped[Any]]) -> list[Table]:
    """The same for CSV: numbers as they are."""
    names = ("better", "worse", "difference", "p", "joint_p")
    tables = []
    for each in results:
        ahead = front(each)
        rows = [
            [*ahead.values(), c.measure.name, c.measure.group or None, *(pair[name] for name in names)]
            for c in each.result.comparisons
            for pair in c.pairs
        ]
        columns = [Column(name) for name in (*ahead, "measure", "group", *names)]
        tables.append(Table(columns, rows, signature=each.result.signature, notes=_notes(each.result)))
    return tables


def flat_values(results: Sequence[Grouped[Any]]) -> list[Table]:
    """One row per system and measure, for CSV."""
    names = ("system", "measure", "group", "value", "low", "high", "winner", "joint_winner")
    tables = []
    for each in results:
        ahead = front(each)
        rows = [
            [*ahead.values(), *row] for c in each.result.comparisons for row in _value_rows(c)
        ]  # fmt: skip
        columns = [Column(name) for name in (*ahead, *names)]
        tables.append(Table(columns, rows, signature=each.result.signature, notes=_notes(each.result)))
    return tables


def _value_rows(comparison: Comparison) -> list[list[Any]]:
    def or_none(value: float) -> float | None:
        return float(value) if value == value else None

    return [
        [
            comparison.systems[i],
            comparison.measure.name,
            comparison.measure.group or None,
            or_none(comparison.values[i]),
            *map(or_none, comparison.intervals[i]),
            bool(comparison.winners[i]),
            bool(comparison.joint_winners[i]),
        ]
        for i in comparison.order
    ]


def _notes(result: Scored) -> list[str]:
    return [f"note: {note}" for note in result.notes]
