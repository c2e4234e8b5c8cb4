"""What exports of annotation tools share: answers about two sides, and fields that name the systems."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from ..errors import InputError
from .base import RECORD, Dropped, ReadOptions
from .columns import Roles, Sieve
from .ids import settle
from .pairwise import Pairwise

#: Columns in which the answer stands, as a word for a side, and the places of the two sides.
ANSWER, _LEFT, _RIGHT = "_answer", "_left", "_right"
#: Usual names of systems that are rather texts in the tasks of an annotation tool.
_TEXTS = ("left", "right", "a", "b", "itema", "itemb")
#: Roles that the fields of a task would be guessed to have, and are not meant to.
_NOT_GUESSED = ("winner", "loser", "rank_a", "rank_b", "ranking", "weight", "position_a", "position_b", "forced")


def compare_sides(frame: pl.DataFrame, roles: Roles, options: ReadOptions, *, sides: bool, silent: str) -> Sieve:
    """Judgments from answers about a left and a right side, of which the left one is system a.

    Parameters
    ----------
    frame
        The records, with the answers in the column `ANSWER`.
    roles
        What the other columns mean.
    sides
        Whether answers are known to be words for sides, so that the places of the two systems are known.
    silent
        Why a record without an answer is left out.
    """
    systems = _systems(roles, options)
    unwanted = [role for role in _NOT_GUESSED if role not in options.columns]
    column = {**roles.without(*unwanted, "outcome").column, **systems, "outcome": ANSWER}
    answered = frame.filter(pl.col(ANSWER).is_not_null())
    if sides:
        places = [pl.lit(place, pl.Int32).alias(name) for name, place in ((_LEFT, 1), (_RIGHT, 2))]
        answered = answered.with_columns(places)
        column |= {"position_a": _LEFT, "position_b": _RIGHT}
        options = replace(options, outcomes="sides", values={})
    sieve = Pairwise().sift(answered, Roles(column, roles.present), replace(options, columns={}))
    # The question that was named is no column by now.
    settle(sieve, replace(options, columns={}))
    missing = frame.filter(pl.col(ANSWER).is_null())[RECORD]
    sieve.dropped += [Dropped(record, silent, "skipped") for record in missing]
    if len(missing):
        sieve.notes.append(f"left out: {len(missing)} × {silent}")
    return sieve


def _systems(roles: Roles, options: ReadOptions) -> dict[str, str]:
    """The fields that name the systems: those that were named, or have names that cannot mean texts."""
    found = {
        role: roles[role]
        for role in ("system_a", "system_b")
        if roles.has(role)
        and (role in options.columns or "".join(filter(str.isalnum, roles[role].lower())) not in _TEXTS)
    }
    if len(found) < 2:
        fields = ", ".join(name for name in roles.present if name != ANSWER)
        raise InputError(
            "nothing says which systems the two sides are; name the fields that do, e.g. --column system_a=model_a "
            f"--column system_b=model_b (a is the left side, b the right one); there are: {fields}"
        )
    return found


def one_answer(candidates: list[str], options: ReadOptions, tool: str, others: list[str]) -> str:
    """Which of several questions is the comparison: the one that was named, or the only one.

    Parameters
    ----------
    candidates
        Questions whose answers can be comparisons.
    others
        Everything else that could be named, for the message.
    """
    named = options.columns.get("outcome") or options.columns.get("winner")
    if named:
        if named not in [*candidates, *others]:
            raise InputError(f"there is no question {named!r}; there are: {', '.join([*candidates, *others])}")
        return named
    if len(candidates) == 1:
        return candidates[0]
    what = f"several questions ({', '.join(candidates)})" if candidates else "no question that compares two sides"
    known = "" if candidates or not others else f"; there are: {', '.join(others)}"
    raise InputError(f"this export of {tool} has {what}; say which one counts with --column outcome=NAME{known}")
