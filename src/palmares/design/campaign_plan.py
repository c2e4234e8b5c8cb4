"""What a simulated campaign looks like: `CampaignPlan`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, get_args

from ..errors import InputError

Spacing = Literal["uniform", "normal", "even"]
StyleOf = Literal["segment", "judge"]
SPACINGS: tuple[Spacing, ...] = get_args(Spacing)
STYLES_OF: tuple[StyleOf, ...] = get_args(StyleOf)

_LEAST = {"systems": 2, "rankings": 1, "outputs": 2, "judges": 1, "segments": 1}
#: More does not fit into any memory; asked for by a slip, it should be said before memory is full.
_MOST = {"systems": 10_000, "rankings": 10**8, "outputs": 10_000, "judges": 10**7, "segments": 10**8}
_NOT_NEGATIVE = (
    "spread", "tie_radius", "judge_noise", "segment_effect", "judge_effect", "quality_range", "group_spread", "work",
    "sensitivity_spread", "tie_spread", "difficulty_spread", "style_effect",
)  # fmt: skip
#: Beyond this, squares of numbers, or the exponentials of spreads of logarithms, are no numbers any more.
_LARGEST = 1e9
_LARGEST_OF = {"work": 100.0, "sensitivity_spread": 10.0, "tie_spread": 10.0, "difficulty_spread": 10.0}
_SHARES = ("lazy_judges", "lazy_answers", "reversed_judges")
#: Settings that signatures and `CampaignPlan.facts` always have; the others only where they are not the usual ones.
_ALWAYS = (
    "systems", "rankings", "outputs", "judges", "segments", "spread", "tie_radius", "judge_noise", "segment_effect",
    "judge_effect", "position_effect",
)  # fmt: skip


@dataclass(frozen=True)
class CampaignPlan:
    """What a simulated campaign looks like.

    Each system has a mean quality, uniform on [0, 10]. A judge sees ``outputs`` random systems on one segment;
    the quality of an output is N(mean, spread²), what the judge sees of it is that plus N(0, noise²), where a
    judge's noise is uniform on [0, 2 · ``judge_noise``]. Outputs no more than ``tie_radius`` below the best of
    their group share its rank.

    Judgments that have something in common need not be independent: ``segment_effect`` is the standard deviation
    of a system's luck on a segment, the same for every judge; ``judge_effect`` that of a judge's own preference for a
    system, the same on every segment. Both are 0 on average, so a system's mean stays its true quality.
    ``position_effect`` is added to what a judge sees of the output shown first, and falls linearly to 0 for the last.

    Koehn 2012 has no ties, no judge noise and no effects, and calls ``spread`` a variance; his figures need it to be a
    standard deviation.

    Attributes
    ----------
    spacing, quality_range
        ``uniform``: mean qualities are uniform between 0 and the range; ``normal``: with the same mean and standard
        deviation; ``even``: equally far apart over the range, in random order.
    groups, group_spread
        Sizes of groups of (nearly) equal systems, in the order of their numbers: the spacing is that of groups, and a
        system's quality is its group's plus N(0, group_spread²).
    qualities
        The mean qualities themselves, the same in every campaign.
    work
        Judge number k does a share of the work in proportion to k^(−work).
    sensitivity_spread, difficulty_spread
        A judge of sensitivity a on a segment of difficulty d sees a/d times the systems' qualities (and luck, and
        style), while all noise stays as it is. Their logarithms are normal with mean 0 and these standard deviations.
    tie_spread
        A judge's own tie radius is ``tie_radius`` times a factor whose logarithm has this standard deviation.
    lazy_judges, lazy_answers
        Of the judges, the share who put what they see in random order, and the share of their answers that they do so.
    reversed_judges
        The share of the judges who take the better output for the worse.
    style_effect, style_of
        Each system has a style, a direction; each segment (or judge) asks for one. How far a system's style has been
        passed, in the one sense of rotation, is taken from its quality: on average 0, with this standard deviation.
        So of three systems each may be preferred to the next (`palmares.design.styles`).
    """

    systems: int = 10
    rankings: int = 600
    outputs: int = 5
    judges: int = 12
    segments: int = 300
    spread: float = 10.0
    tie_radius: float = 2.0
    judge_noise: float = 0.0
    segment_effect: float = 0.0
    judge_effect: float = 0.0
    position_effect: float = 0.0
    lang_pair: str | None = None
    spacing: Spacing = "uniform"
    quality_range: float = 10.0
    groups: tuple[int, ...] = ()
    group_spread: float = 0.0
    qualities: tuple[float, ...] = ()
    work: float = 0.0
    sensitivity_spread: float = 0.0
    tie_spread: float = 0.0
    lazy_judges: float = 0.0
    lazy_answers: float = 1.0
    reversed_judges: float = 0.0
    difficulty_spread: float = 0.0
    style_effect: float = 0.0
    style_of: StyleOf = "segment"

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            if getattr(self, name) < least:
                raise InputError(f"{name}: got {getattr(self, name)}; allowed: at least {least}")
            if getattr(self, name) > _MOST[name]:
                raise InputError(f"{name}: got {getattr(self, name)}; allowed: at most {_MOST[name]:,}")
        for name in _NOT_NEGATIVE:
            if not 0 <= getattr(self, name) < inf:
                raise InputError(f"{name}: got {getattr(self, name)}; allowed: a number of at least 0")
            if getattr(self, name) > (most := _LARGEST_OF.get(name, _LARGEST)):
                raise InputError(f"{name}: got {getattr(self, name)}; allowed: at most {most:,.0f}")
        for name in _SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name}: got {getattr(self, name)}; allowed: a share between 0 and 1")
        if not abs(self.position_effect) <= _LARGEST:
            raise InputError(f"position_effect: got {self.position_effect}; allowed: a number, at most {_LARGEST:,.0f}")
        if self.outputs > self.systems:
            raise InputError(f"outputs: got {self.outputs}, but there are only {self.systems} systems to rank")
        for fault in (*self._faults_of_words(), *self._faults_of_systems(), *self._faults_of_judges()):
            raise InputError(fault)

    def _faults_of_words(self) -> Iterator[str]:
        for name, words in (("spacing", SPACINGS), ("style_of", STYLES_OF)):
            if getattr(self, name) not in words:
                yield f"{name}: got {getattr(self, name)!r}; allowed: {', '.join(words)}"

    def _faults_of_systems(self) -> Iterator[str]:
        if any(size < 1 for size in self.groups):
            yield f"groups: got {_listed(self.groups)}; allowed: the sizes of groups, each at least 1"
        elif self.groups and sum(self.groups) != self.systems:
            yield f"groups: got {_listed(self.groups)}, which is {sum(self.groups)} systems; there are {self.systems}"
        if self.group_spread and not self.groups:
            yield f"group_spread: got {self.group_spread}, but there are no groups; give their sizes, such as 3,3,4"
        if not all(abs(quality) <= _LARGEST for quality in self.qualities):
            yield f"qualities: got {_listed(self.qualities)}; allowed: numbers, at most {_LARGEST:,.0f}"
        elif self.qualities and len(self.qualities) != self.systems:
            yield f"qualities: got {len(self.qualities)} of them; there are {self.systems} systems"
        if self.qualities and self.groups:
            yield "got qualities and groups; allowed: one of them, for given qualities have their own groups"

    def _faults_of_judges(self) -> Iterator[str]:
        for name in ("lazy_judges", "reversed_judges"):
            share = getattr(self, name)
            if share and not round(share * self.judges):
                yield f"{name}: got {share}, which is none of {self.judges} judges; allowed: 0, or a share that is one"
        if self.lazy + self.reversed > self.judges:
            yield (
                f"lazy_judges and reversed_judges: got {self.lazy_judges} and {self.reversed_judges}, which are "
                f"{self.lazy} and {self.reversed} of {self.judges} judges; allowed: together not more than all"
            )

    @property
    def lazy(self) -> int:
        """How many judges are lazy."""
        return round(self.lazy_judges * self.judges)

    @property
    def reversed(self) -> int:
        """How many judges take better for worse."""
        return round(self.reversed_judges * self.judges)

    @property
    def facts(self) -> dict[str, Any]:
        """The settings that campaigns depend on, as signatures have them: those that are off may be left out."""
        usual = {f.name: f.default for f in dataclasses.fields(self)}
        values = {name: getattr(self, name) for name in usual if name != "lang_pair"}
        texts = {name: _listed(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return {name: texts[name] for name in values if name in _ALWAYS or values[name] != usual[name]}


def _listed(values: tuple[float, ...]) -> str:
    return ",".join(f"{value:.12g}" for value in values)
