"""The pages and commands of a crowd: the door of a group link, the way back, the end, the organiser's side."""

from __future__ import annotations

import csv
import io
import logging
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx2 as httpx
import pytest
import sqlalchemy as sa
from browsers import on_sqlite
from crowds import CONTROLLED, judged, new_crowd, who_is
from fastapi import FastAPI
from stores import Clock, new_judge, sample_texts
from webs import Visitor, signed_in, staff, visitor

from palmares.campaign import Role, schema
from palmares.campaign.create import add_pairs
from palmares.campaign.crowd import PlatformIds, enter
from palmares.campaign.database import Database, utc_now
from palmares.campaign.definition import change_state
from palmares.campaign.group_links import links, make_link, revoke_link
from palmares.campaign.history import recently_answered
from palmares.campaign.people import Person, invite, people
from palmares.campaign.workers import workers
from palmares.server.problems import WithoutTokens

pytestmark = pytest.mark.any_database
CODE = re.compile(r'<code id="shown-code"[^>]*>([A-Z0-9-]+)</code>')


def address(token: str, worker: str = "w1", **more: str) -> str:
    return f"/group/{token}?" + urlencode({"PROLIFIC_PID": worker, "STUDY_ID": "st", "SESSION_ID": "se", **more})


def ids(worker: str = "w1") -> dict[str, str]:
    return {"PROLIFIC_PID": worker, "STUDY_ID": "st", "SESSION_ID": "se"}


def shown_code(page: httpx.Response) -> str:
    found = CODE.search(page.text)
    assert found, page.text
    return found[1]


def come(app: FastAPI, token: str, worker: str = "w1") -> tuple[Visitor, str]:
    """A worker who has pressed the button, with the code they were shown."""
    guest = visitor(app)
    guest.get(address(token, worker))
    return guest, shown_code(guest.post(f"/group/{token}", ids(worker)))


def agree(guest: Visitor) -> httpx.Response:
    guest.get("/c/news/judge")
    return guest.post("/c/news/judge/welcome", {"accept": "yes"})


def the_worker(db: Database) -> Person:
    (person,) = [person for person in people(db, 1) if person.role is Role.JUDGE]
    return who_is(db, person)


# -- coming in -----------------------------------------------------------------------------------------------


def test_the_page_says_what_the_study_is_and_looking_changes_nothing(app: FastAPI, db: Database) -> None:
    token = new_crowd(db, **{"crowd.minutes": 12, "crowd.pay": "£2 <now>", "crowd.contact": "ann@example.org"})
    page = visitor(app).get(address(token))
    assert page.status_code == 200
    for part in ("news", "12 min", "£2 &lt;now&gt;", "ann@example.org"):
        assert part in page.text
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    with db.read() as tx:
        for table in (schema.person, schema.worker, schema.session, schema.rate):
            assert tx.execute(sa.select(sa.func.count()).select_from(table)).scalar_one() == 0


def test_the_button_shows_a_code_and_leads_to_the_welcome(app: FastAPI, db: Database) -> None:
    token = new_crowd(db)
    guest, code = come(app, token)
    assert re.fullmatch(r"([A-Z2-9]{4}-){2}[A-Z2-9]{4}", code)
    assert "PROLIFIC" not in str(guest.page.url)  # type: ignore[union-attr]
    assert guest.get(f"/group/{token}/code").text.count(code) == 1  # also after a reload, in whatever language
    assert code in guest.get(f"/group/{token}/code?ui=ar").text
    assert guest.get("/c/news/judge").url.path == "/c/news/judge/welcome"


def test_the_form_needs_the_page_of_the_link(app: FastAPI, db: Database) -> None:
    token = new_crowd(db)
    for path in (f"/group/{token}", f"/group/{token}/resume"):
        assert visitor(app).client.post(path, data={"csrf": "0" * 64, **ids()}).status_code == 403
    assert not workers(db, "news")


def test_changing_the_language_keeps_the_ids(app: FastAPI, db: Database) -> None:
    token = new_crowd(db)
    page = visitor(app).get(address(token, "a&b"))
    link = next(unescape(href) for href in re.findall(r'href="([^"]+)"', page.text) if href.endswith("ui=de"))
    guest = visitor(app)
    assert "Beginnen" in guest.get(link).text
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', guest.page.text))  # type: ignore[union-attr]
    assert unescape(fields["PROLIFIC_PID"]) == "a&b"


def test_the_same_browser_goes_on_and_another_is_asked_for_the_code(app: FastAPI, db: Database) -> None:
    token = new_crowd(db)
    guest, code = come(app, token)
    again = guest.get(address(token))
    assert "This browser knows you" in again.text
    assert "This browser knows you" in guest.get(f"/group/{token}").text  # the cookie says who it is
    other = visitor(app)
    assert "type the code" in other.get(address(token)).text
    assert other.post(f"/group/{token}", ids()).status_code == 403
    wrong = other.post(f"/group/{token}/resume", {**ids(), "code": "AAAA-AAAA-AAAA"})
    assert wrong.status_code == 422
    assert "This code is not right" in wrong.text
    assert 'value="AAAA-AAAA-AAAA" aria-invalid="true"' in wrong.text  # to be checked letter by letter
    reloaded = visitor(app).get(wrong.url.path)  # from the address bar: without the form, nobody is known
    assert (reloaded.status_code, reloaded.url.path) == (422, f"/group/{token}")
    right = other.post(f"/group/{token}/resume", {**ids(), "code": code.lower()})
    assert right.url.path == "/c/news/judge/welcome"
    assert len(workers(db, "news")) == 1


def test_wrong_codes_are_limited_and_then_right_ones_are_not_taken_either(
    app: FastAPI, db: Database, clock: Clock
) -> None:
    token = new_crowd(db, **{"limits.failed_joins_per_hour": 3})
    _, code = come(app, token)
    other = visitor(app)
    other.get(address(token))
    given = [*["A" * 12] * 3, code]
    found = []
    for each in given:
        other.get(address(token))
        found.append(other.post(f"/group/{token}/resume", {**ids(), "code": each}).status_code)
    assert found == [422, 422, 422, 429]
    clock.forward(hours=1)
    other.get(address(token))
    assert other.post(f"/group/{token}/resume", {**ids(), "code": code}).status_code == 200


def test_wrong_group_links_are_counted_with_wrong_invitations(app: FastAPI, db: Database) -> None:
    new_crowd(db, **{"limits.failed_joins_per_hour": 2})
    guest = visitor(app)
    paths = ["/group/x", "/join/x", "/group/y"]
    assert [guest.get(path).status_code for path in paths] == [404, 404, 429]


def test_who_signs_out_leaves_no_way_back_but_the_code(app: FastAPI, db: Database) -> None:
    token = new_crowd(db)
    guest, _ = come(app, token)
    guest.get("/c/news/judge")
    guest.post("/leave/news")
    assert "type the code" in guest.get(address(token)).text
    assert guest.post(f"/group/{token}", ids()).status_code == 403


def test_another_worker_in_the_same_browser_ends_the_session_of_the_first(app: FastAPI, db: Database) -> None:
    token = new_crowd(db)
    guest, first = come(app, token)
    page = guest.get(address(token, "w2"))
    assert "This browser is signed in as judge-" in page.text
    second = shown_code(guest.post(f"/group/{token}", ids("w2")))
    assert first != second
    assert "type the code" in guest.get(address(token)).text
    assert len(workers(db, "news")) == 2


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", "Your participant ID is missing"),
        ("?PROLIFIC_PID=", "Your participant ID is missing"),
        ("?PROLIFIC_PID=%7B%7B%25PROLIFIC_PID%25%7D%7D", "Your participant ID is missing"),
        ("?PROLIFIC_PID=" + "x" * 201, "Your participant ID cannot be read"),
        ("?PROLIFIC_PID=a%00b", "Your participant ID cannot be read"),
        ("?PROLIFIC_PID=a&STUDY_ID=%0A", "Your participant ID cannot be read"),
    ],
)
def test_ids_that_are_missing_or_cannot_be_are_refused_in_words(
    app: FastAPI, db: Database, query: str, words: str
) -> None:
    token = new_crowd(db)
    guest = visitor(app)
    page = guest.get(f"/group/{token}{query}")
    assert page.status_code == 422
    assert words in page.text
    guest.get(address(token))
    forged = guest.post(f"/group/{token}", {"PROLIFIC_PID": "x" * 201})
    assert forged.status_code == 422
    assert not workers(db, "news")


def test_without_ids_a_code_can_be_typed_on_the_first_page(app: FastAPI, db: Database) -> None:
    token = new_crowd(db, places=1, **{"crowd.worker_id_needed": False})
    guest = visitor(app)
    guest.get(f"/group/{token}")
    code = shown_code(guest.post(f"/group/{token}"))
    other = visitor(app)
    full = other.get(f"/group/{token}")
    assert "All places are taken" in full.text
    assert other.post(f"/group/{token}/resume", {"code": code}).url.path == "/c/news/judge/welcome"
    assert len(workers(db, "news")) == 1


@pytest.mark.parametrize(
    ("why", "status", "words"),
    [
        ("full", 200, "All places are taken"),
        ("revoked", 410, "The organiser has withdrawn the link"),
        ("expired", 410, "The time in which one could begin is over"),
        ("paused", 200, "The study is paused"),
        ("closed", 200, "The study is closed"),
    ],
)
def test_a_shut_door_says_why(app: FastAPI, db: Database, clock: Clock, why: str, status: int, words: str) -> None:
    token = new_crowd(db, places=1, days=1)
    guest = visitor(app)
    guest.get(address(token))  # the page lies open while the door is shut
    if why == "full":
        enter(db, token, PlatformIds("other"), "s")
    elif why == "revoked":
        revoke_link(db, "news", "link-1")
    elif why == "expired":
        clock.forward(days=1)
    else:
        change_state(db, "news", why)
    before = len(workers(db, "news"))
    pressed, looked = guest.post(f"/group/{token}", ids()), visitor(app).get(address(token))
    for page in (pressed, looked):
        assert page.status_code == status
        assert words in page.text
    assert len(workers(db, "news")) == before


def test_tokens_and_ids_stay_out_of_logs() -> None:
    args = ("1.2.3.4", "GET", "/eval/group/SECRET?PROLIFIC_PID=WHO&x=1")
    record = logging.LogRecord("uvicorn.access", 20, "", 0, '%s "%s %s"', args, None)
    assert WithoutTokens().filter(record)
    assert record.getMessage() == '1.2.3.4 "GET /eval/group/…"'


# -- the end ---------------------------------------------------------------------------------------------------


def test_the_last_page_has_the_code_the_way_back_and_the_time(app: FastAPI, db: Database, clock: Clock) -> None:
    token = new_crowd(db, **{"crowd.completion_url": "https://example.org/?cc={code}", "crowd.pay": "two pounds"})
    guest, _ = come(app, token)
    agree(guest)
    person = the_worker(db)
    judged(db, person, seconds=100.0)
    assert guest.get("/c/news/judge/finished").url.path.startswith("/c/news/judge/screens/")
    clock.forward(minutes=5)
    judged(db, person, seconds=80.0)
    page = guest.get("/c/news/judge")
    assert page.url.path == "/c/news/judge/finished"
    (line,) = workers(db, "news")
    assert shown_code(page) == line.completion_code
    assert f'href="https://example.org/?cc={line.completion_code}"' in page.text
    for part in ("3 min", "12:00", "12:05", "two pounds", "Screens judged: 2"):
        assert part in page.text
    assert "Go on judging" not in page.text
    assert guest.get("/c/news/judge?more=1").url.path == "/c/news/judge/finished"
    work = guest.client.get("/api/v1/news/work").json()
    assert work["screen"] is None


def test_a_worker_may_go_on_where_there_is_a_most(app: FastAPI, db: Database) -> None:
    token = new_crowd(db, **{"judge.most": 3})
    guest, _ = come(app, token)
    agree(guest)
    for _ in range(2):
        judged(db, the_worker(db))
    assert "Go on judging" in guest.get("/c/news/judge").text
    assert guest.get("/c/news/judge?more=1").url.path.startswith("/c/news/judge/screens/")
    judged(db, the_worker(db))
    assert "Go on judging" not in guest.get("/c/news/judge?more=1").text


def test_who_is_screened_out_is_told_kindly_and_led_back(app: FastAPI, db: Database) -> None:
    out = {"crowd.screened_out_code": "OUT1", "crowd.screened_out_url": "https://example.org/?cc={code}"}
    token = new_crowd(db, places=1, **CONTROLLED, **out, **{"crowd.screen_out_after": 1})
    guest, _ = come(app, token)
    agree(guest)
    person = the_worker(db)
    while not judged(db, person, careful=False):
        pass
    page = guest.get("/c/news/judge")
    assert "Thank you for your time" in page.text
    assert 'href="https://example.org/?cc=OUT1"' in page.text
    (last,) = recently_answered(db, person)[:1]
    assert guest.get(f"/c/news/judge/screens/{last}").url.path == "/c/news/judge/finished"  # nothing can be changed now
    assert "takes nobody" not in visitor(app).get(address(token, "w2")).text
    assert visitor(app).get(address(token, "w2")).text.count("Begin<") == 1  # the place is free again


def test_who_comes_back_too_late_is_told_so(app: FastAPI, db: Database, clock: Clock) -> None:
    token = new_crowd(db, places=1)
    guest, _ = come(app, token)
    agree(guest)
    judged(db, the_worker(db))
    clock.forward(hours=2)
    enter(db, token, PlatformIds("w2"), "s")
    assert "Your place was given to someone else" in guest.get("/c/news/judge").text
    clock.forward(hours=2)  # now the other one is silent
    assert guest.get("/c/news/judge").url.path.startswith("/c/news/judge/screens/")


def test_invited_judges_read_about_time_pay_and_contact_too(app: FastAPI, db: Database) -> None:
    new_crowd(db, **{"crowd.minutes": 7, "crowd.pay": "a cake", "crowd.contact": "room 12", "judge.screens": 1})
    ann = new_judge(db)
    bob = signed_in(app, new_judge(db, "bob"))
    with db.begin() as tx:
        tx.execute(schema.person.update().where(schema.person.c.name == "bob").values(consented_at=None))
    for part in ("7 min", "a cake", "room 12"):
        assert part in bob.get("/c/news/judge").text
    judged(db, ann)
    assert "room 12" in signed_in(app, ann).get("/c/news/judge").text


def test_nobody_reads_about_what_is_not_set(app: FastAPI, db: Database) -> None:
    new_crowd(db)
    ann = new_judge(db)
    for _ in range(2):
        judged(db, ann)
    assert 'class="ranking facts"' not in signed_in(app, ann).get("/c/news/judge").text


# -- the organiser's side ------------------------------------------------------------------------------------------


def test_an_organiser_makes_and_revokes_links(app: FastAPI, db: Database) -> None:
    new_crowd(db)
    add_pairs(db, "news", [sample_texts(4, ("A", "B"), "de-en")])
    boss = staff(app, Role.ORGANISER)
    boss.get("/c/news/manage/crowd")
    page = boss.post("/c/news/manage/crowd", {"places": "7", "name": "second <b>", "days": "2", "langs": "de-en"})
    found = re.search(r"/group/([\w-]{43})<", page.text)
    assert found
    assert "second &lt;b&gt;" in page.text
    status = links(db, 1)[1]
    assert (status.link.places, status.link.langs) == (7, ("de-en",))
    guest = visitor(app)
    assert guest.get(address(found[1])).status_code == 200
    page = boss.get("/c/news/manage/crowd")
    page = boss.post(f"/c/news/manage/crowd/links/{status.link.id}/revoke")
    assert "lets nobody new in any more" in page.text
    assert links(db, 1)[1].state == "revoked"
    assert boss.post("/c/news/manage/crowd/links/99/revoke").status_code == 404


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"places": ""}, "places: got &#39;&#39;; allowed: a whole number"),
        ({"places": "0"}, "places: got 0; allowed: 1 to 1000000"),
        ({"places": "3", "days": "-1"}, "days: got &#39;-1&#39;; allowed: a whole number"),
        ({"places": "3", "name": "link-1"}, "is there already; choose another name"),
    ],
)
def test_what_cannot_be_comes_back_with_what_was_entered(
    app: FastAPI, db: Database, fields: dict[str, str], words: str
) -> None:
    new_crowd(db)
    boss = staff(app, Role.ORGANISER)
    boss.get("/c/news/manage/crowd")
    page = boss.post("/c/news/manage/crowd", fields)
    assert page.status_code == 422
    assert words in page.text
    for value in fields.values():
        assert f'value="{value}"' in page.text


def test_the_file_of_workers_is_downloaded_on_record(app: FastAPI, db: Database) -> None:
    come(app, new_crowd(db), "+w1")
    boss = staff(app, Role.ORGANISER)
    answer = boss.get("/c/news/manage/workers.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    assert 'filename="news-workers.csv"' in answer.headers["content-disposition"]
    (line,) = csv.DictReader(io.StringIO(answer.text))
    assert (line["worker"], line["state"], line["study"]) == ("'+w1", "working", "st")
    assert "exported" in boss.get("/c/news/manage/log").text


def test_ids_are_erased_after_a_question(app: FastAPI, db: Database) -> None:
    come(app, new_crowd(db), "w-secret")
    pseudonym = the_worker(db).pseudonym
    boss = staff(app, Role.ORGANISER)
    assert "w-secret" in boss.get("/c/news/manage/crowd").text
    assert "This cannot be undone" in boss.get(f"/c/news/manage/crowd/workers/{pseudonym}/erase").text
    page = boss.post(f"/c/news/manage/crowd/workers/{pseudonym}/erase")
    assert "were erased" in page.text
    assert "w-secret" not in page.text
    assert boss.get("/c/news/manage/crowd/workers/nobody/erase").status_code == 404


@on_sqlite
def test_ids_that_are_still_in_the_log_file_are_not_called_gone(
    app: FastAPI, db: Database, ok: Callable[..., Any], database_url: str
) -> None:
    come(app, new_crowd(db), "w-secret")
    pseudonym, boss = the_worker(db).pseudonym, staff(app, Role.ORGANISER)
    boss.get(f"/c/news/manage/crowd/workers/{pseudonym}/erase")
    with db.read() as tx:  # someone who reads what was there before
        tx.execute(sa.select(schema.worker)).all()
        page = boss.post(f"/c/news/manage/crowd/workers/{pseudonym}/erase")
        assert "write-ahead log still holds them" in page.text
        said = ok("campaign", "forget-worker", "news", pseudonym, "--yes", "--database", database_url).err
        assert "still holds them" in said
    assert "were erased." in boss.post(f"/c/news/manage/crowd/workers/{pseudonym}/erase").text


def test_a_worker_is_shut_out_for_good_or_gets_a_link_of_their_own(app: FastAPI, db: Database) -> None:
    token = new_crowd(db)
    guest, code = come(app, token)
    person, boss = the_worker(db), staff(app, Role.ORGANISER)
    assert f"/people/{person.pseudonym}/revoke" in boss.get("/c/news/manage/crowd").text
    boss.post(f"/c/news/manage/people/{person.pseudonym}/revoke")
    assert guest.get("/c/news/judge").status_code == 401
    guest.get(address(token))
    assert guest.post(f"/group/{token}/resume", {**ids(), "code": code}).status_code == 422
    # Who has lost the code, and is known to the organiser, is let in by an invitation.
    assert visitor(app).join(invite(db, person)).url.path == "/c/news/judge/welcome"


def test_an_observer_sees_no_ids(app: FastAPI, db: Database) -> None:
    come(app, new_crowd(db))
    eve = staff(app, Role.OBSERVER)
    for path in ("crowd", "workers.csv"):
        assert eve.get(f"/c/news/manage/{path}").status_code == 403
    assert "/manage/crowd" not in eve.get("/c/news/manage").text


# -- commands ------------------------------------------------------------------------------------------------------


@pytest.fixture
def place(database_url: str, clock: Clock) -> tuple[str, str]:
    """Where commands find the database; the test's clock is set to theirs."""
    clock.now = utc_now()
    return ("--database", database_url)


def test_a_link_is_made_listed_and_revoked_by_commands(
    ok: Callable[..., Any], refused: Callable[..., str], db: Database, place: tuple[str, str], app: FastAPI
) -> None:
    new_crowd(db)
    made = ok("campaign", "group-link", "news", "--places", 5, "--name", "prolific", "--langs", "fr-en", "--days", 3,
              "--address", "https://example.org/eval/", "--format", "json", *place)  # fmt: skip
    (link,) = made.json
    assert link["link"].startswith("https://example.org/eval/group/")
    assert (link["name"], link["places"], link["langs"]) == ("prolific", 5, ["fr-en"])
    listed = csv.DictReader(ok("campaign", "group-links", "news", "--format", "csv", *place).out.splitlines())
    assert link["expires_at"] in [row["until"] for row in listed]  # programs get moments in full
    assert "pay by the platform's list" in made.err
    token = link["link"].rpartition("/")[2]
    come(app, token)
    (_, status) = ok("campaign", "group-links", "news", "--format", "json", *place).json
    assert (status["taken"], status["workers"]["working"], status["state"]) == (1, 1, "open")
    revoked = ok("campaign", "group-links", "news", "--revoke", "prolific", *place)
    assert "prolific: lets nobody new in any more" in revoked.err
    assert "revoked" in revoked.out
    assert refused("campaign", "group-links", "news", "--revoke", "x", *place) == (
        "group link: got 'x'; campaign 'news' has: link-1, prolific"
    )


def test_workers_are_written_and_forgotten_by_commands(
    ok: Callable[..., Any], refused: Callable[..., str], db: Database, place: tuple[str, str], tmp_path: Path
) -> None:
    token = new_crowd(db)
    enter(db, token, PlatformIds("@w1", "st"), "s")
    printed = ok("campaign", "workers", "news", *place).out
    (line,) = csv.DictReader(io.StringIO(printed))
    assert line["worker"] == "'@w1"
    out = tmp_path / "workers.csv"
    assert "wrote 1 workers" in ok("campaign", "workers", "--output", out, "--formulas", "keep", *place).err
    (line,) = csv.DictReader(io.StringIO(out.read_text(encoding="utf-8")))
    assert line["worker"] == "@w1"
    assert "a spreadsheet would run" in refused("campaign", "workers", "news", "--formulas", "refuse", *place)
    assert "cannot be written" in refused("campaign", "workers", "news", "--output", tmp_path / "no" / "x", *place)
    assert "give --yes" in refused("campaign", "forget-worker", "news", "@w1", *place)
    assert "were erased" in ok("campaign", "forget-worker", "news", "@w1", "--yes", *place).err
    assert [line.worker for line in workers(db, "news")] == [None]


def test_two_links_of_one_campaign_know_the_same_workers(app: FastAPI, db: Database) -> None:
    token = new_crowd(db)
    _, other = make_link(db, "news", places=3)
    come(app, token)
    assert "type the code" in visitor(app).get(address(other)).text
