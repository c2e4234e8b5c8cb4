"""The judge-aware models: what they cost to fit and to resample, and how they predict, beside a peer that knows judges.

The peer is crowd-kit's NoisyBradleyTerry, as it comes: a skill γ and a bias q for every judge, who prefers the left one
with probability γ σ(s_left − s_right) + (1 − γ) σ(q). It knows no ties, so there are none where it takes part.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from .common import measure, report

#: Judges differ in sensitivity and tie width; drawn without the code of the model.
_SETUP = """
import numpy as np, palmares as pm, polars as pl
from palmares.judgments import Judgments
rng = np.random.default_rng(0)
n, systems, judges = {judgments}, {systems}, {judges}
theta = rng.normal(0, .5, systems)
sensitivity, width = np.exp(rng.normal(0, .4, judges)), .5 * np.exp(rng.normal(0, .8, judges))
judge, a = rng.integers(0, judges, n), rng.integers(0, systems, n)
b = (a + rng.integers(1, systems, n)) % systems
seen = sensitivity[judge] * (theta[a] - theta[b]) + rng.logistic(0, 1, n)
outcome = np.where(seen > width[judge], 1, np.where(seen < -width[judge], -1, 0))
name = lambda letter, codes: pl.Series(codes).cast(pl.String).str.pad_start(5, "0").str.replace("^", letter)
judgments = Judgments.from_rows(pl.DataFrame(dict(
    system_a=name("s", a), system_b=name("s", b), outcome=outcome, judge=name("j", judge))))
judgments.counts, judgments.cells
"""
_FITS = (
    ("`ordinal`", "fit = pm.models.Ordinal().fit(judgments); assert fit.convergence.converged"),
    ("`crowd-bt`", "fit = pm.models.CrowdBT().fit(judgments); assert fit.convergence.converged"),
    ("`bradley-terry`, Rao–Kupper", "pm.models.BradleyTerry(ties='rao-kupper').fit(judgments)"),
)
#: No ties; 80 % are fitted, the rest predicted. Only fits are timed; tables and frames are there before.
_HELD_OUT = """
import json, time
import numpy as np, palmares as pm, polars as pl
from palmares.judgments import Judgments
rng = np.random.default_rng(1)
n, systems, judges = {judgments}, {systems}, {judges}
theta = rng.normal(0, .5, systems)
judge, a = rng.integers(0, judges, n), rng.integers(0, systems, n)
b = (a + rng.integers(1, systems, n)) % systems
{truth}
won = rng.random(n) < chance
test = rng.random(n) < .2
name = lambda letter, codes: pl.Series(codes).cast(pl.String).str.pad_start(5, "0").str.replace("^", letter)
def table(rows):
    return Judgments.from_rows(pl.DataFrame(dict(system_a=name("s", a[rows]), system_b=name("s", b[rows]),
        outcome=np.where(won[rows], 1, -1), judge=name("j", judge[rows]))))
def timed(work):
    start, cpu = time.perf_counter(), time.process_time()
    done = work()
    return (time.perf_counter() - start, time.process_time() - cpu), done
def ours(model):
    train, held_out = table(~test), table(test)
    train.counts
    seconds, fit = timed(lambda: pm.models.create(model).fit(train))
    p = fit.predict_rows(held_out)[np.arange(len(held_out)), 1 - held_out.codes("outcome")]
    return seconds, p
def peers():
    import pandas as pd
    from crowdkit.aggregation import NoisyBradleyTerry
    rows = ~test
    frame = pd.DataFrame(dict(worker=judge[rows], left=a[rows], right=b[rows],
        label=np.where(won[rows], a[rows], b[rows])))
    seconds, fit = timed(lambda: NoisyBradleyTerry().fit(frame))
    score = fit.scores_.reindex(range(systems)).to_numpy()
    score = np.log(score / (1 - score))  # it gives them on the scale of probabilities
    skill, bias = (x.reindex(range(judges)).to_numpy()[judge[test]] for x in (fit.skills_, fit.biases_))
    left = skill / (1 + np.exp(score[b[test]] - score[a[test]])) + (1 - skill) * bias
    return seconds, np.where(won[test], left, 1 - left)
{made}
best = np.where(won, chance, 1 - chance)[test]
print(json.dumps([*seconds, -np.log(p).mean(), -np.log(best).mean()]))
"""
#: Three ways in which judges may differ: the first is `ordinal`'s, the second `crowd-bt`'s, the third the peer's own.
_TRUTHS = {
    "sensitivity": "chance = 1 / (1 + np.exp(-np.exp(rng.normal(0, .4, judges))[judge] * (theta[a] - theta[b])))",
    "lies": "honest = rng.beta(10, 1, judges)[judge]\n"
    "chance = 1 / (1 + np.exp(theta[b] - theta[a]))\nchance = honest * chance + (1 - honest) * (1 - chance)",
    "guesses": "skill, bias = rng.beta(8, 2, judges)[judge], 1 / (1 + np.exp(-rng.normal(0, .5, judges)))[judge]\n"
    "chance = skill / (1 + np.exp(theta[b] - theta[a])) + (1 - skill) * bias",
}
_CONTESTANTS = {
    "`ordinal`": "seconds, p = ours('ordinal')",
    "`crowd-bt`": "seconds, p = ours('crowd-bt')",
    "`bradley-terry`": "seconds, p = ours('bradley-terry')",
    "NoisyBradleyTerry (crowd-kit)": "seconds, p = peers()",
}
_RESAMPLED = "pm.rank(judgments, model={model!r}, resample='judge', resamples=1000, rng=0)"


def main() -> None:
    costs()
    held_out()


def held_out(large: bool = True) -> None:
    """Seconds and log loss beside the peer, each in an interpreter of its own, one after the other."""
    cases = [(2_500_000, 200, 10_000, "sensitivity")] * large + [(100_000, 15, 200, truth) for truth in _TRUTHS]
    rows: list[list[object]] = []
    for n, systems, judges, truth in cases:
        for label, made in _CONTESTANTS.items():
            code = _HELD_OUT.format(judgments=n, systems=systems, judges=judges, truth=_TRUTHS[truth], made=made)
            run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
            seconds, cpu, loss, least = json.loads(run.stdout)
            size = f"{n * 4 // 5:,} judgments, {systems} systems, {judges:,} judges"
            rows.append([size, truth, label, seconds, cpu, f"{loss:.5f}", f"{least:.5f}"])
            print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
    report(
        "judges-held-out",
        "Judges who differ: seconds and held-out log loss beside a peer",
        ["size", "judges differ in", "model", "seconds", "of a core", "log loss, held out", "of the truth itself"],
        rows,
        [
            "Single comparisons without ties; a quarter as many again are held out; one run each, seconds by the clock "
            "and by the processor, whose other work does not count in the second. Judges differ in "
            "sensitivity (as in `ordinal`), in how often they say the opposite of the truth (as in `crowd-bt`), or in "
            "how often they guess, each with a bias to a side (as in NoisyBradleyTerry). Log loss in nats; ln 2 = "
            ".69315 is guessing. NoisyBradleyTerry has its default settings, at most 100 iterations.",
            f"Load of the machine when it ended: {os.getloadavg()[2]:.1f} over 15 minutes.",
        ],
        keep=large,
    )


def costs() -> None:
    """What fits and resamples cost, with ties."""
    rows: list[list[object]] = []
    for n, systems, judges, repeats in ((100_000, 15, 200, 3), (2_000_000, 200, 10_000, 1)):
        setup = _SETUP.format(judgments=n, systems=systems, judges=judges)
        size = f"{n:,} judgments, {systems} systems, {judges:,} judges"
        for label, statement in _FITS:
            rows.append([size, f"fit of {label}", *_cells(measure(statement, setup=setup, repeats=repeats))])
    setup = _SETUP.format(judgments=100_000, systems=15, judges=200)
    for model in ("ordinal", "crowd-bt", "bradley-terry"):
        found = measure(_RESAMPLED.format(model=model), setup=setup, repeats=1)
        rows.append(
            ["100,000 judgments, 15 systems, 200 judges", f"1000 resamples by judge, `{model}`", *_cells(found)]
        )
    report(
        "judges-differ",
        "Judges who differ: fits and resamples",
        ["size", "what", "seconds", "peak MiB"],
        rows,
        [
            "Single comparisons by judges who differ in both. Bradley–Terry reads nothing but pair "
            "counts, which were counted beforehand: it is the floor, not a rival.",
        ],
    )


def _cells(measured: tuple[float, float]) -> list[object]:
    seconds, peak = measured
    return [seconds, round(peak)]
