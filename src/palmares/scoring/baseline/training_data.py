"""What the baseline is trained with: sentences and labels, and the resources that features are measured with."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from ...compute import Progress
from ...errors import InputError
from ...judgments import FloatArray
from ...judgments.origin import SourceFile
from ...results import counted
from ...texts.lines import Path, TextFile, read_lines, refuse_different_counts
from ..checked import AlignedText, pair_notes
from ..numbers import read_numbers, refuse_misaligned
from ..record import source_of
from ..resampling import Units
from .arpa import read_arpa
from .features import Resources
from .language_model import LanguageModel
from .ngrams import Frequencies
from .translations import LONGEST, Order, Translations, read_translations, usable
from .words import Corpus, Preparation

#: Fewer sentences are refused, and of fewer than `_FEW` a note warns.
LEAST_SENTENCES, _FEW = 10, 200
#: From this share on, a note says that sentences are in the corpora.
_MANY_KNOWN = 0.1
#: From so many times the median on, a note asks whether a label is right.
_MANY_TIMES = 1000


def translation_notes(source: TextFile, target: TextFile, accept: Collection[str]) -> list[str]:
    """Notes on translations beside their sources; those that are out of step are refused."""
    own, other = (
        AlignedText(name, file.texts, file.name) for name, file in (("translations", target), ("sources", source))
    )
    return pair_notes(own, other, one_language=False, accept=accept)


@dataclass(frozen=True)
class TrainingFiles:
    """What the baseline is trained with.

    Attributes
    ----------
    source, target, gold
        Sources, their translations and the label of every translation, one per line.
    source_corpus
        A corpus of the source language.
    target_corpus
        Its translation, line by line. Not needed if both `target_model` and `translations` are given.
    source_model, target_model
        Language models in the ARPA format, instead of those that are estimated from the corpora.
    translations, translation_order
        A table of translation probabilities instead of IBM model 1, and the order of its first two columns.
    accept
        Checks of sources and translations (``misaligned``, ``encoding``) whose errors are accepted.
    """

    source: Path
    target: Path
    gold: Path
    source_corpus: Path
    target_corpus: Path | None = None
    source_model: Path | None = None
    target_model: Path | None = None
    translations: Path | None = None
    translation_order: Order = "source-target"
    encoding: str = "utf-8"
    accept: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.target_corpus is None and (self.target_model is None or self.translations is None):
            raise InputError(
                "there is no corpus of the target language; give --target-corpus, or both --target-lm and "
                "--translations instead"
            )
        if self.target_corpus is not None and self.target_model is not None and self.translations is not None:
            raise InputError(
                "a language model and translations are given, so nothing is made of --target-corpus; leave it out, or "
                "one of --target-lm and --translations"
            )


@dataclass(frozen=True)
class TrainingData:
    """Sources, translations and labels."""

    source: TextFile
    target: TextFile
    labels: FloatArray
    files: tuple[SourceFile, ...]
    checked: tuple[str, ...]

    @classmethod
    def read(cls, files: TrainingFiles) -> TrainingData:
        source, target = (read_lines(path, encoding=files.encoding) for path in (files.source, files.target))
        gold = read_numbers(files.gold, what="a label", encoding=files.encoding)
        refuse_misaligned([source, target, gold])
        if len(gold.values) < LEAST_SENTENCES:
            raise InputError(
                f"got {counted(len(gold.values), 'sentence')}; training needs at least {LEAST_SENTENCES}, and "
                "hundreds to learn anything"
            )
        if np.ptp(gold.values) == 0:
            raise InputError(f"{gold.name}: all labels are {gold.values[0]:g}; there is nothing to learn")
        checked = translation_notes(source, target, files.accept)
        roles = ((files.source, "source"), (files.target, "target"), (files.gold, "gold"))
        sources = tuple(source_of(p, role, len(gold.values)) for p, role in roles)
        return cls(source, target, gold.values, sources, tuple(checked))

    @property
    def units(self) -> Units:
        """What the bootstrap draws: sources with all their translations."""
        return Units.named(self.source.texts, "source sentence")

    def notes(self) -> list[str]:
        notes = []
        if len(self.labels) < _FEW:
            notes.append(f"only {counted(len(self.labels), 'sentence')} to learn from")
        if self.source.texts == self.target.texts:
            notes.append("sources and translations are the same texts")
        largest, usual = float(np.abs(self.labels).max()), float(np.median(np.abs(self.labels)))
        if usual and largest > _MANY_TIMES * usual:
            line = int(np.abs(self.labels).argmax()) + 1
            notes.append(f"the label of line {line} is {largest:g} and the median one {usual:g}; is it a slip?")
        return [*notes, *self.checked]

    def known(self, source: TextFile, target: TextFile | None) -> list[str]:
        """A word if the corpora hold the very sentences: they look more usual than new ones will."""
        notes = []
        for texts, corpus, side in ((self.source, source, "sources"), (self.target, target, "translations")):
            lines = set() if corpus is None else set(corpus.texts)
            share = sum(text in lines for text in texts.texts) / len(texts.texts)
            if share > _MANY_KNOWN and corpus is not None:
                notes.append(
                    f"{100 * share:.0f} % of the {side} are in their corpus; sentences that are not look less usual "
                    "than these, so predictions for them may be far worse than the errors here; give another corpus"
                )
        if target is not None and source.texts == target.texts:
            notes.append("the corpora of source and target are the same texts")
        return notes


@dataclass(frozen=True)
class Made:
    """Resources, the files that they were made of, and what a reader should know of them."""

    resources: Resources
    files: tuple[SourceFile, ...]
    notes: tuple[str, ...]


def resources_of(
    files: TrainingFiles, data: TrainingData, preparation: Preparation, *, order: int, iterations: int,
    progress: Progress | None = None,
) -> Made:  # fmt: skip
    """Language models, frequencies and translations, from corpora or from files that hold them."""
    if not 1 <= order <= 5:
        raise InputError(f"order: got {order}; allowed: 1 to 5 words")
    if iterations < 1:
        raise InputError(f"iterations: got {iterations}; allowed: at least 1")
    source = read_lines(files.source_corpus, encoding=files.encoding)
    target = None if files.target_corpus is None else read_lines(files.target_corpus, encoding=files.encoding)
    if files.translations is None and target is not None:
        refuse_different_counts([source, target])
    own = Corpus.of(preparation.source(_with_text(source)))
    other = None if target is None else Corpus.of(preparation.target(_with_text(target)))
    notes = data.known(source, target)
    if files.translations is not None:
        translations = read_translations(files.translations, order=files.translation_order, encoding=files.encoding)
    else:
        assert other is not None  # TrainingFiles saw to it
        notes += _unused(own, other)
        translations = Translations.estimated(own, other, iterations=iterations, progress=progress)
    resources = Resources(
        _language_model(files.source_model, own, order, files.encoding),
        _language_model(files.target_model, other, order, files.encoding),
        Frequencies.of(own),
        translations,
    )
    return Made(resources, _sources(files, source, resources), tuple(notes))


def _language_model(path: Path | None, corpus: Corpus | None, order: int, encoding: str) -> LanguageModel:
    if path is not None:
        return read_arpa(path, encoding=encoding)
    assert corpus is not None  # TrainingFiles saw to it
    return LanguageModel.estimated(corpus, order)


def _sources(files: TrainingFiles, corpus: TextFile, resources: Resources) -> tuple[SourceFile, ...]:
    """What resources were made of, with the number of lines, n-grams or source words."""
    ngrams = [sum(len(level.keys) for level in m.levels) for m in (resources.source_model, resources.target_model)]
    named = (
        (files.source_corpus, "source corpus", len(corpus.texts)),
        (files.target_corpus, "target corpus", len(corpus.texts)),
        (files.source_model, "source language model", ngrams[0]),
        (files.target_model, "target language model", ngrams[1]),
        (files.translations, "translations", len(resources.translations.vocabulary)),
    )
    return tuple(source_of(path, role, records) for path, role, records in named if path is not None)


def _with_text(corpus: TextFile) -> Sequence[str]:
    if not any(text.strip() for text in corpus.texts):
        raise InputError(f"{corpus.name}: the corpus is empty; give one sentence per line")
    return corpus.texts


def _unused(source: Corpus, target: Corpus) -> list[str]:
    left = int((~usable(source.sentences, target.sentences)).sum())
    total = len(source.sentences.lengths)
    if not left:
        return []
    return [
        f"translations are not learned from {counted(left, 'pair')} of {total:,} of the corpora: one side is empty or "
        f"longer than {LONGEST} words"
    ]
