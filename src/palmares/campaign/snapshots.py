"""What the analysis said last of a language pair. Web workers only read it: nothing is computed here.

A snapshot rests on all answers up to one, so it is always a little behind. Choices that are too far behind
(``choice.lag``) are not drawn from: screens are balanced then, and the log says so once, until it has caught up.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy import bindparam

from ..design.next import Choices
from . import schema
from .settings import ChoiceSettings, StopSettings

log = logging.getLogger("palmares.campaign")

_SNAPSHOT, _PAIR, _HIT = schema.snapshot.c, schema.language_pair.c, schema.hit.c


@dataclass(frozen=True)
class Snapshot:
    """What was known of a language pair after so many answers, but for its choices.

    ``answer`` is the number of the last judgment it rests on (0: none). ``met``: ``rule``, held with the chance ``p``
    of an error, says that it is enough; ``standing`` says where that rule stands and what is still open.
    """

    id: int
    pair_id: int
    version: int
    answer: int
    answers: int
    strategy: str
    rule: str
    p: float
    met: bool
    standing: dict[str, Any] | None
    created_at: datetime

    def decides(self, stop: StopSettings) -> bool:
        """Whether it is about this rule, and not that of settings since changed."""
        return (self.rule, self.p) == (stop.rule, stop.p)


@dataclass(frozen=True)
class Advice:
    """What to draw screens from, and the snapshot that it is of."""

    snapshot_id: int
    choices: Choices


_FIELDS = (
    _SNAPSHOT.id,
    _SNAPSHOT.language_pair_id,
    *(_SNAPSHOT[name] for name in Snapshot.__annotations__ if name not in ("id", "pair_id")),
)
_NEWEST = (
    sa.select(*_FIELDS)
    .where(_SNAPSHOT.language_pair_id == bindparam("pair"))
    .order_by(_SNAPSHOT.version.desc())
    .limit(1)
)
_DECISION = (
    sa.select(_SNAPSHOT.rule, _SNAPSHOT.p, _SNAPSHOT.met)
    .where(_SNAPSHOT.language_pair_id == bindparam("pair"))
    .order_by(_SNAPSHOT.version.desc())
    .limit(1)
)
_HEAD = (
    sa.select(_SNAPSHOT.id, _SNAPSHOT.answers, _SNAPSHOT.strategy, _SNAPSHOT.created_at)
    .where(_SNAPSHOT.language_pair_id == bindparam("pair"))
    .order_by(_SNAPSHOT.version.desc())
    .limit(1)
)
_CHOICES = sa.select(_SNAPSHOT.choices).where(_SNAPSHOT.id == bindparam("snapshot"))
_RANKING = (
    sa.select(_SNAPSHOT.ranking)
    .where(_SNAPSHOT.language_pair_id == bindparam("pair"), _SNAPSHOT.version <= bindparam("version"))
    .where(_SNAPSHOT.ranking.is_not(None))
    .order_by(_SNAPSHOT.version.desc())
    .limit(1)
)
_FORECAST = (
    sa.select(_SNAPSHOT.standing)
    .where(_SNAPSHOT.language_pair_id == bindparam("pair"), _SNAPSHOT.version <= bindparam("version"))
    .where(_SNAPSHOT.ranking.is_not(None), _SNAPSHOT.rule == bindparam("rule"), _SNAPSHOT.p == bindparam("p"))
    .order_by(_SNAPSHOT.version.desc())
    .limit(1)
)
_TOO_OLD = (
    sa.select(_SNAPSHOT.created_at)
    .where(_SNAPSHOT.language_pair_id == bindparam("pair"), _SNAPSHOT.answers < bindparam("answers"))
    .order_by(_SNAPSHOT.version.desc())
    .limit(1)
)
_NAME = sa.select(_PAIR.name).where(_PAIR.id == bindparam("pair"))
_ANSWERS = sa.select(sa.func.coalesce(sa.func.sum(_HIT.answers), 0)).where(_HIT.language_pair_id == bindparam("pair"))


def newest(tx: sa.Connection, pair_id: int) -> Snapshot | None:
    """The last snapshot of a language pair; None if nothing has been analysed yet."""
    row = tx.execute(_NEWEST, {"pair": pair_id}).first()
    return None if row is None else Snapshot(*row)


def is_met(tx: sa.Connection, pair_id: int, stop: StopSettings) -> bool:
    """Whether ``stop.rule`` says that it is enough, as far as has been analysed."""
    if not stop.rule:
        return False
    row = tx.execute(_DECISION, {"pair": pair_id}).first()
    return row is not None and row.met and (row.rule, row.p) == (stop.rule, stop.p)


def ranking_of(tx: sa.Connection, snapshot: Snapshot) -> dict[str, Any] | None:
    """The last ranking that was computed up to a snapshot: scores, ranges, boundaries and what it was made from."""
    asked = {"pair": snapshot.pair_id, "version": snapshot.version}
    ranking: dict[str, Any] | None = tx.execute(_RANKING, asked).scalar()
    return ranking


def forecast_upto(tx: sa.Connection, snapshot: Snapshot) -> dict[str, Any] | None:
    """The last forecast about a snapshot's rule up to it: one is made, and kept, with every ranking."""
    asked = {"pair": snapshot.pair_id, "version": snapshot.version, "rule": snapshot.rule, "p": snapshot.p}
    standing = tx.execute(_FORECAST, asked).scalar()
    return None if standing is None else standing["forecast"]


def answers_so_far(tx: sa.Connection, pair_id: int) -> int:
    """Screens that have ranks, repeats apart: what HITs count along."""
    return int(tx.execute(_ANSWERS, {"pair": pair_id}).scalar_one())


def outdated_since(tx: sa.Connection, pair_id: int, choice: ChoiceSettings) -> datetime | None:
    """When the last snapshot was made that is too far behind the newest to be chosen by; None if none is."""
    head = tx.execute(_HEAD, {"pair": pair_id}).first() if choice.learns else None
    if head is None:
        return None
    moment: datetime | None = tx.execute(_TOO_OLD, {"pair": pair_id, "answers": head.answers - choice.lag}).scalar()
    return moment


def advice(tx: sa.Connection, pair_id: int, choice: ChoiceSettings) -> Advice | None:
    """What a learning strategy wants asked now; None where nothing is known yet, or what is known lags too far."""
    if not choice.learns:
        return None
    head = tx.execute(_HEAD, {"pair": pair_id}).first()
    behind = answers_so_far(tx, pair_id) - (0 if head is None else head.answers)
    _note_lag(tx, pair_id, behind, choice)
    if head is None or behind > choice.lag or head.strategy != choice.strategy:
        return None
    choices = _choices(tx, pair_id, head.id, head.created_at)
    return None if choices is None else Advice(head.id, choices)


def _choices(tx: sa.Connection, pair_id: int, snapshot_id: int, made: datetime) -> Choices | None:
    """The choices of a snapshot; those of the newest are kept in memory.

    On SQLite the numbers of a deleted campaign come again, so when it was ``made`` is a part of what a snapshot is.
    """
    known = _KNOWN.setdefault(tx.engine, {})
    kept = known.get(pair_id)
    if kept is None or kept[0] != (snapshot_id, made):
        said = tx.execute(_CHOICES, {"snapshot": snapshot_id}).scalar_one()
        kept = known[pair_id] = (snapshot_id, made), None if said is None else Choices.of_dict(said)
    return kept[1]


def _note_lag(tx: sa.Connection, pair_id: int, behind: int, choice: ChoiceSettings) -> None:
    """Say in the log that screens are balanced, and later that they no longer are: once each."""
    lagging = _LAGGING.setdefault(tx.engine, set())
    if behind > choice.lag and pair_id not in lagging:
        lagging.add(pair_id)
        log.warning(
            "%s: the analysis lags %d answers behind (choice.lag is %d); screens are balanced until it has caught up",
            *(_name(tx, pair_id), behind, choice.lag),
        )  # fmt: skip
    elif behind <= choice.lag and pair_id in lagging:
        lagging.discard(pair_id)
        log.info(
            "%s: the analysis has caught up, and screens are chosen by %s again", _name(tx, pair_id), choice.strategy
        )


def _name(tx: sa.Connection, pair_id: int) -> str:
    return str(tx.execute(_NAME, {"pair": pair_id}).scalar_one())


_KNOWN: WeakKeyDictionary[sa.Engine, dict[int, tuple[tuple[int, datetime], Choices | None]]] = WeakKeyDictionary()
_LAGGING: WeakKeyDictionary[sa.Engine, set[int]] = WeakKeyDictionary()
