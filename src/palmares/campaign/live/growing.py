"""The judgments of one language pair, kept along as answers come in: those that an export up to an answer has."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl
import sqlalchemy as sa

from ...ingest.base import RECORD, ReadOptions
from ...judgments import Judgments
from ...judgments.origin import Origin, SourceFile
from .. import schema
from ..collected import answer_columns, answered, judgments_of, read_answers, since_when

_JUDGMENT, _PAIR = schema.judgment.c, schema.language_pair.c
_LAST_SYSTEM = sa.select(sa.func.max(schema.system.c.id), sa.func.count()).where(
    schema.system.c.language_pair_id == sa.bindparam("pair")
)
_SYSTEMS = (
    sa.select(schema.output_system.c.output_id, schema.system.c.name, schema.system.c.added_after)
    .join(schema.system, schema.output_system.c.system_id == schema.system.c.id)
    .where(schema.system.c.language_pair_id == sa.bindparam("pair"))
    .order_by(schema.output_system.c.output_id, schema.system.c.name)
)
_ANY_PROGRAM = sa.select(schema.person.c.id).where(
    schema.person.c.campaign_id == sa.bindparam("campaign"), schema.person.c.program
)
#: A program's answer in any language pair of a campaign.
_PROGRAMS = (
    sa.select(_JUDGMENT.id)
    .join(schema.served, _JUDGMENT.served_id == schema.served.c.id)
    .join(schema.person, schema.served.c.person_id == schema.person.c.id)
    .join(schema.screen, schema.served.c.screen_id == schema.screen.c.id)
    .where(schema.person.c.campaign_id == sa.bindparam("campaign"), schema.person.c.program)
    .where(schema.screen.c.purpose == "judge", _JUDGMENT.skip.is_(None), _JUDGMENT.id <= sa.bindparam("upto"))
    .limit(1)
)


class Growing:
    """Answers are read once, and kept; a later revision takes the place of an earlier one."""

    def __init__(self, campaign_id: int, pair_id: int, name: str) -> None:
        self._campaign_id, self._pair_id, self._name = campaign_id, pair_id, name
        self._answers: pl.DataFrame | None = None
        self._systems: pl.DataFrame | None = None
        self._known: tuple[int | None, int] = (None, 0)
        #: Whether programs judge in the campaign: then all judgments say who is one.
        self._programs = False
        #: All answers up to this number have been read, and the last of them that is of this language pair.
        self.upto = self.last = 0

    def read(self, tx: sa.Connection, upto: int) -> int:
        """Take in the answers up to a number; how many there were."""
        self._read_systems(tx)
        new = (_JUDGMENT.id > self.upto, _JUDGMENT.id <= upto, _PAIR.id == self._pair_id)
        query = answered(self._campaign_id, answer_columns(), revisions=True)
        # In the order of numbers, so that only what is new is looked at.
        query = query.where(*new).order_by(None).order_by(_JUDGMENT.id)
        answers = read_answers(tx, query)
        if answers.height:
            self._keep(answers)
            self.last = int(answers["answer"][-1])
            self._programs = self._programs or self._has_programs(tx)
        self.upto = upto
        return answers.height

    def _has_programs(self, tx: sa.Connection) -> bool:
        """Whether a program has judged anything in the campaign; most have none."""
        asked = {"campaign": self._campaign_id, "upto": self.last}
        return tx.execute(_ANY_PROGRAM, asked).first() is not None and tx.execute(_PROGRAMS, asked).first() is not None

    def judgments(self, left_out: Collection[str], *, watched: bool) -> Judgments | None:
        """The judgments so far, without those of judges who are left out; None if there are none."""
        if self._answers is None or self._systems is None:
            return None
        parsed = judgments_of(
            self._answers, self._systems, ReadOptions(), watched=watched, left_out=left_out, programs=self._programs
        )
        if not parsed.rows.height:
            return None
        origin = Origin((SourceFile(self._name, "campaign", parsed.records),), notes=parsed.notes)
        return Judgments.from_rows(parsed.rows, origin)

    def _keep(self, new: pl.DataFrame) -> None:
        whole = new if self._answers is None else pl.concat([self._answers, new])
        if whole[RECORD].is_duplicated().any():
            whole = whole.unique(RECORD, keep="last", maintain_order=True)
        self._answers = whole.sort(RECORD)

    def _read_systems(self, tx: sa.Connection) -> None:
        """Which systems are behind an output; read again when there are more systems."""
        row = tx.execute(_LAST_SYSTEM, {"pair": self._pair_id}).one()
        known = (row[0], int(row[1]))
        if self._systems is None or known != self._known:
            types = {"places": pl.Int64(), "system": pl.String(), "since": pl.Int64()}
            rows = tx.execute(_SYSTEMS, {"pair": self._pair_id}).all()
            self._systems, self._known = since_when(pl.DataFrame(rows, schema=types, orient="row")), known
