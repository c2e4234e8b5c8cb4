"""A real PostgreSQL of our own for the tests: its own data folder, a Unix socket, nothing shared with the machine's.

PostgreSQL refuses to run as root, so root runs it as the user ``postgres`` that the Debian package makes.
"""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path

import psycopg
import pytest

MISSING = "PostgreSQL is not installed; on Debian: apt-get install postgresql"
START_SECONDS = 60.0

#: What an ordinary test gives up: it never survives a crash, so it need not wait for the disk.
CARELESS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


def installed() -> Path | None:
    """The folder of the newest ``initdb``, if there is one."""
    found = list(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    if found:
        return max(found, key=lambda path: int(path.parts[-3])).parent
    return Path(on_path).parent if on_path else None


def binaries() -> Path:
    """The folder of PostgreSQL's programs; without them the test is skipped."""
    folder = installed()
    if folder is None:
        pytest.skip(MISSING)
    return folder


class Cluster:
    """One PostgreSQL server. ``durable`` keeps ``fsync`` on, as tests of crashes need."""

    def __init__(self, *, durable: bool = True) -> None:
        self._bin = binaries()
        self._settings = () if durable else CARELESS
        # Not in pytest's own folders: the user postgres may not enter those, and a socket's path must be short.
        self.folder = Path(tempfile.mkdtemp(prefix="palmares-pg-"))
        self.data = self.folder / "data"
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = count()
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self._run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        atexit.register(self.remove)

    @property
    def pid(self) -> int:
        """The process id of the postmaster."""
        assert self._process is not None, "the cluster is not running"
        return self._process.pid

    def url(self, database: str = "postgres") -> str:
        """Where a database is, for `Database.open` and for ``--database``."""
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def start(self) -> Cluster:
        """Start the server and wait until it answers; after a crash that includes its recovery."""
        settings = ("listen_addresses=", f"unix_socket_directories={self.folder}", *self._settings)
        options = [part for setting in settings for part in ("-c", setting)]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._bin / "postgres", "-D", self.data, *options],
                stdout=log, stderr=log, start_new_session=True, cwd=self.folder, **_as_postgres(),
            )  # fmt: skip
        self._wait()
        return self

    def kill9(self) -> None:
        """Kill every process of the server at once, as a power cut would."""
        # Every process of PostgreSQL leads a session of its own, so there is no group to kill.
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text(encoding="ascii").split()
        for pid in (self.pid, *map(int, children)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._ended()

    def stop(self) -> None:
        """End the server in order, if it runs."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)  # "fast": open connections are closed
            self._ended()

    def remove(self) -> None:
        """End the server and delete its files."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)  # "immediate": nothing of it will be read again
            self._ended()
        shutil.rmtree(self.folder, ignore_errors=True)

    def create(self, template: str = "template1") -> str:
        """Make a database, a copy of ``template``, and return its URL."""
        name = f"test_{os.getpid()}_{next(self._numbers)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
        return self.url(name)

    def create_in(self, folder: Path) -> str:
        """Make a database whose tables lie in a folder that the server may write to, and return its URL."""
        name = f"test_{os.getpid()}_{next(self._numbers)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE TABLESPACE {name} LOCATION '{folder}'")
            connection.execute(f'CREATE DATABASE "{name}" TABLESPACE {name}')
        return self.url(name)

    def drop(self, url: str) -> None:
        """Remove a database, with whoever is still connected to it."""
        name = url.rpartition("?")[0].rpartition("/")[2]
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def _run(self, program: str, *arguments: object) -> None:
        done = subprocess.run(
            [self._bin / program, *map(str, arguments)], capture_output=True, cwd=self.folder, check=False,
            **_as_postgres(),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()

    def _wait(self) -> None:
        end = time.monotonic() + START_SECONDS
        while True:
            assert self._process is not None
            assert self._process.poll() is None, (self.folder / "log").read_text()
            try:
                psycopg.connect(self.url(), connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                assert time.monotonic() < end, (self.folder / "log").read_text()
                time.sleep(0.05)

    def _ended(self) -> None:
        assert self._process is not None
        self._process.wait(timeout=START_SECONDS)
        self._process = None


def _as_postgres() -> dict[str, object]:
    if os.geteuid() != 0:
        return {}
    try:
        user = pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip(f"root cannot run PostgreSQL and there is no user postgres to run it. {MISSING}")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


@cache
def shared_cluster() -> Cluster:
    """The cluster that all tests of this process share; started when first asked for."""
    return Cluster(durable=False).start()
