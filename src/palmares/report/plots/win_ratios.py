"""What simulated campaigns look like: win ratios, pairs told apart, errors of rankings (Koehn 2012, Figures 1–3)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...experiments.base import Reproduction, Row
from ...experiments.k12 import P, thousands
from .reproduced import along, experiment, quick_note, value
from .sizes import Area, Panels, broken, heading, sized
from .theme import INK, LABEL, PALETTE, PERCENT, altair, themed

_PANEL, _LEAST = Area(300, 230), Area(110, 80)
_SMALL, _COLUMNS = Area(215, 150), 3
#: The size of the font of what stands below the name of a panel; what both may take beside its width; and how much
#: wider the bold letters of the name are.
_WORDS, _AROUND, _BOLD = 11, 16, 1.12
_PAD = {"left": 10, "top": 10, "right": 16, "bottom": 10}
_DASHES = ([1, 0], [5, 3], [2, 2], [8, 3, 2, 3])
#: A band has so many standard deviations of single campaigns on either side.
_REACH = 2


# -- Figure 1 --------------------------------------------------------------------------------------------


def win_ratio_plot(
    result: Reproduction,
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """Win ratios by place, printed and simulated, one panel per campaign (Koehn 2012, Figure 1).

    Dots are the win ratios that the paper prints. A line is the mean of simulated campaigns, its band ± 2 standard
    deviations of a single one: where σ² is a standard deviation, as the paper's figures need it, and where it is a
    variance, as its text has it.

    Parameters
    ----------
    result
        The reproduced experiment ``k12-win-ratios``.
    title
        Instead of the group or the reference, and the kind of plot.
    group
        What the campaigns are, in words.
    width, height
        Of the whole picture, in pixels; by default what it needs.

    Returns
    -------
    An Altair chart; `palmares.report.plots.save` writes it to a file.
    """
    panels = along(experiment(result, "k12-win-ratios").rows, "Figure 1, ")
    words = [
        f"dots: printed; line: mean of {result.settings['campaigns']:,} simulated campaigns; band: ± {_REACH} standard "
        "deviations of a campaign",
        "σ: systems as far apart as the paper's figures need; σ²: the same number as a variance, as its text has it",
        *quick_note(result),
    ]

    def panel(alt: Any, name: str, curves: Mapping[str, list[Row]], area: Area, first: bool) -> Any:
        return _win_ratios(alt, curves, area, first=first).properties(
            **_sized_and_named(alt, name.removesuffix(", by place"), [], area)
        )

    return _panels(panels, panel, title or _titled(result, group, "win ratios"), words, (width, height), _PANEL)


def _win_ratios(alt: Any, curves: Mapping[str, list[Row]], area: Area, *, first: bool) -> Any:
    lines = {label: rows for label, rows in curves.items() if label != "printed"}
    # Labels name the campaign's own σ; both panels have the same two kinds.
    kinds = {label: "σ² a variance" if "σ²" in label else "σ a standard deviation" for label in lines}
    places = len(curves["printed"])
    step = 1 if area.width / places >= 17 else 2
    x = alt.X("place:Q", title="place", scale=alt.Scale(domain=[0.5, places + 0.5], nice=False),
              axis=alt.Axis(values=list(range(1, places + 1, step)), format="d", labelOverlap=False))  # fmt: skip
    unit: dict[str, Any] = {"title": "win ratio" if first else None, "scale": alt.Scale(domain=[0, 1], nice=False),
                            "axis": alt.Axis(format=".1f", tickCount=5)}  # fmt: skip
    rows = [
        {"kind": kinds[label], "place": int(row.at), "ratio": value(row), **_band(row)}
        for label, line in lines.items()
        for row in line
    ]
    dots = [{"place": int(row.at), "ratio": row.published} for row in curves["printed"]]
    colour, dash = _told_apart(alt, list(kinds.values()), "kind")
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, color=colour)
    return alt.layer(
        base.mark_area(opacity=0.18).encode(y=alt.Y("low:Q", **unit), y2="high:Q"),
        base.mark_line(strokeWidth=2).encode(y=alt.Y("ratio:Q", **unit), strokeDash=dash),
        alt.Chart(alt.Data(values=dots))
        .mark_point(filled=True, color=INK, size=40, opacity=1)
        .encode(x=x, y=alt.Y("ratio:Q", **unit)),
    )


def _band(row: Row) -> dict[str, float]:
    """Where most single campaigns lie: the standard error of their mean times the root of their number is their own."""
    reach = 0.0 if row.error is None else _REACH * row.error * math.sqrt(row.n or 1)
    return {"low": max(0.0, value(row) - reach), "high": min(1.0, value(row) + reach)}


# -- Figure 2 --------------------------------------------------------------------------------------------


def separation_plot(
    result: Reproduction,
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """The share of pairs of systems that sign tests tell apart, by judgments, one panel per campaign (Figure 2).

    Solid lines are campaigns, means over orders of their rankings; dashed lines simulated ones with the σ that
    follows best; thick and thin ones the test: one-sided, as the paper's figures need it, or two-sided.

    Parameters
    ----------
    result
        The reproduced experiment ``k12-curves``.
    title
        Instead of the group or the reference, and the kind of plot.
    group
        What the campaigns are, in words.
    width, height
        Of the whole picture, in pixels; by default what it needs.

    Returns
    -------
    An Altair chart; `palmares.report.plots.save` writes it to a file.
    """
    shown = experiment(result, "k12-curves")
    panels = along(shown.rows, "Figure 2, ")
    sizes = {thousands(size): size for size in result.settings["sizes"]}
    sigmas = {row.label: row for row in shown.rows if row.group == "σ fitted"}
    words = [
        "solid: the campaign, mean over orders of its rankings; dashed: simulated, with the σ that follows it best",
        f"thick: one-sided sign tests, as published, thin: two-sided ones, p ≤ {P:g}; σ: by the one and by the other",
        *quick_note(result),
    ]

    def panel(alt: Any, name: str, curves: Mapping[str, list[Row]], area: Area, first: bool) -> Any:
        campaign, _, systems = name.removesuffix(": pairs told apart").rpartition(" (")
        below = [systems.removesuffix(")"), _sigma_text(sigmas, campaign)]
        return _separated(alt, curves, sizes, area, first=first).properties(
            **_sized_and_named(alt, campaign, below, area)
        )

    name = title or _titled(result, group, "pairs told apart")
    return _panels(panels, panel, name, words, (width, height), _SMALL)


def _sigma_text(sigmas: Mapping[str, Row], campaign: str) -> str:
    """``σ 9 and 10, printed 9``: by the one-sided and by the two-sided test."""
    found = [row for label, row in sigmas.items() if label.rpartition(", ")[0] == campaign]
    text = " and ".join(f"{value(row):.0f}" for row in found)
    known = [row.published for row in found if row.published is not None]
    return f"σ {text}" + (f", printed {known[0]:.0f}" if known else "")


def _separated(
    alt: Any, curves: Mapping[str, list[Row]], sizes: Mapping[str, int], area: Area, *, first: bool
) -> Any:  # fmt: skip
    tests = {"as published": "one-sided", "two-sided": "two-sided"}
    rows = [
        {
            "test": tests[label.rpartition(", ")[2]],
            "source": label.partition(",")[0],
            "judgments": sizes[row.at],
            "share": value(row),
        }
        for label, line in curves.items()
        for row in line
    ]
    x = _judgments(alt, list(sizes.values()), area)
    y = alt.Y("share:Q", title="pairs told apart" if first else None, scale=alt.Scale(domain=[0, 1]),
              axis=alt.Axis(labelExpr=PERCENT, values=[0, 0.2, 0.4, 0.6, 0.8, 1]))  # fmt: skip
    legend = {"title": None, "orient": "top", "direction": "horizontal", "symbolType": "stroke",
              "symbolSize": 400, "symbolOpacity": 1}  # fmt: skip
    colour = alt.Color("test:N", legend=alt.Legend(**legend),
                       scale=alt.Scale(domain=list(tests.values()), range=list(PALETTE[:2])))  # fmt: skip
    dash = alt.StrokeDash("source:N", legend=alt.Legend(**legend),
                          scale=alt.Scale(domain=["campaign", "simulated"], range=[[1, 0], [5, 3]]))  # fmt: skip
    # For print without colours, too.
    thick = alt.StrokeWidth("test:N", legend=alt.Legend(**legend),
                            scale=alt.Scale(domain=list(tests.values()), range=[2.8, 1.2]))  # fmt: skip
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, y=y, color=colour)
    return alt.layer(
        base.mark_line().encode(strokeDash=dash, strokeWidth=thick),
        base.transform_filter("datum.source == 'campaign'").mark_point(filled=True, size=22, opacity=1),
    )


# -- Figure 3 --------------------------------------------------------------------------------------------


def ranking_error_plot(
    result: Reproduction,
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """How often ranking methods put two systems in the wrong order, by judgments (Koehn 2012, Figure 3).

    On the left on the paper's scale, with the numbers that its text names as diamonds; on the right the share of pairs.

    Parameters
    ----------
    result
        The reproduced experiment ``k12-methods``.
    title
        Instead of the group or the reference, and the kind of plot.
    group
        What the campaigns are, in words.
    width, height
        Of the whole picture, in pixels; by default what it needs.

    Returns
    -------
    An Altair chart; `palmares.report.plots.save` writes it to a file.
    """
    shown = experiment(result, "k12-methods")
    panels = along(shown.rows, "Figure 3, ")
    sizes = {thousands(size): size for size in result.settings["sizes"]}
    methods = list(dict.fromkeys(label for curves in panels.values() for label in curves))
    printed = [
        {"method": row.label.partition(":")[0], "judgments": int(row.group.split()[0].replace(",", "")),
         "error": row.published}
        for row in shown.rows if row.published is not None
    ]  # fmt: skip
    words = [
        f"means of {result.settings['campaigns']:,} simulated campaigns with {result.settings['systems']} systems, "
        f"σ = {result.settings['sigma']}; bars: ± 2 standard errors",
        "diamonds: numbers that the text of the paper names",
        *quick_note(result),
    ]

    def panel(alt: Any, name: str, curves: Mapping[str, list[Row]], area: Area, first: bool) -> Any:
        kind, _, formula = name.removesuffix(" (%)").partition(": ")
        known = printed if kind == "as published" else []
        return _errors(alt, curves, methods, known, sizes, area, first=first).properties(
            **_sized_and_named(alt, kind, [formula], area)
        )

    name = title or _titled(result, group, "errors of rankings")
    return _panels(panels, panel, name, words, (width, height), _PANEL)


def _errors(
    alt: Any,
    curves: Mapping[str, list[Row]],
    methods: Sequence[str],
    printed: list[dict[str, Any]],
    sizes: Mapping[str, int],
    area: Area,
    *,
    first: bool,
) -> Any:
    rows: list[dict[str, Any]] = [
        {
            "method": label,
            "judgments": sizes[row.at],
            "error": value(row),
            "low": value(row) - 2 * (row.error or 0.0),
            "high": value(row) + 2 * (row.error or 0.0),
        }
        for label, line in curves.items()
        for row in line
    ]
    # A whole number of ticks, so that the names of panels stand at one height.
    top = 5 * math.ceil(max([row["high"] for row in rows] + [row["error"] for row in printed]) / 5)
    colour, dash = _told_apart(alt, methods, "method")
    x = _judgments(alt, list(sizes.values()), area)
    unit: dict[str, Any] = {"title": "error" if first else None, "scale": alt.Scale(domain=[0, top], nice=False),
                            "axis": alt.Axis(values=list(range(0, top + 1, 5)),
                                             labelExpr="datum.label + ' %'")}  # fmt: skip
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, color=colour)
    layers = [
        base.mark_line(strokeWidth=2).encode(y=alt.Y("error:Q", **unit), strokeDash=dash),
        base.mark_rule(opacity=0.6).encode(y=alt.Y("low:Q", **unit), y2="high:Q"),
        base.mark_point(filled=True, size=24, opacity=1).encode(y=alt.Y("error:Q", **unit)),
    ]
    if printed:
        # Of methods with the same number the later one is drawn larger, around the earlier.
        marks = [{**row, "size": 90 + 90 * methods.index(row["method"])} for row in printed]
        diamonds = alt.Chart(alt.Data(values=marks)).mark_point(shape="diamond", strokeWidth=1.6, opacity=1)
        layers.append(
            diamonds.encode(x=x, y=alt.Y("error:Q", **unit), color=colour, size=alt.Size("size:Q", scale=None))
        )
    return alt.layer(*layers)


# -- what all have in common -----------------------------------------------------------------------------


def _panels(
    panels: Mapping[str, Mapping[str, list[Row]]],
    panel: Any,
    name: str,
    words: list[str],
    size: tuple[int | None, int | None],
    usual: Area,
) -> Any:
    """One panel for every group of curves, in rows of three at most, with the legends of all above them."""
    alt = altair()
    across = min(_COLUMNS, len(panels))

    def draw(area: Area, width: int | None) -> Any:
        charts = [
            panel(alt, each, curves, area, number % across == 0) for number, (each, curves) in enumerate(panels.items())
        ]
        chart = alt.concat(*charts, columns=across, spacing=22)
        chart = chart.resolve_scale(color="shared", strokeDash="shared", size="independent")
        return themed(chart.properties(title=heading(alt, name, words, width), padding=_PAD))

    return sized(draw, Panels(usual, _LEAST, across, -(-len(panels) // across)), *size)


def _sized_and_named(alt: Any, name: str, words: list[str], area: Area) -> dict[str, Any]:
    room = area.width + _AROUND
    below = [part for text in words for part in broken(text, _WORDS, room)]
    more = {"subtitle": below, "subtitleFontSize": _WORDS} if below else {}
    title = alt.Title(broken(name, _BOLD * LABEL, room), fontSize=LABEL, offset=6, frame="group", **more)
    return {"width": area.width, "height": area.height, "title": title}


def _titled(result: Reproduction, group: str | None, kind: str) -> str:
    return f"{group or result.reference}: {kind}"


def _judgments(alt: Any, sizes: list[int], area: Area) -> Any:
    """An axis of judgments with a tick at every size."""
    axis = alt.Axis(values=sizes, labelExpr="datum.value / 1000 + 'k'", labelFlush=False, labelOverlap=True)
    return alt.X("judgments:Q", title="judgments", axis=axis, scale=alt.Scale(domain=[0, max(sizes)], nice=False))


def _told_apart(alt: Any, names: Sequence[str], field: str) -> tuple[Any, Any]:
    """Colours and dashes of kinds of curves, in one legend."""
    legend = alt.Legend(title=None, orient="top", direction="horizontal", symbolType="stroke", symbolStrokeWidth=2,
                        symbolSize=400, symbolOpacity=1, labelLimit=0, columns=2)  # fmt: skip
    domain = list(dict.fromkeys(names))
    colours, dashes = ([each[k % len(each)] for k in range(len(domain))] for each in (PALETTE, _DASHES))
    return (
        alt.Color(f"{field}:N", scale=alt.Scale(domain=domain, range=colours), legend=legend),
        alt.StrokeDash(f"{field}:N", scale=alt.Scale(domain=domain, range=dashes), legend=legend),
    )
