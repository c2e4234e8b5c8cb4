"""What `rank` returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
import polars as pl

from ..errors import InputError
from ..judgments import FloatArray
from ..models.base import Fit
from ..results import Shown, brief, counted
from .anytime import Claims
from .bootstrap import Replicates
from .joint import Boundary, Joint, boundaries_of
from .looks import reaches, rho_of
from .pairs import Pair, PairEvidence, pairs_of
from .ranges import better, stability
from .record import Record


@dataclass(frozen=True)
class RankedSystem:
    """One line of a ranking.

    Without bootstrap samples or draws, ``interval`` (of the score), ``error`` (its standard error) and ``best`` (how
    likely the system is first) are None. ``range`` and ``cluster`` hold for each system by itself; ``joint_range`` for
    all systems at once, and the boundaries of ``joint_cluster`` for all boundaries at once.
    """

    system: str
    score: float
    rank: int
    range: tuple[int, int] | None = None
    cluster: int | None = None
    interval: tuple[float, float] | None = None
    error: float | None = None
    best: float | None = None
    joint_range: tuple[int, int] | None = None
    joint_cluster: int | None = None


@dataclass(frozen=True)
class Cluster:
    """Systems that the evidence does not tell apart.

    ``stability`` is how likely these systems, and no others, take the places of the cluster.
    """

    number: int
    systems: tuple[str, ...]
    stability: float | None


class Outlook(Protocol):
    """What lies ahead of a ranking; rooms above this one know more of it."""

    def to_dict(self, systems: Sequence[str]) -> dict[str, Any]:
        """The documented JSON shape, with the names of the systems by code."""
        ...


@dataclass(frozen=True)
class Ranking(Shown):
    """Systems in order, with rank ranges, clusters and probabilities where there was resampling."""

    shown_by: ClassVar[str] = "rank"

    fit: Fit = field(repr=False)
    lines: tuple[RankedSystem, ...]
    judgments: int
    lang_pair: str | None
    record: Record = field(repr=False)
    replicates: Replicates | None = field(repr=False)
    notes: tuple[str, ...] = ()
    #: Draws of what is believed of the scores, which probabilities are counted from.
    beliefs: Replicates | None = field(default=None, repr=False)
    #: What holds of all systems at once.
    joint: Joint | None = field(default=None, repr=False)
    #: How many judges, segments and rankings there are, of those that every judgment names.
    units: Mapping[str, int] = field(default_factory=dict, repr=False)
    #: Whether tables and plots show the ranges and clusters that hold jointly.
    jointly: bool = field(default=False, repr=False)
    #: The p-values of sign tests that row's system of the fit is better than the column's, if ranges come from these.
    tests: FloatArray | None = field(default=None, repr=False)
    #: The share of every score's variance, by code, that judgments of one judge or segment have in common.
    shared: FloatArray | None = field(default=None, repr=False)
    #: What further judgments are expected to show, if that was asked for (`palmares.design.forecast`).
    forecast: Outlook | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        best, systems = self.lines[0], counted(len(self.lines), "system")
        clusters = f" in {counted(len(self.clusters), 'cluster')}" if self.ranged else ""
        text = f"{systems}{clusters}, {counted(self.judgments, 'judgment')}; best: {brief(best.system)}"
        return self._line(text, self.lang_pair)

    @property
    def signature(self) -> str:
        """How the ranking was made, in one line."""
        return str(self.record)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names, best first."""
        return tuple(line.system for line in self.lines)

    @property
    def looks(self) -> str:
        """``any`` if ranges, intervals and boundaries hold at every look; ``once`` if they are made for one."""
        return str(self.record.facts.get("looks", "once"))

    @cached_property
    def claims(self) -> Claims | None:
        """The boundaries that hold at every look, of a ranking that has these."""
        if self.looks == "once" or self.joint is None:
            return None
        p = self.record.facts["p"]
        return Claims(np.array(self._order(), dtype=np.int64), self.joint.boundaries <= p, p)

    @property
    def ranged(self) -> bool:
        """Whether systems have rank ranges and clusters."""
        return self.lines[0].range is not None

    @property
    def clusters(self) -> list[list[str]]:
        """Names by cluster, best first; all in one list without ranges."""
        grouped: dict[int | None, list[str]] = {}
        for line in self.lines:
            grouped.setdefault(line.cluster, []).append(line.system)
        return [grouped[number] for number in sorted(grouped, key=lambda c: c or 0)]

    @cached_property
    def better(self) -> FloatArray | None:
        """``[i, j]``: how likely the i-th system of this ranking is better than the j-th."""
        return None if self.beliefs is None else better(self._places(self.beliefs))

    @property
    def df(self) -> float | None:
        """Degrees of freedom of the standard errors; None for many, or without any."""
        return None if self.replicates is None else self.replicates.df

    @cached_property
    def boundaries(self) -> tuple[Boundary, ...]:
        """Between every two neighbours, whether a cluster begins there, by itself and jointly with the others.

        Of a ranking that says nothing of all systems at once, no boundary is known to hold jointly.
        """
        if not self.ranged:
            return ()
        numbers = np.array([line.cluster for line in self.lines])
        chances = np.ones(len(numbers) - 1) if self.joint is None else self.joint.boundaries
        return boundaries_of(chances, numbers, self.record.facts["p"])

    def shown_jointly(self) -> Ranking:
        """The same ranking, of which tables and plots show the ranges and clusters that hold jointly."""
        return replace(self, jointly=True)

    def range_of(self, line: RankedSystem) -> tuple[int, int] | None:
        """The rank range that tables and plots show."""
        return line.joint_range if self.jointly else line.range

    def cluster_of(self, line: RankedSystem) -> int | None:
        """The cluster that tables and plots show."""
        return line.joint_cluster if self.jointly else line.cluster

    @cached_property
    def difference_errors(self) -> FloatArray | None:
        """``[i, j]``: the standard error of the difference between the scores of the i-th and the j-th system."""
        if self.replicates is None:
            return None
        order = self._order()
        covariance = self.replicates.spread[np.ix_(order, order)]
        variance = np.diag(covariance)
        return np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0.0))

    @cached_property
    def stability(self) -> tuple[Cluster, ...]:
        """The clusters, and how likely each of them is right."""
        if not self.ranged:
            return ()
        shares: list[float | None] = [None] * len(self.clusters)
        if self.beliefs is not None:
            numbers = np.array([line.cluster for line in self.lines])
            shares = stability(self._places(self.beliefs), numbers).tolist()
        return tuple(
            Cluster(number, tuple(names), share)
            for number, (names, share) in enumerate(zip(self.clusters, shares, strict=True), 1)
        )

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every two systems: how far apart, how surely, and whether their rank ranges separate them."""
        if not self.ranged:
            raise InputError(
                "a ranking without resampling has no rank ranges that could separate systems; use --resample auto"
            )
        order = self._order()
        anchor = str(self.record.settings.get("anchor") or "").rpartition("=")[0]
        evidence = PairEvidence(
            level=self.record.facts["p"],
            scores=None if self.replicates is None else self.replicates.scores[:, order],
            better=self.better,
            tests=None if self.tests is None else self.tests[np.ix_(order, order)],
            adjusted=None if self.joint is None else self.joint.pairs[np.ix_(order, order)],
            unsure=frozenset(line.system for line in self.lines if line.error is None and line.system != anchor),
            reach=self._reach(),
        )
        return pairs_of(self.lines, evidence)

    def _reach(self) -> FloatArray | None:
        """Half the width of the intervals of differences, where these hold at every look."""
        if self.looks == "once" or self.difference_errors is None:
            return None
        return reaches(self.difference_errors, self.record.facts["p"], self.df, rho_of(self.fit.model))

    def _order(self) -> list[int]:
        """The codes that systems have in the fit, in the order of this ranking."""
        code = {name: i for i, name in enumerate(self.fit.systems)}
        return [code[name] for name in self.systems]

    def _places(self, replicates: Replicates) -> Any:
        """Places in every sample, one column per system in the order of this ranking."""
        return replicates.places[:, self._order()]

    def table(self, part: str | None = None) -> pl.DataFrame:
        """One row per system: cluster, rank, range (first, last), score, interval (low, high), error, P(best),
        and what holds jointly: cluster, range.

        Parameters
        ----------
        part
            ``pairs`` or ``probabilities``: one row for every two systems instead.
        """
        if part is not None:
            return super().table(part)
        ranges = [line.range or (None, None) for line in self.lines]
        intervals = [line.interval or (None, None) for line in self.lines]
        together = [line.joint_range or (None, None) for line in self.lines]
        return pl.DataFrame(
            {
                "cluster": pl.Series([line.cluster for line in self.lines], dtype=pl.Int64),
                "rank": [line.rank for line in self.lines],
                "first": pl.Series([r[0] for r in ranges], dtype=pl.Int64),
                "last": pl.Series([r[1] for r in ranges], dtype=pl.Int64),
                "score": [line.score for line in self.lines],
                "system": [line.system for line in self.lines],
                "low": pl.Series([i[0] for i in intervals], dtype=pl.Float64),
                "high": pl.Series([i[1] for i in intervals], dtype=pl.Float64),
                "error": pl.Series([line.error for line in self.lines], dtype=pl.Float64),
                "best": pl.Series([line.best for line in self.lines], dtype=pl.Float64),
                "joint_cluster": pl.Series([line.joint_cluster for line in self.lines], dtype=pl.Int64),
                "joint_first": pl.Series([r[0] for r in together], dtype=pl.Int64),
                "joint_last": pl.Series([r[1] for r in together], dtype=pl.Int64),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        lines = [asdict(line) for line in self.lines]
        for line in lines:
            line |= {key: list(line[key]) if line[key] else None for key in ("range", "interval", "joint_range")}
        return {
            "signature": self.signature,
            "record": self.record.to_dict(),
            "model": self.fit.model.id,
            "lang_pair": self.lang_pair,
            "judgments": self.judgments,
            "systems": lines,
            "notes": list(self.notes),
            **{name: self.record.facts.get(name) for name in ("unit", "p", "resamples", "seed", "data")},
            **({} if self.looks == "once" else {"looks": self.looks}),
            **({} if self.forecast is None else {"forecast": self.forecast.to_dict(self.fit.systems)}),
            "clusters": [
                {"cluster": c.number, "systems": list(c.systems), "stability": c.stability} for c in self.stability
            ],
            "boundaries": [asdict(boundary) for boundary in self.boundaries],
            "better": None if self.better is None else self.better.round(6).tolist(),
            "df": self.df,
            "units": dict(self.units),
            "difference_errors": None if self.difference_errors is None else self.difference_errors.round(6).tolist(),
        }
