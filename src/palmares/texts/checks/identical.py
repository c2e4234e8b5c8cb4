"""Texts that are equal and should perhaps not be. White space around a text does not count."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from ..languages import base_language
from ..testset import TestSet
from .findings import Finding

#: Two systems that agree on more than this share of lines may be one file given twice.
SAME_SYSTEM = 0.95
#: A system that gives the reference on more than this share of lines may have seen it.
LEAKED = 0.5
#: Fewer words than this are often right untranslated: names, titles, numbers.
COPIED_WORDS = 4
_WORD = re.compile(r"[^\W\d_]{2,}")


def identical(testset: TestSet) -> Iterator[Finding]:
    """Equal outputs of systems, and outputs equal to source or reference."""
    outputs = {system: [text.strip() for text in texts] for system, texts in testset.outputs.items()}
    yield from _same_systems(outputs)
    yield from _nothing_to_judge(outputs)
    yield from _shared(outputs)
    for system, texts in outputs.items():
        yield from _untranslated(testset, system, texts)
        yield from _leaked(testset, system, texts)


def _same_systems(outputs: dict[str, list[str]]) -> Iterator[Finding]:
    for first, second in combinations(outputs, 2):
        both = [(a, b) for a, b in zip(outputs[first], outputs[second], strict=True) if a or b]
        equal = sum(a == b for a, b in both)
        if both and equal > SAME_SYSTEM * len(both):
            message = f"{first} and {second} are equal on {equal} of {len(both)} lines; is it the same file twice?"
            yield Finding("identical", "warning", None, (), message)


def _nothing_to_judge(outputs: dict[str, list[str]]) -> Iterator[Finding]:
    if len(outputs) < 2:
        return
    rows = zip(*outputs.values(), strict=True)
    lines = tuple(number for number, row in enumerate(rows, 1) if row[0] and len(set(row)) == 1)
    if lines:
        message = f"all systems give the same output on {len(lines)} lines; there is nothing to judge"
        yield Finding("identical", "warning", None, lines, message)


def _shared(outputs: dict[str, list[str]]) -> Iterator[Finding]:
    """A note on lines where some systems agree, which is usual."""
    rows = [[text for text in row if text] for row in zip(*outputs.values(), strict=True)]
    lines = tuple(number for number, row in enumerate(rows, 1) if len(set(row)) < len(row))
    if lines:
        message = f"two or more systems give the same output on {len(lines)} lines"
        yield Finding("identical", "note", None, lines, message)


def _untranslated(testset: TestSet, system: str, texts: list[str]) -> Iterator[Finding]:
    if base_language(testset.langs.source) == base_language(testset.langs.target):
        return
    lines = tuple(
        number
        for number, (segment, text) in enumerate(zip(testset.segments, texts, strict=True), 1)
        if text == segment.source.strip() and len(_WORD.findall(text)) >= COPIED_WORDS
    )
    if lines:
        yield Finding("identical", "warning", system, lines, f"copies of the source on {len(lines)} lines")


def _leaked(testset: TestSet, system: str, texts: list[str]) -> Iterator[Finding]:
    pairs = [
        (number, segment.reference.strip() == text)
        for number, (segment, text) in enumerate(zip(testset.segments, texts, strict=True), 1)
        if segment.reference is not None and segment.reference.strip()
    ]
    lines = tuple(number for number, equal in pairs if equal)
    if pairs and len(lines) > LEAKED * len(pairs):
        message = f"equal to the reference on {len(lines)} of {len(pairs)} lines; has the reference leaked?"
        yield Finding("identical", "warning", system, lines, message)
