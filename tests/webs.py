"""The web application for tests: in this process, or as a server on this machine for a browser."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from typing import Any

import httpx2 as httpx
import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.testclient import TestClient

from palmares.campaign import Role
from palmares.campaign.database import Database
from palmares.campaign.people import Person, add_person, invite
from palmares.server.app import create_app
from palmares.server.config import ServerConfig
from palmares.server.protocol import PromptServer

_CSRF = re.compile(r'name="csrf" value="([0-9a-f]{64})"')


@pytest.fixture
def app(db: Database) -> FastAPI:
    """The application on an open store, on either database."""
    return create_app(ServerConfig("unused"), database=db)


@dataclass
class Visitor:
    """Someone with a browser that runs no scripts: forms carry the token of the page they stand on."""

    client: TestClient
    page: httpx.Response | None = None

    def get(self, path: str, **options: Any) -> httpx.Response:
        self.page = self.client.get(path, **options)
        return self.page

    def post(self, path: str, data: dict[str, str] | None = None, **options: Any) -> httpx.Response:
        """Send a form with the token of the page looked at last."""
        fields = {"csrf": csrf_in(self.page), **(data or {})}
        self.page = self.client.post(path, data=fields, **options)
        return self.page

    def join(self, token: str) -> httpx.Response:
        """Open an invitation link and press the button."""
        self.get(f"/join/{token}")
        return self.post(f"/join/{token}")


def csrf_in(page: httpx.Response | None) -> str:
    """The token in a page's forms."""
    assert page is not None, "no page has been looked at"
    found = _CSRF.search(page.text)
    assert found, f"no form on this page: {page.status_code} {page.url}"
    return found[1]


def visitor(app: Any, **options: Any) -> Visitor:
    return Visitor(TestClient(app, **{"raise_server_exceptions": True, **options}))


def signed_in(app: FastAPI, person: Person) -> Visitor:
    """Someone who has opened their invitation link."""
    made = visitor(app)
    joined = made.join(invite(app.state.database, person))
    assert joined.status_code == 200, joined.text
    return made


def staff(app: FastAPI, role: Role | str, name: str | None = None, *, campaign: str = "news") -> Visitor:
    """A signed-in organiser or observer."""
    return signed_in(app, add_person(app.state.database, campaign, role, name or str(role)))


def attribute(page: httpx.Response, name: str) -> str:
    """The value of an attribute that stands once on a page."""
    found = re.findall(rf'\b{re.escape(name)}="([^"]*)"', page.text)
    assert len(found) >= 1, f"no {name} on {page.url}"
    return unescape(found[0])


# -- a server for browsers -------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(app: FastAPI, port: int | None = None) -> Iterator[str]:
    """Serve an application from a thread; gives its address."""
    config = uvicorn.Config(app, host="127.0.0.1", port=port or free_port(), log_level="warning", lifespan="off")
    server = PromptServer(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + 30
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        assert time.monotonic() < end, "the server did not start in time"
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{config.port}"
    finally:
        server.should_exit = True
        thread.join(timeout=30)
