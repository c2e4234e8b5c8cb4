"""A coverage study laid out as a table."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..design.coverage import Coverage, MethodCoverage
from .tables import Column, Table


def coverage_table(found: Coverage) -> Table:
    """One row a method; a rule between models."""
    columns = [
        Column("model", lambda v: v or "–", "left"), Column("unit", align="left"), Column("misses %", _percent),
        Column("±", _percent), Column("range size", _decimal), Column("clusters", _decimal),
        Column("cluster violations %", _percent),
    ]  # fmt: skip
    lines = found.lines
    rows: list[list[Any]] = [
        [line.model, unit_text(line), line.misses, line.misses_error, line.size, line.clusters, line.violations]
        for line in lines
    ]
    rules = frozenset(i for i in range(1, len(lines)) if lines[i].model != lines[i - 1].model)
    return Table(columns, rows, None, rules, found.signature, _notes(found))


def coverage_csv_table(found: Coverage) -> Table:
    """Every measure with its error, for CSV."""
    names = [field.name for field in dataclasses.fields(MethodCoverage)]
    rows = [[getattr(line, name) for name in names] for line in found.lines]
    return Table([Column(name) for name in names], rows, signature=found.signature, notes=_notes(found))


def unit_text(line: MethodCoverage) -> str:
    """The unit; of a sign test also its sides."""
    sides = {1: ", one-sided", 2: ", two-sided"}
    return line.unit + (sides[line.sided] if line.sided else "")


def _notes(found: Coverage) -> list[str]:
    return [
        f"misses: systems whose true rank is outside their range, at most {100 * found.p:g} % of them if ranges keep "
        f"their word; ±: standard error over {found.campaigns} simulated campaigns.",
        "cluster violations: systems with a truly better system in a lower cluster, or a worse one in a higher.",
        *[f"note: {note}" for note in found.notes],
    ]


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _decimal(value: float) -> str:
    return f"{value:.1f}"
