"""Text in another script or language than it should be, line by line or as a whole.

Languages are guessed by py3langid (Barbaresi; after langid.py, Lui & Baldwin 2012), where it is installed. A line is
called foreign if its likeliest language is at least `ODDS` times as likely as the expected one. Most lines of a good
text are never asked about: once some are known to be right, lines of the same words are right too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache

from ...results import counted
from ..languages import base_language
from ..testset import TestSet
from .base import Column, Finding, columns
from .scripts import expected_scripts, letters, words

#: A line needs so many letters for its script or language to be judged (a Chinese or Korean one a third of that).
SCRIPT_LETTERS, LANGUAGE_LETTERS = 15, 25
#: Less than this share of letters in the right script is suspicious.
SCRIPT_SHARE = 0.3
#: From this share of the judged lines on (and from this many judged), the whole text is in the wrong script.
WHOLE_TEXT, FEWEST_JUDGED = 0.5, 3
#: The fewest letters that tell the language of a whole text, and so many characters of it as are enough.
LEAST_SAMPLE, SAMPLE = 100, 6_000
#: How many times likelier the guess must be than the expected language.
ODDS = 1000.0
#: A line with this share of its words from lines known to be right is right.
FAMILIAR = 0.9
#: Shorter texts are not enough to tell close languages apart.
LONG = 1_000
#: Code in Markdown, fenced or in a line.
_CODE = re.compile(r"^```.*?(?:^```\s*$|\Z)|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_ASCII_WORD, _OF_NAMES = re.compile(r"[!-~]+"), re.compile(r"[A-Z0-9@/\\_]")


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


def language(testset: TestSet) -> Iterator[Finding]:
    """Lines, or whole texts, in another script or language."""
    if not testset.langs.source:
        message = "no language is named, so none was checked; name one with --langs en, or let it be"
        yield Finding("language", "note", None, (), message)
        return
    source, target = testset.langs.source, testset.langs.target
    guessers = {langs: guesser_of(*langs) for langs in ((source, target), (target, source))}
    if None in guessers.values():
        message = "only scripts were checked; to check languages too: pip install 'palmares[server]'"
        yield Finding("language", "note", None, (), message)
    for given in columns(testset):
        # Code is in no language, and prompts are often about it.
        column = given if testset.langs.is_pair else replace(given, texts=tuple(map(_without_code, given.texts)))
        by_script = list(_by_script(column))
        yield from by_script
        guesser = guessers[(source, target) if column.what == "sources" else (target, source)]
        # A text in the wrong script is in the wrong language too, which need not be said.
        if guesser is not None and not any(finding.severity == "error" for finding in by_script):
            yield from _by_language(column, guesser)


def _without_code(text: str) -> str:
    return _CODE.sub(" ", text) if "`" in text else text


# -- scripts -----------------------------------------------------------------------------------------


def _by_script(column: Column) -> Iterator[Finding]:
    expected = expected_scripts(column.language)
    if expected is None:
        return
    judged, wrong, seen = 0, [], Counter[str]()
    for number, text in enumerate(column.texts, 1):
        counts = letters(text)
        if _weight(counts) < SCRIPT_LETTERS:
            continue
        judged += 1
        if _is_foreign(counts, expected) and _is_foreign(unnamed := letters(_without_names(text)), expected):
            wrong.append(number)
            seen += unnamed
    if wrong:
        scripts = " and ".join(script.title() for script, _ in seen.most_common(2))
        yield _script_finding(column, wrong, judged, f"in {scripts} letters, though the language is {column.language}")


def _is_foreign(counts: Counter[str], expected: frozenset[str]) -> bool:
    right = Counter({script: counts[script] for script in expected})
    return _weight(counts) >= SCRIPT_LETTERS and _weight(right) < SCRIPT_SHARE * _weight(counts)


def _without_names(text: str) -> str:
    """Names, codes and addresses keep their Latin letters in all languages."""
    return _ASCII_WORD.sub(lambda word: " " if _OF_NAMES.search(word[0]) else word[0], text)


def _weight(counts: Counter[str]) -> int:
    """Letters, where one that stands for a syllable or a word counts three times."""
    return counts.total() + 2 * (counts["HAN"] + counts["HANGUL"] + counts["HIRAGANA"] + counts["KATAKANA"])


def _script_finding(column: Column, lines: list[int], judged: int, what: str) -> Finding:
    subject = "" if column.system else f"{column.what}: "
    if len(lines) > WHOLE_TEXT * judged and judged >= FEWEST_JUDGED:
        message = f"{subject}the whole text ({len(lines)} of {judged} lines that can be judged) is {what}"
        return Finding("language", "error", column.system, tuple(lines), message)
    return Finding("language", "warning", column.system, tuple(lines), f"{subject}{counted(len(lines), 'line')} {what}")


# -- languages ---------------------------------------------------------------------------------------


def _by_language(column: Column, guesser: Guesser) -> Iterator[Finding]:
    subject = "" if column.system else f"{column.what}: "
    sample = _sample(column)
    whole = guesser.contradiction(sample) if _weight(letters(sample)) >= LEAST_SAMPLE else None
    if whole is not None:
        message = f"{subject}the whole text looks like {_named(whole, column, guesser)}, not {column.language}"
        yield Finding("language", "error", column.system, (), message)
        return
    wrong: dict[str, list[int]] = {}
    for number, text in enumerate(column.texts, 1):
        guess = guesser.foreign_line(text) if _weight(letters(text)) >= LANGUAGE_LETTERS else None
        if guess is not None:
            wrong.setdefault(guess, []).append(number)
    for guess, lines in wrong.items():
        verb = "looks" if len(lines) == 1 else "look"
        what = f"{verb} like {_named(guess, column, guesser)}, not {column.language}"
        message = f"{subject}{counted(len(lines), 'line')} {what}"
        yield Finding("language", "warning", column.system, tuple(lines), message)


def _sample(column: Column) -> str:
    """Lines from all over a text, so many as tell its language even if each is short."""
    step = max(sum(len(text) for text in column.texts) // SAMPLE, 1)
    return " ".join(column.texts[::step])[: 2 * SAMPLE]


def _named(guess: str, column: Column, guesser: Guesser) -> str:
    role = "source" if column.what != "sources" else "target"
    return f"the {role} language, {guess}" if guesser.is_other(guess) else guess


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
        tokens = words(text).keys()
        if tokens and len(tokens & self.familiar) >= FAMILIAR * len(tokens):
            return None
        ranked = self.rank(text)
        guess = self._contradiction(ranked, is_long=False)
        # A word left untranslated in one line does not become familiar by standing in others.
        if guess is not None:
            self.foreign |= tokens - self.familiar
        elif ranked[0][0] == _label(self.expected):
            self.familiar |= tokens - self.foreign
        return guess

    def _contradiction(self, ranked: Ranked, *, is_long: bool) -> str | None:
        """Close languages are told apart in long texts alone, unless the guess is the other language of the pair."""
        best, probability = ranked[0]
        expected = _label(self.expected)
        if best == expected or probability < ODDS * dict(ranked)[expected]:
            return None
        are_close = any({best, expected} <= group for group in _CLOSE)
        if self.is_other(best) or (best in _USUAL and (is_long or not are_close)):
            return best
        return None


def guesser_of(expected: str, other: str) -> Guesser | None:
    """A guesser, or None where py3langid is not installed; one that knows no answer for a language it lacks."""
    rank = _ranking()
    if rank is None:
        return None
    known = _label(expected) in dict(rank("a"))
    return Guesser(expected, other, rank if known else lambda text: [(_label(expected), 1.0)])


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
