"""Lines of text as sparse vectors, to see which lines of two texts belong together."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Tokens = Callable[[str], Iterable[str]]

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")
#: Scripts without spaces between words: two neighbouring characters stand for a word.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_MARKS = frozenset('?!:;()"%/…¿')
#: Words of one origin often share their beginning: "president", "presidente".
_STEM, _SHORTEST = 5, 4


def words(text: str) -> set[str]:
    """What texts in one language share if they mean the same."""
    found: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        found |= _pairs(word) if _UNSPACED.search(word) else {word}
    return found


def crossing(text: str) -> set[str]:
    """What a text shares with its translation: numbers, names, words of one origin, some marks."""
    plain = _without_accents(text.casefold())
    stems = {word[:_STEM] for word in _WORD.findall(plain) if len(word) >= _SHORTEST and not word.isdigit()}
    numbers = {f"#{int(number)}" for number in _NUMBER.findall(plain) if len(number) < 19}
    return stems | numbers | {mark for mark in _MARKS if mark in plain}


def vectors(texts: Sequence[Sequence[str]], tokens: Tokens) -> list[sp.csr_array]:
    """One matrix a text, a row a line: unit vectors of tokens, the rarer among the segments the heavier."""
    tokenised = [[tokens(line) for line in text] for text in texts]
    index: dict[str, int] = {}
    for text in tokenised:
        for line in text:
            for token in sorted(line):
                index.setdefault(token, len(index))
    weights = _rarity(tokenised, index)
    return [_matrix(text, index, weights) for text in tokenised]


def _rarity(tokenised: list[list[Iterable[str]]], index: dict[str, int]) -> Floats:
    """log(n / number of segments with the token in any text), with one segment more than there are."""
    segments = len(tokenised[0])
    counts = np.zeros(len(index))
    for lines in zip(*tokenised, strict=True):
        for token in set().union(*lines):
            counts[index[token]] += 1
    return np.asarray(np.log((segments + 1) / np.maximum(counts, 1)))


def _matrix(lines: list[Iterable[str]], index: dict[str, int], weights: Floats) -> sp.csr_array:
    rows = [(row, index[token]) for row, line in enumerate(lines) for token in line]
    places = np.array(rows, dtype=np.int64).reshape(-1, 2)
    values = weights[places[:, 1]]
    matrix = sp.csr_array((values, (places[:, 0], places[:, 1])), shape=(len(lines), max(len(index), 1)))
    norms = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    return sp.csr_array(sp.diags_array(1 / np.where(norms > 0, norms, 1.0)) @ matrix)


def shifted_products(left: sp.csr_array, right: sp.csr_array, shift: int) -> Floats:
    """Row i of ``left`` times row i + shift of ``right``, which is taken as a ring."""
    rows = (np.arange(left.shape[0]) + shift) % left.shape[0]
    return np.asarray(left.multiply(right[rows]).sum(axis=1), dtype=np.float64)


def _pairs(word: str) -> set[str]:
    return {word[i : i + 2] for i in range(len(word) - 1)} or {word}


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
