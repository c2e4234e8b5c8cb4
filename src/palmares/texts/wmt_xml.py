"""Test sets of WMT since 2021: documents with ``src``, ``ref`` and ``hyp``, each with numbered ``seg`` elements."""

from __future__ import annotations

from ..errors import InputError
from .languages import LanguagePair
from .records import Record, grouped, pair_of_tags
from .testset import TestSet
from .xml_tree import Element, parse_tree


def read_wmt_xml(langs: LanguagePair | None, *, name: str, text: str) -> tuple[TestSet, ...]:
    """The documents of a ``dataset``; segment ids are ``document:segment``."""
    root = parse_tree(name, text)
    documents = [root] if root.name == "doc" else list(root.all("doc"))
    if not documents:
        raise InputError(f"{name}: no doc element; a WMT test set has <doc> with <src>, <ref> and <hyp> in it")
    translators = list(
        dict.fromkeys(ref.attributes.get("translator", "") for document in documents for ref in document.all("ref"))
    )
    records = [
        record
        for number, document in enumerate(documents, 1)
        for record in _records(document, number, langs, translators[:1], name)
    ]
    return grouped(records, langs, name=name, notes=_notes(translators, name))


def _notes(translators: list[str], name: str) -> list[str]:
    """Campaigns show one reference; where a file has more, it should be known which."""
    if len(translators) < 2:
        return []
    unused = ", ".join(repr(other) for other in translators[1:])
    return [f"{name}: the reference is the one by {translators[0]!r}; other references were left out: {unused}"]


def _records(
    document: Element, number: int, langs: LanguagePair | None, translators: list[str], name: str
) -> list[Record]:
    id = document.attributes.get("id") or document.attributes.get("docid") or str(number)
    place = f"{name}: line {document.line}: document {id!r}"
    sources = list(document.all("src"))
    if len(sources) != 1:
        raise InputError(f"{place} has {len(sources)} src elements; allowed: one")
    pair = _pair(document, langs, place)
    texts = _segments(sources[0], place)
    references = _by_name(document, "ref", "translator", texts, place)
    referred = next((references[who] for who in translators if who in references), {})
    outputs = _by_name(document, "hyp", "system", texts, place)
    return [
        Record(
            f"{place}, segment {key}",
            source,
            referred.get(key),
            f"{id}:{key}",
            id,
            pair,
            {system: segments[key] for system, segments in outputs.items() if key in segments},
        )
        for key, source in texts.items()
    ]


def _by_name(
    document: Element, kind: str, attribute: str, texts: dict[str, str], place: str
) -> dict[str, dict[str, str]]:
    """The segments of every ``hyp`` by system, or of every ``ref`` by translator."""
    named: dict[str, dict[str, str]] = {}
    for element in document.all(kind):
        who = element.attributes.get(attribute, "")
        if who in named:
            raise InputError(f"{place} has two {kind} elements of the {attribute} {who!r}; allowed: one")
        named[who] = _aligned(element, texts, place, who)
    return named


def _segments(element: Element, place: str) -> dict[str, str]:
    segments: dict[str, str] = {}
    for number, segment in enumerate(element.all("seg"), 1):
        key = segment.attributes.get("id") or str(number)
        if key in segments:
            raise InputError(f"{place}: line {segment.line}: segment id {key!r} stands twice in one {element.name}")
        segments[key] = segment.text
    return segments


def _aligned(element: Element, texts: dict[str, str], place: str, who: str) -> dict[str, str]:
    """Segments that the source has too."""
    segments = _segments(element, place)
    extra = [key for key in segments if key not in texts]
    if extra:
        raise InputError(f"{place}: the {element.name} {who!r} has a segment {extra[0]!r} that the source has not")
    return segments


def _pair(document: Element, langs: LanguagePair | None, place: str) -> LanguagePair | None:
    """The languages that the elements name."""
    source = next(document.all("src")).attributes.get("lang")
    named = [element.attributes.get("lang") for kind in ("hyp", "ref") for element in document.all(kind)]
    targets = sorted({language for language in named if language})
    if len(targets) > 1:
        raise InputError(f"{place} has outputs in several languages ({', '.join(targets)}); allowed: one")
    return pair_of_tags(source, targets[0], place) if source and targets else langs
