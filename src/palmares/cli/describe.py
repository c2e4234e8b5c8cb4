"""``palmares describe``."""

from __future__ import annotations

import click

from . import inputs as reading
from . import options


@click.command()
@reading.input_options
@click.option("--systems", is_flag=True, help="One row a system instead of one a language pair.")
@options.printing_options
def describe(inputs: reading.Inputs, systems: bool, printing: options.Printing) -> None:
    """Say what a file of judgments contains.

    For every language pair: systems, rankings, judgments, ties, judges, how many of the pairs of systems were compared
    (the least and the most often compared pair), and into how many unlinked groups the systems fall.
    """  # fmt: skip
    from ..analysis.describe import describe as describe_judgments
    from ..report.tables import Grouped

    overviews = [Grouped(describe_judgments(part), group) for group, part in inputs.groups().items()]
    printing.show("describe", overviews, "systems" if systems else None)
