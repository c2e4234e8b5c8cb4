"""What the results of a language pair are made of: each part as the command gives it whose name stands beside it.

All of them have the defaults of the command line, so that ``palmares campaign export --up-to ANSWER`` and the command
make the same again, to the last digit. What cannot be made says why.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from typing import Any

from ...analysis.agreement import Agreement
from ...analysis.agreement.run import agreement
from ...analysis.judges import Judges
from ...analysis.judges.run import judges
from ...analysis.meetings import meetings
from ...compute import Execution
from ...design.forecast import forecast_of
from ...design.targets import Target
from ...errors import PalmaresError
from ...judgments import Judgments
from ...models import DEFAULT_MODEL
from ...models.by_name import create
from ...ranking.judge_aware import judge_aware_note
from ...ranking.rank import rank
from ...ranking.result import Ranking

log = logging.getLogger("palmares.campaign")

#: The seed of every command, unless it is told another one.
SEED = 0
#: In this process alone: the other cores are for those who answer requests.
_HERE = Execution("serial", seed=SEED)
#: Of a ranking, what grows with the square of the number of systems, and nobody sees on the page.
_NOT_KEPT = ("better", "difference_errors", "record", "forecast")


def ranked(data: Judgments, rule: str) -> tuple[dict[str, Any], Ranking | None]:
    """The ranking, with the forecast of open boundaries and of ``stop.rule``: ``palmares rank --forecast``."""
    try:
        ranking = rank(data, execution=_HERE)
    except Exception as error:
        return {"found": None, "why": _why(error)}, None
    found = {key: value for key, value in ranking.to_dict().items() if key not in _NOT_KEPT}
    found["forecast"], found["no_forecast"] = None, ""
    try:
        ahead = forecast_of(ranking, Target.parse(rule) if rule else None)
        found["forecast"] = ahead.to_dict(ranking.fit.systems)
    except Exception as error:
        found["no_forecast"] = _why(error)
    return {"found": _plain(found), "why": ""}, ranking


def met(data: Judgments, systems: tuple[str, ...]) -> dict[str, Any]:
    """How often every two systems were compared; outputs that were one and the same are not."""
    counted = meetings(data.without_forced_ties(), systems).parts[0]
    return {"systems": list(systems), "met": [[round(number) for number in row] for row in counted.met.tolist()]}


def noted(data: Judgments) -> dict[str, Any]:
    """Whether a model that knows the judges predicts these judgments better: the last note of ``palmares rank``."""

    def note() -> dict[str, Any]:
        said = judge_aware_note(data.without_forced_ties(), create(DEFAULT_MODEL), _HERE)
        return {"note": said or ""}

    return _tried(note)


def agreed(data: Judgments) -> dict[str, Any]:
    """How far judges agree: ``palmares agreement``."""

    def measured() -> dict[str, Any]:
        found: Agreement = agreement(data, execution=_HERE)
        return {key: value for key, value in found.to_dict().items() if key != "record"}

    return _tried(measured)


def judged(data: Judgments) -> dict[str, Any]:
    """What an organiser should know of each judge: ``palmares judges``."""

    def known() -> dict[str, Any]:
        found: Judges = judges(data, execution=_HERE)
        return {key: value for key, value in found.to_dict().items() if key != "record"}

    return _tried(known)


#: Parts that take longer than a ranking, and may rest on an earlier answer.
SLOW: Mapping[str, Callable[[Judgments], dict[str, Any]]] = {"note": noted, "agreement": agreed, "judges": judged}


def milestone_of(ranking: Ranking) -> dict[str, Any]:
    """A ranking in short: of every system the rank range (null: it has none), the rank and the score."""
    return {
        "systems": {
            line.system: [*(line.range or (None, None)), line.rank, _plain(line.score)] for line in ranking.lines
        }
    }


def _tried(make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return {"found": _plain(make()), "why": ""}
    except Exception as error:
        return {"found": None, "why": _why(error)}


def _why(error: Exception) -> str:
    """Why there is no result: too little of something, a fit that does not converge, or a fault of ours."""
    if isinstance(error, PalmaresError):
        return str(error)
    log.error("a part of the results could not be made", exc_info=error)
    return "this could not be computed; the log of the server says why"


def _plain(value: Any) -> Any:
    """What JSON can hold: no numbers that are none, and no others than Python's."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
