"""A judge's turn: an answer and the next screen in one transaction, and answers that wait share a commit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from stores import Clock, answer, new_campaign, new_judge, next_view, sample_texts

from palmares.campaign import database, schema, turns
from palmares.campaign.admission import admit
from palmares.campaign.answers import Answer, Submission
from palmares.campaign.database import Database
from palmares.campaign.definition import change_state
from palmares.campaign.people import Person
from palmares.campaign.progress import judge_progress
from palmares.campaign.refusals import BadAnswer, Closed, Conflict, TooMany
from palmares.campaign.screens import ScreenView, load
from palmares.campaign.turns import Turn, take_turn


def given(view: ScreenView, name: str = "s", **options: Any) -> Submission:
    return Submission(view.id, Answer(tuple(range(1, len(view.options) + 1))), f"{name}-{view.id}", **options)


def first_view(db: Database, judge: Person) -> ScreenView:
    view = next_view(db, judge)
    assert view is not None
    return view


@contextmanager
def counting_commits(db: Database) -> Iterator[list[int]]:
    commits: list[int] = []

    def note(connection: sa.Connection) -> None:
        if connection.get_execution_options().get("palmares_writes"):
            commits.append(1)

    sa.event.listen(db.engine, "commit", note)
    yield commits
    sa.event.remove(db.engine, "commit", note)


def answers(db: Database) -> int:
    with db.read() as tx:
        return tx.execute(sa.select(sa.func.count()).select_from(schema.judgment)).scalar_one()


def test_an_answer_and_the_next_screen_are_one_transaction(db: Database) -> None:
    new_campaign(db, **{"hit.screens": 2})
    ann = new_judge(db)
    view: ScreenView | None = first_view(db, ann)
    for number in range(1, 8):  # across HITs as within them
        assert view is not None
        with counting_commits(db) as commits:
            turn = take_turn(db, ann, given(view), onward=True)
        assert len(commits) == 1
        assert (turn.progress.done, turn.progress.target, turn.state) == (number, 12, "open")
        assert turn.following is not None
        assert turn.following == load(db, ann, turn.following.id)
        assert turn.following.id != view.id
        view = turn.following


def test_who_wants_no_next_screen_is_given_no_work(db: Database) -> None:
    new_campaign(db, **{"hit.screens": 1})
    ann = new_judge(db)
    turn = take_turn(db, ann, given(first_view(db, ann)), onward=False)
    assert turn.following is None
    with db.read() as tx:
        assert tx.execute(sa.select(sa.func.count()).select_from(schema.served)).scalar_one() == 1


def test_a_judge_is_not_sent_beyond_their_target_unasked(db: Database) -> None:
    new_campaign(db, **{"hit.screens": 1, "judge.screens": 2})
    ann = new_judge(db)
    turn = take_turn(db, ann, given(first_view(db, ann)), onward=True, beyond_target=False)
    assert turn.following is not None
    turn = take_turn(db, ann, given(turn.following), onward=True, beyond_target=False)
    assert turn.progress.reached
    assert turn.following is None


def test_the_next_screen_may_be_of_another_language_pair(db: Database) -> None:
    new_campaign(db, sample_texts(1), sample_texts(1, langs="de-en"), **{"hit.screens": 1})
    ann = new_judge(db)
    first = first_view(db, ann)
    turn = take_turn(db, ann, given(first), onward=True)
    assert turn.following is not None
    assert turn.following.langs != first.langs


def test_an_answer_outlives_a_next_screen_that_cannot_be_made(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    new_campaign(db)
    ann = new_judge(db)
    view = first_view(db, ann)

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no design")

    monkeypatch.setattr(turns.Desk, "serve", broken)
    turn = take_turn(db, ann, given(view), onward=True)
    assert (turn.receipt.revision, turn.receipt.repeated, turn.following) == (1, False, None)
    assert answers(db) == 1


def test_refused_answers_count_against_the_limit_too(db: Database) -> None:
    new_campaign(db, **{"limits.writes_per_minute": 10})
    ann = new_judge(db)
    view = first_view(db, ann)
    for number in range(10):
        with pytest.raises(BadAnswer):
            take_turn(db, ann, Submission(view.id, Answer((1,)), f"s{number}"), onward=True)
    with pytest.raises(TooMany):
        take_turn(db, ann, given(view), onward=True)
    assert answers(db) == 0


def test_what_is_stored_and_what_was_refused_stand_side_by_side(db: Database) -> None:
    new_campaign(db)
    ann = new_judge(db)
    view = first_view(db, ann)
    take_turn(db, ann, given(view), onward=True)
    with pytest.raises(Conflict) as refusal:
        take_turn(db, ann, Submission(view.id, Answer((5, 4, 3, 2, 1)), "other"), onward=True)
    assert refusal.value.ranks == (1, 2, 3, 4, 5)
    assert load(db, ann, view.id).ranks == (5, 4, 3, 2, 1)  # kept, so that they can be sent again


def test_a_paused_campaign_says_so_and_takes_what_was_begun(db: Database) -> None:
    new_campaign(db, **{"hit.screens": 2})
    ann = new_judge(db)
    view = first_view(db, ann)
    change_state(db, "news", "paused")
    turn = take_turn(db, ann, given(view), onward=True)
    assert turn.state == "paused"
    assert turn.following is not None  # of the same HIT
    turn = take_turn(db, ann, given(turn.following), onward=True)
    assert turn.following is None
    change_state(db, "news", "closed")
    with pytest.raises(Closed):
        take_turn(db, ann, Submission(view.id, Answer((5, 4, 3, 2, 1)), "again", revision=1), onward=True)


def test_what_is_left_is_told_as_the_search_for_work_found_it(db: Database) -> None:
    """Two systems: the second answer of anyone makes two comparisons, which is enough."""
    rule = {"stop.per_pair": 2, "hit.screens": 1, "screen.outputs": 2}
    new_campaign(db, sample_texts(12, systems=("A", "B")), **rule)
    ann = new_judge(db)
    turn = take_turn(db, ann, given(first_view(db, ann)), onward=True)
    assert turn.following is not None
    turn = take_turn(db, ann, given(turn.following), onward=True)
    assert turn.following is None
    assert (turn.progress.done, turn.progress.target) == (2, 2)


def test_who_asks_how_far_they_are_writes_nothing(db: Database) -> None:
    """A reader that turns writer is refused while others write."""
    new_campaign(db, sample_texts(12, systems=("A", "B")), **{"stop.per_pair": 1, "screen.outputs": 2})
    ann = new_judge(db)
    answer(db, ann, first_view(db, ann))
    statements: list[str] = []

    def note(_c: Any, _k: Any, statement: str, *_: Any) -> None:
        statements.append(statement.split()[0].lower())

    sa.event.listen(db.engine, "before_cursor_execute", note)
    judge_progress(db, ann)
    assert "select" in statements
    assert not {"insert", "update", "delete"} & set(statements)


def test_who_waits_for_their_other_window_sees_what_it_did(db: Database) -> None:
    new_campaign(db)
    ann = new_judge(db)
    began = threading.Event()

    def second() -> str:
        began.set()
        return db.write(lambda tx: admit(tx, ann.id)).state

    with ThreadPoolExecutor(1) as pool:
        with db.begin() as tx:
            admit(tx, ann.id)
            waiting = pool.submit(second)
            began.wait()
            with suppress(TimeoutError):
                waiting.result(timeout=0.3)
            tx.execute(schema.campaign.update().values(state="closed"))
        assert waiting.result() == "closed"


# -- a shared commit ---------------------------------------------------------------------------------------


def test_pieces_that_wait_share_a_commit_and_fail_alone(db: Database, clock: Clock) -> None:
    if db.dialect != "sqlite":
        pytest.skip("PostgreSQL groups commits by itself")
    new_campaign(db)
    judges = [new_judge(db, f"j{i}") for i in range(6)]
    views = [first_view(db, judge) for judge in judges]
    sent = [given(view) for view in views]
    sent[2] = Submission(views[2].id, Answer((1,)), "s2")  # does not fit its screen
    began = threading.Barrier(7)

    def turn(number: int) -> Turn:
        began.wait()
        return take_turn(db, judges[number], sent[number], onward=False)

    with ThreadPoolExecutor(6) as pool, counting_commits(db) as commits:
        with db.begin():  # somebody else writes, so all of them have to wait
            running = [pool.submit(turn, number) for number in range(6)]
            began.wait()
            while len(db._waiting) < 6:
                assert not any(future.done() for future in running)
        results = [future.exception() or future.result() for future in running]
    assert isinstance(results[2], BadAnswer)
    assert [r.receipt.revision for r in results if isinstance(r, Turn)] == [1] * 5
    assert answers(db) == 5
    # The one that held the turn, the six together, and the refusal that is counted by itself.
    assert len(commits) == 3


def test_a_group_that_cannot_be_stored_is_acknowledged_to_nobody(db: Database) -> None:
    if db.dialect != "sqlite":
        pytest.skip("PostgreSQL groups commits by itself")
    new_campaign(db)
    judges = [new_judge(db, f"j{i}") for i in range(4)]
    sent = [given(first_view(db, judge)) for judge in judges]
    with ThreadPoolExecutor(4) as pool:
        with db.begin() as tx:
            running = [pool.submit(take_turn, db, j, s, onward=False) for j, s in zip(judges, sent, strict=True)]
            while len(db._waiting) < 4:
                pass
            tx.exec_driver_sql("pragma query_only = on")  # the pool gives this connection out next
        assert all(isinstance(future.exception(), sa.exc.DBAPIError) for future in running)
    db.engine.dispose()
    assert answers(db) == 0


def test_what_judges_see_does_not_depend_on_how_they_ask(db: Database) -> None:
    """In one go or in three requests: the same seed gives the same screens."""
    new_campaign(db, sample_texts(20), name="one")
    new_campaign(db, sample_texts(20), name="two")
    shown: list[list[str]] = []
    for name in ("one", "two"):
        judge, rng = new_judge(db, f"of {name}", campaign=name), Random(3)
        view = next_view(db, judge, rng=rng)
        seen = []
        for _ in range(15):
            assert view is not None
            seen.append(view.source)
            turn = take_turn(db, judge, given(view), onward=name == "one", rng=rng)
            view = turn.following if name == "one" else next_view(db, judge, rng=rng)
        shown.append(seen)
    assert len(set(shown[0])) > 10
    assert shown[0] == shown[1]


def test_of_more_pieces_than_share_a_commit_none_is_answered_before_it_is_done(db: Database) -> None:
    """Who gets the turn need not be among the first who came."""
    if db.dialect != "sqlite":
        pytest.skip("PostgreSQL groups commits by itself")

    def piece(number: int) -> Callable[[sa.Connection], int]:
        insert = schema.rate.insert().values(key=f"piece {number}", slot=1, count=number)
        return lambda tx: tx.execute(insert).rowcount

    db._waiting.extend(database._Work(piece(number)) for number in range(150))
    assert db.write(piece(150)) == 1
    with db.read() as tx:
        assert tx.execute(sa.select(sa.func.count()).select_from(schema.rate)).scalar_one() == 151


def test_who_is_told_that_it_took_too_long_is_not_stored_afterwards(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    if db.dialect != "sqlite":
        pytest.skip("PostgreSQL has a time limit of its own")
    new_campaign(db)
    ann, bob = new_judge(db, "ann"), new_judge(db, "bob")
    late, next_one = given(first_view(db, ann)), given(first_view(db, bob))
    monkeypatch.setattr(database, "PATIENCE", 0.05)
    with db.begin(), ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(take_turn, db, ann, late, onward=True)
        assert isinstance(waiting.exception(), sa.exc.TimeoutError)
    take_turn(db, bob, next_one, onward=False)
    assert answers(db) == 1
    assert not take_turn(db, ann, late, onward=False).receipt.repeated


def test_one_who_is_interrupted_interrupts_nobody_else(db: Database) -> None:
    if db.dialect != "sqlite":
        pytest.skip("PostgreSQL groups commits by itself")
    new_campaign(db)
    ann = new_judge(db)
    sent = given(first_view(db, ann))

    def interrupted(_: sa.Connection) -> None:
        raise KeyboardInterrupt

    def interrupt() -> type[BaseException] | None:
        try:
            db.write(interrupted)
        except (KeyboardInterrupt, sa.exc.TimeoutError) as error:  # the one who did it; who only waited
            return type(error)
        return None

    with ThreadPoolExecutor(2) as pool:
        with db.begin():
            first = pool.submit(interrupt)
            while len(db._waiting) < 1:
                pass
            second = pool.submit(interrupt)
            while len(db._waiting) < 2:
                pass
        assert {first.result(), second.result()} == {KeyboardInterrupt, sa.exc.TimeoutError}
    assert not take_turn(db, ann, sent, onward=False).receipt.repeated


def test_an_answer_outlives_a_next_screen_that_breaks_a_rule(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    new_campaign(db)
    ann = new_judge(db)
    view = first_view(db, ann)

    def twice(self: turns.Desk, _: set[int]) -> None:
        self.tx.execute(schema.met.insert(), [{"person_id": ann.id, "segment_id": 1, "times": 1}] * 2)

    monkeypatch.setattr(turns.Desk, "serve", twice)
    turn = take_turn(db, ann, given(view), onward=True)
    assert (turn.receipt.revision, turn.following) == (1, None)
    assert answers(db) == 1
