"""Judgments for a file that a spreadsheet may open. Names of systems, segments and judges come from outside.

Formats of judgments are for programs, so names are written as they are unless somebody asks: an apostrophe before a
name makes another name of it, and reading the file back would not give what was written.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ..errors import InputError
from ..ingest.source import ending_of
from .spreadsheets import safe_cell

#: Endings of files that spreadsheets open as tables.
_TABLES = ("csv", "tsv")


def safe_rows(rows: pl.DataFrame, target: str | Path, formulas: str) -> pl.DataFrame:
    """Rows whose texts a spreadsheet does not run.

    Parameters
    ----------
    target
        The file that they are for; only tables of text need it, any other is refused. ``-`` is standard output.
    formulas
        One of `palmares.campaign.spreadsheets.POLICIES`; ``keep`` changes nothing.
    """
    if formulas == "keep":
        return rows
    if str(target) != "-" and ending_of(Path(target)) not in _TABLES:
        raise InputError(f"--formulas {formulas} is for files that spreadsheets open (.csv, .tsv); leave it out")
    texts = [name for name, kind in rows.schema.items() if kind == pl.String]
    values = {text for name in texts for text in rows[name].drop_nulls().unique()}
    changed = {text: safe for text in values if (safe := safe_cell(text, formulas)) != text}
    if taken := sorted(values & set(changed.values())):
        raise InputError(
            f"{taken[0]!r} is there already, so {taken[0][1:]!r} cannot be escaped to it: two would become one; "
            "rename one of them, or give --formulas keep"
        )
    return rows.with_columns(pl.col(texts).replace(changed)) if changed else rows
