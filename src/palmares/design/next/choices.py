"""What a learning strategy wants asked: sets of systems, each with its weight.

It is made where answers are read and the model is fitted, and drawn from wherever screens are made, which takes no
arithmetic: it can be stored, and read by a web worker.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...errors import InputError


@dataclass(frozen=True)
class Choices:
    """A distribution over sets of systems: a screen of the next ones is drawn by ``weights``, which sum to 1.

    ``screens`` hold places in ``systems``, sorted. ``numbers`` are what a `Pool` calls these systems, where it does not
    call them by their places. Without any screens, the strategy has nothing to prefer.
    """

    strategy: str
    systems: tuple[str, ...]
    screens: tuple[tuple[int, ...], ...]
    weights: tuple[float, ...]
    numbers: tuple[int, ...] = field(default=(), repr=False)

    @classmethod
    def planned(cls, strategy: str, systems: tuple[str, ...], screens: Iterable[Iterable[int]]) -> Choices:
        """All screens of a plan alike; one that is in it twice has twice the weight."""
        times = Counter(tuple(sorted(map(int, screen))) for screen in screens)
        total = sum(times.values())
        return cls(strategy, systems, tuple(times), tuple(count / total for count in times.values()))

    def numbered(self, numbers: Mapping[str, int]) -> Choices:
        """For a pool that calls systems by these numbers.

        Screens with a system that has none are left out; the weights of the others then sum to 1 again.
        """
        known = {place: numbers[name] for place, name in enumerate(self.systems) if name in numbers}
        kept = [(s, w) for s, w in zip(self.screens, self.weights, strict=True) if known.keys() >= set(s)]
        total = sum(weight for _, weight in kept)
        codes = tuple(known.get(place, -1) for place in range(len(self.systems)))
        screens, weights = tuple(s for s, _ in kept), tuple(w / total for _, w in kept)
        return Choices(self.strategy, self.systems, screens, weights, codes)

    @cached_property
    def entries(self) -> tuple[tuple[tuple[int, ...], float], ...]:
        """Every screen as a pool calls its systems, with its weight."""
        numbers = self.numbers or tuple(range(len(self.systems)))
        screens = (tuple(numbers[place] for place in screen) for screen in self.screens)
        return tuple(zip(screens, self.weights, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it."""
        out: dict[str, Any] = {
            "strategy": self.strategy,
            "systems": list(self.systems),
            "screens": [list(screen) for screen in self.screens],
            "weights": list(self.weights),
        }
        return {**out, "numbers": list(self.numbers)} if self.numbers else out

    @classmethod
    def of_dict(cls, data: Mapping[str, Any]) -> Choices:
        """What `to_dict` gave; anything else is refused."""
        try:
            systems, numbers = tuple(map(str, data["systems"])), tuple(map(int, data.get("numbers", ())))
            screens = tuple(tuple(map(int, screen)) for screen in data["screens"])
            choices = cls(str(data["strategy"]), systems, screens, tuple(map(float, data["weights"])), numbers)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                f"these are no choices of a strategy: {error!r}; allowed: what Choices.to_dict gives"
            ) from None
        choices._check()
        return choices

    def _check(self) -> None:
        n, weights = len(self.systems), self.weights
        fits = (
            len(weights) == len(self.screens)
            and len(self.numbers) in (0, n)
            and all(list(s) == sorted({*s}) and s and s[0] >= 0 and s[-1] < n for s in self.screens)
            and all(weight > 0 for weight in weights)
            and (not weights or abs(sum(weights) - 1) < 1e-9)
        )
        if not fits:
            raise InputError(
                "these are no choices of a strategy: allowed are screens of different systems, in order, with a weight "
                "above 0 each, which sum to 1"
            )
