"""What `segments` returns."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from ...ranking.record import Record
from ...results import Shown, counted


@dataclass(frozen=True)
class SegmentLine:
    """One segment.

    ``agreement`` is the share of decided judgments in the order of the scores, ``expected`` what the model expects of
    the same judgments on the average segment. ``slope`` is 1 on the typical segment; ``information`` is the expected
    information of a judgment, 1 on average. ``against``: how often chance alone would make the segment speak so much
    against the order of the systems, if it told nothing.
    """

    segment: str
    judgments: int
    judges: int
    ties: float
    agreement: float | None
    expected: float | None
    slope: float
    interval: tuple[float, float]
    information: float
    against: float

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {**asdict(self), "interval": list(self.interval)}


@dataclass(frozen=True)
class Measured:
    """A number with its interval."""

    value: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Check:
    """Segments chosen by one part of the judgments, measured on another; ``choices`` counts how often.

    ``slope``: of the chosen segments, relative to all (1: no better than chance). ``agreement``: by how much more of
    their decided judgments are in the order of the scores than the model expects, less the same of all segments.
    ``correlation``: Kendall's τ with the scores of all, of scores from the chosen segments; ``random`` of scores from
    random segments with about as many judgments; ``correlation_spread`` holds the difference in most of the splits.
    """

    kind: str
    choices: int
    slope: Measured | None
    agreement: Measured | None
    correlation: float | None
    random: float | None
    correlation_spread: tuple[float, float] | None

    @property
    def verdict(self) -> str:
        """Whether choosing beats chance, by the slope."""
        if self.slope is None:
            return "not known"
        return "better than chance" if self.slope.interval[0] > 1 else "not shown to beat chance"

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {**asdict(self), "verdict": self.verdict}


@dataclass(frozen=True)
class Choice:
    """The segments that are expected to tell most.

    ``gain`` is their mean information (1 on average), ``kept`` their share of the information of all, if every segment
    were judged equally often; of as many random ones it is ``share``.
    """

    segments: tuple[str, ...]
    gain: float
    kept: float
    share: float
    splits: int
    checks: tuple[Check, ...]

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        front = {"segments": list(self.segments), "gain": self.gain, "kept": self.kept, "share": self.share}
        return {**front, "splits": self.splits, "checks": [check.to_dict() for check in self.checks]}


@dataclass(frozen=True)
class Segments(Shown):
    """How far segments tell systems apart, most telling first.

    ``spread`` is s_c, the standard deviation of log slopes, with its interval; ``reliability`` the share of their
    variance that is known. ``outputs`` is σ_u, how far outputs depart from the quality of their system, and
    ``dispersion`` κ, the variance of what is judged at one sitting.
    """

    shown_by: ClassVar[str] = "segments"

    lang_pair: str | None
    judgments: int
    lines: tuple[SegmentLine, ...] = field(repr=False)
    spread: float
    spread_interval: tuple[float, float]
    reliability: float
    outputs: float
    dispersion: float
    choice: Choice | None
    #: So many of the most and of the least telling segments are shown.
    top: int
    #: The level of intervals is 1 − p.
    p: float
    record: Record
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        text = f"{counted(len(self.lines), 'segment')}, slopes known to {self.reliability:.2f} of their variance"
        return self._line(f"{text}; {counted(self.judgments, 'judgment')}", self.lang_pair)

    @property
    def signature(self) -> str:
        """How this was made, in one line."""
        return str(self.record)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "signature": self.signature,
            "record": self.record.to_dict(),
            "lang_pair": self.lang_pair,
            "judgments": self.judgments,
            "spread": self.spread,
            "spread_interval": list(self.spread_interval),
            "reliability": self.reliability,
            "outputs": self.outputs,
            "dispersion": self.dispersion,
            "choice": None if self.choice is None else self.choice.to_dict(),
            "segments": [line.to_dict() for line in self.lines],
            "notes": list(self.notes),
        }
