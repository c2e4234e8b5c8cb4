"""`diff`: what changed between two rankings, and whether the evidence says it is real.

A ranking is read back from its JSON, so that last year's published file is enough to compare with.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from ..errors import InputError
from ..judgments import FEW_UNITS
from ..ranking.record import Record
from ..ranking.result import Ranking
from ..results import Shown, counted
from .published import Published, published
from .score_changes import (
    FIELD_FREE,
    ScoreChange,
    common,
    compared,
    errors_of_differences,
    moves,
    score_changes,
    unvarying,
)

Shared = Literal["none", "all"]
SHARED: tuple[Shared, ...] = get_args(Shared)
Judges = Literal["other", "same"]
JUDGES: tuple[Judges, ...] = get_args(Judges)
ClusterKind = Literal["joint", "marginal"]
Verdict = Literal["rose", "fell", "not shown", "entered", "left", "not compared"]
Pairs = tuple[tuple[str, str], ...]

#: Parts of a record that say what was ranked, and those that say how ranges were made: neither changes the scale.
_DATA = ("seed", "systems", "judgments", "data", "dropped")
_RANGES = ("unit", "resamples", "p", "sided", "largest_component", "version")
#: With fewer judges, a change of the systems cannot be told from a change of judges.
_FEW_JUDGES = 5
#: Units whose errors allow for other judges.
_BY_JUDGE = ("judge", "two-way")


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
    ``clusters`` says whether these are ``joint`` clusters, whose boundaries hold together (where both rankings have
    them), or ``marginal``. ``kendall_tau`` is τ-b between the two orders of the ``common`` systems, None where it is
    not defined; ``settings`` what was done differently, as (old, new).
    """

    shown_by: ClassVar[str] = "diff"

    systems: tuple[SystemChange, ...]
    reversals: tuple[Reversal, ...]
    told_apart: Pairs
    merged: Pairs
    turned: Pairs
    clusters: ClusterKind
    kendall_tau: float | None
    common: int
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
    judges: Judges = "other",
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
    judges
        ``other``: other people may have judged. Scores are then compared only where errors allow for that: by units
        ``two-way`` or ``judge`` with at least five judges. ``same``: the same people judged both, and a change is one
        for them.
    p
        Chance gives a verdict for any system at most this often; 1 − p is the level of intervals.
    """
    if shared not in SHARED:
        raise InputError(f"shared: got {shared!r}; allowed: none, all")
    if judges not in JUDGES:
        raise InputError(f"judges: got {judges!r}; allowed: other, same")
    if not 0 < p < 1:
        raise InputError(f"p: got {p}; allowed: between 0 and 1, e.g. 0.05")
    before = old if isinstance(old, Published) else published(old)
    after = new if isinstance(new, Published) else published(new)
    settings = _settings(before, after)
    same_people = judges == "same" or (before.data is not None and before.data == after.data)
    people = None if same_people else _too_few_judges(before, after)
    obstacles = [obstacle for obstacle in (_obstacle(before, after, settings), people) if obstacle]
    changes = {} if obstacles else score_changes(before, after, _overlap(before, after) if shared == "all" else 0.0, p)
    kind: ClusterKind = "joint" if before.joint_clusters and after.joint_clusters else "marginal"
    apart_then, apart_now = _apart(before, after, kind), _apart(after, before, kind)
    own = obstacles or _notes(before, after, shared, judges)
    return Changes(
        systems=tuple(_change(name, before, after, changes.get(name), p) for name in {**after.lines, **before.lines}),
        # What other judges would not repeat is no evidence of a reversal, either.
        reversals=() if people else _reversals(before, after, p),
        told_apart=tuple(pair for pair in apart_now if not {pair, pair[::-1]} & apart_then.keys()),
        merged=tuple(pair for pair in apart_then if not {pair, pair[::-1]} & apart_now.keys()),
        turned=tuple(pair for pair in apart_now if pair[::-1] in apart_then),
        clusters=kind,
        kendall_tau=_kendall_tau(before, after),
        common=len(common(after, before)),
        settings={**settings, **_reading(before, after)},
        judgments=(before.judgments, after.judgments),
        notes=(*own, *_passed_on(before, after)),
        record=Record.of(
            {
                "old": before.data,
                "new": after.data,
                "shared": shared,
                **({"judges": judges} if judges != "other" else {}),
                "p": p,
            }
        ),
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
    if not (names := common(new, old)):
        return "no system is in both rankings"
    if set(old.lines) != set(new.lines) and (model := new.record.model) not in FIELD_FREE:
        return (
            f"systems entered or left, and scores of {model} depend on which systems take part: only ranks are compared"
        )
    if any(all(ranking.lines[name].error is None for name in names) for ranking in (old, new)):
        return "a ranking made without resampling has no standard errors, so only ranks are compared"
    return None


def _too_few_judges(old: Published, new: Published) -> str | None:
    """Why a change of the systems cannot be told from a change of judges, if it cannot."""
    same = "if the same people judged both, say so with --judges same (judges='same' from Python)"
    for word, ranking in (("old", old), ("new", new)):
        if (judges := ranking.judges) is None:
            continue
        if judges < _FEW_JUDGES:
            return (
                f"the {word} ranking rests on {counted(judges, 'judge')}; with fewer than {_FEW_JUDGES}, a change of "
                f"the systems cannot be told from a change of judges, so only ranks are compared; {same}"
            )
        # However many they are: what matters is how much each of them judged.
        if ranking.unit is not None and ranking.unit not in _BY_JUDGE:
            return (
                f"the errors of the {word} ranking (unit {ranking.unit}) leave out how its {judges} judges differ, so "
                f"only ranks are compared; rank its judgments with --resample two-way, or {same}"
            )
    return None


def _notes_on_units(old: Published, new: Published, judges: Judges) -> list[str]:
    """What is not known of judges and segments, or not allowed for."""
    notes = []
    if judges == "same":
        notes.append("taken as judged by the same people: a change is one for them, and others might see none")
    elif unknown := _which(old, new, lambda ranking: ranking.judges is None):
        notes.append(
            f"how many people judged is unknown for {unknown}, so errors are taken as they are: where judges were "
            "few, they are too small and chance gives more verdicts than stated"
        )
    if few := _which(old, new, _leaves_out_few_segments):
        notes.append(
            f"the errors of {few} leave out how segments differ, of which there are fewer than {FEW_UNITS}, so a "
            "change may be one of segments; --resample two-way allows for them"
        )
    return notes


def _leaves_out_few_segments(ranking: Published) -> bool:
    segments = (ranking.units or {}).get("segment", FEW_UNITS)
    return segments < FEW_UNITS and ranking.unit not in ("segment", "two-way")


def _which(old: Published, new: Published, of_it: Callable[[Published], bool]) -> str | None:
    """The rankings that something is true of, in words."""
    true = of_it(old), of_it(new)
    return {(True, True): "both rankings", (True, False): "the old ranking", (False, True): "the new ranking"}.get(true)


def _notes(old: Published, new: Published, shared: Shared, judges: Judges) -> list[str]:
    notes = []
    if set(old.lines) != set(new.lines) and moves(old, new):
        notes.append("systems entered or left, so scores are compared around the mean of those in both")
    if unknown := sorted(unvarying(old, new)):
        around = "; the others are compared around their own mean" if moves(old, new) else ""
        notes.append(
            f"not compared, because one ranking has no error of the score, as when a system wins everything: "
            f"{', '.join(unknown)}{around}"
        )
    only = compared(old, new)
    if len(only) == 1 and moves(old, new):
        notes.append(f"not compared, because there is no other system to see its score from: {only[0]}")
    elif moves(old, new) and (off := _which(old, new, lambda ranking: not errors_of_differences(ranking, only))):
        notes.append(f"the standard errors of {off} are around the mean of another field, and so slightly off")
    notes += _notes_on_units(old, new, judges)
    if shared == "none":
        notes.append(
            "taken as two separate sets of judgments; if one contains the other, --shared all gives narrower intervals"
        )
    return notes


def _passed_on(old: Published, new: Published) -> list[str]:
    """The notes of the two rankings, once where they are the same."""
    both = [note for note in old.notes if note in new.notes]
    parts = {
        "old and new": both,
        "old": [note for note in old.notes if note not in both],
        "new": [note for note in new.notes if note not in both],
    }
    return [f"{word}: {note}" for word, notes in parts.items() for note in dict.fromkeys(notes)]


def _kendall_tau(old: Published, new: Published) -> float | None:
    """τ-b between the ranks of the systems in both (Kendall 1945), which allows for shared ranks."""
    names = common(new, old)
    first, second = np.triu_indices(len(names), 1)
    signs = []
    for ranking in (old, new):
        ranks = np.array([ranking.lines[name].rank for name in names])
        signs.append(np.sign(ranks[first] - ranks[second]))
    untied = math.sqrt(float(np.abs(signs[0]).sum()) * float(np.abs(signs[1]).sum()))
    return float((signs[0] * signs[1]).sum()) / untied if untied else None


def _overlap(old: Published, new: Published) -> float:
    """The correlation of two means of which one is over a part of the judgments of the other."""
    fewer, more = sorted([old.judgments, new.judgments])
    return math.sqrt(fewer / more)


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
    for above, below in combinations(common(old, new), 2):
        was, now = old.probability(above, below), new.probability(above, below)
        if was is not None and now is not None and was >= 1 - p / 2 and now <= p / 2:
            reversals.append(Reversal(above, below, was, now))
    return tuple(reversals)


def _apart(ranking: Published, other: Published, kind: ClusterKind) -> dict[tuple[str, str], None]:
    """Pairs in different clusters, among the systems that both rankings put into clusters: a set, in order."""
    cluster = {name: ranking.lines[name].cluster or 0 for name in common(ranking, other)}
    if kind == "joint" and ranking.joint_clusters is not None:
        cluster = {name: ranking.joint_clusters[name] for name in cluster}
    elif any(line.cluster is None for r in (ranking, other) for line in r.lines.values()):
        return {}
    return {(a, b): None for a in cluster for b in cluster if cluster[a] < cluster[b]}
