"""Audits as tables: what checks found, and which claims of the ranking the judgments support."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..analysis.audit.claims import Claim
from ..analysis.audit.findings import Finding, Interval, decimals
from ..analysis.audit.run import Audit
from .ranking import notes_of
from .tables import Column, Grouped, Table, View, chance_text, interval_text, level_text, share_text

_MOST_SUBJECTS = 20
_IS = {"best": "best", "above": "above the next"}


def tables(results: Sequence[Grouped[Audit]], part: str | None = None) -> list[Table]:
    """Findings and claims, or only ``findings``, ``claims`` or ``details``."""
    layout = {"findings": _findings, "claims": _claims, "details": _details}.get(part or "all")
    if layout is not None:
        return [layout(each.result, each.title) for each in results]
    # Two tables of one audit need one signature.
    return [
        table
        for each in results
        for table in (replace(_findings(each.result, each.title), signature=None), _claims(each.result, each.title))
    ]


def flat(results: Sequence[Grouped[Audit]], part: str | None = None) -> list[Table]:
    """Findings, or the part that was asked for, with the group in front."""
    rows_of = {"claims": _claim_rows, "details": _detail_rows}.get(part or "findings", _finding_rows)
    return [_flat(each, rows_of(each.result)) for each in results]


VIEW = View(tables, flat, grouped=True, parts=("all", "findings", "claims", "details"))


def _findings(audit: Audit, title: str | None) -> Table:
    """One row per check; below, what each found in words, flags first."""
    interval = f"{level_text(audit.p)} interval"
    columns = [
        Column("flag"), Column("check", align="left", if_long="whole"), Column("effect", _effect),
        Column(interval, _span), Column("of what", align="left", if_long="wrap"), Column("p", chance_text),
        Column("adjusted", chance_text), Column("power", share_text),
    ]  # fmt: skip
    rows = [
        [
            _flag(f), f.check, f.effect, f.interval, "not checked" if f.skipped is not None else f.effect_name, f.p,
            f.adjusted, None if f.power is None else f.power.probability,
        ]
        for f in audit.findings
    ]  # fmt: skip
    unknown = [f.check for f in audit.findings if f.p is not None and f.interval is None]
    why = f"note: without an interval, because nothing varies that could give one: {', '.join(unknown)}"
    notes = [*_sentences(audit), *_powers(audit), *(["", why] if unknown else [])]
    return Table(columns, rows, title, signature=audit.signature, notes=notes, keys=(0, 1))


def _claims(audit: Audit, title: str | None) -> Table:
    """One row per claim: by how much, how sure, and the verdict; systems in order, each above that of the next row."""
    kind = "normal " if audit.ranking.df is None else ""  # else of a t distribution
    columns = [
        Column("system", align="left"), Column("is", align="left"), Column("by", _effect),
        Column(f"{kind}{level_text(audit.p)} interval", _span), Column("holds", share_text),
        Column("by judges", share_text), Column("adjusted p", chance_text),
        Column("verdict", align="left", if_long="wrap"),
    ]  # fmt: skip
    rows: list[list[Any]] = [
        [c.system, _IS[c.kind], c.difference, c.interval, c.probability, c.by_judge, c.adjusted, _verdict(c)]
        for c in audit.claims
    ]  # fmt: skip
    rows.append([audit.claims[-1].other, "last", None, None, None, None, None, ""])
    notes = [
        "holds: share of bootstrap samples in which the claim holds; by judges: of samples that draw whole judges.",
        "interval: of the difference of scores, from its standard error; where no sample can contradict a claim, the "
        "error is that of a fit with half a win more for each. adjusted p: as rank has it, of all pairs or boundaries.",
        *(["–: the two are level in every sample."] if any(c.interval is None for c in audit.claims) else []),
        *notes_of(audit.ranking),
    ]
    return Table(columns, rows, title, frozenset({1}), audit.signature, notes, keys=(0, 1))


def _details(audit: Audit, title: str | None) -> Table:
    """The judges, pairs, systems or places behind every finding."""
    interval = f"{level_text(audit.p)} interval"
    columns = [
        Column("check", align="left", if_long="whole"), Column("who", align="left", if_long="wrap"),
        Column("effect", _effect), Column(interval, _span),
        Column("p", chance_text), Column("detail", align="left", if_long="wrap"),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    rules = set()
    for finding in audit.findings:
        rules.add(len(rows))
        shown = finding.subjects[:_MOST_SUBJECTS]
        rows += [[finding.check, s.name, s.effect, s.interval, s.p, s.detail] for s in shown]
    cut = [f.check for f in audit.findings if len(f.subjects) > _MOST_SUBJECTS]
    notes = [f"The first {_MOST_SUBJECTS} of each check; JSON has all of {', '.join(cut)}."] if cut else []
    return Table(columns, rows, title, frozenset(rules - {0}), audit.signature, notes, keys=(0, 1))


def _flat(each: Grouped[Audit], rows: Sequence[dict[str, Any]]) -> Table:
    front = dict(each.group)
    body = [[*front.values(), *row.values()] for row in rows]
    notes = notes_of(each.result.ranking)
    return Table([Column(name) for name in (*front, *rows[0])], body, signature=each.result.signature, notes=notes)


def _finding_rows(audit: Audit) -> list[dict[str, Any]]:
    names = ("check", "flagged", "effect", "effect_name", "low", "high", "p", "adjusted", "test", "skipped", "sentence")
    return [
        {
            **{n: _value(f, n) for n in names},
            "power": None if f.power is None else f.power.probability,
            "alternative": None if f.power is None else f.power.alternative,
        }
        for f in audit.findings
    ]


def _claim_rows(audit: Audit) -> list[dict[str, Any]]:
    names = (
        "sentence", "kind", "system", "other", "difference", "low", "high", "probability", "by_judge", "p", "adjusted",
        "boundary", "joint", "verdict", "reasons", "breaking",
    )  # fmt: skip
    return [{n: _value(c, n) for n in names} for c in audit.claims]


def _detail_rows(audit: Audit) -> list[dict[str, Any]]:
    names = ("name", "effect", "low", "high", "p", "detail")
    return [{"check": f.check, **{n: _value(s, n) for n in names}} for f in audit.findings for s in f.subjects]


def _value(of: Any, name: str) -> Any:
    """A field as CSV has it: the two ends of an interval apart, lists joined."""
    if name in ("low", "high"):
        return None if of.interval is None else of.interval[name == "high"]
    value = getattr(of, name)
    return "; ".join(value) if isinstance(value, tuple) else value


def _flag(finding: Finding) -> str:
    if finding.skipped is not None:
        return "–"
    return "yes" if finding.flagged else "no"


def _sentences(audit: Audit) -> list[str]:
    """Lines that are a list in Markdown too."""
    ordered = sorted(audit.findings, key=lambda f: (not f.flagged, f.skipped is not None))
    marks = ["- ! " if finding.flagged else "- " for finding in ordered]
    return ["", *[f"{mark}{f.check}: {f.sentence}" for mark, f in zip(marks, ordered, strict=True)]]


def _powers(audit: Audit) -> list[str]:
    """What each check would have found, and how likely."""
    powers = [(f.check, f.power) for f in audit.findings if f.power is not None]
    said = [f"- {check}: {power.alternative}: {share_text(power.probability)}" for check, power in powers]
    return (
        ["", "power: how likely each check would find one such fault, if nothing else is wrong:", *said] if said else []
    )


def _verdict(claim: Claim) -> str:
    if not claim.reasons:
        return claim.verdict
    if claim.verdict == "not shown":
        return f"{claim.verdict}: {'; '.join(claim.reasons)}"
    return f"{claim.verdict}: not {', not '.join(claim.reasons)}"


def _effect(value: float | None) -> str:
    """Whole numbers as they are, others with three decimals, or fewer if they are large."""
    if value is None:
        return "–"
    if value == round(value):
        return f"{value:,.0f}".replace("-", "−")
    return decimals(value, 1 if abs(value) >= 100 else 3)


def _span(value: Interval | None) -> str:
    """Ends as effects are written, or with as many decimals as tell them apart."""
    if value is None:
        return "–"
    low, high = map(_effect, value)
    return interval_text(value) if low == high else f"[{low}, {high}]"
