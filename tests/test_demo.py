"""The demonstration campaign: its texts, what the simulated judges leave in the store, and what a visitor finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, groupby
from pathlib import Path
from random import Random
from unicodedata import is_normalized

import pytest
import sqlalchemy as sa

from palmares.campaign import Role, schema
from palmares.campaign.answers import Answer, submit
from palmares.campaign.database import Database
from palmares.campaign.demo import SETTINGS, Demo, demo_texts, make_demo
from palmares.campaign.demo.judges import DAMAGE, HITS, JUDGES, QUALITY, qualities
from palmares.campaign.people import consent, people, redeem
from palmares.campaign.screens import ScreenView, load
from palmares.campaign.work import next_screen
from palmares.errors import InputError
from palmares.texts import TestSet, check
from palmares.texts.languages import direction

TEXTS = {str(texts.langs): texts for texts in demo_texts()}
PAIRS = ["fr-en", "en-ar", "en-hi", "en-zh"]

# -- texts ---------------------------------------------------------------------------------------------


@pytest.fixture(params=PAIRS)
def texts(request: pytest.FixtureRequest) -> TestSet:
    return TEXTS[request.param]


def test_the_pair_for_most_visitors_comes_first() -> None:
    assert list(TEXTS) == PAIRS


def test_texts_have_the_stated_numbers(texts: TestSet) -> None:
    documents = [(name, len(list(group))) for name, group in groupby(s.document for s in texts.segments)]
    segments, systems = ([4, 4, 4], 6) if str(texts.langs) == "fr-en" else ([3, 3], 5)
    assert [count for _, count in documents] == segments
    assert len({name for name, _ in documents}) == len(documents)  # the sentences of a document stand together
    assert len(texts.systems) == systems


def test_texts_are_whole(texts: TestSet) -> None:
    assert not texts.missing
    written = [text for s in texts.segments for text in (s.source, s.reference)]
    for text in (*written, *(text for outputs in texts.outputs.values() for text in outputs)):
        assert text
        assert text == " ".join(text.split(" ")).strip()
        assert is_normalized("NFC", text)


def test_texts_pass_the_checks_and_some_outputs_are_shared(texts: TestSet) -> None:
    findings = check(texts).findings
    assert [(finding.check, finding.severity) for finding in findings] == [("identical", "note")]


def test_one_pair_runs_from_right_to_left() -> None:
    assert [pair for pair in PAIRS if direction(TEXTS[pair].langs.target) == "rtl"] == ["en-ar"]


def test_every_segment_has_outputs_to_compare(texts: TestSet) -> None:
    different = [len(set(row)) for row in zip(*texts.outputs.values(), strict=True)]
    assert min(different) >= 4
    assert max(different) == len(texts.systems)


def test_every_system_has_a_quality(texts: TestSet) -> None:
    assert sorted(QUALITY[str(texts.langs)]) == list(texts.systems)


# -- the store -----------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Callable[[str], Database]]:
    """Open new databases by name, and close them in the end."""
    opened: list[Database] = []

    def make(name: str) -> Database:
        opened.append(Database.open(f"sqlite:///{tmp_path}/{name}.db", create=True))
        return opened[-1]

    yield make
    for db in opened:
        db.close()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Demo]]:
    """One demonstration for the tests that only look."""
    db = Database.open(f"sqlite:///{tmp_path_factory.mktemp('demo')}/x.db", create=True)
    yield db, make_demo(db, rng=Random(0))
    db.close()


def answers(db: Database) -> list[sa.Row]:
    """Every answer, in the order of storing, with whom, where and what it is about."""
    judgment, served, screen, segment = schema.judgment, schema.served, schema.screen, schema.segment
    query = (
        sa.select(
            judgment.c.ranks, judgment.c.skip, judgment.c.revision, judgment.c.seconds, judgment.c.created_at,
            judgment.c.late, served.c.places, served.c.public_id, screen.c.purpose,
            schema.person.c.name.label("judge"), segment.c.name.label("segment"),
            schema.language_pair.c.name.label("langs"),
        )
        .join(served, judgment.c.served_id == served.c.id)
        .join(screen, served.c.screen_id == screen.c.id)
        .join(segment, screen.c.segment_id == segment.c.id)
        .join(schema.language_pair, segment.c.language_pair_id == schema.language_pair.c.id)
        .join(schema.person, served.c.person_id == schema.person.c.id)
        .order_by(judgment.c.id)
    )  # fmt: skip
    with db.read() as tx:
        return list(tx.execute(query))


def output_texts(db: Database) -> dict[int, str]:
    with db.read() as tx:
        return dict(tx.execute(sa.select(schema.output.c.id, schema.output.c.text)).all())


def systems_behind(db: Database) -> dict[int, set[str]]:
    link, found = schema.output_system.c, dict[int, set[str]]()
    query = sa.select(link.output_id, schema.system.c.name).join(schema.system, link.system_id == schema.system.c.id)
    with db.read() as tx:
        for output_id, name in tx.execute(query):
            found.setdefault(output_id, set()).add(name)
    return found


def test_every_pair_has_judgments_by_several_judges(made: tuple[Database, Demo]) -> None:
    stored = [row for row in answers(made[0]) if row.purpose == "judge" and row.ranks]
    judges = {pair: {row.judge for row in stored if row.langs == pair} for pair in PAIRS}
    assert judges["fr-en"] == {judge.name for judge in JUDGES}
    assert all(len(found) >= 3 for found in judges.values())


def test_outputs_belong_to_the_systems_of_the_texts(made: tuple[Database, Demo]) -> None:
    texts, systems = output_texts(made[0]), systems_behind(made[0])
    with made[0].read() as tx:
        query = sa.select(schema.output.c.id, schema.segment.c.name).join(schema.segment)
        place = dict(tx.execute(query).all())
    stored = {(place[key], texts[key]): names for key, names in systems.items()}
    expected: dict[tuple[str, str], set[str]] = {}
    for testset in TEXTS.values():
        for name, outputs in testset.outputs.items():
            for segment, text in zip(testset.segments, outputs, strict=True):
                expected.setdefault((segment.id, text), set()).add(name)
    assert stored == expected


def test_simulated_judges_agreed_practised_and_did_their_hits(made: tuple[Database, Demo]) -> None:
    db, _ = made
    simulated = {judge.name for judge in JUDGES}
    for person in people(db, 1):
        assert (person.consented, person.practised) == (person.name in simulated,) * 2
    practice = Counter(row.judge for row in answers(db) if row.purpose == "practice")
    assert practice == dict.fromkeys(simulated, 1)
    with db.read() as tx:
        finished = tx.scalars(sa.select(schema.lease.c.finished_at)).all()
    assert len(finished) == HITS * len(JUDGES)
    assert None not in finished


def test_judges_keep_to_their_languages(made: tuple[Database, Demo]) -> None:
    allowed = {judge.name: judge.langs for judge in JUDGES}
    assert all(row.langs in allowed[row.judge] for row in answers(made[0]))


def test_there_are_ties_skips_a_change_of_mind_and_controls(made: tuple[Database, Demo]) -> None:
    stored = answers(made[0])
    assert any(len(set(row.ranks)) < len(row.ranks) for row in stored if row.ranks)
    assert Counter(row.judge for row in stored if row.skip) == {judge.name: 1 for judge in JUDGES}
    assert [(row.judge, row.revision) for row in stored if row.revision > 1] == [(JUDGES[0].name, 2)]
    with made[0].read() as tx:
        degraded = sa.select(sa.func.count()).where(schema.screen.c.control == "degraded")
        repeats = sa.select(sa.func.count()).where(schema.served.c.repeat_of.is_not(None))
        shared = sa.select(schema.hit.c.id).where(schema.hit.c.wanted == 2)
        # One screen in twenty each, of a hundred: none at all has a chance below one in a hundred.
        assert tx.execute(degraded).scalar_one() > 0
        assert tx.execute(repeats).scalar_one() > 0
        assert tx.execute(shared).first() is not None


def test_the_change_of_mind_moves_one_output_by_one_rank(made: tuple[Database, Demo]) -> None:
    stored = answers(made[0])
    (after,) = [row for row in stored if row.revision == 2]
    (before,) = [row for row in stored if row.public_id == after.public_id and row.revision == 1]
    assert [abs(a - b) for a, b in zip(after.ranks, before.ranks, strict=True)] == [1, *[0] * (len(after.ranks) - 1)]


def test_everything_happened_in_order_and_in_the_past(made: tuple[Database, Demo]) -> None:
    db, _ = made
    with db.read() as tx:
        events = list(tx.scalars(sa.select(schema.event.c.created_at).order_by(schema.event.c.id)))
    moments = [row.created_at for row in answers(db)]
    assert moments == sorted(moments)
    assert events == sorted(events)
    assert max(moments) < db.clock()
    assert not any(row.late for row in answers(db))


@pytest.mark.parametrize("pair", PAIRS)
def test_better_systems_win_more_often(made: tuple[Database, Demo], pair: str) -> None:
    wins, behind = Counter[tuple[str, str]](), systems_behind(made[0])
    for row in answers(made[0]):
        if row.ranks and row.langs == pair and row.purpose == "judge":
            for (a, first), (b, second) in combinations(zip(row.places, row.ranks, strict=True), 2):
                better, worse = (a, b) if first < second else (b, a)
                if first != second:
                    wins.update((x, y) for x in behind.get(better, ()) for y in behind.get(worse, ()))
    quality = QUALITY[pair]
    clear = [(x, y) for x in quality for y in quality if quality[x] - quality[y] >= 1]
    assert len(clear) >= 7
    for better, worse in clear:
        assert wins[better, worse] > wins[worse, better]


def test_a_damaged_output_seems_worse_than_its_original(made: tuple[Database, Demo]) -> None:
    output, shown, served = schema.output.c, schema.screen_output, schema.served
    query = sa.select(served.c.public_id, served.c.places, output.id, output.original_id)
    query = query.join(shown, shown.c.screen_id == served.c.screen_id)
    query = query.join(schema.output, output.id == shown.c.output_id).where(output.kind == "degraded")
    with made[0].read() as tx:
        found = tx.execute(query).all()
        assert found
        for screen_id, places, damaged, original in found:
            good = dict(zip(places, qualities(tx, screen_id), strict=True))
            assert good[damaged] == pytest.approx(good[original] - DAMAGE)


def story(db: Database) -> list[tuple[object, ...]]:
    """Everything that the judges saw and did, without what is drawn by the store in secret."""
    texts, stored = output_texts(db), answers(db)
    return [
        (row.judge, row.segment, [texts[key] for key in row.places], row.ranks, row.skip, row.revision, row.seconds)
        for row in stored
    ]


def test_the_same_seed_gives_the_same_demonstration(
    made: tuple[Database, Demo], store: Callable[[str], Database]
) -> None:
    again, other = store("again"), store("other")
    make_demo(again, rng=Random(0))
    make_demo(other, rng=Random(1))
    assert story(again) == story(made[0])
    assert story(other) != story(made[0])


# -- the visitor -----------------------------------------------------------------------------------------


def test_tokens_open_the_right_doors(made: tuple[Database, Demo]) -> None:
    db, demo = made
    tokens = (demo.judge, demo.polyglot, demo.organiser, demo.observer)
    found = [redeem(db, token) for token in tokens]
    assert [(p.campaign, p.role, p.name, p.langs) for p in found if p] == [
        ("demo", Role.JUDGE, "you", ("fr-en",)),
        ("demo", Role.JUDGE, "you, in all languages", ()),
        ("demo", Role.ORGANISER, "Olga", ()),
        ("demo", Role.OBSERVER, "Omar", ()),
    ]
    assert not any(token in repr(demo) for token in tokens)


def visit(db: Database, token: str) -> Iterator[ScreenView]:
    """The screens that a visitor meets who takes the outputs as they stand, up to the last."""
    stranger = redeem(db, token)
    assert stranger is not None
    consent(db, stranger)
    while (person := redeem(db, token)) and (screen_id := next_screen(db, person, rng=Random(0))) is not None:
        view = load(db, person, screen_id)
        ranks = tuple(range(1, len(view.options) + 1))
        submit(db, person, screen_id, Answer(ranks=ranks), submission="visitor")
        yield view


def test_a_visitor_finds_practice_and_enough_work(store: Callable[[str], Database]) -> None:
    db = store("visited")
    practice, *work = visit(db, make_demo(db, rng=Random(2)).judge)
    assert practice.practice
    assert not any(view.practice for view in work)
    assert {str(view.langs) for view in (practice, *work)} == {"fr-en"}
    assert {view.source for view in work} == {segment.source for segment in TEXTS["fr-en"].segments}
    assert len(work) >= SETTINGS.judge.screens
    assert all(view.before or view.after for view in work)
    assert max(len(view.options) for view in work) == 5


def test_a_visitor_of_all_languages_meets_every_pair(store: Callable[[str], Database]) -> None:
    db = store("visited")
    met = {str(view.langs) for view in visit(db, make_demo(db, rng=Random(3)).polyglot)}
    assert met == set(PAIRS)


def test_there_is_one_demonstration_in_a_database(store: Callable[[str], Database]) -> None:
    db = store("twice")
    make_demo(db)  # without a seed, too
    before = len(answers(db))
    with pytest.raises(InputError, match=r"campaign 'demo' is in .* already"):
        make_demo(db)
    assert len(answers(db)) == before
