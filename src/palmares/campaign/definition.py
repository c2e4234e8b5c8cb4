"""A campaign as its organiser defined it: found by name, its settings, its state."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from ..errors import InputError
from . import STATES, journal, schema
from .database import Database
from .settings import Settings

#: What a campaign may be called: the name becomes part of addresses.
CAMPAIGN_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
#: Longer values are not shown in a list of changes.
_SHORT = 40


@dataclass(frozen=True)
class CampaignInfo:
    id: int
    name: str
    state: str
    created_at: datetime


@dataclass(frozen=True)
class PairInfo:
    """One language pair of a campaign; it has so many ``hits``, those included that were given to nobody yet."""

    id: int
    name: str
    source: str
    target: str
    hits: int


@dataclass(frozen=True)
class Revision:
    """Settings that were put in force; ``changes`` from the ones before. ``by`` is None for the command line."""

    number: int
    at: datetime
    by: int | None
    settings: Settings
    changes: tuple[str, ...]


def campaigns(db: Database) -> list[CampaignInfo]:
    """Every campaign of the database, oldest first."""
    with db.read() as tx:
        return _campaigns(tx)


def find_campaign(tx: sa.Connection, name: str | None) -> CampaignInfo:
    """A campaign by name; without one, the only one there is."""
    every = _campaigns(tx)
    if not every:
        raise InputError("there is no campaign yet; create one with 'palmares campaign new'")
    wanted = every if name is None else [info for info in every if info.name == name]
    if len(wanted) == 1:
        return wanted[0]
    known = ", ".join(info.name for info in every)
    if name is None:
        raise InputError(f"there are several campaigns, say which: {known}")
    raise InputError(f"campaign: got {name!r}; there are: {known}")


def language_pairs(tx: sa.Connection, campaign_id: int) -> list[PairInfo]:
    return [PairInfo(*row) for row in tx.execute(_PAIRS, {"campaign": campaign_id})]


_PAIR = schema.language_pair.c
_PAIRS = (
    sa.select(_PAIR.id, _PAIR.name, _PAIR.source, _PAIR.target, _PAIR.hits)
    .where(_PAIR.campaign_id == sa.bindparam("campaign"))
    .order_by(_PAIR.id)
)


def state_of(tx: sa.Connection, campaign_id: int) -> str:
    """Whether a campaign is open, paused or closed."""
    column = schema.campaign.c
    return str(tx.execute(sa.select(column.state).where(column.id == campaign_id)).scalar_one())


def state_now(db: Database, campaign_id: int) -> str:
    """The state of a campaign, for who has no transaction of their own."""
    with db.read() as tx:
        return state_of(tx, campaign_id)


_NEWEST = (
    sa.select(schema.setting.c.body)
    .where(schema.setting.c.campaign_id == sa.bindparam("campaign"))
    .order_by(schema.setting.c.revision.desc())
    .limit(1)
)


def settings_of(tx: sa.Connection, campaign_id: int) -> Settings:
    """The settings in force."""
    return parsed_settings(tx.execute(_NEWEST, {"campaign": campaign_id}).scalar_one())


def settings_at(tx: sa.Connection, campaign_id: int, moment: datetime) -> Settings:
    """The settings that were in force at a moment; the first ones if it is earlier."""
    setting = schema.setting.c
    of_campaign = sa.select(setting.body).where(setting.campaign_id == campaign_id)
    then = of_campaign.where(setting.created_at <= moment).order_by(setting.revision.desc()).limit(1)
    body = tx.execute(then).scalar() or tx.execute(of_campaign.order_by(setting.revision).limit(1)).scalar_one()
    return parsed_settings(body)


def change_settings(db: Database, name: str, settings: Settings, *, by: int | None = None) -> int:
    """Put other settings in force; the earlier ones stay on record. Returns the new revision.

    Work that is there already stays as it was designed: the outputs on a screen, the judges that a HIT wants.
    """
    with db.begin() as tx:
        info = find_campaign(tx, name)
        for pair in language_pairs(tx, info.id):
            check_references(settings, pair.name, has_references(tx, pair.id))
            check_rule(settings, pair.name, count_systems(tx, pair.id))
        revision = store_settings(tx, db, info.id, settings)
        journal.record(tx, db, info.id, "settings-changed", by=by, revision=revision)
        return revision


def store_settings(tx: sa.Connection, db: Database, campaign_id: int, settings: Settings) -> int:
    column = schema.setting.c
    lock(tx, campaign_id)  # two changes at once get two numbers
    last = tx.execute(sa.select(sa.func.max(column.revision)).where(column.campaign_id == campaign_id)).scalar()
    revision = (last or 0) + 1
    values = {"campaign_id": campaign_id, "revision": revision, "body": settings.to_toml(), "created_at": db.clock()}
    tx.execute(schema.setting.insert().values(values))
    return revision


def revisions(db: Database, campaign_id: int) -> list[Revision]:
    """All settings that were ever in force, newest first."""
    setting, event = schema.setting.c, schema.event.c
    query = sa.select(setting.revision, setting.created_at, setting.body).where(setting.campaign_id == campaign_id)
    with db.read() as tx:
        rows = tx.execute(query.order_by(setting.revision)).all()
        events = sa.select(event.body, event.by_id).where(event.campaign_id == campaign_id)
        changed = tx.execute(events.where(event.kind.in_(("campaign-created", "settings-changed"))))
        authors = {body.get("revision", 1): by for body, by in changed}
    history: list[Revision] = []
    for number, at, body in rows:
        settings = Settings.from_toml(body)
        changes = differing(history[-1].settings, settings) if history else ()
        history.append(Revision(number, at, authors.get(number), settings, changes))
    return history[::-1]


def was_watched(tx: sa.Connection, campaign_id: int) -> bool:
    """Whether ``stop.rule`` was ever set: what answers said could then stop the campaign, and did if it has stopped.

    Settings are never changed, only followed by others, so this stays true once it is.
    """
    bodies = sa.select(schema.setting.c.body).where(schema.setting.c.campaign_id == campaign_id)
    return any(parsed_settings(body).stop.rule for body in tx.scalars(bodies))


def differing(before: Settings, after: Settings) -> tuple[str, ...]:
    """What one has otherwise than the other: ``screen.outputs: 5 → 3``; long texts by name alone."""
    old, new = _flat(before), _flat(after)
    return tuple(_change(key, old[key], new[key]) for key in new if old[key] != new[key])


def change_state(db: Database, name: str, state: str, *, by: int | None = None) -> None:
    """Open, pause (no new work; answers are taken) or close (no answers either) a campaign."""
    if state not in STATES:
        raise InputError(f"state: got {state!r}; allowed: {', '.join(STATES)}")
    with db.begin() as tx:
        lock(tx, find_campaign(tx, name).id)
        info = find_campaign(tx, name)
        if info.state == state:
            return
        if tx.execute(sa.select(schema.campaign.c.archived_at).where(schema.campaign.c.id == info.id)).scalar():
            raise InputError(
                f"campaign {name!r} is archived, so its state cannot be changed; take it out of the archive first "
                f"('palmares campaign archive {name} --restore', or on its settings page)"
            )
        tx.execute(schema.campaign.update().where(schema.campaign.c.id == info.id).values(state=state))
        journal.record(tx, db, info.id, "state-changed", by=by, was=info.state, now=state)


def lock(tx: sa.Connection, campaign_id: int) -> None:
    """Let no one else change the campaign meanwhile; judges go on."""
    column = schema.campaign.c
    tx.execute(sa.select(column.id).where(column.id == campaign_id).with_for_update(key_share=True))


def has_references(tx: sa.Connection, pair_id: int) -> bool:
    segment = schema.segment.c
    first = sa.select(segment.id).where(segment.language_pair_id == pair_id, segment.reference != "").limit(1)
    return tx.execute(first).first() is not None


def check_references(settings: Settings, langs: str, there: bool) -> None:
    """Refuse to put references among the outputs of a language pair that has none."""
    if settings.controls.reference and not there:
        raise InputError(
            f"{langs}: controls.reference: got {settings.controls.reference:g}, but no segment has a reference; "
            "give references, or set it to 0"
        )


def count_systems(tx: sa.Connection, pair_id: int) -> int:
    query = sa.select(sa.func.count()).where(schema.system.c.language_pair_id == pair_id)
    return int(tx.execute(query).scalar_one())


def check_rule(settings: Settings, langs: str, systems: int) -> None:
    """Refuse to stop by what the systems of a language pair can never show, or show before anybody judges."""
    kind, _, wanted = settings.stop.rule.partition("=")
    if kind == "widest" and int(wanted) >= systems:
        raise InputError(
            f"{langs}: stop.rule: got {settings.stop.rule}, which always holds of {systems} systems; "
            f"allowed: at most widest={systems - 1}"
        )
    if kind == "clusters" and int(wanted) > systems:
        raise InputError(
            f"{langs}: stop.rule: got {settings.stop.rule}, but there are only {systems} systems; "
            f"allowed: at most clusters={systems}"
        )


def _campaigns(tx: sa.Connection) -> list[CampaignInfo]:
    column = schema.campaign.c
    query = sa.select(column.id, column.name, column.state, column.created_at).order_by(column.id)
    return [CampaignInfo(row.id, row.name, row.state, row.created_at) for row in tx.execute(query)]


@lru_cache(maxsize=64)
def parsed_settings(text: str) -> Settings:
    """Settings from the text that the store keeps; the same text is read once."""
    return Settings.from_toml(text)


def _flat(settings: Settings) -> dict[str, Any]:
    return {
        f"{section}.{key}": value for section, table in settings.model_dump().items() for key, value in table.items()
    }


def _change(key: str, old: Any, new: Any) -> str:
    was, now = (_written(value) for value in (old, new))
    return key if max(len(was), len(now)) > _SHORT else f"{key}: {was} → {now}"


def _written(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return repr(value) if isinstance(value, str) else f"{value}"
