"""Answers a second, and what each costs, with the load on the same cores; how that grows; how long 200 judges wait.

An answer is: work asked for, screen fetched, answer stored durably. Once in one request, as the judge's page does it
(the next screen comes with the acknowledgement), and once in three, as a program may. The bare loop beside it is
durable commits of one row.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

import httpx2 as httpx

from palmares.campaign import Role
from palmares.campaign.create import create_campaign
from palmares.campaign.database import Database
from palmares.campaign.people import add_person, consent, invite
from palmares.campaign.settings import Settings
from palmares.texts import LanguagePair, Segment
from palmares.texts.testset import make

from .common import report
from .load import Load, SignedIn, sign_in

CONNECTIONS, ANSWERS, WARM_UP = 16, 3000, 300
SEGMENTS, SYSTEMS = 3000, 13
MANY, PAUSE, PAUSED_ANSWERS = 200, 3.0, 3000
LONG, STEP = 40_000, 2000
SHOWN = (2000, 10_000, 20_000, 30_000, 40_000)
PORT = 8765
#: Nobody waits for the limit of changes, and nobody is done.
SETTINGS = {"limits.writes_per_minute": 1_000_000, "judge.practice": False, "judge.screens": 10_000}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, postgresql() as postgres:
        rates(Path(folder), postgres)
        waits(Path(folder), postgres)
        growth(Path(folder), postgres)


@dataclass(frozen=True)
class Postgres:
    """A PostgreSQL to measure, with its main process if we started it."""

    create: Callable[[], str]
    pid: int | None


@dataclass(frozen=True)
class Cost:
    """What some answers took: a second, and milliseconds of processor time for each of three parties."""

    rate: float
    server: float
    database: float | None
    load: float
    waits: list[float]


def stores(folder: Path, postgres: Postgres | None, name: str) -> Iterator[tuple[str, str, int, int | None]]:
    """Each store: what it is called, where it is, workers, and the process of its database."""
    yield "SQLite", f"sqlite:///{folder}/{name}-1.db", 1, None
    yield "SQLite", f"sqlite:///{folder}/{name}-2.db", 2, None
    if postgres is not None:
        yield "PostgreSQL", postgres.create(), 1, postgres.pid
        yield "PostgreSQL", postgres.create(), 2, postgres.pid


def rates(folder: Path, postgres: Postgres | None) -> None:
    """Connections without a pause."""
    rows: list[list[object]] = []
    for store, url, workers, pid in stores(folder, postgres, "rates"):
        tokens = prepared(url, CONNECTIONS)
        with serving(url, workers) as (address, server):
            judges = [sign_in(address, "bench", token) for token in tokens]
            for requests in (1, 3):
                cost(Load(address, "bench", requests, WARM_UP), judges, server, pid)
                found = cost(Load(address, "bench", requests, ANSWERS), judges, server, pid)
                commits = bare_commits(folder / f"bare-{store}-{workers}-{requests}.db", 1000)
                rows.append([store, workers, requests, *shown(found), commits])
    report(
        "server",
        f"{CONNECTIONS} connections without a pause, {ANSWERS:,} answers; {SEGMENTS:,} segments of {SYSTEMS} systems",
        ["store", "workers", "requests", *HEAD, "bare commits/s"],
        rows,
        [
            "An answer is work asked for, screen fetched and answer stored durably: in one request, as the judge's "
            "page does it, or in three. Processor time is in milliseconds an answer; the load runs on the same cores "
            "as the server. Waits are from sending an answer to its acknowledgement. Bare commits: one row each into "
            "SQLite with `synchronous=FULL`, measured right after.",
        ],
    )


def waits(folder: Path, postgres: Postgres | None) -> None:
    """Judges who read before they answer."""
    rows: list[list[object]] = []
    for store, url, workers, pid in stores(folder, postgres, "waits"):
        tokens = prepared(url, MANY)
        with serving(url, workers) as (address, server):
            judges = [sign_in(address, "bench", token) for token in tokens]
            found = cost(Load(address, "bench", 1, PAUSED_ANSWERS, PAUSE), judges, server, pid)
            rows.append([store, workers, *shown(found), quantiles(found.waits, n=100)[-1]])
    report(
        "server-judges",
        f"{MANY} judges who pause {PAUSE:g} seconds before each answer, {PAUSED_ANSWERS:,} answers",
        ["store", "workers", *HEAD, "99 % ms"],
        rows,
        ["Pauses are spread evenly between half and one and a half times that. Columns as in the table above."],
    )


def growth(folder: Path, postgres: Postgres | None) -> None:
    """The same server for a long time."""
    rows: list[list[object]] = []
    for store, url, workers, pid in stores(folder, postgres, "growth"):
        if workers == 1:
            continue
        tokens = prepared(url, CONNECTIONS)
        with serving(url, workers) as (address, server):
            judges = [sign_in(address, "bench", token) for token in tokens]
            longest = LONG if store == "SQLite" else LONG // 2
            for stored in range(STEP, longest + 1, STEP):
                found = cost(Load(address, "bench", 1, STEP), judges, server, pid)
                if stored in SHOWN:
                    rows.append([store, stored, *shown(found), memory(server)])
                    print(rows[-1], flush=True)
    report(
        "server-growth",
        f"Many answers in one run, two workers, {CONNECTIONS} connections",
        ["store", "answers stored", *HEAD, "memory MiB"],
        rows,
        [
            f"Each line is about the {STEP:,} answers before it. Memory is that of all processes of the server. "
            "At the end the judges have met five sixths of the segments; presumably ever less of what was designed "
            "ahead suits them.",
        ],
    )


HEAD = ["answers/s", "server ms", "database ms", "load ms", "median ms", "95 % ms"]


def shown(found: Cost) -> list[object]:
    part = "–" if found.database is None else found.database
    return [found.rate, found.server, part, found.load, median(found.waits), quantiles(found.waits, n=20)[-1]]


def cost(load: Load, judges: list[SignedIn], server: int, database: int | None) -> Cost:
    """Run a load, and measure what it takes of everyone."""
    before = [processor_seconds(pid) for pid in (server, database)]
    own = time.process_time()
    seconds = load.run(judges)
    own = time.process_time() - own
    spent = [processor_seconds(pid) - b for pid, b in zip((server, database), before, strict=True)]
    each = 1000 / load.done
    return Cost(
        rate=load.done / seconds,
        server=spent[0] * each,
        database=None if database is None else spent[1] * each,
        load=own * each,
        waits=[1000 * wait for wait in load.seconds],
    )


# -- processes ---------------------------------------------------------------------------------------------


def family(pid: int) -> list[int]:
    """A process and all that descend from it."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has just ended
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found


def processor_seconds(pid: int | None) -> float:
    """What a process and its living descendants have used."""
    total = 0
    for one in () if pid is None else family(pid):
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """What a process and its descendants hold, in MiB; what they share is divided among them."""
    total = 0
    for one in family(pid):
        lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def prepared(url: str, judges: int) -> list[str]:
    """A campaign of the size of a WMT language pair, and a link for every judge; all of them have agreed."""
    segments = [Segment(str(i), f"doc{i // 20}", f"Source sentence number {i}.", None) for i in range(SEGMENTS)]
    outputs = {f"system-{k}": [f"Output {k} of sentence {i}." for i in range(SEGMENTS)] for k in range(SYSTEMS)}
    db = Database.open(url, create=True)
    create_campaign(db, "bench", Settings().replace(**SETTINGS), [make(LanguagePair.parse("fr-en"), segments, outputs)])
    people = [add_person(db, "bench", Role.JUDGE, f"judge-{i}") for i in range(judges)]
    for person in people:
        consent(db, person)
    tokens = [invite(db, person) for person in people]
    db.close()
    return tokens


@contextmanager
def serving(url: str, workers: int) -> Iterator[tuple[str, int]]:
    """Run a server; its address and its process."""
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
        yield address, process.pid
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
def postgresql() -> Iterator[Postgres | None]:
    """A PostgreSQL that is started for this, and durable; None if it is not installed."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from postgres import Cluster, installed

    if installed() is None:
        print("PostgreSQL is not installed; only SQLite is measured", flush=True)
        yield None
        return
    cluster = Cluster(durable=True).start()
    try:
        yield Postgres(cluster.create, cluster.pid)
    finally:
        cluster.remove()


if __name__ == "__main__":
    main()
