"""``palmares simulate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from . import options
from .plan_options import LANG_PAIR, PLAN_OPTIONS, Sectioned, settled

if TYPE_CHECKING:
    from ..design.truth import Truth


@click.command(cls=Sectioned)
@click.argument("target", metavar="TO")
@options.grouped("settings", dict, *PLAN_OPTIONS, LANG_PAIR)
@click.option("--truth", metavar="FILE", help="Also write the truth, to a .json or .csv file.")
@options.to_option
@options.seed_option
def simulate(target: str, settings: dict[str, Any], truth: str | None, to: str, seed: int) -> None:
    """Simulate a campaign with known true qualities, and write its judgments.

    Systems have mean qualities uniform on [0, 10]; judges rank outputs that scatter around them (Koehn 2012). All else
    is off unless asked for. The true qualities are printed, best first.
    """  # fmt: skip
    from ..design.simulate import CampaignPlan
    from ..design.simulate import simulate as make
    from ..design.truth import check_place
    from ..ingest.files import write

    if truth is not None:
        check_place(truth)
    campaign = make(CampaignPlan(**settled(settings)), rng=seed)
    written = write(campaign.judgments, target, format=to)
    click.echo(f"wrote {len(campaign.judgments):,} judgments to {target} ({written}); true qualities:", err=True)
    for name, quality in sorted(campaign.quality.items(), key=lambda item: -item[1]):
        click.echo(f"{quality:6.3f}  {name}", err=True)
    _tell(campaign.truth)
    if truth is not None:
        campaign.truth.write(truth)
        click.echo(f"wrote the truth to {truth}", err=True)


def _tell(truth: Truth) -> None:
    """What else there is to know of a campaign with lazy or reversed judges, or with styles."""
    for word in ("lazy", "reversed"):
        if who := [name for name, is_it in zip(truth.judge_names, getattr(truth.judges, word), strict=True) if is_it]:
            click.echo(f"{word}: {', '.join(who)}", err=True)
    if (cyclic := truth.intransitivity) is not None:
        click.echo(
            f"styles: true preferences go round in {cyclic.cycles} of {cyclic.triples} triples of systems; no scores "
            f"explain {100 * cyclic.unexplained:.1f} % of their squares",
            err=True,
        )
