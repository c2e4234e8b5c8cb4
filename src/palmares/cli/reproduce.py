"""``palmares reproduce``."""

from __future__ import annotations

from typing import Any

import click

from ..experiments import EXPERIMENTS
from . import options

#: Formats in which several experiments make one document; others are printed as soon as each is done.
TOGETHER = ("json", "csv")


# Processes: most of an experiment is many small fits, for which threads would wait for each other.
@click.command(context_settings={"default_map": {"executor": "processes"}})
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--quick", is_flag=True, help="A small variant: fewer trials and judgments.")
@click.option("--data", type=click.Path(), envvar="PALMARES_REAL_DATA", metavar="FOLDER", show_envvar=True,
              help="Folder with the published judgments; without it, campaigns are simulated.")  # fmt: skip
@options.seed_option
@options.worker_options
@options.format_option
def reproduce(
    names: tuple[str, ...],
    quick: bool,
    data: str | None,
    seed: int,
    executor: Any,
    workers: int | None,
    output: str,
) -> None:
    """Run experiments of the papers again, published and measured side by side.

    Without NAME, lists the experiments; the name `all` runs every one.
    """  # fmt: skip
    from ..compute import Execution
    from ..experiments.base import reproduce as run

    if not names:
        _list(output)
        return
    chosen = list(EXPERIMENTS) if "all" in names else list(dict.fromkeys(names))
    for name in chosen:
        EXPERIMENTS[name]  # a wrong name is refused before hours of work, not after
    found = []
    for name in chosen:
        with options.progress_bar(name) as progress:
            execution = Execution(executor, workers, progress, seed)
            one = run(name, quick=quick, data=data, execution=execution)
        found.append(one)
        if output not in TOGETHER:
            click.echo("\n" if len(found) > 1 else "", nl=False)
            _print([one], output)
    if output in TOGETHER:
        _print(found, output)


def _print(found: list[Any], output: str) -> None:
    from ..report.reproduction_views import reproduction_csv_table, reproduction_tables
    from .output import print_json, print_tables

    if output == "json":
        print_json([one.to_dict() for one in found])
    elif output == "csv":
        print_tables([reproduction_csv_table(one) for one in found], output)
    else:
        print_tables([table for one in found for table in reproduction_tables(one)], output)


def _list(output: str) -> None:
    from ..report.reproduction_views import experiments_table
    from .output import print_json, print_tables

    known = [EXPERIMENTS.load(name) for name in EXPERIMENTS]
    if output == "json":
        fields = ("id", "title", "reference", "files", "settings", "quick")
        print_json([{name: getattr(one, name) for name in fields} for one in known])
    else:
        print_tables([experiments_table(known)], output)
