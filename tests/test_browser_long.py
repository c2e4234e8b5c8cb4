"""Texts of 600 words: source and scale stay in view, keys lead to the tops of outputs, and nothing jumps."""

from __future__ import annotations

import pytest
from browsers import Judge, Visit, check_accessibility, on_sqlite
from playwright.sync_api import expect
from stores import new_campaign, new_judge

from palmares.campaign.database import Database
from palmares.texts import LanguagePair, Segment, TestSet
from palmares.texts.testset import make

pytestmark = on_sqlite

DESKTOP, WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 1920, "height": 1080}, {"width": 390, "height": 844}
#: From the top of the window: where source and reference end, and the boxes of an output and of its scale.
BOXES = """place => {
    const box = selector => document.querySelector(selector).getBoundingClientRect();
    const edges = selector => ["top", "bottom", "left", "right"].map(side => box(selector)[side]);
    const middle = box(`#output-${place} .rank`);
    const under = document.elementFromPoint(middle.x + middle.width / 2, middle.y + middle.height / 2);
    return {
        given: edges("#given"), output: edges(`#output-${place}`), scale: edges(`#output-${place} .ranks`),
        window: innerHeight, reachable: under?.closest(".output")?.id === `output-${place}`,
    };
}"""
SHIFTS = """() => new Promise(resolve => {
    const found = [];
    const name = node => node?.id || node?.className || node?.nodeName;
    const noted = list => list.getEntries().forEach(entry => found.push(
        `${entry.value}: ${entry.sources.map(source => name(source.node)).join(", ")}`));
    new PerformanceObserver(noted).observe({ type: "layout-shift", buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(found), 50)));
})"""


def long_texts(systems: str, words: int = 600) -> TestSet:
    """Texts in three paragraphs, every one with words of its own."""

    def text(name: str) -> str:
        paragraphs = [" ".join(f"{name}{p}{i}" for i in range(words // 3)) for p in "xyz"]
        return "\n\n".join(paragraphs)

    segments = [Segment(str(i), None, text(f"s{i}"), text(f"r{i}")) for i in range(3)]
    return make(LanguagePair.parse("fr-en"), segments, {s: [text(f"{s}{i}") for i in range(3)] for s in systems})


def reader(visit: Visit, db: Database, systems: str, window: dict[str, int], **settings: object) -> Judge:
    new_campaign(db, long_texts(systems), **{"screen.outputs": len(systems), **settings})
    ann = visit(new_judge(db), viewport=window)
    ann.page.wait_for_load_state()
    return ann


def read_on(ann: Judge, place: int, part: float) -> None:
    """Scroll until so much of an output is above the middle of the window."""
    ann.page.evaluate(
        """([place, part]) => {
            const { top, height } = document.getElementById(`output-${place}`).getBoundingClientRect();
            scrollBy({ top: top + part * height - innerHeight / 2, behavior: "instant" });
        }""",
        [place, part],
    )
    ann.page.wait_for_timeout(50)


@pytest.mark.parametrize(
    ("window", "systems"),
    [(DESKTOP, "ABCDE"), (WIDE, "ABCDE"), (PHONE, "ABCDE"), (DESKTOP, "ABC"), (PHONE, "ABC")],
    ids=["desktop", "wide", "phone", "desktop, three", "phone, three"],
)
def test_source_and_scale_stay_in_view_while_an_output_is_read(
    visit: Visit, db: Database, window: dict[str, int], systems: str
) -> None:
    ann = reader(visit, db, systems, window)
    for place, part in ((1, 0.3), (2, 0.15), (2, 0.5), (2, 0.85), (3, 0.5)):
        read_on(ann, place, part)
        seen = ann.page.evaluate(BOXES, place)
        top, bottom = seen["given"][:2]
        assert top == 0
        assert 40 <= bottom <= 0.45 * window["height"]  # in view, and most of the window is left
        assert bottom <= seen["scale"][0]
        assert seen["scale"][1] <= seen["window"]
        assert seen["reachable"]
    ann.radio(3, 2).check()
    ann.shows(None, None, 2)


@pytest.mark.parametrize("window", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_key_brings_the_top_of_the_next_output_into_view(visit: Visit, db: Database, window: dict[str, int]) -> None:
    ann = reader(visit, db, "ABCDE", window)
    read_on(ann, 1, 0.7)
    for key, place in (("2", 2), ("j", 3), ("ArrowDown", 4), ("k", 3), ("ArrowUp", 2), ("1", 3)):
        ann.page.keyboard.press(key)
        expect(ann.output(place)).to_be_focused()
        seen = ann.page.evaluate(BOXES, place)
        assert 0 <= seen["output"][0] - seen["given"][1] <= 40, key  # just below the source
        read_on(ann, place, 0.6)


@pytest.mark.parametrize("window", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_jumps(visit: Visit, db: Database, window: dict[str, int]) -> None:
    """Neither when the page comes, nor when messages do, nor when the source is folded while an output is read."""
    ann = reader(visit, db, "ABCDE", window)
    page = ann.page
    expect(page.locator("#keys")).to_be_visible()  # the scripts have run
    ann.submit()
    expect(page.locator("#missing")).to_be_visible()
    page.locator("#submit").scroll_into_view_if_needed()
    for place in range(1, 6):
        ann.radio(place, place).dispatch_event("click")
    expect(page.locator("#missing")).to_be_hidden()
    expect(ann.status).to_have_text("Saved")
    read_on(ann, 3, 0.5)
    before = page.evaluate(BOXES, 3)
    toggle = page.locator("#given-toggle").bounding_box()
    page.mouse.click(toggle["x"] + 20, toggle["y"] + 20)  # Playwright's own click would scroll the page first
    page.wait_for_timeout(100)
    after = page.evaluate(BOXES, 3)
    assert abs(before["given"][1] - after["given"][1]) > 100
    assert abs(before["output"][0] - after["output"][0]) <= 1
    assert page.evaluate(SHIFTS) == []


def test_a_planted_shift_is_measured(visit: Visit, db: Database) -> None:
    ann = reader(visit, db, "ABCDE", DESKTOP)
    ann.page.evaluate("document.querySelector('.outputs').insertAdjacentHTML('beforebegin', '<p>planted</p>')")
    assert len(ann.page.evaluate(SHIFTS)) == 1


def test_the_source_is_one_line_on_a_phone_until_it_is_opened_and_stays_as_it_was_left(
    visit: Visit, db: Database
) -> None:
    ann = reader(visit, db, "ABCDE", PHONE)
    page, toggle = ann.page, ann.page.locator("#given-toggle")

    def height() -> float:
        return page.locator("#given").evaluate("element => element.getBoundingClientRect().height")

    assert height() < 56
    expect(toggle).to_have_attribute("aria-expanded", "false")
    expect(page.locator(".source")).to_be_visible()
    toggle.tap() if page.evaluate("navigator.maxTouchPoints") else toggle.click()
    assert 200 < height() < 0.5 * PHONE["height"]
    expect(toggle).to_have_attribute("aria-expanded", "true")
    ann.answer(1, 2, 3, 4, 5)
    expect(toggle).to_have_attribute("aria-expanded", "true")  # on the next screen
    page.reload()
    expect(toggle).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("o")
    page.reload()
    expect(toggle).to_have_attribute("aria-expanded", "false")
    assert height() < 56
    for _ in range(2):
        ann.answer(1, 2, 3, 4, 5)
    expect(page.locator(".done")).to_be_visible()


def test_three_stand_side_by_side_where_there_is_room_and_five_do_not(visit: Visit, db: Database) -> None:
    ann = reader(visit, db, "ABC", DESKTOP)
    boxes = [ann.page.evaluate(BOXES, place)["output"] for place in (1, 2, 3)]
    assert len({top for top, *_ in boxes}) == 1
    assert boxes[0][3] < boxes[1][2] < boxes[1][3] < boxes[2][2]
    ann.page.set_viewport_size(PHONE)
    boxes = [ann.page.evaluate(BOXES, place)["output"] for place in (1, 2, 3)]
    assert boxes[0][1] < boxes[1][0] < boxes[1][1] < boxes[2][0]


@pytest.mark.parametrize("window", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing_on_long_texts(visit: Visit, db: Database, window: dict[str, int]) -> None:
    ann = reader(visit, db, "ABC", window)
    check_accessibility(ann.page)
    ann.page.locator("#given-toggle").click()
    ann.page.keyboard.press("1")
    check_accessibility(ann.page)


def test_short_texts_are_as_they_were(visit: Visit, db: Database) -> None:
    new_campaign(db)
    ann = visit(new_judge(db), viewport=DESKTOP)
    expect(ann.page.locator("#given-toggle")).to_have_count(0)
    expect(ann.page.locator("#given")).to_have_css("position", "static")
    expect(ann.page.locator("#output-1 .ranks")).to_have_css("position", "static")


def test_in_a_low_window_the_button_that_unfolds_the_source_stays_beside_it(visit: Visit, db: Database) -> None:
    ann = reader(visit, db, "ABC", {"width": 640, "height": 400})  # 1280 × 800 at 200 %
    toggle, given = ann.page.locator("#given-toggle").bounding_box(), ann.page.locator("#given").bounding_box()
    assert toggle is not None
    assert given is not None
    assert given["y"] <= toggle["y"] < given["y"] + given["height"]
    ann.page.get_by_role("button", name="Sign out").click(trial=True)  # nothing lies above it
