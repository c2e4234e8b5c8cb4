"""Results in words, from what the analysis has stored: the sentences of a report (`report.document`), without numerics.

Everything takes a table of what systems are called before this reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import Any

from ..report import ranking_words as words

#: A sentence in pieces: words, and whether they are the name of a system.
Sentence = tuple[tuple[str, bool], ...]
Names = Mapping[str, str]

#: Beyond the horizon with such a chance is said to be out of reach.
_HOPELESS = 0.9
#: Landis & Koch's words for κ are .2 wide: an interval that is wider than two of them has none.
_WIDE = 0.4


def headline(ranking: Mapping[str, Any], names: Names) -> Sentence:
    """Who is ahead, as far as the judgments show it."""
    if not is_ranged(ranking):
        why = " has the highest score; how sure that is is not known yet."
        return ((names[ranking["systems"][0]["system"]], True), (why, False))
    return words.headline(_standings(ranking, names), joint=ranking["boundaries"][0]["joint"])


def _standings(ranking: Mapping[str, Any], names: Names) -> list[words.Standing]:
    first = set(contenders(ranking))
    lines = ranking["systems"]
    return [words.Standing(names[line["system"]], line["best"], line["system"] in first) for line in lines]


def is_ranged(ranking: Mapping[str, Any]) -> bool:
    """Whether systems have rank ranges."""
    return ranking["systems"][0]["range"] is not None


def contenders(ranking: Mapping[str, Any]) -> list[str]:
    """The systems whose rank range begins at 1; without ranges, the first."""
    lines = ranking["systems"]
    if not is_ranged(ranking):
        return [lines[0]["system"]]
    return [line["system"] for line in lines if line["range"][0] == 1]


def sureness(ranking: Mapping[str, Any], names: Names) -> list[Sentence]:
    """How sure the first place is, and how far the systems are told apart."""
    likely = words.chances(_standings(ranking, names)) if is_ranged(ranking) else ()
    return [*([likely] if likely else []), *([((_apart(ranking), False),)] if is_ranged(ranking) else [])]


def _apart(ranking: Mapping[str, Any]) -> str:
    ranges, level = [line["range"] for line in ranking["systems"]], level_text(ranking["p"])
    pairs = [(a, b) for place, a in enumerate(ranges) for b in ranges[place + 1 :]]
    separated = sum(a[1] < b[0] or b[1] < a[0] for a, b in pairs)
    begun = [boundary["joint"] for boundary in ranking["boundaries"] if boundary["marginal"]]
    return words.apart(separated, len(pairs), begun, level)


def legend(ranking: Mapping[str, Any]) -> str:
    """What the lines between systems stand for; empty where there is none."""
    share = f"{100 * ranking['p']:g} %"
    always = ", at every look" if ranking.get("looks") == "any" else ""
    joint = sum(boundary["joint"] for boundary in ranking["boundaries"])
    alone = sum(boundary["marginal"] for boundary in ranking["boundaries"]) - joint
    solid = f"Solid lines hold jointly{always} ({share} chance that any is wrong)"
    # The page invites to look again and again, and to stop when it pleases: then a line for one look is not enough.
    once = " They are made for one look: before you stop because of them, see below what holds at every look."
    hint = "" if always else once
    if joint and alone:
        return f"{solid}, dashed lines only each by itself.{hint}"
    return f"{solid}.{hint}" if joint else f"Dashed lines hold only each by itself, not jointly.{hint}" if alone else ""


# -- what lies ahead -----------------------------------------------------------------------------------


def forecast_rows(forecast: Mapping[str, Any], names: Names) -> list[tuple[str, str, str]]:
    """For the target, and each open boundary, the nearest first: what is to be shown, and how many more it takes.

    The last word is how many more of other judges on other segments; empty where that is the same.
    """
    others = forecast["others"] or {"boundaries": [None] * len(forecast["boundaries"]), "target": None}
    both = sorted(zip(forecast["boundaries"], others["boundaries"], strict=True), key=lambda pair: _nearness(*pair))
    rows = [(f"separate {names[need['above']]} from {names[need['below']]}", need, other) for need, other in both]
    if forecast["target"] is not None:
        rows.insert(0, (forecast["target"]["aim"] or "the target is met", forecast["target"], others["target"]))
    return [(what, _amount(need, forecast), _amount(other, forecast) if other else "") for what, need, other in rows]


def forecast_head(forecast: Mapping[str, Any]) -> str:
    """What a forecast assumes."""
    level, horizon = f"{100 * forecast['level']:g} %", rounded(forecast["horizon"])
    return (
        "About how many more judgments it takes until a boundary holds at every look, if comparisons are chosen as so "
        f"far ({level} intervals; looked ahead: {horizon} more judgments)."
    )


def _amount(need: Mapping[str, Any], forecast: Mapping[str, Any]) -> str:
    """``180 (90–410)``; what lies beyond the horizon is not named."""
    median, low, high = need["median"], need["low"], need["high"]
    beyond = f"more than {rounded(forecast['horizon'])}"
    if median == 0:
        return "none"
    if median is None and need["never"] > _HOPELESS:
        return "never"
    if low is None:
        return beyond
    ends = f"{rounded(low)} to {beyond}" if high is None else f"{rounded(low)}–{rounded(high)}"
    return f"{beyond if median is None else rounded(median)} ({ends})"


def _nearness(need: Mapping[str, Any], other: Mapping[str, Any] | None) -> tuple[float, float, float]:
    far = float("inf")
    beyond = far if other is None or other["median"] is None else other["median"]
    return far if need["median"] is None else need["median"], need["never"], beyond


def rounded(value: float) -> str:
    """To two digits, which is more than a forecast knows."""
    digits = 1 - floor(log10(max(value, 1)))
    return f"{max(round(value, digits), 1):,.0f}"


# -- agreement -----------------------------------------------------------------------------------------


def agreed(agreement: Mapping[str, Any]) -> str:
    """κ between judges and of judges with themselves."""
    inter, intra = _kappa(agreement["inter"]), _kappa(agreement["intra"])
    if inter is None and intra is None:
        return "How far judges agree is not known: nothing was judged twice."
    between = f"Judges agree with each other at {inter}" if inter else "No two judges judged the same"
    own = f"with themselves at {intra}" if intra else "and nobody judged anything twice"
    return f"{between}, {own}."


def _kappa(kappa: Mapping[str, Any]) -> str | None:
    """``κ = 0.326 [0.205, 0.429], “fair”``; without the word where the interval allows almost any."""
    if kappa["kappa"] is None:
        return None
    span = kappa["interval"]
    wide = span is None or span[1] - span[0] > _WIDE
    word = f", “{kappa['band']}”" if kappa["band"] and not wide else ""
    return f"κ = {score(kappa['kappa'])}{f' {interval(span)}' if span else ''}{word}"


# -- numbers -------------------------------------------------------------------------------------------


def score(value: float | None, digits: int | None = None) -> str:
    """Three decimals, one where a score is in the hundreds, and a real minus sign."""
    if value is None:
        return "–"
    places = digits if digits is not None else 1 if abs(value) >= 100 else 3
    return f"{round(value, places) + 0.0:.{places}f}".replace("-", "−")


def interval(span: Sequence[float] | None, digits: int | None = None) -> str:
    return "–" if span is None else f"[{score(span[0], digits)}, {score(span[1], digits)}]"


def span_text(span: Sequence[int] | None) -> str:
    """``3–5``, or ``3`` where both ends are the same."""
    if span is None:
        return "–"
    return str(span[0]) if span[0] == span[1] else f"{span[0]}–{span[1]}"


def level_text(p: float) -> str:
    """``95 %`` for p = .05."""
    return f"{100 * (1 - p):g} %"


def counted(number: int, what: str) -> str:
    """``1 answer``, ``1,200 answers``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
