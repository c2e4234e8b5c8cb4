"""Scripts and words: what the letters of a text are, what a language is written in, and where words end."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from functools import lru_cache

from ..languages import base_language, script_of

#: First word of a letter's Unicode name → script, where they differ.
_SAME = {"CJK": "HAN", "FULLWIDTH": "LATIN", "MODIFIER": "", "HALFWIDTH": "KATAKANA", "KATAKANA-HIRAGANA": "KATAKANA"}

#: Languages that are not written in Latin letters.
_BY_LANGUAGE = {
    "ARABIC": "ar fa ur ps sd ug ckb arz apc arq ary acm aeb ajp azb pnb prs skr ars ks bal",
    "ARMENIAN": "hy",
    "BENGALI": "bn as",
    "CYRILLIC": "ru uk be bg mk kk ky tg mn tt ba cv ce os sah udm kv",
    "DEVANAGARI": "hi mr ne sa bho mai awa doi kok brx hne mag",
    "ETHIOPIC": "am ti",
    "GEORGIAN": "ka",
    "GREEK": "el",
    "GUJARATI": "gu",
    "GURMUKHI": "pa",
    "HAN": "zh yue wuu lzh",
    "HAN HIRAGANA KATAKANA": "ja",
    "HANGUL HAN": "ko",
    "HEBREW": "he yi",
    "KANNADA": "kn",
    "KHMER": "km",
    "LAO": "lo",
    "MALAYALAM": "ml",
    "MYANMAR": "my",
    "ORIYA": "or",
    "SINHALA": "si",
    "SYRIAC": "syr aii arc",
    "TAMIL": "ta",
    "TELUGU": "te",
    "THAANA": "dv",
    "THAI": "th",
    "TIBETAN": "bo dz",
}
_EXPECTED = {code: frozenset(scripts.split()) for scripts, codes in _BY_LANGUAGE.items() for code in codes.split()}
#: Written in more than one script; without a subtag nothing can be expected of them.
_SEVERAL = frozenset(("sr", "bs", "az", "uz", "ku", "tk", "ks", "sd", "pa", "mn", "kk", "iu", "cr", "ha", "ms", "sh"))
#: ISO 15924 subtags by the scripts of letters they stand for.
_SUBTAGS = {
    "Latn": "LATIN", "Cyrl": "CYRILLIC", "Arab": "ARABIC", "Hebr": "HEBREW", "Grek": "GREEK", "Deva": "DEVANAGARI",
    "Hans": "HAN", "Hant": "HAN", "Hani": "HAN", "Jpan": "HAN HIRAGANA KATAKANA", "Kore": "HANGUL HAN",
    "Hang": "HANGUL", "Beng": "BENGALI", "Guru": "GURMUKHI", "Gujr": "GUJARATI", "Taml": "TAMIL", "Telu": "TELUGU",
    "Knda": "KANNADA", "Mlym": "MALAYALAM", "Thai": "THAI", "Geor": "GEORGIAN", "Armn": "ARMENIAN",
    "Ethi": "ETHIOPIC", "Khmr": "KHMER", "Laoo": "LAO", "Mymr": "MYANMAR", "Sinh": "SINHALA", "Tibt": "TIBETAN",
    "Orya": "ORIYA", "Mong": "MONGOLIAN", "Thaa": "THAANA", "Syrc": "SYRIAC", "Cans": "CANADIAN",
}  # fmt: skip
_WITHOUT_LETTERS = str.maketrans("", "", string.ascii_letters)
#: Scripts without spaces between words: two neighbouring characters stand for a word.
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"\w+")


def expected_scripts(code: str) -> frozenset[str] | None:
    """The scripts a language is written in; None where that is not known."""
    subtag = script_of(code)
    if subtag is not None:
        return frozenset(_SUBTAGS[subtag].split()) if subtag in _SUBTAGS else None
    language = base_language(code)
    if language in _SEVERAL:
        return None
    if language in _EXPECTED:
        return _EXPECTED[language]
    # Of two-letter codes all others are written in Latin letters; of rarer ones nothing is claimed.
    return (
        frozenset(("LATIN",)) if len(language) == 2 and language not in ("ii", "pi", "cu", "ab", "av", "ae") else None
    )


def letters(text: str) -> Counter[str]:
    """How many letters of each script a text has."""
    if text.isascii():
        return Counter(LATIN=len(text) - len(text.translate(_WITHOUT_LETTERS)))
    scripts: Counter[str] = Counter()
    # Most characters of a line stand in it more than once.
    for character, count in Counter(text).items():
        if script := _script(character):
            scripts[script] += count
    return scripts


@lru_cache(maxsize=50_000)
def _script(character: str) -> str:
    """The script of a letter, by the first word of its name; nothing for what is no letter."""
    if not character.isalpha():
        return ""
    first = unicodedata.name(character, "").partition(" ")[0]
    return _SAME.get(first, first)


def words(text: str) -> dict[str, None]:
    """What texts in one language share if they mean the same."""
    tokens = _WORD.findall(text.casefold())
    if not text.isascii() and UNSPACED.search(text):
        tokens = [part for word in tokens for part in (_pairs(word) if UNSPACED.search(word) else (word,))]
    return dict.fromkeys(tokens)


def _pairs(word: str) -> tuple[str, ...]:
    return tuple(word[i : i + 2] for i in range(len(word) - 1)) or (word,)
