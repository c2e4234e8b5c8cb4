"""Workers of a platform: how they come in by a group link, come back, and end.

The ids in the address say who someone claims to be, and prove nothing. A known worker gets in again with the cookie of
their browser or with the code that was shown to them at the start; so nobody is counted as two, and nobody acts for
another. The code follows from a secret of the browser that asked for it: whoever presses the button twice, or whose
first answer was lost on the way, gets the same code and is the same worker.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

import sqlalchemy as sa

from ..errors import InputError
from . import Role, journal, leases, schema
from .admission import admit
from .codes import as_typed, code_digest, completion_code, resume_code
from .control_results import planted_results
from .database import Database
from .definition import lock, settings_of, state_of
from .group_links import GroupLink, Row, find_link, has_room, link_by_id, take_place
from .people import Person, begin_session, enrol, person_by_id, return_work
from .refusals import CampaignError, Uninvited
from .setting_checks import CODE
from .settings import CrowdSettings, Settings

ID_LENGTH = 200
#: Why someone is not let in; the pages have words for each.
AWAY = ("full", "revoked", "expired", "paused", "closed", "no-id", "bad-id")
#: What a platform leaves in an address whose placeholders it did not fill in.
_UNFILLED = "{{"


@dataclass(frozen=True)
class PlatformIds:
    """What the address says; None where it says nothing."""

    worker: str | None = None
    study: str | None = None
    session: str | None = None

    @classmethod
    def read(cls, given: Mapping[str, str], names: CrowdSettings) -> PlatformIds:
        """The ids among the parameters of an address."""
        keys = (names.worker_parameter, names.study_parameter, names.session_parameter)
        return cls(*(_checked_id(key, given.get(key)) for key in keys))


@dataclass(frozen=True)
class Doorstep:
    """What someone who stands before a group link may know: ``away`` is why a new worker is not let in, or None."""

    link: GroupLink
    settings: Settings
    away: str | None
    #: The worker whom the ids name, if they have begun.
    known: int | None


@dataclass(frozen=True)
class Entry:
    """A worker who was let in: the token of the session, and when it ends."""

    person: Person
    session: str
    expires: datetime


@dataclass(frozen=True)
class Ending:
    """How it ended for a worker: ``completed``, ``screened-out`` or ``dropped-out``.

    ``code`` is for the platform, ``address`` leads back to it. ``seconds`` is what the pages measured, None if nothing
    was. ``may_go_on``: the campaign takes more from them than it asked for.
    """

    outcome: str
    code: str | None
    address: str | None
    seconds: float | None
    begun: datetime
    ended: datetime
    may_go_on: bool

    @property
    def minutes(self) -> int | None:
        """The time spent, for people: whole minutes, at least one."""
        return None if self.seconds is None else max(1, round(self.seconds / 60))


class TurnedAway(CampaignError):  # noqa: N818 - named for what a worker meets
    """A group link does not let this visitor in; ``reason`` is one of `AWAY`."""

    kind = "turned-away"
    status = 409

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"the group link lets nobody in now: {reason}")


class CodeNeeded(CampaignError):  # noqa: N818
    """A worker with this id has begun, and it is not known that this is the same one."""

    kind = "code-needed"
    status = 403

    def __init__(self) -> None:
        super().__init__("a worker with this id has begun already; type the code that was shown at the start")


class WrongCode(CodeNeeded):
    """The code that was typed is not that of the worker."""

    kind = "wrong-code"


# -- coming in -------------------------------------------------------------------------------------------


def look(db: Database, token: str) -> tuple[GroupLink, Settings]:
    """The link of a token; unknown ones are refused."""
    with db.read() as tx:
        link = _found(tx, token)
        return link, settings_of(tx, link.campaign_id)


def doorstep(db: Database, token: str, ids: PlatformIds) -> Doorstep:
    """What pressing the button would do. Nothing is written."""
    with db.read() as tx:
        link = _found(tx, token)
        settings = settings_of(tx, link.campaign_id)
        known = _worker_called(tx, link.campaign_id, ids.worker)
        away = _away(tx, db, link, settings, ids)
        if away is None and not has_room(tx, link, db.clock(), settings.crowd.return_minutes):
            away = "full"
        return Doorstep(link, settings, away, None if known is None else known.person_id)


def enter(db: Database, token: str, ids: PlatformIds, secret: str) -> Entry:
    """Make a judge of whoever has pressed the button; ``secret`` is their browser's.

    The same browser again is let in again. Another browser with the id of a known worker is not: `CodeNeeded`.
    """
    with db.begin() as tx:
        link = _found(tx, token)
        lock(tx, link.campaign_id)  # two at once with one id, or for the last place: the second finds the first
        link = _found(tx, token)
        settings = settings_of(tx, link.campaign_id)
        key = _key(tx, link.campaign_id)
        code = resume_code(key, secret, ids.worker)
        known = _worker_called(tx, link.campaign_id, ids.worker) or _worker_with(tx, link.campaign_id, code)
        if known is None:
            away = _away(tx, db, link, settings, ids)
            if away is None and not take_place(tx, db, link, settings.crowd.return_minutes):
                away = "full"
            if away is not None:
                raise TurnedAway(away)
            person = _new_worker(tx, db, link, ids, code)
        elif hmac.compare_digest(known.resume_digest, code_digest(key, code)):
            person = person_by_id(tx, known.person_id)
        else:
            raise CodeNeeded
        return Entry(person, *begin_session(tx, db, person))


def resume(db: Database, token: str, ids: PlatformIds, typed: str) -> Entry:
    """Let a worker in again by their code; links that let nobody new in do that, too."""
    with db.begin() as tx:
        link = _found(tx, token)
        known = _worker_with(tx, link.campaign_id, as_typed(typed))
        if known is None or (ids.worker is not None and known.worker != ids.worker):
            raise WrongCode
        person = person_by_id(tx, known.person_id)
        return Entry(person, *begin_session(tx, db, person))


def code_of(db: Database, person: Person, secret: str) -> str | None:
    """The code to come back with, for the browser in which a worker has begun; None for any other."""
    with db.read() as tx:
        row, key = _row(tx, person.id), _key(tx, person.campaign_id)
    code = None if row is None else resume_code(key, secret, row.worker)
    return code if row is not None and code and code_digest(key, code) == row.resume_digest else None


def is_worker(db: Database, person: Person, ids: PlatformIds) -> bool:
    """Whether someone is the worker whom an address names, or any worker if it names none."""
    with db.read() as tx:
        row = _row(tx, person.id)
    return row is not None and ids.worker in (None, row.worker)


# -- the end ---------------------------------------------------------------------------------------------


def note_end(tx: sa.Connection, db: Database, person: Person) -> None:
    """Note, after an answer, that a worker has failed too many controls or has done all they were asked for."""
    row = _row(tx, person.id)
    if row is None or row.outcome is not None:
        return
    settings = settings_of(tx, person.campaign_id)
    allowed = settings.crowd.screen_out_after
    if allowed and failed_controls(tx, person) >= allowed:
        _end(tx, db, person, "screened-out", settings.crowd.screened_out_code or None)
        return_work(tx, db, person, None)
    elif (done := _done(tx, person.id)) >= settings.judge.screens:
        if done >= (settings.judge.most or settings.judge.screens):  # what they hold beyond that is not asked of them
            return_work(tx, db, person, None)
        if not _in_hand(tx, db, person.id, settings):
            _complete(tx, db, person, settings)


def failed_controls(tx: sa.Connection, person: Person) -> int:
    """Damaged outputs that were not ranked below their original. (A reference may really be the worse one.)"""
    results = planted_results(tx, person.campaign_id, person.id)
    return results.degraded - results.degraded_below


def ending(db: Database, person: Person, *, nothing_left: bool = False) -> Ending | None:
    """How it ended for a worker; None for others, and while there is something to do.

    ``nothing_left``: there is no work for them. Who has done some of it is then as good as through, unless the campaign
    is only paused.
    """
    with db.read() as tx:
        row = _row(tx, person.id)
    if row is None:
        return None
    if row.outcome is None:
        with db.begin() as tx:
            admit(tx, person.id)  # as before an answer, which another window may be sending
            note_end(tx, db, person)
            if nothing_left and state_of(tx, person.campaign_id) != "paused" and _done(tx, person.id):
                _complete(tx, db, person, settings_of(tx, person.campaign_id))
    with db.read() as tx:
        row = _row(tx, person.id)
        settings = settings_of(tx, person.campaign_id)
        if row is None or row.outcome is None:
            return None
        if row.outcome == "completed" and _in_hand(tx, db, person.id, settings):  # they chose to go on
            return None
        return _shown(tx, row, settings.crowd)


def came_back(db: Database, person: Person) -> bool:
    """Give a worker who had lost their place one again, if there is one."""
    with db.read() as tx:
        row = _row(tx, person.id)
    if row is None or row.outcome != "dropped-out":
        return False
    with db.begin() as tx:
        lock(tx, person.campaign_id)
        minutes = settings_of(tx, person.campaign_id).crowd.return_minutes
        if not take_place(tx, db, link_by_id(tx, row.group_link_id), minutes):
            return False
        worker = schema.worker
        back = worker.update().where(worker.c.person_id == person.id, worker.c.outcome == "dropped-out")
        tx.execute(back.values(outcome=None, ended_at=None))
        journal.record(tx, db, person.campaign_id, "worker-came-back", person_id=person.id, by=person.id)
        return True


def spent_seconds(tx: sa.Connection, person_ids: list[int]) -> dict[int, float]:
    """What the pages measured per judge, practice and changes included; judges without any are left out."""
    served, judgment = schema.served.c, schema.judgment.c
    query = sa.select(served.person_id, sa.func.sum(judgment.seconds)).join(schema.judgment)
    query = query.where(served.person_id.in_(person_ids), judgment.seconds.is_not(None)).group_by(served.person_id)
    return {person_id: float(seconds) for person_id, seconds in tx.execute(query)}


# -- inside ----------------------------------------------------------------------------------------------


def _found(tx: sa.Connection, token: str) -> GroupLink:
    link = find_link(tx, token)
    if link is None:
        raise Uninvited
    return link


def _away(tx: sa.Connection, db: Database, link: GroupLink, settings: Settings, ids: PlatformIds) -> str | None:
    """Why a new worker is not let in, whether or not there are places."""
    state = state_of(tx, link.campaign_id)
    if state != "open":
        return state
    if ids.worker is None and settings.crowd.worker_id_needed:
        return "no-id"
    return link.shut(db.clock())


def _new_worker(tx: sa.Connection, db: Database, link: GroupLink, ids: PlatformIds, code: str) -> Person:
    person = enrol(tx, db, link.campaign_id, Role.JUDGE, link.langs)
    values = {"person_id": person.id, "campaign_id": link.campaign_id, "group_link_id": link.id}
    said = {"worker": ids.worker, "study": ids.study, "session": ids.session}
    digest = code_digest(_key(tx, link.campaign_id), code)
    tx.execute(schema.worker.insert().values(resume_digest=digest, **values, **said))
    journal.record(tx, db, link.campaign_id, "worker-entered", person_id=person.id, by=person.id, link=link.name)
    return person


def _checked_id(name: str, given: str | None) -> str | None:
    if not given or given.startswith(_UNFILLED):
        return None
    if len(given) > ID_LENGTH or not given.isprintable() or not given.strip():
        raise InputError(f"{name}: got {given[:50]!r}; allowed: 1 to {ID_LENGTH} printable characters")
    return given


def _row(tx: sa.Connection, person_id: int) -> Row | None:
    return tx.execute(sa.select(schema.worker).where(schema.worker.c.person_id == person_id)).first()


def _worker_called(tx: sa.Connection, campaign_id: int, worker: str | None) -> Row | None:
    column = schema.worker.c
    if worker is None:
        return None
    query = sa.select(schema.worker).where(column.campaign_id == campaign_id, column.worker == worker)
    return tx.execute(query).first()


def _worker_with(tx: sa.Connection, campaign_id: int, code: str) -> Row | None:
    column = schema.worker.c
    query = sa.select(schema.worker).where(column.resume_digest == code_digest(_key(tx, campaign_id), code))
    return tx.execute(query.where(column.campaign_id == campaign_id)).first()


def _complete(tx: sa.Connection, db: Database, person: Person, settings: Settings) -> None:
    _end(tx, db, person, "completed", settings.crowd.completion_code or completion_code())


def _end(tx: sa.Connection, db: Database, person: Person, outcome: str, code: str | None) -> None:
    """Store the outcome, unless there is one."""
    worker = schema.worker
    first = worker.update().where(worker.c.person_id == person.id, worker.c.outcome.is_(None))
    if tx.execute(first.values(outcome=outcome, completion_code=code, ended_at=db.clock())).rowcount:
        journal.record(tx, db, person.campaign_id, f"worker-{outcome}", person_id=person.id)


def _may_go_on(tx: sa.Connection, row: Row) -> bool:
    """Whether a worker who is through may do more: only if the campaign says how many screens at most."""
    most = settings_of(tx, row.campaign_id).judge.most
    return row.outcome == "completed" and most is not None and _done(tx, row.person_id) < most


def _shown(tx: sa.Connection, row: Row, crowd: CrowdSettings) -> Ending:
    address = {"completed": crowd.completion_url, "screened-out": crowd.screened_out_url}.get(row.outcome, "")
    code = row.completion_code
    begun = tx.execute(sa.select(schema.person.c.created_at).where(schema.person.c.id == row.person_id)).scalar_one()
    return Ending(
        outcome=row.outcome,
        code=code,
        address=address.replace(CODE, quote(code, safe="")) if address and code else None,
        seconds=spent_seconds(tx, [row.person_id]).get(row.person_id),
        begun=begun,
        ended=row.ended_at,
        may_go_on=_may_go_on(tx, row),
    )


def _done(tx: sa.Connection, person_id: int) -> int:
    """Screens dealt with, practice apart."""
    return int(tx.execute(sa.select(schema.person.c.done).where(schema.person.c.id == person_id)).scalar_one())


def _in_hand(tx: sa.Connection, db: Database, person_id: int, settings: Settings) -> bool:
    lease = schema.lease.c
    held = sa.select(lease.id).where(lease.person_id == person_id, leases.alive(db.clock(), settings.hit.lease_minutes))
    return any(leases.unanswered(tx, lease_id) for lease_id in tx.scalars(held).all())


def _key(tx: sa.Connection, campaign_id: int) -> str:
    column = schema.campaign.c
    return str(tx.execute(sa.select(column.secret).where(column.id == campaign_id)).scalar_one())
