"""Draw the pictures of the model pages and of the comparison, from the example campaign: ``python docs/figures.py``.

One picture a family of models, docs/images/model-<family>.svg; a family of which no model is there is left out. All
models on held-out judgments are docs/images/compare.svg, and judges, three of whom answer at random, judges.svg. Slopes
and item information of segments, which the example campaign has none of, come from simulated ones:
docs/images/segments-*.svg.

``python docs/figures.py gallery`` runs the commands of docs/plots.md instead, and puts what they draw into docs/images
as plot-<kind>.svg.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

import palmares as pm
from palmares import plots
from palmares.models.base import Fit
from palmares.models.by_name import create
from palmares.report.plots.theme import FAINT, INK, PALETTE, altair, themed

DOCS = Path(__file__).parent
CAMPAIGN = DOCS.parent / "examples" / "campaign.csv"
#: A system from the middle of the field, whose opponents are better and worse ones.
SYSTEM = "system-04"

DIRECT = ("expected-wins", "bojar", "orig-wmt", "lopez", "most-probable-ranking", "monte-carlo-playoffs")
#: The models that are drawn for every family, with their settings, and the title of the picture.
PREDICTIVE: dict[str, tuple[str, list[tuple[str, dict[str, str]]]]] = {
    "baselines": (
        "Baselines: one pair, one system, or no system at a time",
        [("independent-pairs", {}), ("independent-systems", {}), ("adjusted-uniform", {})],
    ),
    "bradley-terry": ("Bradley–Terry: one number a system explains all its pairs", [("bradley-terry", {})]),
    "trueskill": ("TrueSkill: a mean and a variance for every system", [("trueskill", {})]),
    "irt": (
        "Latent quality: abilities, items and noisy judges",
        [("hopkins-may", {}), ("irt-categorical", {})],
    ),
}


def main() -> None:
    judgments = pm.read(CAMPAIGN)
    images = DOCS / "images"
    plots.save(direct_scores(judgments), images / "model-direct.svg")
    for family, (title, models) in PREDICTIVE.items():
        fits = [fitted(name, settings, judgments) for name, settings in models if name in pm.MODELS]
        if fits:
            plots.save(plots.outcome_bars(fits, judgments, SYSTEM, title=title), images / f"model-{family}.svg")
    plots.save(plots.model_comparison(pm.compare(judgments, testing=pm.Testing(10), rng=0)), images / "compare.svg")
    plots.save(plots.judge_sensitivities(pm.judges(some_at_random(), rng=0)), images / "judges.svg")
    plots.save(slopes(), images / "segments-slopes.svg")
    plots.save(item_information(), images / "segments-information.svg")


def gallery() -> None:
    """The pictures of docs/plots.md, by its own commands; experiments simulate their data."""
    commands = re.findall(
        r"^    (palmares (?:simulate|plot \S+) .*(?:\.csv|\.svg|--).*)$", (DOCS / "plots.md").read_text(), re.M
    )
    # What stands above the first section but for the simulation shows how the command is used.
    commands = [each for each in commands if "judgments.csv" not in each and "--help" not in each]
    environment = {name: value for name, value in os.environ.items() if name != "PALMARES_REAL_DATA"}
    with TemporaryDirectory() as folder:
        (Path(folder) / "examples").symlink_to(CAMPAIGN.parent)
        for command in commands:
            arguments = [sys.executable, "-m", "palmares", *shlex.split(command)[1:]]
            subprocess.run(arguments, cwd=folder, env=environment, check=True)
        for picture in sorted(Path(folder).glob("*.svg")):
            (DOCS / "images" / f"plot-{picture.name}").write_bytes(picture.read_bytes())


def some_at_random() -> pm.Judgments:
    """A simulated campaign in which three of twenty judges answer at random, and one prefers what is shown first."""
    plan = {"systems": 10, "rankings": 1600, "judges": 20, "segments": 400, "spread": 8.0, "lang_pair": "fr-en"}
    rows = pm.simulate(**plan, rng=3).judgments.to_rows()
    rng = np.random.default_rng(0)
    drawn = {ranking: rng.permutation(5) for ranking in rows["ranking"].unique(maintain_order=True)}
    outcomes = []
    for row in rows.iter_rows(named=True):
        first, second = row["position_a"] - 1, row["position_b"] - 1
        if row["judge"] in ("judge-05", "judge-11", "judge-17"):
            outcomes.append(int(np.sign(drawn[row["ranking"]][second] - drawn[row["ranking"]][first])))
        elif row["judge"] == "judge-08":
            outcomes.append(int(np.sign(second - first)))
        else:
            outcomes.append(row["outcome"])
    return pm.Judgments.from_rows(rows.with_columns(outcome=np.array(outcomes)))


def slopes() -> Any:
    """Ten segments on which outputs are told apart easily and ten on which they are not, of the same systems."""
    parts = []
    for kind, spread in (("clear", 7), ("hazy", 20)):
        judgments = pm.simulate(systems=8, rankings=600, judges=12, segments=10, spread=spread, rng=2).judgments
        rows = judgments.to_rows()
        for name in ("segment", "ranking"):
            rows = rows.with_columns((kind + "-" + rows[name].str.replace("segment-", "")).alias(name))
        parts.append(rows)
    return plots.slope_plot(pm.segments(pm.Judgments.from_rows(pl.concat(parts)), rng=0))


def item_information() -> Any:
    """Outputs of every system, the baseline among them, are better on some segments than on others."""
    plan = {"systems": 8, "rankings": 1500, "judges": 12, "segments": 60, "spread": 5, "segment_effect": 4}
    return plots.information_plot(pm.segments(pm.simulate(**plan, rng=4).judgments, baseline="auto"))


def fitted(name: str, settings: dict[str, str], judgments: pm.Judgments) -> Fit:
    return create(name, settings).fit(judgments, rng=0)


def direct_scores(judgments: pm.Judgments) -> Any:
    """The scores of the direct models side by side, each from 0 (its worst system) to 1 (its best)."""
    alt = altair()
    fits = [fitted(name, {}, judgments) for name in DIRECT]
    best_first = [judgments.systems[i] for i in np.argsort(-fits[0].scores)]
    panels = [score_panel(alt, fit, best_first, first=number % 3 == 0) for number, fit in enumerate(fits)]
    rows = [alt.hconcat(*panels[start : start + 3], spacing=24) for start in range(0, len(panels), 3)]
    lines = [
        "every score stretched to go from its worst system to its best; systems in the order of expected-wins",
        "orange: a system placed below one that expected-wins puts behind it",
    ]
    title = alt.Title("Scores that rank directly, on one campaign", subtitle=lines)
    pad = {"left": 10, "top": 10, "right": 16, "bottom": 10}
    return themed(alt.vconcat(*rows, spacing=26).properties(title=title, padding=pad))


def score_panel(alt: Any, fit: Fit, best_first: list[str], *, first: bool) -> Any:
    scores = (fit.scores - fit.scores.min()) / np.ptp(fit.scores)
    values = [float(scores[fit.systems.index(name)]) for name in best_first]
    rows = [
        {"system": name, "score": value, "colour": PALETTE[1] if value < max(values[i:]) - 1e-9 else PALETTE[0]}
        for i, (name, value) in enumerate(zip(best_first, values, strict=True))
    ]
    axis = alt.Axis(ticks=False, domain=False, offset=6, labels=first)
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("system:N", sort=best_first, title=None, axis=axis),
        x=alt.X("score:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(labels=False, ticks=False)),
    )
    layers = [
        base.mark_rule(color=FAINT, strokeWidth=2).encode(x2=alt.datum(0)),
        base.mark_point(filled=True, size=70, opacity=1).encode(color=alt.Color("colour:N", scale=None)),
    ]
    heading = alt.Title(fit.model.id, fontSize=12, color=INK, frame="group", offset=6)
    return alt.layer(*layers).properties(width=180, height=20 * len(best_first), title=heading)


if __name__ == "__main__":
    gallery() if sys.argv[1:] == ["gallery"] else main()
