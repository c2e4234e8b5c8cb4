"""How many rankings a target takes: the measure over numbers of rankings, and where it gets there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...judgments import BoolArray, FloatArray
from ..targets import Target
from .bounds import Bounds, Noise, measured
from .prospects import Prospect, Staff

#: More rankings than anybody will collect; the measure there is what judges and segments leave possible.
ENDLESS = 1e12
#: Beyond so many rankings, a target counts as out of reach.
MOST = 1e8
#: A first search takes so many campaigns at looks that are so many times as far.
_FIRST_CAMPAIGNS, _FIRST_STEP = 80, 2.0
#: Resamples of campaigns, for how far an answer is off by chance.
_RESAMPLES = 200
#: Where the sampling of rankings adds no more than a tenth to a standard error.
_ENOUGH = 0.9**2


@dataclass(frozen=True)
class Question:
    """What is asked of every campaign: the target, which boundaries count, at which level, and how sure to be.

    Attributes
    ----------
    sure
        The share of campaigns that are to reach the target; None: they are to reach it on average.
    """

    target: Target
    bounds: Bounds
    p: float
    sure: float | None
    noise: Noise = field(repr=False)

    @property
    def rises(self) -> bool:
        """Whether the measure rises with the number of rankings."""
        return self.target.kind != "widest"

    def of(self, bounds: Bounds) -> Question:
        """The same of other boundaries."""
        return replace(self, bounds=bounds)


@dataclass(frozen=True)
class Curve:
    """The measure at every look, in every campaign: arrays (looks) and (campaigns, looks). The last look is endless."""

    question: Question
    staff: Staff
    looks: FloatArray
    values: FloatArray = field(repr=False)
    met: BoolArray = field(repr=False)

    @property
    def limit(self) -> float:
        """What the mean comes to with any number of rankings by the same judges, of the same segments."""
        return float(self.values[:, -1].mean())

    @property
    def limit_sure(self) -> float:
        """The share of campaigns that ever reach the target so."""
        return float(self.met[:, -1].mean())

    def needed(self, weights: FloatArray | None = None) -> float:
        """Rankings to the target, as it was asked for; inf if there is no such number.

        Parameters
        ----------
        weights
            How often each campaign counts.
        """
        target = self.question.target
        if self.question.sure is not None:
            return self.reached(self.question.sure, weights)
        if target.value is None:
            return self.reached(0.5, weights)
        means = _mean(self.values, weights)
        return self._crossing(means, target.value) if self.question.rises else self._crossing(-means, -target.value)

    def reached(self, share: float, weights: FloatArray | None = None) -> float:
        """Rankings after which this share of campaigns shows the target."""
        return self._crossing(_mean(self.met, weights), share)

    def interval(self, rng: np.random.Generator) -> tuple[float, float]:
        """95 % of the answers that as many other campaigns would give."""
        campaigns = len(self.values)
        drawn = rng.multinomial(campaigns, np.full(campaigns, 1 / campaigns), _RESAMPLES) / campaigns
        answers = np.sort([self.needed(weights) for weights in drawn])
        cut = round(0.025 * _RESAMPLES)
        return float(answers[cut]), float(answers[-1 - cut])

    def _crossing(self, means: FloatArray, level: float) -> float:
        """Where a curve, made to rise, first reaches a level; between looks by the logarithm of their numbers."""
        from scipy.optimize import isotonic_regression

        means, level = isotonic_regression(means).x, level - 1e-9
        k = int(np.argmax(means >= level))
        if means[k] < level or self.looks[k] >= MOST:
            return float("inf")
        if k == 0:
            return float(self.looks[0])
        before, after = self.looks[k - 1 : k + 1]
        part = (level - means[k - 1]) / (means[k] - means[k - 1])
        return float(max(before, 0.5) * (after / max(before, 0.5)) ** part)


def _mean(values: FloatArray | BoolArray, weights: FloatArray | None) -> FloatArray:
    return np.asarray(values.mean(axis=0) if weights is None else weights @ values)


def curve(prospect: Prospect, staff: Staff, question: Question, looks: Sequence[float]) -> Curve:
    """The measure at these looks, and without an end."""
    ends = [*looks, ENDLESS]
    each = [measured(prospect.states(look, staff), question.target, question.bounds, question.noise, question.p)
            for look in ends]  # fmt: skip
    values, met = (np.stack([getattr(one, name) for one in each], axis=1) for name in ("values", "met"))
    return Curve(question, staff, np.array(ends), values, met)


def search(
    prospect: Prospect, staff: Staff, question: Question, *, number: int, begin: float, also: Sequence[float] = ()
) -> Curve:
    """The measure where it matters: a first search says where, and ``number`` looks say what.

    Parameters
    ----------
    begin
        The first look.
    also
        More looks.
    """
    few = prospect.fewer(_FIRST_CAMPAIGNS)
    steps = np.arange(np.log(MOST / max(begin, 1.0)) / np.log(_FIRST_STEP))
    rough = curve(few, staff, question, [*(max(begin, 1.0) * _FIRST_STEP**steps)])
    low, high = _span(rough)
    looks = np.unique(np.round([*np.geomspace(low, high, number), *also, begin]))
    return curve(prospect, staff, question, looks.tolist())


def _span(rough: Curve) -> tuple[float, float]:
    """From where few campaigns have reached the target to where nearly all have, or where nothing more comes."""
    answers = [rough.needed(), rough.reached(0.05), rough.reached(0.95)]
    known = [answer for answer in answers if np.isfinite(answer)]
    means = rough.values.mean(axis=0)
    # Where the mean has come to within a fiftieth of its way to the limit.
    near = np.abs(means - means[-1]) <= 0.02 * max(np.ptp(means), 1e-9)
    flat = float(rough.looks[int(np.argmax(near))])
    high = max(known) if len(known) == len(answers) else max([*known, min(flat, MOST)])
    low = min(known, default=max(high / 500, rough.looks[0]))
    return max(low / 2, rough.looks[0]), min(max(high * 1.5, 2 * low), MOST)


def no_use_beyond(prospect: Prospect, staff: Staff) -> float:
    """Rankings from which on more by the same judges, of the same segments, make errors at most a tenth smaller."""
    least = prospect.variance(ENDLESS, staff)
    low, high = 0.0, float(np.log(MOST))
    if least < _ENOUGH * prospect.variance(MOST, staff):
        return float("inf")
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if least >= _ENOUGH * prospect.variance(np.exp(middle), staff) else (middle, high)
    return float(np.exp(high))
