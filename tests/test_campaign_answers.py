"""Answers: what is acknowledged is stored, once, and never overwritten."""

from __future__ import annotations

import re
from typing import Any

import pytest
import sqlalchemy as sa
from stores import Clock, answer, judge_screens, new_campaign, new_judge, next_view

from palmares.campaign import schema
from palmares.campaign.answers import NOTE_LENGTH, SKIP_REASONS, Answer, save_draft, submit
from palmares.campaign.database import Database
from palmares.campaign.definition import change_state
from palmares.campaign.people import Person
from palmares.campaign.progress import judge_progress
from palmares.campaign.refusals import BadAnswer, Closed, Conflict, DraftConflict, Incomplete, UnknownScreen
from palmares.campaign.screens import ScreenView, load


def begun(db: Database, **settings: Any) -> tuple[Person, ScreenView]:
    """A judge before their first screen, of three outputs."""
    new_campaign(db, **{"screen.outputs": 3, **settings})
    ann = new_judge(db)
    view = next_view(db, ann)
    assert view is not None
    return ann, view


def stored(db: Database, *names: str) -> list[tuple[Any, ...]]:
    """Columns of all judgments in order."""
    columns = [schema.judgment.c[name] for name in names]
    with db.read() as tx:
        return [tuple(row) for row in tx.execute(sa.select(*columns).order_by(schema.judgment.c.id))]


# -- once ----------------------------------------------------------------------------------------------


def test_an_answer_is_stored_as_given(db: Database, clock: Clock) -> None:
    ann, view = begun(db)
    clock.forward(seconds=40)
    receipt = submit(db, ann, view.id, Answer((2, 1, 2), note="both odd"), submission="one", seconds=39.5)
    assert (receipt.screen_id, receipt.revision, receipt.repeated, receipt.late) == (view.id, 1, False, False)
    names = ("revision", "submission", "ranks", "skip", "note", "seconds", "late", "created_at")
    assert stored(db, *names) == [(1, "one", [2, 1, 2], None, "both odd", 39.5, False, clock.now)]


def test_the_same_submission_again_changes_nothing(db: Database) -> None:
    ann, view = begun(db)
    first = submit(db, ann, view.id, Answer((1, 2, 3)), submission="one")
    again = submit(db, ann, view.id, Answer((1, 2, 3)), submission="one")
    assert (first.repeated, again.repeated) == (False, True)
    assert again.revision == first.revision == 1
    assert len(stored(db, "id")) == 1


def test_a_submission_that_comes_again_after_a_change_is_still_known(db: Database) -> None:
    ann, view = begun(db)
    submit(db, ann, view.id, Answer((1, 2, 3)), submission="one")
    submit(db, ann, view.id, Answer((3, 2, 1)), submission="two", revision=1)
    again = submit(db, ann, view.id, Answer((1, 2, 3)), submission="one")
    assert (again.revision, again.repeated) == (1, True)
    assert load(db, ann, view.id).ranks == (3, 2, 1)


def test_the_same_answer_from_another_form_is_not_stored_twice(db: Database) -> None:
    ann, view = begun(db)
    submit(db, ann, view.id, Answer((1, 2, 3)), submission="one")
    again = submit(db, ann, view.id, Answer((1, 2, 3)), submission="two")
    assert (again.revision, again.repeated) == (1, True)
    assert len(stored(db, "id")) == 1


def test_another_answer_under_the_same_submission_is_not_taken_for_the_first(db: Database) -> None:
    """Back in the browser, a form still has its submission; what was changed there must not be lost unsaid."""
    ann, view = begun(db)
    submit(db, ann, view.id, Answer((1, 2, 3)), submission="one")
    with pytest.raises(Conflict):
        submit(db, ann, view.id, Answer((3, 2, 1)), submission="one")
    assert load(db, ann, view.id).ranks == (3, 2, 1)  # kept as the draft
    with pytest.raises(BadAnswer, match="submission: was used for another answer to this screen; send a change under"):
        submit(db, ann, view.id, Answer((3, 2, 1)), submission="one", revision=1)
    assert stored(db, "ranks") == [([1, 2, 3],)]


# -- changes -------------------------------------------------------------------------------------------


def test_a_change_is_a_further_revision(db: Database) -> None:
    ann, view = begun(db)
    answer(db, ann, view, [1, 2, 3])
    changed = load(db, ann, view.id)
    assert (changed.revision, changed.ranks) == (1, (1, 2, 3))
    assert answer(db, ann, changed, [1, 1, 3]).revision == 2
    submit(db, ann, view.id, Answer(skip="cannot-tell", note="hm"), submission="three", revision=2)
    assert stored(db, "revision", "ranks", "skip") == [
        (1, [1, 2, 3], None),
        (2, [1, 1, 3], None),
        (3, None, "cannot-tell"),
    ]
    shown = load(db, ann, view.id)
    assert (shown.skipped, shown.note, shown.ranks) == ("cannot-tell", "hm", (None, None, None))


def test_a_form_that_is_out_of_date_is_refused_with_what_is_stored(db: Database) -> None:
    ann, view = begun(db)
    submit(db, ann, view.id, Answer((1, 2, 3)), submission="phone")
    with pytest.raises(Conflict, match="answered differently in another window") as conflict:
        submit(db, ann, view.id, Answer((3, 2, 1)), submission="desk")
    assert (conflict.value.revision, conflict.value.ranks, conflict.value.skipped) == (1, (1, 2, 3), None)
    shown = load(db, ann, view.id)
    assert (shown.ranks, shown.revision, shown.draft_version) == ((3, 2, 1), 1, 1)
    assert answer(db, ann, shown, [3, 2, 1]).revision == 2
    assert load(db, ann, view.id).draft_version == 0


def test_a_conflict_with_a_skip_says_so(db: Database) -> None:
    ann, view = begun(db)
    submit(db, ann, view.id, Answer(skip="technical"), submission="phone")
    with pytest.raises(Conflict) as conflict:
        submit(db, ann, view.id, Answer(skip="other"), submission="desk")
    assert (conflict.value.ranks, conflict.value.skipped) == (None, "technical")


def test_a_revision_that_never_was_is_refused(db: Database) -> None:
    ann, view = begun(db)
    for revision in (1, 7, -1):
        with pytest.raises(
            BadAnswer, match="this screen has no answer yet, so the revision must be 0; open the screen"
        ):
            submit(db, ann, view.id, Answer((1, 2, 3)), submission="one", revision=revision)
    assert stored(db, "id") == []


def test_a_late_change_is_not_late_work(db: Database, clock: Clock) -> None:
    ann, view = begun(db)
    judge_screens(db, ann, 3)
    clock.forward(days=9)
    assert not answer(db, ann, load(db, ann, view.id), [3, 2, 1]).late


# -- what does not fit ---------------------------------------------------------------------------------

UNFIT = [
    (Answer(), "an answer has either ranks or a reason for skipping; give one of the two"),
    (Answer((1, 2, 3), skip="other"), "an answer has either ranks or a reason for skipping"),
    (Answer((1, 2)), "ranks: got 2; this screen has 3 outputs"),
    (Answer((1, 2, 3, 3)), "ranks: got 4; this screen has 3 outputs"),
    (Answer((1, 2, 4)), "rank: got 4; allowed: 1 (best) to 3 (worst), ties included"),
    (Answer((0, 1, 2)), "rank: got 0; allowed: 1"),
    (Answer((True, 1, 2)), "rank: got True; allowed: 1"),
    (Answer((1.0, 1, 2)), "rank: got 1.0; allowed: 1"),  # type: ignore[arg-type]
    (Answer(skip="bored"), "reason: got 'bored'; allowed: cannot-tell, source-unclear, "),
    (Answer((1, 2, 3), note="x" * 501), "note: got 501 characters; allowed: up to 500"),
    (Answer((1, 2, 3), note="a\0b"), "note: got NUL or half a character"),
    (Answer((1, 2, 3), note="a\udfffb"), "note: got NUL or half a character"),
]


def test_an_answer_that_does_not_fit_is_refused(db: Database) -> None:
    ann, view = begun(db)
    for given, message in UNFIT:
        with pytest.raises(BadAnswer, match=re.escape(message)):
            submit(db, ann, view.id, given, submission="one")
    assert stored(db, "id") == []


def test_outputs_without_rank_are_named_by_place(db: Database) -> None:
    ann, view = begun(db)
    for ranks, missing in [((None, 1, 2), (1,)), ((1, None, None), (2, 3)), ((None,) * 3, (1, 2, 3))]:
        with pytest.raises(Incomplete, match="not every output has a rank: ") as incomplete:
            submit(db, ann, view.id, Answer(ranks), submission="one")
        assert incomplete.value.missing == missing


def test_a_submission_that_cannot_be_kept_is_refused(db: Database) -> None:
    ann, view = begun(db)
    for submission in ("", "x" * 101, "a\nb", "é", "a\0"):
        with pytest.raises(BadAnswer, match="submission: got "):
            submit(db, ann, view.id, Answer((1, 2, 3)), submission=submission)
    assert submit(db, ann, view.id, Answer((1, 2, 3)), submission="x" * 100).revision == 1


def test_every_reason_and_the_longest_note_are_taken(db: Database) -> None:
    ann, view = begun(db)
    for number, reason in enumerate(SKIP_REASONS):
        given = Answer(skip=reason, note="é" * NOTE_LENGTH)
        assert submit(db, ann, view.id, given, submission=reason, revision=number).revision == number + 1


def test_seconds_are_kept_if_they_can_be(db: Database) -> None:
    ann, view = begun(db)
    given = [None, 0, 12.5, -1, float("nan"), float("inf"), 1e9]
    for number, seconds in enumerate(given):
        ranks = (1, 2, 3) if number % 2 else (3, 2, 1)
        submit(db, ann, view.id, Answer(ranks), submission=str(number), revision=number, seconds=seconds)
    assert stored(db, "seconds") == [(None,), (0.0,), (12.5,), (None,), (None,), (None,), (86400.0,)]


def test_a_closed_campaign_takes_nothing_new_but_knows_what_it_has(db: Database) -> None:
    ann, view = begun(db)
    submit(db, ann, view.id, Answer((1, 2, 3)), submission="one")
    change_state(db, "news", "closed")
    assert submit(db, ann, view.id, Answer((1, 2, 3)), submission="one").repeated
    with pytest.raises(Closed, match="takes no more answers; this one was not stored"):
        submit(db, ann, view.id, Answer((3, 2, 1)), submission="two", revision=1)
    change_state(db, "news", "paused")
    assert submit(db, ann, view.id, Answer((3, 2, 1)), submission="two", revision=1).revision == 2


def test_no_judge_can_answer_for_another(db: Database) -> None:
    ann, view = begun(db)
    ben = new_judge(db, "ben")
    for act in (
        lambda: load(db, ben, view.id),
        lambda: submit(db, ben, view.id, Answer((1, 2, 3)), submission="one"),
        lambda: save_draft(db, ben, view.id, (1, None, None), version=0),
        lambda: load(db, ann, view.id + "x"),
    ):
        with pytest.raises(UnknownScreen, match="there is no such screen for you"):
            act()
    assert stored(db, "id") == []


def test_practice_is_stored_but_does_not_count(db: Database) -> None:
    ann, view = begun(db, **{"judge.practice": True})
    assert view.practice
    assert not answer(db, ann, view, [1, 2, 3]).late
    progress = judge_progress(db, ann)
    assert (progress.done, progress.in_hand) == (0, 0)
    judge_screens(db, ann, 2)
    progress = judge_progress(db, ann)
    assert (progress.done, progress.in_hand) == (2, 1)


# -- drafts --------------------------------------------------------------------------------------------


def test_a_draft_is_shown_until_the_answer_is_stored(db: Database) -> None:
    ann, view = begun(db)
    assert save_draft(db, ann, view.id, (None, 1, None), version=0).version == 1
    assert save_draft(db, ann, view.id, (2, 1, None), version=1).version == 2
    assert load(db, ann, view.id).ranks == (2, 1, None)
    answer(db, ann, load(db, ann, view.id), [2, 1, 2])
    shown = load(db, ann, view.id)
    assert (shown.ranks, shown.draft_version) == ((2, 1, 2), 0)


def test_a_draft_made_elsewhere_is_not_overwritten(db: Database) -> None:
    ann, view = begun(db)
    save_draft(db, ann, view.id, (1, None, None), version=0)
    with pytest.raises(DraftConflict, match="a newer draft") as conflict:
        save_draft(db, ann, view.id, (None, 1, None), version=0)
    assert (conflict.value.version, conflict.value.ranks) == (1, (1, None, None))
    assert save_draft(db, ann, view.id, (1, None, None), version=0).version == 2  # the same ranks do no harm


def test_a_draft_on_its_way_does_not_come_after_the_answer(db: Database) -> None:
    ann, view = begun(db)
    save_draft(db, ann, view.id, (1, None, None), version=0)
    answer(db, ann, view, [1, 2, 3])
    with pytest.raises(DraftConflict) as conflict:
        save_draft(db, ann, view.id, (1, 2, None), version=1)
    assert (conflict.value.version, conflict.value.ranks) == (0, (1, 2, 3))
    assert load(db, ann, view.id).ranks == (1, 2, 3)
    assert save_draft(db, ann, view.id, (3, 2, None), version=0).version == 1  # a change that begins


def test_a_change_that_is_taken_back_leaves_no_draft(db: Database) -> None:
    ann, view = begun(db)
    answer(db, ann, view, [1, 2, 3])
    save_draft(db, ann, view.id, (3, 2, None), version=0)
    assert submit(db, ann, view.id, Answer((1, 2, 3)), submission="two", revision=1).repeated
    assert load(db, ann, view.id).draft_version == 0


def test_a_draft_that_does_not_fit_is_refused(db: Database) -> None:
    ann, view = begun(db)
    for ranks in ((1, 2), (1, 2, 9), (0, None, None)):
        with pytest.raises(BadAnswer, match="rank"):
            save_draft(db, ann, view.id, ranks, version=0)
    assert load(db, ann, view.id).draft_version == 0
