"""What `judges` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from ...ranking.record import Record
from ...results import Shown, counted
from ..agreement import Kappa
from ..diff import Changes
from .simulation import FalseFlags

#: What a judge can be asked about, and what it means.
FLAGS: Mapping[str, str] = {
    "random": "answers look unrelated to the systems",
    "reversed": "answers run against those of the others",
    "always-first": "the output shown first wins nearly always",
    "always-last": "the output shown last wins nearly always",
    "straight-ties": "nearly every answer is a tie",
    "too-fast": "answers take far less time than those of others",
}

Interval = tuple[float, float]


@dataclass(frozen=True)
class Flag:
    """Something to ask the organiser about: one of `FLAGS`, the evidence in words, and the question."""

    name: str
    evidence: str
    question: str

    def __str__(self) -> str:
        return f"{self.evidence}: {self.question}"


@dataclass(frozen=True)
class JudgeLine:
    """One judge.

    Attributes
    ----------
    answers
        What was answered at once: rankings, or judgments where there are no rankings.
    seconds
        The median time per answer; None where it is not known.
    sensitivity
        1 is the middle of the ordinary judges, 0 unrelated to the systems, below 0 against the others; None where
        others say nothing.
    tie_width
        How far apart two systems must seem before they are not tied, on the scale of scores.
    agreement, expected
        Of the decided judgments, the share that agrees with the others' order of the two systems; and what an ordinary
        judge with this one's tie width would reach on the same comparisons.
    first
        How often, of two equal outputs that are not tied, the one shown first would win.
    random
        The chance that answers have nothing to do with the systems, given how the judges of this campaign differ.
    enough
        Whether there are enough answers to tell: whether both errors can be kept at 10 %.
    shared
        Whether other people put anything that this judge compared on one scale.
    """

    judge: str
    program: bool
    judgments: int
    answers: int
    ties: float
    seconds: float | None
    sensitivity: float | None
    sensitivity_interval: Interval | None
    tie_width: float | None
    tie_width_interval: Interval | None
    decided: int
    agreement: float | None
    expected: float | None
    kappa: Kappa | None
    first: float | None
    first_interval: Interval | None
    random: float | None
    enough: bool
    shared: bool
    flags: tuple[Flag, ...] = ()

    @property
    def flagged(self) -> bool:
        """Whether there is anything to ask."""
        return bool(self.flags)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        content = {name: getattr(self, name) for name in self.__dataclass_fields__}
        kappa = None if self.kappa is None else self.kappa.to_dict()
        return {**content, "kappa": kappa, "flags": [asdict(flag) for flag in self.flags]}


@dataclass(frozen=True)
class Judges(Shown):
    """What is known of every judge; flagged people first, then people by their judgments, then programs.

    ``answer`` is what one answer is, ``ranking`` or ``judgment``. ``random`` is the estimated share of people who
    answer at random, ``spread`` the standard deviation of log sensitivity among the others. Where they were asked for,
    ``changes`` is what a ranking without flagged judges changes, and ``false_flags`` how many judges are flagged for
    nothing in simulated campaigns like this one.
    """

    shown_by: ClassVar[str] = "judges"

    lang_pair: str | None
    lines: tuple[JudgeLine, ...] = field(repr=False)
    answer: str
    random: float
    spread: float
    p: float
    record: Record
    changes: Changes | None = field(default=None, repr=False)
    false_flags: FalseFlags | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        programs = sum(line.program for line in self.lines)
        text = f"{counted(len(self.lines) - programs, 'judge')}, {counted(programs, 'program')}"
        return self._line(f"{text}; {len(self.flagged)} flagged", self.lang_pair)

    @property
    def flagged(self) -> tuple[JudgeLine, ...]:
        """Those to ask about."""
        return tuple(line for line in self.lines if line.flagged)

    @property
    def signature(self) -> str:
        """How this was made, in one line."""
        return str(self.record)

    def line(self, judge: str) -> JudgeLine:
        """What is known of one judge."""
        return next(line for line in self.lines if line.judge == judge)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "signature": self.signature,
            "record": self.record.to_dict(),
            "lang_pair": self.lang_pair,
            "answer": self.answer,
            "p": self.p,
            "random": self.random,
            "spread": self.spread,
            "judges": [line.to_dict() for line in self.lines],
            "false_flags": None if self.false_flags is None else self.false_flags.to_dict(),
            "without_flagged": None if self.changes is None else self.changes.to_dict(),
            "notes": list(self.notes),
        }
