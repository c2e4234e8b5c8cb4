"""What organisers decide on their pages: whose answers count, when it ends, what the public sees; as plain forms."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fastapi import FastAPI
from manage_pages import ALL_SHOWN, HOME, HOSTILE, events, rows, words
from stores import Clock, answer, judge_screens, new_campaign, new_judge, next_view, sample_texts
from webs import Visitor, signed_in, staff, visitor

from palmares.campaign import Role, schema
from palmares.campaign.database import Database
from palmares.campaign.export import export
from palmares.campaign.left_out import leave_out, left_out_of
from palmares.campaign.people import Person
from palmares.campaign.publications import publish, requests, withdraw
from palmares.campaign.revealing import reveal, revealed_at
from palmares.errors import InputError
from palmares.server.manage_publish import REPORT_POLICY
from palmares.server.reporting import Maker

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


def test_downloads_mark_who_is_left_out_or_do_without(db: Database, judge: Person, organiser: Visitor) -> None:
    judge_screens(db, new_judge(db, "bob"), 1)
    assert "left out" not in words(organiser.get(f"{HOME}/export").text)
    leave_out(db, judge, "from the top")
    assert "3 of the answered screens are of judges who are left out." in words(organiser.get(f"{HOME}/export").text)
    rows = list(csv.DictReader(io.StringIO(organiser.get(f"{HOME}/export/judgments?format=csv").text)))
    assert [float(row["extra.left_out"]) for row in rows] == [1.0] * 9 + [0.0] * 3
    for format in ("wmt", "appraise"):
        text = organiser.get(f"{HOME}/export/judgments?format={format}").text
        assert judge.pseudonym not in text
        assert "judge-" in text


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


# -- the end: state, names, the report -------------------------------------------------------------------


@pytest.fixture
def judged(db: Database, campaign: int) -> None:
    """Two judges who answer by chance: enough for a report."""
    rng = Random(3)
    for name in ("ann", "bob"):
        judge = new_judge(db, name)
        for _ in range(8):
            view = next_view(db, judge, rng=rng)
            assert view is not None
            answer(db, judge, view, [rng.randint(1, 3) for _ in range(3)])


def test_state_and_names_are_changed_after_a_question(app: FastAPI, db: Database, organiser: Visitor) -> None:
    here = f"{HOME}/publish"
    asked = organiser.get(f"{here}/state?to=closed")
    assert "no answers are taken any more" in words(asked.text)
    done = organiser.post(f"{here}/state", data={"to": "closed"})
    assert "The campaign is closed." in words(done.text)
    assert organiser.get(f"{here}/state?to=gone").status_code == 404
    organiser.get(f"{here}/state?to=open")
    assert organiser.post(f"{here}/state", data={"to": "gone"}).status_code == 422
    asked = organiser.get(f"{here}/reveal")
    assert "This cannot be undone." in asked.text
    told = organiser.post(f"{here}/reveal")
    assert "Observers are told which system is which." in words(told.text)
    assert "revealed already" in organiser.get(f"{here}/reveal").text
    assert not reveal(db, "news")
    kinds = [event.kind for event in events(db, 1, "state-changed", "names-revealed")]
    assert kinds == ["names-revealed", "state-changed"]
    observer = staff(app, Role.OBSERVER, "Otto Observer")
    for path in ("", "/state?to=open", "/reveal", "/withdraw", "/1/report"):
        assert observer.get(f"{here}{path}").status_code == 403


@pytest.mark.slow
def test_a_report_is_published_withdrawn_and_published_anew(
    app: FastAPI, db: Database, clock: Clock, judged: None, organiser: Visitor, tmp_path: Path, ok: Callable[..., Any]
) -> None:
    here, stranger = f"{HOME}/publish", visitor(app)
    nothing = stranger.get("/c/nowhere/report")
    assert nothing.status_code == 404

    for odd in ("%00", "a%00b", "%F0%9F%98%80", "news%2F..", "NEWS", "n" * 3000):
        assert stranger.get(f"/c/{odd}/report").status_code == 404, odd

    def hidden() -> None:
        answered = stranger.get("/c/news/report")
        assert (answered.status_code, answered.text) == (404, nothing.text)
        assert {k: v for k, v in answered.headers.items() if k != "date"} == dict(nothing.headers)

    hidden()
    organiser.get(here)
    unsure = organiser.post(here, data={"not_before": ""})
    assert (unsure.status_code, requests(db, 1)) == (422, [])
    later = {"not_before": "2026-03-02T12:00", "sure": "yes"}
    for wrong in ("yesterday", "2026-02-01T12:00", "2099-01-01T00:00", "0001-01-01T00:00+20:00", HOSTILE):
        refused = organiser.post(here, data={**later, "not_before": wrong})
        assert refused.status_code == 422
        assert "not before: got" in refused.text
        assert HOSTILE not in refused.text
    asked = organiser.post(here, data=later)
    assert "The report is being made." in words(asked.text)
    with db.read() as tx:
        assert revealed_at(tx, 1) is not None
    with pytest.raises(InputError, match="is being made already"):
        publish(db, "news")
    hidden()
    judge_screens(db, new_judge(db, "cid"), 1)  # comes too late for it
    assert Maker(db).look() == 1
    hidden()
    preview = organiser.get(f"{here}/1/report")
    assert preview.headers["content-security-policy"] == REPORT_POLICY
    assert "not public yet" in words(organiser.get(here).text)
    clock.forward(days=1)
    seen = stranger.get("/c/news/report")
    assert seen.content == preview.content
    assert seen.headers["content-security-policy"] == REPORT_POLICY
    assert "<script>" not in seen.text
    assert "onload" not in seen.text
    # Anybody with the export can make it again.
    (tmp_path / "news.html").write_bytes(seen.content)
    export(db, "news", tmp_path / "news.csv", upto=requests(db, 1)[0].answer, left_out_as_of=0)
    assert ok("verify", tmp_path / "news.html", tmp_path / "news.csv").status == 0
    organiser.get(f"{here}/withdraw")
    gone = organiser.post(f"{here}/withdraw")
    assert "The public sees nothing any more." in words(gone.text)
    hidden()
    assert organiser.post(f"{here}/withdraw").status_code == 422
    organiser.get(here)
    organiser.post(here, data={"sure": "yes"})
    Maker(db).look()
    anew = stranger.get("/c/news/report")
    assert anew.status_code == 200
    assert anew.content != seen.content
    kinds = {event.kind for event in events(db, 1, *_PUBLISHING)}
    assert kinds == set(_PUBLISHING)


_PUBLISHING = ("publication-asked", "report-made", "publication-withdrawn", "names-revealed")


def test_what_goes_wrong_is_said_in_words(db: Database, judge: Person, organiser: Visitor) -> None:
    """One judge who never contradicts themself: there is no report of that."""
    organiser.get(f"{HOME}/publish")
    organiser.post(f"{HOME}/publish", data={"sure": "yes"})
    maker = Maker(db)
    with db.begin() as tx:  # as if a program of another version had asked for what this one does not know
        tx.execute(schema.publication.update().values(left_out=99))
    maker.look()
    assert "could not be made: left out as of: got 99" in words(organiser.get(f"{HOME}/publish").text)
    assert maker.look() == 0
    publish(db, "news")
    withdraw(db, "news")
    assert maker.look() == 0
    with pytest.raises(InputError, match="nothing is published"):
        withdraw(db, "news")


def test_a_campaign_without_judgments_has_no_report(db: Database, organiser: Visitor) -> None:
    organiser.get(f"{HOME}/publish")
    refused = organiser.post(f"{HOME}/publish", data={"sure": "yes"})
    assert refused.status_code == 422
    assert "has no judgments yet" in words(refused.text)
    with db.read() as tx:
        assert revealed_at(tx, 1) is None
