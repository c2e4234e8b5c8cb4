"""How a campaign stands: what was asked and answered, by whom, and how the controls came out.

Practice is counted nowhere. A screen that several judges answer counts once for each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from . import schema, tallies
from .control_results import NOTHING, ControlResults, control_results
from .database import Database
from .definition import CampaignInfo, PairInfo, find_campaign, language_pairs, settings_of
from .people import Role
from .settings import Settings
from .stopping import comparisons, has_stopped


@dataclass(frozen=True)
class PairStatus:
    """One language pair.

    ``comparable`` segments have at least two different outputs. Screens are ``answered`` with ranks, ``skipped``, or
    ``open``: given out before, and still waiting for this many answers, of which judges who are at work have
    ``held`` in hand. Repeats are in none of these. ``least`` and ``most`` say how often two systems were compared.
    ``enough`` is whether a rule of the settings has stopped the pair.
    """

    name: str
    segments: int
    comparable: int
    systems: tuple[str, ...]
    answered: int
    open: int
    held: int
    skipped: int
    least: int
    most: int
    judges_at_work: int
    enough: bool
    controls: ControlResults


@dataclass(frozen=True)
class JudgeStatus:
    """One judge: screens ``done`` (repeats and the ``skipped`` ones among them) of the ``target`` they were asked for.

    ``at_work``: work is in their hands now. ``last`` is when they last answered.
    """

    name: str
    pseudonym: str
    langs: tuple[str, ...]
    consented: bool
    done: int
    skipped: int
    target: int
    at_work: bool
    last: datetime | None
    controls: ControlResults


@dataclass(frozen=True)
class CampaignStatus:
    """A campaign at one moment, ``at``."""

    name: str
    state: str
    created_at: datetime
    at: datetime
    until: datetime | None
    pairs: tuple[PairStatus, ...]
    judges: tuple[JudgeStatus, ...]

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        made = asdict(self)
        for key in ("created_at", "at", "until"):
            made[key] = _iso(made[key])
        made["judges"] = [{**judge, "last": _iso(judge["last"])} for judge in made["judges"]]
        return made


@dataclass(frozen=True)
class CampaignLine:
    """One campaign in a list: its language pairs, how many judges it has, and how many screens they answered."""

    name: str
    state: str
    langs: tuple[str, ...]
    judges: int
    answered: int
    created_at: datetime

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {**asdict(self), "created_at": _iso(self.created_at)}


def campaign_lines(db: Database) -> list[CampaignLine]:
    """Every campaign of the database, oldest first."""
    found = []
    with db.read() as tx:
        column = schema.campaign.c
        for id, name, state, created_at in tx.execute(
            sa.select(column.id, column.name, column.state, column.created_at).order_by(column.id)
        ).all():
            pairs = language_pairs(tx, id)
            answered, _ = tallies.answers(tx, [pair.id for pair in pairs])
            langs = tuple(pair.name for pair in pairs)
            found.append(CampaignLine(name, state, langs, tallies.judges(tx, id), answered.total(), created_at))
    return found


def campaign_status(db: Database, name: str | None) -> CampaignStatus:
    """Count everything, from one state of the store; without a name, of the only campaign there is."""
    now = db.clock()
    with db.read() as tx:
        info = find_campaign(tx, name)
        settings = settings_of(tx, info.id)
        pairs = language_pairs(tx, info.id)
        at_work = tallies.at_work(tx, info.id, now, settings.hit.lease_minutes)
        results = control_results(tx, info.id)
        return CampaignStatus(
            name=info.name,
            state=info.state,
            created_at=info.created_at,
            at=now,
            until=settings.stop.until,
            pairs=_pairs(tx, pairs, settings, now, at_work, results.by_pair),
            judges=_judges(tx, info, settings.judge.screens, {person for _, person in at_work}, results.by_judge),
        )


# -- language pairs --------------------------------------------------------------------------------------


def _pairs(
    tx: sa.Connection,
    pairs: list[PairInfo],
    settings: Settings,
    now: datetime,
    at_work: set[tuple[int, int]],
    controls: Mapping[int, ControlResults],
) -> tuple[PairStatus, ...]:
    ids = [pair.id for pair in pairs]
    segments, names = tallies.segments(tx, ids), tallies.systems(tx, ids)
    answered, skipped = tallies.answers(tx, ids)
    waiting, held = tallies.open_screens(tx, ids, now, settings.hit.lease_minutes)
    working = Counter(pair for pair, _ in at_work)
    found = []
    for pair in pairs:
        compared = comparisons(tx, pair.id).values()
        found.append(
            PairStatus(
                name=pair.name,
                segments=segments[pair.id][0],
                comparable=segments[pair.id][1],
                systems=names[pair.id],
                answered=answered[pair.id],
                open=waiting[pair.id],
                held=held[pair.id],
                skipped=skipped[pair.id],
                least=min(compared, default=0),
                most=max(compared, default=0),
                judges_at_work=working[pair.id],
                enough=has_stopped(tx, pair.id, settings.stop),
                controls=controls.get(pair.id, NOTHING),
            )
        )
    return tuple(found)


# -- judges ----------------------------------------------------------------------------------------------


def _judges(
    tx: sa.Connection,
    info: CampaignInfo,
    target: int,
    at_work: set[int],
    controls: Mapping[int, ControlResults],
) -> tuple[JudgeStatus, ...]:
    person = schema.person.c
    query = sa.select(person.id, person.name, person.pseudonym, person.langs, person.consented_at)
    query = query.where(person.campaign_id == info.id, person.role == Role.JUDGE.value).order_by(person.id)
    done = tallies.done(tx, info.id)
    found = []
    for id, name, pseudonym, langs, consented_at in tx.execute(query):
        count, skipped, last = done.get(id, (0, 0, None))
        found.append(
            JudgeStatus(
                name,
                pseudonym,
                tuple(langs),
                consented_at is not None,
                count,
                skipped,
                target,
                id in at_work,
                last,
                controls.get(id, NOTHING),
            )
        )
    return tuple(found)


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
