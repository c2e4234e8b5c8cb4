"""Judgments against one fixed system, the baseline, as ``graded-response`` and ``two-stage`` read them."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, cast

import numpy as np

from ..errors import InputError, UnplaceableError
from ..judgments import BoolArray, FloatArray, IntArray, Judgments, PairCounts, outcome_index
from ..kernels.graded_response import Grades, summed
from .base import Fit, ModelBase, Needs, RowInfluences, check_one_lang_pair, check_placeable, counts_of
from .ratios import ExpectedWins


@dataclass(frozen=True)
class Baseline:
    """The system that all others are compared with, and why it is this one."""

    system: str
    reason: str


def choose_baseline(data: Judgments | PairCounts, metric: Mapping[str, float] | str | Path | None = None) -> Baseline:
    """The system nearest the mean of all, among those compared with the most others (Otani et al. 2016, §6.3).

    One that nearly always wins, or loses, tells little of how the others differ.

    Parameters
    ----------
    metric
        Scores of an automatic metric, by system, or the path of a CSV file with the columns ``system`` and ``score``;
        without, expected wins, an interim ranking. Of systems as near as each other, the one with the most judgments,
        and then the first by name.
    """
    counts = counts_of(data)
    if len(counts.systems) < 2:
        raise InputError(f"got {len(counts.systems)} system(s); a baseline is chosen among at least two")
    if metric is None:
        word, scores = "expected wins", ExpectedWins().score(counts.batch, [np.random.default_rng(0)])[0]
    else:
        word, scores = "metric score", _metric_scores(counts.systems, metric)
    mean = float(scores.mean())
    met = counts.wins + counts.wins.T + counts.ties
    opponents, judged = (met > 0).sum(axis=1), met.sum(axis=1)
    far = np.round(np.abs(scores - mean), 12)
    candidates = np.flatnonzero(opponents == opponents.max())
    best = min(candidates.tolist(), key=lambda code: (far[code], -round(float(judged[code]), 9), code))
    reason = f"its {word} {_short(scores[best])} is nearest the mean {_short(mean)}"
    if len(candidates) < len(counts.systems):
        reason += f" of the {len(candidates)} systems that were compared with {opponents.max()} others"
    return Baseline(counts.systems[best], reason)


def _short(score: float) -> str:
    text = f"{score:.3f}" if abs(score) < 10 else f"{score:.2f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _metric_scores(systems: tuple[str, ...], metric: Mapping[str, float] | str | Path) -> FloatArray:
    scores = metric if isinstance(metric, Mapping) else _read_metric(Path(metric))
    if missing := [name for name in systems if name not in scores]:
        raise InputError(f"the metric has no score of: {', '.join(missing)}; give one of every system")
    if odd := [name for name in systems if not np.isfinite(float(scores[name]))]:
        raise InputError(f"the metric's score of {odd[0]} is {scores[odd[0]]}; allowed: a finite number")
    return np.array([float(scores[name]) for name in systems])


def _read_metric(path: Path) -> dict[str, float]:
    needed = "name a CSV file with the columns system, score"
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            rows, columns = list(reader), reader.fieldnames or ()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}; {needed}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"cannot read {path}: {error}; {needed}, in UTF-8") from None
    if not {"system", "score"} <= set(columns):
        raise InputError(f"{path}: got the columns {', '.join(columns) or 'none'}; needed: system, score")
    scores: dict[str, float] = {}
    for number, row in enumerate(rows, start=2):
        if row["system"] in scores:
            raise InputError(f"{path}, line {number}: a second score of {row['system']}; give one of every system")
        try:
            scores[row["system"]] = float(row["score"])
        except (TypeError, ValueError):
            raise InputError(f"{path}, line {number}: got the score {row['score']!r}; allowed: a number") from None
    return scores


def baseline_of(counts: PairCounts, wanted: str) -> Baseline:
    """The baseline that was asked for, or the one that is chosen."""
    if not wanted:
        return choose_baseline(counts)
    if wanted not in counts.systems:
        raise InputError(f"setting baseline: got {wanted!r}; allowed: {', '.join(counts.systems)}")
    return Baseline(wanted, "")


@dataclass(frozen=True)
class BaselineTable:
    """The judgments against the baseline: of every one, its row, and its cell of (segment, judge, system, grade).

    ``others`` are the codes of the systems apart from the baseline, in whose order cells number them. Judgments that
    name no judge have one judge in common, numbered after the others; those without a segment one segment.
    """

    systems: tuple[str, ...]
    baseline: int
    judges: tuple[str, ...]
    segments: tuple[str, ...]
    rows: IntArray = field(repr=False)
    entry: IntArray = field(repr=False)
    cells: Grades = field(repr=False)
    weights: FloatArray | None = field(repr=False)
    nameless: tuple[bool, bool]
    notes: tuple[str, ...] = ()

    @property
    def others(self) -> IntArray:
        return np.delete(np.arange(len(self.systems)), self.baseline)

    @property
    def grades(self) -> Grades:
        return self.weighed(np.ones(len(self.rows)) if self.weights is None else self.weights)

    def weighed(self, weights: FloatArray) -> Grades:
        """The cells, if the judgments in `rows` counted so much."""
        cells = self.cells
        # Sums of floats depend on their order, so it must not be that of the file.
        order = np.lexsort((weights, self.entry))
        total = np.bincount(self.entry[order], weights[order], len(cells.grade)).astype(np.float64)
        return Grades(
            cells.systems, cells.judges, cells.segments, cells.system, cells.judge, cells.segment, cells.grade, total
        )

    @classmethod
    def of(cls, data: Judgments | PairCounts, wanted: str, model: str, *, refuse: bool = True) -> BaselineTable:
        """Of judgments that must place every system, or (a bootstrap sample) need not."""
        if isinstance(data, PairCounts):
            raise InputError(f"model {model!r} needs the judgments, not only their pair counts")
        check_one_lang_pair(data)
        if refuse:
            check_placeable(data.counts, linked_by="any")
        chosen = baseline_of(data.counts, wanted)
        code = data.systems.index(chosen.system)
        if refuse:
            _check_met(data.counts, code, model)
        return cls._of(data, code, _notes(data, chosen))

    @classmethod
    def _of(cls, data: Judgments, code: int, notes: tuple[str, ...]) -> BaselineTable:
        a, b = (data.codes(side).astype(np.int64) for side in ("system_a", "system_b"))
        rows = np.flatnonzero((a == code) | (b == code))
        other = np.where(a == code, b, a)[rows]
        # The outcome index is 0 where a won, 1 for a tie, 2 where b won.
        index = outcome_index(data.codes("outcome")).astype(np.int64)[rows]
        grade = np.where(a[rows] == code, index, 2 - index)
        judge, judges, no_judge = _numbered(data, "judge", rows)
        segment, segments, no_segment = _numbered(data, "segment", rows)
        n, k = len(data.systems) - 1, len(judges) + no_judge
        system = other - (other > code)
        key, entry = np.unique(((segment * k + judge) * n + system) * 3 + grade, return_inverse=True)
        entry = entry.reshape(-1)
        place = key // 3
        cells = Grades(
            n, k, len(segments) + no_segment, place % n, place // n % k, place // (n * k), key % 3, np.ones(len(key))
        )
        weights = None if data.weights is None else data.weights[rows]
        return cls(
            data.systems, code, judges, segments, rows, entry, cells, weights, (no_judge, no_segment),
            (*notes, *_nameless(data, rows)),
        )  # fmt: skip


def _numbered(data: Judgments, column: str, rows: IntArray) -> tuple[IntArray, tuple[str, ...], bool]:
    """Judges or segments of these rows by number, their names, and whether some rows name none."""
    codes = data.codes(column)[rows]
    seen = np.unique(codes[codes >= 0])
    names = data.judges if column == "judge" else data.segments
    number = np.full(len(names) + 1, len(seen), dtype=np.int64)
    number[seen] = np.arange(len(seen))
    return number[codes], tuple(names[code] for code in seen), bool((codes < 0).any())


def _notes(data: Judgments, chosen: Baseline) -> tuple[str, ...]:
    code = data.systems.index(chosen.system)
    judged = int(((data.codes("system_a") == code) | (data.codes("system_b") == code)).sum())
    why = f": {chosen.reason}" if chosen.reason else ", as asked for"
    left_out = len(data) - judged
    rest = f"; the other {left_out:,} are left out" if left_out else ""
    return (
        f"baseline {chosen.system}{why}",
        f"{judged:,} of {len(data):,} judgments are against the baseline and count{rest}",
    )


def _nameless(data: Judgments, rows: IntArray) -> tuple[str, ...]:
    missing = {column: int((data.codes(column)[rows] < 0).sum()) for column in ("judge", "segment")}
    return tuple(
        f"{count:,} of {len(rows):,} judgments name no {column} and are taken for one {column}'s"
        for column, count in missing.items()
        if count
    )


def _check_met(counts: PairCounts, baseline: int, model: str) -> None:
    met = (counts.wins + counts.wins.T + counts.ties) > 0
    lone = np.flatnonzero(~met[baseline] & (np.arange(len(met)) != baseline))
    if not len(lone):
        return
    names, everywhere = counts.systems, np.flatnonzero(met.sum(axis=1) == len(met) - 1)
    others = ", ".join(names[code] for code in everywhere[:8])
    instead = f"choose a baseline that was compared with all others ({others})" if others else (
        "choose another baseline (none was compared with all others)"
    )  # fmt: skip
    raise UnplaceableError(
        f"never compared with the baseline {names[baseline]}: {', '.join(names[code] for code in lone)}; {model} "
        f"places systems by judgments against its baseline alone: collect such judgments, {instead} by the setting "
        "baseline=NAME, or exclude these systems"
    )


class AgainstBaseline(ModelBase):
    """What models of judgments against one baseline declare in common; they have a setting ``baseline``."""

    needs: ClassVar[Needs] = "rows"
    knows: ClassVar[frozenset[str]] = frozenset({"judge", "segment"})
    warm_starts = True
    smooth = True

    baseline: str

    def one_sided(self, counts: PairCounts) -> BoolArray:
        """Of judgments against the baseline alone."""
        code = counts.systems.index(baseline_of(counts, self.baseline).system)
        wins, ties = np.zeros_like(counts.wins), np.zeros_like(counts.ties)
        for table, whole in ((wins, counts.wins), (ties, counts.ties)):
            table[code], table[:, code] = whole[code], whole[:, code]
        return super().one_sided(PairCounts(counts.systems, wins, ties))

    def independent_errors(self, counts: PairCounts, fit: Fit) -> FloatArray:
        """From the information of the fit, as if the places of all others were known."""
        return np.asarray(1 / np.sqrt(np.diag(np.linalg.inv(cast(BaselineFit, fit).covariance))))

    def influence_rows(self, judgments: Judgments, fit: Fit) -> RowInfluences:
        """Every judgment's efficient score (rows, systems), roots of its information, and the whole information.

        Judgments that are not against the baseline have none. Where a segment or a judge is left out, so are its
        parameters and their prior.
        """
        own = cast(BaselineFit, fit)
        table = BaselineTable.of(judgments, own.baseline, self.id)
        n, whole = len(own.systems), np.asarray(np.linalg.inv(own.covariance))
        moved, known = own.influences(table)
        scores, information = np.zeros((len(judgments), n)), np.zeros(len(judgments))
        scores[table.rows] = moved @ whole
        other = table.others[table.cells.system[table.entry]]
        information[table.rows] = known * _left(own.covariance, summed(other, known, n), own.baseline_code)
        system = np.zeros(len(judgments), dtype=np.int64)
        system[table.rows] = other

        def roots(rows: IntArray) -> FloatArray:
            found = np.zeros((len(rows), 1, n))
            found[np.arange(len(rows)), 0, system[rows]] = np.sqrt(information[rows])
            found[:, 0, own.baseline_code] = -np.sqrt(information[rows])
            return found

        return RowInfluences(scores, roots, whole)


def _left(covariance: FloatArray, told: FloatArray, baseline: int) -> float:
    """The share of what judgments tell that is left of it in any direction, once judges and segments follow.

    With it, Σ told (e_i − e_0)(e_i − e_0)ᵀ, of all systems i and the baseline 0, is nowhere more than the information.
    """
    apart = covariance - covariance[:, [baseline]] - covariance[baseline] + covariance[baseline, baseline]
    root = np.sqrt(told)
    return float(min(1.0, 1 / max(np.linalg.eigvalsh(root[:, None] * apart * root)[-1], 1e-300)))


@dataclass(frozen=True)
class BaselineFit(Fit):
    """A fit to judgments against a baseline."""

    baseline_code: int = field(kw_only=True)
    table: BaselineTable = field(kw_only=True, repr=False)

    @property
    def baseline(self) -> str:
        return self.systems[self.baseline_code]

    @property
    def judges(self) -> tuple[str, ...]:
        return self.table.judges

    @property
    def segments(self) -> tuple[str, ...]:
        return self.table.segments

    @property
    def covariance(self) -> FloatArray:
        """Of the scores, by Laplace's approximation."""
        raise NotImplementedError

    def influences(self, table: BaselineTable) -> tuple[FloatArray, FloatArray]:
        """How far every judgment against the baseline moved the scores (rows, systems), and its information on θ."""
        raise NotImplementedError


def centred(values: FloatArray, weight: FloatArray, group: IntArray, groups: int) -> FloatArray:
    """The values less what each weight's share of its group's sum is, so that groups sum to nothing."""
    whole = np.stack([np.bincount(group, column, groups) for column in values.T], axis=1)
    work = np.maximum(np.bincount(group, weight, groups), 1e-300)
    return np.asarray(values - (whole / work[:, None])[group] * weight[:, None])


def matched(judgments: Judgments, column: str, names: tuple[str, ...], nameless: bool) -> IntArray:
    """The number of every row's judge or segment among those of a fit; −1 for one that it has not seen."""
    known = {name: number for number, name in enumerate(names)}
    own = judgments.judges if column == "judge" else judgments.segments
    number = np.array([*[known.get(name, -1) for name in own], len(names) if nameless else -1], dtype=np.int64)
    return number[judgments.codes(column)]
