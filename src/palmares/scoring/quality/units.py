"""What bootstrap samples of sentences draw: sentences, or the documents that they are from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, TypeAlias, TypeGuard, cast

import numpy as np

from ...errors import InputError
from ...judgments import LEAST_UNITS, FloatArray
from ...results import counted
from ...texts.lines import Path, read_lines
from ..resampling import Units

Unit = Literal["auto", "sentence", "document"]
#: A file with one name per line, or the names.
DocumentsLike: TypeAlias = Path | list[str] | tuple[str, ...]


def is_path(given: object) -> TypeGuard[Path]:
    """Whether this names a file."""
    return isinstance(given, str | os.PathLike)


def read_documents(documents: DocumentsLike, sentences: int, encoding: str) -> tuple[str, ...]:
    """The document of every sentence."""
    if is_path(documents):
        file = read_lines(documents, encoding=encoding)
        name, texts = file.name, tuple(text.strip() for text in file.texts)
    else:
        name, texts = "documents", tuple(str(each).strip() for each in cast(Sequence[str], documents))
    if len(texts) != sentences:
        raise InputError(f"{name}: names {counted(len(texts), 'document')}, one per sentence, of {sentences:,}")
    if "" in texts:
        raise InputError(f"{name}: line {texts.index('') + 1} is empty; name the document of every sentence")
    return texts


def units_of(documents: tuple[str, ...] | None, unit: str, sentences: int) -> tuple[Units, tuple[str, ...]]:
    """What is drawn together, and notes on it."""
    if unit not in ("auto", "sentence", "document"):
        raise InputError(f"unit: got {unit!r}; allowed: auto, sentence, document")
    if unit == "document" and documents is None:
        raise InputError("unit: document needs to know them; give --documents FILE, one name per line")
    single = Units.single(sentences, "sentence")
    if documents is None or unit == "sentence":
        return single, single.notes()
    named = Units.named(documents, "document")
    if unit == "document" or named.count >= LEAST_UNITS:
        return named, named.notes()
    return single, (
        f"only {counted(named.count, 'document')}, too few to draw from, so sentences are drawn instead: intervals and "
        "tests do not allow for what sentences of a document have in common",
        *single.notes(),
    )


def by_unit(rows: FloatArray, units: Units) -> FloatArray:
    """Rows added up by unit; then every unit is a row of its own, for `Units.single`."""
    total = np.zeros((units.count, rows.shape[1]))
    np.add.at(total, units.codes, rows)
    return total
