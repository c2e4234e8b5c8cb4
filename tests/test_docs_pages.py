"""Pages that teach: their commands run in order from an empty folder, and print what the pages show."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from palmares.cli import COMMANDS

DOCS = Path(__file__).parents[1] / "docs"
EXAMPLE = DOCS.parent / "examples" / "campaign.csv"


def script(name: str) -> ModuleType:
    """One of the scripts beside the pages."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[f"docs_{name}"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REFRESH, NOTEBOOK, ACCESSIBLE = script("refresh"), script("notebook"), script("accessible")


def without_versions(text: str) -> str:
    """Signatures name the versions of libraries, which change, and a page has as many lines as its layout makes."""
    text = re.sub(r"(page as shown +equal +)\d+", r"\1…", text)
    return re.sub(r"(version[:=]|bm25s-|pytrec_eval-terrier-|sacrebleu-|sacremoses-|scikit-learn-)[\w.]+", r"\1…", text)


#: Their commands take half a minute each.
LONG = ("tutorial", "shared-tasks")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in REFRESH.PAGES]
)
def test_a_page_shows_what_its_commands_print(name: str) -> None:
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert len(REFRESH.commands(text)) > 1
    assert without_versions(REFRESH.refreshed(text)) == without_versions(text)


def test_every_task_that_prints_something_is_refreshed() -> None:
    tasks = {path.stem for path in (DOCS / "how-to").glob("*.md") if "```console\n" in path.read_text(encoding="utf-8")}
    assert {f"how-to/{name}" for name in tasks} <= set(REFRESH.PAGES)


def test_a_long_sentence_is_folded_and_a_table_is_not() -> None:
    table = f"system   {'x' * 100}   {'y' * 40}"
    sentence = "note: " + "word " * 40
    shown = REFRESH.as_shown("palmares rank", f"{table}\n{sentence}\n").splitlines()
    assert shown[0] == table
    assert all(len(line) <= REFRESH.WIDTH for line in shown[1:])
    assert " ".join(" ".join(shown[1:]).split()) == sentence.strip()
    assert REFRESH.as_shown("cat file", sentence) == sentence.rstrip() + "\n"


def test_a_page_does_not_show_the_secret_of_a_link() -> None:
    secret = "A-_z" * 10 + "abc"
    assert REFRESH.as_shown("palmares campaign invite", f"https://x.org/join/{secret}") == "https://x.org/join/…\n"


# -- the notebook ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def notebook() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(NOTEBOOK.NOTEBOOK.read_text(encoding="utf-8"))
    return content


@pytest.fixture(scope="module")
def shown(notebook: dict[str, Any]) -> Any:
    return NOTEBOOK.run(NOTEBOOK.code(notebook))


def test_the_notebook_and_its_page_have_what_its_cells_show(notebook: dict[str, Any], shown: Any) -> None:
    assert len(shown) > 5
    assert all(each.printed or each.last for each in shown)
    assert results(NOTEBOOK.with_outputs(notebook, shown)) == results(notebook)
    text, pictures = NOTEBOOK.page(notebook, shown)
    assert without_versions(text) == without_versions(NOTEBOOK.PAGE.read_text(encoding="utf-8"))
    for name, picture in pictures.items():
        assert words(picture) == words((NOTEBOOK.IMAGES / name).read_text(encoding="utf-8"))


def words(picture: str) -> list[str]:
    """What stands in a picture; how it is drawn is the libraries' business."""
    return re.findall(r"<text[^>]*>([^<]+)<", picture)


def results(notebook: dict[str, Any]) -> list[Any]:
    """What every cell shows; of pictures, the words."""
    found: list[Any] = []
    for output in (output for cell in notebook["cells"] for output in cell.get("outputs", [])):
        for kind, lines in {**output.get("data", {}), "text": output.get("text", [])}.items():
            content = "".join(lines)
            found.append(words(content) if kind == "image/svg+xml" else without_versions(content))
    return found


def test_the_notebook_shows_the_ranking_that_the_command_prints(notebook: dict[str, Any], shown: Any) -> None:
    (place,) = (number for number, code in enumerate(NOTEBOOK.code(notebook)) if code.endswith("\nranking"))
    printed = (DOCS / "quickstart.md").read_text(encoding="utf-8").split("$ palmares rank examples/campaign.csv\n")[1]
    rows = re.findall(r"^ +\d+ +(\S+) +(\S+) +(\[.*?\]) +(system-\d+)$", printed, re.MULTILINE)
    assert len(rows) == 10
    for cells in rows:
        assert all(f">{cell}<" in shown[place].last["text/html"] for cell in cells)


def test_a_cell_that_fails_is_not_passed_over() -> None:
    with pytest.raises(ZeroDivisionError):
        NOTEBOOK.run(["x = 0", "1 / x"])


# -- the first page -------------------------------------------------------------------------------------------


def cards() -> list[str]:
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    return re.findall(r":::\{container\} way\n(.*?)\n::::", text, re.DOTALL)


def test_the_first_page_has_three_ways_in_and_each_leads_somewhere() -> None:
    assert len(cards()) == 3
    for card in cards():
        (link,) = re.findall(r"\]\(([\w/-]+\.md)\)", card)
        assert (DOCS / link).is_file()


def test_the_commands_of_the_first_page_are_understood() -> None:
    lines = [line for card in cards() for line in re.findall(r"```bash\n(.*?)\n```", card, re.DOTALL)]
    assert len(lines) == 3
    for line in lines:
        program, name, *arguments = shlex.split(line)
        assert program == "palmares"
        command = COMMANDS.load(name)
        if "judgments.csv" in arguments:
            arguments = [word.replace("judgments.csv", str(EXAMPLE)) for word in arguments]
        assert command.make_context(name, arguments).params


def test_the_pictures_of_the_first_page_are_small() -> None:
    names = re.findall(r"images/([\w-]+\.png)", (DOCS / "index.md").read_text(encoding="utf-8"))
    assert len(names) == 2
    assert all((DOCS / "images" / name).stat().st_size < 100_000 for name in names)


# -- who does not use a mouse, or does not see the page -------------------------------------------------------


@pytest.fixture(scope="module")
def first_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first page, built with the theme alone: its links and contents are other tests' business."""
    pytest.importorskip("furo")
    source, built = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("built")
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    (source / "index.md").write_text(re.sub(r"\]\([^)]*\.md[^)]*\)", "](#what-is-where)", text), encoding="utf-8")
    for block in re.findall(r":hidden:\n\n(.*?)\n```", text, re.DOTALL):
        for name in block.splitlines():
            (source / name).parent.mkdir(exist_ok=True)
            (source / f"{name}.md").write_text(f"# {name}\n", encoding="utf-8")
    for folder in ("_static", "images"):
        (source / folder).symlink_to(DOCS / folder)
    (source / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(DOCS)!r})\n"
        "extensions = ['myst_parser', 'accessible']\nmyst_enable_extensions = ['colon_fence', 'deflist']\n"
        "myst_heading_anchors = 3\nhtml_theme = 'furo'\nhtml_static_path = ['_static']\n"
        "html_css_files = ['palmares.css']\nhtml_show_sourcelink = False\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", str(source), str(built)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return built / "index.html"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_first_page_is_accessible_and_never_wider_than_the_window(
    first_page: Path, chromium: Browser, scheme: Literal["light", "dark"], width: int
) -> None:
    context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.goto(first_page.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert [rule["id"] for rule in Axe().run(page).response["violations"]] == []
    context.close()


def test_one_screen_has_the_three_ways_and_the_picture(first_page: Path, chromium: Browser) -> None:
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(first_page.as_uri())
    cards_seen = [box for box in (card.bounding_box() for card in page.locator(".way").all()) if box]
    assert len({box["y"] for box in cards_seen}) == 1
    picture = page.locator("img:visible").first.bounding_box()
    assert picture is not None
    assert picture["y"] + picture["height"] <= 800
    context.close()


def test_pages_that_were_corrected_stay_as_they_are() -> None:
    page = "".join(ACCESSIBLE.REPLACED)
    assert ACCESSIBLE.corrected(page) != page
    assert ACCESSIBLE.corrected(ACCESSIBLE.corrected(page)) == ACCESSIBLE.corrected(page)
    table = '<div class="table-wrapper colwidths-auto docutils container"><table>'
    assert ACCESSIBLE.corrected(table) == table.replace('container"', 'container" tabindex="0"')
    assert ACCESSIBLE.corrected(ACCESSIBLE.corrected(table)) == ACCESSIBLE.corrected(table)
