"""Text that was decoded wrongly, and what processing steps leave behind.

Patterns of our own instead of ftfy, which is made to repair single texts: here a whole file is searched at once, and
lines are reported, never changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..testset import TestSet
from .base import Column, Finding, Severity, columns, source_column

#: From this share of lines on (and from this many), wrongly decoded text is an error: the file is, not a line.
MANY, AT_LEAST = 0.1, 3

#: What the bytes 0x80 to 0xBF of UTF-8 become when they are taken for Windows-1252 or Latin-1. Some of them stand at
#: the end of words in good text too, and after a capital letter ("AMANHÃ…") they prove nothing.
_PLAIN_TRAIL = "\x80-\xaa\xac-\xba\xbc-\xbf€‚ƒ„†‡ˆ‰Š‹ŒŽ•˜™š›œžŸ"
_MARKS = "«»…‘’“”–—"
_TRAIL = f"[{_PLAIN_TRAIL}{_MARKS}]"
_CAPITAL = "A-ZÀ-ÖØ-Þ"
#: Those that are never part of a word.
_SIGNS = "\x80-\xa9\xac-\xb4\xb6-\xb9\xbc-\xbf€‚„†‡ˆ‰‹•˜™›"
#: What the same bytes become in Windows-1251.
_CYRILLIC_TRAIL = "[ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—™љ›њќћџ\xa0ЎўЈ¤Ґ¦§Ё©Є«¬\xad®Ї°±Ііґµ¶·ё№є»јЅѕї]"
#: One sign in two of Western Europe is enough; others need a second, since "Å”" or "ß“" are good text. The first
#: character stands alone, before what must follow which, because so the search skips most of a text quickly.
_MOJIBAKE = re.compile(
    "[Â-ïвРС](?:"
    f"(?<=[ÂÃ])(?:[{_PLAIN_TRAIL}]|[{_MARKS}](?=[^\\W\\d_])|(?<![{_CAPITAL}][ÂÃ])[{_MARKS}])"
    f"|(?<=â)(?:[€\x80]|[‚\x82]¬)|(?<=ï)»¿|(?<=в)Ђ|(?<=á)[º»][{_PLAIN_TRAIL}]|(?<=[Ä-Þ])[{_SIGNS}](?=[a-z])"
    f"|(?<=[Ä-ß]){_TRAIL}[Ä-ß]{_TRAIL}"
    f"|(?<=[à-ï]){_TRAIL}{{2}}[à-ï]{_TRAIL}{{2}}"
    f"|(?<=[РС]){_CYRILLIC_TRAIL}(?:[РС]{_CYRILLIC_TRAIL}){{2}})"
)
_ENTITY = re.compile(r"&(?:amp|quot|lt|gt|apos|nbsp|#[0-9]{1,6}|#x[0-9a-fA-F]{1,5}) ?;")
_PIECES = re.compile(r"[@▁](?:(?<=\S@)@(?=\s|\Z)|(?<=▁))")
_TOKENS = re.compile(r"<unk>|<pad>|</s>|<\|[a-z_]+\|>|⁇", re.IGNORECASE)
_QUOTED = re.compile(r'(?m)"(?<![^\n]")(?=[^\n]*""[^\n])(?:[^"\n]|"")*"$')
_CONTROL = re.compile("[\x0b\x0c\x80-\x9f\u2028\u2029\ufeff]")

#: What is looked for, what it is called, and whether many of them make an error.
_FAULTS = (
    (_MOJIBAKE, "UTF-8 taken for another encoding (such as Ã© for é)", True),
    (re.compile("\ufffd"), "the replacement character U+FFFD, where something could not be decoded", True),
    (_ENTITY, "HTML entities (such as &quot; or &amp;) left in", False),
    (_PIECES, "word pieces (@@ or ▁) that were not joined", False),
    (_TOKENS, "tokens of a model (such as <unk> or </s>) left in", False),
    (_QUOTED, 'quotation marks of a table ("…""…") left in', False),
    (_CONTROL, "control characters or separators of lines inside a text", False),
)


def encoding(testset: TestSet) -> Iterator[Finding]:
    """Every kind of fault, text by text. What a source has already is not held against an output."""
    sources = source_column(testset).texts
    for column in columns(testset):
        everything = "\n".join(column.texts)
        for pattern, what, may_be_error in _FAULTS:
            # Most texts have no fault at all, and one search is quicker than one per line.
            lines = _lines(pattern, column, sources) if pattern.search(everything) else ()
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
