"""``palmares coverage``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ..models import DEFAULT_MODEL, MODELS
from . import options
from .help import Sectioned
from .plan_options import plan_options

if TYPE_CHECKING:
    from ..compute import Execution
    from ..design.coverage import Method
    from ..design.simulate import CampaignPlan


def _methods(
    models: tuple[str, ...], presets: tuple[str, ...], units: tuple[str, ...], sided: int
) -> tuple[Method, ...]:
    from ..design.coverage import methods_of

    return methods_of((*models, *presets) or [DEFAULT_MODEL], units, sided=sided)


# Threads would wait for each other: with so few judgments per campaign, little of the work is compiled code.
@click.command(
    cls=Sectioned,
    leading={
        "What is checked": ["models", "presets", "units", "sided", "campaigns", "resamples", "p"],
    },
    examples=(
        "palmares coverage --systems 8 --rankings 1000 --judge-effect 1",
        "palmares coverage --groups 3,3,4 --campaigns 500",
    ),
    context_settings={"default_map": {"executor": "processes"}},
)
@plan_options
@options.grouped(
    "methods", _methods,
    click.option("--model", "models", type=click.Choice(list(MODELS)), multiple=True,
                 help=f"Model that scores the systems. Repeat for several.  [default: {DEFAULT_MODEL}]"),
    options.presets_option,
    click.option("--unit", "units", type=options.Vocabulary("palmares.design.coverage:SOURCES"), multiple=True,
                 default=["pair", "ranking", "segment", "judge", "two-way"], show_default=True,
                 help="Resampling unit, or another source of rank ranges. Repeat for several."),
    click.option("--sided", type=click.IntRange(1, 2), default=2, show_default=True,
                 help="One- or two-sided sign tests, for --unit sign-test."),
)  # fmt: skip
@click.option("--campaigns", type=click.IntRange(2), default=200, show_default=True, help="Campaigns to simulate.")
@click.option(
    "--resamples", type=click.IntRange(1), default=400, show_default=True, help="Bootstrap samples per campaign."
)
@options.level_option
@options.execution_options
@options.printing_options
def coverage(
    plan: CampaignPlan,
    methods: tuple[Method, ...],
    campaigns: int,
    resamples: int,
    p: float,
    execution: Execution,
    printing: options.Printing,
) -> None:
    """Check by simulation whether the rank ranges of a campaign of this shape can be trusted.

    Simulates many campaigns and prints, for every model and resampling unit, how often the true rank of a system lies
    outside its range, how wide the ranges are, and how often clusters are wrong.
    """  # fmt: skip
    from ..design.coverage import coverage as study

    with options.progress_bar("simulating") as progress:
        place = replace(execution, progress=progress)
        result = study(plan, methods=methods, campaigns=campaigns, resamples=resamples, p=p, execution=place)
    printing.show("coverage", [result])
