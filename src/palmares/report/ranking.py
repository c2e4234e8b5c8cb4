"""Rankings as tables: systems in order; who is better than whom, and how often samples say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import InputError
from ..judgments import FloatArray
from ..ranking.result import Ranking
from .tables import Column, Grouped, Table, View, interval_text, level_text, range_text, score_text


def tables(results: Sequence[Grouped[Ranking]], part: str | None = None) -> list[Table]:
    """A ranking each; with ``probabilities``, its clusters and P(better) of every pair below it."""
    if part != "probabilities":
        return [ranking_table(each.result, title=each.title) for each in results]
    return [
        table
        for each in results
        for table in (
            ranking_table(each.result, title=each.title),
            cluster_table(each.result),
            probability_table(each.result),
        )
    ]


def flat(results: Sequence[Grouped[Ranking]], part: str | None = None) -> list[Table]:
    """One row per system, or with ``probabilities`` one for every ordered pair of systems, with the group in front."""
    layout = _flat_pairs if part == "probabilities" else _flat_systems
    return [layout(each) for each in results]


VIEW = View(tables, flat, grouped=True, parts=("probabilities",))


def ranking_table(ranking: Ranking, *, title: str | None = None) -> Table:
    """Cluster, rank range, score, its interval, system; a rule between clusters."""
    lines = ranking.lines
    columns = [Column("cluster"), Column("range", range_text)] if ranking.ranged else [Column("rank")]
    columns.append(Column("score", score_text))
    if sampled := ranking.replicates is not None:
        columns.append(
            Column(f"{level_text(ranking.record.facts['p'])} interval", lambda span: interval_text(span) or "–")
        )
    columns.append(Column("system", align="left"))
    rows: list[list[Any]] = [
        [
            *([line.cluster, line.range] if ranking.ranged else [line.rank]),
            *([line.score, line.interval] if sampled else [line.score]),
            line.system,
        ]
        for line in lines
    ]
    starts = [i for i in range(1, len(lines)) if ranking.ranged and _starts_cluster(ranking, i)]
    return Table(columns, rows, title, frozenset(starts), ranking.signature, notes_of(ranking))


def notes_of(ranking: Ranking) -> list[str]:
    """What is to be said of a ranking below any table of it."""
    return [f"note: {note}" for note in ranking.notes]


def _starts_cluster(ranking: Ranking, i: int) -> bool:
    """A rule stands where no later system shares a cluster with an earlier one."""
    before = {line.cluster for line in ranking.lines[:i]}
    return not before & {line.cluster for line in ranking.lines[i:]}


def cluster_table(ranking: Ranking) -> Table:
    """One row per cluster: its places, how stable it is, its systems."""
    columns = [Column("cluster"), Column("stability", _share), Column("systems", align="left")]
    rows = [[c.number, c.stability, ", ".join(c.systems)] for c in ranking.stability]
    note = "stability: the share of samples in which these systems, and no others, take the places of the cluster."
    return Table(columns, rows, notes=[note])


def probability_table(ranking: Ranking) -> Table:
    """P(best), and P(the row's system is better than the column's); columns are headed by the number of the row."""
    better = _better(ranking)
    n = len(ranking.lines)
    columns = [Column(""), Column("system", align="left"), Column("best", _share)]
    columns += [Column(str(c + 1)) for c in range(n)]
    rows: list[list[Any]] = [
        [r + 1, line.system, line.best, *["–" if r == c else _share(better[r, c]) for c in range(n)]]
        for r, line in enumerate(ranking.lines)
    ]
    notes = ["The share of samples in which the row's system stands above the column's; best: in which it is first."]
    return Table(columns, rows, notes=notes, signature=ranking.signature)


def _flat_systems(each: Grouped[Ranking]) -> Table:
    ranking, frame = each.result, each.result.table()
    names = [*dict(each.group), *frame.columns]
    rows = [[*dict(each.group).values(), *row] for row in frame.iter_rows()]
    return Table([Column(name) for name in names], rows, signature=ranking.signature, notes=notes_of(ranking))


def _flat_pairs(each: Grouped[Ranking]) -> Table:
    ranking, better = each.result, _better(each.result)
    names = [*dict(each.group), "system", "other", "better"]
    rows = [
        [*dict(each.group).values(), above, below, float(better[r, c])]
        for r, above in enumerate(ranking.systems)
        for c, below in enumerate(ranking.systems)
        if r != c
    ]
    return Table([Column(name) for name in names], rows, signature=ranking.signature)


def _better(ranking: Ranking) -> FloatArray:
    if ranking.better is None:
        raise InputError("a ranking without bootstrap samples or draws has no probabilities; use --resample auto")
    return ranking.better


def _share(value: float | None) -> str:
    """``.057``; 0 and 1 only where no sample, or every one, says so."""
    if value is None:
        return "–"
    if value in (0, 1):
        return str(int(value))
    return f"{min(max(value, 0.001), 0.999):.3f}".removeprefix("0")
