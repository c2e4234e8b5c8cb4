"""Many at once, with real threads on both databases: nothing twice, nothing lost, nobody waits for ever."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import Any

import pytest
import sqlalchemy as sa
from stores import new_campaign, new_judge, next_view, sample_texts

from palmares.campaign import Role, schema
from palmares.campaign.answers import Answer, Receipt, submit
from palmares.campaign.create import create_campaign
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings, language_pairs
from palmares.campaign.limits import check_joins, count_failed_join, count_write
from palmares.campaign.people import Person, add_person, invite, join, revoke, who
from palmares.campaign.refusals import CampaignError, Conflict, TooMany, Uninvited
from palmares.campaign.screens import load
from palmares.campaign.settings import Settings
from palmares.campaign.stopping import answered_screens
from palmares.campaign.work import next_screen
from palmares.errors import InputError


@pytest.fixture
def threads() -> Iterator[Callable[..., list[Any]]]:
    """Call functions at the same moment; returns what each returned or raised, in order."""
    with ThreadPoolExecutor(16) as pool:

        def together(*calls: Callable[[], Any]) -> list[Any]:
            barrier = threading.Barrier(len(calls))

            def begin(call: Callable[[], Any]) -> Any:
                barrier.wait(timeout=30)
                try:
                    return call()
                except (CampaignError, InputError) as error:
                    return error

            return [future.result(timeout=120) for future in [pool.submit(begin, call) for call in calls]]

        yield together


def count(db: Database, table: sa.Table) -> int:
    with db.read() as tx:
        return int(tx.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


# -- a crowd -------------------------------------------------------------------------------------------


def sit(db: Database, judge: Person, screens: int) -> int:
    """One window of a judge: ask, look, answer from top to bottom; say how many answers were new."""
    new = 0
    for _ in range(screens):
        screen = next_screen(db, judge)
        if screen is None:
            break
        view = load(db, judge, screen)
        ranks = tuple(range(1, len(view.options) + 1))
        sent = submit(db, judge, screen, Answer(ranks), submission=f"{threading.get_ident()}-{view.revision}")
        new += not sent.repeated
    return new


def test_a_crowd_in_two_windows_each(db: Database, threads: Callable[..., list[Any]]) -> None:
    texts = [sample_texts(9, langs=langs) for langs in ("fr-en", "de-en")]
    controls = {"overlap.redundancy": 2, "controls.degraded": 0.2, "controls.repeats": 0.2, "controls.repeat_after": 1}
    new_campaign(db, *texts, **controls, **{"stop.screens": 36, "choice.uniform_share": 0.2})
    judges = [new_judge(db, f"j{i}") for i in range(8)]
    stored = threads(*[lambda judge=judge: sit(db, judge, 9) for judge in judges for _ in range(2)])
    assert all(isinstance(new, int) for new in stored), stored
    assert count(db, schema.judgment) == sum(stored) >= 60
    _check_served_once(db)
    _check_quotas(db)
    _check_counts(db)


def _check_served_once(db: Database) -> None:
    with db.read() as tx:
        served = schema.served.c
        given = Counter(tx.execute(sa.select(served.person_id, served.screen_id, served.repeat_of.is_(None))).all())
        answers = Counter(tx.scalars(sa.select(schema.judgment.c.served_id)))
    assert set(given.values()) == {1}
    assert set(answers.values()) == {1}


def _check_quotas(db: Database) -> None:
    """No screen has more answers than it wants, no judge more than one lease in hand, no done HIT is open."""
    judgment, served, screen, hit, lease = (
        schema.judgment.c, schema.served.c, schema.screen.c, schema.hit.c, schema.lease.c
    )  # fmt: skip
    answers = (
        sa.select(screen.id, hit.id, hit.wanted, hit.closed, sa.func.count(judgment.id))
        .select_from(schema.screen)
        .join(schema.hit, screen.hit_id == hit.id)
        .outerjoin(schema.served, sa.and_(served.screen_id == screen.id, served.repeat_of.is_(None)))
        .outerjoin(schema.judgment, judgment.served_id == served.id)
        .group_by(screen.id, hit.id, hit.wanted, hit.closed)
    )
    with db.read() as tx:
        found = tx.execute(answers).all()
        in_hand = Counter(tx.scalars(sa.select(lease.person_id).where(lease.finished_at.is_(None))))
    assert all(given <= wanted for _, _, wanted, _, given in found)
    lacking = {hit_id for _, hit_id, wanted, _, given in found if given < wanted}
    assert {hit_id for _, hit_id, _, closed, _ in found if not closed} == lacking
    assert set(in_hand.values()) <= {1}


def _check_counts(db: Database) -> None:
    """What the store counts along is what counting anew gives."""
    link, shown, screen = schema.output_system.c, schema.screen_output.c, schema.screen.c
    query = sa.select(screen.id, screen.segment_id, link.system_id).select_from(
        schema.screen.join(schema.screen_output, shown.screen_id == screen.id).join(
            schema.output_system, link.output_id == shown.output_id
        )
    )
    with db.read() as tx:
        behind: dict[tuple[int, int], list[int]] = {}
        for screen_id, segment_id, system_id in tx.execute(query):
            behind.setdefault((screen_id, segment_id), []).append(system_id)
        systems = dict(tx.execute(sa.select(schema.system.c.id, schema.system.c.designed)).all())
        segments = dict(tx.execute(sa.select(schema.segment.c.id, schema.segment.c.designed)).all())
        both = schema.system_pair.c
        met = {(a, b): n for a, b, n in tx.execute(sa.select(both.first_id, both.second_id, both.designed))}
        for pair in language_pairs(tx, 1):
            kept = sa.select(sa.func.sum(schema.hit.c.answers)).where(schema.hit.c.language_pair_id == pair.id)
            assert tx.execute(kept).scalar_one() == answered_screens(tx, pair.id) <= 36
    assert +Counter(systems) == Counter(system for found in behind.values() for system in found)
    assert +Counter(segments) == Counter(segment for _, segment in behind)
    assert +Counter(met) == Counter(two for found in behind.values() for two in combinations(sorted(found), 2))


# -- one screen ----------------------------------------------------------------------------------------


def test_one_submission_sent_by_eight_threads_is_one_answer(db: Database, threads: Callable[..., list[Any]]) -> None:
    new_campaign(db)
    ann = new_judge(db)
    view = next_view(db, ann)
    assert view is not None
    send = lambda: submit(db, ann, view.id, Answer((1, 2, 3, 4, 5)), submission="one")  # noqa: E731
    receipts = threads(*[send] * 8)
    assert all(isinstance(receipt, Receipt) for receipt in receipts), receipts
    assert {receipt.revision for receipt in receipts} == {1}
    assert [receipt.repeated for receipt in receipts].count(False) == 1
    assert count(db, schema.judgment) == 1


def test_of_eight_different_answers_at_once_one_is_stored(db: Database, threads: Callable[..., list[Any]]) -> None:
    new_campaign(db, **{"screen.outputs": 2})
    ann = new_judge(db)
    view = next_view(db, ann)
    assert view is not None

    def send(i: int) -> Receipt:
        return submit(db, ann, view.id, Answer((1, 2), note=f"window {i}"), submission=f"window-{i}")

    results = threads(*[lambda i=i: send(i) for i in range(8)])
    assert sum(isinstance(result, Receipt) for result in results) == 1
    assert sum(isinstance(result, Conflict) for result in results) == 7
    assert count(db, schema.judgment) == 1


def test_two_windows_that_ask_at_once_get_the_same_screen(db: Database, threads: Callable[..., list[Any]]) -> None:
    new_campaign(db, **{"judge.practice": True})
    ann = new_judge(db)
    assert len(set(threads(*[lambda: next_screen(db, ann)] * 6))) == 1
    assert count(db, schema.served) == 1


def test_two_who_answer_last_at_the_same_time_close_the_hit(db: Database, threads: Callable[..., list[Any]]) -> None:
    new_campaign(db, **{"overlap.redundancy": 4, "hit.screens": 1})
    judges = [new_judge(db, f"j{i}") for i in range(4)]
    for _ in range(4):
        views = [next_view(db, judge) for judge in judges]
        send = [
            lambda judge=judge, view=view: submit(db, judge, view.id, Answer((1, 2, 3, 4, 5)), submission="s")
            for judge, view in zip(judges, views, strict=True)
        ]
        assert all(isinstance(receipt, Receipt) for receipt in threads(*send))
        with db.read() as tx:
            assert tx.scalars(sa.select(schema.hit.c.id).where(schema.hit.c.closed.is_(False))).all() == []


# -- people and settings -------------------------------------------------------------------------------


def test_changes_of_the_settings_at_once_are_numbered(db: Database, threads: Callable[..., list[Any]]) -> None:
    new_campaign(db)
    change = [lambda n=n: change_settings(db, "news", Settings().replace(**{"screen.outputs": n})) for n in range(2, 8)]
    assert sorted(threads(*change)) == [2, 3, 4, 5, 6, 7]


def test_of_two_people_of_one_name_one_is_refused(db: Database, threads: Callable[..., list[Any]]) -> None:
    new_campaign(db)
    results = threads(*[lambda: add_person(db, "news", Role.JUDGE, "ann")] * 4)
    assert sum(isinstance(result, Person) for result in results) == 1
    refused = [str(result) for result in results if isinstance(result, InputError)]
    assert len(refused) == 3
    assert all("'ann' is in campaign 'news' already" in message for message in refused)


def test_of_two_campaigns_of_one_name_one_is_refused(db: Database, threads: Callable[..., list[Any]]) -> None:
    results = threads(*[lambda: create_campaign(db, "news", Settings(), [sample_texts(2)])] * 3)
    assert sorted(isinstance(result, int) for result in results) == [False, False, True]
    assert all("campaign 'news' is in" in str(result) for result in results if not isinstance(result, int))
    assert count(db, schema.campaign) == count(db, schema.language_pair) == 1


def test_whoever_is_shut_out_while_joining_stays_out(db: Database, threads: Callable[..., list[Any]]) -> None:
    new_campaign(db)
    for i in range(4):
        ann = new_judge(db, f"ann{i}")
        token = invite(db, ann)
        joins = threads(*[lambda token=token: join(db, token)] * 3, lambda ann=ann: revoke(db, ann))[:3]
        assert all(isinstance(joined, Uninvited | tuple) for joined in joins), joins
        assert [who(db, joined[1]) for joined in joins if isinstance(joined, tuple)] == [None] * sum(
            isinstance(joined, tuple) for joined in joins
        )


def test_writes_are_counted_together(db: Database, threads: Callable[..., list[Any]]) -> None:
    new_campaign(db)
    ann = new_judge(db)

    def write() -> None:
        with db.begin() as tx:
            count_write(tx, ann.id, 10, db.clock())

    results = threads(*[write] * 16)
    assert sum(result is None for result in results) == 10


def test_wrong_links_are_counted_together(db: Database, threads: Callable[..., list[Any]]) -> None:
    """All look before any has counted; the limit holds all the same."""
    new_campaign(db, **{"limits.failed_joins_per_hour": 3})
    looked = threading.Barrier(16)

    def try_a_wrong_link() -> None:
        check_joins(db, "192.0.2.7")
        looked.wait(timeout=30)
        count_failed_join(db, "192.0.2.7")

    results = threads(*[try_a_wrong_link] * 16)
    assert sum(result is None for result in results) == 3
    assert sum(isinstance(result, TooMany) for result in results) == 13
