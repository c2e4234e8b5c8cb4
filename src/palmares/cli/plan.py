"""``palmares plan``."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from . import inputs as reading
from . import options
from .help import Sectioned, section
from .plan_options import SECTIONS, Numbers, name_of, settled

if TYPE_CHECKING:
    from ..compute import Execution
    from ..design.planning.result import Plan
    from ..design.simulate import CampaignPlan
    from ..judgments import Judgments


#: Who judges, and what: of a campaign under way, judgments say so unless these do.
_STAFF = ("judges", "segments")


def _values(**values: Any) -> dict[str, Any]:
    return values


_WHOLE = Numbers(int, "whole numbers")
_WANTED = (
    click.option("--target", required=True, metavar="KIND[=VALUE]",
                 help="What judgments are to show. pairs=0.8: 80 % of the pairs of systems in different clusters. "
                      "clusters=5. widest=3: no rank range of more than 3 ranks. best: the best system separated from "
                      "all others. best=0.95: the first is truly best with 95 %."),
    click.option("--sure", type=click.FloatRange(0, 1, min_open=True, max_open=True), metavar="SHARE",
                 help="Reach the target in this share of campaigns.  [default: on average, 0.8 for best]"),
    click.option("--looks", type=options.Vocabulary("palmares.ranking:LOOKS"), default="auto", show_default=True,
                 help="once: ranges of one look at the end. any: boundaries that hold however often one looks. auto: "
                      "any where earlier answers chose comparisons."),
    click.option("--joint", is_flag=True, help="Count boundaries and ranges that hold all at once."),
    click.option("--try-judges", type=_WHOLE, metavar="N,N,…", help="Numbers of judges to try in the table."),
    click.option("--try-segments", type=_WHOLE, metavar="N,N,…", help="Numbers of segments to try in the table."),
    click.option("--seconds", type=click.FloatRange(0, min_open=True),
                 help="Seconds a ranking takes.  [default: the judges' medians where known, else 60]"),
    click.option("--training", type=click.FloatRange(0), default=15.0, show_default=True,
                 help="Minutes every new judge needs before the first ranking counts."),
    options.level_option,
    click.option("--campaigns", type=click.IntRange(50), default=400, show_default=True, help="Campaigns to simulate."),
)  # fmt: skip


#: Options of a simulated campaign that have other defaults here.
_OTHERS = (
    click.option("--systems", type=click.IntRange(2), help="Number of systems.  [default: 10, or those of --like]"),
    click.option("--judges", type=click.IntRange(1),
                 help="Number of judges in all.  [default: 20, or those of FILE or --like]"),
    click.option("--segments", type=click.IntRange(1),
                 help="Number of segments in all.  [default: 2000, or those of FILE or --like]"),
    click.option("--spread", type=float, default=8.0, show_default=True,
                 help="Standard deviation of an output's quality."),
    click.option("--tie-radius", type=float, default=4.0, show_default=True, help="Outputs this close are tied."),
    click.option("--judge-effect", type=float, default=1.0, show_default=True,
                 help="Standard deviation of a judge's own preference for a system."),
    click.option("--segment-effect", type=float, default=6.0, show_default=True,
                 help="Standard deviation of a system's luck on a segment."),
)  # fmt: skip


def _shape_options() -> Iterator[Callable[..., Any]]:
    """The options of a simulated campaign, but for how many rankings it has: that is what is planned."""
    others = {name_of(option): option for option in _OTHERS}
    for title, given in SECTIONS.items():
        for option in given:
            if (name := name_of(option)) != "rankings":
                yield section(title, others.get(name, option))


@click.command(
    cls=Sectioned,
    leading={
        "Target": ["target", "sure", "looks", "joint", "p", "like", "campaigns"],
        "Tables": ["try_judges", "try_segments", "seconds", "training", "curve"],
    },
    examples=(
        "palmares plan --systems 15 --target clusters=5",
        "palmares plan --like examples/campaign.csv --target pairs=0.8 --plot plan.svg",
        "palmares plan examples/campaign.csv --target best",
    ),
)
@reading.optional_input_options
@options.grouped("wanted", _values, *_WANTED)
@options.grouped("shape", _values, *_shape_options())
@click.option("--like", metavar="FROM", help="From scratch, for a campaign like that of these judgments.")
@click.option("--curve", is_flag=True, help="Print the measure over numbers of judgments instead of the tables.")
@options.execution_options
@options.drawing_options
def plan(
    inputs: reading.Inputs,
    wanted: dict[str, Any],
    shape: dict[str, Any],
    like: str | None,
    curve: bool,
    execution: Execution,
    printing: options.Printing,
) -> None:
    """Plan how many judgments, judges and hours a target takes.

    From scratch: for a campaign of --systems, with judges and segments that differ as the other options say. With
    FILE: how many further judgments a campaign needs, from where its judgments have brought it.
    """  # fmt: skip
    from ..report.tables import Grouped

    wanted |= {name: shape.pop(name) for name in _STAFF}
    if inputs.files:
        _refuse([*shape, "like"], "the judgments say what the campaign is like; leave it out, or leave out FILE")
        plans = reading.for_each(
            inputs.groups(), execution, "planning", lambda data, place: _planned(data, wanted, place)
        )
    else:
        _refuse(dataclasses.asdict(inputs), "there is no FILE to read; name one, or leave it out")
        campaign = _campaign(shape) if like is None else _campaign_like(like, shape, execution)
        with options.progress_bar("planning") as progress:
            plans = [Grouped(_planned(campaign, wanted, replace(execution, progress=progress)))]
    if printing.plot is not None:
        from ..report.plots.plans import plan_plot

        printing.draw(plans, plan_plot)
    printing.show("plan", plans, "curve" if curve else None)


def _planned(data: Judgments | CampaignPlan, wanted: dict[str, Any], execution: Execution) -> Plan:
    from ..design.plan import plan as planned

    return planned(data, **wanted, execution=execution)


def _campaign(shape: dict[str, Any]) -> CampaignPlan:
    from ..design.planning.usual import USUAL

    return replace(USUAL, **{name: value for name, value in settled(shape).items() if value is not None})


def _campaign_like(source: str, shape: dict[str, Any], execution: Execution) -> CampaignPlan:
    """With as many systems as were asked for; what campaigns are like, the judgments say."""
    from ..design.likeness import plan_like
    from ..ingest.files import read

    _refuse(
        (name for name in shape if name != "systems"), "--like says what the campaign is like; leave out one of them"
    )
    with options.progress_bar("fitting") as progress:
        like = plan_like(read(source), execution=replace(execution, progress=progress))
    for line in like.lines():
        click.echo(line, err=True)
    return like.plan if shape["systems"] is None else replace(like.plan, systems=shape["systems"])


def _refuse(names: Iterable[str], reason: str) -> None:
    """Refuse options that were typed and mean nothing here."""
    if wrong := [f"--{name.replace('_', '-')}" for name in names if options.typed(name)]:
        raise InputError(f"{', '.join(wrong)}: {reason}")
