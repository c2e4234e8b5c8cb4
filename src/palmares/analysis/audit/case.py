"""What all checks of one audit share, made once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...compute import generator
from ...judgments import Judgments
from ...judgments.counts import FloatArray, PairCounts
from ...judgments.digest import row_words
from ...judgments.units import Unit, choose_unit, unit_codes
from ...models.base import Model, Scorer
from ...models.bradley_terry import BradleyTerry, BradleyTerryFit
from ...ranking.bootstrap import Replicates, resample
from ...ranking.rank import Ranking
from .blocks import Blocks, blocks
from .points import Points, residual_points

if TYPE_CHECKING:
    from .judges import JudgeSums

IntArray = npt.NDArray[np.int64]

#: The ways to count a tie that are compared, and how a sentence names them.
CONVENTIONS = {
    "half": "if ties count half", "ignore": "if ties are ignored", "davidson": "if ties are modelled (Davidson)"
}  # fmt: skip
#: Purposes of generators: `generator(seed, purpose, number)`; 0 to 2 belong to `rank`.
JUDGES, DRIFT, CYCLES, LEFT_OUT = 11, 12, 13, 14
#: Nobody reads what a thousand and first judge changes.
_MOST_JUDGES = 1000
_NUMBERS_IN_A_PIECE = 4_000_000


@dataclass(frozen=True)
class Tally:
    """Scores of all judgments, and of every bootstrap sample: arrays (systems,) and (samples, systems)."""

    scores: FloatArray = field(repr=False)
    samples: FloatArray = field(repr=False)


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
    linked: list[tuple[str, ...]]
    model: Model
    ranking: Ranking
    resamples: int
    seed: int
    p: float
    compute: Mapping[str, Any]
    #: What the ranking's own samples drew: a unit, or ``posterior``.
    drawn: str

    @property
    def systems(self) -> tuple[str, ...]:
        return self.judgments.systems

    @cached_property
    def unit(self) -> Unit:
        """What belongs together: rankings, or single judgments where there are no rankings."""
        return choose_unit(self.judgments, "auto")[0]

    @cached_property
    def units(self) -> IntArray:
        """The unit of every row."""
        return unit_codes(self.judgments, self.unit)

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
        return blocks(self.per_unit("judge"), self.per_unit("segment"), self.judgments)

    @property
    def block_name(self) -> str:
        return "segment" if self.blocks.by_segment else self.unit_name

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
    def by_judge(self) -> Replicates | None:
        """Samples that draw judges, where every judgment has one of at least two."""
        judge = self.judgments.codes("judge")
        if len(self.judgments.judges) < 2 or bool((judge < 0).any()):
            return None
        return self._resampled(self._scorer, "judge")

    @cached_property
    def conventions(self) -> Mapping[str, Tally]:
        """Bradley–Terry under every convention for ties, on the same samples; empty without ties."""
        if not self.judgments.counts.ties.any():
            return {}
        found = {}
        for name in CONVENTIONS:
            model = BradleyTerry(ties=name)
            # The same seed draws the same samples, so those of the ranking itself need not be drawn again.
            known = model == self.model and self.drawn == self.unit
            samples = self.samples if known else self._resampled(model, self.unit).scores
            found[name] = Tally(model.score(_batch(self.judgments.counts), [])[0], samples)
        return found

    @cached_property
    def left_out(self) -> LeftOut | None:
        """Scores without each judge, for the judges with the most judgments; None with fewer than two judges."""
        if len(self.judgments.judges) < 2:
            return None
        counts, model = self.judgments.counts, self._scorer
        rngs = [generator(self.seed, LEFT_OUT, 0)]
        scores = model.score(_batch(counts), rngs)[0]
        codes = self.judgments.codes("judge")
        amounts = np.bincount(codes[codes >= 0], minlength=len(self.judgments.judges))
        judges = np.sort(np.argsort(-amounts, kind="stable")[:_MOST_JUDGES])
        return LeftOut(model, scores, judges, self._without(model.prepared(counts), judges))

    @cached_property
    def judge_sums(self) -> JudgeSums | str:
        """Residual points by judge, or why judges cannot be compared."""
        from .judges import judge_sums

        return judge_sums(self)

    @cached_property
    def exchanged_judges(self) -> FloatArray:
        """Statistics of rankings whose judges were exchanged, for the two checks that need them."""
        from .judges import exchanged

        assert not isinstance(self.judge_sums, str)  # a check that has nothing to compare does not ask
        return exchanged(self, self.judge_sums)

    @property
    def _scorer(self) -> Model:
        """The model, or Bradley–Terry where one score of it is random, or needs more than counts."""
        model = self.model
        return model if model.needs == "counts" and model.ranges_from == "resampling" else BradleyTerry()

    def _without(self, model: Scorer, judges: IntArray) -> FloatArray:
        step = max(1, _NUMBERS_IN_A_PIECE // (6 * len(self.systems) ** 2))
        pieces = [judges[lo : lo + step] for lo in range(0, len(judges), step)]
        rngs = [[generator(self.seed, LEFT_OUT, 1 + int(j)) for j in piece] for piece in pieces]
        found = [model.score(self._remaining(piece), r) for piece, r in zip(pieces, rngs, strict=True)]
        return np.concatenate(found)

    def _remaining(self, judges: IntArray) -> PairCounts:
        """The counts without each of some judges: a batch."""
        cells, size = self.judgments.cells, len(self.systems) ** 2 * 3
        place = np.full(len(self.judgments.judges) + 1, -1)  # the last is for rows without a judge
        place[judges] = np.arange(len(judges))
        of_row = place[self.judgments.codes("judge")]
        theirs = of_row >= 0
        key = of_row[theirs] * size + cells[theirs]
        own = np.bincount(key, self.weights[theirs], minlength=len(judges) * size).reshape(len(judges), size)
        whole = np.bincount(cells, self.weights, minlength=size)
        return PairCounts.from_table(self.systems, np.maximum(whole - own, 0.0))

    def _resampled(self, model: Model, unit: Unit) -> Replicates:
        return resample(
            model, self.judgments, unit=unit, resamples=self.resamples, seed=self.seed, **self.compute
        )  # fmt: skip


def in_order(judgments: Judgments) -> Judgments:
    """The same table, its rows sorted by unit and content, whatever order they came in."""
    unit, _ = choose_unit(judgments, "auto")
    return judgments.take(np.lexsort((row_words(judgments.frame), unit_codes(judgments, unit))))


def _batch(counts: PairCounts) -> PairCounts:
    return PairCounts(counts.systems, counts.wins[None], counts.ties[None])
