"""``palmares audit``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from . import inputs as reading
from . import options
from .help import Sectioned

if TYPE_CHECKING:
    from ..compute import Execution


@click.command(
    cls=Sectioned,
    examples=(
        "palmares audit examples/campaign.csv",
        "palmares audit examples/campaign.csv --show details",
    ),
)
@reading.input_options
@options.ranking_options
@click.option(
    "--show",
    type=click.Choice(["all", "findings", "claims", "details"]),
    default="all",
    show_default=True,
    help="all: findings and claims. details: the judges, pairs, systems or places behind them.",
)
@options.execution_options
@options.printing_options
def audit(
    inputs: reading.Inputs, ranking: options.RankingOptions, show: str, execution: Execution, printing: options.Printing
) -> None:
    """Check which claims of a ranking the judgments support.

    Runs a fixed list of checks (positions, judges, circles, ties, drift, design), each with a test and an effect size
    with its interval, and gives every claim of the ranking a verdict: supported, fragile, or not shown. If nothing is
    wrong, the chance of any flag is --p.
    """  # fmt: skip
    from ..analysis.audit.run import audit as audit_judgments

    audited = partial(
        audit_judgments,
        model=ranking.model,
        resample=ranking.resample,
        resamples=ranking.resamples,
        p=ranking.p,
        looks=ranking.looks,
    )
    audits = reading.for_each(inputs.groups(), execution, "auditing", lambda data, part: audited(data, execution=part))
    printing.show("audit", audits, show)
    options.check_converged(each.result.ranking for each in audits)
