"""What the commands of a campaign found, as tables and as JSON. Machines get values in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from ...campaign.control_results import ControlResults
from ...campaign.journal import Event
from ...campaign.overview import CampaignLine, CampaignStatus, JudgeStatus, PairStatus
from ...campaign.people import Person, Presence
from ...report.tables import Column, Table
from ..output import print_json, print_tables

_CONTROL_NOTES = (
    "same: pairs of outputs that a judge ordered alike when a screen was asked again",
    "degraded below: damaged outputs ranked below their original; reference top: references that nothing stands above",
)
_PAIR_NOTES = ("open: answers that screens given out still wait for; least, most: how often two systems were compared",)


def show(tables: Sequence[Table], output: str, value: Any) -> None:
    """Print in the format that was asked for; ``value`` is the JSON."""
    if output == "json":
        print_json(value)
    else:
        print_tables(tables, output)


# -- campaigns -------------------------------------------------------------------------------------------


def campaigns_table(found: Sequence[CampaignLine]) -> Table:
    columns = [_text("name"), _text("state"), _text("langs"), Column("judges"), Column("answered"), _time("created_at")]
    rows = [(c.name, c.state, " ".join(c.langs), c.judges, c.answered, _iso(c.created_at)) for c in found]
    return Table(columns, rows)


def pairs_table(status: CampaignStatus) -> Table:
    """One row a language pair, for people."""
    counts = ("segments", "systems", "answered", "open", "skipped", "least", "most", "at work")
    columns = [_text("language pair"), *map(Column, counts), *_control_columns()]
    rows = [
        (
            pair.name, pair.segments, len(pair.systems), pair.answered, pair.open, pair.skipped, pair.least, pair.most,
            pair.judges_at_work, *_control_cells(pair.controls),
        )
        for pair in status.pairs
    ]  # fmt: skip
    enough = [pair.name for pair in status.pairs if pair.enough]
    stopped = [f"enough by the settings, so no more is given out: {', '.join(enough)}"] if enough else []
    until = f", until {_iso(status.until)}" if status.until else ""
    return Table(columns, rows, title=f"{status.name}: {status.state}{until}", notes=[*_PAIR_NOTES, *stopped])


def judges_table(status: CampaignStatus) -> Table:
    """One row a judge, for people."""
    counts = (Column("done"), Column("of"), Column("skipped"))
    columns = [_text("judge"), _langs("langs"), *counts, _text("at work"), _time("last answer"), *_control_columns()]
    rows = [
        (
            judge.name, " ".join(judge.langs), judge.done, judge.target, judge.skipped, _yes(judge.at_work),
            _iso(judge.last), *_control_cells(judge.controls),
        )
        for judge in status.judges
    ]  # fmt: skip
    return Table(columns, rows, title=f"{status.name}: judges", notes=_CONTROL_NOTES)


def pairs_csv_table(status: CampaignStatus) -> Table:
    """One row a language pair, every number in a column of its own."""
    names = ("name", "segments", "comparable", "systems", "answered", "open", "held", "skipped", "least", "most",
             "judges_at_work", "enough")  # fmt: skip
    return _flat("lang_pair", names, status.pairs)


def judges_csv_table(status: CampaignStatus) -> Table:
    """One row a judge, every number in a column of its own."""
    names = ("name", "pseudonym", "langs", "consented", "done", "skipped", "target", "at_work", "last")
    return _flat("judge", names, status.judges)


def _flat(first: str, names: Sequence[str], found: Sequence[PairStatus] | Sequence[JudgeStatus]) -> Table:
    """The first name is headed otherwise; controls come last."""
    controls = [f.name for f in fields(ControlResults)]
    rows = [
        [*(_cell(name, getattr(each, name)) for name in names), *(getattr(each.controls, name) for name in controls)]
        for each in found
    ]
    return Table([Column(name) for name in (first, *names[1:], *controls)], rows)


def _cell(name: str, value: Any) -> Any:
    if name == "systems":
        return len(value)
    if isinstance(value, bool):
        return _yes(value)
    if isinstance(value, datetime):
        return _iso(value)
    return " ".join(value) if isinstance(value, tuple) else value


def _control_columns() -> list[Column]:
    return [Column("repeats"), Column("same"), Column("degraded below"), Column("reference top")]


def _control_cells(found: ControlResults) -> tuple[Any, ...]:
    return (
        found.repeats,
        _of(found.same_pairs, found.repeated_pairs),
        _of(found.degraded_below, found.degraded),
        _of(found.reference_top, found.reference),
    )


# -- people and what they did ----------------------------------------------------------------------------


def people_table(found: Sequence[Presence]) -> Table:
    columns = [
        _text("name"), _text("role"), _langs("langs"), _text("pseudonym"), _text("consented"), _text("practised"),
        _time("link_until"), _time("session_until"),
    ]  # fmt: skip
    rows = [
        (
            each.person.name, str(each.person.role), " ".join(each.person.langs), each.person.pseudonym,
            _yes(each.person.consented), _yes(each.person.practised), _iso(each.link_until), _iso(each.session_until),
        )
        for each in found
    ]  # fmt: skip
    return Table(columns, rows)


def presence_dict(each: Presence) -> dict[str, Any]:
    """The documented JSON shape."""
    person = each.person
    return {
        "name": person.name,
        "role": str(person.role),
        "langs": list(person.langs),
        "pseudonym": person.pseudonym,
        "consented": person.consented,
        "practised": person.practised,
        "link_until": _iso(each.link_until),
        "session_until": _iso(each.session_until),
    }


def invited_table(found: Sequence[tuple[Person, str]]) -> Table:
    columns = [_text("name"), _text("role"), _langs("langs"), _text("link")]
    return Table(columns, [(p.name, str(p.role), " ".join(p.langs), link) for p, link in found])


def log_table(found: Sequence[Event]) -> Table:
    columns = [_time("at"), _text("what"), _text("person"), _text("by"), _text("details")]
    rows = [(_iso(e.at), e.kind, e.person, e.by, _details(e.body)) for e in found]
    return Table(columns, rows)


def event_dict(event: Event) -> dict[str, Any]:
    """The documented JSON shape."""
    return {"at": _iso(event.at), "what": event.kind, "person": event.person, "by": event.by, "details": event.body}


# -- small parts -----------------------------------------------------------------------------------------


def _text(name: str) -> Column:
    return Column(name, align="left")


def _langs(name: str) -> Column:
    """Language pairs with spaces between them; none given means all."""
    return Column(name, lambda value: value or "all", align="left")


def _time(name: str) -> Column:
    """A moment that machines get in full, and people to the minute."""
    return Column(name, lambda value: "–" if value is None else value[:16].replace("T", " "), align="left")


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}" if whole else "–"


def _details(body: dict[str, Any]) -> str:
    return ", ".join(f"{key}: {_written(value)}" for key, value in body.items() if value != [])


def _written(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
