"""``palmares convert``."""

from __future__ import annotations

from dataclasses import replace

import click

from . import inputs as reading
from . import options
from .help import Sectioned


@click.command(
    cls=Sectioned,
    examples=(
        "palmares convert examples/campaign.csv judgments.jsonl",
        "palmares convert examples/campaign.csv judgments.parquet --where 'judge!=judge-04'",
        "palmares convert examples/campaign.csv - --to pairwise > pairs.csv",
    ),
)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@reading.reading_options
@options.to_option
@options.drop_option
@options.formulas_option("keep")
def convert(source: str, target: str, inputs: reading.Inputs, to: str, drop: str, formulas: str) -> None:
    """Read judgments in one format and write them in another.

    The extension of TO gives the format (.csv, .tsv, .jsonl, .parquet, .xml, .toc, …; add .gz or .zst to compress);
    "-" is standard input or output. Writing to a format that cannot hold everything is refused unless --drop allows it.
    """  # fmt: skip
    from ..campaign.safe_rows import safe_rows
    from ..ingest.base import described, features, unmarked
    from ..ingest.files import write
    from ..judgments import Judgments, settle_forced_ties

    # The target holds the marks, or refuses: only who asks for it loses forced ties.
    judgments = settle_forced_ties(replace(inputs, files=(source,)).read(), "auto", "keep")
    if formulas != "keep":
        judgments = Judgments.from_rows(safe_rows(judgments.to_rows(), target, formulas), judgments.origin)
    unwanted = [name.strip() for name in drop.split(",") if name.strip()]
    written = write(judgments, target, format=to, drop=unwanted)
    gone = unmarked(judgments, set(unwanted))
    amount = f"{len(judgments) - gone:,} judgments of {len(judgments.systems)} systems"
    click.echo(f"wrote {amount} to {target} ({written})", err=True)
    if gone:
        click.echo(
            f"{gone:,} judgments of judges who are left out are not written: without extra columns nothing would mark "
            "them",
            err=True,
        )
    dropped = [described(judgments, feature) for feature in sorted(features(judgments)) if feature in unwanted]
    if dropped:
        click.echo(f"not written, as --drop asks: {'; '.join(dropped)}", err=True)
    for note in judgments.notes:
        click.echo(f"note: {note}", err=True)
