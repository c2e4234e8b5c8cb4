"""Text that was decoded wrongly, and what processing steps leave behind."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..testset import TestSet
from .columns import Column, columns, source_column
from .findings import Finding, Severity

#: From this share of lines on (and from this many), wrongly decoded text is an error: the file is, not a line.
MANY, AT_LEAST = 0.1, 3

#: What the bytes 0x80 to 0xBF of UTF-8 become when they are taken for Windows-1252 or Latin-1.
_TRAIL = "[\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
#: One sign in two of Western Europe is enough; others need a second, since "Å”" or "ß“" are good text.
_MOJIBAKE = re.compile(f"[ÂÃ]{_TRAIL}|â€|â\x80|ï»¿|(?:[Ä-ß]{_TRAIL}){{2}}|(?:[à-ï]{_TRAIL}{{2}}){{2}}")
_ENTITY = re.compile(r"&(?:amp|quot|lt|gt|apos|nbsp|#[0-9]{1,6}|#x[0-9a-fA-F]{1,5}) ?;")
_PIECES = re.compile(r"\S@@(?: |$)|▁")
_CONTROL = re.compile("[\x0b\x0c\x80-\x9f\u2028\u2029\ufeff]")

#: What is looked for, what it is called, and whether many of them make an error.
_FAULTS = (
    (_MOJIBAKE, "UTF-8 taken for another encoding (such as Ã© for é)", True),
    (re.compile("\ufffd"), "the replacement character U+FFFD, where something could not be decoded", True),
    (_ENTITY, "HTML entities (such as &amp;quot; or &amp;amp;) left in".replace("&amp;", "&"), False),
    (_PIECES, "word pieces (@@ or ▁) that were not joined", False),
    (_CONTROL, "control characters or separators of lines inside a text", False),
)


def encoding(testset: TestSet) -> Iterator[Finding]:
    """Every kind of fault, text by text. What a source has already is not held against an output."""
    sources = source_column(testset).texts
    for column in columns(testset):
        for pattern, what, may_be_error in _FAULTS:
            lines = _lines(pattern, column, sources)
            if lines:
                severity = _severity(lines, column, may_be_error)
                subject = "" if column.system else f"in the {column.what}, "
                yield Finding("encoding", severity, column.system, lines, f"{subject}{what}")


def _lines(pattern: re.Pattern[str], column: Column, sources: tuple[str, ...]) -> tuple[int, ...]:
    is_source = column.what == "sources"
    return tuple(
        number
        for number, (text, source) in enumerate(zip(column.texts, sources, strict=True), 1)
        if pattern.search(text) and (is_source or not pattern.search(source))
    )


def _severity(lines: tuple[int, ...], column: Column, may_be_error: bool) -> Severity:
    written = sum(bool(text.strip()) for text in column.texts)
    return "error" if may_be_error and len(lines) >= max(AT_LEAST, MANY * written) else "warning"
