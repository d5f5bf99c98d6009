"""``/runs/NAME``: a run, while it goes on and when it is over."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final, cast
from urllib.parse import quote

from nicegui import ui

import adjudge
from adjudge import StoredRun
from adjudge.plugin import AdjudgeError, InputError, Problem
from adjudge_web.pages.frame import (
    PATIENCE,
    Paged,
    address,
    bar,
    frame,
    heading,
    problem,
    run_address,
    status,
    text,
    told,
)
from adjudge_web.pages.rooms import Rooms
from adjudge_web.pages.viewer import mount_viewer
from adjudge_web.work import Progress

_REPORTS: Final = {
    "html": "HTML: a page for a colleague",
    "md": "Markdown: for a pull request",
    "json": "JSON: everything, for programs",
    "xml": "JUnit: for CI",
}
_OFTEN: Final = 0.4
"""Seconds from a look at a run that goes on to the next."""


def add(rooms: Rooms) -> None:
    """Add the page."""

    @ui.page("/runs/{name}", response_timeout=PATIENCE)
    async def page(name: str, before: str = "") -> None:
        live = rooms.runs.get(name)
        if live is not None and (live.outcome is None or not live.has_begun):
            with frame(name, "/runs"):
                _Live(rooms, live).show()
            return
        with frame(name, "/runs", look="ad-wide ad-run"):
            await _over(rooms, name, before)


class _Live:
    """A run that goes on."""

    def __init__(self, rooms: Rooms, progress: Progress) -> None:
        self._rooms = rooms
        self._progress = progress

    def show(self) -> None:
        progress = self._progress
        with ui.element("div").classes("ad-head"):
            heading(progress.name, sub=": ".join(filter(None, ("under way", progress.what))))
            with ui.element("div").classes("ad-actions"):
                self._stop = ui.button("Cancel", icon="stop", on_click=self._cancel).props("outline")
        self._box = ui.element("div").classes("ad-card")
        self._cases = Paged(
            list(progress.cases.items()),
            self._row,
            lambda item: f"{item[0][0]} {item[1]}",
            noun="cases begun",
        )
        self._timer = ui.timer(_OFTEN, self._look)
        self._look()

    def _row(self, item: tuple[tuple[str, int], str]) -> None:
        (case, repeat), ended = item
        with ui.element("div").classes("ad-row").props('role="listitem"'):
            text(case if repeat == 1 else f"{case}, repeat {repeat}").classes("ad-grow ad-name")
            for criterion, (verdict, score) in self._progress.scores.get(case, {}).items():
                ui.label(f"{criterion} {'' if score is None else f'{score:.2f}'}").classes(
                    f"ad-chip ad-{verdict}"
                )
            status(ended or "running")

    async def _cancel(self) -> None:
        self._stop.disable()
        self._stop.set_text("Cancelling…")
        await self._progress.stop()

    def _look(self) -> None:
        progress = self._progress
        self._box.clear()
        with self._box:
            of = "" if progress.total is None else f" of {progress.total}"
            said = (
                f"{progress.done}{of} done"
                if progress.has_begun
                else "Loading the agent, the criteria and the judges…"
            )
            ui.label(said).classes("ad-name").props('aria-live="polite"')
            bar({"finished before": progress.before, **progress.counts}, progress.total)
            if progress.before:
                ui.label(f"{progress.before} were finished before.").classes("ad-sub")
            counts = ", ".join(f"{number} {name}" for name, number in progress.counts.items())
            cost = "" if progress.cost is None else f", ${progress.cost:.4f}"
            judges = f"{progress.judge_calls} judge calls{cost}" if progress.judge_calls else ""
            ui.label(" · ".join(filter(None, (counts, judges)))).classes("ad-sub")
            for each in progress.problems:
                problem(each)
        self._cases.replace(sorted(progress.cases.items(), key=lambda item: item[1] != ""))
        if progress.outcome is not None:
            self._timer.deactivate()
            self._stop.set_visibility(False)
            if progress.has_begun:
                ui.navigate.reload()


async def _over(rooms: Rooms, name: str, before: str) -> None:
    """A run that is finished or was interrupted."""
    runs = {run.name: run for run in await asyncio.to_thread(adjudge.list_runs)}
    if name not in runs:
        raise InputError(Problem(what=f"there is no run {name!r} here."))
    live = rooms.runs.get(name)
    with ui.element("div").classes("ad-head"):
        # The viewer has the name and the verdict.
        ui.link("‹ Runs", "/runs").classes("ad-crumb")
        with ui.element("div").classes("ad-actions"):
            if runs[name].state == "unfinished":
                ui.button("Resume", icon="play_arrow", on_click=lambda: _resume(rooms, runs[name])).props(
                    "dense"
                )
            if runs[name].eval_sets:
                edit = ui.button("Edit case", icon="edit", on_click=lambda: _edit(rooms))
                edit.props('flat dense data-key="e"').tooltip("The case that is open below")
            _comparing(runs, name, before)
            ui.button(
                "Label", icon="rate_review", on_click=lambda: ui.navigate.to(f"{run_address(name)}/labels")
            ).props("flat dense")
            with ui.button("Download", icon="download").props("flat dense"), ui.menu():
                for kind, what in _REPORTS.items():
                    # A link of the browser's own: a window that the server opens may be blocked.
                    ui.menu_item(what).props(
                        f'href="/data/reports/{quote(name)}.{kind}" download role="menuitem"'
                    )
            ui.button("Delete…", icon="delete", on_click=lambda: _delete(name)).props("flat dense")
    for each in () if live is None else live.problems:
        problem(each)
    data = f"/data{run_address(name)}"
    mount_viewer(address(data, before=before), f"{data}/cases/")


def _comparing(runs: Mapping[str, StoredRun], name: str, before: str) -> None:
    """The choice of an earlier run to compare with."""
    others = {
        run.name: f"{(run.started_at or '')[:16].replace('T', ' ')}  {run.agent or run.name}"
        for run in reversed(list(runs.values()))
        if run.name != name
    }
    if others:
        chosen = ui.select(
            {"": "nothing", **others},
            label="Compare with",
            value=before if before in others else "",
            on_change=lambda event: ui.navigate.to(
                f"{run_address(name, before=event.value)}{'#view=changes' if event.value else ''}"
            ),
        )
        chosen.props("outlined dense options-dense").style("min-width: 190px")


async def _edit(rooms: Rooms) -> None:
    """Open the case that the viewer shows, by what stands in the address."""
    script = "new URLSearchParams(location.hash.slice(1)).get('case') || ''"
    shown = str(cast("object", await ui.run_javascript(script)))
    for file in await asyncio.to_thread(rooms.eval_sets.paths):
        if shown.startswith(f"{file}:"):
            ui.navigate.to(address("/case", file=file, id=shown.removeprefix(f"{file}:")))
            return
    what = "its eval set is not below the folder of the page" if shown else "choose a case in the list first"
    ui.notify(f"No case is opened: {what}.", type="warning", position="top")


def _resume(rooms: Rooms, run: StoredRun) -> None:
    what = ", ".join(filter(None, (run.agent, *run.eval_sets, *run.logs)))
    rooms.runs.begin(run.name, what, run.total if run.eval_sets else None, do="resume", run=run.name)
    ui.navigate.reload()


def _delete(name: str) -> None:
    with (
        ui.dialog().props('aria-label="Delete this run"') as dialog,
        ui.element("div").classes("ad-dialog").style("width: 420px"),
    ):
        with ui.element("div").classes("ad-dialog-body"):
            heading(
                "Delete this run?",
                sub="Its results are gone then. Answers of judges stay in the cache.",
                level=2,
            )

        def delete() -> None:
            try:
                adjudge.delete_run(name)
            except AdjudgeError as error:
                told(error)
                return
            ui.navigate.to("/runs")

        with ui.element("div").classes("ad-dialog-foot"):
            ui.button("Keep it", on_click=dialog.close).props("flat")
            ui.button("Delete it", on_click=delete).props("color=negative")
    dialog.open()
