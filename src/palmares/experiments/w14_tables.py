"""Bojar et al. 2014, Tables 28–37: scores computed from the published win percentages."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from ..judgments.arrays import FloatArray
from ..judgments.counts import PairCounts
from ..models.ratios import ExpectedWins
from .base import Check, Context, Experiment, Findings, Row
from .published import HeadToHeadTable, head_to_head_tables

#: How far a score from printed cells may be from the printed score.
TOLERANCE = 0.01


def expected_wins(table: HeadToHeadTable) -> FloatArray:
    """The model ``expected-wins`` on the published shares, as if every pair had been decided once."""
    wins = np.nan_to_num(table.wins)
    return np.asarray(ExpectedWins().fit(PairCounts(table.systems, wins, np.zeros_like(wins))).scores)


def as_printed(table: HeadToHeadTable) -> FloatArray:
    """The mean of every column's cells exactly as printed."""
    return np.asarray(np.nanmean(table.better, axis=0))


def uneven_pairs(table: HeadToHeadTable) -> list[tuple[str, str, float, float]]:
    """Pairs whose two printed cells do not add up to 1: names and cells."""
    cells = [
        (table.systems[i], table.systems[j], float(table.better[i, j]), float(table.better[j, i]))
        for i, j in combinations(range(len(table.systems)), 2)
    ]
    return [cell for cell in cells if abs(cell[2] + cell[3] - 1) > 1e-9]


def _run(context: Context, *, tables: tuple[int, ...]) -> Findings:
    chosen = [table for table in head_to_head_tables() if table.table in tables]
    rows, printed, cut = [], 0, 0
    for table in chosen:
        scores = expected_wins(table)
        group = f"Table {table.table}, {table.pair}"
        for name, score, found in zip(table.systems, table.score, scores.tolist(), strict=True):
            rows.append(Row(name, score, found, n=len(table.systems) - 1, group=group))
            # 1e-9: .57 as a sum of hundredths may be .56999….
            cut += math.floor(100 * found + 1e-9) == round(100 * score)
        printed += int((np.abs(as_printed(table) - table.score) <= TOLERANCE + 1e-9).sum())
    return Findings(rows, _checks(rows, printed, cut), _notes(chosen))


def _checks(rows: list[Row], printed: int, cut: int) -> list[Check]:
    within = sum(abs(row.difference or 0) <= TOLERANCE + 1e-9 for row in rows)
    worst = max(abs(row.difference or 0) for row in rows)
    return [
        Check(
            f"scores computed from the cells equal the printed ones to ± {TOLERANCE}", within == len(rows),
            f"{within} of {len(rows)} scores, largest difference {worst:.4f}; from cells exactly as printed {printed}",
        ),
        Check(
            "printed scores are cut to two decimals, not rounded", 2 * cut > len(rows),
            f"{cut} of {len(rows)} equal the computed score cut to two decimals",
        ),
    ]  # fmt: skip


def _notes(tables: list[HeadToHeadTable]) -> list[str]:
    pairs = sum(len(table.systems) * (len(table.systems) - 1) // 2 for table in tables)
    uneven = [(table.table, *cell) for table in tables for cell in uneven_pairs(table)]
    told = "; ".join(f"Table {t}: {a} / {b} {x:.2f} and {y:.2f}" for t, a, b, x, y in uneven)
    return [
        f"the two cells of a pair add up to 1.00 in {pairs - len(uneven)} of {pairs} pairs; not in: {told or 'none'}. "
        "A cell printed as .00 is taken from its mirror image.",
        "n: opponents in the mean.",
    ]


HEAD_TO_HEAD = Experiment(
    "w14-head-to-head",
    "expected wins from the published head-to-head percentages",
    "Bojar et al. 2014, Tables 28–37",
    _run,
    settings={"tables": tuple(range(28, 38))},
    quick={"tables": (28, 34)},
)
