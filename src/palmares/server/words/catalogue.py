"""The words of the pages in several languages: one flat catalogue a language, and which one a reader gets."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...texts.languages import direction

#: Code of the language and its own name, in the order in which they are offered.
LANGUAGES: Mapping[str, str] = {
    "en": "English",
    "de": "Deutsch",
    "fr": "Français",
    "cs": "Čeština",
    "es": "Español",
    "ar": "العربية",
}
DEFAULT_LANGUAGE = "en"
#: What texts are called if a campaign says nothing else: source and outputs.
DEFAULT_VOCABULARY = "translation"
CATALOGUES = Path(__file__).parent
_ACCEPTED = re.compile(r"\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9-]+)?\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*")


@dataclass(frozen=True)
class Words:
    """What the pages say in one language; call it with a key and the values of its placeholders."""

    language: str
    texts: Mapping[str, str]

    def __call__(self, key: str, **values: object) -> str:
        return self.texts[key].format(**values)

    @property
    def direction(self) -> str:
        return direction(self.language)

    def in_vocabulary(self, vocabulary: str) -> Words:
        """The same language with other names for the texts of a campaign: ``prompt`` speaks of prompts and answers."""
        return words(self.language, vocabulary)

    def beginning(self, prefix: str) -> dict[str, str]:
        """The texts whose key begins with a prefix, placeholders unfilled; the prefix is cut off."""
        return {key.removeprefix(prefix): text for key, text in self.texts.items() if key.startswith(prefix)}

    def listed(self, items: Sequence[object]) -> str:
        """Join items as the language does: ``1, 2 and 4``."""
        *first, last = [str(item) for item in items]
        if not first:
            return last
        return self("list.last", first=self("list.separator").join(first), last=last)


@cache
def words(language: str, vocabulary: str = DEFAULT_VOCABULARY) -> Words:
    """The catalogue of one of `LANGUAGES`. In a vocabulary, ``prompt.screen.source`` stands for ``screen.source``."""
    if vocabulary != DEFAULT_VOCABULARY:
        usual = words(language)
        return Words(language, {**usual.texts, **usual.beginning(f"{vocabulary}.")})
    with (CATALOGUES / f"{language}.toml").open("rb") as file:
        return Words(language, tomllib.load(file))


def choose_language(asked: str | None, remembered: str | None, accepted: str | None) -> str:
    """The language asked for in the address, else the one chosen before, else what the browser wants, else English."""
    choices = [asked or "", remembered or "", *preferred(accepted or "")]
    return next((code for code in choices if code in LANGUAGES), DEFAULT_LANGUAGE)


def preferred(accept_language: str) -> list[str]:
    """The languages of an Accept-Language header, best first; those with quality 0 and what cannot be read left out."""
    accepted = [match for part in accept_language.split(",") if (match := _ACCEPTED.fullmatch(part))]
    weights = [(float(match[2] or 1), match[1].lower()) for match in accepted]
    return [code for weight, code in sorted(weights, key=lambda pair: -pair[0]) if weight > 0]
