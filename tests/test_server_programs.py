"""Programs over HTTP: what each token may do and nothing else, campaigns made and run by them, judging to the end."""

from __future__ import annotations

import io
import re
from typing import Any

import polars as pl
import pytest
import schemathesis
import sqlalchemy as sa
from fastapi import APIRouter, FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from manage_pages import events
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from stores import PLAIN, SYSTEMS, Clock, judge_screens, new_campaign, new_judge, sample_texts
from webs import signed_in, staff, visitor

from palmares.campaign import Role, schema
from palmares.campaign.clients import Scope, add_client, clients, revoke_client
from palmares.campaign.collected import collect
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings, find_campaign, settings_of
from palmares.campaign.people import find_person, people, redeem
from palmares.campaign.settings import Settings
from palmares.ingest.base import ReadOptions
from palmares.server.access import check_declarations, declared_roles, declared_scopes, routes, scoped

pytestmark = pytest.mark.any_database
API = "/api/v1/news"


def token_for(db: Database, scope: str, *, campaign: str | None = "news", name: str | None = None, **more: Any) -> str:
    return add_client(db, None if scope == "create" else campaign, name or f"{scope}-program", scope, **more)[1]


def program(app: FastAPI, token: str) -> TestClient:
    """A client that sends a token, and keeps no cookie."""
    return TestClient(app, headers={"Authorization": f"Bearer {token}"})


def of_scope(app: FastAPI, db: Database, scope: str, **more: Any) -> TestClient:
    return program(app, token_for(db, scope, **more))


def said(answer: Any) -> tuple[int, str]:
    """The status of a refusal, and its sentence; all have one shape."""
    error = answer.json()["error"]
    assert set(error) >= {"kind", "message"}
    return answer.status_code, error["message"]


def texts(segments: int = 4, systems: tuple[str, ...] = ("A", "B"), langs: str = "fr-en") -> dict[str, Any]:
    """As programs send them."""
    made = sample_texts(segments, systems)
    return {
        "langs": langs,
        "segments": [
            {"id": s.id, "source": s.source, "outputs": {name: made.outputs[name][i] for name in systems}}
            for i, s in enumerate(made.segments)
        ],
    }


# -- who may do what -------------------------------------------------------------------------------------


def test_every_token_may_do_what_its_scope_says_and_nothing_else(app: FastAPI, db: Database) -> None:
    """Every route below /api/, for a token of every scope, of another campaign, revoked, expired, made up, or none."""
    new_campaign(db)
    new_campaign(db, name="other")
    good = {Scope(scope): of_scope(app, db, scope) for scope in Scope}
    bad = {
        "other": (of_scope(app, db, "manage", campaign="other"), 403),
        "none": (TestClient(app), 401),
        "wrong": (program(app, "palmares_" + "x" * 43), 401),
        "empty": (program(app, ""), 401),
    }
    change_settings(db, "news", Settings().replace(**{**PLAIN, "limits.failed_joins_per_hour": 1000}))
    change_settings(db, "other", Settings().replace(**{**PLAIN, "limits.failed_joins_per_hour": 1000}))
    tried = 0
    for route in routes(app):
        allowed = declared_scopes(route)
        if not allowed:
            continue
        path = re.sub(r"\{\w+\}", "1", str(route.path).replace("{campaign}", "news"))
        for method in route.methods:
            for scope, guest in good.items():
                if scope not in allowed:
                    status, message = said(guest.request(method, path))
                    assert status == 403, (scope, method, path)
                    assert "needs a token of scope" in message or "not for this campaign" in message
                    tried += 1
            for who, (guest, wanted) in bad.items():
                if who == "other" and "{campaign}" not in str(route.path):
                    continue
                refused = guest.request(method, path)
                assert said(refused)[0] == wanted, (who, method, path, refused.text)
                if wanted == 401 and who != "none":
                    assert refused.headers["www-authenticate"] == "Bearer"
    assert tried > 40


def test_revoked_and_expired_tokens_are_told_so(app: FastAPI, db: Database, clock: Clock) -> None:
    new_campaign(db)
    client, token = add_client(db, "news", "dashboard", "read")
    ends = token_for(db, "read", name="short", days=1)
    assert program(app, token).get(f"{API}/status").status_code == 200
    revoke_client(db, client)
    clock.forward(days=1)
    assert said(program(app, token).get(f"{API}/status")) == (
        401,
        "this token was revoked; ask the organiser for another",
    )
    assert said(program(app, ends).get(f"{API}/status")) == (
        401,
        "this token has expired; ask the organiser for another",
    )


def test_wrong_tokens_are_counted_like_wrong_links_and_shut_nobody_out(app: FastAPI, db: Database) -> None:
    new_campaign(db, **{"limits.failed_joins_per_hour": 3})
    right = of_scope(app, db, "read")
    seen = [program(app, "x").get(f"{API}/status").status_code for _ in range(5)]
    assert seen == [401, 401, 401, 429, 429]
    assert int(program(app, "x").get(f"{API}/status").headers["retry-after"]) > 0
    assert right.get(f"{API}/status").status_code == 200
    assert visitor(app).get("/join/wrong").status_code == 404  # links are counted by themselves


def test_no_cookie_counts_beside_a_token_and_no_token_on_pages(app: FastAPI, db: Database) -> None:
    new_campaign(db)
    olga = staff(app, Role.ORGANISER)
    assert olga.client.get(f"{API}/status").status_code == 200
    for token, status in ((token_for(db, "judge"), 403), ("palmares_wrong", 401)):
        assert olga.client.get(f"{API}/status", headers={"Authorization": f"Bearer {token}"}).status_code == status
    # What is for a proxy before us is none of our business.
    assert olga.client.get(f"{API}/status", headers={"Authorization": "Basic b2xnYTp4"}).status_code == 200
    manage = of_scope(app, db, "manage")
    for route in routes(app):
        if declared_roles(route) and not declared_scopes(route):
            path = re.sub(r"\{\w+\}", "1", str(route.path).replace("{campaign}", "news"))
            for method in route.methods:
                assert manage.request(method, path, follow_redirects=False).status_code == 401, (method, path)


def test_an_organisers_cookie_needs_its_csrf_token_and_a_token_needs_none(app: FastAPI, db: Database) -> None:
    new_campaign(db)
    olga, body = staff(app, Role.ORGANISER), {"state": "paused"}
    assert olga.client.put(f"{API}/state", json=body).status_code == 403
    assert of_scope(app, db, "manage").put(f"{API}/state", json=body).json() == body
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert olga.client.put(f"{API}/state", json=body, headers=foreign).status_code == 403


def test_an_application_with_a_route_that_names_no_scope_is_not_made() -> None:
    app, router = FastAPI(openapi_url=None, docs_url=None, redoc_url=None), APIRouter()
    from palmares.server.access import PUBLIC, allow

    router.add_api_route("/api/v1/{campaign}/x", lambda campaign: None, dependencies=[allow(Role.ORGANISER)])
    app.include_router(router)
    with pytest.raises(TypeError, match="must declare the scope of its tokens"):
        check_declarations(app)
    for path, access in (("/c/{campaign}/x", scoped(Scope.READ)), ("/api/v1/x", PUBLIC)):
        other, one = FastAPI(openapi_url=None, docs_url=None, redoc_url=None), APIRouter()
        one.add_api_route(path, lambda: None, dependencies=[access])
        other.include_router(one)
        with pytest.raises(TypeError, match="must declare"):
            check_declarations(other)


def test_a_token_to_read_tells_no_names_of_judges(app: FastAPI, db: Database) -> None:
    new_campaign(db)
    new_judge(db, "Xanthippe")
    for path in ("status", "people", "notes", "settings"):
        assert "Xanthippe" not in of_scope(app, db, "read").get(f"{API}/{path}").text
    assert "Xanthippe" in of_scope(app, db, "manage").get(f"{API}/people").text


def test_a_token_to_read_keeps_to_hidden_names(app: FastAPI, db: Database) -> None:
    new_campaign(db, sample_texts(12, ("quokka-one", "quokka-two")), **{"screen.outputs": 2, "results.names": "hidden"})
    judge_screens(db, new_judge(db), 3)
    reader, manager = (of_scope(app, db, scope) for scope in ("read", "manage"))
    told = reader.get(f"{API}/status")
    assert told.json()["pairs"][0]["systems"] == ["system A", "system B"]
    for path in ("results", "notes", "export/judgments", "export/screens"):
        status, message = said(reader.get(f"{API}/{path}"))
        assert (status, "are hidden until an organiser reveals them" in message) == (403, True)
        assert manager.get(f"{API}/{path}").status_code == 200
    for path in ("status", "settings", "people", "results"):
        assert "quokka" not in reader.get(f"{API}/{path}").text
    with db.begin() as tx:
        tx.execute(schema.campaign.update().values(revealed_at=db.clock()))
    assert "quokka-one" in reader.get(f"{API}/export/judgments").text


def test_results_are_those_of_the_newest_board(app: FastAPI, db: Database) -> None:
    new_campaign(db)
    reader = of_scope(app, db, "read")
    assert reader.get(f"{API}/results").json() == {"pairs": []}
    known = {"version": 3, "answer": 7, "left_out": 0, "judgments": 70}
    with db.begin() as tx:
        row = {**known, "language_pair_id": 1, "body": {"rank": {"found": None}}, "created_at": db.clock()}
        tx.execute(schema.board.insert().values(row))
    (told,) = reader.get(f"{API}/results").json()["pairs"]
    expected = {**known, "lang_pair": "fr-en", "at": db.clock().isoformat(), "body": {"rank": {"found": None}}}
    assert told == expected


# -- campaigns -------------------------------------------------------------------------------------------


def test_a_program_makes_a_campaign_runs_it_and_takes_its_judgments_home(app: FastAPI, db: Database) -> None:
    new_campaign(db)
    create = of_scope(app, db, "create")
    body = {"name": "mine", "settings": {**PLAIN, "screen": {"outputs": 2}}, "texts": [texts()]}
    made = create.post("/api/v1/campaigns", json=body)
    assert made.status_code == 201, made.text
    assert made.json()["name"] == "mine"
    assert create.post("/api/v1/campaigns", json=body).status_code == 422  # it is there
    assert [each["name"] for each in create.get("/api/v1/campaigns").json()["items"]] == ["mine"]
    manage = program(app, made.json()["token"])
    assert manage.get(f"{API}/status").status_code == 403

    now = manage.get("/api/v1/mine/settings").json()
    assert (now["revision"], now["settings"]["screen"]["outputs"]) == (1, 2)
    change = {"revision": 1, "settings": {"judge.screens": 7, "stop.until": "2027-01-01T00:00:00Z"}}
    assert manage.put("/api/v1/mine/settings", json=change).json() == {"revision": 2}
    status, message = said(manage.put("/api/v1/mine/settings", json=change))
    assert (status, "revision: got 1, and the settings in force are revision 2" in message) == (409, True)
    wrong = {"revision": 2, "settings": {"judge.screens": "many"}}
    assert "judge.screens: got" in said(manage.put("/api/v1/mine/settings", json=wrong))[1]
    with db.read() as tx:
        assert settings_of(tx, find_campaign(tx, "mine").id).judge.screens == 7

    pairs = manage.post("/api/v1/mine/pairs", json={"texts": [texts(langs="de-en")]})
    assert (pairs.status_code, pairs.json()["langs"]) == (201, ["de-en"])
    late = {"langs": "de-en", "systems": {"C": [f"Altogether new words, {i}." for i in range(4)]}}
    added = manage.post("/api/v1/mine/systems", json=late)
    assert added.status_code == 201, added.text
    assert (added.json()["systems"], added.json()["added_after"]) == ({"C": 0}, 0)
    status, message = said(manage.post("/api/v1/mine/systems", json=late))
    assert (status, "has 'C' already" in message) == (422, True)
    late["systems"] = {"D": ["one"]}
    assert "4 segments, but 'D' has 1 outputs" in said(manage.post("/api/v1/mine/systems", json=late))[1]

    invited = manage.post("/api/v1/mine/people", json={"people": [{"name": "ann"}, {"name": "o", "role": "observer"}]})
    links = {each["name"]: each["link"] for each in invited.json()["items"]}
    assert redeem(db, links["ann"].rpartition("/")[2]) == find_person(db, "mine", "ann")
    told = manage.get("/api/v1/mine/people?limit=2").json()
    assert [each["name"] for each in told["items"]] == ["create-program", "ann"]
    assert told["items"][0]["program"] is True
    assert [each["name"] for each in manage.get(f"/api/v1/mine/people?after={told['next']}").json()["items"]] == ["o"]

    judge = manage.post("/api/v1/mine/programs", json={"name": "model", "scope": "judge", "langs": ["fr-en"]}).json()
    assert manage.get("/api/v1/mine/export/judgments").status_code == 404
    model = program(app, judge["token"])
    screen = model.get("/api/v1/mine/work").json()["screen"]
    answer = {"ranks": [1, 2], "submission": "s1", "note": "the left one reads better"}
    assert model.post(f"/api/v1/mine/screens/{screen}/answer", json=answer).status_code == 200
    table = pl.read_csv(io.BytesIO(manage.get("/api/v1/mine/export/judgments").content))
    assert table["extra.program"].to_list() == [1]
    assert manage.get("/api/v1/mine/notes").json()["items"][0]["note"] == "the left one reads better"
    assert manage.get("/api/v1/mine/export/screens?up_to=1").text.count("\n") == 1
    assert manage.get("/api/v1/mine/export/screens?up_to=2").status_code == 422
    status = manage.get("/api/v1/mine/status").json()
    assert [pair["answered"] for pair in status["pairs"]] == [1, 0]
    assert [(each["name"], each["program"]) for each in status["judges"]] == [("ann", False), ("model", True)]

    assert manage.put("/api/v1/mine/state", json={"state": "closed"}).json() == {"state": "closed"}
    assert (
        said(model.post(f"/api/v1/mine/screens/{screen}/answer", json={**answer, "ranks": [2, 1], "submission": "s2"}))[
            0
        ]
        == 409
    )
    for each in manage.get("/api/v1/mine/programs").json()["items"]:
        if each["name"] == "model":
            assert manage.post(f"/api/v1/mine/programs/{each['id']}/revoke").json() == {"revoked": str(each["id"])}
    assert model.get("/api/v1/mine/work").status_code == 401
    with db.read() as tx:
        campaign = find_campaign(tx, "mine").id
    log = {event.kind: event.by for event in events(db, campaign, "settings-changed", "state-changed", "system-added")}
    assert set(log.values()) == {"create-program"}
    assert len(log) == 3


def test_texts_with_errors_are_refused_by_line(app: FastAPI, db: Database) -> None:
    create = of_scope(app, db, "create")
    broken = texts()
    broken["segments"][2]["outputs"] = "none"
    body = {"name": "mine", "texts": [broken]}
    assert "texts[0]: line 3" in said(create.post("/api/v1/campaigns", json=body))[1]
    missing = texts(12)
    del missing["segments"][2]["outputs"]["B"]
    refused = create.post("/api/v1/campaigns", json={"name": "mine", "texts": [missing]})
    error = refused.json()["error"]
    assert (refused.status_code, error["kind"], error["checks"]) == (422, "texts", ["missing"])
    assert any("system B" in finding and "3" in finding for finding in error["findings"])
    accepted = {"name": "mine", "texts": [missing], "accept": ["missing"]}
    assert create.post("/api/v1/campaigns", json=accepted).status_code == 201
    table = {"name": "tsv", "texts": [{"langs": "fr-en", "content": "source\tA\tB\nun\tone\t1\ndeux\ttwo\t2\n"}]}
    assert create.post("/api/v1/campaigns", json=table).status_code == 201
    with db.read() as tx:
        assert tx.execute(sa.select(sa.func.count()).select_from(schema.campaign)).scalar_one() == 2


def test_long_bodies_are_taken_from_who_may_send_texts_alone(app: FastAPI, db: Database) -> None:
    new_campaign(db)
    long = {"name": "long", "texts": [texts(400, SYSTEMS)]}
    assert of_scope(app, db, "create").post("/api/v1/campaigns", json=long).status_code == 201
    for guest in (of_scope(app, db, "manage"), program(app, "palmares_wrong"), TestClient(app)):
        assert said(guest.post("/api/v1/campaigns", json=long))[0] in (401, 403, 413)
    refused = of_scope(app, db, "judge").post(f"{API}/systems", json=long)
    assert refused.status_code in (403, 413)
    body = {"texts": [texts(400, SYSTEMS, "de-en")]}
    assert of_scope(app, db, "manage").post(f"{API}/pairs", json=body).status_code == 201
    assert (
        of_scope(app, db, "manage").put(f"{API}/settings", json={"revision": 1, "toml": "#" * 200_000}).status_code
        == 413
    )


# -- judging ---------------------------------------------------------------------------------------------


def test_a_program_judges_like_a_person_and_replays_change_nothing(app: FastAPI, db: Database) -> None:
    new_campaign(db, **{"judge.practice": True})
    model = of_scope(app, db, "judge")
    work = model.get(f"{API}/work").json()
    assert (work["csrf"], work["progress"]) == ("", {"done": 0, "target": 12})
    seen = []
    screen = model.get(f"{API}/screens/{work['screen']}").json()
    while screen is not None:
        assert not screen["practice"]
        seen.append(screen["id"])
        body = {"ranks": [1, 2, 2, 4, 5], "submission": "once", "then": "screen"}
        first, again = (model.post(f"{API}/screens/{screen['id']}/answer", json=body).json() for _ in range(2))
        assert (first["repeated"], again["repeated"], first["revision"]) == (False, True, again["revision"])
        screen = first["screen"]
    assert len(seen) == len(set(seen)) == 12
    assert collect(db, "news", ReadOptions()).records == 12


def test_another_program_cannot_answer_what_was_given_to_one(app: FastAPI, db: Database) -> None:
    new_campaign(db)
    screen = of_scope(app, db, "judge").get(f"{API}/work").json()["screen"]
    other = of_scope(app, db, "judge", name="other")
    body = {"ranks": [1, 2, 3, 4, 5], "submission": "s"}
    assert said(other.post(f"{API}/screens/{screen}/answer", json=body))[0] == 404
    assert other.get(f"{API}/screens/{screen}").status_code == 404


def test_programs_keep_to_the_limit_of_changes_and_are_told_when_to_go_on(app: FastAPI, db: Database) -> None:
    new_campaign(db, **{"limits.writes_per_minute": 10})
    model = of_scope(app, db, "judge")
    path = f"{API}/screens/{model.get(f'{API}/work').json()['screen']}/draft"
    body = {"ranks": [1, None, None, None, None], "version": 0}
    answers = [model.put(path, json=body) for _ in range(12)]
    assert [answer.status_code for answer in answers] == [200] * 10 + [429] * 2
    assert 0 < int(answers[-1].headers["retry-after"]) <= 60


def test_nothing_that_a_program_judge_gets_tells_systems_apart(app: FastAPI, db: Database) -> None:
    """Two campaigns that differ in the names of their systems alone: every answer has the same words in it."""
    secret = ("quokka-one", "quokka-two", "quokka-three", "quokka-four", "quokka-five", "quokka-six")
    new_campaign(db, sample_texts(12, secret), **{"controls.degraded": 0.5})
    model = of_scope(app, db, "judge")
    got = [model.get(f"{API}/work")]
    for number in range(6):
        got.append(model.get(f"{API}/screens/{got[-1].json().get('screen') or got[0].json()['screen']}"))
        ranks = list(range(1, len(got[-1].json()["options"]) + 1))
        path = f"{API}/screens/{got[-1].json()['id']}"
        got.append(model.put(f"{path}/draft", json={"ranks": ranks, "version": 0}))
        got.append(model.post(f"{path}/answer", json={"ranks": ranks, "submission": f"s{number}"}))
        got.append(model.get(f"{API}/work"))
    got += [model.get("/api/v1/campaigns"), model.post(f"{API}/ahead"), model.get(f"{API}/screens/nothing")]
    got += [model.get(f"{API}/{path}") for path in ("status", "settings", "people", "results", "export/judgments")]
    for answer in got:
        assert "quokka" not in answer.text
        assert "degraded" not in answer.text
        assert not [value for name, value in answer.headers.items() if "quokka" in name + value]
    shown = [answer.json() for answer in got if "options" in answer.text]
    assert all(set(option) == {"place", "text", "turns"} for screen in shown for option in screen["options"])


# -- the page of programs, and the description ------------------------------------------------------------


def test_an_organiser_makes_a_token_sees_it_once_and_revokes_it(app: FastAPI, db: Database) -> None:
    new_campaign(db)
    olga = staff(app, Role.ORGANISER)
    olga.get("/c/news/manage/programs")
    shown = olga.post("/c/news/manage/programs", {"name": "<b>model</b>", "scope": "judge", "days": "3"})
    assert "<b>model</b>" not in shown.text
    (token,) = re.findall(r'<code id="shown-token"[^>]*>(palmares_[\w-]{43})</code>', shown.text)
    model = program(app, token)
    assert model.get(f"{API}/work").status_code == 200
    page = olga.get("/c/news/manage/programs")
    assert token not in page.text
    (client,) = clients(db, "news")
    olga.post(f"/c/news/manage/programs/{client.id}/revoke")
    assert model.get(f"{API}/work").status_code == 401
    for entered in (
        {"name": "x", "scope": "create"},
        {"name": "", "scope": "read"},
        {"name": "y", "scope": "read", "days": "x"},
    ):
        olga.get("/c/news/manage/programs")
        assert olga.post("/c/news/manage/programs", entered).status_code == 422
    assert olga.get("/c/news/manage/people").text.count("by token") == 1
    observer = staff(app, Role.OBSERVER)
    assert observer.get("/c/news/manage/programs").status_code == 403


def test_the_description_says_who_may_use_what(app: FastAPI) -> None:
    told = visitor(app).get("/openapi.json").json()
    assert set(told["components"]["securitySchemes"]) == {"token", "cookie"}
    described = 0
    for route in routes(app):
        for method in route.methods if declared_scopes(route) else ():
            operation = told["paths"][route.path][method.lower()]
            given_scopes = {scope for way in operation["security"] for scope in way.get("token", [])}
            assert given_scopes == {str(scope) for scope in declared_scopes(route)}
            assert {"401", "403", "422", "429", "503"} <= set(operation["responses"])
            assert operation["description"]
            described += 1
    assert described > 20


def test_the_page_of_the_interface_has_every_operation_and_no_script(app: FastAPI) -> None:
    page = visitor(app).get("/api")
    assert page.status_code == 200
    for route in routes(app):
        if declared_scopes(route):
            assert f"<code>{route.path}</code>" in page.text
    assert "<script" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)


def fuzz(app: FastAPI, db: Database, examples: int) -> int:
    """Requests from the description, good and bad, with a token of every scope: nothing breaks, all is as described."""
    unlimited = {"limits.writes_per_minute": 1_000_000, "limits.failed_joins_per_hour": 10_000}
    new_campaign(db, **unlimited)
    tokens = {scope: token_for(db, scope) for scope in Scope}
    described = schemathesis.openapi.from_asgi("/openapi.json", app)
    tried = 0
    for result in described.get_all_operations():
        operation = result.ok()
        for token in tokens.values():
            headers = {"Authorization": f"Bearer {token}"}

            @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
            @given(case=operation.as_strategy())
            def check(case: schemathesis.Case) -> None:
                if "campaign" in (case.path_parameters or {}):
                    case.path_parameters["campaign"] = "news"
                case.headers.pop("Authorization", None)
                case.call_and_validate(headers=headers, checks=CHECKS)  # noqa: B023 - it is called at once

            check()
            tried += 1
    return tried


def test_requests_from_the_description_with_every_token_break_nothing(app: FastAPI, db: Database) -> None:
    assert fuzz(app, db, 2) > 80


@pytest.mark.slow
def test_many_requests_from_the_description_break_nothing(app: FastAPI, db: Database) -> None:
    assert fuzz(app, db, 60) > 80


def test_judges_of_the_browser_use_the_same_interface_as_before(app: FastAPI, db: Database) -> None:
    new_campaign(db)
    ann = signed_in(app, new_judge(db))
    work = ann.get(f"{API}/work").json()
    assert len(work["csrf"]) == 64
    assert ann.get(f"{API}/status").status_code == 403
    assert [person.name for person in people(db, 1)] == ["ann"]
