"""``palmares rank``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from ..errors import InputError
from . import inputs as reading
from . import options
from .help import Sectioned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..compute import Execution
    from ..design.targets import Target
    from ..judgments import Judgments, Kept, PairCounts
    from ..ranking.result import Ranking
    from ..report.tables import Group, Grouped


def _part(probabilities: bool, pairs: bool) -> str | None:
    """What is printed beside the ranking."""
    if probabilities and pairs:
        raise InputError("--probabilities and --pairs are two tables of every two systems; ask for one at a time")
    return "probabilities" if probabilities else "pairs" if pairs else None


@dataclass(frozen=True)
class Ahead:
    """What is to be said of further judgments: nothing, when boundaries will hold, or a target too."""

    wanted: bool
    target: Target | None = None

    def of(self, rankings: list[Grouped[Ranking]]) -> list[Grouped[Ranking]]:
        """The rankings with their forecasts."""
        if not self.wanted:
            return rankings
        from ..design.forecast import forecast_of

        return [
            replace(each, result=replace(each.result, forecast=forecast_of(each.result, self.target)))
            for each in rankings
        ]


def _ahead(forecast: bool, target: str | None) -> Ahead:
    """From what was typed; a target that is none is refused before anything is read."""
    if target is None:
        return Ahead(forecast)
    from ..design.targets import Target

    return Ahead(True, Target.parse(target))


@click.command(
    cls=Sectioned,
    leading={
        "What is shown": ["probabilities", "pairs", "joint", "forecast", "target"],
    },
    examples=(
        "palmares rank examples/campaign.csv",
        "palmares rank examples/campaign.csv --plot ranks.svg",
        "palmares rank examples/campaign.csv --pairs --forecast --target pairs=0.8",
        "palmares rank examples/campaign.csv --where 'judge!=judge-04' --format json > ranking.json",
    ),
)
@reading.input_options
@options.all_ranking_options
@click.option("--largest-component", is_flag=True, help="Rank only the largest group of systems that judgments link.")
@options.grouped(
    "part", _part,
    click.option("--probabilities", is_flag=True,
                 help="Also print P(best), P(better) for every pair, stability of clusters."),
    click.option("--pairs", is_flag=True,
                 help="Also list every two systems: difference of scores, P(better), and whether they are separated."),
)  # fmt: skip
@click.option(
    "--joint", is_flag=True, help="Show ranges and clusters that hold for all systems at once, not each by itself."
)
@options.grouped(
    "ahead", _ahead,
    click.option("--forecast", is_flag=True,
                 help="Also say about how many more judgments each open boundary needs until it holds at every look."),
    click.option("--target", metavar="TARGET",
                 help="Forecast when this is reached: pairs=0.8, clusters=5, widest=3 or best."),
)  # fmt: skip
@click.option("--scan", is_flag=True, help="Stream the file to pair counts, for files larger than memory.")
@options.execution_options
@options.drawing_options
def rank(
    inputs: reading.Inputs,
    ranking: options.RankingOptions,
    largest_component: bool,
    part: str | None,
    joint: bool,
    ahead: Ahead,
    scan: bool,
    execution: Execution,
    printing: options.Printing,
) -> None:
    """Rank systems by human judgments.

    Prints, for every language pair, the systems, best first, with cluster, rank range, score and its interval. Systems
    in different clusters have rank ranges that do not overlap. A solid line between clusters holds jointly with the
    other solid ones, a dashed one only by itself.
    """  # fmt: skip
    groups: Mapping[Group, Judgments | PairCounts] = (
        _scanned(inputs, ranking.model.forced_ties) if scan else inputs.groups()
    )
    rankings = reading.for_each(
        groups,
        execution,
        "resampling",
        lambda data, place: _ranked(ranking, data, place, largest_component=largest_component),
    )
    rankings = ahead.of(rankings)
    if joint:
        rankings = [replace(each, result=each.result.shown_jointly()) for each in rankings]
    if printing.plot is not None:
        from ..report.plots.ranges import rank_ranges

        printing.draw(rankings, rank_ranges)
    printing.show("rank", rankings, part)
    options.check_converged(each.result for each in rankings)


def _ranked(
    ranking: options.RankingOptions, data: Judgments | PairCounts, execution: Execution, *, largest_component: bool
) -> Ranking:
    """One ranking; by the default model, with a note where one that knows the judges predicts better."""
    from ..judgments import PairCounts
    from ..models import DEFAULT_MODEL
    from ..ranking.judge_aware import judge_aware_note

    result = ranking.rank(data, execution, largest_component=largest_component)
    if ranking.model.id != DEFAULT_MODEL or isinstance(data, PairCounts):
        return result
    note = judge_aware_note(data.without_forced_ties(), ranking.model, execution)
    return replace(result, notes=(*result.notes, note)) if note else result


def _scanned(inputs: reading.Inputs, forced_ties: Kept) -> dict[Group, PairCounts]:
    """Pair counts by language pair, streamed from one file; with forced ties or without, as the model has it."""
    from ..ingest.scan import scan_with_report

    changed = inputs.from_ != "auto" or inputs.encoding != "utf-8" or inputs.by or len(inputs.files) != 1
    picked = inputs.where or inputs.exclude_judge or inputs.exclude_system or inputs.extra or inputs.rename
    if (
        changed
        or picked
        or inputs.short_names
        or inputs.collapse
        or inputs.margin
        or inputs.lower_is_better
        or inputs.weigh
    ):
        raise InputError(
            "--scan counts one whole file and sees no judges or segments; leave out --where, --exclude-…, --by, "
            "--rename, --short-names, --extra, --collapse, --margin, --lower-is-better, --weigh, --encoding and "
            "--from, or leave out --scan"
        )
    kept = forced_ties if inputs.forced_ties == "auto" else inputs.forced_ties
    counts, report = scan_with_report(inputs.files[0], inputs.options, kept)
    if report.dropped:
        click.echo(report.summary(), err=True)
    return {(("lang_pair", pair),): part for pair, part in counts.items()}
