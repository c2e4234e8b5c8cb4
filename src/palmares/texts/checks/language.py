"""Text in another script or language than it should be.

Scripts come from Unicode's names of letters. Languages come from py3langid (Barbaresi; after langid.py, Lui &
Baldwin 2012) where it is installed, and are believed only for lines that are long and clear enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

from ..languages import base_language
from ..testset import TestSet
from .columns import Column, columns
from .findings import Finding
from .scripts import expected_scripts, letters

#: A line needs so many letters for its script to be judged (a Chinese or Korean one a third of that).
SCRIPT_LETTERS = 15
#: Less than this share of letters in the right script is suspicious.
SCRIPT_SHARE = 0.3
#: A line needs so many letters for its language to be guessed.
LANGUAGE_LETTERS = 40
#: How sure the guess must be, and how unlikely the expected language.
SURE, UNLIKELY = 0.99, 0.001
#: From this share of the judged lines on, the whole text is in the wrong language.
WHOLE_TEXT = 0.5

#: Languages too close to be told apart line by line.
_CLOSE = [
    frozenset(group.split())
    for group in (
        "da nb nn no sv fo is", "hr bs sr sl mk bg", "cs sk", "id ms jv su tl", "es gl pt ca oc an ast it fr ro",
        "ru uk be bg mk", "hi mr ne bho mai sa kok", "ur fa ps sd ar pnb", "az tr tk", "kk ky tt ba", "zu xh ss nr nd",
        "de lb nds nl af fy", "ga gd gv", "zh yue lzh wuu ja", "fi et se", "bn as", "lv lt", "ku tr", "qu ay",
    )
]  # fmt: skip
Guess = Callable[[str], list[tuple[str, float]]]


def language(testset: TestSet) -> Iterator[Finding]:
    """Lines, or whole texts, in another script or language."""
    guesser = _guesser()
    if guesser is None:
        message = "only scripts were checked; to check languages too: pip install 'palmares[server]'"
        yield Finding("language", "note", None, (), message)
    other = {testset.langs.target: testset.langs.source, testset.langs.source: testset.langs.target}
    for column in columns(testset):
        yield from _by_script(column)
        if guesser is not None:
            yield from _by_language(column, other[column.language], guesser)


def _by_script(column: Column) -> Iterator[Finding]:
    expected = expected_scripts(column.language)
    if expected is None:
        return
    judged, wrong, seen = 0, [], Counter[str]()
    for number, text in enumerate(column.texts, 1):
        found = letters(text)
        if _weight(found) < SCRIPT_LETTERS:
            continue
        judged += 1
        if sum(found[script] for script in expected) < SCRIPT_SHARE * found.total():
            wrong.append(number)
            seen += found
    if wrong:
        scripts = ", ".join(script.title() for script, _ in seen.most_common(2))
        yield _finding(column, wrong, judged, f"written in {scripts} letters, though the language is {column.language}")


def _weight(found: Counter[str]) -> int:
    """Letters, where one that stands for a syllable or a word counts three times."""
    return found.total() + 2 * (found["HAN"] + found["HANGUL"] + found["HIRAGANA"] + found["KATAKANA"])


def _by_language(column: Column, other: str, guesser: Guess) -> Iterator[Finding]:
    expected = base_language(column.language)
    if expected not in _known_languages():
        return
    judged = 0
    wrong: dict[str, list[int]] = {}
    for number, text in enumerate(column.texts, 1):
        if _weight(letters(text)) < LANGUAGE_LETTERS:
            continue
        judged += 1
        guess = _contradicts(guesser(text), expected, base_language(other))
        if guess is not None:
            wrong.setdefault(guess, []).append(number)
    pair = "source" if column.what != "sources" else "target"
    for guess, lines in wrong.items():
        is_other = guess == base_language(other)
        what = f"looks like the {pair} language, {guess}" if is_other else f"looks like {guess}"
        yield _finding(column, lines, judged, f"{what}, not {column.language}")


def _contradicts(ranked: list[tuple[str, float]], expected: str, other: str) -> str | None:
    """The language that a line is in, if it is clearly not the expected one.

    Close languages are not told apart, unless the guess is the other language of the pair.
    """
    best, probability = ranked[0]
    chances = dict(ranked)
    if best == expected or probability < SURE or chances[expected] > UNLIKELY:
        return None
    if best != other and any({best, expected} <= group for group in _CLOSE):
        return None
    return best


def _finding(column: Column, lines: list[int], judged: int, what: str) -> Finding:
    subject = "" if column.system else f"{column.what}: "
    if len(lines) > WHOLE_TEXT * judged and judged >= 3:
        message = f"{subject}the whole text ({len(lines)} of {judged} lines that can be judged) is {_past(what)}"
        return Finding("language", "error", column.system, tuple(lines), message)
    return Finding("language", "warning", column.system, tuple(lines), f"{subject}{len(lines)} lines: {what}")


def _past(what: str) -> str:
    return what.replace("looks like", "like")


@cache
def _guesser() -> Guess | None:
    """Ranked languages with probabilities, or None where py3langid is not installed."""
    try:
        from py3langid import langid
    except ImportError:
        return None
    identifier = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)

    def guess(text: str) -> list[tuple[str, float]]:
        return [(str(name), float(chance)) for name, chance in identifier.rank(text)]

    return guess


@cache
def _known_languages() -> frozenset[str]:
    guesser = _guesser()
    return frozenset(name for name, _ in guesser("a")) if guesser else frozenset()
