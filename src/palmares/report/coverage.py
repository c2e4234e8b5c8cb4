"""A coverage study, as a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ..design.coverage import Coverage, MethodCoverage
from .tables import Column, Grouped, Table, View, or_dash


def tables(results: Sequence[Grouped[Coverage]], part: str | None = None) -> list[Table]:
    """One row a method; a rule between models."""
    return [_methods(each.result) for each in results]


def flat(results: Sequence[Grouped[Coverage]], part: str | None = None) -> list[Table]:
    """One row a method, every measure with its error."""
    return [_flat(each.result) for each in results]


VIEW = View(tables, flat, single=True)


def _methods(study: Coverage) -> Table:
    columns = [
        Column("model", or_dash, "left"), Column("unit", align="left"), Column("misses %", _percent),
        Column("±", _percent), Column("range size", _decimal), Column("clusters", _decimal),
        Column("cluster violations %", _percent), Column("any wrong %", _percent),
        Column("joint clusters", _decimal), Column("joint any wrong %", _percent), Column("joint any miss %", _percent),
    ]  # fmt: skip
    lines = study.lines
    rows: list[list[Any]] = [
        [
            line.model,
            unit_text(line),
            line.misses,
            line.misses_error,
            line.size,
            line.clusters,
            line.violations,
            line.wrong,
            line.joint_clusters,
            line.joint_wrong,
            line.joint_misses,
        ]
        for line in lines
    ]
    rules = frozenset(i for i in range(1, len(lines)) if lines[i].model != lines[i - 1].model)
    return Table(columns, rows, None, rules, study.signature, _notes(study), keys=(0, 1))


def _flat(study: Coverage) -> Table:
    names = [field.name for field in dataclasses.fields(MethodCoverage)]
    rows = [[getattr(line, name) for name in names] for line in study.lines]
    return Table([Column(name) for name in names], rows, signature=study.signature, notes=_notes(study))


def unit_text(line: MethodCoverage) -> str:
    """The unit; of a sign test also its sides."""
    sides = {1: ", one-sided", 2: ", two-sided"}
    return line.unit + (sides[line.sided] if line.sided else "")


def _notes(study: Coverage) -> list[str]:
    return [
        f"misses: systems whose true rank is outside their range, at most {100 * study.p:g} % of them if ranges are "
        f"valid; ±: standard error over {study.campaigns} simulated campaigns.",
        "cluster violations: systems with a truly better system in a lower cluster, or a worse one in a higher; any "
        "wrong: campaigns with such a system.",
        "joint: the same of clusters that hold together, and any miss: campaigns with a true rank outside its joint "
        f"range; each in at most {100 * study.p:g} % of campaigns if they are valid.",
        *[f"note: {note}" for note in study.notes],
    ]


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _decimal(value: float) -> str:
    return f"{value:.1f}"
