"""Bojar et al. 2014, Table 3: how much data was collected."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..compute import generator
from ..design.simulate import simulate
from .base import Check, Context, Experiment, Findings, Row
from .published import load

#: A row of the table: name, systems, rankings, average.
Line = tuple[str, int, int, float]


def _run(context: Context, *, pairs: int) -> Findings:
    lines = load("w14")["table_3"]
    rows, cut = [], 0
    for name, systems, judgments, average in lines:
        measured = judgments / systems
        cut += math.floor(10 * measured + 1e-9) == round(10 * average)
        rows.append(Row(name, average, measured, n=systems, group="average per system", digits=1))
    for number, (name, systems, judgments, _) in enumerate(lines[:pairs]):
        made = simulate(systems=systems, rankings=judgments // 10, rng=generator(context.seed, number)).judgments
        group = "pairwise judgments from simulated five-way rankings"
        rows.append(Row(name, judgments, float(len(made)), n=judgments // 10, group=group, digits=0))
    rows += _totals(lines)
    return Findings(
        rows,
        _checks(lines, cut),
        ["n: systems; of judgments, the five-way rankings they come from; of sums, the tasks."],
    )


def _totals(lines: Sequence[Line]) -> list[Row]:
    tasks, total = lines[:10], lines[10]
    sums = [float(sum(line[1] for line in tasks)), float(sum(line[2] for line in tasks))]
    return [
        Row(label, float(published), found, n=10, group="sums over the ten tasks", digits=0)
        for label, published, found in zip(("systems", "rankings"), total[1:3], sums, strict=True)
    ]


def _checks(lines: Sequence[Line], cut: int) -> list[Check]:
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
    _run,
    settings={"pairs": 10},
    quick={"pairs": 2},
)
