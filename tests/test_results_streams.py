"""Streams of news of results, from a real server: what they say, when they end, and how many there may be."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import httpx2 as httpx
import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from results import LIVE, look_until_complete, quickly  # noqa: F401
from servers import ServerProcess
from stores import answer, new_campaign, new_judge, next_view
from studies import analysing
from webs import csrf_in, serving, visitor

from palmares.campaign import Role, schema
from palmares.campaign.database import Database
from palmares.campaign.people import Person, add_person, invite, revoke
from palmares.server import streams

EVENTS = "/c/news/manage/results/events"


class Listening:
    """A stream that somebody reads, in a thread; its lines as they come, None at the end."""

    def __init__(self, address: str, cookies: Any = None) -> None:
        self.lines: Queue[str | None] = Queue()
        self.status = 0
        self._ready = threading.Event()
        self._client = httpx.Client(cookies=cookies, timeout=60)
        threading.Thread(target=self._read, args=(address,), daemon=True).start()
        assert self._ready.wait(30)

    def _read(self, address: str) -> None:
        try:
            with self._client.stream("GET", address) as response:
                self.status, self.headers = response.status_code, response.headers
                self._ready.set()
                for line in response.iter_lines():
                    self.lines.put(line)
        except httpx.TransportError:
            pass
        finally:
            self._ready.set()
            self.lines.put(None)

    def next(self, prefix: str = "data: ", seconds: float = 30.0) -> str:
        """What the next line with this beginning says."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                line = self.lines.get(timeout=max(0.01, end - time.monotonic()))
            except Empty:
                break
            assert line is not None, "the stream has ended"
            if line.startswith(prefix):
                return line.removeprefix(prefix)
        raise AssertionError(f"no line with {prefix!r}")

    def ended(self, seconds: float = 30.0) -> list[str]:
        """Wait for the end; what was said before it."""
        end, said = time.monotonic() + seconds, []
        while (line := self.lines.get(timeout=max(0.01, end - time.monotonic()))) is not None:
            said.append(line)
        return said

    def close(self) -> None:
        self._client.close()


def cookies_of(app: FastAPI, person: Person) -> Any:
    made = visitor(app)
    made.join(invite(app.state.database, person))
    return dict(made.client.cookies)


@contextmanager
def listening(address: str, cookies: Any = None) -> Iterator[Listening]:
    with closing(Listening(address, cookies)) as made:
        yield made


def publish(db: Database) -> None:
    row = {"campaign_id": 1, "created_at": db.clock(), "made_at": db.clock(), "answer": 1, "left_out": 0, "page": b"x"}
    with db.begin() as tx:
        tx.execute(schema.publication.insert().values(row))


def test_a_stream_says_that_there_is_news_and_ends_with_the_session(app: FastAPI, db: Database) -> None:
    new_campaign(db, **LIVE)
    oscar = add_person(db, "news", Role.OBSERVER, "oscar")
    judge = new_judge(db)
    with serving(app) as site, listening(site + EVENTS, cookies_of(app, oscar)) as stream, analysing(db) as analyst:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert stream.headers["cache-control"] == "no-store"
        marks = [stream.next()]
        look_until_complete(db, analyst)
        marks.append(stream.next())
        view = next_view(db, judge)
        assert view is not None
        answer(db, judge, view)
        look_until_complete(db, analyst)
        marks.append(stream.next())
        assert len(set(marks)) == 3
        revoke(db, oscar)
        assert "event: over" in stream.ended()


def test_a_stream_of_the_public_ends_when_nothing_is_published_any_more(app: FastAPI, db: Database) -> None:
    new_campaign(db, **LIVE)
    with serving(app) as site:
        assert httpx.get(f"{site}/c/news/results/events").status_code == 404
        publish(db)
        with listening(f"{site}/c/news/results/events") as stream:
            stream.next()
            with db.begin() as tx:
                tx.execute(schema.publication.update().values(withdrawn_at=db.clock()))
            assert "event: over" in stream.ended()
        assert httpx.get(f"{site}/c/news/results/events").status_code == 404


@pytest.mark.any_database
def test_streams_show_that_they_live_and_there_are_not_too_many(
    app: FastAPI, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT", 0.2)
    monkeypatch.setattr(streams, "MOST_PUBLIC", 2)
    new_campaign(db, **LIVE)
    publish(db)
    cookies = cookies_of(app, add_person(db, "news", Role.OBSERVER, "oscar"))
    with serving(app) as site:
        address = f"{site}/c/news/results/events"
        with listening(address) as one, listening(address) as other:
            for stream in (one, other):
                stream.next()
                assert stream.next(": ") == "still here"
            refused = httpx.get(address, headers={"accept": "application/json"})
            assert refused.status_code == 503
            assert refused.headers["retry-after"] == "30"
            assert "too many pages of results are open" in refused.json()["error"]["message"]
            with listening(site + EVENTS, cookies) as own:  # strangers do not shut out those who run the campaign
                own.next()
        end = time.monotonic() + 10
        while httpx.Client().stream("GET", address).__enter__().status_code != 200:
            assert time.monotonic() < end, "places are not given back"
            time.sleep(0.1)


@pytest.mark.any_database
@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_a_server_that_stops_does_not_wait_for_streams(database_url: str, tmp_path: Path, workers: str) -> None:
    with closing(Database.open(database_url)) as db:
        new_campaign(db, **LIVE)
        token = invite(db, add_person(db, "news", Role.OBSERVER, "oscar"))
    with ServerProcess(database_url, tmp_path, "--workers", workers) as server:
        client = httpx.Client(base_url=server.address, follow_redirects=True, timeout=60)
        page = client.get(f"/join/{token}")
        client.post(f"/join/{token}", data={"csrf": csrf_in(page)})
        with listening(server.address + EVENTS, dict(client.cookies)) as stream:
            stream.next()
            client.close()
            began = time.monotonic()
            server.stop()
            assert time.monotonic() - began < 8  # the time for requests in flight is 10 s
            assert "event: over" not in stream.ended()  # browsers come back
        assert "Traceback" not in server.log.read_text()


@pytest.mark.any_database
def test_one_look_is_for_all_who_listen(app: FastAPI, db: Database) -> None:
    """However many listen, boards are looked at no more often than one stream needs."""
    new_campaign(db, **LIVE)
    publish(db)
    looks: list[float] = []
    with serving(app) as site:
        address = f"{site}/c/news/results/events"
        with listening(address) as a, listening(address) as b, listening(address) as c, listening(address) as d:
            for stream in (a, b, c, d):
                stream.next()

            @sa.event.listens_for(db.engine, "before_cursor_execute")
            def note(_: Any, __: Any, statement: str, *rest: Any) -> None:
                if "FROM board" in statement:
                    looks.append(time.monotonic())

            began = time.monotonic()
            while len(looks) < 5 and time.monotonic() < began + 30:
                time.sleep(0.05)
            seconds = time.monotonic() - began
    assert 5 <= len(looks) <= seconds / streams.POLL + 2
