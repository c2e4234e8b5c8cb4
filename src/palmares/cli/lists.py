"""``palmares formats`` and ``palmares models``."""

from __future__ import annotations

import dataclasses

import click

from ..ingest import FORMATS
from ..models import MODELS
from . import options


@click.command()
@options.format_option
def formats(output: str) -> None:
    """List the file formats, what they hold and how they can be written."""
    from ..report.tables import Column, Table
    from .output import print_json, print_tables

    rows = []
    for name, entry in FORMATS.items():
        kind = FORMATS.load(name)
        endings = " ".join(f".{e}" for e in kind.endings) or "read only"
        rows.append([name, entry.summary, endings, ", ".join(sorted(kind.holds)) or "–"])
    names = ("format", "what it is", "written as", "holds besides systems and outcome")
    if output == "json":
        print_json([dict(zip(("format", "summary", "endings", "holds"), row, strict=True)) for row in rows])
    else:
        print_tables([Table([Column(n, align="left") for n in names], rows)], output)


@click.command()
@options.format_option
def models(output: str) -> None:
    """List the models and their settings, with defaults."""
    from ..models.base import setting_text
    from ..report.tables import Column, Table
    from .output import print_json, print_tables

    rows = []
    for name, entry in MODELS.items():
        fields = dataclasses.fields(MODELS.load(name))
        rows.append([name, entry.summary, ", ".join(f"{f.name}={setting_text(f.default)}" for f in fields) or "–"])
    names = ("model", "score", "settings")
    if output == "json":
        print_json([dict(zip(names, row, strict=True)) for row in rows])
    else:
        print_tables([Table([Column(n, align="left") for n in names], rows)], output)
