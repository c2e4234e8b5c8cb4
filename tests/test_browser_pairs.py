"""Two outputs, one act: by one key, one tap or a plain form; in two steps or in one; both of them bad."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from browsers import Judge, Visit, check_accessibility, on_sqlite
from playwright.sync_api import Locator, expect
from stores import new_campaign, new_judge, sample_texts

from palmares.campaign import Role, schema
from palmares.campaign.database import Database
from palmares.campaign.people import add_person

pytestmark = on_sqlite

PHONE = {"width": 390, "height": 844}
TWO = {"screen.outputs": 2, "screen.both_bad": True, "judge.screens": 12}
ONE_STEP = {**TWO, "screen.one_step": True}


def said(db: Database) -> list[tuple[list[int] | None, str | None]]:
    """Ranks and verdict of every judgment, in order."""
    column = schema.judgment.c
    with db.read() as tx:
        return [tuple(row) for row in tx.execute(sa.select(column.ranks, column.verdict).order_by(column.id))]


def judge(visit: Visit, db: Database, settings: dict[str, object] = TWO, **options: object) -> Judge:
    new_campaign(db, sample_texts(12, ("A", "B", "C")), **settings)
    return visit(new_judge(db), **options)


def press(ann: Judge, *keys: str) -> None:
    for key in keys:
        ann.page.keyboard.press(key)


def choice(ann: Judge, name: str) -> Locator:
    return ann.page.locator("#pair").get_by_role("radio", name=name)


# -- in two steps ------------------------------------------------------------------------------------------


def test_one_key_chooses_and_enter_submits(visit: Visit, db: Database) -> None:
    ann = judge(visit, db)
    expect(ann.page.get_by_role("heading", level=1)).to_have_text("Compare the two outputs")
    keys = ("1", "2", "ArrowLeft", "ArrowRight", "0", "t", "b")
    for count, key in enumerate(keys, 1):
        with ann.sending():
            press(ann, key, "Enter")
        expect(ann.progress).to_have_text(f"{count} of 12")
        expect(ann.page.locator("#pair input:checked")).to_have_count(0)  # the next screen has no answer
    assert said(db) == [
        *(([1, 2], None), ([2, 1], None), ([1, 2], None), ([2, 1], None)),
        *(([1, 1], None), ([1, 1], None), ([1, 1], "both-bad")),
    ]


def test_the_arrow_points_to_the_output_on_a_page_from_right_to_left(visit: Visit, db: Database) -> None:
    ann = judge(visit, db, locale="ar")
    first, second = (ann.page.locator(f"#output-{place}").bounding_box() for place in (1, 2))
    assert first["x"] > second["x"]
    with ann.sending():
        press(ann, "ArrowRight", "Enter")
    assert said(db) == [([1, 2], None)]


def test_one_tap_chooses_and_the_choice_is_at_hand_while_one_reads(visit: Visit, db: Database) -> None:
    ann = judge(visit, db, viewport=PHONE, has_touch=True, is_mobile=True)
    for place in (1, 2):
        ann.page.locator(f"#output-{place}").scroll_into_view_if_needed()
        box = ann.page.locator("#pair").bounding_box()
        assert 0 < box["y"] < box["y"] + box["height"] <= PHONE["height"]
    with ann.sending():
        choice(ann, "Both are bad").tap()
        ann.page.locator("#submit").tap()
    assert said(db) == [([1, 1], "both-bad")]


def test_nothing_is_chosen_at_first_and_nothing_can_be_undone(visit: Visit, db: Database) -> None:
    ann = judge(visit, db)
    undo = ann.page.get_by_role("button", name="Undo", exact=True)
    expect(undo).to_be_disabled()
    press(ann, "Enter")
    expect(ann.page.locator("#missing")).to_have_text("Nothing has been chosen yet.")
    press(ann, "1", "2")
    expect(undo).to_be_enabled()
    expect(ann.page.locator("#missing")).to_be_hidden()
    press(ann, "u")
    expect(choice(ann, "A is better")).to_be_checked()
    undo.click()
    expect(ann.page.locator("#pair input:checked")).to_have_count(0)
    expect(undo).to_be_disabled()
    assert said(db) == []


def test_a_draft_and_an_answer_come_back_as_they_were_given(visit: Visit, db: Database) -> None:
    ann = judge(visit, db)
    press(ann, "b")
    expect(ann.status).to_have_text("Saved")
    ann.page.reload()
    expect(choice(ann, "Both are bad")).to_be_checked()
    with ann.sending():
        press(ann, "Enter")
    expect(ann.progress).to_have_text("1 of 12")
    press(ann, "p")  # back to the last answer
    ann.page.wait_for_url("**/screens/*")
    expect(choice(ann, "Both are bad")).to_be_checked()
    with ann.sending():
        press(ann, "0", "Enter")
    assert said(db) == [([1, 1], "both-bad"), ([1, 1], None)]


def test_both_bad_is_offered_only_where_the_campaign_wants_it(visit: Visit, db: Database) -> None:
    ann = judge(visit, db, {"screen.outputs": 2})
    expect(ann.page.locator("#pair").get_by_role("radio")).to_have_count(3)
    press(ann, "b")
    expect(ann.page.locator("#pair input:checked")).to_have_count(0)


# -- in one step -------------------------------------------------------------------------------------------


def test_in_one_step_a_key_or_a_click_is_the_answer_and_a_second_one_is_not_another(visit: Visit, db: Database) -> None:
    ann = judge(visit, db, ONE_STEP)
    ann.until_fetched_ahead()
    with ann.sending():
        press(ann, "b", "1")  # the second one was meant for the screen before
    expect(ann.progress).to_have_text("1 of 12")
    expect(ann.page.locator(".opening")).to_have_count(0)
    with ann.sending():
        ann.page.get_by_role("button", name="B is better").dblclick()
    expect(ann.progress).to_have_text("2 of 12")
    expect(ann.page.locator(".opening")).to_have_count(0)
    press(ann, "Enter")
    expect(ann.page.locator("#missing")).to_have_text("Nothing has been chosen yet.")
    assert said(db) == [([1, 1], "both-bad"), ([2, 1], None)]


def test_in_one_step_the_buttons_stay_where_they_are_when_there_is_something_to_undo(
    visit: Visit, db: Database
) -> None:
    ann = judge(visit, db, ONE_STEP)
    where = "() => [...document.querySelectorAll('.pair-choice')].map(e => [e.offsetLeft, e.offsetTop, e.offsetWidth])"
    for window in ({"width": 1280, "height": 800}, {"width": 390, "height": 844}):
        ann.page.set_viewport_size(window)
        expect(ann.page.locator("#undo-last")).to_be_hidden()
        free = ann.page.locator("#undo-last").evaluate("e => e.offsetWidth")
        before = ann.page.evaluate(where)
        ann.page.locator("#undo-last").evaluate("e => { e.hidden = false; }")
        assert (ann.page.locator("#undo-last").evaluate("e => e.offsetWidth"), ann.page.evaluate(where)) == (
            free,
            before,
        )
        ann.page.locator("#undo-last").evaluate("e => { e.hidden = true; }")


def test_in_one_step_undo_leads_back_and_shows_what_was_chosen(visit: Visit, db: Database) -> None:
    ann = judge(visit, db, ONE_STEP)
    undo = ann.page.locator("#undo-last")
    expect(undo).to_be_hidden()
    first = ann.screen
    with ann.sending():
        press(ann, "1")
    expect(ann.progress).to_have_text("1 of 12")
    expect(undo).to_be_visible()
    expect(ann.page.locator(".opening")).to_have_count(0)
    press(ann, "u")
    expect(ann.page.locator(f"#work[data-screen='{first}']")).to_have_count(1)
    expect(ann.page.get_by_role("button", name="A is better (your choice)")).to_be_visible()
    expect(ann.page.locator(".opening")).to_have_count(0)
    with ann.sending():
        press(ann, "0")
    assert said(db) == [([1, 2], None), ([1, 1], None)]


# -- without scripts, and for everybody ------------------------------------------------------------------------


@pytest.mark.parametrize("one_step", [False, True])
def test_without_scripts_it_is_a_plain_form(visit: Visit, db: Database, one_step: bool) -> None:
    ann = judge(visit, db, ONE_STEP if one_step else TWO, java_script_enabled=False)
    page = ann.page
    for name in ("Both are bad", "B is better"):
        if one_step:
            page.get_by_role("button", name=name).click()
        else:
            choice(ann, name).check()
            ann.submit()
    expect(ann.progress).to_have_text("2 of 12")
    assert said(db) == [([1, 1], "both-bad"), ([2, 1], None)]
    page.locator("#previous").click()
    if one_step:
        expect(page.get_by_role("button", name="B is better (your choice)")).to_be_visible()
    else:
        expect(choice(ann, "B is better")).to_be_checked()


def test_without_scripts_nothing_chosen_is_said(visit: Visit, db: Database) -> None:
    ann = judge(visit, db, java_script_enabled=False)
    ann.failures = True
    ann.submit()
    expect(ann.page.get_by_role("alert")).to_contain_text("Nothing has been chosen yet.")
    assert said(db) == []


def test_practice_by_keys_alone_enter_included(visit: Visit, db: Database) -> None:
    new_campaign(db, sample_texts(3, ("A", "B")), **{**ONE_STEP, "judge.practice": True, "judge.screens": 3})
    ann = visit(add_person(db, "news", Role.JUDGE, "ann"))
    ann.page.get_by_label("I have read this and agree.").check()
    ann.page.get_by_role("button", name="Continue to a practice screen").click()
    ann.page.wait_for_url("**/screens/*")
    ann.page.wait_for_load_state()
    press(ann, "2")
    ann.page.wait_for_url("**/practised/*")
    expect(ann.page.get_by_text("This was your choice: B is better.")).to_be_visible()
    check_accessibility(ann.page)
    press(ann, "Enter")
    ann.page.wait_for_url("**/screens/*")
    expect(ann.progress).to_have_text("0 of 3")


@pytest.mark.parametrize(
    "options",
    [{}, {"viewport": PHONE}, {"color_scheme": "dark", "locale": "ar"}],
    ids=["desktop", "phone", "dark, Arabic"],
)
def test_axe_finds_nothing_on_pairs(visit: Visit, db: Database, options: dict[str, object]) -> None:
    ann = judge(visit, db, **options)
    press(ann, "Enter", "?", "c")
    expect(ann.page.locator("#missing")).to_be_visible()
    check_accessibility(ann.page)
    press(ann, "Escape", "1")
    check_accessibility(ann.page)
