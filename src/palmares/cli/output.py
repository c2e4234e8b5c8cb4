"""Printing results in the format that was asked for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..errors import ConvergenceError
from ..report.tables import RENDERERS, Table, to_csv

if TYPE_CHECKING:
    from ..ranking.result import Ranking


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


def check_converged(rankings: Iterable[Ranking]) -> None:
    """What was printed may not be trusted where a fit did not converge; the exit status says so."""
    for ranking in rankings:
        fit = ranking.fit
        if not fit.convergence.converged:
            where = f"{ranking.lang_pair}: " if ranking.lang_pair else ""
            raise ConvergenceError(f"{where}model {fit.model.id!r} did not converge ({fit.convergence.detail})")
