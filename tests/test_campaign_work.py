"""Work is given out once, comes back when it is abandoned, and is never given to who should not have it."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from stores import Clock, answer, judge_screens, new_campaign, new_judge, next_view, sample_texts

from palmares.campaign import Role, leases, schema
from palmares.campaign.answers import Answer, save_draft, submit
from palmares.campaign.create import add_pairs
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings, change_state, settings_of
from palmares.campaign.journal import entries
from palmares.campaign.people import Person, add_person, consent, find_person, pseudonymise, revoke
from palmares.campaign.progress import judge_progress
from palmares.campaign.refusals import ConsentNeeded, JudgesOnly
from palmares.campaign.screens import ScreenView
from palmares.campaign.work import next_screen

HOUR = 60.0  # minutes, the length of a lease in these tests


def rows(db: Database, *columns: Any, where: Any = True) -> list[tuple[Any, ...]]:
    with db.read() as tx:
        return [tuple(row) for row in tx.execute(sa.select(*columns).where(where))]


def served(view: ScreenView | None) -> Any:
    """The condition that picks the record of a screen."""
    assert view is not None
    return schema.served.c.public_id == view.id


def screen_of(db: Database, view: ScreenView | None) -> int:
    return int(rows(db, schema.served.c.screen_id, where=served(view))[0][0])


def hit_of(db: Database, view: ScreenView | None) -> int:
    joined = sa.and_(schema.screen.c.id == schema.served.c.screen_id, served(view))
    return int(rows(db, schema.screen.c.hit_id, where=joined)[0][0])


def open_hits(db: Database) -> list[int]:
    return [hit for (hit,) in rows(db, schema.hit.c.id, where=schema.hit.c.closed.is_(False))]


def skip(db: Database, judge: Person, view: ScreenView) -> None:
    submit(db, judge, view.id, Answer(skip="other"), submission=f"skip-{view.id}", revision=view.revision)


def set_settings(db: Database, **changes: Any) -> None:
    with db.read() as tx:
        settings = settings_of(tx, 1)
    change_settings(db, "news", settings.replace(**changes))


def kinds(db: Database, kind: str) -> list[dict[str, Any]]:
    return [event.body for event in entries(db, 1) if event.kind == kind]


# -- before any work -----------------------------------------------------------------------------------


def test_a_judge_who_has_not_agreed_gets_no_work(db: Database) -> None:
    new_campaign(db)
    ann = add_person(db, "news", Role.JUDGE, "ann")
    with pytest.raises(ConsentNeeded, match="agree"):
        next_screen(db, ann)
    consent(db, ann)
    assert next_screen(db, ann) is not None  # the store is asked, not the record of before


@pytest.mark.parametrize("role", [Role.ORGANISER, Role.OBSERVER])
def test_who_is_no_judge_gets_no_work(db: Database, role: Role) -> None:
    new_campaign(db)
    person = add_person(db, "news", role, "olga")
    consent(db, person)
    with pytest.raises(JudgesOnly, match="only judges are given work"):
        next_screen(db, person)


def test_practice_comes_first_and_once(db: Database) -> None:
    new_campaign(db, **{"judge.practice": True})
    ann = new_judge(db)
    view = next_view(db, ann)
    assert view is not None
    assert view.practice
    assert next_screen(db, ann) == view.id
    answer(db, ann, view)
    after = next_view(db, ann)  # though this record of ann is from before the practice
    assert after is not None
    assert not after.practice
    assert find_person(db, "news", "ann").practised
    assert rows(db, sa.func.sum(schema.segment.c.designed)) == [(3,)]  # the HIT, not the practice


def test_practice_may_be_skipped(db: Database) -> None:
    new_campaign(db, **{"judge.practice": True})
    ann = new_judge(db)
    view = next_view(db, ann)
    assert view is not None
    skip(db, ann, view)
    assert not next_view(db, ann).practice  # type: ignore[union-attr]


# -- a lease -------------------------------------------------------------------------------------------


def test_two_windows_are_given_the_same_screen(db: Database) -> None:
    new_campaign(db)
    ann = new_judge(db)
    assert next_screen(db, ann) == next_screen(db, ann)
    assert len(rows(db, schema.lease.c.id)) == 1


def test_a_hit_is_done_in_order_and_then_the_next_begins(db: Database) -> None:
    new_campaign(db)
    ann = new_judge(db)
    views = judge_screens(db, ann, 6)
    assert [view.number for view in views] == [1, 2, 3, 1, 2, 3]
    assert {view.of for view in views} == {3}
    assert len({hit_of(db, view) for view in views}) == 2
    assert open_hits(db) == []


def test_another_judge_gets_other_work_while_a_lease_lives(db: Database, clock: Clock) -> None:
    new_campaign(db, **{"hit.lease_minutes": HOUR})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    first = next_view(db, ann)
    clock.forward(minutes=59)
    assert hit_of(db, next_view(db, ben)) != hit_of(db, first)


def test_abandoned_work_goes_to_another_judge(db: Database, clock: Clock) -> None:
    new_campaign(db, **{"hit.lease_minutes": HOUR})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    (done,) = judge_screens(db, ann, 1)
    clock.forward(minutes=61)
    taken = judge_screens(db, ben, 2)
    assert {hit_of(db, view) for view in taken} == {hit_of(db, done)}
    assert screen_of(db, done) not in [screen_of(db, view) for view in taken]
    assert open_hits(db) == []
    (returned,) = [event for event in entries(db, 1) if event.kind == "lease-returned"]
    assert (returned.person, returned.by) == ("ann", "ben")


@pytest.mark.parametrize("sign", ["ask", "draft", "answer"])
def test_every_sign_of_life_keeps_a_lease(db: Database, clock: Clock, sign: str) -> None:
    new_campaign(db, **{"hit.lease_minutes": HOUR})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    view = next_view(db, ann)
    assert view is not None
    clock.forward(minutes=40)
    if sign == "ask":
        assert next_screen(db, ann) == view.id
    elif sign == "draft":
        save_draft(db, ann, view.id, (1, *[None] * 4), version=0)
    else:
        answer(db, ann, view)
    clock.forward(minutes=40)
    assert hit_of(db, next_view(db, ben)) != hit_of(db, view)


def test_a_judge_who_comes_back_goes_on_where_they_were(db: Database, clock: Clock) -> None:
    new_campaign(db, **{"hit.lease_minutes": HOUR})
    ann = new_judge(db)
    judge_screens(db, ann, 1)
    second = next_screen(db, ann)
    clock.forward(days=3)
    assert next_screen(db, ann) == second
    assert kinds(db, "lease-returned") == []


def test_who_comes_back_too_late_gets_only_what_is_still_wanted(db: Database, clock: Clock) -> None:
    new_campaign(db, **{"hit.lease_minutes": HOUR})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    first = next_view(db, ann)
    clock.forward(minutes=61)
    (taken,) = judge_screens(db, ben, 1)
    assert hit_of(db, taken) == hit_of(db, first)
    clock.forward(minutes=61)  # now ben has left as well
    assert hit_of(db, next_view(db, ann)) == hit_of(db, first)
    (one, two) = judge_screens(db, ann, 2)
    assert screen_of(db, taken) not in (screen_of(db, one), screen_of(db, two))
    assert open_hits(db) == []
    assert hit_of(db, next_view(db, ann)) != hit_of(db, first)


def test_work_that_was_given_back_can_be_taken_up_again(db: Database, clock: Clock) -> None:
    new_campaign(db, **{"hit.lease_minutes": HOUR, "stop.screens": 3})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    first = next_view(db, ann)
    clock.forward(minutes=61)
    assert next_view(db, ben) is not None  # takes everything there is
    assert next_screen(db, ann) is None
    clock.forward(minutes=61)
    again = next_view(db, ann)
    assert again is not None
    assert first is not None
    assert again.id == first.id  # the same record, so the answer is counted once
    judge_screens(db, ann, 3)
    assert open_hits(db) == []
    assert next_screen(db, ben) is None


def test_a_screen_is_given_to_a_judge_once(db: Database, clock: Clock) -> None:
    new_campaign(db, sample_texts(6), **{"hit.lease_minutes": HOUR, "judge.per_segment": 5})
    judges = [new_judge(db, name) for name in ("ann", "ben", "cas")]
    rng = Random(3)
    for _ in range(40):
        judge = rng.choice(judges)
        view = next_view(db, judge, rng=rng)
        if view is not None and rng.random() < 0.6:
            answer(db, judge, view)
        clock.forward(minutes=rng.choice([1, 45]))
    given = rows(db, schema.served.c.person_id, schema.served.c.screen_id)
    assert len(given) == len(set(given)) > 10
    values = {"public_id": "again", "person_id": given[0][0], "screen_id": given[0][1], "position": 9, "places": []}
    again = schema.served.insert().values(created_at=db.clock(), **values)
    with db.begin() as tx, pytest.raises(sa.exc.IntegrityError):
        tx.execute(again)


@pytest.mark.parametrize("away", [{"hours": -3}, {"hours": 3}, {"days": 400}, {"days": -400}])
def test_a_clock_that_jumps_locks_nothing_up(db: Database, clock: Clock, away: dict[str, float]) -> None:
    new_campaign(db, **{"hit.lease_minutes": HOUR, "stop.screens": 3})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    clock.forward(**away)
    first = next_view(db, ann)
    clock.forward(**{unit: -amount for unit, amount in away.items()})
    taken = next_view(db, ben)
    assert taken is not None
    assert hit_of(db, taken) == hit_of(db, first)
    judge_screens(db, ben, 3)
    assert open_hits(db) == []
    assert next_screen(db, ann) is None


def test_clocks_of_two_machines_may_differ_a_little(db: Database, clock: Clock) -> None:
    new_campaign(db, **{"hit.lease_minutes": HOUR, "stop.screens": 3})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    clock.forward(minutes=4)
    assert next_screen(db, ann) is not None
    clock.forward(minutes=-4)
    assert next_screen(db, ben) is None  # ann is at work


@pytest.mark.parametrize("end", [revoke, pseudonymise])
def test_work_of_someone_shut_out_goes_back_at_once(db: Database, end: Any) -> None:
    new_campaign(db, **{"stop.screens": 3})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    first = next_view(db, ann)
    assert next_screen(db, ben) is None
    end(db, ann)
    assert hit_of(db, next_view(db, ben)) == hit_of(db, first)
    assert len(kinds(db, "lease-returned")) == 1


# -- how many judges -----------------------------------------------------------------------------------


def test_every_screen_gets_as_many_judges_as_are_wanted_and_no_more(db: Database) -> None:
    new_campaign(db, **{"overlap.redundancy": 2, "stop.screens": 12})
    judges = [new_judge(db, name) for name in ("ann", "ben", "cas")]
    for judge in judges * 6:
        view = next_view(db, judge)
        if view is not None:
            answer(db, judge, view)
    answers = Counter(screen for (screen,) in rows(db, schema.served.c.screen_id))
    assert list(answers.values()) == [2] * 6
    assert open_hits(db) == []
    assert rows(db, sa.func.sum(schema.hit.c.answers)) == [(sum(answers.values()),)]


def test_a_share_of_the_work_overlaps(db: Database) -> None:
    new_campaign(db, sample_texts(60), **{"overlap.share": 0.5, "overlap.judges": 4, "hit.screens": 1})
    judge_screens(db, new_judge(db), 60, rng=Random(5))
    wanted = Counter(number for (number,) in rows(db, schema.hit.c.wanted))
    assert set(wanted) == {1, 4}
    assert wanted[4] == pytest.approx(30, abs=16)  # four standard deviations
    assert len(open_hits(db)) == wanted[4]


def test_who_comes_second_gets_the_work_that_wants_two(db: Database) -> None:
    new_campaign(db, **{"overlap.redundancy": 2})
    ann, ben, cas = (new_judge(db, name) for name in ("ann", "ben", "cas"))
    first = next_view(db, ann)
    assert hit_of(db, next_view(db, ben)) == hit_of(db, first)
    assert hit_of(db, next_view(db, cas)) != hit_of(db, first)


def test_a_skip_asks_another_judge_and_three_end_it(db: Database) -> None:
    new_campaign(db, sample_texts(3), **{"hit.screens": 1})
    judges = [new_judge(db, name) for name in ("ann", "ben", "cas", "dee")]
    shown = []
    for judge in judges[:3]:
        view = next_view(db, judge)
        assert view is not None
        shown.append(screen_of(db, view))
        skip(db, judge, view)
    assert len(set(shown)) == 1
    assert open_hits(db) == []
    assert screen_of(db, next_view(db, judges[3])) != shown[0]


def test_an_answer_that_becomes_a_skip_opens_the_work_again(db: Database) -> None:
    new_campaign(db, sample_texts(3), **{"hit.screens": 1})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    view = next_view(db, ann)
    assert view is not None
    answer(db, ann, view)
    assert open_hits(db) == []
    submit(db, ann, view.id, Answer(skip="other"), submission="second", revision=1)
    assert open_hits(db) == [hit_of(db, view)]
    assert screen_of(db, next_view(db, ben)) == screen_of(db, view)


def test_late_answers_are_kept_marked_and_close_the_hit(db: Database, clock: Clock) -> None:
    new_campaign(db, sample_texts(3), **{"hit.lease_minutes": HOUR, "hit.screens": 1})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    view = next_view(db, ann)
    assert view is not None
    clock.forward(minutes=61)
    taken = next_view(db, ben)
    assert taken is not None
    assert screen_of(db, taken) == screen_of(db, view)
    receipt = answer(db, ann, view)
    assert receipt.late
    assert open_hits(db) == []
    assert not answer(db, ben, taken).late
    assert open_hits(db) == []
    assert rows(db, schema.hit.c.answers, where=schema.hit.c.id == hit_of(db, view)) == [(2,)]


def test_who_was_overtaken_is_not_sent_on_in_vain(db: Database, clock: Clock) -> None:
    new_campaign(db, sample_texts(6), **{"hit.lease_minutes": HOUR})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    first = next_view(db, ann)
    assert first is not None
    clock.forward(minutes=61)
    begun = next_view(db, ben)
    answer(db, ann, first)  # late; the other two are ben's now
    assert hit_of(db, next_view(db, ann)) != hit_of(db, first)
    # ann's late answer has made one of ben's three superfluous.
    assert begun is not None
    assert len(judge_screens(db, ben, 2)) == 2
    assert hit_of(db, first) not in open_hits(db)
    assert hit_of(db, next_view(db, ben)) != hit_of(db, first)


def test_a_hit_whose_last_judge_never_came_back_is_closed_by_the_next(db: Database, clock: Clock) -> None:
    new_campaign(db, sample_texts(6), **{"hit.lease_minutes": HOUR, "hit.screens": 1})
    ann, ben, cas = (new_judge(db, name) for name in ("ann", "ben", "cas"))
    view = next_view(db, ann)
    assert view is not None
    clock.forward(minutes=61)
    assert next_screen(db, ben) is not None  # takes it over, and never answers
    answer(db, ann, view)
    clock.forward(minutes=61)
    assert hit_of(db, next_view(db, cas)) != hit_of(db, view)
    assert hit_of(db, view) not in open_hits(db)


def test_work_far_down_the_list_is_found(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many HITs that this judge has done stand before the one that another left."""
    monkeypatch.setattr(leases, "_LOOKED_AT", 3)
    new_campaign(db, sample_texts(15), **{"overlap.redundancy": 3, "hit.screens": 1, "screen.outputs": 2})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    judge_screens(db, ann, 13)
    judge_screens(db, ben, 12)  # each of them still wants one more
    assert hit_of(db, next_view(db, ben)) == max(open_hits(db))


def test_held_work_does_not_hide_what_is_free(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "_LOOKED_AT", 3)
    new_campaign(db, sample_texts(15), **{"hit.screens": 1, "screen.outputs": 2})
    crowd = [new_judge(db, f"j{i}") for i in range(8)]
    views = [next_view(db, judge) for judge in crowd]
    revoke(db, crowd[-1])
    assert hit_of(db, next_view(db, new_judge(db, "ann"))) == hit_of(db, views[-1])


# -- who may see what ----------------------------------------------------------------------------------


@pytest.mark.parametrize("per_segment", [1, 2])
def test_a_judge_meets_a_segment_as_often_as_allowed(db: Database, per_segment: int) -> None:
    new_campaign(db, sample_texts(5), **{"judge.per_segment": per_segment})
    ann = new_judge(db)
    views = judge_screens(db, ann, 5 * per_segment)
    assert set(Counter(view.source for view in views).values()) == {per_segment}
    assert next_screen(db, ann) is None


def test_of_a_hit_a_judge_gets_the_segments_they_may_meet(db: Database, clock: Clock) -> None:
    """Ben has met one segment of what ann left; the others are his, and a third judge gets the rest."""
    new_campaign(db, sample_texts(4), **{"hit.lease_minutes": HOUR, "judge.per_segment": 1})
    ann, ben, cas = (new_judge(db, name) for name in ("ann", "ben", "cas"))
    set_settings(db, **{"hit.screens": 1})
    (met,) = judge_screens(db, ben, 1)
    set_settings(db, **{"hit.screens": 4})
    with db.begin() as tx:  # let the segment that ben met be due again
        tx.execute(schema.segment.update().values(designed=0))
    assert next_view(db, ann).of == 4  # type: ignore[union-attr]
    clock.forward(minutes=61)
    views = judge_screens(db, ben, 3)
    assert met.source not in [view.source for view in views]
    assert next_screen(db, ben) is None
    assert [view.source for view in judge_screens(db, cas, 1)] == [met.source]
    assert open_hits(db) == []


def test_judges_of_some_pairs_get_those_alone(db: Database) -> None:
    texts = [sample_texts(6, langs=langs) for langs in ("fr-en", "de-en", "en-ja")]
    new_campaign(db, *texts)
    ann, all_ = new_judge(db, "ann", langs=["de-en"]), new_judge(db, "ben")
    assert {str(view.langs) for view in judge_screens(db, ann, 6)} == {"de-en"}
    assert next_screen(db, ann) is None
    assert {str(view.langs) for view in judge_screens(db, all_, 12)} == {"fr-en", "en-ja"}  # de-en is ahead


def test_pairs_are_served_evenly_and_new_ones_are_found(db: Database) -> None:
    new_campaign(db, sample_texts(30, langs="fr-en"), sample_texts(30, langs="de-en"))
    ann = new_judge(db)
    assert Counter(str(view.langs) for view in judge_screens(db, ann, 12)) == {"fr-en": 6, "de-en": 6}
    add_pairs(db, "news", [sample_texts(30, langs="en-ja")])
    assert {str(view.langs) for view in judge_screens(db, ann, 6)} == {"en-ja"}


# -- when there is an end ------------------------------------------------------------------------------


def test_a_paused_campaign_takes_answers_and_gives_no_new_work(db: Database) -> None:
    new_campaign(db)
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    view = next_view(db, ann)
    change_state(db, "news", "paused")
    assert next_screen(db, ben) is None
    assert view is not None
    assert next_screen(db, ann) == view.id
    judge_screens(db, ann, 3)
    assert next_screen(db, ann) is None
    change_state(db, "news", "open")
    assert next_screen(db, ann) is not None


@pytest.mark.parametrize("practice", [True, False])
def test_a_closed_campaign_gives_nothing_that_could_not_be_answered(db: Database, practice: bool) -> None:
    new_campaign(db, **{"judge.practice": practice})
    ann = new_judge(db)
    assert next_screen(db, ann) is not None
    change_state(db, "news", "closed")
    assert next_screen(db, ann) is None
    assert next_screen(db, new_judge(db, "ben")) is None


def test_no_new_work_after_the_end(db: Database, clock: Clock) -> None:
    new_campaign(db, **{"stop.until": clock.now.replace(hour=15)})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    clock.forward(hours=2, minutes=59)
    view = next_view(db, ann)
    clock.forward(minutes=1)
    assert next_screen(db, ben) is None
    assert view is not None
    assert next_screen(db, ann) == view.id


# -- settings that change ------------------------------------------------------------------------------


def test_other_settings_apply_to_new_work_alone(db: Database) -> None:
    new_campaign(db, **{"screen.outputs": 5, "overlap.redundancy": 1})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    before = next_view(db, ann)
    assert before is not None
    set_settings(db, **{"screen.outputs": 2, "overlap.redundancy": 2, "hit.screens": 1})
    views = judge_screens(db, ann, 4)
    assert [len(view.options) for view in views] == [5, 5, 5, 2]
    other = next_view(db, ben)
    assert hit_of(db, other) == hit_of(db, views[3])  # the first HIT wants one judge, and has one
    wanted = [number for (number,) in rows(db, schema.hit.c.wanted)]
    assert wanted == [1, 2]


def test_a_lower_number_of_judges_leaves_open_work_open(db: Database) -> None:
    new_campaign(db, sample_texts(6), **{"overlap.redundancy": 3})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    views = judge_screens(db, ann, 3)
    set_settings(db, **{"overlap.redundancy": 1})
    assert hit_of(db, next_view(db, ben)) == hit_of(db, views[0])


def test_a_shorter_lease_counts_at_once(db: Database, clock: Clock) -> None:
    new_campaign(db, **{"hit.lease_minutes": HOUR, "stop.screens": 3})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    assert next_screen(db, ann) is not None
    clock.forward(minutes=30)
    assert next_screen(db, ben) is None
    set_settings(db, **{"hit.lease_minutes": 20.0})
    assert next_screen(db, ben) is not None


# -- how much there is for a judge ---------------------------------------------------------------------------


def progress(db: Database, judge: Person) -> tuple[int, int]:
    found = judge_progress(db, judge)
    return found.done, found.target


def test_the_target_is_no_more_than_there_is(db: Database) -> None:
    new_campaign(db, sample_texts(8), **{"judge.screens": 30})
    ann = new_judge(db)
    assert progress(db, ann) == (0, 8)
    for done in range(1, 9):
        judge_screens(db, ann, 1)
        assert progress(db, ann) == (done, 8)
    assert next_view(db, ann) is None
    assert judge_progress(db, ann).reached


def test_the_target_counts_segments_that_come_twice_and_pairs_that_are_theirs(db: Database) -> None:
    new_campaign(db, sample_texts(8), sample_texts(5, langs="de-en"), **{"judge.screens": 30, "judge.per_segment": 2})
    assert progress(db, new_judge(db, "both")) == (0, 26)
    assert progress(db, new_judge(db, "one", langs=["de-en"])) == (0, 10)


def test_the_target_is_no_more_than_the_rule_leaves(db: Database) -> None:
    new_campaign(db, sample_texts(40), **{"stop.screens": 10, "judge.screens": 8})
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    assert progress(db, ann) == (0, 8)
    judge_screens(db, ann, 6)
    assert progress(db, ben) == (0, 4)


def test_the_target_grows_by_screens_that_come_back(db: Database) -> None:
    new_campaign(db, sample_texts(8), **{"controls.repeats": 0.3, "controls.repeat_after": 1, "judge.screens": 30})
    ann = new_judge(db)
    seen: list[tuple[int, int]] = []
    while next_view(db, ann) is not None:
        seen.append(progress(db, ann))
        judge_screens(db, ann, 1)
    done, target = progress(db, ann)
    assert done == target > 8
    assert [n for n, _ in seen] == list(range(done))
    assert all(8 <= asked <= done for _, asked in seen)


def test_nobody_is_given_more_than_the_most(db: Database) -> None:
    new_campaign(db, sample_texts(40), **{"hit.screens": 3, "judge.screens": 4, "judge.most": 5})
    ann = new_judge(db)
    judge_screens(db, ann, 5)
    assert next_view(db, ann) is None
    assert progress(db, ann) == (5, 4)
    assert len(rows(db, schema.served.c.id)) == 5  # nothing was given out that could not be answered
