"""``palmares describe``."""

from __future__ import annotations

from dataclasses import replace

import click

from ..errors import InputError
from . import inputs as reading
from . import options
from .help import Sectioned


@click.command(
    cls=Sectioned,
    examples=(
        "palmares describe examples/campaign.csv",
        "palmares describe examples/campaign.csv --systems",
        "palmares describe examples/campaign.csv --columns",
    ),
)
@reading.input_options
@click.option("--systems", is_flag=True, help="One row per system instead of one per language pair.")
@click.option(
    "--columns", "columns_", is_flag=True,
    help="How every file was read: what its columns were taken for and why, what was left out, what is there twice.",
)  # fmt: skip
@options.printing_options
def describe(inputs: reading.Inputs, systems: bool, columns_: bool, printing: options.Printing) -> None:
    """Show what a file of judgments contains.

    For every language pair: systems, rankings, judgments, ties, judges, how many pairs of systems were compared and
    how often (least and most), and the number of groups of systems that no judgment links.
    """  # fmt: skip
    if columns_:
        _describe_files(inputs, systems, printing)
        return
    from ..analysis.describe import describe as describe_judgments
    from ..report.tables import Grouped

    overviews = [Grouped(describe_judgments(part), group) for group, part in inputs.groups().items()]
    printing.show("describe", overviews, "systems" if systems else None)


def _describe_files(inputs: reading.Inputs, systems: bool, printing: options.Printing) -> None:
    """Files are shown however many faults they have: that is when one wants to see how they were read."""
    from ..analysis.describe import describe_files

    if systems or inputs.where or inputs.exclude_judge or inputs.exclude_system or inputs.by:
        raise InputError(
            "--columns shows how whole files were read; leave out --systems, --where, --exclude-… and --by"
        )
    asked = inputs.options
    read = (inputs if inputs.strict else replace(inputs, lenient=True)).read_each()
    printing.show("describe --columns", describe_files(read, asked))
