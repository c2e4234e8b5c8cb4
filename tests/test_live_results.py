"""Results while people judge: those of an export up to the answer they name, bit for bit; and when they are made."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from conftest import Result
from results import LIVE, board, look_until_complete, quickly  # noqa: F401
from stores import answer, new_campaign, new_judge, next_view, sample_texts
from studies import analysing, judged

from palmares.campaign import schema
from palmares.campaign.analysed import analysis_health
from palmares.campaign.answers import Answer, submit
from palmares.campaign.boards import Board, answers_since, board_of, milestones
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings, change_state
from palmares.campaign.late_systems import add_systems, prepare
from palmares.campaign.left_out import leave_out, take_back
from palmares.campaign.live import board as keeping
from palmares.campaign.live.process import Watchlist, needing
from palmares.campaign.people import Person
from palmares.campaign.settings import Settings


def check_commands(ok: Callable[..., Result], url: str, folder: Path, found: Board, pair: str, *more: str) -> None:
    """The commands that the page names give the same numbers from the export as the board has."""
    commands = {"ranking": ("rank", "--forecast"), "agreement": ("agreement",), "judges": ("judges",)}
    for name, command in commands.items():
        part = found.body["parts"][name]
        file = folder / f"{part['answer']}-{part['left_out']}.csv"
        if not file.exists():
            since = ("--left-out-as-of", part["left_out"]) if part["left_out"] else ()
            ok("campaign", "export", "news", file, "--up-to", part["answer"], *since, "--database", url)
        options = more if name == "ranking" else ()
        printed = ok(*command, file, *options, "--where", f"lang_pair={pair}", "--format", "json")
        (expected,) = json.loads(printed.out)
        check_same(part["found"], expected, name)


def check_same(found: dict[str, Any], expected: dict[str, Any], name: str) -> None:
    """All that is kept, but for notes on what was read, is what the command prints."""
    kept = set(found) - {"no_forecast", "notes"}
    assert kept - {"forecast"} <= set(expected)
    assert {"systems", "boundaries", "forecast", "signature"} <= kept or name != "ranking"
    for key in kept:
        assert found[key] == expected.get(key), key


@pytest.mark.any_database
def test_results_are_those_of_the_export_up_to_their_answer(
    db: Database, database_url: str, tmp_path: Path, ok: Callable[..., Result]
) -> None:
    """Two language pairs, answers of all kinds, repeats and controls; read in pieces as they come."""
    settings = {
        "controls.repeats": 0.2, "controls.repeat_after": 2, "controls.degraded": 0.1, "screen.outputs": 3,
        "overlap.share": 0.5, "overlap.judges": 2,
    }  # fmt: skip
    new_campaign(db, sample_texts(20), sample_texts(20, langs="de-en"), **LIVE, **settings)
    rng, judges = Random(4), [new_judge(db, f"judge-{number}") for number in range(6)]
    with analysing(db) as analyst:
        for _ in range(3):
            answers_of_all_kinds(db, judges, 45, rng)
            look_until_complete(db, analyst, 1, 2)
        for number, pair in ((1, "fr-en"), (2, "de-en")):
            found = board(db, number)
            assert found.body["parts"]["ranking"]["found"]["judgments"] > 100
            check_commands(ok, database_url, tmp_path, found, pair)


def answers_of_all_kinds(db: Database, judges: list[Person], turns: int, rng: Random) -> None:
    for turn in range(turns):
        judge = judges[turn % len(judges)]
        view = next_view(db, judge, rng=rng)
        if view is None:
            continue
        ranks = [rng.randint(1, len(view.options)) for _ in view.options]
        if turn % 7 == 3:
            submit(db, judge, view.id, Answer(skip="other"), submission="s")
        else:
            answer(db, judge, view, ranks)
        if turn % 11 == 5:
            submit(db, judge, view.id, Answer(tuple(ranks[::-1])), submission="again", revision=1, seconds=float(turn))


@pytest.mark.any_database
def test_results_are_exact_with_programs_a_rule_and_a_system_that_came_late(
    db: Database, database_url: str, tmp_path: Path, ok: Callable[..., Result]
) -> None:
    """A program judges one of two language pairs; a system shares outputs with an older one, and came after them."""
    settings = {"screen.outputs": 3, "overlap.share": 0.5, "stop.rule": "clusters=6"}
    new_campaign(db, sample_texts(20), sample_texts(20, langs="de-en"), **LIVE, **settings)
    rng = Random(4)
    people = [new_judge(db, f"judge-{number}", langs=() if number else ["fr-en"]) for number in range(6)]
    with db.begin() as tx:
        tx.execute(schema.person.update().where(schema.person.c.name == "judge-0").values(program=True))
    with analysing(db) as analyst:
        answers_of_all_kinds(db, people, 60, rng)
        look_until_complete(db, analyst, 1, 2)
        same = [f"Sentence {i} says one things here now." for i in range(10)]
        outputs = [*same, *(f"Sentence {i} says nothing of the kind." for i in range(10, 20))]
        add_systems(db, "news", prepare(db, "news", "fr-en", {"Late": outputs}))
        answers_of_all_kinds(db, people, 90, rng)
        look_until_complete(db, analyst, 1, 2)
    found = board(db)
    assert "Late" in {line["system"] for line in found.body["parts"]["ranking"]["found"]["systems"]}
    assert found.body["parts"]["ranking"]["found"]["looks"] == "any"
    assert found.body["parts"]["ranking"]["found"]["forecast"]["target"] is not None
    assert any(line["program"] for line in found.body["parts"]["judges"]["found"]["judges"])
    for number, pair in ((1, "fr-en"), (2, "de-en")):
        check_commands(ok, database_url, tmp_path, board(db, number), pair, "--target", "clusters=6")


@pytest.mark.any_database
def test_a_judge_who_is_left_out_changes_results_at_once_and_back(
    db: Database, database_url: str, tmp_path: Path, ok: Callable[..., Result]
) -> None:
    """Without a new answer, and without the pause between two computations; in the end all is as it was."""
    new_campaign(db, sample_texts(30), **LIVE, **{"screen.outputs": 3, "overlap.share": 0.5})
    judges, rng = [new_judge(db, f"judge-{number}") for number in range(6)], Random(4)
    answers_of_all_kinds(db, judges, 60, rng)
    with analysing(db) as analyst:
        look_until_complete(db, analyst)
        before = board(db)
        change = leave_out(db, judges[0], "answers at random")
        analyst._boards._pause_until = float("inf")
        analyst.look(needing(db))
        without = board(db)
        assert (without.answer, without.left_out) == (before.answer, change)
        assert without.body["parts"]["ranking"]["judgments"] == without.judgments < before.judgments
        assert without.body["parts"]["agreement"]["left_out"] == 0  # of before, and says so
        analyst._boards._pause_until = 0.0
        look_until_complete(db, analyst)
        without = board(db)
        known = {line["judge"] for line in without.body["parts"]["judges"]["found"]["judges"]}
        assert known == {judge.pseudonym for judge in judges[1:]}
        check_commands(ok, database_url, tmp_path, without, "fr-en")
        take_back(db, judges[0])
        look_until_complete(db, analyst)
    again = board(db)
    for name, part in before.body["parts"].items():
        assert again.body["parts"][name]["found"] == part["found"], name
    with db.read() as tx:
        assert [each.left_out for each in milestones(tx, 1)] == [0, change, change + 1]


@pytest.mark.any_database
def test_a_milestone_is_kept_for_every_few_per_cent(db: Database) -> None:
    new_campaign(db, sample_texts(60), **LIVE, **{"screen.outputs": 3})
    judges = [new_judge(db, f"judge-{n}") for n in range(5)]
    with analysing(db) as analyst:
        for _ in range(12):
            judged(db, judges, 5, Random(1))
            look_until_complete(db, analyst)
        with db.read() as tx:
            kept, now = milestones(tx, 1), board_of(tx, 1)
            assert answers_since(tx, 1, 0) == 60
    assert now is not None
    amounts = [each.judgments for each in kept]
    assert amounts[-1] <= now.judgments == 180
    assert len(amounts) > 5
    assert all(later >= 1.05 * earlier for earlier, later in pairwise(amounts))
    ranking = {line["system"]: [*line["range"], line["rank"], line["score"]]
               for line in now.body["parts"]["ranking"]["found"]["systems"]}  # fmt: skip
    assert kept[-1].body["systems"] == ranking or kept[-1].judgments < now.judgments


@pytest.mark.any_database
def test_results_of_a_closed_campaign_stay_and_follow_who_is_left_out(db: Database) -> None:
    """Once all is said nobody looks at it any more, until it changes whose answers count."""
    new_campaign(db, sample_texts(30), **LIVE, **{"screen.outputs": 3})
    judges = [new_judge(db, f"judge-{number}") for number in range(5)]
    judged(db, judges, 20, Random(1))
    change_state(db, "news", "closed")
    watchlist = Watchlist(db)
    assert [(each.shown, each.studied) for each in watchlist.needing()] == [(True, False)]
    with analysing(db) as analyst:
        look_until_complete(db, analyst)
        assert watchlist.needing() == needing(db) == []
        change = leave_out(db, judges[0], "said so")
        assert [each.shown for each in watchlist.needing()] == [True]
        look_until_complete(db, analyst)
    assert board(db).left_out == change
    assert watchlist.needing() == []


@pytest.mark.any_database
def test_what_got_no_answers_names_a_later_one_all_the_same(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two language pairs one is judged: the other need not be looked through again and again."""
    monkeypatch.setattr(keeping, "_BEHIND", 10)
    new_campaign(db, sample_texts(30), sample_texts(30, langs="de-en"), **LIVE, **{"screen.outputs": 3})
    judges = [new_judge(db, f"judge-{number}", langs=["fr-en"]) for number in range(3)]
    with analysing(db) as analyst:
        look_until_complete(db, analyst, 1, 2)
        before = board(db, 2)
        judged(db, judges, 12, Random(1))
        look_until_complete(db, analyst, 1)
        analyst.look(needing(db))
    after = board(db, 2)
    assert (before.answer, after.answer, after.version) == (0, 12, before.version)


@pytest.mark.any_database
def test_who_keeps_results_is_in_the_health_of_a_server(db: Database) -> None:
    new_campaign(db, **{**LIVE, "results.live": False})
    assert analysis_health(db) == "not needed"
    change_settings(db, "news", Settings().replace(**LIVE))
    assert analysis_health(db) == "not running"
    with analysing(db):
        assert analysis_health(db) == "ok"
