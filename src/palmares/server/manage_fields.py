"""The settings as fields of a form, made from their declarations: what is shown, and what a form says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from pydantic.fields import FieldInfo
from starlette.datastructures import FormData

from ..campaign.answers import storable
from ..campaign.setting_refusals import Problem, choices_of, fields_of, kind_of_field, range_of
from ..campaign.settings import Settings

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
#: In a form nothing stands in quotes.
_IN_A_FILE = (", without quotes", " in quotes")


@dataclass(frozen=True)
class Field:
    """One setting: ``shape`` is ``switch``, ``choice``, ``number``, ``moment`` or ``text``; ``value`` as it is written.

    ``says`` explains it, ``optional`` may be left empty, and ``problems`` are why what was entered cannot be used.
    """

    key: str
    shape: str
    value: str
    says: str
    optional: bool
    choices: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Where a link leads."""
        return f"setting-{self.key.replace('.', '-')}"

    @property
    def name(self) -> str:
        return self.key.partition(".")[2].replace("_", " ")


@dataclass(frozen=True)
class Section:
    """Settings that belong together, and what is wrong with them as a whole."""

    name: str
    fields: tuple[Field, ...]
    problems: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Where a link leads."""
        return f"setting-{self.name}"


def sections(settings: Settings) -> list[Section]:
    """All settings, as they are in force."""
    return [
        Section(
            section,
            tuple(
                _field(f"{section}.{name}", field, getattr(values, name))
                for name, field in type(values).model_fields.items()
            ),
        )
        for section, values in settings
    ]


def entered(form: FormData, settings: Settings) -> list[Section]:
    """All settings as a form has them; a field that it does not have stays as it is in force."""
    return [
        replace(section, fields=tuple(replace(field, value=_sent(form, field)) for field in section.fields))
        for section in sections(settings)
    ]


def tables_of(shown: Iterable[Section], settings: Settings) -> dict[str, dict[str, Any]]:
    """Values for `Settings.from_tables`: what cannot be read as its setting wants it is left to be refused."""
    tables: dict[str, dict[str, Any]] = {}
    for section in shown:
        in_force = getattr(settings, section.name)
        tables[section.name] = {}
        for field in section.fields:
            name = field.key.partition(".")[2]
            now = getattr(in_force, name)
            # What nobody has touched stays to the letter: a page shows neither every digit nor every character.
            value = now if _same(field.value, _written(now)) else _read(field)
            if value is not None:
                tables[section.name][name] = value
    return tables


def with_problems(shown: Iterable[Section], problems: Iterable[Problem]) -> tuple[list[Section], list[Problem]]:
    """The form with each problem at its field or section, and those that belong to none of them."""
    by_key: dict[str, tuple[str, ...]] = {}
    for problem in problems:
        by_key[problem.key] = (*by_key.get(problem.key, ()), in_a_form(problem.says))
    marked = [
        replace(
            section,
            problems=by_key.pop(section.name, ()),
            fields=tuple(replace(field, problems=by_key.pop(field.key, ())) for field in section.fields),
        )
        for section in shown
    ]
    return marked, [Problem(key, says) for key, several in by_key.items() for says in several]


def named(says: str) -> Problem:
    """A refusal by others than the settings themselves, with the setting that it names, if it names one."""
    keys = [each.key for section in sections(Settings()) for each in section.fields]
    return Problem(next((key for key in keys if f"{key}: got" in says), ""), says)


def in_a_form(says: str) -> str:
    """A refusal without what is only true of a file."""
    for words in _IN_A_FILE:
        says = says.replace(words, "")
    return says


# -- inside ----------------------------------------------------------------------------------------------


def _field(key: str, field: FieldInfo, value: Any) -> Field:
    kind, choices = kind_of_field(field), choices_of(field)
    shapes: Mapping[type, str] = {bool: "switch", int: "number", float: "number", datetime: "moment", str: "text"}
    return Field(
        key=key,
        shape="choice" if choices else shapes[kind],
        value=_written(value),
        says=f"{field.description}{range_of(field)}",
        optional=field.default is None or (kind is str and not choices),
        choices=choices,
    )


def _written(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return str(value)


def _sent(form: FormData, field: Field) -> str:
    """What was entered; a box that can be ticked comes after a hidden "false", so the last one counts."""
    values = [value for value in form.getlist(field.key) if isinstance(value, str)]
    if not values:
        return field.value
    text = storable(values[-1].replace("\r\n", "\n"), field.key)
    return text if field.shape == "text" else text.strip()


def _same(one: str, other: str) -> bool:
    """Whether a browser that was shown one sends the other: line ends come back as they like."""
    plain, as_sent = (re.sub(r"\r\n?", "\n", text) for text in (one, other))
    return plain == as_sent


def _read(field: Field) -> Any:
    text = field.value
    if field.shape == "text":
        return text
    if text == "" and field.optional:
        return None
    kind = kind_of_field(fields_of(Settings, field.key.partition(".")[0])[field.key.partition(".")[2]])
    if kind is bool and text in ("true", "false"):
        return text == "true"
    if kind is int and _WHOLE.fullmatch(text):
        return int(text)
    if kind is float and _NUMBER.fullmatch(text):
        return float(text)
    if kind is datetime:
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            return text
    return text
