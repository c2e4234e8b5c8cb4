"""What searches find, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..scoring.comparison import Comparison
from ..scoring.retrieval.measures import MEASURES, PRIMARY
from ..scoring.retrieval.score import RetrievalScores
from ..scoring.retrieval.trec import MONOLINGUAL
from .scores import flat_pairs, flat_values, mark_notes, number_text, pair_tables, value_column, value_text
from .tables import Column, Grouped, Table, View, chance_text, front

#: Beside the usual table, one can ask for every two systems, the values of queries, or the gaps to the monolingual row.
PAIRS, QUERIES, GAPS = "pairs", "queries", "gaps"


def tables(results: Sequence[Grouped[RetrievalScores]], part: str | None = None) -> list[Table]:
    """One row per system, best first by MAP, and the monolingual search below them."""
    if part == PAIRS:
        return pair_tables(results)
    lay_out = {None: _systems, QUERIES: _queries, GAPS: _gaps}[part]
    return [lay_out(each.result, each.title) for each in results]


def flat(results: Sequence[Grouped[RetrievalScores]], part: str | None = None) -> list[Table]:
    """One row per system and measure, query, or pair."""
    if part == PAIRS:
        return flat_pairs(results)
    if part == QUERIES:
        return [_flat_queries(each) for each in results]
    if part == GAPS:
        return [_flat_gaps(each) for each in results]
    return [_with_monolingual(table, each) for table, each in zip(flat_values(results), results, strict=True)]


VIEW = View(
    tables, flat, single=True, parts=(PAIRS, QUERIES, GAPS), more={QUERIES: RetrievalScores.queries_dict}
)  # fmt: skip


def _systems(result: RetrievalScores, title: str | None) -> Table:
    columns = [Column("system", align="left"), *map(value_column, result.comparisons)]
    order = result.comparison(PRIMARY).order.tolist()
    rows: list[list[Any]] = [[result.systems[i], *(value_text(c, i) for c in result.comparisons)] for i in order]
    notes = mark_notes(result.comparisons)
    rules: frozenset[int] = frozenset()
    if result.with_monolingual:
        rules = frozenset([len(rows)])
        rows.append([MONOLINGUAL, *map(_plain_text, result.with_monolingual)])
        beside = {gap.system: gap for gap in result.gaps if gap.measure == PRIMARY}
        gaps = [beside.get(row[0]) for row in rows]  # none of the monolingual row, which others are compared with
        columns.append(Column(f"{PRIMARY}, of monolingual"))
        rows = [
            [*row, "" if gap is None else _percent_text(gap.share, gap.share_interval)]
            for row, gap in zip(rows, gaps, strict=True)
        ]
        notes.append(f"of monolingual: {PRIMARY} as a share of what the queries find that are not translated")
        if result.with_monolingual[0].usable is not None:
            columns.append(Column("p"))
            rows = [[*row, "" if gap is None else chance_text(gap.p)] for row, gap in zip(rows, gaps, strict=True)]
            notes.append("p: of the difference between the two, two-sided, each system by itself")
    notes += _notes(result)
    return Table(columns, rows, title, rules, result.signature, notes)


def _plain_text(comparison: Comparison) -> str:
    """The monolingual value, without the mark of a winner: it does not compete."""
    last = len(comparison.systems) - 1
    return value_text(comparison, last).removeprefix(f"{comparison.mark(last)} ")


def _percent_text(share: float | None, interval: tuple[float, float] | None) -> str:
    if share is None:
        return "–"
    width = "" if interval is None else f" ±{number_text(50 * (interval[1] - interval[0]), 1)}"
    return f"{number_text(100 * share, 1)} %{width}"


def _gaps(result: RetrievalScores, title: str | None) -> Table:
    columns = [
        Column("measure", align="left"),
        Column("system", align="left"),
        Column("difference"),
        Column("interval"),
        Column("p", chance_text),
        Column("of monolingual"),
    ]
    digits = {measure.name: measure.digits for measure in MEASURES}
    rows = [
        [gap.measure, gap.system, number_text(gap.difference, digits[gap.measure]),
         _ends_text(gap.interval, digits[gap.measure]), gap.p,
         _percent_text(gap.share, gap.share_interval)]
        for gap in result.gaps
    ]  # fmt: skip
    rules = _between(len(result.systems), len(rows))
    notes = ["difference: system − monolingual; p: two-sided, of this system by itself", *_notes(result)]
    return Table(columns, rows, title, rules, result.signature, notes, keys=(0, 1))


def _ends_text(span: tuple[float, float] | None, digits: int) -> str:
    return "–" if span is None else f"[{number_text(span[0], digits)}, {number_text(span[1], digits)}]"


def _between(systems: int, rows: int) -> frozenset[int]:
    """Lines between the measures or queries, where each has several rows."""
    return frozenset(range(systems, rows, systems)) if systems > 1 else frozenset()


def _queries(result: RetrievalScores, title: str | None) -> Table:
    columns = [Column("query", align="left"), Column("system", align="left")]
    columns += [Column(c.measure.name) for c in result.comparisons]
    digits = [c.measure.digits for c in result.comparisons]
    rows = [
        [query, system, *map(number_text, values, digits)]
        for query, system, values in _query_values(result)
    ]  # fmt: skip
    rules = _between(len(_names(result)), len(rows))
    return Table(columns, rows, title, rules, result.signature, _notes(result), keys=(0, 1))


def _names(result: RetrievalScores) -> tuple[str, ...]:
    return (*result.systems, MONOLINGUAL) if result.with_monolingual else result.systems


def _query_values(result: RetrievalScores) -> list[tuple[str, str, list[float]]]:
    return [
        (query, system, [float(values[row, i]) for values in result.per_query.values()])
        for row, query in enumerate(result.queries)
        for i, system in enumerate(_names(result))
    ]


def _flat_queries(each: Grouped[RetrievalScores]) -> Table:
    ahead = front(each)
    columns = [*ahead, "query", "system", *each.result.per_query]
    rows = [[*ahead.values(), query, system, *values] for query, system, values in _query_values(each.result)]
    return Table([Column(name) for name in columns], rows, signature=each.result.signature, notes=_notes(each.result))


def _flat_gaps(each: Grouped[RetrievalScores]) -> Table:
    ahead = front(each)
    columns = [*ahead, "system", "measure", "difference", "low", "high", "p", "share", "share_low", "share_high"]
    none = (None, None)
    rows = [
        [*ahead.values(), gap.system, gap.measure, gap.difference, *(gap.interval or none), gap.p, gap.share,
         *(gap.share_interval or none)]
        for gap in each.result.gaps
    ]  # fmt: skip
    return Table([Column(name) for name in columns], rows, signature=each.result.signature, notes=_notes(each.result))


def _with_monolingual(table: Table, each: Grouped[RetrievalScores]) -> Table:
    """The rows of systems, and those of the monolingual search, which is no winner of anything."""
    ahead = front(each)
    rows = list(table.rows)
    for comparison in each.result.with_monolingual:
        ends = [None if end != end else float(end) for end in comparison.intervals[-1]]
        rows.append(
            [
                *ahead.values(),
                MONOLINGUAL,
                comparison.measure.name,
                None,
                float(comparison.values[-1]),
                *ends,
                None,
                None,
            ]
        )
    return Table(table.columns, rows, signature=table.signature, notes=table.notes)


def _notes(result: RetrievalScores) -> list[str]:
    return [f"note: {note}" for note in result.notes]
