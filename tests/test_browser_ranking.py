"""A judge at work in a browser, by mouse and by keyboard alone: from the link in a mail to a judgment in the store."""

from __future__ import annotations

import re

import pytest
import sqlalchemy as sa
from browsers import Judge, Visit, on_sqlite, stored
from playwright.sync_api import Page, expect
from stores import new_campaign, new_judge

from palmares.campaign import Role, schema
from palmares.campaign.database import Database
from palmares.campaign.people import add_person, invite

pytestmark = pytest.mark.any_database


@pytest.fixture
def ann(visit: Visit, db: Database) -> Judge:
    """A judge before the first screen of a campaign without practice."""
    new_campaign(db)
    return visit(new_judge(db))


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


# -- the whole way -----------------------------------------------------------------------------------------


def test_by_mouse_from_the_link_to_a_stored_judgment(visit: Visit, db: Database) -> None:
    new_campaign(db, **{"judge.practice": True})
    link = invite(db, add_person(db, "news", Role.JUDGE, "ann"))
    ann = visit()
    page = ann.page
    ann.open(f"/join/{link}")
    expect(page.get_by_role("heading", level=1)).to_have_text("You are invited")
    page.get_by_role("button", name="Continue").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome")
    page.get_by_label("I have read this and agree.").check()
    page.get_by_role("button", name="Continue to a practice screen").click()

    expect(page.get_by_text("Practice screen", exact=True)).to_be_visible()
    ann.rank(1, 2, 2, 4, 5)
    ann.submit()
    expect(page.get_by_role("heading", level=1)).to_have_text("That is how it works")
    expect(page.get_by_text("You used ties, and that is fine")).to_be_visible()
    assert stored(db) == []  # practice does not count
    page.get_by_role("link", name="Start").click()

    expect(ann.progress).to_have_text("0 of 12")
    page.wait_for_load_state()
    first = ann.answer(2, 1, 5, 4, 3)
    expect(ann.progress).to_have_text("1 of 12")
    expect(ann.banner).to_be_empty()
    assert stored(db) == [(first, 1, [2, 1, 5, 4, 3], None, None)]


def test_by_keyboard_alone_from_the_link_to_a_stored_judgment(visit: Visit, db: Database) -> None:
    new_campaign(db, **{"judge.practice": True})
    link = invite(db, add_person(db, "news", Role.JUDGE, "ann"))
    ann = visit()
    page = ann.page
    ann.open(f"/join/{link}")
    focus_by_tab(page, "Continue")
    press(page, "Enter")
    page.wait_for_url("**/welcome")
    focus_by_tab(page, "I have read this and agree.")
    press(page, "Space")
    focus_by_tab(page, "Continue to a practice screen")
    press(page, "Enter")
    page.wait_for_url("**/screens/*")
    expect(page.get_by_text("Practice screen", exact=True)).to_be_visible()
    press(page, "1", "2", "3", "4", "5", "Enter")
    page.wait_for_url("**/practised/*")
    focus_by_tab(page, "Start")
    press(page, "Enter")
    page.wait_for_url("**/screens/*")

    first = ann.screen
    press(page, "3", "3", "1", "2", "5")
    ann.shows(3, 3, 1, 2, 5)
    expect(page.locator("#submit")).to_be_focused()
    with ann.sending():
        press(page, "Enter")
    expect(ann.progress).to_have_text("1 of 12")
    expect(page.locator("#title")).to_be_focused()
    ann.shows(None, None, None, None, None)
    assert stored(db) == [(first, 1, [3, 3, 1, 2, 5], None, None)]


def focus_by_tab(page: Page, name: str) -> None:
    """Press Tab until a control with this name has the focus."""
    seen = []
    for _ in range(30):
        page.keyboard.press("Tab")
        focused = "document.activeElement.closest('label')?.innerText ?? document.activeElement.innerText"
        seen.append(str(page.evaluate(focused)).strip())
        if seen[-1] == name:
            return
    raise AssertionError(f"Tab leads to {seen}, not to {name!r}")


@on_sqlite
def test_everything_may_be_tied(ann: Judge, db: Database) -> None:
    ann.answer(1, 1, 1, 1, 1)
    assert [ranks for _, _, ranks, _, _ in stored(db)] == [[1, 1, 1, 1, 1]]


def test_a_double_click_answers_one_screen_and_reproaches_nobody(ann: Judge, db: Database) -> None:
    ann.rank(1, 2, 3, 4, 5)
    with ann.sending():
        ann.page.locator("#submit").dblclick()
    expect(ann.progress).to_have_text("1 of 12")
    assert len(stored(db)) == 1


@on_sqlite
def test_a_second_click_does_nothing_on_the_screen_that_has_come_meanwhile(ann: Judge) -> None:
    ann.until_fetched_ahead()
    ann.rank(1, 2, 3, 4, 5)
    clicks_on_a_rank = ann.page.evaluate(
        """() => {
            const { x, y } = document.querySelector("#output-3 .rank").getBoundingClientRect();
            const under = () => document.elementFromPoint(x + 5, y + 5 + scrollY)?.closest(".rank") ?? null;
            scrollTo(0, 0);
            const before = under() !== null;
            document.getElementById("submit").click();
            document.getElementById("submit").click(); // by now that of the next screen
            return [before, under() !== null];
        }"""
    )
    assert clicks_on_a_rank == [True, False]
    expect(ann.progress).to_have_text("1 of 12")
    expect(ann.page.locator("#missing")).to_be_hidden()
    ann.answer(5, 4, 3, 2, 1)  # the screen wakes up by itself


# -- what is not answered yet ------------------------------------------------------------------------------


@on_sqlite
def test_nothing_is_chosen_at_first_and_what_is_missing_is_named(ann: Judge, db: Database) -> None:
    missing = ann.page.locator("#missing")
    ann.shows(None, None, None, None, None)
    ann.rank(1, None, 2)
    ann.submit()
    expect(missing).to_have_text("Outputs 2, 4 and 5 are not ranked yet.")
    expect(ann.output(2)).to_be_focused()
    expect(ann.page.locator("[aria-invalid=true]")).to_have_count(3)
    ann.rank(None, 3, None, 3)
    expect(missing).to_have_text("Output 5 is not ranked yet.")
    ann.radio(5, 5).check()
    expect(missing).to_be_hidden()
    expect(ann.page.locator("[aria-invalid=true]")).to_have_count(0)
    assert stored(db) == []


# -- keys --------------------------------------------------------------------------------------------------


@on_sqlite
def test_arrows_and_letters_lead_from_output_to_output(ann: Judge) -> None:
    page = ann.page
    for key, place in [
        ("ArrowDown", 1), ("ArrowDown", 2), ("j", 3), ("j", 4), ("k", 3), ("ArrowUp", 2), ("ArrowUp", 1), ("k", 1),
    ]:  # fmt: skip
        page.keyboard.press(key)
        expect(ann.output(place)).to_be_focused()
    press(page, "j", "j", "4")  # ranks output 3 and leads to the next without a rank
    ann.shows(None, None, 4, None, None)
    expect(ann.output(4)).to_be_focused()


@on_sqlite
def test_left_and_right_choose_within_an_output_as_in_every_form(ann: Judge) -> None:
    ann.radio(2, 1).focus()
    press(ann.page, "ArrowRight", "ArrowRight")
    ann.shows(None, 3, None, None, None)
    press(ann.page, "u")
    ann.shows(None, 2, None, None, None)
    press(ann.page, "ArrowDown")
    expect(ann.output(3)).to_be_focused()


@on_sqlite
def test_ranks_are_taken_back_one_by_one(ann: Judge) -> None:
    page = ann.page
    press(page, "1", "2", "k", "5")  # the third key leads back to output 2, whose rank changes
    ann.shows(1, 5, None, None, None)
    press(page, "u")
    ann.shows(1, 2, None, None, None)
    expect(ann.output(2)).to_be_focused()
    press(page, "Control+z")
    ann.shows(1, None, None, None, None)
    page.get_by_role("button", name="Undo").click()
    ann.shows(None, None, None, None, None)
    press(page, "u")
    expect(ann.status).to_have_text("There is nothing to take back.")


@on_sqlite
def test_undo_is_offered_when_there_is_something_to_undo(ann: Judge) -> None:
    undo = ann.page.get_by_role("button", name="Undo")
    expect(undo).to_be_disabled()
    ann.rank(None, 4)
    expect(undo).to_be_enabled()
    undo.click()
    ann.shows(None, None, None, None, None)
    expect(undo).to_be_disabled()
    press(ann.page, "1")
    expect(undo).to_be_enabled()
    expect(ann.status).to_have_text("Saved")
    ann.page.reload()
    ann.shows(None, 1, None, None, None)  # undoing had led back to output 2
    expect(undo).to_be_disabled()  # a rank of another visit is changed, not undone


@on_sqlite
def test_a_key_leads_back_to_the_last_answer(ann: Judge, db: Database) -> None:
    press(ann.page, "p")  # there is none yet
    first = ann.answer(1, 2, 3, 4, 5)
    press(ann.page, "?")
    expect(ann.page.locator(".keys")).to_contain_text("Change my last answer")
    press(ann.page, "p")
    expect(ann.page.locator(f"#work[data-screen='{first}']")).to_have_count(1)
    ann.shows(1, 2, 3, 4, 5)


@on_sqlite
def test_enter_works_on_the_practice_screen_and_after_it(visit: Visit, db: Database) -> None:
    new_campaign(db, **{"judge.practice": True})
    ann = visit(new_judge(db))
    page = ann.page
    expect(page.get_by_text("Practice screen", exact=True)).to_be_visible()
    ann.rank(1, 2, 3, 4, 5)
    page.evaluate("document.activeElement.blur()")
    press(page, "Enter")
    page.wait_for_url("**/practised/*")
    press(page, "Enter")
    page.wait_for_url("**/screens/*")
    expect(ann.progress).to_be_visible()


# -- a comment with an answer ------------------------------------------------------------------------------


@on_sqlite
def test_a_problem_is_reported_with_an_answer_and_shown_again(ann: Judge, db: Database) -> None:
    page = ann.page
    ann.rank(1, 2, 3, 4, 5)
    page.evaluate("document.activeElement.blur()")
    press(page, "c")
    expect(page.get_by_label("Comment for the organiser")).to_be_focused()
    page.get_by_label("Something is wrong here").check()
    ann.submit()
    expect(page.locator("#missing")).to_have_text("Please say what is wrong, or untick the box.")
    page.get_by_label("Comment for the organiser").fill("Output 2 is cut off, 1 is not.")
    with ann.sending():
        ann.submit()
    expect(ann.progress).to_have_text("1 of 12")
    expect(page.get_by_label("Comment for the organiser")).to_have_value("")
    with db.read() as tx:
        said = tx.execute(sa.select(schema.judgment.c.note, schema.judgment.c.problem)).all()
    assert [tuple(row) for row in said] == [("Output 2 is cut off, 1 is not.", True)]
    page.get_by_role("link", name="Change my last answer").click()
    expect(page.get_by_label("Comment for the organiser")).to_have_value("Output 2 is cut off, 1 is not.")
    expect(page.get_by_label("Something is wrong here")).to_be_checked()
    ann.shows(1, 2, 3, 4, 5)


@on_sqlite
def test_a_rank_that_is_not_on_the_scale_and_a_key_held_down_do_nothing(ann: Judge) -> None:
    press(ann.page, "6", "0", "x")
    ann.shows(None, None, None, None, None)
    ann.page.keyboard.down("2")
    ann.page.keyboard.down("2")  # the second one is what a keyboard sends while a key is held
    ann.page.keyboard.up("2")
    ann.shows(2, None, None, None, None)


def test_skipping_by_keyboard_needs_a_reason(ann: Judge, db: Database) -> None:
    page = ann.page
    first = ann.screen
    press(page, "s")
    expect(page.get_by_role("radio", name="I cannot tell which is better")).to_be_focused()
    press(page, "Enter")
    assert ann.screen == first  # the browser itself asks for a reason
    press(page, "ArrowDown", "Tab")
    page.keyboard.type("1 is in Welsh, us")  # in a text, keys are letters
    focus_by_tab(page, "Skip")
    with ann.sending():
        press(page, "Enter")
    expect(ann.progress).to_have_text("1 of 12")
    assert stored(db) == [(first, 1, None, "source-unclear", "1 is in Welsh, us")]


@on_sqlite
def test_help_and_the_skip_panel_open_and_close_by_key(ann: Judge) -> None:
    page = ann.page
    keys, skip = page.locator("#keys"), page.locator("#skip")
    press(page, "?")
    expect(page.get_by_text("Take back the last rank")).to_be_visible()
    press(page, "4")  # the keys work while one reads about them
    ann.shows(4, None, None, None, None)
    press(page, "?")
    expect(keys).not_to_have_attribute("open", "")
    expect(ann.output(2)).to_be_focused()
    press(page, "s", "2")
    expect(skip).to_have_attribute("open", "")
    ann.shows(4, None, None, None, None)  # in the panel, digits rank nothing
    press(page, "Escape")
    expect(skip).not_to_have_attribute("open", "")
    expect(ann.output(2)).to_be_focused()


@on_sqlite
def test_single_character_keys_can_be_switched_off_and_stay_off(ann: Judge) -> None:
    page = ann.page
    page.get_by_text("Keys", exact=True).click()
    page.get_by_label("Use the single-character keys").uncheck()
    ann.output(1).focus()
    press(page, "1", "j", "s", "d", "?")
    ann.shows(None, None, None, None, None)
    expect(ann.output(1)).to_be_focused()
    press(page, "ArrowDown")  # arrows, Enter and Ctrl+Z are no characters
    expect(ann.output(2)).to_be_focused()
    press(page, "Enter")
    expect(page.locator("#missing")).to_be_visible()
    page.reload()
    expect(page.locator("#keys")).to_be_visible()
    press(page, "1")
    ann.shows(None, None, None, None, None)
    page.get_by_text("Keys", exact=True).click()
    page.get_by_label("Use the single-character keys").check()
    press(page, "1")
    ann.shows(1, None, None, None, None)


@on_sqlite
def test_the_skip_link_leads_to_the_content_and_loses_nothing(ann: Judge) -> None:
    ann.rank(3, 1)
    ann.page.evaluate("window.stillHere = true")
    ann.page.locator(".skip-link").focus()
    press(ann.page, "Enter")
    expect(ann.page).to_have_url(re.compile("#main$"))
    ann.shows(3, 1, None, None, None)
    assert ann.page.evaluate("window.stillHere") is True


@on_sqlite
def test_the_time_on_the_screen_is_measured(ann: Judge, db: Database) -> None:
    ann.answer(1, 2, 3, 4, 5)
    with db.read() as tx:
        (seconds,) = tx.scalars(sa.select(schema.judgment.c.seconds))
    assert 0 < seconds < 600
