"""Tokens of programs in the store: who has one, what it is for, when it ends; and what they judge is marked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import sqlalchemy as sa
from stores import Clock, answer, judge_screens, new_campaign, new_judge, next_view, sample_texts

import palmares as pm
from palmares.analysis.judges.programs import programs_of
from palmares.campaign import Role, journal, schema
from palmares.campaign.clients import Client, Scope, add_client, clients, find_client, holder, note_use, revoke_client
from palmares.campaign.database import Database
from palmares.campaign.export import export, export_screens
from palmares.campaign.overview import campaign_status
from palmares.campaign.people import Person, add_person, find_person, invite, pseudonymise, revoke
from palmares.errors import InputError


def program(db: Database, name: str = "model", **more: object) -> Person:
    add_client(db, "news", name, "judge", **more)  # type: ignore[arg-type]
    return find_person(db, "news", name)


def test_a_token_is_a_person_marked_as_a_program_and_only_its_digest_is_stored(db: Database) -> None:
    campaign = new_campaign(db)
    client, token = add_client(db, "news", "model", "judge", langs=["fr-en"])
    assert token.startswith("palmares_")
    assert len(token) == len("palmares_") + 43  # 256 bits at 6 a character
    with db.read() as tx:
        assert tx.scalars(sa.select(schema.client.c.digest)).all() == [hashlib.sha256(token.encode()).hexdigest()]
    person = find_person(db, "news", "model")
    assert (person.role, person.program, person.langs) == (Role.JUDGE, True, ("fr-en",))
    assert holder(db, token) == client
    assert holder(db, token + "x") is None
    kinds = [event.kind for event in journal.entries(db, campaign)]
    assert kinds[:2] == ["token-added", "person-added"]
    assert not [event for event in journal.entries(db, campaign) if token in str(event.body)]


def test_a_further_token_is_of_the_same_judge_and_ends_by_itself(db: Database) -> None:
    new_campaign(db)
    (one, first), (two, second) = (add_client(db, "news", "model", "judge") for _ in range(2))
    assert one.person_id == two.person_id
    assert revoke_client(db, one)
    assert not revoke_client(db, one)
    states = {token: found.state for token in (first, second) if (found := holder(db, token))}
    assert states == {first: "revoked", second: "works"}
    assert [client.id for client in find_client(db, "news", "model")] == [two.id]
    with pytest.raises(InputError, match=r"token: got 'nobody'; programs that have one: model"):
        find_client(db, "news", "nobody")


def test_revoking_the_last_token_returns_the_work(db: Database) -> None:
    new_campaign(db)
    client, _ = add_client(db, "news", "model", "judge")
    other, _ = add_client(db, "news", "model", "judge")
    assert next_view(db, find_person(db, "news", "model")) is not None
    unfinished = sa.select(sa.func.count()).where(schema.lease.c.finished_at.is_(None))
    for given, left in ((other, 1), (client, 0)):
        revoke_client(db, given)
        with db.read() as tx:
            assert tx.execute(unfinished).scalar_one() == left


def test_a_token_ends_when_it_was_said_to(db: Database, clock: Clock) -> None:
    new_campaign(db)
    client, token = add_client(db, "news", "model", "judge", days=2)
    clock.forward(days=2, seconds=-1)
    assert state(db, token) == "works"
    clock.forward(seconds=1)
    assert state(db, token) == "expired"
    assert client.state == "works"  # as it was when it was looked up


def test_use_is_noted_once_a_minute(db: Database, clock: Clock) -> None:
    new_campaign(db)
    _, token = add_client(db, "news", "model", "judge")
    noted = []
    for _ in range(5):
        client = holder(db, token)
        assert client is not None
        note_use(db, client)
        after = holder(db, token)
        assert after is not None
        assert after.used_at is not None
        noted.append(int((after.used_at - clock.now).total_seconds()))
        clock.forward(seconds=25)
    assert noted == [0, -25, -50, 0, -25]


@pytest.mark.parametrize(
    ("name", "scope", "more", "says"),
    [
        ("ann", "judge", {}, "'ann' is in campaign 'news' already, as a person"),
        ("reader", "judge", {}, "'reader' is in campaign 'news' already, as a program with the role observer"),
        ("x", "rule", {}, "scope: got 'rule'; allowed: create, manage, read, judge"),
        ("x", "read", {"langs": ["fr-en"]}, "only programs that judge have some"),
        ("x", "judge", {"langs": ["de-en"]}, "language pair: got 'de-en'"),
        ("x", "judge", {"days": 0}, "days: got 0; allowed: more than 0"),
        ("", "judge", {}, "name: got ''"),
    ],
)
def test_what_no_token_is_made_of(db: Database, name: str, scope: str, more: dict[str, object], says: str) -> None:
    new_campaign(db)
    new_judge(db, "ann")
    add_client(db, "news", "reader", Scope.READ)
    with pytest.raises(InputError, match=says):
        add_client(db, "news", name, scope, **more)  # type: ignore[arg-type]
    assert [client.name for client in clients(db, "news")] == ["reader"]


def test_a_token_that_creates_belongs_to_no_campaign(db: Database) -> None:
    new_campaign(db)
    client, token = add_client(db, None, "pipeline", "create")
    assert (client.campaign, client.person_id, client.scope) == (None, None, Scope.CREATE)
    assert [each.name for each in clients(db, None)] == ["pipeline"]
    assert clients(db, "news") == []
    with pytest.raises(InputError, match="which is for the whole server"):
        add_client(db, "news", "pipeline", "create")
    assert revoke_client(db, client)
    assert state(db, token) == "revoked"


def test_programs_open_no_links_and_people_who_are_shut_out_keep_no_token(db: Database) -> None:
    new_campaign(db)
    _, token = add_client(db, "news", "model", "judge")
    person = find_person(db, "news", "model")
    with pytest.raises(InputError, match="is a program, which opens no links"):
        invite(db, person)
    revoke(db, person)
    assert state(db, token) == "revoked"
    pseudonymise(db, person)
    assert [client.name for client in clients(db, "news")] == [person.pseudonym]


def test_programs_judge_at_once_and_are_marked(db: Database, tmp_path: Path) -> None:
    new_campaign(db, **{"judge.practice": True, "judge.screens": 4})
    ann, model = new_judge(db), program(db)
    practice = next_view(db, ann)
    assert practice is not None
    assert practice.practice
    answer(db, ann, practice)
    judge_screens(db, ann, 2)
    views = judge_screens(db, model, 2)  # nothing to agree to, nothing to practise
    assert not any(view.practice for view in views)

    marks = {judge.name: judge.program for judge in campaign_status(db, "news").judges}
    assert marks == {"ann": False, "model": True}
    export(db, "news", tmp_path / "all.csv")
    rows = pl.read_csv(tmp_path / "all.csv")
    by_judge = dict(rows.group_by("judge").agg(pl.col("extra.program").unique().first()).rows())
    assert by_judge == {ann.pseudonym: 0, model.pseudonym: 1}
    judgments = pm.read(tmp_path / "all.csv")
    assert dict(zip(judgments.judges, programs_of(judgments, None, ()).tolist(), strict=True)) == {
        ann.pseudonym: False,
        model.pseudonym: True,
    }
    half = rows.height // 2
    assert f"{half} of {rows.height} judgments are by programs; --where program=0" in " ".join(
        pm.rank(judgments, rng=0).notes
    )
    export_screens(db, "news", tmp_path / "screens.jsonl")
    assert '"program": true' in (tmp_path / "screens.jsonl").read_text()


def test_without_programs_there_is_no_column(db: Database, tmp_path: Path) -> None:
    new_campaign(db)
    program(db)  # it has not judged
    judge_screens(db, new_judge(db), 2)
    export(db, "news", tmp_path / "all.csv")
    assert "extra.program" not in pl.read_csv(tmp_path / "all.csv").columns
    assert not any("by programs" in note for note in pm.rank(pm.read(tmp_path / "all.csv"), rng=0).notes)
    export_screens(db, "news", tmp_path / "screens.jsonl")
    assert "program" not in (tmp_path / "screens.jsonl").read_text()


def test_a_name_is_one_of_people_and_programs(db: Database) -> None:
    new_campaign(db, sample_texts(4))
    program(db, "model")
    with pytest.raises(InputError, match="'model' is in campaign 'news' already"):
        add_person(db, "news", Role.JUDGE, "model")


def state(db: Database, token: str) -> str:
    found: Client | None = holder(db, token)
    assert found is not None
    return found.state


@pytest.mark.any_database
def test_the_commands(database_url: str, db: Database, run: Callable[..., Any]) -> None:
    new_campaign(db)
    at = ("--database", database_url)
    made = run("campaign", "token", "news", "model", "--scope", "judge", "--format", "json", *at)
    assert made.status == 0, made.err
    (told,) = made.json
    assert {key: told[key] for key in ("name", "scope", "campaign", "expires_at")} == {
        **{"name": "model", "scope": "judge", "campaign": "news", "expires_at": None}
    }
    assert state(db, told["token"]) == "works"
    assert run("campaign", "token", "other", "--scope", "read", *at).status == 0  # the only campaign
    server = run("campaign", "token", "pipeline", "--scope", "create", "--days", "3", "--format", "json", *at).json[0]
    assert server["campaign"] is None
    listed = run("campaign", "tokens", "news", "--format", "json", *at).json
    assert [(each["name"], each["scope"], each["state"]) for each in listed] == [
        ("model", "judge", "works"),
        ("other", "read", "works"),
    ]
    assert not [each for each in listed if told["token"] in str(each)]
    revoked = run("campaign", "tokens", "news", "--revoke", "model", *at)
    assert (revoked.status, "model: 1 token revoked" in revoked.err) == (0, True)
    assert state(db, told["token"]) == "revoked"
    assert [each["name"] for each in run("campaign", "tokens", "--server", "--format", "json", *at).json] == [
        "pipeline"
    ]
    for wrong, says in (
        (("news", "x", "y", "--scope", "read"), "got 3 names"),
        (("news", "x", "--scope", "create"), "which is for the whole server"),
        (("nowhere", "x", "--scope", "read"), "campaign: got 'nowhere'"),
    ):
        refused = run("campaign", "token", *wrong, *at)
        assert (refused.status, refused.out) == (2, "")
        assert says in refused.err
    assert "'news' is one; leave one of them out" in run("campaign", "tokens", "news", "--server", *at).err


def test_where_tells_programs_and_people_apart(db: Database, tmp_path: Path, run: Callable[..., Any]) -> None:
    new_campaign(db)
    judge_screens(db, new_judge(db), 3)
    judge_screens(db, program(db), 2)
    export(db, "news", tmp_path / "all.csv")
    for mark, screens in ((0, 3), (1, 2)):
        told = run("rank", tmp_path / "all.csv", "--where", f"program={mark}", "--resamples", "50", "--format", "json")
        assert told.status == 0, told.err
        assert told.json[0]["judgments"] == screens * 10
        assert not any("by programs" in note for note in told.json[0]["notes"])
    whole = run("rank", tmp_path / "all.csv", "--resamples", "50", "--format", "json").json[0]
    assert any("20 of 50 judgments are by programs" in note for note in whole["notes"])
