"""Write ``odd-files.md``: every file of ``tests/odd_inputs.py``, and what `palmares rank` says of it.

python docs/odd_files.py
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path

from palmares.cli import main

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tests"))

from odd_inputs import CAMPAIGNS, LAYOUTS, NAMES_AND_IDS, OUTCOMES, Odd  # noqa: E402

_HEAD = """# Odd files

Files of judgments come from many tools, and few were made for this one. A reader that guesses is worse than one that
refuses: where a file can be read in two ways, Palmares says so and how to choose; where it goes on, the result says
what was taken for what. Below, every kind of odd file that the tests write, and what `palmares rank` says of it: the
message with which it is refused, or the ranking and what is noted beside it (beyond what it says of any small file).
`palmares describe FILE --columns` shows how any file was read. This page is written by `python docs/odd_files.py`.
"""
_SECTIONS = {"Outcomes": OUTCOMES, "Names and ids": NAMES_AND_IDS, "Layouts": LAYOUTS, "Campaigns": CAMPAIGNS}
#: Notes on the size of a campaign, which the small files here all get.
_OF_SIZE = ("no ranking ids, so", "only ", "won or lost every one of fewer", "resampling by judge makes", "without an")


def said(odd: Odd) -> str:
    """What happens to a file: its ranking and what is noted, or the refusal."""
    Path(odd.name).write_bytes(odd.data)
    printed, messages = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(messages), contextlib.suppress(SystemExit):
        main(["rank", odd.name, *odd.options, "--resamples", "40", "--format", "json"])
    if not printed.getvalue():
        return _cell("refused", messages.getvalue().removeprefix("palmares: error: "))
    (ranking,) = json.loads(printed.getvalue())
    kept = [note for note in ranking["notes"] if odd in CAMPAIGNS or not note.startswith(_OF_SIZE)]
    ranks: dict[int, list[str]] = {}
    for line in ranking["systems"]:
        ranks.setdefault(line["rank"], []).append(line["system"])
    order = " > ".join(" = ".join(names) for names in ranks.values())
    return _cell(order, "\n".join([messages.getvalue(), *kept]))


def _cell(verdict: str, said: str) -> str:
    """A verdict, and what is said as code, so that no dash or quotation mark is made more beautiful."""
    lines = [f"`{line}`" for line in said.replace("|", "\\|").splitlines() if line.strip()]
    return "<br>".join([f"**{verdict}**", *lines])


def page() -> str:
    """The whole page."""
    parts = [_HEAD]
    for title, group in _SECTIONS.items():
        rows = "\n".join(f"| {odd.kind} | {said(odd)} |" for odd in group)
        parts.append(f"## {title}\n\n| file | what happens |\n| --- | --- |\n{rows}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        text = page()
    (DOCS / "odd-files.md").write_text(text, encoding="utf-8")
