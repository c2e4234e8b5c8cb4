"""What `agreement` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

from ...ranking.record import Record
from ...results import Shown, counted
from .coefficients import Kappa

Kind = Literal["inter", "intra"]
Counting = Literal["all-pairs", "wmt16", "two-judges"]
COUNTINGS: tuple[Counting, ...] = get_args(Counting)


@dataclass(frozen=True)
class Measure:
    """Agreement between judges (``inter``) or of judges with themselves (``intra``).

    ``items`` and ``judges`` are those with anything to compare. ``alpha`` is Krippendorff's on the nominal level,
    ``alpha_ordinal`` counts a tie as half way between the two others.
    """

    kind: Kind
    kappa: Kappa
    items: int
    judges: int
    alpha: float | None
    alpha_ordinal: float | None

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        counts = {"items": self.items, "judges": self.judges}
        return {**self.kappa.to_dict(), **counts, "alpha": self.alpha, "alpha_ordinal": self.alpha_ordinal}


@dataclass(frozen=True)
class JudgeAgreement:
    """One judge against all the others, and repeating an item; ``ties`` is the share of the judge's judgments."""

    judge: str
    judgments: int
    ties: float
    inter: Kappa
    intra: Kappa

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        front = {"judge": self.judge, "judgments": self.judgments, "ties": self.ties}
        return {**front, "inter": self.inter.to_dict(), "intra": self.intra.to_dict()}


@dataclass(frozen=True)
class Agreement(Shown):
    """How far judges agree in one language pair; ``by_judge`` is empty unless asked for, lowest κ first."""

    shown_by: ClassVar[str] = "agreement"

    lang_pair: str | None
    judgments: int
    ties: float
    inter: Measure
    intra: Measure
    by_judge: tuple[JudgeAgreement, ...] = field(repr=False)
    counting: Counting
    #: The level of intervals is 1 − p.
    p: float
    record: Record
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        inter, intra = ("–" if m.kappa.kappa is None else f"{m.kappa.kappa:.3f}" for m in (self.inter, self.intra))
        text = f"κ = {inter} between judges, {intra} of judges with themselves; {counted(self.judgments, 'judgment')}"
        return self._line(text, self.lang_pair)

    @property
    def shown_part(self) -> str | None:
        """Judges, if they were compared."""
        return "judges" if self.by_judge else None

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
            "ties": self.ties,
            "counting": self.counting,
            "inter": self.inter.to_dict(),
            "intra": self.intra.to_dict(),
            "judges": [line.to_dict() for line in self.by_judge],
            "notes": list(self.notes),
        }
