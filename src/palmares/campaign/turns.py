"""A judge's turn: an answer is stored and the next screen given in one transaction, so in one wait for the disk."""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass, replace
from random import Random

import sqlalchemy as sa

from . import limits
from .admission import admit, look_at
from .answers import Receipt, Submission, keep_as_draft, store
from .database import Database
from .definition import settings_of
from .people import Person
from .progress import Progress, progress_of
from .refusals import CampaignError, Conflict, TooMany, fault_of
from .screens import ScreenView, load
from .work import Desk, at_a_glance, next_screen

log = logging.getLogger("palmares.campaign")
_RANDOM = secrets.SystemRandom()


@dataclass(frozen=True)
class Turn:
    """What became of an answer, how its judge and the campaign stand now, and the screen that follows, if any.

    ``over``: there will be no more work for this judge, also if they hold some.
    """

    receipt: Receipt
    state: str
    over: bool
    progress: Progress
    following: ScreenView | None


@dataclass(frozen=True)
class Now:
    """What a judge is to do now: a screen, None if there is none; the state of the campaign; how far they have come."""

    screen: str | None
    state: str
    progress: Progress


def work_now(db: Database, person: Person) -> Now:
    """The screen to answer now, in one look if the judge has it in hand already."""
    with db.read() as tx:
        judge = look_at(tx, person.id)
        screen = at_a_glance(tx, judge, db.clock())
        if screen is not None:
            return Now(screen, judge.state, progress_of(tx, judge, db))
    screen = next_screen(db, person)
    with db.read() as tx:
        judge = look_at(tx, person.id)
        return Now(screen, judge.state, progress_of(tx, judge, db))


def take_turn(
    db: Database,
    person: Person,
    given: Submission,
    *,
    onward: bool,
    beyond_target: bool = True,
    rng: Random = _RANDOM,
) -> Turn:
    """Store an answer, counted against the limit of changes, and go on to the next screen in the same go.

    Parameters
    ----------
    onward
        Whether a next screen is wanted at all.
    beyond_target
        Whether it is wanted also once the judge has done as much as was asked.
    """
    try:
        turn, screen, tried = db.write(lambda tx: _turn(tx, db, person.id, given, onward, beyond_target, rng))
    except TooMany:
        raise
    except CampaignError as error:
        _count_refused(db, person)
        if isinstance(error, Conflict):
            keep_as_draft(db, person, given)
        raise
    except Exception as error:
        if not onward or fault_of(error) is not None:
            raise
        # An answer is not lost because the screen after it cannot be made.
        log.exception("no next screen could be made")
        return take_turn(db, person, given, onward=False)
    if tried is not None:
        screen = next_screen(db, person, rng=rng, tried=[tried])
    # Looked at once the answer is stored: nobody who waits to write has to wait for that.
    return turn if screen is None else replace(turn, following=load(db, person, screen))


def _turn(
    tx: sa.Connection,
    db: Database,
    person_id: int,
    given: Submission,
    onward: bool,
    beyond_target: bool,
    rng: Random,
) -> tuple[Turn, str | None, int | None]:
    """The turn; the screen that follows; else the language pair that has none, if there may be one in another."""
    now = db.clock()
    judge = admit(tx, person_id, counting=now)
    receipt = store(tx, db, judge, given)
    judge = look_at(tx, person_id)
    progress = progress_of(tx, judge, db)
    if not onward or (progress.reached and not beyond_target):
        return Turn(receipt, judge.state, judge.is_through, progress, None), None, None
    screen, pair = Desk(db, tx, judge, rng, now).serve(set())
    if screen is None:  # who looked for work has found out what there is
        progress = progress_of(tx, judge, db)
    turn = Turn(receipt, judge.state, judge.is_through, progress, None)
    return turn, screen, None if pair is None or screen is not None else pair.id


def _count_refused(db: Database, person: Person) -> None:
    """What is refused counts too: the transaction in which it was counted came to nothing."""
    with db.begin() as tx:
        allowed = settings_of(tx, person.campaign_id).limits.writes_per_minute
        limits.count_write(tx, person.id, allowed, db.clock())
