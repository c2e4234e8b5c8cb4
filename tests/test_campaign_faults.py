"""What an organiser must be able to trust: whatever is killed, every acknowledged judgment is there, and once."""

from __future__ import annotations

import os
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2 as httpx
import pytest
import sqlalchemy as sa
from postgres import Cluster
from servers import ServerProcess
from stores import new_campaign, new_judge, sample_texts
from webs import csrf_in

from benchmarks.judges import Acknowledged, ProgramJudge, start, wait_for
from palmares.campaign import schema
from palmares.campaign.database import Database
from palmares.campaign.people import invite

JUDGES = 6
FEW, MANY = 3, 20
KILLS = [FEW, pytest.param(MANY, marks=pytest.mark.slow)]


def campaign_at(url: str, answers: int) -> list[str]:
    """A campaign with work enough for every judge; returns their links' tokens."""
    db = Database.open(url, create=True)
    new_campaign(db, sample_texts(2 * answers + 20), **{"limits.writes_per_minute": 1_000_000, "judge.screens": 10_000})
    tokens = [invite(db, new_judge(db, f"judge-{i}")) for i in range(JUDGES)]
    db.close()
    return tokens


def stored(url: str) -> Counter[tuple[str, str, tuple[int, ...]]]:
    db = Database.open(url)
    query = sa.select(schema.served.c.public_id, schema.judgment.c.submission, schema.judgment.c.ranks)
    with db.read() as tx:
        rows = tx.execute(query.join(schema.judgment, schema.judgment.c.served_id == schema.served.c.id)).all()
    db.close()
    return Counter((public_id, submission, tuple(ranks)) for public_id, submission, ranks in rows)


def check_nothing_lost(url: str, judges: list[ProgramJudge]) -> None:
    """Every acknowledged answer is stored exactly once, as it was sent, and nothing else is."""
    said: list[Acknowledged] = [answer for judge in judges for answer in judge.done]
    assert stored(url) == Counter((answer.screen, answer.submission, answer.ranks) for answer in said)
    assert len({answer.screen for answer in said}) == len(said)


def judged_through(url: str, base: str, kills: int, disaster: Callable[[], None]) -> list[ProgramJudge]:
    """Let judges work while disaster strikes again and again; each time after some more answers."""
    each = 6 * kills
    tokens = campaign_at(url, each)
    judges = [ProgramJudge(base, token, "news", each, seed) for seed, token in enumerate(tokens)]
    threads = start(judges)
    for strike in range(1, kills + 1):
        wanted = strike * JUDGES * each // (kills + 1)
        _until(lambda wanted=wanted: sum(len(judge.done) for judge in judges) >= wanted, judges)
        disaster()
    wait_for(judges, threads)
    assert sum(len(judge.done) for judge in judges) == JUDGES * each
    return judges


def _until(condition: Callable[[], bool], judges: list[ProgramJudge]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert not any(judge.error for judge in judges), [judge.error for judge in judges]
        assert time.monotonic() < end, "the judges do not get on"
        time.sleep(0.005)


# -- kill −9 ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kills", KILLS)
@pytest.mark.any_database
def test_the_server_is_killed_under_load(database_url: str, tmp_path: Path, kills: int) -> None:
    with ServerProcess(database_url, tmp_path) as server:

        def disaster() -> None:
            server.kill9()
            server.start()

        judges = judged_through(database_url, server.address, kills, disaster)
    check_nothing_lost(database_url, judges)


@pytest.mark.parametrize("kills", KILLS)
def test_postgresql_is_killed_under_load(tmp_path: Path, kills: int) -> None:
    cluster = Cluster(durable=True).start()
    try:
        url = cluster.create()
        Database.open(url, create=True).close()
        with ServerProcess(url, tmp_path) as server:

            def disaster() -> None:
                cluster.kill9()
                cluster.start()

            judges = judged_through(url, server.address, kills, disaster)
        check_nothing_lost(url, judges)
    finally:
        cluster.remove()


@pytest.mark.any_database
def test_two_workers_share_the_work(database_url: str, tmp_path: Path) -> None:
    """Several web workers, one of which is killed: its supervisor starts another."""
    with ServerProcess(database_url, tmp_path, "--workers", "2") as server:
        judges = judged_through(database_url, server.address, 1, lambda: None)
    check_nothing_lost(database_url, judges)


# -- a full disk -----------------------------------------------------------------------------------------


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of its own with little room."""
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=777", "tmpfs", folder], check=False)
    if made.returncode:
        pytest.skip("a small file system can be mounted by root only")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill(disk: Path) -> Path:
    """Take all the room there is left."""
    block = disk / "filler"
    with block.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 4096)
        except OSError:
            pass
    return block


@pytest.fixture(params=["sqlite", "postgresql"])
def url_on_disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A database on a disk that can be filled."""
    if request.param == "sqlite":
        with small_disk(tmp_path / "disk", "8m") as disk:
            yield f"sqlite:///{disk}/campaign.db", disk
        return
    cluster = Cluster(durable=True).start()
    # Next to the server's own files: the user postgres may not enter the folders of pytest.
    with small_disk(cluster.folder / "disk", "32m") as disk:
        space = disk / "space"
        space.mkdir(mode=0o700)
        if os.geteuid() == 0:
            subprocess.run(["chown", "postgres", space], check=True)
        url = cluster.create_in(space)
        yield url, disk
        cluster.remove()


@pytest.mark.any_database
def test_a_full_disk_is_said_and_nothing_is_lost(url_on_disk: tuple[str, Path], tmp_path: Path) -> None:
    url, disk = url_on_disk
    token = campaign_at(url, 20)[0]
    with ServerProcess(url, tmp_path) as server, httpx.Client(base_url=server.address, follow_redirects=True) as client:
        page = client.get(f"/join/{token}")
        client.post(f"/join/{token}", data={"csrf": csrf_in(page)})
        acknowledged, refused = [], None
        filler = None
        for number in range(400):
            work = client.get("/api/v1/news/work")
            if work.status_code == 507:
                refused = work
                break
            screen, headers = work.json()["screen"], {"X-CSRF-Token": work.json()["csrf"]}
            body = {"ranks": [1, 2, 3, 4, 5], "submission": f"s{number}"}
            answer = client.post(f"/api/v1/news/screens/{screen}/answer", json=body, headers=headers)
            if answer.status_code == 507:
                refused = answer
                break
            assert answer.status_code == 200, answer.text
            acknowledged.append((screen, f"s{number}", (1, 2, 3, 4, 5)))
            if number == 3:
                filler = fill(disk)
        assert refused is not None, "the disk was never full"
        assert refused.json()["error"]["kind"] == "not-stored"
        assert "disk is full" in refused.json()["error"]["message"]
        assert int(refused.headers["retry-after"]) > 0
        if url.startswith("sqlite"):  # of PostgreSQL's disk, only PostgreSQL knows
            assert client.get("/health").status_code == 503
        assert filler is not None
        filler.unlink()
        work = client.get("/api/v1/news/work")
        assert work.status_code == 200, work.text
        body = {"ranks": [5, 4, 3, 2, 1], "submission": "after"}
        headers = {"X-CSRF-Token": work.json()["csrf"]}
        answer = client.post(f"/api/v1/news/screens/{work.json()['screen']}/answer", json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        acknowledged.append((work.json()["screen"], "after", (5, 4, 3, 2, 1)))
    assert stored(url) == Counter(acknowledged)


# -- a file that is not there any more --------------------------------------------------------------------


@pytest.mark.parametrize("fate", ["removed", "replaced", "log removed"])
def test_a_file_that_is_gone_takes_no_answers(tmp_path: Path, fate: str) -> None:
    """Acknowledged answers would be lost with the file: so there are none until it is back."""
    file, away = tmp_path / "campaign.db", tmp_path / "away"
    url = f"sqlite:///{file}"
    token = campaign_at(url, 20)[0]
    with ServerProcess(url, tmp_path) as server, httpx.Client(base_url=server.address, follow_redirects=True) as client:
        page = client.get(f"/join/{token}")
        client.post(f"/join/{token}", data={"csrf": csrf_in(page)})

        def judged(name: str) -> httpx.Response:
            work = client.get("/api/v1/news/work")
            if work.status_code != 200:
                return work
            headers = {"X-CSRF-Token": work.json()["csrf"]}
            body = {"ranks": [1, 2, 3, 4, 5], "submission": name, "then": "screen"}
            return client.post(f"/api/v1/news/screens/{work.json()['screen']}/answer", json=body, headers=headers)

        assert judged("before").status_code == 200
        lost = Path(f"{file}-wal") if fate == "log removed" else file
        lost.rename(away)
        if fate == "replaced":
            Database.open(url, create=True).close()
        for number in range(5):
            refused = judged(f"lost{number}")
            assert refused.status_code == 503, refused.text
            assert refused.json()["error"]["kind"] == "unavailable"
        health = client.get("/health")
        assert health.status_code == 503
        assert "was removed or replaced while the server had it open" in health.json()["error"]["message"]
        assert file.exists() == (fate != "removed")  # nothing was made in its place
        if fate == "removed":  # whoever opened another file here has done away with the log of the first
            away.rename(file)
            assert client.get("/health").status_code == 200
            assert judged("after").status_code == 200
    if fate == "removed":
        # What was sent while the file was away was committed to it, but never acknowledged.
        assert {"before", "after"} <= {name for _, name, _ in stored(url)}
