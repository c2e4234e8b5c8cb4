"""``palmares diff``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from . import options

if TYPE_CHECKING:
    from .groups import Keys


@click.command()
@click.argument("old", metavar="OLD.json")
@click.argument("new", metavar="NEW.json")
@click.option(
    "--shared",
    type=click.Choice(["none", "all"]),
    default="none",
    show_default=True,
    help="Whether the larger set of judgments contains the smaller one.",
)
@options.level_option
@options.format_option
def diff(old: str, new: str, shared: Any, p: float, output: str) -> None:
    """Say what changed between two rankings, and whether it is real.

    OLD.json and NEW.json are what `palmares rank --format json` printed. A change of score is real where chance does
    not explain it, whichever of the systems one looks at.
    """  # fmt: skip
    from ..analysis.diff import diff as compare
    from ..analysis.diff import read_published
    from ..report.change_views import changes_csv_table, changes_table
    from .groups import explain, title
    from .output import print_json, print_tables

    before, after = read_published(old), read_published(new)
    if not (both := [group for group in after if group in before]):
        raise InputError(
            f"the two files have no ranking of the same group; {old} has: {_named(before)}; {new} has: {_named(after)}"
        )
    for path, mine, others in ((old, before, after), (new, after, before)):
        if alone := [group for group in mine if group not in others]:
            click.echo(f"only in {path}: {_named(alone)}", err=True)
    found = []
    for group in both:
        try:
            found.append((compare(before[group], after[group], shared=shared, p=p), group))
        except InputError as error:
            raise explain(error, group) from None
    if output == "json":
        print_json([{**changes.to_dict(), "group": dict(group)} for changes, group in found])
    elif output == "csv":
        print_tables([changes_csv_table(changes, group) for changes, group in found], output)
    else:
        print_tables([changes_table(changes, title=title(group)) for changes, group in found], output)


def _named(groups: Iterable[Keys]) -> str:
    from .groups import title

    return "; ".join(title(group) or "a ranking without a language pair" for group in groups)
