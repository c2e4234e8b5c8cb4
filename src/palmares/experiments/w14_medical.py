"""Bojar et al. 2014, §5: the medical task's scores (Tables 25 and 26) and its retrieval (Table 27), from their prints.

Translations and relevance judgments are not at hand, so nothing is scored anew. What the prints allow is to test the
paper's claims: a difference between two systems is compared with the intervals printed beside both, as if systems were
independent. They were scored on the same segments, so a paired test would find more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from .base import Check, Context, Experiment, Findings, Row
from .published import load

#: The printed columns that have an interval; the first, BLEU on original text, has none.
MEASURES = tuple(
    f"{measure} ({text})" for text in ("truecased", "lowercased") for measure in ("BLEU", "1−TER", "1−PER", "1−CDER")
)
TITLES = {"table_25": "Table 25", "table_26": "Table 26"}
_ONLINE = "ONLINE"
#: Sentences of the summaries' test set, and as many queries.
_SEGMENTS = 1000
#: The quantile of 95 % intervals.
_Z = 1.959964


@dataclass(frozen=True)
class Entry:
    """One line of a table: values and half-widths of their intervals, in the order of `MEASURES`."""

    team: str
    section: str
    original: float | None
    values: tuple[float, ...]
    halves: tuple[float, ...]


def entries(table: str) -> dict[str, list[Entry]]:
    """The lines of a table by direction. The unconstrained begin where CUNI comes again; the online system ends it."""
    return {direction: list(_sections(lines)) for direction, lines in load("w14_medical")[table].items()}


def _sections(lines: Sequence[Sequence[Any]]) -> Iterator[Entry]:
    teams: list[str] = []
    section = "constrained"
    for team, original, *cells in lines:
        if team == _ONLINE:
            section = "online"
        elif team in teams and teams[-1] != team:
            section = "unconstrained"
        teams.append(team)
        values, halves = zip(*cells, strict=True)
        yield Entry(team, section, original, values, halves)


def separation(first: Entry, second: Entry, measure: int) -> float:
    """How many standard errors the first leads by, if the two were independent."""
    error = math.hypot(first.halves[measure], second.halves[measure]) / _Z
    return (first.values[measure] - second.values[measure]) / error


def best(lines: Sequence[Entry], measure: int) -> Entry:
    return max(lines, key=lambda entry: entry.values[measure])


def _scores(context: Context, *, tables: tuple[str, ...]) -> Findings:
    rows, everything = [], {table: entries(table) for table in tables}
    for table, directions in everything.items():
        for direction, lines in directions.items():
            constrained = sorted(_of(lines, "constrained"), key=lambda entry: -entry.values[0])
            first, second = constrained[:2]
            group = f"{TITLES[table]}: lead in BLEU (truecased) of the best constrained system over the next"
            note = f"{separation(first, second, 0):.1f} standard errors"
            label = f"{direction}: {first.team} over {second.team}"
            error = math.hypot(first.halves[0], second.halves[0]) / _Z
            lead = first.values[0] - second.values[0]
            rows.append(Row(label, None, lead, error, n=_SEGMENTS, note=note, group=group, digits=2))
    checks = [check for table in tables for check in _claims(table, everything[table])]
    return Findings(rows, checks, _notes(everything))


def _of(lines: Sequence[Entry], section: str) -> list[Entry]:
    return [entry for entry in lines if entry.section == section]


def _claims(table: str, directions: dict[str, list[Entry]]) -> list[Check]:
    if table == "table_25":
        return [_winners(directions), _unconstrained(directions), _online(directions)]
    return [_terminology(directions), _noise(directions)]


def _winners(directions: dict[str, list[Entry]]) -> Check:
    won = {
        direction: [best(_of(lines, "constrained"), m).team for m in range(len(MEASURES))]
        for direction, lines in directions.items()
    }
    claimed = ("German→English", "English→Czech", "English→French")
    leads = {d: teams.count("UEDIN") for d, teams in won.items()}
    rivals = [
        (next(e for e in lines if e.team == "UEDIN"), next(e for e in lines if e.team == "UM-DA"))
        for direction, lines in directions.items()
        if direction not in claimed
    ]
    apart = [abs(separation(uedin, um, m)) for uedin, um in rivals for m in range(len(MEASURES))]
    return Check(
        "UEDIN won German–English, English–Czech and English–French, and UM-DA was on par elsewhere",
        all(leads[d] == len(MEASURES) for d in claimed) and max(apart) < _Z,
        f"UEDIN first by {', '.join(f'{leads[d]} of {len(MEASURES)} measures ({d})' for d in claimed)}; elsewhere the "
        f"two are at most {max(apart):.1f} standard errors apart",
    )


def _unconstrained(directions: dict[str, list[Entry]]) -> Check:
    ahead = [
        f"{direction}, {MEASURES[m]}"
        for direction, lines in directions.items()
        for m in range(len(MEASURES))
        if best(_of(lines, "unconstrained"), m).values[m] > best(_of(lines, "constrained"), m).values[m]
    ]
    cells = len(directions) * len(MEASURES)
    return Check(
        "unconstrained submissions in almost all cases did not outperform the constrained ones",
        len(ahead) <= cells // 10,
        f"the best unconstrained one is ahead in {len(ahead)} of {cells} cells",
    )


def _online(directions: dict[str, list[Entry]]) -> Check:
    beaten: dict[str, float] = {}
    for direction, lines in directions.items():
        (online,) = _of(lines, "online")
        for entry in lines:
            if entry.section != "online" and (lead := separation(entry, online, 0)) > 0:
                beaten[f"{entry.team} {direction}"] = lead
    return Check(
        "the online system outperforms all others but UM-DA and UEDIN in French–English, within the intervals",
        set(beaten) <= {"UM-DA French→English", "UEDIN French→English"} and max(beaten.values(), default=0) < _Z,
        "ahead of it in BLEU (truecased): "
        + (", ".join(f"{name} by {lead:.1f} standard errors" for name, lead in beaten.items()) or "nobody"),
    )


def _terminology(directions: dict[str, list[Entry]]) -> Check:
    lines = [entry for entry in directions["French→English"] if entry.section != "online"]
    first = [best(lines, m).team for m in range(len(MEASURES))]
    other = [f"{measure}: {team}" for measure, team in zip(MEASURES, first, strict=True) if team != "DCU-Q"]
    return Check(
        "DCU-Q outperformed all other participants in the translation of queries into English",
        not other,
        f"first in French–English, where it took part, by {first.count('DCU-Q')} of {len(MEASURES)} measures"
        + (f"; {', '.join(other)}" if other else ""),
    )


def _noise(directions: dict[str, list[Entry]]) -> Check:
    pairs = [
        abs(separation(a, b, m)) < _Z
        for lines in directions.values()
        for a, b in combinations(lines, 2)
        for m in range(len(MEASURES))
    ]
    return Check(
        "for queries, most differences are not statistically significant",
        2 * sum(pairs) > len(pairs),
        f"{sum(pairs)} of {len(pairs)} pairs of systems by a measure are less than {_Z:.2f} standard errors apart",
    )


def _notes(tables: dict[str, dict[str, list[Entry]]]) -> list[str]:
    notes = [
        "Submissions, references and the scripts' settings are not at hand: scores are not computed anew. n: segments.",
        "±: from the printed 95 % intervals of two systems, as if they were independent. On the same segments, paired "
        "errors are smaller.",
    ]
    for table, directions in tables.items():
        seen: dict[tuple[object, ...], str] = {}
        for direction, lines in directions.items():
            for entry in lines:
                printed = (entry.original, entry.values, entry.halves)
                if (before := seen.setdefault(printed, direction)) != direction:
                    notes.append(
                        f"{TITLES[table]} prints the same nine scores and eight intervals twice, for {entry.team} in "
                        f"{before} and in {direction}: one of the two is a misprint."
                    )
    return notes


SCORES = Experiment(
    "w14-medical",
    "medical translation: claims against printed scores and intervals",
    "Bojar et al. 2014, Tables 25 and 26",
    _scores,
    settings={"tables": tuple(TITLES)},
    quick={"tables": ("table_26",)},
)


# -- Table 27: retrieval with translated queries ------------------------------------------------------


def _searches(context: Context, *, measures: tuple[str, ...]) -> Findings:
    table = load("w14_medical")["table_27"]
    columns, lines = table["columns"], table["rows"]
    (mono,) = [line for line in lines if line[1] == "monolingual"]
    rows = []
    for measure in measures:
        place = 2 + columns.index(measure)
        for line in lines:
            if line is not mono:
                group = f"{measure}, share of the monolingual queries'"
                rows.append(Row(f"{line[0]}, {line[1]}", None, line[place] / mono[place], n=50, group=group))
    return Findings(rows, _search_claims(lines, columns), [
        "The queries, runs and relevance judgments of CLEF eHealth 2013 are not at hand: searches are not run anew, "
        "and no interval or test can be given. n: queries.",
    ])  # fmt: skip


def _search_claims(lines: Sequence[Sequence[Any]], columns: Sequence[str]) -> list[Check]:
    (uedin,) = [line[2:] for line in lines if line[1] == "UEDIN"]
    (perfect,) = [line[2:] for line in lines if line[1] == "monolingual"]
    rivals = [line[2:] for line in lines if line[1] not in ("UEDIN", "monolingual")]
    won = sum(all(uedin[k] > other[k] for other in rivals) for k in range(len(columns)))
    shares = [u / p for u, p in zip(uedin, perfect, strict=True)]
    above = [name for name, share in zip(columns, shares, strict=True) if share > 1]
    return [
        Check("UEDIN outperformed CUNI and DCU-Q", won == len(columns), f"by {won} of {len(columns)} measures"),
        Check(
            "UEDIN's scores are very close to those of the reference translations",
            min(shares) > 0.9,
            f"between {min(shares):.1%} and {max(shares):.1%} of them"
            + (f"; above them by {', '.join(above)}" if above else ""),
        ),
    ]


SEARCHES = Experiment(
    "w14-retrieval",
    "retrieval with translated queries, beside the reference translations",
    "Bojar et al. 2014, Table 27",
    _searches,
    settings={"measures": ("P@10", "NDCG@10", "MAP", "rel")},
    quick={"measures": ("MAP",)},
)
