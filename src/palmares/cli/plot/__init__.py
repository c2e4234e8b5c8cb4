"""``palmares plot``: every plot by its kind.

A kind has an entry in `palmares.report.plots.PLOTS`, which says what it shows and which function draws it, and a
command here, which says what is drawn: judgments that are ranked (`rankings`), looked at in other ways (`judgments`) or
held out (`models`), or a paper's experiment (`experiments`). `drawing` has what they share.
"""

from __future__ import annotations

import click

from ...registry import Entry, Registry
from ...report.plots import PLOTS
from .. import LazyGroup

#: Where the command of every kind is, by the heading that help has it under.
_SECTIONS = {
    "Rankings": {
        "ranges": "palmares.cli.plot.rankings:ranges",
        "scores": "palmares.cli.plot.rankings:scores",
        "rank-boxes": "palmares.cli.plot.rankings:rank_boxes",
        "head-to-head": "palmares.cli.plot.rankings:head_to_head",
    },
    "Judgments": {
        "meetings": "palmares.cli.plot.judgments:meetings",
        "clusters-by-judgments": "palmares.cli.plot.judgments:clusters_by_judgments",
        "judges": "palmares.cli.plot.judgments:judges",
        "segments": "palmares.cli.plot.judgments:segments",
        "information": "palmares.cli.plot.judgments:information",
        "plan": "palmares.cli.plot.judgments:plan",
    },
    "Models": {
        "outcomes": "palmares.cli.plot.models:outcomes",
        "comparison": "palmares.cli.plot.models:comparison",
        "calibration": "palmares.cli.plot.models:calibration",
        "learning-curve": "palmares.cli.plot.models:learning_curve",
        "abilities": "palmares.cli.plot.experiments:abilities",
        "item-curves": "palmares.cli.plot.experiments:item_curves",
    },
    "Experiments": {
        "item-information": "palmares.cli.plot.experiments:item_information",
        "win-ratios": "palmares.cli.plot.experiments:win_ratios",
        "separated-pairs": "palmares.cli.plot.experiments:separated_pairs",
        "ranking-errors": "palmares.cli.plot.experiments:ranking_errors",
    },
}
#: Every command below ``palmares plot``.
PLOT_COMMANDS = Registry(
    "plot",
    {kind: Entry(target, PLOTS[kind].summary) for kinds in _SECTIONS.values() for kind, target in kinds.items()},
)


class PlotGroup(LazyGroup):
    """A group that names the kinds there are to whoever asks for another."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        self.registry[cmd_name]  # which refuses an unknown one
        return super().get_command(ctx, cmd_name)


@click.group(
    cls=PlotGroup,
    registry=PLOT_COMMANDS,
    sections=_SECTIONS,
    invoke_without_command=True,
    subcommand_metavar="KIND FILE...",
    examples=(
        "palmares plot scores examples/campaign.csv -o scores.svg",
        "palmares plot head-to-head --help",
    ),
)
@click.pass_context
def plot(context: click.Context) -> None:
    """Draw a picture of judgments, of models or of an experiment.

    `palmares plot KIND --help` says what a kind needs. Needs the extra `report`: pip install 'palmares[report]'.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
