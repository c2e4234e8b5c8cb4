"""The store itself: opened with care, only ever added to, copied while in use, brought from version to version."""

from __future__ import annotations

import json
import sqlite3
import stat
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from postgres import shared_cluster
from stores import Clock, answer, judge_screens, new_campaign, new_judge, next_view, sample_texts

from palmares.campaign import schema
from palmares.campaign.create import create_campaign
from palmares.campaign.database import Database, default_url
from palmares.campaign.migrations import head, known
from palmares.campaign.people import find_person
from palmares.campaign.refusals import DatabaseError, FileGone, StoreAway, StoreFull, fault_of
from palmares.campaign.settings import Settings


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a database without tables is, or may be made."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/empty.db"
        return
    url = shared_cluster().create()
    yield url
    shared_cluster().drop(url)


@pytest.fixture
def postgresql_db() -> Iterator[Database]:
    url = shared_cluster().create()
    database = Database.open(url, create=True)
    yield database
    database.close()
    shared_cluster().drop(url)


def unchecked(url: str) -> Database:
    """A store of whatever version."""

    class Unchecked(Database):
        def check_revision(self, *, outdated: bool = False) -> None:
            pass

    return Unchecked.open(url)


# -- opening -------------------------------------------------------------------------------------------


def test_a_database_is_made_once_and_then_found(empty_url: str) -> None:
    first = Database.open(empty_url, create=True)
    new_campaign(first)
    first.close()
    again = Database.open(empty_url, create=True)
    assert again.revision() == head() == max(known())
    with again.read() as tx:
        assert tx.execute(sa.select(schema.campaign.c.name)).scalar_one() == "news"
    again.close()


def test_an_empty_database_is_not_made_unasked(empty_url: str) -> None:
    if empty_url.startswith("sqlite"):
        with pytest.raises(
            DatabaseError, match=r"empty\.db: no such file; create a campaign with 'palmares campaign new'"
        ):
            Database.open(empty_url)
        Path(empty_url.removeprefix("sqlite:///")).touch()
    with pytest.raises(DatabaseError, match="has no campaign yet; create one with 'palmares campaign new'"):
        Database.open(empty_url)


def test_a_database_of_something_else_is_left_alone(empty_url: str) -> None:
    engine = sa.create_engine(empty_url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as tx:
        tx.execute(sa.text("create table guests (id integer)"))
    engine.dispose()
    with pytest.raises(DatabaseError, match=r"has other tables \(guests\) and no campaign; name an empty database"):
        Database.open(empty_url, create=True)


@pytest.mark.parametrize(
    "url", ["mysql://x/y", "sqlite://", "sqlite:///:memory:", "nonsense", "", "postgresql+asyncpg://x"]
)
def test_a_url_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(
        DatabaseError, match=r"database: got .*; allowed: sqlite:///FILE or postgresql://USER@HOST/NAME"
    ):
        Database.open(url, create=True)


def test_files_that_are_no_database_are_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Dear diary, this is no database.")
    cases = {
        "notes.txt": "is not an SQLite database; name another file",
        "none/x.db": "is not a file, or its folder is missing; name a file in a folder that exists",
        "": "is not a file, or its folder is missing",
    }
    for name, message in cases.items():
        with pytest.raises(DatabaseError, match=message):
            Database.open(f"sqlite:///{tmp_path}/{name}", create=True)
    (tmp_path / "broken.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    with pytest.raises(DatabaseError, match="cannot be opened"):
        Database.open(f"sqlite:///{tmp_path}/broken.db")


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    with pytest.raises(DatabaseError, match="cannot be opened") as refusal:
        Database.open("postgresql://ann:s3cret@/x?host=/nowhere&connect_timeout=2")
    assert "s3cret" not in str(refusal.value)
    assert "ann:***@" in str(refusal.value)


def test_the_environment_names_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PALMARES_DATABASE", raising=False)
    assert default_url() == "sqlite:///palmares.db"
    monkeypatch.setenv("PALMARES_DATABASE", "postgresql://x/y")
    assert default_url() == "postgresql://x/y"


# -- versions ------------------------------------------------------------------------------------------


def test_migrations_make_the_tables_that_the_code_names(db: Database) -> None:
    with db.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, schema.metadata) == []


def of_version_0002(url: str) -> dict[str, list[dict[str, Any]]]:
    """Make a database of the version before: its tables, and the rows that its code wrote; return the rows."""
    if url.startswith("sqlite"):
        Path(url.removeprefix("sqlite:///")).touch()
    old = unchecked(url)
    old.upgrade("0002")
    rows: dict[str, list[dict[str, Any]]] = json.loads(Path(__file__).with_name("version_0002.json").read_text())
    with closing(old), old.begin() as tx:
        there = sa.MetaData()
        there.reflect(tx)
        for table in there.sorted_tables:
            for row in rows.get(table.name, []):
                values = {name: _as_stored(table.c[name], value) for name, value in row.items()}
                tx.execute(table.insert().values(values))
            if old.dialect == "postgresql" and "id" in table.c and rows.get(table.name):
                last = max(row["id"] for row in rows[table.name])
                tx.execute(sa.text(f"select setval(pg_get_serial_sequence('{table.name}', 'id'), {last})"))
    return rows


def _as_stored(column: sa.Column[Any], value: Any) -> Any:
    if value is None:
        return sa.null()  # a JSON column would store the word
    if column.name.endswith("_at") and isinstance(value, str):
        moment = datetime.fromisoformat(value)
        return moment if getattr(column.type, "timezone", False) else moment.replace(tzinfo=None)
    return value


def test_a_database_of_the_version_before_is_upgraded_and_goes_on(empty_url: str, clock: Clock) -> None:
    rows = of_version_0002(empty_url)
    with pytest.raises(DatabaseError, match="has version 0002, this palmares needs 0005; stop the server and run"):
        Database.open(empty_url)
    with closing(unchecked(empty_url)) as old:
        old.upgrade()
        old.upgrade()  # there is nothing to do
    clock.now = datetime.fromisoformat(rows["judgment"][-1]["created_at"])
    with closing(Database.open(empty_url, clock=clock)) as now:
        _check_kept(now, rows)
        _check_guarded(now)
        _check_counted(now, rows)
        ann = find_person(now, "news", "ann")
        view = next_view(now, ann)
        assert view is not None
        assert view.draft_version == 1  # where she left off
        answer(now, ann, view)
        judge_screens(now, new_judge(now, "zoe"), 3)


def _check_kept(now: Database, rows: dict[str, list[dict[str, Any]]]) -> None:
    for table in schema.metadata.sorted_tables:
        known = [column for column in table.c if rows.get(table.name) and column.name in rows[table.name][0]]
        if known:
            with now.read() as tx:
                kept = [row._asdict() for row in tx.execute(sa.select(*known).order_by(*table.primary_key))]
            assert [
                {k: v.isoformat() if isinstance(v, datetime) else v for k, v in row.items()} for row in kept
            ] == rows[table.name]


def _check_counted(now: Database, rows: dict[str, list[dict[str, Any]]]) -> None:
    """What the new columns and tables count, counted by hand from the old rows."""
    of_lease = {row["id"]: row for row in rows["served"] if row["lease_id"] is not None}
    done = Counter(of_lease[key]["person_id"] for key in {row["served_id"] for row in rows["judgment"]} & set(of_lease))
    segment = {row["id"]: row["segment_id"] for row in rows["screen"]}
    met = Counter((r["person_id"], segment[r["screen_id"]]) for r in of_lease.values() if r["repeat_of"] is None)
    with now.read() as tx:
        assert {key: n for key, n in tx.execute(sa.select(schema.person.c.id, schema.person.c.done)) if n} == done
        assert {(a, b): n for a, b, n in tx.execute(sa.select(schema.met))} == met
        pairs = sa.select(schema.language_pair.c.id, schema.language_pair.c.hits)
        assert dict(tx.execute(pairs).all()) == Counter(row["language_pair_id"] for row in rows["hit"])


def _content(db: Database, table: sa.Table) -> list[tuple[Any, ...]]:
    with db.read() as tx:
        return [tuple(row) for row in tx.execute(sa.select(table).order_by(*table.primary_key))]


def test_a_newer_database_is_refused(db: Database) -> None:
    with db.begin() as tx:
        tx.execute(sa.text("update alembic_version set version_num = '9999'"))
    with pytest.raises(DatabaseError, match=f"has version 9999, which is newer than this palmares .{head()}.; inst"):
        db.check_revision()


def test_an_upgrade_that_fails_changes_nothing(empty_url: str) -> None:
    if empty_url.startswith("sqlite"):
        Path(empty_url.removeprefix("sqlite:///")).touch()
    db = unchecked(empty_url)
    with pytest.raises(Exception, match="9999"):
        db.upgrade("9999")
    assert db.revision() is None
    with db.begin() as tx:  # in the way of the last table but a few
        tx.execute(sa.text("create table served (id integer)"))
    with pytest.raises(sa.exc.DBAPIError, match="served"):
        db.upgrade()
    assert sa.inspect(db.engine).get_table_names() == ["served"]
    db.close()


def test_two_who_make_the_tables_at_once_both_find_them(empty_url: str) -> None:
    failures: list[Exception] = []

    def make() -> None:
        try:
            Database.open(empty_url, create=True).close()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=make) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    Database.open(empty_url).close()


# -- only ever added to --------------------------------------------------------------------------------


def test_what_people_did_cannot_be_changed(db: Database) -> None:
    new_campaign(db)
    judge_screens(db, new_judge(db), 1)
    _check_guarded(db)


def _check_guarded(db: Database) -> None:
    snapshot = {"language_pair_id": 1, "version": 1, "answer": 0, "answers": 0, "strategy": "s14", "rule": ""}
    with db.begin() as tx:
        tx.execute(schema.snapshot.insert().values(**snapshot, p=0.05, met=False, created_at=db.clock()))
        judge = tx.execute(sa.select(schema.person.c.id)).scalars().first()
        tx.execute(schema.left_out.insert().values(campaign_id=1, person_id=judge, out=True, created_at=db.clock()))
        milestone = {"language_pair_id": 1, "version": 1, "answer": 0, "left_out": 0, "judgments": 0, "body": {}}
        tx.execute(schema.milestone.insert().values(**milestone, created_at=db.clock()))
    actions = ["update {} set id = id", "delete from {}", "truncate {} cascade"]
    for table in schema.APPEND_ONLY:
        for action in actions[: 2 if db.dialect == "sqlite" else 3]:
            with pytest.raises(sa.exc.DBAPIError, match=f"rows of {table} are never changed"), db.begin() as tx:
                tx.execute(sa.text(action.format(table)))
        assert _content(db, schema.metadata.tables[table])


def test_an_answer_must_be_one_thing_or_the_other(db: Database) -> None:
    new_campaign(db)
    view = next_view(db, new_judge(db))
    assert view is not None
    values = {"served_id": 1, "revision": 1, "submission": "x", "late": False, "created_at": db.clock()}
    for wrong in ({"ranks": None, "skip": None}, {"ranks": [1], "skip": "other"}):
        with pytest.raises(sa.exc.IntegrityError), db.begin() as tx:
            tx.execute(schema.judgment.insert().values(**values, **wrong))


def test_reading_sees_one_state_throughout(db: Database) -> None:
    new_campaign(db)
    count = sa.select(sa.func.count()).select_from(schema.person)
    with db.read() as tx:
        assert tx.execute(count).scalar_one() == 0
        new_judge(db)
        assert tx.execute(count).scalar_one() == 0
    with db.read() as tx:
        assert tx.execute(count).scalar_one() == 1


def test_a_block_that_fails_leaves_nothing(db: Database) -> None:
    new_campaign(db)
    close = schema.campaign.update().values(state="closed")
    with pytest.raises(ZeroDivisionError), db.begin() as tx:
        _ = tx.execute(close).rowcount / 0
    with db.read() as tx:
        assert tx.execute(sa.select(schema.campaign.c.state)).scalar_one() == "open"


def test_times_come_back_in_universal_time(db: Database, clock: Clock) -> None:
    new_campaign(db)
    with db.read() as tx:
        assert tx.execute(sa.select(schema.campaign.c.created_at)).scalar_one() == clock.now


# -- copies --------------------------------------------------------------------------------------------


@pytest.fixture
def sqlite_db(tmp_path: Path) -> Iterator[Database]:
    database = Database.open(f"sqlite:///{tmp_path}/campaign.db", create=True)
    yield database
    database.close()


def test_a_copy_made_while_judges_work_is_whole(sqlite_db: Database, tmp_path: Path) -> None:
    new_campaign(sqlite_db)
    done = threading.Event()
    judges = [new_judge(sqlite_db, f"j{i}") for i in range(2)]
    failures: list[Exception] = []

    def work(judge: Any) -> None:
        try:
            while not done.is_set() and (view := next_view(sqlite_db, judge)) is not None:
                answer(sqlite_db, judge, view)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(judge,)) for judge in judges]
    for thread in threads:
        thread.start()
    copies = [tmp_path / f"copy{i}.db" for i in range(4)]
    for place in copies:
        sqlite_db.backup(place)
    done.set()
    for thread in threads:
        thread.join()
    assert failures == []
    counts = []
    for place in copies:
        with closing(sqlite3.connect(place)) as copy:
            assert copy.execute("pragma integrity_check").fetchall() == [("ok",)]
            assert copy.execute("pragma foreign_key_check").fetchall() == []
            counts.append(copy.execute("select count(*) from judgment").fetchone()[0])
        Database.open(f"sqlite:///{place}").close()
    assert counts == sorted(counts)


def test_a_copy_has_all_the_answers_and_the_permissions(sqlite_db: Database, tmp_path: Path) -> None:
    new_campaign(sqlite_db)
    judge_screens(sqlite_db, new_judge(sqlite_db), 3)
    (tmp_path / "campaign.db").chmod(0o600)
    (tmp_path / ".copy.db.part").write_text("left by an attempt that was killed")
    sqlite_db.backup(tmp_path / "copy.db")
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600
    copy = Database.open(f"sqlite:///{tmp_path}/copy.db")
    for table in schema.metadata.sorted_tables:
        assert _content(copy, table) == _content(sqlite_db, table)
    copy.close()


def test_a_copy_does_not_overwrite_and_leaves_nothing_half_written(sqlite_db: Database, tmp_path: Path) -> None:
    (tmp_path / "copy.db").write_text("precious")
    with pytest.raises(DatabaseError, match=r"copy\.db: exists already; name a new file for the copy"):
        sqlite_db.backup(tmp_path / "copy.db")
    assert (tmp_path / "copy.db").read_text() == "precious"
    with pytest.raises(DatabaseError, match=r"none/copy\.db: the copy could not be written"):
        sqlite_db.backup(tmp_path / "none" / "copy.db")


def test_postgresql_is_copied_by_its_own_program(postgresql_db: Database, tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="back it up with PostgreSQL's own 'pg_dump --format=custom'"):
        postgresql_db.backup(tmp_path / "copy.db")


# -- a disk that is full, or may not be written --------------------------------------------------------


def test_on_a_full_disk_nothing_is_half_stored(sqlite_db: Database) -> None:
    new_campaign(sqlite_db)
    ann = new_judge(sqlite_db)
    judge_screens(sqlite_db, ann, 2)
    view = next_view(sqlite_db, ann)
    assert view is not None
    before = {table.name: _content(sqlite_db, table) for table in schema.metadata.sorted_tables}
    with sqlite_db.engine.connect() as connection:  # the pool gives it out again
        pages = connection.exec_driver_sql("pragma page_count").scalar_one()
        connection.exec_driver_sql(f"pragma max_page_count = {pages}")
    with pytest.raises(sa.exc.DBAPIError, match="full") as failure:
        create_campaign(sqlite_db, "talks", Settings(), [sample_texts(400)])
    assert isinstance(fault_of(failure.value), StoreFull)
    assert {table.name: _content(sqlite_db, table) for table in schema.metadata.sorted_tables} == before
    with sqlite_db.engine.connect() as connection:
        connection.exec_driver_sql("pragma max_page_count = 1000000")
    assert not answer(sqlite_db, ann, view).repeated


def test_a_database_that_may_not_be_written_says_try_again(sqlite_db: Database) -> None:
    new_campaign(sqlite_db)
    ann = new_judge(sqlite_db)
    view = next_view(sqlite_db, ann)
    assert view is not None
    with sqlite_db.engine.connect() as connection:
        connection.exec_driver_sql("pragma query_only = on")
    for attempt in (lambda: answer(sqlite_db, ann, view), sqlite_db.check_health):
        with pytest.raises(sa.exc.DBAPIError, match="readonly") as failure:
            attempt()
        assert isinstance(fault_of(failure.value), StoreAway)
    with sqlite_db.engine.connect() as connection:
        connection.exec_driver_sql("pragma query_only = off")
    assert not answer(sqlite_db, ann, view).repeated


def test_a_postgresql_that_has_become_a_copy_says_try_again(postgresql_db: Database) -> None:
    new_campaign(postgresql_db)
    with postgresql_db.begin() as tx:
        tx.execute(sa.text("set default_transaction_read_only = on"))
    with pytest.raises(sa.exc.DBAPIError, match="read-only") as failure:
        new_judge(postgresql_db)
    assert isinstance(fault_of(failure.value), StoreAway)


def test_who_waits_too_long_on_postgresql_is_told_to_try_again(postgresql_db: Database) -> None:
    new_campaign(postgresql_db)
    lock = schema.campaign.update().values(state="paused")
    with postgresql_db.begin() as first, postgresql_db.begin() as second:
        assert second.execute(sa.text("show lock_timeout")).scalar_one() == "30s"
        first.execute(lock)
        second.execute(sa.text("set local lock_timeout = '10ms'"))
        with pytest.raises(sa.exc.DBAPIError) as failure:
            second.execute(lock)
        second.rollback()
    assert isinstance(fault_of(failure.value), StoreAway)


def test_the_servers_own_idea_of_transactions_does_not_matter(postgresql_db: Database) -> None:
    with postgresql_db.begin() as tx:
        name = tx.execute(sa.text("select current_database()")).scalar_one()
        tx.execute(sa.text(f"alter database {name} set default_transaction_isolation = 'serializable'"))
    postgresql_db.close()  # connections made from now on know
    with postgresql_db.begin() as tx:
        assert tx.execute(sa.text("show transaction_isolation")).scalar_one() == "read committed"
    with postgresql_db.read() as tx:
        assert tx.execute(sa.text("show transaction_isolation")).scalar_one() == "repeatable read"


def test_other_errors_are_not_explained_away(db: Database) -> None:
    assert fault_of(ValueError("x")) is None
    assert fault_of(PermissionError(13, "x")) is None
    assert isinstance(fault_of(OSError(28, "x")), StoreFull)
    assert isinstance(fault_of(sa.exc.TimeoutError("x")), StoreAway)
    with pytest.raises(sa.exc.DBAPIError) as failure, db.begin() as tx:
        tx.execute(sa.text("select nonsense from nowhere"))
    assert fault_of(failure.value) is None


def test_another_process_that_writes_is_waited_for(sqlite_db: Database, tmp_path: Path) -> None:
    new_campaign(sqlite_db)
    program = (
        "import sqlite3, sys, time\n"
        f"c = sqlite3.connect({str(tmp_path / 'campaign.db')!r}, isolation_level=None)\n"
        "c.execute('begin immediate'); print('held', flush=True); sys.stdin.readline(); c.execute('commit')\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline() == b"held\n"
        added = threading.Thread(target=new_judge, args=(sqlite_db,))
        added.start()
        added.join(timeout=0.3)
        assert added.is_alive()
        other.stdin.write(b"\n")
        other.stdin.close()
        added.join(timeout=60)
        assert not added.is_alive()
    with sqlite_db.read() as tx:
        assert tx.execute(sa.select(schema.person.c.name)).scalar_one() == "ann"


def test_a_file_of_others_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table theirs (x)")
        connection.commit()
    before = path.read_bytes()
    for create in (False, True):
        with pytest.raises(DatabaseError, match=r"has other tables \(theirs\) and no campaign"):
            Database.open(f"sqlite:///{path}", create=create)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["other.db"]


def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    db = Database.open(f"sqlite:///{tmp_path}/new.db", create=True)
    new_campaign(db)
    assert {path.stat().st_mode & 0o077 for path in tmp_path.iterdir()} == {0}
    db.close()


_LOOK_AND_GO = """
import sys
from palmares.campaign.database import Database
database = Database.open(sys.argv[1])
with database.read():
    pass
database.close()
"""


@pytest.mark.parametrize("meanwhile", ["opened again", "all connections closed"])
def test_the_log_stays_with_who_uses_it(tmp_path: Path, meanwhile: str) -> None:
    """Another program that comes and goes takes the write-ahead log away only if nobody else has the file open."""
    url = f"sqlite:///{tmp_path}/c.db"
    database = Database.open(url, create=True)
    database.check_health()
    if meanwhile == "opened again":
        Database.open(url, read_only=True).close()
    else:
        database.engine.dispose()
    subprocess.run([sys.executable, "-c", _LOOK_AND_GO, url], check=True)
    database.check_health()
    assert (tmp_path / "c.db-wal").exists()
    (tmp_path / "c.db-wal").unlink()
    with pytest.raises(FileGone, match=r"c\.db-wal was removed or replaced"):
        database.check_health()
    database.close()
