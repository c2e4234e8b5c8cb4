"""Limits that all workers share: they hold, they end, and they tell nothing about who came."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from stores import Clock, new_campaign, new_judge

from palmares.campaign import limits, schema
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings
from palmares.campaign.limits import body_bytes, check_joins, count_failed_join, count_write
from palmares.campaign.people import Person
from palmares.campaign.refusals import TooMany
from palmares.campaign.settings import LimitSettings, Settings


def kept(db: Database) -> list[tuple[str, int]]:
    with db.read() as tx:
        return [tuple(row) for row in tx.execute(sa.select(schema.rate.c.key, schema.rate.c.count))]


def write(db: Database, judge: Person) -> None:
    """A change by someone who may make ten in a minute."""
    with db.begin() as tx:
        count_write(tx, judge.id, 10, db.clock())


def test_a_judge_may_write_so_often_in_a_minute(db: Database, clock: Clock) -> None:
    new_campaign(db)
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    clock.forward(seconds=20)
    for _ in range(10):
        write(db, ann)
    with pytest.raises(TooMany, match="more than 10 changes in a minute; wait a little and go on") as refusal:
        write(db, ann)
    assert refusal.value.retry_after == 40
    write(db, ben)
    clock.forward(seconds=40)
    write(db, ann)
    assert [count for _, count in kept(db)] == [1]  # what has ended is dropped


def test_wrong_links_are_counted_by_address(db: Database, clock: Clock) -> None:
    new_campaign(db, **{"limits.failed_joins_per_hour": 3})
    for _ in range(3):
        check_joins(db, "192.0.2.7")
        count_failed_join(db, "192.0.2.7")
    with pytest.raises(TooMany, match="too many invitation links that do not work; try again later") as refusal:
        check_joins(db, "192.0.2.7")
    assert 0 < refusal.value.retry_after <= 3600
    check_joins(db, "192.0.2.8")
    assert "192.0.2" not in repr(kept(db))
    clock.forward(seconds=refusal.value.retry_after)
    check_joins(db, "192.0.2.7")


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),  # one household
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.7", "192.0.2.7", True),  # one address, as a socket for both kinds writes it
        ("::ffff:192.0.2.7", "::ffff:192.0.2.8", False),
        ("192.0.2.7", "192.0.2.8", False),
        ("unknown", "unknown", True),
    ],
)
def test_an_address_is_its_household(first: str, second: str, same: bool) -> None:
    assert (limits._network(first) == limits._network(second)) is same


def test_the_strictest_campaign_sets_the_limit_of_the_door(db: Database) -> None:
    new_campaign(db)
    new_campaign(db, name="talks", **{"limits.failed_joins_per_hour": 1})
    count_failed_join(db, "192.0.2.7")
    with pytest.raises(TooMany):
        check_joins(db, "192.0.2.7")


def test_counting_itself_refuses(db: Database) -> None:
    """Whoever looked before others had counted is refused when their own turn comes, and is not counted."""
    new_campaign(db, **{"limits.failed_joins_per_hour": 2})
    for _ in range(2):
        count_failed_join(db, "192.0.2.7")
    with pytest.raises(TooMany, match="too many invitation links"):
        count_failed_join(db, "192.0.2.7")
    assert [count for _, count in kept(db)] == [2]


def test_without_campaigns_the_defaults_hold(db: Database) -> None:
    for _ in range(LimitSettings().failed_joins_per_hour):
        check_joins(db, "192.0.2.7")
        count_failed_join(db, "192.0.2.7")
    with pytest.raises(TooMany):
        check_joins(db, "192.0.2.7")


def test_a_clock_set_back_shuts_nobody_out_for_long(db: Database, clock: Clock) -> None:
    new_campaign(db)
    ann = new_judge(db)
    clock.forward(days=5)
    for _ in range(10):
        write(db, ann)
    clock.forward(days=-5)
    write(db, ann)
    clock.forward(days=6)
    write(db, ann)
    assert len(kept(db)) == 1


def test_the_longest_body_is_the_campaigns(db: Database) -> None:
    new_campaign(db)
    assert body_bytes(db, "news") == body_bytes(db, None) == body_bytes(db, "none") == LimitSettings().body_bytes
    change_settings(db, "news", Settings().replace(**{"limits.body_bytes": 5000}))
    assert body_bytes(db, "news") == 5000
    assert body_bytes(db, None) == LimitSettings().body_bytes
