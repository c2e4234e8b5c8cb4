"""Outcomes that fill several columns: one for every possible outcome, or one for every rater."""

from __future__ import annotations

import re

import polars as pl

from ..errors import InputError
from ..judgments import A_BETTER, B_BETTER, TIE
from .base import ONE_ALLOWED, ReadOptions
from .columns import Roles, Sieve, quoted
from .outcomes import BOTH_BAD, WRITTEN
from .words import meaning

#: The roles of columns that hold 1 for the outcome of a record and 0 for the others, with what each stands for.
ONE_HOT = {"winner_a": A_BETTER, "winner_b": B_BETTER, "winner_tie": TIE, "winner_both_bad": TIE}
_YES, _NO = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no")

_PEOPLE = "rater|annotator|judge|worker|evaluator|assessor|coder|expert|user"
_ANSWERS = "winner|preference|preferred|vote|label|verdict|outcome|choice|answer|judge?ment|result|decision"
#: Names of columns, # for the number that tells them apart: those that hold answers, and those of whoever gave them.
_OF_ANSWERS = re.compile(rf"(?=.*({_ANSWERS}))({_PEOPLE}|{_ANSWERS}|#)+")
_OF_PEOPLE = re.compile(rf"({_PEOPLE})(#|#id|id#)")


# -- one column for every outcome ---------------------------------------------------------------------


def one_hot_columns(roles: Roles) -> dict[str, str]:
    """The columns that mark the outcome, by role; none unless both sides have one."""
    return {role: roles[role] for role in ONE_HOT if roles.has(role)} if roles.has("winner_a", "winner_b") else {}


def read_one_hot(sieve: Sieve, columns: dict[str, str]) -> None:
    """Give a sieve outcomes: the one of its columns (named by role) that holds 1; ``columns`` are their own names."""
    for role, name in columns.items():
        text = pl.col(role).str.to_lowercase()
        known = text.is_in([*_YES, *_NO]) | text.is_null()
        reason = pl.format("column '{}' is {}; allowed: 1 in the column of the outcome, 0 in the others",
                           pl.lit(name), quoted(role))  # fmt: skip
        sieve.reject(~known, reason, kind="outcome")
    marked = [pl.col(role).str.to_lowercase().is_in(_YES).fill_null(False).cast(pl.Int8) for role in columns]
    sieve.reject(pl.all_horizontal(pl.col(role).is_null() for role in columns), "the outcome is missing")
    number = pl.sum_horizontal(marked)
    reason = pl.format(f"{{}} of the columns {{}} are 1; {ONE_ALLOWED}", number, pl.lit(", ".join(columns.values())))
    sieve.reject(number != 1, reason, kind="outcome")
    code = pl.sum_horizontal(flag * ONE_HOT[role] for flag, role in zip(marked, columns, strict=True))
    sieve.frame = sieve.frame.with_columns(code.cast(pl.Int8).alias("outcome"))
    if "winner_both_bad" in columns and BOTH_BAD not in sieve.frame.columns:
        sieve.frame = sieve.frame.with_columns(marked[-1].cast(pl.Float64).alias(BOTH_BAD))


# -- one column for every rater -----------------------------------------------------------------------


def rater_columns(names: tuple[str, ...]) -> tuple[str, ...]:
    """Columns that by their names hold the answers of several raters: ``rater1``, ``rater2``; in the order of these.

    They differ in a number alone. None where there are several series of such columns.
    """
    for pattern in (_OF_ANSWERS, _OF_PEOPLE):
        series: dict[str, list[str]] = {}
        for name in names:
            stem, _ = _numbered(name)
            if pattern.fullmatch(stem) and not stem.strip("#").endswith("id"):
                series.setdefault(stem, []).append(name)
        several = [found for found in series.values() if len(found) > 1]
        if several:
            return tuple(sorted(several[0], key=lambda name: _numbered(name)[1])) if len(several) == 1 else ()
    return ()


def judge_columns(answers: tuple[str, ...], names: tuple[str, ...]) -> dict[str, str]:
    """For every column of answers the column that says who gave them; empty unless each has its own."""
    people = {}
    for name in names:
        stem, number = _numbered(name)
        if name not in answers and _OF_PEOPLE.fullmatch(stem):
            people[number] = name
    found = {answer: people[number] for answer in answers if (number := _numbered(answer)[1]) in people}
    return found if len(set(found.values())) == len(answers) else {}


def _numbered(name: str) -> tuple[str, int]:
    """``annotator_2_vote`` as ``annotator#vote`` and 2; without exactly one number, the name and −1."""
    plain = "".join(filter(str.isalnum, name.lower()))
    numbers = re.findall("[0-9]+", plain)
    return (re.sub("[0-9]+", "#", plain), int(numbers[0])) if len(numbers) == 1 else (plain, -1)


def spread(sieve: Sieve, answers: tuple[str, ...], judges: dict[str, str], options: ReadOptions) -> None:
    """Make one record of every answer; what a rater did not answer is no fault.

    The sieve has the columns ``_answer0``, ``_answer1``, … and, where ``judges`` has columns, ``_judge0``, …
    """
    parts = []
    for number, name in enumerate(answers):
        judge = pl.col(f"_judge{number}") if judges else pl.lit(name)
        parts.append(sieve.frame.with_columns(pl.col(f"_answer{number}").alias(WRITTEN), judge.alias("judge")))
    sieve.frame = pl.concat(parts)
    sieve.answers = len(answers)
    if "" not in map(str.strip, options.values):
        given = sieve.frame[WRITTEN].drop_nulls().unique()
        blank = [text for text in given if (word := meaning(text)) is not None and word.kind == "missing"]
        no_answer = pl.col(WRITTEN).is_null() | pl.col(WRITTEN).is_in(blank)
        sieve.reject(no_answer, "a rater gave no answer", kind="skipped")
    whose = ", ".join(judges.values()) if judges else "named like the column"
    sieve.notes.append(f"columns {', '.join(answers)}: read as the answers of one judge each, {whose}")


def refuse_judge(roles: Roles, answers: tuple[str, ...]) -> None:
    """Several answers in a record that names one judge: they may be answers to several questions."""
    if roles.has("judge"):
        raise InputError(
            f"columns {', '.join(answers)} hold several outcomes, and column {roles['judge']!r} one judge: are they "
            f"of several raters (--column winner={','.join(answers)} --column judge=), or which one counts (--column "
            f"winner={answers[0]})?"
        )
