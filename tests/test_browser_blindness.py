"""Nothing that reaches a judge's browser tells which system is which: no page, script, header, cookie or address."""

from __future__ import annotations

import json

import pytest
import sqlalchemy as sa
from browsers import Visit, on_sqlite, stored
from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from stores import new_campaign, new_judge, sample_texts

from palmares.campaign import Role, schema
from palmares.campaign.database import Database
from palmares.campaign.people import add_person, invite

pytestmark = pytest.mark.any_database

SYSTEMS = ("quokka-alpha", "quokka-beta", "quokka-gamma", "quokka-delta", "quokka-epsilon", "quokka-zeta")
#: Numbers of systems, outputs and other rows begin here, so that they can be told from all other numbers of a page.
FAR = 7_350_000_000
TABLES = ("system", "output", "segment")


def number_from_far(db: Database) -> None:
    """Let the rows of some tables be numbered from `FAR` on."""
    new_campaign(db, sample_texts(1), name="other")
    with db.begin() as tx:
        for name in TABLES:
            if db.dialect == "postgresql":
                tx.execute(sa.text(f"select setval(pg_get_serial_sequence('{name}', 'id'), {FAR})"))
                continue
            table = schema.metadata.tables[name]
            row = dict(tx.execute(sa.select(table)).mappings().first() or {})
            row.update(id=FAR, **({"name": "far"} if "name" in row else {}))
            row.update(**({"position": 99} if "position" in row else {}))
            tx.execute(table.insert().values(row))


class Recorder:
    """Write down every answer as it leaves the server: path, headers, body."""

    def __init__(self, app: ASGIApp, answers: list[bytearray]) -> None:
        self.app, self.answers = app, answers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = bytearray(str(scope.get("path")).encode())
        self.answers.append(answer)

        async def send_and_record(message: Message) -> None:
            for name, value in message.get("headers", ()):
                answer.extend(b"\n" + name + b": " + value)
            answer.extend(b"\n" + message.get("body", b""))
            await send(message)

        await self.app(scope, receive, send_and_record)


def test_systems_cannot_be_told_from_anything_a_browser_gets(visit: Visit, db: Database, app: FastAPI) -> None:
    answers: list[bytearray] = []
    app.add_middleware(Recorder, answers=answers)  # the outermost
    number_from_far(db)
    new_campaign(db, sample_texts(12, SYSTEMS), **{"judge.practice": True, "controls.degraded": 0.5})
    ann = visit()
    ann.join(invite(db, add_person(db, "news", Role.JUDGE, "ann")))
    page = ann.page
    page.get_by_label("I have read this and agree.").check()
    page.get_by_role("button", name="Continue to a practice screen").click()
    page.wait_for_url("**/screens/*")
    ann.rank(1, 2, 3, 4, 5)
    ann.submit()
    page.wait_for_url("**/practised/*")
    page.get_by_role("link", name="Start").click()
    page.wait_for_url("**/screens/*")
    page.wait_for_load_state("networkidle")
    for _ in range(3):
        ann.answer(1, 2, 3, 4, 5)
        page.wait_for_load_state("networkidle")
    page.evaluate("fetch('/api/v1/news/work').then(answer => answer.text())")
    shown = page.evaluate("screen => fetch(`/api/v1/news/screens/${screen}`).then(answer => answer.text())", ann.screen)

    cookies, kept = page.context.cookies(), page.evaluate("JSON.stringify(localStorage)")
    everything = [kept, json.dumps(cookies), *(answer.decode() for answer in answers)]
    assert len(stored(db)) == 3
    for part in ("/static/", "/screens/", "/work\n", "things here now", "content-security-policy", "set-cookie"):
        assert any(part in text for text in everything), part
    for secret in secrets_of(db):
        assert not [text for text in everything if secret in text], secret
    assert_nothing_but_places(shown)


def secrets_of(db: Database) -> list[str]:
    """What no judge may see: names and numbers of systems and outputs, and that an output was damaged on purpose."""
    with db.read() as tx:
        campaign = tx.execute(sa.select(schema.campaign.c.id).where(schema.campaign.c.name == "news")).scalar_one()
        pairs = sa.select(schema.language_pair.c.id).where(schema.language_pair.c.campaign_id == campaign)
        systems = tx.execute(sa.select(schema.system.c.id, schema.system.c.name)
                             .where(schema.system.c.language_pair_id.in_(pairs))).all()  # fmt: skip
        outputs = list(tx.scalars(sa.select(schema.output.c.id).where(schema.output.c.id > FAR)))
    assert {name for _, name in systems} == set(SYSTEMS)
    assert len(outputs) >= 12 * len(SYSTEMS)
    numbers = [str(number) for number in (*outputs, *(number for number, _ in systems))]
    assert all(len(number) == len(str(FAR)) for number in numbers)
    return [*SYSTEMS, "quokka", *numbers, "degraded"]


def assert_nothing_but_places(screen: str) -> None:
    """The JSON of a screen tells of an output its place from the top and what it says."""
    options = json.loads(screen)["options"]
    assert [set(option) for option in options] == [{"place", "text", "turns"}] * len(options)
    assert [option["place"] for option in options] == list(range(1, len(options) + 1))


@on_sqlite
def test_two_judges_of_one_screen_see_other_orders_and_other_addresses(visit: Visit, db: Database) -> None:
    new_campaign(db, sample_texts(12), **{"overlap.redundancy": 6})
    judges = [visit(new_judge(db, name)) for name in ("ann", "ben", "eva", "ida", "ole")]
    shown = [tuple(judge.page.locator(".output .text").all_inner_texts()) for judge in judges]
    assert len({frozenset(texts) for texts in shown}) == 1  # all were given the same screen
    assert len(set(shown)) > 1  # five equal orders of five outputs: once in 200 million
    assert len({judge.page.url for judge in judges}) == 5
