"""The page of results without a browser: who may see what of it, what it says, and names that are hidden."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from manage_pages import HOSTILE, words
from results import LIVE, board, look_until_complete, quickly  # noqa: F401
from stores import answer, new_campaign, new_judge, next_view, sample_texts
from studies import analysing
from webs import signed_in, staff, visitor

from palmares.campaign import Role, schema
from palmares.campaign.answers import Answer, submit
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings
from palmares.campaign.names import shown_names
from palmares.campaign.settings import Settings
from palmares.server.access import declared_roles, routes

pytestmark = pytest.mark.any_database

MINE, OUTSIDE = "/c/news/manage/results", "/c/news/results"
#: Names that occur nowhere else on a page.
SECRET = ("zyx-alpha", "zyx-beta", "zyx-gamma", "zyx-delta")


def campaign(db: Database, answers: int = 60, systems: Sequence[str] = SECRET, **settings: Any) -> int:
    """Systems with names of their own, of which later ones are worse; results that are complete."""
    rules = {**LIVE, "screen.outputs": 4, "overlap.share": 0.5, **settings}
    made = new_campaign(db, sample_texts(60, systems), **rules)
    judges = [new_judge(db, f"judge-{number}") for number in range(6)]
    rng = Random(2)
    for turn in range(answers):
        view = next_view(db, judges[turn % 6], rng=rng)
        assert view is not None
        worth = ["one", "two", "three", "four"]
        values = [worth.index(option.text.split()[3]) + rng.gauss(0, 1) for option in view.options]
        ranks = [1 + sum(other < value for other in values) for value in values]
        if turn % 20 == 7:
            given = Answer(tuple(ranks), note="one of them is cut off", problem=True)
            submit(db, judges[turn % 6], view.id, given, submission="s")
        else:
            answer(db, judges[turn % 6], view, ranks)
    with analysing(db) as analyst:
        look_until_complete(db, analyst)
    return made


def publish(db: Database, **values: Any) -> None:
    """A report that was made; what is in it is nobody's business here."""
    row = {"campaign_id": 1, "created_at": db.clock(), "made_at": db.clock(), "answer": 1, "left_out": 0, "page": b"x"}
    with db.begin() as tx:
        tx.execute(schema.publication.insert().values(**{**row, **values}))


def change(db: Database, **values: Any) -> None:
    """Change the one campaign there is."""
    with db.begin() as tx:
        tx.execute(schema.campaign.update().values(values))


def leaderboard(page: Any) -> list[list[str]]:
    """The lines of the first table: cluster, range, system, score, interval, P(best)."""
    table = re.search(r'<table class="leaderboard">.*?<tbody>(.*?)</tbody>', page.text, re.DOTALL)
    lines = re.findall(r"<tr[^>]*>(.*?)</tr>", table[1], re.DOTALL) if table else []
    return [[words(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line, re.DOTALL)] for line in lines]


# -- what it says ----------------------------------------------------------------------------------------


def test_an_organiser_sees_everything_with_the_commands_that_make_it_again(app: FastAPI, db: Database) -> None:
    campaign(db)
    page = staff(app, Role.ORGANISER).get(MINE)
    assert page.status_code == 200
    ranking = board(db).body["parts"]["ranking"]["found"]
    lines = leaderboard(page)
    assert [row[2] for row in lines] == [line["system"] for line in ranking["systems"]]
    assert [row[3] for row in lines] == [f"{line['score']:.3f}".replace("-", "−") for line in ranking["systems"]]
    said = words(page.text)
    assert "answers up to number 60: 360 judgments" in said
    assert "palmares campaign export news news.csv --up-to 60 palmares rank news.csv --forecast" in said
    assert "palmares agreement news.csv" in said
    assert "palmares judges news.csv" in said
    assert "No answer came since." in said
    assert all(f"judge-{number}" in said for number in range(6))
    assert "The analysis is not running" in said  # there is no process beside this test


def test_answers_that_came_since_are_counted(app: FastAPI, db: Database) -> None:
    campaign(db)
    judge = new_judge(db, "late")
    view = next_view(db, judge)
    assert view is not None
    answer(db, judge, view)
    assert "1 answer came since." in words(staff(app, Role.ORGANISER).get(MINE).text)


def test_what_cannot_be_ranked_says_why(app: FastAPI, db: Database) -> None:
    new_campaign(db, **LIVE, **{"screen.outputs": 2})
    olga = staff(app, Role.ORGANISER)
    assert "Nothing has been computed yet." in words(olga.get(MINE).text)
    with analysing(db) as analyst:
        look_until_complete(db, analyst)
        assert "there are no judgments yet" in words(olga.get(MINE).text)
        judge, seen = new_judge(db), set[str]()
        for _ in range(2):  # two pairs of systems that nothing links
            view = next_view(db, judge)
            assert view is not None
            seen |= {option.text.split()[3] for option in view.options}
            answer(db, judge, view)
            look_until_complete(db, analyst)
            if len(seen) == 2:
                assert "how sure that is is not known yet" in words(olga.get(MINE).text)
    assert len(seen) == 4
    said = words(olga.get(MINE).text)
    assert "There is no ranking yet." in said
    assert words(board(db).body["parts"]["ranking"]["why"]) in said


def test_results_that_are_switched_off_say_so(app: FastAPI, db: Database) -> None:
    new_campaign(db, **{**LIVE, "results.live": False})
    assert "results.live = false" in words(staff(app, Role.ORGANISER).get(MINE).text)


# -- who may see it --------------------------------------------------------------------------------------


def test_judges_and_strangers_see_nothing(app: FastAPI, db: Database) -> None:
    campaign(db)
    judge = signed_in(app, new_judge(db, "eve"))
    for path in (MINE, f"{MINE}/fragment", f"{MINE}/events"):
        assert judge.get(path).status_code == 403
        assert visitor(app).get(path).status_code == 401
    for path in (OUTSIDE, f"{OUTSIDE}/fragment", f"{OUTSIDE}/events"):
        there, nowhere = visitor(app).get(path), visitor(app).get(path.replace("news", "olds"))
        assert there.status_code == nowhere.status_code == 404
        assert there.text.replace("news", "olds") == nowhere.text


def test_the_public_sees_published_results_without_judges(app: FastAPI, db: Database, clock: Any) -> None:
    campaign(db)
    stranger = visitor(app)
    publish(db, not_before=db.clock().replace(hour=13))
    assert stranger.get(OUTSIDE).status_code == 404
    clock.forward(hours=2)
    page = stranger.get(OUTSIDE)
    assert page.status_code == 200
    assert sorted(row[2] for row in leaderboard(page)) == sorted(SECRET)
    with db.read() as tx:
        people = tx.execute(sa.select(schema.person.c.name, schema.person.c.pseudonym)).all()
    assert not any(name in page.text or pseudonym in page.text for name, pseudonym in people)
    assert "palmares campaign export" not in page.text
    publish(db, withdrawn_at=db.clock())
    assert stranger.get(OUTSIDE).status_code == 200  # another one was withdrawn
    with db.begin() as tx:
        tx.execute(schema.publication.update().values(withdrawn_at=db.clock()))
    assert stranger.get(OUTSIDE).status_code == 404


def test_observers_know_judges_by_pseudonym(app: FastAPI, db: Database) -> None:
    campaign(db)
    page = staff(app, Role.OBSERVER).get(MINE)
    with db.read() as tx:
        people = tx.execute(sa.select(schema.person.c.name, schema.person.c.pseudonym)).all()
    judges = [person for person in people if person.name.startswith("judge-")]
    assert all(pseudonym in page.text for _, pseudonym in judges)
    assert not any(re.search(rf">{name}<", page.text) for name, _ in judges)


def test_names_of_systems_are_text_and_nothing_else(app: FastAPI, db: Database) -> None:
    hostile = [f"{HOSTILE}{number}" for number in range(4)]
    campaign(db, 30, systems=hostile)
    publish(db)
    for page in (staff(app, Role.ORGANISER).get(MINE), visitor(app).get(OUTSIDE)):
        assert len(leaderboard(page)) == 4
        assert HOSTILE not in page.text
        assert page.text.count("<script") == 1  # ours


# -- names that are hidden -------------------------------------------------------------------------------


def for_observers(app: FastAPI) -> list[str]:
    """Every address that observers may read, but for streams and images; of a note, the first one."""
    paths = [str(route.path) for route in routes(app) if Role.OBSERVER in (declared_roles(route) or ())
             and "GET" in route.methods]  # fmt: skip
    left = [path for path in paths if not path.endswith(("/events", "{digest}"))]
    with app.state.database.read() as tx:
        noted = tx.execute(sa.select(schema.judgment.c.id).where(schema.judgment.c.note.is_not(None))).scalars().first()
    return [path.replace("{campaign}", "news").replace("{number}", str(noted)) for path in left]


def named_on(page: Any) -> list[str]:
    return [name for name in SECRET if name in page.text]


@pytest.mark.parametrize("rule", ["", "clusters=3"])
def test_no_name_of_a_system_reaches_an_observer_before_it_is_revealed(app: FastAPI, db: Database, rule: str) -> None:
    campaign(db, **{"results.names": "hidden", "stop.rule": rule})
    with analysing(db) as analyst:
        look_until_complete(db, analyst)
    observer, organiser = staff(app, Role.OBSERVER), staff(app, Role.ORGANISER)
    paths = for_observers(app)
    assert {"/c/news/manage", MINE, "/c/news/manage/notes", "/api/v1/news/status", "/api/v1/news/notes"} <= set(paths)
    for path in paths:
        page = observer.get(path)
        refused = "/export/" in path or path in ("/api/v1/news/notes", "/api/v1/news/results")
        assert page.status_code == (403 if refused else 200), path
        assert named_on(page) == [], path
    assert named_on(organiser.get(MINE)) == list(SECRET)
    assert "until an organiser reveals them" in words(observer.get(MINE).text)
    assert "until an organiser reveals them" in words(observer.get("/c/news/manage/export").text)
    letters = sorted(row[2] for row in leaderboard(observer.get(MINE)))
    assert letters == ["system A", "system B", "system C", "system D"]
    change(db, revealed_at=db.clock())
    for path in ("", "/results"):
        assert named_on(observer.get(f"/c/news/manage{path}")) == list(SECRET)
    assert observer.get("/c/news/manage/export/judgments").status_code == 200


def test_letters_say_nothing_and_stay(db: Database) -> None:
    """Other campaigns deal other letters; a system that comes late gets the next one, and moves none."""
    systems = [f"s{number:02d}" for number in range(30)]
    dealt = []
    for name in ("news", "olds"):
        made = new_campaign(db, sample_texts(2, systems[:10]), name=name, **{"results.names": "hidden"})
        with db.read() as tx:
            dealt.append(dict(shown_names(tx, made, Role.OBSERVER)["fr-en"]))
    assert dealt[0] != dealt[1]
    assert sorted(dealt[0].values()) == [f"system {letter}" for letter in "ABCDEFGHIJ"]
    with db.begin() as tx:
        pair = sa.select(schema.language_pair.c.id).where(schema.language_pair.c.campaign_id == 1)
        number = tx.execute(pair).scalar_one()
        for system in systems[10:]:
            tx.execute(schema.system.insert().values(language_pair_id=number, name=system, designed=0, added_after=5))
    with db.read() as tx:
        later = shown_names(tx, 1, Role.OBSERVER)["fr-en"]
        assert set(shown_names(tx, 1, Role.ORGANISER)["fr-en"].values()) == set(systems)
    assert {name: later[name] for name in systems[:10]} == dealt[0]
    assert {later[name] for name in systems[10:]} >= {"system K", "system Z", "system AA", "system AD"}
    change_settings(db, "olds", Settings())
    with db.read() as tx:
        assert shown_names(tx, 2, Role.OBSERVER)["fr-en"]["s01"] == "s01"
