"""How the analysis of a campaign stands, for organisers and monitors. It is read from snapshots; nothing is computed.

It names systems, so nothing of it may reach a judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

import sqlalchemy as sa

from . import schema
from .database import Database
from .definition import PairInfo
from .live.claim import holder
from .live.process import SEED, Watchlist, needs_analysis
from .settings import Settings, StopSettings
from .snapshots import Snapshot, answers_so_far, forecast_upto, newest

#: Open boundaries that are named one by one.
_NAMED = 3


@dataclass(frozen=True)
class Analysed:
    """A language pair whose strategy learns, or which stops by a rule on the ranking.

    ``strategy`` is the one in use now: ``balanced`` while what is known lags too far behind. ``snapshot`` is the
    version of the last one (None: there is none yet), ``behind`` how many answers came after it, ``at`` when it was
    made. ``met`` says whether ``rule`` is, and ``answer`` at which answer that was seen. ``standing`` is where the rule
    stands.
    """

    strategy: str
    wanted: str
    snapshot: int | None
    behind: int
    lag: int
    at: datetime | None
    rule: str
    met: bool
    answer: int | None
    standing: dict[str, Any] | None
    p: float = 0.05

    #: Of every ranking that decides.
    seed: ClassVar[int] = SEED

    @property
    def level(self) -> str:
        """The option of ``palmares rank`` for p, where it is not the usual."""
        return "" if self.p == StopSettings().p else f" --p {self.p:g}"

    @property
    def says(self) -> tuple[str, ...]:
        """All of it in sentences, without the full stops."""
        return (*(() if self.met else (self._choosing,)), *self._stopping(), *self._forecast())

    @property
    def _choosing(self) -> str:
        if self.snapshot is None:
            return f"chosen by {self.strategy}: nothing has been analysed yet"
        seen = f"snapshot {self.snapshot}, {self.behind} {_s('answer', self.behind)} behind"
        if self.behind > self.lag:
            return f"chosen by {self.strategy}: the analysis lags (choice.lag is {self.lag}; {seen})"
        if self.strategy != self.wanted:
            return f"chosen by {self.strategy}: {self.wanted} has nothing to prefer ({seen})"
        return f"chosen by {self.strategy} ({seen})"

    def _stopping(self) -> tuple[str, ...]:
        said = self.standing
        if not self.rule or said is None or self.snapshot is None:
            return ()
        if not self.met:
            return (f"{self.rule} is not reached: {_reached(self.rule, said)}",)
        return (f"{self.rule} was reached at answer {self.answer}: {_reached(self.rule, said)}",)

    def _forecast(self) -> tuple[str, ...]:
        known = (self.standing or {}).get("forecast")
        if known is None or self.met:
            return ()
        needs = [f"{_about(need)} to separate {need['above']} from {need['below']}" for need in known["boundaries"]]
        more = [f"{len(needs) - _NAMED} more boundaries are open"] if len(needs) > _NAMED else []
        target = known.get("target")
        whole = [f"{_about(target)} until {self.rule}"] if target and self.rule else []
        return (*whole, *needs[:_NAMED], *more)


def analysed(tx: sa.Connection, pair: PairInfo, settings: Settings) -> Analysed | None:
    """How the analysis of a language pair stands; None if its campaign asks for none."""
    if not needs_analysis(settings):
        return None
    last, choice, stop = newest(tx, pair.id), settings.choice, settings.stop
    behind = answers_so_far(tx, pair.id) - (0 if last is None else last.answers)
    decides = last is not None and last.decides(stop)
    met = last is not None and decides and last.met
    return Analysed(
        strategy=_in_use(tx, last, behind, settings),
        wanted=choice.strategy,
        snapshot=None if last is None else last.version,
        behind=max(0, behind),
        lag=choice.lag,
        at=None if last is None else last.created_at,
        rule=stop.rule,
        met=met,
        answer=last.standing["answer"] if met and last is not None and last.standing else None,
        standing=_standing(tx, last) if last is not None and decides else None,
        p=stop.p,
    )


def analysis_health(db: Database) -> str:
    """Whether somebody analyses who should: ``ok``, ``not needed``, ``not running`` or ``lagging``."""
    wanted = Watchlist(db).needing(closed=False)
    if not wanted:
        return "not needed"
    with db.read() as tx:
        now = holder(tx)
        if now is None or not now.lives(db.clock()):
            return "not running"
        standings = [analysed(tx, each.pair, each.settings) for each in wanted]
    return "lagging" if any(each is not None and each.behind > each.lag for each in standings) else "ok"


def _in_use(tx: sa.Connection, last: Snapshot | None, behind: int, settings: Settings) -> str:
    """What the next screen is chosen by."""
    choice = settings.choice
    if not choice.learns:
        return choice.strategy
    if last is None or behind > choice.lag or last.strategy != choice.strategy:
        return "balanced"
    there = sa.select(schema.snapshot.c.id).where(
        schema.snapshot.c.id == last.id, schema.snapshot.c.choices.is_not(None)
    )
    return choice.strategy if tx.execute(there).first() is not None else "balanced"


def _standing(tx: sa.Connection, last: Snapshot) -> dict[str, Any] | None:
    """Where the rule stands, with the last forecast that there is."""
    if last.standing is None or last.standing.get("forecast") is not None:
        return last.standing
    return {**last.standing, "forecast": forecast_upto(tx, last)}


def _reached(rule: str, said: dict[str, Any]) -> str:
    """How far a rule is, in its own words."""
    kind, _, value = rule.partition("=")
    if "pairs" not in said:
        return "there are no judgments yet"
    if kind == "clusters":
        return f"{said['clusters']} of {value} clusters"
    if kind == "pairs":
        return f"{100 * said['pairs']:.0f} % of pairs separated, of {100 * float(value):g} %"
    if kind == "widest":
        return f"the widest rank range is {said['widest']}, to be {value}"
    return f"the best system is {'' if said['best'] else 'not yet '}separated from all others"


def _about(need: dict[str, Any]) -> str:
    """``about 180 more judgments (90–410)``; what lies beyond the horizon is not named."""
    if need["median"] is None:
        known = need["low"] is not None
        return f"at least {need['low']:,} more judgments" if known else "more judgments than can be foreseen"
    reach = f"{need['low']:,} or more" if need["high"] is None else f"{need['low']:,}–{need['high']:,}"
    return f"about {need['median']:,} more judgments ({reach})"


def _s(word: str, number: int) -> str:
    return word if number == 1 else f"{word}s"
