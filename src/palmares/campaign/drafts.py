"""What was uploaded in the browser and is on its way to a campaign: in the database, where every web worker finds it.

A draft belongs to the session of who makes campaigns, or to the organiser who adds a language pair. Nobody can ask for
another's: they have no number that anybody sees.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from ..errors import InputError
from ..texts import TestSet
from . import LONGEST_DAYS, schema
from .create import PROMPT_SETTINGS, add_pairs_in, check_testset, checked_campaign_name, create_in
from .database import Database
from .packed_texts import unpack
from .people import Person, begin_session, invite_in, person_by_name
from .settings import Settings
from .setup import SetupSession, drop_ended
from .uploads import Found

_DRAFT = schema.setup_draft


@dataclass(frozen=True)
class Draft:
    """Texts that were read and checked. ``accepted``: somebody has read what was found and goes on all the same."""

    id: int
    name: str
    found: Found
    accepted: bool
    settings: Settings
    created_at: datetime


@dataclass(frozen=True)
class Begun:
    """A campaign that was made: its organiser, the link to keep, and the session that has begun."""

    organiser: Person
    link: str
    session: str
    expires: datetime


def keep_draft(db: Database, owner: SetupSession | Person, name: str, found: Found, texts: bytes) -> None:
    """Keep what was uploaded, in place of what its owner had uploaded before."""
    settings = Settings().replace(**PROMPT_SETTINGS) if found.prompts else Settings()
    if isinstance(owner, SetupSession):
        checked_campaign_name(name)
    values = {
        "name": name,
        "texts": texts,
        "findings": found.to_dict(),
        "accepted": not (found.to_accept or found.warns),
        "settings": settings.to_toml(),
        "created_at": db.clock(),
    }
    with db.begin() as tx:
        drop_ended(tx, db.clock())
        if isinstance(owner, SetupSession):
            _refuse_taken(tx, name)
        tx.execute(_DRAFT.delete().where(_of(owner)))
        tx.execute(_DRAFT.insert().values(**values, **_owner(owner)))


def draft_of(db: Database, owner: SetupSession | Person) -> Draft | None:
    """What somebody has uploaded; None if there is nothing."""
    columns = [column for column in _DRAFT.c if column.name != "texts"]
    with db.read() as tx:
        row = tx.execute(sa.select(*columns).where(_of(owner))).first()
    if row is None:
        return None
    found, settings = Found.from_dict(row.findings), Settings.from_toml(row.settings)
    return Draft(row.id, row.name, found, row.accepted, settings, row.created_at)


def texts_of(db: Database, owner: SetupSession | Person) -> tuple[TestSet, ...]:
    """The texts that somebody has uploaded."""
    with db.read() as tx:
        return _texts(tx, owner)


def accept(db: Database, owner: SetupSession | Person, checks: list[str], *, warnings: bool) -> None:
    """Note that somebody has read what was found; every check with errors must be named."""
    draft = draft_of(db, owner)
    if draft is None:
        raise _gone()
    lacking = [check for check in draft.found.to_accept if check not in checks]
    if lacking:
        raise InputError(
            f"the texts have errors ({', '.join(lacking)}); correct the files and choose them again, or tick that they "
            "are intended"
        )
    if draft.found.warns and not warnings:
        raise InputError("the texts have warnings; read them, and tick that you have")
    _change(db, owner, accepted=True)


def set_settings(db: Database, owner: SetupSession, settings: Settings) -> None:
    """Keep the settings that a campaign shall have; those that do not go with its texts are refused."""
    for testset in texts_of(db, owner):
        check_testset(settings, testset)
    _change(db, owner, settings=settings.to_toml())


def make_campaign(db: Database, session: SetupSession, organiser: str) -> Begun:
    """Make the campaign, with whoever made it as its organiser: all of it, or nothing."""
    with db.begin() as tx:
        row = _row(tx, session)
        settings = Settings.from_toml(row.settings)
        campaign_id = create_in(tx, db, row.name, settings, unpack(row.texts), organiser=organiser)
        person = person_by_name(tx, campaign_id, organiser)
        assert person is not None
        link = invite_in(tx, db, person, days=LONGEST_DAYS, by=person.id)
        token, expires = begin_session(tx, db, person)
        tx.execute(_DRAFT.delete().where(_of(session)))
    return Begun(person, link, token, expires)


def add_texts(db: Database, organiser: Person) -> list[str]:
    """Add the language pairs that an organiser has uploaded to their campaign; which."""
    with db.begin() as tx:
        testsets = unpack(_row(tx, organiser).texts)
        add_pairs_in(tx, db, organiser.campaign, testsets, by=organiser.id)
        tx.execute(_DRAFT.delete().where(_of(organiser)))
    return [str(testset.langs) for testset in testsets]


def drop_draft(db: Database, owner: SetupSession | Person) -> None:
    """Forget what somebody has uploaded."""
    with db.begin() as tx:
        tx.execute(_DRAFT.delete().where(_of(owner)))


# -- inside ----------------------------------------------------------------------------------------------


def _row(tx: sa.Connection, owner: SetupSession | Person) -> sa.Row[tuple[object, ...]]:
    """The draft that is to be used, which nobody else uses at the same time."""
    row = tx.execute(sa.select(_DRAFT).where(_of(owner)).with_for_update()).first()
    if row is None:
        raise _gone()
    if not row.accepted:
        raise InputError("nobody has said yet that what was found in the texts is intended; go back to the check")
    return row


def _texts(tx: sa.Connection, owner: SetupSession | Person) -> tuple[TestSet, ...]:
    packed = tx.execute(sa.select(_DRAFT.c.texts).where(_of(owner))).scalar()
    if packed is None:
        raise _gone()
    return unpack(packed)


def _change(db: Database, owner: SetupSession | Person, **values: object) -> None:
    with db.begin() as tx:
        if not tx.execute(_DRAFT.update().where(_of(owner)).values(values)).rowcount:
            raise _gone()


def _owner(owner: SetupSession | Person) -> dict[str, int]:
    return {"setup_link_id" if isinstance(owner, SetupSession) else "person_id": owner.id}


def _of(owner: SetupSession | Person) -> sa.ColumnElement[bool]:
    ((column, value),) = _owner(owner).items()
    return _DRAFT.c[column] == value


def _refuse_taken(tx: sa.Connection, name: str) -> None:
    if tx.execute(sa.select(schema.campaign.c.id).where(schema.campaign.c.name == name)).first():
        raise InputError(f"campaign name: got {name!r}, which another campaign has; choose another name")


def _gone() -> InputError:
    return InputError("what was uploaded is not there any more: it was used, or a day has passed; choose files again")
