"""What an experiment of a paper is, and what running it gives."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

from ..compute import Execution, RngLike, seed_of
from ..errors import InputError
from ..judgments import FloatArray
from ..models.by_name import setting_text
from ..ranking.record import Record
from ..results import Shown, counted
from . import EXPERIMENTS

T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """One number of a paper beside the one measured here.

    Attributes
    ----------
    label, group
        What was measured, and the part of the experiment it belongs to.
    published
        None where the paper prints no number (a figure).
    measured, error
        The number found and its standard error, where repeated trials or folds give one.
    n
        The size of the sample behind the number: judgments, folds, pairs, as ``note`` or the settings say.
    at
        Where on the axis of a figure the number stands, e.g. the training size.
    digits
        Decimals worth showing.
    """

    label: str
    published: float | None
    measured: float | None
    error: float | None = None
    n: int | None = None
    note: str = ""
    group: str = ""
    at: str = ""
    digits: int = 3

    @property
    def difference(self) -> float | None:
        """Measured less published."""
        if self.published is None or self.measured is None:
            return None
        return self.measured - self.published


@dataclass(frozen=True)
class Check:
    """A claim of the paper, whether it holds here, and the numbers that say so."""

    claim: str
    holds: bool
    evidence: str


@dataclass(frozen=True)
class Findings:
    """What the body of an experiment returns; ``data`` names what it ran on, with its digest."""

    rows: Sequence[Row]
    checks: Sequence[Check] = ()
    notes: Sequence[str] = ()
    data: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Context:
    """Where work runs and with which seed, and the folder of real data; passed to every experiment."""

    execution: Execution
    folder: Path | None = None

    @property
    def seed(self) -> int:
        return seed_of(self.execution.seed)

    def run(self, function: Callable[..., T], tasks: Sequence[tuple[Any, ...]], *shared: Any) -> list[T]:
        """``[function(*shared, *task) for task in tasks]``, wherever the work runs."""
        return self.execution.run(function, tasks, shared=shared)


@dataclass(frozen=True)
class Experiment:
    """An experiment of a paper.

    Attributes
    ----------
    title, reference
        What it shows, and where: author, year, table or figure.
    run
        ``run(context, **settings) -> Findings``.
    settings, quick
        The settings of the full experiment, and what the quick variant changes of them.
    files
        Real files it reads, below the folder of real data. Without them a simulated stand-in takes their place.
    """

    id: str
    title: str
    reference: str
    run: Callable[..., Findings]
    settings: Mapping[str, Any]
    quick: Mapping[str, Any]
    files: tuple[str, ...] = ()

    def chosen(self, *, quick: bool) -> dict[str, Any]:
        """The settings of the full or the quick variant."""
        return {**self.settings, **(self.quick if quick else {})}


@dataclass(frozen=True)
class Reproduction(Shown):
    """Published and measured side by side."""

    shown_by: ClassVar[str] = "reproduce"

    id: str
    title: str
    reference: str
    quick: bool
    settings: Mapping[str, Any]
    rows: tuple[Row, ...] = field(repr=False)
    checks: tuple[Check, ...]
    notes: tuple[str, ...]
    data: Mapping[str, str]
    record: Record = field(repr=False)

    def __repr__(self) -> str:
        held = sum(check.holds for check in self.checks)
        return self._line(f"{counted(len(self.rows), 'number')}, {held} of {len(self.checks)} claims hold", self.id)

    @property
    def signature(self) -> str:
        """How the experiment was run, on one line."""
        return str(self.record)

    @property
    def compared(self) -> tuple[Row, ...]:
        """The rows that have both numbers."""
        return tuple(row for row in self.rows if row.difference is not None)

    @property
    def mean_absolute_difference(self) -> float | None:
        """Over the rows that have both numbers and are on the scale (the decimals) of the first of them."""
        rows = self.compared
        apart = [abs(row.difference or 0.0) for row in rows if row.digits == rows[0].digits]
        return float(np.mean(apart)) if apart else None

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "signature": self.signature,
            "record": self.record.to_dict(),
            "experiment": self.id,
            "title": self.title,
            "reference": self.reference,
            "quick": self.quick,
            "settings": {name: _jsonable(value) for name, value in self.settings.items()},
            "data": dict(self.data),
            "rows": [{**dataclasses.asdict(row), "difference": row.difference} for row in self.rows],
            "checks": [dataclasses.asdict(check) for check in self.checks],
            "mean_absolute_difference": self.mean_absolute_difference,
            "notes": list(self.notes),
        }


def reproduce(
    name: str,
    *,
    quick: bool = False,
    data: str | Path | None = None,
    rng: RngLike = None,
    execution: Execution | None = None,
) -> Reproduction:
    """Run an experiment of a paper again.

    Parameters
    ----------
    name
        One of `EXPERIMENTS`.
    quick
        The small variant: same code, fewer trials and judgments.
    data
        The folder with the published judgments; without it, simulated campaigns of the same shape are used.
    rng
        A seed. Without one, here or in ``execution``, it is 0, so that what is documented comes out again.
    execution
        Where the work runs.
    """
    experiment: Experiment = EXPERIMENTS.load(name)
    unseeded = rng is None and (execution is None or execution.seed is None)
    context = Context(Execution.prepared(execution, 0 if unseeded else rng), _folder(data, experiment))
    chosen = experiment.chosen(quick=quick)
    findings = experiment.run(context, **chosen)
    record = Record.of({
        "experiment": name, "quick": quick, **{k: _text(v) for k, v in chosen.items()}, "seed": context.seed,
        "data": "+".join(findings.data.values()) or "none",
    })  # fmt: skip
    return Reproduction(
        name, experiment.title, experiment.reference, quick, {**chosen, "seed": context.seed}, tuple(findings.rows),
        tuple(findings.checks), tuple(findings.notes), dict(findings.data), record,
    )  # fmt: skip


def mean_row(label: str, published: float | None, values: FloatArray, **more: Any) -> Row:
    """A row whose number is a mean over trials, with its standard error."""
    error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None
    return Row(label, published, float(values.mean()), error, **{"n": len(values), **more})


def _folder(data: str | Path | None, experiment: Experiment) -> Path | None:
    if data is None or not experiment.files:
        return None
    folder = Path(data)
    missing = [name for name in experiment.files if not (folder / name).is_file()]
    if missing:
        raise InputError(
            f"the folder {str(folder)!r} has no {missing[0]}, which {experiment.id} reads; name the folder with the "
            "published judgments (--data), or leave it out to use a simulated campaign of the same shape"
        )
    return folder


def _text(value: Any) -> str:
    return ",".join(map(setting_text, value)) if isinstance(value, tuple) else setting_text(value)


def _jsonable(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
