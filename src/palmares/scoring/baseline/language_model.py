"""Language models with n-grams and back-off weights: estimated from a corpus here, or read from an ARPA file."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from ...judgments import FloatArray, IntArray
from .ngrams import counted, found
from .words import BEGIN, END, UNKNOWN, Corpus, Sentences, Vocabulary

#: Logarithms of probability (base 10) from here down mean zero, in ARPA files as everywhere.
ZERO = -99.0


@dataclass(frozen=True)
class Level:
    """The n-grams of one length: keys (`ngrams`), log₁₀ probability of the last word, log₁₀ back-off weight."""

    keys: IntArray = field(repr=False)
    probabilities: FloatArray = field(repr=False)
    backoffs: FloatArray = field(repr=False)


@dataclass(frozen=True)
class LanguageModel:
    """Probabilities of words after the words before them:

        P(w | h) = p(h w) if the model has the n-gram h w, else b(h) P(w | h without its first word),

    where b(h) is 1 if the model does not have h.
    """

    vocabulary: Vocabulary
    levels: tuple[Level, ...]

    @property
    def order(self) -> int:
        """The number of words in its longest n-grams."""
        return len(self.levels)

    @classmethod
    def estimated(cls, corpus: Corpus, order: int = 3) -> LanguageModel:
        """Interpolated Witten–Bell estimates (Witten & Bell 1991; Chen & Goodman 1999, section 2.4):

            P(w | h) = (c(h w) + T(h) P(w | h')) / (c(h) + T(h)),

        c counts, T(h) is the number of different words after h, and h' is h without its first word. Below one word
        there is the uniform distribution over the vocabulary, the end of a sentence and the unknown word.
        """
        sentences = corpus.sentences.those(corpus.sentences.lengths > 0).framed()
        words = len(corpus.vocabulary)
        counts = counted(sentences, words, order)
        single = counts[0].counts.astype(np.float64)
        single[BEGIN] = 0.0  # never predicted
        total, kinds = single.sum(), np.count_nonzero(single)
        chances = [(single + kinds / (words - 1)) / (total + kinds)]
        backoffs = []
        for shorter, level in pairwise(counts):
            parents = level.keys // words
            after = np.bincount(parents, level.counts, len(shorter.keys))
            different = np.bincount(parents, minlength=len(shorter.keys))
            weights = np.where(after > 0, different / np.maximum(after + different, 1), 1.0)
            backoffs.append(weights)
            lower = chances[-1][level.suffixes]
            seen = level.counts / (after + different)[parents]
            chances.append(seen + weights[parents] * lower)
        backoffs.append(np.ones(len(counts[-1].keys)))
        chances[0][BEGIN] = 0.0
        levels = [
            Level(level.keys, _log(chance), _log(weight))
            for level, chance, weight in zip(counts, chances, backoffs, strict=True)
        ]
        return cls(corpus.vocabulary, tuple(levels))

    @property
    def closed(self) -> bool:
        """Whether it has no probability for words it does not know."""
        return bool(self.levels[0].probabilities[UNKNOWN] <= ZERO)

    def of_words(self, sentences: Sentences) -> FloatArray:
        """log₁₀ P of every word after those before it, of sentences between their ends; NaN for what is not predicted:
        the beginning, and words of probability zero.
        """
        places = found([level.keys for level in self.levels], sentences, len(self.vocabulary))
        before = [np.concatenate([[-1], place[:-1]]) for place in places]
        result = self.levels[0].probabilities[places[0]]
        known = result > ZERO
        for n in range(1, self.order):
            weight = np.where(before[n - 1] >= 0, self.levels[n - 1].backoffs[before[n - 1]], 0.0)
            own, here = self.levels[n].probabilities, places[n]
            longer = np.zeros_like(result) if not len(own) else own[here]
            result = np.where(here >= 0, longer, result + weight)
        return np.where(known & (sentences.ids != BEGIN), result, np.nan)

    def of_sentences(self, sentences: list[list[str]]) -> tuple[FloatArray, IntArray]:
        """log₁₀ P of every sentence with its end, and how many of its words were left out for having probability zero.

        A sentence without words has 0.
        """
        encoded = self.vocabulary.encoded(sentences).framed()
        words = self.of_words(encoded)
        inner = encoded.ids != BEGIN
        sums = encoded.sums(np.where(np.isnan(words), 0.0, words))
        left = encoded.sums(np.isnan(words) & inner & (encoded.ids != END)).astype(np.int64)
        empty = encoded.lengths == 2
        return np.where(empty, 0.0, sums), left

    def unknown(self, sentences: list[list[str]]) -> float:
        """The share of words that it does not know."""
        ids = self.vocabulary.encoded(sentences).ids
        return float(np.mean(ids == UNKNOWN)) if len(ids) else 0.0


def _log(chances: FloatArray) -> FloatArray:
    return np.where(chances > 0, np.log10(np.maximum(chances, 1e-300)), ZERO)
