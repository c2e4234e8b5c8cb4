"""Odd files of judgments: how each is written, with which options it is read, and what is said of it.

`tests/test_odd_inputs.py` writes every one and runs `palmares rank` on it; `docs/odd-files.md` shows them as a table.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from typing import Literal

_A40_B10 = "B,A,A\n" * 40 + "A,B,B\n" * 10
_PAIRS = "A,B,a\n" * 6 + "B,C,a\n" * 5 + "A,C,tie\n" * 4 + "C,A,a\n"


def _table(header: str, rows: str, separator: str = ",") -> str:
    return f"{header}\n{rows}".replace(",", separator)


@dataclass(frozen=True)
class Odd:
    """One odd file. ``says`` is part of what is printed: of the error, or of a note or report beside the ranking.

    ``order`` is the ranking that is right, best first, where there is one.
    """

    kind: str
    content: str | bytes
    says: str
    ends: Literal["ranked", "refused"]
    order: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    name: str = "votes.csv"

    @property
    def data(self) -> bytes:
        return self.content.encode() if isinstance(self.content, str) else self.content


ODD: tuple[Odd, ...] = (
    # -- outcomes ------------------------------------------------------------------------------------
    Odd("names that are words for sides", "system_a,system_b,winner\n" + _A40_B10, "?", "refused"),
    Odd("the same, settled by --outcomes names", "system_a,system_b,winner\n" + _A40_B10, "", "ranked", ("A", "B"),
        ("--outcomes", "names")),
    Odd("the same, settled by --outcome", "system_a,system_b,winner\n" + _A40_B10, "", "ranked", ("B", "A"),
        ("--outcome", "A=a,B=b")),
    Odd("numbers that could mean two things", "system_a,system_b,outcome\n" + "A,B,1\n" * 9 + "A,B,0\n" * 5,
        "?", "refused"),
    Odd("the same, settled", "system_a,system_b,outcome\n" + "A,B,1\n" * 9 + "A,B,0\n" * 5, "", "ranked", ("A", "B"),
        ("--outcome", "1=a,0=b")),
    Odd("an outcome that nobody knows", "system_a,system_b,outcome\n" + _PAIRS + "A,B,perhaps\n", "?", "refused"),
    Odd("the same, left out", "system_a,system_b,outcome\n" + _PAIRS + "A,B,perhaps\n", "?", "ranked", (),
        ("--lenient",)),
    Odd("ties in other words", "model_a,model_b,winner\n" + "A,B,model_a\n" * 6 + "A,B,tie (bothbad)\nA,B,both_bad\n"
        "B,A,no preference\nA,B,tied\n", "", "ranked", ("A", "B")),
    Odd("one column for each outcome", "model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
        + "A,B,1,0,0\n" * 6 + "A,B,0,1,0\n" * 2 + "A,B,0,0,1\n", "", "ranked", ("A", "B")),
    Odd("two winners in one record", "model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
        + "A,B,1,0,0\n" * 6 + "A,B,1,1,0\n", "?", "refused"),
    Odd("several raters in a record", "item,system_a,system_b,rater1,rater2,rater3\n"
        + "".join(f"{i},A,B,a,a,{'b' if i % 3 else 'tie'}\n" for i in range(9)), "?", "ranked", ("A", "B")),
    Odd("empty outcomes", "system_a,system_b,outcome\n" + _PAIRS + "A,B,\n", "?", "refused"),
    # -- names and ids -------------------------------------------------------------------------------
    Odd("a system called NaN", "system_a,system_b,outcome\n" + "A,B,a\n" * 200 + "NaN,B,a\n", "?", "ranked", ("A", "B")),
    Odd("a judge's HIT taken for a ranking", "hit,judge,segment,system_a,system_b,outcome\n"
        + "".join(f"{i % 8},j{i % 5},{i},{a},{b},a\n" for i, (a, b) in enumerate([("A", "B"), ("B", "C"), ("A", "C")] * 30)),
        "?", "ranked", ("A", "B", "C")),
    Odd("the same HIT, named as the ranking", "hit,judge,segment,system_a,system_b,outcome\n"
        + "".join(f"{i % 8},j{i % 5},{i},{a},{b},a\n" for i, (a, b) in enumerate([("A", "B"), ("B", "C"), ("A", "C")] * 30)),
        "?", "refused", (), ("--column", "ranking=hit")),
    Odd("language pairs of −1", "srclang,trglang,srcIndex,segmentId,judgeId,system1Id,system1rank,system2Id,system2rank\n"
        + "".join(f"-1,-1,{i},{i},j{i % 4},A,1,B,{1 + i % 2}\n" for i in range(30)), "", "ranked", ("A", "B")),
    Odd("fifty equal rows of one judge", "judge,segment,system_a,system_b,outcome\n" + "j1,1,A,B,a\n" * 50
        + "".join(f"j2,{i},A,B,b\n" for i in range(40)), "?", "ranked"),
    Odd("an enormous weight", "system_a,system_b,outcome,weight\n" + "A,B,a,1e18\nA,B,b,1\n", "?", "refused"),
    Odd("a weight that is missing", "system_a,system_b,outcome,weight\n" + "A,B,a,1\n" * 300 + "A,B,b,NaN\n", "?", "ranked",
        ("A", "B")),
    Odd("a name in another script, with an emoji", "system_a,system_b,outcome\n" + "模型甲,🙂,a\n" * 5 + "模型甲,🙂,b\n", "", "ranked",
        ("模型甲", "🙂")),
    Odd("names that differ in white space", "system_a,system_b,outcome\n" + "A ,B,a\n" * 3 + " A,B,a\nB,A,a\n", "", "ranked",
        ("A", "B")),
    # -- layouts -------------------------------------------------------------------------------------
    Odd("semicolons", "system_a;system_b;outcome\n" + _PAIRS.replace(",", ";"), "", "ranked", ("A", "C", "B")),
    Odd("bars, under another ending", "system_a|system_b|outcome\n" + _PAIRS.replace(",", "|"), "", "ranked",
        ("A", "C", "B"), name="votes.dat"),
    Odd("spaces", "system_a system_b   outcome\n" + _PAIRS.replace(",", "  "), "", "ranked", ("A", "C", "B"), name="votes.txt"),
    Odd("comment lines", "# collected in May\nsystem_a,system_b,outcome\n# first round\n" + _PAIRS, "?", "ranked",
        ("A", "C", "B")),
    Odd("no header", _PAIRS, "?", "refused"),
    Odd("the same, named", _PAIRS, "", "ranked", ("A", "C", "B"), ("--header", "system_a,system_b,outcome")),
    Odd("Excel's first line", "sep=;\nsystem_a;system_b;outcome\n" + _PAIRS.replace(",", ";"), "", "ranked", ("A", "C", "B")),
    Odd("lines cut short", "system_a,system_b,outcome\n" + _PAIRS * 20 + "A,B\n", "?", "ranked", ("A", "C", "B")),
    Odd("many lines cut short", "system_a,system_b,outcome\n" + _PAIRS + "A,B\n" * 4, "?", "refused"),
    Odd("Latin-1", ("judge,system_a,system_b,outcome\n" + "Zoé,A,B,a\n" * 3).encode("latin-1"), "--encoding latin-1", "refused"),
    Odd("compressed under a plain name", gzip.compress(("system_a,system_b,outcome\n" + _PAIRS).encode()), "", "ranked",
        ("A", "C", "B")),
    Odd("JSON with the rows under a key", '{"votes": [' + ",".join(['{"model_a": "A", "model_b": "B", "winner": "model_a"}'] * 5
        + ['{"model_a": "A", "model_b": "B", "winner": "model_b"}']) + "]}", "", "ranked", ("A", "B"), name="votes.json"),
    Odd("a web page", "<!DOCTYPE html><html><body>Not found</body></html>", "?", "refused"),
    Odd("an empty file", "", "the file is empty", "refused"),
    Odd("only ties", "system_a,system_b,outcome\n" + "A,B,tie\n" * 9, "", "ranked"),
    Odd("a single judgment", "system_a,system_b,outcome\nA,B,a\n", "?", "ranked", ("A", "B")),
    Odd("two groups that never met", "system_a,system_b,outcome\n" + "A,B,a\n" * 9 + "C,D,a\n" * 9, "?", "refused"),
    Odd("every system against itself", "system_a,system_b,outcome\n" + "A,A,tie\n" * 9, "compared with itself", "refused"),
    Odd("a system that won everything", "system_a,system_b,outcome\n" + "A,B,a\n" * 9 + "B,C,a\n" * 9 + "C,B,a\n" * 4
        + "A,C,a\n" * 9, "?", "ranked", ("A", "B", "C")),
    # -- other tools ---------------------------------------------------------------------------------
    Odd("two columns of one name", "system_a,system_b,outcome,outcome\n" + "A,B,a,b\n" * 3, "twice", "refused"),
    Odd("scores by judges who share no item", "judge,segment,system,score\n"
        + "".join(f"j{k},{i},{s},{50 + 10 * k}\n" for i in range(12) for k, s in enumerate("AB")), "?", "refused"),
)  # fmt: skip
