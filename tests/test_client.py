"""The client against a real server: it judges to the end, sends again what it may, and nothing twice."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from fastapi import FastAPI
from stores import PLAIN, new_campaign, new_judge, sample_texts
from test_server_programs import texts, token_for
from webs import free_port, serving

import palmares as pm
from palmares.campaign.collected import collect
from palmares.campaign.database import Database
from palmares.campaign.people import find_person
from palmares.client import ApiError, Client
from palmares.errors import InputError
from palmares.ingest.base import ReadOptions

pytestmark = pytest.mark.any_database


@contextmanager
def failing(address: str, faults: list[str]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """A proxy before a server that does as it is told, once each, and then passes everything on.

    ``refuse``: 503 before the server has seen it. ``lose``: the server does it, and nobody hears of it. ``wait``: 429.
    """
    import httpx2 as httpx

    seen: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            seen.append((self.command, self.path))
            fault = faults.pop(0) if faults else ""
            if fault in ("refuse", "wait"):
                self.send_response(503 if fault == "refuse" else 429)
                self.send_header("Retry-After", "0")
                self.end_headers()
                return
            headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            answer = httpx.request(self.command, address + self.path, content=body, headers=headers)
            if fault == "lose":
                self.close_connection = True
                self.connection.close()
                return
            self.send_response(answer.status_code)
            self.send_header("Content-Type", answer.headers.get("content-type", ""))
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        do_GET = do_POST = do_PUT = pass_on  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_campaign_from_its_making_to_its_ranking(app: FastAPI, db: Database) -> None:
    with serving(app) as address:
        pipeline = Client(address, token_for(db, "create"))
        made = pipeline.create("mine", [texts(12, ("A", "B", "C"))], settings={**PLAIN, "screen.outputs": 3})
        assert [each["name"] for each in pipeline.campaigns()] == ["mine"]
        manage = Client(address, made.token)
        assert manage.change_settings("mine", {"judge.screens": 12}) == 2
        assert manage.settings("mine")["judge"]["screens"] == 12
        links = manage.invite("mine", ["ann", {"name": "bob", "langs": ["fr-en"]}])
        assert set(links) == {"ann", "bob"}
        model = Client(address, manage.add_program("mine", "model"))
        numbers = []
        for screen in model.screens("mine"):
            order = sorted(option.text for option in screen.options)
            model.answer(screen, ranks=[1 + order.index(option.text) for option in screen.options])
            numbers.append(screen.number)
        assert numbers == [1, 2, 3] * 4
        assert manage.status("mine")["pairs"][0]["answered"] == 12
        judgments = manage.export("mine")
        assert (len(judgments), judgments.systems) == (36, ("A", "B", "C"))
        assert [line.system for line in pm.rank(judgments, rng=0).lines] == ["A", "C", "B"]  # one, three, two
        added = manage.add_systems("mine", {"D": [f"Altogether other words, {i}." for i in range(12)]})
        assert added["added_after"] == 12
        assert [each["name"] for each in manage.people("mine")] == ["create-program", "ann", "bob", "model"]
        manage.set_state("mine", "closed")
        assert list(model.screens("mine")) == []


def test_an_answer_is_sent_until_it_is_known_to_be_stored_and_is_stored_once(app: FastAPI, db: Database) -> None:
    new_campaign(db, sample_texts(4))
    faults = ["", "", "refuse", "lose", "wait"]  # of the second request on, an answer
    with serving(app) as address, failing(address, faults) as (proxy, seen):
        model = Client(proxy, token_for(db, "judge"), patience=30)
        for screen in model.screens("news"):
            model.answer(screen, ranks=[1, 2, 3, 4, 5])
    assert faults == []
    sent = [path for method, path in seen if method == "POST"]
    assert len(sent) == 4 + 3  # three of them again
    rows = collect(db, "news", ReadOptions())
    assert rows.records == 4


def test_what_might_be_done_twice_is_not_sent_again(app: FastAPI, db: Database) -> None:
    new_campaign(db)
    with serving(app) as address, failing(address, ["lose"]) as (proxy, seen):
        manage = Client(proxy, token_for(db, "manage"), patience=30)
        with pytest.raises(ApiError, match="whether this was done is not known, so it was not sent again"):
            manage.invite("news", ["ann"])
    assert len(seen) == 1
    assert find_person(db, "news", "ann").name == "ann"  # it was done


def test_what_was_refused_for_now_is_sent_again(app: FastAPI, db: Database) -> None:
    new_campaign(db)
    with serving(app) as address, failing(address, ["refuse", "wait"]) as (proxy, seen):
        assert set(Client(proxy, token_for(db, "manage"), patience=30).invite("news", ["ann"])) == {"ann"}
    assert len(seen) == 3


def test_refusals_say_what_the_server_said(app: FastAPI, db: Database) -> None:
    new_campaign(db)
    new_judge(db)
    with serving(app) as address:
        reader = Client(address, token_for(db, "read"))
        with pytest.raises(ApiError, match="needs a token of scope manage; this one is for read") as refused:
            reader.set_state("news", "closed")
        assert (refused.value.status, refused.value.kind) == (403, "forbidden")
        with pytest.raises(ApiError, match="there are no judgments yet"):
            reader.export("news")
        broken = texts(12)
        del broken["segments"][2]["outputs"]["B"]
        with pytest.raises(ApiError) as unfit:
            Client(address, token_for(db, "create")).create("mine", [broken])
        assert unfit.value.details["checks"] == ["missing"]


def test_a_screen_that_is_left_lying_ends_the_loop(app: FastAPI, db: Database) -> None:
    new_campaign(db)
    with serving(app) as address:
        model = Client(address, token_for(db, "judge"))
        with pytest.raises(InputError, match="was neither answered nor skipped"):
            list(model.screens("news"))
        for screen in model.screens("news", most=2):
            model.answer(screen, skip="other", note="no idea")
    assert [dropped.reason for dropped in collect(db, "news", ReadOptions()).dropped] == [
        "skipped by the judge (other)"
    ] * 2


def test_a_server_that_is_not_there_is_waited_for_and_then_told(db: Database) -> None:
    with pytest.raises(ApiError, match="cannot be reached"):
        Client(f"http://127.0.0.1:{free_port()}", "palmares_x", patience=0.7).campaigns()


def test_the_token_goes_to_no_other_server() -> None:
    """A redirect is not followed: whoever answers there would have the token."""
    asked: list[str | None] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.headers.get("Authorization"))
            self.send_response(302 if len(asked) == 1 else 200)
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_address[1]}/there")  # type: ignore[misc]
            self.end_headers()
            self.wfile.write(json.dumps({"items": [], "next": None}).encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with pytest.raises(ApiError, match="302"):
            Client(f"http://127.0.0.1:{server.server_address[1]}", "palmares_x", patience=1).campaigns()
    finally:
        server.shutdown()
        server.server_close()
    assert asked == ["Bearer palmares_x"]


@pytest.mark.parametrize("address", ["", "example.org", "ftp://example.org", "https://x/?a=b"])
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(InputError, match="address: got"):
        Client(address, "palmares_x")
    with pytest.raises(InputError, match="token: got none"):
        Client("https://example.org", "")
