"""Bojar et al. 2014: scores from the published win percentages (Tables 28–37), and the amount of data (Table 3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ..compute import generator
from ..design.simulate import simulate
from ..judgments import FloatArray, PairCounts
from ..models.ratios import ExpectedWins
from .base import Check, Context, Experiment, Findings, Row
from .published import HeadToHeadTable, head_to_head_tables, load

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
        for name, score, measured in zip(table.systems, table.score, scores.tolist(), strict=True):
            rows.append(Row(name, score, measured, n=len(table.systems) - 1, group=group))
            # 1e-9: .57 as a sum of hundredths may be .56999….
            cut += math.floor(100 * measured + 1e-9) == round(100 * score)
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
    odd = "; ".join(f"Table {t}: {a} / {b} {x:.2f} and {y:.2f}" for t, a, b, x, y in uneven)
    return [
        f"the two cells of a pair add up to 1.00 in {pairs - len(uneven)} of {pairs} pairs; not in: {odd or 'none'}. "
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


# -- Table 3: how much data was collected ----------------------------------------------------------

#: A row of the table: name, systems, rankings, average.
Line = tuple[str, int, int, float]


def _amounts(context: Context, *, pairs: int) -> Findings:
    lines = load("w14")["table_3"]
    rows, cut = [], 0
    for name, systems, judgments, average in lines:
        measured = judgments / systems
        cut += math.floor(10 * measured + 1e-9) == round(10 * average)
        rows.append(Row(name, average, measured, n=systems, group="average per system", digits=1))
    for number, (name, systems, judgments, _) in enumerate(lines[:pairs]):
        simulated = simulate(systems=systems, rankings=judgments // 10, rng=generator(context.seed, number)).judgments
        group = "pairwise judgments from simulated five-way rankings"
        rows.append(Row(name, judgments, float(len(simulated)), n=judgments // 10, group=group, digits=0))
    rows += _totals(lines)
    return Findings(
        rows,
        _amount_checks(lines, cut),
        ["n: systems; of judgments, the five-way rankings they come from; of sums, the tasks."],
    )


def _totals(lines: Sequence[Line]) -> list[Row]:
    tasks, total = lines[:10], lines[10]
    sums = [float(sum(line[1] for line in tasks)), float(sum(line[2] for line in tasks))]
    return [
        Row(label, float(published), measured, n=10, group="sums over the ten tasks", digits=0)
        for label, published, measured in zip(("systems", "rankings"), total[1:3], sums, strict=True)
    ]


def _amount_checks(lines: Sequence[Line], cut: int) -> list[Check]:
    tens = sum(line[2] % 10 == 0 for line in lines[:10])
    return [
        Check("average = rankings / systems, cut to one decimal", cut == len(lines), f"{cut} of {len(lines)} rows"),
        Check(
            "the column “Rankings” counts pairwise judgments, ten for each five-way ranking",
            tens == 10,
            f"{tens} of 10 counts are multiples of 10",
        ),
    ]


DATA = Experiment(
    "w14-data",
    "the amount of data collected, from rankings to pairwise judgments",
    "Bojar et al. 2014, Table 3",
    _amounts,
    settings={"pairs": 10},
    quick={"pairs": 2},
)
