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
    from .output import show

    judgments = options.load(arguments)
    overviews = [describe_judgments(part) for part in judgments.split("lang_pair").values()]
    show("describe", overviews, output, part="systems" if systems else None)
