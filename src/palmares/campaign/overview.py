"""How a campaign stands: what was asked and answered, by whom, and how the controls came out.

Practice is counted nowhere. A screen that several judges answer counts once for each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from statistics import median
from typing import Any

import sqlalchemy as sa

from . import Role, schema
from .analysed import Analysed, analysed
from .control_results import NOTHING, ControlResults, control_results
from .database import Database
from .definition import CampaignInfo, PairInfo, find_campaign, language_pairs, settings_of
from .leases import alive, lacking
from .left_out import left_out_of
from .settings import Settings
from .stopping import answered_by_left_out, comparisons, has_stopped


@dataclass(frozen=True)
class PairStatus:
    """One language pair.

    ``comparable`` segments have at least two different outputs. Screens are ``answered`` with ranks, ``skipped``, or
    ``open``: given out before, and still waiting for this many answers, of which judges who are at work have
    ``held`` in hand. Repeats are in none of these. ``least`` and ``most`` say how often two systems were compared.
    Of the answered ones, ``left_out`` are of judges who are left out, and count nowhere else.
    ``enough`` is whether a rule of the settings has stopped the pair. ``analysed`` is how the analysis stands, where
    the settings ask for one.
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
    analysed: Analysed | None
    left_out: int = 0


@dataclass(frozen=True)
class JudgeStatus:
    """One judge: screens ``done`` (repeats and the ``skipped`` ones among them) of the ``target`` they were asked for.

    ``at_work``: work is in their hands now. ``last`` is when they last answered. A ``program`` judges by the API.
    ``left_out``: their answers do not count.
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
    program: bool = False
    left_out: bool = False


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
        status = asdict(self)
        for key in ("created_at", "at", "until"):
            status[key] = _iso(status[key])
        for pair in status["pairs"]:
            if pair["analysed"] is not None:
                pair["analysed"]["at"] = _iso(pair["analysed"]["at"])
        status["judges"] = [{**judge, "last": _iso(judge["last"])} for judge in status["judges"]]
        return status


@dataclass(frozen=True)
class CampaignLine:
    """One campaign in a list: its language pairs, how many judges it has, and how many screens they answered."""

    name: str
    state: str
    langs: tuple[str, ...]
    judges: int
    answered: int
    created_at: datetime
    id: int = field(default=0, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        told = {key: value for key, value in asdict(self).items() if key != "id"}
        return {**told, "created_at": _iso(self.created_at)}


def campaign_lines(db: Database, *, archived: bool = False) -> list[CampaignLine]:
    """Every campaign of the database, oldest first; those in the archive only if asked for."""
    lines = []
    with db.read() as tx:
        column = schema.campaign.c
        for id, name, state, created_at in tx.execute(
            sa.select(column.id, column.name, column.state, column.created_at)
            .where(sa.true() if archived else column.archived_at.is_(None))
            .order_by(column.id)
        ).all():
            pairs = language_pairs(tx, id)
            answered, _ = _count_answers(tx, [pair.id for pair in pairs])
            langs = tuple(pair.name for pair in pairs)
            lines.append(CampaignLine(name, state, langs, _count_judges(tx, id), answered.total(), created_at, id))
    return lines


def campaign_status(db: Database, name: str | None) -> CampaignStatus:
    """Count everything, from one state of the store; without a name, of the only campaign there is."""
    return status_and_comparisons(db, name)[0]


def status_and_comparisons(
    db: Database, name: str | None
) -> tuple[CampaignStatus, dict[str, dict[tuple[str, str], int]]]:
    """`campaign_status` and, per language pair, how often every two systems were compared, by names in order.

    Both need the comparisons, which every answer takes part in: counting them is most of the work.
    """
    now = db.clock()
    with db.read() as tx:
        info = find_campaign(tx, name)
        settings = settings_of(tx, info.id)
        pairs = language_pairs(tx, info.id)
        at_work = _judges_at_work(tx, info.id, now, settings.hit.lease_minutes)
        results = control_results(tx, info.id)
        met = {pair.id: comparisons(tx, pair.id) for pair in pairs}
        status = CampaignStatus(
            name=info.name,
            state=info.state,
            created_at=info.created_at,
            at=now,
            until=settings.stop.until,
            pairs=_pairs(tx, pairs, settings, now, at_work, met, results.by_pair),
            judges=_judges(tx, info, settings.judge.screens, {person for _, person in at_work}, results.by_judge),
        )
        system = schema.system.c
        query = sa.select(system.id, system.name).where(system.language_pair_id.in_([pair.id for pair in pairs]))
        names: dict[int, str] = dict(tx.execute(query).all())
    return status, {
        pair.name: {(min(names[a], names[b]), max(names[a], names[b])): n for (a, b), n in met[pair.id].items()}
        for pair in pairs
    }


def median_seconds(db: Database, campaign_id: int) -> dict[str, float]:
    """Per pseudonym of a judge: the seconds that half of their answers took no longer than, as their page says."""
    served, judgment, person = schema.served, schema.judgment, schema.person
    query = (
        sa.select(person.c.pseudonym, judgment.c.seconds)
        .join(served, served.c.person_id == person.c.id)
        .join(judgment, judgment.c.served_id == served.c.id)
        .where(person.c.campaign_id == campaign_id, served.c.lease_id.is_not(None))
        .where(judgment.c.revision == 1, judgment.c.seconds.is_not(None))
    )
    seconds: dict[str, list[float]] = {}
    with db.read() as tx:
        for pseudonym, taken in tx.execute(query):
            seconds.setdefault(pseudonym, []).append(taken)
    return {pseudonym: median(taken) for pseudonym, taken in seconds.items()}


# -- language pairs --------------------------------------------------------------------------------------


def _pairs(
    tx: sa.Connection,
    pairs: list[PairInfo],
    settings: Settings,
    now: datetime,
    at_work: set[tuple[int, int]],
    met: Mapping[int, Mapping[tuple[int, int], int]],
    controls: Mapping[int, ControlResults],
) -> tuple[PairStatus, ...]:
    ids = [pair.id for pair in pairs]
    segments, names = _count_segments(tx, ids), _system_names(tx, ids)
    answered, skipped = _count_answers(tx, ids)
    waiting, held = _count_open_screens(tx, ids, now, settings.hit.lease_minutes)
    working = Counter(pair for pair, _ in at_work)
    statuses = []
    for pair in pairs:
        compared = met[pair.id].values()
        statuses.append(
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
                analysed=analysed(tx, pair, settings),
                left_out=answered_by_left_out(tx, pair.id),
            )
        )
    return tuple(statuses)


# -- judges ----------------------------------------------------------------------------------------------


def _judges(
    tx: sa.Connection,
    info: CampaignInfo,
    target: int,
    at_work: set[int],
    controls: Mapping[int, ControlResults],
) -> tuple[JudgeStatus, ...]:
    person = schema.person.c
    query = sa.select(person.id, person.name, person.pseudonym, person.langs, person.consented_at, person.program)
    query = query.where(person.campaign_id == info.id, person.role == Role.JUDGE.value).order_by(person.id)
    done, left_out = _done_by_judge(tx, info.id), left_out_of(tx, info.id)
    statuses = []
    for judge in tx.execute(query):
        count, skipped, last = done.get(judge.id, (0, 0, None))
        statuses.append(
            JudgeStatus(
                name=judge.name,
                pseudonym=judge.pseudonym,
                langs=tuple(judge.langs),
                consented=judge.program or judge.consented_at is not None,
                done=count,
                skipped=skipped,
                target=target,
                at_work=judge.id in at_work,
                last=last,
                controls=controls.get(judge.id, NOTHING),
                program=judge.program,
                left_out=judge.id in left_out,
            )
        )
    return tuple(statuses)


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


# -- counts, each in one query for all language pairs or judges -------------------------------------------


def _count_segments(tx: sa.Connection, ids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Per language pair: segments, and those with something to compare."""
    column = schema.segment.c
    query = sa.select(column.language_pair_id, sa.func.count(), _number_of(column.outputs > 1))
    query = query.where(column.language_pair_id.in_(ids)).group_by(column.language_pair_id)
    return {pair: (int(all_), int(comparable)) for pair, all_, comparable in tx.execute(query)}


def _system_names(tx: sa.Connection, ids: Iterable[int]) -> dict[int, tuple[str, ...]]:
    column = schema.system.c
    query = sa.select(column.language_pair_id, column.name).where(column.language_pair_id.in_(ids))
    names: dict[int, list[str]] = {}
    for pair, name in tx.execute(query):
        names.setdefault(pair, []).append(name)
    return {pair: tuple(sorted(of_pair)) for pair, of_pair in names.items()}


def _count_answers(tx: sa.Connection, ids: Iterable[int]) -> tuple[Counter[int], Counter[int]]:
    """Per language pair: screens whose latest answer has ranks, and those whose latest answer is a skip."""
    served, screen, segment, judgment = schema.served, schema.screen, schema.segment, schema.judgment
    query = (
        sa.select(segment.c.language_pair_id, judgment.c.skip.is_(None), sa.func.count())
        .select_from(
            served.join(screen, served.c.screen_id == screen.c.id)
            .join(segment)
            .join(judgment, schema.latest(served.c.id))
        )
        .where(segment.c.language_pair_id.in_(ids), screen.c.purpose == "judge", served.c.repeat_of.is_(None))
        .group_by(segment.c.language_pair_id, judgment.c.skip.is_(None))
    )
    answered, skipped = Counter[int](), Counter[int]()
    for pair, has_ranks, count in tx.execute(query):
        (answered if has_ranks else skipped)[pair] += count
    return answered, skipped


def _count_open_screens(
    tx: sa.Connection, ids: Iterable[int], now: datetime, minutes: float
) -> tuple[Counter[int], Counter[int]]:
    """Per language pair: answers that screens given out still wait for, and how many are in the hands of judges."""
    hit, screen, served, judgment, lease = schema.hit, schema.screen, schema.served, schema.judgment, schema.lease
    first = sa.and_(served.c.screen_id == screen.c.id, served.c.repeat_of.is_(None))
    given_out = lease.alias("given_out")  # what was designed ahead waits for nobody
    query = (
        sa.select(
            hit.c.language_pair_id,
            hit.c.wanted,
            _number_of(sa.and_(judgment.c.id.is_not(None), judgment.c.skip.is_(None))),
            _number_of(judgment.c.skip.is_not(None)),
            _number_of(sa.and_(judgment.c.id.is_(None), alive(now, minutes))),
        )
        .select_from(
            screen.join(hit)
            .outerjoin(served, first)
            .outerjoin(judgment, schema.latest(served.c.id))
            .outerjoin(lease, served.c.lease_id == lease.c.id)
        )
        .where(hit.c.language_pair_id.in_(ids), hit.c.closed.is_(False))
        .where(sa.exists().where(given_out.c.hit_id == hit.c.id))
        .group_by(screen.c.id, hit.c.language_pair_id, hit.c.wanted)
    )
    waiting, held = Counter[int](), Counter[int]()
    for pair, wanted, answered, skipped, in_hand in tx.execute(query):
        waiting[pair] += lacking(wanted, answered, skipped)
        held[pair] += in_hand
    return waiting, held


def _count_judges(tx: sa.Connection, campaign_id: int) -> int:
    person = schema.person.c
    query = sa.select(sa.func.count()).where(person.campaign_id == campaign_id, person.role == "judge")
    return int(tx.execute(query).scalar_one())


def _done_by_judge(tx: sa.Connection, campaign_id: int) -> dict[int, tuple[int, int, datetime]]:
    """Per judge: screens dealt with, how many of them skipped, and when the last answer came."""
    served, person, judgment = schema.served, schema.person, schema.judgment
    query = (
        sa.select(
            served.c.person_id,
            sa.func.count(),
            _number_of(judgment.c.skip.is_not(None)),
            sa.func.max(judgment.c.created_at),
        )
        .select_from(served.join(person, served.c.person_id == person.c.id).join(judgment, schema.latest(served.c.id)))
        .where(person.c.campaign_id == campaign_id, served.c.lease_id.is_not(None))
        .group_by(served.c.person_id)
    )
    return {id: (int(count), int(skipped), last) for id, count, skipped, last in tx.execute(query)}


def _judges_at_work(tx: sa.Connection, campaign_id: int, now: datetime, minutes: float) -> set[tuple[int, int]]:
    """Language pairs with the judges who have work of them in hand."""
    lease, hit, pair = schema.lease, schema.hit, schema.language_pair
    query = (
        sa.select(pair.c.id, lease.c.person_id)
        .select_from(lease.join(hit).join(pair))
        .where(pair.c.campaign_id == campaign_id, alive(now, minutes))
    )
    return {(pair_id, person_id) for pair_id, person_id in tx.execute(query)}


def _number_of(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.coalesce(sa.func.sum(sa.case((condition, 1), else_=0)), 0)
