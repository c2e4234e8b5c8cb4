"""What a file of judgments contains, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.describe import FileOverview, Overview
from ..ingest.base import ColumnUse
from ..ranking.record import signature
from .tables import Column, Grouped, Table, View, or_dash


def tables(results: Sequence[Grouped[Overview]], part: str | None = None) -> list[Table]:
    """One row per language pair; ``systems``: a table for each, with one row per system."""
    overviews = [each.result for each in results]
    return [_systems(each) for each in overviews] if part == "systems" else [_pairs(overviews)]


def flat(results: Sequence[Grouped[Overview]], part: str | None = None) -> list[Table]:
    """The same rows, headed like the columns of other CSV files, with the language pair in front."""
    if part == "systems":
        parts = [(each.result.lang_pair, _systems(each.result)) for each in results]
        return [
            Table([Column("lang_pair"), *table.columns], [[pair, *row] for row in table.rows],
                  signature=table.signature)
            for pair, table in parts
        ]  # fmt: skip
    table = _pairs([each.result for each in results])
    names = ["lang_pair", *[column.name.replace(" ", "_") for column in table.columns[1:]]]
    return [Table([Column(name) for name in names], table.rows, notes=table.notes, signature=table.signature)]


VIEW = View(tables, flat, parts=("systems",))


def file_tables(results: Sequence[Grouped[FileOverview]], part: str | None = None) -> list[Table]:
    """For every file a table of its columns, and below it what was made of the file."""
    shown = []
    for file in (each.result for each in results):
        columns = [Column(name, align="left") for name in ("column", "role", "why", "examples", "remark")]
        rows = [[use.column, or_dash(use.role), use.why, _examples(use), use.remark] for use in file.columns]
        if not any(use.remark for use in file.columns):
            columns, rows = columns[:-1], [row[:-1] for row in rows]
        facts = {"judgments": file.judgments, "data": file.data}
        shown.append(Table(columns, rows, file.file, notes=_said(file), signature=signature(facts)))
    return shown


def flat_files(results: Sequence[Grouped[FileOverview]], part: str | None = None) -> list[Table]:
    """One row a column, with its file and format in front."""
    names = ("file", "format", "column", "role", "why", "examples", "remark")
    return [
        Table(
            [Column(name) for name in names],
            [[file.file, file.format, u.column, u.role, u.why, "; ".join(u.examples), u.remark] for u in file.columns],
            notes=_said(file),
        )
        for file in (each.result for each in results)
    ]


FILES = View(file_tables, flat_files)

_LONGEST_EXAMPLE = 24


def _examples(use: ColumnUse) -> str:
    """The examples of a column; long ones lose their middle, for names often differ at their end."""
    half = _LONGEST_EXAMPLE // 2
    return ", ".join(
        text if len(text) <= _LONGEST_EXAMPLE else f"{text[: half - 1]}…{text[-half:]}" for text in use.examples
    )


def _said(file: FileOverview) -> list[str]:
    """What is known of a file besides its columns."""
    encoding = f", {file.encoding}" if file.encoding else ""
    rankings = "no rankings" if file.rankings is None else f"{file.rankings:,} rankings"
    share = f" ({100 * file.dropped / file.records:.2g} %)" if file.dropped else ""
    said = [
        f"format: {file.format} ({file.layout}{encoding})",
        f"{file.records:,} records, {file.dropped:,} of them dropped{share} and {file.skipped:,} skipped: "
        f"{file.judgments:,} judgments, {rankings}",
        f"repeated exactly by the same judge on the same segment: {file.repeated_judgments:,} judgments, "
        f"{file.repeated_rankings:,} rankings",
        f"outputs that several systems share: {file.shared_outputs:,}",
    ]
    return said + [f"note: {note}" for note in file.notes]


def _pairs(overviews: Sequence[Overview]) -> Table:
    columns = [Column("language pair", or_dash, "left")]
    names = ("systems", "rankings", "judgments", "per system", "ties", "segments", "judges")
    columns += [Column(name, _number) for name in names]
    columns += [Column("pairs compared"), Column("least", _number), Column("most", _number), Column("groups", _number)]
    rows = [
        [
            o.lang_pair, o.systems, o.rankings, o.judgments, round(o.per_system, 1),
            f"{100 * o.ties / o.judgments:.1f} %", o.segments, o.judges, f"{o.pairs_compared} of {o.pairs}",
            o.least_compared, o.most_compared, len(o.groups),
        ]
        for o in overviews
    ]  # fmt: skip
    notes = [
        f"note: {o.lang_pair or 'the table'} falls into {len(o.groups)} groups that no judgment links"
        for o in overviews
        if len(o.groups) > 1
    ]
    return Table(columns, rows, notes=notes, signature=_signature(overviews))


def _systems(overview: Overview) -> Table:
    columns = [Column("system", align="left")]
    columns += [Column(name, _number) for name in ("judgments", "wins", "ties", "losses", "opponents")]
    rows = [[s.system, s.judgments, s.wins, s.ties, s.losses, s.opponents] for s in overview.by_system]
    return Table(columns, rows, overview.lang_pair, signature=_signature([overview]))


def _signature(overviews: Sequence[Overview]) -> str:
    """One signature for all that a table shows."""
    total = sum(o.judgments for o in overviews)
    return signature({"judgments": total, "data": "+".join(o.data for o in overviews)})


def _number(value: float | str | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return f"{value:,.1f}" if value != round(value) else f"{round(value):,}"
