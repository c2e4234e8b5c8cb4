"""Words of Indic scripts in pictures, syllable by syllable.

The program that draws pictures takes too little room for a syllable of several signs (हि, ন্দ), so the next one lies
over it. Each syllable by itself is drawn right. So a text in such a script is cut into syllables, these are measured,
and each is put where the one before it ends. Browsers do this by themselves: an ``.svg`` keeps whole words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from html import unescape
from xml.sax.saxutils import escape

#: How the names of their letters begin.
_SCRIPTS = (
    "DEVANAGARI", "BENGALI", "GUJARATI", "GURMUKHI", "KANNADA", "MALAYALAM", "ORIYA", "TAMIL", "TELUGU", "SINHALA",
    "KHMER", "MYANMAR",
)  # fmt: skip
_TEXT = re.compile(r"<text\b([^>]*)>([^<]*)</text>")
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
#: A sign that joins consonants has this combining class.
_VIRAMA = 9
#: Sizes at which texts are measured, and where they begin.
_FONT, _LEFT = 48.0, 60.0
#: A text may be so many pixels wider than it was taken for when the picture was laid out; beyond that it is squeezed.
_SPARE = 6.0


def positioned(svg: str) -> str:
    """A picture whose texts in Indic scripts are put together from syllables."""
    return svg if svg.isascii() else _TEXT.sub(_put_together, svg)


def _put_together(text: re.Match[str]) -> str:
    words = unescape(text[2])
    if not any(_is_indic(sign) for sign in words):
        return text[0]
    given = dict(_ATTRIBUTE.findall(text[1]))
    size = float(given.get("font-size", "11").removesuffix("px"))
    look = (given.get("font-family", "sans-serif"), given.get("font-weight", "normal"))
    pieces = list(_pieces(words))
    widths = [_width(piece, *look) * size / _FONT for piece in pieces]
    room = _taken(words, *look) * size / _FONT + _SPARE
    whole = sum(widths)
    squeeze = min(1.0, room / whole)
    place = {"middle": -whole / 2, "end": -whole}.get(given.get("text-anchor", "start"), 0.0)
    rest = " ".join(f'{name}="{value}"' for name, value in given.items() if name not in ("text-anchor", "transform"))
    parts = []
    for piece, width in zip(pieces, widths, strict=True):
        moved = f"{given.get('transform', '')} scale({squeeze:.4f},1) translate({place:.2f},0)".strip()
        parts.append(f'<text {rest} transform="{moved}">{escape(piece)}</text>')
        place += width
    return "".join(parts)


def _is_indic(sign: str) -> bool:
    return unicodedata.name(sign, "").startswith(_SCRIPTS)


def _pieces(words: str) -> Iterator[str]:
    """Syllables, and what stands between them."""
    piece = ""
    for sign in words:
        joined = unicodedata.category(sign) in ("Mn", "Mc", "Cf") or (
            piece != "" and unicodedata.combining(piece[-1]) == _VIRAMA
        )
        plain = piece != "" and not _is_indic(piece[-1]) and not _is_indic(sign)
        if piece and not (joined or plain):
            yield piece
            piece = ""
        piece += sign
    if piece:
        yield piece


@cache
def _width(piece: str, family: str, weight: str) -> float:
    """What a piece takes at the size of measuring: a syllable as far as it is seen, other words with their spaces."""
    if not _is_indic(piece[0]):
        return _taken(piece, family, weight)
    return _right_edge(piece, family, weight) - _LEFT


@cache
def _taken(words: str, family: str, weight: str) -> float:
    """How far a sign after the words is moved by them."""
    return _right_edge(f"{words}|", family, weight) - _right_edge("|", family, weight)


def _right_edge(words: str, family: str, weight: str) -> float:
    """Where the last coloured pixel is: what is right of there is empty."""
    wide = _LEFT + 2 * _FONT * (len(words) + 1)
    empty, low, high = _covered("", wide, family, weight, wide), 0.0, wide
    while high - low > 0.25:
        middle = (low + high) / 2
        if _covered(words, middle, family, weight, wide) == empty:
            high = middle
        else:
            low = middle
    return high


def _covered(words: str, until: float, family: str, weight: str, wide: float) -> bytes:
    """A picture of words of which the left is covered."""
    import vl_convert

    drawn: bytes = vl_convert.svg_to_png(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="120"><rect width="{wide}" height="120" '
        f'fill="white"/><text x="{_LEFT}" y="75" font-size="{_FONT}" font-family="{family}" font-weight="{weight}" '
        f'xml:space="preserve">{escape(words)}</text><rect width="{until}" height="120" fill="white"/></svg>'
    )
    return drawn
