"""The words people use for an outcome."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ..errors import InputError
from ..judgments import A_BETTER, B_BETTER, TIE

# fmt: off
_A = (
    "a", "model_a", "system_a", "left", "first", "x", "model_x", ">", "a>b", "a>>b", "win", "[[a]]", "a_better",
)
_B = (
    "b", "model_b", "system_b", "right", "second", "y", "model_y", "<", "b>a", "b>>a", "loss", "[[b]]", "b_better",
)
_TIE = (
    "tie", "draw", "=", "a=b", "equal", "same", "both", "neither", "[[c]]", "tie (bothbad)", "tie (both bad)",
    "both bad", "both-bad", "both_bad", "bothbad", "both good", "both-good", "both_good", "bothgood",
)
# fmt: on

#: Every word, in lower case. Both-bad is a tie: neither output was preferred.
WORDS: dict[str, int] = {
    **dict.fromkeys(_A, A_BETTER),
    **dict.fromkeys(_B, B_BETTER),
    **dict.fromkeys(_TIE, TIE),
}
#: Numbers have no fixed meaning; these two sets are told apart by the value only one of them has.
_SIGNED = {1.0: A_BETTER, 0.0: TIE, -1.0: B_BETTER}
_SHARE = {1.0: A_BETTER, 0.5: TIE, 0.0: B_BETTER}

ALLOWED = "a, b, tie (or model_a, model_b; left, right; >, <, =; both-bad is a tie)"


def codes(values: pl.Series) -> pl.Series:
    """+1, 0 or −1 for every value; null where it is no known word."""
    text = values.cast(pl.String).str.strip_chars().str.to_lowercase()
    distinct = text.drop_nulls().unique().to_list()
    words = {value: WORDS[value] for value in distinct if value in WORDS}
    numbers = {value: float(value) for value in distinct if value not in WORDS and is_number(value)}
    table = words | _numeric(numbers, among_words=bool(words))
    return text.replace_strict(list(table), list(table.values()), default=None, return_dtype=pl.Int8)


def _numeric(numbers: Mapping[str, float], *, among_words: bool) -> dict[str, int]:
    """What numbers mean, if they can be told to be of one of the two sets."""
    found = set(numbers.values())
    if -1.0 in found and 0.5 not in found:
        meaning = _SIGNED
    elif 0.5 in found and -1.0 not in found:
        meaning = _SHARE
    elif among_words or not found & {1.0, 0.0, -1.0, 0.5}:
        return {}
    else:
        raise InputError(
            f"numeric outcomes {', '.join(sorted(numbers)[:6])} are ambiguous: known sets are 1 / 0 / −1 (a "
            f"better, tie, b better) and 1 / 0.5 / 0; write words instead: {ALLOWED}"
        )
    return {value: meaning[number] for value, number in numbers.items() if number in meaning}


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
