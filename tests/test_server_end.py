"""The end of a campaign on the web: into the archive and out; deleted, once everything was taken along."""

from __future__ import annotations

import io
import logging
import re
import zipfile

import pytest
from fastapi import FastAPI
from manage_pages import HOME, words
from stores import judge_screens, new_campaign, new_judge
from webs import Visitor, csrf_in, signed_in, staff, visitor

from palmares.campaign import Role
from palmares.campaign.database import Database
from palmares.campaign.definition import campaigns

pytestmark = pytest.mark.any_database
END = f"{HOME}/end"


@pytest.fixture(autouse=True)
def campaign(db: Database) -> int:
    return new_campaign(db)


@pytest.fixture
def organiser(app: FastAPI) -> Visitor:
    return staff(app, Role.ORGANISER, "Olga Unmistakable")


def told(guest: Visitor) -> str:
    assert guest.page is not None
    (reason,) = re.findall(r'role="alert">(.*?)</p>', guest.page.text, re.DOTALL)
    return words(reason)


def test_it_goes_after_its_name_was_typed_and_everything_was_taken_along(
    app: FastAPI, db: Database, organiser: Visitor, caplog: pytest.LogCaptureFixture
) -> None:
    judge_screens(db, new_judge(db, "Ann Unmistakable"), 2)
    organiser.get(END)
    assert organiser.post(f"{END}/delete", {"typed": "olds", "without": "yes"}).status_code == 422
    assert "to delete the campaign, type its name: news" in told(organiser)
    assert organiser.post(f"{END}/delete", {"typed": "news"}).status_code == 422
    assert "you have not downloaded everything" in told(organiser)
    packed = organiser.client.get(f"{END}/everything")
    with zipfile.ZipFile(io.BytesIO(packed.content)) as files:
        assert files.namelist() == ["news/judgments.csv", "news/screens.jsonl", "news/settings.toml"]
        assert len(files.read("news/screens.jsonl").splitlines()) == 2
        assert b"Unmistakable" not in files.read("news/screens.jsonl")
    judge_screens(db, new_judge(db, "bob"), 1)
    organiser.get(END)
    assert "Answers have come in since" in organiser.page.text  # type: ignore[union-attr]
    assert organiser.post(f"{END}/delete", {"typed": "news"}).status_code == 422
    organiser.client.get(f"{END}/everything")
    organiser.get(END)
    with caplog.at_level(logging.INFO, "palmares.server"):
        gone = organiser.post(f"{END}/delete", {"typed": "news"})
    assert gone.status_code == 200
    assert "news was deleted" in words(gone.text)
    assert campaigns(db) == []
    assert organiser.get(HOME).status_code == 401
    said = [record.getMessage() for record in caplog.records]
    assert "campaign news was deleted: 3 people, 3 judgments" in said
    assert "Unmistakable" not in " ".join(said)


def test_who_needs_no_copy_says_so(app: FastAPI, db: Database, organiser: Visitor) -> None:
    organiser.get(END)
    assert organiser.post(f"{END}/delete", {"typed": " news ", "without": "yes"}).status_code == 200
    assert campaigns(db) == []


def test_nobody_else_may(app: FastAPI, db: Database, organiser: Visitor) -> None:
    others = [staff(app, Role.OBSERVER), signed_in(app, new_judge(db)), visitor(app)]
    for guest in others:
        for path in ("", "/everything"):
            assert guest.get(END + path).status_code in (401, 403)
        for path in ("/archive", "/restore", "/delete"):
            assert guest.client.post(END + path, data={"typed": "news", "without": "yes"}).status_code in (401, 403)
    for path in ("/archive", "/delete"):  # without the token of the form
        assert organiser.client.post(END + path, data={"typed": "news", "without": "yes"}).status_code == 403
    assert [info.state for info in campaigns(db)] == ["open"]


def test_in_the_archive_it_is_on_no_judges_home_page(app: FastAPI, db: Database, organiser: Visitor) -> None:
    judge = signed_in(app, new_judge(db))
    organiser.get(END)
    organiser.post(f"{END}/archive")
    assert 'href="/c/news/judge"' not in judge.get("/").text
    assert "archived" in organiser.get("/").text
    organiser.get(f"{HOME}/settings")
    refused = organiser.post(f"{HOME}/settings/state", {"state": "open"})
    assert refused.status_code == 422
    assert "is archived" in refused.text
    organiser.get(END)
    organiser.post(f"{END}/restore")
    assert 'href="/c/news/judge"' in judge.get("/").text
    kinds = words(organiser.get(f"{HOME}/log").text)
    assert "archived" in kinds
    assert "restored" in kinds
    assert csrf_in(organiser.page)
