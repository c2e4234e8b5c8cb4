"""``palmares segments``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from ..errors import InputError
from . import inputs as reading
from . import options
from .help import Sectioned

if TYPE_CHECKING:
    from ..compute import Execution


@click.command(
    cls=Sectioned,
    examples=(
        "palmares segments examples/campaign.csv",
        "palmares segments examples/campaign.csv --choose 100",
        "palmares segments examples/campaign.csv --baseline auto --plot segments.svg",
    ),
)
@reading.input_options
@click.option(
    "--baseline",
    metavar="NAME|auto",
    help="Difficulties and item information against this system instead; auto: the one nearest the mean.",
)
@click.option(
    "--choose",
    type=click.IntRange(1),
    metavar="N",
    help="Choose the N segments that are expected to tell most, and check whether that beats chance.",
)
@click.option(
    "--splits",
    type=click.IntRange(0),
    default=50,
    show_default=True,
    help="Splits of judges in halves for that check; 0 for none.",
)
@click.option(
    "--top",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="So many of the most and of the least telling segments are shown.",
)
@click.option(
    "--curve",
    "curves",
    multiple=True,
    metavar="SEGMENT",
    help="With --baseline, a segment whose information --plot draws. Repeat for several.  [default: the two most "
    "telling, the two easiest and the two hardest]",
)
@options.level_option
@options.execution_options
@options.drawing_options
def segments(
    inputs: reading.Inputs,
    baseline: str | None,
    choose: int | None,
    splits: int,
    top: int,
    curves: tuple[str, ...],
    p: float,
    execution: Execution,
    printing: options.Printing,
) -> None:
    """Show which segments tell systems apart.

    For every segment: by how much further apart systems are on it than usual (slope), and how much a judgment of it
    tells about the order of systems (information). A segment with few judgments is drawn towards the average. With
    --baseline: how hard it is on every segment not to lose to that system, and to beat it.
    """  # fmt: skip
    from ..analysis.segments.run import segments as measure

    if curves and baseline is None:
        raise InputError("--curve draws item information against a baseline; give --baseline too, or leave it out")
    if baseline is not None and choose is not None:
        raise InputError("--choose goes by all pairs of systems; leave out --baseline, or --choose")
    measured = partial(measure, baseline=baseline, choose=choose, splits=splits, top=top, p=p)
    results = reading.for_each(
        inputs.groups(), execution, "splitting", lambda data, part: measured(data, execution=part)
    )
    if printing.plot is not None:
        from ..report.plots.segments import information_plot, slope_plot

        printing.draw(results, slope_plot if baseline is None else partial(information_plot, segments=curves or None))
    printing.show("segments" if baseline is None else "segments --baseline", results)
