"""The `Model` → `Fit` protocol that every model follows.

A model is a frozen dataclass whose fields are its settings and nothing else; `fit` returns a new frozen `Fit`. What a
model can do it declares (`ModelBase` lists the declarations), and nobody asks for its class: one that ``needs`` counts
is scored on resampled counts, one that needs rows is fitted anew to resampled judgments; one whose predictions depend
on nothing but the two systems (``knows`` is empty) is tested on pairs, any other judgment by judgment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np

from ..compute import RngLike
from ..errors import InputError, UnplaceableError
from ..judgments import BoolArray, FloatArray, IntArray, Judgments, Kept, PairCounts, UnitKinds, cell_count

RangeSource = Literal["resampling", "posterior", "runs"]
#: What a model is fitted to and resampled on: pair counts are enough, or it reads the rows.
Needs = Literal["counts", "rows"]
#: Which judgments put two systems on one scale: all, or those that are not ties.
Links = Literal["any", "decisive"]


class RowInfluences(NamedTuple):
    """What every judgment does to the scores of a fit: its share in the gradient (rows, systems); roots of the
    information of any rows (rows, m, systems), a row's being Σ_m r rᵀ, and that of all rows the whole but for priors of
    the common parameters; and the information of the whole fit (systems, systems).

    ``of_segments`` are the shares in the gradient that leave with a whole segment, where they are others: a model that
    knows the outputs of a segment thinks of them anew when a few of its judgments leave.
    """

    scores: FloatArray
    roots: Callable[[IntArray], FloatArray]
    whole: FloatArray
    of_segments: FloatArray | None = None


class Prediction(NamedTuple):
    """Probabilities of the three outcomes when a meets b."""

    win: float
    tie: float
    loss: float


@dataclass(frozen=True)
class Convergence:
    """How an iterative fit ended. Closed-form fits are converged after 0 iterations."""

    converged: bool = True
    iterations: int = 0
    detail: str = "closed form"


@dataclass(frozen=True)
class Fit:
    """What a model found out. ``scores[i]`` belongs to ``systems[i]``; larger is better.

    A fit that only ranks leaves ``predict`` alone; one that only predicts has ``scores = None``. One that knows more
    of a judgment than its two systems defines `predict_rows` too.
    """

    model: Model
    systems: tuple[str, ...]
    scores: FloatArray | None = field(repr=False)
    deviations: FloatArray | None = field(default=None, repr=False)
    convergence: Convergence = Convergence()
    notes: tuple[str, ...] = ()
    #: Scores of single posterior draws or runs, (draws, systems), where the model makes them.
    draws: FloatArray | None = field(default=None, repr=False)
    #: Codes of the systems, best first, where the model's answer is an order; None where it is that of the scores.
    order: IntArray | None = field(default=None, repr=False)
    #: What the settings that were asked to ``fit`` came to.
    fitted: Mapping[str, float] = field(default_factory=dict)

    @property
    def ranks(self) -> bool:
        """Whether the fit gives every system a score."""
        return self.scores is not None

    @property
    def predicts(self) -> bool:
        """Whether `predict` can be called."""
        return self.model.predicts

    def predict(self, a: str | int, b: str | int) -> Prediction:
        """Probabilities that a is judged better than, equal to, or worse than b (names or codes)."""
        raise InputError(f"model {self.model.id!r} ranks but does not predict outcomes")

    def predict_pairs(self) -> FloatArray:
        """P(win), P(tie), P(loss) of every two systems, an array (n, n, 3); ⅓ each of a system and itself."""
        n = len(self.systems)
        table = np.full((n, n, 3), 1 / 3)
        for i, j in zip(*np.nonzero(~np.eye(n, dtype=bool)), strict=True):
            table[i, j] = self.predict(int(i), int(j))
        return table

    def predict_rows(self, judgments: Judgments) -> FloatArray:
        """P(a better), P(tie), P(b better) of every judgment, an array (rows, 3); systems are matched by name."""
        a, b = self.row_codes(judgments)
        return np.asarray(self.predict_pairs()[a, b])

    def update(self, more: Judgments | PairCounts) -> Fit:
        """The fit to these judgments and ``more`` of the same systems, without starting over."""
        raise InputError(f"model {self.model.id!r} cannot add judgments to a fit; fit all of them together")

    def code(self, system: str | int) -> int:
        """The code of a system given by name or code."""
        if isinstance(system, str):
            if system not in self.systems:
                raise InputError(f"unknown system {system!r}; there are: {', '.join(self.systems)}")
            return self.systems.index(system)
        if not 0 <= system < len(self.systems):
            raise InputError(f"system code {system} is out of range 0 to {len(self.systems) - 1}")
        return int(system)

    def row_codes(self, judgments: Judgments) -> tuple[IntArray, IntArray]:
        """This fit's codes of the two systems of every judgment."""
        known = {name: code for code, name in enumerate(self.systems)}
        code = np.array([known.get(name, -1) for name in judgments.systems], dtype=np.int64)
        a, b = (code[judgments.codes(side)] for side in ("system_a", "system_b"))
        if (unknown := np.minimum(a, b) < 0).any():
            row = int(np.flatnonzero(unknown)[0])
            side = "system_a" if a[row] < 0 else "system_b"
            self.code(judgments.systems[judgments.codes(side)[row]])  # which refuses it by name
        return a, b


@dataclass(frozen=True)
class OutcomeFit(Fit):
    """A fit that predicts: ``outcomes[i, j]`` are P(win), P(tie), P(loss) when i meets j."""

    outcomes: FloatArray = field(kw_only=True, repr=False)

    def predict(self, a: str | int, b: str | int) -> Prediction:
        i, j = self.code(a), self.code(b)
        if i == j:
            raise InputError(f"system {self.systems[i]!r} is not compared with itself; name two systems")
        return Prediction(*map(float, self.outcomes[i, j]))

    def predict_pairs(self) -> FloatArray:
        return self.outcomes


class Shifting(NamedTuple):
    """A scale whose zero is a convention: the model without it, and the weights of two means that scores are seen from.

    ``known`` weighs systems by how much is known of each, so that a newcomer does not make all others seem unsure;
    ``fixed`` is what the scale holds in place.
    """

    model: Model
    known: FloatArray
    fixed: FloatArray


class Scorer(Protocol):
    """What scores resampled counts: a model, or what it prepared for that."""

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray: ...


class Rescorer(Protocol):
    """What scores resampled judgments, each counted so many times: what a model prepared for that."""

    def rescore(self, weights: FloatArray) -> FloatArray: ...


@runtime_checkable
class Model(Protocol):
    """Settings, what can be done with them, and a way to fit judgments; `ModelBase` says what each part means."""

    id: ClassVar[str]

    @property
    def needs(self) -> Needs: ...
    @property
    def ranks(self) -> bool: ...
    @property
    def predicts(self) -> bool: ...
    @property
    def updates(self) -> bool: ...
    @property
    def weights(self) -> bool: ...
    @property
    def forced_ties(self) -> Kept: ...
    @property
    def knows(self) -> frozenset[str]: ...
    @property
    def warm_starts(self) -> bool: ...
    @property
    def ranges_from(self) -> RangeSource: ...
    @property
    def linked_by(self) -> Links: ...
    @property
    def smooth(self) -> bool: ...
    @property
    def logit(self) -> float | None: ...
    @property
    def lacks(self) -> Mapping[str, str]: ...
    @property
    def fits(self) -> tuple[str, ...]: ...

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> Fit:
        """Fit one table; refuse systems that cannot be placed."""
        ...

    def single_run(self) -> Model: ...
    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray: ...
    def prepared(self, counts: PairCounts) -> Scorer: ...
    def rescore(self, judgments: Judgments, *, rng: np.random.Generator) -> FloatArray: ...
    def warmed(self, judgments: Judgments) -> Rescorer: ...
    def one_sided(self, counts: PairCounts) -> BoolArray: ...
    def limits(self, systems: int) -> tuple[float, float]: ...
    def independent_errors(self, counts: PairCounts, fit: Fit) -> FloatArray | None: ...
    def shifting(self, counts: PairCounts, fit: Fit) -> Shifting | None: ...
    def exact_interval(self, kinds: UnitKinds, system: int, p: float) -> tuple[float, float] | None: ...
    def influences(self, counts: PairCounts, kinds: UnitKinds) -> FloatArray: ...
    def influence_rows(self, judgments: Judgments, fit: Fit) -> RowInfluences: ...


class ModelBase:
    """What a model declares, with what most models say; every declaration is tested by the contract suite."""

    id: ClassVar[str]
    #: What a fit and its bootstrap read: pair counts (then the model has `score`) or the rows (then `rescore`).
    needs: ClassVar[Needs] = "counts"
    #: Whether a fit has scores, has probabilities, and takes more judgments by `Fit.update`.
    ranks: ClassVar[bool] = True
    predicts: ClassVar[bool] = True
    updates: ClassVar[bool] = False
    #: Whether judgments may count more or less than once.
    weights: ClassVar[bool] = True
    #: Whether ties of systems that shared an output are counted unless somebody says: official procedures keep them.
    forced_ties: ClassVar[Kept] = "drop"
    #: What a prediction depends on beyond the two systems: ``judge``, ``segment``, ``position``, names of covariates.
    knows: ClassVar[frozenset[str]] = frozenset()
    #: Whether a fit can begin where another ended; then `warmed` scores resampled judgments from the fit to all.
    warm_starts: ClassVar[bool] = False
    #: Where rank ranges come from unless a unit is asked for: a bootstrap; the fit's own posterior draws; or its
    #: random runs (the setting ``runs``), in which case a bootstrap sample is one run and the score is the mean over
    #: samples.
    ranges_from: ClassVar[RangeSource] = "resampling"
    #: Which judgments put two systems on one scale.
    linked_by: ClassVar[Links] = "any"
    #: Whether scores are smooth functions of the counts, so that what leaving out a unit changes tells how they vary.
    smooth: ClassVar[bool] = False
    #: How far apart scores are, about, of two systems of which one beats the other with odds of e, known before there
    #: are judgments. None where no such thing is fixed, or where scores depend on which comparisons were chosen.
    logit: ClassVar[float | None] = None
    #: Contract properties that the model lacks by definition, with the reason.
    lacks: ClassVar[Mapping[str, str]] = {}
    #: Settings that may be ``fit`` instead of a number, and are then estimated from the judgments.
    fits: ClassVar[tuple[str, ...]] = ()

    def single_run(self) -> Self:
        """The model with one random run, for where bootstrap samples are the runs; other models are their own."""
        return self

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        """Scores of every member of a batch of counts, one generator for each: an array (batch, systems)."""
        raise NotImplementedError

    def prepared(self, counts: PairCounts) -> Scorer:
        """What scores samples of these counts fastest; a model that needs no preparation is its own."""
        return self

    def rescore(self, judgments: Judgments, *, rng: np.random.Generator) -> FloatArray:
        """The scores of one bootstrap sample.

        The sample keeps the systems of the full table, also those that no drawn judgment mentions; every system
        must get a finite score.
        """
        raise NotImplementedError

    def warmed(self, judgments: Judgments) -> Rescorer:
        """What scores resampled judgments fastest, of a model that needs rows and ``warm_starts``."""
        raise NotImplementedError

    def influence_rows(self, judgments: Judgments, fit: Fit) -> RowInfluences:
        """Of a ``smooth`` model that needs rows: what every judgment does to the scores."""
        raise NotImplementedError

    def one_sided(self, counts: PairCounts) -> BoolArray:
        """Systems that won, or lost, everything that the model counts.

        They do so in every bootstrap sample too, so samples cannot show how unsure their scores are.
        """
        ties = counts.ties.sum(axis=1) if self.linked_by == "any" else 0.0
        wins, losses = counts.wins.sum(axis=1), counts.wins.sum(axis=0)
        return np.asarray((wins + ties == 0) | (losses + ties == 0))

    def limits(self, systems: int) -> tuple[float, float]:
        """The least and the largest score that there can be among so many systems."""
        return -np.inf, np.inf

    def independent_errors(self, counts: PairCounts, fit: Fit) -> FloatArray | None:
        """Standard errors of the scores if all judgments were independent and what is known of one system said nothing
        of another; 0 only for an anchor. None where the model has none.
        """
        return None

    def shifting(self, counts: PairCounts, fit: Fit) -> Shifting | None:
        """What to see scores from, where only their differences mean anything; None where each means something."""
        return None

    def exact_interval(self, kinds: UnitKinds, system: int, p: float) -> tuple[float, float] | None:
        """The interval, of level 1 − p, of a one-sided system's score, where the number of its units gives one."""
        return None

    def influences(self, counts: PairCounts, kinds: UnitKinds) -> FloatArray:
        """By how much the scores of ``counts`` change when one unit of a kind is left out: an array (kinds, systems).

        Unless the model knows better, by scoring the counts without it; random models begin at the same seed each time.
        """
        if self.needs != "counts":
            raise InputError(f"model {self.id!r} reads the judgments themselves, so no counts can be left out")
        cells = cell_count(len(kinds.systems))
        full = self.score(counts.batch, [np.random.default_rng(0)])
        at_once = max(1, 4_000_000 // cells)
        changes = []
        for lo in range(0, len(kinds.copies), at_once):
            starts = kinds.starts[lo : lo + at_once + 1]
            rows, inside = len(starts) - 1, slice(starts[0], starts[-1])
            place = np.repeat(np.arange(rows), np.diff(starts)) * cells + kinds.cells[inside]
            table = np.bincount(place, kinds.amounts[inside], rows * cells).astype(np.float64)
            unit = PairCounts.from_table(kinds.systems, table.reshape(rows, cells))
            # What is left of a sum of weights by rounding alone is nothing.
            wins, ties = (
                np.where(whole - part > 1e-9 * whole, whole - part, 0.0)
                for whole, part in ((counts.wins, unit.wins), (counts.ties, unit.ties))
            )
            rest = PairCounts(counts.systems, wins, ties)
            changes.append(self.score(rest, [np.random.default_rng(0) for _ in wins]) - full)
        return np.concatenate(changes)


class CountModel(ModelBase):
    """Base of the models that read nothing but pair counts; unless they say otherwise, they rank and do not predict."""

    predicts: ClassVar[bool] = False
    linked_by: ClassVar[Links] = "decisive"

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> Fit:
        counts = counts_of(data)
        check_placeable(counts, linked_by=self.linked_by)
        generator = np.random.default_rng(rng)
        scores = self.score(counts.batch, [generator])[0]
        return Fit(self, counts.systems, scores, notes=self.notes(counts))

    def notes(self, counts: PairCounts) -> tuple[str, ...]:
        """What a reader of this fit should know."""
        return ()


def counts_of(data: Judgments | PairCounts) -> PairCounts:
    """The counts of one language pair; a mixed table is refused."""
    if isinstance(data, PairCounts):
        return data
    check_one_lang_pair(data)
    return data.counts


def check_one_lang_pair(judgments: Judgments) -> None:
    if len(judgments.lang_pairs) > 1:
        raise InputError(
            f"the judgments mix {len(judgments.lang_pairs)} language pairs ({', '.join(judgments.lang_pairs[:6])}); "
            "rank each separately: judgments.split('lang_pair'), or select(lang_pair=…)"
        )


def check_placeable(counts: PairCounts, *, linked_by: Links) -> None:
    """Refuse, by name, systems that no judgment links to the others."""
    if len(counts.systems) < 2:
        raise InputError(f"got {len(counts.systems)} system(s); a ranking needs judgments of at least two")
    groups = counts.components(decisive=linked_by == "decisive")
    if len(groups) == 1:
        return
    lone = [g[0] for g in groups if len(g) == 1]
    shown = "; ".join(", ".join(g) for g in groups[:5]) + ("; …" if len(groups) > 5 else "")
    why = "no decisive judgment links" if linked_by == "decisive" else "no judgment links"
    hint = f" (never decided against another: {', '.join(lone)})" if lone and linked_by == "decisive" else ""
    raise UnplaceableError(
        f"{why} these {len(groups)} groups of systems, so they cannot be put on one scale: {shown}{hint}; "
        "collect comparisons between them, leave systems out (--exclude-system), or rank the largest group alone "
        "(palmares rank --largest-component)"
    )


# -- arithmetic that models share ------------------------------------------------------------------


def mean_preference(outcomes: FloatArray) -> FloatArray:
    """The score of models that have none: the mean over opponents of P(win) + ½ P(tie)."""
    n = outcomes.shape[-2]
    preferred = outcomes[..., 0] + outcomes[..., 1] / 2
    own = np.diagonal(preferred, axis1=-2, axis2=-1)
    return np.asarray((preferred.sum(-1) - own) / (n - 1))


def ratio(part: FloatArray, whole: FloatArray, *, missing: float) -> FloatArray:
    """part / whole, and ``missing`` where whole is 0."""
    return np.divide(part, whole, out=np.full_like(part, missing), where=whole > 0)
