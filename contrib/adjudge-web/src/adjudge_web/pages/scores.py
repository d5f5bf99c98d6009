"""Scores over runs: a line chart for every criterion, and the table behind them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from nicegui import ui

from adjudge import StoredRun
from adjudge.kit.render import clean, score_text, threshold_text
from adjudge_web.pages.frame import address, heading, loading, run_address
from adjudge_web.pages.rooms import Rooms
from adjudge_web.score_history import LATEST, Point, Series, finished_by_files

_WIDTH, _HEIGHT = 300, 84
_LEFT, _RIGHT, _TOP, _BOTTOM = 30, 10, 10, 10


async def show_scores(rooms: Rooms, runs: Sequence[StoredRun], files: str) -> None:
    """Charts of the runs of some eval sets, where there are two or more finished ones.

    Args:
        rooms: What the pages share.
        runs: All stored runs.
        files: The eval sets, as the address names them; otherwise those that were run last.
    """
    choices = {name: found for name, found in finished_by_files(runs).items() if len(found) > 1}
    if not choices:
        return
    chosen = files if files in choices else next(iter(choices))
    with ui.element("section").classes("ad-card").props('aria-label="Scores over runs"'):
        with ui.element("div").classes("ad-head"):
            latest = min(len(choices[chosen]), LATEST)
            heading("Scores over runs", sub=f"the mean of each criterion in the last {latest} runs", level=2)
            select = ui.select(
                {name: clean(name) for name in choices},
                label="Eval sets",
                value=chosen,
                on_change=lambda event: ui.navigate.to(address("/runs", files=event.value)),
            )
            select.props("outlined dense options-dense").classes("ad-choice")
        with ui.element("div"):
            await loading("Reading the scores…")
            series = await asyncio.to_thread(rooms.scores.series, choices[chosen])
            if not series:
                ui.label("No run has a score.").classes("ad-sub")
                return
            # Every text in it is escaped by the library that writes it.
            ui.html(tostring(_charts(series), encoding="unicode", method="html"), sanitize=False)


def _charts(series: Sequence[Series]) -> Element:
    box = Element("div")
    charts = SubElement(box, "div", {"class": "ad-charts"})
    for each in series:
        _chart(charts, each)
    details = SubElement(box, "details", {"class": "ad-scores"})
    SubElement(details, "summary").text = "The same as a table"
    _table(SubElement(details, "div", {"class": "ad-scroll", "tabindex": "0"}), series)
    return box


def _chart(charts: Element, series: Series) -> None:
    name, points, last = clean(series.criterion), series.points, series.last
    figure = SubElement(charts, "figure", {"class": "ad-chart"})
    caption = SubElement(figure, "figcaption")
    SubElement(caption, "span", {"class": "ad-name", "dir": "auto"}).text = name
    SubElement(caption, "b").text = _score(last)
    low, high = _range(points)
    svg = SubElement(
        figure,
        "svg",
        {
            "viewBox": f"0 0 {_WIDTH} {_HEIGHT}",
            "role": "group",
            "aria-label": f"{name} over {len(points)} runs{_lacking(points)}",
        },
    )
    for value in (low, high):
        y = _y(value, low, high)
        SubElement(svg, "line", {"class": "ad-grid", **_line(y)})
        SubElement(svg, "text", {"x": str(_LEFT - 6), "y": f"{y + 3.5:.1f}"}).text = f"{value:.3g}"
    if last.threshold is not None:
        SubElement(svg, "line", {"class": "ad-threshold", **_line(_y(last.threshold, low, high))})
    for drawn in _without_gaps(points):
        places = [(_x(number, len(points)), _y(mean, low, high)) for number, _, mean in drawn]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        SubElement(svg, "polyline", {"class": "ad-line", "points": line})
        for (_, point, _), (x, y) in zip(drawn, places, strict=True):
            said = _said(point)
            link = SubElement(svg, "a", {"href": run_address(point.run.name), "aria-label": said})
            SubElement(link, "title").text = said
            place = {"cx": f"{x:.1f}", "cy": f"{y:.1f}"}
            SubElement(link, "circle", {"class": "ad-reach", "r": "9", **place})
            SubElement(link, "circle", {"class": "ad-point", "r": "3.5", **place})


def _lacking(points: Sequence[Point]) -> str:
    lacking = sum(point.mean is None for point in points)
    return f", {lacking} of them without a score" if lacking else ""


def _without_gaps(points: Sequence[Point]) -> Iterator[list[tuple[int, Point, float]]]:
    """The points in a row that have a mean, with their places: a run without one is a gap in the line."""
    drawn: list[tuple[int, Point, float]] = []
    for number, point in enumerate(points):
        if point.mean is not None:
            drawn.append((number, point, point.mean))
        elif drawn:
            yield drawn
            drawn = []
    if drawn:
        yield drawn


def _range(points: Sequence[Point]) -> tuple[float, float]:
    """From 0 to 1, or as far as the scores and thresholds go."""
    given = [number for point in points for number in (point.mean, point.threshold)]
    values = [number for number in given if number is not None]
    return min(0.0, *values), max(1.0, *values)


def _x(number: int, count: int) -> float:
    return _LEFT + 6 + (_WIDTH - _LEFT - _RIGHT - 6) * (number / (count - 1) if count > 1 else 1)


def _y(value: float, low: float, high: float) -> float:
    return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (high - value) / (high - low)


def _line(y: float) -> dict[str, str]:
    return {"x1": str(_LEFT), "x2": str(_WIDTH), "y1": f"{y:.1f}", "y2": f"{y:.1f}"}


def _said(point: Point) -> str:
    threshold = "" if point.threshold is None else f", threshold {threshold_text(point.threshold)}"
    return f"{_when(point.run)} {clean(point.run.name)}: {_score(point)}{threshold}"


def _score(point: Point) -> str:
    if point.mean is not None:
        return score_text(point.mean, point.threshold)
    return "no score" if point.is_measured else "not in this run"


def _when(run: StoredRun) -> str:
    return (run.started_at or "")[:16].replace("T", " ")


def _table(box: Element, series: Sequence[Series]) -> None:
    table = SubElement(box, "table")
    head = SubElement(SubElement(table, "thead"), "tr")
    for name in ("started", "run", "agent", "cases", *(each.criterion for each in series)):
        SubElement(head, "th", {"scope": "col"}).text = clean(name)
    body = SubElement(table, "tbody")
    # Each has a point for every run.
    for points in reversed(list(zip(*(each.points for each in series), strict=True))):
        run = points[0].run
        row = SubElement(body, "tr")
        SubElement(row, "td").text = _when(run)
        SubElement(SubElement(row, "td"), "a", {"href": run_address(run.name)}).text = clean(run.name)
        SubElement(row, "td").text = clean(run.agent)
        SubElement(row, "td").text = str(run.done)
        for point in points:
            SubElement(row, "td").text = _score(point)
