"""``palmares head-to-head``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from . import inputs as reading
from . import options
from .help import Sectioned

if TYPE_CHECKING:
    from ..compute import Execution


@click.command(
    "head-to-head",
    cls=Sectioned,
    examples=(
        "palmares head-to-head examples/campaign.csv",
        "palmares head-to-head examples/campaign.csv --format latex > pairs.tex",
    ),
)
@reading.input_options
@options.ranking_options
@options.execution_options
@options.printing_options
def head_to_head(
    inputs: reading.Inputs, ranking: options.RankingOptions, execution: Execution, printing: options.Printing
) -> None:
    """Compare every two systems.

    A cell shows how often the column's system was judged better than the row's, ties ignored, with the mark of a
    two-sided sign test; the last rows show expected wins and rank ranges.
    """  # fmt: skip
    from ..ranking.head_to_head import head_to_head as compare

    tables = reading.for_each(
        inputs.groups(), execution, "resampling", lambda data, part: compare(data, ranking.rank(data, part))
    )
    printing.show("head-to-head", tables)
