"""The JSON interface: what it promises in its description, and once is once."""

from __future__ import annotations

import pytest
import schemathesis
import sqlalchemy as sa
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from stores import Clock, new_campaign, new_judge
from webs import Visitor, signed_in, visitor

from palmares.campaign import schema
from palmares.campaign.database import Database

pytestmark = pytest.mark.any_database

RANKS = [1, 2, 2, 4, 5]


@pytest.fixture
def ann(app: FastAPI, db: Database) -> Visitor:
    new_campaign(db)
    return signed_in(app, new_judge(db))


def work(guest: Visitor) -> tuple[str, dict[str, str]]:
    """The address of the screen to answer, and the header that writing needs."""
    answer = guest.get("/api/v1/news/work").json()
    return f"/api/v1/news/screens/{answer['screen']}", {"X-CSRF-Token": answer["csrf"]}


def judgments(db: Database) -> int:
    with db.read() as tx:
        return int(tx.execute(sa.select(sa.func.count()).select_from(schema.judgment)).scalar_one())


def test_a_program_can_judge(ann: Visitor, db: Database) -> None:
    path, headers = work(ann)
    shown = ann.get(path).json()
    assert [option["place"] for option in shown["options"]] == [1, 2, 3, 4, 5]
    assert shown["ranks"] == [None] * 5
    body = {"ranks": RANKS, "submission": "s1", "seconds": 3.5}
    receipt = ann.client.post(f"{path}/answer", json=body, headers=headers).json()
    progress = {"done": 1, "target": 12}
    assert receipt == {
        **{"revision": 1, "repeated": False, "late": False, "next": "/c/news/judge"},
        **{"state": "open", "over": False, "progress": progress, "screen": None, "page": None},
    }
    assert ann.get("/api/v1/news/work").json()["progress"] == progress


def test_the_next_screen_comes_with_the_receipt(ann: Visitor, db: Database) -> None:
    path, headers = work(ann)
    for number in range(1, 5):  # from HIT to HIT as within one
        body = {"ranks": RANKS, "submission": f"s{number}", "then": "screen"}
        receipt = ann.client.post(f"{path}/answer", json=body, headers=headers).json()
        assert receipt["page"] is None
        following = receipt["screen"]
        assert following["id"] == ann.get("/api/v1/news/work").json()["screen"]
        path = f"/api/v1/news/screens/{following['id']}"
        assert ann.get(path).json() == following
    body = {"ranks": RANKS, "submission": "page", "then": "page"}
    receipt = ann.client.post(f"{path}/answer", json=body, headers=headers).json()
    assert receipt["screen"] is None
    page = receipt["page"]
    assert page["address"] == f"/c/news/judge/screens/{ann.get('/api/v1/news/work').json()['screen']}"
    assert page["address"] in page["html"]


def test_the_next_hit_comes_ahead_to_who_has_one_screen_left(ann: Visitor, db: Database) -> None:
    path, headers = work(ann)
    for number in range(2):
        given = ann.client.post("/api/v1/news/ahead", headers=headers)
        assert given.json() == {"state": "open", "page": None}
        ann.client.post(f"{path}/answer", json={"ranks": RANKS, "submission": f"s{number}"}, headers=headers)
        path, _ = work(ann)
    assert ann.client.post("/api/v1/news/ahead").status_code == 403  # it changes something
    page, again = (ann.client.post("/api/v1/news/ahead", headers=headers).json()["page"] for _ in range(2))
    assert page["address"] == again["address"]
    assert page["address"] in page["html"]
    ann.client.post(f"{path}/answer", json={"ranks": RANKS, "submission": "last"}, headers=headers)
    assert page["address"] == f"/c/news/judge/screens/{ann.get('/api/v1/news/work').json()['screen']}"


def test_the_same_submission_again_changes_nothing(ann: Visitor, db: Database) -> None:
    path, headers = work(ann)
    body = {"ranks": RANKS, "submission": "s1"}
    first = ann.client.post(f"{path}/answer", json=body, headers=headers).json()
    again = [ann.client.post(f"{path}/answer", json=body, headers=headers).json() for _ in range(3)]
    assert first["repeated"] is False
    assert all(receipt == {**first, "repeated": True} for receipt in again)
    # A replay of the old one after a change does not bring it back.
    change = {"ranks": [5, 4, 3, 2, 1], "submission": "s2", "revision": 1}
    assert ann.client.post(f"{path}/answer", json=change, headers=headers).json()["revision"] == 2
    assert ann.client.post(f"{path}/answer", json=body, headers=headers).json()["repeated"] is True
    assert ann.get(path).json()["ranks"] == [5, 4, 3, 2, 1]
    assert judgments(db) == 2


def test_a_different_answer_from_an_old_form_is_a_conflict(ann: Visitor, db: Database) -> None:
    path, headers = work(ann)
    ann.client.post(f"{path}/answer", json={"ranks": RANKS, "submission": "s1"}, headers=headers)
    other = {"ranks": [5, 4, 3, 2, 1], "submission": "s2"}
    refused = ann.client.post(f"{path}/answer", json=other, headers=headers)
    assert refused.status_code == 409
    assert refused.json()["error"]["stored"] == {"revision": 1, "ranks": RANKS, "skip": None, "verdict": None}
    shown = ann.get(path).json()
    assert (shown["revision"], shown["ranks"]) == (1, [5, 4, 3, 2, 1])  # kept as a draft
    assert judgments(db) == 1


def test_drafts_are_numbered_and_a_newer_one_is_not_overwritten(ann: Visitor) -> None:
    path, headers = work(ann)

    def save(ranks: list[int | None], version: int) -> tuple[int, dict]:
        answer = ann.client.put(f"{path}/draft", json={"ranks": ranks, "version": version}, headers=headers)
        return answer.status_code, answer.json()

    none = [None] * 4
    assert save([1, *none], 0) == (200, {"version": 1})
    assert save([2, *none], 1) == (200, {"version": 2})
    status, refused = save([3, *none], 1)
    assert status == 409
    assert refused["error"]["stored"] == {"version": 2, "ranks": [2, *none]}
    assert ann.get(path).json()["ranks"] == [2, *none]


def test_incomplete_ranks_are_named(ann: Visitor) -> None:
    path, headers = work(ann)
    body = {"ranks": [1, None, 2, 3, None], "submission": "s1"}
    refused = ann.client.post(f"{path}/answer", json=body, headers=headers)
    assert (refused.status_code, refused.json()["error"]["missing"]) == (422, [2, 5])


def test_an_answer_after_the_lease_has_run_out_is_kept_and_marked(ann: Visitor, db: Database, clock: Clock) -> None:
    path, headers = work(ann)
    clock.forward(hours=2)
    receipt = ann.client.post(f"{path}/answer", json={"ranks": RANKS, "submission": "s1"}, headers=headers).json()
    assert receipt["late"] is True
    assert judgments(db) == 1


def test_a_clock_that_jumps_loses_nothing_and_locks_nothing(
    app: FastAPI, ann: Visitor, db: Database, clock: Clock
) -> None:
    for hours in (-48, 96, -96, 48):
        path, headers = work(ann)
        clock.forward(hours=hours)
        body = {"ranks": RANKS, "submission": f"s{hours}"}
        assert ann.client.post(f"{path}/answer", json=body, headers=headers).status_code == 200
    assert judgments(db) == 4
    clock.forward(days=2)  # what ann left lies untouched, and all 12 segments are bob's to judge
    bob = signed_in(app, new_judge(db, "bob"))
    for number in range(12):
        path, headers = work(bob)
        body = {"ranks": RANKS, "submission": f"b{number}"}
        assert bob.client.post(f"{path}/answer", json=body, headers=headers).status_code == 200
    assert judgments(db) == 16


@pytest.mark.parametrize(
    "body",
    [
        b"not json",
        b'{"ranks": [1,2,3,4,5]}',
        b'{"ranks": [1,2,3,4,5], "submission": "s", "more": 1}',
        b'{"ranks": ["1",2,3,4,5], "submission": "s"}',
        b'{"ranks": [true,2,3,4,5], "submission": "s"}',
        b'{"ranks": [1,2,3,4,5], "submission": "a b"}',
        b'{"ranks": [1,2,3,4,5], "skip": "other", "submission": "s"}',
        b'{"skip": "other", "note": "a\\u0000b", "submission": "s"}',
        b'{"skip": "other", "note": "\\ud800", "submission": "s"}',
        b'{"ranks": [1,2,3,4,5], "submission": "s", "revision": 99999999999}',
    ],
)
def test_nonsense_has_one_shape_of_refusal(ann: Visitor, db: Database, body: bytes) -> None:
    path, headers = work(ann)
    refused = ann.client.post(f"{path}/answer", content=body, headers={**headers, "Content-Type": "application/json"})
    assert refused.status_code == 422
    assert set(refused.json()["error"]) >= {"kind", "message"}
    assert judgments(db) == 0


def test_an_unexpected_error_tells_only_a_number(app: FastAPI, db: Database, caplog: pytest.LogCaptureFixture) -> None:
    new_campaign(db)
    guest = visitor(app, raise_server_exceptions=False)
    with db.begin() as tx:
        tx.execute(sa.text("drop table rate"))  # a fault that no handler expects
    answer = guest.get("/join/x", headers={"Accept": "application/json"})
    assert answer.status_code in (500, 503)
    assert "rate" not in answer.text
    assert "select" not in answer.text.lower()


def test_what_the_description_promises_holds(app: FastAPI, db: Database) -> None:
    """Schemathesis makes requests from the OpenAPI description, good and bad, as a signed-in judge."""
    new_campaign(db, **{"limits.writes_per_minute": 1_000_000})
    guest = signed_in(app, new_judge(db))
    csrf = guest.get("/api/v1/news/work").json()["csrf"]
    cookie = "; ".join(f"{name}={value}" for name, value in guest.client.cookies.items())
    described = schemathesis.openapi.from_asgi("/openapi.json", app)
    operations = 0

    for result in described.get_all_operations():
        operation = result.ok()
        if not {"Judging", "The server"} & set(operation.definition.raw["tags"]):
            continue  # `test_server_programs` tries them all
        operations += 1

        @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def check(case: schemathesis.Case) -> None:
            case.call_and_validate(
                headers={"Cookie": cookie, "X-CSRF-Token": csrf},
                checks=(not_a_server_error, status_code_conformance, content_type_conformance,
                        response_schema_conformance),
            )  # fmt: skip

        check()
    assert operations == 6
