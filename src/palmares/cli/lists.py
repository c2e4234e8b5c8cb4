"""``palmares formats`` and ``palmares models``."""

from __future__ import annotations

import dataclasses

import click

from ..ingest import FORMATS
from ..models import MODELS
from . import options
from .help import Sectioned


@click.command(
    cls=Sectioned,
    examples=(
        "palmares formats",
        "palmares formats --format markdown",
    ),
)
@options.printing_options
def formats(printing: options.Printing) -> None:
    """List the file formats, what they hold and how they can be written."""
    rows = []
    for name, entry in FORMATS.items():
        kind = FORMATS.load(name)
        endings = " ".join(f".{e}" for e in kind.endings) or "read only"
        rows.append([name, entry.summary, endings, ", ".join(sorted(kind.holds)) or "–"])
    heads = ("format", "what it is", "written as", "holds besides systems and outcome")
    _print(rows, heads, ("format", "summary", "endings", "holds"), printing)


@click.command(
    cls=Sectioned,
    examples=(
        "palmares models",
        "palmares models --format markdown",
    ),
)
@options.printing_options
def models(printing: options.Printing) -> None:
    """List the models and their settings, with defaults."""
    from ..models.by_name import setting_text

    rows = []
    for name, entry in MODELS.items():
        fields = dataclasses.fields(MODELS.load(name))
        rows.append([name, entry.summary, ", ".join(f"{f.name}={setting_text(f.default)}" for f in fields) or "–"])
    heads = ("model", "score", "settings")
    _print(rows, heads, heads, printing)


def _print(rows: list[list[str]], heads: tuple[str, ...], keys: tuple[str, ...], printing: options.Printing) -> None:
    from ..report.tables import Column, Table

    table = Table([Column(head, align="left", if_long="wrap") for head in heads], rows)
    printing.show_table(table, [dict(zip(keys, row, strict=True)) for row in rows])
