"""What every check shares: the texts it looks at, its findings by line number, the report, and `check` itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from ...results import counted
from .. import TEXT_CHECKS
from ..languages import LanguagePair
from ..testset import TestSet

Severity = Literal["error", "warning", "note"]
_ORDER: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}


@dataclass(frozen=True)
class Places:
    """What messages call segments: the line of a file, or an id where a line is no segment."""

    word: str = "line"
    names: tuple[str, ...] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, testset: TestSet) -> Places:
        if testset.lines is not None:
            return cls("line", tuple(str(line) for line in testset.lines))
        return cls("segment", tuple(segment.id for segment in testset.segments))

    def text(self, numbers: tuple[int, ...], shown: int) -> str:
        """``lines 3, 7, 12–40 and 5 more``: runs of segments (numbers from 1) are written as ranges."""
        runs = [part for run in _runs(sorted(numbers)) for part in self._adjacent(*run)]
        listed = ", ".join(
            f"{self._name(first)}–{self._name(last)}" if last > first else self._name(first)
            for first, last in runs[:shown]
        )
        rest = sum(last - first + 1 for first, last in runs[shown:])
        more = f" and {rest} more" if rest else ""
        return f"{self.word}{'s' if len(numbers) > 1 else ''} {listed}{more}"

    def _adjacent(self, first: int, last: int) -> list[tuple[int, int]]:
        """A run of segments, cut where lines of the file lie between them that belong to others."""
        if self.word != "line" or self.names is None:
            return [(first, last)]
        lines = [int(self.names[number - 1]) for number in range(first, last + 1)]
        cuts = [n for n in range(1, len(lines)) if lines[n] != lines[n - 1] + 1]
        return [(first + a, first + b - 1) for a, b in zip([0, *cuts], [*cuts, len(lines)], strict=True)]

    def _name(self, number: int) -> str:
        return self.names[number - 1] if self.names is not None else str(number)


@dataclass(frozen=True)
class Finding:
    """One thing that a check found. ``lines`` are numbers of segments, counted from 1.

    ``system`` is None where sources, references or the whole test set are meant. An error should stop what comes
    next, a warning should be read, and a note is there to know.
    """

    check: str
    severity: Severity
    system: str | None
    lines: tuple[int, ...] = field(repr=False)
    message: str

    def text(self, shown: int = 5, places: Places | None = None) -> str:
        """A sentence with the first line numbers."""
        who = f"system {self.system}: " if self.system is not None else ""
        lines = f" ({(places or Places()).text(self.lines, shown)})" if self.lines else ""
        return f"{self.severity}: {self.check}: {who}{self.message}{lines}"


@dataclass(frozen=True)
class Column:
    """One text per segment, and what messages call it; an empty text stands for a missing one."""

    system: str | None
    what: str
    language: str
    texts: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True)
class CheckReport:
    """All findings about one test set: errors first, then in the order of the checks."""

    langs: LanguagePair
    segments: int
    findings: tuple[Finding, ...] = field(repr=False)
    places: Places = field(default=Places(), repr=False)

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "warning")

    def blocking(self, accepted: Collection[str] = ()) -> tuple[Finding, ...]:
        """The errors of checks that nobody has accepted."""
        return tuple(finding for finding in self.errors if finding.check not in accepted)

    def lines(self, shown: int = 5) -> list[str]:
        """One sentence per finding, each with at most ``shown`` line numbers or ranges of them."""
        return [f"{self.langs}: {finding.text(shown, self.places)}" for finding in self.findings]

    def summary(self, most: int = 20, shown: int = 5) -> str:
        """The sentences of `lines`, cut after ``most``; one sentence if there are none."""
        lines = self.lines(shown)
        if not lines:
            return f"{self.langs}: {counted(self.segments, 'segment')}, nothing to report"
        more = len(lines) - most
        return "\n".join(lines[:most] + ([f"… and {counted(more, 'more finding')}"] if more > 0 else []))


Check = Callable[[TestSet], Iterable[Finding]]


def check(testset: TestSet, *, only: Iterable[str] | None = None) -> CheckReport:
    """Look for what is commonly wrong with test sets; ``only`` names some of `palmares.texts.TEXT_CHECKS`."""
    findings: list[Finding] = []
    for id in TEXT_CHECKS if only is None else only:
        run: Check = TEXT_CHECKS.load(id)
        findings += run(testset)
    findings.sort(key=lambda finding: _ORDER[finding.severity])  # otherwise in the order of the checks
    return CheckReport(testset.langs, len(testset), tuple(findings), Places.of(testset))


def columns(testset: TestSet) -> Iterator[Column]:
    """Sources, references (if there are any), then systems."""
    if testset.has_sources:
        yield source_column(testset)
    if testset.has_references:
        references = tuple(segment.reference or "" for segment in testset.segments)
        yield Column(None, "references", testset.langs.target, references)
    for system, outputs in testset.outputs.items():
        yield Column(system, "outputs", testset.langs.target, outputs)


def source_column(testset: TestSet) -> Column:
    """The sources alone."""
    return Column(None, "sources", testset.langs.source, tuple(segment.source for segment in testset.segments))


def is_blank(text: str) -> bool:
    """Whether there is nothing to be seen in a text: white space, or characters without width."""
    return not any(character.isprintable() and not character.isspace() for character in text)


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs
