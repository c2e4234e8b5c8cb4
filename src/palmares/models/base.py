"""The `Model` → `Fit` protocol that every model follows.

A model is a frozen dataclass whose fields are its settings and nothing else; `fit` returns a new frozen `Fit`.
A model that needs only win / tie / loss counts derives from `CountModel` and is resampled on those; one that
needs more is a `RefitModel` and is fitted anew to resampled judgments.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np

from ..compute import RngLike
from ..errors import InputError, UnplaceableError
from ..judgments import Judgments
from ..judgments.arrays import FloatArray
from ..judgments.counts import PairCounts
from . import MODELS

RangeSource = Literal["resampling", "posterior", "runs"]
#: What a model is fitted to and resampled on: pair counts are enough, or it reads the rows.
Needs = Literal["counts", "rows"]


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

    A fit that only ranks leaves ``predict`` alone; one that only predicts has ``scores = None``.
    """

    model: Model
    systems: tuple[str, ...]
    scores: FloatArray | None = field(repr=False)
    deviations: FloatArray | None = field(default=None, repr=False)
    convergence: Convergence = Convergence()
    notes: tuple[str, ...] = ()
    #: Scores of single posterior draws or runs, (draws, systems), where the model makes them.
    draws: FloatArray | None = field(default=None, repr=False)

    #: Whether `predict` can be called.
    predicts: ClassVar[bool] = False

    @property
    def ranks(self) -> bool:
        """Whether the fit gives every system a score."""
        return self.scores is not None

    def predict(self, a: str | int, b: str | int) -> Prediction:
        """Probabilities that a is judged better than, equal to, or worse than b (names or codes)."""
        raise InputError(f"model {self.model.id!r} ranks but does not predict outcomes")

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


@dataclass(frozen=True)
class OutcomeFit(Fit):
    """A fit that predicts: ``outcomes[i, j]`` are P(win), P(tie), P(loss) when i meets j."""

    outcomes: FloatArray = field(kw_only=True, repr=False)

    predicts: ClassVar[bool] = True

    def predict(self, a: str | int, b: str | int) -> Prediction:
        i, j = self.code(a), self.code(b)
        if i == j:
            raise InputError(f"system {self.systems[i]!r} is not compared with itself; name two systems")
        return Prediction(*map(float, self.outcomes[i, j]))


@runtime_checkable
class Model(Protocol):
    """Settings, and a way to fit judgments."""

    id: ClassVar[str]

    @property
    def needs(self) -> Needs:
        """Whether pair counts are enough to fit and resample the model, or it reads the rows."""
        ...

    #: Where rank ranges come from unless a unit is asked for: a bootstrap; the fit's own posterior draws; or its
    #: random runs, in which case a bootstrap sample is one run and the score is the mean over samples.
    ranges_from: ClassVar[RangeSource]

    @property
    def linked_by(self) -> Literal["any", "decisive"]:
        """Which judgments put two systems on one scale."""
        ...

    @property
    def lacks(self) -> Mapping[str, str]:
        """Contract properties that the model lacks by definition, with the reason."""
        ...

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> Fit:
        """Fit one table; refuse systems that cannot be placed."""
        ...


@runtime_checkable
class RefitModel(Model, Protocol):
    """A model that reads more than counts, and is fitted anew to every bootstrap sample."""

    def rescore(self, judgments: Judgments, *, rng: np.random.Generator) -> FloatArray:
        """The scores of one bootstrap sample.

        The sample keeps the systems of the full table, also those that no drawn judgment mentions; every system
        must get a finite score.
        """
        ...


@runtime_checkable
class RunsModel(Model, Protocol):
    """A model whose score is a mean over random runs (``ranges_from = "runs"``)."""

    def single_run(self) -> Model:
        """The same model with one run, for where bootstrap samples are the runs."""
        ...


class CountModel:
    """Base of the models that read nothing but pair counts."""

    id: ClassVar[str]
    needs: ClassVar[Needs] = "counts"
    linked_by: ClassVar[Literal["any", "decisive"]] = "decisive"
    lacks: ClassVar[Mapping[str, str]] = {}
    ranges_from: ClassVar[RangeSource] = "resampling"

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> Fit:
        counts = counts_of(data)
        check_placeable(counts, linked_by=self.linked_by)
        generator = np.random.default_rng(rng)
        batch = PairCounts(counts.systems, counts.wins[None], counts.ties[None])
        scores = self.score(batch, [generator])[0]
        return Fit(self, counts.systems, scores, notes=self.notes(counts))

    def score(self, batch: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        """Scores of every member of a batch of counts, one generator for each: an array (batch, systems)."""
        raise NotImplementedError

    def prepared(self, counts: PairCounts) -> CountModel:
        """What scores samples of these counts fastest; a model that needs no preparation is its own."""
        return self

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
            "rank each alone: judgments.split('lang_pair'), or select(lang_pair=…)"
        )


def check_placeable(counts: PairCounts, *, linked_by: Literal["any", "decisive"]) -> None:
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
        "collect comparisons between them, exclude systems, or keep the largest group alone (palmares rank "
        "--largest-component)"
    )


def settings(model: Model) -> dict[str, Any]:
    """The model's settings by name."""
    return {f.name: getattr(model, f.name) for f in dataclasses.fields(model)}  # type: ignore[arg-type]


def create(model: str | Model, given: Mapping[str, Any] | None = None) -> Model:
    """A model from its id and settings, as text or as they are (``{"published": "yes"}``); or the model itself."""
    if not isinstance(model, str):
        if given:
            raise InputError(f"settings ({', '.join(given)}) go with the id of a model; this one has its own already")
        return model
    kind = MODELS.load(model)
    known = {f.name: f for f in dataclasses.fields(kind)}
    values = {}
    for name, text in (given or {}).items():
        if name not in known:
            raise InputError(f"model {model!r} has no setting {name!r}; it has: {', '.join(known) or 'none'}")
        values[name] = _parse_setting(name, str(text), type(known[name].default))
    made: Model = kind(**values)
    return made


def _parse_setting(name: str, text: str, kind: type) -> Any:
    if kind is bool:
        words = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
        if text.lower() in words:
            return words[text.lower()]
        raise InputError(f"setting {name}: got {text!r}; allowed: yes, no")
    try:
        return kind(text)
    except ValueError:
        article = {"int": "a whole number", "float": "a number"}.get(kind.__name__, kind.__name__)
        raise InputError(f"setting {name}: got {text!r}; allowed: {article}") from None


def mean_preference(outcomes: FloatArray) -> FloatArray:
    """The score of models that have none: the mean over opponents of P(win) + ½ P(tie)."""
    n = outcomes.shape[-2]
    preferred = outcomes[..., 0] + outcomes[..., 1] / 2
    own = np.diagonal(preferred, axis1=-2, axis2=-1)
    return np.asarray((preferred.sum(-1) - own) / (n - 1))


def ratio(part: FloatArray, whole: FloatArray, *, missing: float) -> FloatArray:
    """part / whole, and ``missing`` where whole is 0."""
    return np.divide(part, whole, out=np.full_like(part, missing), where=whole > 0)
