"""Which attributes of an Appraise item name the segment that was judged.

``src-id`` is the id of the source segment. Where it is missing, an item has the id that it had in the task, which may
number the segments of a document (``doc-id``) or the tasks of a HIT (``hit-id``), or nothing at all. What is the same
on every item names nothing, nor does what one judge met again and again.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from .columns import name_values
from .names import UNKNOWN, without

#: A judge who met the same segment more often than this on average did not meet a segment but a set of them. Repeats
#: for the agreement of judges with themselves stay far below.
_MOST_MEETINGS = 1.5


@dataclass(frozen=True)
class NamedBy:
    """The attributes that together name a segment (none: there are none that do), and what is to be said of it."""

    attributes: tuple[str, ...]
    note: str | None = None


def named_by(items: pl.DataFrame, judge: str | None) -> NamedBy:
    """Choose among the attributes of items (one row an item), given the attribute that names the judge."""
    known = _Known(items, judge)
    if known.varies("src-id"):
        return NamedBy(("src-id",))
    if known.is_place_in_hit():
        return NamedBy(
            ("hit-id", "id"), "segments are named by 'hit-id' and 'id' together, since 'id' is a place in a HIT"
        )
    chosen = _of_document(known)
    if chosen.attributes and known.crowded(*chosen.attributes):
        chosen = NamedBy(())
    if chosen.attributes:
        return chosen
    if "src-id" in known.values:
        return NamedBy(("src-id",))
    constant = next((a for a in ("doc-id", "id") if a in known.values and not known.crowded(a)), None)
    if constant is not None:
        return NamedBy((constant,))
    tried = [repr(a) for a in ("src-id", "doc-id", "id") if a in items.columns]
    missing = f"no attribute tells segments apart ({', '.join(tried)}); name one with --column segment=NAME"
    return NamedBy((), missing if tried and items.height > 1 else None)


def _of_document(known: _Known) -> NamedBy:
    """By the id of the item, the document, or both."""
    together = "segments are named by 'doc-id' and 'id' together"
    if known.varies("id") and known.varies("doc-id"):
        if known.differs_everywhere("id") and not known.differs_everywhere("doc-id") and not known.crowded("doc-id"):
            return NamedBy(("doc-id",), "segments are named by 'doc-id', since 'id' is another one on every item")
        if known.tells("doc-id", "id"):
            return NamedBy(("doc-id",))
        if known.tells("id", "doc-id"):
            return NamedBy(("id",), "segments are named by 'id', each of which has one 'doc-id'")
        return NamedBy(("doc-id", "id"), together)
    if known.varies("id"):
        nothing = known.says_nothing("doc-id")
        return NamedBy(("id",), nothing and f"segments are named by 'id', since 'doc-id' {nothing}")
    return NamedBy(("doc-id",)) if known.varies("doc-id") else NamedBy(())


class _Known:
    """What the attributes of items say, words for nothing left out."""

    def __init__(self, items: pl.DataFrame, judge: str | None) -> None:
        self.items = items
        names = {a: without(name_values(items, a), UNKNOWN) for a in _LOOKED_AT if a in items.columns}
        self.values = {a: names for a, names in names.items() if names.null_count() < len(names)}
        self.judges = None if judge is None else without(name_values(items, judge), UNKNOWN).alias("judge")

    def varies(self, attribute: str) -> bool:
        return attribute in self.values and self.values[attribute].drop_nulls().n_unique() > 1

    def differs_everywhere(self, attribute: str) -> bool:
        return self.values[attribute].n_unique() == self.items.height

    def tells(self, attribute: str, other: str) -> bool:
        """Whether items that agree in one attribute agree in the other."""
        both = pl.DataFrame([self.values[attribute].alias("one"), self.values[other].alias("other")]).unique()
        return both["one"].n_unique() == both.height

    def says_nothing(self, attribute: str) -> str | None:
        """In words, that an attribute is there and is always the same."""
        if attribute not in self.items.columns or self.varies(attribute):
            return None
        first = next((text for text in self.items[attribute] if text), "")
        return f"is {first!r} everywhere" if first else "is empty"

    def crowded(self, *attributes: str) -> bool:
        """Whether judges met the same thing again and again; if they are not known, whether it is always the same."""
        named = pl.DataFrame([self.values[a].alias(a) for a in attributes])
        if self.judges is None or self.judges.null_count() == len(self.judges):
            return named.height > 1 and named.unique().height == 1
        met = named.with_columns(self.judges).drop_nulls()
        return met.height > _MOST_MEETINGS * met.unique().height

    def is_place_in_hit(self) -> bool:
        """Whether ids count the tasks of every HIT from 0 or 1."""
        if not (self.varies("hit-id") and "id" in self.values):
            return False
        both = pl.DataFrame([self.values["hit-id"].alias("hit"), self.values["id"].alias("id")]).unique()
        most = both.group_by("hit").len()["len"].max()
        ids = set(both["id"].drop_nulls())
        return len(ids) == most and ids in ({str(n + first) for n in range(len(ids))} for first in (0, 1))


_LOOKED_AT = ("src-id", "doc-id", "id", "hit-id")
