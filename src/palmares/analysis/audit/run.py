"""`audit`: all checks and claims of one ranking."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from ...compute import Execution, RngLike
from ...errors import InputError
from ...ingest.given import judgments_of, judgments_or_counts
from ...judgments import Judgments, Origin
from ...models import DEFAULT_MODEL
from ...models.base import Model, check_one_lang_pair
from ...models.by_name import create
from ...ranking.record import Record
from ...ranking.result import Ranking
from ...results import Shown
from . import CHECKS
from .case import Case, case_of
from .claims import Claim, claims
from .findings import Finding, corrected
from .residuals import PERMUTATIONS


@dataclass(frozen=True)
class Audit(Shown):
    """What an audit found: one finding per check, and every claim with its verdict."""

    shown_by: ClassVar[str] = "audit"

    findings: tuple[Finding, ...]
    claims: tuple[Claim, ...]
    ranking: Ranking = field(repr=False)
    p: float
    record: Record

    def __repr__(self) -> str:
        checks = f"{len(self.flagged)} of {len(self.findings)} checks flagged"
        supported = sum(claim.verdict == "supported" for claim in self.claims)
        return self._line(f"{checks}, {supported} of {len(self.claims)} claims supported", self.lang_pair)

    @property
    def lang_pair(self) -> str | None:
        """Of the judgments, if they have one."""
        return self.ranking.lang_pair

    @property
    def signature(self) -> str:
        """How this was made, in one line."""
        return str(self.record)

    @property
    def flagged(self) -> tuple[Finding, ...]:
        """The findings that ask for attention."""
        return tuple(finding for finding in self.findings if finding.flagged)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "signature": self.signature,
            "record": self.record.to_dict(),
            "model": self.ranking.fit.model.id,
            "lang_pair": self.ranking.lang_pair,
            "judgments": self.ranking.judgments,
            "p": self.p,
            "findings": [finding.to_dict() for finding in self.findings],
            "claims": [claim.to_dict() for claim in self.claims],
            "notes": list(self.ranking.notes),
        }


def audit(
    judgments: Judgments | Any,
    *,
    model: str | Model = DEFAULT_MODEL,
    resample: str = "auto",
    resamples: int = 1000,
    p: float = 0.05,
    looks: str = "auto",
    rng: RngLike = None,
    execution: Execution | None = None,
) -> Audit:
    """Check which claims of a ranking the judgments support.

    Parameters
    ----------
    judgments
        Of one language pair; a data frame or the path of a file is read.
    model, resample, resamples, looks
        As `palmares.rank` takes them; the audit needs samples, so ``resample`` may not be ``none``.
    p
        The chance of any flag where nothing is wrong; also the level of claims and intervals.
    rng
        A seed; None draws one. It is in the signature either way.
    execution
        Where it runs; its progress is called after every step, a step being a check.
    """
    model = create(model)
    given = judgments_or_counts(judgments, "audit")
    judgments = judgments_of(given, "audit", forced_ties=model.forced_ties)
    check_one_lang_pair(judgments)
    if resample in (None, "none"):
        raise InputError(
            "resample: got 'none'; an audit needs samples: auto, two-way, pair, ranking, segment, judge, posterior"
        )
    if not 0 < p < 1:
        raise InputError(f"p: got {p}; allowed: between 0 and 1, e.g. 0.05")
    execution = Execution.prepared(execution, rng)
    tell = execution.progress or (lambda done, total: None)
    quiet = replace(execution, progress=None)
    assert isinstance(given, Judgments)  # judgments_of refused counts
    case = case_of(given, model, resample=resample, resamples=resamples, p=p, looks=looks, execution=quiet)
    steps = len(CHECKS) + 2
    tell(1, steps)
    findings = []
    for number, check in enumerate(CHECKS, 2):
        findings.append(CHECKS.load(check)(case))
        tell(number, steps)
    audited = Audit(corrected(findings, p), claims(case), case.ranking, p, _record(case, judgments.origin))
    tell(steps, steps)
    return audited


def _record(case: Case, origin: Origin | None) -> Record:
    facts = {
        "checks": len(CHECKS),
        "unit": case.drawn,
        "resamples": len(case.samples),
        "permutations": PERMUTATIONS,
        "p": case.p,
        "seed": case.execution.seed,
        "systems": len(case.systems),
        "judgments": len(case.judgments),
        "data": case.judgments.hash,
    }
    looks = {} if case.ranking.looks == "once" else {"looks": case.ranking.looks}
    return Record.of({**facts, **looks}, case.model, origin)
