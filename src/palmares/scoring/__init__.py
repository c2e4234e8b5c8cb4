"""The other tasks of a shared-task year: translations scored automatically, quality estimation, retrieval.

`translation`, `quality` and `retrieval` are a room each; they share the bootstrap over segments (`resampling`), tests
and winners (`comparison`) and records (`record`).
"""
