"""``palmares head-to-head``."""

from __future__ import annotations

from typing import Any

import click

from ..errors import InputError
from . import options


@click.command("head-to-head")
@options.input_options
@options.ranking_options
@options.seed_option
@options.worker_options
@options.format_option
def head_to_head(output: str, **arguments: Any) -> None:
    """Compare every two systems.

    A cell says how often the system of its column was judged better than the one of its row, ties ignored, with the
    mark of a two-sided sign test; the last rows give expected wins and rank ranges.
    """  # fmt: skip
    from ..ranking.head_to_head import head_to_head as compare
    from ..ranking.rank import rank
    from .groups import groups
    from .output import show

    how = options.ranking_arguments(arguments)
    compared = []
    for group in groups(options.load(arguments), None):
        try:
            ranking = rank(group.judgments, **how)
        except InputError as error:
            raise group.explain(error) from None
        compared.append(compare(group.judgments, ranking))
    show("head-to-head", compared, output)
