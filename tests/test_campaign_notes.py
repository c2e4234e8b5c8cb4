"""What judges wrote beside their answers: the latest word of each, with the screen it is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from stores import Clock, new_campaign, new_judge, next_view, sample_texts

from palmares.campaign.answers import Answer, submit
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings
from palmares.campaign.notes import KINDS, NoteCounts, ShownOutput, count_notes, notes, screen_of
from palmares.campaign.people import Person
from palmares.campaign.screens import ScreenView
from palmares.campaign.settings import Settings

TWO = {"screen.outputs": 2}


def say(db: Database, judge: Person, given: Answer) -> ScreenView:
    view = next_view(db, judge)
    assert view is not None
    submit(db, judge, view.id, given, submission="s")
    return view


def test_a_note_comes_with_its_screen(db: Database, clock: Clock) -> None:
    id = new_campaign(db, sample_texts(4, ("A", "B")), **TWO)
    ann = new_judge(db)
    view = say(db, ann, Answer((2, 1), note="cut off", problem=True))
    (note,) = notes(db, id)
    assert (note.note, note.problem, note.practice, note.at) == ("cut off", True, False, clock.now)
    assert (note.name, note.pseudonym, note.lang_pair) == ("ann", ann.pseudonym, "fr-en")
    assert (note.source, note.reference) == (view.source, view.reference)
    systems = {"one": ("A",), "two": ("B",)}  # every output says which system it is of
    assert note.outputs == tuple(
        ShownOutput(option.text, "system", systems[option.text.split()[3]], rank)
        for option, rank in zip(view.options, (2, 1), strict=True)
    )
    assert note.skip is note.verdict is None


def test_what_counts_is_the_latest_answer(db: Database) -> None:
    id = new_campaign(db, sample_texts(4, ("A", "B")), **TWO)
    ann = new_judge(db)
    first = say(db, ann, Answer((1, 2), note="first thought", problem=True))
    submit(db, ann, first.id, Answer((1, 2), note="second thought"), submission="t", revision=1)
    second = say(db, ann, Answer((1, 2), note="taken back"))
    submit(db, ann, second.id, Answer((2, 1)), submission="t", revision=1)
    say(db, ann, Answer((1, 1)))
    assert [(note.note, note.problem) for note in notes(db, id)] == [("second thought", False)]
    assert count_notes(db, id) == NoteCounts(1, 0)


def test_notes_of_practice_and_of_other_campaigns(db: Database) -> None:
    id = new_campaign(db, sample_texts(4, ("A", "B")), **TWO)
    other = new_campaign(db, sample_texts(4, ("A", "B")), name="other", **TWO)
    change_settings(db, "news", Settings().replace(**TWO))  # with practice
    say(db, new_judge(db), Answer(skip="technical", note="no text", problem=True))
    say(db, new_judge(db, campaign="other"), Answer((1, 2), note="elsewhere"))
    (note,) = notes(db, id)
    assert (note.practice, note.skip, note.outputs[0].rank) == (True, "technical", None)
    assert [each.note for each in notes(db, other)] == ["elsewhere"]
    assert (count_notes(db, id), count_notes(db, other)) == (NoteCounts(1, 1, 1), NoteCounts(1, 0))


def test_notes_newest_first_in_parts(db: Database) -> None:
    id = new_campaign(db, sample_texts(8, ("A", "B")), **TWO)
    ann = new_judge(db)
    for number in range(5):
        say(db, ann, Answer((1, 2), note=str(number), problem=number % 2 == 0))
    first = notes(db, id, limit=2)
    rest = notes(db, id, limit=9, before=first[-1].id)
    assert [[note.note for note in part] for part in (first, rest)] == [["4", "3"], ["2", "1", "0"]]
    assert [note.note for note in notes(db, id, problems=True)] == ["4", "2", "0"]
    assert first[0].to_dict()["at"].endswith("+00:00")


def test_notes_of_one_kind_and_the_screen_behind_them(db: Database) -> None:
    id = new_campaign(db, sample_texts(8, ("A", "B")), **TWO)
    ann, bob = new_judge(db), new_judge(db, "bob")
    say(db, ann, Answer((1, 2), note="a word"))
    problem = say(db, ann, Answer((1, 2), note="a problem", problem=True))
    silent = say(db, bob, Answer(skip="technical"))
    say(db, bob, Answer((2, 1)))
    found = {kind: [(note.name, note.note) for note in notes(db, id, kind=kind)] for kind in KINDS}
    assert found == {
        "note": [("ann", "a problem"), ("ann", "a word")],
        "comment": [("ann", "a word")],
        "problem": [("ann", "a problem")],
        "skipped": [("bob", None)],
        "any": [("bob", None), ("ann", "a problem"), ("ann", "a word")],
    }
    assert [note.name for note in notes(db, id, kind="any", judge=bob.pseudonym)] == ["bob"]
    assert notes(db, id, lang_pair="de-en") == []
    for view, ranks, skip in ((problem, (1, 2), None), (silent, (None, None), "technical")):
        number = next(n.id for n in notes(db, id, kind="any") if n.source == view.source)
        behind = screen_of(db, id, number)
        assert behind is not None
        assert (behind[1].options, behind[1].ranks, behind[1].skipped) == (view.options, ranks, skip)
    assert screen_of(db, id + 1, 1) is None


@pytest.mark.any_database
def test_kinds_on_the_command_line(
    db: Database, database_url: str, ok: Callable[..., Any], refused: Callable[..., str]
) -> None:
    new_campaign(db, sample_texts(8, ("A", "B")), **TWO)
    ann, bob = new_judge(db), new_judge(db, "bob")
    say(db, ann, Answer((1, 2), note="a word"))
    say(db, bob, Answer(skip="technical"))
    place = ("--format", "json", "--database", database_url)
    assert [note["note"] for note in ok("campaign", "notes", *place).json] == ["a word"]
    assert [note["note"] for note in ok("campaign", "notes", "--kind", "any", *place).json] == [None, "a word"]
    of_bob = ok("campaign", "notes", "--kind", "any", "--judge", "bob", *place).json
    assert [(note["name"], note["skip"]) for note in of_bob] == [("bob", "technical")]
    assert "skipped: technical" in ok("campaign", "notes", "--kind", "skipped", *place[2:]).out
    assert "no one called 'eve'" in refused("campaign", "notes", "--judge", "eve", *place)
