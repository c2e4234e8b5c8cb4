"""Who takes part: roles, invitations, sessions.

A token is 256 random bits and is known to its holder alone: the database keeps its digest.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from ..errors import InputError
from . import LONGEST_DAYS, Role, journal, leases, schema
from .database import Database
from .definition import CampaignInfo, find_campaign, lock, settings_of
from .refusals import Uninvited


@dataclass(frozen=True)
class Person:
    """Someone who takes part in one campaign. ``pseudonym`` is the name that exports use.

    A ``program`` takes part by the JSON interface, with a token instead of links.
    """

    id: int
    campaign_id: int
    campaign: str
    role: Role
    name: str
    pseudonym: str
    langs: tuple[str, ...]
    consented: bool
    practised: bool
    program: bool = False


def add_person(
    db: Database, campaign: str, role: Role | str, name: str, *, langs: Iterable[str] = (), by: int | None = None
) -> Person:
    """Add someone to a campaign; ``langs`` limits a judge to some language pairs."""
    with db.begin() as tx:
        info = find_campaign(tx, campaign)
        lock(tx, info.id)  # two of one name at once: one of them is refused
        return add_in(tx, db, info, role, name, langs=langs, by=by)


def add_in(
    tx: sa.Connection,
    db: Database,
    info: CampaignInfo,
    role: Role | str,
    name: str,
    *,
    langs: Iterable[str] = (),
    by: int | None = None,
) -> Person:
    """`add_person` in a transaction of the caller's, who has locked the campaign."""
    role, name, langs = _role(role), checked_name(name), list(dict.fromkeys(langs))
    _check_langs(tx, info, langs)
    if is_called(tx, info.id, name):
        raise InputError(f"{name!r} is in campaign {info.name!r} already; choose another name, or invite them again")
    person = enrol(tx, db, info.id, role, langs, name=name)
    journal.record(tx, db, info.id, "person-added", person_id=person.id, by=by, role=role.value, langs=langs)
    return person


def change_langs(db: Database, person: Person, langs: Iterable[str], *, by: int | None = None) -> Person:
    """Let a judge work on these language pairs from now on (none: on all); answers stay.

    Work in hand that is not of these goes back to the pool at once, since they may not be able to read it.
    """
    langs = list(dict.fromkeys(langs))
    if person.role is not Role.JUDGE:
        raise InputError(f"language pairs: {person.name!r} is {person.role}; only judges have some")
    with db.begin() as tx:
        info = find_campaign(tx, person.campaign)
        was = list(_lock(tx, person).langs)
        _check_langs(tx, info, langs)
        if sorted(was) != sorted(langs):
            tx.execute(schema.person.update().where(schema.person.c.id == person.id).values(langs=langs))
            journal.record(
                tx, db, info.id, "langs-changed", person_id=person.id, by=by, was=was or ["all"], now=langs or ["all"]
            )
            pair = schema.language_pair.c
            if langs:
                return_work(tx, db, person, by, pair.name.not_in(langs))
        return _person(tx, schema.person.c.id == person.id)


def enrol(
    tx: sa.Connection,
    db: Database,
    campaign_id: int,
    role: Role,
    langs: Sequence[str],
    *,
    name: str | None = None,
    program: bool = False,
) -> Person:
    """Add someone in a transaction that holds the campaign; who has no name is called by their pseudonym."""
    pseudonym = _new_pseudonym(tx, campaign_id, role)
    values = {"campaign_id": campaign_id, "role": role.value, "langs": list(langs), "created_at": db.clock()}
    values["program"] = program
    insert = schema.person.insert().values(pseudonym=pseudonym, name=name or pseudonym, **values)
    person_id = tx.execute(insert.returning(schema.person.c.id)).scalar_one()
    return _person(tx, schema.person.c.id == person_id)


def find_person(db: Database, campaign: str, name: str) -> Person:
    """Someone by name or pseudonym."""
    with db.read() as tx:
        info = find_campaign(tx, campaign)
        column = schema.person.c
        row = tx.execute(
            _people().where(column.campaign_id == info.id, sa.or_(column.name == name, column.pseudonym == name))
        ).first()
        if row is None:
            known = tx.scalars(
                sa.select(column.name).where(column.campaign_id == info.id).order_by(column.id).limit(20)
            )
            raise InputError(
                f"no one called {name!r} in campaign {campaign!r}; there are: {', '.join(known) or 'none'}"
            )
        return _person_of(row)


def people(db: Database, campaign_id: int) -> list[Person]:
    """Everyone in a campaign, in the order they were added."""
    with db.read() as tx:
        return [_person_of(row) for row in tx.execute(_people().where(schema.person.c.campaign_id == campaign_id))]


def people_where(
    tx: sa.Connection,
    which: sa.ColumnElement[bool],
    *,
    columns: Sequence[sa.ColumnElement[Any]] = (),
    order: Sequence[sa.ColumnElement[Any]],
    limit: int,
    offset: int = 0,
) -> list[tuple[Any, ...]]:
    """Some people, each with more of their row or of what belongs to them."""
    query = _people().add_columns(*columns).where(which).order_by(None).order_by(*order).limit(limit).offset(offset)
    return [(_person_of(row), *row[len(row) - len(columns) :]) for row in tx.execute(query)]


def by_pseudonym(db: Database, campaign_id: int, pseudonym: str) -> Person | None:
    """Someone by pseudonym; None if nobody has it."""
    person = schema.person.c
    with db.read() as tx:
        which = sa.and_(person.campaign_id == campaign_id, person.pseudonym == pseudonym)
        row = tx.execute(_people().where(which)).first()
    return None if row is None else _person_of(row)


# -- invitations and sessions ------------------------------------------------------------------------


def invite(db: Database, person: Person, *, days: float | None = None, by: int | None = None) -> str:
    """Make an invitation; return its token, which cannot be had again."""
    with db.begin() as tx:
        return invite_in(tx, db, person, days=days, by=by)


def invite_in(
    tx: sa.Connection, db: Database, person: Person, *, days: float | None = None, by: int | None = None
) -> str:
    """`invite` in a transaction of the caller's."""
    if days is not None and not 0 < days <= LONGEST_DAYS:
        raise InputError(f"days: got {days}; allowed: more than 0, up to {LONGEST_DAYS}")
    if _lock(tx, person).pseudonymised_at is not None:
        raise InputError(f"the name of {person.pseudonym} was removed, so they cannot be invited; add a new person")
    if person.program:
        raise InputError(f"{person.name!r} is a program, which opens no links; make a token for it")
    token, now = secrets.token_urlsafe(32), db.clock()
    days = settings_of(tx, person.campaign_id).access.invite_days if days is None else days
    values = {"person_id": person.id, "created_at": now, "expires_at": now + timedelta(days=days)}
    tx.execute(schema.invite.insert().values(digest=digest(token), **values))
    journal.record(tx, db, person.campaign_id, "invited", person_id=person.id, by=by, days=days)
    return token


def redeem(db: Database, token: str) -> Person | None:
    """Whom an invitation is for; None if it is unknown, revoked or too old."""
    with db.read() as tx:
        return _holder(tx, db, schema.invite, token)


def join(db: Database, token: str) -> tuple[Person, str, datetime]:
    """Begin a session by an invitation: whose it is, its token and when it ends."""
    invited = redeem(db, token)
    if invited is None:
        raise Uninvited
    with db.begin() as tx:
        _lock(tx, invited)
        if _holder(tx, db, schema.invite, token) is None:  # revoked at this very moment
            raise Uninvited
        session, expires = begin_session(tx, db, invited)
    return invited, session, expires


def begin_session(tx: sa.Connection, db: Database, person: Person) -> tuple[str, datetime]:
    """Let someone in: the token of their session, and when it ends."""
    session, now = secrets.token_urlsafe(32), db.clock()
    expires = now + timedelta(days=settings_of(tx, person.campaign_id).access.session_days)
    values = {"person_id": person.id, "digest": digest(session), "created_at": now, "expires_at": expires}
    tx.execute(schema.session.insert().values(values))
    journal.record(tx, db, person.campaign_id, "joined", person_id=person.id, by=person.id)
    return session, expires


def who(db: Database, token: str) -> Person | None:
    """Whose session this is; None if it is unknown, ended or too old."""
    with db.read() as tx:
        return _holder(tx, db, schema.session, token)


def still_signed_in(tx: sa.Connection, tokens: Collection[str], now: datetime) -> set[str]:
    """Those of some sessions that go on."""
    session, known = schema.session.c, {digest(token): token for token in tokens}
    query = sa.select(session.digest).where(session.digest.in_(list(known)), session.revoked_at.is_(None))
    return {known[found] for found in tx.scalars(query.where(session.expires_at > now))}


def sign_out(db: Database, token: str) -> None:
    """End a session."""
    with db.begin() as tx:
        person = _holder(tx, db, schema.session, token)
        if person is not None:
            _revoke(tx, db, schema.session, schema.session.c.digest == digest(token))
            journal.record(tx, db, person.campaign_id, "left", person_id=person.id, by=person.id)


def revoke(db: Database, person: Person, *, by: int | None = None) -> None:
    """End every invitation and session of someone; work they have in hand goes back at once."""
    with db.begin() as tx:
        _lock(tx, person)
        _shut_out(tx, db, person, by)
        journal.record(tx, db, person.campaign_id, "revoked", person_id=person.id, by=by)


def pseudonymise(db: Database, person: Person, *, by: int | None = None) -> bool:
    """Forget someone's name, on their request: only the pseudonym stays, and no link leads back to them.

    Returns whether the name is gone from SQLite's write-ahead log, too. It is not as long as someone reads what was
    there before; calling this again tries again.
    """
    with db.begin() as tx:
        row = _lock(tx, person)
        if row.pseudonymised_at is None:
            _shut_out(tx, db, person, by)
            forgotten = {"name": row.pseudonym, "pseudonymised_at": db.clock()}
            tx.execute(schema.person.update().where(schema.person.c.id == person.id).values(forgotten))
            forget_worker(tx, person.id)
            column = schema.client.c
            tx.execute(schema.client.update().where(column.person_id == person.id).values(name=row.pseudonym))
            journal.record(tx, db, person.campaign_id, "pseudonymised", person_id=person.id, by=by)
    gone = db.checkpoint()
    if not gone:
        with db.begin() as tx:
            journal.record(tx, db, person.campaign_id, "name-still-in-log-file", person_id=person.id, by=by)
    return gone


def forget_worker(tx: sa.Connection, person_id: int) -> None:
    """Erase what a platform calls someone who came by a group link."""
    ids = {"worker": None, "study": None, "session": None}
    tx.execute(schema.worker.update().where(schema.worker.c.person_id == person_id).values(ids))


def person_by_id(tx: sa.Connection, person_id: int) -> Person:
    return _person(tx, schema.person.c.id == person_id)


def person_by_name(tx: sa.Connection, campaign_id: int, name: str) -> Person | None:
    """Who has this name in a campaign, if anybody."""
    row = tx.execute(_people().where(schema.person.c.campaign_id == campaign_id, schema.person.c.name == name)).first()
    return None if row is None else _person_of(row)


def consent(db: Database, person: Person) -> None:
    """Note that a judge has read the instructions and agreed."""
    with db.begin() as tx:
        column = schema.person.c
        first = schema.person.update().where(column.id == person.id, column.consented_at.is_(None))
        if tx.execute(first.values(consented_at=db.clock())).rowcount:
            journal.record(tx, db, person.campaign_id, "consented", person_id=person.id, by=person.id)


def digest(token: str) -> str:
    """What the database keeps of a token. A fast hash will do: there is nothing to guess in 256 random bits."""
    return hashlib.sha256(token.encode()).hexdigest()


# -- inside ------------------------------------------------------------------------------------------


def _holder(tx: sa.Connection, db: Database, table: sa.Table, token: str) -> Person | None:
    row = tx.execute(_HOLDER[table.name], {"digest": digest(token), "now": db.clock()}).first()
    return None if row is None else _person_of(row)


def _lock(tx: sa.Connection, person: Person) -> sa.Row[tuple[object, ...]]:
    """Hold someone's row, so that doors are not opened and shut at the same time."""
    query = sa.select(schema.person).where(schema.person.c.id == person.id)
    return tx.execute(query.with_for_update(key_share=True)).one()


def _shut_out(tx: sa.Connection, db: Database, person: Person, by: int | None) -> None:
    for table in (schema.invite, schema.session, schema.client):
        _revoke(tx, db, table, table.c.person_id == person.id)
    # The code of a worker is a door, too; no code has this digest.
    shut = schema.worker.update().where(schema.worker.c.person_id == person.id)
    tx.execute(shut.values(resume_digest=f"revoked-{person.id}"))
    return_work(tx, db, person, by)


def return_work(
    tx: sa.Connection, db: Database, person: Person, by: int | None, which: sa.ColumnElement[bool] | None = None
) -> None:
    """End the leases of someone, on all work or on that of some language pairs."""
    lease, hit, pair = schema.lease, schema.hit, schema.language_pair
    mine = (
        sa.select(lease.c.id, lease.c.hit_id)
        .select_from(lease.join(hit, lease.c.hit_id == hit.c.id).join(pair, hit.c.language_pair_id == pair.c.id))
        .where(lease.c.person_id == person.id, lease.c.finished_at.is_(None), sa.true() if which is None else which)
    )
    held: dict[int, int] = dict(tx.execute(mine).all())
    leases.finish(tx, list(held), db.clock())
    for lease_id, hit_id in held.items():
        about = {"person_id": person.id, "by": by, "lease": lease_id, "hit": hit_id}
        journal.record(tx, db, person.campaign_id, "lease-returned", **about)


def _revoke(tx: sa.Connection, db: Database, table: sa.Table, which: sa.ColumnElement[bool]) -> None:
    tx.execute(table.update().where(which, table.c.revoked_at.is_(None)).values(revoked_at=db.clock()))


def _people() -> sa.Select[tuple[object, ...]]:
    person = schema.person
    return (
        sa.select(person, schema.campaign.c.name.label("campaign"))
        .select_from(person.join(schema.campaign, person.c.campaign_id == schema.campaign.c.id))
        .order_by(person.c.id)
    )


def _person(tx: sa.Connection, which: sa.ColumnElement[bool]) -> Person:
    return _person_of(tx.execute(_people().where(which)).one())


def _person_of(row: sa.Row[tuple[object, ...]]) -> Person:
    return Person(
        id=row.id,
        campaign_id=row.campaign_id,
        campaign=row.campaign,
        role=Role(row.role),
        name=row.name,
        pseudonym=row.pseudonym,
        langs=tuple(row.langs),
        consented=row.consented_at is not None,
        practised=row.practised_at is not None,
        program=bool(row.program),
    )


def _role(role: Role | str) -> Role:
    try:
        return Role(role)
    except ValueError:
        raise InputError(f"role: got {role!r}; allowed: {', '.join(Role)}") from None


def checked_name(name: str) -> str:
    """A name that someone may have; others are refused."""
    if not name.strip() or name != name.strip() or len(name) > 200 or not name.isprintable():
        raise InputError(f"name: got {name!r}; allowed: 1 to 200 printable characters, no white space around them")
    return name


def checked_langs(tx: sa.Connection, info: CampaignInfo, langs: Iterable[str]) -> list[str]:
    """Language pairs of a campaign, each once; others are refused."""
    wanted = list(dict.fromkeys(langs))
    _check_langs(tx, info, wanted)
    return wanted


def is_called(tx: sa.Connection, campaign_id: int, name: str) -> bool:
    """Whether someone has this name or pseudonym: a pseudonym may become the name."""
    person = schema.person.c
    taken = sa.select(person.id).where(person.campaign_id == campaign_id)
    return tx.execute(taken.where(sa.or_(person.name == name, person.pseudonym == name))).first() is not None


def _new_pseudonym(tx: sa.Connection, campaign_id: int, role: Role) -> str:
    while True:
        pseudonym = f"{role.value}-{secrets.token_hex(4)}"
        if not is_called(tx, campaign_id, pseudonym):
            return pseudonym


def _check_langs(tx: sa.Connection, info: CampaignInfo, langs: list[str]) -> None:
    pair = schema.language_pair
    known = list(tx.scalars(sa.select(pair.c.name).where(pair.c.campaign_id == info.id).order_by(pair.c.name)))
    for lang in langs:
        if lang not in known:
            raise InputError(f"language pair: got {lang!r}; campaign {info.name!r} has: {', '.join(known)}")


def _holder_of(table: sa.Table) -> sa.Select[tuple[object, ...]]:
    live = sa.and_(table.c.digest == sa.bindparam("digest"), table.c.revoked_at.is_(None))
    of = _people().join(table, table.c.person_id == schema.person.c.id)
    return of.where(live, table.c.expires_at > sa.bindparam("now"))


_HOLDER = {table.name: _holder_of(table) for table in (schema.invite, schema.session)}
