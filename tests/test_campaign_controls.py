"""What watches over judges: damaged outputs, the reference among the outputs, screens that come back."""

from __future__ import annotations

import unicodedata
from collections import Counter
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from stores import answer, judge_screens, new_campaign, new_judge, next_view, sample_texts

from palmares.campaign import schema
from palmares.campaign.answers import Answer, submit
from palmares.campaign.damage import characters, degrade, looks_like
from palmares.campaign.database import Database
from palmares.campaign.screens import load
from palmares.texts import LanguagePair, Segment, TestSet
from palmares.texts.testset import make

WORDS = st.lists(st.text("abcdefgh", min_size=1, max_size=5), min_size=1, max_size=30).map(" ".join)


def fetch(db: Database, *columns: Any, where: Any = True) -> list[tuple[Any, ...]]:
    with db.read() as tx:
        return [tuple(row) for row in tx.execute(sa.select(*columns).where(where))]


def texts_with(outputs: dict[str, list[str]], references: list[str | None]) -> TestSet:
    segments = [Segment(f"s{i}", None, f"Source {i}.", text) for i, text in enumerate(references)]
    return make(LanguagePair.parse("fr-en"), segments, outputs)


# -- damage --------------------------------------------------------------------------------------------


@given(WORDS, WORDS, st.integers())
def test_a_damaged_text_keeps_its_length_and_most_of_its_words(text: str, donor: str, seed: int) -> None:
    damaged = degrade(text, donor, Random(seed))
    words, others = text.split(), donor.split()
    if len(words) < 4 or len(others) < 2 or damaged is None:
        return
    found = damaged.split()
    assert len(found) == len(words)
    replaced = [i for i, (old, new) in enumerate(zip(words, found, strict=True)) if old != new]
    assert 1 <= len(replaced) <= max(2, len(words) // 3)
    assert replaced[-1] - replaced[0] < max(2, len(words) // 3)  # in one run
    assert all(found[i] in others for i in replaced)
    assert any(found[i] not in words for i in replaced)


def test_a_third_of_the_words_comes_from_elsewhere() -> None:
    text, donor = " ".join(f"a{i}" for i in range(12)), " ".join(f"b{i}" for i in range(12))
    found = degrade(text, donor, Random(0))
    assert found is not None
    assert sum(word.startswith("b") for word in found.split()) == 4


@pytest.mark.parametrize(
    ("text", "donor"),
    [
        ("今天天气很好我们去公园散步", "股票市场昨日大幅下跌引发关注"),
        ("วันนี้อากาศดีมากเราไปเดินเล่น", "ตลาดหุ้นร่วงลงอย่างหนักเมื่อวาน"),
        ("今日は いい天気です", "株式市場が大きく下落した"),
        ("Ja, gut.", "Der Hund schläft im Garten."),
    ],
)
def test_texts_without_spaces_and_short_ones_are_damaged_by_the_character(text: str, donor: str) -> None:
    for seed in range(20):
        damaged = degrade(text, donor, Random(seed))
        assert damaged is not None
        assert damaged != text
        assert len(characters(damaged)) == len(characters(text))
        # No mark has lost its letter: what stands in the result stood in one of the texts.
        assert set(characters(damaged)) <= set(characters(text)) | set(characters(donor))


def test_a_mark_stays_with_its_letter() -> None:
    assert characters("e\u0301a นี้") == ["e\u0301", "a", " ", "นี้"]
    assert all(unicodedata.category(part[0])[0] != "M" for part in characters("ที่นี่ดีมาก"))


@pytest.mark.parametrize(
    ("text", "donor"),
    [("", "some other text"), ("abc", "some other text"), ("one two three four", ""), ("one two three four", "x"),
     ("one two three four", "four three two one"), ("no no no no", "no no")],
)  # fmt: skip
def test_what_cannot_be_damaged_so_that_it_shows_is_left_alone(text: str, donor: str) -> None:
    assert [degrade(text, donor, Random(seed)) for seed in range(10)] == [None] * 10


def test_white_space_makes_no_difference_to_a_reader() -> None:
    assert looks_like("a  b\tc", " a b c ")
    assert not looks_like("a b c", "a bc")


# -- on the screens ------------------------------------------------------------------------------------


def test_damaged_outputs_stand_beside_their_original(db: Database) -> None:
    new_campaign(db, sample_texts(20), **{"controls.degraded": 0.5, "screen.outputs": 3})
    judge_screens(db, new_judge(db), 20, rng=Random(5))
    planted = dict(fetch(db, schema.screen.c.id, schema.screen.c.control))
    assert 3 <= Counter(planted.values())["degraded"] <= 17  # four standard deviations
    output, shown = schema.output.c, schema.screen_output.c
    rows = fetch(db, shown.screen_id, output.id, output.kind, output.original_id, where=shown.output_id == output.id)
    for screen_id, control in planted.items():
        on_it = {key: (kind, original) for screen, key, kind, original in rows if screen == screen_id}
        assert len(on_it) == 3
        damaged = [original for kind, original in on_it.values() if kind == "degraded"]
        assert len(damaged) == (control == "degraded")
        assert set(damaged) <= set(on_it)


def test_controls_do_not_count_for_systems(db: Database) -> None:
    new_campaign(db, sample_texts(9), **{"controls.degraded": 0.5, "screen.outputs": 3})
    judge_screens(db, new_judge(db), 9, rng=Random(5))
    ((planted,),) = fetch(db, sa.func.count(), where=schema.screen.c.control == "degraded")
    counts = [designed for (designed,) in fetch(db, schema.system.c.designed)]
    assert sum(counts) == 9 * 3 - planted
    assert max(counts) - min(counts) <= 1


def test_the_reference_among_the_outputs_is_stored_once_and_never_shown_beside(db: Database) -> None:
    new_campaign(
        db,
        sample_texts(2),
        **{"controls.reference": 0.5, "screen.reference": False, "judge.per_segment": 30, "screen.outputs": 3},
    )
    views = judge_screens(db, new_judge(db), 24, rng=Random(5))
    assert len(fetch(db, schema.output.c.id, where=schema.output.c.kind == "reference")) == 2
    ((used,),) = fetch(db, sa.func.count(), where=schema.screen.c.control == "reference")
    assert 3 <= used <= 21
    assert sum(any(o.text.startswith("Reference") for o in view.options) for view in views) == used
    assert {view.reference for view in views} == {None}


def test_showing_the_reference_later_does_not_betray_it(db: Database) -> None:
    new_campaign(db, **{"controls.reference": 0.5, "screen.reference": False})
    ann = new_judge(db)
    views = judge_screens(db, ann, 12, rng=Random(5))
    with db.begin() as tx:  # as if the settings had changed meanwhile
        changed = schema.setting.insert().values(campaign_id=1, revision=2, body="schema = 1", created_at=db.clock())
        tx.execute(changed)
    for view in views:
        texts = [option.text for option in view.options]
        assert load(db, ann, view.id).reference not in texts
    assert any(load(db, ann, view.id).reference for view in views)


def test_a_control_that_looks_like_an_output_is_not_used(db: Database) -> None:
    outputs = {"A": ["Reference  zero", "two two two two"], "B": ["beta", "three three three three"]}
    settings = {"controls.reference": 0.5, "screen.reference": False, "judge.per_segment": 20, "screen.outputs": 2}
    new_campaign(db, texts_with(outputs, ["Reference zero", None]), **settings)
    judge_screens(db, new_judge(db), 16)
    assert fetch(db, schema.screen.c.control) == [(None,)] * 16
    assert {kind for (kind,) in fetch(db, schema.output.c.kind)} == {"system"}


def test_a_campaign_of_one_segment_has_nothing_to_damage_with(db: Database) -> None:
    new_campaign(db, sample_texts(1), **{"controls.degraded": 0.5, "judge.per_segment": 8})
    judge_screens(db, new_judge(db), 8)
    assert fetch(db, schema.screen.c.control) == [(None,)] * 8


# -- repeats -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("screens", "share", "after"), [(3, 0.2, 5), (1, 0.1, 2), (5, 0.4, 1)])
def test_repeats_reach_their_share_and_never_come_too_early(
    db: Database, screens: int, share: float, after: int
) -> None:
    settings = {"hit.screens": screens, "controls.repeats": share, "controls.repeat_after": after}
    new_campaign(db, sample_texts(60), **settings, **{"screen.outputs": 2})
    ann = new_judge(db)
    views = judge_screens(db, ann, 40)
    order = [fetch(db, schema.served.c.id, schema.served.c.repeat_of,
                   where=schema.served.c.public_id == view.id)[0] for view in views]  # fmt: skip
    place = {served: i for i, (served, _) in enumerate(order)}
    repeats = [(place[served], place[first]) for served, first in order if first is not None]
    assert all(now - then > after for now, then in repeats)
    assert len(repeats) == pytest.approx(40 * share, abs=1.5)
    assert len({then for _, then in repeats}) == len(repeats)  # each comes back once
    assert {view.of for view in views} == ({screens} if screens > 1 else {1, 2})
    for now, then in repeats:
        assert {o.text for o in views[now].options} == {o.text for o in views[then].options}


def test_only_screens_with_ranks_and_without_control_come_back(db: Database) -> None:
    settings = {"controls.repeats": 0.25, "controls.degraded": 0.25, "controls.repeat_after": 1, "hit.screens": 2}
    new_campaign(db, sample_texts(40), **settings)
    ann = new_judge(db)
    for number in range(30):
        view = next_view(db, ann, rng=Random(number))
        assert view is not None
        if number % 3:
            answer(db, ann, view)
        else:
            submit(db, ann, view.id, Answer(skip="other"), submission="s")
    served, first = schema.served, schema.served.alias("first")
    back = sa.select(schema.screen.c.control, schema.judgment.c.skip).select_from(
        served.join(first, served.c.repeat_of == first.c.id)
        .join(schema.screen, first.c.screen_id == schema.screen.c.id)
        .join(schema.judgment, schema.judgment.c.served_id == first.c.id)
    )
    with db.read() as tx:
        found = tx.execute(back).all()
    assert len(found) >= 4
    assert set(map(tuple, found)) == {(None, None)}


def test_few_screens_of_many_judges_come_right_together(db: Database) -> None:
    new_campaign(db, sample_texts(20), **{"controls.repeats": 0.1, "controls.repeat_after": 2, "screen.outputs": 2})
    for i in range(10):
        judge_screens(db, new_judge(db, f"j{i}"), 6)  # 0.6 repeats each
    ((repeats,),) = fetch(db, sa.func.count(), where=schema.served.c.repeat_of.is_not(None))
    assert 4 <= repeats <= 8


def test_repeats_do_not_take_the_place_of_other_judges(db: Database) -> None:
    """A screen that one judge answers twice still wants its second judge."""
    settings = {"controls.repeats": 0.5, "controls.repeat_after": 1, "overlap.redundancy": 2, "hit.screens": 1}
    new_campaign(db, **settings)
    judge_screens(db, new_judge(db), 8)
    hits = fetch(db, schema.hit.c.closed, schema.hit.c.answers)
    assert len(hits) < 8
    assert set(hits) == {(False, 1)}


@pytest.mark.parametrize(("systems", "outputs"), [(2, 2), (3, 5), (5, 5), (6, 4)])
def test_a_control_cannot_be_told_by_the_number_of_outputs(db: Database, systems: int, outputs: int) -> None:
    new_campaign(db, sample_texts(12, "ABCDEF"[:systems]), **{"screen.outputs": outputs, "controls.degraded": 0.5})
    shown = judge_screens(db, new_judge(db), 12, rng=Random(4))
    assert {len(view.options) for view in shown} == {min(systems, outputs)}
    controls = fetch(db, schema.screen.c.control)
    assert ("degraded",) in controls
    assert (None,) in controls


def test_context_comes_from_the_same_document_alone(db: Database) -> None:
    segments = [
        Segment(f"s{i}", document, f"Source {i}.", None) for i, document in enumerate(("a", "a", "b", None, None))
    ]
    outputs = {name: [f"{name} says {i} things" for i in range(5)] for name in ("A", "B")}
    new_campaign(db, make(LanguagePair.parse("fr-en"), segments, outputs), **{"screen.context": 2})
    found = {view.source: (view.before, view.after) for view in judge_screens(db, new_judge(db), 5)}
    assert found == {
        "Source 0.": ((), ("Source 1.",)),
        "Source 1.": (("Source 0.",), ()),
        "Source 2.": ((), ()),
        "Source 3.": ((), ()),  # whether it goes on there is not known
        "Source 4.": ((), ()),
    }
