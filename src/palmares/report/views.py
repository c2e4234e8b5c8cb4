"""Results laid out as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..analysis.describe import Overview
from ..ranking.head_to_head import HeadToHead
from ..ranking.rank import Ranking
from ..ranking.record import signature
from ..ranking.wording import interval_text, level_text, range_text, score_text
from .tables import Column, Table


def ranking_table(ranking: Ranking, *, title: str | None = None) -> Table:
    """Cluster, rank range, score, its interval, system; a rule between clusters."""
    lines = ranking.lines
    columns = [Column("cluster"), Column("range", range_text)] if ranking.ranged else [Column("rank")]
    columns.append(Column("score", score_text))
    if sampled := ranking.replicates is not None:
        columns.append(Column(f"{level_text(ranking.facts['p'])} interval", interval_text))
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
    return Table(columns, rows, title, frozenset(starts), ranking.signature, _notes(ranking))


def ranking_csv_table(ranking: Ranking, group: Sequence[tuple[str, str | None]]) -> Table:
    """One flat row a system, with the groups in front, for CSV."""
    frame = ranking.table()
    names = [*[name for name, _ in group], *frame.columns]
    front = [value for _, value in group]
    rows = [[*front, *row] for row in frame.iter_rows()]
    return Table([Column(name) for name in names], rows, signature=ranking.signature, notes=_notes(ranking))


def _notes(ranking: Ranking) -> list[str]:
    return [f"note: {note}" for note in ranking.notes]


def _starts_cluster(ranking: Ranking, i: int) -> bool:
    """A rule stands where no later system shares a cluster with an earlier one."""
    before = {line.cluster for line in ranking.lines[:i]}
    return not before & {line.cluster for line in ranking.lines[i:]}


def overview_table(overviews: Sequence[Overview]) -> Table:
    """One row a language pair."""
    columns = [Column("language pair", lambda v: v or "–", "left")]
    names = ("systems", "rankings", "judgments", "per system", "ties", "segments", "judges")
    columns += [Column(name, _number) for name in names]
    columns += [Column("pairs compared"), Column("least", _number), Column("most", _number), Column("groups", _number)]
    rows = [
        [
            o.lang_pair, o.systems, o.rankings, o.judgments, round(o.per_system, 1), _percent(o.ties, o.judgments),
            o.segments, o.judges, f"{o.pairs_compared} of {o.pairs}", o.least_compared, o.most_compared, len(o.groups),
        ]
        for o in overviews
    ]  # fmt: skip
    notes = [
        f"note: {o.lang_pair or 'the table'} falls into {len(o.groups)} groups that no judgment links"
        for o in overviews
        if len(o.groups) > 1
    ]
    return Table(columns, rows, notes=notes, signature=_data_signature(overviews))


def overview_csv_table(overviews: Sequence[Overview]) -> Table:
    """The same, headed like the columns of other CSV files."""
    table = overview_table(overviews)
    names = ["lang_pair", *[column.name.replace(" ", "_") for column in table.columns[1:]]]
    return Table([Column(name) for name in names], table.rows, notes=table.notes, signature=table.signature)


def systems_table(overview: Overview) -> Table:
    """One row a system."""
    columns = [Column("system", align="left")]
    columns += [Column(name, _number) for name in ("judgments", "wins", "ties", "losses", "opponents")]
    rows = [[s.system, s.judgments, s.wins, s.ties, s.losses, s.opponents] for s in overview.by_system]
    return Table(columns, rows, overview.lang_pair, signature=_data_signature([overview]))


def _data_signature(overviews: Sequence[Overview]) -> str:
    total = sum(o.judgments for o in overviews)
    return signature({"judgments": total, "data": "+".join(o.data for o in overviews)})


def systems_csv_table(overview: Overview) -> Table:
    """The same with the language pair in every row, for CSV."""
    table = systems_table(overview)
    rows = [[overview.lang_pair, *row] for row in table.rows]
    return Table([Column("lang_pair"), *table.columns], rows, signature=table.signature)


def head_to_head_table(table: HeadToHead, *, title: str | None = None) -> Table:
    """Bojar et al. 2014, Tables 28–37: rows and columns are systems, last rows score and range.

    Columns are headed by the number their system has in the rows, which keeps the table narrow.
    """
    n = len(table.systems)
    columns = [Column(""), Column("system", align="left"), *[Column(str(c + 1)) for c in range(n)]]
    rows: list[list[Any]] = [[r + 1, table.systems[r], *[_cell(table, r, c) for c in range(n)]] for r in range(n)]
    rows.append(["", "score", *[_share(w) for w in table.expected_wins]])
    rows.append(["", "rank", *[range_text(line.range) or str(line.rank) for line in table.ranking.lines]])
    notes = [
        "How often the column's system was judged better than the row's, ties ignored.",
        "Two-sided sign test: ⋆ p ≤ .10, † p ≤ .05, ‡ p ≤ .01. score: expected wins; rank: rank range.",
        *_notes(table.ranking),
    ]
    return Table(columns, rows, title, frozenset({n}), table.ranking.signature, notes)


def head_to_head_csv_table(table: HeadToHead) -> Table:
    """One row for every two systems."""
    cells = table.to_dict()["cells"]
    names = list(cells[0])
    pair = table.ranking.lang_pair
    rows = [[pair, *cell.values()] for cell in cells]
    columns = [Column(n) for n in ("lang_pair", *names)]
    return Table(columns, rows, signature=table.ranking.signature, notes=_notes(table.ranking))


def _cell(table: HeadToHead, row: int, column: int) -> str:
    share = table.share[row, column]
    if row == column or np.isnan(share):
        return "–"
    # A mark or a space, so that the digits stand below each other.
    return _share(float(share)) + (table.mark(row, column) or " ")


def _share(value: float) -> str:
    """``.57``, as the published tables print it."""
    return f"{value:.2f}".removeprefix("0")


def _number(value: float | str | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return f"{value:,.1f}" if value != round(value) else f"{round(value):,}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"
