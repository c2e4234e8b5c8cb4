"""What is declared of settings, in words: their kinds, ranges and choices, and everything that is wrong with some."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from typing import Any, get_args

from annotated_types import Ge, Le
from pydantic import AfterValidator, BaseModel, ValidationError
from pydantic.fields import FieldInfo

from ..errors import InputError

#: How a refusal names the type of a setting.
KINDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text in quotes",
    datetime: "a moment such as 2026-12-31T18:00:00Z, without quotes",
}
_DEEPEST = 20


@dataclass(frozen=True)
class Problem:
    """What is wrong with a setting (``screen.outputs``), a section (``controls``), or the whole if ``key`` is empty."""

    key: str
    says: str

    def __str__(self) -> str:
        return f"{self.key}: {self.says}" if self.key else self.says


class SettingsError(InputError):
    """Settings that cannot be used, with everything that is wrong; as text, one line each."""

    def __init__(self, name: str, problems: Iterable[Problem]) -> None:
        self.name, self.problems = name, tuple(problems)
        super().__init__("\n".join(f"{name}: {problem}" for problem in self.problems))


@dataclass(frozen=True)
class Misfit:
    """Settings that are allowed one by one and not together; ``keys`` are all that take part, the first is to blame."""

    keys: tuple[str, ...]
    says: str

    @property
    def problem(self) -> Problem:
        return Problem(self.keys[0], self.says)


class MisfitError(ValueError):
    """All misfits of some settings, on their way through pydantic."""

    def __init__(self, found: Iterable[Misfit]) -> None:
        self.found = tuple(found)
        super().__init__("; ".join(misfit.says for misfit in self.found))


class OneOf(AfterValidator):
    """Refuse a text that is not one of these, which a form offers to choose from."""

    def __init__(self, allowed: Iterable[str], check: Callable[[str], str]) -> None:
        super().__init__(check)
        object.__setattr__(self, "allowed", tuple(allowed))

    allowed: tuple[str, ...]


def one_of(*allowed: str) -> OneOf:
    """A text that must be one of these."""

    def check(text: str) -> str:
        if text not in allowed:
            raise ValueError(f"got {text!r}; allowed: {', '.join(allowed)}")
        return text

    return OneOf(allowed, check)


# -- what is declared ------------------------------------------------------------------------------------


def fields_of(settings: type[BaseModel], section: str) -> dict[str, FieldInfo]:
    """The settings of a section, by name."""
    kind: type[BaseModel] = type(settings.model_fields[section].default)
    return kind.model_fields


def kind_of_field(field: FieldInfo) -> type:
    """The type of a setting's values, None apart."""
    return next(kind for kind in KINDS if kind in (field.annotation, *get_args(field.annotation)))


def range_of(field: FieldInfo) -> str:
    """What the declaration allows, for people: `` (2 to 7)``, `` (at least 1)``, or nothing."""
    limits = {type(limit): limit for limit in field.metadata}
    if Ge not in limits:
        return ""
    least = f"{limits[Ge].ge:.9g}"
    return f" ({least} to {limits[Le].le:.9g})" if Le in limits else f" (at least {least})"


def choices_of(field: FieldInfo) -> tuple[str, ...]:
    """The texts to choose from; none where any text, or no text, will do."""
    return next((limit.allowed for limit in field.metadata if isinstance(limit, OneOf)), ())


# -- what is wrong ---------------------------------------------------------------------------------------


def problems_of(settings: type[BaseModel], tables: Mapping[str, Any], error: ValidationError) -> list[Problem]:
    """Everything that is wrong with tables of settings which pydantic refused.

    Whether settings fit together is looked at by pydantic only once each is right by itself; so it is asked again
    without those that are not, and what they take part in is left out: it cannot be told yet.
    """
    problems: list[Problem] = []
    wrong: set[tuple[str, ...]] = set()
    for each in error.errors():
        cause = each.get("ctx", {}).get("error")
        if isinstance(cause, MisfitError):
            return [misfit.problem for misfit in cause.found]
        wrong.add(tuple(map(str, each["loc"][:2])))
        problems.append(_problem(settings, each))
    blamed = {".".join(path) for path in wrong}
    known = [
        misfit.problem
        for misfit in _misfits(settings, _without(tables, wrong))
        if not any(key in blamed or key.partition(".")[0] in blamed for key in misfit.keys)
    ]
    return [*problems, *known]


def _misfits(settings: type[BaseModel], tables: Mapping[str, Any]) -> tuple[Misfit, ...]:
    try:
        settings.model_validate(tables)
    except ValidationError as error:
        causes = [each.get("ctx", {}).get("error") for each in error.errors()]
        return tuple(misfit for cause in causes if isinstance(cause, MisfitError) for misfit in cause.found)
    return ()


def _without(tables: Mapping[str, Any], wrong: Collection[tuple[str, ...]]) -> dict[str, Any]:
    return {
        section: {name: value for name, value in table.items() if (section, name) not in wrong}
        for section, table in tables.items()
        if (section,) not in wrong and isinstance(table, Mapping)
    }


def _problem(settings: type[BaseModel], error: Mapping[str, Any]) -> Problem:
    """What pydantic refused, in our words: what was received, what is allowed, what to do."""
    path, key = error["loc"], ".".join(map(str, error["loc"]))
    if error["type"] == "value_error":  # of our own validators
        return Problem(key, str(error["ctx"]["error"]))
    if error["type"] == "model_type":
        return Problem(key, f"got {error['input']!r}; it is a section: write [{key}] and its settings")
    if error["type"] == "extra_forbidden":
        known = settings.model_fields if len(path) == 1 else fields_of(settings, path[0])
        return Problem("section" if len(path) == 1 else path[0], _unknown(str(path[-1]), known))
    field = fields_of(settings, path[0])[path[1]]
    return Problem(key, f"got {error['input']!r}; allowed: {KINDS[kind_of_field(field)]}{range_of(field)}")


def _unknown(name: str, known: Collection[str]) -> str:
    close = get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"got {name!r}; known: {', '.join(known)}{hint}"


def check_sizes(table: dict[str, Any], name: str) -> None:
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
