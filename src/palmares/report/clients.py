"""Tokens of programs as tables. Machines get values in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..campaign.clients import Client
from .campaign import iso, text_column, time_column
from .tables import Column, Grouped, Table, View


@dataclass(frozen=True)
class MadeToken:
    """A token that was just made: what is known of it, and the secret itself."""

    client: Client
    token: str

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        expires = self.client.expires_at
        return {
            **{"name": self.client.name, "scope": str(self.client.scope), "campaign": self.client.campaign},
            **{"expires_at": None if expires is None else expires.isoformat(), "token": self.token},
        }


def _made(results: Sequence[Grouped[MadeToken]], part: str | None = None) -> list[Table]:
    # A token that is not whole works nowhere.
    columns = [
        *(text_column("name"), text_column("scope"), text_column("campaign"), time_column("until")),
        Column("token", align="left", if_long="whole"),
    ]
    made = [each.result for each in results]
    rows = [
        (m.client.name, str(m.client.scope), m.client.campaign, iso(m.client.expires_at), m.token) for m in made
    ]  # fmt: skip
    return [Table(columns, rows)]


def _clients(results: Sequence[Grouped[Client]], part: str | None = None) -> list[Table]:
    columns = [
        *(Column("id"), text_column("name"), text_column("scope"), text_column("pseudonym"), text_column("state")),
        *(time_column("created"), time_column("until"), time_column("used")),
    ]
    rows = [
        (
            *(each.id, each.name, str(each.scope), each.pseudonym, each.state),
            *(iso(at) for at in (each.created_at, each.expires_at, each.used_at)),
        )
        for each in (grouped.result for grouped in results)
    ]
    return [Table(columns, rows)]


MADE = View(_made)
LIST = View(_clients)
