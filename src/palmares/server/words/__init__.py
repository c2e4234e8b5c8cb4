"""The words of the pages, in six languages."""

from __future__ import annotations

from .catalogue import DEFAULT_LANGUAGE, DEFAULT_VOCABULARY, LANGUAGES, Words, choose_language, words

__all__ = ["DEFAULT_LANGUAGE", "DEFAULT_VOCABULARY", "LANGUAGES", "Words", "choose_language", "words"]
