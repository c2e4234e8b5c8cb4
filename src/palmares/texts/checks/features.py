"""Lines of text as sparse vectors, to see which lines of two texts belong together."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: Tokens of a text, each once, in an order that does not depend on the process.
Tokens = Callable[[str], Iterable[str]]

#: Scripts without spaces between words: two neighbouring characters stand for a word.
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_MARKS = re.compile(r'[?!:;()"%/…¿]')
#: Words of one origin often share their beginning: "president", "presidente".
_STEM, _SHORTEST = 5, 4


def words(text: str) -> dict[str, None]:
    """What texts in one language share if they mean the same."""
    found = _WORD.findall(text.casefold())
    if not text.isascii() and UNSPACED.search(text):
        found = [part for word in found for part in (_pairs(word) if UNSPACED.search(word) else (word,))]
    return dict.fromkeys(found)


def crossing(text: str) -> dict[str, None]:
    """What a text shares with its translation: numbers, names, words of one origin, some marks."""
    plain = _without_accents(text.casefold())
    found = dict.fromkeys(w[:_STEM] for w in _WORD.findall(plain) if len(w) >= _SHORTEST and not w.isdigit())
    found |= dict.fromkeys(f"#{int(number)}" for number in _NUMBER.findall(plain) if len(number) < 19)
    return found | dict.fromkeys(_MARKS.findall(plain))


def vectors(texts: Sequence[Sequence[str]], tokens: Tokens) -> list[sp.csr_array]:
    """One matrix a text, a row a line: unit vectors of tokens, the rarer among the segments the heavier."""
    index: dict[str, int] = {}
    coded = [[[index.setdefault(token, len(index)) for token in tokens(line)] for line in text] for text in texts]
    weights = _rarity(coded, len(index))
    return [_matrix(text, weights) for text in coded]


def _rarity(coded: list[list[list[int]]], count: int) -> Floats:
    """log(n / number of segments with the token in any text), with one segment more than there are."""
    segments = len(coded[0])
    counts = np.zeros(count)
    for lines in zip(*coded, strict=True):
        counts[list(set().union(*lines))] += 1
    return np.asarray(np.log((segments + 1) / np.maximum(counts, 1)))


def _matrix(lines: list[list[int]], weights: Floats) -> sp.csr_array:
    starts = np.concatenate([[0], np.cumsum([len(line) for line in lines])])
    tokens = np.array([token for line in lines for token in line], dtype=np.int64)
    shape = (len(lines), max(len(weights), 1))
    matrix = sp.csr_array((weights[tokens], tokens, starts), shape=shape)
    matrix.sort_indices()
    norms = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    return sp.csr_array(sp.diags_array(1 / np.where(norms > 0, norms, 1.0)) @ matrix)


def shifted_products(left: sp.csr_array, right: sp.csr_array, shift: int) -> Floats:
    """Row i of ``left`` times row i + shift of ``right``, which is taken as a ring."""
    rows = (np.arange(left.shape[0]) + shift) % left.shape[0]
    return np.asarray(left.multiply(right[rows]).sum(axis=1), dtype=np.float64)


def _pairs(word: str) -> tuple[str, ...]:
    return tuple(word[i : i + 2] for i in range(len(word) - 1)) or (word,)


def _without_accents(text: str) -> str:
    return text if text.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
