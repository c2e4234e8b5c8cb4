"""Pages that teach: their commands run in order from an empty folder, and print what the pages show."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[1] / "docs"


def script(name: str) -> ModuleType:
    """One of the scripts beside the pages."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REFRESH = script("refresh")


def without_versions(text: str) -> str:
    """Signatures name the versions of libraries, which change."""
    return re.sub(r"(version[:=]|bm25s-|pytrec_eval-terrier-|sacrebleu-|sacremoses-|scikit-learn-)[\w.]+", r"\1…", text)


@pytest.mark.parametrize("name", REFRESH.PAGES)
def test_a_page_shows_what_its_commands_print(name: str) -> None:
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert len(REFRESH.commands(text)) > 10
    assert without_versions(REFRESH.refreshed(text)) == without_versions(text)


def test_every_page_with_printed_commands_is_refreshed() -> None:
    shown = {path.stem for path in DOCS.glob("*.md") if "```console\n$ " in path.read_text(encoding="utf-8")}
    assert shown == set(REFRESH.PAGES)


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
