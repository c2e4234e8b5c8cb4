"""The page on a year's shared tasks: its commands run in order from an empty folder, and print what it shows."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("shared_tasks", DOCS / "shared_tasks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def without_versions(text: str) -> str:
    """Signatures name the versions of libraries, which change."""
    return re.sub(r"(version[:=]|bm25s-|pytrec_eval-terrier-|sacrebleu-|sacremoses-|scikit-learn-)[\w.]+", r"\1…", text)


def test_the_page_shows_what_its_commands_print(script: ModuleType) -> None:
    text = script.PAGE.read_text(encoding="utf-8")
    assert len(script.commands(text)) > 10
    assert without_versions(script.refreshed(text)) == without_versions(text)
