"""The options of a simulated campaign's plan, in sections; the defaults are those of `palmares.CampaignPlan`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from . import options
from .help import section

if TYPE_CHECKING:
    from ..design.simulate import CampaignPlan


class Numbers(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.2
    """Numbers joined by commas, as a tuple."""

    def __init__(self, kind: Callable[[str], float], name: str) -> None:
        self._kind, self.name = kind, name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        if isinstance(value, tuple | list):
            return tuple(value)
        try:
            return tuple(self._kind(part) for part in value.split(","))
        except ValueError:
            self.fail(f"{value!r} is not {self.name} joined by commas, such as 3,3,4", param, ctx)


def _number(name: str, default: float, text: str) -> Callable[..., Any]:
    return click.option(f"--{name}", type=type(default), default=default, show_default=True, help=text)


def _numbers(name: str, kind: Callable[[str], float], word: str, text: str) -> Callable[..., Any]:
    return click.option(f"--{name}", type=Numbers(kind, word), default=(), metavar="N,N,…", help=text)


_SPACING = "palmares.design.campaign_plan:SPACINGS"
_STYLE_OF = "palmares.design.campaign_plan:STYLES_OF"

#: By the heading that they have in the help of a command with many options.
SECTIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    "Size": (
        _number("systems", 10, "Number of systems."),
        _number("rankings", 600, "Number of rankings."),
        _number("outputs", 5, "Outputs per ranking; 2 for pairs."),
        _number("judges", 12, "Number of judges."),
        _number("segments", 300, "Number of segments."),
    ),
    "Systems": (
        click.option("--spacing", type=options.Vocabulary(_SPACING), default="uniform", show_default=True,
                     help="How mean qualities, or those of groups, are spaced."),
        _number("quality-range", 10.0,
                "Mean qualities are between 0 and this; normal ones have the same mean and deviation."),
        _numbers("groups", int, "whole numbers", "Sizes of groups of equal systems, such as 3,3,4; --systems follows."),
        _number("group-spread", 0.0, "Standard deviation of systems around their group's quality."),
        _numbers("qualities", float, "numbers", "The mean qualities themselves, by system; --systems follows."),
        _number("style-effect", 0.0, "Standard deviation of what a system's style adds: preferences that go round."),
        click.option("--style-of", type=options.Vocabulary(_STYLE_OF), default="segment", show_default=True,
                     help="What asks for a style."),
    ),
    "Outputs and segments": (
        _number("spread", 10.0, "Standard deviation of an output's quality."),
        _number("tie-radius", 2.0, "Outputs this close are tied."),
        _number("segment-effect", 0.0, "Standard deviation of a system's luck on a segment."),
        _number("difficulty-spread", 0.0,
                "Standard deviation of the log of a segment's difficulty: how much it shrinks differences."),
        _number("position-effect", 0.0, "Advantage of the output shown first over the last."),
    ),
    "Judges": (
        _number("work", 0.0, "Judge k does work in proportion to 1/k to the power of this; 0: equal shares."),
        _number("judge-noise", 0.0, "Mean noise of a judge."),
        _number("judge-effect", 0.0, "Standard deviation of a judge's own preference for a system."),
        _number("sensitivity-spread", 0.0,
                "Standard deviation of the log of how strongly a judge sees differences of quality."),
        _number("tie-spread", 0.0, "Standard deviation of the log of a judge's own tie radius."),
        _number("lazy-judges", 0.0, "Share of judges who answer at random."),
        _number("lazy-answers", 1.0, "Share of a lazy judge's answers that are random."),
        _number("reversed-judges", 0.0, "Share of judges who take better for worse."),
    ),
}  # fmt: skip
LANG_PAIR = click.option("--lang-pair", default=None, help="Name of the language pair.")
PLAN_OPTIONS = tuple(section(title, option) for title, options in SECTIONS.items() for option in options)


def typed(values: dict[str, Any]) -> dict[str, Any]:
    """Those of a command's values that somebody gave, rather than left to their defaults."""
    source = click.get_current_context().get_parameter_source
    return {name: value for name, value in values.items() if source(name) != click.core.ParameterSource.DEFAULT}


def settled(values: dict[str, Any]) -> dict[str, Any]:
    """With the number of systems that groups or qualities say, unless it was given."""
    number = len(values.get("qualities", ())) or sum(values.get("groups", ()))
    return {**values, "systems": number} if number and "systems" not in typed({"systems": None}) else values


def _plan(**values: Any) -> CampaignPlan:
    from ..design.simulate import CampaignPlan

    return CampaignPlan(**settled(values))


plan_options = options.grouped("plan", _plan, *PLAN_OPTIONS)


def name_of(option: Callable[..., Any]) -> str:
    """What a decorator's option is called."""

    def nothing() -> None: ...

    (parameter,) = option(nothing).__click_params__
    return str(parameter.name)
