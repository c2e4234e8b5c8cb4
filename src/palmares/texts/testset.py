"""`TestSet`: one language pair's sources, references and outputs, segment by segment."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..errors import InputError
from ..results import counted
from .conversations import Turns
from .images import Image
from .languages import LanguagePair

#: Names that begin so are kept for the controls that a campaign adds (a reference, degraded outputs).
RESERVED_PREFIX = "palmares:"
#: Control characters, halves of characters and separators of lines, by their Unicode categories.
_NOT_IN_NAMES = frozenset(("Cc", "Cs", "Zl", "Zp"))


@dataclass(frozen=True)
class Segment:
    """What is translated or answered: one text, its place, and the reference if there is one.

    ``turns`` if it is a conversation: then ``source`` is all of it as one text.
    """

    id: str
    document: str | None
    source: str
    reference: str | None
    turns: Turns = field(default=(), repr=False)


@dataclass(frozen=True)
class TestSet:
    """Segments in order, and for each system one output per segment in the same order.

    ``missing`` names by (system, index of the segment, from 0) what a file did not have; such an output is an
    empty text in ``outputs``. ``notes`` are sentences a reader has to say about the files. ``lines`` are the lines of
    the file (or files) on which the segments stand, where one number is right for all texts of a segment.

    ``conversations`` are the turns of outputs that have several, by (system, index of the segment); their text in
    ``outputs`` is all of it. ``images`` are those that texts show, by name (None only on the way out of a reader: named
    by a message, and not looked for yet). A ``partial`` test set comes from a format
    that never has all systems on a segment, such as the battles of an arena. Without ``has_sources`` there was no
    source text, and those of the segments are empty.
    """

    __test__ = False  # no test class, whatever pytest thinks of its name

    langs: LanguagePair
    segments: tuple[Segment, ...] = field(repr=False)
    outputs: Mapping[str, tuple[str, ...]] = field(repr=False)
    missing: frozenset[tuple[str, int]] = field(default=frozenset(), repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False, compare=False)
    lines: tuple[int, ...] | None = field(default=None, repr=False, compare=False)
    conversations: Mapping[tuple[str, int], Turns] = field(default_factory=dict, repr=False)
    images: Mapping[str, Image | None] = field(default_factory=dict, repr=False)
    partial: bool = False
    has_sources: bool = True

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, sorted."""
        return tuple(self.outputs)

    @property
    def has_references(self) -> bool:
        """Whether any segment has a reference."""
        return any(segment.reference is not None for segment in self.segments)

    def __len__(self) -> int:
        return len(self.segments)

    def described(self) -> str:
        """What there is, in one line."""
        documents = len({segment.document for segment in self.segments if segment.document is not None})
        parts = [
            f"{len(self)} {'segments' if self.langs.is_pair else 'prompts'}",
            *([f"{documents} documents"] if documents else []),
            "with references" if self.has_references else "without references",
            *([counted(len(self.images), "image")] if self.images else []),
            f"{len(self.systems)} systems ({', '.join(self.systems)})",
        ]
        return f"{self.langs}: {', '.join(parts)}"


def make(
    langs: LanguagePair,
    segments: Iterable[Segment],
    outputs: Mapping[str, Sequence[str]],
    *,
    missing: Iterable[tuple[str, int]] = (),
    notes: Iterable[str] = (),
    lines: Iterable[int] | None = None,
    name: str = "texts",
    has_sources: bool = True,
) -> TestSet:
    """A test set from checked texts; refuses names, ids and counts that cannot be right. ``name`` is for messages."""
    kept = tuple(segments)
    if not kept:
        needed = "at least one line of source text" if has_sources else "at least one line"
        raise InputError(f"{name}: no segment; a test set needs {needed}")
    check_names(outputs, name)
    _check_ids(kept, name)
    _check_counts(len(kept), outputs, name)
    ordered = {system: tuple(outputs[system]) for system in sorted(outputs)}
    numbers = tuple(lines) if lines is not None else None
    return TestSet(langs, kept, ordered, frozenset(missing), tuple(notes), numbers, has_sources=has_sources)


def check_names(systems: Iterable[str], name: str) -> None:
    """Refuse names of systems that are empty, padded or reserved, and a test set without systems."""
    names = list(systems)
    if not names:
        raise InputError(f"{name}: no system; give the outputs of at least one")
    for system in names:
        if not system.strip():
            raise InputError(f"{name}: a system has no name; give every system one")
        if system != system.strip() or _has_controls(system):
            raise InputError(
                f"{name}: system name {system!r} has white space around it or control characters in it; take them out"
            )
        if system.casefold().startswith(RESERVED_PREFIX):
            raise InputError(
                f"{name}: system name {system!r} is reserved; names that begin with {RESERVED_PREFIX!r} are kept for "
                "the controls of a campaign; choose another"
            )


def _check_ids(segments: Sequence[Segment], name: str) -> None:
    if any(not segment.id.strip() for segment in segments):
        raise InputError(f"{name}: a segment has an empty id; give every segment one, or leave ids out altogether")
    for id in (id for segment in segments for id in (segment.id, segment.document) if id is not None):
        if not id.isprintable() and _has_controls(id):
            raise InputError(f"{name}: the id {id!r} of a segment or document has control characters; take them out")
    twice = [id for id, count in Counter(segment.id for segment in segments).items() if count > 1]
    if twice:
        shown = ", ".join(repr(id) for id in twice[:5])
        raise InputError(f"{name}: segment ids must differ, but more than one segment has {shown}")


def _check_counts(expected: int, outputs: Mapping[str, Sequence[str]], name: str) -> None:
    wrong = {system: len(texts) for system, texts in outputs.items() if len(texts) != expected}
    if wrong:
        counts = ", ".join(f"{system!r} has {count}" for system, count in sorted(wrong.items()))
        raise InputError(f"{name}: {expected} segments, but {counts} outputs; every system needs one per segment")


def _has_controls(name: str) -> bool:
    return any(unicodedata.category(character) in _NOT_IN_NAMES for character in name)
