"""Results in notebooks and as data frames: the tables that their command prints, as HTML, and the rows of its CSV."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from ..analysis.describe import describe
from ..judgments import Judgments
from ..results import Shown
from .tables import Grouped, Table, View, group_of, laid_out, one_line, viewed

if TYPE_CHECKING:
    import polars as pl

#: A notebook shows no more of a table; it would be slow, and nobody reads it there.
_MOST_ROWS, _MOST_COLUMNS = 250, 60
#: No colour is set, so that it can be read on light and dark pages alike.
_LINE = "border-top: 2px solid currentColor"
_DASHED = "border-top: 1px dashed currentColor"
#: Names and intervals are not broken, since the box scrolls; prose is.
_WHOLE = "white-space: nowrap; "
_CELL = "padding: 0.2em 0.6em; text-align:"


def html(result: Shown) -> str:
    """All tables of a result."""
    view, part = viewed(result.shown_by, result.shown_part), result.shown_part
    return "\n".join(to_html(table) for table in view.tables(_grouped(result), part))


def _grouped(result: Shown) -> list[Grouped[Any]]:
    if isinstance(result, Judgments):
        return [Grouped(describe(part), (("lang_pair", pair),)) for pair, part in result.split().items()]
    return [Grouped(result, group_of(result))]


def frame(result: Shown, part: str | None) -> pl.DataFrame:
    """The rows of a result's CSV."""
    import polars as pl

    view: View = viewed(result.shown_by, part)
    (table,) = laid_out(view, [Grouped(result)], "csv", part)
    columns = zip(*table.rows, strict=True) if table.rows else [()] * len(table.columns)
    named = zip(table.columns, columns, strict=True)
    return pl.DataFrame([pl.Series(column.name, values, strict=False) for column, values in named])


def to_html(table: Table) -> str:
    """A plain table: title, heading, rows with lines where the terminal has them, notes and signature below.

    Needs nothing from elsewhere, and all that stands in a cell is text.
    """
    shown, cut = _cut(table)
    heads = "".join(f'<th scope="col" style="{_CELL} {c.align}">{_text(c.name)}</th>' for c in shown.columns)
    lines = [
        '<div style="overflow-x: auto; margin-bottom: 1em">',
        '<table style="border-collapse: collapse; margin: 0">',
        *([f'<caption style="text-align: left"><b>{_text(shown.title)}</b></caption>'] if shown.title else []),
        f"<thead><tr>{heads}</tr></thead>",
        f'<tbody style="{_LINE}">',
    ]
    for number, cells in enumerate(shown.shown()):
        lines += ["</tbody>", f'<tbody style="{_LINE}">'] if number in shown.rules else []
        lines += ["</tbody>", f'<tbody style="{_DASHED}">'] if number in shown.dashed else []
        row = "".join(
            f'<td style="{_WHOLE * (c.when_long != "wrap")}{_CELL} {c.align}">{_text(cell)}</td>'
            for c, cell in zip(shown.columns, cells, strict=True)
        )
        lines.append(f"<tr>{row}</tr>")
    lines += ["</tbody>", "</table>"]
    lines += [f"<div><small>{_text(note)}</small></div>" for note in (*cut, *shown.notes) if note]
    if shown.signature:
        lines.append(f'<div style="overflow-wrap: anywhere"><small><code>{_text(shown.signature)}</code></small></div>')
    return "\n".join([*lines, "</div>"])


def _cut(table: Table) -> tuple[Table, list[str]]:
    """As much of a table as a notebook shows, and a word on what it does not."""
    rows, columns = len(table.rows), len(table.columns)
    if rows <= _MOST_ROWS and columns <= _MOST_COLUMNS:
        return table, []
    first = [row[:_MOST_COLUMNS] for row in table.rows[:_MOST_ROWS]]
    note = f"the first {len(first)} of {rows} rows and {len(first[0])} of {columns} columns; table() has all"
    return replace(table, columns=table.columns[:_MOST_COLUMNS], rows=first), [note]


def _text(text: str) -> str:
    return escape(one_line(text))
