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
    source: Path | None,
    reference: Path | None = None,
    systems: Mapping[str, Path],
    documents: Path | None = None,
    encoding: str = "utf-8",
) -> tuple[TestSet, ...]:
    """One test set from a file of sources, one per system, and perhaps one of references and one of document ids.

    `read_texts` decides whether there may be none of sources.
    """
    if langs is None:
        raise InputError("plain text files do not name their languages; say them, e.g. --langs fr-en")
    testset.check_names(systems, "systems")
    sources = read_file(source, encoding) if source is not None else None
    references = read_file(reference, encoding) if reference is not None else None
    named = read_file(documents, encoding) if documents is not None else None
    outputs = {system: read_file(path, encoding) for system, path in systems.items()}
    files = [*(file for file in (sources, references, named) if file is not None), *outputs.values()]
    refuse_different_counts(files)
    _refuse_different_ids(files)
    texts = {system: file.texts for system, file in outputs.items()}
    # In SGML, a line is no segment; then ids say where something is.
    lines = range(1, len(files[0].texts) + 1) if all(file.ids is None for file in files) else None
    segments = _segments(files, sources, references, named)
    return (testset.make(langs, segments, texts, lines=lines, name=files[0].name, has_sources=sources is not None),)


def read_file(path: Path, encoding: str) -> TextFile:
    """Lines, or the segments of an SGML file as WMT published them up to 2020."""
    return read_sgm(path, encoding=encoding) if is_sgm(path) else read_lines(path, encoding=encoding)


def _refuse_different_ids(files: list[TextFile]) -> None:
    """SGML files say which segment is which, so it need not be guessed whether they are in step."""
    first, *others = [file for file in files if file.ids is not None] or files[:1]
    for other in others:
        pairs = zip(first.ids or (), other.ids or (), strict=True)
        for number, (expected, id) in enumerate(pairs, 1):
            if expected != id:
                raise InputError(
                    f"{other.name}: segment {number} has the id {id!r}, but {first.name} has {expected!r} there; "
                    "the files must have the same segments in the same order"
                )


def _segments(
    files: list[TextFile], sources: TextFile | None, references: TextFile | None, named: TextFile | None
) -> list[Segment]:
    count = len(files[0].texts)
    known = sources or next((file for file in files if file.ids is not None), files[0])
    documents = list(known.documents or [None] * count)
    if named is not None:  # an empty line means a segment of no document
        documents = [text.strip() or None for text in named.texts]
    ids = known.ids or [str(number) for number in range(1, count + 1)]
    given = sources.texts if sources is not None else [""] * count
    shown = references.texts if references is not None else [None] * count
    rows = zip(ids, documents, given, shown, strict=True)
    return [Segment(id, document, source, reference) for id, document, source, reference in rows]
