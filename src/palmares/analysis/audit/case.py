"""What all checks of one audit share, made once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ...compute import Execution, Stream
from ...errors import InputError
from ...judgments import (
    BoolArray,
    FloatArray,
    IntArray,
    Judgments,
    PairCounts,
    Unit,
    cell_count,
    choose_unit,
    linked_unit,
    row_words,
    settle_forced_ties,
    unit_codes,
    unit_kinds,
)
from ...models.base import Model, Scorer
from ...models.bradley_terry import BradleyTerry, BradleyTerryFit
from ...ranking.bootstrap import resample
from ...ranking.evidence import source_of
from ...ranking.looks import reaches, rho_of
from ...ranking.rank import rank
from ...ranking.result import Ranking
from .pulls import Pulls, joint_covariance, pulls_of
from .residuals import Blocks, JudgeSums, Points, blocks, judge_sums, residual_points

#: The ways to count a tie that are compared, and how a sentence names them.
CONVENTIONS = {
    "half": "if ties count half", "ignore": "if ties are ignored", "davidson": "if ties are modelled (Davidson)"
}  # fmt: skip
#: Nobody reads what a thousand and first judge changes; of many systems, each takes long.
_MOST_JUDGES, _MOST_OF_MANY = 1000, 100
#: From here on refits take long.
MANY_SYSTEMS = 100
_NUMBERS_IN_A_PIECE = 4_000_000


@dataclass(frozen=True)
class Tallies:
    """Bradley–Terry under every convention for ties: scores, and how those of all conventions vary together.

    ``covariance`` is an array (conventions, systems, conventions, systems), by units that belong together.
    """

    scores: Mapping[str, FloatArray] = field(repr=False)
    covariance: FloatArray = field(repr=False)


@dataclass(frozen=True)
class LeftOut:
    """Scores without one judge at a time: ``without[k]`` are those without judge ``judges[k]``."""

    model: Model
    scores: FloatArray = field(repr=False)
    judges: IntArray = field(repr=False)
    without: FloatArray = field(repr=False)


@dataclass(frozen=True)
class Case:
    """The judgments of the largest linked group of systems, their ranking, and what checks derive from them.

    Rows stand in an order that depends on their content alone, so that no sum depends on the order of a file.
    """

    judgments: Judgments
    #: The same with ties of shared outputs, if these were left out.
    given: Judgments
    linked: list[tuple[str, ...]]
    model: Model
    ranking: Ranking
    #: What the ranking's own samples drew: a unit, or ``posterior``.
    drawn: str
    resamples: int
    p: float
    execution: Execution

    @property
    def systems(self) -> tuple[str, ...]:
        return self.judgments.systems

    @cached_property
    def unit(self) -> Unit:
        """What belongs together: rankings, or single judgments where there are no rankings."""
        return linked_unit(self.judgments)

    @cached_property
    def units(self) -> IntArray:
        """The unit of every row."""
        return unit_codes(self.judgments, self.unit)

    @property
    def reach(self) -> float:
        """How many standard errors an interval reaches to both sides, and what is just significant."""
        from scipy.special import ndtri, stdtrit

        df = self.ranking.df
        return float(ndtri(1 - self.p / 2) if df is None else stdtrit(df, 1 - self.p / 2))

    def reach_of(self, error: float) -> float:
        """How far the interval of a difference of scores reaches to both sides: at every look, if the ranking's do."""
        if self.ranking.looks == "once":
            return self.reach * error
        return float(reaches(np.array([error]), self.p, self.ranking.df, rho_of(self.model))[0])

    @cached_property
    def difference_errors(self) -> FloatArray:
        """``[i, j]``: the ranking's standard error of the difference between two scores."""
        assert self.ranking.replicates is not None  # audit() refused a ranking without
        covariance = self.ranking.replicates.spread
        variance = np.diag(covariance)
        return np.asarray(np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0.0)))

    @property
    def unit_name(self) -> str:
        return "ranking" if self.unit == "ranking" else "judgment"

    @cached_property
    def fit(self) -> BradleyTerryFit:
        """Bradley–Terry with Davidson's ties: what is expected where nothing is wrong."""
        return BradleyTerry().fit(self.judgments)

    @cached_property
    def blocks(self) -> Blocks:
        """Units that one judge made of one segment."""
        return blocks(self.per_unit("judge"), self.per_unit("segment"), self.judgments, self.unit_name)

    @cached_property
    def points(self) -> Points:
        """Residual points of every block."""
        return residual_points(self.judgments, self.blocks.of_unit[self.units], self.fit.outcomes)

    @cached_property
    def amount(self) -> int:
        """How many units there are."""
        return int(self.units.max()) + 1

    @cached_property
    def weights(self) -> FloatArray:
        """What every row counts."""
        given = self.judgments.weights
        return np.ones(len(self.judgments)) if given is None else given

    @cached_property
    def shared(self) -> IntArray:
        """``[i, j]``, i < j: how many ties there were because the two shared an output, whether they count or not."""
        count = np.zeros((len(self.systems), len(self.systems)), dtype=np.int64)
        given = self.given
        place = {name: code for code, name in enumerate(self.systems)}
        here = np.array([place.get(name, -1) for name in given.systems])
        a, b = (here[given.codes(f"system_{side}")[given.forced]] for side in "ab")
        # Sorted names have sorted codes in both tables.
        np.add.at(count, (a[(a >= 0) & (b >= 0)], b[(a >= 0) & (b >= 0)]), 1)
        return count

    @cached_property
    def segments_or_units(self) -> IntArray:
        """What every row looks at: its segment, or its unit where segments are not known."""
        segment = self.judgments.codes("segment").astype(np.int64)
        alone = len(self.judgments.segments) + self.units
        return np.where((segment >= 0) & (len(self.judgments.segments) > 1), segment, alone)

    def per_unit(self, column: str) -> IntArray:
        """The code of every unit in a column of names; −1 where it has none."""
        codes = np.full(self.amount, -1, dtype=np.int64)
        codes[self.units] = self.judgments.codes(column)
        return codes

    @cached_property
    def samples(self) -> FloatArray:
        """Scores of the ranking's own samples."""
        assert self.ranking.replicates is not None  # audit() refused a ranking without
        return self.ranking.replicates.scores

    @cached_property
    def by_judge(self) -> FloatArray | None:
        """Scores of samples that draw judges, where every judgment has one of at least two.

        Refits of hundreds of systems take long; then what each judge changes is added up instead.
        """
        judge = self.judgments.codes("judge")
        if len(self.judgments.judges) < 2 or bool((judge < 0).any()):
            return None
        if len(self.systems) <= MANY_SYSTEMS:
            quiet = replace(self.execution, progress=None)
            drawn = resample(self.scorer, self.judgments, unit="judge", resamples=self.resamples, execution=quiet)
            return drawn.scores
        kinds, counts = unit_kinds(self.judgments, "judge"), self.judgments.counts
        rng = self.execution.generator(Stream.AUDIT_POWER, 1)
        more = np.stack([kinds.draw(rng) for _ in range(self.resamples)]) - kinds.copies
        scores = self.scorer.score(counts.batch, [self.execution.generator(Stream.AUDIT_LEFT_OUT, 0)])[0]
        few = np.sqrt(kinds.units / (kinds.units - 1))
        return np.asarray(scores - few * more @ self.scorer.influences(counts, kinds))

    @cached_property
    def pulls(self) -> Pulls:
        """How every kind of judgment pulls at the fit."""
        return pulls_of(BradleyTerry(), self.judgments.counts)

    @cached_property
    def conventions(self) -> Tallies | None:
        """Bradley–Terry under every convention for ties; None without ties."""
        counts = self.judgments.counts
        if not counts.ties.any():
            return None
        pulls = {name: pulls_of(BradleyTerry(ties=name), counts) for name in CONVENTIONS if name != BradleyTerry.ties}
        pulls = {name: self.pulls if name == BradleyTerry.ties else pulls[name] for name in CONVENTIONS}
        cells, weights, units = self.judgments.cells, self.weights, self.units
        slopes = {name: each.slopes(cells, weights, units) for name, each in pulls.items()}
        inverses = {name: each.inverse for name, each in pulls.items()}
        return Tallies({name: each.scores for name, each in pulls.items()}, joint_covariance(slopes, inverses))

    @cached_property
    def left_out(self) -> LeftOut | None:
        """Scores without each judge, for the judges with the most judgments; None with fewer than two judges."""
        if len(self.judgments.judges) < 2:
            return None
        counts, model = self.judgments.counts, self.scorer
        scores = model.score(counts.batch, [self.execution.generator(Stream.AUDIT_LEFT_OUT, 0)])[0]
        codes = self.judgments.codes("judge")
        amounts = np.bincount(codes[codes >= 0], minlength=len(self.judgments.judges))
        most = _MOST_JUDGES if len(self.systems) <= MANY_SYSTEMS else _MOST_OF_MANY
        judges = np.sort(np.argsort(-amounts, kind="stable")[:most])
        return LeftOut(model, scores, judges, self._without(model.prepared(counts), judges))

    @cached_property
    def can_lose(self) -> BoolArray:
        """``[i, j]``: whether a chain of wins leads from j to i."""
        return chains_of_wins(self.judgments.counts)

    @cached_property
    def rows_counted(self) -> PairCounts:
        """Pair counts with weights of mean 1, so that heavy judgments are no more evidence than there are of them."""
        return PairCounts.from_cells(self.systems, self.judgments.cells, self.weights / self.weights.mean())

    @cached_property
    def judge_sums(self) -> JudgeSums | str:
        """Residual points by judge, or why judges cannot be compared."""
        return judge_sums(self.judgments, self.blocks, self.points)

    @cached_property
    def alike_judges(self) -> FloatArray:
        """Whitened sums of judges who are alike, for the power of the same two checks."""
        assert not isinstance(self.judge_sums, str)
        return self.judge_sums.alike(self.execution)

    @cached_property
    def exchanged_judges(self) -> FloatArray:
        """Statistics of rankings whose judges were exchanged, for the two checks that need them."""
        assert not isinstance(self.judge_sums, str)  # a check that has nothing to compare does not ask
        return self.judge_sums.exchanged(self.execution)

    @property
    def scorer(self) -> Model:
        """The model, or Bradley–Terry where one score of it is random, or needs more than counts."""
        model = self.model
        return model if model.needs == "counts" and model.ranges_from == "resampling" else BradleyTerry()

    def _without(self, model: Scorer, judges: IntArray) -> FloatArray:
        step = max(1, _NUMBERS_IN_A_PIECE // (6 * len(self.systems) ** 2))
        pieces = [judges[lo : lo + step] for lo in range(0, len(judges), step)]
        rngs = [[self.execution.generator(Stream.AUDIT_LEFT_OUT, 1 + int(j)) for j in piece] for piece in pieces]
        scores = [model.score(self._remaining(piece), r) for piece, r in zip(pieces, rngs, strict=True)]
        return np.concatenate(scores)

    def _remaining(self, judges: IntArray) -> PairCounts:
        """The counts without each of some judges: a batch."""
        cells, size = self.judgments.cells, cell_count(len(self.systems))
        place = np.full(len(self.judgments.judges) + 1, -1)  # the last is for rows without a judge
        place[judges] = np.arange(len(judges))
        of_row = place[self.judgments.codes("judge")]
        theirs = of_row >= 0
        key = of_row[theirs] * size + cells[theirs]
        own = np.bincount(key, self.weights[theirs], minlength=len(judges) * size).reshape(len(judges), size)
        whole = np.bincount(cells, self.weights, minlength=size)
        return PairCounts.from_table(self.systems, np.maximum(whole - own, 0.0))


def chains_of_wins(counts: PairCounts) -> BoolArray:
    """``[i, j]``: whether j beat i, or beat a system that a chain of wins leads from to i."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    beaten_by = csr_array((counts.wins.T > 0).astype(np.int8))
    chains = np.zeros(counts.wins.shape, dtype=bool)
    for system in range(len(chains)):
        chains[system, breadth_first_order(beaten_by, system, return_predecessors=False)] = True
    return chains


def case_of(
    given: Judgments,
    model: Model,
    *,
    resample: str,
    resamples: int,
    p: float,
    execution: Execution,
    looks: str = "auto",
) -> Case:
    """Rank what can be ranked, and put it in order for the checks."""
    judgments = settle_forced_ties(given, "auto", model.forced_ties)
    linked = judgments.counts.components(decisive=model.linked_by == "decisive")
    ranking = rank(
        judgments, model=model, resample=resample, resamples=resamples, p=p, largest_component=True, looks=looks,
        execution=replace(execution, progress=None),
    )  # fmt: skip
    if ranking.replicates is None:
        reason = "; ".join(ranking.notes) or f"resample {resample!r} gives model {model.id!r} no samples"
        raise InputError(f"an audit needs samples that vary, and there are none: {reason}")
    judgments = judgments.keep(ranking.systems)
    source = source_of(model, resample) or resample
    return Case(
        judgments=_in_order(judgments),
        given=given,
        linked=linked,
        model=model,
        ranking=ranking,
        drawn=source if source == "posterior" else choose_unit(judgments, source)[0],
        resamples=resamples,
        p=p,
        execution=execution,
    )


def _in_order(judgments: Judgments) -> Judgments:
    """The same table, its rows sorted by unit and content, whatever order they came in."""
    unit = linked_unit(judgments)
    return judgments.take(np.lexsort((row_words(judgments.frame), unit_codes(judgments, unit))))
