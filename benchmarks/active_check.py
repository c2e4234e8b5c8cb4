"""The package against what is written apart, in the same states: estimates, covariances, claims, planned screens."""

from __future__ import annotations

from collections import Counter

import numpy as np

from palmares.design.next import STRATEGIES, Knowledge
from palmares.judgments import PairCounts
from palmares.ranking.anytime import claims

from . import active_copy
from .active_own import State, uniform
from .active_race import Looker
from .active_tables import flat
from .active_world import Collected, Floats, Ints, koehn
from .common import report

_AT = (400, 1000, 3000, 8000, 16000)
_SCREENS = 20


def check(keep: bool, runs: int = 20) -> None:
    """In states of simulated campaigns."""
    report(
        "active-check",
        "The package and what is written apart, in the same states",
        ["systems on a screen", "states", "largest difference of θ", "of a variance, relative", "claims alike",
         "open-boundaries, screens alike %", "information, screens alike %", "s14, z", "match-quality, z"],
        [_row(size, runs) for size in (2, 5)],
        [
            flat(f"""Koehn's campaigns after {", ".join(map(str, _AT))} judgments, uniform in half of them and chosen by
                open-boundaries in the others. {_SCREENS} screens are planned in every state; those of S14 and match
                quality are left to chance: z of the largest difference of how often two systems share a screen, of 105,
                over all states.""")
        ],
        keep=keep,
    )  # fmt: skip


def _row(size: int, runs: int) -> list[object]:
    states, theta, variance, alike = 0, 0.0, 0.0, 0
    same = {"open-boundaries": 0, "information": 0}
    chances = {name: np.zeros((2, 15, 15)) for name in ("s14", "match-quality")}
    for run in range(runs):
        rng = np.random.default_rng([9, run])
        data = Collected(koehn(rng), size, 40_000, rng)
        looker = Looker(data)
        for judgments in _AT:
            while data.judgments < judgments:
                data.ask(_next(looker, run, size, rng))
            looker.fit()
            state, states = looker.state(looker.claimed("any")), states + 1
            knowledge = knowledge_of(state)
            own, _, claimed = active_copy.known(state, "any")
            theta = max(theta, float(np.abs(knowledge.gaps - (state.theta[:, None] - state.theta)).max()))
            variance = max(variance, float(np.abs(_spreads(own) / _spreads(knowledge.covariance) - 1).max()))
            whole = claims(state.theta, state.covariance).claimed
            alike += int((knowledge.claims.claimed == claimed).all() and (whole == state.claimed).all())
            for name in same:
                theirs = _planned(name, knowledge, size, rng)
                mine = active_copy.choosing_plan(name, state, size, _SCREENS, rng)
                same[name] += sum((theirs & Counter(map(tuple, np.sort(mine).tolist()))).values())
            for name, met in chances.items():
                for screen, times in _planned(name, knowledge, size, rng).items():
                    met[0][np.ix_(screen, screen)] += times
                for screen in active_copy.choosing_plan(name, state, size, _SCREENS, rng):
                    met[1][np.ix_(screen, screen)] += 1
    shares = [f"{100 * same[name] / states / _SCREENS:.1f}" for name in same]
    return [size, states, theta, variance, alike, *shares, *[_largest_z(met) for met in chances.values()]]


def _next(looker: Looker, run: int, size: int, rng: np.random.Generator) -> Ints:
    """Ten screens: uniform ones in every other campaign, chosen ones in the rest."""
    if run % 2 == 0 or not looker.collected.screens:
        return uniform(15, size, 10, rng)
    looker.fit()
    return active_copy.choosing("open-boundaries", "any")(looker.state(looker.claimed("any")), size, 10, rng)


def knowledge_of(state: State) -> Knowledge:
    """What the package knows in this state."""
    names = tuple(f"s{i:02d}" for i in range(len(state.theta)))
    return Knowledge.of(PairCounts(names, state.data.wins, state.data.ties), stretch=state.stretch)


def _planned(name: str, knowledge: Knowledge, size: int, rng: np.random.Generator) -> Counter[tuple[int, ...]]:
    choices = STRATEGIES.load(name)().choices(knowledge, size, _SCREENS, rng)
    times = [round(weight * _SCREENS) for weight in choices.weights]
    return Counter(dict(zip(choices.screens, times, strict=True)))


def _spreads(covariance: Floats) -> Floats:
    own = np.diag(covariance)
    return np.asarray((own[:, None] + own - 2 * covariance)[np.triu_indices(len(own), 1)])


def _largest_z(met: Floats) -> float:
    first, second = (table[np.triu_indices(15, 1)] for table in met)
    return float((np.abs(first - second) / np.sqrt(np.maximum(first + second, 1))).max())
