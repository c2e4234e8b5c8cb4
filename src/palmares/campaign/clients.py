"""Programs that use the JSON interface: their tokens, and what each may do.

A token belongs to a person of the campaign that is marked as a program: so what it does is in the log, and what it
judges is told apart everywhere. Only a token that creates campaigns belongs to none. As with links, the database keeps
a digest alone.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from ..errors import InputError
from . import LONGEST_DAYS, Role, journal, schema
from .database import Database
from .definition import CampaignInfo, find_campaign, lock
from .people import (
    Person,
    checked_langs,
    checked_name,
    digest,
    enrol,
    is_called,
    person_by_id,
    person_by_name,
    return_work,
)

#: What every token begins with: people, and programs that look for secrets in files, see what it is.
PREFIX = "palmares_"
#: The last use is noted no more often than this.
_NOTED = timedelta(minutes=1)
#: Tokens of a list on one page, at most.
MOST_LISTED = 1000


class Scope(StrEnum):
    """What a token is for."""

    CREATE = "create"
    MANAGE = "manage"
    READ = "read"
    JUDGE = "judge"


#: What each scope lets a program do, in the order in which they are offered.
SCOPES = {
    Scope.JUDGE: "judges, like a person; sees nothing but its screens",
    Scope.READ: "reads status, results, notes and exports; changes nothing",
    Scope.MANAGE: "runs the campaign: settings, systems, invitations, state, and all that can be read",
    Scope.CREATE: "creates campaigns on this server, and gets a token to manage each",
}
ROLES = {Scope.MANAGE: Role.ORGANISER, Scope.READ: Role.OBSERVER, Scope.JUDGE: Role.JUDGE}
_CLIENT, _PERSON, _CAMPAIGN = schema.client.c, schema.person.c, schema.campaign.c


@dataclass(frozen=True)
class Client:
    """A token as the store knows it. ``campaign`` and ``pseudonym`` are None for one that creates campaigns."""

    id: int
    name: str
    scope: Scope
    campaign_id: int | None
    campaign: str | None
    person_id: int | None
    pseudonym: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    used_at: datetime | None
    #: ``works``, ``revoked`` or ``expired``, when it was looked up.
    state: str

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        moments = {key: getattr(self, key) for key in ("created_at", "expires_at", "revoked_at", "used_at")}
        return {
            **{"id": self.id, "name": self.name, "scope": str(self.scope), "campaign": self.campaign},
            **{"pseudonym": self.pseudonym, "state": self.state},
            **{key: None if at is None else at.isoformat() for key, at in moments.items()},
        }


def add_client(
    db: Database,
    campaign: str | None,
    name: str,
    scope: Scope | str,
    *,
    langs: Iterable[str] = (),
    days: float | None = None,
    by: int | None = None,
) -> tuple[Client, str]:
    """Make a token; it is returned with what the store knows of it, and cannot be had again.

    Parameters
    ----------
    campaign
        The campaign that it is for; None for one that creates campaigns.
    name
        What the program is called. One that has a token of this scope already gets a further one, and stays who it is.
    langs
        Limits a program that judges to some language pairs.
    days
        After so many days it ends; None: never.
    """
    scope = _scope(scope)
    with db.begin() as tx:
        if scope is Scope.CREATE:
            return _added_for_server(tx, db, campaign, checked_name(name), langs, days)
        info = find_campaign(tx, campaign)
        lock(tx, info.id)
        return add_client_in(tx, db, info, name, scope, langs=langs, days=days, by=by)


def add_client_in(
    tx: sa.Connection,
    db: Database,
    info: CampaignInfo,
    name: str,
    scope: Scope,
    *,
    langs: Iterable[str] = (),
    days: float | None = None,
    by: int | None = None,
) -> tuple[Client, str]:
    """`add_client` for a campaign that the caller has locked."""
    person = _program(tx, db, info, checked_name(name), scope, checked_langs(tx, info, langs), by)
    values = {"campaign_id": info.id, "person_id": person.id, "name": person.name, "by_id": by}
    client, token = _insert(tx, db, scope, days, values)
    about = {"scope": scope.value, "token": client.id, "days": days}
    journal.record(tx, db, info.id, "token-added", person_id=person.id, by=by, **about)
    return client, token


def revoke_client(db: Database, client: Client, *, by: int | None = None) -> bool:
    """End a token, and return work in its hands; False if it had been revoked before."""
    with db.begin() as tx:
        mine = sa.and_(_CLIENT.id == client.id, _CLIENT.revoked_at.is_(None))
        if not tx.execute(schema.client.update().where(mine).values(revoked_at=db.clock())).rowcount:
            return False
        if client.campaign_id is not None and client.person_id is not None:
            about = {"person_id": client.person_id, "by": by, "token": client.id}
            journal.record(tx, db, client.campaign_id, "token-revoked", **about)
            if not _has_others(tx, db, client):
                return_work(tx, db, person_by_id(tx, client.person_id), by)
        return True


def clients(db: Database, campaign: str | None, *, after: int = 0, limit: int = MOST_LISTED) -> list[Client]:
    """The tokens of a campaign in the order they were made, or (None) those that create campaigns."""
    with db.read() as tx:
        campaign_id = None if campaign is None else find_campaign(tx, campaign).id
        which = _CLIENT.campaign_id.is_not_distinct_from(campaign_id)
        return [
            _client(row, db.clock()) for row in tx.execute(_clients().where(which, _CLIENT.id > after).limit(limit))
        ]


def find_client(db: Database, campaign: str | None, name_or_id: str) -> list[Client]:
    """The tokens of a program that are not revoked, by its name or pseudonym, or one by its number."""
    every = [client for client in clients(db, campaign) if client.revoked_at is None]
    found = [client for client in every if name_or_id in (str(client.id), client.name, client.pseudonym)]
    if not found:
        known = ", ".join(dict.fromkeys(client.name for client in every)) or "none"
        raise InputError(f"token: got {name_or_id!r}; programs that have one: {known}")
    return found


def holder(db: Database, token: str) -> Client | None:
    """Whose token this is, also if it works no more; None if there is no such token."""
    with db.read() as tx:
        row = tx.execute(_HELD, {"digest": digest(token)}).first()
    return None if row is None else _client(row, db.clock())


def note_use(db: Database, client: Client) -> None:
    """Note that a token was used, unless that was noted a moment ago."""
    now = db.clock()
    if client.used_at is not None and client.used_at <= now < client.used_at + _NOTED:
        return
    db.write(lambda tx: tx.execute(schema.client.update().where(_CLIENT.id == client.id).values(used_at=now)))


def person_of(db: Database, client: Client) -> Person:
    """The program that a token belongs to."""
    assert client.person_id is not None
    with db.read() as tx:
        return person_by_id(tx, client.person_id)


def created_by(db: Database, client: Client) -> set[int]:
    """The campaigns that were made with a token."""
    event = schema.event.c
    query = sa.select(event.campaign_id, event.body).where(event.kind == "campaign-created")
    with db.read() as tx:
        return {campaign_id for campaign_id, body in tx.execute(query) if body.get("token") == client.id}


# -- inside ----------------------------------------------------------------------------------------------


def _scope(scope: Scope | str) -> Scope:
    try:
        return Scope(scope)
    except ValueError:
        raise InputError(f"scope: got {scope!r}; allowed: {', '.join(Scope)}") from None


def _added_for_server(
    tx: sa.Connection, db: Database, campaign: str | None, name: str, langs: Iterable[str], days: float | None
) -> tuple[Client, str]:
    if campaign is not None or list(langs):
        raise InputError("scope: got create, which is for the whole server; leave the campaign and its languages out")
    return _insert(tx, db, Scope.CREATE, days, {"campaign_id": None, "person_id": None, "name": name})


def _program(
    tx: sa.Connection, db: Database, info: CampaignInfo, name: str, scope: Scope, langs: list[str], by: int | None
) -> Person:
    """The program of this name, added if it is not there; people, and programs of another scope, are refused."""
    role = ROLES[scope]
    if langs and scope is not Scope.JUDGE:
        raise InputError(
            f"language pairs: got {', '.join(langs)} for scope {scope}; only programs that judge have some"
        )
    known = person_by_name(tx, info.id, name)
    if known is not None:
        if not known.program or known.role is not role:
            what = f"a program with the role {known.role}" if known.program else "a person"
            raise InputError(f"{name!r} is in campaign {info.name!r} already, as {what}; choose another name")
        if langs and sorted(langs) != sorted(known.langs):
            raise InputError(f"{name!r} judges {', '.join(known.langs) or 'all language pairs'}; leave the pairs out")
        return known
    if is_called(tx, info.id, name):
        raise InputError(f"{name!r} is a pseudonym in campaign {info.name!r}; choose another name")
    person = enrol(tx, db, info.id, role, langs, name=name, program=True)
    about = {"role": role.value, "langs": langs, "program": True}
    journal.record(tx, db, info.id, "person-added", person_id=person.id, by=by, **about)
    return person


def _insert(
    tx: sa.Connection, db: Database, scope: Scope, days: float | None, values: dict[str, Any]
) -> tuple[Client, str]:
    if days is not None and not 0 < days <= LONGEST_DAYS:
        raise InputError(
            f"days: got {days}; allowed: more than 0, up to {LONGEST_DAYS}; leave it out for a lasting one"
        )
    token, now = PREFIX + secrets.token_urlsafe(32), db.clock()
    ends = None if days is None else now + timedelta(days=days)
    row = {**values, "digest": digest(token), "scopes": [scope.value], "created_at": now, "expires_at": ends}
    client_id = tx.execute(schema.client.insert().values(row).returning(_CLIENT.id)).scalar_one()
    return _client(tx.execute(_clients().where(_CLIENT.id == client_id)).one(), now), token


def _has_others(tx: sa.Connection, db: Database, client: Client) -> bool:
    """Whether a program has another token that works."""
    works = sa.or_(_CLIENT.expires_at.is_(None), _CLIENT.expires_at > db.clock())
    others = sa.select(_CLIENT.id).where(_CLIENT.person_id == client.person_id, _CLIENT.revoked_at.is_(None), works)
    return tx.execute(others.limit(1)).first() is not None


def _clients() -> sa.Select[tuple[object, ...]]:
    known = ("id", "scopes", "campaign_id", "person_id", "created_at", "expires_at", "revoked_at", "used_at")
    return (
        sa.select(
            *(_CLIENT[name] for name in known),
            sa.func.coalesce(_PERSON.name, _CLIENT.name).label("name"),
            _CAMPAIGN.name.label("campaign"),
            _PERSON.pseudonym,
        )
        .outerjoin_from(schema.client, schema.campaign, _CLIENT.campaign_id == _CAMPAIGN.id)
        .outerjoin(schema.person, _CLIENT.person_id == _PERSON.id)
        .order_by(_CLIENT.id)
    )


_HELD = _clients().where(_CLIENT.digest == sa.bindparam("digest"))


def _client(row: sa.Row[tuple[object, ...]], now: datetime) -> Client:
    fields = {name: value for name, value in row._asdict().items() if name != "scopes"}
    is_over = row.expires_at is not None and row.expires_at <= now
    state = "revoked" if row.revoked_at is not None else "expired" if is_over else "works"
    return Client(scope=Scope(row.scopes[0]), state=state, **fields)
