"""The truth behind a simulated campaign, by name; and how it is written down."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ..errors import InputError
from ..ingest.source import put
from ..ranking.record import Record
from .campaign_plan import CampaignPlan
from .screens import Screens, SimulatedJudges, Styles
from .styles import Intransitivity, intransitivity, preferences

_ENDINGS = (".json", ".csv")


@dataclass(frozen=True)
class Truth:
    """All that a campaign was drawn from and that an analysis would like to know.

    Attributes
    ----------
    quality
        The mean quality of every system, over all judges, segments, styles and places.
    judges
        The parameters of every judge, by code; ``judge_names`` has their names.
    difficulty
        Of every segment, by code; 1 is usual, 2 halves all differences.
    styles
        In turns; empty where systems have none.
    """

    plan: CampaignPlan
    #: None where a generator was given.
    seed: int | None
    quality: Mapping[str, float]
    judge_names: tuple[str, ...] = field(repr=False)
    segment_names: tuple[str, ...] = field(repr=False)
    judges: SimulatedJudges = field(repr=False)
    difficulty: Sequence[float] = field(repr=False)
    styles: Styles = field(repr=False)

    @classmethod
    def of(
        cls, plan: CampaignPlan, screens: Screens, names: Mapping[str, tuple[str, ...]], seed: int | None = None
    ) -> Truth:
        """Of the screens of a campaign, with the names of systems, judges and segments."""
        quality = dict(zip(names["system"], screens.quality.tolist(), strict=True))
        difficulty = screens.difficulty.tolist()
        return cls(plan, seed, quality, names["judge"], names["segment"], screens.judges, difficulty, screens.styles)

    @property
    def intransitivity(self) -> Intransitivity | None:
        """How far true preferences between two outputs are from any order; None where systems have no styles."""
        if not len(self.styles.systems):
            return None
        noise = float(np.sqrt((self.judges.noise**2 * self.judges.share).sum()))
        plan = self.plan
        scatter = (plan.spread**2 + noise**2 + plan.segment_effect**2 + plan.judge_effect**2) ** 0.5
        quality = np.array(list(self.quality.values()))
        return intransitivity(preferences(quality, self.styles.systems, plan.style_effect, scatter))

    @property
    def signature(self) -> str:
        """What the campaign was simulated with, in one line."""
        return str(Record.of({**self.plan.facts, "seed": self.seed}))

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        found = self.intransitivity
        return {
            "signature": self.signature,
            "plan": dataclasses.asdict(self.plan),
            "seed": self.seed,
            **{f"{kind}s": rows for kind, rows in self._rows().items()},
            "intransitivity": None if found is None else dataclasses.asdict(found),
        }

    def table(self) -> pl.DataFrame:
        """One row for every number: what it is of (``system``, ``judge``, ``segment``), its name, and the value."""
        rows = [
            (kind, entry[kind], key, float(value))
            for kind, entries in self._rows().items()
            for entry in entries
            for key, value in entry.items()
            if key != kind
        ]
        return pl.DataFrame(rows, schema=["kind", "name", "parameter", "value"], orient="row")

    def write(self, path: str | Path) -> None:
        """Write it, as JSON or CSV by the file's ending, whole or not at all."""
        check_place(path)
        if str(path).endswith(".csv"):
            put(self.table().write_csv().encode(), path)
        else:
            put((json.dumps(self.to_dict(), indent=2) + "\n").encode(), path)

    def _rows(self) -> dict[str, list[dict[str, Any]]]:
        """Systems, judges and segments with their parameters; of segments only those that differ in anything."""
        plan, styles = self.plan, self.styles
        systems: dict[str, Any] = {"system": list(self.quality), "quality": list(self.quality.values())}
        if len(styles.systems):
            systems["style"] = styles.systems.tolist()
        judges: dict[str, Any] = {"judge": self.judge_names}
        judges |= {f.name: getattr(self.judges, f.name).tolist() for f in dataclasses.fields(self.judges)}
        segments: dict[str, Any] = {"segment": self.segment_names}
        if plan.difficulty_spread:
            segments["difficulty"] = self.difficulty
        if len(styles.wanted):
            (segments if plan.style_of == "segment" else judges)["style_wanted"] = styles.wanted.tolist()
        if len(segments) == 1:
            segments["segment"] = ()
        return {next(iter(columns)): _transposed(columns) for columns in (systems, judges, segments)}


def check_place(path: str | Path) -> None:
    """Refuse a file for the truth whose ending says nothing, or whose folder is not there."""
    if not str(path).endswith(_ENDINGS):
        raise InputError(f"truth: got {str(path)!r}; allowed: a file whose name ends in {' or '.join(_ENDINGS)}")
    if not Path(path).parent.is_dir():
        raise InputError(f"truth: got {str(path)!r}, but there is no folder {str(Path(path).parent)!r}")


def _transposed(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
