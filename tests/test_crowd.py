"""Group links and workers in the store: one place each, one worker an id, an end that is kept; on both databases."""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from crowds import CONTROLLED, damaged_place, judged, new_crowd, new_worker, submitted
from stores import Clock, new_judge, next_view, sample_texts

from palmares.campaign import schema
from palmares.campaign.admission import admit, look_at
from palmares.campaign.answers import Answer, submit
from palmares.campaign.codes import ALPHABET, in_groups, resume_code
from palmares.campaign.create import add_pairs
from palmares.campaign.crowd import (
    CodeNeeded,
    Entry,
    PlatformIds,
    TurnedAway,
    WrongCode,
    came_back,
    code_of,
    doorstep,
    ending,
    enter,
    resume,
)
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings, change_state
from palmares.campaign.group_links import links, make_link, revoke_link
from palmares.campaign.history import recently_answered
from palmares.campaign.people import pseudonymise, revoke, who
from palmares.campaign.refusals import CampaignError, Closed, Uninvited
from palmares.campaign.screens import load
from palmares.campaign.settings import CrowdSettings, Settings
from palmares.campaign.spreadsheets import safe_cell
from palmares.campaign.work import next_screen
from palmares.campaign.workers import erase_worker, workers, write_workers
from palmares.errors import InputError

ANN = PlatformIds("ann", "study-1", "session-1")


def rows(db: Database, table: sa.Table) -> int:
    with db.read() as tx:
        return int(tx.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def together(*calls: Callable[[], Any]) -> list[Any]:
    """Call functions at the same moment; gives what each returned or raised, in order."""
    barrier = threading.Barrier(len(calls))

    def begin(call: Callable[[], Any]) -> Any:
        barrier.wait(timeout=30)
        try:
            return call()
        except CampaignError as error:
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result(timeout=60) for future in [pool.submit(begin, call) for call in calls]]


def place(db: Database) -> dict[str, int]:
    (status,) = links(db, 1)
    return {state: number for state, number in status.workers.items() if number} | {"taken": status.taken}


# -- links -----------------------------------------------------------------------------------------------


def test_a_link_has_256_bits_and_only_its_digest_is_stored(db: Database) -> None:
    token = new_crowd(db)
    assert len(token) == 43  # 256 bits at 6 a character
    with db.read() as tx:
        stored = tx.execute(sa.select(schema.group_link.c.digest)).scalar_one()
        assert token not in stored
        assert token not in str(tx.execute(sa.select(schema.event.c.body)).all())


def test_links_without_a_name_are_numbered_and_names_are_not_given_twice(db: Database) -> None:
    new_crowd(db)
    make_link(db, "news", places=1, name="link-3")
    names = [make_link(db, "news", places=1)[0].name for _ in range(2)]
    assert names == ["link-2", "link-4"]
    with pytest.raises(InputError, match="'link-2' is there already; choose another name"):
        make_link(db, "news", places=1, name="link-2")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"places": 0}, "places: got 0; allowed: 1 to 1000000"),
        ({"places": 1, "days": 0}, "days: got 0; allowed: more than 0"),
        ({"places": 1, "name": " x"}, "name: got ' x'"),
        ({"places": 1, "langs": ["xx-yy"]}, "language pair: got 'xx-yy'; campaign 'news' has: fr-en"),
    ],
)
def test_a_link_that_cannot_be_is_refused(db: Database, given: dict[str, Any], message: str) -> None:
    new_crowd(db)
    with pytest.raises(InputError) as refused:
        make_link(db, "news", **given)
    assert message in str(refused.value)


def test_an_unknown_link_lets_nobody_in(db: Database) -> None:
    new_crowd(db)
    for call in (lambda: doorstep(db, "wrong", ANN), lambda: enter(db, "wrong", ANN, "s")):
        with pytest.raises(Uninvited):
            call()
    with pytest.raises(InputError, match="group link: got 'x'; campaign 'news' has: link-1"):
        revoke_link(db, "news", "x")


def test_workers_judge_the_language_pairs_of_their_link(db: Database) -> None:
    new_crowd(db)
    add_pairs(db, "news", [sample_texts(4, ("A", "B"), "de-en")])
    _, token = make_link(db, "news", places=1, langs=["de-en"])
    view = next_view(db, new_worker(db, token))
    assert view is not None
    assert view.langs.source == "de"


# -- coming in ---------------------------------------------------------------------------------------------


def test_looking_writes_nothing(db: Database) -> None:
    token = new_crowd(db)
    before = {table.name: rows(db, table) for table in schema.metadata.sorted_tables}
    step = doorstep(db, token, ANN)
    assert (step.away, step.known) == (None, None)
    assert {table.name: rows(db, table) for table in schema.metadata.sorted_tables} == before


def test_the_button_makes_a_judge_who_is_called_after_nothing(db: Database) -> None:
    entry = enter(db, new_crowd(db), ANN, "secret")
    assert entry.person.name == entry.person.pseudonym
    assert entry.person.role == "judge"
    assert not entry.person.consented
    assert who(db, entry.session) == entry.person
    with db.read() as tx:
        row = tx.execute(sa.select(schema.worker)).one()
    assert (row.worker, row.study, row.session) == ("ann", "study-1", "session-1")


def test_a_code_is_readable_and_only_its_digest_is_stored(db: Database) -> None:
    entry = enter(db, new_crowd(db), ANN, "secret")
    code = code_of(db, entry.person, "secret")
    assert code is not None
    assert len(code) == 12
    assert set(code) <= set(ALPHABET)
    assert not set("01ILO") & set(ALPHABET)
    assert in_groups(code).count("-") == 2
    with db.read() as tx:
        assert code not in str(tx.execute(sa.select(schema.worker)).all())
    assert code_of(db, entry.person, "another browser") is None


def test_a_known_worker_in_another_browser_needs_the_code(db: Database) -> None:
    token = new_crowd(db)
    first = enter(db, token, ANN, "secret")
    with pytest.raises(CodeNeeded):
        enter(db, token, ANN, "another browser")
    code = code_of(db, first.person, "secret") or ""
    for wrong in ("", "AAAA-AAAA-AAAA", code[:-1]):
        with pytest.raises(WrongCode):
            resume(db, token, ANN, wrong)
    for right in (code, in_groups(code), f" {in_groups(code).lower()} "):
        assert resume(db, token, ANN, right).person == first.person
    assert rows(db, schema.worker) == 1


def test_a_code_is_good_for_its_own_worker_alone(db: Database) -> None:
    token = new_crowd(db)
    ann = enter(db, token, ANN, "secret").person
    enter(db, token, PlatformIds("bob"), "another")
    with pytest.raises(WrongCode):
        resume(db, token, PlatformIds("bob"), code_of(db, ann, "secret") or "")


def test_the_same_browser_again_is_the_same_worker(db: Database) -> None:
    """The answer to the first press may be lost on the way, the code with it."""
    token = new_crowd(db)
    first, second = (enter(db, token, ANN, "secret") for _ in range(2))
    assert first.person == second.person
    assert first.session != second.session
    assert enter(db, token, PlatformIds("bob"), "secret").person != first.person


def test_codes_depend_on_key_browser_and_worker() -> None:
    codes = {resume_code(*given) for given in (("k", "s", "w"), ("l", "s", "w"), ("k", "t", "w"), ("k", "s", None))}
    assert len(codes) == 4


@pytest.mark.parametrize("given", ["x" * 201, "a\nb", "\x07", "  ", "\u200b"])
def test_an_id_that_cannot_be_shown_is_refused(given: str) -> None:
    with pytest.raises(InputError, match=r"PROLIFIC_PID: got .*; allowed: 1 to 200 printable characters"):
        PlatformIds.read({"PROLIFIC_PID": given}, CrowdSettings())


def test_ids_come_from_the_parameters_that_the_settings_name() -> None:
    names = CrowdSettings(worker_parameter="workerId", study_parameter="hitId", session_parameter="assignmentId")
    given = {"workerId": "é" * 200, "hitId": "h 1", "assignmentId": "", "PROLIFIC_PID": "no"}
    assert PlatformIds.read(given, names) == PlatformIds("é" * 200, "h 1", None)
    # What a platform leaves in an address that it did not fill in is nobody's id.
    assert PlatformIds.read({"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}, CrowdSettings()) == PlatformIds()


def test_without_an_id_nobody_comes_in_unless_the_campaign_says_so(db: Database) -> None:
    token = new_crowd(db)
    assert doorstep(db, token, PlatformIds()).away == "no-id"
    with pytest.raises(TurnedAway, match="no-id"):
        enter(db, token, PlatformIds(), "secret")
    change_settings(db, "news", Settings().replace(**{"crowd.worker_id_needed": False}))
    ann, bob = (enter(db, token, PlatformIds(), secret).person for secret in ("secret", "another"))
    assert ann != bob
    assert enter(db, token, PlatformIds(), "secret").person == ann
    assert resume(db, token, PlatformIds(), code_of(db, bob, "another") or "").person == bob


def test_two_presses_at_once_make_one_worker(db: Database) -> None:
    token = new_crowd(db)
    _, other = make_link(db, "news", places=5)
    calls = [lambda t=t, n=n: enter(db, t, ANN, f"browser-{n}") for n, t in enumerate([token, token, other, other])]
    results = together(*calls)
    assert sum(isinstance(result, Entry) for result in results) == 1
    assert sum(isinstance(result, CodeNeeded) for result in results) == 3
    assert rows(db, schema.worker) == rows(db, schema.person) == 1


def test_a_double_click_lets_both_in_as_one(db: Database) -> None:
    token = new_crowd(db)
    results = together(*[lambda: enter(db, token, ANN, "secret")] * 4)
    assert len({result.person.id for result in results}) == 1
    assert rows(db, schema.worker) == 1


def test_many_for_the_last_places(db: Database) -> None:
    token = new_crowd(db, places=3)
    results = together(*[lambda n=n: enter(db, token, PlatformIds(f"w{n}"), "s") for n in range(8)])
    assert sum(isinstance(result, Entry) for result in results) == 3
    assert [str(result.reason) for result in results if not isinstance(result, Entry)] == ["full"] * 5
    assert doorstep(db, token, ANN).away == "full"


@pytest.mark.parametrize("why", ["revoked", "expired", "paused", "closed"])
def test_a_link_that_is_shut_lets_in_only_whom_it_knows(db: Database, clock: Clock, why: str) -> None:
    token = new_crowd(db, days=1)
    ann = enter(db, token, ANN, "secret").person
    if why == "revoked":
        revoke_link(db, "news", "link-1")
    elif why == "expired":
        clock.forward(days=1)
    else:
        change_state(db, "news", why)
    assert doorstep(db, token, PlatformIds("bob")).away == why
    with pytest.raises(TurnedAway, match=why):
        enter(db, token, PlatformIds("bob"), "s")
    assert enter(db, token, ANN, "secret").person == ann
    assert resume(db, token, ANN, code_of(db, ann, "secret") or "").person == ann


def test_a_worker_who_was_shut_out_does_not_come_back_by_the_code(db: Database) -> None:
    token = new_crowd(db)
    entry = enter(db, token, ANN, "secret")
    code = code_of(db, entry.person, "secret") or ""
    revoke(db, entry.person)
    assert who(db, entry.session) is None
    with pytest.raises(WrongCode):
        resume(db, token, ANN, code)
    with pytest.raises(CodeNeeded):
        enter(db, token, ANN, "secret")


# -- the end -----------------------------------------------------------------------------------------------


def test_who_has_done_what_was_asked_gets_a_code_and_no_more_work(db: Database, clock: Clock) -> None:
    ann = new_worker(db, new_crowd(db))
    judged(db, ann, seconds=40.0)
    assert ending(db, ann) is None
    clock.forward(minutes=3)
    judged(db, ann, seconds=50.0)
    end = ending(db, ann)
    assert end is not None
    assert (end.outcome, end.seconds, end.minutes, end.address, end.may_go_on) == ("completed", 90.0, 2, None, False)
    assert end.ended - end.begun == clock.now - end.begun
    assert end.code is not None
    assert len(end.code) == 10
    assert set(end.code) <= set(ALPHABET)
    assert next_screen(db, ann) is None
    clock.forward(hours=5)
    assert ending(db, ann) == end


def test_every_worker_has_a_code_of_their_own_unless_the_campaign_has_one(db: Database) -> None:
    token = new_crowd(db, **{"judge.screens": 1})
    people = [new_worker(db, token, name, secret=name) for name in ("a", "b")]
    for person in people:
        judged(db, person)
    change_settings(
        db,
        "news",
        Settings().replace(
            **{
                "judge.screens": 1,
                "judge.practice": False,
                "crowd.completion_code": "C1&2",
                "crowd.completion_url": "https://app.example.org/done?cc={code}",
            }
        ),
    )
    people.append(new_worker(db, token, "c", secret="c"))
    judged(db, people[2])
    ends = [ending(db, person) for person in people]
    codes = [end.code for end in ends if end]
    assert len(set(codes)) == 3
    assert codes[2] == "C1&2"
    # What was shown before stays as it was; the address is the one in force.
    assert ends[0] is not None
    assert ends[0].address == f"https://app.example.org/done?cc={codes[0]}"
    assert ends[2] is not None
    assert ends[2].address == "https://app.example.org/done?cc=C1%262"


def test_a_worker_may_do_more_only_where_the_campaign_says_how_much(db: Database) -> None:
    ann = new_worker(db, new_crowd(db, **{"judge.most": 3}))
    for _ in range(2):
        judged(db, ann)
    end = ending(db, ann)
    assert end is not None
    assert end.may_go_on
    assert next_screen(db, ann) is not None
    assert ending(db, ann) is None  # they have begun another screen
    judged(db, ann)
    again = ending(db, ann)
    assert again is not None
    assert (again.code, again.may_go_on) == (end.code, False)
    assert next_screen(db, ann) is None


def test_who_finds_nothing_left_is_through_if_they_have_done_something(db: Database) -> None:
    token = new_crowd(db, **{"judge.screens": 30, "stop.screens": 2})
    ann, bob = (new_worker(db, token, name, secret=name) for name in ("ann", "bob"))
    for _ in range(2):
        judged(db, ann)
    assert next_screen(db, ann) is None
    assert ending(db, ann) is None
    through = ending(db, ann, nothing_left=True)
    assert through is not None
    assert through.outcome == "completed"
    assert next_screen(db, bob) is None
    assert ending(db, bob, nothing_left=True) is None


def test_a_pause_is_no_end(db: Database) -> None:
    ann = new_worker(db, new_crowd(db))
    judged(db, ann)
    change_state(db, "news", "paused")
    assert ending(db, ann, nothing_left=True) is None
    change_state(db, "news", "closed")
    assert ending(db, ann, nothing_left=True) is not None


def test_an_invited_judge_has_no_end(db: Database) -> None:
    new_crowd(db, **{"crowd.screen_out_after": 1, **CONTROLLED, "judge.screens": 1})
    ann = new_judge(db)
    for _ in range(4):
        judged(db, ann, careful=False)
    assert ending(db, ann, nothing_left=True) is None
    assert next_screen(db, ann) is not None
    with db.read() as tx:
        assert not look_at(tx, ann.id).is_through


def fail(db: Database, person: Any, controls: int) -> None:
    """Answer carelessly until so many controls are failed."""
    while controls:
        controls -= judged(db, person, careful=False)


@pytest.mark.parametrize("careful", [True, False])
def test_failed_controls_screen_out_if_the_campaign_says_so(db: Database, careful: bool) -> None:
    settings = {"crowd.screen_out_after": 2, "crowd.screened_out_code": "OUT",
                "crowd.screened_out_url": "https://example.org/{code}"}  # fmt: skip
    ann = new_worker(db, new_crowd(db, places=1, **CONTROLLED, **settings))
    if careful:
        controls = sum(judged(db, ann) for _ in range(24))
        assert controls >= 2
        assert place(db) == {"completed": 1, "taken": 1}
        return
    fail(db, ann, 1)
    assert ending(db, ann) is None
    fail(db, ann, 1)
    assert next_screen(db, ann) is None
    end = ending(db, ann)
    assert end is not None
    assert (end.outcome, end.code, end.address) == ("screened-out", "OUT", "https://example.org/OUT")
    assert place(db) == {"screened-out": 1, "taken": 0}
    (line,) = workers(db, "news")
    assert (line.state, line.failed_controls) == ("screened-out", 2)
    with db.read() as tx:  # what they had in hand goes back at once
        held = sa.select(sa.func.count()).where(
            schema.lease.c.person_id == ann.id, schema.lease.c.finished_at.is_(None)
        )
        assert tx.execute(held).scalar_one() == 0


def test_who_was_screened_out_cannot_mend_what_gave_them_away(db: Database) -> None:
    ann = new_worker(db, new_crowd(db, **CONTROLLED, **{"crowd.screen_out_after": 1}))
    fail(db, ann, 1)
    (last, *_) = recently_answered(db, ann)
    ranks = tuple(1 for _ in load(db, ann, last).options)
    with pytest.raises(Closed, match="cannot be changed any more"):
        submit(db, ann, last, Answer(ranks), submission="better", revision=1)
    (line,) = workers(db, "news")
    assert line.failed_controls == 1


def test_a_damaged_output_beside_its_original_is_a_failed_control(db: Database) -> None:
    ann = new_worker(db, new_crowd(db, **{**CONTROLLED, "crowd.screen_out_after": 1}))
    view, planted = next_view(db, ann), None
    while planted is None:
        assert view is not None
        planted = damaged_place(db, view)
        submitted(db, ann, view, (1,) * len(view.options))
        view = next_view(db, ann)
    end = ending(db, ann)
    assert end is not None
    assert end.outcome == "screened-out"


def test_failed_controls_do_nothing_unless_the_campaign_says_so(db: Database) -> None:
    ann = new_worker(db, new_crowd(db, **CONTROLLED))
    for _ in range(24):
        judged(db, ann, careful=False)
    end = ending(db, ann)
    assert end is not None
    assert end.outcome == "completed"
    (line,) = workers(db, "news")
    assert line.failed_controls == line.controls >= 2


# -- places are given again ----------------------------------------------------------------------------------


def test_the_place_of_a_silent_worker_is_given_again_when_it_is_needed(db: Database, clock: Clock) -> None:
    token = new_crowd(db, places=1)
    ann = new_worker(db, token, "ann")
    clock.forward(minutes=60)
    assert doorstep(db, token, PlatformIds("bob")).away == "full"
    clock.forward(minutes=1)
    assert place(db) == {"dropped-out": 1, "taken": 0}
    bob = new_worker(db, token, "bob", secret="b")
    assert place(db) == {"dropped-out": 1, "working": 1, "taken": 1}
    # The first comes back while the link is full: what they have done stays, and they get no more.
    assert next_screen(db, ann) is None
    assert not came_back(db, ann)
    end = ending(db, ann, nothing_left=True)
    assert end is not None
    assert (end.outcome, end.code) == ("dropped-out", None)
    # Then the second falls silent, and the first takes the place back.
    clock.forward(minutes=61)
    assert came_back(db, ann)
    assert next_screen(db, ann) is not None
    assert next_screen(db, bob) is None


def test_a_silent_worker_whose_place_nobody_wants_goes_on(db: Database, clock: Clock) -> None:
    ann = new_worker(db, new_crowd(db, places=2))
    judged(db, ann)
    clock.forward(days=1)
    assert place(db) == {"dropped-out": 1, "taken": 0}
    judged(db, ann)
    assert place(db) == {"completed": 1, "taken": 1}


@pytest.mark.parametrize("most", [None, 4])
def test_the_last_place_is_not_given_to_a_repeat_as_well(db: Database, most: int | None) -> None:
    # Three screens a time of four: the last is asked for alone, when a repeat is due.
    repeats = {"controls.repeats": 0.25, "controls.repeat_after": 1, "controls.degraded": 0.0}
    token = new_crowd(
        db, **{"judge.screens": 4, "judge.most": most, "hit.screens": 3, "judge.practice": False}, **repeats
    )
    for number in range(4):
        person = new_worker(db, token, f"w{number}", secret=f"browser-{number}")
        for _ in range(4):
            judged(db, person)
        assert next_view(db, person) is None
        end = ending(db, person)
        assert end is not None
        assert end.outcome == "completed"


def test_who_may_do_no_more_has_completed_whatever_they_hold(db: Database) -> None:
    settings = {"hit.screens": 3, "judge.practice": False, "screen.outputs": 3}
    person = new_worker(db, new_crowd(db, **{"judge.screens": 6}, **settings))
    judged(db, person)
    change_settings(db, "news", Settings().replace(**{"judge.screens": 2}, **settings))
    judged(db, person)  # the third screen is in their hands, and is asked of nobody now
    end = ending(db, person)
    assert end is not None
    assert end.outcome == "completed"


def test_the_most_silent_goes_first_and_signs_of_life_count(db: Database, clock: Clock) -> None:
    token = new_crowd(db, places=3, **{"judge.screens": 5})
    ann, bob, cid = (new_worker(db, token, name, secret=name) for name in ("ann", "bob", "cid"))
    clock.forward(minutes=30)
    judged(db, ann)
    clock.forward(minutes=10)
    judged(db, cid)
    clock.forward(minutes=51)
    states = {line.worker: line.state for line in workers(db, "news")}
    assert states == {"ann": "dropped-out", "bob": "dropped-out", "cid": "working"}
    new_worker(db, token, "dan", secret="d")
    with db.read() as tx:
        assert [look_at(tx, person.id).is_through for person in (ann, bob, cid)] == [False, True, False]


def test_places_of_the_completed_are_kept(db: Database, clock: Clock) -> None:
    token = new_crowd(db, places=1, **{"judge.screens": 1})
    judged(db, new_worker(db, token))
    clock.forward(days=3)
    assert doorstep(db, token, PlatformIds("bob")).away == "full"


# -- for payment -----------------------------------------------------------------------------------------------


def test_the_file_of_workers_says_what_they_did(db: Database, clock: Clock) -> None:
    token = new_crowd(db)
    begun = clock.now
    ann = new_worker(db, token, "=cmd|' /C calc'!A0")
    new_worker(db, token, "bob", secret="b")
    judged(db, ann, seconds=45.0)
    clock.forward(minutes=2)
    judged(db, ann, seconds=None)
    text = io.StringIO()
    write_workers(workers(db, "news"), text)
    first, second = csv.DictReader(io.StringIO(text.getvalue()))
    assert first["worker"] == "'=cmd|' /C calc'!A0"
    assert (first["study"], first["link"], first["state"]) == ("study-1", "link-1", "completed")
    assert (first["screens"], first["skipped"], first["minutes"], first["untimed"]) == ("2", "0", "0.8", "1")
    assert (first["begun"], first["ended"]) == (begun.isoformat(), clock.now.isoformat())
    assert len(first["completion_code"]) == 10
    assert first["pseudonym"] == ann.pseudonym
    assert [second[name] for name in ("state", "screens", "minutes", "completion_code", "ended")] == [
        "working", "0", "", "", ""]  # fmt: skip
    with pytest.raises(InputError, match="a spreadsheet would run"):
        write_workers(workers(db, "news"), io.StringIO(), cells="refuse")
    kept = io.StringIO()
    write_workers(workers(db, "news"), kept, cells="keep")
    assert "\n=cmd" in kept.getvalue()


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1"])
def test_what_a_spreadsheet_would_run_is_escaped_or_refused_by_choice(text: str) -> None:
    assert safe_cell(text) == f"'{text}"
    assert safe_cell(text, "keep") == text
    with pytest.raises(InputError, match="which a spreadsheet would run as a formula"):
        safe_cell(text, "refuse")


@pytest.mark.parametrize("text", ["", "5f3c-ab", "a=b", "Ann", "'x", "1-2"])
def test_other_cells_stay_as_they_are(text: str) -> None:
    assert [safe_cell(text, policy) for policy in ("escape", "refuse", "keep")] == [text] * 3


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(InputError, match="cells: got 'drop'; allowed: escape, refuse, keep"):
        safe_cell("x", "drop")


SECRET_ID = "5f3cWORKERID77"


def test_erased_ids_are_gone_from_the_files_too(db: Database, tmp_path: Path) -> None:
    token = new_crowd(db)
    ann = new_worker(db, token, SECRET_ID)
    judged(db, ann)
    assert erase_worker(db, "news", SECRET_ID).gone
    (line,) = workers(db, "news")
    assert (line.worker, line.study, line.session, line.pseudonym) == (None, None, None, ann.pseudonym)
    assert line.screens == 1
    files = list(tmp_path.glob("campaign.db*")) if db.dialect == "sqlite" else []
    assert not [file.name for file in files if SECRET_ID.encode() in file.read_bytes()]
    assert db.dialect != "sqlite" or files
    # With the cookie they go on; with the id alone they are somebody new.
    assert next_screen(db, ann) is not None
    assert doorstep(db, token, PlatformIds(SECRET_ID)).known is None
    with pytest.raises(InputError, match="no worker 'x' in campaign 'news'; 'palmares campaign workers' lists them"):
        erase_worker(db, "news", "x")


def test_an_id_that_looks_like_a_pseudonym_is_the_one_that_is_erased(db: Database) -> None:
    token = new_crowd(db)
    ann = new_worker(db, token, "ann")
    mimic = new_worker(db, token, ann.pseudonym, secret="m")
    assert erase_worker(db, "news", ann.pseudonym).person.id == mimic.id
    assert erase_worker(db, "news", ann.pseudonym).person.id == ann.id


def test_a_name_that_is_removed_takes_the_ids_with_it(db: Database) -> None:
    ann = new_worker(db, new_crowd(db))
    pseudonymise(db, ann)
    (line,) = workers(db, "news")
    assert (line.worker, line.study, line.session) == (None, None, None)


# -- settings --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("completion_url", "http://example.org/{code}"),
        ("completion_url", "https://example.org/done"),
        ("completion_url", "https://example.org/{code}/{code}"),
        ("completion_url", "https://{code}.example.org/"),
        ("completion_url", "https://example.org/{code}{x}"),
        ("completion_url", "https://me@example.org/{code}"),
        ("completion_url", 'https://example.org/"{code}'),
        ("completion_url", "javascript:alert('{code}')"),
        ("completion_url", "https:///{code}"),
        ("completion_code", "two words"),
        ("screened_out_url", "ftp://example.org/{code}"),
        ("worker_parameter", ""),
        ("worker_parameter", "a b"),
        ("worker_parameter", "ui"),
        ("worker_parameter", "STUDY_ID"),
        ("return_minutes", 0.5),
        ("minutes", 0),
    ],
)
def test_settings_that_cannot_be_are_refused(setting: str, value: Any) -> None:
    with pytest.raises(InputError, match="crowd"):
        Settings().replace(**{f"crowd.{setting}": value})


def test_an_address_for_the_screened_out_needs_its_code() -> None:
    address = {"crowd.screened_out_url": "https://example.org/{code}"}
    with pytest.raises(InputError, match="screened_out_url without screened_out_code"):
        Settings().replace(**address)
    assert Settings().replace(**address, **{"crowd.screened_out_code": "X"}).crowd.screened_out_code == "X"


def test_who_looks_whether_it_has_ended_waits_for_the_answer_that_is_being_stored(db: Database) -> None:
    """Each holds what the other wants next otherwise: the answer its lease, the look the worker's outcome."""
    worker = new_worker(db, new_crowd(db))
    judged(db, worker)
    with ThreadPoolExecutor(1) as pool:
        with db.begin() as tx:
            admit(tx, worker.id)
            looking = pool.submit(ending, db, worker)
            with pytest.raises(TimeoutError):
                looking.result(timeout=0.3)
        assert looking.result() is None
