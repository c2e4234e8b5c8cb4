"""Bytes from a path, standard input or an open file: decompressed, and text made plain UTF-8; and bytes back."""

from __future__ import annotations

import gzip
import os
import re
import secrets
import sys
import zlib
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from ..errors import InputError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_GZIP, _ZSTD, _PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UTF8_MARK = b"\xef\xbb\xbf"
COMPRESSION = (".gz", ".zst")
#: Files that nobody here reads, by how they begin, and what to do instead.
_NOT_JUDGMENTS = {
    b"PK\x03\x04": "a ZIP archive or a spreadsheet; unpack it, or save the sheet as CSV",
    b"SQLite format 3\x00": "an SQLite database; if it holds a campaign, give its URL: sqlite:///FILE",
    b"%PDF-": "a PDF; give the table itself",
}
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Source:
    """A whole input in memory. ``name`` is what messages call it, ``digest`` the SHA-256 of its bytes, decompressed."""

    name: str
    data: bytes = field(repr=False)
    digest: str | None = None

    @property
    def is_parquet(self) -> bool:
        return self.data.startswith(_PARQUET)

    def text(self) -> str:
        """The content as text; undecodable bytes are refused by line number."""
        try:
            return self.data.decode()
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            raise InputError(
                f"{self.name}: line {line} is not valid UTF-8 (byte 0x{self.data[error.start]:02x}); if the file "
                "is in another encoding, name it, e.g. --encoding latin-1 (encoding='latin-1' from Python)"
            ) from None


def load(path: str | os.PathLike[str] | IO[Any], *, encoding: str = "utf-8") -> Source:
    """Read everything from a path, ``-`` (standard input) or an open file."""
    name, data = unpacked(path)
    if not data.strip():
        raise InputError(f"{name}: the file is empty; a table needs a header line and at least one row")
    for start, what in _NOT_JUDGMENTS.items():
        if data.startswith(start):
            raise InputError(f"{name}: is {what}")
    digest = sha256(data).hexdigest()
    if data.startswith(_PARQUET):
        return Source(name, data, digest)
    return Source(name, _plain_text(name, data, encoding), digest)


def unpacked(path: str | os.PathLike[str] | IO[Any]) -> tuple[str, bytes]:
    """What messages call a path, ``-`` or an open file, and its bytes, decompressed."""
    name, raw = _raw(path)
    return name, _decompressed(name, raw)


def decoded(name: str, data: bytes, encoding: str) -> str:
    """Text in an encoding that the user named; what is not valid in it is refused by line number."""
    try:
        return data.decode(encoding)
    except LookupError:
        raise InputError(f"unknown encoding {encoding!r}; examples: utf-8, latin-1, utf-16, cp1252") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{name}: line {line} is not valid {encoding} ({error.reason}); name the file's real encoding"
        ) from None
    except (UnicodeError, ValueError) as error:
        raise InputError(f"{name}: is not valid {encoding} ({error}); name the file's real encoding") from None


def has_half_character(text: str) -> bool:
    """Whether a text has half of a surrogate pair, which is no character: no file or database stores it."""
    return _HALF_CHARACTER.search(text) is not None


def compress(data: bytes, path: Path) -> bytes:
    """Compress as the file's ending asks for."""
    if path.suffix.lower() == ".gz":
        return gzip.compress(data, mtime=0)
    if path.suffix.lower() == ".zst":
        return zstd.compress(data)
    return data


def ending_of(path: Path) -> str:
    """The ending of a path in small letters, without that of its compression."""
    return (path.with_suffix("") if path.suffix.lower() in COMPRESSION else path).suffix.lstrip(".").lower()


def put(data: bytes, path: str | Path) -> None:
    """Write to a path, compressed as its ending asks for, whole or not at all; or to ``-``, standard output."""
    if str(path) == "-":
        sys.stdout.buffer.write(data)
    else:
        _write_whole(Path(path), compress(data, Path(path)))


def _raw(path: str | os.PathLike[str] | IO[Any]) -> tuple[str, bytes]:
    if not isinstance(path, str | os.PathLike):
        return _from_open_file(path)
    if str(path) == "-":
        return "<stdin>", sys.stdin.buffer.read()
    try:
        return str(path), Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder; name the files in it") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None


def _from_open_file(file: IO[Any]) -> tuple[str, bytes]:
    named = getattr(file, "name", None)
    name = named if isinstance(named, str) else "<file>"
    try:
        content = file.read()
        return name, content.encode() if isinstance(content, str) else bytes(content)
    except (OSError, TypeError, ValueError) as error:
        raise InputError(f"{name}: cannot be read ({error}); open it in binary mode ('rb')") from None


def _decompressed(name: str, raw: bytes) -> bytes:
    again = "fetch or write it again"
    try:
        if raw.startswith(_GZIP):
            return gzip.decompress(raw)
        if raw.startswith(_ZSTD):
            return zstd.decompress(raw)
    except EOFError:
        raise InputError(f"{name}: the compressed file is cut short; {again}") from None
    except (OSError, MemoryError, zlib.error, zstd.ZstdError) as error:
        # The one-shot zstd call reports a missing end as a plain error.
        state = "cut short" if "end-of-stream" in str(error) else "damaged"
        raise InputError(f"{name}: the compressed file is {state} ({error}); {again}") from None
    return raw


def _plain_text(name: str, data: bytes, encoding: str) -> bytes:
    """UTF-8 without byte-order mark, lines ending in LF or CR LF; whether it is valid is seen when it is read."""
    if encoding.lower().replace("_", "-") not in ("utf-8", "utf8"):
        text = decoded(name, data, encoding)
        if has_half_character(text):
            raise InputError(f"{name}: is not valid {encoding} (half a character); name the file's real encoding")
        data = text.encode()
    elif data.startswith(UTF16_MARKS) or data[:64].count(0) > len(data[:64]) // 3:
        raise InputError(f"{name}: looks like UTF-16, not UTF-8; say so with --encoding utf-16")
    data = data.removeprefix(_UTF8_MARK)
    first_line_end = data.find(b"\n")
    if first_line_end < 0:
        return data.replace(b"\r", b"\n")
    if data[max(first_line_end - 2, 0) : first_line_end] == b"\r\r":
        # WMT15 and WMT16 published their pairwise files with CR CR LF line ends.
        return data.replace(b"\r\r\n", b"\n")
    return data


def _write_whole(path: Path, data: bytes) -> None:
    """Write beside the target and rename, so that no half-written file is ever seen."""
    try:
        if path.exists() and not path.is_file():  # a device or a pipe cannot be replaced
            path.write_bytes(data)
            return
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            with temporary.open("xb") as file:
                file.write(data)
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None
