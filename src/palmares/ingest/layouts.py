"""Where the parts of delimited text are: its delimiter, its header, its comment lines, its records.

All of this is decided by content, and what may be one thing or another is refused rather than guessed.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import dropwhile

import numpy as np

from ..errors import InputError
from ..judgments import IntArray
from .delimiters import NAMES, VALUES, delimiter_of, reader_of, rows_of, usual_names
from .source import Source

#: So much of a file tells its delimiter; no more, so that a file that is streamed is read like one in memory.
_SAMPLE_BYTES = 1 << 16
#: Excel's first line that names the delimiter.
_SEP = re.compile(rb"sep=(.)\r?\n", re.IGNORECASE)
#: Lines without content, such as spreadsheets have above a table: ``,,``.
_BLANK = re.compile(rb'(?:(?:[ \t,;|]|"")*[\r\n])*')
_QUOTE, _LINE_END = ord('"'), ord("\n")

#: The columns of Appraise's scores (Federmann 2018), which are exported without a header; older versions have no
#: error spans, newer ones can add the number of the batch and an id of the item.
APPRAISE_SCORES = (
    "user", "system", "item", "item_type", "source_lang", "target_lang", "score", "document", "whole_document",
    "error_spans", "start_time", "end_time",
)  # fmt: skip
ITEM_TYPES = ("TGT", "BAD", "REF", "CHK")


@dataclass(frozen=True)
class Layout:
    """Where the parts of a delimited file are."""

    source: Source = field(repr=False)
    names: tuple[str, ...]
    delimiter: str
    #: The offset of the first record, and the number of its line.
    start: int
    first_line: int
    #: What was taken for what it need not be.
    notes: tuple[str, ...] = ()
    #: Whether the file is a header and records below it, and nothing else.
    plain: bool = True

    @classmethod
    def of(cls, source: Source, header: tuple[str, ...] = ()) -> Layout:
        """Find the delimiter and the names of the columns, and take out comment lines.

        Parameters
        ----------
        header
            The names of the columns of a file without a header; its first line is then a record.
        """
        start, given = _preamble(source.data)
        lines = _sample(source, start)
        plain = list(dropwhile(_is_blank, (line for line in lines if not line.startswith("#")))) or lines
        delimiter = given or delimiter_of(source.name, plain, len(header))
        rows = rows_of(plain, delimiter)
        commented = "" if header else _commented_header(lines, plain, rows, delimiter)
        known = () if header or commented else _known_header(rows, delimiter)
        if header:
            names = _given_names(source.name, header, rows[0], delimiter)
        elif commented:
            names = _column_names(source.name, rows_of([commented.lstrip("# ")], delimiter)[0], commented)
        else:
            names = known or _column_names(source.name, rows[0], plain[0])
        in_file = not (header or known or commented)
        data, comments = _without_comments(source, delimiter, len(names), commented, in_file)
        end = _skip_blank(data, start)
        if in_file:
            end = _skip_blank(data, _record_end(data, end))
            Source(source.name, data[:end]).text()  # refuses a wrong encoding
        is_plain = in_file and not (given or comments or start) and delimiter != " "
        notes = _notes(source.name, comments, commented, known)
        first_line = data.count(b"\n", 0, end) + 1
        return cls(replace(source, data=data), names, delimiter, end, first_line, notes, is_plain)

    @property
    def described(self) -> str:
        """What kind of file it is, in words."""
        return f"text delimited by {NAMES.get(self.delimiter, self.delimiter)}"

    @property
    def doubt(self) -> str:
        """What to do if the header is none, for the end of a message; nothing where it is one."""
        values = any(_is_number(name) or name.lower() in VALUES for name in self.names)
        if not self.plain or (usual_names(self.names) and not values):
            return ""
        return _without_header(self.delimiter.join(self.names), self.names)

    @cached_property
    def body(self) -> bytes:
        return self.source.data[self.start :]

    @cached_property
    def starts(self) -> IntArray:
        """Offsets in the body at which records start: the lines that begin outside quotes."""
        quotes = np.flatnonzero(np.frombuffer(self.body, dtype=np.uint8) == _QUOTE)
        outside = np.searchsorted(quotes, self._ends) % 2 == 0
        starts = np.concatenate([[0], self._ends[outside] + 1])
        return starts[starts < len(self.body)]

    @cached_property
    def _ends(self) -> IntArray:
        return np.flatnonzero(np.frombuffer(self.body, dtype=np.uint8) == _LINE_END)

    def line_of(self, record: int) -> int:
        return self.first_line + int(np.searchsorted(self._ends, self.starts[record]))

    def swallowed(self, spans: Iterable[tuple[int, int]]) -> tuple[str, ...]:
        """What to say of quoted fields that hold lines with all the fields of a record; many lines are refused.

        ``spans`` are the first lines of records, and how many lines each has.
        """
        notes = []
        for line, height in spans:
            first = line - self.first_line
            begin = int(self._ends[first - 1]) + 1 if first else 0
            last = first + height - 1
            end = int(self._ends[last]) if last < len(self._ends) else len(self.body)
            inside = self.body[begin:end].split(b"\n")
            if all(text.count(self.delimiter.encode()) == len(self.names) - 1 for text in inside):
                what = (
                    f"{self.source.name}: lines {line} to {line + height - 1} are read as one record, by the quotation "
                    f"marks in them, but each has the {len(self.names)} fields of a record"
                )
                if height > 2:
                    raise InputError(
                        f'{what}; if they are records, write the field with the mark as "…""…" or take the mark out; '
                        "if they are one text, save the table as JSON Lines or Parquet"
                    )
                notes.append(what)
        return tuple(notes)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Records of several lines: the first line, and how many there are."""
        lines = np.append(np.searchsorted(self._ends, self.starts), self.body.rstrip(b"\r\n").count(b"\n") + 1)
        return [
            (self.first_line + int(lines[n]), int(lines[n + 1] - lines[n])) for n in np.flatnonzero(np.diff(lines) > 1)
        ]

    def fault(self, record: int) -> str | None:
        """What is wrong with a record, as a careful reader sees it."""
        end = self.starts[record + 1] if record + 1 < len(self.starts) else len(self.body)
        text = self.body[self.starts[record] : end].decode()
        try:
            return self.ragged(next(reader_of([text], self.delimiter), []))
        except csv.Error as error:
            return f"is not delimited text ({error})"

    def ragged(self, fields: list[str]) -> str | None:
        n, wanted = len(fields), len(self.names)
        return None if n == wanted else f"has {n} field{'s' * (n != 1)} where the header has {wanted}"

    def records(self) -> Iterator[tuple[int, list[str] | str]]:
        """First line number of every record, and its fields or what is wrong with it."""
        self.source.text()  # refuses a wrong encoding with the line number in the whole file
        lines = io.StringIO(self.body.decode(), newline="\n")
        reader = reader_of(lines, self.delimiter, strict=True)
        while True:
            line = self.first_line + reader.line_num
            try:
                yield line, next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                unclosed = "unexpected end of data" in str(error)
                fault = "a quotation mark is never closed, so all below it is lost" if unclosed else str(error)
                yield line, f"is not delimited text ({fault})"


def has_comments(data: bytes) -> bool:
    """Whether a line may be a comment."""
    return data.startswith(b"#") or b"\n#" in data


# -- the beginning ------------------------------------------------------------------------------------


def _preamble(data: bytes) -> tuple[int, str]:
    """Where the file begins behind blank lines and Excel's ``sep=;``, and the delimiter that it names, if any."""
    start = _skip_blank(data, 0)
    excel = _SEP.match(data, start)
    if excel is None:
        return start, ""
    return _skip_blank(data, excel.end()), excel[1].decode("latin-1")


def _is_blank(line: str) -> bool:
    return _BLANK.fullmatch(line.encode() + b"\n") is not None


def _skip_blank(data: bytes, start: int) -> int:
    """The beginning of the first line that has a field that is not empty: polars refuses a first line without."""
    blank = _BLANK.match(data, start)
    return blank.end() if blank else start


def _sample(source: Source, start: int) -> list[str]:
    """The first lines, whole. Bytes that are no text are for the reader to refuse."""
    data = source.data
    end = data.rfind(b"\n", start, start + _SAMPLE_BYTES) + 1
    if not end or start + _SAMPLE_BYTES >= len(data):
        end = len(data)
    lines = data[start:end].decode(errors="replace").split("\n")
    if all(line.startswith("#") or not line.strip() for line in lines):
        counts = {len(row) for row in rows_of(lines, delimiter_of(source.name, lines, 0))}
        if len(counts) > 1 or counts == {1}:
            raise InputError(f"{source.name}: has comment lines (beginning with #) and no table")
    return lines


# -- the header ---------------------------------------------------------------------------------------


def _column_names(source: str, fields: list[str], line: str = "") -> tuple[str, ...]:
    names = tuple(text.strip() or f"column {number}" for number, text in enumerate(fields, 1))
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise InputError(
            f"{source}: the header names {', '.join(map(repr, twice))} twice; column names must differ"
            f"{_without_header(line, names) if line else ''}"
        )
    return names


def _without_header(line: str, names: tuple[str, ...]) -> str:
    """What to do about a first line that may be a record, for the end of a message."""
    shown = line.strip() if len(line) <= 80 else line[:79] + "…"
    more = ",…" * (len(names) > 3)
    return (
        f". The first line is {shown!r}: if that is a record, the file has no header, and its columns must be named, "
        f"e.g. --header system_a,system_b,winner{more} ({len(names)} names)"
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _given_names(source: str, header: tuple[str, ...], first: list[str], delimiter: str) -> tuple[str, ...]:
    names = _column_names(source, list(header))
    if [text.strip().lower() for text in first] == [name.lower() for name in names]:
        raise InputError(f"{source}: the first line is the header {','.join(header)} itself; leave out --header")
    if len(first) != len(names):
        raise InputError(
            f"{source}: --header names {len(names)} columns, and the first line has {len(first)} "
            f"field{'s' * (len(first) != 1)} ({NAMES.get(delimiter, delimiter)}-separated): {first[:12]}"
        )
    return names


def _commented_header(lines: list[str], plain: list[str], rows: list[list[str]], delimiter: str) -> str:
    """The comment line right above the first record if it is the header: ``#system_a,system_b,winner``."""
    if plain is lines or not lines[0].startswith("#"):
        return ""
    above = [line for line in lines[: lines.index(plain[0])] if line.strip()]
    [names, *_] = rows_of([above[-1].lstrip("# ")], delimiter)
    same = len(names) == len(rows[0]) > 1
    return above[-1] if same and usual_names(names) > max(1, usual_names(rows[0])) else ""


def _known_header(rows: list[list[str]], delimiter: str) -> tuple[str, ...]:
    """The names of the columns of a kind of file that is published without a header."""
    rows = rows[:20]
    widths = {len(row) for row in rows}
    if delimiter != "," or len(widths) > 1 or not widths <= {11, 12, 13, 14}:
        return ()
    if not all(row[3] in ITEM_TYPES and _is_score(row[6]) and row[8] in ("True", "False") for row in rows):
        return ()
    [width] = widths
    names = tuple(name for name in APPRAISE_SCORES if name != "error_spans" or width % 2 == 0)
    return (*names, *("batch", "item_id")[: width - len(names)])


def _is_score(text: str) -> bool:
    return _is_number(text) and 0 <= float(text) <= 100


def _record_end(data: bytes, start: int) -> int:
    """Where a record ends: behind the first line end outside quotes."""
    quotes, end = 0, start
    while True:
        begin, end = end, data.find(b"\n", end) + 1
        if not end:
            return len(data)
        quotes += data.count(b'"', begin, end)
        if quotes % 2 == 0:
            return end


# -- comments -----------------------------------------------------------------------------------------


def _without_comments(
    source: Source, delimiter: str, width: int, commented: str, in_file: bool
) -> tuple[bytes, list[int]]:
    """The data with empty lines for comments, so that lines keep their numbers; and which lines are comments.

    A line that begins with ``#`` is a comment if a space or nothing follows, or if it does not have the fields of a
    record. If it does, it may be a record that was commented out, or one whose first field begins with ``#``: the
    latter if all records do.
    """
    if not has_comments(source.data):
        return source.data, []
    lines = source.text().split("\n")
    marked, others = _marked_lines(lines, delimiter)
    header = [n for n in marked if lines[n] == commented][-1:]
    doubtful = [n for n in marked if n not in header and _may_be_record(lines[n], delimiter, width)]
    if doubtful and others > in_file:
        shown = lines[doubtful[0]].strip()[:60]
        raise InputError(
            f"{source.name}: line {doubtful[0] + 1} begins with # and has the fields of a record ({shown!r}): it may "
            'be a comment or a record; remove it, or put its first field in quotation marks ("#…") if it is a record'
        )
    comments = sorted(set(marked) - set(doubtful))
    for number in comments:
        lines[number] = ""
    return "\n".join(lines).encode(), [n + 1 for n in comments if n not in header]


def _marked_lines(lines: list[str], delimiter: str) -> tuple[list[int], int]:
    """Which lines begin with ``#`` outside quotes, and how many records there are without them."""
    marked: list[int] = []
    at_start = True

    def feed() -> Iterator[str]:
        nonlocal at_start
        for number, line in enumerate(lines):
            if at_start and line.startswith("#"):
                marked.append(number)
            else:
                at_start = False
                yield line + "\n"

    records = 0
    reader = reader_of(feed(), delimiter)
    while True:
        at_start = True
        try:
            records += any(next(reader))
        except StopIteration:
            return marked, records
        except csv.Error:
            records += 1


def _may_be_record(line: str, delimiter: str, width: int) -> bool:
    after = line[1:2].strip()
    return after not in ("", "#") and len(rows_of([line.rstrip("\r")], delimiter)[0]) == width


def _notes(source: str, comments: list[int], commented: str, known: tuple[str, ...]) -> tuple[str, ...]:
    notes = []
    if commented:
        notes.append(f"{source}: the header is the comment line {commented[:60]!r}")
    if comments:
        many = f"{len(comments)} comment lines, the first" if len(comments) > 1 else "a comment line,"
        notes.append(f"{source}: left out {many} line {comments[0]} (it begins with #)")
    if known:
        notes.append(f"{source}: has no header; read as the scores that Appraise exports, by their content")
    return tuple(notes)
