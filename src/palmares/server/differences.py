"""Where texts differ: which words of each are not shared by all of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

#: Scripts written without spaces, by code point: there a character is compared where elsewhere a word is.
_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x0F00, 0x109F),  # Tibetan, Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),  # Katakana extensions
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_JOINERS = "\u200c\u200d"
#: Beyond this many words, words that stand everywhere no longer anchor the comparison: it would take seconds.
_LONG = 1000


@dataclass(frozen=True)
class Span:
    """A stretch of a text, and whether it stands in this text only (or at least not in all)."""

    text: str
    differs: bool


def differences(texts: Sequence[str]) -> tuple[tuple[Span, ...], ...]:
    """Cut every text into spans; joined together they are the text again.

    What does not differ is one and the same sequence of words in all texts: a common subsequence, found by folding
    `difflib.SequenceMatcher` over the texts. So equal texts have no differences, and a word that moved is one.
    """
    tokenised = [tokens(text) for text in texts]
    words = [[i for i, token in enumerate(found) if not token.isspace()] for found in tokenised]
    shared = common([[found[i] for i in at] for found, at in zip(tokenised, words, strict=True)])
    kept = [{at[row[k]] for row in shared} for k, at in enumerate(words)]
    return tuple(spans(found, same) for found, same in zip(tokenised, kept, strict=True))


def common(sequences: Sequence[Sequence[str]]) -> list[tuple[int, ...]]:
    """A common subsequence, as the indices it has in each sequence."""
    shared: list[tuple[int, ...]] = [(i,) for i in range(len(sequences[0]))] if sequences else []
    for sequence in sequences[1:]:
        left = [sequences[0][row[0]] for row in shared]
        matcher = SequenceMatcher(None, left, sequence, autojunk=max(len(left), len(sequence)) > _LONG)
        shared = [
            (*shared[block.a + step], block.b + step)
            for block in matcher.get_matching_blocks()
            for step in range(block.size)
        ]
    return shared


def spans(found: Sequence[str], same: set[int]) -> tuple[Span, ...]:
    """Join neighbours of a kind; a space differs only between two words that do, so that marks are calm."""
    marks = [not token.isspace() and i not in same for i, token in enumerate(found)]
    for i in range(1, len(found) - 1):
        if found[i].isspace():
            marks[i] = marks[i - 1] and marks[i + 1]
    joined: list[Span] = []
    for token, differs in zip(found, marks, strict=True):
        if joined and joined[-1].differs == differs:
            joined[-1] = Span(joined[-1].text + token, differs)
        else:
            joined.append(Span(token, differs))
    return tuple(joined)


def tokens(text: str) -> list[str]:
    """Words, stretches of white space, and single signs; marks and joiners stay with what they belong to."""
    found: list[str] = []
    for character in text:
        if found and belongs(found[-1], character):
            found[-1] += character
        else:
            found.append(character)
    return found


def belongs(token: str, character: str) -> bool:
    """Whether a character goes on with the token before it."""
    if token.isspace() or character.isspace():
        return token.isspace() and character.isspace()
    if character in _JOINERS or unicodedata.category(character).startswith("M") or token[-1] == _JOINERS[1]:
        return True
    return in_word(character) and in_word(token[0])


def in_word(character: str) -> bool:
    """Whether words are made of such characters: letters and digits, but in scripts without spaces."""
    code = ord(character)
    return character.isalnum() and not any(first <= code <= last for first, last in _UNSPACED)
