"""The package's strategies in the study's loop, used as a campaign uses them: screens are drawn from planned choices."""

from __future__ import annotations

import numpy as np

from palmares.design.next import STRATEGIES, Choices, Knowledge
from palmares.judgments import PairCounts
from palmares.ranking.anytime import Claims

from .active_own import State
from .active_race import Chooser
from .active_world import Ints


def choosing(strategy: str, rule: str) -> Chooser:
    """A strategy of the package; ``rule`` says whose claims it goes by, its own (``any``) or the usual ranges'."""
    plans = STRATEGIES.load(strategy)()
    before: list[Knowledge] = []

    def choose(state: State, size: int, number: int, rng: np.random.Generator) -> Ints:
        counts = PairCounts(tuple(f"s{i:02d}" for i in range(len(state.theta))), state.data.wins, state.data.ties)
        knowledge = Knowledge.of(counts, stretch=state.stretch, start=before[0] if before else None)
        before[:] = [knowledge]
        if rule == "usual":
            knowledge = knowledge_with(knowledge, Claims(state.order, state.claimed, 0.05))
        return drawn(plans.choices(knowledge, size, number, rng), number, rng)

    return choose


def knowledge_with(knowledge: Knowledge, claims: Claims) -> Knowledge:
    """The same, but for what is claimed."""
    from dataclasses import replace

    return replace(knowledge, claims=claims)


def drawn(choices: Choices, number: int, rng: np.random.Generator) -> Ints:
    """So many screens, each by the weights, as web workers draw them; uniform where there is nothing to prefer."""
    if not choices.screens:
        return np.argsort(rng.random((number, len(choices.systems))), axis=1)[:, :2].astype(np.int64)
    places = rng.choice(len(choices.screens), number, p=np.array(choices.weights))
    return np.array(choices.screens, dtype=np.int64)[places]
