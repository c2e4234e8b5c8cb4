"""What can be asked of judgments beyond a ranking: one room per command.

`describe`, `agreement`, `audit` and `compare` take `Judgments`, `diff` two rankings; each returns a frozen result with
a `record` of how it was made. `report` turns results into tables and pictures.
"""
