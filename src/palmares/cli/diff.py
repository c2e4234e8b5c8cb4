"""``palmares diff``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from ..errors import InputError
from . import options
from .help import Sectioned
from .inputs import explained

if TYPE_CHECKING:
    from ..analysis.diff import Judges, Shared
    from ..report.tables import Group


@click.command(
    cls=Sectioned,
    examples=(
        "palmares rank examples/campaign.csv --format json > all.json",
        "palmares rank examples/campaign.csv --exclude-judge judge-04 --format json > without.json",
        "palmares diff all.json without.json --shared all",
        "palmares diff last-year.json this-year.json --judges same",
    ),
)
@click.argument("old", metavar="OLD.json")
@click.argument("new", metavar="NEW.json")
@click.option(
    "--shared",
    type=options.Vocabulary("palmares.analysis.diff:SHARED"),
    default="none",
    show_default=True,
    help="all: the larger set of judgments contains the smaller one. none: treat them as separate.",
)
@click.option(
    "--judges",
    type=options.Vocabulary("palmares.analysis.diff:JUDGES"),
    default="other",
    show_default=True,
    help="same: the same people judged both. other: a change must hold for other judges too.",
)
@options.level_option
@options.printing_options
def diff(old: str, new: str, shared: Shared, judges: Judges, p: float, printing: options.Printing) -> None:
    """Show what changed between two rankings, and whether it is real.

    OLD.json and NEW.json are what `palmares rank --format json` printed. A change in score is real if chance
    does not explain it, corrected for the number of systems.
    """  # fmt: skip
    from ..analysis.diff import diff as compare
    from ..analysis.published import read_published
    from ..report.tables import Grouped

    before, after = read_published(old), read_published(new)
    if not (both := [group for group in after if group in before]):
        raise InputError(
            f"the two files have no ranking of the same group; {old} has: {_named(before)}; {new} has: {_named(after)}"
        )
    for path, mine, others in ((old, before, after), (new, after, before)):
        if alone := [group for group in mine if group not in others]:
            click.echo(f"only in {path}: {_named(alone)}", err=True)
    changes = []
    for group in both:
        with explained(group):
            changes.append(Grouped(compare(before[group], after[group], shared=shared, judges=judges, p=p), group))
    printing.show("diff", changes)


def _named(groups: Iterable[Group]) -> str:
    from ..report.tables import group_title

    return "; ".join(group_title(group) or "a ranking without a language pair" for group in groups)
