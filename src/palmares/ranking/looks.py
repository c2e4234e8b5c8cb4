"""When one looks: ranges for one look at comparisons that no answer chose, or for every look at any."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..judgments import EXTRA_PREFIX, TWO_WAY, UNITS, FloatArray, IntArray, Judgments, PairCounts
from ..models.base import Fit, Model
from . import LOOKS, anytime
from .bootstrap import Replicates, comparable
from .intervals import Spread, named, one_sided_times
from .joint import Joint

#: Strategies that choose comparisons without knowing any answer.
UNLEARNT = ("uniform", "balanced")
_UNFIT = (
    "the scores of {} depend on which comparisons were chosen, or have no scale that is fixed beforehand; use "
    "bradley-terry, ordinal, crowd-bt or expected-wins"
)
_STRATEGY, _LOOKS = EXTRA_PREFIX + "strategy", EXTRA_PREFIX + "looks"


def learnt(data: Judgments | PairCounts) -> tuple[str, ...]:
    """The strategies behind the judgments that chose by earlier answers, as campaigns name them."""
    if isinstance(data, PairCounts) or _STRATEGY not in data.frame.columns:
        return ()
    names = {str(name) for name in data.frame[_STRATEGY].unique().to_list() if name is not None}
    return tuple(sorted(names.difference(UNLEARNT)))


def watched(data: Judgments | PairCounts) -> bool:
    """Whether judgments say that a rule which looks at the answers so far could stop them, as campaigns do."""
    if isinstance(data, PairCounts) or _LOOKS not in data.frame.columns:
        return False
    return "any" in {str(value) for value in data.frame[_LOOKS].unique().to_list()}


def adaptive(data: Judgments | PairCounts) -> str | None:
    """What earlier answers decided of these judgments, in words: which comparisons, when to stop; None if nothing."""
    active = learnt(data)
    chosen = f"comparisons were chosen by what earlier answers said ({', '.join(active)})"
    stops = "what answers said so far could stop the campaign (stop.rule)"
    return ", and ".join([*([chosen] if active else []), *([stops] if watched(data) else [])]) or None


def settled(looks: str, data: Judgments | PairCounts, model: Model, source: str | None) -> tuple[str, str | None]:
    """``once`` or ``any``, and what a reader should know of it.

    Parameters
    ----------
    source
        Where ranges come from, of `SOURCES`.
    """
    if looks not in LOOKS:
        raise InputError(f"looks: got {looks!r}; allowed: {', '.join(LOOKS)}")
    obstacle = _obstacle(model, source)
    if looks == "any" and obstacle:
        raise InputError(f"--looks any: {obstacle}")
    reason = adaptive(data)
    if looks == "any" or (reason and looks == "auto" and not obstacle):
        holds = "ranges, intervals and boundaries hold at every look, whatever chose the next comparison"
        if not reason:
            return "any", f"{holds}; they are wider than those of one look (--looks once)"
        return "any", f"{reason}: {holds}; --looks once gives the usual ones, which are biased here"
    if not reason or source is None:
        return "once", None
    usual = f"{reason}, while ranges, intervals and boundaries are of the usual kind, and biased here"
    return "once", f"{usual}: {obstacle}" if obstacle else f"{usual} (--looks once)"


def _obstacle(model: Model, source: str | None) -> str | None:
    """Why there can be no bounds for every look."""
    if source is None:
        return "without resampling there are no ranges; leave --resample none out"
    if source not in ("auto", TWO_WAY, *UNITS):
        return f"{source} gives no variance to make bounds for every look of; use --resample auto or two-way"
    if model.logit is None or model.ranges_from != "resampling":
        return _UNFIT.format(model.id)
    return None


def rho_of(model: Model) -> float:
    """ρ in the units of a model's scores."""
    if model.logit is None:
        raise InputError(_UNFIT.format(model.id))
    return anytime.RHO / model.logit**2


def at_every_look(
    samples: Replicates, data: Judgments | PairCounts, fit: Fit, order: IntArray, p: float
) -> tuple[IntArray, Joint]:
    """Ranges, and what holds of all systems at once, whenever one looks.

    Parameters
    ----------
    samples
        Whose covariance says how sure scores are.
    order
        The codes of the systems, best first.
    """
    assert fit.scores is not None  # rank() refused other fits
    rho = rho_of(fit.model)
    table = anytime.evidence(fit.scores, samples.spread, df=samples.df, rho=rho)
    most = _most(one_sided_times(data))
    table = np.minimum(table, np.minimum(most[:, None], most))
    chances = anytime.adjusted(anytime.across(table, order))
    return anytime.ranges(table, p), Joint(_across_any(chances, order), chances)


def _most(times: FloatArray) -> FloatArray:
    """What can be known, at every look, of a system that won k of k: a mixture of coins against a fair one has the
    likelihood ratio 2^k / (k + 1).
    """
    return np.where(np.isfinite(times), 2 * (np.minimum(times, 1e6) * np.log(2) - np.log1p(times)), np.inf)


def _across_any(chances: FloatArray, order: IntArray) -> FloatArray:
    """``[i, j]``, by code: the chance of error if i is called better than j, by the clearest boundary between them."""
    n = len(order)
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    pairs = np.ones((n, n))
    for i in range(n - 1):
        pairs[i, i + 1 :] = np.minimum.accumulate(chances[i:])
    return np.asarray(pairs[np.ix_(place, place)])


def spread_at_every_look(once: Spread, fit: Fit, df: float | None, p: float) -> Spread:
    """Intervals of scores as wide as every look needs; none where only an exact test gave one for one look.

    ``notes`` says only what is new.
    """
    assert fit.scores is not None  # rank() refused other fits
    reach = reaches(once.errors, p, df, rho_of(fit.model))
    ends = np.stack([fit.scores - reach, fit.scores + reach], axis=1)
    lost = np.isnan(once.errors) & ~np.isnan(once.intervals[:, 0])
    notes = []
    if lost.any():
        names = named([fit.systems[i] for i in np.flatnonzero(lost)])
        notes.append(f"won or lost every comparison, and without an interval that holds at every look: {names}")
    return Spread(np.clip(comparable(ends), *fit.model.limits(len(reach))), once.errors, tuple(notes))


def reaches(errors: FloatArray, p: float, df: float | None, rho: float) -> FloatArray:
    """Half the width of intervals that hold at every look; NaN where there is no standard error."""
    known = errors > 0
    information = np.divide(1.0, errors**2, out=np.full_like(errors, np.nan), where=known)
    return np.where(known, errors * np.sqrt(anytime.critical(information, 1, p, df=df, rho=rho)), np.nan)
