"""A registry of named things that imports them only when they are used.

Listing what there is (for ``--help``, the documentation and the tests) reads the one-line summaries;
nothing heavy is imported until an entry is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from .errors import InputError


@dataclass(frozen=True)
class Entry:
    """Where a registered thing lives, and what to say about it."""

    target: str  # "package.module:attribute"
    summary: str


class Registry(Mapping[str, Entry]):
    """An ordered, read-only map from an id to an `Entry`."""

    def __init__(self, kind: str, entries: Mapping[str, Entry]) -> None:
        self.kind = kind
        self._entries = dict(entries)

    def __getitem__(self, key: str) -> Entry:
        try:
            return self._entries[key]
        except KeyError:
            raise InputError(self._unknown(key)) from None

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def load(self, key: str) -> Any:
        """Import and return what the entry points at."""
        module, _, attribute = self[key].target.partition(":")
        return getattr(import_module(module), attribute)

    def _unknown(self, key: str) -> str:
        close = get_close_matches(key, self._entries, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        return f"unknown {self.kind} {key!r}; known: {', '.join(self._entries)}{hint}"
