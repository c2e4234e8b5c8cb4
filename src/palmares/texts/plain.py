"""Plain text files: line n of every file belongs to segment n."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import InputError
from . import testset
from .languages import LanguagePair
from .lines import Path, TextFile, read_lines, refuse_different_counts
from .sgm import is_sgm, read_sgm
from .testset import Segment, TestSet


def read_plain(
    langs: LanguagePair | None,
    *,
    source: Path,
    reference: Path | None = None,
    systems: Mapping[str, Path],
    documents: Path | None = None,
    encoding: str = "utf-8",
) -> tuple[TestSet, ...]:
    """One test set from a file of sources, one a system, and perhaps one of references and one of document ids."""
    if langs is None:
        raise InputError("plain text files do not name their languages; say them, e.g. --langs fr-en")
    testset.check_names(systems, "systems")
    sources = read_file(source, encoding)
    references = read_file(reference, encoding) if reference is not None else None
    named = read_file(documents, encoding) if documents is not None else None
    outputs = {system: read_file(path, encoding) for system, path in systems.items()}
    beside = [file for file in (references, named) if file is not None]
    refuse_different_counts([sources, *beside, *outputs.values()])
    segments = _segments(sources, references, named)
    texts = {system: file.texts for system, file in outputs.items()}
    return (testset.make(langs, segments, texts, name=sources.name),)


def read_file(path: Path, encoding: str) -> TextFile:
    """Lines, or the segments of an SGML file as WMT published them up to 2020."""
    return read_sgm(path, encoding=encoding) if is_sgm(path) else read_lines(path, encoding=encoding)


def _segments(sources: TextFile, references: TextFile | None, named: TextFile | None) -> list[Segment]:
    count = len(sources.texts)
    documents = _documents(named) if named is not None else list(sources.documents or [None] * count)
    ids = sources.ids or [str(number) for number in range(1, count + 1)]
    shown = references.texts if references is not None else [None] * count
    rows = zip(ids, documents, sources.texts, shown, strict=True)
    return [Segment(id, document, source, reference) for id, document, source, reference in rows]


def _documents(named: TextFile) -> list[str | None]:
    """Document ids; an empty line means a segment of no document."""
    return [text.strip() or None for text in named.texts]
