"""Damage an output so that it still looks like a text and cannot mean the same: a control that shows who reads."""

from __future__ import annotations

import unicodedata
from random import Random

#: A text of fewer words is damaged by the character, and so is one in a script without spaces.
_SHORTEST = 4
#: Two texts may have much in common; of so many cuts the one that puts most in is taken.
_ATTEMPTS = 20


def degrade(text: str, donor: str, rng: Random) -> str | None:
    """Replace a run of words by a run from another text; None where the text cannot be damaged so that it shows.

    A third of the words, at least two, are replaced in one run, so the result still looks like a sentence but
    cannot mean the same; at least one word that is put in is not in the text. (The idea of the "bad references" of
    Graham et al. 2013, Continuous measurement scales in human evaluation of machine translation.)
    """
    words, other, glue = text.split(), donor.split(), " "
    if len(words) < _SHORTEST or len(other) < 2:
        words, other, glue = characters(text), characters(donor), ""
    if len(words) < _SHORTEST or len(other) < 2:
        return None
    length = min(max(2, len(words) // 3), len(other))
    cuts = [(rng.randrange(len(words) - length + 1), rng.randrange(len(other) - length + 1)) for _ in range(_ATTEMPTS)]
    start, taken = max(cuts, key=lambda cut: _new(words, other[cut[1] : cut[1] + length]))
    put_in = other[taken : taken + length]
    return glue.join([*words[:start], *put_in, *words[start + length :]]) if _new(words, put_in) else None


def _new(words: list[str], put_in: list[str]) -> int:
    """How many of the words put in were not there before."""
    return sum(word not in words for word in put_in)


def characters(text: str) -> list[str]:
    """The characters of a text, each with the marks that belong to it."""
    signs: list[str] = []
    for sign in text:
        if signs and unicodedata.category(sign).startswith("M"):
            signs[-1] += sign
        else:
            signs.append(sign)
    return signs


def looks_like(text: str, other: str) -> bool:
    """Whether two texts are the same to a reader, whatever white space there is."""
    return text.split() == other.split()
