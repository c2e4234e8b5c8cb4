"""Where a database is served, so that links which are made elsewhere lead to the server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from ..errors import InputError
from . import schema
from .database import Database

#: Where ``palmares serve`` listens unless told otherwise.
DEFAULT_ADDRESS = "http://127.0.0.1:8000"
ADDRESS_VARIABLE = "PALMARES_ADDRESS"


@dataclass(frozen=True)
class ServedAt:
    """The address of the server that was started last, and when that was."""

    address: str
    started_at: datetime


def checked_address(text: str, name: str) -> str:
    """An address of a server, without a slash at its end; ``name`` says where a refused one was given."""
    if not re.fullmatch(r"https?://[^/\s?#@]+(/[^\s?#]*)?", text):
        raise InputError(f"{name}: got {text!r}; allowed: the address of the server, such as https://example.org/eval")
    return text.rstrip("/")


def record_server(db: Database, address: str) -> None:
    """Note that a server is being started at an address; what was noted before is replaced."""
    with db.begin() as tx:
        tx.execute(schema.server.delete())
        tx.execute(schema.server.insert().values(address=address, started_at=db.clock()))


def last_server(db: Database) -> ServedAt | None:
    """The server that was started last; None if there never was one."""
    server = schema.server.c
    with db.read() as tx:
        row = tx.execute(sa.select(server.address, server.started_at).order_by(server.id.desc()).limit(1)).first()
    return None if row is None else ServedAt(*row)
