"""What a check of an audit found."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

Interval = tuple[float, float]


@dataclass(frozen=True)
class Subject:
    """One of those that a check looked at: a judge, a pair, a system, a place."""

    name: str
    effect: float | None = None
    interval: Interval | None = None
    p: float | None = None
    detail: str = ""


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
        How large it is, in what, and between which bounds it may lie.
    material
        Whether the effect is large enough to matter, for checks that set such a limit.
    flagged
        Significant at the audit's level, and material.
    subjects
        The judges, pairs or systems behind it, the most remarkable first.
    skipped
        Why the check could not be made, or None.
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
    subjects: tuple[Subject, ...] = dataclasses.field(default=(), repr=False)
    skipped: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {name: plain(value) for name, value in dataclasses.asdict(self).items()}


def skipped(check: str, reason: str) -> Finding:
    """A check that these judgments do not allow."""
    return Finding(check, f"not checked: {reason}", skipped=reason)


def plain(value: Any) -> Any:
    """Tuples as lists, and numbers that JSON does not know as None."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not (abs(value) < float("inf")):
        return None
    return value
