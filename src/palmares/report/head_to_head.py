"""Head-to-head tables, as WMT prints them (Bojar et al. 2014, Tables 28–37)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ranking.head_to_head import HeadToHead
from .ranking import notes_of
from .tables import Column, Grouped, Table, View, front, range_text


def tables(results: Sequence[Grouped[HeadToHead]], part: str | None = None) -> list[Table]:
    """Rows and columns are systems, as in `probability_table`; the last rows are score and range of the column's.

    Columns are headed by the number their system has in the rows, which keeps the table narrow.
    """
    return [_matrix(each.result, each.title or each.result.lang_pair) for each in results]


def flat(results: Sequence[Grouped[HeadToHead]], part: str | None = None) -> list[Table]:
    """One row for every two systems, with the language pair and the group in front."""
    return [_flat(each) for each in results]


VIEW = View(tables, flat, grouped=True)


def _matrix(compared: HeadToHead, title: str | None) -> Table:
    ranking, n = compared.ranking, len(compared.systems)
    columns = [Column(""), Column("system", align="left"), *[Column(str(c + 1)) for c in range(n)]]
    rows: list[list[Any]] = [[r + 1, compared.systems[r], *[_cell(compared, r, c) for c in range(n)]] for r in range(n)]
    rows.append(["", "score", *[_two_decimals(wins) for wins in compared.expected_wins]])
    rows.append(["", "rank", *[range_text(line.range) or str(line.rank) for line in ranking.lines]])
    if together := any(line.joint_range for line in ranking.lines):
        rows.append(["", "joint", *[range_text(line.joint_range) for line in ranking.lines]])
    notes = [
        f"How often the column's system was judged better than the row's, ties ignored{_example(compared)}.",
        "Two-sided sign test: ⋆ p ≤ .10, † p ≤ .05, ‡ p ≤ .01. score: expected wins; rank: rank range"
        + ("; joint: rank range, all of which hold at once." if together else "."),
        *notes_of(ranking),
    ]
    return Table(columns, rows, title, frozenset({n}), ranking.signature, notes, keys=(0, 1))


def _example(compared: HeadToHead) -> str:
    """How to read a cell, by the first that is not empty: of the systems that stand highest."""
    met = np.argwhere(np.triu(~np.isnan(compared.share), 1))
    if not len(met):
        return ""
    column, row = met[0]
    better, worse = compared.systems[column], compared.systems[row]
    often = _two_decimals(compared.share[row, column])
    return f": {better} (column {column + 1}) better than {worse} (row {row + 1}) in {often}"


def _flat(each: Grouped[HeadToHead]) -> Table:
    ranking, cells, group = each.result.ranking, each.result.to_dict()["cells"], front(each)
    columns = [Column(name) for name in (*group, *cells[0])]
    rows = [[*group.values(), *cell.values()] for cell in cells]
    return Table(columns, rows, signature=ranking.signature, notes=notes_of(ranking))


def _cell(compared: HeadToHead, row: int, column: int) -> str:
    share = compared.share[row, column]
    if row == column or np.isnan(share):
        return "–"
    # A mark or a space, so that the digits stand below each other.
    return _two_decimals(float(share)) + (compared.mark(row, column) or " ")


def _two_decimals(value: float) -> str:
    """``.57``, as the published tables print it."""
    return f"{value:.2f}".removeprefix("0")
