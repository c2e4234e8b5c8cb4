"""Campaigns that may come: what rankings by so many judges of so many segments would make of what is known now.

Scores of many judgments are nearly normal around the true ones. So a campaign need not be simulated judgment by
judgment: true scores are drawn (from a plan, or from what the judgments so far leave open), and the scores that a
number of rankings would give follow from their covariance, in which judges and segments have parts of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from ...judgments import LEAST_UNITS, FloatArray
from ...ranking.two_way import LEAST_OWN, OWN
from .bounds import States, roots
from .pilot import Likeness, inverse


@dataclass(frozen=True)
class Staff:
    """Who judges what: numbers of judges, and of segments that their rankings are of."""

    judges: int
    segments: int


class Prospect(Protocol):
    """Campaigns whose truth is drawn, seen after any number of (further) rankings."""

    @property
    def campaigns(self) -> int: ...

    @property
    def systems(self) -> int: ...

    def fewer(self, campaigns: int) -> Prospect:
        """The first so many of them."""
        ...

    def states(self, rankings: float, staff: Staff) -> States:
        """All campaigns after so many rankings."""
        ...

    def variance(self, rankings: float, staff: Staff) -> float:
        """The mean true variance of a score after so many rankings."""
        ...


# -- from scratch -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fresh:
    """Campaigns from scratch.

    Attributes
    ----------
    theta
        (campaigns, systems) True scores.
    unit
        (campaigns, systems, systems) The covariance of scores, were every system in a single ranking.
    share
        The share of systems that a ranking shows.
    normal, chance, own
        (campaigns, systems), (2, campaigns), (2, campaigns, systems) What is drawn for each campaign: its errors, and
        how far the estimates of what judges and segments add are off, of all systems together and of each.
    """

    theta: FloatArray = field(repr=False)
    unit: FloatArray = field(repr=False)
    likeness: Likeness
    share: float
    normal: FloatArray = field(repr=False)
    chance: FloatArray = field(repr=False)
    own: FloatArray = field(repr=False)

    @property
    def campaigns(self) -> int:
        return len(self.theta)

    @property
    def systems(self) -> int:
        return int(self.theta.shape[1])

    def fewer(self, campaigns: int) -> Fresh:
        theta, unit, normal = (part[:campaigns] for part in (self.theta, self.unit, self.normal))
        chance, own = (part[:, :campaigns] for part in (self.chance, self.own))
        return Fresh(theta, unit, self.likeness, self.share, normal, chance, own)

    def variance(self, rankings: float, staff: Staff) -> float:
        sittings = rankings * self.share
        single = np.trace(self.unit, axis1=1, axis2=2).mean() / self.systems
        return float((1 + sum(self._excess(sittings, staff))) / sittings * single)

    def states(self, rankings: float, staff: Staff) -> States:
        sittings = rankings * self.share
        spread = np.sqrt((1 + sum(self._excess(sittings, staff))) / sittings)
        scores = self.theta + spread * np.einsum("eij,ej->ei", self._roots, self.normal)
        stretch, df = self._said(rankings, staff)
        return States(scores, self.unit, stretch / np.sqrt(sittings), df, self.theta.argmax(axis=1))

    def _said(self, rankings: float, staff: Staff) -> tuple[FloatArray, float | None]:
        """What `rank` takes judges and segments for: factors of standard errors (campaigns, systems), with their df.

        As `ranking.two_way.combined` does, it estimates one excess for all systems, none below 0, and lets a system
        that seems to be judged clearly more differently than the others have its own, with the t of few units.
        """
        more, reach, dfs = np.zeros_like(self.theta), np.ones_like(self.theta), []
        parts = zip(
            self._excess(rankings * self.share, staff), self._units(rankings, staff), (staff.judges, staff.segments),
            self.chance, self.own, strict=True,
        )  # fmt: skip
        for excess, units, number, chance, own in parts:
            if number < LEAST_UNITS:  # which do not show how much they differ
                continue
            df, few = max((self.systems - 1) * (units - 1), 1.0), max(units - 1, 1.0)
            pooled = np.maximum((1 + excess) * _ratio(df, chance), 1.0)[:, None]
            alone = (1 + excess) * _ratio(few, own)
            apart = (own < OWN) & (alone > pooled) & (units >= LEAST_OWN)
            more += np.where(apart, alone, pooled) - 1
            reach = np.where(apart, np.maximum(reach, _quantile(few) / _quantile(df)), reach)
            dfs.append(df)
        return np.sqrt(1 + more) * reach, min(dfs, default=None)

    def _excess(self, sittings: float, staff: Staff) -> tuple[float, float]:
        """What judges and segments add to a variance, as shares of what it is without: Kish's (b − 1) ρ."""
        more = max(sittings - 1, 0.0)
        like = self.likeness
        return like.judge * more / like.effective(staff.judges), like.segment * more / staff.segments

    def _units(self, rankings: float, staff: Staff) -> tuple[float, float]:
        """How many judges and segments of equal work would share the rankings as these do, at random."""
        numbers = (self.likeness.effective(staff.judges), float(staff.segments))
        judges, segments = (1 / (1 / count + (1 - 1 / count) / rankings) for count in numbers)
        return judges, segments

    @cached_property
    def _roots(self) -> FloatArray:
        return roots(self.unit)


def _ratio(df: float, chance: FloatArray) -> FloatArray:
    """An estimated variance over the true one; ``chance`` is that of a larger one."""
    from scipy.special import chdtri

    return np.asarray(chdtri(df, chance) / df)


def _quantile(df: float) -> float:
    """Of the t distribution, at the level of 95 % intervals."""
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.975))


# -- in the middle of a campaign --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """What judges, or segments, add to the covariance of the scores now, and the share of the work that each has.

    ``shape`` (systems, systems) is what they add for every unit of ``excess`` (campaigns): by how much larger than
    without them a variance is. The excess is estimated, so it is not the same in every campaign that may be.
    """

    shape: FloatArray = field(repr=False)
    excess: FloatArray = field(repr=False)
    shares: FloatArray = field(repr=False)

    @property
    def covariance(self) -> FloatArray:
        """(campaigns, systems, systems)"""
        return np.asarray(self.excess[:, None, None] * self.shape)

    def fewer(self, campaigns: int) -> Part:
        return Part(self.shape, self.excess[:campaigns], self.shares)

    def later(self, units: int, done: float, more: float) -> tuple[float, float, float]:
        """Of the covariance then, and of that between now and then: shares of the one now; and how many units of
        equal work would share all of it.

        New ones join those of now, each group taking its part of what comes, and all share their group's as unevenly
        as those of now have shared what there is. ``done`` and ``more`` are amounts of work.
        """
        own, old = float((self.shares**2).sum()), len(self.shares)
        new = max(units - old, 0)
        stays = (done + more * old / (old + new)) / (done + more)
        comes = (1 - stays) ** 2 * old / new if new else 0.0
        return stays**2 + comes, stays, 1 / (own * (stays**2 + comes))


@dataclass(frozen=True)
class Running:
    """A campaign under way; true scores are drawn from what its judgments leave open.

    Attributes
    ----------
    scores
        (systems,) As they are now.
    theta
        (campaigns, systems) What they may truly be.
    base
        (systems, systems) The covariance of the scores now, without what judges and segments add.
    judge, segment
        What these add; None where it is not known.
    ranking
        (systems, systems) What one more ranking tells of the scores.
    done
        Rankings so far.
    normal
        (campaigns, systems) What is drawn for the errors to come.
    reach
        (systems,) How much wider `rank` makes the errors of a system that it gives effects of its own.
    """

    scores: FloatArray = field(repr=False)
    theta: FloatArray = field(repr=False)
    base: FloatArray = field(repr=False)
    judge: Part | None
    segment: Part | None
    ranking: FloatArray = field(repr=False)
    done: float
    normal: FloatArray = field(repr=False)
    reach: FloatArray = field(repr=False)

    @property
    def campaigns(self) -> int:
        return len(self.theta)

    @property
    def systems(self) -> int:
        return int(self.theta.shape[1])

    def fewer(self, campaigns: int) -> Running:
        judge, segment = (None if part is None else part.fewer(campaigns) for part in (self.judge, self.segment))
        return Running(
            self.scores, self.theta[:campaigns], self.base, judge, segment, self.ranking, self.done,
            self.normal[:campaigns], self.reach,
        )  # fmt: skip

    def variance(self, rankings: float, staff: Staff) -> float:
        then, _, _ = self._later(rankings, staff)
        return float(np.trace(then, axis1=1, axis2=2).mean()) / self.systems

    def states(self, rankings: float, staff: Staff) -> States:
        then, both, df = self._later(rankings, staff)
        pull = both @ self._known
        left = then - pull @ np.swapaxes(both, 1, 2)
        drawn = np.einsum("eij,ej->ei", pull, self.scores - self.theta)
        if rankings > 0:
            drawn += np.einsum("eij,ej->ei", roots((left + np.swapaxes(left, 1, 2)) / 2), self.normal)
        return States(self.theta + drawn, then, np.tile(self.reach, (self.campaigns, 1)), df, self.theta.argmax(axis=1))

    @cached_property
    def _known(self) -> FloatArray:
        """The inverse of the covariance now, in every campaign."""
        return inverse(self.base + sum(part.covariance for part in (self.judge, self.segment) if part is not None))

    def _later(self, rankings: float, staff: Staff) -> tuple[FloatArray, FloatArray, float | None]:
        """The covariance of the scores then, that between now and then, and the degrees of freedom of the estimate."""
        # Judgments are averaged by what they tell, so now and then share all that is left then.
        then = np.tile(inverse(inverse(self.base) + rankings * self.ranking), (self.campaigns, 1, 1))
        both, dfs = then.copy(), []
        for part, units in ((self.judge, staff.judges), (self.segment, staff.segments)):
            if part is None:
                continue
            own, shared, effective = part.later(units, self.done, rankings)
            then += own * part.covariance
            both += shared * part.covariance
            dfs.append(max((self.systems - 1) * (effective - 1), 1.0))
        return then, both, min(dfs, default=None)
