"""A real campaign, measured: what a plan is fitted to and where the search starts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np
from scipy.special import ndtri

from ...compute import Execution, Stream
from ...errors import InputError
from ...judgments import FloatArray, Judgments
from ...models.by_name import create
from ...models.ordinal_fit import OrdinalFit
from ...ranking.rank import rank
from .features import Features, for_the_first
from .real_screens import RealScreens
from .shape import Shape

#: Random orders of the rankings that the real curve is a mean over.
_ORDERS = 30
#: Of campaigns with more judgments than this, whole rankings are drawn: answers are simulated hundreds of times.
_ENOUGH = 150_000


@dataclass(frozen=True)
class Beliefs:
    """What is believed of true scores.

    Attributes
    ----------
    draws
        (draws, systems) of true scores, relative to their mean.
    reliability
        The standard deviation of true scores over that of the estimated ones.
    signal
        The standard deviation of true scores over the scatter of an output.
    radius
        The tie width of the usual judge, over the scatter of an output.
    """

    draws: FloatArray = field(repr=False)
    names: tuple[str, ...]
    reliability: float
    signal: float
    radius: float

    @classmethod
    def of(cls, judgments: Judgments, execution: Execution) -> Beliefs:
        """From the ranking, with judges and segments allowed for, and the model that knows how judges differ."""
        ranking = rank(judgments, rng=execution.seed)
        assert ranking.beliefs is not None  # the default model has them
        assert ranking.fit.scores is not None
        draws = ranking.beliefs.scores - ranking.beliefs.scores.mean(axis=1, keepdims=True)
        reliability = float(draws.std(axis=1, ddof=1).mean() / np.std(ranking.fit.scores, ddof=1))
        place = cast(OrdinalFit, create("ordinal:link=probit").fit(judgments)).place
        # The unit of `ordinal` is the noise of two outputs.
        signal = 2**0.5 * float(np.std(place.theta, ddof=1)) * reliability
        radius = 0.0 if place.width is None else 2**0.5 * float(np.exp(place.width))
        return cls(draws, tuple(ranking.fit.systems), reliability, signal, radius)


@dataclass(frozen=True)
class RealCampaign:
    """All that a search needs to know of a campaign: ``shape`` is that of the whole, all else may be of a sample.

    ``place_slope`` is how much effect of position there is, over the scatter, for each unit of `Features.first`; None
    where no preference for a place can be told.
    """

    judgments: Judgments
    shape: Shape
    screens: RealScreens
    target: Features
    beliefs: Beliefs
    place_slope: float | None

    @classmethod
    def of(cls, judgments: Judgments, spacing: str, execution: Execution) -> RealCampaign:
        """Measure judgments of one language pair."""
        whole = judgments.without_forced_ties()
        shape = Shape.of(whole, spacing)
        if whole.has("weight"):
            whole = _unweighed(whole)
            shape = shape.noted("weights are left out: every judgment counts once, as in a simulated campaign")
        judgments = _sampled(whole, execution.generator(Stream.LIKENESS, 4))
        target = Features.of(judgments, _ORDERS, execution.generator(Stream.LIKENESS, 0))
        if target.curve[-1] == 0:
            raise InputError(
                "no two systems are significantly different (sign test, p ≤ .05), so nothing tells how far apart they "
                "are; give --spread and the other settings of a plan yourself"
            )
        slope = _place_slope(judgments, target, shape.plan.outputs)
        if len(judgments) < len(whole):
            shape = shape.noted(f"fitted to {len(judgments):,} of {len(whole):,} judgments, drawn as whole rankings")
        return cls(judgments, shape, RealScreens.of(judgments), target, Beliefs.of(judgments, execution), slope)


def _unweighed(judgments: Judgments) -> Judgments:
    """The judgments, each counting once; and nothing says any more that they were weighed."""
    origin = judgments.origin
    if origin is not None:
        kept = {name: value for name, value in origin.selection.items() if name != "weigh"}
        origin = replace(origin, selection=kept)
    return replace(judgments, frame=judgments.frame.drop("weight"), origin=origin)


def _sampled(judgments: Judgments, rng: np.random.Generator) -> Judgments:
    """The judgments, or those of so many rankings as are enough."""
    if len(judgments) <= _ENOUGH:
        return judgments
    unit = judgments.group_codes("ranking") if judgments.has("ranking") else np.arange(len(judgments))
    drawn = rng.random(int(unit.max()) + 1) < _ENOUGH / len(judgments)
    part = judgments.filter(drawn[unit])
    if len(part.systems) < len(judgments.systems) or len(part.counts.components()) > 1:
        return judgments  # a campaign whose systems are hardly linked needs all there are
    return part.with_origin(judgments.origin)


def _place_slope(judgments: Judgments, target: Features, outputs: int) -> float | None:
    if not np.isfinite(target.first):
        return None
    for_first = for_the_first(judgments)
    unit = judgments.group_codes("ranking") if judgments.has("ranking") else np.arange(len(judgments))
    error = float(np.sqrt((np.bincount(unit, for_first - for_first.mean()) ** 2).sum())) / len(judgments)
    if abs(target.first) < 2 * error:
        return None
    # How far apart two places drawn at random are, the first and the last being 1 apart.
    apart = (outputs + 1) / (3 * (outputs - 1))
    share = min(abs(target.first), 0.9)
    return float(2**0.5 * ndtri(0.5 + share / 2) / apart / share)
