"""Attacks on every route there is, those of tomorrow included: hostile words in whatever people can write, hostile
values in every parameter and field. Nothing runs, nothing gets in, and nothing ends in an error of the server.

Who may use which route is tested in `test_server_access.py`, tokens in `test_server_programs.py`, uploads in
`test_server_setup.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from results import LIVE, look_until_complete, quickly  # noqa: F401
from stores import new_campaign, new_judge
from studies import analysing
from webs import Visitor, signed_in, staff, visitor

from palmares.campaign import Role, schema
from palmares.campaign.clients import add_client
from palmares.campaign.database import Database
from palmares.campaign.left_out import leave_out
from palmares.campaign.people import Person
from palmares.server.access import declared_roles, routes
from palmares.texts import LanguagePair, Segment
from palmares.texts.testset import make

pytestmark = pytest.mark.any_database

#: A mark by which an attack is found again, whatever became of the signs around it.
MARK = "zq9"
ATTACK = f"\"'><img src=x onerror=alert({MARK})><script>{MARK}()</script>{{{{7*7}}}}"
ORDERS = (
    "' or '1'='1",
    "1; drop table judgment; --",
    '") union select digest from session --',
    "../../../../etc/passwd",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "nul\x00byte",
    "half\ud83dcharacter".encode("utf-8", "replace").decode(),
    "9" * 40,
    "-1",
    "１２",
    "a" * 5000,
    "\r\nSet-Cookie: palmares-staff-news=stolen",
)


#: Forms that would end the session or the campaign.
ENDING = ("/leave/", "/end", "delete", "pseudonymise", "revoke", "state")


class Reader(HTMLParser):
    """A page as a browser would take it apart: what in it could run."""

    def __init__(self) -> None:
        super().__init__()
        self.dangers: list[str] = []
        self._script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._script = tag == "script"
        self.dangers += [f"<{tag} {name}>" for name in given if name.startswith("on") or name == "style"]
        if tag in ("img", "iframe", "object", "embed") and (given.get("src") or given.get("data")) == "x":
            self.dangers.append(f"<{tag}>")
        for name in ("href", "src", "action", "formaction"):
            if (given.get(name) or "").strip().lower().startswith(("javascript:", "vbscript:", "data:text")):
                self.dangers.append(f"<{tag} {name}={given[name]}>")

    def handle_endtag(self, tag: str) -> None:
        self._script = False

    def handle_data(self, data: str) -> None:
        if self._script and MARK in data:
            self.dangers.append(f"script: {data}")


def dangers(page: Any) -> list[str]:
    """What could run on a page that an attack got into; templates must not have been filled twice either."""
    if "html" not in page.headers.get("content-type", ""):
        return [] if page.headers.get("x-content-type-options") == "nosniff" else ["may be taken for a page"]
    reader = Reader()
    reader.feed(page.text)
    return reader.dangers + (["{{7*7}} was computed"] if re.search(rf"{MARK}\(\).{{0,20}}49", page.text) else [])


@pytest.fixture
def people(app: FastAPI, db: Database) -> dict[str, Visitor]:
    """A campaign in which everything that somebody could write is an attack, and who looks at it."""
    lines = range(12)
    names = (f"A{ATTACK}", f"B{ATTACK}", "C")
    segments = [Segment(f"{n}{ATTACK}", f"d{ATTACK}", f"{n} {ATTACK}", f"reference {ATTACK}") for n in lines]
    outputs = {name: [f"{number} {n} word {number} {ATTACK}" for n in lines] for number, name in enumerate(names)}
    hostile = dict.fromkeys(
        ("task.question", "words.instructions", "words.consent", "crowd.pay", "crowd.contact"), ATTACK
    )
    texts = make(LanguagePair.parse("fr-en"), segments, outputs)
    new_campaign(db, texts, **{**LIVE, **hostile, "screen.outputs": 2, "overlap.share": 0.5, "screen.reference": True})
    judges = [new_judge(db, f"{name}{ATTACK}") for name in ("ann", "bob")]
    organiser = staff(app, Role.ORGANISER, f"olga{ATTACK}")
    write_notes(app, judges)
    with db.read() as tx:
        olga = tx.execute(sa.select(schema.person.c.id).where(schema.person.c.name == f"olga{ATTACK}")).scalar_one()
    add_client(db, "news", f"program{ATTACK}", "judge", by=olga)
    leave_out(db, judges[1], f"because {ATTACK}", by=olga)
    with analysing(db) as analyst:
        look_until_complete(db, analyst)
    return {
        "judge": signed_in(app, judges[0]),
        "observer": staff(app, Role.OBSERVER, f"oscar{ATTACK}"),
        "organiser": organiser,
        "stranger": visitor(app),
    }


def write_notes(app: FastAPI, judges: list[Person]) -> None:
    """Judges who answer through the interface, with a note each time."""
    for person in judges:
        guest = signed_in(app, person)
        for number in range(4):
            work = guest.get("/api/v1/news/work").json()
            body = {"ranks": [1, 2], "submission": f"s{number}", "note": f"note {ATTACK}", "problem": number == 1}
            if number == 3:
                body |= {"ranks": None, "skip": "other"}
            sent = guest.client.post(
                f"/api/v1/news/screens/{work['screen']}/answer", json=body, headers={"X-CSRF-Token": work["csrf"]}
            )
            assert sent.status_code == 200, sent.text


def paths_of(app: FastAPI, db: Database, method: str) -> Iterator[tuple[str, Any]]:
    """Every route with this method, with numbers and names that are there in its path."""
    with db.read() as tx:
        person = (
            tx.execute(sa.select(schema.person.c.pseudonym).where(schema.person.c.role == "judge")).scalars().first()
        )
        screen = tx.execute(sa.select(schema.served.c.public_id)).scalars().first()
    there = {"campaign": "news", "pseudonym": person, "screen_id": screen, "pair": "fr-en", "langs": "fr-en"}
    for route in routes(app):
        if method in route.methods:
            yield re.sub(r"\{(\w+)(:\w+)?\}", lambda found: str(there.get(found[1], 1)), str(route.path)), route


def test_what_people_write_runs_on_no_page(app: FastAPI, db: Database, people: dict[str, Visitor]) -> None:
    """Every page that anybody may open, with attacks in all names, texts, notes and settings."""
    looked, with_attack = 0, set()
    for path, _ in paths_of(app, db, "GET"):
        if path.endswith("/events"):  # a stream, which has no end
            continue
        for name, guest in people.items():
            page = guest.client.get(path)
            assert page.status_code < 500, (name, path, page.text[:500])
            assert dangers(page) == [], (name, path)
            looked += 1
            if MARK in page.text and "html" in page.headers.get("content-type", ""):
                with_attack.add(path)
    assert looked > 150
    assert len(with_attack) > 15, with_attack  # the attacks are there, as text


def test_hostile_values_in_addresses_are_refused_in_words(
    app: FastAPI, db: Database, people: dict[str, Visitor]
) -> None:
    """Every parameter of every route, in the path and behind the question mark, by who may use it and who may not."""
    rng, tried = Random(1), 0
    before = rows(db)
    for method in ("GET", "POST", "PUT", "DELETE"):
        for route in routes(app):
            if method not in route.methods or str(route.path).endswith("/events"):
                continue
            queries = [parameter.alias for parameter in route.dependant.query_params]
            for order in rng.sample(ORDERS, 4):
                path = re.sub(
                    r"\{(\w+)(:\w+)?\}",
                    lambda found, order=order: "news" if found[1] == "campaign" else _in_path(order),
                    str(route.path),
                )
                guest = people[rng.choice(list(people))] if declared_roles(route) else people["stranger"]
                answer = guest.client.request(
                    method, path, params=dict.fromkeys(queries, order), follow_redirects=False
                )
                assert answer.status_code < 500, (method, path, order, answer.text[:500])
                assert "stolen" not in answer.headers.get("set-cookie", "")
                assert "root:" not in answer.text
                tried += 1
    assert tried > 250
    assert rows(db) == before


def test_hostile_values_in_forms_break_nothing(app: FastAPI, db: Database, people: dict[str, Visitor]) -> None:
    """Every form that an organiser finds on any page, its text fields filled by attacks and orders to the database."""
    olga, rng, sent = people["organiser"], Random(2), 0
    judged_before = rows(db)["judgment"]
    for path, route in paths_of(app, db, "GET"):
        if Role.ORGANISER not in (declared_roles(route) or ()) or path.endswith("/events") or "/export" in path:
            continue
        page = olga.get(path)
        for action, fields in forms(page.text):
            if any(
                word in action for word in ("leave", "/end", "delete", "pseudonymise", "revoke", "publish", "state")
            ):
                continue  # what would end the test, or belongs to tests of its own
            for value in (ATTACK, *rng.sample(ORDERS, 2)):
                filled = {name: value if kind == "text" else given for name, (kind, given) in fields.items()}
                answer = olga.client.post(action, data=filled, follow_redirects=True)
                assert answer.status_code < 500, (path, action, value, answer.text[:500])
                assert dangers(answer) == [], (path, action, value)
                sent += 1
    assert sent > 20
    assert rows(db)["judgment"] == judged_before


# -- inside ------------------------------------------------------------------------------------------------


def _in_path(order: str) -> str:
    return quote(order[:300], safe="")


def rows(db: Database) -> dict[str, int]:
    """How many rows there are of what an attack would add, change or remove."""
    tables = ("campaign", "person", "session", "judgment", "setting", "left_out", "publication", "client", "system")
    with db.read() as tx:
        return {name: tx.execute(sa.select(sa.func.count()).select_from(schema.metadata.tables[name])).scalar_one()
                for name in tables}  # fmt: skip


def forms(text: str) -> list[tuple[str, dict[str, tuple[str, str]]]]:
    """The forms of a page that change something: where they go, and their fields with kind and value."""
    found = []
    for form in re.findall(r"<form\b[^>]*method=\"post\"[^>]*>.*?</form>", text, re.DOTALL):
        action = re.search(r'action="([^"]*)"', form)
        if action is None:
            continue
        fields: dict[str, tuple[str, str]] = {}
        for tag in re.findall(r"<(?:input|textarea|select)\b[^>]*>", form):
            given = dict(re.findall(r'(\w+)="([^"]*)"', tag))
            if "name" not in given or given.get("type") == "file":
                continue
            free = tag.startswith("<textarea") or given.get("type", "text") in (
                "text",
                "search",
                "number",
                "datetime-local",
            )
            fields.setdefault(given["name"], ("text" if free else "kept", given.get("value", "")))
        found.append((action[1].partition("#")[0], fields))
    return found
