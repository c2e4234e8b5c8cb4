"""When a language pair has enough judgments, from counts alone.

Nothing here knows of a database: a campaign brings the counts of its store, and a plan that simulates a campaign can
bring its own.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StoppingRule:
    """Stop after so many answered ``screens``, or once every two systems were compared ``per_pair`` times.

    None where there is no such limit; of two, the first that is reached stops.
    """

    screens: int | None = None
    per_pair: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether nothing is limited."""
        return self.screens is None and self.per_pair is None

    def needs_comparisons(self, answered: int) -> bool:
        """Whether comparisons must be counted to know if it is enough: a screen adds at most one to any two systems."""
        enough = self.screens is not None and answered >= self.screens
        return not enough and self.per_pair is not None and answered >= self.per_pair

    def has_stopped(self, answered: int, least_compared: int) -> bool:
        """Whether enough is there: ``least_compared`` are the comparisons of the two systems that met least."""
        enough = self.screens is not None and answered >= self.screens
        return enough or (self.per_pair is not None and least_compared >= self.per_pair)

    def screens_left(self, answered: int, held: int, least_compared: int) -> int | None:
        """How many more screens may be given out, with ``held`` in the hands of judges; None: as many as one likes.

        What judges hold is as good as answered.
        """
        if self.per_pair is not None and least_compared >= self.per_pair:
            return 0
        return None if self.screens is None else max(0, self.screens - answered - held)


@dataclass(frozen=True)
class LeastCompared:
    """Comparisons of the two systems that met least, counted when so many screens were ``answered``.

    Counting is slow and a screen adds at most one, so an earlier count often decides a rule.
    """

    count: int
    answered: int

    def at_most(self, answered: int) -> int:
        """What the count cannot exceed after so many answered screens."""
        return self.count + answered - self.answered

    def decides(self, rule: StoppingRule, answered: int) -> bool:
        """Whether the rule is decided without counting again; fewer answers than before: one was taken back."""
        if rule.per_pair is None or answered == self.answered:
            return True
        return answered > self.answered and self.at_most(answered) < rule.per_pair
