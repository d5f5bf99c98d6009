"""``/runs``: the history of runs, and their scores over time."""

from __future__ import annotations

import asyncio

from nicegui import ui

import adjudge
from adjudge import StoredRun
from adjudge_web.pages.frame import (
    PATIENCE,
    Paged,
    chip,
    empty,
    frame,
    heading,
    link_row,
    run_address,
    status,
    text,
)
from adjudge_web.pages.rooms import Rooms
from adjudge_web.pages.scores import show_scores


def add(rooms: Rooms) -> None:
    """Add the page."""

    @ui.page("/runs", response_timeout=PATIENCE)
    async def page(files: str = "") -> None:
        with frame("Runs", "/runs"):
            heading("Runs")
            found = await asyncio.to_thread(adjudge.list_runs)
            if not found:
                empty(
                    "No run yet.",
                    "Open an eval set and run it. Runs of the command line in this folder are here too.",
                )
                return
            charts = ui.element("div")
            Paged(list(reversed(found)), lambda run: _row(rooms, run), _words, noun="runs")
            with charts:
                await show_scores(rooms, found, files)


def _words(run: StoredRun) -> str:
    return " ".join((run.name, run.agent, run.state, *run.logs, *run.eval_sets, *run.criteria))


def _row(rooms: Rooms, run: StoredRun) -> None:
    with link_row(run_address(run.name)):
        with ui.element("div").classes("ad-grow"):
            text(run.agent or ", ".join(run.logs[:3]) or run.name).classes("ad-name")
            when = f"{run.started_at[:16].replace('T', ' ')} UTC" if run.started_at else ""
            ui.label(" · ".join(filter(None, (when, run.name, ", ".join(run.eval_sets[:3]))))).classes(
                "ad-sub"
            )
            if run.problem:
                ui.label(run.problem).classes("ad-sub")
            else:
                with ui.element("div").classes("ad-actions"):
                    for name, threshold in run.criteria.items():
                        chip(name if threshold is None else f"{name}, threshold {threshold:g}")
        if run.cost is not None:
            ui.label(f"${run.cost:.4f}").classes("ad-sub")
        ui.label(f"{run.done}/{'?' if run.total is None else run.total}").classes("ad-sub")
        live = rooms.runs.get(run.name)
        status("running" if live is not None and live.outcome is None else run.status or run.state)
