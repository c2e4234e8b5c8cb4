"""Koehn 2012, Table 4: how many judgments separate so many pairs of systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..judgments import FloatArray, IntArray
from .base import Check, Context, Experiment, Findings, Row
from .k12 import HONEST, LITERAL, OUTPUTS, PER_RANKING, PUBLISHED, Case, Reading, error_of, shares, simulated
from .published import load

#: Looks at a campaign are so much apart, and end at this multiple of what the paper needs for the largest share.
_STEP, _BEYOND = 1.1, 1.7
_FIRST = 200
#: The case that is also simulated in the paper's words, with σ² as a variance.
_SPELT_OUT = (15, 10)
#: How far, in points, the share at a published number may be from what the number is for.
_NEAR = 3.0


@dataclass(frozen=True)
class Curve:
    """The share of pairs told apart in every campaign after so many judgments: an array (campaigns, looks)."""

    judgments: IntArray = field(repr=False)
    shares: FloatArray = field(repr=False)

    def needed(self, share: float) -> tuple[float, float | None]:
        """The judgments at which the mean reaches a share, and the standard error of that; NaN if it never does.

        Between looks the mean is a straight line in the logarithm of the judgments. The error is that of the mean there
        over its slope.
        """
        mean = np.maximum.accumulate(self.shares.mean(axis=0))
        k = int(np.searchsorted(mean, share))
        if not 0 < k < len(mean):
            return float("nan"), None
        x = np.log(self.judgments[k - 1 : k + 1])
        slope = (mean[k] - mean[k - 1]) / (x[1] - x[0])
        found = float(np.exp(x[0] + (share - mean[k - 1]) / slope))
        error = error_of(self.shares[:, k])
        # The slope over some looks around, since that between two of them is noisy.
        lo, hi = max(k - 3, 0), min(k + 3, len(mean) - 1)
        wide = (mean[hi] - mean[lo]) / np.log(self.judgments[hi] / self.judgments[lo])
        return found, None if error is None else found * error / float(wide)

    def at(self, judgments: float) -> tuple[float, float | None]:
        """The mean share after so many judgments, and its standard error."""
        place = np.log(self.judgments)
        shares = np.array([np.interp(np.log(judgments), place, row) for row in self.shares])
        return float(shares.mean()), error_of(shares)


#: By systems and σ².
Cases = Mapping[tuple[int, int], Mapping[Reading, Curve]]


def looks(last: int) -> list[int]:
    """Judgments at which to look, evenly in their logarithm, in whole rankings."""
    steps = np.arange(int(np.ceil(np.log(last / _FIRST) / np.log(_STEP))) + 1)
    rankings = np.unique(np.round(_FIRST * _STEP**steps / PER_RANKING).astype(int))
    return [PER_RANKING * int(number) for number in rankings]


def curves(context: Context, wanted: Sequence[tuple[int, int]], count: int) -> Cases:
    """The curves of some numbers of systems and σ², under every reading."""
    table = load("k12")["table_4"]["thousands"]
    cases, readings = [], []
    for n, sigma in wanted:
        sizes = tuple(looks(round(1000 * _BEYOND * table[str(n)][str(sigma)][-1])))
        for spread in dict.fromkeys(reading.spread(sigma) for reading in _readings(n, sigma)):
            cases.append(Case(n, spread, sizes, _count(n, count), (5, n, sigma, spread != sigma)))
            readings.append([reading for reading in _readings(n, sigma) if reading.spread(sigma) == spread])
    found: dict[tuple[int, int], dict[Reading, Curve]] = {case: {} for case in wanted}
    for case, values, own in zip(cases, simulated(context, shares, cases), readings, strict=True):
        made = {reading: Curve(np.array(case.judgments), values[..., reading.sided - 1]) for reading in own}
        found[case.key[1], case.key[2]] |= made
    return found


def _count(n: int, count: int) -> int:
    """How many campaigns: so many of 15 systems, and more of fewer, whose shares of pairs differ more."""
    return round(count * (_SPELT_OUT[0] / n) ** 2)


def _readings(n: int, sigma: int) -> list[Reading]:
    return [PUBLISHED, HONEST, *([LITERAL] if (n, sigma) == _SPELT_OUT else [])]


def _run(context: Context, *, systems: tuple[int, ...], sigmas: tuple[int, ...], campaigns: int) -> Findings:
    table, wanted = load("k12")["table_4"]["thousands"], load("k12")["table_4"]["shares"]
    by_case = curves(context, [(n, sigma) for n in systems for sigma in sigmas], campaigns)
    rows = []
    for (n, sigma), found in by_case.items():
        published = [1000 * value for value in table[str(n)][str(sigma)]]
        rows += _rows(n, sigma, dict(zip(wanted, published, strict=True)), found)
    notes = [
        f"{campaigns} simulated campaigns of 15 systems, and more of fewer (n), each looked at after {_FIRST} "
        f"judgments and every {_STEP} times as many, {OUTPUTS} systems a ranking, no ties. The paper's numbers come "
        "from a grid of round numbers, which it does not give. n: campaigns; ±: standard error of the judgments "
        "needed, from that of the mean share.",
        "one-sided: either system may be better at p ≤ .05, so two equal systems are told apart in up to 10 % of "
        f"campaigns. A two-sided test keeps to 5 % and needs {_price(rows)} times as many judgments.",
    ]
    return Findings(rows, _checks(by_case), notes)


def _rows(n: int, sigma: int, published: Mapping[int, int], found: Mapping[Reading, Curve]) -> list[Row]:
    rows = []
    for share, printed in published.items():
        for reading, curve in found.items():
            value, error = curve.needed(share / 100)
            known = None if np.isnan(value) else value
            note = "" if known is not None else f"not reached in {curve.judgments[-1]:,} judgments"
            if known is None and curve.shares[:, 0].mean() >= share / 100:
                note = f"reached in fewer than {curve.judgments[0]:,} judgments"
            rows.append(
                Row(f"{share} %, {reading.label}", float(printed) if reading is PUBLISHED else None, known, error,
                    len(curve.shares), note, f"n = {n}, σ² = {sigma}", digits=0)
            )  # fmt: skip
    return rows


# -- claims ----------------------------------------------------------------------------------------


def _checks(by_case: Cases) -> list[Check]:
    off = {reading: _off(by_case, reading) for reading in (PUBLISHED, HONEST)}
    needed = {case: found[PUBLISHED].needed(0.5)[0] for case, found in by_case.items()}
    checks = [
        Check("after the published number of judgments the share is the one it is for, as published",
              bool((np.abs(off[PUBLISHED]) <= _NEAR).all()), _summary(off[PUBLISHED])),
        Check("so it is with a two-sided test", bool((np.abs(off[HONEST]) <= _NEAR).all()), _summary(off[HONEST])),
        Check("more systems and a higher σ² need more judgments (for half of the pairs)", _rises(needed),
              f"in {len(needed)} cases"),
    ]  # fmt: skip
    if _SPELT_OUT in by_case:
        checks += _spelt_out(by_case[_SPELT_OUT])
    return checks


def _off(by_case: Cases, reading: Reading) -> FloatArray:
    """Simulated less wanted share at every published number, in points."""
    table = load("k12")["table_4"]
    return np.array(
        [
            100 * found[reading].at(1000 * printed)[0] - float(share)
            for (n, sigma), found in by_case.items()
            for share, printed in zip(table["shares"], table["thousands"][str(n)][str(sigma)], strict=True)
        ]
    )


def _summary(off: FloatArray) -> str:
    near = int((np.abs(off) <= _NEAR).sum())
    span = f"from {off.min():+.1f} to {off.max():+.1f}, mean {off.mean():+.1f}"
    return f"{near} of {len(off)} within {_NEAR:.0f} points; {span}"


def _rises(needed: Mapping[tuple[int, int], float]) -> bool:
    return all(
        needed[a] < needed[b] for a in needed for b in needed if a != b and a[0] <= b[0] and a[1] <= b[1]
    )  # fmt: skip


def _spelt_out(found: Mapping[Reading, Curve]) -> list[Check]:
    text = load("k12")["section_6"]
    now, later = (100 * found[PUBLISHED].at(text[name])[0] for name in ("judgments", "needed"))
    first = load("k12")["table_4"]["thousands"]["15"]["10"][0]
    literal = 100 * found[LITERAL].at(1000 * first)[0]
    return [
        Check("§6: 13,000 judgments of 15 systems, σ² = 10, tell about 70 % of the pairs apart, and 40,000 are needed "
              "for 80 %", abs(now - 70) <= _NEAR and abs(later - 80) <= _NEAR,
              f"{now:.0f} % and {later:.0f} %: the text is one column off its table"),
        Check(f"with σ² a variance, as the text has it, {first}k judgments of 15 systems tell about half of the pairs "
              "apart", abs(literal - 50) <= _NEAR, f"{literal:.0f} %"),
    ]  # fmt: skip


def _price(rows: Sequence[Row]) -> str:
    """How many times as many judgments the two-sided test needs."""
    needed = {(row.group, *row.label.split(" %, ")): row.measured for row in rows}
    ratios = [
        (needed[group, share, HONEST.label] or np.nan) / (needed[group, share, PUBLISHED.label] or np.nan)
        for group, share, label in needed
        if label == PUBLISHED.label
    ]
    return f"{np.nanmin(ratios):.2f} to {np.nanmax(ratios):.2f}"


JUDGMENTS = Experiment(
    "k12-judgments",
    "judgments needed to separate a share of the pairs",
    "Koehn 2012, Table 4",
    _run,
    settings={"systems": (6, 8, 10, 12, 15), "sigmas": (8, 10, 12), "campaigns": 150},
    quick={"systems": (6,), "sigmas": (8,), "campaigns": 4},
)
