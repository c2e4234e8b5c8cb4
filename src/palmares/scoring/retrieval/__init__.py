"""Searches by what they find: runs and judgments in TREC's formats, or queries that systems translated."""

from __future__ import annotations

from .score import RetrievalScores, score_retrieval
from .search import BM25, search_translations
from .trec import Qrels, Run, Runs, read_qrels, read_run, read_runs, run_text

__all__ = [
    "BM25",
    "Qrels",
    "RetrievalScores",
    "Run",
    "Runs",
    "read_qrels",
    "read_run",
    "read_runs",
    "run_text",
    "score_retrieval",
    "search_translations",
]
