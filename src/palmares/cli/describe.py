"""``palmares describe``."""

from __future__ import annotations

import click

from . import inputs as reading
from . import options


@click.command()
@reading.input_options
@click.option("--systems", is_flag=True, help="One row per system instead of one per language pair.")
@options.printing_options
def describe(inputs: reading.Inputs, systems: bool, printing: options.Printing) -> None:
    """Show what a file of judgments contains.

    For every language pair: systems, rankings, judgments, ties, judges, how many pairs of systems were compared and
    how often (least and most), and the number of groups of systems that no judgment links.
    """  # fmt: skip
    from ..analysis.describe import describe as describe_judgments
    from ..report.tables import Grouped

    overviews = [Grouped(describe_judgments(part), group) for group, part in inputs.groups().items()]
    printing.show("describe", overviews, "systems" if systems else None)
