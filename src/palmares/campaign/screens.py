"""What a judge sees: one served screen, without a trace of which system is which."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import sqlalchemy as sa
from sqlalchemy import bindparam

from ..texts.languages import LanguagePair
from . import schema
from .database import Database
from .definition import settings_of
from .people import Person
from .refusals import UnknownScreen
from .settings import Settings

Row: TypeAlias = sa.Row[tuple[object, ...]]


@dataclass(frozen=True)
class Turn:
    """One message of a conversation; ``role`` is ``system``, ``user`` or ``assistant``."""

    role: str
    content: str


@dataclass(frozen=True)
class Option:
    """One output; ``place`` counts from 1 at the top. ``turns`` if it is a conversation: then ``text`` is all of it."""

    place: int
    text: str
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True)
class ScreenView:
    """Everything the page shows.

    ``ranks`` are those of the draft, else of the stored answer, else None, by place; ``revision`` is 0 before the
    first answer. ``previous`` and ``following`` are the other screens of the same HIT. ``turns`` if what is answered
    is a conversation: then ``source`` is all of it. ``settings`` are those in force.
    """

    id: str
    practice: bool
    langs: LanguagePair
    source: str
    turns: tuple[Turn, ...]
    reference: str | None
    before: tuple[str, ...]
    after: tuple[str, ...]
    options: tuple[Option, ...]
    ranks: tuple[int | None, ...]
    skipped: str | None
    verdict: str | None
    note: str | None
    problem: bool
    revision: int
    draft_version: int
    number: int
    of: int
    previous: str | None
    following: tuple[str, ...]
    settings: Settings = field(repr=False)


def load(db: Database, person: Person, screen_id: str) -> ScreenView:
    """A screen that was served to this judge; anyone else's does not exist for them."""
    with db.read() as tx:
        return _view(tx, served_row(tx, person.id, screen_id), settings_of(tx, person.campaign_id))


def as_shown(tx: sa.Connection, person_id: int, screen_id: str, settings: Settings) -> ScreenView:
    """A screen that was served to someone, for whoever follows the campaign; by the settings of then."""
    return _view(tx, served_row(tx, person_id, screen_id), settings)


def _view(tx: sa.Connection, row: Row, settings: Settings) -> ScreenView:
    """What the page of a served screen shows."""
    segment = tx.execute(_SEGMENT_OF, {"segment": row.segment_id}).one()
    before, after = _context(tx, segment, settings.screen.context)
    latest, draft = latest_answer(tx, row.id), stored_draft(tx, row.id)
    ids = _screens_of_hit(tx, row)
    here = ids.index(row.public_id)
    return ScreenView(
        id=row.public_id,
        practice=row.purpose == "practice",
        langs=LanguagePair(row.source, row.target),
        source=segment.source,
        turns=_turns(segment.turns),
        # Where the reference is one of the outputs, showing it would tell which, whatever the settings say now.
        reference=segment.reference if settings.screen.reference and row.control != "reference" else None,
        before=before,
        after=after,
        options=_options(tx, row.places),
        ranks=shown_ranks(row, latest, draft),
        skipped=None if latest is None else latest.skip,
        verdict=None if latest is None else latest.verdict,
        note=None if latest is None else latest.note,
        problem=latest is not None and latest.problem,
        revision=0 if latest is None else latest.revision,
        draft_version=0 if draft is None else draft.version,
        number=here + 1,
        of=len(ids),
        previous=ids[here - 1] if here else None,
        following=tuple(ids[here + 1 :]),
        settings=settings,
    )


def served_row(tx: sa.Connection, person_id: int, screen_id: str, *, lock: bool = False) -> Row:
    """The record of a screen served to this judge; with ``lock``, no one else can answer it meanwhile."""
    row = tx.execute(_SERVED_LOCKED if lock else _SERVED_ROW, {"public": screen_id, "judge": person_id}).first()
    if row is None:
        raise UnknownScreen
    return row


def latest_answer(tx: sa.Connection, served_id: int) -> Row | None:
    """The latest revision of the answer to a served screen."""
    return tx.execute(_LATEST, {"served": served_id}).first()


def stored_draft(tx: sa.Connection, served_id: int) -> Row | None:
    return tx.execute(_DRAFT, {"served": served_id}).first()


def shown_ranks(row: Row, latest: Row | None, draft: Row | None) -> tuple[int | None, ...]:
    """The ranks that a page shows: of the draft, else of the stored answer, else none."""
    if draft is not None:  # newer than any answer: storing an answer removes the draft
        return tuple(draft.ranks)
    if latest is not None and latest.ranks is not None:
        return tuple(latest.ranks)
    return (None,) * len(row.places)


def _options(tx: sa.Connection, places: list[int]) -> tuple[Option, ...]:
    shown = {row.id: row for row in tx.execute(_TEXTS, {"outputs": places})}
    return tuple(
        Option(place, shown[output_id].text, _turns(shown[output_id].turns))
        for place, output_id in enumerate(places, 1)
    )


def _turns(stored: list[dict[str, str]] | None) -> tuple[Turn, ...]:
    return tuple(Turn(turn["role"], turn["content"]) for turn in stored or ())


def _context(tx: sa.Connection, segment: Row, sentences: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Source sentences before and after, of the same document; where documents are not known there is no telling."""
    if not sentences or segment.document is None:
        return (), ()
    near = {"first": segment.position - sentences, "last": segment.position + sentences}
    about = {"pair": segment.language_pair_id, "document": segment.document, **near}
    rows = tx.execute(_NEAR, about).all()
    before = tuple(text for position, text in rows if position < segment.position)
    return before, tuple(text for position, text in rows if position > segment.position)


def _screens_of_hit(tx: sa.Connection, row: Row) -> list[str]:
    if row.lease_id is None:
        return [row.public_id]
    return list(tx.scalars(_OF_LEASE, {"lease": row.lease_id}))


_SERVED, _SCREEN, _SEGMENT, _PAIR = schema.served.c, schema.screen.c, schema.segment.c, schema.language_pair.c
_SERVED_ROW = (
    sa.select(schema.served, _SCREEN.segment_id, _SCREEN.hit_id, _SCREEN.purpose, _SCREEN.control)
    .add_columns(_PAIR.source, _PAIR.target)
    .join(schema.screen, _SERVED.screen_id == _SCREEN.id)
    .join(schema.segment, _SCREEN.segment_id == _SEGMENT.id)
    .join(schema.language_pair, _SEGMENT.language_pair_id == _PAIR.id)
    .where(_SERVED.public_id == bindparam("public"), _SERVED.person_id == bindparam("judge"))
)
_SERVED_LOCKED = _SERVED_ROW.with_for_update(of=schema.served, key_share=True)
_SEGMENT_OF = sa.select(schema.segment).where(_SEGMENT.id == bindparam("segment"))
_LATEST = sa.select(schema.judgment).where(schema.latest(bindparam("served")))
_DRAFT = sa.select(schema.draft).where(schema.draft.c.served_id == bindparam("served"))
_TEXTS = sa.select(schema.output.c.id, schema.output.c.text, schema.output.c.turns).where(
    schema.output.c.id.in_(bindparam("outputs", expanding=True))
)
_NEAR = (
    sa.select(_SEGMENT.position, _SEGMENT.source)
    .where(_SEGMENT.language_pair_id == bindparam("pair"), _SEGMENT.document == bindparam("document"))
    .where(_SEGMENT.position.between(bindparam("first"), bindparam("last")))
    .order_by(_SEGMENT.position)
)
_OF_LEASE = (
    sa.select(_SERVED.public_id).where(_SERVED.lease_id == bindparam("lease")).order_by(_SERVED.position, _SERVED.id)
)
