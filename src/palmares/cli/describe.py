"""``palmares describe``."""

from __future__ import annotations

from typing import Any

import click

from . import options


@click.command()
@options.input_options
@click.option("--systems", is_flag=True, help="One row a system instead of one a language pair.")
@options.format_option
def describe(systems: bool, output: str, **arguments: Any) -> None:
    """Say what a file of judgments contains.

    For every language pair: systems, rankings, judgments, ties, judges, how many of the pairs of systems were compared
    (the least and the most often compared pair), and into how many unlinked groups the systems fall.
    """  # fmt: skip
    from ..analysis.describe import describe as describe_judgments
    from ..report.views import overview_csv_table, overview_table, systems_csv_table, systems_table
    from .output import print_json, print_tables

    judgments = options.load(arguments)
    overviews = [describe_judgments(part) for part in judgments.split("lang_pair").values()]
    if output == "json":
        print_json([overview.to_dict() for overview in overviews])
    elif systems:
        view = systems_csv_table if output == "csv" else systems_table
        print_tables([view(overview) for overview in overviews], output)
    else:
        print_tables([overview_csv_table(overviews) if output == "csv" else overview_table(overviews)], output)
