"""What a check of an audit found, and how an audit writes numbers and lists of names in its sentences."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...ranking.significance import holm

Interval = tuple[float, float]
#: What is narrower varied by rounding only.
_LEAST_WIDTH = 1e-9


@dataclass(frozen=True)
class Subject:
    """One of those that a check looked at: a judge, a pair, a system, a place."""

    name: str
    effect: float | None = None
    interval: Interval | None = None
    p: float | None = None
    detail: str = ""


@dataclass(frozen=True)
class Power:
    """How likely a check would find a fault of a stated size in a campaign like this one, if nothing else is wrong."""

    alternative: str
    probability: float


@dataclass(frozen=True)
class Finding:
    """The answer to one question about a ranking.

    Attributes
    ----------
    check
        Its id in `palmares.analysis.audit.CHECKS`.
    sentence
        The answer in words; why it could not be given, where the check was skipped.
    test, p
        Name of the test and its p-value, already adjusted for the number of judges, pairs or systems that the check
        looked at; None where the answer is a plain fact.
    adjusted
        The p-value adjusted (Holm 1979) for the number of checks of the audit.
    effect, effect_name, interval
        How large it is, in what, and between which bounds it may lie; no bounds where nothing varied.
    material
        Whether the effect is large enough to matter, for checks that set such a limit.
    flagged
        Significant at the audit's level, and material.
    subjects
        The judges, pairs or systems behind it, the most remarkable first.
    skipped
        Why the check could not be made, or None.
    power
        How likely the check would have found a fault of a stated size, at the level that is left to it after correction
        over checks; None where it was skipped, or finds what there is for sure.
    if_flagged
        The sentence of a check that says more where it is flagged, which depends on the other checks: what it then
        says of its first subject. Significant others are added to it. Not a part of the JSON.
    powered
        Gives the power, once it is known which level is left to the check. Not a part of the JSON.
    """

    check: str
    sentence: str
    test: str | None = None
    p: float | None = None
    adjusted: float | None = None
    effect: float | None = None
    effect_name: str = ""
    interval: Interval | None = None
    material: bool = True
    flagged: bool = False
    subjects: tuple[Subject, ...] = field(default=(), repr=False)
    skipped: str | None = None
    power: Power | None = None
    if_flagged: str | None = field(default=None, repr=False)
    powered: Callable[[float], Power | None] | None = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        inner = ("if_flagged", "powered")
        return {name: plain(value) for name, value in dataclasses.asdict(self).items() if name not in inner}


def skipped(check: str, reason: str) -> Finding:
    """A check that these judgments do not allow."""
    return Finding(check, f"not checked: {reason}", skipped=reason)


def corrected(findings: Sequence[Finding], p: float) -> tuple[Finding, ...]:
    """The findings with p-values adjusted for how many there are, flags, the sentences that flags change, and power."""
    tests = [finding.p for finding in findings if finding.p is not None]
    adjusted = iter(holm(tests))
    # A fault that is the only one must be found at the first step of Holm's correction.
    powered = [_powered(finding, p / max(len(tests), 1)) for finding in findings]
    return tuple(
        finding if finding.p is None else _judged(replace(finding, adjusted=next(adjusted)), p) for finding in powered
    )


def _powered(finding: Finding, level: float) -> Finding:
    power = None if finding.powered is None else finding.powered(level)
    return replace(finding, power=power, powered=None)


def _judged(finding: Finding, p: float) -> Finding:
    assert finding.p is not None  # `corrected` passes only findings of tests
    assert finding.adjusted is not None
    # A fact that a check found beside its test is flagged already.
    flagged = finding.flagged or (finding.adjusted <= p and finding.material)
    if not flagged or finding.if_flagged is None:
        return replace(finding, flagged=flagged)
    # The correction over checks that the finding as a whole has passed decides who else is named.
    level = p * finding.p / finding.adjusted
    named = [s.name for s in finding.subjects[1:] if s.p is not None and s.p <= level]
    others = f"; so do{'es' * (len(named) == 1)} {some(named)}" if named else ""
    return replace(finding, flagged=True, sentence=finding.if_flagged + others)


def around(value: float, reach: float) -> Interval | None:
    """``value`` ± ``reach``; None where nothing varied, which does not make the value certain."""
    return with_width(value - reach, value + reach)


def with_width(low: float, high: float) -> Interval | None:
    """Both bounds, if they differ."""
    return (low, high) if high - low > _LEAST_WIDTH else None


def plain(value: Any) -> Any:
    """Tuples as lists, and numbers that JSON does not know as None."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not (abs(value) < float("inf")):
        return None
    return value


# -- words --------------------------------------------------------------------------------------------

_SHOWN = 3


def decimals(value: float, digits: int = 2) -> str:
    """``.21``, ``−.07``, ``1.30``."""
    text = f"{abs(value):.{digits}f}"
    sign = "−" if value < 0 and float(text) else ""
    return sign + (text.removeprefix("0") if digits else text)


def span(interval: Interval, digits: int = 2) -> str:
    """``.12 to .30``."""
    return f"{decimals(interval[0], digits)} to {decimals(interval[1], digits)}"


def in_brackets(interval: Interval | None) -> str:
    """`` (.12 to .30)`` after a number; nothing where there is no interval."""
    return "" if interval is None else f" ({span(interval)})"


def percent(share: float) -> str:
    """``14 %``, ``3.1 %``, ``0.04 %``."""
    return f"{100 * share:.0f} %" if share >= 0.095 else f"{100 * share:.2g} %"


def some(names: Sequence[str], shown: int = _SHOWN) -> str:
    """The first few of a list of names, and how many more there are."""
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more} more" if more > 0 else "")


def number(count: float, word: str) -> str:
    """``1 judge``, ``1,200 judges``."""
    return f"{count:,.0f} {word}{'' if count == 1 else 's'}"


def judge_named(name: str) -> str:
    """``judge-07`` as it is, ``15`` as ``judge 15``: a bare name may be taken for a number."""
    return name if name.lower().startswith("judge") else f"judge {name}"
