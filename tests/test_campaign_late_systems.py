"""Systems that come late: what is checked and stored, from which answer on they count, that they are asked about."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
import sqlalchemy as sa
from stores import SYSTEMS, answer, judge_screens, new_campaign, new_judge, next_view, sample_texts
from studies import analysing, judged, last_snapshot, learning_campaign

from palmares.campaign import journal, schema
from palmares.campaign.collected import collect
from palmares.campaign.database import Database
from palmares.campaign.definition import language_pairs
from palmares.campaign.export import export_screens
from palmares.campaign.late_systems import Added, add_systems, of_same_segments, prepare, refuse_errors, stored_texts
from palmares.campaign.live.process import needing
from palmares.campaign.live.tally import Tally
from palmares.campaign.overview import campaign_status, status_and_comparisons
from palmares.campaign.people import Person
from palmares.campaign.stock import in_stock, restock
from palmares.errors import InputError
from palmares.ingest.base import ReadOptions


def new_outputs(segments: int = 12, *, shared: int = 0) -> list[str]:
    """Outputs of a new system, the first of them those of system A."""
    return [f"Sentence {i} says {'one' if i < shared else 'eleven'} things here now." for i in range(segments)]


def add(db: Database, outputs: Sequence[str | None], name: str = "new") -> Added:
    return add_systems(db, "news", prepare(db, "news", None, {name: outputs}))


def pair_of(db: Database) -> int:
    with db.read() as tx:
        return language_pairs(tx, 1)[0].id


def compared(db: Database, system: str, **options: int) -> int:
    """Judgments of a system, as they are exported."""
    rows = collect(db, "news", ReadOptions(), **options).rows
    return rows.filter((pl.col("system_a") == system) | (pl.col("system_b") == system)).height


def test_a_new_system_is_asked_about_at_once_and_counts_from_then_on(db: Database) -> None:
    campaign = new_campaign(db)
    ann, bob = new_judge(db, "ann"), new_judge(db, "bob")
    judge_screens(db, ann, 6)  # two whole HITs: nothing is in hand
    before = collect(db, "news", ReadOptions()).rows
    added = add(db, new_outputs())
    assert added == Added("fr-en", {"new": 0}, 12, 6)
    assert collect(db, "news", ReadOptions()).rows.equals(before)
    for view in judge_screens(db, bob, 6):
        assert any("eleven" in option.text for option in view.options)
    assert compared(db, "new") == 6 * 4
    assert compared(db, "new", upto=6) == 0
    assert collect(db, "news", ReadOptions(), upto=6).rows.equals(before)
    assert campaign_status(db, "news").pairs[0].systems == (*SYSTEMS, "new")
    (event,) = [event for event in journal.entries(db, campaign) if event.kind == "system-added"]
    assert event.body == {"langs": "fr-en", "systems": ["new"], "after": 6}


def test_answers_about_an_output_that_it_shares_say_nothing_of_it_before(db: Database, tmp_path: Path) -> None:
    new_campaign(db, sample_texts(12, ("A", "B")), **{"screen.outputs": 2})
    judge_screens(db, new_judge(db, "ann"), 6, rng=Random(1))
    before = collect(db, "news", ReadOptions()).rows
    assert add(db, new_outputs(shared=12)).systems == {"new": 12}
    assert collect(db, "news", ReadOptions()).rows.equals(before)
    judge_screens(db, new_judge(db, "bob"), 5)
    # Each new answer compares A and new, who are one output, with B, and forces a tie between the two of them.
    assert compared(db, "new") == 5 * 2
    assert compared(db, "B") == 6 + 5 * 2
    names = collect(db, "news", ReadOptions(merged="collapse")).rows
    assert sorted(set(names["system_a"]) | set(names["system_b"])) == ["A", "A,new", "B"]
    assert collect(db, "news", ReadOptions()).shared == 5
    export_screens(db, "news", tmp_path / "screens.jsonl")
    shown = pl.read_ndjson(tmp_path / "screens.jsonl")
    behind = [{tuple(output["systems"]) for output in outputs} for outputs in shown["outputs"].to_list()]
    assert behind == [{("A",), ("B",)}] * 6 + [{("A", "new"), ("B",)}] * 5
    _, met = status_and_comparisons(db, "news")
    assert {both: met["fr-en"][both] for both in (("A", "B"), ("B", "new"))} == {("A", "B"): 11, ("B", "new"): 5}
    with db.read() as tx:
        tally = Tally(tx, pair_of(db))
        tally.read(tx, 100)
    counts = tally.counts
    assert counts.total == 6 + 5 * 2  # two systems behind one output were compared by nobody


def test_an_answer_that_is_changed_afterwards_is_a_new_answer(db: Database) -> None:
    """The latest revision counts, and its number says what it knew."""
    from palmares.campaign.answers import Answer, submit

    new_campaign(db, sample_texts(12, ("A", "B")), **{"screen.outputs": 2})
    ann = new_judge(db)
    (view,) = judge_screens(db, ann, 1)
    add(db, new_outputs(shared=12))
    assert compared(db, "new") == 0
    submit(db, ann, view.id, Answer((2, 1)), submission="again", revision=1)
    assert compared(db, "new") == 2
    assert compared(db, "new", upto=1) == 0


def test_what_was_designed_ahead_is_thrown_away(db: Database) -> None:
    campaign = new_campaign(db)
    assert next_view(db, new_judge(db)) is not None
    restock(db, campaign)
    with db.read() as tx:
        assert in_stock(tx, pair_of(db)) > 0
    add(db, new_outputs())
    with db.read() as tx:
        assert in_stock(tx, pair_of(db)) == 0
        chosen = dict(tx.execute(sa.select(schema.system.c.name, schema.system.c.designed)).all())
        hits = tx.execute(sa.select(schema.language_pair.c.hits)).scalar_one()
    assert sum(chosen.values()) == 3 * 5  # of the HIT in hand
    assert (chosen["new"], hits) == (0, 1)
    restock(db, campaign)
    with db.read() as tx:
        query = sa.select(schema.system.c.designed).where(schema.system.c.name == "new")
        assert tx.execute(query).scalar_one() > 0


def test_systems_that_are_added_together_and_one_by_one(db: Database) -> None:
    new_campaign(db, sample_texts(12, ("A", "B")))
    both = {"X": new_outputs(), "Y": [f"Text {i} is another one altogether." for i in range(12)]}
    add_systems(db, "news", prepare(db, "news", "fr-en", both))
    add(db, [None, *new_outputs(12)[1:]], "Z")  # all as X, but for a missing one
    with db.read() as tx:
        pairs = tx.execute(sa.select(sa.func.count()).select_from(schema.system_pair)).scalar_one()
        outputs = tx.scalars(sa.select(schema.segment.c.outputs).order_by(schema.segment.c.position)).all()
    assert pairs == 5 * 4 // 2
    assert outputs == [4] * 12
    pair, there = stored_texts(db, "news", None)
    assert there.systems == ("A", "B", "X", "Y", "Z")
    assert there.missing == {("Z", 0)}
    assert there.outputs["X"] == tuple(new_outputs())
    assert pair.name == "fr-en"


@pytest.mark.parametrize(
    ("outputs", "says"),
    [
        ({"A": new_outputs()}, "system 'A': fr-en has 'A' already"),
        ({"a": new_outputs()}, "system 'a': fr-en has 'A' already"),
        ({"new": new_outputs(11)}, r"12 segments, but 'new' has 11 outputs"),
        ({"new": new_outputs(13)}, r"12 segments, but 'new' has 13 outputs"),
        ({" new": new_outputs()}, "has white space around it"),
        ({"palmares:x": new_outputs()}, "is reserved"),
        ({"new": [None] * 12}, "system 'new' has no output at all"),
        ({}, "got no new system"),
    ],
)
def test_what_is_refused(db: Database, outputs: dict[str, list[str]], says: str) -> None:
    new_campaign(db)
    with pytest.raises(InputError, match=says):
        prepare(db, "news", None, outputs)


def test_new_outputs_are_checked_by_line_and_those_that_are_there_are_not(db: Database) -> None:
    new_campaign(db)
    outputs: list[str | None] = [*new_outputs()]
    outputs[3] = None
    prepared = prepare(db, "news", None, {"new": outputs})
    assert [(finding.check, finding.system, finding.lines) for finding in prepared.report.findings] == [
        ("missing", "new", (4,))
    ]
    with pytest.raises(InputError, match=r"nothing was stored: error: missing: system new: .*\(segment seg3\)"):
        refuse_errors(prepared)
    refuse_errors(prepared, ["missing"])
    copied = prepare(db, "news", None, {"new": sample_texts(12).outputs["A"]})
    assert any(each.check == "identical" and "new" in each.message for each in copied.report.findings)


def test_two_at_once_are_refused_to_the_second(db: Database) -> None:
    new_campaign(db)
    one, two = (prepare(db, "news", None, {name: new_outputs()}) for name in ("one", "two"))
    add_systems(db, "news", one)
    with pytest.raises(InputError, match="another system was added at this moment"):
        add_systems(db, "news", two)


def test_a_test_set_must_have_the_same_segments(db: Database) -> None:
    new_campaign(db)
    _, there = stored_texts(db, "news", None)
    same = sample_texts(12, ("new", "newer"))
    assert of_same_segments(there, same) == {name: list(same.outputs[name]) for name in ("new", "newer")}
    with pytest.raises(InputError, match="got 11 segments, and the campaign has 12"):
        of_same_segments(there, sample_texts(11, ("new",)))


@pytest.mark.any_database
def test_a_decision_to_stop_is_open_again(db: Database) -> None:
    """The rule held for the systems there were; a new one has to be ranked as well."""
    judges = learning_campaign(db, **{"stop.rule": "clusters=2"})
    with analysing(db) as analyst:
        judged(db, judges, 240, Random(3))
        analyst.look(needing(db))
        assert last_snapshot(db).met
        assert next_view(db, new_judge(db, "late")) is None
        _, there = stored_texts(db, "news", None)
        add(db, [f"Sentence {i} says seven things here now." for i in range(len(there))])
        analyst.look(needing(db))
        assert not last_snapshot(db).met
        views = judge_screens(db, new_judge(db, "later"), 6)  # in part what was left of HITs that others had begun
        assert any("seven" in option.text for view in views for option in view.options)


@pytest.mark.any_database
def test_the_command(database_url: str, db: Database, tmp_path: Path, run: Callable[..., Any]) -> None:
    new_campaign(db)
    file = tmp_path / "e.txt"
    file.write_text("\n".join(new_outputs()) + "\n")
    done = run("campaign", "add-system", "news", "--system", f"new={file}", "--database", database_url)
    assert done.status == 0
    assert "fr-en: added new, 12 segments" in done.err
    file.write_text("one line\n")
    refused = run("campaign", "add-system", "news", "--system", f"newer={file}", "--database", database_url)
    assert (refused.status, refused.out) == (2, "")
    assert "12 segments, but 'newer' has 1 outputs" in refused.err
    assert campaign_status(db, "news").pairs[0].systems == (*SYSTEMS, "new")


def test_systems_are_added_while_judges_answer(db: Database) -> None:
    """Nobody waits for ever, nothing is lost, and every answer is before a new system or after it."""
    new_campaign(db, sample_texts(60), **{"judge.screens": 60, "hit.ahead_minutes": 10.0})
    judges = [new_judge(db, f"judge-{number}") for number in range(4)]
    errors: list[BaseException] = []
    ended = threading.Event()

    def work(judge: Person) -> None:
        try:
            while not ended.is_set():
                view = next_view(db, judge)
                if view is None:
                    return
                answer(db, judge, view)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(judge,)) for judge in judges]
    for thread in threads:
        thread.start()
    added = {}
    for number, word in enumerate(("eleven", "twelve", "thirteen")):
        outputs = [f"Sentence {i} says {word if i % 3 else 'one'} things here now." for i in range(60)]
        added[f"new-{number}"] = add(db, outputs, f"new-{number}").added_after
        restock(db, 1)
    ended.set()
    for thread in threads:
        thread.join(timeout=60)
    assert errors == []
    judge_screens(db, new_judge(db, "late"), 12)
    for name, after in added.items():
        assert after == 0 or compared(db, name, upto=after) == 0
        assert compared(db, name) > 0
    assert list(added.values()) == sorted(added.values())
