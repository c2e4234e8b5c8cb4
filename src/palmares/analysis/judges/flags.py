"""From what stands out about a judge to questions for the organiser. A flag is no verdict on a person."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import betaincinv, expit, ndtr, ndtri

from ...judgments import BoolArray, FloatArray, IntArray
from .evidence import Evidence, Ordinary
from .habits import FEW_UNITS, Habits
from .result import Flag
from .times import Times

#: Enough answers to tell are those with which both errors can be kept at this rate.
ERROR = 0.1
#: Ask where the chance of random answers is at least this, of judges with enough answers and of others, …
CHANCE, CHANCE_OF_FEW = 0.125, 0.75
#: … where an ordinary judge would agree so little with the others no more often than this, and with so many answers.
#: Measured rates of false flags are below it (docs/judges.md), since a chance is asked for as well.
_ORDINARY, _LEAST_ANSWERS = 0.07, 10
#: Answers that agree with the others so clearly are not called unrelated: one-sided p below 1 %.
_RELATED = float(-ndtri(0.01))
#: How much the κ of ordinary judges varies beyond the error of each.
_KAPPA_SD = 0.1
#: Any other flag is raised by chance alone for any of the judges together this often.
_LEVEL = 0.05
#: Always first: of two equal outputs the first wins this often, and surely this often.
_ALWAYS, _SURELY = 0.75, 0.6
#: Straight ties: this share of ties, surely this share, where others would tie at most this share.
_TIES, _SURE_TIES, _OTHERS_TIES = 0.9, 0.75, 0.5


@dataclass(frozen=True)
class Suspicion:
    """The evidence on random answers of every judge.

    Attributes
    ----------
    z
        S / √V₀: how far answers go along with the others, against none at all.
    chance
        P(at random | S).
    ordinary_p
        P(S' ≤ S) of an ordinary judge on the same comparisons: the rate of false flags if S is where flags begin.
    enough
        Whether a bound on S exists at which both errors are at most `ERROR`.
    """

    z: FloatArray = field(repr=False)
    chance: FloatArray = field(repr=False)
    ordinary_p: FloatArray = field(repr=False)
    enough: BoolArray = field(repr=False)

    def random(self, judge: int, answers: int) -> bool:
        """Whether to ask if answers had anything to do with the systems."""
        least = CHANCE if self.enough[judge] else CHANCE_OF_FEW
        return bool(
            answers >= _LEAST_ANSWERS
            and self.chance[judge] >= least
            and self.ordinary_p[judge] <= _ORDINARY
            and self.z[judge] <= _RELATED
        )

    def reversed(self, judge: int, answers: int, judges: int) -> bool:
        return bool(answers >= _LEAST_ANSWERS and self.z[judge] < float(ndtri(_LEVEL / max(judges, 1))))


def suspicion_of(evidence: Evidence, ordinary: Ordinary, answers: IntArray) -> Suspicion:
    """Weigh the evidence; ``answers`` is how many each judge gave."""
    known = evidence.known
    root = np.sqrt(np.where(known, evidence.null_variance, 1.0))
    weights = np.exp(ordinary.log_weights)
    spread = np.sqrt(evidence.variance)

    def below(bound: FloatArray) -> FloatArray:
        return np.asarray(ndtr((bound[:, None] - evidence.mean) / spread) @ weights)

    # At this bound, a random judge is missed with probability ERROR.
    enough = known & (answers >= _LEAST_ANSWERS) & (below(-float(ndtri(ERROR)) * root) <= ERROR)
    return Suspicion(
        z=np.where(known, evidence.total / root, 0.0),
        chance=np.where(known, ordinary.chance(evidence), ordinary.random),
        ordinary_p=np.where(known, below(evidence.total), 1.0),
        enough=enough,
    )


def cleared(chance: FloatArray, kappa: FloatArray, error: FloatArray, person: BoolArray) -> FloatArray:
    """The chance of random answers, less where a judge's κ with people speaks for an ordinary judge.

    Who agrees with others on the very same outputs has looked at them, whatever they say of the systems. κ is normal
    around 0 of somebody at random, around the median of people of an ordinary judge. A low κ adds nothing: it rests on
    the same answers.
    """
    known = np.isfinite(kappa) & (error > 0)
    if not (known & person).any():
        return chance
    usual, error = float(np.median(kappa[known & person])), np.where(known, error, 1.0)
    spread = np.hypot(error, _KAPPA_SD)
    value = np.where(known, kappa, 0.0)
    ratio = 0.5 * ((value - usual) / spread) ** 2 + np.log(spread) - 0.5 * (value / error) ** 2 - np.log(error)
    lower = np.where(known & (value > 0) & (usual > 0), np.minimum(ratio, 0.0), 0.0)
    inside = np.clip(chance, 1e-300, 1 - 1e-16)
    return np.asarray(expit(np.log(inside) - np.log1p(-inside) + lower))


@dataclass(frozen=True)
class Case:
    """All that flags are raised from; ``answer`` is what one answer is called."""

    suspicion: Suspicion = field(repr=False)
    habits: Habits = field(repr=False)
    times: Times | None = field(repr=False)
    judgments: IntArray = field(repr=False)
    answers: IntArray = field(repr=False)
    #: How many answers each judge gave whose systems others link.
    linked: IntArray = field(repr=False)
    ties: FloatArray = field(repr=False)
    usual_ties: FloatArray = field(repr=False)
    agreement: FloatArray = field(repr=False)
    expected: FloatArray = field(repr=False)
    decided: IntArray = field(repr=False)
    #: How many of these judgments say which output was shown first.
    placed: IntArray = field(repr=False)
    person: BoolArray = field(repr=False)
    answer: str
    #: Whether the strengths that judges are compared with are those of a fit that converged.
    converged: bool

    def flags(self, judge: int) -> tuple[Flag, ...]:
        """Everything to ask about one judge."""
        found = (self._related(judge), self._place(judge), self._ties(judge), self._time(judge))
        return tuple(flag for flag in found if flag is not None)

    @property
    def _judges(self) -> int:
        return len(self.person)

    def _count(self, judge: int) -> str:
        number = int(self.answers[judge])
        return f"{number:,} {self.answer}{'' if number == 1 else 's'}"

    def _related(self, judge: int) -> Flag | None:
        if not self.converged:
            return None
        s, linked = self.suspicion, int(self.linked[judge])
        agreed = (
            f"{_percent(self.agreement[judge])} of {self.decided[judge]:,} decided judgments agree with the others' "
            f"order, where {_percent(self.expected[judge])} would be usual"
        )
        if s.reversed(judge, linked, self._judges):
            return Flag(
                "reversed",
                f"answers run against the others' ({agreed}, from {self._count(judge)})",
                "was the scale read the other way round, or do they value something else?",
            )
        if s.random(judge, linked):
            chance = f"chance of that {_percent(min(s.chance[judge], 0.99))}"
            return Flag(
                "random",
                f"answers look unrelated to the systems ({agreed}; {chance}, from {self._count(judge)})",
                "was the task clear to them, and did their screen show the outputs?"
                if self.person[judge]
                else "was it given the outputs, and is its answer read as it was meant?",
            )
        return None

    def _place(self, judge: int) -> Flag | None:
        if not self.placed[judge] or self.answers[judge] < FEW_UNITS:
            return None
        share = first_share(self.habits, judge)
        interval = first_interval(self.habits, judge, _LEVEL / self._judges)
        if interval is None:
            return None
        if share >= _ALWAYS and interval[0] > _SURELY:
            name, side, size = "always-first", "first", share
        elif share <= 1 - _ALWAYS and interval[1] < 1 - _SURELY:
            name, side, size = "always-last", "last", 1 - share
        else:
            return None
        return Flag(
            name,
            f"of two equal outputs the one shown {side} would win {_percent(size)} of the time (from "
            f"{self._count(judge)})",
            "is this a habit, or does their screen make other outputs hard to see?",
        )

    def _ties(self, judge: int) -> Flag | None:
        share, count = float(self.ties[judge]), int(self.answers[judge])
        # Where others say nothing of what was compared, nothing says what is usual.
        if share < _TIES or count < FEW_UNITS or not self.usual_ties[judge] <= _OTHERS_TIES:
            return None
        if share_floor(share, count, _LEVEL / self._judges) < _SURE_TIES:
            return None
        return Flag(
            "straight-ties",
            f"{_percent(share)} of the answers are ties, where {_percent(self.usual_ties[judge])} would be usual (from "
            f"{self._count(judge)})",
            "could they see differences, and did they know that they may prefer one?",
        )

    def _time(self, judge: int) -> Flag | None:
        times = self.times
        if times is None or not self.person[judge]:
            return None
        compared = int(np.isfinite(times.z).sum())
        if not times.too_fast(judge, compared):
            return None
        return Flag(
            "too-fast",
            f"half of their {self.answer}s took less than {seconds_text(times.median[judge])}, where "
            f"{seconds_text(times.others[judge])} is the middle of the other judges (from "
            f"{int(times.answers[judge]):,} timed)",
            "did they read the outputs, or is the time measured in another way?",
        )


def first_share(habits: Habits, judge: int) -> float:
    """How often, of two equal outputs that are not tied, the one shown first would win."""
    return share_of_shift(float(habits.shift[judge]), float(habits.width[judge]))


def first_interval(habits: Habits, judge: int, p: float) -> tuple[float, float] | None:
    """The interval of that share: that of the shift, carried over."""
    span, delta = habits.interval(judge, 2, p), float(habits.width[judge])
    return None if span is None else (share_of_shift(span[0], delta), share_of_shift(span[1], delta))


def share_of_shift(shift: float, delta: float) -> float:
    """F(c − δ) / (F(c − δ) + F(−c − δ))."""
    win, loss = float(expit(shift - delta)), float(expit(-shift - delta))
    return win / max(win + loss, 1e-300)


def share_floor(share: float, count: int, p: float) -> float:
    """The lower bound of a share among so many independent answers, one-sided at level 1 − p (Clopper & Pearson)."""
    hits = share * count
    return float(betaincinv(hits, count - hits + 1, p)) if hits > 0 else 0.0


def seconds_text(seconds: float) -> str:
    """``4.2 s``, ``31 s``, ``2.5 min``."""
    if seconds >= 100:
        return f"{seconds / 60:.1f} min"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
