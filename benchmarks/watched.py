"""Answers a second while results are computed and ten pages of them are open, against the same server without either.

The load is that of `benchmarks.server`: connections without a pause, an answer and the next screen in one request. Both
ways take turns on one server and one campaign, whose setting ``results.live`` is switched; what is told is the ratio.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import re
import tempfile
import time
from contextlib import closing, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import httpx2 as httpx

from palmares.campaign import Role
from palmares.campaign.boards import board_of
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings, find_campaign, language_pairs, settings_of
from palmares.campaign.people import add_person, invite

from .common import report
from .load import Load, sign_in
from .server import CONNECTIONS, SEGMENTS, SYSTEMS, WARM_UP, cost, postgresql, prepared, serving, stores

#: Answers of a turn, turns of each of the two ways, and pages that are open.
ANSWERS, TURNS, PAGES = 1500, 3, 10
#: Seconds after a switch before anything is measured: the analysis looks once a second whether it is wanted.
SETTLING = 3.0
_CSRF = re.compile(r'name="csrf" value="([0-9a-f]{64})"')
_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)


def main() -> None:
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder, postgresql() as postgres:
        for store, url, workers, pid in stores(Path(folder), postgres, "watched"):
            if workers == 1:
                continue
            rows.append([store, *measured(url, workers, pid)])
            print(rows[-1], flush=True)
    report(
        "server-watched",
        f"Results computed and {PAGES} pages of them open, {CONNECTIONS} connections without a pause; two workers, "
        f"{SEGMENTS:,} segments of {SYSTEMS} systems",
        ["store", "without, answers/s", "with, answers/s", "with / without", "each turn", "pages fetched a second",
         "results made a minute", "judgments at the end"],
        rows,
        [
            f"{TURNS} turns of {ANSWERS:,} answers each way, one after the other on the same campaign; rates are "
            "medians. Without: `results.live = false`, no page open. The load, the ten readers and PostgreSQL run on "
            "the same cores as the server. A reader fetches results as the page's script does: when the stream says "
            "that there are others, and one request at a time. Each turn: the ratio of every two turns that follow "
            "each other.",
        ],
    )  # fmt: skip


def measured(url: str, workers: int, database: int | None) -> list[object]:
    """Rates of both ways in turns, their ratio, and what the readers got."""
    tokens = prepared(url, CONNECTIONS)
    with closing(Database.open(url)) as db:
        organiser = invite(db, add_person(db, "bench", Role.ORGANISER, "organiser"))
    without, beside, fetched, made = [], [], 0, 0
    seconds = 0.0
    with serving(url, workers) as (address, server), closing(Database.open(url)) as db:
        judges = [sign_in(address, "bench", token) for token in tokens]
        cookie = _staff_cookie(address, organiser)
        cost(Load(address, "bench", 1, WARM_UP), judges, server, database)
        for _ in range(TURNS):
            _switch(db, live=False)
            time.sleep(SETTLING)
            without.append(cost(Load(address, "bench", 1, ANSWERS), judges, server, database).rate)
            _switch(db, live=True)
            with Readers(address, cookie) as readers:
                time.sleep(SETTLING)
                before, start = _board(db)[0], time.perf_counter()
                beside.append(cost(Load(address, "bench", 1, ANSWERS), judges, server, database).rate)
                seconds += time.perf_counter() - start
                made += _board(db)[0] - before
            fetched += readers.fetched
        judgments = _board(db)[1]
    ratios = [b / a for a, b in zip(without, beside, strict=True)]
    return [
        median(without),
        median(beside),
        median(beside) / median(without),
        " ".join(f"{ratio:.2f}" for ratio in ratios),
        fetched / seconds,
        60 * made / seconds,
        judgments,
    ]


def _switch(db: Database, *, live: bool) -> None:
    with db.read() as tx:
        settings = settings_of(tx, find_campaign(tx, "bench").id)
    change_settings(db, "bench", settings.replace(**{"results.live": live}))


def _board(db: Database) -> tuple[int, int]:
    """Version of the newest results, and the judgments they rest on."""
    with db.read() as tx:
        (pair,) = language_pairs(tx, find_campaign(tx, "bench").id)
        board = board_of(tx, pair.id)
    return (0, 0) if board is None else (board.version, board.judgments)


def _staff_cookie(address: str, token: str) -> str:
    with httpx.Client(base_url=address, timeout=60, follow_redirects=True) as client:
        page = client.get(f"/join/{token}")
        client.post(f"/join/{token}", data={"csrf": _CSRF.search(page.text)[1]})
        return "; ".join(f"{name}={value}" for name, value in client.cookies.items())


# -- readers -----------------------------------------------------------------------------------------------


class Readers:
    """Open pages of results, in a process of their own."""

    def __init__(self, address: str, cookie: str) -> None:
        self.fetched = 0
        context = multiprocessing.get_context("spawn")
        self._here, there = context.Pipe()
        self._process = context.Process(target=_read, args=(address, cookie, there))

    def __enter__(self) -> Readers:
        self._process.start()
        assert self._here.recv() == "open"
        return self

    def __exit__(self, *_: object) -> None:
        self._here.send("end")
        self.fetched = self._here.recv()
        self._process.join()


def _read(address: str, cookie: str, channel: Connection) -> None:
    asyncio.run(_readers(address, cookie, channel))


async def _readers(address: str, cookie: str, channel: Connection) -> None:
    pages = [Reader(address, cookie) for _ in range(PAGES)]
    tasks = [asyncio.create_task(page.read()) for page in pages]
    await asyncio.gather(*(page.is_open.wait() for page in pages))
    channel.send("open")
    await asyncio.to_thread(channel.recv)
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    channel.send(sum(page.fetched for page in pages))


class Reader:
    """One page: a stream, and a request for what is shown whenever the stream says that it is old."""

    def __init__(self, address: str, cookie: str) -> None:
        self.place, self.cookie = urlsplit(address), cookie
        self.fetched = 0
        self.is_open, self.news = asyncio.Event(), asyncio.Event()

    def head(self, path: str) -> bytes:
        lines = (f"GET /c/bench/manage/results/{path} HTTP/1.1", f"Host: {self.place.netloc}", f"Cookie: {self.cookie}")
        return "\r\n".join((*lines, "", "")).encode()

    async def read(self) -> None:
        fetching = asyncio.create_task(self.fetch())
        reader, writer = await asyncio.open_connection(self.place.hostname, self.place.port)
        try:
            writer.write(self.head("events"))
            top = await reader.readuntil(b"\r\n\r\n")
            assert top[9:12] == b"200", top
            self.is_open.set()
            while line := await reader.readline():
                if line.startswith(b"event: results"):
                    self.news.set()
        finally:
            fetching.cancel()
            writer.close()

    async def fetch(self) -> None:
        reader, writer = await asyncio.open_connection(self.place.hostname, self.place.port)
        try:
            while await self.news.wait():
                self.news.clear()
                writer.write(self.head("fragment"))
                top = await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(int(_LENGTH.search(top)[1]))
                assert top[9:12] == b"200", top
                self.fetched += 1
        finally:
            writer.close()


if __name__ == "__main__":
    main()
