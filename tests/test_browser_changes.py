"""Answers that are changed: with the link, with the back button, from two windows; and what progress says of it."""

from __future__ import annotations

import pytest
from browsers import Judge, Visit, check_accessibility, on_sqlite, stored
from playwright.sync_api import Route, expect
from stores import new_campaign, new_judge

from palmares.campaign.database import Database
from palmares.campaign.definition import change_state
from palmares.campaign.people import invite

pytestmark = pytest.mark.any_database


@pytest.fixture
def ann(visit: Visit, db: Database) -> Judge:
    """A judge on the first of three screens."""
    new_campaign(db)
    return visit(new_judge(db))


def test_the_last_answer_can_be_changed_and_both_are_stored(ann: Judge, db: Database) -> None:
    first = ann.answer(1, 2, 3, 4, 5)
    ann.page.get_by_role("link", name="Change my last answer").click()
    expect(ann.page.get_by_text("You have answered this screen.")).to_be_visible()
    ann.shows(1, 2, 3, 4, 5)
    expect(ann.page.locator("#submit")).to_have_text("Submit the change")
    ann.page.wait_for_load_state()
    assert ann.answer(1, 1, 1, 4, 5) == first
    expect(ann.progress).to_have_text("1 of 12")
    assert [row[:3] for row in stored(db)] == [(first, 1, [1, 2, 3, 4, 5]), (first, 2, [1, 1, 1, 4, 5])]


@on_sqlite
def test_an_answer_can_become_a_skip_and_a_skip_an_answer(ann: Judge, db: Database) -> None:
    ann.page.locator("#skip > summary").click()
    ann.page.get_by_label("Something is not displayed properly").check()
    with ann.sending():
        ann.page.get_by_role("button", name="Skip", exact=True).click()
    ann.page.get_by_role("link", name="Change my last answer").click()
    expect(ann.page.get_by_text("You skipped this screen (Something is not displayed properly).")).to_be_visible()
    ann.shows(None, None, None, None, None)
    ann.page.wait_for_load_state()
    ann.answer(5, 4, 3, 2, 1)
    assert [row[1:4] for row in stored(db)] == [(1, None, "technical"), (2, [5, 4, 3, 2, 1], None)]


@on_sqlite
def test_the_back_button_shows_the_answer_that_was_given(ann: Judge, db: Database) -> None:
    first = ann.answer(1, 2, 3, 4, 5)
    second = ann.screen
    ann.page.go_back()
    expect(ann.page.locator("#work")).to_have_attribute("data-screen", first)
    expect(ann.page.get_by_text("You have answered this screen.")).to_be_visible()
    ann.shows(1, 2, 3, 4, 5)
    ann.page.get_by_role("link", name="Go on", exact=True).click()
    expect(ann.page.locator("#work")).to_have_attribute("data-screen", second)
    assert len(stored(db)) == 1


def told(*ranks: int) -> str:
    return ", ".join(f"output {place}: rank {rank}" for place, rank in enumerate(ranks, 1))


def refused_in_another_tab(ann: Judge) -> tuple[Judge, str]:
    """A second tab, whose answer comes after that of the first, and the screen; the second goes on meanwhile."""
    other = ann.another_tab()
    other.until_fetched_ahead()
    screen = ann.answer(1, 2, 3, 4, 5)
    other.failures = True  # the conflict is an answer of status 409
    other.rank(5, 4, 3, 2, 1)
    other.submit()
    expect(other.banner).to_contain_text("A screen was answered differently elsewhere")
    expect(other.banner).to_contain_text(f"Stored: {told(1, 2, 3, 4, 5)}")
    expect(other.banner).to_contain_text(f"Not stored: {told(5, 4, 3, 2, 1)}")
    expect(other.page.locator(f"#work[data-screen='{screen}']")).to_have_count(0)
    expect(other.progress).to_have_text("1 of 12")
    return other, screen


def test_of_two_windows_the_second_overwrites_nothing_unasked(ann: Judge, db: Database) -> None:
    other, screen = refused_in_another_tab(ann)
    check_accessibility(other.page)
    assert [row[:3] for row in stored(db)] == [(screen, 1, [1, 2, 3, 4, 5])]
    other.page.get_by_role("link", name="Look at the screen").click()
    both = other.page.locator("#unstored")
    expect(both.locator("dd")).to_have_text([told(1, 2, 3, 4, 5), told(5, 4, 3, 2, 1)])
    expect(other.page.get_by_text("You have answered this screen.")).to_have_count(0)
    expect(other.banner).to_be_empty()  # the page itself says it
    other.shows(5, 4, 3, 2, 1)  # what was not stored has been kept
    other.page.wait_for_load_state()
    check_accessibility(other.page)
    with other.sending():
        both.get_by_role("button", name="Replace what is stored").click()
    expect(both).to_have_count(0)
    expect(other.banner).to_be_empty()
    assert [row[1:3] for row in stored(db)] == [(1, [1, 2, 3, 4, 5]), (2, [5, 4, 3, 2, 1])]


@on_sqlite
def test_what_is_stored_can_be_kept(ann: Judge, db: Database) -> None:
    other, screen = refused_in_another_tab(ann)
    with other.page.expect_response(lambda response: response.request.method == "POST"):
        other.banner.get_by_role("button", name="Keep what is stored").click()
    expect(other.banner).to_be_empty()
    other.open(f"/c/news/judge/screens/{screen}")
    expect(other.page.get_by_text("You have answered this screen.")).to_be_visible()
    other.shows(1, 2, 3, 4, 5)
    expect(other.banner).to_be_empty()
    assert len(stored(db)) == 1


@on_sqlite
def test_what_is_stored_can_be_replaced_from_wherever_the_judge_is(ann: Judge, db: Database) -> None:
    other, screen = refused_in_another_tab(ann)
    here = other.screen
    with other.sending():
        other.banner.get_by_role("button", name="Replace what is stored").click()
    expect(other.banner).to_be_empty()
    assert other.screen == here
    assert [row[:3] for row in stored(db)] == [(screen, 1, [1, 2, 3, 4, 5]), (screen, 2, [5, 4, 3, 2, 1])]


@on_sqlite
def test_who_has_nothing_else_to_do_is_shown_both_answers_at_once(visit: Visit, db: Database) -> None:
    new_campaign(db, **{"hit.screens": 1, "judge.screens": 1})
    ann = visit(new_judge(db))
    other = ann.another_tab()
    ann.answer(1, 2, 3, 4, 5)
    other.failures = True
    other.rank(5, 4, 3, 2, 1)
    other.submit()
    expect(other.page.locator("#unstored dd")).to_have_text([told(1, 2, 3, 4, 5), told(5, 4, 3, 2, 1)])
    other.page.get_by_role("button", name="Keep what is stored").click()
    expect(other.page.get_by_text("Screens judged: 1")).to_be_visible()
    expect(other.page.locator("#unstored")).to_have_count(0)
    expect(other.banner).to_be_empty()
    assert len(stored(db)) == 1


# -- a campaign that ends or pauses under a judge's hands -------------------------------------------------------


@on_sqlite
def test_a_closed_campaign_says_so_at_once_and_counts_what_is_stored(ann: Judge, db: Database) -> None:
    ann.answer(1, 2, 3, 4, 5)
    ann.until_fetched_ahead()
    ann.failures = True
    change_state(db, "news", "closed")
    ann.page.evaluate("document.querySelectorAll('.output').forEach(o => o.querySelector('input').checked = true)")
    ann.submit()  # before a draft was saved
    heading = ann.page.get_by_role("heading", level=1)
    expect(heading).to_have_text("The campaign is closed")
    expect(ann.page.get_by_text("Screens judged: 1")).to_be_visible()
    expect(ann.banner).to_contain_text(
        "The campaign was closed before these answers arrived, so they were not stored: 1."
    )
    check_accessibility(ann.page)
    ann.banner.get_by_role("button", name="Dismiss").click()
    expect(ann.banner).to_be_empty()
    ann.page.go_back()  # no screen is shown any more
    expect(heading).to_have_text("The campaign is closed")
    assert len(stored(db)) == 1


@on_sqlite
def test_a_judge_at_work_learns_of_the_end_before_the_answer(ann: Judge, db: Database) -> None:
    ann.failures = True
    change_state(db, "news", "closed")
    ann.rank(1)  # the draft is refused
    expect(ann.page.get_by_role("heading", level=1)).to_have_text("The campaign is closed")


@on_sqlite
def test_answers_given_without_a_network_to_a_campaign_that_closed_are_not_counted(ann: Judge, db: Database) -> None:
    ann.until_fetched_ahead()
    ann.failures = True
    ann.page.context.set_offline(True)
    for done in ("1 of 12", "2 of 12"):
        ann.rank(1, 2, 3, 4, 5)
        ann.submit()
        expect(ann.progress).to_have_text(done)
    change_state(db, "news", "closed")
    ann.page.context.set_offline(False)
    expect(ann.page.get_by_role("heading", level=1)).to_have_text("The campaign is closed")
    expect(ann.banner).to_contain_text("they were not stored: 2.")
    expect(ann.page.get_by_text("Screens judged")).to_have_count(0)
    assert stored(db) == []


@on_sqlite
def test_a_paused_campaign_lets_the_work_in_hand_be_finished_and_gives_no_more(ann: Judge, db: Database) -> None:
    ann.until_fetched_ahead()
    change_state(db, "news", "paused")
    ann.answer(1, 2, 3, 4, 5)
    expect(ann.banner).to_contain_text("The campaign has been paused.")
    ann.answer(1, 2, 3, 4, 5)
    expect(ann.progress).to_have_text("2 of 12")
    ann.answer(1, 2, 3, 4, 5)
    expect(ann.page.get_by_role("heading", level=1)).to_have_text("The campaign is paused")
    expect(ann.page.get_by_text("Screens judged: 3")).to_be_visible()
    check_accessibility(ann.page)
    change_state(db, "news", "open")
    ann.page.get_by_role("link", name="Look again").click()
    expect(ann.progress).to_have_text("3 of 12")
    expect(ann.banner).to_be_empty()


# -- from HIT to HIT, and back ----------------------------------------------------------------------------------


def of_two_screens_a_hit(visit: Visit, db: Database, *, ahead: bool) -> Judge:
    """A judge on the first screen of a HIT, who gets the next one ahead, or does not because that request fails."""
    new_campaign(db, **{"hit.screens": 2})
    judge = visit()
    judge.failures = not ahead
    if not ahead:
        judge.page.route("**/ahead", lambda route: route.abort())
    judge.join(invite(db, new_judge(db)))
    judge.until_fetched_ahead()
    return judge


@on_sqlite
@pytest.mark.parametrize("in_time", [True, False])
def test_the_next_hit_comes_ahead_or_else_with_the_receipt(visit: Visit, db: Database, in_time: bool) -> None:
    ann = of_two_screens_a_hit(visit, db, ahead=in_time)
    asked, loads = [], []
    ann.page.on("request", lambda r: asked.append(r.post_data_json["then"]) if r.url.endswith("/answer") else None)
    ann.page.on("domcontentloaded", lambda _: loads.append(ann.page.url))
    screens = []
    for done in range(4):
        expect(ann.progress).to_have_text(f"{done} of 12")
        ann.until_fetched_ahead()
        if in_time:
            ann.until_asked_ahead((done + 1) // 2)  # on the second screen of each HIT
        screens.append(ann.answer(1, 2, 3, 4, 5))
        assert ann.page.url.endswith(ann.screen)
    assert len(set(screens)) == 4
    assert asked == ["nothing", "nothing" if in_time else "page"] * 2  # nothing is rendered in vain
    assert loads == []  # no page was loaded on the way


@on_sqlite
def test_the_last_answer_can_be_changed_across_hits(visit: Visit, db: Database) -> None:
    new_campaign(db, **{"hit.screens": 1})
    ann = visit(new_judge(db))
    expect(ann.page.locator("#previous")).to_be_hidden()
    ann.until_asked_ahead()  # the next page was made before there was an answer
    first = ann.answer(1, 2, 3, 4, 5)
    second = ann.screen
    ann.page.get_by_role("link", name="Change my last answer").click()
    expect(ann.page.locator("#work")).to_have_attribute("data-screen", first)
    ann.shows(1, 2, 3, 4, 5)
    ann.page.wait_for_load_state()
    ann.answer(5, 4, 3, 2, 1)
    expect(ann.page.locator("#work")).to_have_attribute("data-screen", second)
    assert [row[:3] for row in stored(db)] == [(first, 1, [1, 2, 3, 4, 5]), (first, 2, [5, 4, 3, 2, 1])]


@on_sqlite
def test_a_choice_made_in_one_step_can_be_taken_back_also_from_the_next_hit(visit: Visit, db: Database) -> None:
    new_campaign(db, **{"screen.outputs": 2, "screen.one_step": True, "hit.screens": 2})
    ann = visit(new_judge(db))
    work, undo = ann.page.locator("#work"), ann.page.locator("#undo-last")
    expect(undo).to_be_hidden()  # there is nothing to take back yet
    screens = [ann.screen]
    for _ in range(2):
        ann.until_fetched_ahead()
        with ann.sending():
            choose(ann, "A is better")
        expect(work).not_to_have_attribute("data-screen", screens[-1])
        screens.append(ann.screen)
        undo.click()
        expect(work).to_have_attribute("data-screen", screens[-2])
        expect(ann.page.locator("button.pair-choice.chosen")).to_have_attribute("value", "first")
        with ann.sending():
            choose(ann, "B is better")
        expect(work).to_have_attribute("data-screen", screens[-1])
    expected = [(screen, *answer) for screen in screens[:2] for answer in ((1, [1, 2]), (2, [2, 1]))]
    assert [row[:3] for row in stored(db)] == expected
    expect(ann.progress).to_have_text("2 of 12")


def choose(judge: Judge, name: str) -> None:
    """Press a button of a pair, once the screen takes clicks."""
    expect(judge.page.locator(".opening")).to_have_count(0)
    judge.page.get_by_role("button", name=name).click()


@on_sqlite
def test_a_receipt_that_comes_late_does_not_take_the_judge_away(visit: Visit, db: Database) -> None:
    """The answer to the last screen of a HIT is on its way; the judge has gone back meanwhile."""
    ann = of_two_screens_a_hit(visit, db, ahead=False)
    first = ann.answer(1, 2, 3, 4, 5)
    held: list[Route] = []
    ann.page.route("**/answer", lambda route: held.append(route))
    ann.rank(1, 1, 1, 1, 1)
    ann.submit()
    ann.until(lambda: len(held) == 1)
    ann.page.get_by_role("link", name="Change my last answer").click()
    expect(ann.page.locator("#work")).to_have_attribute("data-screen", first)
    ann.shows(1, 2, 3, 4, 5)
    with ann.sending():
        held.pop().continue_()
    ann.page.wait_for_timeout(300)
    assert ann.screen == first
    ann.page.unroute("**/answer")
    ann.answer(5, 5, 5, 5, 5)
    assert [row[1:3] for row in stored(db)] == [(1, [1, 2, 3, 4, 5]), (1, [1, 1, 1, 1, 1]), (2, [5, 5, 5, 5, 5])]
    expect(ann.progress).to_have_text("2 of 12")


@on_sqlite
def test_two_windows_that_answer_different_screens_send_each_answer_once(ann: Judge, db: Database) -> None:
    ann.failures = True
    ann.until_fetched_ahead()
    ann.page.context.set_offline(True)
    ann.rank(1, 2, 3, 4, 5)
    ann.submit()
    expect(ann.progress).to_have_text("1 of 12")
    ann.page.context.set_offline(False)
    other = ann.another_tab()
    other.failures = True
    for tab, ranks in ((ann, (1, 1, 1, 1, 1)), (other, (1, 1, 1, 1, 1))):
        tab.rank(*ranks)
        tab.submit()
    ann.until(lambda: len(stored(db)) == 2)
    expect(other.banner).to_be_empty()
    expect(ann.banner).to_be_empty()
    assert [row[1:3] for row in stored(db)] == [(1, [1, 2, 3, 4, 5]), (1, [1, 1, 1, 1, 1])]


@on_sqlite
def test_progress_counts_screens_and_ends_with_thanks(visit: Visit, db: Database) -> None:
    new_campaign(db, **{"judge.screens": 4, "hit.screens": 3})
    ann = visit(new_judge(db))
    for done in ("0 of 4", "1 of 4", "2 of 4", "3 of 4", "4 done", "5 done"):
        expect(ann.progress).to_have_text(done)
        ann.page.wait_for_load_state()
        ann.answer(1, 2, 3, 4, 5)
    expect(ann.page.get_by_role("heading", level=1)).to_have_text("Thank you")
    expect(ann.page.get_by_text("Screens judged: 6")).to_be_visible()
    ann.page.get_by_role("link", name="Go on judging").click()
    expect(ann.progress).to_have_text("6 done")
