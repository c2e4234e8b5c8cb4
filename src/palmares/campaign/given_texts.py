"""Campaigns, language pairs and systems as programs send them: read, checked by line, and stored as all others are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ..errors import InputError
from ..texts.checks.base import CheckReport, check
from ..texts.conversations import Pictures, only_text, turns_of
from ..texts.reading import read_content
from ..texts.testset import TestSet
from . import schema
from .clients import Client, Scope, add_client_in
from .create import PROMPT_SETTINGS, add_pairs, checked_campaign_name, create_in, holds_prompts
from .database import Database
from .definition import find_campaign, settings_of
from .late_systems import Added, Given, add_systems, prepare
from .refusals import CampaignError
from .settings import Settings, kind_of

#: Of many findings, so many are told.
_MOST = 50


@dataclass(frozen=True)
class GivenTexts:
    """The content of one file of texts, or (``segments``) one object for each of its segments, as in JSON Lines."""

    langs: str | None = None
    format: str = "auto"
    content: str | None = None
    segments: Sequence[Mapping[str, Any]] | None = None


class TextsRefused(CampaignError):  # noqa: N818 - named for what became of them
    """Texts in which a check found errors; ``findings`` are sentences, each with its lines."""

    kind = "texts"
    status = 422

    def __init__(self, findings: list[str], checks: list[str]) -> None:
        self.findings, self.checks = findings, checks
        super().__init__(
            "the texts have errors, so nothing was stored; fix them, or accept these checks: " + ", ".join(checks)
        )


class Outdated(CampaignError):  # noqa: N818
    """Settings that were made from others than those in force."""

    kind = "conflict"
    status = 409

    def __init__(self, given: int, now: int) -> None:
        super().__init__(f"revision: got {given}, and the settings in force are revision {now}; read them again")


def create_for(
    db: Database,
    client: Client,
    name: str,
    settings: Mapping[str, Any],
    texts: Iterable[GivenTexts],
    accept: Sequence[str] = (),
) -> tuple[str, list[str]]:
    """Make a campaign for a program: the token by which it manages the campaign, and what the checks remarked."""
    checked_campaign_name(name)
    _refuse_known(db, name)
    changes = flat(settings)
    chosen = Settings().replace(**changes)  # before the texts, so that a wrong setting is noticed at once
    testsets = [testset for number, given in enumerate(texts) for testset in read(given, f"texts[{number}]")]
    if testsets and holds_prompts(testsets):
        chosen = Settings().replace(**{**PROMPT_SETTINGS, **changes})
    remarks = checked(map(check, testsets), accept)
    with db.begin() as tx:
        create_in(tx, db, name, chosen, testsets, token=client.id)
        _, token = add_client_in(tx, db, find_campaign(tx, name), client.name, Scope.MANAGE)
    return token, remarks


def add_pairs_for(
    db: Database, campaign: str, texts: Iterable[GivenTexts], accept: Sequence[str], by: int
) -> tuple[list[str], list[str]]:
    """Add language pairs: their names, and what the checks remarked."""
    testsets = [testset for number, given in enumerate(texts) for testset in read(given, f"texts[{number}]")]
    if not testsets:
        raise InputError("texts: got none; give at least one language pair")
    remarks = checked(map(check, testsets), accept)
    add_pairs(db, campaign, testsets, by=by)
    return [str(testset.langs) for testset in testsets], remarks


def add_systems_for(
    db: Database, campaign: str, langs: str | None, systems: Mapping[str, Sequence[Any]], accept: Sequence[str], by: int
) -> tuple[Added, list[str]]:
    """Add systems late: what was stored, and what the checks remarked."""
    given = {name: [_output(value, name, line) for line, value in enumerate(outputs, 1)]
             for name, outputs in systems.items()}  # fmt: skip
    prepared = prepare(db, campaign, langs, given)
    remarks = checked([prepared.report], accept)
    return add_systems(db, campaign, prepared, by=by), remarks


def read(given: GivenTexts, name: str) -> tuple[TestSet, ...]:
    """The test sets of what was sent; ``name`` is what messages call it."""
    if (given.content is None) == (given.segments is None):
        raise InputError(f"{name}: give either content, the text of a file, or segments, a list of objects")
    if given.segments is None:
        return read_content(given.content or "", name=name, langs=given.langs, format=given.format)
    if given.format not in ("auto", "jsonl"):
        raise InputError(f"{name}: format: got {given.format!r} beside segments, which are those of JSON Lines")
    lines = "\n".join(json.dumps(segment) for segment in given.segments)
    return read_content(lines, name=name, langs=given.langs, format="jsonl")


def checked(reports: Iterable[CheckReport], accept: Sequence[str]) -> list[str]:
    """What checks remarked, a sentence each; errors that nobody has accepted are refused."""
    reports = list(reports)
    said = [line for report in reports for line in report.lines()]
    blocking = [finding for report in reports for finding in report.blocking(accept)]
    if blocking:
        raise TextsRefused(said[:_MOST], list(dict.fromkeys(finding.check for finding in blocking)))
    return said[:_MOST]


def flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by their full names, from ``{"judge.screens": 50}`` or ``{"judge": {"screens": 50}}``.

    JSON knows no moments, and one number where TOML has two kinds: texts become moments, and whole numbers others,
    where a setting is one.
    """
    named: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, Mapping):
            named.update({f"{key}.{name}": inner for name, inner in value.items()})
        else:
            named[key] = value
    return {key: _typed(key, value) for key, value in named.items()}


def change_for(
    settings_now: Settings, now: int, given_revision: int, changes: Mapping[str, Any] | None, toml: str | None
) -> Settings:
    """The settings that a program wants, made from those in force."""
    if given_revision != now:
        raise Outdated(given_revision, now)
    if (changes is None) == (toml is None):
        raise InputError("give either settings, which change some of those in force, or toml, which replaces all")
    return Settings.from_toml(toml) if toml is not None else settings_now.replace(**flat(changes or {}))


def settings_now(db: Database, campaign: str) -> tuple[int, Settings]:
    """The revision in force and its settings."""
    with db.read() as tx:
        info = find_campaign(tx, campaign)
        query = sa.select(sa.func.max(schema.setting.c.revision)).where(schema.setting.c.campaign_id == info.id)
        return int(tx.execute(query).scalar_one()), settings_of(tx, info.id)


# -- inside ----------------------------------------------------------------------------------------------


def _typed(key: str, value: Any) -> Any:
    kind = kind_of(key)
    if kind is datetime and isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            return value  # whoever checks says what is allowed
    return value


def _output(value: Any, system: str, line: int) -> Given:
    if value is None or isinstance(value, str):
        return None if value is None else value.replace("\r\n", "\n")
    text, turns = only_text(turns_of(value, f"system {system!r}: line {line}", Pictures()))
    return turns or text


def _refuse_known(db: Database, name: str) -> None:
    """Refuse the name of a campaign before its texts are looked at; whoever stores it looks again."""
    with db.read() as tx:
        known = sa.select(schema.campaign.c.id).where(schema.campaign.c.name == name)
        if tx.execute(known).first() is not None:
            raise InputError(f"campaign {name!r} is there already; choose another name, or add language pairs to it")
