"""Language models in the ARPA format, as SRILM, KenLM and IRSTLM write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ...errors import InputError
from ...texts.lines import Path, read_text
from .language_model import ZERO, LanguageModel, Level
from .words import RESERVED, Vocabulary

_COUNT = re.compile(r"ngram[ \t]+(\d+)[ \t]*=[ \t]*(\d+)")
#: Longer n-grams are refused: no back-off model of this kind has them.
_MOST_WORDS = 10
#: What rounding may add to a logarithm of one.
_ROUNDING = 1e-4
_UPPER = {"<UNK>": "<unk>", "<S>": "<s>", "</S>": "</s>"}


def read_arpa(path: Path, *, encoding: str = "utf-8") -> LanguageModel:
    """Read a model; what is malformed is refused by line."""
    name, text = read_text(path, encoding=encoding)
    return _Reader(name, text).model()


class _Reader:
    """One file, line by line."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.lines: Iterator[tuple[int, str]] = iter(enumerate(text.split("\n"), 1))
        self.words: dict[str, int] = {word: number for number, word in enumerate(RESERVED)}
        #: Of every length but the first: places by key.
        self.places: list[dict[int, int]] = []

    def model(self) -> LanguageModel:
        counts, number, line = self._counts()
        levels = []
        for n, count in enumerate(counts, 1):
            if line != f"\\{n}-grams:":
                raise self._fault(number, f"got '{line}'; expected \\{n}-grams:")
            level, number, line = self._single(count) if n == 1 else self._level(n, count, last=n == len(counts))
            levels.append(level)
        if line != "\\end\\":
            raise self._fault(number, f"got '{line}'; expected \\end\\")
        return LanguageModel(Vocabulary(tuple(self.words)), tuple(levels))

    def _counts(self) -> tuple[list[int], int, str]:
        """How many n-grams of every length the head announces, and the line that ends it."""
        number, line = self._next()
        while line != "\\data\\":
            if number > 100 or line.startswith("\\"):
                raise self._fault(number, "there is no \\data\\ above; this is not a language model in the ARPA format")
            number, line = self._next()
        counts: list[int] = []
        number, line = self._next()
        while match := _COUNT.fullmatch(line):
            if int(match[1]) != len(counts) + 1:
                raise self._fault(number, f"got {line!r}; expected the number of {len(counts) + 1}-grams")
            counts.append(int(match[2]))
            number, line = self._next()
        if not 1 <= len(counts) <= _MOST_WORDS:
            raise self._fault(
                number, f"the head announces n-grams of {len(counts)} lengths; allowed: 1 to {_MOST_WORDS}"
            )
        return counts, number, line

    def _single(self, count: int) -> tuple[Level, int, str]:
        """The words, each with a number of its own; of the reserved ones, those that are there."""
        values: dict[int, tuple[float, float]] = {}
        listed, number, line = 0, 0, ""
        for number, line in self._entries():
            chance, words, backoff = self._parsed(number, line, 1)
            word = _UPPER.get(words[0], words[0])
            place = self.words.setdefault(word, len(self.words))
            if place in values:
                raise self._fault(number, f"{words[0]!r} is there twice")
            values[place] = chance, backoff
            listed += 1
        number, line = self.stopped
        self._check_count(1, count, listed, number)
        for sign in RESERVED[1:]:
            if self.words[sign] not in values:
                raise InputError(f"{self.name}: has no word {sign}; a model of sentences needs it")
        chances = np.full(len(self.words), ZERO)
        backoffs = np.zeros(len(self.words))
        for place, (chance, backoff) in values.items():
            chances[place], backoffs[place] = chance, backoff
        return Level(np.arange(len(self.words)), chances, backoffs), number, line

    def _level(self, n: int, count: int, *, last: bool) -> tuple[Level, int, str]:
        """The n-grams of two words and more."""
        keys: list[int] = []
        numbers: list[int] = []
        values: list[tuple[float, float]] = []
        for number, line in self._entries():
            chance, words, backoff = self._parsed(number, line, n)
            keys.append(self._key(number, words))
            numbers.append(number)
            values.append((chance, backoff))
        number, line = self.stopped
        self._check_count(n, count, len(keys), number)
        array = np.array(keys, dtype=np.int64)
        order = np.argsort(array, kind="stable")
        array = array[order]
        if len(twice := np.flatnonzero(array[1:] == array[:-1])):
            raise self._fault(numbers[order[twice[0] + 1]], f"this n-gram is in line {numbers[order[twice[0]]]}, too")
        if not last:
            self.places.append({int(key): place for place, key in enumerate(array)})
        table = np.array(values, dtype=np.float64).reshape(-1, 2)[order]
        return Level(array, table[:, 0].copy(), table[:, 1].copy()), number, line

    def _key(self, number: int, words: Sequence[str]) -> int:
        numbers = []
        for word in words:
            if (code := self.words.get(_UPPER.get(word, word))) is None:
                raise self._fault(number, f"{word!r} is none of the words of \\1-grams:")
            numbers.append(code)
        place = numbers[0]
        for length, code in enumerate(numbers[1:-1]):
            known = self.places[length].get(place * len(self.words) + code)
            if known is None:
                shorter = " ".join(words[: length + 2])
                raise self._fault(number, f"the shorter n-gram {shorter!r} is missing, which must have a back-off")
            place = known
        return place * len(self.words) + numbers[-1]

    def _parsed(self, number: int, line: str, n: int) -> tuple[float, list[str], float]:
        """The logarithm of a probability, ``n`` words, and the logarithm of a back-off weight, 0 without one."""
        parts = [part for part in line.replace("\t", " ").split(" ") if part]
        if len(parts) not in (n + 1, n + 2):
            raise self._fault(
                number, f"got {len(parts)} fields; expected a probability, {n} word{'s' if n > 1 else ''}, "
                "and a back-off weight if longer n-grams follow"
            )  # fmt: skip
        try:
            chance, backoff = float(parts[0]), float(parts[n + 1]) if len(parts) == n + 2 else 0.0
        except ValueError:
            raise self._fault(number, f"got {line!r}; the first and the last field must be numbers") from None
        if not chance <= _ROUNDING or not np.isfinite(backoff):
            raise self._fault(number, f"got {line!r}; probabilities are logarithms (base 10) of at most 0")
        return max(min(chance, 0.0), ZERO), parts[1 : n + 1], backoff

    def _entries(self) -> Iterator[tuple[int, str]]:
        """The lines up to the next heading, which is kept in ``stopped``."""
        for number, line in self.lines:
            stripped = line.strip(" \t\r")
            if stripped.startswith("\\") and (stripped == "\\end\\" or stripped.endswith("-grams:")):
                self.stopped = number, stripped
                return
            if stripped:
                yield number, stripped
        raise InputError(f"{self.name}: ends without \\end\\; is the file cut short?")

    def _next(self) -> tuple[int, str]:
        """The next line that is not empty."""
        for number, line in self.lines:
            if stripped := line.strip(" \t\r"):
                return number, stripped
        raise InputError(
            f"{self.name}: ends without \\end\\; is the file cut short, or no language model in the ARPA format?"
        )

    def _check_count(self, n: int, announced: int, listed: int, number: int) -> None:
        if announced != listed:
            raise self._fault(number, f"above are {listed} {n}-grams; the head announces {announced}")

    def _fault(self, number: int, message: str) -> InputError:
        return InputError(f"{self.name}: line {number}: {message}")
