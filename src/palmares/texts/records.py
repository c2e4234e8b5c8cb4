"""Records that hold everything about a segment: rows of a table, lines of JSON, elements of XML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ..errors import InputError
from . import testset
from .conversations import Turns
from .images import Image
from .languages import LanguagePair
from .lines import refuse_controls
from .testset import Segment, TestSet

#: What a record may say of a segment, beside the outputs of systems.
FIELDS = ("id", "document", "langs", "source", "reference")


@dataclass(frozen=True)
class Record:
    """One segment as it stands in a file. ``place`` says where, for messages; ``line`` is None in XML.

    ``turns`` and ``conversations`` (by system) are of what has several turns; a text of all of them stands beside.
    """

    place: str
    source: str
    reference: str | None = None
    id: str | None = None
    document: str | None = None
    langs: LanguagePair | None = None
    outputs: Mapping[str, str] = field(default_factory=dict)
    line: int | None = None
    turns: Turns = ()
    conversations: Mapping[str, Turns] = field(default_factory=dict)


def grouped(
    records: Iterable[Record],
    langs: LanguagePair | None,
    *,
    name: str,
    notes: Iterable[str] = (),
    images: Mapping[str, Image | None] | None = None,
) -> tuple[TestSet, ...]:
    """One test set per language pair, its segments in the order of the file."""
    groups: dict[LanguagePair, list[Record]] = {}
    for record in records:
        pair = record.langs or langs
        if pair is None:
            raise InputError(f"{record.place}: no language pair; say it, e.g. --langs fr-en")
        groups.setdefault(pair, []).append(record)
    if not groups:
        raise InputError(f"{name}: no segment; a test set needs at least one")
    made = (_one_pair(pair, groups[pair], name, notes) for pair in sorted(groups))
    return tuple(replace(texts, images=images or {}) for texts in made)


def record_of(name: str, line: int, values: Mapping[str, str | None], outputs: Mapping[str, str]) -> Record:
    """A record from the fields of a line; an empty id, document or language pair is none."""
    place = f"{name}: line {line}"
    pair = (values.get("langs") or "").strip()
    return Record(
        place,
        values.get("source") or "",
        values.get("reference"),
        (values.get("id") or "").strip() or None,
        (values.get("document") or "").strip() or None,
        parse_pair(pair, place) if pair else None,
        outputs,
        line,
    )


def parse_pair(text: str, place: str) -> LanguagePair:
    """A language pair as it stands in a file."""
    try:
        return LanguagePair.of(text)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def pair_of_tags(source: str, target: str, place: str) -> LanguagePair:
    """A language pair from two tags of XML, in which a hyphen stands before script and region."""
    return parse_pair(f"{source.replace('-', '_')}-{target.replace('-', '_')}", place)


def _one_pair(pair: LanguagePair, records: list[Record], name: str, notes: Iterable[str]) -> TestSet:
    for record in records:
        for whose, text in _texts(record):
            refuse_controls(text, f"{record.place}: {whose}")
    segments = [
        Segment(record.id or str(number), record.document, record.source, record.reference, record.turns)
        for number, record in enumerate(records, 1)
    ]
    systems = sorted({system for record in records for system in record.outputs})
    outputs = {system: [record.outputs.get(system, "") for record in records] for system in systems}
    missing = [(s, index) for s in systems for index, record in enumerate(records) if s not in record.outputs]
    lines = [record.line for record in records if record.line is not None]
    made = testset.make(
        pair,
        segments,
        outputs,
        missing=missing,
        notes=notes,
        lines=lines if len(lines) == len(records) else None,
        name=f"{name} ({pair})",
    )
    several = {(s, index): turns for index, record in enumerate(records) for s, turns in record.conversations.items()}
    return replace(made, conversations=several)


def _texts(record: Record) -> Iterator[tuple[str, str]]:
    yield "the source", record.source
    yield "the reference", record.reference or ""
    yield from record.outputs.items()
