"""How a score was made: its facts, the files it was made of, and the libraries that count."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from importlib.metadata import version as installed
from typing import Any

from ..ingest.source import unpacked
from ..judgments.origin import Origin, SourceFile
from ..ranking.record import Record, library_versions
from ..texts.lines import Path


def source_of(path: Path, role: str, records: int) -> SourceFile:
    """A file that was scored, with the digest of its bytes; ``role`` says what it was: ``reference``, ``system A``.

    Standard input and pipes have no digest: what was read of them cannot be read again.
    """
    if path == "-" or not os.path.isfile(path):
        return SourceFile(os.fspath(path), role, records)
    name, data = unpacked(path)
    return SourceFile(name, role, records, digest=sha256(data).hexdigest())


def record_of(
    facts: Mapping[str, Any],
    sources: Sequence[SourceFile] = (),
    *,
    libraries: Iterable[str] = (),
    reading: Mapping[str, Any] | None = None,
) -> Record:
    """The record of a score.

    Parameters
    ----------
    facts
        What is printed in the signature, in this order.
    sources
        The files that were scored.
    libraries
        Packages that computed some of it, by the names they are installed by.
    reading
        Options of reading that differ from their defaults.
    """
    given = Record.of(facts, origin=Origin(tuple(sources), reading or {}) if sources else None)
    versions = {**library_versions(), **{name: installed(name) for name in libraries}}
    return Record(given.facts, input=given.input, versions=versions)


def digest_of(parts: Iterable[object]) -> str:
    """A short digest of what was scored, for the signature."""
    return sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:16]
