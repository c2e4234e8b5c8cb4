"""Texts as words, and words as numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError, MissingExtraError
from ...judgments import BoolArray, FloatArray, IntArray

#: The first words of every vocabulary: what is not in it, and the two ends of a sentence. They are signs of language
#: models, so where they stand in a text they are unknown words.
RESERVED = ("<unk>", "<s>", "</s>")
UNKNOWN, BEGIN, END = range(3)

_LANGUAGES = re.compile(r"([a-z]{2,3})-([a-z]{2,3})")


@dataclass(frozen=True)
class Preparation:
    """How texts become words.

    Attributes
    ----------
    tokenize
        The languages of source and target, ``en-es``, for Moses' tokeniser; without them words stand between white
        space.
    lowercase
        Whether letters become small.
    """

    tokenize: str | None = None
    lowercase: bool = False

    def __post_init__(self) -> None:
        if self.tokenize is not None and not _LANGUAGES.fullmatch(self.tokenize):
            raise InputError(
                f"tokenize: got {self.tokenize!r}; allowed: the languages of source and target, such as en-es"
            )

    @property
    def facts(self) -> dict[str, str]:
        """What a signature says of it."""
        words = "white space" if self.tokenize is None else f"moses {self.tokenize}"
        return {"words": words, "case": "lower" if self.lowercase else "kept"}

    def source(self, texts: Iterable[str]) -> list[list[str]]:
        """The words of sources."""
        return self._words(texts, 0)

    def target(self, texts: Iterable[str]) -> list[list[str]]:
        """The words of translations."""
        return self._words(texts, 1)

    def notes(self) -> tuple[str, ...]:
        """A word on languages that the tokeniser does not know."""
        if self.tokenize is None:
            return ()
        known = _known_languages()
        unknown = [language for language in self.tokenize.split("-") if language not in known]
        return tuple(
            f"Moses' tokeniser has no list of abbreviations for {language}; it takes the English one"
            for language in unknown
        )

    def _words(self, texts: Iterable[str], side: int) -> list[list[str]]:
        cased = (text.lower() for text in texts) if self.lowercase else texts
        split = str.split if self.tokenize is None else _tokenizer(self.tokenize.split("-")[side])
        return [split(text) for text in cased]


def _known_languages() -> set[str]:
    """Languages that Moses has a list of abbreviations for."""
    return set(_sacremoses("sacremoses.corpus").NonbreakingPrefixes().available_langs.values())


def _tokenizer(language: str) -> Callable[[str], list[str]]:
    moses = _sacremoses("sacremoses").MosesTokenizer(language)
    # Unescaped: the tokens are counted and looked up, not given to a decoder that has signs of its own.
    return lambda text: list(moses.tokenize(text, escape=False))


def _sacremoses(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError("--tokenize", "scoring", "sacremoses") from None


@dataclass(frozen=True)
class Vocabulary:
    """Words by number; the first are `RESERVED`."""

    words: tuple[str, ...] = field(repr=False)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number of every word that a text can have."""
        return {word: number for number, word in enumerate(self.words) if number >= len(RESERVED)}

    def __len__(self) -> int:
        return len(self.words)

    def encoded(self, sentences: Sequence[Sequence[str]]) -> Sentences:
        """Sentences as numbers of words."""
        known = self.numbers
        ids = [known.get(word, UNKNOWN) for word in chain.from_iterable(sentences)]
        return Sentences(np.array(ids, dtype=np.int64), np.array([len(s) for s in sentences], dtype=np.int64))


@dataclass(frozen=True)
class Sentences:
    """Sentences as numbers of words, one after the other."""

    ids: IntArray = field(repr=False)
    lengths: IntArray = field(repr=False)

    @property
    def owners(self) -> IntArray:
        """The number of the sentence that every word is in."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @property
    def places(self) -> IntArray:
        """The place of every word in its sentence, from 0."""
        starts = np.cumsum(self.lengths) - self.lengths
        return np.arange(len(self.ids)) - np.repeat(starts, self.lengths)

    def framed(self) -> Sentences:
        """The same between the two signs for the ends of a sentence."""
        lengths = self.lengths + 2
        ends = np.cumsum(lengths) - 1
        inner = np.ones(int(lengths.sum()), dtype=bool)
        inner[ends] = inner[ends - lengths + 1] = False
        ids = np.full(len(inner), BEGIN, dtype=np.int64)
        ids[ends] = END
        ids[inner] = self.ids
        return Sentences(ids, lengths)

    def those(self, kept: BoolArray) -> Sentences:
        """Some of the sentences: ``kept`` is true or false for each."""
        return Sentences(self.ids[np.repeat(kept, self.lengths)], self.lengths[kept])

    def means(self, values: ArrayLike) -> FloatArray:
        """The mean of a value of every word, by sentence; 0 for a sentence without words."""
        return shares(self.sums(values), self.lengths)

    def sums(self, values: ArrayLike) -> FloatArray:
        """The sum of a value of every word, by sentence."""
        return np.bincount(self.owners, values, len(self.lengths)).astype(np.float64)


def shares(numerators: ArrayLike, denominators: ArrayLike) -> FloatArray:
    """Ratios; 0 where there is nothing to divide by."""
    return np.asarray(np.asarray(numerators) / np.maximum(np.asarray(denominators), 1))


@dataclass(frozen=True)
class Corpus:
    """A corpus as numbers of words, with the vocabulary that it makes."""

    vocabulary: Vocabulary
    sentences: Sentences

    @classmethod
    def of(cls, sentences: Sequence[Sequence[str]]) -> Corpus:
        """Words are numbered in the order in which they come."""
        numbers: dict[str, int] = {word: number for number, word in enumerate(RESERVED)}
        for word in chain.from_iterable(sentences):
            numbers.setdefault(word, len(numbers))
        vocabulary = Vocabulary(tuple(numbers))
        return cls(vocabulary, vocabulary.encoded(sentences))
