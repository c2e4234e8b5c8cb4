"""``palmares simulate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from . import options

if TYPE_CHECKING:
    from ..design.simulate import CampaignPlan

#: The shape of a campaign that never happened; the defaults are those of `palmares.CampaignPlan`.
PLAN_OPTIONS = (
    click.option("--systems", type=int, default=10, show_default=True, help="Number of systems."),
    click.option("--rankings", type=int, default=600, show_default=True, help="Number of rankings."),
    click.option("--outputs", type=int, default=5, show_default=True, help="Outputs per ranking."),
    click.option("--judges", type=int, default=12, show_default=True, help="Number of judges, with equal shares."),
    click.option("--segments", type=int, default=300, show_default=True, help="Number of segments."),
    click.option("--spread", type=float, default=10.0, show_default=True,
                 help="Standard deviation of an output's quality."),
    click.option("--tie-radius", type=float, default=2.0, show_default=True, help="Outputs this close are tied."),
    click.option("--judge-noise", type=float, default=0.0, show_default=True, help="Mean noise of a judge."),
    click.option("--segment-effect", type=float, default=0.0, show_default=True,
                 help="Standard deviation of a system's luck on a segment."),
    click.option("--judge-effect", type=float, default=0.0, show_default=True,
                 help="Standard deviation of a judge's own preference for a system."),
    click.option("--position-effect", type=float, default=0.0, show_default=True,
                 help="Advantage of the output shown first over the last."),
)  # fmt: skip


def _plan(**values: Any) -> CampaignPlan:
    from ..design.simulate import CampaignPlan

    return CampaignPlan(**values)


plan_options = options.grouped("plan", _plan, *PLAN_OPTIONS)


@click.command()
@click.argument("target", metavar="TO")
@options.grouped(
    "plan", _plan, *PLAN_OPTIONS, click.option("--lang-pair", default=None, help="Name of the language pair.")
)
@options.to_option
@options.seed_option
def simulate(target: str, plan: CampaignPlan, to: str, seed: int) -> None:
    """Simulate a campaign with known true qualities, and write its judgments.

    Systems have mean qualities uniform on [0, 10]; judges rank outputs that scatter around them (Koehn 2012).
    The true qualities are printed, best first.
    """  # fmt: skip
    from ..design.simulate import simulate as make
    from ..ingest.files import write

    campaign = make(plan, rng=seed)
    written = write(campaign.judgments, target, format=to)
    click.echo(f"wrote {len(campaign.judgments):,} judgments to {target} ({written}); true qualities:", err=True)
    for name, quality in sorted(campaign.quality.items(), key=lambda item: -item[1]):
        click.echo(f"{quality:6.3f}  {name}", err=True)
