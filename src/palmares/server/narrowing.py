"""How rank ranges narrowed: a small picture for every system, and the same in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..campaign.boards import Board, Milestone
from .result_words import span_text

#: Units of the pictures: they are as wide as this, and a rank is so high.
WIDTH, RANK = 120.0, 4.0
#: So many moments are told in words.
_TOLD = 6


@dataclass(frozen=True)
class Course:
    """How one system's rank range went: the band and the line of a picture, its first and its present range."""

    system: str
    band: str
    line: str
    first: str
    now: str
    says: str


@dataclass(frozen=True)
class Narrowed:
    """The courses of all systems, best first; ``height`` of their pictures, judgments at the first and last moment.

    ``changes`` are the places (from 0 to ``WIDTH``) at which it changed who is left out.
    """

    courses: tuple[Course, ...]
    height: float
    first: int
    last: int
    changes: tuple[float, ...]


def narrowed(
    earlier: Sequence[Milestone], board: Board, ranking: Mapping[str, Any] | None, names: Mapping[str, str]
) -> Narrowed | None:
    """The way to the ranges of now; None if there is nothing before them."""
    if ranking is None or ranking["systems"][0]["range"] is None:
        return None
    now = {line["system"]: [*line["range"], line["rank"]] for line in ranking["systems"]}
    moments = [
        (each.judgments, each.left_out, each.body["systems"]) for each in earlier if each.version < board.version
    ]
    moments.append((ranking["judgments"], board.left_out, now))
    if len(moments) < 2:
        return None
    # By judgments, which grow but where somebody was left out: then the course goes on where it was.
    places: list[float] = []
    amounts = [amount for amount, _, _ in moments]
    span = float(max(amounts) - amounts[0])
    for amount in amounts:
        places.append(max(places[-1] if places else 0.0, WIDTH * (amount - amounts[0]) / span if span else WIDTH))
    changes = tuple(places[k] for k in range(1, len(moments)) if moments[k][1] != moments[k - 1][1])
    courses = tuple(_course(names[line["system"]], line["system"], places, moments) for line in ranking["systems"])
    return Narrowed(courses, RANK * len(now), moments[0][0], moments[-1][0], changes)


def _course(
    shown: str, system: str, places: Sequence[float], moments: Sequence[tuple[int, int, Mapping[str, Any]]]
) -> Course:
    known = [
        (place, amount, where[system])
        for place, (amount, _, where) in zip(places, moments, strict=True)
        if system in where and where[system][0] is not None
    ]
    upper, lower, line = [], [], []
    for number, (place, _, (low, high, rank, *_)) in enumerate(known):
        end = known[number + 1][0] if number + 1 < len(known) else WIDTH
        upper += [(place, RANK * (low - 1)), (end, RANK * (low - 1))]
        lower += [(place, RANK * high), (end, RANK * high)]
        line += [(place, RANK * (rank - 0.5)), (end, RANK * (rank - 0.5))]
    told = known if len(known) <= _TOLD else [known[k * (len(known) - 1) // (_TOLD - 1)] for k in range(_TOLD)]
    words = ", ".join(f"{span_text(where[:2])} after {amount:,} judgments" for _, amount, where in told)
    first, last = known[0][2], known[-1][2]
    return Course(
        shown, _points([*upper, *lower[::-1]]), _points(line), span_text(first[:2]), span_text(last[:2]), words
    )


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
