"""What needs no statistics: notes of the reader, names, missing and empty texts."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator

from ..testset import TestSet
from .base import Finding, is_blank


def reading(testset: TestSet) -> Iterator[Finding]:
    """What the reader noticed about the files."""
    for note in testset.notes:
        yield Finding("reading", "warning", None, (), note)


def names(testset: TestSet) -> Iterator[Finding]:
    """Names of systems that a reader would take for one."""
    alike: dict[str, list[str]] = {}
    for system in testset.systems:
        alike.setdefault(_as_read(system), []).append(system)
    for group in alike.values():
        if len(group) > 1:
            shown = ", ".join(repr(system) for system in group)
            yield Finding("names", "warning", None, (), f"system names that are hard to tell apart: {shown}")


def _as_read(name: str) -> str:
    """A name without case, width and invisible characters."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(character for character in plain if unicodedata.category(character) != "Cf")


def missing(testset: TestSet) -> Iterator[Finding]:
    """Segments for which a file has no output of a system, or no reference though others have one."""
    if testset.partial:
        yield from _partial(testset)
        return
    absent: dict[str, list[int]] = {}
    for system, index in sorted(testset.missing):
        absent.setdefault(system, []).append(index + 1)
    for system, lines in absent.items():
        message = f"no output for {len(lines)} of {len(testset)} segments"
        yield Finding("missing", "error", system, tuple(lines), message)
    without = tuple(n for n, segment in enumerate(testset.segments, 1) if segment.reference is None)
    if without and testset.has_references:
        message = f"no reference for {len(without)} of {len(testset)} segments"
        yield Finding("missing", "warning", None, without, message)


def _partial(testset: TestSet) -> Iterator[Finding]:
    """One note on what is as it must be; segments with one system alone leave nothing to compare."""
    absent = Counter(index for _, index in testset.missing)
    there = [len(testset.systems) - absent[index] for index in range(len(testset))]
    few, many = min(there), max(there)
    number = f"{few}" if few == many else f"{few} to {many}"
    message = f"{number} of {len(testset.systems)} systems have an output on each segment, as the format has it"
    yield Finding("missing", "note", None, (), message)
    alone = tuple(number for number, systems in enumerate(there, 1) if systems < 2)
    if alone:
        yield Finding("missing", "warning", None, alone, "one system alone has an output, so there is nothing to judge")


def empty(testset: TestSet) -> Iterator[Finding]:
    """Texts in which there is nothing to be seen."""
    sources = tuple(n for n, segment in enumerate(testset.segments, 1) if is_blank(segment.source))
    if sources and testset.has_sources:
        yield Finding("empty", "error", None, sources, "empty sources")
    references = tuple(
        n for n, s in enumerate(testset.segments, 1) if s.reference is not None and is_blank(s.reference)
    )
    if references:
        yield Finding("empty", "warning", None, references, "empty references")
    absent: dict[str, set[int]] = {system: set() for system in testset.systems}
    for system, index in testset.missing:
        absent[system].add(index)
    for system, outputs in testset.outputs.items():
        yield from _empty_outputs(system, outputs, absent[system])


def _empty_outputs(system: str, outputs: tuple[str, ...], missing: set[int]) -> Iterator[Finding]:
    there = [index for index in range(len(outputs)) if index not in missing]
    lines = tuple(index + 1 for index in there if is_blank(outputs[index]))
    if lines and len(lines) == len(there):
        yield Finding("empty", "error", system, lines, "all outputs are empty")
    elif lines:
        yield Finding("empty", "warning", system, lines, "empty outputs")
