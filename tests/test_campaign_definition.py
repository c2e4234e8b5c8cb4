"""A campaign as it is defined: whole or not at all, balanced over hundreds of screens, blind to the judge."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from scipy.stats import chisquare
from stores import SYSTEMS, Clock, answer, judge_screens, new_campaign, new_judge, next_view, sample_texts

from palmares.campaign import schema
from palmares.campaign.answers import Answer, submit
from palmares.campaign.create import add_pairs, create_campaign, shown_as_another
from palmares.campaign.database import Database
from palmares.campaign.definition import (
    campaigns,
    change_settings,
    change_state,
    find_campaign,
    language_pairs,
    revisions,
    settings_of,
)
from palmares.campaign.people import Role, add_person
from palmares.campaign.screens import ScreenView, load
from palmares.campaign.settings import Settings
from palmares.campaign.stopping import answered_screens, comparisons, has_stopped, screens_left
from palmares.campaign.work import next_screen
from palmares.errors import InputError
from palmares.server.markup import to_html
from palmares.texts import LanguagePair, Segment
from palmares.texts.testset import make


def rows(db: Database, *columns: Any, where: Any = True) -> list[tuple[Any, ...]]:
    with db.read() as tx:
        return [tuple(row) for row in tx.execute(sa.select(*columns).where(where))]


def shown_systems(db: Database) -> list[tuple[int, str, tuple[str, ...]]]:
    """Every screen with its segment and the systems on it."""
    screen, shown, link, system = schema.screen.c, schema.screen_output.c, schema.output_system.c, schema.system.c
    query = (
        sa.select(screen.id, screen.segment_id, system.name)
        .join(schema.screen_output, shown.screen_id == screen.id)
        .join(schema.output_system, link.output_id == shown.output_id)
        .join(schema.system, link.system_id == system.id)
        .order_by(screen.id, system.name)
    )
    found: dict[tuple[int, str], list[str]] = {}
    with db.read() as tx:
        for screen_id, segment, name in tx.execute(query):
            found.setdefault((screen_id, segment), []).append(name)
    return [(screen_id, segment, tuple(names)) for (screen_id, segment), names in found.items()]


# -- creation ------------------------------------------------------------------------------------------


def test_a_campaign_is_stored_as_it_was_given(db: Database, clock: Clock) -> None:
    new_campaign(db, sample_texts(4, langs="fr-en"), sample_texts(2, systems=("X", "Y"), langs="en-ja"))
    (info,) = campaigns(db)
    assert (info.name, info.state, info.created_at) == ("news", "open", clock.now)
    with db.read() as tx:
        assert [(p.name, p.source, p.target) for p in language_pairs(tx, info.id)] == [
            ("fr-en", "fr", "en"),
            ("en-ja", "en", "ja"),
        ]
    segments = rows(db, schema.segment.c.name, schema.segment.c.document, schema.segment.c.outputs)
    assert segments[:4] == [(f"seg{i}", "doc0", 6) for i in range(4)]
    assert Counter(kind for (kind,) in rows(db, schema.output.c.kind)) == {"system": 4 * 6 + 2 * 2}


def test_numbers_of_outputs_say_nothing_about_systems(db: Database) -> None:
    new_campaign(db, sample_texts(60))
    link, system = schema.output_system.c, schema.system.c
    order = rows(db, link.output_id, system.name, where=link.system_id == system.id)
    halves = Counter(name for _, name in sorted(order)[: len(order) // 2])
    assert chisquare([halves[name] for name in SYSTEMS]).pvalue > 1e-6


def test_outputs_that_are_the_same_are_one_and_missing_ones_none(db: Database) -> None:
    segments = [Segment(f"s{i}", None, "Source.", None) for i in range(3)]
    outputs = {"A": ["one", "one", ""], "B": ["one", "two", "two"], "C": ["three", "two", "two"]}
    texts = make(LanguagePair.parse("fr-en"), segments, outputs, missing=[("A", 2)])
    new_campaign(db, texts, **{"judge.per_segment": 9})
    assert rows(db, schema.segment.c.outputs) == [(2,), (2,), (1,)]
    views = judge_screens(db, new_judge(db), 6)
    assert Counter(frozenset(o.text for o in view.options) for view in views) == {
        frozenset({"one", "three"}): 3,
        frozenset({"one", "two"}): 3,
    }
    with db.read() as tx:
        assert list(comparisons(tx, 1).values()) == [6, 6, 6]  # who shares an output is tied with it


@pytest.mark.parametrize("name", ["", "News", "-x", "a b", "x" * 64, "a/b", "é"])
def test_a_name_that_is_no_address_is_refused(name: str, tmp_path: Any) -> None:
    with pytest.raises(InputError, match=r"campaign name: got .*; allowed: up to 63 of a-z, 0-9 and '-'"):
        create_campaign(None, name, Settings(), [])  # type: ignore[arg-type]


def test_what_cannot_be_compared_is_refused_and_nothing_is_left(db: Database) -> None:
    one = sample_texts(systems=("A",))
    same = make(LanguagePair.parse("fr-en"), [Segment("1", None, "S.", None)], {"A": ["x"], "B": ["x"]})
    silent = replace(same, outputs={"A": ("x",), "B": ("",)}, missing=frozenset({("B", 0)}))
    bare = sample_texts(references=False)
    reference = Settings().replace(**{"controls.reference": 0.1, "screen.reference": False})
    cases = [
        ([], Settings(), "got no texts; a campaign needs at least one language pair"),
        ([one], Settings(), "fr-en: got 1 system; a comparison needs at least 2"),
        ([same], Settings(), "fr-en: all systems give the same output on every line; there is nothing to compare"),
        ([silent], Settings(), "there is nothing to compare"),
        ([sample_texts(), sample_texts()], Settings(), "language pair fr-en is in the campaign already"),
        ([bare], reference, r"fr-en: controls\.reference: got 0\.1, but no segment has a reference"),
    ]
    for texts, settings, message in cases:
        with pytest.raises(InputError, match=message):
            create_campaign(db, "news", settings, texts)
    assert campaigns(db) == []
    create_campaign(db, "news", Settings(), [bare])
    with pytest.raises(InputError, match=r"campaign 'news' is in .* already; choose another name, or add language"):
        create_campaign(db, "news", Settings(), [bare])
    with pytest.raises(InputError, match="language pair fr-en is in the campaign already"):
        add_pairs(db, "news", [bare])
    with pytest.raises(InputError, match="but no segment has a reference; give references, or set it to 0"):
        change_settings(db, "news", reference)


def test_a_campaign_is_found_by_name_or_as_the_only_one(db: Database) -> None:
    with db.read() as tx, pytest.raises(InputError, match="there is no campaign yet"):
        find_campaign(tx, None)
    new_campaign(db)
    with db.read() as tx:
        assert find_campaign(tx, None).name == "news"
    new_campaign(db, name="talks")
    with db.read() as tx:
        assert find_campaign(tx, "talks").name == "talks"
        with pytest.raises(InputError, match="there are several campaigns, say which: news, talks"):
            find_campaign(tx, None)
        with pytest.raises(InputError, match="campaign: got 'new'; there are: news, talks"):
            find_campaign(tx, "new")


def test_settings_of_the_past_stay_on_record(db: Database) -> None:
    new_campaign(db)
    assert change_settings(db, "news", Settings().replace(**{"screen.outputs": 3})) == 2
    assert change_settings(db, "news", Settings()) == 3
    bodies = [Settings.from_toml(body).screen.outputs for (body,) in rows(db, schema.setting.c.body)]
    assert bodies == [5, 3, 5]
    with db.read() as tx:
        assert settings_of(tx, 1) == Settings()
    with pytest.raises(InputError, match="state: got 'ajar'; allowed: open, paused, closed"):
        change_state(db, "news", "ajar")


def test_the_history_of_settings_says_who_changed_what(db: Database, clock: Clock) -> None:
    id, began = new_campaign(db), clock()
    new_campaign(db, name="other")
    olga = add_person(db, "news", Role.ORGANISER, "Olga")
    first = settings_of_campaign(db, id)
    for outputs, by in ((3, None), (4, olga.id)):
        clock.forward(hours=1)
        change_settings(db, "news", first.replace(**{"screen.outputs": outputs}), by=by)
    assert [(r.number, r.at, r.by, r.changes) for r in revisions(db, id)] == [
        (3, began + timedelta(hours=2), olga.id, ("screen.outputs: 3 → 4",)),
        (2, began + timedelta(hours=1), None, ("screen.outputs: 5 → 3",)),
        (1, began, None, ()),
    ]


def settings_of_campaign(db: Database, campaign_id: int) -> Settings:
    with db.read() as tx:
        return settings_of(tx, campaign_id)


# -- balance -------------------------------------------------------------------------------------------


def test_hundreds_of_screens_by_several_judges_are_balanced(db: Database) -> None:
    new_campaign(db, sample_texts(30), **{"hit.screens": 10, "judge.per_segment": 2, "screen.outputs": 3})
    judges = [new_judge(db, f"j{i}") for i in range(4)]
    for _ in range(6):
        for judge in judges:
            judge_screens(db, judge, 10)
    screens = shown_systems(db)
    assert len(screens) == 240
    systems = Counter(name for _, _, names in screens for name in names)
    assert set(systems.values()) == {120}  # 240 screens of 3, 6 systems
    segments = Counter(segment for _, segment, _ in screens)
    assert max(segments.values()) - min(segments.values()) <= 1
    pairs = Counter((a, b) for _, _, names in screens for i, a in enumerate(names) for b in names[i + 1 :])
    assert len(pairs) == 15
    assert all(abs(count - 48) <= 2 for count in pairs.values())
    counted = [designed for (designed,) in rows(db, schema.system_pair.c.designed)]
    assert sorted(counted) == sorted(pairs.values())


def test_the_choice_of_every_screen_is_on_record(db: Database) -> None:
    new_campaign(db, sample_texts(30), **{"choice.uniform_share": 0.5, "hit.screens": 5})
    judge_screens(db, new_judge(db), 30, rng=Random(2))
    found = rows(db, schema.screen.c.strategy, schema.screen.c.probability)
    assert {strategy for strategy, _ in found} == {"balanced", "uniform"}
    assert all(0 < probability <= 1 for _, probability in found)
    # The first of all is one of 30 segments and one of 6 sets of 5 outputs, whoever chooses.
    assert found[0][1] == pytest.approx(1 / 30 / 6)


# -- blindness -----------------------------------------------------------------------------------------


def test_every_system_stands_at_every_place_equally_often(db: Database) -> None:
    new_campaign(db, sample_texts(100), **{"hit.screens": 50, "screen.outputs": 6})
    ann = new_judge(db)
    next_screen(db, ann)
    views = [load(db, ann, public_id) for (public_id,) in rows(db, schema.served.c.public_id)]
    words = ("one", "two", "three", "four", "five", "six")
    seen = Counter((words.index(o.text.split()[3]), o.place) for view in views for o in view.options)
    for system in range(6):
        assert chisquare([seen[system, place] for place in range(1, 7)]).pvalue > 1e-6


def test_a_view_holds_no_trace_of_a_system(db: Database) -> None:
    texts = sample_texts(6, systems=("secret-alpha", "secret-beta", "secret-gamma"))
    new_campaign(db, texts, **{"controls.degraded": 0.5, "controls.repeats": 0.0})
    ann = new_judge(db)
    for view in judge_screens(db, ann, 6):
        said = repr(replace(load(db, ann, view.id), settings=Settings()))  # which are the campaign's, not the screen's
        said = said.replace(repr(Settings()), "")
        assert not any(word in said for word in ("secret", "degraded", "control", "balanced", "probability", "output_"))
        assert len(view.id) >= 22  # 128 bits in base 64


def test_a_view_shows_context_of_the_same_document(db: Database) -> None:
    new_campaign(db, sample_texts(8), **{"screen.context": 2, "hit.screens": 8})
    ann = new_judge(db)
    next_screen(db, ann)
    views: dict[str, ScreenView] = {}
    for (public_id,) in rows(db, schema.served.c.public_id):
        view = load(db, ann, public_id)
        views[view.source] = view
    text = "Phrase numéro {} du texte.".format
    assert views[text(1)].before == (text(0),)
    assert views[text(1)].after == (text(2), text(3))
    assert views[text(3)].after == ()  # the next document begins
    assert views[text(4)].before == ()
    assert views[text(1)].reference == "Reference 1."
    order = sorted(views.values(), key=lambda view: view.number)
    assert [view.number for view in order] == list(range(1, 9))
    assert [view.previous for view in order] == [None, *(view.id for view in order[:-1])]
    assert order[0].following == tuple(view.id for view in order[1:])


def test_settings_decide_what_is_shown(db: Database) -> None:
    new_campaign(db, **{"screen.context": 0, "screen.reference": False, "screen.outputs": 2})
    view = next_view(db, new_judge(db))
    assert view is not None
    assert (view.before, view.after, view.reference, len(view.options)) == ((), (), None, 2)


# -- when it is enough ---------------------------------------------------------------------------------


def test_no_more_screens_are_given_out_than_are_wanted(db: Database, clock: Clock) -> None:
    new_campaign(
        db, sample_texts(30), sample_texts(30, langs="de-en"), **{"stop.screens": 7, "hit.lease_minutes": 60.0}
    )
    judges = [new_judge(db, f"j{i}", langs=["fr-en"]) for i in range(4)]
    views = [next_view(db, judge) for judge in judges]
    assert [None if view is None else view.of for view in views] == [3, 3, 1, None]
    clock.forward(minutes=61)  # nobody did anything: all of it is free again
    assert next_view(db, judges[3]) is not None
    judge_screens(db, judges[3], 7)
    assert [next_screen(db, judge) for judge in judges] == [None] * 4
    with db.read() as tx:
        assert answered_screens(tx, 1) == 7
        assert has_stopped(tx, 1, settings_of(tx, 1).stop)
        assert not has_stopped(tx, 2, settings_of(tx, 1).stop)
    assert next_view(db, new_judge(db, "all")) is not None  # there is German left


def test_work_stops_when_every_two_systems_were_compared_often_enough(db: Database) -> None:
    new_campaign(db, sample_texts(60), **{"stop.per_pair": 3, "screen.outputs": 3, "hit.screens": 1})
    ann, rng = new_judge(db), Random(1)
    done = 0
    while (view := next_view(db, ann, rng=rng)) is not None:
        with db.read() as tx:
            assert not has_stopped(tx, 1, settings_of(tx, 1).stop)
        answer(db, ann, view)
        done += 1
    with db.read() as tx:
        assert min(comparisons(tx, 1).values()) == 3
        assert has_stopped(tx, 1, settings_of(tx, 1).stop)
    assert 15 <= done <= 22  # 15 pairs, 3 of them a screen; balance keeps it near the least possible


def test_a_rule_that_changes_or_an_answer_taken_back_gives_work_again(db: Database) -> None:
    new_campaign(db, sample_texts(20), **{"stop.per_pair": 1, "screen.outputs": 6, "hit.screens": 1})
    ann = new_judge(db)
    (view,) = judge_screens(db, ann, 1)
    assert next_screen(db, ann) is None
    with db.begin() as tx:
        stop = settings_of(tx, 1).stop
        assert screens_left(tx, 1, stop, db.clock(), 60.0) == 0
        assert screens_left(tx, 1, stop.model_copy(update={"per_pair": 2}), db.clock(), 60.0) is None
        assert screens_left(tx, 1, stop.model_copy(update={"per_pair": 2, "screens": 9}), db.clock(), 60.0) == 8
    answer(db, ann, load(db, ann, view.id), [1, 1, 1, 1, 1, 1])  # a change, but still an answer
    assert next_screen(db, ann) is None
    submit(db, ann, view.id, Answer(skip="other"), submission="back", revision=2)
    assert next_screen(db, ann) is not None


def test_repeats_practice_and_skips_are_not_counted_as_answers(db: Database) -> None:
    settings = {"controls.repeats": 0.4, "controls.repeat_after": 1, "judge.practice": True}
    new_campaign(db, sample_texts(30), **settings)
    judge_screens(db, new_judge(db), 21)
    with db.read() as tx:
        fresh = tx.execute(
            sa.select(sa.func.count())
            .select_from(schema.judgment.join(schema.served))
            .where(schema.served.c.repeat_of.is_(None), schema.served.c.lease_id.is_not(None))
        ).scalar_one()
        assert 10 <= fresh < 20
        assert answered_screens(tx, 1) == fresh == tx.execute(sa.select(sa.func.sum(schema.hit.c.answers))).scalar_one()


# -- white space -----------------------------------------------------------------------------------------


SPACED = {"A": "one  two", "B": "one two", "C": "one two ", "D": "one\ntwo", "E": "one three"}


@pytest.mark.parametrize(
    ("settings", "groups"),
    [
        ({}, ["ABCD", "E"]),
        ({"screen.spacing": True}, ["A", "B", "C", "D", "E"]),
        # In Markdown a line break or a run of spaces may mean something; at the end of a line it does not.
        ({"task.markup": "markdown"}, ["A", "BC", "D", "E"]),
    ],
)
def test_outputs_that_look_the_same_are_one(db: Database, settings: dict[str, Any], groups: list[str]) -> None:
    texts = make(LanguagePair.parse("fr-en"), [Segment("1", None, "un", None)], {n: [t] for n, t in SPACED.items()})
    new_campaign(db, texts, **settings)
    system, output, link = schema.system.c, schema.output.c, schema.output_system.c
    with db.read() as tx:
        query = sa.select(output.id, system.name).join(schema.output_system, link.output_id == output.id)
        rows = tx.execute(query.join(schema.system, system.id == link.system_id).order_by(system.name)).all()
        assert tx.execute(sa.select(schema.segment.c.outputs)).scalar_one() == len(groups)
    behind: dict[int, str] = {}
    for output_id, name in rows:
        behind[output_id] = behind.get(output_id, "") + name
    assert sorted(behind.values()) == groups
    assert shown_as_another(texts, Settings().replace(**settings)) == len(SPACED) - len(groups)


def test_white_space_of_markdown_that_changes_the_page_makes_another_output() -> None:
    said = {"A": "one\ntwo", "B": "one  \ntwo", "C": "\none \ntwo\n", "D": "    x = 1", "E": "x = 1"}
    texts = make(LanguagePair.parse("fr-en"), [Segment("1", None, "un", None)], {n: [t] for n, t in said.items()})
    shown = [str(to_html(text)) for text in said.values()]
    assert len(set(shown)) == 4  # A and C look the same; B has a line break, D is code
    assert shown_as_another(texts, Settings().replace(**{"task.markup": "markdown"})) == 1
