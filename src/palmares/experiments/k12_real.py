"""The published campaigns that stand in for those of WMT12, whose judgments are not at hand."""

from __future__ import annotations

from pathlib import Path

from ..ingest.files import concat, read
from ..judgments import Judgments
from .base import Context
from .campaigns import WMT13

_WMT16 = {"Romanian": "ron", "Turkish": "tur", "German": "deu"}
_FILES_16 = {f"WMT16 {name}–English": f"wmt16/wmt16.{code}-eng.csv" for name, code in _WMT16.items()}
FILES = (*WMT13, *_FILES_16.values())


def real_campaigns(context: Context) -> dict[str, Judgments]:
    """WMT13 French–English (training and test file) and three language pairs of WMT16; none without real data."""
    return {} if context.folder is None else _read(context.folder)


def _read(folder: Path) -> dict[str, Judgments]:
    first = {"WMT13 French–English": concat([read(folder / name) for name in WMT13])}
    return first | {name: read(folder / path) for name, path in _FILES_16.items()}
