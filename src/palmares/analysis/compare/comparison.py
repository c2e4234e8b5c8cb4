"""What `compare` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from ...errors import InputError
from ...ranking.record import Record
from ...results import Shown, brief, counted

#: Every measure of a comparison, and whether more of it is better.
HIGHER_IS_BETTER = {
    "accuracy_clusters": True,
    "accuracy_outcome": True,
    "perplexity": False,
    "log_loss": False,
    "brier": False,
}


@dataclass(frozen=True)
class Measure:
    """A mean over held-out judgments with its standard error, and how far it is from the best model's.

    ``difference`` is value − the best model's, judgment by judgment, so that what makes a judgment hard for both
    models cancels in ``difference_error``; ``p`` is the probability of such a distance, or a larger one, between
    models that are equally good (two-sided, by Student's t with one degree of freedom less than there are groups), and
    None for the best. Errors are None where there is a single group of judgments.
    """

    value: float
    error: float | None
    difference: float | None = None
    difference_error: float | None = None
    p: float | None = None


@dataclass(frozen=True)
class CalibrationBin:
    """Predictions between two probabilities: their mean, and how often they came true."""

    outcome: str  # "decided" (one of the two is better) or "tie"
    low: float
    high: float
    judgments: float
    predicted: float
    observed: float
    error: float | None


@dataclass(frozen=True)
class ModelScore:
    """One model on all held-out judgments; a measure is None where it does not apply or the model refused."""

    model: str
    accuracy_clusters: Measure | None = None
    accuracy_outcome: Measure | None = None
    perplexity: Measure | None = None
    log_loss: Measure | None = None
    brier: Measure | None = None
    #: Median, least and greatest decision radius over folds.
    radius: tuple[float, float, float] | None = None
    #: The same of every setting that was asked to ``fit``.
    fitted: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    #: Why the model could not be fitted to some training judgments.
    refused: str | None = None
    notes: tuple[str, ...] = ()
    calibration: tuple[CalibrationBin, ...] = field(default=(), repr=False)

    def measure(self, name: str) -> Measure | None:
        """A measure by its name in `HIGHER_IS_BETTER`."""
        measure: Measure | None = getattr(self, name)
        return measure


@dataclass(frozen=True)
class Comparison(Shown):
    """Models on the same held-out judgments, best first, and what could be predicted from the names of systems alone.

    Attributes
    ----------
    oracle
        Accuracy of the most frequent outcome of each pair, counted on all held-out judgments themselves. No single
        answer for each pair does better, but a model, which is trained anew for every fold and may change its answers,
        can.
    oracle_by_fold
        The same counted in every fold by itself, which no model that knows only the two systems exceeds: higher the
        smaller the folds, because few judgments are easily agreed with.
    """

    shown_by: ClassVar[str] = "compare"

    lines: tuple[ModelScore, ...]
    oracle: Measure
    oracle_by_fold: Measure
    judgments: int
    trained: int
    lang_pair: str | None
    sort: str
    record: Record = field(repr=False)
    notes: tuple[str, ...] = ()

    def __getitem__(self, model: str) -> ModelScore:
        if model not in self.models:
            raise InputError(f"no model {model!r} was compared; there are: {', '.join(self.models)}")
        return next(line for line in self.lines if line.model == model)

    def __repr__(self) -> str:
        text = f"{counted(len(self.lines), 'model')}, {counted(self.judgments, 'held-out judgment')}"
        return self._line(f"{text}; best in {self.sort}: {brief(self.lines[0].model)}", self.lang_pair)

    @property
    def signature(self) -> str:
        """How the comparison was made, on one line."""
        return str(self.record)

    @property
    def df(self) -> int:
        """Degrees of freedom of the standard errors: groups of judgments − 1."""
        return int(self.record.facts["groups"]) - 1

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(line.model for line in self.lines)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        facts = self.record.facts
        return {
            "signature": self.signature,
            "record": self.record.to_dict(),
            "lang_pair": self.lang_pair,
            "judgments": self.judgments,
            "trained": self.trained,
            **{
                name: facts[name]
                for name in ("folds", "by", "hold_out", "errors_by", "groups", "radii", "seed", "data")
            },
            "df": self.df,
            "sort": self.sort,
            "models": [asdict(line) for line in self.lines],
            "oracle": asdict(self.oracle),
            "oracle_by_fold": asdict(self.oracle_by_fold),
            "notes": list(self.notes),
        }


def flat(line: ModelScore) -> dict[str, Any]:
    """A line as one flat record."""
    record: dict[str, Any] = {"model": line.model}
    for name in HIGHER_IS_BETTER:
        measure = line.measure(name) or Measure(None, None)  # type: ignore[arg-type]
        parts = {"": measure.value, "_error": measure.error, "_difference": measure.difference,
                 "_difference_error": measure.difference_error, "_p": measure.p}  # fmt: skip
        record |= {name + suffix: value for suffix, value in parts.items()}
    fitted = ",".join(f"{name}={median:.6g}" for name, (median, _, _) in line.fitted.items())
    radius = line.radius[0] if line.radius else None
    return {**record, "radius": radius, "fitted": fitted or None, "refused": line.refused}
