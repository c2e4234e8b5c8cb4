"""``palmares simulate``."""

from __future__ import annotations

from typing import Any

import click

from . import options


@click.command()
@click.argument("target", metavar="TO")
@click.option("--systems", type=int, default=10, show_default=True)
@click.option("--rankings", type=int, default=600, show_default=True)
@click.option("--outputs", type=int, default=5, show_default=True, help="Outputs ranked at a time.")
@click.option("--judges", type=int, default=12, show_default=True)
@click.option("--segments", type=int, default=300, show_default=True)
@click.option(
    "--spread", type=float, default=10.0, show_default=True, help="Standard deviation of an output's quality."
)
@click.option("--tie-radius", type=float, default=2.0, show_default=True, help="Outputs this close are tied.")
@click.option("--judge-noise", type=float, default=0.0, show_default=True, help="Mean noise of a judge.")
@click.option("--lang-pair", default=None, help="Name of the language pair.")
@options.to_option
@options.seed_option
def simulate(target: str, to: str, seed: int, **plan: Any) -> None:
    """Make up a campaign whose truth is known, and write its judgments.

    Systems have mean qualities uniform on [0, 10]; judges rank outputs that scatter around them (Koehn 2012).
    The true qualities are printed, best first.
    """  # fmt: skip
    from ..ingest.files import write
    from ..planning.simulate import CampaignPlan
    from ..planning.simulate import simulate as make

    campaign = make(CampaignPlan(**plan), rng=seed)
    written = write(campaign.judgments, target, format=to)
    click.echo(f"wrote {len(campaign.judgments):,} judgments to {target} ({written}); true qualities:", err=True)
    for name, quality in sorted(campaign.quality.items(), key=lambda item: -item[1]):
        click.echo(f"{quality:6.3f}  {name}", err=True)
