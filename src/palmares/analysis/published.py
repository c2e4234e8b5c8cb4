"""Rankings read back from their JSON, as far as comparing them needs it."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
        better = None if entry.get("better") is None else np.array(entry["better"], dtype=np.float64)
        checked = Published({line.system: line for line in lines}, record, int(entry["judgments"]), better)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise InputError(f"not a ranking: {type(error).__name__} {error}; {_EXPECTED}") from None
    if better is not None and better.shape != (len(lines), len(lines)):
        raise InputError(f"not a ranking: better is {better.shape} for {len(lines)} systems; {_EXPECTED}")
    return checked


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


def _pair(value: Any, kind: type) -> Any:
    return None if value is None else (kind(value[0]), kind(value[1]))
