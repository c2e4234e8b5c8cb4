"""Who takes part: roles and doors, names that are forgotten, and a journal of it all."""

from __future__ import annotations

import math
import re
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from stores import Clock, answer, judge_screens, new_campaign, new_judge, next_view, sample_texts

from palmares.campaign import database as database_module
from palmares.campaign import people as people_module
from palmares.campaign import schema
from palmares.campaign.create import add_pairs
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings, change_state
from palmares.campaign.journal import entries
from palmares.campaign.people import (
    Person,
    Role,
    add_person,
    change_langs,
    consent,
    find_person,
    invite,
    join,
    people,
    pseudonymise,
    redeem,
    revoke,
    sign_out,
    who,
)
from palmares.campaign.presences import presences
from palmares.campaign.refusals import Uninvited
from palmares.campaign.settings import Settings
from palmares.campaign.work import next_screen
from palmares.errors import InputError


def everything(db: Database) -> str:
    """All that the database holds, as text."""
    with db.read() as tx:
        return "\n".join(
            repr(tuple(row)) for table in schema.metadata.sorted_tables for row in tx.execute(table.select())
        )


# -- names ---------------------------------------------------------------------------------------------


def test_people_are_found_by_name_and_by_pseudonym(db: Database) -> None:
    new_campaign(db, sample_texts(langs="fr-en"), sample_texts(langs="de-en"))
    ann = add_person(db, "news", "judge", "Ann Ö.", langs=["de-en", "de-en"])
    assert (ann.role, ann.name, ann.langs, ann.consented) == (Role.JUDGE, "Ann Ö.", ("de-en",), False)
    assert re.fullmatch("judge-[0-9a-f]{8}", ann.pseudonym)
    assert find_person(db, "news", "Ann Ö.") == find_person(db, "news", ann.pseudonym) == ann
    olga = add_person(db, "news", Role.ORGANISER, "olga", by=ann.id)
    assert people(db, ann.campaign_id) == [ann, olga]


def test_the_same_name_may_be_in_two_campaigns(db: Database) -> None:
    new_campaign(db)
    new_campaign(db, name="talks")
    first, second = add_person(db, "news", "judge", "ann"), add_person(db, "talks", "judge", "ann")
    assert first.id != second.id
    assert find_person(db, "talks", "ann") == second


def test_names_that_cannot_be_are_refused(db: Database) -> None:
    new_campaign(db)
    for name in ("", "  ", " ann", "ann\n", "a\0b", "x" * 201, "\ud800"):
        with pytest.raises(InputError, match=r"name: got .*; allowed: 1 to 200 printable characters, no white space"):
            add_person(db, "news", "judge", name)
    with pytest.raises(InputError, match="role: got 'boss'; allowed: organiser, observer, judge"):
        add_person(db, "news", "boss", "ann")
    with pytest.raises(InputError, match="language pair: got 'de-en'; campaign 'news' has: fr-en"):
        add_person(db, "news", "judge", "ann", langs=["fr-en", "de-en"])
    with pytest.raises(InputError, match="campaign: got 'old'; there are: news"):
        add_person(db, "old", "judge", "ann")
    with pytest.raises(InputError, match="no one called 'ann' in campaign 'news'; there are: none"):
        find_person(db, "news", "ann")


def test_no_name_is_another_ones_pseudonym(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    new_campaign(db)
    ann = add_person(db, "news", "judge", "ann")
    with pytest.raises(InputError, match="is in campaign 'news' already; choose another name"):
        add_person(db, "news", "judge", ann.pseudonym)
    # A pseudonym that is taken, as a name or as a pseudonym, is not given out again.
    add_person(db, "news", "judge", "judge-00000000")
    made = iter([ann.pseudonym.removeprefix("judge-"), "00000000", "12345678"])
    monkeypatch.setattr(people_module.secrets, "token_hex", lambda _: next(made))
    assert add_person(db, "news", "judge", "ben").pseudonym == "judge-12345678"


# -- doors ---------------------------------------------------------------------------------------------


def test_a_token_opens_one_door_and_is_not_kept(db: Database, clock: Clock) -> None:
    new_campaign(db, **{"access.invite_days": 2.0, "access.session_days": 1.0})
    ann = new_judge(db)
    token = invite(db, ann)
    assert len(token) >= 43  # 256 bits in base 64
    assert redeem(db, token) == ann
    person, session, expires = join(db, token)
    assert (person, expires) == (ann, clock.now + timedelta(days=1))
    assert who(db, session) == ann
    assert who(db, token) is None
    assert redeem(db, session) is None
    kept = everything(db)
    assert token not in kept
    assert session not in kept


def session_of(db: Database, person: Person) -> str:
    """The token of a session that someone has begun by a link."""
    return join(db, invite(db, person))[1]


def test_tokens_differ_and_none_is_guessed(db: Database) -> None:
    new_campaign(db)
    ann = new_judge(db)
    tokens = {invite(db, ann) for _ in range(5)} | {session_of(db, ann) for _ in range(5)}
    assert len(tokens) == 10
    for guess in ("", "x", "é" * 9, "0" * 64, next(iter(tokens))[:-1]):
        assert redeem(db, guess) is None
        assert who(db, guess) is None
        with pytest.raises(Uninvited, match="this invitation link does not work: it is mistyped, too old or withdrawn"):
            join(db, guess)


def test_invitations_and_sessions_end(db: Database, clock: Clock) -> None:
    new_campaign(db, **{"access.invite_days": 2.0, "access.session_days": 1.0})
    ann = new_judge(db)
    token, short = invite(db, ann), invite(db, ann, days=0.5)
    session = session_of(db, ann)
    clock.forward(hours=23)
    assert redeem(db, short) is None
    assert who(db, session) == ann
    clock.forward(hours=1)
    assert who(db, session) is None
    clock.forward(hours=24)
    assert redeem(db, token) is None
    for days in (0, -1, 3651, math.inf, math.nan):
        with pytest.raises(InputError, match=f"days: got {days}; allowed: more than 0, up to 3650"):
            invite(db, ann, days=days)


def test_leaving_ends_one_session_and_shutting_out_ends_all(db: Database) -> None:
    new_campaign(db)
    ann, ben = new_judge(db, "ann"), new_judge(db, "ben")
    here, there, other = (session_of(db, person) for person in (ann, ann, ben))
    token = invite(db, ann)
    sign_out(db, here)
    sign_out(db, "unknown")
    assert [who(db, session) for session in (here, there, other)] == [None, ann, ben]
    revoke(db, ann)
    assert [who(db, session) for session in (here, there, other)] == [None, None, ben]
    assert redeem(db, token) is None
    assert redeem(db, invite(db, ann)) == ann  # they may be invited again


def test_everyone_is_listed_with_the_doors_that_are_open_to_them(db: Database, clock: Clock) -> None:
    id, now = new_campaign(db, **{"access.invite_days": 2.0, "access.session_days": 1.0}), clock()
    ann, ben, cem, dan = (new_judge(db, name) for name in ("ann", "ben", "cem", "dan"))
    invite(db, ann, days=5)
    session_of(db, ben)
    session_of(db, cem)
    revoke(db, cem)
    clock.forward(hours=1)
    pseudonymise(db, dan)
    doors = {
        p.person.id: (p.invited, p.joined, p.link_until, p.session_until, p.shut_out, p.nameless)
        for p in presences(db, id)
    }
    assert doors == {
        ann.id: (True, False, now + timedelta(days=5), None, False, False),
        ben.id: (True, True, now + timedelta(days=2), now + timedelta(days=1), False, False),
        cem.id: (True, True, None, None, True, False),
        dan.id: (False, False, None, None, False, True),
    }
    clock.forward(days=3)
    assert [p.person.name for p in presences(db, id) if p.shut_out] == ["ben", "cem"]


# -- languages -----------------------------------------------------------------------------------------


def test_a_judge_gets_work_in_the_languages_they_have_now(db: Database) -> None:
    id = new_campaign(db, sample_texts(langs="fr-en"), sample_texts(langs="de-en"))
    ann = new_judge(db, langs=["fr-en"])
    view = next_view(db, ann)
    assert view is not None
    assert str(view.langs) == "fr-en"
    ann = change_langs(db, ann, ["de-en", "de-en"])
    assert ann == find_person(db, "news", "ann")
    assert ann.langs == ("de-en",)
    view = next_view(db, ann)
    assert view is not None
    assert str(view.langs) == "de-en"
    kinds = [(event.kind, event.person, event.body) for event in entries(db, id)]
    assert ("langs-changed", "ann", {"was": ["fr-en"], "now": ["de-en"]}) in kinds
    assert [kind for kind, *_ in kinds].count("lease-returned") == 1  # of fr-en, which they may be unable to read


def test_work_in_a_language_that_stays_stays_in_hand(db: Database) -> None:
    id = new_campaign(db, sample_texts(langs="fr-en"), sample_texts(langs="de-en"))
    ann = new_judge(db, langs=["fr-en"])
    view = next_view(db, ann)
    for langs in (["fr-en", "de-en"], []):
        ann = change_langs(db, ann, langs)
        assert next_view(db, ann) == view
    change_langs(db, ann, [])  # as it is: nothing to note
    kinds = [event.kind for event in entries(db, id)]
    assert kinds.count("langs-changed") == 2
    assert "lease-returned" not in kinds


def test_languages_that_cannot_be(db: Database) -> None:
    new_campaign(db)
    ann, olga = new_judge(db), add_person(db, "news", "organiser", "olga")
    with pytest.raises(InputError, match="language pair: got 'de-en'; campaign 'news' has: fr-en"):
        change_langs(db, ann, ["de-en"])
    with pytest.raises(InputError, match="'olga' is organiser; only judges have some"):
        change_langs(db, olga, ["fr-en"])
    assert find_person(db, "news", "ann").langs == ()


# -- forgetting ----------------------------------------------------------------------------------------


def files_with(db: Database, name: str) -> list[str]:
    """The files of an SQLite database that hold a name, its write-ahead log among them."""
    file = Path(str(db.engine.url.database))
    there = [path for ending in ("", "-wal", "-shm") if (path := file.with_name(file.name + ending)).exists()]
    assert file in there
    return [path.name for path in there if name.encode() in path.read_bytes()]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_forgotten_name_is_gone_from_the_write_ahead_log_at_once(db: Database) -> None:
    new_campaign(db)
    ann = new_judge(db, "Ann Unmistakable")
    judge_screens(db, ann, 2)
    assert files_with(db, "Unmistakable")
    assert pseudonymise(db, ann) is True
    assert files_with(db, "Unmistakable") == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_while_someone_reads_the_name_stays_in_the_log_and_that_is_said(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_READERS_END", 50)
    new_campaign(db)
    ann = new_judge(db, "Ann Unmistakable")
    with db.read() as tx:
        tx.execute(sa.select(schema.person)).all()
        assert pseudonymise(db, ann) is False
    assert find_person(db, "news", ann.pseudonym).name == ann.pseudonym
    assert [event.kind for event in entries(db, 1)].count("name-still-in-log-file") == 1
    assert pseudonymise(db, ann) is True
    assert files_with(db, "Unmistakable") == []


def test_a_forgotten_name_is_nowhere_and_the_answers_stay(db: Database) -> None:
    new_campaign(db)
    ann = new_judge(db, "Ann Unmistakable")
    session, token = session_of(db, ann), invite(db, ann)
    judge_screens(db, ann, 2)
    pseudonymise(db, ann)
    assert "Unmistakable" not in everything(db)
    assert who(db, session) is None
    assert redeem(db, token) is None
    left = find_person(db, "news", ann.pseudonym)
    assert (left.id, left.name) == (ann.id, ann.pseudonym)
    with db.read() as tx:
        assert tx.execute(sa.select(sa.func.count()).select_from(schema.judgment)).scalar_one() == 2
    assert {event.person for event in entries(db, 1)} == {None, ann.pseudonym}


def test_a_forgotten_name_leaves_the_file_as_well(tmp_path: Path) -> None:
    place = tmp_path / "campaign.db"
    db = Database.open(f"sqlite:///{place}", create=True)
    new_campaign(db)
    ann = new_judge(db, "Ann Unmistakable")
    db.close()
    assert b"Unmistakable" in place.read_bytes()
    db = Database.open(f"sqlite:///{place}")
    pseudonymise(db, ann)
    db.close()
    assert b"Unmistakable" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_a_request_under_way_while_a_name_is_forgotten_does_no_harm(db: Database) -> None:
    new_campaign(db)
    ann = new_judge(db)
    view = next_view(db, ann)
    pseudonymise(db, ann)
    assert view is not None
    assert not answer(db, ann, view).repeated  # it had been sent before: it is stored, under the pseudonym
    assert find_person(db, "news", ann.pseudonym).name == ann.pseudonym


def test_a_name_is_forgotten_once_and_nobody_is_invited_by_it(db: Database) -> None:
    new_campaign(db)
    ann = new_judge(db)
    pseudonymise(db, ann)
    pseudonymise(db, ann)
    assert [event.kind for event in entries(db, 1)].count("pseudonymised") == 1
    with pytest.raises(InputError, match=f"the name of {ann.pseudonym} was removed, so they cannot be invited"):
        invite(db, ann)
    assert add_person(db, "news", "judge", "ann").pseudonym != ann.pseudonym


# -- the journal ---------------------------------------------------------------------------------------


def test_everything_that_people_do_is_in_the_journal(db: Database, clock: Clock) -> None:
    new_campaign(db, **{"judge.practice": True, "hit.lease_minutes": 60.0})
    olga = add_person(db, "news", Role.ORGANISER, "olga")
    ann = add_person(db, "news", Role.JUDGE, "ann", langs=["fr-en"], by=olga.id)
    _, session, _ = join(db, invite(db, ann, days=3, by=olga.id))
    consent(db, ann)
    consent(db, ann)
    judge_screens(db, ann, 2)  # practice, and the first of a HIT
    change_settings(db, "news", Settings().replace(**{"judge.practice": False}), by=olga.id)
    change_state(db, "news", "paused", by=olga.id)
    change_state(db, "news", "open")
    change_state(db, "news", "open")
    add_pairs(db, "news", [sample_texts(langs="de-en")], by=olga.id)
    clock.forward(hours=2)
    ben = new_judge(db, "ben", langs=["fr-en"])
    next_screen(db, ben)
    sign_out(db, session)
    revoke(db, ben, by=olga.id)
    pseudonymise(db, ann)
    found = [(event.kind, event.person, event.by, event.body) for event in entries(db, 1)][::-1]
    a = ann.pseudonym
    assert found == [
        ("campaign-created", None, None, {"name": "news"}),
        ("pair-added", None, None, {"langs": "fr-en", "segments": 12, "systems": 6}),
        ("person-added", "olga", None, {"role": "organiser", "langs": []}),
        ("person-added", a, "olga", {"role": "judge", "langs": ["fr-en"]}),
        ("invited", a, "olga", {"days": 3}),
        ("joined", a, a, {}),
        ("consented", a, a, {}),
        ("practised", a, a, {}),
        ("leased", a, a, {"lease": 1, "hit": 1, "screens": 3}),
        ("settings-changed", None, "olga", {"revision": 2}),
        ("state-changed", None, "olga", {"was": "open", "now": "paused"}),
        ("state-changed", None, None, {"was": "paused", "now": "open"}),
        ("pair-added", None, "olga", {"langs": "de-en", "segments": 12, "systems": 6}),
        ("person-added", "ben", None, {"role": "judge", "langs": ["fr-en"]}),
        ("consented", "ben", "ben", {}),
        ("lease-returned", a, "ben", {"lease": 1, "hit": 1}),
        ("leased", "ben", "ben", {"lease": 2, "hit": 1, "screens": 2}),
        ("left", a, a, {}),
        ("lease-returned", "ben", "olga", {"lease": 2, "hit": 1}),
        ("revoked", "ben", "olga", {}),
        ("pseudonymised", a, None, {}),
    ]


def test_the_journal_is_read_page_by_page(db: Database) -> None:
    new_campaign(db)
    new_campaign(db, name="talks")
    for i in range(5):
        add_person(db, "news", "judge", f"j{i}")
    whole = entries(db, 1)
    assert len(whole) == 7
    assert [event.at for event in whole] == sorted((event.at for event in whole), reverse=True)
    first = entries(db, 1, limit=4)
    assert [*first, *entries(db, 1, limit=4, before=first[-1].id)] == whole


def test_what_fails_leaves_no_entry(db: Database) -> None:
    new_campaign(db)
    before: Any = entries(db, 1)
    with pytest.raises(InputError):
        add_person(db, "news", "judge", "ann", langs=["xx-yy"])
    assert entries(db, 1) == before


def test_other_threads_see_a_door_shut_at_once(db: Database) -> None:
    new_campaign(db)
    ann = new_judge(db)
    session = session_of(db, ann)
    revoke(db, ann)
    seen: list[Any] = []
    thread = threading.Thread(target=lambda: seen.append(who(db, session)))
    thread.start()
    thread.join()
    assert seen == [None]
