"""Text files as lines, and nothing but line feeds (with or without carriage return) ending them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import InputError
from ..ingest.source import COMPRESSION, UTF16_MARKS, Source, decoded, has_half_character, unpacked

Path = str | os.PathLike[str]

#: Not text. The vertical tab, the form feed and the C1 controls pass, and the check of encodings names them: they
#: stand in published test sets, and some programs take them for the end of a line.
_CONTROL = re.compile("[\x00-\x08\x0d-\x1f\x7f\ud800-\udfff]")
_UTF8_NAMES = ("utf-8", "utf8", "utf-8-sig")


@dataclass(frozen=True)
class TextFile:
    """One text per segment, with what else a file may say of its segments."""

    name: str
    texts: tuple[str, ...] = field(repr=False)
    documents: tuple[str, ...] | None = field(default=None, repr=False)
    ids: tuple[str, ...] | None = field(default=None, repr=False)


def read_text(path: Path, *, encoding: str = "utf-8") -> tuple[str, str]:
    """What messages call a file, and its text: decompressed, decoded, without byte-order mark, lines ended by LF."""
    name, data = unpacked(path)
    if encoding.lower().replace("_", "-") in _UTF8_NAMES:
        if data.startswith(UTF16_MARKS):
            raise InputError(f"{name}: looks like UTF-16, not UTF-8; say so with --encoding utf-16")
        text = Source(name, data).text()
    else:
        text = decoded(name, data, encoding)
    return name, text.removeprefix("\ufeff").replace("\r\n", "\n")


def uncompressed_name(path: Path) -> str:
    """The name of a file without the ending of its compression."""
    name = os.fspath(path)
    for ending in COMPRESSION:
        name = name.removesuffix(ending)
    return name


def split_lines(text: str) -> list[str]:
    """The lines of a text; the end of the last one is optional."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def read_lines(path: Path, *, encoding: str = "utf-8") -> TextFile:
    """A file with one text per line."""
    name, text = read_text(path, encoding=encoding)
    lines = split_lines(text)
    if _CONTROL.search(text):
        for number, line in enumerate(lines, 1):
            refuse_controls(line, f"{name}: line {number}")
    return TextFile(name, tuple(lines))


def refuse_controls(text: str, place: str) -> None:
    """Refuse control characters (but for the tab and white space); ``place`` says where the text stands."""
    control = _CONTROL.search(text)
    if control is None:
        return
    if control[0] == "\r":
        raise InputError(
            f"{place} has a carriage return (U+000D) inside; lines must end in LF or CR LF; convert the file"
        )
    kind = "half a character" if has_half_character(control[0]) else "the control character"
    raise InputError(
        f"{place} has {kind} U+{ord(control[0]):04X}, which no text should have; "
        "is the file damaged, or in another encoding (--encoding)?"
    )


def refuse_different_counts(files: Sequence[TextFile]) -> None:
    """Refuse files that do not have the same number of lines, naming each with its count."""
    if len({len(file.texts) for file in files}) > 1:
        counts = "\n".join(f"  {len(file.texts):>8}  {file.name}{_empty_end(file)}" for file in files)
        raise InputError(
            f"the files differ in their number of lines:\n{counts}\nline n of every file must belong to segment n; "
            "find the missing or extra lines"
        )


def _empty_end(file: TextFile) -> str:
    return " (its last line is empty)" if file.texts and not file.texts[-1].strip() else ""
