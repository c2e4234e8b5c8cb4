"""Ranking tasks of Appraise (Federmann 2012): ``hit`` elements with ``seg``, ``source`` and ``translation``.

A task shows some of the systems, and one segment may stand in several tasks; what they say of it is put together.
"""

from __future__ import annotations

from dataclasses import replace

from ..errors import InputError
from .languages import LanguagePair
from .records import Record, grouped, pair_of_tags
from .testset import TestSet
from .xml_tree import Element, parse_tree

_Key = tuple[LanguagePair | None, str, str]


def read_hits(langs: LanguagePair | None, *, name: str, text: str) -> tuple[TestSet, ...]:
    """The segments of all tasks, each once, in the order of their first appearance."""
    root = parse_tree(name, text)
    hits = [root] if root.name == "hit" else list(root.all("hit"))
    if not hits:
        raise InputError(f"{name}: no hit element; Appraise tasks are <hit> elements with <seg> in them")
    records: dict[_Key, Record] = {}
    for hit in hits:
        pair = _pair(hit, name) or langs
        for segment in hit.all("seg"):
            record = _record(segment, pair, name)
            key = (pair, record.document or "", record.id or "")
            records[key] = _joined(records[key], record) if key in records else record
    return grouped(_with_full_ids(list(records.values())), langs, name=name)


def _pair(hit: Element, name: str) -> LanguagePair | None:
    source = hit.attributes.get("source-language")
    target = hit.attributes.get("target-language")
    return pair_of_tags(source, target, f"{name}: line {hit.line}") if source and target else None


def _record(segment: Element, pair: LanguagePair | None, name: str) -> Record:
    place = f"{name}: line {segment.line}"
    sources = list(segment.all("source"))
    if len(sources) != 1:
        raise InputError(f"{place}: a seg element with {len(sources)} source elements; allowed: one")
    references = list(segment.all("reference"))
    outputs: dict[str, str] = {}
    for translation in segment.all("translation"):
        for system in _systems(translation, name):
            if outputs.setdefault(system, translation.text) != translation.text:
                raise InputError(f"{place}: two different translations by {system!r} in one segment")
    id = segment.attributes.get("id") or sources[0].attributes.get("id")
    if not id:
        raise InputError(f"{place}: a seg element without id")
    reference = references[0].text if references else None
    return Record(place, sources[0].text, reference, id, segment.attributes.get("doc-id"), pair, outputs)


def _systems(translation: Element, name: str) -> list[str]:
    """The systems behind an output; Appraise joins those that gave the same by commas."""
    systems = [part.strip() for part in translation.attributes.get("system", "").split(",")]
    if not all(systems):
        raise InputError(f"{name}: line {translation.line}: a translation lacks its system")
    return systems


def _joined(first: Record, again: Record) -> Record:
    if first.source != again.source:
        raise InputError(
            f"{again.place}: segment {again.id!r} has another source than at {first.place.rpartition(': ')[2]}; "
            "ids must name one segment each"
        )
    for system, text in again.outputs.items():
        if first.outputs.get(system, text) != text:
            raise InputError(f"{again.place}: another output of {system!r} for segment {again.id!r} than before")
    reference = first.reference if first.reference is not None else again.reference
    outputs = {**first.outputs, **again.outputs}
    return replace(first, reference=reference, outputs=outputs)


def _with_full_ids(records: list[Record]) -> list[Record]:
    """Ids as they stand where they differ, ``document:segment`` where they are counted within documents."""
    keys = [(record.langs, record.id) for record in records]
    if len(set(keys)) == len(keys):
        return records
    return [replace(record, id=f"{record.document}:{record.id}") if record.document else record for record in records]
