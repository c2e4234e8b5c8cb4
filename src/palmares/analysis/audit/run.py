"""`audit`: all checks and claims of one ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ... import compute
from ...compute import RngLike, seed_of
from ...errors import InputError
from ...judgments import Judgments
from ...judgments.units import choose_unit
from ...models import DEFAULT_MODEL
from ...models.base import Model, check_one_lang_pair, create
from ...ranking.evidence import source_of
from ...ranking.multiple import holm
from ...ranking.rank import Ranking, rank
from ...ranking.record import signature
from . import CHECKS
from .case import Case, in_order
from .claims import Claim, claims
from .findings import Finding
from .influence import asserted
from .judges import PERMUTATIONS


@dataclass(frozen=True)
class Audit:
    """What an audit found: one finding a check, and every claim with its verdict."""

    findings: tuple[Finding, ...]
    claims: tuple[Claim, ...]
    ranking: Ranking = field(repr=False)
    p: float
    signature: str

    @property
    def flagged(self) -> tuple[Finding, ...]:
        """The findings that ask for attention."""
        return tuple(finding for finding in self.findings if finding.flagged)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "signature": self.signature,
            "model": self.ranking.fit.model.id,
            "lang_pair": self.ranking.lang_pair,
            "judgments": self.ranking.judgments,
            "p": self.p,
            "findings": [finding.to_dict() for finding in self.findings],
            "claims": [claim.to_dict() for claim in self.claims],
            "notes": list(self.ranking.notes),
        }


def audit(
    judgments: Judgments,
    *,
    model: str | Model = DEFAULT_MODEL,
    settings: Mapping[str, str] | None = None,
    p: float = 0.05,
    resamples: int = 1000,
    resample: str = "auto",
    rng: RngLike = None,
    executor: compute.ExecutorLike = None,
    workers: int | None = None,
    progress: compute.Progress | None = None,
) -> Audit:
    """Check which claims of a ranking the judgments carry.

    Parameters
    ----------
    judgments
        Of one language pair.
    model, settings, resamples, resample
        As `palmares.rank` takes them; the audit needs samples, so ``resample`` may not be ``none``.
    p
        The chance of any flag where nothing is wrong; also the level of claims and intervals.
    rng
        A seed; None draws one. It is in the signature either way.
    executor, workers
        See `palmares.compute.run`.
    progress
        Called with (done, total) after every step.
    """
    check_one_lang_pair(judgments)
    if resample in (None, "none"):
        raise InputError("resample: got 'none'; an audit needs samples: auto, pair, ranking, segment, judge, posterior")
    how = {"executor": executor, "workers": workers}
    case = case_of(judgments, create(model, settings), resamples=resamples, resample=resample, p=p, rng=rng, **how)
    tell = progress or (lambda done, total: None)
    steps = len(CHECKS) + 2
    tell(1, steps)
    findings = []
    for number, check in enumerate(CHECKS, 2):
        findings.append(CHECKS.load(check)(case))
        tell(number, steps)
    made = claims(case)
    tell(steps, steps)
    return Audit(corrected(findings, p), made, case.ranking, p, _signature(case))


def corrected(findings: list[Finding], p: float) -> tuple[Finding, ...]:
    """The findings with p-values adjusted for how many there are, and flags."""
    values = [finding.p for finding in findings if finding.p is not None]
    adjusted = iter(holm(values))
    done = []
    for finding in findings:
        if finding.p is None:
            done.append(finding)
            continue
        level = next(adjusted)
        done.append(replace(finding, adjusted=level, flagged=level <= p and finding.material))
    return tuple(asserted(finding, p) if finding.check == "judge-influence" else finding for finding in done)


def case_of(
    judgments: Judgments, model: Model, *, resamples: int, resample: str, p: float, rng: RngLike, **where: Any
) -> Case:
    """Rank what can be ranked, and put it in order for the checks."""
    seed = seed_of(rng)
    linked = judgments.counts.components(decisive=model.linked_by == "decisive")
    ranking = rank(
        judgments, model=model, resamples=resamples, resample=resample, p=p, rng=seed, largest_component=True, **where
    )
    if ranking.replicates is None:
        why = "; ".join(ranking.notes) or f"resample {resample!r} gives model {model.id!r} no samples"
        raise InputError(f"an audit needs samples that vary, and there are none: {why}")
    inside = np.isin(np.array(judgments.systems), ranking.systems)
    if not inside.all():
        judgments = judgments.filter(inside[judgments.codes("system_a")] & inside[judgments.codes("system_b")])
    source = source_of(model, resample) or resample
    drawn = source if source == "posterior" else choose_unit(judgments, source)[0]
    return Case(in_order(judgments), linked, model, ranking, resamples, seed, p, where, drawn)


def _signature(case: Case) -> str:
    facts = {
        "checks": len(CHECKS),
        "unit": case.drawn,
        "resamples": len(case.samples),
        "permutations": PERMUTATIONS,
        "p": case.p,
        "seed": case.seed,
        "systems": len(case.systems),
        "judgments": len(case.judgments),
        "data": case.judgments.hash,
    }
    return signature(facts, case.model)
