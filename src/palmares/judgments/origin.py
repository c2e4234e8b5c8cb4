"""Where judgments come from: what was read and how, so that a result can say what it was made of and be made again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class SourceFile:
    """One file (or database, or data frame) that was read.

    ``digest`` is the SHA-256 of its bytes, decompressed, in hexadecimal; None where there are no bytes. ``dropped``
    counts records that were at fault, ``skipped`` those that say themselves that they are no judgment.
    """

    name: str
    format: str
    records: int
    dropped: int = 0
    skipped: int = 0
    digest: str | None = None


@dataclass(frozen=True)
class Origin:
    """What was read, how, and which part of it was kept.

    ``reading`` and ``selection`` hold the options that differ from their defaults, by their names on the command
    line; ``group`` is what the judgments were split by; ``notes`` is what the reader of any result should know.
    ``complete`` is False once a program chose rows in a way that the record does not hold.
    """

    sources: tuple[SourceFile, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)
    selection: Mapping[str, Any] = field(default_factory=dict)
    group: Mapping[str, str | None] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    complete: bool = True

    @property
    def records(self) -> int:
        """How many records were read, used or not."""
        return sum(source.records for source in self.sources)

    @property
    def dropped(self) -> float:
        """The share of records that were at fault and left out; skipped ones are no faults."""
        faulty = sum(source.dropped for source in self.sources)
        return faulty / self.records if faulty else 0.0

    @property
    def facts(self) -> dict[str, Any]:
        """What a signature says of it: the share that was dropped, if any was; forced ties and weights, if decided."""
        chosen = {name: self.selection[name] for name in ("forced_ties", "weigh") if name in self.selection}
        return {**chosen, **({"dropped": _share(self.dropped)} if self.dropped else {})}

    def split(self, by: str, value: str | None) -> Origin:
        """The origin of the judgments that have this value."""
        return replace(self, group={**self.group, by: value})

    def chosen(self) -> Origin:
        """The origin of rows that a program picked out."""
        return replace(self, complete=False)

    def renamed(self, names: Mapping[str, str]) -> Origin:
        """The origin of judgments whose systems were given other names."""
        before = self.selection.get("rename", {})
        both = {old: names.get(new, new) for old, new in before.items()}
        both |= {old: new for old, new in names.items() if old not in before.values()}
        # The record has given names before short ones; the other way round they are not the same.
        complete = self.complete and "short_names" not in self.selection
        return replace(self, selection={**self.selection, "rename": both}, complete=complete)

    def shortened(self, names: Mapping[str, str], systems: int) -> Origin:
        """The origin of judgments whose systems were given these shorter names."""
        noted = self.noted(_shortening(names, systems))
        return replace(noted, selection={**self.selection, "short_names": True})

    def noted(self, *notes: str) -> Origin:
        """The same with more to say."""
        return replace(self, notes=(*self.notes, *notes)) if notes else self

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape, in `Record`."""
        files = [
            {"name": s.name, "sha256": s.digest, "format": s.format, "records": s.records, "dropped": s.dropped,
             "skipped": s.skipped}
            for s in self.sources
        ]  # fmt: skip
        return {
            "files": files,
            "reading": dict(self.reading),
            "selection": dict(self.selection),
            "group": dict(self.group),
            "complete": self.complete,
        }


def _shortening(names: Mapping[str, str], systems: int) -> str:
    if not names:
        return "no names were shortened: few are made of test set, name, number and language pair, as WMT's are"
    example = min(names, key=lambda name: len(names[name]))
    whole = systems - len(names)
    return f"names of systems are shortened, as {example} to {names[example]}" + (
        f"; {whole} stay whole" if whole else ""
    )


def joined(origins: Iterable[Origin | None]) -> Origin | None:
    """The origin of tables put below each other, which were read alike; None where one of them has none."""
    given = list(origins)
    known = [origin for origin in given if origin is not None]
    if not known or len(known) < len(given):
        return None
    alike = all(
        (o.reading, o.selection, o.group) == (known[0].reading, known[0].selection, known[0].group) for o in known
    )
    return replace(
        known[0],
        sources=tuple(source for origin in known for source in origin.sources),
        notes=tuple(dict.fromkeys(note for origin in known for note in origin.notes)),
        complete=alike and all(origin.complete for origin in known),
    )


def _share(value: float) -> str:
    """``0.3%``, with as many digits as tell it from none and from all."""
    percent = 100 * value
    return f"{percent:.1f}%" if percent >= 0.1 else f"{percent:.1g}%"
