"""One result per language pair, and per value of ``--by``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import InputError
from ..judgments import Judgments

#: The value of every field that a table was split by.
Keys = tuple[tuple[str, str | None], ...]


@dataclass(frozen=True)
class Group:
    """Judgments that are ranked together, and the values they share."""

    judgments: Judgments
    keys: Keys

    def explain(self, error: InputError) -> InputError:
        """The same error, saying which group it is about."""
        return explain(error, self.keys)


def explain(error: InputError, keys: Keys) -> InputError:
    """The same error, saying which group it is about."""
    name = title(keys)
    return type(error)(f"{name}: {error}") if name else error


def title(keys: Keys) -> str | None:
    """``fr-en, judge turker_1``; None for a table that was not split."""
    parts = [value if name == "lang_pair" else f"{name} {value}" for name, value in keys if value is not None]
    return ", ".join(parts) or None


def groups(judgments: Judgments, by: str | None) -> Iterator[Group]:
    """Split by language pair, then by ``by``."""
    for pair, part in judgments.split("lang_pair").items():
        if by in (None, "lang_pair"):
            yield Group(part, (("lang_pair", pair),))
        else:
            for value, subset in part.split(by).items():
                yield Group(subset, (("lang_pair", pair), (by, value)))
