"""Delete a campaign: its texts, its people and all that they did, so that nothing of it is left in the database.

What people did is otherwise only added to, which triggers see to. Deleting a whole campaign is the one exception: on
PostgreSQL the transaction says so and the triggers let it through; on SQLite, where nobody else writes meanwhile, they
are taken away and put back in the same transaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from ..errors import InputError
from . import schema
from .database import Database
from .definition import find_campaign

_EVENT = schema.event.c
#: Columns that refer to rows of a campaign and have no index of their own: without one, every row that goes would be
#: looked for in all of them. The indexes are made for the transaction alone.
_UNINDEXED = (
    ("screen", "segment_id"),
    ("screen", "snapshot_id"),
    ("screen_output", "output_id"),
    ("output", "original_id"),
    ("output_system", "system_id"),
    ("system_pair", "second_id"),
    ("met", "segment_id"),
    ("event", "person_id"),
    ("event", "by_id"),
    ("lease", "person_id"),
    ("served", "person_id"),
)


#: Two deletions on PostgreSQL wait for each other on this number.
_DELETING = 1_178_422
#: Tables that name the campaign themselves, those that refer to others first.
_OF_CAMPAIGN = (
    *("client", "left_out", "publication", "image", "group_link", "event", "setting", "language_pair", "person"),
)


@dataclass(frozen=True)
class Deleted:
    """What there was. ``gone``: nothing is left in SQLite's write-ahead log either."""

    name: str
    people: int
    judgments: int
    gone: bool


@dataclass(frozen=True)
class Taken:
    """Who took everything along, when, and up to which answer."""

    at: datetime
    answer: int


def last_answer(tx: sa.Connection, campaign_id: int) -> int:
    """The number of the last answer in a campaign; 0 if there is none."""
    judgment, served, person = schema.judgment, schema.served, schema.person
    query = (
        sa.select(sa.func.coalesce(sa.func.max(judgment.c.id), 0))
        .select_from(judgment.join(served, judgment.c.served_id == served.c.id).join(person))
        .where(person.c.campaign_id == campaign_id)
    )
    return int(tx.execute(query).scalar_one())


def taken(db: Database, campaign_id: int, by: int) -> Taken | None:
    """When somebody last downloaded everything; None if they never did."""
    mine = sa.select(_EVENT.created_at, _EVENT.body).where(
        _EVENT.campaign_id == campaign_id, _EVENT.kind == "exported", _EVENT.by_id == by
    )
    with db.read() as tx:
        for at, body in tx.execute(mine.order_by(_EVENT.id.desc())):
            if body.get("what") == "everything":
                return Taken(at, body["answer"])
    return None


def has_everything(db: Database, campaign_id: int, by: int) -> bool:
    """Whether somebody has downloaded everything that there is by now."""
    found = taken(db, campaign_id, by)
    if found is None:
        return False
    with db.read() as tx:
        return last_answer(tx, campaign_id) <= found.answer


def delete_campaign(db: Database, name: str) -> Deleted:
    """Remove a campaign for good, all of it or nothing."""
    with db.read() as tx:  # a wrong name is noticed at once
        find_campaign(tx, name)
    with _indexed(db), db.begin() as tx:
        info = find_campaign(tx, name)
        _hold(tx, info.id)
        people, judgments = _counts(tx, info.id)
        with _deleting(tx), _indexed_here(tx):
            _delete_rows(tx, info.id)
        if tx.dialect.name == "sqlite":
            # Numbers of other rows come again, so the process that analyses must not go on with what it remembers.
            tx.execute(schema.analysis.delete())
    return Deleted(name, people, judgments, db.checkpoint())


def check_typed(name: str, typed: str) -> None:
    """Refuse to delete unless the name was typed."""
    if typed.strip() != name:
        raise InputError(f"name: got {typed.strip()[:100]!r}; to delete the campaign, type its name: {name}")


# -- inside ----------------------------------------------------------------------------------------------


def _hold(tx: sa.Connection, campaign_id: int) -> None:
    """Let everyone end what they are at, and nobody begin anything more: judges hold their own row while they answer.

    In the order in which locks are taken everywhere.
    """
    for table, column in (("person", "campaign_id"), ("campaign", "id"), ("language_pair", "campaign_id")):
        row = schema.metadata.tables[table].c
        tx.execute(sa.select(row.id).where(row[column] == campaign_id).order_by(row.id).with_for_update()).all()


def _counts(tx: sa.Connection, campaign_id: int) -> tuple[int, int]:
    judgment, served, person = schema.judgment, schema.served, schema.person
    mine = person.c.campaign_id == campaign_id
    people = tx.execute(sa.select(sa.func.count()).select_from(person).where(mine)).scalar_one()
    given = judgment.join(served, judgment.c.served_id == served.c.id).join(person)
    judgments = tx.execute(sa.select(sa.func.count()).select_from(given).where(mine)).scalar_one()
    return int(people), int(judgments)


def _delete_rows(tx: sa.Connection, campaign_id: int) -> None:
    """Every row that belongs to the campaign, those that refer to others first."""
    t = schema.metadata.tables

    def of(table: str, **columns: sa.Select[tuple[int]]) -> sa.Select[tuple[int]]:
        return sa.select(t[table].c.id).where(*(t[table].c[name].in_(ids) for name, ids in columns.items()))

    pairs = sa.select(t["language_pair"].c.id).where(t["language_pair"].c.campaign_id == campaign_id)
    people = sa.select(t["person"].c.id).where(t["person"].c.campaign_id == campaign_id)
    segments = of("segment", language_pair_id=pairs)
    outputs = of("output", segment_id=segments)
    systems = of("system", language_pair_id=pairs)
    screens = of("screen", segment_id=segments)
    served = of("served", screen_id=screens)
    links = sa.select(t["group_link"].c.id).where(t["group_link"].c.campaign_id == campaign_id)
    for table, column, ids in (
        ("draft", "served_id", served),
        ("judgment", "served_id", served),
        ("served", "screen_id", screens),
        ("lease", "hit_id", of("hit", language_pair_id=pairs)),
        ("screen_output", "screen_id", screens),
        ("screen", "segment_id", segments),
        ("hit", "language_pair_id", pairs),
        ("snapshot", "language_pair_id", pairs),
        ("milestone", "language_pair_id", pairs),
        ("board", "language_pair_id", pairs),
        ("met", "person_id", people),
        ("output_system", "output_id", outputs),
        ("output", "segment_id", segments),
        ("system_pair", "first_id", systems),
        ("system", "language_pair_id", pairs),
        ("segment", "language_pair_id", pairs),
        ("worker", "group_link_id", links),
        ("session", "person_id", people),
        ("invite", "person_id", people),
        ("setup_draft", "person_id", people),
        ("client", "person_id", people),
    ):
        tx.execute(t[table].delete().where(t[table].c[column].in_(ids)))
    # A client that may make campaigns belongs to none of them, whoever made it.
    tx.execute(t["client"].update().where(t["client"].c.by_id.in_(people)).values(by_id=None))
    counted = sa.select("write:" + sa.cast(t["person"].c.id, sa.Text)).where(t["person"].c.campaign_id == campaign_id)
    tx.execute(t["rate"].delete().where(t["rate"].c.key.in_(counted)))
    for table in _OF_CAMPAIGN:
        tx.execute(t[table].delete().where(t[table].c.campaign_id == campaign_id))
    tx.execute(t["campaign"].delete().where(t["campaign"].c.id == campaign_id))


@contextmanager
def _deleting(tx: sa.Connection) -> Iterator[None]:
    """Within this, rows can be deleted that are otherwise kept for ever."""
    if tx.dialect.name != "sqlite":
        tx.execute(sa.text("set local palmares.deletes_campaign = 'yes'"))
        yield
        tx.execute(sa.text("set local palmares.deletes_campaign = 'no'"))
        return
    guards = tx.execute(sa.text("select name, sql from sqlite_master where type = 'trigger'")).all()
    kept = [(name, sql) for name, sql in guards if name.endswith("_refuses_delete")]
    for name, _ in kept:
        tx.execute(sa.text(f"drop trigger {name}"))
    yield
    for _, sql in kept:
        tx.exec_driver_sql(sql)


@contextmanager
def _indexed(db: Database) -> Iterator[None]:
    """On PostgreSQL, indexes for the time of a deletion, made and dropped so that nobody who writes has to wait."""
    if db.dialect == "sqlite":
        yield
        return
    with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as alone:
        alone.execute(sa.select(sa.func.pg_advisory_lock(_DELETING)))
        try:
            for table, column in _UNINDEXED:
                alone.execute(
                    sa.text(f"drop index concurrently if exists deleting_{table}_{column}")
                )  # of one that was killed
                alone.execute(sa.text(f"create index concurrently deleting_{table}_{column} on {table} ({column})"))
            yield
        finally:
            for table, column in _UNINDEXED:
                alone.execute(sa.text(f"drop index concurrently if exists deleting_{table}_{column}"))
            alone.execute(sa.select(sa.func.pg_advisory_unlock(_DELETING)))


@contextmanager
def _indexed_here(tx: sa.Connection) -> Iterator[None]:
    """The same on SQLite, in the transaction: nobody else writes meanwhile."""
    if tx.dialect.name != "sqlite":
        yield
        return
    for table, column in _UNINDEXED:
        tx.execute(sa.text(f"create index deleting_{table}_{column} on {table} ({column})"))
    yield
    for table, column in _UNINDEXED:
        tx.execute(sa.text(f"drop index deleting_{table}_{column}"))
