"""Counts of a language pair, kept along as answers come in: who changes an answer takes back what it said, and
whoever leaves a judge out takes back what that judge said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy import bindparam

from ...judgments import PairCounts
from .. import schema

#: One comparison: the better system and the other, or two that are tied, the lower code first.
Comparison = tuple[int, int, bool]

_JUDGMENT, _SERVED = schema.judgment.c, schema.served.c
_NEW = (
    sa.select(_JUDGMENT.id, _SERVED.id.label("served"), _SERVED.person_id, _SERVED.places, _SERVED.repeat_of)
    .add_columns(_JUDGMENT.ranks)
    .select_from(schema.judgment)
    .join(schema.served, _JUDGMENT.served_id == _SERVED.id)
    .join(schema.screen, _SERVED.screen_id == schema.screen.c.id)
    .join(schema.segment, schema.screen.c.segment_id == schema.segment.c.id)
    .where(schema.segment.c.language_pair_id == bindparam("pair"), schema.screen.c.purpose == "judge")
    .where(_JUDGMENT.id > bindparam("after"), _JUDGMENT.id <= bindparam("upto"))
    .order_by(_JUDGMENT.id)
)
_OUTPUTS = (
    sa.select(schema.output_system.c.output_id, schema.output_system.c.system_id, schema.system.c.added_after)
    .join(schema.system, schema.output_system.c.system_id == schema.system.c.id)
    .where(schema.system.c.language_pair_id == bindparam("pair"))
)
_NEWEST = sa.select(sa.func.max(schema.system.c.id)).where(schema.system.c.language_pair_id == bindparam("pair"))
_SYSTEMS = (
    sa.select(schema.system.c.name, schema.system.c.id)
    .where(schema.system.c.language_pair_id == bindparam("pair"))
)  # fmt: skip


@dataclass(frozen=True)
class _Answer:
    number: int
    judge: int
    counts: bool  # towards the number of answers: ranks, and no repeat
    comparisons: tuple[Comparison, ...]


class Tally:
    """What the latest answers of a language pair say, repeats included, outputs of controls apart.

    Systems that share an output were compared by nobody, and are not counted as tied. Of judges who are left out only
    the number of answers is counted, which says how far everything was read.
    """

    def __init__(self, tx: sa.Connection, pair_id: int) -> None:
        self.pair_id = pair_id
        numbers: dict[str, int] = dict(tx.execute(_SYSTEMS, {"pair": pair_id}).all())
        self.systems = tuple(sorted(numbers))
        self.numbers = {name: numbers[name] for name in self.systems}
        self.codes = {self.numbers[name]: code for code, name in enumerate(self.systems)}
        #: The systems behind outputs, each with the last answer that says nothing of it.
        self._behind: dict[int, list[tuple[int, int]]] = {}
        for output, system, added_after in tx.execute(_OUTPUTS, {"pair": pair_id}):
            self._behind.setdefault(output, []).append((self.codes[system], added_after))
        self._wins, self._ties = np.zeros((2, len(self.systems), len(self.systems)))
        self._latest: dict[int, _Answer] = {}
        self._out: frozenset[int] = frozenset()
        #: The last change to who is left out that was taken in.
        self.left_out = 0
        self.upto = 0
        self.answers = 0

    @property
    def counts(self) -> PairCounts:
        return PairCounts(self.systems, self._wins.copy(), self._ties.copy())

    @property
    def total(self) -> int:
        """How many comparisons there are."""
        return round(float(self._wins.sum() + self._ties.sum() / 2))

    def read(self, tx: sa.Connection, upto: int) -> tuple[int, int | None]:
        """Take in the answers up to a number: how many there were, and the lowest number of those they replace."""
        new, replaced = 0, None
        for row in tx.execute(_NEW, {"pair": self.pair_id, "after": self.upto, "upto": upto}):
            before = self._replace(row)
            new += 1
            if before is not None:
                replaced = before if replaced is None else min(before, replaced)
        self.upto = upto
        return new, replaced

    def leave_out(self, judges: Collection[int], change: int) -> int | None:
        """Count without these judges, as it is after a change; the lowest number of the answers that this is about."""
        before, self._out, self.left_out = self._out, frozenset(judges), change
        other = before ^ self._out
        about = [answer for answer in self._latest.values() if answer.judge in other] if other else []
        for answer in about:
            self._compare(answer, -1 if answer.judge in self._out else 1)
        return min((answer.number for answer in about), default=None)

    def behind(self, outputs: Iterable[int], answer: int | None = None) -> list[list[int]]:
        """The codes of the systems behind each output; none behind those of controls.

        ``answer``: of those that were there before the answer with this number.
        """
        every = (self._behind.get(output, ()) for output in outputs)
        return [[code for code, after in systems if answer is None or answer > after] for systems in every]

    def lacks_systems(self, tx: sa.Connection) -> bool:
        """Whether systems were added since this began."""
        newest = tx.execute(_NEWEST, {"pair": self.pair_id}).scalar()
        return newest is not None and newest not in self.codes

    def anew(self, tx: sa.Connection) -> Tally:
        """The same, with the systems that there are now."""
        tally = Tally(tx, self.pair_id)
        tally.leave_out(self._out, self.left_out)
        tally.read(tx, self.upto)
        return tally

    def _replace(self, row: Any) -> int | None:
        """Count an answer in the place of the one before, whose number is given back."""
        before = self._latest.get(row.served)
        comparisons = () if row.ranks is None else tuple(compared(self.behind(row.places, row.id), row.ranks))
        now = _Answer(row.id, row.person_id, row.ranks is not None and row.repeat_of is None, comparisons)
        if before is not None:
            self._add(before, -1)
        self._add(now, 1)
        self._latest[row.served] = now
        return None if before is None else before.number

    def _add(self, answer: _Answer, sign: int) -> None:
        self.answers += sign * answer.counts
        if answer.judge not in self._out:
            self._compare(answer, sign)

    def _compare(self, answer: _Answer, sign: int) -> None:
        for a, b, tied in answer.comparisons:
            if tied:
                self._ties[a, b] += sign
                self._ties[b, a] += sign
            else:
                self._wins[a, b] += sign


def compared(behind: Sequence[Sequence[int]], ranks: Sequence[int]) -> Iterable[Comparison]:
    """What ranks say of every two systems behind different outputs."""
    for place, systems in enumerate(behind):
        for other in range(place):
            for a in systems:
                for b in behind[other]:
                    if ranks[place] == ranks[other]:
                        yield min(a, b), max(a, b), True
                    else:
                        yield (a, b, False) if ranks[place] < ranks[other] else (b, a, False)
