"""The page of a report in a real browser: read by everybody, on phones, in the dark and on paper."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

import palmares
from palmares.report.document.pdf import browser as installed_browser

CAMPAIGN = Path(__file__).parent.parent / "examples" / "campaign.csv"
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}
LONG = ("uedin-constrained-transformer-big-ensemble-2025", "系统甲", "نظام-الترجمة", "Online_W & Co #1 50%")

#: For every cell of the heat map, its colour and that of the page behind it, as red, green and blue from 0 to 255.
COLOURS = """() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = colour => { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
                          return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
  return [...document.querySelectorAll('.heat td, .leaderboard td, .notes p, .signature')].map(cell => {
    let behind = cell;
    while (getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
    return [rgb(getComputedStyle(cell).color), rgb(getComputedStyle(behind).backgroundColor)];
  });
}"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two language pairs, twenty systems in one, names that are long or of other scripts."""
    folder = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(2)
    names = [*LONG, *(f"system-{n:02}" for n in range(16))]
    lines = ["lang_pair,segment,judge,system_a,system_b,outcome"]
    for pair, systems in (("cs-en", names), ("en-zh", names[:5])):
        for n in range(3000):
            a, b = rng.choice(len(systems), 2, replace=False)
            lead = 0.3 * (b - a) + rng.standard_normal()
            lines.append(f"{pair},s{n % 150},j{n % 9},{systems[a]},{systems[b]},{'a' if lead > 0 else 'b'}")
    (folder / "judgments.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    parts = palmares.read(folder / "judgments.csv").split()
    palmares.write_report([palmares.findings(part, rng=0) for part in parts.values()], folder / "report.html")
    return folder / "report.html"


@pytest.fixture(params=["light", "dark"])
def page(request: pytest.FixtureRequest, chromium: Browser, page_file: Path) -> Iterator[Page]:
    # The policy of the page allows no scripts, not even the checker's.
    context = chromium.new_context(viewport=DESKTOP, color_scheme=request.param, bypass_csp=True)  # type: ignore[arg-type]
    opened = context.new_page()
    opened.goto(page_file.as_uri())
    yield opened
    context.close()


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_everybody_can_read_it(page: Page, viewport: dict[str, int]) -> None:
    page.set_viewport_size(viewport)  # type: ignore[arg-type]
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    found = Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
    wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1]


def test_every_table_has_a_name_and_its_cells_have_headers(page: Page) -> None:
    """What somebody who hears the page needs; on phones the ranking is no grid of cells to look at, but still one."""
    tables = page.evaluate(
        """() => [...document.querySelectorAll('table')].map(table => ({
            name: table.getAttribute('aria-label'),
            columns: [...table.querySelectorAll('thead th')].every(cell => cell.scope === 'col'),
            rows: [...table.querySelectorAll('tbody tr')].filter(row => row.querySelector('th[scope=row]')).length,
        }))"""
    )
    assert len(tables) > 10
    assert all(table["name"] and table["columns"] and table["rows"] for table in tables), tables
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    ranking = page.locator(".leaderboard").first
    assert ranking.get_by_role("row").count() == 21
    assert ranking.get_by_role("rowheader").count() == 20
    assert ranking.get_by_role("columnheader").count() == 5


def luminance(colour: list[int]) -> float:
    """Relative luminance (WCAG 2)."""
    linear = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_ink_stands_out_from_every_colour(page: Page) -> None:
    """4.5 to 1, also on the strongest colours of the heat map."""
    pairs: list[Any] = page.evaluate(COLOURS)
    assert len(pairs) > 400
    ratios = []
    for ink, behind in pairs:
        light, dark = sorted((luminance(ink), luminance(behind)), reverse=True)
        ratios.append((light + 0.05) / (dark + 0.05))
    assert min(ratios) >= 4.5


def test_bars_lie_where_their_ranges_are(page: Page) -> None:
    """The first system's bar begins at the left end of its track; every dot is inside its bar."""
    boxes = page.evaluate(
        """() => [...document.querySelectorAll('.track')].map(track => {
            const [joint, range, place] = [...track.children].map(each => each.getBoundingClientRect());
            const whole = track.getBoundingClientRect();
            return {left: range.left - whole.left, right: whole.right - range.right,
                    from: (place.left + place.right) / 2 - range.left, to: range.right - (place.left + place.right) / 2,
                    outside: joint.left - range.left, beyond: range.right - joint.right};
        })"""
    )
    assert len(boxes) == 25
    assert boxes[0]["left"] == pytest.approx(1, abs=1)
    assert all(box["from"] > 0 and box["to"] > 0 for box in boxes)
    assert all(box["outside"] <= 0.5 and box["beyond"] <= 0.5 for box in boxes)  # joint ranges are no narrower


def test_paper_has_all_details_and_one_language_pair_after_the_other(page: Page) -> None:
    page.emulate_media(media="print")
    hidden = page.evaluate(
        "[...document.querySelectorAll('details table')]"
        ".filter(each => each.getBoundingClientRect().height < 10).length"
    )
    assert hidden == 0
    content = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", content)) >= 4


def test_a_pdf_is_printed_by_the_installed_browser(chromium: Browser, page_file: Path, tmp_path: Path) -> None:
    data = palmares.read(page_file.parent / "judgments.csv").split()["en-zh"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # not every machine has fonts for all names
        palmares.write_report(palmares.findings(data, rng=0), tmp_path / "report.pdf")
    content = (tmp_path / "report.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    assert len(content) > 20_000


def test_without_a_browser_a_pdf_is_refused_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(palmares.PalmaresError, match=r"apt-get\s+install chromium"):
        installed_browser()
    monkeypatch.setenv("PALMARES_BROWSER", "no-such-browser")
    with pytest.raises(palmares.PalmaresError, match="PALMARES_BROWSER: got 'no-such-browser'"):
        installed_browser()


def test_ten_language_pairs_are_no_burden(page_file: Path) -> None:
    """Two megabytes for ten language pairs; here two of them, with 25 systems, come to a fifth of that at most."""
    assert page_file.stat().st_size < 400_000
