"""What a plan takes for granted, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...judgments import LEAST_UNITS
from ...results import counted
from .usual import MEASURED, USUAL

if TYPE_CHECKING:
    from .result import Plan

#: What a plan counts as separated.
BOUNDS_WORDS = {
    "marginal": "clusters and ranges that hold one by one, as `palmares rank` shows them",
    "joint": "clusters and ranges that hold all at once (`palmares rank --joint`)",
    "any": "boundaries that hold however often one looks (`palmares rank --looks any`)",
}


def notes_of(plan: Plan, begun: Sequence[str], read: Sequence[str]) -> tuple[str, ...]:
    """Every assumption, in the order in which it matters."""
    return (*read, *_shape(plan), *begun, *_bounds(plan), *_truth(plan), *_work(plan), *_time(plan))


_SPACED = {
    "uniform": "uniform between 0 and",
    "even": "equally far apart between 0 and",
    "normal": "normal, with the standard deviation of uniform ones between 0 and",
}


def _shape(plan: Plan) -> list[str]:
    """What a campaign that has not begun is taken to be like, and which of it nobody said."""
    campaign = plan.campaign
    if campaign is None:
        return []
    apart = f"{_SPACED[campaign.spacing]} {campaign.quality_range:g}"
    given, grouped = "that were given", f"of {len(campaign.groups)} groups {apart}"
    truth = given if campaign.qualities else grouped if campaign.groups else apart
    text = (
        f"assumed is a campaign of {campaign.systems} systems, {counted(plan.judges, 'judge')} and "
        f"{counted(plan.segments, 'segment')}; true qualities {truth}; standard deviations of "
        f"{campaign.spread:g} of outputs, {campaign.judge_effect:g} of what each judge and "
        f"{campaign.segment_effect:g} of what each segment adds to a system; ties within {campaign.tie_radius:g}"
    )
    unsaid = [name for name in MEASURED if getattr(campaign, name) == getattr(USUAL, name)]
    if not unsaid:
        return [text]
    options = ", ".join(f"--{name.replace('_', '-')}" for name in unsaid)
    return [
        f"{text}. Defaults, about as measured on WMT13 French-English: {options}; how far qualities are apart decides "
        "most, and --like FILE takes all of these from an earlier campaign"
    ]


def _bounds(plan: Plan) -> list[str]:
    if plan.target.kind == "best" and plan.target.value is not None:
        return []
    notes = [f"counted are {BOUNDS_WORDS[plan.bounds]}, by bradley-terry with the uncertainty of judges and segments"]
    if plan.bounds != "any":
        notes.append(
            "this is for one look at the end; a campaign that is looked at again and again, stops by what is seen, or "
            "chooses comparisons actively needs the boundaries of --looks any"
        )
    return notes


def _truth(plan: Plan) -> list[str]:
    drawn = (
        "true scores, and what judges and segments add, are drawn from what the judgments so far leave open"
        if plan.done
        else "true qualities are drawn anew in every campaign, as the plan spaces them"
    )
    return [
        f"{drawn}; scores of {plan.campaigns} campaigns are drawn from the normal distribution around them, not "
        "judgment by judgment, and systems are shown equally often"
    ]


def _work(plan: Plan) -> list[str]:
    notes = []
    if plan.done:
        notes.append(
            "further rankings are shared by these judges as so far, and with any new ones, who are like them and share "
            "theirs as unevenly; the same for segments"
        )
    if plan.judges < LEAST_UNITS:
        notes.append(
            f"with fewer than {LEAST_UNITS} judges a ranking cannot allow for other judges: what is separated then is "
            "so for these judges"
        )
    if plan.done == 0 and (both := overlap(plan)):
        notes.append(both)
    return notes


def overlap(plan: Plan) -> str | None:
    """How many judgments two judges would both make, which is what agreement is measured on."""
    rankings = plan.needed.rankings
    if rankings is None or plan.judges < 2:
        return None
    pairs, systems = plan.comparisons, plan.systems * (plan.systems - 1) / 2
    same = rankings * (rankings - 1) / 2 / plan.segments * pairs**2 / systems * (1 - 1 / plan.judges)
    if same < 1:
        return (
            "with segments given out at random, hardly any two judges compare the same outputs, so that agreement "
            "cannot be measured"
        )
    points = 100 * 1.96 * 0.5 / same**0.5
    known = "to less than a point" if points < 1 else f"to ± {min(points, 50.0):.0f} points"
    return (
        f"with segments given out at random, about {float(f'{same:.2g}'):,.0f} times two judges compare the same two "
        f"outputs, so that the share on which they agree is known {known}, if answers are independent"
    )


def _time(plan: Plan) -> list[str]:
    seconds = plan.seconds
    training = plan.record.facts["training"]
    sources = {
        "given": f"a ranking takes {seconds.value:g} seconds (--seconds)",
        "assumed": f"a ranking is assumed to take {seconds.value:g} seconds (--seconds says otherwise)",
        "measured": f"a ranking takes {seconds.value:.0f} seconds: the medians of {seconds.judges} judges, averaged by "
        "their work",
    }
    return [f"{sources[seconds.source]}, and every new judge {training:g} minutes to begin (--training)"]
