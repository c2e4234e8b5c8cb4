"""Printing results in the format that was asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..errors import ConvergenceError
from ..report.tables import Group, Grouped, Rendered, Table, joined, json_text, rendered

if TYPE_CHECKING:
    from ..ranking.result import Ranking


def show(command: str, results: Iterable[Any], output: str, *, part: str | None = None) -> None:
    """Print the results of a command (`palmares.report.VIEWS`) in the format that was asked for."""
    _print(rendered(command, [Grouped(result) for result in results], output, part))


def show_groups(command: str, results: Iterable[tuple[Any, Group]], output: str, *, part: str | None = None) -> None:
    """The same of results that are each about a group of the judgments."""
    _print(rendered(command, [Grouped(result, group) for result, group in results], output, part))


def print_json(value: Any) -> None:
    click.echo(json_text(value), nl=False)


def print_tables(tables: Sequence[Table], output: str) -> None:
    """Tables below each other."""
    _print(joined(tables, output))


def _print(shown: Rendered) -> None:
    """Remarks, such as the signatures of CSV, go to standard error."""
    click.echo(shown.text, nl=False)
    for line in shown.remarks:
        click.echo(line, err=True)


def check_converged(rankings: Iterable[Ranking]) -> None:
    """What was printed may not be trusted where a fit did not converge; the exit status says so."""
    for ranking in rankings:
        fit = ranking.fit
        if not fit.convergence.converged:
            where = f"{ranking.lang_pair}: " if ranking.lang_pair else ""
            raise ConvergenceError(f"{where}model {fit.model.id!r} did not converge ({fit.convergence.detail})")
