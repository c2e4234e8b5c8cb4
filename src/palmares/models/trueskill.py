"""``trueskill``: settings and what a fit gives. How each mode is computed is in ``trueskill_modes``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

import numpy as np

from ..compute import RngLike
from ..errors import InputError
from ..judgments import Judgments
from ..judgments.arrays import FloatArray
from ..judgments.counts import PairCounts
from .base import Fit, Needs, OutcomeFit, RangeSource

Mode = Literal["replay", "sequence", "shuffled", "rankings", "batch"]
MODES: tuple[str, ...] = get_args(Mode)
PRESETS = ("program", "paper")
#: No outcome is given less than this, so that a judgment nobody expected has a finite surprise.
_LEAST = 1e-12


@dataclass(frozen=True)
class TrueSkill:
    """Skills N(μ_i, σ_i²), updated judgment by judgment (Herbrich et al. 2007; Sakaguchi et al. 2014, §2.3).

    With t = μ1 − μ2 (1 the winner), c² = 2β² + σ1² + σ2² and margin ε: μ1 += σ1²/c · v, μ2 −= σ2²/c · v and
    σi² ← σi² (1 − σi²/c² · w), v and w taken at (t/c, ε/c). The score is μ.

    Attributes
    ----------
    mode
        ``replay``: the official WMT procedure, random runs over the counts. ``sequence``: one pass in the order of
        the rows. ``shuffled``: one pass in random order. ``rankings``: one pass, every ranking an update. ``batch``:
        all judgments at once, by expectation propagation.
    preset
        ``program``: β = σ n / 40 for n judgments, ε from the draw probability. ``paper``: β = 0.025 n σ², ε = 0.25.
    sigma
        σ that every system starts with.
    beta, margin
        β and ε; 0: by the preset.
    draw_probability
        p in ε = Φ⁻¹((p + 1) / 2) √2 β, for the preset ``program``.
    runs
        How many runs a fit by ``replay`` makes.
    radius
        A prediction is a tie where the difference of two systems is less than this.
    tie_order
        In ``rankings``, the chain of those that share a place: ``both`` orders averaged, or as ``given``.
    """

    id: ClassVar[str] = "trueskill"
    needs: ClassVar[Needs] = "counts"
    linked_by: ClassVar[Literal["any", "decisive"]] = "any"
    lacks: ClassVar[Mapping[str, str]] = {}
    ranges_from: ClassVar[RangeSource] = "resampling"
    #: The modes that a class computes.
    modes: ClassVar[tuple[str, ...]] = MODES

    mode: str = "replay"
    preset: str = "program"
    sigma: float = 0.5
    beta: float = 0.0
    margin: float = 0.0
    draw_probability: float = 0.25
    runs: int = 1000
    radius: float = 0.1
    tie_order: str = "both"

    def __post_init__(self) -> None:
        _one_of("mode", self.mode, MODES)
        _one_of("preset", self.preset, PRESETS)
        _one_of("tie_order", self.tie_order, ("both", "given"))
        for name in ("sigma", "beta", "margin", "draw_probability", "radius"):
            object.__setattr__(self, name, float(getattr(self, name)))
        for name in ("sigma", "radius"):
            if not 0 < getattr(self, name) < math.inf:
                raise InputError(f"setting {name}: got {getattr(self, name)}; allowed: a number above 0")
        for name in ("beta", "margin"):
            if not 0 <= getattr(self, name) < math.inf:
                raise InputError(
                    f"setting {name}: got {getattr(self, name)}; allowed: a number above 0, or 0 for the preset's"
                )
        if not 0 < self.draw_probability < 1:
            raise InputError(f"setting draw_probability: got {self.draw_probability}; allowed: between 0 and 1")
        if self.runs < 1:
            raise InputError(f"setting runs: got {self.runs}; allowed: at least 1")
        self._become_what_computes_the_mode()

    def _become_what_computes_the_mode(self) -> None:
        # Resampling tells models that need counts from models that need rows by their class, and `replace` may change
        # the mode; so the class follows from the mode, whichever class was called.
        from .trueskill_modes import CLASSES

        object.__setattr__(self, "__class__", next(kind for kind in CLASSES if self.mode in kind.modes))

    def fit(self, data: Judgments | PairCounts, *, rng: RngLike = None) -> Fit:
        raise NotImplementedError

    def add(self, fit: TrueSkillFit, more: Judgments | PairCounts) -> Fit:
        """``fit`` with more judgments."""
        raise NotImplementedError

    def scale(self, judgments: float) -> tuple[float, float]:
        """β and ε for so many judgments."""
        program = self.preset == "program"
        beta = self.beta or (self.sigma * judgments / 40 if program else 0.025 * judgments * self.sigma**2)
        margin = self.margin or (margin_of(self.draw_probability, beta) if program else 0.25)
        return beta, margin

    def scale_note(self, judgments: float) -> str:
        """What a reader should know of β and ε."""
        beta, margin = self.scale(judgments)
        if self.beta and self.margin:
            return f"β = {beta:.4g} and ε = {margin:.4g} as set"
        return f"β = {beta:.4g}, ε = {margin:.4g}: preset {self.preset} for {judgments:.10g} judgments"


@dataclass(frozen=True)
class TrueSkillFit(OutcomeFit):
    """Means as scores, standard deviations as deviations; predictions follow from them.

    The difference of two systems is N(μ1 − μ2, σ1² + σ2²), cut at ± the radius (Sakaguchi et al. 2014, §3.2).
    """

    model: TrueSkill
    outcomes: FloatArray = field(init=False, repr=False)
    #: β and ε that were used.
    beta: float = field(kw_only=True)
    margin: float = field(kw_only=True)
    #: The counts so far, for the modes that start over when judgments are added.
    counts: PairCounts | None = field(kw_only=True, default=None, repr=False)
    #: Seeds the generator of an update.
    entropy: int = field(kw_only=True, default=0, repr=False)

    def __post_init__(self) -> None:
        assert self.scores is not None
        assert self.deviations is not None
        object.__setattr__(self, "outcomes", cut_difference(self.scores, self.deviations, self.model.radius))

    def update(self, more: Judgments | PairCounts) -> Fit:
        """The fit with ``more`` judgments of the same systems: the pass goes on, or the counts are added."""
        return self.model.add(self, more)


def margin_of(draw_probability: float, beta: float) -> float:
    """ε = Φ⁻¹((p + 1) / 2) √2 β: equal systems of known skill tie with probability p."""
    from scipy.special import ndtri

    return float(ndtri((draw_probability + 1) / 2)) * math.sqrt(2) * beta


def cut_difference(mean: FloatArray, deviation: FloatArray, radius: float) -> FloatArray:
    """P(win), P(tie), P(loss) of every pair: the normal difference above, within and below ± radius."""
    from scipy.special import ndtr

    width = np.sqrt(deviation[:, None] ** 2 + deviation**2)
    difference = mean[:, None] - mean
    win = ndtr((difference - radius) / width)
    loss = ndtr((-difference - radius) / width)
    outcomes = np.maximum(np.stack([win, 1 - win - loss, loss], axis=-1), _LEAST)
    return np.asarray(outcomes / outcomes.sum(-1, keepdims=True))


def _one_of(name: str, got: object, allowed: tuple[str, ...]) -> None:
    if got not in allowed:
        raise InputError(f"setting {name}: got {got!r}; allowed: {', '.join(allowed)}")
