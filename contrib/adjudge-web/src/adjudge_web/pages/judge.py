"""``/judge`` and ``/log``: open logs of any format, and have them judged by criteria in words."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from nicegui import ui
from nicegui.events import UploadEventArguments

from adjudge.kit.eval_sets import write_whole
from adjudge.plugin import AdjudgeError, InputError, Problem, Trajectory
from adjudge_web.criteria_text import with_checks
from adjudge_web.pages.checks import CheckFields
from adjudge_web.pages.frame import (
    PATIENCE,
    Paged,
    address,
    chip,
    empty,
    frame,
    heading,
    link_row,
    named,
    problem,
    run_address,
    text,
    told,
)
from adjudge_web.pages.rooms import Rooms
from adjudge_web.pages.run_dialog import new_name, show_plan, show_problems
from adjudge_web.pages.viewer import mount_trace
from adjudge_web.uploads import LARGEST

_VOTES: Final = 5
_EXAMPLE: Final = """\
- name: task done
  description: The agent did what the user asked, and the environment shows it.
"""


def add(rooms: Rooms) -> None:
    """Add the pages."""

    @ui.page("/judge", response_timeout=PATIENCE)
    async def judge_page(log: str = "") -> None:
        with frame("AI Judge", "/judge"):
            await _Judge(rooms, log).show()

    @ui.page("/log", response_timeout=PATIENCE)
    async def log_page(file: str = "", run: int = 0) -> None:
        if run:
            with frame(file, "/judge", look="ad-wide ad-run"):
                rooms.logs.path(file)
                # It is read while the browser gets the page that asks for it.
                asyncio.get_running_loop().run_in_executor(None, rooms.logs.prepare, file, run)
                with ui.element("div").classes("ad-head"), ui.element("div"):
                    ui.link(f"‹ {file}", address("/log", file=file)).classes("ad-sub")
                    heading(f"{Path(file).name}, run {run}")
                mount_trace(address("/data/logs", file=file, run=str(run)))
            return
        with frame(file, "/judge"):
            await _log(rooms, file)


async def _log(rooms: Rooms, file: str) -> None:
    """The runs in a log."""
    runs = await asyncio.to_thread(rooms.logs.runs, file)
    with ui.element("div").classes("ad-head"):
        with ui.element("div"):
            ui.link("AI Judge", "/judge").classes("ad-sub")
            heading(Path(file).name, sub=file)
        with ui.element("div").classes("ad-actions"):
            ui.button("Judge…", icon="gavel", on_click=lambda: ui.navigate.to(address("/judge", log=file)))
    if not runs:
        empty("No run in this log.", "It was read to its end, and nothing of an agent is in it.")
        return

    def row(entry: tuple[int, Trajectory]) -> None:
        number, run = entry
        with link_row(address("/log", file=file, run=str(number))):
            with ui.element("div").classes("ad-grow"):
                text(run.goal[:300] or f"Run {number}").classes("ad-name")
                for lost in run.lost[:3]:
                    text(f"not read: {lost}").classes("ad-sub")
            if run.agent:
                chip(run.agent)
            ui.label(f"{len(run.steps)} step{'' if len(run.steps) == 1 else 's'}").classes("ad-sub")

    Paged(list(enumerate(runs, 1)), row, lambda entry: entry[1].goal, noun="runs")


class _Judge:
    """The form that has logs judged."""

    def __init__(self, rooms: Rooms, log: str) -> None:
        self._rooms = rooms
        self._log = log
        self._read: bytes | None = None
        self._seen_estimate = False

    async def show(self) -> None:
        heading(
            "AI Judge", sub="What agents did, judged by criteria in words, with evidence from their logs."
        )
        inventory = await self._rooms.inventory()
        with ui.element("div").classes("ad-columns"):
            self._logs_card()
            self._criteria_card(inventory.components)
        self._outcome = ui.element("div").classes("ad-stack")
        with ui.element("div").classes("ad-actions"):
            ui.button("Estimate", on_click=self._estimate).props("outline")
            ui.button("Show the levels", on_click=self._aggregate).props("outline").tooltip(
                "Steps, phases and the story, without a judge"
            )
            self._start_button = ui.button("Judge", icon="gavel", on_click=self._start).props('data-key="x"')

    def _logs_card(self) -> None:
        with ui.element("div").classes("ad-card"):
            heading("Logs", level=2)
            self._logs = ui.textarea("Files or folders below this folder, one a line", value=self._log)
            self._logs.props("outlined dense autogrow")
            ui.button("Open", icon="visibility", on_click=self._open).props("flat dense").style(
                "align-self: start"
            )
            upload = ui.upload(
                multiple=True, auto_upload=True, max_file_size=LARGEST, label="Choose or drop logs"
            )
            upload.props("flat bordered").style("width: 100%").on_upload(self._take)
            self._given = ui.element("div").classes("ad-stack")
            self._show_given()
            self._task = ui.input("Task, where a log names none").props("outlined dense")

    def _show_given(self) -> None:
        self._given.clear()
        with self._given:
            for name in self._rooms.logs.given()[:8]:
                with ui.element("div").classes("ad-actions"):
                    ui.link(Path(name).name, address("/log", file=name)).classes("ad-grow")
                    ui.button("Choose", on_click=lambda name=name: self._choose(name)).props("flat dense")

    def _choose(self, name: object) -> None:
        there = [line for line in (self._logs.value or "").splitlines() if line.strip()]
        self._logs.value = "\n".join(dict.fromkeys([*there, str(name)]))

    async def _take(self, event: UploadEventArguments) -> None:
        self._choose(self._rooms.logs.keep(event.file.name, await event.file.read()))
        self._show_given()

    def _open(self) -> None:
        names = self._names
        if names:
            ui.navigate.to(address("/log", file=names[0]))

    @property
    def _names(self) -> list[str]:
        return [line.strip() for line in (self._logs.value or "").splitlines() if line.strip()]

    def _criteria_card(self, installed: Mapping[str, Any]) -> None:
        with ui.element("div").classes("ad-card"):
            heading("Criteria", sub="A list in YAML: a name and what is wanted, in words.", level=2)
            self._file = ui.input("File", value="criteria.yaml", on_change=self._load).props(
                "outlined dense debounce=400"
            )
            self._text = ui.textarea("Criteria").props("outlined autogrow dir=auto").classes("ad-mono")
            self._text.on_value_change(self._forget_checks)
            with ui.element("div").classes("ad-fields"):
                self._judge = ui.input("Judge").props('outlined dense hint="provider/model, replay:FILE"')
                self._samples = ui.number("Votes at most", value=_VOTES, min=1, max=99, step=1).props(
                    "outlined dense"
                )
                names = ["auto", *(item["name"] for item in installed["granularity_strategies"])]
                self._granularity = ui.select(names, label="Granularity", value="auto").props(
                    "outlined dense"
                )
                self._strict = ui.switch("Strict evidence")
            self._compile_button = ui.button("See the checks", icon="checklist", on_click=self._compile)
            self._compile_button.props("flat dense").style("align-self: start").tooltip(
                "What will be asked of each run. The judge writes what nobody has written, once for all runs"
            )
            self._checks = ui.element("div").classes("ad-stack")
            self._load()

    def _load(self) -> None:
        """Show the file of that name, if it is there."""
        try:
            path = self._path
        except AdjudgeError:
            return
        self._read = path.read_bytes() if path.is_file() else None
        self._text.value = _EXAMPLE if self._read is None else self._read.decode("utf-8", "replace")

    @property
    def _path(self) -> Path:
        name = self._file.value or ""
        if not name.endswith((".yaml", ".yml", ".json")):
            raise InputError(Problem(what="a file of criteria ends with .yaml, .yml or .json.", file=name))
        return self._rooms.eval_sets.new_path(name)

    def _saved(self) -> str:
        """Write the criteria into their file, where they changed; nothing of somebody else's is written over."""
        path, content = self._path, self._text.value or ""
        held = path.read_bytes() if path.is_file() else None
        if held != self._read:
            raise InputError(
                Problem(what="the file was changed since it was opened; nothing is written.", file=path.name)
            )
        if held is None or held.decode("utf-8", "replace") != content:
            write_whole(path, content)
            self._read = content.encode()
        return str(path)

    def _forget_checks(self) -> None:
        """Checks of other words are none of these."""
        self._checks.clear()

    async def _compile(self) -> None:
        """Show what would be asked of each run, to be edited."""
        self._checks.clear()
        with self._checks:
            ui.label("Asking for the checks…").classes("ad-sub").props('role="status"')
        self._compile_button.disable()
        words = self._text.value
        try:
            found = await self._rooms.workers.answer(do="prepare", criteria=self._saved(), judge=self._judges)
        except AdjudgeError as error:
            found = dict[str, Any](problems=[str(error)])
        finally:
            self._compile_button.enable()
        if self._text.value != words:
            return
        self._checks.clear()
        with self._checks:
            if "prepared" in found:
                CheckFields(found["prepared"], self._write)
            else:
                show_problems(found)

    def _write(self, checks: Mapping[str, Any]) -> None:
        """Write edited checks into the criteria, where every run reads them."""
        try:
            self._text.value = with_checks(self._text.value or "", checks)
            self._saved()
        except AdjudgeError as error:
            told(error)
            return
        ui.notify(f"Written into {self._path.name}", type="positive", position="top")

    @property
    def _judges(self) -> list[str]:
        return [self._judge.value] if self._judge.value else []

    def _request(self, *, deciding: bool) -> dict[str, Any]:
        names = self._names
        if not names:
            raise InputError(Problem(what="no log is chosen.", hint="Name one, or drop it on the page."))
        request: dict[str, Any] = {
            "logs": [str(self._rooms.logs.path(name)) for name in names],
            "criteria": self._saved() if deciding else None,
            "task": self._task.value or None,
            "judge": self._judges if deciding else [],
        }
        if self._granularity.value != "auto":
            request["granularity"] = self._granularity.value
        if not deciding:
            return {**request, "aggregate_only": True}
        # Only what was chosen: criteria that are counted take no such options.
        if (votes := int(self._samples.value or _VOTES)) != _VOTES:
            request["num_samples"] = votes
        if self._strict.value:
            request["strict_evidence"] = True
        return request

    async def _estimate(self) -> dict[str, Any] | None:
        self._outcome.clear()
        try:
            request = self._request(deciding=True)
        except AdjudgeError as error:
            with self._outcome:
                problem(error)
            return None
        with self._outcome:
            ui.label("Reading the logs…").classes("ad-sub").props('role="status"')
        found = await self._rooms.workers.answer(do="estimate", **request)
        self._outcome.clear()
        plan: dict[str, Any] | None = found.get("plan")
        with self._outcome:
            if plan is None:
                show_problems(found)
            else:
                show_plan(plan, "of logs")
        return plan

    async def _start(self) -> None:
        plan = await self._estimate()
        if plan is None:
            return
        asked = plan["estimate"]["total"]["requests"][1]
        if asked and not self._seen_estimate:
            self._seen_estimate = True
            self._start_button.set_text(f"Judge: up to {asked} calls")
            return
        self._begin(deciding=True)

    def _aggregate(self) -> None:
        self._begin(deciding=False)

    def _begin(self, *, deciding: bool) -> None:
        try:
            request = self._request(deciding=deciding)
        except AdjudgeError as error:
            told(error)
            return
        name = new_name()
        self._rooms.runs.begin(name, named(self._names), do="judge", run=name, **request)
        ui.navigate.to(run_address(name))
