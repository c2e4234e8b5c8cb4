"""``--where``, ``--exclude-judge``, ``--exclude-system``."""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

import numpy as np

from ..errors import InputError
from ..judgments import EXTRA_PREFIX, NAME_COLUMNS, BoolArray, Judgments

_CONDITION = re.compile(r"\s*([\w.\-]+?)\s*(!=|<=|>=|=|<|>)\s*(.*?)\s*")
_COMPARE = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
_NUMBERS = ("duration", "weight")


def select(
    judgments: Judgments, where: Sequence[str], exclude_judge: Sequence[str], exclude_system: Sequence[str]
) -> Judgments:
    """Keep what the options ask for; an option that matches nothing is refused."""
    mask = np.ones(len(judgments), dtype=bool)
    for condition in where:
        mask &= holds(judgments, condition)
    if exclude_judge:
        mask &= ~judgments.where("judge", exclude_judge)
    if exclude_system:
        mask &= ~judgments.where("system", exclude_system)
    if not mask.any():
        asked = [*[f"--where {w}" for w in where], *[f"--exclude-judge {j}" for j in exclude_judge],
                 *[f"--exclude-system {s}" for s in exclude_system]]  # fmt: skip
        raise InputError(f"no judgment is left after {', '.join(asked)}; {len(judgments)} were read")
    return judgments if mask.all() else judgments.filter(mask)


def holds(judgments: Judgments, condition: str) -> BoolArray:
    """For every row, whether a condition such as ``judge=turker_*`` or ``duration>5`` holds."""
    match = _CONDITION.fullmatch(condition)
    if not match or not match[3]:
        raise InputError(f"--where: got {condition!r}; allowed: FIELD=PATTERN, FIELD!=PATTERN, FIELD<NUMBER, …")
    field, sign, value = match.groups()
    if field in (*NAME_COLUMNS, "system"):
        return _by_name(judgments, field, sign, value)
    column = field if field in _NUMBERS else EXTRA_PREFIX + field
    if field in _NUMBERS and not judgments.has(field):
        raise InputError(f"--where: got {condition!r}, but these judgments have no {field}")
    if column not in judgments.frame.columns:
        known = [*NAME_COLUMNS, "system", *_NUMBERS, *judgments.extras]
        raise InputError(f"--where: there is no field {field!r}; known: {', '.join(known)} (keep others with --extra)")
    values = judgments.frame[column]
    if values.dtype.is_numeric():
        try:
            found = _COMPARE[sign](values.to_numpy(), float(value))
        except ValueError:
            raise InputError(f"--where: {field} is a number, and {value!r} is not") from None
        return np.asarray(found)
    if sign not in ("=", "!="):
        raise InputError(f"--where: {field} is text; compare it with = or !=, not {sign}")
    found = np.array([text is not None and _matches(text, value) for text in values])
    return ~found if sign == "!=" else found


def _matches(text: str, patterns: str) -> bool:
    return any(text == part.strip() or fnmatchcase(text, part.strip()) for part in patterns.split(","))


def _by_name(judgments: Judgments, field: str, sign: str, value: str) -> BoolArray:
    if sign not in ("=", "!="):
        raise InputError(f"--where: {field} is a name; compare it with = or !=, not {sign}")
    found = judgments.where(field, [part.strip() for part in value.split(",")])
    return ~found if sign == "!=" else found
