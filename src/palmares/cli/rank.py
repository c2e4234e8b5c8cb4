"""``palmares rank``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..errors import InputError
from . import options
from .output import check_converged, show_groups


@click.command()
@options.input_options
@options.ranking_options
@click.option("--scale", type=click.Choice(["natural", "elo"]), help="Scale of bradley-terry scores.")
@click.option("--anchor", metavar="NAME=VALUE", help="Fix the score of one system of bradley-terry.")
@click.option("--by", metavar="FIELD", help="One ranking per value: judge, segment, or a column kept with --extra.")
@click.option("--largest-component", is_flag=True, help="Leave out systems that no judgment links to the most others.")
@click.option("--probabilities", is_flag=True, help="Also P(best), P(better) for every pair, stability of clusters.")
@click.option("--scan", is_flag=True, help="Stream the file straight to pair counts; for files larger than memory.")
@click.option(
    "--plot", type=click.Path(dir_okay=False), help="Draw the rank ranges to an .svg, .png, .pdf, .html or .json file."
)
@options.seed_option
@options.worker_options
@options.format_option
def rank(**arguments: Any) -> None:
    """Rank systems by human judgments.

    Prints, for every language pair, systems best first with cluster, rank range, score and its interval. Systems of
    different clusters have rank ranges that do not overlap.
    """  # fmt: skip
    # Before the files, so that a wrong setting is noticed at once.
    shorthand = {name: arguments[name] for name in ("scale", "anchor") if arguments[name] is not None}
    how = {**options.ranking_arguments(arguments, shorthand), "largest_component": arguments["largest_component"]}
    rankings = _scanned(arguments, how) if arguments["scan"] else _read(arguments, how)
    if arguments["plot"]:
        _plot(rankings, Path(arguments["plot"]))
    part = "probabilities" if arguments["probabilities"] else None
    show_groups("rank", rankings, arguments["output"], part=part)
    check_converged(ranking for ranking, _ in rankings)


def _read(arguments: dict[str, Any], how: dict[str, Any]) -> list[tuple[Any, Any]]:
    from ..ranking.rank import rank as rank_systems
    from .groups import groups

    found = []
    parts = list(groups(options.load(arguments), arguments["by"]))
    with options.progress_bar("resampling") as progress:
        for number, group in enumerate(parts):
            share = options.share_of(progress, number, len(parts))
            try:
                found.append((rank_systems(group.judgments, progress=share, **how), group.keys))
            except InputError as error:
                raise group.explain(error) from None
    return found


def _scanned(arguments: dict[str, Any], how: dict[str, Any]) -> list[tuple[Any, Any]]:
    from ..ingest.scan import scan_with_report
    from ..ranking.rank import rank as rank_systems
    from .groups import explain

    names = ("where", "exclude_judge", "exclude_system", "by", "extra", "collapse", "margin", "lower_is_better")
    changed = arguments["from_"] != "auto" or arguments["encoding"] != "utf-8"
    if changed or any(arguments[name] for name in names) or len(arguments["files"]) != 1:
        raise InputError(
            "--scan counts one whole file and sees no judges or segments; leave out --where, --exclude-…, --by, "
            "--extra, --collapse, --margin, --lower-is-better, --encoding and --from, or leave out --scan"
        )
    columns = options.keyed(arguments["columns"], "--column", empty=True)
    counts, report = scan_with_report(arguments["files"][0], columns=columns, strict=arguments["strict"])
    if report.dropped:
        click.echo(report.summary(), err=True)
    found: list[tuple[Any, Any]] = []
    for pair, part in counts.items():
        keys = (("lang_pair", pair),)
        try:
            found.append((rank_systems(part, **how), keys))
        except InputError as error:
            raise explain(error, keys) from None
    return found


def _plot(rankings: list[tuple[Any, Any]], path: Path) -> None:
    from ..report.plots.files import save
    from ..report.plots.ranges import rank_ranges

    for ranking, keys in rankings:
        value = "-".join(str(v) for _, v in keys if v is not None).replace("/", "_")
        target = path if len(rankings) == 1 else path.with_stem(f"{path.stem}-{value}")
        save(rank_ranges(ranking), target)
        click.echo(f"wrote {target}", err=True)
