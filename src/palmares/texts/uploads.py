"""Texts from files that somebody uploaded: what a file was called says what it is, and never where anything lies.

Everything is read by the readers of `reading`; only what comes before them is different: names from elsewhere, and
sizes that nobody has looked at.
"""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..errors import InputError
from .folder import is_beside, roles_of
from .images import LARGEST, Folder, Image, image_of
from .languages import LanguagePair
from .reading import read_texts
from .testset import TestSet

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

#: Files in one upload, characters of a name, and bytes: of a file, of all, and of all once they are decompressed.
MOST_FILES, LONGEST_NAME = 200, 200
LARGEST_FILE, LARGEST_UPLOAD, LARGEST_TEXTS = 24 * 2**20, 32 * 2**20, 64 * 2**20
#: Endings that tell a reader what a file is. Of a name, nothing else is ever a part of a path.
_ENDINGS = (".sgm", ".sgml", ".jsonl", ".ndjson", ".json")
_PACKED = (".gz", ".zst")
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_CHUNK = 1 << 16
#: What the options of the command line are called on a form.
_FIELDS = {
    "--images FOLDER": "“Images”", "--images": "“Images”", "--langs": "“Languages”", "--encoding": "“Encoding”",
}  # fmt: skip
#: Files that are no texts, by how they begin, and what to do instead.
_NO_TEXTS = {
    b"PK\x03\x04": "is a ZIP archive or a spreadsheet; unpack it and choose its files, or save the sheet as TSV",
    b"%PDF-": "is a PDF; give its text",
    b"SQLite format 3\x00": "is an SQLite database; give files of texts",
}


@dataclass(frozen=True)
class Upload:
    """A file that was uploaded: what it was called, and where it lies, under a name of ours."""

    name: str
    path: Path


def checked_name(name: str) -> str:
    """The name of an uploaded file; refused with a part of a path or anything that cannot be seen in it."""
    allowed = f"allowed: 1 to {LONGEST_NAME} printable characters, no / or \\, not . or .."
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable() or name in (".", "..") or set(name) & set("/\\"):
        raise InputError(f"file name: got {name[:LONGEST_NAME]!r}; {allowed}; rename the file")
    return name


def stored_ending(name: str) -> str:
    """What the name of ours must end with, so that a reader knows the kind of a file."""
    plain = name.lower()
    for packed in _PACKED:
        plain = plain.removesuffix(packed)
    return next((ending for ending in _ENDINGS if plain.endswith(ending)), "")


def read_uploads(
    files: Sequence[Upload],
    *,
    langs: str | None = None,
    format: str = "auto",
    encoding: str = "utf-8",
    images: Sequence[Upload] = (),
) -> tuple[TestSet, ...]:
    """Read uploaded files: one with everything, or one per system with sources, as in a folder.

    Whatever is compressed is unpacked beside itself, as far as `LARGEST_TEXTS` goes. Messages name files as they were
    called.
    """
    _check_names(files)
    given = [file for file in files if len(files) == 1 or not is_beside(file.name)]
    if not given:
        raise InputError("no file with texts; choose the file, or all files of the folder")
    try:
        plain = list(_unpacked(given))
        testsets = _read(plain, langs, format, encoding, _Images(images) if images else None)
    except InputError as error:
        raise InputError(_renamed(str(error), given)) from None
    return tuple(replace(each, notes=tuple(_renamed(note, given) for note in each.notes)) for each in testsets)


# -- inside ----------------------------------------------------------------------------------------------


@dataclass
class _Images(Folder):
    """Uploaded images in the place of a folder: texts name them with or without the folder they lay in."""

    path: Path = field(init=False, default=Path("the images"))
    files: dict[str, Path] = field(default_factory=dict)

    def __init__(self, uploads: Sequence[Upload]) -> None:
        self.path, self.found = Path("the images"), {}
        self.files = {upload.name: upload.path for upload in uploads}
        if len(self.files) < len(uploads):
            raise InputError("images: two have the same name; texts could not tell them apart; rename one")

    def get(self, name: str) -> Image | None:
        if name not in self.found:
            file = self.files.get(name.rpartition("/")[2])
            self.found[name] = None if file is None else _image(name, file)
            self._refuse_too_much()
        return self.found[name]


def _image(name: str, path: Path) -> Image:
    with path.open("rb") as file:
        return image_of(file.read(LARGEST + 1), name)


def _read(
    files: list[Upload], langs: str | None, format: str, encoding: str, images: _Images | None
) -> tuple[TestSet, ...]:
    if len(files) == 1 and format not in ("plain", "folder"):
        return read_texts(path=files[0].path, langs=langs, format=format, encoding=encoding, images=images)
    if format not in ("auto", "plain", "folder"):
        raise InputError(f"format {format!r}: got {len(files)} files; such texts are in one file; choose that alone")
    paths = {file.name: file.path for file in files}
    pair = LanguagePair.of(langs) if langs is not None else None
    roles, systems = roles_of("the files", list(paths), pair)
    source, reference, documents = (paths.get(roles.get(role, "")) for role in ("source", "reference", "documents"))
    if source is None:
        # The one message that a folder gives as well, with what is different here.
        raise InputError(
            "the files: none is the source text; call it source.txt (or src.txt, source.fr), each system's file after "
            "the system, and choose all of them at once; texts that are all in one file are chosen alone"
        )
    if not systems:
        raise InputError("the files: none has a system's outputs; choose one per system, called after it, as well")
    outputs = {system: paths[name] for system, name in systems.items()}
    return read_texts(
        langs=langs,
        source=source,
        reference=reference,
        documents=documents,
        systems=outputs,
        encoding=encoding,
        images=images,
    )


def _check_names(files: Sequence[Upload]) -> None:
    if len(files) > MOST_FILES:
        raise InputError(f"got {len(files)} files; allowed: at most {MOST_FILES}")
    seen: set[str] = set()
    for file in files:
        if checked_name(file.name) in seen:
            raise InputError(f"two files are called {file.name!r}; rename one")
        seen.add(file.name)


def _unpacked(files: Sequence[Upload]) -> Iterator[Upload]:
    """Every file as plain bytes, all of them together no longer than is allowed."""
    room = LARGEST_TEXTS
    for file in files:
        with file.path.open("rb") as packed:
            start = packed.read(32)
        for sign, what in _NO_TEXTS.items():
            if start.startswith(sign):
                raise InputError(f"{file.path}: {what}")
        if start.startswith((_GZIP, _ZSTD)):
            beside = file.path.with_name(f"plain-{file.path.name}")
            room -= _unpack(file.path, beside, room, gzipped=start.startswith(_GZIP))
            yield Upload(file.name, beside)
        else:
            room -= file.path.stat().st_size
            if room < 0:
                raise _too_much()
            yield file


def _unpack(path: Path, target: Path, room: int, *, gzipped: bool) -> int:
    """Write a file decompressed; stops as soon as it is longer than there is room for. Gives its length."""
    length = 0
    try:
        with gzip.open(path) if gzipped else zstd.open(path) as packed, target.open("xb") as plain:
            while chunk := packed.read(_CHUNK):
                if not length and chunk.startswith((_GZIP, _ZSTD)):
                    raise InputError(f"{path}: is compressed twice; decompress it once")
                length += len(chunk)
                if length > room:
                    raise _too_much()
                plain.write(chunk)
    except (OSError, EOFError, zlib.error, zstd.ZstdError) as error:
        raise InputError(f"{path}: the compressed file is damaged ({error}); make it again") from None
    return length


def _too_much() -> InputError:
    return InputError(
        f"the texts have more than {LARGEST_TEXTS // 2**20} MiB in all, decompressed; make the campaign with "
        "'palmares campaign new' on the server's machine, which has no such limit"
    )


def _renamed(text: str, files: Sequence[Upload]) -> str:
    """A message with the names that people know."""
    for file in files:
        for path in (file.path.with_name(f"plain-{file.path.name}"), file.path):
            text = text.replace(os.fspath(path), file.name)
    return in_a_form(text)


def in_a_form(text: str) -> str:
    """A message with the fields of a form in the place of options of the command line."""
    for option, field_name in _FIELDS.items():
        text = text.replace(option, field_name)
    return text
