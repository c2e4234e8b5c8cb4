"""One result per language pair, and per value of ``--by``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import InputError
from ..judgments import Judgments
from ..report.tables import Group as Keys
from ..report.tables import group_title as title

__all__ = ["Group", "Keys", "explain", "groups", "title"]


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


def groups(judgments: Judgments, by: str | None) -> Iterator[Group]:
    """Split by language pair, then by ``by``."""
    for pair, part in judgments.split("lang_pair").items():
        if by in (None, "lang_pair"):
            yield Group(part, (("lang_pair", pair),))
        else:
            for value, subset in part.split(by).items():
                yield Group(subset, (("lang_pair", pair), (by, value)))
