"""Segments against a baseline: how hard it is to hold one's own on each, and what it tells about systems (O16)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from scipy.special import expit

from ...errors import InputError
from ...judgments import FloatArray, Judgments
from ...kernels.graded_response import item_information
from ...models.graded_response import GradedResponse
from ...models.graded_response_fit import GradedResponseFit
from ...ranking.record import Record
from ...results import Shown, counted
from .rows import share, sittings_of, summed

#: Where the peak of a curve is looked for, in steps, beyond the two difficulties.
_MARGIN, _STEPS = 2.0, 401
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
_HARDLY = 0.2


@dataclass(frozen=True)
class DifficultyLine:
    """One segment against the baseline.

    ``not_losing`` and ``winning`` are b_1 and b_2, the θ at which a system does so half of the time, with standard
    errors; ``wins``, ``ties`` and ``losses`` the shares of the judgments from the systems' side. ``peak`` is the θ that
    the segment tells most about, ``peak_information`` what it tells there; ``information`` is the mean over the
    systems, expected over what is not known of the segment.
    """

    segment: str
    judgments: int
    judges: int
    wins: float
    ties: float
    losses: float
    not_losing: float
    not_losing_error: float
    winning: float
    winning_error: float
    peak: float
    peak_information: float
    information: float

    def curve(self, theta: FloatArray) -> FloatArray:
        """Item information I(θ) of one judgment by a judge with a = 1."""
        return item_information(theta, self.not_losing, self.winning)


@dataclass(frozen=True)
class Difficulties(Shown):
    """How segments fare against a baseline, most telling first.

    ``places`` are the θ of the systems, ``place`` that of the baseline itself: the mean of (b_1 + b_2)/2.
    ``reliability`` is the share of the variance of (b_1 + b_2)/2 that is known; ``dispersion`` the variance of what is
    judged at one sitting relative to independent judgments, by whose root errors are larger than the model's. Both come
    from what different sittings say of one segment, and are None where no segment has two.
    """

    shown_by: ClassVar[str] = "segments --baseline"

    lang_pair: str | None
    judgments: int
    baseline: str
    place: float
    places: dict[str, float] = field(repr=False)
    lines: tuple[DifficultyLine, ...] = field(repr=False)
    reliability: float | None
    dispersion: float | None
    #: So many of the most and of the least telling segments are shown.
    top: int
    record: Record
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        text = f"{counted(len(self.lines), 'segment')} against {self.baseline}; {counted(self.judgments, 'judgment')}"
        return self._line(text, self.lang_pair)

    @property
    def signature(self) -> str:
        """How this was made, in one line."""
        return str(self.record)

    def line(self, segment: str) -> DifficultyLine:
        """The line of a segment."""
        for line in self.lines:
            if line.segment == segment:
                return line
        known = ", ".join(line.segment for line in self.lines[:8])
        raise InputError(f"no segment {segment!r} was judged against {self.baseline}; there are: {known}, …")

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "signature": self.signature,
            "record": self.record.to_dict(),
            "lang_pair": self.lang_pair,
            "judgments": self.judgments,
            "baseline": self.baseline,
            "place": self.place,
            "systems": [{"system": name, "theta": theta} for name, theta in self.places.items()],
            "reliability": self.reliability,
            "dispersion": self.dispersion,
            "segments": [asdict(line) for line in self.lines],
            "notes": list(self.notes),
        }


def difficulties(judgments: Judgments, notes: tuple[str, ...], *, baseline: str, top: int) -> Difficulties:
    """Difficulties and item information of judgments that name their segments.

    Parameters
    ----------
    baseline
        The name of a system, or ``auto`` for the one nearest the mean.
    """
    model = GradedResponse("" if baseline == "auto" else baseline)
    fit = model.fit(judgments)
    sittings = between_sittings(judgments, fit)
    wider = max(sittings.dispersion or 1.0, 1.0)
    spread = wider * fit.arrow.variances()[1][: len(fit.segments)].sum(axis=(1, 2)) / 4
    scores = cast(FloatArray, fit.scores)
    others = {name: float(scores[code]) for code, name in enumerate(fit.systems) if code != fit.baseline_code}
    facts = {
        "systems": len(judgments.systems),
        "segments": len(fit.segments),
        "judgments": len(judgments),
        "data": judgments.hash,
    }
    return Difficulties(
        lang_pair=judgments.lang_pairs[0] if judgments.lang_pairs else None,
        judgments=len(fit.table.rows),
        baseline=fit.baseline,
        place=float(scores[fit.baseline_code]),
        places=dict(sorted(others.items(), key=lambda item: (-item[1], item[0]))),
        lines=_lines(fit, np.array(list(others.values())), spread, float(np.sqrt(wider))),
        reliability=sittings.reliability,
        dispersion=sittings.dispersion,
        top=top,
        record=Record.of(facts, GradedResponse(**{**asdict(model), "baseline": fit.baseline}), judgments.origin),
        notes=(*judgments.notes, *notes, *fit.notes, *_notes(judgments, fit, sittings)),
    )


class Sittings(NamedTuple):
    """What different sittings say of one segment: κ and the reliability, None where too few segments have two."""

    dispersion: float | None
    reliability: float | None
    #: Segments with more than one sitting.
    repeated: int


def between_sittings(judgments: Judgments, fit: GradedResponseFit) -> Sittings:
    """κ, the variance of sittings relative to independent judgments, and the reliability of (b_1 + b_2)/2, by moments.

    Let g_r be the score of a shift of both difficulties at sitting r, at the mean difficulties of all segments, and i_r
    its information. Of two sittings of a segment, E g_r g_r′ = V i_r i_r′; of one, E g_r² = V i_r² + κ i_r. Known is of
    a segment with information I the share V I / (V I + κ) of its variance.
    """
    cells, entry = fit.table.cells, fit.table.entry
    easy, hard = fit.difficulty.mean(axis=0)
    a = np.exp(fit.items.log_a)[cells.judge[entry]]
    theta = fit.theta[cells.system[entry]]
    lower, upper = expit(a * (theta - easy)), expit(a * (theta - hard))
    weight = np.ones(len(entry)) if fit.table.weights is None else fit.table.weights
    score = -weight * a * np.choose(cells.grade[entry], [-lower, 1 - lower - upper, 1 - upper])
    information = weight * item_information(theta, easy, hard, a)
    segment = cells.segment[entry]
    named = judgments.codes("judge").astype(np.int64)
    sitting = sittings_of(judgments, named, judgments.codes("segment").astype(np.int64))[fit.table.rows]
    unit, sitting = np.unique(sitting, return_inverse=True)
    sitting = sitting.reshape(-1)
    owner = np.zeros(len(unit), dtype=np.int64)
    owner[sitting] = segment
    g, i = (summed(sitting, values, len(unit)) for values in (score, information))
    whole_g, whole_i = (summed(segment, values, len(fit.segments)) for values in (score, information))
    both = float((whole_i**2).sum() - (i**2).sum())
    repeated = int((np.bincount(owner) > 1).sum())
    if repeated < 2 or both <= 0:
        return Sittings(None, None, repeated)
    variance = max(float((whole_g**2).sum() - (g**2).sum()) / both, 0.0)
    dispersion = max(float((g**2).sum() - variance * (i**2).sum()) / float(i.sum()), 0.05)
    reliability = float((variance * whole_i / (variance * whole_i + dispersion)).mean())
    return Sittings(dispersion, reliability, repeated)


def _lines(fit: GradedResponseFit, theta: FloatArray, spread: FloatArray, wider: float) -> tuple[DifficultyLine, ...]:
    cells, b, errors = fit.table.cells, fit.difficulty, wider * fit.difficulty_errors
    rows = cells.segment[fit.table.entry]
    grades = np.stack([np.bincount(rows[cells.grade[fit.table.entry] == g], minlength=len(b)) for g in range(3)])
    total = grades.sum(axis=0)[: len(b)]
    met = np.unique(cells.segment * (cells.judges + 1) + cells.judge)
    named = met % (cells.judges + 1) < len(fit.judges)
    judges = np.bincount(met[named] // (cells.judges + 1), minlength=len(b))
    peak, height = _peaks(b)
    information = expected_information(theta, b, spread)
    return tuple(
        DifficultyLine(
            segment=fit.segments[s],
            judgments=int(total[s]),
            judges=int(judges[s]),
            wins=float(grades[2, s] / total[s]),
            ties=float(grades[1, s] / total[s]),
            losses=float(grades[0, s] / total[s]),
            not_losing=float(b[s, 0]),
            not_losing_error=float(errors[s, 0]),
            winning=float(b[s, 1]),
            winning_error=float(errors[s, 1]),
            peak=float(peak[s]),
            peak_information=float(height[s]),
            information=float(information[s]),
        )
        for s in np.argsort(-information, kind="stable").tolist()
    )


def expected_information(theta: FloatArray, b: FloatArray, spread: FloatArray) -> FloatArray:
    """Mean item information over the systems' θ, when (b_1 + b_2)/2 is known with this variance."""
    total = np.zeros(len(b))
    for x, weight in zip(_NODES, _WEIGHTS / _WEIGHTS.sum(), strict=True):
        away = (np.sqrt(spread) * x)[:, None]
        total += weight * item_information(theta, b[:, :1] + away, b[:, 1:] + away).mean(axis=1)
    return total


def _peaks(b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where the curve of every segment is highest, and how high: midway, or near both ends where they lie far apart.

    Curves are symmetric around (b_1 + b_2)/2; of two peaks that of the lower θ is taken.
    """
    middle, half = b.mean(axis=1, keepdims=True), (b[:, 1:] - b[:, :1]) / 2
    points = middle - (half + _MARGIN) * np.linspace(0, 1, _STEPS)
    values = item_information(points, b[:, :1], b[:, 1:])
    best = values.argmax(axis=1)
    rows = np.arange(len(b))
    return points[rows, best], values[rows, best]


def _notes(judgments: Judgments, fit: GradedResponseFit, sittings: Sittings) -> list[str]:
    said = []
    dispersion, reliability, repeated = sittings
    if unseen := len(judgments.segments) - len(fit.segments):
        verb = "was" if unseen == 1 else "were"
        said.append(f"{counted(unseen, 'segment')} {verb} never judged against the baseline")
    if dispersion is None or reliability is None:
        return [
            *said,
            "no two sittings share a segment, so errors take judgments as independent, which those of one ranking are "
            "not, and how much is known of difficulties cannot be told",
        ]
    median = float(np.median(np.bincount(fit.table.cells.segment[fit.table.entry], minlength=len(fit.segments))))
    words = "choosing by them is little better than chance" if reliability < _HARDLY else "the rest is chance"
    said.append(
        f"with a median of {counted(median, 'judgment')} per segment against the baseline, {share(reliability)} of the "
        f"variance of difficulties is known (reliability, by {repeated:,} segments with more than one sitting); {words}"
    )
    if dispersion > 1:
        said.append(
            f"what one judge says of one segment varies {dispersion:.2f} times as much as independent judgments; "
            "errors are widened for that"
        )
    return said
