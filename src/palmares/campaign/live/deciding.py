"""Whether it is enough: what the online counts say is a guess; the ranking of the judgments so far decides.

The ranking is the one that anybody gets from the same judgments: ``palmares campaign export --up-to ANSWER`` (with
``--left-out-as-of CHANGE``, if somebody was left out or taken back since) and ``palmares rank --looks any --seed 1``,
with ``--p`` as ``stop.p`` has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...design.forecast import forecast_of
from ...design.next.knowledge import Knowledge
from ...design.targets import Target
from ...errors import InputError
from ...ingest.base import ReadOptions
from ...judgments import Judgments
from ...ranking.anytime import Claims
from ...ranking.rank import rank
from ...ranking.result import Ranking
from ..collected import collect
from ..database import Database
from ..settings import StopSettings
from .process import SEED, Needing
from .tally import Tally


def ranking_upto(db: Database, needing: Needing, answer: int, left_out: int) -> Ranking:
    """The ranking of a language pair once the answer with this number was stored; refused if it cannot be ranked.

    ``left_out``: the last change to who is left out that it follows.
    """
    rows = collect(db, needing.campaign, ReadOptions(), upto=answer, left_out_as_of=left_out).rows
    if not rows.height:
        raise InputError("there are no judgments yet")
    parts = Judgments.from_rows(rows).split("lang_pair")
    part = parts.get(needing.pair.name, parts.get(None))
    if part is None:
        raise InputError(f"{needing.pair.name}: there are no judgments yet")
    return rank(part, p=needing.settings.stop.p, looks="any", rng=SEED)


def ranking_json(ranking: Ranking, answer: int, left_out: int) -> dict[str, Any]:
    """A ranking as a snapshot keeps it: what it says, and what tells it from all others."""
    lines = [
        {
            "system": line.system,
            "score": line.score,
            "rank": line.rank,
            "range": line.range,
            "cluster": line.cluster,
            "interval": line.interval,
            "error": line.error,
        }
        for line in ranking.lines
    ]
    boundaries = [[each.above, each.p, each.marginal, each.joint] for each in ranking.boundaries]
    return {
        "answer": answer,
        "left_out": left_out,
        "judgments": ranking.judgments,
        "data": ranking.record.facts["data"],
        "signature": ranking.signature,
        "systems": lines,
        "boundaries": boundaries,
        "notes": list(ranking.notes),
    }


def decided(claims: Claims, stop: StopSettings) -> bool:
    """Whether these boundaries are what the rule asks for."""
    return bool(stop.rule) and Target.parse(stop.rule).is_met(claims)


@dataclass(frozen=True)
class Verdict:
    """Whether it is enough, where the rule stands, and the ranking that says so, if one was computed."""

    met: bool
    standing: dict[str, Any]
    ranking: Ranking | None

    @classmethod
    def unknown(cls, stop: StopSettings, tally: Tally) -> Verdict:
        """Before there is any judgment."""
        return cls(False, {"answer": tally.upto, "left_out": tally.left_out, "rule": stop.rule, "clusters": 1}, None)

    @classmethod
    def of(cls, stop: StopSettings, tally: Tally, knowledge: Knowledge, ranking: Ranking | None) -> Verdict:
        """By the ranking; without one, what is known online says where the rule stands, and never that it is enough.

        A forecast is made of a ranking, and kept with it; who reads what came later looks it up there.
        """
        ranked = None if ranking is None else ranking.claims
        claims = knowledge.claims if ranked is None else ranked
        # A system that was added late may have no judgment yet: nothing is decided without it.
        of_all = ranking is not None and len(ranking.lines) == len(tally.systems)
        met = ranked is not None and of_all and decided(ranked, stop)
        standing = {
            "answer": tally.upto,
            "left_out": tally.left_out,
            "rule": stop.rule,
            "judgments": tally.total,
            "online": ranked is None,
            "clusters": len(claims.blocks),
            "pairs": _separated(claims),
            "widest": max(end - start for start, end in claims.blocks),
            "best": bool(claims.claimed[0]),
            "forecast": None if ranking is None or ranked is None else _foreseen(ranking, stop),
        }
        return cls(met, standing, ranking)


def _foreseen(ranking: Ranking, stop: StopSettings) -> dict[str, Any]:
    """How many more judgments the open boundaries and the rule are expected to take, by name."""
    told = forecast_of(ranking, Target.parse(stop.rule) if stop.rule else None).to_dict(ranking.fit.systems)
    return {key: told[key] for key in ("judgments", "horizon", "level", "boundaries", "target")}


def _separated(claims: Claims) -> float:
    """The share of pairs of systems in different clusters."""
    n = len(claims.order)
    together = sum((end - start) * (end - start - 1) for start, end in claims.blocks)
    return 1 - together / (n * (n - 1))
