"""From judgments to a ranking: fit, bootstrap, rank ranges and intervals, clusters, sign tests, head-to-head tables.

`rank.rank` is the door; it returns a `result.Ranking`, whose `record.Record` says how it was made.
"""

from __future__ import annotations

#: What rank ranges can come from: everything that ``resample=`` takes besides None. It stands here because the help of
#: ``--resample`` imports nothing heavier. The units that can be drawn are those of `palmares.judgments.units`.
SOURCES = (
    "auto", "two-way", "pair", "ranking", "segment", "judge", "posterior", "sign-test", "one-sided-sign-test", "none"
)  # fmt: skip

#: How often the judgments may have been looked at before: everything that ``looks=`` takes.
LOOKS = ("auto", "once", "any")
