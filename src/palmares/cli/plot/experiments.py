"""Plots of what the papers' experiments measure, of which two can be drawn of judgments too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .. import inputs as reading
from .. import options
from .drawing import (
    Drawing,
    FromExperiment,
    Kind,
    drawing_options,
    experiment_options,
    judgments_options,
    maybe_judgments_options,
    only_experiment_options,
)

if TYPE_CHECKING:
    from ...compute import Execution

#: The model of the paper whose figure it is.
_MODEL = "hopkins-may"


@click.command(
    cls=Kind,
    examples=("palmares plot abilities examples/campaign.csv -o abilities.svg",
              "palmares plot abilities --experiment --quick -o abilities.svg"),
)  # fmt: skip
@drawing_options
@experiment_options("hm13-abilities")
@click.option("--model", default=_MODEL, show_default=True, metavar="ID[:NAME=VALUE,…]",
              help="A model that predicts outcomes, optionally with settings.")  # fmt: skip
@click.option("--resample", default="auto", show_default=True, metavar="UNIT",
              help="What bars are of, as for `palmares rank`.")  # fmt: skip
@click.option(
    "--resamples", type=click.IntRange(1), default=1000, show_default=True, help="Bootstrap samples, or draws."
)
@options.execution_options
@maybe_judgments_options
def abilities(
    inputs: reading.Inputs,
    execution: Execution,
    drawing: Drawing,
    source: FromExperiment,
    model: str,
    resample: str,
    resamples: int,
) -> None:
    """Draw abilities: a dot per system ± one standard deviation, and a heat map of predicted wins less losses.

    As Figure 6 of Hopkins & May 2013, which --experiment repeats.
    """
    from ...models.by_name import create
    from ...ranking.rank import rank
    from ...report.tables import Grouped

    source.check(inputs.files)
    made = create(model)
    if source.experiment:
        drawing.draw("abilities", [Grouped(source.run("hm13-abilities", execution))])
        return
    found = reading.for_each(
        inputs.groups(), execution, "ranking",
        lambda data, place: rank(data, model=made, resample=resample, resamples=resamples, execution=place),
    )  # fmt: skip
    options.check_converged(each.result for each in found)
    drawing.draw("abilities", found)


@click.command(
    "item-curves",
    cls=Kind,
    examples=("palmares plot item-curves examples/campaign.csv -o items.svg",
              "palmares plot item-curves examples/campaign.csv --baseline system-04 --sensitivity 1.7 -o items.svg"),
)  # fmt: skip
@drawing_options
@click.option("--baseline", default="auto", show_default=True, metavar="NAME|auto",
              help="The system that all others are compared with; auto: the one nearest the mean.")  # fmt: skip
@click.option("--segment", "chosen", multiple=True, metavar="SEGMENT",
              help="A segment to draw. Repeat for several.  [default: most telling, easiest, hardest]")  # fmt: skip
@click.option("--sensitivity", type=float, default=1.0, show_default=True, help="The judge's a, above 0.")
@options.execution_options
@judgments_options
def item_curves(
    inputs: reading.Inputs,
    execution: Execution,
    drawing: Drawing,
    baseline: str,
    chosen: tuple[str, ...],
    sensitivity: float,
) -> None:
    """Draw how likely a system loses, ties and wins against a baseline on a segment, by its place, and what that tells.

    As Figures 2 and 5 of Otani et al. 2016, by the model graded-response.
    """
    from ...analysis.segments.run import segments as measure
    from ...report.plots.item_curves import check_sensitivity

    check_sensitivity(sensitivity)
    found = reading.for_each(
        inputs.groups(), execution, "fitting", lambda data, part: measure(data, baseline=baseline, execution=part)
    )
    drawing.draw("item-curves", found, [{"segments": chosen or None, "sensitivity": sensitivity}] * len(found))


@click.command(
    "item-information",
    cls=Kind,
    examples=("palmares plot item-information --quick -o information.svg",
              "palmares plot item-information --data published -o information.svg"),
)  # fmt: skip
@drawing_options
@only_experiment_options
@options.execution_options
def item_information(execution: Execution, drawing: Drawing, source: FromExperiment) -> None:
    """Draw item information of a segment that is difficult to beat and of an easy one: the experiment o16-information.

    As Figure 5 of Otani et al. 2016. Of your judgments, `palmares plot information` draws the same.
    """
    _draw("item-information", "o16-information", execution, drawing, source)


@click.command(
    "win-ratios",
    cls=Kind,
    examples=("palmares plot win-ratios --quick -o ratios.svg",
              "palmares plot win-ratios --data published -o ratios.pdf"),
)  # fmt: skip
@drawing_options
@only_experiment_options
@options.execution_options
def win_ratios(execution: Execution, drawing: Drawing, source: FromExperiment) -> None:
    """Draw win ratios by place, printed ones and those of simulated campaigns: the experiment k12-win-ratios.

    As Figure 1 of Koehn 2012.
    """
    _draw("win-ratios", "k12-win-ratios", execution, drawing, source)


@click.command(
    "separated-pairs",
    cls=Kind,
    examples=("palmares plot separated-pairs --quick -o pairs.svg",
              "palmares plot separated-pairs --data published -o pairs.pdf"),
)  # fmt: skip
@drawing_options
@only_experiment_options
@options.execution_options
def separated_pairs(execution: Execution, drawing: Drawing, source: FromExperiment) -> None:
    """Draw the share of pairs that sign tests tell apart, by judgments: the experiment k12-curves.

    As Figure 2 of Koehn 2012: campaigns, and simulated ones with the spread of outputs that follows them best.
    """
    _draw("separated-pairs", "k12-curves", execution, drawing, source)


@click.command(
    "ranking-errors",
    cls=Kind,
    examples=("palmares plot ranking-errors --quick -o errors.svg",
              "palmares plot ranking-errors --seed 1 -o errors.png --width 800"),
)  # fmt: skip
@drawing_options
@only_experiment_options
@options.execution_options
def ranking_errors(execution: Execution, drawing: Drawing, source: FromExperiment) -> None:
    """Draw how often ranking methods put two systems in the wrong order, by judgments: the experiment k12-methods.

    As Figure 3 of Koehn 2012, with the numbers that its text names.
    """
    _draw("ranking-errors", "k12-methods", execution, drawing, source)


def _draw(kind: str, experiment: str, execution: Execution, drawing: Drawing, source: FromExperiment) -> None:
    """Run an experiment and draw it."""
    from ...report.tables import Grouped

    drawing.draw(kind, [Grouped(source.run(experiment, execution))])
