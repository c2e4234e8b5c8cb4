"""Campaigns for audits: clean ones, and clean ones with one defect planted."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

import palmares as pm
from palmares.analysis.audit.case import Case, case_of
from palmares.compute import Execution
from palmares.judgments import Judgments
from palmares.models.bradley_terry import BradleyTerry

PLAN: dict[str, Any] = {"systems": 6, "rankings": 300, "judges": 8, "segments": 100, "tie_radius": 3.0}


def case(judgments: Judgments, *, rng: int = 0, resample: str = "auto", resamples: int = 100) -> Case:
    execution = Execution("serial", seed=rng)
    return case_of(judgments, BradleyTerry(), resample=resample, resamples=resamples, p=0.05, execution=execution)


def campaign(seed: int, **changes: Any) -> pl.DataFrame:
    """Rows of a simulated campaign, in which every ranking also has a time."""
    plan = {**PLAN, **changes}
    rows = pm.simulate(rng=seed, **plan).judgments.to_rows()
    moment = np.random.default_rng([seed, 1]).permutation(plan["rankings"])
    order = rows["ranking"].cast(pl.Enum(rows["ranking"].unique().sort())).to_physical()
    return rows.with_columns(pl.Series("time", moment[order.to_numpy()]).cast(pl.Datetime("us")))


def clean(seed: int, **changes: Any) -> Judgments:
    return Judgments.from_rows(campaign(seed, **changes))


def _edited(rows: pl.DataFrame, **columns: pl.Expr) -> Judgments:
    return Judgments.from_rows(rows.with_columns(**columns))


def _among(*systems: str) -> pl.Expr:
    return pl.col("system_a").is_in(systems) & pl.col("system_b").is_in(systems)


def position_bias() -> Judgments:
    return clean(1, position_effect=5.0)


def contrary_judge() -> Judgments:
    """Judge 3 says the opposite of what they see."""
    wrong = pl.when(pl.col("judge") == "judge-03").then(-pl.col("outcome")).otherwise("outcome")
    return _edited(campaign(2, spread=5.0), outcome=wrong)


def tastes() -> Judgments:
    return clean(3, judge_effect=6.0)


def two_busy_judges() -> Judgments:
    """Two of eight judges make three rankings in four."""
    rows = campaign(4)
    number = pl.col("ranking").str.slice(-3).cast(pl.Int64)
    turn = pl.lit("judge-0") + (1 + number // 4 % 2).cast(pl.String)
    return _edited(rows, judge=pl.when(number % 4 < 3).then(turn).otherwise("judge"))


def circle(seed: int = 6, *, win: float = 0.8, **changes: Any) -> Judgments:
    """Of systems 1, 2 and 3, each wins this share of comparisons with the next."""
    rows = campaign(seed, **changes)
    rng = np.random.default_rng(seed)
    ahead = pl.Series(np.where(rng.random(rows.height) < win, 1, -1))
    # Rows are in code order: 1–2 and 2–3 are won by the first, 1–3 by the second.
    closing = (pl.col("system_a") == "system-01") & (pl.col("system_b") == "system-03")
    around = pl.when(closing).then(-pl.lit(ahead)).otherwise(pl.lit(ahead))
    inside = _among("system-01", "system-02", "system-03")
    return _edited(rows, outcome=pl.when(inside).then(around).otherwise("outcome"))


def tying_system() -> Judgments:
    """System T ties 19 times in 20 and wins the rest; system W wins three in five and never ties; others are even."""
    rng = np.random.default_rng(6)
    names, rows = ["T", "W", "a", "b", "c"], []
    for _ in range(4000):
        one, other = sorted(rng.choice(5, 2, replace=False))
        chance = {0: (0.05, 0.95), 1: (0.6, 0.0)}.get(int(one), (0.4, 0.2))
        draw = rng.random()
        outcome = 1 if draw < chance[0] else 0 if draw < sum(chance) else -1
        rows.append((names[one], names[other], outcome, f"judge-{rng.integers(8)}"))
    return Judgments.from_rows(pl.DataFrame(rows, ["system_a", "system_b", "outcome", "judge"], orient="row"))


def drifting(seed: int = 8) -> Judgments:
    """In the second half of the campaign, system 4 loses half of what it would not have lost."""
    rows = campaign(seed)
    late = pl.col("time").rank("dense") > PLAN["rankings"] / 2
    unlucky = pl.Series(np.random.default_rng(seed).random(rows.height) < 0.5)
    lost = pl.when(pl.col("system_a") == "system-04").then(-1).otherwise(1)
    hit = late & pl.lit(unlucky) & ((pl.col("system_a") == "system-04") | (pl.col("system_b") == "system-04"))
    return _edited(rows, outcome=pl.when(hit).then(lost).otherwise("outcome"))


def unmet_pair() -> Judgments:
    return Judgments.from_rows(campaign(10).filter(~_among("system-01", "system-02")))


def two_groups() -> Judgments:
    first, second = ("system-01", "system-02"), ("system-03", "system-04", "system-05", "system-06")
    return Judgments.from_rows(campaign(9).filter(_among(*first) | _among(*second)))


# -- a generator apart from the package's own, with any fault planted --------------------------------

#: Qualities are normal, comparisons independent of `palmares.simulate` and of any model that is fitted.
APART: dict[str, Any] = {"systems": 7, "rankings": 400, "outputs": 4, "judges": 10, "segments": 130}


def drawn(
    seed: int,
    *,
    random_judge: bool = False,
    tastes: float = 0.0,
    first_place: float = 0.0,
    worse_later: float = 0.0,
    circle: float | None = None,
    copy_ties: float | None = None,
    **changes: Any,
) -> Judgments:
    """Rankings of normal qualities, segment and judge effects on ties, and at most one fault.

    ``random_judge`` is judge 0; ``tastes`` and ``first_place`` are in units of quality; system 2 is ``worse_later`` by
    so much; of systems 0, 1 and 2 each wins the share ``circle`` against the next; system 1 is a copy of system 0, tied
    with it in the share ``copy_ties`` of its meetings.
    """
    plan = {**APART, **changes}
    n, rng = plan["systems"], np.random.default_rng([seed, 77])
    quality = rng.normal(0, 0.6, n)
    if copy_ties is not None:
        quality[1] = quality[0]
    if circle is not None:
        quality[:3] = quality[:3].mean()
    liking = rng.normal(0, tastes, (plan["judges"], n))
    # Some judges, and some segments, are tied more readily than others.
    radius = 0.3 * np.exp(rng.normal(0, 0.4, plan["judges"]))
    ease = np.exp(rng.normal(0, 0.4, plan["segments"]))
    luck = rng.normal(0, 0.3, (plan["segments"], n))
    rows = []
    for number in range(plan["rankings"]):
        judge, segment = int(rng.integers(plan["judges"])), int(rng.integers(plan["segments"]))
        shown = rng.permutation(n)[: plan["outputs"]]
        late = number >= plan["rankings"] / 2
        seen = quality[shown] + liking[judge, shown] + luck[segment, shown] + rng.normal(0, 1, len(shown))
        seen = seen - worse_later * late * (shown == 2) + first_place * (np.arange(len(shown)) == 0)
        if random_judge and judge == 0:
            seen = rng.normal(0, 1.2, len(shown))
        for i in range(len(shown)):
            for j in range(i + 1, len(shown)):
                gap, pair = seen[i] - seen[j], (int(shown[i]), int(shown[j]))
                outcome = 0 if abs(gap) < radius[judge] * ease[segment] else int(np.sign(gap))
                if copy_ties is not None and set(pair) == {0, 1}:
                    outcome = 0 if rng.random() < copy_ties else int(rng.choice([-1, 1]))
                if circle is not None and outcome and set(pair) <= {0, 1, 2}:
                    ahead = (pair[1] - pair[0]) % 3 == 1
                    outcome = (1 if ahead else -1) * (1 if rng.random() < circle else -1)
                rows.append(
                    (
                        f"s{pair[0]}",
                        f"s{pair[1]}",
                        outcome,
                        f"j{judge}",
                        f"g{segment}",
                        f"r{number}",
                        i + 1,
                        j + 1,
                        number,
                    )
                )
    columns = ["system_a", "system_b", "outcome", "judge", "segment", "ranking", "position_a", "position_b", "time"]
    frame = pl.DataFrame(rows, columns, orient="row")
    return Judgments.from_rows(frame.with_columns(pl.col("time").cast(pl.Datetime("us"))))
