"""The 17 features of WMT's baseline for quality estimation (Specia et al. 2013; Bojar et al. 2014, section 4.1)."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...judgments import FloatArray
from ...results import counted
from .language_model import LanguageModel
from .ngrams import Frequencies, share
from .translations import EVER, OFTEN, Translations
from .words import shares

#: The features in the order of the columns.
FEATURES = (
    "words of the source",
    "words of the translation",
    "letters per source word",
    "log10 probability of the source",
    "log10 probability of the translation",
    "times a word of the translation is in it",
    f"translations per source word, P > {OFTEN:g}",
    f"translations per source word, P > {EVER:g}, by inverse frequency",
    "share of words, first quartile",
    "share of words, fourth quartile",
    "share of bigrams, first quartile",
    "share of bigrams, fourth quartile",
    "share of trigrams, first quartile",
    "share of trigrams, fourth quartile",
    "share of distinct words in the corpus",
    "punctuation marks of the source",
    "punctuation marks of the translation",
)
#: Shares from which a note says that texts and resources may not be prepared alike.
_MANY_UNKNOWN, _MANY_ATTACHED = 0.5, 0.25
#: Marks that end a sentence; in texts that are not tokenised, the last word has them.
_ENDS = tuple(".?!;:…。？！")


@dataclass(frozen=True)
class Resources:
    """What the features are measured with."""

    source_model: LanguageModel
    target_model: LanguageModel
    frequencies: Frequencies
    translations: Translations


@dataclass(frozen=True)
class Measured:
    """The features of some sentences: an array (sentences, 17), and what a reader should know of them."""

    values: FloatArray = field(repr=False)
    notes: tuple[str, ...] = ()


Words = Sequence[list[str]]


def measured(source: Words, target: Words, resources: Resources) -> Measured:
    """The features of sources and their translations, both as words. What is a mean or a share is 0 of nothing."""
    sources, targets = list(source), list(target)
    n_source, n_target = (np.array([len(s) for s in each]) for each in (sources, targets))
    source_chance, source_left = resources.source_model.of_sentences(sources)
    target_chance, target_left = resources.target_model.of_sentences(targets)
    columns = [
        n_source,
        n_target,
        shares(np.array([sum(map(len, s)) for s in sources]), n_source),
        source_chance,
        target_chance,
        shares(n_target, np.array([len(set(s)) for s in targets])),
        *_translations(sources, resources),
        *_quartiles(sources, resources.frequencies),
        _seen(sources, resources.frequencies),
        [sum(map(is_punctuation, s)) for s in sources],
        [sum(map(is_punctuation, s)) for s in targets],
    ]
    values = np.column_stack([np.asarray(column, dtype=np.float64) for column in columns])
    left = {"source": int(source_left.sum()), "translation": int(target_left.sum())}
    notes = [*_empty(sources, targets), *_left_out(left), *_unlike(sources, targets, resources)]
    return Measured(values, tuple(notes))


def _translations(sources: list[list[str]], resources: Resources) -> tuple[FloatArray, FloatArray]:
    """Translations per word above one limit; and above the other, each word's number divided by its frequency."""
    translations, frequencies = resources.translations, resources.frequencies
    encoded = translations.vocabulary.encoded(sources)
    often = frequencies.counts[0][frequencies.vocabulary.encoded(sources).ids]
    ever = np.where(often > 0, translations.ever[encoded.ids] / np.maximum(often, 1), 0.0)
    return encoded.means(translations.often[encoded.ids]), encoded.means(ever)


def _quartiles(sources: list[list[str]], frequencies: Frequencies) -> list[FloatArray]:
    """Shares of words, bigrams and trigrams in the first and in the fourth quartile of frequency."""
    encoded = frequencies.vocabulary.encoded(sources)
    columns = []
    for often, (low, high) in zip(frequencies.of_sentences(encoded), frequencies.cuts, strict=True):
        columns += [share(often, (often > 0) & (often <= low), encoded), share(often, often > high, encoded)]
    return columns


def _seen(sources: list[list[str]], frequencies: Frequencies) -> list[float]:
    known = frequencies.vocabulary.numbers
    return [sum(word in known for word in words) / max(len(words), 1) for words in map(set, sources)]


def is_punctuation(word: str) -> bool:
    """Whether a word has nothing but punctuation (Unicode's categories P), Moses' escapes for it included."""
    plain = html.unescape(word) if word.startswith("&") and word.endswith(";") else word
    return all(unicodedata.category(letter).startswith("P") for letter in plain)


def _empty(sources: list[list[str]], targets: list[list[str]]) -> list[str]:
    empty = [(counted(sum(not words for words in each), what), not all(each))
             for each, what in ((sources, "source"), (targets, "translation"))]  # fmt: skip
    return [f"{number} without a word; their means and shares are 0" for number, there in empty if there]


def _left_out(left: dict[str, int]) -> list[str]:
    return [
        f"{counted(number, 'word')} of the {side}s not counted in their probability: the language model gives "
        "unknown words none"
        for side, number in left.items()
        if number
    ]


def _unlike(sources: list[list[str]], targets: list[list[str]], resources: Resources) -> list[str]:
    """A word if texts look as if they were prepared in another way than the resources, or not tokenised."""
    unknown = {
        "source words are unknown to the source's language model": resources.source_model.unknown(sources),
        "words of translations are unknown to the target's language model": resources.target_model.unknown(targets),
        "source words have no translation": resources.translations.unknown(sources),
    }
    notes = [
        f"{100 * part:.0f} % of {what}; are both tokenised and cased alike?"
        for what, part in unknown.items()
        if part > _MANY_UNKNOWN
    ]
    last = [words[-1] for words in (*sources, *targets) if words]
    attached = sum(len(word) > 1 and word.endswith(_ENDS) and not is_punctuation(word) for word in last)
    if attached > _MANY_ATTACHED * max(len(last), 1):
        notes.append(
            f"{100 * attached / len(last):.0f} % of sentences end in a mark that stands on a word: the texts look as "
            "if they were not tokenised; --tokenize does that"
        )
    return notes
