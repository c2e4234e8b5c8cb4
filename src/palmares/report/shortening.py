"""Text measured in the cells of a terminal, where 日 takes two and a combining mark none: wrapped, or shortened."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile

ELLIPSIS = "…"
#: A name is never cut to less than one letter, an ellipsis and one letter.
_NARROWEST = 3
#: What parts of a name stand between: newstest2016.KIT.4482.de-en, org/model.
_BETWEEN_PARTS = frozenset("./:|@")
#: What is left of so many names is compared with all others; of more, it would take too long.
_MOST_COMPARED = 500
#: A sign that stays with the number before it, and how that is kept until lines are broken.
_SIGN, _KEPT = " %", "\xa0%"

#: Pieces of one name that a shortened form shows, with an ellipsis between them.
_Pieces = tuple[str, ...]
#: Picks the pieces from the letters of a name; none, where the name is too short for it.
_Cut = Callable[[Sequence[str]], _Pieces]


def cells(text: str) -> int:
    """How many cells of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrapped(text: str, width: int, *, indent: str = "") -> list[str]:
    """Lines of at most ``width`` cells, broken at spaces; a longer word stays whole, so that it can be copied.

    Parameters
    ----------
    indent
        What lines after the first begin with.
    """
    lines: list[str] = []
    line = ""
    for word in text.replace(_SIGN, _KEPT).split(" "):
        longer = f"{line} {word}" if line.strip() else line + word
        if line.strip() and cells(longer) > width:
            lines.append(line)
            line = indent + word
        else:
            line = longer
    return [each.replace(_KEPT, _SIGN) for each in (*lines, line)]


def longest_word(text: str) -> int:
    """The fewest cells in which a text can be wrapped."""
    return max(map(cells, text.replace(_SIGN, _KEPT).split(" ")))


def shortened(names: Iterable[str], width: int) -> dict[str, str]:
    """Every name in at most ``width`` cells: long ones lose what they share, ``…KIT.4482…``, then their middle.

    What is shown of a name fits no other of the names, so nobody takes one for another. All are cut at the same place,
    if one can be found that tells them apart; else each where it differs, with a piece from the middle if need be, and
    a number where nothing else tells two apart.
    """
    width = max(width, _NARROWEST)
    letters = {name: _letters(name) for name in dict.fromkeys(names)}
    shown = {name: name for name in letters if cells(name) <= width}
    left = [name for name in letters if name not in shown]
    if not left:
        return shown
    if own := _own_parts({name: letters[name] for name in left}, width, shown):
        return shown | own
    longest = max(len(letters[name]) for name in left)
    for cut in _cuts(width):
        told = _told_apart(cut, letters, left, shown)
        if len(told) == len(left):
            return shown | told
    for cut in (*_cuts(width), *_cuts_with_middle(width, longest)):
        shown |= _told_apart(cut, letters, left, shown)
        left = [name for name in left if name not in shown]
        if not left:
            break
    for name in left:
        shown[name] = next(text for text in _numbered(letters[name], width) if text not in shown.values())
    return shown


def _own_parts(letters: Mapping[str, Sequence[str]], width: int, shown: Mapping[str, str]) -> dict[str, str] | None:
    """Names without the parts that all begin and end with, ``newstest2016.`` and ``.de-en``; None without such parts.

    None too where what is left of a name also fits another.
    """
    spelled = list(letters.values())
    before = _shared_parts(spelled)
    after = _shared_parts([of_name[: before - 1 : -1] if before else of_name[::-1] for of_name in spelled])
    for first, last in dict.fromkeys([(before, 0), (0, after), (before, after)]):
        own = {name: "".join(of_name[first : len(of_name) - last]) for name, of_name in letters.items()}
        sides = [ELLIPSIS if first else "", ELLIPSIS if last else ""]
        room = width - sum(map(cells, sides))
        fits = all(cells(text) <= room for text in own.values())
        if not (first or last) or room < _NARROWEST or not (fits or (first, last) == (before, after)):
            continue
        short = shortened(own.values(), room)
        found = {name: short[text].join(sides) for name, text in own.items()}
        if all(_fits_only(text, name, (*letters, *shown)) for name, text in found.items()):
            return found
    return None


def _shared_parts(spelled: Sequence[Sequence[str]]) -> int:
    """How many letters all begin with, up to the last dot, slash or the like among them; 0 for one name or too many."""
    if not 2 <= len(spelled) <= _MOST_COMPARED:
        return 0
    shared = list(takewhile(lambda same: len(set(same)) == 1, zip(*spelled, strict=False)))
    return max((k + 1 for k, (letter, *_) in enumerate(shared) if letter in _BETWEEN_PARTS), default=0)


def _fits_only(text: str, name: str, names: Iterable[str]) -> bool:
    """Whether a name is the only one that a text with ellipses can stand for."""
    pattern = re.compile(".*".join(map(re.escape, text.split(ELLIPSIS))), re.DOTALL)
    return [other for other in names if pattern.fullmatch(other)] == [name]


def _told_apart(
    cut: _Cut, letters: Mapping[str, Sequence[str]], wanted: Iterable[str], shown: Mapping[str, str]
) -> dict[str, str]:
    """Those of the wanted names that a cut tells from all others, as it shows them."""
    pieces = {name: cut(of_name) for name, of_name in letters.items()}
    often, taken = Counter(pieces.values()), set(shown.values())
    return {
        name: text
        for name in wanted
        if often[pieces[name]] == 1
        and (text := ELLIPSIS.join(pieces[name])) not in taken
        and _fits_one(pieces[name], letters)
    }


def _cuts(width: int) -> Iterator[_Cut]:
    """Ways to cut out the middle, the best first: half way, then further and further from there."""
    room = width - 1
    for tail in sorted(range(1, room), key=lambda t: abs(t - room // 2)):
        yield lambda letters, tail=tail: (_first(letters, room - tail), _last(letters, tail))  # type: ignore[misc]


def _cuts_with_middle(width: int, longest: int) -> Iterator[_Cut]:
    """Ways to keep a piece of the middle, from every letter on."""
    if (side := (width - 2) // 3) > 0:
        for start in range(1, longest):
            yield lambda letters, start=start: _with_middle(letters, start, side, width)  # type: ignore[misc]


def _fits_one(pieces: _Pieces, names: Iterable[str]) -> bool:
    """Whether a single name has these pieces, in this order; a beginning and an end were counted already."""
    if len(pieces) != 3:
        return bool(pieces)
    head, middle, tail = pieces
    fitting = (n for n in names if n.startswith(head) and n.endswith(tail) and middle in n[len(head) : -len(tail)])
    return len(list(islice(fitting, 2))) == 1


def _with_middle(letters: Sequence[str], start: int, side: int, width: int) -> _Pieces:
    """A piece from each end and one from ``start``; nothing where the name is too short for that."""
    between, room = letters[start : len(letters) - side], width - 2 - 2 * side
    if sum(map(cells, between)) < room:
        return ()
    return _first(letters, side), _first(between, room), _last(letters, side)


def _numbered(letters: Sequence[str], width: int) -> Iterator[str]:
    """``newstest…2``, ``newstest…3`` and so on."""
    number = 1
    while True:
        number += 1
        end = f"{ELLIPSIS}{number}"
        yield _first(letters, width - cells(end)) + end


def _letters(text: str) -> list[str]:
    """The text in pieces that must not be torn: a letter with its marks, an emoji made of several."""
    if text.isascii():
        return list(text)
    pieces: list[str] = []
    for sign in text:
        if pieces and (cells(sign) == 0 or pieces[-1].endswith("\u200d")):
            pieces[-1] += sign
        else:
            pieces.append(sign)
    return pieces


def _first(letters: Sequence[str], room: int) -> str:
    """As many letters from the beginning as fit."""
    taken = ""
    for letter in letters:
        room -= cells(letter)
        if room < 0:
            break
        taken += letter
    return taken


def _last(letters: Sequence[str], room: int) -> str:
    """As many letters from the end as fit."""
    taken = ""
    for letter in reversed(letters):
        room -= cells(letter)
        if room < 0:
            break
        taken = letter + taken
    return taken
