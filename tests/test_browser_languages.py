"""Texts in their own language and direction, whatever the page speaks; and a page that speaks the judge's language."""

from __future__ import annotations

import pytest
from browsers import Judge, Visit, check_accessibility, on_sqlite
from playwright.sync_api import Locator, expect
from stores import new_campaign, new_judge

from palmares.campaign import Role
from palmares.campaign.database import Database
from palmares.campaign.people import add_person
from palmares.texts import LanguagePair, Segment, TestSet
from palmares.texts.testset import make

pytestmark = on_sqlite

SENTENCES = {
    "ar": ("افتتحت المدينة خطاً جديداً للترام.", "فتحت المدينة خط ترام جديد.", "المدينة تفتتح ترامًا."),
    "zh_Hans": ("该市开通了新的电车线路。", "城市开了一条新电车线。", "这座城市有新的电车。"),
    "hi": ("शहर ने नई ट्राम लाइन शुरू की।", "शहर में नई ट्राम चली।", "नगर ने ट्राम खोली।"),
}


def texts(target: str) -> TestSet:
    """Three English sentences of one document, each with three outputs in another language."""
    outputs = {f"s{k}": [f"{sentence} {i}" for i in range(3)] for k, sentence in enumerate(SENTENCES[target])}
    sources = [Segment(str(i), "doc", f"The city has opened a new tram line, number {i}.", None) for i in range(3)]
    return make(LanguagePair.parse(f"en-{target}"), sources, outputs)


def judge_of(visit: Visit, db: Database, target: str, ui: str = "en", **options: object) -> Judge:
    new_campaign(db, texts(target), **{"screen.outputs": 3})
    judge = visit(new_judge(db), **options)
    if ui != "en":
        judge.open(f"/c/news/judge/instructions?ui={ui}")
        judge.open()
    return judge


def starts_at(text: Locator) -> str:
    """The side on which the first letter of a text is drawn."""
    return str(
        text.evaluate(
            """element => {
                const range = document.createRange();
                const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
                const node = walker.nextNode();
                range.setStart(node, 0);
                range.setEnd(node, 1);
                const letter = range.getBoundingClientRect(), box = element.getBoundingClientRect();
                return letter.left - box.left < box.right - letter.right ? "left" : "right";
            }"""
        )
    )


@pytest.mark.parametrize(
    ("target", "tag", "direction", "side", "font"),
    [
        ("ar", "ar", "rtl", "right", "Noto Naskh Arabic"),
        ("zh_Hans", "zh-Hans", "ltr", "left", "Noto Sans CJK SC"),
        ("hi", "hi", "ltr", "left", "Noto Sans Devanagari"),
    ],
)
def test_outputs_have_the_language_direction_and_font_of_their_own(
    visit: Visit, db: Database, target: str, tag: str, direction: str, side: str, font: str
) -> None:
    ann = judge_of(visit, db, target)
    expect(ann.page.locator("html")).to_have_attribute("lang", "en")
    expect(ann.page.locator("html")).to_have_attribute("dir", "ltr")
    for place in (1, 2, 3):
        text = ann.output(place).locator(".text")
        expect(text).to_have_attribute("lang", tag)
        expect(text).to_have_css("direction", direction)
        assert font in text.evaluate("element => getComputedStyle(element).fontFamily")
        assert starts_at(text) == side
    source = ann.page.locator(".source")
    assert source.evaluate("element => element.closest('[lang]').lang") == "en"
    assert starts_at(source) == "left"


def test_an_arabic_page_is_mirrored_and_english_texts_on_it_are_not(visit: Visit, db: Database) -> None:
    ann = judge_of(visit, db, "ar", ui="ar")
    page = ann.page
    expect(page.locator("html")).to_have_attribute("lang", "ar")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(ann.progress).to_have_text("0 من 3")
    expect(page.locator(".source")).to_have_css("direction", "ltr")
    assert starts_at(page.locator(".source")) == "left"
    assert starts_at(page.locator("#output-1 .text")) == "right"
    one, three = (page.locator(f"input[name=rank-1][value='{rank}']").bounding_box() for rank in (1, 3))
    assert one["x"] > three["x"]  # best is where reading begins
    text, scale = (page.locator(f"#output-1 {part}").bounding_box() for part in (".text", ".scale"))
    assert text["x"] > scale["x"]
    ann.answer(1, 2, 3)
    expect(ann.progress).to_have_text("1 من 3")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")


def test_the_judge_changes_the_language_and_keeps_what_was_ranked(visit: Visit, db: Database) -> None:
    ann = judge_of(visit, db, "hi")
    ann.rank(2, 1)
    ann.page.get_by_role("link", name="Deutsch").click()
    expect(ann.page.locator("html")).to_have_attribute("lang", "de")
    ann.shows(2, 1, None)
    ann.page.wait_for_load_state()
    ann.rank(None, None, 3)
    with ann.sending():
        ann.submit()
    expect(ann.progress).to_have_text("1 von 3")
    ann.open()  # without a word in the address: it is remembered
    expect(ann.page.locator("html")).to_have_attribute("lang", "de")


def test_the_page_speaks_the_language_of_the_browser(visit: Visit, db: Database) -> None:
    ann = visit(locale="ar-EG")
    ann.failures = True  # the page says that there is nothing here, with status 404
    ann.open("/nowhere")
    expect(ann.page.locator("html")).to_have_attribute("lang", "ar")
    expect(ann.page.locator("html")).to_have_attribute("dir", "rtl")


# -- prompts and answers -----------------------------------------------------------------------------------

PROMPT = {"task.vocabulary": "prompt", "task.markup": "markdown", "screen.outputs": 3, "judge.practice": True}


def prompts() -> TestSet:
    """A prompt in no language that was named, and Markdown for answers."""
    answers = {s: [f"# {s} says\n\n1. First\n2. `second`\n\n| a | b |\n| - | - |\n| {s} | 2 |"] for s in "XYZ"}
    return make(LanguagePair("", ""), [Segment("1", None, "How do I *sort* a list?", None)], answers)


def test_a_campaign_of_prompts_speaks_of_answers_from_the_instructions_to_the_scripts(
    visit: Visit, db: Database
) -> None:
    new_campaign(db, prompts(), **PROMPT)
    ann = visit(add_person(db, "news", Role.JUDGE, "ann"))
    page = ann.page
    expect(page.get_by_text("You will see a prompt and several answers to it.")).to_be_visible()
    page.get_by_label("I have read this and agree.").check()
    page.get_by_role("button", name="Continue to a practice screen").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Rank the answers")
    expect(page.get_by_role("region", name="Prompt")).to_contain_text("How do I sort a list?")
    expect(page.get_by_role("radiogroup", name="Answer 3")).to_be_visible()
    expect(page.get_by_label("Show where the answers differ")).to_be_hidden()  # set as Markdown, not as it is written
    text = page.locator("#output-1-text")
    expect(text).to_have_attribute("lang", "")
    expect(text).to_have_attribute("dir", "auto")
    expect(text.locator("table td")).to_have_count(2)
    expect(page.locator("#keys")).not_to_have_attribute("hidden", "")  # the scripts have come
    page.keyboard.press("2")
    expect(page.locator("#announcer")).to_have_text("Answer 1: rank 2.")
    page.keyboard.press("Enter")
    expect(page.locator("#missing")).to_have_text("Answers 2 and 3 are not ranked yet.")
    check_accessibility(page)
    page.keyboard.press("k")
    ann.rank(1, 2, 3)
    ann.submit()
    expect(page.get_by_text("You gave every answer a rank of its own.")).to_be_visible()


@pytest.mark.parametrize(
    ("ui", "title"), [("de", "Vergleichen Sie die beiden Antworten"), ("ar", "المقارنة بين الردّين")]
)
def test_the_words_of_prompts_are_there_in_other_languages(visit: Visit, db: Database, ui: str, title: str) -> None:
    new_campaign(db, prompts(), **{**PROMPT, "screen.outputs": 2, "judge.practice": False})
    page = visit(new_judge(db), locale=ui).page
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    check_accessibility(page)


def test_the_question_of_the_campaign_is_asked_in_its_own_direction(visit: Visit, db: Database) -> None:
    new_campaign(db, prompts(), **{"task.question": "أيّ الإجابتين أنفع؟", "screen.outputs": 2})
    page = visit(new_judge(db)).page
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("أيّ الإجابتين أنفع؟")
    expect(heading).to_have_css("direction", "rtl")
    expect(page.get_by_role("radiogroup", name="أيّ الإجابتين أنفع؟")).to_be_visible()
    expect(page).to_have_title("أيّ الإجابتين أنفع؟ · news")
