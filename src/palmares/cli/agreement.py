"""``palmares agreement``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ..errors import InputError
from . import options


@click.command()
@options.input_options
@click.option("--judges", is_flag=True, help="Also compare each judge with all the others.")
@click.option(
    "--counting",
    type=click.Choice(["all-pairs", "wmt16", "two-judges"]),
    default="all-pairs",
    show_default=True,
    help="What is counted; the others are those of published figures.",
)
@click.option("--as-published", is_flag=True, help="The same as --counting wmt16.")
@click.option(
    "--resamples", type=click.IntRange(0), default=1000, show_default=True, help="Bootstrap samples; 0: no intervals."
)
@options.level_option
@options.seed_option
@options.worker_options
@options.format_option
def agreement(as_published: bool, **arguments: Any) -> None:
    """Say how far judges agree with each other and with themselves.

    For every language pair: Cohen's kappa between judges (inter) and of judges with themselves (intra), with an
    interval from resampled segments, and Krippendorff's alpha. Judgments are compared where two systems were judged
    on the same segment more than once.
    """  # fmt: skip
    if as_published and arguments["counting"] == "two-judges":
        raise InputError("--as-published is --counting wmt16, and --counting two-judges was given too; leave one out")
    found = _measured({**arguments, "counting": "wmt16"} if as_published else arguments)
    _print(found, arguments["judges"], arguments["p"], arguments["output"])


def _measured(arguments: dict[str, Any]) -> list[Any]:
    from ..analysis.agreement import agreement as measure
    from ..compute import Execution
    from .groups import groups

    names = ("judges", "counting", "resamples", "p")
    how = {name: arguments[name] for name in names}
    if arguments["counting"] == "wmt16" and _pairs_in_file_order(arguments):
        arguments = {**arguments, "extra": (*arguments["extra"], "system1Id")}
    found = []
    parts = list(groups(options.load(arguments), None))
    with options.progress_bar("resampling") as progress:
        for number, group in enumerate(parts):
            share = options.share_of(progress, number, len(parts))
            execution = Execution(arguments["executor"], arguments["workers"], share)
            try:
                found.append(measure(group.judgments, rng=arguments["seed"], execution=execution, **how))
            except InputError as error:
                raise group.explain(error) from None
    return found


def _pairs_in_file_order(arguments: dict[str, Any]) -> bool:
    """Whether all files are of the format that has no positions, so that the order must be kept by other means."""
    from ..ingest.files import detect
    from ..ingest.source import load
    from ..ingest.stores import is_url

    files: Sequence[str] = arguments["files"]
    if "system1Id" in arguments["extra"] or "-" in files or arguments["from_"] not in ("auto", "wmt-pairwise"):
        return False
    if any(map(is_url, files)):
        return False
    return all(detect(load(file, encoding=arguments["encoding"])).id == "wmt-pairwise" for file in files)


def _print(found: list[Any], judges: bool, p: float, output: str) -> None:
    from ..report import agreement_views as views
    from .output import print_json, print_tables

    if output == "json":
        print_json([each.to_dict() for each in found])
    elif output == "csv":
        view = views.judges_csv_table if judges else views.agreement_csv_table
        print_tables([view(each) for each in found], output)
    else:
        tables = [views.judges_table(each, p=p) for each in found] if judges else []
        print_tables([views.agreement_table(found, p=p), *tables], output)
