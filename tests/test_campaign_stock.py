"""HITs designed ahead of demand: given out, thrown away when too old, and counted as if they had never been."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa
from stores import Clock, judge_screens, new_campaign, new_judge, next_view, sample_texts

from palmares.campaign import schema, stock
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings, change_state, settings_of
from palmares.campaign.overview import campaign_status
from palmares.campaign.stock import Restocker, restock


def hits(db: Database) -> list[int]:
    with db.read() as tx:
        return list(tx.scalars(sa.select(schema.hit.c.id).order_by(schema.hit.c.id)))


def counts(db: Database) -> list[Any]:
    """How often everything was chosen."""
    with db.read() as tx:
        return [
            tx.execute(sa.select(table.c.designed).order_by(*table.primary_key)).all()
            for table in (schema.system, schema.system_pair, schema.segment)
        ]


def recounted(db: Database) -> list[list[int]]:
    """The same, counted from the screens that are there."""
    screen, shown, link = schema.screen.c, schema.screen_output.c, schema.output_system.c
    with db.read() as tx:
        chosen = tx.execute(
            sa.select(screen.id, screen.segment_id, link.system_id)
            .join(schema.screen_output, shown.screen_id == screen.id)
            .join(schema.output_system, link.output_id == shown.output_id)
        ).all()
        systems = list(tx.scalars(sa.select(schema.system.c.id).order_by(schema.system.c.id)))
        both = tx.execute(sa.select(schema.system_pair.c.first_id, schema.system_pair.c.second_id)).all()
        segments = list(tx.scalars(sa.select(schema.segment.c.id).order_by(schema.segment.c.id)))
    on: dict[int, set[int]] = {}
    of = {screen_id: segment_id for screen_id, segment_id, _ in chosen}
    for screen_id, _, system_id in chosen:
        on.setdefault(screen_id, set()).add(system_id)
    return [
        [sum(key in several for several in on.values()) for key in systems],
        [sum({a, b} <= several for several in on.values()) for a, b in sorted(both)],
        [list(of.values()).count(key) for key in segments],
    ]


def test_a_judge_is_given_what_was_designed_ahead(db: Database) -> None:
    campaign = new_campaign(db, sample_texts(40))
    ann = new_judge(db)
    assert restock(db, campaign) == 0  # nobody is at work
    next_view(db, ann)
    made = restock(db, campaign)
    assert made == 4
    assert restock(db, campaign) == 0  # there is enough
    before = hits(db)
    judge_screens(db, ann, 3 * (1 + made))
    assert hits(db) == before
    judge_screens(db, ann, 1)  # the stock is used up: designed while they wait
    assert len(hits(db)) == len(before) + 1
    assert [[n for (n,) in some] for some in counts(db)] == recounted(db)


@pytest.mark.parametrize("why", ["age", "settings", "never"])
def test_what_is_too_old_is_thrown_away_and_not_counted(db: Database, clock: Clock, why: str) -> None:
    campaign = new_campaign(db, sample_texts(40), **{"hit.ahead_minutes": 10.0, "controls.degraded": 0.4})
    ann = new_judge(db)
    judge_screens(db, ann, 2)
    before = counts(db)
    assert restock(db, campaign) == 4
    assert counts(db) != before
    clock.forward(minutes=11 if why == "age" else 1)
    if why != "age":
        with db.read() as tx:
            settings = settings_of(tx, campaign)
        change = {"hit.ahead_minutes": 0.0} if why == "never" else {"screen.outputs": 3}
        change_settings(db, "news", settings.replace(**change))
    judge_screens(db, ann, 1)
    view = next_view(db, ann)
    assert view is not None
    assert len(view.options) == (3 if why == "settings" else 5)
    with db.read() as tx:
        made_at = set(tx.scalars(sa.select(schema.hit.c.created_at)))
    assert len(hits(db)) == 2
    assert clock.now in made_at
    assert [[n for (n,) in some] for some in counts(db)] == recounted(db)
    if why == "never":
        assert restock(db, campaign) == 0


def test_two_workers_who_restock_at_once_make_one_stock(db: Database) -> None:
    campaign = new_campaign(db, sample_texts(40))
    next_view(db, new_judge(db))
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: restock(db, campaign), range(4)))
    assert sum(made) == 4
    assert [[n for (n,) in some] for some in counts(db)] == recounted(db)


def test_a_campaign_that_gives_no_work_is_not_restocked(db: Database) -> None:
    campaign = new_campaign(db, sample_texts(40))
    next_view(db, new_judge(db))
    change_state(db, "news", "paused")
    assert restock(db, campaign) == 0


def test_the_stock_grows_with_the_judges_at_work(db: Database, clock: Clock) -> None:
    campaign = new_campaign(db, sample_texts(60))
    for number in range(5):
        next_view(db, new_judge(db, f"j{number}"))
    assert restock(db, campaign) == 10
    clock.forward(days=1)  # all of them have gone
    assert restock(db, campaign) == 0


def test_the_thread_does_it_unasked_and_survives_a_failure(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = new_campaign(db, sample_texts(40))
    ann = new_judge(db)
    next_view(db, ann)
    failing = [True]
    real = stock.restock

    def sometimes(db: Database, campaign_id: int) -> int:
        if failing:
            failing.pop()
            raise RuntimeError("no disk")
        return real(db, campaign_id)

    monkeypatch.setattr(stock, "restock", sometimes)
    restocker = Restocker(db)
    restocker.start()
    for _ in range(2000):
        restocker.look_at(campaign)
        if len(hits(db)) == 5:
            break
    restocker.stop()
    assert len(hits(db)) == 5


def test_what_is_in_stock_is_not_waited_for(db: Database) -> None:
    campaign = new_campaign(db, sample_texts(40))
    ann = new_judge(db)
    judge_screens(db, ann, 1)
    before = campaign_status(db, "news").pairs[0].open
    assert restock(db, campaign) == 4
    assert campaign_status(db, "news").pairs[0].open == before == 2  # the others of the first HIT


def test_no_more_is_designed_than_the_stopping_rule_leaves(db: Database, clock: Clock) -> None:
    campaign = new_campaign(db, sample_texts(40), **{"stop.screens": 8, "hit.screens": 3})
    ann = new_judge(db)
    judge_screens(db, ann, 1)  # the other two of the HIT are in hand: five more, so two HITs
    assert restock(db, campaign) == 2
    judge_screens(db, ann, 7)
    assert next_view(db, ann) is None


def test_hits_that_are_thrown_away_are_not_counted(db: Database, clock: Clock) -> None:
    campaign = new_campaign(db, sample_texts(40), **{"hit.ahead_minutes": 10.0})
    ann = new_judge(db)
    judge_screens(db, ann, 3)
    next_view(db, ann)
    assert restock(db, campaign) == 4
    clock.forward(minutes=11)
    judge_screens(db, ann, 4)
    with db.read() as tx:
        assert tx.scalar(sa.select(schema.language_pair.c.hits)) == len(hits(db)) == 3


def test_language_pairs_take_turns_whatever_is_in_stock(db: Database) -> None:
    campaign = new_campaign(db, sample_texts(60), sample_texts(60, langs="de-en"), **{"hit.screens": 2})
    ann = new_judge(db)
    seen = []
    for _ in range(16):
        seen.append(next_view(db, ann).langs)
        restock(db, campaign)
        judge_screens(db, ann, 2)
    assert seen == seen[:2] * 8
    assert len(set(seen)) == 2


def test_a_design_of_settings_that_are_just_replaced_is_thrown_away(
    db: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The change is made after the designer has looked whether to design anything."""
    campaign = new_campaign(db, sample_texts(40), **{"screen.outputs": 5})
    ann = new_judge(db)
    next_view(db, ann)
    write = Database.write

    def change_first(self: Database, work: Any) -> Any:
        monkeypatch.undo()
        clock.forward(minutes=1)
        with db.read() as tx:
            settings = settings_of(tx, campaign)
        change_settings(db, "news", settings.replace(**{"screen.outputs": 2}))
        clock.forward(minutes=1)
        return write(self, work)

    monkeypatch.setattr(Database, "write", change_first)
    # On SQLite the first thing that is written is who designs, so it happens by the new settings.
    assert restock(db, campaign) == (4 if db.dialect == "sqlite" else 0)
    judge_screens(db, ann, 3)
    assert len(next_view(db, ann).options) == 2
