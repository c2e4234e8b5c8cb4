"""``palmares agreement``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from ..errors import InputError
from . import inputs as reading
from . import options
from .help import Sectioned

if TYPE_CHECKING:
    from ..analysis.agreement.result import Counting
    from ..compute import Execution


@click.command(
    cls=Sectioned,
    examples=(
        "palmares agreement examples/campaign.csv",
        "palmares agreement examples/campaign.csv --judges",
        "palmares agreement examples/campaign.csv --as-published --format markdown",
    ),
)
@reading.input_options
@click.option(
    "--judges", is_flag=True, help="Also compare each judge with all the others: a row each, lowest kappa first."
)
@click.option(
    "--counting",
    type=options.Vocabulary("palmares.analysis.agreement:COUNTINGS"),
    default="all-pairs",
    show_default=True,
    help="How pairs are counted; wmt16 and two-judges are the countings of published figures.",
)
@click.option("--as-published", is_flag=True, help="The same as --counting wmt16.")
@click.option(
    "--resamples",
    type=click.IntRange(0),
    help="Draw segments so often for intervals of these judges only; 0 for no intervals.  [default: leave out judges "
    "and segments instead]",
)
@options.level_option
@options.execution_options
@options.printing_options
def agreement(
    inputs: reading.Inputs,
    judges: bool,
    counting: Counting,
    as_published: bool,
    resamples: int | None,
    p: float,
    execution: Execution,
    printing: options.Printing,
) -> None:
    """Measure how far judges agree with each other and with themselves.

    For every language pair: Cohen's kappa between judges (inter) and of judges with themselves (intra), with an
    interval from leaving out judges and segments, and Krippendorff's alpha. Judgments are compared where two
    systems were judged on the same segment more than once.
    """  # fmt: skip
    from ..analysis.agreement.run import agreement as measure

    named = click.get_current_context().get_parameter_source("counting") is click.core.ParameterSource.COMMANDLINE
    if as_published and named and counting != "wmt16":
        raise InputError(f"--as-published is --counting wmt16, and --counting {counting} was given too; leave one out")
    counting = "wmt16" if as_published else counting
    extra = ("system1Id",) if counting == "wmt16" and _pairs_in_file_order(inputs) else ()
    measured = partial(measure, judges=judges, counting=counting, resamples=resamples, p=p)
    agreements = reading.for_each(
        inputs.groups(extra=extra), execution, "resampling", lambda data, part: measured(data, execution=part)
    )
    printing.show("agreement", agreements, "judges" if judges else None)


def _pairs_in_file_order(inputs: reading.Inputs) -> bool:
    """Whether all files are of the format that has no positions, so that the order must be kept by other means."""
    from ..ingest.files import detect, is_url
    from ..ingest.source import load

    if "system1Id" in inputs.extra or "-" in inputs.files or inputs.from_ not in ("auto", "wmt-pairwise"):
        return False
    if any(map(is_url, inputs.files)):
        return False
    return all(detect(load(file, encoding=inputs.encoding)).id == "wmt-pairwise" for file in inputs.files)
