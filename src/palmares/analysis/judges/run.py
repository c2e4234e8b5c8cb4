"""`judges`: what an organiser should know of each judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import expit, ndtri

from ...compute import Execution, RngLike
from ...errors import InputError
from ...ingest.given import judgments_of
from ...judgments import BoolArray, FloatArray, IntArray, Judgments
from ...models.base import check_one_lang_pair
from ...ranking.record import Record
from ..agreement import Kappa, agreement
from .answers import Answers, answers_of
from .consensus import Consensus, consensus_of, largest
from .evidence import Ordinary, decided_drift, evidence_of, ordinary_of
from .exclusion import without_flagged
from .flags import Case, Suspicion, cleared, first_interval, first_share, suspicion_of
from .habits import Habits, habits_of
from .notes import notes_on, notes_on_false_flags, notes_on_judgments
from .programs import programs_of
from .result import JudgeLine, Judges
from .simulation import false_flags_of
from .times import Times, times_of

#: Of the intervals of κ that flags are weighed with: 95 %.
_LEVEL = 0.05


def judges(
    judgments: Judgments | Any,
    *,
    programs: str | None = None,
    program: str | Sequence[str] = (),
    exclude_flagged: bool = False,
    false_flags: int = 0,
    p: float = 0.05,
    rng: RngLike = None,
    execution: Execution | None = None,
) -> Judges:
    """Say what an organiser should know of each judge, with questions where something stands out.

    Strengths of the systems are those of the model `ordinal`, fitted to people; each judge is compared with the fit of
    the others, and programs with all people.

    Parameters
    ----------
    judgments
        Judgments of one language pair that name judges; a data frame or the path of a file is read. Weights play no
        part.
    programs
        An extra column that marks judgments by programs: yes and no, llm and human, or the like. Without one, the
        column ``program`` of a campaign's export marks them.
    program
        Names of judges that are programs, or shell patterns of them.
    exclude_flagged
        Also rank without the people who are flagged, and say what changes.
    false_flags
        Also simulate so many campaigns like this one in which nobody answers at random, and say how many judges are
        flagged in them.
    p
        1 − p is the level of intervals: .05 for 95 % intervals. Flags do not depend on it.
    rng
        A seed for the rankings of ``exclude_flagged`` and for simulated campaigns; None draws one.
    execution
        Where they run.
    """
    judgments = judgments_of(judgments, "judges")
    check_one_lang_pair(judgments)
    if not judgments.has("judge"):
        raise InputError(
            "the judgments do not say who judged; name the column with --column judge=NAME (columns={'judge': 'NAME'} "
            "from Python)"
        )
    if not 0 < p < 1:
        raise InputError(f"p: got {p}; allowed: between 0 and 1, e.g. 0.05")
    if false_flags < 0:
        raise InputError(f"false_flags: got {false_flags}; allowed: a number of campaigns, 0 for none")
    execution = Execution.prepared(execution, rng)
    is_program = programs_of(judgments, programs, [program] if isinstance(program, str) else program)
    panel = Panel.of(_each_once(judgments), ~is_program)
    lines = panel.lines(p)
    flagged = np.array([line.flagged for line in lines], dtype=bool)
    changes, said = (
        without_flagged(judgments, ~is_program, flagged, p, execution) if exclude_flagged else (None, list[str]())
    )
    measured = false_flags_of(panel, false_flags, execution) if false_flags else None
    asked = {"exclude_flagged": exclude_flagged, "false_flags": false_flags}
    return Judges(
        lang_pair=judgments.lang_pairs[0] if judgments.lang_pairs else None,
        lines=tuple(sorted(lines, key=_order)),
        answer=panel.answer,
        random=panel.ordinary.random,
        spread=panel.ordinary.sd,
        p=p,
        record=_record(
            judgments, panel, {name: value for name, value in asked.items() if value}, p=p, seed=execution.seed
        ),
        changes=changes,
        false_flags=measured,
        notes=(*notes_on_judgments(judgments), *notes_on(panel, lines), *notes_on_false_flags(measured), *said),
    )


def _each_once(judgments: Judgments) -> Judgments:
    """The same judgments without weights."""
    return judgments if judgments.weights is None else replace(judgments, frame=judgments.frame.drop("weight"))


def _record(judgments: Judgments, panel: Panel, asked: Mapping[str, Any], *, p: float, seed: int | None) -> Record:
    """How the result was made; a seed is part of it only where something was drawn."""
    people = int(panel.person.sum())
    facts = {
        "model": panel.consensus.fit.model.id,
        "people": people,
        "programs": len(panel.person) - people,
        **asked,
        **({"seed": seed} if asked else {}),
        "p": p,
        "systems": len(judgments.systems),
        "judgments": len(judgments),
        "data": judgments.hash,
    }
    return Record.of(facts, origin=judgments.origin)


def _order(line: JudgeLine) -> tuple[bool, bool, float, str]:
    """Flagged people first, then people, then programs; those who judged most before others."""
    return (line.program, not line.flagged, -line.judgments, line.judge)


@dataclass(frozen=True)
class Panel:
    """Everybody who judged, and what was found of them.

    ``part`` are the judgments among systems that people put on one scale, ``rows`` the same as arrays; ``linked`` are
    those of them whose systems others link, and ``gap`` is how far apart these are. ``code`` is the number of every
    judge in ``part``, −1 for those who have no judgment there.
    """

    judgments: Judgments = field(repr=False)
    person: BoolArray = field(repr=False)
    answers: Answers = field(repr=False)
    part: Judgments = field(repr=False)
    rows: Answers = field(repr=False)
    code: IntArray = field(repr=False)
    linked: Answers = field(repr=False)
    gap: FloatArray = field(repr=False)
    consensus: Consensus = field(repr=False)
    habits: Habits = field(repr=False)
    ordinary: Ordinary
    suspicion: Suspicion = field(repr=False)
    times: Times | None = field(repr=False)

    @classmethod
    def of(cls, judgments: Judgments, person: BoolArray) -> Panel:
        answers = answers_of(judgments)
        by_people = np.append(person, True)[answers.judge]
        if not by_people.any():
            raise InputError("all judges are programs, so there are no people to compare them with")
        part = judgments.keep(largest(judgments.filter(by_people).counts.components()))
        known = {name: number for number, name in enumerate(part.judges)}
        code = np.array([known.get(name, -1) for name in judgments.judges])
        people = np.zeros(len(part.judges), dtype=bool)
        people[code[code >= 0]] = person[code >= 0]
        rows = answers_of(part)
        consensus = consensus_of(part, rows, people)
        linked = rows.chosen(consensus.linked & (rows.judge >= 0))
        gap = consensus.gap(linked)
        fit = consensus.fit
        habits = habits_of(linked, gap, (fit.place.width, fit.spreads[1]), fit.covariance)
        evidence = evidence_of(linked, gap, habits.width, habits.shift)
        ordinary = ordinary_of(evidence, people)
        suspicion = suspicion_of(evidence, ordinary, linked.units)
        times = times_of(judgments, answers, person)
        return cls(
            judgments, person, answers, part, rows, code, linked, gap, consensus, habits, ordinary, suspicion, times
        )

    @property
    def answer(self) -> str:
        """What one answer is called."""
        return "ranking" if self.judgments.has("ranking") else "judgment"

    def lines(self, p: float) -> list[JudgeLine]:
        """One line per judge, in the order of their codes."""
        kappas = _kappas(self.judgments, self.person, p)
        # What is asked does not depend on the level of intervals.
        usual = kappas if p == _LEVEL else _kappas(self.judgments, self.person, _LEVEL)
        case = self._case(*np.array([_with_error(usual.get(judge)) for judge in range(len(self.person))]).T)
        return [self._line(name, judge, case, kappas.get(judge), p) for judge, name in enumerate(self.judgments.judges)]

    def _per_judge(self, values: FloatArray | IntArray | BoolArray, missing: float) -> FloatArray:
        """Values by the codes of ``part`` as values of all judges."""
        return np.append(values.astype(np.float64), missing)[self.code]

    def _case(self, kappa: FloatArray, kappa_error: FloatArray) -> Case:
        rows, linked, gap = self.answers, self.linked, self.gap
        decided = linked.per_judge(linked.y != 0)
        agreed = linked.per_judge((linked.y != 0) * (1 + np.sign(gap) * linked.y) / 2)
        usual = np.exp(self.ordinary.mean) * gap
        drift = decided_drift(usual, self.habits.width[linked.judge], np.zeros_like(gap))
        expected = linked.per_judge((linked.y != 0) * (1 + np.abs(drift)) / 2)
        width = self.consensus.fit.place.width
        delta = 0.0 if width is None else float(np.exp(width))
        tied = linked.per_judge(expit(usual + delta) - expit(usual - delta))
        count = rows.per_judge(np.ones(len(rows)))
        return Case(
            suspicion=Suspicion(
                z=self._per_judge(self.suspicion.z, 0.0),
                chance=cleared(
                    self._per_judge(self.suspicion.chance, self.ordinary.random), kappa, kappa_error, self.person
                ),
                ordinary_p=self._per_judge(self.suspicion.ordinary_p, 1.0),
                enough=self._per_judge(self.suspicion.enough, False).astype(bool),
            ),
            habits=self._habits(),
            times=self.times,
            judgments=count.astype(np.int64),
            answers=rows.units,
            linked=self._per_judge(linked.units, 0).astype(np.int64),
            ties=rows.per_judge(rows.y == 0) / count,
            usual_ties=self._per_judge(_shares(tied, linked.per_judge(np.ones(len(linked)))), np.nan),
            agreement=self._per_judge(_shares(agreed, decided), np.nan),
            expected=self._per_judge(_shares(expected, decided), np.nan),
            decided=self._per_judge(decided, 0).astype(np.int64),
            placed=self._per_judge(linked.per_judge(linked.first != 0), 0).astype(np.int64),
            person=self.person,
            answer=self.answer,
            converged=self.consensus.fit.convergence.converged,
        )

    def _habits(self) -> Habits:
        habits, missing = self.habits, np.full((1, 3), np.nan)
        values, errors = (np.concatenate([each, missing])[self.code] for each in (habits.values, habits.errors))
        return Habits(values, errors, self._per_judge(habits.df, np.nan), habits.tied)

    def _line(self, name: str, judge: int, case: Case, kappa: Kappa | None, p: float) -> JudgeLine:
        shared, habits, times = bool(case.linked[judge]), case.habits, self.times
        widths = habits.interval(judge, 1, p) if shared else None
        # Judges at random pull the fit's own scale; the middle of the ordinary ones is 1 here.
        usual, span = float(np.exp(self.ordinary.mean)), habits.interval(judge, 0, p) if shared else None
        return JudgeLine(
            judge=name,
            program=not self.person[judge],
            judgments=int(case.judgments[judge]),
            answers=int(case.answers[judge]),
            ties=float(case.ties[judge]),
            seconds=None if times is None or not times.answers[judge] else float(times.median[judge]),
            sensitivity=float(habits.values[judge, 0]) / usual if shared else None,
            sensitivity_interval=None if span is None else (span[0] / usual, span[1] / usual),
            tie_width=float(habits.width[judge]) if shared and habits.tied else None,
            tie_width_interval=None if widths is None else (float(np.exp(widths[0])), float(np.exp(widths[1]))),
            decided=int(case.decided[judge]),
            agreement=_or_none(case.agreement[judge]),
            expected=_or_none(case.expected[judge]),
            kappa=kappa,
            first=first_share(habits, judge) if case.placed[judge] else None,
            first_interval=first_interval(habits, judge, p) if case.placed[judge] else None,
            random=float(case.suspicion.chance[judge]) if shared else None,
            enough=bool(case.suspicion.enough[judge]),
            shared=shared,
            flags=case.flags(judge),
        )  # fmt: skip


def _shares(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _with_error(kappa: Kappa | None) -> tuple[float, float]:
    """κ and its standard error, from its 95 % interval; NaN where there is none."""
    if kappa is None or kappa.kappa is None or kappa.interval is None:
        return np.nan, np.nan
    return kappa.kappa, (kappa.interval[1] - kappa.interval[0]) / 2 / float(ndtri(1 - _LEVEL / 2))


def _kappas(judgments: Judgments, person: BoolArray, p: float) -> dict[int, Kappa]:
    """κ of every judge with people, where they judged the same two systems on one segment."""
    if not judgments.has("segment"):
        return {}
    judge, found = judgments.codes("judge"), dict[int, Kappa]()
    number = {name: code for code, name in enumerate(judgments.judges)}
    people = np.append(person, False)[judge]
    groups = [(people, person)] if person.sum() > 1 else []
    groups += [
        (people | (judge == program), np.arange(len(person)) == program) for program in np.flatnonzero(~person).tolist()
    ]
    for rows, wanted in groups:
        for line in agreement(judgments.filter(rows), judges=True, p=p, rng=0).by_judge:
            if wanted[number[line.judge]]:
                found[number[line.judge]] = line.inter
    return found
