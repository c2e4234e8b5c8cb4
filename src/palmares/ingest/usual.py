"""The names that columns usually have."""

from __future__ import annotations

from collections.abc import Mapping

#: For every role the usual column names, best first, in small letters and figures only.
GUESSES: Mapping[str, tuple[str, ...]] = {
    "system_a": ("systema", "modela", "left", "system1", "system1id", "model1", "modelx", "systemleft", "itema", "a"),
    "system_b": ("systemb", "modelb", "right", "system2", "system2id", "model2", "modely", "systemright", "itemb", "b"),
    "outcome": ("outcome",),
    "winner": ("winner", "winnermodel", "preference", "preferred", "vote", "verdict", "judgment", "label", "result"),
    "winner_a": ("winnermodela", "winnersystema", "winnera", "awins", "awin", "awon", "modelawins", "winnerleft"),
    "winner_b": ("winnermodelb", "winnersystemb", "winnerb", "bwins", "bwin", "bwon", "modelbwins", "winnerright"),
    "winner_tie": ("winnertie", "tie", "ties", "tied", "istie", "draw"),
    "winner_both_bad": ("winnerbothbad", "winnertiebothbad", "bothbad", "tiebothbad"),
    "loser": ("loser", "losermodel"),
    "rank_a": ("ranka", "system1rank", "rank1"),
    "rank_b": ("rankb", "system2rank", "rank2"),
    "chosen": ("chosenmodel", "chosensystem", "chosen"),
    "rejected": ("rejectedmodel", "rejectedsystem", "rejected"),
    "system": ("system", "systemid", "systemname", "model", "modelid", "mtsystem", "sys"),
    "score": ("score", "rating", "da", "esa", "likert", "grade", "rawscore", "value"),
    "lang_pair": ("langpair", "languagepair", "lp", "langs", "direction"),
    "source_lang": ("srclang", "sourcelang", "sourcelanguage", "src"),
    "target_lang": ("trglang", "tgtlang", "targetlang", "targetlanguage", "trg", "tgt"),
    "segment": (
        "segment", "segmentid", "segid", "srcindex", "sentenceid", "itemid", "item", "questionid", "promptid", "prompt",
        "instanceid", "docid",
    ),
    "document": ("document", "documentid", "docid", "doc", "documentname", "docname"),
    "judge": (
        "judge", "judgeid", "annotator", "annotatorid", "worker", "workerid", "rater", "raterid", "user", "username",
        "userid", "login", "evaluator", "assessor", "evaluationsessionid",
    ),
    "ranking": ("ranking", "rankingid", "hit", "hitid", "taskid", "screen"),
    "weight": ("weight", "weights"),
    "position_a": ("positiona",),
    "position_b": ("positionb",),
    "forced": ("forced", "forcedtie"),
    "time": ("time", "timestamp", "tstamp", "createdat", "date", "endtime"),
    "duration": ("duration", "seconds", "elapsed", "timetaken"),
}  # fmt: skip

#: Names among these that only may mean the role: who reads a result is told that they were taken for it.
LOOSE: Mapping[str, frozenset[str]] = {
    "system_a": frozenset(("left", "itema", "a")),
    "system_b": frozenset(("right", "itemb", "b")),
    "winner": frozenset(("vote", "judgment", "label", "result")),
    "score": frozenset(("grade", "value")),
    "lang_pair": frozenset(("langs", "direction")),
    "source_lang": frozenset(("src",)),
    "target_lang": frozenset(("trg", "tgt")),
    "segment": frozenset(("item", "prompt", "instanceid", "docid")),
    "judge": frozenset(("user", "username", "userid", "login")),
    "ranking": frozenset(("hit", "hitid", "taskid", "screen")),
}
#: A column that is named for a role stands instead of what was guessed for others that say the same.
INSTEAD_OF: Mapping[str, tuple[str, ...]] = {
    "winner": ("outcome",),
    "rank_a": ("outcome", "winner"),
    "rank_b": ("outcome", "winner"),
    "score": ("outcome", "winner"),
    "source_lang": ("lang_pair",),
    "target_lang": ("lang_pair",),
}
#: Columns that may say how often a record counts.
COUNTS = frozenset(("count", "counts", "n", "votes", "nvotes", "freq", "frequency", "times"))
