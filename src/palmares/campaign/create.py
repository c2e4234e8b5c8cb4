"""Make a campaign of test sets that have been read and checked."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import sqlalchemy as sa

from ..errors import InputError
from ..texts.conversations import Turns
from ..texts.testset import TestSet
from . import Role, journal, schema
from .database import Database
from .definition import CAMPAIGN_NAME, check_references, check_rule, find_campaign, lock, settings_of, store_settings
from .images import check_markup, store_images
from .people import add_in
from .settings import Settings

#: What suits prompts and answers, unless the organiser says otherwise: two answers side by side, set as Markdown, each
#: prompt on its own; no damaged copies, since a cut through Markdown or a conversation is seen at once.
PROMPT_SETTINGS: dict[str, Any] = {
    "task.vocabulary": "prompt",
    "task.markup": "markdown",
    "screen.outputs": 2,
    "screen.context": 0,
    "controls.degraded": 0.0,
}
#: What a system said: the text, and its turns if it is a conversation.
Said = tuple[str, Turns]


def create_campaign(db: Database, name: str, settings: Settings, testsets: Iterable[TestSet]) -> int:
    """Store a new campaign, all of it or nothing; return its id."""
    given = list(testsets)
    checked_campaign_name(name)
    with db.begin() as tx:
        return create_in(tx, db, name, settings, given)


def create_in(
    tx: sa.Connection,
    db: Database,
    name: str,
    settings: Settings,
    testsets: Iterable[TestSet],
    *,
    organiser: str | None = None,
    **about: Any,
) -> int:
    """`create_campaign` in a transaction of the caller's; ``about`` is what else the log says of it.

    ``organiser`` is the name of who makes it, and becomes its organiser; None: nobody does, as on the command line.
    """
    given = list(testsets)
    checked_campaign_name(name)
    if not given:
        raise InputError(f"campaign {name!r}: got no texts; a campaign needs at least one language pair")
    campaign_id = _store_campaign(tx, db, name)
    store_settings(tx, db, campaign_id, settings)
    by = None
    if organiser is not None:
        by = add_in(tx, db, find_campaign(tx, name), Role.ORGANISER, organiser).id
    journal.record(tx, db, campaign_id, "campaign-created", by=by, name=name, **about)
    _store(tx, db, campaign_id, settings, given, by=by)
    return campaign_id


def checked_campaign_name(name: str) -> str:
    """A name that a campaign may have; others are refused."""
    if not CAMPAIGN_NAME.fullmatch(name):
        raise InputError(
            f"campaign name: got {name!r}; allowed: up to 63 of a-z, 0-9 and '-', beginning with a letter or digit "
            "(it becomes part of the address)"
        )
    return name


def holds_prompts(testsets: Iterable[TestSet]) -> bool:
    """Whether texts are prompts and answers, none of them a language pair: `PROMPT_SETTINGS` suit them."""
    return not any(testset.langs.is_pair for testset in testsets)


def add_pairs(db: Database, name: str, testsets: Iterable[TestSet], *, by: int | None = None) -> None:
    """Add language pairs to a campaign."""
    with db.begin() as tx:
        add_pairs_in(tx, db, name, testsets, by=by)


def add_pairs_in(
    tx: sa.Connection, db: Database, name: str, testsets: Iterable[TestSet], *, by: int | None = None
) -> None:
    """`add_pairs` in a transaction of the caller's."""
    info = find_campaign(tx, name)
    lock(tx, info.id)
    _store(tx, db, info.id, settings_of(tx, info.id), testsets, by=by)


def _store_campaign(tx: sa.Connection, db: Database, name: str) -> int:
    values = {"name": name, "state": "open", "secret": secrets.token_hex(32), "created_at": db.clock()}
    try:
        return int(tx.execute(schema.campaign.insert().values(values).returning(schema.campaign.c.id)).scalar_one())
    except sa.exc.IntegrityError:
        raise InputError(
            f"campaign {name!r} is in {db.name} already; choose another name, or add language pairs to it "
            f"with 'palmares campaign add {name}'"
        ) from None


def _store(
    tx: sa.Connection,
    db: Database,
    campaign_id: int,
    settings: Settings,
    testsets: Iterable[TestSet],
    by: int | None = None,
) -> None:
    for testset in testsets:
        _check(tx, campaign_id, settings, testset)
        pair_id = _store_pair(tx, campaign_id, testset)
        journal.record(
            tx,
            db,
            campaign_id,
            "pair-added",
            by=by,
            langs=str(testset.langs),
            segments=len(testset.segments),
            systems=len(testset.outputs),
        )
        _store_texts(tx, pair_id, testset, settings)
        store_images(tx, campaign_id, testset)


def _check(tx: sa.Connection, campaign_id: int, settings: Settings, testset: TestSet) -> None:
    pair = schema.language_pair.c
    langs = str(testset.langs)
    if tx.execute(sa.select(pair.id).where(pair.campaign_id == campaign_id, pair.name == langs)).first():
        raise InputError(f"language pair {langs} is in the campaign already; each is given once, with all its systems")
    check_testset(settings, testset)


def check_testset(settings: Settings, testset: TestSet) -> None:
    """Refuse texts with nothing to compare, and settings that do not go with them."""
    langs = str(testset.langs)
    if len(testset.outputs) < 2:
        raise InputError(f"{langs}: got {len(testset.outputs)} system; a comparison needs at least 2")
    different = different_outputs(testset, settings)
    if not any(len(texts) > 1 for texts in different):
        raise InputError(f"{langs}: all systems give the same output on every line; there is nothing to compare")
    check_references(settings, langs, any(segment.reference for segment in testset.segments))
    check_rule(settings, langs, len(testset.outputs))
    check_markup(settings, langs, testset)
    if settings.stop.per_pair is not None:
        _check_meetings(settings.stop.per_pair, langs, testset, different)


def _check_meetings(per_pair: int, langs: str, testset: TestSet, different: list[dict[Said, list[str]]]) -> None:
    """Refuse to wait for comparisons of systems that have no segment in common."""
    there = ([system for systems in texts.values() for system in systems] for texts in different)
    met = {frozenset(both) for systems in there for both in combinations(systems, 2)}
    for a, b in combinations(testset.systems, 2):
        if frozenset((a, b)) not in met:
            raise InputError(
                f"{langs}: stop.per_pair: got {per_pair}, but {a} and {b} have no segment in common, so that it could "
                "never be reached; set stop.screens instead"
            )


def different_outputs(testset: TestSet, settings: Settings) -> list[dict[Said, list[str]]]:
    """Per segment its different outputs, and the systems that gave each; one that is missing was given by nobody.

    Outputs that look the same are one, unless spacing matters: it is shown as the first of them has it.
    """
    by_look: list[dict[Said, tuple[Said, list[str]]]] = [{} for _ in testset.segments]
    for system, outputs in testset.outputs.items():
        for i, text in enumerate(outputs):
            if (system, i) not in testset.missing:
                said = (text, testset.conversations.get((system, i), ()))
                by_look[i].setdefault(look_of(said, settings), (said, []))[1].append(system)
    return [dict(several.values()) for several in by_look]


def look_of(said: Said, settings: Settings) -> Said:
    """What a reader sees of an output, if white space does not matter."""
    if settings.screen.spacing:
        return said
    seen = _without_spacing if settings.task.markup == "plain" else _without_idle_spacing
    text, turns = said
    return seen(text), tuple((role, seen(content)) for role, content in turns)


def _without_spacing(text: str) -> str:
    return " ".join(text.split())


def _without_idle_spacing(text: str) -> str:
    """Markdown without white space that changes nothing: two blanks at the end of a line do, and four before it."""
    lines = [
        f"{line.rstrip()}  " if line.endswith("  ") and line.strip() else line.rstrip() for line in text.split("\n")
    ]
    return "\n".join(lines).strip("\n").rstrip()


def shown_as_another(testset: TestSet, settings: Settings) -> int:
    """How many outputs differ from another in white space alone, and are shown as that one."""
    exact = settings.replace(**{"screen.spacing": True})
    return sum(
        len(several) - len(looks)
        for several, looks in zip(different_outputs(testset, exact), different_outputs(testset, settings), strict=True)
    )


def _store_pair(tx: sa.Connection, campaign_id: int, testset: TestSet) -> int:
    langs = testset.langs
    values = {"campaign_id": campaign_id, "source": langs.source, "target": langs.target, "name": str(langs)}
    insert = schema.language_pair.insert().values(values).returning(schema.language_pair.c.id)
    return int(tx.execute(insert).scalar_one())


def _store_texts(tx: sa.Connection, pair_id: int, testset: TestSet, settings: Settings) -> None:
    """Segments and outputs; an output that several systems share is stored once."""
    system_ids = _store_systems(tx, pair_id, testset)
    behind = different_outputs(testset, settings)
    segments: list[dict[str, object]] = [
        {
            "language_pair_id": pair_id,
            "position": position,
            "name": s.id,
            "document": s.document,
            "source": s.source,
            "turns": _stored(s.turns),
            "reference": s.reference,
            "designed": 0,
            "outputs": len(behind[position]),
        }
        for position, s in enumerate(testset.segments)
    ]
    segment_ids = _insert(tx, schema.segment, segments)
    flat = [
        (sid, said, systems) for sid, texts in zip(segment_ids, behind, strict=True) for said, systems in texts.items()
    ]
    # Stored in no order of systems: an output's number must say nothing about where it came from.
    secrets.SystemRandom().shuffle(flat)
    outputs = [output_row(sid, said) for sid, said, _ in flat]
    output_ids = _insert(tx, schema.output, outputs)
    links = [
        {"output_id": output_id, "system_id": system_ids[system]}
        for output_id, (_, _, systems) in zip(output_ids, flat, strict=True)
        for system in systems
    ]
    tx.execute(schema.output_system.insert(), links)


def output_row(segment_id: int, said: Said) -> dict[str, object]:
    """An output of a system, to be stored."""
    text, turns = said
    return {"segment_id": segment_id, "kind": "system", "text": text, "turns": _stored(turns)}


def _stored(turns: Turns) -> list[dict[str, str]] | None:
    return [{"role": role, "content": content} for role, content in turns] or None


def _store_systems(tx: sa.Connection, pair_id: int, testset: TestSet) -> dict[str, int]:
    rows: list[dict[str, object]] = [{"language_pair_id": pair_id, "name": n, "designed": 0} for n in testset.outputs]
    ids = _insert(tx, schema.system, rows)
    pairs = [{"first_id": a, "second_id": b, "designed": 0} for a, b in combinations(sorted(ids), 2)]
    tx.execute(schema.system_pair.insert(), pairs)
    return dict(zip(testset.outputs, ids, strict=True))


def _insert(tx: sa.Connection, table: sa.Table, rows: list[dict[str, object]]) -> list[int]:
    """Insert rows and return their ids in the same order."""
    statement = table.insert().returning(table.c.id, sort_by_parameter_order=True)
    return [int(key) for key in tx.scalars(statement, rows)]
