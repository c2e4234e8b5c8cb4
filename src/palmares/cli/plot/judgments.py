"""Plots of what judgments say besides a ranking: who met, clusters, judges, segments, and what a target takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ...errors import InputError
from ...models import DEFAULT_MODEL, MODELS
from .. import inputs as reading
from .. import options
from ..plan_options import Numbers
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
    from ...analysis.clusters import ClusterCurve
    from ...analysis.meetings import Meetings
    from ...compute import Execution
    from ...judgments import Judgments


# -- who met ------------------------------------------------------------------------------------------


@click.command(
    cls=Kind,
    examples=("palmares plot meetings examples/campaign.csv -o meetings.svg",
              "palmares plot meetings examples/campaign.csv --chosen -o chosen.svg"),
)  # fmt: skip
@drawing_options
@click.option("--share", type=click.FloatRange(0, 0.5, min_open=True), default=0.2, show_default=True,
              help="Of the judgments, the part that is first, and that is last.")  # fmt: skip
@click.option("--chosen", is_flag=True,
              help="First and last of the matches that a run of TrueSkill chooses from the judgments.")  # fmt: skip
@click.option("--matches", type=click.IntRange(1),
              help="Matches that it chooses.  [default: as many as judgments, up to 25000]")  # fmt: skip
@click.option("--model", type=click.Choice(list(MODELS)), default=DEFAULT_MODEL, show_default=True,
              help="Model by whose scores systems are put in order; with --chosen, that run's.")  # fmt: skip
@options.execution_options
@judgments_options
def meetings(
    inputs: reading.Inputs,
    execution: Execution,
    drawing: Drawing,
    share: float,
    chosen: bool,
    matches: int | None,
    model: str,
) -> None:
    """Draw how often every two systems met: in all judgments, the first and the last 20 %.

    As Figures 5 to 7 of Sakaguchi et al. 2014; these show what TrueSkill chose (--chosen). First and last are by time,
    where every judgment has one, else as in the file.
    """
    if matches is not None and not chosen:
        raise InputError("--matches is for --chosen; give that too, or leave it out")

    def counted(data: Judgments, place: Execution) -> Meetings:
        if chosen:
            from ...experiments.s14_meetings import chosen_meetings

            return chosen_meetings(_judged(data), steps=matches, share=share, seed=place.seed or 0)
        from ...analysis.meetings import meetings as count
        from ...ranking.rank import rank

        return count(_judged(data), rank(data, model=model, resample=None, execution=place).systems, share=share)

    drawing.draw("meetings", reading.for_each(inputs.groups(), execution, "counting", counted))


def _judged(data: Judgments) -> Judgments:
    """What somebody compared, unless all is to count."""
    from ...judgments import settle_forced_ties

    return settle_forced_ties(data, "auto", "drop")


# -- clusters -----------------------------------------------------------------------------------------


@click.command(
    "clusters-by-judgments",
    cls=Kind,
    examples=("palmares plot clusters-by-judgments examples/campaign.csv -o clusters.svg",
              "palmares plot clusters-by-judgments examples/campaign.csv --trials 10 --joint -o clusters.svg"),
)  # fmt: skip
@drawing_options
@click.option("--sizes", type=Numbers(int, "whole numbers"), metavar="N,N,…",
              help="About how many judgments are drawn.  [default: eight, from a twentieth to all]")  # fmt: skip
@click.option("--trials", type=click.IntRange(1), default=5, show_default=True,
              help="Random sets of every size.")  # fmt: skip
@experiment_options("s14-clusters")
@click.option("--model", "models", multiple=True, metavar="ID[:NAME=VALUE,…]",
              help=f"A model, optionally with settings. Repeat for several.  [default: {DEFAULT_MODEL}]")  # fmt: skip
@click.option("--resample", default="auto", show_default=True, metavar="UNIT",
              help="What uncertainty is of, as for `palmares rank`.")  # fmt: skip
@click.option(
    "--resamples", type=click.IntRange(1), default=1000, show_default=True, help="Bootstrap samples, or draws."
)
@options.level_option
@click.option("--joint", is_flag=True, help="Count clusters that hold all at once, not each by itself.")
@options.execution_options
@maybe_judgments_options
def clusters_by_judgments(
    inputs: reading.Inputs,
    execution: Execution,
    drawing: Drawing,
    source: FromExperiment,
    sizes: tuple[int, ...] | None,
    trials: int,
    models: tuple[str, ...],
    **ranking: Any,
) -> None:
    """Draw the number of clusters against the number of judgments: rankings of random parts of those that there are.

    As Figure 8 of Sakaguchi et al. 2014, which --experiment repeats. Parts are whole rankings, drawn without repeats.
    """
    from ...analysis.clusters import Ranks
    from ...analysis.clusters import clusters_by_judgments as clusters
    from ...models.by_name import create
    from ...report.plots.clusters import curve_of_experiment
    from ...report.tables import Grouped

    source.check(inputs.files)
    ranks = Ranks(tuple(map(create, models or (DEFAULT_MODEL,))), **ranking)
    if source.experiment:
        drawing.draw("clusters-by-judgments", [Grouped(curve_of_experiment(source.run("s14-clusters", execution)))])
        return

    def ranked(data: Judgments, place: Execution) -> ClusterCurve:
        return clusters(data, sizes=sizes, trials=trials, ranks=ranks, execution=place)

    drawing.draw("clusters-by-judgments", reading.for_each(inputs.groups(), execution, "ranking", ranked))


# -- judges, segments ---------------------------------------------------------------------------------


@click.command(
    cls=Kind,
    examples=("palmares plot judges examples/campaign.csv -o judges.svg",
              "palmares plot judges examples/campaign.csv --where 'judge!=judge-04' -o judges.png"),
)  # fmt: skip
@drawing_options
@click.option("--programs", metavar="COLUMN",
              help="A column that marks judgments by programs: yes and no, llm and human, or the like.")  # fmt: skip
@click.option("--program", multiple=True, metavar="PATTERN",
              help="Judges that are programs, by name or pattern. Repeat for several.")  # fmt: skip
@options.level_option
@options.execution_options
@judgments_options
def judges(
    inputs: reading.Inputs,
    execution: Execution,
    drawing: Drawing,
    programs: str | None,
    program: tuple[str, ...],
    p: float,
) -> None:
    """Draw judges: how well each tells systems apart, with an interval, and what stands out about them."""
    from ...analysis.judges.run import judges as know

    groups = inputs.groups(extra=() if programs is None or programs in inputs.extra else (programs,))
    found = reading.for_each(
        groups, execution, "knowing judges",
        lambda data, place: know(data, programs=programs, program=program, p=p, execution=place),
    )  # fmt: skip
    drawing.draw("judges", found)


@click.command(
    cls=Kind,
    examples=("palmares plot segments examples/campaign.csv -o segments.svg",
              "palmares plot segments examples/campaign.csv --top 5 -o segments.png"),
)  # fmt: skip
@drawing_options
@click.option("--top", type=click.IntRange(1), default=10, show_default=True,
              help="So many of the most and of the least telling segments are shown.")  # fmt: skip
@options.level_option
@options.execution_options
@judgments_options
def segments(inputs: reading.Inputs, execution: Execution, drawing: Drawing, top: int, p: float) -> None:
    """Draw slopes of segments: by how much further apart systems are on them than usual, with intervals."""
    from ...analysis.segments.run import segments as measure

    found = reading.for_each(
        inputs.groups(),
        execution,
        "splitting",
        lambda data, part: measure(data, top=top, p=p, splits=0, execution=part),
    )
    drawing.draw("segments", found)


@click.command(
    cls=Kind,
    examples=("palmares plot information examples/campaign.csv -o information.svg",
              "palmares plot information examples/campaign.csv --baseline system-04 -o information.svg"),
)  # fmt: skip
@drawing_options
@click.option("--baseline", default="auto", show_default=True, metavar="NAME|auto",
              help="The system that all others are compared with; auto: the one nearest the mean.")  # fmt: skip
@click.option("--segment", "chosen", multiple=True, metavar="SEGMENT",
              help="A segment to draw. Repeat for several.  [default: two most telling, easiest, hardest]")  # fmt: skip
@options.execution_options
@judgments_options
def information(
    inputs: reading.Inputs, execution: Execution, drawing: Drawing, baseline: str, chosen: tuple[str, ...]
) -> None:
    """Draw item information: what a judgment of a segment tells about a system, by how good it is."""
    from ...analysis.segments.run import segments as measure

    found = reading.for_each(
        inputs.groups(), execution, "fitting", lambda data, part: measure(data, baseline=baseline, execution=part)
    )
    drawing.draw("information", found, [{"segments": chosen or None}] * len(found))


# -- what a target takes ------------------------------------------------------------------------------


@click.command(
    cls=Kind,
    examples=("palmares plot plan --systems 15 --target clusters=5 -o plan.svg",
              "palmares plot plan examples/campaign.csv --target pairs=0.8 -o plan.svg"),
)  # fmt: skip
@drawing_options
@click.option("--target", "wanted", required=True, metavar="KIND[=VALUE]",
              help="What judgments are to show: pairs=0.8, clusters=5, widest=3, best or best=0.95.")  # fmt: skip
@click.option("--sure", type=click.FloatRange(0, 1, min_open=True, max_open=True), metavar="SHARE",
              help="Reach the target in this share of campaigns.  [default: on average; for best 0.8]")  # fmt: skip
@click.option("--systems", type=click.IntRange(2), default=10, show_default=True,
              help="Systems of a campaign from scratch; `palmares plan` can say more about it.")  # fmt: skip
@click.option("--campaigns", type=click.IntRange(50), default=400, show_default=True, help="Campaigns to simulate.")
@options.level_option
@options.execution_options
@maybe_judgments_options
def plan(
    inputs: reading.Inputs,
    execution: Execution,
    drawing: Drawing,
    wanted: str,
    sure: float | None,
    systems: int,
    campaigns: int,
    p: float,
) -> None:
    """Draw a plan: how many judgments a target takes, from scratch or from where FILE has brought a campaign."""
    from dataclasses import replace

    from ...design.plan import plan as planned
    from ...design.planning.usual import USUAL
    from ...report.tables import Grouped

    given: dict[str, Any] = {"target": wanted, "sure": sure, "campaigns": campaigns, "p": p}
    if inputs.files:
        if options.typed("systems"):
            raise InputError("--systems: the judgments say how many there are; leave it out, or leave out FILE")
        found = reading.for_each(
            inputs.groups(), execution, "planning", lambda data, place: planned(data, **given, execution=place)
        )
    else:
        with options.progress_bar("planning") as progress:
            place = replace(execution, progress=progress)
            found = [Grouped(planned(replace(USUAL, systems=systems), **given, execution=place))]
    drawing.draw("plan", found)
