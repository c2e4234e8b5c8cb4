"""The pieces of a report for papers and slides: tables as LaTeX, Markdown and CSV, plots as SVG and PNG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ...analysis.findings import Findings
from ..findings import tables_of
from ..tables import RENDERERS, Grouped
from .content import Document

_ENDINGS = {"latex": ".tex", "markdown": ".md", "csv": ".csv"}


def pieces(
    document: Document, findings: Sequence[Grouped[Findings]], folder: Path, tell: Callable[[str], None]
) -> None:
    """Write every table of every language pair, and its plots, to files that their names explain."""
    for chapter, each in zip(document.chapters, findings, strict=True):
        for name, table in tables_of(each).items():
            for form, ending in _ENDINGS.items():
                (folder / f"{chapter.key}-{name}{ending}").write_text(RENDERERS[form](table), encoding="utf-8")
