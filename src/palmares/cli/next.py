"""``palmares next``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..design.next import STRATEGIES
from . import inputs as reading
from . import options
from .help import Sectioned

if TYPE_CHECKING:
    from ..compute import Execution


@click.command(
    "next",
    cls=Sectioned,
    leading={
        "Screens": ["number", "outputs", "strategy", "uniform_share", "segments", "p"],
    },
    examples=(
        "palmares next examples/campaign.csv",
        "palmares next examples/campaign.csv --outputs 2 --number 100 --format csv > next.csv",
    ),
)
@reading.input_options
@click.option(
    "--strategy",
    type=click.Choice(list(STRATEGIES)),
    default="open-boundaries",
    show_default=True,
    help="Who chooses.",
)
@click.option(
    "--outputs",
    type=click.IntRange(2),
    help="How many systems a screen compares.  [default: as most rankings of FILE, 2 for pairs]",
)
@click.option("--number", type=click.IntRange(1), default=20, show_default=True, help="How many screens.")
@click.option(
    "--uniform-share",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="The chance with which any set of systems takes the place of a chosen one.",
)
@click.option(
    "--segments",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="All segments there are, one a line, also those without judgments.  [default: those of the judgments]",
)
@options.level_option
@options.execution_options
@options.printing_options
def next_(
    inputs: reading.Inputs,
    strategy: str,
    outputs: int | None,
    number: int,
    uniform_share: float,
    segments: str | None,
    p: float,
    execution: Execution,
    printing: options.Printing,
) -> None:
    """Show what to judge next.

    For every language pair, screens: which systems to compare, on which segment, for which boundary between ranks, and
    with what probability this set was drawn. A boundary is open until the judgments claim it by a rule that is valid
    whenever one looks, and whatever chose the comparisons.
    """  # fmt: skip
    from ..design.next.screens import next_screens

    named = None if segments is None else _lines(segments)
    results = reading.for_each(
        inputs.groups(),
        execution,
        "resampling",
        lambda data, part: next_screens(
            data,
            strategy=strategy,
            outputs=outputs,
            number=number,
            uniform_share=uniform_share,
            segments=named,
            p=p,
            execution=part,
        ),
    )
    printing.show("next", results)


def _lines(path: str) -> list[str]:
    """The names in a file, one a line."""
    from ..errors import InputError
    from ..ingest.source import decoded, unpacked

    lines = decoded(*unpacked(path), "utf-8-sig").splitlines()
    names = [line.strip() for line in lines if line.strip()]
    if not names:
        raise InputError(f"--segments: {path} has no line with a segment's name; allowed: one name a line")
    return names
