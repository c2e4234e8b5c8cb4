"""Take answers. An answer that was acknowledged is stored, and stored once.

A form carries a random *submission* and the *revision* it was made from. The same answer again changes nothing; a
different answer from a form that is out of date is refused, with what was sent kept as the draft. Answers are never
overwritten: a change is a further revision.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam

from ..ingest.source import has_half_character
from . import journal, leases, schema
from .admission import Admission, admit
from .crowd import note_end
from .database import Database
from .people import Person, person_by_id
from .refusals import BadAnswer, Closed, Conflict, DraftConflict, Incomplete
from .screens import Row, latest_answer, served_row, shown_ranks, stored_draft

SKIP_REASONS = ("cannot-tell", "source-unclear", "wrong-language", "offensive", "technical", "other")
#: What can be said of two outputs besides their ranks; both are then ranked alike.
VERDICTS = ("both-bad",)
NOTE_LENGTH = 500
_SUBMISSION_LENGTH = 100
#: No one looks at one screen for longer; a page left open overnight says nothing.
_LONGEST = 86400.0


@dataclass(frozen=True)
class Answer:
    """Ranks from top to bottom (1 is best, ties allowed), or the reason for skipping: one of the two.

    ``verdict`` says more about two outputs that are tied: ``both-bad``. ``note`` goes with any answer; ``problem``
    marks one that the organiser should look at.
    """

    ranks: tuple[int | None, ...] | None = None
    skip: str | None = None
    verdict: str | None = None
    note: str | None = None
    problem: bool = False


@dataclass(frozen=True)
class Receipt:
    """What became of a submission. ``repeated``: it was there already. ``late``: the work had been given back."""

    screen_id: str
    revision: int
    repeated: bool
    late: bool


@dataclass(frozen=True)
class Submission:
    """An answer on its way: to which screen, from which ``revision`` of it, and what the sender calls it."""

    screen_id: str
    answer: Answer
    id: str
    revision: int = 0
    seconds: float | None = None


@dataclass(frozen=True)
class Draft:
    ranks: tuple[int | None, ...]
    version: int


def submit(
    db: Database,
    person: Person,
    screen_id: str,
    answer: Answer,
    *,
    submission: str,
    revision: int = 0,
    seconds: float | None = None,
) -> Receipt:
    """Store an answer; when this returns, it is on disk."""
    given = Submission(screen_id, answer, submission, revision, seconds)
    try:
        return db.write(lambda tx: store(tx, db, admit(tx, person.id), given))
    except Conflict:
        keep_as_draft(db, person, given)
        raise


def store(tx: sa.Connection, db: Database, judge: Admission, given: Submission) -> Receipt:
    """Store an answer in the caller's transaction."""
    _check_submission(given.id)
    row = served_row(tx, judge.person_id, given.screen_id, lock=True)
    content = _content(given.answer, len(row.places))
    revisions = tx.execute(_REVISIONS, {"served": row.id}).all()  # the latest first
    known = _stored(tx, row.id, revisions, given.id, content)
    if known is not None:
        return Receipt(given.screen_id, known.revision, True, known.late)
    if judge.state == "closed":
        raise Closed("the campaign has been closed, and takes no more answers; this one was not stored")
    latest = revisions[0] if revisions else None
    if latest is not None and judge.outcome == "screened-out":  # they know by now which outputs were watched
        raise Closed("this study has ended for you, and answers that were given cannot be changed any more")
    if latest is None and given.revision:
        raise BadAnswer("revision: this screen has no answer yet, so the revision must be 0; open the screen again")
    if latest is not None and given.revision != latest.revision:
        ranks = None if latest.ranks is None else tuple(latest.ranks)
        raise Conflict(latest.revision, ranks, latest.skip, latest.verdict)
    if any(row.submission == given.id for row in revisions):
        raise BadAnswer("submission: was used for another answer to this screen; send a change under a new one")
    values = {
        "submission": given.id,
        "revision": given.revision + 1,
        "seconds": _plausible(given.seconds),
        **content,
    }
    late = _store(tx, db, judge, row, values, latest)
    return Receipt(given.screen_id, given.revision + 1, False, late)


def save_draft(
    db: Database,
    person: Person,
    screen_id: str,
    ranks: tuple[int | None, ...],
    *,
    version: int,
    counting: bool = False,
) -> Draft:
    """Keep an unfinished answer; ``version`` is that of the draft it was made from.

    ``counting``: against the limit of changes in a minute.
    """

    def save(tx: sa.Connection) -> Draft:
        now = db.clock()
        judge = admit(tx, person.id, counting=now if counting else None)
        row = served_row(tx, person.id, screen_id, lock=True)
        _check_ranks(ranks, len(row.places), complete=False)
        if judge.state == "closed":  # so that a judge at work learns of it before the answer
            raise Closed("the campaign has been closed, and takes no more answers; this draft was not kept")
        stored = stored_draft(tx, row.id)
        if stored is not None and version != stored.version and tuple(stored.ranks) != ranks:
            raise DraftConflict(stored.version, tuple(stored.ranks))
        if stored is None and version:  # the screen was answered since: an old page must not undo that
            raise DraftConflict(0, shown_ranks(row, latest_answer(tx, row.id), None))
        leases.renew(tx, row.lease_id, now)
        return _write_draft(tx, db, row.id, ranks, stored)

    return db.write(save)


def keep_as_draft(db: Database, person: Person, given: Submission) -> None:
    """Keep the ranks of an answer that was refused, so that they are there when the judge looks."""
    ranks = given.answer.ranks
    if ranks is None:
        return
    with db.begin() as tx:
        row = served_row(tx, person.id, given.screen_id, lock=True)
        _write_draft(tx, db, row.id, ranks, stored_draft(tx, row.id))


def storable(text: str, name: str) -> str:
    """Refuse what no database stores: NUL, and halves of characters."""
    if "\0" in text or has_half_character(text):
        raise BadAnswer(f"{name}: got NUL or half a character, which no database stores; write plain text")
    return text


# -- inside ------------------------------------------------------------------------------------------


def _store(
    tx: sa.Connection, db: Database, judge: Admission, row: Row, values: dict[str, Any], latest: Row | None
) -> bool:
    """Add a revision and note what follows from it; whether the work had been given back before."""
    now, minutes = db.clock(), judge.settings.hit.lease_minutes
    in_time = row.lease_id is None or _in_time(tx, row.lease_id, now, minutes)
    late = latest is None and not in_time
    tx.execute(schema.judgment.insert(), {"served_id": row.id, "late": late, "created_at": now, **values})
    tx.execute(_DROP_DRAFT, {"served": row.id})
    if row.lease_id is None:
        _note_practice(tx, db, judge, now)
        return late
    if latest is None:
        tx.execute(_ONE_MORE_DONE, {"judge": judge.person_id})
    _note_in_hit(tx, judge, row, now, skipped=values["skip"] is not None, late=late, latest=latest)
    if judge.is_worker:
        note_end(tx, db, person_by_id(tx, judge.person_id))
    return late


def _note_in_hit(
    tx: sa.Connection, judge: Admission, row: Row, now: datetime, *, skipped: bool, late: bool, latest: Row | None
) -> None:
    """What an answer means for the judge's lease and for the HIT."""
    leases.renew(tx, row.lease_id, now)
    left = leases.unanswered(tx, row.lease_id)
    if not left:
        leases.finish(tx, [row.lease_id], now)
    if row.repeat_of is not None:  # it is of another HIT, for which it does not count
        return
    counted = (not skipped) - (latest is not None and latest.skip is None)
    if counted:
        tx.execute(_COUNT_ANSWER, {"hit": row.hit_id, "n": counted})
    # As long as its judge has something new to do, nothing can have changed about who else a HIT needs.
    new = {key: screen for key, screen in left.items() if screen is not None}
    if late or latest is not None or leases.first_wanted(tx, new, row.hit_id, judge.person_id) is None:
        leases.settle(tx, [row.hit_id], now, judge.settings.hit.lease_minutes)


def _note_practice(tx: sa.Connection, db: Database, judge: Admission, now: datetime) -> None:
    if not judge.practised:
        column = schema.person.c
        tx.execute(schema.person.update().where(column.id == judge.person_id).values(practised_at=now))
        journal.record(tx, db, judge.campaign_id, "practised", person_id=judge.person_id, by=judge.person_id)


def _in_time(tx: sa.Connection, lease_id: int, now: datetime, minutes: float) -> bool:
    """Whether the lease lives; nobody takes the work over until the answer is stored."""
    return bool(tx.execute(_LIVES, {"lease": lease_id, **leases.living(now, minutes)}).scalar_one())


def _stored(
    tx: sa.Connection, served_id: int, revisions: Sequence[Row], submission: str, content: dict[str, Any]
) -> Row | None:
    """The same answer, if it is there: under this submission, or as the latest."""
    for row in revisions:
        if row.submission == submission and _has(row, content):
            return row
    if not revisions or not _has(revisions[0], content):
        return None
    tx.execute(_DROP_DRAFT, {"served": served_id})  # a change that was taken back
    return revisions[0]


def _has(stored: Row, content: dict[str, Any]) -> bool:
    return all(getattr(stored, name) == value for name, value in content.items())


def _write_draft(
    tx: sa.Connection, db: Database, served_id: int, ranks: tuple[int | None, ...], stored: Row | None
) -> Draft:
    version = 1 if stored is None else stored.version + 1
    values = {"ranks": list(ranks), "version": version, "updated_at": db.clock()}
    if stored is None:
        tx.execute(schema.draft.insert().values(served_id=served_id, **values))
    else:
        tx.execute(schema.draft.update().where(schema.draft.c.served_id == served_id).values(values))
    return Draft(ranks, version)


def _check_submission(submission: str) -> None:
    if not 1 <= len(submission) <= _SUBMISSION_LENGTH:
        raise BadAnswer(f"submission: got {len(submission)} characters; allowed: 1 to {_SUBMISSION_LENGTH}")
    if not (submission.isascii() and submission.isprintable()):
        raise BadAnswer(f"submission: got {submission!r}; allowed: letters, digits and signs of ASCII")


def _content(answer: Answer, outputs: int) -> dict[str, Any]:
    """What a valid answer says, by column."""
    if (answer.ranks is None) == (answer.skip is None):
        raise BadAnswer("an answer has either ranks or a reason for skipping; give one of the two")
    if len(answer.note or "") > NOTE_LENGTH:
        raise BadAnswer(f"note: got {len(answer.note or '')} characters; allowed: up to {NOTE_LENGTH}")
    note = storable(answer.note or "", "note") or None
    said = {"note": note, "problem": answer.problem and note is not None}
    if answer.ranks is not None:
        ranks = _check_ranks(answer.ranks, outputs, complete=True)
        return {"ranks": ranks, "skip": None, "verdict": _checked_verdict(answer.verdict, ranks), **said}
    if answer.skip not in SKIP_REASONS:
        raise BadAnswer(f"reason: got {answer.skip!r}; allowed: {', '.join(SKIP_REASONS)}")
    if answer.verdict is not None:
        raise BadAnswer(f"verdict: got {answer.verdict!r} for a screen that was skipped; give ranks with it")
    return {"ranks": None, "skip": answer.skip, "verdict": None, **said}


def _checked_verdict(verdict: str | None, ranks: list[int]) -> str | None:
    if verdict is None:
        return None
    if verdict not in VERDICTS:
        raise BadAnswer(f"verdict: got {verdict!r}; allowed: {', '.join(VERDICTS)}, or none")
    if len(ranks) != 2 or ranks[0] != ranks[1]:
        raise BadAnswer(f"verdict: got {verdict!r} with the ranks {ranks}; it is for two outputs with the same rank")
    return verdict


def _check_ranks(ranks: tuple[int | None, ...], outputs: int, *, complete: bool) -> list[int]:
    if len(ranks) != outputs:
        raise BadAnswer(f"ranks: got {len(ranks)}; this screen has {outputs} outputs")
    given = [rank for rank in ranks if rank is not None]
    for rank in given:
        if isinstance(rank, bool) or not isinstance(rank, int) or not 1 <= rank <= outputs:
            raise BadAnswer(f"rank: got {rank!r}; allowed: 1 (best) to {outputs} (worst), ties included")
    if complete and len(given) < outputs:
        raise Incomplete(tuple(place for place, rank in enumerate(ranks, 1) if rank is None))
    return given


def _plausible(seconds: float | None) -> float | None:
    """The time a page says was spent, if it can be; it is the page's word, and nothing hangs on it."""
    if seconds is None or not math.isfinite(seconds) or seconds < 0:
        return None
    return min(float(seconds), _LONGEST)


_JUDGMENT, _LEASE, _HIT, _PERSON = schema.judgment.c, schema.lease.c, schema.hit.c, schema.person.c
_REVISIONS = (
    sa.select(schema.judgment).where(_JUDGMENT.served_id == bindparam("served")).order_by(_JUDGMENT.revision.desc())
)
_DROP_DRAFT = schema.draft.delete().where(schema.draft.c.served_id == bindparam("served"))
_LIVES = sa.select(leases.ALIVE).where(_LEASE.id == bindparam("lease")).with_for_update(key_share=True)
_COUNT_ANSWER = schema.hit.update().where(_HIT.id == bindparam("hit")).values(answers=_HIT.answers + bindparam("n"))
_ONE_MORE_DONE = schema.person.update().where(_PERSON.id == bindparam("judge")).values(done=_PERSON.done + 1)
