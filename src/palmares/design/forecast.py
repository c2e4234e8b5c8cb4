"""How many more judgments until what is open is closed: each boundary of a ranking, and a target.

The true scores are believed as for P(best) (`ranking.beliefs`): drawn from a posterior whose spread the scores tell.
From each draw, scores go on from where they are: with f times the judgments, the part of an error that comes of single
judgments is what it was, and a Brownian motion on top, divided by f; the part that the same judges and segments share
stays. At each of a few dozen numbers of judgments the rule that holds at every look (`ranking.anytime`) is asked. So a
forecast knows that the order may turn, that luck may run on, that a boundary claimed makes the next one easier, and
that equals may never be told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..compute import RngLike, Stream
from ..compute.streams import generator, seed_of
from ..errors import InputError
from ..judgments import BoolArray, FloatArray, IntArray
from ..ranking import anytime
from ..ranking.anytime import RHO, Claims, critical
from ..ranking.beliefs import posterior
from ..ranking.looks import rho_of
from ..ranking.result import Ranking
from .targets import Target

#: Of the intervals.
LEVEL = 0.8
#: Beyond so many times the judgments that there are, nothing is forecast.
HORIZON = 50.0
#: Numbers of further judgments that are tried, from a two-hundredth of those there are to the horizon.
_STEPS = 44
_FIRST = 0.005
#: Draws of the truth and of what comes, of few and of many systems.
_DRAWS, _FEWER, _MANY = 200, 60, 40
#: Places on each side of a boundary that are compared across it, where there are many systems.
_WINDOW = 12


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
    ``aim`` says what is true once the target is met.
    """

    judgments: int
    horizon: int
    boundaries: tuple[Need, ...]
    target: Need | None = None
    aim: str | None = None
    others: Forecast | None = field(default=None, repr=False)
    level: float = LEVEL

    def to_dict(self, systems: Sequence[str]) -> dict[str, Any]:
        """The documented JSON shape, with the names of the systems by code."""
        return {
            "judgments": self.judgments,
            "horizon": self.horizon,
            "level": self.level,
            "boundaries": [need.to_dict(systems) for need in self.boundaries],
            "target": None if self.target is None else {"aim": self.aim, **self.target.to_dict(systems)},
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
    draws
        How many futures are drawn; fewer where there are many systems, unless given.
    rng
        A seed.
    """
    if judgments < 1:
        raise InputError(f"judgments: got {judgments}; allowed: at least 1")
    if not horizon > _FIRST:
        raise InputError(f"horizon: got {horizon}; allowed: a number above {_FIRST}")
    number = draws or (_DRAWS if len(scores) <= _MANY else _FEWER)
    share = np.zeros(len(scores)) if shared is None else np.clip(shared, 0.0, 1.0)
    centre, seed = np.eye(len(scores)) - 1 / len(scores), seed_of(rng)
    state = _State(scores - scores.mean(), centre @ covariance @ centre, df, rho, claims, target, p)
    given = _forecast(state, judgments, share, horizon, number, seed)
    if not share.any():
        return given
    others = _forecast(state, judgments, np.zeros(len(scores)), horizon, number, seed)
    return replace(given, others=others)


def forecast_of(ranking: Ranking, target: Target | None = None, *, horizon: float = HORIZON) -> Forecast:
    """The forecast of a ranking: until its boundaries hold at every look, in judgments; drawn from its own seed."""
    if ranking.replicates is None or ranking.fit.scores is None or ranking.joint is None:
        raise InputError("a forecast needs rank ranges with a variance behind them; use --resample auto or two-way")
    rho, p = rho_of(ranking.fit.model), ranking.record.facts["p"]
    scores, covariance, df = ranking.fit.scores, ranking.replicates.spread, ranking.df
    made = ranking.claims or anytime.claims(scores, covariance, p, df=df, rho=rho)
    return forecast(
        scores, covariance, ranking.judgments, claims=made, p=p, df=df, rho=rho, shared=ranking.shared,
        target=target, horizon=horizon, rng=ranking.record.facts["seed"],
    )  # fmt: skip


@dataclass(frozen=True)
class _State:
    """What is known now; scores and covariance are seen from the mean of all systems."""

    scores: FloatArray
    covariance: FloatArray
    df: float | None
    rho: float
    claims: Claims
    target: Target | None
    p: float


def _forecast(state: _State, judgments: int, shared: FloatArray, horizon: float, draws: int, seed: int) -> Forecast:
    """Imports the compiler, which nobody should wait for who asks for no forecast."""
    from ..kernels.claiming import claimed_along

    factors = 1 + np.geomspace(_FIRST, horizon, _STEPS)
    own, common = np.sqrt(1 - shared), np.sqrt(shared)
    falling = own[:, None] * state.covariance * own
    staying = common[:, None] * state.covariance * common
    rng = generator(seed, Stream.FORECAST)
    paths = _futures(state, falling, staying, factors, draws, rng)
    n = len(state.scores)
    claimed, blocks = claimed_along(
        paths, factors, _differences(falling), _differences(staying), state.rho, _wider(state), state.claims.order,
        state.p, n if n <= _MANY else _WINDOW,
    )  # fmt: skip
    order = state.claims.order
    needs = [
        _need(blocks[..., order[k - 1]] != blocks[..., order[k]], factors, judgments, order[k - 1 : k + 1])
        for k in state.claims.open
    ]
    if state.target is None:
        return Forecast(judgments, round(horizon * judgments), tuple(needs))
    met = state.target.is_met(state.claims)
    target = Need(0.0, 0.0, 0.0, 0.0) if met else _need(state.target.reached(claimed), factors, judgments)
    return Forecast(judgments, round(horizon * judgments), tuple(needs), target, state.target.sentence)


def _futures(
    state: _State,
    falling: FloatArray,
    staying: FloatArray,
    factors: FloatArray,
    draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Scores (draws, steps, systems) after so many times the judgments."""
    n = len(state.scores)
    truth = posterior(state.scores, state.covariance, state.df, draws, rng)
    error = state.scores - truth
    lasting = np.zeros_like(error)
    if staying.any():
        # Of the error that a draw implies, what the same judges would make again.
        share = staying @ np.linalg.pinv(falling + staying, hermitian=True)
        lasting = error @ share.T + rng.standard_normal((draws, n)) @ _root(staying - share @ staying).T
    steps = np.sqrt(np.diff(factors, prepend=1.0))[:, None]
    motion = (rng.standard_normal((draws, len(factors), n)) * steps) @ _root(falling).T
    passing = (error - lasting)[:, None, :] + motion.cumsum(axis=1)
    return np.asarray((truth + lasting)[:, None, :] + passing / factors[:, None])


def _root(covariance: FloatArray) -> FloatArray:
    variance, directions = np.linalg.eigh(covariance)
    return np.asarray(directions * np.sqrt(np.maximum(variance, 0.0)))


def _differences(covariance: FloatArray) -> FloatArray:
    """Variances of the differences of every two scores."""
    own = np.diag(covariance)
    return np.asarray(np.maximum(own[:, None] + own - 2 * covariance, 0.0))


def _wider(state: _State) -> float:
    """How many times z² must be what it must be with many degrees of freedom: about as often for all pairs."""
    if state.df is None:
        return 1.0
    variance = _differences(state.covariance)[np.triu_indices(len(state.scores), 1)]
    typical, pairs = 1 / max(float(np.median(variance)), 1e-300), state.claims.pairs
    usual, few = (critical(typical, pairs, state.p, df=df, rho=state.rho) for df in (None, state.df))
    return float(few / usual)


def _need(shown: BoolArray, factors: FloatArray, judgments: int, pair: IntArray | None = None) -> Need:
    """From whether it is shown at every step of every draw."""
    first = np.where(shown.any(axis=1), shown.argmax(axis=1), len(factors))
    # It is shown somewhere between two steps: the ends of the interval are outside, the median is halfway.
    late = np.append(factors - 1, np.inf)
    early = np.append(late[0] / 4, late[:-1])
    later, earlier = (np.sort(ends[first]) * judgments for ends in (late, early))
    low, median, high = (
        float(needed[min(int(share * len(needed)), len(needed) - 1)])
        for share, needed in (((1 - LEVEL) / 2, earlier), (0.5, np.sqrt(earlier * later)), ((1 + LEVEL) / 2, later))
    )
    never = float(np.isinf(later).mean())
    if pair is None:
        return Need(median, low, high, never)
    return Need(median, low, high, never, int(pair[0]), int(pair[1]))


def _whole(number: float) -> int | None:
    return None if np.isinf(number) else round(number)
