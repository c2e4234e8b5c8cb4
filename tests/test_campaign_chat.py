"""Campaigns of prompts and answers: without a language pair, with conversations, verdicts and two systems a prompt."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from stores import answer, new_campaign, new_judge, next_view, sample_texts
from webs import attribute, signed_in, staff

import palmares as pm
from palmares.campaign import Role, schema
from palmares.campaign.answers import Answer, submit
from palmares.campaign.create import add_pairs
from palmares.campaign.database import Database
from palmares.campaign.definition import find_campaign, settings_of
from palmares.campaign.export import export, export_screens
from palmares.campaign.people import Person
from palmares.campaign.screens import ScreenView, Turn
from palmares.campaign.settings import Settings
from palmares.errors import InputError
from palmares.texts import TestSet, read_texts

Run = Callable[..., Any]
EXAMPLE = Path(__file__).parents[1] / "examples" / "answers.jsonl"
TWO = {"screen.outputs": 2, "task.markup": "markdown", "task.vocabulary": "prompt"}


def rows_of(tmp_path: Path, *rows: dict[str, Any], **options: Any) -> TestSet:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (texts,) = read_texts(path=path, **options)
    return texts


def prompts(tmp_path: Path, count: int = 6, **options: Any) -> TestSet:
    answers = [{s: f"{s} says {n} of {n}." for s in ("A", "B", "C")} for n in range(count)]
    return rows_of(tmp_path, *({"prompt": f"Number {n}?", "answers": answers[n]} for n in range(count)), **options)


def battles(tmp_path: Path, prompts: int, systems: int) -> TestSet:
    """An arena in which every prompt was answered by two systems, drawn anew for each."""
    rng, rows = Random(5), []
    for n in range(prompts):
        pair = rng.sample(range(systems), 2)
        talks = {
            f"conversation_{side}": [
                {"role": "user", "content": f"Prompt {n}?"},
                {"role": "assistant", "content": f"System {system:02} on {n}."},
            ]
            for side, system in zip("ab", pair, strict=True)
        }
        rows.append({**{f"model_{side}": f"s{k:02}" for side, k in zip("ab", pair, strict=True)}, **talks})
    return rows_of(tmp_path, *rows)


def both_bad(db: Database, judge: Person, view: ScreenView, note: str | None = None, problem: bool = False) -> None:
    given = Answer((1, 1), verdict="both-bad", note=note, problem=problem)
    submit(db, judge, view.id, given, submission=f"{view.id}-bad", revision=view.revision)


def judged(db: Database, tmp_path: Path, *, bad: int = 0, good: int = 6, **options: Any) -> Person:
    """A campaign of six prompts, of which some were answered by 'both are bad', the others from top to bottom."""
    new_campaign(db, prompts(tmp_path, **options), **TWO, **{"hit.screens": 1})
    ann = new_judge(db)
    for number in range(bad + good):
        view = next_view(db, ann)
        assert view is not None
        if number < bad:
            both_bad(db, ann, view, note="neither is an answer", problem=number == 0)
        else:
            answer(db, ann, view)
    return ann


# -- the store -------------------------------------------------------------------------------------------


def test_turns_reach_the_screen(db: Database, tmp_path: Path) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello?"}]
    long = [{"role": r, "content": c} for r, c in (("assistant", "Who?"), ("user", "Me."), ("assistant", "Ah."))]
    new_campaign(db, rows_of(tmp_path, {"messages": messages, "answers": {"A": long, "B": "Hi."}}), **TWO)
    view = next_view(db, new_judge(db))
    assert view is not None
    assert (view.source, view.turns) == ("Be brief.\n\nHello?", (Turn("system", "Be brief."), Turn("user", "Hello?")))
    shown = {option.text: option.turns for option in view.options}
    assert shown == {
        "Who?\n\nMe.\n\nAh.": (Turn("assistant", "Who?"), Turn("user", "Me."), Turn("assistant", "Ah.")),
        "Hi.": (),
    }
    assert (view.langs.source, view.langs.target) == ("", "")


def test_answers_are_the_same_if_text_and_turns_are(db: Database, tmp_path: Path) -> None:
    long = [{"role": r, "content": c} for r, c in (("assistant", "Who?"), ("user", "Me."), ("assistant", "Ah."))]
    flat = "Who?\n\nMe.\n\nAh."
    row = {"prompt": "Hello?", "answers": {"A": long, "B": long, "C": flat, "D": flat, "E": "Hi."}}
    new_campaign(db, rows_of(tmp_path, row), **TWO)
    with db.read() as tx:
        outputs = tx.execute(sa.select(schema.output.c.text, schema.output.c.turns)).all()
        links = tx.execute(sa.select(schema.output_system.c.output_id)).scalars().all()
    assert sorted((text, turns is not None) for text, turns in outputs) == [("Hi.", False), (flat, False), (flat, True)]
    assert sorted(Counter(links).values()) == [1, 2, 2]


def test_several_hundred_battles_of_many_systems_are_judged(db: Database, tmp_path: Path) -> None:
    texts = battles(tmp_path, 300, 25)
    new_campaign(db, texts, **TWO)
    behind = {
        text: system for system, lines in texts.outputs.items() for text in lines if text
    }  # no two answers are the same here
    ann = new_judge(db)
    pairs = []
    for _ in range(40):
        view = next_view(db, ann)
        assert view is not None
        pair = {behind[option.text] for option in view.options}
        assert len(pair) == 2
        pairs.append(pair)
        answer(db, ann, view)
    export(db, "news", tmp_path / "out.csv")
    rows = pm.read(tmp_path / "out.csv").to_rows().select("system_a", "system_b").rows()
    assert sorted(map(sorted, rows)) == sorted(map(sorted, pairs))


def test_systems_that_never_meet_are_not_waited_for(db: Database, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"stop\.per_pair: got 3, but s\d\d and s\d\d have no segment in common"):
        new_campaign(db, battles(tmp_path, 20, 25), **TWO, **{"stop.per_pair": 3})
    new_campaign(db, prompts(tmp_path), **TWO, **{"stop.per_pair": 3})


# -- languages of judgments ------------------------------------------------------------------------------


def test_judgments_without_a_language_have_no_pair(db: Database, database_url: str, tmp_path: Path) -> None:
    judged(db, tmp_path)
    assert pm.read(database_url).lang_pairs == ()
    export(db, "news", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().startswith("segment,judge,ranking,system_a,system_b,outcome,")
    export_screens(db, "news", tmp_path / "out.jsonl")
    assert {json.loads(line)["lang_pair"] for line in (tmp_path / "out.jsonl").read_text().splitlines()} == {None}


def test_judgments_in_one_language_have_its_code(db: Database, database_url: str, tmp_path: Path) -> None:
    judged(db, tmp_path, langs="en")
    assert pm.read(database_url).lang_pairs == ("en",)


def test_prompts_can_join_a_campaign_with_language_pairs(db: Database, database_url: str, tmp_path: Path) -> None:
    new_campaign(db, sample_texts(4, systems=("A", "B", "C")), **TWO, **{"hit.screens": 1})
    add_pairs(db, "news", [prompts(tmp_path, 4)])
    ann, bob = new_judge(db, langs=["fr-en"]), new_judge(db, "bob", langs=["any-language"])
    for judge in (ann, bob, ann):
        view = next_view(db, judge)
        assert view is not None
        answer(db, judge, view)
    assert sorted(map(str, pm.read(database_url).to_rows()["lang_pair"])) == ["None", "fr-en", "fr-en"]


# -- verdicts --------------------------------------------------------------------------------------------


def test_a_verdict_is_a_column_where_there_is_one(db: Database, database_url: str, tmp_path: Path) -> None:
    judged(db, tmp_path, bad=2, good=4)
    for judgments in (pm.read(database_url), pm.read(str(export(db, None, tmp_path / "out.csv").path))):
        rows = judgments.to_rows()
        assert rows.filter(pl.col("extra.verdict") == "both-bad")["outcome"].to_list() == [0, 0]
        assert rows.filter(pl.col("extra.verdict").is_null())["outcome"].abs().to_list() == [1, 1, 1, 1]


def test_without_a_verdict_an_export_is_as_it_was(db: Database, tmp_path: Path) -> None:
    judged(db, tmp_path, langs="en")
    export(db, "news", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == (
        "lang_pair,segment,judge,ranking,system_a,system_b,outcome,position_a,position_b,time,"
        "extra.strategy,extra.probability,extra.repeat"
    )
    export_screens(db, "news", tmp_path / "out.jsonl")
    screen = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    assert list(screen) == [
        *("ranking", "lang_pair", "segment", "document", "judge", "source", "reference", "outputs", "skip", "note"),
        *("answer", "revision", "late", "strategy", "probability", "repeat_of", "control"),
        *("served_at", "answered_at", "seconds"),
    ]
    assert list(screen["outputs"][0]) == ["systems", "kind", "text", "original", "rank"]


def test_before_there_are_judgments_the_header_has_no_verdict(db: Database, tmp_path: Path) -> None:
    new_campaign(db, prompts(tmp_path), **TWO)
    export(db, "news", tmp_path / "out.csv")
    assert "verdict" not in (tmp_path / "out.csv").read_text()


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_an_arena_has_its_own_word_for_both_bad(db: Database, tmp_path: Path, ending: str) -> None:
    judged(db, tmp_path, bad=2, good=4)
    path = tmp_path / f"votes.{ending}"
    export(db, "news", path, format="arena")
    table = {"jsonl": pl.read_ndjson, "csv": pl.read_csv, "parquet": pl.read_parquet}[ending](path)
    assert Counter(table["winner"])["tie (bothbad)"] == 2
    assert set(table["winner"]) <= {"tie (bothbad)", "model_a", "model_b"}
    judgments = pm.read(path)
    assert sorted(judgments.to_rows()["outcome"].abs()) == [0, 0, 1, 1, 1, 1]
    assert judgments.to_rows()["extra.verdict"].to_list().count("both-bad") == 2


def test_whole_screens_have_turns_verdict_note_and_problem(db: Database, tmp_path: Path) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello?"}]
    long = [{"role": r, "content": c} for r, c in (("assistant", "Who?"), ("user", "Me."), ("assistant", "Ah."))]
    plain = {"prompt": "And?", "answers": {"A": "One.", "B": "Two."}}
    new_campaign(db, rows_of(tmp_path, {"messages": messages, "answers": {"A": long, "B": "Hi."}}, plain), **TWO)
    ann = new_judge(db)
    for _ in range(2):
        view = next_view(db, ann)
        assert view is not None
        if view.turns:
            both_bad(db, ann, view, note="rude", problem=True)
        else:
            answer(db, ann, view)
    export_screens(db, "news", tmp_path / "out.jsonl")
    screens = {s["source"]: s for s in map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())}
    chat, other = screens["Be brief.\n\nHello?"], screens["And?"]
    assert (chat["turns"], chat["verdict"], chat["note"], chat["problem"]) == (messages, "both-bad", "rude", True)
    assert {output["systems"][0]: output["turns"] for output in chat["outputs"]} == {"A": long, "B": None}
    assert (other["turns"], other["verdict"], other["note"], other["problem"]) == (None, None, None, False)


# -- the pages -------------------------------------------------------------------------------------------


@pytest.mark.any_database
def test_pages_of_judges_and_organisers_need_no_language(app: FastAPI, db: Database, tmp_path: Path) -> None:
    messages = [{"role": "system", "content": "Be *brief*."}, {"role": "user", "content": "Hello?"}]
    new_campaign(db, rows_of(tmp_path, {"messages": messages, "answers": {"A": "**Yes**", "B": "No."}}), **TWO)
    ann = signed_in(app, new_judge(db))
    page = ann.get("/c/news/judge")
    assert page.status_code == 200
    assert "<em>brief</em>" in page.text
    assert "<strong>Yes</strong>" in page.text
    assert 'lang="" dir="auto"' in page.text
    screen = ann.get(f"/api/v1/news/screens/{attribute(page, 'data-screen')}").json()
    assert screen["langs"] == {"source": "", "target": ""}
    assert screen["turns"] == messages
    organiser = staff(app, Role.ORGANISER)
    for path in ("", "/people", "/settings", "/export", "/log"):
        assert organiser.get(f"/c/news/manage{path}").status_code == 200, path
    assert "any-language" in organiser.get("/c/news/manage").text


# -- the command line ------------------------------------------------------------------------------------


def stored_settings(url: str, name: str) -> Settings:
    db = Database.open(url)
    try:
        with db.read() as tx:
            return settings_of(tx, find_campaign(tx, name).id)
    finally:
        db.close()


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/chat.db"


def test_prompts_have_settings_of_their_own_and_the_output_says_so(ok: Run, url: str) -> None:
    said = ok("campaign", "new", "helpful", EXAMPLE, "--task", "Which answer helps more?", "--database", url).out
    assert "any-language: 8 prompts" in said
    assert 'task.markup = "markdown", screen.outputs = 2, screen.context = 0, controls.degraded = 0.0' in said
    settings = stored_settings(url, "helpful")
    assert settings.task.question == "Which answer helps more?"
    assert (settings.task.vocabulary, settings.task.markup) == ("prompt", "markdown")
    assert (settings.screen.outputs, settings.screen.context, settings.controls.degraded) == (2, 0, 0.0)


def test_what_a_file_or_an_option_says_wins(ok: Run, url: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("schema = 1\n[task]\nvocabulary = 'translation'\n[screen]\ncontext = 1\n", encoding="utf-8")
    options = ("--settings", file, "--set", "screen.outputs=5", "--database", url)
    said = ok("campaign", "new", "helpful", EXAMPLE, *options).out
    settings = stored_settings(url, "helpful")
    assert (settings.task.vocabulary, settings.screen.context, settings.screen.outputs) == ("translation", 1, 5)
    assert (settings.task.markup, settings.controls.degraded) == ("markdown", 0.0)
    assert 'say otherwise): task.markup = "markdown", controls.degraded = 0.0\n' in said


def test_a_task_does_not_change_what_translations_are_called(ok: Run, url: str, tmp_path: Path) -> None:
    row = {"source": "Bonjour.", "outputs": {"A": "Hello.", "B": "Good day."}, "langs": "fr-en"}
    (tmp_path / "t.jsonl").write_text(json.dumps(row), encoding="utf-8")
    said = ok(
        "campaign", "new", "news", tmp_path / "t.jsonl", "--task", "Which one reads better?", "--database", url
    ).out
    settings = stored_settings(url, "news")
    assert (settings.task.question, settings.task.vocabulary) == ("Which one reads better?", "translation")
    assert (settings.screen.outputs, "set for prompts" in said) == (5, False)


def test_two_questions_are_refused(refused: Callable[..., str], url: str) -> None:
    said = refused("campaign", "new", "x", EXAMPLE, "--task", "A?", "--set", "task.question=B?", "--database", url)
    assert "--task and the setting task.question ask different questions" in said


def test_a_campaign_of_prompts_from_beginning_to_end(ok: Run, url: str, tmp_path: Path) -> None:
    ok("campaign", "new", "helpful", EXAMPLE, "--task", "Which answer helps more?", "--database", url)
    better = {"heron-2": 0, "wren-mini": 1, "magpie": 2}
    (texts,) = read_texts(path=EXAMPLE)
    behind = {text: system for system, lines in texts.outputs.items() for text in lines}
    db = Database.open(url)
    for number in range(6):
        judge = new_judge(db, f"judge{number}", campaign="helpful")
        for _ in range(8):
            view = next_view(db, judge)
            if view is None:
                break
            first, second = (better[behind[option.text]] for option in view.options)
            if {first, second} == {1, 2} and number == 0:
                both_bad(db, judge, view)
            else:
                answer(db, judge, view, (1, 2) if first < second else (2, 1))
    db.close()
    result = json.loads(ok("rank", url, "--format", "json").out)[0]
    assert [line["system"] for line in result["systems"]] == ["heron-2", "wren-mini", "magpie"]
    assert result["lang_pair"] is None
    for command in ("describe", "agreement", "audit"):
        assert ok(command, url).out
    assert "any-language" in ok("campaign", "status", "helpful", "--database", url).out
    for name in ("votes.jsonl", "judgments.csv"):
        ok("campaign", "export", "helpful", tmp_path / name, "--database", url)
        again = json.loads(ok("rank", tmp_path / name, "--format", "json").out)[0]
        assert [line["score"] for line in again["systems"]] == [line["score"] for line in result["systems"]]
    ok("campaign", "export", "helpful", tmp_path / "arena.jsonl", "--to", "arena", "--database", url)
    assert '"winner":"tie (bothbad)"' in (tmp_path / "arena.jsonl").read_text()


def test_what_is_both_bad_can_be_left_out(ok: Run, db: Database, database_url: str, tmp_path: Path) -> None:
    judged(db, tmp_path, bad=2, good=4)
    for condition, count in (("verdict!=both-bad", 4), ("verdict=both-bad", 2)):
        (found,) = json.loads(ok("describe", database_url, "--where", condition, "--format", "json").out)
        assert found["judgments"] == count


def test_a_verdict_can_be_asked_for_by_name(db: Database, database_url: str, tmp_path: Path) -> None:
    judged(db, tmp_path, bad=1, good=5)
    assert pm.read(database_url, extra=["verdict"]).to_rows()["extra.verdict"].drop_nulls().to_list() == ["both-bad"]
    with pytest.raises(InputError, match="there is no column 'verdikt' to keep"):
        pm.read(database_url, extra=["verdikt"])
