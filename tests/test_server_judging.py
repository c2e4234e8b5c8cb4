"""The judge's pages as plain forms: everything a judge does without a line of JavaScript."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape

import httpx2 as httpx
import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from stores import SYSTEMS, judge_screens, new_campaign, new_judge, sample_texts
from webs import Visitor, signed_in

from palmares.campaign import Role, schema
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings, change_state, settings_of
from palmares.campaign.people import add_person
from palmares.server.judging import script_words
from palmares.server.words import LANGUAGES, words
from palmares.texts import LanguagePair, Segment
from palmares.texts.testset import make

pytestmark = pytest.mark.any_database


def form(page: httpx.Response, ranks: Sequence[int | None] = (), **more: str) -> dict[str, str]:
    """The fields of a screen's form, with these ranks from the top."""
    hidden = {name: unescape(re.search(rf'name="{name}" value="([^"]*)"', page.text)[1])
              for name in ("submission", "revision")}  # fmt: skip
    chosen = {f"rank-{place}": str(rank) for place, rank in enumerate(ranks, 1) if rank is not None}
    return {**hidden, "action": "answer", "seconds": "", **chosen, **more}


def stored(db: Database) -> list[tuple[int, list[int] | None, str | None, str | None]]:
    """Revision, ranks, reason and note of every judgment, in order."""
    judgment = schema.judgment.c
    with db.read() as tx:
        rows = tx.execute(sa.select(judgment.revision, judgment.ranks, judgment.skip, judgment.note)
                          .order_by(judgment.id))  # fmt: skip
        return [tuple(row) for row in rows]


def checked(page: httpx.Response) -> list[tuple[int, int]]:
    """Which radio buttons are chosen: place and rank."""
    found = re.findall(r'<input type="radio" name="rank-(\d+)" value="(\d+)" checked>', page.text)
    return [(int(place), int(rank)) for place, rank in found]


@pytest.fixture
def ann(app: FastAPI, db: Database) -> Visitor:
    """A judge in a campaign without practice."""
    new_campaign(db, sample_texts(12))
    return signed_in(app, new_judge(db))


# -- the way in ------------------------------------------------------------------------------------------


def test_instructions_consent_and_practice_come_first(app: FastAPI, db: Database) -> None:
    new_campaign(db, **{"judge.practice": True})
    guest = signed_in(app, add_person(db, "news", Role.JUDGE, "Ann"))
    assert guest.page is not None
    assert guest.page.url.path == "/c/news/judge/welcome"
    refused = guest.post("/c/news/judge/welcome")
    assert refused.status_code == 422
    assert "tick the box" in refused.text
    page = guest.post("/c/news/judge/welcome", {"accept": "yes"})
    assert "Practice screen" in page.text
    page = guest.post(page.url.path, form(page, (2, 1, 1, 3, 4)))
    assert "/practised/" in page.url.path
    assert "You used ties" in page.text
    assert re.findall(r"<dt>(Rank \d)</dt>", page.text) == ["Rank 1", "Rank 2", "Rank 3", "Rank 4"]
    assert "0 of 12" in guest.get("/c/news/judge").text


def test_who_compares_two_is_told_to_choose_and_not_to_rank(app: FastAPI, db: Database) -> None:
    new_campaign(db, **{"screen.outputs": 2, "task.vocabulary": "prompt"})
    guest = signed_in(app, add_person(db, "news", Role.JUDGE, "Ann"))
    for path in ("/c/news/judge/welcome", "/c/news/judge/instructions"):
        page = guest.get(path).text
        assert "You will see a <strong>prompt</strong> and two <strong>answers</strong>" in page
        assert "rank the answers" not in page


def test_there_is_no_work_before_consent(app: FastAPI, db: Database) -> None:
    new_campaign(db)
    guest = signed_in(app, add_person(db, "news", Role.JUDGE, "Ann"))
    refused = guest.get("/api/v1/news/work")
    assert (refused.status_code, refused.json()["error"]["kind"]) == (403, "consent-needed")


def test_the_organisers_own_words_are_shown_as_markdown_and_never_as_html(app: FastAPI, db: Database) -> None:
    hostile = "![](https://evil.example/x.png) [bad](javascript:alert(1))"
    texts = {
        "words.instructions": "# Read\n\n**Be fair** <b>bold</b> <script>x</script>",
        "words.consent": f"[rules](https://example.org) {hostile}",
    }
    new_campaign(db, **texts)
    page = signed_in(app, add_person(db, "news", Role.JUDGE, "Ann")).page
    assert page is not None
    assert "<h2>Read</h2>" in page.text
    assert "<strong>Be fair</strong> &lt;b&gt;bold&lt;/b&gt; &lt;script&gt;" in page.text
    assert '<a href="https://example.org" rel="noopener noreferrer" target="_blank">rules</a>' in page.text
    assert "<img" not in page.text
    assert 'href="javascript' not in page.text


# -- answers ---------------------------------------------------------------------------------------------


def test_a_screen_has_no_default_answer(ann: Visitor) -> None:
    page = ann.get("/c/news/judge")
    assert checked(page) == []
    assert len(re.findall(r'type="radio" name="rank-', page.text)) == 25


def test_an_answer_is_stored_and_the_next_screen_comes(ann: Visitor, db: Database) -> None:
    page = ann.get("/c/news/judge")
    after = ann.post(page.url.path, form(page, (1, 2, 2, 4, 5), seconds="12.5"))
    assert after.url.path != page.url.path
    assert "1 of 12" in after.text
    assert stored(db) == [(1, [1, 2, 2, 4, 5], None, None)]
    with db.read() as tx:
        assert tx.execute(sa.select(schema.judgment.c.seconds)).scalar_one() == 12.5


def test_missing_ranks_are_named_and_the_others_kept(ann: Visitor, db: Database) -> None:
    page = ann.get("/c/news/judge")
    refused = ann.post(page.url.path, form(page, (3, None, 1, None, 2)))
    assert refused.status_code == 422
    assert "Outputs 2 and 4 are not ranked yet." in refused.text
    assert checked(refused) == [(1, 3), (3, 1), (5, 2)]
    assert checked(ann.get(page.url.path)) == [(1, 3), (3, 1), (5, 2)]
    assert stored(db) == []


def test_submitting_twice_is_the_same_as_once(ann: Visitor, db: Database) -> None:
    page = ann.get("/c/news/judge")
    fields = form(page, (1, 2, 3, 4, 5))
    csrf = re.search(r'name="csrf" value="(\w+)"', page.text)[1]
    for _ in range(3):
        assert ann.client.post(page.url.path, data={**fields, "csrf": csrf}).status_code == 200
    assert stored(db) == [(1, [1, 2, 3, 4, 5], None, None)]


def test_an_answer_can_be_changed_and_both_are_kept(ann: Visitor, db: Database) -> None:
    first = ann.get("/c/news/judge")
    after = ann.post(first.url.path, form(first, (1, 2, 3, 4, 5)))
    back = re.search(r'id="previous"[^>]* href="([^"]+)"', after.text)[1]
    assert back == first.url.path
    again = ann.get(back)
    assert checked(again) == [(place, place) for place in range(1, 6)]
    assert "You have answered this screen" in again.text
    ann.post(back, form(again, (5, 4, 3, 2, 1)))
    assert stored(db) == [(1, [1, 2, 3, 4, 5], None, None), (2, [5, 4, 3, 2, 1], None, None)]


def test_two_tabs_do_not_overwrite_each_other(ann: Visitor, db: Database) -> None:
    here, there = ann.get("/c/news/judge"), ann.get("/c/news/judge")
    assert here.url == there.url
    ann.post(here.url.path, form(here, (1, 2, 3, 4, 5)))
    ann.page = there
    refused = ann.post(there.url.path, form(there, (5, 4, 3, 2, 1)))
    assert refused.status_code == 409
    assert answers_shown(refused) == [told(1, 2, 3, 4, 5), told(5, 4, 3, 2, 1)]
    assert checked(refused) == [(place, 6 - place) for place in range(1, 6)]
    assert len(stored(db)) == 1
    ann.post(there.url.path, form(refused, (5, 4, 3, 2, 1)))
    assert [row[0] for row in stored(db)] == [1, 2]


def told(*ranks: int) -> str:
    return ", ".join(f"output {place}: rank {rank}" for place, rank in enumerate(ranks, 1))


def answers_shown(page: httpx.Response) -> list[str]:
    """What the page says is stored, and what is not."""
    box = re.search(r'<dl class="two-answers">(.*?)</dl>', page.text, re.DOTALL)
    return [unescape(said) for said in re.findall(r"<dd>([^<]*)</dd>", box[1])] if box else []


def test_what_was_refused_is_never_shown_as_if_it_were_stored(ann: Visitor, db: Database) -> None:
    here, there = ann.get("/c/news/judge"), ann.get("/c/news/judge")
    ann.post(here.url.path, form(here, (1, 2, 3, 4, 5)))
    ann.page = there
    ann.post(there.url.path, form(there, (5, 4, 3, 2, 1)))
    again = ann.get(there.url.path)  # whoever comes back later sees both, too
    assert answers_shown(again) == [told(1, 2, 3, 4, 5), told(5, 4, 3, 2, 1)]
    assert "You have answered this screen." not in again.text
    ann.post(there.url.path, {"action": "keep"})
    kept = ann.get(there.url.path)
    assert answers_shown(kept) == []
    assert "You have answered this screen." in kept.text
    assert checked(kept) == [(place, place) for place in range(1, 6)]
    assert len(stored(db)) == 1


def test_a_refused_skip_can_take_the_place_of_what_is_stored(ann: Visitor, db: Database) -> None:
    here, there = ann.get("/c/news/judge"), ann.get("/c/news/judge")
    ann.post(here.url.path, form(here, (1, 2, 3, 4, 5)))
    ann.page = there
    refused = ann.post(there.url.path, form(there, action="skip", reason="technical", note="odd"))
    assert answers_shown(refused) == [told(1, 2, 3, 4, 5), "skipped (Something is not displayed properly)"]
    box = refused.text[refused.text.index('id="unstored"') :]
    fields = dict(re.findall(r'<input type="hidden" name="([\w-]+)" value="([^"]*)">', box[: box.index("</form>")]))
    assert re.findall(r'name="action" value="(\w+)"', box[: box.index("</form>")]) == ["keep", "skip"]
    ann.post(there.url.path, {**fields, "action": "skip"})
    assert stored(db) == [(1, [1, 2, 3, 4, 5], None, None), (2, None, "technical", "odd")]


def test_a_change_that_was_begun_elsewhere_is_told_from_the_answer(ann: Visitor, db: Database) -> None:
    page = ann.get("/c/news/judge")
    ann.post(page.url.path, form(page, (1, 2, 3, 4, 5)))
    again = ann.get(page.url.path)
    ann.post(page.url.path, form(again, (5, 2, 3, 4, None)))  # incomplete: kept as a draft
    shown = ann.get(page.url.path)
    assert "What is shown below is different, and it is not stored." in shown.text
    assert answers_shown(shown) == [told(1, 2, 3, 4, 5), told(5, 2, 3, 4)]
    # With ranks missing there is no whole answer to put in the place of the stored one.
    box = shown.text[shown.text.index('id="unstored"') :]
    assert re.findall(r'name="action" value="(\w+)"', box[: box.index("</form>")]) == ["keep"]


# -- notes, verdicts and one button for a pair ---------------------------------------------------------------


def latest(db: Database) -> tuple[object, ...]:
    judgment = schema.judgment.c
    query = sa.select(judgment.ranks, judgment.verdict, judgment.note, judgment.problem).order_by(judgment.id.desc())
    with db.read() as tx:
        return tuple(tx.execute(query.limit(1)).one())


def test_a_problem_without_a_word_about_it_is_not_dropped_in_silence(ann: Visitor, db: Database) -> None:
    page = ann.get("/c/news/judge")
    refused = ann.post(page.url.path, form(page, (1, 2, 3, 4, 5), note=" \r\n", problem="yes"))
    assert refused.status_code == 422
    assert "Please say what is wrong, or untick the box." in refused.text
    assert '<details id="comment" class="panel" open>' in refused.text
    assert re.search(r'<input id="problem"[^>]* checked>', refused.text)
    assert checked(refused) == [(place, place) for place in range(1, 6)]
    assert stored(db) == []
    ann.post(page.url.path, form(refused, (1, 2, 3, 4, 5), note="two outputs in one", problem="yes"))
    assert stored(db) == [(1, [1, 2, 3, 4, 5], None, "two outputs in one")]


def test_a_note_and_a_problem_go_with_any_answer(ann: Visitor, db: Database) -> None:
    page = ann.get("/c/news/judge")
    ann.post(page.url.path, form(page, (1, 2, 3, 4, 5), note=" one\r\ntwo ", problem="yes"))
    assert latest(db) == ([1, 2, 3, 4, 5], None, "one\ntwo", True)
    page = ann.get("/c/news/judge")
    ann.post(page.url.path, form(page, (1, 2, 3, 4, 5)))
    assert latest(db) == ([1, 2, 3, 4, 5], None, None, False)


def test_two_tabs_on_a_pair_are_told_in_its_own_words(app: FastAPI, db: Database) -> None:
    new_campaign(db, **{"screen.outputs": 2, "screen.both_bad": True, "screen.one_step": True})
    guest = signed_in(app, new_judge(db))
    here, there = guest.get("/c/news/judge"), guest.get("/c/news/judge")
    guest.post(here.url.path, form(here, pair="both-bad"))
    guest.page = there
    refused = guest.post(there.url.path, form(there, pair="second"))
    assert answers_shown(refused) == ["Both are bad", "B is better"]
    assert '<button form="answer" name="pair" value="second">Replace what is stored</button>' in refused.text


@pytest.mark.parametrize(
    ("fields", "ranks", "verdict"),
    [
        ({"pair": "first"}, [1, 2], None),
        ({"pair": "tie"}, [1, 1], None),
        ({"pair": "second"}, [2, 1], None),
        ({"pair": "both-bad"}, [1, 1], "both-bad"),
        ({"pair": "first", "rank-1": "2", "rank-2": "1"}, [1, 2], None),  # the button that was pressed
        ({"rank-1": "2", "rank-2": "2", "verdict": "both-bad"}, [2, 2], "both-bad"),
    ],
)
def test_a_pair_is_answered_by_one_button(
    app: FastAPI, db: Database, fields: dict[str, str], ranks: list[int], verdict: str | None
) -> None:
    new_campaign(db, **{"screen.outputs": 2})
    guest = signed_in(app, new_judge(db))
    page = guest.get("/c/news/judge")
    guest.post(page.url.path, {**form(page), **fields})
    assert latest(db)[:2] == (ranks, verdict)


def test_skipping_needs_a_reason(ann: Visitor, db: Database) -> None:
    page = ann.get("/c/news/judge")
    refused = ann.post(page.url.path, form(page, action="skip", note="<i>strange</i>"))
    assert refused.status_code == 422
    assert "Choose a reason" in refused.text
    assert "&lt;i&gt;strange&lt;/i&gt;</textarea>" in refused.text
    ann.post(page.url.path, form(refused, action="skip", reason="technical", note="line one\r\nline two"))
    assert stored(db) == [(1, None, "technical", "line one\nline two")]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"rank-1": "6"}, "rank: got 6"),
        ({"rank-1": "one"}, "rank: got &#39;one&#39;"),
        ({"rank-1": "-1"}, "rank: got &#39;-1&#39;"),
        ({"action": "skip", "reason": "bored"}, "reason: got &#39;bored&#39;"),
        ({"action": "skip", "reason": "other", "note": "x" * 501}, "note: got 501 characters"),
        ({"action": "skip", "reason": "other", "note": "a\0b"}, "NUL"),
        ({"revision": "7"}, "the revision must be 0"),
        ({"submission": ""}, "the form is damaged"),
        ({"submission": "x" * 101}, "the form is damaged"),
        ({"revision": "x"}, "the form is damaged"),
        ({"pair": "first"}, "pair: got &#39;first&#39; for 5 outputs"),
        ({"verdict": "both-bad"}, "it is for two outputs with the same rank"),
    ],
)
def test_what_does_not_fit_is_refused(ann: Visitor, db: Database, fields: dict[str, str], says: str) -> None:
    page = ann.get("/c/news/judge")
    refused = ann.post(page.url.path, {**form(page, (1, 2, 3, 4, 5)), **fields})
    assert refused.status_code == 422
    assert says in refused.text
    assert stored(db) == []


def test_a_closed_campaign_takes_no_answers_and_says_so(ann: Visitor, db: Database) -> None:
    page = ann.get("/c/news/judge")
    change_state(db, "news", "closed")
    refused = ann.post(page.url.path, form(page, (1, 2, 3, 4, 5)))
    assert refused.status_code == 409
    assert "<h1>The campaign is closed</h1>" in refused.text
    assert "This answer was not stored." in refused.text
    assert stored(db) == []
    assert "<h1>The campaign is closed</h1>" in ann.post(page.url.path, form(page, (1, None, 3, 4, 5))).text


def test_a_paused_campaign_takes_answers_and_gives_no_new_work(ann: Visitor, db: Database) -> None:
    page = ann.get("/c/news/judge")
    change_state(db, "news", "paused")
    for _ in range(3):  # the work in hand
        page = ann.post(page.url.path, form(page, (1, 2, 3, 4, 5)))
        assert ('id="paused"' in page.text) == ("/screens/" in page.url.path)
    assert "<h1>The campaign is paused</h1>" in page.text
    assert "nothing left for you to judge at the moment" not in page.text
    assert "Screens judged: 3" in page.text
    assert len(stored(db)) == 3
    change_state(db, "news", "open")
    assert "/screens/" in ann.get(again(page)).url.path


def again(page: httpx.Response) -> str:
    """Where the button of a page without work leads."""
    return re.search(r'<a class="button[^"]*" href="([^"]+)"', page.text)[1]


@pytest.mark.parametrize(
    ("state", "title"), [("closed", "The campaign is closed"), ("paused", "The campaign is paused")]
)
def test_nobody_is_asked_to_consent_where_there_is_no_work(app: FastAPI, db: Database, state: str, title: str) -> None:
    new_campaign(db, **{"judge.practice": True})
    person = add_person(db, "news", Role.JUDGE, "Ann")
    change_state(db, "news", state)
    guest = signed_in(app, person)
    for page in (
        guest.page,
        guest.get("/c/news/judge/welcome"),
        guest.post("/c/news/judge/welcome", {"accept": "yes"}),
    ):
        assert page is not None
        assert f"<h1>{title}</h1>" in page.text
        assert 'name="accept"' not in page.text
    with db.read() as tx:
        consented = sa.select(schema.person.c.consented_at)
        assert tx.execute(consented.where(schema.person.c.id == person.id)).scalar_one() is None


def test_a_closed_campaign_shows_no_screens_and_no_way_to_them(ann: Visitor, db: Database) -> None:
    page = ann.get("/c/news/judge")
    ann.post(page.url.path, form(page, (1, 2, 3, 4, 5)))
    change_state(db, "news", "closed")
    closed = ann.get(page.url.path)
    assert closed.url.path == "/c/news/judge"
    assert "Screens judged: 1" in closed.text
    links = re.findall(r'href="(/c/[^"]*)"', closed.text)
    assert links == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", ["closed", "paused"])
def test_paused_and_closed_have_words_of_their_own(app: FastAPI, db: Database, state: str, language: str) -> None:
    new_campaign(db)
    change_state(db, "news", state)
    say = words(language)
    page = unescape(signed_in(app, new_judge(db)).get(f"/c/news/judge?ui={language}").text)
    assert f"<h1>{say(f'{state}.title')}</h1>" in page
    assert say(f"{state}.text") in page


def test_a_draft_for_a_closed_campaign_is_refused(ann: Visitor, db: Database) -> None:
    work = ann.get("/api/v1/news/work").json()
    change_state(db, "news", "closed")
    path, headers = f"/api/v1/news/screens/{work['screen']}/draft", {"X-CSRF-Token": work["csrf"]}
    refused = ann.client.put(path, json={"ranks": [1, None, None, None, None], "version": 0}, headers=headers)
    assert (refused.status_code, refused.json()["error"]["kind"]) == (409, "closed")


# -- the end ---------------------------------------------------------------------------------------------


def test_thanks_come_when_the_target_is_reached_and_the_work_in_hand_is_done(app: FastAPI, db: Database) -> None:
    new_campaign(db, **{"judge.screens": 4})
    guest = signed_in(app, new_judge(db))
    page = guest.get("/c/news/judge")
    answered = 0
    while "/screens/" in page.url.path:
        page = guest.post(page.url.path, form(page, (1, 2, 3, 4, 5)))
        answered += 1
    assert answered == 6  # two HITs of three
    assert "Screens judged: 6" in page.text
    more = guest.get("/c/news/judge?more=1")
    assert "/screens/" in more.url.path
    assert '<span id="progress-words">6 done</span>' in more.text


def test_a_judge_who_may_do_no_more_is_not_invited_to_go_on(app: FastAPI, db: Database) -> None:
    new_campaign(db, **{"judge.screens": 3, "judge.most": 3})
    guest = signed_in(app, new_judge(db))
    page = guest.get("/c/news/judge")
    for _ in range(3):
        page = guest.post(page.url.path, form(page, (1, 2, 3, 4, 5)))
    assert "You have judged as many screens as one person may" in page.text
    assert "Go on judging" not in page.text


def test_the_last_answer_can_be_changed_across_hits_and_from_the_page_of_thanks(app: FastAPI, db: Database) -> None:
    new_campaign(db, sample_texts(4))  # a HIT of three screens and one of one
    guest = signed_in(app, new_judge(db))
    page, path = guest.get("/c/news/judge"), []
    assert re.search(r'id="previous"[^>]* hidden>', page.text)
    while "/screens/" in page.url.path:
        path.append(page.url.path)
        page = guest.post(page.url.path, form(page, (1, 2, 3, 4, 5)))
        assert re.search(r'id="previous"[^>]* href="([^"]+)"', page.text)[1] == path[-1]
    assert len(path) == 4
    assert "nothing left" in page.text
    change = guest.get(path[-1])
    guest.post(path[-1], form(change, (5, 4, 3, 2, 1)))
    assert stored(db)[-1] == (2, [5, 4, 3, 2, 1], None, None)


def test_there_is_one_counter(ann: Visitor) -> None:
    """Of the judge's own screens: that there are three in a HIT is nothing to them."""
    page = ann.get("/c/news/judge")
    assert re.findall(r"\b\d+ of \d+\b", page.text[page.text.index("<main") :]) == ["0 of 12"]


def test_when_nothing_is_left_the_page_says_so(app: FastAPI, db: Database) -> None:
    new_campaign(db, sample_texts(2))
    guest = signed_in(app, new_judge(db))
    page = guest.get("/c/news/judge")
    for _ in range(2):
        page = guest.post(page.url.path, form(page, (1, 2, 3, 4, 5)))
    assert "nothing left for you to judge" in page.text


# -- what a screen shows ---------------------------------------------------------------------------------


def test_texts_have_their_own_language_and_direction(app: FastAPI, db: Database) -> None:
    pair = LanguagePair.parse("eng-ar")
    outputs = {"A": ["نص أول"], "B": ["نص ثان"], "C": ["نص <b>ثالث</b>"]}
    new_campaign(db, make(pair, [Segment("1", None, "A text.", "مرجع")], outputs))
    page = signed_in(app, new_judge(db)).get("/c/news/judge").text
    assert '<div lang="en" dir="ltr">' in page
    assert len(re.findall(r'<p class="text" [^>]*lang="ar" dir="rtl">', page)) == 3
    assert re.search(r'<p class="text reference" lang="ar" dir="rtl">', page)
    assert "<b>" not in page
    assert '<html lang="en" dir="ltr">' in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_speaks_every_language(ann: Visitor, language: str) -> None:
    page = ann.get(f"/c/news/judge/instructions?ui={language}")
    say = words(language)
    assert f'<html lang="{language}" dir="{say.direction}">' in page.text
    assert page.headers["content-language"] == language
    screen = ann.get("/c/news/judge")  # the choice is remembered
    assert say("screen.title") in unescape(screen.text)
    assert f'<h1 id="title" tabindex="-1">{say("screen.title")}</h1>' in unescape(screen.text)
    assert set(script_words(say)) >= {"saving", "missing.one", "progress.count"}


def test_equal_outputs_are_shown_once(app: FastAPI, db: Database) -> None:
    outputs = {"A": ["same"], "B": ["same"], "C": ["other"]}
    new_campaign(db, make(LanguagePair.parse("fr-en"), [Segment("1", None, "x", None)], outputs))
    page = signed_in(app, new_judge(db)).get("/c/news/judge").text
    assert 'id="output-2"' in page
    assert 'id="output-3"' not in page


def test_the_reference_and_context_follow_the_settings(ann: Visitor, db: Database) -> None:
    page = ann.get("/c/news/judge").text
    assert "Reference" in page
    assert 'class="context"' in page
    with db.read() as tx:
        known = settings_of(tx, 1)
    change_settings(db, "news", known.replace(**{"screen.reference": False, "screen.context": 0}))
    page = ann.get("/c/news/judge").text
    assert "Reference" not in page
    assert 'class="context"' not in page


def test_nothing_on_a_page_tells_the_systems_apart(app: FastAPI, db: Database) -> None:
    """Long names, so that they cannot stand there by chance; ids of outputs neither."""
    names = [f"system-{name}-secret" for name in SYSTEMS]
    new_campaign(db, sample_texts(12, names))
    guest = signed_in(app, new_judge(db))
    page = guest.get("/c/news/judge")
    shown = guest.get("/api/v1/news/screens/" + page.url.path.rpartition("/")[2])
    for answer in (page, shown):
        everything = answer.text + str(answer.headers)
        assert "secret" not in everything
        assert "output_id" not in everything
    assert set(shown.json()["options"][0]) == {"place", "text", "turns"}


def test_the_order_of_outputs_is_shuffled_anew_for_every_showing(db: Database) -> None:
    """Every system stands at the top about as often as it should: one in five of its screens."""
    new_campaign(db, sample_texts(60, SYSTEMS[:5]))
    for name in ("ann", "bob"):
        judge_screens(db, new_judge(db, name), 60)
    with db.read() as tx:
        tops = [places[0] for places in tx.scalars(sa.select(schema.served.c.places))]
        behind = {row.output_id: row.system_id for row in tx.execute(sa.select(schema.output_system))}
    counts = [sum(behind[top] == system for top in tops) for system in sorted(set(behind.values()))]
    assert sum(counts) == 120
    chi_square = sum((count - 24) ** 2 / 24 for count in counts)
    assert chi_square < 28.5  # the 99.999th percentile with four degrees of freedom
