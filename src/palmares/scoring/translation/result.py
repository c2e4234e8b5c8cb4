"""What `score_translations` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..comparison import Comparison
from ..result import Scored
from .human import HumanComparison


@dataclass(frozen=True)
class Translations(Scored):
    """Systems by automatic scores, in per cent, higher being better.

    Attributes
    ----------
    contrastive, unconstrained
        Systems that are no primary submissions, and those that used more than the task allowed.
    constrained
        The same measures among constrained systems alone, if there are others: who may be the best of these.
    metric_signatures
        What every measure was computed with, by its label.
    human
        How far the measures agree with people's judgments, if these were given.
    """

    shown_by: ClassVar[str] = "score translation"

    contrastive: frozenset[str] = frozenset()
    unconstrained: frozenset[str] = frozenset()
    constrained: tuple[Comparison, ...] = field(default=(), repr=False)
    metric_signatures: Mapping[str, str] = field(default_factory=dict, repr=False)
    human: HumanComparison | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            **super().to_dict(),
            "submissions": {
                name: {"primary": name not in self.contrastive, "constrained": name not in self.unconstrained}
                for name in self.systems
            },
            "constrained_measures": [comparison.to_dict() for comparison in self.constrained],
            "metric_signatures": dict(self.metric_signatures),
            "human": None if self.human is None else self.human.to_dict(),
        }
