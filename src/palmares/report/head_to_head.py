"""Head-to-head tables, as WMT prints them (Bojar et al. 2014, Tables 28–37)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ranking.head_to_head import HeadToHead
from .ranking import notes_of
from .tables import Column, Grouped, Table, View, range_text


def tables(results: Sequence[Grouped[HeadToHead]], part: str | None = None) -> list[Table]:
    """Rows and columns are systems; the last rows are score and range.

    Columns are headed by the number their system has in the rows, which keeps the table narrow.
    """
    return [_matrix(each.result) for each in results]


def flat(results: Sequence[Grouped[HeadToHead]], part: str | None = None) -> list[Table]:
    """One row for every two systems, with the language pair in front."""
    return [_flat(each.result) for each in results]


VIEW = View(tables, flat)


def _matrix(compared: HeadToHead) -> Table:
    ranking, n = compared.ranking, len(compared.systems)
    columns = [Column(""), Column("system", align="left"), *[Column(str(c + 1)) for c in range(n)]]
    rows: list[list[Any]] = [[r + 1, compared.systems[r], *[_cell(compared, r, c) for c in range(n)]] for r in range(n)]
    rows.append(["", "score", *[_share(wins) for wins in compared.expected_wins]])
    rows.append(["", "rank", *[range_text(line.range) or str(line.rank) for line in ranking.lines]])
    notes = [
        "How often the column's system was judged better than the row's, ties ignored.",
        "Two-sided sign test: ⋆ p ≤ .10, † p ≤ .05, ‡ p ≤ .01. score: expected wins; rank: rank range.",
        *notes_of(ranking),
    ]
    return Table(columns, rows, ranking.lang_pair, frozenset({n}), ranking.signature, notes)


def _flat(compared: HeadToHead) -> Table:
    ranking, cells = compared.ranking, compared.to_dict()["cells"]
    columns = [Column(name) for name in ("lang_pair", *cells[0])]
    rows = [[ranking.lang_pair, *cell.values()] for cell in cells]
    return Table(columns, rows, signature=ranking.signature, notes=notes_of(ranking))


def _cell(compared: HeadToHead, row: int, column: int) -> str:
    share = compared.share[row, column]
    if row == column or np.isnan(share):
        return "–"
    # A mark or a space, so that the digits stand below each other.
    return _share(float(share)) + (compared.mark(row, column) or " ")


def _share(value: float) -> str:
    """``.57``, as the published tables print it."""
    return f"{value:.2f}".removeprefix("0")
