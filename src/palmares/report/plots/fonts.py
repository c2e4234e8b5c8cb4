"""Letters of every script in pictures: the families to write them with, and a word where this machine has none.

Programs that draw a picture take the first family they have for a whole text, and what it lacks from any other, which
tears texts apart. So a text gets a family that has its script (`fitted`). A machine may have none: then a picture shows
empty boxes. `missing` finds out by drawing: a letter that looks like one that no font has is missing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from html import unescape
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

#: A codepoint that is no character, so no font has a letter for it.
_NO_LETTER = "\ufdd0"
#: An invisible letter that keeps numbers right of names.
_MARK = "\u200e"
#: So many letters of a script are looked at: a font has all that are usual, or none.
_LOOKED_AT = 6
#: So many names are told.
_TOLD = 3


class Font(NamedTuple):
    """What to install for a script: a family, and the package of Debian that has it."""

    family: str
    package: str


_CORE = "fonts-noto-core"


def _cjk(country: str) -> Font:
    return Font(f"Noto Sans CJK {country}", "fonts-noto-cjk")


#: Scripts as the names of their letters begin, what they are called, and what has them.
_SCRIPTS: Mapping[str, tuple[str, Font]] = {
    "CJK": ("Han", _cjk("SC")),
    "HIRAGANA": ("Hiragana", _cjk("JP")),
    "KATAKANA": ("Katakana", _cjk("JP")),
    "HANGUL": ("Hangul", _cjk("KR")),
    "BOPOMOFO": ("Bopomofo", _cjk("TC")),
    **{
        name.upper(): (name, Font(f"Noto Sans {name}", _CORE))
        for name in (
            "Arabic", "Hebrew", "Devanagari", "Bengali", "Gujarati", "Gurmukhi", "Kannada", "Malayalam", "Oriya",
            "Tamil", "Telugu", "Sinhala", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan", "Georgian", "Armenian",
            "Ethiopic", "Greek", "Cyrillic", "Latin",
        )
    },
}  # fmt: skip
_OTHER = Font("Noto Sans", _CORE)
#: What the usual family of pictures has itself.
_USUAL = frozenset(("Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Arabic", "Hebrew"))
#: A text of a picture, and the families it is written with.
_TEXT, _FAMILY = re.compile(r"<text\b.*?</text>", re.DOTALL), re.compile(r'(?<=\bfont-family=")[^"]*')
_MARKUP = re.compile(r"<[^>]*>")


class Missing(NamedTuple):
    """A script that no font here has, and the texts that use it."""

    script: str
    texts: tuple[str, ...]
    font: Font

    def __str__(self) -> str:
        more = f" and {len(self.texts) - _TOLD} more" if len(self.texts) > _TOLD else ""
        return (
            f"no font on this machine for {self.script} in: {', '.join(self.texts[:_TOLD])}{more}; install e.g. "
            f"{self.font.family} (Debian: {self.font.package})"
        )


def missing(texts: Iterable[str]) -> list[Missing]:
    """The scripts in texts that no font on this machine has; empty where all can be written.

    Needs the package that writes pictures (vl-convert).
    """
    using: dict[str, dict[str, None]] = {}
    letters: dict[str, dict[str, None]] = {}
    fonts: dict[str, Font] = {}
    for text in dict.fromkeys(texts):
        for letter in _unusual(text):
            script, fonts_for = _script_of(letter)
            using.setdefault(script, {})[text] = None
            letters.setdefault(script, {})[letter] = None
            fonts[script] = fonts_for
    return [
        Missing(script, _names(using[script]), fonts[script])
        for script in using
        if not all(has_letter(letter) for letter in list(letters[script])[:_LOOKED_AT])
    ]


def _names(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts, but for those that are another with a number after it, as rows of heat maps have it."""
    known = [text.strip(_MARK) for text in texts]
    return tuple(dict.fromkeys(text for text in known if text.rpartition("  ")[0].strip(_MARK) not in known))


def missing_in(chart: Any) -> list[Missing]:
    """The scripts in the names, titles and words of a chart that no font on this machine has."""
    return missing(_texts(chart.to_dict()))


def fitted(svg: str) -> str:
    """A picture of which every text names a family that has its script, before the usual ones."""
    return svg if svg.isascii() else _TEXT.sub(_with_family, svg)


def _with_family(text: re.Match[str]) -> str:
    own = dict.fromkeys(_script_of(letter) for letter in _unusual(unescape(_MARKUP.sub("", text[0]))))
    families = [font.family for script, font in own if script not in _USUAL]
    # Kanji are Han, too; whoever writes kana wants them the Japanese way.
    families.sort(key=lambda family: family == _cjk("SC").family)
    return _FAMILY.sub(lambda usual: ", ".join((*families, usual[0])), text[0], count=1) if families else text[0]


@cache
def has_letter(letter: str) -> bool:
    """Whether some font of this machine has a letter: drawn, it looks unlike a codepoint that no font has."""
    return _drawn(letter) != _drawn(_NO_LETTER)


def _drawn(letter: str) -> bytes:
    import vl_convert

    picture: bytes = vl_convert.svg_to_png(
        '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60">'
        f'<text x="10" y="40" font-size="24" font-family="sans-serif">{escape(letter)}</text></svg>'
    )
    return picture


def _unusual(text: str) -> Iterator[str]:
    """Letters beyond those that every font has; marks and signs are no letters."""
    return (sign for sign in text if ord(sign) > 0x24F and unicodedata.category(sign) in ("Lo", "Lu", "Ll", "Lt"))


def _script_of(letter: str) -> tuple[str, Font]:
    words = unicodedata.name(letter, "").replace("-", " ").split()
    return _SCRIPTS.get(words[0] if words else "", (f"the letter {letter} (U+{ord(letter):04X})", _OTHER))


def _texts(part: Any) -> Iterator[str]:
    """Every text in the description of a chart that is not plain ASCII."""
    if isinstance(part, str):
        if not part.isascii():
            yield part
    elif isinstance(part, Mapping):
        for each in part.values():
            yield from _texts(each)
    elif isinstance(part, list | tuple):
        for each in part:
            yield from _texts(each)
