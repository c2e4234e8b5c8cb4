"""Texts that are equal and should perhaps not be. White space around a text does not count."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from ...results import counted
from ..languages import base_language
from ..testset import TestSet
from .base import Finding, Severity
from .scripts import UNSPACED

#: Two systems that agree on more than this share of lines may be one file given twice.
SAME_SYSTEM = 0.95
#: A system that gives the reference (or the source) on more than this share of lines may be given the wrong file.
MOST_LINES = 0.5
#: From this share of lines on, lines that leave nothing to judge are a warning and not a note.
MANY_EQUAL = 0.1
#: Fewer words than this (or characters, where none are between spaces) are often right untranslated: names, titles.
LEAST_WORDS, LEAST_CHARACTERS = 4, 8
#: The same output for so many different sources is no accident.
STUCK = 5
_WORD = re.compile(r"[^\W\d_]{2,}")


def identical(testset: TestSet) -> Iterator[Finding]:
    """Equal outputs of systems, of one system again and again, and outputs equal to source or reference."""
    outputs = {system: [text.strip() for text in texts] for system, texts in testset.outputs.items()}
    yield from _same_systems(outputs)
    yield from _nothing_to_judge(outputs, testset.partial)
    yield from _shared(outputs, testset.partial)
    for system, texts in outputs.items():
        yield from _untranslated(testset, system, texts)
        yield from _leaked(testset, system, texts)
        yield from _stuck(testset, system, texts)


def _same_systems(outputs: dict[str, list[str]]) -> Iterator[Finding]:
    for first, second in combinations(outputs, 2):
        both = [(a, b) for a, b in zip(outputs[first], outputs[second], strict=True) if a or b]
        equal = sum(a == b for a, b in both)
        if both and equal > SAME_SYSTEM * len(both):
            share = f"{equal:,} of {counted(len(both), 'line')}"
            message = f"{first} and {second} are equal on {share}; is it the same file twice?"
            yield Finding("identical", "warning", None, (), message)


def _nothing_to_judge(outputs: dict[str, list[str]], partial: bool) -> Iterator[Finding]:
    rows = list(zip(*outputs.values(), strict=True))
    lines = tuple(n for n, row in enumerate(rows, 1) if len(row) > 1 and _all_equal(row, partial))
    if lines:
        severity: Severity = "warning" if len(lines) > MANY_EQUAL * len(rows) else "note"
        message = f"all systems give the same output on {counted(len(lines), 'line')}; there is nothing to judge"
        yield Finding("identical", severity, None, lines, message)


def _shared(outputs: dict[str, list[str]], partial: bool) -> Iterator[Finding]:
    """A note on lines where some systems agree but not all, which is usual."""
    rows = list(zip(*outputs.values(), strict=True))
    lines = tuple(number for number, row in enumerate(rows, 1) if _some_equal(row) and not _all_equal(row, partial))
    if lines:
        message = f"some systems give the same output on {counted(len(lines), 'line')}"
        yield Finding("identical", "note", None, lines, message)


def _all_equal(row: tuple[str, ...], partial: bool) -> bool:
    """Whether all systems say the same; in a partial test set, all that say something."""
    written = [text for text in row if text]
    return bool(written) and len(set(written)) == 1 and (len(written) > 1 if partial else len(written) == len(row))


def _some_equal(row: tuple[str, ...]) -> bool:
    written = [text for text in row if text]
    return len(set(written)) < len(written) and len(set(row)) > 1


def _untranslated(testset: TestSet, system: str, texts: list[str]) -> Iterator[Finding]:
    """Copies of the source; they may be right where both languages are the same, but never as answers to a prompt."""
    langs = testset.langs
    if langs.is_pair and base_language(langs.source) == base_language(langs.target):
        return
    lines = tuple(
        number
        for number, (segment, text) in enumerate(zip(testset.segments, texts, strict=True), 1)
        if text == segment.source.strip() and _is_sentence(text)
    )
    if lines:
        written = sum(bool(text) for text in texts) if testset.partial else len(texts)
        severity: Severity = "error" if len(lines) > MOST_LINES * written else "warning"
        what = "source" if langs.is_pair else "prompt"
        yield Finding("identical", severity, system, lines, f"copies of the {what} on {counted(len(lines), 'line')}")


def _leaked(testset: TestSet, system: str, texts: list[str]) -> Iterator[Finding]:
    pairs = [
        (number, segment.reference.strip() == text)
        for number, (segment, text) in enumerate(zip(testset.segments, texts, strict=True), 1)
        if segment.reference is not None and segment.reference.strip()
    ]
    lines = tuple(number for number, equal in pairs if equal)
    if pairs and len(lines) > MOST_LINES * len(pairs):
        message = f"equal to the reference on {len(lines)} of {len(pairs)} lines; has the reference leaked?"
        yield Finding("identical", "warning", system, lines, message)


def _stuck(testset: TestSet, system: str, texts: list[str]) -> Iterator[Finding]:
    """One and the same sentence for sources that are not: a refusal, or a system that hangs."""
    places: dict[str, list[int]] = {}
    for number, text in enumerate(texts, 1):
        places.setdefault(text, []).append(number)
    often = [text for text, lines in places.items() if len(lines) >= STUCK and _is_sentence(text)]
    for text in often:
        sources = {_letters(testset.segments[number - 1].source) for number in places[text]}
        if len(sources) >= STUCK:
            shown = text if len(text) <= 40 else f"{text[:40]}…"
            message = f"the same output for {len(sources)} different sources: {shown!r}"
            yield Finding("identical", "warning", system, tuple(places[text]), message)


def _is_sentence(text: str) -> bool:
    return len(_WORD.findall(text)) >= LEAST_WORDS or len(UNSPACED.findall(text)) >= LEAST_CHARACTERS


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
