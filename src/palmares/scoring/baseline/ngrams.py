"""N-grams of sentences: counted in a corpus, and found again.

The n-grams of one length are a sorted array of keys. The key of an n-gram is made of the place of the n-gram without
its last word, among those that are one word shorter, and of the number of its last word: a trie in arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...judgments import BoolArray, FloatArray, IntArray
from .words import Corpus, Sentences, Vocabulary, shares


@dataclass(frozen=True)
class Counted:
    """All n-grams of one length in a corpus.

    ``suffixes`` has the place of every n-gram without its first word, among those that are one word shorter.
    """

    keys: IntArray = field(repr=False)
    counts: IntArray = field(repr=False)
    suffixes: IntArray = field(repr=False)


def counted(sentences: Sentences, words: int, order: int) -> list[Counted]:
    """The n-grams of up to ``order`` words, with ``words`` words in the vocabulary. Single words are all there."""
    ids, places = sentences.ids, sentences.places
    levels = [Counted(np.arange(words), np.bincount(ids, minlength=words), np.zeros(words, dtype=np.int64))]
    before = ids
    for n in range(2, order + 1):
        at = np.flatnonzero(places >= n - 1)
        keys, first, which, counts = np.unique(
            before[at - 1] * words + ids[at], return_index=True, return_inverse=True, return_counts=True
        )
        levels.append(Counted(keys, counts, before[at[first]]))
        before = np.full(len(ids), -1, dtype=np.int64)
        before[at] = which
    return levels


def found(levels: Sequence[IntArray], sentences: Sentences, words: int) -> list[IntArray]:
    """For every length and word: the place of the n-gram that ends there, −1 if it is none of the keys' own."""
    ids, places = sentences.ids, sentences.places
    result = [ids]
    for n, keys in enumerate(levels[1:], 2):
        here = np.full(len(ids), -1, dtype=np.int64)
        at = np.flatnonzero(places >= n - 1)
        at = at[result[-1][at - 1] >= 0]
        if len(keys) and len(at):
            wanted = result[-1][at - 1] * words + ids[at]
            place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            here[at] = np.where(keys[place] == wanted, place, -1)
        result.append(here)
    return result


#: So many lengths of n-grams have frequencies in the features.
LENGTHS = 3


@dataclass(frozen=True)
class Frequencies:
    """How often words, bigrams and trigrams are in a corpus of the source language.

    Attributes
    ----------
    keys, counts
        By length, from one word to `LENGTHS`.
    """

    vocabulary: Vocabulary
    keys: tuple[IntArray, ...] = field(repr=False)
    counts: tuple[IntArray, ...] = field(repr=False)

    @classmethod
    def of(cls, corpus: Corpus) -> Frequencies:
        levels = counted(corpus.sentences, len(corpus.vocabulary), LENGTHS)
        counts = [level.counts.copy() for level in levels]
        counts[0][0] = 0  # what stands for unknown words is none
        return cls(corpus.vocabulary, tuple(level.keys for level in levels), tuple(counts))

    @property
    def cuts(self) -> tuple[tuple[int, int], ...]:
        """By length: the frequency that ends the first quartile, and the one that ends the third.

        Distinct n-grams of the corpus in order of frequency; a quartile ends with number ⌈N/4⌉ or ⌈3N/4⌉ of N.
        """
        return tuple(_cuts(np.sort(counts[counts > 0])) for counts in self.counts)

    def of_sentences(self, sentences: Sentences) -> list[IntArray]:
        """By length: how often the n-gram that ends at every word is in the corpus, −1 where none ends."""
        places = sentences.places
        result = []
        for n, (here, counts) in enumerate(zip(self._found(sentences), self.counts, strict=True)):
            often = np.where(here >= 0, counts[here] if len(counts) else 0, 0)
            result.append(np.where(places >= n, often, -1))
        return result

    def _found(self, sentences: Sentences) -> list[IntArray]:
        return found(self.keys, sentences, len(self.vocabulary))


def _cuts(frequencies: IntArray) -> tuple[int, int]:
    n = len(frequencies)
    if not n:
        return 0, 0
    return int(frequencies[-(-n // 4) - 1]), int(frequencies[-(-3 * n // 4) - 1])


def share(frequencies: IntArray, mask: BoolArray, sentences: Sentences) -> FloatArray:
    """The share of a sentence's n-grams that ``mask`` is true of; 0 for a sentence without n-grams."""
    return shares(sentences.sums(mask & (frequencies >= 0)), sentences.sums(frequencies >= 0))
