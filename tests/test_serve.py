"""``palmares serve`` as a program: it starts, answers, stops in order, and refuses what it cannot serve."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from stores import new_campaign, new_judge
from webs import free_port

from palmares.campaign.database import Database
from palmares.campaign.people import invite

pytestmark = pytest.mark.any_database

#: A busy machine may take long to start Python; nothing is said about how long it should.
PATIENCE = 120


@dataclass
class Server:
    process: subprocess.Popen[str]
    port: int
    log: Path

    def get(self, path: str, **headers: str) -> tuple[int, str]:
        """The status and the text of a page."""
        try:
            with urlopen(Request(f"http://127.0.0.1:{self.port}{path}", headers=headers), timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def wait(self, path: str = "/health") -> None:
        end = time.monotonic() + PATIENCE
        while True:
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < end, self.said()
            try:
                assert self.get(path)[0] == 200
                return
            except OSError:
                time.sleep(0.1)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(timeout=PATIENCE)

    def said(self) -> str:
        """Everything on standard error so far."""
        return self.log.read_text(encoding="utf-8")

    def printed(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.read()

    def workers(self) -> list[int]:
        """The processes that this one has started, but for Python's own helper."""
        text = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="ascii")
        commands = {int(pid): Path(f"/proc/{pid}/cmdline").read_bytes() for pid in text.split()}
        return [pid for pid, command in commands.items() if b"spawn_main" in command]


@contextmanager
def served(tmp_path: Path, *arguments: object, wait: str = "/health") -> Iterator[Server]:
    """A server in a process of its own, that answers; it is killed if a test leaves it running."""
    port, log = free_port(), tmp_path / "server.log"
    command = [sys.executable, "-m", "palmares", "serve", "--port", str(port), *map(str, arguments)]
    with log.open("w", encoding="utf-8") as err:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=err, text=True, cwd=tmp_path, env=environment(tmp_path)
        )
    server = Server(process, port, log)
    try:
        server.wait(wait)
        yield server
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def environment(tmp_path: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PALMARES_")}
    return {**kept, "PYTHONIOENCODING": "utf-8", "TMPDIR": str(tmp_path)}


@pytest.fixture
def link(database_url: str) -> str:
    """A campaign with one judge; gives the secret of their link."""
    db = Database.open(database_url)
    new_campaign(db)
    token = invite(db, new_judge(db))
    db.close()
    return token


# -- serving ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT], ids=lambda how: how.name)
def test_it_serves_until_it_is_told_to_stop(tmp_path: Path, database_url: str, link: str, stop: signal.Signals) -> None:
    with served(tmp_path, "--database", database_url) as server:
        assert json.loads(server.get("/health")[1])["status"] == "ok"
        status, page = server.get(f"/join/{link}")
        assert (status, "ann" in page) == (200, True)
        assert server.get("/join/wrong")[0] == 404
        assert server.stop(stop) == 0
        assert server.printed() == ""
    first, *access = server.said().splitlines()
    assert first == f"serving on http://127.0.0.1:{server.port} (stop with Ctrl-C)"
    assert link not in server.said()
    assert [re.sub(r"^\S+ \S+ \S+ ", "", line) for line in access[-3:]] == [
        '"GET /health HTTP/1.1" 200 OK', '"GET /join/… HTTP/1.1" 200 OK', '"GET /join/… HTTP/1.1" 404 Not Found'
    ]  # fmt: skip


def test_two_workers(tmp_path: Path, database_url: str, link: str) -> None:
    stop = signal.SIGINT if database_url.startswith("sqlite") else signal.SIGTERM
    with served(tmp_path, "--database", database_url, "--workers", 2) as server:
        workers = server.workers()
        assert len(workers) == 2
        for _ in range(8):
            assert server.get(f"/join/{link}")[0] == 200
        assert server.stop(stop) == 0
        assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    assert link not in server.said()
    assert "Traceback" not in server.said()


def test_a_worker_that_dies_is_replaced(tmp_path: Path, sqlite_link: tuple[Path, str]) -> None:
    with served(tmp_path, "--database", sqlite_link[0], "--workers", 2) as server:
        first, second = server.workers()
        os.kill(first, signal.SIGKILL)
        end = time.monotonic() + PATIENCE
        while first in server.workers() or len(server.workers()) < 2:
            assert time.monotonic() < end, server.said()
            time.sleep(0.1)
        assert second in server.workers()
        server.wait()
        assert server.stop() == 0


def test_below_a_path(tmp_path: Path, sqlite_link: tuple[Path, str]) -> None:
    place, link = sqlite_link
    with served(tmp_path, "--database", place, "--root-path", "/eval/", wait="/eval/health") as server:
        for path in (f"/eval/join/{link}", f"/join/{link}"):  # the proxy may cut it off or pass it on
            status, page = server.get(path)
            assert status == 200
            assert f'action="/eval/join/{link}"' in page
        assert server.stop() == 0
    assert server.said().startswith(f"serving on http://127.0.0.1:{server.port}/eval ")


@pytest.mark.parametrize(
    ("options", "secure"),
    [((), False), (("--proxy-headers",), True), (("--proxy-headers", "--forwarded-allow-ips", "192.0.2.1"), False)],
)
def test_a_proxy_is_believed_only_if_it_is_asked_for(
    tmp_path: Path, sqlite_link: tuple[Path, str], options: tuple[str, ...], secure: bool
) -> None:
    place, token = sqlite_link
    with served(tmp_path, "--database", place, *options) as server:
        request = Request(f"http://127.0.0.1:{server.port}/join/{token}", headers={"X-Forwarded-Proto": "https"})
        with urlopen(request, timeout=PATIENCE) as answer:
            cookies = answer.headers.get_all("set-cookie")
        assert cookies
        assert all(("secure" in cookie.lower()) == secure for cookie in cookies)
        assert server.stop() == 0


@pytest.fixture
def sqlite_link(tmp_path: Path) -> tuple[Path, str]:
    place = tmp_path / "campaign.db"
    db = Database.open(f"sqlite:///{place}", create=True)
    new_campaign(db)
    token = invite(db, new_judge(db))
    db.close()
    return place, token


def test_a_free_port_is_found_and_said(tmp_path: Path, sqlite_link: tuple[Path, str]) -> None:
    """Port 0: the system chooses."""
    place, log = sqlite_link[0], tmp_path / "free.log"
    command = [sys.executable, "-m", "palmares", "serve", "--port", "0", "--database", str(place)]
    with (
        log.open("w", encoding="utf-8") as err,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=err, text=True, cwd=tmp_path, env=environment(tmp_path)
        ) as process,
    ):
        end, said = time.monotonic() + PATIENCE, None
        while said is None:
            assert time.monotonic() < end, log.read_text(encoding="utf-8")
            time.sleep(0.05)
            said = re.match(r"serving on http://127\.0\.0\.1:(\d+) ", log.read_text(encoding="utf-8"))
        server = Server(process, int(said[1]), log)
        server.wait()
        assert server.stop() == 0


def test_the_public_address(tmp_path: Path) -> None:
    """Links name it, cookies follow it, and the log of requests can be left out."""
    options = ("--demo", "--address", "https://eval.example.org/eval", "--no-access-log")
    with served(tmp_path, *options, wait="/eval/health") as server:
        request = Request(f"http://127.0.0.1:{server.port}/eval/", headers={"Host": "evil.example"})
        with urlopen(request, timeout=PATIENCE) as answer:
            assert answer.status == 200
        assert server.stop() == 0
        assert len(re.findall(r" https://eval\.example\.org/eval/join/[\w-]{43}$", server.printed(), re.MULTILINE)) == 4
    assert server.said() == (
        "creating the demo …\n"
        f"serving on http://127.0.0.1:{server.port}/eval for https://eval.example.org/eval (stop with Ctrl-C)\n"
    )


def test_listening_beyond_this_machine_is_warned_of(tmp_path: Path, sqlite_link: tuple[Path, str]) -> None:
    with served(tmp_path, "--database", sqlite_link[0], "--host", "0.0.0.0") as server:
        assert server.stop() == 0
    first, second, *_ = server.said().splitlines()
    assert first == f"serving on http://127.0.0.1:{server.port} (stop with Ctrl-C)"
    assert second.startswith(
        "warning: 0.0.0.0 can be reached from other machines; links and answers travel unencrypted"
    )


def test_an_answer_in_the_making_is_finished(tmp_path: Path, sqlite_link: tuple[Path, str]) -> None:
    """A request that has begun when the server is told to stop gets its answer."""
    with served(tmp_path, "--database", sqlite_link[0]) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as slow:
            head = f"POST /join/{sqlite_link[1]} HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\nConnection: close\r\n"
            slow.sendall(f"{head}Content-Type: application/x-www-form-urlencoded\r\n\r\ncsrf".encode())
            time.sleep(0.5)  # the head has arrived
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            slow.sendall(b"=abc")
            answer = slow.makefile("rb").read()
        assert answer.startswith(b"HTTP/1.1 403 ")
        assert server.process.wait(timeout=PATIENCE) == 0


# -- the demonstration -----------------------------------------------------------------------------------


def test_the_demonstration_leaves_nothing_behind(tmp_path: Path) -> None:
    with served(tmp_path, "--demo") as server:
        assert [path.name[:14] for path in tmp_path.glob("palmares-demo-*")] == ["palmares-demo-"]
        assert server.stop() == 0
        links = re.findall(r"^(\w+).* (http://127\.0\.0\.1:\d+/join/[\w-]{43})$", server.printed(), re.MULTILINE)
        assert [role for role, _ in links] == ["judge", "judge", "organiser", "observer"]
    assert list(tmp_path.glob("palmares-demo-*")) == []


@pytest.mark.slow
def test_links_of_the_demonstration_work(tmp_path: Path) -> None:
    place = tmp_path / "mine.db"
    with served(tmp_path, "--demo", "--database", place) as server:
        assert server.process.stdout is not None
        lines = [server.process.stdout.readline() for _ in range(4)]
        for line in lines:
            path = line.split()[-1].removeprefix(f"http://127.0.0.1:{server.port}")
            assert server.get(path)[0] == 200
        assert server.stop() == 0
    said = refused(tmp_path, "--demo", "--database", place)
    assert said.startswith(f"sqlite:///{place}: has a campaign 'demo' already; leave out --demo to serve it")
    with served(tmp_path, "--database", place) as server:
        assert server.stop() == 0


# -- the first visit -------------------------------------------------------------------------------------


def test_without_a_campaign_a_link_to_make_one_is_printed(tmp_path: Path) -> None:
    place = tmp_path / "new.db"
    for made in (True, False):  # the database is made once; a link is printed as long as there is no campaign
        with served(tmp_path, "--database", place, wait="/") as server:
            assert server.process.stdout is not None
            link = server.process.stdout.readline().strip()
            assert re.fullmatch(rf"http://127\.0\.0\.1:{server.port}/setup/link/[\w-]{{43}}", link)
            path = link.removeprefix(f"http://127.0.0.1:{server.port}")
            assert "This server has no campaign yet" in server.get("/")[1]
            status, page = server.get(path)
            assert (status, "Begin" in page) == (200, True)
            assert server.stop() == 0
        said = server.said()
        assert (f"there was no database sqlite:///{place}: made an empty one" in said) == made
        assert path.rpartition("/")[2] not in said
        assert '"GET /setup/link/… HTTP/1.1" 200 OK' in said
    db = Database.open(f"sqlite:///{place}")
    new_campaign(db)
    db.close()
    with served(tmp_path, "--database", place) as server:
        assert server.stop() == 0
        assert server.printed() == ""


# -- refusals --------------------------------------------------------------------------------------------


def refused(tmp_path: Path, *arguments: object) -> str:
    """What a server says that does not start: one line, and status 2."""
    command = [sys.executable, "-m", "palmares", "serve", "--port", str(free_port()), *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE, env=environment(tmp_path), check=False
    )
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("palmares: error: ")
    return line.removeprefix("palmares: error: ")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_port_in_use(tmp_path: Path, sqlite_link: tuple[Path, str], workers: int) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        said = refused(tmp_path, "--database", sqlite_link[0], "--port", port, "--workers", workers)
    assert said == (
        f"127.0.0.1, port {port}: cannot listen there (Address already in use); stop the program that does, "
        "or choose another --port or --host"
    )


@pytest.mark.parametrize("workers", [1, 2])
def test_a_database_that_cannot_be_served(tmp_path: Path, sqlite_link: tuple[Path, str], workers: int) -> None:
    missing = tmp_path / "nowhere" / "x.db"
    assert "is not a file, or its folder is missing" in refused(tmp_path, "--database", missing, "--workers", workers)
    with closing(sqlite3.connect(sqlite_link[0])) as connection, connection:
        connection.execute("update alembic_version set version_num = '0001'")
    said = refused(tmp_path, "--database", sqlite_link[0], "--workers", workers)
    assert "has version 0001, this palmares needs" in said
    assert "palmares campaign upgrade" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--root-path", "a b"], "root path: got 'a b'"),
        (["--host", "nowhere.invalid"], "nowhere.invalid, port "),
        (["--forwarded-allow-ips", "10.0.0.1"], "give --proxy-headers too"),
        (["--address", "example.org"], "address: got 'example.org'; allowed: http:// or https://"),
        (["--address", "https://x/eval", "--root-path", "/other"], "its path must be the root path"),
        (["--database", "mysql://x/y"], "allowed: sqlite:///FILE or postgresql://"),
    ],
)
def test_what_cannot_be_meant(tmp_path: Path, options: list[str], message: str) -> None:
    assert message in refused(tmp_path, *options)
