"""``palmares coverage``."""

from __future__ import annotations

from typing import Any

import click

from ..models import DEFAULT_MODEL, MODELS
from . import options
from .simulate import plan_options

#: `palmares.design.coverage.SOURCES`, which would be slow to import here.
UNITS = ("pair", "ranking", "segment", "judge", "posterior", "sign-test")


# Threads would wait for each other: with so few judgments a campaign, little of the work is compiled code.
@click.command(context_settings={"default_map": {"executor": "processes"}})
@plan_options
@click.option("--model", "models", type=click.Choice(list(MODELS)), multiple=True, default=[DEFAULT_MODEL],
              show_default=True, help="How to score. Repeat for several.")  # fmt: skip
@click.option("--unit", "units", type=click.Choice(UNITS), multiple=True, default=list(UNITS[:4]), show_default=True,
              help="What ranges come from. Repeat for several.")  # fmt: skip
@click.option(
    "--sided", type=click.IntRange(1, 2), default=2, show_default=True, help="One- or two-sided tests, for sign-test."
)
@click.option("--campaigns", type=click.IntRange(2), default=200, show_default=True, help="Campaigns to simulate.")
@click.option("--resamples", type=click.IntRange(1), default=400, show_default=True, help="Bootstrap samples of each.")
@options.level_option
@options.seed_option
@options.worker_options
@options.format_option
def coverage(models: tuple[str, ...], units: tuple[str, ...], sided: int, output: str, **arguments: Any) -> None:
    """For a campaign of this shape, can rank ranges be trusted?

    Simulates many campaigns and says, for every model and resampling unit, how often the true rank of a system lies
    outside its range, how wide ranges are, and what their clusters are worth.
    """  # fmt: skip
    from ..compute import Execution
    from ..design.coverage import coverage as study
    from ..design.coverage import methods_of
    from ..design.simulate import CampaignPlan
    from ..report.coverage_views import coverage_csv_table, coverage_table
    from .output import print_json, print_tables

    methods = methods_of(models, units, sided=sided)
    how = {name: arguments.pop(name) for name in ("campaigns", "resamples", "p")}
    seed, executor, workers = (arguments.pop(name) for name in ("seed", "executor", "workers"))
    plan = CampaignPlan(**arguments)  # what is left of the options
    with options.progress_bar("simulating") as progress:
        found = study(plan, methods=methods, rng=seed, execution=Execution(executor, workers, progress), **how)
    if output == "json":
        print_json(found.to_dict())
    else:
        print_tables([coverage_csv_table(found) if output == "csv" else coverage_table(found)], output)
