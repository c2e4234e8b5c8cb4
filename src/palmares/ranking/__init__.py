"""From judgments to a ranking: fit, bootstrap, rank ranges and intervals, clusters, sign tests, head-to-head tables.

`rank.rank` is the door; it returns a `result.Ranking`, whose `record.Record` says how it was made.
"""
