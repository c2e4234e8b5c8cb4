"""Several workers as processes: connections shared out evenly and answered at once, no orphans, an end in order."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
import sqlalchemy as sa
from servers import ServerProcess
from stores import new_campaign, new_judge, sample_texts

from benchmarks.judges import ProgramJudge, start, wait_for
from palmares.campaign import schema
from palmares.campaign.database import Database
from palmares.campaign.people import invite

pytestmark = pytest.mark.any_database

PATIENCE = 60
HEAD = "POST /join/x HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 8\r\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An SQLite database with a campaign."""
    url = f"sqlite:///{tmp_path_factory.mktemp('store') / 'campaign.db'}"
    db = Database.open(url, create=True)
    new_campaign(db)
    db.close()
    return url


def started(place: str, folder: Path) -> ServerProcess:
    """A server whose two workers both take connections."""
    server = ServerProcess(place, folder, "--workers", "2").start()
    wait_until(lambda: server.log.read_text().count(" is ready") == 2, server)
    return server


@pytest.fixture(scope="module")
def two_workers(place: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that is not hurt."""
    with closing_server(started(place, tmp_path_factory.mktemp("log"))) as server:
        yield server


@pytest.fixture
def victim(place: str, tmp_path: Path) -> Iterator[ServerProcess]:
    """A server for one test."""
    with closing_server(started(place, tmp_path)) as server:
        yield server


@contextmanager
def closing_server(server: ServerProcess) -> Iterator[ServerProcess]:
    try:
        yield server
    finally:
        server.stop()


def wait_until(condition: Callable[[], bool], server: ServerProcess) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, server.log.read_text()
        time.sleep(0.01)


def sockets(pid: int) -> int:
    """How many sockets a process has."""
    links = []
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            links.append(os.readlink(path))
    return sum(link.startswith("socket:") for link in links)


def connect(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def ask(connection: socket.socket, path: str = "/health") -> None:
    """Send a request and read its answer to the end."""
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    got = b""
    while b"\r\n\r\n" not in got:
        got += received(connection)
    head, _, body = got.partition(b"\r\n\r\n")
    (length,) = [line.split(b":")[1] for line in head.lower().splitlines() if line.startswith(b"content-length")]
    while len(body) < int(length):
        body += received(connection)


def received(connection: socket.socket) -> bytes:
    data = connection.recv(65536)
    assert data, "the connection was closed"
    return data


# -- connections -----------------------------------------------------------------------------------------


def test_two_workers_share_connections_evenly(two_workers: ServerProcess) -> None:
    """With one queue for all, one worker took 14 of 16; and whoever has fewer open ones gets the next."""
    before = {pid: sockets(pid) for pid in two_workers.workers()}

    def shares() -> list[int]:
        return sorted(sockets(pid) - before[pid] for pid in before)

    with ExitStack() as stack:
        connections = [stack.enter_context(connect(two_workers.port)) for _ in range(16)]
        for connection in connections:
            ask(connection)
        assert shares() == [8, 8]
        for connection in connections[::2]:  # they were given in turn, so these are one worker's
            connection.close()
        wait_until(lambda: shares() == [0, 8], two_workers)
        for _ in range(8):
            ask(stack.enter_context(connect(two_workers.port)))
        assert shares() == [8, 8]


def test_answers_of_two_workers_are_not_held_back(two_workers: ServerProcess, place: str, tmp_path: Path) -> None:
    """Without TCP_NODELAY the second part of an answer waited for the client's receipt of the first: 40 ms."""

    def quickest(port: int) -> float:
        times = []
        with connect(port) as connection:
            for _ in range(30):
                start = time.perf_counter()
                ask(connection)
                times.append(time.perf_counter() - start)
        return min(times)

    with ServerProcess(place, tmp_path) as one_worker:
        assert quickest(two_workers.port) < 10 * quickest(one_worker.port)


# -- the end of the parent -------------------------------------------------------------------------------


def test_killing_only_the_parent_leaves_no_orphans(database_url: str, tmp_path: Path) -> None:
    """Under load: the workers end by themselves, the port is free for the next server, and nothing is lost."""
    answers = 6
    db = Database.open(database_url)
    settings = {"limits.writes_per_minute": 1_000_000, "judge.screens": 10_000}
    new_campaign(db, sample_texts(60), **settings)
    tokens = [invite(db, new_judge(db, f"judge-{i}")) for i in range(4)]
    with ServerProcess(database_url, tmp_path, "--workers", "2") as server:
        judges = [ProgramJudge(server.address, token, "news", answers, seed) for seed, token in enumerate(tokens)]
        threads = start(judges)
        wait_until(lambda: sum(len(judge.done) for judge in judges) >= 8, server)
        server.kill_parent()
        server.wait_until_ended()
        server.start()
        wait_for(judges, threads)
    query = sa.select(schema.served.c.public_id, schema.judgment.c.submission)
    with db.read() as tx:
        stored = tx.execute(query.join(schema.judgment, schema.judgment.c.served_id == schema.served.c.id)).all()
    db.close()
    said = [(answer.screen, answer.submission) for judge in judges for answer in judge.done]
    assert Counter(map(tuple, stored)) == Counter(said)
    assert len(said) == 4 * answers


@pytest.mark.parametrize(
    "how",
    [signal.SIGKILL, signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.slow)],
    ids=lambda how: how.name,
)
def test_what_is_in_flight_is_answered_when_the_parent_ends(victim: ServerProcess, how: signal.Signals) -> None:
    """At both workers; then all of them end."""
    with connect(victim.port) as first, connect(victim.port) as second, connect(victim.port) as idle:
        ask(idle)
        for slow in (first, second):
            slow.sendall(f"{HEAD}\r\ncsrf".encode())
        time.sleep(0.5)  # the heads have arrived
        os.kill(victim.pid, how)
        time.sleep(0.5)
        for slow in (first, second):
            slow.sendall(b"=abc")
        for slow in (first, second):
            assert slow.makefile("rb").read().startswith(b"HTTP/1.1 403 ")
        assert idle.recv(1) == b""
    assert victim.status() == (-signal.SIGKILL if how is signal.SIGKILL else 0)
    victim.wait_until_ended()
    with socket.socket() as next_server:
        next_server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        next_server.bind(("127.0.0.1", victim.port))
        next_server.listen()
    assert "Traceback" not in victim.log.read_text()


def test_a_worker_that_is_killed_leaves_its_connections_to_the_others(victim: ServerProcess) -> None:
    first, second = victim.workers()
    os.kill(first, signal.SIGKILL)
    for _ in range(4):
        with connect(victim.port) as connection:
            ask(connection)
    wait_until(lambda: victim.log.read_text().count(" is ready") == 3, victim)
    assert second in victim.workers()
    assert f"worker {first} has ended with status -9" in victim.log.read_text()


@pytest.mark.slow
def test_workers_that_cannot_start_end_the_server() -> None:
    """Not tried again and again."""
    program = """
import socket, uvicorn
from palmares.server.workers import Supervisor
if __name__ == "__main__":
    with socket.create_server(("127.0.0.1", 0)) as place:
        assert Supervisor(uvicorn.Config("palmares.nothing:app"), place, 2).run() is False
        assert place.fileno() == -1
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    assert 'Could not import module "palmares.nothing"' in done.stderr
