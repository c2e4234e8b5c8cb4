"""How a campaign stands, by numbers that follow from what the judges of a test did."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from stores import SYSTEMS, Clock, answer, judge_screens, new_campaign, new_judge, next_view, sample_texts

from palmares.campaign.answers import Answer, submit
from palmares.campaign.database import Database
from palmares.campaign.overview import (
    CampaignLine,
    JudgeStatus,
    PairStatus,
    campaign_lines,
    campaign_status,
    median_seconds,
    status_and_comparisons,
)
from palmares.campaign.people import Person
from palmares.campaign.screens import ScreenView
from palmares.errors import InputError
from palmares.texts import LanguagePair, Segment, TestSet
from palmares.texts.testset import make


def one_pair(db: Database, name: str = "news") -> PairStatus:
    (pair,) = campaign_status(db, name).pairs
    return pair


def one_judge(db: Database, name: str = "ann") -> JudgeStatus:
    (judge,) = (judge for judge in campaign_status(db, "news").judges if judge.name == name)
    return judge


def skip(db: Database, judge: Person, view: ScreenView) -> None:
    submit(db, judge, view.id, Answer(skip="other"), submission=f"skip-{view.id}", revision=view.revision)


# -- screens -------------------------------------------------------------------------------------------


def test_a_campaign_that_has_not_begun(db: Database) -> None:
    new_campaign(db, sample_texts(12))
    status = campaign_status(db, "news")
    assert (status.name, status.state, status.created_at, status.at) == ("news", "open", db.clock(), db.clock())
    assert status.judges == ()
    pair = one_pair(db)
    assert (pair.name, pair.segments, pair.comparable, pair.systems) == ("fr-en", 12, 12, SYSTEMS)
    assert (pair.answered, pair.open, pair.held, pair.skipped, pair.least, pair.most) == (0, 0, 0, 0, 0, 0)
    assert (pair.judges_at_work, pair.enough) == (0, False)


def test_segments_without_a_choice_are_told_apart(db: Database) -> None:
    texts = sample_texts(4, ("A", "B"))
    texts.outputs["A"] = (texts.outputs["B"][0], *texts.outputs["A"][1:])  # type: ignore[index]
    new_campaign(db, texts)
    assert (one_pair(db).segments, one_pair(db).comparable) == (4, 3)


def test_screens_are_open_until_they_are_answered(db: Database) -> None:
    new_campaign(db, **{"hit.screens": 3})
    ann = new_judge(db)
    next_view(db, ann)
    pair, judge = one_pair(db), one_judge(db)
    assert (pair.answered, pair.open, pair.held, pair.judges_at_work) == (0, 3, 3, 1)
    assert (judge.done, judge.target, judge.at_work, judge.last) == (0, 30, True, None)
    judge_screens(db, ann, 3)
    pair, judge = one_pair(db), one_judge(db)
    assert (pair.answered, pair.open, pair.held, pair.judges_at_work) == (3, 0, 0, 0)
    assert (judge.done, judge.skipped, judge.at_work, judge.last) == (3, 0, False, db.clock())


def test_work_that_was_left_is_open_but_in_nobodys_hands(db: Database, clock: Clock) -> None:
    new_campaign(db, **{"hit.screens": 3, "hit.lease_minutes": 60})
    judge_screens(db, new_judge(db), 1)
    clock.forward(minutes=61)
    pair = one_pair(db)
    assert (pair.answered, pair.open, pair.held, pair.judges_at_work) == (1, 2, 0, 0)
    assert not one_judge(db).at_work


def test_a_screen_for_two_judges_waits_for_two_answers(db: Database) -> None:
    new_campaign(db, **{"hit.screens": 2, "overlap.redundancy": 2})
    ann, bob = new_judge(db, "ann"), new_judge(db, "bob")
    next_view(db, ann)
    assert (one_pair(db).open, one_pair(db).held) == (4, 2)
    judge_screens(db, ann, 2)
    assert (one_pair(db).answered, one_pair(db).open, one_pair(db).held) == (2, 2, 0)
    judge_screens(db, bob, 1)
    assert (one_pair(db).answered, one_pair(db).open, one_pair(db).held) == (3, 1, 1)


def test_a_skipped_screen_waits_for_someone_else(db: Database) -> None:
    new_campaign(db, **{"hit.screens": 1})
    ann = new_judge(db)
    view = next_view(db, ann)
    assert view is not None
    skip(db, ann, view)
    pair, judge = one_pair(db), one_judge(db)
    assert (pair.answered, pair.skipped, pair.open, pair.held) == (0, 1, 1, 0)
    assert (judge.done, judge.skipped) == (1, 1)


def test_a_screen_that_three_have_skipped_waits_for_nobody(db: Database) -> None:
    new_campaign(db, sample_texts(1), **{"hit.screens": 1})
    for name in ("ann", "bob", "eve"):
        judge = new_judge(db, name)
        view = next_view(db, judge)
        assert view is not None
        skip(db, judge, view)
    assert (one_pair(db).skipped, one_pair(db).open) == (3, 0)


def test_a_changed_answer_counts_as_it_is_now(db: Database) -> None:
    new_campaign(db, **{"hit.screens": 1})
    ann = new_judge(db)
    view = next_view(db, ann)
    assert view is not None
    answer(db, ann, view)
    submit(db, ann, view.id, Answer(skip="offensive"), submission="changed", revision=1)
    assert (one_pair(db).answered, one_pair(db).skipped) == (0, 1)
    assert (one_judge(db).done, one_judge(db).skipped) == (1, 1)


def test_practice_is_not_counted(db: Database) -> None:
    new_campaign(db, **{"judge.practice": True})
    judge_screens(db, new_judge(db), 1)
    pair = one_pair(db)
    assert (pair.answered, pair.open, pair.least, pair.most, one_judge(db).done) == (0, 0, 0, 0, 0)


# -- comparisons -----------------------------------------------------------------------------------------


def test_one_screen_of_five_leaves_five_pairs_of_six_systems_uncompared(db: Database) -> None:
    new_campaign(db, **{"screen.outputs": 5})
    judge_screens(db, new_judge(db), 1)
    assert (one_pair(db).least, one_pair(db).most) == (0, 1)


def test_every_screen_compares_the_only_two_systems(db: Database) -> None:
    new_campaign(db, sample_texts(6, ("A", "B")), **{"stop.per_pair": 4})
    judge_screens(db, new_judge(db), 3)
    assert (one_pair(db).least, one_pair(db).most, one_pair(db).enough) == (3, 3, False)
    judge_screens(db, new_judge(db, "bob"), 1)
    assert (one_pair(db).least, one_pair(db).most, one_pair(db).enough) == (4, 4, True)


# -- controls --------------------------------------------------------------------------------------------


def by_text(view: ScreenView, ranks: dict[str, int], other: int) -> list[int]:
    return [ranks.get(option.text, other) for option in view.options]


def judged(db: Database, judge: Person, ranks_of: Any) -> list[ScreenView]:
    """All screens there are, answered with the ranks that a function gives; the same work every time."""
    rng, done = Random(3), []
    while (view := next_view(db, judge, rng=rng)) is not None:
        answer(db, judge, view, ranks_of(view))
        done.append(view)
    return done


def wordy_texts() -> TestSet:
    """Texts that have no word in common, so that every damaged one is seen to be damaged."""
    segments = [Segment(f"seg{i}", None, f"Phrase {i}.", None) for i in range(12)]
    outputs = {s: [" ".join(f"{s}{i}word{j}" for j in range(9)) for i in range(12)] for s in SYSTEMS}
    return make(LanguagePair.parse("fr-en"), segments, outputs)


def strangers(view: ScreenView, known: set[str]) -> list[str]:
    return [option.text for option in view.options if option.text not in known]


@pytest.mark.parametrize(("rank_of_damaged", "caught"), [(5, True), (1, False)])
def test_damaged_outputs_ranked_below_their_original(db: Database, rank_of_damaged: int, caught: bool) -> None:
    texts = wordy_texts()
    known = {text for outputs in texts.outputs.values() for text in outputs}
    new_campaign(db, texts, **{"controls.degraded": 0.5})
    ranks = lambda view: by_text(view, dict.fromkeys(strangers(view, known), rank_of_damaged), 3)  # noqa: E731
    views = judged(db, new_judge(db), ranks)
    damaged = sum(len(strangers(view, known)) for view in views)
    assert 0 < damaged < 12
    for found in (one_pair(db).controls, one_judge(db).controls):
        assert (found.degraded, found.degraded_below) == (damaged, damaged if caught else 0)
        assert (found.reference, found.repeats) == (0, 0)


def test_a_damaged_output_tied_with_its_original_is_not_below_it(db: Database) -> None:
    new_campaign(db, wordy_texts(), **{"controls.degraded": 0.5})
    judged(db, new_judge(db), lambda view: [2] * len(view.options))
    found = one_pair(db).controls
    assert found.degraded > 0
    assert found.degraded_below == 0


@pytest.mark.parametrize(("rank_of_reference", "others", "top"), [(1, 2, True), (2, 2, True), (3, 2, False)])
def test_references_at_the_top(db: Database, rank_of_reference: int, others: int, top: bool) -> None:
    texts = sample_texts(12)
    references = {segment.reference: rank_of_reference for segment in texts.segments}
    new_campaign(db, texts, **{"controls.reference": 0.5, "screen.reference": False})
    views = judged(db, new_judge(db), lambda view: by_text(view, references, others))
    shown = sum(option.text in references for view in views for option in view.options)
    assert 0 < shown < 12
    found = one_pair(db).controls
    assert (found.reference, found.reference_top, found.degraded) == (shown, shown if top else 0, 0)


def in_order(view: ScreenView, *, backwards: bool = False) -> list[int]:
    texts = sorted((option.text for option in view.options), reverse=backwards)
    return [texts.index(option.text) + 1 for option in view.options]


@pytest.mark.parametrize("change_of_mind", [False, True])
def test_repeats_say_how_far_a_judge_agrees_with_themselves(db: Database, change_of_mind: bool) -> None:
    new_campaign(db, **{"controls.repeats": 0.5, "controls.repeat_after": 1, "screen.outputs": 4})
    seen: set[str] = set()

    def ranks(view: ScreenView) -> Sequence[int]:
        again = view.source in seen
        seen.add(view.source)
        return in_order(view, backwards=again and change_of_mind)

    views = judged(db, new_judge(db), ranks)
    repeats = len(views) - len(seen)
    assert repeats > 0
    found = one_judge(db).controls
    assert (found.repeats, found.repeated_pairs) == (repeats, 6 * repeats)  # four outputs make six pairs
    assert found.same_pairs == (0 if change_of_mind else 6 * repeats)
    assert one_pair(db).controls == found
    assert one_pair(db).answered == len(seen)
    assert one_judge(db).done == len(views)


# -- lists -----------------------------------------------------------------------------------------------


def test_campaigns_are_listed_with_what_was_answered_in_them(db: Database, clock: Clock) -> None:
    new_campaign(db, sample_texts(12), sample_texts(12, langs="de-en"))
    began = clock()
    clock.forward(days=1)
    new_campaign(db, name="other")
    judge_screens(db, new_judge(db, langs=["de-en"]), 4)
    new_judge(db, "ben")
    assert campaign_lines(db) == [
        CampaignLine("news", "open", ("fr-en", "de-en"), judges=2, answered=4, created_at=began, id=1),
        CampaignLine("other", "open", ("fr-en",), judges=0, answered=0, created_at=clock(), id=2),
    ]


def test_systems_are_named_with_how_often_they_were_compared(db: Database) -> None:
    new_campaign(db, sample_texts(12, ("B", "A")), sample_texts(12, ("A", "C"), "de-en"))
    judge_screens(db, new_judge(db, langs=["fr-en"]), 3)
    assert status_and_comparisons(db, "news")[1] == {"fr-en": {("A", "B"): 3}, "de-en": {("A", "C"): 0}}


def test_the_time_that_half_of_the_first_answers_took(db: Database) -> None:
    id = new_campaign(db)
    ann = new_judge(db)
    for number, seconds in enumerate((10.0, None, 40.0, 20.0)):
        view = next_view(db, ann)
        assert view is not None
        ranks = tuple(range(1, len(view.options) + 1))
        submit(db, ann, view.id, Answer(ranks), submission=f"{number}", seconds=seconds)
        submit(db, ann, view.id, Answer(ranks[::-1]), submission=f"{number}!", revision=1, seconds=1.0)
    assert median_seconds(db, id) == {ann.pseudonym: 20.0}


# -- the whole -------------------------------------------------------------------------------------------


def test_campaigns_and_pairs_of_one_database_are_kept_apart(db: Database) -> None:
    new_campaign(db, sample_texts(6), sample_texts(8, langs="de-en"))
    new_campaign(db, sample_texts(5), name="other")
    judge_screens(db, new_judge(db, langs=["de-en"]), 3)
    new_judge(db, "zoe", campaign="other")
    status = campaign_status(db, "news")
    assert [(p.name, p.segments, p.answered) for p in status.pairs] == [("fr-en", 6, 0), ("de-en", 8, 3)]
    assert [(j.name, j.langs, j.done) for j in status.judges] == [("ann", ("de-en",), 3)]
    assert [p.answered for p in campaign_status(db, "other").pairs] == [0]
    with pytest.raises(InputError, match="several campaigns, say which: news, other"):
        campaign_status(db, None)


def test_the_status_is_plain_json(db: Database) -> None:
    new_campaign(db)
    judge_screens(db, new_judge(db), 1)
    made = json.loads(json.dumps(campaign_status(db, None).to_dict()))
    assert made["at"] == "2026-03-01T12:00:00+00:00"
    assert made["until"] is None
    assert made["judges"][0]["last"] == made["at"]
    assert made["pairs"][0]["controls"]["repeats"] == 0
