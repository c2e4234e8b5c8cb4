"""Writing plots to files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import InputError, MissingExtraError

ENDINGS = (".svg", ".png", ".pdf", ".html", ".json")


def save(chart: Any, path: str | Path) -> None:
    """Write a chart; the ending says how (`ENDINGS`). HTML files carry their scripts and need no network."""
    path = Path(path)
    if path.suffix not in ENDINGS:
        raise InputError(f"{path}: a plot is written as {', '.join(ENDINGS)}, not {path.suffix or 'without ending'}")
    try:
        import vl_convert  # noqa: F401
    except ImportError:
        raise MissingExtraError("writing plots", "report", "vl-convert-python") from None
    try:
        if path.suffix == ".html":
            chart.save(str(path), inline=True)
        else:
            chart.save(str(path), **({"ppi": 144} if path.suffix == ".png" else {}))
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None
