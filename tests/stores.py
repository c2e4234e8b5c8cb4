"""Campaigns for tests, in both databases: SQLite in a temporary folder and a real PostgreSQL.

``pytest_plugins`` of `conftest` brings the fixtures: ``db`` runs a test once on each. A test marked ``any_database`` is
about pages, requests or commands, which are the same on any database: its run on PostgreSQL is left to ``make
test-all``.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from postgres import shared_cluster

from palmares.campaign import Role
from palmares.campaign.answers import Answer, Receipt, submit
from palmares.campaign.create import create_campaign
from palmares.campaign.database import Database
from palmares.campaign.people import Person, add_person, consent, find_person
from palmares.campaign.screens import ScreenView, load
from palmares.campaign.settings import Settings
from palmares.campaign.work import next_screen
from palmares.texts import LanguagePair, Segment, TestSet
from palmares.texts.testset import make

SYSTEMS = ("A", "B", "C", "D", "E", "F")
#: Nothing left to chance: no practice, no controls, no overlap, no uniform share.
PLAIN: dict[str, Any] = {
    "results.live": False,
    "judge.practice": False,
    "overlap.share": 0.0,
    "controls.repeats": 0.0,
    "controls.degraded": 0.0,
    "choice.uniform_share": 0.0,
}


@dataclass
class Clock:
    """A clock that stands until a test moves it."""

    now: datetime = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **by: float) -> None:
        self.now += timedelta(**by)


# -- databases -----------------------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what ``-m`` leaves out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        if parameters.get("database_url") == "postgresql" and item.get_closest_marker("any_database"):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where an empty database with the tables in it is."""
    if request.param == "sqlite":
        shutil.copy2(_file_with_tables(), tmp_path / "campaign.db")
        yield f"sqlite:///{tmp_path}/campaign.db"
        return
    cluster = shared_cluster()
    url = cluster.create(template=_database_with_tables())
    yield url
    cluster.drop(url)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def db(database_url: str, clock: Clock) -> Iterator[Database]:
    """An empty store on either database, with a clock that stands."""
    database = Database.open(database_url, clock=clock)
    yield database
    database.close()


# Making the tables takes longer than copying them.


@cache
def _file_with_tables() -> Path:
    """An SQLite database to copy."""
    folder = tempfile.TemporaryDirectory(prefix="palmares-sqlite-")
    atexit.register(folder.cleanup)
    path = Path(folder.name) / "campaign.db"
    Database.open(f"sqlite:///{path}", create=True).close()
    return path


@cache
def _database_with_tables() -> str:
    """The name of a PostgreSQL database to copy."""
    url = shared_cluster().create()
    Database.open(url, create=True).close()
    return url.rpartition("?")[0].rpartition("/")[2]


# -- campaigns -----------------------------------------------------------------------------------------


def sample_texts(
    segments: int = 12, systems: Sequence[str] = SYSTEMS, langs: str = "fr-en", *, references: bool = True
) -> TestSet:
    """Texts in which every output tells its segment, and no two are the same."""
    made = [
        Segment(f"seg{i}", f"doc{i // 4}", f"Phrase numéro {i} du texte.", f"Reference {i}." if references else None)
        for i in range(segments)
    ]
    words = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    outputs = {s: [f"Sentence {i} says {words[k]} things here now." for i in range(segments)]
               for k, s in enumerate(systems)}  # fmt: skip
    return make(LanguagePair.parse(langs), made, outputs)


def new_campaign(db: Database, *testsets: TestSet, name: str = "news", **settings: Any) -> int:
    """A campaign with `PLAIN` settings, but for those given as ``{"screen.outputs": 3}``."""
    return create_campaign(db, name, Settings().replace(**{**PLAIN, **settings}), testsets or (sample_texts(),))


def new_judge(db: Database, name: str = "ann", *, campaign: str = "news", langs: Sequence[str] = ()) -> Person:
    """A judge who has agreed to take part."""
    person = add_person(db, campaign, Role.JUDGE, name, langs=langs)
    consent(db, person)
    return find_person(db, campaign, name)


def next_view(db: Database, judge: Person, **options: Any) -> ScreenView | None:
    """What this judge is to see now."""
    public_id = next_screen(db, judge, **options)
    return None if public_id is None else load(db, judge, public_id)


def answer(db: Database, judge: Person, view: ScreenView, ranks: Sequence[int] | None = None) -> Receipt:
    """Answer a screen: 1, 2, 3 … from the top unless said otherwise."""
    given = tuple(ranks) if ranks is not None else tuple(range(1, len(view.options) + 1))
    return submit(db, judge, view.id, Answer(given), submission=f"{view.id}-{view.revision}", revision=view.revision)


def judge_screens(db: Database, judge: Person, count: int, **options: Any) -> list[ScreenView]:
    """Let a judge answer so many screens, from top to bottom; ``rng=`` makes what they get repeatable."""
    done: list[ScreenView] = []
    for _ in range(count):
        view = next_view(db, judge, **options)
        assert view is not None, f"no work left after {len(done)} screens"
        answer(db, judge, view)
        done.append(view)
    return done
