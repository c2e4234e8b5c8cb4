"""Systems that come late: outputs of a new system for segments that are there, while people judge.

Answers that were there before say nothing of a new system, also where it shares an output with one that they compare:
it counts in judgments with numbers above ``system.added_after`` alone. Otherwise rankings of earlier answers could not
be made again. What was designed ahead is thrown away, so that the new system is asked about soon.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeAlias

import sqlalchemy as sa

from ..errors import InputError
from ..results import counted
from ..texts.checks.base import CheckReport, check
from ..texts.conversations import Turns
from ..texts.languages import LanguagePair
from ..texts.testset import Segment, TestSet, make
from . import journal, schema
from .create import look_of, output_row
from .database import Database
from .definition import CampaignInfo, PairInfo, find_campaign, language_pairs, lock, settings_of
from .settings import Settings
from .stock import LOCK_PAIR, discard_all

#: What a system gave for a segment: a text, or the turns of a conversation; None: nothing.
Given: TypeAlias = str | Turns | None
_SYSTEM, _SEGMENT, _OUTPUT, _LINK = (
    table.c for table in (schema.system, schema.segment, schema.output, schema.output_system)
)


@dataclass(frozen=True)
class Added:
    """What was stored: systems with, for each, how many of their outputs are those of other systems; and from where
    on they count.
    """

    langs: str
    systems: Mapping[str, int]
    segments: int
    added_after: int


@dataclass(frozen=True)
class Late:
    """Systems that may be added, with the texts that are there; and what the checks say of the new ones."""

    pair: PairInfo
    texts: TestSet
    new: tuple[str, ...]
    report: CheckReport


def prepare(db: Database, campaign: str | None, langs: str | None, outputs: Mapping[str, Sequence[Given]]) -> Late:
    """Check the outputs of new systems, one for each segment in order, against the texts that are there.

    Parameters
    ----------
    langs
        The language pair; None: the only one.
    outputs
        From name to outputs. None among them: the system has nothing for that segment.
    """
    with db.read() as tx:
        info = find_campaign(tx, campaign)
        pair = _pair(tx, info, langs)
        there = testset_of(tx, pair)
    return late(pair, there, outputs)


def late(pair: PairInfo, there: TestSet, outputs: Mapping[str, Sequence[Given]]) -> Late:
    """`prepare` for texts that are known."""
    known = {name.casefold(): name for name in there.outputs}
    for name in outputs:
        if name.casefold() in known:
            raise InputError(
                f"system {name!r}: {pair.name} has {known[name.casefold()]!r} already; choose another name: outputs "
                "that people have seen are never replaced"
            )
    texts = _together(there, outputs, pair.name)
    report, new = check(texts), tuple(outputs)
    before = {(finding.check, finding.message) for finding in check(there).findings if finding.system is None}
    about = tuple(
        finding
        for finding in report.findings
        if finding.system in new or (finding.system is None and (finding.check, finding.message) not in before)
    )
    return Late(pair, texts, new, replace(report, findings=about))


def add_systems(db: Database, campaign: str | None, prepared: Late, *, by: int | None = None) -> Added:
    """Store systems that were prepared: all of it or nothing."""
    with db.begin() as tx:
        # Nobody stores an answer meanwhile: each is known to be before the new systems, or after them. The lock is the
        # first, so that nobody who waits for it holds what is needed here.
        if tx.dialect.name != "sqlite":
            tx.execute(sa.text("lock table judgment in share row exclusive mode"))
        info = find_campaign(tx, campaign)
        lock(tx, info.id)
        tx.execute(LOCK_PAIR, {"pair": prepared.pair.id})
        if sorted(_names(tx, prepared.pair.id)) != sorted(set(prepared.texts.outputs) - set(prepared.new)):
            raise InputError(f"{prepared.pair.name}: another system was added at this moment; add yours again")
        settings = settings_of(tx, info.id)
        after = int(tx.execute(sa.select(sa.func.coalesce(sa.func.max(schema.judgment.c.id), 0))).scalar_one())
        shared = _store(tx, prepared, settings, after)
        discard_all(tx, prepared.pair.id)
        pair = schema.language_pair
        unknown = {"least_compared": None, "compared_after": None}
        tx.execute(pair.update().where(pair.c.id == prepared.pair.id).values(unknown))
        names = list(prepared.new)
        journal.record(tx, db, info.id, "system-added", by=by, langs=prepared.pair.name, systems=names, after=after)
        return Added(prepared.pair.name, shared, len(prepared.texts), after)


def refuse_errors(prepared: Late, accepted: Sequence[str] = ()) -> None:
    """Refuse what a check found errors in, unless somebody accepts them."""
    blocking = prepared.report.blocking(accepted)
    if blocking:
        said = "; ".join(finding.text(5, prepared.report.places) for finding in blocking[:5])
        checks = ", ".join(dict.fromkeys(finding.check for finding in blocking))
        raise InputError(f"{counted(len(blocking), 'error')}, so nothing was stored: {said} (checks: {checks})")


def of_same_segments(there: TestSet, given: TestSet) -> dict[str, list[Given]]:
    """The outputs of a test set that has the segments of one that is there, in the same order."""
    if len(given) != len(there):
        raise InputError(
            f"{given.langs}: got {counted(len(given), 'segment')}, and the campaign has {len(there)}; give the same "
            "ones in the same order"
        )
    for number, (mine, theirs) in enumerate(zip(given.segments, there.segments, strict=True), 1):
        if mine.id != theirs.id or (given.has_sources and mine.source.strip() != theirs.source.strip()):
            raise InputError(
                f"{given.langs}: segment {number}: got id {mine.id!r} and {_short(mine.source)!r}, and the campaign "
                f"has {theirs.id!r} and {_short(theirs.source)!r}; give the same segments in the same order"
            )
    return {
        system: [
            None if (system, i) in given.missing else given.conversations.get((system, i), text)
            for i, text in enumerate(texts)
        ]
        for system, texts in given.outputs.items()
    }


def stored_texts(db: Database, campaign: str | None, langs: str | None) -> tuple[PairInfo, TestSet]:
    """A language pair (None: the only one) and its texts."""
    with db.read() as tx:
        pair = _pair(tx, find_campaign(tx, campaign), langs)
        return pair, testset_of(tx, pair)


def testset_of(tx: sa.Connection, pair: PairInfo) -> TestSet:
    """The texts of a language pair as they were brought."""
    rows = tx.execute(sa.select(schema.segment).where(_SEGMENT.language_pair_id == pair.id).order_by(_SEGMENT.position))
    segments, index = [], {}
    for number, row in enumerate(rows):
        turns = tuple((turn["role"], turn["content"]) for turn in row.turns or ())
        segments.append(Segment(row.name, row.document, row.source, row.reference, turns))
        index[row.id] = number
    query = (
        sa.select(_SYSTEM.name, _OUTPUT.segment_id, _OUTPUT.text, _OUTPUT.turns)
        .join_from(schema.output_system, schema.output, _LINK.output_id == _OUTPUT.id)
        .join(schema.system, _LINK.system_id == _SYSTEM.id)
        .where(_SYSTEM.language_pair_id == pair.id)
    )
    texts: dict[str, dict[int, str]] = {name: {} for name in _names(tx, pair.id)}
    conversations: dict[tuple[str, int], Turns] = {}
    for name, segment_id, text, turns in tx.execute(query):
        texts[name][index[segment_id]] = text
        if turns:
            conversations[name, index[segment_id]] = tuple((turn["role"], turn["content"]) for turn in turns)
    outputs = {name: [known.get(i, "") for i in range(len(segments))] for name, known in texts.items()}
    missing = [(name, i) for name, known in texts.items() for i in range(len(segments)) if i not in known]
    langs = LanguagePair.of(pair.name) if pair.source else LanguagePair(pair.source, pair.target)
    return replace(make(langs, segments, outputs, missing=missing, name=pair.name), conversations=conversations)


# -- inside ----------------------------------------------------------------------------------------------


def _pair(tx: sa.Connection, info: CampaignInfo, langs: str | None) -> PairInfo:
    pairs = language_pairs(tx, info.id)
    found = pairs if langs is None else [pair for pair in pairs if pair.name == langs]
    if len(found) == 1:
        return found[0]
    known = ", ".join(pair.name for pair in pairs)
    if langs is None:
        raise InputError(f"campaign {info.name!r} has several language pairs, say which: {known}")
    raise InputError(f"language pair: got {langs!r}; campaign {info.name!r} has: {known}")


def _names(tx: sa.Connection, pair_id: int) -> list[str]:
    return list(tx.scalars(sa.select(_SYSTEM.name).where(_SYSTEM.language_pair_id == pair_id).order_by(_SYSTEM.id)))


def _together(there: TestSet, outputs: Mapping[str, Sequence[Given]], name: str) -> TestSet:
    """The texts that are there and the new outputs, as one test set: its checks compare them."""
    if not outputs:
        raise InputError(f"{name}: got no new system; give at least one with its outputs")
    flat: dict[str, list[str]] = {}
    missing, conversations = set(there.missing), dict(there.conversations)
    for system, given in outputs.items():
        flat[system] = []
        for i, one in enumerate(given):
            if one is None:
                missing.add((system, i))
            elif not isinstance(one, str):
                conversations[system, i] = one
            flat[system].append("\n\n".join(text for _, text in one or ()) if not isinstance(one, str) else one)
        if len(given) == len(there) and all(one is None for one in given):
            raise InputError(f"{name}: system {system!r} has no output at all; give at least one")
    texts = make(there.langs, there.segments, {**there.outputs, **flat}, missing=missing, name=name)
    return replace(texts, conversations=conversations)


def _store(tx: sa.Connection, prepared: Late, settings: Settings, after: int) -> dict[str, int]:
    """Store systems, links to outputs that are theirs, and new outputs; how many of each system's are not new."""
    pair_id, texts = prepared.pair.id, prepared.texts
    ids = _store_systems(tx, pair_id, prepared.new, after)
    ordered = sa.select(_SEGMENT.id).where(_SEGMENT.language_pair_id == pair_id).order_by(_SEGMENT.position)
    segments = list(tx.scalars(ordered))
    known = _known_outputs(tx, pair_id, settings)
    shared = dict.fromkeys(prepared.new, 0)
    links: list[dict[str, int]] = []
    fresh: dict[tuple[int, Any], tuple[Any, list[str]]] = {}
    for system in prepared.new:
        for i, text in enumerate(texts.outputs[system]):
            if (system, i) in texts.missing:
                continue
            segment_id, said = segments[i], (text, texts.conversations.get((system, i), ()))
            place = segment_id, look_of(said, settings)
            if place in known:
                shared[system] += 1
                links.append({"output_id": known[place], "system_id": ids[system]})
            else:
                fresh.setdefault(place, (said, []))[1].append(system)
    links += _store_outputs(tx, fresh, ids)
    tx.execute(schema.output_system.insert(), links)
    return shared


def _store_systems(tx: sa.Connection, pair_id: int, names: Sequence[str], after: int) -> dict[str, int]:
    older = list(tx.scalars(sa.select(_SYSTEM.id).where(_SYSTEM.language_pair_id == pair_id)))
    rows = [{"language_pair_id": pair_id, "name": name, "designed": 0, "added_after": after} for name in names]
    insert = schema.system.insert().returning(_SYSTEM.id, sort_by_parameter_order=True)
    new = [int(key) for key in tx.scalars(insert, rows)]
    pairs = [*((a, b) for a in older for b in new), *combinations(sorted(new), 2)]
    tx.execute(schema.system_pair.insert(), [{"first_id": a, "second_id": b, "designed": 0} for a, b in pairs])
    return dict(zip(names, new, strict=True))


def _known_outputs(tx: sa.Connection, pair_id: int, settings: Settings) -> dict[tuple[int, Any], int]:
    """The outputs of systems that are there, by segment and by what a reader sees of them."""
    query = (
        sa.select(_OUTPUT.id, _OUTPUT.segment_id, _OUTPUT.text, _OUTPUT.turns)
        .join(schema.segment, _OUTPUT.segment_id == _SEGMENT.id)
        .where(_SEGMENT.language_pair_id == pair_id, _OUTPUT.kind == "system")
        .order_by(_OUTPUT.id.desc())
    )
    known = {}
    for row in tx.execute(query):
        turns = tuple((turn["role"], turn["content"]) for turn in row.turns or ())
        known[row.segment_id, look_of((row.text, turns), settings)] = int(row.id)
    return known


def _store_outputs(
    tx: sa.Connection, fresh: Mapping[tuple[int, Any], tuple[Any, list[str]]], ids: Mapping[str, int]
) -> list[dict[str, int]]:
    """Store new outputs, and count them to their segments; the links to their systems."""
    flat = [(segment_id, said, systems) for (segment_id, _), (said, systems) in fresh.items()]
    if not flat:
        return []
    # In no order of systems: an output's number must say nothing about where it came from.
    secrets.SystemRandom().shuffle(flat)
    insert = schema.output.insert().returning(_OUTPUT.id, sort_by_parameter_order=True)
    stored = [int(key) for key in tx.scalars(insert, [output_row(segment_id, said) for segment_id, said, _ in flat])]
    more = schema.segment.update().where(_SEGMENT.id == sa.bindparam("key")).values(outputs=_SEGMENT.outputs + 1)
    tx.execute(more, [{"key": segment_id} for segment_id, _, _ in flat])
    return [
        {"output_id": output_id, "system_id": ids[system]}
        for output_id, (_, _, systems) in zip(stored, flat, strict=True)
        for system in systems
    ]


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
