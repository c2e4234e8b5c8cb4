"""Write what a campaign has collected: its judgments in any format, or its screens with their texts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

import sqlalchemy as sa

from ..errors import InputError
from ..ingest.base import LEFT_OUT, ReadOptions
from ..ingest.files import write, write_empty
from ..ingest.left_out import REASON
from ..ingest.source import ending_of, put
from ..judgments import Judgments
from . import schema
from .collected import answered, collect, shown_outputs
from .database import Database
from .definition import find_campaign
from .left_out import check_change, left_out_of
from .safe_rows import safe_rows

Row: TypeAlias = sa.Row[*tuple[Any, ...]]
#: Keys of a screen that are left out where no screen of the campaign has anything to say under them.
_OPTIONAL = frozenset(("turns", "verdict", "problem", "snapshot", "program", "left_out"))
#: Of the snapshot whose choices a screen was drawn from.
_VERSION = (
    sa.select(schema.snapshot.c.version).where(schema.snapshot.c.id == schema.screen.c.snapshot_id).scalar_subquery()
)


@dataclass(frozen=True)
class Exported:
    """What was written; ``path`` is None if nothing was, because there are no judgments and the format needs some."""

    path: Path | None
    format: str
    judgments: int
    screens: int
    skipped: int
    #: Judgments of judges who are left out: they are marked in a column, or are not written for lack of one.
    left_out: int = 0
    marked: bool = True


@dataclass(frozen=True)
class ExportedScreens:
    """What was written: lines in all, and how many of the screens were ranked or skipped in the end."""

    path: Path
    lines: int
    screens: int
    skipped: int


def export(
    db: Database,
    campaign: str | None,
    path: str | Path,
    *,
    format: str = "auto",
    drop: Iterable[str] = (),
    merged: Literal["expand", "collapse"] = "expand",
    controls: bool = False,
    formulas: str = "keep",
    upto: int | None = None,
    left_out_as_of: int | None = None,
) -> Exported:
    """Write the judgments of a campaign (None: the only one), as they stand at one moment.

    Those of judges who are left out have a 1 in the column ``left_out``, which is there if somebody is; where extra
    columns are dropped, because the format has no place for them or otherwise, those judgments are not written.

    Before there are any, a file of the format ``pairwise`` has its header alone (none at all in JSON Lines). Other
    formats need a judgment: nothing is written, and a file that is there already is refused.

    Parameters
    ----------
    path, format, drop
        As for `palmares.write`: the ending gives the format; what a format cannot hold is refused unless dropped.
    merged
        Outputs that several systems share: ``"expand"`` to all of them, or ``"collapse"`` to one joined name.
    controls
        Keep the outputs of controls, as the systems ``palmares:reference`` and ``palmares:degraded``.
    formulas
        Names that a spreadsheet would run, in CSV and TSV: ``"escape"``, ``"refuse"`` or ``"keep"`` them.
    upto
        The number of an answer: write what there was once that was stored, with no answer after it. Who is left out
        is as it is now, unless ``left_out_as_of`` is given.
    left_out_as_of
        The number of a change to who is left out: those who were after it. 0: nobody, as before there was any.
    """
    drop = tuple(drop)
    _check_answer(db, upto)
    options = ReadOptions(merged=merged, left_out="keep")
    parsed = collect(db, campaign, options, controls=controls, upto=upto, left_out_as_of=left_out_as_of)
    left_out = int(parsed.rows[LEFT_OUT].sum()) if LEFT_OUT in parsed.rows.columns else 0
    marked = not left_out or "extra" not in drop
    if not marked:
        options = replace(options, left_out="drop")
        parsed = collect(db, campaign, options, controls=controls, upto=upto, left_out_as_of=left_out_as_of)
    judgments, written = parsed.rows.height, True
    if judgments:
        written_as = write(Judgments.from_rows(safe_rows(parsed.rows, path, formulas)), path, format=format, drop=drop)
    else:
        written_as, written = write_empty(parsed.rows, path, format=format, drop=drop)
    reasons = Counter(dropped.reason for dropped in parsed.dropped)
    skipped = reasons.total() - reasons[REASON]
    screens = parsed.records - reasons.total()
    return Exported(Path(path) if written else None, written_as, judgments, screens, skipped, left_out, marked)


def export_screens(
    db: Database,
    campaign: str | None,
    path: str | Path,
    *,
    revisions: bool = False,
    upto: int | None = None,
    left_out_as_of: int | None = None,
) -> ExportedScreens:
    """Write every screen that was ranked or skipped to a ``.jsonl`` file (``.gz`` or ``.zst`` behind it compresses).

    The file appears whole or not at all, and replaces one that is there. Practice is not in it; people appear by
    pseudonym. With ``revisions``, answers that were replaced later have lines of their own, before the latest; with
    ``upto``, the number of an answer, all is as it was once that was stored, with no answer after it. Screens of
    judges who are left out (``left_out_as_of`` as for `export`) say so under ``left_out``.
    """
    if str(path) != "-" and ending_of(Path(path)) != "jsonl":
        raise InputError(f"{path}: screens are written as .jsonl, also with .gz or .zst behind it; name such a file")
    _check_answer(db, upto)
    with db.read() as tx:
        campaign_id = find_campaign(tx, campaign).id
        check_change(tx, campaign_id, left_out_as_of)
        out = set(left_out_of(tx, campaign_id, upto=left_out_as_of).values())
        outputs = _outputs(tx, campaign_id)
        rows = tx.execute(answered(campaign_id, _columns(), revisions=revisions, upto=upto)).all()
    latest = {row.served_id: row.skip for row in rows}  # the last revision of a screen comes last
    put("".join(_line(screen) for screen in _screens(rows, outputs, out)).encode(), path)
    skipped = sum(skip is not None for skip in latest.values())
    return ExportedScreens(Path(path), len(rows), len(latest) - skipped, skipped)


def _check_answer(db: Database, upto: int | None) -> None:
    """Refuse the number of an answer that is not there: what comes before it is not known yet."""
    if upto is None:
        return
    with db.read() as tx:
        # The last answers may have gone with their campaign; what was computed of others still names them.
        numbered = (schema.judgment.c.id, schema.snapshot.c.answer, schema.board.c.answer, schema.milestone.c.answer)
        last = max(tx.execute(sa.select(sa.func.max(column))).scalar() or 0 for column in numbered)
    if not 1 <= upto <= last:
        known = f"1 to {last}" if last else "none, for there is no answer yet"
        raise InputError(f"up to answer: got {upto}; allowed: {known}")


def _columns() -> list[sa.ColumnElement[Any]]:
    judgment, served, screen, segment = schema.judgment.c, schema.served.c, schema.screen.c, schema.segment.c
    return [
        *(judgment.id.label("answer"), _VERSION.label("snapshot")),
        *(judgment.served_id, judgment.ranks, judgment.skip, judgment.note, judgment.revision, judgment.late),
        *(judgment.verdict, judgment.problem),
        *(judgment.seconds, judgment.created_at.label("answered_at"), served.created_at.label("served_at")),
        *(served.places, served.repeat_of, screen.strategy, screen.probability, screen.control),
        *(segment.name.label("segment"), segment.document, segment.source, segment.turns),
        *(segment.reference, schema.person.c.pseudonym, schema.person.c.program),
        sa.case((schema.language_pair.c.source != "", schema.language_pair.c.name)).label("lang_pair"),
    ]


def _outputs(tx: sa.Connection, campaign_id: int) -> dict[int, dict[str, Any]]:
    """Every output that was shown: its systems, kind and text, and the id of the one it was made from."""
    output = schema.output.c
    system = schema.system.c
    columns = (output.id, output.kind, output.text, output.turns, output.original_id, system.name, system.added_after)
    outputs: dict[int, dict[str, Any]] = {}
    for output_id, kind, text, turns, original, name, added_after in tx.execute(shown_outputs(campaign_id, *columns)):
        known = outputs.setdefault(
            output_id, {"systems": [], "kind": kind, "text": text, "turns": turns, "original": original}
        )
        if name is not None:
            known["systems"].append((name, added_after))
    return outputs


def _screens(
    rows: Sequence[Row], outputs: Mapping[int, dict[str, Any]], left_out: Collection[str]
) -> Iterator[dict[str, Any]]:
    """One object per answer. What no answer of the campaign has (turns, a verdict, a problem) is in none."""
    screens = [{**_screen(row, outputs), "left_out": row.pseudonym in left_out} for row in rows]
    said = {key for screen in screens for key in _OPTIONAL if screen[key]}
    conversations = any(output["turns"] for screen in screens for output in screen["outputs"])
    for screen in screens:
        shown = [_without(output, () if conversations else ("turns",)) for output in screen["outputs"]]
        yield _without({**screen, "outputs": shown}, _OPTIONAL - said)


def _without(entries: dict[str, Any], keys: Collection[str]) -> dict[str, Any]:
    return {key: value for key, value in entries.items() if key not in keys}


def _line(screen: dict[str, Any]) -> str:
    return json.dumps(screen, ensure_ascii=False) + "\n"


def _screen(row: Row, outputs: Mapping[int, dict[str, Any]]) -> dict[str, Any]:
    return {
        "ranking": f"s{row.served_id}",
        "lang_pair": row.lang_pair,
        "segment": row.segment.strip(),
        "document": row.document,
        "judge": row.pseudonym,
        "program": row.program,
        "source": row.source,
        "turns": row.turns,
        "reference": row.reference,
        "outputs": _shown(row, outputs),
        "skip": row.skip,
        "verdict": row.verdict,
        "note": row.note,
        "problem": row.problem,
        "answer": row.answer,
        "revision": row.revision,
        "late": row.late,
        "strategy": row.strategy,
        "probability": row.probability,
        "snapshot": row.snapshot,
        "repeat_of": None if row.repeat_of is None else f"s{row.repeat_of}",
        "control": row.control,
        "served_at": _moment(row.served_at),
        "answered_at": _moment(row.answered_at),
        "seconds": row.seconds,
    }


def _shown(row: Row, outputs: Mapping[int, dict[str, Any]]) -> list[dict[str, Any]]:
    """Outputs from top to bottom; ``original`` is the place of the one that a damaged copy was made from."""
    place = {output_id: number for number, output_id in enumerate(row.places, 1)}
    ranks = row.ranks or [None] * len(row.places)
    return [
        {
            **outputs[output_id],
            "systems": [name for name, added_after in outputs[output_id]["systems"] if row.answer > added_after],
            "original": place.get(outputs[output_id]["original"]),
            "rank": rank,
        }
        for output_id, rank in zip(row.places, ranks, strict=True)
    ]


def _moment(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")
