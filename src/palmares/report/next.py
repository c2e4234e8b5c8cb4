"""What to judge next, as tables: the boundaries that are open, and screens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from ..design.next import STRATEGIES
from ..design.next.result import NextScreen, NextScreens
from .tables import Column, Grouped, Table, View, front

#: So many open boundaries are shown to people, those that are cheapest to close.
_SHOWN = 10


def tables(results: Sequence[Grouped[NextScreens]], part: str | None = None) -> list[Table]:
    """The open boundaries of every group, cheapest first; below, the screens."""
    return [table for each in results for table in (_boundaries(each), _screens(each))]


def flat(results: Sequence[Grouped[NextScreens]], part: str | None = None) -> list[Table]:
    """One row per screen."""
    return [_flat(each) for each in results]


VIEW = View(tables, flat, grouped=True)


def _boundaries(each: Grouped[NextScreens]) -> Table:
    result = each.result
    columns = [
        Column("rank"), Column("above", align="left"), Column("below", align="left"), Column("z", _z),
        Column("needed", _z), Column("comparisons", _about),
    ]  # fmt: skip
    cheapest = sorted(result.boundaries, key=lambda boundary: boundary.comparisons)
    rows = [[b.rank, b.above, b.below, b.z, b.needed, b.comparisons] for b in cheapest[:_SHOWN]]
    everything = len(result.boundaries) + result.claimed
    head = f"{len(result.boundaries)} of {everything} boundaries open"
    title = each.title or result.lang_pair
    shown = f"The {_SHOWN} that are cheapest to close. " if len(cheapest) > _SHOWN else ""
    notes = [
        f"{shown}z: of the two systems across the boundary that are least sure to be in this order, the difference in "
        "standard errors; needed: what it takes, whenever one looks; comparisons: about how many more, were every two "
        "systems across it compared by themselves and their differences what they seem, at least 0.3."
    ]
    return Table(columns, rows, f"{title}: {head}" if title else head, notes=notes if rows else [])


def _screens(each: Grouped[NextScreens]) -> Table:
    result = each.result
    with_segments = any(screen.segment is not None for screen in result.screens)
    columns = [
        Column(""), Column("systems", align="left"), *([Column("segment", align="left")] if with_segments else []),
        Column("boundary", _boundary, "left"), Column("probability", _probability),
    ]  # fmt: skip
    rows = [
        [
            place, " | ".join(screen.systems), *([screen.segment] if with_segments else []),
            screen.strategy if screen.boundary is None else screen.boundary, screen.probability,
        ]
        for place, screen in enumerate(result.screens, 1)
    ]  # fmt: skip
    segments = "; segment: one of those with the fewest judgments" if with_segments else ""
    notes = [
        f"{result.strategy}: {STRATEGIES[result.strategy].summary}. boundary: the ranks on both sides of the "
        f"one that a screen was planned for, or who chose it; probability: of these systems, by plan and by chance"
        f"{segments}.",
        *[f"note: {note}" for note in result.notes],
    ]
    return Table(columns, rows, signature=result.signature, notes=notes)


def _flat(each: Grouped[NextScreens]) -> Table:
    result, before = each.result, front(each)
    count = max(len(screen.systems) for screen in result.screens)
    own = [field.name for field in fields(NextScreen) if field.name != "systems"]
    columns = [Column(name) for name in (*before, "screen", *(f"system_{k + 1}" for k in range(count)), *own)]
    rows = [
        [*before.values(), place, *screen.systems, *(getattr(screen, name) for name in own)]
        for place, screen in enumerate(result.screens, 1)
    ]
    return Table(columns, rows, signature=result.signature, notes=[f"note: {note}" for note in result.notes])


def _z(value: float) -> str:
    return f"{value:.2f}"


def _about(value: float) -> str:
    """Two digits are more than is known."""
    return f"{float(f'{value:.2g}'):,.0f}"


def _boundary(value: int | str) -> str:
    return value if isinstance(value, str) else f"{value} | {value + 1}"


def _probability(value: float) -> str:
    return f"{value:.3g}"
