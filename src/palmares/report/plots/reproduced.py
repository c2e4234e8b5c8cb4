"""What plots of reproduced experiments share: which experiment it is, its data, and its numbers by curve."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...errors import InputError
from ...experiments.base import Reproduction, Row

#: Below a plot of an experiment that was run with fewer trials and judgments.
_QUICK = "quick variant: fewer trials and judgments than the experiment"


def experiment(result: Any, name: str) -> Reproduction:
    """The result, if it is of this experiment."""
    if isinstance(result, Reproduction) and result.id == name:
        return result
    got = f"the experiment {result.id}" if isinstance(result, Reproduction) else f"a {type(result).__name__}"
    raise InputError(f"got {got}; this plot draws the experiment {name}: palmares reproduce {name}")


def quick_note(result: Reproduction) -> list[str]:
    """A line that says so, where it was the quick variant that was run."""
    return [_QUICK] if result.quick else []


def data_of(result: Reproduction) -> str:
    """What the experiment ran on, in words."""
    return ", ".join(result.data)


def along(rows: Iterable[Row], prefix: str) -> dict[str, dict[str, list[Row]]]:
    """Rows that stand on an axis, by group (those whose name begins so, without it) and by label."""
    grouped: dict[str, dict[str, list[Row]]] = {}
    for row in rows:
        if row.at and row.group.startswith(prefix):
            grouped.setdefault(row.group.removeprefix(prefix), {}).setdefault(row.label, []).append(row)
    return grouped


def value(row: Row) -> float:
    """The number that was measured, of a row that has one."""
    assert row.measured is not None  # rows of figures have one
    return row.measured
