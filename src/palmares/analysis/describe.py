"""What a table of judgments contains, before any model looks at it, and what was made of the files it comes from."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import InputError
from ..ingest.base import ColumnUse, ReadOptions, ReadReport
from ..ingest.files import concat
from ..ingest.given import judgments_of
from ..judgments import TIE, Judgments
from ..judgments.repeats import Repeats
from ..ranking.record import Record
from ..results import Shown, counted


@dataclass(frozen=True)
class SystemOverview:
    """How often one system was judged."""

    system: str
    judgments: float
    wins: float
    ties: float
    losses: float
    opponents: int


@dataclass(frozen=True)
class Overview(Shown):
    """The size and shape of one table of judgments (one language pair)."""

    shown_by: ClassVar[str] = "describe"

    lang_pair: str | None
    judgments: int
    rankings: int | None
    systems: int
    segments: int | None
    judges: int | None
    ties: int
    forced_ties: int
    per_system: float
    pairs: int
    pairs_compared: int
    least_compared: int
    most_compared: int
    groups: list[list[str]]
    by_system: list[SystemOverview]
    data: str
    record: Record
    notes: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """What was counted, in one line."""
        return str(self.record)

    def __repr__(self) -> str:
        judges = f" by {counted(self.judges, 'judge')}" if self.judges else ""
        text = f"{counted(self.judgments, 'judgment')} of {counted(self.systems, 'system')}{judges}"
        return self._line(text, self.lang_pair)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        content = {**dataclasses.asdict(self), "record": self.record.to_dict(), "notes": list(self.notes)}
        return {**content, "signature": self.signature}


def describe(judgments: Judgments | Any) -> Overview:
    """Count everything in a table of one language pair; a data frame or the path of a file is read."""
    judgments = judgments_of(judgments, "describe", forced_ties="keep")
    counts = judgments.counts
    n = len(counts.systems)
    met = (counts.decided + counts.ties)[np.triu_indices(n, 1)]
    outcomes = judgments.codes("outcome")
    return Overview(
        lang_pair=judgments.lang_pairs[0] if len(judgments.lang_pairs) == 1 else None,
        judgments=len(judgments),
        rankings=len(judgments.names["ranking"]) if "ranking" in judgments.names else None,
        systems=n,
        segments=len(judgments.segments) or None,
        judges=len(judgments.judges) or None,
        ties=int((outcomes == TIE).sum()),
        forced_ties=judgments.forced_ties,
        per_system=2 * len(judgments) / n,
        pairs=len(met),
        pairs_compared=int((met > 0).sum()),
        least_compared=round(float(met.min())),
        most_compared=round(float(met.max())),
        groups=[list(group) for group in counts.components()],
        by_system=_by_system(judgments),
        data=judgments.hash,
        record=Record.of({"judgments": len(judgments), "data": judgments.hash}, origin=judgments.origin),
        notes=judgments.notes,
    )


def _by_system(judgments: Judgments) -> list[SystemOverview]:
    counts = judgments.counts
    wins, ties, losses = counts.wins.sum(1), counts.ties.sum(1), counts.wins.sum(0)
    opponents = ((counts.decided + counts.ties) > 0).sum(1)
    return [
        SystemOverview(
            system=name,
            judgments=float(wins[i] + ties[i] + losses[i]),
            wins=float(wins[i]),
            ties=float(ties[i]),
            losses=float(losses[i]),
            opponents=int(opponents[i]),
        )
        for i, name in enumerate(counts.systems)
    ]


# -- how files were read -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FileOverview:
    """How one file was read: what its columns were taken for and why, what was left out, and what is there twice.

    ``layout`` says what kind of file it is, ``shared_outputs`` how many outputs several systems share,
    ``forced_ties`` how many judgments are between such systems, which nobody compared, and ``repeated_judgments`` and
    ``repeated_rankings`` how many repeat another one exactly.
    """

    file: str
    format: str
    layout: str
    encoding: str | None
    sha256: str | None
    records: int
    dropped: int
    skipped: int
    reasons: tuple[str, ...]
    judgments: int
    rankings: int | None
    repeated_judgments: int
    repeated_rankings: int
    shared_outputs: int
    forced_ties: int
    columns: tuple[ColumnUse, ...]
    notes: tuple[str, ...]
    data: str

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return dataclasses.asdict(self)


def describe_files(read: Sequence[tuple[Judgments, ReadReport]], options: ReadOptions) -> list[FileOverview]:
    """Say how files were read; the same file twice is refused.

    Parameters
    ----------
    read
        The judgments of every file and the report of its reading, which may have left out any number of records.
    options
        How other commands read them: what they would refuse is said.
    """
    together = Repeats.of(concat([judgments for judgments, _ in read]))
    files = [_file(judgments, report, options) for judgments, report in read]
    across = [
        f"{count} {what} repeats" if count == 1 else f"{count} {what}s repeat"
        for what, count in (
            ("judgment", together.rows - sum(file.repeated_judgments for file in files)),
            ("ranking", together.rankings - sum(file.repeated_rankings for file in files)),
        )
        if count
    ]
    notes = [f"{what} one of another file exactly" for what in across]
    return [*files[:-1], dataclasses.replace(files[-1], notes=(*files[-1].notes, *notes))]


def _file(judgments: Judgments, report: ReadReport, options: ReadOptions) -> FileOverview:
    repeats = Repeats.of(judgments)
    notes = list(report.notes)
    try:
        report.check(options)
    except InputError as error:
        notes.append(f"other commands refuse this file: {str(error).splitlines()[-1]}")
    return FileOverview(
        file=report.source,
        format=report.format,
        layout=report.layout or report.format,
        encoding=options.encoding if report.digest and report.layout != "Parquet" else None,
        sha256=report.digest,
        records=report.records,
        dropped=len(report.rejected),
        skipped=len(report.dropped) - len(report.rejected),
        reasons=tuple(report.lines()),
        judgments=len(judgments),
        rankings=len(judgments.names["ranking"]) if "ranking" in judgments.names else None,
        repeated_judgments=repeats.rows,
        repeated_rankings=repeats.rankings,
        shared_outputs=report.shared,
        forced_ties=judgments.forced_ties,
        columns=report.columns,
        notes=tuple(notes),
        data=judgments.hash,
    )
