"""Whether a result could be made again, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..analysis.verify import TOLERANCE, Verification
from .tables import Column, Grouped, Table, View, or_dash

_SHOWN = 20


def tables(results: Sequence[Grouped[Verification]], part: str | None = None) -> list[Table]:
    """One row per result; below it what differs, the first values of each."""
    columns = [Column("result", or_dash, "left"), Column("verdict", align="left"), Column("compared"), Column("differ")]
    rows = [[each.title, _verdict(each.result), each.result.compared, len(each.result.differences)] for each in results]
    notes = [f"Numbers are equal up to {TOLERANCE:g}; ranks, counts and names exactly."]
    for each in results:
        front = f"{each.title}: " if each.title else ""
        if each.result.obstacle:
            notes.append(f"{front}{each.result.obstacle}")
        notes += [
            f"{front}{d.place}: recorded {_value(d.recorded)}, now {_value(d.found)}"
            for d in each.result.differences[:_SHOWN]
        ]
        if (more := len(each.result.differences) - _SHOWN) > 0:
            notes.append(f"{front}and {more} more")
    changed = {name: pair for each in results for name, pair in each.result.versions.items()}
    notes += [f"note: made with {name} {then}, verified with {now}" for name, (then, now) in changed.items()]
    return [Table(columns, rows, notes=notes)]


def flat(results: Sequence[Grouped[Verification]], part: str | None = None) -> list[Table]:
    """One row for every value that differs."""
    columns = [Column(name) for name in ("result", "place", "recorded", "found")]
    rows = [[each.title, d.place, d.recorded, d.found] for each in results for d in each.result.differences]
    rows += [[each.title, each.result.obstacle, None, None] for each in results if each.result.obstacle]
    return [Table(columns, rows)]


VIEW = View(tables, flat)


def _verdict(result: Verification) -> str:
    return "equal" if result.equal else "not made again" if result.obstacle else "differs"


def _value(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
