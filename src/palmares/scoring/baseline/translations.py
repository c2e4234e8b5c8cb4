"""How many translations a source word has: by IBM model 1, or by a table of probabilities that was made elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ...compute import Progress
from ...errors import InputError
from ...judgments import BoolArray, FloatArray, IntArray
from ...results import counted
from ...texts.lines import Path, read_text
from ..numbers import number
from .words import RESERVED, UNKNOWN, Corpus, Sentences, Vocabulary

#: A translation counts if its probability is above these.
OFTEN, EVER = 0.2, 0.01
#: Longer sentences say little of which word is translated by which, and cost the most.
LONGEST = 100
ITERATIONS = 5
#: The source word that stands for none.
_NOTHING = UNKNOWN
#: A share of exactly one fifth is not above .2, however it was rounded.
_ROUNDING = 1e-9
#: What rounded probabilities of one word may add up to.
_MOST = 1.001
#: Pairs of words that are worked on at once.
_BLOCK = 4_000_000

Order = Literal["source-target", "target-source"]
ORDERS: tuple[Order, ...] = ("source-target", "target-source")


@dataclass(frozen=True)
class Translations:
    """The number of translations of every source word with P(t | s) above `OFTEN`, and above `EVER`."""

    vocabulary: Vocabulary
    often: IntArray = field(repr=False)
    ever: IntArray = field(repr=False)

    @classmethod
    def of(cls, vocabulary: Vocabulary, sources: IntArray, chances: FloatArray) -> Translations:
        """Of pairs of words: the number of the source word, and P(t | s)."""
        above = [
            np.bincount(sources[chances > limit + _ROUNDING], minlength=len(vocabulary)) for limit in (OFTEN, EVER)
        ]
        for counts in above:
            counts[: len(RESERVED)] = 0
        return cls(vocabulary, *above)

    @classmethod
    def estimated(
        cls, source: Corpus, target: Corpus, *, iterations: int = ITERATIONS, progress: Progress | None = None
    ) -> Translations:
        """By IBM model 1."""
        keys, chances = ibm1(source, target, iterations=iterations, progress=progress)
        return cls.of(source.vocabulary, keys // len(target.vocabulary), chances)

    def unknown(self, sentences: list[list[str]]) -> float:
        """The share of words without any translation."""
        ids = self.vocabulary.encoded(sentences).ids
        return float(np.mean(self.ever[ids] == 0)) if len(ids) else 0.0


# -- IBM model 1 -----------------------------------------------------------------------------------


def usable(source: Sentences, target: Sentences) -> BoolArray:
    """Which pairs of sentences model 1 learns from: neither is empty, none is longer than `LONGEST` words."""
    fitting = [(s.lengths > 0) & (s.lengths <= LONGEST) for s in (source, target)]
    return np.asarray(fitting[0] & fitting[1])


def ibm1(
    source: Corpus, target: Corpus, *, iterations: int = ITERATIONS, progress: Progress | None = None
) -> tuple[IntArray, FloatArray]:
    """P(t | s) by expectation maximisation from uniform probabilities (Brown et al. 1993), with a word for nothing.

    Returns
    -------
    keys, chances
        Of all pairs that are in a pair of sentences: number of s times the words of the target's vocabulary plus
        number of t, in order; and P(t | s).
    """
    kept = usable(source.sentences, target.sentences)
    if not kept.any():
        raise InputError(
            f"the corpora have no pair of sentences of 1 to {LONGEST} words; translations cannot be learned from them"
        )
    blocks, keys = _prepared(source.sentences.those(kept), target.sentences.those(kept), len(target.vocabulary))
    sources = keys // len(target.vocabulary)
    chances = np.full(len(keys), 1.0 / max(len(target.vocabulary), 1))
    for done in range(iterations):
        expected = np.zeros(len(keys))
        for block in blocks:
            block.add_expected(expected, chances)
        chances = expected / np.bincount(sources, expected)[sources]
        if progress is not None:
            progress(done + 1, iterations)
    return keys, chances


@dataclass(frozen=True)
class _Block:
    """Some target words of some sentences, each with all source words of its sentence.

    ``pairs`` has the places among all keys, ``times`` how often the source word is in its sentence. A target word
    begins at each of ``starts``, and is there ``often`` times.
    """

    pairs: IntArray
    times: IntArray
    starts: IntArray
    often: IntArray

    def add_expected(self, expected: FloatArray, chances: FloatArray) -> None:
        """Add how often each pair is expected to be one of a word and its translation."""
        weights = chances[self.pairs] * self.times
        sums = np.add.reduceat(weights, self.starts)
        sizes = np.diff(self.starts, append=len(self.pairs))
        weights *= np.repeat(self.often / sums, sizes)
        expected += np.bincount(self.pairs, weights, len(expected))


def _prepared(source: Sentences, target: Sentences, words: int) -> tuple[list[_Block], IntArray]:
    """The blocks, and the keys of all pairs of words in them."""
    from_, to = _distinct(source, nothing=True), _distinct(target, nothing=False)
    pieces = list(_pieces(from_, to, len(source.lengths), words))
    if not pieces:
        raise InputError("the corpora have no words but the signs <unk>, <s> and </s>; translations cannot be learned")
    keys = _counted(np.concatenate([own for own, *_ in pieces]))[0]
    blocks = []
    for own, which, times, starts, often in pieces:
        places = np.searchsorted(keys, own)
        blocks.append(_Block(places[which].astype(np.int32), times, starts, often))
    return blocks, keys


def _distinct(sentences: Sentences, *, nothing: bool) -> tuple[IntArray, IntArray, IntArray]:
    """Sentence, word, and how often: every word of a sentence once, and once the word for nothing, if wanted."""
    ids, owners = sentences.ids, sentences.owners
    real = ids != _NOTHING
    ids, owners = ids[real], owners[real]
    if nothing:
        number_of = len(sentences.lengths)
        ids = np.concatenate([ids, np.full(number_of, _NOTHING)])
        owners = np.concatenate([owners, np.arange(number_of)])
    size = int(ids.max(initial=0)) + 1
    keys, times = _counted(owners * size + ids)
    return keys // size, keys % size, times


def _counted(values: IntArray) -> tuple[IntArray, IntArray]:
    """Different values in order, and how often each is there. `np.unique` hashes, which takes several times as long."""
    ordered = np.sort(values)
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    return ordered[starts], np.diff(starts, append=len(ordered))


def _pieces(
    source: tuple[IntArray, IntArray, IntArray], target: tuple[IntArray, IntArray, IntArray], sentences: int, words: int
) -> Iterator[tuple[IntArray, IntArray, IntArray, IntArray, IntArray]]:
    """Blocks whose pairs are numbered among their own keys, to keep no more than one of them unsorted in memory."""
    widths = np.bincount(source[0], minlength=sentences)
    begins = np.cumsum(widths) - widths
    sizes = widths[target[0]]
    ends = np.cumsum(sizes)
    total = int(sizes.sum())
    cuts = np.unique(np.searchsorted(ends, np.arange(_BLOCK, total + _BLOCK, _BLOCK), side="right")).tolist()
    lo = 0
    for hi in [*cuts, len(sizes)]:
        if hi <= lo:
            continue
        own = sizes[lo:hi]
        starts = np.cumsum(own) - own
        index = np.arange(int(own.sum())) - np.repeat(starts - begins[target[0][lo:hi]], own)
        keys, which = np.unique(source[1][index] * words + np.repeat(target[1][lo:hi], own), return_inverse=True)
        yield keys, which.astype(np.int32), source[2][index].astype(np.int16), starts, target[2][lo:hi]
        lo = hi


# -- tables ----------------------------------------------------------------------------------------


def read_translations(path: Path, *, order: Order = "source-target", encoding: str = "utf-8") -> Translations:
    """Read lines of a source word, a target word (or the other way round) and P(target | source).

    Lines of the word ``NULL`` stand for words without a counterpart; they are checked, but no translations.
    """
    name, text = read_text(path, encoding=encoding)
    words: dict[str, int] = {word: place for place, word in enumerate(RESERVED)}
    first: dict[tuple[int, str], int] = {}
    sources: list[int] = []
    chances: list[float] = []
    counts: list[bool] = []
    for line, content in enumerate(text.split("\n"), 1):
        if not content.strip():
            continue
        place = f"{name}: line {line}"
        one, two, chance = _fields(content, place)
        s, t = (one, two) if order == "source-target" else (two, one)
        code = words.setdefault(s, len(words))
        if (before := first.setdefault((code, t), line)) != line:
            raise InputError(f"{place}: the pair {s!r} and {t!r} is in line {before}, too")
        sources.append(code)
        chances.append(chance)
        counts.append("NULL" not in (s, t))
    if not sources:
        raise InputError(f"{name}: the file is empty; give a source word, a target word and a probability per line")
    own, p = np.array(sources), np.array(chances)
    _refuse_large_sums(name, tuple(words), own, p, order)
    kept = np.array(counts)
    return Translations.of(Vocabulary(tuple(words)), own[kept], p[kept])


def _fields(content: str, place: str) -> tuple[str, str, float]:
    parts = [part for part in content.strip("\r").replace("\t", " ").split(" ") if part]
    if len(parts) != 3:
        raise InputError(f"{place}: got {counted(len(parts), 'field')}; expected two words and a probability")
    chance = number(parts[2], place, "a probability")
    if not 0 <= chance <= 1:
        raise InputError(f"{place}: got {parts[2]}; a probability must lie between 0 and 1")
    return parts[0], parts[1], chance


def _refuse_large_sums(name: str, words: Sequence[str], sources: IntArray, chances: FloatArray, order: Order) -> None:
    sums = np.bincount(sources, chances, len(words))
    large = int(np.argmax(sums))
    if sums[large] > _MOST:
        other = next(each for each in ORDERS if each != order)
        raise InputError(
            f"{name}: the translations of {words[large]!r} have probabilities that add up to {sums[large]:.3f}; "
            f"P(target | source) adds up to 1 for every source word. The table was read as {order}; if its columns are "
            f"the other way round, give --translation-order {other}"
        )
