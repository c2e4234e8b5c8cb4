"""A report of ten language pairs beside the same analyses by their own commands: python -m benchmarks report"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from palmares.design.simulate import CampaignPlan, simulate
from palmares.ingest.files import concat, write

from .common import measure_command, report

PAIRS = ("cs-en", "de-en", "fr-en", "hi-en", "ru-en", "en-cs", "en-de", "en-fr", "en-hi", "en-ru")
#: 5,000 rankings of five make 50,000 judgments.
RANKINGS = 5000
_PLAN = CampaignPlan(systems=15, judges=60, rankings=RANKINGS, segments=2000, judge_effect=1.0, segment_effect=4.0)
#: What a report does for every language pair, as commands that print it.
COMMANDS = (
    ("describe",),
    ("rank", "--forecast"),
    ("head-to-head",),
    ("audit",),
    ("agreement", "--judges"),
    ("judges",),
)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        judgments = _campaign(folder / "judgments.csv")
        page = folder / "report.html"
        palmares = [sys.executable, "-m", "palmares"]
        whole = measure_command([*palmares, "report", str(judgments), "-o", str(page)], repeats=3)
        apart = [(command, measure_command([*palmares, *command, str(judgments)], repeats=1)) for command in COMMANDS]
        size = page.stat().st_size
    together = sum(seconds for _, seconds in apart)
    rows: list[list[object]] = [["`palmares report -o report.html`", whole, 1.0]]
    rows += [["the same by its commands, one after the other", together, together / whole]]
    rows += [[f"— `palmares {' '.join(command)}`", seconds, seconds / whole] for command, seconds in apart]
    report(
        "report",
        f"A report of {len(PAIRS)} language pairs, {RANKINGS * 10:,} judgments each, 1000 resamples",
        ["command", "seconds", "of the report"],
        rows,
        [
            f"The page has {size / 1e6:.2f} MB, with all its numbers inside. Start-up and reading are included. "
            "Targets: under 30 s, under 2 MB."
        ],
    )


def _campaign(path: Path) -> Path:
    """Ten language pairs with judges and segments that differ."""
    parts = [
        simulate(_PLAN, lang_pair=pair, rng=number).judgments
        for number, pair in enumerate(PAIRS)
    ]  # fmt: skip
    write(concat(parts), path)
    return path


if __name__ == "__main__":
    main()
