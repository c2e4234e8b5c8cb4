"""PrefLib files: strict or weak orders with how many voters gave each (Mattei & Walsh 2013).

``.soc`` and ``.toc`` hold complete orders, ``.soi`` and ``.toi`` incomplete ones; all are read the same way.
"""

from __future__ import annotations

import re
from itertools import islice

import numpy as np
import polars as pl

from ..errors import InputError, LossyWriteError
from ..judgments import Judgments
from .base import RECORD, ColumnUse, Dropped, Format, Parsed, ReadOptions
from .rankings import VALUE, pairs, rebuild, with_ranking_ids
from .source import Source

_NAME = re.compile(r"#\s*ALTERNATIVE NAME (\d+):\s*(.*)")
_VOTE = re.compile(r"\s*(\d{1,9})\s*:\s*(.*)")
_GROUP = re.compile(r"\{([^{}]*)\}|([^,{}]+)")
#: More pairwise judgments than this would not fit in memory.
_MOST_JUDGMENTS = 50_000_000
_LINE_END = re.compile(r"[\r\n]")


class PrefLib(Format):
    """One order per line, ``COUNT: 1,{2,3},4``; each of the COUNT voters becomes a ranking."""

    id = "preflib"
    holds = frozenset(("ranking",))
    endings = ("toc", "toi", "soc", "soi")
    roles = frozenset()  # a line is a number of voters and an order

    def parse(self, source: Source, options: ReadOptions) -> Parsed:
        self.check_columns(options)
        if options.extra:
            raise InputError(f"there is no column {options.extra[0]!r} to keep: a PrefLib file holds orders only")
        names: dict[str, str] = {}
        votes: list[tuple[int, list[list[str]]]] = []
        dropped: list[Dropped] = []
        for number, line in enumerate(source.text().split("\n"), 1):
            if match := _NAME.match(line):
                names[match[1]] = match[2].strip() or match[1]
            elif line.strip() and not line.lstrip().startswith("#"):
                try:
                    votes.append(_vote(line, names))
                except ValueError as error:
                    dropped.append(Dropped(number, str(error)))
        _check_header(names, source.name)
        if sum(n * sum(map(len, order)) ** 2 // 2 for n, order in votes) > _MOST_JUDGMENTS:
            raise InputError(f"{source.name}: more than {_MOST_JUDGMENTS:,} pairwise judgments; split the file")
        outputs = _outputs(votes, names)
        contexts = outputs.select(RECORD).unique(maintain_order=True)
        rows = with_ranking_ids(pairs(outputs, contexts)).drop("position_a", "position_b", RECORD)
        uses = (
            ColumnUse("system", "ALTERNATIVE NAME", "usual", tuple(islice(names.values(), 3))),
            ColumnUse("rankings", "COUNT", "usual", tuple(dict.fromkeys(str(count) for count, _ in votes))[:3]),
        )
        return Parsed(rows, tuple(dropped), len(votes) + len(dropped), columns=uses, layout="PrefLib")

    def write(self, judgments: Judgments, ending: str) -> bytes:
        code = {name: i for i, name in enumerate(judgments.systems, 1)}
        broken = [name for name in judgments.systems if _LINE_END.search(name) or name != name.strip()]
        if broken:
            raise LossyWriteError(f"format 'preflib' cannot hold the name {broken[0]!r}")
        orders: dict[str, int] = {}
        for _, ranking in rebuild(judgments, self.id).group_by(RECORD, maintain_order=True):
            order = _order(ranking, code, ending)
            orders[order] = orders.get(order, 0) + 1
        head = [
            f"# DATA TYPE: {ending}",
            f"# NUMBER ALTERNATIVES: {len(code)}",
            f"# NUMBER VOTERS: {sum(orders.values())}",
            f"# NUMBER UNIQUE ORDERS: {len(orders)}",
            *[f"# ALTERNATIVE NAME {i}: {name}" for name, i in code.items()],
        ]
        body = [f"{n}: {order}" for order, n in sorted(orders.items(), key=lambda kv: (-kv[1], kv[0]))]
        return "\n".join([*head, *body, ""]).encode()


def _check_header(names: dict[str, str], source: str) -> None:
    if not names:
        raise InputError(f"{source}: no '# ALTERNATIVE NAME 1: …' line; only PrefLib's current format is read")
    twice = [name for name in names.values() if list(names.values()).count(name) > 1]
    if twice:
        raise InputError(f"{source}: two alternatives are called {twice[0]!r}; names must differ")


def _vote(line: str, names: dict[str, str]) -> tuple[int, list[list[str]]]:
    match = _VOTE.fullmatch(line)
    if not match or int(match[1]) < 1 or _GROUP.sub("", match[2]).strip(", \t\r"):
        raise ValueError("is not of the form COUNT: 1,{2,3},4")
    order = [
        [item.strip() for item in (group or single).split(",") if item.strip()]
        for group, single in _GROUP.findall(match[2])
    ]
    listed = [item for group in order for item in group]
    unknown = [item for item in listed if item not in names]
    if unknown:
        raise ValueError(f"alternative {unknown[0][:20]!r} has no name in the header")
    if len(set(listed)) < len(listed):
        raise ValueError("ranks an alternative twice")
    if len(listed) < 2:
        raise ValueError("ranks fewer than two alternatives")
    return int(match[1]), [group for group in order if group]


def _outputs(votes: list[tuple[int, list[list[str]]]], names: dict[str, str]) -> pl.DataFrame:
    rows = [
        (vote, names[item], -float(place), None)
        for vote, (_, order) in enumerate(votes)
        for place, group in enumerate(order)
        for item in group
    ]
    schema = {"_vote": pl.Int64, "system": pl.String, VALUE: pl.Float64, "position": pl.Int32}
    once = pl.DataFrame(rows, schema=schema, orient="row")
    voters = pl.DataFrame({"_vote": np.repeat(np.arange(len(votes)), [count for count, _ in votes])})
    return voters.with_row_index(RECORD).join(once, on="_vote", maintain_order="left_right").drop("_vote")


def _order(ranking: pl.DataFrame, code: dict[str, int], ending: str) -> str:
    if ending[-1] == "c" and ranking.height < len(code):
        raise LossyWriteError(f".{ending} holds complete orders, and a ranking lacks systems; write .toi or .soi")
    groups = []
    for _, tied in ranking.sort("rank", "system").group_by("rank", maintain_order=True):
        items = sorted(code[name] for name in tied["system"])
        if len(items) > 1 and ending[0] == "s":
            raise LossyWriteError(f".{ending} holds strict orders, and a ranking has ties; write .toc or .toi")
        groups.append(str(items[0]) if len(items) == 1 else "{" + ",".join(map(str, items)) + "}")
    return ",".join(groups)
