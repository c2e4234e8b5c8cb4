"""The next HIT, given while its judge reads the last screen of the one before: once, in order, and never too much."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from random import Random

import pytest
import sqlalchemy as sa
from crowds import CONTROLLED, damaged_place, new_crowd, new_worker, submitted
from stores import Clock, answer, judge_screens, new_campaign, new_judge, next_view, sample_texts

from palmares.campaign import Role, schema
from palmares.campaign.answers import Answer, Submission, save_draft
from palmares.campaign.crowd import ending
from palmares.campaign.database import Database
from palmares.campaign.definition import change_state
from palmares.campaign.people import Person, add_person
from palmares.campaign.progress import judge_progress
from palmares.campaign.refusals import ConsentNeeded, JudgesOnly
from palmares.campaign.screens import ScreenView, load
from palmares.campaign.turns import take_turn
from palmares.campaign.work import lease_ahead, next_screen


def to_the_last_screen(db: Database, judge: Person) -> ScreenView:
    """Take a HIT and answer all but its last screen, which is shown."""
    view = next_view(db, judge)
    while view is not None and view.following:
        answer(db, judge, view)
        view = next_view(db, judge)
    assert view is not None
    return view


def leases(db: Database) -> int:
    with db.read() as tx:
        return tx.execute(sa.select(sa.func.count()).select_from(schema.lease)).scalar_one()


# -- what is given ---------------------------------------------------------------------------------------


def test_the_next_hit_is_there_before_the_last_answer_and_comes_after_it(db: Database) -> None:
    new_campaign(db)
    ann = new_judge(db)
    last = to_the_last_screen(db, ann)
    ahead = lease_ahead(db, ann)
    assert ahead is not None
    first = load(db, ann, ahead)
    assert (first.number, first.of, len(first.following)) == (1, 3, 2)
    assert next_screen(db, ann) == last.id  # the older work comes first
    turn = take_turn(db, ann, Submission(last.id, Answer((1, 2, 3, 4, 5)), "s"), onward=True, beyond_target=False)
    assert turn.following is not None
    assert turn.following.id == ahead
    assert (turn.progress.done, turn.progress.target, turn.progress.in_hand) == (3, 12, 3)
    judge_screens(db, ann, 9)  # each segment once, as without asking ahead
    assert next_view(db, ann) is None
    with db.read() as tx:
        assert tx.execute(sa.select(sa.func.count()).where(schema.hit.c.closed)).scalar_one() == 4


def test_however_often_and_from_wherever_it_is_asked_it_is_one_hit(db: Database) -> None:
    new_campaign(db)
    ann = new_judge(db)
    to_the_last_screen(db, ann)
    with ThreadPoolExecutor(4) as pool:
        given = list(pool.map(lambda _: lease_ahead(db, ann), range(8)))
    assert given[0] is not None
    assert len(set(given)) == 1
    assert leases(db) == 2
    assert judge_progress(db, ann).in_hand == 4


def test_nobody_is_given_more_who_has_more_than_one_screen_in_hand(db: Database) -> None:
    new_campaign(db)
    ann = new_judge(db)
    assert lease_ahead(db, ann) is None  # nothing in hand: there is another way to begin
    view = next_view(db, ann)
    assert view is not None
    assert lease_ahead(db, ann) is None  # three
    answer(db, ann, view)
    assert lease_ahead(db, ann) is None  # two
    assert leases(db) == 1


def test_hits_of_one_screen_are_given_one_ahead(db: Database) -> None:
    new_campaign(db, sample_texts(3), **{"hit.screens": 1})
    ann = new_judge(db)
    shown = [to_the_last_screen(db, ann).id]
    for _ in range(2):
        ahead = lease_ahead(db, ann)
        assert ahead is not None
        assert lease_ahead(db, ann) == ahead
        answer(db, ann, load(db, ann, shown[-1]))
        shown.append(ahead)
    assert lease_ahead(db, ann) is None  # there is nothing more
    answer(db, ann, load(db, ann, shown[-1]))
    assert len(set(shown)) == 3
    assert judge_progress(db, ann).reached


def test_work_for_several_judges_is_not_given_to_one_of_them_again(db: Database) -> None:
    """What a judge has left of a HIT that others are to judge as well is no further work for them."""
    new_campaign(db, sample_texts(6), **{"overlap.redundancy": 2})
    ann = new_judge(db)
    last = to_the_last_screen(db, ann)
    ahead = lease_ahead(db, ann)
    assert ahead is not None
    assert ahead != last.id
    assert load(db, ann, ahead).of == 3


def test_other_language_pairs_are_tried(db: Database) -> None:
    new_campaign(db, sample_texts(1), sample_texts(1, langs="de-en"), sample_texts(1, langs="cs-en"))
    ann = new_judge(db, langs=["fr-en", "de-en"])
    last = to_the_last_screen(db, ann)
    ahead = lease_ahead(db, ann)
    assert ahead is not None
    assert {str(last.langs), str(load(db, ann, ahead).langs)} == {"fr-en", "de-en"}


def test_a_repeat_in_hand_counts_as_one(db: Database) -> None:
    """A quarter of the screens are repeats, asked for ahead or not; a share of a whole screen is never exceeded."""
    settings = {"controls.repeats": 0.25, "controls.repeat_after": 1, "hit.screens": 2, "judge.screens": 40}
    new_campaign(db, sample_texts(60), **settings)
    ann, rng = new_judge(db), Random(2)
    for _ in range(20):
        view = next_view(db, ann, rng=rng)
        while view is not None and view.following:
            answer(db, ann, view)
            view = next_view(db, ann, rng=rng)
        assert view is not None
        lease_ahead(db, ann, rng=rng)
        served = schema.served.c
        with db.read() as tx:
            given, repeated = tx.execute(sa.select(sa.func.count(), sa.func.count(served.repeat_of))).one()
        assert repeated <= 0.25 * given + 1  # where on the way to a repeat a judge begins is left to chance
        answer(db, ann, view)
    assert repeated >= 8


# -- what is not ----------------------------------------------------------------------------------------------


def test_who_is_about_to_reach_the_target_or_is_beyond_it_decides_themselves(db: Database) -> None:
    new_campaign(db, **{"hit.screens": 2, "judge.screens": 3})
    ann = new_judge(db)
    answer(db, ann, to_the_last_screen(db, ann))
    answer(db, ann, next_view(db, ann))  # the third of three; the HIT has one more
    last = next_view(db, ann)
    assert lease_ahead(db, ann) is None
    answer(db, ann, last)
    assert judge_progress(db, ann).reached
    to_the_last_screen(db, ann)  # they go on
    assert lease_ahead(db, ann) is None


def test_nothing_is_given_while_a_campaign_is_not_open(db: Database) -> None:
    new_campaign(db)
    ann = new_judge(db)
    last = to_the_last_screen(db, ann)
    change_state(db, "news", "paused")
    assert lease_ahead(db, ann) is None
    change_state(db, "news", "open")
    ahead = lease_ahead(db, ann)
    change_state(db, "news", "paused")
    assert lease_ahead(db, ann) == ahead  # what is in hand can be finished
    answer(db, ann, last)
    assert next_screen(db, ann) == ahead
    change_state(db, "news", "closed")
    assert lease_ahead(db, ann) is None


def test_nothing_is_given_after_the_last_day(db: Database, clock: Clock) -> None:
    new_campaign(db, **{"stop.until": clock() + timedelta(minutes=1)})
    ann = new_judge(db)
    to_the_last_screen(db, ann)
    clock.forward(minutes=1)
    assert lease_ahead(db, ann) is None


def test_screens_in_hand_count_for_the_stopping_rule(db: Database) -> None:
    new_campaign(db, **{"stop.screens": 4})
    ann = new_judge(db)
    last = to_the_last_screen(db, ann)
    ahead = lease_ahead(db, ann)
    assert ahead is not None
    assert load(db, ann, ahead).of == 1
    assert next_screen(db, new_judge(db, "ben")) is None
    answer(db, ann, last)
    assert lease_ahead(db, ann) is None


def test_only_judges_who_have_agreed_are_given_work(db: Database) -> None:
    new_campaign(db)
    with pytest.raises(ConsentNeeded):
        lease_ahead(db, add_person(db, "news", Role.JUDGE, "cid"))
    with pytest.raises(JudgesOnly):
        lease_ahead(db, add_person(db, "news", Role.ORGANISER, "dot"))


# -- workers of a platform -------------------------------------------------------------------------------------


def test_a_worker_is_not_given_more_than_the_most_and_ends_with_it(db: Database) -> None:
    token = new_crowd(db, **{"judge.screens": 5, "hit.screens": 3})
    worker = new_worker(db, token)
    last = to_the_last_screen(db, worker)
    ahead = lease_ahead(db, worker)
    assert ahead is not None
    assert load(db, worker, ahead).of == 2  # three and two are five
    answer(db, worker, last)
    for number in (4, 5):
        assert ending(db, worker) is None
        view = next_view(db, worker)
        assert view is not None
        assert lease_ahead(db, worker) is None
        turn = take_turn(db, worker, Submission(view.id, Answer((1, 2, 3)), view.id), onward=False)
        assert (turn.progress.done, turn.over) == (number, number == 5)
    end = ending(db, worker)
    assert end is not None
    assert end.outcome == "completed"


def test_a_worker_who_is_screened_out_loses_what_was_given_ahead_and_is_told(db: Database) -> None:
    token = new_crowd(db, **CONTROLLED, **{"crowd.screen_out_after": 1})
    worker = new_worker(db, token)
    while True:
        view = next_view(db, worker)
        assert view is not None
        ahead = lease_ahead(db, worker)
        planted = damaged_place(db, view)
        if planted is not None and ahead is not None:
            break
        submitted(db, worker, view, tuple(3 if planted and i == planted[0] else 1 for i in range(len(view.options))))
    careless = tuple(1 if place == planted[0] else 3 for place in range(len(view.options)))
    turn = take_turn(db, worker, Submission(view.id, Answer(careless), "s"), onward=False)
    assert turn.over
    assert next_screen(db, worker) is None
    assert lease_ahead(db, worker) is None
    assert judge_progress(db, worker).in_hand == 0


# -- who leaves -------------------------------------------------------------------------------------------------


def test_a_hit_given_ahead_to_who_leaves_goes_back_to_the_pool(db: Database, clock: Clock) -> None:
    new_campaign(db, **{"stop.screens": 6})
    ann = new_judge(db)
    to_the_last_screen(db, ann)
    assert lease_ahead(db, ann) is not None
    ben = new_judge(db, "ben")
    assert next_view(db, ben) is None
    clock.forward(minutes=61)
    judge_screens(db, ben, 4)  # the one that was left, and the three given ahead
    assert next_view(db, ben) is None
    assert next_view(db, ann) is None


def test_a_judge_who_takes_long_for_the_last_screen_keeps_the_next_hit(db: Database, clock: Clock) -> None:
    new_campaign(db, **{"stop.screens": 6})
    ann = new_judge(db)
    last = to_the_last_screen(db, ann)
    ahead = lease_ahead(db, ann)
    for version in range(2):
        clock.forward(minutes=50)
        save_draft(db, ann, last.id, (version + 1, None, None, None, None), version=version)
    assert next_view(db, new_judge(db, "ben")) is None
    answer(db, ann, last)
    assert ahead is not None
    assert not answer(db, ann, load(db, ann, ahead)).late
