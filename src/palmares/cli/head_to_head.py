"""``palmares head-to-head``."""

from __future__ import annotations

from typing import Any

import click

from ..errors import InputError
from ..models import DEFAULT_MODEL, MODELS
from . import options


@click.command("head-to-head")
@options.input_options
@click.option(
    "--model",
    type=click.Choice(list(MODELS)),
    default=DEFAULT_MODEL,
    show_default=True,
    help="Whose order and rank ranges to show.",
)
@click.option("--resamples", type=click.IntRange(1), default=1000, show_default=True, help="Bootstrap samples.")
@click.option(
    "--resample",
    type=click.Choice(["auto", "pair", "ranking", "segment", "judge", "none"]),
    default="auto",
    show_default=True,
    help="What is drawn together.",
)
@click.option(
    "--p",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Ranges leave out this share of ranks.",
)
@options.seed_option
@options.worker_options
@options.format_option
def head_to_head(model: str, resamples: int, resample: str, p: float, seed: int, output: str, **arguments: Any) -> None:
    """Compare every two systems.

    A cell says how often the system of its column was judged better than the one of its row, ties ignored, with the
    mark of a two-sided sign test; the last rows give expected wins and rank ranges.
    """  # fmt: skip
    from ..report.views import head_to_head_csv_table, head_to_head_table
    from ..uncertainty.head_to_head import head_to_head as compare
    from ..uncertainty.ranking import rank
    from .groups import groups, title
    from .output import print_json, print_tables

    compared = []
    for group in groups(options.load(arguments), None):
        try:
            ranking = rank(
                group.judgments, model=model, resamples=resamples, resample=resample, p=p, rng=seed,
                executor=arguments["executor"], workers=arguments["workers"],
            )  # fmt: skip
        except InputError as error:
            raise group.explain(error) from None
        compared.append((compare(group.judgments, ranking), title(group.keys)))
    if output == "json":
        print_json([table.to_dict() for table, _ in compared])
    elif output == "csv":
        print_tables([head_to_head_csv_table(table) for table, _ in compared], output)
    else:
        print_tables([head_to_head_table(table, title=name) for table, name in compared], output)
