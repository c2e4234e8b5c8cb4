"""Who is better than whom, and how often samples say so, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import InputError
from ..judgments.counts import FloatArray
from ..ranking.result import Ranking
from .tables import Column, Table


def cluster_table(ranking: Ranking) -> Table:
    """One row a cluster: its places, how stable it is, its systems."""
    columns = [Column("cluster"), Column("stability", share_text), Column("systems", align="left")]
    rows = [[c.number, c.stability, ", ".join(c.systems)] for c in ranking.stability]
    note = "stability: the share of samples in which these systems, and no others, take the places of the cluster."
    return Table(columns, rows, notes=[note])


def probability_table(ranking: Ranking) -> Table:
    """P(best), and P(the row's system is better than the column's); columns are headed by the number of the row."""
    better = _better(ranking)
    n = len(ranking.lines)
    columns = [Column(""), Column("system", align="left"), Column("best", share_text)]
    columns += [Column(str(c + 1)) for c in range(n)]
    rows: list[list[Any]] = [
        [r + 1, line.system, line.best, *["–" if r == c else share_text(better[r, c]) for c in range(n)]]
        for r, line in enumerate(ranking.lines)
    ]
    notes = ["The share of samples in which the row's system stands above the column's; best: in which it is first."]
    return Table(columns, rows, notes=notes, signature=ranking.signature)


def probability_csv_table(ranking: Ranking, group: Sequence[tuple[str, str | None]]) -> Table:
    """One row for every ordered pair of systems."""
    better = _better(ranking)
    names = [*[name for name, _ in group], "system", "other", "better"]
    front = [value for _, value in group]
    rows = [
        [*front, above, below, float(better[r, c])]
        for r, above in enumerate(ranking.systems)
        for c, below in enumerate(ranking.systems)
        if r != c
    ]
    return Table([Column(name) for name in names], rows, signature=ranking.signature)


def share_text(value: float | None) -> str:
    """``.057``; 0 and 1 only where no sample, or every one, says so."""
    if value is None:
        return "–"
    if value in (0, 1):
        return str(int(value))
    return f"{min(max(value, 0.001), 0.999):.3f}".removeprefix("0")


def _better(ranking: Ranking) -> FloatArray:
    if ranking.better is None:
        raise InputError("a ranking without bootstrap samples or draws has no probabilities; use --resample auto")
    return ranking.better
