"""The tables of a report as findings papers print them, in LaTeX (Bojar et al. 2014, Tables 3–5, 7, 8 and 28–37)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...analysis.findings import Findings
from ...ranking.head_to_head import HeadToHead
from ...ranking.result import Ranking
from ...results import counted
from .. import ranking as ranking_tables
from ..tables import Table, level_text, range_text, score_text
from .content import Chapter
from .tex import Float, Grid, boxed, breakable, label, numbered, piece, split, tex

#: A page has room for so many rows of small type, and for so many columns of a head-to-head table.
_ROWS, _ACROSS = 45, 20
#: With prose in its cells, a table has several lines a row.
_PROSE_ROWS = 18
#: Names longer than this many letters stand in a head-to-head table by their numbers only, and are broken in rows.
_LONG_NAME = 36
#: So many rows, with those of headings, may stand below each other where the rankings of all language pairs do.
_COLUMN_ROWS = 58
#: Names up to so many letters leave room for this many rankings side by side.
_BESIDE = ((18, 3), (36, 2))
_NONE = "--"


@dataclass(frozen=True)
class Pair:
    """One language pair: how it is called, and what its labels begin with."""

    title: str
    key: str
    found: Findings

    @classmethod
    def all_of(cls, chapters: Sequence[Chapter]) -> list[Pair]:
        """Those of a report, in its order."""
        return [
            cls(each.title, label(each.key, "", number).rstrip("-"), each.findings)
            for number, each in enumerate(chapters, 1)
        ]


# -- rankings -----------------------------------------------------------------------------------------


def ranking(pair: Pair) -> str:
    """Cluster, score, rank range, system."""
    ranked = pair.found.ranking
    made = _ranking_grid(ranked)
    parts = split(made, _ROWS)
    said = (
        f"{tex(pair.title)}: {counted(len(ranked.lines), 'system')} ranked by "
        f"{counted(ranked.judgments, 'pairwise judgment')} (model {tex(ranked.fit.model.id)}). {_read([ranked])}"
    )
    floats = [
        Float(
            str(part), numbered(said, n, len(parts)), _numbered_label(f"{pair.key}-ranking", n),
            below=[_note(note) for note in ranked.notes] if n == len(parts) else (),
            comments=[ranked.signature],
        )
        for n, part in enumerate(parts, 1)
    ]  # fmt: skip
    return piece(f"{pair.title}: the ranking", floats)


def rankings(pairs: Sequence[Pair]) -> str:
    """The rankings of all language pairs side by side, on as few pages as they need."""
    small = [pair for pair in pairs if len(pair.found.ranking.lines) + 3 <= _COLUMN_ROWS]
    large = [pair.title for pair in pairs if pair not in small]
    across = _beside(small)
    columns = _columns([len(pair.found.ranking.lines) + 3 for pair in small], across)
    pages = [columns[start : start + across] for start in range(0, len(columns), across)]
    said = f"Results by language pair. {_read([pair.found.ranking for pair in pairs])}"
    if large:
        said += f" Not here, but in tables of their own, for their size: {tex(', '.join(large))}."
    floats = [
        Float(
            _side_by_side([[small[place] for place in column] for column in page], across),
            numbered(said, n, len(pages)), _numbered_label("rankings", n), wide=True, size=r"\scriptsize",
            fitted=False, comments=[pair.found.ranking.signature for pair in pairs] if n == 1 else (),
        )
        for n, page in enumerate(pages, 1)
    ]  # fmt: skip
    return piece("the rankings of all language pairs", floats)


def _ranking_grid(ranked: Ranking) -> Grid:
    laid_out = ranking_tables.ranking_table(ranked)
    rows, last = [], None
    for line in ranked.lines:
        cluster = ranked.cluster_of(line)
        first = [str(cluster) if cluster != last else "", score_text(line.score), range_text(ranked.range_of(line))]
        cells = first if ranked.ranged else [str(line.rank), score_text(line.score)]
        rows.append([*map(tex, cells), breakable(line.system)])
        last = cluster
    head = [r"\#", "score", "range", "system"] if ranked.ranged else ["rank", "score", "system"]
    return Grid("r" * (len(head) - 1) + "l", head, rows, laid_out.rules, laid_out.dashed)


def _read(rankings: Sequence[Ranking]) -> str:
    """What the numbers and lines of rankings mean."""
    ranged = [ranked for ranked in rankings if ranked.ranged]
    if not ranged:
        return "Without resampling, nobody knows how sure this order is."
    levels = dict.fromkeys(level_text(ranked.record.facts["p"]) for ranked in ranged)
    jointly = any(ranked.jointly for ranked in ranged)
    said = [
        rf"\#: cluster; range: rank range ({tex(' or '.join(levels))}{', of all systems at once' if jointly else ''})."
    ]
    always = " at every look" if any(ranked.looks != "once" for ranked in ranged) else ""
    laid_out = [ranking_tables.ranking_table(ranked) for ranked in ranged]
    if any(table.rules for table in laid_out):
        said.append(f"Lines: boundaries between clusters that hold all together{always}.")
    if any(table.dashed for table in laid_out):
        said.append("Spaces: boundaries that hold only each by itself.")
    return " ".join(said)


def _note(note: str) -> str:
    return f"Note: {tex(note)}"


def _beside(pairs: Sequence[Pair]) -> int:
    longest = max((len(name) for pair in pairs for name in pair.found.ranking.systems), default=0)
    return min(next((count for most, count in _BESIDE if longest <= most), 1), max(len(pairs), 1))


def _columns(heights: Sequence[int], across: int) -> list[list[int]]:
    """Tables, in order, in columns that are about equally high: as low as fits beside each other, if a page does."""
    for most in range(max(heights, default=1), _COLUMN_ROWS + 1):
        columns = _filled(heights, most)
        if len(columns) <= across:
            return columns
    return _filled(heights, _COLUMN_ROWS)


def _filled(heights: Sequence[int], most: int) -> list[list[int]]:
    columns: list[list[int]] = []
    taken = most
    for place, height in enumerate(heights):
        if taken + height > most:
            columns.append([])
            taken = 0
        columns[-1].append(place)
        taken += height
    return columns


def _side_by_side(columns: Sequence[Sequence[Pair]], across: int) -> str:
    width = f"{round(1 / across - 0.02, 2):g}"
    made = []
    for column in columns:
        tables = [
            rf"\textbf{{{tex(pair.title)}}}\par\smallskip"
            "\n"
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
            "\n"
            f"{_ranking_grid(pair.found.ranking)}}}"
            for pair in column
        ]
        inner = "\n\\par\\medskip\n".join(tables)
        made.append(
            rf"\begin{{minipage}}[t]{{{width}\textwidth}}\vspace{{0pt}}\centering" f"\n{inner}\n\\end{{minipage}}%"
        )
    return "\n\\hfill\n".join(made)


# -- head to head -------------------------------------------------------------------------------------


def head_to_head(pair: Pair) -> str:
    """Shares of wins of every two systems; in blocks, if there are more than a page has room for."""
    compared = pair.found.head_to_head
    blocks = [
        (rows, columns)
        for rows in _blocks(len(compared.systems), _ROWS)
        for columns in _blocks(len(compared.systems), _ACROSS)
    ]
    said = (
        f"{tex(pair.title)}: head to head comparison, ignoring ties: how often the column's system was judged better "
        r"than the row's. Bold: the winner of the two. Two-sided sign test: $^\star$ $p \leq .10$, $^\dagger$ "
        r"$p \leq .05$, $^\ddagger$ $p \leq .01$. score: expected wins; rank: "
        + ("rank range." if compared.ranking.ranged else "by score.")
    )
    floats = [
        Float(
            str(_compared_grid(compared, rows, columns)), numbered(said, n, len(blocks)),
            _numbered_label(f"{pair.key}-head-to-head", n), wide=True, size=r"\scriptsize", gap="2pt",
            comments=[*compared.ranking.notes, compared.ranking.signature] if n == len(blocks) else (),
        )
        for n, (rows, columns) in enumerate(blocks, 1)
    ]  # fmt: skip
    return piece(f"{pair.title}: every two systems compared", floats)


def _blocks(count: int, most: int) -> list[range]:
    parts = -(-count // most)
    size = -(-count // parts)
    return [range(start, min(start + size, count)) for start in range(0, count, size)]


def _compared_grid(compared: HeadToHead, rows: range, columns: range) -> Grid:
    names, last = compared.systems, rows.stop == len(compared.systems)
    longest = max(map(len, names))
    by_number = longest > _LONG_NAME
    laid_out = ranking_tables.ranking_table(compared.ranking)
    named = [
        boxed(f"{place + 1} {breakable(names[place])}", "4cm") if by_number else tex(names[place]) for place in rows
    ]
    body = [[name, *(_share(compared, r, c) for c in columns)] for name, r in zip(named, rows, strict=True)]
    lines = compared.ranking.lines
    if last:
        body.append(["score", *(_two_decimals(compared.expected_wins[c]) for c in columns)])
        body.append(["rank", *(tex(range_text(lines[c].range) or str(lines[c].rank)) for c in columns)])
    begun = laid_out.rules | laid_out.dashed
    spec = "l" + "".join((r"@{\hspace{8pt}}" if c in begun and c != columns.start else "") + "l" for c in columns)
    heads = [
        str(c + 1) if by_number else tex(names[c]) if longest <= 4 else rf"\rotatebox{{90}}{{{tex(names[c])}}}"
        for c in columns
    ]
    here = [frozenset(n - rows.start for n in each if n in rows and n != rows.start)
            for each in (laid_out.rules, laid_out.dashed)]  # fmt: skip
    return Grid(spec, ["", *heads], body, here[0], here[1], frozenset({len(rows)} if last else ()))


def _share(compared: HeadToHead, row: int, column: int) -> str:
    """``.57‡``, in bold where the column's system won more often."""
    share: Any = compared.share[row, column]
    if row == column or np.isnan(share):
        return _NONE
    text = _two_decimals(float(share))
    return (rf"\textbf{{{text}}}" if share > 0.5 else text) + tex(compared.mark(row, column))


def _two_decimals(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


# -- all language pairs, a row each -------------------------------------------------------------------


def amounts(pairs: Sequence[Pair]) -> str:
    """How much was judged (Table 3 of 2014)."""
    overviews = [pair.found.overview for pair in pairs]
    rows = [
        [tex(pair.title), f"{each.systems:,}", f"{each.judgments:,}", f"{each.judgments / each.systems:,.1f}"]
        for pair, each in zip(pairs, overviews, strict=True)
    ]
    if several := len(pairs) > 1:
        systems, judgments = sum(each.systems for each in overviews), sum(each.judgments for each in overviews)
        rows.append([r"\textsc{total}", f"{systems:,}", f"{judgments:,}", f"{judgments / systems:,.1f}"])
    grid = Grid("lrrr", [_heading(pairs), "systems", "judgments", "average"], rows,
                rules=frozenset({len(pairs)} if several else ()))  # fmt: skip
    said = (
        "Amount of data collected. judgments: of two systems each; average: judgments divided by systems, so that each "
        "system is in twice as many."
    )
    if forced := sum(each.forced_ties for each in overviews):
        said += f" {forced:,} judgments are forced ties: the two systems shared an output."
    return _by_pair("amounts-of-data", "how much was judged", grid, said, _comments(pairs, "overview"))


def agreement(pairs: Sequence[Pair]) -> str:
    """κ between judges and of judges with themselves (Tables 4 and 5 of 2014), with their intervals."""
    measured = [pair.found.agreement for pair in pairs]
    rows = []
    for pair, found in zip(pairs, measured, strict=True):
        kappas = [] if found is None else [found.inter.kappa, found.intra.kappa]
        known_cells = [cell for each in kappas for cell in (_kappa(each.kappa), _interval(each.interval))]
        cells = known_cells or [_NONE, "", _NONE, ""]
        rows.append([tex(pair.title), *cells])
    known = [found for found in measured if found is not None]
    level = tex(level_text(known[0].p)) if known else ""
    if several := len(pairs) > 1:
        means = [_mean([getattr(found, kind).kappa.kappa for found in known]) for kind in ("inter", "intra")]
        rows.append([r"\textsc{mean}", _kappa(means[0]), "", _kappa(means[1]), ""])
    head = [_heading(pairs), "inter", f"{level} interval", "intra", f"{level} interval"]
    grid = Grid("lrlrl", head, rows, rules=frozenset({len(pairs)} if several else ()))
    said = r"$\kappa$ scores measuring agreement between judges (inter) and of judges with themselves (intra)."
    missing = any(cell == _NONE for row in rows[: len(pairs)] for cell in (row[1], row[3]))
    said += " --: not known" + ("; the mean is of the others." if several else ".") if missing else ""
    return _by_pair("agreement", "how far judges agree", grid, said, _comments(pairs, "agreement"))


def models(pairs: Sequence[Pair]) -> str:
    """Accuracy of models on held-out judgments (Table 7 of 2014)."""
    compared = [(pair, found) for pair in pairs if (found := pair.found.comparison) is not None]
    lines = [line for _, found in compared for line in found.lines]
    names = list(dict.fromkeys(line.model for line in lines if line.accuracy_clusters is not None))
    without = list(dict.fromkeys(line.model for line in lines if line.model not in names))
    values: list[list[float | None]] = []
    for _, found in compared:
        known = {line.model: measure.value for line in found.lines if (measure := line.accuracy_clusters) is not None}
        values.append([*(known.get(name) for name in names), found.oracle.value])
    rows = [[tex(pair.title), *map(_percent, row)] for (pair, _), row in zip(compared, values, strict=True)]
    if several := len(compared) > 1:
        # A mean over some language pairs does not compare with a mean over all.
        means = [None if None in column else _mean(column) for column in zip(*values, strict=True)]
        rows.append([r"\textsc{mean}", *map(_percent, means)])
    grid = Grid("l" + "r" * (len(names) + 1), [_heading(pairs), *map(tex, names), "oracle"], rows,
                rules=frozenset({len(compared)} if several else ()))  # fmt: skip
    folds = dict.fromkeys(found.record.facts["folds"] for _, found in compared)
    said = (
        rf"Accuracies (\%) of models across {' or '.join(map(str, folds))} folds. The oracle takes the most frequent "
        "outcome of each pair of systems, and need not be a possible ranking."
    )
    if any(None in row for row in values):
        said += " --: the model does not apply."
    comments = [f"without accuracy by clusters: {', '.join(without)}"] if without else []
    comments += [f"{line.model} refused {line.refused}" for line in lines if line.refused]
    return _by_pair("models", "models on held-out judgments", grid, said, [*comments, *_comments(pairs, "comparison")])


def _by_pair(name: str, what: str, grid: Grid, said: str, comments: Sequence[str] = ()) -> str:
    parts = split(grid, _ROWS)
    return piece(what, [
        Float(str(part), numbered(said, n, len(parts)), _numbered_label(name, n), comments=comments)
        for n, part in enumerate(parts, 1)
    ])  # fmt: skip


def _comments(pairs: Sequence[Pair], part: str) -> list[str]:
    """Notes and signatures of a part, with the language pair of each."""
    parts = [(pair.title, result) for pair in pairs if (result := getattr(pair.found, part)) is not None]
    return [f"{title}: {line}" for title, result in parts for line in (*result.notes, result.signature)]


def _heading(pairs: Sequence[Pair]) -> str:
    known = all(pair.title == pair.found.lang_pair for pair in pairs)
    return r"\textsc{language pair}" if known else r"\textsc{group}"


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _kappa(value: float | None) -> str:
    return _NONE if value is None else tex(score_text(value))


def _interval(span: tuple[float, float] | None) -> str:
    return "" if span is None else tex(f"[{score_text(span[0])}, {score_text(span[1])}]")


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{100 * value:.1f}"


# -- any other table ----------------------------------------------------------------------------------


def other(table: Table, what: str, key: str) -> str:
    """A table that no paper has a form for, in parts that fit a page; its notes are comments."""
    wraps = [column.when_long == "wrap" for column in table.columns]
    cells = [[_cell(text, wraps=wrap) for text, wrap in zip(row, wraps, strict=True)] for row in table.shown()]
    spec = "".join("r" if column.align == "right" else "l" for column in table.columns)
    grid = Grid(spec, [tex(column.name) for column in table.columns], cells, table.rules, table.dashed)
    parts = split(grid, _PROSE_ROWS if any(r"\parbox" in cell for row in cells for cell in row) else _ROWS)
    floats = [
        Float(
            str(part), numbered(f"{tex(what)}.", n, len(parts)), _numbered_label(key, n), wide=True,
            size=r"\scriptsize", gap="3pt", comments=[*table.notes, table.signature or ""] if n == len(parts) else (),
        )
        for n, part in enumerate(parts, 1)
    ]  # fmt: skip
    return piece(what, floats)


def _cell(text: str, *, wraps: bool) -> str:
    if len(text) <= _LONG_NAME:
        return tex(text)
    return boxed(tex(text) if wraps else breakable(text), "4.5cm")


def _numbered_label(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-{number}"


#: The tables of a language pair that papers have a form for, by their names in `tables_of`.
BY_PAIR: dict[str, Callable[[Pair], str]] = {"ranking": ranking, "head-to-head": head_to_head}
