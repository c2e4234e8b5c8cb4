"""One simulated campaign, its systems chosen by a strategy, looked at again and again."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from palmares.ranking import anytime

from . import active_fit, active_rules
from .active_cells import FULL
from .active_own import Chooser, State, uniform
from .active_replay import Pool, Replayed
from .active_two_way import two_way
from .active_world import Collected, Floats, Ints, World

EVERY, FIRST, UNIFORM_SHARE = 200, 200, 0.1


@dataclass
class Race:
    """What was seen at the looks: clusters by rule, whether anything wrong was ever said, and at the last look."""

    looks: list[int] = field(default_factory=list)
    clusters: dict[str, list[int]] = field(default_factory=dict)
    wrong: dict[str, bool] = field(default_factory=dict)
    wrong_last: dict[str, bool] = field(default_factory=dict)
    #: How many systems' ranges missed at the last look, and which ever did; ``any`` has the ranges of the package.
    missed: dict[str, int] = field(default_factory=dict)
    ever_missed: dict[str, list[bool]] = field(default_factory=dict)


class Looker:
    """Fits, covariances and claims as judgments come in.

    Where judges and segments have effects, the covariance that allows for both is made at a few looks only; between
    them a strategy knows the model's, each system's standard error times what it was more at the last of these.
    """

    def __init__(self, collected: Collected | Replayed) -> None:
        n = collected.world.systems
        self.collected, self.x, self.normal = collected, np.zeros(n + 1), active_rules.normal_draws(n)
        self.widened, self.df = np.ones(n), np.inf

    def fit(self) -> None:
        data = self.collected
        self.x, self.inverse = active_fit.fitted(self.x, data.wins, data.ties)
        self.theta, self.model = self.x[:-1], self.inverse[:-1, :-1]
        if data.size == 2 and not data.world.effects:
            self.covariance = self.model
        elif data.world.effects:
            self.covariance = self.widened[:, None] * self.model * self.widened
        else:
            self.covariance = active_fit.by_ranking(self.x, self.inverse, *data.log())
        self._compare()

    def allow_for_judges(self) -> None:
        """The package's covariance by judges and segments, and the stretch that follows from it."""
        _, covariance, self.df = two_way(self.collected)
        self.covariance = covariance
        self.widened = self.stretch
        self._compare()

    @property
    def stretch(self) -> Floats:
        """By how much the standard error of every system is larger than that of independent comparisons."""
        if self.covariance is self.model:
            return np.ones(len(self.model))
        away = np.eye(len(self.model)) - 1 / len(self.model)
        wide, plain = (np.diag(away @ v @ away) for v in (self.covariance, self.model))
        return np.sqrt(np.asarray(wide / plain))

    def _compare(self) -> None:
        self.order = np.argsort(-self.theta, kind="stable")
        z2, self.known = active_rules.squares(self.theta, self.covariance)
        self.z2 = z2 if np.isinf(self.df) else active_rules.with_df(z2, self.df)

    def claimed(self, rule: str) -> np.ndarray:
        """The boundaries that a rule claims now: ``usual``, ``any``, ``once``, or ``horizon`` with its end."""
        if rule == "usual":
            return np.asarray(active_rules.usual_boundaries(self.order, self.usual_ranges()))
        if rule == "any":
            return np.asarray(active_rules.claim(self.order, active_rules.most_any(self.z2, self.known)))
        if rule == "once":
            needed = active_rules.once()
        else:
            end = int(rule.removeprefix("horizon").removeprefix("-") or FULL)
            needed = active_rules.horizon(min(self.collected.judgments, end) // EVERY, end // EVERY)
        return np.asarray(active_rules.claim(self.order, active_rules.most_of_table(self.z2, needed)))

    def usual_ranges(self) -> Ints:
        return np.asarray(active_rules.usual_ranges(self.theta, self.covariance, self.normal))

    def ranges_at_every_look(self) -> Ints:
        """The package's, each for itself."""
        df = None if np.isinf(self.df) else self.df
        return anytime.ranges(anytime.evidence(self.theta, self.covariance, df=df))

    def state(self, claimed: np.ndarray) -> State:
        data = self.collected
        met = data.wins + data.wins.T + data.ties
        return State(
            self.theta, self.covariance, self.order, claimed, active_fit.information(self.x), met, data, self.stretch,
            self.inverse, float(self.x[-1]), self.covariance is not self.model,
        )  # fmt: skip


def wrong(quality: Floats, order: Ints, claimed: np.ndarray) -> bool:
    """Whether a claimed boundary has a system above it that is not better than one below."""
    ordered = quality[order]
    highest_below = np.maximum.accumulate(ordered[::-1])[::-1][1:]
    lowest_above = np.minimum.accumulate(ordered)[:-1]
    return bool((claimed & (lowest_above <= highest_below)).any())


def misses(quality: Floats, ranges: Ints) -> np.ndarray:
    """Which systems' ranges hold none of the ranks they may truly have: of equal ones any of theirs."""
    best = 1 + (quality[None] > quality[:, None]).sum(axis=1)
    worst = len(quality) - (quality[None] < quality[:, None]).sum(axis=1)
    return np.asarray((ranges[:, 1] < best) | (ranges[:, 0] > worst))


def race(
    world: World | Pool, size: int, chooser: Chooser | None, rule: str, until: int, rng: np.random.Generator,
    *, rules: tuple[str, ...], batch: int = 20,
) -> Race:  # fmt: skip
    """Collect up to so many judgments; the strategy learns after each batch, the rules look every 200.

    Parameters
    ----------
    chooser
        None is uniform, whose fit is needed at looks only.
    rule
        ``usual`` or ``any``: by which boundaries count as open.
    rules
        Those that are looked at.
    batch
        Judgments between two fits.
    """
    pairs, n = size * (size - 1) // 2, world.systems
    data = world.collect(size, until // pairs + EVERY, rng)
    looker, result = Looker(data), Race(clusters={name: [] for name in rules})
    looks = set(geometric(until) if world.effects else range(FIRST, until + 1, EVERY))
    data.ask(uniform(n, size, FIRST // pairs, rng))
    while True:
        if data.judgments in looks or chooser is not None:
            looker.fit()
            state = looker.state(looker.claimed(rule)) if chooser is not None else None
        if data.judgments in looks:
            if world.effects:
                looker.allow_for_judges()
            _look(result, looker, rules)
        if data.judgments >= until:
            return result
        number = (batch if chooser is not None else EVERY) // pairs
        by_chance = number if chooser is None else int(rng.binomial(number, UNIFORM_SHARE))
        screens = uniform(n, size, by_chance, rng)
        if by_chance < number and chooser is not None and state is not None:
            screens = np.concatenate([chooser(state, size, number - by_chance, rng), screens])
        data.ask(screens)


def geometric(until: int) -> list[int]:
    """600 judgments, and 1.6 times as many again and again, in full hundreds; the last are all."""
    numbers = 600 * 1.6 ** np.arange(np.log(until / 600) / np.log(1.6))
    return [*dict.fromkeys((numbers / EVERY).round().astype(int) * EVERY), until]


def _look(result: Race, looker: Looker, rules: tuple[str, ...]) -> None:
    quality = looker.collected.world.quality
    result.looks.append(looker.collected.judgments)
    for rule in rules:
        claimed = looker.claimed(rule)
        result.clusters[rule].append(1 + int(claimed.sum()))
        result.wrong_last[rule] = wrong(quality, looker.order, claimed)
        result.wrong[rule] = result.wrong.get(rule, False) or result.wrong_last[rule]
        if rule in ("usual", "any"):
            missed = misses(quality, looker.usual_ranges() if rule == "usual" else looker.ranges_at_every_look())
            result.missed[rule] = int(missed.sum())
            before = result.ever_missed.get(rule, [False] * len(quality))
            result.ever_missed[rule] = (missed | np.array(before)).tolist()
