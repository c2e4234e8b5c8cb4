"""What a campaign is for: enough of its systems told apart, said in one word for planning and for stopping.

pairs=0.8     80 % of all pairs of systems are in different clusters
clusters=5    at least five clusters
widest=3      no rank range spans more than three ranks
best          the best system is separated from all others
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..judgments import BoolArray, IntArray
from ..ranking.anytime import Claims

#: Kinds of target, and what their value may be.
KINDS = {
    "pairs": "a share of all pairs of systems, more than 0 and at most 1, e.g. pairs=0.8",
    "clusters": "a whole number of at least 2, e.g. clusters=5",
    "widest": "a whole number of ranks of at least 1, e.g. widest=3",
    "best": "nothing, or how likely the first is to be truly best, between 0 and 1, e.g. best or best=0.95",
}


@dataclass(frozen=True)
class Target:
    """One thing that judgments are to show; ``value`` is None for ``best`` without a number."""

    kind: str
    value: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"target: got {self}; allowed: {', '.join(KINDS)}; e.g. pairs=0.8, clusters=5 or best")
        if not self._is_sound():
            raise InputError(f"target: got {self}; {self.kind} takes {KINDS[self.kind]}")

    def _is_sound(self) -> bool:
        if self.value is None:
            return self.kind == "best"
        if self.kind in ("clusters", "widest"):
            return self.value == int(self.value) and self.value >= (2 if self.kind == "clusters" else 1)
        return 0 < self.value < 1 or (self.kind == "pairs" and self.value == 1)

    @classmethod
    def parse(cls, text: str) -> Target:
        """The target of a text such as ``clusters=5``."""
        kind, given, value = text.strip().partition("=")
        kind = kind.strip()
        if not given:
            return cls(kind)
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not np.isfinite(number):
            takes = KINDS.get(kind, f"no such target; allowed: {', '.join(KINDS)}")
            raise InputError(f"target: got {text.strip()}; {kind} takes {takes}")
        return cls(kind, number)

    def __str__(self) -> str:
        return self.kind if self.value is None else f"{self.kind}={self.value:g}"

    @property
    def sentence(self) -> str:
        """What is true once the target is met."""
        if self.kind == "best":
            return "the best system is separated from all others"
        assert self.value is not None
        if self.kind == "pairs":
            return f"{100 * self.value:g} % of the pairs of systems are in different clusters"
        if self.kind == "clusters":
            return f"there are at least {self.value:g} clusters"
        return f"no rank range spans more than {self.value:g} rank{'s' if self.value > 1 else ''}"

    def check(self, systems: int) -> None:
        """Refuse what so many systems can never show."""
        if self.kind == "clusters" and self.value is not None and self.value > systems:
            raise InputError(f"target: got {self}, but there are only {systems} systems; allowed: at most {systems}")

    def is_met(self, claims: Claims) -> bool:
        """Whether the boundaries that are claimed show it."""
        return bool(self.reached(claims.claimed))

    def reached(self, claimed: BoolArray) -> BoolArray:
        """The same of boundaries (…, systems − 1) alone, for many states at once."""
        if self.kind == "best" or self.value is None:
            return np.asarray(claimed[..., 0])
        if self.kind == "clusters":
            return np.asarray(1 + claimed.sum(axis=-1) >= self.value)
        sizes = _sizes(claimed)
        if self.kind == "widest":
            return np.asarray(sizes.max(axis=-1) <= self.value)
        systems = claimed.shape[-1] + 1
        together = (sizes * (sizes - 1)).sum(axis=-1) / (systems * (systems - 1))
        # Shares are ratios of small whole numbers, so that rounding errors are far smaller than this.
        return np.asarray(1 - together >= self.value - 1e-9)


def _sizes(claimed: BoolArray) -> IntArray:
    """The sizes of the blocks (…, systems), 0 where there are fewer blocks."""
    flat = claimed.reshape(-1, claimed.shape[-1])
    rows, systems = len(flat), flat.shape[1] + 1
    block = np.concatenate([np.zeros((rows, 1), dtype=np.int64), flat.cumsum(axis=1)], axis=1)
    block += np.arange(rows)[:, None] * systems
    return np.bincount(block.ravel(), minlength=rows * systems).reshape(*claimed.shape[:-1], systems)
