"""Texts as a form uploads them: from its files to what they hold. No path is ever made of what a file is called."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starlette.datastructures import FormData, UploadFile

from ..campaign.uploads import Found, Wanted, read_apart
from ..errors import InputError
from ..texts import TEXT_FORMATS
from ..texts.uploads import LARGEST_FILE, LARGEST_UPLOAD, MOST_FILES, Upload, checked_name, stored_ending
from .forms import field

#: A request with an upload may be so long: the files, and what is around them.
UPLOAD_BYTES = LARGEST_UPLOAD + 2**20
#: What can be chosen as the format, and what it is.
FORMATS = {
    "auto": "what the files look like",
    **{id: entry.summary for id, entry in TEXT_FORMATS.items() if id not in ("folder", "plain")},
    "plain": "one file per system, one segment per line",
}
_ENCODING = re.compile(r"[A-Za-z0-9_-]{1,40}")
_CHUNK = 1 << 18


def received(form: FormData, before: Callable[[], object] | None = None) -> tuple[Found, bytes]:
    """What the files of a form hold, and the texts, packed; what cannot be read is refused.

    ``before`` refuses what is wrong with the rest of the form, so that nothing is read in vain.
    """
    with _closing(form), TemporaryDirectory(prefix="palmares-upload-", ignore_cleanup_errors=True) as folder:
        if before is not None:
            before()
        wanted = _wanted(form)
        files = _kept(form, "files", Path(folder))
        images = _kept(form, "images", Path(folder))
        if not files:
            raise InputError("got no file; choose the file with the texts, or all files of a folder at once")
        return read_apart(Path(folder), files, wanted, images)


def entered(form: FormData | None = None) -> dict[str, Any]:
    """What a form says besides its files, to be shown again; without a form, what an empty one shows."""
    if form is None:
        return {"name": "", "langs": "", "format": "auto", "encoding": "utf-8"}
    return {key: field(form, key).strip()[:200] for key in ("name", "langs", "format", "encoding")}


def limits() -> dict[str, int]:
    """What the form says of its limits."""
    return {"files": MOST_FILES, "mib": LARGEST_UPLOAD // 2**20, "file_mib": LARGEST_FILE // 2**20}


# -- inside ----------------------------------------------------------------------------------------------


@contextmanager
def _closing(form: FormData) -> Iterator[None]:
    """Remove what a form has brought at the end of the block, whatever becomes of it."""
    try:
        yield
    finally:
        for _, value in form.multi_items():
            if isinstance(value, UploadFile):
                value.file.close()


def _wanted(form: FormData) -> Wanted:
    given = entered(form)
    if (format := given["format"] or "auto") not in FORMATS:
        raise InputError(f"format: got {format!r}; allowed: {', '.join(FORMATS)}")
    if not _ENCODING.fullmatch(encoding := given["encoding"] or "utf-8"):
        raise InputError(f"encoding: got {encoding!r}; examples: utf-8, latin-1, utf-16, cp1252")
    return Wanted(given["langs"] or None, format, encoding)


def _kept(form: FormData, key: str, folder: Path) -> list[Upload]:
    """The files of a field, each under a number."""
    files = [file for file in form.getlist(key) if isinstance(file, UploadFile) and file.filename]
    if len(files) > MOST_FILES:
        raise InputError(f"{key}: got {len(files)} files; allowed: at most {MOST_FILES}")
    kept = []
    for number, file in enumerate(files):
        name = checked_name(str(file.filename))
        path = folder / f"{key}-{number:03}{stored_ending(name)}"
        _copy(file, path, name)
        kept.append(Upload(name, path))
    return kept


def _copy(file: UploadFile, path: Path, name: str) -> None:
    length = 0
    with path.open("xb") as target:
        while chunk := file.file.read(_CHUNK):
            length += len(chunk)
            if length > LARGEST_FILE:
                raise InputError(f"{name}: has more than {LARGEST_FILE // 2**20} MiB; divide it, or compress it (.gz)")
            target.write(chunk)
