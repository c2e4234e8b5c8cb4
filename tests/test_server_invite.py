"""Who is invited and what they say, on the organiser's pages: lists of people, links, languages, notes."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from html import unescape
from urllib.parse import unquote

import httpx2 as httpx
import pytest
from fastapi import FastAPI
from manage_pages import ALL_SHOWN, HOME, HOSTILE, SYSTEMS, events, everything, link_on, rows, words
from stores import new_campaign, new_judge, next_view, sample_texts
from webs import Visitor, staff, visitor

from palmares.campaign import Role
from palmares.campaign.answers import Answer, submit
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings, settings_of
from palmares.campaign.notes import notes
from palmares.campaign.people import Person, add_person, find_person, invite, people, pseudonymise, redeem
from palmares.campaign.revealing import reveal
from palmares.server import manage_notes
from palmares.server.app import create_app
from palmares.server.config import ServerConfig

pytestmark = pytest.mark.any_database


@pytest.fixture(autouse=True)
def campaign(db: Database) -> int:
    return new_campaign(db, sample_texts(12, SYSTEMS), sample_texts(4, SYSTEMS, "de-en"), **ALL_SHOWN)


@pytest.fixture
def organiser(app: FastAPI) -> Visitor:
    return staff(app, Role.ORGANISER, "Olga Organiser")


@pytest.fixture
def observer(app: FastAPI) -> Visitor:
    return staff(app, Role.OBSERVER, "Otto Observer")


# -- links follow the address, not the request -----------------------------------------------------------------


@dataclass(frozen=True)
class Addressed(ServerConfig):
    """A server that knows its public address."""

    address: str | None = None


def test_links_begin_with_the_configured_address_whatever_the_request_says(db: Database) -> None:
    app = create_app(Addressed("unused", address="https://eval.example.org"), database=db)
    organiser = visitor(app, base_url="https://eval.example.org")
    organiser.join(invite(db, add_person(db, "news", Role.ORGANISER, "Olga")))
    organiser.get(f"{HOME}/people")
    page = organiser.post(f"{HOME}/people", {"name": "Zoë", "role": "judge"}, headers={"Host": "evil.example"})
    assert link_on(page).startswith("https://eval.example.org/join/")
    assert "evil.example" not in page.text
    assert "Check the address" not in page.text


def test_without_a_configured_address_links_name_the_listener_and_the_page_says_so(organiser: Visitor) -> None:
    organiser.get(f"{HOME}/people")
    page = organiser.post(f"{HOME}/people", {"name": "Zoë", "role": "judge"}, headers={"Host": "evil.example"})
    assert link_on(page).startswith("http://testserver/join/")
    assert "evil.example" not in page.text
    assert "Check the address" in page.text
    organiser.get(f"{HOME}/people")
    page = organiser.post(f"{HOME}/people", {"name": "Yves", "role": "judge"}, headers={"Host": "localhost:8000"})
    assert link_on(page).startswith("http://testserver/join/")
    assert "Check the address" not in page.text


# -- many at once -----------------------------------------------------------------------------------------------


def preview_of(guest: Visitor, names: str = "", file: bytes | None = None, **more: str) -> httpx.Response:
    guest.get(f"{HOME}/people/many")
    files = {} if file is None else {"files": {"file": ("people.csv", file, "text/csv")}}
    return guest.post(f"{HOME}/people/many", {"names": names, **more}, **files)


def links_of(guest: Visitor, page: httpx.Response, **more: str) -> httpx.Response:
    """Press the button below a preview."""
    hidden = {name: unescape(re.search(rf'name="{name}" value="([^"]*)"', page.text)[1])  # type: ignore[index]
              for name in ("names", "formulas", "mark")}  # fmt: skip
    return guest.post(f"{HOME}/people/many/links", {**hidden, **more})


def outcomes(page: httpx.Response) -> dict[str, str]:
    """What a preview says of each line."""
    return {cells[0]: cells[3] for cells in rows(page) if len(cells) == 4 and cells[0].isdigit()}


def test_a_preview_says_what_is_wrong_and_makes_nothing(db: Database, organiser: Visitor, campaign: int) -> None:
    ann = new_judge(db, "Ann", langs=["fr-en"])
    before = everything(db)
    text = (
        f"Zoë, fr-en\nZoë\nYves\txx-yy de-en\nAnn\nOlga Organiser\n{ann.pseudonym}\na\u202eb\n\nAnn; de-en\n{HOSTILE}"
    )
    page = preview_of(organiser, text)
    said = outcomes(page)
    assert page.status_code == 200
    assert said["1"] == "is added and invited"
    assert said["2"] == "the name stands on the list before"
    assert said["3"] == "language pair: got 'xx-yy'; the campaign has: fr-en, de-en"
    assert said["4"] == "is in the campaign already"
    assert said["5"] == "is in the campaign as organiser; choose another name for a judge"
    assert said["6"] == "this is the pseudonym of someone in the campaign; choose another name"
    assert "printable characters" in said["7"]
    assert said["9"].startswith("the name stands on the list before judges fr-en; change that first")
    assert said["10"] == "is added and invited"
    assert "2 to be added and invited, 1 in the campaign already, 6 that cannot be invited" in words(page.text)
    assert "<script" not in page.text
    assert everything(db) == before


def test_links_are_made_as_the_preview_said(app: FastAPI, db: Database, organiser: Visitor, campaign: int) -> None:
    new_judge(db, "Ann")
    page = links_of(organiser, preview_of(organiser, "Zoë, fr-en; de-en\nYves\nAnn\nYves"))
    found = [unescape(link) for link in re.findall(r"<code id=[^>]*>([^<]+/join/[^<]+)</code>", page.text)]
    invited = [redeem(db, link.rpartition("/")[2]) for link in found]
    assert [(p.name, p.role, p.langs) for p in invited if p] == [
        ("Zoë", Role.JUDGE, ("fr-en", "de-en")), ("Yves", Role.JUDGE, ())
    ]  # fmt: skip
    assert {e.by for e in events(db, campaign, "person-added", "invited")} >= {"Olga Organiser"}
    again = links_of(organiser, preview_of(organiser, "Ann"), again="yes")
    assert "1 invitation" in words(again.text)
    assert len([p for p in people(db, campaign) if p.name == "Ann"]) == 1


def test_a_file_of_names_is_read(db: Database, organiser: Visitor) -> None:
    file = 'name,langs\r\n"Doe, Jane",fr-en de-en\r\nZoë,\r\n'.encode("utf-8-sig")
    page = links_of(organiser, preview_of(organiser, "ignored", file))
    assert "2 invitations" in words(page.text)
    assert find_person(db, "news", "Doe, Jane").langs == ("fr-en", "de-en")
    assert find_person(db, "news", "Zoë").langs == ()


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (b"surname,langs\nx,\n", "the file has the columns 'surname', 'langs'"),
        ("name\nZoë".encode("latin-1"), "the file is not UTF-8 (byte 8)"),
        (b'name\n"open', "cannot be read as CSV"),
        (b"name\n", "the list is empty"),
        (b'name\n"a\tb"\n', "line 2: got a tab or a line break within a name"),
        (b"name\na\0b\n", "NUL"),
    ],
    ids=["columns", "encoding", "quotes", "nobody", "tab", "nul"],
)
def test_a_file_that_cannot_be_used_is_refused(
    db: Database, organiser: Visitor, campaign: int, file: bytes, reason: str
) -> None:
    before = everything(db)
    page = preview_of(organiser, "", file)
    assert page.status_code == 422
    assert reason in words(page.text)
    assert everything(db) == before


def test_a_change_that_leaves_all_numbers_alike_is_noticed_too(db: Database, organiser: Visitor, campaign: int) -> None:
    ann = new_judge(db, "Ann")
    page = preview_of(organiser, "Ann\nZoë")
    pseudonymise(db, ann)
    new_judge(db, "Zoë")
    before = everything(db)
    answer = links_of(organiser, page, again="yes")
    assert answer.status_code == 409  # one new and one known, as before, but the other way round
    assert everything(db) == before


def test_what_has_changed_since_the_preview_is_shown_first(db: Database, organiser: Visitor, campaign: int) -> None:
    page = preview_of(organiser, "Zoë\nYves")
    add_person(db, "news", Role.JUDGE, "Zoë")
    before = everything(db)
    answer = links_of(organiser, page)
    assert answer.status_code == 409
    assert outcomes(answer)["1"] == "is in the campaign already"
    assert everything(db) == before


@pytest.mark.parametrize(("formulas", "cell"), [("escape", "'=1+1"), ("keep", "=1+1")])
def test_names_that_a_spreadsheet_would_run(organiser: Visitor, formulas: str, cell: str) -> None:
    page = links_of(organiser, preview_of(organiser, "=1+1", formulas=formulas))
    (file,) = re.findall(r'href="data:text/csv;charset=utf-8,([^"]+)"', page.text)
    lines = list(csv.reader(io.StringIO(unquote(file).removeprefix("\ufeff"))))
    assert [line[0] for line in lines] == ["name", cell]
    assert "/join/" in lines[1][3]


def test_names_that_a_spreadsheet_would_run_are_refused_if_wanted(organiser: Visitor) -> None:
    page = preview_of(organiser, "=1+1\nYves", formulas="refuse")
    assert "a spreadsheet would run" in outcomes(page)["1"]
    assert outcomes(page)["2"] == "is added and invited"


# -- languages of a judge ---------------------------------------------------------------------------------------


def test_the_languages_of_a_judge_are_changed(db: Database, organiser: Visitor, campaign: int) -> None:
    ann = new_judge(db, "Ann", langs=["fr-en"])
    path = f"{HOME}/people/{ann.pseudonym}/langs"
    assert 'value="fr-en" checked' in organiser.get(path).text
    page = organiser.post(path, {"langs": "de-en"})
    assert "The languages of Ann were changed" in words(page.text)
    assert find_person(db, "news", "Ann").langs == ("de-en",)
    (noted,) = events(db, campaign, "langs-changed")
    assert (noted.person, noted.by, noted.body) == ("Ann", "Olga Organiser", {"was": ["fr-en"], "now": ["de-en"]})
    organiser.get(path)
    assert organiser.post(path, {"langs": "xx-yy"}).status_code == 422
    olga = find_person(db, "news", "Olga Organiser")
    assert organiser.get(f"{HOME}/people/{olga.pseudonym}/langs").status_code == 409


# -- notes ------------------------------------------------------------------------------------------------------


def write_notes(db: Database, count: int, name: str = "Ann Judge") -> Person:
    """A judge who writes a note with every answer; every third reports a problem."""
    judge = new_judge(db, name, langs=["fr-en"])
    for number in range(count):
        view = next_view(db, judge)
        assert view is not None
        submit(db, judge, view.id, Answer((1, 2, 2), note=f"note {number}", problem=number % 3 == 0), submission="s")
    return judge


def test_notes_are_shown_newest_first_with_their_screen(db: Database, organiser: Visitor, observer: Visitor) -> None:
    judge = write_notes(db, 4)
    page = organiser.get(f"{HOME}/notes")
    assert re.findall(r'class="said">([^<]*)<', page.text) == ["note 3", "note 2", "note 1", "note 0"]
    assert "4 notes, 2 of them report problems; 0 screens were skipped." in words(page.text)
    assert "Ann Judge" in page.text
    assert "ranked 1, 2, 2 from the top" in words(page.text)
    (newest, *_) = re.findall(r'href="([^"]+/notes/\d+)"', page.text)
    screen = organiser.get(newest)
    assert "Phrase numéro" in screen.text
    assert all(system in screen.text for system in SYSTEMS)
    ranks = [re.search(rf'name="rank-{place}" value="(\d)" checked', screen.text) for place in (1, 2, 3)]
    assert [rank and rank[1] for rank in ranks] == ["1", "2", "2"]
    only = organiser.get(f"{HOME}/notes?kind=problem")
    assert re.findall(r'class="said">([^<]*)<', only.text) == ["note 3", "note 0"]
    assert re.findall(r'class="said">([^<]*)<', organiser.get(f"{HOME}/notes?kind=comment").text) == [
        "note 2",
        "note 1",
    ]
    for path in (f"{HOME}/notes", newest):
        seen = observer.get(path).text
        assert "Ann Judge" not in seen
        assert judge.pseudonym in seen
        assert all(system in seen for system in SYSTEMS) == (path == newest)
    with db.read() as tx:
        settings = settings_of(tx, 1)
    change_settings(db, "news", settings.replace(**{"results.names": "hidden"}))
    for path in (f"{HOME}/notes", newest):
        assert not any(system in observer.get(path).text for system in SYSTEMS)
    reveal(db, "news")
    assert all(system in observer.get(newest).text for system in SYSTEMS)
    overview = organiser.get(HOME)
    assert "4 notes of judges , 2 report problems" in words(overview.text)


def test_notes_come_in_pages(db: Database, organiser: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manage_notes, "NOTES", 2)
    write_notes(db, 7)
    page, seen = organiser.get(f"{HOME}/notes?kind=problem"), []
    for _ in range(5):
        seen += re.findall(r'class="said">([^<]*)<', page.text)
        older = re.search(r'href="([^"]+before=\d+)"', page.text)
        if older is None:
            break
        page = organiser.get(unescape(older[1]))
    assert seen == ["note 6", "note 3", "note 0"]


def test_hostile_notes_are_shown_and_not_run(db: Database, organiser: Visitor) -> None:
    judge = new_judge(db)
    view = next_view(db, judge)
    assert view is not None
    submit(db, judge, view.id, Answer(skip="other", note=HOSTILE), submission="s")
    page = organiser.get(f"{HOME}/notes")
    assert "<script" not in page.text
    assert HOSTILE in unescape(page.text)
    assert "skipped (other)" in words(page.text)


def test_notes_of_a_judge_a_language_pair_or_a_kind(db: Database, organiser: Visitor) -> None:
    """Screens that were skipped without a word are among them."""
    ann, bob = write_notes(db, 2), new_judge(db, "Bob Judge", langs=["de-en"])
    view = next_view(db, bob)
    assert view is not None
    submit(db, bob, view.id, Answer(skip="wrong-language"), submission="s")
    page = organiser.get(f"{HOME}/notes")
    assert "1 screen was skipped" in words(page.text)
    for asked, expected in (
        ("", 3),
        ("kind=skipped", 1),
        ("kind=note-that-is-none", 3),
        (f"judge={ann.pseudonym}", 2),
        (f"judge={bob.pseudonym}&kind=comment", 0),
        ("langs=de-en", 1),
        ("langs=fr-en&kind=problem", 1),
        ("judge=%27%20or%201=1", 0),
    ):
        assert organiser.get(f"{HOME}/notes?{asked}").text.count("<article") == expected, asked
    for odd in ("judge=%00", "langs=a%00b"):
        assert organiser.get(f"{HOME}/notes?{odd}").status_code == 422, odd
    skipped = organiser.get(f"{HOME}/notes?kind=skipped")
    (link,) = re.findall(r'href="([^"]+/notes/\d+)"', skipped.text)
    screen = organiser.get(link)
    assert "skipped (wrong language)" in words(screen.text)
    assert "checked" not in screen.text


def test_a_screen_is_shown_as_it_was_then(db: Database, organiser: Visitor) -> None:
    """The order of the outputs, and the sentences around it by the settings of that time."""
    with db.read() as tx:
        settings = settings_of(tx, 1)
    change_settings(db, "news", settings.replace(**{"screen.context": 1}))
    judge = new_judge(db, "Ann Judge", langs=["fr-en"])
    for _ in range(12):
        view = next_view(db, judge)
        assert view is not None
        submit(db, judge, view.id, Answer((1, 2, 3), note="look"), submission="s")
        if view.before:
            break
    assert view.before
    page = organiser.get(f"{HOME}/notes")
    (newest, *_) = re.findall(r'href="([^"]+/notes/\d+)"', page.text)
    shown = words(organiser.get(newest).text)
    places = [shown.index(option.text) for option in view.options]
    assert places == sorted(places)
    assert shown.index(view.before[0]) < shown.index(view.source)


def test_a_screen_of_another_campaign_is_not_there(app: FastAPI, db: Database, organiser: Visitor) -> None:
    new_campaign(db, sample_texts(4, SYSTEMS), name="other", **ALL_SHOWN)
    eve = new_judge(db, "Eve", campaign="other")
    view = next_view(db, eve)
    assert view is not None
    submit(db, eve, view.id, Answer(skip="other"), submission="s")
    (note,) = notes(db, 2, kind="any")
    assert organiser.get(f"{HOME}/notes/{note.id}").status_code == 404
    for number in ("0", "-1", str(2**63), str(2**70)):
        assert organiser.get(f"{HOME}/notes/{number}").status_code == 404
    assert organiser.get(f"{HOME}/notes/x").status_code in (404, 422)
