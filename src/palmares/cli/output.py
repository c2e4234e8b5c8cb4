"""Printing results in the format that was asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from ..report.tables import RENDERERS, Table, to_csv


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_tables(tables: Sequence[Table], output: str) -> None:
    """Tables below each other; for CSV one header, and signatures on standard error."""
    if output == "csv":
        for number, table in enumerate(tables):
            click.echo(to_csv(table, header=number == 0), nl=False)
        for line in [line for table in tables for line in (*table.notes, table.signature) if line]:
            click.echo(line, err=True)
        return
    click.echo("\n".join(RENDERERS[output](table) for table in tables), nl=False)
