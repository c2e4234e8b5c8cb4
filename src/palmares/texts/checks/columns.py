"""The texts of a test set one by one: sources, references and each system's outputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..testset import TestSet


@dataclass(frozen=True)
class Column:
    """One text a segment, and what messages call it; an empty text stands for a missing one."""

    system: str | None
    what: str
    language: str
    texts: tuple[str, ...] = field(repr=False)


def columns(testset: TestSet) -> Iterator[Column]:
    """Sources, references (if there are any), then systems."""
    yield source_column(testset)
    if testset.has_references:
        references = tuple(segment.reference or "" for segment in testset.segments)
        yield Column(None, "references", testset.langs.target, references)
    for system, outputs in testset.outputs.items():
        yield Column(system, "outputs", testset.langs.target, outputs)


def source_column(testset: TestSet) -> Column:
    """The sources alone."""
    return Column(None, "sources", testset.langs.source, tuple(segment.source for segment in testset.segments))


def is_blank(text: str) -> bool:
    """Whether there is nothing to be seen in a text: white space, or characters without width."""
    return not any(character.isprintable() and not character.isspace() for character in text)
