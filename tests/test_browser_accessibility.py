"""What people hear and feel who do not see the page: names, roles, announcements; and axe-core finds nothing."""

from __future__ import annotations

import pytest
from browsers import PHONE, Judge, Visit, check_accessibility, on_sqlite
from playwright.sync_api import expect
from stores import new_campaign, new_judge, sample_texts

from palmares.campaign import Role
from palmares.campaign.database import Database
from palmares.campaign.people import add_person, invite

pytestmark = on_sqlite


@pytest.fixture
def ann(visit: Visit, db: Database) -> Judge:
    new_campaign(db)
    return visit(new_judge(db))


# -- a screen reader's view --------------------------------------------------------------------------------


def test_a_screen_reads_from_the_source_over_named_outputs_to_the_button(visit: Visit, db: Database) -> None:
    new_campaign(db, sample_texts(1, ("A", "B", "C")), **{"screen.outputs": 3})
    ann = visit(new_judge(db))
    expect(ann.page.locator("main")).to_match_aria_snapshot(
        """
        - main:
          - heading "Rank the outputs" [level=1]
          - progressbar "Your progress"
          - text: 0 of 1
          - region "Source":
            - heading "Source" [level=2]
            - paragraph: Phrase numéro 0 du texte.
          - region "Reference":
            - heading "Reference" [level=2]
            - paragraph: Reference 0.
          - form "Rank the outputs":
            - heading "Outputs" [level=2]
            - paragraph: 1 is best, 3 is worst. Outputs that are equally good may share a rank.
            - checkbox "Show where the outputs differ"
            - radiogroup "Output 1":
              - paragraph: /Sentence 0 says \\w+ things here now\\./
              - radio "1 best"
              - radio "2"
              - radio "3 worst"
            - radiogroup "Output 2":
              - paragraph: /Sentence 0 says \\w+ things here now\\./
              - radio "1 best"
              - radio "2"
              - radio "3 worst"
            - radiogroup "Output 3":
              - paragraph: /Sentence 0 says \\w+ things here now\\./
              - radio "1 best"
              - radio "2"
              - radio "3 worst"
            - button "Submit"
            - button "Undo" [disabled]
        """
    )


def test_a_pair_reads_from_the_source_over_both_outputs_to_one_choice(visit: Visit, db: Database) -> None:
    new_campaign(db, sample_texts(1, ("A", "B")), **{"screen.outputs": 2, "screen.both_bad": True})
    ann = visit(new_judge(db))
    expect(ann.page.locator("form#answer")).to_match_aria_snapshot(
        """
        - form "Compare the two outputs":
          - heading "Outputs" [level=2]
          - paragraph: Which is better?
          - checkbox "Show where the outputs differ"
          - group "Output A":
            - heading "Output A" [level=3]
            - paragraph: /Sentence 0 says \\w+ things here now\\./
          - group "Output B":
            - heading "Output B" [level=3]
            - paragraph: /Sentence 0 says \\w+ things here now\\./
          - radiogroup "Which is better?":
            - radio "A is better"
            - radio "Tie"
            - radio "Both are bad"
            - radio "B is better"
          - button "Submit"
          - button "Undo" [disabled]
        """
    )


def test_an_output_is_described_by_its_text_and_says_that_a_rank_is_missing(ann: Judge) -> None:
    text = ann.output(2).locator(".text").inner_text()
    expect(ann.output(2)).to_have_accessible_description(text)
    expect(ann.output(2)).to_have_attribute("aria-required", "true")
    ann.rank(1)
    ann.submit()
    expect(ann.page.get_by_role("alert")).to_have_text("Outputs 2, 3, 4 and 5 are not ranked yet.")
    expect(ann.output(1)).not_to_have_attribute("aria-invalid", "true")
    expect(ann.output(2)).to_have_attribute("aria-invalid", "true")
    expect(ann.output(2)).to_be_focused()


def test_what_the_keys_do_is_announced(ann: Judge) -> None:
    said = ann.page.locator("#announcer")
    expect(said).to_have_attribute("role", "status")
    for key, words in [
        ("3", "Output 1: rank 3."), ("1", "Output 2: rank 1."), ("u", "Output 2: taken back."),
        ("1", "Output 2: rank 1."), ("2", "Output 3: rank 2."), ("2", "Output 4: rank 2."),
        ("5", "Everything is ranked. Press Enter to submit."),
    ]:  # fmt: skip
        ann.page.keyboard.press(key)
        expect(said).to_have_text(words)


def test_trouble_with_the_network_is_announced_and_saving_is_not(ann: Judge) -> None:
    said = ann.page.locator("#announcer")
    ann.rank(1)
    expect(ann.status).to_have_text("Saved")
    expect(said).to_be_empty()
    ann.failures = True
    ann.page.wait_for_load_state("networkidle")
    ann.page.context.set_offline(True)
    ann.rank(None, 2)
    expect(said).to_have_text("Offline: kept on this device")
    ann.rank(1, 2, 3, 4, 5)
    ann.submit()
    expect(ann.page.get_by_role("status").filter(has_text="Answers waiting to be sent: 1.")).to_be_visible()


def test_a_new_screen_is_begun_at_its_heading(ann: Judge) -> None:
    ann.answer(1, 2, 3, 4, 5)
    expect(ann.page.get_by_role("heading", level=1)).to_be_focused()


# -- axe-core ----------------------------------------------------------------------------------------------


def test_axe_finds_a_planted_fault(ann: Judge) -> None:
    ann.page.evaluate("document.getElementById('skip-note').previousElementSibling.remove()")
    ann.page.locator("#skip > summary").click()
    with pytest.raises(AssertionError, match=r"label: .*skip-note"):
        check_accessibility(ann.page)


def test_axe_finds_nothing_on_the_way_from_the_link_to_thanks(visit: Visit, db: Database) -> None:
    new_campaign(db, sample_texts(1), **{"judge.practice": True})
    ann = visit()
    page = ann.page
    ann.open(f"/join/{invite(db, add_person(db, 'news', Role.JUDGE, 'ann'))}")
    check_accessibility(page)
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/welcome")
    check_accessibility(page)
    page.get_by_label("I have read this and agree.").check()
    page.get_by_role("button", name="Continue to a practice screen").click()
    page.wait_for_url("**/screens/*")
    check_accessibility(page)
    ann.rank(1, 2, 3, 4, 5)
    ann.submit()
    page.wait_for_url("**/practised/*")
    check_accessibility(page)
    page.get_by_role("link", name="Start").click()
    page.wait_for_url("**/screens/*")
    ann.answer(1, 2, 3, 4, 5)
    expect(page.get_by_role("heading", level=1)).to_have_text("Thank you")
    check_accessibility(page)
    ann.open("/c/news/judge/instructions")
    check_accessibility(page)
    ann.open("/")
    check_accessibility(page)
    ann.failures = True
    ann.open("/nowhere")
    check_accessibility(page)


@pytest.mark.parametrize(
    ("ui", "options"),
    [
        ("en", {}),
        ("en", {"color_scheme": "dark"}),
        ("ar", {}),
        ("en", {"viewport": PHONE}),
    ],
    ids=["light", "dark", "Arabic", "phone"],
)
def test_axe_finds_nothing_on_a_screen_whatever_happens_on_it(
    visit: Visit, db: Database, ui: str, options: dict[str, object]
) -> None:
    new_campaign(db, sample_texts(12, langs="en-ar"))
    ann = visit(new_judge(db), **options)
    ann.failures = True
    page = ann.page
    page.goto(f"{page.url}?ui={ui}")
    check_accessibility(page)
    page.locator("#differences").check()
    ann.rank(1, 3)
    ann.submit()
    expect(page.locator("#missing")).to_be_visible()
    page.locator("#skip > summary").click()
    page.locator("#keys > summary").click()
    check_accessibility(page)
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    ann.rank(None, None, 3, 4, 5)
    ann.submit()
    expect(ann.banner).not_to_be_empty()
    check_accessibility(page)


def test_axe_finds_nothing_on_messages_of_the_server(visit: Visit, db: Database) -> None:
    new_campaign(db)
    person = new_judge(db)
    ann, other = (visit(person, java_script_enabled=js) for js in (True, False))
    other.failures = True
    other.rank(1)
    other.submit()
    expect(other.page.get_by_role("alert")).to_be_visible()
    content = other.page.content()
    # axe is a script, so what the page without scripts shows is put before the one with them.
    ann.page.route("**/shown", lambda route: route.fulfill(body=content, content_type="text/html"))
    ann.page.goto(f"{ann.site}/shown")
    check_accessibility(ann.page)
