"""An arena of Markdown answers in a browser: code, tables, conversations and images, in windows of any size."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from browsers import Judge, Visit, check_accessibility, on_sqlite
from playwright.sync_api import expect
from stores import new_campaign, new_judge

from palmares.campaign.database import Database
from palmares.texts import read_texts

pytestmark = on_sqlite

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
CHAT = {
    "task.question": "Which answer helps more?",
    "task.vocabulary": "prompt",
    "task.markup": "markdown",
    "screen.outputs": 2,
    "screen.context": 0,
}
CODE = "\n".join(["```python", "def unique(values):", *(f"    line_{n} = 'a rather long line of code, number {n}, "
                 "which does not fit into a narrow window'" for n in range(60)), "```"])  # fmt: skip
TABLE = "| tea | water | minutes | taste | origin | leaves | price | remarks |\n" + "| --- | --: |" + " --- |" * 6
TABLE += "\n| green | 75 °C | 2 | fresh | Japan | whole | dear | not with milk |" * 3
FIRST = f"## Steps\n\n1. Read **this**.\n2. Then `that`.\n\n{CODE}\n\nSee [the manual](https://example.org)."
SECOND = f"### In short\n\n{TABLE}\n\n> Never boil it.\n\n$a_1 + b_1$ <b>not bold</b>"


def png(width: int = 300, height: int = 40) -> bytes:
    """A grey image that a browser can show."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress((b"\0" + b"\x80" * width) * height)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def message(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def arena(db: Database, tmp_path: Path, *rows: tuple[list[dict[str, Any]], list[dict[str, Any]]]) -> None:
    """A campaign of battles between two systems, which bring their images along."""
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "grey.png").write_bytes(png())
    path = tmp_path / "battles.jsonl"
    battles = [{"model_a": "x", "model_b": "y", "conversation_a": a, "conversation_b": b} for a, b in rows]
    path.write_text("".join(json.dumps(battle) + "\n" for battle in battles), encoding="utf-8")
    new_campaign(db, *read_texts(path=path, images=tmp_path / "images"), **CHAT)


def with_code(db: Database, tmp_path: Path) -> None:
    ask = message("user", [{"type": "text", "text": "# How?\n\nSee the picture."},
                           {"type": "image_url", "image_url": {"url": "grey.png"}}])  # fmt: skip
    arena(db, tmp_path, ([ask, message("assistant", FIRST)], [ask, message("assistant", SECOND)]))


def sticks_out(judge: Judge) -> list[str]:
    """What is wider than the window, boxes apart that are scrolled by themselves."""
    return judge.page.evaluate(
        """() => [...document.querySelectorAll("main *")]
            .filter(e => !e.closest(".code, .table") && e.getBoundingClientRect().right > innerWidth + 1)
            .map(e => e.outerHTML.slice(0, 80))"""
    )


@pytest.mark.parametrize("window", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_answers_in_markdown_are_set(
    visit: Visit, db: Database, tmp_path: Path, window: dict[str, int], scheme: str
) -> None:
    with_code(db, tmp_path)
    ann = visit(new_judge(db), viewport=window, color_scheme=scheme)
    page = ann.page
    code, table = page.locator(".output .code"), page.locator(".output table")
    expect(code).to_have_count(1)
    expect(table.locator("td.right").first).to_have_text("75 °C")
    assert "monospace" in code.locator("code").evaluate("e => getComputedStyle(e).fontFamily")
    keyword, plain = (code.locator(s).first.evaluate("e => getComputedStyle(e).color") for s in (".k", ".n"))
    assert keyword != plain  # the style sheet is there, and the policy lets it
    assert code.evaluate("e => e.scrollHeight > e.clientHeight && e.scrollWidth > e.clientWidth")  # in its own box
    expect(page.locator(".output h4")).to_have_count(2)
    expect(page.locator(".given h3").filter(has_text="How?")).to_have_count(1)
    expect(page.locator(".output .math")).to_have_text("$a_1 + b_1$")
    expect(page.get_by_text("<b>not bold</b>")).to_be_visible()
    picture = page.locator(".given img")
    picture.scroll_into_view_if_needed()
    ann.until(lambda: picture.evaluate("e => e.complete && e.naturalWidth === 300"))
    assert sticks_out(ann) == []
    check_accessibility(page)


def test_code_and_tables_are_scrolled_by_keys(visit: Visit, db: Database, tmp_path: Path) -> None:
    with_code(db, tmp_path)
    ann = visit(new_judge(db), viewport=PHONE)
    for box in (ann.page.locator(".output .code"), ann.page.locator(".output .table")):
        box.focus()
        ann.page.keyboard.press("ArrowRight")
        ann.until(lambda box=box: box.evaluate("e => e.scrollLeft > 0"))


def test_nothing_is_fetched_from_elsewhere(visit: Visit, db: Database, tmp_path: Path) -> None:
    ask = message("user", "Show me a chart.")
    hostile = "![chart](https://elsewhere.invalid/c.png) <img src='https://elsewhere.invalid/d.png'> ![e](/health)"
    arena(db, tmp_path, ([ask, message("assistant", hostile)], [ask, message("assistant", "I cannot.")]))
    ann = visit()
    asked: list[str] = []
    ann.page.on("request", lambda request: asked.append(request.url))
    judge = new_judge(db)
    other = visit(judge)
    ann.page.context.add_cookies(other.page.context.cookies())
    ann.open()
    expect(ann.page.get_by_role("link", name="chart")).to_have_attribute("rel", "noopener noreferrer")
    expect(ann.page.locator(".output img")).to_have_count(0)
    ann.page.wait_for_load_state("networkidle")
    assert len(asked) > 3
    assert all(address.startswith(ann.site) for address in asked)


@pytest.mark.parametrize("language", ["en", "ar"])
def test_the_turns_of_a_conversation(visit: Visit, db: Database, tmp_path: Path, language: str) -> None:
    talks = [
        [message("system", "Be brief."), message("user", "Hello?"), message("assistant", f"{name}: *hello*."),
         message("user", "And now?"), message("assistant", f"{name}: `goodbye`.")]
        for name in ("First", "Second")
    ]  # fmt: skip
    arena(db, tmp_path, (talks[0], talks[1]))
    ann = visit(new_judge(db), viewport=PHONE, locale=language)
    speakers = ann.page.locator(".output .speaker")
    words = {"en": ["Assistant", "User", "Assistant"] * 2, "ar": ["المساعد", "المستخدم", "المساعد"] * 2}
    expect(speakers).to_have_text(words[language])
    expect(ann.page.locator(".given .turn")).to_have_class(["turn system", "turn user"])
    expect(ann.page.locator(".output em")).to_have_count(2)
    users, others = (ann.page.locator(f".output .turn.{r}").first for r in ("user", "assistant"))
    colours = [turn.evaluate("e => getComputedStyle(e).backgroundColor") for turn in (users, others)]
    assert colours[0] != colours[1]
    assert sticks_out(ann) == []
    check_accessibility(ann.page)


@pytest.mark.parametrize("window", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_of_a_long_conversation_the_turn_that_is_answered_is_in_view(
    visit: Visit, db: Database, tmp_path: Path, window: dict[str, int]
) -> None:
    talk = [message(role, f"{role} said. " * 80) for role in ("system", "user", "assistant")]
    asked = {"messages": [*talk, message("user", "So what shall I do?")], "answers": {"x": FIRST, "y": SECOND}}
    (tmp_path / "answers.jsonl").write_text(json.dumps(asked) + "\n", encoding="utf-8")
    new_campaign(db, *read_texts(path=tmp_path / "answers.jsonl"), **CHAT)
    ann = visit(new_judge(db), viewport=window)
    question, given = ann.page.get_by_text("So what shall I do?"), ann.page.locator("#given")
    for _ in range(2):  # as the page opens, and folded or unfolded
        text, panel = question.bounding_box(), given.bounding_box()
        assert text is not None
        assert panel is not None
        assert panel["y"] <= text["y"]
        assert text["y"] + text["height"] <= panel["y"] + panel["height"] + 1
        ann.page.locator("#given-toggle").click()
