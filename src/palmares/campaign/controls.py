"""Control outputs: a damaged copy that a careful judge ranks below its original."""

from __future__ import annotations

from random import Random

#: Texts in scripts without spaces are damaged by the character.
_SHORTEST = 4


def degrade(text: str, donor: str, rng: Random) -> str | None:
    """Replace a run of words by a run from another text; None where the text is too short to be damaged.

    A third of the words, at least two, are replaced in one run, so the result still looks like a sentence but
    cannot mean the same. (The idea of the "bad references" of Graham et al. 2013, Continuous measurement scales in
    human evaluation of machine translation.)
    """
    words, other, glue = text.split(), donor.split(), " "
    if len(words) < _SHORTEST or len(other) < 2:
        words, other, glue = list(text), list(donor), ""
    length = max(2, len(words) // 3)
    if len(words) < _SHORTEST or len(other) < 2:
        return None
    length = min(length, len(other))
    start = rng.randrange(len(words) - length + 1)
    taken = rng.randrange(len(other) - length + 1)
    damaged = glue.join([*words[:start], *other[taken : taken + length], *words[start + length :]])
    return None if damaged == text else damaged
