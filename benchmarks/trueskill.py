"""TrueSkill: updates per second, and what 1000 runs of the official WMT procedure cost."""

from __future__ import annotations

from .common import measure, report

_JUDGMENTS = 80_000
_UPDATES = 5_000_000
_PEER_UPDATES = 2_000
#: The published program, 1000 runs of a campaign of this size.
_PUBLISHED_HOURS = 5.5
#: Samples measured where 1000 would take too long.
_FEW = 8

_ROWS = """
import math, numba, numpy as np
rng = np.random.default_rng(0)
a = rng.integers(0, {systems}, {updates}).astype(np.int32)
b = ((a + rng.integers(1, {systems}, {updates})) % {systems}).astype(np.int32)
o = rng.choice(np.array([1, 0, -1], dtype=np.int8), {updates}, p=[.4, .25, .35])
beta = .5 * 80_000 / 40
margin = .3186393639643752 * 2 ** .5 * beta
mean, variance = np.zeros({systems}), np.full({systems}, .25)
"""
_OURS = """
from palmares.kernels.trueskill import play_sequence
play_sequence(mean, variance, a[:9], b[:9], o[:9], beta, margin)
"""
#: The textbook formulas and nothing else: no care for tails, no functions.
_BARE = """
@numba.njit
def bare(mean, variance, a, b, o, beta, margin):
    for k in range(len(a)):
        i, j = (a[k], b[k]) if o[k] >= 0 else (b[k], a[k])
        c2 = 2 * beta * beta + variance[i] + variance[j]
        c = math.sqrt(c2)
        t, e = (mean[i] - mean[j]) / c, margin / c
        if o[k] != 0:
            x = t - e
            v = math.exp(-x * x / 2) * 0.3989422804014327 / (0.5 * math.erfc(-x * 0.7071067811865476))
            w = v * (v + x)
        else:
            lo, hi = -e - t, e - t
            n_lo, n_hi = math.exp(-lo * lo / 2) * 0.3989422804014327, math.exp(-hi * hi / 2) * 0.3989422804014327
            inside = 0.5 * (math.erfc(-hi * 0.7071067811865476) - math.erfc(-lo * 0.7071067811865476))
            v = (n_lo - n_hi) / inside
            w = v * v + (hi * n_hi - lo * n_lo) / inside
        mean[i] += variance[i] / c * v
        mean[j] -= variance[j] / c * v
        variance[i] *= 1 - variance[i] / c2 * w
        variance[j] *= 1 - variance[j] / c2 * w
bare(mean, variance, a[:9], b[:9], o[:9], beta, margin)
"""
_PEER = """
import trueskill
env = trueskill.TrueSkill(mu=0, sigma=.5, beta=beta, tau=0, draw_probability=.25)
rating = [env.create_rating() for _ in range({systems})]
"""
_PEER_STATEMENT = """
for i, j, outcome in zip(a.tolist(), b.tolist(), o.tolist()):
    if outcome < 0:
        i, j = j, i
    rating[i], rating[j] = trueskill.rate_1vs1(rating[i], rating[j], drawn=outcome == 0, env=env)
"""
_CAMPAIGN = """
import palmares as pm
from palmares.models.by_name import create
from palmares import Execution
from palmares.ranking.bootstrap import resample
counts = pm.simulate(systems={systems}, rankings={rankings}, judges=200, segments=3000, rng=0).judgments.counts
model = create("trueskill", {settings})
resample(model, counts, unit="pair", resamples=2, execution=Execution(seed=0))
"""


def main() -> None:
    updates()
    replicates()


def updates() -> None:
    """How many judgments a second one core takes in."""
    rows = []
    for systems in (15, 200):
        data = _ROWS.format(systems=systems, updates=_UPDATES)
        few = _ROWS.format(systems=systems, updates=_PEER_UPDATES)
        call = "{}(mean, variance, a, b, o, beta, margin)"
        bare = _UPDATES / measure(call.format("bare"), setup=data + _BARE)[0]
        ours = _UPDATES / measure(call.format("play_sequence"), setup=data + _OURS)[0]
        setup = few + _PEER.format(systems=systems)
        peer = _PEER_UPDATES / measure(_PEER_STATEMENT, setup=setup, repeats=1)[0]
        rows.append([systems, ours / 1e6, bare / 1e6, peer / 1e6, ours / bare, f"{ours / peer:,.0f}"])
    report(
        "trueskill-updates",
        "TrueSkill updates per second, one core (millions)",
        ["systems", "palmares, `sequence`", "bare loop", "package `trueskill` 0.4.5", "ratio to bare", "to package"],
        rows,
        [
            f"A quarter ties; {_UPDATES:,} updates, {_PEER_UPDATES:,} for the package; compiled before. The bare loop "
            "is the same arithmetic without care of the tails, where its quotients are 0/0.",
        ],
    )


def replicates() -> None:
    """1000 bootstrap samples of a campaign, one run each."""
    rows = []
    for settings in ({}, {"preset": "paper"}, {"mode": "batch"}, {"mode": "shuffled"}):
        one, two = (_samples(settings, 15, _JUDGMENTS, 1000, workers) for workers in (1, 2))
        name = ", ".join(f"{key} {value}" for key, value in settings.items()) or "mode replay"
        published = f"{_PUBLISHED_HOURS * 3600 / two:,.0f}" if "mode" not in settings else "–"
        rows.append([f"{_JUDGMENTS:,} of 15", name, one, two, one / two, published])
    for settings, name in (({}, "mode replay"), ({"mode": "batch"}, "mode batch")):
        one, two = (_samples(settings, 200, 2_000_000, _FEW, workers) * 1000 / _FEW for workers in (1, 2))
        rows.append(["2,000,000 of 200", name, one, two, one / two, "–"])
    report(
        "trueskill-replicates",
        "1000 bootstrap samples, TrueSkill",
        ["judgments", "", "one worker s", "two workers s", "ratio", "published program / two workers"],
        rows,
        [
            f"Threads. The published program took {_PUBLISHED_HOURS} h for 1000 runs of the smaller size. At the "
            f"larger size {_FEW} samples were measured and scaled.",
        ],
    )


def _samples(settings: dict[str, str], systems: int, judgments: int, resamples: int, workers: int) -> float:
    setup = _CAMPAIGN.format(systems=systems, rankings=judgments // 10, settings=settings)
    execution = f"Execution(workers={workers}, seed=0)"
    statement = f"resample(model, counts, unit='pair', resamples={resamples}, execution={execution})"
    return measure(statement, setup=setup, repeats=1)[0]


if __name__ == "__main__":
    main()
