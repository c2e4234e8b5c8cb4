"""Comparisons as arrays, in the form that the samplers of latent qualities read."""

from __future__ import annotations

from typing import NamedTuple

from ..judgments import IntArray


class Comparisons(NamedTuple):
    """Comparisons of items, in an order that depends on their content only.

    An item is one system's output for one segment. A comparison whose two items nobody else saw is *lone*: only its
    cell (a, b, outcome) matters, so equal ones are counted. The others fall into *blocks* of items that comparisons
    link; block k has the items ``item_starts[k]`` to ``item_starts[k + 1]`` and the rows of ``row_starts``.
    """

    cells: IntArray  # (kinds, 3): a, b, outcome (+1, 0, −1 as a sees it)
    copies: IntArray  # how many lone comparisons of each kind
    author: IntArray  # the system of every item
    first: IntArray  # the items of every row that is not lone, and its outcome as the first sees it
    second: IntArray
    outcome: IntArray
    item_starts: IntArray
    row_starts: IntArray
