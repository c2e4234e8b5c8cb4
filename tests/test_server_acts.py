"""What organisers decide on their pages while people judge: whose answers count, as plain forms."""

from __future__ import annotations

import re

import pytest
from fastapi import FastAPI
from manage_pages import ALL_SHOWN, HOME, HOSTILE, events, rows, words
from stores import judge_screens, new_campaign, new_judge, sample_texts
from webs import Visitor, signed_in, staff

from palmares.campaign import Role
from palmares.campaign.database import Database
from palmares.campaign.left_out import left_out_of
from palmares.campaign.people import Person

pytestmark = pytest.mark.any_database


@pytest.fixture
def campaign(db: Database) -> int:
    return new_campaign(db, sample_texts(12, "ABC"), **ALL_SHOWN)


@pytest.fixture
def judge(db: Database, campaign: int) -> Person:
    judge = new_judge(db, "Ann Judge")
    judge_screens(db, judge, 3)
    return judge


@pytest.fixture
def organiser(app: FastAPI, campaign: int) -> Visitor:
    return staff(app, Role.ORGANISER, "Olga Organiser")


def out(db: Database) -> set[int]:
    with db.read() as tx:
        return set(left_out_of(tx, 1))


def test_a_judge_is_left_out_and_taken_back(db: Database, judge: Person, organiser: Visitor) -> None:
    here = f"{HOME}/people/{judge.pseudonym}"
    assert here in organiser.get(f"{HOME}/people").text
    page = organiser.get(here)
    assert page.status_code == 200
    assert "Yes, like those of everybody else." in page.text
    asked = organiser.get(f"{here}/leave-out")
    assert asked.status_code == 200
    refused = organiser.post(f"{here}/leave-out", data={"reason": " "})
    assert refused.status_code == 422
    assert "say why the answers do not count" in refused.text
    assert out(db) == set()
    done = organiser.post(f"{here}/leave-out", data={"reason": f"from the top {HOSTILE}"})
    assert done.status_code == 200
    assert "do not count any more" in words(done.text)
    assert HOSTILE not in done.text
    assert out(db) == {judge.id}
    assert "left out" in words(organiser.get(f"{HOME}/people").text)
    twice = organiser.post(f"{here}/leave-out", data={"reason": "again"})
    assert twice.status_code == 422
    assert "is left out already" in twice.text
    listed = organiser.get(f"{HOME}/people/left-out")
    assert rows(listed)[1][2:] == ["Ann Judge", "left out", f"from the top {HOSTILE}", "Olga Organiser"]
    organiser.get(f"{here}/take-back")
    back = organiser.post(f"{here}/take-back")
    assert "count again" in words(back.text)
    assert out(db) == set()
    log = [(event.kind, event.person, event.by) for event in events(db, 1, "left-out", "taken-back")]
    assert log == [("taken-back", "Ann Judge", "Olga Organiser"), ("left-out", "Ann Judge", "Olga Organiser")]


def test_only_organisers_decide_and_of_their_own_judges(
    app: FastAPI, db: Database, judge: Person, organiser: Visitor
) -> None:
    here = f"{HOME}/people/{judge.pseudonym}"
    paths = (here, f"{here}/leave-out", f"{here}/take-back", f"{HOME}/people/left-out")
    observer, judging = staff(app, Role.OBSERVER, "Otto Observer"), signed_in(app, judge)
    for path in paths:
        assert observer.get(path).status_code == 403
        assert judging.get(path).status_code in (401, 403)
    assert organiser.client.post(f"{here}/leave-out", data={"reason": "no token"}).status_code == 403
    assert organiser.get(f"{HOME}/people/judge-00000000").status_code == 404
    new_campaign(db, sample_texts(4, "ABC", "de-en"), name="other", **ALL_SHOWN)
    stranger = new_judge(db, "Eve", campaign="other")
    assert organiser.get(f"{HOME}/people/{stranger.pseudonym}/leave-out").status_code == 404
    organiser.get(f"{here}/leave-out")
    theirs = organiser.post(f"{HOME}/people/{stranger.pseudonym}/leave-out", data={"reason": "x"})
    assert theirs.status_code == 404
    assert out(db) == set()


def test_the_judge_notices_nothing(app: FastAPI, db: Database, judge: Person, organiser: Visitor) -> None:
    judging = signed_in(app, judge)
    before = once(judging.get("/c/news/judge").text)
    here = f"{HOME}/people/{judge.pseudonym}/leave-out"
    organiser.get(here)
    organiser.post(here, data={"reason": "from the top"})
    assert out(db) == {judge.id}
    assert once(judging.get("/c/news/judge").text) == before


def once(page: str) -> str:
    """A page of a judge without the number of its form, which every page has its own of."""
    return re.sub(r'(name="submission" value=)"[^"]*"', r"\1", page)
