"""A page printed to PDF by an installed browser of the Chromium family."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from html import unescape
from pathlib import Path

from ...errors import InputError
from .embedded import shown

#: Names that such browsers have, the first that is found is taken; or what this variable names.
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
_VARIABLE = "PALMARES_BROWSER"
#: A page of many language pairs is printed in seconds; a browser that takes longer hangs.
_SECONDS = 120
#: What stands between tags.
_TEXT = re.compile(r">([^<>]+)<")


def browser() -> str:
    """The path of a browser, or what to do without."""
    given = os.environ.get(_VARIABLE)
    for name in [given] if given else _BROWSERS:
        if path := shutil.which(name):
            return path
    if given:
        raise InputError(f"{_VARIABLE}: got {given!r}, which is no program here; name a Chromium, Chrome or Edge")
    raise InputError(
        "a PDF is printed by a browser, and no Chromium, Chrome or Edge is installed here; install one (Debian: "
        f"apt-get install chromium), name it in the variable {_VARIABLE}, or write .html and print that"
    )


def printed(page: str, tell: Callable[[str], None] = lambda message: None) -> bytes:
    """The page as PDF.

    Parameters
    ----------
    tell
        Called with a line for every script that no font on this machine has: the PDF shows boxes for it.
    """
    program = browser()
    for line in _without_fonts(page):
        tell(line)
    with tempfile.TemporaryDirectory(prefix="palmares-print-") as name:
        folder = Path(name)
        source, target = folder / "report.html", folder / "report.pdf"
        source.write_text(page, encoding="utf-8")
        # A page of our own without scripts needs no sandbox, and root has none.
        unboxed = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        command = [
            program, "--headless", "--disable-gpu", "--disable-extensions", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--no-first-run", *unboxed,
            f"--user-data-dir={folder / 'profile'}", "--no-pdf-header-footer", f"--print-to-pdf={target}",
            source.as_uri(),
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise InputError(f"{program}: did not print the page ({error}); write .html and print that") from None
        if not target.is_file():
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise InputError(f"{program}: did not print the page ({last}); write .html and print that")
        return target.read_bytes()


def _without_fonts(page: str) -> list[str]:
    """What is to be said of the letters that a reader sees."""
    from ..plots.fonts import missing

    written = (word.strip(".,;:()[]“”") for text in _TEXT.findall(shown(page)) for word in unescape(text).split())
    words = dict.fromkeys(word for word in written if word)
    try:
        return [str(each) for each in missing(words)]
    except ImportError:
        return ["whether this machine has fonts for all names is not known without vl-convert-python"]
