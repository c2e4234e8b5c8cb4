"""The process that makes reports: started with the server, killed and begun anew, ended with it."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import httpx2 as httpx
import pytest
from servers import ServerProcess
from stores import answer, new_campaign, new_judge, next_view, sample_texts

from palmares.campaign.database import Database
from palmares.campaign.publications import Request, publish, requests
from palmares.server import reporting
from palmares.server.reporting import ATTEMPTS, Maker

pytestmark = pytest.mark.any_database


@pytest.fixture
def judged(db: Database) -> None:
    new_campaign(db, sample_texts(12, "ABC"), **{"screen.outputs": 3, "judge.screens": 8})
    rng = Random(3)
    for name in ("ann", "bob"):
        judge = new_judge(db, name)
        for _ in range(8):
            view = next_view(db, judge, rng=rng)
            assert view is not None
            answer(db, judge, view, [rng.randint(1, 3) for _ in range(3)])


def newest(db: Database) -> Request:
    return requests(db, 1)[0]


def reports_of(parent: int) -> list[int]:
    """Commands of palmares that a process has started and that still run; it has others, such as databases."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    commands = {int(number): Path(f"/proc/{number}/cmdline").read_bytes() for number in children}
    return [number for number, command in commands.items() if b"\0-m\0palmares\0" in command]


def test_a_command_that_is_killed_is_begun_anew_and_given_up_in_the_end(
    db: Database, judged: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is killed, the report is made, or it is said why not."""
    monkeypatch.setattr(reporting, "PAUSE", 0.05)
    publish(db, "news")
    maker = Maker(db)
    over = threading.Event()

    def kill_all() -> None:
        while not over.wait(0.02):
            with suppress(OSError):  # it has ended meanwhile
                for number in reports_of(os.getpid()):
                    os.kill(number, signal.SIGKILL)

    killer = threading.Thread(target=kill_all)
    killer.start()
    try:
        for attempt in range(1, ATTEMPTS + 1):
            assert newest(db).waits
            maker.look()
            assert maker.attempts[1] == attempt
    finally:
        over.set()
        killer.join()
    assert newest(db).failed is not None
    assert f"was ended by signal 9, {ATTEMPTS} times" in str(newest(db).failed)
    publish(db, "news")
    maker.look()
    assert newest(db).made_at is not None


def test_without_room_for_its_files_it_is_said_why(
    db: Database, judged: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    publish(db, "news")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "not-there"))
    maker = Maker(db)
    for _ in range(ATTEMPTS):
        assert newest(db).waits
        maker.look()
    assert "its files could not be written or read (No such file or directory)" in str(newest(db).failed)


def test_an_ending_server_leaves_what_it_was_at_to_the_next(
    db: Database, judged: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporting, "PAUSE", 0.05)
    publish(db, "news")
    maker = Maker(db)
    threading.Timer(0.5, maker.ending.set).start()
    maker.look()
    assert newest(db).waits
    Maker(db).look()
    assert newest(db).made_at is not None


@pytest.mark.slow
def test_the_server_makes_what_is_asked_for(db: Database, judged: None, database_url: str, tmp_path: Path) -> None:
    with ServerProcess(database_url, tmp_path) as server:
        assert httpx.get(f"{server.address}/c/news/report").status_code == 404
        publish(db, "news")
        end = time.monotonic() + 120
        while newest(db).waits and time.monotonic() < end:
            time.sleep(0.2)
        assert newest(db).failed is None
        seen = httpx.get(f"{server.address}/c/news/report")
        assert seen.status_code == 200
        assert b"palmares-results" in seen.content


def test_on_the_command_line(
    db: Database, judged: None, database_url: str, ok: Callable[..., Any], refused: Callable[..., str]
) -> None:
    place = ("--database", database_url)
    assert "cannot be undone, and there is nobody to ask; give --yes" in refused("campaign", "reveal", "news", *place)
    assert ok("campaign", "reveal", "news", "--yes", *place).err == "news: names of systems are revealed\n"
    assert "revealed already, since 20" in ok("campaign", "reveal", "news", *place).err
    assert "not before: got 'soon'" in refused("campaign", "publish", "news", "--not-before", "soon", *place)
    assert "a moment to come" in refused("campaign", "publish", "news", "--not-before", "2020-01-01", "--yes", *place)
    assert "nothing is published" in refused("campaign", "withdraw", "news", "--yes", *place)
    said = ok("campaign", "publish", "news", "--yes", *place).err
    assert said == f"news: the report up to answer {newest(db).answer} is public now, at /c/news/report\n"
    assert newest(db).made_at is not None
    assert ok("campaign", "withdraw", "news", "--yes", *place).err == "news: the public sees nothing any more\n"
    assert newest(db).withdrawn_at is not None
