"""A campaign as tables: its status, its people, what they did. Machines get values in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from ..campaign.control_results import ControlResults
from ..campaign.journal import Event
from ..campaign.notes import Note
from ..campaign.overview import CampaignLine, CampaignStatus, JudgeStatus, PairStatus
from ..campaign.people import Person
from ..campaign.presences import Presence
from .tables import Column, Grouped, Table, View

_CONTROLS = ("repeats", "same", "degraded below", "reference top")
_CONTROL_NOTES = (
    "same: pairs of outputs that a judge ordered alike when a screen was shown again",
    "degraded below: damaged outputs ranked below their original; reference top: nothing ranked above the reference",
)
_PAIR_NOTES = ("open: answers still expected for screens given out; least, most: how often two systems were compared",)


@dataclass(frozen=True)
class Invitation:
    """Someone, and the link that lets them in."""

    person: Person
    link: str

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        person = self.person
        return {"name": person.name, "role": str(person.role), "langs": list(person.langs), "link": self.link}


# -- campaigns -------------------------------------------------------------------------------------------


def _campaigns(results: Sequence[Grouped[CampaignLine]], part: str | None = None) -> list[Table]:
    columns = [
        text_column("name"),
        text_column("state"),
        Column("langs", align="left", if_long="wrap"),
        Column("judges"),
        Column("answered"),
        time_column("created_at"),
    ]
    lines = [each.result for each in results]
    rows = [(c.name, c.state, " ".join(c.langs), c.judges, c.answered, iso(c.created_at)) for c in lines]
    return [Table(columns, rows)]


def _status(results: Sequence[Grouped[CampaignStatus]], part: str | None = None) -> list[Table]:
    """One row per language pair and one per judge, or only ``pairs`` or ``judges``."""
    layouts = {"pairs": _pairs, "judges": _judges}
    wanted = layouts.values() if part not in layouts else [layouts[part]]
    return [layout(each.result) for each in results for layout in wanted]


def _flat_status(results: Sequence[Grouped[CampaignStatus]], part: str | None = None) -> list[Table]:
    """One row per language pair, or with ``judges`` one per judge; every number in a column of its own."""
    if part == "judges":
        of_judge = ("name", "pseudonym", "langs", "consented", "done", "skipped", "target", "at_work", "last",
                    "program", "left_out")  # fmt: skip
        return [_flat("judge", of_judge, each.result.judges) for each in results]
    of_pair = ("name", "segments", "comparable", "systems", "answered", "open", "held", "skipped", "least", "most",
               "judges_at_work", "enough", "left_out")  # fmt: skip
    return [_flat("lang_pair", of_pair, each.result.pairs) for each in results]


LIST = View(_campaigns)
STATUS = View(_status, _flat_status, single=True, parts=("all", "pairs", "judges"))


def _pairs(status: CampaignStatus) -> Table:
    counts = ("segments", "systems", "answered", "open", "skipped", "least", "most", "at work")
    columns = [text_column("language pair"), *map(Column, counts), *map(Column, _CONTROLS)]
    rows = [
        (
            pair.name, pair.segments, len(pair.systems), pair.answered, pair.open, pair.skipped, pair.least, pair.most,
            pair.judges_at_work, *_control_cells(pair.controls),
        )
        for pair in status.pairs
    ]  # fmt: skip
    enough = [pair.name for pair in status.pairs if pair.enough]
    stopped = [f"enough according to the settings, so no more is given out: {', '.join(enough)}"] if enough else []
    until = f", until {iso(status.until)}" if status.until else ""
    notes = [*_PAIR_NOTES, *stopped, *(line for pair in status.pairs for line in _analysed(pair))]
    return Table(columns, rows, title=f"{status.name}: {status.state}{until}", notes=notes)


def _analysed(pair: PairStatus) -> list[str]:
    """How the analysis of a language pair stands, and how to make the ranking that stopped it again."""
    analysed = pair.analysed
    if analysed is None:
        return []
    left_out = (analysed.standing or {}).get("left_out", 0)
    as_of = f" --left-out-as-of {left_out}" if left_out else ""
    again = (
        f"the ranking that decided: 'campaign export NAME FILE --up-to {analysed.answer}{as_of}', then "
        f"'rank FILE --looks any --seed {analysed.seed}{analysed.level}'"
    )
    return [f"{pair.name}: {line}" for line in (*analysed.says, *([again] if analysed.met else []))]


def _judges(status: CampaignStatus) -> Table:
    some = any(judge.program for judge in status.judges)
    columns = [
        text_column("judge"), *([text_column("program")] if some else []), langs_column("langs"), Column("done"),
        Column("of"), Column("skipped"), text_column("at work"), time_column("last answer"), *map(Column, _CONTROLS),
    ]  # fmt: skip
    rows = [
        (
            judge.name, *([_yes(judge.program)] if some else []), " ".join(judge.langs), judge.done, judge.target,
            judge.skipped, _yes(judge.at_work), iso(judge.last), *_control_cells(judge.controls),
        )
        for judge in status.judges
    ]  # fmt: skip
    out = [judge.name for judge in status.judges if judge.left_out]
    notes = [*_CONTROL_NOTES, *([f"left out, so their answers do not count: {', '.join(out)}"] if out else [])]
    return Table(columns, rows, title=f"{status.name}: judges", notes=notes)


def _flat(first: str, names: Sequence[str], lines: Sequence[PairStatus] | Sequence[JudgeStatus]) -> Table:
    """The first name is headed otherwise; controls come last."""
    controls = [f.name for f in fields(ControlResults)]
    rows = [
        [*(_cell(name, getattr(each, name)) for name in names), *(getattr(each.controls, name) for name in controls)]
        for each in lines
    ]
    return Table([Column(name) for name in (first, *names[1:], *controls)], rows)


def _cell(name: str, value: Any) -> Any:
    if name == "systems":
        return len(value)
    if isinstance(value, bool):
        return _yes(value)
    if isinstance(value, datetime):
        return iso(value)
    return " ".join(value) if isinstance(value, tuple) else value


def _control_cells(controls: ControlResults) -> tuple[Any, ...]:
    return (
        controls.repeats,
        _of(controls.same_pairs, controls.repeated_pairs),
        _of(controls.degraded_below, controls.degraded),
        _of(controls.reference_top, controls.reference),
    )


# -- people and what they did ----------------------------------------------------------------------------


def _people(results: Sequence[Grouped[Presence]], part: str | None = None) -> list[Table]:
    columns = [
        text_column("name"), text_column("role"), langs_column("langs"),
        Column("pseudonym", align="left", if_long="whole"), text_column("program"),
        text_column("consented"), text_column("practised"),
        time_column("link_until"), time_column("session_until"), text_column("left_out"),
    ]  # fmt: skip
    rows = [
        (
            each.person.name, str(each.person.role), " ".join(each.person.langs), each.person.pseudonym,
            _yes(each.person.program),
            _yes(each.person.consented), _yes(each.person.practised), iso(each.link_until), iso(each.session_until),
            _yes(each.left_out),
        )
        for each in (grouped.result for grouped in results)
    ]  # fmt: skip
    out = [each.result.person.name for each in results if each.result.left_out]
    return [Table(columns, rows, notes=[f"left out, so their answers do not count: {', '.join(out)}"] if out else [])]


def _presence_dict(presence: Presence) -> dict[str, Any]:
    """The documented JSON shape."""
    person = presence.person
    return {
        "name": person.name,
        "role": str(person.role),
        "langs": list(person.langs),
        "pseudonym": person.pseudonym,
        "program": person.program,
        "consented": person.consented,
        "practised": person.practised,
        "link_until": iso(presence.link_until),
        "session_until": iso(presence.session_until),
        "left_out": presence.left_out,
    }


def _invitations(results: Sequence[Grouped[Invitation]], part: str | None = None) -> list[Table]:
    # A link that is not whole lets nobody in.
    columns = [
        text_column("name"),
        text_column("role"),
        langs_column("langs"),
        Column("link", align="left", if_long="whole"),
    ]
    invited = [(each.result.person, each.result.link) for each in results]
    return [Table(columns, [(p.name, str(p.role), " ".join(p.langs), link) for p, link in invited])]


def _log(results: Sequence[Grouped[Event]], part: str | None = None) -> list[Table]:
    columns = [
        time_column("at"),
        text_column("what"),
        text_column("person"),
        text_column("by"),
        Column("details", align="left", if_long="wrap"),
    ]
    events = [each.result for each in results]
    rows = [(iso(e.at), e.kind, e.person, e.by, _details(e.body)) for e in events]
    return [Table(columns, rows, keys=(0, 1))]


def _event_dict(event: Event) -> dict[str, Any]:
    """The documented JSON shape."""
    return {"at": iso(event.at), "what": event.kind, "person": event.person, "by": event.by, "details": event.body}


def _notes(results: Sequence[Grouped[Note]], part: str | None = None) -> list[Table]:
    columns = [
        *(
            time_column("at"),
            text_column("judge"),
            text_column("lang_pair"),
            text_column("segment"),
            text_column("answer"),
            text_column("problem"),
        ),
        Column("note", align="left", if_long="wrap"),
    ]
    rows = [
        (iso(n.at), n.name, n.lang_pair, n.segment, _answer(n), _yes(n.problem), n.note)
        for n in (each.result for each in results)
    ]
    return [Table(columns, rows, keys=(0, 1))]


def _answer(note: Note) -> str:
    """What was answered: ranks from the top, a verdict, or why the screen was skipped."""
    if note.skip is not None:
        return f"skipped: {note.skip}"
    return note.verdict or " ".join(str(output.rank) for output in note.outputs)


NOTES = View(_notes)
PEOPLE = View(_people, to_dict=_presence_dict)
INVITED = View(_invitations)
LOG = View(_log, to_dict=_event_dict)


# -- small parts -----------------------------------------------------------------------------------------


def text_column(name: str) -> Column:
    return Column(name, align="left")


def langs_column(name: str) -> Column:
    """Language pairs with spaces between them; none given means all."""
    return Column(name, lambda value: value or "all", align="left", if_long="wrap")


def time_column(name: str) -> Column:
    """A moment that machines get in full, and people to the minute."""
    return Column(name, lambda value: "–" if value is None else value[:16].replace("T", " "), "left", "whole")


def iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}" if whole else "–"


def _details(body: dict[str, Any]) -> str:
    texts = {key: " ".join(map(str, value)) if isinstance(value, list) else str(value) for key, value in body.items()}
    return ", ".join(f"{key}: {text}" for key, text in texts.items() if body[key] != [])
