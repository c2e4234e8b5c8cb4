"""``palmares campaign …``: what the commands store and print, and what they refuse."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from stores import PLAIN, judge_screens, new_campaign, new_judge, next_view, sample_texts

import palmares as pm
from palmares.campaign import Role
from palmares.campaign.addresses import record_server
from palmares.campaign.answers import Answer, submit
from palmares.campaign.database import Database
from palmares.campaign.migrations import head, upgrade
from palmares.campaign.people import add_person, consent, find_person, invite, redeem
from palmares.campaign.refusals import DatabaseError
from palmares.campaign.settings import Settings
from palmares.cli.campaign import CAMPAIGN_COMMANDS
from palmares.cli.campaign.store import opened, opened_or_made

pytestmark = pytest.mark.any_database

LINES = 8
SYSTEMS = ("A", "B", "C")
FORMATS = ("table", "json", "csv", "markdown", "latex")
Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No command of a test touches the folder that the tests run in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PALMARES_DATABASE", raising=False)
    monkeypatch.delenv("PALMARES_ADDRESS", raising=False)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return write_texts(tmp_path / "texts")


def write_texts(folder: Path, **changed: list[str]) -> Path:
    """A folder of texts in which no check finds anything, but for the files that are changed."""
    folder.mkdir(parents=True)
    files = {
        "source": [f"Voici la phrase numéro {i} du texte que nous traduisons." for i in range(LINES)],
        "reference": [f"Here is sentence number {i} of the text that we translate." for i in range(LINES)],
        **{s: [f"This is what system {s} says of sentence number {i} here." for i in range(LINES)] for s in SYSTEMS},
    }
    for name, lines in {**files, **changed}.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


@pytest.fixture
def news(ok: Run, texts: Path) -> str:
    """A campaign in ``campaign.db``; gives the option that names it."""
    ok("campaign", "new", "news", texts, "--langs", "fr-en", "--database", "campaign.db")
    return "--database=campaign.db"


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


# -- new -------------------------------------------------------------------------------------------------


def test_new_says_what_was_stored_and_what_to_type_next(ok: Run, texts: Path) -> None:
    result = ok("campaign", "new", "news", texts, "--langs", "fr-en", "--database", "campaign.db")
    assert "fr-en: 8 segments, with references, 3 systems (A, B, C)" in result.out
    assert "  palmares campaign invite news --count 10 --database campaign.db\n" in result.out
    assert result.out.endswith("  palmares serve --database campaign.db\n")
    assert result.err == ""
    (campaign,) = ok("campaign", "list", "--database", "campaign.db", "--format", "json").json
    assert campaign["langs"] == ["fr-en"]
    assert (campaign["name"], campaign["state"], campaign["judges"], campaign["answered"]) == ("news", "open", 0, 0)


def test_single_files_say_the_same_as_a_folder(ok: Run, texts: Path, tmp_path: Path) -> None:
    (tmp_path / "documents.txt").write_text("one\n" * 4 + "two\n" * 4)
    files = [f"--system={s}={texts / s}.txt" for s in SYSTEMS]
    more = ("--source", texts / "source.txt", "--reference", texts / "reference.txt", "--documents", "documents.txt")
    result = ok("campaign", "new", "files", "--langs", "fr-en", *more, *files)
    assert "8 segments, 2 documents, with references, 3 systems (A, B, C)" in result.out
    ok("campaign", "new", "folder", texts, "--langs", "fr-en")
    one, other = (json.loads(ok("campaign", "status", name, "--format", "json").out) for name in ("files", "folder"))
    assert one["pairs"] == other["pairs"]
    assert [pair["systems"] for pair in one["pairs"]] == [["A", "B", "C"]]


def test_settings_come_from_a_file_and_single_changes(ok: Run, texts: Path, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("schema = 1\n[screen]\noutputs = 4\ncontext = 2\n")
    given = ("--settings", "settings.toml", "--set", "screen.outputs=3", "--set", "judge.practice=false")
    more = ("--set", "words.instructions=3", "--set", "stop.until=2026-12-31T18:00:00Z", "--set", "controls.repeats=0")
    ok("campaign", "new", "news", texts, "--langs", "fr-en", *given, *more)
    found = tomllib.loads(ok("campaign", "settings", "news").out)
    assert (found["screen"]["outputs"], found["screen"]["context"], found["judge"]["practice"]) == (3, 2, False)
    assert found["words"]["instructions"] == "3"
    assert found["stop"]["until"] == datetime(2026, 12, 31, 18, tzinfo=UTC)
    assert found["controls"]["repeats"] == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("screen.outputs=three", r"screen.outputs: got 'three'; allowed: a whole number \(2 to 7\)"),
        ("screen.outputs=9", r"screen.outputs: got 9; allowed: a whole number \(2 to 7\)"),
        ("screen.outputs=3\nx = 4", "screen.outputs: got '3"),
        ("judge.practice=yes", "judge.practice: got 'yes'; allowed: true or false"),
        ("screen.output=3", "screen: got 'output'; .* did you mean 'outputs'"),
        ("read.outputs=3", "section: got 'read'"),
        ("outputs=3", "section: got 'outputs'"),
        ("screen.outputs", "--set: got 'screen.outputs'; allowed: NAME=VALUE"),
    ],
)
def test_a_wrong_setting_is_refused_by_the_settings_themselves(
    refused: Run, texts: Path, change: str, message: str
) -> None:
    said = refused("campaign", "new", "news", texts, "--langs", "fr-en", "--set", change)
    assert re.search(message, said)
    assert not Path("palmares.db").exists()


def test_texts_with_errors_are_not_stored(run: Run, tmp_path: Path) -> None:
    faulty = write_texts(tmp_path / "faulty", B=[""] * LINES)
    before = sorted(tmp_path.iterdir())
    result = run("campaign", "new", "news", faulty, "--langs", "fr-en", "--database", "campaign.db")
    assert (result.status, result.out) == (2, "")
    first, *_, last = result.err.splitlines()
    assert first == "fr-en: error: empty: system B: all outputs are empty (lines 1–8)"
    assert last.startswith("palmares: error: the texts have 1 error, so nothing was stored; fix them, or")
    assert last.endswith("--accept empty")
    assert sorted(tmp_path.iterdir()) == before


def test_accepted_errors_do_not_stop_a_campaign(ok: Run, tmp_path: Path) -> None:
    faulty = write_texts(tmp_path / "faulty", B=[""] * LINES)
    result = ok("campaign", "new", "news", faulty, "--langs", "fr-en", "--accept", "empty")
    assert "error: empty: system B" in result.err
    assert "3 systems (A, B, C)" in result.out


def test_warnings_are_printed_and_do_not_stop(ok: Run, tmp_path: Path) -> None:
    outputs = [f"This is what system B says of sentence number {i} here." for i in range(LINES - 1)]
    result = ok("campaign", "new", "news", write_texts(tmp_path / "t", B=[*outputs, ""]), "--langs", "fr-en")
    assert "fr-en: warning: empty: system B: empty outputs (line 8)" in result.err


def test_what_cannot_be_a_campaign_leaves_no_file_behind(refused: Run, texts: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    assert "campaign name: got 'News!'" in refused("campaign", "new", "News!", texts, "--langs", "fr-en")
    source, only = texts / "source.txt", f"A={texts / 'A.txt'}"
    said = refused("campaign", "new", "news", "--source", source, "--system", only, "--langs", "fr-en")
    assert "a comparison needs at least 2" in said
    assert sorted(tmp_path.iterdir()) == before


def test_a_database_that_was_there_survives_a_refusal(refused: Run, ok: Run, news: str, texts: Path) -> None:
    said = refused("campaign", "new", "news", texts, "--langs", "fr-en", news)
    assert "campaign 'news' is in sqlite:///campaign.db already; choose another name" in said
    refused("campaign", "new", "News!", texts, "--langs", "fr-en", news)
    assert [line["name"] for line in ok("campaign", "list", news, "--format", "json").json] == ["news"]


def test_a_campaign_goes_into_the_archive_and_out(ok: Run, refused: Run, news: str) -> None:
    assert ok("campaign", "archive", "news", news).err == "news: is in the archive, and closed\n"
    assert ok("campaign", "archive", "news", news).err == "news: is in the archive already\n"
    assert "news" not in ok("campaign", "list", news).out
    assert "news" in ok("campaign", "list", "--archived", news).out
    assert "is archived, so its state cannot be changed" in refused("campaign", "state", "news", "open", news)
    assert ok("campaign", "archive", "news", "--restore", news).err == "news: is out of the archive, and open\n"
    assert ok("campaign", "archive", "news", "--restore", news).err == "news: is not in the archive\n"


def test_a_campaign_is_deleted_and_its_name_is_free(ok: Run, refused: Run, news: str, texts: Path) -> None:
    assert "deleting the campaign 'news' cannot be undone" in refused("campaign", "delete", "news", news)
    assert "got 'olds'" in refused("campaign", "delete", "olds", "--yes", news)
    assert ok("campaign", "delete", "news", "--yes", news).err == "news: deleted, with 0 people and 0 judgments\n"
    ok("campaign", "new", "news", texts, "--langs", "fr-en", news)


def test_a_set_up_link_is_printed_and_makes_the_database(ok: Run, tmp_path: Path) -> None:
    place = tmp_path / "made.db"
    printed = ok("campaign", "setup-link", "--url", "https://example.org/eval", "--database", place)
    assert re.fullmatch(r"https://example\.org/eval/setup/link/[\w-]{43}\n", printed.out)
    assert "works once, within 24 hours" in printed.err
    assert place.exists()


def test_nothing_is_said_twice(refused: Run, texts: Path) -> None:
    twice = [f"--system=A={texts / 'A.txt'}", f"--system=A={texts / 'B.txt'}"]
    said = refused("campaign", "check", "--source", texts / "source.txt", "--langs", "fr-en", *twice)
    assert "--system: A is given twice, as " in said
    said = refused("campaign", "check", texts, "--source", texts / "source.txt", "--langs", "fr-en")
    assert "give a folder or file of everything, or the files" in said


def test_a_path_is_a_database_whatever_is_in_its_name(ok: Run, texts: Path) -> None:
    name = "a b?c%20#é.db"
    ok("campaign", "new", "news", texts, "--langs", "fr-en", "--database", name)
    assert Path(name).is_file()
    assert [line["name"] for line in ok("campaign", "list", "--database", name, "--format", "json").json] == ["news"]


def test_the_database_comes_from_the_environment(ok: Run, news: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("campaign.db", "sqlite:///campaign.db"):
        monkeypatch.setenv("PALMARES_DATABASE", value)
        assert [line["name"] for line in ok("campaign", "list", "--format", "json").json] == ["news"]


# -- add, check ------------------------------------------------------------------------------------------


def test_language_pairs_are_added_once(ok: Run, refused: Run, news: str, tmp_path: Path) -> None:
    more = write_texts(tmp_path / "more", source=[f"Dies ist der Satz Nummer {i} im Text." for i in range(LINES)])
    result = ok("campaign", "add", "news", more, "--langs", "de-en", news)
    assert "de-en: 8 segments" in result.out
    assert ok("campaign", "list", news, "--format", "json").json[0]["langs"] == ["fr-en", "de-en"]
    assert "language pair de-en is in the campaign already" in refused(
        "campaign", "add", "news", more, "--langs", "de-en", news
    )


def test_a_wrong_name_is_noticed_before_texts_are_read(refused: Run, news: str) -> None:
    assert "campaign: got 'olds'; there are: news" in refused("campaign", "add", "olds", "nowhere", news)


def test_check_stores_nothing(ok: Run, run: Run, texts: Path, tmp_path: Path) -> None:
    faulty = write_texts(tmp_path / "faulty", source=["", *["Voici une phrase."] * (LINES - 1)])
    before = sorted(tmp_path.iterdir())
    assert ok("campaign", "check", texts, "--langs", "fr-en").out.startswith("fr-en: 8 segments")
    result = run("campaign", "check", faulty, "--langs", "fr-en")
    assert (result.status, result.out) == (2, "")
    assert "error: empty: empty sources (line 1)" in result.err
    assert sorted(tmp_path.iterdir()) == before


# -- settings --------------------------------------------------------------------------------------------


def test_without_a_name_the_default_settings_are_printed_with_explanations(ok: Run) -> None:
    text = ok("campaign", "settings").out
    assert Settings.from_toml(text) == Settings()
    assert "# outputs ranked on one screen; 2 is a pairwise comparison (2 to 7)\noutputs = 5\n" in text


def test_changed_settings_are_a_new_revision(ok: Run, news: str, tmp_path: Path) -> None:
    result = ok("campaign", "settings", "news", "--set", "screen.outputs=3", "--set", "stop.screens=100", news)
    assert result.out == ""
    assert result.err.splitlines() == [
        "news: the settings are now at revision 2", "  screen.outputs: 5 → 3", "  stop.screens: none → 100"
    ]  # fmt: skip
    ok("campaign", "settings", "news", "--set", "stop.screens=", news)
    found = Settings.from_toml(ok("campaign", "settings", "news", news).out)
    assert found == Settings().replace(**{"screen.outputs": 3})
    (tmp_path / "new.toml").write_text("schema = 1\n[hit]\nscreens = 5\n")
    assert "revision 4" in ok("campaign", "settings", "news", "--apply", "new.toml", news).err
    found = Settings.from_toml(ok("campaign", "settings", "news", news).out)
    assert found == Settings().replace(**{"hit.screens": 5})
    assert (
        "these are the current settings already"
        in ok("campaign", "settings", "news", "--set", "hit.screens=5", news).err
    )
    assert [e["details"]["revision"] for e in ok("campaign", "log", news, "--format", "json").json[:3]] == [4, 3, 2]


def test_all_that_is_wrong_with_settings_is_printed_at_once(refused: Run, news: str, tmp_path: Path) -> None:
    message = refused("campaign", "settings", "news", "--set", "screen.outputs=9", "--set", "hit.screens=0", news)
    assert [line.partition(";")[0] for line in message.splitlines()] == [
        "settings: screen.outputs: got 9", "settings: hit.screens: got 0"
    ]  # fmt: skip
    (tmp_path / "bad.toml").write_text("schema = 1\n[screen]\noutputs = 9\n[task]\nmarkup = 'x'\n")
    message = refused("campaign", "settings", "news", "--apply", tmp_path / "bad.toml", news)
    assert len(message.splitlines()) == 2


def test_settings_that_belong_to_nothing_are_refused(refused: Run, news: str) -> None:
    assert "say which" in refused("campaign", "settings", "--set", "screen.outputs=3")
    assert "nowhere.toml: no such file" in refused("campaign", "settings", "news", "--apply", "nowhere.toml", news)
    assert "campaign: got 'olds'" in refused("campaign", "settings", "olds", news)


# -- people ----------------------------------------------------------------------------------------------


def links(ok: Run, *arguments: object) -> dict[str, str]:
    found = ok("campaign", "invite", "news", *arguments, "--format", "json").json
    return {line["name"]: line["link"] for line in found}


def token(link: str) -> str:
    return link.rpartition("/join/")[2]


def test_links_open_the_door_for_the_one_they_are_for(ok: Run, news: str) -> None:
    made = links(ok, "ann", "bob", "--langs", "fr-en", "--url", "https://example.org/eval/", news)
    assert all(link.startswith("https://example.org/eval/join/") for link in made.values())
    with opened("campaign.db") as db:
        for name, link in made.items():
            person = redeem(db, token(link))
            assert person is not None
            assert (person.name, person.role, person.langs) == (name, Role.JUDGE, ("fr-en",))


def test_one_who_is_there_gets_another_link(ok: Run, news: str) -> None:
    first, second = links(ok, "ann", news)["ann"], links(ok, "ann", "ann", news)["ann"]
    assert first != second
    with opened("campaign.db") as db:
        assert redeem(db, token(first)) == redeem(db, token(second)) != None  # noqa: E711
    assert len(ok("campaign", "people", news, "--format", "json").json) == 1


def test_people_without_a_name_are_numbered_on(ok: Run, news: str) -> None:
    assert list(links(ok, "--count", 2, news)) == ["judge-01", "judge-02"]
    with opened("campaign.db") as db:
        add_person(db, "news", "judge", "judge-87654321")  # a pseudonym may look like this, and is no number
    assert list(links(ok, "ann", "--count", 2, news)) == ["ann", "judge-03", "judge-04"]
    assert list(links(ok, "--count", 1, "--role", "observer", news)) == ["observer-01"]


def test_links_can_be_had_as_a_table_or_csv(ok: Run, news: str) -> None:
    (line,) = rows(ok("campaign", "invite", "news", "ann", news, "--format", "csv").out)
    assert list(line) == ["name", "role", "langs", "link"]
    assert line["link"].startswith("http://127.0.0.1:8000/join/")
    result = ok("campaign", "invite", "news", "bob", news)
    assert re.search(r"bob +judge +all +http://127.0.0.1:8000/join/[\w-]{43}\n", result.out)
    assert "anyone with a link can act as that person" in result.err


def test_links_name_the_server_that_serves(ok: Run, news: str, monkeypatch: pytest.MonkeyPatch) -> None:
    guessed = ok("campaign", "invite", "news", "ann", news)
    assert "http://127.0.0.1:8000/join/" in guessed.out
    assert "which is a guess" in guessed.err
    with opened("campaign.db") as db:
        record_server(db, "http://127.0.0.1:8123")
        record_server(db, "https://eval.example.org/mt")
    known = ok("campaign", "invite", "news", "ann", news)
    assert "https://eval.example.org/mt/join/" in known.out
    assert "where this database was served last" in known.err
    assert "guess" not in known.err
    monkeypatch.setenv("PALMARES_ADDRESS", "https://other.example/")
    named = ok("campaign", "invite", "news", "ann", news)
    assert "https://other.example/join/" in named.out
    assert named.err == "anyone with a link can act as that person: give each link to its owner only\n"
    assert "https://third.example/join/" in ok("campaign", "invite", "news", "ann", news, "--address",
                                               "https://third.example").out  # fmt: skip


def test_names_that_a_spreadsheet_would_run(ok: Run, refused: Run, news: str) -> None:
    for name, written in (("=1+1", "'=1+1"), ("@x", "'@x"), ("-y", "'-y"), ("a=b", "a=b")):
        (line,) = rows(ok("campaign", "invite", "news", "--format", "csv", news, "--", name).out)
        assert line["name"] == written
    people = ("campaign", "people", news, "--format", "csv")
    assert [line["name"] for line in rows(ok(*people).out)] == ["'=1+1", "'@x", "'-y", "a=b"]
    assert [line["name"] for line in rows(ok(*people, "--formulas", "keep").out)] == ["=1+1", "@x", "-y", "a=b"]
    assert "a spreadsheet would run" in refused(*people, "--formulas", "refuse")
    assert "=1+1" in [p["name"] for p in ok("campaign", "people", news, "--format", "json").json]
    csv_of_links = ("campaign", "invite", "news", "--format", "csv", "--formulas", "refuse", news)
    assert "a spreadsheet would run" in refused(*csv_of_links, "bob", "=2")
    assert "bob" not in [p["name"] for p in ok("campaign", "people", news, "--format", "json").json]


def test_the_languages_of_a_judge_are_changed(ok: Run, refused: Run, news: str) -> None:
    links(ok, "ann", news)
    said = ok("campaign", "langs", "news", "ann", "--langs", "fr-en", news).err
    assert said == "ann: judges fr-en, before: all language pairs\n"
    assert ok("campaign", "langs", "news", "ann", "--langs", "fr-en", news).err == "ann: judges fr-en already\n"
    assert (
        ok("campaign", "langs", "news", "ann", "--all", news).err == "ann: judges all language pairs, before: fr-en\n"
    )
    for options in ([], ["--all", "--langs", "fr-en"]):
        assert "say which language pairs" in refused("campaign", "langs", "news", "ann", *options, news)
    assert "language pair: got 'xx'" in refused("campaign", "langs", "news", "ann", "--langs", "xx", news)
    assert [e["what"] for e in ok("campaign", "log", news, "--format", "json").json].count("langs-changed") == 2


def test_how_long_a_link_works_can_be_said(ok: Run, news: str) -> None:
    links(ok, "ann", "--days", "2", news)
    links(ok, "bob", news)
    people = ok("campaign", "people", news, "--format", "json").json
    left = [datetime.fromisoformat(person["link_until"]) - datetime.now(UTC) for person in people]
    assert [round(time / timedelta(days=1)) for time in left] == [2, 90]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nobody to invite; give names, or --count"),
        (["ann", "--role", "organiser"], "'ann' is in campaign 'news' as judge, and --role says organiser"),
        (["ann", "--langs", "fr-en"], "'ann' judges all language pairs, and --langs says fr-en"),
        (["eve", "--langs", "de-en"], "language pair: got 'de-en'; campaign 'news' has: fr-en"),
        (["eve", "--role", "observer", "--langs", "fr-en"], "--langs says what a judge judges"),
        (["eve", "--url", "example.org"], "--url: got 'example.org'"),
        (["eve", " bob"], "name: got ' bob'; allowed: 1 to 200 printable characters"),
    ],
)
def test_what_cannot_be_an_invitation(ok: Run, refused: Run, news: str, arguments: list[str], message: str) -> None:
    links(ok, "ann", news)
    assert re.search(re.escape(message).replace(r"\.\*", ".*"), refused("campaign", "invite", "news", *arguments, news))


def test_who_is_revoked_has_no_way_in(ok: Run, news: str) -> None:
    link = links(ok, "ann", news)["ann"]
    assert ok("campaign", "revoke", "news", "ann", news).err == "ann: all links and sessions have ended\n"
    with opened("campaign.db") as db:
        assert redeem(db, token(link)) is None
    (ann,) = ok("campaign", "people", news, "--format", "json").json
    assert (ann["name"], ann["link_until"], ann["session_until"]) == ("ann", None, None)


def test_a_name_is_not_forgotten_unasked(ok: Run, refused: Run, news: str) -> None:
    links(ok, "ann", news)
    said = refused("campaign", "pseudonymise", "news", "ann", news)
    assert said == "deleting the name 'ann' cannot be undone, and there is nobody to ask; give --yes"
    assert "no one called 'bob'" in refused("campaign", "pseudonymise", "news", "bob", "--yes", news)
    (ann,) = ok("campaign", "people", news, "--format", "json").json
    assert ann["name"] == "ann"


def test_a_forgotten_name_is_nowhere(ok: Run, news: str) -> None:
    link = links(ok, "ann", news)["ann"]
    (before,) = ok("campaign", "people", news, "--format", "json").json
    ok("campaign", "pseudonymise", "news", "ann", "--yes", news)
    (after,) = ok("campaign", "people", news, "--format", "json").json
    assert after["name"] == after["pseudonym"] == before["pseudonym"]
    assert "ann" not in ok("campaign", "log", news).out.replace("annotat", "")
    with opened("campaign.db") as db:
        assert redeem(db, token(link)) is None


@pytest.mark.parametrize(("said", "status", "forgotten"), [("y", 0, True), ("n", 1, False)])
def test_on_a_terminal_one_is_asked(ok: Run, news: str, said: str, status: int, forgotten: bool) -> None:
    links(ok, "ann", news)
    ours, theirs = pty.openpty()
    with closing(os.fdopen(ours, "wb", buffering=0)) as keyboard:
        keyboard.write(f"{said}\n".encode())
        command = [sys.executable, "-m", "palmares", "campaign", "pseudonymise", "news", "ann", news]
        done = subprocess.run(command, stdin=theirs, capture_output=True, text=True, timeout=60, check=False)
        os.close(theirs)
    assert done.returncode == status, done.stderr
    assert "Delete the name 'ann' for good?" in done.stderr
    (ann,) = ok("campaign", "people", news, "--format", "json").json
    assert (ann["name"] == ann["pseudonym"]) == forgotten


# -- following -------------------------------------------------------------------------------------------


@pytest.fixture
def at_work(tmp_path: Path) -> str:
    """A campaign with a judge who answered four screens of five outputs, and one who never came."""
    url = f"sqlite:///{tmp_path}/work.db"
    db = Database.open(url, create=True)
    new_campaign(db, sample_texts(12))
    judge_screens(db, new_judge(db), 4)
    new_judge(db, "bob", langs=["fr-en"])
    db.close()
    return f"--database={url}"


def test_the_status_in_every_form(ok: Run, at_work: str) -> None:
    found = json.loads(ok("campaign", "status", at_work, "--format", "json").out)
    (pair,) = found["pairs"]
    # Screens come in threes: two of the second HIT are still in ann's hands.
    assert (pair["answered"], pair["open"], pair["held"], pair["judges_at_work"]) == (4, 2, 2, 1)
    assert [(j["name"], j["done"], j["target"], j["at_work"]) for j in found["judges"]] == [
        ("ann", 4, 30, True), ("bob", 0, 30, False)
    ]  # fmt: skip
    (line,) = rows(ok("campaign", "status", at_work, "--format", "csv").out)
    numbers = ("segments", "systems", "answered", "open", "held", "skipped", "judges_at_work", "enough", "repeats")
    assert [line[key] for key in ("lang_pair", *numbers)] == ["fr-en", "12", "6", "4", "2", "2", "0", "1", "no", "0"]
    ann, bob = rows(ok("campaign", "status", at_work, "--format", "csv", "--show", "judges").out)
    assert (ann["judge"], ann["done"], ann["at_work"], ann["langs"]) == ("ann", "4", "yes", "")
    assert (bob["judge"], bob["last"], bob["langs"], bob["consented"]) == ("bob", "", "fr-en", "yes")


def test_notes_are_printed_with_their_screens(ok: Run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/notes.db"
    with opened_or_made(url) as db:
        new_campaign(db, sample_texts(12, ("A", "B")), **{"screen.outputs": 2})
        judge = new_judge(db)
        given = [Answer((1, 2), note="=fine"), Answer(skip="technical", note="broken", problem=True), Answer((1, 1)),
                 Answer((1, 1), verdict="both-bad", note="bad")]  # fmt: skip
        for answer in given:
            view = next_view(db, judge)
            assert view is not None
            submit(db, judge, view.id, answer, submission="s")
    command = ("campaign", "notes", "--database", url)
    lines = rows(ok(*command, "--format", "csv").out)
    assert [(line["judge"], line["answer"], line["problem"], line["note"]) for line in lines] == [
        ("ann", "both-bad", "no", "bad"), ("ann", "skipped: technical", "yes", "broken"), ("ann", "1 2", "no", "'=fine")
    ]  # fmt: skip
    (only,) = ok(*command, "--problems", "--format", "json").json
    assert (only["note"], only["problem"], only["skip"], only["practice"]) == ("broken", True, "technical", False)
    assert sorted(name for output in only["outputs"] for name in output["systems"]) == ["A", "B"]
    assert only["source"].startswith("Phrase numéro")
    assert [output["rank"] for output in only["outputs"]] == [None, None]
    assert len(ok(*command, "--limit", "1", "--format", "json").json) == 1
    assert "skipped: technical" in ok(*command).out


@pytest.mark.parametrize("output", ["table", "markdown", "latex"])
def test_what_people_read_has_both_tables(ok: Run, at_work: str, output: str) -> None:
    both = ok("campaign", "status", at_work, "--format", output).out
    pairs, judges = (
        ok("campaign", "status", at_work, "--show", s, "--format", output).out for s in ("pairs", "judges")
    )
    assert both == f"{pairs}\n{judges}"
    assert "fr-en" in pairs
    assert "bob" not in pairs
    assert "bob" in judges


def test_a_language_pair_with_enough_says_so(ok: Run, at_work: str) -> None:
    assert "enough according to the settings" not in ok("campaign", "status", at_work).out
    ok("campaign", "settings", "news", "--set", "stop.screens=4", at_work)
    assert "enough according to the settings, so no more is given out: fr-en" in ok("campaign", "status", at_work).out


@pytest.mark.parametrize("command", ["people", "list", "log"])
def test_tables_in_every_form(ok: Run, at_work: str, command: str) -> None:
    wanted = {"people": "bob", "list": "news", "log": "person-added"}[command]
    for output in FORMATS:
        assert wanted in ok("campaign", command, at_work, "--format", output).out
    found = ok("campaign", command, at_work, "--format", "json").json
    assert [list(line) for line in rows(ok("campaign", command, at_work, "--format", "csv").out)] == [
        list(line) for line in found
    ]


def test_the_log_has_the_latest_first(ok: Run, news: str) -> None:
    links(ok, "ann", news)
    kinds = [event["what"] for event in ok("campaign", "log", news, "--format", "json").json]
    assert kinds == ["invited", "person-added", "pair-added", "campaign-created"]
    (latest,) = ok("campaign", "log", "news", "--limit", 1, news, "--format", "json").json
    assert (latest["person"], latest["by"], latest["details"]) == ("ann", None, {"days": 90.0})


def test_a_state_is_changed_once(ok: Run, news: str) -> None:
    assert ok("campaign", "state", "news", "paused", news).err == "news: is paused, was open\n"
    assert ok("campaign", "state", "news", "paused", news).err == "news: is paused already\n"
    assert ok("campaign", "list", news, "--format", "json").json[0]["state"] == "paused"
    changes = [
        e["details"] for e in ok("campaign", "log", news, "--format", "json").json if e["what"] == "state-changed"
    ]
    assert changes == [{"was": "open", "now": "paused"}]


def test_of_several_campaigns_one_must_be_named(ok: Run, refused: Run, news: str, texts: Path) -> None:
    ok("campaign", "new", "other", texts, "--langs", "fr-en", news)
    for command in ("people", "status", "log"):
        assert "several campaigns, say which: news, other" in refused("campaign", command, news)
        ok("campaign", command, "other", news)


# -- export ----------------------------------------------------------------------------------------------


def test_judgments_are_written_in_the_format_of_the_ending(ok: Run, at_work: str) -> None:
    said = ok("campaign", "export", "news", "judgments.csv", at_work).err
    assert said == "wrote 40 judgments from 4 screens (0 more were skipped) to judgments.csv (pairwise)\n"
    read = pm.read("judgments.csv")
    assert len(read) == 4 * 10  # a screen of five outputs has ten pairs
    assert read.judges == (find_pseudonym(at_work, "ann"),)
    ok("campaign", "export", "news", "judgments.parquet", "--controls", "--collapse", at_work)
    assert pm.read("judgments.parquet") == read
    assert ok("campaign", "export", "news", "-", "--to", "pairwise", at_work).out.count("\n") == 41


def find_pseudonym(database: str, name: str) -> str:
    with opened(database.removeprefix("--database=")) as db:
        return find_person(db, "news", name).pseudonym


def test_what_a_format_cannot_hold_must_be_dropped(ok: Run, refused: Run, at_work: str) -> None:
    said = refused("campaign", "export", "news", "wmt.csv", "--to", "wmt", at_work)
    lost = ",".join(re.findall(r"\b(position|time|duration|weight|extra)\b", said))
    ok("campaign", "export", "news", "wmt.csv", "--to", "wmt", "--drop", lost, at_work)
    assert len(pm.read("wmt.csv", format="wmt")) == 40


def test_screens_are_written_with_their_texts(ok: Run, at_work: str) -> None:
    said = ok("campaign", "export", "news", "screens.jsonl", "--texts", "--revisions", at_work).err
    assert said == "wrote 4 ranked and 0 skipped screens to screens.jsonl (4 lines)\n"
    lines = [json.loads(line) for line in Path("screens.jsonl").read_text("utf-8").splitlines()]
    assert [[output["rank"] for output in line["outputs"]] for line in lines] == [[1, 2, 3, 4, 5]] * 4


def test_an_empty_campaign_is_a_warning(ok: Run, news: str) -> None:
    assert "warning: campaign 'news' has no judgments yet" in ok("campaign", "export", "news", "a.csv", news).err
    assert "warning: no screen of campaign 'news' has been answered yet" in (
        ok("campaign", "export", "news", "a.jsonl", "--texts", news).err
    )


def test_options_that_say_nothing_about_the_export_are_refused(refused: Run, news: str) -> None:
    said = refused("campaign", "export", "news", "a.jsonl", "--texts", "--collapse", news)
    assert said == "--texts writes screens, and --collapse is for judgments; leave out one of them"
    assert "give --texts too" in refused("campaign", "export", "news", "a.csv", "--revisions", news)
    assert list(Path().glob("a.*")) == []


# -- databases -------------------------------------------------------------------------------------------


def test_a_campaign_from_beginning_to_end(ok: Run, database_url: str, texts: Path) -> None:
    """On both databases: what one command stores, the next one finds."""
    there = f"--database={database_url}"
    easy = [f"--set={key}={json.dumps(value)}" for key, value in PLAIN.items()]
    ok("campaign", "new", "news", texts, "--langs", "fr-en", "--set", "screen.outputs=3", *easy, there)
    links(ok, "ann", there)
    with opened(database_url) as db:
        consent(db, find_person(db, "news", "ann"))
        judge_screens(db, find_person(db, "news", "ann"), 3)
    (pair,) = json.loads(ok("campaign", "status", there, "--format", "json").out)["pairs"]
    assert (pair["answered"], pair["least"], pair["most"]) == (3, 3, 3)  # all three systems are on every screen
    ok("campaign", "export", "news", "out.csv", there)
    assert len(pm.read("out.csv")) == 9
    assert [p["practised"] for p in ok("campaign", "people", there, "--format", "json").json] == [False]
    ok("campaign", "state", "news", "closed", there)
    ok("campaign", "revoke", "news", "ann", there)
    ok("campaign", "pseudonymise", "news", "ann", "--yes", there)
    ok("campaign", "settings", "news", "--set", "hit.screens=2", there)
    found = [event["what"] for event in ok("campaign", "log", there, "--format", "json").json]
    assert found[:4] == ["settings-changed", "pseudonymised", "revoked", "state-changed"]
    assert ok("campaign", "list", there, "--format", "json").json[0]["answered"] == 3
    assert "already" in ok("campaign", "upgrade", there).err


def test_a_backup_is_a_database_of_its_own(ok: Run, refused: Run, news: str) -> None:
    assert ok("campaign", "backup", "copy.db", news).err == "copied sqlite:///campaign.db to copy.db\n"
    assert ok("campaign", "list", "--database", "copy.db", "--format", "json").json[0]["name"] == "news"
    assert "copy.db: exists already" in refused("campaign", "backup", "copy.db", news)


def old_database(path: str) -> None:
    """A database as the first version made it."""
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        upgrade(connection, "0001")
    engine.dispose()


def version_of(path: str) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("select version_num from alembic_version").fetchone()[0])


def test_an_old_database_is_upgraded_and_a_copy_kept(ok: Run, refused: Run) -> None:
    old_database("old.db")
    said = refused("campaign", "list", "--database", "old.db")
    assert said.startswith("sqlite:///old.db: has version 0001, this palmares needs")
    result = ok("campaign", "upgrade", "--database", "old.db")
    assert result.err.splitlines() == [
        "kept a copy: old.db.before-0001", f"sqlite:///old.db: upgraded from version 0001 to {head()}"
    ]  # fmt: skip
    assert (version_of("old.db"), version_of("old.db.before-0001")) == (head(), "0001")
    assert ok("campaign", "list", "--database", "old.db", "--format", "json").json == []


def test_a_copy_of_an_earlier_upgrade_is_not_overwritten(refused: Run) -> None:
    old_database("old.db")
    Path("old.db.before-0001").write_text("precious")
    assert "a copy from an earlier upgrade exists already" in refused("campaign", "upgrade", "--database", "old.db")
    assert version_of("old.db") == "0001"
    assert Path("old.db.before-0001").read_text() == "precious"


def test_what_cannot_be_upgraded(refused: Run, news: str) -> None:
    assert "nowhere.db: no such file" in refused("campaign", "upgrade", "--database", "nowhere.db")
    assert not Path("nowhere.db").exists()
    with closing(sqlite3.connect("campaign.db")) as connection, connection:
        connection.execute("update alembic_version set version_num = '9999'")
    assert "has version 9999, which is newer" in refused("campaign", "upgrade", news)
    with closing(sqlite3.connect("foreign.db")) as connection, connection:
        connection.execute("create table cats (name text)")
    assert "has other tables (cats)" in refused("campaign", "upgrade", "--database", "foreign.db")


@pytest.mark.parametrize(
    "command", [["list"], ["status"], ["people"], ["log"], ["export", "n", "a.csv"], ["backup", "b"]]
)
def test_a_database_that_is_not_there_is_not_made(refused: Run, tmp_path: Path, command: list[str]) -> None:
    assert "palmares.db: no such file; create a campaign with 'palmares campaign new'" in refused("campaign", *command)
    assert "allowed: sqlite:///FILE or postgresql://" in refused("campaign", *command, "--database", "mysql://x/y")
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_fails_meanwhile_is_one_line(news: str) -> None:
    def write() -> None:
        with opened("campaign.db") as db, db.engine.connect() as connection:
            connection.exec_driver_sql("pragma busy_timeout=0")
            connection.exec_driver_sql("update campaign set state = 'closed'")

    with closing(sqlite3.connect("campaign.db", isolation_level=None)) as other:
        other.execute("begin immediate")
        with pytest.raises(DatabaseError, match=r"campaign\.db: .* nothing was stored; .* \(database is locked\)"):
            write()


# -- the program -----------------------------------------------------------------------------------------


def test_without_the_extra_it_says_what_to_install(refused: Run, monkeypatch: pytest.MonkeyPatch, news: str) -> None:
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    for command in (["campaign", "list", news], ["serve", news]):
        said = refused(*command)
        assert "needs the package 'sqlalchemy', which is not installed" in said
        assert said.endswith("pip install 'palmares[server]'")


def test_texts_are_checked_without_the_extra(texts: Path) -> None:
    code = (
        "import sys\nfor name in ('sqlalchemy', 'alembic', 'fastapi', 'uvicorn'): sys.modules[name] = None\n"
        f"from palmares.cli import main\nmain(['campaign', 'check', {str(texts)!r}, '--langs', 'fr-en'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("fr-en: 8 segments")


@pytest.mark.parametrize("command", CAMPAIGN_COMMANDS)
def test_every_command_has_help(ok: Run, command: str) -> None:
    assert ok("campaign", command, "--help").out.startswith(f"Usage: palmares campaign {command}")


def test_help_of_all_commands_imports_nothing_heavy() -> None:
    commands = [["--help"], ["serve", "--help"], *(["campaign", c, "--help"] for c in CAMPAIGN_COMMANDS)]
    code = (
        f"import sys\nfrom palmares.cli import main\nfor arguments in {commands!r}:\n"
        "    try:\n        main(arguments)\n    except SystemExit:\n        pass\n"
        "heavy = {'sqlalchemy', 'alembic', 'fastapi', 'uvicorn', 'numpy', 'polars', 'rich'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_an_unknown_command_is_a_usage_error(run: Run) -> None:
    result = run("campaign", "nwe")
    assert result.status == 2
    assert "No such command 'nwe'" in result.err


def test_the_names_of_invitations_are_not_stored(ok: Run, news: str) -> None:
    """A link is a secret: the database has its digest alone."""
    link = links(ok, "ann", news)["ann"]
    assert token(link).encode() not in Path("campaign.db").read_bytes()
    with opened("campaign.db") as db:
        assert redeem(db, token(link)) is not None
        assert invite(db, find_person(db, "news", "ann")) != token(link)
