"""Gold labels and predictions of sentences: read, checked, in one unit, and what a reader should know of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from ...errors import InputError
from ...judgments import FloatArray
from ...judgments.origin import SourceFile
from ...results import counted
from ...texts.lines import Path, TextFile
from ..numbers import LARGEST, Numbers, read_numbers
from ..record import digest_of, source_of
from .ordering import Ordering
from .predictions import Predictions, read_predictions, scaled
from .scales import Scale
from .units import DocumentsLike, is_path, read_documents

#: A file with one number per line, or the numbers.
NumbersLike: TypeAlias = Path | Sequence[float] | FloatArray


@dataclass(frozen=True)
class SentenceData:
    """Gold labels and predictions in the unit that things are measured in."""

    scale: Scale
    gold: FloatArray
    systems: tuple[Predictions, ...]
    documents: tuple[str, ...] | None
    sources: tuple[SourceFile, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.system for each in self.systems)

    @property
    def digest(self) -> str:
        parts: list[object] = [*self.gold.tolist(), *(self.documents or ())]
        for each in self.systems:
            parts.append(each.system)
            parts += [v for values in (each.scores, each.ranks) if values is not None for v in values.tolist()]
        return digest_of(parts)

    def notes(self) -> list[str]:
        """What a reader of the results should know of the files."""
        notes = [note for each in self.systems for note in each.notes]
        low, high = (end * self.scale.factor for end in self.scale.limits)
        known = [(each.system, each.scores) for each in self.systems if each.scores is not None]
        outside = {name: int(((scores < low) | (scores > high)).sum()) for name, scores in known}
        if any(outside.values()):
            named = ", ".join(f"{name} ({number:,})" for name, number in outside.items() if number)
            notes.append(
                f"of {len(self.gold):,} predictions, so many lie outside the scale of the labels and count as they "
                f"are: {named}"
            )
        for name, scores in known:
            largest, usual = float(np.abs(scores).max()), float(np.median(np.abs(self.gold)))
            if usual and not usual / 50 <= largest <= usual * 5000:
                notes.append(
                    f"the largest prediction of {name} is {largest:g} and the median label {usual:g} "
                    f"{self.scale.unit}; are they in the same unit?"
                )
        seen: dict[bytes, str] = {}
        for each in self.systems:
            kept = b"".join(v.tobytes() if v is not None else b"-" for v in (each.scores, each.ranks))
            if (first := seen.setdefault(kept, each.system)) != each.system:
                notes.append(f"{each.system} and {first} predict the same for every sentence")
        return [*notes, *self._against_their_scores(), *self._ties()]

    def _against_their_scores(self) -> list[str]:
        """Systems whose ranks contradict their scores as a whole."""
        notes = []
        for each in self.systems:
            if each.scores is None or each.ranks is None:
                continue
            by_score = replace(each, ranks=None).badness(self.scale.lower_is_better)
            rho = Ordering.of([each.ranks], -by_score).full()[1]
            if rho < 0:
                notes.append(
                    f"the ranks of {each.system} run against its scores (Spearman {rho:.2f}); rank 1 is taken for the "
                    "best sentence"
                )
        return notes

    def _ties(self) -> list[str]:
        tied = []
        for each in self.systems:
            copies = np.unique(each.badness(self.scale.lower_is_better), return_counts=True)[1]
            if 20 * (shared := int(copies[copies > 1].sum())) >= len(self.gold):
                tied.append(f"{each.system} ({shared:,})")
        if not tied:
            return []
        return [
            f"of {len(self.gold):,} predictions, so many are tied: {', '.join(tied)}; for measures of the ranking "
            "variant other than Spearman, tied sentences stay in the order of the file"
        ]


def read_data(
    gold: NumbersLike,
    systems: Mapping[str, NumbersLike],
    documents: DocumentsLike | None,
    scale: Scale,
    encoding: str,
) -> SentenceData:
    if not systems:
        raise InputError("got no system; give at least one: --system NAME=FILE")
    labels = read_numbers(gold, what="a label", encoding=encoding) if is_path(gold) else _given("the labels", gold)
    scale.check(labels)
    sources = [source_of(gold, "gold labels", len(labels.values))] if is_path(gold) else []
    read: list[Predictions] = []
    for name, predictions in systems.items():
        if is_path(predictions):
            methods = read_predictions(name, predictions, encoding=encoding)
            sources.append(source_of(predictions, f"system {name}", sum(map(len, methods))))
        else:
            methods = [Predictions(name, _given(f"the predictions of {name}", predictions).values)]
        for each in methods:
            if len(each) != len(labels.values):
                raise InputError(
                    f"{each.system} predicts {counted(len(each), 'sentence')}, and there are "
                    f"{len(labels.values):,} labels ({labels.name}); line n of both must belong to sentence n"
                )
        read += methods
    names = [each.system for each in read]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"two systems are called {twice[0]}; give each its own name")
    given = None if documents is None else read_documents(documents, len(labels.values), encoding)
    if is_path(documents):
        sources.append(source_of(documents, "documents", len(labels.values)))
    turned = tuple(scaled(each, scale.factor) for each in read)
    return SentenceData(scale, labels.values * scale.factor, turned, given, tuple(sources))


def _given(what: str, values: NumbersLike) -> Numbers:
    """Numbers from Python."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{what}: got {type(values).__name__}; allowed: a path, or numbers, one per sentence"
        ) from None
    if array.ndim != 1 or not len(array):
        raise InputError(f"{what}: got an array of shape {array.shape}; allowed: one number per sentence")
    if len(wrong := np.flatnonzero(~np.isfinite(array))):
        raise InputError(f"{what}: number {wrong[0] + 1} is {array[wrong[0]]}; allowed: finite numbers")
    if len(wrong := np.flatnonzero(np.abs(array) > LARGEST)):
        raise InputError(f"{what}: number {wrong[0] + 1} is {array[wrong[0]]}; allowed: up to {LARGEST:g}")
    return Numbers(TextFile(what, tuple(map(str, array.tolist()))), array)
