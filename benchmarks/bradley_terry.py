"""Bradley–Terry with ties, 1000 resamples, against what else there is."""

from __future__ import annotations

from .common import measure, report
from .data import EVALICA_VOTES

_SETUP = """
import palmares as pm
from palmares.models.bradley_terry import BradleyTerry
from palmares import Execution
from palmares.ranking.bootstrap import resample
judgments = pm.simulate(systems={systems}, rankings={rankings}, judges=200, segments=3000, rng=0).judgments
counts = judgments.counts
resample(BradleyTerry(), counts, unit="pair", resamples=2, execution=Execution(seed=0))
"""
_OURS = 'resample(BradleyTerry(), counts, unit="pair", resamples=1000, execution=Execution(seed=0))'

_EVALICA_RUN = (
    "evalica.bootstrap(evalica.bradley_terry, *given, n_resamples={resamples}, bootstrap_method='percentile', "
    "random_state=0)"
)
_PEER_RESAMPLES = 50

_ARENA = """
import pandas as pd
from arena_rank.models.bradley_terry import BradleyTerry as ArenaModel
from arena_rank.utils.data_utils import PairDataset
votes = judgments.to_rows()
word = {1: "model_a", 0: "tie", -1: "model_b"}
frame = pd.DataFrame({
    "model_a": votes["system_a"].to_list(), "model_b": votes["system_b"].to_list(),
    "winner": [word[o] for o in votes["outcome"]],
})
"""
_ARENA_RUN = """
data = PairDataset.from_pandas(frame)
ArenaModel(n_competitors=len(data.competitors)).compute_ratings_and_cis(data)
"""


def main() -> None:
    small = _SETUP.format(systems=15, rankings=8_000)
    large = _SETUP.format(systems=200, rankings=200_000)
    ours, our_memory = measure(_OURS, setup=small)
    evalica, evalica_memory = measure(
        _EVALICA_RUN.format(resamples=_PEER_RESAMPLES), setup=small + EVALICA_VOTES, repeats=1
    )
    evalica *= 1000 / _PEER_RESAMPLES
    arena, arena_memory = measure(_ARENA_RUN, setup=small + _ARENA, repeats=1)
    many, many_memory = measure(_OURS, setup=large, repeats=1)
    size, big = "80,000 of 15", "2,000,000 of 200"
    rows = [
        [size, "palmares, Davidson, 1000 resamples", ours, round(our_memory), 1.0],
        [size, "evalica, bootstrap of 1000", evalica, round(evalica_memory), evalica / ours],
        [size, "arena-rank, one fit with sandwich intervals", arena, round(arena_memory), arena / ours],
        [big, "palmares, Davidson, 1000 resamples", many, round(many_memory), many / ours],
    ]
    report(
        "bradley-terry",
        "Bradley–Terry with ties: judgments and systems",
        ["judgments", "what", "seconds", "peak MiB", "ratio to the first line"],
        rows,
        [
            f"evalica 0.4.2 with ties as half wins, {_PEER_RESAMPLES} resamples measured, scaled to 1000; its memory "
            "grows with their number. arena-rank 0.1.1 with its data preparation. Targets: 100 × evalica, 20 × "
            "arena-rank, under 400 MB, at most 6 s for 2 million. Peak memory includes making up the judgments.",
        ],
    )


if __name__ == "__main__":
    main()
