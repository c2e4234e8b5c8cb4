"""The network goes, the server goes, the session goes: every answer arrives, and arrives once."""

from __future__ import annotations

import pytest
from browsers import Judge, Server, Visit, on_sqlite, stored
from playwright.sync_api import Error, Route, expect
from stores import new_campaign, new_judge, sample_texts

from palmares.campaign.database import Database
from palmares.campaign.people import Person, find_person, invite, revoke

pytestmark = pytest.mark.any_database

WAITING = "Answers waiting to be sent: {}."


@pytest.fixture
def person(db: Database) -> Person:
    new_campaign(db)  # three screens a HIT
    return new_judge(db)


@pytest.fixture
def ann(visit: Visit, db: Database, person: Person) -> Judge:
    """A judge on the first screen, with the other screens of the HIT fetched; requests will fail."""
    judge = visit(person)
    judge.until_fetched_ahead()
    judge.failures = True
    return judge


def answer_unsent(judge: Judge, *ranks: int) -> None:
    """Answer while nothing gets through."""
    judge.rank(*ranks)
    judge.submit()


def all_arrived(judge: Judge, db: Database, count: int) -> None:
    """Expect the judge to be led on, and every answer once in the store."""
    expect(judge.banner).to_be_empty()
    expect(judge.progress).to_have_text(f"{count} of 12")
    judge.until(lambda: len(stored(db)) >= count)
    answers = stored(db)
    assert len(answers) == len({screen for screen, *_ in answers}) == count
    assert {revision for _, revision, *_ in answers} == {1}


def test_the_judge_goes_on_without_a_network_and_everything_arrives_once(ann: Judge, db: Database) -> None:
    context = ann.page.context
    context.set_offline(True)
    answer_unsent(ann, 1, 2, 3, 4, 5)
    expect(ann.progress).to_have_text("1 of 12")
    expect(ann.banner).to_contain_text(WAITING.format(1))
    answer_unsent(ann, 5, 4, 3, 2, 1)
    expect(ann.progress).to_have_text("2 of 12")
    expect(ann.banner).to_contain_text(WAITING.format(2))
    answer_unsent(ann, 2, 2, 2, 1, 1)
    expect(ann.banner).to_contain_text(WAITING.format(3))
    expect(ann.status).to_contain_text("This was the last screen loaded on this device.")
    assert stored(db) == []

    context.set_offline(False)
    all_arrived(ann, db, 3)
    assert [ranks for _, _, ranks, _, _ in stored(db)] == [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [2, 2, 2, 1, 1]]
    ann.answer(1, 1, 1, 1, 2)  # of the next HIT


def test_the_next_hit_is_here_before_the_last_answer_is_sent(ann: Judge, db: Database) -> None:
    for _ in range(2):
        ann.answer(1, 2, 3, 4, 5)
    ann.until_asked_ahead()
    last = ann.screen
    ann.page.context.set_offline(True)
    answer_unsent(ann, 5, 4, 3, 2, 1)
    expect(ann.progress).to_have_text("3 of 12")
    expect(ann.banner).to_contain_text(WAITING.format(1))
    assert ann.screen != last
    ann.shows(None, None, None, None, None)
    ann.page.get_by_role("link", name="Change my last answer").click()
    expect(ann.page.locator("#work")).to_have_attribute("data-screen", last)
    ann.page.go_back()
    answer_unsent(ann, 1, 1, 1, 1, 2)  # the first screen of the next HIT
    expect(ann.status).to_contain_text("This was the last screen loaded on this device.")
    ann.page.context.set_offline(False)
    all_arrived(ann, db, 4)
    assert [screen for screen, *_ in stored(db)][2] == last


@on_sqlite
def test_the_next_hit_is_asked_for_once_and_only_by_a_page_that_is_looked_at(ann: Judge, db: Database) -> None:
    asked = []
    ann.page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/ahead") else None)
    ann.page.evaluate("Object.defineProperty(document, 'hidden', { get: () => window.behind ?? true })")
    for _ in range(2):
        ann.answer(1, 2, 3, 4, 5)
    with ann.page.expect_response("**/draft"):
        ann.rank(5)  # on the last screen
    assert asked == []
    ann.page.evaluate("window.behind = false")
    for _ in range(3):
        ann.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    ann.until_asked_ahead()
    assert len(asked) == 1


def test_a_page_that_cannot_be_loaded_again_loses_no_answer(ann: Judge, db: Database, server: Server) -> None:
    server.stop()
    answer_unsent(ann, 1, 2, 3, 4, 5)
    answer_unsent(ann, 5, 4, 3, 2, 1)
    expect(ann.banner).to_contain_text(WAITING.format(2))
    with pytest.raises(Error, match="ERR_CONNECTION_REFUSED"):
        ann.page.reload()
    ann.page.wait_for_url("chrome-error://**")
    server.start()
    ann.open()
    all_arrived(ann, db, 2)
    ann.until(lambda: ann.screen not in {screen for screen, *_ in stored(db)})  # led on to the screen that is left


@on_sqlite
def test_a_page_that_is_loaded_again_knows_what_waits(ann: Judge, db: Database) -> None:
    ann.page.route("**/answer", lambda route: route.abort())
    answer_unsent(ann, 1, 2, 3, 4, 5)
    answer_unsent(ann, 5, 4, 3, 2, 1)
    expect(ann.banner).to_contain_text(WAITING.format(2))
    ann.page.reload()  # the page comes, answers still do not get through
    expect(ann.banner).to_contain_text(WAITING.format(2))
    expect(ann.progress).to_have_text("2 of 12")
    ann.shows(None, None, None, None, None)
    ann.open()  # the server knows of no answer and offers the first screen again
    ann.shows(1, 2, 3, 4, 5)
    expect(ann.status).to_have_text("Your answer to this screen is waiting to be sent. You can still change it.")
    expect(ann.progress).to_have_text("2 of 12")
    ann.page.unroute("**/answer")
    ann.page.get_by_role("button", name="Try now").click()
    all_arrived(ann, db, 2)


def test_a_server_that_is_stopped_and_started_again_gets_what_waits(ann: Judge, db: Database, server: Server) -> None:
    server.stop()
    answer_unsent(ann, 1, 2, 3, 4, 5)
    expect(ann.banner).to_contain_text(WAITING.format(1))
    server.start()
    ann.page.get_by_role("button", name="Try now").click()
    all_arrived(ann, db, 1)


@on_sqlite
def test_a_server_that_is_busy_is_asked_again(ann: Judge, db: Database) -> None:
    refusals = []

    def busy(route: Route) -> None:
        if len(refusals) == 2:
            route.continue_()
        else:
            refusals.append(route.fulfill(status=503, headers={"Retry-After": "1"}, body="{}"))

    ann.page.route("**/answer", busy)
    answer_unsent(ann, 1, 2, 3, 4, 5)
    expect(ann.banner).to_contain_text(WAITING.format(1))
    all_arrived(ann, db, 1)  # by itself
    assert len(refusals) == 2


def test_an_answer_whose_receipt_was_lost_is_not_counted_twice(ann: Judge, db: Database) -> None:
    lost = []

    def lose(route: Route) -> None:
        if not lost:
            lost.append(route.fetch())  # the server stores it, the judge never hears
            route.abort()
        else:
            route.continue_()

    ann.page.route("**/answer", lose)
    with ann.sending():
        answer_unsent(ann, 1, 2, 3, 4, 5)
    all_arrived(ann, db, 1)
    assert [receipt.status for receipt in lost] == [200]


@on_sqlite
def test_an_answer_whose_receipt_was_lost_is_counted_once_after_a_reload(ann: Judge, db: Database) -> None:
    lost = []

    def lose(route: Route) -> None:
        if not lost:
            lost.append(route.fetch())
        route.abort()

    ann.page.route("**/answer", lose)
    answer_unsent(ann, 1, 2, 3, 4, 5)
    answer_unsent(ann, 5, 4, 3, 2, 1)
    expect(ann.banner).to_contain_text(WAITING.format(2))
    assert len(stored(db)) == 1
    ann.page.reload()  # the server counts the first answer, of which this device does not know that it arrived
    expect(ann.banner).to_contain_text(WAITING.format(2))
    expect(ann.progress).to_have_text("2 of 12")
    ann.page.unroute("**/answer")
    ann.page.get_by_role("button", name="Try now").click()
    all_arrived(ann, db, 2)


def test_answers_of_someone_signed_out_meanwhile_wait_for_the_next_sign_in(
    ann: Judge, db: Database, person: Person
) -> None:
    revoke(db, person)
    answer_unsent(ann, 1, 2, 3, 4, 5)
    answer_unsent(ann, 5, 4, 3, 2, 1)
    expect(ann.banner).to_contain_text("You are no longer signed in. Open the link you were invited with again")
    assert stored(db) == []
    ann.page.get_by_role("button", name="Try now").click()
    expect(ann.page.get_by_role("heading", level=1)).to_have_text("You are not signed in")
    ann.join(invite(db, find_person(db, "news", "ann")))
    all_arrived(ann, db, 2)


@on_sqlite
def test_what_one_judge_left_on_a_device_is_not_sent_by_another(ann: Judge, db: Database, person: Person) -> None:
    revoke(db, person)
    answer_unsent(ann, 1, 2, 3, 4, 5)
    expect(ann.banner).to_contain_text("You are no longer signed in.")
    ann.join(invite(db, new_judge(db, "ben")))
    expect(ann.progress).to_have_text("0 of 12")
    expect(ann.banner).to_be_empty()
    ann.answer(5, 5, 5, 5, 5)
    assert [ranks for _, _, ranks, _, _ in stored(db)] == [[5, 5, 5, 5, 5]]
    ann.join(invite(db, person))
    ann.until(lambda: len(stored(db)) == 2)
    assert stored(db)[1][2] == [1, 2, 3, 4, 5]


@on_sqlite
def test_answers_are_sent_from_the_page_of_thanks_too(visit: Visit, db: Database, server: Server) -> None:
    new_campaign(db, sample_texts(3), **{"hit.lease_minutes": 60})
    ann = visit(new_judge(db))
    ann.until_fetched_ahead()
    ann.failures = True
    server.stop()
    for _ in range(3):
        answer_unsent(ann, 1, 2, 3, 4, 5)
    expect(ann.banner).to_contain_text(WAITING.format(3))
    ann.page.goto("about:blank")
    server.start()
    db.clock.forward(minutes=61)  # the work goes back to the pool, and another judge does it
    ben = visit(new_judge(db, "ben"))
    for _ in range(3):
        ben.answer(5, 4, 3, 2, 1)
    ann.open("/c/news/judge")
    expect(ann.page.get_by_role("heading", level=1)).to_have_text("Thank you")
    expect(ann.page.get_by_text("Screens judged: 3")).to_be_visible()
    assert len(stored(db)) == 6


@on_sqlite
def test_a_window_that_waits_goes_on_when_another_has_sent_its_answers(ann: Judge, db: Database) -> None:
    ann.page.route("**/answer", lambda route: route.abort())  # in this window alone
    for _ in range(3):
        answer_unsent(ann, 1, 2, 3, 4, 5)
    expect(ann.status).to_contain_text("This was the last screen loaded on this device.")
    last = ann.screen
    ann.another_tab()
    expect(ann.page.locator(f"#work[data-screen='{last}']")).to_have_count(0)
    all_arrived(ann, db, 3)


@on_sqlite
def test_a_change_made_without_a_network_builds_on_the_answer_before_it(ann: Judge, db: Database) -> None:
    context = ann.page.context
    first = ann.screen
    context.set_offline(True)
    answer_unsent(ann, 1, 2, 3, 4, 5)
    expect(ann.progress).to_have_text("1 of 12")
    second = ann.screen
    ann.rank(None, 4)
    ann.page.get_by_role("link", name="Change my last answer").click()
    ann.shows(1, 2, 3, 4, 5)
    expect(ann.status).to_have_text("Your answer to this screen is waiting to be sent. You can still change it.")
    ann.radio(1, 5).check()
    ann.submit()
    expect(ann.progress).to_have_text("1 of 12")  # a change counts no second time
    assert ann.screen == second
    ann.shows(None, 4, None, None, None)  # what was begun there is still there
    context.set_offline(False)
    ann.until(lambda: len(stored(db)) == 2)
    assert [row[:3] for row in stored(db)] == [(first, 1, [1, 2, 3, 4, 5]), (first, 2, [5, 2, 3, 4, 5])]


@on_sqlite
def test_the_back_button_works_without_a_network(ann: Judge, db: Database) -> None:
    first = ann.screen
    ann.page.context.set_offline(True)
    answer_unsent(ann, 1, 2, 3, 4, 5)
    expect(ann.progress).to_have_text("1 of 12")
    second = ann.screen
    ann.page.go_back()
    expect(ann.page.locator("#work")).to_have_attribute("data-screen", first)
    ann.shows(1, 2, 3, 4, 5)
    ann.page.go_forward()
    expect(ann.page.locator("#work")).to_have_attribute("data-screen", second)
    ann.page.context.set_offline(False)
    ann.until(lambda: len(stored(db)) == 1)


@on_sqlite
def test_a_browser_that_keeps_nothing_warns_before_it_is_closed(visit: Visit, db: Database, person: Person) -> None:
    ann = visit()
    ann.page.add_init_script(
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }"
    )
    ann.join(invite(db, person))
    ann.until_fetched_ahead()
    ann.failures = True
    ann.page.context.set_offline(True)
    answer_unsent(ann, 1, 2, 3, 4, 5)
    expect(ann.banner).to_contain_text("This browser cannot keep answers on the device.")
    with ann.page.expect_event("dialog") as asked:
        ann.page.close(run_before_unload=True)
    assert asked.value.type == "beforeunload"
    asked.value.dismiss()
    ann.page.context.set_offline(False)
    all_arrived(ann, db, 1)
