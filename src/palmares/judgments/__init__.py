"""The one table in the middle: judgments in canonical form, their pair counts, cells and digest, and their units.

Everything that reads files makes a `Judgments`; everything that computes takes one, or its `PairCounts`. What follows
from them alone is here: the code of cells (`counts`), what is drawn together (`units`), the kinds of array (`arrays`).
"""

from __future__ import annotations

from .arrays import BoolArray, CodeArray, FloatArray, IntArray
from .counts import (
    OUTCOMES,
    PairCounts,
    cell_count,
    circles,
    decode_cells,
    encode_cells,
    encode_pairs,
    outcome_index,
    pairs_of,
)
from .digest import row_words
from .encoding import A_BETTER, B_BETTER, EXTRA_PREFIX, NAME_COLUMNS, TIE, VALUE_COLUMNS, sides_of
from .forced import FORCED_TIES, ForcedTies, Kept, settle_forced_ties
from .origin import Origin, SourceFile
from .table import Judgments
from .units import (
    FEW_UNITS,
    LEAST_UNITS,
    TWO_WAY,
    UNITS,
    Unit,
    UnitKinds,
    check_units,
    choose_unit,
    few_units,
    known_units,
    linked_unit,
    sitting_kinds,
    unit_codes,
    unit_count,
    unit_kinds,
)
from .weighing import WEIGHINGS, Weighing

__all__ = [
    "A_BETTER",
    "B_BETTER",
    "EXTRA_PREFIX",
    "FEW_UNITS",
    "FORCED_TIES",
    "LEAST_UNITS",
    "NAME_COLUMNS",
    "OUTCOMES",
    "TIE",
    "TWO_WAY",
    "UNITS",
    "VALUE_COLUMNS",
    "WEIGHINGS",
    "BoolArray",
    "CodeArray",
    "FloatArray",
    "ForcedTies",
    "IntArray",
    "Judgments",
    "Kept",
    "Origin",
    "PairCounts",
    "SourceFile",
    "Unit",
    "UnitKinds",
    "Weighing",
    "cell_count",
    "check_units",
    "choose_unit",
    "circles",
    "decode_cells",
    "encode_cells",
    "encode_pairs",
    "few_units",
    "known_units",
    "linked_unit",
    "outcome_index",
    "pairs_of",
    "row_words",
    "settle_forced_ties",
    "sides_of",
    "sitting_kinds",
    "unit_codes",
    "unit_count",
    "unit_kinds",
]
