"""Everything that a report says of one language pair: the ranking, what it rests on, and what it does not show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

from ..compute import Execution, RngLike
from ..design.forecast import Forecast, forecast_of
from ..design.targets import Target
from ..errors import InputError, PalmaresError
from ..ingest.given import judgments_or_counts
from ..judgments import Judgments, PairCounts
from ..models import DEFAULT_MODEL
from ..models.base import Model, check_one_lang_pair
from ..models.by_name import create
from ..ranking.head_to_head import HeadToHead, head_to_head
from ..ranking.judge_aware import judge_aware_note
from ..ranking.rank import rank
from ..ranking.record import Record
from ..ranking.result import Ranking
from ..results import Shown, counted
from .agreement import Agreement, agreement
from .audit.run import Audit, audit
from .compare.comparison import Comparison
from .compare.run import compare, contenders
from .compare.testing import Testing
from .describe import Overview, describe
from .diff import Changes, diff
from .judges import Judges, judges
from .published import Published

T = TypeVar("T")

#: What is said of a language pair, in the order of a report; what is missing is named by these in `Findings.gaps`.
PARTS = ("ranking", "head_to_head", "audit", "forecast", "agreement", "judges", "comparison", "changes", "overview")
#: Models of a report are tested on so many folds: enough to tell them apart, and quickly.
FOLDS = 20


@dataclass(frozen=True)
class Findings(Shown):
    """One language pair, analysed in every way that its judgments allow.

    Attributes
    ----------
    ranking
        With a forecast of further judgments, where one can be made.
    comparison, changes
        Models on held-out judgments, and what changed since an earlier ranking; None unless asked for.
    gaps
        What could not be made, by its name in `PARTS`, and why: there are no judges, say.
    """

    shown_by: ClassVar[str] = "report"

    overview: Overview
    ranking: Ranking
    head_to_head: HeadToHead
    audit: Audit | None = None
    agreement: Agreement | None = None
    judges: Judges | None = None
    comparison: Comparison | None = None
    changes: Changes | None = None
    gaps: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        missing = f"; without {', '.join(self.gaps)}" if self.gaps else ""
        return self._line(f"{counted(len(self.ranking.lines), 'system')}{missing}", self.lang_pair)

    @property
    def lang_pair(self) -> str | None:
        """Of the judgments, if they have one."""
        return self.ranking.lang_pair

    @property
    def record(self) -> Record:
        """How the ranking was made; the other parts have the same input, model, level and seed."""
        return self.ranking.record

    @property
    def signature(self) -> str:
        """Of the ranking."""
        return self.ranking.signature

    @property
    def notes(self) -> tuple[str, ...]:
        """Of the ranking."""
        return self.ranking.notes

    @property
    def forecast(self) -> Forecast | None:
        """What further judgments are expected to show."""
        return self.ranking.forecast if isinstance(self.ranking.forecast, Forecast) else None

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape: that of every part, whose records are all in the one of the whole."""
        parts = {name: getattr(self, name) for name in PARTS if name != "forecast"}
        return {
            "signature": self.signature,
            "record": self.record.to_dict(),
            "lang_pair": self.lang_pair,
            **{name: None if part is None else _without_record(part.to_dict()) for name, part in parts.items()},
            "gaps": dict(self.gaps),
        }

    def noted(self, note: str) -> Findings:
        """The same with a note below the ranking."""
        return replace(self, ranking=replace(self.ranking, notes=(*self.ranking.notes, note)))


def _without_record(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name != "record"}


@dataclass(frozen=True)
class Asked:
    """What findings are to contain beyond what every campaign gets.

    Attributes
    ----------
    models
        Models to compare on held-out judgments, as `palmares.compare` takes them; empty for no comparison.
    target
        What the forecast is of, besides every open boundary.
    before
        An earlier ranking of the same language pair, to say what changed since.
    """

    models: Sequence[str | Model] = ()
    target: Target | None = None
    before: Ranking | Mapping[str, Any] | Published | None = None


def findings(
    judgments: Judgments | Any,
    *,
    model: str | Model = DEFAULT_MODEL,
    resample: str = "auto",
    resamples: int = 1000,
    p: float = 0.05,
    looks: str = "auto",
    largest_component: bool = False,
    asked: Asked | None = None,
    rng: RngLike = None,
    execution: Execution | None = None,
) -> Findings:
    """Analyse one language pair in every way that its judgments allow; what they do not allow is said in ``gaps``.

    Parameters
    ----------
    judgments
        Of one language pair; a data frame or the path of a file is read.
    model, resample, resamples, p, looks, largest_component
        As `palmares.rank` takes them. An audit needs samples, and is left out without them.
    asked
        What is wanted besides: a comparison of models, a target, changes since an earlier ranking.
    rng
        A seed; None draws one. It is in the signature either way.
    execution
        Where it runs; its progress is called after every part.
    """
    chosen, asked = create(model), asked or Asked()
    if asked.models:
        contenders(asked.models)  # a model that there is not is no gap
    data = judgments_or_counts(judgments, "findings")
    if isinstance(data, PairCounts):
        raise InputError("findings: got pair counts, which do not know who judged what; give the judgments")
    check_one_lang_pair(data)
    execution = Execution.prepared(execution, rng)
    made = _Parts(data, chosen, {"resample": resample, "resamples": resamples, "p": p, "looks": looks}, execution)
    ranking = made.ranked(largest_component=largest_component, target=asked.target)
    return Findings(
        overview=made.done(describe(data)),
        ranking=ranking,
        head_to_head=made.done(head_to_head(data, ranking)),
        audit=made.audited(),
        agreement=made.tried("agreement", lambda: agreement(data, judges=True, p=p, execution=made.quiet)),
        judges=made.tried("judges", lambda: judges(data, p=p, execution=made.quiet)),
        comparison=made.compared(asked.models),
        changes=made.done(None if asked.before is None else diff(asked.before, ranking, p=p)),
        gaps=made.gaps,
    )


class _Parts:
    """Makes one part after the other, tells how far it has come, and keeps the reasons of those that cannot be made."""

    def __init__(self, data: Judgments, model: Model, ranked: Mapping[str, Any], execution: Execution) -> None:
        self.data, self.model, self._ranked = data, model, ranked
        self._tell, self._steps = execution.progress or (lambda done, total: None), 0
        self.quiet = replace(execution, progress=None)
        self.gaps: dict[str, str] = {}

    def done(self, part: T) -> T:
        """Count one step."""
        self._steps += 1
        self._tell(min(self._steps, len(PARTS)), len(PARTS))
        return part

    def tried(self, name: str, make: Callable[[], T]) -> T | None:
        """A part, or the reason why these judgments have none."""
        try:
            part = make()
        except PalmaresError as error:  # too little of something, or a fit that does not converge
            self.gaps[name] = str(error)
            return self.done(None)
        return self.done(part)

    def ranked(self, *, largest_component: bool, target: Target | None) -> Ranking:
        ranking = rank(
            self.data, model=self.model, largest_component=largest_component, execution=self.quiet, **self._ranked
        )
        if self.model.id == DEFAULT_MODEL:
            note = judge_aware_note(self.data.without_forced_ties(), self.model, self.quiet)
            ranking = replace(ranking, notes=(*ranking.notes, note)) if note else ranking
        self.done(ranking)
        forecast = self.tried("forecast", lambda: forecast_of(ranking, target))
        return replace(ranking, forecast=forecast)

    def audited(self) -> Audit | None:
        return self.tried("audit", lambda: audit(self.data, model=self.model, execution=self.quiet, **self._ranked))

    def compared(self, models: Sequence[str | Model]) -> Comparison | None:
        if not models:
            return self.done(None)
        return self.tried("comparison", lambda: compare(self.data, models=models, testing=Testing(folds=FOLDS),
                                                        execution=self.quiet))  # fmt: skip
