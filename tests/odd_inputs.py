"""Odd files of judgments: how each is written, with which options it is read, and what is said of it.

`tests/test_odd_inputs.py` writes every one and runs `palmares rank` on it; `docs/odd-files.md` shows them as a table.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Odd:
    """One odd file. ``says`` is part of what is printed: of the error, or of a note or report beside the ranking.

    ``order`` is the ranking that is right, best first, where there is one; ``says`` is empty where there is nothing to
    say, because the file is read as it was meant for certain.
    """

    kind: str
    content: str | bytes
    ends: Literal["ranked", "refused"]
    says: str = ""
    order: str = ""
    options: tuple[str, ...] = ()
    name: str = "votes.csv"

    @property
    def data(self) -> bytes:
        return self.content.encode() if isinstance(self.content, str) else self.content


def _table(header: str, *rows: tuple[str, int] | str) -> str:
    """A header, and rows that stand there so many times."""
    lines = [row if isinstance(row, str) else f"{row[0]}\n" * row[1] for row in rows]
    return f"{header}\n" + "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


_HEADER = "system_a,system_b,outcome"
#: A beats B, B beats C, A and C mostly tie: A before C before B.
_VOTES = (("A,B,a", 6), ("C,B,a", 5), ("A,C,tie", 4), ("A,C,a", 1))
_PLAIN = _table(_HEADER, *_VOTES)
_NAMES = _table("system_a,system_b,winner", ("B,A,A", 40), ("A,B,B", 10))
_ONE_ZERO = _table(_HEADER, ("A,B,1", 9), ("A,B,0", 5))
_ONE_HOT = "model_a,model_b,winner_model_a,winner_model_b,winner_tie"
_PAIRS = [("A", "B"), ("B", "C"), ("A", "C")] * 30
_HITS = _table(
    "hit,judge,segment,system_a,system_b,outcome",
    *[f"{i % 8},j{i % 5},{i},{a},{b},a" for i, (a, b) in enumerate(_PAIRS)],
)
_WMT_PAIRS = "srclang,trglang,srcIndex,segmentId,judgeId,system1Id,system1rank,system2Id,system2rank"
_JSON_VOTES = ['{"model_a": "A", "model_b": "B", "winner": "model_a"}'] * 5 + [
    '{"model_a": "A", "model_b": "B", "winner": "model_b"}'
]

OUTCOMES = (
    Odd("the systems' names are words for sides", _NAMES, "refused", "they disagree"),
    Odd("… and `--outcomes names` is given", _NAMES, "ranked", order="A B", options=("--outcomes", "names")),
    Odd("… and `--outcome A=a,B=b` is given", _NAMES, "ranked", order="B A", options=("--outcome", "A=a,B=b")),
    Odd("numbers that could mean two things", _ONE_ZERO, "refused", "numeric outcomes 0, 1 are ambiguous"),
    Odd("… and `--outcome 1=a,0=b` is given", _ONE_ZERO, "ranked", order="A B", options=("--outcome", "1=a,0=b")),
    Odd("an outcome that nobody knows", _PLAIN + "A,B,perhaps\n", "refused", "unknown outcome 'perhaps'"),
    Odd("… and `--lenient` is given", _PLAIN + "A,B,perhaps\n", "ranked", "left out 1 of 17 records (5.9 %)", "A C B",
        ("--lenient",)),
    Odd("an outcome is missing in many records", _PLAIN + "A,B,\n" * 3, "refused", "the outcome is missing"),
    Odd("ties in other words", _table("model_a,model_b,winner", ("A,B,model_a", 6), "A,B,tie (bothbad)", "A,B,both_bad",
        "B,A,no preference", "A,B,tied"), "ranked", "read as ties", "A B"),
    Odd("one column for each outcome", _table(_ONE_HOT, ("A,B,1,0,0", 6), ("A,B,0,1,0", 2), "A,B,0,0,1"), "ranked",
        order="A B"),
    Odd("… with two winners in one record", _table(_ONE_HOT, ("A,B,1,0,0", 6), "A,B,1,1,0"), "refused", "exactly one"),
    Odd("several raters in a record", _table("item,system_a,system_b,rater1,rater2,rater3",
        *[f"{i},A,B,a,a,{'b' if i % 3 else 'tie'}" for i in range(9)]), "ranked", "one judge each", "A B"),
)  # fmt: skip

NAMES_AND_IDS = (
    Odd("a system called NaN", _table(_HEADER, ("A,B,a", 200), ("A,B,b", 9), "NaN,B,a"), "ranked",
        "a system is missing", "A B"),
    Odd("a column `hit` that is no ranking", _HITS, "ranked", "'hit'", "A B C"),
    Odd("… and `--column ranking=hit` is given", _HITS, "refused", "'hit'", options=("--column", "ranking=hit")),
    Odd("language pairs of −1", _table(_WMT_PAIRS, *[f"-1,-1,{i},{i},j{i % 4},A,1,B,{1 + i % 2}" for i in range(30)]),
        "ranked", order="A B"),
    Odd("fifty equal rows of one judge", _table("judge,segment,system_a,system_b,outcome", ("j1,1,A,B,a", 50),
        *[f"j2,{i},A,B,b" for i in range(40)]), "ranked", "repeat another one", "A B"),
    Odd("an enormous weight", _table(_HEADER + ",weight", "A,B,a,1e18", "A,B,b,1"), "refused", "weight"),
    Odd("a weight is missing", _table(_HEADER + ",weight", ("A,B,a,2", 300), ("A,B,b,1", 9), "A,B,b,NaN"), "ranked",
        "the weight is missing", "A B"),
    Odd("names in another script, and an emoji", _table(_HEADER, ("模型甲,🙂,a", 5), "模型甲,🙂,b"), "ranked",
        order="模型甲 🙂"),
    Odd("white space around names", _table(_HEADER, ("A ,B,a", 3), " A,B,a", "A,B,b"), "ranked", order="A B"),
    Odd("every system against itself", _table(_HEADER, ("A,A,tie", 9)), "refused", "compared with itself"),
    Odd("two columns of one name", _table(_HEADER + ",outcome", ("A,B,a,b", 3)), "refused", "'outcome' twice"),
    Odd("columns that nobody knows", _table("left_text,right_text,how", ("x,y,good", 3)), "refused",
        "name the columns"),
)  # fmt: skip

LAYOUTS = (
    Odd("semicolons", _PLAIN.replace(",", ";"), "ranked", order="A C B"),
    Odd("bars, under another ending", _PLAIN.replace(",", "|"), "ranked", order="A C B", name="votes.dat"),
    Odd("runs of spaces", _PLAIN.replace(",", "  "), "ranked", order="A C B", name="votes.txt"),
    Odd("comment lines", "# collected in May\n" + _PLAIN + "# the end\n", "ranked", "comment", "A C B"),
    Odd("no header", _PLAIN.partition("\n")[2], "refused", "--header"),
    Odd("… and `--header` is given", _PLAIN.partition("\n")[2], "ranked", order="A C B", options=("--header", _HEADER)),
    Odd("Excel's first line", "sep=;\n" + _PLAIN.replace(",", ";"), "ranked", order="A C B"),
    Odd("a line cut short", _table(_HEADER, *_VOTES * 20) + "A,B\n", "ranked", "has 2 fields where the header has 3",
        "A C B"),
    Odd("many lines cut short", _PLAIN + "A,B\n" * 4, "refused", "4 of 20 records are faulty (20 %)"),
    Odd("Latin-1", _table("judge," + _HEADER, ("Zoé,A,B,a", 3)).encode("latin-1"), "refused", "--encoding latin-1"),
    Odd("UTF-16", _PLAIN.encode("utf-16"), "refused", "--encoding utf-16"),
    Odd("compressed, under a plain name", gzip.compress(_PLAIN.encode()), "ranked", order="A C B"),
    Odd("JSON with the votes under a key", '{"votes": [' + ",".join(_JSON_VOTES) + '], "source": "x"}', "ranked",
        "source", "A B", name="votes.json"),
    Odd("a web page instead of a file", "<!DOCTYPE html><html><body>Not found</body></html>", "refused",
        "did a download fail"),
    Odd("a spreadsheet", b"PK\x03\x04" + bytes(40), "refused", "save the sheet as CSV", name="votes.xlsx"),
    Odd("a database without its URL", b"SQLite format 3\x00" + bytes(90), "refused", "sqlite:///FILE", name="votes.db"),
    Odd("an empty file", "", "refused", "the file is empty"),
)  # fmt: skip

CAMPAIGNS = (
    Odd("nothing but ties", _table(_HEADER, ("A,B,tie", 9), ("B,C,tie", 5)), "ranked", "without an interval"),
    Odd("a single judgment", _table(_HEADER, "A,B,a"), "ranked", "only one judgment", "A B"),
    Odd("two groups that never met", _table(_HEADER, ("A,B,a", 9), ("C,D,a", 9), "A,B,b", "C,D,b"), "refused",
        "--largest-component"),
    Odd("a system that won everything", _table(_HEADER, ("A,B,a", 9), ("B,C,a", 9), ("B,C,b", 4), ("A,C,a", 9)),
        "ranked", "won or lost every one", "A B C"),
    Odd("scores by judges who share no item", _table("judge,segment,system,score",
        *[f"j{k},{i},{s},{50 + 10 * k}" for i in range(12) for k, s in enumerate("AB")]), "refused", "--across-judges"),
)  # fmt: skip

ODD = (*OUTCOMES, *NAMES_AND_IDS, *LAYOUTS, *CAMPAIGNS)
