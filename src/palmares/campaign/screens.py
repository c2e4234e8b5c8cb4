"""What a judge sees: one served screen, without a trace of which system is which, and how far they have come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import sqlalchemy as sa

from ..texts.languages import LanguagePair
from . import schema
from .database import Database
from .definition import settings_of
from .leases import alive
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

    ``ranks`` are those of the stored answer, else of the draft, else None, by place; ``revision`` is 0 before the
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
    settings: Settings


@dataclass(frozen=True)
class Progress:
    """``done`` screens, skipped ones included, of the ``target`` that the organiser asked for.

    ``in_hand`` are screens that were given to the judge and still wait for their answer.
    """

    done: int
    target: int
    in_hand: int

    @property
    def reached(self) -> bool:
        """Whether the judge has done what was asked, and finished what was begun."""
        return self.done >= self.target and not self.in_hand


def load(db: Database, person: Person, screen_id: str) -> ScreenView:
    """A screen that was served to this judge; anyone else's does not exist for them."""
    with db.read() as tx:
        row = served_row(tx, person, screen_id)
        settings = settings_of(tx, person.campaign_id)
        segment = tx.execute(sa.select(schema.segment).where(schema.segment.c.id == row.segment_id)).one()
        before, after = _context(tx, segment, settings.screen.context)
        latest, draft = latest_answer(tx, row.id), stored_draft(tx, row.id)
        ids = _screens_of_hit(tx, row)
        here = ids.index(screen_id)
        return ScreenView(
            id=screen_id,
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


def judge_progress(db: Database, person: Person) -> Progress:
    """Count the screens this judge has dealt with; practice does not count."""
    served, lease = schema.served, schema.lease
    answered = sa.exists().where(schema.judgment.c.served_id == served.c.id)
    mine = sa.select(sa.func.count()).select_from(served.join(lease)).where(served.c.person_id == person.id)
    with db.read() as tx:
        settings = settings_of(tx, person.campaign_id)
        held = alive(db.clock(), settings.hit.lease_minutes)
        done = tx.execute(mine.where(answered)).scalar_one()
        in_hand = tx.execute(mine.where(~answered, held)).scalar_one()
        return Progress(int(done), settings.judge.screens, int(in_hand))


def served_row(tx: sa.Connection, person: Person, screen_id: str, *, lock: bool = False) -> Row:
    """The record of a screen served to this judge; with ``lock``, no one else can answer it meanwhile."""
    served, screen, segment, pair = schema.served, schema.screen, schema.segment, schema.language_pair
    query = (
        sa.select(served, screen.c.segment_id, screen.c.hit_id, screen.c.purpose, screen.c.control)
        .add_columns(pair.c.source, pair.c.target)
        .join(screen, served.c.screen_id == screen.c.id)
        .join(segment, screen.c.segment_id == segment.c.id)
        .join(pair, segment.c.language_pair_id == pair.c.id)
        .where(served.c.public_id == screen_id, served.c.person_id == person.id)
    )
    row = tx.execute(query.with_for_update(of=served, key_share=True) if lock else query).first()
    if row is None:
        raise UnknownScreen
    return row


def latest_answer(tx: sa.Connection, served_id: int) -> Row | None:
    """The latest revision of the answer to a served screen."""
    return tx.execute(sa.select(schema.judgment).where(schema.latest(served_id))).first()


def stored_draft(tx: sa.Connection, served_id: int) -> Row | None:
    return tx.execute(sa.select(schema.draft).where(schema.draft.c.served_id == served_id)).first()


def shown_ranks(row: Row, latest: Row | None, draft: Row | None) -> tuple[int | None, ...]:
    """The ranks that a page shows: of the draft, else of the stored answer, else none."""
    if draft is not None:  # newer than any answer: storing an answer removes the draft
        return tuple(draft.ranks)
    if latest is not None and latest.ranks is not None:
        return tuple(latest.ranks)
    return (None,) * len(row.places)


def _options(tx: sa.Connection, places: list[int]) -> tuple[Option, ...]:
    output = schema.output.c
    rows = tx.execute(sa.select(output.id, output.text, output.turns).where(output.id.in_(places)))
    shown = {row.id: row for row in rows}
    return tuple(
        Option(place, shown[output_id].text, _turns(shown[output_id].turns))
        for place, output_id in enumerate(places, 1)
    )


def _turns(stored: list[dict[str, str]] | None) -> tuple[Turn, ...]:
    return tuple(Turn(turn["role"], turn["content"]) for turn in stored or ())


def _context(tx: sa.Connection, segment: Row, sentences: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Source sentences before and after, of the same document (where documents are known)."""
    if not sentences:
        return (), ()
    column = schema.segment.c
    near = (
        sa.select(column.position, column.source)
        .where(column.language_pair_id == segment.language_pair_id, column.position != segment.position)
        .where(column.position.between(segment.position - sentences, segment.position + sentences))
        .where(column.document == segment.document if segment.document is not None else column.document.is_(None))
        .order_by(column.position)
    )
    rows = tx.execute(near).all()
    before = tuple(text for position, text in rows if position < segment.position)
    return before, tuple(text for position, text in rows if position > segment.position)


def _screens_of_hit(tx: sa.Connection, row: Row) -> list[str]:
    if row.lease_id is None:
        return [row.public_id]
    served = schema.served.c
    query = sa.select(served.public_id).where(served.lease_id == row.lease_id)
    return list(tx.scalars(query.order_by(served.position, served.id)))
