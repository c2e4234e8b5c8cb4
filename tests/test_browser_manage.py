"""The organiser's pages in a real browser: whole at every width, free of violations, and copying and downloading."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from browsers import Judge, Visit, check_accessibility, on_sqlite
from playwright.sync_api import expect
from stores import new_campaign, new_judge, next_view, sample_texts

from palmares.campaign import Role
from palmares.campaign.answers import Answer, submit
from palmares.campaign.database import Database
from palmares.campaign.definition import change_settings
from palmares.campaign.left_out import leave_out
from palmares.campaign.people import Person, add_person, find_person, redeem
from palmares.campaign.publications import could_not_be_made, publish, waiting
from palmares.campaign.settings import Settings

pytestmark = on_sqlite

HOME = "/c/news/manage"
LONG = "Maximiliane-Friederike" + "-Annabell" * 18
SYSTEMS = ("a-system-with-a-very-long-name-that-goes-on-" * 2, "B", "C" * 60)
WIDTHS = {390: 844, 768: 1024, 1280: 800}
PATHS = (
    "",
    "/people",
    "/people/many",
    "/people?q=a&sort=-seen",
    "/texts",
    "/preview",
    "/end",
    "/notes",
    "/settings",
    "/log",
    "/export",
)

#: Everything that is pressed or read, with its place; what lies in a box that scrolls by itself is measured by the box.
MEASURE = """() => {
  const shown = element =>
    element.checkVisibility({visibilityProperty: true}) && !element.closest(".visually-hidden, thead");
  const pressed = "button, .button, select, summary, input:is([type=text], [type=file], [type=datetime-local]), "
    + "textarea, label.choice, nav a";
  const boxed = element => {
    for (let box = element.parentElement; box; box = box.parentElement)
      if (["auto", "scroll"].includes(getComputedStyle(box).overflowX)) return box;
    return null;
  };
  const words = element => (element.innerText || element.name || element.outerHTML).slice(0, 60);
  const wide = [], small = [], unlabelled = [];
  for (const element of document.querySelectorAll("main *, nav *, header *")) {
    if (!shown(element)) continue;
    const place = element.getBoundingClientRect(), box = boxed(element);
    if (box && !box.matches("textarea") && !(box.getAttribute("role") === "region" && box.tabIndex === 0
        && (box.ariaLabel || box.getAttribute("aria-labelledby")))) unlabelled.push(words(box));
    if (!box && place.width > 1 && (place.left < -0.5 || place.right > innerWidth + 0.5)) wide.push(words(element));
    const clips = getComputedStyle(element);
    if (!box && ["hidden", "clip"].includes(clips.overflowX) && element.scrollWidth > element.clientWidth + 1
        && !element.matches("progress")) wide.push("cut: " + words(element));
    if (element.matches(pressed) && (place.height < 43.5 || place.width < 43.5))
      small.push(`${words(element)} ${place.width}x${place.height}`);
  }
  const scrolls = Math.max(0, document.documentElement.scrollWidth - innerWidth);
  return {scrolls, wide, small, unlabelled: [...new Set(unlabelled)]};
}"""


def crowded(db: Database) -> Person:
    """A campaign with long names and large numbers on every page."""
    rules = {"screen.outputs": 3, "stop.screens": 123_456_789, "stop.per_pair": 98_765_432, "judge.screens": 8_765_432}
    new_campaign(db, sample_texts(8, SYSTEMS), sample_texts(4, SYSTEMS, "de-en"), **rules)
    olga = add_person(db, "news", Role.ORGANISER, "Olga " + LONG)
    for name in (LONG, "ann"):
        judge = new_judge(db, name)
        for number in range(3):
            view = next_view(db, judge)
            assert view is not None
            words = "pneumono" * 20 if number else "The second output is cut off in the middle of a word."
            given = Answer((1, 2, 2), note=words, problem=not number)
            submit(db, judge, view.id, given, submission="s", seconds=123_456.0)
    change_settings(
        db,
        "news",
        Settings().replace(**rules, **{"words.consent": "word " * 300, "task.question": "x" * 300}),
        by=olga.id,
    )
    leave_out(db, find_person(db, "news", "ann"), "pneumono" * 20, by=olga.id)
    publish(db, "news", by=olga.id)
    (wanted,) = waiting(db)
    could_not_be_made(db, wanted, "pneumono" * 20)
    return olga


@pytest.fixture
def olga(visit: Visit, db: Database) -> Judge:
    """An organiser of a crowded campaign at her desk."""
    return at_desk(visit, crowded(db))


def at_desk(visit: Visit, person: Person, **options: Any) -> Judge:
    """Staff are led from the judge's page, which is not theirs, to their own."""
    made = visit(person, **options)
    made.problems.clear()
    made.failures = True
    made.open(HOME)
    return made


def paths(db: Database) -> tuple[str, ...]:
    someone, out = (find_person(db, "news", name).pseudonym for name in (LONG, "ann"))
    of_someone = (f"/people/{someone}{path}" for path in ("", "/langs", "/pseudonymise", "/leave-out"))
    of_out = (f"/people/{out}{path}" for path in ("", "/take-back"))
    ends = (f"/publish{path}" for path in ("", "/state?to=closed", "/reveal", "/withdraw"))
    return (*PATHS, "/settings?revision=1", *of_someone, *of_out, "/people/left-out", "/notes/1", "/notes/2", *ends)


def faults_of(judge: Judge, where: str) -> dict[str, Any]:
    """What is not whole on the page that is shown, once it is there: a click does not wait for the page it leads to."""
    judge.page.wait_for_load_state()
    found = {kind: what for kind, what in judge.page.evaluate(MEASURE).items() if what not in (0, [])}
    return {where: found} if found else {}


@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_is_whole_at_every_width(olga: Judge, db: Database, width: int) -> None:
    olga.page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    faults = {}
    for path in paths(db):
        olga.open(HOME + path)
        olga.page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
        faults |= faults_of(olga, path)
    assert faults == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(visit: Visit, db: Database, scheme: str) -> None:
    olga = at_desk(visit, crowded(db), color_scheme=scheme, viewport={"width": 390, "height": 844})
    for path in paths(db):
        olga.open(HOME + path)
        olga.page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
        check_accessibility(olga.page)
    olga.page.set_viewport_size({"width": 1280, "height": 800})
    for path in ("", "/people", "/notes", "/notes/1", "/settings", "/publish"):
        olga.open(HOME + path)
        check_accessibility(olga.page)


# -- inviting many -----------------------------------------------------------------------------------------

NAMES = f"Zoë Ångström, fr-en\n=cmd()\n{LONG}\nann, xx-yy\nZoë Ångström\n"


def invited_many(olga: Judge) -> None:
    """From the list of people over the preview to the links."""
    page = olga.page
    olga.open(f"{HOME}/people")
    page.get_by_role("link", name="Invite many").click()
    page.get_by_label("Names", exact=True).fill(NAMES)
    page.get_by_role("button", name="Check the list").click()
    expect(page.get_by_text("2 to be added and invited, 1 in the campaign already, 2 that cannot be")).to_be_visible()


def test_many_are_invited_with_links_to_copy_and_to_download(olga: Judge, db: Database) -> None:
    page = olga.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.set_viewport_size({"width": 390, "height": 844})
    faults: dict[str, Any] = {}
    invited_many(olga)
    faults |= faults_of(olga, "preview")
    check_accessibility(page)
    page.get_by_label("Also create a further link").check()
    page.get_by_role("button", name="Add 2 and create their links").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("3 invitations")
    faults |= faults_of(olga, "links")
    check_accessibility(page)
    assert faults == {}
    links = page.locator("td.link code").all_inner_texts()
    people = [redeem(db, link.rpartition("/")[2]) for link in links]
    assert [person and person.name for person in people] == ["Zoë Ångström", "=cmd()", LONG]
    assert all(link.startswith(f"{olga.site}/join/") for link in links)
    page.get_by_role("button", name="Copy the link of Zoë Ångström").click()
    assert page.evaluate("navigator.clipboard.readText()") == links[0]
    expect(page.locator("#copied")).to_have_text("Copied")
    page.get_by_role("button", name="Copy all").click()
    copied = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert copied == [f"{name}\t{link}" for name, link in zip(("Zoë Ångström", "=cmd()", LONG), links, strict=True)]
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as CSV").click()
    assert download.value.suggested_filename == "news-links.csv"
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8-sig"))))
    assert [row["name"] for row in rows] == ["Zoë Ångström", "'=cmd()", LONG]
    assert [row["link"] for row in rows] == links
    assert [row["langs"] for row in rows] == ["fr-en", "", ""]


def test_without_scripts_links_can_be_selected_and_downloaded(visit: Visit, db: Database) -> None:
    olga = at_desk(visit, crowded(db), java_script_enabled=False)
    invited_many(olga)
    olga.page.get_by_role("button", name="Add 2 and create their links").click()
    expect(olga.page.get_by_role("button", name="Copy")).to_have_count(0)
    expect(olga.page.locator("#all-links")).to_contain_text("Zoë Ångström\thttp")
    with olga.page.expect_download() as download:
        olga.page.get_by_role("link", name="Download as CSV").click()
    assert "/join/" in Path(download.value.path()).read_text(encoding="utf-8-sig")


def test_the_link_of_one_person_is_copied(olga: Judge, db: Database) -> None:
    page = olga.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.set_viewport_size({"width": 390, "height": 844})
    olga.open(f"{HOME}/people")
    page.get_by_role("button", name="New link (ann)").click()
    expect(page.get_by_role("button", name="Copy the link")).to_be_visible()
    assert faults_of(olga, "invited") == {}
    check_accessibility(page)
    page.get_by_role("button", name="Copy the link").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert redeem(db, copied.rpartition("/")[2]) == find_person(db, "news", "ann")


# -- errors of the settings --------------------------------------------------------------------------------


def test_errors_of_the_settings_lead_to_their_fields(olga: Judge) -> None:
    page = olga.page
    page.set_viewport_size({"width": 390, "height": 844})
    olga.open(f"{HOME}/settings")
    page.get_by_label("outputs", exact=True).fill("99")
    page.get_by_label("lease minutes").fill("soon")
    page.get_by_role("button", name="Save", exact=True).click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("2 things are wrong")
    assert faults_of(olga, "settings with errors") == {}
    check_accessibility(page)
    alert.get_by_role("link", name="hit.lease_minutes").click()
    wrong = page.get_by_label("lease minutes")
    expect(wrong).to_be_in_viewport()
    expect(wrong).to_have_value("soon")
    expect(wrong).to_have_accessible_description(re.compile(r"got 'soon'; allowed: a number \(0\.1 to 43200\)"))
    expect(wrong).to_have_attribute("aria-invalid", "true")


# -- the home page -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ui", ["en", "ar"])
def test_the_home_page_of_someone_with_campaigns(visit: Visit, db: Database, ui: str) -> None:
    new_campaign(db)
    ann = visit(new_judge(db), viewport={"width": 390, "height": 844})
    ann.open(f"/?ui={ui}")
    expect(ann.page.locator(".campaigns li")).to_have_count(1)
    assert faults_of(ann, "home") == {}
    check_accessibility(ann.page)
    ann.page.locator(".campaigns a").click()
    ann.page.wait_for_url("**/screens/*")
