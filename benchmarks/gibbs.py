"""The models of latent quality: what a chain costs, against its bare random draws and the published program."""

from __future__ import annotations

from .common import measure, report

_SETUP = """
import numba, numpy as np, palmares as pm
from palmares.kernels.hopkins_may import observed_difference
from palmares.models.by_name import create
judgments = pm.simulate(systems={systems}, rankings={rankings}, judges=200, segments=3000, rng=0).judgments
outcome = judgments.codes("outcome").astype(np.int64)
model = create({model!r}, {settings!r})
model.fit(pm.simulate(systems=6, rankings=9, rng=0).judgments, rng=0)

@numba.njit
def bare(outcome, times, rng):
    total = 0.0
    for _ in range(times):
        for row in range(len(outcome)):
            total += observed_difference(0.0, 1.4142135623730951, outcome[row], 0.4, rng)
    return total

bare(outcome, 1, np.random.default_rng(0))
"""
_FIT = "model.fit(judgments, rng=0)"
_BARE = "bare(outcome, 200, np.random.default_rng(0))"
_RUN = "model.rescore(judgments, rng=np.random.default_rng(0))"

_SAMPLERS = (
    ("`hopkins-may`", "hopkins-may", {}),
    ("`hopkins-may`, projection", "hopkins-may", {"sampler": "projection"}),
    ("`irt-categorical`", "irt-categorical", {}),
)
#: Seconds reported for 1000 runs of the program of Sakaguchi et al. (2014) on WMT13.
_PUBLISHED = 13.5 * 3600


def main() -> None:
    chains()
    published()


def chains() -> None:
    """200 iterations, and nothing but the same number of truncated normal draws."""
    rows: list[list[object]] = []
    for systems, rankings, repeats in ((15, 8_000, 3), (200, 200_000, 1)):
        size = f"{rankings * 10:,} of {systems}"
        setup = _setup("hopkins-may", {}, systems=systems, rankings=rankings)
        bare = measure(_BARE, setup=setup, repeats=repeats)[0]
        rows.append([size, "truncated normal draws alone", bare, "", 1.0])
        for label, model, settings in _SAMPLERS:
            setup = _setup(model, settings, systems=systems, rankings=rankings)
            seconds, peak = measure(_FIT, setup=setup, repeats=repeats)
            rows.append([size, label, seconds, round(peak), seconds / bare])
    report(
        "gibbs",
        "200 iterations of Gibbs sampling",
        ["judgments", "what", "seconds", "peak MiB", "ratio to the draws alone"],
        rows,
        [
            "Compiled beforehand; one core. Five-way rankings on 3000 segments. The first line of a size draws one "
            "truncated normal for every judgment and iteration, with the campaign's outcomes and equal abilities, and "
            "does nothing else.",
        ],
    )


def published() -> None:
    """1000 runs on a campaign as large as WMT13's, against the program behind the published figures."""
    rows: list[list[object]] = [["published program", _PUBLISHED / 1000, _PUBLISHED / 3600, 1.0]]
    for label, model, settings in _SAMPLERS[:2]:
        seconds = measure(_RUN, setup=_setup(model, settings, systems=13, rankings=9_996))[0]
        rows.append([label, seconds, seconds / 3.6, _PUBLISHED / 1000 / seconds])
    report(
        "gibbs-published",
        "1000 runs on a campaign of the size of WMT13: 99,960 judgments of 13 systems",
        ["what", "seconds a run", "hours for 1000", "times as fast"],
        rows,
        [
            "A simulated campaign of that size; one run measured (200 iterations, every judgment in each) and "
            "multiplied by 1000. Published program: 13.5 h for 1000 runs on WMT13, measured earlier on a machine of "
            "this kind; it uses one random ranking per segment and iteration.",
        ],
    )


def _setup(model: str, settings: dict[str, str], *, systems: int, rankings: int) -> str:
    return _SETUP.format(model=model, settings=settings, systems=systems, rankings=rankings)


if __name__ == "__main__":
    main()
