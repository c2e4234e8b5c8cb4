"""What a judge has answered before, on both databases."""

from __future__ import annotations

import pytest
from stores import answer, new_campaign, new_judge, next_view

from palmares.campaign.answers import Answer, save_draft, submit
from palmares.campaign.database import Database
from palmares.campaign.history import RECENT, StoredAnswer, discard_draft, recently_answered, stored_answer
from palmares.campaign.people import Person
from palmares.campaign.screens import ScreenView, load


def judged(db: Database, judge: Person, screens: int) -> list[str]:
    """Answer so many screens; gives their ids in order."""
    done = []
    for _ in range(screens):
        view = current(db, judge)
        answer(db, judge, view)
        done.append(view.id)
    return done


def current(db: Database, judge: Person) -> ScreenView:
    view = next_view(db, judge)
    assert view is not None
    return view


def test_answered_screens_are_known_across_hits_the_last_first(db: Database) -> None:
    new_campaign(db)  # three screens a HIT
    ann, bob = new_judge(db), new_judge(db, "bob")
    theirs = judged(db, bob, 2)
    assert recently_answered(db, ann) == ()
    mine = judged(db, ann, 7)
    here = current(db, ann)  # the second of the third HIT, with one more after it
    assert recently_answered(db, ann) == tuple(mine[::-1][:RECENT])
    assert recently_answered(db, ann, before=here.id) == tuple(mine[::-1][:RECENT])
    assert recently_answered(db, ann, before=mine[3]) == tuple(mine[2::-1])
    assert recently_answered(db, ann, before=mine[0]) == ()
    assert recently_answered(db, ann, before=theirs[0]) == ()  # no screen of this judge
    assert recently_answered(db, bob) == tuple(theirs[::-1])


def test_practice_is_nothing_to_go_back_to(db: Database) -> None:
    new_campaign(db, **{"judge.practice": True})
    ann = new_judge(db)
    judged(db, ann, 1)
    assert recently_answered(db, ann) == ()
    assert recently_answered(db, ann, before=current(db, ann).id) == ()


def test_what_is_stored_is_the_latest_answer_whatever_the_draft(db: Database) -> None:
    new_campaign(db)
    ann, bob = new_judge(db), new_judge(db, "bob")
    view = current(db, ann)
    assert stored_answer(db, ann, view.id) is None
    submit(db, ann, view.id, Answer(skip="technical"), submission="one")
    assert stored_answer(db, ann, view.id) == StoredAnswer(None, "technical", None, 1)
    submit(db, ann, view.id, Answer((1, 2, 3, 4, 5)), submission="two", revision=1)
    save_draft(db, ann, view.id, (5, None, None, None, None), version=0)
    assert stored_answer(db, ann, view.id) == StoredAnswer((1, 2, 3, 4, 5), None, None, 2)
    assert stored_answer(db, bob, view.id) is None


@pytest.mark.parametrize("mine", [True, False])
def test_only_the_judge_can_discard_a_draft(db: Database, mine: bool) -> None:
    new_campaign(db)
    ann, bob = new_judge(db), new_judge(db, "bob")
    view = current(db, ann)
    begun = (5, None, None, None, None)
    save_draft(db, ann, view.id, begun, version=0)
    discard_draft(db, ann if mine else bob, view.id)
    assert load(db, ann, view.id).ranks == ((None,) * 5 if mine else begun)
