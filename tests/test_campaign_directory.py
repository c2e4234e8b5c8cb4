"""People searched, sorted and paged through in the database, on both."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from stores import Clock, judge_screens, new_campaign, new_judge, sample_texts

from palmares.campaign import Role, schema
from palmares.campaign.database import Database
from palmares.campaign.directory import PAGE, SORTS, Asked, directory
from palmares.campaign.people import add_person, find_person, invite, join
from palmares.errors import InputError


@pytest.fixture
def campaign(db: Database, clock: Clock) -> int:
    made = new_campaign(db, sample_texts(8), sample_texts(8, langs="de-en"))
    add_person(db, "news", Role.ORGANISER, "Olga Ölander")
    for name, langs in (("Émile", ["fr-en"]), ("zoë 100%", ["de-en"]), ("Ben", []), ("anna_b", ["fr-en", "de-en"])):
        new_judge(db, name, langs=langs)
    return made


def names(db: Database, campaign: int, search: str = "", sort: str = "added", *, shown: bool = True) -> list[str]:
    found = directory(db, campaign, Asked(search, sort), names=shown)
    assert found.matching == len(found.entries)
    return [entry.presence.person.name for entry in found.entries]


SEARCHES: list[tuple[str, list[str]]] = [
    ("", ["Olga Ölander", "Émile", "zoë 100%", "Ben", "anna_b"]),
    ("BEN", ["Ben"]),
    ("émile", ["Émile"]),
    ("ÖLANDER olga", ["Olga Ölander"]),
    ("%", ["zoë 100%"]),
    ("_", ["anna_b"]),
    ("judge", ["Émile", "zoë 100%", "Ben", "anna_b"]),
    ("fr-en", ["Émile", "Ben", "anna_b"]),  # who is limited to none judges all of them
    ("fr-en de-en", ["Ben", "anna_b"]),
    ("'; drop table person; --", []),
    ("nobody", []),
]


def test_every_word_is_looked_for_in_name_pseudonym_role_and_languages(db: Database, campaign: int) -> None:
    for search, found in SEARCHES:
        assert names(db, campaign, search) == found, search


def test_a_pseudonym_finds_its_holder(db: Database, campaign: int) -> None:
    ben = find_person(db, "news", "Ben")
    assert names(db, campaign, ben.pseudonym.upper()) == ["Ben"]


def test_without_names_nobody_is_found_or_sorted_by_one(db: Database, campaign: int) -> None:
    """Else an observer could guess names letter by letter."""
    assert names(db, campaign, "Ben", shown=False) == []
    listed = directory(db, campaign, Asked(sort="name"), names=False).entries
    pseudonyms = [entry.presence.person.pseudonym for entry in listed]
    assert pseudonyms == sorted(pseudonyms)


def test_each_order_and_the_other_way_round(db: Database, campaign: int, clock: Clock) -> None:
    olga, emile = find_person(db, "news", "Olga Ölander"), find_person(db, "news", "Émile")
    ben, anna = find_person(db, "news", "Ben"), find_person(db, "news", "anna_b")
    join(db, invite(db, olga))
    for judge, count in ((anna, 2), (ben, 1), (emile, 3)):
        clock.forward(minutes=1)
        judge_screens(db, judge, count)
    assert names(db, campaign, sort="name")[:2] == ["anna_b", "Ben"]
    assert names(db, campaign, sort="done")[-3:] == ["Ben", "anna_b", "Émile"]
    assert names(db, campaign, sort="-done")[:3] == ["Émile", "anna_b", "Ben"]
    assert names(db, campaign, sort="seen") == ["Olga Ölander", "anna_b", "Ben", "Émile", "zoë 100%"]
    assert names(db, campaign, sort="-seen") == ["Émile", "Ben", "anna_b", "Olga Ölander", "zoë 100%"]
    assert names(db, campaign, sort="-role")[0] == "Olga Ölander"
    assert names(db, campaign, sort="-added") == names(db, campaign)[::-1]
    (first, *_) = directory(db, campaign, Asked(sort="-seen"), names=True).entries
    assert (first.done, first.seen) == (3, clock.now)
    with pytest.raises(InputError, match=f"sort: got 'x'; allowed: {', '.join(SORTS)}"):
        names(db, campaign, sort="x")


def test_pages_have_everyone_once(db: Database) -> None:
    campaign = new_campaign(db)
    with db.begin() as tx:
        rows = [
            {"campaign_id": campaign, "role": "judge", "name": f"same {n % 3}", "pseudonym": f"judge-{n}", "langs": []}
            for n in range(2 * PAGE + 7)
        ]
        for number, row in enumerate(rows):
            tx.execute(
                schema.person.insert().values(**{**row, "name": f"{row['name']}.{number}"}, created_at=db.clock())
            )
    for sort in SORTS:
        pages = [directory(db, campaign, Asked(sort=sort, page=page), names=True) for page in (1, 2, 3)]
        assert [len(page.entries) for page in pages] == [PAGE, PAGE, 7]
        assert len({entry.presence.person.id for page in pages for entry in page.entries}) == 2 * PAGE + 7
        assert {(page.everyone, page.matching, page.pages) for page in pages} == {(107, 107, 3)}
    assert directory(db, campaign, Asked(page=99), names=True).page == 3
    assert directory(db, campaign, Asked("judge-7", page=2), names=True).page == 1
    with db.read() as tx:
        assert tx.execute(sa.select(sa.func.count()).select_from(schema.person)).scalar_one() == 2 * PAGE + 7
