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
    from ..experiments.base import reproduce as run
    from .output import show

    if not names:
        show("experiments", [EXPERIMENTS.load(name) for name in EXPERIMENTS], output)
        return
    chosen = list(EXPERIMENTS) if "all" in names else list(dict.fromkeys(names))
    for name in chosen:
        EXPERIMENTS[name]  # a wrong name is refused before hours of work, not after
    found = []
    for name in chosen:
        with options.progress_bar(name) as progress:
            one = run(name, quick=quick, data=data, rng=seed, executor=executor, workers=workers, progress=progress)
        found.append(one)
        if output not in TOGETHER:
            click.echo("\n" if len(found) > 1 else "", nl=False)
            show("reproduce", [one], output)
    if output in TOGETHER:
        show("reproduce", found, output)
