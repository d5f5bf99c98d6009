"""``/runs/NAME/labels``: say of each verdict whether it is right, and see how far the judge agrees."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Any

from nicegui import ui

import adjudge
from adjudge.plugin import AdjudgeError
from adjudge_web.labels import Label, Labelled, agreement, labels_path, read_labels, write_label
from adjudge_web.pages.frame import PATIENCE, Paged, empty, frame, heading, problem, run_address, status, text
from adjudge_web.pages.rooms import Rooms


@dataclass(frozen=True, slots=True)
class _Verdict:
    labelled: Labelled
    shown: str
    status: str
    reasoning: str


def add(rooms: Rooms) -> None:
    """Add the page."""
    del rooms

    @ui.page("/runs/{name}/labels", response_timeout=PATIENCE)
    async def page(name: str) -> None:
        with frame(f"Labels of {name}", "/runs"):
            await _Labels(name).show()


class _Labels:
    """The verdicts of a run, and what was said of them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._labels: dict[Labelled, Label] = {}

    async def show(self) -> None:
        verdicts = await asyncio.to_thread(self._verdicts)
        self._labels = read_labels(self._name)
        with ui.element("div"):
            ui.link(f"‹ {self._name}", run_address(self._name)).classes("ad-sub")
            heading("Labels", sub=f"Kept in {labels_path(self._name)}; `adjudge agreement` reads them.")
        if not verdicts:
            empty("Nothing to label.", "This run has no verdicts of criteria.")
            return
        self._told = ui.element("div").classes("ad-card").props('aria-live="polite"')
        await self._show_agreement()
        Paged(verdicts, self._row, lambda item: f"{item.shown} {item.status}", noun="verdicts")

    def _verdicts(self) -> list[_Verdict]:
        found: list[_Verdict] = []
        with adjudge.read_run(self._name) as report:
            for case in report.cases():
                result = case.result
                source = result.source or result.eval_id
                for item in result.criteria:
                    shown = (
                        f"{source}{'' if result.run is None else f' #{result.run}'} · {item.criterion_name}"
                    )
                    labelled = (source, result.run, item.criterion_name)
                    found.append(_Verdict(labelled, shown, item.status, item.reasoning or ""))
        return found

    def _row(self, verdict: _Verdict) -> None:
        with ui.element("div").classes("ad-row").props('role="listitem"'):
            with ui.element("div").classes("ad-grow"):
                text(verdict.shown).classes("ad-name")
                if verdict.reasoning:
                    text(verdict.reasoning[:400]).classes("ad-sub")
            status(verdict.status)
            toggle = ui.toggle(
                {"PASS": "should be PASS", "FAIL": "should be FAIL"},
                value=self._labels.get(verdict.labelled),
                clearable=True,
                on_change=lambda event: partial(self._say, verdict)(event.value),
            )
            toggle.props("dense no-caps unelevated").classes("ad-label")

    async def _say(self, verdict: _Verdict, label: Label | None) -> None:
        await asyncio.to_thread(write_label, self._name, verdict.labelled, label)
        self._labels = read_labels(self._name)
        await self._show_agreement()

    async def _show_agreement(self) -> None:
        found: dict[str, Any] | str | None = None
        if self._labels:
            try:
                found = await agreement(self._name)
            except AdjudgeError as error:
                found = str(error)
        self._told.clear()
        with self._told:
            if found is None:
                ui.label("No label yet.").classes("ad-name")
                ui.label("Say of a verdict below what it should be: the agreement is counted here.").classes(
                    "ad-sub"
                )
            elif isinstance(found, str):
                problem(found)
            else:
                _show(found, len(self._labels))


def _show(found: dict[str, Any], labels: int) -> None:
    ui.label(f"{labels} label{'' if labels == 1 else 's'}").classes("ad-name")
    for item in found["criteria"]:
        figure: dict[str, Any] | None = item["figures"].get("accuracy")
        decided = f"{item['decided']} of {item['labelled']} decided"
        if figure is None:
            text(f"{item['criterion_name']}: {decided}").classes("ad-sub")
        else:
            text(f"{item['criterion_name']}: {figure['value']:.0%} agreement, {decided}").classes("ad-sub")
