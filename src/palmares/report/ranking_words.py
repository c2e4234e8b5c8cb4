"""What a ranking says, in sentences: those of reports, and of results while people judge.

They are made of plain values, since servers do not load what computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

#: A sentence in pieces: words, and whether they are the name of a system, so that pages can set them off.
Pieces: TypeAlias = tuple[tuple[str, bool], ...]

#: So many systems are named in a sentence; of more, their number and the first ones.
NAMED = 4


#: Less likely systems are not named as the best.
_WORTH_A_WORD = 0.005


class Standing(NamedTuple):
    """What is known of a system: its probability of being the best, and whether its rank range begins at 1."""

    name: str
    best: float | None
    contends: bool


def headline(systems: Sequence[Standing], *, joint: bool) -> Pieces:
    """Who is best, as far as rank ranges show it; ``systems`` in the order of the ranking.

    ``joint``: the boundary below the first system holds together with all others.
    """
    first = [system for system in systems if system.contends]
    if len(first) == len(systems):
        return ((f"Any of the {len(first)} systems may be the best: the judgments do not tell which.", False),)
    if len(first) == 1:
        chance = _chance(first[0], "probability ")
        if joint:
            return ((first[0].name, True), (f" is the best system{chance}.", False))
        doubt = ": its lead holds by itself, not once all boundaries are tested together."
        return ((first[0].name, True), (f" is probably the best system{chance}{doubt}", False))
    leader = max(first, key=lambda system: system.best or 0.0)
    others = [system for system in first if system is not leader]
    if (leader.best or 0.0) >= 0.5 and len(first) <= NAMED:
        verb = "is" if len(others) == 1 else "are"
        told = ((leader.name, True), (f" is probably the best system{_chance(leader, 'probability ')}; ", False))
        return (*told, *names_of(others), (f" {verb} not ruled out.", False))
    return (*names_of(first), (" may each be the best: the judgments do not tell which.", False))


def names_of(systems: Sequence[Standing]) -> Pieces:
    """``A (60 %)``, ``A (60 %) and B (40 %)``, or ``6 systems (A, B, C, D, …)``."""
    if len(systems) > NAMED:
        inner = [piece for system in systems[:NAMED] for piece in ((system.name, True), (", ", False))]
        return ((f"{len(systems)} systems (", False), *inner, ("…)", False))
    pieces: list[tuple[str, bool]] = []
    for number, system in enumerate(systems, 1):
        between = "" if number == 1 else " and " if number == len(systems) else ", "
        pieces += [(between, False), (system.name, True), (_chance(system), False)]
    return tuple(piece for piece in pieces if piece[0])


def chances(systems: Sequence[Standing]) -> Pieces:
    """P(best) of the likeliest; nothing if the headline has all that may be it."""
    contending = sum(system.contends for system in systems)
    if contending <= NAMED and contending < len(systems):
        return ()
    likely = [system for system in systems if (system.best or 0.0) >= _WORTH_A_WORD]
    if not likely:
        return ()
    pieces: list[tuple[str, bool]] = [("Probability of being the best: ", False)]
    for number, system in enumerate(sorted(likely, key=lambda system: -(system.best or 0.0))[:NAMED]):
        pieces += [(", ", False)] * (number > 0) + [(system.name, True), (_chance(system), False)]
    return (*pieces, (".", False))


def apart(separated: int, pairs: int, boundaries: Sequence[bool], level: str) -> str:
    """How far the systems are told apart; of each boundary between clusters, whether it holds jointly with all."""
    plural = "" if pairs == 1 else "s"
    said = f"{separated:,} of {pairs:,} pair{plural} of systems {'is' if separated == 1 else 'are'} separated"
    if not boundaries:
        return f"{said}, but no boundary divides all systems above it from all below ({level} rank ranges)."
    joint, left = sum(boundaries), len(boundaries) - sum(boundaries)
    if len(boundaries) == 1:
        return f"{said}. The boundary between 2 clusters holds {'' if joint else 'only by itself '}({level})."
    between = f"{said}. Of the {len(boundaries)} boundaries between {len(boundaries) + 1} clusters, "
    if not left:
        return f"{between}all hold jointly ({level})."
    if not joint:
        return f"{between}none holds jointly with the others, each only by itself ({level})."
    selves = "itself" if left == 1 else "themselves"
    return f"{between}{joint} {'holds' if joint == 1 else 'hold'} jointly, {left} only by {selves} ({level})."


def percent(share: float | None) -> str:
    """``86 %``; never 0 or 100, which no sample can show."""
    if share is None:
        return "–"
    if share < 0.005:
        return "< 1 %"
    return "> 99 %" if share >= 0.995 else f"{100 * share:.0f} %"


def _chance(system: Standing, word: str = "") -> str:
    return "" if system.best is None else f" ({word}{percent(system.best)})"
