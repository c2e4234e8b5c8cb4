"""The pages of organisers and observers, as plain forms on both databases."""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from datetime import UTC, datetime
from html import escape, unescape
from pathlib import Path
from random import Random
from typing import Any

import httpx2 as httpx
import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from manage_pages import ALL_SHOWN, HOME, HOSTILE, SYSTEMS, events, everything, link_on, row, rows, token_on, words
from stores import PLAIN, Clock, new_campaign, new_judge, next_view, sample_texts
from webs import Visitor, csrf_in, signed_in, staff, visitor

import palmares as pm
from palmares.campaign import Role, journal, schema
from palmares.campaign.answers import Answer, submit
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings, differing, find_campaign, settings_of
from palmares.campaign.people import Person, add_person, find_person, invite, join, people, redeem
from palmares.campaign.settings import Settings
from palmares.server.app import create_app
from palmares.server.config import ServerConfig
from palmares.server.manage import ENTRIES, ago
from palmares.server.manage_export import DOWNLOADS
from palmares.texts import TestSet
from palmares.texts.testset import make

pytestmark = pytest.mark.any_database

PAGES = (
    *("", "/people", "/people/many", "/texts", "/preview", "/preview/welcome", "/preview/screen", "/notes"),
    *("/settings", "/settings?revision=1", "/end", "/end/everything", "/log", "/export"),
)
FOR_ORGANISERS = ("/log", "/people/many", "/texts", "/end", "/end/everything")


@pytest.fixture(autouse=True)
def campaign(db: Database) -> int:
    return new_campaign(db, sample_texts(12, SYSTEMS), sample_texts(4, SYSTEMS, "de-en"), **ALL_SHOWN)


@pytest.fixture
def organiser(app: FastAPI) -> Visitor:
    return staff(app, Role.ORGANISER, "Olga Organiser")


@pytest.fixture
def observer(app: FastAPI) -> Visitor:
    return staff(app, Role.OBSERVER, "Otto Observer")


def judge_fr(db: Database, count: int, name: str = "Ann Judge", *, seconds: float = 10.0) -> Person:
    """A judge of fr-en who puts alpha before beta before gamma, each screen taking ten seconds more."""
    judge = new_judge(db, name, langs=["fr-en"])
    for number in range(1, count + 1):
        view = next_view(db, judge)
        assert view is not None
        ranks = tuple(next(k for k, w in enumerate(("one", "two", "three"), 1) if w in o.text) for o in view.options)
        submit(db, judge, view.id, Answer(ranks), submission="s", seconds=number * seconds)
    return judge


def skip(db: Database, judge: Person) -> None:
    view = next_view(db, judge)
    assert view is not None
    submit(db, judge, view.id, Answer(skip="other"), submission="s")


# -- who sees what ---------------------------------------------------------------------------------------


def test_each_page_for_each_role(app: FastAPI, db: Database, organiser: Visitor, observer: Visitor) -> None:
    judge_fr(db, 2)
    judge = signed_in(app, new_judge(db, "bob"))
    for path in PAGES:
        assert organiser.get(HOME + path).status_code == 200
        assert observer.get(HOME + path).status_code == (403 if path in FOR_ORGANISERS else 200)
        assert judge.get(HOME + path).status_code == 403
        assert visitor(app).get(HOME + path).status_code == 401


def test_staff_of_one_campaign_are_nobody_in_another(db: Database, organiser: Visitor) -> None:
    new_campaign(db, name="other")
    assert [organiser.get(f"/c/other/manage{path}").status_code for path in PAGES] == [401] * len(PAGES)


def test_judges_never_see_the_names_of_systems(app: FastAPI, db: Database) -> None:
    judge_fr(db, 2)
    guest = signed_in(app, new_judge(db, "bob"))
    seen = [guest.get(path).text for path in ("/c/news/judge", "/c/news/judge/instructions", "/api/v1/news/work")]
    downloads = ("/export/judgments?format=csv", "/export/screens")
    seen += [guest.get(HOME + path).text for path in (*PAGES, *downloads)]
    assert not [name for name in SYSTEMS for text in seen if name in text]


def test_staff_see_the_names_of_systems(organiser: Visitor, observer: Visitor) -> None:
    for guest in (organiser, observer):
        cells = {cell for row in rows(guest.get(HOME)) for cell in row}
        assert set(SYSTEMS) <= cells


def test_observers_see_pseudonyms_and_no_names(db: Database, organiser: Visitor, observer: Visitor) -> None:
    ann = judge_fr(db, 2)
    olga = find_person(db, "news", "Olga Organiser")
    change_settings(db, "news", Settings().replace(**{"screen.outputs": 4}), by=olga.id)
    downloads = ("/export/judgments?format=jsonl", "/export/screens")
    for path in ("", "/people", "/settings", "/export", *downloads):
        text = observer.get(HOME + path).text
        assert "Ann" not in text, path
        assert "Olga" not in text, path
    assert ann.pseudonym in observer.get(HOME).text
    assert ann.pseudonym in observer.get(f"{HOME}/people").text
    assert olga.pseudonym in row(observer.get(f"{HOME}/settings"), "2 : show this revision")
    assert row(organiser.get(HOME), "Ann Judge")
    listed = observer.get(f"{HOME}/people").text
    assert "<form" not in re.sub(r'(?s)<form[^>]*(action="/leave|role="search").*?</form>', "", listed)


def test_pages_are_english_and_have_no_script_or_style_of_their_own(organiser: Visitor) -> None:
    of_judges = ("/preview/welcome", "/preview/screen")
    for path in (path for path in PAGES if path not in (*of_judges, "/end/everything")):
        page = organiser.get(HOME + path, headers={"Accept-Language": "ar"})
        assert '<html lang="en" dir="ltr">' in page.text
        assert page.headers["content-language"] == "en"
        assert "العربية" not in page.text
        assert re.findall(r"<script|<style|\sstyle=|\son\w+=", page.text) == []
        assert len(re.findall(r'aria-current="page"', page.text)) == 1
    for path in of_judges:
        assert '<html lang="ar" dir="rtl">' in organiser.get(HOME + path, headers={"Accept-Language": "ar"}).text


def test_hostile_names_are_shown_and_not_run(app: FastAPI, db: Database, organiser: Visitor) -> None:
    judge_fr(db, 1, HOSTILE)
    pseudonym = find_person(db, "news", HOSTILE).pseudonym
    ask = f"/people/{pseudonym}/pseudonymise"
    for path in ("", "/people", "/log", ask, f"/people?done=revoked&who={pseudonym}"):
        page = organiser.get(HOME + path).text
        assert escape(HOSTILE).replace("&#x27;", "&#39;").replace("&quot;", "&#34;") in page, path
        assert "<script" not in page
        assert "<b onclick" not in page
    organiser.get(f"{HOME}/people")
    assert "<script>" not in organiser.post(f"{HOME}/people/{pseudonym}/invite").text
    organiser.get(f"{HOME}/people")
    refused = organiser.post(f"{HOME}/people", {"name": HOSTILE, "role": "judge"})
    assert refused.status_code == 422
    assert "<script" not in refused.text


# -- overview --------------------------------------------------------------------------------------------


def test_the_overview_counts_what_was_done(app: FastAPI, db: Database, organiser: Visitor, clock: Clock) -> None:
    ann = judge_fr(db, 4)
    skip(db, ann)
    next_view(db, ann)  # takes the rest of a HIT of three: one screen, which is in work
    clock.forward(minutes=50)
    page = organiser.get(HOME)
    # The screen that was skipped waits for someone else.
    assert row(page, "fr-en") == ["fr-en", "12", "3", "4", "1", "1", "1", "4", "4", "1", "no rule"]
    assert row(page, "de-en") == ["de-en", "4", "3", "0", "0", "0", "0", "0", "0", "0", "no rule"]
    # Four answers took 10, 20, 30 and 40 seconds.
    expected = ["Ann Judge", "fr-en", "5 of 8", "1", "25", "50 minutes ago at work", "–", "–"]
    assert row(page, "Ann Judge") == expected
    matrix = [cells[1:] for cells in rows(page) if cells and cells[0] in SYSTEMS]
    assert matrix[:3] == [["", "4", "4"], ["4", "", "4"], ["4", "4", ""]]
    assert matrix[3:] == [["", "0", "0"], ["0", "", "0"], ["0", "0", ""]]
    assert page.text.count('class="shade-5">4<') == 6
    assert page.text.count('class="shade-0">0<') == 6


def test_the_overview_says_how_far_rules_for_stopping_are(db: Database, organiser: Visitor) -> None:
    rules = {"stop.screens": 3, "stop.per_pair": 20}
    judge_fr(db, 3)
    change_settings(db, "news", Settings().replace(**ALL_SHOWN, **rules))
    page = organiser.get(HOME)
    assert row(page, "fr-en")[-1] == "3 of 3 screens answered 3 of 20 comparisons of any two reached"
    assert row(page, "de-en")[-1] == "0 of 3 screens answered 0 of 20 comparisons of any two"
    assert "No new work after" not in page.text
    until = Settings.from_toml("schema = 1\n[stop]\nuntil = 2026-04-01T18:00:00Z")
    change_settings(db, "news", until)
    assert "No new work after 1 Apr 2026, 18:00" in words(organiser.get(HOME).text)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("clusters=3", "1 of 3 clusters of systems"),
        ("pairs=0.07", "0 of 7 % of pairs separated"),
        ("widest=2", "no rank range wider than 2"),
        ("best", "the best system is separated from all others"),
    ],
)
def test_the_overview_names_every_rule_on_the_ranking(db: Database, organiser: Visitor, rule: str, said: str) -> None:
    """Before anything was analysed, too."""
    change_settings(db, "news", Settings().replace(**{**ALL_SHOWN, "stop.rule": rule}))
    page = organiser.get(HOME)
    assert row(page, "fr-en")[-1] == said
    assert "chosen by balanced: nothing has been analysed yet" in words(page.text)


class Always(Random):
    """Chance that never spares a judge a control; what else is drawn stays random."""

    def random(self) -> float:
        return 0.0

    def getrandbits(self, bits: int) -> int:
        return super().getrandbits(bits)


def test_the_overview_shows_how_damaged_outputs_were_ranked(db: Database, organiser: Visitor) -> None:
    new = Settings().replace(**{**PLAIN, "screen.outputs": 4, "controls.degraded": 0.5})
    change_settings(db, "news", new)
    judge, whole = new_judge(db), re.compile(r"Sentence (\d+) says (one|two|three) things here now\.")
    for best in (False, False, True):
        view = next_view(db, judge, rng=Always(0))
        assert view is not None
        damaged = 1 if best else 3
        ranks = tuple(2 if whole.fullmatch(option.text) else damaged for option in view.options)
        submit(db, judge, view.id, Answer(ranks), submission="s")
    assert row(organiser.get(HOME), "ann")[-2:] == ["–", "2 of 3"]


def test_the_overview_shows_how_far_repeats_agree(db: Database, organiser: Visitor) -> None:
    change_settings(db, "news", Settings().replace(**{**PLAIN, **ALL_SHOWN, "controls.repeats": 0.3, "hit.screens": 1}))
    judge, met = new_judge(db, langs=["fr-en"]), set()
    while True:
        view = next_view(db, judge, rng=Always(0))
        assert view is not None, "no screen has come again"
        again = view.source in met
        met.add(view.source)
        order = {"one": 1, "two": 3, "three": 2} if again else {"one": 1, "two": 2, "three": 3}
        ranks = tuple(next(rank for word, rank in order.items() if word in o.text) for o in view.options)
        submit(db, judge, view.id, Answer(ranks), submission="s")
        if again:
            break
    assert row(organiser.get(HOME), "ann")[-2:] == ["2 of 3", "–"]  # two of its three pairs came out as before


def test_how_long_ago(clock: Clock) -> None:
    now = clock.now
    said = {}
    for name, by in {"s": {"seconds": 59}, "m": {"minutes": 1}, "h": {"minutes": 125}, "d": {"hours": 50}}.items():
        later = Clock(now)
        later.forward(**by)
        said[name] = ago(now, later.now)
    assert said == {"s": "just now", "m": "1 minute ago", "h": "2 hours ago", "d": "2 days ago"}
    assert ago(later.now, now) == "just now"  # clocks of several machines differ a little


# -- people ----------------------------------------------------------------------------------------------


def test_a_person_is_added_and_their_link_works_and_is_shown_once(
    app: FastAPI, db: Database, organiser: Visitor, campaign: int
) -> None:
    organiser.get(f"{HOME}/people")
    fields: dict[str, Any] = {"name": " Zoë ", "role": "judge", "langs": ["de-en"]}
    page = organiser.post(f"{HOME}/people", fields)
    zoe = find_person(db, "news", "Zoë")
    assert (zoe.role, zoe.langs) == (Role.JUDGE, ("de-en",))
    link = link_on(page)
    assert link.startswith("http://testserver/join/")
    assert visitor(app).join(token_on(page)).url.path == "/c/news/judge/welcome"
    assert not [path for path in PAGES if token_on(page) in organiser.get(HOME + path).text]
    added, invited = events(db, campaign, "person-added", "invited")[1::-1]
    assert [(e.kind, e.person, e.by) for e in (added, invited)] == [
        ("person-added", "Zoë", "Olga Organiser"),
        ("invited", "Zoë", "Olga Organiser"),
    ]


def test_the_link_stands_below_the_root_path(db: Database) -> None:
    app = create_app(ServerConfig("unused", root_path="/eval"), database=db)
    guest = visitor(app, base_url="https://mt.example")
    guest.get(f"/eval/join/{invite(db, add_person(db, 'news', Role.ORGANISER, 'Olga'))}")
    assert guest.post(str(guest.page.url)).url.path == f"/eval{HOME}"
    addresses = re.findall(r'(?:href|src|action)="([^"#]+)"', guest.get(f"/eval{HOME}/people").text)
    assert addresses
    assert all(address.startswith("/eval/") for address in addresses)
    page = guest.post(f"/eval{HOME}/people", {"name": "Zoë", "role": "observer"})
    assert link_on(page).startswith("https://mt.example/eval/join/")
    assert redeem(db, token_on(page)) == find_person(db, "news", "Zoë")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"name": "Olga Organiser"}, "is in campaign 'news' already"),
        ({"name": "  "}, "name: got ''"),
        ({"name": "a\u202eb"}, "printable characters"),
        ({"name": "x" * 201}, "1 to 200"),
        ({"role": "king"}, "role: got 'king'; allowed: organiser, observer, judge"),
        ({"langs": ["xx-yy"]}, "language pair: got 'xx-yy'"),
    ],
    ids=["twice", "blank", "invisible", "long", "role", "languages"],
)
def test_a_person_who_cannot_be_added(
    db: Database, organiser: Visitor, campaign: int, changed: dict[str, Any], reason: str
) -> None:
    before = people(db, campaign)
    organiser.get(f"{HOME}/people")
    page = organiser.post(f"{HOME}/people", {"name": "Zoë", "role": "judge", "langs": ["de-en"], **changed})
    assert page.status_code == 422
    assert reason in words(page.text)
    assert people(db, campaign) == before
    assert "/join/" not in page.text
    entered = {"name": "Zoë", "role": "judge", **changed}
    assert f'name="name" value="{entered["name"].strip()}"' in page.text
    if "role" not in changed:
        assert '<input type="radio" name="role" value="judge" required checked>' in page.text


def test_only_judges_are_bound_to_language_pairs(db: Database, organiser: Visitor) -> None:
    organiser.get(f"{HOME}/people")
    organiser.post(f"{HOME}/people", {"name": "Zoë", "role": "observer", "langs": ["de-en"]})  # type: ignore[dict-item]
    assert find_person(db, "news", "Zoë").langs == ()


def state_of(name: str, guest: Visitor) -> str:
    """What the list of people says of someone's state."""
    (found,) = (cells for cells in rows(guest.get(f"{HOME}/people")) if cells[0].startswith(name))
    return found[3]


def test_the_list_says_how_far_everyone_is(app: FastAPI, db: Database, organiser: Visitor) -> None:
    change_settings(db, "news", Settings())  # with practice
    zoe = add_person(db, "news", Role.JUDGE, "Zoë")
    assert state_of("Zoë", organiser) == "not invited yet"
    token = invite(db, zoe)
    assert state_of("Zoë", organiser) == "invited link works until 30 May 2026, 12:00"  # 90 days after 1 March
    guest = visitor(app)
    guest.join(token)
    assert state_of("Zoë", organiser).startswith("joined ")
    page = guest.post("/c/news/judge/welcome", {"accept": "yes"})
    assert state_of("Zoë", organiser).startswith("consented ")
    view = next_view(db, zoe)
    assert view is not None
    assert view.practice
    assert page.url.path.endswith(view.id)
    submit(db, zoe, view.id, Answer(tuple(range(1, len(view.options) + 1))), submission="s")
    assert state_of("Zoë", organiser).startswith("practised ")


def test_the_list_says_when_no_link_works_any_more(db: Database, organiser: Visitor, clock: Clock) -> None:
    zoe, olga = add_person(db, "news", Role.JUDGE, "Zoë"), find_person(db, "news", "Olga Organiser")
    join(db, invite(db, zoe, days=1))
    clock.forward(days=2)
    assert state_of("Zoë", organiser) == "joined no link; signed in until 31 Mar 2026, 12:00"  # 30 days
    clock.forward(days=29)
    organiser.join(invite(db, olga))
    assert state_of("Zoë", organiser) == "joined access revoked: no link works, no session is open"


def test_a_further_link_and_shutting_out(app: FastAPI, db: Database, organiser: Visitor, campaign: int) -> None:
    zoe = add_person(db, "news", Role.JUDGE, "Zoë")
    first = invite(db, zoe)
    guest = visitor(app)
    guest.join(first)
    path = f"{HOME}/people/{zoe.pseudonym}"
    organiser.get(f"{HOME}/people")
    second = token_on(organiser.post(f"{path}/invite"))
    assert redeem(db, first) == redeem(db, second) == zoe
    done = organiser.post(f"{path}/revoke")
    assert "All links and sessions of Zoë have ended" in words(done.text)
    assert redeem(db, first) is redeem(db, second) is None
    assert guest.get("/c/news/judge").status_code == 401
    assert [(e.person, e.by) for e in events(db, campaign, "revoked")] == [("Zoë", "Olga Organiser")]
    third = token_on(organiser.post(f"{path}/invite"))
    assert redeem(db, third) == zoe


def test_a_name_is_removed_after_a_question(app: FastAPI, db: Database, organiser: Visitor, campaign: int) -> None:
    ann = judge_fr(db, 2)
    token = invite(db, ann)
    path = f"{HOME}/people/{ann.pseudonym}/pseudonymise"
    question = organiser.get(path)
    assert "This cannot be undone" in question.text
    assert find_person(db, "news", "Ann Judge")
    done = organiser.post(path)
    assert f"The name was removed; only {ann.pseudonym} is left" in words(done.text)
    assert ann.pseudonym == next(p for p in people(db, campaign) if p.id == ann.id).name
    assert redeem(db, token) is None
    assert not [page for page in PAGES if "Ann Judge" in organiser.get(HOME + page).text]
    assert row(organiser.get(HOME), ann.pseudonym)[2] == "2 of 8"  # the answers stay
    organiser.get(f"{HOME}/people")
    refused = organiser.post(f"{HOME}/people/{ann.pseudonym}/invite")
    assert refused.status_code == 422
    assert "so they cannot be invited" in refused.text


@pytest.mark.parametrize("action", ["revoke", "pseudonymise"])
def test_organisers_do_not_lock_themselves_out(db: Database, organiser: Visitor, action: str) -> None:
    olga = find_person(db, "news", "Olga Organiser")
    organiser.get(f"{HOME}/people")
    assert organiser.post(f"{HOME}/people/{olga.pseudonym}/{action}").status_code == 409
    assert organiser.get(HOME).status_code == 200
    assert find_person(db, "news", "Olga Organiser") == olga


def test_people_are_found_by_their_own_pseudonym_in_their_own_campaign(db: Database, organiser: Visitor) -> None:
    new_campaign(db, name="other")
    stranger = add_person(db, "other", Role.JUDGE, "Stranger")
    zoe = add_person(db, "news", Role.JUDGE, "Zoë")
    links = {person.id: invite(db, person) for person in (stranger, zoe)}
    organiser.get(f"{HOME}/people")
    token = {"csrf": csrf_in(organiser.page)}
    for unknown in (stranger.pseudonym, "Zoë", "nobody"):
        assert organiser.client.post(f"{HOME}/people/{unknown}/revoke", data=token).status_code == 404
    assert organiser.client.post(f"{HOME}/people/{zoe.pseudonym}/revoke", data=token).status_code == 200
    assert [redeem(db, links[person.id]) for person in (stranger, zoe)] == [stranger, None]


# -- settings and state ----------------------------------------------------------------------------------


def save(guest: Visitor, text: str, **more: str) -> httpx.Response:
    """Send the form of the settings with another text."""
    page = guest.get(f"{HOME}/settings")
    revision = re.search(r'name="revision" value="(\d+)"', page.text)
    assert revision
    return guest.post(f"{HOME}/settings", {"revision": revision[1], "settings": text, **more})


def in_force(db: Database, campaign_id: int) -> Settings:
    with db.read() as tx:
        return settings_of(tx, campaign_id)


def revision_count(db: Database) -> int:
    with db.read() as tx:
        return int(tx.execute(sa.select(sa.func.count()).select_from(schema.setting)).scalar_one())


def text_area(page: httpx.Response) -> str:
    (found,) = re.findall(r"<textarea class=\"toml\"[^>]*>\n(.*?)</textarea>", page.text, re.DOTALL)
    return unescape(found)


def test_the_form_holds_the_settings_in_force(db: Database, organiser: Visitor, campaign: int) -> None:
    text = text_area(organiser.get(f"{HOME}/settings"))
    assert Settings.from_toml(text) == in_force(db, campaign)
    assert "# outputs ranked on one screen" in text


def test_settings_are_changed_and_the_earlier_ones_kept(db: Database, organiser: Visitor, campaign: int) -> None:
    changed = in_force(db, campaign).replace(**{"screen.outputs": 2, "judge.screens": 9})
    page = save(organiser, changed.to_toml().replace("\n", "\r\n"))  # as browsers send it
    assert "The settings are now at revision 2." in page.text
    assert in_force(db, campaign) == changed
    assert row(page, "2 : show this revision")[2:4] == ["Olga Organiser", "screen.outputs: 3 → 2 judge.screens: 8 → 9"]
    assert row(page, "1 : show this revision")[2:4] == ["command line", "the first"]
    assert [(e.by, e.body) for e in events(db, campaign, "settings-changed")] == [("Olga Organiser", {"revision": 2})]
    first = organiser.get(f"{HOME}/settings?revision=1")
    assert Settings.from_toml(text_area(first)).screen.outputs == 3
    assert save(organiser, text_area(first)).status_code == 200
    assert in_force(db, campaign).screen.outputs == 3
    assert revision_count(db) == 3
    assert organiser.get(f"{HOME}/settings?revision=4").status_code == 404


def test_settings_that_change_nothing_make_no_revision(db: Database, organiser: Visitor, campaign: int) -> None:
    page = save(organiser, in_force(db, campaign).to_toml(explained=True))
    assert "No setting is different" in page.text
    assert revision_count(db) == 1


def test_two_organisers_do_not_overwrite_each_other_unseen(db: Database, organiser: Visitor, campaign: int) -> None:
    organiser.get(f"{HOME}/settings")
    change_settings(db, "news", in_force(db, campaign).replace(**{"screen.context": 2}))
    mine = in_force(db, campaign).replace(**{"screen.context": 3}).to_toml()
    refused = organiser.post(f"{HOME}/settings", {"revision": "1", "settings": mine})
    assert refused.status_code == 409
    assert "screen.context: 1 → 2" in words(refused.text)
    assert text_area(refused) == mine
    assert in_force(db, campaign).screen.context == 2
    assert organiser.post(f"{HOME}/settings", {"revision": "2", "settings": mine}).status_code == 200
    assert in_force(db, campaign).screen.context == 3


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "schema version: got none"),
        ("schema = 1\n[screen]\noutputs = 99", "screen.outputs: got 99; allowed: a whole number (2 to 7)"),
        ("schema = 1\n[screen]\noutput = 3", "did you mean 'outputs'?"),
        ("schema = 1\n[screen", "is not valid TOML"),
        (f"schema = 1\n['{HOSTILE}']", "section: got"),
        (f"</textarea>{HOSTILE}", "is not valid TOML"),
        ("schema = 1\nx = " + "[" * 20_000, "is not valid TOML"),
        ("schema = 1\n" + ".".join("a" * 1_000) + " = 1", "more than 20 deep"),
        ("schema = 1\n[judge]\nscreens = " + "9" * 5_000, "is not valid TOML"),
        ("schema = 1\n[judge]\nscreens = 0x" + "f" * 6_000, "got a number of 24000 bits"),
        ("schema = 1\n[stop]\nuntil = 0001-01-01T00:00:00+23:00", "stop.until: got 0001-01-01"),
        ("schema = 1\n[words]\nconsent = 'a\0b'", "NUL"),
    ],
    ids=["empty", "range", "name", "broken", "section", "markup", "deep list", "deep key", "digits", "bits", "moment",
         "nul"],
)  # fmt: skip
def test_settings_that_cannot_be_used_come_back_as_written(
    db: Database, organiser: Visitor, campaign: int, text: str, reason: str
) -> None:
    before = in_force(db, campaign)
    page = save(organiser, text)
    assert page.status_code == 422
    assert reason in words(page.text)
    assert "<script" not in page.text
    assert "<b onclick" not in page.text
    assert in_force(db, campaign) == before
    if "\0" not in text:
        assert text_area(page) == text


def fill_in(guest: Visitor, **changes: str) -> httpx.Response:
    """Send the form of the settings, with all its fields as they are shown but for those given by name."""
    page = guest.get(f"{HOME}/settings")
    shown = re.search(r"<form[^>]* novalidate>(.*?)</form>", page.text, re.DOTALL)
    assert shown
    fields: dict[str, str] = {}
    for tag, attributes, rest in re.findall(r"<(input|textarea|select)\b([^>]*)>(?:\n?([^<]*)</textarea>)?", shown[1]):
        name = re.search(r'name="([^"]+)"', attributes)
        value = re.search(r'value="([^"]*)"', attributes)
        if name and tag == "textarea":
            fields[name[1]] = unescape(rest).replace("\n", "\r\n")
        elif name and tag == "input" and value and ('"checkbox"' not in attributes or "checked" in attributes):
            fields[name[1]] = unescape(value[1])
    for name, options in re.findall(r'<select [^>]*name="([^"]+)"[^>]*>(.*?)</select>', shown[1], re.DOTALL):
        (fields[name],) = re.findall(r"<option selected>([^<]*)<", options)
    return guest.post(f"{HOME}/settings", {**fields, **changes})


def test_the_form_has_a_field_for_every_setting(db: Database, organiser: Visitor) -> None:
    page = organiser.get(f"{HOME}/settings").text
    keys = [f"{section}.{name}" for section, values in Settings() for name in type(values).model_fields]
    assert {"task.vocabulary", "screen.both_bad", "screen.one_step", "screen.spacing", "hit.ahead_minutes",
            "judge.most"} <= set(keys)  # fmt: skip
    for key in keys:
        assert len(re.findall(rf'<(?:input type="(?:text|checkbox)"|textarea|select) [^>]*name="{key}"', page)) == 1, (
            key
        )
    offered = re.search(r'<select [^>]*name="task.markup"[^>]*>(.*?)</select>', page, re.DOTALL)
    assert offered
    assert re.findall(r"<option[^>]*>([^<]*)<", offered[1]) == ["plain", "markdown"]


def test_settings_are_changed_by_the_fields_of_the_form(db: Database, organiser: Visitor, campaign: int) -> None:
    before = in_force(db, campaign).replace(**{"words.consent": "one\r\ntwo\nthree", "hit.lease_minutes": 1 / 3 + 1})
    change_settings(db, "news", before)
    assert "No setting is different" in fill_in(organiser).text
    entered = {"screen.outputs": "4", "judge.most": "40", "task.markup": "markdown", "screen.both_bad": "true"}
    page = fill_in(organiser, **entered, **{"stop.until": "2026-12-31T18:00:00Z", "controls.repeats": ".25"})
    assert page.status_code == 200
    expected = {"screen.outputs": 4, "judge.most": 40, "task.markup": "markdown", "screen.both_bad": True,
                "stop.until": datetime(2026, 12, 31, 18, tzinfo=UTC), "controls.repeats": 0.25}  # fmt: skip
    assert in_force(db, campaign) == before.replace(**expected)
    fill_in(organiser, **{"judge.most": "", "stop.until": " ", "screen.both_bad": "false"})
    assert (in_force(db, campaign).judge.most, in_force(db, campaign).stop.until) == (None, None)
    assert in_force(db, campaign).screen.both_bad is False


def test_every_error_of_the_form_is_shown_at_once_at_its_field_and_at_the_top(
    db: Database, organiser: Visitor, campaign: int
) -> None:
    before = in_force(db, campaign)
    wrong = {"screen.outputs": "nine", "hit.screens": "", "stop.until": "tomorrow", "task.markup": HOSTILE,
             "overlap.share": "0,5", "judge.most": "1"}  # fmt: skip
    page = fill_in(organiser, **wrong)
    assert page.status_code == 422
    assert in_force(db, campaign) == before
    assert "<script" not in page.text
    (summary,) = re.findall(r'<div class="notice error" role="alert".*?</div>', page.text, re.DOTALL)
    assert "6 things are wrong" in words(summary)
    linked = re.findall(r'<a href="#([^"]+)">([^<]+)</a>', summary)
    assert sorted(key for _, key in linked) == sorted(wrong)
    for place, key in linked:
        (field,) = re.findall(rf'<(?:input type="text"|textarea|select) id="{place}" [^>]*>', page.text)
        assert 'aria-invalid="true"' in field
        assert f'aria-describedby="{place}-says {place}-problem"' in field
        (reason,) = re.findall(rf'id="{place}-problem">([^<]*)<', page.text)
        assert reason in summary
        assert f"got {wrong[key]!r}".replace("'1'", "1") in unescape(reason), key
    assert "without quotes" not in page.text
    assert 'value="nine"' in page.text


def test_every_error_of_a_file_is_shown_at_once(organiser: Visitor) -> None:
    text = "schema = 1\n[screen]\noutputs = 99\n[hit]\nscreens = 0"
    page = save(organiser, text)
    assert "screen.outputs: got 99" in words(page.text)
    assert "hit.screens: got 0" in words(page.text)
    assert text_area(page) == text


def test_settings_that_do_not_fit_the_texts_come_back_too(app: FastAPI, db: Database) -> None:
    new_campaign(db, sample_texts(4, SYSTEMS, references=False), name="bare")
    guest = staff(app, Role.ORGANISER, campaign="bare")
    text = Settings().replace(**{"controls.reference": 0.1, "screen.reference": False}).to_toml()
    guest.get("/c/bare/manage/settings")
    page = guest.post("/c/bare/manage/settings", {"revision": "1", "settings": text})
    assert page.status_code == 422
    assert "no segment has a reference" in page.text
    assert text_area(page) == text


def test_settings_of_any_characters_come_back_whole(db: Database, organiser: Visitor, campaign: int) -> None:
    words_of_theirs = f"# Grüße\n\n<b>„{HOSTILE}“</b> \\ \t العربية 😀 \u007f"
    changed = in_force(db, campaign).replace(**{"words.instructions": words_of_theirs})
    page = save(organiser, changed.to_toml())
    assert "<script" not in page.text
    assert in_force(db, campaign).words.instructions == words_of_theirs
    assert Settings.from_toml(text_area(organiser.get(f"{HOME}/settings"))) == changed


def test_what_differs_is_said_in_short() -> None:
    before = Settings().replace(**{"stop.screens": 5, "words.consent": "x" * 50})
    after = Settings.from_toml(
        "schema = 1\n[judge]\npractice = false\n[stop]\nuntil = 2026-12-31T18:00:00Z\n[words]\ninstructions = 'Hi'"
    )
    assert differing(before, after) == (
        "stop.screens: 5 → none",
        "stop.until: none → 2026-12-31T18:00:00Z",
        "judge.practice: true → false",
        "words.instructions: '' → 'Hi'",
        "words.consent",
    )
    assert differing(after, after) == ()


def test_the_state_is_changed(db: Database, organiser: Visitor, campaign: int) -> None:
    for state in ("paused", "closed", "open", "open"):
        organiser.get(f"{HOME}/settings")
        page = organiser.post(f"{HOME}/settings/state", {"state": state})
        assert f"The campaign is {state}." in page.text
        with db.read() as tx:
            assert find_campaign(tx, "news").state == state
    changes = [(e.by, e.body["now"]) for e in events(db, campaign, "state-changed")]
    assert changes == [("Olga Organiser", state) for state in ("open", "closed", "paused")]  # newest first
    assert organiser.post(f"{HOME}/settings/state", {"state": "gone"}).status_code == 422


# -- log -------------------------------------------------------------------------------------------------


def test_the_log_is_shown_in_pages_newest_first(db: Database, organiser: Visitor, campaign: int) -> None:
    many = 2 * ENTRIES + 5
    with db.begin() as tx:
        for number in range(many):
            journal.record(tx, db, campaign, "leased", number=number)
    page, seen = organiser.get(f"{HOME}/log"), []
    for _ in range(3):
        seen += rows(page)[1:]
        older = re.search(r'href="([^"]+\?before=\d+)"', page.text)
        if older:
            page = organiser.get(older[1])
    assert older is None
    assert [cells[4] for cells in seen[:many]] == [f"number {n}" for n in reversed(range(many))]
    assert seen[0][:4] == ["1 Mar 2026, 12:00", "took work", "", ""]
    assert seen[-1][1] == "campaign created"
    assert len(seen) == len(journal.entries(db, campaign, limit=1000))


def test_the_log_refuses_what_is_no_place_in_it(organiser: Visitor) -> None:
    for before in ("x", "0", "-1", 2**70):
        assert organiser.get(f"{HOME}/log?before={before}").status_code == 422


# -- changes are protected -------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["no token", "wrong token", "another site", "observer", "judge", "nobody"])
def test_every_change_needs_an_organiser_and_their_own_form(app: FastAPI, db: Database, how: str) -> None:
    target = add_person(db, "news", Role.JUDGE, "Target")
    person = f"/people/{target.pseudonym}"
    changes: dict[str, dict[str, str]] = {
        "/people": {"name": "New", "role": "organiser"},
        f"{person}/invite": {},
        f"{person}/revoke": {},
        f"{person}/pseudonymise": {},
        f"{person}/langs": {"langs": "de-en"},
        "/people/many": {"names": "New"},
        "/people/many/links": {"names": "New", "mark": "1-0-0"},
        "/settings": {"revision": "1", "settings": "schema = 1\n"},
        "/settings/state": {"state": "closed"},
    }
    role = {"observer": Role.OBSERVER, "judge": Role.JUDGE}.get(how, Role.ORGANISER)
    guest = visitor(app) if how == "nobody" else staff(app, role, "Guest")
    token = {"no token": {}, "wrong token": {"csrf": "0" * 64}, "nobody": {}}.get(how)
    token = {"csrf": csrf_in(guest.page)} if token is None else token
    headers = {"Origin": "https://evil.example"} if how == "another site" else {}
    before = everything(db)
    for path, fields in changes.items():
        answer = guest.client.post(HOME + path, data={**fields, **token}, headers=headers)
        assert answer.status_code == (401 if how == "nobody" else 403), path
    assert everything(db) == before


# -- export ----------------------------------------------------------------------------------------------


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that nothing else uses."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize("kind", DOWNLOADS)
def test_judgments_are_downloaded_and_read_back(
    db: Database, observer: Visitor, campaign: int, tmp_path: Path, temporary: Path, kind: str
) -> None:
    ann = judge_fr(db, 4)
    skip(db, ann)
    download = observer.get(f"{HOME}/export/judgments?format={kind}")
    assert download.status_code == 200
    ending = DOWNLOADS[kind].ending
    assert download.headers["content-disposition"] == f'attachment; filename="news-judgments.{ending}"'
    assert download.headers["content-type"].partition(";")[0] == DOWNLOADS[kind].media
    assert int(download.headers["content-length"]) == len(download.content)
    place = tmp_path / f"got.{ending}"
    place.write_bytes(download.content)
    judgments = pm.read(place)
    assert len(judgments) == 4 * 3  # the pairs of three systems on each screen
    assert judgments.systems == SYSTEMS
    outcomes = judgments.to_rows()
    before = outcomes["system_a"] < outcomes["system_b"]
    assert [won == (1 if first else -1) for won, first in zip(outcomes["outcome"], before, strict=True)] == [True] * 12
    assert set(outcomes["judge"]) == {ann.pseudonym}
    assert set(outcomes["lang_pair"]) == {"fr-en"}
    assert list(temporary.iterdir()) == []
    (noted,) = events(db, campaign, "exported")
    assert noted.by == "Otto Observer"
    assert noted.body == {"what": "judgments", "format": kind, "controls": False, "judgments": 12}


def shared_texts() -> TestSet:
    """Texts in which two of four systems always say the same."""
    texts = sample_texts(4, SYSTEMS)
    return make(texts.langs, texts.segments, {**texts.outputs, "delta-mt": texts.outputs["gamma-mt"]})


@pytest.mark.parametrize("kind", DOWNLOADS)
def test_controls_and_shared_outputs_fit_every_format(app: FastAPI, db: Database, tmp_path: Path, kind: str) -> None:
    options = {"screen.outputs": 4, "controls.degraded": 0.5}
    new_campaign(db, shared_texts(), name="shared", **options)
    judge = new_judge(db, "bob", campaign="shared")
    for rng in (Always(0), Always(1)):
        view = next_view(db, judge, rng=rng)
        assert view is not None
        submit(db, judge, view.id, Answer((1, 2, 3)), submission="s")
    guest, systems = staff(app, Role.OBSERVER, campaign="shared"), {*SYSTEMS, "delta-mt"}
    for asked, found in (("", systems), ("&controls=1", {*systems, "palmares:degraded"})):
        download = guest.get(f"/c/shared/manage/export/judgments?format={kind}{asked}")
        assert download.status_code == 200, words(download.text)
        place = tmp_path / f"got.{DOWNLOADS[kind].ending}"
        place.write_bytes(download.content)
        assert set(pm.read(place).systems) == found


def test_shared_outputs_as_one_system(app: FastAPI, db: Database, tmp_path: Path) -> None:
    new_campaign(db, shared_texts(), name="shared", **ALL_SHOWN)
    judge = new_judge(db, "bob", campaign="shared")
    view = next_view(db, judge)
    assert view is not None
    submit(db, judge, view.id, Answer((1, 2, 3)), submission="s")
    guest = staff(app, Role.OBSERVER, campaign="shared")
    place = tmp_path / "got.jsonl"
    place.write_bytes(guest.get("/c/shared/manage/export/judgments?format=jsonl&collapse=1").content)
    assert pm.read(place, options=pm.ReadOptions(merged="collapse")).systems == (
        "alpha-mt",
        "beta-mt",
        "delta-mt,gamma-mt",
    )


def test_screens_are_downloaded_with_their_texts(
    db: Database, observer: Visitor, campaign: int, temporary: Path
) -> None:
    ann = judge_fr(db, 2)
    skip(db, ann)
    download = observer.get(f"{HOME}/export/screens")
    assert download.headers["content-disposition"] == 'attachment; filename="news-screens.jsonl"'
    lines = [json.loads(line) for line in download.text.splitlines()]
    assert [line["skip"] for line in lines] == [None, None, "other"]
    assert {line["judge"] for line in lines} == {ann.pseudonym}
    assert all(line["source"].startswith("Phrase numéro") for line in lines)
    assert sorted(s for o in lines[0]["outputs"] for s in o["systems"]) == list(SYSTEMS)
    assert list(temporary.iterdir()) == []
    (noted,) = events(db, campaign, "exported")
    assert (noted.by, noted.body) == ("Otto Observer", {"what": "screens", "revisions": False, "screens": 3})


def test_replaced_answers_are_downloaded_if_wanted(db: Database, observer: Visitor) -> None:
    ann = new_judge(db, "Ann Judge")
    view = next_view(db, ann)
    assert view is not None
    for revision in range(3):
        ranks = (1 + revision, 1, 1)
        submit(db, ann, view.id, Answer(ranks), submission=f"s{revision}", revision=revision)
    assert len(observer.get(f"{HOME}/export/screens").text.splitlines()) == 1
    assert len(observer.get(f"{HOME}/export/screens?revisions=1").text.splitlines()) == 3


@pytest.mark.parametrize(("formulas", "name"), [("keep", "=mt"), ("escape", "'=mt")])
def test_names_of_systems_in_a_download(app: FastAPI, db: Database, formulas: str, name: str) -> None:
    new_campaign(db, sample_texts(2, ("=mt", "b-mt")), name="odd", **{"screen.outputs": 2})
    judge = new_judge(db, "bob", campaign="odd")
    view = next_view(db, judge)
    assert view is not None
    submit(db, judge, view.id, Answer((1, 2)), submission="s")
    guest = staff(app, Role.OBSERVER, campaign="odd")
    got = guest.get(f"/c/odd/manage/export/judgments?format=csv&formulas={formulas}").text
    (line,) = csv.DictReader(io.StringIO(got))
    assert name in (line["system_a"], line["system_b"])
    refused = guest.get("/c/odd/manage/export/judgments?format=csv&formulas=refuse")
    assert refused.status_code == 422
    assert "a spreadsheet would run" in refused.text


def test_before_there_is_anything_to_export_the_page_says_so(
    db: Database, observer: Visitor, campaign: int, temporary: Path
) -> None:
    page = observer.get(f"{HOME}/export")
    assert page.status_code == 200
    assert "There is nothing to export yet" in page.text
    assert "Download" not in page.text
    for path in (*(f"judgments?format={kind}" for kind in DOWNLOADS), "screens"):
        refused = observer.get(f"{HOME}/export/{path}")
        assert refused.status_code == 404
        assert "There is nothing to export yet" in refused.text
        assert "content-disposition" not in refused.headers
    assert events(db, campaign, "exported") == []
    assert list(temporary.iterdir()) == []


def test_an_unknown_format_is_refused_by_name(db: Database, observer: Visitor, campaign: int) -> None:
    judge_fr(db, 1)
    page = observer.get(f"{HOME}/export/judgments", params={"format": HOSTILE})
    assert page.status_code == 422
    assert "allowed: csv, jsonl, parquet, wmt, appraise" in words(page.text)
    assert "<script" not in page.text
    assert events(db, campaign, "exported") == []


def test_earlier_settings_are_used_again_as_a_new_revision(db: Database, campaign: int, organiser: Visitor) -> None:
    olga = find_person(db, "news", "Olga Organiser")
    with db.read() as tx:
        first = settings_of(tx, campaign)
    change_settings(db, "news", first.replace(**{"screen.outputs": 2}), by=olga.id)
    organiser.get(f"{HOME}/settings")
    assert organiser.post(f"{HOME}/settings/again", {"revision": "1", "newest": "1"}).status_code == 409
    organiser.get(f"{HOME}/settings")
    done = organiser.post(f"{HOME}/settings/again", {"revision": "1", "newest": "2"})
    assert "now at revision 3" in words(done.text)
    with db.read() as tx:
        assert settings_of(tx, campaign) == first
    cells = row(done, "3 : show this revision")
    assert (cells[2], cells[3], cells[4]) == ("Olga Organiser", "screen.outputs: 2 → 3", "in force")
    for number in ("0", "9", "x", "²"):
        organiser.get(f"{HOME}/settings")
        assert organiser.post(f"{HOME}/settings/again", {"revision": number, "newest": "3"}).status_code == 404
