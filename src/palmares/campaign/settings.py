"""The settings of a campaign: one TOML file with a schema version.

Every setting is declared once, with its type, default, range and a line of explanation. The check of a file that comes
in, the file that ``palmares campaign settings`` prints and the documentation follow from these declarations.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from math import fsum
from pathlib import Path
from typing import Annotated, Any, Self

import tomlkit
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..design.next import STRATEGIES
from ..design.next.drawing import UNTAUGHT
from ..design.stopping import StoppingRule
from ..errors import InputError
from ..ingest.source import has_half_character
from . import LONGEST_DAYS
from .setting_checks import address_with_code, parameter_name, plain_code, target_of
from .setting_refusals import (
    Misfit,
    MisfitError,
    OneOf,
    SettingsError,
    check_sizes,
    fields_of,
    kind_of_field,
    one_of,
    problems_of,
    range_of,
)

#: The version of the file's layout; a file of another version is refused.
SCHEMA = 1
#: Bytes; a request that is no longer is allowed whatever the settings.
SMALLEST_BODY_LIMIT = 4096


def _whole_characters(text: str) -> str:
    if has_half_character(text):
        raise ValueError("got half a character, which no file stores; write plain text")
    return text


def _universal(moment: datetime | None) -> datetime | None:
    if moment is None:
        return None
    try:
        return (moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment).astimezone(UTC)
    except OverflowError:
        raise ValueError(f"got {moment}; allowed: a moment of the years 1 to 9999 in universal time") from None


def _known_strategy(name: str) -> str:
    STRATEGIES[name]
    return name


Text = Annotated[str, AfterValidator(_whole_characters)]
TargetText = Annotated[str, AfterValidator(target_of)]
Moment = Annotated[datetime | None, AfterValidator(_universal)]
Parameter = Annotated[str, AfterValidator(parameter_name)]
Code = Annotated[str, AfterValidator(plain_code)]
AddressWithCode = Annotated[str, AfterValidator(address_with_code)]


class _Section(BaseModel):
    """Settings that belong together: frozen, no others than those declared, no guessing of types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class TaskSettings(_Section):
    question: Text = Field(
        default="", description="what judges are asked, above every screen; empty: the built-in words"
    )
    vocabulary: Annotated[str, one_of("translation", "prompt")] = Field(
        default="translation",
        description="what texts are called: translation (source, outputs), prompt (prompt, answers)",
    )
    markup: Annotated[str, one_of("plain", "markdown")] = Field(
        default="plain", description="how texts are shown: plain (as they are), markdown (set as Markdown)"
    )


class ScreenSettings(_Section):
    outputs: int = Field(default=5, ge=2, le=7, description="outputs ranked on one screen; 2 is a pairwise comparison")
    reference: bool = Field(default=True, description="show the reference translation, where there is one")
    context: int = Field(
        default=1, ge=0, le=10, description="source sentences shown before and after, from the same document"
    )
    both_bad: bool = Field(default=False, description="where two are compared, offer 'both are bad' beside the tie")
    one_step: bool = Field(
        default=False, description="where two are compared, one key or tap submits the answer, which can be undone"
    )
    spacing: bool = Field(
        default=False, description="outputs that differ in white space alone are different, and the difference is shown"
    )


class HitSettings(_Section):
    screens: int = Field(default=3, ge=1, le=50, description="screens that a judge takes at a time")
    lease_minutes: float = Field(
        default=60.0, ge=0.1, le=43200, description="minutes without activity after which work goes back to the pool"
    )
    ahead_minutes: float = Field(
        default=10.0, ge=0, le=43200, description="minutes that work may be designed ahead of demand; 0: never"
    )


class OverlapSettings(_Section):
    redundancy: int = Field(default=1, ge=1, le=20, description="judges who see each screen")
    share: float = Field(
        default=0.1, ge=0, le=1, description="share of the work that more judges see, to measure agreement"
    )
    judges: int = Field(default=2, ge=2, le=20, description="judges who see that share")


class ControlSettings(_Section):
    repeats: float = Field(
        default=0.05, ge=0, le=0.5, description="share of screens that are shown to the same judge a second time"
    )
    repeat_after: int = Field(
        default=10, ge=1, le=1000, description="screens that a judge answers or skips before one is shown again"
    )
    reference: float = Field(
        default=0.0, ge=0, le=0.5, description="share of screens with the reference among the outputs"
    )
    degraded: float = Field(
        default=0.05, ge=0, le=0.5, description="share of screens with a damaged copy of one output"
    )


class ChoiceSettings(_Section):
    strategy: Annotated[str, OneOf(STRATEGIES, _known_strategy)] = Field(
        default="balanced", description=f"how segment and outputs of a screen are chosen: {', '.join(STRATEGIES)}"
    )
    uniform_share: float = Field(
        default=0.1, ge=0, le=1, description="share of screens chosen uniformly at random instead"
    )
    lag: int = Field(
        default=100,
        ge=1,
        le=100000,
        description="answers that may come after what a learning strategy knows; if more have, screens are balanced",
    )

    @property
    def learns(self) -> bool:
        """Whether the strategy chooses by what answers said."""
        return self.strategy not in UNTAUGHT


class StopSettings(_Section):
    screens: int | None = Field(
        default=None, ge=1, description="stop after this many answered screens per language pair"
    )
    per_pair: int | None = Field(default=None, ge=1, description="stop once every two systems were compared this often")
    until: Moment = Field(default=None, description="no new work after this moment (2026-12-31T18:00:00Z)")
    rule: TargetText = Field(
        default="",
        description="stop once the ranking shows this: clusters=5, pairs=0.8, widest=3 or best; empty: never",
    )
    p: float = Field(default=0.05, ge=0.001, le=0.2, description="chance that anything stop.rule was shown is wrong")

    @property
    def limits(self) -> StoppingRule:
        """What only has to be counted."""
        return StoppingRule(self.screens, self.per_pair)

    @property
    def is_open(self) -> bool:
        """Whether only time stops."""
        return self.limits.is_open and not self.rule


class JudgeSettings(_Section):
    screens: int = Field(default=30, ge=1, description="screens asked of each judge, who may do more")
    most: int | None = Field(default=None, ge=1, description="screens that a judge may do at most")
    per_segment: int = Field(
        default=1, ge=1, le=100, description="how often a judge may see a segment, not counting repeats"
    )
    practice: bool = Field(default=True, description="begin with a practice screen, which does not count")


class WordSettings(_Section):
    instructions: Text = Field(default="", description="instructions for judges (Markdown); empty: the built-in text")
    consent: Text = Field(default="", description="what judges must agree to (Markdown); empty: the built-in text")


class LimitSettings(_Section):
    writes_per_minute: int = Field(default=240, ge=10, description="drafts and answers that one judge may send")
    failed_joins_per_hour: int = Field(
        default=30, ge=1, description="invalid invitation links that one address may try"
    )
    body_bytes: int = Field(default=65536, ge=SMALLEST_BODY_LIMIT, le=16777216, description="largest request, in bytes")


class AccessSettings(_Section):
    invite_days: float = Field(default=90.0, ge=0.001, le=LONGEST_DAYS, description="how long an invitation link works")
    session_days: float = Field(
        default=30.0, ge=0.001, le=LONGEST_DAYS, description="how long a browser stays signed in"
    )


class CrowdSettings(_Section):
    worker_parameter: Parameter = Field(
        default="PROLIFIC_PID", description="parameter of the address that holds a worker's id"
    )
    study_parameter: Parameter = Field(default="STUDY_ID", description="parameter that holds the id of the study")
    session_parameter: Parameter = Field(default="SESSION_ID", description="parameter that holds the worker's session")
    worker_id_needed: bool = Field(
        default=True, description="refuse people who come by a group link without a worker's id"
    )
    minutes: int | None = Field(default=None, ge=1, le=10080, description="minutes that judges are told to expect")
    pay: Text = Field(default="", description="what judges are told about their pay, in a line; empty: nothing")
    contact: Text = Field(default="", description="whom judges can ask, in a line; empty: nothing")
    completion_code: Code = Field(
        default="", description="code shown to workers at the end; empty: one of its own for every worker"
    )
    completion_url: AddressWithCode = Field(
        default="", description="where workers go at the end, https with {code} in it; empty: they copy the code"
    )
    screen_out_after: int = Field(
        default=0, ge=0, le=1000, description="failed controls after which a worker is screened out; 0: never"
    )
    screened_out_code: Code = Field(default="", description="code shown to workers who are screened out; empty: none")
    screened_out_url: AddressWithCode = Field(
        default="", description="where workers go who are screened out, https with {code} in it; empty: nowhere"
    )
    return_minutes: float = Field(
        default=60.0, ge=1, le=43200, description="minutes without activity after which a worker's place is free again"
    )

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        names = (self.worker_parameter, self.study_parameter, self.session_parameter)
        if len(set(names)) < len(names):
            raise ValueError(f"got the parameters {', '.join(names)}; each id needs a parameter of its own")
        if self.screened_out_url and not self.screened_out_code:
            raise ValueError("got screened_out_url without screened_out_code; set the code that goes into the address")
        return self


class ResultSettings(_Section):
    live: bool = Field(default=True, description="keep the page of results up to date while people judge")
    names: Annotated[str, one_of("shown", "hidden")] = Field(
        default="shown",
        description="names of systems before observers: shown, or hidden until an organiser reveals them",
    )


class Settings(_Section):
    """Everything that an organiser decides about a campaign."""

    task: TaskSettings = TaskSettings()
    screen: ScreenSettings = ScreenSettings()
    hit: HitSettings = HitSettings()
    overlap: OverlapSettings = OverlapSettings()
    controls: ControlSettings = ControlSettings()
    choice: ChoiceSettings = ChoiceSettings()
    stop: StopSettings = StopSettings()
    judge: JudgeSettings = JudgeSettings()
    words: WordSettings = WordSettings()
    limits: LimitSettings = LimitSettings()
    access: AccessSettings = AccessSettings()
    crowd: CrowdSettings = CrowdSettings()
    results: ResultSettings = ResultSettings()

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
        check_sizes(table, name)
        version = table.pop("schema", None)
        if version is None or isinstance(version, bool) or version != SCHEMA:
            received = "none" if version is None else repr(version)
            raise InputError(
                f"{name}: schema version: got {received}; this version of palmares reads {SCHEMA}: "
                f"the file must begin with 'schema = {SCHEMA}'"
            )
        return cls.from_tables(table, name)

    @classmethod
    def from_tables(cls, tables: Mapping[str, Any], name: str = "settings") -> Settings:
        """Check and build settings from tables of values, one a section; a refusal names all that is wrong."""
        try:
            return cls.model_validate(tables)
        except ValidationError as error:
            raise SettingsError(name, problems_of(cls, tables, error)) from None

    def to_toml(self, *, explained: bool = False) -> str:
        """The file that gives these settings; ``explained`` puts a comment before each, and names those not set."""
        document = tomlkit.document()
        document.add("schema", tomlkit.item(SCHEMA))
        for section, values in self:
            table = tomlkit.table()
            for name, field in type(values).model_fields.items():
                value = getattr(values, name)
                if explained:
                    table.add(tomlkit.comment(f"{field.description}{range_of(field)}"))
                if value is not None:
                    table.add(name, value)
                elif explained:
                    table.add(tomlkit.comment(f"{name} ="))
            document.add(tomlkit.nl())
            document.add(section, table)
        return tomlkit.dumps(document)

    def replace(self, **changes: Any) -> Settings:
        """Other settings: ``settings.replace(**{"screen.outputs": 3})``; None goes back to the default."""
        tables = self.model_dump()
        for key, value in changes.items():
            section, _, name = key.partition(".")
            tables.setdefault(section, {})[name] = value
        given = {s: {k: v for k, v in table.items() if v is not None} for s, table in tables.items()}
        return Settings.from_tables(given)

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        found = tuple(self._misfits())
        if found:
            raise MisfitError(found)
        return self

    def _misfits(self) -> Iterator[Misfit]:
        """What is allowed by itself and not together; each names the settings that take part."""
        controls, judge, overlap = self.controls, self.judge, self.overlap
        share = fsum((controls.repeats, controls.reference, controls.degraded))
        if share > 0.5:
            yield Misfit(
                ("controls", "controls.repeats", "controls.reference", "controls.degraded"),
                f"got {share:g} in all; at most half of the screens can be controls",
            )
        if controls.reference and self.screen.reference:
            yield Misfit(
                ("controls.reference", "screen.reference"),
                f"got {controls.reference:g} with the reference shown to the judge, "
                "who would only have to compare; set screen.reference = false or controls.reference = 0",
            )
        if judge.most is not None and judge.most < judge.screens:
            yield Misfit(
                ("judge.most", "judge.screens"),
                f"got {judge.most}, fewer than judge.screens ({judge.screens}) asks for; "
                "raise it, or lower judge.screens",
            )
        if self.choice.learns and not self.choice.uniform_share:
            yield Misfit(
                ("choice.uniform_share", "choice.strategy"),
                f"got 0 with the strategy {self.choice.strategy}, which never shows some comparisons: nobody could "
                "weight them back; set at least 0.01, or a strategy that does not learn",
            )
        if overlap.share and overlap.judges <= overlap.redundancy:
            yield Misfit(
                ("overlap.judges", "overlap.redundancy", "overlap.share"),
                f"got {overlap.judges}, no more than overlap.redundancy ({overlap.redundancy}); "
                "raise it, or set overlap.share = 0",
            )


def kind_of(key: str) -> type | None:
    """The type of a setting's values (int for ``"screen.outputs"``), None apart; None if there is no such setting."""
    section, _, name = key.partition(".")
    if section not in Settings.model_fields or name not in fields_of(Settings, section):
        return None
    return kind_of_field(fields_of(Settings, section)[name])
