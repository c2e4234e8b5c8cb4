"""Writing plots to files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import InputError, MissingExtraError
from ..tables import Group

ENDINGS = (".svg", ".png", ".pdf", ".html", ".json")

#: What no system of files allows in a name, or only with trouble.
_UNFIT = re.compile(r'[\s/\\:*?"<>|\x00-\x1f\x7f]+')
_LONGEST = 120


def save(chart: Any, path: str | Path, *, sharp: bool = True) -> None:
    """Write a chart; the ending says how (`ENDINGS`). HTML files carry their scripts and need no network.

    Parameters
    ----------
    sharp
        Give a ``.png`` file two pixels, in both directions, for every one of the chart's.
    """
    path = Path(path)
    if path.suffix not in ENDINGS:
        raise InputError(f"{path}: a plot is written as {', '.join(ENDINGS)}, not {path.suffix or 'without ending'}")
    check_writer()
    try:
        if path.suffix == ".html":
            chart.save(str(path), inline=True)
        else:
            chart.save(str(path), **({"ppi": 144 if sharp else 72} if path.suffix == ".png" else {}))
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None


def check_writer() -> None:
    """Refuse where what writes (and measures) plots is not installed."""
    try:
        import vl_convert  # noqa: F401
    except ImportError:
        raise MissingExtraError("writing plots", "report", "vl-convert-python") from None


def targets(path: str | Path, groups: Sequence[Group]) -> list[Path]:
    """A file for the plot of every group: the path itself for one, else with the group in its name; no two alike."""
    path = Path(path)
    if len(groups) == 1:
        return [path]
    found: list[Path] = []
    for group in groups:
        words = "-".join(value for _, value in group if value is not None)
        stem = f"{path.stem}-{_UNFIT.sub('_', words)[:_LONGEST]}".removesuffix("-")
        names = (path.with_name(f"{stem}{number}{path.suffix}") for number in ("", *_numbers(len(groups))))
        # Some systems do not tell A from a.
        taken = {str(each).casefold() for each in found}
        found.append(next(name for name in names if str(name).casefold() not in taken))
    return found


def _numbers(most: int) -> list[str]:
    return [f"-{number}" for number in range(2, most + 2)]
