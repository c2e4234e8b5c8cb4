"""What a system predicts of every sentence: scores, a ranking, or both.

A file has one score per line, or the lines of a WMT submission: method, number of the segment, score and rank, between
tabs. Rank 1 is the best; a column of nothing but zeros stands for one that was not submitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...errors import InputError
from ...judgments import FloatArray, IntArray
from ...texts.lines import Path, TextFile, read_lines
from ..numbers import Numbers, number

_COLUMNS = ("the method", "the number of the segment", "its score", "its rank")


@dataclass(frozen=True)
class Predictions:
    """Predictions of one system in the order of the sentences; ``notes`` is what was guessed in reading them."""

    system: str
    scores: FloatArray | None = field(repr=False)
    ranks: FloatArray | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        given = self.scores if self.scores is not None else self.ranks
        return 0 if given is None else len(given)

    def badness(self, lower_is_better: bool) -> FloatArray:
        """Numbers of which the least is the best: the ranks, if there are any, else the scores turned that way."""
        if self.ranks is not None:
            return self.ranks
        assert self.scores is not None  # a submission without both is refused
        return self.scores if lower_is_better else -self.scores


def read_predictions(system: str, path: Path, *, encoding: str = "utf-8") -> list[Predictions]:
    """Read a file; one with several methods gives as many systems, ``system/method``."""
    file = read_lines(path, encoding=encoding)
    if not file.texts:
        raise InputError(f"{file.name}: the file is empty; give one prediction per line, or a WMT submission")
    if any("\t" in line for line in file.texts):
        return _submissions(system, file)
    values = [number(text, f"{file.name}: line {line}", "a prediction") for line, text in enumerate(file.texts, 1)]
    return [Predictions(system, Numbers(file, np.array(values)).values)]


def _submissions(system: str, file: TextFile) -> list[Predictions]:
    """The methods of a submission, each with a line for every segment."""
    lines: dict[str, list[tuple[int, int, float, float]]] = {}
    for line, text in enumerate(file.texts, 1):
        place, cells = f"{file.name}: line {line}", text.split("\t")
        if len(cells) != len(_COLUMNS):
            raise InputError(
                f"{place} has {len(cells)} fields between tabs; a submission has 4: {', '.join(_COLUMNS)}; a file of "
                "predictions alone has one number per line and no tabs"
            )
        method, segment = cells[0].strip(), cells[1].strip()
        if not (segment.isascii() and segment.isdigit()):
            raise InputError(f"{place}: got {segment!r} for the number of the segment; allowed: a whole number")
        score, rank = (_cell(cell, place, name) for cell, name in zip(cells[2:], ("a score", "a rank"), strict=True))
        lines.setdefault(method, []).append((line, int(segment), score, rank))
    names = {method: system if len(lines) == 1 else f"{system}/{method}" for method in lines}
    return [_submission(names[method], rows, file.name) for method, rows in lines.items()]


def _cell(text: str, place: str, what: str) -> float:
    """A number of a submission; nothing is as good as 0, which stands for a column that was not submitted."""
    return number(text, place, what) if text.strip() else 0.0


def _submission(system: str, rows: Sequence[tuple[int, int, float, float]], name: str) -> Predictions:
    seen: dict[int, int] = {}
    for line, segment, _, _ in rows:
        if seen.setdefault(segment, line) != line:
            raise InputError(f"{name}: line {line}: segment {segment} of {system} stands in line {seen[segment]} too")
    first = 0 if 0 in seen else 1
    if missing := sorted(set(range(first, first + len(rows))) - seen.keys()):
        raise InputError(
            f"{name}: {system} has {len(rows)} lines, but none for segment {missing[0]}; segments are numbered "
            "from 1, and every one needs a line"
        )
    order = np.argsort([segment for _, segment, _, _ in rows])
    scores, ranks = (np.array([row[column] for row in rows])[order] for column in (2, 3))
    notes = () if first else (f"segments of {system} are numbered from 0, and were taken for lines 1 to {len(rows)}",)
    if not ranks.any() and not scores.any():
        raise InputError(f"{name}: all scores and ranks of {system} are 0, which stands for none submitted")
    if ranks.any():
        _check_ranks(ranks, system, rows, order, name)
    known = (scores if scores.any() else None, ranks if ranks.any() else None)
    absent = [word for word, values in zip(("scores", "ranks"), known, strict=True) if values is None]
    taken = tuple(f"all {word} of {system} are 0, taken for none submitted" for word in absent)
    return Predictions(system, *known, notes=(*notes, *taken))


def _check_ranks(
    ranks: FloatArray, system: str, rows: Sequence[tuple[int, int, float, float]], order: IntArray, name: str
) -> None:
    wrong = np.flatnonzero((ranks < 1) | (ranks > len(ranks)) | (ranks != np.round(ranks)))
    if len(wrong):
        line = rows[order[wrong[0]]][0]
        raise InputError(
            f"{name}: line {line}: got rank {ranks[wrong[0]]:g} for {system}; allowed: whole numbers from 1 (best) to "
            f"{len(ranks)}, or 0 in every line for no ranks"
        )


def scaled(predictions: Predictions, factor: float) -> Predictions:
    """The same with scores in another unit."""
    if predictions.scores is None or factor == 1:
        return predictions
    return replace(predictions, scores=predictions.scores * factor)
