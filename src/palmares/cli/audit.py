"""``palmares audit``."""

from __future__ import annotations

from typing import Any

import click

from ..errors import InputError
from . import options
from .output import check_converged, show_groups


@click.command()
@options.input_options
@options.ranking_options
@click.option(
    "--show",
    type=click.Choice(["all", "findings", "claims", "details"]),
    default="all",
    show_default=True,
    help="all: findings and claims. details: the judges, pairs or systems behind the findings.",
)
@options.seed_option
@options.worker_options
@options.format_option
def audit(show: str, output: str, **arguments: Any) -> None:
    """Say which claims of a ranking the judgments carry.

    Makes a fixed list of checks (positions, judges, circles, ties, drift, design), each with a test and an effect with
    its interval, and judges every claim of the ranking: carried, fragile, or not shown. Where nothing is wrong, the
    chance of any flag is --p.
    """  # fmt: skip
    how = options.ranking_arguments(arguments)
    del how["sided"]  # of sign tests, which an audit does not rest on
    audits = _audits(arguments, how)
    show_groups("audit", audits, output, part=show)
    check_converged(audit.ranking for audit, _ in audits)


def _audits(arguments: dict[str, Any], how: dict[str, Any]) -> list[tuple[Any, Any]]:
    from ..analysis.audit.run import audit as audit_judgments
    from .groups import groups

    found = []
    parts = list(groups(options.load(arguments), None))
    with options.progress_bar("auditing") as progress:
        for number, group in enumerate(parts):
            try:
                share = options.share_of(progress, number, len(parts))
                found.append((audit_judgments(group.judgments, progress=share, **how), group.keys))
            except InputError as error:
                raise group.explain(error) from None
    return found
