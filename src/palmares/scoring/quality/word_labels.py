"""Files with a label for every word: gold annotations, and what systems predict.

Three layouts, all between tabs. Annotations as WMT14 published them have segment, number of the word, word and three
labels, from fine to coarse (multi-class, level 1, binary); or one label in their place. A submission has method,
segment, number of the word, word, a detailed label and a binary one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...errors import InputError
from ...results import counted
from ...texts.lines import Path, TextFile, read_lines
from .typology import BINARY, GRANULARITIES, LABELS, MULTI, canonical, coarser, granularity_of

_LAYOUTS = (
    "segment, number of the word, word and one label, or three (multi-class, level 1, binary); or a submission: "
    "method, segment, number of the word, word, detailed label, binary label"
)
#: A column of labels that was not submitted.
_NOTHING = ("", "-")
_NAMED = 3

#: A word: its segment, its number there, and what it is.
Word = tuple[str, str, str]


@dataclass(frozen=True)
class WordLabels:
    """A label for every word at one or more granularities; ``notes`` is what was guessed and what does not fit."""

    name: str
    words: tuple[Word, ...] = field(repr=False)
    labels: Mapping[str, tuple[str, ...]] = field(repr=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Lines:
    """Words and the columns of labels behind them, with the lines they stand in."""

    name: str
    lines: tuple[int, ...]
    words: tuple[Word, ...]
    columns: tuple[tuple[str, ...], ...]


def read_annotations(path: Path, what: str = "the gold file", *, encoding: str = "utf-8") -> WordLabels:
    """Read gold labels or training data; labels of coarser granularities than the file has follow from the finest.

    ``what`` is what notes call them: not by their file, which may be elsewhere when a result is made again.
    """
    rows = _annotated(_table(path, encoding))
    labels, notes = _labels(rows, what)
    _refuse_twice(rows)
    return WordLabels(rows.name, rows.words, labels, notes)


def read_word_predictions(system: str, path: Path, gold: WordLabels, *, encoding: str = "utf-8") -> list[WordLabels]:
    """Read predictions for the words of ``gold``, in their order; several methods give ``system/method`` each."""
    file = _table(path, encoding)
    known = set(gold.words)
    first = file.texts[0].split("\t")
    if len(first) == 6 and tuple(first[1:4]) in known and tuple(first[:3]) not in known:
        methods = _submitted(file)
    else:
        methods = {"": _annotated(file)}
    names = {method: system if len(methods) == 1 else f"{system}/{method}" for method in methods}
    return [_aligned(names[method], rows, gold) for method, rows in methods.items()]


def _table(path: Path, encoding: str) -> TextFile:
    file = read_lines(path, encoding=encoding)
    if not file.texts:
        raise InputError(f"{file.name}: the file is empty; give a line per word: {_LAYOUTS}")
    return file


def _annotated(file: TextFile) -> _Lines:
    width = file.texts[0].count("\t") + 1
    cells = list(_cells(file, (4, 6)))
    if uneven := [line for line, each in enumerate(cells, 1) if len(each) != width]:
        raise InputError(f"{file.name}: line {uneven[0]} has {len(cells[uneven[0] - 1])} fields, line 1 {width}")
    words = tuple((each[0], each[1], each[2]) for each in cells)
    return _Lines(
        file.name, tuple(range(1, len(cells) + 1)), words, tuple(zip(*(each[3:] for each in cells), strict=True))
    )


def _submitted(file: TextFile) -> dict[str, _Lines]:
    methods: dict[str, list[tuple[int, list[str]]]] = {}
    for line, cells in enumerate(_cells(file, (6,)), 1):
        methods.setdefault(cells[0], []).append((line, cells))
    return {
        method: _Lines(
            file.name,
            tuple(line for line, _ in rows),
            tuple((cells[1], cells[2], cells[3]) for _, cells in rows),
            tuple(zip(*(cells[4:] for _, cells in rows), strict=True)),
        )
        for method, rows in methods.items()
    }


def _cells(file: TextFile, widths: Sequence[int]) -> Iterator[list[str]]:
    for line, text in enumerate(file.texts, 1):
        cells = [cell.strip() for cell in text.split("\t")]
        if not any(cells):
            raise InputError(f"{file.name}: line {line} is empty; give a line per word, and no others")
        if len(cells) not in widths:
            raise InputError(f"{file.name}: line {line} has {len(cells)} fields between tabs; allowed: {_LAYOUTS}")
        yield cells


def _aligned(system: str, rows: _Lines, gold: WordLabels) -> WordLabels:
    """Predictions in the order of the gold labels, one for every word of theirs and for no other."""
    _refuse_twice(rows)
    places = {word: place for place, word in enumerate(rows.words)}
    known = {word[:2]: word for word in gold.words}
    for line, word in zip(rows.lines, rows.words, strict=True):
        if (right := known.get(word[:2])) is None:
            raise InputError(
                f"{rows.name}: line {line}: got word {word[1]!r} of segment {word[0]!r}, which {gold.name} does not "
                f"have; its first is word {gold.words[0][1]!r} of segment {gold.words[0][0]!r}; allowed: {_LAYOUTS}"
            )
        if right != word:
            raise InputError(
                f"{rows.name}: line {line}: word {word[1]} of segment {word[0]} is {word[2]!r}, but {right[2]!r} in "
                f"{gold.name}"
            )
    if missing := [word for word in gold.words if word not in places]:
        raise InputError(
            f"{rows.name}: {system} has no label for {counted(len(missing), 'word')} of {len(gold.words):,}; the first "
            f"is word {missing[0][1]} ({missing[0][2]!r}) of segment {missing[0][0]}"
        )
    labels, notes = _labels(rows, system)
    order = [places[word] for word in gold.words]
    return WordLabels(
        system, gold.words, {each: tuple(kinds[i] for i in order) for each, kinds in labels.items()}, notes
    )


def _refuse_twice(rows: _Lines) -> None:
    seen: dict[tuple[str, str], int] = {}
    for line, word in zip(rows.lines, rows.words, strict=True):
        if seen.setdefault(word[:2], line) != line:
            raise InputError(
                f"{rows.name}: line {line}: word {word[1]} of segment {word[0]} stands in line {seen[word[:2]]} too"
            )


def _labels(rows: _Lines, name: str) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """The labels by granularity, and notes on what was guessed, derived and contradictory."""
    three = len(rows.columns) == 3
    given: dict[str, tuple[str, ...]] = {}
    notes: list[str] = []
    for number, column in enumerate(rows.columns):
        if all(cell in _NOTHING for cell in column):
            continue
        last_of_two = len(rows.columns) == 2 and number == 1
        granularity = GRANULARITIES[number] if three else BINARY if last_of_two else None
        labels = _canonical(column, rows, granularity)
        if granularity is None:
            granularity = granularity_of(labels)
            notes.append(f"{name}: its labels are taken for {granularity} ones")
        given.setdefault(granularity, labels)
    if not given:
        raise InputError(f"{rows.name}: has no labels at all")
    finest = next(each for each in GRANULARITIES if each in given)
    for granularity in GRANULARITIES[GRANULARITIES.index(finest) + 1 :]:
        derived = tuple(coarser(label, granularity) for label in given[finest])
        if granularity not in given:
            given[granularity] = derived
            notes.append(f"{name}: {granularity} labels follow from {finest} ones")
        elif given[granularity] != derived:
            notes.append(_contradiction(rows, given[granularity], derived, finest, granularity, name))
    return {each: given[each] for each in GRANULARITIES if each in given}, tuple(notes)


def _canonical(column: Sequence[str], rows: _Lines, granularity: str | None) -> tuple[str, ...]:
    allowed = set(LABELS[granularity]) if granularity else set(LABELS[MULTI]) | set(LABELS[BINARY])
    labels = []
    for line, text in zip(rows.lines, column, strict=True):
        label = canonical(text)
        if label is None or label not in allowed:
            names = ", ".join(sorted(allowed))
            what = f"a {granularity} label" if granularity else "a label"
            raise InputError(f"{rows.name}: line {line}: got {text!r} for {what}; allowed: {names}")
        labels.append(label)
    if granularity is None and "BAD" in labels and (finer := set(labels) - set(LABELS[BINARY])):
        line = rows.lines[labels.index("BAD")]
        raise InputError(
            f"{rows.name}: line {line}: got BAD, but other lines have {sorted(finer)[0]}; labels of one column must be "
            "of one granularity"
        )
    return tuple(labels)


def _contradiction(
    rows: _Lines, labels: Sequence[str], derived: Sequence[str], finest: str, granularity: str, name: str
) -> str:
    wrong = np.flatnonzero(np.array(labels) != np.array(derived))
    lines = ", ".join(str(rows.lines[i]) for i in wrong[:_NAMED]) + (", …" if len(wrong) > _NAMED else "")
    return (
        f"{name}: {granularity} labels of {counted(len(wrong), 'word')} contradict the {finest} ones (line"
        f"{'s' if len(wrong) > 1 else ''} {lines}); both are scored as they are"
    )
