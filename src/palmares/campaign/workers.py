"""The workers of a campaign, for approval and payment; and their ids erased, on request."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from typing import TextIO

import sqlalchemy as sa

from ..errors import InputError
from . import journal, schema
from .control_results import NOTHING, control_results
from .crowd import spent_seconds
from .database import Database
from .definition import find_campaign, settings_of
from .group_links import last_sign, state_of_worker, worker_rows
from .people import Person, forget_worker, person_by_id
from .spreadsheets import safe_cell


@dataclass(frozen=True)
class WorkerLine:
    """One worker. The ids are None once they were erased.

    ``screens`` were dealt with, ``skipped`` of them skipped. ``minutes`` is what the pages measured, practice included;
    ``untimed`` answers came without a measured time, from browsers without JavaScript. ``failed_controls`` of
    ``controls`` damaged outputs were not ranked below their original. ``ended`` is the last sign of life of someone who
    dropped out.
    """

    worker: str | None
    study: str | None
    session: str | None
    pseudonym: str
    link: str
    state: str
    completion_code: str | None
    screens: int
    skipped: int
    minutes: float | None
    untimed: int
    failed_controls: int
    controls: int
    begun: datetime
    ended: datetime | None


def workers(db: Database, campaign: str | None) -> list[WorkerLine]:
    """Everyone who came by a group link, in that order."""
    now = db.clock()
    with db.read() as tx:
        info = find_campaign(tx, campaign)
        minutes = settings_of(tx, info.id).crowd.return_minutes
        rows = worker_rows(tx, schema.worker.c.campaign_id == info.id)
        names = _link_names(tx, info.id)
        counts, controls = _counts(tx, info.id), control_results(tx, info.id).by_judge
        seconds = spent_seconds(tx, [row.person_id for row in rows])
    lines = []
    for row in rows:
        state, person = state_of_worker(row, now, minutes), row.person_id
        screens, skipped, untimed = counts.get(person, (0, 0, 0))
        watched = controls.get(person, NOTHING)
        lines.append(
            WorkerLine(
                worker=row.worker,
                study=row.study,
                session=row.session,
                pseudonym=row.pseudonym,
                link=names[row.group_link_id],
                state=state,
                completion_code=row.completion_code,
                screens=screens,
                skipped=skipped,
                minutes=round(seconds[person] / 60, 1) if person in seconds else None,
                untimed=untimed,
                failed_controls=watched.degraded - watched.degraded_below,
                controls=watched.degraded,
                begun=row.created_at,
                ended=last_sign(row) if state == "dropped-out" else row.ended_at,
            )
        )
    return lines


def write_workers(lines: Sequence[WorkerLine], file: TextIO, *, cells: str = "escape") -> None:
    """Write workers as CSV.

    Parameters
    ----------
    lines
        What `workers` gives.
    file
        Where to; opened with ``newline=""``.
    cells
        What is done with texts that a spreadsheet would run: a policy of `spreadsheets.safe_cell`.
    """
    out = csv.writer(file, lineterminator="\n")
    rows = [[_cell(value, cells) for value in astuple(line)] for line in lines]  # refused before anything is written
    out.writerow([field.name for field in fields(WorkerLine)])
    out.writerows(rows)


@dataclass(frozen=True)
class Erased:
    """Whose ids were erased; ``gone``: from SQLite's write-ahead log, too, which someone may be reading just then."""

    person: Person
    gone: bool


def erase_worker(db: Database, campaign: str, who: str, *, by: int | None = None) -> Erased:
    """Erase what the platform calls a worker, named by that or by pseudonym; the answers stay, under the pseudonym.

    Who comes again with the same id is then a new worker. Erasing again clears the log, if it could not be cleared.
    """
    worker, person = schema.worker.c, schema.person.c
    with db.begin() as tx:
        info = find_campaign(tx, campaign)
        query = sa.select(worker.person_id).join(schema.person).where(worker.campaign_id == info.id)
        query = query.where(sa.or_(worker.worker == who, person.pseudonym == who))
        # An id may look like someone else's pseudonym: the id is meant, since workers know nothing else.
        found = tx.execute(query.order_by((worker.worker == who).desc().nulls_last())).scalars().first()
        if found is None:
            raise InputError(f"no worker {who!r} in campaign {campaign!r}; 'palmares campaign workers' lists them")
        forget_worker(tx, found)
        journal.record(tx, db, info.id, "worker-erased", person_id=found, by=by)
        person_erased = person_by_id(tx, found)
    return Erased(person_erased, db.checkpoint())


# -- inside ----------------------------------------------------------------------------------------------


def _cell(value: object, policy: str) -> object:
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return safe_cell(value, policy) if isinstance(value, str) else value


def _link_names(tx: sa.Connection, campaign_id: int) -> dict[int, str]:
    link = schema.group_link.c
    return dict(tx.execute(sa.select(link.id, link.name).where(link.campaign_id == campaign_id)).all())


def _counts(tx: sa.Connection, campaign_id: int) -> dict[int, tuple[int, int, int]]:
    """Per worker: screens dealt with, skipped ones, answers without a time; practice apart."""
    served, judgment, worker = schema.served.c, schema.judgment.c, schema.worker.c
    query = (
        sa.select(served.person_id, sa.func.count(), sa.func.count(judgment.skip))
        .add_columns(sa.func.count() - sa.func.count(judgment.seconds))
        .select_from(schema.served)
        .join(schema.worker, worker.person_id == served.person_id)
        .join(schema.judgment, schema.latest(served.id))
        .where(worker.campaign_id == campaign_id, served.lease_id.is_not(None))
        .group_by(served.person_id)
    )
    return {person: (screens, skipped, untimed) for person, screens, skipped, untimed in tx.execute(query)}
