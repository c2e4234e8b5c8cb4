"""Downloads of what was collected. Judges are in them by pseudonym; every download is on record."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from ..campaign import Role, journal
from ..campaign.database import Database
from ..campaign.export import export, export_screens
from ..campaign.names import are_hidden
from ..campaign.overview import campaign_status
from ..campaign.people import Person
from ..errors import InputError
from .access import Staff, Store, allow
from .manage import show

router = APIRouter(prefix="/c/{campaign}/manage/export")

_CHUNK = 1 << 16


@dataclass(frozen=True)
class Download:
    """A kind of file: what it is called and good for, and what its format has no place for."""

    title: str
    says: str
    format: str
    ending: str
    media: str
    drop: tuple[str, ...] = ()


_JSONL = "application/jsonl"
DOWNLOADS = {
    "csv": Download("CSV", "one pair of systems per row, with all that is known", "pairwise", "csv", "text/csv"),
    "jsonl": Download("JSON Lines", "the same, one object per line", "pairwise", "jsonl", _JSONL),
    "parquet": Download(
        "Parquet", "the same, small and quick to load", "pairwise", "parquet", "application/vnd.apache.parquet"
    ),
    "wmt": Download(
        "WMT CSV",
        "one screen per row, as WMT published its rankings; without times, positions and marks of shared outputs",
        "wmt", "csv", "text/csv", ("extra", "time", "duration", "position", "forced"),
    ),
    "appraise": Download(
        "Appraise XML", "one screen per element, as Appraise wrote them; without times of day and positions",
        "appraise", "xml", "application/xml", ("extra", "time", "position"),
    ),
}  # fmt: skip


@router.get("", dependencies=[allow(Role.OBSERVER)])
def look(request: Request, staff: Staff, db: Store) -> Response:
    """What can be had."""
    return _page(request, staff, db, hidden=hides_systems(db, staff))


@router.get("/judgments", dependencies=[allow(Role.OBSERVER)])
def judgments(
    request: Request,
    staff: Staff,
    db: Store,
    format: str = "csv",
    controls: bool = False,
    collapse: bool = False,
    formulas: str = "keep",
) -> Response:
    """The judgments in one of the formats."""
    if hides_systems(db, staff):
        return _page(request, staff, db, 403, hidden=True)
    wanted = DOWNLOADS.get(format)
    if wanted is None:
        return _page(request, staff, db, 422, refused=f"format: got {format!r}; allowed: {', '.join(DOWNLOADS)}")
    with TemporaryDirectory(prefix="palmares-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / f"judgments.{wanted.ending}"
        try:
            written = export(
                db,
                staff.campaign,
                path,
                format=wanted.format,
                drop=wanted.drop,
                merged="collapse" if collapse else "expand",
                controls=controls,
                formulas=formulas if wanted.ending == "csv" else "keep",
            )
        except InputError as error:
            return _page(request, staff, db, 422, refused=str(error))
        if not written.judgments:
            return _page(request, staff, db, 404, nothing=True)
        record_download(db, staff, what="judgments", format=format, controls=controls, judgments=written.judgments)
        return sent(path, f"{staff.campaign}-judgments", wanted.media)


@router.get("/screens", dependencies=[allow(Role.OBSERVER)])
def screens(request: Request, staff: Staff, db: Store, revisions: bool = False) -> Response:
    """Every screen with its texts."""
    if hides_systems(db, staff):
        return _page(request, staff, db, 403, hidden=True)
    with TemporaryDirectory(prefix="palmares-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "screens.jsonl"
        written = export_screens(db, staff.campaign, path, revisions=revisions)
        if not written.lines:
            return _page(request, staff, db, 404, nothing=True)
        record_download(db, staff, what="screens", revisions=revisions, screens=written.screens + written.skipped)
        return sent(path, f"{staff.campaign}-screens", _JSONL)


# -- inside ----------------------------------------------------------------------------------------------


def hides_systems(db: Database, staff: Person) -> bool:
    """Whether this reader may not learn which system is which: every file of judgments would tell."""
    with db.read() as tx:
        return are_hidden(tx, staff.campaign_id, staff.role)


def _page(request: Request, staff: Person, db: Database, status: int = 200, **messages: Any) -> Response:
    pairs = campaign_status(db, staff.campaign).pairs
    counts = {"answered": sum(pair.answered for pair in pairs), "skipped": sum(pair.skipped for pair in pairs)}
    marks = {
        "left_out": sum(pair.left_out for pair in pairs),
        "unmarked": [download.title for download in DOWNLOADS.values() if "extra" in download.drop],
    }
    notices = {"refused": None, "nothing": not any(counts.values()), "hidden": False, **marks, **messages}
    return show(request, staff, "export", status=status, downloads=DOWNLOADS, **counts, **notices)


def record_download(db: Database, staff: Person, **body: Any) -> None:
    with db.begin() as tx:
        journal.record(tx, db, staff.campaign_id, "exported", by=staff.id, **body)


def sent(path: Path, name: str, media: str) -> Response:
    """Stream a file that is removed as soon as this returns: an open file outlives its name."""
    file = path.open("rb")
    headers = {
        "Content-Disposition": f'attachment; filename="{name}{path.suffix}"',
        "Content-Length": str(os.fstat(file.fileno()).st_size),
    }
    return StreamingResponse(_chunks(file), headers=headers, media_type=media)


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(_CHUNK):
            yield chunk
