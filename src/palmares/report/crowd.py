"""Group links as tables. Machines get values in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..campaign.group_links import WORKER_STATES, GroupLink, LinkStatus
from .campaign import iso, langs_column, text_column, time_column
from .tables import Column, Grouped, Table, View


@dataclass(frozen=True)
class MadeLink:
    """A group link, and the address for the platform."""

    link: GroupLink
    address: str

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {**_about(self.link), "link": self.address}


def _made(results: Sequence[Grouped[MadeLink]], part: str | None = None) -> list[Table]:
    # A link that is not whole lets nobody in.
    columns = [
        *(text_column("name"), Column("places"), langs_column("langs"), time_column("until")),
        Column("link", align="left", if_long="whole"),
    ]
    made = [each.result for each in results]
    rows = [(m.link.name, m.link.places, " ".join(m.link.langs), iso(m.link.expires_at), m.address) for m in made]
    return [Table(columns, rows)]


def _links(results: Sequence[Grouped[LinkStatus]], part: str | None = None) -> list[Table]:
    columns = [
        *(text_column("name"), text_column("state"), Column("places"), Column("taken"), *map(Column, WORKER_STATES)),
        *(langs_column("langs"), time_column("until")),
    ]
    rows = [
        (
            each.link.name, each.state, each.link.places, each.taken, *(each.workers[state] for state in WORKER_STATES),
            " ".join(each.link.langs), iso(each.link.expires_at),
        )
        for each in (grouped.result for grouped in results)
    ]  # fmt: skip
    return [Table(columns, rows)]


def _status_dict(status: LinkStatus) -> dict[str, Any]:
    """The documented JSON shape."""
    return {**_about(status.link), "state": status.state, "taken": status.taken, "workers": dict(status.workers)}


def _about(link: GroupLink) -> dict[str, Any]:
    return {
        "name": link.name,
        "places": link.places,
        "langs": list(link.langs),
        "expires_at": link.expires_at.isoformat(),
    }


MADE = View(_made)
LINKS = View(_links, to_dict=_status_dict)
