"""Everything at once on both databases: judges in two windows, designs ahead, changed settings, doors that are shut."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from stores import Clock, new_campaign, new_judge, next_view, sample_texts
from test_campaign_stock import counts, recounted

from palmares.campaign import schema
from palmares.campaign.answers import Answer, Submission, save_draft
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings, change_state, language_pairs, settings_of
from palmares.campaign.people import Person, change_langs, revoke
from palmares.campaign.progress import judge_progress
from palmares.campaign.refusals import Conflict, DraftConflict
from palmares.campaign.stock import restock
from palmares.campaign.stopping import answered_screens
from palmares.campaign.turns import take_turn

STOP, MOST, SCREENS = 45, 14, 3


class Storm:
    """A campaign of two language pairs; ``acknowledged`` are submissions that were said to be stored."""

    def __init__(self, db: Database, seed: int) -> None:
        self.db, self.seed = db, seed
        rules = {"stop.screens": STOP, "stop.per_pair": 40, "judge.most": MOST, "judge.screens": MOST}
        controls = {"controls.repeats": 0.2, "controls.repeat_after": 1, "controls.degraded": 0.2}
        overlap = {"overlap.share": 0.4, "overlap.judges": 2, "hit.screens": SCREENS, "judge.per_segment": 2}
        texts = [sample_texts(15, langs=langs) for langs in ("fr-en", "de-en")]
        self.campaign = new_campaign(db, *texts, **rules, **controls, **overlap)
        self.judges = [new_judge(db, f"j{i}", langs=["fr-en"] if i == 0 else []) for i in range(8)]
        self.acknowledged: set[tuple[str, str]] = set()
        self.over = threading.Event()

    def window(self, judge: Person, number: int) -> None:
        rng = Random(self.seed * 1000 + judge.id * 10 + number)
        view = next_view(self.db, judge)
        for turn in range(2 * MOST):
            if view is None:
                return
            if rng.random() < 0.3:
                self._draft(judge, view)
            ranks = tuple(rng.randint(1, len(view.options)) for _ in view.options)
            answer = Answer(skip="other") if rng.random() < 0.1 else Answer(ranks)
            sent = Submission(view.id, answer, f"{judge.id}-{number}-{turn}", view.revision)
            try:
                view = take_turn(self.db, judge, sent, onward=True).following
            except Conflict:  # the other window was faster
                view = next_view(self.db, judge)
            else:
                self.acknowledged.add((sent.screen_id, sent.id))
                judge_progress(self.db, judge)

    def _draft(self, judge: Person, view: Any) -> None:
        with suppress(DraftConflict):
            save_draft(self.db, judge, view.id, (1, *[None] * (len(view.options) - 1)), version=view.draft_version)

    def keep_stocked(self) -> None:
        while not self.over.is_set():
            restock(self.db, self.campaign)

    def meddle(self) -> None:
        """An organiser who cannot leave things alone."""
        for number in range(6):
            with self.db.read() as tx:
                settings = settings_of(tx, self.campaign)
            change_settings(self.db, "news", settings.replace(**{"screen.outputs": 3 + number % 3}))
            change_state(self.db, "news", "paused")
            change_langs(self.db, self.judges[1], ["fr-en"] if number % 2 else ["de-en"])
            change_state(self.db, "news", "open")
        revoke(self.db, self.judges[2])

    def rage(self) -> None:
        with ThreadPoolExecutor(20) as pool:
            stock = pool.submit(self.keep_stocked)
            sitting = [pool.submit(self.window, judge, number) for judge in self.judges for number in range(2)]
            meddling = pool.submit(self.meddle)
            try:
                for future in [*sitting, meddling]:
                    future.result(timeout=300)
            finally:
                self.over.set()
            stock.result(timeout=60)


@pytest.mark.parametrize("seed", [1])
def test_whatever_happens_at_once_nothing_is_lost_and_all_counts_are_right(
    db: Database, clock: Clock, seed: int
) -> None:
    storm = Storm(db, seed)
    storm.rage()
    # Whoever was sent away by a pause comes again.
    for judge in storm.judges:
        storm.window(judge, 2)
    for check in (_check_answers, _check_people, _check_hits, _check_rules):
        check(storm)
    assert [[n for (n,) in some] for some in counts(db)] == recounted(db)


def _check_answers(storm: Storm) -> None:
    """What was acknowledged is there, once; a submission that found the same answer stored has no row of its own."""
    judgment, served = schema.judgment.c, schema.served.c
    with storm.db.read() as tx:
        stored = tx.execute(
            sa.select(served.public_id, judgment.submission, judgment.revision).join(
                schema.judgment, judgment.served_id == served.id
            )
        ).all()
        drafts = set(tx.scalars(sa.select(schema.draft.c.served_id)))
        first = Counter(tx.execute(sa.select(served.person_id, served.screen_id, served.repeat_of.is_(None))).all())
    assert {(screen, submission) for screen, submission, _ in stored} <= storm.acknowledged
    assert {screen for screen, _ in storm.acknowledged} == {screen for screen, _, _ in stored}
    assert len({(screen, revision) for screen, _, revision in stored}) == len(stored)
    assert set(first.values()) == {1}
    assert len(drafts) == len(set(drafts))


def _check_people(storm: Storm) -> None:
    served, screen, judgment = schema.served.c, schema.screen.c, schema.judgment.c
    answered = sa.exists().where(judgment.served_id == served.id)
    with storm.db.read() as tx:
        rows = tx.execute(
            sa.select(served.person_id, screen.segment_id, served.repeat_of, answered).join(
                schema.screen, served.screen_id == screen.id
            )
        ).all()
        done = dict(tx.execute(sa.select(schema.person.c.id, schema.person.c.done)).all())
        met = {(person, segment): times for person, segment, times in tx.execute(sa.select(schema.met))}
    assert +Counter(done) == Counter(person for person, _, _, is_answered in rows if is_answered)
    assert met == Counter((person, segment) for person, segment, repeat_of, _ in rows if repeat_of is None)
    assert max(done.values()) <= MOST
    assert max(met.values()) <= 2


def _check_hits(storm: Storm) -> None:
    hit, screen, served, judgment, lease = (
        table.c for table in (schema.hit, schema.screen, schema.served, schema.judgment, schema.lease)
    )
    ranked = (
        sa.select(screen.hit_id, screen.id, judgment.skip)
        .join_from(schema.screen, schema.served, served.screen_id == screen.id)
        .join(schema.judgment, schema.latest(served.id))
        .where(served.repeat_of.is_(None))
    )
    with storm.db.read() as tx:
        answers = tx.execute(ranked).all()
        hits = tx.execute(sa.select(hit.id, hit.wanted, hit.closed, hit.answers, hit.language_pair_id)).all()
        screens = tx.execute(sa.select(screen.hit_id, screen.id)).all()
        holders = Counter(tx.scalars(sa.select(lease.person_id).where(lease.finished_at.is_(None))))
        pairs = language_pairs(tx, storm.campaign)
    assert {pair.id: pair.hits for pair in pairs} == Counter(row.language_pair_id for row in hits)
    given = Counter(screen_id for _, screen_id, skip in answers if skip is None)
    skipped = Counter(screen_id for _, screen_id, skip in answers if skip is not None)
    assert {row.id: row.answers for row in hits if row.answers} == Counter(
        hit_id for hit_id, _, skip in answers if skip is None
    )
    wanted = {row.id: row.wanted for row in hits}
    enough: Callable[[int, int], bool] = lambda hit_id, screen_id: (  # noqa: E731
        given[screen_id] >= wanted[hit_id] or given[screen_id] + skipped[screen_id] >= wanted[hit_id] + 2
    )
    for row in hits:
        mine = [screen_id for hit_id, screen_id in screens if hit_id == row.id]
        if row.closed:
            assert all(enough(row.id, screen_id) for screen_id in mine)
    assert max(holders.values(), default=1) == 1


def _check_rules(storm: Storm) -> None:
    """More than the rule allows comes only from answers to work that had been given back."""
    late = sa.select(sa.func.count()).where(schema.judgment.c.late)
    with storm.db.read() as tx:
        more = tx.execute(late).scalar_one()
        for pair in language_pairs(tx, storm.campaign):
            assert answered_screens(tx, pair.id) <= STOP + more


# -- what an answer costs does not grow ------------------------------------------------------------------


def _statements(db: Database, act: Callable[[], object]) -> list[tuple[str, Any]]:
    seen: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        seen.append((statement, parameters))

    sa.event.listen(db.engine, "before_cursor_execute", note)
    act()
    sa.event.remove(db.engine, "before_cursor_execute", note)
    return seen


def test_a_judge_ahead_of_all_others_does_not_look_through_what_they_left_behind(db: Database) -> None:
    new_campaign(db, sample_texts(60), **{"overlap.redundancy": 2, "hit.screens": 1})
    ann = new_judge(db)
    costs = []
    for _ in range(50):
        view = next_view(db, ann)
        assert view is not None
        sent = Submission(view.id, Answer(tuple(range(1, len(view.options) + 1))), "s")
        costs.append(len(_statements(db, lambda sent=sent: take_turn(db, ann, sent, onward=True))))
    # Now and then the outputs of some more segments are fetched.
    assert max(costs[5:]) - min(costs[5:]) <= 1


def test_a_rule_on_screens_does_not_walk_the_index_of_repeats(db: Database) -> None:
    if db.dialect != "sqlite":
        pytest.skip("PostgreSQL knows how many rows a condition leaves")
    new_campaign(db, **{"stop.screens": 100})
    ann = new_judge(db)
    view = next_view(db, ann)
    assert view is not None
    sent = Submission(view.id, Answer((1, 2, 3, 4, 5)), "s")
    statements = _statements(db, lambda: take_turn(db, ann, sent, onward=True))
    with db.read() as tx:
        plans = [
            str(tx.exec_driver_sql(f"explain query plan {statement}", parameters).all())
            for statement, parameters in statements
            if statement.startswith("SELECT") and isinstance(parameters, tuple)
        ]
    assert any("ix_lease" in plan for plan in plans)
    assert not any("repeat_of" in plan for plan in plans)
