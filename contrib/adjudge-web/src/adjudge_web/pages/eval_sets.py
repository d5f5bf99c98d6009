"""``/``: every eval set below the folder."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nicegui import ui
from nicegui.events import UploadEventArguments

from adjudge.kit.adk import open_eval_set
from adjudge.kit.eval_sets import EVAL_SET_SUFFIX, EvalSetDocument, checked_id
from adjudge.plugin import AdjudgeError, InputError, Problem
from adjudge_web.agent_folders import folder_of
from adjudge_web.eval_set_folder import Listed
from adjudge_web.pages.frame import (
    PATIENCE,
    Paged,
    address,
    chip,
    empty,
    frame,
    heading,
    link_row,
    problem,
    text,
    until_seen,
)
from adjudge_web.pages.rooms import Rooms
from adjudge_web.uploads import LARGEST, safe_name

if TYPE_CHECKING:
    from nicegui.elements.upload_files import FileUpload


def add(rooms: Rooms) -> None:
    """Add the page."""

    @ui.page("/", response_timeout=PATIENCE)
    async def page() -> None:
        files = await asyncio.to_thread(rooms.eval_sets.paths)
        with frame("Eval sets", "/"):
            with ui.element("div").classes("ad-head"):
                heading("Eval sets", sub=str(rooms.folder))
                with ui.element("div").classes("ad-actions"):
                    ui.button("Import…", icon="upload", on_click=lambda: _import(rooms)).props("flat")
                    ui.button("New", icon="add", on_click=lambda: _new(rooms)).props('data-key="n"')
            if not files:
                empty(
                    "No eval set yet.",
                    "Make one with New, or keep a session with an agent as a case. Files that end with .test.json or "
                    ".evalset.json below this folder are listed here.",
                )
                return
            await _list(rooms, files)


async def _list(rooms: Rooms, files: Sequence[str]) -> None:
    """Show every eval set; of large ones first the name, and what is in them when they are read."""
    listed = rooms.eval_sets.listed
    rows = await asyncio.to_thread(lambda: [listed(file, is_to_be_read=False) for file in files])
    paged = Paged(rows, _row, lambda row: f"{row.eval_set_id} {row.file}", noun="eval sets")
    if all(row.is_read for row in rows):
        return
    await until_seen()
    for place, row in enumerate(rows):
        if not row.is_read:
            rows[place] = await asyncio.to_thread(listed, row.file)
            paged.replace(rows)


def _row(row: Listed) -> None:
    with link_row(address("/set", file=row.file)):
        with ui.element("div").classes("ad-grow"):
            text(row.eval_set_id).classes("ad-name")
            ui.label(row.file).classes("ad-sub")
        if not row.is_read:
            ui.label("being read…").classes("ad-sub").props('role="status"')
            return
        if row.problem is not None:
            ui.label("cannot be read").classes("ad-status ad-FAIL")
            return
        if row.is_old:
            chip("old shape")
        if row.warnings:
            chip(f"{row.warnings} warning{'' if row.warnings == 1 else 's'}")
        if row.scenarios:
            chip(f"{row.scenarios} scenario{'' if row.scenarios == 1 else 's'}")
        ui.label(f"{row.cases} case{'' if row.cases == 1 else 's'}").classes("ad-sub")


async def _new(rooms: Rooms) -> None:
    """Ask for an id and a folder, and write an eval set without cases."""
    with (
        ui.dialog().props('aria-label="New eval set"') as dialog,
        ui.element("div").classes("ad-dialog").style("width: 460px"),
    ):
        with ui.element("div").classes("ad-dialog-head"):
            heading("New eval set", level=2)
        with ui.element("div").classes("ad-dialog-body"):
            identity = ui.input("Id: letters, digits and _").props("outlined dense autofocus")
            folders = list(dict.fromkeys(map(folder_of, await rooms.agents())))
            place = ui.select(
                {"": "this folder", **{name: name for name in folders}},
                label="Folder",
                value=folders[0] if len(folders) == 1 else "",
            )
            place.props("outlined dense")
            outcome = ui.element("div").classes("ad-stack")

        def make() -> None:
            try:
                eval_set_id = checked_id(identity.value or "")
                name = f"{eval_set_id}{EVAL_SET_SUFFIX}"
                file = f"{place.value}/{name}" if place.value else name
                EvalSetDocument.new(rooms.eval_sets.new_path(file), eval_set_id).save()
            except AdjudgeError as error:
                outcome.clear()
                with outcome:
                    problem(error)
                return
            ui.navigate.to(address("/set", file=file))

        with ui.element("div").classes("ad-dialog-foot"):
            ui.button("Cancel", on_click=dialog.close).props("flat")
            ui.button("Make", on_click=make)
        identity.on("keydown.enter", make)
    dialog.open()


def _import(rooms: Rooms) -> None:
    """Ask for files, and write those that are sound into the folder."""
    with (
        ui.dialog().props('aria-label="Import eval sets"') as dialog,
        ui.element("div").classes("ad-dialog").style("width: 560px"),
    ):
        with ui.element("div").classes("ad-dialog-head"):
            heading("Import eval sets", sub="Files that end with .evalset.json or .test.json.", level=2)
        with ui.element("div").classes("ad-dialog-body"):
            upload = ui.upload(
                multiple=True, auto_upload=True, max_file_size=LARGEST, label="Choose or drop files"
            )
            upload.props('flat bordered accept=".json"').style("width: 100%")
            outcome = ui.element("div").classes("ad-stack")
        with ui.element("div").classes("ad-dialog-foot"):
            ui.button("Done", on_click=ui.navigate.reload)

        async def take(event: UploadEventArguments) -> None:
            with outcome:
                try:
                    file = await _imported(rooms, event.file)
                except (AdjudgeError, OSError) as error:
                    problem(str(error))
                else:
                    ui.link(f"Imported {file}", address("/set", file=file))

        upload.on_upload(take)
    dialog.open()


async def _imported(rooms: Rooms, given: FileUpload) -> str:
    """Check a file, and put it into the folder under its own name."""
    name = safe_name(given.name)
    if not name.endswith((EVAL_SET_SUFFIX, ".test.json")):
        raise InputError(
            Problem(what="the name of an eval set ends with .evalset.json or .test.json.", file=given.name)
        )
    path = rooms.eval_sets.new_path(name)
    content = await given.read()
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / name
        kept.write_bytes(content)
        await asyncio.to_thread(open_eval_set, kept, may_be_empty=True)
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        raise InputError(Problem(what="there is such a file already.", file=name)) from None
    return name
