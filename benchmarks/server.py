"""Answers a second for 50 judges, against the bare loop: as many durable commits of one row, one after the other."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

import httpx2 as httpx

from palmares.campaign import Role
from palmares.campaign.create import create_campaign
from palmares.campaign.database import Database
from palmares.campaign.people import add_person, invite
from palmares.campaign.settings import Settings
from palmares.texts import LanguagePair, Segment
from palmares.texts.testset import make

from .common import report
from .judges import ProgramJudge, all_judge

JUDGES, ANSWERS = 50, 20
SEGMENTS, SYSTEMS = 3000, 15
PORT = 8765
#: A real campaign's rate, as the one who asks would meet it: many judges, nobody waits for the limit.
SETTINGS = {"limits.writes_per_minute": 1_000_000, "judge.practice": False, "judge.screens": 10_000}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, postgresql() as url:
        commits = bare_commits(Path(folder) / "bare.db", JUDGES * ANSWERS)
        stores = {
            "SQLite, 1 worker": (f"sqlite:///{folder}/one.db", 1),
            "SQLite, 2 workers": (f"sqlite:///{folder}/two.db", 2),
            **({} if url is None else {"PostgreSQL, 2 workers": (url, 2)}),
        }
        rows = [[name, *measured(place, workers), commits] for name, (place, workers) in stores.items()]
    report(
        "server",
        f"{JUDGES} judges without a pause, {ANSWERS} answers each; {SEGMENTS:,} segments of {SYSTEMS} systems",
        ["store", "answers/s", "median ms", "99 % ms", "bare commits/s", "ratio"],
        [[*row, row[1] / row[4]] for row in rows],
        [
            "An answer is three requests: ask for work, see the screen, submit. Each is on disk before it is "
            "acknowledged. The judges run on the same cores as the server. Bare commits: one row each into SQLite "
            "with `synchronous=FULL`, and nothing else.",
        ],
    )


def measured(url: str, workers: int) -> tuple[float, float, float]:
    """Answers a second, and the median and 99th percentile of milliseconds to an acknowledgement."""
    tokens = prepared(url)
    with serving(url, workers) as address:
        judges = [ProgramJudge(address, token, "bench", ANSWERS, seed) for seed, token in enumerate(tokens)]
        start = time.perf_counter()
        all_judge(judges)
        seconds = time.perf_counter() - start
    waits = [1000 * wait for judge in judges for wait in judge.seconds]
    assert len(waits) == JUDGES * ANSWERS
    return len(waits) / seconds, median(waits), quantiles(waits, n=100)[-1]


def prepared(url: str) -> list[str]:
    """A campaign of the size of a WMT language pair, and a link for every judge."""
    segments = [Segment(str(i), f"doc{i // 20}", f"Source sentence number {i}.", None) for i in range(SEGMENTS)]
    outputs = {f"system-{k}": [f"Output {k} of sentence {i}." for i in range(SEGMENTS)] for k in range(SYSTEMS)}
    db = Database.open(url, create=True)
    create_campaign(db, "bench", Settings().replace(**SETTINGS), [make(LanguagePair.parse("fr-en"), segments, outputs)])
    tokens = [invite(db, add_person(db, "bench", Role.JUDGE, f"judge-{i}")) for i in range(JUDGES)]
    db.close()
    return tokens


@contextmanager
def serving(url: str, workers: int) -> Iterator[str]:
    command = [
        sys.executable,
        "-m",
        "palmares",
        "serve",
        "--database",
        url,
        "--port",
        str(PORT),
        "--workers",
        str(workers),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{PORT}"
    try:
        while not healthy(address):
            assert process.poll() is None, "the server did not start"
            time.sleep(0.05)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=30)


def healthy(address: str) -> bool:
    try:
        return httpx.get(f"{address}/health", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def bare_commits(path: Path, count: int) -> float:
    """Durable commits of one row a second."""
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in ("pragma journal_mode=wal", "pragma synchronous=full", "create table answer (body text)"):
        connection.execute(statement)
    start = time.perf_counter()
    for number in range(count):
        connection.execute("insert into answer values (?)", (f"[1, 2, 3, 4, 5] {number}",))
    seconds = time.perf_counter() - start
    connection.close()
    return count / seconds


@contextmanager
def postgresql() -> Iterator[str | None]:
    """An empty database of the server that PALMARES_BENCH_POSTGRESQL names, else of one started for this."""
    if named := os.environ.get("PALMARES_BENCH_POSTGRESQL"):
        yield named
        return
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from postgres import Cluster, installed

    if installed() is None:
        print("PostgreSQL is not installed; only SQLite is measured", flush=True)
        yield None
        return
    cluster = Cluster(durable=True).start()
    try:
        yield cluster.create()
    finally:
        cluster.remove()


if __name__ == "__main__":
    main()
