"""Rankings read back from their JSON, as far as comparing them needs it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..ingest.source import load
from ..judgments import FloatArray
from ..ranking.record import Record
from ..ranking.result import RankedSystem, Ranking

_EXPECTED = "expected what `palmares rank --format json` prints"
#: The values that tell the rankings of one file apart: (("lang_pair", "fr-en"),).
Group = tuple[tuple[str, str | None], ...]


@dataclass(frozen=True)
class Published:
    """What a ranking's JSON says; keys that earlier versions did not write are None."""

    lines: Mapping[str, RankedSystem]
    record: Record
    judgments: int
    better: FloatArray | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    #: Degrees of freedom of the standard errors; infinitely many where they are taken as known.
    df: float = math.inf
    #: How many judges, segments and rankings there are; None where an earlier version did not write it.
    units: Mapping[str, int] | None = None
    joint_clusters: Mapping[str, int] | None = None
    #: The standard error of the difference of every two scores, NaN where unknown, in the order of the lines.
    difference_errors: FloatArray | None = field(default=None, repr=False)

    @property
    def unit(self) -> str | None:
        """What errors and ranges allow for."""
        return self.record.facts.get("unit")

    @property
    def judges(self) -> int | None:
        """How many people judged, if that is known."""
        return (self.units or {}).get("judge")

    @property
    def data(self) -> str | None:
        """The digest of the judgments."""
        return self.record.facts.get("data")

    @property
    def input(self) -> Mapping[str, Any]:
        """What was read, and how."""
        return self.record.input or {}

    @property
    def anchor(self) -> str | None:
        """What holds the scale in place, ``system=score``, if the model has such a setting and it is set."""
        return self.record.settings.get("anchor") or None

    def probability(self, above: str, below: str) -> float | None:
        """The share of samples in which one system stood above the other."""
        if self.better is None:
            return None
        names = list(self.lines)
        return float(self.better[names.index(above), names.index(below)])


def published(ranking: Ranking | Mapping[str, Any]) -> Published:
    """A ranking, or its documented JSON shape, checked."""
    entry = ranking.to_dict() if isinstance(ranking, Ranking) else ranking
    if not isinstance(entry, Mapping):
        raise InputError(f"not a ranking: got {type(entry).__name__}; {_EXPECTED}")
    missing = [key for key in ("signature", "systems", "judgments") if not entry.get(key)]
    if missing:
        raise InputError(f"not a ranking: no {' and no '.join(missing)}; {_EXPECTED}")
    if not entry.get("record"):
        raise InputError(
            "this ranking has no record of how it was made, which earlier versions did not write; "
            "rank its judgments again with this version"
        )
    record = Record.from_dict(entry["record"])
    try:
        lines = [_line(line) for line in entry["systems"]]
        return Published(
            lines={line.system: line for line in lines},
            record=record,
            judgments=int(entry["judgments"]),
            better=_matrix(entry, "better", len(lines)),
            notes=tuple(map(str, entry.get("notes") or ())),
            df=math.inf if entry.get("df") is None else float(entry["df"]),
            units=None if entry.get("units") is None else {str(k): int(v) for k, v in entry["units"].items()},
            joint_clusters=_joint_clusters(entry["systems"]),
            difference_errors=_matrix(entry, "difference_errors", len(lines)),
        )
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise InputError(f"not a ranking: {type(error).__name__} {error}; {_EXPECTED}") from None


def read_published(path: str | Path) -> dict[Group, Published]:
    """The rankings of a JSON file (plain, .gz or .zst; ``-`` is standard input) by group."""
    try:
        content = json.loads(load(path).text())
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: not JSON ({error}); {_EXPECTED}") from None
    rankings = {}
    for entry in content if isinstance(content, list) else [content]:
        try:
            ranking = published(entry)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
        group = entry.get("group") or {"lang_pair": entry.get("lang_pair")}
        rankings[tuple(group.items())] = ranking
    if not rankings:
        raise InputError(f"{path}: holds no ranking; {_EXPECTED}")
    return rankings


def _line(line: Mapping[str, Any]) -> RankedSystem:
    return RankedSystem(
        system=str(line["system"]),
        score=float(line["score"]),
        rank=int(line["rank"]),
        range=_pair(line.get("range"), int),
        cluster=None if line.get("cluster") is None else int(line["cluster"]),
        interval=_pair(line.get("interval"), float),
        error=None if line.get("error") is None else float(line["error"]),
        best=None if line.get("best") is None else float(line["best"]),
    )


def _matrix(entry: Mapping[str, Any], key: str, systems: int) -> FloatArray | None:
    """A number for every two systems, NaN where there is none."""
    if entry.get(key) is None:
        return None
    matrix = np.array(entry[key], dtype=np.float64)
    if matrix.shape != (systems, systems):
        raise InputError(f"not a ranking: {key} is {matrix.shape} for {systems} systems; {_EXPECTED}")
    return matrix


def _joint_clusters(lines: Sequence[Mapping[str, Any]]) -> dict[str, int] | None:
    """The clusters whose boundaries hold together, if the ranking has them."""
    if any(line.get("joint_cluster") is None for line in lines):
        return None
    return {str(line["system"]): int(line["joint_cluster"]) for line in lines}


def _pair(value: Any, kind: type) -> Any:
    return None if value is None else (kind(value[0]), kind(value[1]))
