"""Crowds for tests: a campaign with a group link, and workers who come by it."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from stores import new_campaign, next_view, sample_texts

from palmares.campaign import schema
from palmares.campaign.answers import Answer, Receipt, submit
from palmares.campaign.crowd import PlatformIds, enter
from palmares.campaign.database import Database
from palmares.campaign.group_links import make_link
from palmares.campaign.people import Person, consent, people
from palmares.campaign.screens import ScreenView

#: A short task of two screens, each a HIT of its own, so that it ends on the screen.
SHORT: dict[str, Any] = {"judge.screens": 2, "hit.screens": 1, "screen.outputs": 3}
#: A damaged copy on half of the screens: that fewer than two of 24 have one does not happen (25 in 2 to the 24).
CONTROLLED: dict[str, Any] = {"controls.degraded": 0.5, "hit.screens": 2, "judge.screens": 24, "screen.outputs": 3}


def new_crowd(db: Database, *, places: int = 10, days: float | None = None, **settings: Any) -> str:
    """A campaign with a group link; gives its token."""
    new_campaign(db, sample_texts(24, ("A", "B", "C")), **{**SHORT, **settings})
    return make_link(db, "news", places=places, days=days)[1]


def new_worker(db: Database, token: str, worker: str | None = "w1", *, secret: str = "browser") -> Person:
    """A worker who has come and agreed."""
    person = enter(db, token, PlatformIds(worker, "study-1", f"session-{worker}"), secret).person
    consent(db, person)
    return who_is(db, person)


def who_is(db: Database, person: Person) -> Person:
    """The same person as the database knows them now."""
    return next(known for known in people(db, person.campaign_id) if known.id == person.id)


def damaged_place(db: Database, view: ScreenView) -> tuple[int, int] | None:
    """Places (from 0) of a damaged output and of its original on a screen; None if there is none."""
    served, output = schema.served.c, schema.output.c
    with db.read() as tx:
        places = tx.execute(sa.select(served.places).where(served.public_id == view.id)).scalar_one()
        rows = tx.execute(sa.select(output.id, output.original_id).where(output.id.in_(places))).all()
    for output_id, original_id in rows:
        if original_id is not None:
            return places.index(output_id), places.index(original_id)
    return None


def judged(db: Database, person: Person, *, careful: bool = True, seconds: float | None = 30.0) -> bool:
    """Answer the next screen; says whether it had a control. Who is careless puts the damaged output on top."""
    view = next_view(db, person)
    assert view is not None, "no work"
    ranks, planted = [2] * len(view.options), damaged_place(db, view)
    if planted is not None:
        damaged, original = planted
        ranks[damaged], ranks[original] = (3, 1) if careful else (1, 3)
        ranks = [min(rank, len(ranks)) for rank in ranks]
    submitted(db, person, view, tuple(ranks), seconds)
    return planted is not None


def submitted(
    db: Database, person: Person, view: ScreenView, ranks: tuple[int, ...], seconds: float | None = 30.0
) -> Receipt:
    return submit(
        db, person, view.id, Answer(ranks), submission=f"{view.id}-{view.revision}", revision=view.revision,
        seconds=seconds,
    )  # fmt: skip
