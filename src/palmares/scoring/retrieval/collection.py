"""Documents and queries: tab-separated lines, JSON Lines, or the SGML of TREC's collections.

Collections are large, so documents are read one at a time; the digest of a file is taken on the way.
"""

from __future__ import annotations

import gzip
import html
import json
import os
import re
import sys
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import IO, Any, cast

from ...compute.execution import Progress
from ...errors import InputError
from ...judgments.origin import SourceFile
from ...results import brief
from ...texts.lines import Path, TextFile, read_lines, refuse_controls, refuse_different_counts
from ..checked import AlignedText, pair_notes
from ..record import source_of
from .trec import listed

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

#: A text with its id, and the line it begins on.
Record = tuple[int, str, str]

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_UTF8_MARK, _UTF16_MARKS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
#: Encodings in which the byte of a line feed may be part of another character.
_WIDE = ("utf-16", "utf_16", "utf16", "utf-32", "utf_32", "utf32")
_IDS = ("id", "_id", "docno", "docid", "doc_id", "qid", "query_id")
_TEXTS = ("text", "contents", "body", "query")
_DOCNO = re.compile(r"<DOCNO>(.*?)</DOCNO>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_LINES_BETWEEN_REPORTS = 2000


class Lines:
    """The lines of a file, read one at a time and once; then `source` has the digest of its bytes, decompressed."""

    def __init__(self, path: Path, *, encoding: str = "utf-8", progress: Progress | None = None) -> None:
        self.name = os.fspath(path)
        if encoding.lower().startswith(_WIDE):
            raise InputError(f"{self.name}: files as large as these are not read in {encoding}; convert it to UTF-8")
        self._encoding, self._progress = encoding, progress
        self._digest = sha256()

    def __iter__(self) -> Iterator[tuple[int, str]]:
        try:
            with open(self.name, "rb") as raw, _unpacking(raw) as file:
                yield from self._read(raw, file)
        except FileNotFoundError:
            raise InputError(f"{self.name}: no such file") from None
        except IsADirectoryError:
            raise InputError(f"{self.name}: is a folder; name the file in it") from None
        except (EOFError, zlib.error, gzip.BadGzipFile, zstd.ZstdError) as error:
            raise InputError(
                f"{self.name}: the compressed file is cut short or damaged ({error}); fetch or write it again"
            ) from None
        except OSError as error:
            raise InputError(f"{self.name}: cannot be read ({error.strerror or error})") from None

    def source(self, role: str, records: int) -> SourceFile:
        """What records say of the file, once it was read."""
        return SourceFile(self.name, role, records, digest=self._digest.hexdigest())

    def _read(self, raw: IO[bytes], file: IO[bytes]) -> Iterator[tuple[int, str]]:
        size = os.fstat(raw.fileno()).st_size
        for number, data in enumerate(file, 1):
            self._digest.update(data)
            if number == 1:
                if data.startswith(_UTF16_MARKS):
                    raise InputError(f"{self.name}: looks like UTF-16; convert it to UTF-8")
                data = data.removeprefix(_UTF8_MARK)
            if self._progress is not None and number % _LINES_BETWEEN_REPORTS == 0:
                self._progress(min(raw.tell(), size), size)
            text = self._decoded(data, number).removesuffix("\n").removesuffix("\r")
            if "\r" in text or "\0" in text:  # other control characters stand in crawled pages, and part words
                refuse_controls(text, f"{self.name}: line {number}")
            yield number, text

    def _decoded(self, data: bytes, line: int) -> str:
        try:
            return data.decode(self._encoding)
        except LookupError:
            raise InputError(f"unknown encoding {self._encoding!r}; examples: utf-8, latin-1, cp1252") from None
        except UnicodeError:
            raise InputError(
                f"{self.name}: line {line} is not valid {self._encoding}; name the file's real encoding with --encoding"
            ) from None


def _unpacking(raw: IO[bytes]) -> IO[bytes]:
    start = raw.read(4)
    raw.seek(0)
    if start.startswith(_GZIP):
        return cast(IO[bytes], gzip.open(raw))
    return cast(IO[bytes], zstd.open(raw)) if start.startswith(_ZSTD) else raw


# -- formats -----------------------------------------------------------------------------------------


def records(lines: Lines, what: str) -> Iterator[Record]:
    """Every text of a file with its id; ``what`` says in messages what a text is: ``"document"``.

    The first line tells the format. Ids that cannot stand in a run, and double ones, are refused by line.
    """
    seen: set[str] = set()
    for line, name, text in _formatted(lines, what):
        place = f"{lines.name}: line {line}"
        if not name or name.split() != [name]:
            raise InputError(f"{place}: got id {brief(name)!r}; allowed: an id without spaces, as TREC's files need it")
        if name in seen:
            raise InputError(f"{place}: {what} {brief(name)} is there twice; ids must differ")
        seen.add(name)
        yield line, name, text
    if not seen:
        raise InputError(f"{lines.name}: the file is empty; give one {what} per line, ID<tab>TEXT")


def _formatted(lines: Lines, what: str) -> Iterator[Record]:
    read: Callable[[Iterator[tuple[int, str]], str, str], Iterator[Record]] | None = None
    rest = iter(lines)
    for number, text in rest:
        start = text.lstrip()
        if not start:
            continue
        read = _json_lines if start.startswith("{") else _sgml if start[:4].upper() == "<DOC" else _tabbed
        yield from read(_chained((number, text), rest), lines.name, what)


def _chained(first: tuple[int, str], rest: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    yield first
    yield from rest


def _tabbed(lines: Iterator[tuple[int, str]], name: str, what: str) -> Iterator[Record]:
    for number, line in lines:
        if not line.strip():
            continue
        key, tab, text = line.partition("\t")
        if not tab:
            raise InputError(f"{name}: line {number}: has no tab; allowed: ID<tab>TEXT, one {what} per line")
        if number == 1 and key.lower() in _IDS:
            raise InputError(f"{name}: line 1 looks like a heading ({brief(line)!r}); take it out")
        yield number, key, text


def _json_lines(lines: Iterator[tuple[int, str]], name: str, what: str) -> Iterator[Record]:
    for number, line in lines:
        if not line.strip():
            continue
        place = f"{name}: line {number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{place}: is not JSON ({error}); every line must be one object") from None
        if not isinstance(value, dict):
            raise InputError(f'{place}: every line must be one object: {{"id": "…", "text": "…"}}')
        key, text = _field(value, _IDS, place), _field(value, _TEXTS, place)
        title = value.get("title")
        yield number, key, f"{title}\n{text}" if isinstance(title, str) else text


def _field(value: dict[str, Any], names: Sequence[str], place: str) -> str:
    there = [name for name in names if name in value]
    if len(there) != 1:
        got = " and ".join(there) if there else "none of them"
        raise InputError(f"{place}: must have one of {', '.join(names)}; has {got}")
    found = value[there[0]]
    if isinstance(found, int) and not isinstance(found, bool) and names is _IDS:
        return str(found)
    if not isinstance(found, str):
        raise InputError(f'{place}: "{there[0]}" must be a text; got {json.dumps(found)[:40]}')
    return found


def _sgml(lines: Iterator[tuple[int, str]], name: str, what: str) -> Iterator[Record]:
    """``<DOC>`` elements with a ``<DOCNO>``; all other tags are taken out, and what is between them is the text."""
    begun, inside = 0, list[str]()
    for number, line in lines:
        upper = line.strip().upper()
        if not begun:
            if upper.startswith("<DOC>"):
                begun, inside = number, []
            elif upper:
                raise InputError(
                    f"{name}: line {number}: got {brief(line.strip())!r} between documents; allowed: <DOC>"
                )
        if begun:
            inside.append(line)
            if upper.endswith("</DOC>"):
                yield begun, *_document("\n".join(inside), f"{name}: line {begun}")
                begun = 0
    if begun:
        raise InputError(f"{name}: line {begun}: this {what} has no </DOC>; is the file cut off?")


def _document(text: str, place: str) -> tuple[str, str]:
    numbers = _DOCNO.findall(text)
    if len(numbers) != 1:
        raise InputError(f"{place}: got {len(numbers)} <DOCNO> before </DOC>, which must end a line; allowed: one")
    return numbers[0].strip(), html.unescape(_TAG.sub(" ", _DOCNO.sub(" ", text)))


# -- queries and their translations ------------------------------------------------------------------


@dataclass(frozen=True)
class Queries:
    """Queries by id, in the order of their file."""

    texts: Mapping[str, str] = field(repr=False)
    source: SourceFile = field(repr=False)
    notes: tuple[str, ...] = ()


def read_queries(path: Path, *, encoding: str = "utf-8") -> Queries:
    """Queries that need no translation: ``ID<tab>TEXT`` or JSON Lines."""
    lines = Lines(path, encoding=encoding)
    texts = {name: text for _, name, text in records(lines, "query")}
    return Queries(texts, lines.source("queries", len(texts)))


def read_translations(
    path: Path, system: str, queries: Queries, *, accept: Collection[str] = (), encoding: str = "utf-8"
) -> Queries:
    """One system's translations: ``ID<tab>TEXT``, or one per line in the order of the queries.

    Of several translations of one query the first counts, as in WMT14. Lines that are out of step with the queries are
    refused, unless ``accept`` has ``misaligned``.
    """
    file = read_lines(path, encoding=encoding)
    if not any(text.strip() for text in file.texts):
        raise InputError(f"{file.name}: the file is empty; give one translation per line")
    tabs = sum("\t" in text for text in file.texts)
    notes: tuple[str, ...] = ()
    if tabs == 0:
        asked = TextFile(queries.source.name, tuple(queries.texts.values()))
        refuse_different_counts([asked, file])
        beside = AlignedText("the queries", asked.texts, asked.name)
        own = AlignedText(f"translations by {system}", file.texts, file.name)
        notes = tuple(pair_notes(own, beside, one_language=True, accept=accept))
        texts = dict(zip(queries.texts, file.texts, strict=True))
    else:
        texts, notes = _by_id(file, system, queries)
    return Queries(texts, source_of(path, f"translations {system}", len(file.texts)), notes)


def _by_id(file: TextFile, system: str, queries: Queries) -> tuple[dict[str, str], tuple[str, ...]]:
    given: dict[str, str] = {}
    others: dict[str, None] = {}
    for line, whole in enumerate(file.texts, 1):
        place = f"{file.name}: line {line}"
        query, tab, text = whole.partition("\t")
        if not tab:
            if not whole.strip():
                continue
            raise InputError(f"{place}: has no tab, but other lines have one; allowed: ID<tab>TEXT on all, or on none")
        if query not in queries.texts:
            raise InputError(
                f"{place}: {brief(query)!r} is no id of a query in {queries.source.name}; allowed: ID<tab>TEXT, or one "
                "translation per line without tabs, in the order of the queries"
            )
        if query in given:
            others[query] = None
        given.setdefault(query, text)
    if missing := [query for query in queries.texts if query not in given]:
        raise InputError(
            f"{file.name}: has no translation of {listed(missing)}; give their lines, with nothing after the tab where "
            "there is none"
        )
    texts = {query: given[query] for query in queries.texts}
    return texts, (f"{system} has several translations of {listed(list(others))}; only the first counts",) * bool(
        others
    )
