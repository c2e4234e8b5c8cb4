"""Writing plots to files."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...errors import InputError, MissingExtraError
from ..tables import Group
from .fonts import fitted, missing_in
from .syllables import positioned

ENDINGS = (".svg", ".png", ".pdf", ".html", ".json")
#: Of pictures that are drawn here; pages and descriptions are drawn where they are read.
_DRAWN = (".svg", ".png", ".pdf")

#: Where a part of a picture has a number, and where that is used.
_NUMBERED = re.compile(r'(?:id="|url\(#)((?:gradient|clip)_?\d+)[")]')

#: What no system of files allows in a name, or only with trouble.
_UNFIT = re.compile(r'[\s/\\:*?"<>|\x00-\x1f\x7f]+')
_LONGEST = 120


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr)


def save(chart: Any, path: str | Path, *, sharp: bool = True, notify: Callable[[str], None] = _to_stderr) -> None:
    """Write a chart; the ending says how (`ENDINGS`). HTML files carry their scripts and need no network.

    A file is there when it is complete, and not before.

    Parameters
    ----------
    sharp
        Give a ``.png`` file two pixels, in both directions, for every one of the chart's.
    notify
        Is told, in a line for every script, what no font on this machine has letters for.
    """
    path = Path(path)
    check_ending(path)
    check_writer()
    try:
        # In a folder of its own beside the file: from there it takes its place at once.
        with TemporaryDirectory(prefix=".plot-", dir=path.parent) as folder:
            made = Path(folder) / f"plot{path.suffix}"
            _write(chart, made, sharp)
            os.replace(made, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None
    if path.suffix in _DRAWN:
        for each in missing_in(chart):
            notify(str(each))


def _write(chart: Any, path: Path, sharp: bool) -> None:
    import vl_convert

    if path.suffix not in _DRAWN:
        chart.save(str(path), **({"inline": True} if path.suffix == ".html" else {}))
        return
    drawn = StringIO()
    chart.save(drawn, format="svg")
    svg = _numbered_anew(fitted(drawn.getvalue()))
    if path.suffix == ".svg":
        path.write_text(svg, encoding="utf-8")
    elif path.suffix == ".png":
        path.write_bytes(vl_convert.svg_to_png(positioned(svg), ppi=144 if sharp else 72))
    else:
        path.write_bytes(vl_convert.svg_to_pdf(positioned(svg)))


def _numbered_anew(svg: str) -> str:
    """With its colour gradients numbered from 0: a process goes on counting over all pictures that it draws."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(_NUMBERED.findall(svg)))}
    return _NUMBERED.sub(lambda match: match[0].replace(match[1], f"part_{numbers[match[1]]}"), svg)


def check_ending(path: str | Path) -> None:
    """Refuse a file that no plot can be written to, before any work is done for it."""
    path = Path(path)
    if path.suffix not in ENDINGS:
        raise InputError(f"{path}: a plot is written as {', '.join(ENDINGS)}, not {path.suffix or 'without ending'}")


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
