"""What trec_eval measures, query by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...errors import MissingExtraError
from ...judgments import FloatArray
from ..comparison import Measure
from .trec import Qrels, Run

#: Every measure with trec_eval's name for it, in the order of W14's Table 27.
_NAMES: Mapping[str, str] = {
    "P@5": "P_5",
    "P@10": "P_10",
    "NDCG@5": "ndcg_cut_5",
    "NDCG@10": "ndcg_cut_10",
    "MAP": "map",
    "Rprec": "Rprec",
    "bpref": "bpref",
    "rel. retrieved": "num_rel_ret",
}
#: The one that is added up over queries; of the others the mean is taken.
RETRIEVED = "rel. retrieved"
MEASURES: tuple[Measure, ...] = tuple(
    Measure(name, limits=(0.0, np.inf), digits=0) if name == RETRIEVED else Measure(name, limits=(0.0, 1.0), digits=4)
    for name in _NAMES
)
#: By which tables are ordered.
PRIMARY = "MAP"


def evaluated(qrels: Qrels, run: Run, queries: Sequence[str], level: int) -> FloatArray:
    """All measures of a run: an array (queries, measures); 0 for a query that the run does not have."""
    try:
        from pytrec_eval import RelevanceEvaluator
    except ImportError:
        raise MissingExtraError("scoring retrieval", "scoring", "pytrec_eval") from None
    grades = {query: dict(qrels.grades[query]) for query in queries}
    found = {query: dict(run.scores[query]) for query in queries if run.scores.get(query)}
    values = RelevanceEvaluator(grades, set(_NAMES.values()), relevance_level=level).evaluate(found)
    table = np.zeros((len(queries), len(_NAMES)))
    for row, query in enumerate(queries):
        if query in values:
            table[row] = [values[query][name] for name in _NAMES.values()]
    return table
