"""Random streams: every purpose under a seed has a generator of its own.

A generator is made from the seed, the purpose and the number of the piece of work, and from nothing else. So the same
seed gives the same numbers however work is cut up and wherever it runs, and no two purposes share random numbers. The
numbers below are part of every published result: add new ones, never change them.
"""

from __future__ import annotations

from enum import IntEnum, unique

import numpy as np

from ..errors import InputError

#: Anything that a seed can be made of; None draws fresh entropy.
RngLike = int | np.random.SeedSequence | np.random.Generator | None


@unique
class Stream(IntEnum):
    """What random numbers are drawn for: the first word of a generator's key."""

    FIT = 0
    REPLICATES = 1
    DRAWS = 2
    CAMPAIGN = 3
    FEW_UNITS = 4
    TWO_WAY = 5
    POSTERIOR = 6
    JUDGE_AWARE = 7
    FORECAST = 8
    AUDIT_JUDGES = 11
    AUDIT_DRIFT = 12
    AUDIT_CYCLES = 13
    AUDIT_LEFT_OUT = 14
    AUDIT_POWER = 15
    FOLDS = 20
    FOLD_FITS = 21
    SUBSETS = 22
    NOISE = 23
    SEGMENT_SPLITS = 41
    JUDGE_FLAGS = 43
    SIMULATED_COUNTS = 51
    NEXT = 52
    LIKENESS = 56
    SCORED_SEGMENTS = 58
    QUALITY_FOLDS = 59
    METRIC_CORRELATIONS = 60
    PLAN_PILOT = 61
    PLAN_CAMPAIGNS = 62
    PLAN_RANGES = 63
    PLAN_INTERVALS = 64


class ExperimentStream(IntEnum):
    """What the papers' experiments draw for; each runs under a seed of its own, so two may share a number.

    Some of their keys begin with the number of a trial, task or rule instead: results were published that way.
    """

    CHOOSING_RUNS = 3
    CHOOSING_PLACES = 4
    BOX_SETS = 5
    POOL_TRIALS = 6
    OTHER_BOX_SETS = 6
    DEVELOPMENT = 7
    OTHER_BOX_FITS = 7
    ABILITY_SETS = 8
    BOX_CHOOSING_RUNS = 8
    ABILITY_FITS = 9
    RANKINGS = 9
    STAND_IN = 101
    TRACK = 102
    BASELINE_SETS = 103
    RANDOM_SETS = 104
    NOISY_JUDGES = 105
    SCORING_FITS = 106
    SIMULATED_COUNTS = 107
    BOUNDS = 108
    REBUILT = 109
    ORDERS = 110


def generator(seed: int, *key: int) -> np.random.Generator:
    """The generator of one purpose (a `Stream`) and piece of work under a seed."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def seed_of(rng: RngLike) -> int:
    """A whole number that stands for ``rng`` and can be printed."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(0, 2**63))
    try:
        sequence = rng if isinstance(rng, np.random.SeedSequence) else np.random.SeedSequence(rng)
    except (TypeError, ValueError):
        raise InputError(
            f"rng: got {rng!r}; allowed: a whole number of at least 0, a numpy Generator or SeedSequence; "
            "None draws a seed"
        ) from None
    if not isinstance(sequence.entropy, int | np.integer) or sequence.spawn_key:
        return int(sequence.generate_state(1, np.uint64)[0])
    return int(sequence.entropy)
