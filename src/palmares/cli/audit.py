"""``palmares audit``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from . import options
from .output import check_converged

if TYPE_CHECKING:
    from ..report.tables import Table


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
    """Say which claims of a ranking the judgments support.

    Makes a fixed list of checks (positions, judges, circles, ties, drift, design), each with a test and an effect with
    its interval, and judges every claim of the ranking: supported, fragile, or not shown. Where nothing is wrong, the
    chance of any flag is --p.
    """  # fmt: skip
    how = options.ranking_arguments(arguments)
    del how["sided"]  # of sign tests, which an audit does not rest on
    executor, workers = how.pop("executor"), how.pop("workers")
    audits = _audits(arguments, how, executor, workers)
    _print(audits, show, output)
    check_converged(audit.ranking for audit, _ in audits)


def _audits(
    arguments: dict[str, Any], how: dict[str, Any], executor: Any, workers: int | None
) -> list[tuple[Any, Any]]:
    from ..analysis.audit.run import audit as audit_judgments
    from ..compute import Execution
    from .groups import groups

    found = []
    parts = list(groups(options.load(arguments), None))
    with options.progress_bar("auditing") as progress:
        for number, group in enumerate(parts):
            try:
                share = options.share_of(progress, number, len(parts))
                found.append(
                    (audit_judgments(group.judgments, execution=Execution(executor, workers, share), **how), group.keys)
                )
            except InputError as error:
                raise group.explain(error) from None
    return found


def _print(audits: list[tuple[Any, Any]], show: str, output: str) -> None:
    from ..report.audit_views import audit_csv_table, claims_table, details_table, findings_table
    from .groups import title
    from .output import print_json, print_tables

    if output == "json":
        print_json([{**audit.to_dict(), "group": dict(keys)} for audit, keys in audits])
        return
    if output == "csv":
        print_tables([audit_csv_table(audit, show, keys) for audit, keys in audits], output)
        return
    views: dict[str, list[Callable[..., Table]]] = {
        "findings": [findings_table],
        "claims": [claims_table],
        "details": [details_table],
        # Two tables of one audit need one signature.
        "all": [partial(findings_table, signed=False), claims_table],
    }
    print_tables([view(audit, title=title(keys)) for audit, keys in audits for view in views[show]], output)
