"""The dialog that keeps a session as a case of an eval set, of a new one where that is wanted."""

from __future__ import annotations

import asyncio
from typing import Final

from nicegui import ui

from adjudge.kit.adk import case_from_trajectory
from adjudge.kit.eval_sets import EVAL_SET_SUFFIX, EvalSetDocument, checked_id, id_from
from adjudge.plugin import AdjudgeError
from adjudge_web.agent_folders import folder_of
from adjudge_web.pages.frame import address, heading, problem
from adjudge_web.pages.rooms import Rooms
from adjudge_web.sessions import Session

_NEW: Final = ""
"""The choice of an eval set that is not there yet."""


class KeepDialog:
    """One dialog, from its opening to the case."""

    def __init__(self, rooms: Rooms, session: Session) -> None:
        """Ask where ``session`` is to be kept."""
        self._rooms = rooms
        self._session = session

    async def open(self) -> None:
        """Show the dialog."""
        agents = await self._rooms.agents()
        self._folder = folder_of(self._session.agent) if self._session.agent in agents else ""
        files = await asyncio.to_thread(self._files)
        with (
            ui.dialog().props('aria-label="Keep this session as a case"') as dialog,
            ui.element("div").classes("ad-dialog").style("width: 520px"),
        ):
            with ui.element("div").classes("ad-dialog-head"):
                heading(
                    "Keep this session as a case",
                    sub="What the agent did is what it is expected to do.",
                    level=2,
                )
            with ui.element("div").classes("ad-dialog-body"):
                self._file = ui.select(
                    {**{file: file for file in files}, _NEW: "a new eval set"},
                    label="Eval set",
                    value=files[0] if files else _NEW,
                ).props("outlined dense")
                self._set = ui.input("Id of the new eval set: letters, digits and _").props("outlined dense")
                self._set.bind_visibility_from(self._file, "value", value=_NEW)
                self._name = ui.input("Id of the case", value=id_from(self._session.name)).props(
                    "outlined dense"
                )
                self._outcome = ui.element("div").classes("ad-stack")
            with ui.element("div").classes("ad-dialog-foot"):
                ui.button("Cancel", on_click=dialog.close).props("flat")
                ui.button("Keep it", on_click=self._keep)
            self._name.on("keydown.enter", self._keep)
        dialog.open()

    def _files(self) -> list[str]:
        """The eval sets that can be written, those beside the agent first."""
        sets = self._rooms.eval_sets
        listed = [sets.listed(file, is_to_be_read=False) for file in sets.paths()]
        found = [item.file for item in listed if item.problem is None and not item.is_old]
        return sorted(found, key=lambda file: file.rpartition("/")[0] != self._folder)

    def _keep(self) -> None:
        name = self._name.value or "case"
        try:
            document, file = self._document()
            document.add(case_from_trajectory(self._session.trajectory, name))
            document.save()
        except AdjudgeError as error:
            self._outcome.clear()
            with self._outcome:
                problem(error)
            return
        ui.navigate.to(address("/case", file=file, id=name))

    def _document(self) -> tuple[EvalSetDocument, str]:
        """The eval set that was chosen, and how addresses name it."""
        sets = self._rooms.eval_sets
        if self._file.value != _NEW:
            file = str(self._file.value)
            return EvalSetDocument.opened(sets.path(file)), file
        eval_set_id = checked_id(self._set.value or "")
        file = f"{self._folder}/{eval_set_id}{EVAL_SET_SUFFIX}".lstrip("/")
        return EvalSetDocument.new(sets.new_path(file), eval_set_id), file
