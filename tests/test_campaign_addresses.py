"""Where links lead: to the server that serves the database, as it noted itself when it started."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from servers import ServerProcess
from stores import Clock, new_campaign

from palmares.campaign.addresses import ServedAt, checked_address, last_server, record_server
from palmares.campaign.database import Database
from palmares.errors import InputError


def test_the_server_that_was_started_last_is_known(db: Database, clock: Clock) -> None:
    assert last_server(db) is None
    record_server(db, "http://127.0.0.1:8000")
    clock.forward(hours=1)
    record_server(db, "https://eval.example.org")
    assert last_server(db) == ServedAt("https://eval.example.org", clock.now)


@pytest.mark.parametrize("text", ["https://eval.example.org/mt/", "http://[::1]:8000", "http://127.0.0.1:8000/"])
def test_an_address_has_no_slash_at_its_end(text: str) -> None:
    assert checked_address(text, "--url") == text.rstrip("/")


@pytest.mark.parametrize(
    "text", ["", "example.org", "ftp://x", "https://a b", "https://x/?a=1", "https://u:p@x", "https://x#y"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"--url: got .*; allowed: the address of the server, such as https://"):
        checked_address(text, "--url")


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_links_of_invite_name_the_port_that_serves(
    database_url: str, db: Database, tmp_path: Path, ok: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PALMARES_ADDRESS", raising=False)
    new_campaign(db)
    with ServerProcess(database_url, tmp_path) as server:
        (line,) = ok("campaign", "invite", "news", "ann", "--database", database_url, "--format", "json").json
        assert line["link"].startswith(f"{server.address}/join/")
