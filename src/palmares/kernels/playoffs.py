"""Simulated knock-out tournaments."""

from __future__ import annotations

import numpy as np

from ..judgments import FloatArray, IntArray
from .compiling import compiled


@compiled()
def mean_finishing_places(
    beats: FloatArray, tournaments: int, rng: np.random.Generator
) -> FloatArray:  # pragma: no cover - compiled
    """Mean finishing place (1 = winner) over random brackets.

    ``beats[i, j]`` is the probability that i wins against j. In the first round 2ᵏ − n of the n players, drawn
    at random, have a bye, so that a power of two is left; the losers of a round share its mean place.
    """
    n = beats.shape[0]
    bracket = 1
    while bracket < n:
        bracket *= 2
    total = np.zeros(n)
    players = np.arange(n)
    for _ in range(tournaments):
        _shuffle(players, n, rng)
        alive = n
        byes = bracket - n
        while alive > 1:
            survivors = byes + (alive - byes) // 2
            shared_place = (survivors + 1 + alive) / 2
            kept = byes  # players[:byes] go through without a match
            for match in range(byes, alive - 1, 2):
                first, second = players[match], players[match + 1]
                winner, loser = (first, second) if rng.random() < beats[first, second] else (second, first)
                total[loser] += shared_place
                # Keep the array a permutation: the winner moves up, the loser into the place freed.
                players[match], players[match + 1] = winner, loser
                players[kept], players[match] = players[match], players[kept]
                kept += 1
            alive = survivors
            if byes > 0:
                _shuffle(players, alive, rng)  # so that those with a bye do not always meet each other next
            byes = 0
        total[players[0]] += 1.0
    return total / tournaments


@compiled()
def _shuffle(players: IntArray, count: int, rng: np.random.Generator) -> None:  # pragma: no cover - compiled
    """Put the first ``count`` players in random order."""
    for i in range(count - 1, 0, -1):
        j = int(rng.random() * (i + 1))
        players[i], players[j] = players[j], players[i]
