"""Judgments without the names of systems, judges and files, for drafts that go around before names may."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

import numpy as np
import polars as pl

from ..errors import InputError
from ..results import counted
from .origin import Origin
from .table import Judgments

#: Ways of reading that name nobody.
_HARMLESS = frozenset(("format", "encoding", "merged", "outcomes", "faults", "scores"))
#: Choices among judgments that name nobody.
_NAMELESS = frozenset(("forced_ties", "weigh"))


def anonymised(judgments: Judgments, order: Sequence[str]) -> Judgments:
    """The same judgments by ``System 1``, ``System 2``, …, with judges ``Judge 1``, ``Judge 2``, ….

    Systems are numbered as in a ranking, which says no more than the ranking does. Judges are numbered by how much they
    judged; those who judged as much by what they judged, which nobody can work out without the judgments. Old names are
    not kept anywhere: not in the origin, nor in its notes.

    Parameters
    ----------
    order
        All systems, best first.
    """
    if sorted(order) != sorted(judgments.systems):
        raise InputError("order: it must name every system once")
    renamed = judgments.with_origin(None).rename(dict(zip(order, numbered("System", len(order)), strict=True)))
    if judgments.judges:
        renamed = _with_judges(renamed, _by_work(renamed))
    if judgments.has("ranking"):  # whose ids may be made of names
        ids = pl.Series("ranking", numbered("ranking", len(renamed.names["ranking"])), dtype=pl.String)
        renamed = Judgments.from_codes(renamed.frame, {**renamed.names, "ranking": ids})
    return renamed.with_origin(
        judgments.origin and _nameless(judgments.origin, [*judgments.systems, *judgments.judges])
    )


def names_nobody(origin: Origin) -> bool:
    """Whether what is recorded of reading and choosing judgments may stand in a draft, but for the names of files."""
    return set(origin.reading) <= _HARMLESS and set(origin.selection) <= _NAMELESS


def numbered(word: str, count: int) -> list[str]:
    """``System 01`` to ``System 12``: sorted by name, they are in the order of their numbers."""
    return [f"{word} {number:0{len(str(count))}}" for number in range(1, count + 1)]


def _by_work(judgments: Judgments) -> list[int]:
    """The codes of judges, the busiest first."""
    codes = judgments.codes("judge")
    counts = np.bincount(codes[codes >= 0], minlength=len(judgments.judges))
    rows = judgments.to_rows().drop("judge").with_columns(pl.Series("judge", codes))
    content = {
        int(key[0]): sha256("\n".join(sorted(map(repr, part.drop("judge").rows()))).encode()).hexdigest()
        for key, part in rows.filter(pl.col("judge") >= 0).group_by("judge")
    }
    return sorted(range(len(counts)), key=lambda code: (-int(counts[code]), content.get(code, "")))


def _with_judges(judgments: Judgments, order: Sequence[int]) -> Judgments:
    """With other names for judges, by their codes in this order."""
    known = pl.Series("judge", numbered("Judge", len(order)), dtype=pl.String)
    place = np.empty(len(order), dtype=np.int32)
    place[list(order)] = np.arange(len(order))
    codes = judgments.codes("judge")
    new = np.where(codes >= 0, place[np.maximum(codes, 0)], codes).astype(np.int32)
    frame = judgments.frame.with_columns(pl.Series("judge", new))
    return Judgments.from_codes(frame, {**judgments.names, "judge": known}, judgments.origin)


def _nameless(origin: Origin, names: Sequence[str]) -> Origin:
    """Where judgments come from, by digests alone; without notes that name a system, a judge or a file.

    Not complete: the names that these judgments have cannot be had from the record.
    """
    named = [*names, *(source.name for source in origin.sources)]
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(named, key=len, reverse=True)))
    kept = [note for note in origin.notes if not pattern.search(note)]
    left = len(origin.notes) - len(kept)
    more = (
        [f"{counted(left, 'note')} on how the judgments were read left out here: there are names in it"] if left else []
    )
    return replace(
        origin,
        sources=tuple(replace(source, name=f"file {number}") for number, source in enumerate(origin.sources, 1)),
        reading={name: value for name, value in origin.reading.items() if name in _HARMLESS},
        selection={name: value for name, value in origin.selection.items() if name in _NAMELESS},
        notes=(*kept, *more),
        complete=False,
    )
