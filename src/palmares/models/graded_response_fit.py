"""What ``graded-response`` found: places of systems, judges and segments, predictions, and more judgments."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import cast

import numpy as np

from ..errors import InputError
from ..judgments import FloatArray, IntArray, Judgments, PairCounts
from ..kernels.graded_climb import Arrow
from ..kernels.graded_response import Grades, Items, Prior, Terms, abilities, contributions, outcomes, pulls
from .against_baseline import BaselineFit, BaselineTable, centred, matched
from .base import Prediction

_X, _W = np.polynomial.hermite_e.hermegauss(5)
#: Rows whose predictions are integrated at once, which bounds memory.
_AT_ONCE = 50_000


def placed(theta: FloatArray, items: Items, baseline: int, shares: FloatArray | None = None) -> FloatArray:
    """Scores of all systems; the baseline is at the mean over segments of (b_1 + b_2) / 2.

    ``shares`` is how often each segment counts, where some were drawn more often than others.
    """
    return np.insert(theta, baseline, np.average(items.b.mean(axis=1), weights=shares))


@dataclass(frozen=True)
class GradedResponseFit(BaselineFit):
    """Places of systems, sensitivities of judges and difficulties of segments.

    Attributes
    ----------
    judges, sensitivity, log_errors
        Names, a_k, and standard errors of log a_k, of judges who compared something with the baseline.
    segments, difficulty, difficulty_errors
        Names, (b_j1, b_j2) and their standard errors, arrays (segments, 2).
    """

    theta: FloatArray = field(kw_only=True, repr=False)
    items: Items = field(kw_only=True, repr=False)
    prior: Prior = field(kw_only=True, repr=False)
    arrow: Arrow = field(kw_only=True, repr=False)
    #: Whether two systems that are not the baseline are compared over all judges and segments, or by typical values.
    averaged: bool = field(kw_only=True)
    #: All judgments so far, those added later included.
    answers: Grades = field(kw_only=True, repr=False)

    @property
    def sensitivity(self) -> FloatArray:
        return np.exp(self.items.log_a[: len(self.judges)])

    @property
    def difficulty(self) -> FloatArray:
        return self.items.b[: len(self.segments)]

    @cached_property
    def _variances(self) -> tuple[FloatArray, FloatArray]:
        """Of log a, and of b as blocks (segments, 2, 2)."""
        common, blocks = self.arrow.variances()
        return np.diag(common)[-len(self.items.log_a) :], blocks

    @property
    def log_errors(self) -> FloatArray:
        return np.sqrt(self._variances[0][: len(self.judges)])

    @property
    def difficulty_errors(self) -> FloatArray:
        blocks = self._variances[1][: len(self.segments)]
        return np.asarray(np.sqrt(np.diagonal(blocks, axis1=1, axis2=2)))

    @cached_property
    def _reach(self) -> tuple[FloatArray, FloatArray]:
        """How the scores move with a pull on every parameter: (common, systems) and (segments, 2, systems)."""
        fitted = self.table.cells.systems
        n = fitted + 1  # systems that were added later stand on their own
        common = np.zeros((len(self.arrow.reduced), n))
        common[np.arange(fitted), self.table.others] = 1.0
        own = np.zeros((len(self.items.b), 2, n))
        own[..., self.baseline_code] = 1 / own[..., 0].size
        return self.arrow.solve(common, own)

    @cached_property
    def covariance(self) -> FloatArray:
        """Of the scores, by Laplace's approximation, with judges and segments estimated along; as first fitted."""
        common, own = self._reach
        table = common[: self.table.cells.systems]
        whole = np.insert(table, self.baseline_code, own.mean(axis=(0, 1)), axis=0)
        return np.asarray((whole + whole.T) / 2)

    def influences(self, table: BaselineTable) -> tuple[FloatArray, FloatArray]:
        """How far every judgment against the baseline moved the scores (rows, systems), and its information on θ."""
        cells = table.cells
        by = contributions(cells, self.items, self.theta)
        weight = np.ones(len(table.rows)) if table.weights is None else table.weights
        entry = table.entry
        judge, segment = cells.judge[entry], cells.segment[entry]
        theta, log_a, b = (weight * by.theta[entry], weight * by.log_a[entry], weight[:, None] * by.b[entry])
        # The prior of a judge or segment leaves with it, so their judgments sum to nothing.
        log_a = centred(log_a[:, None], weight, judge, cells.judges)[:, 0]
        b = centred(b, weight, segment, cells.segments)
        common, own = self._reach
        moved = theta[:, None] * common[cells.system[entry]] + log_a[:, None] * common[cells.systems + judge]
        moved += np.einsum("rc,rcs->rs", b, own[segment])
        middle = self.items.b.mean(axis=1)
        work = np.bincount(segment, weight, cells.segments)
        moved[:, self.baseline_code] += (middle - middle.mean())[segment] / len(middle) * weight / work[segment]
        return moved, weight * by.information[entry]

    # -- predictions -------------------------------------------------------------------------------

    def predict(self, a: str | int, b: str | int) -> Prediction:
        """By a judge and on a segment of which nothing is known."""
        i, j = self.code(a), self.code(b)
        if i == j:
            raise InputError(f"system {self.systems[i]!r} is not compared with itself; name two systems")
        unknown = np.array([-1])
        return Prediction(*map(float, self._outcomes(np.array([i]), np.array([j]), unknown, unknown)[0]))

    def predict_pairs(self) -> FloatArray:
        n = len(self.systems)
        i, j = (codes.ravel() for codes in np.indices((n, n)))
        unknown = np.full(n * n, -1)
        table = self._outcomes(i, j, unknown, unknown).reshape(n, n, 3)
        table[np.arange(n), np.arange(n)] = 1 / 3
        return table

    def predict_rows(self, judgments: Judgments) -> FloatArray:
        """By the judge and on the segment of every row, over what is not known of them."""
        a, b = self.row_codes(judgments)
        judge = matched(judgments, "judge", self.judges, self.table.nameless[0])
        segment = matched(judgments, "segment", self.segments, self.table.nameless[1])
        parts = [slice(lo, lo + _AT_ONCE) for lo in range(0, max(len(a), 1), _AT_ONCE)]
        return np.concatenate([self._outcomes(a[p], b[p], judge[p], segment[p]) for p in parts])

    def _outcomes(self, a: IntArray, b: IntArray, judge: IntArray, segment: IntArray) -> FloatArray:
        """P(a better), P(tie), P(b better): against the baseline by the model, of two others by the extension."""
        scores, base = cast(FloatArray, self.scores), self.baseline_code
        found = self._between(scores[a] - scores[b], judge)
        against = (a == base) != (b == base)
        other = np.where(a == base, b, a)[against]
        graded = self._integrated(scores[other], judge[against], segment[against])
        found[:, against] = np.where(a[against] == base, graded[::-1], graded)
        return np.asarray((found / found.sum(axis=0)).T)

    def _between(self, gap: FloatArray, judge: IntArray) -> FloatArray:
        """Outcomes of two systems that are so far apart, neither of them the baseline."""
        if self.averaged:
            # As if either were the baseline, on a segment of which nothing is known; both ways, since nobody is first.
            new, middle = np.full(len(gap), -1), self.segment_beliefs[0][-1, 0]
            return (self._integrated(middle + gap, judge, new) + self._integrated(middle - gap, judge, new)[::-1]) / 2
        width = np.full(len(gap), (self.items.b[:, 1] - self.items.b[:, 0]).mean())
        return outcomes(np.full(len(gap), np.exp(self.items.log_a.mean())), gap, -width / 2, width)

    def _integrated(self, theta: FloatArray, judge: IntArray, segment: IntArray) -> FloatArray:
        """Outcomes against the baseline, averaged over what is not known of the judge and the segment."""
        (log_a, a_sd), (middle, roots) = self.judge_beliefs, self.segment_beliefs
        log_a, a_sd, middle, roots = log_a[judge], a_sd[judge], middle[segment], roots[segment]
        weights, total = _W / _W.sum(), np.zeros((3, len(theta)))
        sensitivities = [np.exp(log_a + a_sd * x) for x in _X]
        for x, wx in zip(_X, weights, strict=True):
            for y, wy in zip(_X, weights, strict=True):
                centre, log_width = (middle + roots @ np.array([x, y])).T
                width = np.exp(log_width)
                for a, wz in zip(sensitivities, weights, strict=True):
                    total += wx * wy * wz * outcomes(a, theta, centre - width / 2, width)
        return total

    @cached_property
    def judge_beliefs(self) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation of log a of every judge, and last of one who was never seen.

        Of a stranger: those of the judges at hand and one more of whom the prior says all.
        """
        prior, log_a, variance = self.prior, self.items.log_a, self._variances[0]
        mean, k = (log_a.sum() + prior.log_a) / (len(log_a) + 1), len(log_a)
        spread = (((log_a - mean) ** 2 + variance).sum() + prior.a_sd**2 + (prior.log_a - mean) ** 2) / (k + 1)
        return np.append(log_a, mean), np.sqrt(np.append(variance, spread))

    @cached_property
    def segment_beliefs(self) -> tuple[FloatArray, FloatArray]:
        """Mean and root of the covariance of ((b_1 + b_2) / 2, log(b_2 − b_1)) of every segment, and of a new one."""
        b, prior = self.items.b, self.prior
        width = b[:, 1] - b[:, 0]
        ways = np.stack([np.full((len(b), 2), 0.5), np.stack([-1 / width, 1 / width], axis=1)], axis=1)
        spread = ways @ self._variances[1] @ np.swapaxes(ways, 1, 2)
        # Beyond this, nothing is known of a width, and its exponential would be all that counts.
        spread[:, 1, 1] = np.minimum(spread[:, 1, 1], 1.0)
        spread[:, 0, 1] = spread[:, 1, 0] = 0.0
        own = np.stack([b.mean(axis=1), np.log(width)], axis=1)
        new = np.array([sum(prior.b) / 2, np.log(prior.b[1] - prior.b[0])])
        mean = (own.sum(axis=0) + new) / (len(own) + 1)
        vague = np.diag([prior.b_sd**2 / 2, 1.0]) + np.outer(new - mean, new - mean)
        among = ((own - mean).T @ (own - mean) + spread.sum(axis=0) + vague) / (len(own) + 1)
        return np.concatenate([own, mean[None]]), np.linalg.cholesky(np.concatenate([spread, among[None]]))

    # -- more judgments ----------------------------------------------------------------------------

    def update(self, more: Judgments | PairCounts) -> GradedResponseFit:
        """The systems' places by these judgments and ``more``, with sensitivities and difficulties kept.

        A judge or segment that only ``more`` mentions is taken for a usual one.
        """
        new, notes = self._graded(more, self.systems)
        answers = _joined(self.answers, new, len(self.theta))
        theta, deviations = self._located(answers)
        scores = placed(theta, self.items, self.baseline_code)
        kept = cast(FloatArray, self.deviations)[self.baseline_code]
        return replace(
            self, scores=scores, theta=theta, answers=answers, notes=(*self.notes, *notes),
            deviations=np.insert(deviations, self.baseline_code, kept),
        )  # fmt: skip

    def add_system(self, name: str, judgments: Judgments) -> GradedResponseFit:
        """A new system, placed by its judgments against the baseline; nothing else changes.

        It stands last among the systems. A judge or segment that was not seen before is taken for a usual one.
        """
        if name in self.systems:
            raise InputError(f"system {name!r} has a place already; update() adds judgments of it")
        systems = (*self.systems, name)
        new, notes = self._graded(judgments, systems, only=name)
        answers = _joined(self.answers, new, len(systems) - 1)
        theta, deviations = self._located(replace(new, systems=len(systems) - 1))
        return replace(
            self, systems=systems, scores=np.append(cast(FloatArray, self.scores), theta[-1]),
            theta=np.append(self.theta, theta[-1]), answers=answers, notes=(*self.notes, *notes),
            deviations=np.append(cast(FloatArray, self.deviations), deviations[-1]),
        )  # fmt: skip

    def _graded(
        self, judgments: Judgments | PairCounts, systems: tuple[str, ...], only: str | None = None
    ) -> tuple[Grades, tuple[str, ...]]:
        """New judgments against the baseline by the numbers of this fit, and what to say of them."""
        if isinstance(judgments, PairCounts):
            raise InputError(f"model {self.model.id!r} needs the judgments, not only their pair counts")
        if unknown := [name for name in judgments.systems if name not in systems and only is None]:
            raise InputError(f"unknown system {unknown[0]!r}; there are: {', '.join(systems)}; add_system() adds one")
        lone = InputError(
            f"no judgment compares {only or 'a system'} with the baseline {self.baseline}; only such judgments count"
        )
        if self.baseline not in judgments.systems or (only is not None and only not in judgments.systems):
            raise lone
        table = BaselineTable.of(judgments, self.baseline, self.model.id, refuse=False)
        cells = table.grades
        names = [table.systems[code] for code in table.others]
        wanted = np.array([only is None or name == only for name in names])[cells.system]
        if not wanted.any():
            raise lone
        place = {
            name: number for number, name in enumerate(np.delete(np.array(systems, dtype=object), self.baseline_code))
        }
        system = np.array([place.get(name, -1) for name in names])[cells.system][wanted]
        numbers = {
            "judge": matched(judgments, "judge", self.judges, self.table.nameless[0])[table.rows],
            "segment": matched(judgments, "segment", self.segments, self.table.nameless[1])[table.rows],
        }
        inside = wanted[table.entry]
        strange = {word: int((number[inside] < 0).sum()) for word, number in numbers.items()}
        notes = [
            f"{int(inside.sum()):,} of {len(judgments):,} added judgments are against the baseline and count",
            *(f"{n:,} added judgments have a {word} not seen before, taken for a usual one"
              for word, n in strange.items() if n),
        ]  # fmt: skip
        first = np.unique(table.entry, return_index=True)[1]
        judge, segment = (number[first][wanted] for number in numbers.values())
        new = Grades(
            len(systems) - 1, len(self.items.log_a) + 1, len(self.items.b) + 1, system,
            np.where(judge < 0, len(self.items.log_a), judge), np.where(segment < 0, len(self.items.b), segment),
            cells.grade[wanted], cells.weight[wanted],
        )  # fmt: skip
        return new, tuple(notes)

    def _located(self, answers: Grades) -> tuple[FloatArray, FloatArray]:
        """θ of every system by these judgments, and its standard error, a and b being estimates."""
        (log_a, _), (middle, _) = self.judge_beliefs, self.segment_beliefs
        half = np.exp(middle[-1, 1]) / 2
        usual = np.array([[middle[-1, 0] - half, middle[-1, 0] + half]])
        items = Items(log_a, np.concatenate([self.items.b, usual]))
        terms = Terms.of(answers)
        theta, variance = abilities(terms, items, answers.systems, self.prior)
        pull_a, pull_b = pulls(terms, items, theta)
        fitted = self.table.cells.systems
        common = np.concatenate([np.zeros((fitted, answers.systems)), pull_a[:-1]])
        moved, own = self.arrow.solve(common, pull_b[:-1])
        extra = (moved[fitted:] * pull_a[:-1]).sum(axis=0) + (own * pull_b[:-1]).sum(axis=(0, 1))
        return theta, np.sqrt(variance + variance**2 * extra)


def _joined(seen: Grades, new: Grades, systems: int) -> Grades:
    columns = ("system", "judge", "segment", "grade", "weight")
    joined = [np.concatenate([getattr(seen, name), getattr(new, name)]) for name in columns]
    return Grades(systems, new.judges, new.segments, *joined)
