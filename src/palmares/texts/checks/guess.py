"""Which language a line is in, by py3langid (Barbaresi; after langid.py, Lui & Baldwin 2012), where it is installed.

A line is called foreign if its likeliest language is at least `ODDS` times as likely as the expected one. Most lines
of a good text are never asked about: once some are known to be right, lines of the same words are right too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from ..languages import base_language
from .features import words

#: How many times likelier the guess must be than the expected language.
ODDS = 1000.0
#: A line with this share of its words from lines known to be right is right.
FAMILIAR = 0.9
#: Shorter texts are not enough to tell close languages apart.
LONG = 1_000


def _codes(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Languages too close to be told apart line by line.
_CLOSE = [
    _codes(group)
    for group in (
        "da nb nn no sv fo is", "hr bs sr sl mk bg", "cs sk", "id ms jv su tl", "ru uk be bg mk",
        "es gl pt ca oc an ast it fr ro ext lij vec wa la", "hi mr ne bho mai sa kok", "ur fa ps sd ar pnb",
        "az tr tk", "kk ky tt ba", "zu xh ss nr nd", "de lb nds nl af fy", "ga gd gv", "zh yue lzh wuu ja", "fi et se",
        "bn as", "lv lt", "ku tr", "qu ay",
    )
]  # fmt: skip
#: Languages that a stray line may well be in. Rarer ones are what names and lists of words are taken for.
_USUAL = _codes("""
    am ar bg bn ca cs da de el en es et eu fa fi fr gl gu he hi hr hu hy id is it ja ka kk kn ko lt lv mk ml mr ms my
    ne nl no pa pl pt ro ru si sk sl sq sr sv sw ta te th tl tr uk ur uz vi zh
""")
#: What py3langid calls languages otherwise.
_LABELS = {"nb": "no"}

Ranked = list[tuple[str, float]]


@dataclass
class Guesser:
    """Guesses for texts that should be in one language and might be in the other of the pair."""

    expected: str
    other: str
    rank: Callable[[str], Ranked] = field(repr=False)
    familiar: set[str] = field(default_factory=set, repr=False)
    foreign: set[str] = field(default_factory=set, repr=False)

    def is_other(self, guess: str) -> bool:
        """Whether a guess is the other language of the pair."""
        return guess == _label(self.other)

    def contradiction(self, text: str) -> str | None:
        """The language a text is in, if it is clearly not the expected one."""
        return self._contradiction(self.rank(text), is_long=len(text) >= LONG)

    def foreign_line(self, text: str) -> str | None:
        """The same of one line of many; it learns from each, and need not guess at most of them."""
        found = words(text).keys()
        if found and len(found & self.familiar) >= FAMILIAR * len(found):
            return None
        ranked = self.rank(text)
        guess = self._contradiction(ranked, is_long=False)
        # A word left untranslated in one line does not become familiar by standing in others.
        if guess is not None:
            self.foreign |= found - self.familiar
        elif ranked[0][0] == _label(self.expected):
            self.familiar |= found - self.foreign
        return guess

    def _contradiction(self, ranked: Ranked, *, is_long: bool) -> str | None:
        """Close languages are told apart in long texts alone, unless the guess is the other language of the pair."""
        best, probability = ranked[0]
        expected = _label(self.expected)
        if best == expected or probability < ODDS * dict(ranked)[expected]:
            return None
        if self.is_other(best) or (best in _USUAL and (is_long or not _are_close(best, expected))):
            return best
        return None


def guesser_of(expected: str, other: str) -> Guesser | None:
    """A guesser, or None where py3langid is not installed; one that knows no answer for a language it lacks."""
    rank = _ranking()
    if rank is None:
        return None
    known = _label(expected) in dict(rank("a"))
    return Guesser(expected, other, rank if known else lambda text: [(_label(expected), 1.0)])


def _are_close(one: str, other: str) -> bool:
    return any({one, other} <= group for group in _CLOSE)


def _label(code: str) -> str:
    language = base_language(code)
    return _LABELS.get(language, language)


@cache
def _ranking() -> Callable[[str], Ranked] | None:
    """Languages with probabilities, the likeliest first."""
    try:
        from py3langid import langid
    except ImportError:
        return None
    identifier = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)

    def rank(text: str) -> Ranked:
        return [(str(name), float(chance)) for name, chance in identifier.rank(text)]

    return rank
