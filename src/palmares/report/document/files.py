"""Writing reports: what the ending of a name asks for, whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...analysis.findings import Findings
from ...errors import InputError
from .. import VIEWS
from ..tables import Grouped, group_of, json_text
from .content import Document, document
from .embedded import Embedded
from .page import to_html
from .pdf import printed
from .pieces import pieces
from .scores import ScoreTable
from .text import to_text

#: What an ending of a file asks for; no ending, or a slash at the end, is a folder with pieces.
ENDINGS = (".html", ".md", ".json", ".pdf")
#: The page in a folder, by which it is known for a report.
_PAGE = "report.html"


@dataclass(frozen=True)
class Report:
    """All that is written: the content, the findings behind it, and their JSON."""

    document: Document
    findings: Sequence[Grouped[Findings]]
    results: Sequence[dict[str, Any]]

    @classmethod
    def of(
        cls, findings: Sequence[Grouped[Findings]], *, title: str = "", date: str = "",
        scores: Sequence[ScoreTable] = (), notes: Sequence[str] = (), made_by: Mapping[str, Any] | None = None,
    ) -> Report:  # fmt: skip
        """A report of findings; ``made_by`` is the command and its options, if one made it."""
        results = VIEWS.load("report").json(findings)
        for entry in results:
            entry |= {"title": title, "date": date}
            entry["record"] = {**entry["record"], "command": None if made_by is None else dict(made_by)}
        return cls(document(findings, title=title, date=date, scores=scores, notes=notes), findings, results)

    @property
    def page(self) -> str:
        """As HTML."""
        return to_html(self.document, Embedded(self.results))


def write_report(findings: Findings | Iterable[Findings], path: str | Path, *, title: str = "", date: str = "") -> None:
    """Write what `palmares.findings` found of one language pair, or of several, as a report.

    Parameters
    ----------
    path
        Its ending says how: ``.html``, ``.md``, ``.json``, ``.pdf``; a folder gets the report in pieces. What pictures
        lack, such as a font, is a warning.
    title, date
        As they are to be printed.
    """
    several = [findings] if isinstance(findings, Findings) else list(findings)
    if not several or not all(isinstance(each, Findings) for each in several):
        raise InputError("write_report: give what palmares.findings(…) returned, or a list of such findings")
    report = Report.of([Grouped(each, group_of(each)) for each in several], title=title, date=date)
    write(report, str(path), lambda message: warnings.warn(message, stacklevel=3))


def check_target(path: str) -> None:
    """Refuse a name that cannot be written, before anything is computed."""
    target = Path(path)
    if is_folder(path):
        if target.exists() and not target.is_dir():
            raise InputError(f"{path}: is a file, and a folder is to be written; name a folder, or a file {_endings()}")
        if target.is_dir() and any(target.iterdir()) and not (target / _PAGE).is_file():
            raise InputError(
                f"{path}: has files in it that are no report of palmares; name a new folder, or an empty one"
            )
    elif target.suffix.lower() not in ENDINGS:
        raise InputError(
            f"{path}: got the ending {target.suffix!r}; allowed: {_endings()}, or a folder: {target.stem}/"
        )
    elif target.is_dir():
        raise InputError(f"{path}: is a folder, and a file is to be written")
    parent = target.parent
    if not parent.is_dir():
        raise InputError(f"{path}: there is no folder {parent}; make it first")
    if not os.access(parent, os.W_OK):
        raise InputError(f"{path}: may not be written there; choose another folder than {parent}")


def is_folder(path: str) -> bool:
    """Whether a name is that of a folder of pieces."""
    target = Path(path)
    is_one = target.is_dir() and target.suffix not in ENDINGS
    return path.endswith(("/", os.sep)) or not target.suffix or is_one


def _endings() -> str:
    return ", ".join(ENDINGS)


def write(report: Report, path: str, tell: Callable[[str], None] = lambda message: None) -> None:
    """Write a report; what was there before stays until the new one is complete.

    Parameters
    ----------
    tell
        Called with what a reader should know of pictures and fonts.
    """
    check_target(path)
    target = Path(path)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as name:
        beside = Path(name) / (target.name or "report")
        try:
            if is_folder(path):
                _fill(beside, report, tell)
                _replace_folder(beside, target)
            else:
                _write(beside, report, tell)
                os.replace(beside, target)
        except OSError as error:
            raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None


def _write(path: Path, report: Report, tell: Callable[[str], None]) -> None:
    """One file, by its ending."""
    ending = path.suffix.lower()
    if ending == ".pdf":
        path.write_bytes(printed(report.page, tell))
        return
    made = {
        ".html": lambda: report.page,
        ".md": lambda: to_text(report.document),
        ".json": lambda: json_text(report.results),
    }
    path.write_text(made[ending](), encoding="utf-8")


def _fill(folder: Path, report: Report, tell: Callable[[str], None]) -> None:
    folder.mkdir()
    for name in (_PAGE, "report.md", "report.json"):
        _write(folder / name, report, tell)
    pieces(report.document, report.findings, folder, tell)


def _replace_folder(new: Path, target: Path) -> None:
    """Put a folder in the place of an earlier report's."""
    if target.is_dir():
        shutil.rmtree(target)
    os.replace(new, target)
