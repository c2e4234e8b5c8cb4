"""Test sets of WMT since 2021: documents with ``src``, ``ref`` and ``hyp``, each with numbered ``seg`` elements."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import InputError
from .languages import LanguagePair
from .lines import Path
from .records import Record, grouped
from .testset import TestSet
from .xml_tree import Element, read_tree


@dataclass
class _Notes:
    """What is worth saying of a whole file, once."""

    translators: dict[str, None] = field(default_factory=dict)

    def lines(self, name: str) -> list[str]:
        if len(self.translators) < 2:
            return []
        first, *others = self.translators
        unused = ", ".join(repr(other) for other in others)
        return [f"{name}: the reference is the one by {first!r}; other references were left out: {unused}"]


def read_wmt_xml(langs: LanguagePair | None, *, path: Path, encoding: str = "utf-8") -> tuple[TestSet, ...]:
    """The documents of a ``dataset``; segment ids are ``document:segment``."""
    name, root = read_tree(path, encoding=encoding)
    documents = [root] if root.name == "doc" else list(root.all("doc"))
    if not documents:
        raise InputError(f"{name}: no doc element; a WMT test set has <doc> with <src>, <ref> and <hyp> in it")
    notes = _Notes()
    for document in documents:
        notes.translators |= dict.fromkeys(ref.attributes.get("translator", "") for ref in document.all("ref"))
    reference = next(iter(notes.translators), "")
    records = [
        record
        for number, document in enumerate(documents, 1)
        for record in _records(document, number, langs, reference, name)
    ]
    return grouped(records, langs, name=name, notes=notes.lines(name))


def _records(document: Element, number: int, langs: LanguagePair | None, translator: str, name: str) -> list[Record]:
    id = document.attributes.get("id") or document.attributes.get("docid") or str(number)
    place = f"{name}: line {document.line}: document {id!r}"
    sources = list(document.all("src"))
    if len(sources) != 1:
        raise InputError(f"{place} has {len(sources)} src elements; allowed: one")
    pair = _pair(document, langs, place)
    texts = _segments(sources[0], place)
    references = [ref for ref in document.all("ref") if ref.attributes.get("translator", "") == translator]
    referred = _aligned(references[0], texts, place) if references else {}
    outputs = _outputs(document, texts, place)
    return [
        Record(
            f"{place}, segment {key}",
            source,
            referred.get(key),
            f"{id}:{key}",
            id,
            pair,
            {system: found[key] for system, found in outputs.items() if key in found},
        )
        for key, source in texts.items()
    ]


def _outputs(document: Element, texts: dict[str, str], place: str) -> dict[str, dict[str, str]]:
    outputs: dict[str, dict[str, str]] = {}
    for hypothesis in document.all("hyp"):
        system = hypothesis.attributes.get("system", "")
        if system in outputs:
            raise InputError(f"{place} has two hyp elements of the system {system!r}; allowed: one")
        outputs[system] = _aligned(hypothesis, texts, place)
    return outputs


def _segments(element: Element, place: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, segment in enumerate(element.all("seg"), 1):
        key = segment.attributes.get("id") or str(number)
        if key in found:
            raise InputError(f"{place}: line {segment.line}: segment id {key!r} stands twice in one {element.name}")
        found[key] = segment.text
    return found


def _aligned(element: Element, texts: dict[str, str], place: str) -> dict[str, str]:
    """Segments that the source has too."""
    found = _segments(element, place)
    extra = [key for key in found if key not in texts]
    if extra:
        who = element.attributes.get("system") or element.attributes.get("translator") or ""
        raise InputError(f"{place}: the {element.name} {who!r} has a segment {extra[0]!r} that the source has not")
    return found


def _pair(document: Element, langs: LanguagePair | None, place: str) -> LanguagePair | None:
    """The languages that the elements name."""
    source = next(document.all("src")).attributes.get("lang")
    named = [element.attributes.get("lang") for kind in ("hyp", "ref") for element in document.all(kind)]
    targets = sorted({language for language in named if language})
    if len(targets) > 1:
        raise InputError(f"{place} has outputs in several languages ({', '.join(targets)}); allowed: one")
    if not (source and targets):
        return langs
    try:
        return LanguagePair.parse(f"{source.replace('-', '_')}-{targets[0].replace('-', '_')}")
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
