"""The results of a language pair as they were computed last, and how they came to be so; read, never computed.

The analysis (`campaign.live`) writes them. They name systems, so nothing of them may reach a judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam

from . import schema
from .definition import PairInfo, language_pairs
from .left_out import last_change
from .live.claim import holder

#: Seconds after which an answer that is not in the results is said to be missing from them.
LATE = 15.0
#: Milestones that are read; of more, every second one, or third, and so on.
_MOST = 60

_BOARD, _MILESTONE, _JUDGMENT = schema.board.c, schema.milestone.c, schema.judgment.c


@dataclass(frozen=True)
class Board:
    """What the page of results shows of a language pair.

    ``answer`` is the last answer it rests on, with all before it; ``left_out`` the last change to who is left out.
    ``body`` has the parts (`campaign.live.board_parts`), each with the last answer that it rests on itself.
    """

    pair_id: int
    version: int
    answer: int
    left_out: int
    judgments: int
    body: dict[str, Any]
    at: datetime


@dataclass(frozen=True)
class Head:
    """What there is to know of results without reading them; every part knows the answers up to ``complete``."""

    pair_id: int
    version: int
    answer: int
    left_out: int
    judgments: int
    complete: int


@dataclass(frozen=True)
class Milestone:
    """Earlier results, in short: ``body`` has ``systems``, each with its rank range, its rank and its score."""

    version: int
    answer: int
    left_out: int
    judgments: int
    body: dict[str, Any]
    at: datetime


@dataclass(frozen=True)
class Standing:
    """How results and their analysis stand, told apart from any other state by ``mark``.

    ``condition`` is ``ok``, ``lagging`` (answers are missing that came a while ago) or ``not running`` (nobody
    analyses, although there is something to be analysed).
    """

    mark: str
    condition: str


def board_of(tx: sa.Connection, pair_id: int) -> Board | None:
    """The newest results of a language pair; None if there are none yet."""
    row = tx.execute(_NEWEST, {"pair": pair_id}).first()
    return None if row is None else Board(*row)


def head_of(tx: sa.Connection, pair_id: int) -> Head | None:
    """The same without what they say."""
    row = tx.execute(_HEAD.where(_BOARD.language_pair_id == pair_id)).first()
    return None if row is None else Head(*row)


def milestones(tx: sa.Connection, pair_id: int) -> list[Milestone]:
    """Earlier results, oldest first; of very many, some, the first and the last among them."""
    rows = [Milestone(*row) for row in tx.execute(_MILESTONES, {"pair": pair_id})]
    step = -(-len(rows) // _MOST) or 1
    return rows if step == 1 else [*rows[:-1][::step], rows[-1]]


def last_milestone(tx: sa.Connection, pair_id: int) -> Milestone | None:
    """The newest of them."""
    row = tx.execute(_MILESTONES.order_by(None).order_by(_MILESTONE.id.desc()).limit(1), {"pair": pair_id}).first()
    return None if row is None else Milestone(*row)


def last_answer(tx: sa.Connection, pair_id: int) -> int:
    """The number of the last answer of a language pair; 0 if there is none."""
    query = sa.select(sa.func.coalesce(sa.func.max(_JUDGMENT.id), 0)).select_from(_OF_A_PAIR)
    return int(tx.execute(query.where(*_JUDGED), {"pair": pair_id}).scalar_one())


def answers_since(tx: sa.Connection, pair_id: int, answer: int) -> int:
    """How many answers of a language pair came after one: skips and changed answers are answers too."""
    query = sa.select(sa.func.count()).select_from(_OF_A_PAIR).where(*_JUDGED, _JUDGMENT.id > answer)
    return int(tx.execute(query, {"pair": pair_id}).scalar_one())


def standing(tx: sa.Connection, campaign_id: int, now: datetime) -> Standing:
    """How the results of a campaign stand at this moment."""
    pairs = language_pairs(tx, campaign_id)
    heads = {head.pair_id: head for head in (Head(*row) for row in tx.execute(_of(pairs)))}
    condition = _condition(tx, campaign_id, pairs, heads, now)
    shown = tx.execute(_SHOWN, {"campaign": campaign_id}).one()
    versions = ".".join(str(heads[pair.id].version) if pair.id in heads else "0" for pair in pairs)
    revealed = "" if shown.revealed_at is None else "-revealed"
    return Standing(f"{versions}-{shown.state}-{condition.replace(' ', '-')}{revealed}-{shown.revision}", condition)


# -- inside ----------------------------------------------------------------------------------------------

_NEWEST = sa.select(
    *(_BOARD.language_pair_id, _BOARD.version, _BOARD.answer, _BOARD.left_out, _BOARD.judgments, _BOARD.body),
    _BOARD.created_at,
).where(_BOARD.language_pair_id == bindparam("pair"))
_HEAD = sa.select(
    *(_BOARD.language_pair_id, _BOARD.version, _BOARD.answer, _BOARD.left_out, _BOARD.judgments),
    sa.func.coalesce(_BOARD.body["complete"].as_integer(), 0),
)
_MILESTONES = (
    sa.select(_MILESTONE.version, _MILESTONE.answer, _MILESTONE.left_out, _MILESTONE.judgments, _MILESTONE.body)
    .add_columns(_MILESTONE.created_at)
    .where(_MILESTONE.language_pair_id == bindparam("pair"))
    .order_by(_MILESTONE.id)
)
_OF_A_PAIR = (
    schema.judgment.join(schema.served, _JUDGMENT.served_id == schema.served.c.id)
    .join(schema.screen, schema.served.c.screen_id == schema.screen.c.id)
    .join(schema.segment, schema.screen.c.segment_id == schema.segment.c.id)
)
_JUDGED = (schema.segment.c.language_pair_id == bindparam("pair"), schema.screen.c.purpose == "judge")
#: The first answer that results do not know of.
_FIRST_UNKNOWN = (
    sa.select(_JUDGMENT.created_at)
    .select_from(_OF_A_PAIR)
    .where(*_JUDGED, _JUDGMENT.id > bindparam("answer"))
    .order_by(_JUDGMENT.id)
    .limit(1)
)
_REVISION = (
    sa.select(sa.func.coalesce(sa.func.max(schema.setting.c.revision), 0))
    .where(schema.setting.c.campaign_id == schema.campaign.c.id)
    .scalar_subquery()
)
_SHOWN = sa.select(schema.campaign.c.state, schema.campaign.c.revealed_at, _REVISION.label("revision")).where(
    schema.campaign.c.id == bindparam("campaign")
)


def _of(pairs: Sequence[PairInfo]) -> sa.Select[*tuple[Any, ...]]:
    return _HEAD.where(_BOARD.language_pair_id.in_([pair.id for pair in pairs]))


def _condition(
    tx: sa.Connection, campaign_id: int, pairs: Sequence[PairInfo], heads: dict[int, Head], now: datetime
) -> str:
    late = _is_late(tx, campaign_id, pairs, heads, now)
    who = holder(tx)
    if who is not None and who.lives(now):
        return "lagging" if late else "ok"
    state = tx.execute(_SHOWN, {"campaign": campaign_id}).one().state
    return "not running" if late or state != "closed" else "ok"


def _is_late(
    tx: sa.Connection, campaign_id: int, pairs: Sequence[PairInfo], heads: dict[int, Head], now: datetime
) -> bool:
    """Whether anything that is a while ago is not in the results."""
    for pair in pairs:
        known = heads[pair.id].answer if pair.id in heads else 0
        first = tx.execute(_FIRST_UNKNOWN, {"pair": pair.id, "answer": known}).scalar()
        if first is not None and first < now - timedelta(seconds=LATE):
            return True
    changed = last_change(tx, campaign_id)
    return any(head.left_out < changed for head in heads.values())
