"""Lists of people: read, checked and invited, all of them or none."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from stores import new_campaign, new_judge, sample_texts

from palmares.campaign import Role, schema
from palmares.campaign.database import Database
from palmares.campaign.invitations import MOST, Checked, Guest, check, invite_all, read_csv, read_lines, written
from palmares.campaign.people import add_person, find_person, redeem
from palmares.errors import InputError


def count(db: Database, table: sa.Table) -> int:
    with db.read() as tx:
        return int(tx.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


# -- reading -------------------------------------------------------------------------------------------


def test_names_and_languages_of_a_list() -> None:
    text = "Ada\n  Ben , fr-en, de-en fr-en\n\nDoe, Jane\tde-en\nZoë;fr-en\n"
    assert read_lines(text) == [
        Guest(1, "Ada"),
        Guest(2, "Ben", ("fr-en", "de-en")),
        Guest(4, "Doe, Jane", ("de-en",)),  # a tab parts, so the comma is in the name
        Guest(5, "Zoë", ("fr-en",)),
    ]


@given(st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1), min_size=1))
def test_a_list_comes_back_whatever_signs_are_in_the_names(names: list[str]) -> None:
    guests = [Guest(n, name.strip() or "x", ("fr-en",)) for n, name in enumerate(names, 1)]
    assert read_lines(written(guests)) == guests


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_rows_of_a_file(delimiter: str) -> None:
    text = f'Langs{delimiter}NAME\r\nfr-en de-en{delimiter}"Doe, Jane; x"\r\n\r\n{delimiter}Zoë\r\n'
    assert read_csv(text.encode("utf-8-sig")) == [Guest(2, "Doe, Jane; x", ("fr-en", "de-en")), Guest(4, "Zoë")]


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_an_empty_list_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="the list is empty"):
        read_lines(text)


def test_a_list_without_end_is_refused() -> None:
    assert len(read_lines("x\n" * MOST)) == MOST
    with pytest.raises(InputError, match=f"got {MOST + 1} names; allowed: up to {MOST}"):
        read_lines("x\n" * (MOST + 1))


# -- checking and inviting -------------------------------------------------------------------------------


def test_everyone_is_added_and_invited_in_one_go(db: Database) -> None:
    new_campaign(db, sample_texts(), sample_texts(langs="de-en"))
    new_judge(db, "ann")
    checked = check(db, "news", read_lines("Ben, de-en\nann\nZoë"))
    assert [(row.known and row.known.name, row.problems) for row in checked] == [(None, ()), ("ann", ()), (None, ())]
    invited = invite_all(db, "news", checked)
    assert [redeem(db, each.token) for each in invited] == [find_person(db, "news", n) for n in ("Ben", "ann", "Zoë")]
    assert find_person(db, "news", "Ben").langs == ("de-en",)
    assert find_person(db, "news", "Zoë").role is Role.JUDGE


def test_if_one_is_refused_nobody_is_added(db: Database) -> None:
    new_campaign(db)
    checked = check(db, "news", read_lines("Ben\nZoë\nYves"))
    add_person(db, "news", Role.OBSERVER, "Yves")  # meanwhile
    before = [count(db, table) for table in (schema.person, schema.invite, schema.event)]
    with pytest.raises(InputError, match="'Yves' is in campaign 'news' already"):
        invite_all(db, "news", checked)
    assert [count(db, table) for table in (schema.person, schema.invite, schema.event)] == before


def test_formulas_are_marked_or_refused(db: Database) -> None:
    new_campaign(db)
    guests = read_lines("=1+1\nBen")
    escaped, kept, refused = (check(db, "news", guests, formulas=policy) for policy in ("escape", "keep", "refuse"))
    assert escaped[0].remarks == ("in the file, an apostrophe stands before the name",)
    assert kept[0] == Checked(guests[0])
    assert "a spreadsheet would run" in refused[0].problems[0]
    assert escaped[1] == kept[1] == refused[1] == Checked(guests[1])
