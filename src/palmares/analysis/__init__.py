"""What can be asked of judgments beyond a ranking: one room a command.

`describe`, `agreement`, `audit`, `compare` and `diff`; each takes `Judgments` (or results, for `diff`) and returns a frozen
result with a `record` of how it was made. `report` turns results into tables and pictures.
"""
