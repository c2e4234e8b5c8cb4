# ruff: noqa: RUF009 - a setting is a dataclass field with an explanation
"""The settings of a campaign: one TOML file with a schema version.

Every setting has a default, a range and a line of explanation; the file that ``palmares campaign settings`` prints
is made from them, and so is the check of a file that comes in.
"""

from __future__ import annotations

import json
import os
import tomllib
from dataclasses import Field, asdict, dataclass, field, fields
from datetime import UTC, datetime
from difflib import get_close_matches
from math import fsum
from pathlib import Path
from typing import Any

from ..design.choice import STRATEGIES
from ..errors import InputError
from ..ingest.source import has_half_character

#: The version of the file's layout; a file of another version is refused.
SCHEMA = 1
_DEEPEST = 20


def _setting(default: Any, explanation: str, least: float | None = None, most: float | None = None) -> Any:
    return field(default=default, metadata={"says": explanation, "least": least, "most": most})


@dataclass(frozen=True)
class ScreenSettings:
    outputs: int = _setting(5, "outputs ranked on one screen; 2 is a pairwise comparison", 2, 7)
    reference: bool = _setting(True, "show the reference translation, where there is one")
    context: int = _setting(1, "source sentences shown before and after, from the same document", 0, 10)


@dataclass(frozen=True)
class HitSettings:
    screens: int = _setting(3, "screens that a judge takes at a time", 1, 50)
    lease_minutes: float = _setting(60.0, "work that lies untouched for so long goes back to the pool", 0.1, 43200)


@dataclass(frozen=True)
class OverlapSettings:
    redundancy: int = _setting(1, "judges who see each screen", 1, 20)
    share: float = _setting(0.1, "share of the work that more judges see, to measure agreement", 0, 1)
    judges: int = _setting(2, "judges who see that share", 2, 20)


@dataclass(frozen=True)
class ControlSettings:
    repeats: float = _setting(0.05, "share of screens that a judge has answered before", 0, 0.5)
    repeat_after: int = _setting(10, "screens that a judge deals with before one comes back", 1, 1000)
    reference: float = _setting(0.0, "share of screens with the reference among the outputs", 0, 0.5)
    degraded: float = _setting(0.05, "share of screens with a damaged copy of one output", 0, 0.5)


@dataclass(frozen=True)
class ChoiceSettings:
    strategy: str = _setting("balanced", f"how segment and outputs of a screen are chosen: {', '.join(STRATEGIES)}")
    uniform_share: float = _setting(0.1, "share of screens chosen uniformly at random instead", 0, 1)


@dataclass(frozen=True)
class StopSettings:
    screens: int | None = _setting(None, "answered screens per language pair that are enough", 1)
    per_pair: int | None = _setting(None, "comparisons of every two systems that are enough", 1)
    until: datetime | None = _setting(None, "no new work after this moment (2026-12-31T18:00:00Z)")


@dataclass(frozen=True)
class JudgeSettings:
    screens: int = _setting(30, "screens asked of each judge; they may go on", 1)
    per_segment: int = _setting(1, "how often a judge may meet a segment, repeats apart", 1, 100)
    practice: bool = _setting(True, "begin with a practice screen, which does not count")


@dataclass(frozen=True)
class WordSettings:
    instructions: str = _setting("", "what judges read first (Markdown); empty: the built-in words")
    consent: str = _setting("", "what judges must agree to (Markdown); empty: the built-in words")


@dataclass(frozen=True)
class LimitSettings:
    writes_per_minute: int = _setting(240, "drafts and answers that one judge may send", 10)
    failed_joins_per_hour: int = _setting(30, "wrong invitation links that one address may try", 1)
    body_bytes: int = _setting(65536, "largest request", 4096, 16777216)


@dataclass(frozen=True)
class AccessSettings:
    invite_days: float = _setting(90.0, "how long an invitation link opens the door", 0.001, 3650)
    session_days: float = _setting(30.0, "how long a browser stays signed in", 0.001, 3650)


@dataclass(frozen=True)
class Settings:
    """Everything that an organiser decides about a campaign."""

    screen: ScreenSettings = field(default_factory=ScreenSettings)
    hit: HitSettings = field(default_factory=HitSettings)
    overlap: OverlapSettings = field(default_factory=OverlapSettings)
    controls: ControlSettings = field(default_factory=ControlSettings)
    choice: ChoiceSettings = field(default_factory=ChoiceSettings)
    stop: StopSettings = field(default_factory=StopSettings)
    judge: JudgeSettings = field(default_factory=JudgeSettings)
    words: WordSettings = field(default_factory=WordSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    access: AccessSettings = field(default_factory=AccessSettings)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Settings:
        """Read a settings file."""
        try:
            return cls.from_toml(Path(path).read_text(encoding="utf-8-sig"), str(path))
        except FileNotFoundError:
            raise InputError(f"{path}: no such file; 'palmares campaign settings' prints one to begin with") from None
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: cannot be read ({error})") from None

    @classmethod
    def from_toml(cls, text: str, name: str = "settings") -> Settings:
        """Check and build settings from the text of a file."""
        try:
            table = tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # also a list too deep, a number too long
            raise InputError(f"{name}: is not valid TOML ({error})") from None
        _check_sizes(table, name)
        version = table.pop("schema", None)
        if version is None or isinstance(version, bool) or version != SCHEMA:
            received = "none" if version is None else repr(version)
            raise InputError(
                f"{name}: schema version: got {received}; this version of palmares reads {SCHEMA}: "
                f"the file must begin with 'schema = {SCHEMA}'"
            )
        return cls.from_tables(table, name)

    @classmethod
    def from_tables(cls, tables: dict[str, Any], name: str = "settings") -> Settings:
        sections = {f.name: f.default_factory for f in fields(cls)}
        _check_known(tables, sections, f"{name}: section")
        made = {}
        for section, table in tables.items():
            if not isinstance(table, dict):
                raise InputError(
                    f"{name}: {section}: got {table!r}; it is a section: write [{section}] and its settings"
                )
            made[section] = _section(sections[section], table, f"{name}: {section}")
        settings = cls(**made)
        settings._check_together(name)
        return settings

    def to_toml(self, *, explained: bool = False) -> str:
        """The file that gives these settings."""
        lines = [f"schema = {SCHEMA}"]
        for section in fields(self):
            lines += ["", f"[{section.name}]"]
            values = getattr(self, section.name)
            for f in fields(values):
                lines += _line(f, getattr(values, f.name), explained)
        return "\n".join(lines) + "\n"

    def replace(self, **changes: Any) -> Settings:
        """Other settings: ``settings.replace(**{"screen.outputs": 3})``."""
        tables = {name: dict(table) for name, table in asdict(self).items()}
        for key, value in changes.items():
            section, _, name = key.partition(".")
            tables.setdefault(section, {})[name] = value
        given = {s: {k: v for k, v in table.items() if v is not None} for s, table in tables.items()}
        return Settings.from_tables(given)

    def _check_together(self, name: str) -> None:
        share = fsum((self.controls.repeats, self.controls.reference, self.controls.degraded))
        if share > 0.5:
            raise InputError(f"{name}: controls: got {share:g} in all; at most half of the screens can be")
        if self.controls.reference and self.screen.reference:
            raise InputError(
                f"{name}: controls.reference: got {self.controls.reference:g} with the reference shown to the judge, "
                "who would only have to compare; set screen.reference = false or controls.reference = 0"
            )
        if self.overlap.share and self.overlap.judges <= self.overlap.redundancy:
            raise InputError(
                f"{name}: overlap.judges: got {self.overlap.judges}, no more than overlap.redundancy "
                f"({self.overlap.redundancy}); raise it, or set overlap.share = 0"
            )
        try:
            STRATEGIES[self.choice.strategy]
        except InputError as error:
            raise InputError(f"{name}: choice.strategy: {error}") from None


def _line(f: Field[Any], value: Any, explained: bool) -> list[str]:
    lines = [f"# {f.metadata['says']}{_allowed(f)}"] if explained else []
    if value is None:
        return [*lines, f"# {f.name} ="] if explained else []
    return [*lines, f"{f.name} = {_toml(value)}"]


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, str):
        # A JSON string is a TOML string, but for one control character that JSON leaves as it is.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def _allowed(f: Field[Any]) -> str:
    least, most = f.metadata["least"], f.metadata["most"]
    if least is None:
        return ""
    return f" (at least {least:.9g})" if most is None else f" ({least:.9g} to {most:.9g})"


def _check_known(given: dict[str, Any], known: Any, what: str) -> None:
    for key in given:
        if key not in known:
            close = get_close_matches(key, known, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise InputError(f"{what}: got {key!r}; known: {', '.join(known)}{hint}")


def _section(kind: Any, table: dict[str, Any], where: str) -> Any:
    known = {f.name: f for f in fields(kind)}
    _check_known(table, known, where)
    return kind(**{key: _value(known[key], value, f"{where}.{key}") for key, value in table.items()})


def _value(f: Field[Any], value: Any, where: str) -> Any:
    """The value in its type and range, or a refusal that names both."""
    wanted = str(f.type).removesuffix(" | None")
    kinds: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "bool": (bool,), "str": (str,)}
    fits = isinstance(value, kinds.get(wanted, (datetime,))) and (wanted == "bool" or not isinstance(value, bool))
    words = {"int": "a whole number", "float": "a number", "bool": "true or false", "str": "a text in quotes"}
    if not fits:
        word = words.get(wanted, "a moment such as 2026-12-31T18:00:00Z, without quotes")
        raise InputError(f"{where}: got {value!r}; allowed: {word}{_allowed(f)}")
    if isinstance(value, datetime):
        return _universal(value, where)
    if isinstance(value, str) and has_half_character(value):
        raise InputError(f"{where}: got half a character, which no file stores; write plain text")
    least, most = f.metadata["least"], f.metadata["most"]
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not ((least is None or value >= least) and (most is None or value <= most)):
            raise InputError(f"{where}: got {value}; allowed: {words[wanted]}{_allowed(f)}")
        return float(value) if wanted == "float" else value
    return value


def _check_sizes(table: dict[str, Any], name: str) -> None:
    """Refuse what Python reads but does not print: numbers beyond TOML's 64 bits, tables in tables without end."""
    parts: list[Any] = [table]
    for _ in range(_DEEPEST):
        inside = [part.values() if isinstance(part, dict) else part for part in parts if isinstance(part, dict | list)]
        parts = [part for several in inside for part in several]
        longest = max((part.bit_length() for part in parts if isinstance(part, int)), default=0)
        if longest > 63:
            raise InputError(f"{name}: got a number of {longest} bits; allowed: up to 63 and a sign")
    if parts:
        raise InputError(f"{name}: got tables more than {_DEEPEST} deep; allowed: sections with settings in them")


def _universal(moment: datetime, where: str) -> datetime:
    try:
        return (moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment).astimezone(UTC)
    except OverflowError:
        raise InputError(f"{where}: got {moment}; allowed: a moment of the years 1 to 9999 in universal time") from None
