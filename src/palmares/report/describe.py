"""What a file of judgments contains, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..analysis.describe import FileOverview, Overview
from ..ingest.base import ColumnUse
from ..ranking.record import signature
from .tables import Column, Grouped, Table, View, or_dash


def tables(results: Sequence[Grouped[Overview]], part: str | None = None) -> list[Table]:
    """One row per language pair (or group); ``systems``: a table for each, with one row per system."""
    forced = any(each.result.forced_ties for each in results)
    return [_systems(each) for each in results] if part == "systems" else [_groups(results, forced=forced)]


def flat(results: Sequence[Grouped[Overview]], part: str | None = None) -> list[Table]:
    """The same rows, headed like the columns of other CSV files, with the language pair (or group) in front."""
    if part == "systems":
        return [_in_front(_systems(each), [each] * len(each.result.by_system), 0) for each in results]
    return [_numbers(_in_front(_groups(results, forced=True), results, 1))]


def _in_front(table: Table, groups: Sequence[Grouped[Overview]], replaced: int) -> Table:
    """A table with a column for every field of the group of each row, instead of so many of its first columns."""
    fields = [dict(each.group) or {"lang_pair": each.result.lang_pair} for each in groups]
    names = [*fields[0], *[column.name.replace(" ", "_") for column in table.columns[replaced:]]]
    rows = [[*front.values(), *row[replaced:]] for front, row in zip(fields, table.rows, strict=True)]
    return Table([Column(name) for name in names], rows, notes=table.notes, signature=table.signature)


def _numbers(table: Table) -> Table:
    """A table with a column each for both numbers of ``6 of 10``."""
    place = [column.name for column in table.columns].index("pairs_compared")
    columns = [*table.columns[: place + 1], Column("pairs"), *table.columns[place + 1 :]]
    rows = [[*row[:place], *row[place], *row[place + 1 :]] for row in table.rows]
    return replace(table, columns=columns, rows=rows)


VIEW = View(tables, flat, grouped=True, parts=("systems",))


def file_tables(results: Sequence[Grouped[FileOverview]], part: str | None = None) -> list[Table]:
    """For every file a table of its columns, and below it what was made of the file."""
    shown = []
    for file in (each.result for each in results):
        columns = [Column(name, align="left") for name in ("column", "role")]
        columns += [Column(name, align="left", if_long="wrap") for name in ("why", "examples", "remark")]
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
    forced = f"; forced ties between these systems: {file.forced_ties:,}" if file.forced_ties else ""
    said = [
        f"format: {file.format} ({file.layout}{encoding})",
        f"{file.records:,} records, {file.dropped:,} of them dropped{share} and {file.skipped:,} skipped: "
        f"{file.judgments:,} judgments, {rankings}",
        f"repeated exactly by the same judge on the same segment: {file.repeated_judgments:,} judgments, "
        f"{file.repeated_rankings:,} rankings",
        f"outputs that several systems share: {file.shared_outputs:,}{forced}",
    ]
    return said + [f"note: {note}" for note in file.notes]


def _groups(results: Sequence[Grouped[Overview]], *, forced: bool) -> Table:
    """The rows of all groups; with ``forced``, with a column of forced ties."""
    by_pair = all(len(each.group) < 2 for each in results)
    columns = [Column("language pair" if by_pair else "group", or_dash, "left")]
    columns += [Column(name, _number) for name in ("systems", "rankings", "judgments", "per system")]
    columns += [Column("ties", lambda share: f"{100 * share:.1f} %")]
    columns += [Column(name, _number) for name in (*["forced ties"] * forced, "segments")]
    columns += [Column("judges", _number), Column("pairs compared", lambda pair: f"{pair[0]} of {pair[1]}")]
    columns += [Column(name, _number) for name in ("least", "most", "groups")]
    titles = [each.title or each.result.lang_pair for each in results]
    overviews = [each.result for each in results]
    rows = [
        [
            title, o.systems, o.rankings, o.judgments, round(o.per_system, 1),
            o.ties / o.judgments, *[o.forced_ties] * forced, o.segments, o.judges, (o.pairs_compared, o.pairs),
            o.least_compared, o.most_compared, len(o.groups),
        ]
        for title, o in zip(titles, overviews, strict=True)
    ]  # fmt: skip
    apart = [
        f"note: {title or 'the table'} falls into {len(o.groups)} groups that no judgment links"
        for title, o in zip(titles, overviews, strict=True)
        if len(o.groups) > 1
    ]
    return Table(columns, rows, notes=[*_notes(overviews), *apart], signature=_signature(overviews))


def _systems(each: Grouped[Overview]) -> Table:
    overview = each.result
    columns = [Column("system", align="left")]
    columns += [Column(name, _number) for name in ("judgments", "wins", "ties", "losses", "opponents")]
    rows = [[s.system, s.judgments, s.wins, s.ties, s.losses, s.opponents] for s in overview.by_system]
    title = each.title or overview.lang_pair
    return Table(columns, rows, title, notes=_notes([overview]), signature=_signature([overview]))


def _notes(overviews: Sequence[Overview]) -> list[str]:
    """What is said of how files were read; once, if it is said of all."""
    return [f"note: {note}" for note in dict.fromkeys(note for o in overviews for note in o.notes)]


def _signature(overviews: Sequence[Overview]) -> str:
    """One signature for all that a table shows."""
    total = sum(o.judgments for o in overviews)
    chosen = ("forced_ties", "weigh", "dropped")
    facts = {name: value for o in overviews for name, value in o.record.facts.items() if name in chosen}
    return signature({"judgments": total, "data": "+".join(o.data for o in overviews), **facts})


def _number(value: float | str | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return f"{value:,.1f}" if value != round(value) else f"{round(value):,}"
