"""Judges who come and go as they please, for a long time: what must always hold does, and the work gets done."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from stores import Clock, new_campaign, new_judge, sample_texts

from palmares.campaign import schema
from palmares.campaign.answers import Answer, save_draft, submit
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings, settings_of
from palmares.campaign.people import Person, revoke
from palmares.campaign.screens import load
from palmares.campaign.stopping import answered_screens
from palmares.campaign.work import next_screen

WANTED = 40  # screens
LEASE = 30.0  # minutes


class Life:
    """A campaign and its judges; every act draws what happens next."""

    def __init__(self, db: Database, clock: Clock, seed: int) -> None:
        self.db, self.clock, self.rng = db, clock, Random(seed)
        controls = {"controls.repeats": 0.1, "controls.repeat_after": 2, "controls.degraded": 0.1}
        overlap = {"overlap.share": 0.4, "overlap.judges": 3, "hit.lease_minutes": LEASE, "stop.screens": WANTED}
        new_campaign(db, sample_texts(14), **controls, **overlap, **{"judge.per_segment": 2})
        self.judges = [new_judge(db, f"j{i}") for i in range(5)]
        self.open: dict[Person, list[str]] = {judge: [] for judge in self.judges}

    def act(self) -> None:
        judge = self.rng.choice(self.judges)
        acts = [
            self.ask,
            self.ask,
            self.answer,
            self.answer,
            self.answer,
            self.draft,
            self.skip,
            self.wait,
            self.change,
        ]
        self.rng.choice(acts)(judge)

    def ask(self, judge: Person) -> None:
        screen = next_screen(self.db, judge, rng=self.rng)
        if screen is not None:
            view = load(self.db, judge, screen)
            self.open[judge] = list(dict.fromkeys([*self.open[judge], screen, *view.following]))

    def answer(self, judge: Person, skip: bool = False) -> None:
        """Answer any screen that this judge has ever seen, in time or not, for the first time or again."""
        if not self.open[judge]:
            return
        screen = self.rng.choice(self.open[judge][-6:])
        view = load(self.db, judge, screen)
        ranks = [self.rng.randint(1, len(view.options)) for _ in view.options]
        given = Answer(skip="other") if skip else Answer(tuple(ranks))
        submit(self.db, judge, screen, given, submission=str(self.rng.random()), revision=view.revision)

    def skip(self, judge: Person) -> None:
        self.answer(judge, skip=True)

    def draft(self, judge: Person) -> None:
        if self.open[judge]:
            view = load(self.db, judge, self.rng.choice(self.open[judge]))
            save_draft(self.db, judge, view.id, (1, *[None] * (len(view.options) - 1)), version=view.draft_version)

    def wait(self, judge: Person) -> None:
        self.clock.forward(minutes=self.rng.choice([1, 5, 31, 31]))

    def change(self, judge: Person) -> None:
        with self.db.read() as tx:
            settings = settings_of(tx, 1)
        outputs, judges = self.rng.choice([3, 4, 5]), self.rng.choice([2, 3])
        changes = {"screen.outputs": outputs, "overlap.judges": judges, "hit.screens": self.rng.choice([1, 2, 3])}
        change_settings(self.db, "news", settings.replace(**changes))


@pytest.mark.parametrize("seed", [2])
def test_whatever_judges_do_the_work_gets_done(db: Database, clock: Clock, seed: int) -> None:
    life = Life(db, clock, seed)
    for _ in range(170):
        life.act()
    check_always(db)
    for judge in life.judges[:3]:
        revoke(db, judge)
    clock.forward(minutes=LEASE + 1)
    fresh = [new_judge(db, f"fresh{i}") for i in range(4)]
    while sum(work_on(db, judge) for judge in fresh):
        pass
    check_always(db)
    with db.read() as tx:
        assert answered_screens(tx, 1) >= WANTED


def work_on(db: Database, judge: Person) -> bool:
    """Answer the next screen, if there is one."""
    screen = next_screen(db, judge)
    if screen is not None:
        view = load(db, judge, screen)
        submit(
            db, judge, screen, Answer(tuple(range(1, len(view.options) + 1))), submission="s", revision=view.revision
        )
    return screen is not None


def check_always(db: Database) -> None:
    with db.read() as tx:
        given = tx.execute(_served()).all()
        hits = tx.execute(sa.select(schema.hit.c.id, schema.hit.c.closed, schema.hit.c.answers)).all()
        assert sum(hit.answers for hit in hits) == answered_screens(tx, 1)
    first = [row for row in given if row.repeat_of is None]
    assert len({(row.person_id, row.screen_id) for row in first}) == len(first)  # nobody has a screen twice
    met = Counter((row.person_id, row.segment_id) for row in first)
    assert max(met.values()) <= 2
    # More answers than wanted come only from work that had been given back, or skipped for a while.
    ranked = Counter(row.screen_id for row in first if row.answered and row.skip is None)
    late = Counter(row.screen_id for row in first if row.late or (row.skipped_once and row.skip is None))
    wanted = {row.screen_id: row.wanted for row in given}
    assert all(ranked[screen] <= wanted[screen] + late[screen] for screen in ranked)
    # A closed HIT lacks nothing, but for what several judges skipped.
    skipped = Counter(row.screen_id for row in first if row.skip is not None)
    closed = {hit.id for hit in hits if hit.closed}
    for row in given:
        if row.hit_id in closed:
            screen = row.screen_id
            assert ranked[screen] >= wanted[screen] or ranked[screen] + skipped[screen] >= wanted[screen] + 2


def _served() -> Any:
    """Every showing with its latest answer, and whether the first came late."""
    served, screen, hit, judgment = schema.served, schema.screen, schema.hit, schema.judgment
    first, last = judgment.alias("first"), judgment.alias("last")
    newest = sa.select(sa.func.max(judgment.c.revision)).where(judgment.c.served_id == served.c.id).scalar_subquery()
    skipped = sa.exists().where(judgment.c.served_id == served.c.id, judgment.c.skip.is_not(None))
    return (
        sa.select(served.c.person_id, served.c.screen_id, served.c.repeat_of, screen.c.segment_id, screen.c.hit_id)
        .add_columns(hit.c.wanted, last.c.skip, last.c.id.is_not(None).label("answered"), first.c.late)
        .add_columns(skipped.label("skipped_once"))
        .select_from(served.join(screen, served.c.screen_id == screen.c.id).join(hit, screen.c.hit_id == hit.c.id))
        .outerjoin(first, sa.and_(first.c.served_id == served.c.id, first.c.revision == 1))
        .outerjoin(last, sa.and_(last.c.served_id == served.c.id, last.c.revision == newest))
    )
