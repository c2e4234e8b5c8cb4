"""How the pages look: on a phone, enlarged, in the dark, without motion; and the differences that can be shown."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from browsers import PHONE, Judge, Visit, on_sqlite
from playwright.sync_api import Page, expect
from stores import new_campaign, new_judge, sample_texts

from palmares.campaign import Role
from palmares.campaign.database import Database
from palmares.campaign.people import add_person, invite
from palmares.texts import LanguagePair, Segment
from palmares.texts.testset import make

pytestmark = on_sqlite

#: What a finger aims at. Links in running text are left out: lines are as close as they are.
TARGETS = "main a:not(p a), header a, footer a, .banner a, button, summary, .rank, .choice, .toggle, textarea"
TOO_SMALL = """elements => elements.filter(element => element.checkVisibility()).flatMap(element => {
    const { width, height } = element.getBoundingClientRect();
    return width < 44 || height < 44 ? [`${element.outerHTML.slice(0, 80)}: ${width} x ${height}`] : [];
})"""


TWICE_AS_LARGE = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(":root { font-size: 200%; }");
    document.adoptedStyleSheets = [sheet];
}"""


def sticks_out(page: Page) -> list[str]:
    """The elements that are wider than the window, if it has to be scrolled sideways."""
    return page.evaluate(
        """() => {
            const root = document.documentElement;
            if (root.scrollWidth <= root.clientWidth) return [];
            const right = element => element.getBoundingClientRect().right;
            return [...document.querySelectorAll("body *")].filter(element => right(element) > root.clientWidth)
                .map(element => element.outerHTML.slice(0, 80));
        }"""
    )


def pages(visit: Visit, db: Database, **options: object) -> Iterator[Judge]:
    """Lead a judge from the link to thanks, and stop at everything there is to see on the way."""
    new_campaign(db, sample_texts(1), **{"judge.practice": True})
    ann = visit(**options)
    page = ann.page
    ann.open(f"/join/{invite(db, add_person(db, 'news', Role.JUDGE, 'ann'))}")
    yield ann
    page.locator("main button").click()
    page.wait_for_url("**/welcome")
    yield ann
    page.locator("[name=accept]").check()
    page.locator("main button").click()
    page.wait_for_url("**/screens/*")
    ann.submit()  # nothing is ranked
    expect(page.locator("#missing")).to_be_visible()
    page.locator("#skip > summary").click()
    page.locator("#keys > summary").click()
    yield ann
    ann.rank(1, 2, 2, 3, 3)
    ann.submit()
    page.wait_for_url("**/practised/*")
    yield ann
    page.locator("main a.primary").click()
    page.wait_for_url("**/screens/*")
    yield ann
    ann.answer(1, 2, 3, 4, 5)
    expect(page.locator(".done")).to_be_visible()
    yield ann


def test_a_phone_shows_every_page_without_scrolling_sideways_and_with_room_for_fingers(
    visit: Visit, db: Database
) -> None:
    seen = 0
    for ann in pages(visit, db, viewport=PHONE, has_touch=True, is_mobile=True):
        assert sticks_out(ann.page) == []
        assert ann.page.locator(TARGETS).evaluate_all(TOO_SMALL) == []
        seen += 1
    assert seen == 6


def test_seven_outputs_fit_a_phone(visit: Visit, db: Database) -> None:
    new_campaign(db, sample_texts(4, tuple("ABCDEFGH")), **{"screen.outputs": 7})
    ann = visit(new_judge(db), viewport=PHONE)
    assert ann.page.locator("#output-7 .rank").count() == 7
    assert sticks_out(ann.page) == []
    assert ann.page.locator(".rank").evaluate_all(TOO_SMALL) == []


def test_every_page_reflows_at_320_pixels_and_with_text_twice_as_large(visit: Visit, db: Database) -> None:
    for ann in pages(visit, db, viewport={"width": 320, "height": 640}):
        assert sticks_out(ann.page) == []
        ann.page.evaluate(TWICE_AS_LARGE)
        assert sticks_out(ann.page) == []


@pytest.mark.parametrize("words", [10, 200], ids=["short", "long"])
def test_pairs_reflow_at_320_pixels_and_leave_room_for_fingers(visit: Visit, db: Database, words: int) -> None:
    texts = {name: [" ".join(f"{name}{i}" for i in range(words))] for name in "AB"}
    segments = [Segment("1", None, " ".join(["mot"] * words), None)]
    new_campaign(
        db, make(LanguagePair.parse("fr-en"), segments, texts), **{"screen.outputs": 2, "screen.both_bad": True}
    )
    page = visit(new_judge(db), viewport={"width": 320, "height": 640}, locale="de").page
    page.keyboard.press("c")
    assert sticks_out(page) == []
    assert page.locator(f"{TARGETS}, .pair-choice").evaluate_all(TOO_SMALL) == []
    page.evaluate(TWICE_AS_LARGE)
    assert sticks_out(page) == []


def test_long_words_and_addresses_break(visit: Visit, db: Database) -> None:
    address = "https://example.org/" + "a" * 300
    texts = sample_texts(2)
    long = {system: [f"{text} {address}" for text in outputs] for system, outputs in texts.outputs.items()}
    new_campaign(db, type(texts)(texts.langs, texts.segments, {s: tuple(o) for s, o in long.items()}))
    ann = visit(new_judge(db), viewport=PHONE)
    expect(ann.output(1)).to_contain_text(address)
    assert sticks_out(ann.page) == []


# -- light, dark, motion -----------------------------------------------------------------------------------


def brightness(page: Page, selector: str, colour: str) -> float:
    """The mean of a computed colour's red, green and blue, from 0 to 255."""
    value = page.locator(selector).evaluate("(element, name) => getComputedStyle(element)[name]", colour)
    parts = [float(part) for part in value.removeprefix("rgb(").removesuffix(")").split(",")]
    return sum(parts) / 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_what_the_judge_prefers(visit: Visit, db: Database, scheme: str) -> None:
    new_campaign(db)
    page = visit(new_judge(db), color_scheme=scheme).page
    background, ink = brightness(page, "body", "backgroundColor"), brightness(page, "#output-1 .text", "color")
    assert (background > 200 and ink < 60) if scheme == "light" else (background < 60 and ink > 200)


def test_a_chosen_rank_is_told_by_more_than_colour(visit: Visit, db: Database) -> None:
    new_campaign(db)
    ann = visit(new_judge(db), forced_colors="active")  # colours of the system: ours are gone
    chosen, other = (ann.page.locator(f"#output-1 .rank:nth-child({rank}) .number") for rank in (2, 3))
    ann.rank(2)
    expect(chosen).to_have_css("text-decoration-line", "underline")
    expect(other).to_have_css("text-decoration-line", "none")


@pytest.mark.parametrize(("motion", "duration"), [("reduce", "0s"), ("no-preference", "0.09s")])
def test_nothing_moves_if_the_judge_prefers_that(visit: Visit, db: Database, motion: str, duration: str) -> None:
    new_campaign(db)
    page = visit(new_judge(db), reduced_motion=motion).page
    durations = page.locator("#output-1").evaluate("element => getComputedStyle(element).transitionDuration")
    assert set(durations.split(", ")) == {duration}


# -- differences -------------------------------------------------------------------------------------------


def test_differences_are_shown_when_asked_for_and_the_wish_is_remembered(visit: Visit, db: Database) -> None:
    new_campaign(db)
    ann = visit(new_judge(db))
    box = ann.page.get_by_label("Show where the outputs differ")
    word = ann.output(1).locator(".differs")
    expect(box).not_to_be_checked()
    expect(word).to_have_text(re.compile("one|two|three|four|five|six"))  # the word in which the outputs differ
    expect(word).to_have_css("background-color", "rgba(0, 0, 0, 0)")
    ann.page.keyboard.press("d")
    expect(box).to_be_checked()
    expect(word).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")
    expect(word).to_have_css("text-decoration-line", "underline")
    ann.answer(1, 2, 3, 4, 5)
    expect(box).to_be_checked()  # on the next screen
    ann.page.reload()
    expect(box).to_be_checked()
    ann.page.keyboard.press("d")
    expect(box).not_to_be_checked()
    expect(word).to_have_css("background-color", "rgba(0, 0, 0, 0)")


@pytest.mark.parametrize("matters", [True, False])
def test_white_space_is_made_visible_where_it_matters(visit: Visit, db: Database, matters: bool) -> None:
    texts = make(
        LanguagePair.parse("fr-en"),
        [Segment("1", None, "Bonjour.", None)],
        {"A": ["Good  day to you."], "B": ["Good day to you."], "C": ["Something else."]},
    )
    new_campaign(db, texts, **{"screen.spacing": matters, "screen.outputs": 3})
    page = visit(new_judge(db)).page
    signs = page.locator(".spacing").evaluate_all(
        "spans => spans.map(span => getComputedStyle(span, '::before').content.match(/·+/)[0])"
    )
    assert sorted(signs) == (["·", "··"] if matters else [])
    assert "Good  day to you." in page.locator(".output .text").all_text_contents() or not matters


def test_sentences_around_the_segment_are_set_apart(visit: Visit, db: Database) -> None:
    new_campaign(db)
    page = visit(new_judge(db)).page
    source, context = page.locator(".source"), page.locator(".context").first
    size = "element => parseFloat(getComputedStyle(element).fontSize)"
    assert context.evaluate(size) < 0.85 * source.evaluate(size)
    expect(context.locator(".context-name")).to_have_text(re.compile("Sentence (before|after)"))
    expect(context.locator(".context-name")).to_be_visible()
    rules = context.evaluate(
        "element => [getComputedStyle(element).borderTopWidth, getComputedStyle(element).borderBottomWidth]"
    )
    assert sorted(rules) == ["0px", "1px"]


def test_there_is_one_counter(visit: Visit, db: Database) -> None:
    new_campaign(db)
    page = visit(new_judge(db)).page
    expect(page.locator(".where")).to_have_text("0 of 12")


# -- the watch that every test here keeps ------------------------------------------------------------------


def test_a_planted_violation_of_the_content_security_policy_is_noticed(visit: Visit, db: Database) -> None:
    ann = visit()
    ann.open("/")
    ann.page.evaluate("document.head.append(Object.assign(document.createElement('script'), { textContent: '1' }))")
    ann.until(lambda: len(ann.problems) == 1)
    assert "Content Security Policy" in ann.problems.pop()


def test_a_planted_exception_is_noticed(visit: Visit, db: Database) -> None:
    ann = visit()
    ann.open("/")
    ann.page.evaluate("setTimeout(() => { throw new Error('planted') })")
    ann.until(lambda: len(ann.problems) == 1)
    assert "planted" in ann.problems.pop()
