"""``/set?file=…``: the cases of an eval set, chosen, run, added and removed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from nicegui import ui
from nicegui.events import UploadEventArguments

from adjudge.kit.adk import (
    CaseEntry,
    EvalSetFile,
    case_from_adk,
    case_from_trajectory,
    dump_eval_set,
    migrate_eval_set,
)
from adjudge.kit.eval_sets import EVAL_SET_SUFFIX, EvalSetDocument, entry_marks, id_from, write_whole
from adjudge.kit.render import clean
from adjudge.model import EvalCase
from adjudge.plugin import AdjudgeError, InputError, Problem, Trajectory
from adjudge_web.pages.case import ask_to_delete
from adjudge_web.pages.frame import (
    PATIENCE,
    PER_PAGE,
    Paged,
    address,
    chip,
    empty,
    frame,
    heading,
    problem,
    told,
    until_seen,
)
from adjudge_web.pages.rooms import Rooms
from adjudge_web.pages.run_dialog import RunDialog
from adjudge_web.uploads import LARGEST, runs_of


def add(rooms: Rooms) -> None:
    """Add the page."""

    @ui.page("/set", response_timeout=PATIENCE)
    async def page(file: str = "") -> None:
        with frame(file, "/"):
            await _Cases(rooms, file).show()


class _Cases:
    """The cases of one file."""

    def __init__(self, rooms: Rooms, file: str) -> None:
        self._rooms = rooms
        self._file = file
        self._chosen: set[str] = set()
        self._opened: EvalSetFile | None = None
        """``None`` as long as the file is being read."""

    async def show(self) -> None:
        files, paged = self._rooms.eval_sets, None
        self._head, self._list = (ui.element("div").style("display: contents") for _ in range(2))
        if not files.is_quick(self._file):
            # Its first cases are there with the page; all of it is validated when somebody sees them.
            first = await asyncio.to_thread(files.first_entries, self._file, PER_PAGE)
            with self._head:
                heading(Path(self._file).name, sub=self._file)
            with self._list:
                paged = self._paged(first, is_whole=False)
            await until_seen()
        try:
            opened = self._opened = await asyncio.to_thread(files.open, self._file)
        except AdjudgeError as error:
            self._list.clear()
            self._head.clear()
            with self._head:
                self._show_trouble(error)
            return
        self._head.clear()
        with self._head:
            self._show_head(opened)
        if opened.entries and paged is not None:
            paged.complete(opened.entries)
            self._offer_all(paged)
            return
        self._list.clear()
        with self._list:
            if opened.entries:
                self._offer_all(self._paged(opened.entries))
            else:
                empty(
                    "No case yet.", "Talk to an agent and keep the session as a case, or add one from a log."
                )

    def _offer_all(self, paged: Paged[CaseEntry]) -> None:
        """A button that chooses what the search leaves, or nothing any more."""

        def choose() -> None:
            found = {entry.eval_id for entry in paged.found}
            self._chosen = self._chosen - found if found <= self._chosen else self._chosen | found
            paged.again()
            self._name_buttons()

        with paged.actions:
            ui.button("Choose all found", icon="select_all", on_click=choose).props("flat dense")

    def _paged(self, entries: Sequence[CaseEntry], *, is_whole: bool = True) -> Paged[CaseEntry]:
        return Paged(entries, self._row, lambda entry: entry.eval_id, noun="cases", is_whole=is_whole)

    def _show_trouble(self, error: AdjudgeError) -> None:
        """A file that cannot be read, which can still be deleted."""
        with ui.element("div").classes("ad-head"):
            heading(Path(self._file).name, sub=self._file)
            ui.button("Delete…", icon="delete", on_click=self._ask_to_delete).props("flat")
        problem(error)
        ui.link("‹ Eval sets", "/")

    def _show_head(self, opened: EvalSetFile) -> None:
        with ui.element("div").classes("ad-head"):
            heading(opened.eval_set_id, sub=self._file)
            with ui.element("div").classes("ad-actions"):
                if opened.given_id is not None:
                    ui.button("Add a case", icon="add", on_click=self._ask_for_case).props(
                        'flat data-key="n"'
                    )
                    ui.button("From a log…", icon="upload", on_click=self._ask_for_log).props("flat")
                else:
                    ui.button("Migrate", icon="upgrade", on_click=self._migrate).props("outline")
                self._delete = ui.button("Delete…", icon="delete", on_click=self._ask_to_delete).props("flat")
                self._run = ui.button("Run all…", icon="play_arrow", on_click=self._ask_to_run)
                self._run.props('data-key="x"')
                self._run.set_enabled(bool(opened.entries))
                self._name_buttons()
        if opened.given_id is None:
            problem(
                "This file is in a shape from before ADK's schema. It can be run; to change it, migrate it first.",
                warning=True,
            )
        for warning in opened.warnings:
            problem(warning, warning=True)

    def _row(self, entry: CaseEntry) -> None:
        with ui.element("div").classes("ad-row").props('role="listitem"'):
            ui.checkbox(
                value=entry.eval_id in self._chosen,
                on_change=lambda event: self._choose(entry.eval_id, is_on=bool(event.value)),
            ).props(f'dense aria-label="Choose case {entry.index + 1}"')
            # A case of an old shape cannot be edited: it is shown.
            place = "/case/trace" if self._is_old else "/case"
            with ui.element("div").classes("ad-grow"):
                ui.link(clean(entry.eval_id), address(place, file=self._file, id=entry.eval_id)).classes(
                    "ad-name"
                ).props('dir="auto"')
            size, *marks = entry_marks(entry)
            for mark in marks:
                chip(mark)
            ui.label(size).classes("ad-sub")

    @property
    def _is_old(self) -> bool:
        return self._opened is not None and self._opened.given_id is None

    def _choose(self, eval_id: str, *, is_on: bool) -> None:
        (self._chosen.add if is_on else self._chosen.discard)(eval_id)
        self._name_buttons()

    def _name_buttons(self) -> None:
        if self._opened is None:  # they are not there yet
            return
        deleted = 0 if self._is_old else len(self._chosen)
        self._delete.set_text(f"Delete {deleted}…" if deleted else "Delete…")
        self._run.set_text(f"Run {len(self._chosen)}…" if self._chosen else "Run all…")

    async def _ask_to_run(self) -> None:
        await RunDialog(self._rooms, self._file, sorted(self._chosen)).open()

    def _ask_to_delete(self) -> None:
        """Delete what is chosen, or the whole file."""
        if self._chosen and not self._is_old:
            ask_to_delete(self._rooms, self._file, sorted(self._chosen))
            return
        with (
            ui.dialog().props('aria-label="Delete"') as dialog,
            ui.element("div").classes("ad-dialog").style("width: 460px"),
        ):
            with ui.element("div").classes("ad-dialog-body"):
                heading("Delete the whole eval set?", sub=f"The file {self._file} is removed.", level=2)

            def delete() -> None:
                try:
                    self._rooms.eval_sets.path(self._file).unlink()
                except (AdjudgeError, OSError) as error:
                    told(error)
                    return
                ui.navigate.to("/")

            with ui.element("div").classes("ad-dialog-foot"):
                ui.button("Keep", on_click=dialog.close).props("flat")
                ui.button("Delete the file", on_click=delete).props("color=negative")
        dialog.open()

    def _ask_for_case(self) -> None:
        with (
            ui.dialog().props('aria-label="Add a case"') as dialog,
            ui.element("div").classes("ad-dialog").style("width: 460px"),
        ):
            with ui.element("div").classes("ad-dialog-head"):
                heading("Add a case", level=2)
            with ui.element("div").classes("ad-dialog-body"):
                name = ui.input("Id").props("outlined dense autofocus")
                kind = ui.radio(
                    {"turns": "a conversation", "scenario": "a scenario, whose user a model plays"},
                    value="turns",
                )

            def make() -> None:
                said = {"parts": [{"text": ""}]}
                content = (
                    {"conversation": [{"user_content": said, "final_response": said}]}
                    if kind.value == "turns"
                    else {"conversation_scenario": {"starting_prompt": "", "conversation_plan": ""}}
                )
                self._add(case_from_adk({"eval_id": name.value or "case", **content}))

            with ui.element("div").classes("ad-dialog-foot"):
                ui.button("Cancel", on_click=dialog.close).props("flat")
                ui.button("Add it", on_click=make)
            name.on("keydown.enter", make)
        dialog.open()

    def _add(self, case: EvalCase) -> None:
        try:
            document = EvalSetDocument.opened(self._rooms.eval_sets.path(self._file))
            document.add(case)
            document.save()
        except AdjudgeError as error:
            told(error)
            return
        ui.navigate.to(address("/case", file=self._file, id=case.eval_id))

    def _ask_for_log(self) -> None:
        with (
            ui.dialog().props('aria-label="A case from a log"') as dialog,
            ui.element("div").classes("ad-dialog").style("width: 560px"),
        ):
            with ui.element("div").classes("ad-dialog-head"):
                heading(
                    "A case from a log",
                    sub="What the agent did there is what it is expected to do. Any log that a reader knows.",
                    level=2,
                )
            with ui.element("div").classes("ad-dialog-body"):
                task = ui.input("Task, where the log names none").props("outlined dense")
                upload = ui.upload(auto_upload=True, max_file_size=LARGEST, label="Choose or drop a log")
                upload.props("flat bordered").style("width: 100%")
                found = ui.element("div").classes("ad-stack")
            with ui.element("div").classes("ad-dialog-foot"):
                ui.button("Close", on_click=dialog.close).props("flat")

            async def read(event: UploadEventArguments) -> None:
                found.clear()
                try:
                    runs = await runs_of(event.file, task.value or None)
                except AdjudgeError as error:
                    with found:
                        problem(error)
                    return
                with found:
                    for number, run in enumerate(runs, 1):
                        with ui.element("div").classes("ad-head"):
                            heading(f"Run {number}", sub=run.goal[:200], level=2)
                            ui.button(
                                "Add", on_click=partial(self._add_run, run, event.file.name, number)
                            ).props("outline")

            upload.on_upload(read)
        dialog.open()

    def _add_run(self, run: Trajectory, log: str, number: int) -> None:
        name = run.eval_id or run.session_id or id_from(f"{log.split('.')[0]}_{number}")
        try:
            case = case_from_trajectory(run, name)
        except AdjudgeError as error:
            told(error)
            return
        self._add(case)

    def _migrate(self) -> None:
        """Write the cases in ADK's schema beside the old file, which stays."""
        try:
            path = self._rooms.eval_sets.path(self._file)
            name = id_from(path.name.split(".")[0])
            file = f"{self._file.rpartition('/')[0]}/{name}{EVAL_SET_SUFFIX}".lstrip("/")
            new = self._rooms.eval_sets.new_path(file)
            if new.exists():
                raise InputError(Problem(what="the file exists.", file=file))
            write_whole(new, dump_eval_set(migrate_eval_set(path)))
        except AdjudgeError as error:
            told(error)
            return
        ui.navigate.to(address("/set", file=file))
