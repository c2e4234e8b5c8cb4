"""What the analysis reads, counts, says and decides; that everybody can make its ranking again; who may analyse."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from stores import Clock, answer, judge_screens, new_campaign, new_judge, next_view, sample_texts
from studies import analysing, judged, last_snapshot, learning_campaign, snapshots

import palmares as pm
from palmares.campaign import schema
from palmares.campaign.analysed import Analysed, analysis_health
from palmares.campaign.answers import Answer, submit
from palmares.campaign.collected import collect
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings, change_state, settings_of
from palmares.campaign.export import export
from palmares.campaign.live.claim import LAPSES, Claim, ClaimLostError, holder
from palmares.campaign.live.outstanding import outstanding
from palmares.campaign.live.process import needing
from palmares.campaign.live.reading import Settled
from palmares.campaign.live.tally import Tally, compared
from palmares.campaign.overview import campaign_status
from palmares.campaign.people import Person
from palmares.campaign.screens import load
from palmares.campaign.settings import Settings
from palmares.campaign.snapshots import advice, ranking_of
from palmares.errors import InputError
from palmares.ingest.base import ReadOptions
from palmares.judgments import Judgments

# -- what is read ----------------------------------------------------------------------------------------


def test_a_number_that_may_still_come_is_waited_for(db: Database) -> None:
    """Two transactions at once: the one with the later number is stored first, the other one in the end or never."""
    new_campaign(db, sample_texts(30))
    ann = new_judge(db)
    judge_screens(db, ann, 1)
    settled = Settled()
    with db.read() as tx:
        assert settled.advance(tx) == 1
    views = [next_view(db, new_judge(db, f"judge-{n}")) for n in range(3)]
    values = {"revision": 1, "submission": "x", "ranks": [1, 2, 3, 4, 5], "late": False, "created_at": db.clock()}
    ids = {}
    with db.read() as tx:
        for view in views:
            assert view is not None
            ids[view.id] = tx.execute(
                sa.select(schema.served.c.id).where(schema.served.c.public_id == view.id)
            ).scalar_one()
    first, second, third = ids.values()
    if db.dialect == "sqlite":  # there are no two transactions that write
        with db.begin() as tx:
            tx.execute(schema.judgment.insert().values(served_id=first, **values))
        with db.read() as tx:
            assert settled.advance(tx) == 2
        return
    slow = db.engine.connect()
    begun = slow.begin()
    slow.execute(sa.select(schema.served.c.id).where(schema.served.c.id == first).with_for_update())
    slow.execute(schema.judgment.insert().values(served_id=first, **values))  # number 2, not stored yet
    with db.begin() as tx:
        tx.execute(schema.judgment.insert().values(served_id=second, **values))  # number 3
    for _ in range(3):
        with db.read() as tx:
            assert settled.advance(tx) == 1
    begun.commit()
    with db.read() as tx:
        assert settled.advance(tx) == 3
    gone = slow.begin()
    slow.execute(schema.judgment.insert().values(served_id=third, **values))  # number 4, given back
    gone.rollback()
    slow.close()
    with db.begin() as tx:
        tx.execute(schema.judgment.insert().values(served_id=third, **values))  # number 5
    with db.read() as tx:
        assert settled.advance(tx) == 5


def test_ranks_are_compared_by_every_two_systems_behind_different_outputs() -> None:
    """By hand: places hold a, then b and c who share an output, then a control, then d; b, c and d are tied."""
    behind = [[0], [1, 2], [], [3]]
    expected = {(0, 1, False), (0, 2, False), (0, 3, False), (1, 3, True), (2, 3, True)}
    assert set(compared(behind, [1, 2, 4, 2])) == expected
    assert set(compared(behind, [2, 1, 4, 1])) == {
        (1, 0, False),
        (2, 0, False),
        (3, 0, False),
        (1, 3, True),
        (2, 3, True),
    }


def test_counts_kept_along_are_those_of_the_export(db: Database) -> None:
    """Changed answers, skips, skips taken back, repeats, controls, other language pairs; read in pieces of any size."""
    settings = {"controls.repeats": 0.2, "controls.repeat_after": 2, "controls.degraded": 0.2, "screen.outputs": 3}
    new_campaign(db, sample_texts(30), sample_texts(30, langs="de-en"), **settings, **{"judge.screens": 100})
    judges, rng, tallies = [new_judge(db, f"judge-{n}") for n in range(3)], Random(5), {}
    with db.read() as tx:
        tallies = {pair: Tally(tx, pair) for pair in (1, 2)}
    for turn in range(60):
        judge = judges[turn % 3]
        view = next_view(db, judge, rng=rng)
        assert view is not None
        outputs = len(view.options)
        if turn % 5 == 4:
            submit(db, judge, view.id, Answer(skip="other"), submission="s")
        else:
            answer(db, judge, view, [rng.randint(1, outputs) for _ in range(outputs)])
        if turn % 4 == 3:  # a change, which may make a skip of ranks, or ranks of a skip
            ranks = tuple(rng.randint(1, outputs) for _ in range(outputs))
            given = Answer(skip="other") if turn % 8 == 3 else Answer(ranks)
            submit(db, judge, view.id, given, submission="again", revision=1)
        if turn % 7 == 0 or turn == 59:
            for pair, tally in tallies.items():
                with db.read() as tx:
                    tally.read(tx, last_answer(tx))
                check_tally(db, pair, tally)


def last_answer(tx: sa.Connection) -> int:
    return int(tx.execute(sa.select(sa.func.coalesce(sa.func.max(schema.judgment.c.id), 0))).scalar_one())


def check_tally(db: Database, pair: int, tally: Tally) -> None:
    parts = Judgments.from_rows(collect(db, "news", ReadOptions()).rows).split()
    part = parts.get({1: "fr-en", 2: "de-en"}[pair])
    with db.read() as tx:
        hit = schema.hit.c
        counted = sa.select(sa.func.coalesce(sa.func.sum(hit.answers), 0)).where(hit.language_pair_id == pair)
        assert tally.answers == tx.execute(counted).scalar_one()
    if part is None:
        assert tally.total == 0
        return
    expected = part.without_forced_ties().counts
    counts = tally.counts.keep(expected.systems)
    assert (counts.wins == expected.wins).all()
    assert (counts.ties == expected.ties).all()
    assert tally.total == expected.total


def test_screens_not_answered_yet_are_counted(db: Database) -> None:
    """Given out or left: as many comparisons as are still awaited, and none once they are answered."""
    new_campaign(db, **{"overlap.share": 1.0, "overlap.judges": 2, "hit.screens": 2, "screen.outputs": 3})
    ann, bob = new_judge(db), new_judge(db, "bob")
    view = next_view(db, ann)
    assert view is not None
    with db.read() as tx:
        tally = Tally(tx, 1)
        met = outstanding(tx, tally)
    assert met.sum() == 2 * 2 * 2 * 3  # two judges, two screens of three comparisons, counted from both sides
    shown = {tally.systems.index(system) for system in systems_on(db, view.id)}
    assert all(met[a, b] >= 2 for a, b in combinations(sorted(shown), 2))
    judge_screens(db, ann, 2)
    judge_screens(db, bob, 1)
    with db.read() as tx:
        assert outstanding(tx, tally).sum() == 2 * 3


def systems_on(db: Database, public_id: str) -> list[str]:
    query = (
        sa.select(schema.system.c.name)
        .join(schema.output_system, schema.output_system.c.system_id == schema.system.c.id)
        .join(schema.screen_output, schema.screen_output.c.output_id == schema.output_system.c.output_id)
        .join(schema.served, schema.served.c.screen_id == schema.screen_output.c.screen_id)
        .where(schema.served.c.public_id == public_id)
    )
    with db.read() as tx:
        return list(tx.scalars(query))


# -- what is said, and drawn from ------------------------------------------------------------------------


def test_screens_are_drawn_from_the_newest_snapshot_and_name_it(db: Database) -> None:
    judges = learning_campaign(db, **{"hit.screens": 1, "screen.outputs": 2, "hit.ahead_minutes": 0.0})
    rng = Random(1)
    with analysing(db) as analyst:
        judged(db, judges, 40, rng, analyst=analyst)
    said = {row.id: row for row in snapshots(db)}
    assert [row.version for row in said.values()] == list(range(1, 41))  # one for every tenth of choice.lag
    assert [row.answers for row in said.values()] == list(range(1, 41))
    screen = schema.screen.c
    with db.read() as tx:
        rows = tx.execute(sa.select(screen.id, screen.strategy, screen.snapshot_id).order_by(screen.id)).all()
        outputs: dict[int, set[int]] = {}
        shown = sa.select(schema.screen_output.c.screen_id, schema.output_system.c.system_id).join(
            schema.output_system, schema.output_system.c.output_id == schema.screen_output.c.output_id
        )
        for screen_id, system_id in tx.execute(shown):
            outputs.setdefault(screen_id, set()).add(system_id)
    assert (rows[0].strategy, rows[0].snapshot_id) in {("balanced", None), ("uniform", None)}  # nothing is known yet
    for number, row in enumerate(rows[1:], 1):
        assert said[row.snapshot_id].answers == number  # the newest there was
        wanted = said[row.snapshot_id].choices
        asked = [{wanted["numbers"][place] for place in places} for places in wanted["screens"]]
        assert row.strategy in {"open-boundaries", "uniform"}
        assert row.strategy == "uniform" or outputs[row.id] in asked
    assert sum(row.strategy == "open-boundaries" for row in rows) > 25


def test_stale_choices_are_not_used_and_the_log_says_so_once(db: Database, caplog: pytest.LogCaptureFixture) -> None:
    judges = learning_campaign(db, segments=90, **{"hit.screens": 1, "screen.outputs": 2, "hit.ahead_minutes": 0.0})
    rng = Random(2)
    with analysing(db) as analyst, caplog.at_level(logging.INFO, "palmares.campaign"):
        judged(db, judges, 20, rng, analyst=analyst)
        judged(db, judges, 25, rng)  # nobody looks: choice.lag is 10
        (note,) = caplog.messages
        assert note == (
            "fr-en: the analysis lags 11 answers behind (choice.lag is 10); screens are balanced until it has caught up"
        )
        pair = campaign_status(db, "news").pairs[0]
        assert pair.analysed is not None
        assert pair.analysed.says[0].startswith(
            "chosen by balanced: the analysis lags (choice.lag is 10; snapshot 20, 25"
        )
        analyst.look(needing(db))
        judged(db, judges, 5, rng, analyst=analyst)
    assert caplog.messages[1:] == ["fr-en: the analysis has caught up, and screens are chosen by open-boundaries again"]
    screen = schema.screen.c
    with db.read() as tx:
        rows = tx.execute(sa.select(screen.strategy, screen.snapshot_id).order_by(screen.id)).all()
    assert {row.strategy for row in rows[31:45]} <= {"balanced", "uniform"}
    assert all(row.snapshot_id is None for row in rows[31:45])
    assert all(row.snapshot_id is not None for row in [*rows[1:31], *rows[46:]])


def test_what_was_designed_by_old_choices_is_thrown_away(db: Database) -> None:
    from palmares.campaign.stock import in_stock, restock

    judges = learning_campaign(db, judges=2, **{"hit.screens": 1, "screen.outputs": 2, "hit.ahead_minutes": 60.0})
    rng = Random(3)
    with analysing(db) as analyst:
        judged(db, judges, 2, rng, analyst=analyst)
        next_view(db, judges[0], rng=rng)
        assert restock(db, 1) > 0
        with db.read() as tx:
            (old,) = tx.execute(sa.select(sa.func.max(schema.hit.c.id))).one()
        clock = db.clock
        assert isinstance(clock, Clock)
        for _ in range(14):  # of work that is designed when it is asked for: the stock is for others
            clock.forward(seconds=1)
            judged(db, judges, 1, rng, analyst=analyst)
        with db.read() as tx:
            there = set(tx.scalars(sa.select(schema.hit.c.id)))
            given = set(tx.scalars(sa.select(schema.lease.c.hit_id)))
            assert in_stock(tx, 1) == 0
    assert old in given or old not in there


def test_strategies_without_answers_to_learn_from_ask_for_nothing(db: Database) -> None:
    new_campaign(db)
    with db.read() as tx:
        assert advice(tx, 1, settings_of(tx, 1).choice) is None
    assert needing(db) == []
    assert analysis_health(db) == "not needed"


@pytest.mark.any_database
@pytest.mark.parametrize(
    "strategy",
    [*(pytest.param(s, marks=pytest.mark.slow) for s in ("s14", "match-quality")), "information", "baseline"],
)
def test_every_strategy_that_learns_works_in_a_campaign(db: Database, strategy: str) -> None:
    judges = learning_campaign(db, 3, **{"choice.strategy": strategy, "screen.outputs": 3})
    with analysing(db) as analyst:
        judged(db, judges, 20, Random(4), analyst=analyst)
    with db.read() as tx:
        used = set(tx.scalars(sa.select(schema.screen.c.strategy)))
    assert strategy in used


@pytest.mark.any_database
def test_language_pairs_are_analysed_apart(db: Database) -> None:
    new_campaign(
        db,
        sample_texts(30),
        sample_texts(30, langs="de-en"),
        **{"choice.strategy": "open-boundaries", "choice.uniform_share": 0.1, "choice.lag": 10},
    )
    german = [new_judge(db, "g", langs=["de-en"])]
    with analysing(db) as analyst:
        judged(db, german, 9, Random(1), analyst=analyst)
    assert len(snapshots(db, 2)) == 9
    assert {row.answers for row in snapshots(db, 1)} == {0}
    assert all(row.choices is None for row in snapshots(db, 1))


# -- when it is enough -----------------------------------------------------------------------------------


def to_the_rule(db: Database, rule: str = "clusters=2", *, alike: int = 1) -> tuple[list[Person], Random]:
    """A campaign that was judged until its rule stopped it; a snapshot every tenth answer."""
    settings = {"stop.rule": rule, "screen.outputs": 5, "overlap.share": 0.3, "choice.lag": 100}
    judges, rng = learning_campaign(db, 6, 60, **settings), Random(7)
    with analysing(db) as analyst:
        done = judged(db, judges, 300, rng, analyst=analyst, alike=alike)
    assert done < 300
    return judges, rng


def test_the_ranking_that_stopped_a_campaign_is_made_again_from_its_export(
    db: Database, tmp_path: Path, run: Callable[..., Any]
) -> None:
    """Bit for bit, though judges went on: by the library, and by the command that the status names."""
    to_the_rule(db)
    status = campaign_status(db, "news").pairs[0]
    assert status.enough
    assert status.analysed is not None
    assert status.analysed.met
    last = last_snapshot(db)
    assert last.met
    named = status.analysed.answer
    assert named is not None
    with db.read() as tx:
        kept = ranking_of(tx, last)
    assert kept is not None
    rows = {row.standing["answer"]: row for row in snapshots(db) if row.ranking}
    decided = rows[named].ranking
    assert decided["answer"] == named
    export(db, "news", tmp_path / "upto.csv", upto=named)
    again = pm.rank(tmp_path / "upto.csv", looks="any", rng=1)
    assert again.record.facts["data"] == decided["data"]
    assert again.signature == decided["signature"]
    shown = ("system", "score", "rank", "cluster", "error")
    assert [[getattr(line, key) for key in shown] for line in again.lines] == [
        [line[key] for key in shown] for line in decided["systems"]
    ]
    assert [list(line.range or ()) for line in again.lines] == [line["range"] for line in decided["systems"]]
    assert [[b.above, b.p, b.marginal, b.joint] for b in again.boundaries] == decided["boundaries"]
    assert again.claims is not None
    assert len(again.claims.blocks) >= 2
    place = db.engine.url.render_as_string(hide_password=False)
    said = " ".join(run("campaign", "status", "news", "--database", place).out.split())
    assert f"fr-en: clusters=2 was reached at answer {named}" in said
    assert f"'campaign export NAME FILE --up-to {named}', then 'rank FILE --looks any --seed 1'" in said


@pytest.mark.any_database
def test_what_a_rule_stopped_is_ranked_for_every_look_whoever_chose(
    db: Database, tmp_path: Path, run: Callable[..., Any]
) -> None:
    """Balanced choice, stopped by looking: the store, its export and its ranking say so, also of earlier answers."""
    settings = {"choice.strategy": "balanced", "screen.outputs": 5, "choice.lag": 100}
    judges, rng = learning_campaign(db, 6, 60, **settings), Random(7)
    judged(db, judges, 10, rng)
    place = db.engine.url.render_as_string(hide_password=False)
    assert "extra.looks" not in pm.read(place).frame.columns  # there never was a rule
    assert pm.rank(pm.read(place), rng=1).looks == "once"
    change_settings(db, "news", settings_now(db).replace(**{"stop.rule": "clusters=2"}))
    with analysing(db) as analyst:
        judged(db, judges, 300, rng, analyst=analyst)
    last = last_snapshot(db)
    assert last.met
    named = last.standing["answer"]  # type: ignore[index]
    change_settings(db, "news", settings_now(db).replace(**{"stop.rule": ""}))  # who looked has looked
    path = tmp_path / "upto.csv"
    export(db, "news", path, upto=named)
    for data in (pm.read(path), pm.read(place)):
        assert data.frame["extra.looks"].unique().to_list() == ["any"]
        again = pm.rank(data, rng=1)  # looks="auto"
        assert again.looks == "any"
        assert any("could stop the campaign (stop.rule): ranges" in note for note in again.notes)
    with db.read() as tx:
        kept = ranking_of(tx, last)
    again = pm.rank(path, rng=1)
    assert kept is not None
    assert (again.record.facts["data"], again.signature) == (kept["data"], kept["signature"])
    assert "could stop the campaign (stop.rule): ranges" in run("rank", str(path), "--seed", "1").out


@pytest.mark.any_database
def test_a_forecast_is_kept_with_its_ranking_and_read_after_it(db: Database) -> None:
    """Snapshots without a ranking have none of their own, or every answer would be paid for with all boundaries."""
    judges = learning_campaign(db, 3, **{"screen.outputs": 2, "stop.rule": "clusters=6"})
    with analysing(db) as analyst:
        judged(db, judges, 40, Random(2), analyst=analyst)
    rows = snapshots(db)
    assert {row.standing["forecast"] is None for row in rows if row.ranking is None} == {True}
    last = [row for row in rows if row.ranking is not None][-1].standing["forecast"]
    assert last["judgments"] >= 30
    status = campaign_status(db, "news").pairs[0].analysed
    assert status is not None
    assert status.standing is not None
    assert status.standing["forecast"] == last
    assert any("until clusters=6" in line for line in status.says)
    change_settings(db, "news", settings_now(db).replace(**{"stop.rule": "best"}))
    with analysing(db) as analyst:
        analyst.look(needing(db))
    other = campaign_status(db, "news").pairs[0].analysed
    assert other is not None
    assert not any("clusters=6" in line for line in other.says)


@pytest.mark.parametrize(
    ("need", "said"),
    [
        ((180, 90, 410), "about 180 more judgments (90–410)"),
        ((2871, 1194, None), "about 2,871 more judgments (1,194 or more)"),
        ((None, 5317, None), "at least 5,317 more judgments"),
        ((None, None, None), "more judgments than can be foreseen"),
    ],
)
def test_a_forecast_beyond_its_horizon_names_no_number(need: tuple[int | None, ...], said: str) -> None:
    boundary = {**dict(zip(("median", "low", "high"), need, strict=True)), "above": "B", "below": "C"}
    standing = {"clusters": 1, "pairs": 0.0, "forecast": {"boundaries": [boundary]}}
    told = Analysed("s14", "s14", 1, 0, 100, None, "clusters=6", met=False, answer=None, standing=standing)
    assert told.says[-1] == f"{said} to separate B from C"


@pytest.mark.any_database
def test_a_changed_answer_makes_the_decision_anew(db: Database) -> None:
    """Turned round one after the other, the answers no longer show what they did: work is given out again."""
    judges, _ = to_the_rule(db)
    named = last_snapshot(db).standing["answer"]  # type: ignore[index]
    served, judgment = schema.served.c, schema.judgment.c
    query = (
        sa.select(served.public_id, served.person_id, judgment.ranks, judgment.revision)
        .join(schema.judgment, judgment.served_id == served.id)
        .where(judgment.id <= named, served.repeat_of.is_(None), judgment.ranks.is_not(None))
    )
    with db.read() as tx:
        rows = tx.execute(query.order_by(judgment.id)).all()
    people = {judge.id: judge for judge in judges}
    with analysing(db) as analyst:
        analyst.look(needing(db))
        submit(db, people[rows[0].person_id], rows[0].public_id, Answer(skip="other"), submission="c", revision=1)
        analyst.look(needing(db))
        after = last_snapshot(db)
        assert not after.met or after.standing["answer"] > named  # type: ignore[index]
        for row in rows[1::2]:
            turned = tuple(len(row.ranks) + 1 - rank for rank in row.ranks)
            submit(db, people[row.person_id], row.public_id, Answer(turned), submission="t", revision=row.revision)
        analyst.look(needing(db))
    last = last_snapshot(db)
    assert not last.met
    assert next_view(db, judges[0]) is not None
    with db.read() as tx:
        kinds = list(tx.scalars(sa.select(schema.event.c.kind).where(schema.event.c.kind.like("rule-%"))))
    assert kinds[0] == "rule-met"
    assert kinds[-1] == "rule-not-met-any-more"


@pytest.mark.any_database
def test_more_answers_do_not_undo_a_decision_and_another_rule_does(db: Database) -> None:
    """The other rule asks for a boundary between equals, which chance shows once in a thousand campaigns at most."""
    judges, rng = to_the_rule(db, alike=2)
    before = last_snapshot(db)
    settings = settings_now(db)
    change_settings(db, "news", settings.replace(**{"stop.rule": "clusters=6", "stop.p": 0.001}))
    assert next_view(db, judges[0]) is not None  # at once: what is known is about another rule
    with analysing(db) as analyst:
        analyst.look(needing(db))
        assert not last_snapshot(db).met
        judged(db, judges, 6, rng, analyst=analyst, alike=2)
        change_settings(db, "news", settings)
        analyst.look(needing(db))
        judged(db, judges, 200, rng, analyst=analyst, alike=2)
        again = last_snapshot(db)
        assert again.met
        assert again.standing["answer"] > before.standing["answer"]  # type: ignore[index]
        assert [next_view(db, judge) for judge in judges] == [None] * len(judges)
        (view,) = [load(db, judges[0], screens_of(db, judges[0])[0])]
        answer(db, judges[0], view)  # an answer that comes late, or is changed, is taken all the same


def screens_of(db: Database, judge: Person) -> list[str]:
    """What a judge was given, the latest first."""
    served = schema.served.c
    with db.read() as tx:
        return list(
            tx.scalars(sa.select(served.public_id).where(served.person_id == judge.id).order_by(served.id.desc()))
        )


def settings_now(db: Database) -> Settings:
    with db.read() as tx:
        return settings_of(tx, 1)


def test_a_rule_that_can_never_be_met_is_refused(db: Database) -> None:
    with pytest.raises(InputError, match=r"fr-en: stop\.rule: got clusters=7, but there are only 6 systems"):
        new_campaign(db, **{"stop.rule": "clusters=7"})
    with pytest.raises(InputError, match=r"got widest=6, which always holds of 6 systems; allowed: at most widest=5"):
        new_campaign(db, **{"stop.rule": "widest=6"})
    new_campaign(db, **{"stop.rule": "clusters=6"})
    with pytest.raises(InputError, match="allowed: at most clusters=6"):
        change_settings(db, "news", Settings().replace(**{"stop.rule": "clusters=9"}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stop.rule": "clusters=x"}, "stop.rule: got clusters=x; clusters takes a whole number of at least 2"),
        ({"stop.rule": "best=0.9"}, "stop.rule: got best=0.9, which is for plans"),
        ({"stop.rule": "most"}, "stop.rule: got most; allowed: pairs, clusters, widest, best"),
        ({"choice.strategy": "s14", "choice.uniform_share": 0.0}, "choice.uniform_share: got 0 with the strategy s14"),
        ({"choice.lag": 0}, "choice.lag: got 0; allowed: a whole number (1 to 100000)"),
    ],
)
def test_settings_that_cannot_be_meant(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refusal:
        Settings().replace(**changes)
    assert message in str(refusal.value)


def test_an_answer_that_is_not_there_is_refused(db: Database, tmp_path: Path) -> None:
    new_campaign(db)
    judge_screens(db, new_judge(db), 1)
    with pytest.raises(InputError, match="up to answer: got 2; allowed: 1 to 1"):
        export(db, "news", tmp_path / "x.csv", upto=2)


def test_an_export_up_to_an_answer_is_what_there_was(db: Database, tmp_path: Path) -> None:
    """A later change of an earlier answer is not in it."""
    new_campaign(db)
    ann = new_judge(db)
    (view,) = judge_screens(db, ann, 1)
    export(db, "news", tmp_path / "then.csv")
    answer(db, ann, load(db, ann, view.id), [5, 4, 3, 2, 1])
    judge_screens(db, ann, 1)
    export(db, "news", tmp_path / "upto.csv", upto=1)
    export(db, "news", tmp_path / "changed.csv", upto=2)
    assert (tmp_path / "upto.csv").read_bytes() == (tmp_path / "then.csv").read_bytes()
    changed, then = (pm.read(tmp_path / f"{name}.csv") for name in ("changed", "then"))
    assert (changed.counts.wins == then.counts.wins.T).all()


# -- who analyses ----------------------------------------------------------------------------------------


def test_one_at_a_time(db: Database) -> None:
    one, other = Claim(db, "one"), Claim(db, "other")
    assert one.take()
    assert not other.take()
    with db.read() as tx:
        now = holder(tx)
    assert now is not None
    assert now.lives(db.clock())
    assert one.take()  # what one has, one has
    one.release()
    assert other.take()
    with db.begin() as tx:
        assert other.check(tx)
        assert not one.check(tx)
    other.release()


def test_a_claim_without_a_sign_of_life_lapses(db: Database, clock: Clock) -> None:
    """On SQLite; PostgreSQL gives it back with the connection."""
    gone = {"id": 1, "holder": "gone", "process": "1@elsewhere", "since": clock.now, "seen_at": clock.now}
    with db.begin() as tx:
        tx.execute(schema.analysis.insert().values(gone))
    claim = Claim(db, "mine")
    if db.dialect == "sqlite":
        clock.forward(seconds=LAPSES - 1)
        assert not claim.take()
        clock.forward(seconds=1)
    assert claim.take()
    claim.release()


def test_who_lost_the_claim_writes_nothing(db: Database) -> None:
    judges = learning_campaign(db, 1)
    with analysing(db) as analyst:
        judged(db, judges, 3, Random(1), analyst=analyst)
        there = len(snapshots(db))
        with db.begin() as tx:
            tx.execute(schema.analysis.update().values(holder="another"))
        judged(db, judges, 2, Random(1))
        with suppress(ClaimLostError):  # unless a beat has shown it before
            analyst.look(needing(db))
        assert len(snapshots(db)) == there


def test_another_goes_on_where_the_last_one_ended(db: Database) -> None:
    judges, rng = learning_campaign(db, 3, **{"screen.outputs": 3}), Random(6)
    with analysing(db, "first") as analyst:
        judged(db, judges, 10, rng, analyst=analyst)
    judged(db, judges, 5, rng)
    with analysing(db, "second") as analyst:
        analyst.look(needing(db))
        said = snapshots(db)
        assert [row.version for row in said] == list(range(1, len(said) + 1))
        assert said[-1].answers == 15
        analyst.look(needing(db))
        assert len(snapshots(db)) == len(said)  # nothing is new


def test_a_closed_campaign_is_left_alone(db: Database) -> None:
    learning_campaign(db, 1)
    assert len(needing(db)) == 1
    change_state(db, "news", "closed")
    assert needing(db) == []
