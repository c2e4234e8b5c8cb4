"""Results of the studies of judges on disk: one file for each kind of judgments, one line for each draw and model.

A run that was stopped goes on where it was. Lines do not say which code made them: after a change of the models, remove
the folder, or give another.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Line = Mapping[str, Any]


class Store:
    """A folder of such files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def lines(self, name: str) -> list[Line]:
        """All that is kept under a name, but for a last line that a run was stopped in the middle of."""
        path = self._path(name)
        text = path.read_text("utf-8") if path.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def add(self, name: str, lines: Iterable[Line]) -> None:
        path = self._path(name)
        kept = path.read_bytes() if path.exists() else b""
        with path.open("ab") as file:
            file.truncate(kept.rfind(b"\n") + 1)  # a line that was not finished would spoil the next
            for line in lines:
                file.write(json.dumps(line).encode() + b"\n")

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.jsonl"
