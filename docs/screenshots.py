"""Take the pictures of the web pages, from the demonstration campaign: ``python docs/screenshots.py``.

They go to docs/images. Needs Debian's Chromium, and the Noto fonts for Arabic. Run by hand when the pages change.
"""

from __future__ import annotations

import socket
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright

import palmares as pm
from palmares.campaign import Role
from palmares.campaign.answers import Answer, submit
from palmares.campaign.create import create_campaign
from palmares.campaign.database import Database
from palmares.campaign.demo import NAME, Demo, make_demo
from palmares.campaign.demo.build import demo_texts
from palmares.campaign.people import add_person, consent, find_person, invite
from palmares.campaign.screens import load
from palmares.campaign.settings import Settings
from palmares.campaign.setup import make_setup_link
from palmares.campaign.work import next_screen
from palmares.server.app import create_app
from palmares.server.config import ServerConfig
from palmares.texts import LanguagePair, Segment, TestSet, read_texts
from palmares.texts.testset import make

IMAGES = Path(__file__).parent / "images"
EXAMPLES = Path(__file__).parents[1] / "examples"
ANSWERS = EXAMPLES / "answers.jsonl"
CHROMIUM = "/usr/bin/chromium"
#: Letters in grey, not in the colours of one kind of screen, make smaller files.
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-lcd-text")
DESKTOP, PHONE = {"width": 1100, "height": 740}, {"width": 360, "height": 740}
PAGE = {"width": 900, "height": 740}
WIDE, TALL = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        db = Database.open(f"sqlite:///{folder}/demo.db", create=True)
        demo = make_demo(db, rng=Random(0))
        with serving(db) as site, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            organiser_pages(browser, site, demo)
            setup_pages(browser, site, db)
            welcome_page(browser, site, demo)
            judge_pages(browser, site, db)
            pair_pages(browser, site, db)
            long_pages(browser, site, db)
            prompt_pages(browser, site, db)
            report_pages(browser, Path(folder))
            browser.close()
        db.close()


@contextmanager
def serving(db: Database) -> Iterator[str]:
    """Serve the campaign from a thread; gives its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    app = create_app(ServerConfig("unused"), database=db)
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


def judge(db: Database, name: str, langs: str, seed: int) -> str:
    """An invitation for one more judge of a language pair, who has practised and was given work."""
    rng = Random(seed)
    person = add_person(db, NAME, Role.JUDGE, name, langs=[langs])
    consent(db, person)
    practice = next_screen(db, find_person(db, NAME, name), rng=rng) or ""
    submit(db, person, practice, Answer((1,) * len(load(db, person, practice).options)), submission="practice")
    next_screen(db, find_person(db, NAME, name), rng=rng)
    return invite(db, person)


@contextmanager
def joined(browser: Browser, site: str, token: str, language: str = "en", **options: Any) -> Iterator[Page]:
    """Someone who has opened their link, in a browser of their own."""
    context = browser.new_context(**{"viewport": DESKTOP, "reduced_motion": "reduce", **options})
    page = context.new_page()
    page.goto(f"{site}/join/{token}?ui={language}")
    page.locator("main button").click()
    page.wait_for_url("**/c/*/**")
    page.wait_for_load_state()
    yield page
    context.close()


def take(page: Page, name: str, until: str = "footer") -> None:
    """Take the page from its top to where an element begins."""
    page.mouse.move(0, 0)
    box, width = page.locator(until).bounding_box(), page.evaluate("innerWidth")
    assert box is not None
    page.screenshot(
        path=IMAGES / f"{name}.png", full_page=True, clip={"x": 0, "y": 0, "width": width, "height": box["y"]}
    )


def setup_pages(browser: Browser, site: str, db: Database) -> None:
    """A campaign that is being made in the browser."""
    context = browser.new_context(viewport=PAGE, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{site}/setup/link/{make_setup_link(db)}")
    page.get_by_role("button", name="Begin").click()
    page.get_by_label("Name of the campaign").fill("helpful")
    page.locator("#files").set_input_files(ANSWERS)
    take(page, "setup-texts")
    context.close()


def organiser_pages(browser: Browser, site: str, demo: Demo) -> None:
    with joined(browser, site, demo.organiser) as page:
        take(page, "manage-overview")
        page.get_by_role("link", name="People").click()
        page.wait_for_url("**/people")
        take(page, "manage-people", until="h2")


def welcome_page(browser: Browser, site: str, demo: Demo) -> None:
    with joined(browser, site, demo.judge) as page:
        take(page, "judge-welcome")


def judge_pages(browser: Browser, site: str, db: Database) -> None:
    """Four judges at work; the ranks fit the outputs that these seeds put before them."""
    light, dark, phone = (judge(db, name, "fr-en", seed) for seed, name in enumerate(("Finn", "Gina", "Hugo"), 1))
    screen(browser, site, light, "judge-screen", (1, 3, 4))
    screen(browser, site, dark, "judge-screen-dark", (1, 5, 2), color_scheme="dark")
    screen(browser, site, phone, "judge-screen-phone", (5, 1, 2), viewport=PHONE)
    arabic = judge(db, "Ines", "en-ar", 4)
    screen(browser, site, arabic, "judge-screen-arabic", (1, 2, 4), language="ar")


def screen(browser: Browser, site: str, token: str, name: str, ranks: tuple[int, ...], **options: Any) -> None:
    """A screen that a judge has begun to rank, with its differences shown."""
    with joined(browser, site, token, **options) as page:
        with page.expect_response("**/draft"):
            for place, rank in enumerate(ranks, 1):
                page.locator(f"input[name='rank-{place}'][value='{rank}']").check()
        page.locator("#differences").check()
        take(page, name, until=".more")


# -- pairs, long texts, prompts ------------------------------------------------------------------------------


def campaign(db: Database, name: str, texts: Sequence[TestSet], *, seed: int = 1, **settings: Any) -> dict[str, str]:
    """A campaign without practice and controls; gives an invitation for one judge of each language pair."""
    plain = {"judge.practice": False, "controls.repeats": 0.0, "controls.degraded": 0.0, "overlap.share": 0.0}
    create_campaign(db, name, Settings().replace(**{**plain, "judge.screens": 8, **settings}), texts)
    invited = {}
    for langs in (str(testset.langs) for testset in texts):
        person = add_person(db, name, Role.JUDGE, f"judge of {langs}", langs=[langs])
        consent(db, person)
        next_screen(db, find_person(db, name, person.name), rng=Random(seed))
        invited[langs] = invite(db, person)
    return invited


def window(page: Page, name: str) -> None:
    """Take what the window shows."""
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / f"{name}.png")


def choose(page: Page, key: str) -> None:
    with page.expect_response("**/draft"):
        page.keyboard.press(key)
    page.wait_for_timeout(100)


def pair_pages(browser: Browser, site: str, db: Database) -> None:
    invited = campaign(db, "pairs", demo_texts(), **{"screen.outputs": 2, "screen.both_bad": True})
    looks: list[tuple[str, str, str, dict[str, Any]]] = [
        ("judge-pair", "fr-en", "1", {}),
        ("judge-pair-dark", "fr-en", "2", {"color_scheme": "dark"}),
        ("judge-pair-phone", "fr-en", "b", {"viewport": TALL}),
        ("judge-pair-arabic", "en-ar", "1", {"language": "ar"}),
    ]
    for name, langs, key, options in looks:
        with joined(browser, site, invited[langs], **options) as page:
            choose(page, key)
            page.locator("#differences").check()
            page.evaluate("scrollTo(0, 0)")
            if "viewport" in options:
                window(page, name)
            else:
                take(page, name, until=".more")


def documents(langs: str, times: int = 3) -> TestSet:
    """Texts of several hundred words: the documents of the demonstration, each whole, one after the other."""
    (texts,) = (testset for testset in demo_texts() if str(testset.langs) == langs)

    def joined_texts(sentences: Sequence[str], first: int) -> str:
        rows = groupby(zip(texts.segments, sentences, strict=True), key=lambda row: row[0].document)
        paragraphs = [" ".join(sentence for _, sentence in group) for _, group in rows]
        return "\n\n".join((paragraphs * times)[first:])

    sources = [segment.source for segment in texts.segments]
    references = [segment.reference or "" for segment in texts.segments]
    segments = [Segment(f"d{i}", None, joined_texts(sources, i), joined_texts(references, i)) for i in range(2)]
    outputs = {name: [joined_texts(given, i) for i in range(2)] for name, given in texts.outputs.items()}
    return make(LanguagePair.parse(langs), segments, outputs)


def long_pages(browser: Browser, site: str, db: Database) -> None:
    """Three documents side by side; on a phone one below the other. Both are seen in the middle of reading."""
    invited = campaign(db, "documents", [documents("fr-en")], **{"screen.outputs": 3, "screen.context": 0})
    for name, size, down in (("judge-long", WIDE, 420), ("judge-long-phone", TALL, 500)):
        with joined(browser, site, invited["fr-en"], viewport=size) as page:
            choose(page, "2")
            page.evaluate("down => scrollBy(0, down)", down)
            page.evaluate("document.activeElement.blur()")
            window(page, name)


def prompt_pages(browser: Browser, site: str, db: Database) -> None:
    """An answer has been given in one step; the second screen is shown."""
    settings = {"screen.outputs": 2, "screen.one_step": True, "screen.both_bad": True, "screen.context": 0}
    task = {"task.question": "Which answer helps more?", "task.vocabulary": "prompt", "task.markup": "markdown"}
    ((_, token),) = campaign(db, "assistants", read_texts(path=ANSWERS), seed=5, **settings, **task).items()
    with joined(browser, site, token) as page:
        with page.expect_response("**/answer"):
            page.keyboard.press("2")
        page.locator("#undo-last").wait_for()
        take(page, "judge-prompt", until=".more")
    with joined(browser, site, token, viewport=TALL) as page:
        window(page, "judge-prompt-phone")


# -- a report ------------------------------------------------------------------------------------------------


def report_pages(browser: Browser, folder: Path) -> None:
    """The ranking in the report of the example campaign, in both colour schemes."""
    page_file = folder / "report.html"
    pm.write_report(pm.findings(EXAMPLES / "campaign.csv", rng=0), page_file)
    for name, scheme in (("report", "light"), ("report-dark", "dark")):
        context = browser.new_context(viewport=PAGE, color_scheme=scheme)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(page_file.as_uri())
        table = page.locator("table").first.bounding_box()
        assert table is not None
        # Down to the last row: what stands below would be cut through the middle.
        clip = {"x": 0, "y": table["y"] - 8, "width": PAGE["width"], "height": table["height"] + 9}
        page.screenshot(path=IMAGES / f"{name}.png", full_page=True, clip=clip)  # type: ignore[arg-type]
        context.close()


if __name__ == "__main__":
    main()
