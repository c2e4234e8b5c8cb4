"""`diff`: what changed between two rankings, and whether the evidence says it is real.

A ranking is read back from its JSON, so that last year's published file is enough to compare with.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, ClassVar, Literal, NamedTuple, get_args

from ..errors import InputError
from ..ranking.record import Record
from ..ranking.result import Ranking
from ..ranking.significance import holm
from ..results import Shown, counted
from .published import Published, published

Shared = Literal["none", "all"]
SHARED: tuple[Shared, ...] = get_args(Shared)
Verdict = Literal["rose", "fell", "not shown", "entered", "left", "not compared"]
Pairs = tuple[tuple[str, str], ...]

#: Parts of a record that say what was ranked, and those that say how ranges were made: neither changes the scale.
_DATA = ("seed", "systems", "judgments", "data", "dropped")
_RANGES = ("unit", "resamples", "p", "sided", "largest_component", "version")
#: Models whose scores move together, if at all, when others enter the field: differences of strength stay.
_FIELD_FREE = ("bradley-terry",)
#: A score that no sample changed has no error to speak of; rankings write none (as of a system that won everything).
_NO_ERROR = 1e-9


@dataclass(frozen=True)
class SystemChange:
    """One system, before and after.

    ``change`` is the difference of scores, ``interval`` its interval, and ``p`` how likely chance alone gives as much
    for any of the systems (adjusted after Holm 1979). All three are None where scores cannot be compared.
    """

    system: str
    verdict: Verdict
    old_rank: int | None
    new_rank: int | None
    old_range: tuple[int, int] | None
    new_range: tuple[int, int] | None
    change: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None


@dataclass(frozen=True)
class Reversal:
    """Two systems whose order both rankings support, the other way round; shares are P(above stands above below)."""

    above: str
    below: str
    old: float
    new: float


@dataclass(frozen=True)
class Changes(Shown):
    """Everything that changed between two rankings.

    ``told_apart`` are pairs that stand in different clusters only in the new ranking, ``merged`` only in the old one,
    ``turned`` in both but the other way round, the better system (for ``turned``, of the new ranking) first;
    ``settings`` what was done differently, as (old, new).
    """

    shown_by: ClassVar[str] = "diff"

    systems: tuple[SystemChange, ...]
    reversals: tuple[Reversal, ...]
    told_apart: Pairs
    merged: Pairs
    turned: Pairs
    settings: Mapping[str, tuple[str | None, str | None]]
    judgments: tuple[int, int]
    notes: tuple[str, ...]
    record: Record

    def __repr__(self) -> str:
        moved, turned = len(self.real), counted(len(self.reversals), "reversal")
        return self._line(f"{counted(len(self.systems), 'system')}, {moved} rose or fell, {turned}")

    @property
    def signature(self) -> str:
        """How this was made, in one line."""
        return str(self.record)

    @property
    def real(self) -> tuple[SystemChange, ...]:
        """The changes of score that chance does not explain."""
        return tuple(change for change in self.systems if change.verdict in ("rose", "fell"))

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        content = {name: value for name, value in asdict(self).items() if name != "record"}
        return {**content, "signature": self.signature, "record": self.record.to_dict()}


def diff(
    old: Ranking | Mapping[str, Any] | Published,
    new: Ranking | Mapping[str, Any] | Published,
    *,
    shared: Shared = "none",
    p: float = 0.05,
) -> Changes:
    """Compare two rankings made in the same way from other judgments, or from the same judgments in another way.

    Parameters
    ----------
    old, new
        Rankings, or their documented JSON shape (`Ranking.to_dict`).
    shared
        ``none``: the two were made from different judgments; ``all``: the larger set contains the smaller one, as when
        a campaign goes on. With ``none``, a campaign that grew gets intervals that are too wide, never too narrow.
    p
        Chance gives a verdict for any system at most this often; 1 − p is the level of intervals.
    """
    if shared not in SHARED:
        raise InputError(f"shared: got {shared!r}; allowed: none, all")
    if not 0 < p < 1:
        raise InputError(f"p: got {p}; allowed: between 0 and 1, e.g. 0.05")
    before = old if isinstance(old, Published) else published(old)
    after = new if isinstance(new, Published) else published(new)
    settings = _settings(before, after)
    obstacle = _obstacle(before, after, settings)
    changes = {} if obstacle else _score_changes(before, after, _overlap(before, after) if shared == "all" else 0.0, p)
    apart_then, apart_now = _apart(before, after), _apart(after, before)
    return Changes(
        systems=tuple(_change(name, before, after, changes.get(name), p) for name in {**after.lines, **before.lines}),
        reversals=_reversals(before, after, p),
        told_apart=tuple(pair for pair in apart_now if not {pair, pair[::-1]} & apart_then.keys()),
        merged=tuple(pair for pair in apart_then if not {pair, pair[::-1]} & apart_now.keys()),
        turned=tuple(pair for pair in apart_now if pair[::-1] in apart_then),
        settings={**settings, **_reading(before, after)},
        judgments=(before.judgments, after.judgments),
        notes=(obstacle,) if obstacle else _notes(before, after, shared),
        record=Record.of({"old": before.data, "new": after.data, "shared": shared, "p": p}),
    )


def _settings(old: Published, new: Published) -> dict[str, tuple[str | None, str | None]]:
    """What the records say differently of how the rankings were made."""
    was, now = old.record.texts(), new.record.texts()
    both = {name: (was.get(name), now.get(name)) for name in {**was, **now} if name not in _DATA}
    changed = {name: pair for name, pair in both.items() if pair[0] != pair[1]}
    if "model" in changed:  # its settings are its own
        changed = {name: pair for name, pair in changed.items() if name in ("model", *_RANGES)}
    return changed


def _reading(old: Published, new: Published) -> dict[str, tuple[str | None, str | None]]:
    """What the records say differently of how files were read and which of their judgments were kept."""
    was, now = ({**(i.get("reading") or {}), **(i.get("selection") or {})} for i in (old.input, new.input))
    texts = {name: tuple(_option_text(made.get(name)) for made in (was, now)) for name in {**was, **now}}
    return {name: (before, after) for name, (before, after) in texts.items() if before != after}


def _option_text(value: Any) -> str | None:
    """An option as a person would write it."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={part}" for name, part in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else None if value is None else str(value)


def _obstacle(old: Published, new: Published, settings: Mapping[str, Any]) -> str | None:
    """Why scores cannot be compared, if they cannot."""
    if old.data is not None and old.data == new.data:
        return "the same judgments: what differs comes from how they were scored, not from evidence"
    if scale := [name for name in settings if name not in _RANGES]:
        return f"scores are on different scales ({', '.join(scale)} changed), so only ranks are compared"
    common = _common(new, old)
    if not common:
        return "no system is in both rankings"
    if set(old.lines) != set(new.lines) and (model := new.record.model) not in _FIELD_FREE:
        return (
            f"systems entered or left, and scores of {model} depend on which systems take part: only ranks are compared"
        )
    if any(all(ranking.lines[name].error is None for name in common) for ranking in (old, new)):
        return "a ranking made without resampling has no standard errors, so only ranks are compared"
    return None


def _unvarying(old: Published, new: Published) -> set[str]:
    """Systems without an error of the score in one of the rankings, though it is no anchor."""
    anchored = (new.anchor or "").partition("=")[0]
    names = [name for name in _common(new, old) if name != anchored]
    return {name for name in names if any((r.lines[name].error or 0.0) <= _NO_ERROR for r in (old, new))}


def _notes(old: Published, new: Published, shared: Shared) -> tuple[str, ...]:
    notes = []
    if set(old.lines) != set(new.lines):
        notes.append("systems entered or left, so scores are compared around the mean of those in both")
    if unknown := sorted(_unvarying(old, new)):
        around = "; the others are compared around their own mean" if _moves(old, new) else ""
        notes.append(
            f"not compared, because one ranking has no error of the score, as when a system wins everything: "
            f"{', '.join(unknown)}{around}"
        )
    if len(only := _compared(old, new)) == 1 and _moves(old, new):
        notes.append(f"not compared, because there is no other system to see its score from: {only[0]}")
    if shared == "none":
        notes.append(
            "taken as two separate sets of judgments; if one contains the other, --shared all gives narrower intervals"
        )
    return tuple(notes)


class ScoreChange(NamedTuple):
    """The change of a score, its interval, and its p-value, adjusted over the systems."""

    change: float
    interval: tuple[float, float]
    p: float


def _score_changes(old: Published, new: Published, overlap: float, p: float) -> dict[str, ScoreChange]:
    """The change of score of every system in both, with its interval and adjusted p-value."""
    from scipy.special import ndtr, ndtri

    names = _compared(old, new)
    if len(names) < 2 and _moves(old, new):
        return {}
    shift, width = _shift(old, new), float(ndtri(1 - p / 2))
    moved, errors = [], []
    for name in names:
        before, after = old.lines[name], new.lines[name]
        a, b = before.error or 0.0, after.error or 0.0
        moved.append(after.score - before.score - shift)
        # The formula takes for granted that the campaign grew evenly; where it did not, this bounds the error.
        least = abs(a * a - b * b) if overlap else 0.0
        errors.append(math.sqrt(max(a * a + b * b - 2 * overlap * a * b, least)))
    # An anchored system has no error, and no change either.
    chance = [2 * float(ndtr(-abs(m) / e)) if e > _NO_ERROR else 1.0 for m, e in zip(moved, errors, strict=True)]
    return {
        name: ScoreChange(m, (m - width * e, m + width * e), c)
        for name, m, e, c in zip(names, moved, errors, holm(chance), strict=True)
    }


def _overlap(old: Published, new: Published) -> float:
    """The correlation of two means of which one is over a part of the judgments of the other."""
    fewer, more = sorted([old.judgments, new.judgments])
    return math.sqrt(fewer / more)


def _compared(old: Published, new: Published) -> list[str]:
    """The systems whose scores are compared."""
    unknown = _unvarying(old, new)
    return [name for name in _common(new, old) if name not in unknown]


def _moves(old: Published, new: Published) -> bool:
    """Whether systems that are not compared move the scores of those that are; an anchor holds the scale in place.

    Scores of Bradley–Terry are around the mean of all: if one that won everything falls, the others rise by that alone.
    """
    compared = set(_compared(old, new))
    return new.anchor is None and new.record.model in _FIELD_FREE and any(compared != set(r.lines) for r in (old, new))


def _shift(old: Published, new: Published) -> float:
    """By how much the scale moved because of systems that are not compared."""
    if not _moves(old, new):
        return 0.0
    names = _compared(old, new)
    return sum(new.lines[name].score - old.lines[name].score for name in names) / len(names)


def _change(name: str, old: Published, new: Published, moved: ScoreChange | None, p: float) -> SystemChange:
    before, after = old.lines.get(name), new.lines.get(name)
    verdict: Verdict = "not compared"
    if before is None or after is None:
        verdict = "entered" if before is None else "left"
    elif moved is not None:
        verdict = "not shown" if moved.p > p else "rose" if moved.change > 0 else "fell"
    return SystemChange(
        system=name,
        verdict=verdict,
        old_rank=before.rank if before else None,
        new_rank=after.rank if after else None,
        old_range=before.range if before else None,
        new_range=after.range if after else None,
        change=moved.change if moved else None,
        interval=moved.interval if moved else None,
        p=moved.p if moved else None,
    )


def _reversals(old: Published, new: Published, p: float) -> tuple[Reversal, ...]:
    """Pairs whose order both rankings support, the other way round: true at level p whatever the two share."""
    if old.better is None or new.better is None:
        return ()
    reversals = []
    for above, below in combinations(_common(old, new), 2):
        was, now = old.probability(above, below), new.probability(above, below)
        if was is not None and now is not None and was >= 1 - p / 2 and now <= p / 2:
            reversals.append(Reversal(above, below, was, now))
    return tuple(reversals)


def _apart(ranking: Published, other: Published) -> dict[tuple[str, str], None]:
    """Pairs in different clusters, among the systems that both rankings put into clusters: a set, in order."""
    cluster = {name: ranking.lines[name].cluster or 0 for name in _common(ranking, other)}
    if any(line.cluster is None for r in (ranking, other) for line in r.lines.values()):
        return {}
    return {(a, b): None for a in cluster for b in cluster if cluster[a] < cluster[b]}


def _common(ranking: Published, other: Published) -> list[str]:
    """The systems in both, in the order of the first."""
    return [name for name in ranking.lines if name in other.lines]
