"""Lists of what there is: formats, checks, experiments and plots."""

from __future__ import annotations

from typing import Any

from palmares.analysis.audit import CHECKS
from palmares.experiments import EXPERIMENTS
from palmares.ingest import FORMATS
from palmares.report.plots import PLOTS

from .commands import Pages
from .text import Remarks, codes, prose, sentence

#: Features of judgments in the order that formats list them.
_FEATURES = ("lang_pair", "segment", "judge", "ranking", "position", "time", "duration", "weight", "extra", "forced")
_WORDS = {"lang_pair": "language pair", "extra": "extra columns", "forced": "marks of forced ties"}


def format_(argument: str, given: Remarks, pages: Pages) -> str:
    """A format: what it is, how it is written, and what it holds."""
    return f"{_about(argument)} Named by `--from {argument}`."


def formats(argument: str, given: Remarks, pages: Pages) -> str:
    """All formats, one line each."""
    return "\n".join(f"- [`{name}`](/formats.md#{name}): {_about(name)}" for name in FORMATS)


def _about(name: str) -> str:
    kind = FORMATS.load(name)
    written = f"**Written as** {_endings(kind)}." if kind.endings else "**Read only.**"
    holds = f" **Holds** besides systems and outcomes: {_holds(kind)}." if kind.endings else ""
    return f"{sentence(prose(FORMATS[name].summary))} {written}{holds}"


def _endings(kind: Any) -> str:
    return codes([f".{ending}" for ending in kind.endings])


def _holds(kind: Any) -> str:
    if kind.holds >= set(_FEATURES):
        return "everything"
    return ", ".join(_WORDS.get(name, name) for name in _FEATURES if name in kind.holds) or "–"


def checks(argument: str, given: Remarks, pages: Pages) -> str:
    """The checks of an audit, each with its question."""
    return "\n".join(f"- [`{name}`](/audit.md#{name}): {prose(entry.summary)}" for name, entry in CHECKS.items())


def experiments(argument: str, given: Remarks, pages: Pages) -> str:
    """The experiments that are run again, each with a link to what came of it."""
    return "\n".join(
        f"- [`{name}`](/reproduction.md#{name}): {prose(each.summary)}" for name, each in EXPERIMENTS.items()
    )


def plots(argument: str, given: Remarks, pages: Pages) -> str:
    """The kinds of plots, each with a link to a picture of it."""
    return "\n".join(f"- [`{name}`](/plots.md#{name}): {prose(entry.summary)}" for name, entry in PLOTS.items())
