"""``palmares simulate``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from ..results import counted
from . import options
from .help import Sectioned
from .plan_options import LANG_PAIR, PLAN_OPTIONS, settled, typed

if TYPE_CHECKING:
    from ..design.simulate import CampaignPlan
    from ..design.truth import Truth


@click.command(
    cls=Sectioned,
    leading={
        "What is simulated": ["like", "same_systems", "truth", "to", "lang_pair"],
    },
    examples=(
        "palmares simulate campaign.csv --systems 15 --rankings 2000 --truth truth.json",
        "palmares simulate next-year.csv --like examples/campaign.csv --rankings 3000",
    ),
)
@click.argument("target", metavar="TO")
@options.grouped("settings", dict, *PLAN_OPTIONS, LANG_PAIR)
@click.option("--like", metavar="FROM", help="Fit the plan to these judgments; settings given replace its own.")
@click.option("--same-systems", is_flag=True, help="With --like: the believed qualities of its systems, not new ones.")
@click.option("--truth", metavar="FILE", help="Also write the truth, to a .json or .csv file.")
@options.to_option
@options.seed_option
def simulate(
    target: str, settings: dict[str, Any], like: str | None, same_systems: bool, truth: str | None, to: str, seed: int
) -> None:
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
        if Path(truth).resolve() == Path(target).resolve():
            raise InputError(f"--truth: got {truth}, where the judgments are to go; name another file")
    if like is not None:
        plan = _fitted(like, settings, seed, same_systems=same_systems)
    elif same_systems:
        raise InputError("--same-systems: of which campaign? give its judgments with --like, too, or leave it out")
    else:
        plan = CampaignPlan(**settled(settings))
    campaign = make(plan, rng=seed)
    written = write(campaign.judgments, target, format=to)
    click.echo(
        f"wrote {counted(len(campaign.judgments), 'judgment')} to {target} ({written}); true qualities:", err=True
    )
    for name, quality in sorted(campaign.quality.items(), key=lambda item: -item[1]):
        click.echo(f"{quality:6.3f}  {name}", err=True)
    _tell(campaign.truth)
    if truth is not None:
        campaign.truth.write(truth)
        click.echo(f"wrote the truth to {truth}", err=True)


def _fitted(source: str, settings: dict[str, Any], seed: int, *, same_systems: bool) -> CampaignPlan:
    """A plan like that of the judgments, with what was given in place of its own settings; and how like it is."""
    from ..compute import Execution
    from ..design.likeness import plan_like
    from ..ingest.files import read

    judgments = read(source)
    given = typed(settings)
    if (pair := given.pop("lang_pair", None)) is not None:
        judgments = judgments.select(lang_pair=pair)
    with options.progress_bar("fitting") as progress:
        execution = Execution(seed=seed, progress=progress)
        like = plan_like(judgments, spacing=settings["spacing"], execution=execution)
    for line in like.lines():
        click.echo(line, err=True)
    return replace(like.with_its_systems if same_systems else like.plan, **settled(given))


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
