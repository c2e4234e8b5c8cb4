"""How many more judgments until what is open is closed: each boundary of a ranking, and a target.

`futures` draws what may come, and asks the rule that holds at every look (`ranking.anytime`) at a few dozen numbers of
judgments. So a forecast knows that the order may turn, that luck may run on, that a boundary claimed makes the next one
easier, and that equals may never be told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..compute import RngLike, Stream
from ..compute.streams import generator, seed_of
from ..errors import InputError
from ..judgments import BoolArray, FloatArray
from ..ranking import anytime
from ..ranking.anytime import RHO, Claims
from ..ranking.looks import rho_of
from ..ranking.result import Ranking
from .futures import MANY, State, across, as_so_far
from .targets import Target

#: Of the intervals.
LEVEL = 0.8
#: Beyond so many times the judgments that there are, nothing is forecast.
HORIZON = 50.0
#: Numbers of further judgments that are tried, from a two-hundredth of those there are to the horizon.
_STEPS = 40
_FIRST = 0.005
#: Multiples of it lie evenly between whole numbers.
_GOLDEN = 0.6180339887498949
#: Draws of the truth and of what comes, of few and of many systems.
_DRAWS, _FEWER = 120, 60


@dataclass(frozen=True)
class Need:
    """How many more judgments until something is shown; infinite where that is beyond the horizon.

    Attributes
    ----------
    above, below
        The two neighbours to separate (codes); None for a target. A target that is met needs 0 more.
    median, low, high
        Of the number of further judgments; ``low`` and ``high`` are the ends of an interval of level `LEVEL`.
    never
        How likely more are needed than the horizon.
    """

    median: float
    low: float
    high: float
    never: float
    above: int | None = None
    below: int | None = None

    def to_dict(self, systems: Sequence[str]) -> dict[str, Any]:
        """The documented JSON shape; null for more than the horizon."""
        numbers = {name: _whole(getattr(self, name)) for name in ("median", "low", "high")}
        named = {} if self.above is None or self.below is None else {
            "above": systems[self.above], "below": systems[self.below]
        }  # fmt: skip
        return {**named, **numbers, "never": round(self.never, 3)}


@dataclass(frozen=True)
class Forecast:
    """What further judgments are expected to show.

    ``boundaries`` are the open ones, best first. With ``others`` they are forecast a second time, as if all further
    judgments came from other judges on other segments; None where nothing is known of what judgments share.
    ``aim`` says what is true once the target is met. ``dedicated``, if asked for, are the same boundaries, each as if
    nothing were asked any more but comparisons across it.
    """

    judgments: int
    horizon: int
    boundaries: tuple[Need, ...]
    target: Need | None = None
    aim: str | None = None
    others: Forecast | None = field(default=None, repr=False)
    dedicated: tuple[Need, ...] | None = None
    level: float = LEVEL

    def to_dict(self, systems: Sequence[str]) -> dict[str, Any]:
        """The documented JSON shape, with the names of the systems by code."""
        return {
            "judgments": self.judgments,
            "horizon": self.horizon,
            "level": self.level,
            "boundaries": [need.to_dict(systems) for need in self.boundaries],
            "target": None if self.target is None else {"aim": self.aim, **self.target.to_dict(systems)},
            "dedicated": None if self.dedicated is None else [need.to_dict(systems) for need in self.dedicated],
            "others": None if self.others is None else self.others.to_dict(systems),
        }


def forecast(
    scores: FloatArray,
    covariance: FloatArray,
    judgments: int,
    *,
    claims: Claims,
    p: float = 0.05,
    df: float | None = None,
    rho: float = RHO,
    shared: FloatArray | None = None,
    target: Target | None = None,
    horizon: float = HORIZON,
    dedicated: bool = False,
    draws: int | None = None,
    rng: RngLike = 0,
) -> Forecast:
    """How many more judgments, chosen as those so far were, each open boundary and a target need.

    Parameters
    ----------
    judgments
        Behind the scores, in any unit: judgments, rankings, hours. What is forecast is in the same.
    claims
        What is claimed now.
    df, rho
        As for `claims`.
    shared
        The share of the variance of every score that more judgments by the same judges on the same segments do not make
        smaller; None if there is none or it is not known.
    horizon
        How many times the judgments that there are is looked ahead.
    dedicated
        Also for each open boundary by itself, if nothing is asked any more but comparisons across it.
    draws
        How many futures are drawn; fewer where there are many systems, unless given.
    rng
        A seed.
    """
    if judgments < 1:
        raise InputError(f"judgments: got {judgments}; allowed: at least 1")
    if not horizon > _FIRST:
        raise InputError(f"horizon: got {horizon}; allowed: a number above {_FIRST}")
    number = draws or (_DRAWS if len(scores) <= MANY else _FEWER)
    state = State.of(scores, covariance, shared, claims=claims, df=df, rho=rho, p=p)
    more = np.geomspace(_FIRST, horizon, _STEPS)
    given = _forecast(state, judgments, more, target, number, seed := seed_of(rng))
    if dedicated:
        # The first comparisons of two systems count, however many there are of all.
        fine = np.geomspace(min(_FIRST, 1 / judgments), horizon, 2 * _STEPS)
        shown = across(state, judgments, fine, number, generator(seed, Stream.FORECAST, 1))
        given = replace(given, dedicated=tuple(_need(each, fine, judgments, k, state) for k, each in shown.items()))
    if not state.shared.any():
        return given
    others = _forecast(replace(state, shared=np.zeros(len(scores))), judgments, more, target, number, seed)
    return replace(given, others=others)


def forecast_of(
    ranking: Ranking, target: Target | None = None, *, horizon: float = HORIZON, dedicated: bool = False
) -> Forecast:
    """The forecast of a ranking: until its boundaries hold at every look, in judgments; drawn from its own seed."""
    if target is not None:
        target.check(len(ranking.systems))
        if target.kind == "best" and target.value is not None:
            raise InputError(
                f"target: got {target}; a forecast is of boundaries, so best takes no number here; palmares plan "
                "says how many judgments it takes until the first is truly best with such a chance"
            )
    if ranking.judgments < 2:
        raise InputError("a forecast needs more than one judgment: one does not show how unsure scores are")
    if ranking.replicates is None or ranking.fit.scores is None or ranking.joint is None:
        raise InputError("a forecast needs rank ranges with a variance behind them; use --resample auto or two-way")
    rho, p = rho_of(ranking.fit.model), ranking.record.facts["p"]
    scores, covariance, df = ranking.fit.scores, ranking.replicates.spread, ranking.df
    made = ranking.claims or anytime.claims(scores, covariance, p, df=df, rho=rho)
    return forecast(
        scores, covariance, ranking.judgments, claims=made, p=p, df=df, rho=rho, shared=ranking.shared,
        target=target, horizon=horizon, dedicated=dedicated, rng=ranking.record.facts["seed"],
    )  # fmt: skip


def _forecast(state: State, judgments: int, more: FloatArray, target: Target | None, draws: int, seed: int) -> Forecast:
    """With comparisons as so far, at numbers of further judgments that are ``more`` times those there are."""
    claimed, blocks = as_so_far(state, 1 + more, draws, generator(seed, Stream.FORECAST))
    order = state.claims.order
    apart = {k: blocks[..., order[k - 1]] != blocks[..., order[k]] for k in state.claims.open}
    needs = tuple(_need(shown, more, judgments, k, state) for k, shown in apart.items())
    given = Forecast(judgments, round(more[-1] * judgments), needs)
    if target is None:
        return given
    met = target.is_met(state.claims)
    need = Need(0.0, 0.0, 0.0, 0.0) if met else _need(target.reached(claimed), more, judgments)
    return replace(given, target=need, aim=target.sentence)


def _need(
    shown: BoolArray, more: FloatArray, judgments: int, boundary: int | None = None, state: State | None = None
) -> Need:
    """From whether it is shown at every step of every draw."""
    first = np.where(shown.any(axis=1), shown.argmax(axis=1), len(more))
    # It is shown somewhere between two steps: of many draws evenly, on the scale of the steps.
    ends = np.concatenate([[more[0] / 4], more, [np.inf]])
    late = ends[1:][first]
    part = ((np.arange(len(first)) + 0.5) * _GOLDEN) % 1
    needed = np.sort(np.where(np.isinf(late), np.inf, ends[first] * (late / ends[first]) ** part)) * judgments
    low, median, high = (
        float(needed[min(int(share * len(needed)), len(needed) - 1)])
        for share in (0.5 - LEVEL / 2, 0.5, 0.5 + LEVEL / 2)
    )
    never = float(np.isinf(late).mean())
    if boundary is None or state is None:
        return Need(median, low, high, never)
    above, below = state.claims.order[boundary - 1 : boundary + 1].tolist()
    return Need(median, low, high, never, above, below)


def _whole(number: float) -> int | None:
    return None if np.isinf(number) else round(number)
