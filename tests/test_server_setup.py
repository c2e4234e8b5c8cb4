"""Make campaigns in the browser, as plain forms: the link, texts and what is wrong with them, settings, campaign."""

from __future__ import annotations

import re
import tempfile
import time
from dataclasses import asdict
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.testclient import TestClient
from manage_pages import HOSTILE, events, link_on, row, words
from stores import Clock, new_campaign
from webs import Visitor, csrf_in, signed_in, staff, visitor

from palmares.campaign import Role, schema
from palmares.campaign.create import PROMPT_SETTINGS
from palmares.campaign.database import Database
from palmares.campaign.definition import campaigns, find_campaign, language_pairs, settings_of
from palmares.campaign.drafts import keep_draft
from palmares.campaign.people import add_person, find_person
from palmares.campaign.setup import LINK_HOURS, SESSION_HOURS, make_setup_link, setup_session, tidy
from palmares.campaign.uploads import ONE_AT_A_TIME, Wanted, read, read_apart
from palmares.errors import InputError
from palmares.server.app import create_app
from palmares.server.config import ServerConfig
from palmares.texts import uploads as limits
from palmares.texts.uploads import MOST_FILES, Upload

pytestmark = pytest.mark.any_database

LINES = 8
SOURCES = "".join(f"Phrase numéro {n} du texte de la campagne.\n" for n in range(LINES))
A = "".join(f"Sentence number {n} of the text of the campaign.\n" for n in range(LINES))
B = "".join(f"This is phrase number {n} from the campaign text.\n" for n in range(LINES))
PLAIN = {"source.txt": SOURCES, "A.txt": A, "B.txt": B}
PROMPT = '{{"prompt": "Question {n}?", "answers": {{"one": "Answer {n}.", "two": "Another answer {n}."}}}}\n'
PROMPTS = "".join(PROMPT.format(n=n) for n in range(3))


def parts(files: dict[str, str | bytes], field: str = "files") -> list[tuple[str, tuple[str, bytes]]]:
    return [(field, (name, body.encode() if isinstance(body, str) else body)) for name, body in files.items()]


def maker(app: FastAPI) -> Visitor:
    """Someone who has used a set-up link."""
    guest = visitor(app)
    token = make_setup_link(app.state.database)
    guest.get(f"/setup/link/{token}")
    assert guest.post(f"/setup/link/{token}").url.path == "/setup"
    return guest


def upload(guest: Visitor, files: dict[str, Any], path: str = "/setup", **fields: str) -> Any:
    guest.get(path)
    to = "/setup/texts" if path == "/setup" else path
    return guest.post(to, {"name": "news", "langs": "fr-en", **fields}, files=parts(files))


def ready(guest: Visitor, files: dict[str, str], name: str = "news", langs: str | None = "fr-en") -> None:
    """The same without the process that reads, for what comes after it."""
    db: Database = guest.client.app.state.database  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as folder:
        for file, body in files.items():
            (Path(folder) / file).write_text(body, encoding="utf-8")
        given = [[file, file] for file in files]
        found = read(Path(folder), {"files": given, "images": [], **asdict(Wanted(langs))})
        texts = (Path(folder) / "texts.packed").read_bytes()
    session = setup_session(db, guest.client.cookies["palmares-setup"])
    assert session is not None
    keep_draft(db, session, name, found, texts)
    guest.get("/setup/check")


def told(page: Any) -> str:
    """What a page refuses."""
    (reason,) = re.findall(r'role="alert">(.*?)</p>', page.text, re.DOTALL)[:1] or [""]
    return words(reason)


def stored(db: Database) -> list[str]:
    return [info.name for info in campaigns(db)]


def drafts(db: Database) -> int:
    with db.read() as tx:
        return int(tx.execute(sa.select(sa.func.count()).select_from(schema.setup_draft)).scalar_one())


# -- from the link to the campaign -----------------------------------------------------------------------


def test_a_campaign_is_made_from_the_link_on(app: FastAPI, db: Database) -> None:
    guest = maker(app)
    assert upload(guest, PLAIN).url.path == "/setup/settings"
    assert "fr-en" not in stored(db)
    assert guest.post("/setup/settings", {"screen.outputs": "2", "judge.screens": "7"}).url.path == "/setup/preview"
    assert stored(db) == []
    made = guest.post("/setup/create", {"organiser": "Olga Organiser"})
    assert made.status_code == 200
    with db.read() as tx:
        info = find_campaign(tx, "news")
        settings = settings_of(tx, info.id)
        assert [pair.name for pair in language_pairs(tx, info.id)] == ["fr-en"]
    assert (settings.screen.outputs, settings.judge.screens) == (2, 7)
    assert guest.get("/c/news/manage").status_code == 200
    elsewhere = visitor(app)
    assert elsewhere.join(link_on(made).rpartition("/")[2]).url.path == "/c/news/manage"
    assert find_person(db, "news", "Olga Organiser").role is Role.ORGANISER
    made_by = {event.kind: event.by for event in events(db, info.id, "campaign-created", "pair-added", "invited")}
    assert made_by == dict.fromkeys(("campaign-created", "pair-added", "invited"), "Olga Organiser")
    assert "Olga Organiser" in row(guest.get("/c/news/manage/settings"), "1 : show this revision")
    assert drafts(db) == 0


def test_prompts_get_the_settings_that_suit_them(app: FastAPI, db: Database) -> None:
    guest = maker(app)
    ready(guest, {"answers.jsonl": PROMPTS}, langs=None)
    guest.post("/setup/check", {"warnings": "yes"})
    guest.get("/setup/preview")
    guest.post("/setup/create", {"organiser": "Olga"})
    with db.read() as tx:
        settings = settings_of(tx, find_campaign(tx, "news").id)
    assert {key: getattr(getattr(settings, key.split(".")[0]), key.split(".")[1]) for key in PROMPT_SETTINGS} == (
        PROMPT_SETTINGS
    )


def test_errors_stop_and_warnings_ask_for_a_tick(app: FastAPI, db: Database) -> None:
    """As ``--accept`` does on the command line: every check with errors is named."""
    guest = maker(app)
    copied = upload(guest, {**PLAIN, "C.txt": SOURCES})
    assert copied.url.path == "/setup/check"
    assert "error: fr-en" not in copied.text
    assert "identical: system C" in unescape(copied.text)
    assert guest.get("/setup/preview").url.path == "/setup/check"
    guest.get("/setup/check")
    stopped = guest.post("/setup/check", {"warnings": "yes"})
    assert stopped.status_code == 422
    assert "the texts have errors (" in told(stopped)
    ticks = re.findall(r'name="accept" value="([a-z]+)"', stopped.text)
    assert "identical" in ticks
    refused = guest.client.post("/setup/create", data={"csrf": csrf_in(stopped), "organiser": "Olga"})
    assert refused.url.path == "/setup/check"
    assert stored(db) == []
    guest.get("/setup/check")
    accepted = guest.client.post("/setup/check", data={"csrf": csrf_in(guest.page), "warnings": "yes", "accept": ticks})
    assert accepted.url.path == "/setup/settings"


def test_a_setting_that_does_not_go_with_the_texts_stands_at_its_field(app: FastAPI) -> None:
    guest = maker(app)
    ready(guest, PLAIN)
    refused = guest.post(
        "/setup/settings", {"screen.outputs": "99", "controls.reference": "0.1", "screen.reference": ""}
    )
    assert refused.status_code == 422
    assert "screen.outputs" in unescape(refused.text)
    guest.get("/setup/settings")
    refused = guest.post("/setup/settings", {"stop.rule": "clusters=9"})
    assert refused.status_code == 422
    assert "there are only 2 systems" in refused.text


# -- the link, the session -------------------------------------------------------------------------------


def test_a_link_works_once_and_for_a_day(app: FastAPI, db: Database, clock: Clock) -> None:
    token = make_setup_link(db)
    first, second = visitor(app), visitor(app)
    for guest in (first, second, first):  # looking does not use it up
        assert guest.get(f"/setup/link/{token}").status_code == 200
    assert first.post(f"/setup/link/{token}").url.path == "/setup"
    assert second.post(f"/setup/link/{token}").status_code == 404
    assert second.get("/setup").status_code == 401
    assert second.get(f"/setup/link/{token}").status_code == 404
    clock.forward(hours=SESSION_HOURS - 1)
    assert first.get("/setup").status_code == 200
    clock.forward(hours=2)
    assert first.get("/setup").status_code == 401
    late = make_setup_link(db)
    clock.forward(hours=LINK_HOURS + 1)
    assert second.get(f"/setup/link/{late}").status_code == 404


def test_only_a_digest_of_the_link_and_the_session_is_stored(app: FastAPI, db: Database) -> None:
    token = make_setup_link(db)
    guest = visitor(app)
    guest.get(f"/setup/link/{token}")
    guest.post(f"/setup/link/{token}")
    with db.read() as tx:
        row = str(tx.execute(sa.select(schema.setup_link)).one())
    assert token not in row
    assert guest.client.cookies["palmares-setup"] not in row


def test_wrong_links_are_counted(app: FastAPI, db: Database) -> None:
    new_campaign(db, **{"limits.failed_joins_per_hour": 3})
    guest = visitor(app)
    assert [guest.get(f"/setup/link/wrong{n}").status_code for n in range(5)] == [404, 404, 404, 429, 429]
    token = make_setup_link(db)
    assert guest.get(f"/setup/link/{token}").status_code == 200


def test_a_set_up_session_opens_no_campaign_and_a_campaign_no_set_up(app: FastAPI, db: Database) -> None:
    new_campaign(db)
    guest = maker(app)
    assert guest.get("/c/news/manage").status_code == 401
    organiser = staff(app, Role.ORGANISER)
    assert organiser.get("/setup").status_code == 401
    organiser.client.cookies.set("palmares-setup", organiser.client.cookies["palmares-staff-news"])
    assert organiser.get("/setup").status_code == 401
    guest.client.cookies.set("palmares-staff-news", guest.client.cookies["palmares-setup"])
    assert guest.get("/c/news/manage").status_code == 401


def test_nothing_is_done_without_the_token_of_the_session(app: FastAPI, db: Database) -> None:
    guest, other = maker(app), maker(app)
    ready(guest, PLAIN)
    other.get("/setup")
    for token in ("", "0" * 64, csrf_in(other.page)):
        for path in (
            "/setup/texts",
            "/setup/check",
            "/setup/settings",
            "/setup/create",
            "/setup/discard",
            "/setup/end",
        ):
            assert guest.client.post(path, data={"csrf": token, "organiser": "Olga"}).status_code == 403
    foreign = {"Sec-Fetch-Site": "cross-site"}
    guest.get("/setup/preview")
    assert guest.post("/setup/create", {"organiser": "Olga"}, headers=foreign).status_code == 403
    assert stored(db) == []
    assert drafts(db) == 1


def test_nobody_sees_the_texts_of_another_session(app: FastAPI, db: Database) -> None:
    guest, other = maker(app), maker(app)
    ready(guest, PLAIN)
    for path in ("/check", "/settings", "/preview", "/preview/welcome", "/preview/screen"):
        assert other.get(f"/setup{path}").url.path == "/setup"
    other.get("/setup")
    assert other.post("/setup/create", {"organiser": "Mallory"}).url.path == "/setup"
    ready(other, {"source.txt": SOURCES, "X.txt": A, "Y.txt": B}, name="olds")
    assert drafts(db) == 2
    assert "X" in other.get("/setup/check").text
    assert "<p>8 segments, without references, 2 systems (A, B)</p>" in guest.get("/setup/check").text


def test_what_is_not_used_is_gone_after_a_day(app: FastAPI, db: Database, clock: Clock) -> None:
    ready(maker(app), PLAIN)
    assert drafts(db) == 1
    clock.forward(hours=SESSION_HOURS - 1)
    tidy(db)
    assert drafts(db) == 1
    clock.forward(hours=2)
    tidy(db)
    assert drafts(db) == 0


def test_a_server_at_work_removes_what_is_not_used(
    app: FastAPI, db: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palmares.server.app._TIDY", 0.01)
    ready(maker(app), PLAIN)
    clock.forward(hours=SESSION_HOURS + 1)
    with TestClient(app) as client:
        end = time.monotonic() + 15
        while drafts(db):
            assert time.monotonic() < end
            client.get("/health")


def test_the_end_of_a_session_takes_its_texts_along(app: FastAPI, db: Database) -> None:
    guest = maker(app)
    ready(guest, PLAIN)
    assert guest.post("/setup/end").url.path == "/"
    assert guest.get("/setup").status_code == 401
    assert drafts(db) == 0


# -- hostile uploads -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({**PLAIN, "C.txt": A[: len(A) // 2]}, "the files differ in their number of lines"),
        ({**PLAIN, "<b onclick=x>.txt": b"\x80" * 500}, "<b onclick=x>.txt: line 1 is not valid UTF-8"),
        ({"x" * 201: SOURCES}, "file name: got"),
    ],
    ids=["misaligned", "no-text", "name"],
)
def test_what_cannot_be_read_is_refused_by_name_and_line_and_nothing_is_kept(
    app: FastAPI, db: Database, files: dict[str, Any], says: str
) -> None:
    guest = maker(app)
    page = upload(guest, files)
    assert page.status_code == 422
    assert says in told(page)
    assert "palmares-upload" not in page.text  # where it lay
    assert "onclick=x>" not in page.text
    assert drafts(db) == 0
    assert 'value="news"' in page.text


def test_texts_that_take_too_long_or_too_much_memory_are_refused(
    app: FastAPI, db: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    guest = maker(app)
    monkeypatch.setattr("palmares.campaign.uploads.SECONDS", 0.01)
    assert "could not be read and checked in 0.01 seconds" in told(upload(guest, PLAIN))
    monkeypatch.undo()
    with pytest.raises(InputError, match="the process that read them ended with status 1"):
        read_apart(tmp_path / "gone", [Upload("a", tmp_path / "gone" / "a")], Wanted(), [])  # the process ends badly
    assert drafts(db) == 0


def test_one_upload_is_read_at_a_time(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    guest = maker(app)
    monkeypatch.setattr("palmares.campaign.uploads._WAIT", 0.01)
    with ONE_AT_A_TIME:
        busy = upload(guest, PLAIN)
    assert busy.status_code == 503
    assert "another upload is being checked" in busy.text


def test_too_many_and_too_large_files_are_refused(app: FastAPI, monkeypatch: pytest.MonkeyPatch, db: Database) -> None:
    guest = maker(app)
    page = upload(guest, {f"{n}.txt": "x" for n in range(MOST_FILES + 1)})
    assert f"files: got {MOST_FILES + 1} files; allowed: at most {MOST_FILES}" in told(page)
    monkeypatch.setattr("palmares.server.uploads.LARGEST_FILE", 100)
    assert "A.txt: has more than" in told(upload(guest, {"A.txt": A}))
    many = guest.client.post("/setup/texts", data={"csrf": csrf_in(guest.get("/setup"))}, files=parts({
        f"{n}": "x" for n in range(1100)
    }))  # fmt: skip
    assert many.status_code == 400


def test_a_longer_request_is_taken_there_and_nowhere_else(app: FastAPI, db: Database) -> None:
    guest = maker(app)
    large = {"content-length": str(limits.LARGEST_UPLOAD + 2 * 2**20)}
    assert guest.client.post("/setup/texts", content=b"", headers=large).status_code in (400, 403, 413)
    new_campaign(db)
    organiser = staff(app, Role.ORGANISER)
    organiser.get("/c/news/manage/settings")
    body = {"csrf": csrf_in(organiser.page), "settings": "x" * 3_000_000}
    assert organiser.client.post("/c/news/manage/settings", data=body).status_code == 413
    body = {"csrf": csrf_in(guest.get("/setup")), "x": "y" * 3_000_000}
    assert guest.client.post("/setup/check", data=body).status_code == 413


def test_strangers_send_nothing_that_is_read(app: FastAPI, db: Database) -> None:
    new_campaign(db)
    for path in ("/setup/texts", "/c/news/manage/texts"):
        assert visitor(app).client.post(path, files=parts(PLAIN)).status_code == 401


@pytest.mark.parametrize("field", ["name", "langs", "format", "encoding"])
def test_what_fields_say_is_shown_and_never_used(app: FastAPI, field: str) -> None:
    page = upload(maker(app), PLAIN, **{field: HOSTILE})
    assert page.status_code == 422
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;" in page.text


def test_names_and_texts_of_files_are_shown_and_never_used(app: FastAPI) -> None:
    guest = maker(app)
    page = upload(guest, {**PLAIN, "<img src=x onerror=alert(1)>.txt": SOURCES})
    assert page.url.path == "/setup/check"
    assert "<img" not in page.text
    assert "&lt;img src=x" in page.text
    texts = {name: body.replace("number", HOSTILE).replace("numéro", HOSTILE) for name, body in PLAIN.items()}
    ready(guest, texts)
    guest.post("/setup/check", {"warnings": "yes"})
    shown = guest.get("/setup/preview/screen")
    assert shown.status_code == 200
    assert "<script>alert" not in shown.text


# -- previews, and further texts -------------------------------------------------------------------------


def test_a_sample_screen_is_the_judges_page_and_stores_nothing(app: FastAPI, db: Database) -> None:
    guest = maker(app)
    upload(guest, PLAIN)
    for path, shown in (("/setup/preview/welcome", "Preview."), ("/setup/preview/screen?n=3", "Phrase numéro")):
        page = guest.get(path)
        assert page.status_code == 200
        assert shown in page.text
        assert "<script" not in page.text
    first, again = guest.get("/setup/preview/screen?n=3").text, guest.get("/setup/preview/screen?n=3").text
    assert first == again != guest.get("/setup/preview/screen?n=4").text
    sent = guest.post("/setup/preview/screen?n=4", {"action": "answer", "rank-1": "1", "rank-2": "2"})
    assert "was not stored" in sent.text
    with db.read() as tx:
        for table in (schema.screen, schema.served, schema.judgment, schema.campaign):
            assert tx.execute(sa.select(sa.func.count()).select_from(table)).scalar_one() == 0


def test_an_organiser_previews_and_adds_a_language_pair(app: FastAPI, db: Database) -> None:
    campaign = new_campaign(db)
    organiser, observer = staff(app, Role.ORGANISER), staff(app, Role.OBSERVER)
    for guest in (organiser, observer):
        assert guest.get("/c/news/manage/preview/welcome").status_code == 200
        assert "Sentence" in guest.get("/c/news/manage/preview/screen").text
        assert "was not stored" in guest.post("/c/news/manage/preview/screen", {"action": "answer"}).text
    judge = signed_in(app, add_person(db, "news", Role.JUDGE, "Ann"))
    assert judge.get("/c/news/manage/preview/screen").status_code == 403
    page = upload(organiser, {**PLAIN, "reference.txt": B}, "/c/news/manage/texts", langs="de-en")
    assert page.url.path == "/c/news/manage/texts/check"
    ticks = re.findall(r'name="accept" value="([a-z]+)"', page.text)
    body = {"csrf": csrf_in(page), "accept": ticks, "warnings": "yes", "action": "add"}
    added = organiser.client.post("/c/news/manage/texts/check", data=body)
    assert "de-en" in added.text
    with db.read() as tx:
        assert [pair.name for pair in language_pairs(tx, campaign)] == ["fr-en", "de-en"]
    upload(organiser, PLAIN, "/c/news/manage/texts")
    again = organiser.post("/c/news/manage/texts/check", {"action": "add", "warnings": "yes"})
    assert again.status_code == 422
    assert "language pair fr-en is in the campaign already" in unescape(again.text)
    with db.read() as tx:
        assert tx.execute(sa.select(sa.func.count()).select_from(schema.segment)).scalar_one() == 12 + LINES


def test_an_address_in_a_proxy_is_kept(db: Database) -> None:
    app = create_app(ServerConfig("unused", address="https://eval.example.org/eval"), database=db)
    guest = visitor(app, base_url="https://eval.example.org")
    token = make_setup_link(db)
    guest.get(f"/eval/setup/link/{token}")
    assert guest.post(f"/eval/setup/link/{token}").url.path == "/eval/setup"
    assert 'action="/eval/setup/texts"' in guest.get("/eval/setup").text
