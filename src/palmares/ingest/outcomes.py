"""What the outcomes of a column mean, decided for the column as a whole and never row by row.

An outcome may be written as the name of the winner, as a word for a side, or as a number, and a word for a side can be
the name of a system as well. Each way is a `Reading` of all records at once. One that fits them all is taken, unless
another fits as well and says something else of some record: then the file does not tell, and the user must.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Literal

import polars as pl

from ..errors import InputError
from ..judgments import A_BETTER, B_BETTER, EXTRA_PREFIX, TIE
from . import Outcomes
from .base import MOST_DROPPED, ReadOptions
from .columns import Sieve, quoted
from .words import MEANINGS, MISSING, SKIP, Word, meaning, normal, relation, side_of, subject

#: In a frame of distinct records: how many records each stands for.
COPIES = "_copies"
#: The column of outcomes as they were written, in a sieve.
WRITTEN = "_outcome"
#: Kept beside a tie: that neither output was any good.
BOTH_BAD = EXTRA_PREFIX + "both_bad"

_KEYS = ["system_a", "system_b", WRITTEN]
_ALLOWED = {
    "auto": "a, b, tie (or model_a, model_b; left, right; >, <, =), or the winner's name, all in the same way",
    "sides": "a, b, tie (or model_a, model_b; left, right; >, <, =), all in the same words",
    "names": "the name of one of the two systems, or tie",
    "numbers": "1, 0, −1 or 1, 0.5, 0",
}
_MISSING = "the outcome is missing; if that means something, say so: --outcome =tie (outcomes={'': 'tie'} from Python)"

Coding = Mapping[float, int]
#: Numbers have no fixed meaning. Two codings are known by a value that only they have …
_SIGNED: Coding = {1: A_BETTER, 0: TIE, -1: B_BETTER}
_SHARE: Coding = {1: A_BETTER, 0.5: TIE, 0: B_BETTER}
_KNOWN_BY: Mapping[float, Coding] = {-1: _SIGNED, 0.5: _SHARE}
#: … and these are as usual, so that a column that fits them is not for certain one of names.
_UNTOLD: tuple[Coding, ...] = ({1: A_BETTER, 2: B_BETTER, 0: TIE, 3: TIE}, {0: A_BETTER, 1: B_BETTER, 2: TIE})

_NAME = {code: word for word, code in MEANINGS.items()}


@dataclass(frozen=True)
class Reading:
    """One way to read a whole column: a code for every distinct record, null where it cannot be read."""

    kind: Literal["names", "sides", "numbers"]
    #: As a message says it: "by names".
    way: str
    #: What the user has to say for it.
    remedy: str
    codes: pl.Series
    #: Whether it may be taken unless the user asks for it.
    certain: bool = True
    #: What a result has to say of it.
    note: str | None = None
    #: Whether some value is written as what it is taken for; False where small letters stand for names in capitals.
    exact: bool = True

    def unread(self, copies: pl.Series) -> int:
        """How many records it cannot read."""
        return int(copies.filter(self.codes.is_null()).sum())


def read_outcomes(sieve: Sieve, column: str, sides: tuple[str, str], options: ReadOptions) -> None:
    """Give a sieve outcomes: what the words in its column `WRITTEN` mean for the two systems of each record.

    Parameters
    ----------
    column
        What the outcomes are called in the file.
    sides
        The names of the columns of the two systems, which are words for sides as well.
    """
    frame = sieve.frame.with_columns(pl.col(WRITTEN).fill_null(""))
    copies = pl.col(COPIES).sum() if COPIES in frame.columns else pl.len()
    groups = frame.group_by(_KEYS).agg(copies.cast(pl.Int64).alias("n")).sort(_KEYS)
    codes = _told(groups, column, options)
    open_ = codes.is_null()
    if open_.any():
        reading = _chosen(groups.filter(open_), column, sides, options)
        codes = codes.scatter(open_.arg_true(), reading.codes)
        sieve.notes += [f"column {column!r}: {reading.note}"] if reading.note else []
    groups = groups.with_columns(codes.alias("outcome"))
    sieve.notes += _notes(groups, column, options)
    sieve.frame = frame.join(groups.drop("n"), on=_KEYS, how="left", maintain_order="left")
    _keep_both_bad(sieve)
    unknown = pl.format(f"unknown outcome {{}}; allowed: {_ALLOWED[options.outcomes]}", quoted(WRITTEN))
    sieve.reject(pl.col("outcome").is_null(), unknown, kind="outcome")
    skipped = pl.format("outcome {}: the judge gave none", quoted(WRITTEN))
    sieve.reject(pl.col("outcome") == SKIP, skipped, kind="skipped")
    sieve.reject(pl.col("outcome") == MISSING, _MISSING)


def is_read_as(rows: pl.DataFrame, words: pl.Series, sides: tuple[str, str]) -> bool:
    """Whether ``words`` would be read as the outcomes that ``rows`` have."""
    written = rows.with_columns(words.alias(WRITTEN)).group_by(*_KEYS, "outcome").len("n").sort(_KEYS)
    try:
        reading = _chosen(written, "outcome", sides, ReadOptions())
    except InputError:
        return False
    return bool((reading.codes == written["outcome"].cast(pl.Int8)).fill_null(False).all())


def refuse_settings(options: ReadOptions, what: str, *, allowed: Outcomes = "auto") -> None:
    """Refuse options about how outcomes are written where none is written; one way may be ``allowed``."""
    other = options.outcomes not in ("auto", allowed)
    asked = ["--outcome"] * bool(options.values) + [f"--outcomes {options.outcomes}"] * other
    if asked:
        raise InputError(f"{' and '.join(asked)} cannot be followed: {what}, so there is no column of outcomes to read")


def _told(groups: pl.DataFrame, column: str, options: ReadOptions) -> pl.Series:
    """The codes of the values that the user gave a meaning to; null for others."""
    wanted: dict[str, int] = {}
    for value, meant in options.values.items():
        if wanted.setdefault(plain(value), MEANINGS[meant]) != MEANINGS[meant]:
            raise InputError(f"--outcome: {value!r} is given two meanings, in other letters; leave one of them out")
    # What is said of nothing holds for words for nothing.
    nothing = {text for text in _texts(groups) if (word := meaning(text)) is not None and word.kind == "missing"}
    table = {text: wanted.get(plain(text), wanted.get("") if text in nothing else None) for text in _texts(groups)}
    told = _per_text(groups, table)
    if wanted and told.null_count() == groups.height > 0:
        given = ",".join(f"{value}={meant}" for value, meant in options.values.items())
        raise InputError(f"--outcome {given}: column {column!r} has no such value; it has: {_commonest(groups)}")
    return told


def plain(value: str) -> str:
    """A value as it is compared with those that the user names: ``1.0`` and ``1`` are the same."""
    number = _number(value)
    return str(number) if number is not None else value.strip().lower()


def _commonest(groups: pl.DataFrame, shown: int = 6) -> str:
    by_count = groups.group_by(WRITTEN).agg(pl.col("n").sum()).sort("n", WRITTEN, descending=[True, False])
    return ", ".join(map(repr, by_count[WRITTEN].head(shown))) + (", …" if by_count.height > shown else "")


# -- which reading ------------------------------------------------------------------------------------


def _chosen(groups: pl.DataFrame, column: str, sides: tuple[str, str], options: ReadOptions) -> Reading:
    """The one reading of the column, or a refusal that says how to choose."""
    readings = _readings(groups, sides, options)
    copies, total = groups["n"], int(groups["n"].sum())
    # A coding that the user must name counts only if it fits all but a few faults.
    possible = [r for r in readings if (r.unread(copies) < total if r.certain else r.unread(copies) <= _few(copies))]
    if not possible:
        if any(r.kind == "numbers" for r in readings):
            raise _ambiguous_numbers(groups)
        return Reading("sides", "", "", pl.repeat(None, groups.height, dtype=pl.Int8, eager=True))
    best = min(possible, key=lambda r: (r.unread(copies), not r.certain))
    if not best.certain:
        raise _ambiguous_numbers(groups)
    for rival in possible:
        if not _spoils(rival, best, copies):
            continue
        if best.kind == "sides" and not best.unread(copies) and not rival.exact:
            # The words themselves, throughout: "a" is a side, even if a system is called "A".
            best = replace(best, note="words for sides are read as sides, although systems have such names, too")
            continue
        raise _ambiguous(groups, column, best, rival)
    if best.kind != "names" and (side_of(sides[0]), side_of(sides[1])) == (B_BETTER, A_BETTER):
        raise InputError(
            f"system_a is column {sides[0]!r} and system_b is column {sides[1]!r}, the other way round than their "
            f"names say, so a side in column {column!r} could be either; exchange them: --column "
            f"system_a={sides[1]} --column system_b={sides[0]}"
        )
    return best


def _spoils(rival: Reading, best: Reading, copies: pl.Series) -> bool:
    """Whether another reading leaves it open what is meant.

    One that says something else of some record does so if it reads all that the best one reads but for a few, which may
    be faults, or a record that the best one cannot read; any other, if it reads as many records but not the same ones.
    """
    differ = bool((rival.codes != best.codes).fill_null(False).any())
    reads_more = bool((rival.codes.is_not_null() & best.codes.is_null()).any())
    reads_less = int(copies.filter(rival.codes.is_null() & best.codes.is_not_null()).sum())
    as_many = rival.unread(copies) == best.unread(copies)
    return (differ and (reads_more or reads_less <= _few(copies))) or (reads_more and as_many)


def _few(copies: pl.Series) -> float:
    """As many records as may be faulty without further notice: too few to tell that a reading is wrong."""
    return MOST_DROPPED * int(copies.sum())


# -- the readings -------------------------------------------------------------------------------------


def _readings(groups: pl.DataFrame, sides: tuple[str, str], options: ReadOptions) -> list[Reading]:
    """All ways to read the column that the options leave open."""
    asked = options.outcomes
    found: list[Reading] = []
    if asked in ("auto", "sides"):
        found += _by_side(groups, sides)
    # Who says that a value means a side does not have the others read as names.
    if asked in ("auto", "names") and not {"a", "b"} & set(options.values.values()):
        found += _by_name(groups, asked=asked == "names")
    if asked in ("auto", "numbers"):
        found += _by_number(groups, asked=asked == "numbers")
    return found


def _by_name(groups: pl.DataFrame, *, asked: bool) -> list[Reading]:
    """By the names of the two systems; one that is a word for a tie, too, may be meant as that."""
    named = _named(groups)
    words = _per_text(groups, {text: _no_side(meaning(text)) for text in _texts(groups)})
    name_first = pl.select(pl.coalesce(named, words)).to_series()
    loose = groups.filter(
        named.is_not_null() & (pl.col(WRITTEN) != pl.col("system_a")) & (pl.col(WRITTEN) != pl.col("system_b"))
    )
    note = (
        f"{loose['n'].sum()} names of winners are not written as those of the systems, e.g. {loose[WRITTEN][0]!r}"
        if loose.height
        else None
    )
    written = groups.filter(named.is_not_null())[WRITTEN]
    exact = len(written) > loose.height or any(text != text.lower() for text in written)
    readings = [Reading("names", "by names", "--outcomes names", name_first, note=note, exact=exact)]
    clash = groups.filter(named != words)
    if clash.height and not asked:
        word = clash[WRITTEN][0]
        word_first = pl.select(pl.coalesce(words, named)).to_series()
        readings.append(Reading("names", f"with {word!r} as a word", f"--outcome {word}=tie|skip", word_first))
    return readings


def _named(groups: pl.DataFrame) -> pl.Series:
    """+1 where the value is about the first system, −1 for the second, 0 for an equation of both; else null."""
    texts = set(groups["system_a"]) | set(groups["system_b"]) | set(_texts(groups))
    parts = {text: found for text in texts if (found := relation(text))}
    a, b, value = (pl.col(key) for key in _KEYS)
    plain_a, plain_b = (_mapped(key, {text: normal(text) for text in texts}) for key in _KEYS[:2])
    about = _mapped(WRITTEN, {text: subject(text) for text in texts})
    left, sign, right = (_mapped(WRITTEN, {text: found[i] for text, found in parts.items()}) for i in range(3))
    ahead = sign.replace_strict({">": A_BETTER, "<": B_BETTER, "=": TIE}, default=None, return_dtype=pl.Int8)
    win, loss = pl.lit(A_BETTER, pl.Int8), pl.lit(B_BETTER, pl.Int8)
    exact = pl.when(value == a).then(win).when(value == b).then(loss)
    loose = (
        pl.when(about == plain_a).then(win).when(about == plain_b).then(loss)
        .when((left == plain_a) & (right == plain_b)).then(ahead)
        .when((left == plain_b) & (right == plain_a)).then(-ahead)
    )  # fmt: skip
    # Case and punctuation do not matter, unless they tell the two systems apart.
    return groups.select(pl.coalesce(exact, pl.when(plain_a != plain_b).then(loose))).to_series()


def _by_side(groups: pl.DataFrame, sides: tuple[str, str]) -> list[Reading]:
    """By words for sides: one reading for every family of words that occurs."""
    words = {text: _word(text, sides) for text in _texts(groups)}
    families = sorted({word.family for word in words.values() if word and word.kind == "side"}) or [""]
    readings = []
    for family in families:
        own = {text: word.code for text, word in words.items() if word and word.family in ("", family)}
        way = f"by sides ({family})" if family else "by sides"
        readings.append(Reading("sides", way, "--outcomes sides", _per_text(groups, own)))
    return readings


def _word(text: str, sides: tuple[str, str]) -> Word | None:
    """What a text means; the names of the columns of the two systems are words for sides as well."""
    known = meaning(text)
    word, first, second = normal(text), normal(sides[0]), normal(sides[1])
    if known is None and word in (first, second) and first != second:
        return Word("side", A_BETTER if word == first else B_BETTER, f"{sides[0]}/{sides[1]}")
    return known


def _no_side(word: Word | None) -> int | None:
    return None if word is None or word.kind == "side" else word.code


def _by_number(groups: pl.DataFrame, *, asked: bool) -> list[Reading]:
    """By codings of numbers: the one that is known by a value, if all numbers are of it, else all that there are."""
    numbers = {text: number for text in _texts(groups) if (number := _number(text)) is not None}
    if not numbers:
        return []
    present = set(numbers.values())
    marks = present & set(_KNOWN_BY)
    known = [_KNOWN_BY[mark] for mark in marks if len(marks) == 1 and (asked or present <= set(_KNOWN_BY[mark]))]
    words = {text: _no_side(meaning(text)) for text in _texts(groups)}
    copies: Counter[float | None] = Counter()
    for text, n in groups.select(WRITTEN, "n").iter_rows():
        copies[numbers.get(text)] += n
    readings = []
    for coding in known or (_SIGNED, _SHARE, *_UNTOLD):
        listed = ",".join(f"{number:g}={_NAME[code]}" for number, code in coding.items() if number in present)
        codes = _per_text(groups, words | {text: coding.get(number) for text, number in numbers.items()})
        said = (
            f"{number:g} = {_NAME[code]} ({copies[number]})" for number, code in coding.items() if number in present
        )
        note = f"numbers are read as {', '.join(said)}; --outcome says otherwise"
        readings.append(Reading("numbers", f"by numbers ({listed})", f"--outcome {listed}", codes, bool(known), note))
    return readings


def _number(text: str) -> float | None:
    try:
        number = float(text.replace("\u2212", "-"))
    except ValueError:
        return None
    return number if isfinite(number) else None


def _texts(groups: pl.DataFrame) -> list[str]:
    return groups[WRITTEN].unique().to_list()


def _per_text(groups: pl.DataFrame, table: Mapping[str, int | None]) -> pl.Series:
    """A code for every record by the text of its outcome alone."""
    return groups.select(_mapped(WRITTEN, table, pl.Int8)).to_series()


def _mapped(column: str, table: Mapping[str, object], dtype: type[pl.DataType] = pl.String) -> pl.Expr:
    return pl.col(column).replace_strict(list(table), list(table.values()), default=None, return_dtype=dtype)


# -- what is said of it -------------------------------------------------------------------------------


def _ambiguous(groups: pl.DataFrame, column: str, best: Reading, rival: Reading) -> InputError:
    """Two readings: what each makes of the commonest record on which they differ, and of its two systems."""
    best, rival = sorted((best, rival), key=lambda reading: reading.kind != "names")
    both = groups.with_columns(best.codes.alias("_1"), rival.codes.alias("_2"))
    differ = both.filter(pl.col("_1").ne_missing(pl.col("_2"))).sort("n", *_KEYS, descending=[True, *[False] * 3])
    row = differ.row(0, named=True)
    a, b = row["system_a"], row["system_b"]
    remedies = " or ".join(dict.fromkeys([best.remedy, rival.remedy]))
    return InputError(
        f"column {column!r} can be read {best.way} and {rival.way}, and they disagree: for instance {a!r} : {b!r} with "
        f"{row[WRITTEN]!r} ({row['n']} of {groups['n'].sum()} records) is {_said(row['_1'], a, b)} {best.way}, "
        f"{_said(row['_2'], a, b)} {rival.way}; in all, {a!r} : {b!r} is {_tally(both, '_1', a, b)} {best.way}, "
        f"{_tally(both, '_2', a, b)} {rival.way}. Say what is meant: {remedies}, or what every "
        "value means: --outcome VALUE=a,… (outcomes='names', or outcomes={'VALUE': 'a', …}, from Python)"
    )


def _said(code: int | None, a: str, b: str) -> str:
    if code is None:
        return "unknown"
    return {A_BETTER: f"won by {a!r}", B_BETTER: f"won by {b!r}", TIE: "a tie", SKIP: "skipped"}.get(code, "missing")


def _tally(groups: pl.DataFrame, reading: str, a: str, b: str) -> str:
    """How often each of two systems won against the other."""
    wins = []
    for first, second in ((a, b), (b, a)):
        won = [
            (pl.col("system_a") == x) & (pl.col("system_b") == y) & (pl.col(reading) == code)
            for x, y, code in ((first, second, A_BETTER), (second, first, B_BETTER))
        ]
        wins.append(groups.filter(won[0] | won[1])["n"].sum())
    return f"{wins[0]} : {wins[1]}"


def _ambiguous_numbers(groups: pl.DataFrame) -> InputError:
    numbers = sorted(text for text in _texts(groups) if _number(text) is not None)
    return InputError(
        f"numeric outcomes {', '.join(numbers[:6])} are ambiguous: known sets are 1 / 0 / −1 (a better, tie, b better) "
        "and 1 / 0.5 / 0, each by the value that only it has; say what all others mean, e.g. --outcome "
        "1=a,2=b,0=tie,99=skip (outcomes={'1': 'a', '2': 'b', '0': 'tie', '99': 'skip'} from Python)"
    )


def _notes(groups: pl.DataFrame, column: str, options: ReadOptions) -> list[str]:
    """Which words were taken for ties that another reader might not take for ties, and what was told in vain."""
    counts = dict(groups.filter(pl.col("outcome") == TIE).group_by(WRITTEN).agg(pl.col("n").sum()).iter_rows())
    told = {plain(value): value for value in options.values}
    words = {text: word for text in sorted(counts) if plain(text) not in told and (word := meaning(text)) is not None}
    unusual = [text for text, word in words.items() if word.unusual]
    notes = []
    if unusual:
        listed = ", ".join(f"{text!r} ({counts[text]})" for text in unusual)
        kept = "; both-bad is kept as the column both_bad" if any(word.both_bad for word in words.values()) else ""
        notes.append(f"column {column!r}: read as ties: {listed}{kept}; --outcome '{unusual[0]}=skip' leaves one out")
    absent = sorted(set(told) - {plain(text) for text in _texts(groups)})
    if absent:
        notes.append(f"--outcome: column {column!r} has no value {', '.join(repr(told[key]) for key in absent)}")
    return notes


def _keep_both_bad(sieve: Sieve) -> None:
    """Keep which ties were between outputs that were both bad, if any was and no column says so already."""
    words = [text for text in sieve.frame[WRITTEN].unique() if (word := meaning(text)) is not None and word.both_bad]
    bad = sieve.frame.select((pl.col(WRITTEN).is_in(words) & (pl.col("outcome") == TIE)).fill_null(False)).to_series()
    if bad.any() and BOTH_BAD not in sieve.frame.columns:
        sieve.frame = sieve.frame.with_columns(bad.cast(pl.Float64).alias(BOTH_BAD))
