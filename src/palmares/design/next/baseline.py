"""``baseline``: every system against one, as judgments for the graded response model are collected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from .choices import Choices
from .knowledge import Knowledge


@dataclass(frozen=True)
class Baseline:
    """One system on every screen, and those that met it least (Otani et al. 2016).

    ``against`` names it; otherwise it is the one nearest the mean of the scores as they are now (their §6.3).
    """

    against: str | None = None

    def choices(self, knowledge: Knowledge, size: int, number: int, rng: np.random.Generator) -> Choices:
        baseline = self._code(knowledge)
        met, screens = knowledge.met[baseline].copy(), []
        met[baseline], size = np.inf, min(size, len(met))
        for _ in range(number):
            others = np.lexsort((rng.random(len(met)), met))[: size - 1]
            met[others] += 1
            screens.append([baseline, *others])
        return Choices.planned("baseline", knowledge.systems, screens)

    def _code(self, knowledge: Knowledge) -> int:
        if self.against is None:
            return int(np.abs(knowledge.mean - knowledge.mean.mean()).argmin())
        if self.against not in knowledge.systems:
            raise InputError(f"there is no system {self.against!r}; there are: {', '.join(knowledge.systems)}")
        return knowledge.systems.index(self.against)
