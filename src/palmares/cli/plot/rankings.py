"""Plots of rankings: judgments are ranked as ``palmares rank`` does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ...errors import InputError
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
)

if TYPE_CHECKING:
    from ...compute import Execution
    from ...judgments import Judgments
    from ...ranking.head_to_head import HeadToHead
    from ...ranking.result import Ranking
    from ...report.tables import Grouped

_JOINT = click.option(
    "--joint", is_flag=True, help="Show ranges and clusters that hold for all systems at once, not each by itself."
)
_COMPONENT = click.option(
    "--largest-component", is_flag=True, help="Rank only the largest group of systems that judgments link."
)


def _ranked(
    inputs: reading.Inputs,
    ranking: options.RankingOptions,
    execution: Execution,
    *,
    largest_component: bool,
    joint: bool = False,
) -> list[Grouped[Ranking]]:
    found = reading.for_each(
        inputs.groups(), execution, "resampling",
        lambda data, part: ranking.rank(data, part, largest_component=largest_component),
    )  # fmt: skip
    options.check_converged(each.result for each in found)
    return [replace(each, result=each.result.shown_jointly()) for each in found] if joint else found


@click.command(
    cls=Kind,
    examples=("palmares plot ranges examples/campaign.csv -o ranges.svg",
              "palmares plot ranges examples/campaign.csv --model trueskill -o ranges.png --width 800"),
)  # fmt: skip
@drawing_options
@_JOINT
@_COMPONENT
@options.all_ranking_options
@options.execution_options
@judgments_options
def ranges(
    inputs: reading.Inputs,
    ranking: options.RankingOptions,
    execution: Execution,
    drawing: Drawing,
    joint: bool,
    largest_component: bool,
) -> None:
    """Draw rank ranges: a bar per system from its first to its last possible rank, with lines between clusters."""
    drawing.draw("ranges", _ranked(inputs, ranking, execution, largest_component=largest_component, joint=joint))


@click.command(
    cls=Kind,
    examples=("palmares plot scores examples/campaign.csv -o scores.svg",
              "palmares plot scores examples/campaign.csv --inner 0.5 --scale elo -o scores.pdf"),
)  # fmt: skip
@drawing_options
@click.option("--inner", type=click.FloatRange(0, 1, min_open=True, max_open=True), metavar="SHARE",
              help="Also draw intervals of this level within the others: 0.5 for 50 %. Ranks twice.")  # fmt: skip
@_JOINT
@_COMPONENT
@options.all_ranking_options
@options.execution_options
@judgments_options
def scores(
    inputs: reading.Inputs,
    ranking: options.RankingOptions,
    execution: Execution,
    drawing: Drawing,
    inner: float | None,
    joint: bool,
    largest_component: bool,
) -> None:
    """Draw scores: a dot per system with whiskers as far as its interval, in the colours of its cluster."""
    if inner is not None and inner >= 1 - ranking.p:
        raise InputError(f"--inner: got {inner:g}; allowed: less than the level of the others, {1 - ranking.p:g}")
    found = _ranked(inputs, ranking, execution, largest_component=largest_component, joint=joint)
    if inner is None:
        drawing.draw("scores", found)
        return
    narrow = replace(ranking, p=1 - inner)
    others = {each.group: each.result for each in
              _ranked(inputs, narrow, execution, largest_component=largest_component)}  # fmt: skip
    drawing.draw("scores", found, [{"inner": others.get(each.group)} for each in found])


@click.command(
    cls=Kind,
    examples=("palmares plot rank-boxes examples/campaign.csv -o boxes.svg",
              "palmares plot rank-boxes --experiment --quick -o boxes.svg"),
)  # fmt: skip
@drawing_options
@experiment_options("s14-boxes")
@_COMPONENT
@options.all_ranking_options
@options.execution_options
@maybe_judgments_options
def rank_boxes(
    inputs: reading.Inputs,
    ranking: options.RankingOptions,
    execution: Execution,
    drawing: Drawing,
    source: FromExperiment,
    largest_component: bool,
) -> None:
    """Draw rank boxes: how the ranks of every system are spread over bootstrap samples or draws.

    As Figures 9 and 10 of Sakaguchi et al. 2014, which --experiment repeats.
    """
    from ...report.plots.boxes import RankBoxes, boxes_of_experiment
    from ...report.tables import Grouped

    source.check(inputs.files)
    if source.experiment:
        drawing.draw("rank-boxes", [Grouped(boxes_of_experiment(source.run("s14-boxes", execution)))])
        return
    found = _ranked(inputs, ranking, execution, largest_component=largest_component)
    drawing.draw("rank-boxes", [Grouped(RankBoxes.of(each.result), each.group) for each in found])


@click.command(
    "head-to-head",
    cls=Kind,
    examples=("palmares plot head-to-head examples/campaign.csv -o pairs.svg",
              "palmares plot head-to-head examples/campaign.csv --short-names --width 360 -o pairs.png"),
)  # fmt: skip
@drawing_options
@_JOINT
@options.all_ranking_options
@options.execution_options
@judgments_options
def head_to_head(
    inputs: reading.Inputs, ranking: options.RankingOptions, execution: Execution, drawing: Drawing, joint: bool
) -> None:
    """Draw a heat map of wins: how often the column's system was judged better than the row's, with sign tests."""
    from ...ranking.head_to_head import head_to_head as compare

    def compared(data: Judgments, part: Execution) -> HeadToHead:
        found = ranking.rank(data, part)
        return compare(data, found.shown_jointly() if joint else found)

    tables = reading.for_each(inputs.groups(), execution, "resampling", compared)
    options.check_converged(each.result.ranking for each in tables)
    drawing.draw("head-to-head", tables)
