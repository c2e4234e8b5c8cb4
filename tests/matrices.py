"""Every row with every column, where a part of them tells most: the rest is left to ``make test-all``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pytest


def crossed(
    rows: Mapping[str, Any], columns: Mapping[str, tuple[Any, ...]], whole: Collection[str] = ()
) -> list[Any]:  # of pytest's own type for a set of parameters, which has no public name
    """Parameters of a test: a row's value and those of a column.

    In ``make test`` the rows in ``whole`` meet every column and each other row meets one, in turn, so that no row and,
    given enough rows, no column is left out.
    """
    turns = {label: turn for turn, label in enumerate(label for label in rows if label not in whole)}

    def is_slow(label: str, place: int) -> bool:
        return label in turns and turns[label] % len(columns) != place

    return [
        pytest.param(row, *column, id=f"{label}-{name}", marks=[pytest.mark.slow] if is_slow(label, place) else [])
        for label, row in rows.items()
        for place, (name, column) in enumerate(columns.items())
    ]
