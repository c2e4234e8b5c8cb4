"""Who may do what: invitations, cookies, roles, forged requests, limits."""

from __future__ import annotations

import hashlib
import logging
import re
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import APIRouter, FastAPI
from starlette.types import Receive, Scope, Send
from stores import Clock, new_campaign, new_judge, next_view
from webs import csrf_in, signed_in, staff, visitor

from palmares.campaign import Role, schema
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings
from palmares.campaign.people import add_person, invite, pseudonymise, revoke
from palmares.campaign.settings import Settings
from palmares.errors import InputError
from palmares.server.access import check_declarations, declared_roles, declared_scopes, routes
from palmares.server.app import create_app
from palmares.server.config import OWN_PATHS, ServerConfig
from palmares.server.problems import WithoutTokens
from palmares.server.security import HEADERS
from palmares.server.setup_access import SetupAccess

pytestmark = pytest.mark.any_database


@pytest.fixture(autouse=True)
def campaign(db: Database) -> None:
    new_campaign(db)


# -- invitations -----------------------------------------------------------------------------------------


def test_looking_at_a_link_changes_nothing_and_the_button_signs_in(app: FastAPI, db: Database) -> None:
    token = invite(db, add_person(db, "news", Role.JUDGE, "Ann"))
    guest = visitor(app)
    page = guest.get(f"/join/{token}")
    assert "Ann" in page.text
    assert guest.get("/c/news/judge").status_code == 401
    guest.get(f"/join/{token}")
    assert guest.post(f"/join/{token}").url.path == "/c/news/judge/welcome"


def test_a_link_has_256_bits_and_only_its_digest_is_stored(app: FastAPI, db: Database) -> None:
    token = invite(db, add_person(db, "news", Role.JUDGE, "Ann"))
    assert len(token) == 43  # 256 bits at 6 a character
    with db.read() as tx:
        stored = tx.scalars(sa.select(schema.invite.c.digest)).all()
    assert stored == [hashlib.sha256(token.encode()).hexdigest()]


def test_the_session_cookie_is_hidden_from_scripts_and_other_sites(app: FastAPI, db: Database) -> None:
    token = invite(db, add_person(db, "news", Role.JUDGE, "Ann"))
    guest = visitor(app, base_url="https://testserver")
    guest.get(f"/join/{token}")
    answer = guest.post(f"/join/{token}", follow_redirects=False)
    cookie = next(c for c in answer.headers.get_list("set-cookie") if c.startswith("palmares-judge-news="))
    for flag in ("HttpOnly", "SameSite=lax", "Secure", "Path=/"):
        assert flag in cookie
    secret = cookie.split("=", 1)[1].split(";")[0]
    with db.read() as tx:
        assert tx.scalars(sa.select(schema.session.c.digest)).all() == [hashlib.sha256(secret.encode()).hexdigest()]


def test_an_old_link_and_a_withdrawn_one_do_not_work(app: FastAPI, db: Database, clock: Clock) -> None:
    ann, bob = (add_person(db, "news", Role.JUDGE, name) for name in ("Ann", "Bob"))
    old, withdrawn = invite(db, ann, days=1), invite(db, bob)
    revoke(db, bob)
    clock.forward(days=2)
    for token in (old, withdrawn, "x" * 43):
        assert visitor(app).get(f"/join/{token}").status_code == 404


def test_a_session_ends_when_it_is_too_old_revoked_or_left(app: FastAPI, db: Database, clock: Clock) -> None:
    people = {name: add_person(db, "news", Role.JUDGE, name) for name in ("Ann", "Bob", "Cid", "Dan")}
    guests = {name: signed_in(app, person) for name, person in people.items()}
    revoke(db, people["Ann"])
    pseudonymise(db, people["Bob"])
    assert guests["Cid"].post("/leave/news").url.path == "/"
    for name in ("Ann", "Bob", "Cid"):
        assert guests[name].get("/c/news/judge").status_code == 401
    assert guests["Dan"].get("/c/news/judge").status_code == 200
    clock.forward(days=31)
    assert guests["Dan"].get("/c/news/judge").status_code == 401


def test_signing_in_needs_the_page_of_the_link(app: FastAPI, db: Database) -> None:
    """Otherwise another site could sign someone in under a name of its choice."""
    token = invite(db, add_person(db, "news", Role.JUDGE, "Ann"))
    assert visitor(app).client.post(f"/join/{token}", data={"csrf": "0" * 64}).status_code == 403
    other = visitor(app)
    other.get(f"/join/{token}")
    assert visitor(app).client.post(f"/join/{token}", data={"csrf": csrf_in(other.page)}).status_code == 403


def test_too_many_wrong_links_from_one_address(app: FastAPI, db: Database, clock: Clock) -> None:
    change_settings(db, "news", Settings().replace(**{"limits.failed_joins_per_hour": 3}))
    good = invite(db, add_person(db, "news", Role.JUDGE, "Ann"))
    guest = visitor(app)
    assert [guest.get(f"/join/{'x' * n}").status_code for n in range(1, 6)] == [404, 404, 404, 429, 429]
    assert 0 < int(guest.get("/join/wrong").headers["retry-after"]) <= 3600
    # Others at the same address, in a classroom perhaps, are not shut out.
    assert visitor(app).get(f"/join/{good}").status_code == 200
    with db.read() as tx:
        keys = tx.scalars(sa.select(schema.rate.c.key)).all()
    assert keys
    assert not any("testclient" in key for key in keys)
    clock.forward(hours=1)
    assert guest.get("/join/wrong").status_code == 404


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("/join/SECRET?x=1", "/join/…?x=1"),
        ("/eval/join/SECRET", "/eval/join/…"),
        ("/group/SECRET?PROLIFIC_PID=5f3a&STUDY_ID=1", "/group/…"),
        ("/eval/group/SECRET/done?workerId=A1", "/eval/group/…"),
        ("/group?PROLIFIC_PID=5f3a", "/group/…"),
        ("/c/news/judge?ui=de", "/c/news/judge?ui=de"),
    ],
)
def test_tokens_and_worker_ids_stay_out_of_logs(path: str, logged: str) -> None:
    record = logging.LogRecord("uvicorn.access", 20, "", 0, '%s "%s %s"', ("1.2.3.4", "GET", path), None)
    assert WithoutTokens().filter(record)
    assert record.getMessage() == f'1.2.3.4 "GET {logged}"'


# -- roles -----------------------------------------------------------------------------------------------


def test_every_route_says_who_may_use_it(app: FastAPI) -> None:
    by_path = [(route.path, route) for route in routes(app)]
    public = {(route.path, method) for route in routes(app) if not declared_roles(route) for method in route.methods}
    assert all(str(path).startswith("/api/") == bool(declared_scopes(route)) for path, route in by_path)
    door = {(f"/{kind}/{{token}}", method) for kind in ("group", "join") for method in ("GET", "POST")}
    back = {("/group/{token}/code", "GET"), ("/group/{token}/resume", "GET"), ("/group/{token}/resume", "POST")}
    setup = {(route.path, method) for route in routes(app) if is_for_setup(route) for method in route.methods}
    door |= {("/setup/link/{token}", method) for method in ("GET", "POST")}
    campaigns = {("/api/v1/campaigns", method) for method in ("GET", "POST")}  # by tokens alone
    for_strangers = {("/", "GET"), ("/api", "GET"), ("/health", "GET"), ("/c/{campaign}/report", "GET")}
    for_strangers |= {(f"/c/{{campaign}}/results{part}", "GET") for part in ("", "/fragment", "/events")}
    assert public - setup == for_strangers | campaigns | door | back
    assert {path for path, _ in setup} == {
        f"/setup{path}"
        for path in ("", "/texts", "/check", "/settings", "/preview", "/preview/welcome", "/preview/screen", "/create",
                     "/discard", "/end")
    }  # fmt: skip


def is_for_setup(route: Any) -> bool:
    return any(isinstance(dependency.call, SetupAccess) for dependency in route.dependant.dependencies)


def test_an_application_with_a_route_that_says_nothing_is_not_made() -> None:
    app, router = FastAPI(openapi_url=None, docs_url=None, redoc_url=None), APIRouter()
    router.add_api_route("/c/{campaign}/secret", lambda: None)
    app.include_router(router)
    with pytest.raises(TypeError, match=r"'/c/\{campaign\}/secret' must"):
        check_declarations(app)


def test_nobody_uses_what_another_role_is_for(app: FastAPI, db: Database) -> None:
    """Every route of the application, for every role: what it declares, and nothing else."""
    people: dict[Role | None, object] = {
        Role.JUDGE: signed_in(app, new_judge(db)),
        Role.OBSERVER: staff(app, Role.OBSERVER),
        Role.ORGANISER: staff(app, Role.ORGANISER),
        None: visitor(app),
    }
    tried = 0
    for route in routes(app):
        roles = declared_roles(route)
        if not roles:
            continue
        path = re.sub(r"\{\w+\}", "1", str(route.path).replace("{campaign}", "news"))
        for role, guest in people.items():
            if role in roles:
                continue
            for method in route.methods:
                answer = guest.client.request(method, path, follow_redirects=False)
                assert answer.status_code == (401 if role is None else 403), (role, method, path)
                tried += 1
    assert tried > 20


def test_a_judge_of_one_campaign_is_nobody_in_another(app: FastAPI, db: Database) -> None:
    new_campaign(db, name="other")
    ann = signed_in(app, new_judge(db))
    assert ann.get("/c/news/judge").status_code == 200
    assert ann.get("/c/other/judge").status_code == 401
    ann.client.cookies.set("palmares-judge-other", ann.client.cookies["palmares-judge-news"])
    assert ann.get("/c/other/judge").status_code == 401


def test_a_judge_cannot_see_or_answer_anothers_screen(app: FastAPI, db: Database) -> None:
    ann, bob = new_judge(db, "ann"), new_judge(db, "bob")
    view = next_view(db, ann)
    assert view is not None
    guest = signed_in(app, bob)
    assert guest.get(f"/c/news/judge/screens/{view.id}").status_code == 404
    csrf = guest.get("/api/v1/news/work").json()["csrf"]
    body = {"ranks": [1, 2, 3, 4, 5], "submission": "s1"}
    headers = {"X-CSRF-Token": csrf}
    refused = guest.client.post(f"/api/v1/news/screens/{view.id}/answer", json=body, headers=headers)
    assert (refused.status_code, refused.json()["error"]["kind"]) == (404, "unknown-screen")
    with db.read() as tx:
        assert tx.execute(sa.select(sa.func.count()).select_from(schema.judgment)).scalar_one() == 0


# -- forged requests -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}],
    ids=["origin", "cross-site", "same-site"],
)
def test_what_another_site_sends_is_refused(app: FastAPI, db: Database, headers: dict[str, str]) -> None:
    guest = signed_in(app, add_person(db, "news", Role.JUDGE, "Ann"))
    refused = guest.post("/c/news/judge/welcome", {"accept": "yes"}, headers=headers)
    assert refused.status_code == 403
    assert guest.get("/c/news/judge").url.path.endswith("/welcome")


@pytest.mark.parametrize("token", ["", "0" * 64, "é"])
def test_a_form_without_its_token_is_refused(app: FastAPI, db: Database, token: str) -> None:
    guest = signed_in(app, add_person(db, "news", Role.JUDGE, "Ann"))
    assert guest.post("/c/news/judge/welcome", {"accept": "yes", "csrf": token}).status_code == 403


def test_the_token_of_one_session_is_not_that_of_another(app: FastAPI, db: Database) -> None:
    ann, bob = (signed_in(app, add_person(db, "news", Role.JUDGE, name)) for name in ("Ann", "Bob"))
    assert ann.post("/c/news/judge/welcome", {"accept": "yes", "csrf": csrf_in(bob.page)}).status_code == 403


# -- headers and limits ----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/c/news/judge", "/nothing", "/health", "/api/v1/news/work", "STATIC"])
def test_every_answer_has_the_headers(app: FastAPI, path: str) -> None:
    guest = visitor(app)
    if path == "STATIC":
        path = re.findall(r'href="(/static/[^"]+\.css)"', guest.get("/").text)[0]
    answer = guest.get(path, headers={"Origin": "https://evil.example"})
    for name, value in HEADERS.items():
        if name != "Cache-Control":
            assert answer.headers[name] == value
    assert not [name for name in answer.headers if name.startswith("access-control")]
    policy = answer.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'")


def test_no_page_has_a_script_or_style_of_its_own(app: FastAPI, db: Database) -> None:
    guest = signed_in(app, new_judge(db))
    page = guest.get("/c/news/judge").text
    assert re.findall(r"<script(?![^>]*\ssrc=)", page) == []
    assert re.findall(r"<style|\sstyle=|\son\w+=", page) == []


def test_a_body_that_is_too_long_is_refused(app: FastAPI, db: Database) -> None:
    guest = signed_in(app, new_judge(db))
    work = guest.get("/api/v1/news/work").json()
    path, headers = f"/api/v1/news/screens/{work['screen']}/draft", {"X-CSRF-Token": work["csrf"]}
    long = b'{"ranks": [1], "version": 0, "x": "' + b"y" * 70_000 + b'"}'
    announced = guest.client.put(path, content=long, headers=headers)
    streamed = guest.client.put(path, content=iter([long[:40_000], long[40_000:]]), headers=headers)
    for answer in (announced, streamed):
        assert (answer.status_code, answer.json()["error"]["kind"]) == (413, "too-large")
    change_settings(db, "news", Settings().replace(**{"limits.body_bytes": 100_000}))
    assert guest.client.put(path, content=long, headers=headers).status_code == 422


def test_too_many_changes_in_a_minute(app: FastAPI, db: Database, clock: Clock) -> None:
    change_settings(db, "news", Settings().replace(**{"limits.writes_per_minute": 10, "judge.practice": False}))
    guest = signed_in(app, new_judge(db))
    work = guest.get("/api/v1/news/work").json()
    path, headers = f"/api/v1/news/screens/{work['screen']}/draft", {"X-CSRF-Token": work["csrf"]}

    def save() -> int:
        body = {"ranks": [1, None, None, None, None], "version": 0}
        return guest.client.put(path, json=body, headers=headers).status_code

    assert [save() for _ in range(12)] == [200] * 10 + [429] * 2
    clock.forward(minutes=1)
    assert save() == 200


# -- behind a proxy --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", [False, True], ids=["path kept", "path cut off"])
def test_a_root_path_stands_before_every_address(db: Database, cut: bool) -> None:
    app = create_app(ServerConfig("unused", root_path="/eval"), database=db)

    async def proxy(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix("/eval") if cut else scope["path"]
        await app({**scope, "path": path, "raw_path": path.encode()}, receive, send)

    token = invite(db, new_judge(db))
    guest = visitor(proxy)
    page = guest.get(f"/eval/join/{token}")
    addresses = re.findall(r'(?:href|src|action)="([^"?#]+)"', page.text)
    assert addresses
    assert all(address.startswith("/eval/") for address in addresses)
    answer = guest.post(f"/eval/join/{token}", follow_redirects=False)
    assert answer.headers["location"] == "/eval/c/news/judge"
    assert "Path=/eval/" in next(c for c in answer.headers.get_list("set-cookie") if "palmares-judge" in c)
    assert guest.get("/eval/c/news/judge").status_code == 200
    assert guest.client.get("/eval/health").json()["status"] == "ok"


def test_no_route_begins_with_what_a_root_path_may_be(app: FastAPI) -> None:
    assert {str(route.path).split("/")[1] for route in routes(app)} - {""} <= OWN_PATHS


@pytest.mark.parametrize("path", ["/eval/../x", "/a b", "/a?b", "http://x/", "/./a", "/c", "/static/x"])
def test_a_root_path_that_is_none_is_refused(path: str) -> None:
    with pytest.raises(InputError, match="root path: got"):
        ServerConfig("unused", root_path=path)


# -- the public address ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "address", "root_path", "seen"),
    [
        ("https://eval.example.org", "https://eval.example.org", "", ("https", "eval.example.org")),
        ("https://Eval.Example.org:443/eval/", "https://eval.example.org/eval", "/eval", ("https", "eval.example.org")),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000", "", ("http", "127.0.0.1:8000")),
        ("http://[::1]:8000/a/b", "http://[::1]:8000/a/b", "/a/b", ("http", "[::1]:8000")),
        (" https://x:444 ", "https://x:444", "", ("https", "x:444")),
    ],
)
def test_a_public_address_is_brought_to_its_usual_form(
    given: str, address: str, root_path: str, seen: tuple[str, str]
) -> None:
    config = ServerConfig("unused", address=given)
    assert (config.address, config.root_path, config.scheme_and_host) == (address, root_path, seen)
    assert ServerConfig.from_environment(config.to_environment()) == config


@pytest.mark.parametrize(
    "address",
    ["example.org", "ftp://example.org", "https://", "https://x?y=1", "https://x/#y", "https://x?", "https://u:p@x",
     "https://x:0", "https://x:99999", "https://x y", "https://bücher.example", "//x", "https://x\ny", "https://-x"],
)  # fmt: skip
def test_what_is_no_public_address_is_refused(address: str) -> None:
    with pytest.raises(InputError, match=r"address: got .*allowed: http:// or https://"):
        ServerConfig("unused", address=address)


def test_the_path_of_the_public_address_is_the_root_path() -> None:
    assert ServerConfig("unused", "eval", "https://x/eval").root_path == "/eval"
    with pytest.raises(InputError, match="its path must be the root path; leave the root path out"):
        ServerConfig("unused", "/other", "https://x/eval")
    with pytest.raises(InputError, match="our own addresses begin so"):
        ServerConfig("unused", address="https://x/join")


def test_without_an_address_there_is_none() -> None:
    for config in (ServerConfig("unused"), ServerConfig("unused", address=""), ServerConfig.from_environment({})):
        assert (config.address, config.scheme_and_host) == (None, None)


def test_the_configured_address_decides_and_not_the_host_header(db: Database) -> None:
    app = create_app(ServerConfig("unused", address="https://eval.example.org/eval"), database=db)
    token = invite(db, add_person(db, "news", Role.ORGANISER, "Olga"))
    guest = visitor(app, base_url="https://evil.example")
    guest.get(f"/eval/join/{token}")
    assert guest.post(f"/eval/join/{token}").url.path == "/eval/c/news/manage"
    guest.get("/eval/c/news/manage/people")
    invited = guest.post("/eval/c/news/manage/people", {"name": "Ann", "role": "judge"})
    links = re.findall(r"https?://[^\s\"<]+/join/[\w-]{43}", invited.text)
    assert links
    assert all(link.startswith("https://eval.example.org/eval/join/") for link in links)


@pytest.mark.parametrize(("address", "secure"), [("https://eval.example.org", True), (None, False)])
def test_cookies_are_secure_if_the_address_is(db: Database, address: str | None, secure: bool) -> None:
    """Also where the proxy does not say that the page came by https."""
    app = create_app(ServerConfig("unused", address=address), database=db)
    token = invite(db, new_judge(db))
    guest = visitor(app, base_url="http://testserver")
    cookies = guest.get(f"/join/{token}?ui=de").headers.get_list("set-cookie")
    assert len(cookies) == 2  # of the door and of the language
    assert all(("Secure" in cookie) == secure for cookie in cookies)


def test_a_form_of_the_public_address_is_ours_behind_a_proxy_that_hides_it(db: Database) -> None:
    """Old browsers send ``Origin`` alone; a proxy may pass on its own name for us as ``Host``."""
    app = create_app(ServerConfig("unused", address="https://eval.example.org"), database=db)
    guest = visitor(app, base_url="https://eval.example.org", headers={"Host": "127.0.0.1:8000"})
    token = invite(db, new_judge(db))
    guest.get(f"/join/{token}")
    ours, others = {"Origin": "https://eval.example.org"}, {"Origin": "http://127.0.0.1:8000"}
    page = guest.page
    assert guest.post(f"/join/{token}", headers=others, follow_redirects=False).status_code == 403
    guest.page = page
    assert guest.post(f"/join/{token}", headers=ours, follow_redirects=False).status_code == 303


def test_health_says_which_tables_there_are(app: FastAPI, db: Database) -> None:
    health = {"status": "ok", "database": db.dialect, "revision": db.revision(), "analysis": "not needed"}
    assert visitor(app).get("/health").json() == health
