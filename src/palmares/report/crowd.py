"""Group links as tables. Machines get values in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..campaign.group_links import WORKER_STATES, GroupLink, LinkStatus
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
    columns = [_text("name"), Column("places"), _langs(), _text("until"), Column("link", align="left", if_long="whole")]
    made = [each.result for each in results]
    rows = [(m.link.name, m.link.places, " ".join(m.link.langs), _day(m.link), m.address) for m in made]
    return [Table(columns, rows)]


def _links(results: Sequence[Grouped[LinkStatus]], part: str | None = None) -> list[Table]:
    columns = [_text("name"), _text("state"), Column("places"), Column("taken"), *map(Column, WORKER_STATES), _langs(),
               _text("until")]  # fmt: skip
    rows = [
        (
            each.link.name, each.state, each.link.places, each.taken, *(each.workers[state] for state in WORKER_STATES),
            " ".join(each.link.langs), _day(each.link),
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


def _text(name: str) -> Column:
    return Column(name, align="left")


def _langs() -> Column:
    """Language pairs with spaces between them; none given means all."""
    return Column("langs", lambda value: value or "all", align="left", if_long="wrap")


def _day(link: GroupLink) -> str:
    return f"{link.expires_at:%Y-%m-%d %H:%M}"


MADE = View(_made)
LINKS = View(_links, to_dict=_status_dict)
