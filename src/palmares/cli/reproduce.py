"""``palmares reproduce``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ..experiments import EXPERIMENTS
from . import options
from .help import Sectioned

if TYPE_CHECKING:
    from ..compute import Execution

#: Formats in which several experiments make one document; others are printed as soon as each is done.
TOGETHER = ("json", "csv")


# Processes: most of an experiment is many small fits, for which threads would wait for each other.
@click.command(
    cls=Sectioned,
    examples=(
        "palmares reproduce",
        "palmares reproduce k12-bounds --quick",
        "palmares reproduce all --data published --format json > numbers.json",
    ),
    context_settings={"default_map": {"executor": "processes"}},
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--quick", is_flag=True, help="Run a small variant: fewer trials and judgments.")
@click.option("--data", type=click.Path(), envvar="PALMARES_REAL_DATA", metavar="FOLDER",
              help="Folder with the published judgments; without it, campaigns are simulated.  "
                   "[default: the environment variable PALMARES_REAL_DATA]")  # fmt: skip
@options.execution_options
@options.printing_options
def reproduce(
    names: tuple[str, ...], quick: bool, data: str | None, execution: Execution, printing: options.Printing
) -> None:
    """Repeat the papers' experiments and print published and measured numbers side by side.

    Without NAME, lists the experiments; `all` runs every one.
    """  # fmt: skip
    from ..experiments.base import reproduce as run

    if not names:
        printing.show("experiments", map(EXPERIMENTS.load, EXPERIMENTS))
        return
    chosen = list(EXPERIMENTS) if "all" in names else list(dict.fromkeys(names))
    for name in chosen:
        EXPERIMENTS[name]  # a wrong name is refused before hours of work, not after
    results = []
    for name in chosen:
        with options.progress_bar(name) as progress:
            result = run(name, quick=quick, data=data, execution=replace(execution, progress=progress))
        results.append(result)
        if printing.output not in TOGETHER:
            click.echo("\n" if len(results) > 1 else "", nl=False)
            printing.show("reproduce", results[-1:])
    if printing.output in TOGETHER:
        printing.show("reproduce", results)
