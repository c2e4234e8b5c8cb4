"""Where texts differ: which words of each stand in few of the others, and where each lacks what most of them have.

No word is common to all of several free translations, so what all share says little. Each two texts are aligned by
themselves instead, by a longest common subsequence of their words, and the others are counted.

Why not difflib: it looks for long blocks, not for a longest common subsequence, and its result depends on which text
comes first. rapidfuzz aligns as we do, but the thirty lines here are not worth a compiled dependency.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, combinations, pairwise

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
#: How white space is made visible; what is not here is a kind of space.
_SIGNS = {"\n": "↵", "\t": "⇥", "\u00a0": "⍽", "\u202f": "⍽"}
#: Two texts whose lengths in words have a larger product are not aligned: a page may not wait for that.
_TOO_LONG = 4_000_000

Matches = list[tuple[int, int]]


@dataclass(frozen=True)
class Span:
    """A stretch of a text, and whether few other texts have it. An empty one: here most others have more.

    ``spacing`` makes white space visible that is other than in most of the other texts: a sign for each character.
    """

    text: str
    differs: bool
    spacing: str = ""


def differences(texts: Sequence[str], *, spacing: bool = False) -> tuple[tuple[Span, ...], ...]:
    """Cut every text into spans; joined together they are the text again.

    A word differs if fewer than half of the other texts share it, and words are missing where more than half of the
    others have some between two that they share. The order in which the texts are given changes nothing. With
    ``spacing``, white space is compared like words; without, it counts for nothing.
    """
    tokenized = [tokens(text) for text in texts]
    positions = [[i for i, token in enumerate(of_text) if not token.isspace()] for of_text in tokenized]
    words = [[of_text[i] for i in at] for of_text, at in zip(tokenized, positions, strict=True)]
    tallies = [Tally([0] * len(of_text), [0] * (len(of_text) + 1)) for of_text in words]
    gaps = [Gaps.between(of_text, at) for of_text, at in zip(tokenized, positions, strict=True)] if spacing else []
    for one, other in combinations(range(len(texts)), 2):
        matches = aligned(words[one], words[other])
        tallies[one].count(matches, len(words[other]))
        tallies[other].count([(there, here) for here, there in matches], len(words[one]))
        if spacing:
            gaps[one].compare(gaps[other], matches)
    others = len(texts) - 1
    marked = [
        spans(of_text, *tally.verdict(at, len(of_text), others))
        for of_text, at, tally in zip(tokenized, positions, tallies, strict=True)
    ]
    return tuple(gaps[i].shown(made) if spacing else made for i, made in enumerate(marked))


@dataclass(frozen=True)
class Tally:
    """How many other texts share each word, and how many have more words before each, or at the end."""

    shared: list[int]
    more: list[int]

    def count(self, matches: Matches, length: int) -> None:
        """Add one other text of so many words, by the words it has in common with this one."""
        for here, _ in matches:
            self.shared[here] += 1
        steps = [(-1, -1), *matches, (len(self.shared), length)]
        for (here, there), (next_here, next_there) in pairwise(steps):
            self.more[next_here] += next_here == here + 1 and next_there > there + 1

    def verdict(self, positions: list[int], end: int, others: int) -> tuple[set[int], set[int]]:
        """The tokens that differ, and those before which words are missing."""
        differing = {position for position, number in zip(positions, self.shared, strict=True) if 2 * number < others}
        lacking = {
            position for position, number in zip([*positions, end], self.more, strict=True) if 2 * number > others
        }
        return differing, lacking


@dataclass(frozen=True)
class Gaps:
    """The white space before each word of a text and at its end; whether it is as in other texts at the same place."""

    spaces: list[str]
    places: list[int]  # of the gaps, in characters from the beginning of the text
    same: list[int]
    other: list[int]

    @classmethod
    def between(cls, pieces: Sequence[str], words: Sequence[int]) -> Gaps:
        ends = [*words, len(pieces)]
        spaces = [pieces[at - 1] if at and pieces[at - 1].isspace() else "" for at in ends]
        starts = [0, *accumulate(len(piece) for piece in pieces)]
        places = [starts[at] - len(space) for at, space in zip(ends, spaces, strict=True)]
        return cls(spaces, places, [0] * len(ends), [0] * len(ends))

    def compare(self, other: Gaps, matches: Matches) -> None:
        """Count each other, where a word is shared and so is the one before it."""
        shared = set(matches) | {(-1, -1), (len(self.spaces) - 1, len(other.spaces) - 1)}
        for here, there in shared - {(-1, -1)}:
            if (here - 1, there - 1) in shared:
                for one, two, i, j in ((self, other, here, there), (other, self, there, here)):
                    counts = one.same if one.spaces[i] == two.spaces[j] else one.other
                    counts[i] += 1

    def shown(self, made: tuple[Span, ...]) -> tuple[Span, ...]:
        """The spans of the text, cut around white space that is unlike that of most others and has signs to show it."""
        signs = {
            place: (space, "".join(_SIGNS.get(character, "·") for character in space) or "‸")
            for place, space, same, other in zip(self.places, self.spaces, self.same, self.other, strict=True)
            if other > same
        }
        cut: list[Span] = []
        start = 0
        for span in made:
            cut += _cut(span, start, signs)
            start += len(span.text)
        lacking_at_end = start in signs and not signs[start][0]
        return (*cut, Span("", False, signs[start][1])) if lacking_at_end else tuple(cut)


def _cut(span: Span, start: int, signs: Mapping[int, tuple[str, str]]) -> list[Span]:
    """A span that begins at a character of its text, cut around the white space that is to be shown."""
    found: list[Span] = [] if span.text else [span]
    rest, at = span.text, 0
    for place in sorted(place for place in signs if start <= place < start + len(span.text)):
        space, shown = signs[place]
        before = rest[: place - start - at]
        found += [Span(before, span.differs)] if before else []
        found.append(Span(space, span.differs, shown))
        rest, at = rest[len(before) + len(space) :], place - start + len(space)
    return [*found, Span(rest, span.differs)] if rest else found


# -- two texts -----------------------------------------------------------------------------------------


def aligned(one: list[str], other: list[str]) -> Matches:
    """The places of a longest common subsequence in both; the same one whichever text comes first."""
    if other < one:
        return [(here, there) for there, here in aligned(other, one)]
    if len(one) * len(other) > _TOO_LONG:
        return ends(one, other)
    rows = matched(one, other)
    here, there, matches = len(one), len(other), []
    while here and there:
        bit = 1 << (here - 1)
        if rows[there] & bit:
            here -= 1
            continue
        there -= 1
        if rows[there] & bit:
            here -= 1
            matches.append((here, there))
    return matches[::-1]


def matched(one: Sequence[str], other: Sequence[str]) -> list[int]:
    """The table of common subsequences, a row for each beginning of ``other``, in bits (Hyyrö 2004).

    Bit i of row j is 0 where the first i + 1 words of one text have one word more in common with the first j of the
    other than the first i have. A row is one long integer, so a text of a hundred words takes a hundred steps.
    """
    everywhere = (1 << len(one)) - 1
    bits: dict[str, int] = {}
    for i, word in enumerate(one):
        bits[word] = bits.get(word, 0) | 1 << i
    rows = [everywhere]
    for word in other:
        row = rows[-1]
        hits = row & bits.get(word, 0)
        rows.append(((row + hits) | (row - hits)) & everywhere)
    return rows


def ends(one: Sequence[str], other: Sequence[str]) -> Matches:
    """What both texts begin with and end with alike: enough for texts too long to compare word by word."""
    most = min(len(one), len(other))
    first = next((i for i in range(most) if one[i] != other[i]), most)
    last = next((i for i in range(most - first) if one[-1 - i] != other[-1 - i]), most - first)
    return [(i, i) for i in range(first)] + [(len(one) - i, len(other) - i) for i in range(last, 0, -1)]


# -- one text ------------------------------------------------------------------------------------------


def spans(pieces: Sequence[str], differing: set[int], lacking: set[int]) -> tuple[Span, ...]:
    """Join neighbours of a kind; a space differs only between two words that do, so that marks are calm."""
    marks = [i in differing for i in range(len(pieces))]
    for i in range(1, len(pieces) - 1):
        if pieces[i].isspace():
            marks[i] = marks[i - 1] and marks[i + 1] and i + 1 not in lacking
    joined: list[Span] = []
    for i, (token, differs) in enumerate(zip(pieces, marks, strict=True)):
        if i in lacking:
            joined.append(Span("", True))
        if joined and joined[-1].text and joined[-1].differs == differs:
            joined[-1] = Span(joined[-1].text + token, differs)
        else:
            joined.append(Span(token, differs))
    return (*joined, Span("", True)) if len(pieces) in lacking else tuple(joined)


def tokens(text: str) -> list[str]:
    """Words, stretches of white space, and single signs; marks and joiners stay with what they belong to."""
    pieces: list[str] = []
    before = None  # the kind of the token so far
    for character in text:
        kind = kind_of(character)
        if before is None or not _goes_on(pieces[-1], before, kind):
            pieces.append(character)
            before = kind
        else:
            pieces[-1] += character
    return pieces


def _goes_on(token: str, before: str, kind: str) -> bool:
    """Whether a character of this kind goes on with the token before it."""
    if before == "space" or kind == "space":
        return before == kind
    return kind == "bound" or before == kind == "word" or token[-1] == _JOINERS[1]


@lru_cache(maxsize=10_000)
def kind_of(character: str) -> str:
    """What a character does in a text: white space, a letter or digit of a word, bound to what is before it, a sign."""
    if character.isspace():
        return "space"
    if character in _JOINERS or unicodedata.category(character).startswith("M"):
        return "bound"
    code = ord(character)
    unspaced = any(first <= code <= last for first, last in _UNSPACED)
    return "word" if character.isalnum() and not unspaced else "sign"
