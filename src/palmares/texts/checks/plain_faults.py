"""What needs no statistics: notes of the reader, names, missing and empty texts."""

from __future__ import annotations

from collections.abc import Iterator

from ..testset import TestSet
from .findings import Finding


def reading(testset: TestSet) -> Iterator[Finding]:
    """What the reader had to say of the files."""
    for note in testset.notes:
        yield Finding("reading", "warning", None, (), note)


def names(testset: TestSet) -> Iterator[Finding]:
    """Names of systems that a reader would take for one."""
    alike: dict[str, list[str]] = {}
    for system in testset.systems:
        alike.setdefault(system.casefold(), []).append(system)
    for group in alike.values():
        if len(group) > 1:
            yield Finding("names", "warning", None, (), f"system names differ in case alone: {', '.join(group)}")


def missing(testset: TestSet) -> Iterator[Finding]:
    """Segments for which a file has no output of a system."""
    for system in testset.systems:
        lines = tuple(sorted(index + 1 for name, index in testset.missing if name == system))
        if lines:
            message = f"no output for {len(lines)} of {len(testset)} segments"
            yield Finding("missing", "error", system, lines, message)


def empty(testset: TestSet) -> Iterator[Finding]:
    """Texts of nothing but white space."""
    sources = tuple(n for n, segment in enumerate(testset.segments, 1) if not segment.source.strip())
    if sources:
        yield Finding("empty", "error", None, sources, "empty sources")
    references = tuple(
        n for n, s in enumerate(testset.segments, 1) if s.reference is not None and not s.reference.strip()
    )
    if references:
        yield Finding("empty", "warning", None, references, "empty references")
    for system, outputs in testset.outputs.items():
        yield from _empty_outputs(system, outputs, {index for name, index in testset.missing if name == system})


def _empty_outputs(system: str, outputs: tuple[str, ...], missing: set[int]) -> Iterator[Finding]:
    there = [index for index in range(len(outputs)) if index not in missing]
    lines = tuple(index + 1 for index in there if not outputs[index].strip())
    if lines and len(lines) == len(there):
        yield Finding("empty", "error", system, lines, "all outputs are empty")
    elif lines:
        yield Finding("empty", "warning", system, lines, "empty outputs")
