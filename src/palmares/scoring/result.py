"""What every score is: systems compared by some measures, with a record of how it was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError
from ..ranking.record import Record
from ..results import Shown, counted
from .comparison import Comparison


@dataclass(frozen=True)
class Scored(Shown):
    """Systems by some measures. What a task has besides, its own class adds.

    Attributes
    ----------
    comparisons
        One per measure, in the order of the tables.
    notes
        What a reader should know: what was left out, guessed or approximated.
    """

    systems: tuple[str, ...]
    comparisons: tuple[Comparison, ...] = field(repr=False)
    record: Record = field(repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    lang_pair: str | None = None

    @property
    def signature(self) -> str:
        """How it was made, in a line."""
        return str(self.record)

    def comparison(self, label: str) -> Comparison:
        """The systems by one measure: ``"MAE"``, ``"BLEU (lowercased)"``."""
        for each in self.comparisons:
            if each.measure.label == label:
                return each
        raise InputError(f"measure: got {label!r}; there are {', '.join(c.measure.label for c in self.comparisons)}")

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "lang_pair": self.lang_pair,
            "signature": self.signature,
            "systems": list(self.systems),
            "measures": [comparison.to_dict() for comparison in self.comparisons],
            "notes": list(self.notes),
            "record": self.record.to_dict(),
        }

    def __str__(self) -> str:
        first = self.comparisons[0]
        best = self.systems[first.order[0]]
        return self._line(
            f"{counted(len(self.systems), 'system')}, {best} first by {first.measure.label}", self.lang_pair
        )


def notes_of(comparisons: Sequence[Comparison], *others: str) -> tuple[str, ...]:
    """What comparisons have to say, and other notes; each once."""
    return tuple(dict.fromkeys((*others, *(note for each in comparisons for note in each.notes()))))
