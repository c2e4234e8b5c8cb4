"""How often intervals of κ miss the κ of the population that judges and segments come from.

A study rather than a benchmark, so run only by name: ``python -m benchmarks kappa``, some minutes. The generator is
written apart from `palmares.simulate`: outputs have normal latent qualities, judges differ in noise, in taste and in
where a tie begins for them, segments in how hard they are and in which outputs they favour.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import polars as pl

from palmares import Judgments, agreement
from palmares.analysis.agreement import Kappa

from .common import report

CAMPAIGNS = 400
RESAMPLES = 400


@dataclass(frozen=True)
class Population:
    """How judges and segments differ: standard deviations, of logarithms for noise, radius of ties and difficulty."""

    noise: float = 0.6
    radius: float = 0.5
    taste: float = 0.5
    difficulty: float = 0.6
    favour: float = 0.7
    systems: int = 4

    def judges(self, rng: np.random.Generator, number: int) -> tuple[np.ndarray, ...]:
        return (
            np.exp(rng.normal(-(self.noise**2) / 2, self.noise, number)),
            0.5 * np.exp(rng.normal(0, self.radius, number)),
            rng.normal(0, self.taste, (number, self.systems)),
        )

    def segments(self, rng: np.random.Generator, number: int) -> tuple[np.ndarray, ...]:
        quality = np.linspace(-1, 1, self.systems) + rng.normal(0, self.favour, (number, self.systems))
        return np.exp(rng.normal(0, self.difficulty, number)), quality

    def outcomes(
        self, rng: np.random.Generator, judges: tuple[np.ndarray, ...], segments: tuple[np.ndarray, ...]
    ) -> np.ndarray:
        """What each of the judges says of every two systems on the segment beside them: 1, 0 or −1."""
        (noise, radius, taste), (difficulty, quality) = judges, segments
        seen = quality + taste + rng.normal(size=quality.shape) * (noise * difficulty)[:, None]
        first, second = np.triu_indices(self.systems, 1)
        apart = seen[:, first] - seen[:, second]
        return np.where(np.abs(apart) <= radius[:, None], 0, np.sign(apart)).astype(np.int64)

    def kappas(self, looks: int = 600_000, seed: int = 99) -> tuple[float, float]:
        """The κ of two random judges, and of a random judge twice, each on a segment of their own."""
        rng = np.random.default_rng(seed)
        segments, one, two = self.segments(rng, looks), self.judges(rng, looks), self.judges(rng, looks)
        first, other, again = (self.outcomes(rng, judges, segments) for judges in (one, two, one))
        tied = float((first == 0).mean())
        chance = tied**2 + (1 - tied) ** 2 / 2
        inter, intra = (((float((first == x).mean()) - chance) / (1 - chance)) for x in (other, again))
        return inter, intra


@dataclass(frozen=True)
class Design:
    """Who judges what: ``each`` judges a segment (0: all), a share of it twice; work varies by e to the ``unequal``."""

    judges: int
    segments: int
    each: int = 3
    unequal: float = 0.0
    repeated: float = 0.2
    population: Population = Population()

    def campaign(self, seed: int) -> Judgments:
        rng, population = np.random.default_rng(seed), self.population
        people, texts = population.judges(rng, self.judges), population.segments(rng, self.segments)
        work = np.exp(rng.normal(0, self.unequal, self.judges))
        each = self.each or self.judges
        judge = np.concatenate(
            [rng.choice(self.judges, each, replace=False, p=work / work.sum()) for _ in range(self.segments)]
        )
        segment = np.repeat(np.arange(self.segments), each)
        again = rng.random(len(judge)) < self.repeated
        judge, segment = np.concatenate([judge, judge[again]]), np.concatenate([segment, segment[again]])
        outcome = population.outcomes(rng, tuple(x[judge] for x in people), tuple(x[segment] for x in texts))
        first, second = np.triu_indices(population.systems, 1)
        pairs = len(first)
        table = {
            "system_a": np.tile(first, len(judge)),
            "system_b": np.tile(second, len(judge)),
            "judge": np.repeat(judge, pairs),
            "segment": np.repeat(segment, pairs),
            "ranking": np.repeat(np.arange(len(judge)), pairs),
        }
        frame = pl.DataFrame(table).with_columns(pl.all().cast(pl.String), outcome=pl.Series(outcome.ravel()))
        return Judgments.from_rows(frame)


ALIKE = Population(noise=0, radius=0, taste=0)
DESIGNS = {
    "5 judges, 150 segments": Design(5, 150),
    "10 judges, 150 segments": Design(10, 150),
    "20 judges, 200 segments": Design(20, 200),
    "50 judges, 300 segments": Design(50, 300),
    "5 judges, each all of 60 segments": Design(5, 60, each=0),
    "10 judges, each all of 60 segments": Design(10, 60, each=0),
    "20 judges, each all of 60 segments": Design(20, 60, each=0),
    "10 judges, unequal work": Design(10, 150, unequal=1),
    "20 judges, unequal work": Design(20, 200, unequal=1),
    "50 judges, unequal work": Design(50, 300, unequal=1),
    "50 judges, very unequal work": Design(50, 300, unequal=1.6),
    "20 judges, 10 segments": Design(20, 10, each=6),
    "10 judges, all alike": Design(10, 150, population=ALIKE),
    "50 judges, all alike": Design(50, 300, population=ALIKE),
}


def intervals(design: Design, campaigns: int, resamples: int | None, first: int = 0) -> list[tuple[Kappa, Kappa]]:
    """κ between judges and within them, with their intervals, in so many campaigns."""
    found = [agreement(design.campaign(first + n), resamples=resamples, rng=n) for n in range(campaigns)]
    return [(each.inter.kappa, each.intra.kappa) for each in found]


def missed(kappas: list[Kappa], truth: float) -> tuple[float, float]:
    """The share of intervals without the truth, and their mean width."""
    spans = [each.interval for each in kappas if each.interval]
    return (
        float(np.mean([not low <= truth <= high for low, high in spans])),
        float(np.mean([high - low for low, high in spans])),
    )


def main() -> None:
    start, rows = time.perf_counter(), []
    for name, design in DESIGNS.items():
        truths = design.population.kappas()
        before, after = (intervals(design, CAMPAIGNS, resamples) for resamples in (RESAMPLES, None))
        cells: list[str] = []
        for k, truth in enumerate(truths):
            for found in (before, after):
                share, width = missed([each[k] for each in found], truth)
                cells.append(f"{100 * share:.1f} ({width:.2f})")
        rows.append([name, f"{truths[0]:.3f}", *cells[:2], f"{truths[1]:.3f}", *cells[2:]])
    report(
        "kappa",
        "Intervals of κ that miss the truth",
        ["campaign", "κ", "drawn segments", "judges and segments", "own κ", "drawn segments", "judges and segments"],
        rows,
        [
            "Misses of 95 % intervals in %, mean width in brackets. Drawn segments: `--resamples`, as before; judges "
            "and segments: leaving out both, the default. κ and own κ are those of the population (600,000 looks). "
            f"Three judges a segment, or as named; 4 systems; one look in five repeated; {CAMPAIGNS} campaigns each, "
            f"so that 5 % has a standard error of {100 * (0.05 * 0.95 / CAMPAIGNS) ** 0.5:.1f} %. It took "
            f"{(time.perf_counter() - start) / 60:.0f} minutes.",
        ],
    )


if __name__ == "__main__":
    main()
