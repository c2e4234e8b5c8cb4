"""Segments as the graded response model knows them: from what they can come, and which of them are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from ...analysis.segments import Difficulties
from ...errors import InputError
from ...judgments import FloatArray
from ...kernels.graded_response import item_information
from ...models.graded_response_fit import GradedResponseFit
from ...ranking.result import Ranking


@dataclass(frozen=True)
class Item:
    """A segment: b_1 and b_2, where known their errors and the number of judgments, and what it tells on the whole."""

    name: str
    b: tuple[float, float]
    errors: tuple[float, float] | None = None
    judgments: int | None = None
    information: float = 0.0

    @property
    def middle(self) -> float:
        """How hard it is, on the whole, to hold one's own."""
        return sum(self.b) / 2

    @property
    def words(self) -> list[str]:
        """``b₁ = −0.50 ± 0.21`` and ``b₂ = 0.50 ± 0.30; n = 12``."""
        reach = ["", ""] if self.errors is None else [f" ± {error:.2f}" for error in self.errors]
        first, second = (
            f"{name} = {two_digits(b)}{each}" for name, b, each in zip(("b₁", "b₂"), self.b, reach, strict=True)
        )
        return [first, second if self.judgments is None else f"{second}; n = {self.judgments:,}"]


@dataclass(frozen=True)
class Items:
    """Segments, and the places of the systems and of the baseline where these are known."""

    items: tuple[Item, ...]
    places: tuple[float, ...] = ()
    baseline: tuple[str, float] | None = None


#: What has difficulties of segments: what ``palmares segments --baseline`` measured, a fit or ranking of
#: ``graded-response``, or (b_1, b_2) themselves by name.
Source = Difficulties | GradedResponseFit | Ranking | Mapping[str, tuple[float, float]]


def items_of(result: Source) -> Items:
    """What a result knows of segments; refuses what knows nothing of them."""
    if isinstance(result, Ranking):
        return items_of(cast(GradedResponseFit, result.fit))
    if isinstance(result, Difficulties):
        lines = [
            Item(line.segment, (line.not_losing, line.winning), (line.not_losing_error, line.winning_error),
                  line.judgments, line.information)
            for line in result.lines
        ]  # fmt: skip
        return Items(tuple(lines), tuple(result.places.values()), (result.baseline, result.place))
    if isinstance(result, GradedResponseFit):
        return _of_fit(result)
    if isinstance(result, Mapping) and result:
        return Items(tuple(_given(name, b) for name, b in result.items()))
    model = getattr(result, "model", None)
    got = f"a fit of {model.id!r}" if model is not None else f"a {type(result).__name__}"
    raise InputError(
        f"got {got}; curves of segments are drawn of a fit of graded-response, of difficulties against a baseline, or "
        "of (b1, b2) by name"
    )


def _of_fit(fit: GradedResponseFit) -> Items:
    scores, b, errors = cast(FloatArray, fit.scores), fit.difficulty, fit.difficulty_errors
    others = np.delete(scores, fit.baseline_code)
    told = item_information(others[:, None], b[:, 0], b[:, 1]).mean(axis=0)
    items = [
        Item(name, (b[s, 0], b[s, 1]), (errors[s, 0], errors[s, 1]), None, told[s])
        for s, name in enumerate(fit.segments)
    ]
    if not items:
        raise InputError("the judgments name no segments, so there are no curves of segments to draw")
    return Items(tuple(items), tuple(others.tolist()), (fit.baseline, float(scores[fit.baseline_code])))


def _given(name: str, b: tuple[float, float]) -> Item:
    if not (np.isfinite(b).all() and b[0] < b[1]):
        raise InputError(f"segment {name!r}: got b1 = {b[0]:g} and b2 = {b[1]:g}; b1 must be below b2")
    return Item(name, b)


def chosen(known: Items, segments: Sequence[str] | None, *, everything: bool) -> list[Item]:
    """Those that were asked for; or the one that tells most about the systems, the easiest and the hardest."""
    by_name = {item.name: item for item in known.items}
    if segments is not None:
        if not segments:
            raise InputError("got no segment; name at least one")
        if unknown := [name for name in segments if name not in by_name]:
            shown = ", ".join([item.name for item in known.items[:8]])
            raise InputError(f"no segment {unknown[0]!r}; there are: {shown}{', …' if len(by_name) > 8 else ''}")
        return [by_name[name] for name in dict.fromkeys(segments)]
    if everything:
        return list(known.items)
    middle = sorted(known.items, key=lambda item: item.middle)
    return list(dict.fromkeys([max(known.items, key=lambda item: item.information), middle[0], middle[-1]]))


def two_digits(number: float) -> str:
    """A number as axes write it, with two decimals."""
    return f"{number:.2f}".replace("-", "−")
