"""`check`: every check of the registry on one test set."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .. import TEXT_CHECKS
from ..testset import TestSet
from .findings import CheckReport, Finding, Places, in_order

Check = Callable[[TestSet], Iterable[Finding]]


def check(testset: TestSet, *, only: Iterable[str] | None = None) -> CheckReport:
    """Look for what is commonly wrong with test sets; ``only`` names some of `palmares.texts.TEXT_CHECKS`."""
    found: list[Finding] = []
    for id in TEXT_CHECKS if only is None else only:
        run: Check = TEXT_CHECKS.load(id)
        found += run(testset)
    return CheckReport(testset.langs, len(testset), in_order(found), Places.of(testset))
